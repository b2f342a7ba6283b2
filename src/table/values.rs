//! The numbers of one attribute, wherever they are kept, and which records miss theirs.

use std::fmt;

use super::{RecordSet, condensed::Steps};

/// The numbers of one attribute.
#[derive(Clone, Copy)]
pub struct Numbers<'a> {
    /// One finite number a record; 0.0 where it is missing.
    pub values: &'a [f64],
    /// Which records miss theirs.
    pub missing: &'a RecordSet,
}

/// The numbers of one attribute, wherever they are kept.
#[derive(Clone, Copy)]
pub struct Values<'a> {
    at: At<'a>,
    /// Which records miss theirs.
    pub missing: &'a RecordSet,
}

#[derive(Clone, Copy)]
enum At<'a> {
    Numbers(&'a [f64]),
    /// And the record of the file that each record takes its cell from, unless it is its own.
    Steps(&'a Steps, Option<&'a [u32]>),
}

impl<'a> From<Numbers<'a>> for Values<'a> {
    fn from(numbers: Numbers<'a>) -> Self {
        Self::new(numbers.values, numbers.missing)
    }
}

impl<'a> Values<'a> {
    /// Those of a column.
    pub fn new(values: &'a [f64], missing: &'a RecordSet) -> Self {
        Self {
            at: At::Numbers(values),
            missing,
        }
    }

    /// Those of a column of a condensed table, whose records have the cells of these records of the file, or their own.
    pub(super) fn of_steps(
        steps: &'a Steps,
        sources: Option<&'a [u32]>,
        missing: &'a RecordSet,
    ) -> Self {
        Self {
            at: At::Steps(steps, sources),
            missing,
        }
    }

    /// The number of a record, finite; 0.0 where it is missing.
    #[inline(always)]
    pub fn of(self, record: usize) -> f64 {
        match self.at {
            At::Steps(..) if self.missing.contains(record) => 0.0,
            _ => self.there(record),
        }
    }

    /// The number of a record that does not miss it.
    #[inline(always)]
    fn there(self, record: usize) -> f64 {
        match self.at {
            At::Numbers(values) => values[record],
            At::Steps(steps, None) => steps.value(record),
            At::Steps(steps, Some(sources)) => steps.value(sources[record] as usize),
        }
    }

    /// Gives the numbers of some records, each with its place among these; 0.0 where one is missing.
    #[inline(always)]
    pub(super) fn each(self, records: &[u32], mut give: impl FnMut(usize, f64)) {
        let places = records.iter().enumerate();
        match self.at {
            At::Numbers(values) => {
                places.for_each(|(place, &record)| give(place, values[record as usize]));
            }
            At::Steps(steps, None) if self.missing.is_empty() => {
                places.for_each(|(place, &record)| give(place, steps.value(record as usize)));
            }
            At::Steps(..) => {
                places.for_each(|(place, &record)| give(place, self.of(record as usize)));
            }
        }
    }

    /// For each 64 records a word with a bit for each whose number is there and passes a test, the first record's the lowest.
    pub fn words(self, passes: impl Fn(f64) -> bool) -> impl Iterator<Item = u64> {
        (0..self.n_words()).map(move |word| {
            let records = word * 64..self.n_records().min(word * 64 + 64);
            let bit = |(bit, value): (usize, f64)| u64::from(passes(value)) << bit;
            let bits: u64 = match self.at {
                At::Numbers(values) => values[records].iter().copied().enumerate().map(bit).sum(),
                At::Steps(..) => records
                    .map(|record| self.of(record))
                    .enumerate()
                    .map(bit)
                    .sum(),
            };
            bits & !self.missing.word(word)
        })
    }

    /// Of how many [`words`](Self::words) records there are.
    pub(super) fn n_words(self) -> usize {
        self.n_records().div_ceil(64)
    }

    /// The numbers that are there among the 64 records of a word, in the order of these, in the place of what the list held.
    pub(super) fn present_in(self, word: usize, list: &mut Vec<f64>) {
        let records = word * 64..self.n_records().min(word * 64 + 64);
        let missing = self.missing.word(word);
        list.clear();
        match self.at {
            At::Numbers(values) if missing == 0 => list.extend_from_slice(&values[records]),
            At::Steps(steps, None) if missing == 0 => {
                list.extend(records.map(|record| steps.value(record)));
            }
            _ => {
                let present =
                    (records.clone()).filter(|record| missing >> (record - records.start) & 1 == 0);
                list.extend(present.map(|record| self.there(record)));
            }
        }
    }

    fn n_records(self) -> usize {
        match self.at {
            At::Numbers(values) => values.len(),
            At::Steps(steps, None) => steps.len(),
            At::Steps(_, Some(sources)) => sources.len(),
        }
    }

    /// The numbers that are there, in the order of the records, in slices.
    pub fn present_in_slices(self, give: &mut dyn FnMut(&[f64])) {
        if let (At::Numbers(values), true) = (self.at, self.missing.is_empty()) {
            return give(values);
        }
        let mut list = Vec::new();
        for word in 0..self.n_words() {
            self.present_in(word, &mut list);
            give(&list);
        }
    }

    /// The numbers that are there, with their records, in the order of these.
    pub fn present(self) -> impl Iterator<Item = (usize, f64)> + Clone + 'a {
        let is_complete = self.missing.is_empty();
        let present = move |&record: &usize| is_complete || !self.missing.contains(record);
        (0..self.n_records())
            .filter(present)
            .map(move |record| (record, self.there(record)))
    }
}

impl fmt::Debug for Values<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Values")
            .field("n_missing", &self.missing.count())
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Numbers<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Numbers")
            .field("n_records", &self.values.len())
            .field("n_missing", &self.missing.count())
            .finish_non_exhaustive()
    }
}
