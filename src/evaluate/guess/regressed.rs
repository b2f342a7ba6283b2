//! Attributes that were made anew so that a regression on others says the same as before.

use ndarray::Array2;

use super::{
    Certainty, Finding, Search,
    columns::{Column, MISSING},
    marginal::Marginal,
};
use crate::{
    stats::{covariance::covariance, moments::moments, regression::Basis},
    table::Matrix,
};

/// Categories of an attribute that become indicators, at most.
const MAX_CATEGORIES: usize = 30;

impl Search<'_> {
    /// Attributes that were made anew by a regression on those that were kept.
    pub(super) fn regressions(&mut self, rest: &mut Vec<usize>) {
        let is_new = |place: &usize| self.marginals[*place] == Marginal::Changed;
        let made: Vec<usize> = rest.iter().copied().filter(is_new).collect();
        let kept = self.places(|marginal| *marginal == Marginal::Kept);
        let kept: Vec<usize> = if self.moved.together.is_empty() {
            kept
        } else {
            self.moved.together.clone()
        };
        let Some(fit) = regressed(self.columns, &made, &kept) else {
            return;
        };
        rest.retain(|place| !made.contains(place));
        let variant = match (fit.is_fit, fit.covariances) {
            (true, _) => "a",
            (false, false) => "b",
            (false, true) => "c",
        };
        let on = self.names(&fit.on);
        let said = match variant {
            "a" => "the new values are what a regression on these predicts, and nothing else",
            "b" => "the regression was repeated, its residuals were drawn anew",
            _ => "the covariances of the new values are those of the original, too",
        };
        let finding = Finding::new(self.names(&made), Some("ipso"), Certainty::Certain)
            .with("variant", variant)
            .with("confidential", on.clone())
            .since(format!(
                "means, and covariances with {}, agree with the original's to all digits that rounding leaves",
                on.join(", ")
            ))
            .since(said);
        self.found(&made, finding);
    }
}

/// What was kept of a regression.
#[derive(Debug, Clone, PartialEq)]
struct Regressed {
    /// The attributes on which the others were regressed: their places.
    on: Vec<usize>,
    /// Whether the new values are the predictions themselves.
    is_fit: bool,
    /// Whether the covariances of the new values are those of the original ones.
    covariances: bool,
}

/// A column of numbers of both files, and how exact its covariances are.
struct Numbers {
    place: usize,
    sides: [Vec<f64>; 2],
    unit: f64,
}

