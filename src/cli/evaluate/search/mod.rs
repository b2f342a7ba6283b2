//! `sdcrisk search`: the masking with the least loss among those that keep the strongest attack below a limit.

mod answer;
mod candidate;

use std::{collections::BTreeMap, path::PathBuf};

use anyhow::Context;
use clap::Args;

use super::{
    Ending, Found, Header, Journal, Places, Results, experiment::Experiment, fingerprint,
    first_seed, journal_of, note_stopped, refuse_seeds_beyond, tell_what_il_misses,
    warn_of_drawn_seeds, work,
};
use crate::{
    cli::{
        args::{self, Format, ReportArgs, rate_limit},
        console::Console,
        files,
    },
    evaluate::{
        grid::Row,
        plan::{Plan, PlannedAttack, PlannedOption},
        search::{Next, Request, Trial},
    },
};
use candidate::{Candidate, candidates};

/// Masked files of a setting of a method that draws, where the plan does not say.
const USUAL_REPEATS: u32 = 5;

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
    /// The plan; - is standard input
    #[arg(value_name = "PLAN.toml")]
    plan: PathBuf,
    /// The most that the strongest attack may link: 5% or 0.05
    #[arg(long, value_name = "RATE", value_parser = rate_limit)]
    risk_at_most: f64,
    /// The loss to be small: a key of 'sdcrisk loss'
    #[arg(long, value_name = "KEY", default_value = "il")]
    loss: String,
    /// Keep everything in this folder, and continue what is there: journal.jsonl, rows.csv, results.json, map.svg, report.html
    #[arg(long, value_name = "FOLDER")]
    into: Option<PathBuf>,
    /// Where else to look for the files that the plan names
    #[arg(long, value_name = "FOLDER")]
    data: Option<PathBuf>,
    #[command(flatten)]
    report: ReportArgs,
}

pub fn run(args: &SearchArgs, console: &Console) -> anyhow::Result<Ending> {
    let name = files::name_of(&args.plan);
    let text = args::read_text(&args.plan)?;
    let plan = completed(Plan::parse(&name, &text)?, args, console);
    let journal_path = args.into.as_deref().map(journal_of);
    let mut found = match &journal_path {
        Some(path) => Found::read(path)?,
        None => Found::default(),
    };
    let seed = first_seed(&plan, &found).context("a random seed is needed")?;
    let places = Places::new(&args.plan, args.data.as_deref())?;
    // Without its maskings: they are made one by one.
    let mut experiment = Experiment::new(
        &Plan {
            masks: Vec::new(),
            ..plan.clone()
        },
        &name,
        &places,
        (seed, false),
        console,
    )?;
    let mut looking = candidates(&plan, &experiment);
    for candidate in &mut looking {
        candidate.settle(&mut experiment, (&plan, &places, seed))?;
    }
    // Of a method's own options, which files they name is known now.
    experiment.inputs = places.found();
    let asked = format!("{text}\n{} {}", args.risk_at_most, args.loss);
    let header = Header::new(
        fingerprint(asked.as_bytes()),
        experiment.fingerprints()?,
        seed,
    );
    if let Some(path) = &journal_path {
        found.check(path, &header)?;
    }
    refuse_seeds_beyond(&experiment, seed, &name)?;
    warn_of_drawn_seeds(&plan, &experiment, args.into.is_some(), console);

    let into = args.into.as_deref();
    let results = Results::planned((&args.plan, into), &args.report, &experiment)?;
    let journal = results.journal(&mut found, &header)?;
    let mut search = Search {
        plan: &plan,
        places: &places,
        seed,
        limit: args.risk_at_most,
        loss: &args.loss,
        experiment,
        candidates: looking,
        rows: BTreeMap::new(),
        earlier: std::mem::take(&mut found.rows),
        journal,
    };
    if !search.run(console)? {
        note_stopped(into, console);
        return Ok(Ending::Stopped);
    }
    let report = search.report(args);
    for warning in &report.warnings {
        console.warn(&warning.text())?;
    }
    // All settings that were tried.
    let grid = (search.experiment).report(&plan, search.rows.values().cloned().collect());
    tell_what_il_misses(&grid.rows, console);
    console.stage("write", || {
        let content = match args.report.format {
            Format::Text => report.to_text(),
            Format::Json => report.to_json(),
            Format::Csv => report.to_csv()?,
        };
        results.write(&header, &grid, &content)
    })?;
    Ok(
        match (report.best.len() < report.files.len(), report.status) {
            (true, _) => Ending::AboveLimit,
            (false, status) => Ending::of(status),
        },
    )
}

