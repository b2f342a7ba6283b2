//! A learned distance as a file: trained on one pair of files, applied to another, explained to people.

mod document;
mod names;

use ndarray::Array2;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::family::Family;
use crate::{
    attack::{Direction, distance_based::Standardize},
    error::{Error, Result},
    optimize::subsystem::Semidefinite,
    stats::{eigen, measure::SetFunction},
};

#[cfg(test)]
pub(crate) use document::Document;
pub use document::SCHEMA;
pub use names::{Basis, basis, parameter_names, set_name};

/// By how much a file's parameters may miss what their family asks for: solvers and decimal numbers round.
const TOLERANCE: f64 = 1e-9;

/// A learned distance, and how it was learned.
#[derive(Debug, Clone, PartialEq)]
pub struct Weights {
    /// Version of the program that learned it.
    pub version: String,
    /// The family that the parameters are of.
    pub family: Family,
    /// The attributes, in the order of the parameters.
    pub attributes: Vec<String>,
    /// By what each file was standardised.
    pub standardize: Standardize,
    /// Who looked for whom.
    pub direction: Direction,
    /// The parameters, in the order of [`Family::features`].
    pub parameters: Vec<f64>,
    /// How many records these parameters link, counted by plain linkage; a tie is no link.
    pub linked: usize,
    /// How many records looked for a partner.
    pub records: usize,
    /// No parameters of the family link more (by more than rounding: [`crate::optimize::subsystem`]).
    pub bound: usize,
    /// Whether the bound was reached.
    pub proof: ProofStatus,
    /// The least and the greatest value of each parameter over all distances that link the same records; `None` if that was not
    /// worked out.
    pub ranges: Option<Vec<(f64, f64)>>,
    /// Of a measure: the least and the greatest Shapley value of each attribute over all distances that link the same records.
    pub shapley_ranges: Option<Vec<(f64, f64)>>,
    /// How many records each attribute links on its own, ties not counted; `None` if that was not counted.
    pub alone: Option<Vec<usize>>,
}

/// As the document of a file.
impl Serialize for Weights {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let document = serde_json::from_str::<serde_json::Value>(&self.to_json());
        let document = document.map_err(serde::ser::Error::custom)?;
        document.serialize(serializer)
    }
}

/// From the document of a file, checked.
impl<'de> Deserialize<'de> for Weights {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let document = serde_json::Value::deserialize(deserializer)?;
        Self::from_json("weights", &document.to_string()).map_err(serde::de::Error::custom)
    }
}

/// Whether a learned distance is known to be the best of its family.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ProofStatus {
    /// It is.
    Optimal,
    /// A limit was reached before a proof: there may be a better one.
    Limit,
}

impl ProofStatus {
    /// Whether a bound was reached.
    pub fn reached(is_reached: bool) -> Self {
        if is_reached {
            Self::Optimal
        } else {
            Self::Limit
        }
    }

    /// Its word in files and in reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Optimal => "optimal",
            Self::Limit => "limit",
        }
    }
}

impl Weights {
    /// As JSON text.
    pub fn to_json(&self) -> String {
        document::to_json(self)
    }

    /// From JSON text, checked.
    ///
    /// # Errors
    /// Input, when it is not of this schema or not a distance of its family.
    pub fn from_json(name: &str, text: &str) -> Result<Self> {
        let wrong = |error: Error| {
            error
                .in_file(name)
                .remedy("Give the file that 'sdcrisk link --weights FILE' wrote")
        };
        let weights = document::from_json(text).map_err(wrong)?;
        weights.check().map_err(wrong)?;
        Ok(weights)
    }

    /// What each parameter is called, in their order ([`parameter_names`]).
    pub fn names(&self) -> Vec<String> {
        parameter_names(self.family, &self.attributes)
    }

    /// The measure of a Choquet integral; `None` for another family.
    pub fn measure(&self) -> Option<SetFunction> {
        measure_of(self.family, self.attributes.len(), &self.parameters)
    }

