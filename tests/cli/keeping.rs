//! `--keep-sums` and `--keep-zeros`, and what summaries say of sums, signs and zeros, as a user meets them.

use crate::sandbox::Sandbox;

/// Sixty enterprises: total = home + abroad, both with zeros.
fn enterprises() -> String {
    let mut text = String::from("total,home,abroad\n");
    for i in 0..60_u32 {
        let home = if i % 4 == 0 { 0 } else { 100 + i * 37 % 991 };
        let abroad = if i % 4 == 0 || i % 3 == 0 {
            0
        } else {
            5 + i * 53 % 499
        };
        text += &format!("{},{home},{abroad}\n", home + abroad);
    }
    text
}

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("in.csv", enterprises());
    sandbox
}

fn amounts(text: &str) -> Vec<Vec<i64>> {
    let cells = |line: &str| line.split(',').map(|cell| cell.parse().unwrap()).collect();
    text.lines().skip(1).map(cells).collect()
}

#[test]
fn summaries_say_what_was_broken() {
    let sandbox = sandbox();
    let broken = sandbox
        .run("mask noise --level 0.5 --seed 1 -o m.csv in.csv")
        .ended(0)
        .stderr;
    for part in [
        "broken relations of the original: sums: total = home + abroad (held in 60 of 60 records, holds in 0 of 60)",
        "signs, negative values where there were none: total (",
        "zeros: total (15 gone, ",
    ] {
        assert!(broken.contains(part), "{part}: {broken}");
    }
    let kept = sandbox
        .run("mask rankswap --window 3 --keep-sums total=home+abroad --keep-zeros --seed 1 -o m.csv in.csv")
        .ended(0)
        .stderr;
    assert!(!kept.contains("sums:"), "{kept}");
    assert!(
        kept.contains("note: total is not masked: it is a total that is worked out anew"),
        "{kept}"
    );
    assert!(
        kept.contains("zeros moved as patterns: ") && kept.contains("window 3 places"),
        "{kept}"
    );
}

#[test]
fn all_methods_that_can_keep_sums_and_zeros_of_the_file() {
    let sandbox = sandbox();
    let patterns = |amounts: &[Vec<i64>]| {
        let zero = |line: &Vec<i64>| (line[1] == 0, line[2] == 0);
        let mut patterns: Vec<_> = amounts.iter().map(zero).collect();
        patterns.sort_unstable();
        patterns
    };
    let original = amounts(&enterprises());
    for call in [
        "rankswap --p 10",
        "noise --level 0.3",
        "microagg --k 3",
        "copula --mu 3",
    ] {
        let masked = sandbox
            .run(&format!("mask {call} --keep-sums total=home+abroad --keep-zeros --zeros-within 20 --seed 3 --statement m.sdc.json -o m.csv in.csv"))
            .ended(0);
        assert!(
            !masked.stderr.contains("has no effect"),
            "{}",
            masked.stderr
        );
        let released = amounts(&String::from_utf8(sandbox.read("m.csv")).unwrap());
        assert!(
            released.iter().all(|line| line[0] == line[1] + line[2]),
            "{call}"
        );
        assert_eq!(patterns(&released), patterns(&original), "{call}");
        assert_ne!(released, original);
        let statement: serde_json::Value =
            serde_json::from_slice(&sandbox.read("m.sdc.json")).unwrap();
        assert_eq!(
            statement["steps"][0]["attributes"],
            serde_json::json!(["home", "abroad"])
        );
        assert_eq!(
            statement["steps"][0]["kept"],
            serde_json::json!({
                "sums": [{"total": "total", "parts": ["home", "abroad"]}],
                "zeros": {"attributes": ["abroad", "home"], "window": 12}
            })
        );
        let linked = sandbox
            .run("link --method all --statement m.sdc.json --format json in.csv m.csv")
            .ended(0);
        assert!(
            linked
                .stderr
                .contains("have no law, and are left out: total"),
            "{}",
            linked.stderr
        );
        let report = linked.json();
        let results = report["results"].as_array().unwrap();
        let by_law = |name: &str| results.iter().find(|result| result["method"] == name);
        if call.starts_with("rankswap") {
            assert_eq!(by_law("rsld").unwrap()["contains_true"], 60);
            assert_eq!(
                by_law("rsld").unwrap()["windows"],
                serde_json::json!([60, 6, 6])
            );
        }
        assert!(by_law("likelihood").is_some());
    }
}

