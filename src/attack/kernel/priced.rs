//! The records of the least polynomial cost at prices, for assignments: by the tree of a [`Filter`].
//!
//! # The filter
//! A record is worth `cost − price`. It is worth more than a limit where it costs more than `limit + price`, and all below a box are where they
//! cost more than `limit + highest price`. The bounds of [`Filter`] are compared with that in its units, and the price is taken off the bound, so one
//! number fits all.
//!
//! # Its error
//! Bounds err as in [`Filter`]. Prices are rounded to `f32`, and so are their products with the unit: three roundings, for which `8 u` of the product is taken off,
//! too. The difference of a bound and a price is rounded once more; where it is next to the limit, `8 u` of that covers it. What underflows is far below the
//! allowance of the bounds. Where prices are so great that they might overflow, nobody is left out.

use pulp::{Arch, Simd, WithSimd};

use super::{
    filter::{Filter, OfFan, OfLeaf, Seeker},
    halved,
    polynomial::{PolynomialLists, cost},
    product, to_power,
};
use crate::{
    distance::{
        kd_tree::length_of_square,
        priced::{Ask, Offer, Priced, Prices, Space, Workspace, are_many, finite},
        single::U,
        wide_tree::{Bounds, FAN},
    },
    table::matrix::{Matrix, Row},
};

/// Prices that products in single precision hold.
const SAFE_PRICE: f64 = 1e30;

impl Space for PolynomialLists {
    fn priced<'a>(&'a self, records: &'a Matrix) -> Box<dyn Priced + 'a> {
        Box::new(PricedRecords::new(self.degree(), records))
    }
}

/// Records with prices, ready to be searched.
struct PricedRecords<'a> {
    degree: u32,
    records: &'a Matrix,
    filter: Filter,
    prices: Prices,
}

impl<'a> PricedRecords<'a> {
    /// All at the price zero.
    ///
    /// # Complexity
    /// O(n log n) time, O(n d) memory.
    fn new(degree: u32, records: &'a Matrix) -> Self {
        let prices = vec![0.0; records.n_records()];
        let boxes = halved(records, None, (&prices, &length_of_square));
        let filter = Filter::new(degree, boxes, records);
        Self {
            degree,
            records,
            prices: Prices::new(filter.tree(), &prices),
            filter,
        }
    }

    fn cost(&self, query: (&[f64], f64), place: usize) -> f64 {
        let record = self.filter.tree().points()[place] as usize;
        let record = (self.records.row(record), self.filter.squares()[place]);
        cost(self.degree, query, record)
    }
}

impl Priced for PricedRecords<'_> {
    fn n_points(&self) -> usize {
        self.records.n_records()
    }

    fn places(&self) -> Vec<u32> {
        self.filter.tree().places()
    }

    /// # Complexity
    /// O(n); for many searches O(n log n), which makes each faster.
    fn set_prices(&mut self, prices: &[f64], searches: usize) {
        if are_many(searches, self.n_points()) {
            // Near a record of the mean squared norm, a cost is about so many times the squared distance.
            let squares = self.filter.squares();
            let mean = squares.iter().sum::<f64>() / squares.len() as f64;
            let times = f64::from(self.degree) * to_power(1.0 + mean, self.degree - 1);
            let length = |price: f64| length_of_square(price / times);
            let boxes = halved(self.records, None, (&finite(prices), &length));
            self.filter = Filter::new(self.degree, boxes, self.records);
        }
        self.prices = Prices::new(self.filter.tree(), prices);
    }

    /// # Complexity
    /// O(log n) where boxes and prices separate near records from far ones; O(n) otherwise, and where a price is above 1e30.
    fn cheapest(&self, query: Row<'_>, ask: Ask, workspace: &mut Workspace) -> Vec<Offer> {
        workspace.best.clear();
        workspace.waiting.begin(self.filter.tree());
        if ask.k > 0 {
            let values = query.values();
            let square = product(values, values);
            Arch::new().dispatch(Cheapest {
                among: self,
                seeker: self.filter.seeker(values, square),
                query: (values, square),
                ask: ask.turned(),
                workspace,
            });
        }
        workspace.best.clone()
    }
}

struct Cheapest<'a> {
    among: &'a PricedRecords<'a>,
    seeker: Seeker<'a>,
    query: (&'a [f64], f64),
    ask: Ask,
    workspace: &'a mut Workspace,
}

impl WithSimd for Cheapest<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self {
            among,
            mut seeker,
            query,
            ask,
            workspace: Workspace { best, waiting, .. },
        } = self;
        let tree = among.filter.tree();
        let units = Units::of(&seeker);
        loop {
            let limit = ask.limit(best);
            let most = among.follow(&mut seeker, limit, among.prices.top);
            let bounds = OfBoxes {
                of_fan: OfFan {
                    simd,
                    seeker: &seeker,
                },
                among,
                units,
            };
            let Some(leaf) = waiting.next(tree, most, bounds) else {
                return;
            };
            let run = tree.run(leaf);
            let prices = &among.prices.of_places[run.clone()];
            let highest = prices.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            among.follow(&mut seeker, limit, highest);
            let found = OfLeaf::new::<S, false>(simd, &seeker, leaf);
            if !found.is_anybody_near {
                continue;
            }
            for (place, least) in run.zip(found.least) {
                // What is no number is not left out.
                if least - units.of_price(among.prices.rough[place]) > most {
                    continue;
                }
                let key = among.cost(query, place);
                let worth = key - among.prices.of_places[place];
                if worth <= ask.limit(best) {
                    ask.keep(best, tree.points()[place], key, worth);
                }
            }
        }
    }
}

