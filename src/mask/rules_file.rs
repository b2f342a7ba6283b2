//! What recoding and suppression share in reading their rules files: TOML with the line of everything that is wrong.

use std::ops::Range;

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use crate::{
    error::{Error, Reason, Result, line_of, not_toml},
    table::BLANKS,
};

/// A rules file: its name for messages, and its text.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub name: &'a str,
    pub text: &'a str,
}

/// A value of the file, with its place.
pub(super) type Value<'a> = Spanned<DeValue<'a>>;

impl<'a> Source<'a> {
    /// The file as TOML.
    pub fn table(self) -> Result<DeTable<'a>> {
        DeTable::parse(self.text)
            .map(Spanned::into_inner)
            .map_err(|error| not_toml(self.text, &error).in_file(self.name))
    }

    /// The line of this place, from 1.
    pub fn line(self, span: Range<usize>) -> u64 {
        line_of(self.text, span.start)
    }

    /// What is wrong at this place.
    pub fn error(self, span: Range<usize>, what: impl Into<String>) -> Error {
        Error::input(what)
            .in_file(self.name)
            .at_line(self.line(span))
    }

    /// A finite number.
    pub fn number(self, key: &str, value: &Value<'_>) -> Result<f64> {
        let number = match value.get_ref() {
            DeValue::Integer(_) | DeValue::Float(_) => category(value.get_ref())
                .and_then(|text| text.parse::<f64>().ok())
                .filter(|number| number.is_finite()),
            _ => None,
        };
        number.map(|number| number + 0.0).ok_or_else(|| {
            self.error(value.span(), format!("{key} must be a number"))
                .because(Reason::NotANumber)
                .remedy("Numbers have a decimal point here, whatever mark the data file has")
        })
    }

    /// A list that is not empty.
    pub fn list<'v>(
        self,
        key: &str,
        value: &'v Value<'a>,
    ) -> Result<impl Iterator<Item = &'v Value<'a>>> {
        match value.get_ref().as_array() {
            Some(list) if list.is_empty() => Err(self.error(
                value.span(),
                format!("{key} is empty: it can have no effect"),
            )),
            Some(list) => Ok(list.iter()),
            None => Err(self.error(value.span(), format!("{key} must be a list: [ ..., ... ]"))),
        }
    }

    /// A table that is not empty.
    pub fn section<'v>(self, key: &str, value: &'v Value<'a>) -> Result<&'v DeTable<'a>> {
        match value.get_ref().as_table() {
            Some(table) if table.is_empty() => Err(self.error(
                value.span(),
                format!("{key} is empty: it can have no effect"),
            )),
            Some(table) => Ok(table),
            None => Err(self.error(value.span(), format!("{key} must be a section: [{key}]"))),
        }
    }

    /// A list of categories, each once.
    pub fn categories(self, key: &str, value: &Value<'a>) -> Result<Vec<String>> {
        let mut categories: Vec<String> = Vec::new();
        for item in self.list(key, value)? {
            let category = self.category(key, item)?;
            if categories.contains(&category) {
                return Err(self
                    .error(item.span(), format!("{key} names {category:?} twice"))
                    .because(Reason::NamedTwice { name: category }));
            }
            categories.push(category);
        }
        Ok(categories)
    }

    fn category(self, key: &str, value: &Value<'_>) -> Result<String> {
        category(value.get_ref()).ok_or_else(|| {
            self.error(
                value.span(),
                format!("{key} must name categories: words in quotes, or numbers"),
            )
        })
    }

    /// A text that is to stand in cells.
    pub fn label(self, key: &str, value: &Value<'_>) -> Result<String> {
        let label = match value.get_ref() {
            DeValue::String(text) => Some(text.clone().into_owned()),
            number @ DeValue::Integer(_) => category(number),
            _ => None,
        };
        let label = label.ok_or_else(|| {
            self.error(
                value.span(),
                format!("{key} must be a text in quotes or a whole number"),
            )
            .remedy("Write other numbers in quotes, as the data file writes them")
        })?;
        if !label.trim_matches(BLANKS).is_empty() {
            Ok(label)
        } else {
            Err(self
                .error(
                    value.span(),
                    format!("{key} is an empty text, which stands for a missing value"),
                )
                .remedy("To make values missing, use suppress = [ ... ]"))
        }
    }
}

/// The text of a category, without blanks around it.
fn category(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.trim_matches(BLANKS).to_owned()),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .ok()
            .map(|number| number.to_string()),
        // As written: 1.0 among names is the name 1.0.
        DeValue::Float(number) => Some(number.as_str().to_owned()),
        _ => None,
    }
}
