//! Laws to which equal records are the same, and which are products over attributes: of surveys, whose records have few categories.

use std::{borrow::Cow, cmp::Ordering};

use super::{
    pairs::{PairLaw, Pairs, log_sum},
    products::{Coded, LogFactors, Plan, Products, Sums, Weight},
};
use crate::{
    attack::{
        Direction, Kinds, LinkOf, Lists, Scenario, StatedOfParts, Summary, Summed, SummedOfSample,
        posterior,
    },
    distance::nearest::Link,
    table::matrix::{Matrix, equal_records::by_cell},
};

/// A law whose likelihoods are products of what attributes contribute, each of which depends on what is [`Seen`] of both records alone.
pub(super) trait FactoredLaw: PairLaw {
    /// ln of what an attribute contributes to the likelihood of a seeker and each of some sought records, put into `logs`, which it clears first. Added
    /// up from 0 in the order of the attributes, these are [`log_likelihoods`](PairLaw::log_likelihoods) to the last bit.
    fn log_factors(
        &self,
        attribute: usize,
        seeker: usize,
        sought: &[u32],
        direction: Direction,
        logs: &mut Vec<f64>,
    );

    /// Whether one of the intruder's records has an attribute.
    fn has(&self, intruder: usize, attribute: usize) -> bool;

    /// ln of how often what a released record has of an attribute is met in the release; 0 where it has nothing.
    fn log_share(&self, attribute: usize, released: usize) -> f64;
}

/// What a law sees of the records of a file.
#[derive(Debug)]
pub(super) struct Seen<'a> {
    file: Cow<'a, Matrix>,
    /// The columns on which the factor of each attribute depends.
    columns: Vec<Vec<usize>>,
}

impl<'a> Seen<'a> {
    /// The attributes of a file, each by itself.
    pub(super) fn new(file: &'a Matrix) -> Self {
        Self {
            file: Cow::Borrowed(file),
            columns: (0..file.n_attributes()).map(|k| vec![k]).collect(),
        }
    }

    /// The same with something else on which the factor of an attribute depends.
    pub(super) fn beside(mut self, attribute: usize, column: &[Option<f64>]) -> Self {
        let width = self.file.n_attributes();
        // Several attributes can depend on the same.
        let is_same = |of: &usize| self.file.column(*of).eq(column.iter().copied());
        let added = (self.columns.len()..width).find(is_same);
        if added.is_none() {
            self.file = Cow::Owned(self.file.with_column(column));
        }
        self.columns[attribute].push(added.unwrap_or(width));
        self
    }

    /// These records by codes of what the factors of attributes depend on.
    fn coded(&self, records: &[u32]) -> Coded {
        let cell =
            |column: usize, place: u32| self.file.value(records[place as usize] as usize, column);
        Coded::new(records.len(), self.columns.len(), |attribute, a, b| {
            let columns = self.columns[attribute].iter();
            let mut orders = columns.map(|&column| by_cell(cell(column, a), cell(column, b)));
            orders
                .find(|order| order.is_ne())
                .unwrap_or(Ordering::Equal)
        })
    }
}

/// The likelihoods of complete lists, of pairs of different records, which are gone through in the order of their values.
///
/// # Complexity
/// f of all records, and what becomes of seekers whose lists nobody wants: [`Products`]. A list: O(different sought records · attributes); what is
/// added to pairs of another law: O(pairs · attributes), and no more than a list.
#[derive(Debug)]
pub(super) struct PairsOfKinds<L> {
    /// Of one record of each kind.
    pairs: Pairs<L>,
    /// The seekers, and the sought records.
    seekers: Kinds,
    pub(super) kinds: Kinds,
    /// The kinds of seekers, and the sought ones.
    coded: [Coded; 2],
    pub(super) plan: Plan,
}

/// Candidates of at least this r are looked at one by one. Of the others, `Σ r / (1 − r)` is the sum of the first [`POWERS`] of r: what the higher
/// ones add is less than 10⁻¹² of it.
const SMALL: f64 = 1.0 / 64.0;

