use std::collections::BTreeSet;

use super::super::{Hard, MARGIN, Patient, Rows, Semidefinite, Space};
use super::*;
use crate::optimize::simplex::{Outcome, Simplex};

/// Whole numbers of a fixed sequence.
struct Numbers(u64);

impl Numbers {
    fn between(&mut self, size: i64) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let span = 2 * size + 1;
        (i64::try_from(self.0 >> 33).unwrap() % span - size) as f64
    }

    fn rows(&mut self, dimension: usize, n_blocks: usize, n_rows: usize) -> Rows {
        let mut rows = Rows::new();
        for _ in 0..n_blocks {
            rows.push_block();
            for label in 0..n_rows {
                let row: Vec<f64> = (0..dimension).map(|_| self.between(5)).collect();
                rows.push_row(u32::try_from(label).unwrap(), &row);
            }
        }
        rows
    }
}

/// The spaces that families have: simplex, monotone box with a fixed parameter, matrices, definite matrices; all of dimension 3.
fn spaces() -> [Space; 4] {
    let free = Space {
        lower: vec![-1.0; 3],
        upper: vec![1.0; 3],
        ..Space::default()
    };
    [
        Space::simplex(3),
        Space {
            lower: vec![0.0, 0.0, 1.0],
            upper: vec![1.0; 3],
            half_spaces: vec![vec![(0, -1.0), (2, 1.0)], vec![(0, -0.5), (1, 1.0)]],
            ..Space::default()
        },
        free.clone(),
        Space {
            semidefinite: Some(Semidefinite { order: 2 }),
            ..free
        },
    ]
}

/// The law of [`Conflict`], term by term.
fn assert_holds(problem: &Problem, conflict: &Conflict) {
    let space = &problem.space;
    let mut sum = vec![0.0; space.dimension()];
    let mut total = 0.0;
    for &(row, multiplier) in &conflict.rows {
        assert!(multiplier > 0.0);
        total += multiplier;
        let row = problem.rows.row(row);
        for (column, value) in row.columns.iter().zip(row.values) {
            sum[*column as usize] += multiplier * value;
        }
    }
    for (hard, multiplier) in &conflict.hard {
        assert!(*multiplier > 0.0);
        let row = match hard {
            Hard::Listed(k) => space.half_spaces[*k].clone(),
            // uᵀ M u of order 2, parameters (M_11, M_22, M_12).
            Hard::Direction(u) => {
                vec![(0, u[0] * u[0]), (1, u[1] * u[1]), (2, 2.0 * (u[0] * u[1]))]
            }
        };
        for (k, a) in row {
            sum[k as usize] += multiplier * a;
        }
    }
    match &space.plane {
        Some(plane) => {
            for &(k, e) in plane {
                sum[k as usize] += conflict.plane * e;
            }
        }
        None => assert!(conflict.plane == 0.0),
    }
    let most: f64 = (0..space.dimension())
        .map(|k| (sum[k] * space.lower[k]).max(sum[k] * space.upper[k]))
        .sum();
    assert!(most - conflict.plane <= MARGIN * total + 1e-12);
}

/// The proof holds: each conflict, and by trying all choices that no fewer blocks hit them all.
fn check(problem: &Problem, answer: &Answer) {
    let n_blocks = problem.rows.n_blocks();
    assert_eq!(problem.count(&answer.parameters), answer.satisfied);
    let Proof::Covering { conflicts, dropped } = &answer.proof else {
        panic!("another proof");
    };
    assert_eq!(answer.bound, n_blocks - dropped);
    let mut masks = Vec::new();
    for conflict in conflicts {
        assert_holds(problem, conflict);
        masks.push(conflict.rows.iter().fold(0_u32, |mask, &(row, _)| {
            mask | 1 << problem.rows.block_of(row)
        }));
    }
    let least = (0_u32..1 << n_blocks)
        .filter(|choice| masks.iter().all(|mask| mask & choice != 0))
        .map(|choice| choice.count_ones() as usize)
        .min()
        .unwrap();
    assert!(least >= *dropped);
}

/// Whether blocks can be satisfied together, by one program of all rows. (Definite matrices: of 400 directions, to 1e-4.)
fn feasible(problem: &Problem, choice: u32) -> bool {
    let space = &problem.space;
    let (mut lower, mut upper) = (space.lower.clone(), space.upper.clone());
    lower.push(-10.0);
    upper.push(1.0);
    let mut program = Simplex::new(vec![0.0, 0.0, 0.0, -1.0], lower, upper);
    if let Some(plane) = &space.plane {
        program.add_row(plane.clone(), 1.0, 1.0);
    }
    for row in &space.half_spaces {
        program.add_row(row.clone(), 0.0, f64::INFINITY);
    }
    if let Some(semidefinite) = space.semidefinite {
        for step in 0..400 {
            let angle = std::f64::consts::PI * f64::from(step) / 400.0;
            let row = semidefinite.half_space(&[angle.cos(), angle.sin()]);
            program.add_row(row, 0.0, f64::INFINITY);
        }
    }
    for block in (0..problem.rows.n_blocks()).filter(|block| choice >> block & 1 == 1) {
        for row in problem.rows.of_block(block) {
            let row = problem.rows.row(row);
            let mut entries: Vec<(u32, f64)> = row
                .columns
                .iter()
                .copied()
                .zip(row.values.iter().copied())
                .collect();
            entries.push((3, -1.0));
            program.add_row(entries, 0.0, f64::INFINITY);
        }
    }
    assert_eq!(program.solve(), Outcome::Optimal);
    program.point()[3] > 1e-9
}

