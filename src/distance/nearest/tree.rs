//! A k-d tree whose nodes have up to eight children, with a tight box around each child.

use pulp::Simd;
use rayon::prelude::*;

use super::boxes::Constraint;
use super::plan::{FAN, Plan, Planner};
use super::tiles::{Axis, LANES, Lanes, Tiles, greater, lesser, term};
use crate::distance::Metric;
use crate::table::matrix::Matrix;

/// Marks a child that is a leaf.
pub(super) const NO_NODE: u32 = u32::MAX;

/// A node: runs of positions, each below one child.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fan {
    /// The node of each child, or [`NO_NODE`] for a leaf.
    pub child: [u32; FAN],
    /// Child `i` holds the positions `start[i]..start[i + 1]`, from a multiple of the tile size on.
    pub start: [u32; FAN + 1],
    /// The least point of each child.
    pub first: [u32; FAN],
    pub n_children: u32,
}

/// The points of a tree and the boxes around them.
///
/// # Missing
/// A box spans the values that are present, and is empty (`inf..=-inf`) if none is; where a child
/// misses some value of an attribute it is marked in `gaps`.
#[derive(Debug)]
pub(super) struct Tree {
    pub tiles: Tiles,
    /// The position of each point.
    pub positions: Vec<u32>,
    /// Parents before children, the root first; none without points.
    pub nodes: Vec<Fan>,
    /// For each node and attribute, the lower bounds of the children, then the upper ones.
    boxes: Vec<Lanes>,
    /// For each node and attribute, one bit a child; empty if no point misses anything.
    gaps: Vec<u8>,
}

impl Tree {
    /// # Complexity
    /// `O(n log n + n d)`.
    pub(super) fn build(points: &Matrix, metric: &Metric) -> Self {
        let mut order: Vec<u32> = (0..points.n_records() as u32).collect();
        let planner = Planner { points, metric };
        let plan = planner.plan(&mut order);
        let mut positions = vec![0; order.len()];
        for (position, &point) in order.iter().enumerate() {
            positions[point as usize] = position as u32;
        }
        let tiles = Tiles::new(points, order);
        let mut nodes = Vec::new();
        if tiles.n_points() > 0 {
            let root = match plan {
                Plan::Leaf(_) => vec![plan],
                Plan::Split(plans) => plans,
            };
            flatten(&root, 0, &mut nodes);
        }
        let n_boxes = nodes.len() * tiles.n_attributes();
        let mut tree = Self {
            boxes: vec![Lanes([0.0; LANES]); n_boxes],
            gaps: if points.is_complete() {
                Vec::new()
            } else {
                vec![0; n_boxes]
            },
            nodes,
            positions,
            tiles,
        };
        tree.enclose();
        tree
    }

    /// Computes the boxes: of leaves, then of nodes, children before parents.
    fn enclose(&mut self) {
        let n_attributes = self.tiles.n_attributes();
        let tiles = &self.tiles;
        self.nodes.par_iter_mut().with_min_len(64).for_each(|node| {
            for child in 0..node.n_children as usize {
                let points = node.start[child] as usize..node.start[child + 1] as usize;
                if node.child[child] == NO_NODE {
                    let points = tiles.order()[points].iter().copied();
                    node.first[child] = points.min().unwrap_or(0);
                }
            }
        });
        let complete = self.gaps.is_empty();
        let gaps: Vec<(usize, u8)> = self
            .nodes
            .par_iter()
            .zip(self.boxes.par_chunks_mut(n_attributes.max(1)))
            .with_min_len(64)
            .enumerate()
            .flat_map_iter(|(index, (node, boxes))| {
                let mut gaps = Vec::new();
                for child in 0..node.n_children as usize {
                    let (start, end) = (node.start[child] as usize, node.start[child + 1] as usize);
                    if node.child[child] != NO_NODE {
                        continue;
                    }
                    for (attribute, cell) in boxes.iter_mut().enumerate() {
                        let (lo, hi, gap) = span_of_leaf(tiles, start, end, attribute);
                        cell.0[child] = lo;
                        cell.0[FAN + child] = hi;
                        if gap {
                            gaps.push((index * n_attributes + attribute, 1 << child));
                        }
                    }
                }
                gaps
            })
            .collect();
        debug_assert!(gaps.is_empty() || !complete, "gaps have a place");
        for (cell, gap) in gaps {
            self.gaps[cell] |= gap;
        }
        for index in (0..self.nodes.len()).rev() {
            let node = self.nodes[index];
            for child in 0..node.n_children as usize {
                let below = node.child[child];
                if below == NO_NODE {
                    continue;
                }
                let first = &self.nodes[below as usize];
                let first = first.first[..first.n_children as usize].iter().copied();
                self.nodes[index].first[child] = first.min().unwrap_or(0);
                for attribute in 0..n_attributes {
                    let (lo, hi, gap) = self.span_of_node(below as usize, attribute);
                    let cell = index * n_attributes + attribute;
                    self.boxes[cell].0[child] = lo;
                    self.boxes[cell].0[FAN + child] = hi;
                    if gap {
                        self.gaps[cell] |= 1 << child;
                    }
                }
            }
        }
    }

