//! `mask noise`: options, and what they mean.

use clap::Args;

use super::{DecimalsArgs, MaskArgs, MethodArgs, keeping::KeepArgs};
use crate::{
    cli::console::Console,
    error::Result,
    mask::{
        Mask, Masked,
        noise::{Noise, Options},
    },
    report::text,
    statement::Method,
    table::{AttrId, Table},
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
    common: MaskArgs,
}

impl NoiseArgs {
    fn parsed(&self) -> Result<Noise> {
        let options = Options {
            correlated: self.correlated,
            restore: self.restore,
            rounding: self.decimals.rounding(),
        };
        Noise::new(self.level, options)
    }
}

impl MethodArgs for NoiseArgs {
    fn common(&self) -> &MaskArgs {
        &self.common
    }

    fn keep(&self) -> Option<&KeepArgs> {
        Some(&self.keep)
    }

    fn decimals(&self) -> Option<&DecimalsArgs> {
        Some(&self.decimals)
    }

    fn check(&self, _: &Console) -> Result<()> {
        self.parsed().map(|_| ())
    }

    fn method(&self, _table: &Table, _: &Console) -> Result<Box<dyn Mask>> {
        Ok(Box::new(self.parsed()?))
    }

    fn headline(&self, masked: &Masked) -> String {
        let Method::Noise(parameters) = &masked.statement.method else {
            return String::new();
        };
        let mut parts = vec![format!(
            "{} noise with a standard deviation of {} of the attribute's (level {})",
            if parameters.correlated {
                "correlated"
            } else {
                "independent"
            },
            text::percent(parameters.level.sqrt()),
            parameters.level
        )];
        if parameters.restored {
            parts.push("means and standard deviations restored".into());
        }
        if parameters.rounded {
            parts.push("rounded to the decimals of each attribute".into());
        }
        parts.join(", ")
    }

    fn remarks(&self, masked: &Masked) -> Vec<String> {
        let mut remarks = Vec::new();
        if self.level > 1.0 {
            remarks.push(format!(
                "warning: the noise has {} times the variance of the data (level is a share, not a percentage)",
                self.level
            ));
        }
        let (complete, records) = (complete(masked), masked.statement.records);
        if self.correlated && complete < records {
            remarks.push(format!(
                "note: correlations from {complete} of {records} records: the others miss a masked attribute"
            ));
        }
        let unmasked = unmasked(masked);
        if !unmasked.is_empty() {
            remarks.push(format!(
                "warning: the noise was lost by rounding, so the old values are in the masked file: {}",
                text::names(&unmasked, 12)
            ));
        }
        remarks
    }
}

/// How many records miss no masked attribute.
fn complete(masked: &Masked) -> usize {
    let table = &masked.table;
    let on: Vec<AttrId> = (masked.effects.iter())
        .filter_map(|effect| table.find(&effect.attribute).ok())
        .collect();
    let is_complete = |&record: &usize| !on.iter().any(|&id| table.is_missing(record, id));
    (0..table.n_records()).filter(is_complete).count()
}

/// The attributes of different values of which none has changed.
fn unmasked(masked: &Masked) -> Vec<&str> {
    let varies = |name: &str| {
        let id = masked.table.find(name).ok();
        id.and_then(|id| masked.table.numbers(id))
            .is_some_and(|numbers| {
                let mut present = (numbers.values.iter().enumerate())
                    .filter(|&(record, _)| !numbers.missing.contains(record))
                    .map(|(_, &value)| value);
                let first = present.next();
                present.any(|value| Some(value) != first)
            })
    };
    (masked.effects.iter())
        .filter(|effect| effect.changed == 0 && varies(&effect.attribute))
        .map(|effect| effect.attribute.as_str())
        .collect()
}
