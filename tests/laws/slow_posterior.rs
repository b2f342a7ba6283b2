//! A second program for the posterior given one-to-one links, written from its definition: dense matrices, matchings by trying.
//!
//! As many pairs as possible are made. A pair, or a record alone, that no such matching has gets 0; then rows and columns are scaled in turns.
//! Surplus seekers share a column of weight 1, surplus sought records a row of weight 1.

/// Likelihoods, seekers × sought; 0 where impossible.
pub type Dense = Vec<Vec<f64>>;

/// The most pairs, without these rows and columns.
fn most(w: &Dense, without_row: Option<usize>, without_column: Option<usize>) -> usize {
    fn finds(
        w: &Dense,
        row: usize,
        skip: Option<usize>,
        seen: &mut [bool],
        of: &mut [Option<usize>],
    ) -> bool {
        for column in 0..of.len() {
            if w[row][column] > 0.0 && skip != Some(column) && !seen[column] {
                seen[column] = true;
                if of[column].is_none_or(|other| finds(w, other, skip, seen, of)) {
                    of[column] = Some(row);
                    return true;
                }
            }
        }
        false
    }
    let mut of = vec![None; w[0].len()];
    let rows = (0..w.len()).filter(|&row| without_row != Some(row));
    rows.filter(|&row| {
        finds(
            w,
            row,
            without_column,
            &mut vec![false; w[0].len()],
            &mut of,
        )
    })
    .count()
}

/// The balanced posterior, and the probability that each seeker has no partner, by so many rounds.
pub fn balanced(w: &Dense, rounds: u32) -> (Dense, Vec<f64>) {
    let (n, m) = (w.len(), w[0].len());
    // Without zeros, every pair is in some matching, and whoever is on the longer side can stay alone.
    let full = w.iter().flatten().all(|&w| w > 0.0);
    let pairs = if full { n.min(m) } else { most(w, None, None) };
    let has_any = |row: &usize| w[*row].iter().any(|&w| w > 0.0);
    let is_any = |column: &usize| w.iter().any(|row| row[*column] > 0.0);
    let surplus = [
        (0..n).filter(has_any).count() - pairs,
        (0..m).filter(is_any).count() - pairs,
    ];
    // One row and one column more, for those who stay alone.
    let mut p = vec![vec![0.0; m + 1]; n + 1];
    for i in (0..n).filter(has_any) {
        for j in 0..m {
            let in_one = full || w[i][j] > 0.0 && 1 + most(w, Some(i), Some(j)) == pairs;
            p[i][j] = if in_one { w[i][j] } else { 0.0 };
        }
        p[i][m] = f64::from(u8::from(if full {
            n > m
        } else {
            most(w, Some(i), None) == pairs
        }));
    }
    for j in (0..m).filter(is_any) {
        p[n][j] = f64::from(u8::from(if full {
            m > n
        } else {
            most(w, None, Some(j)) == pairs
        }));
    }
    let scale = |sum: f64, to: f64| if sum > 0.0 { to / sum } else { 0.0 };
    for _ in 0..rounds {
        let mut change = 0.0_f64;
        for (i, row) in p.iter_mut().enumerate() {
            let to = if i < n { 1.0 } else { surplus[1] as f64 };
            let factor = scale(row.iter().sum(), to);
            row.iter_mut().for_each(|x| *x *= factor);
        }
        for j in 0..=m {
            let to = if j < m { 1.0 } else { surplus[0] as f64 };
            let factor = scale(p.iter().map(|row| row[j]).sum(), to);
            change = change.max(if factor > 0.0 {
                (factor - 1.0).abs()
            } else {
                0.0
            });
            p.iter_mut().for_each(|row| row[j] *= factor);
        }
        if change < 1e-9 {
            break;
        }
    }
    let alone = p[..n].iter().map(|row| row[m]).collect();
    p.truncate(n);
    p.iter_mut().for_each(|row| row.truncate(m));
    (p, alone)
}
