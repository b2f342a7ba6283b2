//! The covering programme: the least weight of blocks that hits all conflicts found so far.
//!
//! ```text
//! min Σ z_b      Σ_{b ∈ C} z_b ≥ 1 for all conflicts C      0 ≤ z ≤ 1
//! ```

use crate::optimize::simplex::{End, Place, Tight, Vertex};

/// The most pivots of a trial.
const TRIAL_PIVOTS: usize = 30;

/// The programme; a block has a variable from its first conflict on.
#[derive(Debug, Clone)]
pub struct Cover {
    vertex: Vertex,
    variables: Vec<Option<usize>>,
    blocks: Vec<usize>,
}

impl Cover {
    /// Without conflicts.
    pub fn new(n_blocks: usize) -> Self {
        Self {
            vertex: Vertex::new(Vec::new(), Vec::new(), Vec::new()),
            variables: vec![None; n_blocks],
            blocks: Vec::new(),
        }
    }

    /// Adds a conflict among these blocks.
    pub fn push(&mut self, blocks: &[usize]) {
        let variables: Vec<u32> = blocks
            .iter()
            .map(|&block| {
                let variable = *self.variables[block].get_or_insert_with(|| {
                    self.blocks.push(block);
                    self.vertex.push_variable(1.0, 0.0, 1.0)
                });
                u32::try_from(variable).unwrap_or(u32::MAX)
            })
            .collect();
        let row = variables.into_iter().map(|variable| (variable, 1.0));
        self.vertex.push_row(row, 1.0, false);
        self.vertex.locate();
    }

    /// Fixes these blocks as kept (`false`) or dropped, and no others.
    pub fn enter(&mut self, fixed: &[(usize, bool)]) {
        for variable in 0..self.blocks.len() {
            self.vertex.set_bounds(variable, 0.0, 1.0);
        }
        for &(block, dropped) in fixed {
            self.set(block, dropped);
        }
        self.vertex.locate();
    }

    /// Fixes a block.
    pub fn fix(&mut self, block: usize, dropped: bool) {
        self.set(block, dropped);
        self.vertex.locate();
    }

    fn set(&mut self, block: usize, dropped: bool) {
        if let Some(variable) = self.variables[block] {
            let value = f64::from(u8::from(dropped));
            self.vertex.set_bounds(variable, value, value);
        }
    }

    /// Solves, until the weight exceeds the cutoff.
    pub fn solve(&mut self, cutoff: f64) -> End {
        self.vertex.settle(cutoff)
    }

    /// No solution weighs less, as the multipliers show.
    pub fn bound(&self) -> f64 {
        self.vertex.bound()
    }

    /// The weight.
    fn weight(&self) -> f64 {
        self.vertex.objective()
    }

    /// The weight of each block.
    pub fn z(&self) -> Vec<f64> {
        let mut z = vec![0.0; self.variables.len()];
        for (&block, &value) in self.blocks.iter().zip(self.vertex.x()) {
            z[block] = value.clamp(0.0, 1.0);
        }
        z
    }

    /// Blocks that must be kept or dropped in every solution whose weight is no greater than the cutoff: the others cost too much
    /// by their multiplier alone.
    pub fn forced(&self, cutoff: f64) -> Vec<(usize, bool)> {
        let weight = self.weight();
        self.vertex
            .multipliers()
            .filter_map(|(tight, multiplier)| match tight {
                Tight::Bound(variable) => {
                    let (lower, upper) = self.vertex.bounds(variable);
                    (lower < upper && weight + multiplier.abs() > cutoff)
                        .then(|| (self.blocks[variable], multiplier < 0.0))
                }
                Tight::Row(_) => None,
            })
            .collect()
    }

    /// By how much the weight grows, at least, when a block is kept and when it is dropped. `here` is [`Self::save`].
    pub fn trial(&mut self, here: &Place, block: usize, cutoff: f64) -> [f64; 2] {
        let weight = self.weight();
        let mut gains = [0.0; 2];
        if let Some(variable) = self.variables[block] {
            for (gain, value) in gains.iter_mut().zip([0.0, 1.0]) {
                self.vertex.set_bounds(variable, value, value);
                self.vertex.locate();
                *gain = match self.vertex.solve(cutoff, TRIAL_PIVOTS) {
                    End::Cutoff | End::Infeasible => cutoff - weight + 1.0,
                    End::Optimal | End::Unknown => (self.vertex.objective() - weight).max(0.0),
                };
                self.vertex.restore(here);
                self.vertex.set_bounds(variable, 0.0, 1.0);
                self.vertex.locate();
            }
        }
        gains
    }

    /// Where the programme stands.
    pub fn save(&self) -> Place {
        self.vertex.save()
    }
}
