//! Gower's dissimilarity: files of numbers, ordered classes and names, with gaps.

use std::ops::Range;

use pulp::Arch;

use super::{Attack, Lists, Preference, Scenario};
use crate::{
    distance::kd_tree::{BoxTree, Leaves, Waiting},
    error::Result,
    table::{Scale, matrix::Matrix},
};

/// Record linkage by Gower's dissimilarity.
///
/// ```text
/// d(a, b) = Σ_k δ_k d_k / Σ_k δ_k        δ_k = 1 if both values are there, else 0
/// numbers:   d_k = |a_k − b_k| / (greatest − least value of both files)
/// ordinal:   the same on the places of the values among the different values of both files
/// nominal:   d_k = 0 for equal names, else 1
/// ```
///
/// # Missing
/// An attribute that one side misses is left out of the mean, as Gower defines it: a record that misses much is compared by
/// little. Two records without any attribute in common are as far apart as can be, 1.
///
/// # Complexity
/// The nearest records are found by a tree of boxes, O(log n) a record where boxes tell near from far; lists of all pairs, which
/// the places of partners and assignments need, take O(n² d) time. O(n d) memory.
///
/// # Source
/// J. C. Gower, "A general coefficient of similarity and some of its properties", Biometrics 27, 1971; ordered classes by
/// their places as in L. Kaufman, P. J. Rousseeuw, "Finding groups in data", 1990.
#[derive(Debug, Clone)]
pub struct Gower;

impl Attack for Gower {
    fn name(&self) -> &'static str {
        "gower"
    }

    fn has_candidate_sets(&self) -> bool {
        false
    }

    fn formula(&self) -> String {
        "mean over the attributes that both have of |a - b| / range (names: 0 or 1)".into()
    }

    fn in_words(&self) -> String {
        "compares records by Gower's dissimilarity (gower)".into()
    }

    fn prepare<'a>(&self, scenario: &Scenario<'a>) -> Result<Preference<'a>> {
        let (seekers, sought) = (scenario.seekers(), scenario.sought());
        let attributes = scenario.scales.iter().enumerate().map(|(k, &scale)| {
            // 0 and -0 are equal.
            let column = |matrix: &Matrix| -> Vec<Option<f64>> {
                matrix
                    .column(k)
                    .map(|value| value.map(|v| v + 0.0))
                    .collect()
            };
            let mut sides = [column(seekers), column(sought)];
            if scale == Scale::Ordinal {
                sides = places(sides);
            }
            let half_range = match scale {
                Scale::Nominal => 0.0,
                Scale::Continuous | Scale::Ordinal => half_range(&sides),
            };
            // Halves, because the range of two numbers can be beyond all numbers.
            let half = |value: Option<f64>| value.map_or(f64::NAN, |value| value / 2.0);
            let [of_seekers, of_sought] = sides.map(|side| side.into_iter().map(half).collect());
            let names = scale == Scale::Nominal;
            Compared::new([of_seekers, of_sought], half_range, names)
        });
        Ok(Preference::Lists(Box::new(GowerLists::new(
            attributes.collect(),
            [seekers.n_records(), sought.n_records()],
        ))))
    }
}

/// The place of each value among the different values of both sides.
fn places(sides: [Vec<Option<f64>>; 2]) -> [Vec<Option<f64>>; 2] {
    let mut values: Vec<f64> = sides.iter().flatten().copied().flatten().collect();
    values.sort_unstable_by(f64::total_cmp);
    values.dedup_by(|a, b| a.total_cmp(b).is_eq());
    sides.map(|side| {
        let place = |value: f64| values.partition_point(|&other| other < value) as f64;
        side.into_iter().map(|value| value.map(place)).collect()
    })
}

/// Half of the range of the values of both sides.
fn half_range(sides: &[Vec<Option<f64>>; 2]) -> f64 {
    let values = || sides.iter().flatten().copied().flatten();
    let (least, greatest) = (
        values().fold(f64::INFINITY, f64::min),
        values().fold(f64::NEG_INFINITY, f64::max),
    );
    (greatest / 2.0 - least / 2.0).max(0.0)
}

