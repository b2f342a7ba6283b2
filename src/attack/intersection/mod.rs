//! Intersection attacks: what was published about the method confines the masked record to a set for each known
//! attribute; it lies in the intersection of these sets.

pub mod microaggregation;
pub mod rank_swap;

use rayon::prelude::*;

use crate::distance::nearest::Boxes;

/// Seekers whose boxes one task works out.
const ASKED_AT_ONCE: usize = 4096;

/// The set of each seeker as a box: `bounds` gives the interval of a seeker in a column, or `None` where nothing confines it;
/// `admits_gaps` says of each column whether who misses it is a candidate.
fn boxes_of(
    n_seekers: usize,
    admits_gaps: Vec<bool>,
    bounds: impl Fn(usize, usize) -> Option<(f64, f64)> + Sync,
) -> Boxes {
    let width = admits_gaps.len();
    let (mut lo, mut hi) = (
        vec![f64::NEG_INFINITY; n_seekers * width],
        vec![f64::INFINITY; n_seekers * width],
    );
    let block = (ASKED_AT_ONCE * width).max(1);
    lo.par_chunks_mut(block)
        .zip(hi.par_chunks_mut(block))
        .enumerate()
        .for_each(|(number, (lo, hi))| {
            // Column by column, so that one ranking at a time is in cache.
            for place in 0..width {
                for (row, cell) in (place..lo.len()).step_by(width).enumerate() {
                    if let Some(bounds) = bounds(number * ASKED_AT_ONCE + row, place) {
                        (lo[cell], hi[cell]) = bounds;
                    }
                }
            }
        });
    Boxes::new(n_seekers, width, lo, hi).admitting_gaps(admits_gaps)
}
