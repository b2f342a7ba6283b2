//! Covariances, and a factor of them that exists also where attributes depend on each other.

use ndarray::{Array1, Array2, ArrayView2};
use rayon::prelude::*;

use crate::table::Matrix;

/// Records that one task sums: fixed, so that sums do not depend on the number of threads.
const SUMMED_AT_ONCE: usize = 8192;

/// Bytes that the sums of all tasks together take at a time, where one does not take more.
const BYTES_AT_ONCE: usize = 1 << 28;

/// The covariances of the attributes of a matrix, over the records that miss none of them; `None` if these are fewer than
/// two.
///
/// ```text
/// Cov(j, k) = Σ (x_j − mean_j)(x_k − mean_k) / (n − 1)
/// ```
///
/// # Shapes
/// Attributes × attributes, symmetric to the last bit. The row of an attribute without spread is 0 exactly.
///
/// # Units
/// Products of the attributes' units; divisor n−1. Not finite where squares of the values are beyond the range of numbers.
///
/// # Complexity
/// Two passes over the matrix, in parallel over blocks of fixed size that are summed in order.
pub fn covariance(matrix: &Matrix) -> Option<Array2<f64>> {
    let width = matrix.n_attributes();
    let blocks = matrix.n_records().div_ceil(SUMMED_AT_ONCE);
    let complete = |block: usize| {
        let first = block * SUMMED_AT_ONCE;
        let last = matrix.n_records().min(first + SUMMED_AT_ONCE);
        let all = (first..last).filter(|&record| !matrix.has_missing(record));
        all.map(|record| matrix.row(record))
    };
    let extents: Vec<Extents> = (0..blocks)
        .into_par_iter()
        .map(|block| Extents::of(width, complete(block)))
        .collect();
    let extents = extents
        .iter()
        .fold(Extents::none(width), |all, block| all.joined(block));
    if extents.count < 2 {
        return None;
    }
    let means = extents.means();
    let mut sum = Array2::zeros((width, width));
    // As many at a time as memory is given to; the order of the sum is the same.
    let at_once = (BYTES_AT_ONCE / (size_of::<f64>() * width * width).max(1)).max(1);
    for first in (0..blocks).step_by(at_once) {
        let products: Vec<Array2<f64>> = (first..blocks.min(first + at_once))
            .into_par_iter()
            .map(|block| lower_products(&means, complete(block)))
            .collect();
        for block in &products {
            sum += block;
        }
    }
    sum /= (extents.count - 1) as f64;
    for j in 0..width {
        for k in 0..j {
            sum[[k, j]] = sum[[j, k]];
        }
    }
    Some(sum)
}

/// How many records, and for each attribute its sum, its least and its greatest value.
struct Extents {
    count: usize,
    sums: Array1<f64>,
    lowest: Array1<f64>,
    highest: Array1<f64>,
}

impl Extents {
    fn none(width: usize) -> Self {
        Self {
            count: 0,
            sums: Array1::zeros(width),
            lowest: Array1::from_elem(width, f64::INFINITY),
            highest: Array1::from_elem(width, f64::NEG_INFINITY),
        }
    }

    fn of<'a>(width: usize, records: impl Iterator<Item = &'a [f64]>) -> Self {
        let mut extents = Self::none(width);
        for record in records {
            extents.count += 1;
            for (j, &value) in record.iter().enumerate() {
                extents.sums[j] += value;
                extents.lowest[j] = extents.lowest[j].min(value);
                extents.highest[j] = extents.highest[j].max(value);
            }
        }
        extents
    }

    fn joined(mut self, other: &Self) -> Self {
        self.count += other.count;
        self.sums += &other.sums;
        self.lowest
            .zip_mut_with(&other.lowest, |a, b| *a = a.min(*b));
        self.highest
            .zip_mut_with(&other.highest, |a, b| *a = a.max(*b));
        self
    }

    fn means(&self) -> Vec<f64> {
        let mean = |j: usize| {
            if self.lowest[j] >= self.highest[j] {
                // The rounding of the mean must not give a constant attribute a spread.
                self.lowest[j]
            } else {
                self.sums[j] / self.count as f64
            }
        };
        (0..self.sums.len()).map(mean).collect()
    }
}

