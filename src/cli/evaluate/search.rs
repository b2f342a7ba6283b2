//! `sdcrisk search`: the masking with the least loss among those that keep the strongest attack below a limit.

use std::path::{Path, PathBuf};

use super::{
    Ending,
    journal::Header,
    open::{Course, Started},
    outputs::Results,
    tell_what_il_misses, warn_of_doubts,
};
use crate::{
    cli::{console::Console, files, merge, provenance},
    evaluate::shard::Shard,
    jobs::{evaluate::Journal, search::Search},
    options::{
        output::{Format, ReportArgs},
        search::SearchArgs,
        words::{Asker, Words},
    },
    report::{
        evaluate::{self, EvaluateReport},
        part::PartInput,
        search::SearchReport,
    },
};

pub fn run(args: &SearchArgs, console: &Console) -> anyhow::Result<Ending> {
    let request = args.request();
    let written = args.plan.read()?;
    args.check(&written.plan, &written.name)?;
    let asked = sum_of(
        &written.sha256,
        (request.risk_at_most, &request.loss),
        args.shard,
    );
    let plan = request.completed(written.plan, console);
    let places = args.plan.places()?;
    let words = Words {
        asker: Asker::Plan,
        plan: &written.name,
        places: &places,
    };
    let (opened, grid) = (args.plan).open(words, &places, plan, &Course::OneByOne, console)?;
    let shard = args.shard.unwrap_or_default();
    let mut search = Search::new((request, shard), grid, &words)?;
    let header = opened.header(asked, search.grid())?;
    let inputs = opened.inputs((&written.name, &written.sha256), &header);
    let to = args.report.of_plan(args.shard);
    let Started {
        results,
        journal,
        done,
    } = opened.start(header, search.grid(), to, console)?;
    let journal = journal.as_ref().map(|journal| journal as &dyn Journal);
    if !search.run(done, journal, console)? {
        args.plan.note_stopped(console);
        return Ok(Ending::Stopped);
    }
    let provenance = provenance::of(&search.grid().tables());
    if args.shard.is_some() {
        warn_of_doubts(&evaluate::warnings(&search.rows()), console)?;
        let part = search.part(inputs, provenance);
        console.stage("write", || results.write_part(&merge::text_of(part)))?;
        return Ok(Ending::Done);
    }
    let (report, grid) = search.reports(provenance);
    finish((&report, &grid), results, args.report.format, console)
}

/// SHA-256 of all that a search is asked for. A part numbers its own masked files, so its journal is that of no other part.
fn sum_of(plan: &str, (limit, loss): (f64, &str), shard: Option<Shard>) -> String {
    let part = shard.map(|shard| format!(" {shard}")).unwrap_or_default();
    files::fingerprint(format!("{plan}\n{limit} {loss}{part}").as_bytes())
}

/// Writes the reports that parts make, made of these inputs, where one run would write them.
pub fn write_merged(
    (report, grid): (&SearchReport, &EvaluateReport),
    inputs: Vec<PartInput>,
    (form, parts, into): (&ReportArgs, &[PathBuf], Option<&Path>),
    console: &Console,
) -> anyhow::Result<Ending> {
    let asked = |plan: String| sum_of(&plan, (report.risk_at_most, &report.loss), None);
    let header = Header::of_parts(inputs, &report.plan, asked);
    let originals = report.files.len();
    let (results, _journal) = Results::of_parts(header, (parts, into), form, originals)?;
    finish((report, grid), results, form.format, console)
}

/// Says what is to be said of a search, and writes its report in this form.
fn finish(
    (report, grid): (&SearchReport, &EvaluateReport),
    results: Results,
    format: Format,
    console: &Console,
) -> anyhow::Result<Ending> {
    warn_of_doubts(&report.warnings, console)?;
    tell_what_il_misses(&grid.rows, console);
    console.stage("write", || {
        let content = match format {
            Format::Text => report.to_text(),
            Format::Json => report.to_json(),
            Format::Csv => report.to_csv()?,
        };
        results.write(grid, &content)
    })?;
    Ok(
        match (report.best.len() < report.files.len(), report.status) {
            (true, _) => Ending::AboveLimit,
            (false, status) => Ending::of(status),
        },
    )
}
