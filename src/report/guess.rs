//! The report of `sdcrisk guess`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{link::LeftOutAttribute, text};
use crate::{
    evaluate::guess::{Certainty, Finding},
    table::Table,
};

/// The schema name and version of this report.
pub const SCHEMA: &str = "sdcrisk.guess/1";

/// So many names of a list are shown.
const NAMES_SHOWN: usize = 8;

/// What two files betray of a masking.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct GuessReport {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// Version of the program.
    pub version: String,
    /// Name of the original file.
    pub original: String,
    /// Name of the masked file.
    pub masked: String,
    /// Records of the original file.
    pub original_records: usize,
    /// Records of the masked file.
    pub masked_records: usize,
    /// How it was known who is who; null where it was not, and the order of the records was not used.
    pub aligned_by: Option<String>,
    /// What was found out, about the records first.
    pub findings: Vec<Finding>,
    /// Attributes that were not looked at.
    pub left_out: Vec<LeftOutAttribute>,
}

impl GuessReport {
    /// Of two files; `aligned_by` says how it was known who is who, if it was.
    pub fn new(
        [original, masked]: [&Table; 2],
        aligned_by: Option<String>,
        left_out: Vec<LeftOutAttribute>,
        findings: Vec<Finding>,
    ) -> Self {
        Self {
            schema: SCHEMA.into(),
            version: env!("CARGO_PKG_VERSION").into(),
            original: original.name().into(),
            masked: masked.name().into(),
            original_records: original.n_records(),
            masked_records: masked.n_records(),
            aligned_by,
            findings,
            left_out,
        }
    }

    /// For programs.
    pub fn to_json(&self) -> String {
        let mut json = serde_json::to_string_pretty(self)
            .unwrap_or_else(|_| unreachable!("a report holds strings and finite numbers only"));
        json.push('\n');
        json
    }

    /// For people.
    pub fn to_text(&self) -> String {
        let mut out = format!(
            "What {} ({} records) betrays of how {} ({} records) was masked\n",
            self.masked, self.masked_records, self.original, self.original_records
        );
        out += &text::paragraph(&match &self.aligned_by {
            None => "By somebody who has both files and no documentation: the true matches are unknown, and the order of the records was not used."
                .to_string(),
            Some(how) => format!(
                "By somebody who has both files and knows who is who, by {how}: more than an intruder knows."
            ),
        });
        for finding in &self.findings {
            out += &self.finding(finding);
        }
        if !self.left_out.is_empty() {
            let reasons: Vec<String> = (self.left_out.iter())
                .map(|left| format!("{} {}", left.attribute, left.why))
                .collect();
            out.push('\n');
            out += &text::paragraph(&format!(
                "Not looked at: {}.",
                text::names(&reasons, NAMES_SHOWN)
            ));
        }
        out
    }

    fn finding(&self, finding: &Finding) -> String {
        let about = match finding.attributes.len() {
            0 => "The records".to_string(),
            _ => text::names(&finding.attributes, NAMES_SHOWN),
        };
        let mut out = format!("\n{about}\n");
        let parameters: Vec<String> = (finding.parameters.iter())
            .map(|(name, value)| format!("{name} {}", shown(value)))
            .collect();
        let what = match finding.method.as_deref() {
            None => "not known".to_string(),
            Some("none") => "not masked".to_string(),
            Some(method) if parameters.is_empty() => method.to_string(),
            Some(method) => format!("{method}: {}", parameters.join(", ")),
        };
        let sure = match finding.certainty {
            Certainty::Open => String::new(),
            certainty => format!(" ({})", certainty.word()),
        };
        out += &text::paragraph(&format!("{what}{sure}"));
        for evidence in &finding.evidence {
            out += &text::paragraph(&format!("- {evidence}"));
        }
        if !finding.alternatives.is_empty() {
            out += &text::paragraph(&format!(
                "It could also be: {}.",
                finding.alternatives.join("; ")
            ));
        }
        for options in &finding.options {
            out += &format!(
                "  sdcrisk link {options} {} {}\n",
                self.original, self.masked
            );
        }
        out
    }
}

/// A parameter for people.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(shown).collect::<Vec<_>>().join(","),
        Value::Bool(true) => "yes".into(),
        Value::Bool(false) => "no".into(),
        // 5 and not 5.0.
        other => (other.as_f64()).map_or_else(|| other.to_string(), |number| number.to_string()),
    }
}
