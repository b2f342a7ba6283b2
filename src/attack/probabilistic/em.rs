//! Fitting the model of Fellegi and Sunter to pattern counts by expectation–maximisation.

use crate::agreement::Pattern;

/// Probabilities of agreement are kept this far from 0 and 1.
const NEAREST: f64 = 1e-6;

/// The parameters have converged when no m and u changes by more than this in an iteration, and the prior by no more of itself.
const SETTLED: f64 = 1e-8;

/// How pairs come about: a share of matches, and for each attribute the probability that it agrees, if it is there.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameters {
    /// P(agree | match), one an attribute.
    pub m: Vec<f64>,
    /// P(agree | no match), one an attribute.
    pub u: Vec<f64>,
    /// P(match).
    pub prior: f64,
}

/// Which parameters the iterations leave alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    /// P(agree | match) of these attributes, as bits.
    pub m: u32,
    /// P(agree | no match).
    pub u: bool,
    /// P(match).
    pub prior: bool,
}

/// What the iterations came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    /// The last parameters.
    pub parameters: Parameters,
    /// How many iterations there were.
    pub iterations: usize,
    /// Whether the last one changed no m and u by more than 1e-8, and the prior by no more than 1e-8 of itself.
    pub converged: bool,
    /// The log-likelihood of the pattern counts under the last parameters (natural logarithm), given which values are missing.
    pub loglik: f64,
}

impl Parameters {
    /// The probabilities of a pattern's agreements in a match and in no match, given what is missing.
    pub fn of_pattern(&self, pattern: Pattern) -> [f64; 2] {
        [&self.m, &self.u].map(|probabilities| {
            let of_attribute = |(k, &p): (usize, &f64)| match pattern.of(k) {
                None => 1.0,
                Some(true) => p,
                Some(false) => 1.0 - p,
            };
            probabilities.iter().enumerate().map(of_attribute).product()
        })
    }

    /// The weight of an agreement and of a disagreement on each attribute: `log(m/u)` and `log((1 − m)/(1 − u))`.
    pub fn weights(&self) -> Vec<[f64; 2]> {
        let weights = |(m, u): (&f64, &f64)| [(m / u).ln(), ((1.0 - m) / (1.0 - u)).ln()];
        self.m.iter().zip(&self.u).map(weights).collect()
    }

    fn loglik(&self, counts: &[(Pattern, f64)]) -> f64 {
        let of_pattern = |&(pattern, count): &(Pattern, f64)| {
            let [matched, unmatched] = self.of_pattern(pattern);
            count * (self.prior * matched + (1.0 - self.prior) * unmatched).ln()
        };
        counts.iter().map(of_pattern).sum()
    }

    /// The greatest difference of two parameters, that of the priors in relation to them.
    fn change(&self, other: &Self) -> f64 {
        let pairs = self
            .m
            .iter()
            .zip(&other.m)
            .chain(self.u.iter().zip(&other.u));
        // The prior can be as small as one in the number of pairs: its change counts in relation.
        let prior = (self.prior - other.prior).abs() / other.prior;
        pairs.map(|(a, b)| (a - b).abs()).fold(prior, f64::max)
    }

    /// One iteration: the expected matches among the pairs of each pattern, and the shares that follow.
    fn improved(&self, counts: &[(Pattern, f64)], held: Held) -> Self {
        let width = self.m.len();
        let mut agreeing = vec![[0.0; 2]; width];
        let mut present = vec![[0.0; 2]; width];
        let (mut matches, mut pairs) = (0.0, 0.0);
        for &(pattern, count) in counts {
            let [matched, unmatched] = self.of_pattern(pattern);
            let [matched, unmatched] = [self.prior * matched, (1.0 - self.prior) * unmatched];
            let share = matched / (matched + unmatched);
            let expected = [share * count, (1.0 - share) * count];
            matches += expected[0];
            pairs += count;
            for k in 0..width {
                if let Some(agrees) = pattern.of(k) {
                    for side in 0..2 {
                        present[k][side] += expected[side];
                        agreeing[k][side] += if agrees { expected[side] } else { 0.0 };
                    }
                }
            }
        }
        let shares = |side: usize, old: &[f64]| -> Vec<f64> {
            let share = |k: usize| {
                let is_held = side == 0 && held.m >> k & 1 == 1;
                if present[k][side] > 0.0 && !is_held {
                    kept(agreeing[k][side] / present[k][side])
                } else {
                    old[k]
                }
            };
            (0..width).map(share).collect()
        };
        Self {
            m: shares(0, &self.m),
            u: if held.u {
                self.u.clone()
            } else {
                shares(1, &self.u)
            },
            prior: if held.prior || pairs <= 0.0 {
                self.prior
            } else {
                // At least, and at most all but, a pair of them.
                (matches / pairs).clamp(1.0 / pairs.max(2.0), 1.0 - 1.0 / pairs.max(2.0))
            },
        }
    }
}

