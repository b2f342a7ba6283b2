//! Transition matrices: where they come from, and how they are made invariant.

use crate::{
    error::{Error, Result},
    statement::ROW_SUM,
    table::{AttrId, ReadOptions, Table},
};

/// A transition matrix that somebody stated.
#[derive(Debug, Clone)]
pub struct StatedMatrix {
    /// The name of its file, for messages.
    pub(super) file: String,
    /// Its categories, as the file writes them.
    pub(super) categories: Vec<String>,
    /// A row for each: rows of sum 1.
    pub(super) rows: Vec<Vec<f64>>,
}

impl StatedMatrix {
    /// Reads the text of a CSV file: a header of categories, then a row for each of them in that order, with the probability of each
    /// category. `name` is used in messages only.
    ///
    /// Delimiter and decimal mark are found as in data files.
    ///
    /// # Errors
    /// Input, with the line: it is no table of numbers, a category is not named or named twice, there are more or fewer rows than
    /// categories, a probability is below 0 or above 1, or a row has a sum that differs from 1 by more than 10⁻⁹.
    ///
    /// # Example
    /// ```
    /// use sdcrisk::mask::pram::StatedMatrix;
    /// assert!(StatedMatrix::parse("p.csv", "yes;no\n0,9;0,1\n0,2;0,8\n").is_ok());
    /// let error = StatedMatrix::parse("p.csv", "yes,no\n0.9,0.1\n0.3,0.8\n").unwrap_err();
    /// assert_eq!(error.location().line, Some(3));
    /// ```
    pub fn parse(name: &str, text: &str) -> Result<Self> {
        let options = ReadOptions {
            header: Some(true),
            // No probability has thousands: 0,125 is an eighth.
            thousands_mark: Some(None),
            ..ReadOptions::default()
        };
        let table = Table::read(name, text.as_bytes().to_vec(), &options)?;
        let wrong = |what: String| {
            Error::input(what).in_file(name).remedy(
                "A transition matrix has a header of categories, and for each of them a row of probabilities, in the same order",
            )
        };
        if !table.has_own_names() {
            return Err(wrong(
                "does not give each category a name of its own in its header".into(),
            ));
        }
        let (n, rows) = (table.n_attributes(), table.n_records());
        if n != rows {
            return Err(wrong(format!(
                "has {n} categories in its header and {rows} rows of probabilities"
            )));
        }
        let ids: Vec<AttrId> = table.ids().collect();
        let rows = (0..rows).map(|record| {
            let at = |what: String| wrong(what).at_line(table.line_of(record));
            let probability = |&id: &AttrId| {
                let number = table.numbers(id).filter(|_| !table.is_missing(record, id));
                let number = number.map(|numbers| numbers.values[record]);
                number
                    .filter(|p| (0.0..=1.0).contains(p))
                    .ok_or_else(|| at("has a cell that is no probability".into()))
            };
            let row: Vec<f64> = ids.iter().map(probability).collect::<Result<_>>()?;
            let sum: f64 = row.iter().sum();
            if (sum - 1.0).abs() <= ROW_SUM {
                Ok(row.into_iter().map(|p| p / sum).collect())
            } else {
                Err(at(format!("has a row of sum {sum}, which must be 1")))
            }
        });
        Ok(Self {
            file: name.to_owned(),
            rows: rows.collect::<Result<_>>()?,
            categories: table.names(&ids),
        })
    }
}

/// A matrix by which each of n categories is kept with one probability, and becomes each of the others with the same.
///
/// ```text
/// P_kk = keep        P_kl = (1 − keep) / (n − 1)
/// ```
///
/// A single category has no other, and is kept.
pub fn keeping(n: usize, keep: f64) -> Vec<Vec<f64>> {
    let other = (1.0 - keep) / (n.max(2) - 1) as f64;
    let entry = |k: usize, l: usize| match (n, k == l) {
        (1, _) => 1.0,
        (_, true) => keep,
        (_, false) => other,
    };
    let row = |k: usize| (0..n).map(|l| entry(k, l)).collect();
    (0..n).map(row).collect()
}

