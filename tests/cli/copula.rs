//! `mask copula` as a user calls it.

use crate::sandbox::Sandbox;

/// Forty people with two amounts that go together, a class and a region; one amount is missing.
fn people() -> String {
    let mut text = String::from("person;income;tax;class;region\n");
    for i in 0..40_u32 {
        let income = 1000 + (i * 379) % 1009;
        let tax = match i {
            7 => String::new(),
            _ => format!("{},5", income / 4 + (i * 31) % 53),
        };
        let region = ["north", "south"][i as usize % 2];
        text += &format!("P{i:02};{income};{tax};{};{region}\n", income / 500);
    }
    text
}

fn sandbox() -> Sandbox {
    Sandbox::with(&[
        ("in.csv", people().as_str()),
        ("office.key", "a secret of 23 bytes..."),
        ("short.key", "too short"),
    ])
}

fn said(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn options_that_make_no_sense_are_refused() {
    for (options, says) in [
        ("in.csv", "--mu"),
        ("--mu 3 --bits 4 in.csv", "cannot be used with"),
        ("--mu 0 in.csv", "--mu is a number above 0"),
        ("--bits -1 in.csv", "--bits is a number above 0"),
        ("--mu 3 --components 0 in.csv", "neither auto nor a number"),
        (
            "--mu 3 --weight income in.csv",
            "not of the form NAMES=NUMBER",
        ),
        (
            "--mu 3 --weight income=-2 in.csv",
            "--weight that is not a number above 0",
        ),
        ("--mu 3 --weight nobody=2 in.csv", "no attribute \"nobody\""),
        (
            "--mu 3 --given tax --attributes income,tax in.csv",
            "stays as it is",
        ),
        (
            "--mu 3 --given region --drop region in.csv",
            "is given here, so it is kept",
        ),
        (
            "--mu 3 --attributes region in.csv",
            "has names without an order",
        ),
        ("--mu 3 --secret short.key in.csv", "16 at least"),
        (
            "--mu 3 --secret office.key --id class --attributes income in.csv",
            "one of its own",
        ),
        ("--mu 3 --secret nowhere.key in.csv", "nowhere.key"),
    ] {
        let ran = sandbox().run(&format!("mask copula {options}"));
        assert!(
            matches!(ran.status, Some(1..=3)),
            "{options}: {:?}",
            ran.status
        );
        let stderr = said(&ran.stderr);
        assert!(stderr.contains(says), "{options}: {stderr}");
        assert!(ran.stdout.is_empty(), "{options}");
    }
}

#[test]
fn what_was_done_is_said() {
    let sandbox = sandbox();
    let ran = sandbox
        .run("mask copula --mu 3 --attributes income,tax,class --given region --seed 5 --statement s.json -o m.csv in.csv")
        .ended(0);
    let stderr = said(&ran.stderr);
    for part in [
        "copula: 40 records, mu = 3.0000, 1 component: a masked record says",
        "of 5.32 that single one out",
        "correlation with the original scores, by direction:",
        "the values of each attribute are the original ones, but for the least and the greatest",
        "missing values are as many as before, of other records: tax",
        "kept as they are, with their relations to the masked attributes: region",
        "warning: another release of the same people would have other noise",
    ] {
        assert!(stderr.contains(part), "{part}: {stderr}");
    }
    let statement: serde_json::Value = serde_json::from_str(&sandbox.text("s.json")).unwrap();
    assert_eq!(statement["method"], "copula");
    let parameters = &statement["parameters"];
    assert_eq!(
        parameters["values"],
        serde_json::json!(["income", "tax", "class"])
    );
    assert_eq!(parameters["gaps"], serde_json::json!(["tax"]));
    assert_eq!(parameters["given"]["terms"][0]["attribute"], "region");
    assert_eq!(parameters["secret"], false);
    let masked = sandbox.text("m.csv");
    assert!(masked.starts_with("income;tax;class;region\n"));
    assert_eq!(masked.lines().filter(|line| line.contains(";;")).count(), 1);
}

/// With a secret a second call gives the same file without any seed; nothing of the secret is in what is published.
#[test]
fn a_secret_needs_no_seed_and_is_not_published() {
    let sandbox = sandbox();
    let call = "mask copula --mu 2 --secret office.key --attributes income,tax";
    let first = sandbox
        .run(&format!("{call} --statement s.json in.csv"))
        .ended(0);
    let second = sandbox.run(&format!("{call} --id person in.csv")).ended(0);
    assert_eq!(first.text(), second.text());
    assert!(!said(&first.stderr).contains("another release"));
    let statement = sandbox.text("s.json");
    assert!(statement.contains("\"secret\": true"));
    assert!(!statement.contains("23 bytes") && !first.stderr.contains("23 bytes"));
    sandbox
        .run(&format!("--strict {call} --seed 3 in.csv"))
        .ended(2);
    sandbox
        .run(&format!("{call} -o office.key in.csv"))
        .ended(2);
}
