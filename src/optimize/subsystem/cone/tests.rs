use super::*;
use crate::optimize::subsystem::{Patient, Rows, Space};

/// Blocks of rows with coefficients −9 … 9 that look irregular (a multiplicative sequence), every seventh one 0.
fn problem(width: usize, n_blocks: usize, n_rows: usize, seed: u32) -> Problem {
    let mut state = seed;
    let mut rows = Rows::new();
    for _ in 0..n_blocks {
        rows.push_block();
        for label in 0..n_rows {
            let row: Vec<f64> = (0..width)
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    f64::from(state >> 16 & 0xff) / 14.0 - if label == 0 { 9.0 } else { 7.0 }
                })
                .map(f64::round)
                .collect();
            rows.push_row(0, &row);
        }
    }
    Problem {
        space: Space::simplex(width),
        rows,
    }
}

/// The most blocks at any of these points.
fn most(problem: &Problem, points: impl Iterator<Item = Vec<f64>>) -> usize {
    points.map(|point| problem.count(&point)).max().unwrap_or(0)
}

fn dense(problem: &Problem) -> Vec<Vec<f64>> {
    let rows = (0..problem.rows.n_rows()).map(|row| problem.rows.row(row));
    rows.map(|row| {
        let mut all = vec![0.0; problem.space.dimension()];
        for (&column, &value) in row.columns.iter().zip(row.values) {
            all[column as usize] = value;
        }
        all
    })
    .collect()
}

/// Two parameters: between the crossings of all rows, sorted.
fn oracle_of_two(problem: &Problem) -> usize {
    let mut crossings = vec![0.0, 1.0];
    crossings.extend(dense(problem).iter().map(|v| v[1] / (v[1] - v[0])));
    crossings.retain(|at| (0.0..=1.0).contains(at));
    crossings.sort_by(f64::total_cmp);
    let middles = crossings
        .windows(2)
        .map(|pair| f64::midpoint(pair[0], pair[1]));
    most(problem, middles.map(|p| vec![p, 1.0 - p]))
}

/// Three parameters: every region of the arrangement of all lines and the edges is a polygon of their crossings, and has the centre of any
/// three of its corners inside.
fn oracle_of_three(problem: &Problem) -> usize {
    let mut lines = dense(problem);
    lines.extend([
        vec![1.0, 0.0, 0.0],
        vec![0.0, 1.0, 0.0],
        vec![0.0, 0.0, 1.0],
    ]);
    let mut corners: Vec<Vec<f64>> = Vec::new();
    for (place, u) in lines.iter().enumerate() {
        for v in &lines[place + 1..] {
            let cross = [
                u[1] * v[2] - u[2] * v[1],
                u[2] * v[0] - u[0] * v[2],
                u[0] * v[1] - u[1] * v[0],
            ];
            let sum: f64 = cross.iter().sum();
            let corner: Vec<f64> = cross.iter().map(|c| c / sum).collect();
            if corner.iter().all(|&p| p >= -1e-12) {
                corners.push(corner.iter().map(|p| p.max(0.0)).collect());
            }
        }
    }
    let mut best = 0;
    for (i, a) in corners.iter().enumerate() {
        for (j, b) in corners.iter().enumerate().skip(i + 1) {
            let centres = corners[j + 1..].iter().map(|c| {
                let centre = (0..3).map(|k| (a[k] + b[k] + c[k]) / 3.0);
                centre.collect()
            });
            best = best.max(most(problem, centres));
        }
    }
    best
}

fn recorded() -> Options {
    Options {
        records_proof: true,
        restarts: 0,
        ..Options::default()
    }
}

#[test]
fn two_parameters_as_between_all_crossings() {
    for seed in 0..60 {
        let problem = problem(2, 12, 2, seed);
        let answer = solve(&problem, Start::default(), &Patient);
        let expected = oracle_of_two(&problem);
        assert_eq!((answer.satisfied, answer.bound), (expected, expected));
        assert_eq!(problem.count(&answer.parameters), expected);
    }
}

#[test]
fn three_parameters_as_in_all_regions() {
    for seed in 0..12 {
        let problem = problem(3, 5, 2, 1000 + seed);
        let expected = oracle_of_three(&problem);
        for options in [Options::default(), recorded()] {
            let answer = solve_with(&problem, Start::default(), &Patient, options);
            assert_eq!((answer.satisfied, answer.bound), (expected, expected));
        }
    }
}

/// The fewest blocks that hit all sets, by branching on the blocks of a set that is not hit.
fn fewest(sets: &[Vec<usize>], hit: &mut Vec<usize>, known: usize) -> usize {
    let missed = |set: &&Vec<usize>| set.iter().all(|block| !hit.contains(block));
    let Some(set) = sets.iter().filter(missed).min_by_key(|set| set.len()) else {
        return hit.len();
    };
    if hit.len() + 1 >= known {
        return known;
    }
    let mut best = known;
    for &block in &set.clone() {
        hit.push(block);
        best = best.min(fewest(sets, hit, best));
        hit.pop();
    }
    best
}

