//! `sdcrisk search`: the masking with the least loss among those that keep the strongest attack below a limit.

use super::{
    Ending,
    open::{Course, Started},
    tell_what_il_misses,
};
use crate::{
    cli::{console::Console, provenance},
    jobs::{evaluate::Journal, search::Search},
    options::{
        output::Format,
        search::SearchArgs,
        words::{Asker, Words},
    },
};

pub fn run(args: &SearchArgs, console: &Console) -> anyhow::Result<Ending> {
    let request = args.request()?;
    let written = args.plan.read()?;
    let asked = format!(
        "{}\n{} {}",
        written.text, request.risk_at_most, request.loss
    );
    let plan = request.completed(written.plan, console);
    let places = args.plan.places()?;
    let words = Words {
        asker: Asker::Plan,
        plan: &written.name,
        places: &places,
    };
    let (opened, grid) = (args.plan).open(words, &places, plan, &Course::OneByOne, console)?;
    let mut search = Search::new(request, grid, &words)?;
    let header = opened.header(&asked, search.grid())?;
    let Started {
        results,
        journal,
        done,
    } = opened.start(header, search.grid(), args.report.of_plan(), console)?;
    let journal = journal.as_ref().map(|journal| journal as &dyn Journal);
    if !search.run(done, journal, console)? {
        args.plan.note_stopped(console);
        return Ok(Ending::Stopped);
    }
    let (mut report, mut grid) = (search.report(), search.grid_report());
    let provenance = provenance::of(&search.grid().tables());
    report.provenance = Some(provenance.clone());
    grid.provenance = Some(provenance);
    for warning in &report.warnings {
        console.warn(&warning.text())?;
    }
    tell_what_il_misses(&grid.rows, console);
    console.stage("write", || {
        let content = match args.report.format {
            Format::Text => report.to_text(),
            Format::Json => report.to_json(),
            Format::Csv => report.to_csv()?,
        };
        results.write(&grid, &content)
    })?;
    Ok(
        match (report.best.len() < report.files.len(), report.status) {
            (true, _) => Ending::AboveLimit,
            (false, status) => Ending::of(status),
        },
    )
}