#[test]
fn the_optimum_is_that_of_trying_all_choices_of_blocks() {
    let mut numbers = Numbers(1);
    let mut seen = BTreeSet::new();
    for (number, space) in spaces().into_iter().enumerate() {
        for case in 0..12 {
            let rows = numbers.rows(3, 8, 1 + case % 3);
            let space = space.clone();
            let problem = Problem { space, rows };
            let answer = solve(&problem, Start::default(), &Patient);
            check(&problem, &answer);
            assert_eq!(answer.satisfied, answer.bound);
            let most = (0_u32..1 << 8)
                .filter(|&choice| feasible(&problem, choice))
                .map(|choice| choice.count_ones() as usize)
                .max()
                .unwrap();
            assert_eq!(answer.satisfied, most, "space {number} case {case}");
            seen.insert((number, most));
        }
    }
    assert!(seen.len() > 12, "the cases differ");
}

/// With two parameters p = (a, 1 − a) each row holds on a half-line of a: the most intervals over a point.
#[test]
fn on_a_line_the_optimum_is_the_most_intervals_over_a_point() {
    let mut numbers = Numbers(7);
    for case in 0..20 {
        let n_blocks = 12;
        let problem = Problem {
            space: Space::simplex(2),
            rows: numbers.rows(2, n_blocks, 1 + case % 2),
        };
        // Between the places at which some row changes its sign, in the middle.
        let mut places = vec![0.0, 1.0];
        for row in 0..problem.rows.n_rows() {
            let at = |a: f64| problem.rows.row(row).dot(&[a, 1.0 - a]).0;
            let (at_0, at_1) = (at(0.0), at(1.0));
            if at_0 * at_1 < 0.0 {
                places.push(at_0 / (at_0 - at_1));
            }
        }
        places.sort_unstable_by(f64::total_cmp);
        let middles = places.windows(2).map(|pair| 0.5 * (pair[0] + pair[1]));
        let most = middles
            .chain([0.0, 1.0])
            .map(|a| problem.count(&[a, 1.0 - a]))
            .max()
            .unwrap();
        let answer = solve(&problem, Start::default(), &Patient);
        check(&problem, &answer);
        assert_eq!((answer.satisfied, answer.bound), (most, most));
    }
}

#[test]
fn a_start_is_used() {
    let problem = Problem {
        space: Space::simplex(3),
        rows: Numbers(3).rows(3, 10, 2),
    };
    let answer = solve(&problem, Start::default(), &Patient);
    assert!(answer.satisfied < 10, "the case has conflicts");
    let Proof::Covering { conflicts, dropped } = answer.proof else {
        panic!("another proof");
    };
    // Conflicts that do not hold are left out: one row alone with the sign of an honest one, a row or a half-space
    // that is not there.
    let mut start = conflicts.clone();
    start.push(Conflict {
        rows: vec![(problem.rows.n_rows(), 1.0)],
        ..Conflict::default()
    });
    start.push(Conflict {
        hard: vec![(Hard::Listed(0), 1.0)],
        ..conflicts[0].clone()
    });
    let easy = problem.rows.of_block(0).start;
    let reachable = (0..3).any(|k| {
        let mut p = [0.0; 3];
        p[k] = 1.0;
        problem.rows.row(easy).dot(&p).0 > 0.0
    });
    assert!(reachable);
    start.push(Conflict {
        rows: vec![(easy, 1.0)],
        ..Conflict::default()
    });
    let again = solve(
        &problem,
        Start {
            parameters: Some(answer.parameters.clone()),
            conflicts: start,
            tolerance: 0,
        },
        &Patient,
    );
    check(&problem, &again);
    assert_eq!(
        (again.satisfied, again.bound),
        (answer.satisfied, answer.bound)
    );
    assert_eq!(again.bound, 10 - dropped);
}

#[test]
fn a_tolerance_ends_the_search_early_with_a_bound_that_holds() {
    let problem = Problem {
        space: Space::simplex(3),
        rows: Numbers(11).rows(3, 12, 2),
    };
    let exact = solve(&problem, Start::default(), &Patient);
    for tolerance in 1..4 {
        let start = Start {
            tolerance,
            ..Start::default()
        };
        let answer = solve(&problem, start, &Patient);
        check(&problem, &answer);
        assert!(answer.bound >= exact.satisfied);
        assert!(answer.bound - answer.satisfied <= tolerance);
    }
}

