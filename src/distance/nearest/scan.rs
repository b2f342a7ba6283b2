//! Comparing with every point, behind a single-precision filter with a proven error bound.
//!
//! # The filter
//! With `x_k = sqrt(w_k) * (a_k - c_k)` for a query, `y_k` likewise for a point, and any centre `c`,
//! the distance is `|x|^2 + (|y|^2 - 2 x.y)`. The filter computes the part in brackets by
//! fused multiply-adds in `f32` from coordinates rounded to `f32`.
//!
//! # Its error
//! Let `u = 2^-24`, and all norms be upper bounds.
//! - A coordinate is rounded to `f32` once and to `f64` thrice: relative error `u' <= 1.01 u`. A
//!   squared difference moves by at most `u' (|x_k| + |y_k|) * (2 + u') (|x_k| + |y_k|)`; by
//!   Minkowski's inequality the sum of `(|x_k| + |y_k|)^2` is at most `(|x| + |y|)^2`. So the
//!   distance of the rounded coordinates errs by at most `2.1 u (|x| + |y|)^2`.
//! - The chain starts at `|y|^2`, rounded to `f32`, and adds `d` products, so its rounding errors are
//!   at most `(d + 1.1) u (|y|^2 + 2 |x| |y|)` as long as `d u` is small.
//! - The canonical distance and `|x|^2` are rounded in `f64`: far below `u (|x| + |y|)^2`.
//!
//! Together at most `(d + 4) u (|x| + |y|)^2`; the scan allows `(d + 6) u (|x| + |y|)^2`. Results
//! below the normal range are off by at most `2^-149` an operation, of which the absolute allowance
//! takes care. Overflow is excluded: a block whose norms are not small enough, whose values or weights
//! might overflow or vanish in `f64`, or which misses a value, is not filtered but computed.
//!
//! # What is computed
//! Where the filter cannot decide which points of a tile are closer than the rival, their distances are computed at once. Tiles that
//! may hold the nearest point wait until all points have been compared, block by block: by then the least approximation rules out most
//! blocks, and the others are filtered once more for their tiles.

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use super::filter::{
    Closer, GROUP, QUERIES, Row, SAFE_NORM, SAFE_VALUE, SAFE_WEIGHT, Thresholds, approximations,
    filter,
};
use super::goal::Goal;
use super::tiles::{Axis, LANES, axes_of};
use super::tree::Tree;
use super::walk::{Walked, show_tile};
use crate::distance::Metric;
use crate::table::matrix::Matrix;

/// Queries of a task: the points stream through the cache once for all of them.
pub(super) const BATCH: usize = 64;

/// How many tiles are filtered in the time in which a walk handles one node or tile.
pub(super) const SPEED: u64 = 13;

/// Groups of a block, the unit that the filter decides or leaves undecided: large enough that work done once a block hardly counts, small
/// enough to stay in the first-level cache and to be filtered a second time cheaply.
const GROUPS: usize = 8;

/// Tiles of a group, and of a block.
const OF_GROUP: usize = GROUP / LANES;
const OF_BLOCK: usize = GROUPS * OF_GROUP;

/// Covers what underflow can take away.
const UNDERFLOW: f64 = 1e-35;

/// The points as the filter wants them.
#[derive(Debug)]
pub(super) struct Scan {
    /// The attributes of positive weight: the others contribute nothing unless they are missing.
    used: Vec<usize>,
    scales: Vec<f64>,
    centre: Vec<f64>,
    /// For each group `1 + used.len()` rows: the squared norm, and the coordinates.
    rows: Vec<Row>,
    /// The greatest norm of each block; infinite where the filter must not be used.
    radii: Vec<f64>,
}

/// A query as the filter wants it.
struct Prepared {
    axes: Vec<Axis>,
    /// `-2 x_k` of the rounded coordinates.
    factors: Vec<f32>,
    /// `|x|^2` of the rounded coordinates.
    square: f64,
    /// `|x|`; infinite where the filter must not be used.
    norm: f64,
}

