//! What users compute from a file: means, variances, covariances, correlations, quantiles.

use rayon::prelude::*;

use crate::{
    stats::{
        density::quantile,
        moments::{Moments, freedom, moments, sum, weighted_moments},
    },
    table::matrix::columns::Columns,
};

/// Quantiles at 5, 10, …, 95 %.
pub const QUANTILES: usize = 19;

/// The share below the i-th quantile, counted from 0.
pub fn share(i: usize) -> f64 {
    (i + 1) as f64 / 20.0
}

/// Correlations nearer to −1 or 1 than this are −1 or 1: the rest is rounding.
const ROUNDING: f64 = 1e-12;

/// The statistics of one file. `None` is not defined: divided by 0, of too few values, or of values so large that sums or squares of
/// them are beyond the range of numbers.
///
/// ```text
/// mean_j      = Σ x_j / n
/// Cov(j, k)   = Σ (x_j − mean_j)(x_k − mean_k) / (n − 1)         Var(j) = Cov(j, j)
/// Corr(j, k)  = Cov(j, k) / sqrt(Var(j) Var(k))
/// quantile    = between order statistics, at the place (n − 1) q   (type 7 of Hyndman and Fan)
/// ```
///
/// # Missing
/// Each statistic is of the values that are there: of two attributes, of the records that miss neither, with the means and
/// variances of these records.
///
/// # Complexity
/// O(n p²) time and O(n p + p²) memory, parallel over attributes and pairs of them, each summed in the order of the records.
#[derive(Debug, Clone, PartialEq)]
pub struct Statistics {
    /// One an attribute.
    pub means: Vec<Option<f64>>,
    /// One an attribute.
    pub variances: Vec<Option<f64>>,
    /// One a pair of [`lower_triangle`], the variances among them.
    pub covariances: Vec<Option<f64>>,
    /// Likewise; of an attribute with itself 1, if it has a variance.
    pub correlations: Vec<Option<f64>>,
    /// [`QUANTILES`] an attribute.
    pub quantiles: Vec<Option<f64>>,
    /// Whether one of them is beyond the range of numbers.
    pub too_large: bool,
}

impl Statistics {
    /// Those of a file, whose moments are these.
    pub fn of(columns: &Columns, moments: &[Moments]) -> Self {
        let attributes = 0..columns.n_attributes();
        let quantiles: Vec<Vec<Option<f64>>> = (attributes.clone().into_par_iter())
            .map(|attribute| quantiles(&columns.present(attribute)))
            .collect();
        let joint: Vec<Vec<Joint>> = (attributes.into_par_iter())
            .map(|j| Joint::with_those_before(columns, moments, j))
            .collect();
        Self::new(moments, &joint.concat(), quantiles.concat())
    }

    /// Those of a file whose records have weights; quantiles are left out.
    pub fn weighted(columns: &Columns, weights: &[f64]) -> Self {
        let p = columns.n_attributes();
        let with_weights = |cells: Box<dyn Iterator<Item = Option<f64>> + '_>| -> Vec<(f64, f64)> {
            let both = cells.zip(weights);
            both.filter_map(|(cell, &weight)| Some((cell?, weight)))
                .collect()
        };
        let moments: Vec<Moments> = (0..p)
            .into_par_iter()
            .map(|j| weighted_moments(with_weights(Box::new(columns.cells(j))).into_iter()))
            .collect();
        let joint: Vec<Joint> = (lower_triangle(p).collect::<Vec<_>>().par_iter())
            .map(|&[j, k]| Joint::weighted(columns, weights, &moments, j, k))
            .collect();
        Self::new(&moments, &joint, vec![None; p * QUANTILES])
    }

    fn new(moments: &[Moments], joint: &[Joint], quantiles: Vec<Option<f64>>) -> Self {
        let mut of = Self {
            means: moments
                .iter()
                .map(|moments| (moments.count > 0).then_some(moments.mean))
                .collect(),
            variances: moments.iter().map(variance).collect(),
            covariances: joint.iter().map(|joint| joint.covariance).collect(),
            correlations: joint.iter().map(|joint| joint.correlation).collect(),
            quantiles,
            too_large: false,
        };
        of.leave_out_too_large();
        of
    }

    /// An infinite statistic would hide every difference: divided by it, all is 0.
    fn leave_out_too_large(&mut self) {
        let all = [
            &mut self.means,
            &mut self.variances,
            &mut self.covariances,
            &mut self.correlations,
            &mut self.quantiles,
        ];
        for statistic in all.into_iter().flatten() {
            if statistic.is_some_and(|value| !value.is_finite()) {
                *statistic = None;
                self.too_large = true;
            }
        }
    }
}

/// The pairs of attributes (j, k) with k ≤ j, row by row: the lower triangle of a matrix of p attributes.
pub fn lower_triangle(p: usize) -> impl Iterator<Item = [usize; 2]> {
    (0..p).flat_map(|j| (0..=j).map(move |k| [j, k]))
}

