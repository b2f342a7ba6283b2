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
mod law;
mod scores;

use std::collections::BTreeMap;

use rayon::prelude::*;

use self::{
    given::Explained,
    law::{Class, Coordinates, Known, Model, log_mixture},
    scores::{Observed, Scores, State},
};
use super::{equality::Agreement, pairs::log_sum};
use crate::{
    attack::{Direction, Lists, Scenario},
    statement::{CopulaParameters, Statement},
    table::matrix::Matrix,
};

/// What is left out of the posterior of a seeker, at most.
const LEFT_OUT: f64 = 1e-9;

/// Bytes of coordinates that are worked out once for all.
const KEPT: usize = 1 << 29;

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
/// # Complexity
/// O(seekers · sought · components) densities of as many coordinates as were released. Classes of records that have the same gaps and large
/// ties share their matrices, of which up to 512 MB are kept; beyond, they are made for each seeker.
#[derive(Debug)]
pub(super) struct Pairs<'a> {
    intruder: &'a Matrix,
    released: &'a Matrix,
    agreement: Agreement,
    /// Whether unmasked attributes are known, so that pairs have to agree.
    asks_agreement: bool,
    scores: Scores,
    /// What kept attributes explain of the scores of each released record.
    explained: Option<Explained>,
    people: Side<Class>,
    shown: Side<Known>,
    /// For each person, ln of each term and of all, as far as it does not depend on the released record.
    terms: Vec<(Vec<f64>, f64)>,
    /// ln f of each released record.
    log_f: Vec<f64>,
    /// For each class of people and each class of released records, where they stand in each term.
    kept: Option<Vec<Vec<Vec<Block>>>>,
    margin: f64,
}

/// The records of a side, by what there is of them.
#[derive(Debug)]
struct Side<C> {
    classes: Vec<C>,
    members: Vec<Vec<u32>>,
    class_of: Vec<u32>,
}

/// Where the records of two classes stand in a term.
#[derive(Debug)]
struct Block {
    log_scale: f64,
    width: usize,
    /// People × coordinates, and released records × coordinates: members in order.
    people: Vec<f64>,
    shown: Vec<f64>,
}

fn classes(observed: &Observed, n: usize) -> Side<Vec<State>> {
    let mut number_of: BTreeMap<&[State], u32> = BTreeMap::new();
    let mut side = Side {
        classes: Vec::new(),
        members: Vec::new(),
        class_of: Vec::with_capacity(n),
    };
    for (record, number) in (0..n).zip(0_u32..) {
        let states = observed.row(record).1;
        let class = *number_of.entry(states).or_insert_with(|| {
            side.classes.push(states.to_vec());
            side.members.push(Vec::new());
            u32::try_from(side.classes.len() - 1).unwrap_or(0)
        });
        side.members[class as usize].push(number);
        side.class_of.push(class);
    }
    side
}

impl<C> Side<C> {
    fn with<D>(self, classes: Vec<D>) -> Side<D> {
        Side {
            classes,
            members: self.members,
            class_of: self.class_of,
        }
    }
}

/// The scores of a record at these places.
fn at(observed: &Observed, record: usize, places: &[usize]) -> Vec<f64> {
    let row = observed.row(record).0;
    places.iter().map(|&place| row[place]).collect()
}

