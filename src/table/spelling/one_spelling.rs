//! Puts attributes into one spelling: that of most cells for what is there, the mark of most for what is missing.

use std::{collections::BTreeMap, sync::Arc};

use rayon::prelude::*;

use super::{
    Around, Spelling,
    numerals::Numerals,
    votes::{Plain, Votes},
};
use crate::table::{
    AttrId, Table,
    cell::content,
    limits::CHUNK,
    missing::{is_default_marker, is_numeric_marker},
    number,
};

/// The one spelling of an attribute, and the cells that are written otherwise.
struct Plan {
    spelling: Spelling,
    /// Cells in the one spelling, each once.
    cells: Vec<Vec<u8>>,
    /// For each record that is spelled otherwise its cell.
    odd: Vec<(usize, u32)>,
    /// Whether the spelling prints each cell from its number.
    by_number: bool,
}

impl Table {
    /// The table in which each of these attributes is spelled in one way, and those of them that were spelled in several.
    ///
    /// Every value stays the same number (to the last digit that is written) or the same text but for blanks around it. Of cells
    /// that miss their value, those that are empty or hold a usual marker get the one that most of them have; stated codes stay
    /// apart, each in the spelling of most. From now on new numbers and texts of the attribute are written in its spelling, too.
    ///
    /// # Complexity
    /// Reads no cell of numbers as the file has them, if these are of digits alone; else each cell up to twice. 4 bytes a record for attributes of several spellings.
    #[must_use]
    pub fn in_one_spelling(mut self, ids: &[AttrId]) -> (Self, Vec<AttrId>) {
        let plans: Vec<Plan> = ids.par_iter().map(|&id| self.plan(id)).collect();
        let mut mixed = Vec::new();
        for (&id, plan) in ids.iter().zip(plans) {
            let n_records = self.n_records();
            let column = &mut self.columns[id.index()];
            if !plan.odd.is_empty() {
                let mut codes = vec![Self::AS_IT_IS; n_records];
                for (record, code) in plan.odd {
                    codes[record] = code;
                }
                column.replace(codes, plan.cells);
                mixed.push(id);
            }
            column.spelling = Some(Arc::new(plan.spelling));
            column.by_number = plan.by_number;
        }
        (self, mixed)
    }

    /// Records of which the cell of this attribute is spelled otherwise than most are.
    pub fn oddly_spelled(&self, id: AttrId) -> usize {
        self.plan(id).odd.len()
    }

    /// The most decimals of a number of this attribute as the file has them; `None` if nothing put it into one spelling.
    pub fn decimals(&self, id: AttrId) -> Option<usize> {
        let spelling = self.columns[id.index()].spelling.as_deref();
        spelling.map(Spelling::decimals)
    }

    fn plan(&self, id: AttrId) -> Plan {
        let column = &self.columns[id.index()];
        let (numeric, syntax) = (self.has_numerals(id), self.file.syntax);
        let delimiter = self.file.dialect.delimiter;
        let chunks = || {
            let starts: Vec<usize> = (0..self.n_records()).step_by(CHUNK).collect();
            starts
                .into_par_iter()
                .map(|first| first..self.n_records().min(first + CHUNK))
        };
        let present = |record: &usize| !column.missing.contains(*record);
        let plain = if !numeric {
            Plain::default()
        } else if self.order.is_none() && column.is_as_read() {
            column.plain
        } else {
            self.plain(id)
        };
        let by_number = numeric && plain.is_printed_from_numbers();
        let plain = numeric.then(|| plain.spelling(delimiter, syntax)).flatten();
        let mut plan = Plan {
            spelling: Spelling {
                lexicon: None,
                around: Around::default(),
                delimiter,
                numbers: Numerals::plain(syntax),
            },
            cells: Vec::new(),
            odd: Vec::new(),
            by_number: by_number && plain.is_some(),
        };
        let mut otherwise: Vec<(usize, Vec<u8>)> = match plain {
            Some(spelling) => {
                plan.spelling = spelling;
                Vec::new()
            }
            None => {
                plan.spelling = chunks()
                    .map(|records| {
                        let mut votes = Votes::default();
                        for record in records.filter(present) {
                            votes.add(&self.raw(record, id), numeric, delimiter, &syntax);
                        }
                        votes
                    })
                    .reduce(Votes::default, Votes::join)
                    .spelling(delimiter, syntax);
                plan.spelling.lexicon.clone_from(&column.lexicon);
                chunks()
                    .flat_map_iter(|records| {
                        let (mut found, mut cell) = (Vec::new(), Vec::new());
                        for record in records.filter(present) {
                            let raw = self.raw(record, id);
                            if numeric && plan.spelling.is_number_of_it(&raw) {
                                continue;
                            }
                            cell.clear();
                            plan.spelling.respell(&raw, numeric, &mut cell);
                            if cell != *raw {
                                found.push((record, cell.clone()));
                            }
                        }
                        found
                    })
                    .collect()
            }
        };
        otherwise.extend(self.gaps_otherwise(id));
        let mut codes: BTreeMap<Vec<u8>, u32> = BTreeMap::new();
        for (record, cell) in otherwise {
            // Fewer cells than records, whose number a u32 holds.
            let next = u32::try_from(codes.len()).unwrap_or(Self::AS_IT_IS);
            plan.odd.push((record, *codes.entry(cell).or_insert(next)));
        }
        let mut cells: Vec<(Vec<u8>, u32)> = codes.into_iter().collect();
        cells.sort_by_key(|&(_, code)| code);
        plan.cells = cells.into_iter().map(|(cell, _)| cell).collect();
        plan
    }

