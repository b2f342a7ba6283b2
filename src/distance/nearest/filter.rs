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

/// How many approximations are up to a threshold, and the largest of them, or -inf.
#[derive(Debug, Clone, Copy)]
pub(super) struct UpTo<S: Simd> {
    /// Counted in f32, exact up to 2^24, because those are summed across lanes in few instructions.
    count: S::f32s,
    top: S::f32s,
}

impl<S: Simd> UpTo<S> {
    /// Nothing.
    #[inline(always)]
    pub(super) fn nothing(simd: S) -> Self {
        Self {
            count: simd.splat_f32s(0.0),
            top: simd.splat_f32s(f32::NEG_INFINITY),
        }
    }

    #[inline(always)]
    pub(super) fn take(&mut self, simd: S, approximations: S::f32s, threshold: S::f32s) {
        let below = simd.less_than_or_equal_f32s(approximations, threshold);
        let more = simd.add_f32s(self.count, simd.splat_f32s(1.0));
        self.count = simd.select_f32s(below, more, self.count);
        let higher = simd.max_f32s(approximations, self.top);
        self.top = simd.select_f32s(below, higher, self.top);
    }

    /// What both have.
    #[inline(always)]
    pub(super) fn and(self, simd: S, other: Self) -> Self {
        Self {
            count: simd.add_f32s(self.count, other.count),
            top: simd.max_f32s(self.top, other.top),
        }
    }

    #[inline(always)]
    pub(super) fn count(self, simd: S) -> u32 {
        simd.reduce_sum_f32s(self.count) as u32
    }

    #[inline(always)]
    pub(super) fn top(self, simd: S) -> f32 {
        simd.reduce_max_f32s(self.top)
    }
}

/// What each query finds in a group: the least approximations, lane by lane, and what is up to its threshold.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found<S: Simd> {
    pub least: [S::f32s; QUERIES],
    /// Of an earlier group, if nothing is counted.
    pub up_to: [UpTo<S>; QUERIES],
}

impl<S: Simd> Found<S> {
    /// Nothing found.
    #[inline(always)]
    pub(super) fn nothing(simd: S) -> Self {
        Self {
            least: [simd.splat_f32s(f32::INFINITY); QUERIES],
            up_to: [UpTo::nothing(simd); QUERIES],
        }
    }
}

/// Filters a group of `1 + factors.len()` rows, the first of them the addend and each other one to be multiplied by the factor of
/// each query: the least approximations, and, if it `COUNTS`, what is up to the thresholds.
#[inline(always)]
pub(super) fn filter<S: Simd, const COUNTS: bool>(
    simd: S,
    group: &[Row],
    factors: &[[f32; QUERIES]],
    thresholds: [f32; QUERIES],
    found: &mut Found<S>,
) {
    let mut of_group = Found::nothing(simd);
    let queries = (factors, thresholds);
    // As many accumulators as the registers hold: 32 of them with 16 lanes, else 16.
    if S::F32_LANES == 16 {
        run::<S, QUERIES, 4, COUNTS>(simd, group, queries, 0, &mut of_group);
    } else {
        run::<S, 2, 4, COUNTS>(simd, group, queries, 0, &mut of_group);
        run::<S, 2, 4, COUNTS>(simd, group, queries, 2, &mut of_group);
    }
    found.least = of_group.least;
    if COUNTS {
        found.up_to = of_group.up_to;
    }
}

/// The approximations for one of the queries: to the last bit those that [`filter`] looks at.
#[inline(always)]
pub(super) fn approximations<S: Simd>(
    simd: S,
    group: &[Row],
    factors: &[[f32; QUERIES]],
    query: usize,
) -> Row {
    let mut row = Row([0.0; GROUP]);
    let (vectors, _) = S::as_mut_simd_f32s(&mut row.0);
    for part in (0..GROUP / S::F32_LANES).step_by(4) {
        let [sums] = sums::<S, 1, 4>(simd, group, factors, query, part);
        vectors[part..part + 4].copy_from_slice(&sums);
    }
    row
}

/// The approximations for the `Q` queries from `first` on, of `V` vectors of points.
#[inline(always)]
fn sums<S: Simd, const Q: usize, const V: usize>(
    simd: S,
    group: &[Row],
    factors: &[[f32; QUERIES]],
    first: usize,
    part: usize,
) -> [[S::f32s; V]; Q] {
    let (addend, group) = group.split_first().expect("a group has an addend");
    let mut sums = [*vectors::<S, V>(addend, part); Q];
    for (row, factors) in group.iter().zip(factors) {
        let row: &[S::f32s; V] = vectors::<S, V>(row, part);
        for query in 0..Q {
            let factor = simd.splat_f32s(factors[first + query]);
            for (sum, &value) in sums[query].iter_mut().zip(row) {
                *sum = simd.mul_add_f32s(factor, value, *sum);
            }
        }
    }
    sums
}

/// Handles the `Q` queries from `first` on, `V` vectors of points at a time.
#[inline(always)]
fn run<S: Simd, const Q: usize, const V: usize, const COUNTS: bool>(
    simd: S,
    group: &[Row],
    (factors, thresholds): (&[[f32; QUERIES]], [f32; QUERIES]),
    first: usize,
    found: &mut Found<S>,
) {
    for part in (0..GROUP / S::F32_LANES).step_by(V) {
        let sums = sums::<S, Q, V>(simd, group, factors, first, part);
        for (query, sums) in (first..first + Q).zip(sums) {
            let threshold = simd.splat_f32s(thresholds[query]);
            for sum in sums {
                if COUNTS {
                    found.up_to[query].take(simd, sum, threshold);
                }
                found.least[query] = simd.min_f32s(sum, found.least[query]);
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
