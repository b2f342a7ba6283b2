//! Intersection attacks: what was published about the method confines the masked record to a set for each known
//! attribute; it lies in the intersection of these sets.

pub mod microaggregation;
pub mod rank_swap;

use rayon::prelude::*;

use crate::{
    attack::GapRule,
    distance::nearest::{Boxes, GAP},
};

/// Seekers whose intervals one task works out at most: so many that those who are next to each other in a column, and are asked for one
/// after the other, mostly need the same of its ranking.
const ASKED_AT_ONCE: usize = 1 << 20;

/// The set of each seeker as a box: `value` is what is known of a seeker in a column, and `rules` say of each column what gaps do. `bounds` is
/// called once for each column: what it returns gives the interval for a value, or `None` where that value confines nobody. It can keep something large,
/// such as a ranking of all released values: it is dropped before the next column.
fn boxes_of<B: Fn(f64) -> Option<(f64, f64)> + Sync>(
    n_seekers: usize,
    rules: &[GapRule],
    value: impl Fn(usize, usize) -> Option<f64> + Sync,
    bounds: impl Fn(usize) -> B,
) -> Boxes {
    let width = rules.len();
    let (mut lo, mut hi) = (
        vec![f64::NEG_INFINITY; n_seekers * width],
        vec![f64::INFINITY; n_seekers * width],
    );
    let n_tasks = n_seekers.div_ceil(ASKED_AT_ONCE);
    let at_once = n_seekers.div_ceil(n_tasks.max(rayon::current_num_threads()));
    let block = (at_once * width).max(1);
    for (place, rule) in rules.iter().enumerate() {
        let bounds = bounds(place);
        let blocks = lo.par_chunks_mut(block).zip(hi.par_chunks_mut(block));
        blocks.enumerate().for_each(|(number, (lo, hi))| {
            let mut ascending: Vec<(f64, usize)> = Vec::with_capacity(at_once);
            for row in 0..lo.len() / width {
                match value(number * at_once + row, place) {
                    Some(value) => ascending.push((value, row)),
                    None if !rule.gaps_to_gaps => {}
                    None => {
                        let cell = row * width + place;
                        (lo[cell], hi[cell]) = GAP;
                    }
                }
            }
            ascending.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
            for equal in ascending.chunk_by(|a, b| a.0.total_cmp(&b.0).is_eq()) {
                let Some(bounds) = bounds(equal[0].0) else {
                    continue;
                };
                for &(_, row) in equal {
                    let cell = row * width + place;
                    (lo[cell], hi[cell]) = bounds;
                }
            }
        });
    }
    let admits_gaps = rules.iter().map(|rule| !rule.values_to_values);
    Boxes::new(n_seekers, width, lo, hi).admitting_gaps(admits_gaps.collect())
}