/// Whether the covariances of `made` with some of `kept` are those of the original, to the rounding of values.
///
/// Chance would make them differ by about 1/√n: that they agree to many digits is a regression that was repeated.
fn regressed(columns: &[Column], made: &[usize], kept: &[usize]) -> Option<Regressed> {
    let complete = |side: usize| -> Vec<bool> {
        let all = made.iter().chain(kept).map(|&place| &columns[place]);
        let records = made.first().map_or(0, |&m| columns[m].codes[side].len());
        let mut complete = vec![true; records];
        for column in all {
            for (whole, &code) in complete.iter_mut().zip(&column.codes[side]) {
                *whole &= code != MISSING;
            }
        }
        complete
    };
    let complete = [complete(0), complete(1)];
    let records = complete
        .each_ref()
        .map(|c| c.iter().filter(|&&c| c).count());
    if made.is_empty() || records[0] != records[1] || records[0] < 10 {
        return None;
    }
    let y: Vec<Numbers> = made
        .iter()
        .filter_map(|&place| Numbers::of(columns, place, &complete))
        .collect();
    let x: Vec<Numbers> = kept
        .iter()
        .flat_map(|&place| Numbers::all(columns, place, &complete))
        .collect();
    if y.len() != made.len() || x.is_empty() {
        return None;
    }
    let [before, after] = [0, 1].map(|side: usize| {
        let all: Vec<&Vec<f64>> = x
            .iter()
            .chain(&y)
            .map(|numbers| &numbers.sides[side])
            .collect();
        let rows = (0..records[0]).flat_map(|record| all.iter().map(move |column| column[record]));
        covariance(&Matrix::complete(records[0], all.len(), rows.collect()))
    });
    let (before, after): (Array2<f64>, Array2<f64>) = (before?, after?);
    let n = records[0] as f64;
    let agrees = |j: usize, k: usize, units: [f64; 2]| {
        let sd = |place: usize| before[[place, place]].sqrt();
        // Rounding moves a value by up to half a unit, by chance: six times what that makes of a covariance.
        let of_rounding = units[0] / sd(j).max(1e-300) + units[1] / sd(k).max(1e-300);
        let tolerance = 6.0 * of_rounding / (12.0 * n).sqrt() + 1e-8;
        let difference = (before[[j, k]] - after[[j, k]]).abs();
        (difference <= tolerance * sd(j) * sd(k)).then_some(tolerance)
    };
    let width = x.len();
    let mut sharp = false;
    let fits = |place: usize, sharp: &mut bool| {
        let mut columns = (0..width).filter(|&j| x[j].place == place);
        columns.all(|j| {
            let mut others = (0..y.len()).map(|k| agrees(j, width + k, [0.0, y[k].unit]));
            others.all(|tolerance| {
                // By chance it would be as near as this once in fifty times at most.
                *sharp |= tolerance.is_some_and(|t| t * n.sqrt() < 0.02);
                tolerance.is_some()
            })
        })
    };
    let on: Vec<usize> = (kept.iter().copied())
        .filter(|&place| x.iter().any(|numbers| numbers.place == place))
        .filter(|&place| fits(place, &mut sharp))
        .collect();
    if on.is_empty() || !sharp || !y.iter().all(|numbers| numbers.has_its_mean()) {
        return None;
    }
    let covariances = (0..y.len()).all(|j| {
        let mut others = (0..=j).map(|k| agrees(width + j, width + k, [y[j].unit, y[k].unit]));
        others.all(|tolerance| tolerance.is_some())
    });
    let mut basis_columns = vec![vec![1.0; records[0]]];
    let chosen = x.iter().filter(|numbers| on.contains(&numbers.place));
    basis_columns.extend(chosen.map(Numbers::standardised));
    let basis = Basis::new(basis_columns, records[0], 1, &[]);
    let is_fit = y.iter().all(|numbers| {
        let mut rest = numbers.sides[1].clone();
        basis.clear(&mut rest);
        let squares: f64 = rest.iter().map(|r| r * r).sum();
        let of_rounding = numbers.unit * numbers.unit * n / 6.0;
        squares <= of_rounding + 1e-9 * n * moments(numbers.sides[1].iter().copied()).sd.powi(2)
    });
    Some(Regressed {
        on,
        is_fit,
        covariances,
    })
}

impl Numbers {
    fn of(columns: &[Column], place: usize, complete: &[Vec<bool>; 2]) -> Option<Self> {
        let column = &columns[place];
        let values = column.values.as_ref()?;
        let sides = [0, 1].map(|side: usize| -> Vec<f64> {
            let all = column.codes[side].iter().zip(&complete[side]);
            all.filter(|&(_, &complete)| complete)
                .map(|(&code, _)| values[code as usize])
                .collect()
        });
        let unit = (0..=9)
            .map(|decimals| 10_f64.powi(-decimals))
            .find(|unit| {
                let is_whole = |v: &f64| (v / unit - (v / unit).round()).abs() < 1e-6;
                sides[1].iter().all(is_whole)
            })
            .unwrap_or(0.0);
        Some(Self { place, sides, unit })
    }

    /// The numbers of an attribute, or an indicator for each of its categories but the first.
    fn all(columns: &[Column], place: usize, complete: &[Vec<bool>; 2]) -> Vec<Self> {
        if let Some(numbers) = Self::of(columns, place, complete) {
            return vec![numbers];
        }
        let column = &columns[place];
        let categories = column.counts[0].len();
        if categories > MAX_CATEGORIES || column.became_names {
            return Vec::new();
        }
        let indicator = |category: usize| Self {
            place,
            unit: 0.0,
            sides: [0, 1].map(|side: usize| {
                let all = column.codes[side].iter().zip(&complete[side]);
                all.filter(|&(_, &complete)| complete)
                    .map(|(&code, _)| f64::from(u8::from(code as usize == category)))
                    .collect()
            }),
        };
        (1..categories).map(indicator).collect()
    }

    fn has_its_mean(&self) -> bool {
        let [before, after] = self
            .sides
            .each_ref()
            .map(|side| moments(side.iter().copied()));
        let of_rounding = 6.0 * self.unit / (12.0 * before.count as f64).sqrt();
        (before.mean - after.mean).abs() <= of_rounding + 1e-8 * before.sd
    }

    fn standardised(&self) -> Vec<f64> {
        let of = moments(self.sides[1].iter().copied());
        let sd = if of.sd > 0.0 { of.sd } else { 1.0 };
        self.sides[1].iter().map(|v| (v - of.mean) / sd).collect()
    }
}
