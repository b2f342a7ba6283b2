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

use pulp::{Arch, Simd, WithSimd};

use super::filter::{
    Filtered, Found, GROUP, QUERIES, Row, SAFE_NORM, SAFE_VALUE, SAFE_WEIGHT, filter,
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
pub(super) const SPEED: u64 = 6;

/// Groups of a block, the unit that the filter decides or leaves undecided.
const GROUPS: usize = 16;

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
            centre: used.iter().map(|&k| mean(tree, k)).collect(),
            rows: Vec::new(),
            radii: vec![0.0; tiles.n_points().div_ceil(GROUPS * GROUP)],
            used,
        };
        let n_rows = scan.n_rows();
        let n_groups = tiles.n_points().div_ceil(GROUP);
        scan.rows = vec![Row([0.0; GROUP]); n_groups * n_rows];
        let mut coordinates = Vec::new();
        for position in 0..n_groups * GROUP {
            let group = position / GROUP;
            let rows = group * n_rows..(group + 1) * n_rows;
            let lane = position % GROUP;
            if position >= tiles.n_points() {
                // Beyond every threshold.
                scan.rows[rows.start].0[lane] = f32::INFINITY;
                continue;
            }
            let values = scan
                .used
                .iter()
                .map(|&attribute| tiles.value(position, attribute));
            let (square, mut norm) = scan.coordinates(values, &mut coordinates);
            if !safe || tiles.is_ragged(position / LANES) {
                norm = f64::INFINITY;
            }
            let radius = &mut scan.radii[group / GROUPS];
            *radius = radius.max(norm);
            let (first, rest) = scan.rows[rows]
                .split_first_mut()
                .expect("a row for the norm");
            first.0[lane] = square as f32;
            for (row, &coordinate) in rest.iter_mut().zip(&coordinates) {
                row.0[lane] = coordinate;
            }
        }
        scan
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
        let prepared: Vec<Prepared> = batch
            .iter()
            .map(|walked| self.prepare(queries, walked.query, metric))
            .collect();
        let n_tiles = tree.tiles.n_tiles() as u64;
        for walked in batch.iter_mut() {
            walked.goal.restart();
            walked.work += n_tiles / SPEED;
        }
        Arch::new().dispatch(Run {
            scan: self,
            tree,
            prepared: &prepared,
            batch,
        });
    }

    /// The approximations below and above which `key` is certainly on one side, as
    /// `(certainly closer, maybe not farther)`.
    fn thresholds(&self, query: &Prepared, radius: f64, key: f64) -> (f32, f32) {
        let reach = query.norm + radius;
        let allowance =
            f64::from(f32::EPSILON) / 2.0 * (self.used.len() + 6) as f64 * reach * reach
                + UNDERFLOW * (1.0 + reach);
        let key = key - query.square;
        let (low, high) = (key - allowance, key + allowance);
        // The conversion rounds to nearest; a step outward makes it a bound. Padding is infinite and
        // stays above the upper bound; approximations are finite and lose nothing by the clamp.
        (
            (low as f32).next_down(),
            (high as f32).next_up().min(f32::MAX),
        )
    }
}

/// Whether a mask has every lane.
#[inline(always)]
fn all<S: Simd>(simd: S, mask: S::m32s) -> bool {
    simd.first_true_m32s(simd.not_m32s(mask)) == S::F32_LANES
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

struct Run<'a, G> {
    scan: &'a Scan,
    tree: &'a Tree,
    prepared: &'a [Prepared],
    batch: &'a mut [Walked<G>],
}

impl<G: Goal> WithSimd for Run<'_, G> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let scan = self.scan;
        let mut active: Vec<usize> = (0..self.batch.len()).collect();
        let mut factors = vec![[0.0; QUERIES]; scan.used.len()];
        let blocks = scan.rows.chunks(GROUPS * scan.n_rows());
        for (block, (rows, &radius)) in blocks.zip(&scan.radii).enumerate() {
            for members in active.chunks(QUERIES) {
                let mut thresholds = [f32::NEG_INFINITY; QUERIES];
                let mut certain = [f32::NEG_INFINITY; QUERIES];
                for (lane, &member) in members.iter().enumerate() {
                    let query = &self.prepared[member];
                    for (factors, &factor) in factors.iter_mut().zip(&query.factors) {
                        factors[lane] = factor;
                    }
                    let key = self.batch[member].goal.rival_key();
                    if key >= 0.0 {
                        (certain[lane], thresholds[lane]) = scan.thresholds(query, radius, key);
                    }
                }
                let counts = thresholds
                    .iter()
                    .any(|&threshold| threshold > f32::NEG_INFINITY);
                let mut found = [Found::nothing(simd); QUERIES];
                let mut least = [[simd.splat_f32s(f32::INFINITY); QUERIES]; GROUPS];
                let groups = rows.chunks_exact(scan.n_rows());
                for (least, group) in least.iter_mut().zip(groups) {
                    *least = if counts {
                        filter::<S, true>(simd, group, &factors, thresholds, &mut found)
                    } else {
                        filter::<S, false>(simd, group, &factors, thresholds, &mut found)
                    };
                }
                for (lane, &member) in members.iter().enumerate() {
                    let query = &self.prepared[member];
                    let is_safe = query.norm + radius <= SAFE_NORM;
                    // Whether what is counted is certainly closer than the rival, and nothing else is.
                    let decides = |found: Filtered| found.count == 0 || found.top < certain[lane];
                    let of_block = found[lane].summed(simd);
                    let mut closer = of_block.count;
                    let mut near = self.near(member, radius);
                    for group in 0..rows.len() / scan.n_rows() {
                        let beyond = simd.less_than_f32s(simd.splat_f32s(near), least[group][lane]);
                        let is_beyond = is_safe && all(simd, beyond);
                        if is_beyond && decides(of_block) {
                            continue;
                        }
                        let rows = &rows[group * scan.n_rows()..(group + 1) * scan.n_rows()];
                        let mut of_group = [Found::nothing(simd); QUERIES];
                        filter::<S, true>(simd, rows, &factors, thresholds, &mut of_group);
                        let of_group = of_group[lane].summed(simd);
                        if is_beyond && decides(of_group) {
                            continue;
                        }
                        closer -= of_group.count;
                        self.compute(simd, member, block * GROUPS + group);
                        near = self.near(member, radius);
                    }
                    self.batch[member].goal.add_closer(closer);
                }
            }
            active.retain(|&member| self.batch[member].goal.reach(false) >= 0.0);
        }
    }
}

impl<G: Goal> Run<'_, G> {
    /// The approximation above which no point of a block can be as near as the nearest so far.
    #[inline(always)]
    fn near(&self, member: usize, radius: f64) -> f32 {
        let reach = self.batch[member].goal.reach(true);
        if reach < 0.0 {
            return f32::NEG_INFINITY;
        }
        let query = &self.prepared[member];
        self.scan.thresholds(query, radius, reach).1
    }

    /// Computes the distances to the points of a group.
    #[inline(always)]
    fn compute<S: Simd>(&mut self, simd: S, member: usize, group: usize) {
        let query = &self.prepared[member];
        let Walked { goal, work, .. } = &mut self.batch[member];
        let tiles = &self.tree.tiles;
        let n_tiles = GROUP / LANES;
        *work += n_tiles as u64;
        for tile in group * n_tiles..tiles.n_tiles().min((group + 1) * n_tiles) {
            show_tile(simd, self.tree, tile, &query.axes, goal);
        }
    }
}