impl<'a> Pairs<'a> {
    pub(super) fn new(
        scenario: &Scenario<'a>,
        published: &Statement,
        stated: &CopulaParameters,
    ) -> Self {
        let scores = Scores::new(scenario, stated);
        let model = Model::new(stated);
        let (n_people, n_shown) = (scenario.intruder.n_records(), scenario.released.n_records());
        let people = classes(&scores.intruder, n_people);
        let shown = classes(&scores.released, n_shown);
        let explained = Explained::new(scenario, stated);
        let of_shown: Vec<Known> = (shown.classes.iter())
            .map(|states| Known::of(states, &scores.errors))
            .collect();
        let shown = shown.with(of_shown);
        let of_people: Vec<Class> = (people.classes.iter().zip(&people.members))
            .map(|(states, members)| {
                let known = Known::of(states, &scores.errors);
                let records: Vec<Vec<f64>> = (members.iter())
                    .map(|&record| at(&scores.intruder, record as usize, &known.places))
                    .collect();
                model.class(known, &records)
            })
            .collect();
        let people = people.with(of_people);
        let terms = (0..n_people)
            .into_par_iter()
            .map(|record| {
                let class = &people.classes[people.class_of[record] as usize];
                let known = at(&scores.intruder, record, &class.known.places);
                match &explained {
                    None => class.log_joint(&known),
                    // How likely the known scores are depends on what the released record shows: here, on average.
                    Some(explained) => (Vec::new(), explained.log_mean(class, &known)),
                }
            })
            .collect();
        let masked: Vec<bool> = (scenario.known.iter())
            .map(|name| published.attributes.contains(name))
            .collect();
        let asks_agreement = masked.iter().any(|masked| !masked);
        let mut agreement = Agreement::new(scenario, masked);
        for (in_place, &masked) in agreement.in_place.iter_mut().zip(&agreement.masked) {
            // Gaps of what was masked were redrawn.
            *in_place &= !masked;
        }
        let mut pairs = Self {
            intruder: scenario.intruder,
            released: scenario.released,
            agreement,
            asks_agreement,
            people,
            terms,
            log_f: Vec::new(),
            kept: None,
            margin: (scenario.sought().n_records().max(1) as f64).ln() - LEFT_OUT.ln(),
            scores,
            explained,
            shown,
        };
        pairs.log_f = pairs.log_frequencies(&model);
        if pairs.bytes() <= KEPT {
            let all = (0..pairs.people.classes.len())
                .map(|class| {
                    let shown = 0..pairs.shown.classes.len();
                    shown
                        .map(|other| pairs.blocks(class, other, None, None))
                        .collect()
                })
                .collect();
            pairs.kept = Some(all);
        }
        pairs
    }

    fn log_frequencies(&self, model: &Model) -> Vec<f64> {
        let mut logs = vec![0.0; self.shown.class_of.len()];
        for (released, members) in self.shown.classes.iter().zip(&self.shown.members) {
            let parts = model.anybody(released);
            for &record in members {
                let mut scores = at(&self.scores.released, record as usize, &released.places);
                if let Some(explained) = &self.explained {
                    let own = explained.of(record as usize, &released.places);
                    scores.iter_mut().zip(own).for_each(|(x, part)| *x -= part);
                }
                logs[record as usize] = log_mixture(&parts, &scores);
            }
        }
        logs
    }

    /// What all blocks take.
    fn bytes(&self) -> usize {
        let of_class = |(class, people): (&Class, &Vec<u32>)| {
            let shown = self.shown.classes.iter().zip(&self.shown.members);
            let cells: usize = shown
                .map(|(released, shown)| (people.len() + shown.len()) * released.places.len())
                .sum();
            class.terms.len() * cells * size_of::<f64>()
        };
        self.people
            .classes
            .iter()
            .zip(&self.people.members)
            .map(of_class)
            .sum()
    }

    /// Where all records of two classes stand, or only these members of them.
    fn blocks(
        &self,
        class: usize,
        other: usize,
        person: Option<usize>,
        record: Option<usize>,
    ) -> Vec<Block> {
        let (people, released) = (&self.people.classes[class], &self.shown.classes[other]);
        let chosen = |one: Option<usize>, members: &[u32]| -> Vec<usize> {
            match one {
                Some(one) => vec![one],
                None => members.iter().map(|&member| member as usize).collect(),
            }
        };
        let known: Vec<Vec<f64>> = (chosen(person, &self.people.members[class]).into_iter())
            .map(|person| at(&self.scores.intruder, person, &people.known.places))
            .collect();
        let shown = chosen(record, &self.shown.members[other]);
        let of_term = |term: &law::Term| {
            let coordinates = Coordinates::new(term, released);
            let place = |&record: &usize| {
                let scores = at(&self.scores.released, record, &released.places);
                let parts = self.explained.as_ref().map(|explained| {
                    let of_known = explained.of(record, &people.known.places);
                    (explained.of(record, &released.places), of_known)
                });
                let parts = parts.as_ref().map(|(a, b)| (a.as_slice(), b.as_slice()));
                coordinates.of_released(&scores, parts)
            };
            Block {
                log_scale: coordinates.log_scale,
                width: released.places.len(),
                people: (known.iter())
                    .flat_map(|known| coordinates.of_known(known, &term.own))
                    .collect(),
                shown: shown.iter().flat_map(place).collect(),
            }
        };
        people.terms.iter().map(of_term).collect()
    }

