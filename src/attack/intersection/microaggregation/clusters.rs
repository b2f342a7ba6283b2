//! Blocks of which the nearest groups are the candidates.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::{
    attack::{Direction, Lists, Nearest},
    distance::{Metric, within::Within},
    table::matrix::{Matrix, equal_records::EqualRecords},
};

/// The most groups that are candidates because they tie.
const MAX_TIED: usize = 64;

/// The groups of a block, as far as they can be seen: records with the same values in the block.
#[derive(Debug)]
pub(super) struct Clusters {
    /// The group of each released record.
    of_released: Vec<u32>,
    /// The groups that miss a value which may have been suppressed: everybody can be in them.
    open: Vec<u32>,
    /// Sought records that can be in every group, because they miss the whole block.
    loose: Vec<u32>,
    /// For each group, which sought records are in it or may be.
    members: Grouped,
    side: Side,
}

#[derive(Debug)]
enum Side {
    /// Each seeker asks for the nearest groups.
    Original { near: Near, seekers: Matrix },
    /// Each seeker is in a group; these miss the whole block, and anybody can be in them.
    Released { blank: Vec<bool> },
}

impl Clusters {
    /// The groups that show in these columns of the points. Where gaps are not `in_place`, one for each column, they confine nobody.
    pub(super) fn new(
        nearest: &Nearest<'_>,
        columns: &[usize],
        in_place: &[bool],
        direction: Direction,
        count: usize,
    ) -> Self {
        let (seekers, sought) = (
            chosen(&nearest.seekers, columns),
            chosen(&nearest.sought, columns),
        );
        let pick = |of: &[f64]| columns.iter().map(|&column| of[column]).collect();
        let metric = Metric::new(
            pick(nearest.metric.weights()),
            pick(nearest.metric.missing()),
        );
        match direction {
            Direction::OriginalToMasked => {
                let (of_released, groups) = groups(&sought);
                let open = open(&groups, in_place);
                let near = Near::new(&groups, &open, &metric, in_place, count);
                let own: Vec<Vec<u32>> = of_released.iter().map(|&group| vec![group]).collect();
                Self {
                    members: Grouped::new(groups.n_records(), &own),
                    of_released,
                    open,
                    loose: Vec::new(),
                    side: Side::Original { near, seekers },
                }
            }
            Direction::MaskedToOriginal => {
                let (of_released, groups) = groups(&seekers);
                let open = open(&groups, in_place);
                let near = Near::new(&groups, &open, &metric, in_place, count);
                let is_anywhere = |records: &Matrix, record: usize| {
                    !near.confines_blanks() && is_blank(records, record)
                };
                let of_sought = |record: usize| {
                    if is_anywhere(&sought, record) {
                        Vec::new()
                    } else {
                        near.of(&sought, record)
                    }
                };
                let near_of: Vec<Vec<u32>> = (0..sought.n_records())
                    .into_par_iter()
                    .map(of_sought)
                    .collect();
                Self {
                    loose: (0..)
                        .take(sought.n_records())
                        .filter(|&record| is_anywhere(&sought, record as usize))
                        .collect(),
                    members: Grouped::new(groups.n_records(), &near_of),
                    side: Side::Released {
                        blank: (0..groups.n_records())
                            .map(|group| is_anywhere(&groups, group))
                            .collect(),
                    },
                    of_released,
                    open,
                }
            }
        }
    }

    /// The groups in which the partner of a seeker may be, ascending; `None` if the seeker has no value of the block and gaps are not in place.
    fn of_seeker(&self, seeker: usize) -> Option<Vec<u32>> {
        match &self.side {
            Side::Original { near, seekers } => {
                let confines = near.confines_blanks() || !is_blank(seekers, seeker);
                confines.then(|| {
                    let mut groups = near.of(seekers, seeker);
                    groups.extend(&self.open);
                    groups.sort_unstable();
                    groups
                })
            }
            Side::Released { blank } => {
                let group = self.of_released[seeker];
                let confines = !blank[group as usize] && self.open.binary_search(&group).is_err();
                confines.then(|| vec![group])
            }
        }
    }

