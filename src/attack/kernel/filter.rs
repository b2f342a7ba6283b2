//! Records in single precision: who surely costs more by [a polynomial](super::polynomial) than is wanted, and who surely costs less, in front of exact costs.
//!
//! # The bounds
//! Of the records in a box, whose squared norms are within an interval too, and whose squared distances from x are at least `m`:
//! - Where q ≥ 0, d² rises with the distance. At a given one it falls with |y|² up to `|x|² − m`, and rises from there on: none costs less than a
//!   record at `m` would whose norm is the one nearest to that. If q were negative there, all that have q ≥ 0 have `|y|² ≥ m − |x|² − 2`, and
//!   cost at least `(1 + |x|²)^d + (1 + |y|²)^d`.
//! - Where q < 0, `−q` is at most `h − 2`, and at most Q, which the least product of x with a record in the box says; Q < 0 says that there are none.
//!   `(1 + |x|²)^d + (1 + |y|²)^d − 2 (−q)^d` falls with |y|² at `−q = h − 2` up to `|x|² − 4`, and rises from there on; at `−q = Q`, that is from
//!   `|y|² = 2 Q + 2 − |x|²` on, it rises. None costs less than it is at the norm nearest to the less of these two.
//!
//! These bounds, of which the least counts, are worked out in single precision, in units of which `1 + |x|²` is one (d² is homogeneous in m, h, e and q), with
//! the first term of the sum over j only. A record is a box of its own.
//!
//! Where q < 0, d² is at least `4 h^{d−1}` if d is even and `2 h^d` if it is odd, and `h ≥ 1 + |x|² / 2`. Where less than this is wanted, as it is as soon as somebody
//! near was found, the second bound is not needed. Then a record costs at least `m h^{d−1}`, `m` being the sum of the squares of any attributes: often
//! a few attributes say enough.
//!
//! # Its error
//! Let `u = 2^-24`, X the norm of the seeker and R that of any record. Rounded coordinates are no farther from each other than the exact ones and
//! `a = 1.05 u (X + R)`, so their squared distance is at most `(1 + 2^-10) m + (1 + 2^10) a²` (those that are looked up are nearer to the exact ones); the
//! sum of n squares is off by less than its 2^-11th for the n that there can be: [`LESS`] of it, less 1100 a², is no more than m. Norms are rounded outward. In the units, `e` errs by at most 4u
//! where |y|² ≤ 2, so its square by its 2^-10th and 6e-11, of which only the former counts where |e| > 2.5e-4, and else h^d is below 3. All else is
//! rounded a few times for each of at most 4096 powers, and no term is negative. [`Seeker::most_of`] allows a 256th and 2e-10 d².
//!
//! Across the mean `h − Q` can be as small as 2, and be lost in numbers of the size of h. So Q has [`DOUBT`] of both squared norms added: then either
//! `h − Q` is taken to be 2, or norms differ by so much that e² outweighs what is lost. It is no bound of roundings alone, and must not be made smaller.
//!
//! Where norms are too large nobody is left out. Where they are not, only a cost beyond the range of numbers has a bound that is none.
//!
//! # Who surely costs less
//! A record costs at most `(1 + |x|²)^d + (1 + |y|²)^d − 2 q^d` with the least q that its distance leaves, 0 for a negative one if d is even;
//! if d is odd, nothing is said of it then. [`MORE`] of the rounded squared distance, and 1100 a² more, is no less than the exact one. In the units, q
//! errs by at most 32u h, and h^d is at most the sum of the first two terms, so all roundings are below 200 d u times that sum.

#[cfg(test)]
mod tests;

use pulp::{Arch, Simd, WithSimd};

use super::{
    SAFE_NORM,
    patterns::{Patterns, Sums},
    polynomial::squares_of,
    to_power,
};
use crate::{
    distance::{
        kd_tree::BoxTree,
        single::{U, rounded},
        wide_tree::{AT_ONCE, Bounds, FAN, LEAF, Strip, Waiting, WideTree},
    },
    table::matrix::Matrix,
};

/// What is left of a sum of squares when all that roundings may have added is taken off.
const LESS: f32 = 1.0 - 1.0 / 512.0;

/// What a sum of squares becomes when all that roundings may have taken is added.
const MORE: f32 = 1.0 + 1.0 / 512.0;

/// By what factor a bound can exceed a cost, apart from an amount that is allowed for small ones.
const ERROR: f64 = 1.0 + 1.0 / 256.0;

