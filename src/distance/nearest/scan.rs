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
//! may hold the nearest point wait until all points have been compared: by then the least approximation rules out most of them.

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use super::filter::{
    Closer, Found, GROUP, QUERIES, Row, SAFE_NORM, SAFE_VALUE, SAFE_WEIGHT, Thresholds,
    approximations, filter,
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

/// Groups of a block, the unit that the filter decides or leaves undecided.
const GROUPS: usize = 16;

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
            centre: used.par_iter().map(|&k| mean(tree, k)).collect(),
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
        let mut axes = Vec::new();
        axes_of(queries.record(query as usize), metric, &mut axes);
        let mut factors = Vec::new();
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
                near: Vec::new(),
            }
        });
        Arch::new().dispatch(Run {
            scan: self,
            tree,
            members: members.collect(),
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

fn mean(tree: &Tree, attribute: usize) -> f64 {
    let (mut sum, mut present) = (0.0, 0.0);
    for position in 0..tree.tiles.n_points() {
        let value = tree.tiles.value(position, attribute);
        if !value.is_nan() {
            sum += value;
            present += 1.0;
        }
    }
    let mean: f64 = sum / present;
    if mean.abs() <= SAFE_VALUE { mean } else { 0.0 }
}

/// One of the queries of a batch.
struct Member<'a, G> {
    query: Prepared,
    walked: &'a mut Walked<G>,
    /// Tiles that may hold the nearest points, with their least approximations. They are computed in the end, when most of them
    /// are known to be too far.
    near: Vec<(usize, f32)>,
}

struct Run<'a, 'b, G> {
    scan: &'a Scan,
    tree: &'a Tree,
    members: Vec<Member<'b, G>>,
}

impl<G: Goal> WithSimd for Run<'_, '_, G> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let scan = self.scan;
        let mut active: Vec<usize> = (0..self.members.len()).collect();
        let mut factors = vec![[0.0; QUERIES]; scan.used.len()];
        let mut found = [Found::nothing(simd); GROUPS];
        for block in 0..scan.radii.len() {
            for few in active.chunks(QUERIES) {
                let counts = |&member: &usize| self.members[member].walked.goal.rival_key() >= 0.0;
                if few.iter().any(counts) {
                    self.block::<S, true>(simd, block, few, (&mut factors, &mut found));
                } else {
                    self.block::<S, false>(simd, block, few, (&mut factors, &mut found));
                }
            }
            active.retain(|&member| self.members[member].walked.goal.reach(false) >= 0.0);
        }
        for member in 0..self.members.len() {
            for (tile, least) in std::mem::take(&mut self.members[member].near) {
                if least <= self.near(member, scan.radii[tile / OF_BLOCK]) {
                    self.compute(simd, member, tile, true);
                }
            }
        }
    }
}

impl<G: Goal> Run<'_, '_, G> {
    /// Compares a block with a few members; some have a rival to count for, or else it does not `COUNT`.
    #[inline(always)]
    fn block<S: Simd, const COUNTS: bool>(
        &mut self,
        simd: S,
        block: usize,
        few: &[usize],
        (factors, found): (&mut [[f32; QUERIES]], &mut [Found<S>; GROUPS]),
    ) {
        let (scan, radius) = (self.scan, self.scan.radii[block]);
        let n_rows = scan.n_rows();
        let rows = scan.rows.chunks(GROUPS * n_rows).nth(block).unwrap_or(&[]);
        let mut thresholds = [Thresholds::NOBODY; QUERIES];
        for (lane, &member) in few.iter().enumerate() {
            let Member { query, walked, .. } = &self.members[member];
            for (factors, &factor) in factors.iter_mut().zip(&query.factors) {
                factors[lane] = factor;
            }
            let key = walked.goal.rival_key();
            if key >= 0.0 {
                thresholds[lane] = scan.thresholds(query, radius, key);
            }
        }
        let groups = rows.chunks_exact(n_rows);
        let found = &mut found[..groups.len()];
        for (found, group) in found.iter_mut().zip(groups.clone()) {
            filter::<S, COUNTS>(simd, group, factors, thresholds, found);
        }
        let first = block * OF_BLOCK;
        for (lane, &member) in few.iter().enumerate() {
            if self.members[member].query.norm + radius > SAFE_NORM {
                for tile in first..first + groups.len() * OF_GROUP {
                    self.compute(simd, member, tile, false);
                }
                continue;
            }
            let mut least = found[0].least[lane];
            let mut closer = found[0].closer[lane];
            for of_group in &found[1..] {
                least = simd.min_f32s(least, of_group.least[lane]);
                if COUNTS {
                    closer = closer.and(simd, of_group.closer[lane]);
                }
            }
            let least = simd.reduce_min_f32s(least);
            self.someone_within(member, radius, least);
            let near = self.near(member, radius);
            // Who is certainly closer than the rival is counted; where that is not decided, distances are computed.
            let count = |closer: Closer<S>| if COUNTS { closer.count(simd) } else { [0; 2] };
            let [mut closer, possible] = count(closer);
            if least > near && closer == possible {
                self.members[member].walked.goal.add_closer(closer);
                continue;
            }
            for (group, (rows, found)) in groups.clone().zip(&*found).enumerate() {
                let is_near = simd.reduce_min_f32s(found.least[lane]) <= near;
                let [certain, possible] = count(found.closer[lane]);
                if !is_near && certain == possible {
                    continue;
                }
                let approximations = approximations(simd, rows, factors, lane);
                for (tile, approximations) in approximations.0.chunks_exact(LANES).enumerate() {
                    let tile = first + group * OF_GROUP + tile;
                    let mut least = simd.splat_f32s(f32::INFINITY);
                    let mut of_tile = Closer::nobody(simd);
                    for &approximations in S::as_simd_f32s(approximations).0 {
                        least = simd.min_f32s(least, approximations);
                        if COUNTS {
                            of_tile.take(simd, approximations, thresholds[lane]);
                        }
                    }
                    let least = simd.reduce_min_f32s(least);
                    let [certain, possible] = count(of_tile);
                    if certain < possible {
                        closer -= certain;
                        self.compute(simd, member, tile, false);
                    } else if least <= near {
                        self.members[member].near.push((tile, least));
                    }
                }
            }
            self.members[member].walked.goal.add_closer(closer);
        }
    }

    /// Tells the goal how far a point of a block is at most, of which this is the approximation.
    #[inline(always)]
    fn someone_within(&mut self, member: usize, radius: f64, approximation: f32) {
        let Member { query, walked, .. } = &mut self.members[member];
        let allowance = self.scan.allowance(query, radius);
        let key = f64::from(approximation) + query.square + allowance;
        walked.goal.someone_within(key);
    }

    /// The approximation above which no point of a block can be as near as the nearest so far.
    #[inline(always)]
    fn near(&self, member: usize, radius: f64) -> f32 {
        let Member { query, walked, .. } = &self.members[member];
        let reach = walked.goal.reach(true);
        if reach < 0.0 {
            return f32::NEG_INFINITY;
        }
        self.scan.thresholds(query, radius, reach).possible
    }

    /// Computes the distances to the points of a tile, which are `counted` already or not; past the last tile there are none.
    #[inline(always)]
    fn compute<S: Simd>(&mut self, simd: S, member: usize, tile: usize, counted: bool) {
        let Member { query, walked, .. } = &mut self.members[member];
        if tile < self.tree.tiles.n_tiles() {
            walked.work += 1;
            let goal = &mut walked.goal;
            show_tile(simd, self.tree, tile, &query.axes, counted, goal);
        }
    }
}
