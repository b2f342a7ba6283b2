//! `mask noise`: options, and what they mean.

use clap::Args;

use super::{MaskArgs, MethodArgs};
use crate::{
    error::Result,
    mask::{
        Mask, Masked, Rounding,
        noise::{Noise, Options},
    },
    report::text,
    statement::Method,
    table::Table,
};

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
    /// Round attributes of whole numbers to whole numbers, last of all
    #[arg(long)]
    round: bool,
    #[command(flatten)]
    common: MaskArgs,
}

impl NoiseArgs {
    fn parsed(&self) -> Result<Noise> {
        let options = Options {
            correlated: self.correlated,
            restore: self.restore,
            rounding: match self.round {
                true => Rounding::Whole,
                false => Rounding::None,
            },
        };
        Noise::new(self.level, options)
    }
}

impl MethodArgs for NoiseArgs {
    fn common(&self) -> &MaskArgs {
        &self.common
    }

    fn check(&self) -> Result<()> {
        self.parsed().map(|_| ())
    }

    fn method(&self, _table: &Table) -> Result<Box<dyn Mask>> {
        Ok(Box::new(self.parsed()?))
    }

    fn headline(&self, masked: &Masked) -> String {
        let Method::Noise(parameters) = &masked.statement.method else {
            return String::new();
        };
        let mut parts = vec![format!(
            "{} noise with a standard deviation of {} of the attribute's (level {})",
            match parameters.correlated {
                true => "correlated",
                false => "independent",
            },
            text::percent(parameters.level.sqrt()),
            parameters.level
        )];
        if parameters.restored {
            parts.push("means and standard deviations restored".into());
        }
        if parameters.rounded {
            parts.push("whole numbers rounded".into());
        }
        parts.join(", ")
    }

    fn remarks(&self, _masked: &Masked) -> Vec<String> {
        match self.level > 1.0 {
            true => vec![format!(
                "warning: the noise has {} times the variance of the data (level is a share, not a percentage)",
                self.level
            )],
            false => Vec::new(),
        }
    }
}
