//! Linear equations.

/// A pivot below this share of the greatest entry is taken for 0.
const SINGULAR: f64 = 1e-10;

/// The solution of `rows · x = right`, by elimination with the greatest pivot of each column; `None` where there is not one solution only.
///
/// # Complexity
/// O(n³) for n equations.
///
/// # Panics
/// If it is not one equation an unknown.
pub fn solution(mut rows: Vec<Vec<f64>>, mut right: Vec<f64>) -> Option<Vec<f64>> {
    let n = rows.len();
    assert!(
        right.len() == n && rows.iter().all(|row| row.len() == n),
        "one equation an unknown"
    );
    let greatest = rows
        .iter()
        .flatten()
        .fold(0.0_f64, |most, entry| most.max(entry.abs()));
    for at in 0..n {
        let size = |row: &usize| rows[*row][at].abs();
        let pivot = (at..n).max_by(|a, b| size(a).total_cmp(&size(b)))?;
        if size(&pivot) <= SINGULAR * greatest {
            return None;
        }
        rows.swap(at, pivot);
        right.swap(at, pivot);
        let (above, below) = rows.split_at_mut(at + 1);
        let first = &above[at];
        for (row, place) in below.iter_mut().zip(at + 1..) {
            let factor = row[at] / first[at];
            if factor != 0.0 {
                for (entry, of_first) in row.iter_mut().zip(first).skip(at) {
                    *entry -= factor * of_first;
                }
                right[place] -= factor * right[at];
            }
        }
    }
    for at in (0..n).rev() {
        let known: f64 = (at + 1..n).map(|k| rows[at][k] * right[k]).sum();
        right[at] = (right[at] - known) / rows[at][at];
    }
    Some(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: 2y = 4, x + y = 5; and a sum of two equations, which decides nothing.
    #[test]
    fn solved_by_hand() {
        let found = solution(vec![vec![0.0, 2.0], vec![1.0, 1.0]], vec![4.0, 5.0]);
        assert_eq!(found, Some(vec![3.0, 2.0]));
        let rows = vec![
            vec![1.0, 2.0, 3.0],
            vec![0.5, 0.25, 1.0],
            vec![1.5, 2.25, 4.0],
        ];
        assert_eq!(solution(rows, vec![1.0, 2.0, 3.0]), None);
        assert_eq!(solution(Vec::new(), Vec::new()), Some(Vec::new()));
    }
}
