//! `mask pbuckets`, `mask pdistribution`, `mask noise` and `mask pram` as a user calls them.

use serde_json::json;

use crate::{bad_input::GOOD, sandbox::Sandbox};

const CENSUS: &[u8] = include_bytes!("../../data/synthetic-census.csv");

const CALLS: [&str; 5] = [
    "pbuckets --p 20",
    "pdistribution --p 5",
    "noise --level 0.1",
    "noise --level 0.1 --correlated --restore",
    "noise --level 0.1 --round",
];

#[test]
fn a_pipe_loses_nothing() {
    for call in CALLS {
        let sandbox = Sandbox::new();
        sandbox.write("in.csv", CENSUS);
        sandbox
            .run(&format!("mask {call} --seed 4 -o masked.csv in.csv"))
            .ended(0);
        let from_stdin = sandbox
            .run_with(&format!("mask {call} --seed 4 -"), CENSUS)
            .ended(0);
        assert!(from_stdin.stdout == sandbox.read("masked.csv"), "{call}");
        let rate = |report: serde_json::Value| report["results"][0]["correct"].clone();
        let filed = sandbox
            .run("link --method am --format json in.csv masked.csv")
            .ended(0);
        let piped = sandbox
            .shell(&format!(
                "sdcrisk mask {call} --seed 4 in.csv | sdcrisk link --method am --format json in.csv -"
            ))
            .ended(0);
        assert_eq!(rate(filed.json()), rate(piped.json()), "{call}");
    }
}

/// What was drawn by whom is private; method, parameters and readings are not.
#[test]
fn statements_tell_the_law_and_no_seed() {
    let sandbox = Sandbox::with(&[("good.csv", GOOD)]);
    for (call, method, parameters) in [
        (
            "pbuckets --p 4",
            "pbuckets",
            json!({"buckets": 4, "exhausted": "renormalised"}),
        ),
        (
            "pdistribution --p 30",
            "pdistribution",
            json!({"p": 30.0, "mean": 1.5, "sd": 1.5, "taken": "redrawn", "tries": 1000}),
        ),
        (
            "noise --level 0.25 --correlated --round",
            "noise",
            json!({"law": "normal", "level": 0.25, "correlated": true, "restored": false, "rounded": true}),
        ),
    ] {
        sandbox
            .run(&format!(
                "mask {call} --seed 918273 --statement s.json -o m.csv good.csv"
            ))
            .ended(0);
        let text = sandbox.text("s.json");
        assert!(!text.contains("918273"), "{text}");
        let statement: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(statement["steps"][0]["method"], json!(method));
        assert_eq!(statement["steps"][0]["parameters"], parameters);
        // It is fit for link; the attack on rank swapping knows that it is not meant.
        let shown = sandbox.run("link --method rsld --statement s.json good.csv m.csv");
        let refused = shown.ended(2).stderr;
        let words: Vec<&str> = refused.split_whitespace().collect();
        let told = format!("the statement is of {method}; rsld is the attack on rankswap");
        assert!(words.join(" ").contains(&told), "{refused}");
    }
}

