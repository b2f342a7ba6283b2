//! The engine of the literature: one mixed-integer program with a large constant, handed to a solver.
//!
//! ```text
//! min  Σ_b K_b      s.t.   v·p + M_v K_b ≥ margin   for all rows v of block b,     p ∈ P,   K_b ∈ {0, 1}
//! ```
//!
//! K_b = 1 gives block b up. The literature takes one constant for all rows, which is wrong where it is too small; here each row has
//! its own, from the box of P (of the simplex, exactly): `M_v = margin − min v·p`. A row that is positive everywhere is left out, and a block
//! with a row that is nowhere above the margin is given up at once.
//!
//! It is slow, and its numbers are soft: a solver lets every row and every K miss by its tolerance, and what a K misses counts M times. So
//! the margin must be far above tolerance times M, and parameters that satisfy blocks only by less are not found. The answer counts again
//! what the parameters satisfy, and says what the bound speaks of. It serves as a reference for the other engines.
//!
//! # Semidefinite spaces
//! Solved without the condition; then directions in which the matrix is negative become half-spaces, and again.
//!
//! # Source
//! D. Abril, G. Navarro-Arribas, V. Torra, "Improving record linkage with supervised learning for disclosure risk assessment",
//! Information Fusion 13, 2012, equations 6 to 10.

use super::{Answer, Problem, Proof, Row, Space, Start, Watch, inside::Inside};
use crate::{
    error::{Counted, Error, ErrorKind, Result, above},
    optimize::milp::{self, Column, Limits, MilpAnswer, Model, Solver, Status},
    stats::eigen::Eigen,
};

/// The margin where the solver is exact enough for it.
const MARGIN: f64 = 1e-6;

/// Rounds of half-spaces for a semidefinite space.
const ROUNDS: usize = 100;

/// The smallest eigenvalue that passes for none; the parameters are moved into P by as much.
const NEGATIVE: f64 = 1e-9;

/// How the program is solved.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// By whom.
    pub solver: Solver,
    /// What a row, scaled to a greatest coefficient of 1, must reach; `None`: 1e-6, or ten times what the solver lets a row miss if that is
    /// more.
    pub margin: Option<f64>,
}

impl Default for Options {
    /// The best solver that was built in.
    fn default() -> Self {
        Self {
            solver: Solver::best(),
            margin: None,
        }
    }
}

/// Solves a problem. The conflicts of the start are not used: as rows of the program they made it slower.
///
/// The watch is asked between rounds only; what it says of the time that is left ([`Watch::seconds_left`]) is the solver's limit.
///
/// # Errors
/// Usage, when the margin is too near the tolerance of the solver or the problem is beyond what it can take. Failed, when the solver
/// gives up or claims what cannot be.
pub fn solve(
    problem: &Problem,
    start: &Start,
    watch: &dyn Watch,
    options: Options,
) -> Result<Answer> {
    let margin = margin(problem, options)?;
    let inside = Inside::of(&problem.space);
    let best = match &start.parameters {
        Some(parameters) => parameters.clone(),
        None => inside.any()?,
    };
    let mut search = Known {
        problem,
        watch,
        satisfied: problem.count(&best),
        best,
        bound: problem.rows.n_blocks(),
    };
    let mut model = model(problem, margin);
    for _ in 0..ROUNDS {
        if watch.stops() || search.is_done(start.tolerance) {
            break;
        }
        model.start = Some(search.start());
        let limits = Limits {
            seconds: watch.seconds_left(),
            // Costs are whole numbers.
            gap: start.tolerance as f64 + 0.99,
        };
        let answer = milp::solve(options.solver, &model, limits);
        search.hear(&answer, &inside, options.solver)?;
        let negative = directions(problem, &answer);
        if answer.status != Status::Optimal || negative.is_empty() {
            break;
        }
        model.rows.extend(negative);
    }
    Ok(search.answer(options.solver, margin))
}

/// What is known so far.
struct Known<'a> {
    problem: &'a Problem,
    watch: &'a dyn Watch,
    best: Vec<f64>,
    satisfied: usize,
    bound: usize,
}

