//! Records as rows of numbers: what distances and indexes compute on.

pub mod columns;
pub mod equal_records;

use ndarray::{Array2, ArrayView2, Axis};

use rayon::prelude::*;

use super::Values;
use super::rounded;

/// Records that one task copies or changes: enough to be worth a task.
const AT_ONCE: usize = 4096;

/// Records to which one attribute is written after the other.
const IN_CACHE: usize = 256;

/// Records × attributes, row-major (a record is contiguous), with a mask of the missing cells.
///
/// # Missing
/// A missing cell holds 0.0 and is marked in the mask; no number stands for "missing". Values are finite.
#[derive(Debug, PartialEq)]
pub struct Matrix {
    /// In standard (row-major) layout always.
    values: Array2<f64>,
    /// One bit a cell, `words_per_record` words a record; empty when nothing is missing.
    missing: Vec<u64>,
    /// What is known of the gaps of each attribute; empty when nothing is.
    gaps: Vec<Gaps>,
}

/// What is known of the gaps of an attribute in a file that was masked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Gaps {
    /// Nothing.
    #[default]
    Unknown,
    /// The file was compared with the original.
    Compared {
        /// Who misses the attribute there misses it here.
        kept: bool,
        /// Who misses it here misses it there.
        none_added: bool,
    },
    /// They do not stand where values are missing: some are zeros that changed places.
    Elsewhere,
}

impl Clone for Matrix {
    /// On all threads, since memory takes its time when it is first written to.
    fn clone(&self) -> Self {
        let mut values = vec![0.0; self.values().len()];
        let chunks = values.par_chunks_mut(AT_ONCE);
        chunks
            .zip(self.values().par_chunks(AT_ONCE))
            .for_each(|(copy, values)| copy.copy_from_slice(values));
        Self {
            missing: self.missing.clone(),
            gaps: self.gaps.clone(),
            ..Self::complete(self.n_records(), self.n_attributes(), values)
        }
    }
}

impl Matrix {
    /// A complete matrix from row-major values.
    ///
    /// # Panics
    /// If `values` is not `n_records * n_attributes` long.
    pub fn complete(n_records: usize, n_attributes: usize, values: Vec<f64>) -> Self {
        let values = Array2::from_shape_vec((n_records, n_attributes), values)
            .unwrap_or_else(|_| panic!("one value a cell"));
        Self {
            values,
            missing: Vec::new(),
            gaps: Vec::new(),
        }
    }