/// One attribute of both files: half of each value, NaN where it is missing.
#[derive(Debug)]
struct Compared {
    of_seekers: Vec<f64>,
    /// In the order of the tree.
    of_sought: Vec<f64>,
    half_range: f64,
    /// 1 / half range, at most the greatest number: to multiply is faster than to divide, where a bound will do.
    inverse: f64,
    names: bool,
}

impl Compared {
    fn new([of_seekers, of_sought]: [Vec<f64>; 2], half_range: f64, names: bool) -> Self {
        // Equal differences are divided by the same number, so they stay equal.
        let half_range = if half_range > 0.0 { half_range } else { 1.0 };
        Self {
            of_seekers,
            of_sought,
            half_range,
            inverse: (1.0 / half_range).min(f64::MAX),
            names,
        }
    }
}

/// What lies between these two values; NaN where one is missing.
#[inline(always)]
fn contribution(attribute: &Compared, own: f64, other: f64) -> f64 {
    let difference = (own - other).abs();
    if attribute.names {
        // Not so where the other is a gap: that difference is NaN.
        if difference > 0.0 { 1.0 } else { difference }
    } else {
        difference / attribute.half_range
    }
}

/// About the same, but for 2 ulp; never more where the inverse is not 1 / half range.
#[inline(always)]
fn about(attribute: &Compared, own: f64, other: f64) -> f64 {
    let difference = (own - other).abs();
    if attribute.names {
        if difference > 0.0 { 1.0 } else { difference }
    } else {
        difference * attribute.inverse
    }
}

/// All pairs by Gower's dissimilarity, and the nearest ones by a tree.
#[derive(Debug)]
struct GowerLists {
    attributes: Vec<Compared>,
    tree: BoxTree,
    /// Whether no sought record misses a value.
    is_complete: bool,
    n_seekers: usize,
    n_sought: usize,
}

/// Sought records that are compared at once: their sums stay in the nearest cache.
const COMPARED_AT_ONCE: usize = 1024;

/// Sought records of a leaf: so few that comparing them costs no more than another level.
const LEAF: usize = 32;

/// Where boxes do not tell near records from far ones, a search that has looked into one of so many leaves compares with everybody, which takes
/// less time a record.
const LEAVES_OF_A_SEARCH: usize = 6;

impl GowerLists {
    fn new(mut attributes: Vec<Compared>, [n_seekers, n_sought]: [usize; 2]) -> Self {
        let width = attributes.len();
        let rows =
            (0..n_sought).flat_map(|record| attributes.iter().map(move |of| of.of_sought[record]));
        // What is missing has a place in the matrix, too.
        let cells = rows.map(|value| if value.is_nan() { 0.0 } else { value });
        let mut points = Matrix::complete(n_sought, width, cells.collect());
        for (at, attribute) in attributes.iter().enumerate() {
            for (record, value) in attribute.of_sought.iter().enumerate() {
                if value.is_nan() {
                    points.set_missing(record, at);
                }
            }
        }
        // Of the widest attribute halves are made: names are as wide as numbers, whatever their codes. The tree takes squares.
        let weight = |of: &Compared| {
            let half_range = if of.names {
                let there = || of.of_sought.iter().filter(|code| !code.is_nan());
                let greatest = there().fold(f64::NEG_INFINITY, |a, b| a.max(*b));
                greatest - there().fold(f64::INFINITY, |a, b| a.min(*b))
            } else {
                of.half_range
            };
            let weight = (1.0 / half_range).powi(2);
            if weight.is_finite() { weight } else { 0.0 }
        };
        let weights: Vec<f64> = attributes.iter().map(weight).collect();
        let tree = BoxTree::build(&points, &weights, Leaves::UpTo(LEAF));
        for attribute in &mut attributes {
            let order = tree.tree.points().iter();
            attribute.of_sought = order
                .map(|&record| attribute.of_sought[record as usize])
                .collect();
        }
        Self {
            attributes,
            is_complete: points.is_complete(),
            tree,
            n_seekers,
            n_sought,
        }
    }

