//! Both files as standardised points without gaps: what distances with correlations are taken between.

use ndarray::{Array2, ArrayView2};
use rayon::prelude::*;

use super::{
    Scenario,
    distance_based::{Standardize, Units, out_of_range},
    nominal::{Expanded, Holds},
};
use crate::{
    error::Result,
    stats::moments::{Moments, moments_by_attribute},
    table::matrix::Matrix,
};

/// Points are nearer to 0 than this in each coordinate, so that squares and products of a few are within the range of numbers.
const MAX: f64 = 1e60;

/// Both files in standardised units, gaps still marked.
#[derive(Debug)]
pub(super) struct Points {
    /// The records that look.
    pub seekers: Matrix,
    /// The records among which they look.
    pub sought: Matrix,
    /// How each column was standardised.
    pub units: Vec<Units>,
    /// The known attribute behind each column.
    pub attributes: Vec<usize>,
    /// The column of the expanded files behind each.
    kept: Vec<usize>,
}

impl Points {
    /// Standardises both files. Of the indicators of a nominal attribute the first is left out: it follows from the others.
    ///
    /// # Errors
    /// Input, when an attribute has no spread, or too many categories.
    pub fn new(scenario: &Scenario<'_>, standardize: Standardize) -> Result<Self> {
        let expanded = Expanded::new(scenario)?;
        let all = Units::of_columns(scenario, &expanded, standardize)?;
        let kept: Vec<usize> = (0..all.len())
            .filter(|&place| expanded.columns[place].holds != Holds::Indicator { code: 0 })
            // Nor categories that a file does not have: they tell nobody apart there.
            .filter(|&place| all[place].seekers.scale > 0.0 && all[place].sought.scale > 0.0)
            .collect();
        let units: Vec<Units> = kept.iter().map(|&place| all[place]).collect();
        let side = |matrix: &Matrix, unit: fn(&Units) -> &super::distance_based::Unit| {
            let value = |record: usize, column: usize| {
                unit(&units[column]).standardised(matrix.row(record)[kept[column]])
            };
            let mut points = by_record(matrix.n_records(), kept.len(), |record, row| {
                for (column, cell) in row.iter_mut().enumerate() {
                    *cell = value(record, column);
                }
            });
            for record in (0..matrix.n_records()).filter(|&record| matrix.has_missing(record)) {
                for (column, &place) in kept.iter().enumerate() {
                    if matrix.is_missing(record, place) {
                        points.set_missing(record, column);
                    }
                }
            }
            points
        };
        let (seekers, sought) = (
            side(&expanded.seekers, |units| &units.seekers),
            side(&expanded.sought, |units| &units.sought),
        );
        // Sums of squares must be numbers, too.
        let fits = |value: &f64| value.abs() < MAX;
        if !seekers.values().iter().chain(sought.values()).all(fits) {
            return Err(out_of_range());
        }
        Ok(Self {
            seekers,
            sought,
            attributes: kept
                .iter()
                .map(|&place| expanded.columns[place].attribute)
                .collect(),
            units,
            kept,
        })
    }

