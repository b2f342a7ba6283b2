//! What an attack said of its own success, beside what became of it.

use serde::Serialize;

use super::text;
use crate::evaluate::calibration::{Band, Calibration};

/// The records for whose links an attack stated a probability in `from < stated ≤ to`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CalibrationBand {
    /// Lower end of the band.
    pub from: f64,
    /// Upper end of the band.
    pub to: f64,
    /// Number of records.
    pub records: u64,
    /// Mean of the stated probabilities.
    pub stated: f64,
    /// Share of their links that are correct.
    pub realised: f64,
}

/// The bands of a calibration.
pub fn bands(calibration: &Calibration) -> Vec<CalibrationBand> {
    let summary = |band: &Band| CalibrationBand {
        from: band.from,
        to: band.to,
        records: band.records,
        stated: band.stated,
        realised: band.realised,
    };
    calibration.bands.iter().map(summary).collect()
}

/// The bands as a table for people.
pub fn table(bands: &[CalibrationBand]) -> String {
    let header = ["stated probability", "records", "stated", "realised"];
    let rows: Vec<Vec<String>> = bands
        .iter()
        .map(|band| {
            vec![
                format!("{:.0} to {:.0} %", band.from * 100.0, band.to * 100.0),
                band.records.to_string(),
                text::percent(band.stated),
                text::percent(band.realised),
            ]
        })
        .collect();
    text::columns(&header, &rows, 1)
}

/// What the bands mean, in a sentence or two.
pub fn reading(method: &str, expected: f64, rate: f64, bands: &[CalibrationBand]) -> String {
    /// The share of its success by which an attack may miss it and still know it; or a point.
    const NEARLY: f64 = 0.1;
    const A_POINT: f64 = 0.01;
    let verdict = match rate - expected {
        off if off.abs() <= (NEARLY * rate).max(A_POINT) => "so it knows how far to trust itself",
        off if off > 0.0 => "so it does better than it knows",
        _ => "so it believes more than is true: its law does not fit, or partners are not there",
    };
    let mut line = format!(
        "What {method} says of itself: it expected {} of its links to be correct, and {} are, {verdict}. Without knowing \
         who is who, an intruder can pick the links of which he is most sure",
        text::percent(expected),
        text::percent(rate),
    );
    const SURE: f64 = 0.95;
    let sure: Vec<&CalibrationBand> = bands.iter().filter(|band| band.from >= SURE).collect();
    let records: u64 = sure.iter().map(|band| band.records).sum();
    if records > 0 {
        let right: f64 = sure
            .iter()
            .map(|band| band.realised * band.records as f64)
            .sum();
        line += &format!(
            ": of {records} with a stated probability above 95 %, {} are correct",
            text::count(right)
        );
    }
    line + "."
}
