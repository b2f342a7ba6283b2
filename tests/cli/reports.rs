//! The forms of the report, exit status 10, and what may stand on standard error.

use serde_json::{Value, json};

use crate::{
    bad_input::{GOOD, MASKED},
    sandbox::Sandbox,
};

fn sandbox() -> Sandbox {
    Sandbox::with(&[("good.csv", GOOD), ("masked.csv", MASKED)])
}

fn census() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("in.csv", include_bytes!("../../data/synthetic-census.csv"));
    sandbox
}

fn keys(value: &Value) -> Vec<&str> {
    value
        .as_object()
        .unwrap_or_else(|| panic!("no object: {value}"))
        .keys()
        .map(String::as_str)
        .collect()
}

#[test]
fn json_has_the_keys_that_other_programs_read() {
    let report = sandbox()
        .run("link --method am,rsld --window 2 --known sweep:3 --format json good.csv masked.csv")
        .ended(0)
        .json();
    for key in ["schema", "version", "status", "results", "means"] {
        assert!(keys(&report).contains(&key), "{key}");
    }
    assert_eq!(report["schema"], json!("sdcrisk.link/1"));
    assert_eq!(report["status"], json!("done"));
    assert_eq!(report["version"], json!(env!("CARGO_PKG_VERSION")));
    let results = report["results"].as_array().unwrap();
    let cases: Vec<(&Value, usize)> = results
        .iter()
        .map(|result| (&result["method"], result["known"].as_array().unwrap().len()))
        .collect();
    let (am, rsld) = (json!("am"), json!("rsld"));
    assert_eq!(
        cases,
        [
            (&am, 1),
            (&rsld, 1),
            (&am, 2),
            (&rsld, 2),
            (&am, 3),
            (&rsld, 3)
        ]
    );
    for result in results {
        for key in [
            "method",
            "known",
            "records",
            "correct",
            "rate",
            "interval",
            "baseline",
            "certain",
            "certain_correct",
            "empty",
            "candidates_mean",
            "contains_true",
        ] {
            assert!(keys(result).contains(&key), "{key} of {result}");
        }
        assert_eq!(keys(&result["correct"]), ["fair", "strict", "optimistic"]);
        let number = |key: &str| result[key].as_f64().unwrap();
        assert!(
            (number("rate") - result["correct"]["fair"].as_f64().unwrap() / 10.0).abs() < 1e-12
        );
        let interval: Vec<f64> = serde_json::from_value(result["interval"].clone()).unwrap();
        assert!(interval[0] <= number("rate") && number("rate") <= interval[1]);
        assert_eq!(result["baseline"], json!(0.1));
        assert_eq!(result["records"], json!(10));
    }
    let means = report["means"].as_array().unwrap();
    assert_eq!(means.len(), 2);
    for mean in means {
        let rates: Vec<f64> = results
            .iter()
            .filter(|result| result["method"] == mean["method"])
            .map(|result| result["rate"].as_f64().unwrap())
            .collect();
        assert_eq!(mean["cases"], json!(3));
        let expected = rates.iter().sum::<f64>() / 3.0;
        assert!((mean["rate"].as_f64().unwrap() - expected).abs() < 1e-12);
    }
}

