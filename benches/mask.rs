//! What `sdcrisk mask` of 1,000,000 × 13 costs by method beside a minimal program on the `csv` crate that parses every cell
//! of the same file to `f64` and writes it back: time, and peak memory against the size of the file.
//!
//! `cargo bench --bench mask`. All are whole processes and take turns; the README beside this file has the rest.

mod common;

use std::{fs, path::Path, process::Command};

use common::{
    data,
    figures::{median, median_ratio, say},
    minimal, process,
    process::Sink,
};

const RECORDS: usize = 1_000_000;
const ROUNDS: usize = 5;

/// The word that makes this program the minimal one.
const MINIMAL: &str = "csv-crate";

/// The other methods, and their options.
const METHODS: [(&str, &[&str]); 10] = [
    ("pbuckets --p 50 > /dev/null", &["pbuckets", "--p", "50"]),
    (
        "pdistribution --p 2 > /dev/null",
        &["pdistribution", "--p", "2"],
    ),
    (
        "noise --level 0.1 > /dev/null",
        &["noise", "--level", "0.1"],
    ),
    (
        "noise --level 0.1 --round > /dev/null",
        &["noise", "--level", "0.1", "--round"],
    ),
    (
        "noise --level 0.1 --correlated > /dev/null",
        &["noise", "--level", "0.1", "--correlated"],
    ),
    ("copula --mu 3 > /dev/null", &["copula", "--mu", "3"]),
    (
        "ipso a, 4 of 13 > /dev/null",
        &["ipso", "--variant", "a", "--confidential", "5-13"],
    ),
    (
        "ipso b, 4 of 13 > /dev/null",
        &["ipso", "--variant", "b", "--confidential", "5-13"],
    ),
    (
        "ipso c, 4 of 13 > /dev/null",
        &["ipso", "--variant", "c", "--confidential", "5-13"],
    ),
    (
        "microagg --k 3 --algorithm individual-ranking > /dev/null",
        &["microagg", "--k", "3", "--algorithm", "individual-ranking"],
    ),
];

/// What is run, and where it writes.
struct Case {
    name: &'static str,
    command: Box<dyn Fn() -> Command>,
    sink: Sink,
    /// The position of the case that it is compared with.
    baseline: usize,
}

fn main() {
    match common::words().as_slice() {
        [word, path] if word == MINIMAL => {
            let input = fs::File::open(path).expect("the file");
            minimal::csv_crate(input, std::io::stdout().lock());
        }
        _ => compare(),
    }
}

fn compare() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let input = folder.path().join("in.csv");
    let bytes = data::correlated(RECORDS, 1);
    fs::write(&input, &bytes).expect("room for the file");
    let megabytes = bytes.len() as f64 / 1e6;
    drop(bytes);
    say(&format!(
        "mask: {RECORDS} x {} records, {megabytes:.1} MB, {ROUNDS} rounds, medians\n",
        data::ATTRIBUTES
    ));

    let cases = cases(&input, folder.path());
    let mut seconds = vec![Vec::new(); cases.len()];
    for _ in 0..ROUNDS {
        for (case, seconds) in cases.iter().zip(&mut seconds) {
            seconds.push(process::seconds(&mut (case.command)(), &case.sink));
        }
    }
    say(&format!(
        "{:40} {:>8} {:>7} {:>8} {:>10}",
        "process", "seconds", "ratio", "peak MB", "peak/file"
    ));
    for (case, figures) in cases.iter().zip(&seconds) {
        let peak = process::peak_megabytes(&mut (case.command)(), &case.sink);
        say(&format!(
            "{:40} {:8.3} {:7.2} {peak:8.1} {:10.2}",
            case.name,
            median(figures),
            median_ratio(figures, &seconds[case.baseline]),
            peak / megabytes
        ));
    }
}

fn cases(input: &Path, folder: &Path) -> Vec<Case> {
    let (input, output) = (input.to_path_buf(), folder.join("out.csv"));
    let minimal = {
        let input = input.clone();
        move || process::myself(&[MINIMAL, &input.display().to_string()])
    };
    let mask = move |options: &[&str]| {
        let mut command = process::sdcrisk();
        command.arg("mask").args(options);
        command.arg("--quiet").arg(&input);
        command
    };
    let rank_swap = {
        let mask = mask.clone();
        move || mask(&["rankswap", "--p", "2"])
    };
    let mask_to_file = {
        let (mask, output) = (rank_swap.clone(), output.clone());
        move || {
            let mut command = mask();
            command.arg("-o").arg(&output);
            command
        }
    };
    let one_thread = {
        let mask = rank_swap.clone();
        move || {
            let mut command = mask();
            command.args(["--threads", "1"]);
            command
        }
    };
    let other_methods = METHODS.map(|(name, options)| {
        let mask = mask.clone();
        let command = move || mask(options);
        (name, Box::new(command) as Box<dyn Fn() -> Command>)
    });
    let file = Sink::File(output);
    let case = |name, command, sink: &Sink, baseline| Case {
        name,
        command,
        sink: sink.clone(),
        baseline,
    };
    let mut cases = vec![
        case(
            "csv crate > /dev/null",
            Box::new(minimal.clone()),
            &Sink::Null,
            0,
        ),
        case(
            "rankswap --p 2 > /dev/null",
            Box::new(rank_swap.clone()),
            &Sink::Null,
            0,
        ),
        case(
            "rankswap --p 2 --threads 1 > /dev/null",
            Box::new(one_thread),
            &Sink::Null,
            0,
        ),
        case("csv crate > file", Box::new(minimal), &file, 3),
        case("rankswap --p 2 > file", Box::new(rank_swap), &file, 3),
        case(
            "rankswap --p 2 -o file",
            Box::new(mask_to_file),
            &Sink::Null,
            3,
        ),
    ];
    for (name, command) in other_methods {
        cases.push(case(name, command, &Sink::Null, 0));
    }
    cases
}
