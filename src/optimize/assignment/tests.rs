//! The solver against trying everything, and against a dense solver.

use super::{
    Costs, Pair, SHARE, Share, Solution, Wish,
    lists::{Candidates, cheapest_by, least},
    maximum::{Plain, most_pairs},
    possible::Possible,
    solve,
};

/// Shares with which every way of getting more pairs is gone.
const SHARES: [Share; 3] = [
    Share { first: 1, more: 1 },
    Share { first: 3, more: 2 },
    SHARE,
];

/// A small generator: tests only want variety.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

type Dense = Vec<Vec<Option<f64>>>;

fn candidates(costs: &Dense, n_columns: usize) -> Candidates {
    let mut candidates = Candidates::new(n_columns);
    for row in costs {
        let possible = (0..).zip(row).filter_map(|(j, cost)| Some((j, (*cost)?)));
        candidates.push(possible);
    }
    candidates
}

/// Checks that pairs are possible and no column is used twice; returns their number and cost.
fn checked(costs: &Dense, n_columns: usize, solution: &Solution) -> (usize, f64) {
    let mut used = vec![false; n_columns];
    let (mut n_pairs, mut total) = (0, 0.0);
    for (row, pair) in costs.iter().zip(&solution.pairs) {
        if let Some(Pair { column, cost }) = *pair {
            assert_eq!(row[column as usize], Some(cost), "a possible pair");
            assert!(!used[column as usize], "a column was used twice");
            used[column as usize] = true;
            n_pairs += 1;
            total += cost;
        }
    }
    assert!(
        solution.is_proven(),
        "{} and {}",
        solution.cost,
        solution.bound
    );
    (n_pairs, total)
}

/// Every assignment, by recursion: (pairs, cost) of the best.
fn exhaustive(costs: &Dense, row: usize, taken: &mut Vec<bool>) -> (usize, f64) {
    if row == costs.len() {
        return (0, 0.0);
    }
    let mut best = exhaustive(costs, row + 1, taken);
    for column in 0..taken.len() {
        if let (false, Some(price)) = (taken[column], costs[row][column]) {
            taken[column] = true;
            let (pairs, rest) = exhaustive(costs, row + 1, taken);
            taken[column] = false;
            if (pairs + 1, -(rest + price)) > (best.0, -best.1) {
                best = (pairs + 1, rest + price);
            }
        }
    }
    best
}

/// (pairs, cost) by the dense solver: an impossible pair costs more than all others together.
fn dense(costs: &Dense, n_columns: usize) -> (usize, f64) {
    const IMPOSSIBLE: f64 = 1e7;
    let cell = |i: usize, j: usize| costs[i][j].unwrap_or(IMPOSSIBLE);
    let n_rows = costs.len();
    let turned = n_rows > n_columns;
    let (short, long) = (n_rows.min(n_columns), n_rows.max(n_columns));
    let mut matrix = Vec::new();
    for a in 0..short {
        for b in 0..long {
            matrix.push(if turned { cell(b, a) } else { cell(a, b) });
        }
    }
    let (rows, columns) = lsap::solve(short, long, &matrix, false).unwrap();
    let pairs = rows.into_iter().zip(columns);
    let possible = pairs.filter_map(|(a, b)| if turned { costs[b][a] } else { costs[a][b] });
    possible.fold((0, 0.0), |(n, total), cost| (n + 1, total + cost))
}

/// Costs are small whole numbers: many ties, and sums are exact.
fn random(dice: &mut Dice, n_rows: usize, n_columns: usize, possible: u64, values: u64) -> Dense {
    let mut cell = || (dice.below(100) < possible).then(|| dice.below(values) as f64 - 5.0);
    (0..n_rows)
        .map(|_| (0..n_columns).map(|_| cell()).collect())
        .collect()
}

