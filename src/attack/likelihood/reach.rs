//! Whom laws with bounds leave possible for whom: boxes of ranks.

use rayon::prelude::*;

use super::{law::Law, ranks::Ranks, swaps::Swaps};
use crate::{
    distance::{
        Metric,
        nearest::{Boxes, Neighbours},
    },
    table::matrix::Matrix,
};

/// Cells, each a seeker's value in an attribute, of which one task works out the bounds, at least.
const AT_ONCE: usize = 4096;

/// The sought records by their lowest ranks, and for each seeker the box outside of which laws that have bounds leave nobody possible.
#[derive(Debug)]
pub(in crate::attack) struct Reach<'a> {
    swaps: &'a Swaps,
    sought: Neighbours,
    /// The lowest ranks of the seekers.
    seekers: Matrix,
    boxes: Boxes,
}

impl<'a> Reach<'a> {
    /// Of two files under laws that [have bounds](Swaps::is_bounded).
    ///
    /// # Complexity
    /// O(n log n · attributes) time; O(n · attributes) memory.
    pub fn of(swaps: &'a Swaps) -> Self {
        let width = swaps.laws.len();
        let metric = Metric::new(vec![1.0; width], vec![1.0; width]);
        let sought = lowest(&swaps.sought, [swaps.n_sought, width]);
        Self {
            sought: Neighbours::build(&sought, metric),
            seekers: lowest(&swaps.seekers, [swaps.n_seekers, width]),
            boxes: boxes(swaps),
            swaps,
        }
    }

    /// For each seeker, or for some alone, the records that the laws leave possible, ascending, less those that `sift` takes out; it is given
    /// a seeker and all who may be possible, in no particular order.
    pub fn possible(
        &self,
        some: Option<&[u32]>,
        sift: impl Fn(usize, &mut Vec<u32>) + Sync,
    ) -> Vec<Vec<u32>> {
        let sift = |seeker: u32, list: &mut Vec<u32>| {
            let seeker = seeker as usize;
            sift(seeker, list);
            list.retain(|&sought| self.swaps.admits(seeker, sought as usize));
        };
        let Some(some) = some else {
            return (self.sought).within(&self.seekers, &self.boxes, sift);
        };
        let seekers: Vec<usize> = some.iter().map(|&seeker| seeker as usize).collect();
        (self.sought).within(
            &self.seekers.reordered(some),
            &self.boxes.only(&seekers),
            |place, list| sift(some[place as usize], list),
        )
    }
}

/// The lowest rank of each value (records × attributes).
fn lowest(ranks: &[Ranks], [n_records, width]: [usize; 2]) -> Matrix {
    let values = ranks.par_iter().map(|ranks| f64::from(ranks.low));
    let mut matrix = Matrix::complete(n_records, width, values.collect());
    for (cell, ranks) in ranks.iter().enumerate() {
        if ranks.is_missing() {
            matrix.set_missing(cell / width, cell % width);
        }
    }
    matrix
}

/// The box of each seeker, in lowest ranks. What ties exclude beyond that is left to [`Swaps::admits`].
fn boxes(swaps: &Swaps) -> Boxes {
    let laws = &swaps.laws;
    let width = laws.len();
    let columns: Vec<Vec<u32>> = (0..width)
        .into_par_iter()
        .map(|k| lowest_above(&swaps.sought, width, k))
        .collect();
    let bounds = |cell: usize, own: Ranks| {
        if own.is_missing() {
            return (f64::NEG_INFINITY, f64::INFINITY);
        }
        match &laws[cell % width] {
            Law::Equal { .. } => (f64::from(own.low), f64::from(own.low)),
            Law::Displacement(law) if law.is_bounded() => {
                // A difference of fewer ranks than these is possible.
                let reach = i64::try_from(law.n_displacements()).unwrap_or(i64::MAX);
                let lowest = match usize::try_from(i64::from(own.low) + 1 - reach) {
                    // Whose ranks end above this one.
                    Ok(rank) => columns[cell % width].get(rank).copied(),
                    Err(_) => Some(0),
                };
                (
                    lowest.map_or(f64::INFINITY, f64::from),
                    f64::from(own.high) + reach as f64 - 2.0,
                )
            }
            Law::Displacement(_) | Law::Buckets(_) | Law::Cycle(_) => {
                (f64::NEG_INFINITY, f64::INFINITY)
            }
        }
    };
    let seekers = &swaps.seekers;
    let (lo, hi) = (seekers.par_iter().enumerate())
        .with_min_len(AT_ONCE)
        .map(|(cell, &own)| bounds(cell, own))
        .unzip();
    let admits_gaps = swaps.in_place.iter().map(|in_place| !in_place);
    Boxes::new(swaps.n_seekers, width, lo, hi).admitting_gaps(admits_gaps.collect())
}

