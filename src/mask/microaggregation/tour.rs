//! Multivariate Hansen–Mukherjee: the best groups along a tour that a heuristic partition suggests.

use std::cmp::Ordering;

use super::{Partition, partition::mean, path, scale, squared_distance, univariate};
use crate::table::Matrix;

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
            .and_then(|&record| left.nearest(&means, points.row(record as usize)));
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
struct Unvisited {
    /// The groups, such that every node's are together.
    groups: Vec<u32>,
    /// Whether the group is still to be visited.
    left: Vec<bool>,
    /// The leaf of each group.
    leaf_of: Vec<u32>,
    nodes: Vec<Node>,
    /// Least and greatest coordinates of each node.
    boxes: Vec<f64>,
    width: usize,
}

/// A part of the groups, and its two halves if it is no leaf.
struct Node {
    begin: usize,
    end: usize,
    /// The first of two successive nodes.
    halves: Option<usize>,
    parent: Option<usize>,
    n_left: usize,
}

impl Unvisited {
    fn new(means: &[Vec<f64>], width: usize) -> Self {
        let n = means.len();
        let mut tree = Self {
            groups: (0_u32..).take(n).collect(),
            left: vec![true; n],
            leaf_of: vec![0; n],
            nodes: vec![Node {
                begin: 0,
                end: n,
                halves: None,
                parent: None,
                n_left: n,
            }],
            boxes: Vec::new(),
            width,
        };
        let mut node = 0;
        while node < tree.nodes.len() {
            tree.grow(node, means);
            node += 1;
        }
        tree
    }

    /// Draws the box of a node, and halves the node at the median of its widest coordinate.
    fn grow(&mut self, node: usize, means: &[Vec<f64>]) {
        let (begin, end) = (self.nodes[node].begin, self.nodes[node].end);
        let members = &mut self.groups[begin..end];
        let mut low = vec![f64::INFINITY; self.width];
        let mut high = vec![f64::NEG_INFINITY; self.width];
        for &group in &*members {
            for (axis, &value) in means[group as usize].iter().enumerate() {
                low[axis] = low[axis].min(value);
                high[axis] = high[axis].max(value);
            }
        }
        let spread = |axis: usize| high[axis] - low[axis];
        let widest = (0..self.width).max_by(|&a, &b| spread(a).total_cmp(&spread(b)));
        self.boxes.extend(low);
        self.boxes.extend(high);
        match widest {
            // Equal means are halved by their numbers, lest a leaf grow long.
            Some(axis) if members.len() > LEAF => {
                let middle = members.len() / 2;
                let place = |group: u32| (means[group as usize][axis], group);
                members.select_nth_unstable_by(middle, |&a, &b| nearer(place(a), place(b)));
                self.nodes[node].halves = Some(self.nodes.len());
                for (begin, end) in [(begin, begin + middle), (begin + middle, end)] {
                    self.nodes.push(Node {
                        begin,
                        end,
                        halves: None,
                        parent: Some(node),
                        n_left: end - begin,
                    });
                }
            }
            _ => {
                for &group in &*members {
                    self.leaf_of[group as usize] = univariate::size(node);
                }
            }
        }
    }

    fn remove(&mut self, group: u32) {
        self.left[group as usize] = false;
        let mut node = Some(self.leaf_of[group as usize] as usize);
        while let Some(at) = node {
            self.nodes[at].n_left -= 1;
            node = self.nodes[at].parent;
        }
    }

    /// The group whose mean is nearest to a point; `None` if all are visited.
    fn nearest(&self, means: &[Vec<f64>], point: &[f64]) -> Option<u32> {
        let mut best = (f64::INFINITY, u32::MAX);
        let mut waiting = vec![(0.0, 0)];
        while let Some((least, node)) = waiting.pop() {
            let node: &Node = &self.nodes[node];
            if node.n_left == 0 || least >= best.0 {
                continue;
            }
            let Some(halves) = node.halves else {
                for &group in &self.groups[node.begin..node.end] {
                    if self.left[group as usize] {
                        let here = (squared_distance(&means[group as usize], point), group);
                        if nearer(here, best).is_lt() {
                            best = here;
                        }
                    }
                }
                continue;
            };
            let (a, b) = (self.least(halves, point), self.least(halves + 1, point));
            // The nearer half is looked at first: it lies on top.
            if a <= b {
                waiting.extend([(b, halves + 1), (a, halves)]);
            } else {
                waiting.extend([(a, halves), (b, halves + 1)]);
            }
        }
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
