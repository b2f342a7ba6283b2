//! A district: neighbouring groups that exchange records with each other.

use super::super::partition::mean;
use crate::table::Matrix;

/// Four coordinates, for which processors have room side by side; a point is some of them, the last filled up with zeros.
pub type Quad = [f64; 4];

/// Nearest neighbours of a record that are kept: more than a group holds, so that they lie in several groups.
const NEIGHBOURS: std::ops::RangeInclusive<usize> = 20..=64;

/// Records and groups that exchange with each other, numbered from 0 within the district.
pub struct District {
    /// The records' numbers in the file.
    records: Vec<u32>,
    /// The groups as they were before.
    start: Vec<Vec<u32>>,
    /// The points, centred, `width` quads each.
    points: Vec<Quad>,
    width: usize,
    /// The least number of records a group.
    pub k: usize,
    /// The nearest neighbours of each record, `n_neighbours` each, nearest first.
    neighbours: Vec<u32>,
    n_neighbours: usize,
    /// Half the mean squared distance of each record from its k−1 nearest neighbours: what a record costs in a
    /// good group.
    scales: Vec<f64>,
}

impl District {
    /// The district of these groups (of records of the file).
    pub fn new(points: &Matrix, groups: Vec<Vec<u32>>, k: usize) -> Self {
        let mut records: Vec<u32> = groups.iter().flatten().copied().collect();
        records.sort_unstable();
        let place = |record: &u32| match records.binary_search(record) {
            Ok(place) => number(place),
            Err(_) => unreachable!("the records are those of the groups"),
        };
        let start = groups
            .iter()
            .map(|group| group.iter().map(place).collect())
            .collect();
        let width = points.n_attributes().div_ceil(4);
        let mut district = Self {
            start,
            points: centred(points, &records),
            width,
            k,
            neighbours: Vec::new(),
            n_neighbours: (2 * k)
                .clamp(*NEIGHBOURS.start(), *NEIGHBOURS.end())
                .min(records.len().saturating_sub(1)),
            scales: Vec::with_capacity(records.len()),
            records,
        };
        district.find_neighbours();
        district
    }

    /// How many records there are.
    pub fn n_records(&self) -> usize {
        self.records.len()
    }

    /// How many quads a point has.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The coordinates of a record.
    pub fn point(&self, record: u32) -> &[Quad] {
        &self.points[record as usize * self.width..][..self.width]
    }

    /// How many neighbours of each record are kept.
    pub fn n_neighbours(&self) -> usize {
        self.n_neighbours
    }

    /// The nearest neighbours of a record, nearest first.
    pub fn neighbours(&self, record: u32) -> &[u32] {
        &self.neighbours[record as usize * self.n_neighbours..][..self.n_neighbours]
    }

    /// Half the mean squared distance of each record from its nearest neighbours.
    pub fn scales(&self) -> &[f64] {
        &self.scales
    }

    /// The groups with which it begins.
    pub fn start(&self) -> &[Vec<u32>] {
        &self.start
    }

    /// The same groups as records of the file.
    pub fn in_file(&self, groups: Vec<Vec<u32>>) -> Vec<Vec<u32>> {
        let record = |place: u32| self.records[place as usize];
        groups
            .into_iter()
            .map(|group| group.into_iter().map(record).collect())
            .collect()
    }

    /// Compares all pairs: a district is small.
    fn find_neighbours(&mut self) {
        let n = self.n_records();
        let keep = self.n_neighbours;
        let nearest = keep.min(self.k.saturating_sub(1)).max(1);
        let mut near: Vec<(f64, u32)> = Vec::with_capacity(n);
        for record in 0..number(n) {
            near.clear();
            let here = self.point(record);
            let others = (0..number(n)).filter(|&other| other != record);
            near.extend(others.map(|other| (distance(here, self.point(other)), other)));
            if keep == 0 {
                self.scales.push(0.0);
                continue;
            }
            let order = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
            near.select_nth_unstable_by(keep - 1, order);
            near.truncate(keep);
            near.sort_unstable_by(order);
            let sum: f64 = near[..nearest].iter().map(|&(distance, _)| distance).sum();
            self.scales.push(sum / (2 * nearest) as f64);
            self.neighbours.extend(near.iter().map(|&(_, other)| other));
        }
    }
}

/// A number within the district.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a table holds at most u32::MAX records"
)]
pub fn number(place: usize) -> u32 {
    place as u32
}

