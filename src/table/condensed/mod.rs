//! The text of a file, or, of a file of plain numbers, what it can be written again from.
//!
//! Where every cell is a number of the same few decimals as the others of its attribute, or the one mark of a gap, and every line ends alike,
//! the text is a function of the numbers. They take 4 bytes a cell where text, places and numbers take 17. Nothing is lost: every cell, and
//! every line end, is written again for whoever asks for it; and whoever asks for all bytes at once gets them, and they are kept.

use std::{
    borrow::Cow,
    io::{self, Write},
    ops::Range,
    sync::OnceLock,
};

use rayon::prelude::*;

use super::limits::CHUNK;
use super::number::{self, Syntax};
use super::record_set::RecordSet;
use super::tokens::{Layout, Start};

/// The bytes of a file, and where its records are.
pub(super) struct Text {
    /// Empty while a condensed text was not asked for.
    whole: OnceLock<(Vec<u8>, Layout)>,
    condensed: Option<Condensed>,
    n_bytes: usize,
}

/// A cell as a text keeps it.
#[derive(Clone, Copy)]
pub(super) enum Kept<'a> {
    Bytes(&'a [u8]),
    /// A number in steps of its last decimal, or a gap.
    Steps(i32),
}

impl Text {
    pub fn new(bytes: Vec<u8>, layout: Layout) -> Self {
        Self {
            n_bytes: bytes.len(),
            whole: OnceLock::from((bytes, layout)),
            condensed: None,
        }
    }

    pub fn bytes(&self) -> &[u8] {
        &self.whole().0
    }

    pub fn into_bytes(mut self) -> Vec<u8> {
        self.whole();
        self.whole.take().unwrap_or_default().0
    }

    pub fn n_bytes(&self) -> usize {
        self.n_bytes
    }

    /// Whether all that is there of it is what it can be written again from.
    pub fn is_condensed(&self) -> bool {
        self.whole.get().is_none()
    }

    pub fn n_records(&self) -> usize {
        match &self.condensed {
            Some(condensed) => condensed.n_records,
            None => self.whole().1.n_records(),
        }
    }

    /// How many cells a record has.
    pub fn n_cells(&self) -> usize {
        match &self.condensed {
            Some(condensed) => condensed.columns.len(),
            None => self.whole().1.n_cells(),
        }
    }

    /// The numbers of the cells at a place, if the text is condensed.
    pub fn steps(&self, place: usize) -> Option<&Steps> {
        self.condensed.as_ref()?.columns.get(place)
    }

    /// The bytes before the first record: all of them if there is none.
    pub fn head(&self) -> &[u8] {
        match &self.condensed {
            Some(condensed) => &condensed.head,
            None => {
                let (bytes, layout) = self.whole();
                match layout.n_records() {
                    0 => bytes,
                    _ => &bytes[..layout.start(0)],
                }
            }
        }
    }

    /// The bytes between the last cell of a record and the next record, or the end.
    pub fn after(&self, record: usize) -> &[u8] {
        match &self.condensed {
            Some(condensed) => condensed.after(record),
            None => {
                let (bytes, layout) = self.whole();
                let next = record + 1;
                let to = match next == layout.n_records() {
                    true => bytes.len(),
                    false => layout.start(next),
                };
                &bytes[layout.end(record)..to]
            }
        }
    }

