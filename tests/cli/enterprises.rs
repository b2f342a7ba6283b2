//! The survey of enterprises of `demo --enterprises`: sums and zeros that are kept, to the last cent, by each method that can.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::sandbox::Sandbox;

const ROLES: &str = "identifier = [\"enterprise\"]
nominal = [\"industry\", \"state\"]
[missing]
energy = [\".\"]
costs = [\".\"]
";

/// Total and parts.
const SUMS: [(&str, &[&str]); 3] = [
    ("employed", &["men", "women"]),
    ("turnover", &["home", "abroad"]),
    ("costs", &["materials", "energy", "wages", "services"]),
];

const AMOUNTS: [&str; 10] = [
    "men",
    "women",
    "home",
    "abroad",
    "materials",
    "energy",
    "wages",
    "services",
    "investment",
    "research",
];

fn survey() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("roles.toml", ROLES);
    sandbox.write("rules.toml", "[industry]\ndigits = 1\n");
    let ran = sandbox
        .shell("set -e; sdcrisk demo --enterprises > all.csv; head -601 all.csv > enterprises.csv");
    assert_eq!(ran.status, Some(0));
    sandbox
}

/// Each attribute in cents, read by nothing of the program; `None` where it is missing.
fn cents(file: &str) -> BTreeMap<String, Vec<Option<i64>>> {
    let mut lines = file.lines().map(|line| line.split(';'));
    let names: Vec<&str> = lines.next().unwrap().collect();
    let mut columns = vec![Vec::new(); names.len()];
    for line in lines {
        for (column, cell) in columns.iter_mut().zip(line) {
            let (whole, decimals) = cell.split_once(',').unwrap_or((cell, "00"));
            let digits = format!("{whole}{decimals}").parse();
            assert!(
                decimals.len() == 2 || digits.is_err(),
                "two decimals: {cell}"
            );
            column.push(digits.ok());
        }
    }
    names.into_iter().map(str::to_owned).zip(columns).collect()
}

#[test]
fn the_survey_has_totals_zeros_gaps_and_giants() {
    let sandbox = survey();
    let file = cents(&sandbox.text("all.csv"));
    assert_eq!(file["employed"].len(), 2_000);
    let zeros = |name: &str| file[name].iter().filter(|cents| **cents == Some(0)).count();
    assert!(zeros("abroad") > 1_000 && zeros("investment") > 700 && zeros("research") > 1_500);
    let gaps = |name: &str| file[name].iter().filter(|cents| cents.is_none()).count();
    assert_eq!(
        (gaps("energy"), gaps("costs"), gaps("wages")),
        (105, 105, 0)
    );
    let mut persons: Vec<i64> = file["employed"]
        .iter()
        .flatten()
        .map(|cents| cents / 100)
        .collect();
    persons.sort_unstable();
    assert!(persons[1_000] < 15 && persons[1_999] > 2_000, "skewed");
    for (total, parts) in SUMS {
        for (record, own) in file[total].iter().enumerate() {
            let sum = (parts.iter())
                .map(|part| file[*part][record])
                .sum::<Option<i64>>();
            assert_eq!(*own, sum, "{total} of line {}", record + 2);
        }
    }
}

/// By the methods that keep sums and zeros (noise makes zeros of its own of small counts): totals are their parts, as many cells as before are zero, none is negative; and the table
/// of integrity says the same, with what else changed.
#[test]
fn sums_hold_to_the_last_cent_and_zeros_stay_as_many() {
    let sandbox = survey();
    let before = cents(&sandbox.text("enterprises.csv"));
    for options in [
        "method = \"copula\"\nmu = 0.8",
        "method = \"microagg\"\nk = 5",
        "method = \"rankswap\"\np = 8",
    ] {
        let sums: Vec<String> = SUMS
            .iter()
            .map(|(total, parts)| format!("\"{total}={}\"", parts.join("+")))
            .collect();
        sandbox.write(
            "release.toml",
            format!(
                "[[step]]\nmethod = \"recode\"\nrules = \"rules.toml\"\n[[step]]\n{options}\nattributes = \"{}\"\nkeep-sums = [{}]\n\
                 keep-zeros = true\n",
                AMOUNTS.join(","),
                sums.join(", ")
            ),
        );
        sandbox
            .run(
                "mask release.toml --roles roles.toml --seed 1 --statement all.json -o masked.csv enterprises.csv",
            )
            .ended(0);
        let after = cents(&sandbox.text("masked.csv"));
        let mut held = [0; SUMS.len()];
        for ((total, parts), held) in SUMS.iter().zip(&mut held) {
            for (record, own) in after[*total].iter().enumerate() {
                let sum = (parts.iter())
                    .map(|part| after[*part][record])
                    .sum::<Option<i64>>();
                assert_eq!(*own, sum, "{options}: {total}");
                *held += u64::from(sum.is_some());
            }
        }
        let count = |file: &BTreeMap<String, Vec<Option<i64>>>, name: &str| {
            file[name].iter().filter(|cents| **cents == Some(0)).count()
        };
        for name in AMOUNTS {
            assert_eq!(
                count(&after, name),
                count(&before, name),
                "{options}: {name}"
            );
            let is_masked = (after[name].iter()).zip(&before[name]).any(|(a, b)| a != b);
            assert!(is_masked, "{options}: {name}");
        }
        let ran = sandbox.run(
            "loss --roles roles.toml --statement all.json --format json enterprises.csv masked.csv",
        );
        let loss: Value = serde_json::from_str(&ran.ended(0).text()).unwrap();
        let sums = loss["integrity"]["sums"].as_array().unwrap();
        for ((total, parts), held) in SUMS.iter().zip(held) {
            let named = format!("{total} = {}", parts.join(" + "));
            let of_total = sums.iter().find(|sum| sum["sum"] == named.as_str());
            assert_eq!(
                of_total.unwrap()["after"],
                serde_json::json!([held, held]),
                "{options}: {total}"
            );
        }
        let attributes = loss["integrity"]["attributes"].as_array().unwrap();
        for name in AMOUNTS {
            let row = attributes
                .iter()
                .find(|row| row["attribute"] == name)
                .unwrap();
            let zeros = count(&before, name);
            assert_eq!(
                row["zero"],
                serde_json::json!([zeros, zeros]),
                "{options}: {name}"
            );
        }
    }
}
