//! Assignments where each row has a list of possible columns.

use rayon::prelude::*;

use super::{
    Costs, Pair, SHARE, Share, Solution, Wish, finite,
    maximum::{self, Plain},
    solve, sum,
};
use crate::{error::Result, stats::scatter};

/// The possible columns of each row, with their costs.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidates {
    n_columns: usize,
    /// Row i has the candidates `starts[i]..starts[i + 1]`.
    starts: Vec<usize>,
    columns: Vec<u32>,
    costs: Vec<f64>,
}

/// What a candidate takes, in bytes.
pub const BYTES_OF_CANDIDATE: usize = size_of::<u32>() + size_of::<f64>();

impl Candidates {
    /// No rows yet.
    pub fn new(n_columns: usize) -> Self {
        Self {
            n_columns,
            starts: vec![0],
            columns: Vec::new(),
            costs: Vec::new(),
        }
    }

    /// Adds a row.
    ///
    /// # Panics
    /// If a column does not exist.
    pub fn push(&mut self, list: impl IntoIterator<Item = (u32, f64)>) {
        for (column, cost) in list {
            assert!((column as usize) < self.n_columns, "a column that exists");
            self.columns.push(column);
            self.costs.push(finite(cost));
        }
        self.starts.push(self.columns.len());
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of columns.
    pub fn n_columns(&self) -> usize {
        self.n_columns
    }

    /// Number of candidates of all rows.
    pub fn n_pairs(&self) -> usize {
        self.columns.len()
    }

    /// Which pairs are possible, whatever their costs.
    fn graph(&self) -> Plain<'_> {
        Plain {
            n_columns: self.n_columns,
            starts: &self.starts,
            columns: &self.columns,
        }
    }

    fn columns(&self, row: usize) -> &[u32] {
        &self.columns[self.starts[row]..self.starts[row + 1]]
    }

    fn list(&self, row: usize) -> impl Iterator<Item = (u32, f64)> + '_ {
        let costs = &self.costs[self.starts[row]..self.starts[row + 1]];
        self.columns(row).iter().copied().zip(costs.iter().copied())
    }

    /// Rows as columns, and columns as rows.
    #[expect(clippy::cast_possible_truncation, reason = "rows are counted by u32")]
    fn transposed(&self) -> Self {
        let mut starts = vec![0; self.n_columns + 1];
        for &column in &self.columns {
            starts[column as usize + 1] += 1;
        }
        for column in 0..self.n_columns {
            starts[column + 1] += starts[column];
        }
        let mut next = starts.clone();
        let mut turned = Self {
            n_columns: self.n_rows(),
            starts,
            columns: vec![0; self.n_pairs()],
            costs: vec![0.0; self.n_pairs()],
        };
        for row in 0..self.n_rows() {
            for (column, cost) in self.list(row) {
                let at = &mut next[column as usize];
                turned.columns[*at] = row as u32;
                turned.costs[*at] = cost;
                *at += 1;
            }
        }
        turned
    }

    /// Some rows and columns.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "columns are counted by u32"
    )]
    fn part(&self, rows: &[u32], columns: &[u32]) -> Self {
        let mut number = vec![u32::MAX; self.n_columns];
        for (new, &column) in columns.iter().enumerate() {
            number[column as usize] = new as u32;
        }
        let mut part = Self::new(columns.len());
        for &row in rows {
            let list = self.list(row as usize);
            part.push(list.filter_map(|(column, cost)| {
                let column = number[column as usize];
                (column != u32::MAX).then_some((column, cost))
            }));
        }
        part
    }
}

/// The assignment with the most possible pairs, and among those with the least total cost.
///
/// The bound of the solution holds for all assignments with as many pairs.
///
/// # Complexity
/// For m candidates, O(m) memory and O(m √n) time to find how many pairs can be made; then that of
/// [`super::cheapest`], with a pass over a row's list for a search.
///
/// # Errors
/// None that input can bring about.
pub fn cheapest(candidates: &Candidates) -> Result<Solution> {
    cheapest_by(candidates, SHARE)
}

