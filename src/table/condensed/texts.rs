//! Cells of which few are different.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::table::limits::CHUNK;

/// The cells of one attribute, each by the number of its text.
pub struct Texts {
    codes: Vec<u16>,
    /// Each text once, in the order of the file.
    cells: Vec<Vec<u8>>,
}

impl Texts {
    /// Those of an attribute of which no cell was read yet.
    pub fn begun() -> Self {
        Self {
            codes: Vec::new(),
            cells: Vec::new(),
        }
    }

    /// The bytes of a record's cell.
    #[inline(always)]
    pub fn of(&self, record: usize) -> &[u8] {
        &self.cells[usize::from(self.codes[record])]
    }

    /// Room for so many cells.
    pub fn with_room(&mut self, cells: usize) -> &mut [u16] {
        self.codes = vec![0; cells];
        &mut self.codes
    }

    /// Joins the lists of all chunks, whose codes were filled in; `false` if there are too many different cells.
    pub fn join(&mut self, chunks: &[Known<'_>]) -> bool {
        let mut all = Known::default();
        let places = chunks.iter().map(|chunk| -> Option<Vec<u16>> {
            let codes = chunk.cells.iter().map(|cell| all.code(cell));
            codes.collect()
        });
        let Some(places) = places.collect::<Option<Vec<_>>>() else {
            return false;
        };
        let chunks = self.codes.par_chunks_mut(CHUNK).zip(&places);
        chunks.for_each(|(codes, places)| {
            for code in codes {
                *code = places[usize::from(*code)];
            }
        });
        self.cells = all.cells.iter().map(|cell| cell.to_vec()).collect();
        true
    }
}

/// The different cells of a run, in the order in which they were first seen.
#[derive(Default)]
pub struct Known<'a> {
    codes: BTreeMap<&'a [u8], u16>,
    cells: Vec<&'a [u8]>,
    /// Cells like the one before are many.
    last: Option<(&'a [u8], u16)>,
}

impl<'a> Known<'a> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// The number of a cell; `None` if there are too many.
    #[inline(always)]
    pub fn code(&mut self, cell: &'a [u8]) -> Option<u16> {
        if let Some((last, code)) = self.last
            && last == cell
        {
            return Some(code);
        }
        let code = match self.codes.get(cell) {
            Some(&code) => code,
            None => {
                let code = u16::try_from(self.cells.len()).ok()?;
                self.codes.insert(cell, code);
                self.cells.push(cell);
                code
            }
        };
        self.last = Some((cell, code));
        Some(code)
    }
}
