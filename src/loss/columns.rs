//! Records as lists of values, attribute by attribute: what sums over one or two attributes run along.

use std::borrow::Cow;

use rayon::prelude::*;

use crate::table::Matrix;

/// The attributes of a matrix, one list of values each.
#[derive(Debug)]
pub struct Columns {
    of: Vec<Column>,
}

#[derive(Debug)]
struct Column {
    /// One value a record; 0 where it is missing.
    values: Vec<f64>,
    /// Whether the value of a record is missing; empty where none is.
    missing: Vec<bool>,
}

impl Columns {
    /// The same values, attribute by attribute.
    pub fn of(matrix: &Matrix) -> Self {
        let records = matrix.n_records();
        let column = |attribute: usize| {
            let missing: Vec<bool> = if matrix.is_complete() {
                Vec::new()
            } else {
                (0..records)
                    .map(|record| matrix.is_missing(record, attribute))
                    .collect()
            };
            Column {
                values: matrix.view().column(attribute).to_vec(),
                missing: if missing.contains(&true) {
                    missing
                } else {
                    Vec::new()
                },
            }
        };
        Self {
            of: (0..matrix.n_attributes())
                .into_par_iter()
                .map(column)
                .collect(),
        }
    }

    /// Number of attributes.
    pub fn len(&self) -> usize {
        self.of.len()
    }

    /// The values of an attribute that are there, in the order of the records.
    pub fn present(&self, attribute: usize) -> Cow<'_, [f64]> {
        let Column { values, missing } = &self.of[attribute];
        if missing.is_empty() {
            Cow::Borrowed(values)
        } else {
            let there = values.iter().zip(missing).filter(|(_, missing)| !**missing);
            Cow::Owned(there.map(|(&value, _)| value).collect())
        }
    }

    /// The values of an attribute that no record misses.
    pub fn complete(&self, attribute: usize) -> Option<&[f64]> {
        let Column { values, missing } = &self.of[attribute];
        missing.is_empty().then_some(values)
    }

    /// One attribute of every record; `None` where it is missing.
    pub fn cells(&self, attribute: usize) -> impl Iterator<Item = Option<f64>> + '_ {
        let Column { values, missing } = &self.of[attribute];
        let mut missing = missing.iter();
        let mut is_missing = move || missing.next() == Some(&true);
        values
            .iter()
            .map(move |&value| (!is_missing()).then_some(value))
    }

    /// The values of two attributes in the records that have both.
    pub fn both(&self, j: usize, k: usize) -> (Cow<'_, [f64]>, Cow<'_, [f64]>) {
        let (a, b) = (&self.of[j], &self.of[k]);
        if a.missing.is_empty() && b.missing.is_empty() {
            return (Cow::Borrowed(&a.values), Cow::Borrowed(&b.values));
        }
        let is_missing = |column: &Column, record: usize| column.missing.get(record) == Some(&true);
        let (x, y) = (0..a.values.len())
            .filter(|&record| !is_missing(a, record) && !is_missing(b, record))
            .map(|record| (a.values[record], b.values[record]))
            .unzip();
        (Cow::Owned(x), Cow::Owned(y))
    }
}

/// The pairs of attributes (j, k) with k ≤ j, row by row: the lower triangle of a matrix of p attributes.
pub fn lower_triangle(p: usize) -> impl Iterator<Item = [usize; 2]> {
    (0..p).flat_map(|j| (0..=j).map(move |k| [j, k]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_are_the_records_that_miss_neither() {
        let mut matrix = Matrix::complete(3, 3, vec![1., 2., 3., 4., 5., 6., 7., 8., 9.]);
        matrix.set_missing(0, 0);
        matrix.set_missing(1, 2);
        let columns = Columns::of(&matrix);
        assert_eq!(columns.len(), 3);
        assert_eq!(*columns.present(0), [4.0, 7.0]);
        assert_eq!(*columns.present(1), [2.0, 5.0, 8.0]);
        let (x, y) = columns.both(0, 2);
        assert_eq!((&*x, &*y), (&[7.0][..], &[9.0][..]));
        let pairs: Vec<_> = lower_triangle(3).collect();
        assert_eq!(pairs, [[0, 0], [1, 0], [1, 1], [2, 0], [2, 1], [2, 2]]);
    }
}
