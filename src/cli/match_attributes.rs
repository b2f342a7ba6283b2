//! `sdcrisk match-attributes`: which attribute of one file is which of another.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{
    Ending,
    args::{Format, ReadArgs, ReportArgs, read_table},
    console::Console,
    files::{Disk, Output, Plan, Privacy, keep_all},
};
use crate::{
    error::Result,
    jobs::match_attributes::{self, MatchRequest},
    report::text,
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
    a: PathBuf,
    /// The second file; one of both can be - for standard input
    #[arg(value_name = "B.csv")]
    b: PathBuf,
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
    rename: Option<PathBuf>,
    #[command(flatten)]
    report: ReportArgs,
    #[command(flatten)]
    read: ReadArgs,
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

pub fn run(args: &MatchArgs, console: &Console) -> anyhow::Result<Ending> {
    let request = args.request()?;
    let mut outputs = args.outputs()?;
    let options = args.read.options(&Disk)?;
    let a = read_table(&args.a, &options, console)?;
    let options = options.for_another_file();
    let b = read_table(&args.b, &options, console)?;
    args.read.settle(&[&a, &b], console)?;
    let matched = match_attributes::run(&request, [&a, &b], console)?;
    console.stage("write", || -> anyhow::Result<()> {
        if let Some(renamed) = &mut outputs.renamed {
            let guesses = matched.guesses();
            if !guesses.is_empty() {
                console.note(&format!(
                    "note: of the new names {} are guesses: nothing is similar, or others are as near (see the report)",
                    text::names(&guesses, 8)
                ));
            }
            let names = matched.names_for(&b)?;
            renamed.write_table(&b, Some(&names))?;
        }
        let content = match args.report.format {
            Format::Text => matched.report.to_text() + &args.what_next(),
            Format::Json => matched.report.to_json(),
            Format::Csv => matched.report.to_csv()?,
        };
        outputs.report.write_text(&content)?;
        keep_all(outputs.renamed.into_iter().chain([outputs.report]))?;
        Ok(())
    })?;
    Ok(Ending::Done)
}

/// What a call writes.
struct Outputs {
    renamed: Option<Output>,
    report: Output,
}

impl MatchArgs {
    /// The call as it is meant.
    ///
    /// # Errors
    /// Usage, when it makes no sense.
    fn request(&self) -> Result<MatchRequest> {
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

    fn outputs(&self) -> Result<Outputs> {
        let mut plan = Plan::default();
        plan.input(&self.a)?;
        plan.input(&self.b)?;
        plan.each_input(self.read.input())?;
        plan.output(&self.report.to.output)?;
        if let Some(path) = &self.rename {
            plan.table_output(path)?;
        }
        let renamed = self
            .rename
            .as_deref()
            .map(|path| plan.open(path, Privacy::Ordinary));
        Ok(Outputs {
            renamed: renamed.transpose()?,
            report: plan.open(&self.report.to.output, Privacy::Ordinary)?,
        })
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

    /// How the matched attributes are used.
    fn what_next(&self) -> String {
        let from_standard_input = [&self.a, &self.b]
            .iter()
            .any(|path| path.as_os_str() == "-");
        let (a, b) = (self.a.display(), self.b.display());
        match (&self.rename, self.relation) {
            _ if from_standard_input => String::new(),
            (Some(renamed), _) => format!(
                "\nTo link them:  sdcrisk link --method am {a} {}\n",
                renamed.display()
            ),
            (None, RelationArg::OneToOne) => format!(
                "\nTo link them:  sdcrisk match-attributes --rename renamed.csv {a} {b}\n               \
                 sdcrisk link --method am {a} renamed.csv\n"
            ),
            (None, RelationArg::OneToMany) => String::new(),
        }
    }
}
