//! Attributes that were not masked, and gaps.

use crate::{
    attack::{Direction, GapRule, Scenario},
    table::matrix::{Matrix, Row},
};

/// Whether a pair agrees on gaps and on what was not masked.
///
/// What the seeker misses says nothing, nor does what the sought record misses: a factor of 1 in the scale of unrelated records. But
/// where gaps stayed in place, pairs are impossible of which one misses what the other has ([`Scenario::gap_rules`]).
#[derive(Debug)]
pub(super) struct Equality {
    /// For each known attribute, whether it was masked.
    pub masked: Vec<bool>,
    /// For each, what gaps say of pairs.
    pub gaps: Vec<GapRule>,
    /// Who seeks.
    pub direction: Direction,
}

impl Equality {
    /// Of a method that a statement describes.
    pub fn new(scenario: &Scenario<'_>, masked: Vec<bool>) -> Self {
        Self {
            masked,
            gaps: scenario.gap_rules(true),
            direction: scenario.direction,
        }
    }

    /// Whether one of the intruder's records can have become a released one, as far as this decides it.
    pub fn admits(&self, intruder: &Matrix, (i, j): (usize, usize), released: &Matrix) -> bool {
        let (x, y) = (intruder.record(i), released.record(j));
        let complete = intruder.is_complete() && released.is_complete();
        (0..self.masked.len()).all(|attribute| {
            let value = |record: Row<'_>| {
                let is_missing = !complete && record.is_missing(attribute);
                (!is_missing).then(|| record.values()[attribute])
            };
            self.admits_values(attribute, value(x), value(y))
        })
    }

    /// The same of what both have of an attribute.
    pub fn admits_values(
        &self,
        attribute: usize,
        intruder: Option<f64>,
        released: Option<f64>,
    ) -> bool {
        if let (Some(x), Some(y)) = (intruder, released) {
            return self.masked[attribute] || x == y;
        }
        let missing = (intruder.is_none(), released.is_none());
        let (seeker, sought) = match self.direction {
            Direction::OriginalToMasked => missing,
            Direction::MaskedToOriginal => (missing.1, missing.0),
        };
        self.gaps[attribute].admits(seeker, sought)
    }
}
