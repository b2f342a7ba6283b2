//! The text of a file, or, of a file of plain numbers and of few texts, what it can be written again from.
//!
//! An attribute whose every cell is a number of the same few decimals as the others, or the one mark of a gap, is kept as numbers (`steps`); one
//! with few different cells, whatever they hold, as their numbers in a list (`texts`). Where that is so of every attribute, and every line ends
//! alike, the text is a function of what is kept: 4 or 2 bytes a cell where text, places and numbers take 17. Nothing is lost: every cell, and
//! every line end, is written again for whoever asks for it; and whoever asks for all bytes at once gets them, and they are kept.

mod part;
mod steps;
mod texts;

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
use part::{Part, TRIED, begun};
pub(super) use steps::Steps;
use texts::Texts;

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
    /// A number in steps of its last decimal, or a gap, of these cells.
    Steps(&'a Steps, i32),
}

impl<'a> Kept<'a> {
    /// Appends its bytes.
    #[inline(always)]
    pub fn append(self, out: &mut Vec<u8>) {
        match self {
            Self::Bytes(bytes) => out.extend_from_slice(bytes),
            Self::Steps(of, steps) => of.write(steps, out),
        }
    }

    /// Its bytes.
    pub fn into_bytes(self) -> Cow<'a, [u8]> {
        match self {
            Self::Bytes(bytes) => Cow::Borrowed(bytes),
            Self::Steps(..) => {
                let mut cell = Vec::new();
                self.append(&mut cell);
                Cow::Owned(cell)
            }
        }
    }
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

    /// The numbers of the cells at a place, if they are kept so.
    pub fn steps(&self, place: usize) -> Option<&Steps> {
        match self.condensed.as_ref()?.columns.get(place)? {
            Column::Steps(steps) => Some(steps),
            Column::Texts(_) => None,
        }
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
                let to = if next == layout.n_records() {
                    bytes.len()
                } else {
                    layout.start(next)
                };
                &bytes[layout.end(record)..to]
            }
        }
    }

    /// A cell as it is kept.
    #[inline(always)]
    pub fn kept(&self, record: usize, place: usize) -> Kept<'_> {
        match &self.condensed {
            Some(condensed) => condensed.columns[place].kept(record),
            None => {
                let (bytes, layout) = self.whole();
                Kept::Bytes(layout.cell(bytes, record, place))
            }
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
        let n = layout.n_records().min(TRIED);
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

/// The cells of one attribute, as they are kept.
enum Column {
    Steps(Steps),
    Texts(Texts),
}

impl Column {
    #[inline(always)]
    fn kept(&self, record: usize) -> Kept<'_> {
        match self {
            Self::Steps(steps) => Kept::Steps(steps, steps.of(record)),
            Self::Texts(texts) => Kept::Bytes(texts.of(record)),
        }
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
    columns: Vec<Column>,
    delimiter: u8,
    line_end: Vec<u8>,
    /// What stands after the last record: line ends, or nothing.
    tail: Vec<u8>,
}

impl Condensed {
    /// `None` if the text is no function of what can be kept, or of one attribute: there blank lines can be cells. `missing`: one set an
    /// attribute.
    fn of(
        bytes: &[u8],
        layout: &Layout,
        (syntax, delimiter): (&Syntax, u8),
        missing: &[&RecordSet],
    ) -> Option<Self> {
        let (mut columns, line_end) = begun(bytes, layout, syntax, missing)?;
        // Whoever compares or masks a file says which it was.
        let (sha256, agree) = rayon::join(
            || super::sha256(bytes),
            || Part::fill(&mut columns, bytes, layout, line_end),
        );
        let last = layout.n_records() - 1;
        agree.then(|| Self {
            sha256,
            head: bytes[..layout.start(0)].to_vec(),
            first_line: layout.line_of(bytes, 0),
            n_records: layout.n_records(),
            columns,
            delimiter,
            line_end: line_end.to_vec(),
            tail: bytes[layout.end(last)..].to_vec(),
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
            for (place, column) in self.columns.iter().enumerate() {
                if place > 0 {
                    out.push(self.delimiter);
                }
                column.kept(record).append(out);
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
        const AT_ONCE: usize = 64;
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
