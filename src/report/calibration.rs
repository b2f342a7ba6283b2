//! What an attack said of its own success, beside what became of it.

use serde::{Deserialize, Serialize};

use super::text;
use crate::evaluate::calibration::{Band, Calibration};

/// The records for whose links an attack stated a probability in `from < stated ≤ to`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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

/// What the bands mean, in a sentence or two; the rate is with its interval.
pub fn reading(
    method: &str,
    expected: f64,
    (rate, interval): (f64, [f64; 2]),
    bands: &[CalibrationBand],
) -> String {
    let verdict = verdict(expected, rate, interval);
    let mut line = format!(
        "What {method} says of itself: it expected {} of its links to be correct, and {} are (95 % interval {} to {}): {verdict}. \
         Without knowing who is who, an intruder can pick the links with the highest stated probability",
        text::percent(expected),
        text::percent(rate),
        text::percent(interval[0]),
        text::percent(interval[1]),
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

/// Whether an attack is right about its own success, by the interval of the realised rate. A wide interval decides nothing.
fn verdict(expected: f64, rate: f64, [low, high]: [f64; 2]) -> &'static str {
    /// By what factor both may differ and still be called close.
    const CLOSE: f64 = 1.1;
    let within = |factor: f64| {
        let most = expected.max(rate);
        most <= factor * expected.min(rate)
    };
    match (low..=high).contains(&expected) {
        true if within(2.0) => "they agree within the uncertainty of the count",
        true => "too few links to say whether they agree",
        false if within(CLOSE) => "they differ, but are close",
        false if rate > expected => "it does better than it expects",
        false => "it expects more than is true: its law does not fit, or partners are not there",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Intervals are Wilson's of the counts. 10 of 1,000: 0.54 % to 1.83 %; 5 expected (0.5 %) is outside, though less than a
    /// point away. 1 of 20: 0.9 % to 23.6 %, which holds 2.4 % (off by a factor of two) as well as 6 %.
    #[test]
    fn what_an_attack_expects_is_compared_by_an_interval() {
        use crate::stats::interval::wilson;
        let said = |expected: f64, correct: f64, n: u64| {
            verdict(expected, correct / n as f64, wilson(correct, n).into())
        };
        assert_eq!(said(0.005, 10.0, 1000), "it does better than it expects");
        assert_eq!(
            said(0.01, 10.0, 1000),
            "they agree within the uncertainty of the count"
        );
        assert!(said(0.03, 10.0, 1000).starts_with("it expects more than is true"));
        assert_eq!(
            said(0.024, 1.0, 20),
            "too few links to say whether they agree"
        );
        assert_eq!(
            said(0.06, 1.0, 20),
            "they agree within the uncertainty of the count"
        );
        assert_eq!(said(0.52, 50_000.0, 100_000), "they differ, but are close");
    }
}
