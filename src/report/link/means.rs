//! Mean rates of a method, over cases or draws.

use serde::{Deserialize, Serialize};

use super::{LinkResult, Sample};
use crate::stats::interval::resampled_mean;

/// The mean rate of a method over the cases of a sweep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MeanRate {
    /// The attack, as the command line calls it.
    pub method: String,
    /// Whose records, where distances were learned from some individuals and others attacked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample: Option<Sample>,
    /// Number of cases, or of draws of the individuals.
    pub cases: usize,
    /// Mean of their rates.
    pub rate: f64,
    /// Mean of their rates among the records that have a partner.
    pub rate_of_findable: f64,
    /// Of draws: an interval for the rate of another draw's mean at 95 %, by the corrected resampled t statistic (draws overlap).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
}

/// The means over the cases of each method; none unless the cases are a family, of which a mean is of interest, or several draws.
pub fn means(results: &[LinkResult], family: bool) -> Vec<MeanRate> {
    let is_drawn = results.iter().any(|result| result.split.is_some());
    if !family && !is_drawn {
        return Vec::new();
    }
    let mut kinds: Vec<(&str, Option<Sample>)> = Vec::new();
    for result in results {
        let kind = (result.method.as_str(), result.sample);
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    let mean = |(method, sample): (&str, Option<Sample>)| {
        let of_kind: Vec<&LinkResult> = results
            .iter()
            .filter(|result| result.method == method && result.sample == sample)
            .collect();
        let rates: Vec<f64> = of_kind.iter().map(|result| result.rate).collect();
        let mean = |rates: &[f64]| rates.iter().sum::<f64>() / rates.len() as f64;
        let of_findable: Vec<f64> = (of_kind.iter())
            .map(|result| result.rate_of_findable)
            .collect();
        // Who is attacked in a draw is whoever is not learned from.
        let learned_from = |records: u64| match sample {
            Some(Sample::Others) => of_others_to_training(results, records),
            _ => 0.0,
        };
        MeanRate {
            method: method.into(),
            sample,
            cases: rates.len(),
            rate: mean(&rates),
            rate_of_findable: mean(&of_findable),
            interval: (is_drawn && !family && rates.len() > 1)
                .then(|| {
                    of_kind
                        .first()
                        .map_or(0.0, |first| learned_from(first.records))
                })
                .map(|ratio| resampled_mean(&rates, ratio).map(|rate| rate.clamp(0.0, 1.0))),
        }
    };
    kinds.into_iter().map(mean).collect()
}

/// How many others are attacked for each individual that is learned from.
fn of_others_to_training(results: &[LinkResult], others: u64) -> f64 {
    let training = results
        .iter()
        .find(|result| result.sample == Some(Sample::Training))
        .map_or(others, |result| result.records);
    others as f64 / training.max(1) as f64
}
