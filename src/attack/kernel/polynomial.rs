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

use std::borrow::Cow;

use super::{
    filter::{Filter, Seeker},
    halved, keep_cheapest, product, to_power,
};
use crate::{
    attack::{Closer, Lists, Points},
    distance::kd_tree::length_of_square,
    error::{Counted, Error, ErrorKind, Reason, Result},
    table::matrix::Matrix,
};

/// Kernels below this can be added up and multiplied within the range of numbers.
const MAX: f64 = 1e240;

/// The highest degree, and the most values of a record, up to which the bounds of the filter hold.
const MOST: usize = 4096;

/// The costs of all pairs, and the cheapest by a search.
#[derive(Debug)]
pub(super) struct PolynomialLists {
    degree: u32,
    seekers: Matrix,
    squares_of_seekers: Vec<f64>,
    filter: Filter,
    /// In the order of the filter.
    sought: Matrix,
    /// Where each record stands there.
    place_of: Vec<u32>,
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
pub(super) fn cost(degree: u32, x: (&[f64], f64), y: (&[f64], f64)) -> f64 {
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
pub(super) fn squares_of(records: &Matrix) -> Vec<f64> {
    let rows = (0..records.n_records()).map(|record| records.row(record));
    rows.map(|row| product(row, row)).collect()
}

impl PolynomialLists {
    /// Of standardised values. `by`: what the tree is halved by, with weights, if not by these values.
    ///
    /// # Errors
    /// Usage, when the degree or the number of values is too high; input, when the kernel of a record with itself is near the end of
    /// the range of numbers.
    ///
    /// # Complexity
    /// O(n log n) time, O(n d) memory.
    pub(super) fn new(
        degree: u32,
        seekers: Matrix,
        (sought, by): (&Matrix, Option<(&Matrix, Vec<f64>)>),
    ) -> Result<Self> {
        let width = sought.n_attributes();
        let most = width.max(degree as usize);
        if most > MOST {
            return Err(Error::too_many(
                ErrorKind::Usage,
                Counted::Coordinates,
                [most as u128, MOST as u128],
                |_, limit| {
                    format!("a polynomial of degree {degree} in {width} values: neither number may be above {limit}")
                },
            )
            .remedy("Lower --degree, or let the intruder know fewer attributes"));
        }
        let prices = vec![0.0; sought.n_records()];
        let boxes = halved(sought, by, (&prices, &length_of_square));
        let filter = Filter::new(degree, boxes, sought);
        let squares_of_seekers = squares_of(&seekers);
        let greatest = squares_of_seekers.iter().chain(filter.squares()).copied();
        let power = to_power(1.0 + greatest.fold(0.0, f64::max), degree);
        if power.is_nan() || power >= MAX {
            return Err(Error::input(
                "the polynomials of some records are too large to be compared",
            )
            .because(Reason::Overflow { attribute: None })
            .remedy("Lower --degree, or leave attributes with outliers out of --known"));
        }
        Ok(Self {
            degree,
            squares_of_seekers,
            seekers,
            place_of: filter.tree().places(),
            sought: sought.reordered(filter.tree().points()),
            filter,
        })
    }

    /// d² of a seeker and the record at a place of the tree.
    pub(super) fn cost(&self, seeker: usize, place: usize) -> f64 {
        let x = (self.seekers.row(seeker), self.squares_of_seekers[seeker]);
        cost(
            self.degree,
            x,
            (self.sought.row(place), self.filter.squares()[place]),
        )
    }

    pub(super) fn degree(&self) -> u32 {
        self.degree
    }

    pub(super) fn seeker(&self, seeker: usize) -> Seeker<'_> {
        let square = self.squares_of_seekers[seeker];
        self.filter.seeker(self.seekers.row(seeker), square)
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
        self.seeker(seeker).home().into()
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
            keep_cheapest(
                list,
                self.filter.tree().points()[place],
                self.cost(seeker, place),
            )
        });
    }

    fn points(&self) -> Option<Points<'_>> {
        Some(Points {
            seekers: Cow::Borrowed(&self.seekers),
            sought: Cow::Owned(self.sought.reordered(&self.place_of)),
            space: self,
        })
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
        self.seeker(seeker).walk::<true>(own, |place, is_closer| {
            closer += u32::from(is_closer || self.cost(seeker, place) < own);
            own
        });
        closer
    }
}

#[cfg(test)]
mod tests {
    use super::{super::monomials::Monomials, *};
    use crate::distance::Metric;

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
                let lists = PolynomialLists::new(degree, seekers.clone(), (&sought, None)).unwrap();
                // Halved by something else, as files of categories are, the tree has other boxes.
                let coarse = (0..n).map(|record| (2.0 * value(3 * record)).floor());
                let coarse = Matrix::complete(n, 1, coarse.collect());
                let halved = (&sought, Some((&coarse, vec![1.0])));
                let halved = PolynomialLists::new(degree, seekers.clone(), halved).unwrap();
                let monomials = Monomials::new(3, degree);
                let vectors = [&seekers, &sought].map(|of| monomials.of_records(of));
                let n_coordinates = monomials.count();
                let euclidean = Metric::new(vec![1.0; n_coordinates], vec![0.0; n_coordinates]);
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
                        let (x, y) = (vectors[0].record(seeker), vectors[1].record(record));
                        let key = euclidean.key(x, y);
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
                    for lists in [&lists, &halved] {
                        lists.cheapest(seeker, &mut cheapest);
                        cheapest.sort_unstable_by_key(|of| of.0);
                        assert_eq!(cheapest, all, "{degree}, {n}, {scale}: {seeker}");
                    }
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
}
