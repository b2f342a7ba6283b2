use super::*;

/// Whole numbers between −size and size that look random.
struct Numbers(usize);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        self.0 += 1;
        let share = spread(self.0 * 7919) - 0.5;
        (0..n)
            .find(|&k| share * (n as f64) < k as f64 + 1.0)
            .unwrap_or(0)
    }

    fn between(&mut self, size: usize) -> f64 {
        self.below(2 * size + 1) as f64 - size as f64
    }
}

/// A small program: dense rows, all that a corner may be made of.
struct Small {
    costs: Vec<f64>,
    /// a, low, high; the first n are the variables.
    constraints: Vec<(Vec<f64>, f64, f64)>,
}

impl Small {
    fn simplex(&self) -> Simplex {
        let n = self.costs.len();
        let of = |k: usize| self.constraints[k].clone();
        let mut simplex = Simplex::new(
            self.costs.clone(),
            (0..n).map(|k| of(k).1).collect(),
            (0..n).map(|k| of(k).2).collect(),
        );
        for (row, low, high) in &self.constraints[n..] {
            simplex.add_row(sparse(row), *low, *high);
        }
        simplex
    }

    /// The least cost at a corner: the optimum, since all is bounded. `None` if no corner is feasible.
    fn brute_force(&self) -> Option<f64> {
        let n = self.costs.len();
        let mut best: Option<f64> = None;
        let mut choice = Vec::new();
        self.enumerate(0, &mut choice, &mut |point| {
            let feasible = self.constraints.iter().all(|(row, low, high)| {
                let value: f64 = row.iter().zip(point).map(|(a, x)| a * x).sum();
                value >= low - 1e-9 && value <= high + 1e-9
            });
            if feasible {
                let cost: f64 = self.costs.iter().zip(point).map(|(c, x)| c * x).sum();
                best = Some(best.map_or(cost, |b| b.min(cost)));
            }
        });
        assert!(n > 0);
        best
    }

    fn enumerate(
        &self,
        from: usize,
        choice: &mut Vec<(usize, f64)>,
        visit: &mut dyn FnMut(&[f64]),
    ) {
        let n = self.costs.len();
        if choice.len() == n {
            let rows: Vec<Vec<f64>> = choice
                .iter()
                .map(|&(k, value)| {
                    let mut row = self.constraints[k].0.clone();
                    row.push(value);
                    row
                })
                .collect();
            if let Some(point) = gauss(rows) {
                visit(&point);
            }
            return;
        }
        for k in from..self.constraints.len() {
            for value in [self.constraints[k].1, self.constraints[k].2] {
                if value.is_finite() {
                    choice.push((k, value));
                    self.enumerate(k + 1, choice, visit);
                    choice.pop();
                }
            }
        }
    }
}

fn sparse(row: &[f64]) -> Vec<(u32, f64)> {
    row.iter()
        .enumerate()
        .filter(|(_, v)| **v != 0.0)
        .map(|(k, v)| (u32::try_from(k).unwrap(), *v))
        .collect()
}

/// Solves the equations of an augmented matrix; `None` if it is singular.
fn gauss(mut rows: Vec<Vec<f64>>) -> Option<Vec<f64>> {
    let n = rows.len();
    for k in 0..n {
        let best = (k..n).max_by(|&a, &b| rows[a][k].abs().total_cmp(&rows[b][k].abs()))?;
        if rows[best][k].abs() < 1e-9 {
            return None;
        }
        rows.swap(k, best);
        let lead = rows[k].clone();
        for (place, row) in rows.iter_mut().enumerate() {
            if place != k {
                let factor = row[k] / lead[k];
                for (a, b) in row.iter_mut().zip(&lead) {
                    *a -= factor * b;
                }
            }
        }
    }
    Some((0..n).map(|k| rows[k][n] / rows[k][k]).collect())
}

