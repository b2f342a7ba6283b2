//! The law of post-randomisation: transition matrices.

use std::{borrow::Cow, collections::BTreeMap};

use super::{
    equality::Equality,
    kinds::{FactoredLaw, PairsOfKinds, Seen},
    pairs::PairLaw,
};
use crate::{
    attack::{Direction, Lists, Release, Scenario},
    statement::{PramParameters, Step, TransitionMatrix, called},
    table::matrix::Matrix,
};

/// The likelihoods of post-randomisation.
///
/// ```text
/// P(y | x) = Π over attributes of R_xy,   R the matrix of the stratum in which y is
/// ```
///
/// What was not masked has equal values. P(y) of somebody of whom nothing is known is the product of the shares of y's values in the release.
///
/// # Candidates
/// All who are possible: nobody is left out for being unlikely. A category of which the matrix says nothing was in nobody's record.
///
/// # Strata
/// The release says in which stratum a record is, where it has all attributes that make them, as they were: then no other matrix counts,
/// whether the intruder knows these attributes of anybody or not. Where it does not, or misses one of them in this record, the mean of the
/// matrices takes their place, over the strata in which the category occurs.
///
/// # Missing
/// Counts nothing on either side; where gaps are in place ([`Scenario::gap_rules`]), only records with the same
/// missing-value pattern are possible.
///
/// # Recoded
/// What was recoded after it was drawn has a matrix of which the columns are categories after that, and the rows those before
/// ([`Scenario::unrecoded`]).
pub(super) fn lists<'a>(
    scenario: &Scenario<'a>,
    published: &Step,
    stated: &PramParameters,
) -> Box<dyn Lists + 'a> {
    let law = law(scenario, published, stated);
    let files = seen(scenario, &law);
    Box::new(PairsOfKinds::new(scenario, &files, |records| {
        law.only(records)
    }))
}

/// What the law sees of both files: values before they were recoded, and strata, beside what is known.
fn seen<'a>(scenario: &Scenario<'a>, law: &PramLaw<'_>) -> [Seen<'a>; 2] {
    let [mut intruder, mut released] = [scenario.intruder, scenario.released].map(Seen::new);
    for (k, name) in scenario.known.iter().enumerate() {
        let before = scenario.unrecoded.and_then(|before| {
            let at = before.names.iter().position(|other| other == name)?;
            Some(before.values.column(at).collect::<Vec<_>>())
        });
        if let Some(before) = before {
            intruder = intruder.beside(k, &before);
        }
    }
    for transitions in &law.transitions {
        let mut strata = transitions.stratum.windows(2);
        if strata.any(|two| two[0] != two[1]) {
            let strata = transitions.stratum.iter().map(|&of| Some(f64::from(of)));
            let strata: Vec<Option<f64>> = strata.collect();
            released = released.beside(transitions.attribute, &strata);
        }
    }
    [intruder, released]
}

fn law<'a>(scenario: &Scenario<'a>, published: &Step, stated: &PramParameters) -> PramLaw<'a> {
    let is_masked = |name: &String| published.attributes.contains(name);
    let masked: Vec<bool> = scenario.known.iter().map(is_masked).collect();
    let strata = (scenario.beside).and_then(|release| strata(release, &stated.strata));
    let transitions = (0..masked.len())
        .filter(|&k| masked[k])
        .map(|k| Transitions::new(scenario, k, stated, strata.as_deref()))
        .collect();
    PramLaw {
        intruder: Cow::Borrowed(scenario.intruder),
        released: Cow::Borrowed(scenario.released),
        agreement: Equality::new(scenario, masked),
        transitions,
        log_shares: (0..scenario.known.len())
            .map(|k| log_shares(scenario.released, k))
            .collect(),
        in_unknown_strata: !stated.strata.is_empty() && strata.is_none(),
    }
}

/// How likely somebody whom the intruder knows has the value in the release that they had: the mean over the records that have it,
///
/// ```text
/// P(agree | match) = mean of R_xx over the values x of an attribute
/// ```
///
/// R being the mean of the matrices of the strata in which x occurs. `None` of an attribute whose law is about values as they are not compared
/// ([`Scenario::unrecoded`]), and of one of which the matrices name no value.
pub(in crate::attack) fn agreement(
    scenario: &Scenario<'_>,
    attribute: usize,
    stated: &PramParameters,
) -> Option<f64> {
    let is_recoded = |before: &Release| before.names.contains(&scenario.known[attribute]);
    if scenario.unrecoded.is_some_and(is_recoded) {
        return None;
    }
    let transitions = Transitions::new(scenario, attribute, stated, None);
    let matrix = transitions.matrices.last()?;
    let stays = |&category: &u32| {
        let row = matrix
            .get(category as usize)
            .filter(|row| !row.is_empty())?;
        let place = row.binary_search_by_key(&category, |&(to, _)| to);
        Some(place.map_or(0.0, |place| row[place].1.exp()))
    };
    let stay: Vec<f64> = transitions.intruder.iter().filter_map(stays).collect();
    (!stay.is_empty()).then(|| stay.iter().sum::<f64>() / stay.len() as f64)
}