impl Scan {
    /// Makes the points of a tree ready, in parallel.
    pub(super) fn build(tree: &Tree, metric: &Metric) -> Self {
        let tiles = &tree.tiles;
        let used: Vec<usize> = (0..metric.n_attributes())
            .filter(|&k| metric.weights()[k] > 0.0)
            .collect();
        let safe = used
            .iter()
            .all(|&k| SAFE_WEIGHT.contains(&metric.weights()[k]));
        let mut scan = Self {
            scales: used.iter().map(|&k| metric.weights()[k].sqrt()).collect(),
            centre: used.par_iter().map(|&k| tiles.mean(k)).collect(),
            rows: Vec::new(),
            radii: Vec::new(),
            used,
        };
        let n_rows = scan.n_rows();
        let n_groups = tiles.n_points().div_ceil(GROUP);
        let mut rows = vec![Row([0.0; GROUP]); n_groups * n_rows];
        let blocks = rows.par_chunks_mut(GROUPS * n_rows).enumerate();
        let filled = blocks.map(|(block, rows)| {
            let mut radius = 0.0_f64;
            for (group, rows) in rows.chunks_exact_mut(n_rows).enumerate() {
                let first = (block * GROUPS + group) * GROUP;
                radius = radius.max(scan.fill(rows, first, tree, safe));
            }
            radius
        });
        scan.radii = filled.collect();
        scan.rows = rows;
        scan
    }

    /// Fills the rows of the group whose first point is at this position; returns the greatest norm, infinite where the filter must not
    /// be used.
    fn fill(&self, rows: &mut [Row], first: usize, tree: &Tree, safe: bool) -> f64 {
        let tiles = &tree.tiles;
        let (squares, rows) = rows.split_first_mut().expect("a row for the norm");
        let mut coordinates = Vec::with_capacity(self.used.len());
        let mut radius = 0.0_f64;
        for (lane, position) in (first..first + GROUP).enumerate() {
            if position >= tiles.n_points() {
                // Beyond every threshold.
                squares.0[lane] = f32::INFINITY;
                continue;
            }
            let values = self.used.iter();
            let values = values.map(|&attribute| tiles.value(position, attribute));
            let (square, norm) = self.coordinates(values, &mut coordinates);
            let is_safe = safe && !tiles.is_ragged(position / LANES);
            radius = radius.max(if is_safe { norm } else { f64::INFINITY });
            squares.0[lane] = square as f32;
            for (row, &coordinate) in rows.iter_mut().zip(&coordinates) {
                row.0[lane] = coordinate;
            }
        }
        radius
    }

    fn n_rows(&self) -> usize {
        1 + self.used.len()
    }

    /// Puts the rounded coordinates into `coordinates`; returns their squared norm, and the norm, or
    /// infinity if the values are too large (or NaN) for the bounds to hold.
    fn coordinates(
        &self,
        values: impl Iterator<Item = f64>,
        coordinates: &mut Vec<f32>,
    ) -> (f64, f64) {
        coordinates.clear();
        let (mut square, mut norm, mut safe) = (0.0, 0.0, true);
        for ((value, &centre), &scale) in values.zip(&self.centre).zip(&self.scales) {
            safe &= value.abs() <= SAFE_VALUE;
            let exact = (value - centre) * scale;
            let rounded = exact as f32;
            coordinates.push(rounded);
            square += f64::from(rounded) * f64::from(rounded);
            norm += exact * exact;
        }
        (square, if safe { norm.sqrt() } else { f64::INFINITY })
    }

    fn prepare(&self, queries: &Matrix, query: u32, metric: &Metric) -> Prepared {
        let mut axes = Vec::with_capacity(metric.n_attributes());
        axes_of(queries.record(query as usize), metric, &mut axes);
        let mut factors = Vec::with_capacity(self.used.len());
        let values = self.used.iter().map(|&attribute| axes[attribute].value);
        let (square, norm) = self.coordinates(values, &mut factors);
        for factor in &mut factors {
            *factor *= -2.0;
        }
        let complete = axes.iter().all(|axis| !axis.is_missing);
        Prepared {
            axes,
            factors,
            square,
            norm: if complete { norm } else { f64::INFINITY },
        }
    }

    /// Finishes walks that were given up, without boxes.
    pub(super) fn run<G: Goal>(
        &self,
        tree: &Tree,
        metric: &Metric,
        queries: &Matrix,
        batch: &mut [Walked<G>],
    ) {
        let n_tiles = tree.tiles.n_tiles() as u64;
        let members = batch.iter_mut().map(|walked| {
            walked.goal.restart();
            walked.work += n_tiles / SPEED;
            Member {
                query: self.prepare(queries, walked.query, metric),
                walked,
            }
        });
        Arch::new().dispatch(Run {
            scan: self,
            tree,
            members: members.collect(),
            waiting: Vec::new(),
        });
    }

