//! Implicit hitting sets: conflicts are collected until no small hitting set of theirs is left.
//!
//! A conflict is a set of blocks that cannot all be satisfied ([`Conflict`]). Whatever parameters are chosen, the blocks that they do not
//! satisfy hit every conflict. So the least number of blocks that hit the conflicts known so far bounds what is lost; and if
//! the blocks outside a hitting set can be satisfied together, that many are.
//!
//! ```text
//! loop
//!   H = a hitting set of the conflicts           quickly and not the smallest, as long as this finds new conflicts
//!   satisfy the blocks outside H                 a point (perhaps the best so far), or a new conflict, which is made irreducible
//!   nothing new: is there a hitting set that would lead to more than the best point satisfies?   no: proven
//! ```
//!
//! # Source
//! M. Parker, J. Ryan, "Finding the minimum weight IIS cover of an infeasible system of linear inequalities", Annals of Mathematics and
//! Artificial Intelligence 17, 1996; J. Davies, F. Bacchus, "Solving MAXSAT by solving a sequence of simpler SAT instances", CP 2011 (hitting
//! sets that need not be smallest).

mod margin;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use super::{Answer, Conflict, Problem, Proof, Start, Watch, proof::holds};
use crate::optimize::covering::{self, Ended, Greedy, Oracle};
use margin::{Margin, Verdict, blocks_of};

/// Greedy hitting sets without a new conflict before the smallest is asked for.
const PATIENCE: usize = 2;

/// New conflicts after which the smallest is asked for in any case.
const MANY: usize = 150;

/// Points that satisfy so many fewer blocks than the best are worth an attempt to take blocks back.
const NEAR: usize = 2;

/// What the share of a block is worth less in a conflict, where the search is: more than any number of conflicts.
const SHARE: f64 = 1e6;

/// The relaxation of more conflicts is not begun any more when the watch has stopped.
const LARGE: usize = 1_000;

/// Solves a problem by implicit hitting sets.
///
/// The proof is [`Proof::Covering`]. Conflicts of the start are used if they hold. The parameters of the start must be in P.
pub fn solve(problem: &Problem, start: Start, watch: &dyn Watch) -> Answer {
    let mut engine = Engine::new(problem, start, watch);
    engine.run();
    engine.answer()
}

struct Engine<'a> {
    problem: &'a Problem,
    watch: &'a dyn Watch,
    margin: Margin<'a>,
    tolerance: usize,
    parameters: Vec<f64>,
    satisfied: usize,
    /// The blocks of each conflict.
    pool: Greedy,
    known: BTreeSet<Vec<u32>>,
    conflicts: Vec<Conflict>,
    /// No fewer blocks hit all conflicts.
    dropped: usize,
    /// How many conflicts each block is in.
    worth: Vec<f64>,
    draws: u64,
}

impl<'a> Engine<'a> {
    fn new(problem: &'a Problem, start: Start, watch: &'a dyn Watch) -> Self {
        let n_blocks = problem.rows.n_blocks();
        let mut engine = Self {
            problem,
            watch,
            margin: Margin::new(problem),
            tolerance: start.tolerance,
            parameters: Vec::new(),
            satisfied: 0,
            pool: Greedy::new(n_blocks),
            known: BTreeSet::new(),
            conflicts: Vec::new(),
            dropped: 0,
            worth: vec![0.0; n_blocks],
            draws: 0,
        };
        engine.parameters = start.parameters.unwrap_or_else(|| {
            match engine.margin.ask(&vec![false; n_blocks], watch) {
                Verdict::Point(point) => point,
                _ => problem.space.lower.clone(),
            }
        });
        engine.satisfied = problem.count(&engine.parameters);
        for conflict in start.conflicts {
            if holds(problem, &conflict) {
                engine.add(conflict);
            }
        }
        engine
    }

    fn n_blocks(&self) -> usize {
        self.problem.rows.n_blocks()
    }

    fn bound(&self) -> usize {
        self.n_blocks() - self.dropped
    }

