//! Symmetric matrices: what keeps one from being positive semidefinite.

use crate::optimize::subsystem::Semidefinite;

/// Sweeps of rotations; each squares what is left.
const SWEEPS: usize = 60;

/// Eigenvalues and eigenvectors of the matrix that parameters are, by Jacobi's rotations.
///
/// # Complexity
/// O(order³).
pub fn eigen(matrix: Semidefinite, parameters: &[f64]) -> Vec<(f64, Vec<f64>)> {
    let n = matrix.order;
    let mut a = vec![vec![0.0; n]; n];
    for (k, row) in a.iter_mut().enumerate() {
        for (l, entry) in row.iter_mut().enumerate() {
            *entry = parameters[place(n, k.min(l), k.max(l))];
        }
    }
    // Row k of `vectors` becomes the eigenvector of a[k][k].
    let mut vectors: Vec<Vec<f64>> = (0..n)
        .map(|k| (0..n).map(|l| f64::from(u8::from(k == l))).collect())
        .collect();
    for _ in 0..SWEEPS {
        let off: f64 = (0..n)
            .flat_map(|k| a[k][k + 1..].iter().map(|v| v * v))
            .sum();
        if off < 1e-30 {
            break;
        }
        for k in 0..n {
            for l in k + 1..n {
                rotate(&mut a, &mut vectors, k, l);
            }
        }
    }
    (0..n).map(|k| (a[k][k], vectors[k].clone())).collect()
}

/// Makes the entry (k, l) 0.
fn rotate(a: &mut [Vec<f64>], vectors: &mut [Vec<f64>], k: usize, l: usize) {
    if a[k][l] == 0.0 {
        return;
    }
    let ratio = (a[l][l] - a[k][k]) / (2.0 * a[k][l]);
    let tangent = ratio.signum() / (ratio.abs() + ratio.hypot(1.0));
    let cosine = 1.0 / tangent.hypot(1.0);
    let sine = tangent * cosine;
    for row in a.iter_mut() {
        (row[k], row[l]) = (
            cosine * row[k] - sine * row[l],
            sine * row[k] + cosine * row[l],
        );
    }
    for rows in [a, vectors] {
        let (before, after) = rows.split_at_mut(l);
        for (x, y) in before[k].iter_mut().zip(&mut after[0]) {
            (*x, *y) = (cosine * *x - sine * *y, sine * *x + cosine * *y);
        }
    }
}

/// Where the entry k ≤ l is among the parameters.
fn place(n: usize, k: usize, l: usize) -> usize {
    match k == l {
        true => k,
        false => n + k * (2 * n - k - 1) / 2 + (l - k - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenvalues_of_a_matrix_worked_by_hand() {
        // 2 1 0 / 1 2 0 / 0 0 −3: eigenvalues 3 along (1, 1, 0), 1 along (1, −1, 0), −3 along (0, 0, 1).
        let mut found = eigen(Semidefinite { order: 3 }, &[2.0, 2.0, -3.0, 1.0, 0.0, 0.0]);
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        let half = 0.5_f64.sqrt();
        for ((value, vector), (true_value, true_vector)) in found.iter().zip([
            (-3.0, [0.0, 0.0, 1.0]),
            (1.0, [half, -half, 0.0]),
            (3.0, [half, half, 0.0]),
        ]) {
            let along: f64 = vector.iter().zip(true_vector).map(|(a, b)| a * b).sum();
            assert!((value - true_value).abs() < 1e-14);
            assert!((along.abs() - 1.0).abs() < 1e-14);
        }
    }

    #[test]
    fn half_spaces_of_eigenvectors_give_eigenvalues() {
        // uᵀ M u = the eigenvalue, for a unit eigenvector: what the half-space of the space says of the same parameters.
        let matrix = Semidefinite { order: 4 };
        let parameters = [0.3, -0.8, 0.5, 0.1, 0.9, -0.4, 0.2, -0.7, 0.6, 0.35];
        for (value, direction) in eigen(matrix, &parameters) {
            let row = matrix.half_space(&direction);
            let there: f64 = row.iter().map(|&(k, v)| v * parameters[k as usize]).sum();
            assert!((value - there).abs() < 1e-13);
        }
    }
}
