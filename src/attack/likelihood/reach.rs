//! Whom laws with bounds leave possible for whom: boxes of ranks.

use rayon::prelude::*;

use super::{law::Law, ranks::Ranks, swaps::Swaps};
use crate::{
    attack::GapRule,
    distance::{
        Metric,
        nearest::{Constraint, GAP, Neighbours},
    },
    table::matrix::Matrix,
};

/// The sought records by their lowest ranks, and what the box of a seeker depends on, outside of which laws that have bounds leave nobody
/// possible.
#[derive(Debug)]
pub(super) struct Reach {
    sought: Neighbours,
    laws: Vec<Law>,
    gaps: Vec<GapRule>,
    /// For each attribute and rank the lowest rank of those sought values whose ranks end above it.
    lowest_above: Vec<Vec<u32>>,
}

impl Reach {
    /// Of two files under laws that [have bounds](Swaps::is_bounded).
    ///
    /// # Complexity
    /// O(n log n · attributes) time; O(n · attributes) memory.
    pub fn of(swaps: &Swaps) -> Self {
        let width = swaps.laws.len();
        let metric = Metric::new(vec![1.0; width], vec![1.0; width]);
        let sought = lowest(&swaps.sought, [swaps.n_sought, width]);
        let attributes = (0..width).into_par_iter();
        Self {
            sought: Neighbours::build(&sought, metric),
            laws: swaps.laws.clone(),
            gaps: swaps.gaps.clone(),
            lowest_above: attributes
                .map(|k| lowest_above(&swaps.sought, width, k))
                .collect(),
        }
    }

    /// The sought record at each place.
    pub fn records(&self) -> &[u32] {
        self.sought.points()
    }

    /// Appends to `places` all sought records, by their places, that may be possible for a seeker with these ranks, in no particular order. Some
    /// may be among them that ties exclude.
    pub(super) fn look(&self, seeker: &[Ranks], places: &mut Vec<u32>) {
        let attributes = seeker.iter().zip(&self.laws);
        let attributes = attributes.zip(&self.lowest_above).zip(&self.gaps);
        let constraints = attributes.enumerate();
        let constraints = constraints.filter_map(|(attribute, (((own, law), above), gaps))| {
            let misses = own.is_missing() && gaps.gaps_to_gaps;
            let (lo, hi) = if misses {
                GAP
            } else {
                bounds(*own, law, above)?
            };
            Some(Constraint {
                attribute,
                lo,
                hi,
                admits_gap: misses || !gaps.values_to_values,
            })
        });
        let constraints: Vec<Constraint> = constraints.collect();
        self.sought.inside(&constraints, places);
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

/// Between which lowest ranks everybody is whom the law of an attribute leaves possible for a seeker with these ranks; `None` where that may be
/// anybody. `lowest_above`: for each rank the lowest rank of those values whose ranks end above it.
fn bounds(own: Ranks, law: &Law, lowest_above: &[u32]) -> Option<(f64, f64)> {
    if own.is_missing() {
        return None;
    }
    match law {
        Law::Equal { .. } => Some((f64::from(own.low), f64::from(own.low))),
        Law::Displacement(law) if law.is_bounded() => {
            // A difference of fewer ranks than these is possible.
            let reach = i64::try_from(law.n_displacements()).unwrap_or(i64::MAX);
            let lowest = match usize::try_from(i64::from(own.low) + 1 - reach) {
                // Whose ranks end above this one.
                Ok(rank) => lowest_above.get(rank).copied(),
                Err(_) => Some(0),
            };
            Some((
                lowest.map_or(f64::INFINITY, f64::from),
                f64::from(own.high) + reach as f64 - 2.0,
            ))
        }
        Law::Displacement(_) | Law::Buckets(_) | Law::Cycle(_) => None,
    }
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

    use super::{super::Ranked, *};
    use crate::{
        attack::{Direction, Lists, Scenario, likelihood::Likelihood},
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
                    let possible = |seeker: usize| -> Vec<u32> {
                        let mut list = Vec::new();
                        reach.look(swaps.of_seeker(seeker), &mut list);
                        let records = list.iter().map(|&place| reach.records()[place as usize]);
                        let mut list: Vec<u32> = records.collect();
                        list.sort_unstable();
                        assert!(list.is_sorted_by(|a, b| a < b), "each of them once");
                        list.retain(|&sought| swaps.admits(seeker, sought as usize));
                        list
                    };
                    let all = |seeker: usize| -> Vec<u32> {
                        let sought = (0_u32..).take(swaps.n_sought);
                        sought
                            .filter(|&sought| swaps.admits(seeker, sought as usize))
                            .collect()
                    };
                    let expected: Vec<Vec<u32>> = (0..swaps.n_seekers).map(all).collect();
                    let seekers = 0..swaps.n_seekers;
                    assert_eq!(seekers.map(possible).collect::<Vec<_>>(), expected);
                    found += expected.iter().map(Vec::len).sum::<usize>();
                    // A few at once: as many as one of them alone, and as many as all.
                    for few in [0..1, 3..11, 7..40, 0..swaps.n_sought] {
                        let records: Vec<u32> = few.clone().map(|sought| sought as u32).collect();
                        let asked = swaps.few(&records);
                        for seeker in 0..swaps.n_seekers {
                            let some = few.clone().any(|sought| swaps.admits(seeker, sought));
                            assert_eq!(swaps.admits_some(seeker, &asked), some, "{few:?}");
                        }
                    }
                    // All who are possible, with their costs.
                    let ranked = Ranked::of(swaps.clone());
                    for seeker in 0..swaps.n_seekers {
                        let mut list = Vec::new();
                        ranked.list(seeker, &mut list);
                        let all = (0_u32..).take(swaps.n_sought).filter_map(|sought| {
                            let cost = swaps.cost(seeker, sought as usize);
                            let is_possible = swaps.admits(seeker, sought as usize);
                            assert!(!is_possible || cost < f64::INFINITY);
                            is_possible.then_some((sought, cost))
                        });
                        assert_eq!(list, all.collect::<Vec<_>>());
                    }
                }
            }
        }
        assert!(found > 10_000, "{found}");
    }
}
