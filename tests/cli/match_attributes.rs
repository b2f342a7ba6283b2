//! `match-attributes` as users call it.

use serde_json::json;

use crate::sandbox::Sandbox;

const CENSUS: &str = include_str!("../../data/synthetic-census.csv");

/// A copy of the bundled file in which the attributes are called `p1`, `p2` … from the last to the first, and all amounts are a
/// thousandth of what they were.
fn disguised() -> String {
    let mut lines = CENSUS.lines();
    let width = lines.next().unwrap().split(',').count();
    let names: Vec<String> = (1..=width).map(|k| format!("p{k}")).collect();
    let mut text = names.join(",") + "\n";
    for line in lines {
        let cells: Vec<String> = line.split(',').rev().map(thousandth).collect();
        text += &(cells.join(",") + "\n");
    }
    text
}

/// Codes such as 02 are names.
fn thousandth(cell: &str) -> String {
    match cell.parse::<f64>() {
        Ok(amount) if !cell.starts_with('0') || cell == "0" => format!("{}", amount / 1000.0),
        _ => cell.to_owned(),
    }
}

fn sandbox() -> Sandbox {
    Sandbox::with(&[("a.csv", CENSUS), ("b.csv", &disguised())])
}

#[test]
fn the_report_has_the_keys_that_other_programs_read() {
    let report = sandbox()
        .run("match-attributes --format json a.csv b.csv")
        .ended(0)
        .json();
    assert_eq!(report["schema"], json!("sdcrisk.match-attributes/1"));
    let pairs = report["pairs"].as_array().unwrap();
    let names: Vec<&str> = CENSUS.lines().next().unwrap().split(',').collect();
    assert!(!pairs.is_empty());
    for pair in pairs {
        let place = names
            .iter()
            .position(|name| pair["a"] == json!(name))
            .unwrap();
        assert_eq!(
            pair["b"],
            json!(format!("p{}", names.len() - place)),
            "{pair}"
        );
        for key in ["distance", "chance", "margin", "second", "rivals", "equal"] {
            assert!(pair.get(key).is_some(), "{key}");
        }
    }
}

/// After `--rename` the copy can be linked as if nothing had been renamed, and everybody is found: amounts in thousands are
/// standardised away.
#[test]
fn a_renamed_copy_can_be_linked() {
    let sandbox = sandbox();
    sandbox
        .run("match-attributes --rename renamed.csv -o report.txt a.csv b.csv")
        .ended(0);
    assert!(
        sandbox
            .text("report.txt")
            .contains("sdcrisk link --method am a.csv renamed.csv")
    );
    let renamed = sandbox.text("renamed.csv");
    let header: Vec<&str> = renamed.lines().next().unwrap().split(',').collect();
    let mut names: Vec<&str> = CENSUS.lines().next().unwrap().split(',').collect();
    // The identifier is not matched.
    names[0] = "p13";
    names.reverse();
    assert_eq!(header, names);
    assert_eq!(
        renamed.lines().skip(1).collect::<Vec<_>>(),
        disguised().lines().skip(1).collect::<Vec<_>>(),
        "records are as they were"
    );
    let report = sandbox
        .run("link --method am --format json a.csv renamed.csv")
        .ended(0)
        .json();
    let found = report["results"][0]["rate"].as_f64().unwrap();
    assert!(found > 0.99, "{found}");
}

#[test]
fn a_file_without_names_gets_a_header_in_its_own_dialect() {
    let sandbox = Sandbox::with(&[
        (
            "a.csv",
            "age,\"pay, net\",kids\n1,10,1\n2,20,1\n3,90,9\n9,95,9\n",
        ),
        ("b.csv", "10;0,1;7\r\n20;0,2;7\r\n90;0,3;8\r\n95;0,9;8\r\n"),
    ]);
    let text = sandbox
        .run("match-attributes --rename - -o out.txt a.csv b.csv")
        .ended(0)
        .text();
    assert_eq!(
        text,
        "\"pay, net\";age;kids\r\n10;0,1;7\r\n20;0,2;7\r\n90;0,3;8\r\n95;0,9;8\r\n"
    );
}

#[test]
fn one_of_both_files_can_come_from_a_pipe() {
    let sandbox = sandbox();
    let from_file = sandbox
        .run("match-attributes --format csv a.csv b.csv")
        .ended(0)
        .text();
    let piped = sandbox
        .run_with(
            "match-attributes --format csv a.csv -",
            disguised().as_bytes(),
        )
        .ended(0)
        .text();
    assert_eq!(from_file, piped);
    assert!(from_file.starts_with("a,b,compared_by,distance,"));
}

#[test]
fn the_text_names_what_cannot_be_told_apart_and_what_was_left_out() {
    let sandbox = Sandbox::with(&[("a.csv", "x,twice,flat\n1,2,7\n2,4,7\n5,10,7\n9,18,7\n")]);
    sandbox.write("b.csv", "u,v\n10,20\n20,40\n50,100\n90,180\n");
    let text = sandbox.run("match-attributes a.csv b.csv").ended(0).text();
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    assert!(
        text.contains("Cannot be told apart by their distributions: x ("),
        "{text}"
    );
    assert!(
        text.contains("flat of A has no two different values"),
        "{text}"
    );
}

/// By hand: equal names and ranges; other names and a thousandth of the ranges, still recognised by shape; unlike shapes in one
/// range; unlike shapes in other ranges.
#[test]
fn the_four_situations_are_named() {
    let column = |name: &str, values: &[f64]| {
        let cells: Vec<String> = values.iter().map(f64::to_string).collect();
        format!("{name}\n{}\n", cells.join("\n"))
    };
    let times = |factor: f64| -> Vec<f64> { SKEWED.iter().map(|x| x * factor).collect() };
    const SKEWED: [f64; 12] = [
        0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 90.0, 100.0,
    ];
    let other: Vec<f64> = (0..12).map(|i| f64::from(i / 6) * 100.0).collect();
    let far: Vec<f64> = other.iter().map(|x| x + 5000.0).collect();
    let sandbox = Sandbox::new();
    sandbox.write("a.csv", column("pay", &times(1.0)));
    for (name, values, family) in [
        ("pay", times(1.0), "consensus"),
        ("v", times(0.001), "correspondence"),
        ("v", other, "conflict"),
        ("v", far, "contrast"),
    ] {
        sandbox.write("b.csv", column(name, &values));
        let report = sandbox
            .run("match-attributes --format json --header a.csv b.csv")
            .ended(0)
            .json();
        assert_eq!(report["situation"]["family"], json!(family), "{report}");
    }
}