fn random(numbers: &mut Numbers, n: usize, m: usize) -> Small {
    let mut constraints = Vec::new();
    for k in 0..n {
        let mut row = vec![0.0; n];
        row[k] = 1.0;
        let low = numbers.between(2);
        constraints.push((row, low, low + numbers.below(4) as f64));
    }
    for _ in 0..m {
        let row: Vec<f64> = (0..n).map(|_| numbers.between(3)).collect();
        let low = numbers.between(4);
        constraints.push(match numbers.below(4) {
            0 => (row, f64::NEG_INFINITY, low),
            1 => (row, low, low + numbers.below(3) as f64),
            _ => (row, low, f64::INFINITY),
        });
    }
    Small {
        // Many zeros: the dual method must not stand still.
        costs: (0..n)
            .map(|_| {
                if numbers.below(2) == 0 {
                    0.0
                } else {
                    numbers.between(3)
                }
            })
            .collect(),
        constraints,
    }
}

/// The outcome is that of the brute force, and its multipliers show it.
fn check(simplex: &mut Simplex, small: &Small) {
    let expected = small.brute_force();
    match (simplex.solve(), expected) {
        (Outcome::Infeasible, None) => {
            assert!(simplex.bound() > 0.0);
            check_multipliers(simplex, small, true);
        }
        (Outcome::Optimal, Some(best)) => {
            assert!(
                (simplex.objective() - best).abs() < 1e-8,
                "{} is not {best}",
                simplex.objective()
            );
            assert!((simplex.bound() - best).abs() < 1e-8);
            check_multipliers(simplex, small, false);
        }
        other => panic!("{other:?}"),
    }
}

/// Weak duality, from the program's data alone.
fn check_multipliers(simplex: &Simplex, small: &Small, infeasible: bool) {
    let n = small.costs.len();
    let mut reduced = if infeasible {
        vec![0.0; n]
    } else {
        small.costs.clone()
    };
    let mut bound = 0.0;
    for &(row, multiplier) in simplex.row_multipliers() {
        let (a, low, high) = &small.constraints[n + row];
        bound += multiplier * if multiplier > 0.0 { low } else { high };
        for (r, a) in reduced.iter_mut().zip(a) {
            *r -= multiplier * a;
        }
    }
    for (k, r) in reduced.iter().enumerate() {
        let (_, low, high) = &small.constraints[k];
        bound += (r * low).min(r * high);
    }
    assert!((bound - simplex.bound()).abs() < 1e-9);
}

#[test]
fn small_programs_are_solved_like_by_trying_all_corners() {
    let mut numbers = Numbers(0);
    let (mut feasible, mut infeasible) = (0, 0);
    for case in 0..400 {
        let (n, m) = (1 + case % 4, case % 6);
        let small = random(&mut numbers, n, m);
        if small.brute_force().is_some() {
            feasible += 1;
        } else {
            infeasible += 1;
        }
        check(&mut small.simplex(), &small);
    }
    assert!(feasible > 50 && infeasible > 50, "{feasible} {infeasible}");
}

#[test]
fn a_changed_program_has_the_solution_of_a_new_one() {
    let mut numbers = Numbers(5000);
    for case in 0..60 {
        let (n, m) = (2 + case % 3, 4);
        let mut small = random(&mut numbers, n, m);
        let mut simplex = small.simplex();
        check(&mut simplex, &small);
        for change in 0..12 {
            let k = numbers.below(small.constraints.len());
            let (row, low, high) = small.constraints[k].clone();
            let value = numbers.between(3);
            match change % 5 {
                // Another bound, off and on for rows, fixed for variables.
                0 | 1 if k >= n => {
                    let (low, high) = if low.is_finite() || high.is_finite() {
                        (f64::NEG_INFINITY, f64::INFINITY)
                    } else {
                        (value, f64::INFINITY)
                    };
                    small.constraints[k] = (row, low, high);
                    simplex.set_row(k - n, low, high);
                }
                0 | 1 => {
                    small.constraints[k] = (row, value, value + (change % 2) as f64);
                    simplex.set_bounds(k, value, value + (change % 2) as f64);
                }
                2 => {
                    let row: Vec<f64> = (0..n).map(|_| numbers.between(3)).collect();
                    simplex.add_row(sparse(&row), value, f64::INFINITY);
                    small.constraints.push((row, value, f64::INFINITY));
                }
                3 => {
                    small.costs = (0..n).map(|_| numbers.between(2)).collect();
                    simplex.set_costs(&small.costs);
                }
                _ => {
                    let rows = (small.constraints.len() - n).saturating_sub(1);
                    small.constraints.truncate(n + rows);
                    simplex.truncate(rows);
                }
            }
            check(&mut simplex, &small);
        }
    }
}

