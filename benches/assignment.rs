//! What `link --assign one-to-one` costs beside a dense solver (the crate lsap) on the same files, and that both find the same
//! cost.
//!
//! `cargo bench --bench assignment` compares on files of 5,000 records; `-- large` shows 100,000 records, which no dense
//! solver holds; `-- patterns` compares assignments by agreement patterns (prl). The README beside this file has the rest.

mod common;

use std::{fs, path::Path, process::Command};

use common::{
    data,
    figures::{median, median_ratio, say, timed},
    process::{self, Sink},
};
use sdcrisk::{
    attack::{
        Attack, Direction, Preference, Scenario,
        one_to_one::assign,
        probabilistic::{Fit, Probabilistic},
    },
    stats::moments::moments_by_attribute,
    table::{Matrix, ReadOptions, Scale, Table},
};

const RECORDS: usize = 5_000;
const LARGE: usize = 100_000;
const ROUNDS: usize = 3;

/// Names of masked files, and how they are made.
const MASKINGS: [(&str, &str); 4] = [
    ("swapped-2", "rankswap --p 2 --seed 1"),
    ("swapped-20", "rankswap --p 20 --seed 1"),
    ("groups-10", "microagg --k 10"),
    ("noise-1", "noise --level 1 --seed 1"),
];

const KNOWN: [usize; 2] = [7, 13];

/// Of agreement patterns.
const KNOWN_PATTERNS: [usize; 3] = [1, 3, 5];

fn main() {
    let words = common::words();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["large"] => large(),
        ["patterns"] => patterns(),
        _ => compare(),
    }
}

/// `original.csv`, and each masking of it.
fn files(folder: &Path, records: usize) {
    let original = folder.join("original.csv");
    fs::write(&original, data::correlated(records, 1)).expect("room for the file");
    for (name, masking) in MASKINGS {
        let masked = Sink::File(folder.join(format!("{name}.csv")));
        let mut command = process::sdcrisk();
        command.args(["--quiet", "mask"]).args(masking.split(' '));
        process::seconds(command.arg(&original), &masked);
    }
}

fn link(folder: &Path, masked: &str, known: usize) -> Command {
    let mut command = process::sdcrisk();
    command.args([
        "link",
        "--quiet",
        "--method",
        "am",
        "--assign",
        "one-to-one",
    ]);
    command.args(["--format", "json", "--known", &format!("first:{known}")]);
    command.arg(folder.join("original.csv"));
    command.arg(folder.join(format!("{masked}.csv")));
    command
}

fn compare() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    files(folder, RECORDS);
    say(&format!(
        "{RECORDS} records, {ROUNDS} rounds, medians\n\n{:10} {:>5} {:>9} {:>9} {:>9} {:>11} {:>8} {:>9}",
        "masked", "known", "ours s", "matrix s", "lsap s", "lsap/ours", "peak MB", "cost off"
    ));
    for (name, _) in MASKINGS {
        for known in KNOWN {
            let (mut ours, mut build, mut solve) = (Vec::new(), Vec::new(), Vec::new());
            let mut least = f64::NAN;
            for _ in 0..ROUNDS {
                ours.push(process::seconds_and_stage(&mut link(folder, name, known), "am").1);
                let (costs, seconds) = timed(|| matrix(folder, name, known));
                build.push(seconds);
                let (cost, seconds) = timed(|| dense(&costs));
                solve.push(seconds);
                least = cost;
            }
            let peak = process::peak_megabytes(&mut link(folder, name, known), &Sink::Null);
            say(&format!(
                "{name:10} {known:>5} {:>9.3} {:>9.3} {:>9.3} {:>11.1} {peak:>8.0} {:>9.1e}",
                median(&ours),
                median(&build),
                median(&solve),
                median_ratio(&solve, &ours),
                (cost(folder, name, known) - least).abs() / least,
            ));
        }
    }
}

fn large() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    files(folder, LARGE);
    say(&format!(
        "{LARGE} records\n\n{:10} {:>5} {:>9} {:>8}",
        "masked", "known", "ours s", "peak MB"
    ));
    for (name, _) in MASKINGS {
        let known = KNOWN[0];
        let (_, seconds) = process::seconds_and_stage(&mut link(folder, name, known), "am");
        let peak = process::peak_megabytes(&mut link(folder, name, known), &Sink::Null);
        say(&format!("{name:10} {known:>5} {seconds:>9.1} {peak:>8.0}"));
    }
}

