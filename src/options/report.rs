//! The options of `sdcrisk report`.

use std::path::PathBuf;

use clap::Args;

use super::output::OutputArgs;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  sdcrisk link --method all --p 5 --format json -o link.json in.csv masked.csv
  sdcrisk loss --format json -o loss.json in.csv masked.csv
  sdcrisk report -o report.html link.json loss.json
  sdcrisk report --external -o public.html masked.sdc.json loss.json

Results are what link, loss, risk, score, evaluate, describe and match-attributes write with --format json, what
mask --statement, link --weights and link --links write. The page needs nothing else: no program, no network. It has pictures with
the tables behind them, reads in light and dark, on paper, and to readers of screens.

--external makes the version for others: what was done to the file, what it cost, which attacks were tried. It
holds no figure of risk, no seed, no row number, no weights and no places of files. Without it the page is as
private as the results that it shows.")]
pub struct ReportArgs {
    /// Results of other commands; one of them can be - for standard input
    #[arg(value_name = "RESULT.json", required = true)]
    pub results: Vec<PathBuf>,
    /// Leave out what is confidential
    #[arg(long)]
    pub external: bool,
    /// Title of the page
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// How the file is to be released (open, licensed, in a safe room, ...): text for the page
    #[arg(long, value_name = "TEXT")]
    pub release_type: Option<String>,
    #[command(flatten)]
    pub to: OutputArgs,
}
