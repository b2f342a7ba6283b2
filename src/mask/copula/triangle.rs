//! Squared Mahalanobis distances of many rows.

use ndarray::{Array1, Array2};
use pulp::{Arch, NullaryFnOnce};

/// Rows that are worked on side by side. Each has its own sums in the order of its scores, so that results are the same for any number.
pub(super) const LANES: usize = 8;

/// A number of each of these rows.
pub(super) type Lanes = [f64; LANES];

/// A mean and the inverse of the lower triangle of a covariance.
pub(super) struct Triangle {
    mean: Vec<f64>,
    /// Row by row.
    inverse: Vec<f64>,
}

impl Triangle {
    pub fn new(mean: &Array1<f64>, inverse: &Array2<f64>) -> Self {
        Self {
            mean: mean.to_vec(),
            inverse: inverse.iter().copied().collect(),
        }
    }

    /// The squared distances of some rows from the mean; `off` is room for as many numbers of each.
    #[inline(always)]
    pub fn squares(&self, rows: &[Lanes], off: &mut [Lanes]) -> Lanes {
        let width = self.mean.len();
        for ((off, row), mean) in off.iter_mut().zip(rows).zip(&self.mean) {
            for (to, x) in off.iter_mut().zip(row) {
                *to = x - mean;
            }
        }
        let mut squares = [0.0; LANES];
        for (i, line) in self.inverse.chunks_exact(width).enumerate() {
            let mut sums = [0.0; LANES];
            for (w, off) in line[..=i].iter().zip(off.iter()) {
                for (sum, x) in sums.iter_mut().zip(off) {
                    *sum += w * x;
                }
            }
            for (square, sum) in squares.iter_mut().zip(&sums) {
                *square += sum * sum;
            }
        }
        squares
    }
}

/// Work on rows of this width, as many at a time as there are lanes.
pub(super) trait OnRows {
    /// Works on the rows from this one on, so many of them; the lanes beyond are 0.
    fn work(&mut self, from: usize, count: usize, rows: &[Lanes], off: &mut [Lanes]);
}

/// Lets the work be done on all rows, in order, with the vectors that this machine has.
pub(super) fn on_rows(rows: &[f64], width: usize, work: &mut impl OnRows) {
    Arch::new().dispatch(Run { rows, width, work });
}

struct Run<'a, W> {
    rows: &'a [f64],
    width: usize,
    work: &'a mut W,
}

impl<W: OnRows> NullaryFnOnce for Run<'_, W> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let mut lanes = vec![[0.0; LANES]; self.width];
        let mut off = lanes.clone();
        for (group, rows) in self.rows.chunks(LANES * self.width).enumerate() {
            let count = rows.len() / self.width;
            for (place, row) in rows.chunks_exact(self.width).enumerate() {
                for (lanes, &x) in lanes.iter_mut().zip(row) {
                    lanes[place] = x;
                }
            }
            for lanes in &mut lanes {
                lanes[count..].fill(0.0);
            }
            self.work.work(group * LANES, count, &lanes, &mut off);
        }
    }
}
