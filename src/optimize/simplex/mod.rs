//! Linear programs of few variables and many rows, which are added, changed and switched off between solutions.
//!
//! ```text
//! minimise   c·x     such that   lower ≤ x ≤ upper,   low_i ≤ a_i·x ≤ high_i  for all rows i
//! ```
//!
//! All variables have finite bounds. The method keeps a corner, n tight constraints with the n × n inverse of their matrix: with a
//! constraint that is violated the dual simplex method exchanges one of them, O(n²); the primal method does so where a multiplier
//! has the wrong sign. It starts from the last corner, so that a small change costs a few exchanges.
//!
//! Costs are often a single variable (a margin), which makes nearly all multipliers 0 and the dual method stand still. So the dual
//! method works with multipliers that are moved away from 0 a little, by a fixed sequence; the primal method then finishes with the true ones.
//!
//! # Trust
//! Every outcome but [`Outcome::Stalled`] is checked in the end: a point by its rows, a bound by weak duality from the multipliers
//! alone ([`Simplex::bound`]), into which rounding enters only by the sums.
//!
//! # Source
//! C. Lemke, "The dual method of solving the linear programming problem", 1954; P. Harris, "Pivot selection methods of the Devex LP code",
//! Mathematical Programming 5, 1973 (the ratio test with a tolerance).

mod corner;
mod dual;
mod multipliers;
mod primal;
#[cfg(test)]
mod tests;

use corner::Corner;

/// How much a constraint may be violated.
const FEASIBLE: f64 = 1e-10;

/// Turns between the methods.
const ATTEMPTS: usize = 8;

/// No exchange on a smaller growth.
const PIVOT: f64 = 1e-9;

/// Exchanges after which the inverse is worked out anew.
const FRESH: usize = 100;

/// What became of a linear program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The point is optimal.
    Optimal,
    /// The point costs less than the limit; it need not be optimal, and the bound may be lower.
    Under,
    /// Nothing costs less than the limit: [`Simplex::bound`] is not below it.
    Over,
    /// There is no point; the multipliers show it ([`Simplex::row_multipliers`]).
    Infeasible,
    /// Rounding stood in the way: nothing is known.
    Stalled,
}

/// A linear program and its last solution.
#[derive(Debug, Clone)]
pub struct Simplex {
    n: usize,
    costs: Vec<f64>,
    /// The variables that have a cost.
    costly: Vec<u32>,
    /// Bounds of the variables, then of the rows.
    low: Vec<f64>,
    high: Vec<f64>,
    rows: Vec<Vec<(u32, f64)>>,
    /// 1 / |a| of each row.
    scales: Vec<f64>,
    corner: Corner,
    /// Whether the constraint at each place is tight at its upper bound.
    at_high: Vec<bool>,
    /// How far beyond its bound the constraint at each place is held.
    shifts: Vec<f64>,
    /// Multipliers of the tight constraints.
    multipliers: Vec<f64>,
    point: Vec<f64>,
    /// Row multipliers of the last outcome, and the bound that they show.
    certificate: Vec<(usize, f64)>,
    bound: f64,
    along: Vec<f64>,
    candidates: Vec<(f64, usize)>,
    /// Exchanges since the inverse was worked out.
    recent: usize,

    exchanges: usize,
    stale: bool,
}

impl Simplex {
    /// A program without rows.
    ///
    /// # Panics
    /// If the lengths differ. All bounds must be finite.
    pub fn new(costs: Vec<f64>, lower: Vec<f64>, upper: Vec<f64>) -> Self {
        let n = costs.len();
        assert!(
            lower.len() == n && upper.len() == n,
            "each variable has bounds"
        );
        let mut simplex = Self {
            n,
            costly: Vec::new(),
            at_high: costs.iter().map(|&cost| cost < 0.0).collect(),
            costs,
            low: lower,
            high: upper,
            rows: Vec::new(),
            scales: Vec::new(),
            corner: Corner::new(n),
            shifts: vec![0.0; n],
            multipliers: vec![0.0; n],
            point: vec![0.0; n],
            certificate: Vec::new(),
            bound: f64::NEG_INFINITY,
            along: vec![0.0; n],
            candidates: Vec::new(),
            recent: 0,
            exchanges: 0,
            stale: true,
        };
        simplex.list_costs();
        simplex
    }

    /// Adds the row `low ≤ a·x ≤ high` and gives its number. Infinite bounds mean none.
    pub fn add_row(&mut self, row: Vec<(u32, f64)>, low: f64, high: f64) -> usize {
        let square: f64 = row.iter().map(|(_, v)| v * v).sum();
        self.scales.push(if square > 0.0 {
            1.0 / square.sqrt()
        } else {
            1.0
        });
        self.rows.push(row);
        self.low.push(low);
        self.high.push(high);
        self.corner.push();
        self.rows.len() - 1
    }

    /// Changes the bounds of a row: both infinite switch it off.
    pub fn set_row(&mut self, row: usize, low: f64, high: f64) {
        self.set(self.n + row, low, high);
    }

