//! Blocks of which the nearest groups are the candidates.

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
#[expect(
    clippy::large_enum_variant,
    reason = "there is one a block, and it is never moved about"
)]
enum Side {
    /// Each seeker asks for the nearest groups.
    Original {
        groups: Matrix,
        tree: Box<Within>,
        seekers: Matrix,
        count: usize,
        in_place: Vec<bool>,
    },
    /// Each seeker is in a group; these miss the whole block.
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
                let own: Vec<Vec<u32>> = of_released.iter().map(|&group| vec![group]).collect();
                Self {
                    members: Grouped::new(groups.n_records(), &own),
                    of_released,
                    open,
                    loose: Vec::new(),
                    side: Side::Original {
                        tree: Box::new(Within::build(&groups, metric)),
                        groups,
                        seekers,
                        count,
                        in_place: in_place.to_vec(),
                    },
                }
            }
            Direction::MaskedToOriginal => {
                let (of_released, groups) = groups(&seekers);
                let open = open(&groups, in_place);
                let tree = Within::build(&groups, metric);
                let gaps_may_be_anybodys = !in_place.iter().all(|&in_place| in_place);
                let is_loose = |record: usize| gaps_may_be_anybodys && is_blank(&sought, record);
                let near: Vec<Vec<u32>> = (0..sought.n_records())
                    .into_par_iter()
                    .map(|record| {
                        if is_loose(record) {
                            return Vec::new();
                        }
                        let near = Near {
                            tree: &tree,
                            groups: &groups,
                            count,
                            in_place,
                            record_seeks: false,
                        };
                        near.of(&sought, record)
                    })
                    .collect();
                Self {
                    loose: (0..)
                        .take(sought.n_records())
                        .filter(|&record| is_loose(record as usize))
                        .collect(),
                    members: Grouped::new(groups.n_records(), &near),
                    side: Side::Released {
                        blank: (0..groups.n_records())
                            .map(|g| is_blank(&groups, g))
                            .collect(),
                    },
                    of_released,
                    open,
                }
            }
        }
    }

    /// The groups in which the partner of a seeker may be, ascending; `None` if the seeker has no value of the block.
    fn of_seeker(&self, seeker: usize) -> Option<Vec<u32>> {
        match &self.side {
            Side::Original {
                groups,
                tree,
                seekers,
                count,
                in_place,
            } => (!is_blank(seekers, seeker)).then(|| {
                let near = Near {
                    tree,
                    groups,
                    count: *count,
                    in_place,
                    record_seeks: true,
                };
                let mut near = near.of(seekers, seeker);
                near.extend(&self.open);
                near.sort_unstable();
                near
            }),
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

/// The nearest groups, of those without gaps that may have been suppressed.
struct Near<'a> {
    tree: &'a Within,
    groups: &'a Matrix,
    count: usize,
    /// Whether gaps of each column are in place: then neither side may miss what its seeker has.
    in_place: &'a [bool],
    /// Whether the record asked about seeks, or the groups do.
    record_seeks: bool,
}

impl Near<'_> {
    /// The groups nearest to a record, ascending.
    fn of(&self, records: &Matrix, record: usize) -> Vec<u32> {
        let gaps_agree = |group: u32| {
            let (record, group) = (records.record(record), self.groups.record(group as usize));
            self.in_place.iter().enumerate().all(|(c, &in_place)| {
                let (seeker, sought) = if self.record_seeks {
                    (record, group)
                } else {
                    (group, record)
                };
                if in_place {
                    seeker.is_missing(c) || !sought.is_missing(c)
                } else {
                    !group.is_missing(c)
                }
            })
        };
        let near = self.tree.nearest(
            records.record(record),
            self.count,
            self.count.saturating_add(MAX_TIED),
            gaps_agree,
        );
        let mut near: Vec<u32> = near.into_iter().map(|(_, group)| group).collect();
        near.sort_unstable();
        near
    }
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
