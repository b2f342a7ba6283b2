//! The sought records in single precision: who is surely too far, in front of exact costs.
//!
//! # The sums
//! A number has the coordinate `(value − middle) / range`, the middle and the range being those of both files, so it is within ±1; a name has its
//! place among the names of both files. Then an attribute contributes `min(|x − y|, 1)` to a pair. A pair costs more than `b` where the sum of
//! `contribution − b` over the attributes that both have is above 0: a sum, so of a node in which some miss an attribute it adds the
//! lesser of that and 0. Where nobody misses anything, `b` times the number of attributes is compared with the sum of contributions.
//!
//! Who has nothing in common with a seeker costs 1, the most there is: below that, they are rightly left out whatever their sum.
//!
//! # Its error
//! Let `u = 2^-24`, and `d` be the number of attributes.
//! - The coordinate of a number is within ±1 and rounded once to `f32` (its roundings to `f64` are far smaller), by at most `u / 2`; the difference
//!   of two, as far as it is at most 1, by as much: a contribution errs by at most `1.5 u`. Rounding keeps the order of names and leaves equal
//!   names equal, so it never makes what they contribute more. It keeps the order of the ends of boxes, too.
//! - `b` is rounded up and at most 2, so a term is within ±2, and `contribution − b` is rounded by at most `u`.
//! - A sum of `d` terms is within ±`2 d`, so it is rounded by at most `2 d u` an addition.
//!
//! Together at most `(2 d² + 2.5 d) u`. A sum of some attributes is compared with what the others can take away at most, `b` each, which is rounded by
//! at most `4 d u`. The filter allows `2 (d + 2)² u`, which has room for the roundings of the exact cost, which are of `f64`.

use pulp::Simd;

use super::Units;
use crate::{
    distance::{
        kd_tree::{BoxTree, Leaves},
        single::{U, rounded},
        wide_tree::{AT_ONCE, FAN, LEAF, WideTree},
    },
    table::matrix::Matrix,
};

/// The sought records, ready to be searched.
#[derive(Debug)]
pub(super) struct Filter {
    /// Attributes of names come first, and then those of numbers by which the records of a leaf differ most: the sooner a sum is too much.
    tree: WideTree,
    /// Attributes of names.
    n_names: usize,
    /// Whether a record of either file misses a value.
    has_gaps: bool,
}

/// What a seeker has found so far.
pub(super) struct Seeker {
    pub place: usize,
    /// Coordinates, NaN where there is none.
    values: Vec<f32>,
    /// How many there are.
    pub n_present: f64,
    /// The least cost, and who is known to have it.
    pub least: f64,
    pub list: Vec<(u32, f64)>,
    /// The least cost, rounded up, where there are gaps.
    pub mean: f32,
    /// What is above it is beyond.
    pub most: f32,
}

/// What is taken off the contributions of records or boxes, where there are gaps.
pub(super) trait Means: Copy {
    fn of<S: Simd>(self, simd: S, vector: usize) -> S::f32s;
}

/// The same of all.
#[derive(Clone, Copy)]
pub(super) struct Same(pub f32);

impl Means for Same {
    #[inline(always)]
    fn of<S: Simd>(self, simd: S, _vector: usize) -> S::f32s {
        simd.splat_f32s(self.0)
    }
}

/// One of each.
#[derive(Clone, Copy)]
pub(super) struct Each<'a>(pub &'a [f32]);

impl Means for Each<'_> {
    #[inline(always)]
    fn of<S: Simd>(self, _simd: S, vector: usize) -> S::f32s {
        S::as_simd_f32s(self.0).0[vector]
    }
}

impl Filter {
    /// `sought`: halves; `has_gaps`: whether somebody, seekers included, misses something. Of records with `prices` the tree is halved by these,
    /// too.
    pub(super) fn new(
        sought: &Matrix,
        units: &[Units],
        has_gaps: bool,
        prices: Option<&[f64]>,
    ) -> Self {
        // Of the widest attribute halves are made: names are as wide as numbers. The tree takes squares.
        let weight = |units: &Units| units.half_range.powi(-2);
        let weights: Vec<f64> = units.iter().map(weight).collect();
        let leaves = Leaves::Full(LEAF);
        let of_boxes = match prices {
            None => BoxTree::build(sought, &weights, leaves),
            Some(prices) => {
                // A price is set off against the mean over all attributes. Of 1/2, 1, 2 and 4 times, twice makes the fastest searches.
                let length = |price: f64| 2.0 * price * units.len() as f64;
                BoxTree::build_priced(sought, (prices, &length), &weights, leaves)
            }
        };
        let mut attributes = of_boxes.widest_first();
        attributes.sort_by_key(|&k| !units[k].names);
        let coordinate = |k: usize, half| rounded(units[k].coordinate(half));
        Self {
            n_names: units.iter().filter(|units| units.names).count(),
            has_gaps,
            // Who misses an attribute adds nothing.
            tree: WideTree::new(
                of_boxes,
                sought,
                (attributes, sought.n_attributes()),
                coordinate,
                |_| 0.0,
            ),
        }
    }

    /// The sought records in the order of the tree.
    pub(super) fn records(&self) -> &[u32] {
        self.tree.points()
    }

    /// Where each sought record stands there.
    pub(super) fn places(&self) -> Vec<u32> {
        self.tree.places()
    }

    /// The tree of the records.
    #[inline(always)]
    pub(super) fn tree(&self) -> &WideTree {
        &self.tree
    }

    /// Whether a record of either file misses a value.
    #[inline(always)]
    pub(super) fn has_gaps(&self) -> bool {
        self.has_gaps
    }