    /// Changes the bounds of a variable: equal ones fix it.
    pub fn set_bounds(&mut self, variable: usize, lower: f64, upper: f64) {
        self.set(variable, lower, upper);
    }

    fn set(&mut self, constraint: usize, low: f64, high: f64) {
        self.low[constraint] = low;
        self.high[constraint] = high;
        self.stale |= self.corner.is_tight(constraint);
    }

    /// Changes all costs.
    pub fn set_costs(&mut self, costs: &[f64]) {
        self.costs.copy_from_slice(costs);
        self.list_costs();
    }

    /// Forgets the rows from this number on.
    pub fn truncate(&mut self, n_rows: usize) {
        let n_rows = n_rows.min(self.rows.len());
        for place in 0..self.n {
            let constraint = self.corner.tight[place];
            if constraint >= self.n + n_rows {
                self.replace_by_bound(place);
            }
        }
        self.rows.truncate(n_rows);
        self.scales.truncate(n_rows);
        self.low.truncate(self.n + n_rows);
        self.high.truncate(self.n + n_rows);
        self.corner.truncate(self.n + n_rows);
        self.certificate.clear();
    }

    /// Puts a bound of the variable that moves most on the edge in the place of a constraint.
    fn replace_by_bound(&mut self, place: usize) {
        let mut best = (0, 0.0);
        for (variable, value) in self.corner.edge(place).enumerate() {
            if !self.corner.is_tight(variable) && value.abs() > best.1 {
                best = (variable, value.abs());
            }
        }
        self.along_edges(best.0);
        let along = std::mem::take(&mut self.along);
        self.corner.exchange(place, best.0, &along);
        self.along = along;
        self.settle(place);
        self.stale = true;
    }

    /// Forgets the corner: the next solution starts with all variables at bounds.
    pub fn restart(&mut self) {
        let n_rows = self.rows.len();
        self.corner = Corner::new(self.n);
        for _ in 0..n_rows {
            self.corner.push();
        }
        self.at_high = self.costs.iter().map(|&cost| cost < 0.0).collect();
        self.shifts.fill(0.0);
        self.recent = 0;
        self.stale = true;
    }

    /// Number of variables.
    pub fn n_variables(&self) -> usize {
        self.n
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.rows.len()
    }

    /// A row's coefficients.
    pub fn row(&self, row: usize) -> &[(u32, f64)] {
        &self.rows[row]
    }

    /// The point of the last solution.
    pub fn point(&self) -> &[f64] {
        &self.point
    }

    /// What the point costs.
    pub fn objective(&self) -> f64 {
        self.costly
            .iter()
            .map(|&k| self.costs[k as usize] * self.point[k as usize])
            .sum()
    }

    /// The value of a row at the point.
    pub fn value(&self, row: usize) -> f64 {
        self.value_of(self.n + row)
    }

    /// Rows with their multipliers λ: positive for a lower bound, negative for an upper one. With the reduced costs
    /// `r = c − Σ λ a` (c = 0 if infeasible) nothing costs less than `Σ λ·(low or high) + Σ min(r lower, r upper)`.
    pub fn row_multipliers(&self) -> &[(usize, f64)] {
        &self.certificate
    }

    /// The least cost that the multipliers leave possible; positive if infeasible.
    pub fn bound(&self) -> f64 {
        self.bound
    }

    /// Exchanges of all solutions so far.
    pub fn exchanges(&self) -> usize {
        self.exchanges
    }

    /// Solves to the end.
    pub fn solve(&mut self) -> Outcome {
        self.run(None)
    }

    /// Asks whether anything costs less than a limit: stops as soon as that is known.
    pub fn decide(&mut self, limit: f64) -> Outcome {
        self.run(Some(limit))
    }

    fn run(&mut self, limit: Option<f64>) -> Outcome {
        if self.n == 0 {
            return self.without_variables();
        }
        let most = self.exchanges + 50 * (self.n + 20) + 10 * self.rows.len();
        self.candidates.clear();
        if self.stale {
            self.refresh();
        }
        let mut anew = false;
        for attempt in 0..ATTEMPTS {
            if anew {
                self.rebuild();
            }
            anew = true;
            if self.violated(true).is_some()
                && let Some(outcome) = self.dual(limit, most, attempt < 2)
            {
                if outcome == Outcome::Stalled {
                    continue;
                }
                return outcome;
            }
            if limit.is_none_or(|limit| self.objective() >= limit) {
                let ended = self.primal(limit, most);
                // What was relaxed is violated now: on with the dual method.
                anew = !self.unrelax();
                if !ended {
                    continue;
                }
            }
            self.true_multipliers();
            self.certify(None);
            if limit.is_some_and(|limit| self.bound >= limit) {
                return Outcome::Over;
            }
            if self.is_accurate() {
                match limit {
                    Some(limit) if self.objective() < limit => return Outcome::Under,
                    Some(_) => {}
                    None => return Outcome::Optimal,
                }
            }
        }
        self.certificate.clear();
        self.bound = f64::NEG_INFINITY;
        Outcome::Stalled
    }

