//! Links and counts of files so small that they can be worked out by hand.

use serde_json::json;

use crate::sandbox::Sandbox;

/// Distances, one attribute, not standardised:
///
/// ```text
///              masked 2   2  19  12
/// original  0         2   2  19  12    nearest: 1 and 2, tied
///           4         2   2  15   8    nearest: 1 and 2, tied
///          10         8   8   9   2    nearest: 4; the true one is last
///          20        18  18   1   8    nearest: 3; the true one comes next
/// ```
fn tied() -> Sandbox {
    Sandbox::with(&[
        ("o.csv", "who,v\nana,0\nben,4\ncleo,10\ndan,20\n"),
        ("m.csv", "who,v\nana,2\nben,2\ncleo,19\ndan,12\n"),
    ])
}

/// Rank swapping by one rank on `v`, on `w` as well: the sets of candidates are known.
fn swapped(masked: &str) -> Sandbox {
    Sandbox::with(&[
        ("o.csv", "v,w\n10,1\n20,2\n30,3\n40,4\n"),
        ("m.csv", masked),
    ])
}

const HEADER: &str = "record,linked,distance,candidates,tied,rank_of_true\n";

#[track_caller]
fn links(sandbox: &Sandbox, options: &str, expected: &str) {
    sandbox
        .run(&format!(
            "link --standardize none --links links.csv {options} o.csv m.csv"
        ))
        .ended(0);
    assert_eq!(
        sandbox.text("links.csv"),
        format!("{HEADER}{expected}"),
        "{options}"
    );
}

#[track_caller]
fn result(sandbox: &Sandbox, options: &str) -> serde_json::Value {
    sandbox
        .run(&format!(
            "link --standardize none --format json {options} o.csv m.csv"
        ))
        .ended(0)
        .json()["results"][0]
        .clone()
}

#[test]
fn every_record_of_a_tie_is_listed() {
    links(
        &tied(),
        "--method am --known v",
        "1,1;2,2,4,2,1\n2,1;2,2,4,2,1\n3,4,2,4,1,4\n4,3,1,4,1,2\n",
    );
}

#[test]
fn the_other_direction_seeks_from_the_masked_file() {
    links(
        &tied(),
        "--method am --known v --direction masked-to-original",
        "1,1;2,2,4,2,1\n2,1;2,2,4,2,1\n3,4,1,4,1,2\n4,3,2,4,1,2\n",
    );
}

#[test]
fn links_name_identifiers_where_records_have_them() {
    let sandbox = tied();
    sandbox.write("m.csv", "who,v\ndan,12\nben,2\nana,2\ncleo,19\n");
    links(
        &sandbox,
        "--method am --known v --id who",
        "ana,ben;ana,2,4,2,1\nben,ben;ana,2,4,2,1\ncleo,dan,2,4,1,4\ndan,cleo,1,4,1,2\n",
    );
}

#[test]
fn a_tie_counts_by_each_rule_and_the_rate_by_the_one_asked_for() {
    let sandbox = tied();
    for (ties, rate) in [("fair", 0.25), ("strict", 0.0), ("optimistic", 0.5)] {
        let result = result(&sandbox, &format!("--method am --known v --ties {ties}"));
        assert_eq!(
            result["correct"],
            json!({"fair": 1.0, "strict": 0, "optimistic": 2}),
            "{ties}"
        );
        assert_eq!(result["rate"], json!(rate), "{ties}");
        assert_eq!(result["baseline"], json!(0.25));
        assert_eq!(result["records"], json!(4));
        assert_eq!(result["known"], json!(["v"]));
        assert_eq!(result["candidates_mean"], json!(4.0));
        assert_eq!(result["contains_true"], json!(4));
    }
}

#[test]
fn one_to_one_takes_the_cheapest_pairs() {
    // Squared distances: 1-1, 2-2 (or crossed), 3-4, 4-3 cost 4 + 4 + 4 + 1; nothing is cheaper.
    let result = result(&tied(), "--method am --known v --assign one-to-one");
    assert_eq!(
        result["assignment"],
        json!({"cost": 13.0, "pairs": 4, "proof": "optimal", "bound": 13.0})
    );
    // Records 1 and 2 are masked alike: each of them gets its own with a probability of one half.
    assert_eq!(
        result["correct"],
        json!({"fair": 1.0, "strict": 0, "optimistic": 2})
    );
}

#[test]
fn an_intruder_may_know_some_records_only() {
    let sandbox = tied();
    sandbox.write("some.txt", "4\n1\n\n3\n");
    let result = result(&sandbox, "--method am --known v --known-records some.txt");
    assert_eq!(result["records"], json!(3));
    assert_eq!(
        result["correct"],
        json!({"fair": 0.5, "strict": 0, "optimistic": 1})
    );
    assert_eq!(
        result["baseline"],
        json!(0.25),
        "the intruder still chooses among all masked records"
    );
    links(
        &sandbox,
        "--method am --known v --known-records some.txt",
        "1,1;2,2,4,2,1\n3,4,2,4,1,4\n4,3,1,4,1,2\n",
    );
    sandbox.write("some.txt", "dan\nana\n");
    links(
        &sandbox,
        "--method am --known v --id who --known-records some.txt",
        "ana,ana;ben,2,4,2,1\ndan,cleo,1,4,1,2\n",
    );
}

