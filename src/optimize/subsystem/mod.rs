//! Maximum feasible subsystem of blocks: the parameters that satisfy most blocks of linear inequalities.
//!
//! ```text
//! given    blocks b = 1 … B, each a set of rows v, and a set P of parameters
//! find     p ∈ P with the most blocks b such that  v·p > 0  for all rows v of b
//! ```
//!
//! Learning a distance for record linkage is this problem: a block is a record, a row one of its competitors, and
//! `v·p > 0` says that the competitor is farther away than the true partner. Each block is an open polyhedral cone; the problem is to
//! find the point that lies in most cones. It is NP-hard in general (as is any maximum feasible subsystem).
//!
//! Several engines solve it; they share the types of this module and nothing else. An engine takes a [`Problem`] and a [`Start`] and
//! gives an [`Answer`]: parameters, how many blocks they satisfy, an upper bound, and a [`Proof`] of the bound.
//!
//! # Strictness
//! A block is satisfied if each of its rows is positive by more than rounding ([`Problem::satisfies`]): by a share of the sizes of the row's own
//! terms, so that no parameter's scale hides another's. A bound speaks of the same blocks, and of no other margin. What holds exactly is for the
//! checker of certificates ([`crate::certificate`]) to decide.
//!
//! # Determinism
//! Engines draw no random numbers and read no clock: equal problems have equal answers, on any number of threads, unless the [`Watch`]
//! stops them.
//!
//! # Source
//! M. Parker, J. Ryan, 1996; M. Pfetsch, "Branch-and-cut for the maximum feasible subsystem problem", SIAM Journal on Optimization 19, 2008.

pub mod branch;
pub mod cone;
mod inside;
pub mod line_search;
pub mod naive;
mod parts;
pub mod portfolio;
mod proof;
mod rows;
mod space;

pub use proof::{Cell, Conflict, Hard, Proof};
pub use rows::{Row, Rows};
pub use space::{Semidefinite, Space, SparseRow};

/// What linear programs can distinguish from 0, of rows scaled to a greatest coefficient of 1: what they say of less is not believed, but
/// checked with each term's own size.
pub const MARGIN: f64 = 1e-8;

/// What a row must exceed to count as positive, as a share of the sum of the absolute values of its terms: rounding.
pub const ROUNDING: f64 = 1e-11;

/// Blocks and the parameters among which to choose.
#[derive(Debug, Clone)]
pub struct Problem {
    /// The parameters.
    pub space: Space,
    /// The rows, block by block.
    pub rows: Rows,
}

impl Problem {
    /// Whether parameters satisfy a block: all its rows are positive by more than rounding.
    pub fn satisfies(&self, block: usize, parameters: &[f64]) -> bool {
        self.rows.of_block(block).all(|row| {
            let (value, size) = self.rows.row(row).dot(parameters);
            value > ROUNDING * size
        })
    }

    /// Some of the blocks, with all of their rows.
    pub fn of_blocks(&self, blocks: impl Iterator<Item = usize>) -> Self {
        let mut rows = Rows::new();
        let mut dense = vec![0.0; self.space.dimension()];
        for block in blocks {
            rows.push_block();
            for number in self.rows.of_block(block) {
                let row = self.rows.row(number);
                dense.fill(0.0);
                for (&column, &value) in row.columns.iter().zip(row.values) {
                    dense[column as usize] = value;
                }
                rows.push_row(self.rows.label(number), &dense);
            }
        }
        Self {
            space: self.space.clone(),
            rows,
        }
    }

    /// The smallest value of a row among the blocks that parameters satisfy; infinite if they satisfy none.
    pub fn margin(&self, parameters: &[f64]) -> f64 {
        (0..self.rows.n_blocks())
            .filter(|&block| self.satisfies(block, parameters))
            .flat_map(|block| self.rows.of_block(block))
            .map(|row| self.rows.row(row).dot(parameters).0)
            .fold(f64::INFINITY, f64::min)
    }

    /// How many blocks parameters satisfy.
    pub fn count(&self, parameters: &[f64]) -> usize {
        (0..self.rows.n_blocks())
            .filter(|&block| self.satisfies(block, parameters))
            .count()
    }
}

/// What an engine begins with.
#[derive(Debug, Clone, Default)]
pub struct Start {
    /// The best parameters so far, in P; `None` if there are none.
    pub parameters: Option<Vec<f64>>,
    /// Conflicts already known ([`Conflict`]: they name rows of this problem).
    pub conflicts: Vec<Conflict>,
    /// Nothing needs to be proven beyond this: an engine may stop as soon as bound − satisfied is not greater. 0: to the end.
    pub tolerance: usize,
}

/// What an engine found.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The best parameters, in P.
    pub parameters: Vec<f64>,
    /// How many blocks they satisfy.
    pub satisfied: usize,
    /// No parameters satisfy more.
    pub bound: usize,
    /// Why.
    pub proof: Proof,
}

impl Answer {
    /// What is known of a problem before anything is done.
    pub fn unknown(problem: &Problem) -> Self {
        let parameters = problem.space.lower.clone();
        Self {
            satisfied: problem.count(&parameters),
            parameters,
            bound: problem.rows.n_blocks(),
            proof: Proof::Covering {
                conflicts: Vec::new(),
                dropped: 0,
            },
        }
    }
}

/// Who watches over an engine: may stop it, and hears how it fares. Engines ask often (at least each tenth of a second of work).
pub trait Watch: Sync {
    /// Whether the engine must stop now and give what it has, with a bound that holds.
    fn stops(&self) -> bool;

    /// Seconds until it will say stop, if it knows: for solvers from elsewhere, which do not ask.
    fn seconds_left(&self) -> Option<f64> {
        None
    }

    /// A count of what a search found, over all records, took so long.
    fn counted(&self, _seconds: f64) {}

    /// The state of the search: blocks satisfied, and the bound.
    fn progress(&self, _satisfied: usize, _bound: usize) {}
}

/// A watch that never stops anything.
#[derive(Debug, Clone, Copy)]
pub struct Patient;

impl Watch for Patient {
    fn stops(&self) -> bool {
        false
    }
}
