//! How a file is written: delimiter, header, marks, quotes, line ends; and how the first two are worked out.

use std::ops::Range;

use serde::Serialize;

use super::blank_lines::BlankLines;
use super::cell::content;
use super::encoding::{BOM, Encoding};
use super::limits::DELIMITER_SAMPLE;
use super::marks;
use super::missing;
use super::tokens::{Tokenizer, cut};
use crate::error::{Error, Result};

/// How a file is written, with the reason of everything that was guessed.
///
/// A table is written in the dialect it was read in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dialect {
    /// The byte between two cells; `None` in a file of one attribute.
    pub delimiter: Option<u8>,
    /// `.` or `,`.
    pub decimal_mark: char,
    /// What separates groups of three digits, if anything.
    pub thousands_mark: Option<char>,
    /// How characters are written as bytes.
    pub encoding: Encoding,
    /// Whether the first record holds the names of the attributes.
    pub header: bool,
    /// Whether the file begins with the UTF-8 mark.
    pub bom: bool,
    /// So many lines above the table were skipped.
    pub skipped_lines: u64,
    /// How the lines end.
    pub line_end: LineEnd,
    /// Whether the last line has a line end, too.
    pub final_line_end: bool,
    /// How many cells, those of the header included, are quoted.
    pub quoted_cells: u64,
    /// Lines that hold nothing but blanks.
    pub blank_lines: BlankLines,
    /// Why the file was read this way.
    pub reasons: Reasons,
}

/// Why a file was read the way it was; "stated" where the user said so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Reasons {
    /// Why this delimiter.
    pub delimiter: String,
    /// Why this decimal mark.
    pub decimal_mark: String,
    /// Why this thousands mark, or none.
    pub thousands_mark: String,
    /// Why this encoding.
    pub encoding: String,
    /// Why a header, or none.
    pub header: String,
}

impl Reasons {
    /// One reason for everything.
    pub(super) fn all(reason: &str) -> Self {
        Self {
            delimiter: reason.to_owned(),
            decimal_mark: reason.to_owned(),
            thousands_mark: reason.to_owned(),
            encoding: reason.to_owned(),
            header: reason.to_owned(),
        }
    }
}

/// How the lines of a file end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum LineEnd {
    /// Every line ends with LF.
    Lf,
    /// Every line ends with CRLF.
    CrLf,
    /// Every line ends with CR.
    Cr,
    /// More than one of these is in the file.
    Mixed,
    /// The file is one line without an end.
    None,
}

impl LineEnd {
    /// How all lines end where some end like this and the others like that.
    pub(super) fn joined(self, other: Self) -> Self {
        match (self, other) {
            (Self::None, one) | (one, Self::None) => one,
            (one, other) if one == other => one,
            _ => Self::Mixed,
        }
    }

    /// The line end of the bytes between two records, or how the lines of several such stretches end.
    pub(super) fn of(between: &[u8], so_far: Self) -> Self {
        if between == b"\n" && so_far == Self::Lf {
            return so_far;
        }
        let mut seen = so_far;
        let mut rest = between;
        while let Some(at) = memchr::memchr2(b'\n', b'\r', rest) {
            let (this, length) = match &rest[at..] {
                [b'\n', ..] => (Self::Lf, 1),
                [b'\r', b'\n', ..] => (Self::CrLf, 2),
                _ => (Self::Cr, 1),
            };
            seen = seen.joined(this);
            rest = &rest[at + length..];
        }
        seen
    }
}

/// Bytes that can delimit cells without being stated, the likeliest last where all else is equal.
pub(super) const DELIMITERS: [u8; 4] = [b',', b'|', b'\t', b';'];

/// What one delimiter makes of the first records.
struct Trial {
    delimiter: u8,
    /// Cells of the first record.
    first: usize,
    /// The most frequent number of cells of the records after it.
    usual: usize,
    /// How many records after the first have that many cells, of how many.
    agreeing: usize,
    records: usize,
    /// Cells after the first record that are numbers or missing.
    plain_cells: usize,
    cells: usize,
}

impl Trial {
    fn new(bytes: &[u8], from: usize, delimiter: u8, encoding: Encoding) -> Self {
        let mut tokens = Tokenizer::new(bytes, from, delimiter);
        let mut ends = Vec::new();
        let mut counts = Vec::new();
        let mut trial = Self {
            delimiter,
            first: 0,
            usual: 0,
            agreeing: 0,
            records: 0,
            plain_cells: 0,
            cells: 0,
        };
        while counts.len() <= DELIMITER_SAMPLE {
            let start = match tokens.next(&mut ends) {
                Ok(Some(start)) => start,
                Ok(None) => break,
                // A fault ends the sample with the cell it is in. The reader proper reports it, if it meets it
                // under the delimiter that is chosen.
                Err(_) => {
                    counts.push(ends.len() + 1);
                    break;
                }
            };
            if !counts.is_empty() {
                trial.cells += ends.len();
                trial.plain_cells += (0..ends.len())
                    .map(|cell| content(cut(&bytes[start.byte..], &ends, cell)))
                    .filter(|cell| {
                        missing::is_default_marker(cell)
                            || marks::number_of_any_kind(cell, encoding)
                    })
                    .count();
            }
            counts.push(ends.len());
            ends.clear();
        }
        let Some((&first, later)) = counts.split_first() else {
            return trial;
        };
        let mut sorted = later.to_vec();
        sorted.sort_unstable();
        let longest_run = sorted
            .chunk_by(|a, b| a == b)
            .max_by_key(|run| (run.len(), run[0]));
        trial.first = first;
        trial.records = later.len();
        (trial.usual, trial.agreeing) = longest_run.map_or((first, 0), |run| (run[0], run.len()));
        trial
    }

