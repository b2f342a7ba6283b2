//! Least squares by orthonormal columns, also where columns depend on each other.

use rayon::prelude::*;

/// Numbers of each column that one task works on: fixed, so that sums do not depend on the number of threads.
const AT_ONCE: usize = 4096;

/// Of a column's length, what counts as rounding: a column of which no more is left depends on those before it.
const ROUNDING: f64 = 1e-9;

/// Orthonormal columns that span what was added: Q of a QR decomposition whose R is kept, too.
///
/// # Accuracy
/// Gram–Schmidt, each column projected twice, which makes the columns orthogonal to working precision whatever the condition
/// of what was added (L. Giraud, J. Langou, M. Rozložník, "The loss of orthogonality in the Gram–Schmidt orthogonalization
/// process", Computers & Mathematics with Applications 50, 2005).
///
/// # Memory
/// One number a record and column.
#[derive(Debug, Clone)]
pub struct Basis {
    n_records: usize,
    columns: Vec<Vec<f64>>,
    /// For each column what the added one was made of: Q's columns before it, and itself last.
    parts: Vec<Vec<f64>>,
}

impl Basis {
    /// The basis of nothing, for columns of so many records.
    pub fn new(n_records: usize) -> Self {
        Self {
            n_records,
            columns: Vec::new(),
            parts: Vec::new(),
        }
    }

    /// How many columns there are.
    pub fn rank(&self) -> usize {
        self.columns.len()
    }

    /// Adds a column, if it is more than a combination of those before it to one part in 10⁹ of its length; whether it is.
    ///
    /// # Panics
    /// If it does not have one number a record.
    pub fn add(&mut self, mut column: Vec<f64>) -> bool {
        assert_eq!(column.len(), self.n_records, "one number a record");
        let length = dot(&column, &column).sqrt();
        let mut parts = self.take_out(&mut column);
        let left = dot(&column, &column).sqrt();
        if left.is_nan() || left <= ROUNDING * length {
            return false;
        }
        column.par_iter_mut().for_each(|value| *value /= left);
        parts.push(left);
        self.columns.push(column);
        self.parts.push(parts);
        true
    }

    /// Takes out of a column what the basis spans, and tells how much of each of its columns that was.
    pub fn take_out(&self, column: &mut [f64]) -> Vec<f64> {
        let mut parts = vec![0.0; self.rank()];
        for _ in 0..2 {
            let more = self.products(column);
            self.add_multiple(-1.0, &more, column);
            for (part, more) in parts.iter_mut().zip(more) {
                *part += more;
            }
        }
        parts
    }

    /// Adds this combination of the basis to a column.
    pub fn add_to(&self, combination: &[f64], column: &mut [f64]) {
        self.add_multiple(1.0, combination, column);
    }

    /// The place in the basis of a record that has these values in the columns that were added.
    ///
    /// # Panics
    /// If there is not one value for each added column.
    pub fn place_of(&self, values: &[f64]) -> Vec<f64> {
        assert_eq!(values.len(), self.rank(), "one value a column");
        let mut place: Vec<f64> = Vec::with_capacity(values.len());
        for (value, parts) in values.iter().zip(&self.parts) {
            let before: f64 = parts.iter().zip(&place).map(|(part, q)| part * q).sum();
            place.push((value - before) / parts[place.len()]);
        }
        place
    }

    fn products(&self, column: &[f64]) -> Vec<f64> {
        let tasks: Vec<Vec<f64>> = column
            .par_chunks(AT_ONCE)
            .enumerate()
            .map(|(task, own)| {
                let first = task * AT_ONCE;
                let part = |basis: &Vec<f64>| plain_dot(&basis[first..first + own.len()], own);
                self.columns.iter().map(part).collect()
            })
            .collect();
        let mut sums = vec![0.0; self.rank()];
        for task in tasks {
            for (sum, part) in sums.iter_mut().zip(task) {
                *sum += part;
            }
        }
        sums
    }

    fn add_multiple(&self, factor: f64, combination: &[f64], column: &mut [f64]) {
        column
            .par_chunks_mut(AT_ONCE)
            .enumerate()
            .for_each(|(task, own)| {
                let first = task * AT_ONCE;
                for (basis, part) in self.columns.iter().zip(combination) {
                    let multiple = factor * part;
                    for (value, q) in own.iter_mut().zip(&basis[first..]) {
                        *value += multiple * q;
                    }
                }
            });
    }
}

/// The inner product of two columns, summed in blocks of fixed size.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let tasks: Vec<f64> = a
        .par_chunks(AT_ONCE)
        .zip(b.par_chunks(AT_ONCE))
        .map(|(a, b)| plain_dot(a, b))
        .collect();
    tasks.iter().sum()
}

/// Eight sums side by side, so that they run in step.
fn plain_dot(a: &[f64], b: &[f64]) -> f64 {
    const LANES: usize = 8;
    let mut sums = [0.0; LANES];
    let (a_blocks, a_rest) = a.as_chunks::<LANES>();
    let (b_blocks, b_rest) = b.as_chunks::<LANES>();
    for (a, b) in a_blocks.iter().zip(b_blocks) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wave(n: usize, k: usize) -> Vec<f64> {
        (0..n)
            .map(|i| ((i * i * (k + 3) + 7 * i) % 1009) as f64 - 300.0)
            .collect()
    }

    /// By hand: the line through (0, 1), (1, 3), (2, 2), (3, 6) is 0.9 + 1.4 x, with residuals 0.1, 0.7, −1.7, 0.9.
    #[test]
    fn a_line_through_four_points() {
        let mut basis = Basis::new(4);
        assert!(basis.add(vec![1.0; 4]));
        assert!(basis.add(vec![0.0, 1.0, 2.0, 3.0]));
        let mut y = vec![1.0, 3.0, 2.0, 6.0];
        let parts = basis.take_out(&mut y);
        for (residual, expected) in y.iter().zip([0.1, 0.7, -1.7, 0.9]) {
            assert!((residual - expected).abs() < 1e-14, "{y:?}");
        }
        // At x = 10: 0.9 + 14.
        let there = basis.place_of(&[1.0, 10.0]);
        let fitted: f64 = there.iter().zip(&parts).map(|(q, part)| q * part).sum();
        assert!((fitted - 14.9).abs() < 1e-12);
    }

    #[test]
    fn what_depends_on_others_is_not_added() {
        let n = 10_000;
        let (a, b) = (wave(n, 1), wave(n, 2));
        let sum: Vec<f64> = a
            .iter()
            .zip(&b)
            .map(|(a, b)| 3.0 * a - 1e6 * b + 1e8)
            .collect();
        let mut basis = Basis::new(n);
        assert!(basis.add(vec![1.0; n]) && basis.add(a.clone()) && basis.add(b));
        assert!(!basis.add(sum) && !basis.add(vec![5.0; n]) && !basis.add(vec![0.0; n]));
        let mut close = a;
        close[17] += 1e-3;
        assert!(basis.add(close), "one part in 10⁹ counts");
        for (i, p) in basis.columns.iter().enumerate() {
            for (j, q) in basis.columns.iter().enumerate() {
                let expected = if i == j { 1.0 } else { 0.0 };
                assert!(
                    (dot(p, q) - expected).abs() < 1e-13,
                    "{i} {j}: {}",
                    dot(p, q)
                );
            }
        }
    }
}