/// Assignments by agreement patterns, m and u of the true pairs, on one thread; the dense solver gets the matrix of weights.
fn patterns() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    files(folder, RECORDS);
    say(&format!(
        "{RECORDS} records, {ROUNDS} rounds, medians, one thread\n\n{:10} {:>5} {:>9} {:>9} {:>9} {:>11} {:>9}",
        "masked", "known", "ours s", "matrix s", "lsap s", "lsap/ours", "cost off"
    ));
    let one = rayon::ThreadPoolBuilder::new().num_threads(1);
    let one = one.build().expect("a thread");
    for (name, _) in MASKINGS {
        for known in KNOWN_PATTERNS {
            let agreed = agreed(folder, name, known);
            let (mut ours, mut build, mut solve) = (Vec::new(), Vec::new(), Vec::new());
            let (mut cost, mut least) = (f64::NAN, f64::NAN);
            for _ in 0..ROUNDS {
                let (found, seconds) = timed(|| one.install(|| assign(&agreed).expect("links")));
                cost = found.total.cost;
                ours.push(seconds);
                let (costs, seconds) = timed(|| all_costs(&agreed));
                build.push(seconds);
                let (found, seconds) = timed(|| dense(&costs));
                least = found;
                solve.push(seconds);
            }
            say(&format!(
                "{name:10} {known:>5} {:>9.3} {:>9.3} {:>9.3} {:>11.1} {:>9.1e}",
                median(&ours),
                median(&build),
                median(&solve),
                median_ratio(&solve, &ours),
                (cost - least).abs() / least.abs(),
            ));
        }
    }
}

fn agreed(folder: &Path, masked: &str, known: usize) -> Preference<'static> {
    let original = standardised(&folder.join("original.csv"), known);
    let masked = standardised(&folder.join(format!("{masked}.csv")), known);
    let [seekers, sought] = [original, masked].map(|cells| Matrix::complete(RECORDS, known, cells));
    let names: Vec<String> = (0..known).map(|k| format!("a{k}")).collect();
    // A place for each record that has nothing to do with that of its partner's: 7919 is prime and no divisor.
    let place = |record: usize| record * 7919 % RECORDS;
    let mut shuffled = sought.values().to_vec();
    for record in 0..RECORDS {
        let row = &sought.values()[record * known..][..known];
        shuffled[place(record) * known..][..known].copy_from_slice(row);
    }
    let sought = Matrix::complete(RECORDS, known, shuffled);
    let aligned: Vec<Option<u32>> = (0..RECORDS)
        .map(|record| u32::try_from(place(record)).ok())
        .collect();
    let attack = Probabilistic {
        fit: Fit::Known,
        ..Probabilistic::default()
    };
    let scenario = Scenario {
        known: &names,
        scales: &vec![Scale::Continuous; known],
        categories: &[],
        intruder: &seekers,
        released: &sought,
        direction: Direction::OriginalToMasked,
        aligned: Some(&aligned),
        beside: None,
        unrecoded: None,
    };
    match attack.prepare(&scenario).expect("weights") {
        Preference::Agreed(agreed) => Preference::Agreed(agreed),
        _ => unreachable!("weights of patterns"),
    }
}

fn all_costs(preference: &Preference<'_>) -> Vec<f64> {
    let lists = preference.as_lists().expect("weights are lists");
    let (mut costs, mut list) = (Vec::with_capacity(RECORDS * RECORDS), Vec::new());
    for seeker in 0..RECORDS {
        lists.list(seeker, &mut list);
        costs.extend(list.iter().map(|&(_, cost)| cost));
    }
    costs
}

/// The cost that our assignment comes to.
fn cost(folder: &Path, masked: &str, known: usize) -> f64 {
    let output = link(folder, masked, known).output().expect("a process");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a report");
    report["results"][0]["assignment"]["cost"]
        .as_f64()
        .expect("a cost")
}

/// All squared distances; reading is not in the time that counts, but small beside it.
fn matrix(folder: &Path, masked: &str, known: usize) -> Vec<f64> {
    let original = standardised(&folder.join("original.csv"), known);
    let masked = standardised(&folder.join(format!("{masked}.csv")), known);
    let mut costs = Vec::with_capacity(original.len() / known * masked.len() / known);
    for a in original.chunks_exact(known) {
        for b in masked.chunks_exact(known) {
            costs.push(a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum());
        }
    }
    costs
}

fn dense(costs: &Vec<f64>) -> f64 {
    let (rows, columns) = lsap::solve(RECORDS, RECORDS, costs, false).expect("a solution");
    let cells = rows.into_iter().zip(columns);
    cells
        .map(|(row, column)| costs[row * RECORDS + column])
        .sum()
}

fn standardised(path: &Path, known: usize) -> Vec<f64> {
    let bytes = fs::read(path).expect("the file");
    let table = Table::read("file", bytes, &ReadOptions::default()).expect("a table");
    let numbers: Vec<_> = table
        .ids()
        .take(known)
        .filter_map(|id| table.numbers(id))
        .collect();
    let records: Vec<u32> = (0..).take(table.n_records()).collect();
    let matrix = Matrix::gather(&numbers, &records);
    let moments = moments_by_attribute(&matrix);
    let cells = matrix.values().iter().enumerate();
    cells
        .map(|(cell, value)| {
            let moments = moments[cell % known];
            (value - moments.mean) / moments.sd
        })
        .collect()
}
