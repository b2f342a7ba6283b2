//! Attributes that stay as they are, and what the scores owe to them.

use std::collections::BTreeMap;

use ndarray::Array2;
use rayon::prelude::*;

use super::{draws::Draws, law::published, scores, sums};
use crate::{
    statement::{CopulaGiven, CopulaTerm},
    stats::copula::{middle_score, whitening},
    table::{AttrId, Scale, Table},
};

/// Added to the variances of terms: those that others determine get no weight of their own.
const RIDGE: f64 = 1e-9;

/// Numbers that are known of each record, whatever is masked.
pub(super) struct Terms {
    attributes: Vec<String>,
    /// The attribute of each term, and the category of which it is the indicator.
    of: Vec<(String, Option<String>)>,
    /// n × terms, row by row.
    pub values: Vec<f64>,
}

impl Terms {
    /// Terms of kept attributes: normal scores of numbers, and an indicator of every category but the most frequent one. Constant
    /// attributes have none.
    pub fn new(table: &Table, given: &[AttrId], draws: &Draws<'_>) -> Self {
        let n = table.n_records();
        let mut of = Vec::new();
        let mut columns: Vec<Vec<f64>> = Vec::new();
        for &id in given {
            let name = &table.attribute(id).name;
            if table.attribute(id).scale == Scale::Nominal {
                for (category, column) in indicators(table, id) {
                    of.push((name.clone(), Some(category)));
                    columns.push(column);
                }
            } else if let Some(column) = middle_scores(table, id, draws) {
                of.push((name.clone(), None));
                columns.push(column);
            }
        }
        let values = (0..n)
            .flat_map(|record| columns.iter().map(move |column| column[record]))
            .collect();
        Self {
            attributes: table.names(given),
            of,
            values,
        }
    }

    pub fn count(&self) -> usize {
        self.of.len()
    }

    /// The regression of the scores on the terms; these are taken off the scores.
    pub fn regress(&self, z: &mut [f64], width: usize) -> CopulaGiven {
        let terms = self.count();
        let n = z.len() / width;
        let (mean, covariance) = sums::moments(n, width + terms, |record, row| {
            row[..width].copy_from_slice(&z[record * width..][..width]);
            row[width..].copy_from_slice(self.row(record));
        });
        let own = sums::part(&covariance, width..width + terms, width..width + terms)
            + Array2::<f64>::eye(terms) * RIDGE;
        let (_, white) = whitening(own.view());
        let across = sums::part(&covariance, width..width + terms, 0..width);
        let slopes = white.t().dot(&white).dot(&across).mapv(published);
        let constants: Vec<f64> = (0..width)
            .map(|j| {
                let explained: f64 = (0..terms).map(|k| slopes[[k, j]] * mean[width + k]).sum();
                published(mean[j] - explained)
            })
            .collect();
        let given = CopulaGiven {
            attributes: self.attributes.clone(),
            constants,
            terms: (self.of.iter().zip(slopes.rows()))
                .map(|((attribute, category), slopes)| CopulaTerm {
                    attribute: attribute.clone(),
                    category: category.clone(),
                    coefficients: slopes.to_vec(),
                })
                .collect(),
        };
        self.add(&given, z, width, -1.0);
        given
    }

    /// Adds what the terms explain, so many times.
    pub fn add(&self, given: &CopulaGiven, z: &mut [f64], width: usize, times: f64) {
        z.par_chunks_mut(width)
            .enumerate()
            .for_each(|(record, row)| {
                for (score, constant) in row.iter_mut().zip(&given.constants) {
                    *score += times * constant;
                }
                for (term, value) in given.terms.iter().zip(self.row(record)) {
                    for (score, slope) in row.iter_mut().zip(&term.coefficients) {
                        *score += times * slope * value;
                    }
                }
            });
    }

    /// The terms of a record.
    pub fn row(&self, record: usize) -> &[f64] {
        &self.values[record * self.count()..][..self.count()]
    }
}

/// Normal scores of the middle of each value's ranks; 0 where it is missing. `None` for a constant.
fn middle_scores(table: &Table, id: AttrId, draws: &Draws<'_>) -> Option<Vec<f64>> {
    let (sorted, starts) = scores::sorted(table, id, draws);
    if sorted.constant {
        return None;
    }
    let count = sorted.order.len();
    let mut column = vec![0.0; table.n_records()];
    let mut from = 0;
    for to in 1..=count {
        if starts.get(to).copied().unwrap_or(true) {
            let score = middle_score(from, to, count);
            for &record in &sorted.order[from..to] {
                column[record as usize] = score;
            }
            from = to;
        }
    }
    Some(column)
}

/// Indicators of the categories of an attribute of names, but of the most frequent one (of several the first by name).
fn indicators(table: &Table, id: AttrId) -> Vec<(String, Vec<f64>)> {
    let n = table.n_records();
    let category = |record: usize| {
        (!table.is_missing(record, id)).then(|| table.category(record, id).into_owned())
    };
    let mut places: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for record in 0..n {
        if let Some(category) = category(record) {
            places.entry(category).or_default().push(record);
        }
    }
    let most = (places.values()).map(Vec::len).max().unwrap_or(0);
    let reference = (places.iter())
        .find(|(_, records)| records.len() == most)
        .map(|(name, _)| name.clone());
    (places.into_iter())
        .filter(|(name, _)| Some(name) != reference.as_ref())
        .map(|(name, records)| {
            let mut column = vec![0.0; n];
            for record in records {
                column[record] = 1.0;
            }
            (name, column)
        })
        .collect()
}
