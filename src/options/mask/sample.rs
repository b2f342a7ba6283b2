//! `mask sample`: options, and what they mean.

use clap::Args;

use super::{MaskArgs, MethodArgs};
use crate::{
    error::Result,
    jobs::{Observer, mask::request::MethodRequest},
    options::{files::Files, note_idle, values::rate_limit},
    statement::SampleSize,
};

/// What follows the options in the help.
pub(super) const HELP: &str = "Examples:
  sdcrisk mask sample --fraction 10% in.csv > sample.csv
  sdcrisk mask sample --n 5000 --strata region,sex --after masked.sdc.json --statement both.sdc.json -o sample.csv masked.csv

Every record is drawn with the same probability, without replacement. With --strata each combination of values gives its \
share of the sample, rounded, so that small regions are not left out by chance; a missing value is a category of its own. \
The records keep their order unless --shuffle KEYFILE is given; the key names records of the file that was sampled. \
Without a key, 'link' and 'loss' need an identifier (--id) to know who is who.

Whoever is not in the sample cannot be found, and the intruder does not know who is in it: keep that to yourself.";

#[derive(Debug, Args)]
#[group(id = "size", required = true, multiple = false, args = ["fraction", "n"])]
pub struct SampleArgs {
    /// Share of the records: 10% or 0.1
    #[arg(long, value_name = "SHARE", value_parser = rate_limit)]
    fraction: Option<f64>,
    /// Number of records
    #[arg(long, value_name = "NUMBER")]
    n: Option<usize>,
    /// Attributes whose combinations of values are strata
    #[arg(long, value_name = "LIST")]
    strata: Option<String>,
    #[command(flatten)]
    common: MaskArgs,
}

impl MethodArgs for SampleArgs {
    fn common(&self) -> &MaskArgs {
        &self.common
    }

    fn check(&self, observer: &dyn Observer) -> Result<()> {
        let why = " on sample: it chooses records, and changes no value";
        let given = self.common.attributes.is_some();
        note_idle(given, "--attributes", why, observer)
    }

    fn names_attributes(&self) -> bool {
        true
    }

    fn request(&self, _: &dyn Files) -> Result<MethodRequest> {
        let size = match (self.fraction, self.n) {
            (Some(share), _) => SampleSize::Fraction(share),
            (None, n) => SampleSize::Records(n.unwrap_or(0)),
        };
        Ok(MethodRequest::Sample {
            size,
            strata: self.strata.clone(),
        })
    }
}
