//! Linear programmes of few variables, all between bounds, and many rows: the dual simplex method in the space of the variables.
//!
//! ```text
//! min c·x      a·x ≥ b for all rows      lower ≤ x ≤ upper
//! ```
//!
//! The state is a vertex: as many tight constraints (rows or bounds) as variables, and for each the direction that leaves it and
//! stays on the others. Where c does not fall along any of them, the vertex is the optimum of what is tight, and its objective a
//! lower bound. A violated constraint takes the place of one that stays behind. Rows may be added, and right sides and bounds may move
//! at any time: none of it changes the multipliers, so every solve continues from the last.

use std::mem::swap;

/// How far a row may be violated, in units of its greatest coefficient.
const VIOLATION: f64 = 1e-10;
/// Pivots smaller than this are not trusted.
const PIVOT: f64 = 1e-9;
/// Pivots after which directions are worked out again.
const FRESH: usize = 100;
/// Degenerate pivots in a row after which the smallest index is chosen, so that there is no cycle.
const STALLED: usize = 60;

/// A constraint that may be tight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tight {
    /// A bound of a variable.
    Bound(usize),
    /// A row.
    Row(usize),
}

/// How a solve ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// At the optimum.
    Optimal,
    /// The objective exceeds the cutoff.
    Cutoff,
    /// No point satisfies all constraints.
    Infeasible,
    /// Too many pivots: nothing is known but the multipliers.
    Unknown,
}

/// A linear programme and its vertex.
#[derive(Debug, Clone)]
pub struct Vertex {
    cost: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
    right: Vec<f64>,
    norms: Vec<f64>,
    equal: Vec<bool>,
    relaxed: Vec<bool>,
    /// Which constraint is tight at each place; `sign · a·x ≥ sign · b`.
    tight: Vec<Tight>,
    signs: Vec<f64>,
    /// One direction a place.
    directions: Vec<f64>,
    multipliers: Vec<f64>,
    row_tight: Vec<bool>,
    bound_tight: Vec<bool>,
    x: Vec<f64>,
    weights: Vec<f64>,
    age: usize,
    /// Pivots so far.
    pub pivots: usize,
}

impl Vertex {
    /// A programme without rows.
    pub fn new(cost: Vec<f64>, lower: Vec<f64>, upper: Vec<f64>) -> Self {
        let n = cost.len();
        let mut this = Self {
            cost,
            lower,
            upper,
            starts: vec![0],
            columns: Vec::new(),
            values: Vec::new(),
            right: Vec::new(),
            norms: Vec::new(),
            equal: Vec::new(),
            relaxed: Vec::new(),
            tight: Vec::new(),
            signs: vec![1.0; n],
            directions: vec![0.0; n * n],
            multipliers: vec![0.0; n],
            row_tight: Vec::new(),
            bound_tight: vec![false; n],
            x: vec![0.0; n],
            weights: vec![0.0; n],
            age: 0,
            pivots: 0,
        };
        this.reset();
        this
    }

    /// Number of variables.
    fn n(&self) -> usize {
        self.cost.len()
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.right.len()
    }

    /// Adds a row `a·x ≥ right`, or `= right`.
    pub fn push_row(
        &mut self,
        row: impl Iterator<Item = (u32, f64)>,
        right: f64,
        equal: bool,
    ) -> usize {
        for (column, value) in row {
            self.columns.push(column);
            self.values.push(value);
        }
        let start = self.starts[self.right.len()];
        self.starts.push(self.columns.len());
        let norm = self.values[start..]
            .iter()
            .map(|v| v * v)
            .sum::<f64>()
            .sqrt();
        self.norms.push(if norm > 0.0 { norm } else { 1.0 });
        self.right.push(right);
        self.equal.push(equal);
        self.relaxed.push(false);
        self.row_tight.push(false);
        self.right.len() - 1
    }

    /// Moves the right side of a row. [`Self::locate`] must follow before the next solve.
    pub fn set_right(&mut self, row: usize, right: f64) {
        self.right[row] = right;
        self.relaxed[row] = false;
    }

