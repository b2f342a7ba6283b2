//! The law of additive noise: normal densities.

#[cfg(test)]
mod tests;

use std::{borrow::Cow, collections::BTreeMap};

use ndarray::Array2;
use rayon::prelude::*;

use super::{
    equality::Equality,
    masked_numbers,
    pairs::{PairLaw, Pairs, log_sum},
};
use crate::{
    attack::{Direction, Nearest, Preference, Scenario},
    distance::{
        Metric,
        nearest::{Boxes, GAP},
    },
    error::{Error, Result},
    statement::{NoiseParameters, Step},
    stats::{covariance::covariance, eigen, moments::moments_by_attribute},
    table::matrix::Matrix,
};

/// Pairs up to which every likelihood is worked out; beyond, only the most likely record is looked for.
const MAX_PAIRS: usize = 1 << 28;

/// A share of the greatest variance of noise, in units of the attributes' variances, below which there is none.
const NO_NOISE: f64 = 1e-9;

/// The variance of rounding, in squares of the unit to which is rounded.
const OF_ROUNDING: f64 = 1.0 / 12.0;

/// Prefers the most likely record under additive noise.
///
/// ```text
/// y = x + e,  e normal with covariance N:   N = level · diag Var(X), or level · Cov(X) if correlated
/// −ln P(y | x) = ½ (y − x)' N⁻¹ (y − x) + const
/// ```
///
/// # What the intruder does not know
/// Var(X) and Cov(X) are the intruder's own records' if they hold as many as were released. Else they take the release's, divided by
/// 1 + level, since Var(X + e) = (1 + level) Var(X).
///
/// # Restored
/// Masked values were stretched by sd(X)/sd(X + e), whose expectation is nearly 1/√(1 + level), around a mean that stays. So
/// `x* = mean + (x − mean)/√(1 + level)` takes the place of x, and N is divided by 1 + level. The mean, the variance and (if
/// correlated) the covariance of X are those of the release.
///
/// # Rounded
/// Rounding adds an error that is spread evenly over one unit, the last decimal of the released values of an attribute (1 where all
/// are whole): its variance of 1/12 of the squared unit is added to that of the noise. For a noise with an sd from 0.3 units on this is within a quarter nat of the mass of the rounding interval as
/// far as the next value; the tails of a smaller noise are thinner. What was rounded after each of several steps has the error of each.
///
/// # Singular covariances
/// Where attributes depend on each other, correlated noise keeps the dependence: such directions say nothing and are left out.
///
/// # Missing
/// A record that misses what its seeker has is compared by the attributes that both have, one by one, unless gaps are in place
/// ([`Scenario::gap_rules`]): without correlations that is exact.
///
/// # Large files
/// Up to 2²⁸ pairs the likelihood of each is worked out (see `pairs.rs`). Beyond, the nearest record is searched by an index, and there
/// are no posteriors. f(y) then comes from 4,096 of the intruder's records, evenly spaced, and from what y's own record adds on average,
/// `E exp(−χ²/2) = 2^(−p/2)` in p directions. (What was not masked is not asked for in f.) ln f enters as a coordinate of its own, in which all seekers stand at 0:
/// `|u_x − u_y|² + 2 ln f(y)` is a squared distance, up to a constant. With gaps, attributes are then taken one by one.
///
/// # Errors
/// Input, when an attribute has values too large for squares.
pub(super) fn preference<'a>(
    scenario: &Scenario<'a>,
    published: &Step,
    stated: &NoiseParameters,
) -> Result<Preference<'a>> {
    let masked = masked_numbers(scenario, published);
    let noise = Noise::new(scenario, masked, stated)?;
    let (n, m) = (scenario.intruder.n_records(), scenario.released.n_records());
    if n.saturating_mul(m) <= MAX_PAIRS {
        let law = noise.law(scenario);
        return Ok(Preference::Lists(Box::new(Pairs::new(scenario, law))));
    }
    Ok(noise.nearest(scenario))
}

/// What is known of noise and release.
#[derive(Debug)]
struct Noise {
    /// Which of the known attributes were masked.
    masked: Vec<bool>,
    /// Of those: their places among the known ones.
    places: Vec<usize>,
    /// The covariance of the noise.
    noise: Array2<f64>,
    /// The covariance of the release.
    release: Array2<f64>,
    /// The mean of each known attribute in the release.
    means: Vec<f64>,
    /// By what the distance of an original value from the mean is multiplied.
    shrink: f64,
}