    /// The chosen records of some attributes, in the order of `records`.
    ///
    /// # Panics
    /// If a record does not exist.
    pub fn gather<'a>(attributes: &[impl Into<Values<'a>> + Copy], records: &[u32]) -> Self {
        let attributes: Vec<Values<'a>> = attributes.iter().map(|&of| of.into()).collect();
        let width = attributes.len();
        let mut values = vec![0.0; records.len() * width];
        values
            .par_chunks_mut(width.max(1) * IN_CACHE)
            .zip(records.par_chunks(IN_CACHE))
            .with_min_len(AT_ONCE / IN_CACHE)
            .for_each(|(rows, records)| {
                for (k, numbers) in attributes.iter().enumerate() {
                    numbers.each(records, |place, number| rows[place * width + k] = number);
                }
            });
        let mut matrix = Self::complete(records.len(), attributes.len(), values);
        for (k, numbers) in attributes.iter().enumerate() {
            if numbers.missing.is_empty() {
                continue;
            }
            for (row, &record) in records.iter().enumerate() {
                if numbers.missing.contains(record as usize) {
                    matrix.set_missing(row, k);
                }
            }
        }
        matrix
    }

    /// Number of records (rows).
    pub fn n_records(&self) -> usize {
        self.values.nrows()
    }

    /// Number of attributes (columns).
    pub fn n_attributes(&self) -> usize {
        self.values.ncols()
    }

    /// The values as an array of `ndarray`, records × attributes; a missing one reads 0.0.
    pub fn view(&self) -> ArrayView2<'_, f64> {
        self.values.view()
    }

    /// These records alone, in this order.
    #[must_use]
    pub fn only(&self, records: &[usize]) -> Self {
        let words = self.words_per_record();
        let masks = |&record: &usize| &self.missing[record * words..(record + 1) * words];
        Self {
            values: self.values.select(Axis(0), records),
            missing: if self.missing.is_empty() {
                Vec::new()
            } else {
                records.iter().flat_map(masks).copied().collect()
            },
            gaps: self.gaps.clone(),
        }
    }

    /// All values, row-major.
    #[inline]
    pub fn values(&self) -> &[f64] {
        self.values
            .as_slice()
            .unwrap_or_else(|| unreachable!("the layout is standard"))
    }

    /// The values of one record; a missing one reads 0.0.
    #[inline]
    pub fn row(&self, record: usize) -> &[f64] {
        let width = self.n_attributes();
        &self.values()[record * width..(record + 1) * width]
    }

    /// One record with its mask of missing cells.
    #[inline]
    pub fn record(&self, record: usize) -> Row<'_> {
        let missing = if self.missing.is_empty() {
            &[][..]
        } else {
            let words = self.words_per_record();
            &self.missing[record * words..(record + 1) * words]
        };
        Row {
            values: self.row(record),
            missing,
        }
    }

    /// Whether nothing at all is missing.
    pub fn is_complete(&self) -> bool {
        self.missing.is_empty()
    }

    /// Whether this cell is missing.
    pub fn is_missing(&self, record: usize, attribute: usize) -> bool {
        self.record(record).is_missing(attribute)
    }

    /// The value of a cell, unless it is missing.
    pub fn value(&self, record: usize, attribute: usize) -> Option<f64> {
        (!self.is_missing(record, attribute)).then(|| self.row(record)[attribute])
    }

    /// One attribute of every record; `None` where it is missing.
    pub fn column(&self, attribute: usize) -> impl Iterator<Item = Option<f64>> + '_ {
        (0..self.n_records()).map(move |record| self.value(record, attribute))
    }

    /// The values of one attribute that are there.
    pub fn present(&self, attribute: usize) -> impl Iterator<Item = f64> + '_ {
        self.column(attribute).flatten()
    }

    /// The greatest of 1, 0.1, 0.01 ... of which every value of an attribute is a multiple, as decimals go; 0 if there is none above
    /// 10⁻¹⁵.
    pub fn unit(&self, attribute: usize) -> f64 {
        const MAX_DECIMALS: usize = 15;
        let mut decimals = 0;
        for value in self.present(attribute) {
            while rounded(value, decimals).total_cmp(&(value + 0.0)).is_ne() {
                if decimals == MAX_DECIMALS {
                    return 0.0;
                }
                decimals += 1;
            }
        }
        rounded(0.1_f64.powi(i32::try_from(decimals).unwrap_or(0)), decimals)
    }

    /// A copy of these records, in this order.
    ///
    /// # Panics
    /// If a record does not exist.
    #[must_use]
    pub fn reordered(&self, records: &[u32]) -> Self {
        let width = self.n_attributes();
        let mut values = vec![0.0; records.len() * width];
        let rows = values.par_chunks_mut(width.max(1)).zip(records);
        rows.with_min_len(AT_ONCE)
            .for_each(|(row, &record)| row.copy_from_slice(self.row(record as usize)));
        let missing = if self.is_complete() {
            Vec::new()
        } else {
            let words = |&record: &u32| self.record(record as usize).missing.iter().copied();
            records.iter().flat_map(words).collect()
        };
        Self {
            missing,
            gaps: self.gaps.clone(),
            ..Self::complete(records.len(), width, values)
        }
    }

    /// A copy with one attribute more, the last.
    ///
    /// # Panics
    /// If there is not one cell a record.
    #[must_use]
    pub fn with_column(&self, column: &[Option<f64>]) -> Self {
        assert_eq!(column.len(), self.n_records(), "one cell a record");
        let width = self.n_attributes();
        let mut values = Vec::with_capacity(column.len() * (width + 1));
        for (record, cell) in column.iter().enumerate() {
            values.extend_from_slice(self.row(record));
            values.push(cell.unwrap_or(0.0));
        }
        let mut longer = Self::complete(column.len(), width + 1, values);
        for (record, cell) in column.iter().enumerate() {
            let gaps = (0..width).filter(|&attribute| self.is_missing(record, attribute));
            for attribute in gaps.chain(cell.is_none().then_some(width)) {
                longer.set_missing(record, attribute);
            }
        }
        longer
    }

    /// A copy of these attributes; zeros of those that are `hidden` count as missing.
    #[must_use]
    pub fn hiding_zeros(&self, attributes: &[usize], hidden: &[bool]) -> Self {
        let (n, width) = (self.n_records(), attributes.len());
        let mut values = Vec::with_capacity(n * width);
        for record in 0..n {
            let row = self.row(record);
            values.extend(attributes.iter().map(|&attribute| row[attribute]));
        }
        let mut copy = Self::complete(n, width, values);
        for (k, (&attribute, &hide)) in attributes.iter().zip(hidden).enumerate() {
            for record in 0..n {
                // A missing cell reads 0.0, too.
                let zero = self.row(record)[attribute] == 0.0;
                if zero && (hide || self.is_missing(record, attribute)) {
                    copy.set_missing(record, k);
                }
            }
        }
        for (k, (&attribute, &hide)) in attributes.iter().zip(hidden).enumerate() {
            let gaps = if hide {
                Gaps::Elsewhere
            } else {
                self.gaps(attribute)
            };
            if gaps != Gaps::Unknown {
                copy.set_gaps(k, gaps);
            }
        }
        copy
    }

    /// What is known of the gaps of an attribute.
    pub fn gaps(&self, attribute: usize) -> Gaps {
        self.gaps.get(attribute).copied().unwrap_or_default()
    }

    /// Says what is known of the gaps of an attribute.
    pub fn set_gaps(&mut self, attribute: usize, gaps: Gaps) {
        self.gaps.resize(self.n_attributes(), Gaps::Unknown);
        self.gaps[attribute] = gaps;
    }

    /// Whether the gaps of an attribute do not stand where values are missing.
    pub fn hides(&self, attribute: usize) -> bool {
        self.gaps(attribute) == Gaps::Elsewhere
    }

    /// Whether this record misses a value.
    pub fn has_missing(&self, record: usize) -> bool {
        self.record(record).missing.iter().any(|&word| word != 0)
    }

    /// Marks a cell as missing and clears its value.
    pub fn set_missing(&mut self, record: usize, attribute: usize) {
        let words = self.words_per_record();
        if self.missing.is_empty() {
            self.missing = vec![0; words * self.n_records()];
        }
        self.missing[record * words + attribute / 64] |= 1 << (attribute % 64);
        self.values[[record, attribute]] = 0.0;
    }

    /// Replaces the values that are not missing; `change` is given the attribute of each.
    pub fn map(&mut self, change: impl Fn(usize, f64) -> f64 + Sync) {
        let (width, words) = (self.n_attributes().max(1), self.words_per_record());
        let missing = &self.missing;
        let values = self.values.as_slice_mut().expect("the layout is standard");
        let rows = values.par_chunks_mut(width).enumerate();
        rows.with_min_len(AT_ONCE).for_each(|(record, row)| {
            let missing = missing.get(record * words..(record + 1) * words);
            for (attribute, cell) in row.iter_mut().enumerate() {
                if !is_marked(missing.unwrap_or(&[]), attribute) {
                    *cell = change(attribute, *cell);
                }
            }
        });
    }

    fn words_per_record(&self) -> usize {
        self.n_attributes().div_ceil(64)
    }
}

