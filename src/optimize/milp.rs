//! Mixed-integer linear programs, handed to a solver from elsewhere.
//!
//! ```text
//! min  Σ cost_c x_c     lower_c ≤ x_c ≤ upper_c,  x_c whole where asked     lower_r ≤ Σ a_rc x_c ≤ upper_r
//! ```
//!
//! This is the only file that names `good_lp`. The default build has one solver, `microlp`, in pure Rust; the feature `highs` adds HiGHS,
//! which needs CMake and libclang to build.
//!
//! `good_lp` folds every limit into one status and hides the bound, so status and bound are read from the solvers themselves, and
//! what a solver calls optimal is called so here only if its own bound is within the gap.
//!
//! # Determinism
//! One thread, a fixed seed. A limit of time is the only thing that can make two runs differ.

use good_lp::{
    Expression, ProblemVariables, Solution, SolverModel, Variable, WithInitialSolution,
    WithTimeLimit,
    solvers::{ResolutionError, SolutionStatus},
    variable,
};

use crate::error::fenced;

/// A solver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Solver {
    /// `microlp`: branch and bound in pure Rust, for small models.
    Microlp,
    /// HiGHS.
    #[cfg(feature = "highs")]
    Highs,
}

impl Solver {
    /// The best one that was built in.
    pub fn best() -> Self {
        #[cfg(feature = "highs")]
        return Self::Highs;
        #[cfg(not(feature = "highs"))]
        Self::Microlp
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Microlp => "microlp",
            #[cfg(feature = "highs")]
            Self::Highs => "HiGHS",
        }
    }

    /// By how much a value that it gives may miss a bound of a row or a column.
    pub fn tolerance(self) -> f64 {
        match self {
            // What it accepts as feasible; good_lp cannot change it.
            Self::Microlp => 1e-7,
            #[cfg(feature = "highs")]
            Self::Highs => 1e-9,
        }
    }

    /// The most rows times whole columns that it should be given; `None` for no limit.
    pub fn most_work(self) -> Option<usize> {
        match self {
            Self::Microlp => Some(MAX_FOR_MICROLP),
            #[cfg(feature = "highs")]
            Self::Highs => None,
        }
    }
}

/// Rows times whole columns. With 11.5 million (28,805 rows, 400 columns) `microlp` kept its limit of time to the second; with 59 million (154,014
/// rows, 386 columns) it took twice the limit of 30 seconds and found no solution.
const MAX_FOR_MICROLP: usize = 1 << 24;

/// The longest limit of time that is passed on, in seconds: a year.
const LONGEST: f64 = 31_536_000.0;

/// A model: minimise the cost.
#[derive(Debug, Clone, Default)]
pub struct Model {
    /// The variables, with bounds and costs.
    pub columns: Vec<Column>,
    /// The constraints.
    pub rows: Vec<Row>,
    /// Values to begin with, one a column. A solver may disregard them.
    pub start: Option<Vec<f64>>,
}

/// A column.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    /// Its least value.
    pub lower: f64,
    /// Its greatest value.
    pub upper: f64,
    /// What a unit of it costs.
    pub cost: f64,
    /// Whether it must be a whole number.
    pub whole: bool,
}

/// A row.
#[derive(Debug, Clone)]
pub struct Row {
    /// Columns and their coefficients; each column once.
    pub entries: Vec<(usize, f64)>,
    /// The least value.
    pub lower: f64,
    /// The greatest value; infinite for none.
    pub upper: f64,
}

/// When to stop.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// After this many seconds; `None` for never.
    pub seconds: Option<f64>,
    /// When the cost is proven to be within this of the least cost.
    pub gap: f64,
}

/// How a solver ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// With a solution and a bound within the gap.
    Optimal,
    /// At a limit; there may be a solution and a bound.
    Limit,
    /// With the claim that no solution exists.
    Infeasible,
    /// In some other way, in words.
    Failed(String),
}

/// What a solver found.
#[derive(Debug, Clone)]
pub struct MilpAnswer {
    /// How it ended.
    pub status: Status,
    /// The values of the columns; empty if there is no solution.
    pub values: Vec<f64>,
    /// Their cost; infinite without a solution.
    pub objective: f64,
    /// What no solution costs less than; `None` if the solver does not report it.
    pub bound: Option<f64>,
    /// Nodes of the search, if the solver reports them.
    pub nodes: Option<u64>,
}

impl MilpAnswer {
    fn without_solution(status: Status, bound: Option<f64>) -> Self {
        Self {
            status,
            values: Vec::new(),
            objective: f64::INFINITY,
            bound: bound.filter(|bound| bound.is_finite()),
            nodes: None,
        }
    }
}