impl Noise {
    fn new(scenario: &Scenario<'_>, masked: Vec<bool>, stated: &NoiseParameters) -> Result<Self> {
        let (intruder, released) = (scenario.intruder, scenario.released);
        let places: Vec<usize> = (0..masked.len()).filter(|&place| masked[place]).collect();
        let release = covariances(released, &places);
        let holds_all = scenario.holds_all();
        let growth = 1.0 + stated.level;
        let (original, shrink) = match (stated.restored, holds_all) {
            (true, _) => (&release / growth, 1.0 / growth.sqrt()),
            (false, true) => (covariances(intruder, &places), 1.0),
            (false, false) => (&release / growth, 1.0),
        };
        let mut noise = original * stated.level;
        if !stated.correlated {
            noise = Array2::from_diag(&noise.diag().to_owned());
        }
        for (at, &place) in places.iter().enumerate() {
            if stated.rounded {
                let times = (1 + stated.rounded_before) as f64;
                noise[[at, at]] += times * OF_ROUNDING * released.unit(place).powi(2);
            }
            let variance: f64 = noise[[at, at]];
            if !variance.is_finite() || !release[[at, at]].is_finite() {
                return Err(Error::input("has values too large for variances")
                    .overflow(&scenario.known[place])
                    .remedy("Rescale it, or leave it out of --known"));
            }
        }
        let moments = moments_by_attribute(released);
        Ok(Self {
            masked,
            places,
            noise,
            release,
            means: moments.iter().map(|moments| moments.mean).collect(),
            shrink,
        })
    }

    /// The form of the attributes at these places among the masked ones.
    fn form(&self, of: &[usize]) -> Form {
        let sds: Vec<f64> = of.iter().map(|&at| self.release[[at, at]].sqrt()).collect();
        // In standard deviations of the release, so that units do not matter; without spread there is no noise.
        let scaled = |matrix: &Array2<f64>| {
            Array2::from_shape_fn((of.len(), of.len()), |(a, b)| {
                if sds[a] > 0.0 && sds[b] > 0.0 {
                    matrix[[of[a], of[b]]] / sds[a] / sds[b]
                } else {
                    0.0
                }
            })
        };
        let spectrum = eigen::symmetric(scaled(&self.noise));
        let greatest = spectrum.values.first().copied().unwrap_or(0.0);
        let kept: Vec<usize> = (0..of.len())
            .filter(|&at| spectrum.values[at] > NO_NOISE * greatest)
            .collect();
        let whiten = Array2::from_shape_fn((kept.len(), of.len()), |(row, column)| {
            spectrum.vectors[[column, kept[row]]] / spectrum.values[kept[row]].sqrt()
        });
        let turned = eigen::symmetric(whiten.dot(&scaled(&self.release)).dot(&whiten.t()));
        let mut map = turned.vectors.t().dot(&whiten);
        for (column, &sd) in sds.iter().enumerate() {
            let per_sd = if sd > 0.0 { 1.0 / sd } else { 0.0 };
            map.column_mut(column).mapv_inplace(|entry| entry * per_sd);
        }
        Form {
            places: of.iter().map(|&at| self.places[at]).collect(),
            map,
            // A release varies more than its noise, and in no direction less.
            spreads: turned
                .values
                .iter()
                .map(|value| value.max(MIN_SPREAD))
                .collect(),
        }
    }

    /// A masked value relative to the mean.
    fn masked_value(&self, released: &Matrix, record: usize, place: usize) -> f64 {
        released.row(record)[place] - self.means[place]
    }

    /// What is expected of the masked value of an original one, relative to the mean.
    fn original_value(&self, intruder: &Matrix, record: usize, place: usize) -> f64 {
        (intruder.row(record)[place] - self.means[place]) * self.shrink
    }
}

/// Records by which a large file is asked how common values are.
const SAMPLED: usize = 4096;

