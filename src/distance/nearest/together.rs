//! Walking the tree with several queries at a time, behind the rough filter: each node and each point is fetched once for all of them.
//!
//! A walk of one query visits the nearest box next. Where boxes prune poorly (many attributes, points without close neighbours)
//! it visits so many that fetching them takes longer than computing distances. Here nodes are visited in the order of the tree, and
//! once only a few tiles are left below a node, their points are compared instead of boxes, which takes less time.

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

use super::goal::Goal;
use super::plan::FAN;
use super::rough::{Place, Rough, Thresholds};
use super::scan;
use super::tiles::{Axis, LANES, axes_of};
use super::tree::Tree;
use super::walk::{Near, Walked, show_tile};
use crate::distance::Metric;
use crate::table::matrix::Matrix;

/// Queries of a task, of so many: as many as there can be while tasks are enough to share out and their places stay in cache. The more
/// they are, the more of them a tile matters to that is fetched from memory; where points are few, it is in cache anyway.
pub(super) fn batch_size(n_queries: usize) -> usize {
    (n_queries / 64).clamp(256, 16384)
}

/// Up to how many tiles are compared point by point, not box by box. Comparing the boxes of a node costs about as much as comparing four
/// tiles, and a fixed amount that weighs more the fewer the attributes are; it still leaves about one tile in four to be compared.
fn most_together(n_attributes: usize) -> usize {
    4 + 128 / n_attributes.max(1)
}

/// Queries that tiles are compared with at once.
const AT_ONCE: usize = 4;

/// Finishes walks for plain goals that were given up, with all points as candidates.
pub(super) fn run<G: Goal>(
    tree: &Tree,
    rough: &Rough,
    metric: &Metric,
    queries: &Matrix,
    batch: &mut [Walked<G>],
) {
    if tree.nodes.is_empty() {
        return;
    }
    let members = batch.iter_mut().map(|walked| {
        let (mut axes, mut place) = (Vec::new(), Place::new());
        axes_of(queries.record(walked.query as usize), metric, &mut axes);
        rough.place(&axes, &mut place);
        walked.goal.restart();
        Member {
            near: Near::of(rough, &place, &walked.goal),
            axes,
            place,
            walked,
            passed: 0,
        }
    });
    let mut members: Vec<Member<'_, G>> = members.collect();
    Arch::new().dispatch(Run {
        tree,
        rough,
        block_size: most_together(metric.n_attributes()),
        members: &mut members,
    });
    for member in members {
        member.walked.work += member.passed / scan::SPEED;
    }
}

/// One of the queries.
struct Member<'a, G> {
    axes: Vec<Axis>,
    place: Place,
    near: Near,
    walked: &'a mut Walked<G>,
    /// Tiles whose points were compared with it.
    passed: u64,
}

/// A member for whom something ahead may matter, and about the least distance there.
#[derive(Clone, Copy)]
struct Ahead {
    member: u32,
    lower: f32,
}

const NOBODY: Ahead = Ahead {
    member: 0,
    lower: f32::INFINITY,
};

struct Run<'a, 'b, G> {
    tree: &'a Tree,
    rough: &'a Rough,
    block_size: usize,
    members: &'a mut [Member<'b, G>],
}

impl<G: Goal> WithSimd for Run<'_, '_, G> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let everybody = (0..self.members.len() as u32).map(|member| Ahead { member, lower: 0.0 });
        let n_tiles = self.tree.tiles.n_tiles();
        if n_tiles <= self.block_size {
            let everybody: Vec<Ahead> = everybody.collect();
            self.block(simd, 0..n_tiles, &everybody);
            return;
        }
        // Nodes that are still to be visited, with how many may matter to whom: those are on a stack of their own.
        let (mut waiting, mut open) = (everybody.collect(), vec![(0, self.members.len())]);
        let mut below = vec![NOBODY; FAN * self.members.len()];
        while let Some((node, n_ahead)) = open.pop() {
            self.node(simd, node, n_ahead, &mut waiting, &mut below, &mut open);
        }
    }
}

