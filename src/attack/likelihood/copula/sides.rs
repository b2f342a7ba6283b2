//! The records of both sides by what there is of them, and what is the same for all pairs of a record.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::{
    given::Explained,
    law::{Class, Known, Model, log_mixture},
    scores::{Observed, Scores, State},
};
use crate::{attack::Scenario, statement::CopulaParameters};

/// Classes of released records are split by groups into no more than this.
const MAX_CLASSES: usize = 64;

/// The records of a side, by what there is of them.
#[derive(Debug)]
pub(super) struct Side<C> {
    pub classes: Vec<C>,
    /// Ascending.
    pub members: Vec<Vec<u32>>,
    pub class_of: Vec<u32>,
    /// Where each record stands among the members of its class.
    pub place_of: Vec<u32>,
}

impl<C> Side<C> {
    /// Records with the same states and the same group are a class.
    fn new(
        observed: &Observed,
        n: usize,
        group: impl Fn(usize) -> usize,
        law: impl Fn(&[State], &[u32]) -> C,
    ) -> Self {
        let mut number_of: BTreeMap<(&[State], usize), u32> = BTreeMap::new();
        let mut members: Vec<Vec<u32>> = Vec::new();
        let (mut class_of, mut place_of) = (Vec::with_capacity(n), Vec::with_capacity(n));
        for (record, number) in (0..n).zip(0_u32..) {
            let kind = (observed.row(record).1, group(record));
            let class = *number_of.entry(kind).or_insert_with(|| {
                members.push(Vec::new());
                u32::try_from(members.len() - 1).unwrap_or(0)
            });
            let own = &mut members[class as usize];
            class_of.push(class);
            place_of.push(u32::try_from(own.len()).unwrap_or(0));
            own.push(number);
        }
        let law = |members: &Vec<u32>| law(observed.row(members[0] as usize).1, members);
        Self {
            classes: members.iter().map(law).collect(),
            members,
            class_of,
            place_of,
        }
    }

    /// The class of a record, and its place there.
    pub fn place(&self, record: usize) -> (usize, usize) {
        (
            self.class_of[record] as usize,
            self.place_of[record] as usize,
        )
    }
}

/// The scores of a record at these places.
pub(super) fn at(observed: &Observed, record: usize, places: &[usize]) -> Vec<f64> {
    let row = observed.row(record).0;
    places.iter().map(|&place| row[place]).collect()
}

/// Known scores of somebody of a class without what a released record explains of them.
fn less(known: &[f64], explained: &Explained, record: usize, class: &Class) -> Vec<f64> {
    let parts = explained.of(record, &class.known.places);
    known.iter().zip(parts).map(|(x, part)| x - part).collect()
}

/// What there is of the records of both sides.
#[derive(Debug)]
pub(super) struct Sides {
    pub scores: Scores,
    /// What kept attributes explain of the scores of each released record.
    pub explained: Option<Explained>,
    /// Whether released records of a class are of one [group](Explained::group).
    are_split: bool,
    pub people: Side<Class>,
    pub shown: Side<Known>,
    /// For each person, ln of each term and of all, as far as it does not depend on the released record. Where released records have
    /// [groups](Explained::group) the terms are those of each group, one after the other.
    pub terms: Vec<(Vec<f64>, f64)>,
    /// ln f of each released record, and the component that it is likeliest to be of.
    pub frequency: Vec<(f64, usize)>,
}