    fn span_of_node(&self, node: usize, attribute: usize) -> (f64, f64, bool) {
        let cell = node * self.tiles.n_attributes() + attribute;
        let n_children = self.nodes[node].n_children as usize;
        let (lo, hi) = self.boxes[cell].0.split_at(FAN);
        let lo = lo[..n_children].iter().copied().fold(f64::INFINITY, lesser);
        let hi = hi[..n_children]
            .iter()
            .copied()
            .fold(f64::NEG_INFINITY, greater);
        (lo, hi, self.gaps.get(cell).is_some_and(|&gaps| gaps != 0))
    }

    /// The boxes of a node's children, a row an attribute.
    #[inline(always)]
    pub(super) fn boxes(&self, node: usize) -> &[Lanes] {
        let n_attributes = self.tiles.n_attributes();
        &self.boxes[node * n_attributes..(node + 1) * n_attributes]
    }

    /// Which children miss some value, an attribute each; empty if none does anywhere.
    #[inline(always)]
    pub(super) fn gaps(&self, node: usize) -> &[u8] {
        if self.gaps.is_empty() {
            return &[];
        }
        let n_attributes = self.tiles.n_attributes();
        &self.gaps[node * n_attributes..(node + 1) * n_attributes]
    }

    /// Lower bounds of the canonical distances to the points of each child; infinite past the last.
    ///
    /// They hold under rounding. Let `lo <= b <= hi` be a box, `b` a point's value and `a < lo` the
    /// query's. Rounding is monotone, so `|fl(a - b)| >= fl(lo - a)`; likewise for `a > hi`, and
    /// within the box the bound is 0. Squaring, weighting and adding to a sum are monotone too, in
    /// exact arithmetic and hence rounded. The operations and their order are those of the distance,
    /// so by induction over the attributes the bound is never above it. A missing value contributes
    /// its constant in both; where only some are missing, the lesser of both contributions bounds.
    #[inline(always)]
    pub(super) fn lower<S: Simd>(&self, simd: S, node: usize, axes: &[Axis]) -> [f64; FAN] {
        let mut lower = [0.0; FAN];
        let gaps = self.gaps(node);
        let zero = simd.splat_f64s(0.0);
        let (sums, _) = S::as_mut_simd_f64s(&mut lower);
        for (attribute, (axis, row)) in axes.iter().zip(self.boxes(node)).enumerate() {
            let missing = simd.splat_f64s(axis.missing);
            if axis.is_missing {
                for sum in &mut *sums {
                    *sum = simd.add_f64s(*sum, missing);
                }
                continue;
            }
            let gap = gaps.get(attribute).copied().unwrap_or(0);
            if axis.weight == 0.0 && gap == 0 {
                continue;
            }
            // A child that misses nothing has no constant to fall back on.
            let constants: [f64; FAN] = if gap == 0 {
                [f64::INFINITY; FAN]
            } else {
                std::array::from_fn(|child| match gap >> child & 1 {
                    1 => axis.missing,
                    _ => f64::INFINITY,
                })
            };
            let value = simd.splat_f64s(axis.value);
            let weight = simd.splat_f64s(axis.weight);
            let (lo, hi) = row.0.split_at(FAN);
            let ((lo, _), (hi, _)) = (S::as_simd_f64s(lo), S::as_simd_f64s(hi));
            let (constants, _) = S::as_simd_f64s(&constants);
            for (part, sum) in sums.iter_mut().enumerate() {
                let below = simd.sub_f64s(lo[part], value);
                let above = simd.sub_f64s(value, hi[part]);
                let outside = simd.max_f64s(simd.max_f64s(below, above), zero);
                let mut term = simd.mul_f64s(weight, simd.mul_f64s(outside, outside));
                if axis.weight == 0.0 {
                    // Values add nothing: of a child without any, all miss them.
                    let some = simd.less_than_or_equal_f64s(lo[part], hi[part]);
                    term = simd.select_f64s(some, zero, simd.splat_f64s(f64::INFINITY));
                }
                if gap != 0 {
                    term = simd.min_f64s(term, constants[part]);
                }
                *sum = simd.add_f64s(*sum, term);
            }
        }
        let n_children = self.nodes[node].n_children as usize;
        lower[n_children..].fill(f64::INFINITY);
        lower
    }

    /// An upper bound of the canonical distances to the points of one child.
    ///
    /// It holds under rounding for the reasons that [`Tree::lower`] does.
    #[inline(always)]
    pub(super) fn upper(&self, node: usize, child: usize, axes: &[Axis]) -> f64 {
        let gaps = self.gaps(node);
        let mut sum = 0.0;
        for (attribute, (axis, row)) in axes.iter().zip(self.boxes(node)).enumerate() {
            let (lo, hi) = (row.0[child], row.0[FAN + child]);
            sum += if axis.is_missing || lo > hi {
                axis.missing
            } else {
                let present = greater(term(axis, lo), term(axis, hi));
                let some_missing = gaps
                    .get(attribute)
                    .is_some_and(|gaps| gaps >> child & 1 == 1);
                if some_missing {
                    greater(present, axis.missing)
                } else {
                    present
                }
            };
        }
        sum
    }

