//! The report of `sdcrisk link`.

mod attempts;
mod beyond;
mod lines;
mod means;
mod people;
mod reading;
mod result;

use serde::{Deserialize, Serialize};

use super::{
    crosswalk::CrosswalkSummary,
    limit::{Judged, LimitReport},
    match_attributes::SituationSummary,
    provenance::Provenance,
    text,
};
use crate::{
    attack::Direction,
    evaluate::{comparable::Doubt, link::AssignRule, score::Ties, status::Status},
};

pub use attempts::{Attempt, Attempts, Found, LinkLine, Made};
pub use beyond::{BeyondSummary, PartSummary};
pub use lines::write_links;
pub use means::{MeanRate, means};
pub use result::{AssignmentProof, AssignmentSummary, Correct, LinkResult, Sample};

/// The schema name and version of this report.
pub const SCHEMA: &str = "sdcrisk.link/1";

/// What `sdcrisk link` found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LinkReport {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// Version of the program.
    pub version: String,
    /// `done`, or `limit` if a limit stopped the work.
    pub status: Status,
    /// Attributes that could not be compared in earnest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Doubt>,
    /// Who attacked what.
    pub scenario: ScenarioSummary,
    /// One entry a method and set of known attributes.
    pub results: Vec<LinkResult>,
    /// One entry a method with more than one case.
    #[serde(default)]
    pub means: Vec<MeanRate>,
    /// The attacks that do not apply, where all were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_run: Vec<MethodNotRun>,
    /// The limits that were set, and whether they were kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<LimitReport>,
}

/// An attack that does not apply, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MethodNotRun {
    /// The attack, as the command line calls it.
    pub method: String,
    /// Why.
    pub why: String,
}

/// Who attacked what, and how links were counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ScenarioSummary {
    /// Name of the original file.
    pub original: String,
    /// Name of the masked file.
    pub masked: String,
    /// All records of the original file.
    pub original_records: usize,
    /// Records of the masked file.
    pub masked_records: usize,
    /// Records that the intruder holds.
    pub known_records: usize,
    /// Who looks for whom.
    pub direction: Direction,
    /// How the records of both files were aligned to judge the links.
    pub aligned_by: String,
    /// How a tie counts in `rate`.
    pub ties: Ties,
    /// How records were assigned.
    pub assign: AssignRule,
    /// Attributes that were not compared, and why.
    pub left_out: Vec<LeftOutAttribute>,
    /// What brought the original into the terms of the masked file before anything was compared, if anything did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crosswalk: Option<CrosswalkSummary>,
    /// Of an attack without common attributes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aggregates: Option<AggregatesSummary>,
}

/// What was aggregated where the files share no attribute.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AggregatesSummary {
    /// The attributes of the masked file; those of the original are the known ones.
    pub masked_attributes: Vec<String>,
    /// Attributes of the original that were turned round, because they fall where the others rise.
    pub turned: Vec<String>,
    /// Those of the masked file.
    pub masked_turned: Vec<String>,
    /// Which of the four situations of linkage the files are in; null if it is not known.
    pub situation: Option<SituationSummary>,
}

impl AggregatesSummary {
    /// What was done, and what it rests on.
    fn reading(&self) -> Vec<String> {
        let turned: Vec<&str> = [&self.turned, &self.masked_turned]
            .into_iter()
            .flatten()
            .map(String::as_str)
            .collect();
        let mut lines = vec![format!(
            "No attribute was compared with another: the masked file's {} ({}) were aggregated as the intruder's were. It works as far \
             as both files rank the same people in the same way{}.",
            match self.masked_attributes.len() {
                1 => "attribute".to_string(),
                n => format!("{n} attributes"),
            },
            text::names(&self.masked_attributes, 8),
            match turned.len() {
                0 => String::new(),
                _ => format!(
                    "; turned round, because they fall where the others of their file rise: {}",
                    text::names(&turned, 8)
                ),
            }
        )];
        lines.extend(self.situation.as_ref().map(SituationSummary::sentence));
        lines
    }
}

/// An attribute that was not compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LeftOutAttribute {
    /// The attribute as the original names it.
    pub attribute: String,
    /// Why.
    pub why: String,
}

impl LinkReport {
    /// What the attacks found out about what they assume, each kind once. Caveats of one kind differ in their figures only.
    pub fn caveats(&self) -> Vec<String> {
        let of_cases: Vec<&[String]> = (self.results.iter())
            .map(|result| &result.caveats[..])
            .collect();
        text::kinds(&of_cases, "cases", text::without_figures)
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Json<'a> {
    #[serde(flatten)]
    report: &'a LinkReport,
    /// The same in words.
    reading: Vec<String>,
    /// Where it comes from.
    provenance: &'a Provenance,
}

impl LinkReport {
    /// The rates that a limit is set for: those of every attack, among all records and among those that have a partner.
    pub fn rates_judged_by(&self, limit: f64) -> Vec<Judged> {
        let of_result = |result: &LinkResult| {
            let figures = [
                (result.rate, "the rate among all records"),
                (
                    result.rate_of_findable,
                    "the rate among the records that have a partner",
                ),
            ];
            let all_findable = result.with_partner == result.records;
            let figures = figures.into_iter().take(if all_findable { 1 } else { 2 });
            let judged = figures.map(|(rate, what)| result.judged(rate, what, limit));
            judged.collect::<Vec<_>>()
        };
        self.results.iter().flat_map(of_result).collect()
    }

    /// The rates that a limit for extremes is set for; none where nobody stands out by the known attributes.
    pub fn extremes_judged_by(&self, limit: f64) -> Vec<Judged> {
        let of_result = |result: &LinkResult| {
            let rates = result.beyond.of_extremes();
            let judged = rates.map(|(rate, what)| result.judged(rate, what, limit));
            judged.collect::<Vec<_>>()
        };
        self.results.iter().flat_map(of_result).collect()
    }

    /// For programs: the report, what it says in words, and where it comes from.
    pub fn to_json(&self, provenance: &Provenance) -> String {
        let json = Json {
            report: self,
            reading: self.reading(),
            provenance,
        };
        let mut json = serde_json::to_string_pretty(&json)
            .unwrap_or_else(|_| unreachable!("a report holds strings and finite numbers only"));
        json.push('\n');
        json
    }
}
