//! Several releases of the same people: `link --also`.
#![allow(
    clippy::float_cmp,
    reason = "the same figures in several places must be the same to the last bit"
)]

use crate::sandbox::Sandbox;

const CALL: &str =
    "link --method likelihood --statement s1.json --also two.csv --release-id pseudonym";

/// 300 people, masked twice with noise; both releases have a pseudonym, in the second the records stand in reverse, those of every tenth
/// are not there and others are.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let census = include_str!("../../data/synthetic-census.csv");
    let lines: Vec<String> = census
        .lines()
        .take(301)
        .map(|line| {
            // age, income, tax, rent
            let cells: Vec<&str> = line.split(',').collect();
            [3, 9, 10, 12].map(|column| cells[column]).join(",")
        })
        .collect();
    sandbox.write("in.csv", lines.join("\n") + "\n");
    for (name, seed) in [("1", 5), ("2", 6)] {
        sandbox
            .run(&format!(
                "mask noise --level 0.4 --seed {seed} --statement s{name}.json -o m{name}.csv in.csv"
            ))
            .ended(0);
    }
    let with_pseudonym = |name: &str| -> Vec<String> {
        let text = String::from_utf8(sandbox.read(name)).unwrap();
        let number = |(number, line): (usize, &str)| match number {
            0 => format!("pseudonym,{line}"),
            _ => format!("p{number},{line}"),
        };
        text.lines().enumerate().map(number).collect()
    };
    sandbox.write("one.csv", with_pseudonym("m1.csv").join("\n") + "\n");
    let mut second = with_pseudonym("m2.csv");
    second[1..].reverse();
    let kept = second.into_iter().enumerate();
    let mut second: Vec<String> = kept
        .filter_map(|(place, line)| (place == 0 || place % 10 != 3).then_some(line))
        .collect();
    let stranger = second[1].replacen("p300", "x1", 1);
    second.push(stranger);
    sandbox.write("two.csv", second.join("\n") + "\n");
    sandbox
}

#[test]
fn a_further_release_finds_more() {
    let sandbox = sandbox();
    for options in ["", " --assign balanced", " --direction masked-to-original"] {
        let ran = sandbox
            .run(&format!("{CALL}{options} --format json in.csv one.csv"))
            .ended(0);
        assert!(
            ran.stderr
                .contains("270 records are in the masked file too; of 30 masked records it says nothing, and 1 of its own"),
            "{}",
            ran.stderr
        );
        let report = ran.json();
        let results = report["results"].as_array().unwrap();
        assert_eq!(results.len(), 2);
        assert_eq!(results[0]["method"], "likelihood");
        assert!(results[0]["releases"].is_null());
        assert_eq!(results[1]["method"], "likelihood, all releases");
        assert_eq!(results[1]["releases"], 2);
        let [one, both] = [0, 1].map(|k| results[k]["rate"].as_f64().unwrap());
        assert!(both > 1.2 * one && one > 0.05, "{options}: {one} {both}");
        let expected = results[1]["expected"].as_f64().unwrap();
        assert!(
            (expected - both).abs() < 0.15,
            "{options}: {expected} {both}"
        );
        // The first is the call without --also.
        let alone = sandbox
            .run(&format!(
                "link --method likelihood --statement s1.json{options} --format json in.csv one.csv"
            ))
            .ended(0)
            .json();
        assert_eq!(alone["results"][0], results[0]);
    }
    let text = sandbox.run(&format!("{CALL} in.csv one.csv")).ended(0);
    let text = text.text();
    assert!(text.contains("What a further release gives away"), "{text}");
    assert!(text.contains("likelihood, all releases"), "{text}");
}

/// The same noise twice tells no more than once; but who takes it for independent noise expects more.
#[test]
fn a_copy_gives_nothing_away() {
    let sandbox = sandbox();
    let report = sandbox
        .run("link --method likelihood --statement s1.json --also one.csv --release-id pseudonym --format json in.csv one.csv")
        .ended(0)
        .json();
    let rate = |k: usize| report["results"][k]["rate"].as_f64().unwrap();
    assert!((rate(0) - rate(1)).abs() < 1e-12, "{} {}", rate(0), rate(1));
    let expected = |k: usize| report["results"][k]["expected"].as_f64().unwrap();
    assert!(expected(1) > 1.2 * expected(0));
}