    /// For each child, whether all its points are outside a box, and whether all are in.
    #[inline(always)]
    pub(super) fn relations(
        &self,
        node: usize,
        constraints: &[Constraint],
    ) -> ([bool; FAN], [bool; FAN]) {
        let (mut gap, mut excess) = ([f64::NEG_INFINITY; FAN], [f64::NEG_INFINITY; FAN]);
        let mut missing = 0;
        let (boxes, gaps) = (self.boxes(node), self.gaps(node));
        for constraint in constraints {
            let (lo, hi) = boxes[constraint.attribute].0.split_at(FAN);
            let gaps = gaps.get(constraint.attribute).copied().unwrap_or(0);
            // Points that miss the attribute are inside, so a child that has some is not apart.
            let excused = if constraint.admits_gap { gaps } else { 0 };
            // A difference has the sign of the comparison, also for infinite bounds. Where it is NaN
            // (an empty box at an infinite bound) `greater` passes over it; the other end of the
            // interval sets such a child apart.
            for child in 0..FAN {
                if excused >> child & 1 == 0 {
                    gap[child] = greater(gap[child], lo[child] - constraint.hi);
                    gap[child] = greater(gap[child], constraint.lo - hi[child]);
                }
                excess[child] = greater(excess[child], constraint.lo - lo[child]);
                excess[child] = greater(excess[child], hi[child] - constraint.hi);
            }
            missing |= gaps & !excused;
        }
        let apart = gap.map(|gap| gap > 0.0);
        let mut within = excess.map(|excess| excess <= 0.0);
        for (child, within) in within.iter_mut().enumerate() {
            *within &= missing >> child & 1 == 0;
        }
        (apart, within)
    }

    /// The position at which a greedy descent ends that is led by a bound for each child of a node.
    #[inline(always)]
    pub(super) fn descend<T: PartialOrd + Copy>(&self, lower: impl Fn(usize) -> [T; FAN]) -> u32 {
        let mut index = 0;
        while let Some(node) = self.nodes.get(index as usize) {
            let lower = lower(index as usize);
            let first = (0, lower[0]);
            let (nearest, _) = lower.into_iter().enumerate().fold(first, |best, next| {
                if next.1 < best.1 { next } else { best }
            });
            index = node.child[nearest];
            if index == NO_NODE {
                return node.start[nearest];
            }
        }
        0
    }

    /// Whether no point misses anything.
    pub(super) fn is_complete(&self) -> bool {
        self.gaps.is_empty()
    }

    /// Whether some point misses an attribute.
    pub(super) fn misses(&self, attribute: usize) -> bool {
        !self.is_complete() && !self.nodes.is_empty() && self.span_of_node(0, attribute).2
    }

    /// The least and the greatest value of an attribute; infinite without points.
    pub(super) fn span(&self, attribute: usize) -> (f64, f64) {
        if self.nodes.is_empty() {
            return (f64::INFINITY, f64::NEG_INFINITY);
        }
        let (lo, hi, _) = self.span_of_node(0, attribute);
        (lo, hi)
    }
}

/// The span of an attribute in a leaf, and whether some point misses it.
fn span_of_leaf(tiles: &Tiles, start: usize, end: usize, attribute: usize) -> (f64, f64, bool) {
    let (mut lo, mut hi, mut gap) = (f64::INFINITY, f64::NEG_INFINITY, false);
    for tile in start / LANES..end.div_ceil(LANES) {
        for &value in &tiles.rows(tile)[attribute].0 {
            (lo, hi) = (if value < lo { value } else { lo }, greater(hi, value));
        }
        gap |= tiles.is_ragged(tile)
            && tiles.rows(tile)[attribute]
                .0
                .iter()
                .any(|value| value.is_nan());
    }
    (lo, hi, gap)
}

/// Appends the node over these plans, and all below it, which start at a position.
fn flatten(plans: &[Plan], start: usize, nodes: &mut Vec<Fan>) -> u32 {
    let index = nodes.len();
    let end = start + plans.iter().map(Plan::n_points).sum::<usize>();
    nodes.push(Fan {
        child: [NO_NODE; FAN],
        start: [end as u32; FAN + 1],
        first: [0; FAN],
        n_children: plans.len() as u32,
    });
    let mut start = start;
    for (i, plan) in plans.iter().enumerate() {
        nodes[index].start[i] = start as u32;
        if let Plan::Split(plans) = plan {
            let child = flatten(plans, start, nodes);
            nodes[index].child[i] = child;
        }
        start += plan.n_points();
    }
    index as u32
}
