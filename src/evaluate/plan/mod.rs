//! A plan of experiments: which files are masked how, by which seeds, and attacked how. TOML.
//!
//! ```toml
//! original = "census.csv"      # or tables [[file]] with keys of their own
//! attributes = "1-13"          # what is masked, known of and compared
//! known = "sweep:7"            # what the intruder knows; a list is a grid
//! repeats = 5                  # masked files per setting, each with a seed of its own
//! seed = 1                     # of the first; the next ones follow it
//! attacks = ["rsld", "am", { method = "prl", name = "pld", agree = "sd:0.1" }]
//! losses = ["il", "pil"]
//! risks = ["interval_disclosure_rank"]
//!
//! [[mask]]
//! method = "rankswap"
//! p = [2, 4, 6]                # a list is a grid
//! ```
//!
//! A masking in several steps has `[[mask.step]]` tables, each with a method and its options; a recipe of `mask` ([`Recipe`]) is a list of
//! such steps.
//!
//! Instead of a list, `p = { from = 1, to = 30 }` is a range, in which `sdcrisk search` looks for a value.
//!
//! The options of a masking or an attack are the long options of `mask METHOD` and `link`. What they mean is not decided here: a
//! plan only says which there are, and in which combinations.

mod passage;
mod read;
mod recipe;
mod source;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::Result;
pub use passage::Passage;
use read::Keys;
pub use recipe::Recipe;
use source::Source;

/// Keys that say how an original is read: the options of reading of every command.
pub const READING: [&str; 9] = [
    "delimiter",
    "decimal-mark",
    "thousands-mark",
    "encoding",
    "na",
    "no-header",
    "header",
    "roles",
    "skip-lines",
];

/// More masked files than these are a slip of the pen: their rows alone would fill the memory.
pub const MAX_MASKED_FILES: u64 = 1_000_000;

/// A plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// What a report calls it, if it has a title.
    pub title: Option<String>,
    /// The originals, each to be masked in every way.
    pub files: Vec<PlannedFile>,
    /// The maskings, each a grid.
    pub masks: Vec<PlannedMask>,
    /// The attacks, each made on every masked file.
    pub attacks: Vec<PlannedAttack>,
    /// Keys of the measures of information loss, in the order of reports.
    pub losses: Vec<String>,
    /// Keys of the measures of risk without linkage.
    pub risks: Vec<String>,
    /// The seed of the first masked file of each setting; drawn if there is none.
    pub seed: Option<u64>,
    /// Options of `link` that hold for all attacks which do not say something else.
    pub scenario: Vec<PlannedOption>,
    /// Published figures.
    pub published: Vec<Published>,
}

/// An original.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedFile {
    /// Its name as the plan has it.
    pub original: String,
    /// The line on which it is named.
    pub line: u64,
    /// What is masked, known of and compared; all quasi-identifiers if `None`.
    pub attributes: Option<String>,
    /// What the intruder knows, unless a masking or an attack says something else; all that can be compared if empty.
    pub known: Vec<String>,
    /// Masked files of each setting, if the plan states a number.
    pub repeats: Option<u32>,
    /// Which records are used; all if `None`.
    pub records: Option<PlannedRecords>,
    /// How it is read.
    pub reading: Vec<PlannedOption>,
}

/// Which records of an original are used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlannedRecords {
    /// So many, drawn at random.
    Drawn(usize),
    /// Those whose numbers are in this file.
    Listed(String),
}

/// An option of another command.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedOption {
    /// Of a masking in several steps, which one it is of, from 0.
    pub step: usize,
    /// Its long name.
    pub name: String,
    /// What it is set to: a text, a number, true or false; a list if it is given several times.
    pub value: Value,
    /// Where the plan says so.
    pub line: u64,
}

/// A step of a masking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedStep {
    /// The method, as the command line calls it.
    pub method: String,
    /// Where it begins.
    pub line: u64,
}

/// A masking, of one step or several, with their options.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedMask {
    /// The method, as the command line calls it; of several steps all of them: `recode, rankswap`.
    pub method: String,
    /// The steps, in their order: one at least.
    pub steps: Vec<PlannedStep>,
    /// Where it begins.
    pub line: u64,
    /// What a report calls it, if it has a name.
    pub name: Option<String>,
    /// The originals that it is for; all if empty.
    pub files: Vec<String>,
    /// What the intruder knows, if the masking says it.
    pub known: Option<Vec<String>>,
    /// The options of each of its settings, without the one that has a range.
    pub settings: Vec<Vec<PlannedOption>>,
    /// The option in whose range `search` looks for a value, if there is one.
    pub range: Option<PlannedRange>,
}

