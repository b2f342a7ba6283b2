//! A plan of experiments, and where its files are, as options.

use std::path::PathBuf;

use clap::Args;

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
