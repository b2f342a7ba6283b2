//! `sdcrisk score`.
#![allow(
    clippy::float_cmp,
    reason = "the same figures of several commands must be the same to the last bit"
)]

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

/// The first 120 people of the demo, rank swapped with a window of 6 ranks.
fn swapped() -> Sandbox {
    let sandbox = Sandbox::new();
    let people = sandbox.run("demo --data").ended(0).text();
    let first: Vec<&str> = people.lines().take(121).collect();
    sandbox.write("people.csv", first.join("\n") + "\n");
    sandbox
        .run("mask rankswap --p 5 --seed 1 --statement m.json -o masked.csv people.csv")
        .ended(0);
    sandbox
}

fn share(report: &Value, path: &str) -> f64 {
    let value = report.pointer(path).and_then(Value::as_f64);
    value.unwrap_or_else(|| panic!("{path} is no number in {report}"))
}

/// The sum of n terms in some order differs from that in another by n roundings at most.
fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-15
}

#[test]
fn terms_are_those_of_link_loss_and_risk() {
    let sandbox = swapped();
    let report = sandbox
        .run("score --statement m.json --format json people.csv masked.csv")
        .ended(0)
        .json();
    assert_eq!(
        (&report["schema"], &report["form"]),
        (&"sdcrisk.score/1".into(), &"rsld".into())
    );
    // 12 attributes: half of them.
    assert_eq!(report["scenario"]["known"], "sweep:6");
    let link = |options: &str| {
        let call = format!("link {options} --known sweep:6 --format json people.csv masked.csv");
        sandbox.run(&call).ended(0).json()
    };
    let of = |report: &Value| share(report, "/means/0/rate");
    let rsld = of(&link("--method rsld --statement m.json"));
    let dld = of(&link("--method am"));
    let pld = of(&link("--method prl --assign one-to-one"));
    let loss = sandbox
        .run("loss --format json people.csv masked.csv")
        .ended(0)
        .json();
    let il = share(&loss, "/measures/il");
    let risk = sandbox
        .run("risk --format json people.csv masked.csv")
        .ended(0)
        .json();
    let id = share(&risk, "/measures/interval_disclosure_rank");
    for (path, value) in [
        ("/terms/rsld", rsld),
        ("/terms/dld", dld),
        ("/terms/pld", pld),
        ("/il", il),
        ("/terms/id", id),
    ] {
        assert_eq!(share(&report, path), value, "{path}");
    }
    // The formulas of the slides, and of 2001.
    let dr = 0.166 * rsld + 0.166 * dld + 0.166 * pld + 0.5 * id;
    assert!(close(share(&report, "/dr"), dr));
    assert!(close(share(&report, "/score"), 0.5 * (il + dr)));
    let dr = 0.5 * (dld + pld) / 2.0 + 0.5 * id;
    assert!(close(share(&report, "/dr_2001"), dr));
    assert!(close(share(&report, "/score_2001"), 0.5 * (il + dr)));
    // The third form: the attack and the case that link the most, those of the whole law and of the involution among them.
    let highest = |report: &Value| {
        let results = report["results"].as_array().unwrap().iter();
        results
            .map(|result| share(result, "/rate"))
            .fold(0.0, f64::max)
    };
    let strongest = [
        link("--method rsld --statement m.json"),
        link("--method am"),
        link("--method prl --assign one-to-one"),
        link("--method likelihood --assign balanced --statement m.json"),
        link("--method involution --statement m.json"),
    ]
    .iter()
    .map(highest)
    .fold(0.0, f64::max);
    assert_eq!(share(&report, "/terms/strongest"), strongest);
    assert!(close(
        share(&report, "/dr_strongest"),
        0.5 * strongest + 0.5 * id
    ));
    assert!(share(&report, "/dr_strongest") >= share(&report, "/dr_2001"));
    // Case by case, with numerator and denominator.
    for term in report["links"].as_array().unwrap() {
        let cases = term["cases"].as_array().unwrap();
        assert_eq!(cases.len(), 6);
        for case in cases {
            assert!(close(
                share(case, "/rate"),
                share(case, "/correct") / share(case, "/records")
            ));
        }
    }
    assert!(report["provenance"]["files"][1]["sha256"].is_string());
}

/// A file that nothing was done to: no loss, everybody with a distinct value is the nearest to themselves, every value inside
/// its interval. Ten records of different values in both attributes.
#[test]
fn the_identity_mask_loses_nothing_and_protects_nobody() {
    let records: Vec<String> = (0..10).map(|i| format!("{},{}\n", 3 * i, i * i)).collect();
    let sandbox = Sandbox::with(&[("f.csv", &("a,b\n".to_string() + &records.concat()))]);
    sandbox.shell("cp f.csv same.csv").ended(0);
    let report = sandbox
        .run("score --window 1 --known sweep:2 --agree exact --format json f.csv same.csv")
        .ended(0)
        .json();
    assert_eq!(share(&report, "/il"), 0.0);
    for term in ["rsld", "dld", "pld", "id"] {
        assert_eq!(share(&report, &format!("/terms/{term}")), 1.0, "{term}");
    }
    assert!(close(share(&report, "/dr"), 0.998));
    assert_eq!(share(&report, "/score_2001"), 0.5);
}

