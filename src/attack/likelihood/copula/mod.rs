//! The law of masking by minimal information: normal mixtures of normal scores.
//!
//! ```text
//! P(y | z_v) / f(y) = Σ_c p(c | z_v) N(y; m_c + B_c (z_v − m_cv), S_c) / Σ_c w_c N(y; m_c, R_c)
//! ```
//!
//! z_v are the normal scores of what the intruder knows, y those of *all* released attributes that were masked: masked scores are drawn
//! together, so the ones that nobody knows are evidence, too. c runs over the components and over the levels of protection of extremes, of
//! which known scores say how likely they are. B and S follow from what the statement publishes: [`law`].
//!
//! - **What is not known** of somebody, or not released, is left out of z_v or y: the marginal of a normal law. Gaps were drawn anew
//!   given the masked scores, so a gap says nothing of a gap.
//! - **Ties.** A value that many have says no more of its score than that it lies in an interval: it counts as the mean of the interval, seen
//!   with an error of the variance inside, by the rules of linear prediction. Short ties (below 5 % of the file) count as their mean.
//! - **Kept attributes** (`given`): a released record shows what they explain of its scores, and if it is the one that is sought, of the
//!   known scores, too. So both are compared after this was taken away, and P(z_v | what the record shows) is evidence.
//! - **What was not masked** has to be equal.

mod given;
mod index;
mod law;
mod meeting;
mod packed;
mod scores;
mod sides;

use rayon::prelude::*;

use self::{
    meeting::{Classes, Meeting, Who},
    packed::LANES,
    sides::Sides,
};
use super::{equality::Equality, pairs::log_sum};
use crate::{
    attack::{Direction, GapRule, Lists, Scenario},
    memory,
    statement::{CopulaParameters, Step},
    table::matrix::Matrix,
};

/// What is left out of the posterior of a seeker, at most; and in large files.
const LEFT_OUT: f64 = 1e-9;
const LEFT_OUT_OF_LARGE: f64 = 1e-3;

/// Files of more pairs are large.
const MAX_PAIRS: usize = 1 << 28;

/// Bytes of coordinates, and of points, that are worked out once for all.
const KEPT: usize = 1 << 29;

/// Bytes of indexes at most, or half of the memory that there is.
const INDEXED: usize = 1 << 32;

/// Fewer records of a class are not worth an index.
const MIN_INDEXED: usize = 32;

/// The attributes of the released file that this law looks at.
pub(super) fn reads(stated: &CopulaParameters) -> Vec<String> {
    let kept = stated.given.iter().flat_map(|given| &given.attributes);
    let mut names: Vec<String> = (stated.values.iter().chain(kept)).cloned().collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The likelihood of each pair.
///
/// # Search
/// Of the records that are looked for, those of a class are in an [`index`](index::Index) over all terms. It only says whose likelihood
/// need not be worked out; results are those of all pairs, to the last bit. Kept attributes make the weights
/// of the terms depend on both records: with few combinations of their values each has an index of its own, with more there is none.
///
/// # Large files
/// Of more than 2²⁸ pairs the best guess is searched for by itself, and no probability is stated. Lists then hold what has all but
/// [`LEFT_OUT_OF_LARGE`] of a seeker's posterior among the sought records.
///
/// # Complexity
/// Without the index O(seekers · sought · terms) densities of as many coordinates as were released. Classes of records that have the same
/// gaps and large ties share their matrices, of which up to 512 MB are kept; beyond, they are made for each seeker. Indexes take 4 bytes a term and
/// known score of each record and half as much for their nodes, up to 4 GB or half of the memory.
#[derive(Debug)]
pub(super) struct Pairs<'a> {
    intruder: &'a Matrix,
    released: &'a Matrix,
    agreement: Equality,
    /// The known attributes that were not masked, in which pairs have to agree.
    unmasked: Vec<usize>,
    sides: Sides,
    /// For each class of people and each class of released records.
    meetings: Option<Vec<Vec<Meeting>>>,
    is_large: bool,
    margin: f64,
}

/// Room for the work on a pair.
#[derive(Default)]
struct Room {
    terms: Vec<f64>,
    point: Vec<[f64; LANES]>,
}

impl<'a> Pairs<'a> {
    pub(super) fn new(
        scenario: &Scenario<'a>,
        published: &Step,
        stated: &CopulaParameters,
    ) -> Self {
        let pairs = (scenario.intruder.n_records()).saturating_mul(scenario.released.n_records());
        Self::sized(scenario, published, stated, pairs > MAX_PAIRS)
    }

    /// As for files that are large, or are not.
    pub(super) fn sized(
        scenario: &Scenario<'a>,
        published: &Step,
        stated: &CopulaParameters,
        is_large: bool,
    ) -> Self {
        let mut new = Self::unprepared(scenario, published, stated, is_large);
        new.prepare();
        new
    }

