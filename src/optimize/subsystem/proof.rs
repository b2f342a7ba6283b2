//! Why nothing better exists.

use std::borrow::Cow;

use super::{Problem, ROUNDING, Space, SparseRow};

/// Blocks that no parameters satisfy together, shown by multipliers.
///
/// With multipliers λ ≥ 0 of rows (scaled to a greatest coefficient of 1), η ≥ 0 of half-spaces a of the space, and θ of its plane e,
///
/// ```text
/// r = Σ λ v + Σ η a + θ e        then for all p ∈ P:   Σ λ v·p  ≤  Σ_k max(r_k lower_k, r_k upper_k) − θ
/// ```
///
/// A right side of at most 0 says that the rows cannot all be positive at once: of the blocks that they belong to, at least one is not
/// satisfied.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Conflict {
    /// Rows and their multipliers, which are positive.
    pub rows: Vec<(usize, f64)>,
    /// Half-spaces of the space and their multipliers, which are positive.
    pub hard: Vec<(Hard, f64)>,
    /// The multiplier of the plane, of either sign; 0 without a plane.
    pub plane: f64,
}

/// A half-space that all parameters lie in.
#[derive(Debug, Clone, PartialEq)]
pub enum Hard {
    /// One of `Space::half_spaces`.
    Listed(usize),
    /// `uᵀ M u ≥ 0` of a semidefinite space.
    Direction(Vec<f64>),
}

/// What coefficients may lack, as a share of the sizes of their own terms, where directions stand for a cone of matrices. Checkers name it.
const OF_DIRECTIONS: f64 = 1e-8;

/// Whether a conflict's multipliers show what it says ([`Conflict`]), where each r_k may be less in size by [`ROUNDING`] times the sizes of its
/// own terms, and θ by as much:
///
/// ```text
/// Σ_k max over lower_k ≤ p ≤ upper_k of (r_k p − ROUNDING · size_k |p|)  −  θ   ≤   ROUNDING · |θ|
/// ```
///
/// It is the margin of [`Problem::satisfies`]: what a bound leaves out is what is not counted. Parameters do not share it, so that no scale of
/// one hides another. On the simplex, p ≥ 0 says all that the plane does, and θ is left out.
///
/// A cone of definite matrices is made of ever more directions and never whole, so what is only just impossible there is never seen to be: it
/// is taken for impossible from [`OF_DIRECTIONS`] on, instead of [`ROUNDING`].
///
/// Never true of numbers that are not finite, of multipliers of the wrong sign, or of rows and half-spaces that do not exist.
pub(super) fn holds(problem: &Problem, conflict: &Conflict) -> bool {
    let space = &problem.space;
    // Without a plane its multiplier would be a gift.
    if !conflict.plane.is_finite() || (space.plane.is_none() && conflict.plane != 0.0) {
        return false;
    }
    let mut rest = vec![(0.0, 0.0); space.dimension()];
    let add = |rest: &mut [(f64, f64)], k: u32, term: f64| {
        let (sum, size) = &mut rest[k as usize];
        *sum += term;
        *size += term.abs();
    };
    let mut total = 0.0;
    for &(row, multiplier) in &conflict.rows {
        if row >= problem.rows.n_rows() || !multiplier.is_finite() || multiplier <= 0.0 {
            return false;
        }
        total += multiplier;
        let row = problem.rows.row(row);
        for (&k, v) in row.columns.iter().zip(row.values) {
            add(&mut rest, k, multiplier * v);
        }
    }
    for (hard, multiplier) in &conflict.hard {
        let Some(row) = half_space(space, hard) else {
            return false;
        };
        if !multiplier.is_finite() || *multiplier < 0.0 {
            return false;
        }
        for &(k, a) in row.iter() {
            add(&mut rest, k, multiplier * a);
        }
    }
    if total <= 0.0 || !rest.iter().all(|(sum, size)| (sum + size).is_finite()) {
        return false;
    }
    let share = match space.semidefinite {
        Some(_) => OF_DIRECTIONS,
        None => ROUNDING,
    };
    if space.is_simplex {
        return rest.iter().all(|(sum, size)| *sum <= share * size);
    }
    // A θ that is rounding is one too many: without it the same may hold.
    if conflict.plane != 0.0 {
        let without = Conflict {
            plane: 0.0,
            ..conflict.clone()
        };
        if holds(problem, &without) {
            return true;
        }
    }
    for &(k, e) in space.plane.iter().flatten() {
        add(&mut rest, k, conflict.plane * e);
    }
    let mut most = -conflict.plane;
    for ((sum, size), (&low, &high)) in rest.iter().zip(space.lower.iter().zip(&space.upper)) {
        let at = |end: f64| (sum * end.signum() - share * size) * end.abs();
        let greatest = at(low).max(at(high));
        // 0 is between them.
        most += if low <= 0.0 && high >= 0.0 {
            greatest.max(0.0)
        } else {
            greatest
        };
    }
    most <= share * conflict.plane.abs()
}

