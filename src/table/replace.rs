//! New text and new gaps: what stands in a cell instead of the bytes of the file.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock, Weak};

use rayon::prelude::*;

use super::attribute::{AttrId, Reason, Scale};
use super::cell::content;
use super::dialect::DELIMITERS;
use super::limits::CHUNK;
use super::missing::Markers;
use super::{Column, RecordSet, Table, number};
use crate::error::{Error, Result};

/// The cells of an attribute that hold something else than the file does.
#[derive(Clone)]
pub(super) struct Replaced {
    /// For each record the cell's place in `cells`, or [`Table::AS_IT_IS`].
    pub codes: Vec<u32>,
    /// Cells as they will be written, quotes included. What is here needs no printing.
    pub cells: Vec<Vec<u8>>,
}

impl Replaced {
    /// What stands in the cell of this record, if it is not what the file has.
    pub fn cell(&self, record: usize) -> Option<&[u8]> {
        // No dictionary has a cell at the place that says "as it is".
        self.cells
            .get(self.codes[record] as usize)
            .map(Vec::as_slice)
    }
}

impl Table {
    /// The code of a cell that [`with_texts`](Self::with_texts) leaves as it is.
    pub const AS_IT_IS: u32 = u32::MAX;

    /// The table in which record `r` has the text `texts[codes[r]]` in this attribute, or what it has now where its code
    /// is [`AS_IT_IS`](Self::AS_IT_IS).
    ///
    /// A text is written in the encoding of the file, in quotes where it would else be cut or lose blanks, and in the spelling of the
    /// attribute if it was put into one.
    ///
    /// # Scale
    /// An attribute of numbers stays one if all new texts in use are numbers of the file's way of writing; else it
    /// becomes nominal, as it would be read back.
    ///
    /// # Missing
    /// Stays missing, whatever its code. Words such as `NaN` are missing only among numbers; where text comes in they
    /// give way to a marker that is understood everywhere.
    ///
    /// # Errors
    /// [`Input`](crate::error::ErrorKind::Input), for every text, in use or not: the encoding lacks a character of it
    /// (named by its code point), it holds a zero byte, or it would be read back as missing. And where all text goes
    /// but words that would be read back as missing numbers.
    ///
    /// # Panics
    /// If `codes` is not one a record, or names a text that there is not.
    ///
    /// # Complexity
    /// Keeps 4 bytes a record; reads each cell of the attribute once, in parallel.
    pub fn with_texts(mut self, id: AttrId, mut codes: Vec<u32>, texts: &[String]) -> Result<Self> {
        assert_eq!(codes.len(), self.n_records(), "one code a record");
        assert!(
            codes
                .iter()
                .all(|&code| code == Self::AS_IT_IS || (code as usize) < texts.len()),
            "codes are of texts"
        );
        let cells = texts
            .iter()
            .map(|text| self.cell_of(id, text))
            .collect::<Result<Vec<_>>>()?;
        for record in self.missing(id).records() {
            codes[record] = Self::AS_IT_IS;
        }
        let codes_from_now = codes.clone();
        self.columns[id.index()].replace(codes, cells);
        self.read_again(id, &codes_from_now)?;
        Ok(self)
    }