/// Who stops at the first question.
struct Impatient;

impl Watch for Impatient {
    fn stops(&self) -> bool {
        true
    }
}

#[test]
fn stopped_at_once_it_still_gives_a_bound_that_holds() {
    for space in spaces() {
        let problem = Problem {
            space,
            rows: Numbers(5).rows(3, 8, 2),
        };
        let exact = solve(&problem, Start::default(), &Patient);
        let answer = solve(&problem, Start::default(), &Impatient);
        check(&problem, &answer);
        assert!(answer.bound >= exact.bound);
    }
}

#[test]
fn blocks_without_rows_are_satisfied_and_rows_of_zeros_never() {
    let mut rows = Rows::new();
    rows.push_block();
    rows.push_block();
    rows.push_row(0, &[1.0, -1.0]);
    rows.push_block();
    rows.push_row(0, &[0.0, 0.0]);
    let problem = Problem {
        space: Space::simplex(2),
        rows,
    };
    let answer = solve(&problem, Start::default(), &Patient);
    check(&problem, &answer);
    assert_eq!((answer.satisfied, answer.bound), (2, 2));
    let nothing = Problem {
        space: Space::simplex(2),
        rows: Rows::new(),
    };
    let answer = solve(&nothing, Start::default(), &Patient);
    assert_eq!((answer.satisfied, answer.bound), (0, 0));
}

#[test]
fn stopped_with_a_large_pool_it_does_not_begin_a_relaxation() {
    let problem = Problem {
        space: Space::simplex(3),
        rows: Numbers(5).rows(3, 300, 1),
    };
    let pairs = || (0..300_u32).flat_map(|k| (0..k).map(move |l| vec![l, k]));
    let relaxed = |watch: &dyn Watch, n_sets: usize| {
        let mut engine = Engine::new(&problem, Start::default(), watch);
        pairs().take(n_sets).for_each(|set| engine.pool.push(set));
        engine.relax();
        engine.dropped
    };
    // All pairs of 25 elements (300 sets), or of 100 (4,950): 1/2 each.
    assert_eq!(relaxed(&Impatient, 300), 13);
    assert_eq!(relaxed(&Patient, 4_950), 50);
    assert_eq!(relaxed(&Impatient, 4_950), 0);
}

/// A watch that stops at the question of this number.
struct StopsAt(std::sync::atomic::AtomicUsize);

impl Watch for StopsAt {
    fn stops(&self) -> bool {
        let order = std::sync::atomic::Ordering::Relaxed;
        self.0
            .fetch_update(order, order, |left| Some(left.saturating_sub(1)))
            .is_ok_and(|left| left == 0)
    }
}

#[test]
fn stopped_at_any_question_the_answer_holds() {
    for space in spaces() {
        let problem = Problem {
            space,
            rows: Numbers(5).rows(3, 10, 2),
        };
        let exact = solve(&problem, Start::default(), &Patient);
        for left in 0..60 {
            let answer = solve(&problem, Start::default(), &StopsAt(left.into()));
            check(&problem, &answer);
            assert!(answer.satisfied <= exact.satisfied && answer.bound >= exact.bound);
        }
    }
}

#[test]
fn a_conflict_is_not_made_smaller_after_a_stop() {
    let problem = Problem {
        space: Space::simplex(3),
        rows: Numbers(5).rows(3, 40, 2),
    };
    let mut margin = Margin::new(&problem);
    let worth = vec![0.0; 40];
    let Verdict::Conflict(conflict) = margin.ask(&[true; 40], &Patient) else {
        panic!("the case has conflicts");
    };
    let before = margin.n_programs;
    let same = margin.irreducible(conflict.clone(), &worth, &Impatient);
    assert_eq!((&same, margin.n_programs), (&conflict, before));
    margin.irreducible(conflict, &worth, &Patient);
    assert!(margin.n_programs > before);
}

/// Parameters that are a matrix of order 12: one direction after the other moves the point into the cone, more than a thousand if there is time.
#[test]
fn a_question_about_matrices_ends_when_the_watch_stops() {
    let order = 12;
    let dimension = order * (order + 1) / 2;
    let problem = Problem {
        space: Space {
            lower: vec![-1.0; dimension],
            upper: vec![1.0; dimension],
            semidefinite: Some(Semidefinite { order }),
            ..Space::default()
        },
        rows: Numbers(5).rows(dimension, 20, 1),
    };
    let mut margin = Margin::new(&problem);
    let verdict = margin.ask(&[true; 20], &Impatient);
    assert!(matches!(verdict, Verdict::Unknown));
    // Rows, directions, and one that was too much.
    assert!(margin.n_programs <= 20 + 201);
    let mut margin = Margin::new(&problem);
    let verdict = margin.ask(&[false; 20], &Impatient);
    assert!(matches!(verdict, Verdict::Point(_)));
    let verdict = margin.ask(&[true; 20], &Patient);
    assert!(matches!(verdict, Verdict::Point(point) if problem.count(&point) == 20));
}
