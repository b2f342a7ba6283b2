//! The options of `sdcrisk merge`.

use std::path::PathBuf;

use clap::Args;

use super::{
    output::{DetailArgs, Format, OutputArgs, ReportArgs},
    risk::{Limit, limit},
    values::rate_limit,
};
use crate::error::{Error, Result};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  sdcrisk evaluate plan.toml --shard 1/2 -o part1.json       # on one machine
  sdcrisk evaluate plan.toml --shard 2/2 -o part2.json       # on another
  sdcrisk merge part1.json part2.json
  sdcrisk merge part*.json --format json -o results.json
  sdcrisk merge part*.json --into results
  sdcrisk search plan.toml --risk-at-most 5% --shard 1/2 -o search1.json
  sdcrisk search plan.toml --risk-at-most 5% --shard 2/2 -o search2.json
  sdcrisk merge search1.json search2.json
  sdcrisk link --method am --shard 1/2 -o link1.json orig.csv masked.csv
  sdcrisk link --method am --shard 2/2 -o link2.json orig.csv masked.csv
  sdcrisk merge link1.json link2.json --fail-above 5%
  sdcrisk merge link1.json link2.json --brief --fail-above-extremes 10%
  sdcrisk merge link1.json link2.json --links links.csv                # of parts made with --links links.csv, too
  sdcrisk risk --key sex,age --shard 1/2 -o risk1.json orig.csv masked.csv
  sdcrisk risk --key sex,age --shard 2/2 -o risk2.json orig.csv masked.csv
  sdcrisk merge risk1.json risk2.json --fail-above unique=1%
  sdcrisk mask rankswap --p 5 --seed 1 --shard 1/2 -o cols1.json in.csv
  sdcrisk mask rankswap --p 5 --seed 1 --shard 2/2 -o cols2.json in.csv
  sdcrisk merge cols1.json cols2.json --statement masked.sdc.json -o masked.csv

The report, or the masked file, is that of the call without --shard in one run, byte for byte, whatever the number and the order
of the parts.
Parts that are missing, there twice, damaged, of another call, of other files or of another version are refused by name.
A part of a plan or of a search holds the seeds of the masked files, one of an attack says which records are found, one of risk
which are most at risk: all are private. See docs/scale.md.

Exit status: that of the one run: 0 done, 4 a search was stopped before its proof, 10 a rate is above --fail-above, or nothing
that was searched is below the limit.")]
pub struct MergeArgs {
    /// All parts of a plan, a search, or a call of link, risk or mask, in any order; one of them can be - for standard input
    #[arg(value_name = "PART.json", required = true)]
    pub parts: Vec<PathBuf>,
    /// Of a plan or a search: keep everything in this folder, as 'evaluate' does: journal.jsonl, rows.csv, results.json, map.svg, report.html
    #[arg(long, value_name = "FOLDER")]
    pub into: Option<PathBuf>,
    /// Form of the report; text if nothing is said
    #[arg(long, value_enum, help_heading = "Output")]
    pub format: Option<Format>,
    #[command(flatten)]
    pub to: OutputArgs,
    #[command(flatten)]
    pub detail: DetailArgs,
    /// End with exit status 10 when a rate of an attack (of a plan: a mean rate) is above this: 5% or 0.05; of risk as there: a share, or unique=1% for one measure, repeatable
    #[arg(long, value_name = "[MEASURE=]RATE", value_parser = limit, help_heading = "Output")]
    pub fail_above: Vec<Limit>,
    /// Of attacks: end with exit status 10 when a rate among extremes is above this, as in 'link'
    #[arg(long, value_name = "RATE", value_parser = rate_limit, help_heading = "Output")]
    pub fail_above_extremes: Option<f64>,
    /// Of attacks whose parts were made with --links as well: write one line a record, as 'link' does
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub links: Option<PathBuf>,
    /// Of a masking: write what may be published about it (JSON)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub statement: Option<PathBuf>,
}

impl MergeArgs {
    /// The form of the report, and where it goes.
    pub fn form(&self) -> ReportArgs {
        ReportArgs {
            format: self.format.unwrap_or(Format::Text),
            to: self.to.clone(),
        }
    }

    /// The one limit of rates that are not of risk.
    ///
    /// # Errors
    /// Usage, when there are several, or one is of a measure.
    pub fn rate_limit(&self) -> Result<Option<f64>> {
        match &self.fail_above[..] {
            [] => Ok(None),
            [
                Limit {
                    measure: None,
                    rate,
                },
            ] => Ok(Some(*rate)),
            _ => Err(Error::usage(
                "--fail-above takes one rate here: these parts have no measures of risk",
            )
            .remedy("Give it once, such as --fail-above 5%")),
        }
    }

    /// Refuses options that the call of which these are the parts does not have.
    pub fn refuse_all_but(&self, own: &[&str], what: &str) -> Result<()> {
        let [brief, explain] = self.detail.given();
        let given = [
            ("--format", self.format.is_some()),
            ("--into", self.into.is_some()),
            ("--fail-above", !self.fail_above.is_empty()),
            ("--fail-above-extremes", self.fail_above_extremes.is_some()),
            ("--brief", brief),
            ("--explain", explain),
            ("--links", self.links.is_some()),
            ("--statement", self.statement.is_some()),
        ];
        let mut foreign = given
            .iter()
            .filter(|(name, given)| *given && !own.contains(name));
        match foreign.next() {
            None => Ok(()),
            Some((name, _)) => Err(Error::usage(format!(
                "{name} has no place here: these are the parts of {what}"
            ))
            .remedy("Leave it out")),
        }
    }
}
