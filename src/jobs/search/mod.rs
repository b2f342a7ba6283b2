//! The masking with the least loss among those that keep the strongest attack below a limit.

mod candidate;
mod command;

use std::collections::BTreeMap;

use super::{
    Observer,
    evaluate::{self, Cell, Done, Grid, Journal, Masking},
};
use crate::{
    error::Result,
    evaluate::{
        grid::{Row, Setting},
        plan::{Plan, PlannedAttack, PlannedMask, PlannedOption},
        search::{Next, Request, Trial},
        shard::Shard,
    },
    report::{
        evaluate::EvaluateReport,
        part::{Part, PartInput, Searches, Work},
        provenance::Provenance,
        search::{RangeSummary, SearchReport, Searched, Tried, Wanted},
    },
};
use candidate::{Candidate, Outcome, candidates};

/// Masked files of a setting of a method that draws, where the plan does not say.
const USUAL_REPEATS: u32 = 5;

/// What is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchRequest {
    /// The most that the strongest attack may link: a share of records.
    pub risk_at_most: f64,
    /// The key of the loss that is to be small.
    pub loss: String,
}

impl SearchRequest {
    /// The plan with what it leaves to the search: attacks, the loss, how many files.
    pub fn completed(&self, mut plan: Plan, observer: &dyn Observer) -> Plan {
        if plan.attacks.is_empty() {
            plan.attacks = strongest_attacks();
        }
        let lacks = |method: &&str| !plan.attacks.iter().any(|attack| attack.method == **method);
        let lacking: Vec<&str> = ["likelihood", "involution"]
            .into_iter()
            .filter(lacks)
            .collect();
        if !lacking.is_empty() {
            observer.note(&format!(
                "note: the plan does not run {}, which may link more: the limit holds for weaker intruders only",
                lacking.join(" and ")
            ));
        }
        if !plan.losses.contains(&self.loss) {
            plan.losses.push(self.loss.clone());
        }
        for file in &mut plan.files {
            file.repeats.get_or_insert(USUAL_REPEATS);
        }
        plan
    }
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
                step: 0,
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

/// Makes settings of a plan's maskings: who knows what the words of a plan mean.
pub trait Maker {
    /// A setting of a grid: an original masked in this way, with these options.
    ///
    /// # Errors
    /// Input, when the options make no sense.
    fn masking(
        &self,
        grid: &Grid,
        original: usize,
        mask: &PlannedMask,
        options: &[PlannedOption],
    ) -> Result<Masking>;

    /// Whether the method takes these options.
    fn accepts(
        &self,
        grid: &Grid,
        original: usize,
        mask: &PlannedMask,
        options: &[PlannedOption],
    ) -> bool;
}

/// A search under way.
pub struct Search<'a> {
    request: SearchRequest,
    maker: &'a dyn Maker,
    grid: Grid,
    /// Maskings of the plan, those of other parts included.
    all: usize,
    /// Which of them are searched here.
    shard: Shard,
    candidates: Vec<Candidate>,
    /// What was found, by the number of the cell.
    rows: Done,
    /// The first cell of each round.
    rounds: Vec<usize>,
}

impl<'a> Search<'a> {
    /// A search along the ranges of a grid that has its originals, of the maskings of a shard. Settings are made as they are needed,
    /// but the ends of all ranges at once, so that an invalid plan is refused in the same words whatever the shard.
    ///
    /// # Errors
    /// Input, when the plan asks for what cannot be.
    pub fn new(
        (request, shard): (SearchRequest, Shard),
        mut grid: Grid,
        maker: &'a dyn Maker,
    ) -> Result<Self> {
        let mut candidates = candidates(&grid);
        for candidate in &mut candidates {
            candidate.settle(&mut grid, maker)?;
        }
        let all = candidates.len();
        candidates.retain(|candidate| shard.has(candidate.number));
        Ok(Self {
            request,
            maker,
            grid,
            all,
            shard,
            candidates,
            rows: Done::new(),
            rounds: Vec::new(),
        })
    }

    /// The settings that were made so far.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The answer, and all settings that were tried: once every masking has its answer.
    pub fn reports(&self, provenance: Provenance) -> (SearchReport, EvaluateReport) {
        self.wanted().reports(&self.searched(), provenance)
    }

    /// What was found of the maskings of the shard, as a part that can be merged with the others.
    pub fn part(&self, inputs: Vec<PartInput>, provenance: Provenance) -> Part {
        let searches = Searches {
            wanted: self.wanted(),
            maskings: self.searched(),
        };
        let work = Work::Search(Box::new(searches));
        Part::new(self.shard, inputs, provenance, work)
    }

