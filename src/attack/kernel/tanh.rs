//! `tanh(x·y + b)`.
//!
//! What is short of 1 falls with x·y, so the greatest product with a box, and the greatest 1 − K(b, b) in it, say what its records cost at least. Products are
//! worked out in single precision.
//!
//! # Their error
//! Let `u = 2^-24`, X the norm of the seeker, and R that of the farthest corner of all boxes. Coordinates are rounded to the nearest number, which
//! keeps order, and a product of n of them is rounded n times more: it is off by at most `1.01 (n + 3) u X R`, and so is the greatest product with a box.

use pulp::{Arch, Simd, WithSimd};

use super::{SAFE_NORM, halved, keep_cheapest, product};
use crate::{
    attack::{Closer, Lists},
    distance::{
        kd_tree::length_of_square,
        single::{U, rounded},
        wide_tree::{Bounds, FAN, LEAF, Waiting, WideTree},
    },
    table::matrix::Matrix,
};

/// 1 − tanh(t). Most kernels of a standardised file are so near 1 that only this tells them apart.
fn short_of_one(t: f64) -> f64 {
    2.0 / ((2.0 * t).exp() + 1.0)
}

/// The t of which 1 − tanh(t) is this; −∞ of 2 and more, ∞ of less than 0. At most 354: beyond 354.8 it is 0 in rounded numbers.
fn of_short(short: f64) -> f64 {
    const LAST: f64 = 354.0;
    if short >= 2.0 {
        f64::NEG_INFINITY
    } else if short < 0.0 {
        f64::INFINITY
    } else {
        (0.5 * (2.0 / short - 1.0).ln()).min(LAST)
    }
}

/// What the exponential function, the logarithm, and what is done to their results, may add to a number or take from it, as a share of it: some ulps.
const ROUNDING: f64 = 1e-14;

/// More than what vanishes below the range of single precision adds up to.
const UNDERFLOW: f64 = 1e-20;

/// The least and the greatest of numbers that are not negative.
fn ends(numbers: &[f64]) -> [f64; 2] {
    let numbers = numbers.iter().copied();
    [
        numbers.clone().fold(f64::INFINITY, f64::min),
        numbers.fold(0.0, f64::max),
    ]
}

/// Records by the tanh kernel.
#[derive(Debug)]
pub(super) struct TanhLists {
    seekers: Matrix,
    tree: WideTree,
    /// In the order of the tree.
    sought: Matrix,
    /// Where each record stands there.
    place_of: Vec<u32>,
    /// 1 − K(a, a).
    own_of_seekers: Vec<f64>,
    /// 1 − K(b, b), in the order of the tree.
    own_of_sought: Vec<f64>,
    /// The greatest of these below each box of each fan, rounded up.
    greatest_own: Vec<[f32; FAN]>,
    /// The least and the greatest of these of each leaf.
    own_of_leaves: Vec<[f64; 2]>,
    /// The norm of the farthest corner of all boxes.
    radius: f64,
    offset: f64,
}

impl TanhLists {
    /// Of standardised values. `by`: what the tree is halved by, with weights, if not by these values.
    pub(super) fn new(
        seekers: Matrix,
        (sought, by): (&Matrix, Option<(&Matrix, Vec<f64>)>),
        offset: f64,
    ) -> Self {
        let own = |matrix: &Matrix| -> Vec<f64> {
            let rows = (0..matrix.n_records()).map(|record| matrix.row(record));
            rows.map(|row| short_of_one(product(row, row) + offset))
                .collect()
        };
        let own_of_records = own(sought);
        let boxes = halved(sought, by, (&own_of_records, &length_of_square));
        let corner = match boxes.tree.n_nodes() {
            0 => 0.0,
            _ => (boxes.spans(0).iter())
                .map(|span| span.low.abs().max(span.high.abs()).powi(2))
                .sum(),
        };
        let attributes = (0..sought.n_attributes()).collect();
        let coordinate = |_, value| rounded(value);
        let tree = WideTree::new(
            boxes,
            sought,
            (attributes, sought.n_attributes()),
            coordinate,
            |_| f32::INFINITY,
        );
        let order = tree.points();
        let own_of_sought: Vec<f64> = order
            .iter()
            .map(|&record| own_of_records[record as usize])
            .collect();
        Self {
            greatest_own: (tree.greatest(&own_of_sought).into_iter())
                .map(|of_fan| of_fan.map(f32::next_up))
                .collect(),
            own_of_leaves: own_of_sought.chunks(LEAF).map(ends).collect(),
            own_of_seekers: own(&seekers),
            own_of_sought,
            seekers,
            place_of: tree.places(),
            sought: sought.reordered(order),
            radius: f64::sqrt(corner),
            tree,
            offset,
        }
    }

    /// d² of a seeker and the record at a place of the tree.
    fn cost(&self, seeker: usize, place: usize) -> f64 {
        let product = product(self.seekers.row(seeker), self.sought.row(place));
        let kernel = short_of_one(product + self.offset);
        2.0 * kernel - self.own_of_sought[place] - self.own_of_seekers[seeker]
    }

