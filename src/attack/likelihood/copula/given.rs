//! What attributes that stayed as they are explain of the scores.

use std::collections::BTreeMap;

use super::law::Class;
use crate::{
    attack::{Release, Scenario},
    statement::CopulaParameters,
    stats::{copula::middle_score, rank::Ranking},
};

/// Released records over which how likely known scores are is averaged.
const SAMPLED: usize = 512;

/// For each released record the constant and the regression of each score on what was kept.
#[derive(Debug)]
pub(super) struct Explained {
    width: usize,
    values: Vec<f64>,
    /// The group of each record: those with the same values. `None` where most have values of their own.
    group_of: Option<Vec<u32>>,
    /// The first record of each group.
    first: Vec<usize>,
}

/// Of more groups than this none are made.
const MAX_GROUPS: usize = 64;

impl Explained {
    /// `None` if nothing was kept, or the released values of what was kept are not there.
    pub fn new(scenario: &Scenario<'_>, stated: &CopulaParameters) -> Option<Self> {
        let given = stated.given.as_ref()?;
        let release = scenario.beside?;
        let width = stated.scores();
        let n = release.values.n_records();
        let mut values = given.constants.repeat(n);
        for term in &given.terms {
            let numbers = of_term(release, term.attribute.as_str(), term.category.as_deref())?;
            for (record, number) in numbers.into_iter().enumerate() {
                let row = &mut values[record * width..(record + 1) * width];
                for (x, coefficient) in row.iter_mut().zip(&term.coefficients) {
                    *x += coefficient * number;
                }
            }
        }
        let (group_of, first) = groups(&values, width);
        Some(Self {
            width,
            values,
            group_of,
            first,
        })
    }

    /// The group of a record, if records have groups.
    pub fn group(&self, record: usize) -> Option<usize> {
        Some(self.group_of.as_ref()?[record] as usize)
    }

    /// The first record of each group; none where records have no groups.
    pub fn first_of_groups(&self) -> &[usize] {
        &self.first
    }

    /// What is explained of these scores of a released record.
    pub fn of(&self, record: usize, places: &[usize]) -> Vec<f64> {
        let row = &self.values[record * self.width..(record + 1) * self.width];
        places.iter().map(|&place| row[place]).collect()
    }

    /// ln of the mean density of known scores over released records.
    pub fn log_mean(&self, class: &Class, known: &[f64]) -> f64 {
        let n = self.values.len() / self.width.max(1);
        let step = n.div_ceil(SAMPLED).max(1);
        let logs: Vec<f64> = (0..n)
            .step_by(step)
            .map(|record| {
                let parts = self.of(record, &class.known.places);
                let off: Vec<f64> = known.iter().zip(parts).map(|(x, part)| x - part).collect();
                class.log_known(&off)
            })
            .collect();
        super::log_sum(&logs) - (logs.len().max(1) as f64).ln()
    }
}

/// Records with the same values, and the first of each kind; nothing if there are too many kinds.
fn groups(values: &[f64], width: usize) -> (Option<Vec<u32>>, Vec<usize>) {
    let (mut number_of, mut first) = (BTreeMap::new(), Vec::new());
    let mut group_of = Vec::new();
    for (record, row) in values.chunks_exact(width.max(1)).enumerate() {
        let bits: Vec<u64> = row.iter().map(|x| x.to_bits()).collect();
        let number = *number_of.entry(bits).or_insert_with(|| {
            first.push(record);
            u32::try_from(first.len() - 1).unwrap_or(0)
        });
        if first.len() > MAX_GROUPS {
            return (None, Vec::new());
        }
        group_of.push(number);
    }
    (Some(group_of), first)
}

/// The number of a term for each released record.
fn of_term(release: &Release, attribute: &str, category: Option<&str>) -> Option<Vec<f64>> {
    let at = release.names.iter().position(|name| name == attribute)?;
    let values = &release.values;
    let records = 0..values.n_records();
    match (category, &release.categories[at]) {
        (Some(wanted), Some(names)) => {
            let code = names.iter().position(|name| name == wanted);
            let is = |record| {
                let here = values.row(record)[at];
                let equal = code.is_some_and(|code| (here - code as f64).abs() < 0.5);
                f64::from(u8::from(equal && !values.is_missing(record, at)))
            };
            Some(records.map(is).collect())
        }
        (None, None) => {
            let ranking = Ranking::new(values.present(at));
            let score = |record| {
                if values.is_missing(record, at) {
                    0.0
                } else {
                    let (below, through) = ranking.ranks(values.row(record)[at]);
                    middle_score(below, through, ranking.len())
                }
            };
            Some(records.map(score).collect())
        }
        // A number where a category was meant, or the other way round: not this attribute.
        _ => None,
    }
}
