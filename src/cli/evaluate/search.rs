//! `sdcrisk search`: the masking with the least loss among those that keep the strongest attack below a limit.

use clap::Args;

use super::{
    Ending,
    open::{Course, PlanArgs, Started},
    tell_what_il_misses,
};
use crate::{
    cli::{
        args::{Format, ReportArgs, rate_limit},
        console::Console,
        provenance,
        words::{Asker, Words},
    },
    error::Error,
    evaluate::shard::Shard,
    jobs::{
        evaluate::Journal,
        search::{Search, SearchRequest},
    },
};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  sdcrisk search plan.toml --risk-at-most 5%
  sdcrisk search plan.toml --risk-at-most 5% --loss pil --into results

A plan is that of 'sdcrisk evaluate', with a range where a value is to be found:
  original = \"census.csv\"
  attributes = \"1-13\"
  known = [\"first:3\", \"first:7\"]         # the limit holds for each of them
  repeats = 5                              # masked files per setting that is chosen; fewer where the case is clear
  [[mask]]
  method = \"rankswap\"
  p = { from = 1, to = 40 }
  [[mask]]
  method = \"microagg\"
  k = { from = 2, to = 50 }

The risk of a setting is that of the strongest attack of the plan in its worst scenario: the upper end of the 95 % interval over
masked files. A plan without attacks gets am, prl, rsld, microagg, involution and likelihood (balanced), as far as they apply.
The answer is the value in the range where risk crosses the limit, so risk should rise or fall along the range.

With --into, a search that was stopped or killed continues where it was.

Exit status: 0 a setting was found for every file, 4 a learned distance was stopped before its proof, 10 nothing is below the limit.")]
pub struct SearchArgs {
    /// The most that the strongest attack may link: 5% or 0.05
    #[arg(long, value_name = "RATE", value_parser = rate_limit)]
    risk_at_most: f64,
    /// The loss to be small: a key of 'sdcrisk loss'
    #[arg(long, value_name = "KEY", default_value = "il")]
    loss: String,
    #[command(flatten)]
    plan: PlanArgs,
    #[command(flatten)]
    report: ReportArgs,
    /// What 'evaluate' and 'link' have; refused with the reason
    #[arg(long, value_name = "I/N", hide = true)]
    shard: Option<Shard>,
}

pub fn run(args: &SearchArgs, console: &Console) -> anyhow::Result<Ending> {
    if args.shard.is_some() {
        return Err(Error::usage(
            "a search is not made in parts: which setting it looks at next depends on what it found at the last one",
        )
        .remedy("Evaluate a grid around the limit in parts ('sdcrisk evaluate --shard'), or search with a plan for each method or file on a machine of its own")
        .into());
    }
    let written = args.plan.read()?;
    let request = SearchRequest {
        risk_at_most: args.risk_at_most,
        loss: args.loss.clone(),
    };
    let asked = format!("{}\n{} {}", written.text, args.risk_at_most, args.loss);
    let plan = request.completed(written.plan, console);
    let places = args.plan.places()?;
    let words = Words {
        asker: Asker::Plan,
        plan: &written.name,
        places: &places,
    };
    let (opened, grid) = (args.plan).open(words, plan, &Course::OneByOne, console)?;
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
