//! The other side of transparency: the loss that remains for users who correct their statistics by what was published.
//!
//! Noise of a published level k makes variances larger and correlations smaller by known factors, so users can divide them out:
//!
//! ```text
//!                                     independent noise       noise with the covariances of the original
//! Var(X)                =             Var(X') / (1 + k)        Var(X') / (1 + k)
//! Cov(X_i, X_j)         =             Cov(X'_i, X'_j)          Cov(X'_i, X'_j) / (1 + k)
//! Corr(X_i, X_j)        =             Corr(X'_i, X'_j) (1 + k) Corr(X'_i, X'_j)
//! ```
//!
//! for i ≠ j that both got noise. If only one of them did, the covariance is as it was and the correlation is multiplied by sqrt(1 + k).
//! Where mean and standard deviation were restored (X'' = X' / sqrt(1 + k) but for its mean), variances are as they were,
//! correlations need the same factors, and a covariance takes sqrt(1 + k) more for each attribute that got noise.
//!
//! Variances and covariances are then unbiased over the draws of noise (with restoring up to terms of 1/n), correlations up to terms of
//! 1/n; one that a correction takes beyond −1 or 1 is −1 or 1. Rounding of masked values is not corrected: it
//! adds about 1/12 to a variance. Values, means and quantiles stay as they are: means are unbiased already.
//!
//! Post-randomisation publishes by which probabilities categories became others, so users multiply frequencies by the inverse of
//! these: see `frequencies.rs`.
//!
//! Other methods publish nothing that would correct a statistic. Swapping keeps means, variances and quantiles and weakens
//! correlations by an amount that depends on the joint distribution; averages hide the variation within groups, regressions that around
//! them, recoding and suppression what they took.
//!
//! # Source
//! J. J. Kim, "A method for limiting disclosure in microdata based on random noise and transformation", ASA Proceedings of the
//! Section on Survey Research Methods, 1986; W. A. Fuller, "Masking procedures for microdata disclosure limitation", Journal of
//! Official Statistics 9, 1993.

use serde::{Deserialize, Serialize};

use super::{
    Files, discrepancy, overall, probabilistic,
    statistics::{Statistics, lower_triangle},
};
use crate::{
    figure::{self, Definition, Figure, Group, Statistic},
    statement::{Method, NoiseParameters, Statement, Step},
};

/// What users know of the noise in a file.
#[derive(Debug, Clone)]
pub struct Law {
    noise: NoiseParameters,
    /// Whether an attribute got noise.
    noised: Vec<bool>,
    names: Vec<String>,
}

/// The loss that remains after a correction, beside that without it.
#[derive(Debug, Clone, PartialEq)]
pub struct Correction {
    /// What users do, in plain words.
    pub law: String,
    /// The attributes that are corrected.
    pub attributes: Vec<String>,
    /// The measures that a correction can change.
    pub figures: Vec<Corrected>,
    /// The variances, covariances, correlations and shares that it changes.
    pub estimates: Vec<Estimate>,
}

/// A statistic of the original, and what users take for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Estimate {
    /// Which statistic.
    pub what: Estimated,
    /// The attribute that it is about, or both.
    pub attributes: Vec<String>,
    /// Of a share, the category whose it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// In the original file.
    pub original: f64,
    /// In the masked file.
    pub masked: f64,
    /// Corrected.
    pub corrected: f64,
}

/// Which statistic is estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Estimated {
    /// The variance of an attribute.
    Variance,
    /// The covariance of two.
    Covariance,
    /// Their correlation.
    Correlation,
    /// The share of a category among the values.
    Share,
}

impl Estimated {
    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Variance => "variance",
            Self::Covariance => "covariance",
            Self::Correlation => "correlation",
            Self::Share => "share",
        }
    }
}

/// A measure without and with correction.
#[derive(Debug, Clone, PartialEq)]
pub struct Corrected {
    /// For users who take the masked file as it is.
    pub naive: Figure,
    /// For users who correct for what was published.
    pub corrected: Figure,
}

impl Law {
    /// The law of a statement, for these attributes of numbers.
    ///
    /// # Errors
    /// Why there is none: no correction is known, or it is about none of these attributes.
    pub fn of(statement: &Statement, names: &[String]) -> Result<Self, String> {
        let [step] = statement.steps.as_slice() else {
            return Err(format!(
                "the file was masked by {}, and no correction is known for several steps together",
                statement.methods()
            ));
        };
        Self::of_step(step, names)
    }