impl PricedRecords<'_> {
    /// From now on nobody is wanted who is worth more than this to a seeker, at prices up to the highest. Returns what a bound less the price comes to at
    /// most, of those who are wanted.
    fn follow(&self, seeker: &mut Seeker<'_>, worth: f64, highest: f64) -> f32 {
        if self.prices.greatest > SAFE_PRICE {
            seeker.follow(f64::INFINITY);
            return f32::NAN;
        }
        // Also of those who are worth the same after rounding.
        let roundings = 2.0 * f64::EPSILON * (worth.abs() + self.prices.greatest);
        seeker.follow(worth + highest + roundings);
        seeker.most_of(worth + 8.0 * U * worth.abs() + roundings)
    }
}

/// What prices are multiplied by, rounded outward for those above 0 and for those below.
#[derive(Clone, Copy)]
struct Units([f32; 2]);

impl Units {
    fn of(seeker: &Seeker<'_>) -> Self {
        let unit = seeker.unit();
        Self([1.0 + 4.0 * f32::EPSILON, 1.0 - 4.0 * f32::EPSILON].map(|factor| factor * unit))
    }

    /// What is taken off the bound of a record, or of a box, at this price.
    #[inline(always)]
    fn of_price(self, price: f32) -> f32 {
        let Self([above, below]) = self;
        f32::max(above * price, below * price)
    }
}

/// Bounds of records below boxes, less their price.
struct OfBoxes<'a, 'b, S> {
    of_fan: OfFan<'a, 'b, S>,
    among: &'a PricedRecords<'a>,
    units: Units,
}

impl<S: Simd> Bounds for OfBoxes<'_, '_, S> {
    #[inline(always)]
    fn least(&mut self, fan: usize) -> [f32; FAN] {
        let simd = self.of_fan.simd;
        let mut least = self.of_fan.least(fan);
        let Units([above, below]) = self.units;
        let (above, below) = (simd.splat_f32s(above), simd.splat_f32s(below));
        let prices = S::as_simd_f32s(&self.among.prices.highest[fan]).0;
        for (least, &price) in S::as_mut_simd_f32s(&mut least).0.iter_mut().zip(prices) {
            let off = simd.max_f32s(simd.mul_f32s(above, price), simd.mul_f32s(below, price));
            *least = simd.sub_f32s(*least, off);
        }
        least
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attack::{
        kernel::polynomial::squares_of,
        one_to_one::tests::{dice, offers_are_those_of_lists},
    };

    /// By comparing everything: records at and off the mean, some across it from a query, many that tie, outliers, and even and odd degrees.
    #[test]
    fn agrees_with_comparing_everything() {
        let mut dice = dice();
        let mut offers = 0;
        for (n, width, values, degree) in [
            (0, 2, 9, 2),
            (1, 2, 9, 2),
            (65, 2, 3, 2),
            (900, 3, 4000, 1),
            (900, 3, 4000, 2),
            (900, 5, 90, 3),
            (700, 9, 3000, 2),
            (300, 2, 300, 6),
            // Of 6,187 monomials.
            (120, 12, 300, 5),
        ] {
            let mut value = || {
                let value = (dice(values) as f64 + 0.5) / values as f64 - 0.5;
                if dice(200) == 0 {
                    40.0 * value
                } else {
                    4.0 * value
                }
            };
            let mut side =
                |n: usize| Matrix::complete(n, width, (0..n * width).map(|_| value()).collect());
            let (seekers, sought) = (side(20), side(n));
            let lists = PolynomialLists::new(degree, seekers, (&sought, None)).unwrap();
            let what = format!("{n} {width} {values} {degree}");
            offers += offers_are_those_of_lists(&lists, &what);
        }
        assert!(offers > 5_000, "{offers}");
    }

    /// The cost is symmetric to the last bit: either file can choose.
    #[test]
    fn either_record_can_ask() {
        let value = |cell: usize| (cell * 7919 % 1000) as f64 / 130.0 - 3.7;
        let records = Matrix::complete(60, 4, (0..240).map(value).collect());
        let squares = squares_of(&records);
        for degree in [1, 2, 3, 4, 7] {
            for pair in 0..3600 {
                let of = |record: usize| (records.row(record), squares[record]);
                let (x, y) = (of(pair / 60), of(pair % 60));
                assert_eq!(cost(degree, x, y).to_bits(), cost(degree, y, x).to_bits());
            }
        }
    }
}
