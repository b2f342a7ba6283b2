//! `link` with learned distances, as a user runs it.

use serde_json::Value;

use crate::sandbox::Sandbox;

/// Attribute b was not masked: whoever weighs it alone links all (the seed's example, `methods.md` 1.3).
fn key_attribute() -> Sandbox {
    Sandbox::with(&[
        ("o.csv", "a,b,c\n30,1,27\n50,2,47\n25,3,31\n"),
        ("m.csv", "a,b,c\n20,1,47\n20,2,47\n23,3,31\n"),
    ])
}

/// Records of six attributes, each moved a little; made by a fixed recurrence.
fn noisy(records: usize, attributes: usize, noise: i64) -> Sandbox {
    let mut state = 12_345_u64;
    let mut roll = |sides: i64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        i64::try_from(state >> 33).unwrap() % sides
    };
    let names: Vec<String> = (0..attributes).map(|k| format!("a{k}")).collect();
    let header = names.join(",") + "\n";
    let (mut original, mut masked) = (header.clone(), header);
    for _ in 0..records {
        let (mut x, mut y) = (Vec::new(), Vec::new());
        for _ in 0..attributes {
            let value = roll(1000);
            x.push(value.to_string());
            y.push((value + roll(2 * noise + 1) - noise).to_string());
        }
        original += &(x.join(",") + "\n");
        masked += &(y.join(",") + "\n");
    }
    Sandbox::with(&[("o.csv", &original), ("m.csv", &masked)])
}

#[track_caller]
fn results(sandbox: &Sandbox, options: &str) -> Vec<Value> {
    let ran = sandbox.run(&format!("link --format json {options} o.csv m.csv"));
    ran.ended(0).json()["results"].as_array().unwrap().clone()
}

#[test]
fn a_key_attribute_links_everybody_and_is_named() {
    let sandbox = key_attribute();
    let results = results(&sandbox, "--method am,wm,owa,ci,sb,sb-pd");
    assert_eq!(results.len(), 6);
    let wm = &results[1];
    assert_eq!(wm["correct"]["strict"], 3);
    assert_eq!(wm["bound"], 3);
    assert_eq!(wm["gap"], 0.0);
    assert_eq!(wm["proof"], "optimal");
    assert_eq!(wm["worst_case"], true);
    let weights = wm["weights"].as_object().unwrap();
    assert_eq!(weights.keys().collect::<Vec<_>>(), ["a", "b", "c"]);
    assert!(weights["b"].as_f64() > weights["a"].as_f64());
    let measure = results[3]["weights"].as_object().unwrap();
    assert_eq!(
        measure.keys().collect::<Vec<_>>(),
        ["a", "b", "a+b", "c", "a+c", "b+c", "a+b+c"]
    );
    let text = sandbox.run("link --method wm o.csv m.csv").ended(0).text();
    assert!(text.contains("3 (proven)"), "{text}");
    assert!(text.contains("links more than 3 of 3 records"), "{text}");
    // Three are too few to learn from some and attack others.
    assert!(
        text.contains("overstates") && !text.contains("--train-records"),
        "{text}"
    );
}

#[test]
fn a_search_that_is_stopped_says_what_it_has_and_ends_with_4() {
    let sandbox = noisy(400, 6, 500);
    let ran = sandbox
        .run("link --method ci --time-limit 0.05 --format json o.csv m.csv")
        .ended(4);
    let report = ran.json();
    assert_eq!(report["status"], "limit");
    let result = &report["results"][0];
    assert_eq!(result["proof"], "limit");
    let (strict, bound) = (
        result["correct"]["strict"].as_u64().unwrap(),
        result["bound"].as_u64().unwrap(),
    );
    assert!(strict < bound && bound <= 400, "{strict} {bound}");
    let gap = result["gap"].as_f64().unwrap();
    assert!((gap - (bound - strict) as f64 / 400.0).abs() < 1e-12);
    // What is above a limit is above it, proven or not.
    sandbox
        .run("link --method ci --time-limit 0.05 --fail-above 0% o.csv m.csv")
        .ended(10);
}

#[test]
fn weights_that_were_written_link_as_they_did() {
    let sandbox = noisy(60, 3, 120);
    for method in ["wm", "owa", "ci", "ci-2", "sb", "sb-pd"] {
        let learned = results(&sandbox, &format!("--method {method} --weights w.json"));
        let given = results(&sandbox, &format!("--method {method} --use-weights w.json"));
        assert_eq!(given[0]["correct"], learned[0]["correct"], "{method}");
        assert_eq!(given[0]["worst_case"], false);
        assert!(given[0]["bound"].is_null());
        std::fs::remove_file(sandbox.path("w.json")).unwrap();
    }
    let ran = sandbox.run("link --method wm --weights w.json o.csv m.csv");
    ran.ended(0);
    for (options, says) in [
        ("--method ci", "is of the method wm"),
        ("--method wm --known a0,a1", "was learned on the attributes"),
        (
            "--method wm --standardize none",
            "standardised in another way",
        ),
    ] {
        let ran = sandbox.run(&format!("link {options} --use-weights w.json o.csv m.csv"));
        let ran = ran.ended(2);
        assert!(ran.stderr.contains(says), "{options}: {}", ran.stderr);
    }
}

