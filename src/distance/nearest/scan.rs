//! Comparing with every point, behind the filter in single precision.
//!
//! # What is computed
//! Where the filter cannot decide which points of a tile are closer than the rival, their distances are computed at once. Tiles that
//! may hold the nearest point wait until all points have been compared, block by block: by then the greatest similarity rules out most
//! blocks, and the others are filtered once more for their tiles.

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

use super::goal::Goal;
use super::rough::{Closer, FEW, Place, Rough, Thresholds};
use super::tiles::{Axis, LANES, axes_of};
use super::tree::Tree;
use super::walk::{Walked, show_tile};
use crate::distance::Metric;
use crate::table::matrix::Matrix;

/// Queries of a task: the points stream through the cache once for all of them.
pub(super) const BATCH: usize = 64;

/// Queries that points are compared with at once.
const QUERIES: usize = 4;

/// How many tiles are filtered in the time in which a walk handles one node or tile.
pub(super) const SPEED: u64 = 13;

/// Tiles of a block, the unit that the filter decides or leaves undecided: large enough that work done once a block hardly counts, small
/// enough to stay in the first-level cache and to be filtered a second time cheaply.
const OF_BLOCK: usize = 32;

/// Finishes walks that were given up, without boxes; without `rough`, all distances are computed.
pub(super) fn run<G: Goal>(
    tree: &Tree,
    rough: Option<&Rough>,
    metric: &Metric,
    queries: &Matrix,
    batch: &mut [Walked<G>],
) {
    let n_tiles = tree.tiles.n_tiles();
    let members = batch.iter_mut().map(|walked| {
        walked.goal.restart();
        walked.work += n_tiles as u64 / SPEED;
        let (mut axes, mut place) = (Vec::new(), Place::new());
        axes_of(queries.record(walked.query as usize), metric, &mut axes);
        if let Some(rough) = rough {
            rough.place(&axes, &mut place);
        }
        Member {
            axes,
            place,
            walked,
        }
    });
    let mut members: Vec<Member<'_, G>> = members.collect();
    match rough {
        Some(rough) => Arch::new().dispatch(Run {
            rough,
            radii: blocks(n_tiles)
                .map(|tiles| rough.radius_of(tiles))
                .collect(),
            tree,
            members,
            waiting: Vec::new(),
        }),
        None => Arch::new().dispatch(ComputeAll {
            tree,
            members: &mut members,
        }),
    }
}

/// The tiles of each block.
fn blocks(n_tiles: usize) -> impl Iterator<Item = Range<usize>> {
    let starts = (0..n_tiles).step_by(OF_BLOCK);
    starts.map(move |start| start..n_tiles.min(start + OF_BLOCK))
}

/// One of the queries of a batch.
struct Member<'a, G> {
    axes: Vec<Axis>,
    place: Place,
    walked: &'a mut Walked<G>,
}

impl<G: Goal> Member<'_, G> {
    /// Computes the distances to the points of a tile, which are `counted` already or not.
    #[inline(always)]
    fn compute<S: Simd>(&mut self, simd: S, tree: &Tree, tile: usize, counted: bool) {
        self.walked.work += 1;
        show_tile(simd, tree, tile, &self.axes, counted, &mut self.walked.goal);
    }
}

/// Computes all distances.
struct ComputeAll<'a, 'b, G> {
    tree: &'a Tree,
    members: &'a mut [Member<'b, G>],
}

impl<G: Goal> WithSimd for ComputeAll<'_, '_, G> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        for tile in 0..self.tree.tiles.n_tiles() {
            for member in &mut *self.members {
                member.compute(simd, self.tree, tile, false);
            }
        }
    }
}

/// Tiles of a block that may hold the nearest points of a member, with their greatest similarity. Distances are computed in the end,
/// when most of them are known to be too far.
struct Waiting {
    member: usize,
    tiles: Range<usize>,
    greatest: f32,
}

struct Run<'a, 'b, G> {
    rough: &'a Rough,
    tree: &'a Tree,
    /// A bound of the norms of each block.
    radii: Vec<f64>,
    members: Vec<Member<'b, G>>,
    waiting: Vec<Waiting>,
}

impl<G: Goal> WithSimd for Run<'_, '_, G> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let mut active: Vec<usize> = (0..self.members.len()).collect();
        for tiles in blocks(self.tree.tiles.n_tiles()) {
            for few in active.chunks(QUERIES) {
                let counts = |&member: &usize| self.members[member].walked.goal.rival_key() >= 0.0;
                if few.iter().any(counts) {
                    self.block::<S, true>(simd, tiles.clone(), few);
                } else {
                    self.block::<S, false>(simd, tiles.clone(), few);
                }
            }
            active.retain(|&member| self.members[member].walked.goal.reach(false) >= 0.0);
        }
        for Waiting {
            member,
            tiles,
            greatest,
        } in std::mem::take(&mut self.waiting)
        {
            let least = self.within_reach(member, &tiles);
            if greatest >= least {
                self.compute_near(simd, member, tiles, least);
            }
        }
    }
}