/// An option whose value is searched for: `p = { from = 1, to = 30 }`.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedRange {
    /// Of a masking in several steps, which one it is of, from 0.
    pub step: usize,
    /// Its long name.
    pub name: String,
    /// One end.
    pub from: f64,
    /// The other end, greater.
    pub to: f64,
    /// Where the plan says so.
    pub line: u64,
}

/// An attack with its options.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedAttack {
    /// What a report calls it.
    pub name: String,
    /// The method, as the command line calls it.
    pub method: String,
    /// Where it is.
    pub line: u64,
    /// What the intruder knows, if the attack says it.
    pub known: Option<Vec<String>>,
    /// The options of the method, with their lines.
    pub options: Vec<PlannedOption>,
}

/// Published figures of one setting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Published {
    /// Where they are.
    pub line: u64,
    /// The original; any if `None`.
    pub file: Option<String>,
    /// The masking method; any if `None`.
    pub method: Option<String>,
    /// The name of the masking; any if `None`.
    pub name: Option<String>,
    /// Options of the masking that the setting must have.
    pub parameters: Map<String, Value>,
    /// The measures with their values.
    pub measures: Vec<(String, f64)>,
    /// Where they were published.
    pub source: String,
}

impl PlannedFile {
    /// Its name without its folders.
    pub fn short_name(&self) -> &str {
        let parts = self.original.rsplit(['/', '\\']);
        parts.into_iter().next().unwrap_or_default()
    }

    /// Whether the plan calls it so elsewhere: by its whole name, or without its folders.
    pub fn is_called(&self, name: &str) -> bool {
        name == self.original || name == self.short_name()
    }
}

impl PlannedMask {
    /// Whether it is for this original.
    pub fn is_for(&self, file: &PlannedFile) -> bool {
        self.files.is_empty() || self.files.iter().any(|name| file.is_called(name))
    }

    /// What a report calls an option of a step: by its name, and of several steps with the step before it, as in `rankswap.p`.
    pub fn key(&self, step: usize, name: &str) -> String {
        match self.steps.len() {
            1 => name.to_owned(),
            _ => format!("{}.{name}", self.step_name(step)),
        }
    }

    /// What a report calls a step: by its method, and with its number where several have the same.
    fn step_name(&self, step: usize) -> String {
        let method = &self.steps[step].method;
        match self
            .steps
            .iter()
            .filter(|other| other.method == *method)
            .count()
        {
            1 => method.clone(),
            _ => format!("{method}-{}", step + 1),
        }
    }

    /// The parameters of a setting as a report has them.
    pub fn parameters(&self, setting: &[PlannedOption]) -> Map<String, Value> {
        setting
            .iter()
            .map(|option| (self.key(option.step, &option.name), option.value.clone()))
            .collect()
    }

    /// What a report calls a setting: by the name of the masking, or else by its methods, with the options that `is_shown`.
    pub fn label(
        &self,
        setting: &[PlannedOption],
        is_shown: impl Fn(&PlannedOption) -> bool,
    ) -> String {
        let words = |step: usize| {
            let own = setting.iter().filter(move |option| option.step == step);
            own.filter(|option| is_shown(option))
                .filter_map(|option| option.in_words(&option.name))
        };
        if let Some(name) = &self.name {
            let keyed = setting.iter().filter(|option| is_shown(option));
            let keyed =
                keyed.filter_map(|option| option.in_words(&self.key(option.step, &option.name)));
            return std::iter::once(name.clone())
                .chain(keyed)
                .collect::<Vec<_>>()
                .join(" ");
        }
        let steps = self.steps.iter().enumerate().map(|(place, step)| {
            let all = std::iter::once(step.method.clone()).chain(words(place));
            all.collect::<Vec<_>>().join(" ")
        });
        steps.collect::<Vec<_>>().join(", ")
    }
}

impl PlannedOption {
    /// As a report shows it under this name; nothing of what is not set.
    fn in_words(&self, name: &str) -> Option<String> {
        match &self.value {
            Value::Bool(false) => None,
            Value::Bool(true) => Some(name.to_owned()),
            Value::String(text) => Some(format!("{name}={text}")),
            value => Some(format!("{name}={value}")),
        }
    }

    /// Those of one step.
    pub fn of_step(options: &[Self], step: usize) -> Vec<Self> {
        let own = options.iter().filter(|option| option.step == step);
        own.cloned().collect()
    }
}

impl Plan {
    /// Reads a plan. `name` is that of its file, for messages.
    ///
    /// # Errors
    /// Input, with the line: what is no TOML, an unknown key, a value of the wrong kind, a plan that does nothing.
    pub fn parse(name: &str, text: &str) -> Result<Self> {
        let source = Source { name, text };
        let table = source.table()?;
        let mut keys = Keys::default();
        for entry in source.entries(&table) {
            keys.take(source, &entry)?;
        }
        keys.plan(source)
    }
}