    /// The bytes of one cell.
    pub fn cell(&self, record: usize, place: usize) -> Cow<'_, [u8]> {
        match self.kept(record, place) {
            Kept::Bytes(bytes) => Cow::Borrowed(bytes),
            kept @ Kept::Steps(_) => {
                let mut cell = Vec::new();
                self.append(place, kept, &mut cell);
                Cow::Owned(cell)
            }
        }
    }

    /// A cell as it is kept.
    #[inline(always)]
    pub fn kept(&self, record: usize, place: usize) -> Kept<'_> {
        match &self.condensed {
            Some(condensed) => Kept::Steps(condensed.columns[place].steps[record]),
            None => {
                let (bytes, layout) = self.whole();
                Kept::Bytes(layout.cell(bytes, record, place))
            }
        }
    }

    /// Appends the bytes of a cell at a place that is kept so.
    #[inline(always)]
    pub fn append(&self, place: usize, kept: Kept<'_>, out: &mut Vec<u8>) {
        match (kept, &self.condensed) {
            (Kept::Bytes(bytes), _) => out.extend_from_slice(bytes),
            (Kept::Steps(steps), Some(condensed)) => condensed.write_cell(place, steps, out),
            (Kept::Steps(_), None) => unreachable!("steps are those of a condensed text"),
        }
    }

    /// The line on which a record begins.
    pub fn line_of(&self, record: usize) -> u64 {
        match &self.condensed {
            Some(condensed) => condensed.first_line + record as u64,
            None => {
                let (bytes, layout) = self.whole();
                layout.line_of(bytes, record)
            }
        }
    }

    /// Writes all bytes but those of a title.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_without(&self, title: Range<usize>, out: &mut impl Write) -> io::Result<()> {
        match (&self.condensed, self.whole.get()) {
            (Some(condensed), None) => {
                out.write_all(&condensed.head[..title.start])?;
                out.write_all(&condensed.head[title.end..])?;
                condensed.write_all(|text| out.write_all(text))
            }
            _ => {
                out.write_all(&self.bytes()[..title.start])?;
                out.write_all(&self.bytes()[title.end..])
            }
        }
    }

    /// Whether it may be possible to let a text of these cells go: what a few records give away.
    pub fn may_condense(
        bytes: &[u8],
        layout: &Layout,
        syntax: &Syntax,
        delimiter: Option<u8>,
    ) -> bool {
        let n = layout.n_records().min(CHUNK);
        let missing = (0..layout.n_cells()).map(|place| {
            let mut words = vec![0_u64; n.div_ceil(64)];
            for record in 0..n {
                let is_number = number::read(layout.cell(bytes, record, place), syntax).is_some();
                words[record / 64] |= u64::from(!is_number) << (record % 64);
            }
            RecordSet::from_words(words)
        });
        let missing: Vec<RecordSet> = missing.collect();
        let missing: Vec<&RecordSet> = missing.iter().collect();
        delimiter.is_some() && begun(bytes, layout, syntax, &missing).is_some()
    }

    /// Lets the text go, if it can be written again.
    ///
    /// # Complexity
    /// Linear in the bytes, in parallel.
    pub fn condense(&mut self, syntax: &Syntax, delimiter: Option<u8>, missing: &[&RecordSet]) {
        if let (Some((bytes, layout)), Some(delimiter)) = (self.whole.get(), delimiter) {
            self.condensed = Condensed::of(bytes, layout, (syntax, delimiter), missing);
        }
        if self.condensed.is_some() {
            self.whole = OnceLock::new();
        }
    }

    /// SHA-256 of all bytes, in hexadecimal.
    pub fn sha256(&self) -> String {
        match &self.condensed {
            Some(condensed) => condensed.sha256.clone(),
            None => super::sha256(self.bytes()),
        }
    }

    fn whole(&self) -> &(Vec<u8>, Layout) {
        let restored = || match &self.condensed {
            Some(condensed) => condensed.restored(self.n_bytes),
            None => unreachable!("a text is there or condensed"),
        };
        self.whole.get_or_init(restored)
    }
}

/// The cells of one attribute, each a number in steps of its last decimal.
pub(super) struct Steps {
    decimals: usize,
    /// 10 to the power of these.
    in_one: f64,
    steps: Vec<i32>,
    /// What stands in the cells that hold [`GAP`], if one does.
    gap: Option<Vec<u8>>,
}

/// A cell without a number.
const GAP: i32 = i32::MIN;

impl Steps {
    /// How many cells there are.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// The number in the cell of this record of the file; 0 where there is none.
    #[inline(always)]
    pub fn value(&self, record: usize) -> f64 {
        self.number(self.steps[record])
    }

    /// The numbers in the cells of these records of the file, or of all.
    pub fn values(&self, records: Option<&[u32]>) -> Vec<f64> {
        match records {
            None => self
                .steps
                .par_iter()
                .map(|&steps| self.number(steps))
                .collect(),
            Some(records) => {
                let value = |&record: &u32| self.value(record as usize);
                records.par_iter().map(value).collect()
            }
        }
    }

    #[inline(always)]
    fn number(&self, steps: i32) -> f64 {
        if steps == GAP {
            return 0.0;
        }
        // As the text of the cell is read: a quotient of two exact numbers.
        f64::from(steps) / self.in_one
    }
}

/// A text that can be written again.
struct Condensed {
    /// SHA-256 of the text, in hexadecimal.
    sha256: String,
    /// What stands before the first record.
    head: Vec<u8>,
    /// The line on which the first record begins.
    first_line: u64,
    n_records: usize,
    columns: Vec<Steps>,
    delimiter: u8,
    decimal: u8,
    line_end: Vec<u8>,
    /// What stands after the last record: line ends, or nothing.
    tail: Vec<u8>,
}

