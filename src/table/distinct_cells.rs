//! The distinct cells of a run, numbered.

use std::{borrow::Cow, collections::BTreeMap};

/// The distinct cells of a run, numbered from 0 in the order in which they first occur.
#[derive(Default)]
pub(super) struct DistinctCells<'a> {
    /// Cells of at most seven bytes, which are most, compared as one number.
    short: BTreeMap<u64, usize>,
    long: BTreeMap<Cow<'a, [u8]>, usize>,
    cells: Vec<Cow<'a, [u8]>>,
    /// The number of the cell before: runs of equal cells are common.
    last: usize,
}

impl<'a> DistinctCells<'a> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Each of them once, in the order of their numbers.
    pub fn cells(&self) -> &[Cow<'a, [u8]>] {
        &self.cells
    }

    /// The number of a cell: as many as there were, if it is new.
    #[inline(always)]
    pub fn number(&mut self, cell: Cow<'a, [u8]>) -> usize {
        if self.cells.get(self.last) != Some(&cell) {
            let next = self.cells.len();
            self.last = match packed(&cell) {
                Some(key) => *self.short.entry(key).or_insert(next),
                None => *self.long.entry(cell.clone()).or_insert(next),
            };
            if self.last == next {
                self.cells.push(cell);
            }
        }
        self.last
    }
}

/// A cell of at most seven bytes, and its length.
fn packed(cell: &[u8]) -> Option<u64> {
    let mut bytes = [0; 8];
    bytes[7] = u8::try_from(cell.len()).ok().filter(|&len| len < 8)?;
    bytes[..cell.len()].copy_from_slice(cell);
    Some(u64::from_le_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_short_cells_have_different_keys() {
        let cells: [&[u8]; 5] = [b"", b"\0", b"b", b"b\0", b"1234567"];
        let packed: std::collections::BTreeSet<u64> =
            cells.iter().filter_map(|cell| packed(cell)).collect();
        assert_eq!(packed.len(), cells.len());
        assert_eq!(super::packed(b"12345678"), None);
    }
}
