//! Branch and cut over blocks: which of them are kept, which dropped.
//!
//! A *conflict* is a set of blocks that no parameters satisfy together; what is dropped must hit all conflicts, and what hits all of
//! them can be dropped. Conflicts are found as they are needed, and their linear relaxation bounds the search:
//!
//! ```text
//! min Σ z_b      Σ_{b ∈ C} z_b ≥ 1 for the conflicts C found so far      0 ≤ z ≤ 1
//! ```
//!
//! 1. Ask whether the blocks of weight 0 can be satisfied together. If not, the multipliers of the linear programme name a conflict; blocks are
//!    left out of it as long as it stays one, those of greatest weight first. That makes it small, and small conflicts are what the
//!    bound lives on: a few hundred of them do more than thousands of those that the programme names first.
//! 2. If they can, look for conflicts that the fractional weights violate: among the blocks that decide the greatest margin when each is let go by
//!    its weight, and, before the first division, among those that stop the blocks of weight 0 from growing.
//! 3. If there are none, or they hardly raise the bound: divide by a block that is kept in one half and dropped in the other.
//!
//! Kept blocks weigh nothing, so conflicts found below them are those of a smaller cone; all of them hold everywhere.
//!
//! # Determinism
//! Each round gives the `WORKERS` most promising nodes to workers of which each has programmes of its own. What they find is put together in
//! their order. The number of threads changes nothing.
//!
//! # Source
//! M. Parker, J. Ryan, "Finding the minimum weight IIS cover of an infeasible system of linear inequalities", Annals of Mathematics
//! and Artificial Intelligence 17, 1996; M. Pfetsch, "Branch-and-cut for the maximum feasible subsystem problem", SIAM Journal on
//! Optimization 19, 2008; G. Codato, M. Fischetti, "Combinatorial Benders' cuts", Operations Research 54, 2006. Branching by experience: T. Achterberg,
//! T. Koch, A. Martin, "Branching rules revisited", Operations Research Letters 33, 2005.

mod cover;
mod oracle;
mod repair;
mod separate;
#[cfg(test)]
mod tests;
mod worker;

use rayon::prelude::*;

use super::{Answer, Conflict, Problem, Proof, Start, Watch};
use worker::{Subproblem, Worker, whole};

/// How far a weight may be from a whole number and count as one.
const WHOLE: f64 = 1e-6;
/// Nodes that are worked on side by side.
const WORKERS: usize = 4;
/// Nodes that a worker attends to in one round.
const NODES: usize = 16;

/// The most blocks, by branch and cut.
///
/// The bound rests on conflicts alone ([`Proof::Covering`]), whether or not the search was stopped.
pub fn solve(problem: &Problem, start: Start, watch: &dyn Watch) -> Answer {
    let mut search = BranchAndCut::new(problem, &start, watch);
    search.run(watch);
    search.answer(watch)
}

/// The state of the search.
struct BranchAndCut<'a> {
    problem: &'a Problem,
    tolerance: usize,
    workers: Vec<Worker<'a>>,
    open: Vec<Subproblem>,
    conflicts: Vec<Conflict>,
}

impl<'a> BranchAndCut<'a> {
    fn new(problem: &'a Problem, start: &Start, watch: &dyn Watch) -> Self {
        let mut worker = Worker::new(problem, start.tolerance);
        if let Some(parameters) = &start.parameters {
            worker.best.clone_from(parameters);
            worker.satisfied = problem.count(parameters);
        }
        for conflict in &start.conflicts {
            worker.learn(conflict, watch);
        }
        Self {
            problem,
            tolerance: start.tolerance,
            workers: vec![worker],
            open: vec![Subproblem {
                weight: 0.0,
                fixed: Vec::new(),
            }],
            conflicts: Vec::new(),
        }
    }

    fn run(&mut self, watch: &dyn Watch) {
        while !self.open.is_empty()
            && self.bound() > self.satisfied() + self.tolerance
            && !watch.stops()
        {
            let nodes = self.take();
            let most = if self.workers.len() == 1 { 1 } else { NODES };
            self.workers
                .par_iter_mut()
                .zip(nodes)
                .for_each(|(worker, node)| worker.work(node, most, watch));
            self.gather();
            watch.progress(self.satisfied(), self.bound());
        }
    }

    /// The most promising nodes, one for each worker at most.
    fn take(&mut self) -> Vec<Subproblem> {
        let cutoff = self.workers[0].cutoff();
        self.open.retain(|node| node.weight <= cutoff);
        // Stable: of equal weights the newest is last.
        self.open.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        let first = self.open.len().saturating_sub(self.workers.len());
        let mut nodes = self.open.split_off(first);
        nodes.reverse();
        nodes
    }

    /// Puts together what the workers found, and shares it with all of them.
    fn gather(&mut self) {
        let mut cuts = Vec::new();
        for worker in &mut self.workers {
            self.open.append(&mut worker.open);
            cuts.append(&mut worker.fresh);
        }
        let best = self
            .workers
            .iter()
            .map(|worker| worker.satisfied)
            .max()
            .unwrap_or(0);
        let parameters = self
            .workers
            .iter()
            .find(|worker| worker.satisfied == best)
            .map(|worker| worker.best.clone());
        for worker in &mut self.workers {
            if worker.satisfied < best {
                worker.satisfied = best;
                worker.best = parameters.clone().unwrap_or_default();
            }
        }
        for cut in &cuts {
            for worker in &mut self.workers {
                worker.share(cut);
            }
        }
        self.conflicts
            .extend(cuts.into_iter().map(|cut| cut.conflict));
        if self.workers.len() < WORKERS && !self.open.is_empty() {
            self.workers.resize(WORKERS, self.workers[0].clone());
        }
    }

    fn satisfied(&self) -> usize {
        self.workers
            .iter()
            .map(|worker| worker.satisfied)
            .max()
            .unwrap_or(0)
    }

    /// No parameters satisfy more.
    fn bound(&self) -> usize {
        let doubt = self.workers.iter().map(|worker| worker.doubt);
        let least = self
            .open
            .iter()
            .map(|node| node.weight)
            .chain(doubt)
            .fold(f64::INFINITY, f64::min);
        let n = self.problem.rows.n_blocks();
        let reachable = self.satisfied() + self.tolerance;
        (n - whole(least, n)).max(reachable).min(n)
    }

    fn answer(mut self, watch: &dyn Watch) -> Answer {
        let satisfied = self.satisfied();
        self.workers.retain(|worker| worker.satisfied == satisfied);
        if !watch.stops() {
            self.workers[0].centre();
        }
        let bound = self.bound();
        Answer {
            parameters: self.workers[0].best.clone(),
            satisfied: self.satisfied(),
            bound,
            proof: Proof::Covering {
                conflicts: self.conflicts,
                dropped: self.problem.rows.n_blocks() - bound,
            },
        }
    }
}
