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

mod bound;
mod solve;
#[cfg(test)]
mod tests;

/// A multiplier that is less than this below 0 is 0.
const ROUNDING: f64 = 1e-12;

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
    /// The objective exceeds the cutoff, as [`Vertex::bound`] shows.
    Cutoff,
    /// No point satisfies all constraints, as multipliers show.
    Infeasible,
    /// Too many pivots, or rounding: nothing is known but the multipliers.
    Unknown,
}

/// A vertex to go back to.
#[derive(Debug, Clone)]
pub struct Place {
    tight: Vec<Tight>,
    signs: Vec<f64>,
    directions: Vec<f64>,
    age: usize,
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
    /// The rows that are not relaxed.
    live: Vec<usize>,
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
    /// Rows that were much violated when all were last looked at, and how much is much.
    candidates: Vec<usize>,
    accept: f64,
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
            live: Vec::new(),
            tight: Vec::new(),
            signs: vec![1.0; n],
            directions: vec![0.0; n * n],
            multipliers: vec![0.0; n],
            row_tight: Vec::new(),
            bound_tight: vec![false; n],
            x: vec![0.0; n],
            weights: vec![0.0; n],
            candidates: Vec::new(),
            accept: 0.0,
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
        self.live.push(self.relaxed.len() - 1);
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

    /// The values of the variables at the optimum.
    pub fn x(&self) -> &[f64] {
        &self.x
    }

    /// The value of the objective there.
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

    /// Forgets rows for which `keeps` is false and which are not tight. Gives the old numbers of those that stay, in their new order.
    /// [`Self::locate`] must follow.
    pub fn retain_rows(&mut self, keeps: impl Fn(usize) -> bool) -> Vec<usize> {
        let kept: Vec<usize> = (0..self.n_rows())
            .filter(|&row| self.row_tight[row] || keeps(row))
            .collect();
        let mut numbers = vec![0; self.n_rows()];
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for (new, &row) in kept.iter().enumerate() {
            numbers[row] = new;
            let entries = self.starts[row]..self.starts[row + 1];
            columns.extend_from_slice(&self.columns[entries.clone()]);
            values.extend_from_slice(&self.values[entries]);
            starts.push(columns.len());
        }
        for tight in &mut self.tight {
            if let Tight::Row(row) = tight {
                *row = numbers[*row];
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

    /// Adds a variable that is in no row yet.
    pub fn push_variable(&mut self, cost: f64, lower: f64, upper: f64) -> usize {
        let n = self.n();
        let mut directions = vec![0.0; (n + 1) * (n + 1)];
        for place in 0..n {
            directions[place * (n + 1)..][..n]
                .copy_from_slice(&self.directions[place * n..(place + 1) * n]);
        }
        directions[(n + 1) * (n + 1) - 1] = 1.0;
        self.directions = directions;
        self.cost.push(cost);
        self.lower.push(lower);
        self.upper.push(upper);
        self.tight.push(Tight::Bound(n));
        self.signs.push(1.0);
        self.multipliers.push(0.0);
        self.bound_tight.push(true);
        self.x.push(0.0);
        self.weights.push(0.0);
        n
    }

    /// Where it stands.
    pub fn save(&self) -> Place {
        Place {
            tight: self.tight.clone(),
            signs: self.signs.clone(),
            directions: self.directions.clone(),
            age: self.age,
        }
    }

    /// Goes back to where it stood; no variable may have been added since. [`Self::locate`] must follow.
    pub fn restore(&mut self, place: &Place) {
        self.tight.clone_from(&place.tight);
        self.signs.clone_from(&place.signs);
        self.directions.clone_from(&place.directions);
        self.age = place.age;
        self.row_tight.fill(false);
        self.bound_tight.fill(false);
        for tight in &self.tight {
            match *tight {
                Tight::Bound(k) => self.bound_tight[k] = true,
                Tight::Row(row) => self.row_tight[row] = true,
            }
        }
    }

    /// Changes all costs, and starts again from bounds alone.
    pub fn set_costs(&mut self, costs: &[f64]) {
        self.cost.copy_from_slice(costs);
        self.reset();
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
        self.live.clear();
        self.live
            .extend((0..self.relaxed.len()).filter(|&row| !self.relaxed[row]));
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
                && multiplier < -ROUNDING
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
}