/// The stratum of each released record; `None` where it misses an attribute of the strata. Nothing, if the release lacks one of these.
fn strata(release: &Release, stated: &[String]) -> Option<Vec<Option<Vec<String>>>> {
    let place = |name: &String| release.names.iter().position(|other| other == name);
    let places: Vec<usize> = stated.iter().map(place).collect::<Option<_>>()?;
    let values = &release.values;
    let of_record = |record: usize| {
        let category = |&at: &usize| {
            let names = release.categories[at].as_deref();
            (!values.is_missing(record, at))
                .then(|| called(values.row(record)[at], names).into_owned())
        };
        places.iter().map(category).collect()
    };
    Some((0..values.n_records()).map(of_record).collect())
}

/// ln of how often each released value of an attribute is met; 0 where it is missing.
fn log_shares(released: &Matrix, attribute: usize) -> Vec<f64> {
    let mut sorted: Vec<f64> = released
        .present(attribute)
        .map(|value| value + 0.0)
        .collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let share = |value: f64| {
        let below = sorted.partition_point(|other| other.total_cmp(&value).is_lt());
        let through = sorted.partition_point(|other| other.total_cmp(&value).is_le());
        (through - below) as f64 / sorted.len() as f64
    };
    let log = |value: Option<f64>| value.map_or(0.0, |value| share(value + 0.0).ln());
    released.column(attribute).map(log).collect()
}

/// A category of a statement as it is called in an attribute with names, or with numbers.
fn spelled(category: &str, names: Option<&[String]>) -> String {
    match (names, category.parse::<f64>()) {
        (None, Ok(number)) => (number + 0.0).to_string(),
        _ => category.to_owned(),
    }
}

/// No category of the matrices.
const NONE: u32 = u32::MAX;

/// For each original category the masked ones that are possible, ascending, with ln of their probabilities.
type Rows = Vec<Vec<(u32, f64)>>;

/// What the matrices say of one known attribute.
#[derive(Debug)]
struct Transitions {
    attribute: usize,
    /// The category of each of the intruder's records, and of each released one.
    intruder: Vec<u32>,
    released: Vec<u32>,
    /// The matrix of each released record, by its place in `matrices`.
    stratum: Vec<u32>,
    /// That of each stratum; the last is their mean.
    matrices: Vec<Rows>,
}

impl Transitions {
    fn new(
        scenario: &Scenario<'_>,
        attribute: usize,
        stated: &PramParameters,
        strata: Option<&[Option<Vec<String>>]>,
    ) -> Self {
        let names = scenario
            .categories
            .get(attribute)
            .and_then(Option::as_deref);
        // What was recoded after it was drawn has matrices from values before to values after.
        let before = scenario.unrecoded.and_then(|before| {
            let mut names = before.names.iter();
            let at = names.position(|name| *name == scenario.known[attribute])?;
            Some((&before.values, at, before.categories[at].as_deref()))
        });
        let (intruder, column, own_names) = before.unwrap_or((scenario.intruder, attribute, names));
        let of_attribute: Vec<&TransitionMatrix> = stated.of(&scenario.known[attribute]).collect();
        let mut place_of: BTreeMap<String, u32> = BTreeMap::new();
        let mut places = Vec::with_capacity(of_attribute.len());
        for matrix in &of_attribute {
            let categories = matrix.categories.iter().map(|category| {
                let next = u32::try_from(place_of.len()).unwrap_or(NONE);
                *(place_of.entry(spelled(category, names))).or_insert(next)
            });
            places.push(categories.collect::<Vec<u32>>());
        }
        let mut matrices: Vec<Rows> = (of_attribute.iter().zip(&places))
            .map(|(matrix, places)| rows(matrix, places, place_of.len()))
            .collect();
        let mean = mean(&matrices);
        let in_all = u32::try_from(matrices.len()).unwrap_or(NONE);
        matrices.push(mean);
        let stratum_of: BTreeMap<Vec<&str>, u32> = (of_attribute.iter().zip(0..))
            .filter_map(|(matrix, place)| {
                let names = matrix.stratum.iter().map(Option::as_deref);
                Some((names.collect::<Option<_>>()?, place))
            })
            .collect();
        let stratum = |record: usize| {
            let stratum = strata.and_then(|strata| strata[record].as_ref());
            let names: Vec<&str> = stratum.into_iter().flatten().map(String::as_str).collect();
            stratum_of.get(&names).copied().unwrap_or(in_all)
        };
        let mut own_place_of: BTreeMap<String, u32> = BTreeMap::new();
        for (matrix, places) in of_attribute.iter().zip(&places) {
            for (category, &place) in matrix.categories.iter().zip(places) {
                own_place_of
                    .entry(spelled(category, own_names))
                    .or_insert(place);
            }
        }
        let category = |value: Option<f64>, names, place_of: &BTreeMap<String, u32>| {
            let place = value.and_then(|value| place_of.get(&*called(value, names)));
            place.copied().unwrap_or(NONE)
        };
        Self {
            attribute,
            intruder: (intruder.column(column))
                .map(|value| category(value, own_names, &own_place_of))
                .collect(),
            released: (scenario.released.column(attribute))
                .map(|value| category(value, names, &place_of))
                .collect(),
            stratum: (0..scenario.released.n_records()).map(stratum).collect(),
            matrices,
        }
    }

