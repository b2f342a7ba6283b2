//! The linear sum assignment problem: pair everybody at the least total cost.
//!
//! Two ways lead to it. Where every pair is possible ([`cheapest`]), few of them are looked at: each row's cheapest
//! ones. The solution on these has prices, and whoever can find the pair with the least `cost − price` of a row
//! can say whether any pair left out would make it cheaper. Those that would are added, until none is left. Where few
//! pairs are possible ([`lists::cheapest`]), as many as can be are made first, and then the cheapest such pairs.

#[cfg(test)]
mod dense;
pub mod lists;
mod matching;
mod maximum;

use crate::error::{Error, Result};
use matching::Matching;

/// Pairs that are looked at first, a row.
const FIRST: usize = 16;

/// Pairs that are added at once, a row.
const MORE: usize = 8;

/// Costs beyond this count as this, so that sums stay finite.
const DEAREST: f64 = 1e280;

/// Reduced costs this far below zero, relative to prices and costs, are taken for rounding.
const ROUNDING: f64 = 1e-13;

/// How far the cost may be from its lower bound, relative to it, to be called least.
const PROVEN: f64 = 1e-9;

/// A column that a row may get, and at what cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// The column.
    pub column: u32,
    /// The cost.
    pub cost: f64,
}

/// Costs of pairs, all possible, that can be searched.
pub trait Costs: Sync {
    /// Number of rows, at most that of columns.
    fn n_rows(&self) -> usize;

    /// Number of columns.
    fn n_columns(&self) -> usize;

    /// Attaches a price to each column. A column at −∞ is not for sale. Before, all prices are zero.
    fn set_prices(&mut self, prices: &[f64]);

    /// For each of the rows, its `k` columns with the least `cost − price`, those first, or all if there are fewer.
    ///
    /// The answer must not depend on threads. Of equal ones, different rows had better list different columns.
    fn cheapest(&self, rows: &[u32], k: usize) -> Vec<Vec<Pair>>;

    /// Other pairs that are good to know from the start, as (row, pair).
    fn hints(&mut self) -> Vec<(u32, Pair)> {
        Vec::new()
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
    /// `Σ_i min_j (cost_ij − price_j) + Σ_j price_j` over all possible pairs, where prices are not positive unless every
    /// column gets a row: weak duality.
    pub bound: f64,
}

impl Solution {
    /// Nobody gets anything.
    fn empty(n_rows: usize) -> Self {
        Self {
            pairs: vec![None; n_rows],
            cost: 0.0,
            bound: 0.0,
        }
    }

    /// Whether cost and bound meet, to nine digits.
    pub fn is_proven(&self) -> bool {
        self.cost - self.bound <= PROVEN * self.cost.abs().max(self.bound.abs())
    }
}

/// The assignment of a column to every row with the least total cost.
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
/// Failed, when there are fewer columns than rows.
pub fn cheapest(costs: &mut dyn Costs) -> Result<Solution> {
    let (n_rows, n_columns) = (costs.n_rows(), costs.n_columns());
    if n_rows > n_columns {
        return Err(unsolved());
    }
    let everybody = row_numbers(n_rows);
    let mut pairs = costs.cheapest(&everybody, FIRST);
    for (row, pair) in costs.hints() {
        pairs[row as usize].push(pair);
    }
    for list in &mut pairs {
        tidy(list);
    }
    let mut matching = Matching::new(pairs, n_columns);
    loop {
        matching.bid();
        let (crowd, crowded) = matching.augment();
        if !crowd.is_empty() {
            make_room(&mut matching, costs, &crowd, &crowded)?;
            continue;
        }
        costs.set_prices(&matching.prices);
        let offers = costs.cheapest(&everybody, MORE);
        if !add_bargains(&mut matching, &offers) {
            return Ok(solution(&matching, &offers));
        }
        matching.repair();
    }
}

fn row_numbers(n_rows: usize) -> Vec<u32> {
    (0..).take(n_rows).collect()
}

/// A list without repeated columns and without infinite costs.
fn tidy(list: &mut Vec<Pair>) {
    list.sort_unstable_by(|a, b| a.cost.total_cmp(&b.cost).then(a.column.cmp(&b.column)));
    list.dedup_by_key(|pair| pair.column);
    for pair in list {
        pair.cost = finite(pair.cost);
    }
}

fn finite(cost: f64) -> f64 {
    cost.clamp(-DEAREST, DEAREST)
}

/// Rows that compete for too few columns get others.
fn make_room(
    matching: &mut Matching,
    costs: &mut dyn Costs,
    crowd: &[u32],
    crowded: &[bool],
) -> Result<()> {
    let prices: Vec<f64> = matching
        .prices
        .iter()
        .zip(crowded)
        .map(|(&price, &crowded)| if crowded { f64::NEG_INFINITY } else { price })
        .collect();
    costs.set_prices(&prices);
    let offers = costs.cheapest(crowd, MORE);
    if offers.iter().all(Vec::is_empty) {
        return Err(unsolved());
    }
    for (&row, offers) in crowd.iter().zip(offers) {
        let list = &mut matching.pairs[row as usize];
        list.extend(offers.into_iter().map(|pair| Pair {
            cost: finite(pair.cost),
            ..pair
        }));
    }
    matching.repair();
    Ok(())
}

/// Adds the pairs that are worth more to a row than the one it has. Returns whether there were any.
fn add_bargains(matching: &mut Matching, offers: &[Vec<Pair>]) -> bool {
    let prices = matching.prices.iter().copied();
    let costs = (0..offers.len()).filter_map(|row| Some(matching.pair(row)?.cost));
    let scale = prices
        .chain(costs)
        .fold(0.0, |most: f64, number| most.max(number.abs()));
    let mut found = false;
    for (row, offers) in offers.iter().enumerate() {
        let Some(worth) = matching.worth(row) else {
            continue;
        };
        for pair in offers {
            let pair = Pair {
                cost: finite(pair.cost),
                ..*pair
            };
            let list = &mut matching.pairs[row];
            if pair.cost - matching.prices[pair.column as usize] < worth - ROUNDING * scale
                && list.iter().all(|known| known.column != pair.column)
            {
                list.push(pair);
                found = true;
            }
        }
    }
    found
}

fn solution(matching: &Matching, offers: &[Vec<Pair>]) -> Solution {
    let pairs: Vec<Option<Pair>> = (0..offers.len()).map(|row| matching.pair(row)).collect();
    let least = offers.iter().filter_map(|offers| {
        let pair = offers.first()?;
        Some(finite(pair.cost) - matching.prices[pair.column as usize])
    });
    Solution {
        cost: sum(pairs.iter().flatten().map(|pair| pair.cost)),
        bound: sum(least.chain(matching.prices.iter().copied())),
        pairs,
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
