//! The options of `sdcrisk loss`, and what they mean.

mod analyses;

use std::path::PathBuf;

use clap::Args;

use super::{
    output::{DetailArgs, ReportArgs},
    pair::AlignArgs,
    read::ReadArgs,
};
use crate::jobs::{link::request::Alignment, loss::LossRequest};
use analyses::AnalysesArgs;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  sdcrisk loss orig.csv masked.csv
  sdcrisk loss --measures il,pil,sse_sst orig.csv masked.csv
  sdcrisk loss --by-attribute --attributes 1-7 orig.csv masked.csv
  sdcrisk loss --statement noise.sdc.json orig.csv noise.csv
  sdcrisk loss --clusters 3 --classify region --regress 'income~age,hours' orig.csv masked.csv
  sdcrisk loss --weights weight orig.csv masked.csv
  sdcrisk loss --shuffle-key key.csv --format json orig.csv shuffled.csv

Values and statistics of the masked file are compared with those of the original; lower is better everywhere, and
two equal files lose nothing. Attributes that are numbers in both files are compared as numbers, all others
(names, and numbers that became classes) as categories. What would be divided by 0 is left out and counted.

With --statement the report has the loss, too, that remains for users who correct their statistics by what was published:
noise of a known level makes variances larger and correlations smaller by known factors.

With --recode the original is first brought into the terms of the masked file (see 'link'): what that takes from users is no loss then.

With --weights the report has, too, what users lose who weight records: means, variances, covariances, correlations, and the shares of
cells that were changed or suppressed, and the regression of --regress. All other figures are without weights.

With --clusters, --classify and --regress an analysis that users could make is made on both files and compared.

A loss says what users of the file will miss, not whether the file is safe: see 'sdcrisk link' and 'sdcrisk risk'.")]
pub struct LossArgs {
    /// The original file
    #[arg(value_name = "ORIGINAL.csv")]
    pub original: PathBuf,
    /// The masked file; one of both can be - for standard input
    #[arg(value_name = "MASKED.csv")]
    pub masked: PathBuf,
    #[command(flatten)]
    pub align: AlignArgs,
    /// What was published about the masking: adds the loss that remains after the correction that it allows (noise)
    #[arg(long, value_name = "FILE", help_heading = "What was published")]
    pub statement: Vec<PathBuf>,
    /// Attribute of the original with survey weights: adds the losses of weighted statistics
    #[arg(long, value_name = "ATTRIBUTE")]
    pub weights: Option<String>,
    /// Measures to report, by key: for example il,pil,sse_sst [default: all]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    measures: Vec<String>,
    /// Tell each measure attribute by attribute too
    #[arg(long)]
    by_attribute: bool,
    #[command(flatten)]
    pub analyses: AnalysesArgs,
    #[command(flatten)]
    pub report: ReportArgs,
    #[command(flatten)]
    pub detail: DetailArgs,
    #[command(flatten)]
    pub read: ReadArgs,
}

impl LossArgs {
    /// The call as it is meant, but for how the files belong together.
    pub fn request(&self, alignment: Alignment) -> LossRequest {
        LossRequest {
            measures: self.measures.clone(),
            by_attribute: self.by_attribute,
            analyses: self.analyses.request(),
            alignment,
        }
    }
}
