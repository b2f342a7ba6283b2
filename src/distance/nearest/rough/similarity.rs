//! The inner loop in front of exact distances: how similar points are to a few queries.
//!
//! # Similarity
//! That of a point to a query is `(C - D) / 2`, where `D` is their distance and `C = |x|^2`, a query's missing components counted at their
//! constants. Without gaps it is `x.y - |y|^2 / 2`: a fused multiply-add an attribute, where a difference takes two operations.
//!
//! # Missing
//! A missing coordinate is 0, and `|y|^2` counts its constant `m_k`. To the products is added
//! - `x_k^2 / 2` where a point misses what the query has;
//! - `y_k^2 / 2` where the query misses what a point has;
//! - `m_k / 2` where both miss it.

use std::ops::Range;

use pulp::{Simd, bytemuck};

use super::super::tiles::LANES;
use super::{Place, Rough, Strip};

/// Between which two similarities nothing is decided.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Thresholds {
    /// What is above is certainly closer.
    pub certain: f32,
    /// What is below is certainly not.
    pub possible: f32,
}

impl Thresholds {
    /// Where nobody can be closer.
    pub(in super::super) const NOBODY: Self = Self {
        certain: f32::NEG_INFINITY,
        possible: f32::INFINITY,
    };
}

/// How many points may be closer, lane by lane, and the least similarity of those: exact up to 2^24.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Closer<S: Simd> {
    possible: S::f32s,
    least: S::f32s,
}

impl<S: Simd> Closer<S> {
    /// Nobody.
    #[inline(always)]
    pub(in super::super) fn nobody(simd: S) -> Self {
        Self {
            possible: simd.splat_f32s(0.0),
            least: simd.splat_f32s(f32::INFINITY),
        }
    }

    #[inline(always)]
    pub(in super::super) fn take(
        &mut self,
        simd: S,
        similarities: S::f32s,
        thresholds: Thresholds,
    ) {
        let possible = simd.splat_f32s(thresholds.possible);
        let near = simd.greater_than_or_equal_f32s(similarities, possible);
        self.possible = counted(simd, self.possible, near);
        let least = simd.min_f32s(similarities, self.least);
        self.least = simd.select_f32s(near, least, self.least);
    }

    /// How many are closer, if that is certain of all that may be.
    #[inline(always)]
    pub(in super::super) fn count(self, simd: S, thresholds: Thresholds) -> Option<u32> {
        let is_certain = simd.reduce_min_f32s(self.least) > thresholds.certain;
        is_certain.then(|| simd.reduce_sum_f32s(self.possible) as u32)
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

/// What each query finds among some points: the greatest similarities, lane by lane, and who is closer than its rival.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Found<S: Simd, const QUERIES: usize> {
    pub greatest: [S::f32s; QUERIES],
    /// Nobody, if nothing is counted.
    pub closer: [Closer<S>; QUERIES],
}

/// Tiles whose similarities are asked for one by one, so many at once.
pub(in super::super) const FEW: usize = 4;

/// Vectors at a time, unless there are many registers.
const NARROW: usize = 2;
const WIDE: usize = 4;

impl Rough {
    /// Compares the points of some tiles with some queries: the greatest similarities, and, if it `COUNTS`, who is closer by the thresholds.
    #[inline(always)]
    pub(in super::super) fn compare<S: Simd, const QUERIES: usize, const COUNTS: bool>(
        &self,
        simd: S,
        tiles: Range<usize>,
        places: [&Place; QUERIES],
        thresholds: [Thresholds; QUERIES],
    ) -> Found<S, QUERIES> {
        let has_gaps = |place: &&Place| !place.gaps.is_empty();
        if self.gaps.are_in(&tiles) || places.iter().any(has_gaps) {
            self.take_all::<S, QUERIES, COUNTS, true>(simd, tiles, places, thresholds)
        } else {
            self.take_all::<S, QUERIES, COUNTS, false>(simd, tiles, places, thresholds)
        }
    }

    #[inline(always)]
    fn take_all<S: Simd, const QUERIES: usize, const COUNTS: bool, const GAPS: bool>(
        &self,
        simd: S,
        tiles: Range<usize>,
        places: [&Place; QUERIES],
        thresholds: [Thresholds; QUERIES],
    ) -> Found<S, QUERIES> {
        let mut found = Found {
            greatest: [simd.splat_f32s(f32::NEG_INFINITY); QUERIES],
            closer: [Closer::nobody(simd); QUERIES],
        };
        let of_tile = LANES / S::F32_LANES;
        let (mut first, end) = (tiles.start * of_tile, tiles.end * of_tile);
        let with = (places, thresholds);
        // As many sums as the registers hold beside what is multiplied: there are 32 with 16 lanes, else 16.
        if S::F32_LANES == LANES {
            while first + WIDE <= end {
                self.take::<S, QUERIES, WIDE, COUNTS, GAPS>(simd, first, with, &mut found);
                first += WIDE;
            }
        }
        while first + NARROW <= end {
            self.take::<S, QUERIES, NARROW, COUNTS, GAPS>(simd, first, with, &mut found);
            first += NARROW;
        }
        if first < end {
            self.take::<S, QUERIES, 1, COUNTS, GAPS>(simd, first, with, &mut found);
        }
        found
    }

