//! Linking all records at once, each at most once: the intruder who knows that the two files hold the same people.

use super::Preference;
use crate::{error::Result, optimize::assignment};

/// The links of the cheapest one-to-one assignment.
#[derive(Debug, Clone, PartialEq)]
pub struct Assignment {
    /// The sought record of each seeker, where it got one.
    pub partners: Vec<Option<u32>>,
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
    let (n_seekers, n_sought) = (
        preference.seekers.n_records(),
        preference.sought.n_records(),
    );
    let partners = assignment::cheapest(n_seekers, n_sought, |seeker, sought| {
        preference.cost(seeker, sought)
    })?;
    let cost = partners
        .iter()
        .enumerate()
        .filter_map(|(seeker, partner)| preference.cost(seeker, (*partner)? as usize))
        .fold(0.0, |sum, cost| sum + cost);
    Ok(Assignment { partners, cost })
}
