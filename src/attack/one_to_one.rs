//! Linking all records at once, each at most once: the intruder who knows that the two files hold the same people.

use rayon::prelude::*;

use super::{Lists, Preference};
use crate::{error::Result, optimize::assignment};

/// The links of the cheapest one-to-one assignment.
#[derive(Debug, Clone, PartialEq)]
pub struct Assignment {
    /// The sought record of each seeker, where it got one.
    pub partners: Vec<Option<u32>>,
    /// The cost of each seeker's pair.
    pub costs: Vec<Option<f64>>,
    /// The sum of the costs of the pairs (squared distances for distance-based attacks).
    pub cost: f64,
}

/// Assigns seekers to sought records so that as many as possible get one and the sum of costs is least.
///
/// # Ties
/// Several assignments may cost the same; which one comes out depends on the order of the sought records. They must
/// therefore stand in an order unrelated to the seekers' (a [`super::Scenario`] sees to that).
///
/// # Complexity
/// O(n³) time and one dense matrix of costs: see [`assignment::bytes`].
///
/// # Errors
/// Failed, when the solver does not find an assignment.
pub fn assign(preference: &Preference<'_>) -> Result<Assignment> {
    let cost: Box<dyn Fn(usize, usize) -> Option<f64> + '_> = match preference {
        Preference::Nearest(nearest) => Box::new(|seeker, sought| nearest.cost(seeker, sought)),
        Preference::Lists(_) | Preference::Agreed(_) => {
            let lists = preference.as_lists().map(written_down).unwrap_or_default();
            Box::new(move |seeker, sought| {
                let list = &lists[seeker];
                let found = list.binary_search_by_key(&sought, |&(record, _)| record as usize);
                found.ok().map(|at| list[at].1)
            })
        }
    };
    let partners = assignment::cheapest(preference.n_seekers(), preference.n_sought(), &cost)?;
    let costs: Vec<Option<f64>> = partners
        .iter()
        .enumerate()
        .map(|(seeker, partner)| cost(seeker, (*partner)? as usize))
        .collect();
    Ok(Assignment {
        cost: costs.iter().flatten().fold(0.0, |sum, cost| sum + cost),
        costs,
        partners,
    })
}

/// All lists at once.
fn written_down(lists: &dyn Lists) -> Vec<Vec<(u32, f64)>> {
    (0..lists.n_seekers())
        .into_par_iter()
        .map(|seeker| {
            let mut list = Vec::new();
            lists.list(seeker, &mut list);
            list
        })
        .collect()
}
