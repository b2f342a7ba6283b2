//! `(1 + x·y)^d`.
//!
//! Let `h = 1 + (|x|² + |y|²) / 2`, `e = (|x|² − |y|²) / 2`, `q = 1 + x·y` and `P(h, q) = Σ_{i < d} h^{d−1−i} q^i = (h^d − q^d) / (h − q)`. Then
//!
//! ```text
//! d²(x, y) = (h + e)^d + (h − e)^d − 2 q^d = 2 Σ_{j ≥ 1} C(d, 2j) h^{d−2j} e^{2j} + 2 (h^d − q^d)
//! ```
//!
//! and nothing cancels in the last term where it is written
//! - `|x − y|² P(h, q)` if q ≥ 0, since `h − q = |x − y|² / 2`;
//! - `(|x + y|² + 4) P(h, −q)` if q < 0 and d is even, since `h + q = |x + y|² / 2 + 2`;
//! - `2 (h^d + (−q)^d)` if q < 0 and d is odd.
//!
//! # The filter
//! Of the records in a box, whose squared norms are within an interval too, and whose squared distances from x are at least `m`:
//! - Where q ≥ 0, d² rises with the distance. At a given one it falls with |y|² up to `|x|² − m`, and rises from there on: none costs less than a
//!   record at `m` would whose norm is the one nearest to that. If q were negative there, all that have q ≥ 0 have `|y|² ≥ m − |x|² − 2`, and
//!   cost at least `(1 + |x|²)^d + (1 + |y|²)^d`.
//! - Where q < 0, `−q ≤ |x| |y| − 1 ≤ h − 2`. `(h + e)^d + (h − e)^d − 2 (h − 2)^d` falls with |y|² up to `|x|² − 4`, and rises from there on: none costs less than
//!   it is at the norm nearest to that. The least product of x with a record in the box says whether there can be such.
//!
//! These bounds, of which the least counts, are worked out in single precision, in units of which `1 + |x|²` is one (d² is homogeneous in m, h, e and q), with
//! the first term of the sum over j only. A record is a box of its own.
//!
//! # Its error
//! Let `u = 2^-24`, X the norm of the seeker and R that of any record. Rounded coordinates are no farther from each other than the exact ones and
//! `a = 1.05 u (X + R)`, so their squared distance is at most `(1 + 2^-10) m + (1 + 2^10) a²`; the sum of n squares is off by less than its 2^-11th for
//! the n that there can be: [`LESS`] of it, less 1100 a², is no more than m. Norms are rounded outward. In the units, `e` errs by at most 4u
//! where |y|² ≤ 2, so its square by its 2^-10th and 6e-11, of which only the former counts where |e| > 2.5e-4, and else h^d is below 3. All else is
//! rounded a few times for each of at most 4096 powers, and no term is negative. [`Seeker::follow`] allows a 256th and 2e-10 d². Where numbers are too
//! large, and where a bound is no number, nobody is left out.

use std::borrow::Cow;

use pulp::{Arch, Simd, WithSimd};

use super::{monomials::Monomials, product};
use crate::{
    attack::{Closer, Lists, Points},
    distance::{
        Metric,
        kd_tree::{BoxTree, Leaves},
        single::{U, rounded},
        wide_tree::{Bounds, FAN, LEAF, Strip, Waiting, WideTree},
    },
    error::{Error, Reason, Result},
    memory,
    table::matrix::Matrix,
};

/// What is left of a sum of squares when all that roundings may have added is taken off.
const LESS: f32 = 1.0 - 1.0 / 512.0;

/// How much a product of two records may be off in single precision, as a share of the sum of their squared norms.
const DOUBT: f32 = 1e-3;

/// Kernels below this can be added up and multiplied within the range of numbers.
const MAX: f64 = 1e240;

/// Norms up to which numbers of single precision can be worked with.
const SAFE_NORM: f64 = 1e15;

/// The costs of all pairs, and the cheapest by a search.
#[derive(Debug)]
pub(super) struct PolynomialLists {
    degree: u32,
    seekers: Matrix,
    squares_of_seekers: Vec<f64>,
    /// In the order of the tree, as all that follows.
    sought: Matrix,
    squares: Vec<f64>,
    tree: WideTree,
    /// The same squares in single precision, leaf by leaf.
    rough: Vec<Strip>,
    /// The least and the greatest of them below each box of each fan, rounded outward.
    of_fans: Vec<[[f32; FAN]; 2]>,
    /// Where each record stands.
    place_of: Vec<u32>,
    /// The greatest norm.
    radius: f64,
    monomials: Monomials,
    /// By which vectors of monomials are compared.
    metric: Metric,
}

