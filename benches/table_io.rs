//! What reading and writing a table costs beside the `csv` crate, without files and processes around it: time, and peak
//! memory against the size of the table.
//!
//! `cargo bench --bench table_io` runs every case in a process of its own, on the same bytes in memory.
//! `RAYON_NUM_THREADS` sets the threads. The same table is read as Parquet, too, unless `--no-default-features` leaves that out.

mod common;

use std::{hint::black_box, io, io::Write, process::Stdio};

use common::{
    data,
    figures::{median, median_ratio, say, timed},
    minimal, process,
};
use sdcrisk::table::{ReadOptions, Table};

const RECORDS: u32 = 1_000_000;
const ROUNDS: usize = 3;
const BASELINE: usize = 1;
const CASES: &[&str] = &[
    "generate",
    "csv-crate",
    "read",
    #[cfg(feature = "parquet")]
    "parquet-read",
    "read-write",
    "swap-all",
    "new-numbers",
];

fn main() {
    match common::words().as_slice() {
        [case] if CASES.contains(&case.as_str()) => run(case),
        _ => compare(),
    }
}

fn compare() {
    let mut seconds = vec![Vec::new(); CASES.len()];
    let mut memory = [(0.0, 0.0); CASES.len()];
    for _ in 0..ROUNDS {
        for (place, case) in CASES.iter().enumerate() {
            let (taken, peak, size) = measured(case);
            seconds[place].push(taken);
            memory[place] = (peak, peak / size);
        }
    }
    say(&format!(
        "reading and writing {RECORDS} x {} in memory, {ROUNDS} rounds, medians\n",
        data::ATTRIBUTES
    ));
    say(&format!(
        "{:12} {:>8} {:>7} {:>8} {:>10}",
        "case", "seconds", "ratio", "peak MB", "peak/file"
    ));
    for (place, case) in CASES.iter().enumerate() {
        let (peak, of_size) = memory[place];
        say(&format!(
            "{case:12} {:8.3} {:7.2} {peak:8.1} {of_size:10.2}",
            median(&seconds[place]),
            median_ratio(&seconds[place], &seconds[BASELINE]),
        ));
    }
}

/// Seconds, peak memory and size of the table, of a process that does one case.
fn measured(case: &str) -> (f64, f64, f64) {
    let output = process::myself(&[case])
        .stderr(Stdio::inherit())
        .output()
        .expect("a process");
    let text = String::from_utf8(output.stdout).expect("text");
    let mut figures = text.split_whitespace().map(str::parse::<f64>);
    let mut next = || figures.next().expect("three figures").expect("a number");
    (next(), next(), next())
}

fn run(case: &str) {
    let bytes = match case {
        "parquet-read" => as_parquet(data::correlated(RECORDS as usize, 1)),
        _ => data::correlated(RECORDS as usize, 1),
    };
    let size = bytes.len() as f64 / 1e6;
    let mut out = io::BufWriter::new(io::sink());
    let ((), seconds) = timed(|| {
        match case {
            "generate" => (),
            "csv-crate" => minimal::csv_crate(bytes.as_slice(), &mut out),
            "read" | "parquet-read" => drop(black_box(changed(case, bytes))),
            _ => changed(case, bytes).write(&mut out).expect("a sink"),
        }
        black_box(out.flush()).expect("a sink");
    });
    say(&format!(
        "{seconds} {} {size}",
        process::own_peak_megabytes()
    ));
}

/// The table of these bytes as a Parquet file. What making it took is in the peak, not in the seconds.
fn as_parquet(bytes: Vec<u8>) -> Vec<u8> {
    let mut parquet = Vec::new();
    let written = changed("", bytes).write_parquet(None, &mut parquet);
    written.expect("memory");
    parquet
}

/// The table of these bytes, after what the case does to it.
fn changed(case: &str, bytes: Vec<u8>) -> Table {
    let table = Table::read("bench", bytes, &ReadOptions::default()).expect("a table");
    let ids: Vec<_> = table.ids().collect();
    ids.into_iter().fold(table, |table, id| match case {
        "swap-all" => table.with_donors(id, (0..RECORDS).map(|record| record ^ 7).collect()),
        "new-numbers" => {
            let numbers = table.numbers(id).expect("numbers").values;
            let masked = numbers.iter().map(|value| value * 1.01 + 0.1).collect();
            table.with_numbers(id, masked)
        }
        _ => table,
    })
}
