//! `sdcrisk merge`: the parts that several machines made of a plan or of attacks become the report of one run.

use std::path::PathBuf;

use clap::Args;

use super::{
    Ending,
    args::{Detail, DetailArgs, Format, OutputArgs, ReportArgs, rate_limit, read_text},
    console::Console,
    evaluate, files, link,
};
use crate::{
    error::{Error, Result},
    jobs::merge::{self, Merged},
    report::part::Part,
};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  sdcrisk evaluate plan.toml --shard 1/2 -o part1.json       # on one machine
  sdcrisk evaluate plan.toml --shard 2/2 -o part2.json       # on another
  sdcrisk merge part1.json part2.json
  sdcrisk merge part*.json --format json -o results.json
  sdcrisk merge part*.json --into results
  sdcrisk link --method am --shard 1/2 -o link1.json orig.csv masked.csv
  sdcrisk link --method am --shard 2/2 -o link2.json orig.csv masked.csv
  sdcrisk merge link1.json link2.json --fail-above 5%
  sdcrisk merge link1.json link2.json --brief --fail-above-extremes 10%

The report is that of the call without --shard in one run, byte for byte, whatever the number and the order of the parts.
Parts that are missing, there twice, damaged, of another call, of other files or of another version are refused by name.
A part of a plan holds the seeds of the masked files, one of an attack says which records are found: both are private. See docs/scale.md.

Exit status: that of the one run: 0 done, 4 a search was stopped before its proof, 10 a rate is above --fail-above.")]
pub struct MergeArgs {
    /// All parts of a plan or of a call of link, in any order; one of them can be - for standard input
    #[arg(value_name = "PART.json", required = true)]
    parts: Vec<PathBuf>,
    /// Of a plan: keep everything in this folder, as 'evaluate' does: journal.jsonl, rows.csv, results.json, map.svg, report.html
    #[arg(long, value_name = "FOLDER")]
    into: Option<PathBuf>,
    /// Form of the report; text if nothing is said
    #[arg(long, value_enum, help_heading = "Output")]
    format: Option<Format>,
    #[command(flatten)]
    to: OutputArgs,
    #[command(flatten)]
    detail: DetailArgs,
    /// End with exit status 10 when a rate of an attack (of a plan: a mean rate) is above this: 5% or 0.05
    #[arg(long, value_name = "RATE", value_parser = rate_limit, help_heading = "Output")]
    fail_above: Option<f64>,
    /// Of attacks: end with exit status 10 when a rate among extremes is above this, as in 'link'
    #[arg(long, value_name = "RATE", value_parser = rate_limit, help_heading = "Output")]
    fail_above_extremes: Option<f64>,
}

pub fn run(args: &MergeArgs, console: &Console) -> anyhow::Result<Ending> {
    let form = ReportArgs {
        format: args.format.unwrap_or(Format::Text),
        to: args.to.clone(),
    };
    let detail = args.detail.detail(form.format, console)?;
    let parts = console.stage("read", || -> Result<Vec<_>> {
        let read = |path: &PathBuf| {
            let name = files::name_of(path);
            let part = Part::parse(&name, &read_text(path)?)?;
            Ok((name, part))
        };
        args.parts.iter().map(read).collect()
    })?;
    // A report of one run that was asked for in a form says so.
    let form_of = args.format.map(Format::word);
    match merge::run(parts, form_of)? {
        Merged::Evaluate(report, inputs) => {
            args.refuse_options_of_attacks(detail)?;
            let into = args.into.as_deref();
            evaluate::write_merged(
                &report,
                inputs,
                (&form, &args.parts, into),
                args.fail_above,
                console,
            )
        }
        Merged::Link(mut report, provenance) => {
            if args.into.is_some() {
                return Err(Error::usage(
                    "--into is for the parts of a plan: attacks have one report",
                )
                .remedy("Name its file by -o")
                .into());
            }
            link::write_merged(
                &mut report,
                &provenance,
                (&form, &args.parts, detail),
                [args.fail_above, args.fail_above_extremes],
                console,
            )
        }
    }
}

impl MergeArgs {
    /// Refuses what 'evaluate' does not have either.
    fn refuse_options_of_attacks(&self, detail: Detail) -> Result<()> {
        let option = match detail {
            Detail::Brief => "--brief",
            Detail::Explained => "--explain",
            Detail::Usual if self.fail_above_extremes.is_some() => "--fail-above-extremes",
            Detail::Usual => return Ok(()),
        };
        Err(Error::usage(format!(
            "{option} is for the parts of attacks, and these are parts of a plan"
        ))
        .remedy("Leave it out"))
    }
}
