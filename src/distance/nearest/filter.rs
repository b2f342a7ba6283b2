//! The inner loop of the scan: approximate distances of a block of points to a few queries.

use pulp::Simd;

/// Points in a group: a whole number of vectors on every machine.
pub(super) const GROUP: usize = 64;

/// Queries handled together.
pub(super) const QUERIES: usize = 4;

/// The least and greatest weights, and the greatest value, whose products neither vanish nor overflow.
pub(super) const SAFE_WEIGHT: std::ops::RangeInclusive<f64> = 1e-250..=1e250;
pub(super) const SAFE_VALUE: f64 = 1e150;

/// Norms up to which sums of squares fit into `f32`.
pub(super) const SAFE_NORM: f64 = 1e18;

/// One number for each point of a group.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(super) struct Row(pub [f32; GROUP]);

/// What the filter says about the points of a block and one query.
#[derive(Debug, Clone, Copy)]
pub(super) struct Filtered {
    /// Number of approximations up to the threshold.
    pub count: u32,
    /// The largest of them, or -inf.
    pub top: f32,
}

/// What the filter found out about points and one query, before it is summed up.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found<S: Simd> {
    /// Counted in f32, exact up to 2^24, because those are summed across lanes in few instructions.
    count: S::f32s,
    top: S::f32s,
}

impl<S: Simd> Found<S> {
    /// Nothing found.
    #[inline(always)]
    pub(super) fn nothing(simd: S) -> Self {
        Self {
            count: simd.splat_f32s(0.0),
            top: simd.splat_f32s(f32::NEG_INFINITY),
        }
    }

    #[inline(always)]
    pub(super) fn summed(self, simd: S) -> Filtered {
        Filtered {
            count: simd.reduce_sum_f32s(self.count) as u32,
            top: simd.reduce_max_f32s(self.top),
        }
    }
}

/// Filters a group of `1 + factors.len()` rows, the first of them the addend and each other one to be multiplied by the factor of
/// each query. Adds what is up to the thresholds to what was found, if it `COUNTS`; returns the least approximations.
#[inline(always)]
pub(super) fn filter<S: Simd, const COUNTS: bool>(
    simd: S,
    group: &[Row],
    factors: &[[f32; QUERIES]],
    thresholds: [f32; QUERIES],
    found: &mut [Found<S>; QUERIES],
) -> [S::f32s; QUERIES] {
    let mut least = [simd.splat_f32s(f32::INFINITY); QUERIES];
    let queries = (factors, thresholds);
    // As many accumulators as the registers hold: 32 of them with 16 lanes, else 16.
    if S::F32_LANES == 16 {
        run::<S, QUERIES, 4, COUNTS>(simd, group, queries, 0, found, &mut least);
    } else {
        run::<S, 2, 4, COUNTS>(simd, group, queries, 0, found, &mut least);
        run::<S, 2, 4, COUNTS>(simd, group, queries, 2, found, &mut least);
    }
    least
}

/// Handles the `Q` queries from `first` on, `V` vectors of points at a time.
#[inline(always)]
fn run<S: Simd, const Q: usize, const V: usize, const COUNTS: bool>(
    simd: S,
    group: &[Row],
    (factors, thresholds): (&[[f32; QUERIES]], [f32; QUERIES]),
    first: usize,
    found: &mut [Found<S>; QUERIES],
    least: &mut [S::f32s; QUERIES],
) {
    let one = simd.splat_f32s(1.0);
    let (addend, group) = group.split_first().expect("a group has an addend");
    for part in (0..GROUP / S::F32_LANES).step_by(V) {
        let addend: &[S::f32s; V] = vectors::<S, V>(addend, part);
        let mut sums = [*addend; Q];
        for (row, factors) in group.iter().zip(factors) {
            let row: &[S::f32s; V] = vectors::<S, V>(row, part);
            for query in 0..Q {
                let factor = simd.splat_f32s(factors[first + query]);
                for (sum, &value) in sums[query].iter_mut().zip(row) {
                    *sum = simd.mul_add_f32s(factor, value, *sum);
                }
            }
        }
        for query in 0..Q {
            let threshold = simd.splat_f32s(thresholds[first + query]);
            let Found { count, top } = &mut found[first + query];
            let least = &mut least[first + query];
            for sum in sums[query] {
                if COUNTS {
                    let below = simd.less_than_or_equal_f32s(sum, threshold);
                    let more = simd.add_f32s(*count, one);
                    *count = simd.select_f32s(below, more, *count);
                    let higher = simd.max_f32s(sum, *top);
                    *top = simd.select_f32s(below, higher, *top);
                }
                *least = simd.min_f32s(sum, *least);
            }
        }
    }
}

/// `V` vectors of a row.
#[inline(always)]
fn vectors<S: Simd, const V: usize>(row: &Row, part: usize) -> &[S::f32s; V] {
    let (vectors, _) = S::as_simd_f32s(&row.0);
    vectors[part..]
        .first_chunk()
        .expect("a row is a whole number of parts")
}
