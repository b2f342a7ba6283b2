//! Points in tiles of 16, attribute by attribute, so that one instruction handles several points.

use pulp::Simd;
use rayon::prelude::*;

use super::boxes::Constraint;
use crate::distance::Metric;
use crate::table::matrix::{Matrix, Row};

/// The greatest value whose products with weights neither vanish nor overflow.
pub(super) const SAFE_VALUE: f64 = 1e150;

/// Points in a tile.
pub(super) const LANES: usize = 16;

/// One number for each point of a tile, on its own cache lines.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(super) struct Lanes(pub [f64; LANES]);

/// Points in the order of the tree, in tiles.
///
/// # Missing
/// A missing cell holds NaN, which no legal value is.
#[derive(Debug)]
pub(super) struct Tiles {
    n_attributes: usize,
    /// The point at each position.
    order: Vec<u32>,
    /// `n_attributes` rows for each tile. Past the last point, that point is repeated.
    rows: Vec<Lanes>,
    /// Whether a tile misses a cell.
    ragged: Vec<bool>,
}

/// What one attribute of a query contributes to a distance.
#[derive(Debug, Clone, Copy)]
pub(super) struct Axis {
    pub value: f64,
    pub weight: f64,
    /// What a missing component contributes.
    pub missing: f64,
    /// Whether the query misses it.
    pub is_missing: bool,
}

/// Puts the axes of a query into `axes`.
pub(super) fn axes_of(query: Row<'_>, metric: &Metric, axes: &mut Vec<Axis>) {
    axes.clear();
    axes.extend((0..metric.n_attributes()).map(|attribute| Axis {
        value: query.values()[attribute],
        weight: metric.weights()[attribute],
        missing: metric.missing()[attribute],
        is_missing: query.is_missing(attribute),
    }));
}

impl Tiles {
    pub(super) fn new(points: &Matrix, order: Vec<u32>) -> Self {
        let n_attributes = points.n_attributes();
        let n_tiles = order.len().div_ceil(LANES);
        let mut rows = vec![Lanes([0.0; LANES]); n_tiles * n_attributes];
        let mut ragged = vec![false; n_tiles];
        let fill = |((rows, ragged), run): ((&mut [Lanes], &mut bool), &[u32])| {
            for lane in 0..LANES {
                let point = run[lane.min(run.len() - 1)] as usize;
                let record = points.record(point);
                for (row, &value) in rows.iter_mut().zip(record.values()) {
                    row.0[lane] = value;
                }
                if points.has_missing(point) {
                    *ragged = true;
                    for (attribute, row) in rows.iter_mut().enumerate() {
                        if record.is_missing(attribute) {
                            row.0[lane] = f64::NAN;
                        }
                    }
                }
            }
        };
        // Without attributes there is nothing to fill.
        rows.par_chunks_mut(n_attributes.max(1))
            .zip(&mut ragged)
            .zip(order.par_chunks(LANES))
            .with_min_len(64)
            .for_each(fill);
        Self {
            n_attributes,
            order,
            rows,
            ragged,
        }
    }

    pub(super) fn n_attributes(&self) -> usize {
        self.n_attributes
    }

    pub(super) fn n_points(&self) -> usize {
        self.order.len()
    }

    pub(super) fn n_tiles(&self) -> usize {
        self.ragged.len()
    }

    /// The points of a tile.
    #[inline(always)]
    pub(super) fn points(&self, tile: usize) -> &[u32] {
        &self.order[tile * LANES..self.order.len().min((tile + 1) * LANES)]
    }

    /// The point at each position.
    pub(super) fn order(&self) -> &[u32] {
        &self.order
    }

    /// The cells of a tile, a row an attribute.
    #[inline(always)]
    pub(super) fn rows(&self, tile: usize) -> &[Lanes] {
        &self.rows[tile * self.n_attributes..(tile + 1) * self.n_attributes]
    }

    pub(super) fn is_ragged(&self, tile: usize) -> bool {
        self.ragged[tile]
    }

    /// The canonical distances of a tile's points, or `None` if all are beyond `reach`; those that
    /// are beyond it may read infinite.
    ///
    /// Each lane does exactly what [`Metric::key`] does, in its order: this decides, it does not
    /// filter. Giving up early is safe since adding terms that are not negative never lowers a sum,
    /// rounded or not.
    #[inline(always)]
    pub(super) fn keys<S: Simd>(
        &self,
        simd: S,
        tile: usize,
        axes: &[Axis],
        reach: f64,
    ) -> Option<[f64; LANES]> {
        let mut keys = [f64::INFINITY; LANES];
        let mut reached = false;
        // Two vectors at a time: their sums are independent and hide each other's latency.
        let (vectors, _) = S::as_mut_simd_f64s(&mut keys);
        for (part, pair) in vectors.chunks_exact_mut(2).enumerate() {
            if let Some(sums) = self.pair(simd, tile, part, axes, reach) {
                pair.copy_from_slice(&sums);
                reached = true;
            }
        }
        reached.then_some(keys)
    }