/// How many powers of r are summed.
const POWERS: usize = 7;

/// Two ways to work out the same cost differ by less than this.
const SLACK: f64 = 1e-9;

/// Where a sum is within, no term that matters has become 0 or infinite. A seeker of whom it is not is given a list.
const SAFE: std::ops::RangeInclusive<f64> = 1e-280..=1e280;

impl<L: FactoredLaw> PairsOfKinds<L> {
    /// `files` are what the law sees of the intruder's records and of the released ones; `law` gives the law of these of them, one of each kind.
    pub(super) fn new(
        scenario: &Scenario<'_>,
        files: &[Seen<'_>; 2],
        law: impl FnOnce([&[u32]; 2]) -> L,
    ) -> Self {
        let kinds = files.each_ref().map(|seen| Kinds::of(&seen.file));
        let firsts = kinds.each_ref().map(|kinds| -> Vec<u32> {
            let groups = kinds.records.groups();
            groups.map(|records| records[0]).collect()
        });
        let law = law(firsts.each_ref().map(Vec::as_slice));
        let coded = [0, 1].map(|side| files[side].coded(&firsts[side]));
        let plan = Plan::new(coded.each_ref());
        let n_kinds = (0..).take(firsts[0].len());
        let complete: Vec<u32> = n_kinds
            .filter(|&kind| law.is_complete(kind as usize))
            .collect();
        let first = complete.first().map(|&kind| kind as usize);
        let seeks = scenario.direction == Direction::OriginalToMasked;
        let log_marginal = first.filter(|_| seeks).map(|_| {
            log_marginal(
                &law,
                (&coded, &plan),
                &complete,
                &kinds,
                scenario.released.n_records(),
            )
        });
        let pairs = Pairs::with_marginal(scenario, law, first, log_marginal).with_all();
        let [intruder, released] = kinds;
        let (seekers, kinds) = scenario.direction.turned(intruder, released);
        let [intruder, released] = coded;
        let coded = scenario.direction.turned(intruder, released);
        Self {
            pairs,
            seekers,
            kinds,
            coded: coded.into(),
            plan,
        }
    }

    /// What a seeker of a kind pays for each of these kinds.
    fn costs(&self, seeker: usize, sought: &[u32]) -> Vec<f64> {
        // Of a few records, the codes of an attribute are more than what they have.
        let (pairs, [_, of_sought]) = (&self.pairs, &self.coded);
        let (law, direction) = (&pairs.law, pairs.direction);
        let mut costs = if of_sought.is_shorter_than(sought.len()) {
            of_sought.sums(sought, |attribute, firsts, logs| {
                law.log_factors(attribute, seeker, firsts, direction, logs);
            })
        } else {
            let mut logs = Vec::new();
            law.log_likelihoods(seeker, sought, direction, &mut logs);
            logs
        };
        for (cost, &kind) in costs.iter_mut().zip(sought) {
            *cost = pairs.cost(seeker, kind as usize, *cost);
        }
        costs
    }

    fn kinds_sought(&self) -> Vec<u32> {
        (0..).take(self.kinds.sizes.len()).collect()
    }

    /// ln f of a sought kind for seekers whose costs are relative to it; 0 for others.
    fn log_f(&self, sought: usize, is_relative: bool) -> f64 {
        let log_marginal = self.pairs.log_marginal.as_ref();
        let of = log_marginal.filter(|_| is_relative);
        of.map_or(0.0, |of| of[sought])
    }

    fn size(&self, kind: u32) -> f64 {
        f64::from(self.kinds.sizes[kind as usize])
    }

    /// ln of what an attribute adds to `exp(−cost)` beside the likelihood and f, of seekers whose costs are relative to f, or are not.
    fn log_background(
        &self,
        attribute: usize,
        (intruder, released): (u32, u32),
        is_relative: bool,
    ) -> f64 {
        let law = &self.pairs.law;
        let share = || law.log_share(attribute, released as usize);
        match (self.pairs.direction, law.has(intruder as usize, attribute)) {
            (Direction::OriginalToMasked, true) if !is_relative => -share(),
            // Where the intruder's record has a gap, the share of the released value is its factor. If all of the intruder's records have gaps, the factors of
            // values that are there are divided by the shares instead.
            (Direction::MaskedToOriginal, false) if self.pairs.is_somebody_complete() => share(),
            (Direction::MaskedToOriginal, true) if !self.pairs.is_somebody_complete() => -share(),
            _ => 0.0,
        }
    }

    /// ln of what an attribute contributes to `exp(−cost)` but for f, of a record and each of those for which it looks in this direction.
    fn log_factors(
        &self,
        (direction, is_relative): (Direction, bool),
        attribute: usize,
        (own, others): (u32, &[u32]),
        logs: &mut Vec<f64>,
    ) {
        (self.pairs.law).log_factors(attribute, own as usize, others, direction, logs);
        for (log, &other) in logs.iter_mut().zip(others) {
            *log += self.log_background(attribute, direction.turned(own, other), is_relative);
        }
    }

    /// Shows each seeker of these kinds with what all sought records come to. Costs of these seekers are relative to f, or are not. Summed is
    /// `exp(−cost)` times a number of which `log` is the logarithm.
    fn each<const POWERS: usize, T: Send>(
        &self,
        (seekers, is_relative): (Vec<u32>, bool),
        log: impl Fn(u32) -> f64,
        of_seeker: impl Fn(u32, Sums<'_, POWERS>) -> T + Sync,
    ) -> Vec<(u32, T)> {
        let looks = (self.pairs.direction, is_relative);
        let log_factors = |attribute: usize, seeker: u32, sought: &[u32], logs: &mut Vec<f64>| {
            self.log_factors(looks, attribute, (seeker, sought), logs);
        };
        let [of_seekers, of_sought] = &self.coded;
        let sides = [(of_seekers, seekers), (of_sought, self.kinds_sought())];
        let products = Products::new(&self.plan, sides, &log_factors);
        let weight = |kind: u32| {
            let log_f = self.log_f(kind as usize, is_relative);
            let is_nobody = log_f == f64::NEG_INFINITY;
            let [weight, summed] = if is_nobody {
                [f64::NEG_INFINITY; 2]
            } else {
                [-log_f, log(kind) - log_f]
            };
            Weight {
                log: weight,
                summed,
                size: self.kinds.sizes[kind as usize],
            }
        };
        products.each(weight, of_seeker)
    }

    /// What the list of a seeker of a kind comes to.
    fn summary<const POWERS: usize>(
        &self,
        seeker: usize,
        sums: &Sums<'_, POWERS>,
        stated: impl Fn(&[(u32, f64)], f64) -> f64,
    ) -> Summary {
        let greatest = sums.greatest();
        if greatest == f64::NEG_INFINITY {
            return Summary::NOBODY;
        }
        let (mut likely, mut list, mut rest) = (Vec::new(), Vec::new(), 0.0);
        let in_all = sums.sums();
        if SAFE.contains(&in_all[0]) && in_all.iter().all(|sum| sum <= SAFE.end()) {
            let not_small = if POWERS > 1 {
                SMALL.ln()
            } else {
                f64::INFINITY
            };
            sums.likely([greatest - SLACK, not_small], &mut likely);
            let kinds = likely.iter().map(|of| of.0);
            list.extend(kinds.map(|kind| (kind, self.pairs.cost_of(seeker, kind as usize))));
            for (power, sum) in (1..).zip(in_all) {
                let own =
                    |&(kind, log): &(u32, f64)| self.size(kind) * (f64::from(power) * log).exp();
                rest += (sum - likely.iter().map(own).sum::<f64>()).max(0.0);
            }
        } else {
            let costs = (0..).zip(self.costs(seeker, &self.kinds_sought()));
            self.pairs.candidates(&mut list, costs);
        }
        let least = list.iter().fold(f64::INFINITY, |least, of| least.min(of.1));
        let tied = list.iter().filter(|of| of.1 <= least);
        Summary {
            least,
            tied: tied.map(|of| self.kinds.sizes[of.0 as usize]).sum(),
            candidates: u32::try_from(sums.possible()).unwrap_or(u32::MAX),
            stated: posterior::rounded(stated(&list, rest)),
        }
    }

    /// What the lists of seekers of these kinds come to, with each kind; `log` is that of [`each`](Self::each).
    fn summaries_of<const POWERS: usize>(
        &self,
        kinds: (Vec<u32>, bool),
        log: impl Fn(u32) -> f64,
        stated: impl Fn(usize, &[(u32, f64)], f64) -> f64 + Sync,
    ) -> Vec<(u32, Summary)> {
        self.each(kinds, log, |kind, sums: Sums<'_, POWERS>| {
            let kind = kind as usize;
            self.summary(kind, &sums, |list, rest| stated(kind, list, rest))
        })
    }

    /// The kinds of some seekers: those whose costs are relative to f, and the others.
    fn kinds_of(&self, seekers: impl Iterator<Item = usize>) -> [Vec<u32>; 2] {
        let mut kinds: Vec<u32> = seekers.map(|of| self.seekers.of[of]).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let is_relative = |&kind: &u32| self.pairs.is_relative(kind as usize);
        let (relative, others) = kinds.into_iter().partition(is_relative);
        [relative, others]
    }

    /// What was found of kinds, for each of some seekers.
    fn of_seekers(&self, seekers: &[usize], mut found: Vec<(u32, Summary)>) -> Vec<Summary> {
        found.sort_unstable_by_key(|of| of.0);
        let of_kind = |kind: u32| {
            let place = found.binary_search_by_key(&kind, |of| of.0);
            place.map_or(Summary::NOBODY, |place| found[place].1)
        };
        let of_seeker = |&seeker: &usize| of_kind(self.seekers.of[seeker]);
        seekers.iter().map(of_seeker).collect()
    }
}

/// ln Σ size · Π of factors, for each of these records over those others, of which each stands for as many as `size` says. `terms` puts the logarithms
/// of one record's into a list, in the order of the others: it is asked for those that do not fit into a number.
fn log_sums(
    plan: &Plan,
    [of, others]: [(&Coded, Vec<u32>); 2],
    size: impl Fn(u32) -> u32 + Sync,
    log_factors: &LogFactors<'_>,
    terms: impl Fn(u32, &[u32], &mut Vec<f64>) + Sync,
) -> Vec<f64> {
    let records = others.1.clone();
    let products = Products::new(plan, [of, others], log_factors);
    let weight = |record: u32| Weight {
        log: 0.0,
        summed: 0.0,
        size: size(record),
    };
    let mut found = products.each(weight, |own, sums: Sums<'_, 1>| {
        let [sum] = sums.sums();
        if SAFE.contains(&sum) || sums.possible() == 0 {
            return sum.ln();
        }
        let mut logs = Vec::new();
        terms(own, &records, &mut logs);
        for (log, &record) in logs.iter_mut().zip(&records) {
            *log += f64::from(size(record)).ln();
        }
        log_sum(&logs)
    });
    found.sort_unstable_by_key(|of| of.0);
    found.into_iter().map(|of| of.1).collect()
}

