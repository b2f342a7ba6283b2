//! The dual method: what is violated enters, and the multipliers stay proper.

use super::{FEASIBLE, Outcome, PIVOT, Simplex, spread};

/// How far multipliers are moved from 0, as a share of the greatest cost.
const PERTURBATION: f64 = 1e-9;

/// Violated constraints that are kept from a look at all of them.
const CANDIDATES: usize = 24;

/// Exchanges after which all are looked at again.
const LOOK: usize = 6;

impl Simplex {
    /// The dual method: until nothing is violated (`None`) or more is known.
    pub(super) fn dual(
        &mut self,
        limit: Option<f64>,
        most: usize,
        perturbed: bool,
    ) -> Option<Outcome> {
        self.true_multipliers();
        self.perturb(if perturbed { PERTURBATION } else { 0.0 });
        loop {
            if self.exchanges >= most {
                return Some(Outcome::Stalled);
            }
            if let Some(limit) = limit
                && self.objective() >= limit
                && self.certify_over(limit)
            {
                return Some(Outcome::Over);
            }
            let Some((entering, above)) = self.violated(false) else {
                if self.recent > 0 && !self.is_accurate() {
                    self.rebuild();
                    continue;
                }
                return None;
            };
            self.along_edges(entering);
            let Some(place) = self.leaving(above) else {
                if self.certify_infeasible(entering, above) {
                    return Some(Outcome::Infeasible);
                }
                if self.recent == 0 {
                    return Some(Outcome::Stalled);
                }
                self.rebuild();
                continue;
            };
            if self.along[place].abs() < 1e-6 && self.recent > 0 {
                self.rebuild();
                continue;
            }
            self.dual_step(entering, above, place);
        }
    }

    pub(super) fn dual_step(&mut self, entering: usize, above: bool, place: usize) {
        let pivot = self.along[place];
        let mut step = self.multipliers[place] / pivot;
        if (step < 0.0) != above {
            step = 0.0;
        }
        for k in 0..self.n {
            let value = self.multipliers[k] - step * self.along[k];
            self.multipliers[k] = self.proper(k, value);
        }
        self.multipliers[place] = step;
        let target = if above {
            self.high[entering]
        } else {
            self.low[entering]
        };
        let distance = (target - self.value_of(entering)) / pivot;
        self.enter(entering, above, place, distance, 0.0);
    }

    /// Makes the multipliers proper and moves them away from 0.
    pub(super) fn perturb(&mut self, share: f64) {
        let size = share * self.greatest_cost();
        for place in 0..self.n {
            let constraint = self.corner.tight[place];
            let value = self.proper(place, self.multipliers[place]);
            let (low, high) = (self.low[constraint], self.high[constraint]);
            let free = low.is_infinite() && high.is_infinite();
            self.multipliers[place] = if low >= high || free {
                value
            } else if self.at_high[place] {
                value - size * spread(constraint)
            } else {
                value + size * spread(constraint)
            };
        }
    }

    /// The place at which the multiplier reaches 0 first when that of the entering constraint grows. Among those within rounding
    /// the one that grows fastest.
    pub(super) fn leaving(&self, above: bool) -> Option<usize> {
        let sign = if above { -1.0 } else { 1.0 };
        let slack = 1e-12 * self.greatest_cost();
        let growth = |place: usize| {
            let constraint = self.corner.tight[place];
            let (low, high) = (self.low[constraint], self.high[constraint]);
            let along = sign * self.along[place];
            if low >= high {
                0.0
            } else if low.is_infinite() && high.is_infinite() {
                along.abs()
            } else if self.at_high[place] {
                -along
            } else {
                along
            }
        };
        let mut most = f64::INFINITY;
        for place in 0..self.n {
            let growth = growth(place);
            if growth > PIVOT {
                most = most.min((self.multipliers[place].abs() + slack) / growth);
            }
        }
        let mut best = None;
        let mut greatest = 0.0;
        for place in 0..self.n {
            let growth = growth(place);
            if growth > PIVOT && growth > greatest && self.multipliers[place].abs() <= most * growth
            {
                greatest = growth;
                best = Some(place);
            }
        }
        best
    }

    /// The constraint that is farthest from being met, and whether it is above its upper bound.
    pub(super) fn violated(&mut self, anew: bool) -> Option<(usize, bool)> {
        if anew || self.recent.is_multiple_of(LOOK) || self.candidates.is_empty() {
            self.look();
        }
        let mut best = self.worst();
        if best.is_none() && !self.candidates.is_empty() {
            self.look();
            best = self.worst();
        }
        best
    }

    pub(super) fn worst(&self) -> Option<(usize, bool)> {
        let mut best = None;
        let mut greatest = 0.0;
        for &(_, constraint) in &self.candidates {
            let (violation, above) = self.violation(constraint);
            if violation > greatest && !self.corner.is_tight(constraint) {
                greatest = violation;
                best = Some((constraint, above));
            }
        }
        best
    }

    /// How far a constraint is from being met; 0 if it is met.
    pub(super) fn violation(&self, constraint: usize) -> (f64, bool) {
        let (low, high) = (self.low[constraint], self.high[constraint]);
        if low.is_infinite() && high.is_infinite() {
            return (0.0, false);
        }
        let value = self.value_of(constraint);
        let scale = if constraint < self.n {
            1.0
        } else {
            self.scales[constraint - self.n]
        };
        if value < low - FEASIBLE {
            ((low - value) * scale, false)
        } else if value > high + FEASIBLE {
            ((value - high) * scale, true)
        } else {
            (0.0, false)
        }
    }

    /// Looks at all constraints for those that are violated most.
    pub(super) fn look(&mut self) {
        let mut found = std::mem::take(&mut self.candidates);
        found.clear();
        for constraint in 0..self.n + self.rows.len() {
            let (violation, _) = self.violation(constraint);
            if violation > 0.0 && !self.corner.is_tight(constraint) {
                found.push((violation, constraint));
            }
        }
        if found.len() > CANDIDATES {
            found
                .select_nth_unstable_by(CANDIDATES, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            found.truncate(CANDIDATES);
        }
        found.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        self.candidates = found;
    }
}
