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
    /// The least approximation.
    pub least: f32,
}

/// Filters a block: `rows` rows a group, the first of them the addend and each other one to be
/// multiplied by the factor of each query.
#[inline(always)]
pub(super) fn filter<S: Simd>(
    simd: S,
    block: &[Row],
    rows: usize,
    factors: &[[f32; QUERIES]],
    thresholds: [f32; QUERIES],
) -> [Filtered; QUERIES] {
    // As many accumulators as the registers hold: 32 of them with 16 lanes, else 16.
    if S::F32_LANES == 16 {
        run::<S, QUERIES, 4>(simd, block, rows, factors, thresholds, 0)
    } else {
        let [a, b, ..] = run::<S, 2, 4>(simd, block, rows, factors, thresholds, 0);
        let [c, d, ..] = run::<S, 2, 4>(simd, block, rows, factors, thresholds, 2);
        [a, b, c, d]
    }
}

/// Filters a block for the query of one lane.
#[inline(always)]
pub(super) fn filter_one<S: Simd>(
    simd: S,
    block: &[Row],
    rows: usize,
    factors: &[[f32; QUERIES]],
    thresholds: [f32; QUERIES],
    lane: usize,
) -> Filtered {
    run::<S, 1, 4>(simd, block, rows, factors, thresholds, lane)[0]
}

/// Handles the `Q` queries from `first` on, `V` vectors of points at a time.
#[inline(always)]
fn run<S: Simd, const Q: usize, const V: usize>(
    simd: S,
    block: &[Row],
    rows: usize,
    factors: &[[f32; QUERIES]],
    thresholds: [f32; QUERIES],
    first: usize,
) -> [Filtered; QUERIES] {
    let one = simd.splat_f32s(1.0);
    // Counted in f32, exact up to 2^24, because those are summed across lanes in few instructions.
    let mut count = [simd.splat_f32s(0.0); Q];
    let mut top = [simd.splat_f32s(f32::NEG_INFINITY); Q];
    let mut least = [simd.splat_f32s(f32::INFINITY); Q];
    let mut threshold = [simd.splat_f32s(0.0); Q];
    for query in 0..Q {
        threshold[query] = simd.splat_f32s(thresholds[first + query]);
    }
    for group in block.chunks_exact(rows) {
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
                for sum in sums[query] {
                    let below = simd.less_than_or_equal_f32s(sum, threshold[query]);
                    let more = simd.add_f32s(count[query], one);
                    count[query] = simd.select_f32s(below, more, count[query]);
                    let higher = simd.max_f32s(sum, top[query]);
                    top[query] = simd.select_f32s(below, higher, top[query]);
                    least[query] = simd.min_f32s(sum, least[query]);
                }
            }
        }
    }
    let mut filtered = [Filtered {
        count: 0,
        top: 0.0,
        least: 0.0,
    }; QUERIES];
    for query in 0..Q {
        filtered[query] = Filtered {
            count: simd.reduce_sum_f32s(count[query]) as u32,
            top: simd.reduce_max_f32s(top[query]),
            least: simd.reduce_min_f32s(least[query]),
        };
    }
    filtered
}

/// `V` vectors of a row.
#[inline(always)]
fn vectors<S: Simd, const V: usize>(row: &Row, part: usize) -> &[S::f32s; V] {
    let (vectors, _) = S::as_simd_f32s(&row.0);
    vectors[part..]
        .first_chunk()
        .expect("a row is a whole number of parts")
}