#[test]
fn some_are_learned_from_and_the_others_attacked() {
    let sandbox = noisy(80, 4, 300);
    let options = "--method am,wm --train-records 30 --train-splits 3 --seed 4";
    let report = sandbox
        .run(&format!("link --format json {options} o.csv m.csv"))
        .ended(0)
        .json();
    let results = report["results"].as_array().unwrap();
    // A draw: am on the others, wm on those learned from and on the others.
    assert_eq!(results.len(), 9);
    for (place, result) in results.iter().enumerate() {
        let (sample, records) = match place % 3 {
            1 => ("training", 30),
            _ => ("others", 50),
        };
        assert_eq!(result["sample"], sample);
        assert_eq!(result["records"], records);
        assert_eq!(result["split"], place / 3 + 1);
        assert_eq!(result["bound"].is_u64(), sample == "training");
    }
    let means = report["means"].as_array().unwrap();
    assert_eq!(means.len(), 3);
    let rate = |place: usize| results[place]["rate"].as_f64().unwrap();
    let mean = means[2]["rate"].as_f64().unwrap();
    assert_eq!(means[2]["sample"], "others");
    assert!((mean - (rate(2) + rate(5) + rate(8)) / 3.0).abs() < 1e-12);
    let interval = &means[2]["interval"];
    assert!(interval[0].as_f64().unwrap() <= mean && mean <= interval[1].as_f64().unwrap());
    // The same seed, the same draws; of a file, one draw of just these.
    let again = sandbox.run(&format!(
        "link --format json {options} --threads 1 o.csv m.csv"
    ));
    assert_eq!(again.ended(0).json(), report);
    sandbox.write("who.txt", "1\n2\n3\n5\n8\n13\n21\n34\n");
    let named = self::results(&sandbox, "--method wm --train-records who.txt");
    assert_eq!(named.len(), 2);
    assert_eq!(named[0]["records"], 8);
    assert_eq!(named[1]["records"], 72);
}

#[test]
fn a_direction_turned_round_is_the_files_swapped() {
    let sandbox = noisy(40, 3, 150);
    let there = results(&sandbox, "--method wm,ci --direction masked-to-original");
    let ran = sandbox.run("link --format json --method wm,ci m.csv o.csv");
    let back = ran.ended(0).json()["results"].clone();
    for place in 0..2 {
        assert_eq!(there[place]["bound"], back[place]["bound"]);
        assert_eq!(
            there[place]["correct"]["strict"],
            back[place]["correct"]["strict"]
        );
    }
}

#[test]
fn gaps_and_categories_are_compared_as_am_does() {
    let sandbox = Sandbox::with(&[
        (
            "o.csv",
            "age,town,pay\n30,York,1000\n41,Bath,1500\n,York,2100\n28,Hull,900\n55,Bath,\n61,Hull,3000\n",
        ),
        (
            "m.csv",
            "age,town,pay\n33,York,1100\n40,Hull,1400\n47,York,\n,Hull,1000\n52,Bath,2500\n60,Hull,2700\n",
        ),
    ]);
    let results = results(&sandbox, "--method am,wm,wm-m,owa,ci,ci-m,ci-2");
    let strict = |place: usize| results[place]["correct"]["strict"].as_u64().unwrap();
    for (place, result) in results.iter().enumerate().skip(1) {
        assert_eq!(result["proof"], "optimal", "{}", result["method"]);
        assert_eq!(result["bound"], strict(place));
        assert!(strict(place) >= strict(0), "{}", result["method"]);
    }
}

/// The second record, (2, 0), lies midway between its own masked record, (3, 0), and the first, (1, 0): the differences are (−1, 0) and (1, 0),
/// and every form has equal values there. A tie is no link, whatever the parameters are and however their products are rounded: what is
/// counted is what is proven possible, and the program's own certificate holds.
#[test]
fn ties_are_not_broken_by_rounding() {
    let sandbox = Sandbox::with(&[
        ("o.csv", "a,b\n0,1\n2,0\n2,2\n1,1\n1,3\n2,0\n"),
        ("m.csv", "a,b\n1,0\n3,0\n3,1\n0,2\n3,2\n3,3\n"),
    ]);
    for family in ["sb", "sb-nc", "sb-pd", "wm", "ci"] {
        let call = format!("--method {family} --standardize none --certificate {family}.json");
        let result = &results(&sandbox, &call)[0];
        assert_eq!(result["correct"]["strict"], result["bound"], "{family}");
        assert_eq!(result["proof"], "optimal", "{family}");
        sandbox
            .run(&format!("verify {family}.json o.csv m.csv"))
            .ended(0);
        // The links of the second record: both, at the same distance.
        sandbox
            .run(&format!(
                "link --method {family} --standardize none --links {family}.csv o.csv m.csv"
            ))
            .ended(0);
        let links = sandbox.text(&format!("{family}.csv"));
        let second = links.lines().nth(2).unwrap();
        assert!(second.contains("1;2") || second.contains("1 2"), "{second}");
    }
}