#[test]
fn agrees_with_trying_everything() {
    let mut dice = Dice(7);
    let sizes = [
        (1, 1),
        (3, 3),
        (5, 5),
        (2, 5),
        (5, 2),
        (6, 4),
        (4, 6),
        (4, 0),
        (0, 4),
        (0, 0),
    ];
    for (rows, columns) in sizes {
        for round in 0..60 {
            let (possible, values) = ([30, 66, 100][round % 3], [2, 50][round % 2]);
            let costs = random(&mut dice, rows, columns, possible, values);
            let best = exhaustive(&costs, 0, &mut vec![false; columns]);
            for share in SHARES {
                let found = cheapest_by(&candidates(&costs, columns), share).unwrap();
                assert_eq!(checked(&costs, columns, &found), best, "{costs:?}");
            }
        }
    }
}

#[test]
fn agrees_with_a_dense_solver() {
    let mut dice = Dice(8);
    for (rows, columns) in [(40, 40), (90, 90), (30, 70), (70, 30), (99, 100), (100, 99)] {
        for possible in [2, 5, 30, 100] {
            for values in [1, 3, 1000] {
                let costs = random(&mut dice, rows, columns, possible, values);
                let best = dense(&costs, columns);
                for share in SHARES {
                    let found = cheapest_by(&candidates(&costs, columns), share).unwrap();
                    let context = format!("{rows} x {columns}, {possible} %, {values} values");
                    assert_eq!(checked(&costs, columns, &found), best, "{context}");
                }
            }
        }
    }
}

/// Points on a line, many of them at the same place: identical rows and columns.
#[test]
fn agrees_with_a_dense_solver_on_duplicates() {
    let mut dice = Dice(9);
    for (rows, columns, places) in [(80, 80, 8), (80, 80, 40), (60, 90, 9), (90, 60, 9)] {
        let mut line =
            |n: usize| -> Vec<f64> { (0..n).map(|_| dice.below(places) as f64).collect() };
        let (left, right) = (line(rows), line(columns));
        let costs: Dense = left
            .iter()
            .map(|a| right.iter().map(|b| Some((a - b) * (a - b))).collect())
            .collect();
        for share in SHARES {
            let found = cheapest_by(&candidates(&costs, columns), share).unwrap();
            assert_eq!(checked(&costs, columns, &found), dense(&costs, columns));
        }
    }
}

/// All rows compete for the columns in the middle, and some get one far away: auctions that end, and some that do not and leave it to paths.
#[test]
fn agrees_with_a_dense_solver_where_all_compete() {
    let mut dice = Dice(10);
    for (n, power) in [(60, 2), (90, 3), (120, 5), (150, 9)] {
        let mut values = |power: i32| -> Vec<f64> {
            let values = (0..n).map(|_| dice.below(64) as f64 - 32.0);
            values.map(|value| value.powi(power)).collect()
        };
        let (left, right) = ([values(1), values(1)], [values(power), values(1)]);
        let cost = |i: usize, j: usize| -> f64 {
            (0..2).map(|k| (left[k][i] - right[k][j]).powi(2)).sum()
        };
        let costs: Dense = (0..n)
            .map(|i| (0..n).map(|j| Some(cost(i, j).min(1e9))).collect())
            .collect();
        for share in SHARES {
            let found = cheapest_by(&candidates(&costs, n), share).unwrap();
            assert_eq!(checked(&costs, n, &found), dense(&costs, n), "{n}, {power}");
        }
    }
}

/// Columns with room for several rows.
struct Roomy {
    costs: Vec<Vec<f64>>,
    capacities: Vec<u32>,
    prices: Vec<f64>,
}

impl Costs for Roomy {
    fn n_rows(&self) -> usize {
        self.costs.len()
    }

    fn n_columns(&self) -> usize {
        self.capacities.len()
    }

    fn capacities(&self) -> Vec<u32> {
        self.capacities.clone()
    }

    fn set_prices(&mut self, prices: &[f64], _searches: usize) {
        self.prices.copy_from_slice(prices);
    }

    fn cheapest(&self, wishes: &[Wish], k: usize) -> Vec<Vec<Pair>> {
        let of_wish = |&wish: &Wish| {
            let list = (0..).zip(self.costs[wish.row as usize].iter().copied());
            least(list, &self.prices, wish, k, &mut Vec::new())
        };
        wishes.iter().map(of_wish).collect()
    }
}

