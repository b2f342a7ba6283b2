//! The distinct cells of a run, numbered.

use std::{borrow::Cow, collections::BTreeMap};

/// The distinct cells of a run, numbered from 0 in the order in which they first occur.
#[derive(Default)]
pub(super) struct DistinctCells<'a> {
    short: BTreeMap<ShortCell, usize>,
    /// Of short cells those that were seen lately.
    recent: Recent<usize>,
    long: BTreeMap<Cow<'a, [u8]>, usize>,
    cells: Vec<Cow<'a, [u8]>>,
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
        let next = self.cells.len();
        let number = match ShortCell::of(&cell) {
            Some(short) => {
                if let Some(number) = self.recent.get(short) {
                    return number;
                }
                let number = *self.short.entry(short).or_insert(next);
                self.recent.put(short, number);
                number
            }
            None => *self.long.entry(cell.clone()).or_insert(next),
        };
        if number == next {
            self.cells.push(cell);
        }
        number
    }
}

/// A cell of at most seven bytes, as most are: its bytes and its length in one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ShortCell(u64);

impl ShortCell {
    /// None of a longer cell.
    #[inline(always)]
    pub fn of(cell: &[u8]) -> Option<Self> {
        let n = cell.len();
        if n > 7 {
            return None;
        }
        let length = (n as u64) << 56;
        Some(Self(length | if n == 0 { 0 } else { word_of(cell) }))
    }
}

/// One to eight bytes as one number, the first one its lowest byte.
#[inline(always)]
pub(super) fn word_of(bytes: &[u8]) -> u64 {
    let n = bytes.len();
    // Bytes that are taken twice are the same.
    match (bytes.first_chunk(), bytes.last_chunk()) {
        (Some(first), Some(last)) => {
            u64::from(u32::from_le_bytes(*first))
                | u64::from(u32::from_le_bytes(*last)) << (8 * (n - 4))
        }
        _ => {
            u64::from(bytes[0])
                | u64::from(bytes[n / 2]) << (8 * (n / 2))
                | u64::from(bytes[n - 1]) << (8 * (n - 1))
        }
    }
}

/// What is known of some short cells that were seen lately: categories come again and again.
pub(super) struct Recent<T>([(ShortCell, T); RECENT]);

/// How many cells are kept at most.
const RECENT: usize = 256;

impl<T: Copy + Default> Default for Recent<T> {
    fn default() -> Self {
        // No cell is that long.
        Self([(ShortCell(u64::MAX), T::default()); RECENT])
    }
}

impl<T: Copy> Recent<T> {
    /// What is known of this cell, if it is still kept.
    #[inline(always)]
    pub fn get(&self, cell: ShortCell) -> Option<T> {
        let (kept, known) = self.0[Self::place(cell)];
        (kept == cell).then_some(known)
    }

    /// Keeps what is known of this cell, in the place of another one.
    #[inline(always)]
    pub fn put(&mut self, cell: ShortCell, known: T) {
        self.0[Self::place(cell)] = (cell, known);
    }

    /// Spreads cells that differ in some byte (Knuth 1973, multiplicative hashing).
    #[inline(always)]
    fn place(cell: ShortCell) -> usize {
        const BITS: u32 = RECENT.ilog2();
        (cell.0.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - BITS)) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn different_short_cells_are_different_numbers() {
        let cells: [&[u8]; 6] = [b"", b"\0", b"b", b"b\0", b"1234567", b"1234568"];
        let short: std::collections::BTreeSet<ShortCell> = cells
            .iter()
            .filter_map(|cell| ShortCell::of(cell))
            .collect();
        assert_eq!(short.len(), cells.len());
        assert_eq!(ShortCell::of(b"12345678"), None);
    }

    proptest! {
        #[test]
        fn words_hold_bytes_in_their_order(bytes in prop::collection::vec(any::<u8>(), 1..9)) {
            let mut all = [0; 8];
            all[..bytes.len()].copy_from_slice(&bytes);
            prop_assert_eq!(word_of(&bytes), u64::from_le_bytes(all));
        }

        /// More different cells than are kept lately, and longer ones among them.
        #[test]
        fn cells_have_the_number_of_the_first_equal_one(cells in prop::collection::vec(0..2_000_u64, 0..4_000)) {
            let text = |&cell: &u64| (cell * cell % 1_999 * cell).to_string().into_bytes();
            let cells: Vec<Vec<u8>> = cells.iter().map(text).collect();
            let mut first: Vec<&[u8]> = Vec::new();
            let mut known = DistinctCells::default();
            for cell in &cells {
                let number = first.iter().position(|other| other == cell);
                let number = number.unwrap_or_else(|| {
                    first.push(cell);
                    first.len() - 1
                });
                prop_assert_eq!(known.number(cell.as_slice().into()), number);
            }
            prop_assert_eq!(known.cells(), &first[..]);
        }
    }
}