/// `;` between cells, `,` before decimals, quotes, gaps: new numbers are written the same way and read back as numbers.
#[test]
fn a_file_with_decimal_commas_keeps_its_dialect() {
    let text = "town;a;b\r\n\"x\";1,5;10\r\n\"y\";2,25;\r\n\"z\";-3,5;40\r\n\"w\";8;25\r\n";
    let sandbox = Sandbox::with(&[("in.csv", text)]);
    for (call, whole) in [
        ("noise --level 0.5", false),
        ("noise --level 0.5 --round", true),
        ("noise --level 0.5 --restore", false),
    ] {
        let masked = sandbox
            .run(&format!("mask {call} --attributes a,b --seed 1 in.csv"))
            .ended(0)
            .text();
        let lines: Vec<&str> = masked.split("\r\n").collect();
        assert_eq!((lines.len(), lines[0]), (6, "town;a;b"), "{masked}");
        assert!(lines[2].starts_with("\"y\";") && lines[2].ends_with(';'));
        let mut changed = 0;
        for (line, old) in lines[1..5].iter().zip(text.split("\r\n").skip(1)) {
            let cells: Vec<&str> = line.split(';').collect();
            assert_eq!(cells.len(), 3, "{line}");
            assert!(!line.contains('.'), "{line}");
            for cell in cells[1..].iter().filter(|cell| !cell.is_empty()) {
                cell.replace(',', ".").parse::<f64>().unwrap();
            }
            assert!(!whole || !cells[2].contains(','), "{line}");
            changed += usize::from(*line != old);
        }
        assert_eq!(changed, 4);
    }
    for call in ["pbuckets --p 2", "pdistribution --p 50"] {
        let masked = sandbox
            .run(&format!("mask {call} --attributes a --seed 1 in.csv"))
            .ended(0)
            .text();
        let cells = |text: &str| -> Vec<String> {
            let of = |line: &str| line.split(';').nth(1).map(str::to_owned);
            let mut cells: Vec<String> = text.split("\r\n").skip(1).filter_map(of).collect();
            cells.sort();
            cells
        };
        assert_eq!(cells(&masked), cells(text));
        assert_ne!(masked, text);
    }
}

#[test]
fn what_was_done_is_said() {
    let sandbox = Sandbox::with(&[("good.csv", GOOD)]);
    for (call, told) in [
        (
            "pbuckets --p 5",
            "pbuckets: 10 records, 5 buckets of about 2 values each; fewer buckets protect more",
        ),
        (
            "pbuckets --p 1",
            "one bucket: every value could meet every other",
        ),
        (
            "pdistribution --p 40",
            "normal law with mean and sd 2 ranks (p = 40 % of the records, halved), until they hit a partner",
        ),
        (
            "noise --level 0.25",
            "independent noise with a standard deviation of 50.0 % of the attribute's (level 0.25)",
        ),
        (
            "noise --level 10 --correlated --restore --round",
            "warning: the noise has 10 times the variance of the data",
        ),
        (
            "noise --level 0.1",
            "note: flat is not masked: it is ordinal: noise needs amounts",
        ),
    ] {
        let ran = sandbox.run(&format!("mask {call} good.csv")).ended(0);
        let words: Vec<&str> = ran.stderr.split_whitespace().collect();
        assert!(words.join(" ").contains(told), "{call}: {}", ran.stderr);
    }
}

const MATRIX: &str = "single;married;other\n0,9;0,05;0,05\n0;1;0\n0,1;0,1;0,8\n";

/// 60 people whose marital status is missing at times, with an amount.
fn couples() -> Sandbox {
    let mut text = String::from("region;marital;income\n");
    for number in 0..60 {
        let region = ["n", "s"][number % 2];
        let marital = ["single", "married", "other", "married", ""][number * 7 % 5];
        text += &format!("{region};{marital};{}\n", 1000 + number * 37 % 800);
    }
    Sandbox::with(&[("in.csv", &text), ("matrix.csv", MATRIX)])
}