/// For each released record the coordinate whose square is 2 ln f(y), less the least of these.
fn commonness(intruder: &Matrix, released: &Matrix, directions: usize) -> Vec<f64> {
    let n = intruder.n_records();
    let sample: Vec<usize> = (0..SAMPLED.min(n))
        .map(|at| at * n / SAMPLED.min(n))
        .collect();
    let share = 1.0 - sample.len() as f64 / n.max(1) as f64;
    let own = (share / n.max(1) as f64).ln() - 0.5 * directions as f64 * std::f64::consts::LN_2;
    let logs: Vec<f64> = (0..released.n_records())
        .into_par_iter()
        .map(|record| {
            let y = released.record(record);
            let term = |&at: &usize| {
                let x = intruder.record(at);
                let present = |&c: &usize| !x.is_missing(c) && !y.is_missing(c);
                let squares = (0..directions).filter(present).map(|c| {
                    let difference = x.values()[c] - y.values()[c];
                    difference * difference
                });
                -0.5 * squares.fold(0.0, |sum, square| sum + square)
            };
            let mut terms: Vec<f64> = sample.iter().map(term).collect();
            let others = log_sum(&terms) - (sample.len().max(1) as f64).ln();
            terms.clear();
            terms.extend([others, own]);
            log_sum(&terms)
        })
        .collect();
    let least = logs
        .iter()
        .copied()
        .filter(|log| log.is_finite())
        .fold(f64::INFINITY, f64::min);
    // What nothing is near to, nobody is: it is as rare as the rarest that can be represented.
    logs.iter()
        .map(|log| (2.0 * (log.max(least) - least)).max(0.0).sqrt())
        .collect()
}

/// Var(Y) in units of the noise, at least.
const MIN_SPREAD: f64 = 1.0 + 1e-3;

/// Coordinates in which noise is standard normal and the release uncorrelated.
#[derive(Debug)]
struct Form {
    places: Vec<usize>,
    /// Coordinates × attributes.
    map: Array2<f64>,
    /// The variance of the release along each coordinate.
    spreads: Vec<f64>,
}

impl Form {
    fn coordinates(&self, value: impl Fn(usize) -> f64) -> Vec<f64> {
        let point: Vec<f64> = self.places.iter().map(|&place| value(place)).collect();
        let rows = self.map.rows().into_iter();
        rows.map(|row| row.iter().zip(&point).fold(0.0, |sum, (a, x)| sum + a * x))
            .collect()
    }
}

fn covariances(matrix: &Matrix, places: &[usize]) -> Array2<f64> {
    let complete: Vec<usize> = (0..matrix.n_records())
        .filter(|&record| {
            places
                .iter()
                .all(|&place| !matrix.is_missing(record, place))
        })
        .collect();
    let mut values = Vec::with_capacity(complete.len() * places.len());
    for &record in &complete {
        let row = matrix.row(record);
        values.extend(places.iter().map(|&place| row[place]));
    }
    let moments = moments_by_attribute(matrix);
    let joint = (complete.len() > places.len())
        .then(|| covariance(&Matrix::complete(complete.len(), places.len(), values)))
        .flatten();
    let mut of = joint.unwrap_or_else(|| Array2::zeros((places.len(), places.len())));
    // Variances of all values, correlations of the complete records: as noise was made.
    for (at, &place) in places.iter().enumerate() {
        let (sd, among_complete) = (moments[place].sd, of[[at, at]].sqrt());
        if among_complete > 0.0 && complete.len() < matrix.n_records() {
            let stretch = sd / among_complete;
            of.row_mut(at).mapv_inplace(|entry| entry * stretch);
            of.column_mut(at).mapv_inplace(|entry| entry * stretch);
        }
        of[[at, at]] = sd * sd;
    }
    of
}

/// Likelihoods of pairs under noise.
#[derive(Debug)]
struct NoiseLaw<'a> {
    intruder: &'a Matrix,
    released: &'a Matrix,
    agreement: Equality,
    noise: Noise,
    /// By which masked attributes a seeker has; the first is of all.
    forms: Vec<Form>,
    form_of_seeker: Vec<u32>,
    /// Of each masked attribute by itself, where there are gaps.
    singles: Vec<Form>,
    /// The coordinates of all records in the first form.
    coordinates: [Vec<Vec<f64>>; 2],
}

