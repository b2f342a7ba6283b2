//! Nominal attributes as points: what a distance between numbers does with names.

use std::borrow::Cow;

use super::Scenario;
use crate::{
    error::{Counted, Error, ErrorKind, Result},
    table::{Scale, matrix::Matrix},
};

/// The most categories that an attribute may have as points: each is a coordinate.
const MAX_CATEGORIES: usize = 256;

/// Both files with numbers only: a nominal attribute of c > 2 categories is c indicators of 0 and 1, one of two categories
/// stays a single 0 or 1.
#[derive(Debug)]
pub(super) struct Expanded<'a> {
    /// The records that look.
    pub seekers: Cow<'a, Matrix>,
    /// The records among which they look.
    pub sought: Cow<'a, Matrix>,
    /// What each column is.
    pub columns: Vec<Column>,
}

/// A column of an expanded matrix.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Column {
    /// The known attribute behind it.
    pub attribute: usize,
    /// What it holds.
    pub holds: Holds,
}

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Holds {
    /// The values of the attribute.
    Numbers,
    /// The code of the category, one of two.
    Code,
    /// Whether the value is the category with this code.
    Indicator {
        /// The code.
        code: u32,
    },
}

impl<'a> Expanded<'a> {
    /// Expands both files.
    ///
    /// # Errors
    /// Input, when an attribute has too many categories.
    pub fn new(scenario: &Scenario<'a>) -> Result<Self> {
        let (seekers, sought) = (scenario.seekers(), scenario.sought());
        let mut columns = Vec::new();
        for (attribute, name) in scenario.known.iter().enumerate() {
            let plain = |holds| Column { attribute, holds };
            if scenario.scales[attribute] != Scale::Nominal {
                columns.push(plain(Holds::Numbers));
                continue;
            }
            match n_categories(seekers, attribute).max(n_categories(sought, attribute)) {
                0..=2 => columns.push(plain(Holds::Code)),
                many if many > MAX_CATEGORIES => {
                    return Err(Error::too_many(
                        ErrorKind::Input,
                        Counted::Categories,
                        [many as u128, MAX_CATEGORIES as u128],
                        |many, limit| format!("has {many} categories; distances between points take at most {limit}"),
                    )
                    .on_attribute(name)
                    .remedy("Leave it out of --known or --attributes, or use gower or prl, which compare names as they are"));
                }
                many => columns.extend((0..many).map(|code| {
                    plain(Holds::Indicator {
                        code: u32::try_from(code).unwrap_or(u32::MAX),
                    })
                })),
            }
        }
        let is_plain = columns
            .iter()
            .all(|column| !matches!(column.holds, Holds::Indicator { .. }));
        let side = |matrix: &'a Matrix| {
            if is_plain {
                Cow::Borrowed(matrix)
            } else {
                Cow::Owned(expanded(matrix, &columns))
            }
        };
        Ok(Self {
            seekers: side(seekers),
            sought: side(sought),
            columns,
        })
    }
}

fn n_categories(matrix: &Matrix, attribute: usize) -> usize {
    let codes = (0..matrix.n_records()).map(|record| matrix.row(record)[attribute]);
    let greatest = codes.fold(-1.0, f64::max);
    // Codes are numbered from 0; beyond the most that are taken, how many there are only goes into a message.
    (0..=u32::MAX)
        .take_while(|&code| f64::from(code) <= greatest)
        .count()
}

fn expanded(matrix: &Matrix, columns: &[Column]) -> Matrix {
    let mut values = Vec::with_capacity(matrix.n_records() * columns.len());
    for record in 0..matrix.n_records() {
        let row = matrix.row(record);
        values.extend(columns.iter().map(|column| {
            let value = row[column.attribute];
            match column.holds {
                Holds::Numbers | Holds::Code => value,
                Holds::Indicator { code } => {
                    let is_it = value.total_cmp(&f64::from(code)).is_eq();
                    f64::from(u8::from(is_it))
                }
            }
        }));
    }
    let mut points = Matrix::complete(matrix.n_records(), columns.len(), values);
    if !matrix.is_complete() {
        for record in 0..matrix.n_records() {
            for (place, column) in columns.iter().enumerate() {
                if matrix.is_missing(record, column.attribute) {
                    points.set_missing(record, place);
                }
            }
        }
    }
    points
}
