//! A confidential attribute, and what the groups of a key reveal about it.

use super::classes::KeyClasses;
use crate::{
    figure::{Definition, Figure, Part},
    stats::keys::{column, is_ordered},
    table::{AttrId, Table},
};

/// A confidential attribute as codes.
#[derive(Debug, Clone, PartialEq)]
pub struct Confidential {
    /// The attribute as its file names it.
    pub name: String,
    /// Whether codes ascend with values.
    pub ordered: bool,
    /// For each record its value, 1, 2, …; 0 is missing.
    pub codes: Vec<u32>,
    /// How many different values there are.
    pub n_values: u32,
}

impl Confidential {
    /// An attribute of a table: numbers are ordered, names are not, nor are numbers too large to be exact.
    pub fn of_table(table: &Table, attribute: AttrId) -> Self {
        let codes = column(table, attribute);
        Self {
            name: table.attribute(attribute).name.clone(),
            ordered: is_ordered(table, attribute),
            n_values: codes.iter().copied().max().unwrap_or(0),
            codes,
        }
    }

    /// The codes of some records that are not missing, ascending.
    pub(super) fn sorted(&self, records: &[u32]) -> Vec<u32> {
        let codes = records.iter().map(|&record| self.codes[record as usize]);
        let mut codes: Vec<u32> = codes.filter(|&code| code != 0).collect();
        codes.sort_unstable();
        codes
    }

    /// How often each of their values occurs in some records.
    pub(super) fn counts(&self, records: &[u32]) -> Vec<u32> {
        let codes = self.sorted(records);
        let equal = codes.chunk_by(|a, b| a == b);
        equal
            .map(|equal| u32::try_from(equal.len()).unwrap_or(u32::MAX))
            .collect()
    }
}

/// Why a figure of confidential attributes has no value.
pub(super) fn why_not(classes: &KeyClasses, confidential: &[Confidential]) -> Option<&'static str> {
    if confidential.is_empty() {
        Some("no attribute is confidential; --confidential or a roles file names them")
    } else if classes.keyed() == 0 {
        Some(super::classes::NO_KEY)
    } else if confidential.iter().all(|attribute| attribute.n_values == 0) {
        Some("no confidential attribute has a value")
    } else {
        None
    }
}

/// A figure that is the worst of the values of its attributes, which are its parts.
pub(super) fn worst(
    what: &'static Definition,
    confidential: &[Confidential],
    values: &[Option<f64>],
    counted: u64,
    worse: fn(f64, f64) -> f64,
) -> Figure {
    let figure = match values.iter().copied().flatten().reduce(worse) {
        Some(value) => Figure::new(what, value, counted),
        None => Figure::undefined(what, "no confidential attribute has a value"),
    };
    figure.with_parts(parts(confidential, values))
}

/// Values by attribute.
pub(super) fn parts(confidential: &[Confidential], values: &[Option<f64>]) -> Vec<Part> {
    let part = |(attribute, &value): (&Confidential, &Option<f64>)| Part {
        name: attribute.name.clone(),
        value,
    };
    confidential.iter().zip(values).map(part).collect()
}
