//! Cuts the bytes of a file into records and cells, and remembers where each one is.

#[cfg(test)]
mod tests;

use std::ops::Range;

use rayon::prelude::*;

use super::blank_lines::BlankLines;
use super::encoding::line_ends;
use super::limits::{LINE_STEP, MAX_ATTRIBUTES, MAX_RECORD_BYTES, MAX_RECORDS};
use crate::error::{Counted, Error};

/// The delimiter of a file of one attribute: the zero byte, which no readable file holds.
pub(super) const NO_DELIMITER: u8 = 0;

/// Where a record begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Start {
    pub byte: usize,
    pub line: u64,
}

/// Why the bytes are no table; every variant names the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    UnclosedQuote(u64),
    TextAfterQuote(u64),
    TooManyCells(u64),
    TooLong(u64),
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::UnclosedQuote(line) => {
                Error::input("a quoted cell begins here and is never closed").at_line(line).remedy(
                    "Close the quote; a quote inside a quoted cell is written twice",
                )
            }
            Fault::TextAfterQuote(line) => {
                Error::input("text follows the closing quote of a cell").at_line(line).remedy(
                    "Write a quote inside a quoted cell twice, or state the delimiter with --delimiter",
                )
            }
            Fault::TooManyCells(line) => {
                Error::too_many_to_read(Counted::Attributes, MAX_ATTRIBUTES, |most| format!("more than {most} cells in a record"))
                    .at_line(line)
                    .remedy("Check the delimiter and the line ends, or state --delimiter")
            }
            Fault::TooLong(line) => {
                Error::too_many_to_read(Counted::Bytes, MAX_RECORD_BYTES, |most| format!("a record of more than {most} bytes"))
                    .at_line(line)
                    .remedy("Check the quotes and the line ends")
            }
        }
    }
}

/// Reads one record after the other.
///
/// A cell that begins with a quote ends at the matching one; elsewhere a quote is a character like any other. CRLF,
/// LF and CR end a line. An empty line is passed over and counted, or, in a file of one attribute, is a record whose
/// cell is empty ([`keep_blank_lines`](Self::keep_blank_lines)); what follows the last line end is no record. On
/// well-formed input the cells are those of RFC 4180.
///
/// # Complexity
/// Linear in the bytes; each is looked at once.
#[derive(Debug, Clone)]
pub(super) struct Tokenizer<'a> {
    bytes: &'a [u8],
    delimiter: u8,
    at: usize,
    line: u64,
    quoted_cells: u64,
    keeps_blank_lines: bool,
    skipped_lines: u64,
    /// The bytes that were looked at last.
    block: Range<usize>,
    /// A bit for each of them, the first one's the lowest: whether it can end a cell.
    ends: u64,
}

impl<'a> Tokenizer<'a> {
    /// Begins at this byte of the file, which is on line 1.
    pub fn new(bytes: &'a [u8], at: usize, delimiter: u8) -> Self {
        Self {
            bytes,
            delimiter,
            at,
            line: 1,
            quoted_cells: 0,
            keeps_blank_lines: false,
            skipped_lines: 0,
            block: at..at,
            ends: 0,
        }
    }

    /// The byte at which it begins is on this line.
    #[must_use]
    pub fn on_line(mut self, line: u64) -> Self {
        self.line = line;
        self
    }

    /// From here on an empty line is a record of one empty cell.
    pub fn keep_blank_lines(&mut self) {
        self.keeps_blank_lines = true;
    }

    /// How many empty lines so far were passed over.
    pub fn skipped_lines(&self) -> u64 {
        self.skipped_lines
    }

    /// Goes past the line end that stands here, if one does.
    pub fn skip_line_end(&mut self) {
        if let Some(b'\n' | b'\r') = self.bytes.get(self.at) {
            self.end_line();
        }
    }

    /// How many cells so far were quoted.
    pub fn quoted_cells(&self) -> u64 {
        self.quoted_cells
    }

    /// Appends the end of each cell of the next record, counted from the record's start.
    pub fn next(&mut self, ends: &mut Vec<u32>) -> Result<Option<Start>, Fault> {
        while !self.keeps_blank_lines
            && let Some(b'\n' | b'\r') = self.bytes.get(self.at)
        {
            self.end_line();
            self.skipped_lines += 1;
        }
        if self.at == self.bytes.len() {
            return Ok(None);
        }
        let start = Start {
            byte: self.at,
            line: self.line,
        };
        let most = ends.len() + MAX_ATTRIBUTES;
        loop {
            if self.bytes.get(self.at) == Some(&b'"') {
                self.skip_quoted()?;
            } else {
                self.skip_plain();
            }
            if ends.len() == most {
                return Err(Fault::TooManyCells(start.line));
            }
            ends.push(
                u32::try_from(self.at - start.byte)
                    .ok()
                    .filter(|&end| end as usize <= MAX_RECORD_BYTES)
                    .ok_or(Fault::TooLong(start.line))?,
            );
            match self.bytes.get(self.at) {
                Some(&byte) if byte == self.delimiter => self.at += 1,
                Some(_) => {
                    self.end_line();
                    return Ok(Some(start));
                }
                None => return Ok(Some(start)),
            }
        }
    }