    fn is_done(&self) -> bool {
        self.bound() <= self.satisfied + self.tolerance
    }

    fn stops(&self) -> bool {
        self.watch.stops()
    }

    fn run(&mut self) {
        let nothing = vec![false; self.n_blocks()];
        self.drill(nothing.clone(), true);
        self.drill(nothing, false);
        let (mut failures, mut new) = (0, 0);
        while !self.is_done() && !self.stops() {
            let noise = if failures == 0 { 0.0 } else { 0.4 };
            let choice = self.greedy(noise);
            let disjoint = self.draw() < 0.7;
            let found = self.drill(choice, disjoint);
            new += found;
            failures = if found > 0 { 0 } else { failures + 1 };
            if failures >= PATIENCE || new >= MANY {
                (failures, new) = (0, 0);
                if !self.settle() {
                    break;
                }
            }
        }
        if !self.is_done() {
            self.relax();
        }
    }

    /// Looks for hitting sets small enough to lead to something better, until there are none. False if rounding or size stand in the way.
    fn settle(&mut self) -> bool {
        self.relax();
        while !self.is_done() && !self.stops() {
            let sets = self.pool.sets().to_vec();
            let n_blocks = self.n_blocks();
            match covering::explore(&sets, n_blocks, &mut Drills(self)) {
                Ended::Exhausted(most) => {
                    self.dropped = self.dropped.max((most + 1).min(n_blocks));
                }
                Ended::Stopped(dropped) => self.dropped = self.dropped.max(dropped),
                Ended::Accepted(_) | Ended::TooMany => return false,
                Ended::Crowded => {}
            }
            self.watch.progress(self.satisfied, self.bound());
        }
        true
    }

    /// The bound of the relaxation, if there is time for it.
    fn relax(&mut self) {
        if self.pool.sets().len() > LARGE && self.stops() {
            return;
        }
        if let Some(bound) = covering::lower_bound(self.pool.sets(), self.n_blocks()) {
            self.dropped = self.dropped.max(bound);
        }
        self.watch.progress(self.satisfied, self.bound());
    }

    /// A hitting set of the conflicts, more or less at random.
    fn greedy(&mut self, noise: f64) -> Vec<bool> {
        let favour: Vec<f64> = (0..self.n_blocks())
            .map(|_| (noise * self.normal()).exp())
            .collect();
        let mut choice = vec![false; self.n_blocks()];
        for e in self.pool.hitting_set(&favour) {
            choice[e as usize] = true;
        }
        choice
    }

    /// Drops blocks until the others can be satisfied: all blocks of each conflict (`disjoint`: many conflicts soon) or one (a good point).
    /// Returns the number of new conflicts.
    fn drill(&mut self, mut dropped: Vec<bool>, disjoint: bool) -> usize {
        let mut new = 0;
        while !self.stops() {
            let kept: Vec<bool> = dropped.iter().map(|d| !d).collect();
            match self.margin.ask(&kept, self.watch) {
                Verdict::Point(point) => {
                    new += self.extend(point, kept);
                    break;
                }
                Verdict::Unknown => break,
                Verdict::Conflict(conflict) => {
                    let conflict = self.margin.irreducible(conflict, &self.worth, self.watch);
                    let blocks = blocks_of(self.problem, &conflict);
                    new += usize::from(self.add(conflict));
                    if disjoint {
                        for &block in &blocks {
                            dropped[block] = true;
                        }
                    } else if let Some(block) = self.costliest(&blocks) {
                        dropped[block] = true;
                    }
                }
            }
        }
        new
    }

