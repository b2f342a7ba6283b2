//! The tree once more in single precision: a filter in front of the exact distances, at half their memory.
//!
//! # Coordinates
//! With `x_k = s_k * (a_k - c_k)` for a query, `y_k` likewise for a point, `s_k = sqrt(w_k)` and any
//! centre `c`, the distance is `|x - y|^2`. Queries and points are rounded to `f32` coordinates; call
//! them `x'` and `y'`. Rounding is monotone, so a box around points becomes a box around their `y'`
//! by rounding its ends. Where the distance has a constant `m_k` for what is missing, it is as if a difference were `sqrt(m_k)`, and norms
//! count it so, too.
//!
//! # Differences
//! `|x' - y'|^2`, or its least value in a box, is computed in `f32`.
//! Let `u = 2^-24`, and `X` and `R` be upper bounds of the norms of `x'` and of all `y'`.
//! - A coordinate is rounded to `f32` once and to `f64` twice, and its scale is rounded: relative error
//!   at most `1.01 u`, or `2^-149` below the normal range. By Minkowski's inequality
//!   `|x' - y'| <= |x - y| + 1.02 u (X + R) + 2^-148 sqrt(d)`.
//! - The canonical distance is rounded in `f64`: `|x - y|^2` is at most `1 + 1e-11` times it (with `d`
//!   limited), or `1e-60` more where products vanish.
//! - So a point within `reach` has `|x' - y'|^2 <= S`, `S` being the square of
//!   `sqrt((1 + 1e-11) reach + 1e-60) + 1.05 u (X + R) + 1e-40`, and so has a box that holds it.
//! - The filter sums `d` squares of rounded differences, and a constant: each term goes through at most `d + 4` roundings
//!   and none is negative, so the sum is at most `(1 + 1.02 (d + 5) u) S`, and `d 2^-149` more where
//!   products vanish.
//!
//! The threshold allows `(1 + 1.1 (d + 7) u) S + 1e-35` and rounds up: what exceeds it is beyond reach.
//!
//! # Similarities
//! Many points are compared with many queries by `(C - D) / 2` (see [`similarity`]), in half as many operations. Doubled, it errs as follows,
//! `r` being a bound of the norms of the points compared:
//! - `|x' - y'|^2` differs from the distance by at most `2.1 u (X + r)^2`: a squared difference moves by at most
//!   `u' (|x_k| + |y_k|) * (2 + u') (|x_k| + |y_k|)` with `u' <= 1.01 u`, and by Minkowski's inequality the sum of
//!   `(|x_k| + |y_k|)^2` is at most `(|x| + |y|)^2`.
//! - The chain starts at `-|y'|^2 / 2`, rounded to `f32`, and adds `d` products. The absolute values of all these add up to at most
//!   `(X + r)^2 / 2`, so rounding errs by at most `(1.01 d + 1.1) u (X + r)^2`.
//! - Where there are gaps, it adds up to `2 d` more, of which each errs by two more roundings. All absolute values add up to at most
//!   `(X + r)^2`, so rounding errs by at most `2 (3.03 d + 3.1) u (X + r)^2`.
//! - The canonical distance and `C` are rounded in `f64`: far below `u (X + r)^2`.
//!
//! [`Rough::thresholds`] allows `(1.01 d + 6) u (X + r)^2` without gaps, `(6.1 d + 12) u (X + r)^2` with gaps, for underflow `1e-35 (1 + X + r)`,
//! and rounds outward. Where points are far from the centre this is more than differences err by: tiles that pass are compared by
//! differences, too.
//!
//! # Candidates
//! The interval of a query is rounded as its points are. Rounding is monotone: what is beyond the rounded end is beyond the exact one, and a
//! box strictly between both rounded ends is between the exact ones. What is neither is looked at in double precision.
//!
//! # Where there is no filter
//! Where numbers might overflow or vanish.

mod nodes;
mod similarity;

use std::ops::Range;

use pulp::Simd;
use rayon::prelude::*;