    /// Shows `found` the costs of a run of the tree's records, with the places of these; so many are compared at once.
    #[inline(always)]
    fn compare<const AT_ONCE: usize>(
        &self,
        seeker: usize,
        run: Range<usize>,
        mut found: impl FnMut(usize, f64),
    ) {
        let (mut sums, mut counts) = ([0.0; AT_ONCE], [0.0; AT_ONCE]);
        for first in run.clone().step_by(AT_ONCE) {
            let last = run.end.min(first + AT_ONCE);
            let (sums, counts) = (&mut sums[..last - first], &mut counts[..last - first]);
            sums.fill(0.0);
            counts.fill(0.0);
            for attribute in &self.attributes {
                let own = attribute.of_seekers[seeker];
                if own.is_nan() {
                    continue;
                }
                let others = &attribute.of_sought[first..last];
                let cells = sums.iter_mut().zip(counts.iter_mut()).zip(others);
                cells.for_each(|((sum, count), &other)| {
                    let difference = contribution(attribute, own, other);
                    *sum += if difference.is_nan() { 0.0 } else { difference };
                    *count += if difference.is_nan() { 0.0 } else { 1.0 };
                });
            }
            for (place, (sum, count)) in sums.iter().zip(counts.iter()).enumerate() {
                found(first + place, mean(*sum, *count));
            }
        }
    }

    /// No record of the node has a lesser cost.
    ///
    /// What everybody of the node has adds its least contribution, and counts. What some miss may count or not: it does where that makes the
    /// mean smaller, the least contributions first. The mean is made smaller than rounding could have made it.
    #[inline(always)]
    fn least(&self, node: usize, seeker: usize, some_miss: &mut Vec<f64>) -> f64 {
        let (mut sum, mut count) = (0.0, 0.0);
        some_miss.clear();
        for (attribute, span) in self.attributes.iter().zip(self.tree.spans(node)) {
            let own = attribute.of_seekers[seeker];
            if own.is_nan() || span.low > span.high {
                continue;
            }
            let least = about(attribute, own, own.clamp(span.low, span.high));
            if span.has_gaps {
                some_miss.push(least);
            } else {
                sum += least;
                count += 1.0;
            }
        }
        some_miss.sort_unstable_by(f64::total_cmp);
        for least in &*some_miss {
            if count == 0.0 || least * count < sum {
                sum += least;
                count += 1.0;
            }
        }
        mean(sum, count) * (1.0 - self.rounding())
    }

    /// No sum of what attributes contribute, or of [`about`] as much, is rounded by a greater share.
    fn rounding(&self) -> f64 {
        4.0 * (2.0 + self.attributes.len() as f64) * f64::EPSILON
    }

    /// Shows `found` the places of a run of the tree's records, with costs that are not above theirs.
    #[inline(always)]
    fn bounds(&self, seeker: usize, run: Range<usize>, mut found: impl FnMut(usize, f64)) {
        let factor = 1.0 - self.rounding();
        for first in run.clone().step_by(LEAF) {
            let (mut sums, mut counts) = ([0.0; LEAF], [0.0; LEAF]);
            let length = LEAF.min(run.end - first);
            for attribute in &self.attributes {
                let own = attribute.of_seekers[seeker];
                if own.is_nan() {
                    continue;
                }
                let others = &attribute.of_sought[first..first + length];
                let cells = sums.iter_mut().zip(&mut counts).zip(others);
                if self.is_complete {
                    cells.for_each(|((sum, _), &other)| *sum += about(attribute, own, other));
                    counts[0] += 1.0;
                } else {
                    cells.for_each(|((sum, count), &other)| {
                        let difference = about(attribute, own, other);
                        *sum += if difference.is_nan() { 0.0 } else { difference };
                        *count += if difference.is_nan() { 0.0 } else { 1.0 };
                    });
                }
            }
            if self.is_complete {
                counts = [counts[0]; LEAF];
            }
            for (sum, count) in sums.iter_mut().zip(counts) {
                *sum = mean(*sum, count) * factor;
            }
            for (place, &bound) in sums[..length].iter().enumerate() {
                found(first + place, bound);
            }
        }
    }