/// The invariant matrix of two stages.
///
/// ```text
/// Q_lm = t_m P_ml / Σ_j t_j P_jl        (Bayes: which category a masked one was)
/// R    = P Q,                           so that  Σ_k t_k R_km = Σ_l (Σ_k t_k P_kl) Q_lm = t_m
/// ```
///
/// `matrix` has a row for each of the categories that occur, `counts` how often; what it may become need not occur. R is among those that
/// occur. Frequencies t are counts.
///
/// # Complexity
/// O(n² m) for n categories that occur of m.
///
/// # Source
/// J. M. Gouweleeuw, P. Kooiman, L. C. R. J. Willenborg, P.-P. de Wolf, "Post randomisation for statistical disclosure control: theory
/// and implementation", Journal of Official Statistics 14, 1998: the two-stage construction of an invariant matrix.
pub fn invariant(matrix: &[Vec<f64>], counts: &[usize]) -> Vec<Vec<f64>> {
    let n = matrix.len();
    let became = matrix.first().map_or(0, Vec::len);
    let share = |m: usize, l: usize| counts[m] as f64 * matrix[m][l];
    let mut second = vec![vec![0.0; n]; became];
    for (l, row) in second.iter_mut().enumerate() {
        let sum: f64 = (0..n).map(|m| share(m, l)).sum();
        if sum > 0.0 {
            for (m, q) in row.iter_mut().enumerate() {
                *q = share(m, l) / sum;
            }
        }
    }
    let mut rows = vec![vec![0.0; n]; n];
    for (row, first) in rows.iter_mut().zip(matrix) {
        for (&p, second) in first.iter().zip(&second) {
            for (r, q) in row.iter_mut().zip(second) {
                *r += p * q;
            }
        }
        let sum: f64 = row.iter().sum();
        for r in row {
            *r /= sum;
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand, 3 : 1 and keep 4/5. Masked with frequencies 3·4/5 + 1·1/5 = 13/5 and 7/5, Q = (12/13, 1/13), (3/7, 4/7), so
    /// R_11 = 4/5·12/13 + 1/5·3/7 = 375/455 = 75/91 and R_22 = 1/5·1/13 + 4/5·4/7 = 215/455 = 43/91.
    #[test]
    fn two_stages_by_hand() {
        let found = invariant(&keeping(2, 0.8), &[3, 1]);
        let expected = [[75.0, 16.0], [48.0, 43.0]];
        for (row, expected) in found.iter().zip(expected) {
            for (r, e) in row.iter().zip(expected) {
                assert!((r - e / 91.0).abs() < 1e-15, "{found:?}");
            }
        }
    }

    /// A category that nobody has is gone through, and nobody ends in it: from (4/5, 0, 1/5) and (0, 1/2, 1/2) with counts 2 : 1.
    /// Q of the last column is 2/5 : 1/2, so R_12 = 1/5 · 5/9 = 1/9, and R_21 = 1/2 · 4/9 = 2/9.
    #[test]
    fn what_does_not_occur_is_only_gone_through() {
        let found = invariant(&[vec![0.8, 0.0, 0.2], vec![0.0, 0.5, 0.5]], &[2, 1]);
        assert!((found[0][1] - 1.0 / 9.0).abs() < 1e-15, "{found:?}");
        assert!((found[1][0] - 2.0 / 9.0).abs() < 1e-15, "{found:?}");
    }

    #[test]
    fn a_matrix_is_read_as_data_files_are() {
        let read = |text: &str| StatedMatrix::parse("p.csv", text);
        let comma = read("1;2;3\n0,125;0,125;0,75\n0;1;0\n0,5;0,25;0,25\n").unwrap();
        assert_eq!(comma.categories, ["1", "2", "3"]);
        assert_eq!(comma.rows[0], [0.125, 0.125, 0.75]);
        assert_eq!(read("a\n1\n").unwrap().rows, [[1.0]]);
        for (text, line) in [
            ("a,b\n0.5,0.5\n", None),
            ("a,a\n0.5,0.5\n1,0\n", None),
            ("a,b\n0.5,0.5\n1.5,-0.5\n", Some(3)),
            ("a,b\n0.5,0.5\n1,\n", Some(3)),
            ("a,b\n0.5,x\n0,1\n", Some(2)),
            ("a,b\n0.5,0.50000001\n0,1\n", Some(2)),
        ] {
            let error = read(text).unwrap_err();
            assert_eq!(error.location().line, line, "{text}: {error}");
            assert!(error.to_string().starts_with("p.csv"), "{error}");
        }
    }
}
