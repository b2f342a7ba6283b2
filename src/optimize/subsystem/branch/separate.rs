//! The search for conflicts that a covering programme does not know yet.

use super::{
    WHOLE,
    oracle::Reply,
    worker::{Cut, Found, Worker, to_float},
};
use crate::optimize::subsystem::{Conflict, Watch, proof::holds};

/// A cut must be violated by this much.
const VIOLATED: f64 = 1e-3;

impl Worker<'_> {
    /// Takes a conflict from elsewhere.
    pub fn learn(&mut self, conflict: &Conflict, watch: &dyn Watch) {
        if holds(self.problem, conflict) {
            let weight = vec![0.0; self.n()];
            let cut = self.shrink(conflict.clone(), &weight, watch);
            self.add(cut);
        }
    }

    fn blocks_of(&self, conflict: &Conflict) -> Vec<usize> {
        let rows = conflict.rows.iter();
        let mut blocks: Vec<usize> = rows
            .map(|&(row, _)| self.problem.rows.block_of(row))
            .collect();
        blocks.sort_unstable();
        blocks.dedup();
        blocks
    }

    fn ask(&mut self, asked: &[bool]) -> Reply {
        self.counts.asked += 1;
        self.oracle.ask(asked)
    }

    /// Leaves out blocks, those of greatest weight first, as long as the rest is a conflict.
    fn shrink(&mut self, mut conflict: Conflict, weight: &[f64], watch: &dyn Watch) -> Cut {
        let mut blocks = self.blocks_of(&conflict);
        let mut order = blocks.clone();
        order.sort_by(|&a, &b| weight[b].total_cmp(&weight[a]));
        for block in order {
            if watch.stops() {
                break;
            }
            if blocks.len() == 1 || blocks.binary_search(&block).is_err() {
                continue;
            }
            let mut asked = vec![false; self.n()];
            for &other in &blocks {
                asked[other] = other != block;
            }
            if let Reply::Conflict(less) = self.ask(&asked) {
                conflict = less;
                blocks = self.blocks_of(&conflict);
            }
        }
        Cut { blocks, conflict }
    }

    /// Cuts that the weights z violate. None of them although z is whole: z is a solution, and parameters for it were considered.
    pub fn separate(&mut self, z: &[f64], most: usize, deep: bool, watch: &dyn Watch) -> Found {
        // Equal weights would always give up the same blocks first.
        let turn = self.counts.nodes * 31;
        let mut order: Vec<f64> = z
            .iter()
            .enumerate()
            .map(|(block, z)| z + 1e-3 * to_float((block * 7919 + turn) % 1009) / 1009.0)
            .collect();
        let mut found = match self.separate_kept(z, &order, most, watch) {
            Found::Cuts(0) => 0,
            found => return found,
        };
        found += self.separate_relaxed(z, &order, most, watch);
        if deep {
            found += self.separate_grown(z, &mut order, most, watch);
        }
        if watch.stops() {
            Found::Stopped
        } else {
            Found::Cuts(found)
        }
    }

    /// Conflicts among blocks of weight 0, with no block in common.
    fn separate_kept(&mut self, z: &[f64], order: &[f64], most: usize, watch: &dyn Watch) -> Found {
        let mut asked: Vec<bool> = z.iter().map(|&z| z < WHOLE).collect();
        let mut found = 0;
        while found < most {
            if watch.stops() {
                return Found::Stopped;
            }
            match self.ask(&asked) {
                Reply::Together(parameters) => {
                    self.consider(&parameters);
                    break;
                }
                Reply::Unknown if found == 0 => return Found::Doubt,
                Reply::Unknown => break,
                Reply::Conflict(conflict) => {
                    let cut = self.shrink(conflict, order, watch);
                    for &block in &cut.blocks {
                        asked[block] = false;
                    }
                    if !self.add(cut) {
                        // The programme should have seen to it that this cannot be.
                        return Found::Doubt;
                    }
                    found += 1;
                }
            }
        }
        Found::Cuts(found)
    }

    /// Conflicts among blocks that decide the greatest margin when each is let go by its weight.
    fn separate_relaxed(
        &mut self,
        z: &[f64],
        order: &[f64],
        most: usize,
        watch: &dyn Watch,
    ) -> usize {
        let let_go = |&z: &f64| if z > 1.0 - WHOLE { f64::INFINITY } else { z };
        let mut slack: Vec<f64> = z.iter().map(let_go).collect();
        let mut found = 0;
        for _ in 0..most {
            if watch.stops() {
                break;
            }
            let Some((parameters, blocks)) = self.oracle.relax(&slack) else {
                break;
            };
            self.consider(&parameters);
            let mut asked = vec![false; self.n()];
            for &block in &blocks {
                asked[block] = true;
            }
            let Reply::Conflict(conflict) = self.ask(&asked) else {
                break;
            };
            let cut = self.shrink(conflict, order, watch);
            for &block in &cut.blocks {
                if z[block] > WHOLE {
                    slack[block] = f64::INFINITY;
                }
            }
            found += usize::from(is_violated(&cut, z) && self.add(cut));
        }
        found
    }

    /// Conflicts that arise when blocks join those of weight 0, one by one, those of least weight first.
    fn separate_grown(
        &mut self,
        z: &[f64],
        order: &mut [f64],
        most: usize,
        watch: &dyn Watch,
    ) -> usize {
        let mut blocks: Vec<usize> = (0..self.n())
            .filter(|&block| z[block] >= WHOLE && z[block] < 1.0 - WHOLE)
            .collect();
        let mut found = 0;
        for round in 0..blocks.len().min(most) {
            if watch.stops() {
                break;
            }
            blocks.sort_by(|&a, &b| order[a].total_cmp(&order[b]));
            let Some(conflict) = self.grow(z, blocks[round], &blocks) else {
                continue;
            };
            let cut = self.shrink(conflict, order, watch);
            for &block in &cut.blocks {
                order[block] += 0.2;
            }
            found += usize::from(is_violated(&cut, z) && self.add(cut));
        }
        found
    }

    fn grow(&mut self, z: &[f64], first: usize, blocks: &[usize]) -> Option<Conflict> {
        let mut asked: Vec<bool> = z.iter().map(|&z| z < WHOLE).collect();
        let mut parameters: Option<Vec<f64>> = None;
        for &block in [first].iter().chain(blocks) {
            if asked[block] {
                continue;
            }
            asked[block] = true;
            if parameters
                .as_ref()
                .is_some_and(|p| self.problem.satisfies(block, p))
            {
                continue;
            }
            match self.ask(&asked) {
                Reply::Conflict(conflict) => return Some(conflict),
                Reply::Unknown => return None,
                Reply::Together(point) => {
                    self.consider(&point);
                    parameters = Some(point);
                }
            }
        }
        None
    }
}

fn is_violated(cut: &Cut, z: &[f64]) -> bool {
    cut.blocks.iter().map(|&block| z[block]).sum::<f64>() < 1.0 - VIOLATED
}
