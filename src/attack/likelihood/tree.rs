//! A k-d tree over ranks: who is likely enough to be somebody's partner where laws exclude nobody.

use super::{
    known::{self, AT_ONCE, Known},
    ranks::Ranks,
    swaps::Swaps,
};
use crate::distance::kd_tree::{KdTree, part};

/// Records of a leaf, unless all of a leaf have equal ranks: most leaves are visited.
const LEAF: usize = 256;

/// Records in a k-d tree over their ranks.
#[derive(Debug)]
pub(super) struct Tree {
    n_attributes: usize,
    tree: KdTree,
    bins: Bins,
    /// From the lowest to the highest rank of each attribute in each node; MISSING where all miss it.
    intervals: Vec<Ranks>,
    /// Whether some record of a node misses an attribute.
    gaps: Vec<bool>,
}

impl Tree {
    /// Builds the tree of the sought records.
    ///
    /// # Complexity
    /// O(n log n · attributes).
    pub fn of(swaps: &Swaps) -> Self {
        let width = swaps.laws.len();
        let n = u32::try_from(swaps.n_sought)
            .unwrap_or_else(|_| unreachable!("a table holds at most u32::MAX records"));
        let of = |record: u32, k: usize| swaps.sought[record as usize * width + k];
        let (tree, of_nodes) = KdTree::grow((0..n).collect(), |run, of_nodes| {
            let mut widest = (0, 0);
            for k in 0..width {
                let mut interval = Ranks::MISSING;
                let (mut misses, mut lowest, mut highest) = (false, u32::MAX, 0);
                for &record in run.iter() {
                    let place = of(record, k);
                    if place.is_missing() {
                        misses = true;
                        continue;
                    }
                    (lowest, highest) = (lowest.min(place.low), highest.max(place.low));
                    interval = interval.and(place);
                }
                of_nodes.push((interval, misses));
                let spread = if interval.is_missing() {
                    0
                } else {
                    (highest - lowest).max(u32::from(misses))
                };
                widest = widest.max((spread, k));
            }
            let (spread, k) = widest;
            let halves = run.len() > LEAF && spread > 0;
            let low = |record| of(record, k).low;
            halves.then(|| part(run, run.len() / 2, low, Ord::cmp))
        });
        let (intervals, gaps) = of_nodes.into_iter().unzip();
        Self {
            n_attributes: width,
            bins: Bins::new(swaps, tree.points()),
            tree,
            intervals,
            gaps,
        }
    }

    /// The sought record at each place.
    pub fn records(&self) -> &[u32] {
        self.tree.points()
    }

    /// Puts into `list` every record whose log-likelihood is not below that of the best one by more than `margin`, by its place, with
    /// −log-likelihood, in no particular order. A value that either side misses counts nothing, unless gaps are in place: then
    /// only records with the same missing-value pattern are possible. The sought records of `swaps` are in the order of their places.
    pub fn likely(&self, swaps: &Swaps, seeker: usize, margin: f64, list: &mut Vec<(u32, f64)>) {
        if self.tree.n_nodes() == 0 {
            return;
        }
        let known = Known::all(swaps, seeker);
        let mut bounds = Bounds::new(&self.bins, &known);
        let mut best = f64::NEG_INFINITY;
        let mut open = vec![(0, self.bound_of(0, &known))];
        while let Some((number, most)) = open.pop() {
            if most == f64::NEG_INFINITY || most < best - margin {
                continue;
            }
            let Some(halves) = self.tree.halves(number) else {
                let run = self.tree.run(number);
                for first in run.clone().step_by(AT_ONCE) {
                    let mut places = [0; AT_ONCE];
                    let mut left = 0;
                    let numbers = u32::try_from(first).unwrap_or(u32::MAX)..;
                    for (place, number) in (first..run.end.min(first + AT_ONCE)).zip(numbers) {
                        // A look at bounds is soon had and rules most records out.
                        let most = bounds.of(place, &known);
                        let is_left = (most > f64::NEG_INFINITY) & (most >= best - margin);
                        places[left] = number;
                        left += usize::from(is_left);
                    }
                    let places = &places[..left];
                    for (&place, log) in places.iter().zip(known::logs(&known, swaps, places)) {
                        if log > f64::NEG_INFINITY && log >= best - margin {
                            best = best.max(log);
                            list.push((place, -log));
                        }
                    }
                }
                continue;
            };
            let [first, second] = halves.map(|half| (half, self.bound_of(half, &known)));
            // The more promising one is on top.
            if first.1 > second.1 {
                open.extend([second, first]);
            } else {
                open.extend([first, second]);
            }
        }
        list.retain(|&(_, cost)| cost <= margin - best);
    }

