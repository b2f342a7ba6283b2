//! Fitting the model of Fellegi and Sunter to pattern counts by expectation–maximisation.

use pulp::Arch;
use rayon::prelude::*;

use crate::agreement::Pattern;

/// Probabilities of agreement are kept this far from 0 and 1.
const NEAREST: f64 = 1e-6;

/// The parameters have converged when no m and u changes by more than this in an iteration, and the prior by no more of itself.
const SETTLED: f64 = 1e-8;

/// Patterns whose pairs are added up by one thread: their sums are then added in their order, whatever the number of threads.
const AT_ONCE: usize = if cfg!(test) { 8 } else { 1 << 12 };

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
        let of_patterns = |counts| Arch::new().dispatch(|| Expected::new(self, counts));
        let parts: Vec<Expected> = counts.par_chunks(AT_ONCE).map(of_patterns).collect();
        let nobody = Expected::new(self, &[]);
        let all = parts.iter().fold(nobody, Expected::joined);
        let shares = |side: usize, old: &[f64]| -> Vec<f64> {
            let share = |k: usize| {
                let is_held = side == 0 && held.m >> k & 1 == 1;
                if all.present[side][k] > 0.0 && !is_held {
                    kept(all.agreeing[side][k] / all.present[side][k])
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
            prior: if held.prior || all.pairs <= 0.0 {
                self.prior
            } else {
                // At least, and at most all but, a pair of them.
                let one = 1.0 / all.pairs.max(2.0);
                (all.matches / all.pairs).clamp(one, 1.0 - one)
            },
        }
    }
}

/// The most attributes of a [`Pattern`].
const MOST: usize = u32::BITS as usize;

/// What some pairs are expected to be: of what matches, then of what does not, for each attribute.
struct Expected {
    /// Pairs that agree.
    agreeing: [[f64; MOST]; 2],
    /// Pairs of which neither side misses it.
    present: [[f64; MOST]; 2],
    matches: f64,
    pairs: f64,
}

impl Expected {
    #[inline(always)]
    fn new(parameters: &Parameters, counts: &[(Pattern, f64)]) -> Self {
        let (m, u, prior) = (&parameters.m, &parameters.u, parameters.prior);
        // By whether the attribute agrees, and is missing.
        let factors = |(m, u): (&f64, &f64)| [[1.0 - m, 1.0 - u], [*m, *u], [1.0; 2], [1.0; 2]];
        let factors: Vec<[[f64; 2]; 4]> = m.iter().zip(u).map(factors).collect();
        let mut all = Self {
            agreeing: [[0.0; MOST]; 2],
            present: [[0.0; MOST]; 2],
            matches: 0.0,
            pairs: 0.0,
        };
        for &(Pattern { missing, agree }, count) in counts {
            let [mut matched, mut unmatched] = [1.0; 2];
            for (k, factors) in factors.iter().enumerate() {
                let [m, u] = factors[(missing >> k & 1) as usize * 2 + (agree >> k & 1) as usize];
                (matched, unmatched) = (matched * m, unmatched * u);
            }
            let [matched, unmatched] = [prior * matched, (1.0 - prior) * unmatched];
            let share = matched / (matched + unmatched);
            let expected = [share * count, (1.0 - share) * count];
            all.matches += expected[0];
            all.pairs += count;
            for (side, &expected) in expected.iter().enumerate() {
                let sums = all.agreeing[side].iter_mut().zip(&mut all.present[side]);
                // No branches, so that several attributes are added to in one step.
                for (k, (agreeing, present)) in sums.take(factors.len()).enumerate() {
                    let is = |bits: u32| f64::from(bits >> k & 1);
                    *agreeing += expected * is(agree & !missing);
                    *present += expected * is(!missing);
                }
            }
        }
        all
    }

    fn joined(mut self, other: &Self) -> Self {
        for side in 0..2 {
            for k in 0..MOST {
                self.agreeing[side][k] += other.agreeing[side][k];
                self.present[side][k] += other.present[side][k];
            }
        }
        self.matches += other.matches;
        self.pairs += other.pairs;
        self
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
/// O(patterns · attributes) an iteration, however many pairs there are; in parallel.
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

    /// An iteration is what a look at each pattern in turn comes to: with gaps, and as many attributes as there can be.
    #[test]
    fn an_iteration_adds_up_every_pattern() {
        for width in [1, 3, 13, MOST] {
            let number = |k: usize| ((k + 1) * 7919 % 101) as f64 / 103.0 + 0.005;
            let start = Parameters {
                m: (0..width).map(number).collect(),
                u: (0..width).map(|k| number(k + 40)).collect(),
                prior: 0.2,
            };
            let within = u32::MAX >> (32 - width);
            let pattern = |at: u32| {
                let missing = at.wrapping_mul(0x9E37_79B9) & at.wrapping_mul(0x85EB_CA6B) & within;
                let agree = at.wrapping_mul(0xC2B2_AE35) & within & !missing;
                (Pattern { missing, agree }, f64::from(1 + at % 97))
            };
            let counts: Vec<(Pattern, f64)> = (0..100).map(pattern).collect();
            let next = start.improved(&counts, FREE);
            let share = |pattern| {
                let [m, u] = start.of_pattern(pattern);
                start.prior * m / (start.prior * m + (1.0 - start.prior) * u)
            };
            let sum = |of: &dyn Fn(Pattern) -> f64| -> f64 {
                counts
                    .iter()
                    .map(|&(pattern, pairs)| pairs * of(pattern))
                    .sum()
            };
            let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{width}: {a} and {b}");
            near(next.prior, sum(&share) / sum(&|_| 1.0));
            for k in 0..width {
                let of_class = |in_class: &dyn Fn(f64) -> f64| {
                    let agree =
                        sum(&|p| f64::from(u8::from(p.of(k) == Some(true))) * in_class(share(p)));
                    let there =
                        sum(&|p| f64::from(u8::from(p.of(k).is_some())) * in_class(share(p)));
                    kept(agree / there)
                };
                near(next.m[k], of_class(&|share| share));
                near(next.u[k], of_class(&|share| 1.0 - share));
            }
        }
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
