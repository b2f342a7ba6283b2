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
    table::{AttrId, Table},
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