    fn end_line(&mut self) {
        let long = self.bytes[self.at..].starts_with(b"\r\n");
        self.at += 1 + usize::from(long);
        self.line += 1;
    }

    fn ends_cell(&self, byte: u8) -> bool {
        byte == self.delimiter || byte == b'\n' || byte == b'\r'
    }

    /// Looks at a block of bytes at once, each of which is looked at once.
    #[inline(always)]
    fn skip_plain(&mut self) {
        loop {
            if self.block.contains(&self.at) {
                let left = self.ends >> (self.at - self.block.start);
                if left != 0 {
                    self.at += left.trailing_zeros() as usize;
                    return;
                }
                self.at = self.block.end;
            }
            if self.at == self.bytes.len() {
                return;
            }
            let rest = &self.bytes[self.at..];
            let (length, ends) = match rest.first_chunk() {
                Some(block) => (BLOCK, ends_among(block, self.delimiter)),
                None => {
                    let mut block = [0; BLOCK];
                    block[..rest.len()].copy_from_slice(rest);
                    let ends = ends_among(&block, self.delimiter);
                    (rest.len(), ends & !(u64::MAX << rest.len()))
                }
            };
            self.block = self.at..self.at + length;
            self.ends = ends;
        }
    }

    fn skip_quoted(&mut self) -> Result<(), Fault> {
        let opening = self.at;
        let opening_line = self.line;
        self.quoted_cells += 1;
        self.at += 1;
        loop {
            let Some(quote) = memchr::memchr(b'"', &self.bytes[self.at..]) else {
                return Err(Fault::UnclosedQuote(opening_line));
            };
            self.at += quote + 1;
            if self.bytes.get(self.at) != Some(&b'"') {
                break;
            }
            self.at += 1;
        }
        self.line += line_ends(&self.bytes[opening..self.at]);
        while let Some(&byte) = self.bytes.get(self.at)
            && (byte == b' ' || byte == b'\t')
            && byte != self.delimiter
        {
            self.at += 1;
        }
        match self.bytes.get(self.at) {
            Some(&byte) if !self.ends_cell(byte) => Err(Fault::TextAfterQuote(self.line)),
            _ => Ok(()),
        }
    }
}

/// Bytes of which a word has a bit each.
const BLOCK: usize = 64;

/// Which of some bytes can end a cell: a bit for each, the first one's the lowest.
#[inline(always)]
fn ends_among(block: &[u8; BLOCK], delimiter: u8) -> u64 {
    /// Of bytes that are 0 or 1, byte k of the factor 2^(8 k) moves to bit 56 + k.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let mut is_end = [0; BLOCK];
    for (is_end, &byte) in is_end.iter_mut().zip(block) {
        *is_end = u8::from((byte == delimiter) | (byte == b'\n') | (byte == b'\r'));
    }
    let eights = is_end.as_chunks().0.iter().rev();
    eights.fold(0, |ends, eight| {
        ends << 8 | u64::from_le_bytes(*eight).wrapping_mul(GATHER) >> 56
    })
}

/// Bytes that are cut in pieces at a time; tests cut small files, too.
const STRETCH: usize = if cfg!(test) { 512 } else { 1 << 20 };

/// Bytes that are cut by one thread where they cannot be cut in pieces, before that is tried again.
const ALONE: usize = if cfg!(test) { 256 } else { 1 << 20 };

/// Bytes of a piece.
const PIECE: usize = if cfg!(test) { 64 } else { 1 << 16 };

/// A run of whole lines, cut into records on its own: its lines are counted from 0.
struct Piece<'a> {
    layout: Layout,
    tokens: Tokenizer<'a>,
    blank: BlankLines,
}

/// Where every record and every cell of a file is.
///
/// # Complexity
/// 8 bytes a record and 2 bytes a cell; 4 bytes a cell of a file with a record of more than 65,535 bytes.
#[derive(Debug, Clone, Default)]
pub(super) struct Layout {
    n_cells: usize,
    starts: Vec<u64>,
    ends: Ends,
    /// The line of every [`LINE_STEP`]-th record.
    lines: Vec<u64>,
}