    /// Takes `V` vectors of points from the `first` one on.
    #[inline(always)]
    fn take<S: Simd, const QUERIES: usize, const V: usize, const COUNTS: bool, const GAPS: bool>(
        &self,
        simd: S,
        first: usize,
        (places, thresholds): ([&Place; QUERIES], [Thresholds; QUERIES]),
        found: &mut Found<S, QUERIES>,
    ) {
        let mut vectors = [first; V];
        for (at, vector) in vectors.iter_mut().enumerate() {
            *vector += at;
        }
        let mut sums = self.products::<S, QUERIES, V>(simd, vectors, places);
        if GAPS {
            self.mind_gaps(simd, vectors, places, &mut sums);
        }
        for (query, similarities) in sums.into_iter().enumerate() {
            for similarities in similarities {
                if COUNTS {
                    found.closer[query].take(simd, similarities, thresholds[query]);
                }
                let greatest = &mut found.greatest[query];
                *greatest = simd.max_f32s(similarities, *greatest);
            }
        }
    }

    /// The similarities of the points of a few tiles, past the end those of the last; what is no point is infinitely far.
    #[inline(always)]
    pub(in super::super) fn of_tiles<S: Simd>(
        &self,
        simd: S,
        first: usize,
        place: &Place,
    ) -> [[f32; LANES]; FEW] {
        let of_tile = LANES / S::F32_LANES;
        let last = self.radii.len() - 1;
        let mut similarities = [[0.0; LANES]; FEW];
        let flat: &mut [f32] = bytemuck::cast_slice_mut(&mut similarities);
        let (vectors, _) = S::as_mut_simd_f32s(flat);
        for (part, vectors) in vectors.chunks_exact_mut(FEW).enumerate() {
            let places: [usize; FEW] = std::array::from_fn(|at| {
                let vector = part * FEW + at;
                (first + vector / of_tile).min(last) * of_tile + vector % of_tile
            });
            let mut sums = self.products::<S, 1, FEW>(simd, places, [place]);
            self.mind_gaps(simd, places, [place], &mut sums);
            vectors.copy_from_slice(&sums[0]);
        }
        similarities
    }

    /// The similarities of `V` vectors, each a part of some tile, as if nothing were missing.
    #[inline(always)]
    fn products<S: Simd, const QUERIES: usize, const V: usize>(
        &self,
        simd: S,
        vectors: [usize; V],
        places: [&Place; QUERIES],
    ) -> [[S::f32s; V]; QUERIES] {
        let n_used = self.used.len();
        // No `map` here: code that is not inlined would not know the lengths.
        let mut sums = [[simd.splat_f32s(0.0); V]; QUERIES];
        let (mut rows, mut parts): ([&[Strip]; V], _) = ([&[]; V], [0; V]);
        for (at, vector) in vectors.into_iter().enumerate() {
            let (strips, part) = self.vector::<S>(vector);
            let (addend, strips) = strips.split_first().expect("a tile has an addend");
            (rows[at], parts[at]) = (&strips[..n_used], part);
            for sums in &mut sums {
                sums[at] = S::as_simd_f32s(&addend.0).0[part];
            }
        }
        let mut values: [&[f32]; QUERIES] = [&[]; QUERIES];
        for (values, place) in values.iter_mut().zip(places) {
            *values = &place.values[..n_used];
        }
        for attribute in 0..n_used {
            let mut points = [simd.splat_f32s(0.0); V];
            for (at, points) in points.iter_mut().enumerate() {
                *points = S::as_simd_f32s(&rows[at][attribute].0).0[parts[at]];
            }
            for (sums, values) in sums.iter_mut().zip(values) {
                let value = simd.splat_f32s(values[attribute]);
                for (sum, points) in sums.iter_mut().zip(points) {
                    *sum = simd.mul_add_f32s(value, points, *sum);
                }
            }
        }
        sums
    }

    /// Adds what is missing to the products.
    #[inline(always)]
    fn mind_gaps<S: Simd, const QUERIES: usize, const V: usize>(
        &self,
        simd: S,
        vectors: [usize; V],
        places: [&Place; QUERIES],
        sums: &mut [[S::f32s; V]; QUERIES],
    ) {
        let half = simd.splat_f32s(0.5);
        let of_tile = LANES / S::F32_LANES;
        for (at, vector) in vectors.into_iter().enumerate() {
            let (strips, part) = self.vector::<S>(vector);
            for (place, sums) in places.into_iter().zip(&mut *sums) {
                for &attribute in &place.gaps {
                    let points = S::as_simd_f32s(&strips[1 + attribute as usize].0).0[part];
                    sums[at] = simd.mul_add_f32s(simd.mul_f32s(half, points), points, sums[at]);
                }
            }
            for (attribute, halves) in self.gaps.of_tile(vector / of_tile) {
                let halves = S::as_simd_f32s(&halves.0).0[part];
                for (place, sums) in places.into_iter().zip(&mut *sums) {
                    let square = simd.splat_f32s(place.squares[attribute]);
                    sums[at] = simd.mul_add_f32s(square, halves, sums[at]);
                }
            }
        }
    }

    /// The strips of the tile that a vector is of, and its place in them.
    #[inline(always)]
    fn vector<S: Simd>(&self, vector: usize) -> (&[Strip], usize) {
        let of_tile = LANES / S::F32_LANES;
        let stride = 1 + self.used.len();
        let first = vector / of_tile * stride;
        (&self.tiles[first..][..stride], vector % of_tile)
    }
}