    /// By what a tree of the sought points is halved, where attributes have indicators: the sought records themselves, with a weight for each attribute.
    /// Categories by their codes are parted at once, but halves by one indicator leave all other categories in both. `None` without indicators.
    pub fn halved_by<'a>(&self, scenario: &Scenario<'a>) -> Option<(&'a Matrix, Vec<f64>)> {
        let mut neighbours = self.attributes.windows(2);
        if !neighbours.any(|two| two[0] == two[1]) {
            return None;
        }
        let sought = scenario.sought();
        let square = |of: &Moments| of.sd * of.sd;
        // What an attribute adds to the squared distance of two records, on average, in the units of its values.
        let mut weights = vec![0.0; sought.n_attributes()];
        for (&attribute, of) in self
            .attributes
            .iter()
            .zip(moments_by_attribute(&self.sought))
        {
            weights[attribute] += square(&of);
        }
        for (weight, of) in weights.iter_mut().zip(moments_by_attribute(sought)) {
            *weight /= square(&of);
            if !weight.is_finite() {
                *weight = 0.0;
            }
        }
        Some((sought, weights))
    }

    /// Both files in the units of the sought one, not divided by anything: equal differences are equal to the last bit. `None` if a
    /// value is missing.
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    pub fn in_sought_units(&self, scenario: &Scenario<'_>) -> Result<Option<[Matrix; 2]>> {
        if !self.seekers.is_complete() || !self.sought.is_complete() {
            return Ok(None);
        }
        let expanded = Expanded::new(scenario)?;
        let side = |matrix: &Matrix, turned: bool| {
            by_record(matrix.n_records(), self.kept.len(), |record, row| {
                let values = matrix.row(record);
                for ((cell, &place), units) in row.iter_mut().zip(&self.kept).zip(&self.units) {
                    *cell = if turned {
                        units.in_sought_units(values[place])
                    } else {
                        values[place]
                    };
                }
            })
        };
        Ok(Some([
            side(&expanded.seekers, true),
            side(&expanded.sought, false),
        ]))
    }

    /// The greatest absolute value of each column in either file.
    pub fn greatest(&self) -> Vec<f64> {
        let mut greatest = vec![0.0_f64; self.units.len()];
        for matrix in [&self.seekers, &self.sought] {
            for record in 0..matrix.n_records() {
                for (most, value) in greatest.iter_mut().zip(matrix.row(record)) {
                    *most = most.max(value.abs());
                }
            }
        }
        greatest
    }

    /// The differences (seeker − sought) of the true pairs that miss nothing.
    pub fn aligned_differences(&self, aligned: &[Option<u32>]) -> Matrix {
        let width = self.units.len();
        let mut values = Vec::new();
        for (seeker, sought) in aligned.iter().enumerate() {
            let Some(sought) = sought.map(|sought| sought as usize) else {
                continue;
            };
            if self.seekers.has_missing(seeker) || self.sought.has_missing(sought) {
                continue;
            }
            let pairs = self.seekers.row(seeker).iter().zip(self.sought.row(sought));
            values.extend(pairs.map(|(a, b)| a - b));
        }
        Matrix::complete(values.len() / width.max(1), width, values)
    }

    /// Both files through a linear map `x → map · x` after which distance is Euclidean.
    ///
    /// # Missing
    /// A missing value counts as one drawn at random from its file: it stands at the file's mean, and the expected squared
    /// distance of the scatter around it, `(mapᵀ map)_jj · variance_j`, is added in a coordinate of its own.
    pub fn mapped(&self, map: ArrayView2<'_, f64>) -> (Matrix, Matrix) {
        let form = map.t().dot(&map);
        let side = |matrix: &Matrix, at: usize| {
            let gaps = usize::from(!self.seekers.is_complete() || !self.sought.is_complete()) * 2;
            let width = map.nrows();
            by_record(matrix.n_records(), width + gaps, |record, row| {
                let point = self.filled(matrix, at, record);
                for (cell, direction) in row.iter_mut().zip(map.rows()) {
                    *cell = direction.iter().zip(&point).map(|(a, b)| a * b).sum();
                }
                if gaps > 0 {
                    let scatter: f64 = (0..self.units.len())
                        .filter(|&column| matrix.is_missing(record, column))
                        .map(|column| form[[column, column]] * self.unit(at, column).variance)
                        .sum();
                    // Seekers and sought records add theirs in different coordinates, so that squares add up.
                    row[width + at] = scatter.sqrt();
                }
            })
        };
        (side(&self.seekers, 0), side(&self.sought, 1))
    }

    /// Both files with the missing values at the mean of their file.
    pub fn at_means(&self) -> (Matrix, Matrix) {
        let side = |matrix: &Matrix, at: usize| {
            by_record(matrix.n_records(), self.units.len(), |record, row| {
                row.copy_from_slice(&self.filled(matrix, at, record));
            })
        };
        (side(&self.seekers, 0), side(&self.sought, 1))
    }

    fn unit(&self, side: usize, column: usize) -> super::distance_based::Unit {
        let units = &self.units[column];
        [units.seekers, units.sought][side]
    }

    fn filled(&self, matrix: &Matrix, side: usize, record: usize) -> Vec<f64> {
        let row = matrix.record(record);
        let value = |column| {
            if row.is_missing(column) {
                self.unit(side, column).mean
            } else {
                row.values()[column]
            }
        };
        (0..self.units.len()).map(value).collect()
    }
}

/// A complete matrix, made record by record in parallel.
pub(super) fn by_record(
    n_records: usize,
    width: usize,
    fill: impl Fn(usize, &mut [f64]) + Sync,
) -> Matrix {
    let mut values = vec![0.0; n_records * width];
    values
        .par_chunks_mut(width.max(1))
        .enumerate()
        .for_each(|(record, row)| fill(record, row));
    Matrix::complete(n_records, width, values)
}

/// The square matrix with this diagonal.
pub(super) fn diagonal(of: &[f64]) -> Array2<f64> {
    Array2::from_diag(&ndarray::Array1::from(of.to_vec()))
}