/// Against the dense solver, for which each column with room for k rows is k columns: as many rows as there is room for and fewer, few and
/// many values, rows that are alike, and rows that all want the same columns, so that some auctions end and some do not.
#[test]
fn columns_with_room_are_as_many_columns_that_are_equal() {
    let mut dice = Dice(11);
    for (n_columns, most) in [(1, 9), (7, 5), (12, 12), (40, 2), (25, 8)] {
        for (values, alike, power) in [(1, 1, 1), (3, 1, 1), (1000, 1, 1), (1000, 4, 1), (9, 1, 7)]
        {
            for spare in [0, 1, 9] {
                let mut capacities: Vec<u32> = (0..n_columns)
                    .map(|_| 1 + dice.below(most) as u32)
                    .collect();
                let room: u32 = capacities.iter().sum();
                capacities[0] += spare;
                let places: Vec<f64> = (0..n_columns)
                    .map(|_| (dice.below(values) as f64).powi(power))
                    .collect();
                let costs: Vec<Vec<f64>> = (0..room.div_ceil(alike))
                    .map(|_| {
                        places
                            .iter()
                            .map(|place| place + dice.below(values) as f64)
                            .collect()
                    })
                    .collect();
                let costs: Vec<Vec<f64>> = (0..room as usize)
                    .map(|row| costs[row / alike as usize].clone())
                    .collect();
                let as_often = |row: &Vec<f64>| -> Vec<Option<f64>> {
                    let each = row.iter().zip(&capacities);
                    each.flat_map(|(&cost, &rows)| vec![Some(cost); rows as usize])
                        .collect()
                };
                let dense = dense(
                    &costs.iter().map(as_often).collect(),
                    (room + spare) as usize,
                );
                for share in SHARES {
                    let mut roomy = Roomy {
                        costs: costs.clone(),
                        prices: vec![0.0; n_columns],
                        capacities: capacities.clone(),
                    };
                    let found = solve(&mut roomy, share).unwrap();
                    assert!(found.is_proven(), "{} and {}", found.cost, found.bound);
                    let mut left = capacities.clone();
                    for (row, pair) in costs.iter().zip(&found.pairs) {
                        let Pair { column, cost } = pair.expect("everybody has a partner");
                        assert_eq!(row[column as usize], cost);
                        left[column as usize] -= 1;
                    }
                    let context =
                        format!("{capacities:?}, {values} values, {alike}, {power}, {spare}");
                    assert_eq!((found.pairs.len(), found.cost), dense, "{context}");
                }
            }
        }
    }
}

/// By hand: rows 0 and 1 can only have column 0, row 2 any. One of the first two stays alone, the dearer one; row 2 does not
/// take column 0 though it is cheapest there, because that would cost a pair.
#[test]
fn the_most_pairs_come_before_the_least_cost() {
    let costs = vec![
        vec![Some(5.0), None, None],
        vec![Some(4.0), None, None],
        vec![Some(0.0), Some(100.0), Some(90.0)],
    ];
    let found = cheapest_by(&candidates(&costs, 3), SHARE).unwrap();
    let columns: Vec<Option<u32>> = found.pairs.iter().map(|p| p.map(|p| p.column)).collect();
    assert_eq!(columns, [None, Some(0), Some(2)]);
    assert_eq!((found.cost, found.bound), (94.0, 94.0));
}

#[test]
fn extreme_costs_stay_finite() {
    let costs = vec![
        vec![Some(f64::INFINITY), Some(f64::MAX)],
        vec![Some(f64::NEG_INFINITY), Some(0.0)],
    ];
    let found = cheapest_by(&candidates(&costs, 2), SHARE).unwrap();
    assert!(found.pairs.iter().all(Option::is_some));
    assert!(found.cost.is_finite() && found.bound.is_finite());
}

