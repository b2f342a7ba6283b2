//! The report of `sdcrisk evaluate`.

mod asked;
mod lines;
mod people;

pub use asked::Asked;
use serde::{Deserialize, Serialize};

use super::{provenance::Provenance, text};
use crate::{
    evaluate::{
        comparable::Doubt,
        grid::{self, AttackRow, Row},
        measures::Whole,
        overall::{Overall, Term},
        plan::Plan,
        status::Status,
        summary::{Axes, SettingSummary},
    },
    risk::interval,
};

/// The schema name and version of this report.
pub const SCHEMA: &str = "sdcrisk.evaluate/1";

/// What a grid of experiments found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EvaluateReport {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// Version of the program.
    pub version: String,
    /// `done`, or `limit` if a limit stopped a search before its proof.
    pub status: Status,
    /// Attributes that could not be compared in earnest, by original.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    /// What was asked for.
    pub plan: PlanSummary,
    /// The originals, with their sizes.
    pub files: Vec<FileSummary>,
    /// What the map shows.
    pub axes: Axes,
    /// How intervals are made, in words.
    #[serde(default)]
    pub interval: String,
    /// One entry a masked file.
    pub rows: Vec<Row>,
    /// One entry a setting.
    pub settings: Vec<SettingSummary>,
    /// Where it comes from; in JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
}

/// An attribute that could not be compared in earnest on some of the masked files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Warning {
    /// The original that the row is about.
    pub file: String,
    /// On how many masked files of it.
    pub masked_files: usize,
    /// What is wrong, as on the first of them.
    #[serde(flatten)]
    pub doubt: Doubt,
}

impl Warning {
    /// The sentences of it.
    pub fn text(&self) -> String {
        format!(
            "on {} masked file{} of {}, {}",
            self.masked_files,
            if self.masked_files == 1 { "" } else { "s" },
            self.file,
            self.doubt.text()
        )
    }
}

/// What could not be compared, once for each original and attribute.
pub fn warnings(rows: &[Row]) -> Vec<Warning> {
    let mut all: Vec<Warning> = Vec::new();
    for (row, doubt) in
        (rows.iter()).flat_map(|row| row.warnings.iter().map(move |doubt| (row, doubt)))
    {
        let same = |other: &&mut Warning| {
            other.file == row.file && other.doubt.attribute == doubt.attribute
        };
        match all.iter_mut().find(same) {
            Some(warning) => warning.masked_files += 1,
            None => all.push(Warning {
                file: row.file.clone(),
                masked_files: 1,
                doubt: doubt.clone(),
            }),
        }
    }
    all
}

/// What was asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PlanSummary {
    /// Name of the plan's file.
    pub file: String,
    /// Its title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Masked files of each setting of a method that draws: the most, where originals differ.
    pub repeats: u32,
    /// The seed of the first masked file of each setting; `null` if it was drawn.
    pub seed: Option<u64>,
    /// What the intruder knows, on any of the originals.
    pub known: Vec<String>,
    /// Names of the attacks.
    pub attacks: Vec<String>,
    /// Keys of the losses.
    pub losses: Vec<String>,
    /// Keys of the risks.
    pub risks: Vec<String>,
}

/// An original.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FileSummary {
    /// Its name.
    pub name: String,
    /// Its records, as far as the plan uses them.
    pub records: usize,
    /// Names of its attributes.
    pub attributes: Vec<String>,
    /// What the intruder knows of it, unless a masking or an attack says something else; all that can be compared if empty.
    pub known: Vec<String>,
}

impl PlanSummary {
    /// Of a plan in a file of this name.
    pub fn new(file: &str, plan: &Plan) -> Self {
        let mut known: Vec<String> = Vec::new();
        for choice in plan.files.iter().flat_map(|file| &file.known) {
            if !known.contains(choice) {
                known.push(choice.clone());
            }
        }
        Self {
            file: file.into(),
            title: plan.title.clone(),
            repeats: plan
                .files
                .iter()
                .filter_map(|file| file.repeats)
                .max()
                .unwrap_or(1),
            seed: plan.seed,
            known,
            attacks: plan
                .attacks
                .iter()
                .map(|attack| attack.name.clone())
                .collect(),
            losses: plan.losses.clone(),
            risks: plan.risks.clone(),
        }
    }
}

