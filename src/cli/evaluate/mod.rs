//! `sdcrisk evaluate`: the grid of method, parameters, seed, attack and knowledge, and the map of risk and loss.

mod journal;
mod open;
mod options;
mod original;
mod outputs;
pub mod search;
mod settings;

use std::path::{Path, PathBuf};

use clap::Args;

use super::{
    Ending,
    args::{Format, ReportArgs, rate_limit},
    console::Console,
    files::Privacy,
    merge, pair, provenance,
    words::{Asker, Words},
};
use crate::{
    error::{Error, Result},
    evaluate::{
        grid::Row,
        plan::{Plan, Published},
        shard::Shard,
        summary,
    },
    jobs::{
        self,
        evaluate::{Grid, Journal},
    },
    report::{
        evaluate::{self, EvaluateReport},
        part::PartInput,
        text,
    },
};
use journal::{Found, Header, journal_of};
use open::{Course, Opened, PlanArgs, Started};
use outputs::Results;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  sdcrisk evaluate plan.toml
  sdcrisk evaluate plan.toml --into results --data ~/census --threads 4
  sdcrisk evaluate plan.toml --format csv -o rows.csv
  sdcrisk evaluate plan.toml --shard 2/4 -o part2.json       # on the second of four machines; then merge

A plan (TOML) lists how files are masked, and how the masked files are attacked:
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

With --shard, one of several machines does its part of the masked files, and 'sdcrisk merge' makes the report of one run of
the parts (docs/scale.md). A part that continues by --into has a folder of its own, which holds its journal.

Exit status: 0 done, 4 a search was stopped before its proof, 10 an attack's mean rate is above --fail-above.")]
pub struct EvaluateArgs {
    #[command(flatten)]
    plan: PlanArgs,
    /// Leave out originals that are not there, instead of failing
    #[arg(long)]
    skip_missing: bool,
    #[command(flatten)]
    report: ReportArgs,
    /// Do part I of N of the masked files, and write it (JSON) for 'sdcrisk merge'; the plan must state a seed
    #[arg(long, value_name = "I/N", conflicts_with_all = ["format", "fail_above"], help_heading = "Output")]
    shard: Option<Shard>,
    /// End with exit status 10 when the mean rate of an attack is above this: 5% or 0.05
    #[arg(long, value_name = "RATE", value_parser = rate_limit, help_heading = "Output")]
    fail_above: Option<f64>,
}

pub fn run(args: &EvaluateArgs, console: &Console) -> anyhow::Result<Ending> {
    let written = args.plan.read()?;
    refuse_gate_without_attacks(args.fail_above, written.plan.attacks.is_empty())?;
    args.refuse_shard_without_seed(&written.plan, &written.name)?;
    refuse_ranges(&written.plan, &written.name)?;
    let course = Course::AllSettings {
        skip_missing: args.skip_missing,
    };
    let places = args.plan.places()?;
    let words = Words {
        asker: Asker::Plan,
        plan: &written.name,
        places: &places,
    };
    let (opened, grid) = (args.plan).open(words, written.plan, &course, console)?;
    let header = opened.header(&written.text, &grid)?;
    warn_of_published(&grid, &opened, console);
    let shard = args.shard.unwrap_or_default();
    let inputs = opened.inputs(&written.name, &header);
    let to = match args.shard {
        None => args.report.of_plan(),
        // A part holds the seeds.
        Some(_) => (&*args.report.to.output, Privacy::Private),
    };
    let Started {
        results,
        journal,
        done,
    } = opened.start(header, &grid, to, console)?;
    let own: Vec<usize> = shard.of_all(grid.cells.len()).collect();
    if journal.is_none() {
        console.note(&format!(
            "note: {} masked files; a run that is stopped leaves nothing (--into FOLDER keeps what is done, and continues)",
            own.len()
        ));
    }
    let found = own.iter().filter(|&cell| done.contains_key(cell)).count();
    note_continued(found, own.len(), console);
    let journal = journal.as_ref().map(|journal| journal as &dyn Journal);
    let Some(rows) = jobs::evaluate::run((&grid, shard), done, journal, console)? else {
        args.plan.note_stopped(console);
        return Ok(Ending::Stopped);
    };
    let provenance = provenance::of(&grid.tables());
    if args.shard.is_some() {
        warn_of_doubts(&evaluate::warnings(&rows), console)?;
        let part = grid.part(shard, rows, inputs, provenance);
        console.stage("write", || results.write_part(&merge::text_of(part)))?;
        return Ok(Ending::Done);
    }
    let mut report = grid.report(rows);
    report.provenance = Some(provenance);
    finish(
        &report,
        results,
        (args.report.format, args.fail_above),
        console,
    )
}

