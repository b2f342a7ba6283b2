//! `mask pdistribution`: options, and what they mean.

use clap::Args;

use super::{
    MaskArgs, MethodArgs,
    rank_swap::{refuse_fraction, refuse_idle_unit},
};
use crate::{
    error::Result,
    mask::{Mask, Masked, p_distribution::PDistribution},
    statement::Method,
    table::Table,
};

#[derive(Debug, Args)]
pub struct PDistributionArgs {
    /// Twice the mean of the law that rank differences are drawn from, in percent of the number of records (0 < p <= 100);
    /// draws that hit no partner are repeated, so that swaps go farther on average
    #[arg(long, value_name = "PERCENT")]
    p: f64,
    /// Confirms that a p below 1 is meant in percent
    #[arg(long, value_name = "UNIT", value_parser = ["percent"])]
    p_unit: Option<String>,
    #[command(flatten)]
    common: MaskArgs,
}

impl MethodArgs for PDistributionArgs {
    fn common(&self) -> &MaskArgs {
        &self.common
    }

    fn check(&self) -> Result<()> {
        refuse_idle_unit(Some(self.p), self.p_unit.is_some())?;
        PDistribution::new(self.p).map(|_| ())
    }

    fn method(&self, table: &Table) -> Result<Box<dyn Mask>> {
        refuse_fraction(Some(self.p), self.p_unit.is_some(), table)?;
        Ok(Box::new(PDistribution::new(self.p)?))
    }

    fn headline(&self, masked: &Masked) -> String {
        let Method::PDistribution(parameters) = &masked.statement.method else {
            return String::new();
        };
        format!(
            "rank differences drawn from a normal law with mean and sd {} ranks (p = {} % of the records, halved), \
             until they hit a partner: so they are larger on average",
            parameters.mean, parameters.p
        )
    }
}
