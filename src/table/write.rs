//! Writes a table in the dialect of its file.

use std::io::{self, Write};
use std::ops::Range;

use rayon::prelude::*;

use super::Table;
use super::tokens::cut;

/// Records that one thread makes into text at a time.
const BLOCK: usize = 2_048;

/// Blocks that are in memory at a time.
const BLOCKS_AT_ONCE: usize = 16;

impl Table {
    /// Writes the table as its file was written: delimiter, quotes, decimal mark, line ends, blank lines, encoding,
    /// the mark at the start and the line end at the end are those of the file.
    ///
    /// A table that no method touched is written byte for byte.
    ///
    /// # Errors
    /// Those of `out`.
    ///
    /// # Complexity
    /// Linear in what is written, in parallel; the bytes are the same for any number of threads.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let file = &self.file;
        if self.is_untouched() {
            return out.write_all(&file.bytes);
        }
        let mut start = file.bytes[..file.table_start].to_vec();
        self.write_header(&mut start);
        out.write_all(&start)?;
        let n_records = self.n_records();
        let n_blocks = n_records.div_ceil(BLOCK);
        for turn in (0..n_blocks).step_by(BLOCKS_AT_ONCE) {
            let blocks: Vec<Vec<u8>> = (turn..n_blocks.min(turn + BLOCKS_AT_ONCE))
                .into_par_iter()
                .map(|block| self.block(block * BLOCK..n_records.min((block + 1) * BLOCK)))
                .collect();
            blocks.iter().try_for_each(|block| out.write_all(block))?;
        }
        if let Some(last) = file.layout.n_records().checked_sub(1)
            && n_records > 0
        {
            out.write_all(self.gap_after(last))?;
        }
        Ok(())
    }

    /// These records as text, each but the first of all after the line end that stands before its place.
    fn block(&self, records: Range<usize>) -> Vec<u8> {
        let mut buffer = Vec::with_capacity(records.len() * 16 * (1 + self.columns.len()));
        for record in records {
            if record > 0 {
                buffer.extend_from_slice(self.gap_after(record - 1));
            }
            self.write_record(record, &mut buffer);
        }
        buffer
    }

    fn is_untouched(&self) -> bool {
        self.order.is_none()
            && self.columns.iter().enumerate().all(|(place, column)| {
                column.place == place
                    && column.donors.is_none()
                    && !column.printed
                    && column.replaced.is_none()
            })
            && self.columns.len() == self.file.layout.n_cells()
    }

    fn write_header(&self, buffer: &mut Vec<u8>) {
        let file = &self.file;
        let Some(&end) = file.header.last() else {
            return;
        };
        let header = &file.bytes[file.table_start..];
        let cells = self
            .columns
            .iter()
            .map(|column| cut(header, &file.header, column.place));
        self.write_cells(cells, buffer);
        let after = file.table_start + end as usize;
        let next = match file.layout.n_records() {
            0 => file.bytes.len(),
            _ => file.layout.start(0),
        };
        buffer.extend_from_slice(&file.bytes[after..next]);
    }

    fn write_cells<'a>(&self, cells: impl Iterator<Item = &'a [u8]>, buffer: &mut Vec<u8>) {
        let from = buffer.len();
        for (place, cell) in cells.enumerate() {
            self.write_delimiter(place, buffer);
            buffer.extend_from_slice(cell);
        }
        self.finish_record(from, buffer);
    }

    fn write_record(&self, record: usize, buffer: &mut Vec<u8>) {
        let from = buffer.len();
        for (place, column) in self.columns.iter().enumerate() {
            self.write_delimiter(place, buffer);
            let raw = self.file_cell(record, column);
            match self.printed_number(record, column, raw) {
                Some(value) => self.print(value, buffer),
                None => buffer.extend_from_slice(raw),
            }
        }
        self.finish_record(from, buffer);
    }

    fn write_delimiter(&self, place: usize, buffer: &mut Vec<u8>) {
        if let (1.., Some(delimiter)) = (place, self.file.dialect.delimiter) {
            buffer.push(delimiter);
        }
    }

    /// A record of one cell that is empty would be a blank line, which is no record.
    fn finish_record(&self, from: usize, buffer: &mut Vec<u8>) {
        if self.columns.len() == 1 && buffer.len() == from {
            buffer.extend_from_slice(b"\"\"");
        }
    }

    /// The line end after the record at this place of the file, and the blank lines after it.
    fn gap_after(&self, place: usize) -> &[u8] {
        let file = &self.file;
        let next = place + 1;
        let to = if next == file.layout.n_records() {
            file.bytes.len()
        } else {
            file.layout.start(next)
        };
        &file.bytes[file.layout.end(place)..to]
    }
}
