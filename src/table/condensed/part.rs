//! The cells of all attributes, read a part of the records at a time.

use std::borrow::Cow;

use rayon::prelude::*;

use super::{
    Column,
    steps::{Form, Steps},
    texts::Texts,
};
use crate::table::{
    distinct_cells::DistinctCells, limits::CHUNK, number::Syntax, record_set::RecordSet,
    tokens::Layout,
};

/// Records that show of which form a column is.
pub(super) const TRIED: usize = 16_384;

/// Texts of more different cells than one in so many, or than so many in all, do not repeat each other.
const ONE_IN: usize = 2;
const FEW: usize = 256;

/// The columns of a text that may be a function of what can be kept, without their cells, and how its lines end; `None` if a few records give away
/// that it is none. `missing`: one set an attribute.
pub fn begun<'a>(
    bytes: &'a [u8],
    layout: &Layout,
    syntax: &Syntax,
    missing: &[&RecordSet],
) -> Option<(Vec<Column>, &'a [u8])> {
    if layout.n_records() < 2 || layout.n_cells() < 2 || missing.len() != layout.n_cells() {
        return None;
    }
    let line_end = &bytes[layout.end(0)..layout.start(1)];
    if ![&b"\n"[..], b"\r\n", b"\r"].contains(&line_end) {
        return None;
    }
    let n = layout.n_records().min(TRIED);
    let column = |(place, missing): (usize, &&RecordSet)| {
        let steps = Steps::begun(bytes, layout, place, syntax.decimal, missing);
        let mut cells = (0..n).map(|record| layout.cell(bytes, record, place));
        let is_of_form = |cell| steps.form().read(cell).is_some();
        if cells.clone().all(is_of_form) {
            return Some(Column::Steps(steps));
        }
        let mut known = DistinctCells::default();
        let most = FEW.max(n / ONE_IN);
        let repeats = cells.all(|cell| {
            known.number(Cow::Borrowed(cell));
            known.len() <= most
        });
        repeats.then(|| Column::Texts(Texts::begun()))
    };
    let columns: Option<Vec<Column>> = missing.iter().enumerate().map(column).collect();
    Some((columns?, line_end))
}

/// Some records of all columns.
pub struct Part<'a> {
    first: usize,
    n_records: usize,
    columns: Vec<PartOfColumn<'a>>,
}

enum PartOfColumn<'a> {
    Steps(&'a Form, &'a mut [i32]),
    Texts(&'a mut [u16]),
}

impl<'a> Part<'a> {
    /// Reads the cells of all columns; `false` if one, or a line end, could not be written again.
    pub fn fill(columns: &mut [Column], bytes: &[u8], layout: &Layout, line_end: &[u8]) -> bool {
        let parts = Part::all(columns, layout.n_records()).into_par_iter();
        let read = |part: Part<'_>| part.read(bytes, layout, line_end);
        let Some(known) = parts.map(read).collect::<Option<Vec<_>>>() else {
            return false;
        };
        // For each column of texts what each part has of it.
        let mut known: Vec<_> = known.into_iter().map(Vec::into_iter).collect();
        columns.iter_mut().all(|column| match column {
            Column::Steps(_) => true,
            Column::Texts(texts) => {
                let chunks: Vec<DistinctCells<'_>> =
                    known.iter_mut().filter_map(Iterator::next).collect();
                texts.join(&chunks)
            }
        })
    }

    /// Those of all records, a chunk each.
    fn all(columns: &'a mut [Column], n_records: usize) -> Vec<Self> {
        let firsts = (0..n_records).step_by(CHUNK);
        let mut parts: Vec<Self> = firsts
            .map(|first| Self {
                first,
                n_records: CHUNK.min(n_records - first),
                columns: Vec::with_capacity(columns.len()),
            })
            .collect();
        for column in columns {
            match column {
                Column::Steps(steps) => {
                    let (form, steps) = steps.with_room(n_records);
                    for (part, steps) in parts.iter_mut().zip(steps.chunks_mut(CHUNK)) {
                        part.columns.push(PartOfColumn::Steps(form, steps));
                    }
                }
                Column::Texts(texts) => {
                    let codes = texts.with_room(n_records);
                    for (part, codes) in parts.iter_mut().zip(codes.chunks_mut(CHUNK)) {
                        part.columns.push(PartOfColumn::Texts(codes));
                    }
                }
            }
        }
        parts
    }

    /// Reads its cells: the different ones of each column of texts. `None` if one, or a line end, could not be written again.
    fn read<'b>(
        self,
        bytes: &'b [u8],
        layout: &'b Layout,
        line_end: &[u8],
    ) -> Option<Vec<DistinctCells<'b>>> {
        let mut known: Vec<DistinctCells<'b>> = (self.columns.iter())
            .filter(|column| matches!(column, PartOfColumn::Texts(_)))
            .map(|_| DistinctCells::default())
            .collect();
        let mut columns = self.columns;
        for at in 0..self.n_records {
            let record = self.first + at;
            let cells = layout.record(bytes, record);
            let mut known = known.iter_mut();
            for (place, column) in columns.iter_mut().enumerate() {
                let cell = cells.cell(place);
                match column {
                    PartOfColumn::Steps(form, steps) => steps[at] = form.read(cell)?,
                    PartOfColumn::Texts(codes) => {
                        let number = known.next()?.number(Cow::Borrowed(cell));
                        codes[at] = u16::try_from(number).ok()?;
                    }
                }
            }
            let is_last = record + 1 == layout.n_records();
            if !is_last && bytes[layout.end(record)..layout.start(record + 1)] != *line_end {
                return None;
            }
            // Then every record is one line.
            if memchr::memchr2(
                b'\n',
                b'\r',
                &bytes[layout.start(record)..layout.end(record)],
            )
            .is_some()
            {
                return None;
            }
        }
        Some(known)
    }
}