#[test]
fn csv_says_the_same_as_json() {
    let sandbox = sandbox();
    let call = "link --method am,rsld --window 2 --attributes age,income,bonus --known subsets:2 good.csv masked.csv --format";
    let json = sandbox.run(&format!("{call} json")).ended(0).json();
    let csv = sandbox.run(&format!("{call} csv")).ended(0);
    let mut reader = csv::Reader::from_reader(csv.stdout.as_slice());
    let header = reader.headers().unwrap().clone();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let results = json["results"].as_array().unwrap();
    assert_eq!((rows.len(), results.len()), (6, 6));
    for (row, result) in rows.iter().zip(results) {
        let cell = |name: &str| {
            let place = header.iter().position(|column| column == name);
            row.get(place.unwrap_or_else(|| panic!("no column {name}")))
                .unwrap()
        };
        let number = |name: &str| cell(name).parse::<f64>().ok();
        assert_eq!(cell("method"), result["method"].as_str().unwrap());
        let known: Vec<String> = serde_json::from_value(result["known"].clone()).unwrap();
        assert_eq!(cell("known"), known.join("+"));
        for name in [
            "records",
            "rate",
            "baseline",
            "certain",
            "certain_correct",
            "empty",
        ] {
            assert_eq!(number(name), result[name].as_f64(), "{name}");
        }
        for name in ["candidates_mean", "contains_true"] {
            assert_eq!(number(name), result[name].as_f64(), "{name}");
        }
        for rule in ["fair", "strict", "optimistic"] {
            let column = format!("correct_{rule}");
            assert_eq!(number(&column), result["correct"][rule].as_f64(), "{rule}");
        }
        assert_eq!(number("interval_low"), result["interval"][0].as_f64());
        assert_eq!(number("interval_high"), result["interval"][1].as_f64());
    }
}

#[test]
fn text_says_what_the_figure_means() {
    let text = sandbox()
        .run("link --method am,rsld --window 2 good.csv masked.csv")
        .ended(0)
        .text();
    let flowing = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "good.csv against masked.csv",
        "higher = more risk",
        "by chance",
        "95 % interval",
        "certain",
        "10.0 %",
    ] {
        assert!(flowing.contains(part), "{part} is not in\n{text}");
    }
    for word in ["anonymous", "anonymised", "safe"] {
        assert!(!flowing.to_lowercase().contains(word), "{word}:\n{text}");
    }
}

#[test]
fn a_rate_above_the_limit_ends_with_10_and_the_report_is_still_printed() {
    let sandbox = Sandbox::with(&[
        ("o.csv", "v\n0\n4\n10\n20\n"),
        // One link of four is right: a rate of 25 %, see link_counts.
        ("m.csv", "v\n2\n2\n19\n12\n"),
    ]);
    let plain = sandbox
        .run("link --method am --standardize none o.csv m.csv")
        .ended(0);
    for (limit, status) in [
        ("24%", 10),
        ("0.2499", 10),
        ("25%", 0),
        ("0.25", 0),
        ("100%", 0),
    ] {
        let ran = sandbox
            .run(&format!(
                "link --method am --standardize none --fail-above {limit} o.csv m.csv"
            ))
            .ended(status);
        assert_eq!(ran.text(), plain.text(), "{limit}");
        let written = sandbox.run(&format!(
            "link --method am --standardize none --fail-above {limit} --links l.csv -o r.txt o.csv m.csv"
        ));
        assert_eq!(written.status, Some(status));
        assert_eq!(sandbox.text("r.txt"), plain.text(), "{limit}");
        assert_eq!(sandbox.text("l.csv").lines().count(), 5);
        std::fs::remove_file(sandbox.path("r.txt")).unwrap();
    }
    let sweep = "link --method am --standardize none --ties strict --fail-above 0 o.csv m.csv";
    sandbox.run(sweep).ended(0);
    sandbox
        .run(&sweep.replace("strict", "optimistic"))
        .ended(10);
}

