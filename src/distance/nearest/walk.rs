//! Walking the tree towards a query.

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use super::answer::{Rival, Rivals};
use super::boxes::{Boxes, Constraint};
use super::goal::{Goal, Settled, Tile};
use super::plan::FAN;
use super::rough::{Bounds, Place, Rough, Sieve};
use super::tiles::{Axis, LANES, axes_of};
use super::tree::{NO_NODE, Tree};
use crate::distance::Metric;
use crate::table::matrix::Matrix;

/// Queries that one task answers, and so the length of the runs that share what is in cache. A task is no longer: queries take longer where
/// points are many, and others could not take from it what it has begun on.
pub(super) const CHUNK: usize = 256;

/// What a walk needs to know.
#[derive(Clone, Copy)]
pub(super) struct Walk<'a> {
    pub tree: &'a Tree,
    pub rough: Option<&'a Rough>,
    pub metric: &'a Metric,
    pub queries: &'a Matrix,
    pub rivals: Rivals<'a>,
    pub within: Option<&'a Boxes>,
    /// Nodes and leaves visited before a walk is given up.
    pub budget: u64,
}

/// The outcome of one query.
pub(super) struct Walked<G> {
    pub query: u32,
    pub goal: G,
    /// Nodes visited, and tiles whose distances were computed.
    pub work: u64,
    /// Whether the goal was reached within the budget.
    pub finished: bool,
}

/// A subtree still to be visited.
#[derive(Clone, Copy)]
struct Visit {
    /// A lower bound of its distances.
    lower: f64,
    /// Its node, or [`NO_NODE`].
    node: u32,
    start: u32,
    end: u32,
    /// Whether all its points are candidates, and counted as such.
    inside: bool,
    /// Whether all its points are counted as closer than the rival, or are not.
    counted: bool,
}

impl Walk<'_> {
    /// All queries, those close to each other in the tree one after the other.
    pub(super) fn order(self) -> Vec<u32> {
        let queries: Vec<u32> = (0..self.queries.n_records() as u32).collect();
        let homes = queries.par_chunks(CHUNK).map(|queries| {
            let homes = Homes {
                walk: self,
                queries,
            };
            Arch::new().dispatch(homes)
        });
        let mut homes: Vec<(u32, u32)> = homes.flatten_iter().collect();
        homes.par_sort_unstable();
        homes.into_iter().map(|(_, query)| query).collect()
    }

    /// Walks for each of the queries, in their order.
    pub(super) fn run<G: Goal>(
        self,
        queries: &[u32],
        goal: &impl Fn(u32, Option<Rival>) -> G,
    ) -> Vec<Walked<G>> {
        Arch::new().dispatch(Run {
            walk: self,
            queries,
            goal,
        })
    }
}

/// Where a greedy descent towards each query ends.
struct Homes<'a> {
    walk: Walk<'a>,
    queries: &'a [u32],
}

impl WithSimd for Homes<'_> {
    type Output = Vec<(u32, u32)>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
        let Walk {
            tree,
            rough,
            metric,
            queries,
            ..
        } = self.walk;
        let (mut axes, mut place) = (Vec::new(), Place::new());
        let mut homes = Vec::with_capacity(self.queries.len());
        for &query in self.queries {
            axes_of(queries.record(query as usize), metric, &mut axes);
            let home = match rough {
                Some(rough) if rough.place(&axes, &mut place) => rough.home(simd, tree, &place),
                _ => tree.descend(|node| tree.lower(simd, node, &axes)),
            };
            homes.push((home, query));
        }
        homes
    }
}

struct Run<'a, F> {
    walk: Walk<'a>,
    queries: &'a [u32],
    goal: &'a F,
}