/// A seeker in single precision, in units of which one more than its squared norm is one.
struct Seeker<'a> {
    lists: &'a PolynomialLists,
    number: usize,
    values: Vec<f32>,
    /// 1, which is the inverse of what numbers are divided by.
    one: f32,
    square: f32,
    /// What is taken off squared distances.
    off: f32,
    /// The inverse of the unit of costs.
    scale: f64,
    is_safe: bool,
    /// What is above it costs more than what is wanted.
    most: f32,
}

/// `Σ_{i < d} h^{d−1−i} q^i`, of numbers that are not negative.
fn powers(degree: u32, h: f64, q: f64) -> f64 {
    let (mut sum, mut power) = (1.0, 1.0);
    for _ in 1..degree {
        power *= h;
        sum = sum * q + power;
    }
    sum
}

fn to_power(base: f64, degree: u32) -> f64 {
    base.powi(i32::try_from(degree).unwrap_or(i32::MAX))
}

/// `(h + e)^d + (h − e)^d − 2 h^d`.
fn spread(degree: u32, h: f64, e: f64) -> f64 {
    if degree == 2 {
        return 2.0 * (e * e);
    }
    let ratio = (e / h) * (e / h);
    let (mut sum, mut term) = (0.0, 2.0 * to_power(h, degree));
    for j in (2..=degree).step_by(2) {
        let left = f64::from(degree - j);
        let j = f64::from(j);
        term *= ratio * ((left + 2.0) * (left + 1.0) / (j * (j - 1.0)));
        sum += term;
    }
    sum
}

/// d² of two records, whose squared norms are these.
#[inline(always)]
fn cost(degree: u32, x: (&[f64], f64), y: (&[f64], f64)) -> f64 {
    let (mut apart, mut together, mut e) = (0.0, 0.0, 0.0);
    for (x, y) in x.0.iter().zip(y.0) {
        let (difference, sum) = (x - y, x + y);
        apart += difference * difference;
        together += sum * sum;
        e += difference * sum;
    }
    let h = 1.0 + 0.5 * (x.1 + y.1);
    let q = h - 0.5 * apart;
    let rest = if q >= 0.0 {
        apart * powers(degree, h, q)
    } else {
        let q = (h - 0.5 * together - 2.0).max(0.0);
        match degree % 2 {
            0 => (together + 4.0) * powers(degree, h, q),
            _ => 2.0 * (to_power(h, degree) + to_power(q, degree)),
        }
    };
    spread(degree, h, 0.5 * e) + rest
}

/// The squared norm of each record.
fn squares_of(records: &Matrix) -> Vec<f64> {
    let rows = (0..records.n_records()).map(|record| records.row(record));
    rows.map(|row| product(row, row)).collect()
}

impl PolynomialLists {
    /// Of standardised values.
    ///
    /// # Errors
    /// Input, when the kernel of a record with itself is near the end of the range of numbers.
    ///
    /// # Complexity
    /// O(n log² n) time, O(n) memory.
    pub(super) fn new(
        degree: u32,
        monomials: Monomials,
        seekers: Matrix,
        sought: &Matrix,
    ) -> Result<Self> {
        let n_attributes = sought.n_attributes();
        let boxes = BoxTree::build(sought, &vec![1.0; n_attributes], Leaves::Full(LEAF));
        let attributes = (0..n_attributes).collect();
        let coordinate = |_, value| rounded(value);
        let tree = WideTree::new(boxes, sought, attributes, coordinate, |_| f32::INFINITY);
        let sought = sought.reordered(tree.points());
        let [squares_of_seekers, squares] = [&seekers, &sought].map(squares_of);
        let greatest = |squares: &[f64]| squares.iter().copied().fold(0.0, f64::max);
        let (of_seekers, of_sought) = (greatest(&squares_of_seekers), greatest(&squares));
        let power = to_power(1.0 + of_seekers.max(of_sought), degree);
        if power.is_nan() || power >= MAX {
            return Err(Error::input(
                "the polynomials of some records are too large to be compared",
            )
            .because(Reason::Overflow { attribute: None })
            .remedy("Lower --degree, or leave attributes with outliers out of --known"));
        }
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
        let width = monomials.count();
        Ok(Self {
            degree,
            squares_of_seekers,
            seekers,
            rough: squares.chunks(LEAF).map(strip).collect(),
            of_fans: ends.map(outward).collect(),
            radius: of_sought.sqrt(),
            place_of: tree.places(),
            tree,
            sought,
            squares,
            metric: Metric::new(vec![1.0; width], vec![0.0; width]),
            monomials,
        })
    }

