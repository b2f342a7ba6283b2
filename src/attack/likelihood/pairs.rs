//! Laws under which every pair is possible to some degree: likelihoods pair by pair.

use rayon::prelude::*;

use crate::attack::{Direction, Lists, Scenario, posterior};

/// What is left out of the posterior of a seeker, at most.
const LEFT_OUT: f64 = 1e-9;

/// Pairs up to which how often a masked record is met is summed over the intruder's records.
const MAX_PAIRS: usize = 1 << 29;

/// The law of a masking, for pairs of one of the intruder's records and a released one.
pub(super) trait PairLaw: std::fmt::Debug + Sync {
    /// ln P(released | intruder's), up to a constant; −∞ where the pair is impossible.
    fn log_likelihood(&self, intruder: usize, released: usize) -> f64;

    /// ln P(released) over people of whom nothing is known, up to the same constant, of the attributes that the intruder
    /// has of this record.
    fn log_background(&self, intruder: usize, released: usize) -> f64;

    /// Whether the intruder has all attributes of this record.
    fn is_complete(&self, intruder: usize) -> bool;

    /// What must be said of results by it on these files, each a sentence without full stop.
    fn caveats(&self) -> Vec<String> {
        Vec::new()
    }
}

/// The likelihood of each pair, and what is likely among all.
///
/// ```text
/// an original record x seeks:  cost(y) = −ln P(y | x) + ln f(y)
/// a masked record y seeks:     cost(x) = −ln P(y | x);  what x misses counts P of the release
/// f(y) = (Σ_i P(y | x_i) + (n − h) P(y)) / n     over the h complete records x_i that the intruder holds, of n released
/// ```
///
/// Without f, whoever looks for their masked record would prefer values where many are: of two masked records that are equally
/// likely to come from x, the one that hardly anybody else can have become is theirs. (Both sides of Bayes' rule:
/// P(y is the one | x) is in proportion to P(y | x)/f(y); for what is stated of a link, x's own part of f(y) is left out, which is no evidence against it:
/// [`posterior::of_best_among_others`].) The n − h people whom the intruder does not know are taken to be like the release.
///
/// # Candidates
/// All whose likelihood is at least 10⁻⁹/n of the best one's: the others have less than 10⁻⁹ of the posterior in sum. Of laws by which
/// some pairs are impossible, all others ([`Pairs::complete`]).
///
/// # Complexity
/// O(seekers · sought) in time, O(seekers + sought) memory. Beyond 2²⁹ pairs f is taken from the release alone.
#[derive(Debug)]
pub(super) struct Pairs<L> {
    law: L,
    direction: Direction,
    n_intruder: usize,
    n_released: usize,
    /// One of the intruder's records that has all attributes, if there is any.
    complete: Option<usize>,
    /// ln f of each released record, for seekers with all attributes.
    log_marginal: Option<Vec<f64>>,
    margin: f64,
}

impl<L: PairLaw> Pairs<L> {
    pub(super) fn new(scenario: &Scenario<'_>, law: L) -> Self {
        let (n_intruder, n_released) =
            (scenario.intruder.n_records(), scenario.released.n_records());
        let complete: Vec<usize> = (0..n_intruder).filter(|&i| law.is_complete(i)).collect();
        let few = n_intruder.saturating_mul(n_released) <= MAX_PAIRS;
        let seeks = scenario.direction == Direction::OriginalToMasked;
        let log_marginal = (few && seeks && !complete.is_empty()).then(|| {
            let unknown = n_released.saturating_sub(complete.len()) as f64;
            let marginal = |released| {
                let mut terms: Vec<f64> = complete
                    .iter()
                    .map(|&intruder| law.log_likelihood(intruder, released))
                    .collect();
                if unknown > 0.0 {
                    terms.push(law.log_background(complete[0], released) + unknown.ln());
                }
                log_sum(&terms) - (n_released.max(1) as f64).ln()
            };
            (0..n_released).into_par_iter().map(marginal).collect()
        });
        let n_sought = scenario.sought().n_records();
        Self {
            law,
            direction: scenario.direction,
            n_intruder,
            n_released,
            complete: complete.first().copied(),
            log_marginal,
            margin: (n_sought.max(1) as f64).ln() - LEFT_OUT.ln(),
        }
    }

    /// The same with lists of all who are possible, however unlikely.
    pub(super) fn complete(scenario: &Scenario<'_>, law: L) -> Self {
        Self {
            margin: f64::INFINITY,
            ..Self::new(scenario, law)
        }
    }

    /// The cost of a pair.
    fn cost(&self, seeker: usize, sought: usize) -> f64 {
        match self.direction {
            // What the intruder misses is as likely as for anybody: it counts what the release has there.
            Direction::MaskedToOriginal => {
                if self.law.is_complete(sought) {
                    -self.law.log_likelihood(sought, seeker)
                } else {
                    let whole = match self.complete {
                        Some(complete) => self.law.log_background(complete, seeker),
                        None => 0.0,
                    };
                    self.law.log_background(sought, seeker)
                        - whole
                        - self.law.log_likelihood(sought, seeker)
                }
            }
            Direction::OriginalToMasked => {
                let likelihood = self.law.log_likelihood(seeker, sought);
                if likelihood == f64::NEG_INFINITY {
                    return f64::INFINITY;
                }
                let marginal = match &self.log_marginal {
                    Some(of) if self.law.is_complete(seeker) => of[sought],
                    _ => self.law.log_background(seeker, sought),
                };
                marginal - likelihood
            }
        }
    }
}

/// ln Σ exp of the terms.
pub(super) fn log_sum(terms: &[f64]) -> f64 {
    let most = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if most == f64::NEG_INFINITY {
        return most;
    }
    let sum = terms
        .iter()
        .fold(0.0, |sum, term| sum + (term - most).exp());
    most + sum.ln()
}

impl<L: PairLaw> Lists for Pairs<L> {
    fn n_seekers(&self) -> usize {
        match self.direction {
            Direction::OriginalToMasked => self.n_intruder,
            Direction::MaskedToOriginal => self.n_released,
        }
    }

    fn n_sought(&self) -> usize {
        match self.direction {
            Direction::OriginalToMasked => self.n_released,
            Direction::MaskedToOriginal => self.n_intruder,
        }
    }

    fn list(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        list.clear();
        let mut least = f64::INFINITY;
        for (sought, record) in (0..self.n_sought()).zip(0_u32..) {
            let cost = self.cost(seeker, sought);
            // Nothing is within an infinite margin of nothing.
            if cost < f64::INFINITY && cost <= least + self.margin {
                least = least.min(cost);
                list.push((record, cost));
            }
        }
        list.retain(|&(_, cost)| cost <= least + self.margin);
    }

    fn is_likelihood(&self) -> bool {
        true
    }

    fn stated(&self, seeker: usize, list: &[(u32, f64)]) -> f64 {
        if self.log_marginal.is_some() && self.law.is_complete(seeker) {
            posterior::of_best_among_others(list, self.n_released)
        } else {
            posterior::of_best(list, self.no_partner(seeker))
        }
    }

    fn caveats(&self) -> Vec<String> {
        self.law.caveats()
    }
}