#[test]
fn equal_candidates_are_not_the_same_for_all_rows() {
    let all = || (0..200).map(|j| (j, 1.0));
    let of = |row| {
        let wish = Wish {
            row,
            below: f64::INFINITY,
        };
        least(all(), &[0.0; 200], wish, 1, &mut Vec::new())[0].column
    };
    let mut firsts: Vec<u32> = (0..200).map(of).collect();
    firsts.sort_unstable();
    firsts.dedup();
    // If each took one of 200 at random, 1 − 1/e of them would be taken: 126.
    assert!(firsts.len() > 80, "{} of 200", firsts.len());
}

/// What every matching with the most pairs says of possible pairs and of who stays alone, by trying all.
#[derive(Default)]
struct Tried {
    most: usize,
    pairs: Vec<(usize, u32)>,
    rows_alone: Vec<bool>,
    columns_alone: Vec<bool>,
}

impl Tried {
    fn all(graph: &[Vec<u32>], n_columns: usize) -> Self {
        let mut tried = Self::default();
        let mut taken = vec![None; n_columns];
        tried.rest(graph, 0, &mut taken);
        tried.pairs.sort_unstable();
        tried.pairs.dedup();
        tried
    }

    fn rest(&mut self, graph: &[Vec<u32>], row: usize, taken: &mut Vec<Option<usize>>) {
        if row < graph.len() {
            self.rest(graph, row + 1, taken);
            for &column in &graph[row] {
                if taken[column as usize].is_none() {
                    taken[column as usize] = Some(row);
                    self.rest(graph, row + 1, taken);
                    taken[column as usize] = None;
                }
            }
            return;
        }
        let pairs: Vec<(usize, u32)> = (0..)
            .zip(taken.iter())
            .filter_map(|(column, row)| Some(((*row)?, column)))
            .collect();
        if pairs.len() > self.most || self.rows_alone.is_empty() {
            *self = Self {
                most: pairs.len(),
                pairs: Vec::new(),
                rows_alone: vec![false; graph.len()],
                columns_alone: vec![false; taken.len()],
            };
        }
        if pairs.len() == self.most {
            for row in 0..graph.len() {
                self.rows_alone[row] |= pairs.iter().all(|pair| pair.0 != row);
            }
            for (alone, row) in self.columns_alone.iter_mut().zip(taken.iter()) {
                *alone |= row.is_none();
            }
            self.pairs.extend(pairs);
        }
    }
}

#[test]
fn possible_pairs_are_those_of_all_matchings_with_the_most_pairs() {
    let mut dice = Dice(23);
    let (mut removed, mut short) = (0, 0);
    for round in 0..900 {
        let (n, m) = match round % 3 {
            0 => (5, 5),
            1 => (3 + dice.below(2) as usize, 6),
            _ => (6, 3 + dice.below(3) as usize),
        };
        let sides = 2 + dice.below(5);
        let graph: Vec<Vec<u32>> = (0..n)
            .map(|_| (0..m as u32).filter(|_| dice.below(8) < sides).collect())
            .collect();
        let tried = Tried::all(&graph, m);
        let mut starts = vec![0];
        let mut columns = Vec::new();
        for list in &graph {
            columns.extend(list);
            starts.push(columns.len());
        }
        let plain = Plain {
            n_columns: m,
            starts: &starts,
            columns: &columns,
        };
        let possible = Possible::of(plain);
        assert_eq!(most_pairs(plain), tried.most, "{graph:?}");
        short += usize::from(tried.most < n.min(m));
        for (row, list) in graph.iter().enumerate() {
            for &column in list {
                let is_possible = possible.is_possible(row, column);
                let found = tried.pairs.binary_search(&(row, column)).is_ok();
                assert_eq!(is_possible, found, "{row} {column} of {graph:?}");
                removed += usize::from(!found);
            }
            if !list.is_empty() {
                assert_eq!(
                    possible.row_may_be_alone(row),
                    tried.rows_alone[row],
                    "{graph:?}"
                );
            }
        }
        for column in (0..m).filter(|&column| columns.contains(&(column as u32))) {
            let alone = possible.column_may_be_alone(column);
            assert_eq!(alone, tried.columns_alone[column], "{column} of {graph:?}");
        }
    }
    assert!(removed > 500 && short > 100, "{removed} {short}");
}