/// The coefficients of a half-space; `None` if the space has no such half-space.
fn half_space<'a>(space: &'a Space, hard: &Hard) -> Option<Cow<'a, SparseRow>> {
    match hard {
        Hard::Listed(number) => space.half_spaces.get(*number).map(Cow::Borrowed),
        Hard::Direction(direction) => space
            .semidefinite
            .filter(|matrix| matrix.order == direction.len())
            .map(|matrix| Cow::Owned(matrix.half_space(direction))),
    }
}

/// Why a bound holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Proof {
    /// Each conflict costs a block, and no fewer than `dropped` blocks hit all conflicts; blocks − `dropped` is the bound.
    Covering {
        /// The conflicts.
        conflicts: Vec<Conflict>,
        /// The least number of blocks that hit them all.
        dropped: usize,
    },
    /// The simplex is covered by cells, and none of them holds parameters that satisfy more than the bound.
    Cells(Vec<Cell>),
    /// A search that leaves nothing that could be checked; in words that follow "the bound rests on".
    Search(String),
}

/// A node of a tree of simplicial cones, in depth-first order: after a split its two halves follow, each with all that is below it.
///
/// The root is the cone of the unit vectors (p ≥ 0). A cell is a cone given by as many generators as there are parameters.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// The generator `g = g_a + at · g_b` (exactly) replaces generator b in the first half and generator a in the second.
    Split {
        /// a.
        a: usize,
        /// b.
        b: usize,
        /// How much of b, positive.
        at: f64,
    },
    /// In this cell no parameters satisfy more than blocks − `wrong` − (the least number of other blocks that hit all `conflicts`).
    Leaf {
        /// Rows that are nowhere positive in the cell, one a block.
        wrong: Vec<usize>,
        /// Rows with multipliers whose sum is nowhere positive in the cell.
        conflicts: Vec<Vec<(usize, f64)>>,
    },
}

#[cfg(test)]
mod tests {
    use super::super::{Rows, Semidefinite};
    use super::*;

    /// Rows (1, −1, 0), (−1, 1, 0) and (1, 1, 1), one a block.
    fn problem(space: Space) -> Problem {
        let mut rows = Rows::new();
        for row in [[1.0, -1.0, 0.0], [-1.0, 1.0, 0.0], [1.0, 1.0, 1.0]] {
            rows.push_block();
            rows.push_row(0, &row);
        }
        Problem { space, rows }
    }

    fn free() -> Space {
        Space {
            lower: vec![-1.0; 3],
            upper: vec![1.0; 3],
            ..Space::default()
        }
    }

    fn conflict(rows: &[(usize, f64)], hard: &[(Hard, f64)], plane: f64) -> Conflict {
        Conflict {
            rows: rows.to_vec(),
            hard: hard.to_vec(),
            plane,
        }
    }

