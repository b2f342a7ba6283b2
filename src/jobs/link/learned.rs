//! Learned distances: those that other calls learned, and what is kept of those that this one learns.

use super::request::LinkRequest;
use crate::{
    attack::{
        Direction,
        distance_based::Standardize,
        learned::{
            LearnedDistance, Lesson,
            weights::{ProofStatus, Weights},
        },
    },
    error::{Error, Result},
};

/// A distance that another call learned.
#[derive(Debug)]
pub(super) struct GivenDistance {
    file: String,
    attributes: Vec<String>,
    /// The family and its parameters, to be applied.
    pub(super) distance: LearnedDistance,
}

impl GivenDistance {
    /// That of the request, if there is one. Weights that were learned in the usual units are used in the usual units of these files.
    ///
    /// # Errors
    /// Usage, when the request asks for another standardisation than the weights are of.
    pub(super) fn of(request: &LinkRequest, standardize: Standardize) -> Result<Option<Self>> {
        let Some(given) = &request.learning.given else {
            return Ok(None);
        };
        let weights = &given.weights;
        let usual = [
            Standardize::Own,
            Standardize::Release,
            Standardize::Original,
        ];
        let is_usual = request.standardize.is_none() && usual.contains(&weights.standardize);
        if weights.standardize != standardize && !is_usual {
            return Err(
                Error::usage("was learned on files that were standardised in another way")
                    .in_file(&given.file)
                    .remedy("Give the --standardize that it was learned with"),
            );
        }
        Ok(Some(Self {
            file: given.file.clone(),
            attributes: weights.attributes.clone(),
            distance: LearnedDistance {
                family: weights.family,
                parameters: weights.parameters.clone(),
                standardize,
            },
        }))
    }

    /// That it is of just these attributes, in this order.
    ///
    /// # Errors
    /// Usage, when it is of others.
    pub(super) fn check(&self, known: &[String]) -> Result<()> {
        if self.attributes == known {
            Ok(())
        } else {
            Err(Error::usage(format!(
                "was learned on the attributes {}; the intruder knows {}",
                self.attributes.join(", "),
                known.join(", ")
            ))
            .in_file(&self.file)
            .remedy("Name these attributes in this order with --known"))
        }
    }
}

/// A lesson, and where its records stand in the files.
#[derive(Debug)]
pub(super) struct Learned {
    /// What was learned.
    pub(super) lesson: Lesson,
    /// The attributes it was learned on.
    pub(super) known: Vec<String>,
    /// The records that looked.
    pub(super) records: u64,
    /// How many records each attribute links on its own, ties not counted; for the file of weights only.
    pub(super) alone: Option<Vec<usize>>,
    /// The file record behind each seeker.
    pub(super) seekers: Vec<u32>,
    /// The file record behind each sought record.
    pub(super) sought: Vec<u32>,
}

impl Learned {
    /// As a file of weights.
    pub(super) fn weights(&self, direction: Direction) -> Weights {
        let Lesson {
            distance,
            bound,
            linked,
            ..
        } = &self.lesson;
        let ranges = self.lesson.ranges.as_ref();
        Weights {
            version: env!("CARGO_PKG_VERSION").into(),
            family: distance.family,
            attributes: self.known.clone(),
            standardize: distance.standardize,
            direction,
            parameters: distance.parameters.clone(),
            linked: *linked,
            records: usize::try_from(self.records).unwrap_or(usize::MAX),
            bound: *bound,
            proof: if bound <= linked {
                ProofStatus::Optimal
            } else {
                ProofStatus::Limit
            },
            ranges: ranges.and_then(|ranges| ranges.parameters.clone()),
            shapley_ranges: ranges.and_then(|ranges| ranges.shapley.clone()),
            alone: self.alone.clone(),
        }
    }
}