/// Solves a model.
///
/// # Errors
/// None as such: a solver that fails says so in [`Status::Failed`].
pub fn solve(solver: Solver, model: &Model, limits: Limits) -> MilpAnswer {
    let solved = fenced("the solver", || match solver {
        Solver::Microlp => with_microlp(model, limits),
        #[cfg(feature = "highs")]
        Solver::Highs => highs::solve(model, limits),
    });
    solved.unwrap_or_else(|error| {
        MilpAnswer::without_solution(Status::Failed(error.to_string()), None)
    })
}

/// Seconds that any solver understands.
fn seconds(limits: Limits) -> Option<f64> {
    let known = limits.seconds.filter(|seconds| !seconds.is_nan());
    known.map(|seconds| seconds.clamp(0.0, LONGEST))
}

fn with_microlp(model: &Model, limits: Limits) -> MilpAnswer {
    let (variables, columns, cost) = declared(model);
    let mut problem = variables.minimise(cost).using(good_lp::microlp);
    add_rows(&mut problem, model, &columns);
    if let Some(start) = &model.start {
        problem = problem.with_initial_solution(columns.iter().copied().zip(start.iter().copied()));
    }
    if let Some(seconds) = seconds(limits) {
        problem = problem.with_time_limit(seconds);
    }
    let solution = match problem.solve() {
        Ok(solution) => solution,
        Err(ResolutionError::Infeasible) => {
            return MilpAnswer::without_solution(Status::Infeasible, None);
        }
        // The only other reason that good_lp gives for it is a time limit before any solution.
        Err(ResolutionError::Other(_)) => return MilpAnswer::without_solution(Status::Limit, None),
        Err(error) => {
            return MilpAnswer::without_solution(Status::Failed(error.to_string()), None);
        }
    };
    let values: Vec<f64> = columns.iter().map(|&c| solution.value(c)).collect();
    let ended_well = matches!(solution.status(), SolutionStatus::Optimal);
    let inner = solution.into_inner();
    let (stats, objective) = (inner.stats(), inner.objective());
    let whole = model.columns.iter().any(|column| column.whole);
    // It gives no bound of a model without whole columns; there the optimum is one.
    let bound = if whole {
        stats.best_bound
    } else {
        ended_well.then_some(objective)
    };
    ended(values, objective, bound, Some(stats.nodes_solved), limits)
}

/// With a solution: optimal if the bound says so.
fn ended(
    values: Vec<f64>,
    objective: f64,
    bound: Option<f64>,
    nodes: Option<u64>,
    limits: Limits,
) -> MilpAnswer {
    let bound = bound.filter(|bound| bound.is_finite());
    let slack = 1e-6 * objective.abs().max(1.0);
    let proven = bound.is_some_and(|bound| objective - bound <= limits.gap + slack);
    MilpAnswer {
        status: if proven {
            Status::Optimal
        } else {
            Status::Limit
        },
        values,
        objective,
        bound,
        nodes,
    }
}

/// The columns of a model in the words of `good_lp`, and the cost.
fn declared(model: &Model) -> (ProblemVariables, Vec<Variable>, Expression) {
    let mut variables = ProblemVariables::new();
    let mut cost = Expression::with_capacity(model.columns.len());
    let columns = model
        .columns
        .iter()
        .map(|column| {
            let mut definition = variable().min(column.lower).max(column.upper);
            if column.whole {
                definition = definition.integer();
            }
            let variable = variables.add(definition);
            cost.add_mul(column.cost, variable);
            variable
        })
        .collect();
    (variables, columns, cost)
}

fn add_rows(problem: &mut impl SolverModel, model: &Model, columns: &[Variable]) {
    for row in &model.rows {
        let mut sum = Expression::with_capacity(row.entries.len());
        for &(column, coefficient) in &row.entries {
            sum.add_mul(coefficient, columns[column]);
        }
        if row.lower >= row.upper {
            problem.add_constraint(sum.eq(row.lower));
            continue;
        }
        if row.upper.is_finite() {
            problem.add_constraint(sum.clone().leq(row.upper));
        }
        if row.lower.is_finite() {
            problem.add_constraint(sum.geq(row.lower));
        }
    }
}

#[cfg(feature = "highs")]
mod highs {
    //! HiGHS through the model inside `good_lp`'s, which reports status, bound and nodes.

    use super::{Limits, MilpAnswer, Model, Solver, Status, add_rows, declared, ended, seconds};

    /// HiGHS's code of a feasible point.
    const FEASIBLE: i64 = 2;

    pub fn solve(model: &Model, limits: Limits) -> MilpAnswer {
        run(model, limits)
            .unwrap_or_else(|why| MilpAnswer::without_solution(Status::Failed(why), None))
    }

