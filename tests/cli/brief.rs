//! `--brief` and `--explain`: the headline figures alone, and what each figure is.

use crate::{
    bad_input::{GOOD, MASKED},
    sandbox::Sandbox,
};

const CALLS: [&str; 4] = [
    "link --method am,rsld --p 20 --known age,income good.csv masked.csv",
    "loss good.csv masked.csv",
    "risk --key age good.csv masked.csv",
    "score --p 20 --known age,income good.csv masked.csv",
];

fn sandbox() -> Sandbox {
    Sandbox::with(&[("good.csv", GOOD), ("masked.csv", MASKED)])
}

/// Whatever is printed in brief is in the report, too.
#[test]
fn brief_figures_are_those_of_the_report() {
    let sandbox = sandbox();
    for call in CALLS {
        let whole = sandbox.run(call).ended(0).text();
        let brief = sandbox.run(&format!("{call} --brief")).ended(0).text();
        assert!(
            brief.lines().count() < whole.lines().count() / 2,
            "{call}: {brief}"
        );
        let is_figure = |word: &&str| word.ends_with(char::is_numeric) && word.contains('.');
        let figures: Vec<&str> = brief
            .split(|c: char| c.is_whitespace() || "(),;:".contains(c))
            .filter(is_figure)
            .collect();
        assert!(!figures.is_empty(), "{call}: {brief}");
        for figure in figures {
            assert!(
                whole.contains(figure),
                "{call}: {figure} is not in\n{whole}"
            );
        }
    }
}

/// Definitions follow the report on request; otherwise a line says how to have them.
#[test]
fn definitions_are_printed_on_request() {
    let sandbox = sandbox();
    let defined = [
        "certain: records with a single candidate",
        "values that are there in the original and are not the same",
        "records that no other record matches on the key",
        "0.5 (IL + DR)",
    ];
    for (call, definition) in CALLS.into_iter().zip(defined) {
        // Lines are wrapped at the width of the terminal.
        let said = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let usual = sandbox.run(call).ended(0).text();
        let explained = sandbox.run(&format!("{call} --explain")).ended(0).text();
        assert!(!said(&usual).contains(definition), "{call}: {usual}");
        assert!(said(&explained).contains(definition), "{call}: {explained}");
        let report = usual.split("\nWhat each measure is").next().unwrap();
        assert!(explained.starts_with(report), "{call}: {explained}");
    }
}

#[test]
fn they_contradict_each_other_and_are_for_text_alone() {
    let sandbox = sandbox();
    for call in CALLS {
        sandbox.run(&format!("{call} --brief --explain")).ended(2);
        for option in ["--brief", "--explain"] {
            let csv = sandbox.run(&format!("{call} --format csv")).ended(0);
            let idle = sandbox
                .run(&format!("{call} --format csv {option}"))
                .ended(0);
            assert_eq!(idle.text(), csv.text());
            let note = format!("{option} has no effect");
            assert!(idle.stderr.contains(&note), "{call}: {}", idle.stderr);
            sandbox
                .run(&format!("{call} --format csv --strict {option}"))
                .ended(2);
        }
    }
}