    /// Takes blocks back one by one, from a point that satisfies the others, as long as they can be satisfied too; only where that may
    /// lead to something better. Returns the number of new conflicts.
    fn extend(&mut self, point: Vec<f64>, mut kept: Vec<bool>) -> usize {
        let mut new = 0;
        let mut satisfied = self.consider(point, &kept);
        if satisfied.len() + NEAR < self.satisfied {
            return new;
        }
        for &block in &satisfied {
            kept[block] = true;
        }
        let mut others: Vec<usize> = (0..kept.len()).filter(|&block| !kept[block]).collect();
        others.sort_by(|&a, &b| self.worth[a].total_cmp(&self.worth[b]).then(a.cmp(&b)));
        for block in others {
            if kept[block] || self.stops() {
                continue;
            }
            kept[block] = true;
            match self.margin.ask(&kept, self.watch) {
                Verdict::Point(point) => {
                    satisfied = self.consider(point, &kept);
                    for &block in &satisfied {
                        kept[block] = true;
                    }
                }
                Verdict::Conflict(conflict) => {
                    kept[block] = false;
                    let conflict = self.margin.irreducible(conflict, &self.worth, self.watch);
                    new += usize::from(self.add(conflict));
                }
                Verdict::Unknown => kept[block] = false,
            }
        }
        new
    }

    /// The block that is in most conflicts, more or less.
    fn costliest(&mut self, blocks: &[usize]) -> Option<usize> {
        let mut best = (f64::NEG_INFINITY, None);
        for &block in blocks {
            let value = self.worth[block] * (0.3 * self.normal()).exp();
            if value > best.0 {
                best = (value, Some(block));
            }
        }
        best.1
    }

    /// The blocks that a point satisfies, of which those kept are some.
    fn consider(&mut self, point: Vec<f64>, kept: &[bool]) -> Vec<usize> {
        let blocks: Vec<usize> = (0..kept.len())
            .filter(|&block| kept[block] || self.problem.satisfies(block, &point))
            .collect();
        if blocks.len() > self.satisfied {
            let satisfied = self.problem.count(&point);
            if satisfied > self.satisfied {
                (self.satisfied, self.parameters) = (satisfied, point);
                self.watch.progress(self.satisfied, self.bound());
            }
        }
        blocks
    }

    /// False if the pool has it.
    fn add(&mut self, conflict: Conflict) -> bool {
        let set: Vec<u32> = blocks_of(self.problem, &conflict)
            .into_iter()
            .map(|block| u32::try_from(block).unwrap_or(u32::MAX))
            .collect();
        if set.is_empty() || !self.known.insert(set.clone()) {
            return false;
        }
        for &block in &set {
            self.worth[block as usize] += 1.0;
        }
        self.pool.push(set);
        self.conflicts.push(conflict);
        true
    }

    fn answer(self) -> Answer {
        Answer {
            bound: self.bound(),
            parameters: self.parameters,
            satisfied: self.satisfied,
            proof: Proof::Covering {
                conflicts: self.conflicts,
                dropped: self.dropped,
            },
        }
    }

    /// A number between 0 and 1 of a fixed sequence.
    fn draw(&mut self) -> f64 {
        self.draws += 1;
        let mut mixed = self.draws.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let top = u32::try_from((mixed ^ (mixed >> 31)) >> 32).unwrap_or(0);
        f64::from(top) / f64::from(u32::MAX)
    }

    /// About normally distributed: the sum of twelve less six.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.draw()).sum::<f64>() - 6.0
    }
}

/// The engine as one who knows all conflicts.
struct Drills<'e, 'a>(&'e mut Engine<'a>);

impl Oracle for Drills<'_, '_> {
    fn ask(&mut self, elements: &[u32], shares: &[(u32, f64)]) -> Vec<Vec<u32>> {
        let engine = &mut *self.0;
        let mut choice = vec![false; engine.n_blocks()];
        for &e in elements {
            choice[e as usize] = true;
        }
        let before = engine.pool.sets().len();
        for &(e, share) in shares {
            engine.worth[e as usize] -= SHARE * share;
        }
        engine.drill(choice, true);
        for &(e, share) in shares {
            engine.worth[e as usize] += SHARE * share;
        }
        engine.pool.sets()[before..].to_vec()
    }

    fn most(&self) -> Option<usize> {
        let engine = &self.0;
        (engine.n_blocks()).checked_sub(engine.satisfied + 1 + engine.tolerance)
    }

    fn stops(&self) -> bool {
        self.0.stops()
    }
}