/// The matrix of a file, decimal commas and all, is the one that is published, and nobody who is married becomes anything else.
#[test]
fn post_randomisation_by_a_matrix() {
    let sandbox = couples();
    let ran = sandbox.run("mask pram --matrix matrix.csv --attributes marital --seed 3 --statement s.json -o m.csv in.csv");
    let said = ran.ended(0).stderr;
    let words: Vec<&str> = said.split_whitespace().collect();
    let told = "pram: 60 records, matrices of marital (3 categories, kept with probability 80.0 % to 100.0 %)";
    assert!(words.join(" ").contains(told), "{said}");
    let statement: serde_json::Value = serde_json::from_slice(&sandbox.read("s.json")).unwrap();
    assert_eq!(
        statement["steps"][0]["parameters"],
        json!({"invariant": false, "matrices": [{
            "attribute": "marital",
            "categories": ["single", "married", "other"],
            "probabilities": [[0.9, 0.05, 0.05], [0.0, 1.0, 0.0], [0.1, 0.1, 0.8]],
        }]})
    );
    let column = |file: &str| -> Vec<String> {
        let text = sandbox.text(file);
        let lines = text.lines().skip(1);
        lines
            .map(|line| line.split(';').nth(1).unwrap().to_owned())
            .collect()
    };
    let (before, after) = (column("in.csv"), column("m.csv"));
    assert_ne!(before, after);
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(before.is_empty(), after.is_empty());
        assert!(before != "married" || after == "married");
    }
    let loss = "loss --statement s.json --by-attribute";
    let said = sandbox.run(&format!("{loss} in.csv m.csv")).ended(0).text();
    assert!(
        said.contains("users multiply the frequencies of each attribute"),
        "{said}"
    );
    assert!(said.contains("marital = married"), "{said}");
    let report = sandbox
        .run(&format!("{loss} --format json in.csv m.csv"))
        .ended(0)
        .json();
    let shares = report["correction"]["estimates"].as_array().unwrap();
    // Nobody ceases to be married: of s' = (.9, .05, .05), m' and o', the correction takes what came from the two others.
    let of = |category: &str| {
        let share = shares
            .iter()
            .find(|share| share["category"] == json!(category))
            .unwrap();
        ["masked", "corrected"].map(|side| share[side].as_f64().unwrap())
    };
    let ([s, single], [o, other], [m, married]) = (of("single"), of("other"), of("married"));
    assert!((0.9 * single + 0.1 * other - s).abs() < 1e-12);
    assert!((0.05 * single + 0.8 * other - o).abs() < 1e-12);
    assert!((0.05 * single + 0.1 * other + married - m).abs() < 1e-12);
    // Who is seen as single was single or other, never married.
    let link =
        "link --method likelihood --known marital --statement s.json --format json in.csv m.csv";
    let report = sandbox.run(link).ended(0).json();
    let result = &report["results"][0];
    assert_eq!(result["contains_true"], json!(60));
    assert!(
        result["candidates_mean"].as_f64().unwrap() < 60.0,
        "{result}"
    );
}

/// Amounts are left alone, strata must be others than what is masked, and what has no effect is said.
#[test]
fn post_randomisation_says_what_it_leaves_alone() {
    let sandbox = couples();
    let said = |call: &str, status: i32| -> String {
        let ran = sandbox.run(call).ended(status);
        ran.stderr
            .split_whitespace()
            .collect::<Vec<&str>>()
            .join(" ")
    };
    let all = said(
        "mask pram --keep 80% --invariant --strata region --statement s.json -o m.csv in.csv",
        0,
    );
    assert!(
        all.contains("income is not masked: it is an amount"),
        "{all}"
    );
    assert!(
        all.contains("region is not masked: it makes the strata"),
        "{all}"
    );
    assert!(
        all.contains("invariant matrices in strata of region of marital (3 categories"),
        "{all}"
    );
    assert!(
        all.contains("an invariant matrix says what the original frequencies of its stratum are"),
        "{all}"
    );
    let idle = said(
        "mask pram --matrix matrix.csv --strata region --attributes marital -o m2.csv in.csv",
        0,
    );
    assert!(
        idle.contains("--strata has no effect with --matrix unless --invariant"),
        "{idle}"
    );
    sandbox.write("short.csv", "single,married\n0.5,0.5\n0.5,0.5\n");
    let lacking = said(
        "mask pram --matrix short.csv --attributes marital in.csv",
        2,
    );
    assert!(
        lacking.contains("has 1 category that short.csv does not name"),
        "{lacking}"
    );
    sandbox.write(
        "sums.csv",
        "single,married,other\n1,0,0\n0.5,0.4,0\n0,0,1\n",
    );
    let sums = said("mask pram --matrix sums.csv --attributes marital in.csv", 3);
    assert!(
        sums.contains("sums.csv, line 3: has a row of sum 0.9"),
        "{sums}"
    );
    // The page says it in words.
    sandbox.run("report -o page.html s.json").ended(0);
    let page = sandbox.text("page.html");
    assert!(page.contains("post-randomisation (PRAM) (pram)"));
    assert!(page.contains("frequencies are kept on average (invariant)"));
    assert!(!page.contains("probabilities ="));
}

