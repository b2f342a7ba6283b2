//! What `mask` says of attributes that reach the masked file and single out records.

use crate::sandbox::{Ran, Sandbox};

/// 120 people, three to a household, thirty of them born on the day of another: nothing is named as an identifier is. Codes of which two
/// thirds differ, 25 days of visits, numbers of dwellings under a name that does not say so.
fn people() -> Sandbox {
    let mut text = String::from("tax,household,born,remark,income,spent,age,sex,code,visit,w\n");
    for record in 0..120_u32 {
        let remark = match record % 4 {
            0 => format!("moved here {record} years ago for the work at the old mill"),
            _ => "none".into(),
        };
        text += &format!(
            "{},{},19{:02}-{:02}-{:02},{remark},{},{}.25,{},{},k{},2024-05-{:02},{}\n",
            70_000_001 + u64::from(record) * 7_919 % 10_007,
            400 + record / 3 * 7,
            40 + record % 90 % 60,
            1 + record % 90 % 12,
            1 + record % 90 % 28,
            20_000 + record * 6_133 % 9_973,
            record * 31 % 997,
            20 + record % 23,
            record % 2,
            record * 7 % 83,
            1 + record % 25,
            7_000 + record / 3 * 7,
        );
    }
    let sandbox = Sandbox::new();
    sandbox.write("in.csv", text);
    sandbox.write(
        "answered.toml",
        "non-confidential = ['tax', 'household', 'born', 'remark', 'income', 'code', 'visit', 'w']",
    );
    sandbox.write(
        "roles.toml",
        "confidential = ['tax', 'household', 'born', 'remark', 'income', 'code', 'visit', 'w']\nquasi-identifier = ['age', 'sex']",
    );
    sandbox.write(
        "dropped.toml",
        "identifier = ['tax', 'household', 'born', 'remark']",
    );
    sandbox
}

/// The attributes that the warning names.
fn named(ran: &Ran) -> Vec<String> {
    let begin =
        "warning: these attributes can single out records of the masked file as they stand: ";
    let line = ran.stderr.lines().find_map(|line| line.strip_prefix(begin));
    let (list, _) = line.map_or(("", ""), |line| line.split_once(". Mask them").unwrap());
    list.split("), ")
        .filter(|item| !item.is_empty())
        .map(|item| item.split(" (").next().unwrap().to_owned())
        .collect()
}

#[test]
fn what_singles_out_and_is_released_as_collected_is_named() {
    let sandbox = people();
    for (options, expected) in [
        // Amounts with decimals, ages and sexes are many people's.
        (
            "--attributes age,sex --drop tax,household,born,remark",
            &["income", "code", "visit", "w"][..],
        ),
        (
            "--attributes age,income --drop tax,household,born,remark",
            &["code", "visit", "w"],
        ),
        (
            "--attributes age --drop tax,household,born,remark,code,income",
            &["visit", "w"],
        ),
        ("--drop tax,household,born,remark", &["code", "visit"]),
        ("--roles answered.toml", &[]),
        // A stated role answers whether it is an identifier, not whether numbers single out.
        ("--roles roles.toml", &["tax", "income"]),
        (
            "--roles dropped.toml --attributes age",
            &["income", "code", "visit", "w"],
        ),
        ("--roles dropped.toml", &["code", "visit"]),
    ] {
        let ran = sandbox
            .run(&format!(
                "mask rankswap --window 3 {options} -o m.csv in.csv"
            ))
            .ended(0);
        assert_eq!(named(&ran), expected, "{options}: {}", ran.stderr);
        // Names of attributes, and nothing that a cell says.
        assert!(
            !ran.stderr.contains("mill") && !ran.stderr.contains("7000"),
            "{}",
            ran.stderr
        );
    }
}

#[test]
fn the_warning_is_an_error_under_strict_and_no_matter_of_evaluations() {
    let sandbox = people();
    let ran = sandbox
        .run("--strict mask rankswap --window 3 --roles dropped.toml --attributes age -o m.csv in.csv")
        .ended(2);
    assert!(
        ran.stderr.contains("can single out records"),
        "{}",
        ran.stderr
    );
    assert!(!sandbox.path("m.csv").exists());
    let kept = sandbox
        .run("mask rankswap --window 3 --roles dropped.toml --attributes age --keep-identifiers -o m.csv in.csv")
        .ended(0);
    assert!(!kept.stderr.contains("can single out"), "{}", kept.stderr);
}