/// Records whose products are added in one pass over the sums.
const ADDED_AT_ONCE: usize = 4;

/// Attributes from which on the sums of one block are worth several threads.
const WIDE: usize = 256;

/// Sums of products of deviations, each in the order of the records; the lower triangle.
fn lower_products<'a>(means: &[f64], records: impl Iterator<Item = &'a [f64]>) -> Array2<f64> {
    let width = means.len();
    let mut sums = vec![0.0; width * width];
    let mut deviations = Vec::with_capacity(ADDED_AT_ONCE * width);
    let mut records = records.peekable();
    while let Some(record) = records.next() {
        deviations.extend(record.iter().zip(means).map(|(value, mean)| value - mean));
        let at_once = deviations.len() / width.max(1);
        if at_once < ADDED_AT_ONCE && records.peek().is_some() {
            continue;
        }
        let add = |(j, row): (usize, &mut [f64])| add_products(j, row, &deviations, width);
        if width < WIDE {
            sums.chunks_exact_mut(width.max(1))
                .enumerate()
                .for_each(add);
        } else {
            sums.par_chunks_exact_mut(width).enumerate().for_each(add);
        }
        deviations.clear();
    }
    Array2::from_shape_vec((width, width), sums).unwrap_or_else(|_| unreachable!("width²"))
}

/// Adds to the sums of an attribute with those up to itself the products of some records (records × attributes), in their order.
fn add_products(j: usize, row: &mut [f64], deviations: &[f64], width: usize) {
    let row = &mut row[..=j];
    let of = |record: usize| &deviations[record * width..][..=j];
    if deviations.len() == ADDED_AT_ONCE * width {
        let [a, b, c, d] = [of(0), of(1), of(2), of(3)];
        let own = [a[j], b[j], c[j], d[j]];
        for ((((sum, a), b), c), d) in row.iter_mut().zip(a).zip(b).zip(c).zip(d) {
            *sum = *sum + own[0] * a + own[1] * b + own[2] * c + own[3] * d;
        }
    } else {
        for record in 0..deviations.len() / width {
            let others = of(record);
            for (sum, other) in row.iter_mut().zip(others) {
                *sum += others[j] * other;
            }
        }
    }
}

/// A factor of a covariance matrix C: with the attributes in the order of `order`, C = L Lᵀ.
#[derive(Debug, Clone, PartialEq)]
pub struct SemidefiniteFactor {
    /// The attribute of each row of `lower`.
    pub order: Vec<usize>,
    /// L, attributes × rank: `lower[[i, k]]` is 0 for k > i.
    pub lower: Array2<f64>,
}

impl SemidefiniteFactor {
    /// How many attributes do not depend on those before them.
    pub fn rank(&self) -> usize {
        self.lower.ncols()
    }
}

/// A share of an attribute's variance that is taken for the rounding of covariances: what others leave of it is nothing.
const ROUNDING: f64 = 1e-12;

