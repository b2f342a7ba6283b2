//! The tree once more in single precision: a filter in front of the exact distances, at half their memory.
//!
//! # The filter
//! With `x_k = s_k * (a_k - c_k)` for a query, `y_k` likewise for a point, `s_k = sqrt(w_k)` and any
//! centre `c`, the distance is `|x - y|^2`. Queries and points are rounded to `f32` coordinates; call
//! them `x'` and `y'`. Rounding is monotone, so a box around points becomes a box around their `y'`
//! by rounding its ends. The filter computes `|x' - y'|^2`, or its least value in a box, in `f32`.
//!
//! # Its error
//! Let `u = 2^-24`, and `X` and `R` be upper bounds of the norms of `x'` and of all `y'`.
//! - A coordinate is rounded to `f32` once and to `f64` twice, and its scale is rounded: relative error
//!   at most `1.01 u`, or `2^-149` below the normal range. By Minkowski's inequality
//!   `|x' - y'| <= |x - y| + 1.02 u (X + R) + 2^-148 sqrt(d)`.
//! - The canonical distance is rounded in `f64`: `|x - y|^2` is at most `1 + 1e-12` times it (with `d`
//!   limited), or `1e-60` more where products vanish.
//! - So a point within `reach` has `|x' - y'|^2 <= S`, `S` being the square of
//!   `sqrt((1 + 1e-12) reach + 1e-60) + 1.05 u (X + R) + 1e-40`, and so has a box that holds it.
//! - The filter sums `d` squares of rounded differences: each term goes through at most `d + 3` roundings
//!   and none is negative, so the sum is at most `(1 + 1.02 (d + 4) u) S`, and `d 2^-149` more where
//!   products vanish.
//!
//! The threshold allows `(1 + 1.1 (d + 6) u) S + 1e-35` and rounds up: what exceeds it is beyond reach.
//! There is no such filter where a point misses a value, or numbers might overflow or vanish.
//!
//! # Similarity
//! Many points are compared with many queries by `x'.y' - |y'|^2 / 2`, their similarity, in half as many operations as differences take. It is
//! `(|x'|^2 - |x' - y'|^2) / 2`, so a point within `reach` has at least `(|x'|^2 - S) / 2`. It is computed by `d` fused multiply-adds
//! on the rounded `-|y'|^2 / 2`, which err by at most `(d + 1.1) u (|y'|^2 / 2 + |x'| |y'|)`, no more than half of
//! `(d + 1.1) u (X + r)^2` with `r` a bound of the norms of the points compared, and `d 2^-149` where products vanish. The threshold allows
//! `(d + 2) u (X + r)^2` and `1e-35`, and rounds down. Where points are far from the centre it
//! errs by more than differences do: tiles that pass are compared by differences, too.
//!
//! # Candidates
//! The interval of a query is rounded as its points are. Rounding is monotone: what is beyond the rounded end is beyond the exact one, and a
//! box strictly between both rounded ends is between the exact ones. What is neither is looked at in double precision.

use std::ops::Range;

use pulp::Simd;
use rayon::prelude::*;

use super::boxes::Constraint;
use super::filter::{SAFE_NORM, SAFE_VALUE, SAFE_WEIGHT};
use super::plan::FAN;
use super::tiles::{Axis, LANES, greater};
use super::tree::Tree;
use crate::distance::{Metric, single::U};

/// Attributes up to which the bounds hold.
const MAX_ATTRIBUTES: usize = 4096;

/// Values of 16 points, or lower ends and negated upper ends of 8 boxes, on their own cache line.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(super) struct Strip([f32; LANES]);

const _: () = assert!(2 * FAN == LANES);

/// What a query is multiplied by before it is added to the ends of boxes, where one vector has both.
const SIGNS: Strip = {
    let mut signs = [-1.0; LANES];
    let mut upper = FAN;
    while upper < LANES {
        signs[upper] = 1.0;
        upper += 1;
    }
    Strip(signs)
};

/// The points and boxes of a tree, rounded.
#[derive(Debug)]
pub(super) struct Rough {
    /// The attributes of positive weight, their scales and centres: the others contribute nothing.
    used: Vec<(usize, f64, f64)>,
    /// For each tile `-|y'|^2 / 2` of its points, and a strip for each attribute.
    tiles: Vec<Strip>,
    /// A bound of the norms of the points of each tile.
    radii: Vec<f64>,
    /// A strip for each attribute of each node.
    boxes: Vec<Strip>,
    /// A bound of all norms.
    radius: f64,
}

