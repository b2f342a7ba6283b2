//! The linear sum assignment problem: pair everybody at the least total cost.
//!
//! Two ways lead to it. Where every pair is possible ([`cheapest`]), few of them are looked at: each row's cheapest
//! ones. The solution on these has prices, and whoever can find the pair with the least `cost − price` of a row
//! can say whether any pair left out would make it cheaper. Those that would are added, until none is left. Where few
//! pairs are possible ([`lists::cheapest`]), as many as can be are made first, and then the cheapest such pairs.

mod disjoint;
pub mod lists;
mod matching;
pub mod maximum;
pub mod possible;
#[cfg(test)]
mod tests;

use crate::error::{Error, Result};
use matching::{Matching, room_of};

/// How many pairs of a row are looked at. It decides about time, and never about the cost.
#[derive(Debug, Clone, Copy)]
struct Share {
    /// At first.
    first: usize,
    /// More of them at once.
    more: usize,
}

const SHARE: Share = Share {
    first: 40,
    more: 24,
};

/// Costs beyond this count as this, so that sums stay finite.
const DEAREST: f64 = 1e280;

/// Reduced costs this far below zero, relative to prices and costs, are taken for rounding.
const ROUNDING: f64 = 1e-13;

/// The steps of [`State::auctions`], times [`State::scale`]: each a sixth of the one before.
const STEPS: [f64; 6] = [20.0, 3.333, 0.5556, 0.0926, 0.01543, 0.00257];

/// Auctions at the same step, at most.
const AUCTIONS: usize = 8;

/// How far the cost may be from its lower bound, relative to it, to be called least.
const PROVEN: f64 = 1e-9;

/// A column that a row may get, and at what cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// The place of the column in the problem.
    pub column: u32,
    /// What the pair costs.
    pub cost: f64,
}

/// What a row asks for: columns at which `cost − price` is below a limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wish {
    /// The row.
    pub row: u32,
    /// The limit.
    pub below: f64,
}

impl Wish {
    /// Rows that take everything.
    pub fn of_all(n_rows: usize) -> Vec<Self> {
        (0..).take(n_rows).map(Self::of).collect()
    }

    fn of(row: u32) -> Self {
        Self {
            row,
            below: f64::INFINITY,
        }
    }
}

/// Costs of pairs, all possible, that can be searched.
pub trait Costs: Sync {
    /// Number of rows, at most as many as columns have room for.
    fn n_rows(&self) -> usize;

    /// Number of columns.
    fn n_columns(&self) -> usize;

    /// How many rows each column can have, at least one. Equal columns had better be one with room for as many rows: then few pairs of a row
    /// lead to many columns that are not.
    fn capacities(&self) -> Vec<u32> {
        vec![1; self.n_columns()]
    }

    /// Attaches a price to each column, for so many `searches`. A column at −∞ is not for sale. Before, all prices are zero.
    fn set_prices(&mut self, prices: &[f64], searches: usize);

    /// For each wish, the `k` columns with the least `cost − price` that meet it, these first, or all if there are fewer.
    ///
    /// The answer must not depend on threads. Of equal ones, different rows had better list different columns.
    fn cheapest(&self, wishes: &[Wish], k: usize) -> Vec<Vec<Pair>>;

    /// For each row, the pairs that are looked at from the start: any, and in any order. The better they are the sooner it ends.
    fn first(&mut self, k: usize) -> Vec<Vec<Pair>> {
        self.cheapest(&Wish::of_all(self.n_rows()), k)
    }
}

/// An assignment of columns to rows, and what proves it to be the cheapest.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// The pair of each row.
    pub pairs: Vec<Option<Pair>>,
    /// The sum of their costs.
    pub cost: f64,
    /// No assignment of as many pairs costs less than this, up to the rounding of this one sum.
    ///
    /// `Σ_i min_j (cost_ij − price_j) + Σ_j capacity_j · price_j` over all possible pairs, where prices are not positive unless
    /// no column keeps room: weak duality.
    pub bound: f64,
    /// What rounding of the terms of these sums may come to: 1e-13 of the sum of their absolute values, and what
    /// [`with_costs`](Self::with_costs) says.
    pub rounding: f64,
}

impl Solution {
    /// Nobody gets anything.
    fn empty(n_rows: usize) -> Self {
        Self {
            pairs: vec![None; n_rows],
            cost: 0.0,
            bound: 0.0,
            rounding: 0.0,
        }
    }

