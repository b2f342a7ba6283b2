//! What a method may do to a table; everything else stays as the file has it.

use std::sync::{Arc, OnceLock, Weak};

use rayon::prelude::*;

use super::attribute::AttrId;
use super::replace::Replaced;
use super::{Column, RecordSet, Table};

impl Table {
    /// The table in which record `r` has the cell of this attribute (text, number, missing or not) that record
    /// `donors[r]` has now: a swapped value keeps its very bytes.
    ///
    /// # Panics
    /// If `donors` is not one record's place for each record.
    ///
    /// # Complexity
    /// Keeps `donors`, 4 bytes a record, and lets the numbers go, 8 bytes a record, until they are asked for. Where the cells of the
    /// attribute are what its one spelling prints for their numbers, and the text of the file is there, it keeps the numbers instead.
    #[must_use]
    pub fn with_donors(mut self, id: AttrId, donors: Vec<u32>) -> Self {
        let n_records = self.n_records();
        assert_eq!(donors.len(), n_records, "one donor a record");
        assert!(
            donors.iter().all(|&donor| (donor as usize) < n_records),
            "donors are records"
        );
        let column = &self.columns[id.index()];
        // Of a text that was let go the cells are at hand: numbers need not be kept for their sake.
        let by_number = column.by_number && (column.printed || !self.is_condensed());
        if by_number {
            // From now on the numbers are what is written.
            let _ = self.numbers(id);
            self.columns[id.index()].printed = true;
        }
        let order = self.order.clone();
        let column = &mut self.columns[id.index()];
        let is_first_move = order.is_none() && column.donors.is_none() && !column.printed;
        let unmoved = column.values.get().filter(|_| is_first_move);
        let unmoved = unmoved.map(Arc::downgrade).unwrap_or_default();
        column.gather(&donors);
        column.unmoved = unmoved;
        let stays = |record: usize| donors[record] as usize == record;
        if by_number && column.donors.is_none() && column.missing.records().all(stays) {
            return self;
        }
        column.donors = Some(match column.donors.take().or(order) {
            None => Arc::new(donors),
            Some(sources) => Arc::new(gathered(&sources, &donors)),
        });
        self
    }

    /// The table with these numbers in the cells of this attribute that are not missing.
    ///
    /// A number is printed in the shortest form that reads back to it, with the file's decimal mark, quoted only if
    /// it must be; in an attribute that was put into one spelling, in that. A cell whose number did not change keeps its bytes; a
    /// missing cell stays as it is.
    ///
    /// In an attribute of ordered categories or of dates the category or the day is written that is nearest to the number.
    ///
    /// A new number can be equal to a code for missing values of the attribute, and then reads back as missing.
    ///
    /// # Panics
    /// If the attribute is nominal, or `values` is not one finite number a record (anything where it is missing).
    #[must_use]
    pub fn with_numbers(mut self, id: AttrId, mut values: Vec<f64>) -> Self {
        assert_eq!(values.len(), self.n_records(), "one number a record");
        let column = &mut self.columns[id.index()];
        assert!(column.numeric, "the attribute is one of numbers");
        for record in column.missing.records() {
            values[record] = 0.0;
        }
        for value in &mut values {
            assert!(value.is_finite(), "numbers are finite");
            // There is one zero: adding it to the negative one gives it.
            *value += 0.0;
        }
        if let Some(lexicon) = &column.lexicon {
            for (record, value) in values.iter_mut().enumerate() {
                if !column.missing.contains(record) {
                    *value = lexicon.nearest(*value);
                }
            }
        }
        let replaced = self.texts_that_keep(id, &values);
        let column = &mut self.columns[id.index()];
        column.values = OnceLock::from(Arc::new(values));
        column.printed = true;
        column.replaced = replaced;
        self
    }

    /// The new texts of an attribute without those that these numbers replace.
    fn texts_that_keep(&self, id: AttrId, values: &[f64]) -> Option<Arc<Replaced>> {
        let column = &self.columns[id.index()];
        let replaced = column.replaced.as_ref()?;
        let old = self.numbers(id)?.values;
        let mut codes = replaced.codes.clone();
        for (record, code) in codes.iter_mut().enumerate() {
            let same = old[record].total_cmp(&(values[record] + 0.0)).is_eq();
            if !same && !column.missing.contains(record) {
                *code = Self::AS_IT_IS;
            }
        }
        Some(Arc::new(Replaced {
            codes,
            cells: replaced.cells.clone(),
        }))
    }

    /// The table without these attributes. Those that stay get new [`AttrId`]s.
    #[must_use]
    pub fn without(mut self, ids: &[AttrId]) -> Self {
        let mut keep = vec![true; self.attributes.len()];
        for id in ids {
            keep[id.index()] = false;
        }
        let mut places = keep.iter();
        self.attributes.retain(|_| places.next() == Some(&true));
        let mut places = keep.iter();
        self.columns.retain(|_| places.next() == Some(&true));
        self
    }

    /// The table whose record `r` is the record `order[r]` of this one; `order` may leave records out.
    ///
    /// Line ends and blank lines between records keep their places, so they do not give the old order away.
    ///
    /// # Panics
    /// If `order` names a record that there is not, or one twice.
    #[must_use]
    pub fn reordered(mut self, order: Vec<u32>) -> Self {
        let mut seen = vec![false; self.n_records()];
        for &record in &order {
            let twice = std::mem::replace(&mut seen[record as usize], true);
            assert!(!twice, "each record is there once");
        }
        for column in &mut self.columns {
            column.gather(&order);
            if let Some(donors) = &column.donors {
                column.donors = Some(Arc::new(gathered(donors, &order)));
            }
        }
        self.order = Some(match &self.order {
            None => Arc::new(order),
            Some(sources) => Arc::new(gathered(sources, &order)),
        });
        self
    }
}