    /// d² of a seeker and the record at a place of the tree.
    fn cost(&self, seeker: usize, place: usize) -> f64 {
        let x = (self.seekers.row(seeker), self.squares_of_seekers[seeker]);
        cost(
            self.degree,
            x,
            (self.sought.row(place), self.squares[place]),
        )
    }

    fn seeker(&self, number: usize) -> Seeker<'_> {
        let square = self.squares_of_seekers[number];
        let (unit, norm) = (1.0 + square, square.sqrt());
        let a = 1.05 * U * (norm + self.radius);
        let mut seeker = Seeker {
            lists: self,
            number,
            values: self
                .seekers
                .row(number)
                .iter()
                .map(|&value| rounded(value))
                .collect(),
            one: rounded(1.0 / unit),
            square: rounded(square / unit),
            off: rounded(1100.0 * a * a / unit),
            scale: to_power(unit, self.degree).recip(),
            is_safe: norm + self.radius <= SAFE_NORM,
            most: 0.0,
        };
        seeker.follow(f64::INFINITY);
        seeker
    }
}

impl Seeker<'_> {
    /// From now on nothing is wanted that costs more.
    fn follow(&mut self, cost: f64) {
        let degree = f64::from(self.lists.degree);
        let most = cost * self.scale * (1.0 + 1.0 / 256.0) + 2e-10 * degree * degree;
        self.most = if self.is_safe {
            rounded(most).next_up()
        } else {
            f32::NAN
        };
    }

    /// What records cost at least whose rounded squared distances and products are at least these and whose squared norms are within these.
    #[inline(always)]
    fn least<S: Simd>(
        &self,
        simd: S,
        [apart, product]: [S::f32s; 2],
        [low, high]: [S::f32s; 2],
    ) -> S::f32s {
        let degree = self.lists.degree;
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
        // Across: of the cheapest norm there, and whether q can be negative at all.
        let doubt = simd.mul_f32s(simd.splat_f32s(DOUBT), simd.add_f32s(own, high));
        let least_q = simd.sub_f32s(simd.mul_add_f32s(product, one, one), doubt);
        let square = simd.sub_f32s(own, simd.splat_f32s(4.0 * self.one));
        let square = simd.min_f32s(simd.max_f32s(square, low), high);
        let h_across = simd.mul_add_f32s(half, simd.add_f32s(own, square), one);
        let e_across = simd.mul_f32s(half, simd.sub_f32s(own, square));
        let q_across = simd.sub_f32s(h_across, simd.mul_f32s(two, one));
        let q_across = simd.max_f32s(q_across, zero);
        let is_positive = simd.less_than_or_equal_f32s(zero, q);
        let q = simd.max_f32s(q, zero);
        let unit = simd.splat_f32s(1.0);
        let (mut powers, mut before, mut power) = (unit, zero, unit);
        let (mut across, mut before_across, mut power_across) = (unit, zero, unit);
        let mut far = beyond;
        for _ in 1..degree {
            before = power;
            power = simd.mul_f32s(power, h);
            powers = simd.mul_add_f32s(powers, q, power);
            before_across = power_across;
            power_across = simd.mul_f32s(power_across, h_across);
            across = simd.mul_add_f32s(across, q_across, power_across);
            far = simd.mul_f32s(far, beyond);
        }
        let pairs = simd.splat_f32s((degree * (degree - 1)) as f32);
        let spread = simd.mul_f32s(simd.mul_f32s(pairs, before), simd.mul_f32s(e, e));
        let near = simd.mul_add_f32s(apart, powers, spread);
        let near = simd.select_f32s(is_positive, near, simd.add_f32s(unit, far));
        let spread = simd.mul_f32s(pairs, simd.mul_f32s(e_across, e_across));
        // A difference would be lost in numbers of the size of h.
        let gap = simd.mul_f32s(two, simd.min_f32s(h_across, simd.mul_f32s(two, one)));
        let across = simd.mul_add_f32s(gap, across, simd.mul_f32s(spread, before_across));
        let is_near = simd.less_than_or_equal_f32s(zero, least_q);
        simd.select_f32s(is_near, near, simd.min_f32s(near, across))
    }

    /// The same of the records of a leaf.
    #[inline(always)]
    fn leaf<S: Simd>(&self, simd: S, leaf: usize) -> [f32; LEAF] {
        let mut least = [0.0; LEAF];
        let squares = S::as_simd_f32s(&self.lists.rough[leaf].0).0;
        let (below, above) = (
            simd.splat_f32s(1.0 - 4.0 * f32::EPSILON),
            simd.splat_f32s(1.0 + 4.0 * f32::EPSILON),
        );
        // No closures: they would be compiled for any processor.
        for (vector, least) in S::as_mut_simd_f32s(&mut least).0.iter_mut().enumerate() {
            let (mut apart, mut product) = (simd.splat_f32s(0.0), simd.splat_f32s(0.0));
            for (strip, &value) in self.lists.tree.strips(leaf).iter().zip(&self.values) {
                let (strip, value) = (S::as_simd_f32s(&strip.0).0[vector], simd.splat_f32s(value));
                let difference = simd.sub_f32s(strip, value);
                apart = simd.mul_add_f32s(difference, difference, apart);
                product = simd.mul_add_f32s(strip, value, product);
            }
            let square = squares[vector];
            let ends = [simd.mul_f32s(square, below), simd.mul_f32s(square, above)];
            *least = self.least(simd, [apart, product], ends);
        }
        least
    }
}

