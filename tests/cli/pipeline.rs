//! Programs joined: pipes, compressed files, statements, keys and identifiers give what plain files give.

use serde_json::{Value, json};

use crate::{
    bad_input::{GOOD, MASKED},
    sandbox::Sandbox,
};

const CENSUS: &[u8] = include_bytes!("../../data/synthetic-census.csv");

fn census() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("in.csv", CENSUS);
    sandbox
}

/// The report without the names of the files, which differ between a pipe and a file.
#[track_caller]
fn figures(report: &Value) -> Value {
    let mut report = report.clone();
    for name in ["original", "masked"] {
        assert!(report["scenario"][name].take().is_string(), "{name}");
    }
    // It holds the words of the call and the names of the files.
    assert!(report["provenance"].take().is_object());
    report
}

#[test]
fn the_two_calls_of_the_user_work_as_written() {
    let sandbox = census();
    let masked = sandbox.run("mask rankswap --p 2 in.csv").ended(0);
    assert_eq!(masked.text().lines().count(), 1001);
    assert_ne!(masked.stdout, CENSUS);
    sandbox.write("masked.csv", &masked.stdout);
    let report = sandbox
        .run("link --method am,rsld --p 2 --format json in.csv masked.csv")
        .ended(0)
        .json();
    assert_eq!(report["results"][1]["contains_true"], json!(1000));
}

#[test]
fn a_pipe_loses_nothing() {
    let sandbox = census();
    let piped = sandbox
        .shell(
            "sdcrisk mask rankswap --p 5 --seed 4 in.csv \
             | sdcrisk link --method am,rsld --p 5 --format json in.csv -",
        )
        .ended(0)
        .json();
    sandbox
        .run("mask rankswap --p 5 --seed 4 -o masked.csv in.csv")
        .ended(0);
    let filed = sandbox
        .run("link --method am,rsld --p 5 --format json in.csv masked.csv")
        .ended(0)
        .json();
    assert_eq!(piped["scenario"]["masked"], json!("standard input"));
    assert_eq!(figures(&piped), figures(&filed));
    let from_stdin = sandbox
        .run_with("mask rankswap --p 5 --seed 4 -", CENSUS)
        .ended(0);
    assert!(from_stdin.stdout == sandbox.read("masked.csv"));
    let original_piped = sandbox
        .run_with(
            "link --method am,rsld --p 5 --format json - masked.csv",
            CENSUS,
        )
        .ended(0)
        .json();
    assert_eq!(figures(&original_piped), figures(&filed));
}

#[test]
fn compressed_files_hold_what_plain_ones_hold() {
    let sandbox = census();
    sandbox
        .run("mask rankswap --p 5 --seed 4 -o plain.csv in.csv")
        .ended(0);
    let plain = sandbox.read("plain.csv");
    for name in ["m.csv.gz", "m.csv.zst"] {
        sandbox
            .run(&format!("mask rankswap --p 5 --seed 4 -o {name} in.csv"))
            .ended(0);
    }
    let packed = sandbox.read("m.csv.gz");
    let mut unpacked = Vec::new();
    std::io::Read::read_to_end(
        &mut flate2::read::GzDecoder::new(packed.as_slice()),
        &mut unpacked,
    )
    .unwrap();
    assert!(unpacked == plain);
    assert!(zstd::decode_all(sandbox.read("m.csv.zst").as_slice()).unwrap() == plain);
    let reference = sandbox
        .run("link --method am --format json in.csv plain.csv")
        .ended(0)
        .json();
    for masked in ["m.csv.gz", "m.csv.zst"] {
        let report = sandbox
            .run(&format!("link --method am --format json in.csv {masked}"))
            .ended(0)
            .json();
        assert_eq!(figures(&report), figures(&reference));
        let piped = sandbox
            .run_with(
                "link --method am --format json in.csv -",
                &sandbox.read(masked),
            )
            .ended(0)
            .json();
        assert_eq!(
            figures(&piped),
            figures(&reference),
            "{masked} on standard input"
        );
    }
    sandbox
        .run("link --method am --format json -o r.json.gz --links l.csv.zst in.csv plain.csv")
        .ended(0);
    assert_eq!(sandbox.read("r.json.gz")[..2], [0x1f, 0x8b]);
    let links = zstd::decode_all(sandbox.read("l.csv.zst").as_slice()).unwrap();
    assert_eq!(links.iter().filter(|&&byte| byte == b'\n').count(), 1001);
}

#[test]
fn a_statement_says_what_the_options_say() {
    let sandbox = Sandbox::with(&[("good.csv", GOOD)]);
    sandbox
        .run("mask rankswap --p 20 --seed 9 --statement s.json -o m.csv good.csv")
        .ended(0);
    let statement: Value = serde_json::from_slice(&sandbox.read("s.json")).unwrap();
    assert_eq!(
        statement["steps"][0]["parameters"],
        json!({"p": 20.0, "window": 2, "partner": "unswapped"})
    );
    assert_eq!(statement["schema"], json!("sdcrisk.statement/2"));
    assert_eq!(statement["steps"][0]["method"], json!("rankswap"));
    assert_eq!(statement["steps"][0]["records"], json!(10));
    assert_eq!(
        statement["steps"][0]["attributes"],
        json!(["age", "income", "bonus", "flat"])
    );
    let report = |published: &str| {
        figures(
            &sandbox
                .run(&format!(
                    "link --method am,rsld {published} --format json good.csv m.csv"
                ))
                .ended(0)
                .json(),
        )
    };
    let by_statement = report("--statement s.json");
    assert_eq!(by_statement, report("--window 2"));
    assert_eq!(by_statement, report("--p 20"));
    assert_ne!(by_statement, report("--window 1"));
    assert_eq!(by_statement["results"][1]["contains_true"], json!(10));
}

