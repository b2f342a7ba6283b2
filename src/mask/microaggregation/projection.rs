//! Microaggregation along one axis: records are ordered by one number each, then grouped optimally along that order.

use super::{Partition, path, scale, univariate};
use crate::{
    statement::ArcCost,
    stats::{covariance::covariance, eigen},
    table::Matrix,
};

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
    let everybody = 0..points.n_records();
    let Some(covariances) = covariance(points) else {
        return vec![0.0; points.n_records()];
    };
    let components = eigen::symmetric(covariances);
    let Some(first) = components.vectors.columns().into_iter().next() else {
        return vec![0.0; points.n_records()];
    };
    // A constant more or less moves nobody past another.
    let score = |record| {
        let coordinates = points.row(record).iter().zip(first);
        coordinates.fold(0.0, |sum, (x, loading)| sum + loading * x)
    };
    everybody.map(score).collect()
}