    /// How much the approximation of a distance to a point of a block can err.
    fn allowance(&self, query: &Prepared, radius: f64) -> f64 {
        let reach = query.norm + radius;
        f64::from(f32::EPSILON) / 2.0 * (self.used.len() + 6) as f64 * reach * reach
            + UNDERFLOW * (1.0 + reach)
    }

    /// The approximations of who is closer than `key`, or as close.
    fn thresholds(&self, query: &Prepared, radius: f64, key: f64) -> Thresholds {
        let allowance = self.allowance(query, radius);
        let key = key - query.square;
        let (low, high) = (key - allowance, key + allowance);
        // The conversion rounds to nearest; a step outward makes it a bound. Padding is infinite and
        // stays above the upper bound; approximations are finite and lose nothing by the clamp.
        Thresholds {
            certain: (low as f32).next_down(),
            possible: (high as f32).next_up().min(f32::MAX),
        }
    }
}

/// One of the queries of a batch.
struct Member<'a, G> {
    query: Prepared,
    walked: &'a mut Walked<G>,
}

/// Tiles of a block that may hold the nearest points of a member, with their least approximation. Distances are computed in the end,
/// when most of them are known to be too far.
struct Waiting {
    member: usize,
    tiles: Range<usize>,
    least: f32,
}

struct Run<'a, 'b, G> {
    scan: &'a Scan,
    tree: &'a Tree,
    members: Vec<Member<'b, G>>,
    waiting: Vec<Waiting>,
}

impl<G: Goal> WithSimd for Run<'_, '_, G> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let n_used = self.scan.used.len();
        let mut active: Vec<usize> = (0..self.members.len()).collect();
        let mut factors = self.factors(&active);
        for block in 0..self.scan.radii.len() {
            for (place, few) in active.chunks(QUERIES).enumerate() {
                let factors = &factors[place * n_used..(place + 1) * n_used];
                let counts = |&member: &usize| self.members[member].walked.goal.rival_key() >= 0.0;
                if few.iter().any(counts) {
                    self.block::<S, true>(simd, block, few, factors);
                } else {
                    self.block::<S, false>(simd, block, few, factors);
                }
            }
            let before = active.len();
            active.retain(|&member| self.members[member].walked.goal.reach(false) >= 0.0);
            if active.len() < before {
                factors = self.factors(&active);
            }
        }
        for Waiting {
            member,
            tiles,
            least,
        } in std::mem::take(&mut self.waiting)
        {
            let radius = self.scan.radii[tiles.start / OF_BLOCK];
            if least <= self.within_reach(member, radius) {
                self.compute_near(simd, member, tiles);
            }
        }
    }
}

impl<G: Goal> Run<'_, '_, G> {
    /// Those of the queries, a few members at a time: a row an attribute.
    fn factors(&self, active: &[usize]) -> Vec<[f32; QUERIES]> {
        let mut factors = Vec::new();
        for few in active.chunks(QUERIES) {
            for attribute in 0..self.scan.used.len() {
                // The last one fills the places that are left.
                factors.push(std::array::from_fn(|lane| {
                    let member = few[lane.min(few.len() - 1)];
                    self.members[member].query.factors[attribute]
                }));
            }
        }
        factors
    }

    /// Compares a block with a few members; some have a rival to count for, or else it does not `COUNT`.
    #[inline(always)]
    fn block<S: Simd, const COUNTS: bool>(
        &mut self,
        simd: S,
        block: usize,
        few: &[usize],
        factors: &[[f32; QUERIES]],
    ) {
        let (scan, radius) = (self.scan, self.scan.radii[block]);
        let mut thresholds = [Thresholds::NOBODY; QUERIES];
        if COUNTS {
            for (thresholds, &member) in thresholds.iter_mut().zip(few) {
                let Member { query, walked } = &self.members[member];
                let key = walked.goal.rival_key();
                if key >= 0.0 {
                    *thresholds = scan.thresholds(query, radius, key);
                }
            }
        }
        let rows = scan.rows.chunks(GROUPS * scan.n_rows()).nth(block);
        let found = filter::<S, COUNTS>(simd, rows.unwrap_or(&[]), factors, thresholds);
        let tiles = block * OF_BLOCK..self.tree.tiles.n_tiles().min((block + 1) * OF_BLOCK);
        for (lane, &member) in few.iter().enumerate() {
            if self.members[member].query.norm + radius > SAFE_NORM {
                for tile in tiles.clone() {
                    self.compute(simd, member, tile, false);
                }
                continue;
            }
            let least = simd.reduce_min_f32s(found.least[lane]);
            self.someone_within(member, radius, least);
            // Who is certainly closer than the rival is counted; where that is not decided, distances are computed.
            if COUNTS {
                let [certain, possible] = found.closer[lane].count(simd);
                if certain < possible {
                    self.decide(simd, member, tiles.clone(), thresholds[lane]);
                    continue;
                }
                self.members[member].walked.goal.add_closer(certain);
            }
            self.wait(member, tiles.clone(), least);
        }
    }