    /// What the numbers of an attribute have in common, from every cell of it.
    fn plain(&self, id: AttrId) -> Plain {
        let missing = &self.columns[id.index()].missing;
        let plain_of = |first| {
            let mut plain = Plain::default();
            let last = self.n_records().min(first + CHUNK);
            for record in (first..last).filter(|&record| !missing.contains(record)) {
                plain.add(&self.raw(record, id), &self.file.syntax);
            }
            plain
        };
        let starts: Vec<usize> = (0..self.n_records()).step_by(CHUNK).collect();
        let parts = starts.into_par_iter().map(plain_of);
        parts.reduce(Plain::default, Plain::join)
    }

    /// Records that miss this attribute and mark it otherwise than most that mean the same do, with the mark of most.
    fn gaps_otherwise(&self, id: AttrId) -> Vec<(usize, Vec<u8>)> {
        let column = &self.columns[id.index()];
        let mut kinds: BTreeMap<Gap, BTreeMap<Vec<u8>, usize>> = BTreeMap::new();
        let kind = |raw: &[u8]| -> Gap {
            let inside = content(raw);
            if is_default_marker(inside) || is_numeric_marker(inside) {
                return Gap::Usual;
            }
            match number::read(inside, &self.file.syntax) {
                Some(reading) => Gap::Number(reading.value.to_bits()),
                None => Gap::Text(inside.to_vec()),
            }
        };
        for record in column.missing.records() {
            let raw = self.raw(record, id);
            *kinds
                .entry(kind(&raw))
                .or_default()
                .entry(raw.into_owned())
                .or_default() += 1;
        }
        if kinds.values().all(|spellings| spellings.len() == 1) {
            return Vec::new();
        }
        let usual: BTreeMap<&Gap, &Vec<u8>> = kinds
            .iter()
            .filter_map(|(kind, spellings)| {
                let most = spellings
                    .iter()
                    .max_by(|a, b| a.1.cmp(b.1).then(b.0.cmp(a.0)));
                most.map(|(raw, _)| (kind, raw))
            })
            .collect();
        column
            .missing
            .records()
            .filter_map(|record| {
                let raw = self.raw(record, id);
                let cell = *usual.get(&kind(&raw))?;
                (*cell != *raw).then(|| (record, cell.clone()))
            })
            .collect()
    }
}

/// What the mark of a missing value means.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    /// That it is missing: an empty cell, `NA` and the like.
    Usual,
    /// A stated code that is a number.
    Number(u64),
    /// A stated code that is none.
    Text(Vec<u8>),
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::table::{ReadOptions, Table};

    proptest! {
        /// What reading a file says of how its numbers are spelled is what a look at every cell of the table says.
        #[test]
        fn reading_sees_how_numbers_are_spelled(
            picks in prop::collection::vec((0..20_usize, 0..8_usize), 1..80),
            codes: bool,
        ) {
            let odd = [
                "7", "0", "-3", "2.50", "1e5", "0.00001", " 4", "\"5\"", "", "NA", "NaN", "-9", "12345678901234567890", "1,5",
                "3.", ".5", "-0", "+1", "01", "x",
            ];
            let texts: Vec<&str> = picks.iter().map(|&(one, _)| odd[if codes { one } else { one % 17 }]).collect();
            let rows: Vec<String> = (texts.iter().zip(&picks))
                .map(|(text, &(_, few))| format!("{text};{};{few}1", odd[few]))
                .collect();
            let text = format!("a;b;c\n{}\n", rows.join("\n"));
            let options = ReadOptions { delimiter: Some(b';'), na: Some(vec![String::new(), "NA".into(), "-9".into()]), ..ReadOptions::default() };
            let table = Table::read("t.csv", text.into_bytes(), &options).unwrap();
            for id in table.ids().filter(|&id| table.has_numerals(id)) {
                prop_assert_eq!(table.columns[id.index()].plain, table.plain(id));
            }
        }
    }
}
