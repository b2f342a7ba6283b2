//! Attributes that were not masked.

use crate::{attack::Direction, table::matrix::Matrix};

/// Whether a pair agrees on gaps and on what was not masked.
///
/// Gaps stay in place: nobody whom a seeker's values describe misses one of them. What the seeker misses says nothing.
#[derive(Debug)]
pub(super) struct Agreement {
    /// For each known attribute, whether it was masked.
    pub masked: Vec<bool>,
    pub direction: Direction,
}

impl Agreement {
    /// Whether one of the intruder's records can have become a released one, as far as this decides it.
    pub fn admits(&self, intruder: &Matrix, (i, j): (usize, usize), released: &Matrix) -> bool {
        let (x, y) = (intruder.record(i), released.record(j));
        let complete = intruder.is_complete() && released.is_complete();
        self.masked.iter().enumerate().all(|(attribute, &masked)| {
            let (seeker, sought) = match self.direction {
                _ if complete => (false, false),
                Direction::OriginalToMasked => (x.is_missing(attribute), y.is_missing(attribute)),
                Direction::MaskedToOriginal => (y.is_missing(attribute), x.is_missing(attribute)),
            };
            let equal = || {
                x.values()[attribute]
                    .total_cmp(&y.values()[attribute])
                    .is_eq()
            };
            seeker || (!sought && (masked || equal()))
        })
    }
}
