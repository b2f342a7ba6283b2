//! Minimum hitting set: the fewest elements of which every set has one.
//!
//! ```text
//! minimise  Σ x_e     such that   Σ_{e ∈ S} x_e ≥ 1  for all sets S,    x ∈ {0, 1}
//! ```
//!
//! NP-hard, and a set covering problem seen from the other side. Sets that contain others and elements that another replaces everywhere
//! are left out first; then branch and bound with the linear relaxation.
//!
//! # Determinism
//! No random numbers and no clock: equal sets have equal answers, unless the search is stopped.

mod branch;
mod greedy;
mod reduce;
#[cfg(test)]
mod tests;

pub use greedy::{Greedy, without_redundant};

/// Whether few elements hit all sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// These elements do, ascending.
    Hit(Vec<u32>),
    /// No so few elements do.
    Impossible,
    /// The search was stopped.
    Unknown,
}

/// Whether `most` elements, or fewer, hit all sets. An empty set is hit by nothing.
///
/// # Panics
/// If an element is not below `n_elements`.
pub fn decide(
    sets: &[Vec<u32>],
    n_elements: usize,
    most: usize,
    stops: &dyn Fn() -> bool,
) -> Decision {
    let reduced = reduce::reduce(sets, n_elements);
    if reduced.impossible || reduced.forced.len() > most {
        return Decision::Impossible;
    }
    let room = most - reduced.forced.len();
    let found = branch::search(&reduced.sets, reduced.names.len(), room, stops);
    match found {
        Decision::Hit(chosen) => {
            let mut elements = reduced.forced;
            elements.extend(chosen.iter().map(|&e| reduced.names[e as usize]));
            elements.sort_unstable();
            Decision::Hit(elements)
        }
        other => other,
    }
}

/// The linear relaxation's bound: no fewer elements hit all sets. `None` if nothing hits them.
pub fn lower_bound(sets: &[Vec<u32>], n_elements: usize) -> Option<usize> {
    let reduced = reduce::reduce(sets, n_elements);
    if reduced.impossible {
        return None;
    }
    let rest = branch::relaxation(&reduced.sets, reduced.names.len());
    Some(reduced.forced.len() + rest)
}