impl Known<'_> {
    fn is_done(&self, tolerance: usize) -> bool {
        self.bound.saturating_sub(self.satisfied) <= tolerance
    }

    /// The values of all columns at the best parameters.
    fn start(&self) -> Vec<f64> {
        let blocks = 0..self.problem.rows.n_blocks();
        let given_up = blocks.map(|block| f64::from(!self.problem.satisfies(block, &self.best)));
        self.best.iter().copied().chain(given_up).collect()
    }

    /// Takes the bound of the solver, and counts what its parameters satisfy.
    fn hear(&mut self, answer: &MilpAnswer, inside: &Inside<'_>, solver: Solver) -> Result<()> {
        match &answer.status {
            Status::Optimal | Status::Limit => {}
            Status::Infeasible => {
                return Err(failed(
                    solver,
                    "says that giving up every record is not enough",
                ));
            }
            Status::Failed(why) => return Err(failed(solver, why)),
        }
        if let Some(cost) = answer.bound {
            self.bound = self
                .bound
                .min(self.problem.rows.n_blocks() - at_least(cost));
        }
        let values = answer.values.get(..self.problem.space.dimension());
        if let Some(parameters) = values.and_then(|values| inside.nearest(values)) {
            let satisfied = self.problem.count(&parameters);
            if satisfied > self.satisfied {
                (self.best, self.satisfied) = (parameters, satisfied);
            }
        }
        // Rows below the margin count, where they are positive: the bound does not speak of them.
        self.bound = self.bound.max(self.satisfied);
        self.watch.progress(self.satisfied, self.bound);
        Ok(())
    }

    fn answer(self, solver: Solver, margin: f64) -> Answer {
        let words = format!(
            "the solver {} with tolerance {:e}, for margins of {margin:e} and more; nothing is left that could be checked",
            solver.name(),
            solver.tolerance(),
        );
        Answer {
            parameters: self.best,
            satisfied: self.satisfied,
            bound: self.bound,
            proof: Proof::Search(words),
        }
    }
}

fn failed(solver: Solver, why: &str) -> Error {
    Error::failed(format!("the solver {} failed: {why}", solver.name()))
        .remedy("Take another engine: this one is a reference")
}

/// The least whole number that a cost of at least this can be, allowing for rounding in the solver.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a number of blocks, not negative"
)]
fn at_least(cost: f64) -> usize {
    (cost - 1e-4).ceil().max(0.0) as usize
}

/// The program: parameters first, then one K a block.
fn model(problem: &Problem, margin: f64) -> Model {
    let (space, rows) = (&problem.space, &problem.rows);
    let parameter = |(&lower, &upper): (&f64, &f64)| Column {
        lower,
        upper,
        cost: 0.0,
        whole: false,
    };
    let given_up = Column {
        lower: 0.0,
        upper: 1.0,
        cost: 1.0,
        whole: true,
    };
    let mut model = Model::default();
    let bounds = space.lower.iter().zip(&space.upper);
    model.columns.extend(bounds.map(parameter));
    model.columns.extend((0..rows.n_blocks()).map(|_| given_up));
    if let Some(plane) = &space.plane {
        model.rows.push(milp::Row {
            entries: entries(plane),
            lower: 1.0,
            upper: 1.0,
        });
    }
    let half_spaces = space.half_spaces.iter().map(|row| not_negative(row));
    model.rows.extend(half_spaces);
    for block in 0..rows.n_blocks() {
        let k = space.dimension() + block;
        for row in rows.of_block(block) {
            let row = rows.row(row);
            let (least, greatest) = range(space, row);
            if greatest <= margin {
                model.columns[k].lower = 1.0;
            } else if least < margin {
                // A little more than enough, for the rounding of the sum.
                let large = (margin - least) * (1.0 + 1e-9);
                let pairs = row.columns.iter().zip(row.values);
                let mut entries: Vec<(usize, f64)> = pairs
                    .map(|(&column, &value)| (column as usize, value))
                    .collect();
                entries.push((k, large));
                model.rows.push(milp::Row {
                    entries,
                    lower: margin,
                    upper: f64::INFINITY,
                });
            }
        }
    }
    model
}