    /// The same pairs at other costs, none of which differs by more than `most` from that of the pair in the problem
    /// that was solved.
    #[must_use]
    pub fn with_costs(mut self, cost: impl Fn(usize, u32) -> f64, most: f64) -> Self {
        let off = most * self.pairs.iter().flatten().count() as f64;
        for (row, pair) in self.pairs.iter_mut().enumerate() {
            *pair = pair.map(|Pair { column, .. }| Pair {
                column,
                cost: cost(row, column),
            });
        }
        Self {
            cost: sum(self.pairs.iter().flatten().map(|pair| pair.cost)),
            bound: self.bound - off,
            rounding: self.rounding + 2.0 * off,
            pairs: self.pairs,
        }
    }

    /// Whether cost and bound meet, to nine digits or up to rounding.
    pub fn is_proven(&self) -> bool {
        let size = self.cost.abs().max(self.bound.abs());
        self.cost - self.bound <= (PROVEN * size).max(self.rounding)
    }
}

/// The assignment of a column to every row with the least total cost, of each column to no more rows than it has room for.
///
/// # Ties
/// Which of several equally cheap assignments is found depends on the order of columns.
///
/// # Complexity
/// Memory in proportion to rows plus columns, times the pairs that are looked at for each row (about thirty). Time is
/// that of the searches, a few for each row, and of one shortest path in the graph of these pairs for each row that does not get its
/// place at once: nearly linear where cheap pairs are good pairs, and at worst cubic.
///
/// # Errors
/// Failed, when there are more rows than columns have room for.
pub fn cheapest(costs: &mut dyn Costs) -> Result<Solution> {
    solve(costs, SHARE)
}

fn solve(costs: &mut dyn Costs, share: Share) -> Result<Solution> {
    let (n_rows, capacities) = (costs.n_rows(), costs.capacities());
    let room = room_of(&capacities);
    if n_rows as u64 > room {
        return Err(unsolved());
    }
    let mut pairs = costs.first(share.first);
    for list in &mut pairs {
        tidy(list);
    }
    let mut state = State {
        matching: Matching::new(pairs, capacities),
        sure: vec![f64::NEG_INFINITY; n_rows],
        costs,
        more: share.more,
    };
    if n_rows as u64 == room {
        state.auctions();
    }
    loop {
        state.matching.bid();
        let (crowd, crowded) = state.matching.augment();
        if !crowd.is_empty() {
            // Rows that compete for too few columns get others.
            if !state.ask_for_more(&crowd, &crowded) {
                return Err(unsolved());
            }
        } else if !state.add_bargains() {
            return Ok(state.solution());
        }
        if state.matching.repair(state.rounding()) {
            state.sure.fill(f64::NEG_INFINITY);
        }
    }
}

/// A list without repeated columns and without infinite costs.
fn tidy(list: &mut Vec<Pair>) {
    list.sort_unstable_by(|a, b| a.cost.total_cmp(&b.cost).then(a.column.cmp(&b.column)));
    list.dedup_by_key(|pair| pair.column);
    for pair in list {
        pair.cost = finite(pair.cost);
    }
}

impl Pair {
    fn finite(self) -> Self {
        Self {
            cost: finite(self.cost),
            ..self
        }
    }
}

fn finite(cost: f64) -> f64 {
    cost.clamp(-DEAREST, DEAREST)
}

/// An assignment on the pairs that are looked at, on its way to the cheapest of all.
struct State<'a> {
    matching: Matching,
    /// What `cost − price` is not below for any pair of the row that is not looked at. As long as no price rises that stays
    /// true.
    sure: Vec<f64>,
    costs: &'a mut dyn Costs,
    /// Pairs that a row gets at once.
    more: usize,
}

