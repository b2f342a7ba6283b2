//! Boxes in single precision: how far they are from a query, and which of them are in its box.

use pulp::Simd;
use rayon::prelude::*;

use super::super::boxes::Constraint;
use super::super::plan::FAN;
use super::super::tiles::LANES;
use super::super::tree::Tree;
use super::{Difference, Place, Rough, Strip, Used, summed};

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

/// Sides of a box that are compared before it is asked whether any point of a tile is left.
const SIDES: usize = 2;

/// The box of a query, rounded: a side for each attribute that it constrains.
pub(in super::super) struct Sieve(Vec<Side>);

struct Side {
    /// The place of the attribute among those that are used.
    place: usize,
    /// The upper end, as often as boxes have lower ends, and the negated lower end for the upper ends: what is above it is apart.
    apart: Strip,
    /// The lower end, and the negated upper end: what is above it is within.
    within: Strip,
}

/// How far outside of boxes, where one vector has both ends: only one of them can be exceeded.
#[derive(Clone, Copy)]
struct FromEnds;

impl<S: Simd> Difference<S> for FromEnds {
    #[inline(always)]
    fn of(self, simd: S, strip: &Strip, value: S::f32s) -> S::f32s {
        let (sign, strip) = (
            S::as_simd_f32s(&SIGNS.0).0[0],
            S::as_simd_f32s(&strip.0).0[0],
        );
        simd.max_f32s(simd.mul_add_f32s(value, sign, strip), simd.splat_f32s(0.0))
    }
}

/// How far outside of a part of the boxes, from both sides.
#[derive(Clone, Copy)]
struct FromSides {
    part: usize,
}

impl<S: Simd> Difference<S> for FromSides {
    #[inline(always)]
    fn of(self, simd: S, strip: &Strip, value: S::f32s) -> S::f32s {
        let strip = S::as_simd_f32s(&strip.0).0;
        let below = simd.sub_f32s(strip[self.part], value);
        let above = simd.add_f32s(strip[FAN / S::F32_LANES + self.part], value);
        simd.max_f32s(simd.max_f32s(below, above), simd.splat_f32s(0.0))
    }
}

/// Points of a tile that may be in a box.
pub(in super::super) struct Held {
    /// Which of them; past the last point, whether that may be.
    pub possible: [bool; LANES],
    /// Whether all of these are surely in.
    pub is_sure: bool,
}

/// The boxes of all nodes, a strip for each attribute, and their gaps.
pub(super) fn rounded(tree: &Tree, used: &[Used]) -> (Vec<Strip>, Vec<u8>) {
    let mut boxes = vec![Strip([f32::INFINITY; LANES]); tree.nodes.len() * used.len()];
    boxes
        .par_chunks_mut(used.len())
        .with_min_len(256)
        .enumerate()
        .for_each(|(node, strips)| {
            let rows = tree.boxes(node);
            let n_children = tree.nodes[node].n_children as usize;
            for (strip, used) in strips.iter_mut().zip(used) {
                let row = &rows[used.attribute].0;
                for child in 0..n_children {
                    let (lo, hi) = (row[child], row[FAN + child]);
                    // Where all is missing, one end is infinitely far: the other adds nothing.
                    let ends = if lo <= hi {
                        [used.round(lo), -used.round(hi)]
                    } else {
                        [f32::INFINITY, f32::NEG_INFINITY]
                    };
                    [strip.0[child], strip.0[FAN + child]] = ends;
                }
            }
        });
    let gaps = (0..tree.nodes.len()).flat_map(|node| {
        let gaps = tree.gaps(node);
        let used = used.iter().filter(|_| !gaps.is_empty());
        used.map(|used| gaps[used.attribute])
    });
    (boxes, gaps.collect())
}

impl Sieve {
    pub(in super::super) fn new() -> Self {
        Self(Vec::new())
    }
}

impl Rough {
    /// About the least distances in the boxes of a node; infinite past its last child.
    #[inline(always)]
    pub(in super::super) fn lower<S: Simd>(
        &self,
        simd: S,
        node: usize,
        place: &Place,
    ) -> [f32; FAN] {
        let d = self.used.len();
        let gaps = self.box_gaps.get(node * d..(node + 1) * d).unwrap_or(&[]);
        if gaps.iter().any(|&gaps| gaps != 0) || place.has_gaps() {
            return self.lower_with_gaps(simd, node, gaps, place);
        }
        let strips = &self.boxes[node * d..(node + 1) * d];
        if S::F32_LANES == LANES {
            let mut sums = [0.0; LANES];
            S::as_mut_simd_f32s(&mut sums).0[0] = summed(simd, strips, place, FromEnds);
            return std::array::from_fn(|child| sums[child] + sums[FAN + child]);
        }
        let mut sums = [0.0; FAN];
        let (parts, _) = S::as_mut_simd_f32s(&mut sums);
        for (part, sum) in parts.iter_mut().enumerate() {
            *sum = summed(simd, strips, place, FromSides { part });
        }
        sums
    }