/// How much a product with a record, or with the corner of a box, may be off in single precision, as a share of the sum of the squared norms (of a corner the
/// greatest norm in the box: farther corners have a Q that says nothing), and more: see above.
const DOUBT: f32 = 1e-3;

/// The sought records, ready to be searched.
#[derive(Debug)]
pub(super) struct Filter {
    degree: u32,
    /// Columns with few patterns of values are the last ones, and have no strips.
    tree: WideTree,
    patterns: Vec<Patterns>,
    /// For each leaf, and each of these, the patterns of its records.
    codes: Vec<[u8; LEAF]>,
    /// The squared norms of the records of each leaf.
    strips: Vec<Strip>,
    /// The squared norms, in the order of the tree.
    squares: Vec<f64>,
    /// The least and the greatest of them below each box of each fan, rounded outward.
    of_fans: Vec<[[f32; FAN]; 2]>,
    /// The greatest norm.
    radius: f64,
}

/// A seeker in single precision, in units of which one more than its squared norm is one.
#[derive(Debug)]
pub(super) struct Seeker<'a> {
    filter: &'a Filter,
    /// In the order of the tree.
    values: Vec<f32>,
    /// What patterns add.
    sums: Vec<Sums>,
    /// 1, which is the inverse of what numbers are divided by.
    one: f32,
    square: f32,
    /// What is taken off squared distances.
    off: f32,
    /// The inverse of the unit of costs.
    scale: f64,
    is_safe: bool,
    /// What a record across the mean costs at least: one whose kernel with this seeker is that of a product below −1.
    least_across: f64,
    /// `h^{d−1}`, in the units, of a record at the mean: no other has less.
    least_power: f64,
    /// What is above it costs more than what is wanted.
    most: f32,
    /// What is below it costs less than that.
    fewest: f32,
    /// Whether records across the mean may cost no more than that.
    looks_across: bool,
    /// A record at a greater squared distance costs more than what is wanted, unless it is across the mean.
    farthest: f32,
}

impl Filter {
    /// Of standardised records in a tree.
    pub(super) fn new(degree: u32, boxes: BoxTree, records: &Matrix) -> Self {
        let mut patterns = Patterns::of(records);
        let has_code = |column: usize| {
            let mut columns = patterns.iter().map(|of| &of.columns);
            columns.any(|columns| columns.contains(&column))
        };
        let widest = boxes.widest_first().into_iter();
        let (coded, mut all): (Vec<usize>, Vec<usize>) =
            widest.partition(|&column| has_code(column));
        let plain = all.len();
        all.extend(coded);
        let coordinate = |_, value| rounded(value);
        let tree = WideTree::new(boxes, records, (all, plain), coordinate, |_| f32::INFINITY);
        let codes_of = |leaf: &[u32], codes: &[u8]| {
            let mut of_leaf = [0; LEAF];
            for (own, &record) in of_leaf.iter_mut().zip(leaf) {
                *own = codes[record as usize];
            }
            of_leaf
        };
        let leaves = tree.points().chunks(LEAF);
        let codes = leaves.flat_map(|leaf| {
            let patterns = patterns.iter();
            patterns.map(move |of| codes_of(leaf, &of.codes))
        });
        let codes = codes.collect();
        patterns.iter_mut().for_each(|of| of.codes = Vec::new());
        let of_records = squares_of(records);
        let squares = tree.points().iter();
        let squares: Vec<f64> = squares.map(|&record| of_records[record as usize]).collect();
        let turned: Vec<f64> = squares.iter().map(|square| -square).collect();
        let ends = tree
            .greatest(&turned)
            .into_iter()
            .zip(tree.greatest(&squares));
        let outward = |(low, high): ([f32; FAN], [f32; FAN])| {
            [
                low.map(|low| (-low).next_down().max(0.0)),
                high.map(f32::next_up),
            ]
        };
        let strip = |leaf: &[f64]| {
            let mut strip = Strip([f32::INFINITY; LEAF]);
            for (cell, &square) in strip.0.iter_mut().zip(leaf) {
                *cell = rounded(square);
            }
            strip
        };
        Self {
            degree,
            codes,
            patterns,
            strips: squares.chunks(LEAF).map(strip).collect(),
            of_fans: ends.map(outward).collect(),
            radius: squares.iter().copied().fold(0.0, f64::max).sqrt(),
            squares,
            tree,
        }
    }

    pub(super) fn tree(&self) -> &WideTree {
        &self.tree
    }

    /// The squared norms of the records, in the order of the tree.
    pub(super) fn squares(&self) -> &[f64] {
        &self.squares
    }

