//! `mask fuzzy` as users call it: files beside the masked one, starting centres, blocks, dialects.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

const CENSUS: &[u8] = include_bytes!("../../data/synthetic-census.csv");

fn census() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("in.csv", CENSUS);
    sandbox
}

fn rows(text: &str) -> Vec<Vec<String>> {
    let cells = |line: &str| line.split(',').map(str::to_owned).collect();
    text.lines().skip(1).map(cells).collect()
}

/// Every released record is a line of `--centres`, and the one that `--partition` names.
#[test]
fn the_private_files_tell_what_was_done() {
    let sandbox = census();
    sandbox
        .run(
            "mask fuzzy --decimals full --clusters 20 --m1 1.5 --m2 1.5 --seed 3 --attributes age,income,tax --centres v.csv \
             --partition p.csv --memberships u.csv --statement s.json -o m.csv in.csv",
        )
        .ended(0);
    let centres = rows(&sandbox.text("v.csv"));
    assert!(sandbox.text("v.csv").starts_with("age,income,tax\n"));
    assert_eq!(centres.len(), 20);
    let partition = rows(&sandbox.text("p.csv"));
    assert!(sandbox.text("p.csv").starts_with("record,cluster\n1,"));
    let masked = sandbox.text("m.csv");
    let header: Vec<&str> = masked.lines().next().unwrap().split(',').collect();
    let places = ["age", "income", "tax"]
        .map(|name| header.iter().position(|&other| other == name).unwrap());
    for (record, row) in rows(&masked).into_iter().enumerate() {
        let cluster: usize = partition[record][1].parse().unwrap();
        assert_eq!(
            places.map(|place| row[place].clone())[..],
            centres[cluster - 1][..],
            "{record}"
        );
    }
    for row in rows(&sandbox.text("u.csv")) {
        let memberships: Vec<f64> = row[1..].iter().map(|cell| cell.parse().unwrap()).collect();
        assert_eq!(memberships.len(), 20);
        assert!((memberships.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
    let statement: Value = serde_json::from_slice(&sandbox.read("s.json")).unwrap();
    assert_eq!(statement["steps"][0]["method"], json!("fuzzy"));
    assert_eq!(
        statement["steps"][0]["parameters"],
        json!({"m1": 1.5, "m2": 1.5, "scale": "z", "rounded": false,
               "blocks": [{"attributes": ["age", "income", "tax"], "clusters": 20}]})
    );
}

/// Centres that c-means converged to are its own fixed point.
#[test]
fn saved_centres_are_a_start() {
    let sandbox = census();
    let mask = "mask fuzzy --decimals full --m1 1.5 --m2 1.5 --seed 3 --attributes age,income,tax";
    sandbox
        .run(&format!("{mask} --clusters 8 --tolerance 1e-10 --max-iterations 20000 --centres v.csv -o m.csv in.csv"))
        .ended(0);
    let again = sandbox
        .run(&format!(
            "{mask} --init-centres v.csv --centres w.csv -o n.csv in.csv"
        ))
        .ended(0);
    assert!(
        again.stderr.contains("converged after 1 iteration,"),
        "{}",
        again.stderr
    );
    for (v, w) in rows(&sandbox.text("v.csv"))
        .iter()
        .zip(rows(&sandbox.text("w.csv")))
    {
        for (v, w) in v.iter().zip(w) {
            let (v, w): (f64, f64) = (v.parse().unwrap(), w.parse().unwrap());
            assert!((v - w).abs() <= 1e-6 * v.abs(), "{v} {w}");
        }
    }
}

/// Starting centres may be written in the dialect of the masked file or any other that can be told.
#[test]
fn a_file_with_decimal_commas() {
    let sandbox = Sandbox::with(&[
        (
            "in.csv",
            "x;y\n1,5;2\n2,5;3\n9,25;8\n8,5;9\n1,25;2\n9,5;9\n",
        ),
        ("point.csv", "y,x\n2.5,1.75\n8.5,9.25\n"),
        ("comma.csv", "y;x\n2,5;1,75\n8,5;9,25\n"),
    ]);
    let mask = "mask fuzzy --decimals full --m1 1.2 --m2 1.01 --seed 1 in.csv";
    let point = sandbox
        .run(&format!("{mask} --init-centres point.csv --centres v.csv"))
        .ended(0)
        .text();
    let comma = sandbox
        .run(&format!("{mask} --init-centres comma.csv"))
        .ended(0)
        .text();
    assert_eq!(point, comma);
    assert!(point.starts_with("x;y\n1,7"), "{point}");
    let different: BTreeSet<&str> = point.lines().skip(1).collect();
    assert_eq!(different.len(), 2);
    // Our own reports have points and commas.
    assert!(sandbox.text("v.csv").starts_with("x,y\n1.7"));
}

#[test]
fn blocks_have_numbers_of_their_own() {
    let sandbox = census();
    let ran = sandbox
        .run(
            "mask fuzzy --decimals full --m1 1.5 --m2 1.5 --seed 3 --k 10 --group age,education --group income,tax:50 \
             --statement s.json --partition p.csv -o m.csv in.csv",
        )
        .ended(0);
    let statement: Value = serde_json::from_slice(&sandbox.read("s.json")).unwrap();
    // round(2 · 1000 / 30) and round(2 · 1000 / 150).
    assert_eq!(
        statement["steps"][0]["parameters"]["blocks"],
        json!([{"attributes": ["age", "education"], "k": 10, "clusters": 67},
               {"attributes": ["income", "tax"], "k": 50, "clusters": 13}])
    );
    assert_eq!(
        statement["steps"][0]["attributes"],
        json!(["age", "education", "income", "tax"])
    );
    assert!(
        sandbox
            .text("p.csv")
            .starts_with("record,cluster of age+education,cluster of income+tax\n")
    );
    assert!(
        ran.stderr
            .contains("income, tax: records a centre: 76.9 on average"),
        "{}",
        ran.stderr
    );
}

#[test]
fn the_release_goes_down_a_pipe_and_is_attacked() {
    let sandbox = census();
    let report = sandbox
        .shell(
            "sdcrisk mask fuzzy --k 5 --m1 1.5 --m2 1.5 --seed 4 in.csv \
             | sdcrisk link --method am --format json in.csv -",
        )
        .ended(0)
        .json();
    assert_eq!(report["results"][0]["records"], json!(1000));
}

#[test]
fn rsld_does_not_take_the_statement() {
    let sandbox = census();
    sandbox
        .run("mask fuzzy --decimals full --k 5 --m1 2 --m2 2 --statement s.json -o m.csv in.csv")
        .ended(0);
    let ran = sandbox
        .run("link --method rsld --statement s.json in.csv m.csv")
        .ended(2);
    assert!(
        ran.stderr.contains("the statement is of fuzzy"),
        "{}",
        ran.stderr
    );
}
