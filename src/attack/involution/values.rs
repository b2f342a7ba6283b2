//! Who holds which value, and of which exchanges both sides can be seen.

use std::num::NonZeroU32;

use rayon::prelude::*;

use crate::{attack::Scenario, table::matrix::Matrix};

/// A missing value.
pub(super) const MISSING: u32 = u32::MAX;

/// The values of both files, numbered by attribute.
#[derive(Debug)]
pub(super) struct Values {
    /// One entry a known attribute; `None` where exchanges are no evidence: it was not swapped, or not all of it can be seen.
    columns: Vec<Option<Column>>,
}

/// The values of an attribute, numbered in ascending order.
#[derive(Debug)]
pub(super) struct Column {
    /// The value of each record; [`MISSING`] without one.
    pub seekers: Vec<u32>,
    pub sought: Vec<u32>,
    of_seekers: Holders,
    of_sought: Holders,
    /// For each sought record with a value that one sought record has and one seeker: that seeker, counted from 1.
    pub only_seeker: Vec<Option<NonZeroU32>>,
    /// For each seeker with such a value: that sought record, counted from 1.
    pub only_sought: Vec<Option<NonZeroU32>>,
}

/// The records by value.
#[derive(Debug)]
struct Holders {
    starts: Vec<u32>,
    records: Vec<u32>,
}

impl Holders {
    fn new(values: &[u32], n_values: usize) -> Self {
        let mut starts = vec![0_u32; n_values + 1];
        for &value in values.iter().filter(|&&value| value != MISSING) {
            starts[value as usize + 1] += 1;
        }
        for value in 0..n_values {
            starts[value + 1] += starts[value];
        }
        let mut next = starts.clone();
        let mut records = vec![0; starts[n_values] as usize];
        for (record, &value) in (0_u32..).zip(values) {
            if value != MISSING {
                let place = &mut next[value as usize];
                records[*place as usize] = record;
                *place += 1;
            }
        }
        Self { starts, records }
    }

    fn of(&self, value: u32) -> &[u32] {
        let value = value as usize;
        &self.records[self.starts[value] as usize..self.starts[value + 1] as usize]
    }

    /// For each of these records, the only one of the others that has its value, counted from 1, if it is the only one here.
    fn only(&self, others: &Self, values: &[u32]) -> Vec<Option<NonZeroU32>> {
        let only = |&value: &u32| match value {
            MISSING => None,
            value => match (self.of(value), others.of(value)) {
                ([_], &[other]) => NonZeroU32::new(other + 1),
                _ => None,
            },
        };
        values.iter().map(only).collect()
    }

    fn count(&self, value: u32) -> u32 {
        self.starts[value as usize + 1] - self.starts[value as usize]
    }
}

/// What is known of how many records there were.
#[derive(Debug, Clone, Copy)]
pub(super) struct Whole {
    /// The intruder holds everybody who was masked.
    pub people: bool,
    /// The whole masked file was released.
    pub release: bool,
}

impl Whole {
    /// By the records of the file that was masked, and those that samples left out before or after: nobody knows of those which.
    pub fn new(scenario: &Scenario<'_>, masked_records: usize, left_out: usize) -> Self {
        let released = scenario.released.n_records();
        let people = scenario.intruder.n_records() >= masked_records.max(released + left_out);
        Self {
            people,
            release: released >= masked_records && (people || left_out == 0),
        }
    }
}

impl Values {
    /// Numbers the values of the attributes that were swapped.
    ///
    /// # Complexity
    /// O(n log n · attributes) time; 24 bytes a record and attribute at most, of either file.
    pub fn new(scenario: &Scenario<'_>, swapped: &[bool], whole: Whole) -> Self {
        let columns = (0..scenario.known.len()).into_par_iter().map(|k| {
            // Zeros that are hidden changed places before values were exchanged: with whom cannot be seen.
            let hides = scenario.intruder.hides(k) || scenario.released.hides(k);
            let can_tell = swapped[k] && !hides && (whole.people || whole.release);
            can_tell.then(|| Column::new(scenario, k))
        });
        let columns: Vec<Option<Column>> = columns.collect();
        Self {
            columns: columns
                .into_iter()
                .map(|column| {
                    column.filter(|column| whole.together() || column.is_a_part(scenario, whole))
                })
                .collect(),
        }
    }

