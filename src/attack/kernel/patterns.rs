//! Neighbouring columns in which few different rows of values occur, as in the indicators of an attribute: what they add to a sum is looked up by a code.
//!
//! A leaf of records takes a byte of each for such columns together, where it takes four for each column; and of large files memory is what a search
//! waits for.

use std::ops::Range;

use crate::{distance::single::rounded, table::matrix::Matrix};

/// The most different rows: a code is a byte.
const MOST: usize = 256;

/// Fewer columns are compared as they are.
const FEWEST: usize = 4;

/// Neighbouring columns, the different rows of values that records have there, and which of them each has.
#[derive(Debug)]
pub(super) struct Patterns {
    pub columns: Range<usize>,
    /// Patterns × columns.
    rows: Vec<f64>,
    /// The pattern of each record.
    pub codes: Vec<u8>,
}

impl Patterns {
    /// All columns that have few patterns. A column joins those before it if it shows one pattern more at most, as one more indicator of an attribute does:
    /// so a group has few patterns, and its columns are those of one attribute.
    ///
    /// # Complexity
    /// O(n d).
    pub fn of(records: &Matrix) -> Vec<Self> {
        let mut all = Vec::new();
        let mut open: Option<Self> = None;
        for column in 0..records.n_attributes() {
            let joined = open.as_ref().and_then(|open| open.with(records, column));
            let next = joined.or_else(|| {
                all.extend(open.take());
                Self::empty(records, column).with(records, column)
            });
            open = next;
        }
        all.extend(open);
        all.retain(|patterns| patterns.columns.len() >= FEWEST);
        all
    }

    /// One pattern without values.
    fn empty(records: &Matrix, column: usize) -> Self {
        Self {
            columns: column..column,
            rows: Vec::new(),
            codes: vec![0; records.n_records()],
        }
    }

    /// These columns and the next one; `None` where it does not join.
    fn with(&self, records: &Matrix, column: usize) -> Option<Self> {
        let width = self.columns.len();
        let before = self.rows.len().checked_div(width).unwrap_or(1);
        // The first column of all may show what it will.
        let most = if width == 0 { 3 } else { before + 1 };
        // For each pattern the values beside it, each with the code of both.
        let mut values: Vec<Vec<(u64, u8)>> = vec![Vec::new(); before];
        let mut rows = Vec::new();
        let mut codes = Vec::with_capacity(self.codes.len());
        let mut many = 0;
        for (record, &code) in self.codes.iter().enumerate() {
            let value = records.row(record)[column];
            let beside = &mut values[code as usize];
            let known = beside.iter().find(|of| of.0 == value.to_bits());
            let code = match known {
                Some(&(_, code)) => code,
                None => {
                    let new = u8::try_from(many).ok().filter(|_| many < most)?;
                    many += 1;
                    beside.push((value.to_bits(), new));
                    rows.extend_from_slice(&self.rows[code as usize * width..][..width]);
                    rows.push(value);
                    new
                }
            };
            codes.push(code);
        }
        Some(Self {
            columns: self.columns.start..column + 1,
            rows,
            codes,
        })
    }

    /// For each pattern, its squared distance from some values of these columns and its product with them, rounded.
    pub fn sums(&self, values: &[f64]) -> Sums {
        let values = &values[self.columns.clone()];
        let mut sums = Sums {
            apart: [0.0; MOST],
            product: [0.0; MOST],
        };
        let cells = sums.apart.iter_mut().zip(&mut sums.product);
        for (row, (apart, product)) in self.rows.chunks_exact(values.len()).zip(cells) {
            let (mut squares, mut products) = (0.0, 0.0);
            for (own, value) in row.iter().zip(values) {
                squares += (own - value) * (own - value);
                products += own * value;
            }
            (*apart, *product) = (rounded(squares), rounded(products));
        }
        sums
    }
}

/// What each pattern adds for a seeker.
#[derive(Debug)]
pub(super) struct Sums {
    pub apart: [f32; MOST],
    pub product: [f32; MOST],
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A number, a value of two, the indicators of six categories, one of which nobody has, those of five that some miss, a constant, and those
    /// of three: the second and the third attribute have codes, by which their rows are found again.
    #[test]
    fn columns_of_an_attribute_have_a_code() {
        let indicators =
            |many: usize, own: usize| (0..many).map(move |k| f64::from(u8::from(k == own)));
        let row = |record: usize| -> Vec<f64> {
            let missing = record % 11 == 3;
            let second = indicators(5, record / 3 % 5);
            [record as f64, (record % 2) as f64]
                .into_iter()
                .chain(indicators(6, record % 5))
                .chain(second.map(|value| if missing { 0.25 } else { value }))
                .chain([7.0])
                .chain(indicators(3, record / 7 % 3))
                .collect()
        };
        let rows: Vec<Vec<f64>> = (0..200).map(row).collect();
        let records = Matrix::complete(200, 17, rows.concat());
        let all = Patterns::of(&records);
        let columns: Vec<Range<usize>> = all.iter().map(|of| of.columns.clone()).collect();
        assert_eq!(columns, [2..8, 8..14]);
        let seeker: Vec<f64> = (0..17).map(|k| f64::from(k) / 4.0 - 1.0).collect();
        for patterns in &all {
            let sums = patterns.sums(&seeker);
            for (row, &code) in rows.iter().zip(&patterns.codes) {
                let pairs = || {
                    row.iter()
                        .zip(&seeker)
                        .skip(patterns.columns.start)
                        .take(patterns.columns.len())
                };
                let apart: f64 = pairs().map(|(own, value)| (own - value).powi(2)).sum();
                let product: f64 = pairs().map(|(own, value)| own * value).sum();
                let found = [sums.apart, sums.product].map(|sums| f64::from(sums[code as usize]));
                assert!((found[0] - apart).abs() < 1e-5 && (found[1] - product).abs() < 1e-5);
            }
        }
    }

    /// More than 256 categories have no code, and few columns have none.
    #[test]
    fn many_categories_have_no_code() {
        let indicators = |many: usize| {
            let cells =
                (0..300 * many).map(|cell| f64::from(u8::from(cell / many % many == cell % many)));
            Matrix::complete(300, many, cells.collect())
        };
        let columns = |many| -> Vec<usize> {
            Patterns::of(&indicators(many))
                .iter()
                .map(|of| of.columns.len())
                .collect()
        };
        assert_eq!(columns(256), [256]);
        assert_eq!(columns(258).iter().sum::<usize>(), 255);
        assert!(columns(3).is_empty());
    }
}
