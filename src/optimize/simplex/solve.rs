//! The way from vertex to vertex.

use std::mem::swap;

use super::{End, Tight, Vertex};

/// How far a row may be violated, in units of its greatest coefficient.
const VIOLATION: f64 = 1e-10;
/// Pivots smaller than this are not trusted.
const PIVOT: f64 = 1e-9;
/// The most pivots of a program that is solved to the end, each time.
const MAX_PIVOTS: usize = 20_000;
/// Pivots after which directions are worked out again.
const FRESH: usize = 100;
/// Rows that are asked before all are.
const CANDIDATES: usize = 32;
/// How much of the greatest violation is much.
const MUCH: f64 = 0.2;
/// Outcomes that their multipliers do not bear out before there is none.
const FAILURES: usize = 2;
/// Degenerate pivots in a row after which the smallest index is chosen, so that there is no cycle.
const STALLED: usize = 1_000;

impl Vertex {
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
        let mut sides = vec![1.0; n];
        for place in 0..n {
            if let Tight::Bound(k) = self.tight[place] {
                sides[k] = self.signs[place];
            }
        }
        self.row_tight.fill(false);
        self.bound_tight.fill(true);
        self.tight = (0..n).map(Tight::Bound).collect();
        self.directions.fill(0.0);
        for (k, side) in sides.iter().enumerate() {
            self.directions[k * n + k] = *side;
        }
        self.signs = sides;
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

    /// By how much a row is violated, in units of its length, and its sign.
    fn violation(&self, row: usize) -> (f64, f64) {
        let below = self.right[row] - self.value(row);
        if self.equal[row] && below < 0.0 {
            (-below / self.norms[row], -1.0)
        } else {
            (below / self.norms[row], 1.0)
        }
    }

    /// A much violated constraint (the first one if `first`), its sign, and by how much it is violated.
    ///
    /// Rows are asked of which the last look at all of them found much violated, as long as one of them still is.
    fn violated(&mut self, first: bool) -> Option<(Tight, f64, f64)> {
        let mut found = None;
        let mut worst = VIOLATION;
        for k in 0..self.n() {
            let (below, above) = (self.lower[k] - self.x[k], self.x[k] - self.upper[k]);
            let (violation, sign) = if below > above {
                (below, 1.0)
            } else {
                (above, -1.0)
            };
            if violation > worst && !self.bound_tight[k] {
                (found, worst) = (Some((Tight::Bound(k), sign, violation)), violation);
                if first {
                    return found;
                }
            }
        }
        if !first {
            let mut candidates = std::mem::take(&mut self.candidates);
            candidates.retain(|&row| {
                let (violation, sign) = self.violation(row);
                if violation > worst {
                    (found, worst) = (
                        Some((Tight::Row(row), sign, violation * self.norms[row])),
                        violation,
                    );
                }
                violation > VIOLATION
            });
            self.candidates = candidates;
            if found.is_some() && worst > self.accept {
                return found;
            }
        }
        let mut all: Vec<(f64, usize)> = Vec::new();
        for &row in &self.live {
            if self.row_tight[row] {
                continue;
            }
            let (violation, sign) = self.violation(row);
            if violation > VIOLATION {
                all.push((violation, row));
                if violation > worst {
                    (found, worst) = (
                        Some((Tight::Row(row), sign, violation * self.norms[row])),
                        violation,
                    );
                    if first {
                        return found;
                    }
                }
            }
        }
        if all.len() > CANDIDATES {
            all.select_nth_unstable_by(CANDIDATES, |a, b| b.0.total_cmp(&a.0));
            all.truncate(CANDIDATES);
        }
        self.accept = MUCH * worst;
        self.candidates.clear();
        self.candidates.extend(all.into_iter().map(|(_, row)| row));
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
                    Some((other, _)) if first => self.rank(place) < self.rank(other),
                    Some((other, _)) => weight > self.weights[other],
                };
                if better {
                    found = Some((place, self.multipliers[place].max(0.0) / weight));
                }
            }
        }
        found
    }

    /// Bounds before rows, each by number.
    fn rank(&self, place: usize) -> (bool, usize) {
        match self.tight[place] {
            Tight::Bound(k) => (false, k),
            Tight::Row(row) => (true, row),
        }
    }

    /// Solves until the objective exceeds the cutoff; where rounding stands in the way, once more from bounds alone.
    pub fn settle(&mut self, cutoff: f64) -> End {
        let end = self.solve(cutoff, MAX_PIVOTS);
        if end != End::Unknown {
            return end;
        }
        self.reset();
        self.solve(cutoff, MAX_PIVOTS)
    }

    /// Moves to the optimum, or until the objective exceeds the cutoff, or for so many pivots.
    ///
    /// That nothing is below the cutoff, or nothing at all is left, is said only if multipliers show it; if they do not, directions are worked
    /// out again, once.
    pub fn solve(&mut self, cutoff: f64, most_pivots: usize) -> End {
        let n = self.n();
        let mut still = 0;
        let mut objective = self.objective();
        let mut certain = self.age == 0;
        let mut failures = 0;
        self.candidates.clear();
        self.accept = f64::INFINITY;
        for _ in 0..most_pivots {
            if objective > cutoff {
                if self.bound() > cutoff {
                    return End::Cutoff;
                }
                failures += 1;
                if failures == FAILURES {
                    return End::Unknown;
                }
                self.refresh();
                // Where the two differ, only what is shown counts.
                objective = self.objective().min(self.bound());
                continue;
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
                if self.contradicts(constraint, sign) {
                    return End::Infeasible;
                }
                failures += 1;
                if failures == FAILURES {
                    return End::Unknown;
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
