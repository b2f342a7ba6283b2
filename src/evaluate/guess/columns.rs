//! The values of both files as numbers of values, so that files can be compared as collections, whatever the order of their records.

use std::{borrow::Cow, collections::BTreeSet};

use rayon::prelude::*;

use crate::table::{AttrId, Scale, Table};

/// Stands for a missing value.
pub const MISSING: u32 = u32::MAX;

/// An attribute that both files have.
#[derive(Debug)]
pub struct Column {
    /// Its name in the original.
    pub name: String,
    /// Its place in either file.
    pub ids: [AttrId; 2],
    /// Its scale in the original.
    pub scale: Scale,
    /// For each record of either file the number of its value: equal values of both files have equal ones, greater numbers greater ones.
    pub codes: [Vec<u32>; 2],
    /// The values by their numbers, where the attribute is one of numbers in both files.
    pub values: Option<Vec<f64>>,
    /// Whether it is one of numbers in the original and of names in the masked file.
    pub became_names: bool,
    /// How often each value occurs in either file, missing ones aside.
    pub counts: [Vec<usize>; 2],
    /// How many records miss it in either file.
    pub gaps: [usize; 2],
}

impl Column {
    /// An attribute of both tables.
    pub fn new(tables: [&Table; 2], ids: [AttrId; 2]) -> Self {
        let numbers = [tables[0].numbers(ids[0]), tables[1].numbers(ids[1])];
        let attribute = tables[0].attribute(ids[0]);
        let (codes, values) = match numbers {
            [Some(before), Some(after)] => {
                let present = [before, after].into_iter().flat_map(|side| {
                    let missing = side.missing;
                    let all = side.values.iter().enumerate();
                    all.filter(|&(record, _)| !missing.contains(record))
                        // So that the two zeros are one value.
                        .map(|(_, &value)| value + 0.0)
                });
                let mut values: Vec<f64> = present.collect();
                values.sort_unstable_by(f64::total_cmp);
                values.dedup_by(|a, b| a.total_cmp(b).is_eq());
                let codes = [before, after].map(|side| {
                    let code = |(record, &value): (usize, &f64)| {
                        let place = values.binary_search_by(|v| v.total_cmp(&(value + 0.0)));
                        match (side.missing.contains(record), place) {
                            (false, Ok(place)) => number(place),
                            _ => MISSING,
                        }
                    };
                    side.values.iter().enumerate().map(code).collect()
                });
                (codes, Some(values))
            }
            _ => (names(tables, ids), None),
        };
        let count = |codes: &Vec<u32>| {
            let greatest = codes.iter().filter(|&&code| code != MISSING).max();
            let mut counts = vec![0; greatest.map_or(0, |&code| code as usize + 1)];
            let mut gaps = 0;
            for &code in codes {
                match code {
                    MISSING => gaps += 1,
                    code => counts[code as usize] += 1,
                }
            }
            (counts, gaps)
        };
        let [(mut before, gaps_before), (mut after, gaps_after)] =
            [&codes[0], &codes[1]].map(count);
        let values_of_both = before.len().max(after.len());
        before.resize(values_of_both, 0);
        after.resize(values_of_both, 0);
        Self {
            name: attribute.name.clone(),
            ids,
            scale: attribute.scale,
            became_names: numbers[0].is_some() && values.is_none(),
            codes,
            values,
            counts: [before, after],
            gaps: [gaps_before, gaps_after],
        }
    }

    /// How many different values either file has.
    pub fn different(&self, side: usize) -> usize {
        self.counts[side].iter().filter(|&&count| count > 0).count()
    }

    /// The numbers of one file in ascending order, if it is an attribute of numbers in both.
    pub fn sorted(&self, side: usize) -> Option<Vec<f64>> {
        let values = self.values.as_ref()?;
        let repeated = values.iter().zip(&self.counts[side]);
        Some(
            repeated
                .flat_map(|(&value, &count)| std::iter::repeat_n(value, count))
                .collect(),
        )
    }

    /// Whether each value of the masked file occurs in the original, as often at least.
    pub fn is_part(&self) -> bool {
        let mut pairs = self.counts[0].iter().zip(&self.counts[1]);
        pairs.all(|(before, after)| after <= before)
    }
}

fn number(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(MISSING - 1)
}