impl State<'_> {
    /// Reduced costs so far below zero are rounding.
    fn rounding(&self) -> f64 {
        let prices = self.matching.prices.iter().copied();
        let costs = (0..self.sure.len()).filter_map(|row| Some(self.matching.pair(row)?.cost));
        let most = prices
            .chain(costs)
            .fold(0.0, |most: f64, number| most.max(number.abs()));
        ROUNDING * most
    }

    /// Brings prices near those of the solution by auctions of ever smaller steps, of as many rows as columns. Where many compete, a path lets
    /// prices fall by little, and an early auction by much: then few paths are left to be found. Who gets nothing for long gets
    /// more pairs, and from time to time everybody does. What comes out is right wherever this stops; if an auction does not
    /// end, paths begin where they would have begun without one.
    ///
    /// # Source
    /// D. Bertsekas (see [`Matching::auction`]): "ε-scaling".
    fn auctions(&mut self) {
        let lengths: Vec<usize> = self.matching.pairs.iter().map(Vec::len).collect();
        let scale = self.scale();
        if scale <= 0.0 {
            return;
        }
        for (place, step) in STEPS.into_iter().enumerate() {
            if place > 0 && place % 2 == 0 {
                self.add_bargains();
            }
            let ends = (0..AUCTIONS).any(|_| {
                let ends = self.matching.auction(step * scale);
                if !ends {
                    self.ask_for_more(&self.matching.free_rows(), &[]);
                }
                ends
            });
            if !ends {
                self.matching.begin_anew(&lengths);
                self.sure.fill(f64::NEG_INFINITY);
                return;
            }
        }
        self.matching.repair(self.rounding());
    }

    /// By how much the costs of a row's pairs differ: the median over the rows.
    fn scale(&self) -> f64 {
        let lists = self.matching.pairs.iter();
        let spread = |list: &Vec<Pair>| Some(list.last()?.cost - list.first()?.cost);
        let mut spreads: Vec<f64> = lists.filter_map(spread).collect();
        let middle = spreads.len() / 2;
        if middle == 0 {
            return 0.0;
        }
        *spreads.select_nth_unstable_by(middle, f64::total_cmp).1
    }

    /// Rows get more pairs, at the prices that are, without crowded columns. Returns whether any got some.
    fn ask_for_more(&mut self, rows: &[u32], crowded: &[bool]) -> bool {
        let mut prices = self.matching.prices.clone();
        for (price, _) in prices.iter_mut().zip(crowded).filter(|(_, is)| **is) {
            *price = f64::NEG_INFINITY;
        }
        self.costs.set_prices(&prices, rows.len());
        let wishes: Vec<Wish> = rows.iter().copied().map(Wish::of).collect();
        let offers = self.costs.cheapest(&wishes, self.more);
        let mut found = false;
        for (&row, offers) in rows.iter().zip(offers) {
            let known = &mut self.matching.pairs[row as usize];
            for pair in offers.into_iter().map(Pair::finite) {
                if known.iter().all(|other| other.column != pair.column) {
                    known.push(pair);
                    found = true;
                }
            }
        }
        found
    }

    /// Adds pairs that are worth more to a row than the one it has, and those that come next, so that the row need not be
    /// asked again soon. Returns whether there were any worth more.
    fn add_bargains(&mut self) -> bool {
        let matching = &mut self.matching;
        let mut wishes = Vec::new();
        for (row, &sure) in (0..).zip(&self.sure) {
            if let Some(worth) = matching.worth(row as usize).filter(|&worth| worth > sure) {
                wishes.push(Wish { row, below: worth });
            }
        }
        self.costs.set_prices(&matching.prices, wishes.len());
        let offers = self.costs.cheapest(&wishes, self.more);
        let rounding = self.rounding();
        let mut found = false;
        for (Wish { row, below: worth }, offers) in wishes.into_iter().zip(offers) {
            let row = row as usize;
            let are_all = offers.len() < self.more;
            let mut last = f64::INFINITY;
            for pair in offers.into_iter().map(Pair::finite) {
                last = self.matching.reduced(pair);
                let known = &mut self.matching.pairs[row];
                if known.iter().all(|other| other.column != pair.column) {
                    known.push(pair);
                    found |= last < worth - rounding;
                }
            }
            self.sure[row] = if are_all { worth } else { last };
        }
        found
    }

    fn solution(&self) -> Solution {
        let matching = &self.matching;
        let pairs: Vec<Option<Pair>> = (0..self.sure.len()).map(|row| matching.pair(row)).collect();
        let least = self.sure.iter().zip(&matching.pairs).map(|(&sure, list)| {
            let worths = list.iter().map(|&pair| matching.reduced(pair));
            worths.fold(sure, f64::min)
        });
        let of_columns = matching.prices.iter().zip(&matching.capacities);
        let of_columns = of_columns.map(|(price, &rows)| price * f64::from(rows));
        let terms: Vec<f64> = least.chain(of_columns).collect();
        Solution {
            cost: sum(pairs.iter().flatten().map(|pair| pair.cost)),
            bound: sum(terms.iter().copied()),
            rounding: ROUNDING * sum(terms.iter().map(|term| term.abs())),
            pairs,
        }
    }
}

/// A sum whose error does not grow with the number of terms.
fn sum(terms: impl Iterator<Item = f64>) -> f64 {
    let (mut total, mut lost) = (0.0_f64, 0.0_f64);
    for term in terms {
        let next = total + term;
        lost += if total.abs() >= term.abs() {
            (total - next) + term
        } else {
            (term - next) + total
        };
        total = next;
    }
    total + lost
}

fn unsolved() -> Error {
    Error::failed("the assignment of records could not be solved")
}
