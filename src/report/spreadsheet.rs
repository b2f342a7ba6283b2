//! CSV that people open in a spreadsheet: no cell of it is run as a formula.
//!
//! A spreadsheet runs a cell that begins with `=`, `+`, `-` or `@`, and an identifier or the name of an attribute can begin
//! so: who fills in a form writes what they like. Such a cell gets the usual apostrophe in front, unless it is a number. The
//! same where a `;`, a comma, a tab or a line end stands before, since programs differ in what they take for the end of a
//! cell. A text that has the apostrophe already gets one more, so [`as_it_was`] can take it off again.

use std::{
    borrow::Cow,
    io::{self, Write},
};

/// How a cell begins that a spreadsheet runs. The wide forms are those of Japanese keyboards.
const RUN: [&[u8]; 8] = [
    b"=",
    b"+",
    b"-",
    b"@",
    "＝".as_bytes(),
    "＋".as_bytes(),
    "－".as_bytes(),
    "＠".as_bytes(),
];

/// Blanks after which spreadsheets still see the beginning.
const BLANKS: [u8; 3] = [b'\t', b'\r', b'\n'];

const APOSTROPHE: u8 = b'\'';

/// A writer of CSV whose cells are not run.
pub fn writer<W: Write>(out: W) -> csv::Writer<Inert<W>> {
    csv::Writer::from_writer(Inert {
        out,
        field: Vec::new(),
        in_quotes: false,
    })
}

/// What was written to memory.
///
/// # Errors
/// Never in fact: it was written to memory.
pub fn text(writer: csv::Writer<Inert<Vec<u8>>>) -> Result<String, csv::Error> {
    let inert = writer
        .into_inner()
        .map_err(csv::IntoInnerError::into_error)?;
    Ok(String::from_utf8_lossy(&inert.out).into_owned())
}

/// A cell that was written here, as it was before.
pub fn as_it_was(cell: &str) -> Cow<'_, str> {
    if !cell.contains('\'') {
        return Cow::Borrowed(cell);
    }
    let mut out = Vec::with_capacity(cell.len());
    for part in parts(cell.as_bytes()) {
        let is_ours = apostrophes(part) > 0 && is_run(&part[apostrophes(part)..]);
        out.extend_from_slice(&part[usize::from(is_ours)..]);
    }
    Cow::Owned(String::from_utf8_lossy(&out).into_owned())
}

/// What stands between the CSV writer, which has quoted the cells, and the file.
#[derive(Debug)]
pub struct Inert<W> {
    out: W,
    /// The cell that is being written, with its quotes.
    field: Vec<u8>,
    in_quotes: bool,
}

impl<W: Write> Write for Inert<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut ready = Vec::with_capacity(bytes.len());
        for &byte in bytes {
            // A quote inside a cell is written twice, and so changes nothing.
            self.in_quotes ^= byte == b'"';
            if !self.in_quotes && matches!(byte, b',' | b'\n') {
                write_inert(&self.field, &mut ready);
                self.field.clear();
                ready.push(byte);
            } else {
                self.field.push(byte);
            }
        }
        self.out.write_all(&ready)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn write_inert(field: &[u8], out: &mut Vec<u8>) {
    let content = field.strip_prefix(b"\"").unwrap_or(field);
    out.extend_from_slice(&field[..field.len() - content.len()]);
    for part in parts(content) {
        let apostrophes = apostrophes(part);
        if is_run(&part[apostrophes..]) && (apostrophes > 0 || !is_number(part)) {
            out.push(APOSTROPHE);
        }
        out.extend_from_slice(part);
    }
}

/// The pieces of a cell, each with the sign that ends it.
fn parts(cell: &[u8]) -> impl Iterator<Item = &[u8]> {
    cell.split_inclusive(|byte| matches!(byte, b';' | b',') || BLANKS.contains(byte))
}

fn apostrophes(part: &[u8]) -> usize {
    part.iter().take_while(|&&byte| byte == APOSTROPHE).count()
}

fn is_run(text: &[u8]) -> bool {
    text.first().is_some_and(|first| BLANKS.contains(first))
        || RUN.iter().any(|run| text.starts_with(run))
}

/// Whether this is a number as programs print it, with the sign that ends the piece.
fn is_number(part: &[u8]) -> bool {
    let number = match part {
        [number @ .., b';' | b',' | b'\t' | b'\r' | b'\n'] => number,
        number => number,
    };
    let digit = number
        .iter()
        .find(|byte| !matches!(byte, b'-' | b'+' | b'.'));
    digit.is_some_and(u8::is_ascii_digit)
        && std::str::from_utf8(number).is_ok_and(|text| text.parse::<f64>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(cells: &[&str]) -> String {
        let mut lines = writer(Vec::new());
        lines.write_record(cells).unwrap();
        text(lines).unwrap()
    }

    #[test]
    fn formulas_get_an_apostrophe_and_numbers_do_not() {
        for (cell, line) in [
            ("=1+1", "'=1+1\n"),
            ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0\n"),
            ("-x", "'-x\n"),
            ("@SUM(A1)", "'@SUM(A1)\n"),
            ("＝1", "'＝1\n"),
            ("\t=1", "'\t'=1\n"),
            ("=a,\"b\"", "\"'=a,\"\"b\"\"\"\n"),
            ("12;=x;7", "12;'=x;7\n"),
            ("-1.5e-3", "-1.5e-3\n"),
            ("+49", "+49\n"),
            ("-5;-6", "-5;-6\n"),
            ("-inf", "'-inf\n"),
            ("-", "'-\n"),
            ("'-5", "''-5\n"),
            ("o'=x", "o'=x\n"),
            ("a-b", "a-b\n"),
        ] {
            assert_eq!(written(&[cell]), line, "{cell:?}");
        }
    }

    proptest! {
        /// The CSV is still one, no piece of it begins as a formula does, and each cell can be had back.
        #[test]
        fn cells_are_inert_and_come_back(cells in proptest::collection::vec("[-=+@'＝;,\"\t\n\r a1.e]{0,9}", 2..4)) {
            let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
            let line = written(&cells);
            let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(line.as_bytes());
            let read = reader.records().next().unwrap().unwrap();
            prop_assert_eq!(read.len(), cells.len());
            for (cell, before) in read.iter().zip(&cells) {
                prop_assert_eq!(as_it_was(cell), *before);
                for piece in cell.split([';', ',', '\t', '\r', '\n']) {
                    let first = piece.chars().next().unwrap_or(' ');
                    prop_assert!(!"=+-@＝".contains(first) || piece.parse::<f64>().is_ok(), "{:?}", cell);
                }
            }
        }
    }
}
