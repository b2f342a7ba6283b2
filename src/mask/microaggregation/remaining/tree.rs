//! A tree of boxes in single precision: a filter in front of the exact distances.
//!
//! # Layout
//! Places are ordered so that those near each other stand together, and cut into tiles of 16. Sixteen tiles make a node,
//! sixteen nodes a node of the next level, up to one. A tile keeps its coordinates, and a node the
//! boxes around its children, coordinate by coordinate in strips of 16: one instruction or two compare 16 of them with a
//! query. The order is that of a k-d tree, halved along the longest edge at multiples of the nodes' sizes. Squared norms are
//! kept like one coordinate more.
//!
//! # The filter
//! With the mean `c` of the places and a power of two `s` such that `|s (x - c)| <= 1` in each coordinate, `x'` is `s (x - c)`
//! rounded to `f32`. What is computed in `f32` is `|x' - q'|^2` for a place, its least value in a box for near ones, and
//! for far ones `|x'|^2 + |q'|^2 - 2 x' q'` with the largest norm in the box and the largest product in it. That is
//! less than the distance of the farthest corner: what remains is about a ball, and corners stand out from it.
//!
//! # Its error
//! Let `u = 2^-24` and `M` be the largest absolute coordinate of `q'`, or 1 if that is larger.
//! - A coordinate is rounded to `f64` and then to `f32`: its error is at most `1.01 u M`. Of two points in `d` coordinates
//!   together, by Minkowski's inequality, `| |x' - q'| - s |x - q| | <= 2.02 u M sqrt(d) =: e`.
//! - The canonical distance `D` is rounded in `f64`, and its products may vanish: `|x - q|^2` lies within
//!   `D (1 ± 1e-9) ± 1e-300`, up to a million coordinates.
//! - So who is at most as far as `D` has `|x' - q'| <= s sqrt(D (1 + 1e-9) + 1e-300) + e`, and who is at least as far
//!   `|x' - q'| >= s sqrt(D (1 - 1e-9) - 1e-300) - e`; and so has a box that holds it.
//! - The filter sums squares of rounded differences, none negative: relative error at most `1.02 (d + 4) u`, and
//!   `d 2^-148` where products vanish.
//! - The bound for far ones sums numbers whose absolute values come to `(|q'| + sqrt(d))^2` at most, as `|x'| <= sqrt(d)`, in
//!   less than `d + 4` roundings each: absolute error at most `1.02 (d + 5) u` times that.
//!
//! What lies beyond these limits, widened by `1.1 (d + 6) u` and `1e-35`, cannot change the answer.

#[cfg(test)]
mod tests;

use pulp::{Arch, Simd, WithSimd};

use super::{super::partition::squared_distance, places::Places};
use crate::{distance::kd_tree::part, stats::elementary::binary_exponent, table::Matrix};

/// Places of a tile, and children of a node.
const LANES: usize = 16;

/// Half an ulp of 1 in `f32`.
const U: f64 = 1.0 / 16_777_216.0;

/// Coordinates up to which the bounds hold.
pub(super) const MAX_COORDINATES: usize = 1_000_000;

/// Stands where there is no place.
const NO_PLACE: u32 = u32::MAX;

/// One coordinate of 16 points, or one side of 16 boxes, on its own cache line.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct Strip([f32; LANES]);

/// What a walk is after.
pub(super) trait Goal {
    /// Whether it is after the near ones or the far ones.
    const NEAR: bool;

    /// The distance that a place must not exceed (near), or not fall short of (far); `None` while any will do.
    fn reach(&self) -> Option<f64>;

    /// Looks at a place at this distance; whether `reach` may be another one now.
    fn offer(&mut self, place: u32, key: f64) -> bool;
}

/// Places, and boxes around them.
pub(super) struct Tree {
    arch: Arch,
    /// Coordinates; one that is always zero where points have none.
    width: usize,
    /// Strips of a tile, and pairs of strips of a node: one for each coordinate, one for the squared norms.
    strips: usize,
    middle: Vec<f64>,
    scale: f64,
    /// The place at each position; the last tile may be filled up with [`NO_PLACE`].
    order: Vec<u32>,
    /// The position of each place.
    positions: Vec<u32>,
    /// The exact coordinates at each position.
    rows: Vec<f64>,
    /// The strips of each tile; a place that was struck out is NaN.
    tiles: Vec<Strip>,
    /// From the parents of the tiles to the root: the strips of each node, one of lower ends and one of upper
    /// ends; an empty box is `inf..-inf`, which is no bound that passes a limit.
    levels: Vec<Vec<[Strip; 2]>>,
    n_places: usize,
    /// What a walk has still to visit; kept for its memory.
    visits: Vec<Visit>,
    query: Vec<f32>,
}

