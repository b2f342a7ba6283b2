//! Blocks whose groups follow each other along a line.

use std::borrow::Cow;

use super::{Groups, different};
use crate::{
    attack::{Direction, Nearest, Scenario},
    distance::Metric,
    statement::{DistanceScale, Grouping},
    stats::{
        covariance::covariance,
        eigen,
        moments::{Moments, moments_by_attribute},
    },
    table::matrix::Matrix,
};

/// By how much, relative to the greatest position, positions that should be equal may differ by rounding.
const ROUNDING: f64 = 1e-9;

/// Where the records of both files are on the line of a block.
#[derive(Debug)]
pub(super) struct Line {
    /// The attributes of the block.
    attributes: Vec<usize>,
    /// For each record of the intruder; `None` where a value of the block is missing.
    intruder: Vec<Option<f64>>,
    released: Vec<Option<f64>>,
    /// The different positions of released records, ascending.
    averages: Vec<f64>,
    /// How far a published average can be from where the average of positions is.
    error: f64,
}

impl Line {
    /// The line of these attributes; `None` if there is nothing to find a component from.
    pub(super) fn new(
        scenario: &Scenario<'_>,
        attributes: &[usize],
        groups: &Groups,
    ) -> Option<Self> {
        let (intruder, released) = (scenario.intruder, scenario.released);
        // Who holds them all has the very moments by which records were ordered.
        let file = if scenario.holds_all() {
            intruder
        } else {
            released
        };
        let moments = moments_by_attribute(file);
        let unit = |attribute: usize| match groups.scale {
            DistanceScale::None => 1.0,
            DistanceScale::Z if moments[attribute].sd > 0.0 => moments[attribute].sd,
            DistanceScale::Z => f64::INFINITY,
        };
        let point = |matrix: &Matrix, record: usize| -> Option<Vec<f64>> {
            let coordinate = |&attribute: &usize| {
                let Moments { mean, .. } = moments[attribute];
                Some((matrix.value(record, attribute)? - mean) / unit(attribute))
            };
            attributes.iter().map(coordinate).collect()
        };
        let loadings = match groups.algorithm {
            Grouping::Pca { .. } => {
                let points: Vec<f64> = (0..file.n_records())
                    .filter_map(|record| point(file, record))
                    .flatten()
                    .collect();
                let width = attributes.len().max(1);
                let points = Matrix::complete(points.len() / width, attributes.len(), points);
                let covariance = covariance(&points)?;
                if !covariance.iter().all(|entry| entry.is_finite()) {
                    return None;
                }
                eigen::symmetric(covariance).vectors.column(0).to_vec()
            }
            _ => vec![1.0; attributes.len()],
        };
        let positions = |matrix: &Matrix| -> Vec<Option<f64>> {
            let position = |record| {
                let point = point(matrix, record)?;
                let terms = point.iter().zip(&loadings);
                Some(terms.fold(0.0, |sum, (x, loading)| sum + x * loading))
            };
            (0..matrix.n_records()).map(position).collect()
        };
        let (of_intruder, of_released) = (positions(intruder), positions(released));
        let averages = different(of_released.iter().copied().flatten());
        let greatest = averages.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        let mut error = ROUNDING * greatest;
        for (&attribute, loading) in attributes.iter().zip(&loadings) {
            if groups.rounded {
                error += 0.5 * released.unit(attribute) * loading.abs() / unit(attribute);
            }
        }
        Some(Self {
            attributes: attributes.to_vec(),
            intruder: of_intruder,
            released: of_released,
            averages,
            error,
        })
    }

    /// Whether records without a position are those that had none: where gaps of all attributes are in place.
    pub(super) fn has_gaps_in_place(&self, in_place: &[bool]) -> bool {
        self.attributes.iter().all(|&attribute| in_place[attribute])
    }

    /// Adds the positions to the points, in a column that counts nothing in distances.
    pub(super) fn append_to(&self, nearest: &mut Nearest<'_>, direction: Direction) {
        let (seekers, sought) = match direction {
            Direction::OriginalToMasked => (&self.intruder, &self.released),
            Direction::MaskedToOriginal => (&self.released, &self.intruder),
        };
        nearest.seekers = Cow::Owned(nearest.seekers.with_column(seekers));
        nearest.sought = Cow::Owned(nearest.sought.with_column(sought));
        let (mut weights, mut missing) = (
            nearest.metric.weights().to_vec(),
            nearest.metric.missing().to_vec(),
        );
        weights.push(0.0);
        missing.push(0.0);
        nearest.metric = Metric::new(weights, missing);
    }

    /// Where a seeker is; `None` without a position.
    pub(super) fn position(&self, seeker: usize, direction: Direction) -> Option<f64> {
        match direction {
            Direction::OriginalToMasked => self.intruder[seeker],
            Direction::MaskedToOriginal => self.released[seeker],
        }
    }

    /// Between which positions the partners of a seeker at `position` are.
    ///
    /// A record at s is in a group at or after every group whose true position is below s. Published positions t are within e
    /// of the true ones: `t_h < s − e` puts group h before s, hence the record's own group not below `t_h − 2e`.
    pub(super) fn interval(&self, position: f64, direction: Direction) -> (f64, f64) {
        let e = self.error;
        let (own, others) = match direction {
            Direction::OriginalToMasked => (e, 2.0 * e),
            Direction::MaskedToOriginal => (2.0 * e, e),
        };
        let below = self.averages.partition_point(|&t| t < position - own);
        let above = self.averages.partition_point(|&t| t <= position + own);
        let below = below.checked_sub(1).map(|last| self.averages[last]);
        let above = self.averages.get(above);
        (
            below.map_or(f64::MIN, |t| t - others),
            above.map_or(f64::MAX, |t| t + others),
        )
    }
}
