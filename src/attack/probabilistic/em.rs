//! Fitting the model of Fellegi and Sunter to pattern counts by expectation–maximisation.

use crate::agreement::Pattern;

/// Probabilities of agreement are kept this far from 0 and 1.
const NEAREST: f64 = 1e-6;

/// The parameters have converged when none changes by more than this in an iteration.
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
    /// Whether the last one changed no parameter by more than 1e-8.
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

    /// The greatest difference of two parameters.
    fn change(&self, other: &Self) -> f64 {
        let pairs = self
            .m
            .iter()
            .zip(&other.m)
            .chain(self.u.iter().zip(&other.u));
        pairs
            .map(|(a, b)| (a - b).abs())
            .fold((self.prior - other.prior).abs(), f64::max)
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
            let share = |k: usize| match present[k][side] > 0.0 {
                true => kept(agreeing[k][side] / present[k][side]),
                false => old[k],
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
            prior: match held.prior || pairs <= 0.0 {
                true => self.prior,
                // At least, and at most all but, a pair of them.
                false => (matches / pairs).clamp(1.0 / pairs.max(2.0), 1.0 - 1.0 / pairs.max(2.0)),
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
