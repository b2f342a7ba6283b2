//! Masking by minimal information is the optimum that docs/science.md proves: no other joint normal law of original and masked scores
//! with the same loss says less of the original.

use ndarray::{Array1, Array2};
use sdcrisk::stats::copula::{Allocation, Directions};

/// Numbers between 0 and 1, always the same.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn matrix(&mut self, d: usize) -> Array2<f64> {
        Array2::from_shape_fn((d, d), |_| 2.0 * self.next() - 1.0)
    }

    /// An orthogonal matrix, by Gram and Schmidt.
    fn rotation(&mut self, d: usize) -> Array2<f64> {
        let mut columns: Vec<Array1<f64>> = Vec::new();
        while columns.len() < d {
            let mut column = Array1::from_shape_fn(d, |_| 2.0 * self.next() - 1.0);
            for other in &columns {
                column = &column - &(other * column.dot(other));
            }
            let length = column.dot(&column).sqrt();
            if length > 1e-3 {
                columns.push(column / length);
            }
        }
        Array2::from_shape_fn((d, d), |(i, j)| columns[j][i])
    }
}

/// The root of a positive definite matrix by Denman and Beavers: nothing of the program is in it.
fn root(matrix: &Array2<f64>) -> Array2<f64> {
    let d = matrix.nrows();
    let (mut y, mut z) = (matrix.clone(), Array2::eye(d));
    for _ in 0..60 {
        let (next_y, next_z) = ((&y + &inverse(&z)) * 0.5, (&z + &inverse(&y)) * 0.5);
        (y, z) = (next_y, next_z);
    }
    y
}

/// The inverse by Gauss and Jordan.
fn inverse(matrix: &Array2<f64>) -> Array2<f64> {
    let d = matrix.nrows();
    let mut left = matrix.clone();
    let mut right = Array2::<f64>::eye(d);
    for k in 0..d {
        let pivot = (k..d)
            .max_by(|&a, &b| left[[a, k]].abs().total_cmp(&left[[b, k]].abs()))
            .unwrap();
        for column in 0..d {
            left.swap([k, column], [pivot, column]);
            right.swap([k, column], [pivot, column]);
        }
        let scale = left[[k, k]];
        for column in 0..d {
            left[[k, column]] /= scale;
            right[[k, column]] /= scale;
        }
        for row in (0..d).filter(|&row| row != k) {
            let factor = left[[row, k]];
            for column in 0..d {
                let (a, b) = (left[[k, column]], right[[k, column]]);
                left[[row, column]] -= factor * a;
                right[[row, column]] -= factor * b;
            }
        }
    }
    right
}

fn trace(matrix: &Array2<f64>) -> f64 {
    matrix.diag().sum()
}

/// The bits of the allocation whose loss is this.
fn least_bits(directions: &Directions, loss: f64) -> f64 {
    let (mut low, mut high) = (1e-12_f64, 1e12_f64);
    for _ in 0..200 {
        let middle = (low * high).sqrt();
        if directions.transfer(middle, Allocation::Minimal).loss > loss {
            low = middle;
        } else {
            high = middle;
        }
    }
    directions.bits(high, Allocation::Minimal)
}

#[test]
fn no_other_normal_masking_of_the_same_loss_says_less() {
    let mut numbers = Numbers(7);
    let mut closest = f64::INFINITY;
    for case in 0..400 {
        let d = 1 + case % 4;
        let factor = numbers.matrix(d);
        let r = factor.dot(&factor.t()) + Array2::<f64>::eye(d) * 0.05;
        let weights: Vec<f64> = (0..d).map(|_| 0.1 + 5.0 * numbers.next()).collect();
        let w = Array2::from_diag(&Array1::from(weights.clone()));
        let directions = Directions::of(r.view(), &weights);
        let half = root(&r);
        // Any contraction K is the cross-covariance of some pair, in standardised scores.
        let [left, right] = [(); 2].map(|()| numbers.rotation(d));
        let singular: Vec<f64> = (0..d).map(|_| 0.999 * numbers.next()).collect();
        // Every other case is near the optimum: there it is easiest to beat.
        let k = if case % 8 < 4 {
            (&left * &Array1::from(singular.clone())).dot(&right.t())
        } else {
            let best = directions.transfer(3.0 * numbers.next() + 0.01, Allocation::Minimal);
            let back = inverse(&half);
            let own = back.dot(&best.a.dot(&r)).dot(&back);
            own * (1.0 - 0.01 * numbers.next()) + numbers.matrix(d) * 0.002
        };
        // I = −½ log2 det(1 − K Kᵀ), by the product of the pivots; only contractions are maskings.
        let rest = Array2::<f64>::eye(d) - k.dot(&k.t());
        let Some(determinant) = determinant(&rest) else {
            continue;
        };
        let bits = -0.5 * determinant.log2();
        let loss = 2.0 * trace(&w.dot(&r)) - 2.0 * trace(&w.dot(&half.dot(&k).dot(&half)));
        let least = least_bits(&directions, loss);
        assert!(
            least <= bits + 1e-9,
            "case {case}: {least} > {bits} at loss {loss}"
        );
        closest = closest.min(bits - least);
    }
    assert!(
        closest < 1e-3,
        "the test never comes near the optimum: {closest}"
    );
}

/// The determinant of a positive definite matrix; `None` if it is none.
fn determinant(matrix: &Array2<f64>) -> Option<f64> {
    let d = matrix.nrows();
    let mut left = matrix.clone();
    let mut product = 1.0;
    for k in 0..d {
        let pivot = left[[k, k]];
        if pivot <= 1e-9 {
            return None;
        }
        product *= pivot;
        for row in k + 1..d {
            let factor = left[[row, k]] / pivot;
            for column in k..d {
                let above = left[[k, column]];
                left[[row, column]] -= factor * above;
            }
        }
    }
    Some(product)
}
