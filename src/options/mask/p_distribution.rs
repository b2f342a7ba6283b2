//! `mask pdistribution`: options, and what they mean.

use clap::Args;

use super::{
    MaskArgs, MethodArgs,
    rank_swap::{note_idle_unit, refuse_fraction},
    strata::StrataArgs,
};
use crate::{
    error::Result,
    jobs::{Observer, mask::request::MethodRequest},
    options::files::Files,
    table::Table,
};

/// What follows the options in the help.
pub(super) const HELP: &str = "Examples:
  sdcrisk mask pdistribution --p 5 in.csv > masked.csv
  sdcrisk mask pdistribution --p 2 --attributes income,taxes --statement m.sdc.json in.csv > m.csv

A value changes places with one whose rank is r higher; r follows the normal law with mean and standard deviation \
p/2 percent of the number of records, and is drawn again until there is such a partner: swaps go farther on average \
than the law says. Nearly all swaps stay within 2p percent, and none is ruled out: unlike rankswap, \
what is published confines no value to a window (link --method rsld). A larger p moves values farther and protects more.

Each attribute keeps its distribution exactly; relations between attributes are blurred, the more the larger p. \
Publish the statement with the file; keep the seed, if you gave one, and the key of --shuffle to yourself.";

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
    strata: StrataArgs,
    #[command(flatten)]
    common: MaskArgs,
}

impl MethodArgs for PDistributionArgs {
    fn common(&self) -> &MaskArgs {
        &self.common
    }

    fn strata(&self) -> Option<&str> {
        self.strata.list()
    }

    fn check(&self, observer: &dyn Observer) -> Result<()> {
        note_idle_unit(Some(self.p), self.p_unit.is_some(), observer)
    }

    fn request(&self, _: &dyn Files) -> Result<MethodRequest> {
        Ok(MethodRequest::PDistribution { p: self.p })
    }

    fn doubt(&self, table: &Table) -> Result<()> {
        refuse_fraction(Some(self.p), self.p_unit.is_some(), table)
    }
}