    /// Rows that are not met by nothing are infeasible.
    fn without_variables(&mut self) -> Outcome {
        self.bound = 0.0;
        self.certificate.clear();
        for row in 0..self.rows.len() {
            let (low, high) = (self.low[row], self.high[row]);
            if low > 0.0 || high < 0.0 {
                self.certificate = vec![(row, if low > 0.0 { 1.0 } else { -1.0 })];
                self.bound = low.max(-high);
                return Outcome::Infeasible;
            }
        }
        Outcome::Optimal
    }

    /// Moves along an edge and exchanges.
    fn enter(&mut self, entering: usize, above: bool, place: usize, distance: f64, shift: f64) {
        for (value, edge) in self.point.iter_mut().zip(self.corner.edge(place)) {
            *value += distance * edge;
        }
        let along = std::mem::take(&mut self.along);
        self.corner.exchange(place, entering, &along);
        self.along = along;
        self.at_high[place] = above;
        self.shifts[place] = if above { shift } else { -shift };
        self.exchanges += 1;
        self.recent += 1;
        if self.recent >= FRESH {
            self.rebuild();
        }
    }

    fn value_of(&self, constraint: usize) -> f64 {
        if constraint < self.n {
            self.point[constraint]
        } else {
            dot(&self.rows[constraint - self.n], &self.point)
        }
    }

    fn along_edges(&mut self, constraint: usize) {
        let mut along = std::mem::take(&mut self.along);
        if constraint < self.n {
            let unit = u32::try_from(constraint).unwrap_or(u32::MAX);
            self.corner
                .along_edges(std::iter::once((unit, 1.0)), &mut along);
        } else {
            let row = self.rows[constraint - self.n].iter().copied();
            self.corner.along_edges(row, &mut along);
        }
        self.along = along;
    }

    /// The tight constraints' bounds have changed: which bound, and where that is.
    fn refresh(&mut self) {
        for place in 0..self.n {
            self.settle(place);
        }
        let values: Vec<f64> = (0..self.n).map(|place| self.target(place)).collect();
        self.corner.point(&values, &mut self.point);
        self.stale = false;
    }

    /// A tight constraint stays at a bound that exists.
    fn settle(&mut self, place: usize) {
        let constraint = self.corner.tight[place];
        if self.high[constraint].is_infinite() {
            self.at_high[place] = false;
        } else if self.low[constraint].is_infinite() {
            self.at_high[place] = true;
        }
    }

    fn target(&self, place: usize) -> f64 {
        let constraint = self.corner.tight[place];
        let (low, high) = (self.low[constraint], self.high[constraint]);
        match (low.is_infinite(), high.is_infinite()) {
            // Switched off: it stays where it is.
            (true, true) => self.value_of(constraint),
            (true, false) => high + self.shifts[place],
            (false, true) => low + self.shifts[place],
            (false, false) if self.at_high[place] => high + self.shifts[place],
            (false, false) => low + self.shifts[place],
        }
    }

    fn rebuild(&mut self) {
        let before: Vec<(usize, bool, f64, f64)> = (0..self.n)
            .map(|k| {
                let (at_high, shift) = (self.at_high[k], self.shifts[k]);
                (self.corner.tight[k], at_high, shift, self.multipliers[k])
            })
            .collect();
        let rows = std::mem::take(&mut self.rows);
        let n = self.n;
        let lost = self.corner.rebuild(|constraint| &rows[constraint - n]);
        self.rows = rows;
        let mut state: Vec<Option<(bool, f64, f64)>> = vec![None; self.n + self.rows.len()];
        for (constraint, at_high, shift, multiplier) in before {
            state[constraint] = Some((at_high, shift, multiplier));
        }
        for place in 0..n {
            let constraint = self.corner.tight[place];
            let (at_high, shift, multiplier) = state[constraint].unwrap_or_else(|| {
                let middle = 0.5 * (self.low[constraint] + self.high[constraint]);
                (self.point[constraint] > middle, 0.0, 0.0)
            });
            self.at_high[place] = at_high;
            self.shifts[place] = shift;
            self.multipliers[place] = multiplier;
        }
        debug_assert!(lost.iter().all(|&variable| self.corner.is_tight(variable)));
        self.recent = 0;
        self.refresh();
    }

    /// Whether the tight constraints are where they should be, and nothing is violated.
    fn is_accurate(&self) -> bool {
        (0..self.n).all(|place| {
            let value = self.value_of(self.corner.tight[place]);
            (value - self.target(place)).abs() <= FEASIBLE
        }) && (0..self.n + self.rows.len()).all(|c| self.violation(c).0 <= 1e-9)
    }
}

/// A number between 0.5 and 1.5 that looks random.
fn spread(number: usize) -> f64 {
    let mixed = (number as u64 + 1)
        .wrapping_mul(0x9E37_79B9_7F4A_7C15)
        .rotate_left(31)
        .wrapping_mul(0xD6E8_FEB8_6659_FD93);
    let top = u32::try_from(mixed >> 40).unwrap_or(0);
    0.5 + f64::from(top) / f64::from(1_u32 << 24)
}

fn dot(row: &[(u32, f64)], point: &[f64]) -> f64 {
    row.iter()
        .map(|&(k, value)| value * point[k as usize])
        .sum()
}