    fn seeker(&self, seeker: usize) -> Seeker<'_> {
        let row = self.seekers.row(seeker);
        let norm = product(row, row).sqrt();
        let is_safe = norm <= SAFE_NORM && self.radius <= SAFE_NORM;
        let doubt = 1.01 * (row.len() as f64 + 3.0) * U * norm * self.radius + UNDERFLOW;
        Seeker {
            lists: self,
            values: row.iter().copied().map(rounded).collect(),
            own: self.own_of_seekers[seeker],
            doubt: if is_safe { doubt } else { f64::INFINITY },
            limit: f64::INFINITY,
        }
    }
}

/// A seeker in single precision.
#[derive(Debug)]
struct Seeker<'a> {
    lists: &'a TanhLists,
    values: Vec<f32>,
    /// 1 − K(a, a).
    own: f64,
    /// How far products are off at most.
    doubt: f64,
    /// What costs more is not wanted.
    limit: f64,
}

impl Seeker<'_> {
    /// Shows `found` the places in the tree of those who may cost no more than `limit`, and then of those who may cost no more than what it returns,
    /// if that is less; if they are `COUNTED` with whether one surely costs less.
    fn walk<const COUNTED: bool>(mut self, limit: f64, found: impl FnMut(usize, bool) -> f64) {
        self.limit = limit;
        Arch::new().dispatch(Walk::<_, COUNTED> {
            seeker: self,
            found,
        });
    }

    /// What a record costs at least whose product, in single precision, and whose 1 − K(b, b) are these.
    #[inline(always)]
    fn least(&self, product: f32, own: f64) -> f64 {
        let greatest = f64::from(product) + self.doubt;
        let kernel = if greatest.is_nan() {
            0.0
        } else {
            short_of_one(greatest + self.lists.offset) * (1.0 - ROUNDING)
        };
        2.0 * kernel - own - self.own
    }

    /// The product below which records of a leaf cost more than the limit; where they are `COUNTED` that above which they cost less, too.
    fn limits<const COUNTED: bool>(&self, leaf: usize) -> [f32; 2] {
        let [least, greatest] = self.lists.own_of_leaves[leaf];
        let limit = self.limit;
        let slack = ROUNDING * (limit.abs() + self.own + greatest);
        let far = of_short(0.5 * (limit + self.own + greatest) + slack);
        // What is hardly above 0 could be 0 of a rounded number: then nobody surely costs less.
        let near = match 0.5 * (limit + self.own + least) - slack {
            short if COUNTED && short >= 1e-300 => of_short(short),
            _ => f64::INFINITY,
        };
        // Where all cost more or all less, or nobody surely does, no product is asked for.
        let product = |t: f64, outward: f64| {
            if t.is_infinite() {
                return t;
            }
            let doubt = self.doubt + ROUNDING * (t.abs() + self.lists.offset.abs());
            t - self.lists.offset + outward * doubt
        };
        [
            rounded(product(far, -1.0)).next_down(),
            rounded(product(near, 1.0)).next_up(),
        ]
    }

    /// The products with the records of a leaf.
    #[inline(always)]
    fn products<S: Simd>(&self, simd: S, leaf: usize) -> [f32; LEAF] {
        let mut all = [0.0; LEAF];
        let sums = S::as_mut_simd_f32s(&mut all).0;
        for (strip, &value) in self.lists.tree.strips(leaf).iter().zip(&self.values) {
            let strip = S::as_simd_f32s(&strip.0).0;
            let value = simd.splat_f32s(value);
            for (sum, &points) in sums.iter_mut().zip(strip) {
                *sum = simd.mul_add_f32s(points, value, *sum);
            }
        }
        all
    }
}

/// What records below boxes cost at least.
#[derive(Clone, Copy)]
struct OfFan<'a, 'b, S> {
    simd: S,
    seeker: &'a Seeker<'b>,
}

impl<S: Simd> Bounds for OfFan<'_, '_, S> {
    #[inline(always)]
    fn least(&mut self, fan: usize) -> [f32; FAN] {
        let Self { simd, seeker } = *self;
        let lists = seeker.lists;
        let mut products = [0.0; FAN];
        // No closures: they would be compiled for any processor.
        for (vector, sum) in S::as_mut_simd_f32s(&mut products).0.iter_mut().enumerate() {
            for (edges, &value) in lists.tree.edges(fan).iter().zip(&seeker.values) {
                // The greatest with the value is the least with the opposite one, with the sign turned.
                *sum = simd.sub_f32s(*sum, edges.least_product(simd, vector, -value));
            }
        }
        let n_boxes = lists.tree.below(fan).len();
        let mut all = [f32::INFINITY; FAN];
        for (at, least) in all[..n_boxes].iter_mut().enumerate() {
            let cost = seeker.least(products[at], f64::from(lists.greatest_own[fan][at]));
            *least = rounded(cost).next_down();
        }
        all
    }
}

struct Walk<'a, F, const COUNTED: bool> {
    seeker: Seeker<'a>,
    found: F,
}