/// ln f of each kind of released records.
fn log_marginal<L: FactoredLaw>(
    law: &L,
    ([intruder, released], plan): (&[Coded; 2], &Plan),
    complete: &[u32],
    kinds: &[Kinds; 2],
    n_released: usize,
) -> Vec<f64> {
    let size = |kind: u32| kinds[0].sizes[kind as usize];
    let held: u64 = complete.iter().map(|&kind| u64::from(size(kind))).sum();
    let unknown = (n_released as f64 - held as f64).max(0.0);
    let direction = Direction::MaskedToOriginal;
    let log_factors = |attribute: usize, released: u32, sought: &[u32], logs: &mut Vec<f64>| {
        law.log_factors(attribute, released as usize, sought, direction, logs);
    };
    let of_released = (0..).take(kinds[1].sizes.len()).collect();
    let sides = [(released, of_released), (intruder, complete.to_vec())];
    let sums = log_sums(
        plan,
        sides,
        size,
        &log_factors,
        |released, sought, terms| {
            law.log_likelihoods(released as usize, sought, direction, terms);
        },
    );
    let with_unknown = |(released, log): (usize, f64)| {
        let mut terms = vec![log];
        if unknown > 0.0 {
            let background = law.log_background(complete[0] as usize, released);
            terms.push(background + unknown.ln());
        }
        log_sum(&terms) - (n_released.max(1) as f64).ln()
    };
    sums.into_iter().enumerate().map(with_unknown).collect()
}