    /// The cost of a pair, both standing at these places among the members in these blocks.
    fn cost(&self, (person, record): (usize, usize), blocks: &[Block], at: (usize, usize)) -> f64 {
        if self.asks_agreement
            && !(self.agreement).admits(self.intruder, (person, record), self.released)
        {
            return f64::INFINITY;
        }
        let given;
        let (terms, all) = match &self.explained {
            None => (&self.terms[person].0, self.terms[person].1),
            Some(explained) => {
                let class = &self.people.classes[self.people.class_of[person] as usize];
                let places = &class.known.places;
                let mut known = self::at(&self.scores.intruder, person, places);
                let parts = explained.of(record, places);
                known.iter_mut().zip(parts).for_each(|(x, part)| *x -= part);
                given = class.log_joint(&known).0;
                (&given, self.terms[person].1)
            }
        };
        let mut most = f64::NEG_INFINITY;
        let mut sum = 0.0;
        for (block, &term) in blocks.iter().zip(terms) {
            if term == f64::NEG_INFINITY {
                continue;
            }
            let width = block.width;
            let expected = &block.people[at.0 * width..(at.0 + 1) * width];
            let found = &block.shown[at.1 * width..(at.1 + 1) * width];
            let pairs = expected.iter().zip(found);
            let distance = pairs.fold(0.0, |sum, (a, b)| sum + (a - b) * (a - b));
            let log = term + block.log_scale - 0.5 * distance;
            // The sum of all so far in units of the greatest.
            if log > most {
                sum = sum * (most - log).exp() + 1.0;
                most = log;
            } else if log > most - NOTHING {
                sum += (log - most).exp();
            }
        }
        if most == f64::NEG_INFINITY {
            return f64::INFINITY;
        }
        self.log_f[record] + all - most - f64::ln(sum)
    }

    /// The cost of every pair of a person: members of a class of released records, in order.
    fn of_person(&self, person: usize, mut found: impl FnMut(u32, f64)) {
        let class = self.people.class_of[person] as usize;
        let place = place_in(&self.people.members[class], person);
        for (other, members) in self.shown.members.iter().enumerate() {
            let made;
            let (blocks, place) = match &self.kept {
                Some(kept) => (&kept[class][other], place),
                None => {
                    made = self.blocks(class, other, Some(person), None);
                    (&made, 0)
                }
            };
            for (at, &record) in members.iter().enumerate() {
                let pair = (person, record as usize);
                found(record, self.cost(pair, blocks, (place, at)));
            }
        }
    }

    /// The cost of every pair of a released record.
    fn of_record(&self, record: usize, mut found: impl FnMut(u32, f64)) {
        let other = self.shown.class_of[record] as usize;
        let place = place_in(&self.shown.members[other], record);
        for (class, members) in self.people.members.iter().enumerate() {
            let made;
            let (blocks, place) = match &self.kept {
                Some(kept) => (&kept[class][other], place),
                None => {
                    made = self.blocks(class, other, None, Some(record));
                    (&made, 0)
                }
            };
            for (at, &person) in members.iter().enumerate() {
                let pair = (person as usize, record);
                found(person, self.cost(pair, blocks, (at, place)));
            }
        }
    }
}

/// A term that is smaller than the greatest by this factor adds nothing.
const NOTHING: f64 = 36.0;

/// Where a record stands among the members of its class, which ascend.
fn place_in(members: &[u32], record: usize) -> usize {
    members.partition_point(|&member| (member as usize) < record)
}

impl Lists for Pairs<'_> {
    fn n_seekers(&self) -> usize {
        match self.agreement.direction {
            Direction::OriginalToMasked => self.people.class_of.len(),
            Direction::MaskedToOriginal => self.shown.class_of.len(),
        }
    }

    fn n_sought(&self) -> usize {
        match self.agreement.direction {
            Direction::OriginalToMasked => self.shown.class_of.len(),
            Direction::MaskedToOriginal => self.people.class_of.len(),
        }
    }

    fn list(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        self.unordered(seeker, list);
        list.sort_unstable_by_key(|&(record, _)| record);
    }

    fn unordered(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        list.clear();
        let mut least = f64::INFINITY;
        let keep = |record: u32, cost: f64| {
            if cost < f64::INFINITY && cost <= least + self.margin {
                least = least.min(cost);
                list.push((record, cost));
            }
        };
        match self.agreement.direction {
            Direction::OriginalToMasked => self.of_person(seeker, keep),
            Direction::MaskedToOriginal => self.of_record(seeker, keep),
        }
        list.retain(|&(_, cost)| cost <= least + self.margin);
    }

    fn is_likelihood(&self) -> bool {
        true
    }
}
