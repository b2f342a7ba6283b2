//! Linking by a distance of a family with given parameters: the plain linkage that recounts what was learned.

use std::borrow::Cow;

use ndarray::Array2;

use super::{
    differences::Differences,
    family::{Family, Scratch},
};
use crate::{
    attack::{Lists, Nearest, Preference, points::by_record},
    distance::Metric,
    optimize::subsystem::Semidefinite,
    table::matrix::Matrix,
};

/// The preference of an intruder who compares records by this distance. It knows nothing of how the parameters were found.
///
/// # Search
/// A weighted mean and a form without negative eigenvalue are distances between points and are searched as such; the others
/// compare every pair, O(n²) time and O(n) memory.
pub(super) fn preference<'a>(
    differences: Differences<'a>,
    family: Family,
    parameters: &[f64],
) -> Preference<'a> {
    if matches!(family, Family::WeightedMean | Family::WeightedMeanMetric) {
        return weighted(differences, parameters).into();
    }
    if family.is_bilinear()
        && let Some(nearest) = as_points(&differences, parameters)
    {
        return nearest.into();
    }
    Preference::Lists(Box::new(EveryPair {
        differences,
        family,
        parameters: parameters.to_vec(),
    }))
}

fn weighted<'a>(differences: Differences<'a>, parameters: &[f64]) -> Nearest<'a> {
    let metric = &differences.nearest.metric;
    let times = |of: &[f64]| -> Vec<f64> {
        let share = differences.attribute_of_columns().map(|k| parameters[k]);
        // A weight that is nothing but rounding below 0 is 0.
        of.iter().zip(share).map(|(w, p)| w * p.max(0.0)).collect()
    };
    let metric = Metric::new(times(metric.weights()), times(metric.missing()));
    Nearest {
        metric,
        ..differences.nearest
    }
}

/// A form without negative eigenvalue, on files without gaps, as Euclidean points.
fn as_points<'a>(differences: &Differences<'a>, parameters: &[f64]) -> Option<Nearest<'a>> {
    let points = &differences.nearest;
    if !points.seekers.is_complete() || !points.sought.is_complete() {
        return None;
    }
    let n = differences.n_attributes();
    let roots: Vec<f64> = points.metric.weights().iter().map(|w| w.sqrt()).collect();
    let eigen = Semidefinite { order: n }.eigen(parameters);
    if eigen.values.iter().any(|&value| value < 0.0) {
        return None;
    }
    let map = Array2::from_shape_fn((n, n), |(row, column)| {
        eigen.vectors[[column, row]] * eigen.values[row].sqrt() * roots[column]
    });
    let mapped = |matrix: &Matrix| {
        by_record(matrix.n_records(), n, |record, cells| {
            for (cell, direction) in cells.iter_mut().zip(map.rows()) {
                let values = matrix.row(record);
                *cell = direction.iter().zip(values).map(|(a, b)| a * b).sum();
            }
        })
    };
    Some(Nearest {
        seekers: Cow::Owned(mapped(&points.seekers)),
        sought: Cow::Owned(mapped(&points.sought)),
        metric: Metric::new(vec![1.0; n], vec![0.0; n]),
        candidates: None,
        form: None,
    })
}

/// Every sought record is a candidate, and costs its distance.
#[derive(Debug)]
struct EveryPair<'a> {
    differences: Differences<'a>,
    family: Family,
    parameters: Vec<f64>,
}

impl Lists for EveryPair<'_> {
    fn n_seekers(&self) -> usize {
        self.differences.n_seekers()
    }

    fn n_sought(&self) -> usize {
        self.differences.n_sought()
    }

    fn list(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        let mut scratch = Scratch::new(self.differences.n_attributes());
        list.clear();
        list.extend((0..self.n_sought()).map(|sought| {
            let distance = self.family.distance(
                &self.differences,
                (seeker, sought),
                &self.parameters,
                &mut scratch,
            );
            (u32::try_from(sought).unwrap_or(u32::MAX), distance)
        }));
    }

    fn is_likelihood(&self) -> bool {
        false
    }
}
