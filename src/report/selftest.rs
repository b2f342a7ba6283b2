//! The report of `sdcrisk selftest`.

use std::fmt::Write as _;

use serde::Serialize;

use super::text;
use crate::selftest::{Check, Finding};

/// The schema name and version of this report.
pub const SCHEMA: &str = "sdcrisk.selftest/1";

/// What became of the worked examples.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SelftestReport {
    /// Always [`SCHEMA`].
    pub schema: &'static str,
    /// Version of the program.
    pub version: &'static str,
    /// Examples that agree with their source.
    pub passed: usize,
    /// Examples that do not.
    pub failed: usize,
    /// Example by example.
    pub examples: Vec<ExampleRow>,
}

/// A worked example.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ExampleRow {
    /// Its name.
    pub name: &'static str,
    /// Where it stands.
    pub source: &'static str,
    /// What a reader should know of it.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub note: &'static str,
    /// Whether every figure agrees.
    pub passed: bool,
    /// Figure by figure.
    pub checks: Vec<CheckRow>,
}

/// A figure of a worked example.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CheckRow {
    /// What it is.
    pub what: String,
    /// What the source says.
    pub expected: String,
    /// What was computed.
    pub got: String,
    /// Whether they agree.
    pub passed: bool,
}

impl SelftestReport {
    /// The report of these findings.
    pub fn new(findings: Vec<Finding>) -> Self {
        let passed = findings.iter().filter(|finding| finding.passed()).count();
        Self {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION"),
            passed,
            failed: findings.len() - passed,
            examples: findings.into_iter().map(row).collect(),
        }
    }

    /// The report as JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// The report for people.
    pub fn to_text(&self) -> String {
        let mut content = format!(
            "Worked examples of the literature, recomputed by sdcrisk {} (a figure that does not agree is shown beside the expected one):\n\n",
            self.version
        );
        for example in &self.examples {
            let verdict = if example.passed { "pass" } else { "FAIL" };
            let _ = writeln!(content, "{verdict}  {}", example.name);
            for line in [example.source, example.note] {
                if !line.is_empty() {
                    content.push_str(&text::paragraph(line));
                }
            }
            for check in &example.checks {
                let CheckRow {
                    what,
                    expected,
                    got,
                    passed,
                } = check;
                content.push_str(&text::paragraph(&match passed {
                    true => format!("- {what}: {got}"),
                    false => format!("- {what}: expected {expected}, got {got}"),
                }));
            }
            content.push('\n');
        }
        content.push_str(&match self.failed {
            0 => format!("All {} examples agree with their sources.\n", self.passed),
            failed => format!(
                "{failed} of {} examples do not agree with their sources: do not rely on this build.\n",
                self.examples.len()
            ),
        });
        content
    }
}

fn row(finding: Finding) -> ExampleRow {
    let check = |Check {
                     what,
                     expected,
                     got,
                     passed,
                 }| CheckRow {
        what,
        expected,
        got,
        passed,
    };
    ExampleRow {
        passed: finding.passed(),
        name: finding.name,
        source: finding.source,
        note: finding.note,
        checks: finding.checks.into_iter().map(check).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_agree_is_shown_with_what_was_expected() {
        let check = |passed| Check {
            what: "links".into(),
            expected: "9".into(),
            got: if passed { "9" } else { "8" }.into(),
            passed,
        };
        let finding = |checks| Finding {
            name: "toy",
            source: "paper",
            note: "",
            checks,
        };
        let report = SelftestReport::new(vec![
            finding(vec![check(true)]),
            finding(vec![check(true), check(false)]),
        ]);
        assert_eq!((report.passed, report.failed), (1, 1));
        let text = report.to_text();
        assert!(text.contains("FAIL  toy") && text.contains("- links: expected 9, got 8"));
        assert!(text.ends_with(
            "1 of 2 examples do not agree with their sources: do not rely on this build.\n"
        ));
    }
}
