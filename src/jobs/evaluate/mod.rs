//! A grid of experiments: originals are masked in every setting by several seeds, measured, and attacked in every way.
//!
//! What a plan's words mean is settled before: a [`Grid`] has its tables, its maskings ready to run, and a request for each attack.

mod cell;
mod original;
mod work;

pub use original::Original;
pub use work::{Done, Journal, run};

use super::{
    link::LinkRequest,
    mask::{Prepared, SecretKey, request::MaskRequest},
};
use crate::{
    error::{Counted, Error, ErrorKind, Result},
    evaluate::{
        grid::{Row, Setting},
        plan::{MAX_MASKED_FILES, Passage, Plan, PlannedOption},
        shard::Shard,
    },
    report::{
        evaluate::{Asked, EvaluateReport, FileSummary, PlanSummary},
        part::{Cells, Part, PartInput, PartRow, Work},
        provenance::Provenance,
    },
    table::Table,
};

/// All that is to be done.
#[derive(Debug)]
pub struct Grid {
    /// The name of the plan, as messages have it.
    pub name: String,
    /// What is to be masked and attacked, as the plan says.
    pub plan: Plan,
    /// The seed of the first masked file of each setting; the next ones follow it.
    pub seed: u64,
    /// The originals, read, in the order of the plan.
    pub originals: Vec<Original>,
    /// The settings, in the order of originals, maskings, and values.
    pub settings: Vec<Masking>,
    /// The masked files.
    pub cells: Vec<Cell>,
}

/// A masked file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    /// The number of its setting.
    pub setting: usize,
    /// Which of the setting it is, from 0.
    pub run: u32,
}

/// A setting, ready to be masked.
#[derive(Debug)]
pub struct Masking {
    /// What reports say of it.
    pub setting: Setting,
    /// Where the plan says so.
    pub line: u64,
    /// The options as the plan has them.
    pub options: Vec<PlannedOption>,
    /// Which original.
    pub original: usize,
    /// Masked files.
    pub runs: u32,
    /// The method of the first step, checked against its original.
    pub method: Prepared,
    /// The steps after it.
    pub later: Vec<LaterStep>,
    /// The attacks on each masked file, in the order of the plan.
    pub attacks: Vec<PlannedLink>,
}

/// A step of a masking after its first: it is checked once there is a file to do it to.
#[derive(Debug)]
pub struct LaterStep {
    /// What is asked for.
    pub request: MaskRequest,
    /// The secret that its noise comes from, if there is one.
    pub key: Option<SecretKey>,
    /// Where the plan says so.
    pub line: u64,
    /// Its options as the plan has them.
    pub options: Vec<PlannedOption>,
}

impl Masking {
    /// Whether a seed decides what becomes of the records.
    pub fn is_random(&self) -> bool {
        self.method.is_random() || self.later.iter().any(|step| step.request.is_random())
    }
}

/// An attack, ready to be run.
#[derive(Debug)]
pub struct PlannedLink {
    /// Its name in reports.
    pub name: String,
    /// The method of `link`.
    pub method: String,
    /// What is asked for.
    pub request: LinkRequest,
}

impl Grid {
    /// A plan without its originals and settings.
    ///
    /// # Errors
    /// Input, when the plan names a measure that does not exist.
    pub fn new(name: &str, plan: Plan, seed: u64) -> Result<Self> {
        original::check_measures(name, &plan)?;
        Ok(Self {
            name: name.into(),
            plan,
            seed,
            originals: Vec::new(),
            settings: Vec::new(),
            cells: Vec::new(),
        })
    }

    /// Asks for every masked file of every setting.
    ///
    /// # Errors
    /// Input, when these are too many.
    pub fn ask_for_all(&mut self) -> Result<()> {
        let count: u64 = self.settings.iter().map(|one| u64::from(one.runs)).sum();
        if count > MAX_MASKED_FILES {
            return Err(Error::too_many(
                ErrorKind::Input,
                Counted::MaskedFiles,
                [u128::from(count), u128::from(MAX_MASKED_FILES)],
                |count, limit| format!("asks for {count} masked files, settings times repeats, and at most {limit} are made"),
            )
            .in_file(&self.name)
            .remedy("Give fewer repeats, or split the plan"));
        }
        let cells = |(setting, masking): (usize, &Masking)| {
            (0..masking.runs).map(move |run| Cell { setting, run })
        };
        self.cells = self.settings.iter().enumerate().flat_map(cells).collect();
        Ok(())
    }

    /// Whether all seeds can be counted.
    ///
    /// # Errors
    /// Input, when the first one is too large.
    pub fn check_seeds(&self) -> Result<()> {
        let most = self.settings.iter().map(|masking| masking.runs).max();
        match self.seed.checked_add(u64::from(most.unwrap_or(1))) {
            Some(_) => Ok(()),
            None => Err(
                Error::input("seed is so large that the next ones cannot be counted")
                    .in_file(&self.name)
                    .remedy("Give a smaller one"),
            ),
        }
    }

    /// The passage of the plan that a step of a masking is from.
    fn passage_of<'a>(&'a self, step: &'a LaterStep) -> Passage<'a> {
        Passage {
            plan: &self.name,
            line: step.line,
            options: &step.options,
        }
    }

    /// The passage of the plan that a masking is from.
    fn passage<'a>(&'a self, masking: &'a Masking) -> Passage<'a> {
        Passage {
            plan: &self.name,
            line: masking.line,
            options: &masking.options,
        }
    }

    /// What was found of the settings that have rows.
    pub fn report(&self, rows: Vec<Row>) -> EvaluateReport {
        self.asked().report(rows)
    }

    /// All of a report but what was found.
    pub fn asked(&self) -> Asked {
        let settings = self.settings.iter();
        Asked {
            plan: self.plan_summary(),
            files: self.file_summaries(),
            settings: settings.map(|masking| masking.setting.clone()).collect(),
            published: self.plan.published.clone(),
            masked_files: self.cells.len(),
        }
    }

    /// The rows of a shard, in order, as a part that can be merged with the others.
    pub fn part(
        &self,
        shard: Shard,
        rows: Vec<Row>,
        inputs: Vec<PartInput>,
        provenance: Provenance,
    ) -> Part {
        let cells = shard.of_all(self.cells.len());
        let cells = Cells {
            asked: self.asked(),
            rows: (cells.zip(rows))
                .map(|(cell, row)| PartRow { cell, row })
                .collect(),
        };
        Part::new(shard, inputs, provenance, Work::Evaluate(Box::new(cells)))
    }

    /// What was asked for; the plan's file without its folders.
    pub fn plan_summary(&self) -> PlanSummary {
        let name = std::path::Path::new(&self.name).file_name();
        let name = name.map_or(self.name.as_str().into(), |name| name.to_string_lossy());
        PlanSummary::new(&name, &self.plan)
    }

    /// The originals, for reports.
    pub fn file_summaries(&self) -> Vec<FileSummary> {
        let summary = |original: &Original| FileSummary {
            name: original.name.clone(),
            records: original.table.n_records(),
            attributes: (original.table.attributes().iter())
                .map(|attribute| attribute.name.clone())
                .collect(),
            known: self.plan.files[original.place].known.clone(),
        };
        self.originals.iter().map(summary).collect()
    }

    /// The tables, for provenance.
    pub fn tables(&self) -> Vec<&Table> {
        let tables = self.originals.iter().map(|original| &original.table);
        tables.collect()
    }
}
