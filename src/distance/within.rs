//! All points near a query: a k-d tree that is walked while a bound shrinks.

use super::{
    Metric,
    kd_tree::{BoxTree, Leaves, Waiting},
};
use crate::table::matrix::{Matrix, Row};

/// So few that comparing them costs no more than another level.
const LEAF: Leaves = Leaves::UpTo(12);

/// Points, in a tree of boxes, of which all within a distance of a query can be visited.
///
/// Unlike [`Neighbours`](super::nearest::Neighbours), which counts who is nearer than a rival, it names the points and gives
/// each its canonical squared distance ([`Metric::key`]).
///
/// # Missing
/// As in the metric: a component that is missing on either side counts a constant.
///
/// # Complexity
/// O(n (d + log n)) to build, O(n d) memory. A visit opens the nodes whose boxes come within the bound.
#[derive(Debug)]
pub struct Within {
    metric: Metric,
    boxes: BoxTree,
    /// The points in the order of the tree.
    points: Matrix,
}

impl Within {
    /// Builds the tree.
    ///
    /// # Panics
    /// If the metric has another number of attributes than the points.
    pub fn build(points: &Matrix, metric: Metric) -> Self {
        assert_eq!(
            points.n_attributes(),
            metric.n_attributes(),
            "one weight an attribute"
        );
        let boxes = BoxTree::build(points, metric.weights(), LEAF);
        Self {
            points: points.reordered(boxes.tree.points()),
            boxes,
            metric,
        }
    }

    /// Number of points.
    pub fn n_points(&self) -> usize {
        self.points.n_records()
    }

    /// An order of queries with these partners in which a visit looks at what the last one looked at.
    pub fn order(&self, partners: &[Option<u32>]) -> Vec<u32> {
        self.boxes.tree.order_by(partners)
    }

    /// Calls `found` with every point whose key is at most the bound, which begins as `bound` and becomes what `found` returns
    /// (never more). In no particular order; the nearer half of a node first.
    pub fn visit(&self, query: Row<'_>, bound: f64, mut found: impl FnMut(u32, f64) -> f64) {
        let mut bound = bound;
        let mut waiting = Waiting::begun(&self.boxes.tree);
        while let Some(leaf) = waiting.next(&self.boxes.tree, bound, |node| self.least(node, query))
        {
            for place in self.boxes.tree.run(leaf) {
                let key = self.metric.key(query, self.points.record(place));
                if key <= bound {
                    bound = found(self.boxes.tree.points()[place], key).min(bound);
                }
            }
        }
    }

    /// No point of the node has a lesser key.
    fn least(&self, node: usize, query: Row<'_>) -> f64 {
        let spans = self.boxes.spans(node).iter().enumerate();
        spans.fold(0.0, |sum, (attribute, &span)| {
            sum + self.metric.least(query, attribute, span)
        })
    }

    /// The `count` nearest points, with all that tie with the last of them as far as these are at most `most` in all (first those with
    /// the least numbers), in ascending order of distance, then of number.
    pub fn nearest(&self, query: Row<'_>, count: usize, most: usize) -> Vec<(f64, u32)> {
        let mut found: Vec<(f64, u32)> = Vec::new();
        // The least keys so far, ascending.
        let mut least: Vec<f64> = Vec::with_capacity(count + 1);
        self.visit(query, f64::INFINITY, |point, key| {
            found.push((key, point));
            least.insert(least.partition_point(|&other| other <= key), key);
            least.truncate(count);
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
            for query in 0..70 {
                let query = queries.record(query);
                let mut expected: Vec<(f64, u32)> = (0..300)
                    .map(|point| (metric.key(query, all.record(point as usize)), point))
                    .collect();
                expected.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                for count in [1, 2, 7, 300] {
                    let last = expected[count.min(expected.len()) - 1].0;
                    let tied = expected.partition_point(|&(key, _)| key <= last);
                    for most in [tied, tied - 1] {
                        let found = tree.nearest(query, count, most);
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
        assert_eq!(tree.nearest(query.record(0), 2, 9), []);
    }
}
