//! `--strata` of methods that are applied to each stratum by itself.

use clap::Args;

/// Within what a method is applied.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Files and attributes")]
pub(super) struct StrataArgs {
    /// Mask within strata, each by itself: attributes whose combinations of values make them. These stay as they are, and percentages are
    /// of the records of the stratum
    #[arg(long, value_name = "LIST")]
    strata: Option<String>,
}

impl StrataArgs {
    /// The attributes that make the strata, if there are any.
    pub(super) fn list(&self) -> Option<&str> {
        self.strata.as_deref()
    }
}
