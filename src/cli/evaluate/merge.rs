//! `sdcrisk merge`: the parts that several machines made of a plan become the report of one run.

use std::path::PathBuf;

use clap::Args;

use super::{
    finish,
    journal::{Found, Header, journal_of},
    outputs::Results,
    refuse_gate_without_attacks,
};
use crate::{
    cli::{
        Ending,
        args::{Format, OutputArgs, ReportArgs, rate_limit, read_text},
        console::Console,
        files::name_of,
    },
    error::Result,
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

The report is that of 'sdcrisk evaluate plan.toml' in one run, byte for byte, whatever the number and the order of the parts.
Parts that are missing, there twice, damaged, of another call, of other files or of another version are refused by name.
A part holds the seeds of the masked files and is as private as they are. See docs/scale.md.

Exit status: that of the one run: 0 done, 4 a search was stopped before its proof, 10 an attack's mean rate is above --fail-above.")]
pub struct MergeArgs {
    /// All parts of a plan, in any order; one of them can be - for standard input
    #[arg(value_name = "PART.json", required = true)]
    parts: Vec<PathBuf>,
    /// Keep everything in this folder, as 'evaluate --into' does: journal.jsonl, rows.csv, results.json, map.svg, report.html
    #[arg(long, value_name = "FOLDER")]
    into: Option<PathBuf>,
    /// Form of the report; text if nothing is said
    #[arg(long, value_enum, help_heading = "Output")]
    format: Option<Format>,
    #[command(flatten)]
    to: OutputArgs,
    /// End with exit status 10 when the mean rate of an attack is above this: 5% or 0.05
    #[arg(long, value_name = "RATE", value_parser = rate_limit, help_heading = "Output")]
    fail_above: Option<f64>,
}

pub fn run(args: &MergeArgs, console: &Console) -> anyhow::Result<Ending> {
    let form = ReportArgs {
        format: args.format.unwrap_or(Format::Text),
        to: args.to.clone(),
    };
    let parts = console.stage("read", || -> Result<Vec<_>> {
        let read = |path: &PathBuf| {
            let name = name_of(path);
            let part = Part::parse(&name, &read_text(path)?)?;
            Ok((name, part))
        };
        args.parts.iter().map(read).collect()
    })?;
    let Merged { mut report, inputs } = merge::run(parts)?;
    refuse_gate_without_attacks(args.fail_above, report.plan.attacks.is_empty())?;
    if let (Some(format), Some(provenance)) = (args.format, &mut report.provenance) {
        provenance.say_format(format.word());
    }
    let mut sums = inputs.into_iter().map(|input| input.sha256);
    let plan = sums.next().unwrap_or_default();
    let header = Header::new(plan, sums.collect(), report.plan.seed.unwrap_or_default());
    let mut found = match &args.into {
        Some(into) => Found::read(&journal_of(into))?,
        None => Found::default(),
    };
    if let Some(into) = &args.into {
        found.check(&journal_of(into), &header)?;
    }
    let into = args.into.as_deref();
    let originals = report.files.len();
    let results = Results::planned(header, (&args.parts, into), form.of_plan(), originals)?;
    // The folder is made, and no other run writes its journal meanwhile.
    let _journal = results.journal(&mut found)?;
    finish(&report, results, (form.format, args.fail_above), console)
}
