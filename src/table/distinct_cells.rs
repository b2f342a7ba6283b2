//! The distinct cells of a run, numbered.

use std::{borrow::Cow, collections::BTreeMap};

use super::cell::word_of;

/// The distinct cells of a run, numbered from 0 in the order in which they first occur.
#[derive(Default)]
pub(super) struct DistinctCells<'a> {
    short: BTreeMap<u64, usize>,
    long: BTreeMap<Cow<'a, [u8]>, usize>,
    recent: Recent<'a, usize>,
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
        let mark = Mark::of(&cell);
        if let Some(number) = self.recent.get(mark, &cell) {
            return number;
        }
        let next = self.cells.len();
        let number = if mark.is_whole() {
            *self.short.entry(mark.0).or_insert(next)
        } else {
            *self.long.entry(cell.clone()).or_insert(next)
        };
        if let Cow::Borrowed(cell) = cell {
            self.recent.put(mark, cell, number);
        }
        if number == next {
            self.cells.push(cell);
        }
        number
    }
}

/// Cells are compared by their marks first: all bytes of a short cell, some of a longer one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark(u64);

impl Mark {
    /// For a cell of at most seven bytes, these and how many they are.
    #[inline(always)]
    pub fn of(cell: &[u8]) -> Self {
        let n = cell.len() as u64;
        match (cell.first_chunk(), cell.last_chunk()) {
            (Some(first), Some(last)) => {
                let (first, last) = (u64::from_le_bytes(*first), u64::from_le_bytes(*last));
                Self(first ^ last.rotate_left(29) ^ n | Self::LONG)
            }
            _ if n == 0 => Self(0),
            _ => Self(word_of(cell) | n << 56),
        }
    }

    /// Of longer cells; more than any number of bytes of a short one.
    const LONG: u64 = 0xFF << 56;

    /// Whether cells of this mark are equal.
    #[inline(always)]
    fn is_whole(self) -> bool {
        self.0 < Self::LONG
    }
}

/// What is known of some cells that were seen lately: categories come again and again.
pub(super) struct Recent<'a, T>([Option<(Mark, &'a [u8], T)>; RECENT]);

/// How many cells are kept at most.
const RECENT: usize = 256;

impl<T: Copy> Default for Recent<'_, T> {
    fn default() -> Self {
        Self([None; RECENT])
    }
}

impl<'a, T: Copy> Recent<'a, T> {
    /// What is known of the cell with this mark, if it is still kept.
    #[inline(always)]
    pub fn get(&self, mark: Mark, cell: &[u8]) -> Option<T> {
        let (kept_mark, kept, known) = self.0[Self::place(mark)]?;
        let is_same = kept_mark == mark && (mark.is_whole() || kept == cell);
        is_same.then_some(known)
    }

    /// Keeps what is known of the cell with this mark, in the place of another one.
    #[inline(always)]
    pub fn put(&mut self, mark: Mark, cell: &'a [u8], known: T) {
        self.0[Self::place(mark)] = Some((mark, cell, known));
    }

    /// Spreads marks that differ in some byte (Knuth 1973, multiplicative hashing).
    #[inline(always)]
    fn place(mark: Mark) -> usize {
        const BITS: u32 = RECENT.ilog2();
        (mark.0.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - BITS)) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn marks_of_different_short_cells_differ() {
        let cells: [&[u8]; 7] = [
            b"",
            b"\0",
            b"b",
            b"b\0",
            b"1234567",
            b"1234568",
            b"\xFF\xFF\xFF\xFF\xFF\xFF\xFF",
        ];
        let marks: std::collections::BTreeSet<u64> =
            cells.iter().map(|cell| Mark::of(cell).0).collect();
        assert_eq!(marks.len(), cells.len());
        assert!(cells.iter().all(|cell| Mark::of(cell).is_whole()));
        assert!(!Mark::of(b"12345678").is_whole());
    }

    proptest! {
        /// More different cells than are kept lately, longer ones among them, and some that differ where marks do not look.
        #[test]
        fn cells_have_the_number_of_the_first_equal_one(cells in prop::collection::vec(0..2_000_u64, 0..4_000)) {
            let text = |&cell: &u64| match cell % 3 {
                0 => format!("a long label, {} of many", cell % 40),
                1 => (cell * cell % 1_999 * cell).to_string(),
                _ => format!("{}", cell % 30),
            };
            let cells: Vec<String> = cells.iter().map(text).collect();
            let mut first: Vec<&[u8]> = Vec::new();
            let mut known = DistinctCells::default();
            for (at, cell) in cells.iter().map(String::as_bytes).enumerate() {
                let number = first.iter().position(|&other| other == cell);
                let number = number.unwrap_or_else(|| {
                    first.push(cell);
                    first.len() - 1
                });
                let cell = if at % 7 == 0 { Cow::Owned(cell.to_vec()) } else { cell.into() };
                prop_assert_eq!(known.number(cell), number);
            }
            prop_assert_eq!(known.cells(), &first[..]);
        }
    }
}
