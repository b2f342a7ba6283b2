//! What the office that owns a file is shown of it. It holds values: it is private, as the file is.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::Serialize;

use super::attribute::{AttrId, Attribute};
use super::guess::{distinct_keys, key};
use super::limits::FEW_VALUES;
use super::number::EXACT_INTEGERS;
use super::{BlankLines, LineEnd, Note, Numbers, Reasons, Singling, Table, cell, identifier_name};
use super::{missing_codes, number};

/// What `describe` shows: how the file was read, why, and what its attributes hold. It is private: the least and the greatest value of an
/// attribute are values of single records.
#[derive(Debug, Clone, PartialEq, Serialize)]
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
    /// So many lines above the table were skipped.
    pub skipped_lines: u64,
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
#[derive(Debug, Clone, PartialEq, Serialize)]
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
    /// The least number; none in an attribute of names. Ordered categories count from 1, dates from 1 January 1970.
    pub minimum: Option<f64>,
    /// The greatest number; none in an attribute of names.
    pub maximum: Option<f64>,
    /// The least and the greatest value, as they stand in the file.
    pub range: Option<[String; 2]>,
    /// The most frequent value, unless no two cells are equal; of equally frequent ones the least.
    pub most_frequent: Option<Frequent>,
    /// Values that may stand for missing ones although nobody said so.
    pub suspected_missing: Vec<MarkerCount>,
    /// How its cells single out records, in words, if they do and are no amounts.
    pub looks_like: Option<String>,
    /// Whether it is named like sampling weights, and its values can be some.
    pub perhaps_weights: bool,
    /// Whether `mask` refuses the file before somebody states the role of this attribute.
    pub wants_role: bool,
}

/// A value and how often it stands in an attribute.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Frequent {
    /// The value, as it stands in the first of these cells.
    pub value: String,
    /// How many cells hold it.
    pub cells: usize,
    /// Their share in the cells that are not missing.
    pub share: f64,
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

impl Description {
    /// The same without values of records: where a first line may be a record, nobody is to take values of it for something else.
    #[must_use]
    pub fn without_values(mut self) -> Self {
        for described in &mut self.attributes {
            described.minimum = None;
            described.maximum = None;
            described.range = None;
            described.most_frequent = None;
            described.suspected_missing.clear();
        }
        self
    }
}

