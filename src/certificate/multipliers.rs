//! Multipliers that make sums exactly 0, near rounded ones.
//!
//! A conflict often rests on rows that cancel: `Σ λ v = 0` in some parameters. The multipliers that do it are quotients of determinants, which
//! no floating-point number is; a certificate has them rounded. Of which rows they are is what matters, and the exact ones follow:
//! those that the equations leave free keep their value, and the others are solved for, in whole numbers.

use num_bigint::{BigInt, Sign};

use super::exact::{Exact, whole_numbers};

/// Equations that are solved, at most; and equations times bits of the longest number.
const MAX_EQUATIONS: usize = 64;
const MAX_BITS: u64 = 40_000;

/// Multipliers x near these, up to a common factor, with `Σ x · form = 0` for all forms (each has a coefficient for each multiplier).
///
/// `None` if only 0 will do, or the numbers are too long. Signs are for the caller to look at.
///
/// # Complexity
/// O(equations² · multipliers) products of numbers of as many bits as the equations have together.
pub(super) fn exact(forms: &[Vec<Exact>], near: &[f64]) -> Option<Vec<Exact>> {
    let mut rows: Vec<Vec<BigInt>> = forms.iter().map(|form| whole_numbers(form)).collect();
    let bits = rows.iter().flatten().map(BigInt::bits).max().unwrap_or(0);
    if rows.len() > MAX_EQUATIONS || bits.saturating_mul(rows.len() as u64) > MAX_BITS {
        return None;
    }
    // The greatest multipliers are solved for: a small change leaves them positive.
    let mut order: Vec<usize> = (0..near.len()).collect();
    order.sort_by(|&a, &b| near[b].abs().total_cmp(&near[a].abs()).then(a.cmp(&b)));
    let mut solved: Vec<usize> = Vec::new();
    let mut determinant = BigInt::from(1);
    for &column in &order {
        let done = solved.len();
        let Some(row) = (done..rows.len()).find(|&row| rows[row][column].sign() != Sign::NoSign)
        else {
            continue;
        };
        rows.swap(done, row);
        eliminate(&mut rows, done, column, &determinant);
        determinant = rows[done][column].clone();
        solved.push(column);
    }
    // Row by row: determinant · x_solved + Σ entry · x_free = 0.
    let free: Vec<usize> = order
        .iter()
        .copied()
        .filter(|column| !solved.contains(column))
        .collect();
    let values = whole_numbers(&free.iter().map(|&k| Exact::of(near[k])).collect::<Vec<_>>());
    if values.iter().all(|value| value.sign() == Sign::NoSign) {
        return None;
    }
    let mut found = vec![BigInt::default(); near.len()];
    for (&column, value) in free.iter().zip(&values) {
        found[column] = value * &determinant;
    }
    for (row, &column) in rows.iter().zip(&solved) {
        let terms = free.iter().zip(&values);
        found[column] = -terms
            .map(|(&k, value)| &row[k] * value)
            .fold(BigInt::default(), |sum, term| sum + term);
    }
    if determinant.sign() == Sign::Minus {
        found.iter_mut().for_each(|value| *value = -&*value);
    }
    Some(found.into_iter().map(Exact::whole).collect())
}

/// A step of elimination without fractions (Bareiss, Mathematics of Computation 22, 1968), above the pivot too: all divisions come out even, and
/// all rows that are done have the same pivot.
fn eliminate(rows: &mut [Vec<BigInt>], pivot_row: usize, column: usize, before: &BigInt) {
    let pivot_values = rows[pivot_row].clone();
    let pivot = &pivot_values[column];
    for (number, row) in rows.iter_mut().enumerate() {
        if number == pivot_row {
            continue;
        }
        let factor = row[column].clone();
        for (value, of_pivot) in row.iter_mut().zip(&pivot_values) {
            *value = (&*value * pivot - &factor * of_pivot) / before;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use proptest::prelude::*;

    use super::*;

    fn forms(of: &[&[f64]]) -> Vec<Vec<Exact>> {
        of.iter()
            .map(|form| form.iter().map(|&value| Exact::of(value)).collect())
            .collect()
    }

    /// 3 x − y = 0 has y = 3 x; 1/3 in binary is not x : y.
    #[test]
    fn what_no_binary_number_is() {
        let found = exact(&forms(&[&[3.0, -1.0]]), &[1.0 / 3.0, 1.0]).unwrap();
        assert_eq!(
            &found[1] - &(&found[0] + &found[0].twice()),
            Exact::default()
        );
        assert_eq!(found[0].sign(), Ordering::Greater);
        // x = 0 and y = 0, twice over.
        assert!(exact(&forms(&[&[1.0, 1.0], &[1.0, -1.0]]), &[1.0, 1.0]).is_none());
        // Nothing asked: the values themselves.
        let same = exact(&[], &[0.5, 0.25]).unwrap();
        assert_eq!(same[0], same[1].twice());
    }

    proptest! {
        /// Three equations in five multipliers, small whole numbers: the sums are 0, and multipliers are near the ones given, where these nearly
        /// solve the equations.
        #[test]
        fn sums_are_exactly_zero(entries in prop::collection::vec(-5_i32..6, 15), near in prop::collection::vec(1_i32..9, 5)) {
            let matrix: Vec<Vec<f64>> = entries.chunks(5).map(|row| row.iter().map(|&v| f64::from(v)).collect()).collect();
            let near: Vec<f64> = near.iter().map(|&v| f64::from(v)).collect();
            let rows: Vec<&[f64]> = matrix.iter().map(Vec::as_slice).collect();
            let forms = forms(&rows);
            if let Some(found) = exact(&forms, &near) {
                for form in &forms {
                    let sum = form.iter().zip(&found).fold(Exact::default(), |sum, (a, b)| &sum + &(a * b));
                    prop_assert_eq!(sum.sign(), Ordering::Equal);
                }
                prop_assert!(found.iter().any(|value| !value.is_zero()));
            }
        }
    }
}