#[test]
fn a_key_undoes_a_shuffle() {
    let sandbox = census();
    let mask = "mask rankswap --p 5 --seed 4";
    sandbox.run(&format!("{mask} -o plain.csv in.csv")).ended(0);
    sandbox
        .run(&format!("{mask} --shuffle key.csv -o shuffled.csv in.csv"))
        .ended(0);
    let (plain, shuffled) = (sandbox.text("plain.csv"), sandbox.text("shuffled.csv"));
    let plain: Vec<&str> = plain.lines().collect();
    let shuffled: Vec<&str> = shuffled.lines().collect();
    let key = sandbox.text("key.csv");
    assert!(key.starts_with("masked,original\n1,"), "{:.40}", key);
    let mut moved = 0;
    for line in key.lines().skip(1) {
        let (masked, original) = line.split_once(',').unwrap();
        let (masked, original): (usize, usize) =
            (masked.parse().unwrap(), original.parse().unwrap());
        assert_eq!(shuffled[masked], plain[original]);
        moved += usize::from(masked != original);
    }
    assert!(moved > 900, "{moved} of 1000 records stand elsewhere");
    let result = |call: &str| {
        let report = sandbox
            .run(&format!("{call} --format json"))
            .ended(0)
            .json();
        report["results"].clone()
    };
    let link = "link --method am,rsld --p 5 in.csv";
    let aligned = result(&format!("{link} plain.csv"));
    assert_eq!(
        aligned,
        result(&format!("{link} --key key.csv shuffled.csv"))
    );
    let blind = result(&format!("{link} shuffled.csv"));
    assert_ne!(aligned[0]["correct"]["fair"], blind[0]["correct"]["fair"]);
}

#[test]
fn identifiers_align_files_of_other_order_and_length() {
    let mut lines: Vec<&str> = MASKED.lines().collect();
    let sandbox = Sandbox::with(&[("good.csv", GOOD), ("masked.csv", MASKED)]);
    let report = |masked: &str, id: &str| {
        sandbox
            .run(&format!(
                "link --method am,rsld --window 2 --format json {id} good.csv {masked}"
            ))
            .ended(0)
            .json()
    };
    let by_order = report("masked.csv", "");
    assert_eq!(
        by_order["results"],
        report("masked.csv", "--id person_id")["results"]
    );
    lines[1..].reverse();
    lines.swap(2, 7);
    sandbox.write("other.csv", lines.join("\n") + "\n");
    assert_eq!(
        by_order["results"],
        report("other.csv", "--id person_id")["results"]
    );
    assert_ne!(by_order["results"], report("other.csv", "")["results"]);

    // Three people less: who is left looks among seven.
    lines.truncate(8);
    sandbox.write("shorter.csv", lines.join("\n") + "\n");
    let shorter = report("shorter.csv", "--id person_id");
    let result = &shorter["results"][0];
    assert_eq!(result["records"], json!(10));
    // Seven of ten have one among seven; in the last digit 7 · (1/7) / 10 is less than 0.1.
    let baseline = result["baseline"].as_f64().unwrap();
    assert!((baseline - 0.1).abs() < 1e-15, "{baseline}");
    assert_eq!(shorter["scenario"]["masked_records"], json!(7));
    let others = sandbox
        .run("link --method am --id person_id --direction masked-to-original --format json good.csv shorter.csv")
        .ended(0)
        .json();
    assert_eq!(others["results"][0]["records"], json!(7));
    assert_eq!(others["results"][0]["baseline"], json!(0.1));
}

#[test]
fn known_forms_name_the_cases_that_they_promise() {
    let sandbox = Sandbox::with(&[("good.csv", GOOD), ("masked.csv", MASKED)]);
    let cases = |known: &str| -> Vec<String> {
        let report = sandbox
            .run(&format!(
                "link --method am --format json {known} good.csv masked.csv"
            ))
            .ended(0)
            .json();
        report["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|result| {
                let names: Vec<String> = serde_json::from_value(result["known"].clone()).unwrap();
                names.join("+")
            })
            .collect()
    };
    assert_eq!(cases(""), ["age+income+bonus+town"]);
    assert_eq!(cases("--known bonus,age"), ["bonus+age"]);
    assert_eq!(cases("--known 2-3"), ["age+income"]);
    assert_eq!(cases("--known first:2"), ["age+income"]);
    assert_eq!(
        cases("--known sweep:3"),
        ["age", "age+income", "age+income+bonus"]
    );
    assert_eq!(
        cases("--known subsets:2"),
        [
            "age+income",
            "age+bonus",
            "age+town",
            "income+bonus",
            "income+town",
            "bonus+town"
        ]
    );
    assert_eq!(
        cases("--attributes bonus,age --known sweep:2"),
        ["bonus", "bonus+age"]
    );
    let mut drawn = cases("--attributes age,income,bonus --known random:2x3 --seed 1");
    assert_eq!(
        drawn,
        cases("--attributes age,income,bonus --known random:2x3 --seed 1")
    );
    drawn.sort();
    assert_eq!(drawn, ["age+bonus", "age+income", "income+bonus"]);
}

#[test]
fn an_input_may_be_a_pipe_with_a_name() {
    let sandbox = Sandbox::with(&[("good.csv", GOOD), ("masked.csv", MASKED)]);
    let plain = sandbox
        .run("link --method am --format json good.csv masked.csv")
        .ended(0)
        .json();
    let piped = sandbox
        .shell(
            "mkfifo a b || exit 9; cat good.csv > a & cat masked.csv > b & \
             sdcrisk link --method am --format json a b",
        )
        .ended(0)
        .json();
    assert_eq!(figures(&piped), figures(&plain));
}
