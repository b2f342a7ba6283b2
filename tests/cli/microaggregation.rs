//! `mask microagg` as users call it.

use serde_json::json;

use crate::{bad_input::GOOD, sandbox::Sandbox};

const EXAMPLE: &str = include_str!("../../data/microaggregation-original.csv");

/// The first block of the worked example of the literature (V. Torra, PAIS 2015), as six digits print it.
const PRINTED: &str = include_str!("../../data/microaggregation-masked.csv");

fn first_two(csv: &str) -> Vec<Vec<f64>> {
    csv.lines()
        .skip(1)
        .map(|line| {
            line.split(',')
                .take(2)
                .map(|cell| cell.parse().unwrap())
                .collect()
        })
        .collect()
}

#[test]
fn the_worked_example_from_the_command_line() {
    let sandbox = Sandbox::with(&[("in.csv", EXAMPLE)]);
    let ran = sandbox
        .run("mask microagg --decimals full --group 'v1,v2:3' in.csv")
        .ended(0);
    for (ours, printed) in first_two(&ran.text()).iter().zip(first_two(PRINTED)) {
        for (a, b) in ours.iter().zip(printed) {
            assert!((a - b).abs() < 5e-6, "{ours:?}");
        }
    }
    for (ours, original) in ran.text().lines().zip(EXAMPLE.lines()) {
        let last_two = |line: &str| line.splitn(3, ',').nth(2).unwrap().to_owned();
        assert_eq!(
            last_two(ours),
            last_two(original),
            "v3 and v4 are in no group"
        );
    }
    assert!(
        ran.stderr.contains("v1, v2: k = 3, 5 groups of 3 records"),
        "{}",
        ran.stderr
    );
}

