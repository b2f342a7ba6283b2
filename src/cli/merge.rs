//! `sdcrisk merge`: the parts that several machines made of a plan, of attacks or of a masking become what one run makes.

use std::{env, path::PathBuf};

use clap::Args;

use super::{
    Ending,
    args::{DetailArgs, Format, OutputArgs, ReportArgs, rate_limit, read_text},
    console::Console,
    evaluate,
    files::{self, Plan, Privacy, STANDARD, fingerprint, keep_all},
    link, provenance,
};
use crate::{
    error::{Error, Result},
    jobs::merge::{self, Merged},
    report::part::{Columns, Part, PartInput},
    table::pieces,
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
  sdcrisk mask rankswap --p 5 --seed 1 --shard 1/2 -o cols1.json in.csv
  sdcrisk mask rankswap --p 5 --seed 1 --shard 2/2 -o cols2.json in.csv
  sdcrisk merge cols1.json cols2.json --statement masked.sdc.json -o masked.csv

The report, or the masked file, is that of the call without --shard in one run, byte for byte, whatever the number and the order
of the parts.
Parts that are missing, there twice, damaged, of another call, of other files or of another version are refused by name.
A part of a plan holds the seeds of the masked files, one of an attack says which records are found: both are private. See docs/scale.md.

Exit status: that of the one run: 0 done, 4 a search was stopped before its proof, 10 a rate is above --fail-above.")]
pub struct MergeArgs {
    /// All parts of a plan or of a call of link or mask, in any order; one of them can be - for standard input
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
    /// Of a masking: write what may be published about it (JSON)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    statement: Option<PathBuf>,
}

pub fn run(args: &MergeArgs, console: &Console) -> anyhow::Result<Ending> {
    let form = ReportArgs {
        format: args.format.unwrap_or(Format::Text),
        to: args.to.clone(),
    };
    let parts = console.stage("read", || -> Result<Vec<_>> {
        let read = |path: &PathBuf| {
            let name = files::name_of(path);
            let part = Part::parse(&name, &read_text(path)?)?;
            Ok((name, part))
        };
        args.parts.iter().map(read).collect()
    })?;
    warn_of_builds(&parts, console)?;
    // A report of one run that was asked for in a form says so.
    let form_of = args.format.map(Format::word);
    match merge::run(parts, form_of)? {
        Merged::Evaluate(report, inputs) => {
            args.refuse_all_but(&["--format", "--into", "--fail-above"], "a plan")?;
            let into = args.into.as_deref();
            evaluate::write_merged(
                &report,
                inputs,
                (&form, &args.parts, into),
                args.fail_above,
                console,
            )
        }
        Merged::Link(mut report, origin) => {
            let own = [
                "--format",
                "--fail-above",
                "--fail-above-extremes",
                "--brief",
                "--explain",
            ];
            args.refuse_all_but(&own, "attacks")?;
            let detail = args.detail.detail(form.format, console)?;
            link::write_merged(
                &mut report,
                &origin,
                (&form, &args.parts, detail),
                [args.fail_above, args.fail_above_extremes],
                console,
            )
        }
        Merged::Mask(file) => {
            args.refuse_all_but(&["--statement"], "a masking")?;
            console.stage("write", || args.write_masked(&file))?;
            Ok(Ending::Done)
        }
    }
}

impl MergeArgs {
    /// Refuses options that the call of which these are the parts does not have.
    fn refuse_all_but(&self, own: &[&str], what: &str) -> Result<()> {
        let [brief, explain] = self.detail.given();
        let given = [
            ("--format", self.format.is_some()),
            ("--into", self.into.is_some()),
            ("--fail-above", self.fail_above.is_some()),
            ("--fail-above-extremes", self.fail_above_extremes.is_some()),
            ("--brief", brief),
            ("--explain", explain),
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

    /// Writes a masked file, and its statement.
    fn write_masked(&self, file: &Columns) -> Result<()> {
        let to = &self.to.output;
        let mut plan = Plan::default();
        self.parts.iter().try_for_each(|part| plan.input(part))?;
        if files::is_parquet_name(to) {
            return Err(Error::usage("parts are joined as CSV, not as Parquet")
                .in_file(files::name_of(to))
                .remedy("Name a CSV file, or mask in one run: 'mask' writes Parquet"));
        }
        plan.output(to)?;
        if let Some(path) = &self.statement {
            plan.output(path)?;
        }
        let mut table = plan.open(to, Privacy::Ordinary)?;
        let statement = self.statement.as_deref();
        let mut statement = statement
            .map(|path| plan.open(path, Privacy::Ordinary))
            .transpose()?;
        if let Some(output) = &mut statement {
            output.write_text(&file.statement.to_json())?;
        }
        table.write(|out| pieces::write_joined(&file.frame, &file.columns, out))?;
        keep_all(statement.into_iter().chain([table]))
    }
}

/// A part as text, with the build of this program in it, and what tells its call from others.
pub(super) fn text_of(part: Part) -> String {
    let own = env::current_exe()
        .ok()
        .and_then(|own| files::read(&own).ok());
    Part {
        build: own.map(|bytes| fingerprint(&bytes)),
        words: Some(provenance::fingerprint_of_words()),
        ..part
    }
    .to_json()
}

/// Versions are compared by the job. Development builds have one version, and builds for other processors may round otherwise.
fn warn_of_builds(parts: &[(String, Part)], console: &Console) -> Result<()> {
    let builds = || {
        parts
            .iter()
            .filter_map(|(name, part)| Some((name, part.build.as_ref()?)))
    };
    let Some((first, build)) = builds().next() else {
        return Ok(());
    };
    match builds().find(|(_, other)| *other != build) {
        None => Ok(()),
        Some((name, _)) => console.warn(&format!(
            "{name} was made by another build of version {} of the program than {first}: take one program for all parts, unless \
             you know that both compute the same",
            env!("CARGO_PKG_VERSION")
        )),
    }
}

/// Every file that was read, as parts have it.
pub(super) fn fingerprints(inputs: &[PathBuf]) -> Result<Vec<PartInput>> {
    let of_file = |path: &PathBuf| {
        let name = files::name_of(path);
        if path.as_os_str() == STANDARD {
            return Err(Error::usage(
                "standard input can be read only once, and --shard reads each file again",
            )
            .remedy("Name a file"));
        }
        let sha256 = files::fingerprint_of(path)?;
        Ok(PartInput { name, sha256 })
    };
    inputs.iter().map(of_file).collect()
}