/// A tile (level 0) or a node.
#[derive(Debug, Clone, Copy)]
struct Visit {
    /// The less, the better.
    bound: f32,
    level: u32,
    index: u32,
}

impl Tree {
    /// # Complexity
    /// O(n log n + n d).
    pub(super) fn build(points: &Matrix, places: &Places, mut order: Vec<u32>) -> Self {
        let n_coordinates = points.n_attributes();
        let row = |place: u32| points.row(places.witness(place) as usize);
        arrange(&row, n_coordinates, &mut order);
        let n_places = order.len();
        let (middle, half) = middle(n_coordinates, order.iter().map(|&place| row(place)));
        let scale = scale(half);
        let mut positions = vec![NO_PLACE; places.len()];
        for (position, &place) in (0_u32..).zip(&order) {
            positions[place as usize] = position;
        }
        let mut rows = Vec::with_capacity(n_places * n_coordinates);
        for &place in &order {
            rows.extend_from_slice(row(place));
        }
        order.resize(n_places.next_multiple_of(LANES), NO_PLACE);
        let width = n_coordinates.max(1);
        let strips = width + 1;
        let mut tiles = vec![Strip([f32::NAN; LANES]); order.len() / LANES * strips];
        for position in 0..n_places {
            let strips = &mut tiles[position / LANES * strips..][..strips];
            strips[0].0[position % LANES] = 0.0;
            let row = &rows[position * n_coordinates..][..n_coordinates];
            for ((strip, &value), &middle) in strips.iter_mut().zip(row).zip(&middle) {
                strip.0[position % LANES] = round(value, middle, scale);
            }
            let square = |strip: &Strip| f64::from(strip.0[position % LANES]).powi(2);
            let norm: f64 = strips[..width].iter().map(square).sum();
            strips[width].0[position % LANES] = norm as f32;
        }
        let mut tree = Self {
            arch: Arch::new(),
            width,
            strips,
            middle,
            scale,
            order,
            positions,
            rows,
            tiles,
            levels: Vec::new(),
            n_places,
            visits: Vec::new(),
            query: Vec::new(),
        };
        tree.enclose();
        tree
    }

    /// Places at the time when it was built.
    pub(super) fn len(&self) -> usize {
        self.n_places
    }

    /// Those places.
    pub(super) fn places(&self) -> impl Iterator<Item = u32> {
        self.order[..self.n_places].iter().copied()
    }

    /// Those places with their exact coordinates.
    pub(super) fn rows(&self) -> impl Iterator<Item = (u32, &[f64])> {
        let width = self.middle.len();
        self.places()
            .enumerate()
            .map(move |(position, place)| (place, &self.rows[position * width..][..width]))
    }

    /// Puts boxes around tiles, boxes around these, and so on up to one.
    fn enclose(&mut self) {
        let strips = self.strips;
        let empty = [
            Strip([f32::INFINITY; LANES]),
            Strip([f32::NEG_INFINITY; LANES]),
        ];
        let mut n_children = self.tiles.len() / strips;
        while self.levels.is_empty() || n_children > 1 {
            let n_nodes = n_children.div_ceil(LANES).max(1);
            let mut level = vec![empty; n_nodes * strips];
            for child in 0..n_children {
                for k in 0..strips {
                    let (lo, hi) = self.span(self.levels.len(), child, k);
                    let cell = &mut level[child / LANES * strips + k];
                    cell[0].0[child % LANES] = lo;
                    cell[1].0[child % LANES] = hi;
                }
            }
            self.levels.push(level);
            n_children = n_nodes;
        }
    }

