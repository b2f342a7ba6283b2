//! The options of `sdcrisk match-attributes`, and what they mean.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{output::ReportArgs, read::ReadArgs};
use crate::{
    error::Result,
    jobs::match_attributes::{self, MatchRequest},
    schema::{self, Distance, Relation, ScaleBy},
};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  sdcrisk match-attributes survey.csv released.csv
  sdcrisk match-attributes --rename renamed.csv survey.csv released.csv
  sdcrisk link --method am survey.csv renamed.csv
  sdcrisk match-attributes --scale none --distance l1 --format json a.csv b.csv
  sdcrisk match-attributes --relation one-to-many --within 0.05 a.csv b.csv

Attributes are matched by how their values are distributed: names and records play no part, and the files may
differ in length. Numbers are compared by smooth densities after they were brought to one scale, so an attribute
that was renamed and recorded in other units is found again; names by the shares of their categories. What is a shift
or a multiple of another attribute cannot be distinguished from it.

With --rename the second file is written with the first one's names, so that 'link' can compare them.")]
pub struct MatchArgs {
    /// The first file
    #[arg(value_name = "A.csv")]
    pub a: PathBuf,
    /// The second file; one of both can be - for standard input
    #[arg(value_name = "B.csv")]
    pub b: PathBuf,
    /// Attributes of A to match: names or positions [default: all but identifiers]
    #[arg(long, value_name = "LIST")]
    attributes: Option<String>,
    /// Attributes of B to match: names or positions [default: all but identifiers]
    #[arg(long, value_name = "LIST")]
    attributes_b: Option<String>,
    /// How numbers are brought to one scale
    #[arg(long, value_enum, default_value = "z", help_heading = "Matching")]
    scale: ScaleArg,
    /// How distributions are compared
    #[arg(
        long,
        value_enum,
        default_value = "hellinger",
        help_heading = "Matching"
    )]
    distance: DistanceArg,
    /// Which relations are allowed
    #[arg(
        long,
        value_enum,
        default_value = "one-to-one",
        help_heading = "Matching"
    )]
    relation: RelationArg,
    /// An attribute of B that is farther than the best by no more than this is a rival [default: what chance makes]
    #[arg(long, value_name = "DISTANCE", help_heading = "Matching")]
    within: Option<f64>,
    /// Write B with A's names where they were matched
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub rename: Option<PathBuf>,
    #[command(flatten)]
    pub report: ReportArgs,
    #[command(flatten)]
    pub read: ReadArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ScaleArg {
    /// By mean and standard deviation
    Z,
    /// By median and quartiles
    Robust,
    /// By the least and the greatest value
    Minmax,
    /// Not at all: sizes count
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DistanceArg {
    /// Of the square roots of the densities, 0 to 1
    Hellinger,
    /// The area between the densities, 0 to 2
    L1,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RelationArg {
    /// Each attribute at most once, at the least sum of distances
    OneToOne,
    /// Each attribute of A with its nearest of B
    OneToMany,
}

impl MatchArgs {
    /// The call as it is meant.
    ///
    /// # Errors
    /// Usage, when it makes no sense.
    pub fn request(&self) -> Result<MatchRequest> {
        let request = MatchRequest {
            attributes: [self.attributes.clone(), self.attributes_b.clone()],
            options: self.matching(),
        };
        request.check()?;
        if self.rename.is_some() {
            match_attributes::check_renaming(self.matching().relation)?;
        }
        Ok(request)
    }

    fn matching(&self) -> schema::Options {
        schema::Options {
            scale: match self.scale {
                ScaleArg::Z => ScaleBy::Z,
                ScaleArg::Robust => ScaleBy::Robust,
                ScaleArg::Minmax => ScaleBy::MinMax,
                ScaleArg::None => ScaleBy::None,
            },
            distance: match self.distance {
                DistanceArg::Hellinger => Distance::Hellinger,
                DistanceArg::L1 => Distance::L1,
            },
            relation: match self.relation {
                RelationArg::OneToOne => Relation::OneToOne,
                RelationArg::OneToMany => Relation::OneToMany,
            },
            within: self.within,
        }
    }
}