impl<L: FactoredLaw> Summed for PairsOfKinds<L> {
    fn summaries(&self, seekers: &[usize]) -> Vec<Summary> {
        let [relative, others] = self.kinds_of(seekers.iter().copied());
        let stated = |kind: usize, list: &[(u32, f64)], rest: f64| {
            let size = |sought| self.size(sought);
            self.pairs.stated_of(kind, list, size, rest)
        };
        let log_n = (self.kinds.of.len() as f64).ln();
        let mut found = self.summaries_of::<POWERS>((relative, true), |_| -log_n, stated);
        found.extend(self.summaries_of::<1>((others, false), |_| 0.0, stated));
        self.of_seekers(seekers, found)
    }

    fn links(&self, seekers: &[usize], most: &[f64], link: &LinkOf<'_>) -> Vec<Link> {
        let mut of_kinds: Vec<(u32, usize)> = seekers
            .iter()
            .zip(0..)
            .map(|(&seeker, place)| (self.seekers.of[seeker], place))
            .collect();
        of_kinds.sort_unstable();
        let of_kind = |kind: u32, sums: &Sums<'_, 1>| -> Vec<(usize, Link)> {
            let first = of_kinds.partition_point(|of| of.0 < kind);
            let asked = of_kinds[first..].iter().take_while(|of| of.0 == kind);
            let dearest = asked
                .clone()
                .fold(f64::NEG_INFINITY, |dearest, of| dearest.max(most[of.1]));
            let (mut near, mut list) = (Vec::new(), Vec::new());
            sums.likely([-dearest - SLACK, f64::INFINITY], &mut near);
            let links = asked.map(|&(_, place)| {
                let limits = [most[place], -sums.greatest()];
                let exact = |&(other, log): &(u32, f64)| {
                    // Only where rounding could decide is the cost worked out.
                    let is_close = limits.iter().any(|limit| (limit + log).abs() < SLACK);
                    let cost = if is_close {
                        self.pairs.cost_of(kind as usize, other as usize)
                    } else {
                        -log
                    };
                    (other, cost)
                };
                list.clear();
                list.extend(near.iter().map(exact).filter(|of| of.1 <= most[place]));
                (place, link(place, &list))
            });
            links.collect()
        };
        let kinds = self.kinds_of(seekers.iter().copied());
        let found = kinds
            .into_iter()
            .zip([true, false])
            .flat_map(|kinds| self.each(kinds, |_| 0.0, |kind, sums| of_kind(kind, &sums)));
        let mut links: Vec<(usize, Link)> = found.flat_map(|of| of.1).collect();
        links.sort_unstable_by_key(|of| of.0);
        links.into_iter().map(|of| of.1).collect()
    }

    fn cost(&self, seeker: usize, sought: u32) -> f64 {
        let (seeker, sought) = (self.seekers.of[seeker], self.kinds.of[sought as usize]);
        self.pairs.cost_of(seeker as usize, sought as usize)
    }
}