/// Bounds of the records below boxes.
#[derive(Clone, Copy)]
struct OfFan<'a, 'b, S> {
    simd: S,
    seeker: &'a Seeker<'b>,
}

impl<S: Simd> Bounds for OfFan<'_, '_, S> {
    #[inline(always)]
    fn least(&mut self, fan: usize) -> [f32; FAN] {
        let Self { simd, seeker } = *self;
        let mut least = [0.0; FAN];
        let [low, high] = &seeker.lists.of_fans[fan];
        let (low, high) = (S::as_simd_f32s(low).0, S::as_simd_f32s(high).0);
        for (vector, least) in S::as_mut_simd_f32s(&mut least).0.iter_mut().enumerate() {
            let (mut apart, mut product) = (simd.splat_f32s(0.0), simd.splat_f32s(0.0));
            for (edges, &value) in seeker.lists.tree.edges(fan).iter().zip(&seeker.values) {
                let away = edges.away(simd, vector, value);
                apart = simd.mul_add_f32s(away, away, apart);
                let value = simd.splat_f32s(value);
                let (low, high) = (
                    S::as_simd_f32s(&edges.low).0,
                    S::as_simd_f32s(&edges.high).0,
                );
                let (low, high) = (
                    simd.mul_f32s(low[vector], value),
                    simd.mul_f32s(high[vector], value),
                );
                product = simd.add_f32s(product, simd.min_f32s(low, high));
            }
            *least = seeker.least(simd, [apart, product], [low[vector], high[vector]]);
        }
        least
    }
}

/// A walk that shows `found` the records that may cost no more than the most that is wanted, with their costs, at first no more than `limit`; it returns
/// what is wanted from then on.
struct Walk<'a, F> {
    seeker: Seeker<'a>,
    limit: f64,
    found: F,
}

impl<F: FnMut(u32, f64) -> f64> WithSimd for Walk<'_, F> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self {
            mut seeker,
            mut limit,
            mut found,
        } = self;
        let lists = seeker.lists;
        seeker.follow(limit);
        let mut waiting = Waiting::default();
        waiting.begin(&lists.tree);
        loop {
            let of_fan = OfFan {
                simd,
                seeker: &seeker,
            };
            let Some(leaf) = waiting.next(&lists.tree, seeker.most, of_fan) else {
                return;
            };
            let least = seeker.leaf(simd, leaf);
            for (place, least) in lists.tree.run(leaf).zip(least) {
                // What is no number is not left out.
                if least > seeker.most {
                    continue;
                }
                let wanted = found(lists.tree.points()[place], lists.cost(seeker.number, place));
                if wanted < limit {
                    limit = wanted;
                    seeker.follow(limit);
                }
            }
        }
    }
}

/// Where a seeker begins.
struct Home<'a>(Seeker<'a>);

impl WithSimd for Home<'_> {
    type Output = u32;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> u32 {
        let seeker = &self.0;
        seeker.lists.tree.home(OfFan { simd, seeker })
    }
}

impl Lists for PolynomialLists {
    fn n_seekers(&self) -> usize {
        self.seekers.n_records()
    }

    fn n_sought(&self) -> usize {
        self.sought.n_records()
    }

