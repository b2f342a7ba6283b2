//! A file taken apart by columns, and put together again: the same bytes.

use std::io::{self, Write};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{AttrId, Table};

/// Records that one thread makes into text at a time.
const BLOCK: usize = 2_048;

/// Between two cells of a column.
const BETWEEN_CELLS: char = '\n';

/// Bytes, whatever their encoding, as text that JSON can hold: a visible sign of ASCII is itself, byte b any other is the character U+0100 + b.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct RawText(String);

impl RawText {
    fn of(bytes: &[u8]) -> Self {
        let mut text = Self::default();
        text.extend(bytes);
        text
    }

    fn extend(&mut self, bytes: &[u8]) {
        let sign = |&byte: &u8| match byte {
            b' '..=b'~' => char::from(byte),
            _ => char::from_u32(0x100 + u32::from(byte)).unwrap_or_default(),
        };
        self.0.extend(bytes.iter().map(sign));
    }

    /// Adds the bytes to a buffer; signs that stand for no byte are left out.
    fn decode(text: &str, out: &mut Vec<u8>) {
        let byte = |sign: char| {
            let code = u32::from(sign);
            u8::try_from(code.checked_sub(0x100).unwrap_or(code)).ok()
        };
        out.extend(text.chars().filter_map(byte));
    }
}

/// What of a file is not in its columns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Frame {
    /// The names of its attributes, in order.
    pub names: Vec<String>,
    /// Number of records.
    pub records: usize,
    /// What stands before the table: a byte order mark, a line that states the delimiter.
    start: RawText,
    /// What stands between two cells.
    delimiter: RawText,
    /// The cells of the header, if there is one, and what stands behind it.
    header: Option<(Vec<RawText>, RawText)>,
    /// What stands behind most records.
    line_end: RawText,
    /// Behind these records, counted from 0, something else.
    otherwise: Vec<(usize, RawText)>,
}

/// One column of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ColumnText {
    /// Its place in the file, from 0.
    pub place: usize,
    /// Its cells, one a line.
    cells: RawText,
}

impl ColumnText {
    /// Whether it has as many cells as that.
    pub fn has(&self, records: usize) -> bool {
        match records {
            0 => self.cells.0.is_empty(),
            _ => self.cells.0.matches(BETWEEN_CELLS).count() + 1 == records,
        }
    }
}

impl Table {
    /// What [`write`](Self::write) writes beside the cells of records.
    ///
    /// # Panics
    /// If there are fewer than two attributes: cells that are alone in their line are written otherwise.
    pub fn frame(&self) -> Frame {
        assert!(self.columns.len() > 1, "a file of columns");
        let (n, in_file) = (self.n_records(), self.file.text.n_records());
        // The last record ends as that of the file does.
        let behind =
            |record: usize| self.gap_after(if record + 1 == n { in_file - 1 } else { record });
        let line_end = if n == 0 { &[] } else { behind(0) };
        let others = (0..n).filter(|&record| behind(record) != line_end);
        let header = self.file.header.last().map(|&end| {
            let cells = self.header_cells().map(RawText::of).collect();
            (cells, RawText::of(self.gap_after_header(end)))
        });
        Frame {
            names: (self.attributes.iter())
                .map(|attribute| attribute.name.clone())
                .collect(),
            records: n,
            start: RawText::of(&self.before_the_table()),
            delimiter: RawText::of(self.file.dialect.delimiter.as_slice()),
            header,
            line_end: RawText::of(line_end),
            otherwise: others
                .map(|record| (record, RawText::of(behind(record))))
                .collect(),
        }
    }

    /// One of its columns.
    pub fn column_text(&self, id: AttrId) -> ColumnText {
        let n = self.n_records();
        let blocks: Vec<RawText> = (0..n.div_ceil(BLOCK))
            .into_par_iter()
            .map(|block| {
                let mut text = RawText::default();
                for record in block * BLOCK..n.min((block + 1) * BLOCK) {
                    if record > 0 {
                        text.0.push(BETWEEN_CELLS);
                    }
                    text.extend(&self.raw(record, id));
                }
                text
            })
            .collect();
        ColumnText {
            place: id.index(),
            cells: RawText(blocks.into_iter().map(|block| block.0).collect()),
        }
    }
}

/// Writes the file of a frame and its columns, in order: what [`Table::write`] writes of the table that they were taken from.
///
/// # Errors
/// Those of `out`.
pub fn write_joined(frame: &Frame, columns: &[ColumnText], out: &mut dyn Write) -> io::Result<()> {
    let mut buffer = Vec::new();
    let decode = RawText::decode;
    decode(&frame.start.0, &mut buffer);
    let between = |place: usize, buffer: &mut Vec<u8>| {
        if place > 0 {
            decode(&frame.delimiter.0, buffer);
        }
    };
    if let Some((names, behind)) = &frame.header {
        for (place, name) in names.iter().enumerate() {
            between(place, &mut buffer);
            decode(&name.0, &mut buffer);
        }
        decode(&behind.0, &mut buffer);
    }
    let mut cells: Vec<_> = columns
        .iter()
        .map(|column| column.cells.0.split(BETWEEN_CELLS))
        .collect();
    let mut otherwise = frame.otherwise.iter().peekable();
    for record in 0..frame.records {
        for (place, cell) in cells.iter_mut().filter_map(Iterator::next).enumerate() {
            between(place, &mut buffer);
            decode(cell, &mut buffer);
        }
        let behind = otherwise.next_if(|(of, _)| *of == record);
        let behind = behind.map_or(&frame.line_end, |(_, behind)| behind);
        decode(&behind.0, &mut buffer);
        if buffer.len() >= 1 << 16 {
            out.write_all(&buffer)?;
            buffer.clear();
        }
    }
    out.write_all(&buffer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::ReadOptions;

    /// Quotes, a byte that is no UTF-8, blank lines, mixed line ends, no line end at the end.
    #[test]
    fn a_file_is_its_frame_and_its_columns() {
        for file in [
            &b"a;b;c\r\n1;\"x;\"\"y\";\r\n\r\n2;  z;3,5\r\n;\xe9\xff;\t\r\n"[..],
            b"\xef\xbb\xbfa,b\n1,2\n\n\n3,\"4\n5\"",
            b"sep=;\na;b\n1;2\n3;4\n",
            b"a,b,c\n",
        ] {
            let options = ReadOptions {
                header: Some(true),
                ..ReadOptions::default()
            };
            let table = Table::read("f.csv", file.to_vec(), &options).unwrap();
            let columns: Vec<_> = table.ids().map(|id| table.column_text(id)).collect();
            assert!(columns.iter().all(|column| column.has(table.n_records())));
            let mut joined = Vec::new();
            write_joined(&table.frame(), &columns, &mut joined).unwrap();
            assert_eq!(
                String::from_utf8_lossy(&joined),
                String::from_utf8_lossy(file)
            );
        }
    }

    #[test]
    fn every_byte_comes_back() {
        let all: Vec<u8> = (0..=255).collect();
        let text = RawText::of(&all);
        assert!(!text.0.contains(char::is_control));
        let mut back = Vec::new();
        RawText::decode(&text.0, &mut back);
        assert_eq!(back, all);
    }
}
