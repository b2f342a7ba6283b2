//! `--keep-sums` and `--keep-zeros`.

use clap::Args;

use crate::{
    error::Result,
    jobs::{Observer, mask::request::KeepRequest},
    options::note_idle,
};

/// How far zeros move, in percent of the records, unless it is said.
const WITHIN: f64 = 5.0;

/// What is kept beside the method.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "What is kept")]
pub struct KeepArgs {
    /// A total to recompute from its masked parts, exactly: 'total=a+b'; repeat it for more totals
    #[arg(long, value_name = "TOTAL=A+B")]
    keep_sums: Vec<String>,
    /// Zeros stay zeros: which attributes of a record are zero moves as a whole between records of similar size, and other
    /// values are masked among themselves
    #[arg(long)]
    keep_zeros: bool,
    /// How far zeros move at most, in percent of the records in the order of their size [default: 5]
    #[arg(long, value_name = "PERCENT")]
    zeros_within: Option<f64>,
}

impl KeepArgs {
    /// Notes options without use.
    pub(super) fn check(&self, observer: &dyn Observer) -> Result<()> {
        let given = self.zeros_within.is_some() && !self.keep_zeros;
        note_idle(given, "--zeros-within", " without --keep-zeros", observer)
    }

    pub(super) fn request(&self) -> KeepRequest {
        let within = self.zeros_within.unwrap_or(WITHIN);
        KeepRequest {
            sums: self.keep_sums.clone(),
            zeros_within: self.keep_zeros.then_some(within),
        }
    }
}