/// For each rank the lowest rank of those values of an attribute whose ranks end above it.
fn lowest_above(ranks: &[Ranks], width: usize, attribute: usize) -> Vec<u32> {
    let present = || {
        let column = ranks.iter().skip(attribute).step_by(width);
        column.filter(|ranks| !ranks.is_missing())
    };
    let end = present().map(|ranks| ranks.high as usize).max();
    let mut lowest = vec![u32::MAX; end.unwrap_or(0)];
    for ranks in present() {
        // Ranks of a value that nobody can have end at 0.
        if let Some(last) = (ranks.high as usize).checked_sub(1) {
            lowest[last] = lowest[last].min(ranks.low);
        }
    }
    let mut least = u32::MAX;
    for lowest in lowest.iter_mut().rev() {
        least = least.min(*lowest);
        *lowest = least;
    }
    lowest
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::{
        attack::{Direction, Scenario, likelihood::Likelihood},
        table::Scale,
    };

    /// Against all pairs: values with and without ties, values of one file that the other does not have, gaps, an attribute that was not
    /// masked, both directions, windows from one rank to all.
    #[test]
    fn possible_records_are_those_of_all_pairs() {
        let known: Vec<String> = ["a", "b", "c"].map(Into::into).to_vec();
        let scales = [Scale::Continuous; 3];
        let file = |n: usize, seed: usize, with_gaps: bool| {
            let value = |cell: usize| {
                let mixed = ((cell + 1) * (seed + 7_919) * 2_654_435_761) >> 9;
                (mixed % [50, 400, 3][cell % 3]) as f64
            };
            let mut matrix = Matrix::complete(n, 3, (0..3 * n).map(value).collect());
            for record in (0..n).filter(|record| with_gaps && record % 7 == 0) {
                matrix.set_missing(record, record / 7 % 3);
            }
            matrix
        };
        let mut found = 0;
        for (seed, window, with_gaps) in [
            (1, 1, false),
            (2, 9, false),
            (3, 9, true),
            (4, 40, true),
            (5, 399, true),
        ] {
            let [intruder, released] = [(300, seed), (400, seed + 10)]
                .map(|(n, seed)| file(if window == 40 { 400 } else { n }, seed, with_gaps));
            for direction in [Direction::OriginalToMasked, Direction::MaskedToOriginal] {
                for stated in [false, true] {
                    let scenario = Scenario {
                        known: &known,
                        scales: &scales,
                        categories: &[],
                        intruder: &intruder,
                        released: &released,
                        direction,
                        aligned: None,
                        beside: None,
                        unrecoded: None,
                    };
                    let windows = [("a", window), ("b", window), ("c", 0)];
                    let windows: BTreeMap<String, usize> =
                        windows.map(|(name, window)| (name.into(), window)).into();
                    let law = Likelihood {
                        stated,
                        ..Likelihood::of_windows(windows, 400)
                    };
                    let swaps = Swaps::new(&law, &scenario);
                    let reach = Reach::of(&swaps);
                    let all = |seeker: usize| -> Vec<u32> {
                        let sought = (0_u32..).take(swaps.n_sought);
                        sought
                            .filter(|&sought| swaps.admits(seeker, sought as usize))
                            .collect()
                    };
                    let expected: Vec<Vec<u32>> = (0..swaps.n_seekers).map(all).collect();
                    assert_eq!(reach.possible(None, |_, _| ()), expected);
                    found += expected.iter().map(Vec::len).sum::<usize>();
                    // A few at once: as many as one of them alone, and as many as all.
                    for few in [0..1, 3..11, 7..40, 0..swaps.n_sought] {
                        let asked = swaps.few(few.clone());
                        for seeker in 0..swaps.n_seekers {
                            let some = few.clone().any(|sought| swaps.admits(seeker, sought));
                            assert_eq!(swaps.admits_some(seeker, &asked), some, "{few:?}");
                        }
                    }
                    let even = |seeker: usize, sought: usize| (seeker + sought).is_multiple_of(2);
                    let keep_even = |seeker: usize, list: &mut Vec<u32>| {
                        list.retain(|&sought| even(seeker, sought as usize));
                    };
                    let some = [250, 3, 77];
                    let kept = |&seeker: &u32| -> Vec<u32> {
                        let own = expected[seeker as usize].iter().copied();
                        own.filter(|&sought| even(seeker as usize, sought as usize))
                            .collect()
                    };
                    let expected: Vec<Vec<u32>> = some.iter().map(kept).collect();
                    assert_eq!(reach.possible(Some(&some), keep_even), expected);
                }
            }
        }
        assert!(found > 10_000, "{found}");
    }
}
