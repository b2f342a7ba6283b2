//! The direction in which a small symmetric matrix is least.

/// Rotations of all pairs: more than any matrix was seen to need.
const SWEEPS: usize = 60;

/// The least eigenvalue and its eigenvector (of length 1) of the symmetric matrix that parameters are: first the diagonal, then the entries
/// above it, row by row. Cyclic Jacobi rotations.
pub(super) fn least_direction(order: usize, parameters: &[f64]) -> (f64, Vec<f64>) {
    let mut matrix = vec![vec![0.0; order]; order];
    let mut rest = parameters[order..].iter();
    let pairs = (0..order).flat_map(|k| (k + 1..order).map(move |l| (k, l)));
    for (k, l) in pairs.clone() {
        let value = rest.next().copied().unwrap_or(0.0);
        matrix[k][l] = value;
        matrix[l][k] = value;
    }
    for (k, row) in matrix.iter_mut().enumerate() {
        row[k] = parameters[k];
    }
    let mut vectors = vec![vec![0.0; order]; order];
    for (k, vector) in vectors.iter_mut().enumerate() {
        vector[k] = 1.0;
    }
    for _ in 0..SWEEPS {
        let mut rotated = false;
        for (k, l) in pairs.clone() {
            rotated |= rotate(&mut matrix, &mut vectors, k, l);
        }
        if !rotated {
            break;
        }
    }
    let least = (0..order)
        .min_by(|&a, &b| matrix[a][a].total_cmp(&matrix[b][b]))
        .unwrap_or(0);
    match vectors.get(least) {
        Some(vector) => (matrix[least][least], vector.clone()),
        None => (0.0, Vec::new()),
    }
}

/// Makes the entry (k, l) zero; false if it is.
fn rotate(matrix: &mut [Vec<f64>], vectors: &mut [Vec<f64>], k: usize, l: usize) -> bool {
    let entry = matrix[k][l];
    if entry.abs() <= 1e-17 * (matrix[k][k].abs() + matrix[l][l].abs()) || entry.abs() < 1e-300 {
        return false;
    }
    let ratio = (matrix[l][l] - matrix[k][k]) / (2.0 * entry);
    let tangent = ratio.signum() / (ratio.abs() + (ratio * ratio + 1.0).sqrt());
    let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
    let sine = tangent * cosine;
    let turn = |a: f64, b: f64| (cosine * a - sine * b, sine * a + cosine * b);
    for row in matrix.iter_mut() {
        (row[k], row[l]) = turn(row[k], row[l]);
    }
    turn_rows(matrix, k, l, turn);
    turn_rows(vectors, k, l, turn);
    true
}

fn turn_rows(matrix: &mut [Vec<f64>], k: usize, l: usize, turn: impl Fn(f64, f64) -> (f64, f64)) {
    let (upper, lower) = matrix.split_at_mut(l);
    for (a, b) in upper[k].iter_mut().zip(&mut lower[0]) {
        (*a, *b) = turn(*a, *b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_eigenvalue_of_known_matrices() {
        // [[2, -1, 0], [-1, 2, -1], [0, -1, 2]] has eigenvalues 2 − 2 cos(kπ/4), k = 1, 2, 3: the least is 2 − √2, with (1, √2, 1)/2.
        let (value, vector) = least_direction(3, &[2.0, 2.0, 2.0, -1.0, 0.0, -1.0]);
        assert!((value - (2.0 - 2.0_f64.sqrt())).abs() < 1e-14);
        let sign = vector[0].signum();
        for (entry, expected) in vector.iter().zip([0.5, 0.5_f64.sqrt(), 0.5]) {
            assert!((sign * entry - expected).abs() < 1e-14);
        }
        // [[0, 1], [1, 0]]: −1 and 1.
        assert!((least_direction(2, &[0.0, 0.0, 1.0]).0 + 1.0).abs() < 1e-15);
        assert!((least_direction(1, &[-3.0]).0 + 3.0).abs() < 1e-15);
    }
}