/// The plan with what it leaves to the search: attacks, the loss, how many files.
fn completed(mut plan: Plan, args: &SearchArgs, console: &Console) -> Plan {
    if plan.attacks.is_empty() {
        plan.attacks = strongest_attacks();
    }
    let lacks = |method: &&str| !plan.attacks.iter().any(|attack| attack.method == **method);
    let lacking: Vec<&str> = ["likelihood", "involution"]
        .into_iter()
        .filter(lacks)
        .collect();
    if !lacking.is_empty() {
        console.note(&format!(
            "note: the plan does not run {}, which may link more: the limit holds for weaker intruders only",
            lacking.join(" and ")
        ));
    }
    if !plan.losses.contains(&args.loss) {
        plan.losses.push(args.loss.clone());
    }
    for file in &mut plan.files {
        file.repeats.get_or_insert(USUAL_REPEATS);
    }
    plan
}

/// What an intruder tries who has read everything.
fn strongest_attacks() -> Vec<PlannedAttack> {
    let attack = |method: &str, assign: Option<&str>| PlannedAttack {
        name: method.into(),
        method: method.into(),
        line: 1,
        known: None,
        options: (assign.into_iter())
            .map(|how| PlannedOption {
                name: "assign".into(),
                value: how.into(),
                line: 1,
            })
            .collect(),
    };
    vec![
        attack("am", None),
        attack("prl", None),
        attack("rsld", None),
        attack("microagg", None),
        attack("involution", None),
        attack("likelihood", Some("balanced")),
    ]
}

/// A search under way.
struct Search<'a> {
    plan: &'a Plan,
    places: &'a Places,
    seed: u64,
    limit: f64,
    loss: &'a str,
    experiment: Experiment,
    candidates: Vec<Candidate>,
    /// What was found, by the number of the cell.
    rows: BTreeMap<usize, Row>,
    /// What a journal holds.
    earlier: BTreeMap<usize, Row>,
    journal: Option<Journal>,
}

impl Search<'_> {
    /// Goes on until every masking has its answer; `false` if somebody pressed Ctrl-C before.
    ///
    /// Cells are numbered in the order in which they are asked for, which depends on nothing but the plan, the files and the seed: a
    /// journal that is continued has the same numbers.
    fn run(&mut self, console: &Console) -> anyhow::Result<bool> {
        for round in 1.. {
            let asked = self.ask()?;
            if asked.is_empty() {
                return Ok(true);
            }
            let open = (self.candidates.iter()).filter(|candidate| candidate.outcome.is_none());
            console.progress(&format!(
                "round {round}: {} masked files done, {} maskings open",
                self.rows.len(),
                open.count()
            ));
            self.experiment.cells.extend(asked);
            let mut done = self.rows.clone();
            for cell in self.rows.len()..self.experiment.cells.len() {
                if let Some(row) = self.earlier.remove(&cell) {
                    done.insert(cell, row);
                }
            }
            let course = work::Course {
                seed: self.seed,
                shows_seed: self.plan.seed.is_some(),
                done,
                journal: self.journal.as_ref(),
            };
            let Some(rows) = work::rows(&self.experiment, course, console)? else {
                return Ok(false);
            };
            self.rows = rows.into_iter().enumerate().collect();
        }
        Ok(true)
    }

    /// The masked files that are needed next, and the answers that need none.
    fn ask(&mut self) -> anyhow::Result<Vec<(usize, u32)>> {
        let trials = self.trials();
        let mut asked = Vec::new();
        for candidate in &mut self.candidates {
            if candidate.outcome.is_some() {
                continue;
            }
            let tried = |value: f64| trials.get(&candidate.tried(value)?);
            match candidate.next(self.limit, tried) {
                Next::Found(value) => candidate.outcome = Some(Some(value)),
                Next::Nowhere => candidate.outcome = Some(None),
                Next::Look(requests) => {
                    for Request { value, runs } in requests {
                        let of = (self.plan, self.places, self.seed);
                        let setting = candidate.setting(value, &mut self.experiment, of)?;
                        let done = trials.get(&setting).map_or(0, |trial| trial.runs);
                        asked.extend((done..runs).map(|run| (setting, run)));
                    }
                }
            }
        }
        Ok(asked)
    }

    /// What is known of each setting that was tried.
    fn trials(&self) -> BTreeMap<usize, Trial> {
        let mut rows: BTreeMap<usize, Vec<&Row>> = BTreeMap::new();
        for row in self.rows.values() {
            rows.entry(row.setting).or_default().push(row);
        }
        rows.into_iter()
            .map(|(setting, rows)| {
                let all = self.experiment.settings[setting].runs;
                (setting, Trial::of(&rows, all, self.loss))
            })
            .collect()
    }
}