    /// All that is needed, but nothing that makes it quick.
    fn unprepared(
        scenario: &Scenario<'a>,
        published: &Step,
        stated: &CopulaParameters,
        is_large: bool,
    ) -> Self {
        let masked: Vec<bool> = (scenario.known.iter())
            .map(|name| published.attributes.contains(name))
            .collect();
        let unmasked = (0..masked.len()).filter(|&at| !masked[at]).collect();
        let mut agreement = Equality::new(scenario, masked);
        for (gaps, &masked) in agreement.gaps.iter_mut().zip(&agreement.masked) {
            if masked {
                // They were redrawn.
                *gaps = GapRule::NONE;
            }
        }
        let left_out = if is_large {
            LEFT_OUT_OF_LARGE
        } else {
            LEFT_OUT
        };
        Self {
            intruder: scenario.intruder,
            released: scenario.released,
            agreement,
            unmasked,
            sides: Sides::new(scenario, stated),
            meetings: None,
            is_large,
            margin: (scenario.sought().n_records().max(1) as f64).ln() - left_out.ln(),
        }
    }

    /// Keeps what the members of the classes have in common, as far as there is room for it.
    fn prepare(&mut self) {
        let (sides, direction) = (&self.sides, self.agreement.direction);
        let (people, shown) = (sides.people.classes.len(), sides.shown.classes.len());
        let all: Vec<Classes> = (0..people)
            .flat_map(|people| (0..shown).map(move |shown| Classes { people, shown }))
            .collect();
        let bytes = |of: &dyn Fn(Classes) -> usize| -> usize {
            (all.iter()).fold(0, |sum, &classes| sum.saturating_add(of(classes)))
        };
        if bytes(&|classes| sides.bytes(classes)) > KEPT {
            return;
        }
        let with_points = bytes(&|classes| sides.bytes_of_points(classes)) <= KEPT;
        let is_indexed = self.indexed(&all);
        let matrix = match direction {
            Direction::OriginalToMasked => self.released,
            Direction::MaskedToOriginal => self.intruder,
        };
        let strict = |record: usize, at: usize| matrix.value(record, self.unmasked[at]);
        let mut meetings: Vec<Meeting> = (all.par_iter().zip(&is_indexed))
            .map(|(&classes, &is_indexed)| {
                let mut meeting = Meeting::new(sides, classes);
                if with_points {
                    meeting = meeting.with_points(sides);
                }
                if is_indexed {
                    meeting.with_index(sides, direction, (self.unmasked.len(), &strict))
                } else {
                    meeting
                }
            })
            .collect();
        let mut by_people = Vec::with_capacity(people);
        while !meetings.is_empty() {
            let rest = meetings.split_off(shown);
            by_people.push(std::mem::replace(&mut meetings, rest));
        }
        self.meetings = Some(by_people);
    }

    /// Which classes get an index: those with the most pairs, as far as there is room.
    fn indexed(&self, all: &[Classes]) -> Vec<bool> {
        let (sides, direction) = (&self.sides, self.agreement.direction);
        let mut is_indexed = vec![false; all.len()];
        if !sides.has_terms_of_classes() {
            return is_indexed;
        }
        let pairs = |classes: Classes| {
            sides.people.members[classes.people].len() * sides.shown.members[classes.shown].len()
        };
        let mut order: Vec<usize> = (0..all.len())
            .filter(|&at| sides.sought(all[at], direction).len() >= MIN_INDEXED)
            .collect();
        order.sort_by_key(|&at| std::cmp::Reverse(pairs(all[at])));
        let mut room = usize::try_from(memory::limit() / 2).map_or(INDEXED, |n| n.min(INDEXED));
        for at in order {
            let Some(left) = room.checked_sub(sides.bytes_of_index(all[at], direction)) else {
                break;
            };
            room = left;
            is_indexed[at] = true;
        }
        is_indexed
    }

    /// The cost of a pair. `point` is where the seeker stands.
    fn cost(
        &self,
        (person, record): (usize, usize),
        meeting: &Meeting,
        point: &[[f64; LANES]],
        room: &mut Room,
    ) -> f64 {
        if !self.unmasked.is_empty()
            && !(self.agreement).admits(self.intruder, (person, record), self.released)
        {
            return f64::INFINITY;
        }
        let other = match self.agreement.direction {
            Direction::OriginalToMasked => Who::Released(record),
            Direction::MaskedToOriginal => Who::Person(person),
        };
        let (weights, all) = self.sides.terms(person, record, &mut room.terms);
        let log = meeting.log_sum(&self.sides, weights, point, other, &mut room.point);
        self.sides.frequency[record].0 + all - log
    }