impl<F: FnMut(usize, bool) -> f64, const COUNTED: bool> WithSimd for Walk<'_, F, COUNTED> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self {
            mut seeker,
            mut found,
        } = self;
        let tree = &seeker.lists.tree;
        let mut waiting = Waiting::default();
        waiting.begin(tree);
        loop {
            let most = rounded(seeker.limit).next_up();
            let of_fan = OfFan {
                simd,
                seeker: &seeker,
            };
            let Some(leaf) = waiting.next(tree, most, of_fan) else {
                return;
            };
            let [mut far, mut near] = seeker.limits::<COUNTED>(leaf);
            for (place, product) in tree.run(leaf).zip(seeker.products(simd, leaf)) {
                // What is no number is not left out.
                let own = seeker.lists.own_of_sought[place];
                if product < far || seeker.least(product, own) > seeker.limit {
                    continue;
                }
                let wanted = found(place, product > near);
                if wanted < seeker.limit {
                    seeker.limit = wanted;
                    [far, near] = seeker.limits::<COUNTED>(leaf);
                }
            }
        }
    }
}

impl Lists for TanhLists {
    fn n_seekers(&self) -> usize {
        self.seekers.n_records()
    }

    fn n_sought(&self) -> usize {
        self.sought.n_records()
    }

    fn list(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        list.clear();
        list.resize(self.n_sought(), (0, 0.0));
        for (place, &record) in self.tree.points().iter().enumerate() {
            list[record as usize] = (record, self.cost(seeker, place));
        }
    }

    fn is_searched(&self) -> bool {
        true
    }

    fn closer(&self) -> Option<&dyn Closer> {
        Some(self)
    }

    fn cheapest(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        list.clear();
        let walk = self.seeker(seeker);
        walk.walk::<false>(f64::INFINITY, |place, _| {
            keep_cheapest(list, self.tree.points()[place], self.cost(seeker, place))
        });
    }

    fn is_likelihood(&self) -> bool {
        false
    }
}

impl Closer for TanhLists {
    fn count(&self, seeker: usize, record: u32) -> u32 {
        let own = self.cost(seeker, self.place_of[record as usize] as usize);
        let mut closer = 0;
        self.seeker(seeker).walk::<true>(own, |place, is_closer| {
            closer += u32::from(is_closer || self.cost(seeker, place) < own);
            own
        });
        closer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The search by tanh finds the cheapest of all records, and the costs are those of the formula: clouds of records at and off the mean, files in which
    /// many tie, and values so large that kernels are 0 or 2.
    #[test]
    fn the_cheapest_by_tanh_are_those_of_all() {
        for (n, scale, step, offset) in [
            (0, 1.0, 1, 0.0),
            (1, 1.0, 1, 0.5),
            (500, 1.0, 1, 0.0),
            (500, 0.05, 1, -1.0),
            (400, 2.0, 250, 0.5),
            (300, 0.3, 500, 0.0),
            (300, 1e4, 1, 0.0),
            (300, 1e-4, 1, 2.0),
            (300, 1e16, 1, 0.0),
            (300, 0.5, 1, 300.0),
            (300, 0.5, 1, -300.0),
        ] {
            let value = |cell: usize| {
                let mixed = (cell + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
                scale * ((mixed % 1000 / step * step) as f64 / 250.0 - 1.5)
            };
            let seekers = Matrix::complete(40, 3, (0..120).map(|k| value(7 * k)).collect());
            let sought = Matrix::complete(n, 3, (0..3 * n).map(value).collect());
            let lists = TanhLists::new(seekers.clone(), (&sought, None), offset);
            // Halved by something else, as files of categories are, the tree has other boxes.
            let coarse = (0..n).map(|record| (2.0 * value(3 * record)).floor());
            let coarse = Matrix::complete(n, 1, coarse.collect());
            let halved = (&sought, Some((&coarse, vec![1.0])));
            let halved = TanhLists::new(seekers.clone(), halved, offset);
            let (mut all, mut cheapest) = (Vec::new(), Vec::new());
            for seeker in 0..40 {
                lists.list(seeker, &mut all);
                for (record, &(at, cost)) in all.iter().enumerate() {
                    assert_eq!(at as usize, record);
                    let (x, y) = (seekers.row(seeker), sought.row(record));
                    let k = |a: &[f64], b: &[f64]| (product(a, b) + offset).tanh();
                    let expected = k(x, x) - 2.0 * k(x, y) + k(y, y);
                    assert!((cost - expected).abs() < 1e-14, "{cost} and {expected}");
                }
                for &(record, own) in all.iter().step_by(7) {
                    let closer = all.iter().filter(|of| of.1 < own).count();
                    for lists in [&lists, &halved] {
                        assert_eq!(lists.count(seeker, record) as usize, closer);
                    }
                }
                let least = all.iter().fold(f64::INFINITY, |least, of| least.min(of.1));
                all.retain(|of| of.1 <= least);
                for lists in [&lists, &halved] {
                    lists.cheapest(seeker, &mut cheapest);
                    cheapest.sort_unstable_by_key(|of| of.0);
                    assert_eq!(cheapest, all, "{n}, {scale}, {offset}: {seeker}");
                }
            }
        }
    }
}