/// Swaps the people's ranks and writes them with pseudonyms, each that of the person so many places farther on.
fn swapped(sandbox: &Sandbox, seed: u32, farther: usize) {
    sandbox
        .run(&format!(
            "mask rankswap --p 10 --seed {seed} --statement r{seed}.json -o r{seed}.csv in.csv"
        ))
        .ended(0);
    let text = String::from_utf8(sandbox.read(&format!("r{seed}.csv"))).unwrap();
    let lines: Vec<String> = text
        .lines()
        .enumerate()
        .map(|(number, line)| match number {
            0 => format!("pseudonym,{line}"),
            _ => format!("p{},{line}", (number + farther) % 300),
        })
        .collect();
    sandbox.write(&format!("r{seed}.csv"), lines.join("\n") + "\n");
}

/// Of rank swapping, candidate sets intersect, and the true record stays inside.
#[test]
fn candidate_sets_intersect() {
    let sandbox = sandbox();
    swapped(&sandbox, 1, 0);
    swapped(&sandbox, 2, 0);
    let report = sandbox
        .run("link --method likelihood --statement r1.json --also r2.csv --also-statement r2.json --release-id pseudonym --format json in.csv r1.csv")
        .ended(0)
        .json();
    // Swaps are mutual in each: of half of the people, pairs fall in both by turns.
    let mutual = sandbox
        .run("link --method involution --statement r1.json --also r2.csv --also-statement r2.json --release-id pseudonym --known age,income --known-records 150 --seed 2 --format json in.csv r1.csv")
        .ended(0)
        .json();
    assert_eq!(mutual["results"][1]["method"], "involution, all releases");
    let of = |k: usize, key: &str| mutual["results"][k][key].as_f64().unwrap();
    for k in [0, 1] {
        assert_eq!(of(k, "contains_true"), 150.0);
    }
    assert!(of(1, "candidates_mean") < 0.7 * of(0, "candidates_mean"));
    assert!(of(1, "rate") > of(0, "rate"));
    let results = &report["results"];
    let figure = |k: usize, key: &str| results[k][key].as_f64().unwrap();
    for k in [0, 1] {
        assert_eq!(figure(k, "contains_true"), 300.0);
    }
    let [one, both] = [0, 1].map(|k| figure(k, "candidates_mean"));
    assert!(both < 0.6 * one && both >= 1.0, "{one} {both}");
    assert!(figure(1, "certain") > figure(0, "certain"));
}

/// What is aligned wrongly leaves people without candidates: then the report says so, and nobody is certain.
#[test]
fn releases_that_contradict_each_other_say_so() {
    let sandbox = sandbox();
    swapped(&sandbox, 1, 0);
    swapped(&sandbox, 2, 1);
    let report = sandbox
        .run("link --method involution --statement r1.json --also r2.csv --also-statement r2.json --release-id pseudonym --format json in.csv r1.csv")
        .ended(0)
        .json();
    let [alone, both] = [0, 1].map(|k| &report["results"][k]);
    assert!(alone["caveats"].is_null() && alone["certain"].as_u64() > Some(200));
    assert_eq!(both["certain"], 0);
    let caveat = both["caveats"][0].as_str().unwrap();
    assert!(
        caveat.contains("the releases contradict each other"),
        "{caveat}"
    );
    assert!(both["rate"].as_f64() < Some(0.05), "{both}");
}

#[test]
fn releases_that_cannot_be_added_are_refused() {
    let sandbox = sandbox();
    sandbox.write("twice.csv", "pseudonym,age\np1,3\np1,4\n");
    sandbox.write("others.csv", "pseudonym,age\nq1,3\nq2,4\n");
    for (options, said) in [
        ("--method likelihood --also two.csv", "--release-id"),
        (
            "--method am,likelihood --also two.csv --release-id pseudonym",
            "only the methods likelihood and involution",
        ),
        (
            "--method likelihood --also two.csv --release-id nobody",
            "nobody",
        ),
        (
            "--method likelihood --also two.csv --also two.csv --also-statement s2.json --release-id pseudonym",
            "2 further releases (--also), and 1 statements",
        ),
        (
            "--method likelihood --also twice.csv --release-id pseudonym",
            "identified already",
        ),
        (
            "--method likelihood --also others.csv --release-id pseudonym",
            "no identifier of it occurs in the masked file",
        ),
    ] {
        let ran = sandbox.run(&format!(
            "link {options} --statement s1.json in.csv one.csv"
        ));
        assert!(matches!(ran.status, Some(2..=4)), "{options}: {ran:?}");
        assert!(ran.stderr.contains(said), "{options}: {}", ran.stderr);
    }
    let idle = sandbox
        .run("link --method am --release-id pseudonym --also-statement s2.json in.csv one.csv")
        .ended(0);
    assert!(
        idle.stderr
            .contains("--release-id has no effect without --also")
    );
    assert!(
        idle.stderr
            .contains("--also-statement has no effect without --also")
    );
}
