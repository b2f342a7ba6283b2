//! Cells of which few are different.

use rayon::prelude::*;

use crate::table::{distinct_cells::DistinctCells, limits::CHUNK};

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
    pub fn join(&mut self, chunks: &[DistinctCells<'_>]) -> bool {
        let mut all = DistinctCells::default();
        let places = chunks.iter().map(|chunk| -> Option<Vec<u16>> {
            let cells = chunk.cells().iter().cloned();
            cells
                .map(|cell| u16::try_from(all.number(cell)).ok())
                .collect()
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
        self.cells = all.cells().iter().map(|cell| cell.to_vec()).collect();
        true
    }
}
