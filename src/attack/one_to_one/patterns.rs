//! Assignments by the weights of agreement patterns, which every pair has.

use rayon::prelude::*;

use crate::{
    agreement::{
        Weighted,
        priced::{Ask, Chosen, Offer, PricedAgreement},
    },
    error::Result,
    optimize::assignment::{self, Costs, Pair, Solution, Wish},
};

/// Of the cheapest pairs, so many are looked at from the start; others are a sample of all patterns. Of the cheapest alone,
/// records that agree with the same ones would find too few.
const CHEAPEST_FIRST: usize = 6;

/// Choosers that one task searches for.
const AT_ONCE: usize = 64;

/// The cheapest assignment. Those of the smaller file choose.
pub(super) fn cheapest(weighted: &Weighted) -> Result<Solution> {
    let (n_seekers, n_sought) = (
        weighted.agreement.n_seekers(),
        weighted.agreement.n_sought(),
    );
    let chosen = if n_seekers <= n_sought {
        Chosen::Sought
    } else {
        Chosen::Seekers
    };
    let mut patterns = Patterns(PricedAgreement::new(weighted, chosen));
    let solution = assignment::cheapest(&mut patterns)?;
    let solution = match chosen {
        Chosen::Sought => solution,
        Chosen::Seekers => super::turned_back(solution, n_seekers),
    };
    let cost = |seeker, sought| -weighted.of_pair(seeker, sought as usize);
    Ok(solution.with_costs(cost, patterns.0.off()))
}

/// Records that choose by weights.
struct Patterns<'a>(PricedAgreement<'a>);

impl Costs for Patterns<'_> {
    fn n_rows(&self) -> usize {
        self.0.n_choosers()
    }

    fn n_columns(&self) -> usize {
        self.0.n_points()
    }

    fn set_prices(&mut self, prices: &[f64], _searches: usize) {
        self.0.set_prices(prices);
    }

    fn cheapest(&self, wishes: &[Wish], k: usize) -> Vec<Vec<Pair>> {
        let of_wish = |best: &mut Vec<Offer>, &Wish { row, below }: &Wish| {
            let ask = Ask {
                chooser: row,
                k,
                below,
            };
            self.0.cheapest(ask, best);
            best.iter().map(pair).collect()
        };
        let wishes = wishes.par_iter().with_min_len(AT_ONCE);
        wishes.map_init(Vec::new, of_wish).collect()
    }

    fn first(&mut self, k: usize) -> Vec<Vec<Pair>> {
        let everybody = Wish::of_all(self.n_rows());
        let mut first = self.cheapest(&everybody, k.min(CHEAPEST_FIRST));
        let choosers = first.par_iter_mut().enumerate().with_min_len(AT_ONCE);
        choosers.for_each_init(Vec::new, |sample, (chooser, pairs)| {
            sample.clear();
            self.0.sample(everybody[chooser].row, sample);
            pairs.extend(sample.iter().map(pair));
        });
        first
    }
}

fn pair(offer: &Offer) -> Pair {
    Pair {
        column: offer.point,
        cost: offer.cost,
    }
}
