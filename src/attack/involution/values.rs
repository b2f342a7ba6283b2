//! Who holds which value, and of which exchanges both sides can be seen.

use rayon::prelude::*;

use crate::{attack::Scenario, stats::rank::Ranking, table::matrix::Matrix};

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
    /// Whether as many seek with each value as are sought with it: then all exchanges [are seen](Self::is_seen).
    fits: bool,
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

    /// Those with a value, ascending.
    fn with(&self, value: u32) -> &[u32] {
        let value = value as usize;
        &self.records[self.starts[value] as usize..self.starts[value + 1] as usize]
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
    /// O(n log n · attributes) time; 16 bytes a record and attribute at most, of either file.
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

    /// The attributes whose exchanges are evidence, first those of which a look at the other side leaves few pairs.
    pub fn most_telling(&self) -> Vec<(usize, &Column)> {
        let columns = self.columns.par_iter().enumerate();
        let columns = columns.filter_map(|(k, column)| Some((k, column.as_ref()?)));
        let columns = columns.map(|(k, column)| (column.left(), (k, column)));
        let mut columns: Vec<(f64, (usize, &Column))> = columns.collect();
        columns.sort_by(|a, b| a.0.total_cmp(&b.0));
        columns.into_iter().map(|(_, column)| column).collect()
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
        let ranking = Ranking::new(distinct.iter().copied());
        let number = |matrix: &Matrix| -> Vec<u32> {
            let mut numbers = vec![MISSING; matrix.n_records()];
            let column = (0_u32..).zip(matrix.column(k));
            let present = column.filter_map(|(record, value)| Some((record, value?)));
            for (record, (below, _)) in ranking.ranks_of(present) {
                numbers[record as usize] = u32::try_from(below).unwrap_or(MISSING);
            }
            numbers
        };
        let (seekers, sought) = (number(seekers), number(sought));
        let of_seekers = Holders::new(&seekers, distinct.len());
        let of_sought = Holders::new(&sought, distinct.len());
        Self {
            fits: of_seekers.starts == of_sought.starts,
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

    /// With how many records of its side one with a value ties on average, itself included: of the seekers, and of the sought records.
    pub fn mean_ties(&self) -> [f64; 2] {
        [&self.of_seekers, &self.of_sought].map(|holders| {
            let counts = holders.starts.windows(2);
            let squares = counts.map(|ends| f64::from(ends[1] - ends[0]).powi(2));
            squares.sum::<f64>() / holders.records.len().max(1) as f64
        })
    }

    /// About what share of pairs a look at the other sides of their exchanges leaves: those that miss a value, and the more of the others the
    /// more records tie, if one in a hundred pairs is possible by the law.
    fn left(&self) -> f64 {
        const POSSIBLE: f64 = 0.01;
        let share = |holders: &Holders, values: &[u32]| {
            holders.records.len() as f64 / values.len().max(1) as f64
        };
        let present = share(&self.of_seekers, &self.seekers) * share(&self.of_sought, &self.sought);
        let mean_pairs: f64 = self.mean_ties().iter().product();
        1.0 - present * (1.0 - (mean_pairs * POSSIBLE).min(1.0))
    }

    /// Those who look and had the value of a sought record, one of whom gave it, ascending; `None` without a value, or where some may be out
    /// of sight: all who had it are known if no more show it than had it. (If masked records look: those that show what an original one had.)
    pub fn givers(&self, value: u32) -> Option<&[u32]> {
        let is_seen = value != MISSING
            && (self.fits || self.of_seekers.count(value) >= self.of_sought.count(value));
        is_seen.then(|| self.of_seekers.with(value))
    }

    /// Those that are looked for and show the value of a seeker, one of whom took it, ascending; `None` without a value, or where some may
    /// be out of sight: all who show it were released if no more had it. (If masked records look: those who had what a masked one shows.)
    pub fn takers(&self, value: u32) -> Option<&[u32]> {
        let is_seen = value != MISSING
            && (self.fits || self.of_sought.count(value) >= self.of_seekers.count(value));
        is_seen.then(|| self.of_sought.with(value))
    }

    /// Number of values.
    pub fn n_values(&self) -> usize {
        self.of_seekers.starts.len() - 1
    }

    /// Those who look with a value, ascending.
    pub fn seekers_with(&self, value: u32) -> &[u32] {
        self.of_seekers.with(value)
    }

    /// Whether a seeker with value `a` and a sought record with value `b` can be one only if somebody went from `b` to `a` who can be
    /// seen on both sides.
    ///
    /// Whoever exchanged with them held `b` and shows `a` (or the other way round, if masked records look).
    pub fn is_seen(&self, a: u32, b: u32) -> bool {
        self.givers(b).is_some() && self.takers(a).is_some()
    }

    /// Whether anybody seeks with value `a`, and anybody sought has value `b`.
    pub fn occur(&self, a: u32, b: u32) -> bool {
        self.of_seekers.count(a) > 0 && self.of_sought.count(b) > 0
    }
}