    /// A seeker with these coordinates, NaN where there is none, who has found nothing.
    pub(super) fn seeker(&self, coordinates: &[f64], place: usize) -> Seeker {
        let attributes = self.tree.attributes().iter();
        let values: Vec<f32> = attributes.map(|&k| rounded(coordinates[k])).collect();
        let n_present = values.iter().filter(|value| !value.is_nan()).count();
        let mut seeker = Seeker {
            place,
            values,
            n_present: n_present as f64,
            least: f64::INFINITY,
            list: Vec::new(),
            mean: 0.0,
            most: 0.0,
        };
        self.follow(&mut seeker);
        seeker
    }

    /// What a sum may be off.
    pub(super) fn slack(&self) -> f64 {
        let d = self.tree.attributes().len() as f64;
        2.0 * (d + 2.0).powi(2) * U
    }

    /// Sets what is beyond the least cost.
    #[inline(always)]
    pub(super) fn follow(&self, seeker: &mut Seeker) {
        let slack = self.slack();
        let least = seeker.least.min(2.0);
        seeker.mean = rounded(least).next_up();
        let sum = if self.has_gaps {
            0.0
        } else {
            least * seeker.n_present
        };
        seeker.most = rounded(sum + slack).next_up();
    }

    /// About the least sums in the boxes of a fan, less a mean of each where there are gaps.
    #[inline(always)]
    pub(super) fn least<S: Simd>(
        &self,
        simd: S,
        fan: usize,
        seeker: &Seeker,
        means: impl Means,
    ) -> [f32; FAN] {
        let one = simd.splat_f32s(1.0);
        let mut least = [0.0; FAN];
        // No closures: they would be compiled for any processor.
        for (vector, least) in S::as_mut_simd_f32s(&mut least).0.iter_mut().enumerate() {
            let edges = self.tree.edges(fan).iter();
            for (k, (edges, &value)) in edges.zip(&seeker.values).enumerate() {
                if value.is_nan() {
                    // What the seeker misses does not count.
                    continue;
                }
                let mut term = edges.away(simd, vector, value);
                if k < self.n_names {
                    term = simd.min_f32s(term, one);
                }
                if self.has_gaps {
                    let cap = S::as_simd_f32s(&edges.cap).0[vector];
                    term = simd.min_f32s(simd.sub_f32s(term, means.of(simd, vector)), cap);
                }
                *least = simd.add_f32s(*least, term);
            }
        }
        least
    }

    /// About the sums of the records of a leaf, for some seekers, and whether any of them is within `most`; infinite where a few attributes showed that
    /// nobody in the same vectors is.
    #[inline(always)]
    pub(super) fn sums<S: Simd, M: Means, const SEEKERS: usize>(
        &self,
        simd: S,
        leaf: usize,
        seekers: [&Seeker; SEEKERS],
        (means, most): ([M; SEEKERS], [f32; SEEKERS]),
    ) -> [([f32; LEAF], bool); SEEKERS] {
        let strips = self.tree.strips(leaf);
        let (zero, one) = (simd.splat_f32s(0.0), simd.splat_f32s(1.0));
        let mut found = [([f32::INFINITY; LEAF], false); SEEKERS];
        // Two vectors at a time share what is fetched of the seekers.
        for first in (0..LEAF / S::F32_LANES).step_by(2) {
            let mut sums = [[zero; 2]; SEEKERS];
            let mut is_near = [false; SEEKERS];
            let mut k = 0;
            // No closures from here on: they would be compiled for any processor.
            for some in strips.chunks(AT_ONCE) {
                for strip in some {
                    let strip = &S::as_simd_f32s(&strip.0).0[first..first + 2];
                    for seeker in 0..SEEKERS {
                        let value = simd.splat_f32s(seekers[seeker].values[k]);
                        for vector in 0..2 {
                            let difference = simd.sub_f32s(value, strip[vector]);
                            let mut term = simd.abs_f32s(difference);
                            if k < self.n_names {
                                term = simd.min_f32s(term, one);
                            }
                            if self.has_gaps {
                                // Only NaN differs from itself.
                                let present = simd.equal_f32s(difference, difference);
                                let mean = means[seeker].of(simd, first + vector);
                                term = simd.select_f32s(present, simd.sub_f32s(term, mean), zero);
                            }
                            sums[seeker][vector] = simd.add_f32s(sums[seeker][vector], term);
                        }
                    }
                    k += 1;
                }
                let rest = simd.splat_f32s((strips.len() - k) as f32);
                is_near = [false; SEEKERS];
                for (seeker, sums) in sums.iter().enumerate() {
                    for (vector, &sum) in sums.iter().enumerate() {
                        let mut most = simd.splat_f32s(most[seeker]);
                        if self.has_gaps {
                            // Attributes to come take away a mean each, at most.
                            let mean = means[seeker].of(simd, first + vector);
                            most = simd.add_f32s(most, simd.mul_f32s(rest, mean));
                        }
                        let near = simd.less_than_or_equal_f32s(sum, most);
                        is_near[seeker] |= simd.first_true_m32s(near) < S::F32_LANES;
                    }
                }
                if is_near == [false; SEEKERS] {
                    break;
                }
            }
            for ((found, sums), is_near) in found.iter_mut().zip(&sums).zip(is_near) {
                if is_near {
                    found.1 = true;
                    S::as_mut_simd_f32s(&mut found.0).0[first..first + 2].copy_from_slice(sums);
                }
            }
        }
        found
    }
}