    /// Somebody with these values and this squared norm, who wants everybody.
    pub(super) fn seeker(&self, values: &[f64], square: f64) -> Seeker<'_> {
        let (unit, norm) = (1.0 + square, square.sqrt());
        let a = 1.05 * U * (norm + self.radius);
        let attributes = self.tree.attributes().iter();
        let h = 1.0 + 0.5 * square;
        let mut seeker = Seeker {
            filter: self,
            values: attributes.map(|&k| rounded(values[k])).collect(),
            sums: (self.patterns.iter()).map(|of| of.sums(values)).collect(),
            one: rounded(1.0 / unit),
            square: rounded(square / unit),
            off: rounded(1100.0 * a * a / unit),
            scale: to_power(unit, self.degree).recip(),
            is_safe: norm + self.radius <= SAFE_NORM,
            least_across: match self.degree % 2 {
                0 => 4.0 * to_power(h, self.degree - 1),
                _ => 2.0 * to_power(h, self.degree),
            },
            least_power: to_power(h / unit, self.degree - 1),
            most: 0.0,
            fewest: 0.0,
            looks_across: true,
            farthest: f32::INFINITY,
        };
        seeker.follow(f64::INFINITY);
        seeker
    }
}

impl Seeker<'_> {
    /// In which leaf this one begins.
    pub(super) fn home(&self) -> u32 {
        Arch::new().dispatch(Home(self))
    }

    /// Shows `found` the places in the tree of those who may cost no more than `limit`, and then of those who may cost no more than what it returns,
    /// if that is less; if they are `COUNTED` with whether one surely costs less than that.
    pub(super) fn walk<const COUNTED: bool>(
        self,
        limit: f64,
        found: impl FnMut(usize, bool) -> f64,
    ) {
        Arch::new().dispatch(Walk::<_, COUNTED> {
            seeker: self,
            limit,
            found,
        });
    }

    /// What a cost is multiplied by for the greatest bound of a record that costs so much, apart from the amount that is allowed for small ones.
    pub(super) fn unit(&self) -> f32 {
        rounded(self.scale * ERROR)
    }

    /// The greatest bound of a record that costs no more than this.
    pub(super) fn most_of(&self, cost: f64) -> f32 {
        if self.is_safe {
            rounded(self.bound_of(cost)).next_up()
        } else {
            f32::NAN
        }
    }

    fn bound_of(&self, cost: f64) -> f64 {
        let degree = f64::from(self.filter.degree);
        cost * self.scale * ERROR + 2e-10 * degree * degree
    }

    /// From now on nothing is wanted that costs more.
    pub(super) fn follow(&mut self, cost: f64) {
        let degree = f64::from(self.filter.degree);
        let most = self.bound_of(cost);
        let fewest = cost * self.scale * (2.0 - ERROR) - 2e-10 * degree * degree;
        self.most = self.most_of(cost);
        self.fewest = if self.is_safe {
            rounded(fewest).next_down()
        } else {
            f32::NAN
        };
        self.looks_across = !(self.is_safe && cost < 0.99 * self.least_across);
        let apart = most / self.least_power + f64::from(self.off);
        self.farthest = rounded(apart / f64::from(LESS * self.one)).next_up();
    }

    /// What records cost at least whose rounded squared distances and products are at least these and whose squared norms are within these; `ACROSS`: those across
    /// the mean, too.
    #[inline(always)]
    fn least<S: Simd, const ACROSS: bool>(
        &self,
        simd: S,
        [apart, product]: [S::f32s; 2],
        [low, high]: [S::f32s; 2],
    ) -> S::f32s {
        let degree = self.filter.degree;
        let (zero, half, two) = (
            simd.splat_f32s(0.0),
            simd.splat_f32s(0.5),
            simd.splat_f32s(2.0),
        );
        let (one, own) = (simd.splat_f32s(self.one), simd.splat_f32s(self.square));
        let (low, high) = (simd.mul_f32s(low, one), simd.mul_f32s(high, one));
        let apart = simd.mul_f32s(apart, simd.splat_f32s(LESS * self.one));
        let apart = simd.max_f32s(simd.sub_f32s(apart, simd.splat_f32s(self.off)), zero);
        let square = simd.min_f32s(simd.max_f32s(simd.sub_f32s(own, apart), low), high);
        let h = simd.mul_add_f32s(half, simd.add_f32s(own, square), one);
        let q = simd.sub_f32s(h, simd.mul_f32s(half, apart));
        let e = simd.mul_f32s(half, simd.sub_f32s(own, square));
        // Where q is negative at the cheapest norm: of the norms that leave it positive.
        let beyond = simd.sub_f32s(apart, simd.mul_add_f32s(two, one, own));
        let beyond = simd.add_f32s(one, simd.max_f32s(low, beyond));
        let is_positive = simd.less_than_or_equal_f32s(zero, q);
        let q = simd.max_f32s(q, zero);
        let unit = simd.splat_f32s(1.0);
        let (mut powers, mut before, mut power) = (unit, zero, unit);
        let mut far = beyond;
        for _ in 1..degree {
            before = power;
            power = simd.mul_f32s(power, h);
            powers = simd.mul_add_f32s(powers, q, power);
            far = simd.mul_f32s(far, beyond);
        }
        let pairs = simd.splat_f32s((degree * (degree - 1)) as f32);
        let spread = simd.mul_f32s(simd.mul_f32s(pairs, before), simd.mul_f32s(e, e));
        let near = simd.mul_add_f32s(apart, powers, spread);
        let near = simd.select_f32s(is_positive, near, simd.add_f32s(unit, far));
        if !ACROSS {
            return near;
        }
        // Across: of the cheapest norm there, and whether q can be negative at all.
        let doubt = simd.mul_f32s(simd.splat_f32s(DOUBT), simd.add_f32s(own, high));
        let least_q = simd.sub_f32s(simd.mul_add_f32s(product, one, one), doubt);
        let most_q = simd.max_f32s(simd.neg_f32s(least_q), zero);
        let cheapest = simd.sub_f32s(own, simd.splat_f32s(4.0 * self.one));
        let from = simd.sub_f32s(simd.mul_f32s(two, simd.add_f32s(most_q, one)), own);
        let square = simd.min_f32s(simd.max_f32s(simd.min_f32s(cheapest, from), low), high);
        let h = simd.mul_add_f32s(half, simd.add_f32s(own, square), one);
        let e = simd.mul_f32s(half, simd.sub_f32s(own, square));
        let q = simd.min_f32s(most_q, simd.sub_f32s(h, simd.mul_f32s(two, one)));
        let q = simd.max_f32s(q, zero);
        let (mut powers, mut before, mut power) = (unit, zero, unit);
        for _ in 1..degree {
            before = power;
            power = simd.mul_f32s(power, h);
            powers = simd.mul_add_f32s(powers, q, power);
        }
        let spread = simd.mul_f32s(simd.mul_f32s(pairs, before), simd.mul_f32s(e, e));
        // A difference would be lost in numbers of the size of h.
        let gap = simd.min_f32s(h, simd.mul_f32s(two, one));
        let gap = simd.mul_f32s(two, simd.max_f32s(gap, simd.sub_f32s(h, most_q)));
        let across = simd.mul_add_f32s(gap, powers, spread);
        let is_near = simd.less_than_or_equal_f32s(zero, least_q);
        simd.select_f32s(is_near, near, simd.min_f32s(near, across))
    }

    /// What records cost at most whose rounded squared distances and whose squared norms are at most these.
    #[inline(always)]
    fn greatest<S: Simd>(&self, simd: S, apart: S::f32s, high: S::f32s) -> S::f32s {
        let degree = self.filter.degree;
        let unit = simd.splat_f32s(1.0);
        let one = simd.splat_f32s(self.one);
        let apart = simd.mul_f32s(apart, simd.splat_f32s(MORE * self.one));
        let apart = simd.add_f32s(apart, simd.splat_f32s(self.off));
        let own = simd.mul_add_f32s(high, one, one);
        let twice_h = simd.add_f32s(unit, own);
        let q = simd.mul_f32s(simd.splat_f32s(0.5), simd.sub_f32s(twice_h, apart));
        let across = simd.less_than_f32s(q, simd.splat_f32s(0.0));
        let q = simd.max_f32s(q, simd.splat_f32s(0.0));
        let (mut power, mut product) = (own, q);
        for _ in 1..degree {
            power = simd.mul_f32s(power, own);
            product = simd.mul_f32s(product, q);
        }
        let slack = simd.splat_f32s(1.0 + 100.0 * f32::EPSILON * degree as f32);
        let both = simd.mul_f32s(slack, simd.add_f32s(unit, power));
        let greatest = simd.sub_f32s(both, simd.add_f32s(product, product));
        match degree % 2 {
            0 => greatest,
            _ => simd.select_f32s(across, simd.splat_f32s(f32::INFINITY), greatest),
        }
    }

    /// What patterns add to the squared distances, and to the products, of these records of a leaf: from the first place on.
    #[inline(always)]
    fn looked_up<const ACROSS: bool>(
        &self,
        codes: &[[u8; LEAF]],
        lanes: std::ops::Range<usize>,
    ) -> ([f32; LEAF], [f32; LEAF]) {
        let (mut aparts, mut products) = ([0.0; LEAF], [0.0; LEAF]);
        for (codes, sums) in codes.iter().zip(&self.sums) {
            let both = aparts.iter_mut().zip(&mut products);
            for (&code, (apart, product)) in codes[lanes.clone()].iter().zip(both) {
                *apart += sums.apart[code as usize];
                if ACROSS {
                    *product += sums.product[code as usize];
                }
            }
        }
        (aparts, products)
    }

    /// What the records of a leaf cost at least, and if they are `COUNTED` at most.
    #[inline(always)]
    fn leaf<S: Simd, const ACROSS: bool, const COUNTED: bool>(
        &self,
        simd: S,
        leaf: usize,
    ) -> OfLeaf {
        let mut found = OfLeaf {
            least: [f32::INFINITY; LEAF],
            greatest: [f32::INFINITY; LEAF],
            is_anybody_near: false,
        };
        let strips = self.filter.tree.strips(leaf);
        let codes = &self.filter.codes[leaf * self.sums.len()..][..self.sums.len()];
        let squares = S::as_simd_f32s(&self.filter.strips[leaf].0).0;
        let zero = simd.splat_f32s(0.0);
        let (farthest, most) = (simd.splat_f32s(self.farthest), simd.splat_f32s(self.most));
        let everybody = simd.equal_f32s(zero, zero);
        let (below, above) = (
            simd.splat_f32s(1.0 - 4.0 * f32::EPSILON),
            simd.splat_f32s(1.0 + 4.0 * f32::EPSILON),
        );
        // Two vectors at a time share what is fetched of the seeker. No closures: they would be compiled for any processor.
        for first in (0..LEAF / S::F32_LANES).step_by(2) {
            let (mut apart, mut product) = ([zero; 2], [zero; 2]);
            let mut is_near = true;
            let values = self.values.chunks(AT_ONCE);
            for (strips, values) in strips.chunks(AT_ONCE).zip(values) {
                for (strip, &value) in strips.iter().zip(values) {
                    let strip = &S::as_simd_f32s(&strip.0).0[first..first + 2];
                    let value = simd.splat_f32s(value);
                    for vector in 0..2 {
                        let difference = simd.sub_f32s(strip[vector], value);
                        apart[vector] = simd.mul_add_f32s(difference, difference, apart[vector]);
                        if ACROSS {
                            product[vector] =
                                simd.mul_add_f32s(strip[vector], value, product[vector]);
                        }
                    }
                }
                if !ACROSS {
                    is_near = is_anybody_within(simd, apart, farthest);
                    if !is_near {
                        break;
                    }
                }
            }
            if is_near && !codes.is_empty() {
                let lanes = first * S::F32_LANES..(first + 2) * S::F32_LANES;
                let (aparts, products) = self.looked_up::<ACROSS>(codes, lanes);
                let (aparts, products) = (S::as_simd_f32s(&aparts).0, S::as_simd_f32s(&products).0);
                for vector in 0..2 {
                    apart[vector] = simd.add_f32s(apart[vector], aparts[vector]);
                    product[vector] = simd.add_f32s(product[vector], products[vector]);
                }
                is_near = ACROSS || is_anybody_within(simd, apart, farthest);
            }
            if !is_near {
                continue;
            }
            let least = &mut S::as_mut_simd_f32s(&mut found.least).0[first..first + 2];
            let greatest = &mut S::as_mut_simd_f32s(&mut found.greatest).0[first..first + 2];
            for vector in 0..2 {
                let square = squares[first + vector];
                let ends = [simd.mul_f32s(square, below), simd.mul_f32s(square, above)];
                least[vector] =
                    self.least::<S, ACROSS>(simd, [apart[vector], product[vector]], ends);
                if COUNTED {
                    greatest[vector] = self.greatest(simd, apart[vector], ends[1]);
                }
                // What is no number is not beyond.
                let beyond = simd.greater_than_f32s(least[vector], most);
                let near = simd.xor_m32s(beyond, everybody);
                found.is_anybody_near |= simd.first_true_m32s(near) < S::F32_LANES;
            }
        }
        found
    }

    /// What the records below each box of a fan cost at least.
    #[inline(always)]
    fn fan<S: Simd, const ACROSS: bool>(&self, simd: S, fan: usize) -> [f32; FAN] {
        let mut all = [0.0; FAN];
        let [low, high] = &self.filter.of_fans[fan];
        let (low, high) = (S::as_simd_f32s(low).0, S::as_simd_f32s(high).0);
        // No closures here, either.
        for (vector, least) in S::as_mut_simd_f32s(&mut all).0.iter_mut().enumerate() {
            let (mut apart, mut product) = (simd.splat_f32s(0.0), simd.splat_f32s(0.0));
            for (edges, &value) in self.filter.tree.edges(fan).iter().zip(&self.values) {
                let away = edges.away(simd, vector, value);
                apart = simd.mul_add_f32s(away, away, apart);
                if ACROSS {
                    let least = edges.least_product(simd, vector, value);
                    product = simd.add_f32s(product, least);
                }
            }
            *least = self.least::<S, ACROSS>(simd, [apart, product], [low[vector], high[vector]]);
        }
        all
    }
}