/// The number of each category, in the order of their texts.
fn names(tables: [&Table; 2], ids: [AttrId; 2]) -> [Vec<u32>; 2] {
    let texts = |side: usize| -> Vec<Option<Cow<'_, str>>> {
        let (table, id) = (tables[side], ids[side]);
        let text = |record| (!table.is_missing(record, id)).then(|| table.category(record, id));
        (0..table.n_records()).into_par_iter().map(text).collect()
    };
    let texts = [texts(0), texts(1)];
    let all: BTreeSet<&str> = texts.iter().flatten().flatten().map(Cow::as_ref).collect();
    let all: Vec<&str> = all.into_iter().collect();
    let code = |text: &Option<Cow<'_, str>>| match text {
        None => MISSING,
        Some(text) => all.binary_search(&text.as_ref()).map_or(MISSING, number),
    };
    [0, 1].map(|side: usize| texts[side].iter().map(code).collect())
}

/// For each record of either file a number of its combination of values: equal combinations have equal numbers.
pub fn combinations(columns: &[&Column]) -> [Vec<u32>; 2] {
    let mut codes: [Vec<u32>; 2] = match columns.first() {
        Some(column) => column.codes.clone(),
        None => return [Vec::new(), Vec::new()],
    };
    for column in &columns[1..] {
        let pairs = [0, 1].map(|side: usize| -> Vec<(u32, u32)> {
            let both = codes[side].iter().zip(&column.codes[side]);
            both.map(|(&a, &b)| (a, b)).collect()
        });
        let mut different: Vec<(u32, u32)> = pairs.iter().flatten().copied().collect();
        different.par_sort_unstable();
        different.dedup();
        codes = pairs.map(|pairs| {
            let code = |pair: &(u32, u32)| different.binary_search(pair).map_or(MISSING, number);
            pairs.par_iter().map(code).collect()
        });
    }
    codes
}

/// Whether every combination of values of the masked file occurs in the original, as often at least.
pub fn are_together(columns: &[&Column]) -> bool {
    let [before, after] = combinations(columns).map(sizes);
    let mut pairs = before.iter().zip(after.iter().chain(std::iter::repeat(&0)));
    after.len() <= before.len() && pairs.all(|(before, after)| after <= before)
}

/// How often each number occurs, the missing one last.
pub fn sizes(codes: Vec<u32>) -> Vec<usize> {
    let greatest = codes.iter().filter(|&&code| code != MISSING).max();
    let last = greatest.map_or(0, |&code| code as usize + 1);
    let mut sizes = vec![0; last];
    for code in codes {
        if code != MISSING {
            sizes[code as usize] += 1;
        }
    }
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::ReadOptions;

    fn columns(before: &str, after: &str) -> Vec<Column> {
        let read = |text: &str| {
            Table::read("t.csv", text.as_bytes().to_vec(), &ReadOptions::default()).unwrap()
        };
        let tables = [read(before), read(after)];
        let ids = tables[0].ids().map(|id| [id, id]);
        ids.map(|ids| Column::new([&tables[0], &tables[1]], ids))
            .collect()
    }

    #[test]
    fn combinations_are_compared_as_collections() {
        // The same two attributes in another order of records; in the second masked file b changed places with another record.
        let same = columns("a,b\n1,x\n2,y\n2,\n", "a,b\n2,\n1,x\n2,y\n");
        let all: Vec<&Column> = same.iter().collect();
        assert!(are_together(&all));
        let moved = columns("a,b\n1,x\n2,y\n2,\n", "a,b\n2,x\n1,\n2,y\n");
        let all: Vec<&Column> = moved.iter().collect();
        assert!(moved.iter().all(Column::is_part));
        assert!(!are_together(&all));
    }

    #[test]
    fn zeros_are_one_value_and_gaps_none() {
        let [column] = &columns("a\n0\n5\n-0.0\n\n", "a\n0\n0\n5\nNA\n")[..] else {
            panic!("one attribute")
        };
        assert_eq!(column.values.as_deref(), Some(&[0.0, 5.0][..]));
        assert_eq!(column.counts, [vec![2, 1], vec![2, 1]]);
        assert_eq!(column.gaps, [1, 1]);
        assert_eq!(column.sorted(0), Some(vec![0.0, 0.0, 5.0]));
    }
}