    /// Searches the tree for the records of the least cost.
    #[inline(always)]
    fn search(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        list.clear();
        let records = self.tree.tree.points();
        let (mut waiting, mut some_miss) = (Waiting::begun(&self.tree.tree), Vec::new());
        let mut bound = f64::INFINITY;
        let mut left = self.n_sought / LEAF / LEAVES_OF_A_SEARCH + LEAVES_OF_A_SEARCH;
        while let Some(leaf) = waiting.next(&self.tree.tree, bound, |node| {
            self.least(node, seeker, &mut some_miss)
        }) {
            let all = left == 0;
            let run = if all {
                // Whoever is listed is found again.
                list.clear();
                0..self.n_sought
            } else {
                self.tree.tree.run(leaf)
            };
            self.bounds(seeker, run, |place, least| {
                if least > bound {
                    return;
                }
                self.compare::<1>(seeker, place..place + 1, |_, cost| {
                    if cost < bound {
                        bound = cost;
                        list.clear();
                    }
                    if cost <= bound {
                        list.push((records[place], cost));
                    }
                });
            });
            if all {
                return;
            }
            left -= 1;
        }
    }
}

/// The mean of what so many attributes contribute.
fn mean(sum: f64, count: f64) -> f64 {
    if count > 0.0 { sum / count } else { 1.0 }
}

impl Lists for GowerLists {
    fn n_seekers(&self) -> usize {
        self.n_seekers
    }

    fn n_sought(&self) -> usize {
        self.n_sought
    }

    fn list(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        list.clear();
        list.resize(self.n_sought, (0, 0.0));
        let records = self.tree.tree.points();
        Arch::new().dispatch(|| {
            self.compare::<COMPARED_AT_ONCE>(seeker, 0..self.n_sought, |place, cost| {
                let record = records[place];
                list[record as usize] = (record, cost);
            });
        });
    }

    fn is_searched(&self) -> bool {
        true
    }

    fn cheapest(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        Arch::new().dispatch(|| self.search(seeker, list));
    }

    fn is_likelihood(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of numbers, classes and names with gaps, few and many of them, that boxes tell apart and that they do not: the cheapest are those of
    /// the whole list.
    #[test]
    fn the_cheapest_are_those_of_all() {
        for (n, gaps, spread) in [
            (0, 0, 9),
            (1, 3, 5),
            (700, 0, 1000),
            (700, 7, 40),
            (2000, 2, 3),
            (900, 1, 9),
        ] {
            let value = |record: usize, k: usize, side: usize| -> f64 {
                let mixed =
                    (record * 8 + k * 2 + side + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20;
                if gaps > 0 && mixed % 97 % (gaps + 1) == gaps {
                    return f64::NAN;
                }
                // Neighbours in the file are neighbours in all attributes, but for a little.
                ((record / 10 * spread / 100 + mixed % spread) / 2) as f64
            };
            let attributes = (0..4).map(|k| {
                let of_seekers = (0..60).map(|record| value(record * 10, k, 0)).collect();
                let of_sought = (0..n).map(|record| value(record, k, 1)).collect();
                let half_range = [spread as f64, 0.3, 1.0, 1e-200][k];
                Compared::new([of_seekers, of_sought], half_range, k == 2)
            });
            let lists = GowerLists::new(attributes.collect(), [60, n]);
            let (mut all, mut cheapest) = (Vec::new(), Vec::new());
            for seeker in 0..60 {
                lists.list(seeker, &mut all);
                assert!(all.iter().enumerate().all(|(at, of)| of.0 as usize == at));
                let least = all.iter().fold(f64::INFINITY, |least, of| least.min(of.1));
                all.retain(|of| of.1 <= least);
                lists.cheapest(seeker, &mut cheapest);
                cheapest.sort_unstable_by_key(|of| of.0);
                assert_eq!(cheapest, all);
            }
        }
    }
}
