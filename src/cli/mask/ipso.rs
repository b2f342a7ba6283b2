//! `mask ipso`: options, and what they mean.

use clap::{Args, ValueEnum};

use super::{DecimalsArgs, MaskArgs, MethodArgs};
use crate::{
    cli::console::Console,
    error::Result,
    mask::{Details, Mask, Masked, ipso::Ipso},
    report::text,
    statement::{IpsoVariant, Method},
    table::{Role, Table},
};

/// What follows the options in the help.
pub(super) const HELP: &str = "Examples:
  sdcrisk mask ipso --variant c --confidential income,tax in.csv > masked.csv
  sdcrisk mask ipso --variant a --roles roles.toml --statement m.sdc.json in.csv > m.csv
  sdcrisk mask ipso --variant b --confidential 4-6 --attributes age,rent in.csv > m.csv

Confidential attributes stay as they are; the others are predicted from them by linear regression.
  a  predictions alone: whoever repeats the regression finds the same coefficients; variances are too small
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

    fn is_random(&self) -> bool {
        self.variant != VariantArg::A
    }

    fn decimals(&self) -> Option<&DecimalsArgs> {
        Some(&self.decimals)
    }

    fn check(&self, _: &Console) -> Result<()> {
        Ok(())
    }

    fn method(&self, table: &Table, _: &Console) -> Result<Box<dyn Mask>> {
        let confidential = match &self.confidential {
            Some(list) => table.select(list)?,
            None => table
                .ids()
                .filter(|&id| table.attribute(id).role == Role::Confidential)
                .collect(),
        };
        (self.common).refuse_dropped(
            table,
            &confidential,
            "is confidential here",
            "--confidential",
        )?;
        let variant = match self.variant {
            VariantArg::A => IpsoVariant::A,
            VariantArg::B => IpsoVariant::B,
            VariantArg::C => IpsoVariant::C,
        };
        let rounding = self.decimals.rounding();
        let names = table.names(&confidential);
        Ok(Box::new(Ipso::new(
            variant,
            names,
            !self.no_intercept,
            rounding,
        )?))
    }

    fn headline(&self, masked: &Masked) -> String {
        let Method::Ipso(parameters) = &masked.statement.method else {
            return String::new();
        };
        format!(
            "variant {}, predicted from {}{}",
            parameters.variant.word(),
            text::names(&parameters.confidential, 12),
            if parameters.intercept {
                ""
            } else {
                " without a constant"
            },
        )
    }

    fn remarks(&self, masked: &Masked) -> Vec<String> {
        let (Details::Ipso(fit), Method::Ipso(parameters)) =
            (&masked.details, &masked.statement.method)
        else {
            return Vec::new();
        };
        let records = masked.statement.records;
        let shares: Vec<String> = masked
            .effects
            .iter()
            .zip(&fit.r_squared)
            .map(|(effect, share)| {
                let share = share.map_or("no spread".into(), text::percent);
                format!("{} {share}", effect.attribute)
            })
            .collect();
        let mut remarks = vec![format!(
            "explained by the confidential attributes (R²): {}",
            shares.join(", ")
        )];
        remarks.push(format!(
            "fitted on {} of {records} records, by {} independent of {} columns",
            fit.records, fit.rank, fit.columns
        ));
        if !fit.added_nothing.is_empty() {
            remarks.push(format!(
                "note: adds nothing beyond the other confidential attributes: {}",
                text::names(&fit.added_nothing, 12)
            ));
        }
        if fit.records < records {
            remarks.push(format!(
                "note: {} incomplete records are predicted with means for their gaps; what is kept is kept on the complete ones",
                records - fit.records
            ));
        }
        let determined: Vec<&str> = (masked.effects.iter().enumerate())
            .filter(|&(place, _)| fit.determines(place))
            .map(|(_, effect)| effect.attribute.as_str())
            .collect();
        if !determined.is_empty() {
            remarks.push(format!(
                "warning: determined by the confidential attributes, so the old values come back: {}",
                text::names(&determined, 12)
            ));
        }
        let following: Vec<&str> = (masked.effects.iter().enumerate())
            .filter(|&(place, _)| fit.residual_follows[place] && !fit.determines(place))
            .map(|(_, effect)| effect.attribute.as_str())
            .collect();
        if !following.is_empty() {
            remarks.push(format!(
                "note: a combination of the confidential attributes and the replaced ones before it, and stays one: {}",
                text::names(&following, 12)
            ));
        }
        if fit.reproduced > 0 {
            remarks.push(format!(
                "warning: {} record{} so alone in the confidential attributes that the fit returns the old values",
                fit.reproduced,
                if fit.reproduced == 1 { " is" } else { "s are" }
            ));
        }
        if parameters.rounded {
            remarks.push(
                "note: new values have the decimals of their attribute, so coefficients and spread are kept nearly; --decimals full keeps them exactly".into(),
            );
        }
        remarks
    }
}
