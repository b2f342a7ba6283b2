//! The set of parameters.

use ndarray::Array2;

use crate::stats::eigen::{self, Eigen};

/// Coefficients that are not 0, by ascending parameter.
pub type SparseRow = Vec<(u32, f64)>;

/// A set of parameters: a box, cut by half-spaces through the origin, by a plane that fixes the scale, and by a semidefinite cone.
///
/// ```text
/// lower ≤ p ≤ upper      a·p ≥ 0 for all a of `half_spaces`      e·p = 1 for `plane`      matrix(p) ⪰ 0 for `semidefinite`
/// ```
#[derive(Debug, Clone, Default)]
pub struct Space {
    /// The least value of each parameter.
    pub lower: Vec<f64>,
    /// The greatest.
    pub upper: Vec<f64>,
    /// Half-spaces `a·p ≥ 0`.
    pub half_spaces: Vec<SparseRow>,
    /// A plane `e·p = 1`.
    pub plane: Option<SparseRow>,
    /// A matrix of the parameters that has no negative eigenvalue.
    pub semidefinite: Option<Semidefinite>,
    /// Whether P is the standard simplex (p ≥ 0, Σp = 1): what the cone search needs.
    pub is_simplex: bool,
}

/// Parameters that are a symmetric matrix: first its diagonal, then the entries above it, row by row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Semidefinite {
    /// The order of the matrix.
    pub order: usize,
}

impl Space {
    /// Number of parameters.
    pub fn dimension(&self) -> usize {
        self.lower.len()
    }

    /// The standard simplex.
    pub fn simplex(dimension: usize) -> Self {
        let all = 0..u32::try_from(dimension).unwrap_or(u32::MAX);
        Self {
            lower: vec![0.0; dimension],
            upper: vec![1.0; dimension],
            plane: Some(all.map(|parameter| (parameter, 1.0)).collect()),
            is_simplex: true,
            ..Self::default()
        }
    }
}

impl Semidefinite {
    /// The matrix that parameters are.
    ///
    /// # Panics
    /// If there are fewer parameters than entries on and above the diagonal.
    pub fn matrix(self, parameters: &[f64]) -> Array2<f64> {
        let n = self.order;
        Array2::from_shape_fn((n, n), |(k, l)| {
            let (k, l) = (k.min(l), k.max(l));
            if k == l {
                parameters[k]
            } else {
                parameters[n + k * (2 * n - k - 1) / 2 + (l - k - 1)]
            }
        })
    }

    /// Its eigenvalues, greatest first, and eigenvectors.
    ///
    /// # Complexity
    /// O(order³).
    pub fn eigen(self, parameters: &[f64]) -> Eigen {
        eigen::symmetric(self.matrix(parameters))
    }

    /// The least eigenvalue and its eigenvector, of length 1; 0 and nothing for the empty matrix.
    pub fn least(self, parameters: &[f64]) -> (f64, Vec<f64>) {
        let Eigen { values, vectors } = self.eigen(parameters);
        match self.order.checked_sub(1) {
            Some(last) => (values[last], vectors.column(last).to_vec()),
            None => (0.0, Vec::new()),
        }
    }

    /// The half-space `uᵀ M u ≥ 0` that the direction u stands for: `u_k²` on the diagonal, `2 u_k u_l` above it.
    pub fn half_space(self, direction: &[f64]) -> SparseRow {
        let mut row = Vec::new();
        let mut push = |value: f64| {
            let place = row.len();
            row.push((u32::try_from(place).unwrap_or(u32::MAX), value));
        };
        for u in direction {
            push(u * u);
        }
        for (k, u) in direction.iter().enumerate() {
            for v in &direction[k + 1..] {
                push(2.0 * (u * v));
            }
        }
        row
    }
}

#[cfg(test)]
mod tests {
    use super::Semidefinite;

    #[test]
    fn the_least_eigenvalue_of_known_matrices() {
        let least = |order, parameters: &[f64]| Semidefinite { order }.least(parameters);
        // [[2, -1, 0], [-1, 2, -1], [0, -1, 2]] has eigenvalues 2 − 2 cos(kπ/4), k = 1, 2, 3: the least is 2 − √2, with (1, √2, 1)/2.
        let (value, vector) = least(3, &[2.0, 2.0, 2.0, -1.0, 0.0, -1.0]);
        assert!((value - (2.0 - 2.0_f64.sqrt())).abs() < 1e-14);
        let sign = vector[0].signum();
        for (entry, expected) in vector.iter().zip([0.5, 0.5_f64.sqrt(), 0.5]) {
            assert!((sign * entry - expected).abs() < 1e-14);
        }
        // [[0, 1], [1, 0]]: −1 and 1.
        assert!((least(2, &[0.0, 0.0, 1.0]).0 + 1.0).abs() < 1e-15);
        assert!((least(1, &[-3.0]).0 + 3.0).abs() < 1e-15);
    }

    #[test]
    fn eigenvalues_of_a_matrix_worked_by_hand() {
        // 2 1 0 / 1 2 0 / 0 0 −3: eigenvalues 3 along (1, 1, 0), 1 along (1, −1, 0), −3 along (0, 0, 1).
        let found = Semidefinite { order: 3 }.eigen(&[2.0, 2.0, -3.0, 1.0, 0.0, 0.0]);
        let half = 0.5_f64.sqrt();
        for (place, (true_value, true_vector)) in [
            (3.0, [half, half, 0.0]),
            (1.0, [half, -half, 0.0]),
            (-3.0, [0.0, 0.0, 1.0]),
        ]
        .into_iter()
        .enumerate()
        {
            let vector = found.vectors.column(place);
            let along: f64 = vector.iter().zip(true_vector).map(|(a, b)| a * b).sum();
            assert!((found.values[place] - true_value).abs() < 1e-14);
            assert!((along.abs() - 1.0).abs() < 1e-14);
        }
    }

    #[test]
    fn half_spaces_of_eigenvectors_give_eigenvalues() {
        // uᵀ M u = the eigenvalue, for a unit eigenvector: what the half-space of the space says of the same parameters.
        let matrix = Semidefinite { order: 4 };
        let parameters = [0.3, -0.8, 0.5, 0.1, 0.9, -0.4, 0.2, -0.7, 0.6, 0.35];
        let found = matrix.eigen(&parameters);
        for (value, direction) in found.values.iter().zip(found.vectors.columns()) {
            let row = matrix.half_space(&direction.to_vec());
            let there: f64 = row.iter().map(|&(k, v)| v * parameters[k as usize]).sum();
            assert!((value - there).abs() < 1e-13);
        }
    }
}
