//! Duplicates are one place: what is searched is where records are, and each place knows who is left there.

use rayon::prelude::*;

use crate::table::Matrix;

/// The distinct points, numbered by the first record at each, and the records that remain there.
#[derive(Debug)]
pub(super) struct Places {
    /// The records of the first place, ascending, then those of the second, and so on.
    records: Vec<u32>,
    /// What remains of each place: a range of `records`.
    left: Vec<(u32, u32)>,
    /// The place of each record.
    of_record: Vec<u32>,
    /// A record at each place, still there or not.
    witness: Vec<u32>,
}

impl Places {
    /// # Complexity
    /// O(n log n), and O(n d log n) where many records are equal in the first coordinate.
    pub(super) fn of(points: &Matrix) -> Self {
        let row = |record: u32| points.row(record as usize);
        let mut keyed: Vec<(f64, u32)> = (0..points.n_records() as u32)
            .map(|record| (row(record).first().map_or(0.0, |value| value + 0.0), record))
            .collect();
        keyed.par_sort_unstable_by(|a, b| {
            let by_point = || {
                let pairs = row(a.1).iter().zip(row(b.1));
                pairs
                    .map(|(x, y)| (x + 0.0).total_cmp(&(y + 0.0)))
                    .find(|order| order.is_ne())
            };
            a.0.total_cmp(&b.0)
                .then_with(|| by_point().unwrap_or(std::cmp::Ordering::Equal))
                .then(a.1.cmp(&b.1))
        });
        // The first record of the place of each record.
        let mut first = vec![0; keyed.len()];
        for equal in keyed.chunk_by(|a, b| row(a.1) == row(b.1)) {
            for &(_, record) in equal {
                first[record as usize] = equal[0].1;
            }
        }
        drop(keyed);
        let mut places = Self {
            records: vec![0; first.len()],
            left: Vec::new(),
            of_record: vec![0; first.len()],
            witness: Vec::new(),
        };
        for (record, &first) in (0_u32..).zip(&first) {
            if record == first {
                places.of_record[record as usize] = places.left.len() as u32;
                places.left.push((0, 0));
                places.witness.push(record);
            }
            let place = places.of_record[first as usize];
            places.of_record[record as usize] = place;
            places.left[place as usize].1 += 1;
        }
        let mut end = 0;
        for left in &mut places.left {
            let size = left.1;
            *left = (end, end);
            end += size;
        }
        for (record, &place) in (0_u32..).zip(&places.of_record) {
            let left = &mut places.left[place as usize];
            places.records[left.1 as usize] = record;
            left.1 += 1;
        }
        places
    }

    pub(super) fn len(&self) -> usize {
        self.left.len()
    }

    /// Whether nobody remains there.
    pub(super) fn is_empty(&self, place: u32) -> bool {
        let (start, end) = self.left[place as usize];
        start == end
    }

    /// Who remains there, ascending.
    pub(super) fn at(&self, place: u32) -> &[u32] {
        let (start, end) = self.left[place as usize];
        &self.records[start as usize..end as usize]
    }

    /// The first who remains there.
    pub(super) fn first(&self, place: u32) -> Option<u32> {
        self.at(place).first().copied()
    }

    /// A record that is or was there.
    pub(super) fn witness(&self, place: u32) -> u32 {
        self.witness[place as usize]
    }

    /// Takes a record away, and returns its place if nobody remains there.
    pub(super) fn remove(&mut self, record: u32) -> Option<u32> {
        let place = self.of_record[record as usize];
        debug_assert_eq!(self.first(place), Some(record), "duplicates leave in order");
        self.left[place as usize].0 += 1;
        self.is_empty(place).then_some(place)
    }
}
