//! What `link --method prl` costs by size and comparator, beside a program that looks at every pair.
//!
//! `cargo bench --bench agreement`. The README beside this file explains the figures.

mod common;

use std::collections::BTreeMap;

use common::{
    data,
    figures::{say, timed},
};
use sdcrisk::{
    agreement::Comparator,
    attack::{
        Direction,
        probabilistic::{Agree, Probabilistic},
    },
    evaluate::{
        link::{Assign, Study, shared_attributes},
        score::Ties,
        truth::{OriginalRecord, Truth},
    },
    mask::{
        Mask,
        rank_swap::{RankSwap, Reach},
    },
    rng::{Purpose, Seed},
    statement::Partner,
    table::{ReadOptions, Table},
};

/// Records; the plain program goes with the first.
const SIZES: [usize; 3] = [10_000, 100_000, 1_000_000];

const KNOWN: usize = 6;

fn main() {
    say("records  agree   attack s  plain s  faster x  rate");
    for n_records in SIZES {
        let bytes = data::correlated(n_records, 1);
        let original = Table::read("f.csv", bytes, &ReadOptions::default()).expect("a table");
        let ids: Vec<_> = original.ids().collect();
        let method = RankSwap::new(Reach::Percent(2.0), Partner::Unswapped).expect("a method");
        let streams = Seed::from_number(1).streams(Purpose::Mask, 0);
        let masked = method
            .mask(original.clone(), &ids, &streams)
            .expect("a masked table")
            .table;
        for how in [Comparator::Exact, Comparator::Sd(0.1)] {
            measure(&original, &masked, how);
        }
    }
}

fn measure(original: &Table, masked: &Table, how: Comparator) {
    let n_records = original.n_records();
    let truth = Truth::by_order(original, masked).expect("as many records");
    let everybody = (0..).take(n_records).map(OriginalRecord).collect();
    let study = Study::new(
        original,
        masked,
        &truth,
        everybody,
        Direction::OriginalToMasked,
    );
    let (known, _) = shared_attributes(original, masked, None);
    let case = study.case(&known[..KNOWN]);
    let attack = Probabilistic {
        agree: Agree {
            numbers: how,
            named: BTreeMap::new(),
        },
        ..Probabilistic::default()
    };
    let (outcome, seconds) = timed(|| case.attack(&attack, Assign::Best, false));
    let outcome = outcome.expect("an attack that applies");
    let rows = outcome.fitted.expect("a model").model.patterns;
    let (plain, faster) = if n_records == SIZES[0] {
        let records = |table: &Table| -> Vec<Vec<f64>> {
            let number = |id, record: usize| table.numbers(id).expect("numbers").values[record];
            (0..n_records)
                .map(|record| {
                    table
                        .ids()
                        .take(KNOWN)
                        .map(|id| number(id, record))
                        .collect()
                })
                .collect()
        };
        let (ours, theirs) = (records(original), records(masked));
        let (counts, plain) = timed(|| plainly(&ours, &theirs, how));
        for row in &rows {
            assert_eq!(
                counts[row.pattern.agree as usize], row.pairs,
                "exact counts"
            );
        }
        (format!("{plain:.2}"), format!("{:.0}", plain / seconds))
    } else {
        ("-".into(), "-".into())
    };
    let (rate, how) = (outcome.score.rate(Ties::Fair), how.word());
    say(&format!(
        "{n_records:7}  {how:6}  {seconds:8.2}  {plain:>7}  {faster:>8}  {rate:.3}"
    ));
}

/// Every pair, attribute by attribute, on one thread.
fn plainly(ours: &[Vec<f64>], theirs: &[Vec<f64>], how: Comparator) -> Vec<u64> {
    let tolerance = |values: &[f64]| {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares = values
            .iter()
            .map(|value| (value - mean).powi(2))
            .sum::<f64>();
        match how {
            Comparator::Sd(share) => share * (squares / (n - 1.0)).sqrt(),
            _ => 0.0,
        }
    };
    let column = |k: usize| -> Vec<f64> { ours.iter().map(|record| record[k]).collect() };
    let tolerances: Vec<f64> = (0..KNOWN).map(|k| tolerance(&column(k))).collect();
    let mut counts = vec![0; 1 << KNOWN];
    for x in ours {
        for y in theirs {
            let mut agree = 0;
            for (k, tolerance) in tolerances.iter().enumerate() {
                agree |= usize::from((x[k] - y[k]).abs() <= *tolerance) << k;
            }
            counts[agree] += 1;
        }
    }
    counts
}