    /// The matrix of a bilinear form; `None` for another family.
    pub fn matrix(&self) -> Option<Array2<f64>> {
        let order = self.attributes.len();
        (self.family.is_bilinear() && self.family.dimension(order) == Some(self.parameters.len()))
            .then(|| Semidefinite { order }.matrix(&self.parameters))
    }

    /// Whether one distance only links these records: no parameter can differ by more than rounding. `None` if that is not known.
    pub fn is_unique(&self) -> Option<bool> {
        let fixed = |ranges: &Vec<(f64, f64)>| {
            ranges
                .iter()
                .all(|(least, greatest)| greatest - least <= NEARLY_EQUAL)
        };
        match (&self.ranges, &self.shapley_ranges) {
            (Some(ranges), _) => Some(fixed(ranges)),
            (None, Some(ranges)) if !fixed(ranges) => Some(false),
            _ => None,
        }
    }

    /// That the parameters are a distance of the family.
    fn check(&self) -> Result<()> {
        let Self {
            family, parameters, ..
        } = self;
        let name = family.name();
        let n = self.attributes.len();
        let space = family.space(n).map_err(|error| {
            Error::input(format!("has {n} attributes, more than {name} can have"))
                .for_the_reason_of(&error)
        })?;
        for (place, &value) in parameters.iter().enumerate() {
            let (lower, upper) = (space.lower[place], space.upper[place]);
            if !(lower - TOLERANCE..=upper + TOLERANCE).contains(&value) {
                return Err(Error::input(format!(
                    "has a weight of {:?} that is not between {lower} and {upper}, as {name} needs",
                    self.names()[place]
                ))
                .outside(&self.names()[place], lower..=upper));
            }
        }
        if let Some(plane) = &space.plane {
            let sum = plane
                .iter()
                .fold(0.0, |sum, &(place, e)| sum + e * parameters[place as usize]);
            if (sum - 1.0).abs() > TOLERANCE * n as f64 {
                return Err(Error::input(format!(
                    "has weights that do not sum to 1, as {name} needs"
                )));
            }
        }
        if let Some(measure) = self.measure() {
            if !measure.is_monotone(TOLERANCE) {
                return Err(Error::input(
                    "has a set of attributes that is worth less than a part of it: that is no fuzzy measure",
                ));
            }
            if *family == Family::ChoquetMetric && !measure.is_submodular(TOLERANCE) {
                return Err(Error::input(format!(
                    "has a measure that is not submodular, as {name} needs"
                )));
            }
        }
        if let (Family::BilinearDefinite, Some(matrix)) = (family, self.matrix())
            && eigen::symmetric(matrix)
                .values
                .iter()
                .any(|&value| value < -TOLERANCE)
        {
            return Err(Error::input(format!(
                "has a matrix with a negative eigenvalue, which {name} excludes"
            )));
        }
        let alone = self.alone.iter().flatten().copied();
        if alone.fold(self.linked.max(self.bound), usize::max) > self.records {
            return Err(Error::input("states more links than records"));
        }
        Ok(())
    }
}

/// The measure that parameters are; `None` unless the family is of Choquet integrals and has as many parameters.
pub fn measure_of(family: Family, n_attributes: usize, parameters: &[f64]) -> Option<SetFunction> {
    if family.dimension(n_attributes) != Some(parameters.len()) {
        return None;
    }
    match basis(family) {
        Basis::Measure => SetFunction::new(
            std::iter::once(0.0)
                .chain(parameters.iter().copied())
                .collect(),
        ),
        Basis::Mobius => {
            let (singles, pairs) = parameters.split_at(n_attributes);
            SetFunction::two_additive(singles, pairs)
        }
        _ => None,
    }
}

/// Parameters whose range is no wider are said to be the only ones.
const NEARLY_EQUAL: f64 = 1e-6;