impl Table {
    /// Describes the table as it is now; without values while its first line may be a record.
    ///
    /// # Complexity
    /// Sorts every attribute once, in parallel.
    pub fn describe(&self) -> Description {
        let dialect = self.dialect();
        let description = Description {
            file: self.name().to_owned(),
            records: self.n_records(),
            dialect: DialectDescription {
                delimiter: dialect.delimiter.map(char::from),
                decimal_mark: dialect.decimal_mark,
                thousands_mark: dialect.thousands_mark,
                encoding: dialect.encoding.word().to_owned(),
                header: dialect.header,
                bom: dialect.bom,
                skipped_lines: dialect.skipped_lines,
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
        };
        match self.first_line_doubt() {
            None => description,
            Some(_) => description.without_values(),
        }
    }

    fn describe_attribute(&self, id: AttrId) -> AttributeDescription {
        let cells = self.n_records() - self.missing(id).count();
        let values = match self.numbers(id) {
            Some(numbers) => self.describe_numbers(id, numbers),
            None => self.describe_texts(id),
        };
        // Amounts of which most differ are what they should be.
        let singling = (self.singles_out(id)).filter(|&found| found != Singling::WholeNumbers);
        AttributeDescription {
            attribute: self.attribute(id).clone(),
            missing: self.missing(id).count(),
            missing_by: self.missing_by(id),
            distinct: values.distinct,
            minimum: values.range.map(|[minimum, _]| minimum),
            maximum: values.range.map(|[_, maximum]| maximum),
            range: (values.ends)
                .map(|ends| ends.map(|record| self.category(record, id).into_owned())),
            most_frequent: (values.most_frequent).filter(|&(_, count)| count > 1).map(
                |(record, count)| Frequent {
                    value: self.category(record, id).into_owned(),
                    cells: count,
                    share: count as f64 / cells as f64,
                },
            ),
            suspected_missing: values.suspected_missing,
            looks_like: singling.map(|singling| singling.words().to_owned()),
            perhaps_weights: self.perhaps_weights(id),
            wants_role: singling.is_some_and(Singling::wants_role)
                && self.attribute(id).lacks_role(),
        }
    }

    fn describe_numbers(&self, id: AttrId, numbers: Numbers<'_>) -> Values {
        let mut records: Vec<u32> = self.present(id).collect();
        let value = |record: u32| numbers.values[record as usize];
        records.sort_unstable_by(|&a, &b| value(a).total_cmp(&value(b)).then(a.cmp(&b)));
        let range = match (records.first(), records.last()) {
            (Some(&first), Some(&last)) => Some([value(first), value(last)]),
            _ => None,
        };
        let mut most_frequent: Option<(usize, usize)> = None;
        let mut counts = Vec::new();
        for run in records.chunk_by(|&a, &b| value(a).total_cmp(&value(b)).is_eq()) {
            counts.push((value(run[0]), run.len()));
            if most_frequent.is_none_or(|(_, most)| run.len() > most) {
                most_frequent = Some((run[0] as usize, run.len()));
            }
        }
        let suspects = if self.has_numerals(id) {
            missing_codes::among_numbers(&counts)
        } else {
            Vec::new()
        };
        let ends = match (records.first(), records.last()) {
            (Some(&first), Some(&last)) => Some([first as usize, last as usize]),
            _ => None,
        };
        let suspected_missing = (counts.iter())
            .filter(|(value, _)| {
                suspects
                    .iter()
                    .any(|suspect| suspect.total_cmp(value).is_eq())
            })
            .map(|&(value, cells)| MarkerCount {
                marker: printed(value),
                cells,
            });
        // Beyond 2^53 values share a number: they are told apart by their text.
        let is_exact = range.is_none_or(|ends| ends.iter().all(|end| end.abs() < EXACT_INTEGERS));
        Values {
            distinct: if is_exact {
                counts.len()
            } else {
                distinct_keys(records.iter().map(|&record| self.raw(record as usize, id)))
            },
            range,
            ends,
            most_frequent,
            suspected_missing: suspected_missing.collect(),
        }
    }

    fn describe_texts(&self, id: AttrId) -> Values {
        let mut keys: Vec<(u64, u32)> = (self.present(id))
            .map(|record| (key(cell::content(&self.raw(record as usize, id))), record))
            .collect();
        keys.sort_unstable();
        let runs: Vec<(usize, usize)> = keys
            .chunk_by(|a, b| a.0 == b.0)
            .map(|run| (run[0].1 as usize, run.len()))
            .collect();
        let text = |record: usize| self.category(record, id).into_owned();
        let most = runs.iter().map(|&(_, cells)| cells).max().unwrap_or(0);
        let most_frequent = (runs.iter())
            .filter(|&&(_, cells)| cells == most && most > 1)
            .min_by_key(|&&(record, _)| text(record))
            .copied();
        let counts: BTreeMap<String, usize> = (runs.iter())
            .map(|&(record, cells)| (text(record), cells))
            .collect();
        let syntax = &self.file.syntax;
        let reading = |text: &str| number::read(text.as_bytes(), syntax);
        // Codes such as 01 to 16, and 99.
        let numbers: Option<Vec<(f64, usize)>> = (counts.iter())
            .map(|(text, &cells)| Some((reading(text)?.value, cells)))
            .collect();
        let suspects: Vec<String> = match numbers {
            Some(mut numbers) => {
                numbers.sort_by(|a, b| a.0.total_cmp(&b.0));
                let suspects = missing_codes::among_numbers(&numbers);
                let is_suspect = |text: &&String| {
                    let value = reading(text).map_or(0.0, |reading| reading.value);
                    suspects
                        .iter()
                        .any(|suspect| suspect.total_cmp(&value).is_eq())
                };
                counts.keys().filter(is_suspect).cloned().collect()
            }
            None => missing_codes::among_texts(&counts, |text| reading(text).is_some()),
        };
        Values {
            distinct: runs.len(),
            range: None,
            ends: None,
            most_frequent,
            suspected_missing: suspects
                .into_iter()
                .map(|marker| MarkerCount {
                    cells: counts.get(&marker).copied().unwrap_or(0),
                    marker,
                })
                .collect(),
        }
    }

    /// Whether this is named as sampling weights are, and has positive numbers only, of which some are no whole numbers, or many
    /// (more than [`FEW_VALUES`]) differ.
    fn perhaps_weights(&self, id: AttrId) -> bool {
        let Some(numbers) = self.numbers(id) else {
            return false;
        };
        if !identifier_name::is_of_weight(&self.attribute(id).name) {
            return false;
        }
        let values = || {
            self.present(id)
                .map(|record| numbers.values[record as usize])
        };
        let mut some: Vec<f64> = Vec::new();
        let are_many = values().any(|value| {
            if !some.contains(&value) {
                some.push(value);
            }
            value.fract() != 0.0 || some.len() > FEW_VALUES
        });
        are_many && values().all(|value| value > 0.0)
    }

    fn present(&self, id: AttrId) -> impl Iterator<Item = u32> {
        let missing = self.missing(id);
        let records = (0..self.n_records()).filter(|&record| !missing.contains(record));
        records.filter_map(|record| u32::try_from(record).ok())
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
}

/// What the cells of an attribute hold.
struct Values {
    distinct: usize,
    range: Option<[f64; 2]>,
    /// Records with the least and the greatest number.
    ends: Option<[usize; 2]>,
    /// A record with it, and the cells.
    most_frequent: Option<(usize, usize)>,
    suspected_missing: Vec<MarkerCount>,
}

/// A number as options and roles files take it: with a decimal point.
fn printed(value: f64) -> String {
    let mut text = Vec::new();
    number::print(value, b'.', &mut text);
    String::from_utf8(text).unwrap_or_default()
}
