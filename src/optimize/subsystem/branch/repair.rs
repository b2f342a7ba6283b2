//! Parameters that are in P to the last bit of its inequalities.

use crate::optimize::{
    simplex::{End, Vertex},
    subsystem::{Semidefinite, Space, SparseRow},
};

/// The most pivots of the search for a centre.
const MAX_PIVOTS: usize = 100_000;

/// Moves parameters that rounding has left outside of P back into it.
#[derive(Debug, Clone)]
pub struct Repair<'a> {
    space: &'a Space,
    /// A point inside of all half-spaces.
    centre: Option<Vec<f64>>,
}

impl<'a> Repair<'a> {
    /// For this P.
    pub fn new(space: &'a Space) -> Self {
        Self {
            space,
            centre: centre(space),
        }
    }

    /// Moves parameters just so far towards the centre that no half-space is violated; keeps within the box. Negative eigenvalues
    /// are taken away by a multiple of the identity.
    pub fn apply(&self, parameters: &mut [f64]) {
        if let Some(matrix) = self.space.semidefinite {
            lift(matrix, parameters);
        }
        for (p, (lower, upper)) in parameters
            .iter_mut()
            .zip(self.space.lower.iter().zip(&self.space.upper))
        {
            *p = p.max(*lower).min(*upper);
        }
        let Some(centre) = &self.centre else { return };
        let mut share = 0.0_f64;
        for row in &self.space.half_spaces {
            let (here, there) = (value(row, parameters), value(row, centre));
            if here < 0.0 && there > 0.0 {
                share = share.max(-here / (there - here));
            }
        }
        let mut tries = 0;
        while share > 0.0 && tries < 8 {
            for (p, c) in parameters.iter_mut().zip(centre) {
                *p += share * (c - *p);
            }
            if self
                .space
                .half_spaces
                .iter()
                .all(|row| value(row, parameters) >= 0.0)
            {
                return;
            }
            share = (2.0 * share).max(f64::EPSILON);
            tries += 1;
        }
    }
}

/// Adds to the diagonal what the smallest eigenvalue falls short of 0, and restores the greatest entry.
fn lift(matrix: Semidefinite, parameters: &mut [f64]) {
    let greatest =
        |parameters: &[f64]| parameters.iter().fold(0.0_f64, |most, p| most.max(p.abs()));
    let (least, _) = matrix.least(parameters);
    if least < 0.0 {
        let before = greatest(parameters);
        for p in &mut parameters[..matrix.order] {
            *p += 1e-14 - 1.001 * least;
        }
        let after = greatest(parameters);
        for p in parameters {
            *p *= before / after;
        }
    }
}

fn value(row: &SparseRow, parameters: &[f64]) -> f64 {
    row.iter().map(|&(k, v)| v * parameters[k as usize]).sum()
}

/// The point whose smallest distance to a half-space is greatest.
fn centre(space: &Space) -> Option<Vec<f64>> {
    if space.half_spaces.is_empty() {
        return None;
    }
    let dimension = space.dimension();
    let last = u32::try_from(dimension).ok()?;
    let mut cost = vec![0.0; dimension];
    cost.push(-1.0);
    let (mut lower, mut upper) = (space.lower.clone(), space.upper.clone());
    lower.push(0.0);
    upper.push(1.0);
    let mut vertex = Vertex::new(cost, lower, upper);
    for row in &space.half_spaces {
        vertex.push_row(row.iter().copied().chain([(last, -1.0)]), 0.0, false);
    }
    if let Some(plane) = &space.plane {
        vertex.push_row(plane.iter().copied(), 1.0, true);
    }
    (vertex.solve(f64::INFINITY, MAX_PIVOTS) == End::Optimal)
        .then(|| vertex.x()[..dimension].to_vec())
}
