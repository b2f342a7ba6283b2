//! The lists of laws of ranks.

use super::{
    known::{self, AT_ONCE, Known},
    reach::Reach,
    swaps::Swaps,
    tree::Tree,
};
use crate::attack::Lists;

/// The likelihoods of laws of ranks.
#[derive(Debug)]
pub(in crate::attack) struct Ranked {
    /// The sought records in the order of their places in the index.
    swaps: Swaps,
    index: Index,
}

/// How candidates are found.
#[derive(Debug)]
enum Index {
    /// Where all laws have bounds: everybody who is possible.
    Reach(Box<Reach>),
    /// Elsewhere: whose log-likelihood is no farther below the best than a margin.
    Tree { tree: Tree, margin: f64 },
}

impl Ranked {
    /// Of two files.
    ///
    /// # Complexity
    /// O(n log n · attributes).
    pub fn of(swaps: Swaps) -> Self {
        /// What is left out of the posterior of a seeker, at most.
        const LEFT_OUT: f64 = 1e-9;
        let index = if swaps.is_bounded() {
            Index::Reach(Box::new(Reach::of(&swaps)))
        } else {
            Index::Tree {
                tree: Tree::of(&swaps),
                margin: (swaps.n_sought.max(1) as f64).ln() - LEFT_OUT.ln(),
            }
        };
        Self {
            swaps: swaps.seeking(index.records()),
            index,
        }
    }

    /// Puts into `list` everybody who is possible, by place, with −log-likelihood.
    fn possible(&self, reach: &Reach, seeker: usize, list: &mut Vec<(u32, f64)>) {
        let known = Known::all(&self.swaps, seeker);
        let mut places = Vec::new();
        reach.look(self.swaps.of_seeker(seeker), &mut places);
        for places in places.chunks(AT_ONCE) {
            let all = places.iter().zip(known::logs(&known, &self.swaps, places));
            let possible = all.filter(|&(_, log)| log > f64::NEG_INFINITY);
            list.extend(possible.map(|(&place, log)| (place, -log)));
        }
    }
}

impl Index {
    /// The sought record at each place.
    fn records(&self) -> &[u32] {
        match self {
            Self::Reach(reach) => reach.records(),
            Self::Tree { tree, .. } => tree.records(),
        }
    }
}

impl Lists for Ranked {
    fn n_seekers(&self) -> usize {
        self.swaps.n_seekers
    }

    fn n_sought(&self) -> usize {
        self.swaps.n_sought
    }

    fn list(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        self.unordered(seeker, list);
        list.sort_unstable_by_key(|&(record, _)| record);
    }

    fn whereabouts(&self, seeker: usize) -> u64 {
        self.swaps.whereabouts(seeker)
    }

    fn unordered(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        list.clear();
        match &self.index {
            Index::Reach(reach) => self.possible(reach, seeker, list),
            Index::Tree { tree, margin } => {
                tree.likely(&self.swaps, seeker, *margin, list);
            }
        }
        let records = self.index.records();
        for (place, _) in list {
            *place = records[*place as usize];
        }
    }

    fn is_likelihood(&self) -> bool {
        true
    }
}