/// Where the cells of all records end, counted from the start of their record: in few bytes where all records are short.
#[derive(Debug, Clone)]
enum Ends {
    Short(Vec<u16>),
    Long(Vec<u32>),
}

impl Default for Ends {
    fn default() -> Self {
        Self::Short(Vec::new())
    }
}

impl Ends {
    /// Appends those of a record.
    fn push(&mut self, record: &[u32]) {
        let is_short = (record.last()).is_none_or(|&last| last <= u32::from(u16::MAX));
        if let Self::Short(ends) = self
            && !is_short
        {
            *self = Self::Long(ends.iter().map(|&end| end.into()).collect());
        }
        match self {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "the last of them is the greatest, and fits"
            )]
            Self::Short(ends) => ends.extend(record.iter().map(|&end| end as u16)),
            Self::Long(ends) => ends.extend_from_slice(record),
        }
    }

    /// Appends those of other records.
    fn append(&mut self, other: &Self) {
        match (&mut *self, other) {
            (Self::Short(ends), Self::Short(more)) => ends.extend_from_slice(more),
            (Self::Long(ends), Self::Long(more)) => ends.extend_from_slice(more),
            (Self::Long(ends), Self::Short(more)) => {
                ends.extend(more.iter().map(|&end| u32::from(end)));
            }
            (Self::Short(ends), Self::Long(more)) => {
                let ends = ends.iter().map(|&end| end.into());
                *self = Self::Long(ends.chain(more.iter().copied()).collect());
            }
        }
    }

    fn shrink_to_fit(&mut self) {
        match self {
            Self::Short(ends) => ends.shrink_to_fit(),
            Self::Long(ends) => ends.shrink_to_fit(),
        }
    }

    /// Those at these places.
    #[inline(always)]
    fn range(&self, places: Range<usize>) -> EndsOf<'_> {
        match self {
            Self::Short(ends) => EndsOf::Short(&ends[places]),
            Self::Long(ends) => EndsOf::Long(&ends[places]),
        }
    }
}

/// [`Ends`] of one record.
#[derive(Debug, Clone, Copy)]
enum EndsOf<'a> {
    Short(&'a [u16]),
    Long(&'a [u32]),
}

/// The bytes of a record, from its start to the end of the file, and where its cells end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Record<'a> {
    bytes: &'a [u8],
    ends: EndsOf<'a>,
}

impl<'a> Record<'a> {
    /// The bytes of one cell.
    #[inline(always)]
    pub fn cell(&self, place: usize) -> &'a [u8] {
        match self.ends {
            EndsOf::Short(ends) => cut(self.bytes, ends, place),
            EndsOf::Long(ends) => cut(self.bytes, ends, place),
        }
    }
}

impl Layout {
    /// No records yet, of `n_cells` cells each.
    pub fn new(n_cells: usize) -> Self {
        Self {
            n_cells,
            ..Self::default()
        }
    }

    /// Appends every record that is left, and counts the lines of nothing but blanks.
    ///
    /// # Errors
    /// A record has not `n_cells` cells, or the file is more than fits.
    ///
    /// # Complexity
    /// Linear in the bytes, in parallel.
    pub fn fill(&mut self, tokens: &mut Tokenizer<'_>) -> Result<BlankLines, Error> {
        let mut blank = BlankLines::default();
        let mut pieces: Vec<Piece<'_>> = Vec::new();
        loop {
            // One thread appends what was cut, while the others cut what follows.
            let from = pieces.last().map_or(tokens.at, |piece| piece.tokens.at);
            let ahead = Tokenizer {
                at: from,
                ..tokens.clone()
            };
            let n_cells = self.n_cells;
            let (appended, cut) = rayon::join(
                || self.append_pieces(&pieces, tokens, &mut blank),
                || cut_in_pieces(&ahead, n_cells),
            );
            appended?;
            pieces = cut;
            if pieces.is_empty() {
                if from == tokens.bytes.len() {
                    break;
                }
                let until = tokens.bytes.len().min(from + ALONE);
                self.fill_until(tokens, until, &mut blank)?;
            }
        }
        blank.skipped += tokens.skipped_lines();
        self.starts.shrink_to_fit();
        self.ends.shrink_to_fit();
        Ok(blank)
    }

