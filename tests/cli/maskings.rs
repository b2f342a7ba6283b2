//! `mask pbuckets`, `mask pdistribution` and `mask noise` as a user calls them.

use serde_json::json;

use crate::{bad_input::GOOD, sandbox::Sandbox};

const CENSUS: &[u8] = include_bytes!("../../data/synthetic-census.csv");

const CALLS: [&str; 5] = [
    "pbuckets --p 20",
    "pdistribution --p 5",
    "noise --level 0.1",
    "noise --level 0.1 --correlated --restore",
    "noise --level 0.1 --round",
];

#[test]
fn a_pipe_loses_nothing() {
    for call in CALLS {
        let sandbox = Sandbox::new();
        sandbox.write("in.csv", CENSUS);
        sandbox
            .run(&format!("mask {call} --seed 4 -o masked.csv in.csv"))
            .ended(0);
        let from_stdin = sandbox
            .run_with(&format!("mask {call} --seed 4 -"), CENSUS)
            .ended(0);
        assert!(from_stdin.stdout == sandbox.read("masked.csv"), "{call}");
        let rate = |report: serde_json::Value| report["results"][0]["correct"].clone();
        let filed = sandbox
            .run("link --method am --format json in.csv masked.csv")
            .ended(0);
        let piped = sandbox
            .shell(&format!(
                "sdcrisk mask {call} --seed 4 in.csv | sdcrisk link --method am --format json in.csv -"
            ))
            .ended(0);
        assert_eq!(rate(filed.json()), rate(piped.json()), "{call}");
    }
}

/// What was drawn by whom is private; method, parameters and readings are not.
#[test]
fn statements_tell_the_law_and_no_seed() {
    let sandbox = Sandbox::with(&[("good.csv", GOOD)]);
    for (call, method, parameters) in [
        (
            "pbuckets --p 4",
            "pbuckets",
            json!({"buckets": 4, "exhausted": "renormalised"}),
        ),
        (
            "pdistribution --p 30",
            "pdistribution",
            json!({"p": 30.0, "mean": 1.5, "sd": 1.5, "taken": "redrawn", "tries": 1000}),
        ),
        (
            "noise --level 0.25 --correlated --round",
            "noise",
            json!({"law": "normal", "level": 0.25, "correlated": true, "restored": false, "rounded": true}),
        ),
    ] {
        sandbox
            .run(&format!(
                "mask {call} --seed 918273 --statement s.json -o m.csv good.csv"
            ))
            .ended(0);
        let text = sandbox.text("s.json");
        assert!(!text.contains("918273"), "{text}");
        let statement: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(statement["steps"][0]["method"], json!(method));
        assert_eq!(statement["steps"][0]["parameters"], parameters);
        // It is fit for link; the attack on rank swapping knows that it is not meant.
        let shown = sandbox.run("link --method rsld --statement s.json good.csv m.csv");
        let refused = shown.ended(2).stderr;
        let words: Vec<&str> = refused.split_whitespace().collect();
        let told = format!("the statement is of {method}; rsld is the attack on rankswap");
        assert!(words.join(" ").contains(&told), "{refused}");
    }
}

/// `;` between cells, `,` before decimals, quotes, gaps: new numbers are written the same way and read back as numbers.
#[test]
fn a_file_with_decimal_commas_keeps_its_dialect() {
    let text = "town;a;b\r\n\"x\";1,5;10\r\n\"y\";2,25;\r\n\"z\";-3,5;40\r\n\"w\";8;25\r\n";
    let sandbox = Sandbox::with(&[("in.csv", text)]);
    for (call, whole) in [
        ("noise --level 0.5", false),
        ("noise --level 0.5 --round", true),
        ("noise --level 0.5 --restore", false),
    ] {
        let masked = sandbox
            .run(&format!("mask {call} --attributes a,b --seed 1 in.csv"))
            .ended(0)
            .text();
        let lines: Vec<&str> = masked.split("\r\n").collect();
        assert_eq!((lines.len(), lines[0]), (6, "town;a;b"), "{masked}");
        assert!(lines[2].starts_with("\"y\";") && lines[2].ends_with(';'));
        let mut changed = 0;
        for (line, old) in lines[1..5].iter().zip(text.split("\r\n").skip(1)) {
            let cells: Vec<&str> = line.split(';').collect();
            assert_eq!(cells.len(), 3, "{line}");
            assert!(!line.contains('.'), "{line}");
            for cell in cells[1..].iter().filter(|cell| !cell.is_empty()) {
                cell.replace(',', ".").parse::<f64>().unwrap();
            }
            assert!(!whole || !cells[2].contains(','), "{line}");
            changed += usize::from(*line != old);
        }
        assert_eq!(changed, 4);
    }
    for call in ["pbuckets --p 2", "pdistribution --p 50"] {
        let masked = sandbox
            .run(&format!("mask {call} --attributes a --seed 1 in.csv"))
            .ended(0)
            .text();
        let cells = |text: &str| -> Vec<String> {
            let of = |line: &str| line.split(';').nth(1).map(str::to_owned);
            let mut cells: Vec<String> = text.split("\r\n").skip(1).filter_map(of).collect();
            cells.sort();
            cells
        };
        assert_eq!(cells(&masked), cells(text));
        assert_ne!(masked, text);
    }
}

#[test]
fn what_was_done_is_said() {
    let sandbox = Sandbox::with(&[("good.csv", GOOD)]);
    for (call, told) in [
        (
            "pbuckets --p 5",
            "pbuckets: 10 records, 5 buckets of about 2 values each; fewer buckets protect more",
        ),
        (
            "pbuckets --p 1",
            "one bucket: every value could meet every other",
        ),
        (
            "pdistribution --p 40",
            "normal law with mean and sd 2 ranks (p = 40 % of the records, halved), until they hit a partner",
        ),
        (
            "noise --level 0.25",
            "independent noise with a standard deviation of 50.0 % of the attribute's (level 0.25)",
        ),
        (
            "noise --level 10 --correlated --restore --round",
            "warning: the noise has 10 times the variance of the data",
        ),
        (
            "noise --level 0.1",
            "note: flat is not masked: it is ordinal: noise needs amounts",
        ),
    ] {
        let ran = sandbox.run(&format!("mask {call} good.csv")).ended(0);
        let words: Vec<&str> = ran.stderr.split_whitespace().collect();
        assert!(words.join(" ").contains(told), "{call}: {}", ran.stderr);
    }
}