use super::tiles::{Axis, LANES, SAFE_VALUE, greater};
use super::tree::Tree;
use crate::distance::{Metric, single::U};
pub(super) use nodes::Sieve;
pub(super) use similarity::{Closer, FEW, Thresholds};

/// Attributes up to which the bounds hold.
const MAX_ATTRIBUTES: usize = 65_536;

/// The least and greatest weights whose products with values neither vanish nor overflow.
const SAFE_WEIGHT: std::ops::RangeInclusive<f64> = 1e-250..=1e250;

/// Norms up to which sums of squares fit into `f32`.
const SAFE_NORM: f64 = 1e18;

/// Covers what underflow can take away.
const UNDERFLOW: f64 = 1e-35;

/// Values of 16 points, or lower ends and negated upper ends of 8 boxes, on their own cache line.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct Strip([f32; LANES]);

/// An attribute whose differences, or whose gaps, count.
#[derive(Debug)]
struct Used {
    attribute: usize,
    /// Zero where only gaps count.
    scale: f64,
    centre: f64,
    /// What a missing component contributes.
    missing: f64,
}

/// The points and boxes of a tree, rounded.
#[derive(Debug)]
pub(super) struct Rough {
    used: Vec<Used>,
    /// For each tile `-|y'|^2 / 2` of its points, and a strip for each attribute; negative infinity and anything past the last point.
    tiles: Vec<Strip>,
    /// A bound of the norms of the points of each tile.
    radii: Vec<f64>,
    gaps: Gaps,
    /// A strip for each attribute of each node.
    boxes: Vec<Strip>,
    /// For each attribute of each node which children miss some value, a bit each; empty if no point misses anything.
    box_gaps: Vec<u8>,
    /// A bound of all norms.
    radius: f64,
}

/// Which points of a tile miss what; empty if no point misses anything.
#[derive(Debug)]
struct Gaps {
    /// Where those of each tile begin, and where the last ones end.
    starts: Vec<usize>,
    /// The attributes that some point of a tile misses.
    attributes: Vec<u32>,
    /// For each of them, one half for each point that misses it.
    halves: Vec<Strip>,
}

/// A query, rounded.
pub(super) struct Place {
    /// A coordinate for each attribute that is used; zero where it is missing.
    values: Vec<f32>,
    /// The square of each coordinate, where points have gaps; what is missing contributes its constant.
    squares: Vec<f32>,
    /// Those of the attributes used that are missing.
    gaps: Vec<u32>,
    /// What all that is missing contributes.
    missing: f64,
    /// The sum of all squares and constants.
    square: f64,
    /// Its root; infinite where nothing is beyond its reach.
    norm: f64,
}

/// What separates near from far.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    /// What is above is beyond reach.
    pub most: f32,
    /// What is from here on may be at the reach exactly.
    pub edge: f32,
    /// The reach; negative if nothing is near.
    pub reach: f64,
}

impl Bounds {
    /// Where nothing is near.
    pub(super) const NOTHING: Self = Self {
        most: f32::NEG_INFINITY,
        edge: f32::INFINITY,
        reach: f64::NEG_INFINITY,
    };
}

impl Place {
    pub(super) fn new() -> Self {
        Self {
            values: Vec::new(),
            squares: Vec::new(),
            gaps: Vec::new(),
            missing: 0.0,
            square: 0.0,
            norm: 0.0,
        }
    }

    /// Whether it misses something that contributes, or that points have.
    #[inline(always)]
    fn has_gaps(&self) -> bool {
        self.missing > 0.0 || !self.gaps.is_empty()
    }

    /// Whether the filter can be used for it.
    pub(super) fn is_safe(&self) -> bool {
        self.norm < f64::INFINITY
    }
}

