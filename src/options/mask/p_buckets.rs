//! `mask pbuckets`: options, and what they mean.

use clap::Args;

use super::{MaskArgs, MethodArgs, strata::StrataArgs};
use crate::{error::Result, jobs::mask::request::MethodRequest, options::files::Files};

/// What follows the options in the help.
pub(super) const HELP: &str = "Examples:
  sdcrisk mask pbuckets --p 10 in.csv > masked.csv
  sdcrisk mask pbuckets --p 50 --statement masked.sdc.json -o masked.csv in.csv

The sorted values of each attribute are cut into p buckets of equal size. A value changes places with another of \
its own bucket with probability 1/2, with one of the next bucket with 1/4, then 1/8, and so on, upwards. Any two values \
can meet: unlike rankswap, what is published rules nobody out, and no intruder can confine a value to a window \
(link --method rsld).

p is a number of buckets, NOT a percentage: more buckets are smaller, so a larger p moves values less and protects \
LESS. With --p 1 every value is equally likely to meet any other; p may be as large as the number of records.

Each attribute keeps its distribution exactly; relations between attributes are blurred, the more the smaller p. \
Publish the statement with the file; keep the seed, if you gave one, and the key of --shuffle to yourself.";

#[derive(Debug, Args)]
pub struct PBucketsArgs {
    /// Number of buckets that the values are cut into: fewer buckets protect more (not a percentage)
    #[arg(long, value_name = "BUCKETS", value_parser = buckets)]
    p: usize,
    #[command(flatten)]
    strata: StrataArgs,
    #[command(flatten)]
    common: MaskArgs,
}

fn buckets(text: &str) -> std::result::Result<usize, String> {
    text.parse().map_err(|_| {
        "it is a whole number of buckets, not a percentage or a share: for example --p 10".into()
    })
}

impl MethodArgs for PBucketsArgs {
    fn common(&self) -> &MaskArgs {
        &self.common
    }

    fn strata(&self) -> Option<&str> {
        self.strata.list()
    }

    fn request(&self, _: &dyn Files) -> Result<MethodRequest> {
        Ok(MethodRequest::PBuckets { buckets: self.p })
    }
}
