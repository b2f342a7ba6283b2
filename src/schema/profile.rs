//! What is known of one attribute without its records: sorted numbers, or shares of names.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{
    stats::{
        density::{quantile, silverman},
        moments::moments,
    },
    table::{AttrId, Table},
};

/// How the numbers of two attributes are brought to one scale before their densities are compared.
///
/// All but `None` and `MinMax` end in `asinh`: near 0 it changes nothing, far out it is a logarithm, so that a few large
/// amounts do not leave all others in one place. A positive factor and a shift of an attribute change nothing but with `None`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ScaleBy {
    /// `asinh((x − mean) / sd)`, each attribute by its own.
    Z,
    /// `asinh((x − median) / IQR)`; where the quartiles are equal, the first wider range of quantiles (10, 5, 1, 0 %) that
    /// is not 0.
    Robust,
    /// `(x − least) / (greatest − least)`.
    MinMax,
    /// The units of the files: `asinh(x / u)` with one u for all attributes of both files, the least of their IQRs (or
    /// wider ranges). It distinguishes attributes by their sizes, too.
    None,
}

impl ScaleBy {
    /// The word in reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Z => "z",
            Self::Robust => "robust",
            Self::MinMax => "minmax",
            Self::None => "none",
        }
    }
}

/// An attribute without its records.
pub(super) struct Profile {
    pub id: AttrId,
    pub name: String,
    /// Share of records that miss it.
    pub missing: f64,
    pub content: Content,
}

pub(super) enum Content {
    Numbers(NumberProfile),
    Categories(CategoryProfile),
}

/// Numbers, sorted: first as the file has them, then standardised.
pub(super) struct NumberProfile {
    pub values: Vec<f64>,
    /// The range of the middle 90 % in the file's units.
    pub middle: (f64, f64),
}

/// Shares of the categories among all records, by name.
pub(super) struct CategoryProfile {
    pub shares: BTreeMap<String, f64>,
}

/// The profiles of some attributes, in their order; or why an attribute has none, in words that follow its name.
pub(super) fn profiles(table: &Table, ids: &[AttrId]) -> Vec<Result<Profile, String>> {
    ids.par_iter().map(|&id| profile(table, id)).collect()
}

fn profile(table: &Table, id: AttrId) -> Result<Profile, String> {
    let n = table.n_records();
    let missing = table.missing(id).count();
    if missing == n {
        return Err("has no values".into());
    }
    let constant = || Err("has no two different values".to_string());
    let content = match table.numbers(id) {
        Some(numbers) => {
            let mut values: Vec<f64> = (0..n)
                .filter(|&record| !numbers.missing.contains(record))
                .map(|record| numbers.values[record])
                .collect();
            values.sort_unstable_by(f64::total_cmp);
            if values.first() >= values.last() {
                return constant();
            }
            let sd = moments(values.iter().copied()).sd;
            if !(sd.is_finite() && sd > 0.0 && (values[values.len() - 1] - values[0]).is_finite()) {
                return Err("has values too large or too close together to be standardised".into());
            }
            let middle = (quantile(&values, 0.05), quantile(&values, 0.95));
            Content::Numbers(NumberProfile { values, middle })
        }
        None => {
            let mut counts: BTreeMap<String, u64> = BTreeMap::new();
            for record in (0..n).filter(|&record| !table.is_missing(record, id)) {
                *counts
                    .entry(table.text(record, id).trim().to_owned())
                    .or_default() += 1;
            }
            if counts.len() < 2 {
                return constant();
            }
            let shares = counts
                .into_iter()
                .map(|(name, count)| (name, count as f64 / n as f64));
            Content::Categories(CategoryProfile {
                shares: shares.collect(),
            })
        }
    };
    Ok(Profile {
        id,
        name: table.attribute(id).name.clone(),
        missing: missing as f64 / n as f64,
        content,
    })
}

/// The least positive range of quantiles, the quartiles first.
fn spread(sorted: &[f64]) -> f64 {
    const SHARES: [f64; 5] = [0.25, 0.1, 0.05, 0.01, 0.0];
    let range = |share: f64| quantile(sorted, 1.0 - share) - quantile(sorted, share);
    SHARES
        .into_iter()
        .map(range)
        .find(|&range| range > 0.0)
        .unwrap_or(0.0)
}

/// Standardises all attributes of numbers of both files, and gives the bandwidth of their densities: the median of what
/// Silverman's rule says for each. One bandwidth for all: a point mass (many zeros) would else look different where two files
/// differ in length only. `None` if no attribute is one of numbers, or if they cannot be standardised.
pub(super) fn standardise(profiles: &mut [&mut NumberProfile], by: ScaleBy) -> Option<f64> {
    let unit = profiles
        .iter()
        .map(|profile| spread(&profile.values))
        .min_by(f64::total_cmp)?;
    let mut bandwidths: Vec<f64> = profiles
        .par_iter_mut()
        .map(|profile| {
            let values = &mut profile.values;
            standardise_one(values, by, unit);
            let range = quantile(values, 0.75) - quantile(values, 0.25);
            silverman(values.len(), moments(values.iter().copied()).sd, range)
        })
        .collect();
    bandwidths.sort_unstable_by(f64::total_cmp);
    let median = bandwidths[bandwidths.len() / 2];
    (median.is_finite() && median > 0.0).then_some(median)
}

fn standardise_one(values: &mut [f64], by: ScaleBy, unit: f64) {
    let (middle, scale) = match by {
        ScaleBy::Z => {
            let moments = moments(values.iter().copied());
            (moments.mean, moments.sd)
        }
        ScaleBy::Robust => (quantile(values, 0.5), spread(values)),
        ScaleBy::MinMax => (values[0], values[values.len() - 1] - values[0]),
        ScaleBy::None => (0.0, unit),
    };
    for value in values {
        let standard = (*value - middle) / scale;
        *value = match by {
            ScaleBy::MinMax => standard,
            _ => standard.asinh(),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factor_and_a_shift_change_nothing() {
        let values: Vec<f64> = (0..200).map(|i| f64::from(i * i * i % 1009)).collect();
        for by in [ScaleBy::Z, ScaleBy::Robust, ScaleBy::MinMax] {
            let mut one = values.clone();
            one.sort_unstable_by(f64::total_cmp);
            let mut other: Vec<f64> = one.iter().map(|x| x * 7.3 - 400.0).collect();
            standardise_one(&mut one, by, 1.0);
            standardise_one(&mut other, by, 1.0);
            for (x, y) in one.iter().zip(&other) {
                assert!((x - y).abs() < 1e-12, "{by:?}: {x} {y}");
            }
        }
    }

    /// Nine zeros and 8: the quartiles are equal, the deciles are 0 and 0.1 · 8 by interpolation.
    #[test]
    fn the_spread_of_many_equal_values_comes_from_wider_quantiles() {
        let mut values = vec![0.0; 10];
        values[9] = 8.0;
        assert!((spread(&values) - 0.8).abs() < 1e-12);
        assert_eq!(spread(&[1.0, 2.0, 3.0]), 1.0);
    }
}