impl Gaps {
    fn new(tree: &Tree, used: &[Used]) -> Self {
        let mut gaps = Self {
            starts: Vec::new(),
            attributes: Vec::new(),
            halves: Vec::new(),
        };
        if tree.is_complete() {
            return gaps;
        }
        let of_tile = |tile: usize| {
            let rows = tree.tiles.rows(tile);
            let used = used.iter().enumerate();
            used.filter_map(move |(k, used)| {
                let row = &rows[used.attribute].0;
                let halves = row.map(|value| if value.is_nan() { 0.5 } else { 0.0 });
                halves.contains(&0.5).then_some((tile, k as u32, halves))
            })
        };
        let tiles = (0..tree.tiles.n_tiles()).into_par_iter();
        let ragged = tiles.filter(|&tile| tree.tiles.is_ragged(tile));
        let found: Vec<(usize, u32, [f32; LANES])> = ragged.flat_map_iter(of_tile).collect();
        gaps.starts = vec![0; tree.tiles.n_tiles() + 1];
        for &(tile, ..) in &found {
            gaps.starts[tile + 1] += 1;
        }
        for tile in 1..gaps.starts.len() {
            gaps.starts[tile] += gaps.starts[tile - 1];
        }
        gaps.attributes = found.iter().map(|&(_, attribute, _)| attribute).collect();
        gaps.halves = found.iter().map(|&(.., halves)| Strip(halves)).collect();
        gaps
    }

    fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// Whether a point of some tiles misses something.
    #[inline(always)]
    fn are_in(&self, tiles: &Range<usize>) -> bool {
        !self.is_empty() && self.starts[tiles.start] < self.starts[tiles.end]
    }

    /// What points of a tile miss: an attribute, and one half for each that misses it.
    #[inline(always)]
    fn of_tile(&self, tile: usize) -> impl Iterator<Item = (usize, &Strip)> {
        let starts = self.starts.get(tile..tile + 2).unwrap_or(&[0, 0]);
        let range = starts[0]..starts[1];
        let attributes = self.attributes[range.clone()].iter().map(|&k| k as usize);
        attributes.zip(&self.halves[range])
    }
}

impl Used {
    /// A coordinate.
    #[inline(always)]
    fn round(&self, value: f64) -> f32 {
        (self.scale * (value - self.centre)) as f32
    }

    /// The difference that counts as much as a missing component.
    fn gap(&self) -> f32 {
        self.missing.sqrt() as f32
    }
}

impl Rough {
    /// Rounds a tree, if the filter is right for it.
    pub(super) fn build(tree: &Tree, metric: &Metric) -> Option<Self> {
        let is_used =
            |&k: &usize| metric.weights()[k] > 0.0 || (metric.missing()[k] > 0.0 && tree.misses(k));
        let used: Vec<Used> = (0..metric.n_attributes())
            .into_par_iter()
            .filter(is_used)
            .map(|k| Used {
                attribute: k,
                scale: metric.weights()[k].sqrt(),
                centre: tree.tiles.mean(k),
                missing: metric.missing()[k],
            })
            .collect();
        let safe = used.iter().all(|used| {
            let (lo, hi) = tree.span(used.attribute);
            let weight = metric.weights()[used.attribute];
            (weight == 0.0 || SAFE_WEIGHT.contains(&weight))
                && lo >= -SAFE_VALUE
                && hi <= SAFE_VALUE
        });
        if !safe || used.is_empty() || used.len() > MAX_ATTRIBUTES || tree.nodes.is_empty() {
            return None;
        }
        let corner = |used: &Used| {
            let (lo, hi) = tree.span(used.attribute);
            let far = if lo <= hi {
                used.round(lo).abs().max(used.round(hi).abs())
            } else {
                0.0
            };
            let misses = tree.misses(used.attribute);
            let missing = if misses { used.missing } else { 0.0 };
            f64::from(far).powi(2) + missing
        };
        let radius = used.iter().map(corner).sum::<f64>().sqrt();
        if radius.is_nan() || radius > SAFE_NORM {
            return None;
        }
        let stride = 1 + used.len();
        let mut tiles = vec![Strip([0.0; LANES]); tree.tiles.n_tiles() * stride];
        let radii = tiles
            .par_chunks_mut(stride)
            .with_min_len(256)
            .enumerate()
            .map(|(tile, strips)| fill(tree, tile, &used, strips))
            .collect();
        let (boxes, box_gaps) = nodes::rounded(tree, &used);
        Some(Self {
            tiles,
            radii,
            gaps: Gaps::new(tree, &used),
            boxes,
            box_gaps,
            radius,
            used,
        })
    }