    /// The table in which these records miss this attribute; those that miss it already keep their marker.
    ///
    /// The new gaps are marked in the file's own way: as most gaps of this attribute are, else as most gaps of the file,
    /// else by an empty cell (`NA` in a file of one attribute, where many programs skip blank lines), or, where that is
    /// none, by the first marker that was stated. Of markers used equally often it is the first in the order of bytes. It is
    /// read back as missing in the way the file was read.
    ///
    /// # Errors
    /// Input, if nothing stands for a missing value in this attribute.
    ///
    /// # Panics
    /// If a record is named that there is not.
    ///
    /// # Complexity
    /// Keeps 4 bytes a record; looks at the missing cells of the file.
    pub fn with_missing(mut self, id: AttrId, records: &[u32]) -> Result<Self> {
        let n_records = self.n_records();
        let mut words = vec![0_u64; n_records.div_ceil(64)];
        let mut codes = vec![Self::AS_IT_IS; n_records];
        for &record in records {
            if !self.is_missing(record as usize, id) {
                words[record as usize / 64] |= 1 << (record % 64);
                codes[record as usize] = 0;
            }
        }
        let gaps = RecordSet::from_words(words);
        if gaps.is_empty() {
            return Ok(self);
        }
        let numeric = self.columns[id.index()].numeric;
        let marker = self.missing_marker(id, numeric)?;
        let column = &mut self.columns[id.index()];
        column.missing = column.missing.joined(&gaps);
        column.replace(codes, vec![marker]);
        if column.printed
            && let Some(values) = column.values.get_mut()
        {
            let values = Arc::make_mut(values);
            for record in gaps.records() {
                values[record] = 0.0;
            }
        } else {
            column.values = OnceLock::new();
        }
        Ok(self)
    }

    /// The numbers that stand for a missing value in this attribute.
    pub fn missing_codes(&self, id: AttrId) -> &[f64] {
        self.markers(&self.columns[id.index()]).numbers()
    }

    /// Whether this number, written into this attribute, would be read back as missing.
    pub fn means_missing(&self, id: AttrId, value: f64) -> bool {
        if !self.has_numerals(id) {
            return false;
        }
        let mut cell = Vec::new();
        number::print(value, self.file.syntax.decimal, &mut cell);
        self.markers(&self.columns[id.index()])
            .is_missing_number(&cell, value)
    }

    /// The bytes of a cell that holds this text.
    fn cell_of(&self, id: AttrId, text: &str) -> Result<Vec<u8>> {
        let name = &self.attribute(id).name;
        let dialect = self.dialect();
        let refuse = |what: String| Error::input(what).on_attribute(name);
        let Some(bytes) = dialect
            .encoding
            .encode(text)
            .filter(|_| !text.contains('\0'))
        else {
            let lacking = text
                .chars()
                .find(|&letter| {
                    letter == '\0'
                        || dialect
                            .encoding
                            .encode(letter.encode_utf8(&mut [0; 4]))
                            .is_none()
                })
                .unwrap_or(char::REPLACEMENT_CHARACTER);
            return Err(refuse(format!(
                "a new text holds the character U+{:04X}, which a file in {} cannot hold",
                u32::from(lacking),
                dialect.encoding.word()
            ))
            .remedy("Write the text with other characters, or convert the file to UTF-8 first"));
        };
        let inside = content(&bytes);
        let is_meant = self.columns[id.index()].lexicon.is_some();
        let reading = (!is_meant)
            .then(|| number::read(inside, &self.file.syntax))
            .flatten();
        let (value, code) = (
            reading.map(|reading| reading.value),
            reading.is_some_and(|reading| reading.code),
        );
        let markers = self.markers(&self.columns[id.index()]);
        if markers.is_marker(inside)
            || value.is_some_and(|value| markers.is_missing_number(inside, value))
        {
            return Err(refuse(format!(
                "the new text {text:?} stands for a missing value in this file"
            ))
            .remedy("Choose another text; to make values missing, suppress them"));
        }
        let cuts = |byte: &u8| match dialect.delimiter {
            Some(delimiter) => *byte == delimiter,
            // Nothing delimits in this file; when it is read again, nothing must seem to.
            None => DELIMITERS.contains(byte),
        };
        let quoted = bytes
            .iter()
            .any(|byte| cuts(byte) || b"\"\r\n".contains(byte))
            || inside.len() < bytes.len()
            || text.starts_with("sep=")
            || text.starts_with('\u{feff}');
        if !quoted {
            let column = &self.columns[id.index()];
            return Ok(match (&column.spelling, value) {
                (Some(spelling), Some(_)) if column.numeric && !code => spelling.of_number(inside),
                (Some(spelling), _) => spelling.around(&bytes),
                (None, _) => bytes,
            });
        }
        let mut cell = vec![b'"'];
        for byte in bytes {
            cell.extend(std::iter::repeat_n(byte, if byte == b'"' { 2 } else { 1 }));
        }
        cell.push(b'"');
        Ok(cell)
    }

