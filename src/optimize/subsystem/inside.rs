//! Parameters that a solver gives are in P but for its tolerance; here they are moved inside.

use std::cell::OnceCell;

use super::{Space, SparseRow};
use crate::{
    error::{Error, Result},
    optimize::milp::{self, Column, Limits, Model, Solver, Status},
};

/// What a condition of P may be missed by: rounding.
const ROUNDING: f64 = 1e-12;

/// A space, and a point well inside it.
///
/// What violates a half-space or the semidefinite condition moves along the straight line towards the point, just as far as it takes:
///
/// ```text
/// p' = (1 − t) p + t c        t = max over conditions g that p violates of  −g(p) / (g(c) − g(p))
/// ```
///
/// (the smallest eigenvalue is concave, so the same t is enough for it). The point c is worked out when it is first needed: the one
/// whose smallest half-space is greatest, by a linear program; the identity matrix if the space is semidefinite.
#[derive(Debug)]
pub struct Inside<'a> {
    space: &'a Space,
    centre: OnceCell<Vec<f64>>,
}

impl<'a> Inside<'a> {
    /// Of a space.
    pub fn of(space: &'a Space) -> Self {
        Self {
            space,
            centre: OnceCell::new(),
        }
    }

    /// A point of P.
    ///
    /// # Errors
    /// Failed, when none is found.
    pub fn any(&self) -> Result<Vec<f64>> {
        self.nearest(&middle(self.space)).ok_or_else(|| {
            Error::failed("found no distance of this family that meets its conditions")
                .remedy("Take another family or another engine")
        })
    }

    /// A point of P near this one; `None` if P has no room to move to.
    pub fn nearest(&self, point: &[f64]) -> Option<Vec<f64>> {
        let mut point = self.in_box(point);
        // Once more for the rounding of the first.
        for _ in 0..2 {
            if self.least(&point) >= 0.0 {
                return Some(point);
            }
            let centre = self
                .centre
                .get_or_init(|| self.in_box(&deepest(self.space)));
            let share = self.share(&point, centre);
            let pairs = point.iter().zip(centre);
            let mixed: Vec<f64> = pairs.map(|(p, c)| p + share * (c - p)).collect();
            point = self.in_box(&mixed);
        }
        (self.least(&point) >= -ROUNDING).then_some(point)
    }

    /// The least value of any condition.
    fn least(&self, point: &[f64]) -> f64 {
        let half_spaces = self.space.half_spaces.iter().map(|row| dot(row, point));
        let eigenvalue = self.space.semidefinite.map(|form| form.least(point).0);
        half_spaces.chain(eigenvalue).fold(0.0, f64::min)
    }

    /// How far it must go towards the centre.
    fn share(&self, point: &[f64], centre: &[f64]) -> f64 {
        let mut share: f64 = 0.0;
        let mut need = |here: f64, there: f64| {
            if here < 0.0 && there > here {
                // A little more than enough.
                share = share.max((-here / (there - here) * (1.0 + 1e-9) + 1e-15).min(1.0));
            }
        };
        for row in &self.space.half_spaces {
            need(dot(row, point), dot(row, centre));
        }
        if let Some(form) = self.space.semidefinite {
            need(form.least(point).0, form.least(centre).0);
        }
        share
    }

    /// Inside the box, and on the plane but for rounding.
    fn in_box(&self, point: &[f64]) -> Vec<f64> {
        let mut point = point.to_vec();
        for _ in 0..2 {
            let bounds = self.space.lower.iter().zip(&self.space.upper);
            for (value, (&lower, &upper)) in point.iter_mut().zip(bounds) {
                *value = value.max(lower).min(upper);
            }
            let Some(plane) = &self.space.plane else {
                break;
            };
            let scale = dot(plane, &point);
            if scale > 0.0 {
                point.iter_mut().for_each(|value| *value /= scale);
            }
        }
        point
    }
}

fn dot(row: &SparseRow, point: &[f64]) -> f64 {
    row.iter()
        .map(|&(parameter, value)| value * point[parameter as usize])
        .sum()
}

/// The middle of the box; on the plane once it is scaled.
fn middle(space: &Space) -> Vec<f64> {
    let bounds = space.lower.iter().zip(&space.upper);
    bounds
        .map(|(lower, upper)| f64::midpoint(*lower, *upper))
        .collect()
}