#[test]
fn a_limit_is_decided_as_the_optimum_says() {
    let mut numbers = Numbers(9000);
    for case in 0..200 {
        let small = random(&mut numbers, 1 + case % 4, case % 5);
        let Some(best) = small.brute_force() else {
            continue;
        };
        for (limit, expected) in [(best + 0.01, Outcome::Under), (best - 0.01, Outcome::Over)] {
            let mut simplex = small.simplex();
            assert_eq!(simplex.decide(limit), expected);
            match expected {
                Outcome::Under => assert!(simplex.objective() < limit),
                _ => {
                    assert!(simplex.bound() >= limit);
                    check_multipliers(&simplex, &small, false);
                }
            }
        }
    }
}

/// Klee and Minty's cube: maximise x_n with x_1 ≤ 1 and ε x_{k−1} ≤ x_k ≤ 1 − ε x_{k−1}. The optimum is 1 − ε·0 = 1 at x_{n−1} = 0.
#[test]
fn a_cube_that_leads_the_method_astray_is_solved() {
    let n = 12;
    let mut costs = vec![0.0; n];
    costs[n - 1] = -1.0;
    let mut simplex = Simplex::new(costs, vec![0.0; n], vec![1.0; n]);
    for k in 1..n {
        let (before, now) = (u32::try_from(k - 1).unwrap(), u32::try_from(k).unwrap());
        simplex.add_row(vec![(before, -0.3), (now, 1.0)], 0.0, f64::INFINITY);
        simplex.add_row(vec![(before, 0.3), (now, 1.0)], f64::NEG_INFINITY, 1.0);
    }
    assert_eq!(simplex.solve(), Outcome::Optimal);
    assert!((simplex.objective() + 1.0).abs() < 1e-9);
}

#[test]
fn without_variables_only_the_rows_bounds_matter() {
    let mut simplex = Simplex::new(Vec::new(), Vec::new(), Vec::new());
    assert_eq!(simplex.solve(), Outcome::Optimal);
    simplex.add_row(Vec::new(), 1.0, f64::INFINITY);
    assert_eq!(simplex.solve(), Outcome::Infeasible);
}

/// Equations of whole numbers that a whole point solves: a point exists, and the 1e-8 by which the arithmetic misses some of them
/// (terms of 1e13) says nothing.
#[test]
fn what_only_rounding_says_is_not_infeasible() {
    let mut numbers = Numbers(500);
    for case in 0..200 {
        let n = 2 + case % 4;
        let mut large = || 1_000.0 * numbers.between(900) + numbers.between(400);
        let solution: Vec<f64> = (0..n).map(|_| 1e6 + large()).collect();
        let mut simplex = Simplex::new(vec![1.0; n], vec![0.0; n], vec![1e7; n]);
        for _ in 0..2 * n {
            let row: Vec<f64> = (0..n).map(|_| large()).collect();
            // Below 2^53: exact.
            let right: f64 = row.iter().zip(&solution).map(|(a, x)| a * x).sum();
            simplex.add_row(sparse(&row), right, right);
        }
        assert_ne!(simplex.solve(), Outcome::Infeasible, "case {case}");
    }
}

/// What is missed by more than rounding still shows: x + y = 1e6 and 3x + 3y ≥ 3e6 + 1.
#[test]
fn a_small_contradiction_is_infeasible() {
    let mut simplex = Simplex::new(vec![1.0; 2], vec![0.0; 2], vec![1e7; 2]);
    simplex.add_row(sparse(&[1.0, 1.0]), 1e6, 1e6);
    simplex.add_row(sparse(&[3.0, 3.0]), 3e6 + 1.0, f64::INFINITY);
    assert_eq!(simplex.solve(), Outcome::Infeasible);
}