/// A query, rounded.
pub(super) struct Place {
    /// A coordinate for each attribute that is used.
    values: Vec<f32>,
    /// Infinite where nothing is beyond its reach.
    norm: f64,
}

/// Sides of a box that are compared before it is asked whether any point of a tile is left.
const SIDES: usize = 2;

/// The box of a query, rounded: a side for each attribute that it constrains.
pub(super) struct Sieve(Vec<Side>);

struct Side {
    /// The place of the attribute among those that are used.
    place: usize,
    /// The upper end, as often as boxes have lower ends, and the negated lower end for the upper ends: what is above it is apart.
    apart: Strip,
    /// The lower end, and the negated upper end: what is above it is within.
    within: Strip,
}

/// What separates near from far.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    /// What is above is beyond reach.
    pub most: f32,
    /// What is from here on may be at the reach exactly.
    pub edge: f32,
    /// A bound of the root of the reach.
    root: f64,
}

impl Bounds {
    /// Where nothing is near.
    pub(super) const NOTHING: Self = Self {
        most: f32::NEG_INFINITY,
        edge: f32::INFINITY,
        root: 0.0,
    };
}

impl Place {
    pub(super) fn new() -> Self {
        Self {
            values: Vec::new(),
            norm: 0.0,
        }
    }
}

impl Sieve {
    pub(super) fn new() -> Self {
        Self(Vec::new())
    }
}

impl Rough {
    /// Rounds a tree, if the filter is right for it.
    pub(super) fn build(tree: &Tree, metric: &Metric) -> Option<Self> {
        let weights = metric.weights();
        let used: Vec<(usize, f64, f64)> = (0..metric.n_attributes())
            .into_par_iter()
            .filter(|&k| weights[k] > 0.0)
            .map(|k| (k, weights[k].sqrt(), tree.tiles.mean(k)))
            .collect();
        let safe = used.iter().all(|&(k, _, _)| {
            let (lo, hi) = tree.span(k);
            SAFE_WEIGHT.contains(&weights[k]) && lo >= -SAFE_VALUE && hi <= SAFE_VALUE
        });
        let n_attributes = used.len();
        if !safe || n_attributes == 0 || n_attributes > MAX_ATTRIBUTES || !tree.is_complete() {
            return None;
        }
        let corner = |&(k, scale, centre): &(usize, f64, f64)| {
            let (lo, hi) = tree.span(k);
            let (lo, hi) = (round(lo, scale, centre), round(hi, scale, centre));
            f64::from(lo.abs().max(hi.abs())).powi(2)
        };
        let radius = used.iter().map(corner).sum::<f64>().sqrt();
        if radius.is_nan() || radius > SAFE_NORM {
            return None;
        }
        let mut tiles = vec![Strip([0.0; LANES]); tree.tiles.n_tiles() * (1 + n_attributes)];
        let fill = |(tile, strips): (usize, &mut [Strip])| {
            let rows = tree.tiles.rows(tile);
            let mut squares = [0.0; LANES];
            for (strip, &(k, scale, centre)) in strips[1..].iter_mut().zip(&used) {
                strip.0 = rows[k].0.map(|value| round(value, scale, centre));
                for (square, &value) in squares.iter_mut().zip(&strip.0) {
                    *square += f64::from(value) * f64::from(value);
                }
            }
            strips[0].0 = squares.map(|square| (-0.5 * square) as f32);
            squares.iter().copied().fold(0.0, greater).sqrt()
        };
        let radii = tiles
            .par_chunks_mut(1 + n_attributes)
            .with_min_len(256)
            .enumerate()
            .map(fill)
            .collect();
        let mut boxes = vec![Strip([f32::INFINITY; LANES]); tree.nodes.len() * n_attributes];
        boxes
            .par_chunks_mut(n_attributes)
            .with_min_len(256)
            .enumerate()
            .for_each(|(node, strips)| {
                let rows = tree.boxes(node);
                let n_children = tree.nodes[node].n_children as usize;
                for (strip, &(k, scale, centre)) in strips.iter_mut().zip(&used) {
                    for child in 0..n_children {
                        let (lo, hi) = (rows[k].0[child], rows[k].0[FAN + child]);
                        strip.0[child] = round(lo, scale, centre);
                        strip.0[FAN + child] = -round(hi, scale, centre);
                    }
                }
            });
        Some(Self {
            used,
            tiles,
            radii,
            boxes,
            radius,
        })
    }