    /// Puts a query into `place`; false if the filter must not be used for it: then nothing is beyond its reach.
    #[inline(always)]
    pub(super) fn place(&self, axes: &[Axis], place: &mut Place) -> bool {
        place.values.clear();
        place.squares.clear();
        place.gaps.clear();
        place.missing = 0.0;
        let (mut square, mut is_safe) = (0.0, true);
        for axis in axes {
            // What has weight zero still contributes where it is missing.
            if axis.is_missing {
                place.missing += axis.missing;
            }
            is_safe &= axis.is_missing || axis.value.abs() <= SAFE_VALUE;
        }
        for (k, used) in self.used.iter().enumerate() {
            let axis = &axes[used.attribute];
            let mut value = 0.0;
            if axis.is_missing {
                place.gaps.push(k as u32);
            } else {
                value = used.round(axis.value.clamp(-SAFE_VALUE, SAFE_VALUE));
                square += f64::from(value) * f64::from(value);
            }
            place.values.push(value);
        }
        if !self.gaps.is_empty() {
            place
                .squares
                .extend(place.values.iter().map(|value| value * value));
            for &k in &place.gaps {
                place.squares[k as usize] = self.used[k as usize].missing as f32;
            }
        }
        place.square = square + place.missing;
        place.norm = place.square.sqrt();
        is_safe &= place.norm <= SAFE_NORM;
        if !is_safe {
            (place.square, place.norm) = (0.0, f64::INFINITY);
            place.missing = 0.0;
            place.gaps.clear();
            place.values.fill(0.0);
            place.squares.fill(0.0);
        }
        is_safe
    }

    /// The bounds for a reach that is not negative.
    #[inline(always)]
    pub(super) fn bounds(&self, place: &Place, reach: f64) -> Bounds {
        let root = (reach * (1.0 + 1e-11) + 1e-60).sqrt();
        let moved = root + 1.05 * U * (place.norm + self.radius) + 1e-40;
        let d = self.used.len() as f64;
        let most = moved * moved * (1.0 + 1.1 * (d + 7.0) * U) + 1e-35;
        Bounds {
            most: (most * (1.0 + 4.0 * U)) as f32,
            edge: (2.0 * reach - most * (1.0 + 4.0 * U)) as f32,
            reach,
        }
    }

    /// How far a distance to a point of a norm up to `radius` is at most from what its similarity says.
    #[inline(always)]
    fn allowance(&self, place: &Place, radius: f64) -> f64 {
        let d = self.used.len() as f64;
        let roundings = if self.gaps.is_empty() && place.gaps.is_empty() {
            1.01 * d + 6.0
        } else {
            6.1 * d + 12.0
        };
        let norms = place.norm + radius;
        roundings * U * norms * norms + UNDERFLOW * (1.0 + norms)
    }

    /// The similarities, to points of norms up to `radius`, of those who are closer than `key`, or as close.
    #[inline(always)]
    pub(super) fn thresholds(&self, place: &Place, radius: f64, key: f64) -> Thresholds {
        let allowance = self.allowance(place, radius);
        let (low, high) = (key - allowance, key + allowance);
        let similarity = |key: f64| (0.5 * (place.square - key)) as f32;
        // The conversion rounds to nearest; a step outward makes it a bound. What is no point is at negative infinity and
        // stays below; similarities are finite and lose nothing by the limit.
        Thresholds {
            certain: similarity(low).next_up(),
            possible: similarity(high).next_down().max(-f32::MAX),
        }
    }

    /// How far a point of a norm up to `radius` is at most, of which this is the similarity.
    #[inline(always)]
    pub(super) fn farthest(&self, place: &Place, radius: f64, similarity: f32) -> f64 {
        place.square - 2.0 * f64::from(similarity) + self.allowance(place, radius)
    }

    /// A bound of the norms of the points of some tiles.
    #[inline(always)]
    pub(super) fn radius_of(&self, tiles: Range<usize>) -> f64 {
        self.radii[tiles].iter().copied().fold(0.0, greater)
    }

