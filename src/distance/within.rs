//! All points near a query: a k-d tree that is walked while a bound shrinks.

use super::Metric;
use crate::table::matrix::{Matrix, Row};

/// Points of a leaf: so few that comparing them costs no more than another level.
const LEAF: usize = 12;

/// Points, in a tree of boxes, of which all within a distance of a query can be visited.
///
/// Unlike [`Neighbours`](super::nearest::Neighbours), which counts who is nearer than a rival, it names the points and gives
/// each its canonical squared distance ([`Metric::key`]).
///
/// # Missing
/// As in the metric: a component that is missing on either side counts a constant.
///
/// # Complexity
/// O(n log² n + n d log n) to build, O(n d) memory. A visit opens the nodes whose boxes come within the bound.
#[derive(Debug)]
pub struct Within {
    metric: Metric,
    /// The points, those of a leaf together.
    points: Matrix,
    /// The number of each of them.
    order: Vec<u32>,
    nodes: Vec<Node>,
    /// For each node the least and the greatest value of each attribute; `inf`, `-inf` if none is present.
    spans: Vec<(f64, f64)>,
    /// For each node and attribute, whether a point misses it.
    gaps: Vec<bool>,
}

/// A run of points; its left half follows it.
#[derive(Debug, Clone, Copy)]
struct Node {
    start: usize,
    end: usize,
    /// The right half; 0 of a leaf.
    right: usize,
}

impl Within {
    /// Builds the tree.
    ///
    /// # Panics
    /// If the metric has another number of attributes than the points.
    pub fn build(points: &Matrix, metric: Metric) -> Self {
        let width = points.n_attributes();
        assert_eq!(width, metric.n_attributes(), "one weight an attribute");
        let mut order: Vec<u32> = (0..).take(points.n_records()).collect();
        let mut tree = Self {
            metric,
            points: Matrix::complete(0, width, Vec::new()),
            order: Vec::new(),
            nodes: Vec::new(),
            spans: Vec::new(),
            gaps: Vec::new(),
        };
        if !order.is_empty() {
            tree.split(points, &mut order, 0);
        }
        let values = order
            .iter()
            .flat_map(|&point| points.row(point as usize).iter().copied())
            .collect();
        tree.points = Matrix::complete(order.len(), width, values);
        for (place, &point) in order.iter().enumerate() {
            for attribute in 0..width {
                if points.is_missing(point as usize, attribute) {
                    tree.points.set_missing(place, attribute);
                }
            }
        }
        tree.order = order;
        tree
    }

    /// Makes the node of a run, and those below.
    fn split(&mut self, points: &Matrix, run: &mut [u32], start: usize) {
        let number = self.nodes.len();
        self.nodes.push(Node {
            start,
            end: start + run.len(),
            right: 0,
        });
        let (mut widest, mut most) = (0, 0.0);
        for (attribute, weight) in self.metric.weights().iter().enumerate() {
            let mut span = (f64::INFINITY, f64::NEG_INFINITY);
            let mut gap = false;
            for &point in run.iter() {
                let row = points.record(point as usize);
                if row.is_missing(attribute) {
                    gap = true
                } else {
                    let value = row.values()[attribute];
                    span = (span.0.min(value), span.1.max(value));
                }
            }
            let spread = (span.1 - span.0) * weight.sqrt();
            if spread > most {
                (widest, most) = (attribute, spread);
            }
            self.spans.push(span);
            self.gaps.push(gap);
        }
        // Points that differ in nothing but gaps stay together.
        if run.len() <= LEAF || most <= 0.0 {
            return;
        }
        let middle = run.len() / 2;
        let value = |point: &u32| points.row(*point as usize)[widest];
        run.select_nth_unstable_by(middle, |a, b| value(a).total_cmp(&value(b)).then(a.cmp(b)));
        let (left, right) = run.split_at_mut(middle);
        self.split(points, left, start);
        self.nodes[number].right = self.nodes.len();
        self.split(points, right, start + middle);
    }

    /// Number of points.
    pub fn n_points(&self) -> usize {
        self.order.len()
    }

