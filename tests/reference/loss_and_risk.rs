//! Information loss and interval disclosure equal, to the ninth figure, what an independent program works out from the same
//! files (loss_and_risk.py, which states its readings and made loss_and_risk.json; versions and calls are in there).

use std::process::Command;

use sdcrisk::{
    figure::{self, Figure},
    loss,
    risk::interval,
    table::{AttrId, ReadOptions, Table, pair::Pair},
};
use serde_json::Value;

/// How far two figures may differ: a part of their size, ...
const RELATIVE: f64 = 1e-9;

fn fixture() -> Value {
    serde_json::from_str(include_str!("loss_and_risk.json")).unwrap()
}

fn strings(value: &Value) -> Vec<&str> {
    let names = value.as_array().unwrap().iter();
    names.map(|name| name.as_str().unwrap()).collect()
}

fn read(path: &std::path::Path) -> Table {
    let bytes = std::fs::read(path).unwrap();
    Table::read("t.csv", bytes, &ReadOptions::default()).unwrap()
}

/// The two files of a case side by side; `None` where the reference files are absent.
fn pair(case: &Value) -> Option<Pair> {
    let file = case["file"].as_str().unwrap();
    let data = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    let original = if case["bundled"] == false {
        super::path(file)?
    } else {
        data.join(file)
    };
    let folder = tempfile::tempdir().unwrap();
    let masked = match case["call"].as_str().unwrap() {
        "bundled" => data.join(file.replace("original", "masked")),
        call => {
            let masked = folder.path().join("masked.csv");
            let words: Vec<&str> = call.split(' ').collect();
            let [_, options @ .., _] = &words[..] else {
                panic!("a call has a program and a file")
            };
            let status = Command::new(env!("CARGO_BIN_EXE_sdcrisk"))
                .args(["--quiet"])
                .args(options)
                .arg("-o")
                .args([&masked, &original])
                .status();
            assert!(status.unwrap().success(), "{call}");
            masked
        }
    };
    let tables = [read(&original), read(&masked)];
    let place = |table: &Table, name: &str| -> AttrId {
        let found = table.ids().find(|id| table.attribute(*id).name == name);
        found.unwrap()
    };
    let attributes: Vec<[AttrId; 2]> = strings(&case["attributes"])
        .into_iter()
        .map(|name| [place(&tables[0], name), place(&tables[1], name)])
        .collect();
    let n = u32::try_from(tables[0].n_records()).unwrap();
    let records: Vec<[u32; 2]> = (0..n).map(|record| [record, record]).collect();
    let [before, after] = &tables;
    Some(Pair::new([before, after], &attributes, &records))
}

/// Every figure of the fixture is there and equal; returns what is not.
fn differences(case: &Value, figures: &[Figure], kind: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (key, expected) in case[kind].as_object().unwrap() {
        let name = &case["name"];
        let Some(figure) = figure::find(figures, key) else {
            found.push(format!("{name}: there is no {key}"));
            continue;
        };
        // ... or what rounding can make of a figure that is 0 by the method (worked out in the fixture).
        let rounding = case["rounding"][key].as_f64().unwrap_or(0.0);
        let equal = match (figure.value, expected.as_f64()) {
            (Some(ours), Some(theirs)) => {
                (ours - theirs).abs() <= (RELATIVE * theirs.abs()).max(rounding)
            }
            (ours, theirs) => ours.is_none() && theirs.is_none(),
        };
        if !equal {
            let (ours, why) = (figure.value, &figure.why_not);
            found.push(format!(
                "{name}: {key} is {ours:?} ({why:?}), not {expected}"
            ));
        }
        let skipped = &case["skipped"][key];
        if !skipped.is_null() && skipped != figure.skipped {
            let ours = figure.skipped;
            found.push(format!("{name}: {key} leaves out {ours}, not {skipped}"));
        }
    }
    found
}

#[test]
fn numbers_are_those_of_an_independent_program() {
    let fixture = fixture();
    let mut found = Vec::new();
    for case in fixture["cases"].as_array().unwrap() {
        if let Some(pair) = pair(case) {
            found.extend(differences(case, &loss::figures(&pair, &[]), "loss"));
            let disclosure = interval::figures(&pair.numbers);
            found.extend(differences(case, &disclosure, "risk"));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn categories_are_those_of_an_independent_program() {
    let fixture = fixture();
    let mut found = Vec::new();
    for case in fixture["categories"].as_array().unwrap() {
        if let Some(pair) = pair(case) {
            found.extend(differences(case, &loss::figures(&pair, &[]), "loss"));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
