//! `mask microagg`: options, and what they mean.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::{DecimalsArgs, Extra, MaskArgs, MethodArgs, keeping::KeepArgs, strata::StrataArgs};
use crate::{
    error::Result,
    jobs::{
        Observer,
        mask::request::{MethodRequest, MicroaggregationRequest},
    },
    options::{files::Files, grouping::AlgorithmArg, note_idle},
    statement::{ArcCost, Average, DistanceScale, Grouping},
};

/// What follows the options in the help.
pub(super) const HELP: &str = "Examples:
  sdcrisk mask microagg --k 3 in.csv > masked.csv
  sdcrisk mask microagg --group 'age,income:5' --group 'tax,rent:3' -o masked.csv in.csv
  sdcrisk mask microagg --k 5 --algorithm exchange --statement masked.sdc.json in.csv > masked.csv
  sdcrisk mask microagg --k 3 --algorithm individual-ranking in.csv > masked.csv

Every record equals at least k-1 others in the attributes that were aggregated together, where nothing is missing: gaps \
stay, and a warning says what that costs. The larger k, and the more attributes together, the better hidden and the more \
is lost. The information loss (100 SSE/SST) on standard error shows how much: 0 is nothing, 100 is as if everybody had the \
mean.

Attributes aggregated in several groups, or each on its own, lose less and hide less: an intruder who knows several of \
them can intersect the groups.";

#[derive(Debug, Args)]
pub struct MicroaggregationArgs {
    /// Least number of records a group; most groups hold k, none needs more than 2k-1 (v-mdav: 3k-2)
    #[arg(long, value_name = "K", required_unless_present = "group")]
    k: Option<usize>,
    /// How records are grouped
    #[arg(long, value_enum, default_value = "mdav")]
    algorithm: AlgorithmArg,
    /// Attributes that are aggregated together, with a k of their own if it is not --k, for example 'a,b:3'; repeat it for
    /// more groups of attributes [default: all in one, each record then equals k-1 others in all of them]
    #[arg(long, value_name = "LIST[:K]", conflicts_with = "attributes")]
    group: Vec<String>,
    /// v-mdav: a group grows by a record that is this much nearer to it than to others (0 never, 0.2 scattered data, 1.1
    /// clustered data) [default: 0.2]
    #[arg(long, value_name = "FACTOR")]
    gamma: Option<f64>,
    /// pca, zscores: whose squared errors the groups along the line keep least [default: projected]
    #[arg(long, value_enum, value_name = "COST")]
    arc_cost: Option<ArcCostArg>,
    /// Distances on standardised attributes (z), or in the file's own units
    #[arg(long, value_enum, default_value = "z")]
    scale: ScaleArg,
    /// The average of continuous attributes (ordinal ones get the median, nominal ones the mode)
    #[arg(long, value_enum, default_value = "mean")]
    average: AverageArg,
    #[command(flatten)]
    decimals: DecimalsArgs,
    /// Write the group of each record (CSV) to this file: private, like a seed
    #[arg(long, value_name = "FILE")]
    partition: Option<PathBuf>,
    #[command(flatten)]
    keep: KeepArgs,
    #[command(flatten)]
    strata: StrataArgs,
    #[command(flatten)]
    common: MaskArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ArcCostArg {
    /// Those of the positions on the line
    Projected,
    /// Those of all attributes
    Multivariate,
}

/// On what scale a method takes distances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ScaleArg {
    /// Standardised: every attribute counts the same
    Z,
    /// As they are: attributes with large numbers decide
    None,
}

impl From<ScaleArg> for DistanceScale {
    fn from(scale: ScaleArg) -> Self {
        match scale {
            ScaleArg::Z => Self::Z,
            ScaleArg::None => Self::None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum AverageArg {
    /// The mean
    Mean,
    /// The median
    Median,
}

impl MicroaggregationArgs {
    fn grouping(&self) -> Grouping {
        let cost = match self.arc_cost {
            None | Some(ArcCostArg::Projected) => ArcCost::Projected,
            Some(ArcCostArg::Multivariate) => ArcCost::Multivariate,
        };
        self.algorithm.grouping(self.gamma, cost)
    }
}

impl MethodArgs for MicroaggregationArgs {
    fn common(&self) -> &MaskArgs {
        &self.common
    }

    fn strata(&self) -> Option<&str> {
        self.strata.list()
    }

    fn keep(&self) -> Option<&KeepArgs> {
        Some(&self.keep)
    }

    fn decimals(&self) -> Option<&DecimalsArgs> {
        Some(&self.decimals)
    }

    fn check(&self, observer: &dyn Observer) -> Result<()> {
        let idle = |given: bool, option: &str, of: &str| {
            note_idle(given, option, &format!(": it is for {of}"), observer)
        };
        let gamma = self.gamma.is_some() && self.algorithm != AlgorithmArg::VMdav;
        idle(gamma, "--gamma", "--algorithm v-mdav")?;
        let arc_cost = self.arc_cost.is_some()
            && !matches!(self.algorithm, AlgorithmArg::Pca | AlgorithmArg::Zscores);
        idle(arc_cost, "--arc-cost", "--algorithm pca and zscores")?;
        self.keep.check(observer)
    }

    fn names_attributes(&self) -> bool {
        !self.group.is_empty()
    }

    fn request(&self, _: &dyn Files) -> Result<MethodRequest> {
        Ok(MethodRequest::Microaggregation(MicroaggregationRequest {
            k: self.k,
            groups: self.group.clone(),
            algorithm: self.grouping(),
            scale: self.scale.into(),
            average: match self.average {
                AverageArg::Mean => Average::Mean,
                AverageArg::Median => Average::Median,
            },
            rounding: self.decimals.rounding(),
        }))
    }

    fn extras(&self) -> Vec<(&Path, Extra)> {
        let partition = self.partition.as_deref();
        partition
            .map(|path| (path, Extra::Partition))
            .into_iter()
            .collect()
    }
}
