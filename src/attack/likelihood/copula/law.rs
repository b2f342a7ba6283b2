//! The law of masked scores, for intruders who know some of the original ones.

use ndarray::{Array1, Array2, ArrayView2};

use super::scores::State;
use crate::{
    statement::{CopulaAllocation, CopulaParameters},
    stats::{
        copula::{
            Allocation, LikelyLevel, Transfer, levels, mixture_moments, protected, transfer,
            whitening,
        },
        eigen,
    },
};

/// A normal law of which the scores are a mixture, and how they were masked.
#[derive(Debug)]
struct Part {
    log_weight: f64,
    mean: Array1<f64>,
    covariance: Array2<f64>,
    /// By level of protection.
    transfers: Vec<Transfer>,
}

/// What was published, ready for questions.
#[derive(Debug)]
pub(super) struct Model {
    width: usize,
    parts: Vec<Part>,
    mean: Array1<f64>,
    covariance: Array2<f64>,
    /// The highest level of protection.
    levels: usize,
}

/// Scores that are known of the records of a class, and the variance of the error of each.
#[derive(Debug, Clone)]
pub(super) struct Known {
    pub places: Vec<usize>,
    pub errors: Vec<f64>,
}

impl Known {
    /// What these states leave, where a blurred score has one of these errors.
    pub fn of(states: &[State], errors: &[f64]) -> Self {
        let places: Vec<usize> = (0..states.len())
            .filter(|&place| states[place] != State::Absent)
            .collect();
        let error = |&place: &usize| match states[place] {
            State::Blurred => errors[place],
            State::Absent | State::Exact => 0.0,
        };
        Self {
            errors: places.iter().map(error).collect(),
            places,
        }
    }

    /// The covariance of these scores, errors included.
    fn of_matrix(&self, matrix: &Array2<f64>) -> Array2<f64> {
        let n = self.places.len();
        Array2::from_shape_fn((n, n), |(i, j)| {
            let error = if i == j { self.errors[i] } else { 0.0 };
            matrix[[self.places[i], self.places[j]]] + error
        })
    }

    fn of_vector(&self, vector: &Array1<f64>) -> Vec<f64> {
        self.places.iter().map(|&place| vector[place]).collect()
    }
}

/// ln of a normal density, up to the same constant for all of as many scores.
#[derive(Debug)]
pub(super) struct Normal {
    mean: Vec<f64>,
    white: Array2<f64>,
    log_root: f64,
}

impl Normal {
    fn new(mean: Vec<f64>, covariance: ArrayView2<'_, f64>) -> Self {
        let (log2_determinant, white) = whitening(covariance);
        Self {
            mean,
            white,
            log_root: 0.5 * std::f64::consts::LN_2 * log2_determinant,
        }
    }

    /// The squared Mahalanobis distance.
    fn distance(&self, point: &[f64]) -> f64 {
        let off: Vec<f64> = (point.iter().zip(&self.mean)).map(|(x, m)| x - m).collect();
        squared(&product(&self.white, &off))
    }

    fn log(&self, point: &[f64]) -> f64 {
        -0.5 * self.distance(point) - self.log_root
    }
}

/// The sum of squares, in order.
pub(super) fn squared(vector: &[f64]) -> f64 {
    vector.iter().fold(0.0, |sum, x| sum + x * x)
}

/// A matrix times a vector.
fn product(matrix: &Array2<f64>, vector: &[f64]) -> Vec<f64> {
    let rows = matrix.rows().into_iter();
    rows.map(|row| row.iter().zip(vector).fold(0.0, |sum, (a, x)| sum + a * x))
        .collect()
}

/// A component at a level of protection, for intruders of one class: masked scores are normal around `mean + b (known − own)`.
#[derive(Debug)]
pub(super) struct Term {
    pub component: usize,
    level: usize,
    /// The mean of the known scores in this component.
    pub own: Vec<f64>,
    mean: Array1<f64>,
    b: Array2<f64>,
    s: Array2<f64>,
    /// The covariance of the component.
    whole: Array2<f64>,
}

/// What follows from the known scores of a class of records.
#[derive(Debug)]
pub(super) struct Class {
    pub known: Known,
    width: usize,
    levels: usize,
    /// The components of the known scores, and what all of them have in common.
    components: Vec<(f64, Normal)>,
    whole: Normal,
    pub terms: Vec<Term>,
}