    fn list(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        list.clear();
        let records = (0..).zip(&self.place_of);
        list.extend(records.map(|(record, &place)| (record, self.cost(seeker, place as usize))));
    }

    fn whereabouts(&self, seeker: usize) -> u64 {
        Arch::new().dispatch(Home(self.seeker(seeker))).into()
    }

    fn is_searched(&self) -> bool {
        true
    }

    fn closer(&self) -> Option<&dyn Closer> {
        Some(self)
    }

    fn cheapest(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        list.clear();
        let mut least = f64::INFINITY;
        Arch::new().dispatch(Walk {
            seeker: self.seeker(seeker),
            limit: least,
            found: |record, cost| {
                if cost < least {
                    least = cost;
                    list.clear();
                }
                if cost <= least {
                    list.push((record, cost));
                }
                least
            },
        });
    }

    fn points(&self) -> Result<Option<Points<'_>>> {
        let n_coordinates = self.monomials.count();
        memory::check(
            &format!("polynomials of {n_coordinates} coordinates for all records"),
            (n_coordinates * (self.n_seekers() + self.n_sought())) as u128,
            size_of::<f64>(),
            "Lower --degree, let the intruder know fewer attributes or records",
        )?;
        let sought = self.sought.reordered(&self.place_of);
        Ok(Some(Points {
            seekers: Cow::Owned(self.monomials.of_records(&self.seekers)),
            sought: Cow::Owned(self.monomials.of_records(&sought)),
            space: &self.metric,
        }))
    }

    fn has_distances(&self) -> bool {
        true
    }

    fn is_likelihood(&self) -> bool {
        false
    }
}

