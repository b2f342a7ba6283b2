//! Which engine solves a problem.

use serde::{Deserialize, Serialize};

use super::{Answer, Problem, Proof, Start, Watch, branch, cone, naive, parts};
use crate::error::Result;

/// Weighted means of up to so many attributes are quickest proven over cells.
const CONE_UP_TO: usize = 5;

/// Beyond these, cells have too many corners.
const CELLS_UP_TO: usize = 7;

/// The covering program of the search over blocks is dense: beyond so many blocks, cells are tried first where they can be.
const BRANCH_UP_TO: usize = 2_000;

/// A way to solve the problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Engine {
    /// Whichever suits the problem, one after the other.
    Auto,
    /// Branch and bound over simplicial cones; for weighted means.
    Cone,
    /// Branch and cut over blocks. `hitting-set` was an engine with the same proofs.
    #[serde(alias = "hitting-set")]
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
    let (n_blocks, is_simplex) = (problem.rows.n_blocks(), problem.space.is_simplex);
    if let Some(parameters) = start
        .parameters
        .as_ref()
        .filter(|parameters| problem.count(parameters) == n_blocks)
    {
        return Ok(Answer {
            parameters: parameters.clone(),
            satisfied: n_blocks,
            bound: n_blocks,
            proof: Proof::Covering {
                conflicts: Vec::new(),
                dropped: 0,
            },
        });
    }
    let is_auto = engine == Engine::Auto;
    let engine = match engine {
        Engine::Auto if is_simplex && problem.space.dimension() <= CONE_UP_TO => Engine::Cone,
        Engine::Auto if n_blocks <= BRANCH_UP_TO => Engine::Branch,
        // Its corners take memory of the records alone.
        Engine::Auto if is_simplex && problem.space.dimension() <= CELLS_UP_TO => Engine::Cone,
        Engine::Auto => Engine::Branch,
        chosen => chosen,
    };
    // What parts prove could not be checked as a whole.
    if is_auto && engine == Engine::Branch && n_blocks <= BRANCH_UP_TO && !keeps_proof {
        return Ok(parts::solve(problem, start, watch));
    }
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
        Engine::Auto | Engine::Branch => Ok(branch::solve(problem, start, watch)),
        Engine::Milp => naive::solve(problem, &start, watch, naive::Options::default()),
    }
}