    /// Puts a query into `place`; false if the filter must not be used for it: then nothing is beyond its reach.
    #[inline(always)]
    pub(super) fn place(&self, axes: &[Axis], place: &mut Place) -> bool {
        place.values.clear();
        let mut square = 0.0;
        for &(k, scale, centre) in &self.used {
            let value = round(axes[k].value.clamp(-SAFE_VALUE, SAFE_VALUE), scale, centre);
            square += f64::from(value) * f64::from(value);
            place.values.push(value);
        }
        // What has weight zero still contributes where it is missing.
        let is_safe = |axis: &Axis| !axis.is_missing && axis.value.abs() <= SAFE_VALUE;
        place.norm = square.sqrt();
        let is_placed = place.norm <= SAFE_NORM && axes.iter().all(is_safe);
        if !is_placed {
            place.norm = f64::INFINITY;
            place.values.fill(0.0);
        }
        is_placed
    }

    /// The bounds for a reach that is not negative.
    #[inline(always)]
    pub(super) fn bounds(&self, place: &Place, reach: f64) -> Bounds {
        let root = (reach * (1.0 + 1e-12) + 1e-60).sqrt();
        let moved = root + slack(place.norm + self.radius);
        let d = self.used.len() as f64;
        let most = moved * moved * (1.0 + 1.1 * (d + 6.0) * U) + 1e-35;
        Bounds {
            most: (most * (1.0 + 4.0 * U)) as f32,
            edge: (2.0 * reach - most * (1.0 + 4.0 * U)) as f32,
            root,
        }
    }

    /// The similarity below which no point of some tiles is within reach.
    #[inline(always)]
    pub(super) fn least_similarity(
        &self,
        tiles: Range<usize>,
        place: &Place,
        bounds: Bounds,
    ) -> f32 {
        if place.norm == f64::INFINITY {
            return f32::NEG_INFINITY;
        }
        let radius = self.radii[tiles].iter().copied().fold(0.0, greater);
        let norms = place.norm + radius;
        let moved = bounds.root + slack(norms);
        let d = self.used.len() as f64;
        let error = (d + 2.0) * U * norms * norms + 1e-35;
        let least = 0.5 * (place.norm * place.norm - moved * moved - error);
        (least as f32).next_down()
    }

    /// The greatest similarity of a point of some tiles, lane by lane, to each of some queries.
    #[inline(always)]
    pub(super) fn similarity<S: Simd, const QUERIES: usize>(
        &self,
        simd: S,
        tiles: Range<usize>,
        places: [&Place; QUERIES],
    ) -> [S::f32s; QUERIES] {
        let stride = 1 + self.used.len();
        let strips = &self.tiles[tiles.start * stride..tiles.end * stride];
        let values = places.map(|place| &place.values[..self.used.len()]);
        // As many sums as fit into registers (32 with 16 lanes, else 16), unless the tiles are fewer.
        if S::F32_LANES == LANES && tiles.len() > 2 {
            greatest_similarity::<S, QUERIES, 4>(simd, strips, stride, values)
        } else {
            greatest_similarity::<S, QUERIES, 2>(simd, strips, stride, values)
        }
    }

    /// The strips of a tile, an attribute each.
    #[inline(always)]
    fn strips(&self, tile: usize) -> &[Strip] {
        let stride = 1 + self.used.len();
        &self.tiles[tile * stride + 1..(tile + 1) * stride]
    }

    /// About the least distances in the boxes of a node; infinite past its last child.
    #[inline(always)]
    pub(super) fn lower<S: Simd>(&self, simd: S, node: usize, place: &Place) -> [f32; FAN] {
        let d = self.used.len();
        let strips = &self.boxes[node * d..(node + 1) * d];
        let zero = simd.splat_f32s(0.0);
        // Only one end of an interval can be exceeded.
        if S::F32_LANES == LANES {
            let sign = S::as_simd_f32s(&SIGNS.0).0[0];
            let ends = summed(simd, strips, place, |strip, value| {
                let strip = S::as_simd_f32s(&strip.0).0[0];
                simd.max_f32s(simd.mul_add_f32s(value, sign, strip), zero)
            });
            let mut sums = [0.0; LANES];
            S::as_mut_simd_f32s(&mut sums).0[0] = ends;
            return std::array::from_fn(|child| sums[child] + sums[FAN + child]);
        }
        let mut sums = [0.0; FAN];
        let (parts, _) = S::as_mut_simd_f32s(&mut sums);
        let n_parts = FAN / S::F32_LANES;
        for (part, sum) in parts.iter_mut().enumerate() {
            *sum = summed(simd, strips, place, |strip, value| {
                let strip = S::as_simd_f32s(&strip.0).0;
                let below = simd.sub_f32s(strip[part], value);
                let above = simd.add_f32s(strip[n_parts + part], value);
                simd.max_f32s(simd.max_f32s(below, above), zero)
            });
        }
        sums
    }

