//! `mask ipso`: options, and what they mean.

use clap::{Args, ValueEnum};

use super::{MaskArgs, MethodArgs};
use crate::{
    error::Result,
    mask::{Details, Mask, Masked, Rounding, ipso::Ipso},
    report::text,
    statement::{IpsoVariant, Method},
    table::{Role, Table},
};

#[derive(Debug, Args)]
pub struct IpsoArgs {
    /// What the synthetic values keep
    #[arg(long, value_enum)]
    variant: VariantArg,
    /// Attributes that stay as they are, and from which the others are drawn [default: those with the role confidential]
    #[arg(long, value_name = "LIST")]
    confidential: Option<String>,
    /// Leave the constant out of the regression: means are then not kept
    #[arg(long)]
    no_intercept: bool,
    /// Round the new values of attributes that hold whole numbers only; what is kept, is kept to that rounding
    #[arg(long)]
    round: bool,
    #[command(flatten)]
    common: MaskArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum VariantArg {
    /// The fitted values of the regression: its coefficients; relations look stronger than they are
    A,
    /// Fitted values and random residuals: the coefficients exactly
    B,
    /// The same with residuals adjusted: coefficients and residual covariances exactly
    C,
}

impl IpsoArgs {
    fn variant(&self) -> IpsoVariant {
        match self.variant {
            VariantArg::A => IpsoVariant::A,
            VariantArg::B => IpsoVariant::B,
            VariantArg::C => IpsoVariant::C,
        }
    }
}

impl MethodArgs for IpsoArgs {
    fn common(&self) -> &MaskArgs {
        &self.common
    }

    fn is_random(&self) -> bool {
        self.variant != VariantArg::A
    }

    fn check(&self) -> Result<()> {
        Ok(())
    }

    fn method(&self, table: &Table) -> Result<Box<dyn Mask>> {
        let kept = match &self.confidential {
            Some(list) => table.select(list)?,
            None => table
                .ids()
                .filter(|&id| table.attribute(id).role == Role::Confidential)
                .collect(),
        };
        let names = kept
            .into_iter()
            .map(|id| table.attribute(id).name.clone())
            .collect();
        let method = Ipso::new(self.variant(), names)?.rounding(match self.round {
            true => Rounding::Whole,
            false => Rounding::None,
        });
        Ok(Box::new(match self.no_intercept {
            true => method.without_intercept(),
            false => method,
        }))
    }

    fn headline(&self, masked: &Masked) -> String {
        let Method::Ipso(parameters) = &masked.statement.method else {
            return String::new();
        };
        format!(
            "variant {}, drawn from a regression on {}{}",
            match parameters.variant {
                IpsoVariant::A => "a",
                IpsoVariant::B => "b",
                IpsoVariant::C => "c",
            },
            text::names(&parameters.kept, 6),
            match parameters.intercept {
                true => "",
                false => ", without a constant",
            }
        )
    }

    fn remarks(&self, masked: &Masked) -> Vec<String> {
        let Details::Ipso(fit) = &masked.details else {
            return Vec::new();
        };
        let shares: Vec<String> = masked
            .effects
            .iter()
            .zip(&fit.explained)
            .map(|(effect, &share)| format!("{} {}", effect.attribute, text::percent(share)))
            .collect();
        let mut remarks = vec![format!(
            "regression on {} complete records; it explains {} of the variance",
            fit.records,
            shares.join(", ")
        )];
        if !fit.idle.is_empty() {
            remarks.push(format!(
                "note: {} added nothing: a combination of the other kept attributes, or the same value everywhere",
                text::names(&fit.idle, 6)
            ));
        }
        if !fit.determined.is_empty() {
            remarks.push(format!(
                "warning: {} comes out unchanged: the kept attributes determine it; keep fewer, or leave it out with --drop",
                text::names(&fit.determined, 6)
            ));
        }
        let incomplete = masked.statement.records - fit.records;
        if incomplete > 0 {
            remarks.push(format!(
                "note: {incomplete} records miss something; what is kept exactly, is kept among the others"
            ));
        }
        remarks
    }
}
