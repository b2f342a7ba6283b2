//! Writes a table in the dialect of its file.

use std::io::{self, Write};
use std::ops::Range;

use rayon::prelude::*;

use super::condensed::Kept;
use super::dialect::LineEnd;
use super::tokens::cut;
use super::{Column, Table};

/// Records that one thread makes into text at a time.
const BLOCK: usize = 2_048;

/// Blocks that are in memory at a time.
const BLOCKS_AT_ONCE: usize = 16;

impl Table {
    /// Writes the table as its file was written: delimiter, quotes, decimal mark, line ends, blank lines, encoding,
    /// the mark at the start and the line end at the end are those of the file.
    ///
    /// A table that no method touched is written byte for byte. Lines above the table that were skipped are not written: a title can hold
    /// anything. Nor are blank lines, where one attribute of several is left: they would be read as records. A file in UTF-16 is written in
    /// UTF-8.
    ///
    /// # Errors
    /// Those of `out`.
    ///
    /// # Complexity
    /// Linear in what is written, in parallel; the bytes are the same for any number of threads.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let file = &self.file;
        if self.is_untouched() {
            return file.text.write_without(file.title.clone(), out);
        }
        let mut start = self.before_the_table();
        self.write_header(&mut start);
        out.write_all(&start)?;
        self.write_records(out)
    }

    /// Writes the table with other names, one an attribute, in a header line of its own even where the file has none. All else
    /// is as [`write`](Self::write) has it. A name is quoted only if it must be.
    ///
    /// # Errors
    /// Those of `out`, and one when a name cannot be written in the file's encoding.
    ///
    /// # Panics
    /// If there is not one name an attribute.
    pub fn write_renamed(&self, names: &[String], out: &mut impl Write) -> io::Result<()> {
        assert_eq!(names.len(), self.n_attributes(), "one name an attribute");
        let file = &self.file;
        let cells = names
            .iter()
            .map(|name| self.name_cell(name))
            .collect::<io::Result<Vec<Vec<u8>>>>()?;
        let mut start = self.before_the_table();
        self.write_cells(cells.iter().map(Vec::as_slice), &mut start);
        match file.header.last() {
            Some(&end) => start.extend_from_slice(self.gap_after_header(end)),
            None => start.extend_from_slice(match file.dialect.line_end {
                LineEnd::CrLf => b"\r\n",
                LineEnd::Cr => b"\r",
                LineEnd::Lf | LineEnd::Mixed | LineEnd::None => b"\n",
            }),
        }
        out.write_all(&start)?;
        self.write_records(out)
    }

    /// Writes the table as a Parquet file, under these names, one an attribute, or its own: those that reports print.
    ///
    /// # Types
    /// An attribute keeps the type that it has in the Parquet file that the table was read from if all its cells can be said in it. Otherwise,
    /// and in a table from text, it is of whole numbers of 64 bits if all cells are whole numbers; else of double numbers if these say all
    /// digits of the cells; else of text. A leading zero or a plus sign makes a cell text.
    ///
    /// # Missing
    /// An empty cell is null, as are the usual markers where they are missing. A stated code stays what it is, like any other value.
    ///
    /// # Errors
    /// Those of `out`, and one if the program was built without Parquet ([`parquet::supported`](super::parquet::supported)).
    ///
    /// # Panics
    /// If there is not one name an attribute.
    ///
    /// # Complexity
    /// Linear in the cells, which are looked at twice; the file is made in memory. The bytes are the same for any number of threads.
    pub fn write_parquet(&self, names: Option<&[String]>, out: &mut dyn Write) -> io::Result<()> {
        let own: Vec<String>;
        let names = match names {
            Some(names) => names,
            None => {
                own = (self.attributes.iter())
                    .map(|attribute| attribute.name.clone())
                    .collect();
                &own
            }
        };
        assert_eq!(names.len(), self.n_attributes(), "one name an attribute");
        super::parquet::write(self, names, out)
    }

    /// The mark at the start, and the line that states the delimiter; not the lines that were skipped.
    pub(super) fn before_the_table(&self) -> Vec<u8> {
        let file = &self.file;
        let mut start = file.text.head()[..file.title.start].to_vec();
        start.extend_from_slice(&file.text.head()[file.title.end..file.table_start]);
        start
    }

    /// A name as the bytes of a cell of the header.
    fn name_cell(&self, name: &str) -> io::Result<Vec<u8>> {
        let dialect = &self.file.dialect;
        let bytes = dialect.encoding.encode(name).ok_or_else(|| {
            io::Error::other(format!(
                "the name {name:?} cannot be written in {}",
                dialect.encoding.word()
            ))
        })?;
        Ok(self.quoted(bytes))
    }

    /// The bytes of a text that is not empty as those of a cell: in quotes where they must be.
    pub(super) fn quoted(&self, bytes: Vec<u8>) -> Vec<u8> {
        let delimiter = self.dialect().delimiter;
        let special = |byte: &u8| delimiter == Some(*byte) || b"\"\r\n \t".contains(byte);
        if !bytes.is_empty() && !bytes.iter().any(special) {
            return bytes;
        }
        let mut cell = vec![b'"'];
        for byte in bytes {
            cell.extend(std::iter::repeat_n(byte, 1 + usize::from(byte == b'"')));
        }
        cell.push(b'"');
        cell
    }

    fn write_records(&self, out: &mut impl Write) -> io::Result<()> {
        let file = &self.file;
        let n_records = self.n_records();
        let n_blocks = n_records.div_ceil(BLOCK);
        for turn in (0..n_blocks).step_by(BLOCKS_AT_ONCE) {
            let blocks: Vec<Vec<u8>> = (turn..n_blocks.min(turn + BLOCKS_AT_ONCE))
                .into_par_iter()
                .map(|block| self.block(block * BLOCK..n_records.min((block + 1) * BLOCK)))
                .collect();
            blocks.iter().try_for_each(|block| out.write_all(block))?;
        }
        if let Some(last) = file.text.n_records().checked_sub(1)
            && n_records > 0
        {
            out.write_all(self.gap_after(last))?;
        }
        Ok(())
    }

    /// These records as text, each but the first of all after the line end that stands before its place.
    fn block(&self, records: Range<usize>) -> Vec<u8> {
        let mut buffer = Vec::with_capacity(records.len() * 16 * (1 + self.columns.len()));
        let moved: Vec<Option<Vec<Kept<'_>>>> = (self.columns.iter())
            .map(|column| self.moved_cells(column, records.clone()))
            .collect();
        for (place, record) in records.enumerate() {
            if record > 0 {
                buffer.extend_from_slice(self.gap_after(record - 1));
            }
            let from = buffer.len();
            for (at, (column, moved)) in self.columns.iter().zip(&moved).enumerate() {
                self.write_delimiter(at, &mut buffer);
                let moved = moved.as_ref().map(|cells| cells[place]);
                self.write_cell(record, column, moved, &mut buffer);
            }
            self.finish_record(from, Some(record), &mut buffer);
        }
        buffer
    }

    /// Writes a cell; if it was looked for already, `moved` is what was found.
    fn write_cell(
        &self,
        record: usize,
        column: &Column,
        moved: Option<Kept<'_>>,
        buffer: &mut Vec<u8>,
    ) {
        let new = self.new_number(record, column);
        if let Some(value) = new
            && column.by_number
        {
            return self.print(value, column, buffer);
        }
        let from = buffer.len();
        let cell = moved.unwrap_or_else(|| self.kept_cell(record, column));
        cell.append(buffer);
        if let Some(value) = new
            && !self.is_said(value, &buffer[from..], column)
        {
            buffer.truncate(from);
            self.print(value, column, buffer);
        }
    }

    /// The cells of one attribute that these records take from others, if they do so. They lie all over the file: found for many records
    /// at a time, so that the processor waits for several of them at once.
    fn moved_cells<'a>(
        &'a self,
        column: &'a Column,
        records: Range<usize>,
    ) -> Option<Vec<Kept<'a>>> {
        let is_moved = column.donors.is_some() || self.order.is_some();
        let is_printed = column.printed && column.by_number;
        (is_moved && !is_printed).then(|| {
            let cell = |record| self.kept_cell(record, column);
            records.map(cell).collect()
        })
    }

    fn is_untouched(&self) -> bool {
        self.order.is_none()
            && (self.columns.iter().enumerate())
                .all(|(place, column)| column.place == place && column.is_as_read())
            && self.columns.len() == self.file.text.n_cells()
    }

    fn write_header(&self, buffer: &mut Vec<u8>) {
        let file = &self.file;
        let Some(&end) = file.header.last() else {
            return;
        };
        self.write_cells(self.header_cells(), buffer);
        buffer.extend_from_slice(self.gap_after_header(end));
    }

    /// The cells of the header, where there is one.
    pub(super) fn header_cells(&self) -> impl Iterator<Item = &[u8]> {
        let file = &self.file;
        let header = &file.text.head()[file.table_start..];
        let columns = self.columns.iter();
        columns.map(|column| cut(header, &file.header, column.place))
    }

    /// The line end after the header, whose cells end here, and the blank lines after it.
    pub(super) fn gap_after_header(&self, end: u32) -> &[u8] {
        let file = &self.file;
        let after = file.table_start + end as usize;
        self.without_new_records(&file.text.head()[after..])
    }

    fn write_cells<'a>(&self, cells: impl Iterator<Item = &'a [u8]>, buffer: &mut Vec<u8>) {
        let from = buffer.len();
        for (place, cell) in cells.enumerate() {
            self.write_delimiter(place, buffer);
            buffer.extend_from_slice(cell);
        }
        self.finish_record(from, None, buffer);
    }

    fn write_delimiter(&self, place: usize, buffer: &mut Vec<u8>) {
        if let (1.., Some(delimiter)) = (place, self.file.dialect.delimiter) {
            buffer.push(delimiter);
        }
    }

    /// One empty cell alone on a line is quoted where a blank line would be no record: a name, the cell of a file that had
    /// more attributes, and the last cell of a file without a line end.
    fn finish_record(&self, from: usize, record: Option<usize>, buffer: &mut Vec<u8>) {
        if self.columns.len() != 1 || buffer.len() > from {
            return;
        }
        let file = &self.file;
        let is_last = |record| record + 1 == self.n_records();
        let stays_a_record = file.text.n_cells() == 1
            && record.is_some_and(|record| file.dialect.final_line_end || !is_last(record));
        if !stays_a_record {
            buffer.extend_from_slice(b"\"\"");
        }
    }

    /// The line end after the record at this place of the file, and the blank lines after it.
    pub(super) fn gap_after(&self, place: usize) -> &[u8] {
        self.without_new_records(self.file.text.after(place))
    }

    /// A gap between records without its blank lines, where only one attribute of several is left: they would be read as records.
    fn without_new_records<'a>(&self, gap: &'a [u8]) -> &'a [u8] {
        if self.columns.len() != 1 || self.file.text.n_cells() == 1 {
            return gap;
        }
        let end = match gap.iter().position(|byte| b"\r\n".contains(byte)) {
            Some(at) if gap[at..].starts_with(b"\r\n") => at + 2,
            Some(at) => at + 1,
            None => gap.len(),
        };
        &gap[..end]
    }
}
