//! Rows, stored one after the other with their zeros left out.

use std::ops::Range;

/// The rows of all blocks, each scaled to a greatest absolute coefficient of 1.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    /// Where each block's rows begin, and the end of the last.
    blocks: Vec<usize>,
    /// Where each row's entries begin, and the end of the last.
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
    /// What each row is called by its owner.
    labels: Vec<u32>,
}

/// A row: its coefficients that are not 0, by ascending column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row<'a> {
    /// The parameters.
    pub columns: &'a [u32],
    /// Their coefficients.
    pub values: &'a [f64],
}

impl Row<'_> {
    /// The value at these parameters, and the sum of the absolute values of its terms.
    pub fn dot(&self, parameters: &[f64]) -> (f64, f64) {
        let (mut value, mut size) = (0.0, 0.0);
        for (&column, &coefficient) in self.columns.iter().zip(self.values) {
            let term = coefficient * parameters[column as usize];
            value += term;
            size += term.abs();
        }
        (value, size)
    }
}

impl Rows {
    /// No blocks.
    pub fn new() -> Self {
        Self {
            blocks: vec![0],
            starts: vec![0],
            ..Self::default()
        }
    }

    /// Adds a block without rows: every parameter satisfies it until rows are pushed.
    pub fn push_block(&mut self) {
        self.blocks.push(self.labels.len());
    }

    /// Adds a row to the last block, scaled. A row of zeros is kept: nothing satisfies it.
    ///
    /// # Panics
    /// If there is no block yet.
    pub fn push_row(&mut self, label: u32, coefficients: &[f64]) {
        let greatest = coefficients
            .iter()
            .fold(0.0_f64, |most, v| most.max(v.abs()));
        for (column, &value) in coefficients.iter().enumerate() {
            if value != 0.0 {
                self.columns.push(u32::try_from(column).unwrap_or(u32::MAX));
                self.values.push(value / greatest);
            }
        }
        self.starts.push(self.columns.len());
        self.labels.push(label);
        let last = self.blocks.len() - 1;
        assert!(last > 0, "rows belong to a block");
        self.blocks[last] = self.labels.len();
    }

    /// Number of blocks.
    pub fn n_blocks(&self) -> usize {
        self.blocks.len() - 1
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.labels.len()
    }

    /// The numbers of a block's rows.
    pub fn of_block(&self, block: usize) -> Range<usize> {
        self.blocks[block]..self.blocks[block + 1]
    }

    /// The block that a row belongs to.
    ///
    /// # Complexity
    /// O(log blocks).
    pub fn block_of(&self, row: usize) -> usize {
        self.blocks.partition_point(|&start| start <= row) - 1
    }

    /// A row.
    pub fn row(&self, row: usize) -> Row<'_> {
        let entries = self.starts[row]..self.starts[row + 1];
        Row {
            columns: &self.columns[entries.clone()],
            values: &self.values[entries],
        }
    }

    /// What the owner calls a row.
    pub fn label(&self, row: usize) -> u32 {
        self.labels[row]
    }
}