#[test]
fn quiet_silences_notes_and_timings_are_json_lines() {
    let sandbox = sandbox();
    let link = "link --method am,rsld --window 2 good.csv masked.csv";
    assert!(sandbox.run(link).ended(0).stderr.contains("note: "));
    assert_eq!(sandbox.run(&format!("{link} --quiet")).ended(0).stderr, "");
    let mask = "mask rankswap --window 2 --seed 1 good.csv";
    assert!(sandbox.run(mask).ended(0).stderr.contains("note: "));
    assert_eq!(sandbox.run(&format!("-q {mask}")).ended(0).stderr, "");
    for (call, stages) in [
        (link, vec!["read", "am", "rsld", "write"]),
        (mask, vec!["read", "relations", "rankswap", "write"]),
    ] {
        let plain = sandbox.run(&format!("{call} --quiet")).ended(0);
        let timed = sandbox.run(&format!("{call} --quiet --timings")).ended(0);
        assert_eq!(plain.stdout, timed.stdout, "results carry no clock");
        let lines: Vec<Value> = timed
            .stderr
            .lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line}")))
            .collect();
        let named: Vec<&str> = lines
            .iter()
            .map(|line| line["stage"].as_str().unwrap())
            .collect();
        assert_eq!(named, stages);
        for line in &lines {
            assert_eq!(keys(line), ["stage", "seconds"]);
            let seconds = line["seconds"].as_f64().unwrap();
            assert!((0.0..60.0).contains(&seconds), "{line}");
        }
        let untimed = sandbox.run(call).ended(0);
        assert!(!untimed.stderr.contains("\"stage\""), "{}", untimed.stderr);
    }
}

#[test]
fn progress_is_for_terminals_only() {
    let ran = census().run("mask rankswap --p 5 in.csv").ended(0);
    for sign in ['\r', '\u{1b}', '…'] {
        assert!(!ran.stderr.contains(sign), "{:?}", ran.stderr);
    }
}

#[test]
fn the_number_of_threads_changes_no_byte() {
    let sandbox = census();
    let mut masked = Vec::new();
    let mut reports = Vec::new();
    for threads in [1, 2, 4] {
        sandbox
            .run(&format!(
                "mask rankswap --p 5 --seed 3 --threads {threads} --shuffle k.csv --statement s.json -o m.csv in.csv"
            ))
            .ended(0);
        masked.push(["m.csv", "s.json", "k.csv"].map(|name| sandbox.text(name)));
        sandbox
            .run(&format!(
                "--threads {threads} link --method rsld --statement s.json --key k.csv --links l.csv -o r.json --format json in.csv m.csv"
            ))
            .ended(0);
        reports.push(["r.json", "l.csv"].map(|name| sandbox.text(name)));
    }
    assert!(masked[0] == masked[1] && masked[1] == masked[2]);
    assert!(reports[0] == reports[1] && reports[1] == reports[2]);
}

#[test]
fn verbose_says_how_attributes_were_read() {
    let ran = sandbox()
        .run("--verbose mask rankswap --window 2 good.csv")
        .ended(0);
    assert!(
        ran.stderr
            .contains("age: Continuous, every cell is a number")
            || ran
                .stderr
                .contains("age: continuous, every cell is a number"),
        "{}",
        ran.stderr
    );
}