#[test]
fn a_number_of_known_records_is_drawn_at_random() {
    let sandbox = tied();
    for count in 1..=4 {
        let result = result(
            &sandbox,
            &format!("--method am --known v --known-records {count} --seed 7"),
        );
        assert_eq!(result["records"], json!(count));
    }
    let drawn = |seed: u64| {
        sandbox
            .run(&format!(
                "link --method am --known-records 2 --seed {seed} --links l.csv o.csv m.csv"
            ))
            .ended(0);
        sandbox.text("l.csv")
    };
    assert_eq!(drawn(1), drawn(1), "a seed repeats the draw");
    let first = drawn(1);
    assert!(
        (2..30).any(|seed| drawn(seed) != first),
        "other seeds draw other records"
    );
}

/// Each value moved by one rank: `v` and `w` narrow a record down to two or three masked ones.
#[test]
fn the_window_narrows_the_candidates_down() {
    let sandbox = swapped("v,w\n20,1\n10,2\n40,4\n30,3\n");
    links(
        &sandbox,
        "--method rsld --window 1 --known v,w",
        "1,2,1,2,1,2\n2,1,1,3,1,2\n3,4,0,2,1,2\n4,3,0,2,1,2\n",
    );
    let result = result(&sandbox, "--method rsld --window 1 --known v,w");
    assert_eq!(
        result["correct"],
        json!({"fair": 0.0, "strict": 0, "optimistic": 0})
    );
    assert_eq!(result["candidates_mean"], json!(2.25));
    assert_eq!(result["contains_true"], json!(4));
    assert_eq!(
        (&result["certain"], &result["empty"]),
        (&json!(0), &json!(0))
    );
    assert_eq!(result["windows"], json!([1, 1]));
}

/// Values moved by three ranks where one is assumed: no candidate at all, or the wrong ones.
#[test]
fn a_window_too_small_leaves_records_without_candidates() {
    let sandbox = swapped("v,w\n40,1\n30,2\n20,3\n10,4\n");
    links(
        &sandbox,
        "--method rsld --window 1 --known v,w",
        "1,,,0,0,\n2,3,1,2,1,2\n3,2,1,2,1,2\n4,,,0,0,\n",
    );
    let both = result(&sandbox, "--method rsld --window 1 --known v,w");
    assert_eq!(
        (
            &both["empty"],
            &both["contains_true"],
            &both["candidates_mean"]
        ),
        (&json!(2), &json!(2), &json!(1.0))
    );
    links(
        &sandbox,
        "--method rsld --window 1 --known v",
        "1,4,0,2,1,\n2,3,0,3,1,2\n3,2,0,3,1,2\n4,1,0,2,1,\n",
    );
}

/// The statement says that only `v` was masked: `w` gives everybody away.
#[test]
fn an_attribute_left_as_it_was_makes_links_certain() {
    let sandbox = swapped("v,w\n20,1\n10,2\n40,3\n30,4\n");
    sandbox.write(
        "s.json",
        r#"{"schema": "sdcrisk.statement/1", "version": "0.1.0", "method": "rankswap",
            "parameters": {"window": 1, "partner": "skip"}, "records": 4, "attributes": ["v"],
            "missing": "left in place"}"#,
    );
    links(
        &sandbox,
        "--method rsld --statement s.json --known v,w",
        "1,1,10,1,1,1\n2,2,10,1,1,1\n3,3,10,1,1,1\n4,4,10,1,1,1\n",
    );
    let result = result(&sandbox, "--method rsld --statement s.json --known v,w");
    assert_eq!(
        (
            &result["certain"],
            &result["certain_correct"],
            &result["windows"]
        ),
        (&json!(4), &json!(4), &json!([1, 0]))
    );
    assert_eq!(result["rate"], json!(1.0));
}

/// The example of the seeds: ten records, windows of two ranks; candidate sets and certain links as published.
#[test]
fn the_worked_example_of_the_literature_runs_from_its_files() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "o.csv",
        include_bytes!("../../data/rank-swapping-original.csv"),
    );
    sandbox.write(
        "m.csv",
        include_bytes!("../../data/rank-swapping-masked.csv"),
    );
    let result = result(&sandbox, "--method rsld --window 2");
    assert_eq!(result["known"], json!(["a1", "a2", "a3", "a4"]));
    assert_eq!(result["contains_true"], json!(10));
    assert_eq!(result["certain"], result["certain_correct"]);
}

/// Nothing was masked, so nothing differs: a ridge of no variance is none, and a pseudo-inverse keeps no direction. Both
/// panicked in the index, which was given points without coordinates.
#[test]
fn a_distance_without_any_scatter_is_refused() {
    let sandbox = Sandbox::with(&[("a.csv", "x,y\n1,5\n2,3\n3,8\n4,1\n")]);
    for option in ["--ridge 0.1", "--pseudo-inverse"] {
        let ran = sandbox
            .run(&format!("link --method md {option} a.csv a.csv"))
            .ended(3);
        assert!(
            ran.stderr
                .contains("all true pairs differ by the same amounts"),
            "{}",
            ran.stderr
        );
    }
}
