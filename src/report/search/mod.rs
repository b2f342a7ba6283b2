//! The report of `sdcrisk search`: for each masking, the setting with the least loss below a limit of risk.

mod searched;

pub use searched::{Searched, Tried, Wanted};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    evaluate::{FileSummary, PlanSummary, Warning},
    io_error,
    provenance::Provenance,
    spreadsheet, text,
};
use crate::{
    error::{Error, Result},
    evaluate::{
        search::{Risk, Trial},
        status::Status,
    },
};

/// The schema name and version of this report.
pub const SCHEMA: &str = "sdcrisk.search/1";

/// What a search found.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SearchReport {
    /// Always [`SCHEMA`].
    pub schema: &'static str,
    /// Version of the program.
    pub version: &'static str,
    /// `done`, or `limit` if a limit stopped a learned distance before its proof.
    pub status: Status,
    /// Attributes that could not be compared in earnest.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    /// What was asked for.
    pub plan: PlanSummary,
    /// The limit: a share of records.
    pub risk_at_most: f64,
    /// Key of the measure of loss.
    pub loss: String,
    /// The originals, with their sizes.
    pub files: Vec<FileSummary>,
    /// One entry for each masking of each original, in the order of the plan.
    pub maskings: Vec<Masking>,
    /// For each original on which a masking stays below the limit, the one with the least loss.
    pub best: Vec<Best>,
    /// What a person should know beside the figures.
    pub notes: Vec<String>,
    /// Where it comes from; in JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
}

/// What was found of one masking of one original.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Masking {
    /// Name of the original.
    pub file: String,
    /// The masking method.
    pub method: String,
    /// What it is called, without the option that is searched for.
    pub label: String,
    /// The option that is searched for, with the ends of its range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<RangeSummary>,
    /// Whether a setting stays below the limit. `chosen` is then the one with the least loss; otherwise the one with the least risk.
    pub found: bool,
    /// A setting.
    pub chosen: Option<Visit>,
    /// Every setting that was tried, in the order of values.
    pub tried: Vec<Visit>,
}

/// The range of an option.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RangeSummary {
    /// The option whose value was searched.
    pub option: String,
    /// One end.
    pub from: f64,
    /// The other end.
    pub to: f64,
}

/// A setting that was tried.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Visit {
    /// All options that the plan or the search gave the masking.
    pub parameters: Map<String, Value>,
    /// The value of the option that is searched for.
    pub value: Option<f64>,
    /// Masked files that were made.
    pub runs: u32,
    /// The mean loss over them; `null` where it is not defined.
    pub loss: Option<f64>,
    /// The strongest attack; `null` if none applied.
    pub strongest: Option<Strongest>,
}

/// The strongest attack on a setting: the one with the largest upper end.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Strongest {
    /// The attack as the plan names it.
    pub attack: String,
    /// What the intruder knows.
    pub known: Vec<String>,
    /// Mean share of correct links.
    pub rate: f64,
    /// Its 95 % interval, over masked files.
    pub interval: [f64; 2],
}

/// The masking with the least loss.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Best {
    /// Name of the original.
    pub file: String,
    /// Its place among the maskings of the report, from 0.
    pub masking: usize,
    /// What masks the file so.
    pub command: String,
}

impl Visit {
    /// A setting, as far as it was tried.
    pub fn new(parameters: Map<String, Value>, value: Option<f64>, trial: &Trial) -> Self {
        Self {
            parameters,
            value,
            runs: trial.runs,
            loss: trial.loss,
            strongest: trial.strongest.as_ref().map(Strongest::of),
        }
    }
}

impl Strongest {
    fn of(risk: &Risk) -> Self {
        Self {
            attack: risk.scenario.attack.clone(),
            known: risk.scenario.known.clone(),
            rate: risk.mean,
            interval: risk.interval,
        }
    }
}

impl SearchReport {
    /// For programs.
    pub fn to_json(&self) -> String {
        let mut json = serde_json::to_string_pretty(self)
            .unwrap_or_else(|_| unreachable!("a report holds strings and finite numbers only"));
        json.push('\n');
        json
    }

