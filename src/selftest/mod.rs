//! Worked examples of the literature, recomputed from bundled data by the very code that the commands use.
//!
//! Who doubts that this build computes what the papers print can ask it ([`run`]); each example names its source.

mod categories;
mod figures;
mod learned;
mod microaggregation;
mod pairs;
mod swapping;

use std::fmt::Display;

use crate::error::Result;

/// A worked example: where it stands, and what recomputes it.
#[derive(Debug, Clone, Copy)]
pub struct Example {
    /// A few words.
    pub name: &'static str,
    /// Paper or book, and where in it.
    pub source: &'static str,
    /// What a reader should know of it; empty for nothing.
    pub note: &'static str,
    recompute: fn() -> Result<Vec<Check>>,
}

/// One figure of an example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// What it is.
    pub what: String,
    /// What the source says.
    pub expected: String,
    /// What was computed.
    pub got: String,
    /// Whether these agree, to the digits that the source prints.
    pub passed: bool,
}

/// What became of an example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What the example is called on the command line and in reports.
    pub name: &'static str,
    /// The paper or book that has it, with table or equation.
    pub source: &'static str,
    /// What a reader should know of it.
    pub note: &'static str,
    /// The figures that were recomputed, beside those in print.
    pub checks: Vec<Check>,
}

impl Finding {
    /// Whether every figure agrees.
    pub fn passed(&self) -> bool {
        self.checks.iter().all(|check| check.passed)
    }
}

/// All examples.
pub fn examples() -> Vec<Example> {
    [
        swapping::EXAMPLES.as_slice(),
        &microaggregation::EXAMPLES,
        &learned::EXAMPLES,
        &categories::EXAMPLES,
        &figures::EXAMPLES,
    ]
    .into_iter()
    .flatten()
    .copied()
    .collect()
}

/// Recomputes an example. One that cannot be computed does not agree.
pub fn run(example: &Example) -> Finding {
    let checks = (example.recompute)().unwrap_or_else(|error| {
        vec![Check {
            what: "the computation".into(),
            expected: "a result".into(),
            got: error.to_string(),
            passed: false,
        }]
    });
    Finding {
        name: example.name,
        source: example.source,
        note: example.note,
        checks,
    }
}

/// What must be the same as it is printed.
fn same(what: impl Into<String>, expected: impl Display, got: impl Display) -> Check {
    let (expected, got) = (expected.to_string(), got.to_string());
    Check {
        what: what.into(),
        passed: expected == got,
        expected,
        got,
    }
}

/// A number that is printed with so many decimals: it must round to it.
fn printed(what: impl Into<String>, expected: f64, decimals: usize, got: f64) -> Check {
    same(
        what,
        format!("{expected:.decimals$}"),
        format!("{got:.decimals$}"),
    )
}

/// Numbers as lists are printed: 5, 5, 3, 4.
fn list<T: Display>(items: impl IntoIterator<Item = T>) -> String {
    let words: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    words.join(", ")
}

/// Groups of records, counted from 1: {1, 2} {3, 4}.
fn sets<T: Display>(groups: &[Vec<T>]) -> String {
    let words: Vec<String> = groups
        .iter()
        .map(|group| format!("{{{}}}", list(group)))
        .collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn every_example_agrees() {
        for example in examples() {
            let finding = run(&example);
            assert!(
                !finding.checks.is_empty(),
                "{} checks nothing",
                finding.name
            );
            assert!(finding.passed(), "{finding:#?}");
        }
    }

    /// Nobody could rely on a test that cannot fail.
    #[test]
    fn a_wrong_expectation_fails() {
        let example = |recompute| Example {
            name: "",
            source: "",
            note: "",
            recompute,
        };
        let wrong = example(|| {
            Ok(vec![
                printed("a third", 0.33, 2, 1.0 / 3.0),
                printed("a third", 0.34, 2, 1.0 / 3.0),
            ])
        });
        let finding = run(&wrong);
        assert_eq!(
            finding
                .checks
                .iter()
                .map(|check| check.passed)
                .collect::<Vec<_>>(),
            [true, false]
        );
        assert!(!finding.passed());
        let broken = run(&example(|| Err(Error::failed("no solver"))));
        assert!(!broken.passed() && broken.checks[0].got.contains("no solver"));
        assert!(!same("sets", sets(&[vec![1, 2]]), sets(&[vec![1], vec![2]])).passed);
    }
}
