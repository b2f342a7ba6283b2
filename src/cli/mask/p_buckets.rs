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
    #[arg(long, value_name = "BUCKETS")]
    p: usize,
    #[command(flatten)]
    common: MaskArgs,
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
