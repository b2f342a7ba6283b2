//! Linking by a distance of a family with given parameters: the plain linkage that recounts what was learned.

use std::{borrow::Cow, cmp::Ordering, sync::Arc};

use ndarray::Array2;

use super::{
    competitors::{Competitors, Room, weighted},
    differences::Differences,
    exactly::Exactly,
    family::{Family, Scratch},
};
use crate::{
    attack::{Decides, Lists, Nearest, Preference, points::by_record},
    distance::Metric,
    optimize::subsystem::Semidefinite,
    table::matrix::Matrix,
};

/// The preference of an intruder who compares records by this distance. It knows nothing of how the parameters were found.
///
/// # Ties
/// Where costs are closer than rounding can resolve, they are compared without it: a tie is equality of the numbers that the definition
/// gives.
///
/// # Search
/// A weighted mean and a form without negative eigenvalue are distances between points and are searched as such. The others
/// compare every pair, O(n²) time and O(n) memory, up to [`COMPARED`] pairs; of larger files the boxes of a tree leave out most pairs where
/// the family is monotone.
pub(super) fn preference<'a>(
    differences: Differences<'a>,
    family: Family,
    parameters: &[f64],
) -> Preference<'a> {
    if family.is_weighted_mean() {
        return weighted_mean(differences, family, parameters).into();
    }
    let points = if family.is_bilinear() {
        as_points(&differences, parameters)
    } else {
        None
    };
    let mut decides = Exactly::new(Arc::new(differences), family, parameters);
    if let Some(points) = points {
        decides.mapped = MAPPED;
        let nearest = Nearest {
            decides: Some(Box::new(decides)),
            ..points
        };
        return nearest.into();
    }
    Preference::Lists(Box::new(EveryPair::new(decides, parameters, COMPARED)))
}

/// So many pairs are compared one by one: that owes nothing to the index by which the distance was learned.
const COMPARED: usize = 100_000_000;

/// How much more may be rounded of a distance between points that an eigenvector map made: amply for what the map does to each value.
const MAPPED: f64 = 64.0;

fn weighted_mean<'a>(
    differences: Differences<'a>,
    family: Family,
    parameters: &[f64],
) -> Nearest<'a> {
    // A weight that is nothing but rounding below 0 is 0.
    let parameters: Vec<f64> = parameters.iter().map(|p| p.max(0.0)).collect();
    let decides = Exactly::new(Box::new(differences.again()), family, &parameters);
    Nearest {
        metric: weighted(&differences, &parameters),
        decides: Some(Box::new(decides)),
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
        decides: None,
    })
}

/// Every sought record is a candidate, and costs its distance.
#[derive(Debug)]
pub(super) struct EveryPair<'a> {
    decides: Exactly<Arc<Differences<'a>>>,
    parameters: Vec<f64>,
    /// What the cheapest are found by, if not by comparing every pair.
    searched: Option<Competitors<Arc<Differences<'a>>>>,
}

impl<'a> EveryPair<'a> {
    /// The cheapest are found by comparing every pair of up to so many.
    pub fn new(
        decides: Exactly<Arc<Differences<'a>>>,
        parameters: &[f64],
        compared: usize,
    ) -> Self {
        let (differences, family) = (&decides.differences, decides.family);
        let pairs = differences
            .n_seekers()
            .saturating_mul(differences.n_sought());
        let searched = family.is_monotone() && pairs > compared;
        Self {
            searched: searched.then(|| Competitors::new(Arc::clone(differences), family)),
            parameters: parameters.to_vec(),
            decides,
        }
    }
}

impl Lists for EveryPair<'_> {
    fn n_seekers(&self) -> usize {
        self.decides.differences.n_seekers()
    }

    fn n_sought(&self) -> usize {
        self.decides.differences.n_sought()
    }

    fn list(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        let differences = &self.decides.differences;
        let mut scratch = Scratch::new(differences.n_attributes());
        list.clear();
        list.extend((0..self.n_sought()).map(|sought| {
            let distance = self.decides.family.distance(
                differences,
                (seeker, sought),
                &self.parameters,
                &mut scratch,
            );
            (u32::try_from(sought).unwrap_or(u32::MAX), distance)
        }));
    }

    fn is_searched(&self) -> bool {
        self.searched.is_some()
    }

    fn cheapest(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        match &self.searched {
            Some(competitors) => {
                let mut room = Room::new(self.decides.differences.n_attributes());
                competitors.cheapest(seeker, &self.parameters, &self.decides, &mut room, list);
            }
            None => self.list(seeker, list),
        }
        let doubt = self.decides.doubt(seeker);
        let order = |a, b| self.decides.order(seeker, doubt, a, b);
        let best = list
            .iter()
            .copied()
            .reduce(|best, other| match order(other, best) {
                Ordering::Less => other,
                _ => best,
            });
        if let Some(best) = best {
            list.retain(|&other| order(other, best).is_eq());
        }
    }

    fn decides(&self) -> Option<&dyn Decides> {
        Some(&self.decides)
    }

    fn is_likelihood(&self) -> bool {
        false
    }
}
