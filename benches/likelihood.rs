//! What the likelihood attack on 100,000 records costs, beside the same likelihoods in plain loops over all pairs.
//!
//! `cargo bench --bench likelihood`. The README beside this file explains the figures.

mod common;

use common::{
    data,
    figures::{say, timed},
};
use rayon::prelude::*;
use sdcrisk::{
    attack::{Direction, likelihood::Likelihood},
    evaluate::{
        link::{Assign, Study, comparable},
        score::Ties,
        truth::{OriginalRecord, Truth},
    },
    mask::{
        Mask,
        copula::{Copula, Keep, Options},
        p_distribution::PDistribution,
        rank_swap::{RankSwap, Reach},
    },
    rng::{Purpose, Seed},
    statement::{Method, Partner},
    table::{ReadOptions, Table},
};

const SIZE: usize = 100_000;
const KNOWN: usize = 7;

/// Pairs that the plain loops compare; their time is scaled up to all pairs.
const PAIRS: usize = 50_000_000;

fn main() {
    say(
        "records  masking             way             seconds   loops s, est   correct   candidates",
    );
    for p in [2.0, 10.0] {
        let method = RankSwap::new(Reach::Percent(p), Partner::Unswapped).expect("a method");
        let window = Reach::Percent(p).window(SIZE);
        attack(&format!("rankswap {p}"), &method, window, SIZE);
    }
    // A law without bound lists thousands of candidates: every fiftieth record is enough.
    let method = PDistribution::new(10.0).expect("a method");
    attack("pdistribution 10", &method, SIZE, SIZE / 50);
    // The law of all attributes together: searched for the best guess alone, since lists have tens of thousands at low mu.
    for mu in [3.0, 30.0] {
        let method = Copula::new(Keep::Mu(mu), Options::default()).expect("a method");
        attack(&format!("copula {mu}"), &method, SIZE, SIZE / 10);
    }
}

fn attack(name: &str, method: &dyn Mask, window: usize, held: usize) {
    let bytes = data::correlated(SIZE, 1);
    let (original, copy) = (table(bytes.clone()), table(bytes));
    let on: Vec<_> = copy.ids().take(KNOWN).collect();
    let streams = Seed::from_number(1).streams(Purpose::Mask, 0);
    let masked = method.mask(copy, &on, &streams).expect("a masked table");
    let (statement, masked) = (masked.step, masked.table);
    let likelihood = Likelihood::new(statement.clone()).expect("a law");
    let truth = Truth::by_order(&original, &masked).expect("as many records");
    let everybody = OriginalRecord::all(&original);
    let some = everybody
        .iter()
        .copied()
        .step_by(SIZE / held)
        .collect::<Vec<_>>();
    let study = Study::new(
        &original,
        &masked,
        &truth,
        some,
        Direction::OriginalToMasked,
    );
    let known: Vec<_> = on
        .iter()
        .map(|&id| comparable(&original, &masked, id).expect("numbers in both files"))
        .collect();
    let case = study.case(&known);
    let ways: &[_] = match &statement.method {
        Method::Copula(_) => &[("best", Assign::Best)],
        _ => &[("best", Assign::Best), ("balanced", Assign::Balanced)],
    };
    for &(way, assign) in ways {
        let (outcome, seconds) = timed(|| case.attack(&likelihood, assign, false));
        let score = outcome.expect("an attack that applies").score;
        let loops = match &statement.method {
            Method::Copula(stated) => densities(stated.components.len()),
            _ => plain_loops(&original, &masked, &on, window),
        };
        let loops = loops * held as f64 / SIZE as f64;
        say(&format!(
            "{held:>7}  {name:<18}  {way:<12} {seconds:>10.2} {loops:>14.1} {:>8.2}% {:>12.1}",
            score.rate(Ties::Fair) * 100.0,
            score.candidates_mean
        ));
    }
}

/// Seconds of all likelihoods in plain loops on all processors: ranks looked up in tables, one logarithm a rank
/// difference, given up at the first impossible attribute.
fn plain_loops(
    original: &Table,
    masked: &Table,
    on: &[sdcrisk::table::AttrId],
    window: usize,
) -> f64 {
    let ranks = |of: &Table| -> Vec<u32> {
        let columns: Vec<Vec<u32>> = on
            .iter()
            .map(|&id| {
                let values = of.numbers(id).expect("numbers").values;
                let mut sorted = values.to_vec();
                sorted.sort_by(f64::total_cmp);
                let rank = |value: &f64| sorted.partition_point(|other| other < value);
                values
                    .iter()
                    .map(|value| u32::try_from(rank(value)).expect("few records"))
                    .collect()
            })
            .collect();
        (0..SIZE)
            .flat_map(|record| columns.iter().map(move |column| column[record]))
            .collect()
    };
    let (seekers, sought) = (ranks(original), ranks(masked));
    let log: Vec<f64> = (0..=window).map(|k| k as f64 / window as f64).collect();
    let asked = PAIRS / SIZE;
    let (best, seconds) = timed(|| {
        (0..asked)
            .into_par_iter()
            .map(|number| {
                let place = number * (SIZE / asked) * KNOWN;
                let seeker = &seekers[place..place + KNOWN];
                let likelihood = |record: &[u32]| -> f64 {
                    let mut sum = 0.0;
                    for (a, b) in seeker.iter().zip(record) {
                        match log.get(a.abs_diff(*b) as usize) {
                            Some(log) => sum += log,
                            None => return f64::NEG_INFINITY,
                        }
                    }
                    sum
                };
                let all = sought.chunks_exact(KNOWN).map(likelihood);
                all.fold(f64::NEG_INFINITY, f64::max)
            })
            .collect::<Vec<f64>>()
    });
    std::hint::black_box(best);
    seconds * SIZE as f64 / asked as f64
}

/// Seconds of the densities of so many normal laws in plain loops on all processors, one level of protection: squared distances in as many
/// coordinates as attributes are known, and the logarithm of their sum.
fn densities(components: usize) -> f64 {
    let asked = PAIRS / SIZE / 10;
    let points = |shift: f64| -> Vec<f64> {
        (0..SIZE * KNOWN * components)
            .map(|at| (at as f64 * 0.618 + shift).fract())
            .collect()
    };
    let (seekers, sought) = (points(0.0), points(0.5));
    let size = KNOWN * components;
    let (best, seconds) = timed(|| {
        (0..asked)
            .into_par_iter()
            .map(|number| {
                let seeker = &seekers[number * size..(number + 1) * size];
                let likelihood = |record: &[f64]| -> f64 {
                    let terms = seeker.chunks_exact(KNOWN).zip(record.chunks_exact(KNOWN));
                    let densities = terms.map(|(a, b)| {
                        let squares = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b));
                        (-0.5 * squares.sum::<f64>()).exp()
                    });
                    densities.sum::<f64>().ln()
                };
                let all = sought.chunks_exact(size).map(likelihood);
                all.fold(f64::NEG_INFINITY, f64::max)
            })
            .collect::<Vec<f64>>()
    });
    std::hint::black_box(best);
    seconds * SIZE as f64 / asked as f64
}

fn table(bytes: Vec<u8>) -> Table {
    Table::read("bench", bytes, &ReadOptions::default()).expect("a table")
}