/// A probability of agreement, kept from 0 and 1.
pub(super) fn kept(probability: f64) -> f64 {
    probability.clamp(NEAREST, 1.0 - NEAREST)
}

/// Improves the parameters until they settle, or as many times as allowed.
///
/// The log-likelihood never falls: each iteration maximises a bound of it that touches it.
///
/// # Complexity
/// O(patterns · attributes) an iteration, however many pairs there are.
///
/// # Source
/// M. A. Jaro, "Advances in record-linkage methodology as applied to matching the 1985 census of Tampa, Florida", JASA 84,
/// 1989; A. P. Dempster, N. M. Laird, D. B. Rubin, 1977.
pub fn fit(
    counts: &[(Pattern, f64)],
    start: Parameters,
    held: Held,
    most_iterations: usize,
) -> Fitted {
    let mut parameters = start;
    let mut iterations = 0;
    let mut converged = false;
    while iterations < most_iterations && !converged {
        let next = parameters.improved(counts, held);
        converged = next.change(&parameters) <= SETTLED;
        parameters = next;
        iterations += 1;
    }
    Fitted {
        loglik: parameters.loglik(counts),
        parameters,
        iterations,
        converged,
    }
}

/// Whether attributes agree independently of each other over all pairs: then one class explains the counts as well as two. Judged
/// by what the log-likelihood of the counts themselves gains over independence: less than 1e-12 a pair.
pub fn is_of_rank_one(counts: &[(Pattern, f64)]) -> bool {
    let width = 32
        - counts
            .iter()
            .fold(0, |bits, (p, _)| bits | p.agree | p.missing)
            .leading_zeros();
    let share = |k: usize| {
        let there = counts.iter().filter(|(pattern, _)| pattern.of(k).is_some());
        let all: f64 = there.clone().map(|&(_, pairs)| pairs).sum();
        let agree = there.filter(|(pattern, _)| pattern.of(k) == Some(true));
        agree.map(|&(_, pairs)| pairs).sum::<f64>() / all.max(1.0)
    };
    let shares: Vec<f64> = (0..width as usize).map(share).collect();
    let independent = Parameters {
        m: shares.clone(),
        u: shares,
        prior: 0.5,
    };
    let (mut gain, mut all) = (0.0, 0.0);
    for of_missing in counts.chunk_by(|a, b| a.0.missing == b.0.missing) {
        let total: f64 = of_missing.iter().map(|&(_, pairs)| pairs).sum();
        for &(pattern, pairs) in of_missing {
            let [expected, _] = independent.of_pattern(pattern);
            gain += pairs * (pairs / total / expected).ln();
        }
        all += total;
    }
    gain <= 1e-12 * all
}

#[cfg(test)]
mod tests {
    use super::*;

    const FREE: Held = Held {
        m: 0,
        u: false,
        prior: false,
    };

    /// The counts that a model expects among so many pairs.
    fn expected(model: &Parameters, pairs: f64) -> Vec<(Pattern, f64)> {
        (0..1 << model.m.len())
            .map(|agree| {
                let pattern = Pattern { missing: 0, agree };
                let [m, u] = model.of_pattern(pattern);
                (pattern, pairs * (model.prior * m + (1.0 - model.prior) * u))
            })
            .collect()
    }

    #[test]
    fn finds_the_model_that_made_the_counts() {
        let model = Parameters {
            m: vec![0.95, 0.8, 0.9, 0.7],
            u: vec![0.02, 0.2, 0.1, 0.05],
            prior: 0.01,
        };
        let start = Parameters {
            m: vec![0.9; 4],
            u: vec![0.1; 4],
            prior: 0.001,
        };
        let fit = fit(&expected(&model, 1e14), start, FREE, 100_000);
        assert!(fit.converged);
        let found = fit.parameters;
        for k in 0..4 {
            assert!((found.m[k] - model.m[k]).abs() < 1e-5, "{found:?}");
            assert!((found.u[k] - model.u[k]).abs() < 1e-5, "{found:?}");
        }
        assert!((found.prior - model.prior).abs() < 1e-6, "{found:?}");
    }

    /// By hand: independent attributes with shares 1/2 and 1/4 in 8 pairs are 3, 3, 1, 1.
    #[test]
    fn independence_is_seen() {
        let table = |counts: [f64; 4]| -> Vec<(Pattern, f64)> {
            let patterns = (0..).map(|agree| Pattern { missing: 0, agree });
            let all = patterns.zip(counts);
            all.filter(|&(_, count)| count > 0.0).collect()
        };
        assert!(is_of_rank_one(&table([3.0, 3.0, 1.0, 1.0])));
        assert!(!is_of_rank_one(&table([3.0, 2.0, 1.0, 2.0])));
        assert!(!is_of_rank_one(&table([4.0, 0.0, 0.0, 4.0])));
    }
}
