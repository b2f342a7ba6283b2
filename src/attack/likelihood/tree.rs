//! A k-d tree over ranks: who is likely enough to be somebody's partner.

use super::{law::Law, ranks::Ranks};

/// Records of a leaf, unless all of a leaf have equal ranks.
const LEAF: usize = 12;

/// Records in a k-d tree over their ranks.
#[derive(Debug)]
pub(super) struct Tree {
    n_attributes: usize,
    /// The records, those of a node together.
    records: Vec<u32>,
    /// The ranks of each, in this order.
    ranks: Vec<Ranks>,
    nodes: Vec<Node>,
    /// From the lowest to the highest rank of each attribute in each node; MISSING where all miss it.
    intervals: Vec<Ranks>,
    /// Whether some record of a node misses an attribute.
    gaps: Vec<bool>,
    /// For each attribute, whether who misses it is impossible for a seeker who has it.
    in_place: Vec<bool>,
}

#[derive(Debug)]
struct Node {
    from: usize,
    to: usize,
    /// The second child; the first is the next node. 0 for a leaf.
    second: usize,
}

impl Tree {
    /// Builds the tree of records with these ranks (records × attributes). A gap excludes its record from whoever has the value where
    /// gaps are `in_place`; elsewhere it counts nothing.
    ///
    /// # Complexity
    /// O(n log n · attributes).
    pub fn new(ranks: &[Ranks], n_records: usize, in_place: Vec<bool>) -> Self {
        let n_attributes = in_place.len();
        let n = u32::try_from(n_records)
            .unwrap_or_else(|_| unreachable!("a table holds at most u32::MAX records"));
        let mut tree = Self {
            n_attributes,
            records: (0..n).collect(),
            ranks: Vec::new(),
            nodes: Vec::new(),
            intervals: Vec::new(),
            gaps: Vec::new(),
            in_place,
        };
        if n_records > 0 {
            tree.split(ranks, 0, n_records);
        }
        let width = n_attributes;
        tree.ranks = tree
            .records
            .iter()
            .flat_map(|&record| &ranks[record as usize * width..(record as usize + 1) * width])
            .copied()
            .collect();
        tree
    }

    /// Adds the node of the records from..to and all below it; answers its number.
    fn split(&mut self, ranks: &[Ranks], from: usize, to: usize) -> usize {
        let width = self.n_attributes;
        let of = |record: u32, k: usize| ranks[record as usize * width + k];
        let mut widest = (0, 0);
        for k in 0..width {
            let mut interval = Ranks::MISSING;
            let (mut misses, mut lowest, mut highest) = (false, u32::MAX, 0);
            for &record in &self.records[from..to] {
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
            self.intervals.push(interval);
            self.gaps.push(misses);
            let spread = if interval.is_missing() {
                0
            } else {
                (highest - lowest).max(u32::from(misses))
            };
            widest = widest.max((spread, k));
        }
        let number = self.nodes.len();
        self.nodes.push(Node {
            from,
            to,
            second: 0,
        });
        let (spread, k) = widest;
        if to - from <= LEAF || spread == 0 {
            return number;
        }
        let middle = (to - from) / 2;
        self.records[from..to]
            .select_nth_unstable_by_key(middle, |&record| (of(record, k).low, record));
        self.split(ranks, from, from + middle);
        self.nodes[number].second = self.split(ranks, from + middle, to);
        number
    }

    /// Puts into `list` every record whose log-likelihood is not below that of the best one by more than `margin`, with
    /// −log-likelihood, in no particular order. A value that either side misses counts nothing, unless gaps are in place: then
    /// who misses a value that the seeker has is impossible.
    pub fn likely(&self, laws: &[Law], seeker: &[Ranks], margin: f64, list: &mut Vec<(u32, f64)>) {
        list.clear();
        if self.nodes.is_empty() {
            return;
        }
        let known = self.known_of(laws, seeker);
        let mut best = f64::NEG_INFINITY;
        let mut open = vec![(0, self.bound_of(0, &known))];
        while let Some((number, most)) = open.pop() {
            if most == f64::NEG_INFINITY || most < best - margin {
                continue;
            }
            let node = &self.nodes[number];
            if node.second == 0 {
                for place in node.from..node.to {
                    // A bound is soon worked out and rules most records out.
                    let row = self.row(&self.ranks, place);
                    let most = bound(row, &[], &known);
                    if most == f64::NEG_INFINITY || most < best - margin {
                        continue;
                    }
                    let log = log_likelihood(row, &known);
                    if log > f64::NEG_INFINITY && log >= best - margin {
                        best = best.max(log);
                        list.push((self.records[place], -log));
                    }
                }
                continue;
            }
            let first = (number + 1, self.bound_of(number + 1, &known));
            let second = (node.second, self.bound_of(node.second, &known));
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
        if self.nodes.is_empty() {
            return;
        }
        let known = self.known_of(laws, seeker);
        let mut open = vec![0];
        while let Some(number) = open.pop() {
            if self.bound_of(number, &known) == f64::NEG_INFINITY {
                continue;
            }
            let node = &self.nodes[number];
            if node.second > 0 {
                open.extend([node.second, number + 1]);
                continue;
            }
            let records = (node.from..node.to).filter(|&place| {
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
            list.extend(records.map(|place| self.records[place]));
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
