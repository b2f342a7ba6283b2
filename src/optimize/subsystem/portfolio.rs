//! Which engine solves a problem.

use super::{Answer, Problem, Proof, Start, Watch, line_search, naive};
use crate::error::Result;

/// Restarts of the line search before a proof is begun.
const RESTARTS: usize = 40;

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
    _keeps_proof: bool,
    watch: &dyn Watch,
) -> Result<Answer> {
    let starts: Vec<Vec<f64>> = start.parameters.iter().cloned().collect();
    let (parameters, satisfied) = line_search::improve(problem, &starts, RESTARTS, watch);
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
    match engine {
        Engine::Milp => naive::solve(problem, &start, watch, naive::Options::default()),
        _ => Ok(Answer {
            parameters: start.parameters.unwrap_or_default(),
            satisfied,
            bound: n_blocks,
            proof: Proof::Search("nothing".into()),
        }),
    }
}
