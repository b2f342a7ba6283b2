//! What stands for a missing value.

use super::encoding::Encoding;
use super::number::{self, Reading, Syntax};

/// What is missing unless the user says otherwise, beside the empty cell: R's, SAS's and ARX's marker.
pub(super) const DEFAULT_MARKERS: [&str; 3] = ["NA", ".", "*"];

/// Words that other programs write for a missing number. In an attribute of text they may be names, so they are
/// missing only where every other cell is a number.
pub(super) const NUMERIC_MARKERS: [&str; 8] =
    ["NaN", "nan", "N/A", "#N/A", "NULL", "null", "None", "-nan"];

/// What stands for a missing value in one attribute.
///
/// The empty cell always does. A marker is compared with the cell without quotes and without blanks around; where
/// both are numbers, by value (`-9` finds `-9.0`).
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Markers {
    texts: Vec<Vec<u8>>,
    /// The values of those texts that are numbers and no codes.
    numbers: Vec<f64>,
    /// Whether a text is a number or a code at all.
    some_numeric: bool,
    numeric_words: bool,
}

impl Markers {
    /// The default markers, or those `stated` instead, and the `codes` of this attribute.
    pub fn new(stated: Option<&[String]>, codes: &[String], encoding: Encoding) -> Self {
        let defaults = DEFAULT_MARKERS.map(str::to_owned);
        // A marker that the encoding cannot write stands in no cell.
        let texts = stated
            .unwrap_or(&defaults)
            .iter()
            .chain(codes)
            .filter_map(|marker| encoding.encode(marker.trim()))
            .collect();
        Self {
            texts,
            numbers: Vec::new(),
            some_numeric: false,
            numeric_words: stated.is_none(),
        }
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
        cell.is_empty() || self.texts.iter().any(|text| text == cell)
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
        self.numeric_words
            && NUMERIC_MARKERS
                .iter()
                .any(|marker| marker.as_bytes() == cell)
    }
}

/// Whether this cell content is missing by default.
pub(super) fn is_default_marker(cell: &[u8]) -> bool {
    cell.is_empty()
        || DEFAULT_MARKERS
            .iter()
            .any(|marker| marker.as_bytes() == cell)
}
