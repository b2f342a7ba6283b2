//! Everything that is known about a table without showing a value of a record.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::Serialize;

use super::attribute::{AttrId, Attribute};
use super::guess::{count_distinct, distinct_keys};
use super::number::EXACT_INTEGERS;
use super::{BlankLines, LineEnd, Note, Reasons, Table, cell};

/// What `describe` shows: how the file was read, and why. It never holds a value of a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Description {
    /// The name of the file, as it was given.
    pub file: String,
    /// How many records there are.
    pub records: usize,
    /// How the file is written.
    pub dialect: DialectDescription,
    /// Why the first line, read as names here, may be a record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_line_doubt: Option<String>,
    /// The attributes, in the order of the file.
    pub attributes: Vec<AttributeDescription>,
    /// What else is worth knowing.
    pub notes: Vec<Note>,
}

/// How the file is written, in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DialectDescription {
    /// The sign between two cells; none in a file of one attribute.
    pub delimiter: Option<char>,
    /// `.` or `,`.
    pub decimal_mark: char,
    /// The sign between groups of three digits.
    pub thousands_mark: Option<char>,
    /// The encoding's name.
    pub encoding: String,
    /// Whether the first record holds names.
    pub header: bool,
    /// Whether the file begins with the UTF-8 mark.
    pub bom: bool,
    /// How lines end.
    pub line_end: LineEnd,
    /// Whether the last line has an end.
    pub final_line_end: bool,
    /// How many cells are quoted.
    pub quoted_cells: u64,
    /// Lines of nothing but blanks: how many are skipped, how many are records.
    pub blank_lines: BlankLines,
    /// Why.
    pub reasons: Reasons,
}

/// One attribute, its cells counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AttributeDescription {
    /// Name, place, scale, role and the reasons.
    #[serde(flatten)]
    pub attribute: Attribute,
    /// How many cells are missing.
    pub missing: usize,
    /// How many by which marker, in the order of the markers.
    pub missing_by: Vec<MarkerCount>,
    /// How many different values the other cells have.
    pub distinct: usize,
}

/// How often a marker stands for a missing value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MarkerCount {
    /// The marker; empty for the empty cell.
    pub marker: String,
    /// How many cells hold it.
    pub cells: usize,
}

impl Table {
    /// Describes the table as it is now.
    ///
    /// # Complexity
    /// Sorts every attribute once, in parallel.
    pub fn describe(&self) -> Description {
        let dialect = self.dialect();
        Description {
            file: self.name().to_owned(),
            records: self.n_records(),
            dialect: DialectDescription {
                delimiter: dialect.delimiter.map(char::from),
                decimal_mark: dialect.decimal_mark,
                thousands_mark: dialect.thousands_mark,
                encoding: dialect.encoding.word().to_owned(),
                header: dialect.header,
                bom: dialect.bom,
                line_end: dialect.line_end,
                final_line_end: dialect.final_line_end,
                quoted_cells: dialect.quoted_cells,
                blank_lines: dialect.blank_lines,
                reasons: dialect.reasons.clone(),
            },
            first_line_doubt: self.first_line_doubt().map(str::to_owned),
            attributes: self
                .ids()
                .collect::<Vec<_>>()
                .into_par_iter()
                .map(|id| self.describe_attribute(id))
                .collect(),
            notes: self.notes().to_vec(),
        }
    }

    fn describe_attribute(&self, id: AttrId) -> AttributeDescription {
        AttributeDescription {
            attribute: self.attribute(id).clone(),
            missing: self.missing(id).count(),
            missing_by: self.missing_by(id),
            distinct: self.distinct(id),
        }
    }

    fn missing_by(&self, id: AttrId) -> Vec<MarkerCount> {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for record in self.missing(id).records() {
            let raw = self.raw(record, id);
            let marker = self
                .dialect()
                .encoding
                .decode(cell::content(&raw))
                .into_owned();
            *counts.entry(marker).or_default() += 1;
        }
        counts
            .into_iter()
            .map(|(marker, cells)| MarkerCount { marker, cells })
            .collect()
    }

    /// Numbers are told apart by value, unless some are too large for that; all else by text.
    fn distinct(&self, id: AttrId) -> usize {
        let missing = self.missing(id);
        let present = || (0..self.n_records()).filter(|&record| !missing.contains(record));
        match self.numbers(id) {
            Some(numbers)
                if numbers
                    .values
                    .iter()
                    .all(|value| value.abs() < EXACT_INTEGERS) =>
            {
                count_distinct(
                    present()
                        .map(|record| numbers.values[record].to_bits())
                        .collect(),
                )
            }
            _ => distinct_keys(present().map(|record| self.raw(record, id))),
        }
    }
}