    /// The least and greatest value of a coordinate in a tile (level 0) or a node.
    #[inline(always)]
    fn span(&self, level: usize, index: usize, k: usize) -> (f32, f32) {
        let cell = index * self.strips + k;
        let (lows, highs) = match level {
            0 => (&self.tiles[cell].0, &self.tiles[cell].0),
            _ => {
                let [lows, highs] = &self.levels[level - 1][cell];
                (&lows.0, &highs.0)
            }
        };
        // Comparisons that NaN fails: who was struck out does not count.
        let lesser = |a, b| if b < a { b } else { a };
        let greater = |a, b| if b > a { b } else { a };
        let mut lo = [f32::INFINITY; LANES];
        let mut hi = [f32::NEG_INFINITY; LANES];
        for lane in 0..LANES {
            lo[lane] = lesser(lo[lane], lows[lane]);
            hi[lane] = greater(hi[lane], highs[lane]);
        }
        let mut half = LANES / 2;
        while half > 0 {
            for lane in 0..half {
                lo[lane] = lesser(lo[lane], lo[lane + half]);
                hi[lane] = greater(hi[lane], hi[lane + half]);
            }
            half /= 2;
        }
        (lo[0], hi[0])
    }

    /// Strikes a place out, and shrinks the boxes that held it.
    pub(super) fn strike_out(&mut self, place: u32) {
        let position = self.positions[place as usize] as usize;
        let mut index = position / LANES;
        for strip in &mut self.tiles[index * self.strips..][..self.strips] {
            strip.0[position % LANES] = f32::NAN;
        }
        for level in 0..self.levels.len() {
            let mut shrunk = false;
            for k in 0..self.strips {
                let (lo, hi) = self.span(level, index, k);
                let [lows, highs] = &mut self.levels[level][index / LANES * self.strips + k];
                let lane = index % LANES;
                shrunk |= lows.0[lane] != lo || highs.0[lane] != hi;
                (lows.0[lane], highs.0[lane]) = (lo, hi);
            }
            if !shrunk {
                return;
            }
            index /= LANES;
        }
    }

    /// Offers a goal all places that can matter to it.
    pub(super) fn walk<G: Goal>(&mut self, point: &[f64], goal: &mut G) {
        let arch = self.arch;
        let mut visits = std::mem::take(&mut self.visits);
        let mut query = std::mem::take(&mut self.query);
        query.clear();
        query.extend(
            point
                .iter()
                .zip(&self.middle)
                .map(|(&value, &middle)| round(value, middle, self.scale)),
        );
        query.resize(self.width, 0.0);
        visits.clear();
        arch.dispatch(Walk {
            tree: self,
            point,
            query: &query,
            visits: &mut visits,
            goal,
        });
        (self.visits, self.query) = (visits, query);
    }
}

/// One walk.
struct Walk<'a, G> {
    tree: &'a Tree,
    point: &'a [f64],
    query: &'a [f32],
    visits: &'a mut Vec<Visit>,
    goal: &'a mut G,
}

impl<G: Goal> WithSimd for Walk<'_, G> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self {
            tree,
            point,
            query,
            visits,
            goal,
        } = self;
        let bounds = Bounds::new(tree, query);
        let mut limit = bounds.limit(goal);
        visits.push(Visit {
            bound: f32::NEG_INFINITY,
            level: tree.levels.len() as u32,
            index: 0,
        });
        while let Some(visit) = visits.pop() {
            if visit.bound > limit {
                continue;
            }
            let index = visit.index as usize;
            if visit.level == 0 {
                let strips = &tree.tiles[index * tree.strips..][..tree.width];
                let Some(values) = tile_values::<S, G>(simd, strips, query, limit) else {
                    continue;
                };
                for (lane, &value) in values.iter().enumerate() {
                    if value <= limit {
                        let position = index * LANES + lane;
                        let row = &tree.rows[position * point.len()..][..point.len()];
                        let key = squared_distance(row, point);
                        if goal.offer(tree.order[position], key) {
                            limit = bounds.limit(goal);
                        }
                    }
                }
            } else {
                let cells = &tree.levels[visit.level as usize - 1][index * tree.strips..];
                let values = box_values::<S, G>(simd, &cells[..tree.strips], query);
                let start = visits.len();
                for (lane, &bound) in (0_u32..).zip(&values) {
                    if bound <= limit {
                        visits.push(Visit {
                            bound,
                            level: visit.level - 1,
                            index: visit.index * LANES as u32 + lane,
                        });
                        // The best is the last.
                        let mut at = visits.len() - 1;
                        while at > start && visits[at - 1].bound < bound {
                            visits.swap(at - 1, at);
                            at -= 1;
                        }
                    }
                }
            }
        }
    }
}