    /// Which of the known attributes these are.
    pub fn places(&self) -> Vec<usize> {
        let columns = self.columns.iter().enumerate();
        columns
            .filter_map(|(k, column)| column.as_ref().map(|_| k))
            .collect()
    }

    /// The attributes whose exchanges are evidence.
    pub fn columns(&self) -> impl Iterator<Item = &Column> {
        self.columns.iter().flatten()
    }
}

impl Whole {
    fn together(self) -> bool {
        self.people && self.release
    }
}

impl Column {
    fn new(scenario: &Scenario<'_>, k: usize) -> Self {
        let (seekers, sought) = (scenario.seekers(), scenario.sought());
        let mut distinct: Vec<f64> = seekers
            .present(k)
            .chain(sought.present(k))
            .map(|value| value + 0.0)
            .collect();
        distinct.sort_unstable_by(f64::total_cmp);
        distinct.dedup_by(|a, b| a.total_cmp(b).is_eq());
        let number = |matrix: &Matrix| -> Vec<u32> {
            let place = |value: f64| {
                let place =
                    distinct.partition_point(|other| other.total_cmp(&(value + 0.0)).is_lt());
                u32::try_from(place).unwrap_or(MISSING)
            };
            let column = matrix.column(k);
            column.map(|value| value.map_or(MISSING, place)).collect()
        };
        let (seekers, sought) = (number(seekers), number(sought));
        let of_seekers = Holders::new(&seekers, distinct.len());
        let of_sought = Holders::new(&sought, distinct.len());
        Self {
            only_seeker: of_sought.only(&of_seekers, &sought),
            only_sought: of_seekers.only(&of_sought, &seekers),
            of_seekers,
            of_sought,
            seekers,
            sought,
        }
    }

    /// Whether counts of the shorter file fit into those of the longer one, where one file is a part; else some values were
    /// lost otherwise, and only where all are different it is sure that nobody else had them.
    fn is_a_part(&self, scenario: &Scenario<'_>, whole: Whole) -> bool {
        use crate::attack::Direction::{MaskedToOriginal, OriginalToMasked};
        let (long, short) = match (scenario.direction, whole.release) {
            (OriginalToMasked, true) | (MaskedToOriginal, false) => {
                (&self.of_sought, &self.of_seekers)
            }
            (OriginalToMasked, false) | (MaskedToOriginal, true) => {
                (&self.of_seekers, &self.of_sought)
            }
        };
        let mut values = 0_u32..u32::try_from(long.starts.len() - 1).unwrap_or(MISSING);
        let fits = values
            .clone()
            .all(|value| short.count(value) <= long.count(value));
        fits || values.all(|value| short.count(value) <= 1 && long.count(value) <= 1)
    }

    /// The records with one value that look, and those with another that are looked for.
    pub fn holders(&self, seeking: u32, sought: u32) -> (&[u32], &[u32]) {
        (self.of_seekers.of(seeking), self.of_sought.of(sought))
    }

    /// Whether a seeker with value `a` and a sought record with value `b` can be one only if somebody went from `b` to `a` who can be
    /// seen on both sides.
    ///
    /// Whoever exchanged with them held `b` and shows `a` (or the other way round, if masked records look). All who
    /// held `b` are known if no more show it than hold it, and all who show `a` were released if no more held it.
    pub fn is_seen(&self, a: u32, b: u32) -> bool {
        self.of_seekers.count(b) >= self.of_sought.count(b)
            && self.of_sought.count(a) >= self.of_seekers.count(a)
    }

    /// Whether anybody seeks with value `a`, and anybody sought has value `b`.
    pub fn occur(&self, a: u32, b: u32) -> bool {
        self.of_seekers.count(a) > 0 && self.of_sought.count(b) > 0
    }
}
