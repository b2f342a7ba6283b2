//! Rows that cannot all be positive in a cell: a matrix game.

/// Entries below this are no pivots, and reduced costs above minus this are optimal.
const PIVOT: f64 = 1e-11;

/// Multipliers below this are 0.
const NOTHING: f64 = 1e-12;

/// Pivots after which a game is given up: far more than any takes.
const MAX_PIVOTS: usize = 2000;

/// A game between rows and generators.
///
/// ```text
/// value = max over w ≥ 0, Σ w = 1 of  min over rows of  Σ_k w_k u_k  =  min over λ ≥ 0, Σ λ = 1 of  max over k of  Σ λ u_k
/// ```
///
/// with the rows u as their values at the generators, each scaled to a greatest one of 1. If the value is positive, w leads to
/// a point where all rows are; if not, the rows with λ > 0 are never positive together.
#[derive(Debug, Default)]
pub(super) struct Game {
    tableau: Vec<f64>,
    basis: Vec<usize>,
    /// w.
    pub point: Vec<f64>,
    /// Rows (by their place in the game) with λ > 0, for rows as they were given.
    pub support: Vec<(usize, f64)>,
}

/// The rows are lifted by this, so that the game has a positive value.
const LIFT: f64 = 1.5;

impl Game {
    /// Plays; the value, or `None` if arithmetic came to no end.
    ///
    /// # Complexity
    /// A pivot takes O(width · (rows + width)); about 2 to 4 · width are needed.
    pub fn play<'a>(
        &mut self,
        width: usize,
        rows: impl ExactSizeIterator<Item = &'a [f64]> + Clone,
    ) -> Option<f64> {
        // max Σ x  with  Σ_q (u_qk + lift) x_q ≤ 1 for all generators k: one constraint a generator, one column a row.
        let m = rows.len();
        let columns = m + width + 1;
        self.tableau.clear();
        self.tableau.resize((width + 1) * columns, 0.0);
        let scale = |row: &[f64]| row.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
        for (q, row) in rows.clone().enumerate() {
            let greatest = scale(row);
            for (k, value) in row.iter().enumerate() {
                self.tableau[k * columns + q] = value / greatest + LIFT;
            }
            self.tableau[width * columns + q] = -1.0;
        }
        for k in 0..width {
            self.tableau[k * columns + m + k] = 1.0;
            self.tableau[k * columns + columns - 1] = 1.0;
        }
        self.basis.clear();
        self.basis.extend(m..m + width);
        self.pivot_to_optimum(width, columns)?;
        let costs = &self.tableau[width * columns..];
        let total = costs[columns - 1];
        self.point.clear();
        self.point
            .extend(costs[m..m + width].iter().map(|w| w.max(0.0) / total));
        self.support.clear();
        for (k, &column) in self.basis.iter().enumerate() {
            let value = self.tableau[k * columns + columns - 1];
            if column < m && value > NOTHING {
                self.support.push((column, value));
            }
        }
        self.support.sort_unstable_by_key(|entry| entry.0);
        for (column, multiplier) in &mut self.support {
            if let Some(row) = rows.clone().nth(*column) {
                *multiplier /= scale(row);
            }
        }
        Some(1.0 / total - LIFT)
    }

    fn pivot_to_optimum(&mut self, width: usize, columns: usize) -> Option<()> {
        for _ in 0..MAX_PIVOTS {
            let costs = &self.tableau[width * columns..(width + 1) * columns - 1];
            let mut enters = (usize::MAX, -PIVOT);
            for (column, &cost) in costs.iter().enumerate() {
                if cost < enters.1 {
                    enters = (column, cost);
                }
            }
            let enters = enters.0;
            if enters == usize::MAX {
                return Some(());
            }
            let mut leaves = (usize::MAX, f64::INFINITY, 0.0);
            for k in 0..width {
                let entry = self.tableau[k * columns + enters];
                if entry > PIVOT {
                    let ratio = self.tableau[(k + 1) * columns - 1] / entry;
                    let ties = ratio < leaves.1 + 1e-15 && entry > leaves.2;
                    if ratio < leaves.1 - 1e-15 || ties {
                        leaves = (k, ratio, entry);
                    }
                }
            }
            let leaves = leaves.0;
            if leaves == usize::MAX {
                return None;
            }
            let inverse = 1.0 / self.tableau[leaves * columns + enters];
            let (before, rest) = self.tableau.split_at_mut(leaves * columns);
            let (pivot, after) = rest.split_at_mut(columns);
            for value in pivot.iter_mut() {
                *value *= inverse;
            }
            for other in before
                .chunks_exact_mut(columns)
                .chain(after.chunks_exact_mut(columns))
            {
                let factor = other[enters];
                if factor != 0.0 {
                    for (value, of_pivot) in other.iter_mut().zip(pivot.iter()) {
                        *value -= factor * of_pivot;
                    }
                }
            }
            self.basis[leaves] = enters;
        }
        None
    }
}