    #[test]
    fn opposite_rows_are_a_conflict_and_wrong_numbers_are_none() {
        let problem = problem(free());
        let is = |rows: &[(usize, f64)], plane| holds(&problem, &conflict(rows, &[], plane));
        assert!(is(&[(0, 1.0), (1, 1.0)], 0.0));
        assert!(is(&[(0, 1e-3), (1, 1e-3)], 0.0));
        // r = (x, −x, 0), of terms of 1: x ≤ 2 ROUNDING just about.
        assert!(is(&[(0, 1.0 + 1.9e-11), (1, 1.0)], 0.0));
        assert!(!is(&[(0, 1.0 + 2.1e-11), (1, 1.0)], 0.0));
        assert!(!is(&[], 0.0), "no rows can all exceed the margin");
        assert!(!is(&[(0, 1.0)], 0.0));
        assert!(!is(&[(0, 1.0)], 2.0), "there is no plane");
        assert!(!is(&[(0, 1.0), (3, 1.0)], 0.0), "there is no such row");
        assert!(!is(&[(0, 1.0), (1, 1.0), (2, 0.0)], 0.0));
        assert!(!is(&[(2, 1.0), (2, -1.0), (2, 1e-12)], 0.0), "a sign");
        for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(!is(&[(0, wrong), (1, wrong)], 0.0));
            assert!(!is(&[(0, 1.0), (1, 1.0)], wrong));
        }
    }

    /// (1, 1, 1)·p > 0 cannot be where −(1, 1, 1)·p ≥ 0; the opposite half-space says nothing, but would with a negative multiplier.
    #[test]
    fn half_spaces_count_if_they_exist_with_their_sign() {
        let all = |sign: f64| (0..3).map(|k| (k, sign)).collect::<SparseRow>();
        let mut space = free();
        space.half_spaces = vec![all(-1.0), all(1.0)];
        let problem = problem(space);
        let is =
            |hard, multiplier| holds(&problem, &conflict(&[(2, 1.0)], &[(hard, multiplier)], 0.0));
        assert!(is(Hard::Listed(0), 1.0));
        assert!(!is(Hard::Listed(1), 1.0));
        assert!(!is(Hard::Listed(1), -1.0));
        assert!(!is(Hard::Listed(0), f64::INFINITY));
        assert!(!is(Hard::Listed(2), 1.0));
        assert!(!is(Hard::Direction(vec![1.0, 1.0]), 1.0));
    }

    /// With M = (p_0, p_2; p_2, p_1) definite, p_0 + p_1 − 2 p_2 = uᵀ M u ≥ 0 for u = (1, −1): its opposite is a conflict.
    #[test]
    fn directions_have_the_length_of_the_matrix() {
        let mut rows = Rows::new();
        rows.push_block();
        rows.push_row(0, &[-0.5, -0.5, 1.0]);
        let mut space = free();
        space.semidefinite = Some(Semidefinite { order: 2 });
        let problem = Problem { space, rows };
        let is = |u: &[f64]| {
            let hard = [(Hard::Direction(u.to_vec()), 0.5)];
            holds(&problem, &conflict(&[(0, 1.0)], &hard, 0.0))
        };
        assert!(is(&[1.0, -1.0]));
        assert!(!is(&[1.0, 1.0]));
        assert!(!is(&[f64::NAN, -1.0]));
        assert!(!is(&[1.0, -1.0, 0.0]) && !is(&[1.0]) && !is(&[]));
    }

    /// (1e-13, −1) and (1e-13, 1) are both positive at (1, 0), by all of their terms there: what the other parameter weighs is of no matter.
    #[test]
    fn a_small_scale_is_no_conflict() {
        for space in [Space::simplex(2), box_of_two()] {
            let mut rows = Rows::new();
            for row in [[1e-13, -1.0], [1e-13, 1.0], [-1e-13, 0.5]] {
                rows.push_block();
                rows.push_row(0, &row);
            }
            let problem = Problem { space, rows };
            let is = |rows: &[(usize, f64)], plane| holds(&problem, &conflict(rows, &[], plane));
            assert!(!is(&[(0, 1.0), (1, 1.0)], 0.0));
            assert!(!is(&[(0, 1.0)], 0.0));
            // The third row is (−2e-13, 1) when scaled: with twice the first it leaves (0, −1).
            assert!(is(&[(0, 2.0), (2, 1.0)], 0.0) == problem.space.is_simplex);
        }
    }

    fn box_of_two() -> Space {
        Space {
            lower: vec![-1.0; 2],
            upper: vec![1.0; 2],
            ..Space::default()
        }
    }

    /// Terms of 1e9 that cancel leave a rounding of 1e-2, which is as much as they may.
    #[test]
    fn terms_that_cancel() {
        let mut space = free();
        space.half_spaces = vec![vec![(2, 1.0)], vec![(2, -1.0)]];
        let problem = problem(space);
        let with = |less: f64| {
            let hard = [(Hard::Listed(0), 1e9), (Hard::Listed(1), 1e9 - less)];
            holds(&problem, &conflict(&[(0, 1.0), (1, 1.0)], &hard, 0.0))
        };
        assert!(with(0.0) && with(0.01));
        assert!(!with(0.03));
    }
}
