//! Likelihoods of ranks, relative to how often a masked record is met.

use rayon::prelude::*;

use crate::attack::{Lists, posterior};

/// Seekers are cut into so many pieces, whatever the number of threads, so that sums do not depend on it.
const PIECES: usize = 16;

/// Lists of original records that seek: `cost(y) = −ln P(y | x) + ln f(y)`.
///
/// ```text
/// f(y) = (Σ_i P(y | x_i) + (n − h)) / n     over the h records x_i that the intruder holds, of n released
/// ```
///
/// P is in the scale in which unrelated records have a likelihood of 1, which is what is said of the n − h people whom they do not
/// know. Without f, records where many can have gone (at the ends of a file whose ranks were moved) are preferred by all: see
/// [`Pairs`](super::pairs::Pairs). Balancing finds f by itself.
///
/// # Complexity
/// All lists are made once more; 128 bytes a sought record while they are.
#[derive(Debug)]
pub(super) struct Marginal<L> {
    lists: L,
    /// ln f of each sought record.
    log: Vec<f64>,
}

impl<L: Lists> Marginal<L> {
    /// Of lists whose costs are −ln P(y | x).
    pub(super) fn new(lists: L) -> Self {
        let (n_seekers, n_sought) = (lists.n_seekers(), lists.n_sought());
        let piece = n_seekers.div_ceil(PIECES).max(1);
        let pieces: Vec<Vec<f64>> = (0..n_seekers.div_ceil(piece))
            .into_par_iter()
            .map(|number| {
                let mut sums = vec![0.0; n_sought];
                let mut list = Vec::new();
                for seeker in number * piece..((number + 1) * piece).min(n_seekers) {
                    lists.unordered(seeker, &mut list);
                    for &(record, cost) in &list {
                        sums[record as usize] += (-cost).exp();
                    }
                }
                sums
            })
            .collect();
        let unknown = n_sought.saturating_sub(n_seekers) as f64;
        let log = |record: usize| {
            let sum = pieces
                .iter()
                .fold(unknown, |sum, piece| sum + piece[record]);
            (sum / n_sought as f64).max(f64::MIN_POSITIVE).ln()
        };
        Self {
            log: (0..n_sought).map(log).collect(),
            lists,
        }
    }

    fn divide(&self, list: &mut [(u32, f64)]) {
        for (record, cost) in list {
            *cost += self.log[*record as usize];
        }
    }
}

impl<L: Lists> Lists for Marginal<L> {
    fn n_seekers(&self) -> usize {
        self.lists.n_seekers()
    }

    fn n_sought(&self) -> usize {
        self.lists.n_sought()
    }

    fn list(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        self.lists.list(seeker, list);
        self.divide(list);
    }

    fn unordered(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        self.lists.unordered(seeker, list);
        self.divide(list);
    }

    fn is_likelihood(&self) -> bool {
        true
    }

    fn stated(&self, _seeker: usize, list: &[(u32, f64)]) -> f64 {
        posterior::of_best_among_others(list, posterior::one, 0.0, self.n_sought())
    }
}