    /// What stands for missing values in this attribute.
    fn markers(&self, column: &Column) -> &Markers {
        &self.file.markers[column.place]
    }

    /// The bytes with which a gap of this attribute is marked.
    fn missing_marker(&self, id: AttrId, numeric: bool) -> Result<Vec<u8>> {
        let markers = self.markers(&self.columns[id.index()]);
        let most_used = |ids: &mut dyn Iterator<Item = AttrId>| {
            let mut counts: BTreeMap<Cow<'_, [u8]>, usize> = BTreeMap::new();
            for other in ids {
                let column = &self.columns[other.index()];
                for record in column.missing.records() {
                    *counts.entry(self.file_cell(record, column)).or_default() += 1;
                }
            }
            counts
                .into_iter()
                .filter(|(raw, _)| self.is_gap(content(raw), markers, numeric))
                .fold(
                    None,
                    |best: Option<(Cow<'_, [u8]>, usize)>, next| match best {
                        Some(best) if best.1 >= next.1 => Some(best),
                        _ => Some(next),
                    },
                )
                .map(|(raw, _)| raw.into_owned())
        };
        most_used(&mut std::iter::once(id))
            .or_else(|| most_used(&mut self.ids()))
            .or_else(|| match self.n_attributes() {
                1 if markers.is_marker(b"NA") => Some(b"NA".to_vec()),
                _ if self.is_gap(b"", markers, numeric) => Some(Vec::new()),
                _ => markers.first().map(<[u8]>::to_vec),
            })
            .ok_or_else(|| {
                Error::input("nothing stands for a missing value in this attribute")
                    .on_attribute(&self.attribute(id).name)
                    .remedy("Name a code for missing values instead of the empty list in the roles file")
            })
    }

    fn is_gap(&self, cell: &[u8], markers: &Markers, numeric: bool) -> bool {
        let value = number::read(cell, &self.file.syntax).map(|reading| reading.value);
        markers.is_marker(cell)
            || value.is_some_and(|value| markers.is_missing_number(cell, value))
            || numeric && markers.is_numeric_word(cell)
    }

    /// Brings scale, numbers and markers of an attribute in line with its new texts; `codes` marks the new ones.
    fn read_again(&mut self, id: AttrId, codes: &[u32]) -> Result<()> {
        let kinds = self.kinds(id, codes);
        if kinds.words && !kinds.texts && kinds.numbers {
            return Err(Error::input(
                "only numbers would stay beside words such as NaN, None or NULL, which then stand for missing values",
            )
            .on_attribute(&self.attribute(id).name)
            .remedy("Give these words a new text, too, or state the markers of missing values (--na)"));
        }
        let stated = self.attribute(id).scale_reason == Reason::Stated;
        let column = &mut self.columns[id.index()];
        let numeric =
            column.numeric && !kinds.texts && !kinds.words && (stated || !kinds.new_codes);
        if column.numeric && !numeric {
            column.numeric = false;
            column.lexicon = None;
            let attribute = &mut self.attributes[id.index()];
            attribute.scale = Scale::Nominal;
            attribute.scale_reason = Reason::Guessed("it was given names".to_owned());
        }
        if kinds.texts || kinds.words {
            self.replace_words(id)?;
        }
        self.read_new_numbers(id, codes);
        Ok(())
    }

