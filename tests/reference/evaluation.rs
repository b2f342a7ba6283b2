//! Every number of a small grid of experiments on the Census file is that of an independent program (evaluation.py, which made
//! evaluation.json for the plan evaluation.toml): losses, rates, means, intervals, the Pareto front.

use std::process::Command;

use serde_json::Value;

fn same(ours: &Value, theirs: &Value, context: &str) {
    let context = format!("{context}: {ours}, not {theirs}");
    let (Some(ours), Some(theirs)) = (ours.as_f64(), theirs.as_f64()) else {
        panic!("{context}")
    };
    // Ends of intervals are differences, so next to zero they have fewer digits.
    let off = (ours - theirs).abs();
    assert!(off <= 1e-9 * theirs.abs().max(1e-3), "{context}");
}

fn entries(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().unwrap().iter()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

#[test]
fn a_grid_is_that_of_an_independent_program() {
    let Some(census) = super::path("census.csv") else {
        return;
    };
    let expected: Value = serde_json::from_str(include_str!("evaluation.json")).unwrap();
    let plan =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference/evaluation.toml");
    let output = Command::new(env!("CARGO_BIN_EXE_sdcrisk"))
        .args(["evaluate", "--quiet", "--format", "json", "--data"])
        .args([census.parent().unwrap(), &plan])
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();

    let (rows, theirs) = (list(&found["rows"]), list(&expected["rows"]));
    assert_eq!(rows.len(), theirs.len());
    for (row, theirs) in rows.iter().zip(theirs) {
        let context = format!("setting {}, seed {}", theirs["setting"], theirs["seed"]);
        assert_eq!(row["setting"], theirs["setting"]);
        if !theirs["seed"].is_null() {
            assert_eq!(row["seed"], theirs["seed"], "{context}");
        }
        for kind in ["losses", "risks"] {
            for (key, value) in entries(&theirs[kind]) {
                same(&row[kind][key], value, &format!("{context}, {key}"));
            }
        }
        let attacks = list(&row["attacks"])
            .iter()
            .filter(|a| !a["rate"].is_null());
        assert_eq!(attacks.clone().count(), entries(&theirs["attacks"]).count());
        for attack in attacks {
            let name = attack["name"].as_str().unwrap();
            let theirs = &theirs["attacks"][name];
            let context = format!("{context}, {name}");
            same(&attack["rate"], &theirs["rate"], &context);
            let cases = list(&attack["by_case"]);
            assert_eq!(cases.len(), list(&theirs["by_case"]).len(), "{context}");
            for (case, rate) in cases.iter().zip(list(&theirs["by_case"])) {
                same(
                    &case["rate"],
                    rate,
                    &format!("{context}, {}", case["known"]),
                );
            }
        }
    }

    let (settings, theirs) = (list(&found["settings"]), list(&expected["settings"]));
    assert_eq!(settings.len(), theirs.len());
    for (setting, theirs) in settings.iter().zip(theirs) {
        let label = &setting["label"];
        assert_eq!(setting["pareto"], theirs["pareto"], "{label}");
        for (key, value) in entries(&theirs["measures"]) {
            let measure = &setting["measures"][key];
            let context = format!("{label}, {key}");
            same(&measure["mean"], &value["mean"], &context);
            if !value["interval"].is_null() {
                for end in 0..2 {
                    same(&measure["interval"][end], &value["interval"][end], &context);
                }
            }
        }
    }
}
