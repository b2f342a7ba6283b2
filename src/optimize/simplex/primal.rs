//! The primal method: a constraint whose multiplier has the wrong sign leaves, and nothing gets violated.

use super::{FEASIBLE, PIVOT, Simplex, dot, spread};

/// How much a multiplier may have the wrong sign, as a share of the greatest cost.
const DUAL: f64 = 1e-11;

/// How far the primal method relaxes constraints when it stands still, and after how many steps on the spot.
const RELIEF: f64 = 1e-7;
const DEGENERATE: usize = 5;

impl Simplex {
    /// The primal method: until all multipliers are proper. False if it does not end.
    pub(super) fn primal(&mut self, limit: Option<f64>, most: usize) -> bool {
        let mut degenerate = 0;
        loop {
            if self.exchanges >= most {
                return false;
            }
            let relaxed = degenerate >= DEGENERATE;
            // What relaxing has won will be lost again.
            let sure = if relaxed { 1e3 * RELIEF } else { 0.0 };
            if limit.is_some_and(|limit| self.objective() < limit - sure) {
                return true;
            }
            self.true_multipliers();
            let Some((place, growing)) = self.improving(degenerate > 10 * DEGENERATE) else {
                return true;
            };
            let Some((entering, above, distance)) = self.blocking(place, growing, relaxed) else {
                return false;
            };
            if distance.abs() <= 1e-12 {
                degenerate += 1;
            }
            if entering == self.corner.tight[place] {
                for (value, edge) in self.point.iter_mut().zip(self.corner.edge(place)) {
                    *value += distance * edge;
                }
                self.at_high[place] = above;
                self.shifts[place] = 0.0;
                self.exchanges += 1;
                continue;
            }
            self.along_edges(entering);
            if self.along[place].abs() < 1e-11 {
                return false;
            }
            let shift = if relaxed { relief(entering) } else { 0.0 };
            self.enter(entering, above, place, distance, shift);
        }
    }

    /// Takes all constraints back to their bounds: false if they are there.
    pub(super) fn unrelax(&mut self) -> bool {
        let relaxed = self.shifts.iter().any(|shift| *shift != 0.0);
        if relaxed {
            self.shifts.fill(0.0);
            self.refresh();
        }
        relaxed
    }

    /// The place whose multiplier is most wrong, and whether its constraint should grow. `first`: any wrong one, by a fixed shuffled order.
    pub(super) fn improving(&mut self, first: bool) -> Option<(usize, bool)> {
        let tolerance = DUAL * self.greatest_cost();
        let mut best = None;
        let mut greatest = 0.0;
        self.corner.lengths(&mut self.along);
        for place in 0..self.n {
            let value = self.multipliers[place];
            let wrong = (value - self.proper(place, value)).abs();
            if wrong <= tolerance {
                continue;
            }
            let weight = if first {
                spread(self.exchanges * 31 + place)
            } else {
                wrong * wrong / self.along[place]
            };
            if weight > greatest {
                greatest = weight;
                best = Some((place, value < 0.0));
            }
        }
        best
    }

    /// The constraint that stops a move along an edge, whether at its upper bound, and how far the move goes.
    pub(super) fn blocking(
        &self,
        place: usize,
        growing: bool,
        relaxed: bool,
    ) -> Option<(usize, bool, f64)> {
        let sign = if growing { 1.0 } else { -1.0 };
        let direction: Vec<f64> = self.corner.edge(place).map(|e| sign * e).collect();
        let own = self.corner.tight[place];
        let mut found: Vec<(f64, f64, usize)> = Vec::new();
        let mut most = f64::INFINITY;
        for constraint in 0..self.n + self.rows.len() {
            if constraint != own && self.corner.is_tight(constraint) {
                continue;
            }
            let (low, high) = (self.low[constraint], self.high[constraint]);
            if low.is_infinite() && high.is_infinite() {
                continue;
            }
            let rate = if constraint == own {
                sign
            } else if constraint < self.n {
                direction[constraint]
            } else {
                dot(&self.rows[constraint - self.n], &direction)
            };
            if rate.abs() <= PIVOT {
                continue;
            }
            let bound = if rate > 0.0 { high } else { low };
            if bound.is_infinite() {
                continue;
            }
            let mut gap = (bound - self.value_of(constraint)) * rate.signum();
            if relaxed && constraint != own {
                gap += relief(constraint);
            }
            let gap = gap.max(0.0);
            most = most.min((gap + 0.5 * FEASIBLE) / rate.abs());
            found.push((gap, rate, constraint));
        }
        let mut best = None;
        let mut greatest = 0.0;
        for (gap, rate, constraint) in found {
            if gap <= most * rate.abs() && rate.abs() > greatest {
                greatest = rate.abs();
                best = Some((constraint, rate > 0.0, sign * gap / rate.abs()));
            }
        }
        best
    }
}

/// How far beyond its bound a constraint may be while the primal method gets away from a corner of too many constraints.
fn relief(constraint: usize) -> f64 {
    RELIEF * spread(constraint * 7 + 3)
}
