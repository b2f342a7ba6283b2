//! What masking does to analyses that users of the file will make.

use clap::Args;

use crate::{
    cli::{console::Console, pair},
    error::Result,
    figure::Figure,
    table::pair::Pair,
};

/// Which analyses are made on both files.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Analyses")]
pub struct AnalysesArgs {}

impl AnalysesArgs {
    /// Whether any was asked for.
    pub fn is_wanted(&self) -> bool {
        false
    }

    /// What the analyses lose, in the order in which they were asked for.
    pub fn figures(
        &self,
        _pair: &Pair,
        _files: &pair::Files,
        _console: &Console,
    ) -> Result<Vec<Figure>> {
        Ok(Vec::new())
    }
}