/// Squared distances of a tile's places, negated for a goal that is after far ones; `None` if all are beyond the limit.
#[inline(always)]
fn tile_values<S: Simd, G: Goal>(
    simd: S,
    strips: &[Strip],
    query: &[f32],
    limit: f32,
) -> Option<[f32; LANES]> {
    let mut values = Strip([0.0; LANES]);
    let (parts, _) = S::as_mut_simd_f32s(&mut values.0);
    let most = simd.splat_f32s(limit);
    let mut any = false;
    for (part, value) in parts.iter_mut().enumerate() {
        let term = |k: usize| {
            let (strip, _) = S::as_simd_f32s(&strips[k].0);
            simd.sub_f32s(strip[part], simd.splat_f32s(query[k]))
        };
        *value = signed::<S, G>(simd, summed(simd, query.len(), term));
        let within = simd.less_than_or_equal_f32s(*value, most);
        any |= simd.first_true_m32s(within) < S::F32_LANES;
    }
    any.then_some(values.0)
}

/// The best that can be in the boxes of a node.
#[inline(always)]
fn box_values<S: Simd, G: Goal>(simd: S, cells: &[[Strip; 2]], query: &[f32]) -> [f32; LANES] {
    let mut values = Strip([0.0; LANES]);
    let (parts, _) = S::as_mut_simd_f32s(&mut values.0);
    let zero = simd.splat_f32s(0.0);
    let square: f32 = query.iter().map(|x| x * x).sum();
    for (part, value) in parts.iter_mut().enumerate() {
        *value = if G::NEAR {
            let term = |k: usize| {
                let (lows, _) = S::as_simd_f32s(&cells[k][0].0);
                let (highs, _) = S::as_simd_f32s(&cells[k][1].0);
                let at = simd.splat_f32s(query[k]);
                let below = simd.sub_f32s(lows[part], at);
                let above = simd.sub_f32s(at, highs[part]);
                simd.max_f32s(simd.max_f32s(below, above), zero)
            };
            summed(simd, query.len(), term)
        } else {
            // |x|^2 + |q|^2 - 2 x q, each term as large as it can be in the box.
            let (norms, _) = S::as_simd_f32s(&cells[query.len()][1].0);
            let mut sum = simd.add_f32s(norms[part], simd.splat_f32s(square));
            for (cell, &at) in cells.iter().zip(query) {
                let (side, _) = S::as_simd_f32s(&cell[usize::from(at < 0.0)].0);
                sum = simd.mul_add_f32s(simd.splat_f32s(-2.0 * at), side[part], sum);
            }
            simd.neg_f32s(sum)
        };
    }
    values.0
}

#[inline(always)]
fn signed<S: Simd, G: Goal>(simd: S, sum: S::f32s) -> S::f32s {
    if G::NEAR { sum } else { simd.neg_f32s(sum) }
}

/// The sum of squares, in two sums that hide each other's latency.
#[inline(always)]
fn summed<S: Simd>(simd: S, n_terms: usize, term: impl Fn(usize) -> S::f32s) -> S::f32s {
    let zero = simd.splat_f32s(0.0);
    let (mut even, mut odd) = (zero, zero);
    for pair in 0..n_terms / 2 {
        let terms = [term(2 * pair), term(2 * pair + 1)];
        even = simd.mul_add_f32s(terms[0], terms[0], even);
        odd = simd.mul_add_f32s(terms[1], terms[1], odd);
    }
    if n_terms % 2 == 1 {
        let last = term(n_terms - 1);
        even = simd.mul_add_f32s(last, last, even);
    }
    simd.add_f32s(even, odd)
}

/// What the filter may leave out; see the head of this file.
struct Bounds {
    scale: f64,
    /// `e`.
    error: f64,
    /// Relative error of a sum of squares.
    sum: f64,
    /// Absolute error of a bound for far ones.
    product: f64,
}

