//! Which engine solves a problem.

use super::{Answer, Problem, Start, Watch};

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
pub fn solve(
    _problem: &Problem,
    _start: Start,
    _engine: Engine,
    _keeps_proof: bool,
    _watch: &dyn Watch,
) -> Answer {
    todo!()
}
