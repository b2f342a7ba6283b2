//! Reading TOML with the line of everything that is wrong.

use std::ops::Range;

use serde_json::Value;
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::PlannedRecords;
use crate::{
    error::{Error, Result, line_of, not_toml},
    table::of_known,
};

/// A plan: its name for messages, and its text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'a> {
    pub name: &'a str,
    pub text: &'a str,
}

/// A key of a table with its value and its line.
#[derive(Debug, Clone)]
pub(super) struct Entry<'t, 'a> {
    pub key: String,
    pub line: u64,
    pub value: &'t Spanned<DeValue<'a>>,
}

impl<'a> Source<'a> {
    /// The file as TOML.
    pub fn table(self) -> Result<DeTable<'a>> {
        DeTable::parse(self.text)
            .map(Spanned::into_inner)
            .map_err(|error| not_toml(self.text, &error).in_file(self.name))
    }

    pub fn line(self, span: &Range<usize>) -> u64 {
        line_of(self.text, span.start)
    }

    pub fn error(self, line: u64, what: impl Into<String>) -> Error {
        Error::input(what).in_file(self.name).at_line(line)
    }

    /// The keys of a table in the order of the file.
    pub fn entries<'t>(self, table: &'t DeTable<'a>) -> Vec<Entry<'t, 'a>> {
        let mut entries: Vec<_> = table.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        entries
            .into_iter()
            .map(|(key, value)| Entry {
                key: key.get_ref().to_string(),
                line: self.line(&key.span()),
                value,
            })
            .collect()
    }

    /// A value that an option can have: a text, a finite number, true or false, or a list of such.
    pub fn value(self, key: &str, value: &Spanned<DeValue<'_>>) -> Result<Value> {
        let wrong = |what: &str| Err(self.error(self.line(&value.span()), format!("{key} {what}")));
        match value.get_ref() {
            DeValue::String(text) => Ok(Value::String(text.to_string())),
            DeValue::Boolean(flag) => Ok(Value::Bool(*flag)),
            DeValue::Integer(number) => {
                match i64::from_str_radix(number.as_str(), number.radix()) {
                    Ok(number) => Ok(number.into()),
                    Err(_) => wrong("is a number far out of range"),
                }
            }
            DeValue::Float(number) => {
                let finite = number.as_str().parse::<f64>().ok();
                match finite.and_then(serde_json::Number::from_f64) {
                    Some(number) => Ok(Value::Number(number)),
                    None => wrong("must be a number"),
                }
            }
            DeValue::Array(list) => list.iter().map(|item| self.value(key, item)).collect(),
            DeValue::Datetime(_) => wrong("is a date: write it in quotes"),
            DeValue::Table(_) => wrong("is a table; it must be a value, or a list of values"),
        }
    }

    pub fn text(self, entry: &Entry<'_, '_>) -> Result<String> {
        match entry.value.get_ref() {
            DeValue::String(text) => Ok(text.to_string()),
            _ => Err(self.error(
                entry.line,
                format!("{} must be a text in quotes", entry.key),
            )),
        }
    }

    /// A text, or a list of texts.
    pub fn texts(self, entry: &Entry<'_, '_>) -> Result<Vec<String>> {
        let wrong = || {
            self.error(
                entry.line,
                format!("{} must be a list of texts: [\"...\", \"...\"]", entry.key),
            )
        };
        match self.value(&entry.key, entry.value)? {
            Value::String(text) => Ok(vec![text]),
            Value::Array(list) => list
                .into_iter()
                .map(|item| match item {
                    Value::String(text) => Ok(text),
                    _ => Err(wrong()),
                })
                .collect(),
            _ => Err(wrong()),
        }
    }

    /// A whole number that is not negative.
    pub fn whole(self, entry: &Entry<'_, '_>) -> Result<u64> {
        self.value(&entry.key, entry.value)?
            .as_u64()
            .ok_or_else(|| {
                self.error(
                    entry.line,
                    format!("{} must be a whole number, 0 or more", entry.key),
                )
            })
    }

    /// A number of records, or the name of a file of them.
    pub fn records(self, entry: &Entry<'_, '_>) -> Result<PlannedRecords> {
        let number = match self.value(&entry.key, entry.value)? {
            Value::String(text) => match text.parse() {
                Ok(count) => Some(count),
                Err(_) => return Ok(PlannedRecords::Listed(text)),
            },
            value => value.as_u64().and_then(|count| count.try_into().ok()),
        };
        number.map(PlannedRecords::Drawn).ok_or_else(|| {
            self.error(
                entry.line,
                "records must be a number, or the name of a file",
            )
        })
    }

    /// A number of masked files.
    pub fn repeats(self, entry: &Entry<'_, '_>) -> Result<u32> {
        let repeats = u32::try_from(self.whole(entry)?).ok();
        let repeats = repeats.filter(|&repeats| repeats > 0);
        repeats.ok_or_else(|| self.error(entry.line, "repeats must be a whole number, 1 or more"))
    }

    /// What each of the tables of `[[key]]` says.
    pub fn tables<T>(
        self,
        entry: &Entry<'_, 'a>,
        read: impl Fn(Self, u64, &DeTable<'a>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let wrong = || {
            self.error(
                entry.line,
                format!("{} must be tables: [[{}]]", entry.key, entry.key),
            )
        };
        let list = entry.value.get_ref().as_array().ok_or_else(wrong)?;
        let tables = list.iter().map(|item| {
            let table = item.get_ref().as_table().ok_or_else(wrong)?;
            Ok((self.line(&item.span()), table))
        });
        let tables = tables.collect::<Result<Vec<_>>>()?;
        let read = |(line, table)| read(self, line, table);
        tables.into_iter().map(read).collect()
    }

    /// That something holds.
    ///
    /// # Errors
    /// Input, with the line if it is about one, and what to do about it.
    pub fn ensure(
        self,
        holds: bool,
        line: Option<u64>,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Result<()> {
        if holds {
            return Ok(());
        }
        let error = Error::input(what).in_file(self.name).remedy(remedy);
        Err(match line {
            Some(line) => error.at_line(line),
            None => error,
        })
    }

    /// What a table of this line must have.
    ///
    /// # Errors
    /// Input, when it is absent.
    pub fn required<T>(self, value: Option<T>, line: u64, what: &str, remedy: &str) -> Result<T> {
        value.ok_or_else(|| self.error(line, what).remedy(remedy))
    }

    /// A key that nobody knows.
    pub fn unknown(self, entry: &Entry<'_, '_>, place: &str, known: &[&str]) -> Error {
        self.error(entry.line, format!("{place} has no key {:?}", entry.key))
            .remedy(of_known(&entry.key, known))
    }
}