impl Noise {
    fn law<'a>(self, scenario: &Scenario<'a>) -> NoiseLaw<'a> {
        let (intruder, released) = (scenario.intruder, scenario.released);
        let all: Vec<usize> = (0..self.places.len()).collect();
        let mut forms = vec![self.form(&all)];
        let mut number_of: BTreeMap<Vec<usize>, u32> = BTreeMap::from([(all.clone(), 0)]);
        let seekers = scenario.seekers();
        let form_of_seeker = (0..seekers.n_records())
            .map(|record| {
                let has = |at: &usize| !seekers.is_missing(record, self.places[*at]);
                let pattern: Vec<usize> = (0..self.places.len()).filter(has).collect();
                *number_of.entry(pattern).or_insert_with_key(|pattern| {
                    forms.push(self.form(pattern));
                    u32::try_from(forms.len() - 1).unwrap_or(0)
                })
            })
            .collect();
        let singles = if intruder.is_complete() && released.is_complete() {
            Vec::new()
        } else {
            all.iter().map(|&at| self.form(&[at])).collect()
        };
        let coordinates = [
            (0..intruder.n_records())
                .map(|i| forms[0].coordinates(|place| self.original_value(intruder, i, place)))
                .collect(),
            (0..released.n_records())
                .map(|j| forms[0].coordinates(|place| self.masked_value(released, j, place)))
                .collect(),
        ];
        NoiseLaw {
            intruder,
            released,
            agreement: Equality::new(scenario, self.masked.clone()),
            noise: self,
            forms,
            form_of_seeker,
            singles,
            coordinates,
        }
    }

    /// The most likely record as the nearest one.
    fn nearest<'a>(&self, scenario: &Scenario<'a>) -> Preference<'a> {
        let all: Vec<usize> = (0..self.places.len()).collect();
        let gaps = !(scenario.intruder.is_complete() && scenario.released.is_complete());
        let forms: Vec<Form> = if gaps {
            all.iter().map(|&at| self.form(&[at])).collect()
        } else {
            vec![self.form(&all)]
        };
        let others: Vec<usize> = (0..self.masked.len())
            .filter(|&k| !self.masked[k])
            .collect();
        let directions: usize = forms.iter().map(|form| form.spreads.len()).sum();
        let width = directions + others.len();
        // The attribute behind each column; with gaps, each has a form of its own.
        let of_column: Vec<usize> = forms
            .iter()
            .flat_map(|form| form.spreads.iter().map(|_| form.places[0]))
            .chain(others.iter().copied())
            .collect();
        let rules = scenario.gap_rules(true);
        let side = |matrix: &Matrix, of_intruder: bool| {
            let mut values = Vec::with_capacity(matrix.n_records() * width);
            for record in 0..matrix.n_records() {
                let value = |place| {
                    if of_intruder {
                        self.original_value(matrix, record, place)
                    } else {
                        self.masked_value(matrix, record, place)
                    }
                };
                values.extend(forms.iter().flat_map(|form| form.coordinates(value)));
                values.extend(others.iter().map(|&place| matrix.row(record)[place]));
            }
            let mut points = Matrix::complete(matrix.n_records(), width, values);
            if gaps {
                for record in (0..matrix.n_records()).filter(|&r| matrix.has_missing(r)) {
                    for (column, &place) in of_column.iter().enumerate() {
                        if matrix.is_missing(record, place) {
                            points.set_missing(record, column);
                        }
                    }
                }
            }
            points
        };
        let (of_intruder, of_released) = (
            side(scenario.intruder, true),
            side(scenario.released, false),
        );
        let level = |matrix: &Matrix| vec![Some(0.0); matrix.n_records()];
        let (seekers, sought) = match scenario.direction {
            Direction::OriginalToMasked => {
                let commonness = commonness(&of_intruder, &of_released, directions);
                (
                    of_intruder.with_column(&level(&of_intruder)),
                    of_released.with_column(&commonness.into_iter().map(Some).collect::<Vec<_>>()),
                )
            }
            Direction::MaskedToOriginal => (
                of_released.with_column(&level(&of_released)),
                of_intruder.with_column(&level(&of_intruder)),
            ),
        };
        let candidates = (gaps || !others.is_empty()).then(|| {
            let (mut lo, mut hi) = (Vec::new(), Vec::new());
            for record in 0..seekers.n_records() {
                let row = seekers.record(record);
                for column in 0..=width {
                    let value = row.values()[column];
                    let (from, to) = match column < directions || column == width {
                        _ if row.is_missing(column) => match of_column.get(column) {
                            Some(&place) if rules[place].gaps_to_gaps => GAP,
                            _ => (f64::NEG_INFINITY, f64::INFINITY),
                        },
                        true if column < directions
                            && !rules[of_column[column]].values_to_values =>
                        {
                            (f64::NEG_INFINITY, f64::INFINITY)
                        }
                        true => (f64::MIN, f64::MAX),
                        false => (value, value),
                    };
                    lo.push(from);
                    hi.push(to);
                }
            }
            let admits_gaps = (of_column.iter()).map(|&place| !rules[place].values_to_values);
            Boxes::new(seekers.n_records(), width + 1, lo, hi)
                .admitting_gaps(admits_gaps.chain([false]).collect())
        });
        // A masked record that looks among gaps: they count what the release has on average, E(u²/s + ln s).
        let mut missing: Vec<f64> = match scenario.direction {
            Direction::OriginalToMasked => vec![0.0; directions],
            Direction::MaskedToOriginal => {
                let spreads = forms.iter().flat_map(|form| &form.spreads);
                spreads.map(|spread| 1.0 + spread.ln()).collect()
            }
        };
        missing.resize(width + 1, 0.0);
        let mut weights = vec![1.0; directions];
        weights.resize(width, 0.0);
        weights.push(1.0);
        Preference::Nearest(Box::new(Nearest {
            seekers: Cow::Owned(seekers),
            sought: Cow::Owned(sought),
            metric: Metric::new(weights, missing),
            candidates,
            decides: None,
        }))
    }
}

