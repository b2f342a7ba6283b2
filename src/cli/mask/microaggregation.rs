//! `mask microagg`: options, and what they mean.

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use clap::{Args, ValueEnum};

use super::{
    DecimalsArgs, ExtraWriter, MaskArgs, MethodArgs,
    keeping::KeepArgs,
    outputs::{Assignment, write_assignments},
};
use crate::{
    cli::console::Console,
    error::{Error, Result},
    jobs::groups::{self, Group},
    mask::{
        Details, Mask, Masked,
        microaggregation::{Block, BlockOf, Blocks, Gaps, Microaggregation, Partition},
    },
    report::text,
    statement::{ArcCost, Average, DistanceScale, Grouping, Method},
    table::{AttrId, Scale, Table},
};

/// What follows the options in the help.
pub(super) const HELP: &str = "Examples:
  sdcrisk mask microagg --k 3 in.csv > masked.csv
  sdcrisk mask microagg --group 'age,income:5' --group 'tax,rent:3' -o masked.csv in.csv
  sdcrisk mask microagg --k 5 --algorithm exchange --statement masked.sdc.json in.csv > masked.csv
  sdcrisk mask microagg --k 3 --algorithm individual-ranking in.csv > masked.csv

Every record equals at least k-1 others in the attributes that were aggregated together, where nothing is missing: gaps \
stay, and a warning says what that costs. The larger k, and the more attributes together, the better hidden and the more \
is lost. The information loss (100 SSE/SST) on standard error says how much: 0 is nothing, 100 is as if everybody had the \
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
    common: MaskArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum AlgorithmArg {
    /// Groups of k around the records farthest from the average: the standard
    Mdav,
    /// The same with groups of varying size, which follow clusters
    VMdav,
    /// A tour through the groups of MDAV, cut where least is lost
    MdavMhm,
    /// MDAV, then exchanges between near groups until nothing more is gained: least information lost, slowest
    Exchange,
    /// One attribute: the optimum
    Univariate,
    /// Each attribute on its own, the optimum of each: little is lost, and little is hidden
    IndividualRanking,
    /// Along the first principal component
    Pca,
    /// Along the sum of the standardised attributes
    Zscores,
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
    /// Standardised: every attribute counts alike
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
        match self.algorithm {
            AlgorithmArg::Mdav => Grouping::Mdav,
            AlgorithmArg::VMdav => Grouping::VMdav {
                gamma: self.gamma.unwrap_or(0.2),
            },
            AlgorithmArg::MdavMhm => Grouping::MdavMhm,
            AlgorithmArg::Exchange => Grouping::Exchange,
            AlgorithmArg::Univariate => Grouping::Univariate,
            AlgorithmArg::IndividualRanking => Grouping::IndividualRanking,
            AlgorithmArg::Pca => Grouping::Pca { cost },
            AlgorithmArg::Zscores => Grouping::Zscores { cost },
        }
    }

    fn one_by_one(&self) -> bool {
        matches!(
            self.algorithm,
            AlgorithmArg::Univariate | AlgorithmArg::IndividualRanking
        )
    }

    fn groups(&self, table: &Table) -> Result<Vec<Group>> {
        groups::parse_all(table, &self.group)
    }

    fn with_blocks(&self, blocks: Blocks) -> Result<Microaggregation> {
        let average = match self.average {
            AverageArg::Mean => Average::Mean,
            AverageArg::Median => Average::Median,
        };
        let rounding = self.decimals.rounding();
        Ok(Microaggregation::new(self.grouping(), blocks)?
            .scale(self.scale.into())
            .average(average)
            .rounding(rounding))
    }
}

impl MethodArgs for MicroaggregationArgs {
    fn common(&self) -> &MaskArgs {
        &self.common
    }

    fn keep(&self) -> Option<&KeepArgs> {
        Some(&self.keep)
    }

    fn is_random(&self) -> bool {
        self.keep.is_random()
    }

    fn decimals(&self) -> Option<&DecimalsArgs> {
        Some(&self.decimals)
    }

    fn check(&self, console: &Console) -> Result<()> {
        let idle = |given: bool, option: &str, of: &str| {
            if given {
                console.unused(&format!("{option} has no effect: it is for {of}"))
            } else {
                Ok(())
            }
        };
        let gamma = self.gamma.is_some() && self.algorithm != AlgorithmArg::VMdav;
        idle(gamma, "--gamma", "--algorithm v-mdav")?;
        let arc_cost = self.arc_cost.is_some()
            && !matches!(self.algorithm, AlgorithmArg::Pca | AlgorithmArg::Zscores);
        idle(arc_cost, "--arc-cost", "--algorithm pca and zscores")?;
        self.with_blocks(Blocks::Together {
            k: self.k.unwrap_or(2),
        })
        .map(|_| ())
    }

    fn names_attributes(&self) -> bool {
        !self.group.is_empty()
    }

    fn attributes(&self, table: &Table) -> Result<Option<Vec<AttrId>>> {
        let groups = self.groups(table)?;
        Ok((!groups.is_empty()).then(|| groups::union(&groups)))
    }

