//! What the classes of a key of seven categories cost, and the search for minimal sample uniques, beside plain programs.
//!
//! `cargo bench --bench risk`. The README beside this file explains the figures.

mod common;

use std::collections::BTreeMap;

use common::figures::{median, median_ratio, say, timed};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sdcrisk::{
    risk::{classes::KeyClasses, suda::minimal_uniques},
    statement::MissingMatches,
    stats::keys::{Keys, Set},
};

/// Values of each attribute, as in a household survey: the first of them often, the last rarely.
const VALUES: [u64; 7] = [2, 3, 4, 5, 8, 12, 90];

const ROUNDS: usize = 5;

fn main() {
    say("what             records  gaps   ours s  plain s  faster x  found");
    for (n_records, gaps) in [(1_000_000, false), (1_000_000, true)] {
        let columns = columns(n_records, gaps);
        let ours = || {
            let keys = Keys::of_codes(n_records, &columns);
            let classes = KeyClasses::of_keys(keys, MissingMatches::Missing);
            classes.sizes().iter().filter(|&&size| size == 1).count()
        };
        compare("classes", n_records, gaps, ours, || plain_classes(&columns));
    }
    for (n_records, gaps) in [(100_000, false), (100_000, true)] {
        let columns = columns(n_records, gaps);
        let keys = Keys::of_codes(n_records, &columns);
        let ours = || minimal_uniques(&keys, 7, MissingMatches::Any).len();
        compare("minimal uniques", n_records, gaps, ours, || {
            plain_uniques(&keys)
        });
    }
}

fn compare(
    what: &str,
    n_records: usize,
    gaps: bool,
    ours: impl Fn() -> usize,
    plain: impl Fn() -> usize,
) {
    let (mut of_ours, mut of_plain) = (Vec::new(), Vec::new());
    let mut found = 0;
    for _ in 0..ROUNDS {
        let (mine, seconds) = timed(&ours);
        of_ours.push(seconds);
        let (theirs, seconds) = timed(&plain);
        of_plain.push(seconds);
        assert_eq!(mine, theirs, "both must find the same");
        found = mine;
    }
    say(&format!(
        "{what:<15} {n_records:>8}  {:<4}  {:>7.3}  {:>7.3}  {:>8.1}  {found}",
        if gaps { "5 %" } else { "none" },
        median(&of_ours),
        median(&of_plain),
        median_ratio(&of_plain, &of_ours),
    ));
}

/// Codes from 1, value v with a share in 1/v; 0 is missing.
fn columns(n_records: usize, gaps: bool) -> Vec<Vec<u32>> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut uniform = move || (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
    VALUES
        .iter()
        .map(|&values| {
            let total: f64 = (1..=values).map(|value| 1.0 / value as f64).sum();
            let mut code = || {
                if gaps && uniform() < 0.05 {
                    return 0;
                }
                let mut rest = uniform() * total;
                let drawn = (1..values).find(|&value| {
                    rest -= 1.0 / value as f64;
                    rest < 0.0
                });
                u32::try_from(drawn.unwrap_or(values)).unwrap_or(0)
            };
            (0..n_records).map(|_| code()).collect()
        })
        .collect()
}

/// Unique records, by counting keys in a map.
fn plain_classes(columns: &[Vec<u32>]) -> usize {
    let key = |record: usize| -> Vec<u32> { columns.iter().map(|column| column[record]).collect() };
    let mut counts: BTreeMap<Vec<u32>, usize> = BTreeMap::new();
    for record in 0..columns[0].len() {
        *counts.entry(key(record)).or_default() += 1;
    }
    let nothing = vec![0; columns.len()];
    let alone = counts
        .iter()
        .filter(|&(key, &count)| count == 1 && *key != nothing);
    alone.count()
}

/// Minimal uniques, by finding who is unique on each of the 127 sets of attributes.
fn plain_uniques(keys: &Keys) -> usize {
    let n = keys.n_records();
    let mut unique: Vec<Vec<bool>> = vec![vec![false; n]];
    for set in 1..1 << keys.width() {
        let classes = keys.classes(set);
        let mut counts = vec![0_u32; n];
        for &class in &classes {
            counts[class as usize] += 1;
        }
        let alone = |record: usize| {
            keys.present(record) & set == set && counts[classes[record] as usize] == 1
        };
        unique.push((0..n).map(alone).collect());
    }
    let minimal = |set: Set, record: usize| {
        let parts = (0..keys.width()).filter(|place| set >> place & 1 == 1);
        let mut parts = parts.map(|place| set & !(1 << place));
        unique[set as usize][record] && parts.all(|part| !unique[part as usize][record])
    };
    let of_set = |set: Set| (0..n).filter(|&record| minimal(set, record)).count();
    (1..1 << keys.width()).map(of_set).sum()
}
