//! The searches that leave out what cannot matter.

use super::{
    Remaining,
    places::Places,
    shells::Shells,
    tree::{Goal, MAX_COORDINATES, Tree},
};
use crate::table::Matrix;

/// Coordinates up to which no squared distance overflows.
const SAFE_VALUE: f64 = 1e150;

/// The remaining records, ready to be searched.
pub(in super::super) struct Fast<'a> {
    points: &'a Matrix,
    places: Places,
    shells: Shells,
    tree: Tree,
    /// Records that remain.
    n_records: usize,
    /// Places where somebody remains.
    n_places: usize,
}

impl<'a> Fast<'a> {
    /// `None` where the bounds would not be right, as distances might overflow.
    pub(in super::super) fn new(points: &'a Matrix) -> Option<Self> {
        let safe = |value: &f64| value.abs() <= SAFE_VALUE;
        let right = points.n_attributes() <= MAX_COORDINATES && points.values().iter().all(safe);
        right.then(|| {
            let places = Places::of(points);
            let all = (0..places.len() as u32).collect();
            Self {
                points,
                shells: Shells::new(),
                tree: Tree::build(points, &places, all),
                n_records: points.n_records(),
                n_places: places.len(),
                places,
            }
        })
    }

    /// Builds the tree anew when half of its places are empty.
    fn tidy(&mut self) {
        if self.n_places * 2 <= self.tree.len() && self.n_places > 0 {
            let left = self.tree.places();
            let left = left.filter(|&place| !self.places.is_empty(place)).collect();
            self.tree = Tree::build(self.points, &self.places, left);
        }
    }
}

impl Remaining for Fast<'_> {
    fn len(&self) -> usize {
        self.n_records
    }

    fn records(&self) -> Vec<u32> {
        let all = 0..self.places.len() as u32;
        let mut records: Vec<u32> = all
            .flat_map(|place| self.places.at(place).iter().copied())
            .collect();
        records.sort_unstable();
        records
    }

    fn farthest_from_centre(&mut self, centre: &[f64]) -> Option<u32> {
        self.tidy();
        self.shells
            .farthest(self.points, &self.places, &self.tree, centre)
    }

    fn farthest(&mut self, from: u32) -> Option<u32> {
        self.tidy();
        let row = self.points.row(from as usize);
        let mut goal = Farthest {
            places: &self.places,
            best: None,
        };
        self.tree.walk(row, &mut goal);
        goal.best.map(|best| best.1)
    }

    fn nearest(&mut self, to: u32, count: usize) -> Vec<u32> {
        if count == 0 {
            return Vec::new();
        }
        let row = self.points.row(to as usize);
        let mut goal = Nearest {
            places: &self.places,
            count,
            best: Vec::with_capacity(count + 1),
        };
        self.tree.walk(row, &mut goal);
        goal.best.into_iter().map(|(_, record)| record).collect()
    }

    fn remove(&mut self, record: u32) {
        self.n_records -= 1;
        if let Some(place) = self.places.remove(record) {
            self.n_places -= 1;
            self.tree.strike_out(place);
        }
    }
}

/// The farthest record so far.
struct Farthest<'a> {
    places: &'a Places,
    best: Option<(f64, u32)>,
}

impl Goal for Farthest<'_> {
    const NEAR: bool = false;

    fn reach(&self) -> Option<f64> {
        self.best.map(|best| best.0)
    }

    #[inline(always)]
    fn offer(&mut self, place: u32, key: f64) -> bool {
        let Some(record) = self.places.first(place) else {
            return false;
        };
        let better = self
            .best
            .is_none_or(|best| key > best.0 || (key == best.0 && record < best.1));
        if better {
            self.best = Some((key, record));
        }
        better
    }
}

/// The nearest records so far, nearest first, ties ascending.
struct Nearest<'a> {
    places: &'a Places,
    count: usize,
    best: Vec<(f64, u32)>,
}

impl Goal for Nearest<'_> {
    const NEAR: bool = true;

    fn reach(&self) -> Option<f64> {
        let full = self.best.len() == self.count;
        self.best.last().filter(|_| full).map(|worst| worst.0)
    }

    #[inline(always)]
    fn offer(&mut self, place: u32, key: f64) -> bool {
        let mut changed = false;
        for &record in self.places.at(place) {
            let nearer = |other: &(f64, u32)| other.0 < key || (other.0 == key && other.1 < record);
            let full = self.best.len() == self.count;
            if full && self.best.last().is_some_and(nearer) {
                break;
            }
            self.best
                .insert(self.best.partition_point(nearer), (key, record));
            self.best.truncate(self.count);
            changed = true;
        }
        changed
    }
}
