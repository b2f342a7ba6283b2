//! `mask ipso`: options, and what they mean.

use clap::{Args, ValueEnum};

use super::{DecimalsArgs, MaskArgs, MethodArgs, strata::StrataArgs};
use crate::{
    error::Result,
    jobs::mask::request::{IpsoRequest, MethodRequest},
    options::files::Files,
    statement::IpsoVariant,
};

/// What follows the options in the help.
pub(super) const HELP: &str = "Examples:
  sdcrisk mask ipso --variant c --confidential income,tax in.csv > masked.csv
  sdcrisk mask ipso --variant a --roles roles.toml --statement m.sdc.json in.csv > m.csv
  sdcrisk mask ipso --variant b --confidential 4-6 --attributes age,rent in.csv > m.csv

Confidential attributes stay as they are; the others are predicted from them by linear regression.
  a  predictions alone: a user who repeats the regression finds the same coefficients; variances are too small
  b  with random scatter: the same coefficients exactly, variances nearly
  c  with random scatter: the same coefficients, variances and correlations exactly

What is kept exactly is so with --decimals full: by default new values are rounded to the decimals of their attribute.

With --no-intercept neither means nor, by c, variances and correlations are kept exactly: only squares and products \
about the fit are.

The predictions of a hold no chance: the better the regression, the nearer they are to the old values, and the easier \
people are found. b and c blur them by what the regression does not explain.

Ordinal attributes are left as they are unless --attributes names them: averages of codes are no codes.";

#[derive(Debug, Args)]
pub struct IpsoArgs {
    /// What is kept of the regression
    #[arg(long, value_enum)]
    variant: VariantArg,
    /// Attributes that are kept, and from which the others are predicted: names or positions [default: those with the role
    /// confidential]
    #[arg(long, value_name = "LIST")]
    confidential: Option<String>,
    /// Leave the constant out of the regression: means are then not kept, and by c variances and correlations neither
    #[arg(long)]
    no_intercept: bool,
    #[command(flatten)]
    decimals: DecimalsArgs,
    #[command(flatten)]
    strata: StrataArgs,
    #[command(flatten)]
    common: MaskArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum VariantArg {
    /// Predicted values only: keeps coefficients and means; spread shrinks
    A,
    /// Predicted values and random scatter: keeps coefficients and means exactly, spread nearly
    B,
    /// Predicted values and random scatter: keeps coefficients, means, variances and correlations exactly (but see --no-intercept)
    C,
}

impl MethodArgs for IpsoArgs {
    fn common(&self) -> &MaskArgs {
        &self.common
    }

    fn strata(&self) -> Option<&str> {
        self.strata.list()
    }

    fn decimals(&self) -> Option<&DecimalsArgs> {
        Some(&self.decimals)
    }

    fn request(&self, _: &dyn Files) -> Result<MethodRequest> {
        Ok(MethodRequest::Ipso(IpsoRequest {
            variant: match self.variant {
                VariantArg::A => IpsoVariant::A,
                VariantArg::B => IpsoVariant::B,
                VariantArg::C => IpsoVariant::C,
            },
            confidential: self.confidential.clone(),
            intercept: !self.no_intercept,
            rounding: self.decimals.rounding(),
        }))
    }
}