impl<L: FactoredLaw> SummedOfSample for PairsOfKinds<L> {
    fn summaries_of_sample(
        &self,
        seekers: &[usize],
        anybody: &[f64],
        stated: &StatedOfParts<'_>,
    ) -> Vec<Summary> {
        let kinds = self.kinds_of(seekers.iter().copied());
        let found = kinds.into_iter().zip([true, false]).flat_map(|kinds| {
            let log = |kind: u32| -log_sum(&[0.0, anybody[kind as usize]]);
            self.summaries_of::<POWERS>(kinds, log, |_, list, rest| stated(list, rest))
        });
        self.of_seekers(seekers, found.collect())
    }

    fn over_seekers(&self) -> Vec<f64> {
        let direction = match self.pairs.direction {
            Direction::OriginalToMasked => Direction::MaskedToOriginal,
            Direction::MaskedToOriginal => Direction::OriginalToMasked,
        };
        let [of_seekers, of_sought] = &self.coded;
        let mut sums = vec![f64::NEG_INFINITY; self.kinds.sizes.len()];
        let kinds = self.kinds_of(0..self.seekers.of.len());
        for (kinds, is_relative) in kinds.into_iter().zip([true, false]) {
            let looks = (direction, is_relative);
            let log_factors = |attribute: usize, own: u32, seekers: &[u32], logs: &mut Vec<f64>| {
                self.log_factors(looks, attribute, (own, seekers), logs);
            };
            let log_f = |own: usize| self.log_f(own, is_relative);
            let sides = [(of_sought, self.kinds_sought()), (of_seekers, kinds)];
            let size = |kind: u32| self.seekers.sizes[kind as usize];
            let found = log_sums(
                &self.plan,
                sides,
                size,
                &log_factors,
                |own, seekers, terms| {
                    let own = own as usize;
                    let costs = seekers
                        .iter()
                        .map(|&of| self.pairs.cost_of(of as usize, own));
                    terms.clear();
                    terms.extend(costs.map(|cost| log_f(own) - cost));
                },
            );
            for (own, (sum, log)) in sums.iter_mut().zip(found).enumerate() {
                if log > f64::NEG_INFINITY {
                    *sum = log_sum(&[*sum, log - log_f(own)]);
                }
            }
        }
        sums
    }
}

