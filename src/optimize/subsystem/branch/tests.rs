//! Against programs that try all cells of small arrangements.

use super::{BranchAndCut, repair::Repair, solve};
use crate::optimize::subsystem::{
    Answer, Patient, Problem, Proof, Rows, Semidefinite, Space, Start, Watch, proof::holds,
};

/// A fixed sequence of numbers in (−1, 1).
struct Sequence(u64);

impl Sequence {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn rows(&mut self, dimension: usize, n_blocks: usize, per_block: usize) -> Rows {
        let mut rows = Rows::new();
        for _ in 0..n_blocks {
            rows.push_block();
            for row in 0..per_block {
                let coefficients: Vec<f64> = (0..dimension).map(|_| self.next()).collect();
                rows.push_row(row as u32, &coefficients);
            }
        }
        rows
    }
}

/// The most blocks that any cell of an arrangement satisfies: parameters are affine in two coordinates. All lines (rows, half-spaces, the box) are
/// crossed pairwise; between neighbouring crossings the order of the lines does not change, so one upright line there passes every cell.
fn best_of_plane(problem: &Problem, parameters: impl Fn(f64, f64) -> Vec<f64>) -> usize {
    let space = &problem.space;
    let dot =
        |row: &[(u32, f64)], p: &[f64]| row.iter().map(|&(k, v)| v * p[k as usize]).sum::<f64>();
    let mut forms: Vec<Vec<(u32, f64)>> = (0..problem.rows.n_rows())
        .map(|row| {
            let row = problem.rows.row(row);
            row.columns
                .iter()
                .copied()
                .zip(row.values.iter().copied())
                .collect()
        })
        .collect();
    forms.extend(space.half_spaces.iter().cloned());
    let mut lines: Vec<[f64; 3]> = Vec::new();
    let mut push = |f: &dyn Fn(&[f64]) -> f64| {
        let (o, x, y) = (
            f(&parameters(0.0, 0.0)),
            f(&parameters(1.0, 0.0)),
            f(&parameters(0.0, 1.0)),
        );
        lines.push([x - o, y - o, o]);
    };
    for form in &forms {
        push(&|p| dot(form, p));
    }
    for k in 0..space.dimension() {
        push(&|p| p[k] - space.lower[k]);
        push(&|p| space.upper[k] - p[k]);
    }
    let mut crossings = Vec::new();
    for (i, a) in lines.iter().enumerate() {
        if a[1].abs() < 1e-12 && a[0] != 0.0 {
            crossings.push(-a[2] / a[0]);
        }
        for b in &lines[..i] {
            let determinant = a[0] * b[1] - a[1] * b[0];
            if determinant.abs() > 1e-12 {
                crossings.push((a[1] * b[2] - a[2] * b[1]) / determinant);
            }
        }
    }
    crossings.retain(|x| x.abs() < 10.0);
    crossings.sort_by(f64::total_cmp);
    let inside = |p: &[f64]| {
        (0..space.dimension()).all(|k| p[k] >= space.lower[k] && p[k] <= space.upper[k])
            && space.half_spaces.iter().all(|row| dot(row, p) >= 0.0)
    };
    let mut best = 0;
    for pair in crossings.windows(2).filter(|pair| pair[1] - pair[0] > 1e-7) {
        let x = f64::midpoint(pair[0], pair[1]);
        let mut heights: Vec<f64> = lines
            .iter()
            .filter(|line| line[1].abs() > 1e-12)
            .map(|line| -(line[0] * x + line[2]) / line[1])
            .collect();
        heights.sort_by(f64::total_cmp);
        for pair in heights.windows(2) {
            let p = parameters(x, f64::midpoint(pair[0], pair[1]));
            if inside(&p) {
                best = best.max(problem.count(&p));
            }
        }
    }
    best
}

/// The answer's parts fit together: the count, membership of P, and a bound that its conflicts bear out (all sets of dropped blocks are tried).
fn check(problem: &Problem, answer: &Answer) {
    let space = &problem.space;
    let n = problem.rows.n_blocks();
    assert_eq!(problem.count(&answer.parameters), answer.satisfied);
    for (k, p) in answer.parameters.iter().enumerate() {
        assert!((space.lower[k]..=space.upper[k]).contains(p));
    }
    for row in &space.half_spaces {
        assert!(
            row.iter()
                .map(|&(k, v)| v * answer.parameters[k as usize])
                .sum::<f64>()
                >= 0.0
        );
    }
    let Proof::Covering { conflicts, dropped } = &answer.proof else {
        panic!("the bound rests on conflicts");
    };
    assert_eq!(dropped + answer.bound, n);
    assert!(conflicts.iter().all(|conflict| holds(problem, conflict)));
    let sets: Vec<u32> = conflicts
        .iter()
        .map(|conflict| {
            conflict
                .rows
                .iter()
                .fold(0, |set, &(row, _)| set | 1 << problem.rows.block_of(row))
        })
        .collect();
    let least = (0_u32..1 << n)
        .filter(|hit| sets.iter().all(|set| set & hit != 0))
        .map(u32::count_ones)
        .min();
    assert!(least.is_some_and(|least| least as usize >= *dropped));
}