/// The margin that is asked for, or one that the solver's tolerance does not reach.
///
/// # Errors
/// Usage, when it does, or when the problem is more than the solver can take.
fn margin(problem: &Problem, options: Options) -> Result<f64> {
    let (space, rows) = (&problem.space, &problem.rows);
    let least = |row| range(space, rows.row(row)).0;
    let largest = (0..rows.n_rows()).fold(1.0, |large: f64, row| large.max(-least(row)));
    // A row misses by the tolerance, and by that of its K times M.
    let slack = options.solver.tolerance() * (largest + 1.0);
    let margin = options.margin.unwrap_or(MARGIN.max(10.0 * slack));
    // Also where it is no number at all.
    if !(margin.is_finite() && margin > slack) {
        let what = format!(
            "a margin of {margin:e} is not above what {} lets a row miss, {slack:.1e}: its answer would mean nothing",
            options.solver.name()
        );
        return Err(Error::out_of_range("margin", above(slack), what)
            .remedy(format!("Give a margin of {:.1e} or more", 10.0 * slack)));
    }
    let work = rows.n_rows().saturating_mul(rows.n_blocks());
    if let Some(most) = options.solver.most_work().filter(|&most| work > most) {
        let pairs = [work as u128, most as u128];
        return Err(Error::too_many(ErrorKind::Usage, Counted::Pairs, pairs, |_, _| {
            format!(
                "{} competitors of {} records are too much for {}",
                rows.n_rows(),
                rows.n_blocks(),
                options.solver.name()
            )
        })
        .remedy(
            "Build with the feature highs (cargo build --features highs), or take another engine",
        ));
    }
    Ok(margin)
}

/// The least and the greatest value of a row in the box of P, or in the simplex.
fn range(space: &Space, row: Row<'_>) -> (f64, f64) {
    if space.is_simplex {
        let absent = row.values.len() < space.dimension();
        let begin = if absent {
            (0.0, 0.0)
        } else {
            (f64::INFINITY, f64::NEG_INFINITY)
        };
        let values = row.values.iter();
        return values.fold(begin, |(least, greatest), &v| {
            (v.min(least), v.max(greatest))
        });
    }
    let (mut least, mut greatest) = (0.0, 0.0);
    for (&column, &v) in row.columns.iter().zip(row.values) {
        let ends = (
            v * space.lower[column as usize],
            v * space.upper[column as usize],
        );
        least += ends.0.min(ends.1);
        greatest += ends.0.max(ends.1);
    }
    (least, greatest)
}

fn entries(row: &[(u32, f64)]) -> Vec<(usize, f64)> {
    row.iter()
        .map(|&(column, value)| (column as usize, value))
        .collect()
}

fn not_negative(row: &[(u32, f64)]) -> milp::Row {
    milp::Row {
        entries: entries(row),
        lower: 0.0,
        upper: f64::INFINITY,
    }
}