impl Model {
    pub fn new(stated: &CopulaParameters) -> Self {
        let allocation = match stated.allocation {
            CopulaAllocation::Minimal => Allocation::Minimal,
            CopulaAllocation::Uniform => Allocation::Uniform,
        };
        let width = stated.scores();
        let levels = stated
            .extremes
            .as_ref()
            .map_or(0, |extremes| extremes.levels);
        let triples: Vec<(f64, Array1<f64>, Array2<f64>)> = (stated.components.iter())
            .map(|part| {
                let cell = |(i, j): (usize, usize)| part.covariance[i][j];
                (
                    part.weight,
                    Array1::from(part.mean.clone()),
                    Array2::from_shape_fn((width, width), cell),
                )
            })
            .collect();
        let (mean, covariance) = mixture_moments(&triples);
        let parts = triples
            .into_iter()
            .map(|(weight, mean, covariance)| {
                let at = |level| {
                    let mu = protected(stated.mu, level);
                    transfer(covariance.view(), &stated.weights, mu, allocation)
                };
                Part {
                    log_weight: weight.ln(),
                    transfers: (0..=levels).map(at).collect(),
                    mean,
                    covariance,
                }
            })
            .collect();
        Self {
            width,
            parts,
            mean,
            covariance,
            levels,
        }
    }

    /// The law for records of which these scores are known; `records` are the known scores of each of them, in the order of the places.
    pub fn class(&self, known: Known, records: &[Vec<f64>]) -> Class {
        let normal = |mean: &Array1<f64>, covariance: &Array2<f64>| {
            Normal::new(known.of_vector(mean), known.of_matrix(covariance).view())
        };
        let whole = normal(&self.mean, &self.covariance);
        let components: Vec<(f64, Normal)> = (self.parts.iter())
            .map(|part| (part.log_weight, normal(&part.mean, &part.covariance)))
            .collect();
        let mut class = Class {
            width: self.width,
            levels: self.levels,
            known,
            components,
            whole,
            terms: Vec::new(),
        };
        // What the unknown scores scatter at a level: on average over these records.
        let mut sums = vec![(0.0, 0.0); self.levels + 1];
        for record in records {
            for (sum, likely) in sums.iter_mut().zip(class.likely_levels(record)) {
                sum.0 += likely.probability;
                sum.1 += likely.probability * likely.spread;
            }
        }
        for (level, (probability, spread)) in sums.into_iter().enumerate() {
            // A level that nobody can have needs no law.
            if probability > MIN_SHARE {
                let spread = spread / probability;
                for component in 0..self.parts.len() {
                    class
                        .terms
                        .push(self.term(&class.known, component, level, spread));
                }
            }
        }
        class
    }

    /// B and S as in [`stats::copula::conditional`](crate::stats::copula::conditional), with errors of what is known.
    fn term(&self, known: &Known, component: usize, level: usize, spread: f64) -> Term {
        let part = &self.parts[component];
        let transfer = &part.transfers[level];
        let (d, v) = (self.width, known.places.len());
        let across = Array2::from_shape_fn((d, v), |(i, j)| part.covariance[[i, known.places[j]]]);
        let (_, white) = whitening(known.of_matrix(&part.covariance).view());
        let expected = across.dot(&white.t().dot(&white));
        let unknown = &part.covariance - &expected.dot(&across.t());
        let moved = transfer.a.dot(&unknown).dot(&transfer.a.t());
        Term {
            component,
            level,
            own: known.of_vector(&part.mean),
            mean: part.mean.clone(),
            b: transfer.a.dot(&expected),
            s: transfer.noise() + moved * spread,
            whole: part.covariance.clone(),
        }
    }

    /// The law of the masked scores of anybody, as far as they were released.
    pub fn anybody(&self, released: &Known) -> Vec<(f64, Normal)> {
        (self.parts.iter())
            .map(|part| {
                let covariance = released.of_matrix(&part.covariance);
                (
                    part.log_weight,
                    Normal::new(released.of_vector(&part.mean), covariance.view()),
                )
            })
            .collect()
    }
}

/// Less likely than this is nobody.
const MIN_SHARE: f64 = 1e-12;

