//! What the optimal partition of 1,000,000 values costs at k = 3, 10 and 1000, beside the plain dynamic program that tries
//! all sizes of the last group with prefix sums, in the same run: seconds after sorting, and in total.
//!
//! `cargo bench --bench univariate`.

mod common;

use common::figures::{median, say, timed};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sdcrisk::mask::microaggregation::univariate::{optimal, optimal_sorted};

const VALUES: usize = 1_000_000;
const ROUNDS: usize = 5;

/// Skewed amounts: cubes of evenly spread numbers, in random order.
fn values() -> Vec<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let unit = |word: u64| (word >> 11) as f64 / (1_u64 << 53) as f64;
    (0..VALUES)
        .map(|_| (1000.0 * unit(rng.next_u64())).powi(3).round())
        .collect()
}

fn main() {
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
            plain.push(timed(|| plain_sizes(&sorted, k)).1);
        }
        let (total, after) = (median(&total), median(&after));
        let plain = median(&plain);
        say(&format!(
            "| {k} | {total:.3} | {after:.3} | {plain:.3} | {:.1} |",
            plain / after
        ));
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