    fn bound_of(&self, node: usize, known: &[Known<'_>]) -> f64 {
        let (intervals, gaps) = self.node(node);
        bound(intervals, gaps, known)
    }

    /// The intervals of a node, and whether some of its records miss an attribute.
    fn node(&self, node: usize) -> (&[Ranks], &[bool]) {
        let of_node = node * self.n_attributes..(node + 1) * self.n_attributes;
        (&self.intervals[of_node.clone()], &self.gaps[of_node])
    }
}

/// Bins of an attribute's ranks, the last one for gaps: so few that a seeker's bounds of all of them stay in the cache.
const BINS: usize = 256;

/// The bin of what is missing.
const GAP: u8 = u8::MAX;

/// Records in bins of ranks.
#[derive(Debug)]
struct Bins {
    /// The bin of each attribute of each record (records × attributes).
    of: Vec<u8>,
    /// From the lowest to the highest rank of the records of each bin, one list an attribute.
    intervals: Vec<[Ranks; BINS]>,
    /// Whether all records of a bin have the same ranks.
    is_tie: Vec<[bool; BINS]>,
}

impl Bins {
    /// Bins of equal width, of the sought records in this order.
    fn new(swaps: &Swaps, order: &[u32]) -> Self {
        let (ranks, width) = (&swaps.sought, swaps.laws.len());
        let there = ranks.iter().filter(|ranks| !ranks.is_missing());
        let end = there.map(|ranks| u64::from(ranks.low) + 1).max();
        let bin = |ranks: Ranks| match (end, ranks.is_missing()) {
            (Some(end), false) => {
                u8::try_from(u64::from(ranks.low) * u64::from(GAP) / end).unwrap_or(GAP)
            }
            _ => GAP,
        };
        let bins_of = |&record: &u32| swaps.of_sought(record as usize).iter().copied().map(bin);
        let of = order.iter().flat_map(bins_of).collect();
        let mut intervals = vec![[Ranks::MISSING; BINS]; width];
        let mut is_tie = vec![[true; BINS]; width];
        for (cell, &ranks) in ranks.iter().enumerate() {
            let (attribute, bin) = (cell % width, usize::from(bin(ranks)));
            let interval = &mut intervals[attribute][bin];
            is_tie[attribute][bin] &= interval.is_missing() || *interval == ranks;
            *interval = interval.and(ranks);
        }
        Self {
            of,
            intervals,
            is_tie,
        }
    }
}

/// What a seeker's log-likelihoods can be at most in the bins of each attribute. Bounds are worked out when they are needed.
struct Bounds<'a> {
    bins: &'a Bins,
    /// NaN where nobody asked yet; 0 where the seeker has no value.
    of: Vec<[f32; BINS]>,
}

impl<'a> Bounds<'a> {
    fn new(bins: &'a Bins, known: &[Known<'_>]) -> Self {
        let mut of = vec![[0.0; BINS]; bins.intervals.len()];
        for known in known {
            of[known.attribute] = [f32::NAN; BINS];
        }
        Self { bins, of }
    }

    /// No less than the log-likelihood of a record.
    fn of(&mut self, place: usize, known: &[Known<'_>]) -> f64 {
        /// What roundings to single precision can take away.
        const ROUNDING: f32 = 1e-2;
        let width = self.of.len();
        let bins = &self.bins.of[place * width..(place + 1) * width];
        let mut sum: f32 = self.sum(bins);
        if sum.is_nan() {
            self.work_out(bins, known);
            sum = self.sum(bins);
        }
        (sum + ROUNDING).into()
    }

    fn sum(&self, bins: &[u8]) -> f32 {
        // Two sums, which do not wait for each other.
        let bound = |of: &[f32; BINS], bin: u8| of[usize::from(bin)];
        let (pairs, of_pairs) = (bins.chunks_exact(2), self.of.chunks_exact(2));
        let mut sums = match (pairs.remainder(), of_pairs.remainder()) {
            ([bin], [of]) => [bound(of, *bin), 0.0],
            _ => [0.0, 0.0],
        };
        for (bins, of) in pairs.zip(of_pairs) {
            sums[0] += bound(&of[0], bins[0]);
            sums[1] += bound(&of[1], bins[1]);
        }
        sums[0] + sums[1]
    }

    #[cold]
    #[expect(clippy::cast_possible_truncation, reason = "see ROUNDING")]
    fn work_out(&mut self, bins: &[u8], known: &[Known<'_>]) {
        for known in known {
            let bin = usize::from(bins[known.attribute]);
            let bound = &mut self.of[known.attribute][bin];
            if !bound.is_nan() {
                continue;
            }
            let interval = self.bins.intervals[known.attribute][bin];
            *bound = if interval.is_missing() {
                known.of_gap
            } else if self.bins.is_tie[known.attribute][bin] {
                known.log_mean(interval)
            } else {
                known.most(interval)
            } as f32;
        }
    }
}

/// No less than the log-likelihood of any record whose ranks lie in these intervals, or are missing where there are `gaps` or the interval is
/// missing.
fn bound(intervals: &[Ranks], gaps: &[bool], known: &[Known<'_>]) -> f64 {
    /// What roundings of means over ties can add.
    const ROUNDING: f64 = 1e-6;
    let mut sum = ROUNDING;
    for known in known {
        let interval = intervals[known.attribute];
        sum += match interval.is_missing() {
            true => known.of_gap,
            false if gaps[known.attribute] => known.most(interval).max(known.of_gap),
            false => known.most(interval),
        };
        if sum == f64::NEG_INFINITY {
            break;
        }
    }
    sum
}
