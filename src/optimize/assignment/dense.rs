//! The linear sum assignment problem: pair everybody at the least total cost.

use crate::error::{Error, Result};

/// The assignment with the most possible pairs, and among those with the least total cost.
///
/// `cost(row, column)` is `None` for an impossible pair. The answer holds the column of each row, each column at
/// most once; a row without a possible column left gets `None`.
///
/// Impossible pairs carry a price that no saving elsewhere can be worth (more than all other pairs together), so totals
/// are compared with an absolute error of about 1e-16 times that price.
///
/// # Complexity
/// O(n³) time; a dense matrix, see [`bytes`].
///
/// # Errors
/// Failed, when the matrix does not fit into memory.
pub fn cheapest(
    n_rows: usize,
    n_columns: usize,
    cost: impl Fn(usize, usize) -> Option<f64>,
) -> Result<Vec<Option<u32>>> {
    let (short, long) = (n_rows.min(n_columns), n_rows.max(n_columns));
    // The solver wants no more rows than columns.
    let turned = n_rows > n_columns;
    let pair = |i: usize, j: usize| if turned { cost(j, i) } else { cost(i, j) };

    let mut matrix = Vec::new();
    short
        .checked_mul(long)
        .and_then(|cells| matrix.try_reserve_exact(cells).ok())
        .ok_or_else(|| too_large(n_rows, n_columns))?;
    let mut dearest = 0.0_f64;
    for i in 0..short {
        for j in 0..long {
            let price = pair(i, j);
            dearest = dearest.max(price.unwrap_or(0.0));
            matrix.push(price.unwrap_or(f64::INFINITY));
        }
    }
    let impossible = (dearest + 1.0) * (short as f64 + 1.0);
    for price in matrix.iter_mut().filter(|price| price.is_infinite()) {
        *price = impossible;
    }

    let (rows, columns) = lsap::solve(short, long, &matrix, false)
        .map_err(|_| Error::failed("the assignment of records could not be solved"))?;
    let mut partners = vec![None; n_rows];
    for (i, j) in rows.into_iter().zip(columns) {
        let (row, column) = if turned { (j, i) } else { (i, j) };
        if cost(row, column).is_some() {
            partners[row] = u32::try_from(column).ok();
        }
    }
    Ok(partners)
}

fn too_large(n_rows: usize, n_columns: usize) -> Error {
    Error::failed(format!(
        "a one-to-one assignment of {n_rows} to {n_columns} records needs {} GB for its matrix of costs, more than there is",
        bytes(n_rows, n_columns) / 1_000_000_000
    ))
    .remedy("Use --assign best, or let the intruder know fewer records (--known-records)")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every assignment, by recursion: (pairs, cost) of the best.
    fn exhaustive(costs: &[Vec<Option<f64>>], row: usize, taken: &mut Vec<bool>) -> (usize, f64) {
        if row == costs.len() {
            return (0, 0.0);
        }
        let mut best = exhaustive(costs, row + 1, taken);
        for column in 0..taken.len() {
            if let (false, Some(price)) = (taken[column], costs[row][column]) {
                taken[column] = true;
                let (pairs, rest) = exhaustive(costs, row + 1, taken);
                taken[column] = false;
                if (pairs + 1, -(rest + price)) > (best.0, -best.1) {
                    best = (pairs + 1, rest + price);
                }
            }
        }
        best
    }

    #[test]
    fn agrees_with_trying_everything() {
        let mut state = 7_u64;
        let mut random = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            state >> 33
        };
        for (rows, columns) in [
            (1, 1),
            (3, 3),
            (5, 5),
            (2, 5),
            (5, 2),
            (6, 4),
            (4, 0),
            (0, 4),
        ] {
            for _ in 0..20 {
                let costs: Vec<Vec<Option<f64>>> = (0..rows)
                    .map(|_| {
                        (0..columns)
                            .map(|_| (random() % 3 != 0).then(|| (random() % 50) as f64))
                            .collect()
                    })
                    .collect();
                let found = cheapest(rows, columns, |i, j| costs[i][j]).unwrap();
                let mut used: Vec<u32> = found.iter().flatten().copied().collect();
                let pairs = used.len();
                used.sort_unstable();
                used.dedup();
                assert_eq!(used.len(), pairs, "a column was used twice");
                let total: f64 = (0..rows).filter_map(|i| costs[i][found[i]? as usize]).sum();
                let mut taken = vec![false; columns];
                assert_eq!((pairs, total), exhaustive(&costs, 0, &mut taken));
            }
        }
    }
}