/// Whether any of these squared distances is no more than that.
#[inline(always)]
fn is_anybody_within<S: Simd>(simd: S, apart: [S::f32s; 2], farthest: S::f32s) -> bool {
    let mut is_near = false;
    for apart in apart {
        let near = simd.less_than_or_equal_f32s(apart, farthest);
        is_near |= simd.first_true_m32s(near) < S::F32_LANES;
    }
    is_near
}

/// Bounds of the records below boxes.
#[derive(Clone, Copy)]
pub(super) struct OfFan<'a, 'b, S> {
    pub simd: S,
    pub seeker: &'a Seeker<'b>,
}

impl<S: Simd> Bounds for OfFan<'_, '_, S> {
    #[inline(always)]
    fn least(&mut self, fan: usize) -> [f32; FAN] {
        let Self { simd, seeker } = *self;
        if seeker.looks_across {
            seeker.fan::<S, true>(simd, fan)
        } else {
            seeker.fan::<S, false>(simd, fan)
        }
    }
}

/// What is known of the records of a leaf.
pub(super) struct OfLeaf {
    /// What each costs at least; infinite where a few attributes showed that nobody in the same vectors is wanted.
    pub least: [f32; LEAF],
    /// What each costs at most; infinite if that was not asked for.
    greatest: [f32; LEAF],
    /// Whether anybody may be wanted.
    pub is_anybody_near: bool,
}