impl Condensed {
    /// `None` if the text is no function of numbers, or of one attribute: there blank lines can be cells. `missing`: one set an attribute.
    fn of(
        bytes: &[u8],
        layout: &Layout,
        (syntax, delimiter): (&Syntax, u8),
        missing: &[&RecordSet],
    ) -> Option<Self> {
        let (mut columns, line_end) = begun(bytes, layout, syntax, missing)?;
        let n_records = layout.n_records();
        for column in &mut columns {
            column.steps = vec![0; n_records];
        }
        let agrees = |part: Part<'_>| part.agrees(bytes, layout, syntax.decimal, line_end);
        // Whoever compares or masks a file says which it was.
        let (sha256, agree) = rayon::join(
            || super::sha256(bytes),
            || Part::all(&mut columns).into_par_iter().all(agrees),
        );
        agree.then(|| Self {
            sha256,
            head: bytes[..layout.start(0)].to_vec(),
            first_line: layout.line_of(bytes, 0),
            n_records,
            columns,
            delimiter,
            decimal: syntax.decimal,
            line_end: line_end.to_vec(),
            tail: bytes[layout.end(n_records - 1)..].to_vec(),
        })
    }

    /// What stands after a record.
    fn after(&self, record: usize) -> &[u8] {
        if record + 1 == self.n_records {
            &self.tail
        } else {
            &self.line_end
        }
    }

    /// Appends a cell at a place that holds these steps.
    fn write_cell(&self, place: usize, steps: i32, out: &mut Vec<u8>) {
        let column = &self.columns[place];
        match steps {
            GAP => out.extend(column.gap.iter().flatten()),
            steps => print(steps, column.decimals, self.decimal, out),
        }
    }

    /// Appends these records with the line ends between them and after them, and calls `ended` with where each begins and its cells end.
    fn write(
        &self,
        records: Range<usize>,
        out: &mut Vec<u8>,
        mut ended: impl FnMut(usize, &[u32]),
    ) {
        let mut ends = Vec::with_capacity(self.columns.len());
        for record in records {
            let from = out.len();
            ends.clear();
            for place in 0..self.columns.len() {
                if place > 0 {
                    out.push(self.delimiter);
                }
                self.write_cell(place, self.columns[place].steps[record], out);
                // A record has at most as many bytes as a u32 counts: it was read.
                ends.push(u32::try_from(out.len() - from).unwrap_or(u32::MAX));
            }
            ended(from, &ends);
            out.extend_from_slice(self.after(record));
        }
    }

    /// Hands on the text of all records, a piece at a time.
    fn write_all<E>(&self, mut piece: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        /// Chunks that are in memory at a time.
        const AT_ONCE: usize = 16;
        for turn in (0..self.n_records).step_by(AT_ONCE * CHUNK) {
            let end = self.n_records.min(turn + AT_ONCE * CHUNK);
            let chunk = |first: usize| {
                let mut text = Vec::new();
                self.write(first..end.min(first + CHUNK), &mut text, |_, _| {});
                text
            };
            let starts: Vec<usize> = (turn..end).step_by(CHUNK).collect();
            let texts: Vec<Vec<u8>> = starts.into_par_iter().map(chunk).collect();
            texts.iter().try_for_each(|text| piece(text))?;
        }
        Ok(())
    }

    fn restored(&self, n_bytes: usize) -> (Vec<u8>, Layout) {
        let mut bytes = Vec::with_capacity(n_bytes);
        bytes.extend_from_slice(&self.head);
        let mut layout = Layout::new(self.columns.len());
        let mut line = self.first_line;
        self.write(0..self.n_records, &mut bytes, |byte, ends| {
            layout.append(Start { byte, line }, ends);
            line += 1;
        });
        (bytes, layout)
    }
}

/// The columns of a text that may be a function of numbers, with room for the numbers of a few records, and how its lines end; `None` if these
/// records give away that it is none. `missing`: one set an attribute.
fn begun<'a>(
    bytes: &'a [u8],
    layout: &Layout,
    syntax: &Syntax,
    missing: &[&RecordSet],
) -> Option<(Vec<Steps>, &'a [u8])> {
    if layout.n_records() < 2 || layout.n_cells() < 2 || missing.len() != layout.n_cells() {
        return None;
    }
    let line_end = &bytes[layout.end(0)..layout.start(1)];
    if ![&b"\n"[..], b"\r\n", b"\r"].contains(&line_end) {
        return None;
    }
    let mut columns: Vec<Steps> = (missing.iter().enumerate())
        .map(|(place, missing)| Steps::begun(bytes, layout, place, syntax.decimal, missing))
        .collect();
    let agrees = |part: Part<'_>| part.agrees(bytes, layout, syntax.decimal, line_end);
    let agree = Part::all(&mut columns).into_iter().all(agrees);
    agree.then_some((columns, line_end))
}

