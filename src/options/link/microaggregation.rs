//! What the office published about microaggregation, as options of the command line.

use clap::Args;

use crate::{
    error::{Error, Result},
    jobs::link::request::{AttackRequest, Groups},
    options::{grouping::AlgorithmArg, values::bare},
    statement::ArcCost,
};

/// What was published about microaggregation.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct MicroaggregationArgs {
    /// Attributes that were aggregated together, with or without their k: 'a,b:3'; repeat it for more groups of attributes
    #[arg(
        long,
        value_name = "LIST[:K]",
        conflicts_with = "statement",
        help_heading = "What was published"
    )]
    pub(super) group: Vec<String>,
    /// How microaggregation grouped records [default: mdav]
    #[arg(
        long,
        value_name = "ALGORITHM",
        value_parser = bare::<AlgorithmArg>(),
        conflicts_with = "statement",
        help_heading = "What was published"
    )]
    pub(super) algorithm: Option<AlgorithmArg>,
    /// microagg: how many nearest averages of a block are taken into account where groups do not follow each other [default: 2]
    #[arg(long, value_name = "C", help_heading = "Options of methods")]
    pub(super) nearest_clusters: Option<usize>,
}

impl MicroaggregationArgs {
    /// The option that has no effect without the attack, if one was given.
    pub(super) fn given(&self) -> Option<&'static str> {
        [
            (!self.group.is_empty(), "--group"),
            (self.algorithm.is_some(), "--algorithm"),
            (self.nearest_clusters.is_some(), "--nearest-clusters"),
        ]
        .into_iter()
        .find_map(|(given, option)| given.then_some(option))
    }

    /// The groups, if they were given.
    pub(super) fn groups(&self) -> Option<Groups> {
        let algorithm = self.algorithm.unwrap_or(AlgorithmArg::Mdav);
        (!self.group.is_empty()).then(|| Groups {
            groups: self.group.clone(),
            // What else the algorithms have as parameters changes nothing about who can be where.
            algorithm: algorithm.grouping(None, ArcCost::Projected),
        })
    }

    /// The attack.
    ///
    /// # Errors
    /// Usage, when it would leave nobody as a candidate.
    pub(super) fn attack(&self) -> Result<AttackRequest> {
        match self.nearest_clusters {
            Some(0) => Err(
                Error::usage("--nearest-clusters 0 would leave nobody as a candidate")
                    .remedy("Give 2, or more"),
            ),
            nearest_clusters => Ok(AttackRequest::Microaggregation { nearest_clusters }),
        }
    }
}