/// The half-spaces that a solution violates because its matrix is not semidefinite.
fn directions(problem: &Problem, answer: &MilpAnswer) -> Vec<milp::Row> {
    let space = &problem.space;
    let (Some(form), Some(values)) = (space.semidefinite, answer.values.get(..space.dimension()))
    else {
        return Vec::new();
    };
    let Eigen { values, vectors } = form.eigen(values);
    let negative = values
        .iter()
        .zip(vectors.columns())
        .filter(|(value, _)| **value < -NEGATIVE);
    negative
        .map(|(_, direction)| not_negative(&form.half_space(&direction.to_vec())))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Options, solve};
    use crate::optimize::{
        milp::Solver,
        subsystem::{Patient, Problem, Proof, Rows, Semidefinite, Space, Start, Watch},
    };

    fn problem(space: Space, blocks: &[Vec<Vec<f64>>]) -> Problem {
        let mut rows = Rows::new();
        for block in blocks {
            rows.push_block();
            block.iter().for_each(|row| rows.push_row(0, row));
        }
        Problem { space, rows }
    }

    fn solvers() -> Vec<Solver> {
        let mut solvers = vec![Solver::Microlp, Solver::best()];
        solvers.dedup();
        solvers
    }

    fn options(solver: Solver) -> Options {
        Options {
            solver,
            ..Options::default()
        }
    }

    /// Blocks of rows of small whole numbers, the same each time.
    fn blocks(seed: u64, n_blocks: usize, n_rows: usize, dimension: usize) -> Vec<Vec<Vec<f64>>> {
        let mut state = seed;
        let mut number = || {
            // Knuth's linear congruential generator (MMIX).
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) % 9) as f64 - 4.0
        };
        let mut row = || (0..dimension).map(|_| number()).collect();
        (0..n_blocks)
            .map(|_| (0..n_rows).map(|_| row()).collect())
            .collect()
    }

    /// The most blocks that one of two free parameters' open cells satisfies. The cells are cut by the lines where a row or a bound
    /// is 0; each is convex with three corners at least, and the middle of three corners not in line is inside it.
    fn best_of_all_cells(
        problem: &Problem,
        lift: impl Fn(f64, f64) -> Vec<f64>,
        edges: &[[f64; 3]],
    ) -> usize {
        let line = |value: &dyn Fn(&[f64]) -> f64| {
            let origin = value(&lift(0.0, 0.0));
            [
                value(&lift(1.0, 0.0)) - origin,
                value(&lift(0.0, 1.0)) - origin,
                origin,
            ]
        };
        let mut lines = edges.to_vec();
        for row in 0..problem.rows.n_rows() {
            lines.push(line(&|p| problem.rows.row(row).dot(p).0));
        }
        let inside = |x: f64, y: f64| edges.iter().all(|e| e[0] * x + e[1] * y + e[2] >= -1e-9);
        let mut corners: Vec<(f64, f64)> = Vec::new();
        for (i, a) in lines.iter().enumerate() {
            for b in &lines[i + 1..] {
                let determinant = a[0] * b[1] - a[1] * b[0];
                let x = (a[1] * b[2] - a[2] * b[1]) / determinant;
                let y = (a[2] * b[0] - a[0] * b[2]) / determinant;
                let known = |c: &(f64, f64)| (c.0 - x).abs() + (c.1 - y).abs() < 1e-9;
                if determinant.abs() > 1e-9 && inside(x, y) && !corners.iter().any(known) {
                    corners.push((x, y));
                }
            }
        }
        let mut best = 0;
        for (i, a) in corners.iter().enumerate() {
            for (j, b) in corners.iter().enumerate().skip(i + 1) {
                for c in &corners[j + 1..] {
                    let middle = lift((a.0 + b.0 + c.0) / 3.0, (a.1 + b.1 + c.1) / 3.0);
                    best = best.max(problem.count(&middle));
                }
            }
        }
        best
    }

    #[test]
    fn weights_satisfy_as_many_blocks_as_the_best_cell() {
        for seed in 0..6 {
            let problem = problem(Space::simplex(3), &blocks(seed, 7, 2, 3));
            let edges = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-1.0, -1.0, 1.0]];
            let best = best_of_all_cells(&problem, |x, y| vec![x, y, 1.0 - x - y], &edges);
            for solver in solvers() {
                let answer = solve(&problem, &Start::default(), &Patient, options(solver)).unwrap();
                assert_eq!(
                    (answer.satisfied, answer.bound),
                    (best, best),
                    "seed {seed}, {solver:?}"
                );
                assert_eq!(problem.count(&answer.parameters), best);
                assert!(matches!(answer.proof, Proof::Search(_)));
            }
        }
    }

    /// μ({1}) ≤ 1, μ({2}) ≤ 1, μ(V) = 1.
    #[test]
    fn measures_satisfy_as_many_blocks_as_the_best_cell() {
        let space = Space {
            lower: vec![0.0, 0.0, 1.0],
            upper: vec![1.0; 3],
            half_spaces: vec![vec![(0, -1.0), (2, 1.0)], vec![(1, -1.0), (2, 1.0)]],
            ..Space::default()
        };
        for seed in 10..16 {
            let problem = problem(space.clone(), &blocks(seed, 7, 2, 3));
            let edges = [
                [1.0, 0.0, 0.0],
                [0.0, 1.0, 0.0],
                [-1.0, 0.0, 1.0],
                [0.0, -1.0, 1.0],
            ];
            let best = best_of_all_cells(&problem, |x, y| vec![x, y, 1.0], &edges);
            for solver in solvers() {
                let answer = solve(&problem, &Start::default(), &Patient, options(solver)).unwrap();
                assert_eq!(
                    (answer.satisfied, answer.bound),
                    (best, best),
                    "seed {seed}, {solver:?}"
                );
            }
        }
    }

    /// S = (a c; c b). c > a and c > b together give c² > ab: not semidefinite. Without that condition (0, 0, 1) satisfies both.
    #[test]
    fn a_semidefinite_matrix_cannot_do_what_a_free_one_can() {
        let rows = [vec![vec![-1.0, 0.0, 1.0]], vec![vec![0.0, -1.0, 1.0]]];
        let free = Space {
            lower: vec![-1.0; 3],
            upper: vec![1.0; 3],
            ..Space::default()
        };
        let definite = Space {
            semidefinite: Some(Semidefinite { order: 2 }),
            ..free.clone()
        };
        for solver in solvers() {
            for (space, most) in [(free.clone(), 2), (definite.clone(), 1)] {
                let problem = problem(space, &rows);
                let answer = solve(&problem, &Start::default(), &Patient, options(solver)).unwrap();
                assert_eq!((answer.satisfied, answer.bound), (most, most), "{solver:?}");
            }
            let problem = problem(definite.clone(), &rows);
            let p = solve(&problem, &Start::default(), &Patient, options(solver))
                .unwrap()
                .parameters;
            assert!(p[0] * p[1] >= p[2] * p[2] && p[0] >= 0.0, "{p:?}");
        }
    }

    /// Nothing but p_1 − 1e6 p_2 > 0 and p_2 > 0: satisfied for p_2 < 1e-6, by less than 1e-6 of the second row.
    #[test]
    fn what_lies_below_the_margin_is_not_found_but_is_counted_if_it_is_given() {
        let problem = problem(
            Space::simplex(2),
            &[vec![vec![1e-6, -1.0]], vec![vec![0.0, 1.0]]],
        );
        let options = options(Solver::Microlp);
        let blind = solve(&problem, &Start::default(), &Patient, options).unwrap();
        assert_eq!((blind.satisfied, blind.bound), (1, 1));
        let start = Start {
            parameters: Some(vec![1.0 - 5e-7, 5e-7]),
            ..Start::default()
        };
        let found = solve(&problem, &start, &Patient, options).unwrap();
        assert_eq!((found.satisfied, found.bound), (2, 2));
    }

    #[test]
    fn a_margin_within_the_tolerance_is_refused() {
        let problem = problem(Space::simplex(2), &[vec![vec![1.0, -1.0]]]);
        let options = Options {
            margin: Some(1e-7),
            ..options(Solver::Microlp)
        };
        let error = solve(&problem, &Start::default(), &Patient, options).unwrap_err();
        assert!(error.what().contains("margin"), "{}", error.what());
    }

    /// No time is left, though nobody has said stop.
    struct Late;

    impl Watch for Late {
        fn stops(&self) -> bool {
            false
        }

        fn seconds_left(&self) -> Option<f64> {
            Some(0.0)
        }
    }

    #[test]
    fn no_time_still_gives_a_bound_that_holds() {
        let problem = problem(Space::simplex(3), &blocks(1, 7, 2, 3));
        let answer = solve(&problem, &Start::default(), &Late, options(Solver::Microlp)).unwrap();
        assert_eq!(answer.satisfied, problem.count(&answer.parameters));
        assert_eq!(answer.bound, 7);
    }
}