/// Every leaf shows the bound: rows and combinations that are said to be nowhere positive are not at the generators.
#[test]
fn the_tree_proves_the_bound() {
    for (width, n_blocks, seed) in [(2, 20, 5), (3, 25, 6), (4, 25, 7), (5, 18, 8)] {
        let problem = problem(width, n_blocks, 3, seed);
        let answer = solve_with(&problem, Start::default(), &Patient, recorded());
        let Proof::Cells(steps) = &answer.proof else {
            panic!("it is kept");
        };
        let rows = dense(&problem);
        let block_of = |row: &usize| problem.rows.block_of(*row);
        let unit =
            |k: usize| -> Vec<f64> { (0..width).map(|l| f64::from(u8::from(k == l))).collect() };
        let mut cells: Vec<Vec<Vec<f64>>> = vec![(0..width).map(unit).collect()];
        for step in steps {
            let cell = cells.pop().unwrap();
            match step {
                Step::Split { a, b, at } => {
                    assert!(*at > 0.0);
                    let new: Vec<f64> =
                        (0..width).map(|k| cell[*a][k] + at * cell[*b][k]).collect();
                    let (mut first, mut second) = (cell.clone(), cell);
                    first[*b].clone_from(&new);
                    second[*a] = new;
                    cells.extend([second, first]);
                }
                Step::Leaf { wrong, conflicts } => {
                    let nowhere_positive = |combination: &[(usize, f64)]| {
                        let total: f64 = combination.iter().map(|&(_, factor)| factor).sum();
                        cell.iter().all(|generator| {
                            let size: f64 = generator.iter().sum();
                            let dot = |row: usize| -> f64 {
                                rows[row].iter().zip(generator).map(|(v, g)| v * g).sum()
                            };
                            let sum: f64 = combination
                                .iter()
                                .map(|&(row, factor)| factor * dot(row))
                                .sum();
                            sum <= 1e-9 * total * size
                        })
                    };
                    let mut gone: Vec<usize> = wrong.iter().map(block_of).collect();
                    assert!(wrong.iter().all(|&row| nowhere_positive(&[(row, 1.0)])));
                    gone.dedup();
                    let before = gone.len();
                    gone.sort_unstable();
                    gone.dedup();
                    assert_eq!(gone.len(), before, "one row a block");
                    assert!(conflicts.iter().all(|conflict| nowhere_positive(conflict)));
                    let sets: Vec<Vec<usize>> = conflicts
                        .iter()
                        .map(|conflict| conflict.iter().map(|(row, _)| block_of(row)).collect())
                        .filter(|set: &Vec<usize>| set.iter().all(|block| !gone.contains(block)))
                        .collect();
                    let hit = fewest(&sets, &mut Vec::new(), n_blocks);
                    assert!(n_blocks - gone.len() - hit <= answer.bound);
                }
            }
        }
        assert!(cells.is_empty());
        assert_eq!(answer.bound, answer.satisfied);
    }
}

/// Opposite half-spaces that touch, three planes through one point, a row of zeros, one that vanishes at corners.
#[test]
fn degenerate_rows_come_to_an_end() {
    let mut rows = Rows::new();
    for row in [
        [1.0, -1.0, 0.0],
        [-1.0, 1.0, 0.0],
        [0.0, 1.0, -1.0],
        [0.0, -1.0, 1.0],
        [1.0, 0.0, -1.0],
        [-1.0, 0.0, 1.0],
        [0.0, 0.0, 0.0],
        [0.0, 0.0, 1.0],
    ] {
        rows.push_block();
        rows.push_row(0, &row);
    }
    let problem = Problem {
        space: Space::simplex(3),
        rows,
    };
    // An order of the three weights decides one of each pair; the row of zeros is never positive, the last one always.
    for options in [Options::default(), recorded()] {
        let answer = solve_with(&problem, Start::default(), &Patient, options);
        assert_eq!((answer.satisfied, answer.bound), (4, 4));
    }
}

/// Stopped at once, the bound is that of the root, and holds.
#[test]
fn what_is_stopped_has_a_bound() {
    struct Hasty;
    impl Watch for Hasty {
        fn stops(&self) -> bool {
            true
        }
    }
    let problem = problem(4, 30, 3, 9);
    let all = solve(&problem, Start::default(), &Patient);
    let hasty = solve(&problem, Start::default(), &Hasty);
    assert!(hasty.satisfied <= all.satisfied && all.bound <= hasty.bound);
    assert_eq!(problem.count(&hasty.parameters), hasty.satisfied);
    // Good enough is good enough.
    let tolerant = Start {
        tolerance: 3,
        ..Start::default()
    };
    let near = solve(&problem, tolerant, &Patient);
    assert!(near.bound <= near.satisfied + 3 && near.bound >= all.satisfied);
}

/// Opposite rows at whatever scale: their sum is 0 with the multipliers that make them equal, and positive somewhere with others.
#[test]
fn multipliers_that_do_not_add_up_are_no_conflict() {
    let mut rows = Rows::new();
    for row in [[1.0, -1.0], [-1.0, 1.0]] {
        rows.push_block();
        rows.push_row(0, &row);
    }
    let problem = Problem {
        space: Space::simplex(2),
        rows,
    };
    let board = Board::new(&problem, true);
    let mut cell = Cell::root(&board);
    let mut says = |scales: [f64; 2], multipliers: [f64; 2]| {
        let [s, t] = scales;
        cell.values = vec![s, -s, -t, t];
        packing::is_nowhere_positive(&cell, &board, (0..).zip(multipliers))
    };
    assert!(says([1.0, 1.0], [1.0, 1.0]));
    assert!(says([1.0, 1e-6], [1.0, 1e6]));
    // Rounding: 1e-12 of a row that is 1.
    assert!(says([1.0, 1e-6], [1.0, 1e6 * (1.0 - 1e-12)]));
    assert!(!says([1.0, 1e-6], [1.0, 0.9e6]));
    // 1e-13 is little, but not for rows that are 1e-12.
    assert!(!says([1e-12, 1e-12], [1.0, 0.9]));
    assert!(!says([1.0, 1.0], [1.0, 0.0]));
    assert!(!says([1.0, 1.0], [1.0, f64::NAN]));
}