    fn of_step(statement: &Step, names: &[String]) -> Result<Self, String> {
        let without = |why: &str| {
            Err(format!(
                "the file was masked by {}, and {why}; a correction is known for noise of a published level",
                statement.method.name()
            ))
        };
        let noise = match &statement.method {
            Method::Noise(noise) => noise.clone(),
            Method::RankSwap(_)
            | Method::PBuckets(_)
            | Method::PDistribution(_)
            | Method::Swaps(_) => {
                return without(
                    "swapping keeps means, variances and quantiles, while by how much it weakens a correlation is not published",
                );
            }
            Method::Microaggregation(_) | Method::Fuzzy(_) => {
                return without(
                    "how much its averages hide of the variation of values is not published",
                );
            }
            Method::Ipso(_) => {
                return without("how far values lay from its regression is not published");
            }
            Method::Copula(_) => {
                return without(
                    "it keeps the distribution of every attribute and, on average, the rank correlations: there is nothing to correct",
                );
            }
            Method::Pram(_) => {
                return without("frequencies of categories are corrected by its matrices");
            }
            Method::Recode(_) | Method::Suppress(_) | Method::Sample(_) => {
                return without("what it took from the file is not published");
            }
        };
        let noised: Vec<bool> = (names.iter())
            .map(|name| statement.attributes.contains(name))
            .collect();
        if !noised.contains(&true) {
            return Err("none of the attributes that got noise is compared as numbers".into());
        }
        if !statement.strata.is_empty() {
            return without(
                "that within strata: by how much the variances of the file grew follows from those of the strata, which are not published",
            );
        }
        let kept = &statement.kept;
        if names
            .iter()
            .any(|name| kept.is_derived(name) || kept.has_moved_zeros(name))
        {
            return without(
                "sums or zeros were kept (--keep-sums, --keep-zeros): of totals that were worked out anew, and of values beside zeros that moved, the variance of the noise is not published",
            );
        }
        Ok(Self {
            noise,
            noised,
            names: names.to_vec(),
        })
    }

    /// How many of two attributes got noise.
    fn count(&self, j: usize, k: usize) -> i32 {
        i32::from(self.noised[j]) + i32::from(self.noised[k])
    }

    /// What the covariance of two attributes of the masked file is multiplied by; of an attribute with itself, its variance.
    fn covariance_factor(&self, j: usize, k: usize) -> f64 {
        let more = 1.0 + self.noise.level;
        let count = self.count(j, k);
        let is_variance = j == k;
        let restored = if self.noise.restored {
            more.sqrt().powi(count)
        } else {
            1.0
        };
        match count == 2 && (is_variance || self.noise.correlated) {
            // Exactly 1 where what was added was taken away again.
            true if self.noise.restored => 1.0,
            true => 1.0 / more,
            false => restored,
        }
    }

    /// What the correlation of two different attributes of the masked file is multiplied by.
    fn correlation_factor(&self, j: usize, k: usize) -> f64 {
        match self.count(j, k) {
            2 if self.noise.correlated => 1.0,
            count => (1.0 + self.noise.level).sqrt().powi(count),
        }
    }

    /// The statistics that users take for those of the original.
    pub(super) fn corrected(&self, masked: &Statistics) -> Statistics {
        let p = self.names.len();
        let pairs = || lower_triangle(p);
        let variance = |(j, &value): (usize, &Option<f64>)| {
            value.map(|value| value * self.covariance_factor(j, j))
        };
        let covariance = |([j, k], &value): ([usize; 2], &Option<f64>)| {
            value.map(|value| value * self.covariance_factor(j, k))
        };
        let correlation = |([j, k], &value): ([usize; 2], &Option<f64>)| {
            if j == k {
                value
            } else {
                value.map(|value| (value * self.correlation_factor(j, k)).clamp(-1.0, 1.0))
            }
        };
        Statistics {
            variances: masked.variances.iter().enumerate().map(variance).collect(),
            covariances: pairs().zip(&masked.covariances).map(covariance).collect(),
            correlations: pairs().zip(&masked.correlations).map(correlation).collect(),
            ..masked.clone()
        }
    }

    fn in_words(&self) -> String {
        let NoiseParameters {
            level,
            correlated,
            restored,
            rounded,
            ..
        } = self.noise;
        let more = 1.0 + level;
        let mut words = match (correlated, restored) {
            (false, false) => format!(
                "Independent noise of level {level} was added: users divide variances by {more} and multiply correlations by it"
            ),
            (false, true) => format!(
                "Independent noise of level {level} was added, and means and standard deviations restored: users multiply covariances and correlations of different attributes by {more}"
            ),
            (true, false) => format!(
                "Noise of level {level} with the covariances of the original was added: users divide variances and covariances by {more}, correlations are as they were"
            ),
            (true, true) => format!(
                "Noise of level {level} with the covariances of the original was added, and means and standard deviations restored: of two attributes with noise nothing is to be corrected"
            ),
        };
        if self.noised.contains(&false) {
            words += &format!(
                "; with an attribute that got no noise, correlations{} are multiplied by the root of {more}",
                if restored { " and covariances" } else { "" }
            );
        }
        if rounded {
            words += "; that masked values were rounded afterwards is not corrected";
        }
        words + "."
    }
}

