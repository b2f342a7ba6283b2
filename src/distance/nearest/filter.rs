//! The inner loop of the scan: approximate distances of a block of points to a few queries.

use pulp::{Simd, bytemuck};

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

/// Between which two approximations nothing is decided.
#[derive(Debug, Clone, Copy)]
pub(super) struct Thresholds {
    /// What is below is certainly closer.
    pub certain: f32,
    /// What is above is certainly not.
    pub possible: f32,
}

impl Thresholds {
    /// Where nobody can be closer.
    pub(super) const NOBODY: Self = Self {
        certain: f32::NEG_INFINITY,
        possible: f32::NEG_INFINITY,
    };
}

/// How many points are certainly closer, and how many may be, lane by lane: exact up to 2^24.
#[derive(Debug, Clone, Copy)]
pub(super) struct Closer<S: Simd> {
    certain: S::f32s,
    possible: S::f32s,
}

impl<S: Simd> Closer<S> {
    /// Nobody.
    #[inline(always)]
    pub(super) fn nobody(simd: S) -> Self {
        Self {
            certain: simd.splat_f32s(0.0),
            possible: simd.splat_f32s(0.0),
        }
    }

    #[inline(always)]
    pub(super) fn take(&mut self, simd: S, approximations: S::f32s, thresholds: Thresholds) {
        let (certain, possible) = (thresholds.certain, thresholds.possible);
        let below = simd.less_than_f32s(approximations, simd.splat_f32s(certain));
        self.certain = counted(simd, self.certain, below);
        let up_to = simd.less_than_or_equal_f32s(approximations, simd.splat_f32s(possible));
        self.possible = counted(simd, self.possible, up_to);
    }

    /// How many certainly are, and how many may be.
    #[inline(always)]
    pub(super) fn count(self, simd: S) -> [u32; 2] {
        let certain = simd.reduce_sum_f32s(self.certain);
        let possible = simd.reduce_sum_f32s(self.possible);
        [certain as u32, possible as u32]
    }
}

/// Counts one more in each lane of a mask: two operations where a mask is a vector, one where it has registers of its own.
#[inline(always)]
fn counted<S: Simd>(simd: S, count: S::f32s, mask: S::m32s) -> S::f32s {
    let one = simd.splat_f32s(1.0);
    if const { size_of::<S::m32s>() == size_of::<S::f32s>() } {
        // A lane of such a mask has all its bits, or none.
        let bits = simd.and_u32s(bytemuck::cast(mask), bytemuck::cast(one));
        simd.add_f32s(count, bytemuck::cast(bits))
    } else {
        simd.select_f32s(mask, simd.add_f32s(count, one), count)
    }
}

/// What each query finds in a block: the least approximations, lane by lane, and who is closer than its rival.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found<S: Simd> {
    pub least: [S::f32s; QUERIES],
    /// Nobody, if nothing is counted.
    pub closer: [Closer<S>; QUERIES],
}

/// Filters groups of `1 + factors.len()` rows, the first of them the addend and each other one to be multiplied by the factor of
/// each query: the least approximations, and, if it `COUNTS`, who is closer by the thresholds.
#[inline(always)]
pub(super) fn filter<S: Simd, const COUNTS: bool>(
    simd: S,
    groups: &[Row],
    factors: &[[f32; QUERIES]],
    thresholds: [Thresholds; QUERIES],
) -> Found<S> {
    let mut found = Found {
        least: [simd.splat_f32s(f32::INFINITY); QUERIES],
        closer: [Closer::nobody(simd); QUERIES],
    };
    for group in groups.chunks_exact(1 + factors.len()) {
        let queries = (factors, thresholds);
        // As many sums as the registers hold beside what is multiplied: there are 32 with 16 lanes, else 16.
        if S::F32_LANES == 16 {
            run::<S, 4, COUNTS>(simd, group, queries, &mut found);
        } else {
            run::<S, 2, COUNTS>(simd, group, queries, &mut found);
        }
    }
    found
}

/// The approximations for a query of these factors: to the last bit those that [`filter`] looks at.
#[inline(always)]
pub(super) fn approximations<S: Simd>(simd: S, group: &[Row], factors: &[f32]) -> Row {
    let mut row = Row([0.0; GROUP]);
    let (vectors, _) = S::as_mut_simd_f32s(&mut row.0);
    for part in (0..GROUP / S::F32_LANES).step_by(4) {
        let [sums] = sums::<S, 1, 4>(simd, group, factors.as_chunks().0, part);
        vectors[part..part + 4].copy_from_slice(&sums);
    }
    row
}

/// The approximations for `Q` queries, of `V` vectors of points.
#[inline(always)]
fn sums<S: Simd, const Q: usize, const V: usize>(
    simd: S,
    group: &[Row],
    factors: &[[f32; Q]],
    part: usize,
) -> [[S::f32s; V]; Q] {
    let (addend, group) = group.split_first().expect("a group has an addend");
    let mut sums = [*vectors::<S, V>(addend, part); Q];
    for (row, factors) in group.iter().zip(factors) {
        let row: &[S::f32s; V] = vectors::<S, V>(row, part);
        for query in 0..Q {
            let factor = simd.splat_f32s(factors[query]);
            for (sum, &value) in sums[query].iter_mut().zip(row) {
                *sum = simd.mul_add_f32s(factor, value, *sum);
            }
        }
    }
    sums
}

/// Handles all queries, `V` vectors of points at a time.
#[inline(always)]
fn run<S: Simd, const V: usize, const COUNTS: bool>(
    simd: S,
    group: &[Row],
    (factors, thresholds): (&[[f32; QUERIES]], [Thresholds; QUERIES]),
    found: &mut Found<S>,
) {
    for part in (0..GROUP / S::F32_LANES).step_by(V) {
        let sums = sums::<S, QUERIES, V>(simd, group, factors, part);
        for (query, sums) in sums.into_iter().enumerate() {
            for sum in sums {
                if COUNTS {
                    found.closer[query].take(simd, sum, thresholds[query]);
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