/// Records of a table, in order, and the table that was made of them.
pub type Part = (Vec<u32>, Table);

impl Table {
    /// The table whose cells of these attributes are those of its parts, each of which was made of some records of this table
    /// ([`reordered`](Self::reordered)) and changed since; all other attributes are as they are here.
    ///
    /// # Panics
    /// If the parts are not of this file, do not have each record once, or disagree whether an attribute is one of numbers.
    #[must_use]
    pub fn with_parts(mut self, ids: &[AttrId], parts: &[Part]) -> Self {
        let n_records = self.n_records();
        let mut part_of = vec![u32::MAX; n_records];
        for ((records, table), number) in parts.iter().zip(0..) {
            assert!(Arc::ptr_eq(&table.file, &self.file), "parts of this file");
            assert_eq!(table.n_records(), records.len(), "a part has its records");
            for &record in records {
                let part = std::mem::replace(&mut part_of[record as usize], number);
                assert_eq!(part, u32::MAX, "each record is in one part");
            }
        }
        assert!(!part_of.contains(&u32::MAX), "each record is in a part");
        for &id in ids {
            let Some((_, first)) = parts.first() else {
                continue;
            };
            let column = |table: &Self| table.columns[id.index()].clone();
            let mut joined = column(first);
            let same = |(_, table): &Part| table.columns[id.index()].numeric == joined.numeric;
            assert!(parts.iter().all(same), "numbers or names");
            joined.printed = parts.iter().any(|(_, table)| column(table).printed);
            joined.by_number = parts.iter().all(|(_, table)| column(table).by_number);
            joined.values = if joined.printed {
                let values = scattered(n_records, parts, |table| {
                    let numbers = table.numbers(id).map(|numbers| numbers.values.to_vec());
                    numbers.unwrap_or_else(|| vec![0.0; table.n_records()])
                });
                OnceLock::from(Arc::new(values))
            } else {
                OnceLock::new()
            };
            let set = |of: fn(&Column) -> &RecordSet| {
                let mut words = vec![0_u64; n_records.div_ceil(64)];
                for (records, table) in parts {
                    for record in of(&table.columns[id.index()]).records() {
                        let record = records[record];
                        words[record as usize / 64] |= 1 << (record % 64);
                    }
                }
                RecordSet::from_words(words)
            };
            joined.unmoved = Weak::new();
            joined.missing = set(|column| &column.missing);
            joined.hidden = set(|column| &column.hidden);
            joined.donors = Some(Arc::new(scattered(n_records, parts, |table| {
                let column = &table.columns[id.index()];
                let of_file = column.donors.as_ref().or(table.order.as_ref());
                match of_file {
                    Some(sources) => sources.to_vec(),
                    None => (0..).take(table.n_records()).collect(),
                }
            })));
            let mut cells = Vec::new();
            let mut firsts = Vec::with_capacity(parts.len());
            for (_, table) in parts {
                firsts.push(u32::try_from(cells.len()).unwrap_or(Self::AS_IT_IS));
                if let Some(replaced) = &table.columns[id.index()].replaced {
                    cells.extend(replaced.cells.iter().cloned());
                }
            }
            let mut firsts = firsts.into_iter();
            joined.replaced = (!cells.is_empty()).then(|| {
                let codes = scattered(n_records, parts, |table| {
                    let first = firsts.next().unwrap_or(0);
                    match &table.columns[id.index()].replaced {
                        None => vec![Self::AS_IT_IS; table.n_records()],
                        Some(replaced) => {
                            let codes = replaced.codes.iter();
                            let moved = codes.map(|&code| match code {
                                Self::AS_IT_IS => code,
                                code => code + first,
                            });
                            moved.collect()
                        }
                    }
                });
                Arc::new(Replaced { codes, cells })
            });
            self.columns[id.index()] = joined;
        }
        self
    }
}

/// What each record has by its part.
fn scattered<T: Copy + Default>(
    n_records: usize,
    parts: &[Part],
    mut of_part: impl FnMut(&Table) -> Vec<T>,
) -> Vec<T> {
    let mut all = vec![T::default(); n_records];
    for (records, table) in parts {
        for (&record, value) in records.iter().zip(of_part(table)) {
            all[record as usize] = value;
        }
    }
    all
}

impl Column {
    /// Puts numbers and missing marks in new places: record `r` gets those of `from[r]`. Numbers that the file has are
    /// forgotten: they will be read from the new places if anybody asks.
    fn gather(&mut self, from: &[u32]) {
        let old = std::mem::take(&mut self.values);
        self.unmoved = Weak::new();
        if let Some(values) = old.get().filter(|_| self.printed) {
            let moved = from
                .par_iter()
                .map(|&source| values[source as usize])
                .collect();
            self.values = OnceLock::from(Arc::new(moved));
        }
        self.missing = self.missing.gathered(from);
        self.hidden = self.hidden.gathered(from);
        if let Some(replaced) = &self.replaced {
            self.replaced = Some(Arc::new(Replaced {
                codes: gathered(&replaced.codes, from),
                cells: replaced.cells.clone(),
            }));
        }
    }
}

fn gathered(list: &[u32], from: &[u32]) -> Vec<u32> {
    from.iter().map(|&source| list[source as usize]).collect()
}