impl<G: Goal, F: Fn(u32, Option<Rival>) -> G> WithSimd for Run<'_, F> {
    type Output = Vec<Walked<G>>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
        let walk = &self.walk;
        let mut one = One {
            axes: Vec::new(),
            place: Place::new(),
            constraints: Vec::new(),
            sieve: Sieve::new(),
            visits: Vec::new(),
        };
        let mut walked = Vec::with_capacity(self.queries.len());
        for &query in self.queries {
            axes_of(
                walk.queries.record(query as usize),
                walk.metric,
                &mut one.axes,
            );
            one.constraints.clear();
            if let Some(boxes) = walk.within {
                one.constraints.extend(boxes.constraints(query as usize));
            }
            let of_point = |rival: u32| {
                let position = walk.tree.positions[rival as usize] as usize;
                let tiles = &walk.tree.tiles;
                let inside = one.constraints.iter().all(|constraint| {
                    constraint.admits(tiles.value(position, constraint.attribute))
                });
                Rival {
                    key: tiles.key(position, &one.axes),
                    inside,
                }
            };
            let rival = match walk.rivals {
                Rivals::Points(rivals) => rivals[query as usize].map(of_point),
                Rivals::Known(rivals) => rivals[query as usize],
            };
            let mut goal = (self.goal)(query, rival);
            let nearby = walk.rough.filter(|rough| {
                G::PLAIN && walk.within.is_none() && rough.place(&one.axes, &mut one.place)
            });
            let sifted = (walk.rough).filter(|rough| rough.sieve(&one.constraints, &mut one.sieve));
            let work = match nearby {
                Some(rough) => one.hurry(simd, walk.tree, rough, walk.budget, &mut goal),
                None => one.walk(simd, (walk.tree, sifted), walk.budget, &mut goal),
            };
            walked.push(Walked {
                query,
                goal,
                work,
                finished: work <= walk.budget,
            });
        }
        walked
    }
}

/// What is near enough to matter by now.
pub(super) struct Near {
    reach: f64,
    pub bounds: Bounds,
}

impl Near {
    /// What is near enough for a goal.
    #[inline(always)]
    pub(super) fn of<G: Goal>(rough: &Rough, place: &Place, goal: &G) -> Self {
        let mut near = Self {
            reach: -1.0,
            bounds: Bounds::NOTHING,
        };
        near.follow(rough, place, goal);
        near
    }

    /// Follows the reach of a goal.
    #[inline(always)]
    pub(super) fn follow<G: Goal>(&mut self, rough: &Rough, place: &Place, goal: &G) {
        let reach = goal.reach(false);
        if reach != self.reach {
            self.reach = reach;
            self.bounds = if reach < 0.0 {
                Bounds::NOTHING
            } else {
                rough.bounds(place, reach)
            };
        }
    }
}

/// Children of a node: a byte each.
struct Children(u64);

impl Children {
    /// All but these.
    #[inline(always)]
    fn but(these: [bool; FAN]) -> Self {
        Self(u64::from_le_bytes(these.map(|not| u8::from(!not))))
    }
}

impl Iterator for Children {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        let child = self.0.trailing_zeros() / 8;
        self.0 &= self.0.wrapping_sub(1);
        ((child as usize) < FAN).then_some(child as usize)
    }
}

/// One query at a time.
struct One {
    axes: Vec<Axis>,
    place: Place,
    constraints: Vec<Constraint>,
    sieve: Sieve,
    visits: Vec<Visit>,
}

impl One {
    /// Returns the work done; more than the budget if the walk was given up. `sifted`: the tree in single precision, if the sieve is right.
    #[inline(always)]
    fn walk<S: Simd, G: Goal>(
        &mut self,
        simd: S,
        (tree, sifted): (&Tree, Option<&Rough>),
        budget: u64,
        goal: &mut G,
    ) -> u64 {
        self.visits.clear();
        if tree.nodes.is_empty() || self.constraints.iter().any(Constraint::admits_nobody) {
            return 0;
        }
        let inside = self.constraints.is_empty();
        let end = tree.tiles.n_points() as u32;
        if inside {
            goal.admit(end);
        }
        let root = Visit {
            lower: 0.0,
            node: 0,
            start: 0,
            end,
            inside,
            counted: false,
        };
        self.visits.push(root);
        let mut work = 0;
        while let Some(visit) = self.visits.pop() {
            if visit.inside && visit.lower > goal.reach(visit.counted) {
                continue;
            }
            work += 1;
            if work > budget {
                return work;
            }
            if visit.node == NO_NODE {
                self.leaf(simd, (tree, sifted), visit, goal);
            } else {
                work += self.node(simd, (tree, sifted), visit, goal);
            }
        }
        work
    }

