//! The categories of an attribute by number.

use std::{borrow::Cow, collections::BTreeMap, ops::Range};

use rayon::prelude::*;

use super::{AttrId, Table, distinct_cells::DistinctCells, limits::CHUNK};

/// The categories of an attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Categories<'a> {
    /// For each record the number of its category, from 1; 0 where it is missing.
    pub codes: Vec<u32>,
    /// The categories in the order of their numbers: that in which they first occur.
    pub names: Vec<Cow<'a, str>>,
}

impl Table {
    /// Numbers the [categories](Table::category) of an attribute.
    ///
    /// # Complexity
    /// O(n log c) for c different cells, in parallel; what a cell says is looked at once in some thousand records.
    pub fn categories(&self, id: AttrId) -> Categories<'_> {
        let n = self.n_records();
        let starts: Vec<usize> = (0..n).step_by(CHUNK).collect();
        let parts: Vec<(Vec<u32>, Vec<usize>)> = (starts.into_par_iter())
            .map(|first| self.numbered_cells(id, first..n.min(first + CHUNK)))
            .collect();
        let mut names = Vec::new();
        let mut code_of: BTreeMap<Cow<'_, str>, u32> = BTreeMap::new();
        let mut of_cell = |&record: &usize| {
            let name = self.category(record, id);
            let next = small(names.len() + 1);
            *code_of.entry(name).or_insert_with_key(|name| {
                names.push(name.clone());
                next
            })
        };
        let code_of_parts: Vec<Vec<u32>> = parts
            .iter()
            .map(|(_, firsts)| firsts.iter().map(&mut of_cell).collect())
            .collect();
        let codes =
            (parts.into_par_iter().zip(code_of_parts)).flat_map_iter(|((cells, _), codes)| {
                let code = move |cell: u32| match cell {
                    0 => 0,
                    cell => codes[cell as usize - 1],
                };
                cells.into_iter().map(code)
            });
        Categories {
            codes: codes.collect(),
            names,
        }
    }

    /// For some records, the numbers of their cells from 1 in the order in which these first occur, 0 where one is missing; and for each
    /// different cell the record that has it first.
    fn numbered_cells(&self, id: AttrId, records: Range<usize>) -> (Vec<u32>, Vec<usize>) {
        let mut firsts = Vec::new();
        let mut known = DistinctCells::default();
        let cells = records.map(|record| {
            if self.is_missing(record, id) {
                return 0;
            }
            let number = known.number(self.raw(record, id));
            if number == firsts.len() {
                firsts.push(record);
            }
            small(number + 1)
        });
        (cells.collect(), firsts)
    }
}

/// A number of records, of which a table has at most `u32::MAX`.
fn small(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::ReadOptions;

    /// Against the category of each record, one after the other: short cells and long ones, with quotes, blanks and gaps, in more records than
    /// a task takes.
    #[test]
    fn categories_are_those_of_the_cells_one_by_one() {
        let cells = [
            "a", " a", "\"a\"", "NA", "b", "seven77", "eight888", "\"b\"", "é",
        ];
        let mut text = String::from("x,y\n");
        let mut state = 7_usize;
        for record in 0..3 * CHUNK {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let cell = match (state >> 33) % 50 {
                0 => format!("rare {record}"),
                at => cells[at % if record < CHUNK { 6 } else { cells.len() }].into(),
            };
            text += &format!("{cell},1\n");
        }
        let table = Table::read("t.csv", text.into_bytes(), &ReadOptions::default()).unwrap();
        let id = table.find("x").unwrap();
        let found = table.categories(id);
        let mut names: Vec<Cow<'_, str>> = Vec::new();
        for record in 0..table.n_records() {
            let expected = (!table.is_missing(record, id)).then(|| table.category(record, id));
            let code = match expected {
                None => 0,
                Some(name) => {
                    names
                        .iter()
                        .position(|other| *other == name)
                        .unwrap_or_else(|| {
                            names.push(name);
                            names.len() - 1
                        })
                        + 1
                }
            };
            assert_eq!(found.codes[record] as usize, code, "{record}");
        }
        assert_eq!(found.names, names);
        assert!(names.len() > 100 && found.codes.contains(&0));
    }
}