    /// Whether a tile may have a point up to a bound.
    #[inline(always)]
    pub(super) fn touches<S: Simd>(&self, simd: S, tile: usize, place: &Place, most: f32) -> bool {
        let strips = self.strips(tile);
        let most = simd.splat_f32s(most);
        let mut touches = false;
        for part in 0..LANES / S::F32_LANES {
            let sums = summed(simd, strips, place, |strip, value| {
                simd.sub_f32s(S::as_simd_f32s(&strip.0).0[part], value)
            });
            let near = simd.less_than_or_equal_f32s(sums, most);
            touches |= simd.first_true_m32s(near) < S::F32_LANES;
        }
        touches
    }

    /// Puts the box of a query into `sieve`; false if it constrains an attribute that is not used.
    #[inline(always)]
    pub(super) fn sieve(&self, constraints: &[Constraint], sieve: &mut Sieve) -> bool {
        sieve.0.clear();
        constraints.iter().all(|constraint| {
            let at = |&(k, _, _): &(usize, f64, f64)| k == constraint.attribute;
            let Some(place) = self.used.iter().position(at) else {
                return false;
            };
            let (_, scale, centre) = self.used[place];
            let lo = round(constraint.lo, scale, centre);
            let hi = round(constraint.hi, scale, centre);
            let strip = |lower: f32, upper: f32| {
                let mut strip = [lower; LANES];
                strip[FAN..].fill(upper);
                Strip(strip)
            };
            sieve.0.push(Side {
                place,
                apart: strip(hi, -lo),
                within: strip(lo, -hi),
            });
            true
        })
    }

    /// For each child of a node, whether all its points are surely outside the box, and whether all are surely in.
    #[inline(always)]
    pub(super) fn relations<S: Simd>(
        &self,
        simd: S,
        node: usize,
        sieve: &Sieve,
    ) -> ([bool; FAN], [bool; FAN]) {
        let d = self.used.len();
        let strips = &self.boxes[node * d..(node + 1) * d];
        let (mut beyond, mut between) = ([f32::NEG_INFINITY; LANES], [f32::INFINITY; LANES]);
        let (beyonds, _) = S::as_mut_simd_f32s(&mut beyond);
        let (betweens, _) = S::as_mut_simd_f32s(&mut between);
        // A difference has the sign of the comparison. Past the last child it may be none, and is not asked for.
        for side in &sieve.0 {
            let (strip, _) = S::as_simd_f32s(&strips[side.place].0);
            let (apart, _) = S::as_simd_f32s(&side.apart.0);
            let (within, _) = S::as_simd_f32s(&side.within.0);
            for (part, beyond) in beyonds.iter_mut().enumerate() {
                *beyond = simd.max_f32s(simd.sub_f32s(strip[part], apart[part]), *beyond);
            }
            for (part, between) in betweens.iter_mut().enumerate() {
                *between = simd.min_f32s(simd.sub_f32s(strip[part], within[part]), *between);
            }
        }
        let apart: [bool; FAN] =
            std::array::from_fn(|child| (beyond[child] > 0.0) | (beyond[FAN + child] > 0.0));
        let within = |child: usize| (between[child] > 0.0) & (between[FAN + child] > 0.0);
        (
            apart,
            std::array::from_fn(|child| within(child) & !apart[child]),
        )
    }

    /// Which points of a tile may be in the box, past the last point whether that may; `None` if none may.
    #[inline(always)]
    pub(super) fn held<S: Simd>(
        &self,
        simd: S,
        tile: usize,
        sieve: &Sieve,
    ) -> Option<[bool; LANES]> {
        let strips = self.strips(tile);
        let mut held = [0.0; LANES];
        let (parts, _) = S::as_mut_simd_f32s(&mut held);
        let mut holds = false;
        for (part, held) in parts.iter_mut().enumerate() {
            let zero = simd.splat_f32s(0.0);
            let mut inside = simd.equal_f32s(zero, zero);
            let mut some = true;
            for sides in sieve.0.chunks(SIDES) {
                for side in sides {
                    let values = S::as_simd_f32s(&strips[side.place].0).0[part];
                    let (lo, hi) = (side.within.0[0], side.apart.0[0]);
                    let above = simd.less_than_or_equal_f32s(simd.splat_f32s(lo), values);
                    let below = simd.less_than_or_equal_f32s(values, simd.splat_f32s(hi));
                    inside = simd.and_m32s(inside, simd.and_m32s(above, below));
                }
                some = simd.first_true_m32s(inside) < S::F32_LANES;
                if !some {
                    break;
                }
            }
            if some {
                *held = simd.select_f32s(inside, simd.splat_f32s(1.0), zero);
                holds = true;
            }
        }
        holds.then(|| held.map(|held| held > 0.0))
    }

