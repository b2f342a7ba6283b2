//! Text that stands for numbers: ordered categories, and dates.

use std::collections::BTreeMap;

use super::Table;
use super::attribute::AttrId;
use super::dates::DateFormat;
use super::encoding::Encoding;
use super::number::Reading;
use crate::error::{Error, Result};

/// What the cells of an attribute of text mean as numbers. Cells keep their text: the numbers are beside it, as those of an attribute
/// of numbers are.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Lexicon {
    /// Categories with an order: the first is 1, the next 2.
    Order(Order),
    /// Days, counted from 1 January 1970.
    Dates(DateFormat),
}

/// Categories with an order.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Order {
    /// As bytes of the file, without quotes.
    categories: Vec<Vec<u8>>,
    /// The rank of each content of a cell: quotes inside may be doubled.
    ranks: BTreeMap<Vec<u8>, u32>,
}

impl Order {
    /// The order of these categories in a file of this encoding.
    ///
    /// # Errors
    /// Input, when the encoding cannot write one.
    pub fn new(categories: &[String], encoding: Encoding) -> Result<Self> {
        let mut order = Self {
            categories: Vec::with_capacity(categories.len()),
            ranks: BTreeMap::new(),
        };
        for (category, rank) in categories.iter().zip(1..) {
            let bytes = encoding.encode(category.trim()).ok_or_else(|| {
                Error::input(format!(
                    "the [order] of the roles file names a category that a file in {} cannot hold",
                    encoding.word()
                ))
            })?;
            let mut doubled = Vec::with_capacity(bytes.len());
            for &byte in &bytes {
                doubled.extend(std::iter::repeat_n(byte, 1 + usize::from(byte == b'"')));
            }
            order.ranks.insert(doubled, rank);
            order.ranks.insert(bytes.clone(), rank);
            order.categories.push(bytes);
        }
        Ok(order)
    }
}

impl Lexicon {
    /// What this content of a cell means; `None` if it is nothing that was stated.
    pub fn read(&self, content: &[u8]) -> Option<Reading> {
        let value = match self {
            Self::Order(order) => f64::from(*order.ranks.get(content)?),
            Self::Dates(format) => f64::from(format.read(content)?),
        };
        Some(Reading {
            value,
            plain_integer: false,
            code: false,
        })
    }

    /// The nearest number that a text stands for; halves go away from zero.
    pub fn nearest(&self, value: f64) -> f64 {
        let [least, most] = match self {
            Self::Order(order) => [1.0, order.categories.len() as f64],
            Self::Dates(_) => DateFormat::RANGE.map(f64::from),
        };
        value.round().clamp(least, most)
    }

    /// The text, without quotes, that stands for the number nearest to this one.
    pub fn text(&self, value: f64) -> Vec<u8> {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the nearest number is a rank, or a day of a year of four digits"
        )]
        match self {
            Self::Order(order) => {
                let place = self.nearest(value) as usize;
                order.categories[place - 1].clone()
            }
            Self::Dates(format) => format.text(self.nearest(value) as i32),
        }
    }

    /// What a cell that means nothing is, for an error.
    pub fn refusal(&self, cells: usize) -> String {
        match self {
            Self::Order(_) => format!(
                "{cells} cells hold a value that the [order] of the roles file does not name, here the first"
            ),
            Self::Dates(format) => format!(
                "{cells} cells are no dates of the form {:?}, as the roles file says they are, here the first",
                format.pattern()
            ),
        }
    }
}

impl Table {
    /// Whether the cells of this attribute are numerals. Ordered categories and dates have numbers and are none.
    pub fn has_numerals(&self, id: AttrId) -> bool {
        let column = &self.columns[id.index()];
        column.numeric && column.lexicon.is_none()
    }

    /// The number that this text stands for in an attribute of ordered categories or of dates.
    pub fn meaning_of(&self, id: AttrId, text: &str) -> Option<f64> {
        let lexicon = self.columns[id.index()].lexicon.as_deref()?;
        let content = self.dialect().encoding.encode(text)?;
        lexicon.read(&content).map(|reading| reading.value)
    }

    /// The text that stands for this number in this attribute: digits with the decimal mark of the file, a category, or a date.
    pub fn text_of(&self, id: AttrId, value: f64) -> String {
        let dialect = self.dialect();
        match self.columns[id.index()].lexicon.as_deref() {
            Some(lexicon) => dialect.encoding.decode(&lexicon.text(value)).into_owned(),
            None => {
                let mark = dialect.decimal_mark.to_string();
                value.to_string().replace('.', &mark)
            }
        }
    }

    /// How the dates of this attribute are written, if a roles file says that it holds dates.
    pub fn date_format(&self, id: AttrId) -> Option<&DateFormat> {
        match self.columns[id.index()].lexicon.as_deref() {
            Some(Lexicon::Dates(format)) => Some(format),
            _ => None,
        }
    }
}
