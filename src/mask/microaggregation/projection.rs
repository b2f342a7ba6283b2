//! Microaggregation along one axis: records are ordered by one number each, then grouped optimally along that order.

use std::cmp::Ordering;

use super::{Partition, path, scale, univariate};
use crate::{statement::ArcCost, stats::eigen, table::Matrix};

/// The number by which records are ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Projection {
    /// The sum of the coordinates: of the z-scores, where the points are standardised.
    ZScores,
    /// The score on the first principal component of the points.
    PrincipalComponent,
}

/// Groups of k to 2k−1 records that follow each other on an axis, with the least sum of costs among all such partitions.
///
/// # Ties
/// Records with equal projections stand in their order in the file. The sign of the principal component is fixed (see
/// [`eigen::symmetric`]). If several components have the same greatest variance, any of their mixtures is first; which one
/// is taken depends on the last bits of the covariances, and is the same in every run on the same points.
/// If the points do not vary at all, all projections are equal.
///
/// # Complexity
/// O(n d + n log n) for sums, O(n d² + d³) for principal components; then as [`univariate::optimal`] for projected costs,
/// O(n k d) for multivariate ones. O(n + d²) memory beside the points.
///
/// # Source
/// Single-axis methods: J. Domingo-Ferrer, J. M. Mateo-Sanz, "Practical data-oriented microaggregation for statistical disclosure
/// control", IEEE TKDE 14, 2002; with optimal groups in place of fixed ones after Hansen and Mukherjee 2003.
///
/// # Panics
/// If k is 0.
pub fn projected(points: &Matrix, projection: Projection, cost: ArcCost, k: usize) -> Partition {
    let points = scale::tamed(points);
    let numbers = match projection {
        Projection::ZScores => sums(&points),
        Projection::PrincipalComponent => principal_scores(&points),
    };
    match cost {
        ArcCost::Projected => univariate::optimal(&numbers, k),
        ArcCost::Multivariate => {
            let order = univariate::ascending(&numbers);
            let sizes = path::best_runs(&points, &order, k);
            univariate::of_runs(points.n_records(), &order, &sizes)
        }
    }
}

fn sums(points: &Matrix) -> Vec<f64> {
    (0..points.n_records())
        .map(|record| points.row(record).iter().sum())
        .collect()
}

fn principal_scores(points: &Matrix) -> Vec<f64> {
    let means = means(points);
    let components = eigen::symmetric(covariances(points, &means));
    let Some(first) = components.vectors.columns().into_iter().next() else {
        return vec![0.0; points.n_records()];
    };
    let score = |record| {
        let centred = points.row(record).iter().zip(&means);
        centred
            .zip(first)
            .fold(0.0, |sum, ((x, mean), loading)| sum + loading * (x - mean))
    };
    (0..points.n_records()).map(score).collect()
}

fn means(points: &Matrix) -> Vec<f64> {
    let mut means = vec![0.0; points.n_attributes()];
    for record in 0..points.n_records() {
        for (sum, value) in means.iter_mut().zip(points.row(record)) {
            *sum += value;
        }
    }
    let n = points.n_records().max(1) as f64;
    means.iter_mut().for_each(|sum| *sum /= n);
    means
}

/// Covariances (divisor n, which no eigenvector sees).
fn covariances(points: &Matrix, means: &[f64]) -> ndarray::Array2<f64> {
    let width = points.n_attributes();
    let mut sums = vec![0.0; width * width];
    let mut centred = vec![0.0; width];
    for record in 0..points.n_records() {
        for ((out, x), mean) in centred.iter_mut().zip(points.row(record)).zip(means) {
            *out = x - mean;
        }
        for (a, row) in sums.chunks_exact_mut(width.max(1)).enumerate() {
            for (sum, b) in row[..=a].iter_mut().zip(&centred) {
                *sum += centred[a] * b;
            }
        }
    }
    let n = points.n_records().max(1) as f64;
    ndarray::Array2::from_shape_fn((width, width), |(a, b)| match a.cmp(&b) {
        Ordering::Less => sums[b * width + a] / n,
        _ => sums[a * width + b] / n,
    })
}
