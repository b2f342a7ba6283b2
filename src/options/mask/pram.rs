//! `mask pram`: options, and what they mean.

use std::path::PathBuf;

use clap::Args;

use super::{MaskArgs, MethodArgs};
use crate::{
    error::Result,
    jobs::mask::request::{MethodRequest, PramRequest, TransitionsRequest},
    options::{files::Files, rules::read_rules, values::rate_limit},
};

/// What follows the options in the help.
pub(super) const HELP: &str = "Examples:
  sdcrisk mask pram --keep 0.8 --attributes sex,marital --statement masked.sdc.json -o masked.csv in.csv
  sdcrisk mask pram --keep 0.9 --invariant --strata region in.csv > masked.csv
  sdcrisk mask pram --matrix marital.csv --attributes marital in.csv > masked.csv

Each category becomes another with a published probability, drawn for each record and attribute by itself. With --keep a \
category stays with that probability, and else becomes each of the other categories of the stratum equally often. A file of \
--matrix has a header of categories, and a row for each of them in that order, of sum 1:
  single;married;other
  0,9;0,05;0,05
  0;1;0
  0,1;0,1;0,8

With --invariant the matrix is followed by its own reversal (the two-stage construction of Gouweleeuw and others, 1998), so that the \
frequencies of the masked file are those of the original on average. --keep is then the probability of each of the two stages: less \
stays in all. Without it, whoever has the statement multiplies the frequencies by the inverse of the matrix.

Nominal and ordinal attributes are masked, amounts are not: declare a number that stands for a class as ordinal in a roles file. Missing \
values stay missing. The statement publishes the matrices. An invariant one says what the original frequencies in its stratum are: \
publish it where these may be known.";

#[derive(Debug, Args)]
#[group(id = "transitions", required = true, multiple = false, args = ["keep", "matrix"])]
pub struct PramArgs {
    /// Probability that a category stays as it is: 80% or 0.8
    #[arg(long, value_name = "SHARE", value_parser = rate_limit)]
    keep: Option<f64>,
    /// The transition matrix (CSV): a header of categories, and for each of them a row of probabilities
    #[arg(long, value_name = "FILE")]
    matrix: Option<PathBuf>,
    /// Make the matrices invariant: the frequencies of the masked file are then unbiased as they are
    #[arg(long)]
    invariant: bool,
    /// Attributes whose combinations of values are strata, each with matrices of its own
    #[arg(long, value_name = "LIST")]
    strata: Option<String>,
    #[command(flatten)]
    common: MaskArgs,
}

impl MethodArgs for PramArgs {
    fn common(&self) -> &MaskArgs {
        &self.common
    }

    fn inputs(&self, _: &dyn Files) -> Vec<PathBuf> {
        self.matrix.clone().into_iter().collect()
    }

    fn request(&self, files: &dyn Files) -> Result<MethodRequest> {
        let transitions = match (&self.matrix, self.keep) {
            (Some(path), _) => TransitionsRequest::Matrix(read_rules(path, files)?),
            (None, keep) => TransitionsRequest::Keep(keep.unwrap_or(0.0)),
        };
        Ok(MethodRequest::Pram(PramRequest {
            transitions,
            invariant: self.invariant,
            strata: self.strata.clone(),
        }))
    }
}