pub(super) fn cheapest_by(candidates: &Candidates, share: Share) -> Result<Solution> {
    let parts = maximum::parts(candidates.graph());
    if !parts.crowding.contains(&true) {
        return solve_all(candidates, share);
    }
    let chosen = |flags: &[bool], wanted: bool| -> Vec<u32> {
        let numbered = (0..).zip(flags);
        numbered
            .filter_map(|(i, &flag)| (flag == wanted).then_some(i))
            .collect()
    };
    let (rows, columns) = (chosen(&parts.crowding, false), chosen(&parts.scarce, false));
    let plenty = solve_all(&candidates.part(&rows, &columns), share)?;
    let mut pairs = vec![None; candidates.n_rows()];
    for (&row, pair) in rows.iter().zip(plenty.pairs) {
        pairs[row as usize] = pair.map(|pair| Pair {
            column: columns[pair.column as usize],
            ..pair
        });
    }
    let (rows, columns) = (chosen(&parts.crowding, true), chosen(&parts.scarce, true));
    let scarce = solve_all(&candidates.part(&rows, &columns).transposed(), share)?;
    for (&column, pair) in columns.iter().zip(scarce.pairs) {
        if let Some(Pair { column: row, cost }) = pair {
            pairs[rows[row as usize] as usize] = Some(Pair { column, cost });
        }
    }
    Ok(Solution {
        cost: sum(pairs.iter().flatten().map(|pair: &Pair| pair.cost)),
        bound: plenty.bound + scarce.bound,
        rounding: plenty.rounding + scarce.rounding,
        pairs,
    })
}

/// Solves where every row can have a column.
fn solve_all(candidates: &Candidates, share: Share) -> Result<Solution> {
    if candidates.n_rows() == 0 {
        return Ok(Solution::empty(0));
    }
    let mut costs = Priced {
        candidates,
        prices: vec![0.0; candidates.n_columns()],
    };
    solve(&mut costs, share)
}

struct Priced<'a> {
    candidates: &'a Candidates,
    prices: Vec<f64>,
}

impl Costs for Priced<'_> {
    fn n_rows(&self) -> usize {
        self.candidates.n_rows()
    }

    fn n_columns(&self) -> usize {
        self.candidates.n_columns()
    }

    fn set_prices(&mut self, prices: &[f64], _searches: usize) {
        self.prices.copy_from_slice(prices);
    }

    fn cheapest(&self, wishes: &[Wish], k: usize) -> Vec<Vec<Pair>> {
        wishes
            .par_iter()
            .with_min_len(64)
            .map_init(Vec::new, |worths, &wish| {
                let list = self.candidates.list(wish.row as usize);
                least(list, &self.prices, wish, k, worths)
            })
            .collect()
    }
}

/// The `k` candidates with the least `cost − price`. Among equal ones a row takes those that come at or after a place of its
/// own, so that rows with equal lists do not all take the same few.
pub fn least(
    list: impl Iterator<Item = (u32, f64)>,
    prices: &[f64],
    wish: Wish,
    k: usize,
    worths: &mut Vec<(f64, u32, Pair)>,
) -> Vec<Pair> {
    worths.clear();
    let turn = scatter::turn(wish.row);
    for (column, cost) in list {
        let (cost, price) = (finite(cost), prices[column as usize]);
        let worth = cost - price;
        if worth < wish.below {
            let place = scatter::place(column, turn);
            worths.push((worth, place, Pair { column, cost }));
        }
    }
    let order =
        |a: &(f64, u32, Pair), b: &(f64, u32, Pair)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    if worths.len() > k {
        worths.select_nth_unstable_by(k, order);
        worths.truncate(k);
    }
    worths.sort_unstable_by(order);
    worths.iter().map(|&(_, _, pair)| pair).collect()
}
