//! `mask pbuckets`: options, and what they mean.

use clap::Args;

use super::{MaskArgs, MethodArgs};
use crate::{
    error::Result,
    mask::{Mask, Masked, p_buckets::PBuckets},
    statement::Method,
    table::Table,
};

#[derive(Debug, Args)]
pub struct PBucketsArgs {
    /// Number of buckets that the values are cut into: fewer buckets protect more (not a percentage)
    #[arg(long, value_name = "BUCKETS", value_parser = buckets)]
    p: usize,
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

    fn check(&self) -> Result<()> {
        PBuckets::new(self.p).map(|_| ())
    }

    fn method(&self, _table: &Table) -> Result<Box<dyn Mask>> {
        Ok(Box::new(PBuckets::new(self.p)?))
    }

    fn headline(&self, masked: &Masked) -> String {
        let Method::PBuckets(parameters) = &masked.statement.method else {
            return String::new();
        };
        let buckets = parameters.buckets;
        match buckets {
            1 => "one bucket: every value could meet every other".into(),
            _ => format!(
                "{buckets} buckets of about {} values each; fewer buckets protect more",
                masked.statement.records.div_ceil(buckets)
            ),
        }
    }
}