    /// Walks for a plain goal whose candidates are all points, behind the rough filter.
    #[inline(always)]
    fn hurry<S: Simd, G: Goal>(
        &mut self,
        simd: S,
        tree: &Tree,
        rough: &Rough,
        budget: u64,
        goal: &mut G,
    ) -> u64 {
        let end = tree.tiles.n_points() as u32;
        goal.admit(end);
        let mut near = Near::of(rough, &self.place, goal);
        if tree.nodes.is_empty() || near.reach < 0.0 {
            return 0;
        }
        self.visits.clear();
        self.visits.push(Visit {
            lower: 0.0,
            node: 0,
            start: 0,
            end,
            inside: true,
            counted: false,
        });
        let mut work = 0;
        while let Some(visit) = self.visits.pop() {
            if near.reach < 0.0 {
                break;
            }
            // It is a rough number, or an exact one, of which less would do.
            if visit.lower > f64::from(near.bounds.most) {
                continue;
            }
            work += 1;
            if work > budget {
                return work;
            }
            if visit.node == NO_NODE {
                self.leaf(simd, (tree, None), visit, goal);
                near.follow(rough, &self.place, goal);
            } else {
                work += self.hurry_node(simd, tree, rough, &mut near, visit, goal);
            }
        }
        work
    }

    /// Puts the nodes below that matter on the stack, the nearest on top, and looks at the leaves, the nearest first.
    /// Returns the number of leaves.
    #[inline(always)]
    fn hurry_node<S: Simd, G: Goal>(
        &mut self,
        simd: S,
        tree: &Tree,
        rough: &Rough,
        near: &mut Near,
        visit: Visit,
        goal: &mut G,
    ) -> u64 {
        let index = visit.node as usize;
        let node = &tree.nodes[index];
        let lower = rough.lower(simd, index, &self.place);
        let bounds = near.bounds;
        let mut at_edge = false;
        let mut order = [0u8; FAN];
        let mut n_near = 0;
        for (child, &bound) in lower[..node.n_children as usize].iter().enumerate() {
            if bound > bounds.most {
                continue;
            }
            at_edge |= bound >= bounds.edge;
            // Insertion sort: there are few.
            let mut slot = n_near;
            while slot > 0 && lower[order[slot - 1] as usize] > bound {
                order[slot] = order[slot - 1];
                slot -= 1;
            }
            order[slot] = child as u8;
            n_near += 1;
        }
        // Where all of a child may tie, that is decided for all of it at once.
        if at_edge {
            self.node(simd, (tree, None), visit, goal);
            near.follow(rough, &self.place, goal);
            return 0;
        }
        let mut leaves = 0;
        for &child in &order[..n_near] {
            let child = child as usize;
            if node.child[child] == NO_NODE && lower[child] <= near.bounds.most {
                leaves += 1;
                let run = (node.start[child], node.start[child + 1]);
                self.hurry_leaf(simd, tree, rough, near.bounds, run, goal);
                near.follow(rough, &self.place, goal);
            }
        }
        for &child in order[..n_near].iter().rev() {
            let child = child as usize;
            if node.child[child] != NO_NODE {
                self.visits.push(Visit {
                    lower: f64::from(lower[child]),
                    node: node.child[child],
                    start: node.start[child],
                    end: node.start[child + 1],
                    inside: true,
                    counted: false,
                });
            }
        }
        leaves
    }

    /// Shows the points of a leaf to the goal where the filter leaves any.
    #[inline(always)]
    fn hurry_leaf<S: Simd, G: Goal>(
        &mut self,
        simd: S,
        tree: &Tree,
        rough: &Rough,
        bounds: Bounds,
        (start, end): (u32, u32),
        goal: &mut G,
    ) {
        for tile in start as usize / LANES..(end as usize).div_ceil(LANES) {
            if rough.touches(simd, tile, &self.place, bounds) {
                show_tile(simd, tree, tile, &self.axes, false, goal);
            }
        }
    }

