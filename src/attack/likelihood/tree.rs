//! A k-d tree over ranks: who is likely enough to be somebody's partner.

use super::{law::Law, ranks::Ranks};
use crate::distance::kd_tree::{KdTree, part};

/// Records of a leaf, unless all of a leaf have equal ranks.
const LEAF: usize = 12;

/// Records in a k-d tree over their ranks.
#[derive(Debug)]
pub(super) struct Tree {
    n_attributes: usize,
    tree: KdTree,
    /// The ranks of each record, in the order of the tree.
    ranks: Vec<Ranks>,
    /// From the lowest to the highest rank of each attribute in each node; MISSING where all miss it.
    intervals: Vec<Ranks>,
    /// Whether some record of a node misses an attribute.
    gaps: Vec<bool>,
    /// For each attribute, whether who misses it is impossible for a seeker who has it.
    in_place: Vec<bool>,
}

impl Tree {
    /// Builds the tree of records with these ranks (records × attributes). A gap excludes its record from whoever has the value where
    /// gaps are `in_place`; elsewhere it counts nothing.
    ///
    /// # Complexity
    /// O(n log n · attributes).
    pub fn new(ranks: &[Ranks], n_records: usize, in_place: Vec<bool>) -> Self {
        let width = in_place.len();
        let n = u32::try_from(n_records)
            .unwrap_or_else(|_| unreachable!("a table holds at most u32::MAX records"));
        let of = |record: u32, k: usize| ranks[record as usize * width + k];
        let (mut intervals, mut gaps) = (Vec::new(), Vec::new());
        let tree = KdTree::grow((0..n).collect(), |run| {
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
                    interval = if interval.is_missing() {
                        place
                    } else {
                        Ranks {
                            low: interval.low.min(place.low),
                            high: interval.high.max(place.high),
                        }
                    };
                }
                intervals.push(interval);
                gaps.push(misses);
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
        let row = |&record: &u32| &ranks[record as usize * width..(record as usize + 1) * width];
        Self {
            n_attributes: width,
            ranks: tree.points().iter().flat_map(row).copied().collect(),
            tree,
            intervals,
            gaps,
            in_place,
        }
    }

    /// Puts into `list` every record whose log-likelihood is not below that of the best one by more than `margin`, with
    /// −log-likelihood, in no particular order. A value that either side misses counts nothing, unless gaps are in place: then
    /// who misses a value that the seeker has is impossible.
    pub fn likely(&self, laws: &[Law], seeker: &[Ranks], margin: f64, list: &mut Vec<(u32, f64)>) {
        list.clear();
        if self.tree.n_nodes() == 0 {
            return;
        }
        let known = self.known_of(laws, seeker);
        let mut best = f64::NEG_INFINITY;
        let mut open = vec![(0, self.bound_of(0, &known))];
        while let Some((number, most)) = open.pop() {
            if most == f64::NEG_INFINITY || most < best - margin {
                continue;
            }
            let Some(halves) = self.tree.halves(number) else {
                for place in self.tree.run(number) {
                    // A bound is soon worked out and rules most records out.
                    let row = self.row(&self.ranks, place);
                    let most = bound(row, &[], &known);
                    if most == f64::NEG_INFINITY || most < best - margin {
                        continue;
                    }
                    let log = log_likelihood(row, &known);
                    if log > f64::NEG_INFINITY && log >= best - margin {
                        best = best.max(log);
                        list.push((self.tree.points()[place], -log));
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

    /// Puts into `list` every record that the laws leave possible, in no particular order.
    pub fn possible(&self, laws: &[Law], seeker: &[Ranks], list: &mut Vec<u32>) {
        list.clear();
        if self.tree.n_nodes() == 0 {
            return;
        }
        let known = self.known_of(laws, seeker);
        let mut open = vec![0];
        while let Some(number) = open.pop() {
            if self.bound_of(number, &known) == f64::NEG_INFINITY {
                continue;
            }
            if let Some([first, second]) = self.tree.halves(number) {
                open.extend([second, first]);
                continue;
            }
            let records = self.tree.run(number).filter(|&place| {
                let row = self.row(&self.ranks, place);
                known.iter().all(|known| {
                    let ranks = row[known.attribute];
                    if ranks.is_missing() {
                        known.of_gap > f64::NEG_INFINITY
                    } else {
                        known.law.is_possible(known.ranks, ranks)
                    }
                })
            });
            list.extend(records.map(|place| self.tree.points()[place]));
        }
    }

    /// What a seeker has.
    fn known_of<'a>(&self, laws: &'a [Law], seeker: &[Ranks]) -> Vec<Known<'a>> {
        let pairs = seeker.iter().zip(laws).enumerate();
        pairs
            .filter(|(_, (ranks, _))| !ranks.is_missing())
            .map(|(k, (&ranks, law))| Known {
                attribute: k,
                ranks,
                law,
                of_gap: if self.in_place[k] {
                    f64::NEG_INFINITY
                } else {
                    0.0
                },
            })
            .collect()
    }

    fn bound_of(&self, node: usize, known: &[Known<'_>]) -> f64 {
        let gaps = &self.gaps[node * self.n_attributes..(node + 1) * self.n_attributes];
        bound(self.row(&self.intervals, node), gaps, known)
    }

    fn row<'a>(&self, ranks: &'a [Ranks], number: usize) -> &'a [Ranks] {
        &ranks[number * self.n_attributes..(number + 1) * self.n_attributes]
    }
}

/// A value that the seeker has.
struct Known<'a> {
    attribute: usize,
    ranks: Ranks,
    law: &'a Law,
    /// The log-likelihood of a record that misses the attribute.
    of_gap: f64,
}

fn log_likelihood(row: &[Ranks], known: &[Known<'_>]) -> f64 {
    let mut sum = 0.0;
    for known in known {
        let ranks = row[known.attribute];
        sum += if ranks.is_missing() {
            known.of_gap
        } else {
            known.law.log_mean(known.ranks, ranks)
        };
        if sum == f64::NEG_INFINITY {
            break;
        }
    }
    sum
}

/// No less than the log-likelihood of any record whose ranks lie in these intervals, or are missing where there are `gaps` (none, if
/// nothing is said of them) or the interval is missing.
fn bound(intervals: &[Ranks], gaps: &[bool], known: &[Known<'_>]) -> f64 {
    /// What roundings of means over ties can add.
    const ROUNDING: f64 = 1e-6;
    let mut sum = ROUNDING;
    for known in known {
        let interval = intervals[known.attribute];
        let has_gaps = gaps.get(known.attribute).is_some_and(|&gap| gap);
        sum += match interval.is_missing() {
            true => known.of_gap,
            false if has_gaps => known.law.most(known.ranks, interval).max(known.of_gap),
            false => known.law.most(known.ranks, interval),
        };
        if sum == f64::NEG_INFINITY {
            break;
        }
    }
    sum
}