    /// Appends the records that begin before this byte.
    fn fill_until(
        &mut self,
        tokens: &mut Tokenizer<'_>,
        until: usize,
        blank: &mut BlankLines,
    ) -> Result<(), Error> {
        let mut ends = Vec::with_capacity(self.n_cells);
        while tokens.at < until {
            ends.clear();
            let Some(start) = tokens.next(&mut ends)? else {
                break;
            };
            let found = ends.len();
            let first = &tokens.bytes[start.byte..start.byte + ends[0] as usize];
            let is_blank = found == 1 && first.iter().all(|&byte| byte == b' ' || byte == b'\t');
            if found != self.n_cells {
                if is_blank {
                    blank.skipped += 1;
                    continue;
                }
                return Err(ragged(found, self.n_cells, tokens.delimiter).at_line(start.line));
            }
            blank.records += u64::from(is_blank);
            self.ends.push(&ends);
            self.push(start)?;
        }
        Ok(())
    }

    /// Appends the records of some pieces, and moves on to their end.
    fn append_pieces(
        &mut self,
        pieces: &[Piece<'_>],
        tokens: &mut Tokenizer<'_>,
        blank: &mut BlankLines,
    ) -> Result<(), Error> {
        for piece in pieces {
            if self.n_records() + piece.layout.n_records() > MAX_RECORDS {
                // In which there is the one that is too many.
                self.fill_until(tokens, piece.tokens.at, blank)?;
                continue;
            }
            blank.skipped += piece.blank.skipped;
            blank.records += piece.blank.records;
            self.append_piece(piece, tokens);
        }
        Ok(())
    }

    /// Appends the records of a piece, and moves on to its end.
    fn append_piece(&mut self, piece: &Piece<'_>, tokens: &mut Tokenizer<'_>) {
        let Piece {
            layout,
            tokens: end,
            ..
        } = piece;
        // Where no line is blank, each is a record.
        let is_full = end.line == layout.n_records() as u64;
        let first = self.n_records().next_multiple_of(LINE_STEP) - self.n_records();
        for record in (first..layout.n_records()).step_by(LINE_STEP) {
            let line = if is_full {
                record as u64
            } else {
                layout.line_of(end.bytes, record)
            };
            self.lines.push(tokens.line + line);
        }
        self.starts.extend_from_slice(&layout.starts);
        self.ends.append(&layout.ends);
        tokens.at = end.at;
        tokens.line += end.line;
        tokens.quoted_cells += end.quoted_cells;
        tokens.skipped_lines += end.skipped_lines;
    }

    fn push(&mut self, start: Start) -> Result<(), Error> {
        if self.starts.len() == MAX_RECORDS {
            return Err(
                Error::too_many_to_read(Counted::Records, MAX_RECORDS, |most| {
                    format!("more than {most} records")
                })
                .at_line(start.line)
                .remedy("Split the file"),
            );
        }
        self.begin(start);
        Ok(())
    }

    fn begin(&mut self, start: Start) {
        if self.starts.len().is_multiple_of(LINE_STEP) {
            self.lines.push(start.line);
        }
        self.starts.push(start.byte as u64);
    }

    /// Appends a record of a file that was read before.
    pub fn append(&mut self, start: Start, ends: &[u32]) {
        self.ends.push(ends);
        self.begin(start);
    }

    /// How many cells a record has.
    pub fn n_cells(&self) -> usize {
        self.n_cells
    }

    /// What it takes to know where a cell is.
    pub fn bytes_of_cell(&self) -> u128 {
        match self.ends {
            Ends::Short(_) => 2,
            Ends::Long(_) => 4,
        }
    }

    /// How many records there are.
    pub fn n_records(&self) -> usize {
        self.starts.len()
    }

    /// The first byte of a record.
    pub fn start(&self, record: usize) -> usize {
        usize::try_from(self.starts[record]).expect("an offset into bytes that are in memory")
    }

    fn ends(&self, record: usize) -> EndsOf<'_> {
        (self.ends).range(record * self.n_cells..(record + 1) * self.n_cells)
    }

    /// The byte after the last cell of a record.
    pub fn end(&self, record: usize) -> usize {
        let length = match self.ends(record) {
            EndsOf::Short(ends) => ends.last().map_or(0, |&end| end.into()),
            EndsOf::Long(ends) => ends.last().map_or(0, |&end| end as usize),
        };
        self.start(record) + length
    }

    /// A record, of which several cells are wanted.
    #[inline(always)]
    pub fn record<'a>(&'a self, bytes: &'a [u8], record: usize) -> Record<'a> {
        Record {
            bytes: &bytes[self.start(record)..],
            ends: self.ends(record),
        }
    }

    /// The bytes of one cell.
    pub fn cell<'a>(&'a self, bytes: &'a [u8], record: usize, cell: usize) -> &'a [u8] {
        self.record(bytes, record).cell(cell)
    }

