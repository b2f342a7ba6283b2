//! Every remaining record, each time.

use super::{super::partition::squared_distance, Remaining};
use crate::table::Matrix;

/// The remaining records in no order, with their points beside each other.
pub(in super::super) struct Exhaustive<'a> {
    points: &'a Matrix,
    records: Vec<u32>,
    /// Where a record stands among `records`.
    at: Vec<u32>,
    rows: Vec<f64>,
}

impl<'a> Exhaustive<'a> {
    pub(in super::super) fn new(points: &'a Matrix) -> Self {
        let records: Vec<u32> = (0..points.n_records() as u32).collect();
        Self {
            points,
            at: records.clone(),
            records,
            rows: points.values().to_vec(),
        }
    }

    fn distances(&self, point: &[f64]) -> impl Iterator<Item = (f64, u32)> {
        let width = self.points.n_attributes();
        self.records.iter().enumerate().map(move |(at, &record)| {
            let row = &self.rows[at * width..(at + 1) * width];
            (squared_distance(point, row), record)
        })
    }

    fn farthest_from_point(&self, point: &[f64]) -> Option<u32> {
        let further = |a: (f64, u32), b: (f64, u32)| {
            if b.0 > a.0 || (b.0 == a.0 && b.1 < a.1) {
                b
            } else {
                a
            }
        };
        self.distances(point).reduce(further).map(|best| best.1)
    }
}

impl Remaining for Exhaustive<'_> {
    fn len(&self) -> usize {
        self.records.len()
    }

    fn records(&self) -> Vec<u32> {
        let mut records = self.records.clone();
        records.sort_unstable();
        records
    }

    fn farthest_from_centre(&mut self, centre: &[f64]) -> Option<u32> {
        self.farthest_from_point(centre)
    }

    fn farthest(&mut self, from: u32) -> Option<u32> {
        self.farthest_from_point(self.points.row(from as usize))
    }

    fn nearest(&mut self, to: u32, count: usize) -> Vec<u32> {
        let mut best: Vec<(f64, u32)> = Vec::with_capacity(count + 1);
        for candidate in self.distances(self.points.row(to as usize)) {
            let nearer = |other: &(f64, u32)| {
                other.0 < candidate.0 || (other.0 == candidate.0 && other.1 < candidate.1)
            };
            if best.len() < count || !best.last().is_none_or(nearer) {
                best.insert(best.partition_point(nearer), candidate);
                best.truncate(count);
            }
        }
        best.into_iter().map(|(_, record)| record).collect()
    }

    fn remove(&mut self, record: u32) {
        let at = self.at[record as usize] as usize;
        let width = self.points.n_attributes();
        let last = self.records.len() - 1;
        self.records.swap_remove(at);
        if at < last {
            self.at[self.records[at] as usize] = at as u32;
            self.rows
                .copy_within(last * width..(last + 1) * width, at * width);
        }
        self.rows.truncate(last * width);
    }
}
