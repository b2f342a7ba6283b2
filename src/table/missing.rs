//! What stands for a missing value.

use super::encoding::Encoding;
use super::number::{self, Reading, Syntax};

/// What is missing unless the user says otherwise, as the empty cell is: R's, SAS's and ARX's marker.
pub(super) const DEFAULT_MARKERS: [&str; 3] = ["NA", ".", "*"];

/// Words that other programs write for a missing number. In an attribute of text they may be names, so they are
/// missing only where every other cell is a number.
pub(super) const NUMERIC_MARKERS: [&str; 8] =
    ["NaN", "nan", "N/A", "#N/A", "NULL", "null", "None", "-nan"];

/// What stands for a missing value in one attribute.
///
/// The empty cell does unless markers are stated and it is none of them: then it is a value of its own in an attribute of text, and
/// missing only where every other cell is a number (R's rule for `na.strings`). In an attribute whose own list of codes is stated and
/// empty nothing is missing at all. A marker is compared with the cell without quotes and without blanks around; where both are
/// numbers, by value (`-9` finds `-9.0`).
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Markers {
    texts: Vec<Vec<u8>>,
    /// The values of those texts that are numbers and no codes.
    numbers: Vec<f64>,
    /// Whether a text is a number or a code at all.
    some_numeric: bool,
    numeric_words: bool,
    /// Whether an empty cell is missing among numbers.
    numeric_empty: bool,
}

impl Markers {
    /// The default markers, or those `stated` instead, and the `codes` of this attribute; none at all where these are
    /// an empty list.
    pub fn new(stated: Option<&[String]>, codes: Option<&[String]>, encoding: Encoding) -> Self {
        if codes.is_some_and(<[String]>::is_empty) {
            return Self::default();
        }
        let defaults: Vec<String> = std::iter::once("")
            .chain(DEFAULT_MARKERS)
            .map(str::to_owned)
            .collect();
        // A marker that the encoding cannot write stands in no cell.
        let texts = stated
            .unwrap_or(&defaults)
            .iter()
            .chain(codes.unwrap_or_default())
            .filter_map(|marker| encoding.encode(marker.trim()))
            .collect();
        Self {
            texts,
            numbers: Vec::new(),
            some_numeric: false,
            numeric_words: stated.is_none(),
            numeric_empty: true,
        }
    }

    /// The same markers without the empty cell: it is a value.
    pub fn without_empty(mut self) -> Self {
        self.texts.retain(|text| !text.is_empty());
        self.numeric_empty = false;
        self
    }

    /// The first marker that is understood whatever else the attribute holds, if there is one.
    pub fn first(&self) -> Option<&[u8]> {
        self.texts.first().map(Vec::as_slice)
    }

    /// The same markers where numbers look like this: those that are numbers are compared by value, too.
    pub fn with_syntax(mut self, syntax: &Syntax) -> Self {
        // Markers come from the command line or a roles file, where the decimal mark is a point.
        let plain = Syntax {
            decimal: b'.',
            thousands: b"",
        };
        let readings: Vec<Reading> = self
            .texts
            .iter()
            .filter_map(|text| number::read(text, &plain).or_else(|| number::read(text, syntax)))
            .collect();
        self.some_numeric = !readings.is_empty();
        self.numbers = readings
            .iter()
            .filter(|reading| !reading.code)
            .map(|reading| reading.value)
            .collect();
        self
    }

    /// The values of those markers that are numbers.
    pub fn numbers(&self) -> &[f64] {
        &self.numbers
    }

    /// Whether this cell content is missing whatever else the attribute holds.
    pub fn is_marker(&self, cell: &[u8]) -> bool {
        self.texts.iter().any(|text| text == cell)
    }

    /// Whether no number is missing.
    pub fn allows_all_numbers(&self) -> bool {
        !self.some_numeric
    }

    /// Whether this number is missing.
    pub fn is_missing_number(&self, cell: &[u8], value: f64) -> bool {
        self.some_numeric
            && (self
                .numbers
                .iter()
                .any(|number| number.total_cmp(&value).is_eq())
                || self.is_marker(cell))
    }

    /// Whether this cell content is missing if every other cell is a number.
    pub fn is_numeric_word(&self, cell: &[u8]) -> bool {
        if cell.is_empty() {
            self.numeric_empty && !self.is_marker(cell)
        } else {
            self.numeric_words && is_numeric_marker(cell)
        }
    }
}

/// Whether this cell content is a word that other programs write for a missing number.
pub(super) fn is_numeric_marker(cell: &[u8]) -> bool {
    NUMERIC_MARKERS
        .iter()
        .any(|marker| marker.as_bytes() == cell)
}

/// Whether this cell content is missing by default.
pub(super) fn is_default_marker(cell: &[u8]) -> bool {
    cell.is_empty()
        || DEFAULT_MARKERS
            .iter()
            .any(|marker| marker.as_bytes() == cell)
}
