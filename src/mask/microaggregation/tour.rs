//! Multivariate Hansen–Mukherjee: the best groups along a tour that a heuristic partition suggests.

use std::cmp::Ordering;

use super::{Partition, partition::mean, path, scale, squared_distance, univariate};
use crate::{
    distance::kd_tree::{KdTree, Waiting, part},
    table::Matrix,
};

/// Groups of k to 2k−1 records that follow each other on a tour through the records, with the least SSE among all such
/// partitions; with MDAV's groups as start it is MDAV-MHM.
///
/// The tour visits the groups of `start` one after the other. It begins with the group whose mean is farthest from the
/// mean of all records, at that group's farthest record from there; the next group is the one whose mean is nearest to the
/// record where the tour stands; within a group the next record is the nearest one not yet visited.
///
/// A start with groups of k records at least is one of the partitions compared (groups of 2k or more, split), so the SSE never
/// grows. Records in no group stay in none.
///
/// # Ties
/// Equally near records: the lower one. Equally near groups: the one that the search tree meets first, the same in every
/// run. Equal SSE: as in [`univariate::optimal`].
///
/// # Complexity
/// O(n log n) for the order of groups with data that a search tree can help, O(n·2k·d) for the order within groups of 2k,
/// O(n k d) for the path; O(n d) memory.
///
/// # Source
/// J. Domingo-Ferrer, A. Martínez-Ballesté, J. M. Mateo-Sanz, F. Sebé, "Efficient multivariate data-oriented microaggregation",
/// VLDB Journal 15, 2006. How exactly the tour passes from group to group is our reading.
///
/// # Panics
/// If k is 0.
pub fn along_tour(points: &Matrix, start: &Partition, k: usize) -> Partition {
    let points = scale::tamed(points);
    let order = tour(&points, start);
    let sizes = path::best_runs(&points, &order, k);
    univariate::of_runs(points.n_records(), &order, &sizes)
}

/// The records in the order in which the tour visits them.
fn tour(points: &Matrix, start: &Partition) -> Vec<u32> {
    let mut groups = start.groups();
    groups.retain(|group| !group.is_empty());
    let means: Vec<Vec<f64>> = groups.iter().map(|group| mean(points, group)).collect();
    let all: Vec<u32> = groups.iter().flatten().copied().collect();
    let centre = mean(points, &all);
    let mut left = Unvisited::new(&means, points.n_attributes());
    let mut order: Vec<u32> = Vec::with_capacity(all.len());
    let first = (0_u32..)
        .zip(&means)
        .map(|(group, mean)| (squared_distance(mean, &centre), group))
        .reduce(farther)
        .map(|(_, group)| group);
    let mut next = first;
    while let Some(group) = next {
        left.remove(group);
        let members = &mut groups[group as usize];
        if order.is_empty() {
            let farthest = members
                .iter()
                .map(|&record| {
                    (
                        squared_distance(points.row(record as usize), &centre),
                        record,
                    )
                })
                .reduce(farther);
            if let Some((_, record)) = farthest {
                members.retain(|&member| member != record);
                order.push(record);
            }
        }
        visit(points, members, &mut order);
        next = order
            .last()
            .and_then(|&record| left.nearest(points.row(record as usize)));
    }
    order
}

/// The farther of two candidates; of equally far ones the first.
fn farther(first: (f64, u32), second: (f64, u32)) -> (f64, u32) {
    if second.0 > first.0 { second } else { first }
}

/// Which of two candidates is nearer; of equally near ones the lower number.
fn nearer(a: (f64, u32), b: (f64, u32)) -> Ordering {
    a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
}

/// Appends the members, from record to nearest record.
fn visit(points: &Matrix, members: &mut Vec<u32>, order: &mut Vec<u32>) {
    while let Some(&here) = order.last() {
        let here = points.row(here as usize);
        let nearest = (0..members.len()).min_by(|&a, &b| {
            let to = |place: usize| {
                let record = members[place];
                (squared_distance(points.row(record as usize), here), record)
            };
            nearer(to(a), to(b))
        });
        match nearest {
            Some(place) => order.push(members.swap_remove(place)),
            None => break,
        }
    }
}

