//! Distances compared without rounding: who decides where rounding could.

use std::{cmp::Ordering, ops::Deref};

use super::{
    differences::Differences,
    family::{Family, pair},
};
use crate::{attack::Decides, distance::Doubt, stats::exact::Exact};

/// What rounding makes of each of the few operations behind a term, and of the sum, in units of the last place; amply.
const ROUNDINGS: f64 = 64.0 * f64::EPSILON;

impl Family {
    /// What a competitor's features are more than the partner's, without rounding.
    ///
    /// Squared differences are `weight · (x − y)²` of the floating-point numbers that standardisation left; those of a bilinear form
    /// `(x − y) · √weight` with the root as a floating-point number. A seeker midway between both but for the rounding of its own value
    /// is as far from one as from the other ([`Differences::margins`]).
    pub(super) fn exact_row(self, differences: &Differences<'_>, of: [usize; 3]) -> Vec<Exact> {
        let [seeker, partner, competitor] = of;
        let (own, other) = if self.is_bilinear() {
            (
                of_signed(&signed(differences, [seeker, partner, partner])),
                of_signed(&signed(differences, [seeker, partner, competitor])),
            )
        } else {
            (
                self.of_exact_squares(&squares(differences, [seeker, partner, partner])),
                self.of_exact_squares(&squares(differences, [seeker, partner, competitor])),
            )
        };
        other
            .iter()
            .zip(&own)
            .map(|(other, own)| other - own)
            .collect()
    }

    fn of_exact_squares(self, squares: &[Exact]) -> Vec<Exact> {
        let n = squares.len();
        match self {
            Self::OrderedWeightedMean => {
                let mut sorted = squares.to_vec();
                sorted.sort_by(|a, b| b.cmp(a));
                sorted
            }
            Self::Choquet | Self::ChoquetMetric => {
                let mut order: Vec<usize> = (0..n).collect();
                order.sort_by(|&k, &l| squares[k].cmp(&squares[l]));
                let mut features = vec![Exact::default(); (1 << n) - 1];
                let (mut set, mut below) = ((1_usize << n) - 1, Exact::default());
                for k in order {
                    features[set - 1] = &squares[k] - &below;
                    below = squares[k].clone();
                    set &= !(1 << k);
                }
                features
            }
            Self::ChoquetTwoAdditive => {
                let mut features = squares.to_vec();
                features.resize(n * (n + 1) / 2, Exact::default());
                for k in 0..n {
                    for l in k + 1..n {
                        features[pair(n, k, l)] = squares[k].clone().min(squares[l].clone());
                    }
                }
                features
            }
            _ => squares.to_vec(),
        }
    }
}

/// The squared difference of each attribute to a competitor beside a partner.
fn squares(differences: &Differences<'_>, [seeker, partner, competitor]: [usize; 3]) -> Vec<Exact> {
    let mut squares = vec![Exact::default(); differences.n_attributes()];
    let (weights, gaps) = {
        let metric = &differences.nearest.metric;
        (metric.weights(), metric.missing())
    };
    for (place, attribute) in differences.columns() {
        let square = match midway(differences, place, [seeker, partner, competitor]) {
            None => Exact::of_finite(gaps[place]),
            Some((x, y)) => {
                let difference = &Exact::of_finite(x) - &Exact::of_finite(y);
                &Exact::of_finite(weights[place]) * &(&difference * &difference)
            }
        };
        squares[attribute] = &squares[attribute] + &square;
    }
    squares
}

/// The difference of each attribute with its sign; without one where there is a gap, and what its square counts.
fn signed(differences: &Differences<'_>, of: [usize; 3]) -> Vec<(Option<Exact>, Exact)> {
    let metric = &differences.nearest.metric;
    let mut signed = vec![(None, Exact::default()); differences.n_attributes()];
    for (place, attribute) in differences.columns() {
        signed[attribute] = match midway(differences, place, of) {
            None => (None, Exact::of_finite(metric.missing()[place])),
            Some((x, y)) => {
                let root = Exact::of_finite(metric.weights()[place].sqrt());
                let difference = &(&Exact::of_finite(x) - &Exact::of_finite(y)) * &root;
                let square = &difference * &difference;
                (Some(difference), square)
            }
        };
    }
    signed
}