    /// The position at which a greedy descent towards the query ends.
    #[inline(always)]
    pub(super) fn home<S: Simd>(&self, simd: S, tree: &Tree, place: &Place) -> u32 {
        tree.descend(|node| self.lower(simd, node, place))
    }
}

/// The sums of squared differences from a query, in two sums that hide each other's latency.
#[inline(always)]
fn summed<S: Simd>(
    simd: S,
    strips: &[Strip],
    place: &Place,
    difference: impl Fn(&Strip, S::f32s) -> S::f32s,
) -> S::f32s {
    let (mut even, mut odd) = (simd.splat_f32s(0.0), simd.splat_f32s(0.0));
    let (pairs, last) = strips.as_chunks::<2>();
    let (values, last_value) = place.values[..strips.len()].as_chunks::<2>();
    for (strips, values) in pairs.iter().zip(values) {
        let differences = [
            difference(&strips[0], simd.splat_f32s(values[0])),
            difference(&strips[1], simd.splat_f32s(values[1])),
        ];
        even = simd.mul_add_f32s(differences[0], differences[0], even);
        odd = simd.mul_add_f32s(differences[1], differences[1], odd);
    }
    for (strip, &value) in last.iter().zip(last_value) {
        let difference = difference(strip, simd.splat_f32s(value));
        even = simd.mul_add_f32s(difference, difference, even);
    }
    simd.add_f32s(even, odd)
}

/// The greatest similarity, lane by lane, of `V` vectors of points at a time: each tile has `stride` strips.
#[inline(always)]
fn greatest_similarity<S: Simd, const QUERIES: usize, const V: usize>(
    simd: S,
    strips: &[Strip],
    stride: usize,
    values: [&[f32]; QUERIES],
) -> [S::f32s; QUERIES] {
    let of_tile = LANES / S::F32_LANES;
    let n_vectors = strips.len() / stride * of_tile;
    let mut greatest = [simd.splat_f32s(f32::NEG_INFINITY); QUERIES];
    for first in (0..n_vectors).step_by(V) {
        // Past the end, the last vector is compared again.
        let vectors: [usize; V] = std::array::from_fn(|at| (first + at).min(n_vectors - 1));
        let places = vectors.map(|vector| {
            let tile = vector / of_tile;
            (
                &strips[tile * stride..(tile + 1) * stride],
                vector % of_tile,
            )
        });
        let mut sums = [row::<S, V>(simd, places, 0); QUERIES];
        for attribute in 0..stride - 1 {
            let points = row::<S, V>(simd, places, 1 + attribute);
            for (sums, values) in sums.iter_mut().zip(values) {
                let value = simd.splat_f32s(values[attribute]);
                for (sum, points) in sums.iter_mut().zip(points) {
                    *sum = simd.mul_add_f32s(value, points, *sum);
                }
            }
        }
        for (greatest, sums) in greatest.iter_mut().zip(sums) {
            for sum in sums {
                *greatest = simd.max_f32s(sum, *greatest);
            }
        }
    }
    greatest
}

/// One row of `V` vectors, each a part of some tile.
#[inline(always)]
fn row<S: Simd, const V: usize>(
    simd: S,
    places: [(&[Strip], usize); V],
    row: usize,
) -> [S::f32s; V] {
    let mut vectors = [simd.splat_f32s(0.0); V];
    for (vector, (strips, part)) in vectors.iter_mut().zip(places) {
        *vector = S::as_simd_f32s(&strips[row].0).0[part];
    }
    vectors
}

/// How much closer rounding can bring two points, by the sum of their norms.
#[inline(always)]
fn slack(norms: f64) -> f64 {
    1.05 * U * norms + 1e-40
}

/// A coordinate.
#[inline(always)]
fn round(value: f64, scale: f64, centre: f64) -> f32 {
    (scale * (value - centre)) as f32
}
