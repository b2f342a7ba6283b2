//! Means and covariances of numbers that are made on the way, by blocks of fixed size that are summed in order.

use std::ops::Range;

use ndarray::{Array1, Array2};
use rayon::prelude::*;

use super::draws::{BLOCK, records_of};

/// Sums of weights, of rows and of their products.
#[derive(Clone)]
pub(super) struct Sums {
    pub weight: f64,
    rows: Vec<f64>,
    /// The lower triangle.
    products: Vec<f64>,
}

impl Sums {
    pub fn none(width: usize) -> Self {
        Self {
            weight: 0.0,
            rows: vec![0.0; width],
            products: vec![0.0; width * width],
        }
    }

    pub fn add(&mut self, row: &[f64], weight: f64) {
        let width = row.len();
        self.weight += weight;
        for (j, &value) in row.iter().enumerate() {
            let weighted = weight * value;
            self.rows[j] += weighted;
            let products = &mut self.products[j * width..=j * width + j];
            for (sum, other) in products.iter_mut().zip(row) {
                *sum += weighted * other;
            }
        }
    }

    pub fn joined(mut self, other: &Self) -> Self {
        self.weight += other.weight;
        let both = |own: &mut [f64], more: &[f64]| {
            own.iter_mut().zip(more).for_each(|(a, b)| *a += b);
        };
        both(&mut self.rows, &other.rows);
        both(&mut self.products, &other.products);
        self
    }

    /// Means, and covariances with the weights as divisor. Rows are near standard, so that nothing cancels.
    pub fn moments(&self) -> (Array1<f64>, Array2<f64>) {
        let width = self.rows.len();
        let weight = self.weight.max(f64::MIN_POSITIVE);
        let mean: Array1<f64> = self.rows.iter().map(|sum| sum / weight).collect();
        let covariance = Array2::from_shape_fn((width, width), |(i, j)| {
            self.products[i.max(j) * width + i.min(j)] / weight - mean[i] * mean[j]
        });
        (mean, covariance)
    }
}

/// Moments of `n` rows, each written into a buffer of this width.
pub(super) fn moments(
    n: usize,
    width: usize,
    write: impl Fn(usize, &mut [f64]) + Sync,
) -> (Array1<f64>, Array2<f64>) {
    let blocks: Vec<Sums> = (0..n.div_ceil(BLOCK))
        .into_par_iter()
        .map(|block| {
            let mut sums = Sums::none(width);
            let mut row = vec![0.0; width];
            for record in records_of(block, n) {
                write(record, &mut row);
                sums.add(&row, 1.0);
            }
            sums
        })
        .collect();
    let all = blocks
        .iter()
        .fold(Sums::none(width), |all, block| all.joined(block));
    all.moments()
}

/// Some rows and columns of a matrix.
pub(super) fn part(matrix: &Array2<f64>, rows: Range<usize>, columns: Range<usize>) -> Array2<f64> {
    Array2::from_shape_fn((rows.len(), columns.len()), |(i, j)| {
        matrix[[rows.start + i, columns.start + j]]
    })
}