    /// Moves the right side of a row to where no point within the bounds violates it: the row is left out.
    pub fn relax(&mut self, row: usize, right: f64) {
        self.right[row] = right;
        self.relaxed[row] = true;
    }

    /// Moves bounds. [`Self::locate`] must follow before the next solve.
    pub fn set_bounds(&mut self, variable: usize, lower: f64, upper: f64) {
        self.lower[variable] = lower;
        self.upper[variable] = upper;
    }

    /// The bounds of a variable.
    pub fn bounds(&self, variable: usize) -> (f64, f64) {
        (self.lower[variable], self.upper[variable])
    }

    /// The vertex.
    pub fn x(&self) -> &[f64] {
        &self.x
    }

    /// The objective.
    pub fn objective(&self) -> f64 {
        self.cost.iter().zip(&self.x).map(|(c, x)| c * x).sum()
    }

    /// Tight constraints with their multipliers: positive for rows and lower bounds, negative for upper bounds.
    pub fn multipliers(&self) -> impl Iterator<Item = (Tight, f64)> + '_ {
        (0..self.n()).map(|place| {
            (
                self.tight[place],
                self.signs[place] * self.multipliers[place],
            )
        })
    }

    /// Forgets rows for which `keeps` is false and which are not tight. Rows are numbered anew; gives the old number of each.
    pub fn retain_rows(&mut self, mut keeps: impl FnMut(usize) -> bool) -> Vec<usize> {
        let kept: Vec<usize> = (0..self.n_rows())
            .filter(|&row| self.row_tight[row] || keeps(row))
            .collect();
        let mut new_number = vec![usize::MAX; self.n_rows()];
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for (new, &row) in kept.iter().enumerate() {
            new_number[row] = new;
            let entries = self.starts[row]..self.starts[row + 1];
            columns.extend_from_slice(&self.columns[entries.clone()]);
            values.extend_from_slice(&self.values[entries]);
            starts.push(columns.len());
        }
        for tight in &mut self.tight {
            if let Tight::Row(row) = tight {
                *row = new_number[*row];
            }
        }
        self.right = kept.iter().map(|&row| self.right[row]).collect();
        self.norms = kept.iter().map(|&row| self.norms[row]).collect();
        self.equal = kept.iter().map(|&row| self.equal[row]).collect();
        self.relaxed = kept.iter().map(|&row| self.relaxed[row]).collect();
        self.row_tight = kept.iter().map(|&row| self.row_tight[row]).collect();
        (self.starts, self.columns, self.values) = (starts, columns, values);
        kept
    }

    /// Starts again from bounds alone.
    pub fn reset(&mut self) {
        let n = self.n();
        self.tight = (0..n).map(Tight::Bound).collect();
        self.row_tight.fill(false);
        self.bound_tight.fill(true);
        self.signs.fill(1.0);
        self.directions.fill(0.0);
        for k in 0..n {
            self.directions[k * n + k] = 1.0;
        }
        self.age = 0;
        self.locate();
    }

    /// Works out the vertex from what is tight; bounds whose multipliers have the wrong sign change sides.
    pub fn locate(&mut self) {
        let n = self.n();
        self.x.fill(0.0);
        for place in 0..n {
            let direction = &mut self.directions[place * n..(place + 1) * n];
            let mut multiplier: f64 = self
                .cost
                .iter()
                .zip(direction.iter())
                .map(|(c, d)| c * d)
                .sum();
            if let Tight::Bound(_) = self.tight[place]
                && multiplier < 0.0
            {
                multiplier = -multiplier;
                self.signs[place] = -self.signs[place];
                direction.iter_mut().for_each(|d| *d = -*d);
            }
            self.multipliers[place] = multiplier;
            let sign = self.signs[place];
            let right = match self.tight[place] {
                Tight::Row(row) => sign * self.right[row],
                Tight::Bound(k) if sign > 0.0 => self.lower[k],
                Tight::Bound(k) => -self.upper[k],
            };
            if right != 0.0 {
                for (x, d) in self.x.iter_mut().zip(direction.iter()) {
                    *x += right * *d;
                }
            }
        }
    }

    /// Works out the directions again from the list of what is tight.
    fn refresh(&mut self) {
        let n = self.n();
        let rows: Vec<(usize, f64)> = (0..n)
            .filter_map(|place| match self.tight[place] {
                Tight::Row(row) => Some((row, self.signs[place])),
                Tight::Bound(_) => None,
            })
            .collect();
        let bounds = self.bound_tight.clone();
        self.row_tight.fill(false);
        self.bound_tight.fill(true);
        self.tight = (0..n).map(Tight::Bound).collect();
        self.signs.fill(1.0);
        self.directions.fill(0.0);
        for k in 0..n {
            self.directions[k * n + k] = 1.0;
        }
        let mut open: Vec<usize> = (0..n).filter(|&k| !bounds[k]).collect();
        for (row, sign) in rows {
            self.weigh(Tight::Row(row), sign);
            let best = (0..open.len()).max_by(|&a, &b| {
                self.weights[open[a]]
                    .abs()
                    .total_cmp(&self.weights[open[b]].abs())
            });
            if let Some(best) = best
                && self.weights[open[best]].abs() > PIVOT
            {
                let place = open.swap_remove(best);
                self.replace(place, Tight::Row(row), sign);
            }
        }
        self.age = 0;
        self.locate();
        if (0..n).any(|place| self.multipliers[place] < -1e-9 && !self.is_free(place)) {
            self.reset();
        }
    }

    /// What the constraint gains along each direction.
    fn weigh(&mut self, constraint: Tight, sign: f64) {
        let n = self.n();
        match constraint {
            Tight::Bound(k) => {
                for place in 0..n {
                    self.weights[place] = sign * self.directions[place * n + k];
                }
            }
            Tight::Row(row) => {
                let entries = self.starts[row]..self.starts[row + 1];
                let (columns, values) = (&self.columns[entries.clone()], &self.values[entries]);
                for (weight, direction) in
                    self.weights.iter_mut().zip(self.directions.chunks_exact(n))
                {
                    let sum: f64 = columns
                        .iter()
                        .zip(values)
                        .map(|(&k, v)| v * direction[k as usize])
                        .sum();
                    *weight = sign * sum;
                }
            }
        }
    }

    /// Puts the constraint that was weighed in a place.
    fn replace(&mut self, place: usize, constraint: Tight, sign: f64) {
        let n = self.n();
        match self.tight[place] {
            Tight::Bound(k) => self.bound_tight[k] = false,
            Tight::Row(row) => self.row_tight[row] = false,
        }
        match constraint {
            Tight::Bound(k) => self.bound_tight[k] = true,
            Tight::Row(row) => self.row_tight[row] = true,
        }
        self.tight[place] = constraint;
        self.signs[place] = sign;
        let (before, rest) = self.directions.split_at_mut(place * n);
        let (pivot, after) = rest.split_at_mut(n);
        let inverse = 1.0 / self.weights[place];
        pivot.iter_mut().for_each(|d| *d *= inverse);
        let others = before.chunks_exact_mut(n).chain(after.chunks_exact_mut(n));
        let weights = self.weights[..place]
            .iter()
            .chain(&self.weights[place + 1..]);
        for (direction, &weight) in others.zip(weights) {
            if weight.abs() > 1e-14 {
                for (d, p) in direction.iter_mut().zip(pivot.iter()) {
                    *d -= weight * p;
                }
            }
        }
    }

    /// Whether what is tight may never be left: an equation or a fixed variable.
    fn is_free(&self, place: usize) -> bool {
        match self.tight[place] {
            Tight::Row(row) => self.equal[row],
            Tight::Bound(k) => self.lower[k] >= self.upper[k],
        }
    }

    /// The value of a row.
    fn value(&self, row: usize) -> f64 {
        let entries = self.starts[row]..self.starts[row + 1];
        self.columns[entries.clone()]
            .iter()
            .zip(&self.values[entries])
            .map(|(&k, v)| v * self.x[k as usize])
            .sum()
    }

    /// The most violated constraint (the first one if `first`), its sign, and by how much it is violated.
    fn violated(&self, first: bool) -> Option<(Tight, f64, f64)> {
        let mut found = None;
        let mut worst = 0.0;
        for k in 0..self.n() {
            let (below, above) = (self.lower[k] - self.x[k], self.x[k] - self.upper[k]);
            let (violation, sign) = if below > above {
                (below, 1.0)
            } else {
                (above, -1.0)
            };
            if violation > VIOLATION && violation > worst && !self.bound_tight[k] {
                (found, worst) = (Some((Tight::Bound(k), sign, violation)), violation);
                if first {
                    return found;
                }
            }
        }
        for row in 0..self.n_rows() {
            if self.row_tight[row] || self.relaxed[row] {
                continue;
            }
            let below = self.right[row] - self.value(row);
            let (violation, sign) = if self.equal[row] && below < 0.0 {
                (-below, -1.0)
            } else {
                (below, 1.0)
            };
            if violation > VIOLATION && violation > worst * self.norms[row] {
                (found, worst) = (
                    Some((Tight::Row(row), sign, violation)),
                    violation / self.norms[row],
                );
                if first {
                    return found;
                }
            }
        }
        found
    }

    /// The place whose multiplier first reaches 0 when the weighed constraint's grows, and at what value.
    fn leaving(&self, first: bool) -> Option<(usize, f64)> {
        let mut limit = f64::INFINITY;
        for place in 0..self.n() {
            let weight = self.weights[place];
            if weight > PIVOT && !self.is_free(place) {
                limit = limit.min((self.multipliers[place].max(0.0) + 1e-12) / weight);
            }
        }
        let mut found: Option<(usize, f64)> = None;
        for place in 0..self.n() {
            let weight = self.weights[place];
            if weight > PIVOT
                && !self.is_free(place)
                && self.multipliers[place].max(0.0) <= limit * weight
            {
                let better = match found {
                    None => true,
                    Some((_, _)) if first => false,
                    Some((other, _)) => weight > self.weights[other],
                };
                if better {
                    found = Some((place, self.multipliers[place].max(0.0) / weight));
                }
            }
        }
        found
    }

    /// Moves to the optimum, or until the objective exceeds the cutoff, or for so many pivots.
    pub fn solve(&mut self, cutoff: f64, most_pivots: usize) -> End {
        let n = self.n();
        let mut still = 0;
        let mut objective = self.objective();
        let mut certain = self.age == 0;
        for _ in 0..most_pivots {
            if objective > cutoff {
                return End::Cutoff;
            }
            let Some((constraint, sign, violation)) = self.violated(still > STALLED) else {
                if certain || self.age == 0 {
                    return End::Optimal;
                }
                self.refresh();
                objective = self.objective();
                certain = true;
                continue;
            };
            self.weigh(constraint, sign);
            let Some((place, multiplier)) = self.leaving(still > STALLED) else {
                if self.age == 0 {
                    return End::Infeasible;
                }
                self.refresh();
                objective = self.objective();
                continue;
            };
            let weight = self.weights[place];
            let step = violation / weight;
            let mut x = std::mem::take(&mut self.x);
            for (x, d) in x
                .iter_mut()
                .zip(&self.directions[place * n..(place + 1) * n])
            {
                *x += step * d;
            }
            swap(&mut self.x, &mut x);
            for other in 0..n {
                self.multipliers[other] -= multiplier * self.weights[other];
            }
            self.replace(place, constraint, sign);
            self.multipliers[place] = multiplier;
            let gain = multiplier * violation;
            objective += gain;
            still = if gain > 1e-13 { 0 } else { still + 1 };
            self.pivots += 1;
            self.age += 1;
            if self.age >= FRESH {
                self.refresh();
                objective = self.objective();
            }
        }
        End::Unknown
    }
}
