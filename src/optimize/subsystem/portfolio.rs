//! Which engine solves a problem.

use super::{Answer, Problem, Proof, Start, Watch, branch, cone, hitting_set, line_search, naive};
use crate::error::Result;

/// Restarts of the line search before a proof is begun.
const RESTARTS: usize = 40;

/// The cone search takes weighted means of up to so many attributes; beyond, cells have too many corners.
const CONE_UP_TO: usize = 7;

/// A way to solve the problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// Whichever suits the problem, one after the other.
    Auto,
    /// Implicit hitting sets.
    HittingSet,
    /// Branch and bound over simplicial cones; for weighted means.
    Cone,
    /// Branch and bound over blocks.
    Branch,
    /// The paper's mixed integer program, by a solver: the reference.
    Milp,
}

/// Solves a problem.
///
/// # Errors
/// Usage or Failed, when the engine asked for cannot take the problem.
pub fn solve(
    problem: &Problem,
    start: Start,
    engine: Engine,
    keeps_proof: bool,
    watch: &dyn Watch,
) -> Result<Answer> {
    let starts: Vec<Vec<f64>> = start.parameters.iter().cloned().collect();
    let restarts = match problem.space.is_simplex {
        true => RESTARTS,
        // Lines are many there, and the linear programs of the engines find good parameters themselves.
        false => 0,
    };
    let (parameters, satisfied) = line_search::improve(problem, &starts, restarts, watch);
    let n_blocks = problem.rows.n_blocks();
    if satisfied == n_blocks {
        return Ok(Answer {
            parameters,
            satisfied,
            bound: n_blocks,
            proof: Proof::Covering {
                conflicts: Vec::new(),
                dropped: 0,
            },
        });
    }
    let start = Start {
        parameters: Some(parameters),
        ..start
    };
    let engine = match engine {
        Engine::Auto if problem.space.is_simplex && problem.space.dimension() <= CONE_UP_TO => {
            Engine::Cone
        }
        Engine::Auto => Engine::HittingSet,
        chosen => chosen,
    };
    match engine {
        Engine::Cone => Ok(cone::solve_with(
            problem,
            start,
            watch,
            cone::Options {
                records_proof: keeps_proof,
                ..cone::Options::default()
            },
        )),
        Engine::Auto | Engine::HittingSet => Ok(hitting_set::solve(problem, start, watch)),
        Engine::Branch => Ok(branch::solve(problem, start, watch)),
        Engine::Milp => naive::solve(problem, &start, watch, naive::Options::default()),
    }
}