    fn method(&self, table: &Table, console: &Console) -> Result<Box<dyn Mask>> {
        let groups = self.groups(table)?;
        if groups.is_empty() {
            let k = self.k.ok_or_else(|| Error::usage("microagg needs --k"))?;
            return Ok(Box::new(self.with_blocks(Blocks::Together { k })?));
        }
        if self.k.is_some() && groups.iter().all(|group| group.number.is_some()) {
            console.unused("--k has no effect: every --group has a k of its own")?;
        }
        let named = groups
            .iter()
            .map(|group| {
                let k = group.number.or(self.k).ok_or_else(|| {
                    Error::usage("a --group has no k")
                        .remedy("Write it as 'a,b:3', or give --k for all that have none")
                })?;
                Ok(BlockOf {
                    attributes: table.names(&group.attributes),
                    k,
                })
            })
            .collect::<Result<_>>()?;
        Ok(Box::new(self.with_blocks(Blocks::Named(named))?))
    }

    fn extras(&self) -> Vec<(&Path, ExtraWriter)> {
        let partition = self.partition.as_deref();
        partition
            .map(|path| (path, write_partition as ExtraWriter))
            .into_iter()
            .collect()
    }

    fn headline(&self, masked: &Masked) -> String {
        let Method::Microaggregation(parameters) = &masked.statement.method else {
            return String::new();
        };
        let algorithm = self
            .algorithm
            .to_possible_value()
            .map_or_else(String::new, |value| value.get_name().to_owned());
        let parameter = match parameters.algorithm {
            Grouping::VMdav { gamma } => format!(", gamma {gamma}"),
            Grouping::Pca { cost } | Grouping::Zscores { cost } => match cost {
                ArcCost::Projected => ", least squared errors on the line".into(),
                ArcCost::Multivariate => ", least squared errors of all attributes".into(),
            },
            _ => String::new(),
        };
        let scale = match parameters.scale {
            _ if self.one_by_one() => "",
            DistanceScale::Z => ", distances on standardised attributes",
            DistanceScale::None => ", distances in the file's own units",
        };
        format!("{algorithm}{parameter}{scale}")
    }

    fn remarks(&self, masked: &Masked) -> Vec<String> {
        let Details::Microaggregation(blocks) = &masked.details else {
            return Vec::new();
        };
        let mut remarks: Vec<String> = blocks.iter().map(described).collect();
        remarks.extend(averages(masked));
        remarks.extend(gaps(blocks));
        remarks
    }
}

/// One line about the groups of a block.
fn described(block: &Block) -> String {
    let sizes = block.partition.sizes();
    let (least, most) = (
        sizes.iter().min().copied().unwrap_or(0),
        sizes.iter().max().copied().unwrap_or(0),
    );
    let size = if least == most {
        least.to_string()
    } else {
        format!("{least} to {most}")
    };
    format!(
        "{}: k = {}, {} groups of {size} records",
        text::names(&block.attributes, 6),
        block.k,
        sizes.len()
    )
}

/// What missing values do to the protection.
fn gaps(blocks: &[Block]) -> Option<String> {
    let sum =
        |part: fn(&Gaps) -> usize| -> usize { blocks.iter().map(|block| part(&block.gaps)).sum() };
    let (rare, thin, alone) = (
        sum(|gaps| gaps.rare),
        sum(|gaps| gaps.thin),
        sum(|gaps| gaps.alone),
    );
    (rare > 0).then(|| {
        format!(
            "warning: missing values are visible, and with them {rare} records agree with fewer than k-1 others in a group of \
             attributes; {thin} values are averages of fewer than k values, {alone} of them of their own alone: they stand \
             unchanged. 'mask suppress' or 'recode' first, fewer attributes together, or --drop of those with many gaps helps"
        )
    })
}

/// Which attributes got another average than the mean.
fn averages(masked: &Masked) -> Option<String> {
    let with = |scale: Scale| {
        let effects = masked.effects.iter();
        let names: Vec<&str> = effects
            .filter(|effect| {
                let id = masked.table.find(&effect.attribute);
                id.is_ok_and(|id| masked.table.attribute(id).scale == scale)
            })
            .map(|effect| effect.attribute.as_str())
            .collect();
        names
    };
    let parts: Vec<String> = [(Scale::Ordinal, "the median"), (Scale::Nominal, "the mode")]
        .into_iter()
        .map(|(scale, average)| (with(scale), scale, average))
        .filter(|(names, ..)| !names.is_empty())
        .map(|(names, scale, average)| {
            format!(
                "{average} for {} ({})",
                text::names(&names, 6),
                scale.word()
            )
        })
        .collect();
    (!parts.is_empty()).then(|| format!("averages: {}", parts.join(", ")))
}

fn write_partition(masked: &Masked, out: &mut dyn Write) -> std::io::Result<()> {
    let Details::Microaggregation(blocks) = &masked.details else {
        return Ok(());
    };
    let columns: Vec<Assignment<'_>> = blocks
        .iter()
        .map(|block| Assignment {
            attributes: &block.attributes,
            of_record: block.partition.group_of(),
        })
        .collect();
    write_assignments("group", &columns, Partition::NO_GROUP, out)
}
