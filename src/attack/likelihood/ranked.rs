//! The lists of laws of ranks.

use super::{
    law::Law,
    ranks::{self, Ranks},
    swaps::Swaps,
    tree::Tree,
};
use crate::attack::Lists;

/// The likelihoods of laws of ranks.
#[derive(Debug)]
pub(in crate::attack) struct Ranked {
    laws: Vec<Law>,
    /// Seekers × attributes.
    seekers: Vec<Ranks>,
    n_seekers: usize,
    n_sought: usize,
    tree: Tree,
    /// How far below the best log-likelihood a candidate may lie.
    margin: f64,
}

impl Ranked {
    /// Of two files.
    ///
    /// # Complexity
    /// O(n log n · attributes).
    pub fn of(swaps: Swaps) -> Self {
        /// What is left out of the posterior of a seeker, at most.
        const LEFT_OUT: f64 = 1e-9;
        let margin = if swaps.is_bounded() {
            f64::INFINITY
        } else {
            (swaps.n_sought.max(1) as f64).ln() - LEFT_OUT.ln()
        };
        Self {
            tree: Tree::new(
                &swaps.sought,
                swaps.n_sought,
                swaps.in_place,
                margin < f64::INFINITY,
            ),
            laws: swaps.laws,
            seekers: swaps.seekers,
            n_seekers: swaps.n_seekers,
            n_sought: swaps.n_sought,
            margin,
        }
    }

    fn of_seeker(&self, seeker: usize) -> &[Ranks] {
        let width = self.laws.len();
        &self.seekers[seeker * width..(seeker + 1) * width]
    }
}

impl Lists for Ranked {
    fn n_seekers(&self) -> usize {
        self.n_seekers
    }

    fn n_sought(&self) -> usize {
        self.n_sought
    }

    fn list(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        self.unordered(seeker, list);
        list.sort_unstable_by_key(|&(record, _)| record);
    }

    fn whereabouts(&self, seeker: usize) -> u64 {
        ranks::whereabouts(self.of_seeker(seeker), self.n_seekers.max(self.n_sought))
    }

    fn unordered(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        let ranks = self.of_seeker(seeker);
        self.tree.likely(&self.laws, ranks, self.margin, list);
    }

    fn is_likelihood(&self) -> bool {
        true
    }
}
