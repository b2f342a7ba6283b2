//! Laws under which every pair is possible to some degree: likelihoods pair by pair.

use rayon::prelude::*;

use crate::{
    attack::{ByKinds, Direction, Kinds, Lists, Scenario, posterior},
    table::matrix::Matrix,
};

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
/// some pairs are impossible, all others ([`Pairs::complete`]).
///
/// # Ties
/// Equal costs. Those of complete lists are rounded to multiples of 2⁻³⁶, so that what is equally likely by the formula ties.
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

/// The likelihoods of complete lists under a law to which equal records are the same: of pairs of different records, which are gone through in
/// the order of their values.
///
/// # Complexity
/// O(different seekers · different sought records).
#[derive(Debug)]
pub(super) struct PairsOfKinds<L> {
    /// Of one record of each kind.
    pairs: Pairs<L>,
    /// The kind of each seeker.
    seekers: Vec<u32>,
    /// The sought records.
    kinds: Kinds,
}

impl<L: PairLaw> Pairs<L> {
    pub(super) fn new(scenario: &Scenario<'_>, law: L) -> Self {
        let records = |file: &Matrix| (0..).take(file.n_records());
        let intruder = records(scenario.intruder)
            .map(|record| (record, 1.0))
            .collect();
        let released = records(scenario.released).collect();
        Self::of_different(scenario, law, (intruder, released))
    }

    /// The same with lists of all who are possible, however unlikely.
    pub(super) fn complete(scenario: &Scenario<'_>, law: L) -> Self {
        Self {
            margin: f64::INFINITY,
            ..Self::new(scenario, law)
        }
    }

    /// Of the intruder's records that differ, each with how many it stands for, and of the released ones that do.
    fn of_different(
        scenario: &Scenario<'_>,
        law: L,
        (intruder, released): (Vec<(u32, f64)>, Vec<u32>),
    ) -> Self {
        let (n_intruder, n_released) =
            (scenario.intruder.n_records(), scenario.released.n_records());
        let complete = intruder.iter().filter(|of| law.is_complete(of.0 as usize));
        let complete: Vec<(u32, f64)> = complete.copied().collect();
        let few = intruder.len().saturating_mul(released.len()) <= MAX_PAIRS;
        let seeks = scenario.direction == Direction::OriginalToMasked;
        let log_marginal = (few && seeks && !complete.is_empty()).then(|| {
            let held: f64 = complete.iter().map(|of| of.1).sum();
            let unknown = (n_released as f64 - held).max(0.0);
            let records: Vec<u32> = complete.iter().map(|of| of.0).collect();
            let log_sizes: Vec<f64> = complete.iter().map(|of| of.1.ln()).collect();
            let marginal = |released: &u32| {
                let (released, mut terms) = (*released as usize, Vec::new());
                law.log_likelihoods(released, &records, Direction::MaskedToOriginal, &mut terms);
                for (term, log_size) in terms.iter_mut().zip(&log_sizes) {
                    *term += log_size;
                }
                if unknown > 0.0 {
                    terms.push(law.log_background(complete[0].0 as usize, released) + unknown.ln());
                }
                log_sum(&terms) - (n_released.max(1) as f64).ln()
            };
            released.par_iter().map(marginal).collect()
        });
        let n_sought = scenario.sought().n_records();
        Self {
            law,
            direction: scenario.direction,
            n_intruder,
            n_released,
            complete: complete.first().map(|of| of.0 as usize),
            log_marginal,
            margin: (n_sought.max(1) as f64).ln() - LEFT_OUT.ln(),
        }
    }