/// An attack with likelihoods says what it expects; bands hold every record once, and add up to both rates.
#[test]
fn likelihoods_are_calibrated_in_every_form() {
    let sandbox = census();
    sandbox
        .run("mask rankswap --p 5 --seed 3 --statement s.json -o m.csv in.csv")
        .ended(0);
    let call = "link --method likelihood --statement s.json --known first:3 in.csv m.csv";
    for assign in ["best", "balanced", "balanced --posterior sampled"] {
        let report = sandbox
            .run(&format!("{call} --assign {assign} --format json"))
            .ended(0)
            .json();
        let result = &report["results"][0];
        let bands = result["calibration"].as_array().unwrap();
        let sum = |key: &str| -> f64 {
            let terms = bands
                .iter()
                .map(|band| band["records"].as_f64().unwrap() * band[key].as_f64().unwrap());
            terms.sum::<f64>() / 1000.0
        };
        let records: u64 = bands
            .iter()
            .map(|band| band["records"].as_u64().unwrap())
            .sum();
        assert_eq!(records, 1000);
        assert!((sum("stated") - result["expected"].as_f64().unwrap()).abs() < 1e-9);
        assert!((sum("realised") - result["rate"].as_f64().unwrap()).abs() < 1e-9);
        let text = sandbox.run(&format!("{call} --assign {assign}")).ended(0);
        let text = text.text();
        assert!(text.contains("stated probability"), "{text}");
        assert!(text.contains("What likelihood says of itself"), "{text}");
        let posterior = &result["posterior"];
        let is_sampled = assign.contains("sampled");
        assert_eq!(posterior.is_null(), assign == "best");
        assert_eq!(posterior["permutations"].is_null(), !is_sampled);
        assert_eq!(text.contains("permutations, drawn"), is_sampled, "{text}");
        assert_eq!(
            text.contains("worked out by scaling"),
            assign == "balanced",
            "{text}"
        );
    }
    // Draws are of a fixed seed unless one is given.
    let sampled = format!("{call} --assign balanced --posterior sampled --format csv");
    let [first, second, seeded] = ["", "", " --seed 4"].map(|seed| {
        sandbox
            .run(&format!("{sampled}{seed}"))
            .ended(0)
            .text()
            .to_string()
    });
    assert!(first == second && first != seeded);
    let report = sandbox
        .run(&format!("{call} --assign one-to-one --format json"))
        .ended(0)
        .json();
    assert!(!keys(&report["results"][0]).contains(&"expected"));
}

/// A p or a window without a statement is taken as exact, with partners drawn among unswapped values; that is said.
#[test]
fn likelihood_says_what_it_takes_for_granted() {
    let sandbox = census();
    sandbox
        .run("mask rankswap --window 20 --seed 3 --statement s.json -o m.csv in.csv")
        .ended(0);
    let by_window = sandbox
        .run("link --method likelihood --window 20 --known first:3 --format csv in.csv m.csv")
        .ended(0);
    assert!(by_window.stderr.contains("drawn among unswapped values"));
    let by_statement = sandbox
        .run(
            "link --method likelihood --statement s.json --known first:3 --format csv in.csv m.csv",
        )
        .ended(0);
    assert_eq!(by_window.text(), by_statement.text());
}

/// Swaps are undone with certainty where what is assumed holds; where it does not, the report says so and nothing is certain.
#[test]
fn involution_says_when_its_assumption_fails() {
    let sandbox = census();
    sandbox
        .run("mask rankswap --p 20 --seed 3 --statement s.json -o m.csv in.csv")
        .ended(0);
    let result = |options: &str| {
        let call = format!("link --method involution {options} in.csv m.csv");
        let text = sandbox.run(&call).ended(0).text();
        let report = sandbox.run(&format!("{call} --format json")).ended(0);
        (report.json()["results"][0].clone(), text)
    };
    let (right, text) = result("--statement s.json");
    assert!(right["certain"].as_u64().unwrap() > 900, "{right}");
    assert_eq!(right["certain"], right["certain_correct"]);
    assert_eq!(
        (&right["empty"], &right["contains_true"]),
        (&json!(0), &json!(1000))
    );
    assert!(right["caveats"].is_null() && right["expected"].as_f64().unwrap() > 0.98);
    assert!(!text.contains("does not hold"), "{text}");
    for options in [
        "--window 100",
        "--window 100 --direction masked-to-original --eps 0.1",
    ] {
        let (wrong, text) = result(options);
        assert_eq!(wrong["certain"], 0, "{wrong}");
        let caveat = wrong["caveats"][0].as_str().unwrap();
        assert!(
            caveat.starts_with("the assumption does not hold"),
            "{caveat}"
        );
        assert!(text.contains("the assumption does not hold"), "{text}");
    }
    // Few people: nobody is certain of much, but no true record is excluded.
    let (few, _) = result("--statement s.json --known-records 50 --seed 1 --known first:4");
    assert_eq!(few["contains_true"], 50);
    assert!(few["certain"].as_u64().unwrap() < 25, "{few}");
}
