//! What `mask fuzzy` costs beside the same fuzzy c-means in plain loops, from the same centres for the same number of
//! iterations.
//!
//! `cargo bench --bench fuzzy`. The README beside this file has the rest.

mod common;

use std::{fs, path::Path, process::Command};

use common::{
    data,
    figures::{median, median_ratio, say, timed},
    process,
};
use sdcrisk::{
    stats::moments::moments_by_attribute,
    table::{Matrix, ReadOptions, Table},
};

const RECORDS: usize = 100_000;
const ATTRIBUTES: usize = 8;
const CLUSTERS: usize = 50;
const ITERATIONS: usize = 20;
const ROUNDS: usize = 5;
const FUZZINESS: [f64; 3] = [2.0, 1.5, 1.3];

/// `fuzzy.csv`: the first attributes of the near file. `fuzzy-centres.csv`: every 2,000th of its records.
fn files(folder: &Path) {
    let text = data::correlated(RECORDS, 1);
    let first = |line: &[u8]| {
        let cells: Vec<&[u8]> = line.split(|&byte| byte == b',').take(ATTRIBUTES).collect();
        [cells.join(&b','), b"\n".to_vec()].concat()
    };
    let lines: Vec<Vec<u8>> = text
        .trim_ascii_end()
        .split(|&byte| byte == b'\n')
        .map(first)
        .collect();
    let centres: Vec<Vec<u8>> = lines
        .iter()
        .step_by(RECORDS / CLUSTERS)
        .take(CLUSTERS + 1)
        .cloned()
        .collect();
    fs::write(folder.join("fuzzy.csv"), lines.concat()).expect("room for the file");
    // The first line has the names; the second centre would be the first record.
    fs::write(folder.join("fuzzy-centres.csv"), centres.concat()).expect("room for the file");
}

fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    files(folder.path());
    let points = standardised(&folder.path().join("fuzzy.csv"), None);
    let start = standardised(
        &folder.path().join("fuzzy-centres.csv"),
        Some(&folder.path().join("fuzzy.csv")),
    );
    say(&format!(
        "{RECORDS} x {ATTRIBUTES}, {CLUSTERS} clusters, {ITERATIONS} iterations, {ROUNDS} rounds, medians\n\n{:6} {:>12} {:>12} {:>12} {:>10} {:>10} {:>10}",
        "m", "plain s", "fuzzy 1 thr", "fuzzy", "plain/1", "plain/all", "peak MB"
    ));
    for m in FUZZINESS {
        let mut seconds = [Vec::new(), Vec::new(), Vec::new()];
        for _ in 0..ROUNDS {
            seconds[0].push(timed(|| plain(&points, start.values().to_vec(), m)).1);
            for (threads, seconds) in [1, 0].into_iter().zip(&mut seconds[1..]) {
                seconds.push(
                    process::seconds_and_stage(&mut mask(folder.path(), m, threads), "fuzzy").1,
                );
            }
        }
        let peak = process::peak_megabytes(&mut mask(folder.path(), m, 0), &process::Sink::Null);
        say(&format!(
            "{m:<6} {:12.3} {:12.3} {:12.3} {:10.2} {:10.2} {peak:10.1}",
            median(&seconds[0]),
            median(&seconds[1]),
            median(&seconds[2]),
            median_ratio(&seconds[0], &seconds[1]),
            median_ratio(&seconds[0], &seconds[2]),
        ));
    }
}

/// The call; 0 threads are all.
fn mask(folder: &Path, m: f64, threads: usize) -> Command {
    let mut command = process::sdcrisk();
    command
        .args([
            "mask",
            "fuzzy",
            "--seed",
            "1",
            "--quiet",
            "--tolerance",
            "0",
        ])
        .args(["--m1", &m.to_string(), "--m2", &m.to_string()])
        .args([
            "--max-iterations",
            &ITERATIONS.to_string(),
            "--init-centres",
        ])
        .arg(folder.join("fuzzy-centres.csv"))
        .arg(folder.join("fuzzy.csv"));
    if threads > 0 {
        command.args(["--threads", &threads.to_string()]);
    }
    command
}

/// The numbers of a file, each attribute less its mean by its standard deviation, in this file or another.
fn standardised(path: &Path, by: Option<&Path>) -> Matrix {
    let read = |path: &Path| {
        let bytes = fs::read(path).expect("the file");
        let table = Table::read("fuzzy.csv", bytes, &ReadOptions::default()).expect("a table");
        let numbers: Vec<_> = table.ids().filter_map(|id| table.numbers(id)).collect();
        let records: Vec<u32> = (0..).take(table.n_records()).collect();
        Matrix::gather(&numbers, &records)
    };
    let moments = moments_by_attribute(&read(by.unwrap_or(path)));
    let mut matrix = read(path);
    matrix.map(|attribute, value| (value - moments[attribute].mean) / moments[attribute].sd);
    matrix
}

/// Fuzzy c-means as it is printed, record by record, and one more pass for the memberships.
fn plain(points: &Matrix, mut centres: Vec<f64>, m: f64) -> Vec<f64> {
    let mut memberships = vec![0.0; CLUSTERS];
    let mut sums = vec![0.0; CLUSTERS * (ATTRIBUTES + 1)];
    for _ in 0..=ITERATIONS {
        sums.fill(0.0);
        for record in 0..points.n_records() {
            let point = points.row(record);
            let mut total = 0.0;
            for (u, centre) in memberships.iter_mut().zip(centres.chunks_exact(ATTRIBUTES)) {
                let pairs = point.iter().zip(centre);
                let squared: f64 = pairs.map(|(x, v)| (x - v) * (x - v)).sum();
                *u = squared.max(f64::MIN_POSITIVE).powf(-1.0 / (m - 1.0));
                total += *u;
            }
            for (u, sums) in memberships
                .iter()
                .zip(sums.chunks_exact_mut(ATTRIBUTES + 1))
            {
                let weight = (u / total).powf(m);
                for (sum, x) in sums.iter_mut().zip(point) {
                    *sum += weight * x;
                }
                sums[ATTRIBUTES] += weight;
            }
        }
        for (centre, sums) in centres
            .chunks_exact_mut(ATTRIBUTES)
            .zip(sums.chunks_exact(ATTRIBUTES + 1))
        {
            for (v, sum) in centre.iter_mut().zip(sums) {
                *v = sum / sums[ATTRIBUTES];
            }
        }
    }
    centres
}
