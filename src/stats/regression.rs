//! Least squares by an orthonormal basis, safe with collinear columns.
//!
//! Columns are worked on in place. They may be longer than the records that are fitted: inner products are taken over the
//! first `fitted` entries, and whatever is done to a column is done to its further entries too. Those then hold, for records
//! that took no part, the same combination of the original columns: what a prediction needs.
//!
//! Sums are taken in chunks of a fixed size and joined in order, so they do not depend on the number of threads.

use rayon::prelude::*;

/// Entries that one task works on.
const CHUNK: usize = 16_384;

/// A column of which less than this share is left after projection adds nothing.
pub const RELATIVE_TOLERANCE: f64 = 1e-10;

/// An orthonormal basis of the space that some columns span.
#[derive(Debug)]
pub struct Basis {
    columns: Vec<Vec<f64>>,
    chosen: Vec<usize>,
    fitted: usize,
}

impl Basis {
    /// The basis of `columns` over their first `fitted` entries, by Gram–Schmidt with pivoting: the column of which most is
    /// left comes next (the first of several), and each is projected twice, so that the basis is orthonormal to rounding
    /// whatever the condition number.
    ///
    /// Columns should have norms alike. The first `leading` are taken first, in their order. `noise[k]` is the share of
    /// column k that its own rounding may make up; a column adds nothing when no more than that, or than
    /// [`RELATIVE_TOLERANCE`], of it is left.
    ///
    /// # Complexity
    /// O(n p²) for p columns of n entries, in place.
    pub fn new(mut columns: Vec<Vec<f64>>, fitted: usize, leading: usize, noise: &[f64]) -> Self {
        let whole: Vec<f64> = columns.iter().map(|c| norm(&c[..fitted])).collect();
        let mut open: Vec<usize> = (0..columns.len()).collect();
        let mut basis = Self {
            columns: Vec::new(),
            chosen: Vec::new(),
            fitted,
        };
        while !open.is_empty() {
            let left: Vec<f64> = open.iter().map(|&k| norm(&columns[k][..fitted])).collect();
            let place = if basis.chosen.len() < leading {
                0
            } else {
                (0..open.len()).fold(0, |best, k| if left[k] > left[best] { k } else { best })
            };
            let k = open.remove(place);
            let mut column = std::mem::take(&mut columns[k]);
            basis.clear(&mut column);
            let rest = norm(&column[..fitted]);
            let share = noise.get(k).copied().unwrap_or(0.0).max(RELATIVE_TOLERANCE);
            if rest <= share * whole[k] {
                continue;
            }
            scale(&mut column, rest);
            for &other in &open {
                let along = dot(&column[..fitted], &columns[other][..fitted]);
                subtract(&mut columns[other], along, &column);
            }
            basis.columns.push(column);
            basis.chosen.push(k);
        }
        basis
    }

    /// Which columns are in the basis, in the order in which they were taken.
    pub fn chosen(&self) -> &[usize] {
        &self.chosen
    }

    /// The number of columns that add something.
    pub fn rank(&self) -> usize {
        self.chosen.len()
    }

    /// Takes out of `y` (as long as the fitted entries, or longer: see the head of this file) what the basis explains, twice
    /// for the sake of rounding, and returns how much of each basis column that was.
    pub fn clear(&self, y: &mut [f64]) -> Vec<f64> {
        let mut coefficients = vec![0.0; self.columns.len()];
        for _ in 0..2 {
            for (coefficient, column) in coefficients.iter_mut().zip(&self.columns) {
                let along = dot(&column[..self.fitted], &y[..self.fitted]);
                subtract(y, along, column);
                *coefficient += along;
            }
        }
        coefficients
    }

    /// The combination of the basis columns with these coefficients: the fitted values, further entries included.
    pub fn combined(&self, coefficients: &[f64], entries: usize) -> Vec<f64> {
        let mut sum = vec![0.0; entries];
        for (&coefficient, column) in coefficients.iter().zip(&self.columns) {
            subtract(&mut sum, -coefficient, column);
        }
        sum
    }

    /// How strongly each fitted entry decides its own fitted value: the squared norm of its place in the basis, 0 to 1.
    /// At 1 the fit reproduces it whatever its value.
    pub fn leverages(&self) -> Vec<f64> {
        let mut sum = vec![0.0; self.fitted];
        for column in &self.columns {
            sum.par_chunks_mut(CHUNK)
                .zip(column.par_chunks(CHUNK))
                .for_each(|(sum, column)| {
                    for (sum, value) in sum.iter_mut().zip(column) {
                        *sum += value * value;
                    }
                });
        }
        sum
    }
}