    /// The masked files that were made, in the order in which they were asked for.
    pub fn rows(&self) -> Vec<Row> {
        self.rows.values().cloned().collect()
    }

    fn wanted(&self) -> Wanted {
        Wanted {
            plan: self.grid.plan_summary(),
            risk_at_most: self.request.risk_at_most,
            loss: self.request.loss.clone(),
            files: self.grid.file_summaries(),
            published: self.grid.plan.published.clone(),
            maskings: self.all,
        }
    }

    fn searched(&self) -> Vec<Searched> {
        let candidates = self.candidates.iter();
        candidates.map(|one| self.searched_of(one)).collect()
    }

    /// What is known of a candidate.
    fn searched_of(&self, candidate: &Candidate) -> Searched {
        let Candidate {
            number,
            original,
            mask,
            options,
            settings,
            outcome,
            ..
        } = candidate;
        let tried = settings.iter().map(|&(value, setting)| {
            let masking = &self.grid.settings[setting];
            Tried {
                value,
                all: masking.runs,
                setting: Setting {
                    setting: 0,
                    ..masking.setting.clone()
                },
            }
        });
        let own = |row: &Row| {
            let mut settings = settings.iter();
            let place = settings.position(|&(_, setting)| setting == row.setting)?;
            Some(Row {
                setting: place,
                ..row.clone()
            })
        };
        let ends = self.rounds.iter().skip(1).copied();
        let ends = ends.chain([self.grid.cells.len()]);
        let rounds = self.rounds.iter().zip(ends).map(|(&begin, end)| {
            let rows = self.rows.range(begin..end);
            rows.filter_map(|(_, row)| own(row)).collect()
        });
        let found = outcome.and_then(Outcome::value);
        let name = &self.grid.originals[*original].name;
        Searched {
            masking: *number,
            original: *original,
            method: mask.method.clone(),
            label: Setting::new(0, name, mask, options).label,
            range: mask.range.as_ref().map(|range| RangeSummary {
                option: mask.key(range.step, &range.name),
                from: range.from,
                to: range.to,
            }),
            found,
            command: found.map(|value| candidate.command(&self.grid, value)),
            tried: tried.collect(),
            rounds: rounds.collect(),
        }
    }

    /// Goes on until every masking has its answer; `false` if it was interrupted before. `earlier` is what a journal holds.
    ///
    /// Cells are numbered in the order in which they are asked for, which depends on nothing but the plan, the files, the seed and the
    /// shard: a journal that is continued has the same numbers.
    ///
    /// # Errors
    /// Those of [`evaluate::run`], and Input for a value inside a range that makes no sense.
    pub fn run(
        &mut self,
        mut earlier: Done,
        journal: Option<&dyn Journal>,
        observer: &dyn Observer,
    ) -> Result<bool> {
        for round in 1.. {
            let asked = self.ask()?;
            if asked.is_empty() {
                break;
            }
            let open = (self.candidates.iter()).filter(|candidate| candidate.outcome.is_none());
            observer.progress(&format!(
                "round {round}: {} masked files done, {} maskings open",
                self.rows.len(),
                open.count()
            ));
            self.rounds.push(self.grid.cells.len());
            self.grid.cells.extend(asked);
            let mut done = self.rows.clone();
            for cell in self.rows.len()..self.grid.cells.len() {
                done.extend(earlier.remove(&cell).map(|row| (cell, row)));
            }
            let Some(rows) =
                evaluate::run((&self.grid, Shard::default()), done, journal, observer)?
            else {
                return Ok(false);
            };
            self.rows = rows.into_iter().enumerate().collect();
        }
        Ok(true)
    }

    /// The masked files that are needed next, and the answers that need none.
    fn ask(&mut self) -> Result<Vec<Cell>> {
        let trials = self.trials();
        let mut asked = Vec::new();
        for candidate in &mut self.candidates {
            if candidate.outcome.is_some() {
                continue;
            }
            let tried = |value: f64| trials.get(&candidate.tried(value)?);
            match candidate.next(self.request.risk_at_most, tried) {
                Next::Found(value) => candidate.outcome = Some(Outcome::Found(value)),
                Next::Nowhere => candidate.outcome = Some(Outcome::Nowhere),
                Next::Look(requests) => {
                    for Request { value, runs } in requests {
                        let setting = candidate.setting(value, &mut self.grid, self.maker)?;
                        let done = trials.get(&setting).map_or(0, |trial| trial.runs);
                        asked.extend((done..runs).map(|run| Cell { setting, run }));
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
                let all = self.grid.settings[setting].runs;
                (setting, Trial::of(&rows, all, &self.request.loss))
            })
            .collect()
    }
}