/// Writes the report that parts make, made of these inputs, where one run would write it.
pub(super) fn write_merged(
    report: &EvaluateReport,
    inputs: Vec<PartInput>,
    (form, parts, into): (&ReportArgs, &[PathBuf], Option<&Path>),
    fail_above: Option<f64>,
    console: &Console,
) -> anyhow::Result<Ending> {
    refuse_gate_without_attacks(fail_above, report.plan.attacks.is_empty())?;
    let mut sums = inputs.into_iter().map(|input| input.sha256);
    let plan = sums.next().unwrap_or_default();
    let header = Header::new(plan, sums.collect(), report.plan.seed.unwrap_or_default());
    let mut found = match into {
        Some(into) => Found::read(&journal_of(into))?,
        None => Found::default(),
    };
    if let Some(into) = into {
        found.check(&journal_of(into), &header)?;
    }
    let results = Results::planned(header, (parts, into), form.of_plan(), report.files.len())?;
    // The folder is made, and no other run writes its journal meanwhile.
    let _journal = results.journal(&mut found)?;
    finish(report, results, (form.format, fail_above), console)
}

/// Says what is to be said of a report, writes it in this form, and holds it against the limit of `--fail-above`.
fn finish(
    report: &EvaluateReport,
    results: Results,
    (format, fail_above): (Format, Option<f64>),
    console: &Console,
) -> anyhow::Result<Ending> {
    warn_of_doubts(&report.warnings, console)?;
    // The text report says them itself.
    let is_for_programs = format != Format::Text;
    for note in report.notes().iter().filter(|_| is_for_programs) {
        console.note(note);
    }
    tell_what_il_misses(&report.rows, console);
    console.stage("write", || {
        let content = match format {
            Format::Text => report.to_text(),
            Format::Json => report.to_json(),
            Format::Csv => report.to_csv()?,
        };
        results.write(report, &content)
    })?;
    ending(report, fail_above, console)
}

fn warn_of_doubts(warnings: &[evaluate::Warning], console: &Console) -> Result<()> {
    (warnings.iter()).try_for_each(|warning| console.warn(&warning.text()))
}

/// A gate that nothing can close is open.
fn refuse_gate_without_attacks(fail_above: Option<f64>, has_no_attack: bool) -> Result<()> {
    if fail_above.is_none() || !has_no_attack {
        return Ok(());
    }
    Err(Error::usage(
        "--fail-above has no effect: the plan has no attack, and it looks at the rates of attacks",
    )
    .remedy("Add attacks = [\"am\"] to the plan, or leave --fail-above out"))
}

impl EvaluateArgs {
    /// Each part would draw seeds of its own, and mask other files than one run.
    fn refuse_shard_without_seed(&self, plan: &Plan, name: &str) -> Result<()> {
        if self.shard.is_none() || plan.seed.is_some() {
            return Ok(());
        }
        Err(Error::usage(
            "states no seed, so each part of --shard would draw its own, and the parts would not fit together",
        )
        .in_file(name)
        .remedy("Write seed = 1 at the top of the plan"))
    }
}

/// How a run ends that has a report.
fn ending(
    report: &EvaluateReport,
    fail_above: Option<f64>,
    console: &Console,
) -> anyhow::Result<Ending> {
    let otherwise = Ending::of(report.status);
    let Some(limit) = fail_above else {
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

fn note_continued(done: usize, of: usize, console: &Console) {
    if done > 0 {
        console.note(&format!(
            "note: {done} of {of} masked files are in the journal; {} are left",
            of.saturating_sub(done)
        ));
    }
}

/// A published figure that stands beside nothing is a mistake in the plan, if all originals are there.
fn warn_of_published(grid: &Grid, opened: &Opened<'_>, console: &Console) {
    let stands_alone = |published: &&Published| {
        let mut settings = grid.settings.iter();
        !settings.any(|masking| summary::is_about(published, &masking.setting))
    };
    let all_are_there = opened.missing.is_empty();
    for published in (grid.plan.published.iter())
        .filter(|_| all_are_there)
        .filter(stands_alone)
    {
        console.note(&format!(
            "note: [[published]] of line {} is about no setting of the plan",
            published.line
        ));
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
        "note: {} of {} masked files have no IL and no score, and stand on the map and the Pareto front only if its loss is 'il_all', 'changed' or 'suppressed': attributes that changed and are not numbers in both files ({}) are not in IL",
        partial.len(),
        rows.len(),
        first.not_in_il.join(", ")
    ));
}