fn solved(problem: &Problem) -> Answer {
    let answer = solve(problem, Start::default(), &Patient);
    check(problem, &answer);
    assert_eq!(answer.satisfied, answer.bound);
    answer
}

#[test]
fn weights_of_three_attributes_as_all_cells_tell() {
    let mut sequence = Sequence(1);
    for per_block in [1, 2, 4] {
        for _ in 0..6 {
            let problem = Problem {
                space: Space::simplex(3),
                rows: sequence.rows(3, 11, per_block),
            };
            let best = best_of_plane(&problem, |x, y| vec![x, y, 1.0 - x - y]);
            assert_eq!(solved(&problem).satisfied, best);
        }
    }
}

#[test]
fn a_measure_on_two_attributes_as_all_cells_tell() {
    // μ({1}) ≤ μ({1, 2}), μ({2}) ≤ μ({1, 2}) = 1, and here μ({1}) ≥ μ({2}) / 2 too.
    let space = Space {
        lower: vec![0.0, 0.0, 1.0],
        upper: vec![1.0; 3],
        half_spaces: vec![
            vec![(0, -1.0), (2, 1.0)],
            vec![(1, -1.0), (2, 1.0)],
            vec![(0, 1.0), (1, -0.5)],
        ],
        ..Space::default()
    };
    let mut sequence = Sequence(2);
    for _ in 0..12 {
        let problem = Problem {
            space: space.clone(),
            rows: sequence.rows(3, 11, 2),
        };
        let best = best_of_plane(&problem, |x, y| vec![x, y, 1.0]);
        assert_eq!(solved(&problem).satisfied, best);
    }
}

#[test]
fn free_signs_as_all_directions_tell() {
    let mut sequence = Sequence(3);
    let space = Space {
        lower: vec![-1.0; 2],
        upper: vec![1.0; 2],
        ..Space::default()
    };
    for _ in 0..12 {
        let problem = Problem {
            space: space.clone(),
            rows: sequence.rows(2, 12, 2),
        };
        // A row changes sign at right angles to itself; between neighbouring changes nothing does.
        let mut turns: Vec<f64> = (0..problem.rows.n_rows())
            .flat_map(|row| {
                let angle = f64::atan2(
                    problem.rows.row(row).values[1],
                    problem.rows.row(row).values[0],
                );
                [1.0, 3.0, 5.0, -1.0, -3.0]
                    .map(|quarters| angle + quarters * std::f64::consts::FRAC_PI_2)
            })
            .collect();
        turns.sort_by(f64::total_cmp);
        let best = turns
            .windows(2)
            .map(|pair| f64::midpoint(pair[0], pair[1]))
            .map(|angle| problem.count(&[angle.cos(), angle.sin()]))
            .max();
        assert_eq!(Some(solved(&problem).satisfied), best);
    }
}

#[test]
fn semidefinite_matrices_do_no_better_than_free_and_no_worse_than_a_grid() {
    let mut sequence = Sequence(4);
    for _ in 0..8 {
        let free = Problem {
            space: Space {
                lower: vec![-1.0; 3],
                upper: vec![1.0; 3],
                ..Space::default()
            },
            rows: sequence.rows(3, 11, 2),
        };
        let mut definite = free.clone();
        definite.space.semidefinite = Some(Semidefinite { order: 2 });
        let answer = solved(&definite);
        assert!(answer.satisfied <= solved(&free).satisfied);
        let [a, b, c] = [0, 1, 2].map(|k| answer.parameters[k]);
        assert!(a >= 0.0 && b >= 0.0 && a * b - c * c >= -1e-15);
        for step in 0..400 {
            for turn in 0..40 {
                let (a, b) = (f64::from(step) / 400.0, 1.0 - f64::from(step) / 400.0);
                let c = (a * b).sqrt() * (f64::from(turn) / 20.0 - 1.0);
                assert!(definite.count(&[a, b, c]) <= answer.satisfied);
            }
        }
    }
}

#[test]
fn threads_change_nothing() {
    let problem = Problem {
        space: Space::simplex(6),
        rows: Sequence(5).rows(6, 40, 3),
    };
    let of = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("threads");
        pool.install(|| solve(&problem, Start::default(), &Patient))
    };
    let one = of(1);
    assert_eq!(one.satisfied, one.bound);
    for other in [of(2), of(4)] {
        assert_eq!(one.parameters, other.parameters);
        assert_eq!(one.proof, other.proof);
    }
}