    /// What is to be looked up of a seeker.
    fn of_seeker(&self, seeker: usize, direction: Direction) -> Logs {
        let width = 1 + self.matrices.first().map_or(0, Vec::len);
        let mut of = vec![f64::NEG_INFINITY; width * self.matrices.len()];
        match direction {
            Direction::OriginalToMasked => {
                let category = self.intruder[seeker] as usize;
                for (of, matrix) in of.chunks_mut(width).zip(&self.matrices) {
                    for &(to, log) in matrix.get(category).into_iter().flatten() {
                        of[to as usize] = log;
                    }
                }
            }
            Direction::MaskedToOriginal => {
                let masked = self.released[seeker];
                let rows = &self.matrices[self.stratum[seeker] as usize];
                for (log, row) in of.iter_mut().zip(rows) {
                    if let Ok(place) = row.binary_search_by_key(&masked, |&(to, _)| to) {
                        *log = row[place].1;
                    }
                }
            }
        }
        Logs { of, width }
    }

    /// ln of the probability of a sought record that has the attribute.
    fn at(&self, sought: usize, logs: &Logs, direction: Direction) -> f64 {
        let (stratum, category) = match direction {
            Direction::OriginalToMasked => (self.stratum[sought], self.released[sought]),
            Direction::MaskedToOriginal => (0, self.intruder[sought]),
        };
        let category = (category as usize).min(logs.width - 1);
        logs.of[stratum as usize * logs.width + category]
    }

    /// ln of the probability of a pair of records that have the attribute.
    fn log_probability(&self, intruder: usize, released: usize) -> f64 {
        let matrix = &self.matrices[self.stratum[released] as usize];
        let row = matrix.get(self.intruder[intruder] as usize);
        let masked = self.released[released];
        let found = row.and_then(|row| {
            let place = row.binary_search_by_key(&masked, |&(category, _)| category);
            place.ok().map(|place| row[place].1)
        });
        found.unwrap_or(f64::NEG_INFINITY)
    }
}

/// What the matrices of an attribute say of a seeker and every sought record.
struct Logs {
    /// ln of probabilities by what a sought record has ([`Transitions::at`]).
    of: Vec<f64>,
    /// How many of them there are for each stratum: one a category, and one for whatever is none.
    width: usize,
}

/// The rows of a matrix whose categories have these places among n.
fn rows(matrix: &TransitionMatrix, places: &[u32], n: usize) -> Rows {
    let mut rows = vec![Vec::new(); n];
    for (&place, probabilities) in places.iter().zip(&matrix.probabilities) {
        let possible = places.iter().zip(probabilities).filter(|(_, p)| **p > 0.0);
        // Numbers can be spelled in several ways.
        let mut sums: BTreeMap<u32, f64> = BTreeMap::new();
        for (&to, p) in possible {
            *sums.entry(to).or_insert(0.0) += p;
        }
        rows[place as usize] = sums.into_iter().map(|(to, p)| (to, p.ln())).collect();
    }
    rows
}

/// The mean of the matrices in which a category occurs.
fn mean(matrices: &[Rows]) -> Rows {
    let n = matrices.first().map_or(0, Vec::len);
    let of_category = |category: usize| {
        let rows = matrices.iter().map(|rows| &rows[category]);
        let occurs = rows.clone().filter(|row| !row.is_empty()).count().max(1);
        let mut sums: BTreeMap<u32, f64> = BTreeMap::new();
        for &(to, log) in rows.flatten() {
            *sums.entry(to).or_insert(0.0) += log.exp();
        }
        let log = |(to, sum): (u32, f64)| (to, (sum / occurs as f64).ln());
        sums.into_iter().map(log).collect()
    };
    (0..n).map(of_category).collect()
}

