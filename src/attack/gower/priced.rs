//! The records of the least cost at prices, for assignments: by the tree of a [`Filter`].
//!
//! # The filter
//! A record is worth `cost − price`. It is worth more than a limit where it costs more than `limit + price`, and all below a node are where they
//! cost more than `limit + highest price`: these take the place of the least cost there. Where nobody misses anything, `n (limit + price)`
//! is compared with a sum of n contributions, so n times the price is taken off the sum, and one number fits all.
//!
//! # Its error
//! Sums err as in [`Filter`]. Prices are rounded to `f32`, and so are their products, sums with the limit and differences from a sum of
//! contributions, which is at most `n`: at most four roundings of numbers no greater than `n (1 + |limit| + |price|)`. The filter allows
//! `8 n (1 + |limit| + |price|) u` for them, and for those to `f64`, which are far smaller.

use pulp::{Arch, Simd, WithSimd};

use super::{
    Units, coordinates_of, dissimilarity,
    filter::{Each, Filter, Same, Seeker},
};
use crate::{
    distance::{
        priced::{Ask, Offer, Priced, Prices, Workspace, are_many, finite},
        single::{U, rounded},
        wide_tree::{Bounds, FAN, LEAF},
    },
    table::matrix::{Matrix, Row},
};

/// Records with prices: their halved values, ready to be searched.
pub(super) struct PricedRecords<'a> {
    units: &'a [Units],
    records: &'a Matrix,
    filter: Filter,
    prices: Prices,
}

impl<'a> PricedRecords<'a> {
    /// `records`: halved values; `has_gaps`: whether somebody, queries included, misses something.
    ///
    /// # Complexity
    /// O(n log n) time, O(n d) memory.
    pub(super) fn new(units: &'a [Units], records: &'a Matrix, has_gaps: bool) -> Self {
        let filter = Filter::new(records, units, has_gaps, None);
        Self {
            prices: Prices::new(filter.tree(), &vec![0.0; records.n_records()]),
            filter,
            records,
            units,
        }
    }
}

impl Priced for PricedRecords<'_> {
    fn n_points(&self) -> usize {
        self.records.n_records()
    }

    fn places(&self) -> Vec<u32> {
        self.filter.places()
    }

    /// # Complexity
    /// O(n); for many searches O(n log n), which makes each faster.
    fn set_prices(&mut self, prices: &[f64], searches: usize) {
        if are_many(searches, self.n_points()) {
            let has_gaps = self.filter.has_gaps();
            self.filter = Filter::new(self.records, self.units, has_gaps, Some(&finite(prices)));
        }
        self.prices = Prices::new(self.filter.tree(), prices);
    }

    /// # Complexity
    /// O(log n) where boxes and prices separate near records from far ones; O(n) otherwise.
    fn cheapest(&self, query: Row<'_>, ask: Ask, workspace: &mut Workspace) -> Vec<Offer> {
        workspace.best.clear();
        workspace.waiting.begin(self.filter.tree());
        if ask.k > 0 {
            let coordinates = coordinates_of(self.units, query);
            Arch::new().dispatch(Cheapest {
                among: self,
                seeker: &self.filter.seeker(&coordinates, 0),
                query,
                ask: ask.turned(),
                workspace,
            });
        }
        workspace.best.clone()
    }
}

struct Cheapest<'a> {
    among: &'a PricedRecords<'a>,
    seeker: &'a Seeker,
    query: Row<'a>,
    ask: Ask,
    workspace: &'a mut Workspace,
}

impl WithSimd for Cheapest<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self {
            among,
            seeker,
            query,
            ask,
            workspace: Workspace { best, waiting, .. },
        } = self;
        loop {
            let limit = Limit::new(among, seeker, ask.limit(best));
            let of_fan = OfFan {
                simd,
                among,
                seeker,
                limit,
            };
            let Some(leaf) = waiting.next(among.filter.tree(), limit.most, of_fan) else {
                return;
            };
            among.leaf(simd, leaf, (seeker, query), ask, best);
        }
    }
}

/// What is of interest: what is worth no more than this.
#[derive(Clone, Copy)]
struct Limit {
    worth: f32,
    /// How many values the seeker has.
    n_present: f32,
    /// What a sum of contributions comes to at most if it is of interest: less what a record costs at most in each of them, where there are gaps, or less
    /// what its price comes to in all of them.
    most: f32,
}

impl Limit {
    #[inline(always)]
    fn new(among: &PricedRecords<'_>, seeker: &Seeker, worth: f64) -> Self {
        let (filter, n) = (&among.filter, seeker.n_present);
        let roundings = 8.0 * U * n.max(1.0) * (1.0 + worth.abs() + among.prices.greatest);
        let sum = if filter.has_gaps() { 0.0 } else { n * worth };
        Self {
            worth: rounded(worth),
            n_present: rounded(n),
            most: rounded(sum + filter.slack() + roundings).next_up(),
        }
    }

    /// What is of interest costs at most, at each of these prices: the means of [`Filter::sums`] where there are gaps.
    #[inline(always)]
    fn costs<S: Simd, const N: usize>(self, simd: S, prices: &[f32]) -> [f32; N] {
        let (zero, worth) = (simd.splat_f32s(0.0), simd.splat_f32s(self.worth));
        let mut costs = [0.0; N];
        let prices = S::as_simd_f32s(prices).0;
        for (cost, &price) in S::as_mut_simd_f32s(&mut costs).0.iter_mut().zip(prices) {
            let most = simd.min_f32s(simd.add_f32s(worth, price), simd.splat_f32s(2.0));
            *cost = simd.max_f32s(most, zero);
        }
        costs
    }

