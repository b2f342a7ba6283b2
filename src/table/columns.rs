//! Reads all cells once, in parallel, into a column of numbers and a mask per attribute, and counts what was seen.

use std::sync::Arc;

use rayon::prelude::*;

use super::cell::content;
use super::lexicon::Lexicon;
use super::limits::{CHUNK, FEW_VALUES};
use super::missing::Markers;
use super::number::{self, Digits, EXACT_INTEGERS, Syntax};
use super::record_set::RecordSet;
use super::spelling::Plain;
use super::tokens::Layout;

/// What the cells of one attribute are.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tally {
    /// Cells that are numbers and no codes.
    pub numbers: usize,
    /// Cells that are numbers with a leading zero or a plus sign, and the first record with one.
    pub codes: Seen,
    /// Cells that are something else, and the first record with one.
    pub texts: Seen,
    /// Words that stand for a missing number where all else is numbers, and the first record with one.
    pub words: Seen,
    /// Missing cells.
    pub missing: usize,
    /// Whether a number is not whole.
    pub fractions: bool,
    /// Whole numbers beyond those that an `f64` tells apart, and the first record with one.
    pub inexact: Seen,
    /// The different numbers, as long as they are few.
    pub few: Few,
    /// Whether record `r` (from 0) holds `r`, or `r + 1`, for every record.
    pub counts_from: [bool; 2],
}

/// How many cells, and the first record with one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Seen {
    pub count: usize,
    pub first: Option<usize>,
}

impl Seen {
    fn add(&mut self, record: usize) {
        self.count += 1;
        self.first.get_or_insert(record);
    }

    /// Counts those, too.
    pub fn join(&mut self, other: Self) {
        self.count += other.count;
        self.first = self.first.into_iter().chain(other.first).min();
    }
}

/// The different numbers of an attribute while there are at most [`FEW_VALUES`].
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Few {
    values: Vec<f64>,
    overflown: bool,
}

impl Few {
    #[inline(always)]
    fn add(&mut self, value: f64) {
        if self.overflown
            || self
                .values
                .iter()
                .any(|seen| seen.total_cmp(&value).is_eq())
        {
            return;
        }
        self.overflown = self.values.len() == FEW_VALUES;
        self.values.push(value);
    }

    /// How many there are, unless they are too many.
    pub fn count(&self) -> Option<usize> {
        (!self.overflown).then_some(self.values.len())
    }
}

impl Default for Tally {
    fn default() -> Self {
        Self {
            numbers: 0,
            codes: Seen::default(),
            texts: Seen::default(),
            words: Seen::default(),
            missing: 0,
            fractions: false,
            inexact: Seen::default(),
            few: Few::default(),
            counts_from: [true; 2],
        }
    }
}

impl Tally {
    #[inline(always)]
    fn add_number(&mut self, record: usize, reading: number::Reading) {
        let value = reading.value;
        if reading.code {
            self.codes.add(record);
        } else {
            self.numbers += 1;
        }
        self.fractions |= !reading.plain_integer && value.fract() != 0.0;
        if reading.plain_integer && value.abs() >= EXACT_INTEGERS {
            self.inexact.add(record);
        }
        self.few.add(value);
        if self.counts_from != [false; 2] {
            for (from, counts) in self.counts_from.iter_mut().enumerate() {
                *counts &= value - (record + from) as f64 == 0.0;
            }
        }
    }

    fn join(&mut self, later: &Self) {
        self.numbers += later.numbers;
        self.codes.join(later.codes);
        self.texts.join(later.texts);
        self.words.join(later.words);
        self.missing += later.missing;
        self.fractions |= later.fractions;
        self.inexact.join(later.inexact);
        for &value in &later.few.values {
            self.few.add(value);
        }
        for (mine, theirs) in self.counts_from.iter_mut().zip(later.counts_from) {
            *mine &= theirs;
        }
    }
}

/// The cells of one attribute as they were read.
pub(super) struct Cells {
    /// One a cell, 0.0 for those that are no numbers; empty where they are not kept.
    pub values: Vec<f64>,
    pub missing: RecordSet,
    /// Cells that are missing only if the attribute turns out to be numbers.
    pub words: RecordSet,
    pub tally: Tally,
    /// How the numbers are spelled.
    pub plain: Plain,
}

/// What one chunk of records gives for one attribute.
#[derive(Default)]
struct Part {
    tally: Tally,
    plain: Plain,
    missing: Vec<u64>,
    words: Vec<u64>,
}

