//! Which records are grouped together.

use crate::table::Matrix;

/// Records in groups, numbered from 0 in the order in which they were made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partition {
    /// The group of each record, or [`Self::NO_GROUP`].
    group_of: Vec<u32>,
    n_groups: usize,
}

impl Partition {
    /// Stands for the group of a record that is in none: it has no value to be grouped by.
    pub const NO_GROUP: u32 = u32::MAX;

    /// The partition of `n_records` records into these groups; records that none of them names are in no group.
    ///
    /// # Panics
    /// If a record does not exist, or is named twice.
    pub fn from_groups<'a>(n_records: usize, groups: impl IntoIterator<Item = &'a [u32]>) -> Self {
        let mut group_of = vec![Self::NO_GROUP; n_records];
        let mut n_groups = 0;
        for (group, records) in (0_u32..).zip(groups) {
            for &record in records {
                let place = &mut group_of[record as usize];
                assert_eq!(*place, Self::NO_GROUP, "a record is in one group");
                *place = group;
            }
            n_groups += 1;
        }
        Self { group_of, n_groups }
    }

    /// The same groups when what was grouped were only these of `n_records` records; the others are in no group.
    ///
    /// # Panics
    /// If `records` does not name one record for each that was grouped.
    #[must_use]
    pub fn among(&self, n_records: usize, records: &[usize]) -> Self {
        assert_eq!(records.len(), self.group_of.len(), "one record for each");
        let mut group_of = vec![Self::NO_GROUP; n_records];
        for (&record, &group) in records.iter().zip(&self.group_of) {
            group_of[record] = group;
        }
        Self {
            group_of,
            n_groups: self.n_groups,
        }
    }

    /// The groups of both, which are of other records of one file each.
    ///
    /// # Panics
    /// If they are not of one number of records.
    #[must_use]
    pub fn joined(&self, other: &Self) -> Self {
        assert_eq!(self.group_of.len(), other.group_of.len(), "of one file");
        let before = u32::try_from(self.n_groups).unwrap_or(Self::NO_GROUP);
        let pairs = self.group_of.iter().zip(&other.group_of);
        Self {
            group_of: pairs
                .map(|(&own, &other)| match other {
                    Self::NO_GROUP => own,
                    group => group + before,
                })
                .collect(),
            n_groups: self.n_groups + other.n_groups,
        }
    }

    /// The group of each record, or [`Self::NO_GROUP`].
    pub fn group_of(&self) -> &[u32] {
        &self.group_of
    }

    /// How many groups there are.
    pub fn n_groups(&self) -> usize {
        self.n_groups
    }

    /// The records of each group, ascending.
    pub fn groups(&self) -> Vec<Vec<u32>> {
        self.members().groups().map(<[u32]>::to_vec).collect()
    }

    /// The same, without a list of its own for each group.
    ///
    /// # Complexity
    /// O(n) time and memory.
    pub fn members(&self) -> Members {
        let mut ends = Vec::with_capacity(self.n_groups);
        let mut end = 0;
        for size in self.sizes() {
            // Where the next record of the group goes: in the end, where the group ends.
            ends.push(end);
            end += size;
        }
        let mut records = vec![0; end];
        for (record, &group) in (0_u32..).zip(&self.group_of) {
            if group != Self::NO_GROUP {
                let place = &mut ends[group as usize];
                records[*place] = record;
                *place += 1;
            }
        }
        Members { records, ends }
    }

    /// How many records each group has.
    pub fn sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.n_groups];
        for &group in &self.group_of {
            if group != Self::NO_GROUP {
                sizes[group as usize] += 1;
            }
        }
        sizes
    }

    /// SSE: the squared distances of the points from the means of their groups, summed in the order of the records.
    pub fn sse(&self, points: &Matrix) -> f64 {
        let width = points.n_attributes();
        let mut means = vec![0.0; self.n_groups * width];
        let grouped = || {
            let all = self.group_of.iter().enumerate();
            all.filter(|&(_, &group)| group != Self::NO_GROUP)
        };
        for (record, &group) in grouped() {
            let mean = &mut means[group as usize * width..][..width];
            for (sum, value) in mean.iter_mut().zip(points.row(record)) {
                *sum += value;
            }
        }
        for (mean, size) in means.chunks_exact_mut(width.max(1)).zip(self.sizes()) {
            for sum in mean {
                *sum /= size as f64;
            }
        }
        grouped()
            .map(|(record, &group)| {
                let mean = &means[group as usize * width..][..width];
                squared_distance(points.row(record), mean)
            })
            .sum()
    }
}

/// The records of the groups of a partition, one group after the other.
#[derive(Debug)]
pub struct Members {
    records: Vec<u32>,
    /// Where each group ends.
    ends: Vec<usize>,
}

impl Members {
    /// The records of each group, ascending.
    pub fn groups(&self) -> impl Iterator<Item = &[u32]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let group = &self.records[start..end];
            start = end;
            group
        })
    }
}

/// The mean of some points.
pub(in crate::mask) fn mean(points: &Matrix, records: &[u32]) -> Vec<f64> {
    let mut mean = vec![0.0; points.n_attributes()];
    for &record in records {
        for (sum, value) in mean.iter_mut().zip(points.row(record as usize)) {
            *sum += value;
        }
    }
    mean.iter_mut()
        .for_each(|sum| *sum /= records.len().max(1) as f64);
    mean
}

/// The squared Euclidean distance, summed in the order of the coordinates: the canonical number of every comparison.
///
/// # Ties
/// Two distances tie if and only if these numbers are equal.
pub fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter()
        .zip(b)
        .fold(0.0, |sum, (x, y)| sum + (x - y) * (x - y))
}
