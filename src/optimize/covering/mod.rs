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

/// Who knows more sets than are listed, and reveals them when they matter.
pub trait Oracle {
    /// Sets that these elements do not hit, if there are any. `shares` has the elements that are in by some share (0 < x ≤ 1) where the
    /// search is: sets of small sums of shares say most.
    fn ask(&mut self, elements: &[u32], shares: &[(u32, f64)]) -> Vec<Vec<u32>>;

    /// Hitting sets of at most this many elements are looked for; never more than before. `None`: no longer.
    fn most(&self) -> Option<usize>;

    /// Whether the search must stop.
    fn stops(&self) -> bool;
}

/// How a search ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// The oracle has nothing against these elements.
    Accepted(Vec<u32>),
    /// No hitting set of at most this many elements is left.
    Exhausted(usize),
    /// It was stopped; no fewer than these elements hit all sets.
    Stopped(usize),
    /// The oracle's sets have too many elements that no set had before.
    Crowded,
    /// There are too many elements for the linear relaxation, whose inverse is dense.
    TooMany,
}

/// With more elements there is no linear relaxation: its inverse would have the square of that many numbers.
const MAX_ELEMENTS: usize = 3_000;

/// Room for elements that no set has at the beginning.
const SPARE: usize = 48;

/// Looks for a hitting set of sets that are revealed one by one (branch and check): whenever the elements at hand hit what is known,
/// the oracle is asked, and the search goes on with its sets.
///
/// # Panics
/// If an element is not below `n_elements`.
pub fn explore(sets: &[Vec<u32>], n_elements: usize, oracle: &mut dyn Oracle) -> Ended {
    if sets.iter().any(Vec::is_empty) {
        return Ended::Exhausted(n_elements);
    }
    let mut sets = sets.to_vec();
    reduce::minimal(&mut sets);
    let mut names = Names::new(n_elements);
    for set in &mut sets {
        names.rename(set);
    }
    let room = n_elements.min(names.names.len() + SPARE);
    if room > MAX_ELEMENTS {
        return Ended::TooMany;
    }
    let mut translator = Translator {
        oracle,
        names,
        room,
        crowded: false,
    };
    let ended = branch::search(sets, room, &mut translator);
    if translator.crowded {
        return Ended::Crowded;
    }
    match ended {
        Ended::Accepted(elements) => Ended::Accepted(translator.names.back(&elements)),
        other => other,
    }
}

/// Numbers for the elements that sets have.
struct Names {
    numbers: Vec<u32>,
    names: Vec<u32>,
}

impl Names {
    fn new(n_elements: usize) -> Self {
        Self {
            numbers: vec![u32::MAX; n_elements],
            names: Vec::new(),
        }
    }

    fn rename(&mut self, set: &mut [u32]) {
        for element in set.iter_mut() {
            let number = &mut self.numbers[*element as usize];
            if *number == u32::MAX {
                *number = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
                self.names.push(*element);
            }
            *element = *number;
        }
        set.sort_unstable();
    }

    fn back(&self, numbers: &[u32]) -> Vec<u32> {
        let mut elements: Vec<u32> = numbers
            .iter()
            .filter_map(|&number| self.names.get(number as usize).copied())
            .collect();
        elements.sort_unstable();
        elements
    }
}

/// Between the search and an oracle that calls the elements by other names.
struct Translator<'a> {
    oracle: &'a mut dyn Oracle,
    names: Names,
    room: usize,
    crowded: bool,
}

impl Oracle for Translator<'_> {
    fn ask(&mut self, elements: &[u32], shares: &[(u32, f64)]) -> Vec<Vec<u32>> {
        let name = |e: u32| self.names.names.get(e as usize).copied();
        let shares: Vec<(u32, f64)> = shares
            .iter()
            .filter_map(|&(e, share)| Some((name(e)?, share)))
            .collect();
        let mut sets = self.oracle.ask(&self.names.back(elements), &shares);
        for set in &mut sets {
            self.names.rename(set);
        }
        if self.names.names.len() > self.room {
            self.crowded = true;
            sets.retain(|set| set.iter().all(|&e| (e as usize) < self.room));
        }
        sets
    }

    fn most(&self) -> Option<usize> {
        self.oracle.most()
    }

    fn stops(&self) -> bool {
        self.crowded || self.oracle.stops()
    }
}

/// An oracle that knows nothing more.
struct Known<'a> {
    most: usize,
    stops: &'a dyn Fn() -> bool,
}

impl Oracle for Known<'_> {
    fn ask(&mut self, _: &[u32], _: &[(u32, f64)]) -> Vec<Vec<u32>> {
        Vec::new()
    }

    fn most(&self) -> Option<usize> {
        Some(self.most)
    }

    fn stops(&self) -> bool {
        (self.stops)()
    }
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
    if reduced.names.len() > MAX_ELEMENTS {
        return Decision::Unknown;
    }
    let most = most - reduced.forced.len();
    let mut known = Known { most, stops };
    match branch::search(reduced.sets, reduced.names.len(), &mut known) {
        Ended::Accepted(chosen) => {
            let mut elements = reduced.forced;
            elements.extend(chosen.iter().map(|&e| reduced.names[e as usize]));
            elements.sort_unstable();
            Decision::Hit(elements)
        }
        Ended::Exhausted(_) => Decision::Impossible,
        Ended::Stopped(_) | Ended::Crowded | Ended::TooMany => Decision::Unknown,
    }
}

/// The linear relaxation's bound (of very many elements: the number of sets without common elements): no fewer elements hit all sets.
/// `None` if nothing hits them.
///
/// # Panics
/// If an element is not below `n_elements`.
pub fn lower_bound(sets: &[Vec<u32>], n_elements: usize) -> Option<usize> {
    let reduced = reduce::reduce(sets, n_elements);
    if reduced.impossible {
        return None;
    }
    let n_left = reduced.names.len();
    let rest = if n_left > MAX_ELEMENTS {
        reduce::packing(&reduced.sets, n_left)
    } else {
        branch::relaxation(reduced.sets, n_left)
    };
    Some(reduced.forced.len() + rest)
}
