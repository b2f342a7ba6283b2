//! `mask noise`: options, and what they mean.

use clap::Args;

use super::{DecimalsArgs, MaskArgs, MethodArgs, keeping::KeepArgs, strata::StrataArgs};
use crate::{
    error::Result,
    jobs::{Observer, mask::request::MethodRequest},
    mask::noise::Options,
    options::files::Files,
};

/// What follows the options in the help.
pub(super) const HELP: &str = "Examples:
  sdcrisk mask noise --level 0.1 in.csv > masked.csv
  sdcrisk mask noise --level 0.05 --correlated --restore --statement m.sdc.json in.csv > m.csv
  sdcrisk mask noise --level 0.2 --attributes income,taxes in.csv > masked.csv

Noise with mean 0 and level times the variance of the attribute: level 0.1 is a standard deviation of 32 % of the \
attribute's. A larger level protects more. Means are kept on average; variances grow by the factor 1 + level, which \
--restore takes back. Without --correlated the correlations shrink by the factor 1/(1 + level); with it they stay, and \
so do sums of attributes, up to the rounding of new values (--restore keeps sums only roughly).

Only amounts get noise: codes and classes are left as they are, and missing values stay missing. Amounts can become \
negative. New values have the decimals of their attribute; --decimals full gives them all, and keeps restored means and \
standard deviations to the last digit, but shows which cells were masked.

Publish the statement with the file: users can then correct their estimates for the noise. Keep the seed, if you gave \
one, and the key of --shuffle to yourself.";

#[derive(Debug, Args)]
pub struct NoiseArgs {
    /// Variance of the noise in units of the attribute's variance: 0.1 is a tenth of it (not a percentage)
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    level: f64,
    /// Noise with the covariances of the attributes, so that correlations are kept; else it is independent
    #[arg(long)]
    correlated: bool,
    /// Restore the mean and the standard deviation of each attribute, by a linear transformation after the noise
    #[arg(long)]
    restore: bool,
    #[command(flatten)]
    decimals: DecimalsArgs,
    #[command(flatten)]
    keep: KeepArgs,
    #[command(flatten)]
    strata: StrataArgs,
    #[command(flatten)]
    common: MaskArgs,
}

impl MethodArgs for NoiseArgs {
    fn common(&self) -> &MaskArgs {
        &self.common
    }

    fn strata(&self) -> Option<&str> {
        self.strata.list()
    }

    fn keep(&self) -> Option<&KeepArgs> {
        Some(&self.keep)
    }

    fn decimals(&self) -> Option<&DecimalsArgs> {
        Some(&self.decimals)
    }

    fn check(&self, observer: &dyn Observer) -> Result<()> {
        self.keep.check(observer)
    }

    fn request(&self, _: &dyn Files) -> Result<MethodRequest> {
        Ok(MethodRequest::Noise {
            level: self.level,
            options: Options {
                correlated: self.correlated,
                restore: self.restore,
                rounding: self.decimals.rounding(),
            },
        })
    }
}