    /// Whether a tile may have a point within reach.
    #[inline(always)]
    pub(super) fn touches<S: Simd>(
        &self,
        simd: S,
        tile: usize,
        place: &Place,
        bounds: Bounds,
    ) -> bool {
        let tiles = tile..tile + 1;
        if place.has_gaps() || self.gaps.are_in(&tiles) {
            let radius = self.radii[tile];
            let least = self.thresholds(place, radius, bounds.reach).possible;
            let found = self.compare::<S, 1, false>(simd, tiles, [place], [Thresholds::NOBODY]);
            return simd.reduce_max_f32s(found.greatest[0]) >= least;
        }
        let strips = self.strips(tile);
        let most = simd.splat_f32s(bounds.most);
        let mut touches = false;
        for part in 0..LANES / S::F32_LANES {
            let sums = summed(simd, strips, place, FromPoints { part });
            let near = simd.less_than_or_equal_f32s(sums, most);
            touches |= simd.first_true_m32s(near) < S::F32_LANES;
        }
        touches
    }

    /// The strips of a tile, an attribute each.
    #[inline(always)]
    fn strips(&self, tile: usize) -> &[Strip] {
        let stride = 1 + self.used.len();
        &self.tiles[tile * stride + 1..(tile + 1) * stride]
    }
}

/// Rounds the points of a tile; returns a bound of their norms.
fn fill(tree: &Tree, tile: usize, used: &[Used], strips: &mut [Strip]) -> f64 {
    let rows = tree.tiles.rows(tile);
    let mut squares = [0.0; LANES];
    for (strip, used) in strips[1..].iter_mut().zip(used) {
        let cells = strip.0.iter_mut().zip(&mut squares);
        for ((cell, square), &value) in cells.zip(&rows[used.attribute].0) {
            let is_missing = value.is_nan();
            let rounded = used.round(value);
            *cell = if is_missing { 0.0 } else { rounded };
            *square += if is_missing {
                used.missing
            } else {
                f64::from(rounded) * f64::from(rounded)
            };
        }
    }
    strips[0].0 = squares.map(|square| (-0.5 * square) as f32);
    let n_points = tree.tiles.points(tile).len();
    strips[0].0[n_points..].fill(f32::NEG_INFINITY);
    squares.iter().copied().fold(0.0, greater).sqrt()
}

/// What is squared and added up: a type, whose function is inlined, and not a closure, which may be compiled for any processor.
trait Difference<S: Simd>: Copy {
    fn of(self, simd: S, strip: &Strip, value: S::f32s) -> S::f32s;
}

/// From the points of a part of a tile.
#[derive(Clone, Copy)]
struct FromPoints {
    part: usize,
}

impl<S: Simd> Difference<S> for FromPoints {
    #[inline(always)]
    fn of(self, simd: S, strip: &Strip, value: S::f32s) -> S::f32s {
        simd.sub_f32s(S::as_simd_f32s(&strip.0).0[self.part], value)
    }
}

/// The sums of squared differences from a query, in two sums that hide each other's latency.
#[inline(always)]
fn summed<S: Simd>(simd: S, strips: &[Strip], place: &Place, from: impl Difference<S>) -> S::f32s {
    let (mut even, mut odd) = (simd.splat_f32s(0.0), simd.splat_f32s(0.0));
    let (pairs, last) = strips.as_chunks::<2>();
    let (values, last_value) = place.values[..strips.len()].as_chunks::<2>();
    for (strips, values) in pairs.iter().zip(values) {
        let differences = [
            from.of(simd, &strips[0], simd.splat_f32s(values[0])),
            from.of(simd, &strips[1], simd.splat_f32s(values[1])),
        ];
        even = simd.mul_add_f32s(differences[0], differences[0], even);
        odd = simd.mul_add_f32s(differences[1], differences[1], odd);
    }
    for (strip, &value) in last.iter().zip(last_value) {
        let difference = from.of(simd, strip, simd.splat_f32s(value));
        even = simd.mul_add_f32s(difference, difference, even);
    }
    simd.add_f32s(even, odd)
}