/// One record of a [`Matrix`]: its values, and which of them are missing.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    values: &'a [f64],
    /// One bit a cell; empty when nothing of the matrix is missing.
    missing: &'a [u64],
}

impl<'a> Row<'a> {
    /// The values; a missing one reads 0.0.
    #[inline]
    pub fn values(&self) -> &'a [f64] {
        self.values
    }

    /// Whether this attribute is missing.
    #[inline]
    pub fn is_missing(&self, attribute: usize) -> bool {
        is_marked(self.missing, attribute)
    }
}

/// Whether an attribute is missing, by the bits of a record: none where nothing of the matrix is missing.
#[inline]
fn is_marked(missing: &[u64], attribute: usize) -> bool {
    !missing.is_empty() && missing[attribute / 64] >> (attribute % 64) & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::Matrix;

    /// By hand, with gaps in both words of a record of 65 attributes: a gap is not changed, though what stands in its place is 0.
    #[test]
    fn what_is_missing_is_not_changed() {
        const WIDTH: usize = 65;
        let values = (0..2 * WIDTH).map(|cell| cell as f64).collect();
        let mut matrix = Matrix::complete(2, WIDTH, values);
        matrix.set_missing(1, 0);
        matrix.set_missing(0, 64);
        matrix.map(|attribute, value| 1000.0 * attribute as f64 + value + 0.5);
        assert_eq!(matrix.value(0, 0), Some(0.5));
        assert_eq!(matrix.value(0, 63), Some(63_063.5));
        assert_eq!((matrix.value(1, 0), matrix.value(0, 64)), (None, None));
        assert_eq!(matrix.record(0).values()[64], 0.0);
        assert_eq!(matrix.value(1, 64), Some(64_129.5));
        let mut nothing = Matrix::complete(3, 0, Vec::new());
        nothing.map(|_, value| value + 1.0);
        assert_eq!(nothing, Matrix::complete(3, 0, Vec::new()));
    }
}