impl Sides {
    pub fn new(scenario: &Scenario<'_>, stated: &CopulaParameters) -> Self {
        let scores = Scores::new(scenario, stated);
        let model = Model::new(stated);
        let (n_people, n_shown) = (scenario.intruder.n_records(), scenario.released.n_records());
        let explained = Explained::new(scenario, stated);
        let of_states = |states: &[State], _: &[u32]| Known::of(states, &scores.errors);
        let mut shown = Side::new(&scores.released, n_shown, |_| 0, of_states);
        let groups = explained
            .as_ref()
            .map_or(0, |of| of.first_of_groups().len());
        let are_split = groups > 0 && groups * shown.classes.len() <= MAX_CLASSES;
        if let (true, Some(explained)) = (are_split, &explained) {
            let group = |record| explained.group(record).unwrap_or(0);
            shown = Side::new(&scores.released, n_shown, group, of_states);
        }
        let people = Side::new(
            &scores.intruder,
            n_people,
            |_| 0,
            |states, members| {
                let known = Known::of(states, &scores.errors);
                let records: Vec<Vec<f64>> = (members.iter())
                    .map(|&record| at(&scores.intruder, record as usize, &known.places))
                    .collect();
                model.class(known, &records)
            },
        );
        let terms = (0..n_people)
            .into_par_iter()
            .map(|record| {
                let class = &people.classes[people.class_of[record] as usize];
                let known = at(&scores.intruder, record, &class.known.places);
                match &explained {
                    None => (class.log_joint(&known), class.log_known(&known)),
                    // How likely the known scores are depends on what the released record shows: here, on average.
                    Some(explained) => {
                        let first = explained.first_of_groups().iter();
                        let terms = first.flat_map(|&shown| {
                            class.log_joint(&less(&known, explained, shown, class))
                        });
                        (terms.collect(), explained.log_mean(class, &known))
                    }
                }
            })
            .collect();
        let anybody: Vec<_> = (shown.classes.iter())
            .map(|released| model.anybody(released))
            .collect();
        let frequency = (0..n_shown)
            .into_par_iter()
            .map(|record| {
                let class = shown.class_of[record] as usize;
                let places = &shown.classes[class].places;
                let mut own = at(&scores.released, record, places);
                if let Some(explained) = &explained {
                    let parts = explained.of(record, places);
                    own.iter_mut().zip(parts).for_each(|(x, part)| *x -= part);
                }
                log_mixture(&anybody[class], &own)
            })
            .collect();
        Self {
            scores,
            are_split,
            explained,
            people,
            shown,
            terms,
            frequency,
        }
    }

    /// Whether the terms of a person are the same for all released records of a class.
    pub fn has_terms_of_classes(&self) -> bool {
        self.explained.is_none() || self.are_split
    }

    /// ln of each term of a person and of all terms, for the released records of a class, if these have
    /// [the same](Self::has_terms_of_classes).
    pub fn terms_of_class(&self, person: usize, shown: usize) -> (&[f64], f64) {
        let (terms, all) = &self.terms[person];
        let first = self.shown.members[shown].first();
        let explained = self.explained.as_ref().zip(first);
        let group = explained.and_then(|(explained, &first)| explained.group(first as usize));
        match group {
            None => (terms, *all),
            Some(group) => (self.of_group(person, group), *all),
        }
    }

    /// ln of each term of a person where released records are of a group.
    fn of_group(&self, person: usize, group: usize) -> &[f64] {
        let class = self.people.class_of[person] as usize;
        let width = self.people.classes[class].terms.len();
        &self.terms[person].0[group * width..(group + 1) * width]
    }

    /// ln of each term of a pair and of all terms, as far as they do not depend on the masked scores; `room` is for terms that depend on
    /// the released record.
    pub fn terms<'a>(
        &'a self,
        person: usize,
        record: usize,
        room: &'a mut Vec<f64>,
    ) -> (&'a [f64], f64) {
        let (terms, all) = &self.terms[person];
        let Some(explained) = &self.explained else {
            return (terms, *all);
        };
        if let Some(group) = explained.group(record) {
            return (self.of_group(person, group), *all);
        }
        let class = &self.people.classes[self.people.class_of[person] as usize];
        let known = at(&self.scores.intruder, person, &class.known.places);
        *room = class.log_joint(&less(&known, explained, record, class));
        (room, *all)
    }
}
