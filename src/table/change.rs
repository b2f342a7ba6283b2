//! What a method may do to a table; everything else stays as the file has it.

use std::sync::{Arc, OnceLock};

use super::attribute::AttrId;
use super::replace::Replaced;
use super::{Column, Table};

impl Table {
    /// The table in which record `r` has the cell of this attribute (text, number, missing or not) that record
    /// `donors[r]` has now: a swapped value keeps its very bytes.
    ///
    /// # Panics
    /// If `donors` is not one record's place for each record.
    ///
    /// # Complexity
    /// Keeps `donors`, 4 bytes a record, and lets the numbers go, 8 bytes a record, until they are asked for.
    #[must_use]
    pub fn with_donors(mut self, id: AttrId, donors: Vec<u32>) -> Self {
        let n_records = self.n_records();
        assert_eq!(donors.len(), n_records, "one donor a record");
        assert!(
            donors.iter().all(|&donor| (donor as usize) < n_records),
            "donors are records"
        );
        let order = self.order.clone();
        self.columns[id.index()].gather(&donors);
        let column = &mut self.columns[id.index()];
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

impl Column {
    /// Puts numbers and missing marks in new places: record `r` gets those of `from[r]`. Numbers that the file has are
    /// forgotten: they will be read from the new places if anybody asks.
    fn gather(&mut self, from: &[u32]) {
        let old = std::mem::take(&mut self.values);
        if let Some(values) = old.get().filter(|_| self.printed) {
            let moved = from.iter().map(|&source| values[source as usize]).collect();
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