    /// Tells `found` of every point whose key is at most the bound, which begins as `bound` and becomes what `found` returns
    /// (never more). In no particular order; the nearer half of a node first.
    pub fn visit(&self, query: Row<'_>, bound: f64, mut found: impl FnMut(u32, f64) -> f64) {
        if self.nodes.is_empty() {
            return;
        }
        let mut bound = bound;
        let mut waiting = vec![(0, self.least(0, query))];
        while let Some((number, least)) = waiting.pop() {
            if least > bound {
                continue;
            }
            let node = self.nodes[number];
            if node.right == 0 {
                for place in node.start..node.end {
                    let key = self.metric.key(query, self.points.record(place));
                    if key <= bound {
                        bound = found(self.order[place], key).min(bound);
                    }
                }
                continue;
            }
            let halves = [number + 1, node.right].map(|half| (half, self.least(half, query)));
            // The last one in is the first one out.
            let near_first = usize::from(halves[0].1 <= halves[1].1);
            waiting.extend([halves[near_first], halves[1 - near_first]]);
        }
    }

    /// No point of the node has a lesser key: the canonical recipe with the nearest value of each span, and rounding keeps order.
    fn least(&self, node: usize, query: Row<'_>) -> f64 {
        let width = self.metric.n_attributes();
        let cells = node * width..(node + 1) * width;
        let mut sum = 0.0;
        for (attribute, (span, gap)) in self.spans[cells.clone()]
            .iter()
            .zip(&self.gaps[cells])
            .enumerate()
        {
            let missing = self.metric.missing()[attribute];
            let weight = self.metric.weights()[attribute];
            if query.is_missing(attribute) || span.0 > span.1 {
                sum += missing;
                continue;
            }
            let value = query.values()[attribute];
            let away = if value < span.0 {
                span.0 - value
            } else if value > span.1 {
                value - span.1
            } else {
                0.0
            };
            let term = if weight == 0.0 {
                0.0
            } else {
                weight * (away * away)
            };
            sum += if *gap { term.min(missing) } else { term };
        }
        sum
    }

    /// The `count` nearest points of those that `may` admits, with all that tie with the last of them as far as these are
    /// at most `most` in all (first those with the least numbers), in ascending order of distance, then of number.
    pub fn nearest(
        &self,
        query: Row<'_>,
        count: usize,
        most: usize,
        may: impl Fn(u32) -> bool,
    ) -> Vec<(f64, u32)> {
        let mut found: Vec<(f64, u32)> = Vec::new();
        // The least keys so far, ascending.
        let mut least: Vec<f64> = Vec::with_capacity(count + 1);
        self.visit(query, f64::INFINITY, |point, key| {
            if may(point) {
                found.push((key, point));
                least.insert(least.partition_point(|&other| other <= key), key);
                least.truncate(count);
            }
            match least.last() {
                Some(&last) if least.len() == count => last,
                _ => f64::INFINITY,
            }
        });
        let bound = least.last().copied().unwrap_or(f64::NEG_INFINITY);
        found.retain(|&(key, _)| key <= bound);
        found.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        found.truncate(most);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(n: u32, gaps: bool) -> Matrix {
        let value = |i: u32| f64::from(i.wrapping_mul(2_654_435_761) >> 24 & 31);
        let mut matrix = Matrix::complete(n as usize, 3, (0..3 * n).map(value).collect());
        for i in (0..n).filter(|i| gaps && i % 5 == 0) {
            matrix.set_missing(i as usize, (i / 5 % 3) as usize);
        }
        matrix
    }

    /// Against all pairs, with ties and gaps on both sides.
    #[test]
    fn the_nearest_are_those_of_all_pairs() {
        for gaps in [false, true] {
            let (all, queries) = (points(300, gaps), points(70, gaps));
            let metric = Metric::new(vec![1.0, 0.25, 0.0], vec![2.0, 3.0, 0.5]);
            let tree = Within::build(&all, metric.clone());
            let may = |point: u32| point % 3 != 1;
            for query in 0..70 {
                let query = queries.record(query);
                let mut expected: Vec<(f64, u32)> = (0..300)
                    .filter(|&point| may(point))
                    .map(|point| (metric.key(query, all.record(point as usize)), point))
                    .collect();
                expected.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                for count in [1, 2, 7, 300] {
                    let last = expected[count.min(expected.len()) - 1].0;
                    let tied = expected.partition_point(|&(key, _)| key <= last);
                    for most in [tied, tied - 1] {
                        let found = tree.nearest(query, count, most, may);
                        assert_eq!(found, expected[..most]);
                    }
                }
            }
        }
    }

    #[test]
    fn nobody_is_near_where_there_is_nobody() {
        let metric = Metric::new(vec![1.0], vec![2.0]);
        let tree = Within::build(&Matrix::complete(0, 1, Vec::new()), metric);
        let query = Matrix::complete(1, 1, vec![3.0]);
        assert_eq!(tree.nearest(query.record(0), 2, 9, |_| true), []);
    }
}