impl Steps {
    /// Those of an attribute of which no cell was read yet: its first number says how many decimals there are, and the first cell that is
    /// missing and no number how a gap is written.
    fn begun(
        bytes: &[u8],
        layout: &Layout,
        place: usize,
        decimal: u8,
        missing: &RecordSet,
    ) -> Self {
        let cell = |record: usize| layout.cell(bytes, record, place);
        let first = (0..layout.n_records()).find(|&record| !missing.contains(record));
        let decimals = first.map_or(0, |record| {
            let cell = cell(record);
            let mark = cell.iter().position(|&byte| byte == decimal);
            mark.map_or(0, |mark| cell.len() - 1 - mark)
        });
        let mut gaps = missing.records().map(cell);
        let gap = gaps.find(|cell| read(cell, decimals, decimal).is_none());
        Self {
            decimals,
            in_one: number::power(decimals),
            steps: vec![0; CHUNK.min(layout.n_records())],
            gap: gap.map(<[u8]>::to_vec),
        }
    }
}

/// Some records of all columns.
struct Part<'a> {
    first: usize,
    columns: Vec<PartOfColumn<'a>>,
}

struct PartOfColumn<'a> {
    decimals: usize,
    gap: Option<&'a [u8]>,
    steps: &'a mut [i32],
}

impl<'a> Part<'a> {
    /// Those of all records that columns have room for, a chunk each.
    fn all(columns: &'a mut [Steps]) -> Vec<Self> {
        let n_records = columns.first().map_or(0, |column| column.steps.len());
        let firsts = (0..n_records).step_by(CHUNK);
        let mut parts: Vec<Self> = firsts
            .map(|first| Self {
                first,
                columns: Vec::new(),
            })
            .collect();
        for column in columns {
            for (part, steps) in parts.iter_mut().zip(column.steps.chunks_mut(CHUNK)) {
                part.columns.push(PartOfColumn {
                    decimals: column.decimals,
                    gap: column.gap.as_deref(),
                    steps,
                });
            }
        }
        parts
    }

    /// Reads its cells; `false` if one, or a line end, could not be written again.
    fn agrees(self, bytes: &[u8], layout: &Layout, decimal: u8, line_end: &[u8]) -> bool {
        let Self { first, mut columns } = self;
        let n = columns.first().map_or(0, |column| column.steps.len());
        (first..first + n).all(|record| {
            let cells = layout.record(bytes, record);
            let read = |(place, column): (usize, &mut PartOfColumn<'_>)| {
                let cell = cells.cell(place);
                let steps = match read(cell, column.decimals, decimal) {
                    None if column.gap == Some(cell) => Some(GAP),
                    steps => steps,
                };
                column.steps[record - first] = steps.unwrap_or(GAP);
                steps.is_some()
            };
            let is_last = record + 1 == layout.n_records();
            columns.iter_mut().enumerate().all(read)
                && (is_last || bytes[layout.end(record)..layout.start(record + 1)] == *line_end)
        })
    }
}

/// Appends a number of so many decimals.
fn print(steps: i32, decimals: usize, decimal: u8, out: &mut Vec<u8>) {
    let mut buffer = itoa::Buffer::new();
    if decimals == 0 {
        out.extend_from_slice(buffer.format(steps).as_bytes());
        return;
    }
    if steps < 0 {
        out.push(b'-');
    }
    let digits = buffer.format(steps.unsigned_abs()).as_bytes();
    let zeros = (decimals + 1).saturating_sub(digits.len());
    let from = out.len();
    out.extend(std::iter::repeat_n(b'0', zeros));
    out.extend_from_slice(digits);
    debug_assert!(
        out.len() > from + decimals,
        "a digit stands before the mark"
    );
    out.insert(out.len() - decimals, decimal);
}

/// The number of which [`print()`] writes this very text, if there is one.
fn read(text: &[u8], decimals: usize, decimal: u8) -> Option<i32> {
    /// More digits are no i32.
    const MOST: usize = 10;
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    let whole = match decimals {
        0 => digits.len(),
        _ => digits.len().checked_sub(decimals + 1)?,
    };
    let is_plain = match digits.get(..whole)? {
        [] => false,
        [b'0'] => true,
        [first, ..] => *first != b'0',
    };
    if !is_plain || digits.len() > MOST + 1 {
        return None;
    }
    let mut steps = 0_i64;
    for (place, &byte) in digits.iter().enumerate() {
        if place == whole {
            if byte != decimal {
                return None;
            }
        } else if byte.is_ascii_digit() {
            steps = steps * 10 + i64::from(byte - b'0');
        } else {
            return None;
        }
    }
    if negative && steps == 0 {
        return None;
    }
    let steps = i32::try_from(if negative { -steps } else { steps }).ok()?;
    (steps != GAP).then_some(steps)
}