/// The Cholesky factor of a covariance matrix, which may be singular: attributes may depend on each other.
///
/// Each step takes the attribute of which the ones before leave the largest share of variance unexplained (of several, the
/// first), and ends where that share is at most 10⁻¹²: every attribute that is left is a linear combination of those taken,
/// to one part in a million of its standard deviation. Attributes are compared by share, so units do not matter.
/// Attributes without variance come last, with rows of 0.
///
/// # Shapes
/// `covariance` is square and symmetric; only its finite entries make sense.
///
/// # Complexity
/// O(attributes² · rank).
///
/// # Source
/// N. J. Higham, "Analysis of the Cholesky decomposition of a semi-definite matrix", in Reliable Numerical Computation,
/// Oxford, 1990 (complete pivoting), here on the correlations.
pub fn cholesky_semidefinite(covariance: ArrayView2<'_, f64>) -> SemidefiniteFactor {
    let width = covariance.nrows();
    let sd: Vec<f64> = (0..width)
        .map(|j| covariance[[j, j]].max(0.0).sqrt())
        .collect();
    let correlation = |j: usize, k: usize| match (sd[j] > 0.0 && sd[k] > 0.0, j == k) {
        // Exactly, so that ties are ties.
        (true, true) => 1.0,
        (true, false) => covariance[[j, k]] / sd[j] / sd[k],
        (false, _) => 0.0,
    };
    // The rows of L, as long as there are columns yet, and what they leave of each variance.
    let mut rows: Vec<Vec<f64>> = vec![Vec::new(); width];
    let mut left: Vec<f64> = (0..width).map(|j| correlation(j, j)).collect();
    let mut order: Vec<usize> = (0..width).collect();
    let mut is_open = vec![true; width];
    for step in 0..width {
        let Some(best) = (step..width).reduce(|best, other| {
            let (b, o) = (left[order[best]], left[order[other]]);
            if o > b { other } else { best }
        }) else {
            break;
        };
        let pivot = left[order[best]];
        if pivot.is_nan() || pivot <= ROUNDING {
            break;
        }
        // The others keep their order, so that ties go to the first.
        order[step..=best].rotate_right(1);
        let taken = order[step];
        let root = pivot.sqrt();
        let of_taken = rows[taken].clone();
        rows[taken].push(root);
        is_open[taken] = false;
        let more = |(j, (row, left)): (usize, (&mut Vec<f64>, &mut f64))| {
            if is_open[j] {
                let explained: f64 = row.iter().zip(&of_taken).map(|(a, b)| a * b).sum();
                let entry = (correlation(j, taken) - explained) / root;
                row.push(entry);
                *left -= entry * entry;
            }
        };
        if width < WIDE {
            rows.iter_mut().zip(&mut left).enumerate().for_each(more);
        } else {
            (rows.par_iter_mut().zip(&mut left).enumerate()).for_each(more);
        }
    }
    let rank = is_open.iter().filter(|&&is_open| !is_open).count();
    let lower = Array2::from_shape_fn((width, rank), |(i, k)| {
        rows[order[i]]
            .get(k)
            .map_or(0.0, |entry| entry * sd[order[i]])
    });
    SemidefiniteFactor { order, lower }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that look drawn.
    fn scattered(n: usize, width: usize) -> Matrix {
        let value = |i: usize| ((i * 7919 + i * i % 613) % 1009) as f64 / 10.0;
        Matrix::complete(n, width, (0..n * width).map(value).collect())
    }

    /// The same sums in the same order, one pair of attributes at a time: equal to the last bit, for few attributes and for so many that threads
    /// share a block, and for any rest of records that are added together.
    #[test]
    fn sums_of_several_records_are_those_of_one_at_a_time() {
        for (n, width) in [(2, 3), (7, 3), (9, WIDE + 5), (12, WIDE + 1)] {
            let matrix = scattered(n, width);
            let covariances = covariance(&matrix).unwrap();
            let mean =
                |j: usize| (0..n).map(|i| matrix.row(i)[j]).fold(0.0, |a, b| a + b) / n as f64;
            let means: Vec<f64> = (0..width).map(mean).collect();
            for (j, k) in [(0, 0), (2, 1), (width - 1, 1), (width - 1, width - 2)] {
                let products = (0..n).map(|i| {
                    let row = matrix.row(i);
                    (row[j] - means[j]) * (row[k] - means[k])
                });
                let by_hand = products.fold(0.0, |a, b| a + b) / (n - 1) as f64;
                assert_eq!(covariances[[j, k]].to_bits(), by_hand.to_bits());
            }
        }
    }

    /// L Lᵀ is the matrix, whose rank is that of fewer records than attributes.
    #[test]
    fn the_factor_of_many_attributes_gives_their_covariances() {
        let (n, width) = (40, WIDE + 7);
        let covariances = covariance(&scattered(n, width)).unwrap();
        let factor = cholesky_semidefinite(covariances.view());
        assert!(factor.rank() < n);
        for (i, j) in (0..width).flat_map(|i| [(i, i), (i, i / 2), (i, 0)]) {
            let [a, b] = [i, j].map(|at| factor.lower.row(at));
            let expected = covariances[[factor.order[i], factor.order[j]]];
            assert!(
                (a.dot(&b) - expected).abs() < 1e-6 * covariances[[0, 0]],
                "{i} {j}"
            );
        }
    }

    /// By hand: x = 1, 2, 6 (mean 3), y = 0, 4, 2 (mean 2): Σdx² = 4+1+9 = 14, Σdy² = 4+4+0 = 8, Σdxdy = 4−2+0 = 2;
    /// divisor 2. A fourth record misses y and counts nowhere.
    #[test]
    fn covariances_by_hand_over_complete_records() {
        let values = vec![1.0, 0.0, 2.0, 4.0, 100.0, 0.0, 6.0, 2.0];
        let mut matrix = Matrix::complete(4, 2, values);
        matrix.set_missing(2, 1);
        let expected = Array2::from_shape_vec((2, 2), vec![7.0, 1.0, 1.0, 4.0]).unwrap();
        assert_eq!(covariance(&matrix).unwrap(), expected);
        matrix.set_missing(0, 0);
        matrix.set_missing(1, 0);
        assert_eq!(covariance(&matrix), None);
    }

    #[test]
    fn constants_have_no_covariance_at_all() {
        let values = (0..300).flat_map(|i| [0.1, f64::from(i * i % 31)]);
        let c = covariance(&Matrix::complete(300, 2, values.collect())).unwrap();
        assert_eq!((c[[0, 0]], c[[0, 1]], c[[1, 0]]), (0.0, 0.0, 0.0));
        assert!(c[[1, 1]] > 0.0);
    }

    fn product(factor: &SemidefiniteFactor) -> Array2<f64> {
        let square = factor.lower.dot(&factor.lower.t());
        let mut place = vec![0; factor.order.len()];
        for (row, &attribute) in factor.order.iter().enumerate() {
            place[attribute] = row;
        }
        Array2::from_shape_fn(square.dim(), |(j, k)| square[[place[j], place[k]]])
    }

    /// By hand: C = [[4, 2], [2, 10]] has correlation² 4/40 = 0.1. The first is taken first (both shares are 1): L = [2, 0;
    /// 1, 3].
    #[test]
    fn the_factor_of_a_regular_matrix_is_the_textbook_s() {
        let c = Array2::from_shape_vec((2, 2), vec![4.0, 2.0, 2.0, 10.0]).unwrap();
        let factor = cholesky_semidefinite(c.view());
        assert_eq!(factor.order, [0, 1]);
        for (got, by_hand) in factor.lower.iter().zip([2.0, 0.0, 1.0, 3.0]) {
            assert!((got - by_hand).abs() < 1e-14, "{}", factor.lower);
        }
    }

    /// Two attributes, their sum, a multiple and a constant, in units from 1e-9 to 1e9: the rank is 2, and the factor gives
    /// the matrix back to 1e-9 of the sds.
    #[test]
    fn dependent_and_constant_attributes_lower_the_rank_and_nothing_else() {
        let record = |i: u32| {
            let (a, b) = (f64::from(i * i % 97), f64::from(i * 31 % 89));
            [a * 1e9, b, 7.0, a + b, b * 1e-9]
        };
        let values = (0..500).flat_map(record).collect();
        let c = covariance(&Matrix::complete(500, 5, values)).unwrap();
        let factor = cholesky_semidefinite(c.view());
        assert_eq!(factor.rank(), 2);
        let back = product(&factor);
        for j in 0..5 {
            for k in 0..5 {
                let unit = (c[[j, j]] * c[[k, k]]).sqrt();
                assert!((back[[j, k]] - c[[j, k]]).abs() <= 1e-9 * unit, "{j} {k}");
            }
        }
        for i in 0..5 {
            for k in i + 1..factor.rank() {
                assert_eq!(factor.lower[[i, k]], 0.0, "lower triangular");
            }
        }
    }

    #[test]
    fn what_is_no_covariance_matrix_does_no_harm() {
        let none = cholesky_semidefinite(Array2::zeros((0, 0)).view());
        assert_eq!(none.rank(), 0);
        let nan = cholesky_semidefinite(Array2::from_elem((2, 2), f64::NAN).view());
        assert_eq!(nan.rank(), 0);
    }
}
