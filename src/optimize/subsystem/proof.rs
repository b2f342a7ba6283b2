//! Why nothing better exists.

/// Blocks that no parameters satisfy together, shown by multipliers.
///
/// With multipliers λ ≥ 0 of rows (scaled to a greatest coefficient of 1), η ≥ 0 of half-spaces a of the space, and θ of its plane e,
///
/// ```text
/// r = Σ λ v + Σ η a + θ e        then for all p ∈ P:   Σ λ v·p  ≤  Σ_k max(r_k lower_k, r_k upper_k) − θ
/// ```
///
/// A right side of at most `MARGIN · Σ λ` says that the rows cannot all exceed the margin at once: of the blocks that they
/// belong to, at least one is not satisfied.
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