/// Reads every cell of the attributes that are wanted, and keeps the numbers or not; of the others there is nothing.
///
/// The result does not depend on the number of threads: chunks are fixed and joined in order.
///
/// # Complexity
/// Linear in the bytes; 8 bytes a cell that is a number, and a few more.
pub(super) fn read_all(
    bytes: &[u8],
    layout: &Layout,
    syntax: &Syntax,
    (markers, lexicons): (&[Markers], &[Option<Arc<Lexicon>>]),
    (wanted, keeps_numbers): (&[bool], bool),
) -> Vec<Cells> {
    let n_records = layout.n_records();
    let n_kept = if keeps_numbers { n_records } else { 0 };
    // Zeroed memory costs nothing until a number is written to it: attributes of text never use theirs.
    let mut values: Vec<Vec<f64>> = (wanted.iter())
        .map(|&wanted| vec![0.0; if wanted { n_kept } else { 0 }])
        .collect();
    let mut chunks: Vec<Vec<(usize, &mut [f64])>> = (0..n_records.div_ceil(CHUNK))
        .map(|_| Vec::with_capacity(markers.len()))
        .collect();
    let columns = values.iter_mut().enumerate();
    for (place, column) in columns.filter(|&(place, _)| wanted[place]) {
        let mut slices = column.chunks_mut(CHUNK);
        for chunk in &mut chunks {
            chunk.push((place, slices.next().unwrap_or_default()));
        }
    }
    let parts: Vec<Vec<(usize, Part)>> = chunks
        .into_par_iter()
        .enumerate()
        .map(|(chunk, columns)| {
            let ways = (syntax, markers, lexicons);
            read_chunk(bytes, layout, ways, chunk * CHUNK, columns)
        })
        .collect();
    let mut tallies = vec![(Tally::default(), Plain::default()); markers.len()];
    let mut missing = vec![Vec::new(); markers.len()];
    let mut words = vec![Vec::new(); markers.len()];
    for (chunk, part) in parts.into_iter().enumerate() {
        for (place, part) in part {
            let (tally, plain) = &mut tallies[place];
            tally.join(&part.tally);
            *plain = plain.join(part.plain);
            append_words(&mut missing[place], chunk, part.missing);
            append_words(&mut words[place], chunk, part.words);
        }
    }
    values
        .into_iter()
        .zip(tallies)
        .zip(missing.into_iter().zip(words))
        .map(|((values, (tally, plain)), (missing, words))| Cells {
            values,
            missing: RecordSet::from_words(missing),
            words: RecordSet::from_words(words),
            tally,
            plain,
        })
        .collect()
}

fn append_words(all: &mut Vec<u64>, chunk: usize, words: Vec<u64>) {
    if !words.is_empty() {
        all.resize(chunk * (CHUNK / 64), 0);
        all.extend(words);
    }
}

fn read_chunk(
    bytes: &[u8],
    layout: &Layout,
    (syntax, markers, lexicons): (&Syntax, &[Markers], &[Option<Arc<Lexicon>>]),
    first: usize,
    columns: Vec<(usize, &mut [f64])>,
) -> Vec<(usize, Part)> {
    let mut columns: Vec<(usize, &mut [f64], Part)> = (columns.into_iter())
        .map(|(place, values)| (place, values, Part::default()))
        .collect();
    let last = layout.n_records().min(first + CHUNK);
    for record in first..last {
        let offset = record - first;
        let cells = layout.record(bytes, record);
        for (place, values, part) in &mut columns {
            let raw = cells.cell(*place);
            let markers = &markers[*place];
            let cell = content(raw);
            let lexicon = &lexicons[*place];
            // Most cells are digits, and need no closer look.
            let digits = match lexicon {
                None => Digits::of(cell, syntax),
                Some(_) => None,
            };
            let reading = match (digits, lexicon) {
                (Some(digits), _) => Some(digits.reading()),
                (None, None) => number::read_slowly(cell, syntax),
                (None, Some(lexicon)) => {
                    // What is stated to be a value is one, also where it would mark a missing one elsewhere.
                    if let Some(reading) = lexicon.read(cell) {
                        keep(values, offset, reading.value);
                        part.tally.add_number(record, reading);
                        continue;
                    }
                    None
                }
            };
            match reading {
                Some(reading) if !markers.is_missing_number(cell, reading.value) => {
                    keep(values, offset, reading.value);
                    part.tally.add_number(record, reading);
                    match digits.filter(|_| cell.len() == raw.len()) {
                        Some(digits) => part.plain.add_digits(digits, raw, syntax),
                        None => part.plain.add(raw, syntax),
                    }
                }
                None if markers.is_numeric_word(cell) => {
                    part.tally.words.add(record);
                    set(&mut part.words, offset);
                }
                None if !markers.is_marker(cell) => part.tally.texts.add(record),
                _ => {
                    part.tally.missing += 1;
                    part.tally.counts_from = [false; 2];
                    set(&mut part.missing, offset);
                }
            }
        }
    }
    (columns.into_iter())
        .map(|(place, _, part)| (place, part))
        .collect()
}

/// Keeps a number where numbers are kept.
#[inline(always)]
fn keep(values: &mut [f64], offset: usize, value: f64) {
    if let Some(kept) = values.get_mut(offset) {
        *kept = value;
    }
}

fn set(words: &mut Vec<u64>, bit: usize) {
    if words.is_empty() {
        words.resize(CHUNK / 64, 0);
    }
    words[bit / 64] |= 1 << (bit % 64);
}