    fn run(model: &Model, limits: Limits) -> Result<MilpAnswer, String> {
        let (variables, columns, cost) = declared(model);
        let mut problem = variables.minimise(cost).using(good_lp::highs);
        add_rows(&mut problem, model, &columns);
        let mut inner = problem
            .try_into_inner()
            .map_err(|error| error.to_string())?;
        let tolerance = Solver::Highs.tolerance();
        let limit = seconds(limits).unwrap_or(f64::INFINITY);
        let numbers = [
            ("mip_rel_gap", 0.0),
            ("mip_abs_gap", limits.gap),
            ("mip_feasibility_tolerance", tolerance),
            ("primal_feasibility_tolerance", tolerance),
            ("time_limit", limit),
        ];
        let refused = |option: &str| format!("HiGHS does not take the option {option}");
        for (option, value) in numbers {
            let set = inner.try_set_option(option, value);
            set.map_err(|_| refused(option))?;
        }
        for (option, value) in [("threads", 1), ("random_seed", 0)] {
            let set = inner.try_set_option(option, value);
            set.map_err(|_| refused(option))?;
        }
        if let Some(start) = &model.start {
            // A start that it does not take is no loss.
            let _ = inner.try_set_solution(Some(start), None, None, None);
        }
        let solved = inner.try_solve().map_err(|error| format!("{error:?}"))?;
        // The type of the status belongs to a crate that only good_lp names.
        let status = format!("{:?}", solved.status());
        let whole = model.columns.iter().any(|column| column.whole);
        let objective = solved.objective_value();
        let bound = match (whole, status.as_str()) {
            (true, _) => solved.double_info_value(c"mip_dual_bound").ok(),
            (false, "Optimal") => Some(objective),
            (false, _) => None,
        };
        if solved.int_info_value(c"primal_solution_status") == Ok(FEASIBLE) {
            let nodes = solved.int_info_value(c"mip_node_count").ok();
            let nodes = nodes.and_then(|nodes| u64::try_from(nodes).ok());
            let values = solved.get_solution().columns().to_vec();
            return Ok(ended(values, objective, bound, nodes, limits));
        }
        let status = match status.as_str() {
            "Infeasible" => Status::Infeasible,
            "ReachedTimeLimit" | "ReachedInterrupt" | "ReachedMemoryLimit" => Status::Limit,
            other => Status::Failed(format!("HiGHS ended with {other}")),
        };
        Ok(MilpAnswer::without_solution(status, bound))
    }
}

#[cfg(test)]
mod tests {
    use super::{Column, Limits, Model, Row, Solver, Status, solve};

    const TO_THE_END: Limits = Limits {
        seconds: None,
        gap: 0.0,
    };

    fn solvers() -> Vec<Solver> {
        let mut solvers = vec![Solver::Microlp, Solver::best()];
        solvers.dedup();
        solvers
    }

    /// max 5x + 4y, 6x + 4y ≤ 24, x + 2y ≤ 6: 21 at (3, 1.5), in whole numbers 20 at (4, 0) (H. A. Taha, "Operations Research").
    fn paints(whole: bool) -> Model {
        let column = |cost| Column {
            lower: 0.0,
            upper: 10.0,
            cost,
            whole,
        };
        let row = |entries: [(usize, f64); 2], upper| Row {
            entries: entries.to_vec(),
            lower: f64::NEG_INFINITY,
            upper,
        };
        Model {
            columns: vec![column(-5.0), column(-4.0)],
            rows: vec![
                row([(0, 6.0), (1, 4.0)], 24.0),
                row([(0, 1.0), (1, 2.0)], 6.0),
            ],
            start: None,
        }
    }

    #[test]
    fn an_optimum_comes_with_its_bound() {
        for solver in solvers() {
            for (whole, values, cost) in [(false, [3.0, 1.5], -21.0), (true, [4.0, 0.0], -20.0)] {
                let answer = solve(solver, &paints(whole), TO_THE_END);
                assert_eq!(answer.status, Status::Optimal, "{solver:?}");
                assert!((answer.objective - cost).abs() < 1e-6);
                assert!((answer.bound.unwrap() - cost).abs() < 1e-6);
                for (found, value) in answer.values.iter().zip(values) {
                    assert!((found - value).abs() < 1e-6, "{:?}", answer.values);
                }
            }
        }
    }

    #[test]
    fn twice_a_whole_number_is_not_odd() {
        for solver in solvers() {
            let mut model = paints(true);
            model.rows.push(Row {
                entries: vec![(0, 2.0), (1, 2.0)],
                lower: 3.0,
                upper: 3.0,
            });
            let answer = solve(solver, &model, TO_THE_END);
            assert_eq!(answer.status, Status::Infeasible, "{solver:?}");
            assert!(answer.values.is_empty());
        }
    }

    #[test]
    fn without_time_nothing_is_claimed() {
        let limits = Limits {
            seconds: Some(0.0),
            gap: 0.0,
        };
        let answer = solve(Solver::Microlp, &paints(true), limits);
        assert_eq!(answer.status, Status::Limit);
        assert_eq!(answer.bound, None);
    }
}
