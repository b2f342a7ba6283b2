//! Eigenvalues and eigenvectors of small symmetric matrices.

use ndarray::{Array1, Array2};

/// Sweeps after which the rotations stop at the latest; some ten are enough for any matrix that fits in a table's width.
const MAX_SWEEPS: usize = 60;

/// What a symmetric matrix does along its own axes: `A = V diag(values) Vᵀ`.
#[derive(Debug, Clone, PartialEq)]
pub struct Eigen {
    /// Eigenvalues, greatest first.
    pub values: Array1<f64>,
    /// Orthonormal eigenvectors, one a column, in the order of the values.
    pub vectors: Array2<f64>,
}

/// Eigenvalues and eigenvectors of a symmetric matrix, by Jacobi's cyclic rotations.
///
/// # Shapes
/// p × p. Only the lower triangle is read. Entries are finite, and so are the squares of their sum.
///
/// # Ties
/// The sign of a vector is such that its component of greatest magnitude is positive (of several the first). Equal
/// eigenvalues keep the order in which the rotations leave them; their vectors span the right space, but which basis of
/// it they are is decided by rounding. They are the same in every run on the same matrix.
///
/// # Complexity
/// O(p³) a sweep, some ten sweeps; O(p²) memory. Meant for a table's attributes, not for thousands.
///
/// # Source
/// C. G. J. Jacobi 1846; the rotation's angle after G. H. Golub, C. F. Van Loan, "Matrix Computations", section 8.5.
///
/// # Panics
/// If the matrix is not square.
pub fn symmetric(matrix: Array2<f64>) -> Eigen {
    let p = matrix.nrows();
    assert_eq!(p, matrix.ncols(), "a symmetric matrix is square");
    let mut a = Array2::from_shape_fn((p, p), |(i, j)| matrix[[i.max(j), i.min(j)]]);
    let mut vectors = Array2::eye(p);
    for _ in 0..MAX_SWEEPS {
        let mut turned = false;
        for i in 0..p {
            for j in i + 1..p {
                turned |= rotate(&mut a, &mut vectors, i, j);
            }
        }
        if !turned {
            break;
        }
    }
    let mut order: Vec<usize> = (0..p).collect();
    order.sort_by(|&i, &j| a[[j, j]].total_cmp(&a[[i, i]]));
    let mut vectors = Array2::from_shape_fn((p, p), |(row, place)| vectors[[row, order[place]]]);
    for mut vector in vectors.columns_mut() {
        let greatest = vector.iter().fold(
            0.0_f64,
            |most, &x| if x.abs() > most.abs() { x } else { most },
        );
        if greatest < 0.0 {
            vector.mapv_inplace(|x| 0.0 - x);
        }
    }
    Eigen {
        values: order.iter().map(|&i| a[[i, i]]).collect(),
        vectors,
    }
}

/// Turns the axes i and j so that their entry becomes zero; false if it is negligible beside the diagonal already.
fn rotate(a: &mut Array2<f64>, vectors: &mut Array2<f64>, i: usize, j: usize) -> bool {
    let (off, at_i, at_j) = (a[[i, j]], a[[i, i]], a[[j, j]]);
    if off.abs() <= f64::EPSILON / 16.0 * at_i.abs().max(at_j.abs()) {
        a[[i, j]] = 0.0;
        a[[j, i]] = 0.0;
        return false;
    }
    let cotangent = (at_j - at_i) / (2.0 * off);
    let tangent = if cotangent >= 0.0 {
        1.0 / (cotangent + (1.0 + cotangent * cotangent).sqrt())
    } else {
        1.0 / (cotangent - (1.0 + cotangent * cotangent).sqrt())
    };
    let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
    let sine = tangent * cosine;
    for row in 0..a.nrows() {
        let (x, y) = (a[[row, i]], a[[row, j]]);
        a[[row, i]] = cosine * x - sine * y;
        a[[row, j]] = sine * x + cosine * y;
        let (x, y) = (vectors[[row, i]], vectors[[row, j]]);
        vectors[[row, i]] = cosine * x - sine * y;
        vectors[[row, j]] = sine * x + cosine * y;
    }
    for column in 0..a.nrows() {
        let (x, y) = (a[[i, column]], a[[j, column]]);
        a[[i, column]] = cosine * x - sine * y;
        a[[j, column]] = sine * x + cosine * y;
    }
    a[[i, j]] = 0.0;
    a[[j, i]] = 0.0;
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    /// By hand: [[2, 1], [1, 2]] stretches (1, 1) threefold and leaves (1, −1).
    #[test]
    fn two_by_two() {
        let eigen = symmetric(array![[2.0, 1.0], [1.0, 2.0]]);
        assert!(
            (&eigen.values - &array![3.0, 1.0])
                .iter()
                .all(|d| d.abs() < 1e-15)
        );
        let half = 0.5_f64.sqrt();
        let first = eigen.vectors.column(0).to_owned() - array![half, half];
        assert!(first.iter().all(|d| d.abs() < 1e-15));
    }

    /// A V = V diag(values), VᵀV = 1, values descending, signs as promised; on a matrix with a double eigenvalue and
    /// one of rank one too.
    #[test]
    fn the_decomposition_gives_the_matrix_back() {
        let hilbert = Array2::from_shape_fn((7, 7), |(i, j)| 1.0 / (i + j + 1) as f64);
        let double = array![[2.0, 0.0, 0.0], [0.0, 3.0, 1.0], [0.0, 1.0, 3.0]];
        let rank_one = Array2::from_shape_fn((5, 5), |(i, j)| ((i + 1) * (j + 1)) as f64);
        for matrix in [hilbert, double, rank_one, Array2::zeros((3, 3))] {
            let Eigen { values, vectors } = symmetric(matrix.clone());
            let norm = matrix.iter().map(|x| x * x).sum::<f64>().sqrt();
            let residual = matrix.dot(&vectors) - &vectors * &values;
            assert!(
                residual.iter().all(|x| x.abs() <= 1e-14 * norm),
                "{residual}"
            );
            let identity = vectors.t().dot(&vectors) - Array2::<f64>::eye(values.len());
            assert!(identity.iter().all(|x| x.abs() <= 1e-14));
            assert!(values.windows(2).into_iter().all(|pair| pair[0] >= pair[1]));
            for vector in vectors.columns() {
                let greatest = vector.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
                let first = vector.iter().find(|x| x.abs() >= greatest);
                assert!(first.is_some_and(|&x| x > 0.0));
            }
        }
    }

    #[test]
    fn nothing_at_all() {
        assert_eq!(symmetric(Array2::zeros((0, 0))).values.len(), 0);
    }
}
