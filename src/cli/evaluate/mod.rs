//! `sdcrisk evaluate`: the grid of method, parameters, seed, attack and knowledge, and the map of risk and loss.

mod journal;
mod open;
mod original;
mod outputs;
pub mod search;
mod settings;

use std::path::{Path, PathBuf};

use super::{Ending, console::Console, merge, pair, provenance};
use crate::{
    error::{Error, Result},
    evaluate::{grid::Row, plan::Published, summary},
    jobs::{
        self,
        evaluate::{Grid, Journal},
    },
    options::{
        evaluate::{EvaluateArgs, refuse_gate_without_attacks},
        output::{Format, ReportArgs},
        words::{Asker, Words},
    },
    report::{
        evaluate::{self, EvaluateReport},
        part::PartInput,
        text,
    },
};
use journal::Header;
use open::{Course, Opened, Started};
use outputs::Results;

pub fn run(args: &EvaluateArgs, console: &Console) -> anyhow::Result<Ending> {
    let written = args.plan.read()?;
    args.check(&written.plan, &written.name)?;
    let course = Course::AllSettings {
        skip_missing: args.skip_missing,
    };
    let places = args.plan.places()?;
    let words = Words {
        asker: Asker::Plan,
        plan: &written.name,
        places: &places,
    };
    let (opened, grid) = (args.plan).open(words, &places, written.plan, &course, console)?;
    let header = opened.header(written.sha256.clone(), &grid)?;
    warn_of_published(&grid, &opened, console);
    let shard = args.shard.unwrap_or_default();
    let inputs = opened.inputs((&written.name, &written.sha256), &header);
    let to = args.report.of_plan(args.shard);
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
    let header = Header::of_parts(inputs, &report.plan, |plan| plan);
    let originals = report.files.len();
    let (results, _journal) = Results::of_parts(header, (parts, into), form, originals)?;
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