    /// One row a masking.
    ///
    /// # Errors
    /// Failed, when it cannot be written.
    pub fn to_csv(&self) -> Result<String> {
        let failed = |error: csv::Error| Error::failed(io_error(error).to_string());
        let mut writer = spreadsheet::writer(Vec::new());
        writer
            .write_record([
                "file",
                "masking",
                "option",
                "value",
                "found",
                "loss",
                "risk",
                "risk_low",
                "risk_high",
                "attack",
                "known",
                "runs",
            ])
            .map_err(failed)?;
        for masking in &self.maskings {
            let number = |number: Option<f64>| number.map_or(String::new(), |n| n.to_string());
            let chosen = masking.chosen.as_ref();
            let strongest = chosen.and_then(|visit| visit.strongest.as_ref());
            let option = masking.range.as_ref().map(|range| range.option.clone());
            writer
                .write_record([
                    masking.file.clone(),
                    masking.label.clone(),
                    option.unwrap_or_default(),
                    number(chosen.and_then(|visit| visit.value)),
                    masking.found.to_string(),
                    number(chosen.and_then(|visit| visit.loss)),
                    number(strongest.map(|risk| risk.rate)),
                    number(strongest.map(|risk| risk.interval[0])),
                    number(strongest.map(|risk| risk.interval[1])),
                    strongest.map_or(String::new(), |risk| risk.attack.clone()),
                    strongest.map_or(String::new(), |risk| risk.known.join("+")),
                    chosen.map_or(0, |visit| visit.runs).to_string(),
                ])
                .map_err(failed)?;
        }
        spreadsheet::text(writer).map_err(failed)
    }

    /// For people.
    pub fn to_text(&self) -> String {
        let mut out = text::warnings(self.warnings.iter().map(Warning::text));
        if let Some(title) = &self.plan.title {
            out += &format!("{title}\n");
        }
        out += &format!(
            "Least loss ({}) with the strongest attack at most {}\n",
            self.loss,
            text::percent(self.risk_at_most)
        );
        for file in &self.files {
            out += &format!("\n{}: {} records\n\n", file.name, file.records);
            out += &self.table(&file.name);
            out += match self.best.iter().find(|best| best.file == file.name) {
                Some(best) => format!(
                    "\nLeast loss: {}. To mask the file so:\n\n  {}\n",
                    self.maskings[best.masking].shown(),
                    best.command
                ),
                None => "\nNo masking of the plan stays below the limit.\n".into(),
            }
            .as_str();
        }
        out.push('\n');
        out += &text::paragraph(
            "risk: share of people linked correctly by the strongest attack of the plan in its worst scenario, a mean over the masked \
             files; up to: upper end of its 95 % interval, which is what the limit holds for. Lower is better in all three: \
             less risk, or less lost. 'above' marks a masking of which no \
             setting in the range stays below the limit; the figures are those of the end with the least risk.",
        );
        for note in &self.notes {
            out += &text::paragraph(note);
        }
        out
    }

    fn table(&self, file: &str) -> String {
        let rows: Vec<Vec<String>> = (self.maskings.iter())
            .filter(|masking| masking.file == file)
            .map(Masking::line)
            .collect();
        let header = [
            "masking", "", "attack", "knows", "loss", "risk", "up to", "files",
        ];
        text::columns(&header, &rows, 4)
    }
}

impl Masking {
    /// The masking with the value that was chosen.
    fn shown(&self) -> String {
        let value = self.chosen.as_ref().and_then(|visit| visit.value);
        match (&self.range, value) {
            (Some(range), Some(value)) => format!("{} {}={value}", self.label, range.option),
            _ => self.label.clone(),
        }
    }

    fn line(&self) -> Vec<String> {
        let chosen = self.chosen.as_ref();
        let strongest = chosen.and_then(|visit| visit.strongest.as_ref());
        let known = |risk: &Strongest| match risk.known.len() {
            1 => "1 attribute".to_string(),
            count => format!("{count} attributes"),
        };
        let dash = || "-".to_string();
        vec![
            self.shown(),
            if self.found { "" } else { "above" }.into(),
            strongest.map_or_else(dash, |risk| risk.attack.clone()),
            strongest.map_or_else(dash, known),
            chosen
                .and_then(|visit| visit.loss)
                .map_or_else(dash, |loss| format!("{loss:.3}")),
            strongest.map_or_else(dash, |risk| text::percent(risk.rate)),
            strongest.map_or_else(dash, |risk| text::percent(risk.interval[1])),
            chosen.map_or(0, |visit| visit.runs).to_string(),
        ]
    }
}