    /// Puts the children that matter on the stack, the nearest on top where distances matter yet, and looks at the leaves that are partly outside
    /// of the box. Returns the number of these.
    #[inline(always)]
    fn node<S: Simd, G: Goal>(
        &mut self,
        simd: S,
        (tree, sifted): (&Tree, Option<&Rough>),
        visit: Visit,
        goal: &mut G,
    ) -> u64 {
        let index = visit.node as usize;
        let node = &tree.nodes[index];
        let (apart, within) = match sifted {
            _ if visit.inside => ([false; FAN], [true; FAN]),
            Some(rough) => rough.relations(simd, index, &self.sieve),
            None => tree.relations(index, &self.constraints),
        };
        // Candidates are counted near and far: distances matter once all of a child are some.
        let lower = if within[..node.n_children as usize].contains(&true) {
            tree.lower(simd, index, &self.axes)
        } else {
            [visit.lower; FAN]
        };
        let bottom = self.visits.len();
        let mut leaves = 0;
        for child in Children::but(apart) {
            if child >= node.n_children as usize {
                break;
            }
            let (start, end) = (node.start[child], node.start[child + 1]);
            let inside = within[child];
            if inside && !visit.inside {
                goal.admit(end - start);
            }
            let lower = lower[child];
            let mut counted = visit.counted;
            if inside {
                if lower > goal.reach(counted) {
                    continue;
                }
                if goal.asks_upper(lower, counted) {
                    let upper = tree.upper(index, child, &self.axes);
                    match goal.settle(lower, upper, end - start, node.first[child], counted) {
                        Settled::Whole => continue,
                        Settled::Count => counted = true,
                        Settled::Nothing => {}
                    }
                    if lower > goal.reach(counted) {
                        continue;
                    }
                }
            }
            let child = Visit {
                lower,
                node: node.child[child],
                start,
                end,
                inside,
                counted,
            };
            if !inside && child.node == NO_NODE {
                leaves += 1;
                self.leaf(simd, (tree, sifted), child, goal);
                continue;
            }
            self.visits.push(child);
            // Insertion sort: there are few, and the nearest child comes to the top.
            let mut slot = self.visits.len() - 1;
            while slot > bottom && self.visits[slot - 1].lower < lower {
                self.visits.swap(slot - 1, slot);
                slot -= 1;
            }
        }
        leaves
    }

    /// Shows the candidates of a leaf to the goal.
    #[inline(always)]
    fn leaf<S: Simd, G: Goal>(
        &mut self,
        simd: S,
        (tree, sifted): (&Tree, Option<&Rough>),
        visit: Visit,
        goal: &mut G,
    ) {
        let tiles = &tree.tiles;
        for tile in visit.start as usize / LANES..(visit.end as usize).div_ceil(LANES) {
            let points = tiles.points(tile);
            let mut admitted = [true; LANES];
            if !visit.inside {
                let mut is_sure = false;
                // No closure: vector code is lost in one that is not inlined.
                if let Some(rough) = sifted {
                    let Some(held) = rough.held(simd, tile, &self.sieve) else {
                        continue;
                    };
                    (admitted, is_sure) = (held.possible, held.is_sure);
                }
                if !is_sure {
                    admitted = tiles.admitted(simd, tile, &self.constraints);
                }
                let n_admitted = admitted[..points.len()].iter().filter(|&&yes| yes).count();
                goal.admit(n_admitted as u32);
                if n_admitted == 0 || visit.lower > goal.reach(visit.counted) {
                    continue;
                }
            }
            if let Some(keys) = tiles.keys(simd, tile, &self.axes, goal.reach(visit.counted)) {
                goal.take(
                    &Tile {
                        points,
                        keys: &keys,
                        admitted: &admitted,
                    },
                    visit.counted,
                );
            }
        }
    }
}

/// Shows all points of a tile, `counted` already or not, to a goal, unless they are beyond its reach.
#[inline(always)]
pub(super) fn show_tile<S: Simd, G: Goal>(
    simd: S,
    tree: &Tree,
    tile: usize,
    axes: &[Axis],
    counted: bool,
    goal: &mut G,
) {
    if let Some(keys) = tree.tiles.keys(simd, tile, axes, goal.reach(counted)) {
        let (points, admitted) = (tree.tiles.points(tile), &[true; LANES]);
        goal.take(
            &Tile {
                points,
                keys: &keys,
                admitted,
            },
            counted,
        );
    }
}
