//! A plan of experiments, and where its files are, as options.

use std::path::PathBuf;

use clap::Args;

use crate::{
    error::{Error, Result},
    evaluate::{plan::Plan, shard::Shard},
};

/// A plan, and where its files are.
#[derive(Debug, Args)]
pub struct PlanArgs {
    /// The plan; - is standard input
    #[arg(value_name = "PLAN.toml")]
    pub plan: PathBuf,
    /// Keep everything in this folder, and continue what is there: journal.jsonl, rows.csv, results.json, map.svg, report.html
    #[arg(long, value_name = "FOLDER")]
    pub into: Option<PathBuf>,
    /// Where else to look for the files that the plan names
    #[arg(long, value_name = "FOLDER")]
    pub data: Option<PathBuf>,
}

/// Each part would draw seeds of its own, and mask other files than one run.
pub(super) fn refuse_shard_without_seed(
    shard: Option<Shard>,
    plan: &Plan,
    name: &str,
) -> Result<()> {
    if shard.is_none() || plan.seed.is_some() {
        return Ok(());
    }
    Err(Error::usage(
        "states no seed, so each part of --shard would draw its own, and the parts would not fit together",
    )
    .in_file(name)
    .remedy("Write seed = 1 at the top of the plan"))
}
