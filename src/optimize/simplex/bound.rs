//! What multipliers show, from the rows as they were given: directions and sums that many pivots have worn play no part in it.

use super::{Tight, Vertex};

/// A contradiction must exceed this share of the sum of the absolute values of its terms.
const CONTRADICTION: f64 = 1e-12;

impl Vertex {
    /// No point costs less: weak duality, with the rows' multipliers worked out anew from the directions.
    ///
    /// ```text
    /// r = c − Σ y a      c·x ≥ Σ y b + Σ_k min(r_k lower_k, r_k upper_k)      y ≥ 0 but for equations
    /// ```
    ///
    /// It holds whatever the directions are; rounding enters by the sums alone.
    ///
    /// # Complexity
    /// O(n²), as a pivot.
    pub fn bound(&self) -> f64 {
        let n = self.n();
        let rows: Vec<(usize, f64)> = (0..n)
            .filter_map(|place| {
                let direction = &self.directions[place * n..(place + 1) * n];
                let terms = self.cost.iter().zip(direction);
                self.row_multiplier(place, || terms.map(|(c, d)| c * d).sum())
            })
            .collect();
        self.weak_duality(&self.cost, &rows).0
    }

    /// Whether a constraint that was weighed cannot be met beside what is tight: the same without costs is positive, by more than rounding.
    pub(super) fn contradicts(&self, constraint: Tight, sign: f64) -> bool {
        let n = self.n();
        let mut rows: Vec<(usize, f64)> = (0..n)
            .filter_map(|place| self.row_multiplier(place, || -self.weights[place]))
            .collect();
        if let Tight::Row(row) = constraint {
            rows.push((row, sign));
        }
        let (value, size) = self.weak_duality(&vec![0.0; n], &rows);
        value > CONTRADICTION * size
    }

    /// The row that is tight at a place, with the multiplier nearest to this that it may have.
    fn row_multiplier(&self, place: usize, value: impl FnOnce() -> f64) -> Option<(usize, f64)> {
        let Tight::Row(row) = self.tight[place] else {
            return None;
        };
        let multiplier = self.signs[place] * value();
        if self.equal[row] {
            Some((row, multiplier))
        } else {
            Some((row, multiplier.max(0.0)))
        }
    }

    /// The bound of weak duality, and the sum of the absolute values of all that it adds up.
    fn weak_duality(&self, cost: &[f64], rows: &[(usize, f64)]) -> (f64, f64) {
        let mut reduced = cost.to_vec();
        let mut sizes: Vec<f64> = cost.iter().map(|c| c.abs()).collect();
        let (mut bound, mut size) = (0.0, 0.0);
        for &(row, multiplier) in rows {
            let term = multiplier * self.right[row];
            bound += term;
            size += term.abs();
            let entries = self.starts[row]..self.starts[row + 1];
            for (&k, v) in self.columns[entries.clone()]
                .iter()
                .zip(&self.values[entries])
            {
                let term = multiplier * v;
                reduced[k as usize] -= term;
                sizes[k as usize] += term.abs();
            }
        }
        let bounds = self.lower.iter().zip(&self.upper);
        for ((r, s), (lower, upper)) in reduced.iter().zip(&sizes).zip(bounds) {
            bound += (r * lower).min(r * upper);
            size += s * lower.abs().max(upper.abs());
        }
        (bound, size)
    }
}