#[test]
fn what_has_no_use_is_noted_and_what_is_wrong_refused() {
    let sandbox = sandbox();
    sandbox.write("plain.csv", "a,b,c\n5,2,3\n9,4,5\n3,1,2\n7,3,4\n");
    let noted = sandbox
        .run("mask rankswap --window 1 --seed 1 --attributes c --keep-sums c=a+b plain.csv")
        .ended(3)
        .stderr;
    assert!(
        noted.contains("c = a + b is not a sum of this file: it holds in 0 of the 4 records"),
        "{noted}"
    );
    for (options, part) in [
        ("--keep-zeros", "--keep-zeros has no effect"),
        ("--zeros-within 3", "--zeros-within has no effect"),
        (
            "--attributes b --keep-sums a=b+c --keep-zeros",
            "--keep-zeros has no effect",
        ),
    ] {
        let call = format!("mask rankswap --window 1 --seed 1 {options} plain.csv");
        let noted = sandbox.run(&call).ended(0).stderr;
        assert!(noted.contains(part), "{noted}");
        sandbox.run(&format!("--strict {call}")).ended(2);
    }
    for (options, part) in [
        ("--keep-sums nonsense", "is not a sum"),
        ("--keep-sums a=b+nobody", "there is no attribute \"nobody\""),
        ("--keep-sums a=b+c --keep-sums a=c+b", "is the total of two"),
        (
            "--attributes a,b --keep-sums a=b+c",
            "is a total that is worked out anew",
        ),
        (
            "--keep-zeros --zeros-within 0",
            "a percentage of the records",
        ),
        (
            "--keep-zeros --zeros-within nan",
            "a percentage of the records",
        ),
        (
            "--keep-zeros --zeros-within 200",
            "a percentage of the records",
        ),
    ] {
        let refused = sandbox
            .run(&format!("mask rankswap --window 1 {options} plain.csv"))
            .ended(2);
        assert!(
            refused.stderr.contains(part),
            "{options}: {}",
            refused.stderr
        );
    }
}

/// A total of which a part is missing would be the original's.
#[test]
fn a_total_without_all_its_parts_becomes_missing() {
    let sandbox = Sandbox::new();
    sandbox.write("in.csv", "t,a,b\n5,2,3\n9,4,5\n3,1,2\n7,,4\n8,2,6\n,3,4\n");
    let masked = sandbox
        .run("mask rankswap --window 2 --keep-sums t=a+b --seed 1 in.csv")
        .ended(0);
    assert!(
        masked
            .stderr
            .contains("t is missing now in 1 record that misses a part"),
        "{}",
        masked.stderr
    );
    let lines: Vec<String> = masked.text().lines().map(str::to_owned).collect();
    assert!(
        lines[4].starts_with(",,") && lines[6].starts_with(','),
        "{lines:?}"
    );
}

/// The noise of the secret decides which zeros move, too: no seed has a say.
#[test]
fn releases_with_one_secret_move_the_same_zeros() {
    let sandbox = Sandbox::new();
    let lines: Vec<String> = (enterprises().lines().enumerate())
        .map(|(number, line)| match number {
            0 => format!("firm,{line}"),
            _ => format!("F{number},{line}"),
        })
        .collect();
    let mut reversed = lines.clone();
    reversed[1..].reverse();
    sandbox.write("first.csv", lines.join("\n") + "\n");
    sandbox.write("second.csv", reversed.join("\n") + "\n");
    sandbox.write("office.key", "a secret of 23 bytes...");
    let release = |file: &str, options: &str| {
        let call = format!(
            "mask copula --mu 3 --secret office.key --id firm --keep-identifiers --drop total --keep-zeros {options} {file}"
        );
        let ran = sandbox.run(&call).ended(0);
        let mut lines: Vec<String> = ran.text().lines().map(str::to_owned).collect();
        lines.sort();
        (lines, ran.stderr)
    };
    let (first, _) = release("first.csv", "");
    let (second, said) = release("second.csv", "--seed 4");
    assert!(said.contains("--seed has no effect"), "{said}");
    let zeros = |lines: &[String]| -> Vec<String> {
        let of = |line: &String| {
            let cells = line
                .split(',')
                .map(|cell| if cell == "0" { "0" } else { "x" });
            let firm = line.split(',').next().unwrap_or_default().to_owned();
            firm + &cells.collect::<String>()
        };
        lines.iter().map(of).collect()
    };
    assert_eq!(zeros(&first), zeros(&second));
    sandbox.write("office.key", "another one of 23 bytes");
    let (other, _) = release("first.csv", "");
    assert_ne!(zeros(&first), zeros(&other));
}

#[test]
fn a_total_cannot_stay_and_be_worked_out() {
    let sandbox = sandbox();
    let refused = sandbox
        .run("mask copula --mu 3 --given total --keep-sums total=home+abroad in.csv")
        .ended(2);
    assert!(
        refused.stderr.contains("cannot be worked out anew too"),
        "{}",
        refused.stderr
    );
}
