//! Who is farthest from a centre that moves little.

use rayon::prelude::*;

use super::{super::partition::squared_distance, places::Places};
use crate::table::Matrix;

/// Factor and term by which a bound exceeds the rounding of what it bounds.
const SLACK: (f64, f64) = (1.0 + 1e-9, 1e-150);

/// Places, the farthest from a reference first.
///
/// # The bound
/// By the triangle inequality, who is at distance `d` from the reference is at most `d + m` away from a centre that has moved by
/// `m`; so the list need not be read beyond the place where that is less than the farthest found.
pub(super) struct Shells {
    /// Distances from the reference, descending, and places.
    sorted: Vec<(f64, u32)>,
    /// Nobody remains at the places before it.
    start: usize,
    reference: Vec<f64>,
    /// Places looked at since the list was sorted.
    work: usize,
}

impl Shells {
    pub(super) fn new() -> Self {
        Self {
            sorted: Vec::new(),
            start: 0,
            reference: Vec::new(),
            work: usize::MAX,
        }
    }

    /// The farthest record from the centre; of several the lowest.
    ///
    /// # Complexity
    /// The list is sorted anew when as many places have been looked at as it has, so that this costs O(log n) a look.
    pub(super) fn farthest(
        &mut self,
        points: &Matrix,
        places: &Places,
        centre: &[f64],
    ) -> Option<u32> {
        if self.work > self.sorted.len() - self.start {
            self.sort(points, places, centre);
        }
        let moved = squared_distance(&self.reference, centre).sqrt();
        let mut best: Option<(f64, u32)> = None;
        let mut enough = -1.0;
        while let Some(&(_, place)) = self.sorted.get(self.start)
            && places.is_empty(place)
        {
            self.start += 1;
        }
        for &(distance, place) in &self.sorted[self.start..] {
            self.work += 1;
            if (distance + moved) * SLACK.0 + SLACK.1 < enough {
                break;
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
        best.map(|best| best.1)
    }

    fn sort(&mut self, points: &Matrix, places: &Places, centre: &[f64]) {
        self.reference = centre.to_vec();
        let key = |place| {
            let row = points.row(places.witness(place) as usize);
            (squared_distance(row, centre).sqrt(), place)
        };
        self.sorted = if self.sorted.is_empty() {
            (0..places.len() as u32).into_par_iter().map(key).collect()
        } else {
            let left = self.sorted.par_iter().map(|&(_, place)| place);
            left.filter(|&place| !places.is_empty(place))
                .map(key)
                .collect()
        };
        self.sorted
            .par_sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        self.start = 0;
        self.work = 0;
    }
}