impl<G: Goal> Run<'_, '_, G> {
    /// Compares the points below a node with those for whom they may matter, where they are few, and opens the other nodes below.
    #[inline(always)]
    fn node<S: Simd>(
        &mut self,
        simd: S,
        node: usize,
        n_ahead: usize,
        waiting: &mut Vec<Ahead>,
        below: &mut [Ahead],
        open: &mut Vec<(usize, usize)>,
    ) {
        let fan = &self.tree.nodes[node];
        let n_children = fan.n_children as usize;
        // Where the next one of each child goes: its first place is a multiple of the number of members.
        let firsts: [usize; FAN] = std::array::from_fn(|child| child * self.members.len());
        let mut ends = firsts;
        for ahead in waiting.drain(waiting.len() - n_ahead..) {
            let member = &mut self.members[ahead.member as usize];
            let most = member.near.bounds.most;
            if ahead.lower > most {
                continue;
            }
            member.walked.work += 1;
            let lower = self.rough.lower(simd, node, &member.place);
            for child in 0..FAN {
                // No branch: the next one takes the place of whom it does not matter for.
                below[ends[child]] = Ahead {
                    lower: lower[child],
                    ..ahead
                };
                ends[child] += usize::from(lower[child] <= most);
            }
        }
        for child in 0..n_children {
            let ahead = &below[firsts[child]..ends[child]];
            let (start, end) = (fan.start[child] as usize, fan.start[child + 1] as usize);
            let tiles = start / LANES..end.div_ceil(LANES);
            if tiles.len() <= self.block_size {
                self.block(simd, tiles, ahead);
            } else if !ahead.is_empty() {
                waiting.extend_from_slice(ahead);
                open.push((fan.child[child] as usize, ahead.len()));
            }
        }
    }

    /// Compares the points of some tiles with some members, a few at a time.
    #[inline(always)]
    fn block<S: Simd>(&mut self, simd: S, tiles: Range<usize>, ahead: &[Ahead]) {
        let mut few = [0; AT_ONCE];
        let mut n_few = 0;
        for ahead in ahead {
            let member = ahead.member as usize;
            if ahead.lower <= self.members[member].near.bounds.most {
                few[n_few] = member;
                n_few += 1;
            }
            if n_few == AT_ONCE {
                self.compare(simd, tiles.clone(), few, n_few);
                n_few = 0;
            }
        }
        if n_few > 0 {
            // The first one fills the places that are left.
            let first = few[0];
            few[n_few..].fill(first);
            self.compare(simd, tiles, few, n_few);
        }
    }

    /// Compares the points of some tiles with the first `n_few` of some members, and shows them those that may matter.
    #[inline(always)]
    fn compare<S: Simd>(
        &mut self,
        simd: S,
        tiles: Range<usize>,
        few: [usize; AT_ONCE],
        n_few: usize,
    ) {
        let places = few.map(|member| &self.members[member].place);
        let nobody = [Thresholds::NOBODY; AT_ONCE];
        let found = (self.rough).compare::<S, AT_ONCE, false>(simd, tiles.clone(), places, nobody);
        let radius = self.rough.radius_of(tiles.clone());
        for (&member, greatest) in few[..n_few].iter().zip(found.greatest) {
            let member = &mut self.members[member];
            member.passed += tiles.len() as u64;
            let reach = member.near.bounds.reach;
            let least = (self.rough)
                .thresholds(&member.place, radius, reach)
                .possible;
            let near = simd.greater_than_or_equal_f32s(greatest, simd.splat_f32s(least));
            if simd.first_true_m32s(near) == S::F32_LANES {
                continue;
            }
            for tile in tiles.clone() {
                let bounds = member.near.bounds;
                if (self.rough).touches(simd, tile, &member.place, bounds) {
                    member.walked.work += 1;
                    let goal = &mut member.walked.goal;
                    show_tile(simd, self.tree, tile, &member.axes, false, goal);
                    member.near.follow(self.rough, &member.place, goal);
                }
            }
        }
    }
}