/// Means that one leaf of the tree holds at most.
const LEAF: usize = 8;

/// The groups not yet visited, in a tree of boxes around their means.
struct Unvisited<'a> {
    means: &'a [Vec<f64>],
    tree: KdTree,
    /// Whether the group is still to be visited.
    left: Vec<bool>,
    /// The groups still to be visited in each node.
    n_left: Vec<u32>,
    /// The leaf of each group.
    leaf_of: Vec<usize>,
    parents: Vec<Option<usize>>,
    /// Least and greatest coordinates of each node.
    boxes: Vec<f64>,
    width: usize,
    waiting: Waiting,
}

impl<'a> Unvisited<'a> {
    fn new(means: &'a [Vec<f64>], width: usize) -> Self {
        // Each node is halved at the median of its widest coordinate.
        let groups = (0_u32..).take(means.len()).collect();
        let (tree, boxes) = KdTree::grow(groups, |members, boxes: &mut Vec<f64>| {
            let mut low = vec![f64::INFINITY; width];
            let mut high = vec![f64::NEG_INFINITY; width];
            for &group in &*members {
                for (axis, &value) in means[group as usize].iter().enumerate() {
                    low[axis] = low[axis].min(value);
                    high[axis] = high[axis].max(value);
                }
            }
            let spread = |axis: usize| high[axis] - low[axis];
            let widest = (0..width).max_by(|&a, &b| spread(a).total_cmp(&spread(b)));
            boxes.extend(low);
            boxes.extend(high);
            // Equal means are halved by their numbers, lest a leaf grow long.
            let axis = widest.filter(|_| members.len() > LEAF)?;
            let place = |group: u32| means[group as usize][axis];
            Some(part(members, members.len() / 2, place, f64::total_cmp))
        });
        let mut leaf_of = vec![0; means.len()];
        let mut parents = vec![None; tree.n_nodes()];
        let mut n_left = Vec::with_capacity(tree.n_nodes());
        for node in 0..tree.n_nodes() {
            let run = tree.run(node);
            n_left.push(univariate::size(run.len()));
            match tree.halves(node) {
                Some([first, second]) => {
                    parents[first] = Some(node);
                    parents[second] = Some(node);
                }
                None => {
                    for &group in &tree.points()[run] {
                        leaf_of[group as usize] = node;
                    }
                }
            }
        }
        Self {
            means,
            tree,
            left: vec![true; means.len()],
            n_left,
            leaf_of,
            parents,
            boxes,
            width,
            waiting: Waiting::default(),
        }
    }

    fn remove(&mut self, group: u32) {
        self.left[group as usize] = false;
        let mut node = Some(self.leaf_of[group as usize]);
        while let Some(at) = node {
            self.n_left[at] -= 1;
            node = self.parents[at];
        }
    }

    /// The group whose mean is nearest to a point; `None` if all are visited.
    fn nearest(&mut self, point: &[f64]) -> Option<u32> {
        let mut best = (f64::INFINITY, u32::MAX);
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.begin(&self.tree);
        // A node that is no nearer than the best is left out.
        while let Some(leaf) = waiting.next(&self.tree, best.0.next_down(), |node| {
            if self.n_left[node] == 0 {
                f64::INFINITY
            } else {
                self.least(node, point)
            }
        }) {
            for &group in &self.tree.points()[self.tree.run(leaf)] {
                if self.left[group as usize] {
                    let here = (squared_distance(&self.means[group as usize], point), group);
                    if nearer(here, best).is_lt() {
                        best = here;
                    }
                }
            }
        }
        self.waiting = waiting;
        (best.1 != u32::MAX).then_some(best.1)
    }

    /// The squared distance of a point from a node's box: no mean inside is nearer, as it is summed in the same order.
    fn least(&self, node: usize, point: &[f64]) -> f64 {
        let sides = &self.boxes[2 * node * self.width..][..2 * self.width];
        let (low, high) = sides.split_at(self.width);
        let outside = low.iter().zip(high).zip(point);
        outside.fold(0.0, |sum, ((low, high), x)| {
            let beyond = (low - x).max(x - high).max(0.0);
            sum + beyond * beyond
        })
    }
}