/// The two values whose difference it is: the seeker's and the competitor's, or, where the seeker is midway between competitor and
/// partner, the partner's and the seeker's. `None` with a gap.
fn midway(
    differences: &Differences<'_>,
    place: usize,
    [seeker, partner, competitor]: [usize; 3],
) -> Option<(f64, f64)> {
    let a = differences.nearest.seekers.record(seeker);
    let sought = &differences.nearest.sought;
    let (own, other) = (sought.record(partner), sought.record(competitor));
    if a.is_missing(place) || other.is_missing(place) {
        return None;
    }
    let (x, z) = (a.values()[place], other.values()[place]);
    if !own.is_missing(place) {
        let y = own.values()[place];
        if y.total_cmp(&z).is_ne() && differences.is_midway(place, [x, y, z]) {
            return Some((y, x));
        }
    }
    Some((x, z))
}

fn of_signed(signed: &[(Option<Exact>, Exact)]) -> Vec<Exact> {
    let mut features: Vec<Exact> = signed.iter().map(|(_, square)| square.clone()).collect();
    for (k, (a, _)) in signed.iter().enumerate() {
        features.extend(signed[k + 1..].iter().map(|(b, _)| match (a, b) {
            (Some(a), Some(b)) => (a * b).twice(),
            _ => Exact::default(),
        }));
    }
    features
}

/// Decides which of two sought records is nearer under a distance.
#[derive(Debug)]
pub(super) struct Exactly<D> {
    pub differences: D,
    pub family: Family,
    /// The sum of the sizes of the parameters.
    sum: f64,
    parameters: Vec<Exact>,
    /// Whether no term is negative, so that rounding is a share of the sum.
    is_sum: bool,
    /// Of each column of the sought file the least and the greatest value.
    spans: Vec<(f64, f64)>,
    /// How many times more rounding there is: where distances are between points that were worked out.
    pub mapped: f64,
}

impl<'a, D: Deref<Target = Differences<'a>>> Exactly<D> {
    /// With these parameters, as they are.
    pub fn new(differences: D, family: Family, parameters: &[f64]) -> Self {
        let sought = &differences.nearest.sought;
        let span = |column: usize| {
            sought
                .present(column)
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                    (low.min(value), high.max(value))
                })
        };
        Self {
            spans: (0..sought.n_attributes()).map(span).collect(),
            family,
            sum: parameters.iter().map(|p| p.abs()).sum(),
            is_sum: family.is_mean() && parameters.iter().all(|&p| p >= 0.0),
            parameters: parameters.iter().map(|&p| Exact::of_finite(p)).collect(),
            mapped: 1.0,
            differences,
        }
    }

    /// The squared differences of the seeker are no greater in sum; nor, for points that were worked out, the squares of the values' sizes.
    fn greatest(&self, seeker: usize) -> f64 {
        let metric = &self.differences.nearest.metric;
        let values = self.differences.nearest.seekers.record(seeker);
        let of_column = |(place, &(low, high)): (usize, &(f64, f64))| {
            let square = if values.is_missing(place) || low > high {
                0.0
            } else {
                let x = values.values()[place];
                let away = if self.mapped > 1.0 {
                    x.abs() + low.abs().max(high.abs())
                } else {
                    (x - low).abs().max((x - high).abs())
                };
                metric.weights()[place] * (away * away)
            };
            square.max(metric.missing()[place])
        };
        self.spans.iter().enumerate().map(of_column).sum()
    }
}

impl<'a, D: Deref<Target = Differences<'a>> + Send + Sync + std::fmt::Debug> Decides
    for Exactly<D>
{
    /// Each squared difference is rounded a few times, a distance is a sum of some: no order of two costs that differ by more than this is
    /// a matter of rounding. What [`Differences::margins`] takes for rounding of a seeker's value comes on top.
    fn doubt(&self, seeker: usize) -> Doubt {
        let n = self.differences.n_attributes();
        let terms = (n * n + 8) as f64;
        let share = ROUNDINGS * terms;
        let size = if self.is_sum {
            0.0
        } else {
            2.0 * self.greatest(seeker) * self.mapped
        };
        let moved = 2.0 * self.differences.moved_at_most(seeker, &self.spans);
        Doubt {
            share,
            absolute: self.sum * (share * size + moved) + f64::MIN_POSITIVE,
        }
    }

    fn compare(&self, seeker: usize, a: u32, b: u32) -> Ordering {
        if a == b || self.differences.are_twins(a as usize, b as usize) {
            return Ordering::Equal;
        }
        let row = self
            .family
            .exact_row(&self.differences, [seeker, b as usize, a as usize]);
        let terms = row.iter().zip(&self.parameters);
        let value = terms.fold(Exact::default(), |sum, (v, p)| &sum + &(v * p));
        value.sign()
    }
}
