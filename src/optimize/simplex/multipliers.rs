//! Multipliers of constraints, and what they show.

use super::Simplex;

/// What a bound must exceed to show that there is no point, as a share of the sum of the absolute values of its terms: rounding.
const ROUNDING: f64 = 1e-12;

impl Simplex {
    /// The reduced costs `c − Σ λ a` of the last outcome (c = 0 if infeasible): of a variable whose value is its bound, what moving it by 1
    /// costs at least.
    pub fn reduced_costs(&self, infeasible: bool) -> Vec<f64> {
        let mut reduced = if infeasible {
            vec![0.0; self.n]
        } else {
            self.costs.clone()
        };
        for &(row, multiplier) in &self.certificate {
            for &(variable, value) in &self.rows[row] {
                reduced[variable as usize] -= multiplier * value;
            }
        }
        reduced
    }

    /// The multiplier nearest to this that the constraint at a place may have.
    pub(super) fn proper(&self, place: usize, value: f64) -> f64 {
        let constraint = self.corner.tight[place];
        let (low, high) = (self.low[constraint], self.high[constraint]);
        if low >= high {
            value
        } else if low.is_infinite() && high.is_infinite() {
            0.0
        } else if self.at_high[place] {
            value.min(0.0)
        } else {
            value.max(0.0)
        }
    }

    /// The multipliers of the tight constraints for the true costs.
    pub(super) fn true_multipliers(&mut self) {
        let costs = self.costly.iter().map(|&k| (k, self.costs[k as usize]));
        self.corner.along_edges(costs, &mut self.multipliers);
    }

    /// The rows' share of the true multipliers, and the bound they show, is it not below the limit?
    pub(super) fn certify_over(&mut self, limit: f64) -> bool {
        let worked = std::mem::take(&mut self.multipliers);
        self.multipliers = vec![0.0; self.n];
        self.true_multipliers();
        self.certify(None);
        self.multipliers = worked;
        self.bound >= limit
    }

    /// The multipliers that show that an entering constraint which no exchange helps cannot be met.
    pub(super) fn certify_infeasible(&mut self, entering: usize, above: bool) -> bool {
        self.certify(Some((entering, above)));
        self.bound > ROUNDING * self.size()
    }

    pub(super) fn certify(&mut self, farkas: Option<(usize, bool)>) {
        let mut certificate = std::mem::take(&mut self.certificate);
        certificate.clear();
        let sign = farkas.map_or(0.0, |(_, above)| if above { -1.0 } else { 1.0 });
        for place in 0..self.n {
            let constraint = self.corner.tight[place];
            if constraint < self.n {
                continue;
            }
            let value = match farkas {
                Some(_) => -sign * self.along[place],
                None => self.multipliers[place],
            };
            let value = self.proper(place, value);
            if value.abs() > 1e-13 {
                certificate.push((constraint - self.n, value));
            }
        }
        if let Some((entering, _)) = farkas
            && entering >= self.n
        {
            certificate.push((entering - self.n, sign));
        }
        certificate.sort_unstable_by_key(|entry| entry.0);
        self.certificate = certificate;
        self.bound = self.weak_duality(farkas.is_some());
    }

    /// `Σ λ·(low or high) + Σ min(r lower, r upper)` of the certificate.
    pub(super) fn weak_duality(&self, infeasible: bool) -> f64 {
        let mut bound = 0.0;
        for &(row, multiplier) in &self.certificate {
            let constraint = self.n + row;
            bound += multiplier
                * if multiplier > 0.0 {
                    self.low[constraint]
                } else {
                    self.high[constraint]
                };
        }
        for (k, reduced) in self.reduced_costs(infeasible).into_iter().enumerate() {
            bound += (reduced * self.low[k]).min(reduced * self.high[k]);
        }
        bound
    }

    /// The sum of the absolute values of all terms of a bound that shows that there is no point.
    fn size(&self) -> f64 {
        let mut size = 0.0;
        for &(row, multiplier) in &self.certificate {
            let side = if multiplier > 0.0 {
                &self.low
            } else {
                &self.high
            };
            size += (multiplier * side[self.n + row]).abs();
            for &(variable, value) in &self.rows[row] {
                let k = variable as usize;
                size += (multiplier * value).abs() * self.low[k].abs().max(self.high[k].abs());
            }
        }
        size
    }

    pub(super) fn list_costs(&mut self) {
        self.costly = (0..self.n)
            .filter(|&k| self.costs[k] != 0.0)
            .map(|k| u32::try_from(k).unwrap_or(u32::MAX))
            .collect();
    }

    pub(super) fn greatest_cost(&self) -> f64 {
        self.costly
            .iter()
            .map(|&k| self.costs[k as usize].abs())
            .fold(1e-3, f64::max)
    }
}