/// Likelihoods of pairs under post-randomisation.
#[derive(Debug)]
struct PramLaw<'a> {
    intruder: Cow<'a, Matrix>,
    released: Cow<'a, Matrix>,
    agreement: Equality,
    transitions: Vec<Transitions>,
    /// For each known attribute and released record.
    log_shares: Vec<Vec<f64>>,
    in_unknown_strata: bool,
}

impl PramLaw<'_> {
    fn n_attributes(&self) -> usize {
        self.agreement.masked.len()
    }

    /// The law of these of the intruder's records and these released ones, which are numbered anew.
    fn only(self, [intruder, released]: [&[u32]; 2]) -> Self {
        fn picked<T: Copy>(of: &[T], records: &[u32]) -> Vec<T> {
            records.iter().map(|&record| of[record as usize]).collect()
        }
        let transitions = self.transitions.into_iter().map(|of| Transitions {
            intruder: picked(&of.intruder, intruder),
            released: picked(&of.released, released),
            stratum: picked(&of.stratum, released),
            ..of
        });
        Self {
            intruder: Cow::Owned(self.intruder.reordered(intruder)),
            released: Cow::Owned(self.released.reordered(released)),
            transitions: transitions.collect(),
            log_shares: (self.log_shares.iter())
                .map(|shares| picked(shares, released))
                .collect(),
            ..self
        }
    }
}

impl PairLaw for PramLaw<'_> {
    fn log_likelihood(&self, intruder: usize, released: usize) -> f64 {
        let pair = (intruder, released);
        if !self.agreement.admits(&self.intruder, pair, &self.released) {
            return f64::NEG_INFINITY;
        }
        let is_there = |transitions: &&Transitions| {
            !self.intruder.is_missing(intruder, transitions.attribute)
                && !self.released.is_missing(released, transitions.attribute)
        };
        let there = self.transitions.iter().filter(is_there);
        there
            .map(|transitions| transitions.log_probability(intruder, released))
            .fold(0.0, |sum, term| sum + term)
    }

    fn log_likelihoods(
        &self,
        seeker: usize,
        sought: &[u32],
        direction: Direction,
        logs: &mut Vec<f64>,
    ) {
        logs.clear();
        logs.resize(sought.len(), 0.0);
        let mut of_attribute = Vec::new();
        for attribute in 0..self.n_attributes() {
            self.log_factors(attribute, seeker, sought, direction, &mut of_attribute);
            for (log, of_attribute) in logs.iter_mut().zip(&of_attribute) {
                *log += of_attribute;
            }
        }
    }

    fn log_background(&self, intruder: usize, released: usize) -> f64 {
        let known = (0..self.n_attributes()).filter(|&attribute| self.has(intruder, attribute));
        known.fold(0.0, |sum, attribute| {
            sum + self.log_share(attribute, released)
        })
    }

    fn is_complete(&self, intruder: usize) -> bool {
        !self.intruder.has_missing(intruder)
    }

    fn caveats(&self) -> Vec<String> {
        if self.in_unknown_strata {
            vec![
                "the release does not show the strata of the post-randomisation: the mean of their matrices takes their place".into(),
            ]
        } else {
            Vec::new()
        }
    }
}

impl FactoredLaw for PramLaw<'_> {
    fn log_factors(
        &self,
        attribute: usize,
        seeker: usize,
        sought: &[u32],
        direction: Direction,
        logs: &mut Vec<f64>,
    ) {
        let (seekers, others) = match direction {
            Direction::OriginalToMasked => (&self.intruder, &self.released),
            Direction::MaskedToOriginal => (&self.released, &self.intruder),
        };
        logs.clear();
        let own = seekers.value(seeker, attribute);
        let mut transitions = self.transitions.iter();
        let transitions = transitions.find(|of| of.attribute == attribute);
        let transitions = transitions.map(|of| (of, of.of_seeker(seeker, direction)));
        let log = |&record: &u32| {
            let other = others.value(record as usize, attribute);
            let (x, y) = direction.turned(own, other);
            match (&transitions, x, y) {
                _ if !self.agreement.admits_values(attribute, x, y) => f64::NEG_INFINITY,
                (Some((transitions, own)), Some(_), Some(_)) => {
                    transitions.at(record as usize, own, direction)
                }
                _ => 0.0,
            }
        };
        logs.extend(sought.iter().map(log));
    }

    fn has(&self, intruder: usize, attribute: usize) -> bool {
        !self.intruder.is_missing(intruder, attribute)
    }

    fn log_share(&self, attribute: usize, released: usize) -> f64 {
        self.log_shares[attribute][released]
    }
}

#[cfg(test)]
mod tests;
