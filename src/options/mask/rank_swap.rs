//! `mask rankswap`: options, and what they mean.

use clap::{Args, ValueEnum};

use super::{MaskArgs, MethodArgs, keeping::KeepArgs, strata::StrataArgs};
use crate::{
    error::{Error, Result},
    jobs::{Observer, mask::request::MethodRequest},
    mask::rank_swap::Reach,
    options::{files::Files, note_idle},
    report::text,
    statement::Partner,
    table::Table,
};

/// What follows the options in the help.
pub(super) const HELP: &str = "Examples:
  sdcrisk mask rankswap --p 2 in.csv > masked.csv
  sdcrisk mask rankswap --p 5 --statement masked.sdc.json -o masked.csv in.csv
  sdcrisk mask rankswap --window 10 --attributes income,taxes in.csv > masked.csv
  sdcrisk mask rankswap --p 10 --strata region in.csv > masked.csv

Each attribute keeps its distribution exactly; relations between attributes are blurred, the more the larger p. Publish \
the statement with the file: users can then judge what was done. Keep the seed, if you gave one, and the key of --shuffle \
to yourself.";

#[derive(Debug, Args)]
pub struct RankSwapArgs {
    /// Greatest rank difference of a swap, in percent of the number of records (0 < p <= 100)
    #[arg(
        long,
        value_name = "PERCENT",
        required_unless_present = "window",
        conflicts_with = "window"
    )]
    p: Option<f64>,
    /// Greatest rank difference of a swap, in ranks
    #[arg(long, value_name = "RANKS")]
    window: Option<usize>,
    /// Confirms that a p below 1 is meant in percent
    #[arg(long, value_name = "UNIT", value_parser = ["percent"])]
    p_unit: Option<String>,
    /// How a partner is drawn: among values not yet swapped, or among all and none if it is taken
    #[arg(long, value_enum, default_value = "unswapped")]
    partner: PartnerArg,
    #[command(flatten)]
    keep: KeepArgs,
    #[command(flatten)]
    strata: StrataArgs,
    #[command(flatten)]
    common: MaskArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum PartnerArg {
    /// Among the values of the window not swapped yet
    Unswapped,
    /// Among all values of the window; if that one is taken, the value stays (the literature's tables)
    Skip,
    /// No partner: each rank is moved by up to the window, and all are ranked again. No exchange can be traced back
    Cycle,
}

impl MethodArgs for RankSwapArgs {
    fn common(&self) -> &MaskArgs {
        &self.common
    }

    fn strata(&self) -> Option<&str> {
        self.strata.list()
    }

    fn keep(&self) -> Option<&KeepArgs> {
        Some(&self.keep)
    }

    fn check(&self, observer: &dyn Observer) -> Result<()> {
        self.keep.check(observer)?;
        note_idle_unit(self.p, self.p_unit.is_some(), observer)
    }

    fn request(&self, _: &dyn Files) -> Result<MethodRequest> {
        let reach = match (self.p, self.window) {
            (Some(p), _) => Reach::Percent(p),
            (None, Some(window)) => Reach::Window(window),
            (None, None) => return Err(Error::usage("rankswap needs --p or --window")),
        };
        let partner = match self.partner {
            PartnerArg::Unswapped => Partner::Unswapped,
            PartnerArg::Skip => Partner::Skip,
            PartnerArg::Cycle => Partner::Cycle,
        };
        Ok(MethodRequest::RankSwap { reach, partner })
    }

    fn doubt(&self, table: &Table) -> Result<()> {
        refuse_fraction(self.p, self.p_unit.is_some(), table)
    }
}

/// `--p-unit` confirms a p that looks like a fraction, and nothing else.
pub(super) fn note_idle_unit(p: Option<f64>, unit: bool, observer: &dyn Observer) -> Result<()> {
    let given = unit && p.is_none_or(|p| p >= 1.0);
    note_idle(given, "--p-unit", " without a --p below 1", observer)
}

/// A p below 1 is a mistake more often than not.
pub(super) fn refuse_fraction(p: Option<f64>, unit: bool, table: &Table) -> Result<()> {
    match p {
        Some(p) if p < 1.0 && !unit => Err(Error::usage(format!(
            "--p {p} looks like a fraction; p is a percentage"
        ))
        .remedy(format!(
            "Write --p {} for {}; if {p} percent is meant ({} ranks of {} records), add --p-unit percent",
            trimmed(p * 100.0),
            text::percent(p),
            Reach::Percent(p).window(table.n_records()),
            table.n_records()
        ))),
        _ => Ok(()),
    }
}

/// A number of percent without the noise of binary fractions.
fn trimmed(number: f64) -> f64 {
    (number * 1e9).round() / 1e9
}
