//! A quadratic form of differences, in which a difference and its opposite give the same number.

use ndarray::{Array2, ArrayView2};

use crate::table::matrix::Matrix;

/// The unit roundoff.
const ROUNDING: f64 = f64::EPSILON / 2.0;

/// The squared distance `eᵀ S e`, `e_k = (a_k − b_k) / scale_k`, of the records of two complete files.
///
/// An index searches the mapped points `W z` (with `S = Wᵀ W`) instead, where mirror images about a query get different roundings.
/// Here the number is made of the differences themselves, `Σ_j Σ_{k ≥ j} S_jk (e_j e_k)` in this order (twice where k > j), so that
/// `e` and `−e` give the same bits: records that stand opposite each other about a query tie, as they do on paper.
#[derive(Debug)]
pub struct Form {
    seekers: Matrix,
    sought: Matrix,
    scales: Vec<f64>,
    /// Of each pair of columns j ≤ k the entry of S, doubled where they differ.
    entries: Vec<f64>,
    /// By how much a mapped key can be off: a share of it, and so much more.
    pub errors: (f64, f64),
}

impl Form {
    /// The form `mapᵀ map` on records in units of which `scales` are one.
    pub fn new(
        [seekers, sought]: [Matrix; 2],
        scales: Vec<f64>,
        map: ArrayView2<'_, f64>,
        greatest: &[f64],
    ) -> Self {
        let form: Array2<f64> = map.t().dot(&map);
        let width = scales.len();
        let entries = (0..width)
            .flat_map(|j| (j..width).map(move |k| (j, k)))
            .map(|(j, k)| form[[j, k]] * if j == k { 1.0 } else { 2.0 })
            .collect();
        // What a mapped coordinate is at most, summed over absolute values: no rounding of it is more than some units of that.
        let squares = map.rows().into_iter().map(|row| {
            let terms = row.iter().zip(greatest);
            let most: f64 = terms.map(|(w, z)| w.abs() * z).sum();
            most * most
        });
        let most: f64 = squares.sum();
        // With the root of a key off by 8 units of √most, and the form by 64 units of most: (√key + 8u √most)² + 64u most is no more than
        // key + 8u key + 80u most, since 2 √key √most ≤ key + most.
        let units = ROUNDING * (width as f64 + 8.0);
        Self {
            seekers,
            sought,
            scales,
            entries,
            errors: (8.0 * units, 80.0 * units * most),
        }
    }

    /// The squared distance of a pair.
    pub fn key(&self, seeker: usize, sought: usize) -> f64 {
        let (a, b) = (self.seekers.row(seeker), self.sought.row(sought));
        let difference = |k: usize| (a[k] - b[k]) / self.scales[k];
        let mut entries = self.entries.iter();
        let mut sum = 0.0;
        for j in 0..self.scales.len() {
            let e = difference(j);
            for (k, entry) in (j..self.scales.len()).zip(&mut entries) {
                sum += entry * (e * difference(k));
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: W = (1 1; 0 2), S = (1 1; 1 5); e = (3, 2) gives 9 + 2·6 + 5·4 = 41, and so does its opposite.
    #[test]
    fn a_difference_and_its_opposite() {
        let map = ndarray::arr2(&[[1.0, 1.0], [0.0, 2.0]]);
        let seekers = Matrix::complete(1, 2, vec![10.0, 20.0]);
        let sought = Matrix::complete(3, 2, vec![7.0, 18.0, 13.0, 22.0, 10.0, 20.0]);
        let form = Form::new([seekers, sought], vec![1.0; 2], map.view(), &[22.0; 2]);
        assert_eq!(
            [0, 1, 2].map(|sought| form.key(0, sought)),
            [41.0, 41.0, 0.0]
        );
        let (share, absolute) = form.errors;
        assert!(share > 0.0 && absolute > 0.0 && share * 41.0 + absolute < 1e-9);
    }
}
