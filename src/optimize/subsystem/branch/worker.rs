//! Work on a node: cuts until they do not help, then a block to branch on.

use std::collections::BTreeSet;

use super::{WHOLE, cover::Cover, oracle::Oracle, repair::Repair};
use crate::optimize::{
    simplex::End,
    subsystem::{Conflict, Problem, Watch},
};

/// How often a block is tried in both ways before its mean gains are trusted.
const RELIABLE: usize = 8;
/// Trials in a row that find nothing better before the best is taken.
const PATIENCE: usize = 8;

/// A part of the search: the blocks that are kept (`false`) and dropped there.
#[derive(Debug, Clone)]
pub struct Subproblem {
    /// No solution here drops less.
    pub weight: f64,
    /// The decisions.
    pub fixed: Vec<(usize, bool)>,
}

/// Blocks that are not all satisfied, none of which can be left out.
#[derive(Debug, Clone)]
pub struct Cut {
    /// The blocks, ascending.
    pub blocks: Vec<usize>,
    /// Why.
    pub conflict: Conflict,
}

/// What a search for cuts brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// So many new cuts.
    Cuts(usize),
    /// Rounding hides whether the kept blocks can be satisfied together.
    Doubt,
    /// The watch says stop.
    Stopped,
}

/// What becomes of a node.
enum Fate {
    /// Nothing better is below it.
    Done,
    /// It must be divided by this block.
    Divide(usize),
    /// The watch says stop.
    Stopped,
}

/// Counters.
#[derive(Debug, Clone, Default)]
pub struct Counts {
    /// Nodes.
    pub nodes: usize,
    /// Questions to the oracle.
    pub asked: usize,
}

/// One who works on nodes, with programmes of its own.
#[derive(Clone)]
pub struct Worker<'a> {
    pub(super) problem: &'a Problem,
    pub(super) oracle: Oracle<'a>,
    pub(super) repair: Repair<'a>,
    cover: Cover,
    known: BTreeSet<Vec<usize>>,
    /// Mean gains when a block is kept and dropped: their sums and how many.
    gains: Vec<[(f64, usize); 2]>,
    tolerance: usize,
    /// The best parameters.
    pub best: Vec<f64>,
    /// How many blocks they satisfy.
    pub satisfied: usize,
    /// Cuts that the others do not know.
    pub fresh: Vec<Cut>,
    /// The least weight of a node that rounding left undecided.
    pub doubt: f64,
    /// Nodes left open.
    pub open: Vec<Subproblem>,
    /// What was done.
    pub counts: Counts,
}

impl<'a> Worker<'a> {
    /// Knows nothing yet.
    pub fn new(problem: &'a Problem, tolerance: usize) -> Self {
        let n = problem.rows.n_blocks();
        let repair = Repair::new(&problem.space);
        let mut best = problem.space.lower.clone();
        repair.apply(&mut best);
        Self {
            problem,
            oracle: Oracle::new(problem),
            repair,
            cover: Cover::new(n),
            known: BTreeSet::new(),
            gains: vec![[(0.0, 0); 2]; n],
            tolerance,
            satisfied: problem.count(&best),
            best,
            fresh: Vec::new(),
            doubt: f64::INFINITY,
            open: Vec::new(),
            counts: Counts::default(),
        }
    }

    pub(super) fn n(&self) -> usize {
        self.problem.rows.n_blocks()
    }

    /// Solutions of more weight are of no use.
    pub fn cutoff(&self) -> f64 {
        let useless = self.satisfied + 1 + self.tolerance;
        to_float(self.n()) - to_float(useless) + WHOLE
    }

    /// Keeps the parameters if they are better than the best.
    pub fn consider(&mut self, parameters: &[f64]) {
        if self.oracle.may_satisfy(parameters) <= self.satisfied {
            return;
        }
        let mut parameters = parameters.to_vec();
        self.repair.apply(&mut parameters);
        let satisfied = self.problem.count(&parameters);
        if satisfied > self.satisfied {
            (self.best, self.satisfied) = (parameters, satisfied);
        }
    }

    /// Takes a cut that another worker has found.
    pub fn share(&mut self, cut: &Cut) {
        if self.known.insert(cut.blocks.clone()) {
            self.cover.push(&cut.blocks);
        }
    }

    /// Adds a cut; false if it is known.
    pub(super) fn add(&mut self, cut: Cut) -> bool {
        let new = self.known.insert(cut.blocks.clone());
        if new {
            self.cover.push(&cut.blocks);
            self.fresh.push(cut);
        }
        new
    }

    /// Moves the best parameters to where the smallest margin of the blocks that they satisfy is greatest.
    pub fn centre(&mut self) {
        let slack: Vec<f64> = (0..self.n())
            .map(|block| {
                if self.problem.satisfies(block, &self.best) {
                    0.0
                } else {
                    f64::INFINITY
                }
            })
            .collect();
        if let Some((mut parameters, _)) = self.oracle.relax(&slack) {
            self.repair.apply(&mut parameters);
            let satisfied = self.problem.count(&parameters);
            if satisfied >= self.satisfied {
                (self.best, self.satisfied) = (parameters, satisfied);
            }
        }
    }