    /// Calls `found` with the cost of every possible pair of a seeker, but for some whose log-likelihood is below the threshold; `found` returns
    /// the threshold from then on, which never falls.
    fn search(&self, seeker: usize, mut threshold: f64, found: &mut dyn FnMut(u32, f64) -> f64) {
        let direction = self.agreement.direction;
        let (who, seekers, own_class) = match direction {
            Direction::OriginalToMasked => {
                let class = self.sides.people.class_of[seeker];
                (Who::Person(seeker), self.intruder, class as usize)
            }
            Direction::MaskedToOriginal => {
                let class = self.sides.shown.class_of[seeker];
                (Who::Released(seeker), self.released, class as usize)
            }
        };
        let others = match direction {
            Direction::OriginalToMasked => self.sides.shown.classes.len(),
            Direction::MaskedToOriginal => self.sides.people.classes.len(),
        };
        let mut room = Room::default();
        for other in 0..others {
            let classes = match direction {
                Direction::OriginalToMasked => Classes {
                    people: own_class,
                    shown: other,
                },
                Direction::MaskedToOriginal => Classes {
                    people: other,
                    shown: own_class,
                },
            };
            let made;
            let meeting = match &self.meetings {
                Some(meetings) => &meetings[classes.people][classes.shown],
                None => {
                    made = Meeting::new(&self.sides, classes);
                    &made
                }
            };
            let mut own = Vec::new();
            let point = meeting.point(&self.sides, who, &mut own);
            let members = self.sides.sought(classes, direction);
            let before = threshold;
            let mut judge = |place: usize| {
                let record = members[place];
                let pair = match direction {
                    Direction::OriginalToMasked => (seeker, record as usize),
                    Direction::MaskedToOriginal => (record as usize, seeker),
                };
                let cost = self.cost(pair, meeting, point, &mut room);
                if cost < f64::INFINITY {
                    threshold = found(record, cost);
                }
                threshold
            };
            let wanted = self.unmasked.iter().map(|&at| seekers.value(seeker, at));
            match meeting.query(&self.sides, who, point, wanted.collect()) {
                Some((index, query)) => index.search(&query, before, &mut judge),
                None => {
                    for place in 0..members.len() {
                        judge(place);
                    }
                }
            }
        }
    }

    /// The candidates whose likelihood is not below that of the best one by more than the margin.
    fn within_margin(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        let mut least = f64::INFINITY;
        self.search(seeker, f64::NEG_INFINITY, &mut |record, cost| {
            if cost <= least + self.margin {
                least = least.min(cost);
                list.push((record, cost));
            }
            -(least + self.margin)
        });
        list.retain(|&(_, cost)| cost <= least + self.margin);
    }

    /// The likeliest candidates, who have all but [`LEFT_OUT_OF_LARGE`] of the posterior. What ties is left out together.
    fn of_large(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        // Half of it is of those who are less likely than a share of all so far, the other half of the least likely others.
        let margin = self.margin + std::f64::consts::LN_2;
        let (mut least, mut sum) = (f64::INFINITY, 0.0);
        self.search(seeker, f64::NEG_INFINITY, &mut |record, cost| {
            if cost < least {
                (least, sum) = (cost, sum * (cost - least).exp() + 1.0);
            } else {
                sum += (least - cost).exp();
            }
            list.push((record, cost));
            sum.ln() - least - margin
        });
        list.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let mut left = 0.5 * LEFT_OUT_OF_LARGE * sum;
        let mut from = 0;
        for tied in list.chunk_by(|a, b| a.1.total_cmp(&b.1).is_eq()) {
            left -= tied.len() as f64 * (least - tied[0].1).exp();
            if left < 0.0 {
                break;
            }
            from += tied.len();
        }
        list.drain(..from);
    }
}

impl Lists for Pairs<'_> {
    fn n_seekers(&self) -> usize {
        match self.agreement.direction {
            Direction::OriginalToMasked => self.intruder.n_records(),
            Direction::MaskedToOriginal => self.released.n_records(),
        }
    }

    fn n_sought(&self) -> usize {
        match self.agreement.direction {
            Direction::OriginalToMasked => self.released.n_records(),
            Direction::MaskedToOriginal => self.intruder.n_records(),
        }
    }

    fn list(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        self.unordered(seeker, list);
        list.sort_unstable_by_key(|&(record, _)| record);
    }

    fn unordered(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        list.clear();
        if self.is_large {
            self.of_large(seeker, list)
        } else {
            self.within_margin(seeker, list)
        }
    }

    fn has_cheapest_only(&self) -> bool {
        self.is_large
    }

    fn cheapest(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        list.clear();
        let mut least = f64::INFINITY;
        self.search(seeker, f64::NEG_INFINITY, &mut |record, cost| {
            if cost < least {
                list.clear();
            }
            if cost <= least {
                list.push((record, cost));
                least = cost;
            }
            -least
        });
    }

    fn is_likelihood(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests;
