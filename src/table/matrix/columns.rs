//! Records as lists of values, attribute by attribute: what sums over one or two attributes run along.

use std::{borrow::Cow, sync::Arc};

use rayon::prelude::*;

use super::Matrix;
use crate::table::{AttrId, Table};

/// The numbers of some attributes, one list of values each.
#[derive(Debug, Clone)]
pub struct Columns {
    of: Vec<Column>,
    n_records: usize,
}

#[derive(Debug, Clone)]
struct Column {
    /// One value a record; 0 where it is missing.
    values: Arc<Vec<f64>>,
    /// Whether the value of a record is missing; empty where none is.
    missing: Vec<bool>,
}

impl Column {
    fn new(values: Arc<Vec<f64>>, missing: Vec<bool>) -> Self {
        let has_gaps = missing.contains(&true);
        Self {
            values,
            missing: if has_gaps { missing } else { Vec::new() },
        }
    }
}

impl Columns {
    /// Some records of a table, in the order of `records`, and some attributes that are numbers. Where these are all records as they
    /// stand, the table's own numbers are shared.
    ///
    /// # Panics
    /// If a record does not exist, or an attribute is none of numbers.
    pub fn gather(table: &Table, attributes: &[AttrId], records: &[u32]) -> Self {
        let places = || records.par_iter().map(|&record| record as usize);
        let are_all = records.len() == table.n_records()
            && places().enumerate().all(|(place, record)| place == record);
        let column = |&id: &AttrId| {
            let numbers = table.values(id).expect("an attribute of numbers");
            let shared = table.shared_numbers(id).filter(|_| are_all);
            let gathered = || Arc::new(places().map(|record| numbers.of(record)).collect());
            let missing = if numbers.missing.is_empty() {
                Vec::new()
            } else {
                let is_missing = |record| numbers.missing.contains(record);
                places().map(is_missing).collect()
            };
            Column::new(shared.unwrap_or_else(gathered), missing)
        };
        Self {
            of: attributes.iter().map(column).collect(),
            n_records: records.len(),
        }
    }

    /// The same, record by record.
    pub fn to_matrix(&self) -> Matrix {
        let width = self.n_attributes();
        let mut values = vec![0.0; self.n_records * width];
        let rows = values.par_chunks_mut(width.max(1)).enumerate();
        rows.for_each(|(record, row)| {
            for (cell, column) in row.iter_mut().zip(&self.of) {
                *cell = column.values[record];
            }
        });
        let mut matrix = Matrix::complete(self.n_records, width, values);
        for (attribute, column) in self.of.iter().enumerate() {
            let gaps = column.missing.iter().enumerate();
            for (record, _) in gaps.filter(|(_, missing)| **missing) {
                matrix.set_missing(record, attribute);
            }
        }
        matrix
    }

    /// Number of records.
    pub fn n_records(&self) -> usize {
        self.n_records
    }

    /// A value; `None` where it is missing.
    #[inline(always)]
    pub fn value(&self, record: usize, attribute: usize) -> Option<f64> {
        let Column { values, missing } = &self.of[attribute];
        (missing.get(record) != Some(&true)).then(|| values[record])
    }

    /// Number of attributes.
    pub fn n_attributes(&self) -> usize {
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

#[cfg(test)]
impl From<&Matrix> for Columns {
    fn from(matrix: &Matrix) -> Self {
        let records = matrix.n_records();
        let column = |attribute: usize| {
            let missing = (0..records).map(|record| matrix.is_missing(record, attribute));
            let values = matrix.view().column(attribute).to_vec();
            Column::new(Arc::new(values), missing.collect())
        };
        Self {
            of: (0..matrix.n_attributes()).map(column).collect(),
            n_records: records,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_are_the_records_that_miss_neither() {
        let mut matrix = Matrix::complete(3, 3, vec![1., 2., 3., 4., 5., 6., 7., 8., 9.]);
        matrix.set_missing(0, 0);
        matrix.set_missing(1, 2);
        let columns = Columns::from(&matrix);
        assert_eq!((columns.n_attributes(), columns.n_records()), (3, 3));
        assert_eq!(columns.to_matrix(), matrix);
        assert_eq!(
            [0, 1].map(|record| columns.value(record, 2)),
            [Some(3.0), None]
        );
        assert_eq!(*columns.present(0), [4.0, 7.0]);
        assert_eq!(*columns.present(1), [2.0, 5.0, 8.0]);
        let (x, y) = columns.both(0, 2);
        assert_eq!((&*x, &*y), (&[7.0][..], &[9.0][..]));
    }
}