/// The strata, how many there are and the smallest stand in the summary; the attributes and the parameters of each, but no size, in the
/// statement and on the page; and a step of a recipe takes the same word.
#[test]
fn strata_are_said_where_a_file_is_masked_within_them() {
    let sandbox = Sandbox::new();
    let made = sandbox.shell("sdcrisk demo --data > people.csv");
    assert_eq!(made.status, Some(0));
    let ran = sandbox.run(
        "mask rankswap --p 10 --strata sex --attributes age,income --seed 1 --statement s.json -o m.csv people.csv",
    );
    let said = ran.ended(0).stderr.clone();
    // 511 and 489 people: 10 % of them, rounded down.
    assert!(
        said.contains("1000 records, within strata of sex (2 strata, the smallest of 489 records), in the greatest window 51 ranks"),
        "{said}"
    );
    let stated: serde_json::Value = serde_json::from_str(&sandbox.text("s.json")).unwrap();
    let step = &stated["steps"][0];
    assert_eq!(step["strata"], json!(["sex"]));
    let windows: Vec<[&serde_json::Value; 2]> = (step["within"].as_array().unwrap().iter())
        .map(|own| [&own["stratum"][0], &own["parameters"]["window"]])
        .collect();
    assert!(
        windows == [[&json!("1"), &json!(51)], [&json!("2"), &json!(48)]]
            || windows == [[&json!("1"), &json!(48)], [&json!("2"), &json!(51)]],
        "{windows:?}"
    );
    assert!(!sandbox.text("s.json").contains("489"));
    sandbox.run("report -o page.html s.json").ended(0);
    assert!(
        sandbox
            .text("page.html")
            .contains("<dt>Masked within strata of</dt><dd>sex;")
    );
    sandbox.write(
        "release.toml",
        "[[step]]\nmethod = \"rankswap\"\np = 10\nstrata = \"sex\"\nattributes = \"age,income\"\n",
    );
    sandbox
        .run("mask release.toml --seed 1 --statement r.json -o r.csv people.csv")
        .ended(0);
    for (call, recipe) in [("m.csv", "r.csv"), ("s.json", "r.json")] {
        assert_eq!(sandbox.text(call), sandbox.text(recipe));
    }
    // What an attack by the law is not given, it says.
    let ran = sandbox
        .run("link --method likelihood --statement s.json --known age,education people.csv m.csv");
    let said = ran.ended(0).stderr.clone();
    assert!(
        said.contains("masked within strata of sex, which the intruder does not know all of"),
        "{said}"
    );
    // Corrections are of noise in the file as a whole.
    sandbox
        .run("mask noise --level 0.1 --strata sex --attributes income --seed 1 --statement n.json -o n.csv people.csv")
        .ended(0);
    let said = (sandbox.run("loss --statement n.json people.csv n.csv"))
        .ended(0)
        .stderr
        .clone();
    assert!(said.contains("--statement has no effect"), "{said}");
    let refused =
        sandbox.run("mask fuzzy --k 3 --m1 2 --m2 2 --strata sex --centres c.csv people.csv");
    assert!(refused.ended(2).stderr.contains("each stratum has its own"));
}

/// Every attribute is beyond the range of numbers: the first is named, whichever thread meets one first.
#[test]
fn of_several_errors_the_first_is_told_each_time() {
    let mut file = "a,b,c,d,e,f,g,h\n".to_string();
    for record in 0..1000 {
        let sign = if record % 2 == 0 { "" } else { "-" };
        let cells = (0..8).map(|attribute| {
            let digits = (record * 7919 + attribute * 31) % 70_000;
            format!("{sign}1.{digits:05}e308")
        });
        file += &cells.collect::<Vec<_>>().join(",");
        file += "\n";
    }
    let sandbox = Sandbox::with(&[("huge.csv", &file)]);
    for _ in 0..30 {
        for (call, expected) in [
            (
                "noise --level 0.1",
                "holds values too large to compute with",
            ),
            (
                "microagg --k 3 --algorithm individual-ranking",
                "holds values too large or too close together",
            ),
        ] {
            let call = format!("mask {call} --threads 4 huge.csv");
            let ran = sandbox.run(&call).ended(3);
            let expected = format!("huge.csv, attribute \"a\": {expected}");
            assert!(ran.stderr.contains(&expected), "{}", ran.stderr);
        }
    }
}
