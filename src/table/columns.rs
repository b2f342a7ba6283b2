//! Reads all cells once, in parallel, into a column of numbers and a mask per attribute, and counts what was seen.

use std::{ops::Range, sync::Arc};

use rayon::prelude::*;

use super::cell::content;
use super::distinct_cells::{Mark, Recent};
use super::lexicon::Lexicon;
use super::limits::{CHUNK, FEW_VALUES};
use super::missing::Markers;
use super::number::{self, Digits, EXACT_INTEGERS, Simple, Syntax};
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
            self.add_place(record, value);
        }
    }

    fn add_place(&mut self, record: usize, value: f64) {
        for (from, counts) in self.counts_from.iter_mut().enumerate() {
            *counts &= value - (record + from) as f64 == 0.0;
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
    let mut others: Vec<&mut (usize, &mut [f64], Part)> = Vec::new();
    for column in &mut columns {
        let (place, values, part) = column;
        let may_be_simple = lexicons[*place].is_none()
            && markers[*place].allows_all_numbers()
            && syntax.thousands.is_empty();
        let simple = || read_simple(bytes, layout, syntax.decimal, *place, first..last, values);
        match may_be_simple.then(simple).flatten() {
            Some(simple) => *part = simple,
            None => others.push(column),
        }
    }
    if !others.is_empty() {
        read_each(
            bytes,
            layout,
            (syntax, markers, lexicons),
            first..last,
            &mut others,
        );
    }
    (columns.into_iter())
        .map(|(place, _, part)| (place, part))
        .collect()
}

/// Reads the cells of attributes in some records one by one.
fn read_each(
    bytes: &[u8],
    layout: &Layout,
    (syntax, markers, lexicons): (&Syntax, &[Markers], &[Option<Arc<Lexicon>>]),
    records: Range<usize>,
    columns: &mut [&mut (usize, &mut [f64], Part)],
) {
    // Of each attribute cells that are texts: what a cell is depends on its content alone.
    let mut texts: Vec<Recent<'_, ()>> = columns.iter().map(|_| Recent::default()).collect();
    for record in records.clone() {
        let offset = record - records.start;
        let cells = layout.record(bytes, record);
        for ((place, values, part), texts) in columns.iter_mut().zip(&mut texts) {
            let raw = cells.cell(*place);
            let markers = &markers[*place];
            let cell = content(raw);
            let lexicon = &lexicons[*place];
            // Most cells are digits, and need no closer look.
            let digits = match lexicon {
                None => Digits::of(cell, syntax),
                Some(_) => None,
            };
            let mark = Mark::of(cell);
            if digits.is_none() && texts.get(mark, cell).is_some() {
                part.tally.texts.add(record);
                continue;
            }
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
                None if !markers.is_marker(cell) => {
                    part.tally.texts.add(record);
                    texts.put(mark, cell, ());
                }
                _ => {
                    part.tally.missing += 1;
                    part.tally.counts_from = [false; 2];
                    set(&mut part.missing, offset);
                }
            }
        }
    }
}

/// Reads the cells of an attribute in some records if all of them are what most cells of most files are: [`Simple`] numbers with as many
/// decimals as the first one. Else it ends where one is something else.
fn read_simple(
    bytes: &[u8],
    layout: &Layout,
    mark: u8,
    place: usize,
    records: Range<usize>,
    kept: &mut [f64],
) -> Option<Part> {
    let mut not_kept = Vec::new();
    let values = if kept.is_empty() {
        not_kept.resize(records.len(), 0.0);
        &mut not_kept[..]
    } else {
        kept
    };
    let first = layout.cell(bytes, records.start, place);
    let decimals = first.iter().rev().position(|&byte| byte == mark);
    let decimals = decimals.unwrap_or(0);
    let (mut most, mut zeros) = (0, false);
    let mut places = values.iter_mut();
    layout.try_each(records.clone(), place, |cell| {
        let number = Simple::at(bytes, cell, decimals, mark)?;
        most = most.max(number.whole);
        zeros |= number.fraction % 10 == 0;
        *places.next()? = number.value;
        Some(())
    })?;
    let values = &*values;
    let mut tally = Tally {
        numbers: records.len(),
        fractions: decimals > 0 && values.iter().any(|value| value.fract() != 0.0),
        ..Tally::default()
    };
    for &value in values {
        tally.few.add(value);
        if tally.few.overflown {
            break;
        }
    }
    for (record, &value) in records.clone().zip(values) {
        tally.add_place(record, value);
        if tally.counts_from == [false; 2] {
            break;
        }
    }
    Some(Part {
        tally,
        plain: Plain::of_many(records.len(), decimals, decimals > 0 && zeros, most),
        ..Part::default()
    })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{encoding::Encoding, tokens::Tokenizer};

    const SYNTAX: Syntax = Syntax {
        decimal: b'.',
        thousands: b"",
    };

    /// Cells of one kind are read as those of any kind are, whatever is among them: the same numbers, counts and spelling. That a number which
    /// does not occur marks missing ones lets each be looked at by itself.
    #[test]
    fn simple_numbers_are_read_as_others_are() {
        let columns: [&[&str]; 12] = [
            &["7", "0", "12345678", "-3", "10"],
            &["7", "007", "12"],
            &["7", "", "12", "NA"],
            &["7", "-0", "12"],
            &["7", "123456789", "9007199254740993"],
            &["1.25", "0.00", "-0.50", "10.10", "12345678.99"],
            &["1.25", "-0.00"],
            &["1.25", "1.5"],
            &["0.1234", "0.0001", "0.00001"],
            &["0.12345678", "12345678.12345678", "99999999.99999999"],
            &["text", "1"],
            &["5.", ".5", "+5", "1e3", " 4", "\"6\"", "-", "."],
        ];
        for cells in columns {
            for n in [cells.len(), CHUNK + 900] {
                let text: String = (0..n)
                    .map(|record| format!("{record},{}\n", cells[record * 7 % cells.len()]))
                    .collect();
                let mut layout = Layout::new(2);
                layout
                    .fill(&mut Tokenizer::new(text.as_bytes(), 0, b','))
                    .unwrap();
                let read = |codes: Option<&[String]>, keeps: bool| {
                    let markers = Markers::new(codes, None, Encoding::Utf8).with_syntax(&SYNTAX);
                    let ways = (&[markers.clone(), markers][..], &[None, None][..]);
                    let wanted = (&[true, true][..], keeps);
                    read_all(text.as_bytes(), &layout, &SYNTAX, ways, wanted)
                };
                let stated = ["", "NA", ".", "*", "-77777777"].map(String::from);
                for keeps in [true, false] {
                    let (simple, each) = (read(None, keeps), read(Some(&stated), keeps));
                    for (simple, each) in simple.iter().zip(&each) {
                        let bits = |cells: &Cells| -> Vec<u64> {
                            cells.values.iter().map(|value| value.to_bits()).collect()
                        };
                        assert_eq!(bits(simple), bits(each), "{cells:?}");
                        assert_eq!(simple.tally, each.tally, "{cells:?}");
                        assert_eq!(simple.plain, each.plain, "{cells:?}");
                        assert_eq!(simple.missing, each.missing, "{cells:?}");
                    }
                }
            }
        }
    }
}