    /// Keeps tiles of a block that may hold the nearest point for later.
    #[inline(always)]
    fn wait(&mut self, member: usize, tiles: Range<usize>, least: f32) {
        let radius = self.scan.radii[tiles.start / OF_BLOCK];
        if least <= self.within_reach(member, radius) {
            self.waiting.push(Waiting {
                member,
                tiles,
                least,
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
        for first in tiles.clone().step_by(OF_GROUP) {
            let approximations = self.approximations(simd, member, first);
            let of_group = first..tiles.end.min(first + OF_GROUP);
            for (tile, approximations) in of_group.zip(approximations.0.as_chunks().0) {
                let mut closer = Closer::nobody(simd);
                for &approximations in S::as_simd_f32s(approximations).0 {
                    closer.take(simd, approximations, thresholds);
                }
                let [certain, possible] = closer.count(simd);
                if certain < possible {
                    self.compute(simd, member, tile, false);
                } else {
                    self.members[member].walked.goal.add_closer(certain);
                    self.wait(member, tile..tile + 1, least(simd, approximations));
                }
            }
        }
    }

    /// Computes the distances of those of some tiles, whose points are counted, that may hold the nearest.
    #[inline(always)]
    fn compute_near<S: Simd>(&mut self, simd: S, member: usize, tiles: Range<usize>) {
        if tiles.len() == 1 {
            self.compute(simd, member, tiles.start, true);
            return;
        }
        let radius = self.scan.radii[tiles.start / OF_BLOCK];
        for first in tiles.clone().step_by(OF_GROUP) {
            let approximations = self.approximations(simd, member, first);
            let of_group = first..tiles.end.min(first + OF_GROUP);
            for (tile, approximations) in of_group.zip(approximations.0.as_chunks().0) {
                if least(simd, approximations) <= self.within_reach(member, radius) {
                    self.compute(simd, member, tile, true);
                }
            }
        }
    }

    /// The approximations of the group that begins with a tile.
    #[inline(always)]
    fn approximations<S: Simd>(&self, simd: S, member: usize, first: usize) -> Row {
        let n_rows = self.scan.n_rows();
        let group = &self.scan.rows[first / OF_GROUP * n_rows..][..n_rows];
        approximations(simd, group, &self.members[member].query.factors)
    }

    /// Tells the goal how far a point of a block is at most, of which this is the approximation.
    #[inline(always)]
    fn someone_within(&mut self, member: usize, radius: f64, approximation: f32) {
        let Member { query, walked } = &mut self.members[member];
        let allowance = self.scan.allowance(query, radius);
        let key = f64::from(approximation) + query.square + allowance;
        walked.goal.someone_within(key);
    }

    /// The approximation above which no point of a block can be as near as the nearest so far.
    #[inline(always)]
    fn within_reach(&self, member: usize, radius: f64) -> f32 {
        let Member { query, walked } = &self.members[member];
        let reach = walked.goal.reach(true);
        if reach < 0.0 {
            return f32::NEG_INFINITY;
        }
        self.scan.thresholds(query, radius, reach).possible
    }

    /// Computes the distances to the points of a tile, which are `counted` already or not.
    #[inline(always)]
    fn compute<S: Simd>(&mut self, simd: S, member: usize, tile: usize, counted: bool) {
        let Member { query, walked } = &mut self.members[member];
        walked.work += 1;
        let goal = &mut walked.goal;
        show_tile(simd, self.tree, tile, &query.axes, counted, goal);
    }
}

/// The least of the approximations of a tile.
#[inline(always)]
fn least<S: Simd>(simd: S, approximations: &[f32; LANES]) -> f32 {
    let mut least = simd.splat_f32s(f32::INFINITY);
    for &approximations in S::as_simd_f32s(approximations).0 {
        least = simd.min_f32s(least, approximations);
    }
    simd.reduce_min_f32s(least)
}