impl EvaluateReport {
    /// The report of a plan.
    pub fn new(
        plan: PlanSummary,
        files: Vec<FileSummary>,
        rows: Vec<Row>,
        settings: Vec<SettingSummary>,
    ) -> Self {
        Self {
            schema: SCHEMA.into(),
            version: env!("CARGO_PKG_VERSION").into(),
            status: Status::limited(settings.iter().any(|setting| setting.is_limited)),
            plan,
            files,
            axes: Axes::of(&settings),
            interval:
                "mean ± t s / sqrt(runs), 95 %, Student's t; over masked files of one original"
                    .into(),
            warnings: warnings(&rows),
            rows,
            settings,
            provenance: None,
        }
    }

    /// For programs.
    pub fn to_json(&self) -> String {
        let mut json = serde_json::to_string_pretty(self)
            .unwrap_or_else(|_| unreachable!("a report holds strings and finite numbers only"));
        json.push('\n');
        json
    }

    /// What a person should know beside the figures.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let mut reasons: Vec<(&AttackRow, usize)> = Vec::new();
        for attack in self.rows.iter().flat_map(|row| &row.attacks) {
            if attack.why_not.is_none() {
                continue;
            }
            let same =
                |other: &AttackRow| other.name == attack.name && other.why_not == attack.why_not;
            match reasons.iter_mut().find(|(other, _)| same(other)) {
                Some((_, count)) => *count += 1,
                None => reasons.push((attack, 1)),
            }
        }
        for (attack, count) in reasons {
            notes.push(format!(
                "note: {} is not run on {count} of {} masked files: {}",
                attack.name,
                self.rows.len(),
                attack.why_not.as_deref().unwrap_or_default()
            ));
        }
        notes.extend(self.caveats());
        let limited = self
            .settings
            .iter()
            .filter(|setting| setting.is_limited)
            .count();
        if limited > 0 {
            notes.push(format!(
                "note: in {limited} of {} settings a search was stopped before its proof (marked 'limit'): their figures depend on the \
                 machine",
                self.settings.len()
            ));
        }
        notes.extend(grid::pld_assigned_otherwise(&self.rows));
        let without = self.lacking();
        if !without.is_empty()
            && self
                .settings
                .iter()
                .any(|setting| setting.measures.whole(Whole::Dr).is_none())
        {
            notes.push(format!(
                "note: DR and score are not defined everywhere: {} absent",
                text::names(&without, 5)
            ));
        }
        notes
    }

    /// What attacks found out about what they assume, on how many of the masked files that they were run on.
    fn caveats(&self) -> Vec<String> {
        let mut by_attack: Vec<(&str, Vec<&[String]>)> = Vec::new();
        let attacks = self.rows.iter().flat_map(|row| &row.attacks);
        for attack in attacks.filter(|attack| attack.why_not.is_none()) {
            match by_attack.iter_mut().find(|(name, _)| *name == attack.name) {
                Some((_, caveats)) => caveats.push(&attack.caveats),
                None => by_attack.push((&attack.name, vec![&attack.caveats])),
            }
        }
        let notes = by_attack.iter().flat_map(|(name, caveats)| {
            let kinds = text::kinds(caveats, "masked files", text::without_figures);
            kinds
                .into_iter()
                .map(move |kind| format!("note: {name}: {kind}"))
        });
        notes.collect()
    }

    /// The terms of DR that some masked file lacks.
    fn lacking(&self) -> Vec<String> {
        let rows = self.rows.iter();
        let all: Vec<Overall> = rows
            .map(|row| grid::overall(&row.attacks, &row.losses, &row.risks))
            .collect();
        let absent = |term: &Term| all.iter().any(|overall| overall.term(*term).is_none());
        let attacks = (Term::ALL.into_iter())
            .filter(absent)
            .map(|term| format!("{} (attack {})", term.name(), term.method()));
        let id = (all.iter().any(|overall| overall.id.is_none()))
            .then(|| format!("ID (risk {})", interval::BY_RANK.key));
        attacks.chain(id).collect()
    }
}