    /// Whether a sought record is in one of these groups, or may be.
    fn admits(&self, groups: &[u32], sought: u32) -> bool {
        match &self.side {
            Side::Original { .. } => groups
                .binary_search(&self.of_released[sought as usize])
                .is_ok(),
            Side::Released { .. } => {
                let is_member =
                    |&group: &u32| self.members.of(group).binary_search(&sought).is_ok();
                groups.iter().any(is_member) || self.loose.binary_search(&sought).is_ok()
            }
        }
    }
}

/// The groups that miss a value of a column whose gaps are not in place, ascending.
fn open(groups: &Matrix, in_place: &[bool]) -> Vec<u32> {
    let is_open = |group: &u32| {
        let gap = |(column, in_place): (usize, &bool)| {
            !in_place && groups.is_missing(*group as usize, column)
        };
        in_place.iter().enumerate().any(gap)
    };
    (0..).take(groups.n_records()).filter(is_open).collect()
}

/// Finds the groups nearest to a record, among those without cells that may have been suppressed.
///
/// Where gaps of a column are in place, a record and its group have the same gaps in it: groups are kept by their missing-value pattern.
#[derive(Debug)]
struct Near {
    in_place: Vec<bool>,
    count: usize,
    /// By missing-value pattern: which of the columns in place are missing.
    by_pattern: BTreeMap<Vec<bool>, PatternGroups>,
}

/// The groups with one missing-value pattern.
#[derive(Debug)]
struct PatternGroups {
    /// Ascending.
    groups: Vec<u32>,
    tree: Within,
}

impl Near {
    /// Of all groups but those that are open to everybody.
    fn new(
        groups: &Matrix,
        open: &[u32],
        metric: &Metric,
        in_place: &[bool],
        count: usize,
    ) -> Self {
        let mut numbers: BTreeMap<Vec<bool>, Vec<u32>> = BTreeMap::new();
        let all = (0..).take(groups.n_records());
        for group in all.filter(|group| open.binary_search(group).is_err()) {
            let pattern = missing_pattern(groups, group as usize, in_place);
            numbers.entry(pattern).or_default().push(group);
        }
        let built = |(pattern, numbers): (Vec<bool>, Vec<u32>)| {
            let tree = Within::build(&groups.reordered(&numbers), metric.clone());
            let groups = numbers;
            (pattern, PatternGroups { groups, tree })
        };
        Self {
            in_place: in_place.to_vec(),
            count,
            by_pattern: numbers.into_iter().map(built).collect(),
        }
    }

    /// The groups nearest to a record, ascending.
    fn of(&self, records: &Matrix, record: usize) -> Vec<u32> {
        let pattern = missing_pattern(records, record, &self.in_place);
        let Some(PatternGroups { groups, tree }) = self.by_pattern.get(&pattern) else {
            return Vec::new();
        };
        let limit = self.count.saturating_add(MAX_TIED);
        let nearest = tree.nearest(records.record(record), self.count, limit);
        let numbers = nearest.into_iter().map(|(_, place)| groups[place as usize]);
        let mut numbers: Vec<u32> = numbers.collect();
        numbers.sort_unstable();
        numbers
    }

    /// Whether records without any value of the block are confined, too.
    fn confines_blanks(&self) -> bool {
        self.in_place.iter().all(|&in_place| in_place)
    }
}

/// Which of the columns in place are missing from a record.
fn missing_pattern(records: &Matrix, record: usize, in_place: &[bool]) -> Vec<bool> {
    let columns = in_place.iter().enumerate();
    columns
        .map(|(column, &in_place)| in_place && records.is_missing(record, column))
        .collect()
}

fn is_blank(matrix: &Matrix, record: usize) -> bool {
    (0..matrix.n_attributes()).all(|column| matrix.is_missing(record, column))
}

