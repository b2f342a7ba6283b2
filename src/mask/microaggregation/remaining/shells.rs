//! Who is farthest from a centre that moves little.

use rayon::prelude::*;

use super::{super::partition::squared_distance, places::Places, tree::Tree};
use crate::table::Matrix;

/// Factor and term by which a bound exceeds the rounding of what it bounds.
const SLACK: (f64, f64) = (1.0 + 1e-9, 1e-150);

/// One in so many places is listed.
const LISTED: usize = 8;

/// One in so many distances is looked at to decide who is listed.
const SAMPLED: usize = 64;

/// The list is made anew when so many places have been looked at, as a part of all.
const PATIENCE: usize = 4;

/// The places that are farthest from a reference.
///
/// # The bound
/// By the triangle inequality, who is at distance `d` from the reference is at most `d + m` away from a centre that has moved by
/// `m`; so the list need not be read beyond the place where that is less than the farthest found.
pub(super) struct Shells {
    /// Distances from the reference, descending, and places: all from `edge` on.
    listed: Vec<(f64, u32)>,
    edge: f64,
    reference: Vec<f64>,
    /// Places looked at since the list was made, and how many may be.
    work: usize,
    budget: usize,
}

impl Shells {
    pub(super) fn new() -> Self {
        Self {
            listed: Vec::new(),
            edge: f64::INFINITY,
            reference: Vec::new(),
            work: 0,
            budget: 0,
        }
    }

    /// The farthest record from the centre; of several the lowest.
    ///
    /// # Complexity
    /// A list costs O(n d + n log n), and serves for as many looks as are a fair part of that.
    pub(super) fn farthest(
        &mut self,
        points: &Matrix,
        places: &Places,
        tree: &Tree,
        centre: &[f64],
    ) -> Option<u32> {
        if self.work < self.budget
            && let Some(record) = self.search(points, places, centre)
        {
            return Some(record);
        }
        self.list(places, tree, centre);
        self.search(points, places, centre)
    }

    /// `None` if it does not follow from the list.
    fn search(&mut self, points: &Matrix, places: &Places, centre: &[f64]) -> Option<u32> {
        let moved = squared_distance(&self.reference, centre).sqrt();
        let most = |distance: f64| (distance + moved) * SLACK.0 + SLACK.1;
        while let Some(&(_, place)) = self.listed.last()
            && places.is_empty(place)
        {
            self.listed.pop();
        }
        let mut best: Option<(f64, u32)> = None;
        let mut enough = -1.0;
        for &(distance, place) in self.listed.iter().rev() {
            self.work += 1;
            if most(distance) < enough {
                return best.map(|best| best.1);
            }
            let Some(record) = places.first(place) else {
                continue;
            };
            let key = squared_distance(points.row(record as usize), centre);
            if best.is_none_or(|best| key > best.0 || (key == best.0 && record < best.1)) {
                best = Some((key, record));
                enough = key.sqrt();
            }
        }
        // Who is not listed is nearer to the reference than anybody who is.
        let certain = self.reference == centre || most(self.edge) < enough;
        best.filter(|_| certain).map(|best| best.1)
    }

    /// Lists the places that are now the farthest.
    fn list(&mut self, places: &Places, tree: &Tree, centre: &[f64]) {
        let left: Vec<(f64, u32)> = tree
            .rows()
            .filter(|&(place, _)| !places.is_empty(place))
            .map(|(place, row)| (squared_distance(row, centre).sqrt(), place))
            .collect();
        let mut sample: Vec<f64> = left.iter().step_by(SAMPLED).map(|at| at.0).collect();
        sample.sort_unstable_by(|a, b| b.total_cmp(a));
        let edge = sample
            .get(sample.len() / LISTED)
            .filter(|_| sample.len() > LISTED);
        // Of few places all are listed.
        self.edge = edge.copied().unwrap_or(f64::NEG_INFINITY);
        self.budget = left.len() / PATIENCE + SAMPLED;
        self.listed = left;
        self.listed.retain(|at| at.0 >= self.edge);
        self.listed
            .par_sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        self.reference = centre.to_vec();
        self.work = 0;
    }
}
