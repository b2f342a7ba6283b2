//! What was learned and proven, as a part of the report of `sdcrisk link`.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::attack::learned::{Lesson, weights::parameter_names};

/// The word for a proof that is complete.
pub const OPTIMAL: &str = "optimal";

/// A learned distance and its proof.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LearnedSummary {
    /// No distance of the family links more records strictly.
    pub bound: u64,
    /// What is left unproven, as a share of the records: (bound − links recounted strictly) / records.
    pub gap: f64,
    /// `optimal` if the bound is reached, else `limit`.
    pub proof: &'static str,
    /// The parameters: by attribute, by set of attributes, or by product.
    pub weights: Map<String, Value>,
    /// The smallest difference between the distances of a competitor and of the partner among the linked records, in units of the
    /// greatest difference of a term.
    pub margin: f64,
    /// The links that the search itself counts; if it is not what plain linkage counts strictly, rounding decides a link.
    pub counted_by_search: u64,
}

impl LearnedSummary {
    /// Joins a lesson with what the plain linkage counts.
    pub fn new(lesson: &Lesson, known: &[String], strict: u64, records: u64) -> Self {
        // A tie that rounding breaks is a link for the plain linkage.
        let bound = (lesson.bound as u64).max(strict);
        let names = parameter_names(lesson.distance.family, known);
        Self {
            bound,
            gap: (bound - strict) as f64 / records.max(1) as f64,
            proof: match bound == strict {
                true => OPTIMAL,
                false => "limit",
            },
            weights: names
                .into_iter()
                .zip(lesson.distance.parameters.iter().map(|&p| Value::from(p)))
                .collect(),
            margin: lesson.margin,
            counted_by_search: lesson.linked as u64,
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
            OPTIMAL => format!(
                "no distance of this kind links more than {strict} of {records} records (ties counted as wrong), whatever its weights: that \
                 is proven."
            ),
            _ => format!(
                "the search was stopped: it found {strict} of {records} records, and no distance of this kind links more than {}; \
                 --time-limit lets it go on.",
                self.bound
            ),
        };
        let weight = match (method, greatest) {
            ("wm" | "wm-m", Some((name, weight))) => {
                format!(" The greatest weight has {name}, {weight:.3} of 1.")
            }
            _ => String::new(),
        };
        format!(
            "The worst case by {method}: {proof}{weight} --weights FILE and 'sdcrisk explain FILE' show all."
        )
    }

    /// The bound, in words of a table cell.
    pub fn bound_in_words(&self) -> String {
        match self.proof {
            OPTIMAL => format!("{} (proven)", self.bound),
            _ => format!("at most {}", self.bound),
        }
    }
}