fn chosen(matrix: &Matrix, columns: &[usize]) -> Matrix {
    let mut values = Vec::with_capacity(matrix.n_records() * columns.len());
    for record in 0..matrix.n_records() {
        let row = matrix.row(record);
        values.extend(columns.iter().map(|&column| row[column]));
    }
    let mut narrow = Matrix::complete(matrix.n_records(), columns.len(), values);
    if !matrix.is_complete() {
        for record in 0..matrix.n_records() {
            for (place, &column) in columns.iter().enumerate() {
                if matrix.is_missing(record, column) {
                    narrow.set_missing(record, place);
                }
            }
        }
    }
    narrow
}

/// The number of each record's group, and what each group shows: values and gaps.
fn groups(records: &Matrix) -> (Vec<u32>, Matrix) {
    let equal = EqualRecords::of(records);
    let mut of_record = vec![0; records.n_records()];
    for (number, group) in (0..).zip(equal.groups()) {
        for &record in group {
            of_record[record as usize] = number;
        }
    }
    let firsts: Vec<u32> = equal.groups().map(|group| group[0]).collect();
    (of_record, records.reordered(&firsts))
}

/// Records by group, ascending in each.
#[derive(Debug)]
struct Grouped {
    starts: Vec<usize>,
    records: Vec<u32>,
}

impl Grouped {
    fn new(n_groups: usize, groups_of: &[Vec<u32>]) -> Self {
        let mut starts = vec![0; n_groups + 1];
        for &group in groups_of.iter().flatten() {
            starts[group as usize + 1] += 1;
        }
        for group in 0..n_groups {
            starts[group + 1] += starts[group];
        }
        let mut ends = starts.clone();
        let mut records = vec![0; starts[n_groups]];
        for (record, groups) in (0_u32..).zip(groups_of) {
            for &group in groups {
                let end = &mut ends[group as usize];
                records[*end] = record;
                *end += 1;
            }
        }
        Self { starts, records }
    }

    fn of(&self, group: u32) -> &[u32] {
        let group = group as usize;
        &self.records[self.starts[group]..self.starts[group + 1]]
    }
}

/// A preference for the nearest record among those in the near groups of every block.
#[derive(Debug)]
pub(super) struct InClusters<'a> {
    nearest: Nearest<'a>,
    blocks: Vec<Clusters>,
}

impl<'a> InClusters<'a> {
    pub(super) fn new(nearest: Nearest<'a>, blocks: Vec<Clusters>) -> Self {
        Self { nearest, blocks }
    }
}

impl Lists for InClusters<'_> {
    fn n_seekers(&self) -> usize {
        self.nearest.seekers.n_records()
    }

    fn n_sought(&self) -> usize {
        self.nearest.sought.n_records()
    }

    fn list(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        list.clear();
        let confined: Vec<(&Clusters, Vec<u32>)> = self
            .blocks
            .iter()
            .filter_map(|block| Some((block, block.of_seeker(seeker)?)))
            .collect();
        let size = |(block, groups): &&(&Clusters, Vec<u32>)| -> usize {
            let members = groups.iter().map(|&group| block.members.of(group).len());
            members.sum::<usize>() + block.loose.len()
        };
        let mut consider = |record: u32| {
            let admitted = confined
                .iter()
                .all(|(block, groups)| block.admits(groups, record));
            if let (true, Some(cost)) = (admitted, self.nearest.cost(seeker, record as usize)) {
                list.push((record, cost));
            }
        };
        // The shortest of the sets is gone through, the others are asked.
        match confined.iter().min_by_key(size) {
            Some((block, groups)) => {
                let members = groups.iter().flat_map(|&group| block.members.of(group));
                members
                    .chain(&block.loose)
                    .for_each(|&record| consider(record));
            }
            None => (0..).take(self.n_sought()).for_each(consider),
        }
        list.sort_unstable_by_key(|&(record, _)| record);
    }

    fn is_likelihood(&self) -> bool {
        false
    }
}