impl OfLeaf {
    #[inline(always)]
    pub(super) fn new<S: Simd, const COUNTED: bool>(
        simd: S,
        seeker: &Seeker<'_>,
        leaf: usize,
    ) -> Self {
        if seeker.looks_across {
            seeker.leaf::<S, true, COUNTED>(simd, leaf)
        } else {
            seeker.leaf::<S, false, COUNTED>(simd, leaf)
        }
    }
}

struct Walk<'a, F, const COUNTED: bool> {
    seeker: Seeker<'a>,
    limit: f64,
    found: F,
}

impl<F: FnMut(usize, bool) -> f64, const COUNTED: bool> WithSimd for Walk<'_, F, COUNTED> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self {
            mut seeker,
            mut limit,
            mut found,
        } = self;
        let tree = &seeker.filter.tree;
        seeker.follow(limit);
        let mut waiting = Waiting::default();
        waiting.begin(tree);
        loop {
            let of_fan = OfFan {
                simd,
                seeker: &seeker,
            };
            let Some(leaf) = waiting.next(tree, seeker.most, of_fan) else {
                return;
            };
            let of_leaf = OfLeaf::new::<S, COUNTED>(simd, &seeker, leaf);
            if !of_leaf.is_anybody_near {
                continue;
            }
            let costs = of_leaf.least.into_iter().zip(of_leaf.greatest);
            for (place, (least, greatest)) in tree.run(leaf).zip(costs) {
                // What is no number is not left out.
                if least > seeker.most {
                    continue;
                }
                let wanted = found(place, greatest < seeker.fewest);
                if wanted < limit {
                    limit = wanted;
                    seeker.follow(limit);
                }
            }
        }
    }
}

struct Home<'a>(&'a Seeker<'a>);

impl WithSimd for Home<'_> {
    type Output = u32;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> u32 {
        let Self(seeker) = self;
        seeker.filter.tree.home(OfFan { simd, seeker })
    }
}
