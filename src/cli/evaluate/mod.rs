//! `sdcrisk evaluate`: the grid of method, parameters, seed, attack and knowledge, and the map of risk and loss.

mod cell;
mod experiment;
mod journal;
mod options;
mod original;
mod outputs;
mod places;
pub mod search;
mod work;

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use sha2::{Digest, Sha256};

use super::{
    Ending,
    args::{self, Format, ReportArgs, rate_limit},
    console::Console,
    files, pair,
};
use crate::{
    error::{Error, Result},
    evaluate::{grid::Row, plan::Plan, summary},
    report::{evaluate::EvaluateReport, text},
    rng::Seed,
};
use experiment::Experiment;
use journal::{Found, Header, Journal};
use outputs::Results;
use places::Places;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  sdcrisk evaluate plan.toml
  sdcrisk evaluate plan.toml --into results --data ~/census --threads 4
  sdcrisk evaluate plan.toml --format csv -o rows.csv

A plan (TOML) says which files are masked how, and attacked how:
  original = \"census.csv\"
  attributes = \"1-13\"
  known = \"sweep:7\"
  repeats = 5                              # masked files per setting, each with its own seed
  attacks = [\"rsld\", \"am\", { method = \"prl\", name = \"pld\", fit = \"known\", agree = \"sd:0.1\" }]
  losses = [\"il\", \"pil\", \"sse_sst\"]
  risks = [\"interval_disclosure_rank\"]
  [[mask]]
  method = \"rankswap\"
  p = [2, 4, 6, 8, 10]                     # the keys are the long options of 'mask METHOD'; a list is a grid
  [[mask]]
  method = \"microagg\"
  k = [3, 5, 10]
More keys: seed (of the first masked file; the next ones follow it), title, [[file]] (several originals, each with
original, attributes, known, repeats, records), how files are read (delimiter, roles, ...), and [[published]] figures
to stand beside the measured ones. Files are looked for beside the plan, in the current folder, and in --data.

With --into, a run that was stopped or killed continues where it was, and gives the same files as one that was not.

Exit status: 0 done, 4 a search was stopped before its proof, 10 an attack's mean rate is above --fail-above.")]
pub struct EvaluateArgs {
    /// The plan; - is standard input
    #[arg(value_name = "PLAN.toml")]
    plan: PathBuf,
    /// Keep everything in this folder, and continue what is there: journal.jsonl, rows.csv, results.json, map.svg, report.html
    #[arg(long, value_name = "FOLDER")]
    into: Option<PathBuf>,
    /// Where else to look for the files that the plan names
    #[arg(long, value_name = "FOLDER")]
    data: Option<PathBuf>,
    /// Leave out originals that are not there, instead of failing
    #[arg(long)]
    skip_missing: bool,
    #[command(flatten)]
    report: ReportArgs,
    /// End with exit status 10 when the mean rate of an attack is above this: 5% or 0.05
    #[arg(long, value_name = "RATE", value_parser = rate_limit, help_heading = "Output")]
    fail_above: Option<f64>,
}

pub fn run(args: &EvaluateArgs, console: &Console) -> anyhow::Result<Ending> {
    let name = files::name_of(&args.plan);
    let text = args::read_text(&args.plan)?;
    let plan = Plan::parse(&name, &text)?;
    let journal_path = args.into.as_deref().map(journal_of);
    args.refuse_without_attacks(&plan)?;
    refuse_ranges(&plan, &name)?;
    let mut found = match &journal_path {
        Some(path) => Found::read(path)?,
        None => Found::default(),
    };
    let seed = first_seed(&plan, &found).context("a random seed is needed")?;
    let places = Places::new(&args.plan, args.data.as_deref())?;
    let experiment = Experiment::new(&plan, &name, &places, (seed, args.skip_missing), console)?;
    let header = Header::new(
        fingerprint(text.as_bytes()),
        experiment.fingerprints()?,
        seed,
    );
    if let Some(path) = &journal_path {
        found.check(path, &header)?;
    }
    refuse_seeds_beyond(&experiment, seed, &name)?;
    warn_of_published(&plan, &experiment, console);
    warn_of_drawn_seeds(&plan, &experiment, args.into.is_some(), console);

    let into = args.into.as_deref();
    let results = Results::planned((&args.plan, into), &args.report, &experiment)?;
    let journal = results.journal(&mut found, &header)?;
    if journal.is_none() {
        console.note(&format!(
            "note: {} masked files; a run that is stopped leaves nothing (--into FOLDER keeps what is done, and continues)",
            experiment.cells.len()
        ));
    }
    note_continued(&found, experiment.cells.len(), console);
    let Some(rows) = work::rows(
        &experiment,
        work::Course {
            seed,
            shows_seed: plan.seed.is_some(),
            done: found.rows,
            journal: journal.as_ref(),
        },
        console,
    )?
    else {
        note_stopped(into, console);
        return Ok(Ending::Stopped);
    };
    let report = experiment.report(&plan, rows);
    for warning in &report.warnings {
        console.warn(&warning.text())?;
    }
    // The text report says them itself.
    let is_for_programs = args.report.format != Format::Text;
    for note in report.notes().iter().filter(|_| is_for_programs) {
        console.note(note);
    }
    tell_what_il_misses(&report.rows, console);
    console.stage("write", || {
        let content = match args.report.format {
            Format::Text => report.to_text(),
            Format::Json => report.to_json(),
            Format::Csv => report.to_csv()?,
        };
        results.write(&header, &report, &content)
    })?;
    args.ending(&report, console)
}

impl EvaluateArgs {
    /// A gate that nothing can close is open.
    fn refuse_without_attacks(&self, plan: &Plan) -> Result<()> {
        if self.fail_above.is_none() || !plan.attacks.is_empty() {
            return Ok(());
        }
        Err(Error::usage(
            "--fail-above has no effect: the plan has no attack, and it looks at the rates of attacks",
        )
        .remedy("Add attacks = [\"am\"] to the plan, or leave --fail-above out"))
    }

    fn ending(&self, report: &EvaluateReport, console: &Console) -> anyhow::Result<Ending> {
        let otherwise = Ending::of(report.status);
        let Some(limit) = self.fail_above else {
            return Ok(otherwise);
        };
        let highest = || {
            report
                .settings
                .iter()
                .map(|setting| setting.measures.highest_rate())
        };
        let without = highest().filter(Option::is_none).count();
        if without == report.settings.len() {
            return Err(Error::input(
                "no attack of the plan was run on any masked file, so --fail-above has nothing to look at",
            )
            .remedy("Add an attack that applies to these methods, such as \"am\", or leave --fail-above out")
            .into());
        }
        if without > 0 {
            console.note(&format!(
                "note: --fail-above could not look at {without} of {} settings: no attack was run on them",
                report.settings.len()
            ));
        }
        let above = (report.settings.iter())
            .filter_map(|setting| Some((&setting.setting, setting.measures.highest_rate()?)))
            .filter(|&(_, rate)| rate > limit);
        let mut ending = otherwise;
        for (setting, rate) in above {
            ending = Ending::AboveLimit;
            console.note(&format!(
                "note: the highest rate of {} of {} is {}, above {}",
                setting.label,
                setting.file,
                text::percent(rate),
                text::percent(limit)
            ));
        }
        if ending != Ending::AboveLimit {
            let names = (report.warnings.iter()).map(|warning| &warning.doubt.attribute[..]);
            pair::warn_of_open_gate(names, console)?;
        }
        Ok(ending)
    }
}

fn note_stopped(into: Option<&Path>, console: &Console) {
    console.note(&match into {
        Some(into) => format!(
            "stopped; what is done is in {}: the same call continues",
            into.display()
        ),
        None => "stopped; nothing is kept (--into FOLDER would have)".into(),
    });
}

fn journal_of(folder: &Path) -> PathBuf {
    folder.join("journal.jsonl")
}

/// Inside a range nothing says where to look, but a limit of risk.
fn refuse_ranges(plan: &Plan, name: &str) -> Result<()> {
    let Some(range) = plan.masks.iter().find_map(|mask| mask.range.as_ref()) else {
        return Ok(());
    };
    Err(
        Error::input(format!("{} is a range, and a grid has values", range.name))
            .in_file(name)
            .at_line(range.line)
            .remedy(
                "Write a list, or let 'sdcrisk search --risk-at-most 5%' look inside the range",
            ),
    )
}

fn note_continued(found: &Found, of: usize, console: &Console) {
    let done = found.rows.len();
    if done > 0 {
        console.note(&format!(
            "note: {done} of {of} masked files are in the journal; {} are left",
            of.saturating_sub(done)
        ));
    }
}

/// The seed of the first masked file: that of the plan, of the journal that is continued, or a new one.
fn first_seed(plan: &Plan, found: &Found) -> Result<u64> {
    match (plan.seed, &found.header) {
        (Some(seed), _) => Ok(seed),
        (None, Some(header)) => Ok(header.seed),
        (None, None) => Seed::number_from_system(),
    }
}

fn refuse_seeds_beyond(experiment: &Experiment, seed: u64, name: &str) -> Result<()> {
    let most = experiment
        .settings
        .iter()
        .map(|masking| masking.runs)
        .max()
        .unwrap_or(1);
    match seed.checked_add(u64::from(most)) {
        Some(_) => Ok(()),
        None => Err(
            Error::input("seed is so large that the next ones cannot be counted")
                .in_file(name)
                .remedy("Give a smaller one"),
        ),
    }
}

/// A published figure that stands beside nothing is a mistake in the plan, if all originals are there.
fn warn_of_published(plan: &Plan, experiment: &Experiment, console: &Console) {
    for published in &plan.published {
        let about = |masking: &experiment::Masking| summary::is_about(published, &masking.setting);
        if experiment.missing.is_empty() && !experiment.settings.iter().any(about) {
            console.note(&format!(
                "note: [[published]] of line {} is about no setting of the plan",
                published.line
            ));
        }
    }
}

/// Where IL does not see all that changed there is no score.
fn tell_what_il_misses(rows: &[Row], console: &Console) {
    let partial: Vec<&Row> = (rows.iter())
        .filter(|row| !row.not_in_il.is_empty())
        .collect();
    let Some(first) = partial.first() else {
        return;
    };
    console.note(&format!(
        "note: {} of {} masked files have no IL and no score, and stand on the map and the Pareto front only if its loss is 'changed' or 'suppressed': attributes that changed and are not numbers in both files ({}) are not in IL",
        partial.len(),
        rows.len(),
        first.not_in_il.join(", ")
    ));
}

/// Masked files whose seeds nobody knows cannot be made again.
fn warn_of_drawn_seeds(plan: &Plan, experiment: &Experiment, is_kept: bool, console: &Console) {
    if plan.seed.is_none() && experiment.settings.iter().any(|masking| masking.is_random) {
        console.note(&format!(
            "note: the plan states no seed: seeds are drawn, and kept {}; seed = 1 at the top of the plan makes the masked files repeatable",
            if is_kept { "in the journal only" } else { "nowhere" }
        ));
    }
}

fn fingerprint(bytes: &[u8]) -> String {
    use std::fmt::Write;
    Sha256::digest(bytes)
        .iter()
        .fold(String::new(), |mut text, byte| {
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
}

impl Experiment {
    /// SHA-256 of every file that was read.
    fn fingerprints(&self) -> Result<Vec<String>> {
        let contents = self.inputs.iter().map(|path| files::read(path));
        contents.map(|content| Ok(fingerprint(&content?))).collect()
    }
}