impl<L: FactoredLaw> Lists for PairsOfKinds<L> {
    fn n_seekers(&self) -> usize {
        self.seekers.of.len()
    }

    fn n_sought(&self) -> usize {
        self.kinds.of.len()
    }

    fn list(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        let costs = self.costs(self.seekers.of[seeker] as usize, &self.kinds_sought());
        let kinds = (0..).zip(&self.kinds.of);
        let of_records = kinds.map(|(record, &kind)| (record, costs[kind as usize]));
        self.pairs.candidates(list, of_records);
    }

    fn add_to(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        let seeker = self.seekers.of[seeker] as usize;
        let kinds: Vec<u32> = (list.iter())
            .map(|&(record, _)| self.kinds.of[record as usize])
            .collect();
        let costs = if kinds.len() < self.kinds.sizes.len() {
            self.costs(seeker, &kinds)
        } else {
            let of_all = self.costs(seeker, &self.kinds_sought());
            kinds.iter().map(|&kind| of_all[kind as usize]).collect()
        };
        for ((_, cost), more) in list.iter_mut().zip(costs) {
            *cost += more;
        }
        list.retain(|&(_, cost)| cost < f64::INFINITY);
    }

    fn weighs_pairs(&self) -> bool {
        true
    }

    fn summed(&self) -> Option<(&Kinds, &dyn Summed)> {
        Some((&self.kinds, self))
    }

    fn summed_of_sample(&self) -> Option<(&Kinds, &dyn SummedOfSample)> {
        Some((&self.kinds, self))
    }

    fn is_likelihood(&self) -> bool {
        true
    }

    fn stated(&self, seeker: usize, list: &[(u32, f64)]) -> f64 {
        let kind = self.seekers.of[seeker] as usize;
        posterior::rounded(self.pairs.stated(kind, list))
    }

    fn caveats(&self) -> Vec<String> {
        self.pairs.caveats()
    }
}