impl Bounds {
    fn new(tree: &Tree, query: &[f32]) -> Self {
        let largest = query.iter().fold(1.0_f32, |most, x| most.max(x.abs()));
        let d = query.len() as f64;
        let norm = query
            .iter()
            .map(|&x| f64::from(x).powi(2))
            .sum::<f64>()
            .sqrt();
        Self {
            scale: tree.scale,
            error: 2.02 * U * f64::from(largest) * d.sqrt(),
            sum: 1.1 * (d + 6.0) * U,
            product: 1.1 * (d + 6.0) * U * (norm + d.sqrt()).powi(2),
        }
    }

    /// What the value of a place that can matter does not exceed: finite, so that no empty box passes for near.
    #[inline(always)]
    fn limit<G: Goal>(&self, goal: &G) -> f32 {
        let Some(reach) = goal.reach() else {
            return f32::MAX;
        };
        let limit = if G::NEAR {
            let root = self.scale * (reach * (1.0 + 1e-9) + 1e-300).sqrt() + self.error;
            root * root * (1.0 + self.sum) + 1e-35
        } else {
            let least = (reach * (1.0 - 1e-9) - 1e-300).max(0.0).sqrt();
            let root = (self.scale * least - self.error).max(0.0);
            1e-35 + self.product - root * root * (1.0 - self.sum)
        };
        // Rounded up.
        ((limit + limit.abs() * 4.0 * U) as f32).min(f32::MAX)
    }
}

/// A coordinate.
#[inline(always)]
fn round(value: f64, middle: f64, scale: f64) -> f32 {
    ((value - middle) * scale) as f32
}

/// The mean of some points, and how far one of them is from it at most in any coordinate.
fn middle<'a>(width: usize, points: impl Iterator<Item = &'a [f64]> + Clone) -> (Vec<f64>, f64) {
    let mut middle = vec![0.0; width];
    let mut count = 0.0_f64;
    for point in points.clone() {
        count += 1.0;
        for (sum, &value) in middle.iter_mut().zip(point) {
            *sum += value;
        }
    }
    for sum in &mut middle {
        *sum /= count.max(1.0);
    }
    let apart = points
        .flat_map(|point| point.iter().zip(&middle))
        .fold(0.0_f64, |most, (value, mean)| {
            most.max((value - mean).abs())
        });
    (middle, apart)
}

/// A power of two that brings `half` to 1 at most.
fn scale(half: f64) -> f64 {
    if half <= 0.0 {
        return 1.0;
    }
    2.0_f64.powi((-binary_exponent(half) - 1).min(1000))
}

/// Places looked at to find the longest edge of a run.
const SAMPLE: usize = 128;

/// Places from which on two halves are worth two tasks.
const PARALLEL: usize = 4096;

/// Orders a run so that what stands below a tile, and below a node, is near each other.
fn arrange<'a>(row: &(impl Fn(u32) -> &'a [f64] + Sync), width: usize, run: &mut [u32]) {
    let n_tiles = run.len().div_ceil(LANES);
    if n_tiles <= 1 || width == 0 {
        return;
    }
    // Tiles of the largest child of which there are several.
    let mut child = 1;
    while child * LANES < n_tiles {
        child *= LANES;
    }
    let middle = n_tiles.div_ceil(child).div_ceil(2) * child * LANES;
    let axis = longest_edge(row, width, run);
    part(run, middle, |place| row(place)[axis], f64::total_cmp);
    let (left, right) = run.split_at_mut(middle);
    if n_tiles * LANES >= PARALLEL {
        rayon::join(|| arrange(row, width, left), || arrange(row, width, right));
    } else {
        arrange(row, width, left);
        arrange(row, width, right);
    }
}

fn longest_edge<'a>(row: &impl Fn(u32) -> &'a [f64], width: usize, run: &[u32]) -> usize {
    let step = run.len().div_ceil(SAMPLE);
    let mut spans = vec![(f64::INFINITY, f64::NEG_INFINITY); width];
    for &place in run.iter().step_by(step) {
        for (span, &value) in spans.iter_mut().zip(row(place)) {
            *span = (span.0.min(value), span.1.max(value));
        }
    }
    let mut longest = (0, f64::NEG_INFINITY);
    for (axis, (lo, hi)) in spans.into_iter().enumerate() {
        if hi - lo > longest.1 {
            longest = (axis, hi - lo);
        }
    }
    longest.0
}