    /// Works on a node and, after each division, on the half that seems likelier; the other halves are left open.
    pub fn work(&mut self, mut node: Subproblem, most_nodes: usize, watch: &dyn Watch) {
        self.cover.enter(&node.fixed);
        for done in 0.. {
            if done == most_nodes {
                self.open.push(node);
                return;
            }
            self.counts.nodes += 1;
            match self.attend(&mut node, watch) {
                Fate::Done => return,
                Fate::Stopped => {
                    self.open.push(node);
                    return;
                }
                Fate::Divide(block) => {
                    let dropped = self.cover.z()[block] > 0.5;
                    let mut other = node.clone();
                    other.fixed.push((block, !dropped));
                    self.open.push(other);
                    node.fixed.push((block, dropped));
                    self.cover.fix(block, dropped);
                }
            }
        }
    }

    fn attend(&mut self, node: &mut Subproblem, watch: &dyn Watch) -> Fate {
        let root = node.fixed.is_empty();
        let (most, enough, patience) = if root { (10, 0.005, 8) } else { (4, 0.05, 2) };
        let (mut last, mut idle) = (f64::NEG_INFINITY, 0);
        loop {
            let cutoff = self.cutoff();
            match self.cover.solve(cutoff) {
                End::Cutoff | End::Infeasible => return Fate::Done,
                End::Unknown => return self.give_up(node),
                End::Optimal => {}
            }
            let weight = self.cover.bound();
            node.weight = node.weight.max(weight);
            if root {
                let bound = self.n() - whole(weight, self.n());
                watch.progress(self.satisfied, bound.max(self.satisfied));
            }
            let z = self.cover.z();
            for (block, dropped) in self.cover.forced(cutoff) {
                self.cover.fix(block, dropped);
                node.fixed.push((block, dropped));
            }
            let whole = z.iter().all(|&z| is_whole(z));
            if idle >= patience && !whole {
                return Fate::Divide(self.choose(&z));
            }
            idle = if weight > last + enough { 0 } else { idle + 1 };
            last = weight;
            match self.separate(&z, most, root, watch) {
                Found::Stopped => return Fate::Stopped,
                Found::Doubt => return self.give_up(node),
                Found::Cuts(0) if whole => return self.accept(node),
                Found::Cuts(0) => return Fate::Divide(self.choose(&z)),
                Found::Cuts(_) => {}
            }
        }
    }

    /// Closes a node whose weights are those of a solution, if parameters are known that do as well as its least weight allows. What
    /// satisfies the kept blocks was considered, but putting it into P may have cost some of them.
    fn accept(&mut self, node: &Subproblem) -> Fate {
        let reachable = self.n() - whole(node.weight, self.n());
        if self.satisfied >= reachable {
            Fate::Done
        } else {
            self.give_up(node)
        }
    }

    fn give_up(&mut self, node: &Subproblem) -> Fate {
        self.doubt = self.doubt.min(node.weight);
        Fate::Done
    }

    /// The block whose two halves gain most; gains are tried until there is experience.
    fn choose(&mut self, z: &[f64]) -> usize {
        let guess = self.mean_gains();
        let mut candidates: Vec<(f64, usize)> = (0..self.n())
            .filter(|&block| !is_whole(z[block]))
            .map(|block| {
                let [kept, dropped] = self.gains[block];
                let kept = mean(kept, guess[0]) * z[block];
                let dropped = mean(dropped, guess[1]) * (1.0 - z[block]);
                (score([kept, dropped]), block)
            })
            .collect();
        candidates.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let (here, cutoff) = (self.cover.save(), self.cutoff());
        let mut best = (f64::NEG_INFINITY, usize::MAX);
        let mut since = 0;
        for (expected, block) in candidates {
            let [kept, dropped] = &mut self.gains[block];
            let gain = if kept.1.min(dropped.1) >= RELIABLE {
                expected
            } else {
                let gains = self.cover.trial(&here, block, cutoff);
                *kept = (kept.0 + gains[0] / z[block], kept.1 + 1);
                *dropped = (dropped.0 + gains[1] / (1.0 - z[block]), dropped.1 + 1);
                score(gains)
            };
            since += 1;
            if gain > best.0 {
                (best, since) = ((gain, block), 0);
            } else if since >= PATIENCE {
                break;
            }
        }
        best.1
    }

    /// The mean gain of blocks that were tried.
    fn mean_gains(&self) -> [f64; 2] {
        [0, 1].map(|way| {
            let tried = self
                .gains
                .iter()
                .map(|gains| gains[way])
                .filter(|gain| gain.1 > 0);
            let (sum, count) = tried.fold((0.0, 0), |(sum, count), gain| {
                (sum + mean(gain, 0.0), count + 1)
            });
            mean((sum, count), 1.0)
        })
    }
}

fn mean((sum, count): (f64, usize), otherwise: f64) -> f64 {
    if count == 0 {
        otherwise
    } else {
        sum / to_float(count)
    }
}

fn score(gains: [f64; 2]) -> f64 {
    gains[0].max(WHOLE) * gains[1].max(WHOLE)
}

pub(super) fn is_whole(z: f64) -> bool {
    !(WHOLE..=1.0 - WHOLE).contains(&z)
}

/// The least whole number that a weight allows, at most n.
pub fn whole(weight: f64, n: usize) -> usize {
    (0..n)
        .find(|&count| to_float(count) >= weight - WHOLE)
        .unwrap_or(n)
}

/// A count as a number.
#[expect(clippy::cast_precision_loss, reason = "blocks and nodes are few")]
pub fn to_float(count: usize) -> f64 {
    count as f64
}