/// The squared distance of two points, summed in four lanes.
pub fn distance(a: &[Quad], b: &[Quad]) -> f64 {
    let mut sums = [0.0; 4];
    for (a, b) in a.iter().zip(b) {
        for lane in 0..4 {
            let difference = a[lane] - b[lane];
            sums[lane] += difference * difference;
        }
    }
    total(sums)
}

/// The sum of four lanes.
pub fn total(sums: Quad) -> f64 {
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

/// The points of some records less their mean, in quads.
fn centred(points: &Matrix, records: &[u32]) -> Vec<Quad> {
    let mean = mean(points, records);
    let mut quads = Vec::with_capacity(records.len() * mean.len().div_ceil(4));
    for &record in records {
        let row = points.row(record as usize);
        for (values, means) in row.chunks(4).zip(mean.chunks(4)) {
            let mut quad = [0.0; 4];
            for ((out, value), mean) in quad.iter_mut().zip(values).zip(means) {
                *out = value - mean;
            }
            quads.push(quad);
        }
    }
    quads
}

/// The coordinate in which some records vary most; of several the first.
pub fn widest(points: &Matrix, records: &[u32]) -> usize {
    let mean = mean(points, records);
    let mut squares = vec![0.0; mean.len()];
    for &record in records {
        for ((sum, value), mean) in squares
            .iter_mut()
            .zip(points.row(record as usize))
            .zip(&mean)
        {
            *sum += (value - mean) * (value - mean);
        }
    }
    let mut widest = 0;
    for axis in 1..squares.len() {
        if squares[axis] > squares[widest] {
            widest = axis;
        }
    }
    widest
}

/// Divides groups into districts of at most `records` records (or of one group), by cutting again and again across the
/// coordinate in which their means vary most; `share` is that of the groups on the lower side.
pub fn divide(
    points: &Matrix,
    groups: Vec<Vec<u32>>,
    records: usize,
    share: (usize, usize),
) -> Vec<Vec<Vec<u32>>> {
    let width = points.n_attributes();
    let means: Vec<f64> = groups.iter().flat_map(|g| mean(points, g)).collect();
    let means = Matrix::complete(groups.len(), width, means);
    let mut groups = groups;
    let mut districts = Vec::new();
    let mut waiting: Vec<Vec<u32>> = vec![(0..number(groups.len())).collect()];
    while let Some(mut part) = waiting.pop() {
        let size: usize = part.iter().map(|&g| groups[g as usize].len()).sum();
        if size <= records || part.len() < 2 {
            let taken = part
                .iter()
                .map(|&g| std::mem::take(&mut groups[g as usize]));
            districts.push(taken.collect());
            continue;
        }
        let axis = widest(&means, &part);
        let value = |group: u32| means.row(group as usize).get(axis).copied().unwrap_or(0.0);
        let lower = (part.len() * share.0 / share.1).clamp(1, part.len() - 1);
        let upper = cut(&mut part, lower, value);
        waiting.push(upper);
        waiting.push(part);
    }
    districts
}

/// Groups of k to 2k−1 records, made by halving the records again and again across the coordinate in which they vary most.
pub fn halve(points: &Matrix, records: Vec<u32>, k: usize) -> Vec<Vec<u32>> {
    let mut groups = Vec::with_capacity(records.len() / k);
    let mut waiting = vec![records];
    while let Some(mut part) = waiting.pop() {
        if part.len() < 2 * k {
            groups.push(part);
            continue;
        }
        let axis = widest(points, &part);
        let value = |record: u32| {
            points
                .row(record as usize)
                .get(axis)
                .copied()
                .unwrap_or(0.0)
        };
        // Whole groups of k on the lower side: so there are as many groups as can be.
        let lower = part.len() / k / 2 * k;
        let upper = cut(&mut part, lower, value);
        waiting.push(upper);
        waiting.push(part);
    }
    groups
}

/// Cuts off what is not among the first `lower` by value (equal values by number). Both parts are in ascending order, which
/// does not depend on how the place of the cut was found.
fn cut(part: &mut Vec<u32>, lower: usize, value: impl Fn(u32) -> f64) -> Vec<u32> {
    part.select_nth_unstable_by(lower, |&a, &b| {
        value(a).total_cmp(&value(b)).then(a.cmp(&b))
    });
    let mut upper = part.split_off(lower);
    part.sort_unstable();
    upper.sort_unstable();
    upper
}