#[test]
fn stopped_or_satisfied_with_less_the_bound_still_holds() {
    struct Once;
    impl Watch for Once {
        fn stops(&self) -> bool {
            true
        }
    }
    let mut sequence = Sequence(6);
    for _ in 0..5 {
        let problem = Problem {
            space: Space::simplex(4),
            rows: sequence.rows(4, 12, 2),
        };
        let best = solved(&problem).satisfied;
        let stopped = solve(&problem, Start::default(), &Once);
        check(&problem, &stopped);
        assert!(stopped.satisfied <= best && stopped.bound >= best);
        let start = Start {
            tolerance: 2,
            ..Start::default()
        };
        let rough = solve(&problem, start, &Patient);
        check(&problem, &rough);
        assert!(
            rough.satisfied <= best && rough.bound >= best && rough.bound - rough.satisfied <= 2
        );
    }
}

#[test]
fn a_start_is_taken_up() {
    let problem = Problem {
        space: Space::simplex(4),
        rows: Sequence(7).rows(4, 12, 2),
    };
    let answer = solved(&problem);
    let Proof::Covering { conflicts, .. } = answer.proof.clone() else {
        panic!("the bound rests on conflicts");
    };
    let start = Start {
        parameters: Some(answer.parameters.clone()),
        conflicts,
        tolerance: 0,
    };
    let again = solve(&problem, start, &Patient);
    check(&problem, &again);
    assert_eq!(
        (again.satisfied, again.bound),
        (answer.satisfied, answer.bound)
    );
}

#[test]
fn nothing_to_satisfy_and_nothing_that_can_be() {
    let empty = Problem {
        space: Space::simplex(2),
        rows: Rows::new(),
    };
    assert_eq!(solved(&empty).satisfied, 0);
    let mut rows = Rows::new();
    for row in [
        [0.0, 0.0],
        [-1.0, 0.0],
        [-1.0, 1.0],
        [1.0, -1.0],
        [0.0, 1.0],
    ] {
        rows.push_block();
        rows.push_row(0, &row);
    }
    rows.push_block();
    // Of six blocks the first two are never satisfied, the third and fourth not together.
    let problem = Problem {
        space: Space::simplex(2),
        rows,
    };
    assert_eq!(solved(&problem).satisfied, 3);
}

#[test]
fn a_solution_whose_blocks_are_lost_on_the_way_into_p_closes_nothing() {
    // One block, p_1 > p_2, and it can be satisfied. What moves parameters into P is given another P: p_2 ≥ p_1.
    let mut rows = Rows::new();
    rows.push_block();
    rows.push_row(0, &[1.0, -1.0]);
    let problem = Problem {
        space: Space::simplex(2),
        rows,
    };
    assert_eq!(solved(&problem).satisfied, 1);
    let mut other = problem.space.clone();
    other.half_spaces.push(vec![(0, -1.0), (1, 1.0)]);
    let mut search = BranchAndCut::new(&problem, &Start::default(), &Patient);
    search.workers[0].repair = Repair::new(&other);
    search.run(&Patient);
    let answer = search.answer(&Patient);
    check(&problem, &answer);
    assert_eq!((answer.satisfied, answer.bound), (0, 1));
}

#[test]
fn stopped_the_parameters_stay_where_they_are() {
    struct Stopped;
    impl Watch for Stopped {
        fn stops(&self) -> bool {
            true
        }
    }
    let problem = Problem {
        space: Space::simplex(4),
        rows: Sequence(8).rows(4, 12, 2),
    };
    let parameters = vec![0.4, 0.3, 0.2, 0.1];
    let start = Start {
        parameters: Some(parameters.clone()),
        ..Start::default()
    };
    let stopped = solve(&problem, start, &Stopped);
    check(&problem, &stopped);
    assert_eq!(stopped.parameters, parameters);
}

/// With two parameters p = (a, 1 − a) each row holds on a half-line of a: the most intervals over a point.
#[test]
fn on_a_line_the_optimum_is_the_most_intervals_over_a_point() {
    let mut sequence = Sequence(7);
    for case in 0..20 {
        let n_blocks = 12;
        let problem = Problem {
            space: Space::simplex(2),
            rows: sequence.rows(2, n_blocks, 1 + case % 2),
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
        assert_eq!(solved(&problem).satisfied, most);
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
    assert_eq!(solved(&problem).satisfied, 2);
    let nothing = Problem {
        space: Space::simplex(2),
        rows: Rows::new(),
    };
    let answer = solve(&nothing, Start::default(), &Patient);
    assert_eq!((answer.satisfied, answer.bound), (0, 0));
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
            rows: Sequence(5).rows(3, 10, 2),
        };
        let exact = solve(&problem, Start::default(), &Patient);
        for left in 0..60 {
            let answer = solve(&problem, Start::default(), &StopsAt(left.into()));
            check(&problem, &answer);
            assert!(answer.satisfied <= exact.satisfied && answer.bound >= exact.bound);
        }
    }
}