impl NoiseLaw<'_> {
    fn seeker(&self, intruder: usize, released: usize) -> usize {
        match self.agreement.direction {
            Direction::OriginalToMasked => intruder,
            Direction::MaskedToOriginal => released,
        }
    }

    /// The forms of the attributes that both records have, one by one, where the sought record misses one that its seeker has;
    /// `None` where it misses none: then the form of all that the seeker has applies.
    fn one_by_one(&self, intruder: usize, released: usize) -> Option<impl Iterator<Item = &Form>> {
        let (x, y) = (
            self.intruder.record(intruder),
            self.released.record(released),
        );
        let (seeker, sought) = match self.agreement.direction {
            Direction::OriginalToMasked => (x, y),
            Direction::MaskedToOriginal => (y, x),
        };
        let singles = self.singles.iter();
        let is_missed = |form: &Form| {
            let place = form.places[0];
            sought.is_missing(place) && !seeker.is_missing(place)
        };
        self.singles.iter().any(is_missed).then(|| {
            let both = move |form: &&Form| {
                let place = form.places[0];
                !x.is_missing(place) && !y.is_missing(place)
            };
            singles.filter(both)
        })
    }

    /// The difference of two records in the coordinates of a form.
    fn difference(&self, form: &Form, intruder: usize, released: usize) -> Vec<f64> {
        form.coordinates(|place| {
            self.noise.original_value(self.intruder, intruder, place)
                - self.noise.masked_value(self.released, released, place)
        })
    }
}

impl PairLaw for NoiseLaw<'_> {
    fn log_likelihood(&self, intruder: usize, released: usize) -> f64 {
        if !self
            .agreement
            .admits(self.intruder, (intruder, released), self.released)
        {
            return f64::NEG_INFINITY;
        }
        let squared = |x: &[f64], y: &[f64]| {
            let pairs = x.iter().zip(y);
            -0.5 * pairs.fold(0.0, |sum, (x, y)| sum + (x - y) * (x - y))
        };
        if let Some(forms) = self.one_by_one(intruder, released) {
            return forms.fold(0.0, |sum, form| {
                let difference = self.difference(form, intruder, released);
                difference.iter().fold(sum, |sum, u| sum - 0.5 * u * u)
            });
        }
        match self.form_of_seeker[self.seeker(intruder, released)] {
            0 => squared(
                &self.coordinates[0][intruder],
                &self.coordinates[1][released],
            ),
            number => {
                let difference = self.difference(&self.forms[number as usize], intruder, released);
                squared(&difference, &vec![0.0; difference.len()])
            }
        }
    }

    fn log_background(&self, intruder: usize, released: usize) -> f64 {
        let of_form = |sum: f64, form: &Form| {
            let point =
                form.coordinates(|place| self.noise.masked_value(self.released, released, place));
            let terms = point.iter().zip(&form.spreads);
            terms.fold(sum, |sum, (u, spread)| {
                sum - 0.5 * (u * u / spread + spread.ln())
            })
        };
        if let Some(forms) = self.one_by_one(intruder, released) {
            return forms.fold(0.0, of_form);
        }
        let number = self.form_of_seeker[self.seeker(intruder, released)];
        of_form(0.0, &self.forms[number as usize])
    }

    fn is_complete(&self, intruder: usize) -> bool {
        !self.intruder.has_missing(intruder)
    }
}
