//! Walking the tree with several queries at a time, behind the rough filter: each node and each tile is fetched once for all of them.
//!
//! A walk of one query visits the nearest box next. Where boxes prune poorly (many attributes, points without close neighbours)
//! it visits so many that fetching them takes longer than computing distances. Here nodes are visited in the order of the tree.

use pulp::{Arch, Simd, WithSimd};

use super::goal::Goal;
use super::plan::FAN;
use super::rough::{Place, Rough};
use super::tiles::{Axis, LANES, axes_of};
use super::tree::{NO_NODE, Tree};
use super::walk::{Near, Walked, show_tile};
use crate::distance::Metric;
use crate::table::matrix::Matrix;

/// Queries of a task: so many that most tiles matter to several, so few that their places stay in cache.
pub(super) const BATCH: usize = 256;

/// How many nodes or tiles are passed here in the time in which a walk handles one.
const SPEED: u64 = 4;

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
        members: &mut members,
    });
    for member in members {
        member.walked.work += member.passed / SPEED;
    }
}

/// One of the queries.
struct Member<'a, G> {
    axes: Vec<Axis>,
    place: Place,
    near: Near,
    walked: &'a mut Walked<G>,
    /// Nodes and tiles that were compared with it.
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
    members: &'a mut [Member<'b, G>],
}

impl<G: Goal> WithSimd for Run<'_, '_, G> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let everybody = (0..self.members.len() as u32).map(|member| Ahead { member, lower: 0.0 });
        // Nodes that are still to be visited, with how many may matter to whom: those are on a stack of their own.
        let (mut waiting, mut open) = (everybody.collect(), vec![(0, self.members.len())]);
        let mut below = [[NOBODY; BATCH]; FAN];
        while let Some((node, n_ahead)) = open.pop() {
            self.node(simd, node, n_ahead, &mut waiting, &mut below, &mut open);
        }
    }
}

impl<G: Goal> Run<'_, '_, G> {
    /// Shows the leaves of a node to those for whom they may matter, and opens the nodes below.
    #[inline(always)]
    fn node<S: Simd>(
        &mut self,
        simd: S,
        node: usize,
        n_ahead: usize,
        waiting: &mut Vec<Ahead>,
        below: &mut [[Ahead; BATCH]; FAN],
        open: &mut Vec<(usize, usize)>,
    ) {
        let fan = &self.tree.nodes[node];
        let n_children = fan.n_children as usize;
        let mut n_below = [0; FAN];
        for ahead in waiting.drain(waiting.len() - n_ahead..) {
            let member = &mut self.members[ahead.member as usize];
            let most = member.near.bounds.most;
            if ahead.lower > most {
                continue;
            }
            member.passed += 1;
            let lower = self.rough.lower(simd, node, &member.place);
            for child in 0..FAN {
                // No branch: the next one takes the place of whom it does not matter for.
                below[child][n_below[child]] = Ahead {
                    lower: lower[child],
                    ..ahead
                };
                n_below[child] += usize::from(lower[child] <= most);
            }
        }
        for child in 0..n_children {
            let ahead = &below[child][..n_below[child]];
            if fan.child[child] != NO_NODE {
                if !ahead.is_empty() {
                    waiting.extend_from_slice(ahead);
                    open.push((fan.child[child] as usize, ahead.len()));
                }
                continue;
            }
            let (start, end) = (fan.start[child] as usize, fan.start[child + 1] as usize);
            for tile in start / LANES..end.div_ceil(LANES) {
                let (pairs, last) = ahead.as_chunks::<2>();
                for pair in pairs {
                    self.tile(simd, tile, *pair);
                }
                for ahead in last {
                    self.tile(simd, tile, [*ahead]);
                }
            }
        }
    }

    /// Shows a tile to some members, if it may matter.
    #[inline(always)]
    fn tile<S: Simd, const AT_ONCE: usize>(
        &mut self,
        simd: S,
        tile: usize,
        ahead: [Ahead; AT_ONCE],
    ) {
        let members = ahead.map(|ahead| ahead.member as usize);
        let places = members.map(|member| &self.members[member].place);
        let most = members.map(|member| self.members[member].near.bounds.most);
        if (0..AT_ONCE).all(|at| ahead[at].lower > most[at]) {
            return;
        }
        let touches = self.rough.touches(simd, tile, places, most);
        for at in 0..AT_ONCE {
            let member = &mut self.members[members[at]];
            member.passed += 1;
            if touches[at] {
                member.walked.work += 1;
                let goal = &mut member.walked.goal;
                show_tile(simd, self.tree, tile, &member.axes, false, goal);
                member.near.follow(self.rough, &member.place, goal);
            }
        }
    }
}
