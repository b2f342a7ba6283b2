//! Records as rows of numbers: what distances and indexes compute on.

/// `n_records` × `n_attributes` numbers, row-major (a record is contiguous), with a mask of the missing ones.
///
/// # Missing
/// A missing cell holds 0.0 and is marked in the mask; no number stands for "missing". Values are finite.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    n_records: usize,
    n_attributes: usize,
    values: Vec<f64>,
    /// One bit a cell, `words_per_record` words a record; empty when nothing is missing.
    missing: Vec<u64>,
}

impl Matrix {
    /// A complete matrix from row-major values.
    ///
    /// # Panics
    /// If `values` is not `n_records * n_attributes` long.
    pub fn complete(n_records: usize, n_attributes: usize, values: Vec<f64>) -> Self {
        assert_eq!(values.len(), n_records * n_attributes, "one value a cell");
        Self {
            n_records,
            n_attributes,
            values,
            missing: Vec::new(),
        }
    }

    /// Number of records (rows).
    pub fn n_records(&self) -> usize {
        self.n_records
    }

    /// Number of attributes (columns).
    pub fn n_attributes(&self) -> usize {
        self.n_attributes
    }

    /// The values of one record; a missing one reads 0.0.
    pub fn row(&self, record: usize) -> &[f64] {
        &self.values[record * self.n_attributes..(record + 1) * self.n_attributes]
    }

    /// All values, row-major.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Whether nothing at all is missing.
    pub fn is_complete(&self) -> bool {
        self.missing.is_empty()
    }

    /// Whether this cell is missing.
    pub fn is_missing(&self, record: usize, attribute: usize) -> bool {
        !self.missing.is_empty()
            && self.missing[record * self.words_per_record() + attribute / 64] >> (attribute % 64) & 1
                == 1
    }

    /// Whether this record misses a value.
    pub fn has_missing(&self, record: usize) -> bool {
        let words = self.words_per_record();
        !self.missing.is_empty()
            && self.missing[record * words..(record + 1) * words]
                .iter()
                .any(|&word| word != 0)
    }

    /// Marks a cell as missing and clears its value.
    pub fn set_missing(&mut self, record: usize, attribute: usize) {
        let words = self.words_per_record();
        if self.missing.is_empty() {
            self.missing = vec![0; words * self.n_records];
        }
        self.missing[record * words + attribute / 64] |= 1 << (attribute % 64);
        self.values[record * self.n_attributes + attribute] = 0.0;
    }

    fn words_per_record(&self) -> usize {
        self.n_attributes.div_ceil(64)
    }
}