    /// The same where something is missing: what a query misses adds its constant; what a child misses adds no more than its constant.
    #[inline(always)]
    fn lower_with_gaps<S: Simd>(
        &self,
        simd: S,
        node: usize,
        gaps: &[u8],
        place: &Place,
    ) -> [f32; FAN] {
        let d = self.used.len();
        let strips = &self.boxes[node * d..(node + 1) * d];
        let zero = simd.splat_f32s(0.0);
        let mut sums = [0.0; LANES];
        let (parts, _) = S::as_mut_simd_f32s(&mut sums);
        let mut missing = place.gaps.iter().peekable();
        for (k, strip) in strips.iter().enumerate() {
            if missing.next_if(|&&gap| gap as usize == k).is_some() {
                continue;
            }
            let gaps = gaps.get(k).copied().unwrap_or(0);
            let mut most = [f32::INFINITY; LANES];
            if gaps != 0 {
                let gap = self.used[k].gap();
                for (lane, most) in most.iter_mut().enumerate() {
                    if gaps >> (lane % FAN) & 1 == 1 {
                        *most = gap;
                    }
                }
            }
            let value = simd.splat_f32s(place.values[k]);
            let (ends, signs) = (S::as_simd_f32s(&strip.0).0, S::as_simd_f32s(&SIGNS.0).0);
            let most = S::as_simd_f32s(&most).0;
            for (part, sum) in parts.iter_mut().enumerate() {
                let outside = simd.mul_add_f32s(value, signs[part], ends[part]);
                let outside = simd.min_f32s(simd.max_f32s(outside, zero), most[part]);
                *sum = simd.mul_add_f32s(outside, outside, *sum);
            }
        }
        let missing = place.missing as f32;
        std::array::from_fn(|child| sums[child] + sums[FAN + child] + missing)
    }

    /// Puts the box of a query into `sieve`; false if it constrains an attribute that is not used, or that some point misses.
    #[inline(always)]
    pub(in super::super) fn sieve(&self, constraints: &[Constraint], sieve: &mut Sieve) -> bool {
        sieve.0.clear();
        constraints.iter().all(|constraint| {
            let at = |used: &Used| used.attribute == constraint.attribute;
            let place = self.used.iter().position(at);
            // The first node is above all others.
            let is_complete =
                |&place: &usize| self.box_gaps.get(place).is_none_or(|&gaps| gaps == 0);
            let Some(place) = place.filter(is_complete) else {
                return false;
            };
            let lo = self.used[place].round(constraint.lo);
            let hi = self.used[place].round(constraint.hi);
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
    pub(in super::super) fn relations<S: Simd>(
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

    /// Which points of a tile may be in the box; `None` if none may.
    #[inline(always)]
    pub(in super::super) fn held<S: Simd>(
        &self,
        simd: S,
        tile: usize,
        sieve: &Sieve,
    ) -> Option<Held> {
        let strips = self.strips(tile);
        let zero = simd.splat_f32s(0.0);
        let everybody = simd.equal_f32s(zero, zero);
        let mut held = [0.0; LANES];
        let (parts, _) = S::as_mut_simd_f32s(&mut held);
        let (mut holds, mut is_sure) = (false, true);
        for (part, held) in parts.iter_mut().enumerate() {
            let mut inside = everybody;
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
            if !some {
                continue;
            }
            holds = true;
            *held = simd.select_f32s(inside, simd.splat_f32s(1.0), zero);
            let mut at_edge = simd.not_m32s(everybody);
            for side in &sieve.0 {
                let values = S::as_simd_f32s(&strips[side.place].0).0[part];
                let (lo, hi) = (side.within.0[0], side.apart.0[0]);
                let at_lo = simd.equal_f32s(simd.splat_f32s(lo), values);
                let at_hi = simd.equal_f32s(values, simd.splat_f32s(hi));
                at_edge = simd.or_m32s(at_edge, simd.or_m32s(at_lo, at_hi));
            }
            is_sure &= simd.first_true_m32s(simd.and_m32s(inside, at_edge)) == S::F32_LANES;
        }
        holds.then(|| Held {
            possible: held.map(|held| held > 0.0),
            is_sure,
        })
    }

    /// The position at which a greedy descent towards the query ends.
    #[inline(always)]
    pub(in super::super) fn home<S: Simd>(&self, simd: S, tree: &Tree, place: &Place) -> u32 {
        tree.descend(|node| self.lower(simd, node, place))
    }
}
