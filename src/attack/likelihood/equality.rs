//! Attributes that were not masked, and gaps.

use crate::{
    attack::{Direction, Scenario},
    table::matrix::Matrix,
};

/// Whether a pair agrees on gaps and on what was not masked.
///
/// What the seeker misses says nothing, nor does what the sought record misses: a factor of 1 in the scale of unrelated records. Only
/// where gaps are in place ([`Scenario::gaps_in_place`]) both records must have the same missing-value pattern.
#[derive(Debug)]
pub(super) struct Equality {
    /// For each known attribute, whether it was masked.
    pub masked: Vec<bool>,
    /// For each, whether gaps are where they were before masking.
    pub in_place: Vec<bool>,
    /// Who seeks.
    pub direction: Direction,
}

impl Equality {
    /// Of a method that a statement describes.
    pub fn new(scenario: &Scenario<'_>, masked: Vec<bool>) -> Self {
        Self {
            masked,
            in_place: scenario.gaps_in_place(true),
            direction: scenario.direction,
        }
    }

    /// Whether one of the intruder's records can have become a released one, as far as this decides it.
    pub fn admits(&self, intruder: &Matrix, (i, j): (usize, usize), released: &Matrix) -> bool {
        let (x, y) = (intruder.record(i), released.record(j));
        let complete = intruder.is_complete() && released.is_complete();
        self.masked.iter().enumerate().all(|(attribute, &masked)| {
            let missing = [x, y].map(|record| !complete && record.is_missing(attribute));
            let equal = || {
                x.values()[attribute]
                    .total_cmp(&y.values()[attribute])
                    .is_eq()
            };
            match missing {
                [false, false] => masked || equal(),
                [one, other] => one == other || !self.in_place[attribute],
            }
        })
    }
}
