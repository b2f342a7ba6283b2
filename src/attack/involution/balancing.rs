//! The posterior of candidates on the way to something else.

use rayon::prelude::*;

use super::{Borrowed, candidates::Candidates};
use crate::{
    attack::{
        Lists,
        balanced::{Balanced, Unlisted},
    },
    error::Result,
};

/// A balanced posterior.
pub(super) struct Posterior {
    /// The probability of each pair.
    pub of_pairs: Vec<f64>,
    /// The probability that each seeker has no partner.
    pub of_nobody: Vec<f64>,
}

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

    /// The balanced posterior of the pairs.
    ///
    /// # Errors
    /// Failed, when it would take too much memory.
    pub(super) fn posterior(&mut self, candidates: &Candidates) -> Result<Posterior> {
        let lists = Borrowed {
            candidates,
            n_sought: self.n_sought,
        };
        let balanced = match self.last.take() {
            Some(last) => last.again(&lists, self.rounds),
            None => Balanced::in_rounds(&lists, Unlisted::Impossible, self.rounds)?,
        };
        let posterior = posterior(candidates, &balanced);
        self.last = Some(balanced);
        Ok(posterior)
    }
}

fn posterior(candidates: &Candidates, balanced: &Balanced) -> Posterior {
    let of_seeker = |seeker: usize| {
        let pairs = candidates.starts[seeker]..candidates.starts[seeker + 1];
        // Balancing may leave pairs out.
        let mut entries = balanced.probabilities(seeker).peekable();
        let of_record = move |record: &u32| {
            let own = entries.next_if(|(other, _)| other == record);
            own.map_or(0.0, |(_, probability)| probability)
        };
        candidates.records[pairs].iter().map(of_record)
    };
    let seekers = (0..candidates.n_seekers()).into_par_iter();
    let nobody = seekers.clone().map(|seeker| balanced.no_partner(seeker));
    Posterior {
        of_pairs: seekers.flat_map_iter(of_seeker).collect(),
        of_nobody: nobody.collect(),
    }
}