/// The variance of each attribute, as in [`Statistics`].
pub fn variances_of(moments: &[Moments]) -> Vec<Option<f64>> {
    let finite = |moments| variance(moments).filter(|variance| variance.is_finite());
    moments.iter().map(finite).collect()
}

fn variance(moments: &Moments) -> Option<f64> {
    (moments.count > 1).then_some(moments.sd * moments.sd)
}

fn quantiles(values: &[f64]) -> Vec<Option<f64>> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    (0..QUANTILES)
        .map(|i| (!sorted.is_empty()).then(|| quantile(&sorted, share(i))))
        .collect()
}

/// Covariance and correlation of two attributes.
#[derive(Debug, Clone, Copy)]
struct Joint {
    covariance: Option<f64>,
    correlation: Option<f64>,
}

/// Attributes whose sums of products with another one are added up together, so that none waits for its own last addition.
const LANES: usize = 4;

impl Joint {
    /// Of an attribute with each up to itself.
    fn with_those_before(columns: &Columns, all: &[Moments], j: usize) -> Vec<Self> {
        let mut joint = Vec::with_capacity(j + 1);
        while joint.len() <= j {
            let next = joint.len();
            let several = (next + LANES <= j && all[j].count >= 2)
                .then(|| Self::of_several(columns, all, j, next))
                .flatten();
            match several {
                Some(several) => joint.extend(several),
                None => joint.push(Self::of(columns, all, j, next)),
            }
        }
        joint
    }

    /// Of an attribute with several, if no record misses one of them.
    fn of_several(
        columns: &Columns,
        all: &[Moments],
        j: usize,
        first: usize,
    ) -> Option<[Self; LANES]> {
        let x = columns.complete(j)?;
        let mut others = [x; LANES];
        for (other, k) in others.iter_mut().zip(first..) {
            *other = columns.complete(k)?;
        }
        let means: [f64; LANES] = std::array::from_fn(|lane| all[first + lane].mean);
        // As an iterator's sum begins.
        let mut products = [-0.0; LANES];
        let [a, b, c, d] = others;
        for ((((x, a), b), c), d) in x.iter().zip(a).zip(b).zip(c).zip(d) {
            let deviation = x - all[j].mean;
            products[0] += deviation * (a - means[0]);
            products[1] += deviation * (b - means[1]);
            products[2] += deviation * (c - means[2]);
            products[3] += deviation * (d - means[3]);
        }
        Some(std::array::from_fn(|lane| {
            Self::of_products(products[lane], x.len(), &all[j], &all[first + lane])
        }))
    }

    fn of(columns: &Columns, all: &[Moments], j: usize, k: usize) -> Self {
        if j == k {
            return Self::of_itself(&all[j]);
        }
        Self::of_pairs(columns, all, j, k)
    }

    fn weighted(columns: &Columns, weights: &[f64], all: &[Moments], j: usize, k: usize) -> Self {
        if j == k {
            return Self::of_itself(&all[j]);
        }
        let cells = columns.cells(j).zip(columns.cells(k)).zip(weights);
        let both = cells.filter(|(_, weight)| **weight > 0.0);
        let both = both.filter_map(|((x, y), &weight)| Some((x?, y?, weight)));
        let both: Vec<(f64, f64, f64)> = both.collect();
        if both.len() < 2 {
            return Self {
                covariance: None,
                correlation: None,
            };
        }
        let a = weighted_moments(both.iter().map(|&(x, _, weight)| (x, weight)));
        let b = weighted_moments(both.iter().map(|&(_, y, weight)| (y, weight)));
        let products = both
            .iter()
            .map(|(x, y, weight)| weight * ((x - a.mean) * (y - b.mean)));
        let products: f64 = products.sum();
        let total = sum(both.iter().map(|(.., weight)| *weight));
        let covariance = products / freedom(total, both.len());
        Self {
            covariance: Some(covariance),
            correlation: (a.sd != 0.0 && b.sd != 0.0).then(|| whole(covariance / a.sd / b.sd)),
        }
    }

    fn of_itself(of: &Moments) -> Self {
        let variance = variance(of);
        Self {
            covariance: variance,
            correlation: (variance.filter(|&variance| variance > 0.0 && variance.is_finite()))
                .map(|_| 1.0),
        }
    }

    fn of_pairs(columns: &Columns, all: &[Moments], j: usize, k: usize) -> Self {
        let (x, y) = columns.both(j, k);
        if x.len() < 2 {
            return Self {
                covariance: None,
                correlation: None,
            };
        }
        let of = |attribute: usize, values: &[f64]| {
            if values.len() == all[attribute].count {
                all[attribute]
            } else {
                moments(values.iter().copied())
            }
        };
        let (a, b) = (of(j, &x), of(k, &y));
        let products: f64 = (x.iter().zip(&*y))
            .map(|(x, y)| (x - a.mean) * (y - b.mean))
            .sum();
        Self::of_products(products, x.len(), &a, &b)
    }

