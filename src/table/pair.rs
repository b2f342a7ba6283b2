//! An original file and its masked file side by side: what loss and risk of a pair of files are measured on.

use std::{borrow::Cow, collections::BTreeMap};

use super::{AttrId, Categories, Scale, Table, matrix::columns::Columns};

/// The records that both files have, side by side, attribute by attribute.
///
/// Attributes that are numbers in both files are in `numbers`; all others are compared by the names of their categories.
#[derive(Debug, Clone)]
pub struct Pair {
    /// Number of records that both files have.
    pub n_records: usize,
    /// What are numbers in both files.
    pub numbers: PairedNumbers,
    /// What are names in at least one file.
    pub categories: Vec<PairedCategories>,
}

/// Attributes that are numbers in both files: records × attributes, records in the same order.
#[derive(Debug, Clone)]
pub struct PairedNumbers {
    /// The name of each attribute.
    pub names: Vec<String>,
    /// The scale of each attribute in the original file.
    pub scales: Vec<Scale>,
    /// Whether its numbers are amounts: places in an order and days are none, and have no sums, signs or zeros.
    pub are_amounts: Vec<bool>,
    /// The original values.
    pub original: Columns,
    /// The masked values.
    pub masked: Columns,
}

/// An attribute of categories, numbered 0, 1, 2 … so that equal names are equal numbers in both files.
#[derive(Debug, Clone, PartialEq)]
pub struct PairedCategories {
    /// The name of the attribute.
    pub name: String,
    /// Its scale in the original file.
    pub scale: Scale,
    /// The names of the categories of both files.
    pub labels: Vec<String>,
    /// For each record its category, `None` where it is missing.
    pub original: Vec<Option<u32>>,
    /// The same after masking; a suppressed cell is missing.
    pub masked: Vec<Option<u32>>,
}

impl Pair {
    /// Some attributes (each by its place in either file) of the records that both files have (likewise).
    ///
    /// # Panics
    /// If a record or an attribute does not exist.
    pub fn new(tables: [&Table; 2], attributes: &[[AttrId; 2]], records: &[[u32; 2]]) -> Self {
        let of_side = |side: usize| -> Vec<u32> { records.iter().map(|pair| pair[side]).collect() };
        let records = [of_side(0), of_side(1)];
        let are_numbers =
            |ids: &[AttrId; 2]| tables[0].has_numbers(ids[0]) && tables[1].has_numbers(ids[1]);
        let (mut names, mut scales, mut are_amounts) = (Vec::new(), Vec::new(), Vec::new());
        let (mut original, mut masked) = (Vec::new(), Vec::new());
        let mut categories = Vec::new();
        for ids in attributes {
            let attribute = tables[0].attribute(ids[0]);
            if are_numbers(ids) {
                names.push(attribute.name.clone());
                scales.push(attribute.scale);
                are_amounts.push(tables[0].has_numerals(ids[0]));
                original.push(ids[0]);
                masked.push(ids[1]);
            } else {
                categories.push(PairedCategories::new(tables, *ids, &records));
            }
        }
        Self {
            n_records: records[0].len(),
            numbers: PairedNumbers {
                names,
                scales,
                are_amounts,
                original: Columns::gather(tables[0], &original, &records[0]),
                masked: Columns::gather(tables[1], &masked, &records[1]),
            },
            categories,
        }
    }
}

impl Pair {
    /// The attributes of which any record has another value, or a gap in one file only: numbers first.
    pub fn differing(&self) -> Vec<&str> {
        let PairedNumbers {
            names,
            original,
            masked,
            ..
        } = &self.numbers;
        let numbers = (names.iter().enumerate())
            .filter(|&(place, _)| original.cells(place).ne(masked.cells(place)))
            .map(|(_, name)| name.as_str());
        let categories = (self.categories.iter())
            .filter(|attribute| attribute.original != attribute.masked)
            .map(|attribute| attribute.name.as_str());
        numbers.chain(categories).collect()
    }
}

impl PairedCategories {
    fn new(tables: [&Table; 2], ids: [AttrId; 2], records: &[Vec<u32>; 2]) -> Self {
        let mut code_of: BTreeMap<Cow<'_, str>, u32> = BTreeMap::new();
        let [original, masked] = [0, 1].map(|side| {
            let Categories { codes, names } = tables[side].categories(ids[side]);
            // Numbered anew in the order of the pairs, by whatever of each category comes first.
            let mut joint: Vec<Option<u32>> = vec![None; names.len()];
            records[side]
                .iter()
                .map(|&record| {
                    let place = (codes[record as usize] as usize).checked_sub(1)?;
                    let code = joint[place].unwrap_or_else(|| {
                        let next = u32::try_from(code_of.len()).unwrap_or(u32::MAX);
                        *code_of.entry(names[place].clone()).or_insert(next)
                    });
                    joint[place] = Some(code);
                    Some(code)
                })
                .collect::<Vec<_>>()
        });
        let mut labels = vec![String::new(); code_of.len()];
        for (label, code) in code_of {
            labels[code as usize] = label.into_owned();
        }
        let attribute = tables[0].attribute(ids[0]);
        Self {
            name: attribute.name.clone(),
            scale: attribute.scale,
            labels,
            original,
            masked,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::ReadOptions;

    fn table(csv: &str) -> Table {
        Table::read("t.csv", csv.as_bytes().to_vec(), &ReadOptions::default()).unwrap()
    }

    #[test]
    fn numbers_stay_numbers_and_what_was_recoded_becomes_categories() {
        let before = table("age,sex,income\n31,f,100\n45,m,\n52,f,300\n");
        let after = table("age,sex,income\n50-59,f,290\n30-39,*,120\n40-49,m,200\n");
        let ids: Vec<[AttrId; 2]> = before.ids().zip(after.ids()).map(|(a, b)| [a, b]).collect();
        // The masked file is in another order: record 0 is its record 1, 1 its 2, 2 its 0.
        let pair = Pair::new([&before, &after], &ids, &[[0, 1], [1, 2], [2, 0]]);
        assert_eq!(pair.n_records, 3);
        assert_eq!(pair.numbers.names, ["income"]);
        let column = |side: &Columns| side.cells(0).collect::<Vec<_>>();
        assert_eq!(
            column(&pair.numbers.original),
            [Some(100.0), None, Some(300.0)]
        );
        assert_eq!(
            column(&pair.numbers.masked),
            [Some(120.0), Some(200.0), Some(290.0)]
        );
        let [age, sex] = &pair.categories[..] else {
            panic!("two attributes of categories")
        };
        assert_eq!(age.labels.len(), 6);
        assert_eq!(
            (sex.labels.as_slice(), &sex.original),
            (
                &["f".to_string(), "m".to_string()][..],
                &vec![Some(0), Some(1), Some(0)]
            )
        );
        assert_eq!(sex.masked, [None, Some(1), Some(0)]);
    }
}