    /// Whether the file can be a table with this delimiter at all.
    ///
    /// The first record must hold the delimiter, most of the others too. A first record without it is allowed for,
    /// where all others have three cells and more: a title above the table, of which the reader will complain.
    /// (Two cells would be the decimal comma of a file of one attribute.)
    fn possible(&self) -> bool {
        match self.first {
            0 => false,
            1 => self.usual >= 3 && self.agreeing == self.records,
            _ => self.usual > 1 && self.agreeing * 2 >= self.records,
        }
    }

    /// Larger is better: header and records agree, records agree among themselves, cells look like data, more cells.
    fn merit(&self) -> (bool, usize, usize, usize) {
        let share = |part: usize, whole: usize| (part * 1_000).checked_div(whole).unwrap_or(0);
        (
            self.first == self.usual,
            share(self.agreeing, self.records),
            share(self.plain_cells, self.cells),
            self.usual,
        )
    }

    fn reason(&self) -> String {
        if self.records == 0 {
            format!("the only line has {} cells by it", self.first)
        } else {
            format!(
                "{} of the first {} records after the first line have {} cells by it",
                self.agreeing, self.records, self.usual
            )
        }
    }
}

/// The byte between two cells, worked out from the first records, and why; `None` for a file of one attribute.
pub(super) fn sniff_delimiter(
    bytes: &[u8],
    from: usize,
    encoding: Encoding,
) -> (Option<u8>, String) {
    let best = DELIMITERS
        .into_iter()
        .map(|delimiter| Trial::new(bytes, from, delimiter, encoding))
        .filter(Trial::possible)
        .max_by_key(Trial::merit);
    match best {
        Some(trial) => (Some(trial.delimiter), trial.reason()),
        None => (
            None,
            "neither comma, semicolon, tab nor bar splits the first line and most others into the same number of cells"
                .to_owned(),
        ),
    }
}

/// Whether the first record holds names, and why.
///
/// It is taken for data if the same number is there twice, or if every cell of it is a number and one of them is no plausible
/// name: it has a sign, a decimal mark or an exponent. Plain different whole numbers may be years or positions, and numbers
/// beside words may be those of a questionnaire (1.1, 1.2): they are taken for names, but not in silence
/// ([`FirstLine`](super::names::FirstLine)).
pub(super) fn sniff_header<'a>(
    first: impl Iterator<Item = &'a [u8]>,
    encoding: Encoding,
) -> (bool, String) {
    let cells: Vec<&[u8]> = first.map(content).collect();
    let mut numbers: Vec<&[u8]> = cells
        .iter()
        .copied()
        .filter(|cell| !cell.is_empty() && marks::number_of_any_kind(cell, encoding))
        .collect();
    numbers.sort_unstable();
    if numbers.windows(2).any(|pair| pair[0] == pair[1]) {
        return (
            false,
            "the first line holds the same number twice".to_owned(),
        );
    }
    if !cells
        .iter()
        .all(|cell| marks::number_of_any_kind(cell, encoding))
    {
        return (
            true,
            "not every cell of the first line is a number".to_owned(),
        );
    }
    if numbers
        .iter()
        .any(|cell| !cell.iter().all(u8::is_ascii_digit))
    {
        return (
            false,
            "the first line holds numbers that cannot be names".to_owned(),
        );
    }
    (
        true,
        "the first line holds different whole numbers, which can be names".to_owned(),
    )
}

/// Whether the file begins with the UTF-8 mark, and the bytes of the `lines` that follow it, line ends included.
///
/// # Errors
/// It has not more lines than that.
pub(super) fn title(bytes: &[u8], lines: u64) -> Result<(bool, Range<usize>)> {
    let bom = bytes.starts_with(BOM);
    let from = if bom { BOM.len() } else { 0 };
    let mut end = from;
    for line in 0..lines {
        let rest = &bytes[end..];
        let Some(at) = memchr::memchr2(b'\n', b'\r', rest) else {
            let found = line + u64::from(!rest.is_empty());
            return Err(Error::input(format!(
                "the first {lines} lines are to be skipped, and the file has {found}"
            ))
            .remedy("Skip fewer lines (--skip-lines, or skip-lines in the roles file)"));
        };
        end += at + 1 + usize::from(rest[at..].starts_with(b"\r\n"));
    }
    Ok((bom, from..end))
}

/// Where the table begins, from here on, and the delimiter that a `sep=;` line states.
///
/// Spreadsheets write such a line above the table; it is no record, and is written back as it is.
pub(super) fn preamble(bytes: &[u8], from: usize) -> (usize, Option<u8>) {
    match &bytes[from..] {
        [b's', b'e', b'p', b'=', delimiter, b'\n' | b'\r', ..] if can_delimit(*delimiter) => {
            (from + b"sep=;".len(), Some(*delimiter))
        }
        _ => (from, None),
    }
}

/// Whether cells can be delimited by this byte: no part of a word, a number, a quote or a line end.
pub(super) fn can_delimit(byte: u8) -> bool {
    byte.is_ascii() && !byte.is_ascii_alphanumeric() && !b"\0\"-+.\r\n".contains(&byte)
}