    /// The cost of a pair, of which this is the logarithm of the likelihood.
    fn cost(&self, seeker: usize, sought: usize, likelihood: f64) -> f64 {
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
                    Some(of) if self.law.is_complete(seeker) => of[sought],
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

    /// Puts the candidates of a seeker among some sought records into `list`, with their numbers and costs.
    fn candidates(&self, list: &mut Vec<(u32, f64)>, costs: impl Iterator<Item = (u32, f64)>) {
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

    /// What is stated of the best of a list, of which each stands for so many records as `size` says.
    fn stated_of(&self, seeker: usize, list: &[(u32, f64)], size: impl Fn(u32) -> f64) -> f64 {
        if self.log_marginal.is_some() && self.law.is_complete(seeker) {
            posterior::of_best_among_others(list, size, self.n_released)
        } else {
            posterior::of_best(list, size, self.no_partner(seeker))
        }
    }
}

impl<L: PairLaw> PairsOfKinds<L> {
    /// `law` gives the law of these of the intruder's records and these released ones, one of each kind.
    pub(super) fn new(scenario: &Scenario<'_>, law: impl FnOnce([&[u32]; 2]) -> L) -> Self {
        let files = [scenario.intruder, scenario.released].map(Kinds::of);
        let first_of = |kinds: &Kinds| -> Vec<u32> {
            let groups = kinds.records.groups();
            groups.map(|records| records[0]).collect()
        };
        let firsts = files.each_ref().map(first_of);
        let law = law(firsts.each_ref().map(Vec::as_slice));
        let [intruder, released] = &files;
        let sizes = (0..).zip(intruder.sizes.iter().map(|&size| f64::from(size)));
        let different = (sizes.collect(), (0..).take(released.sizes.len()).collect());
        let pairs = Pairs {
            margin: f64::INFINITY,
            ..Pairs::of_different(scenario, law, different)
        };
        let [intruder, released] = files;
        let (seekers, kinds) = scenario.direction.turned(intruder, released);
        Self {
            pairs,
            seekers: seekers.of,
            kinds,
        }
    }

    /// The cost of each kind.
    fn costs(&self, seeker: usize) -> Vec<f64> {
        let (pairs, seeker) = (&self.pairs, self.seekers[seeker] as usize);
        let kinds: Vec<u32> = (0..).take(self.kinds.sizes.len()).collect();
        let mut costs = Vec::new();
        (pairs.law).log_likelihoods(seeker, &kinds, pairs.direction, &mut costs);
        for (kind, cost) in costs.iter_mut().enumerate() {
            *cost = pairs.cost(seeker, kind, *cost);
        }
        costs
    }
}

impl<L: PairLaw> ByKinds for PairsOfKinds<L> {
    fn list(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        self.pairs.candidates(list, (0..).zip(self.costs(seeker)));
    }

    fn stated(&self, seeker: usize, list: &[(u32, f64)]) -> f64 {
        let size = |kind: u32| f64::from(self.kinds.sizes[kind as usize]);
        let seeker = self.seekers[seeker] as usize;
        self.pairs.stated_of(seeker, list, size)
    }
}

impl<L: PairLaw> Lists for PairsOfKinds<L> {
    fn n_seekers(&self) -> usize {
        self.seekers.len()
    }

    fn n_sought(&self) -> usize {
        self.kinds.of.len()
    }

    fn list(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        let costs = self.costs(seeker);
        let kinds = (0..).zip(&self.kinds.of);
        let of_records = kinds.map(|(record, &kind)| (record, costs[kind as usize]));
        self.pairs.candidates(list, of_records);
    }

    fn by_kinds(&self) -> Option<(&Kinds, &dyn ByKinds)> {
        Some((&self.kinds, self))
    }

    fn is_likelihood(&self) -> bool {
        true
    }

    fn stated(&self, seeker: usize, list: &[(u32, f64)]) -> f64 {
        self.pairs.stated(self.seekers[seeker] as usize, list)
    }

    fn caveats(&self) -> Vec<String> {
        self.pairs.caveats()
    }
}

/// The nearest multiple of 2⁻³⁶. Pairs that are equally likely by the formula can be so by sums of different terms, which differ in the last
/// digit.
fn to_grid(cost: f64) -> f64 {
    const GRID: f64 = (1_u64 << 36) as f64;
    (cost * GRID).round() / GRID
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
        let cost = |(sought, record): (usize, u32)| {
            let (intruder, released) = self.direction.turned(seeker, sought);
            let likelihood = self.law.log_likelihood(intruder, released);
            (record, self.cost(seeker, sought, likelihood))
        };
        self.candidates(list, (0..self.n_sought()).zip(0..).map(cost));
    }

    fn is_likelihood(&self) -> bool {
        true
    }

    fn stated(&self, seeker: usize, list: &[(u32, f64)]) -> f64 {
        self.stated_of(seeker, list, posterior::one)
    }

    fn caveats(&self) -> Vec<String> {
        self.law.caveats()
    }
}