/// Makes columns orthonormal in their order and returns the triangle `t` with `old[j] = Σ t[j][i] new[i]`, i ≤ j.
///
/// A column of which no more than `tolerances[j]` is left (a norm) becomes zero, and `t[j][j]` with it.
pub fn orthonormalise(columns: &mut [Vec<f64>], tolerances: &[f64]) -> Vec<Vec<f64>> {
    let mut triangle = Vec::with_capacity(columns.len());
    for j in 0..columns.len() {
        let (before, rest) = columns.split_at_mut(j);
        let column = &mut rest[0];
        let mut row = vec![0.0; j + 1];
        for _ in 0..2 {
            for (i, earlier) in before.iter().enumerate() {
                let along = dot(earlier, column);
                subtract(column, along, earlier);
                row[i] += along;
            }
        }
        let left = norm(column);
        if left > tolerances[j] {
            scale(column, left);
            row[j] = left;
        } else {
            column.fill(0.0);
        }
        triangle.push(row);
    }
    triangle
}

/// The inner product.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let parts: Vec<f64> = a
        .par_chunks(CHUNK)
        .zip(b.par_chunks(CHUNK))
        .map(|(a, b)| chunk_dot(a, b))
        .collect();
    parts.iter().sum()
}

/// The inner product by one thread, in four sums at a time: the processor need not wait for one.
pub fn chunk_dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (fours, rest) = a.as_chunks::<4>();
    let (other_fours, other_rest) = b.as_chunks::<4>();
    for (a, b) in fours.iter().zip(other_fours) {
        for lane in 0..4 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f64 = rest.iter().zip(other_rest).map(|(a, b)| a * b).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// y ← y − factor · x, over the entries of y.
pub fn subtract(y: &mut [f64], factor: f64, x: &[f64]) {
    y.par_chunks_mut(CHUNK)
        .zip(x.par_chunks(CHUNK))
        .for_each(|(y, x)| {
            for (y, x) in y.iter_mut().zip(x) {
                *y -= factor * x;
            }
        });
}

fn scale(column: &mut [f64], divisor: f64) {
    column
        .par_chunks_mut(CHUNK)
        .for_each(|part| part.iter_mut().for_each(|value| *value /= divisor));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: through (1,1), (2,2), (3,2), (4,5) least squares gives y = -0.5 + 1.2 x.
    #[test]
    fn textbook_line() {
        let x = vec![1.0, 2.0, 3.0, 4.0, 10.0];
        let basis = Basis::new(vec![vec![1.0; 5], x], 4, 1, &[]);
        let mut y = vec![1.0, 2.0, 2.0, 5.0];
        let coefficients = basis.clear(&mut y);
        let fitted = basis.combined(&coefficients, 5);
        // The fifth record took no part; its prediction is -0.5 + 12.
        for (found, expected) in fitted.iter().zip([0.7, 1.9, 3.1, 4.3, 11.5]) {
            assert!((found - expected).abs() < 1e-13, "{found} {expected}");
        }
        for (found, expected) in y.iter().zip([0.3, 0.1, -1.1, 0.7]) {
            assert!((found - expected).abs() < 1e-13, "{found} {expected}");
        }
    }

    #[test]
    fn a_sum_of_two_columns_adds_nothing() {
        let a = vec![1.0, -2.0, 3.0, 0.5, 0.0];
        let b = vec![0.0, 1.0, 1.0, -4.0, 2.0];
        let sum = a.iter().zip(&b).map(|(a, b)| a + b).collect();
        let basis = Basis::new(vec![a, b, sum], 5, 0, &[]);
        assert_eq!(basis.rank(), 2);
    }

    /// Läuchli's example: normal equations in double precision are singular for it, a projection is not.
    #[test]
    fn nearly_collinear_columns_lose_no_orthogonality() {
        let d = 1e-8;
        let columns = (0..3)
            .map(|k| {
                let mut column = vec![1.0, 0.0, 0.0, 0.0];
                column[k + 1] = d;
                column
            })
            .collect();
        let basis = Basis::new(columns, 4, 0, &[]);
        assert_eq!(basis.rank(), 3);
        for i in 0..3 {
            for j in 0..=i {
                let product = dot(&basis.columns[i], &basis.columns[j]);
                let expected = f64::from(u8::from(i == j));
                assert!((product - expected).abs() < 1e-14, "{i} {j}: {product}");
            }
        }
    }

    #[test]
    fn the_triangle_rebuilds_the_columns() {
        let old = vec![
            vec![3.0, 4.0, 0.0],
            vec![1.0, 2.0, 2.0],
            vec![6.0, 8.0, 0.0],
        ];
        let mut new = old.clone();
        let triangle = orthonormalise(&mut new, &[1e-12; 3]);
        assert_eq!(triangle[2][2], 0.0, "the third is twice the first");
        for j in 0..3 {
            for r in 0..3 {
                let rebuilt: f64 = (0..=j).map(|i| triangle[j][i] * new[i][r]).sum();
                assert!((rebuilt - old[j][r]).abs() < 1e-14, "{j} {r}");
            }
        }
    }
}