#[test]
fn the_partition_says_who_is_with_whom_and_is_private() {
    let sandbox = Sandbox::with(&[("in.csv", EXAMPLE)]);
    sandbox
        .run("mask microagg --decimals full --group 'v1,v2:3' --group 'v3,v4' --k 4 --partition groups.csv -o masked.csv in.csv")
        .ended(0);
    let groups = sandbox.text("groups.csv");
    let lines: Vec<Vec<&str>> = groups
        .lines()
        .map(|line| line.split(',').collect())
        .collect();
    assert_eq!(lines[0], ["record", "group of v1+v2", "group of v3+v4"]);
    assert_eq!(lines.len(), 16);
    let masked = sandbox.text("masked.csv");
    let masked: Vec<Vec<&str>> = masked
        .lines()
        .skip(1)
        .map(|line| line.split(',').collect())
        .collect();
    for a in 0..15 {
        for b in 0..15 {
            // Records of a group have the same averages; here, others do not.
            assert_eq!(
                lines[a + 1][1] == lines[b + 1][1],
                masked[a][..2] == masked[b][..2]
            );
            assert_eq!(
                lines[a + 1][2] == lines[b + 1][2],
                masked[a][2..] == masked[b][2..]
            );
        }
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(sandbox.path("groups.csv"))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[test]
fn the_statement_tells_the_method_and_no_group() {
    let sandbox = Sandbox::with(&[("in.csv", EXAMPLE)]);
    sandbox
        .run("mask microagg --group 'v1,v2:3' --algorithm v-mdav --gamma 0.5 --statement s.json -o m.csv in.csv")
        .ended(0);
    let statement: serde_json::Value = serde_json::from_str(&sandbox.text("s.json")).unwrap();
    assert_eq!(statement["steps"][0]["method"], json!("microagg"));
    assert_eq!(
        statement["steps"][0]["parameters"],
        json!({
            "algorithm": {"v-mdav": {"gamma": 0.5}},
            "blocks": [{"attributes": ["v1", "v2"], "k": 3}],
            "scale": "z", "average": "mean", "rounded": true
        })
    );
    let refused = sandbox
        .run("link --method rsld --statement s.json in.csv m.csv")
        .ended(2);
    assert!(
        refused
            .stderr
            .contains("the statement is of microagg; rsld is the attack on rankswap"),
        "{}",
        refused.stderr
    );
}

/// The same file in another office's dialect gives the same numbers, in that dialect.
#[test]
fn a_decimal_comma_changes_nothing_but_the_look() {
    let csv = "a,b\n1.5,2\n2.25,3\n9,8.5\n8,7.75\n1,2.5\n9.5,8\n";
    let other: String = csv
        .chars()
        .map(|c| match c {
            ',' => ';',
            '.' => ',',
            c => c,
        })
        .collect();
    let sandbox = Sandbox::with(&[("in.csv", csv), ("other.csv", &other)]);
    let plain = sandbox
        .run("mask microagg --decimals full --k 3 in.csv")
        .ended(0)
        .text();
    let comma = sandbox
        .run("mask microagg --decimals full --k 3 other.csv")
        .ended(0)
        .text();
    assert_eq!(comma.replace(',', ".").replace(';', ","), plain);
    // (1.5 + 2.25 + 1) / 3 and (9 + 8 + 9.5) / 3, (2 + 3 + 2.5) / 3 = 2.5
    assert!(
        plain
            .starts_with("a,b\n1.5833333333333333,2.5\n1.5833333333333333,2.5\n8.833333333333334,")
    );
}

#[test]
fn a_masked_file_can_be_attacked_through_a_pipe() {
    let sandbox = Sandbox::with(&[("in.csv", GOOD)]);
    let report = sandbox
        .shell("sdcrisk mask microagg --decimals full --k 5 --attributes age,income in.csv | sdcrisk link --method am --known age,income --format json in.csv -")
        .ended(0)
        .json();
    // Two groups of five: a record ties with the four others of the nearer group.
    assert_eq!(report["results"][0]["correct"]["strict"], json!(0));
    assert!(
        report["results"][0]["correct"]["optimistic"]
            .as_u64()
            .unwrap()
            >= 5
    );
}

/// A shuffled release matched by place would look safe whatever it is.
#[test]
fn a_shuffled_release_is_not_attacked_by_place() {
    let sandbox = Sandbox::with(&[("in.csv", GOOD)]);
    sandbox
        .run("mask rankswap --window 2 --shuffle key.csv --statement s.json -o m.csv in.csv")
        .ended(0);
    let statement: serde_json::Value = serde_json::from_str(&sandbox.text("s.json")).unwrap();
    assert_eq!(statement["steps"][0]["shuffled"], json!(true));
    let refused = sandbox
        .run("link --method rsld --statement s.json in.csv m.csv")
        .ended(2);
    assert!(
        refused.stderr.contains("is in random order"),
        "{}",
        refused.stderr
    );
    sandbox
        .run("link --method rsld --statement s.json --key key.csv in.csv m.csv")
        .ended(0);
}

/// The statement and the options say the same; a part of a block is said to confine nothing.
#[test]
fn the_attack_by_statement_and_by_options() {
    let sandbox = Sandbox::with(&[("in.csv", EXAMPLE)]);
    sandbox
        .run(
            "mask microagg --decimals full --k 3 --algorithm individual-ranking --statement s.json -o m.csv in.csv",
        )
        .ended(0);
    let by = |options: &str| {
        let ran = sandbox.run(&format!(
            "link --method microagg {options} --format json in.csv m.csv"
        ));
        let report: serde_json::Value = serde_json::from_str(&ran.ended(0).text()).unwrap();
        report["results"][0].clone()
    };
    let stated = by("--statement s.json");
    assert_eq!(stated["contains_true"], json!(15));
    assert_eq!(stated["certain"], stated["certain_correct"]);
    let told = by("--algorithm individual-ranking --group v1,v2:3 --group v3,v4");
    assert_eq!(stated, told);
    let ran = sandbox.run("link --method microagg --known v1 --group v1,v2 in.csv m.csv");
    let said = ran.ended(0).stderr;
    assert!(said.contains("v1, v2 were aggregated together"), "{said}");
}