    /// Numbers that a method wrote stay; where text stands now, they are those of the text.
    fn read_new_numbers(&mut self, id: AttrId, codes: &[u32]) {
        let syntax = self.file.syntax;
        let column = &mut self.columns[id.index()];
        if !column.printed {
            column.values = OnceLock::new();
            return;
        }
        let (Some(values), Some(replaced)) = (column.values.get_mut(), &column.replaced) else {
            return;
        };
        let values = Arc::make_mut(values);
        for (record, _) in codes
            .iter()
            .enumerate()
            .filter(|&(_, &code)| code != Self::AS_IT_IS)
        {
            let reading = replaced
                .cell(record)
                .and_then(|cell| match &column.lexicon {
                    Some(lexicon) => lexicon.read(content(cell)),
                    None => number::read(content(cell), &syntax),
                });
            values[record] = reading.map_or(0.0, |reading| reading.value);
        }
    }

    /// Words that are missing only among numbers give way to a marker that is understood among text.
    fn replace_words(&mut self, id: AttrId) -> Result<()> {
        let column = &self.columns[id.index()];
        let markers = self.markers(column);
        let words: Vec<usize> = column
            .missing
            .records()
            .filter(|&record| {
                !self.is_gap(content(&self.file_cell(record, column)), markers, false)
            })
            .collect();
        if words.is_empty() {
            return Ok(());
        }
        let marker = self.missing_marker(id, false)?;
        let mut codes = vec![Self::AS_IT_IS; self.n_records()];
        for record in words {
            codes[record] = 0;
        }
        self.columns[id.index()].replace(codes, vec![marker]);
        Ok(())
    }

    /// What kinds of cells this attribute has where it is not missing.
    fn kinds(&self, id: AttrId, codes: &[u32]) -> Kinds {
        let column = &self.columns[id.index()];
        let markers = self.markers(column);
        let of_chunk = |first: usize| {
            let mut kinds = Kinds::default();
            for (record, &code) in codes.iter().enumerate().skip(first).take(CHUNK) {
                if column.missing.contains(record) {
                    continue;
                }
                let new = code != Self::AS_IT_IS;
                if column.numeric && !new {
                    kinds.numbers = true;
                    continue;
                }
                let raw = self.file_cell(record, column);
                let cell = content(&raw);
                match column.reading(cell, &self.file.syntax) {
                    Some(reading) => {
                        kinds.numbers = true;
                        kinds.new_codes |= new && reading.code;
                    }
                    None if markers.is_numeric_word(cell) => kinds.words = true,
                    None => kinds.texts = true,
                }
            }
            kinds
        };
        (0..codes.len())
            .step_by(CHUNK)
            .collect::<Vec<_>>()
            .into_par_iter()
            .map(of_chunk)
            .reduce(Kinds::default, Kinds::or)
    }
}

/// Which kinds of cells are there.
#[derive(Debug, Clone, Copy, Default)]
struct Kinds {
    numbers: bool,
    texts: bool,
    /// Words that stand for a missing number where all else is numbers.
    words: bool,
    /// New texts that are codes such as `007`.
    new_codes: bool,
}

impl Kinds {
    fn or(self, other: Self) -> Self {
        Self {
            numbers: self.numbers | other.numbers,
            texts: self.texts | other.texts,
            words: self.words | other.words,
            new_codes: self.new_codes | other.new_codes,
        }
    }
}

impl Column {
    /// Puts these cells where a code says so; all others stay.
    pub(super) fn replace(&mut self, mut codes: Vec<u32>, mut cells: Vec<Vec<u8>>) {
        self.unmoved = Weak::new();
        self.replaced = Some(Arc::new(match &self.replaced {
            None => Replaced { codes, cells },
            Some(before) => {
                for (code, &old) in codes.iter_mut().zip(&before.codes) {
                    *code = match *code {
                        Table::AS_IT_IS => old,
                        // A dictionary that outgrows its codes would need more texts than there is memory for.
                        new => new
                            .saturating_add(u32::try_from(before.cells.len()).unwrap_or(u32::MAX)),
                    };
                }
                let mut all = before.cells.clone();
                all.append(&mut cells);
                Replaced { codes, cells: all }
            }
        }));
    }
}
