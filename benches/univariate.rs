//! What the optimal partition of 1,000,000 values costs at k = 3, 10 and 1000, beside the plain dynamic program that tries
//! all sizes of the last group with prefix sums, in the same run: seconds after sorting, and in total.
//!
//! `cargo bench --bench univariate`. `-- files FOLDER` writes the values for peers, `-- only` leaves out the baseline.

mod common;

use std::{fs, path::Path};

use common::figures::{median, say, timed};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sdcrisk::mask::microaggregation::univariate::{optimal, optimal_sorted};

const VALUES: usize = 1_000_000;
const ROUNDS: usize = 5;

fn main() {
    match common::words().as_slice() {
        [word, folder] if word == "files" => write_values(Path::new(folder)),
        words => compare(words.iter().any(|word| word == "only")),
    }
}

/// Little-endian doubles, as numpy reads them.
fn write_values(folder: &Path) {
    let bytes: Vec<u8> = values().iter().flat_map(|x| x.to_le_bytes()).collect();
    fs::write(folder.join("values.f64"), bytes).expect("room for the file");
}

/// Skewed amounts: cubes of evenly spread numbers, in random order.
fn values() -> Vec<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let unit = |word: u64| (word >> 11) as f64 / (1_u64 << 53) as f64;
    (0..VALUES)
        .map(|_| (1000.0 * unit(rng.next_u64())).powi(3).round())
        .collect()
}

fn compare(only: bool) {
    let values = values();
    let mut sorted = values.clone();
    sorted.sort_by(f64::total_cmp);
    say(&format!(
        "{VALUES} values, {ROUNDS} rounds, medians in seconds; target after sorting: 0.3\n"
    ));
    say("| k | total | after sorting | plain O(n k) after sorting | plain/ours |");
    say("|---:|---:|---:|---:|---:|");
    for k in [3, 10, 1000] {
        let (mut total, mut after, mut plain) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            total.push(timed(|| optimal(&values, k)).1);
            after.push(timed(|| optimal_sorted(&sorted, k)).1);
            if !only {
                plain.push(timed(|| plain_sizes(&sorted, k)).1);
            }
        }
        let (total, after) = (median(&total), median(&after));
        let baseline = if only {
            "- | -".to_string()
        } else {
            format!("{:.3} | {:.1}", median(&plain), median(&plain) / after)
        };
        say(&format!("| {k} | {total:.3} | {after:.3} | {baseline} |"));
    }
}

/// Hansen and Mukherjee's shortest path as it is written down: all arcs, costs from prefix sums (which cancel).
fn plain_sizes(sorted: &[f64], k: usize) -> Vec<usize> {
    let n = sorted.len();
    let (mut sums, mut squares) = (vec![0.0; n + 1], vec![0.0; n + 1]);
    for (i, x) in sorted.iter().enumerate() {
        sums[i + 1] = sums[i] + x;
        squares[i + 1] = squares[i] + x * x;
    }
    let mut least = vec![f64::INFINITY; n + 1];
    let mut start = vec![0; n + 1];
    least[0] = 0.0;
    for j in k..=n {
        for i in (j + 1).saturating_sub(2 * k)..=j - k {
            let sum = sums[j] - sums[i];
            let cost = squares[j] - squares[i] - sum * sum / (j - i) as f64;
            if least[i] + cost < least[j] {
                least[j] = least[i] + cost;
                start[j] = i;
            }
        }
    }
    let mut sizes = Vec::new();
    let mut end = n;
    while end > 0 {
        sizes.push(end - start[end]);
        end = start[end];
    }
    sizes
}