impl<G: Goal> Run<'_, '_, G> {
    /// Compares a block with a few members; some have a rival to count for, or else it does not `COUNT`.
    #[inline(always)]
    fn block<S: Simd, const COUNTS: bool>(&mut self, simd: S, tiles: Range<usize>, few: &[usize]) {
        let radius = self.radius(&tiles);
        let mut thresholds = [Thresholds::NOBODY; QUERIES];
        if COUNTS {
            for (thresholds, &member) in thresholds.iter_mut().zip(few) {
                let Member { place, walked, .. } = &self.members[member];
                let key = walked.goal.rival_key();
                if key >= 0.0 {
                    *thresholds = self.rough.thresholds(place, radius, key);
                }
            }
        }
        // The last one fills the places that are left.
        let places = std::array::from_fn(|lane| {
            let member = few[lane.min(few.len() - 1)];
            &self.members[member].place
        });
        let found =
            (self.rough).compare::<S, QUERIES, COUNTS>(simd, tiles.clone(), places, thresholds);
        for (lane, &member) in few.iter().enumerate() {
            if !self.members[member].place.is_safe() {
                for tile in tiles.clone() {
                    self.members[member].compute(simd, self.tree, tile, false);
                }
                continue;
            }
            let greatest = simd.reduce_max_f32s(found.greatest[lane]);
            // Most blocks hold nobody as near as the nearest so far.
            let is_near = greatest >= self.within_reach(member, &tiles);
            let Member { place, walked, .. } = &mut self.members[member];
            if is_near {
                let farthest = self.rough.farthest(place, radius, greatest);
                walked.goal.someone_within(farthest);
            }
            // Who is certainly closer than the rival is counted; where that is not decided, distances are computed.
            if COUNTS {
                let Some(closer) = found.closer[lane].count(simd, thresholds[lane]) else {
                    self.decide(simd, member, tiles.clone(), thresholds[lane]);
                    continue;
                };
                walked.goal.add_closer(closer);
            }
            if is_near {
                self.wait(member, tiles.clone(), greatest);
            }
        }
    }

    /// Keeps tiles of a block that may hold the nearest point for later.
    #[inline(always)]
    fn wait(&mut self, member: usize, tiles: Range<usize>, greatest: f32) {
        if greatest >= self.within_reach(member, &tiles) {
            self.waiting.push(Waiting {
                member,
                tiles,
                greatest,
            });
        }
    }

    /// Counts who is closer than the rival in a block, tile by tile, and computes the distances of those that are not decided.
    #[inline(always)]
    fn decide<S: Simd>(
        &mut self,
        simd: S,
        member: usize,
        tiles: Range<usize>,
        thresholds: Thresholds,
    ) {
        for first in tiles.clone().step_by(FEW) {
            let similarities = (self.rough).of_tiles(simd, first, &self.members[member].place);
            for (tile, similarities) in (first..tiles.end).zip(&similarities) {
                let mut closer = Closer::nobody(simd);
                for &similarities in S::as_simd_f32s(similarities).0 {
                    closer.take(simd, similarities, thresholds);
                }
                if let Some(closer) = closer.count(simd, thresholds) {
                    self.members[member].walked.goal.add_closer(closer);
                    self.wait(member, tile..tile + 1, greatest(simd, similarities));
                } else {
                    self.members[member].compute(simd, self.tree, tile, false);
                }
            }
        }
    }

    /// Computes the distances of those of some tiles, whose points are counted, that may hold the nearest: those of a similarity of at `least` this.
    #[inline(always)]
    fn compute_near<S: Simd>(
        &mut self,
        simd: S,
        member: usize,
        tiles: Range<usize>,
        mut least: f32,
    ) {
        if tiles.len() == 1 {
            self.members[member].compute(simd, self.tree, tiles.start, true);
            return;
        }
        for first in tiles.clone().step_by(FEW) {
            let similarities = (self.rough).of_tiles(simd, first, &self.members[member].place);
            for (tile, similarities) in (first..tiles.end).zip(&similarities) {
                if greatest(simd, similarities) >= least {
                    self.members[member].compute(simd, self.tree, tile, true);
                    least = self.within_reach(member, &tiles);
                }
            }
        }
    }

    /// A bound of the norms of the points of a block, of which these tiles are.
    #[inline(always)]
    fn radius(&self, tiles: &Range<usize>) -> f64 {
        self.radii[tiles.start / OF_BLOCK]
    }

    /// The similarity below which no point of some tiles of a block is as near as the nearest so far.
    #[inline(always)]
    fn within_reach(&self, member: usize, tiles: &Range<usize>) -> f32 {
        let Member { place, walked, .. } = &self.members[member];
        let reach = walked.goal.reach(true);
        if reach < 0.0 {
            return f32::INFINITY;
        }
        let radius = self.radius(tiles);
        self.rough.thresholds(place, radius, reach).possible
    }
}

/// The greatest of the similarities of a tile.
#[inline(always)]
fn greatest<S: Simd>(simd: S, similarities: &[f32; LANES]) -> f32 {
    let mut greatest = simd.splat_f32s(f32::NEG_INFINITY);
    for &similarities in S::as_simd_f32s(similarities).0 {
        greatest = simd.max_f32s(greatest, similarities);
    }
    simd.reduce_max_f32s(greatest)
}
