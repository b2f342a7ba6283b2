//! What was learned and proven, as a part of the report of `sdcrisk link`.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::figures;
use crate::attack::learned::{
    Lesson,
    weights::{Basis, ProofStatus, basis, parameter_names},
};

/// A learned distance and its proof.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LearnedSummary {
    /// No distance of the family links more records strictly.
    pub bound: u64,
    /// What is left unproven, as a share of the records: (bound − links recounted strictly) / records.
    pub gap: f64,
    /// `optimal` if the bound is reached, else `limit`.
    pub proof: ProofStatus,
    /// The parameters: by attribute, by set of attributes, or by product.
    pub weights: Map<String, Value>,
    /// The smallest difference between the distances of a competitor and of the partner among the linked records, in units of the
    /// greatest difference of a term.
    #[serde(deserialize_with = "figures::or_not_finite")]
    #[cfg_attr(test, schemars(with = "Option<f64>"))]
    pub margin: f64,
    /// The links that the search itself counts, ties excluded.
    pub counted_by_search: u64,
    /// What the weights are of: attributes, order, measure, moebius, matrix.
    pub basis: Basis,
    /// True records that equal another one in all known attributes: ties that no distance breaks.
    pub tied_with_others: u64,
}

impl LearnedSummary {
    /// Joins a lesson with what the plain linkage counts.
    pub fn new(lesson: &Lesson, known: &[String], strict: u64, records: u64) -> Self {
        let bound = lesson.bound as u64;
        let names = parameter_names(lesson.distance.family, known);
        Self {
            bound,
            gap: bound.saturating_sub(strict) as f64 / records.max(1) as f64,
            // One-to-one assignments may link more.
            proof: ProofStatus::reached(strict >= bound),
            weights: names
                .into_iter()
                .zip(lesson.distance.parameters.iter().map(|&p| Value::from(p)))
                .collect(),
            margin: lesson.margin,
            counted_by_search: lesson.linked as u64,
            basis: basis(lesson.distance.family),
            tied_with_others: lesson.with_twins as u64,
        }
    }

    /// What the proof says, for somebody who never read a paper.
    pub fn reading(&self, method: &str, strict: u64, records: u64) -> String {
        let greatest = self
            .weights
            .iter()
            .filter_map(|(name, weight)| Some((name, weight.as_f64()?)))
            .max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
        let proof = match self.proof {
            ProofStatus::Optimal => format!(
                "no distance of this kind links more than {} of {records} records (ties counted as wrong), whatever its weights: that \
                 is proven.",
                self.bound
            ),
            ProofStatus::Limit => format!(
                "the search ended before a proof (its time was over, it was interrupted, or rounding stood in its way): it found \
                 {strict} of {records} records, and no distance of this kind links more than {} (ties counted as wrong).",
                self.bound
            ),
        };
        let twins = match self.tied_with_others {
            0 => String::new(),
            tied => format!(
                " {tied} true records equal others in all that is known: no distance tells these apart, and the proof counts them as lost; the \
                 rate counts a tie as --ties says."
            ),
        };
        let weight = match (self.basis, greatest) {
            (Basis::Attributes, Some((name, weight))) => {
                format!(" The greatest weight has {name}, {weight:.3} of 1.")
            }
            _ => String::new(),
        };
        format!(
            "The worst case by {method}: {proof}{twins}{weight} --weights FILE and 'sdcrisk explain FILE' show all."
        )
    }

    /// The bound, in words of a table cell.
    pub fn bound_in_words(&self) -> String {
        match self.proof {
            ProofStatus::Optimal => format!("{} (proven)", self.bound),
            ProofStatus::Limit => format!("at most {}", self.bound),
        }
    }
}