    #[inline(always)]
    fn pair<S: Simd>(
        &self,
        simd: S,
        tile: usize,
        part: usize,
        axes: &[Axis],
        reach: f64,
    ) -> Option<[S::f64s; 2]> {
        let ragged = self.ragged[tile];
        let mut sums = [simd.splat_f64s(0.0); 2];
        for (axes, rows) in axes.chunks(STRIDE).zip(self.rows(tile).chunks(STRIDE)) {
            for (axis, row) in axes.iter().zip(rows) {
                let missing = simd.splat_f64s(axis.missing);
                if axis.is_missing {
                    sums = sums.map(|sum| simd.add_f64s(sum, missing));
                    continue;
                }
                if axis.weight == 0.0 && !ragged {
                    continue;
                }
                let value = simd.splat_f64s(axis.value);
                let weight = simd.splat_f64s(axis.weight);
                let (row, _) = S::as_simd_f64s(&row.0);
                for (sum, &values) in sums.iter_mut().zip(&row[2 * part..2 * part + 2]) {
                    let difference = simd.sub_f64s(value, values);
                    let mut term = simd.mul_f64s(difference, difference);
                    if axis.weight == 0.0 {
                        term = simd.splat_f64s(0.0);
                    }
                    term = simd.mul_f64s(weight, term);
                    if ragged {
                        // Only NaN differs from itself.
                        let present = simd.equal_f64s(values, values);
                        term = simd.select_f64s(present, term, missing);
                    }
                    *sum = simd.add_f64s(*sum, term);
                }
            }
            if simd.reduce_min_f64s(simd.min_f64s(sums[0], sums[1])) > reach {
                return None;
            }
        }
        Some(sums)
    }

    /// Which points of a tile are in a box; past the last point, whether that is.
    #[inline(always)]
    pub(super) fn admitted<S: Simd>(
        &self,
        simd: S,
        tile: usize,
        constraints: &[Constraint],
    ) -> [bool; LANES] {
        let (zero, one) = (simd.splat_f64s(0.0), simd.splat_f64s(1.0));
        let rows = self.rows(tile);
        let mut admitted = [0.0; LANES];
        let (parts, _) = S::as_mut_simd_f64s(&mut admitted);
        for (part, admitted) in parts.iter_mut().enumerate() {
            let mut inside = simd.equal_f64s(zero, zero);
            for constraint in constraints {
                let values = S::as_simd_f64s(&rows[constraint.attribute].0).0[part];
                let above = simd.less_than_or_equal_f64s(simd.splat_f64s(constraint.lo), values);
                let below = simd.less_than_or_equal_f64s(values, simd.splat_f64s(constraint.hi));
                let mut admits = simd.and_m64s(above, below);
                if constraint.admits_gap && self.ragged[tile] {
                    // Only NaN differs from itself.
                    let missing = simd.not_m64s(simd.equal_f64s(values, values));
                    admits = simd.or_m64s(admits, missing);
                }
                inside = simd.and_m64s(inside, admits);
            }
            *admitted = simd.select_f64s(inside, one, zero);
        }
        admitted.map(|admitted| admitted > 0.0)
    }

    /// The canonical distance of the point at a position.
    #[inline(always)]
    pub(super) fn key(&self, position: usize, axes: &[Axis]) -> f64 {
        let rows = self.rows(position / LANES);
        axes.iter().zip(rows).fold(0.0, |sum, (axis, row)| {
            let value = row.0[position % LANES];
            let missing = axis.is_missing || value.is_nan();
            sum + if missing {
                axis.missing
            } else {
                term(axis, value)
            }
        })
    }

    /// The value at a position; NaN if missing.
    pub(super) fn value(&self, position: usize, attribute: usize) -> f64 {
        self.rows(position / LANES)[attribute].0[position % LANES]
    }

    /// About the mean of the values of an attribute; 0 where it is out of range or there are none. It is where single precision is
    /// centred, and decides nothing.
    pub(super) fn mean(&self, attribute: usize) -> f64 {
        let (mut sums, mut present) = ([0.0; LANES], [0.0; LANES]);
        for tile in 0..self.n_tiles() {
            let values = self.rows(tile)[attribute].0;
            for ((sum, present), value) in sums.iter_mut().zip(&mut present).zip(values) {
                let there = !value.is_nan();
                *sum += if there { value } else { 0.0 };
                *present += f64::from(u8::from(there));
            }
        }
        let mean = sums.iter().sum::<f64>() / present.iter().sum::<f64>();
        if mean.abs() <= SAFE_VALUE { mean } else { 0.0 }
    }
}

/// Attributes between two looks at whether a tile is already out of reach.
const STRIDE: usize = 5;

/// What a component present on both sides contributes.
#[inline(always)]
pub(super) fn term(axis: &Axis, value: f64) -> f64 {
    if axis.weight == 0.0 {
        return 0.0;
    }
    let difference = axis.value - value;
    axis.weight * (difference * difference)
}

/// The lesser of two numbers that are not NaN, in one instruction (`f64::min` minds NaN).
#[inline(always)]
pub(super) fn lesser(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// The greater of two numbers; `a` where either is NaN.
#[inline(always)]
pub(super) fn greater(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

/// The least of a tile's numbers, by halving: that is a few instructions, a fold is a long chain.
#[inline(always)]
pub(super) fn least(numbers: &[f64; LANES]) -> f64 {
    let eight: [f64; 8] = std::array::from_fn(|lane| lesser(numbers[lane], numbers[lane + 8]));
    let four: [f64; 4] = std::array::from_fn(|lane| lesser(eight[lane], eight[lane + 4]));
    let two: [f64; 2] = std::array::from_fn(|lane| lesser(four[lane], four[lane + 2]));
    lesser(two[0], two[1])
}
