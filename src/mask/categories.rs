//! Categories: what they are called, those that rules name found in the cells of a table, and records of equal ones.

use std::{borrow::Cow, collections::BTreeMap};

use crate::table::{AttrId, Table};

/// Named categories of an attribute.
pub(super) struct Categories<F> {
    /// Each category, and what is to become of it.
    pub fates: Vec<(String, F)>,
    /// Whether the attribute is one of numerals.
    numeric: bool,
    /// For an attribute of names: the place of each in `fates`.
    names: BTreeMap<String, usize>,
    /// For an attribute of numbers: the same, ascending.
    numbers: Vec<(f64, usize)>,
}

impl<F> Categories<F> {
    /// Categories of an attribute of numbers or of names, in a file with this decimal mark.
    ///
    /// # Errors
    /// What is wrong: two categories are the same number.
    pub fn new(
        fates: Vec<(String, F)>,
        numeric: bool,
        mark: char,
    ) -> std::result::Result<Self, String> {
        let mut names = BTreeMap::new();
        let mut numbers: Vec<(f64, usize)> = Vec::new();
        for (place, (category, _)) in fates.iter().enumerate() {
            if numeric {
                // What is not a number is not a value of the attribute: a note counts such cells.
                numbers.extend(number(category, mark).map(|number| (number, place)));
            } else {
                names.insert(category.clone(), place);
            }
        }
        numbers.sort_by(|a, b| a.0.total_cmp(&b.0));
        if let Some(pair) = numbers
            .windows(2)
            .find(|pair| pair[0].0.total_cmp(&pair[1].0).is_eq())
        {
            let name = |place: usize| &fates[place].0;
            return Err(format!(
                "the categories {:?} and {:?} are the same number",
                name(pair[0].1),
                name(pair[1].1)
            ));
        }
        Ok(Self {
            fates,
            numeric,
            names,
            numbers,
        })
    }

    /// The place of the category that a record has, if it is named.
    pub fn of_record(&self, table: &Table, record: usize, attribute: AttrId) -> Option<usize> {
        if self.fates.is_empty() || table.is_missing(record, attribute) {
            return None;
        }
        if let Some(numbers) = table.numbers(attribute).filter(|_| self.numeric) {
            let value = numbers.values[record] + 0.0;
            let found = self
                .numbers
                .binary_search_by(|(number, _)| number.total_cmp(&value));
            return found.ok().map(|at| self.numbers[at].1);
        }
        self.names.get(&*table.category(record, attribute)).copied()
    }
}

/// What the category of a cell is called: its text, of numbers the number with a decimal point.
pub(super) fn name(table: &Table, record: usize, id: AttrId) -> Cow<'_, str> {
    match table.numbers(id) {
        Some(numbers) => (numbers.values[record] + 0.0).to_string().into(),
        None => table.category(record, id),
    }
}

/// A combination of categories; none where one is missing.
pub(super) type Stratum = Vec<Option<String>>;

/// The records of each combination of categories of some attributes, in the order of their names. A missing value is a category of its own;
/// without attributes the file is one stratum.
pub(super) fn strata(table: &Table, of: &[AttrId]) -> BTreeMap<Stratum, Vec<u32>> {
    let mut strata: BTreeMap<Stratum, Vec<u32>> = BTreeMap::new();
    for (place, record) in (0_u32..).zip(0..table.n_records()) {
        let category = |&id: &AttrId| {
            let is_there = !table.is_missing(record, id);
            is_there.then(|| name(table, record, id).into_owned())
        };
        let stratum = of.iter().map(category).collect();
        strata.entry(stratum).or_default().push(place);
    }
    strata
}

/// A category as a number: with a decimal point, or else with the file's mark.
pub(super) fn number(category: &str, mark: char) -> Option<f64> {
    let plain = |text: &str| {
        text.bytes()
            .all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte))
    };
    let parsed = |text: &str| {
        text.parse::<f64>()
            .ok()
            .filter(|number| plain(text) && number.is_finite())
    };
    parsed(category)
        .or_else(|| parsed(&category.replace(mark, ".")))
        .map(|number| number + 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories_of_numbers_are_compared_by_value() {
        assert_eq!(number("1.50", ','), Some(1.5));
        assert_eq!(number("1,5", ','), Some(1.5));
        assert_eq!(number("1,5", '.'), None);
        assert_eq!(number("inf", '.'), None);
    }
}
