//! Losses for users who weight records: statistics of the population that a survey stands for.

use serde::{Deserialize, Serialize};

use super::{Files, categories, discrepancy, statistics::Statistics};
use crate::{
    figure::{Discrepancy, Figure, Group, Statistic},
    table::pair::Pair,
};

/// A measure without and with weights.
#[derive(Debug, Clone, PartialEq)]
pub struct Weighted {
    /// Every record counts once.
    pub unweighted: Figure,
    /// Every record counts as often as its weight says.
    pub weighted: Figure,
}

/// What of a weighted measure goes to programs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct WeightedRow {
    /// Its name for programs.
    pub key: String,
    /// Its name for people.
    pub name: String,
    /// Every record counts once; null where it is not defined.
    pub unweighted: Option<f64>,
    /// Every record counts as often as its weight says; null where it is not defined.
    pub weighted: Option<f64>,
}

impl From<&Weighted> for WeightedRow {
    fn from(figures: &Weighted) -> Self {
        let what = figures.unweighted.what;
        Self {
            key: what.key.into(),
            name: what.name.into(),
            unweighted: figures.unweighted.value,
            weighted: figures.weighted.value,
        }
    }
}

/// The measures that weights change, without and with them: of means, variances, covariances and correlations, and the shares of cells
/// that were changed or suppressed. A weight a record; the masked file has the weights of the original.
///
/// ```text
/// mean_j     = Σ w x_j / Σ w
/// Cov(j, k)  = Σ w (x_j − mean_j)(x_k − mean_k) / Σ w · n / (n − 1)       n the records with a weight above 0
/// share      = Σ w over the cells / Σ w over those that are there in the original
/// ```
///
/// Equal weights give the figures without weights, to the last bit. Weights of whole numbers give those of a file with as many copies of
/// each record, but for the n in the divisor, since copies are no new records.
///
/// # Missing
/// As without weights: each statistic is of the records that have its values.
///
/// # Panics
/// If there is not one weight a record, or one is negative.
///
/// # Source
/// C.-E. Särndal, B. Swensson, J. Wretman, "Model Assisted Survey Sampling", Springer, 1992, section 5.7 (ratios of weighted totals).
pub fn weighted(pair: &Pair, weights: &[f64]) -> Vec<Weighted> {
    assert_eq!(weights.len(), pair.n_records, "one weight a record");
    assert!(weights.iter().all(|&weight| weight >= 0.0), "none negative");
    // Equal weights become 1, and change no bit.
    let greatest = weights.iter().fold(0.0, |a: f64, &b| a.max(b));
    let weights: Vec<f64> = weights.iter().map(|weight| weight / greatest).collect();
    let mut files = Files::new(pair);
    let mut all = of(&files, None);
    files.of_before = Statistics::weighted(files.before, &weights).into();
    files.of_after = Statistics::weighted(files.after, &weights).into();
    let with = of(&files, Some(&weights));
    let both = all.drain(..).zip(with);
    both.map(|(unweighted, weighted)| Weighted {
        unweighted,
        weighted,
    })
    .collect()
}

fn of(files: &Files<'_>, weights: Option<&[f64]>) -> Vec<Figure> {
    let is_weighted = |figure: &Figure| {
        matches!(
            figure.what.group,
            Group::Difference(
                Statistic::Means
                    | Statistic::Variances
                    | Statistic::Covariances
                    | Statistic::Correlations,
                Discrepancy::MeanSquare | Discrepancy::MeanAbsolute | Discrepancy::MeanVariation,
            )
        )
    };
    let mut figures = discrepancy::figures(files);
    figures.retain(is_weighted);
    figures.extend(categories::shares(files, weights));
    figures
}