/// Whether variances and covariances enter a measure: theirs, and the two means over all statistics.
fn is_correctable(what: &Definition) -> bool {
    match what.group {
        Group::Difference(statistic, _) => matches!(
            statistic,
            Statistic::Variances | Statistic::Covariances | Statistic::Correlations
        ),
        _ => [overall::IL.key, probabilistic::PIL.key].contains(&what.key),
    }
}

impl Correction {
    /// The measures of files whose masked statistics were corrected, beside what they and the statistics were.
    pub(super) fn new(law: Law, naive: &[Figure], masked: &Statistics, files: &Files<'_>) -> Self {
        let discrepancies = discrepancy::figures(files);
        let mut corrected = overall::figures(&discrepancies, files.names.len());
        corrected.extend(probabilistic::figures(files));
        corrected.extend(discrepancies);
        let beside = |corrected: Figure| {
            Some(Corrected {
                naive: figure::find(naive, corrected.what.key)?.clone(),
                corrected,
            })
        };
        let attributes = law.names.iter().zip(&law.noised);
        Self {
            law: law.in_words(),
            attributes: attributes
                .filter(|(_, noised)| **noised)
                .map(|(name, _)| name.clone())
                .collect(),
            figures: (corrected.into_iter())
                .filter(|figure| is_correctable(figure.what))
                .filter_map(beside)
                .collect(),
            estimates: estimates(&law, [files.of_before(), masked, files.of_after()]),
        }
    }
}

/// The statistics of the original, the masked file, and corrected, where a correction changes them.
fn estimates(law: &Law, [original, masked, corrected]: [&Statistics; 3]) -> Vec<Estimate> {
    let estimate = |what, attributes: &[usize], values: [Option<f64>; 3]| {
        let [Some(original), Some(masked), Some(corrected)] = values else {
            return None;
        };
        let is_changed = masked.total_cmp(&corrected).is_ne();
        (is_changed
            && [original, masked, corrected]
                .iter()
                .all(|value| value.is_finite()))
        .then(|| Estimate {
            what,
            attributes: attributes.iter().map(|&j| law.names[j].clone()).collect(),
            category: None,
            original,
            masked,
            corrected,
        })
    };
    let all = [original, masked, corrected];
    let variances = (0..law.names.len())
        .filter_map(|j| estimate(Estimated::Variance, &[j], all.map(|of| of.variances[j])));
    let pairs = || {
        lower_triangle(law.names.len())
            .enumerate()
            .filter(|(_, [j, k])| j != k)
    };
    let covariances = pairs().filter_map(|(place, pair)| {
        estimate(
            Estimated::Covariance,
            &pair,
            all.map(|of| of.covariances[place]),
        )
    });
    let correlations = pairs().filter_map(|(place, pair)| {
        estimate(
            Estimated::Correlation,
            &pair,
            all.map(|of| of.correlations[place]),
        )
    });
    variances.chain(covariances).chain(correlations).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statement::NoiseLaw;

    fn law(correlated: bool, restored: bool) -> Law {
        let noise = NoiseParameters {
            law: NoiseLaw::Normal,
            level: 0.21,
            correlated,
            restored,
            rounded: false,
            rounded_before: 0,
        };
        let statement = Step::new(Method::Noise(noise), 9, vec!["a".into(), "b".into()]);
        Law::of_step(&statement, &["a", "b", "c"].map(String::from)).unwrap()
    }

    /// By hand with k = 0.21, so that sqrt(1 + k) = 1.1: a and b got noise, c did not. Masked standard deviations are 1.1
    /// those of the original, and what is restored is divided by that.
    #[test]
    fn factors_by_hand() {
        // Var(a), Cov(a, b), Cov(a, c), Var(c); Corr(a, b), Corr(a, c)
        for (correlated, restored, by_hand) in [
            (false, false, [1.0 / 1.21, 1.0, 1.0, 1.0, 1.21, 1.1]),
            (true, false, [1.0 / 1.21, 1.0 / 1.21, 1.0, 1.0, 1.0, 1.1]),
            (false, true, [1.0, 1.21, 1.1, 1.0, 1.21, 1.1]),
            (true, true, [1.0, 1.0, 1.1, 1.0, 1.0, 1.1]),
        ] {
            let law = law(correlated, restored);
            let factors = [
                law.covariance_factor(0, 0),
                law.covariance_factor(1, 0),
                law.covariance_factor(2, 0),
                law.covariance_factor(2, 2),
                law.correlation_factor(1, 0),
                law.correlation_factor(2, 0),
            ];
            for (factor, expected) in factors.into_iter().zip(by_hand) {
                assert!(
                    (factor - expected).abs() < 1e-12,
                    "{correlated} {restored}: {factors:?}"
                );
            }
        }
    }

    #[test]
    fn a_statement_about_nothing_that_is_compared_is_refused() {
        let noise = law(false, false).noise;
        let statement = Step::new(Method::Noise(noise), 9, vec!["a".into()]);
        assert!(Law::of_step(&statement, &["z".to_string()]).is_err());
    }
}
