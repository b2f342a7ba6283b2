//! Laws under which every pair is possible to some degree: likelihoods pair by pair.

use rayon::prelude::*;

use super::displacement::to_grid;
use crate::attack::{Direction, Lists, Scenario, posterior};

/// What is left out of the posterior of a seeker, at most.
const LEFT_OUT: f64 = 1e-9;

/// Pairs up to which how often a masked record is met is summed over the intruder's records.
const MAX_PAIRS: usize = 1 << 29;

/// The law of a masking, for pairs of one of the intruder's records and a released one.
pub(super) trait PairLaw: std::fmt::Debug + Sync {
    /// ln P(released | intruder's), up to a constant; −∞ where the pair is impossible.
    fn log_likelihood(&self, intruder: usize, released: usize) -> f64;

    /// [`log_likelihood`](Self::log_likelihood) of a seeker and each of some sought records, put into `logs`, which it clears first.
    fn log_likelihoods(
        &self,
        seeker: usize,
        sought: &[u32],
        direction: Direction,
        logs: &mut Vec<f64>,
    ) {
        logs.clear();
        let log = |&sought: &u32| {
            let (intruder, released) = direction.turned(seeker, sought as usize);
            self.log_likelihood(intruder, released)
        };
        logs.extend(sought.iter().map(log));
    }

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
/// some pairs are impossible, all others ([`Pairs::with_all`]).
///
/// # Ties
/// Equal costs. Those of complete lists are rounded to multiples of 2⁻³⁶, so that what is equally likely by the formula ties.
///
/// # Complexity
/// O(seekers · sought) in time, O(seekers + sought) memory. Beyond 2²⁹ pairs f is taken from the release alone, unless it was worked out without
/// them ([`Pairs::with_marginal`]).
#[derive(Debug)]
pub(super) struct Pairs<L> {
    pub(super) law: L,
    pub(super) direction: Direction,
    n_intruder: usize,
    n_released: usize,
    /// One of the intruder's records that has all attributes, if there is any.
    complete: Option<usize>,
    /// ln f of each released record, for seekers with all attributes; −∞ of one that nobody can have become.
    pub(super) log_marginal: Option<Vec<f64>>,
    margin: f64,
}

impl<L: PairLaw> Pairs<L> {
    pub(super) fn new(scenario: &Scenario<'_>, law: L) -> Self {
        let (n_intruder, n_released) =
            (scenario.intruder.n_records(), scenario.released.n_records());
        let records = (0..).take(n_intruder);
        let complete: Vec<u32> = records.filter(|&of| law.is_complete(of as usize)).collect();
        let first = complete.first().map(|&of| of as usize);
        let few = n_intruder.saturating_mul(n_released) <= MAX_PAIRS;
        let seeks = scenario.direction == Direction::OriginalToMasked;
        let log_marginal = first.filter(|_| few && seeks).map(|first| {
            let unknown = (n_released - complete.len().min(n_released)) as f64;
            let marginal = |released: usize| {
                let mut terms = Vec::new();
                law.log_likelihoods(released, &complete, Direction::MaskedToOriginal, &mut terms);
                if unknown > 0.0 {
                    terms.push(law.log_background(first, released) + unknown.ln());
                }
                log_sum(&terms) - (n_released.max(1) as f64).ln()
            };
            (0..n_released).into_par_iter().map(marginal).collect()
        });
        Self::with_marginal(scenario, law, first, log_marginal)
    }

    /// The same with lists of all who are possible, however unlikely.
    pub(super) fn with_all(self) -> Self {
        Self {
            margin: f64::INFINITY,
            ..self
        }
    }

    /// The same law for whoever has worked f out: ln f of each released record, and one of the intruder's records that has all attributes.
    pub(super) fn with_marginal(
        scenario: &Scenario<'_>,
        law: L,
        complete: Option<usize>,
        log_marginal: Option<Vec<f64>>,
    ) -> Self {
        let n_sought = scenario.sought().n_records();
        Self {
            law,
            direction: scenario.direction,
            n_intruder: scenario.intruder.n_records(),
            n_released: scenario.released.n_records(),
            complete,
            log_marginal,
            margin: (n_sought.max(1) as f64).ln() - LEFT_OUT.ln(),
        }
    }

    /// The cost of a pair, of which this is the logarithm of the likelihood.
    pub(super) fn cost(&self, seeker: usize, sought: usize, likelihood: f64) -> f64 {
        let cost = match self.direction {
            // What the intruder misses is as likely as for anybody: it counts what the release has there.
            Direction::MaskedToOriginal => {
                if self.law.is_complete(sought) {
                    -likelihood
                } else {
                    let whole = match self.complete {
                        Some(complete) => self.law.log_background(complete, seeker),
                        None => 0.0,
                    };
                    self.law.log_background(sought, seeker) - whole - likelihood
                }
            }
            Direction::OriginalToMasked => {
                if likelihood == f64::NEG_INFINITY {
                    return f64::INFINITY;
                }
                let marginal = match &self.log_marginal {
                    Some(of) if self.is_relative(seeker) => of[sought],
                    _ => self.law.log_background(seeker, sought),
                };
                marginal - likelihood
            }
        };
        if self.margin == f64::INFINITY {
            to_grid(cost)
        } else {
            cost
        }
    }

    /// The cost of a pair.
    pub(super) fn cost_of(&self, seeker: usize, sought: usize) -> f64 {
        let (intruder, released) = self.direction.turned(seeker, sought);
        self.cost(seeker, sought, self.law.log_likelihood(intruder, released))
    }

    /// Puts the candidates of a seeker among some sought records into `list`, with their numbers and costs.
    pub(super) fn candidates(
        &self,
        list: &mut Vec<(u32, f64)>,
        costs: impl Iterator<Item = (u32, f64)>,
    ) {
        list.clear();
        let mut least = f64::INFINITY;
        for (number, cost) in costs {
            // Nothing is within an infinite margin of nothing.
            if cost < f64::INFINITY && cost <= least + self.margin {
                least = least.min(cost);
                list.push((number, cost));
            }
        }
        list.retain(|&(_, cost)| cost <= least + self.margin);
    }

    /// What is stated of the best of a list, of which each stands for so many records as `size` says; those who are not listed add `rest` to the
    /// weights.
    pub(super) fn stated_of(
        &self,
        seeker: usize,
        list: &[(u32, f64)],
        size: impl Fn(u32) -> f64,
        rest: f64,
    ) -> f64 {
        if self.is_relative(seeker) {
            posterior::of_best_among_others(list, size, rest, self.n_released)
        } else {
            posterior::of_best(list, size, rest)
        }
    }

    /// Whether the intruder has all attributes of somebody.
    pub(super) fn is_somebody_complete(&self) -> bool {
        self.complete.is_some()
    }

    /// Whether costs of a seeker are relative to f.
    pub(super) fn is_relative(&self, seeker: usize) -> bool {
        self.log_marginal.is_some() && self.law.is_complete(seeker)
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
        let cost = |(sought, record)| (record, self.cost_of(seeker, sought));
        self.candidates(list, (0..self.n_sought()).zip(0..).map(cost));
    }

    fn is_likelihood(&self) -> bool {
        true
    }

    fn stated(&self, seeker: usize, list: &[(u32, f64)]) -> f64 {
        self.stated_of(seeker, list, posterior::one, 0.0)
    }

    fn caveats(&self) -> Vec<String> {
        self.law.caveats()
    }
}