    /// Looks at the bytes of the file that a cell of some records is, one record after the other, until `look` has nothing.
    #[inline(always)]
    pub fn try_each(
        &self,
        records: Range<usize>,
        cell: usize,
        look: impl FnMut(Range<usize>) -> Option<()>,
    ) -> Option<()> {
        let cells = records.start * self.n_cells..records.end * self.n_cells;
        let starts = &self.starts[records];
        match self.ends.range(cells) {
            EndsOf::Short(ends) => try_each(starts, ends.chunks_exact(self.n_cells), cell, look),
            EndsOf::Long(ends) => try_each(starts, ends.chunks_exact(self.n_cells), cell, look),
        }
    }

    /// The line on which a record begins.
    ///
    /// # Complexity
    /// Linear in the bytes of at most [`LINE_STEP`] records.
    pub fn line_of(&self, bytes: &[u8], record: usize) -> u64 {
        let known = record / LINE_STEP;
        self.lines[known] + line_ends(&bytes[self.start(known * LINE_STEP)..self.start(record)])
    }
}

/// The next records, cut in pieces that end with a line; none where there is too little left to be worth it, or something is wrong, which is
/// found again in its turn.
///
/// A line may end within a quoted cell, and then the piece after it begins in the middle of a record. But a piece that begins with a record, and is
/// cut to its last byte without a quote that is still open, is followed by a record: so pieces count up to the first that is not cut so.
fn cut_in_pieces<'a>(tokens: &Tokenizer<'a>, n_cells: usize) -> Vec<Piece<'a>> {
    let (bytes, from) = (tokens.bytes, tokens.at);
    let last = bytes.len().min(from + STRETCH);
    let mut edges = vec![from];
    for goal in (from + PIECE..last).step_by(PIECE) {
        let line_end = memchr::memchr(b'\n', &bytes[goal..last]);
        edges.extend(line_end.map(|at| goal + at + 1));
    }
    edges.dedup();
    let piece = |edges: &[usize]| {
        let mut piece = Piece {
            layout: Layout::new(n_cells),
            tokens: Tokenizer {
                bytes: &bytes[..edges[1]],
                at: edges[0],
                line: 0,
                quoted_cells: 0,
                skipped_lines: 0,
                // It knows bytes beyond this piece.
                block: 0..0,
                ..tokens.clone()
            },
            blank: BlankLines::default(),
        };
        let Piece {
            layout,
            tokens,
            blank,
        } = &mut piece;
        layout.fill_until(tokens, edges[1], blank).ok()?;
        Some(piece)
    };
    let pieces: Vec<Option<Piece<'a>>> = edges.par_windows(2).map(piece).collect();
    pieces.into_iter().map_while(|piece| piece).collect()
}

/// The cell at this place of a record whose cells end at `ends`.
#[inline(always)]
pub(super) fn cut<'a>(record: &'a [u8], ends: &[impl Copy + Into<u32>], cell: usize) -> &'a [u8] {
    &record[within(ends, cell)]
}

/// See [`Layout::try_each`].
#[inline(always)]
fn try_each<'a>(
    starts: &[u64],
    ends: impl Iterator<Item = &'a [impl Copy + Into<u32> + 'a]>,
    cell: usize,
    mut look: impl FnMut(Range<usize>) -> Option<()>,
) -> Option<()> {
    starts.iter().zip(ends).try_for_each(|(&start, ends)| {
        let start = usize::try_from(start).ok()?;
        let within = within(ends, cell);
        look(start + within.start..start + within.end)
    })
}

/// Where that cell is in the record.
#[inline(always)]
fn within(ends: &[impl Copy + Into<u32>], cell: usize) -> Range<usize> {
    let end = |cell: usize| -> usize { ends[cell].into() as usize };
    let from = if cell == 0 { 0 } else { end(cell - 1) + 1 };
    from..end(cell)
}

fn ragged(found: usize, expected: usize, delimiter: u8) -> Error {
    let cells = |count| {
        if count == 1 {
            "1 cell".to_owned()
        } else {
            format!("{count} cells")
        }
    };
    let what = format!(
        "this record has {}, the first has {}",
        cells(found),
        cells(expected)
    );
    if expected == 1 && delimiter != NO_DELIMITER {
        return Error::input(what).remedy(
            "If the lines above the table are a title, leave them out with --skip-lines; else state the delimiter with --delimiter",
        );
    }
    if delimiter == NO_DELIMITER {
        return Error::input(what).remedy("State the delimiter with --delimiter");
    }
    Error::input(what).remedy(format!(
        "Quote the cells that hold the delimiter {:?}, or state another one with --delimiter",
        char::from(delimiter)
    ))
}
