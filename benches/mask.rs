//! What `sdcrisk mask rankswap --p 2` and `sdcrisk mask ipso` (four attributes of 13 replaced) of 1,000,000 × 13 cost beside
//! a minimal program on the `csv` crate that parses every cell of the same file to `f64` and writes it back: time, and
//! peak memory against the size of the file.
//!
//! `cargo bench --bench mask`. Both are whole processes and take turns; the README beside this file tells the rest.

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
        "mask rankswap --p 2, mask ipso: {RECORDS} x {} records, {megabytes:.1} MB, {ROUNDS} rounds, medians\n",
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
        "{:36} {:>8} {:>7} {:>8} {:>10}",
        "process", "seconds", "ratio", "peak MB", "peak/file"
    ));
    for (case, figures) in cases.iter().zip(&seconds) {
        let peak = process::peak_megabytes(&mut (case.command)(), &case.sink);
        say(&format!(
            "{:36} {:8.3} {:7.2} {peak:8.1} {:10.2}",
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
    let shared = input.clone();
    let mask = move || {
        let mut command = process::sdcrisk();
        let seeded = ["mask", "rankswap", "--p", "2", "--seed", "1", "--quiet"];
        command.args(seeded).arg(&input);
        command
    };
    let mask_to_file = {
        let (mask, output) = (mask.clone(), output.clone());
        move || {
            let mut command = mask();
            command.arg("-o").arg(&output);
            command
        }
    };
    let one_thread = {
        let mask = mask.clone();
        move || {
            let mut command = mask();
            command.args(["--threads", "1"]);
            command
        }
    };
    let file = Sink::File(output);
    let case = |name, command, sink: &Sink, baseline| Case {
        name,
        command,
        sink: sink.clone(),
        baseline,
    };
    let ipso = |variant: &'static str| {
        let input = shared.clone();
        move || {
            let mut command = process::sdcrisk();
            command.args(["mask", "ipso", "--variant", variant, "--quiet"]);
            command.args(["--confidential", "5-13"]).arg(&input);
            command
        }
    };
    vec![
        case(
            "csv crate > /dev/null",
            Box::new(minimal.clone()),
            &Sink::Null,
            0,
        ),
        case(
            "sdcrisk mask > /dev/null",
            Box::new(mask.clone()),
            &Sink::Null,
            0,
        ),
        case(
            "sdcrisk mask --threads 1 > /dev/null",
            Box::new(one_thread),
            &Sink::Null,
            0,
        ),
        case("ipso a > /dev/null", Box::new(ipso("a")), &Sink::Null, 0),
        case("ipso b > /dev/null", Box::new(ipso("b")), &Sink::Null, 0),
        case("ipso c > /dev/null", Box::new(ipso("c")), &Sink::Null, 0),
        case("csv crate > file", Box::new(minimal), &file, 6),
        case("sdcrisk mask > file", Box::new(mask), &file, 6),
        case(
            "sdcrisk mask -o file",
            Box::new(mask_to_file),
            &Sink::Null,
            6,
        ),
    ]
}