#[test]
fn without_a_window_the_form_of_2001_comes_first_and_the_reason_is_said() {
    let sandbox = swapped();
    let call = "score --known first:2 people.csv masked.csv";
    let text = sandbox.run(call).ended(0).text();
    let first = text
        .lines()
        .position(|line| line.contains("score_2001"))
        .unwrap();
    let other = text
        .lines()
        .position(|line| line.contains("score ") && line.contains("not defined"))
        .unwrap();
    assert!(first < other, "{text}");
    assert!(
        text.contains("not defined: RSLD is absent")
            && text.contains("RSLD is absent: nothing was published about"),
        "{text}"
    );
    let report = sandbox
        .run(&format!("{call} --format json"))
        .ended(0)
        .json();
    assert!(
        report["dr"].is_null() && report["score"].is_null() && report["terms"]["rsld"].is_null()
    );
    assert!(share(&report, "/score_2001") > 0.0);
    // The statement of another method is a reason, too.
    sandbox
        .run("mask microagg --k 3 --statement g.json -o grouped.csv people.csv")
        .ended(0);
    let text = sandbox
        .run("score --known first:2 --statement g.json people.csv grouped.csv")
        .ended(0)
        .text();
    assert!(text.contains("the statement is of microagg"), "{text}");
}

#[test]
fn all_attacks_meet_the_same_random_intruder() {
    let sandbox = swapped();
    let report = sandbox
        .run(
            "score --p 5 --known random:2x3 --known-records 50 --format json people.csv masked.csv",
        )
        .ended(0)
        .json();
    let known = |term: usize| -> Vec<Value> {
        let cases = report["links"][term]["cases"].as_array().unwrap();
        assert!(cases.iter().all(|case| case["records"] == 50));
        cases.iter().map(|case| case["known"].clone()).collect()
    };
    assert_eq!(known(0).len(), 3);
    assert_eq!((known(0), known(0)), (known(1), known(2)));
}

#[test]
fn a_gate_looks_at_dr() {
    let sandbox = swapped();
    let call = |limit: &str| {
        format!("score --known first:2 --fail-above {limit} --format csv people.csv masked.csv")
    };
    let csv = sandbox.run(&call("99%")).ended(0).text();
    let dr = csv
        .lines()
        .find_map(|line| line.strip_prefix("people.csv,masked.csv,dr_2001,,"))
        .unwrap();
    let dr: f64 = dr.split(',').next().unwrap().parse().unwrap();
    assert!(dr > 0.1 && dr < 0.99, "{dr}");
    sandbox.run(&call(&format!("{}", dr - 1e-9))).ended(10);
    sandbox.run(&call(&format!("{}", dr + 1e-9))).ended(0);
}

/// A window that was not the masking's: the involution behind the third form says so, for people and programs.
#[test]
fn a_score_says_when_an_attack_finds_its_assumption_broken() {
    let sandbox = swapped();
    let report = |options: &str| {
        let call = format!("score {options} --known first:4 --format json people.csv masked.csv");
        sandbox.run(&call).ended(0).json()
    };
    let remarks = |report: &Value| -> Vec<String> {
        let links = report["links"].as_array().unwrap();
        let of = links.iter().find(|link| link["term"] == "involution");
        let remarks = of.unwrap()["remarks"].as_array().cloned();
        let text = |remark: &Value| remark.as_str().unwrap().to_string();
        remarks.unwrap_or_default().iter().map(text).collect()
    };
    assert!(remarks(&report("--statement m.json")).is_empty());
    let wrong = report("--window 2");
    let remark = &remarks(&wrong)[0];
    assert!(
        remark.starts_with("the assumption does not hold"),
        "{remark}"
    );
    let reading = wrong["reading"].to_string();
    assert!(
        reading.contains("involution: the assumption does not hold"),
        "{reading}"
    );
}

#[test]
fn threads_and_repetition_change_nothing() {
    let sandbox = swapped();
    let run = |threads: u32| {
        let call = format!(
            "score --statement m.json --known first:3 --threads {threads} people.csv masked.csv"
        );
        sandbox.run(&call).ended(0).stdout
    };
    assert_eq!(run(1), run(2));
}

/// A town that was recoded is not in IL: IL stays a figure of the numbers, and a score would call the recoding free.
#[test]
fn there_is_no_score_where_il_misses_what_changed() {
    let original = "x,y,town\n1,4,Hull\n2,9,Leeds\n3,2,Hull\n4,7,York\n5,1,Hull\n";
    let sandbox = Sandbox::with(&[
        ("o.csv", original),
        ("m.csv", &original.replace("Leeds", "York")),
    ]);
    let report = |masked: &str| {
        let call = format!("score --p 40 --known first:1 --format json o.csv {masked}");
        sandbox.run(&call).ended(0).json()
    };
    let (same, recoded) = (report("o.csv"), report("m.csv"));
    assert_eq!(same["scenario"]["not_in_il"], json!([]));
    assert!(same["score"].is_number() && same["score_2001"].is_number());
    assert_eq!(recoded["scenario"]["not_in_il"], json!(["town"]));
    assert_eq!(recoded["il"], json!(0.0));
    assert!(recoded["score"].is_null() && recoded["score_2001"].is_null());
    assert!(recoded["dr"].is_number());
    let reading = recoded["reading"].to_string();
    assert!(reading.contains("what was lost of town (1 of 3 compared attributes"));
    // What takes its place, by hand: of Hull 3, Leeds 1, York 1 the last two became one, so 2 ln 2 of 5 ln 5 - 3 ln 3 remain unknown; the
    // two numbers lost nothing.
    let entropy = 2.0 * 2_f64.ln() / (5.0 * 5_f64.ln() - 3.0 * 3_f64.ln());
    let number = |key: &str| recoded[key].as_f64().unwrap();
    assert!((number("il_all") - entropy / 3.0).abs() < 1e-12);
    assert!((number("score_all") - (entropy / 3.0 + number("dr")) / 2.0).abs() < 1e-12);
    assert!(reading.contains("IL_all (9.7 %)"), "{reading}");
    let figures = |report: &Value| report["figures"].to_string().contains("score_all");
    assert!(figures(&recoded) && !figures(&same));
    assert_eq!(same["il_all"], same["il"]);
}
