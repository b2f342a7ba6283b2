//! The posterior of candidates on the way to something else.

use rayon::prelude::*;

use super::{Borrowed, candidates::Candidates};
use crate::{
    attack::balanced::{Balanced, Unlisted},
    error::Result,
};

/// Balances the same pairs again and again, while their costs change, by so many rounds of scaling: what comes of all is balanced to the end by the
/// judge.
pub(super) struct Balancing {
    n_sought: usize,
    rounds: u32,
    last: Option<Balanced>,
}

impl Balancing {
    pub(super) fn new(n_sought: usize, rounds: u32) -> Self {
        Self {
            n_sought,
            rounds,
            last: None,
        }
    }

    /// From now on there are other pairs.
    pub(super) fn forget(&mut self) {
        self.last = None;
    }

    /// The pairs, balanced by their costs.
    ///
    /// # Errors
    /// Failed, when it would take too much memory.
    pub(super) fn balanced(&mut self, candidates: &Candidates) -> Result<&Balanced> {
        let lists = Borrowed {
            candidates,
            n_sought: self.n_sought,
        };
        Ok(match &mut self.last {
            Some(last) => {
                last.again(&lists, self.rounds);
                last
            }
            none => none.insert(Balanced::in_rounds(
                &lists,
                Unlisted::Impossible,
                self.rounds,
            )?),
        })
    }

    /// The probability of each pair.
    ///
    /// # Errors
    /// Failed, when it would take too much memory.
    pub(super) fn posterior(&mut self, candidates: &Candidates) -> Result<Vec<f64>> {
        let balanced = self.balanced(candidates)?;
        let seekers = (0..candidates.n_seekers()).into_par_iter();
        Ok(seekers
            .flat_map_iter(|seeker| of_pairs(candidates, balanced, seeker))
            .collect())
    }
}

/// The probability of each pair of a seeker, once they are balanced.
pub(super) fn of_pairs(
    candidates: &Candidates,
    balanced: &Balanced,
    seeker: usize,
) -> impl Iterator<Item = f64> {
    let pairs = candidates.row(seeker);
    // Balancing may leave pairs out.
    let mut entries = balanced.probabilities(seeker).peekable();
    candidates.records[pairs].iter().map(move |record| {
        let own = entries.next_if(|(other, _)| other == record);
        own.map_or(0.0, |(_, probability)| probability)
    })
}