impl Class {
    fn likely_levels(&self, known: &[f64]) -> Vec<LikelyLevel> {
        let distance = self.whole.distance(known);
        levels(distance, self.known.places.len(), self.width, self.levels)
    }

    fn log_components(&self, known: &[f64]) -> Vec<f64> {
        (self.components.iter())
            .map(|(weight, normal)| weight + normal.log(known))
            .collect()
    }

    /// ln of the density of these known scores.
    pub fn log_known(&self, known: &[f64]) -> f64 {
        super::log_sum(&self.log_components(known))
    }

    /// ln of the joint density of each term and these known scores.
    pub fn log_joint(&self, known: &[f64]) -> Vec<f64> {
        let of_components = self.log_components(known);
        let likely = self.likely_levels(known);
        let log = |term: &Term| {
            let level = likely[term.level].probability;
            if level > MIN_SHARE {
                of_components[term.component] + level.ln()
            } else {
                f64::NEG_INFINITY
            }
        };
        self.terms.iter().map(log).collect()
    }
}

/// ln of the density of a mixture, and the component that is likeliest to be behind it.
pub(super) fn log_mixture(parts: &[(f64, Normal)], point: &[f64]) -> (f64, usize) {
    let logs: Vec<f64> = (parts.iter())
        .map(|(weight, normal)| weight + normal.log(point))
        .collect();
    let most = (0..logs.len()).max_by(|&a, &b| logs[a].total_cmp(&logs[b]));
    (super::log_sum(&logs), most.unwrap_or(0))
}

/// A term for released records of a class, in coordinates in which the law is standard normal.
#[derive(Debug)]
pub(super) struct Coordinates {
    /// Of masked scores less their mean, as released: a lower triangle.
    pub white: Array2<f64>,
    /// Of known scores less their mean: where masked ones are expected.
    pub turned: Array2<f64>,
    pub mean: Vec<f64>,
    /// −ln of the root of the determinant.
    pub log_scale: f64,
}

/// The directions of a term's coordinates in which somebody's known scores make a difference, orthonormal.
#[derive(Debug)]
pub(super) struct KnownDirections {
    /// Directions × coordinates.
    rotation: Array2<f64>,
    /// How much less a masked score scatters in each given the known ones than for anybody: 1 − Var(y | z) / Var(y), positive.
    pub curvature: Vec<f64>,
}

/// Curvatures are no less: a direction that says nothing leaves a parabola without a top.
const MIN_CURVATURE: f64 = 0.01;

impl KnownDirections {
    pub fn new(term: &Term, released: &Known, coordinates: &Coordinates) -> Self {
        let (d, v) = coordinates.turned.dim();
        let across = coordinates.turned.dot(&coordinates.turned.t());
        let by_known = eigen::symmetric(across).vectors;
        let by_known = Array2::from_shape_fn((d, d.min(v)), |at| by_known[at]);
        // In white coordinates the noise has variance 1, and anybody's masked scores this covariance.
        let whole = (coordinates.white)
            .dot(&released.of_matrix(&term.whole))
            .dot(&coordinates.white.t());
        let (_, white) = whitening(whole.view());
        let less = Array2::eye(d) - white.t().dot(&white);
        let own = eigen::symmetric(by_known.t().dot(&less).dot(&by_known));
        Self {
            rotation: own.vectors.t().dot(&by_known.t()),
            curvature: (own.values.iter())
                .map(|value| value.clamp(MIN_CURVATURE, 1.0))
                .collect(),
        }
    }

    /// A point in these directions.
    pub fn of<'a>(&'a self, point: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
        let rows = self.rotation.rows().into_iter();
        rows.map(move |row| row.iter().zip(point).fold(0.0, |sum, (a, x)| sum + a * x))
    }
}

impl Coordinates {
    pub fn new(term: &Term, released: &Known) -> Self {
        let (log2_determinant, white) = whitening(released.of_matrix(&term.s).view());
        let rows = Array2::from_shape_fn((released.places.len(), term.own.len()), |(i, j)| {
            term.b[[released.places[i], j]]
        });
        Self {
            turned: white.dot(&rows),
            mean: released.of_vector(&term.mean),
            white,
            log_scale: -0.5 * std::f64::consts::LN_2 * log2_determinant,
        }
    }
}