impl Closer for PolynomialLists {
    fn count(&self, seeker: usize, record: u32) -> u32 {
        let own = self.cost(seeker, self.place_of[record as usize] as usize);
        let mut closer = 0;
        Arch::new().dispatch(Walk {
            seeker: self.seeker(seeker),
            limit: own,
            found: |_, cost| {
                closer += u32::from(cost < own);
                own
            },
        });
        closer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance::wide_tree::Below;

    /// The search finds the cheapest of all records, counts those that are closer than another one, and costs are those of the formula by a
    /// kernel, as far as that has digits, and of vectors of monomials: clouds of records at and off the mean, files in which many tie, an outlier far from all, and
    /// small and large values.
    #[test]
    fn the_cheapest_are_those_of_all() {
        for degree in [1, 2, 3, 4, 5, 20] {
            for (n, scale, step, outlier) in [
                (0, 1.0, 1, 1.0),
                (1, 1.0, 1, 1.0),
                (1500, 1.0, 1, 1.0),
                (500, 0.05, 1, 1.0),
                (400, 2.0, 250, 1.0),
                (300, 0.3, 500, 1e5),
                (300, 1e4, 1, 1.0),
                (300, 1e-4, 1, 1e3),
            ] {
                let value = |cell: usize| {
                    let mixed = (cell + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
                    let of = if cell == 100 { outlier } else { 1.0 };
                    of * scale * ((mixed % 1000 / step * step) as f64 / 250.0 - 1.5)
                };
                let seekers = Matrix::complete(60, 3, (0..180).map(|k| value(7 * k)).collect());
                let sought = Matrix::complete(n, 3, (0..3 * n).map(value).collect());
                let monomials = || Monomials::new(3, degree).unwrap();
                let lists =
                    PolynomialLists::new(degree, monomials(), seekers.clone(), &sought).unwrap();
                let points = lists.points().unwrap().unwrap();
                let (mut all, mut cheapest) = (Vec::new(), Vec::new());
                for seeker in 0..60 {
                    lists.list(seeker, &mut all);
                    for (record, &(at, cost)) in all.iter().enumerate() {
                        assert_eq!(at as usize, record);
                        let (x, y) = (seekers.row(seeker), sought.row(record));
                        let k = |a: &[f64], b: &[f64]| to_power(1.0 + product(a, b), degree);
                        let expected = k(x, x) - 2.0 * k(x, y) + k(y, y);
                        let error = 1e-13 * (k(x, x) + k(y, y));
                        assert!((cost - expected).abs() <= error, "{cost} and {expected}");
                        let (x, y) = (points.seekers.record(seeker), points.sought.record(record));
                        let key = lists.metric.key(x, y);
                        assert!(
                            (cost - key).abs() <= 1e-11 * key,
                            "{degree}, {scale}: {cost} and {key}"
                        );
                    }
                    for &(record, own) in all.iter().step_by(7) {
                        let closer = all.iter().filter(|of| of.1 < own).count();
                        assert_eq!(lists.count(seeker, record) as usize, closer);
                    }
                    let least = all.iter().fold(f64::INFINITY, |least, of| least.min(of.1));
                    all.retain(|of| of.1 <= least);
                    lists.cheapest(seeker, &mut cheapest);
                    cheapest.sort_unstable_by_key(|of| of.0);
                    assert_eq!(cheapest, all, "{degree}, {n}, {scale}: {seeker}");
                }
            }
        }
    }

    /// By hand: x = (a, 0, 0) and −x are 8 a² from each other at degree 2: (1 + a²)² − 2 (1 − a²)² + (1 + a²)². Of a² = 10^14, kernels have no digit of that.
    #[test]
    fn nothing_cancels_far_from_the_mean() {
        let of = |x: [f64; 3], y: [f64; 3]| cost(2, (&x, 1e14), (&y, 1e14));
        let close = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-14, "{a} and {b}");
        close(of([1e7, 0.0, 0.0], [-1e7, 0.0, 0.0]), 8e14);
        // 2 |δ|² (1 + |x|²) + |δ|⁴, δ at right angles to x.
        close(
            of([1e7, 0.0, 0.0], [1e7, 1e-3, 0.0]),
            2e-6 * (1.0 + 1e14) + 1e-12,
        );
        assert_eq!(of([1e7, 0.0, 0.0], [1e7, 0.0, 0.0]), 0.0);
    }

    /// No record costs less than the filter says of it, or of a box that it is in, but for what is allowed; and bounds of records are near.
    #[test]
    fn bounds_are_no_costs_of_less() {
        #[derive(Clone, Copy)]
        struct All<'a>(&'a Seeker<'a>);
        impl WithSimd for All<'_> {
            type Output = (Vec<[f32; FAN]>, Vec<[f32; LEAF]>);

            #[inline(always)]
            fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
                let Self(seeker) = self;
                let tree = &seeker.lists.tree;
                let fans = (0..tree.n_fans()).map(|fan| OfFan { simd, seeker }.least(fan));
                let leaves =
                    (0..tree.points().len().div_ceil(LEAF)).map(|leaf| seeker.leaf(simd, leaf));
                (fans.collect(), leaves.collect())
            }
        }
        for degree in [1, 2, 3, 6] {
            for scale in [0.01, 0.5, 3.0, 300.0] {
                let value = |cell: usize| {
                    let mixed = (cell + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
                    scale * ((mixed % 1000) as f64 / 250.0 - 2.0)
                };
                let n = 1200;
                let sought = Matrix::complete(n, 3, (0..3 * n).map(value).collect());
                // Some are across the mean from a record.
                let of_seeker = |k| if k < 45 { value(11 * k) } else { -value(k) };
                let seekers = Matrix::complete(30, 3, (0..90).map(of_seeker).collect());
                let monomials = Monomials::new(3, degree).unwrap();
                let lists = PolynomialLists::new(degree, monomials, seekers, &sought).unwrap();
                for number in 0..30 {
                    let mut seeker = lists.seeker(number);
                    let (fans, leaves) = Arch::new().dispatch(All(&seeker));
                    let costs: Vec<f64> = (0..n).map(|place| lists.cost(number, place)).collect();
                    let mut near = 0;
                    for (place, &cost) in costs.iter().enumerate() {
                        seeker.follow(cost);
                        let least = leaves[place / LEAF][place % LEAF];
                        assert!(least <= seeker.most, "{degree}, {scale}: {least}, {cost}");
                        near += usize::from(f64::from(least) >= 0.5 * cost * seeker.scale);
                    }
                    assert!(near > n / 3, "{degree}, {scale}: {near}");
                    // From the bottom: what is below a fan comes after it.
                    let mut least_of = vec![f64::INFINITY; fans.len()];
                    for fan in (0..fans.len()).rev() {
                        for (at, &below) in lists.tree.below(fan).iter().enumerate() {
                            let least = match below {
                                Below::Fan(fan) => least_of[fan as usize],
                                Below::Leaf(leaf) => {
                                    let costs = costs[lists.tree.run(leaf as usize)].iter();
                                    costs.copied().fold(f64::INFINITY, f64::min)
                                }
                            };
                            seeker.follow(least);
                            let bound = fans[fan][at];
                            assert!(bound <= seeker.most, "{degree}, {scale}: {bound}, {least}");
                            least_of[fan] = least_of[fan].min(least);
                        }
                    }
                }
            }
        }
    }
}