/// The point of P whose smallest half-space is greatest; the middle of the box if it cannot be found.
fn deepest(space: &Space) -> Vec<f64> {
    if let Some(form) = space.semidefinite {
        let identity = |parameter| f64::from(u8::from(parameter < form.order));
        return (0..space.dimension()).map(identity).collect();
    }
    let bounds = space.lower.iter().zip(&space.upper);
    let mut columns: Vec<Column> = bounds
        .map(|(&lower, &upper)| Column {
            lower,
            upper,
            cost: 0.0,
            whole: false,
        })
        .collect();
    columns.push(Column {
        lower: 0.0,
        upper: 1.0,
        cost: -1.0,
        whole: false,
    });
    let row = |row: &SparseRow, lower: f64, upper: f64| milp::Row {
        entries: row
            .iter()
            .map(|&(parameter, value)| (parameter as usize, value))
            .collect(),
        lower,
        upper,
    };
    let mut rows: Vec<milp::Row> = Vec::new();
    rows.extend(space.plane.as_ref().map(|plane| row(plane, 1.0, 1.0)));
    // What is 0 everywhere has no depth.
    let counts = |row: &&SparseRow| row.iter().any(|entry| entry.1 != 0.0);
    for half_space in space.half_spaces.iter().filter(counts) {
        let mut deeper = row(half_space, 0.0, f64::INFINITY);
        deeper.entries.push((space.dimension(), -1.0));
        rows.push(deeper);
    }
    let model = Model {
        columns,
        rows,
        start: None,
    };
    let limits = Limits {
        seconds: None,
        gap: 0.0,
    };
    let mut answer = milp::solve(Solver::best(), &model, limits);
    match answer.status {
        Status::Optimal => {
            answer.values.truncate(space.dimension());
            answer.values
        }
        _ => middle(space),
    }
}

#[cfg(test)]
mod tests {
    use super::Inside;
    use crate::optimize::subsystem::{Semidefinite, Space};

    /// 0 ≤ p_1 ≤ p_2 ≤ 1: a point in the wrong order goes towards (0, 1), where p_2 − p_1 is greatest, until both are equal.
    #[test]
    fn a_point_moves_until_the_half_spaces_hold() {
        let space = Space {
            lower: vec![0.0; 2],
            upper: vec![1.0; 2],
            half_spaces: vec![vec![(0, -1.0), (1, 1.0)]],
            ..Space::default()
        };
        let inside = Inside::of(&space);
        let moved = inside.nearest(&[0.5 + 1e-7, 0.5 - 1e-7]).unwrap();
        assert!(moved[1] >= moved[0] && (moved[0] - 0.5).abs() < 1e-6);
        let fine = [0.2, 0.9];
        assert_eq!(inside.nearest(&fine).unwrap(), fine);
    }

    /// diag(1, 1) with 1 + 1e-6 beside it is clamped to 1, where it is just semidefinite; with entries (0, 0, 1) its smallest
    /// eigenvalue is −1, and half the way to the identity makes it 0.
    #[test]
    fn a_matrix_moves_until_it_is_semidefinite() {
        let space = Space {
            lower: vec![-1.0; 3],
            upper: vec![1.0; 3],
            semidefinite: Some(Semidefinite { order: 2 }),
            ..Space::default()
        };
        let inside = Inside::of(&space);
        assert_eq!(
            inside.nearest(&[1.0, 1.0, 1.0 + 1e-6]).unwrap(),
            [1.0, 1.0, 1.0]
        );
        let moved = inside.nearest(&[0.0, 0.0, 1.0]).unwrap();
        assert!(
            moved.iter().all(|entry| (entry - 0.5).abs() < 1e-8),
            "{moved:?}"
        );
    }

    #[test]
    fn weights_are_scaled_to_their_sum() {
        let space = Space::simplex(3);
        let inside = Inside::of(&space);
        let moved = inside.nearest(&[0.5, -1e-9, 0.5 + 1e-7]).unwrap();
        assert!(moved[1] == 0.0 && (moved.iter().sum::<f64>() - 1.0).abs() < 1e-15);
    }
}
