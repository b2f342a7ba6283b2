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

/// The balanced posterior of these pairs, by so many rounds of scaling: what comes of all is balanced to the end by the judge.
///
/// # Errors
/// Failed, when it would take too much memory.
pub(super) fn balanced(candidates: &Candidates, n_sought: usize, rounds: u32) -> Result<Posterior> {
    let lists = Borrowed {
        candidates,
        n_sought,
    };
    let balanced = Balanced::in_rounds(&lists, Unlisted::Impossible, rounds)?;
    let of_seeker = |list: &mut Vec<(u32, f64)>, seeker: usize| -> Vec<f64> {
        balanced.list(seeker, list);
        let pairs = candidates.starts[seeker]..candidates.starts[seeker + 1];
        // Balancing may leave pairs out.
        let mut entries = list.iter().peekable();
        let of_record = |record: &u32| {
            let own = entries.next_if(|(other, _)| other == record);
            own.map_or(0.0, |&(_, cost)| (-cost).exp())
        };
        candidates.records[pairs].iter().map(of_record).collect()
    };
    let rows: Vec<Vec<f64>> = (0..candidates.n_seekers())
        .into_par_iter()
        .map_init(Vec::new, of_seeker)
        .collect();
    let seekers = 0..candidates.n_seekers();
    Ok(Posterior {
        of_pairs: rows.concat(),
        of_nobody: seekers.map(|seeker| balanced.no_partner(seeker)).collect(),
    })
}