    /// Of the sum of the products of deviations of n records, at least 2.
    fn of_products(products: f64, n: usize, a: &Moments, b: &Moments) -> Self {
        let covariance = products / (n - 1) as f64;
        Self {
            covariance: Some(covariance),
            // NaN is not 0: it stays, to be reported as too large.
            correlation: (a.sd != 0.0 && b.sd != 0.0).then(|| whole(covariance / a.sd / b.sd)),
        }
    }
}

/// A correlation without the rounding of a perfect one.
pub fn whole(correlation: f64) -> f64 {
    if correlation.abs() > 1.0 - ROUNDING {
        correlation.signum()
    } else {
        correlation
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{stats::moments::moments_of_columns, table::Matrix};

    #[test]
    fn the_lower_triangle_is_row_by_row() {
        let pairs: Vec<_> = lower_triangle(3).collect();
        assert_eq!(pairs, [[0, 0], [1, 0], [1, 1], [2, 0], [2, 1], [2, 2]]);
    }

    fn statistics(matrix: &Matrix) -> Statistics {
        let columns = Columns::from(matrix);
        Statistics::of(&columns, &moments_of_columns(&columns))
    }

    /// By hand: x = 1, 2, 3 with mean 2 and squares 2; y = 4, 0, 2 with mean 2, squares 8, products −2; divisor 2. The
    /// correlation is −2 / sqrt(16). The 5 % quantile of x lies at the place 0.1.
    #[test]
    fn statistics_by_hand() {
        let matrix = Matrix::complete(3, 2, vec![1.0, 4.0, 2.0, 0.0, 3.0, 2.0]);
        let of = statistics(&matrix);
        assert_eq!(of.means, [Some(2.0), Some(2.0)]);
        assert_eq!(of.variances, [Some(1.0), Some(4.0)]);
        assert_eq!(of.covariances, [Some(1.0), Some(-1.0), Some(4.0)]);
        assert_eq!(of.correlations, [Some(1.0), Some(-0.5), Some(1.0)]);
        assert!((of.quantiles[0].unwrap() - 1.1).abs() < 1e-15);
        assert_eq!(of.quantiles[9], Some(2.0));
        assert_eq!(of.quantiles.len(), 2 * QUANTILES);
    }

    /// Sums that are added together are those that are added one by one, to the last bit; with gaps they are not added together.
    #[test]
    fn several_attributes_at_once_are_as_one_by_one() {
        let (n, p) = (23, 2 * LANES + 3);
        let value = |i: usize| ((i * 7919 + i * i % 613) % 1009) as f64 / 10.0;
        let mut matrix = Matrix::complete(n, p, (0..n * p).map(value).collect());
        for gap in [None, Some(2)] {
            if let Some(attribute) = gap {
                matrix.set_missing(5, attribute);
            }
            let columns = Columns::from(&matrix);
            let of_attribute = |j| moments(columns.present(j).iter().copied());
            let all: Vec<Moments> = (0..p).map(of_attribute).collect();
            for j in 0..p {
                let together = Joint::with_those_before(&columns, &all, j);
                let alone: Vec<Joint> = (0..=j).map(|k| Joint::of(&columns, &all, j, k)).collect();
                assert_eq!(format!("{together:?}"), format!("{alone:?}"));
            }
        }
    }

    /// With gaps: x = 1, 2, 3, –; y = –, 0, 2, 7. Both have records 2 and 3: means 2.5 and 1, products 1, variances 0.5 and 2.
    #[test]
    fn pairs_are_of_the_records_that_have_both() {
        let mut matrix = Matrix::complete(4, 2, vec![1.0, 9.0, 2.0, 0.0, 3.0, 2.0, 9.0, 7.0]);
        matrix.set_missing(0, 1);
        matrix.set_missing(3, 0);
        let of = statistics(&matrix);
        assert_eq!(of.covariances[1], Some(1.0));
        assert_eq!(of.correlations[1], Some(1.0));
        assert_eq!(of.variances[0], Some(1.0));
    }

    #[test]
    fn what_is_not_there_has_no_statistics() {
        let mut matrix = Matrix::complete(2, 2, vec![1.0, 5.0, 2.0, 5.0]);
        let constant = statistics(&matrix);
        assert_eq!(constant.correlations, [Some(1.0), None, None]);
        // A variance is the square of a rounded root: two units in the last place at most.
        let variance = constant.covariances[0].unwrap();
        assert!((variance - 0.5).abs() <= f64::EPSILON, "{variance}");
        assert_eq!(constant.covariances[1..], [Some(0.0), Some(0.0)]);
        matrix.set_missing(0, 0);
        let one = statistics(&matrix);
        assert_eq!((one.means[0], one.variances[0]), (Some(2.0), None));
        matrix.set_missing(1, 0);
        let none = statistics(&matrix);
        assert_eq!((none.means[0], none.quantiles[0]), (None, None));
    }
}