    /// Makes of sums at these prices what is compared with [`most`](Self::most).
    #[inline(always)]
    fn set_off<S: Simd>(self, simd: S, has_gaps: bool, prices: &[f32], sums: &mut [f32]) {
        let (worth, n_present) = (simd.splat_f32s(self.worth), simd.splat_f32s(self.n_present));
        let (least, nobody) = (simd.splat_f32s(-self.most), simd.splat_f32s(f32::INFINITY));
        let prices = S::as_simd_f32s(prices).0;
        for (sum, &price) in S::as_mut_simd_f32s(sums).0.iter_mut().zip(prices) {
            *sum = if has_gaps {
                // Costs are not below zero.
                let is_bought = simd.greater_than_or_equal_f32s(simd.add_f32s(worth, price), least);
                simd.select_f32s(is_bought, *sum, nobody)
            } else {
                simd.sub_f32s(*sum, simd.mul_f32s(n_present, price))
            };
        }
    }
}

/// Bounds of the sums below boxes.
#[derive(Clone, Copy)]
struct OfFan<'a, S> {
    simd: S,
    among: &'a PricedRecords<'a>,
    seeker: &'a Seeker,
    limit: Limit,
}

impl<S: Simd> Bounds for OfFan<'_, S> {
    #[inline(always)]
    fn least(&mut self, fan: usize) -> [f32; FAN] {
        let Self {
            simd,
            among: PricedRecords { filter, prices, .. },
            seeker,
            limit,
        } = *self;
        let prices = &prices.highest[fan];
        let mut least = if filter.has_gaps() {
            let costs = limit.costs::<S, FAN>(simd, prices);
            filter.least(simd, fan, seeker, Each(&costs))
        } else {
            filter.least(simd, fan, seeker, Same(0.0))
        };
        limit.set_off(simd, filter.has_gaps(), prices, &mut least);
        least
    }
}

impl PricedRecords<'_> {
    /// Keeps the records of a leaf that are among the best.
    #[inline(always)]
    fn leaf<S: Simd>(
        &self,
        simd: S,
        leaf: usize,
        (seeker, query): (&Seeker, Row<'_>),
        ask: Ask,
        best: &mut Vec<Offer>,
    ) {
        let (filter, run) = (&self.filter, self.filter.tree().run(leaf));
        let prices = &self.prices.rough[run.start..run.start + LEAF];
        let limit = Limit::new(self, seeker, ask.limit(best));
        let mut sums = if filter.has_gaps() {
            let costs = limit.costs::<S, LEAF>(simd, prices);
            filter.sums(simd, leaf, [seeker], ([Each(&costs)], [limit.most]))[0].0
        } else {
            // What is too much depends on the price of each.
            filter.sums(simd, leaf, [seeker], ([Same(0.0)], [f32::INFINITY]))[0].0
        };
        limit.set_off(simd, filter.has_gaps(), prices, &mut sums);
        let most = simd.splat_f32s(limit.most);
        let mut is_near = [false; LEAF];
        for (is_near, sums) in is_near.iter_mut().zip(S::as_simd_f32s(&sums).0) {
            let near = simd.less_than_or_equal_f32s(*sums, most);
            *is_near = simd.first_true_m32s(near) < S::F32_LANES;
        }
        for place in run.clone() {
            let at = place - run.start;
            if !is_near[at / S::F32_LANES] || sums[at] > limit.most {
                continue;
            }
            let point = self.filter.records()[place];
            let key = self.cost(query, point);
            let worth = key - self.prices.of_places[place];
            if worth <= ask.limit(best) {
                ask.keep(best, point, key, worth);
            }
        }
    }

    fn cost(&self, query: Row<'_>, record: u32) -> f64 {
        dissimilarity(self.units, query, self.records.record(record as usize))
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        attack::{
            gower::{GowerLists, tests::with_gaps},
            one_to_one::tests::{dice, offers_are_those_of_lists},
        },
        table::Scale,
    };

    /// By comparing everything: numbers, ordered classes and names, with and without gaps, and ties.
    #[test]
    fn agrees_with_comparing_everything() {
        let mut dice = dice();
        let scales = [Scale::Continuous, Scale::Nominal, Scale::Ordinal];
        let mut offers = 0;
        for (n, width, values, gaps) in [
            (1, 1, 5, 0),
            (65, 2, 3, 0),
            (300, 3, 6, 9),
            (900, 3, 4000, 0),
            (900, 19, 90, 4),
            (700, 5, 3000, 0),
        ] {
            let mut value = || {
                let is_gap = gaps > 0 && dice(gaps) == 0;
                let value = dice(values) as f64 * 0.37 - 4.0;
                if is_gap { f64::NAN } else { value }
            };
            let scales: Vec<Scale> = (0..width).map(|k| scales[k % 3]).collect();
            let mut side = |n: usize| with_gaps(n, width, |_, _| value());
            let lists = GowerLists::new(&scales, [&side(20), &side(n)]);
            let what = format!("{n} {width} {values} {gaps}");
            offers += offers_are_those_of_lists(&lists, &what);
        }
        assert!(offers > 5_000, "{offers}");
    }
}
