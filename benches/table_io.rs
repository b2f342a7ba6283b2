//! What reading and writing a table costs beside the `csv` crate: time, and peak memory against the file's size.
//!
//! `cargo bench --bench table_io` runs every case in a process of its own and prints its time and peak memory; the
//! last column is the ratio to a minimal program on the `csv` crate that parses every cell to `f64` and writes it
//! back. `RAYON_NUM_THREADS` sets the threads.

use std::hint::black_box;
use std::io::Write;
use std::process::Command;
use std::time::Instant;

use sdcrisk::table::{ReadOptions, Table};

const RECORDS: u64 = 1_000_000;
const ATTRIBUTES: u64 = 13;
const CASES: [&str; 5] = [
    "generate",
    "csv-crate",
    "read-write",
    "swap-all",
    "new-numbers",
];

fn main() {
    let wanted = std::env::args()
        .nth(1)
        .filter(|case| CASES.contains(&case.as_str()));
    match wanted {
        Some(case) => run(&case),
        None => compare(),
    }
}

fn compare() {
    let program = std::env::current_exe().expect("this program");
    let mut baseline = None;
    println!(
        "{:12} {:>9} {:>9} {:>10} {:>8}",
        "case", "seconds", "peak MB", "peak/file", "ratio"
    );
    for case in CASES {
        let output = Command::new(&program)
            .arg(case)
            .output()
            .expect("a child process");
        let text = String::from_utf8(output.stdout).expect("text");
        let mut parts = text
            .split_whitespace()
            .map(|part| part.parse::<f64>().expect("a number"));
        let (seconds, peak, file) = (
            parts.next().expect("time"),
            parts.next().expect("peak"),
            parts.next().expect("size"),
        );
        if case == "csv-crate" {
            baseline = Some(seconds);
        }
        let ratio = baseline.map_or(f64::NAN, |baseline| seconds / baseline);
        println!(
            "{case:12} {seconds:9.3} {peak:9.1} {:10.2} {ratio:8.2}",
            peak / file
        );
    }
}

fn run(case: &str) {
    let bytes = generate();
    let size = bytes.len() as f64 / 1e6;
    let before = Instant::now();
    let mut out = std::io::BufWriter::new(std::io::sink());
    match case {
        "generate" => (),
        "csv-crate" => csv_crate(&bytes, &mut out),
        _ => {
            let read = |bytes| Table::read("bench", bytes, &ReadOptions::default());
            let mut table = read(bytes).expect("a table");
            if case == "swap-all" {
                for id in table.ids() {
                    table = table.with_donors(id, (0..1_000_000).map(|r| r ^ 7).collect());
                }
            } else if case == "new-numbers" {
                for id in table.ids() {
                    let numbers = table.numbers(id).expect("numbers").values;
                    let masked = numbers.iter().map(|value| value * 1.01 + 0.1).collect();
                    table = table.with_numbers(id, masked);
                }
            }
            table.write(&mut out).expect("a sink");
        }
    }
    black_box(out.flush()).expect("a sink");
    println!(
        "{} {} {size}",
        before.elapsed().as_secs_f64(),
        peak_megabytes()
    );
}

/// Whole numbers of one to seven digits, as in the census files of the literature.
fn generate() -> Vec<u8> {
    let mut bytes = Vec::with_capacity(100 << 20);
    let names: Vec<String> = (1..=ATTRIBUTES).map(|place| format!("X{place}")).collect();
    bytes.extend_from_slice(names.join(",").as_bytes());
    let mut state = 1_u64;
    for _ in 0..RECORDS {
        for place in 0..ATTRIBUTES {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let value = (state >> 33) % 10_u64.pow(5 + u32::from(place % 3 != 0));
            write!(bytes, "{}{value}", if place == 0 { '\n' } else { ',' }).expect("memory");
        }
    }
    bytes.push(b'\n');
    bytes.shrink_to_fit();
    bytes
}

fn csv_crate(bytes: &[u8], out: &mut impl Write) {
    let mut reader = csv::Reader::from_reader(bytes);
    let mut writer = csv::Writer::from_writer(out);
    writer
        .write_record(reader.headers().expect("a header"))
        .expect("a sink");
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).expect("a record") {
        for cell in &record {
            let value: f64 = cell.parse().expect("a number");
            writer.write_field(value.to_string()).expect("a sink");
        }
        writer.write_record(None::<&[u8]>).expect("a sink");
    }
    writer.flush().expect("a sink");
}

/// The most memory that this process had at one time (Linux; 0 elsewhere).
fn peak_megabytes() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM"))
        .unwrap_or_default();
    line.split_whitespace()
        .nth(1)
        .and_then(|kb| kb.parse::<f64>().ok())
        .unwrap_or(0.0)
        / 1024.0
}
