//! What the office published about microaggregation, as options of the command line or as a statement.

use clap::{Args, ValueEnum};

use crate::{
    attack::{
        distance_based::Standardize,
        intersection::microaggregation::{Groups, MicroaggregationIntersection},
    },
    cli::console::Console,
    error::{Error, Result},
    jobs::groups,
    statement::{ArcCost, DistanceScale, Grouping, Statement},
    table::Table,
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
        value_enum,
        value_name = "ALGORITHM",
        conflicts_with = "statement",
        help_heading = "What was published"
    )]
    pub(super) algorithm: Option<AlgorithmArg>,
    /// microagg: how many nearest averages of a block are taken into account where groups do not follow each other [default: 2]
    #[arg(long, value_name = "C", help_heading = "Options of methods")]
    pub(super) nearest_clusters: Option<usize>,
}

/// How records were grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum AlgorithmArg {
    Mdav,
    VMdav,
    MdavMhm,
    Exchange,
    Univariate,
    IndividualRanking,
    Pca,
    Zscores,
}

impl From<AlgorithmArg> for Grouping {
    // What else the algorithms have as parameters changes nothing about who can be where.
    fn from(algorithm: AlgorithmArg) -> Self {
        let cost = ArcCost::Projected;
        match algorithm {
            AlgorithmArg::Mdav => Self::Mdav,
            AlgorithmArg::VMdav => Self::VMdav { gamma: 0.2 },
            AlgorithmArg::MdavMhm => Self::MdavMhm,
            AlgorithmArg::Exchange => Self::Exchange,
            AlgorithmArg::Univariate => Self::Univariate,
            AlgorithmArg::IndividualRanking => Self::IndividualRanking,
            AlgorithmArg::Pca => Self::Pca { cost },
            AlgorithmArg::Zscores => Self::Zscores { cost },
        }
    }
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

    /// The attack.
    ///
    /// # Errors
    /// Usage, when nothing was said of the groups of attributes, or something that cannot be.
    pub(super) fn attack(
        &self,
        statement: Option<&Statement>,
        masked: &Table,
        standardize: Standardize,
        console: &Console,
    ) -> Result<MicroaggregationIntersection> {
        let groups = match statement {
            Some(statement) => Groups::of_statement(statement)?,
            None if self.group.is_empty() => {
                return Err(Error::usage(
                    "microagg needs to know which attributes were aggregated together",
                )
                .remedy(
                    "Give --statement FILE, or --group 'a,b' for each block, with --algorithm",
                ));
            }
            None => self.groups(masked)?,
        };
        let by_nearest = !groups.one_by_one()
            && !matches!(
                groups.algorithm,
                Grouping::Pca { .. } | Grouping::Zscores { .. }
            );
        match self.nearest_clusters {
            Some(0) => {
                return Err(
                    Error::usage("--nearest-clusters 0 would leave nobody as a candidate")
                        .remedy("Give 2, or more"),
                );
            }
            Some(_) if !by_nearest => console.unused(
                "--nearest-clusters has no effect: the groups of this algorithm follow each other, and two are possible",
            )?,
            _ => {}
        }
        Ok(MicroaggregationIntersection {
            groups,
            nearest_clusters: self.nearest_clusters.filter(|_| by_nearest).unwrap_or(2),
            standardize,
        })
    }

    fn groups(&self, masked: &Table) -> Result<Groups> {
        let algorithm = Grouping::from(self.algorithm.unwrap_or(AlgorithmArg::Mdav));
        let named = groups::parse_all(masked, &self.group)?;
        let mut blocks: Vec<Vec<String>> = named
            .iter()
            .map(|group| {
                let names = group.attributes.iter();
                names.map(|&id| masked.attribute(id).name.clone()).collect()
            })
            .collect();
        if matches!(
            algorithm,
            Grouping::Univariate | Grouping::IndividualRanking
        ) {
            blocks = blocks
                .into_iter()
                .flatten()
                .map(|name| vec![name])
                .collect();
        }
        Ok(Groups {
            stated: false,
            algorithm,
            blocks,
            scale: DistanceScale::Z,
            // Taking rounded averages for unrounded ones would lose people; the other way round nothing is lost, for unrounded
            // averages are hardly ever all whole.
            rounded: true,
        })
    }
}
