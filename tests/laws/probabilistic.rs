//! Probabilistic linkage against programs that look at every pair.

use std::collections::BTreeMap;

use sdcrisk::{
    agreement::{Comparator, Pattern},
    attack::{
        Attack, Direction, Lists, Preference, Scenario,
        probabilistic::{
            Agree, Agreed, Fit, Iterations, Probabilistic,
            em::{self, Held, Parameters},
        },
    },
    evaluate::{
        link::{Assign, Study, shared_attributes},
        truth::{OriginalRecord, Truth},
    },
    table::{ReadOptions, Scale, Table, matrix::Matrix},
};

use crate::random_files::{Cells, Dice, cells};

fn matrix(cells: &Cells) -> Matrix {
    let width = cells.first().map_or(0, Vec::len);
    let values = cells.iter().flatten().map(|cell| cell.unwrap_or(0) as f64);
    let mut matrix = Matrix::complete(cells.len(), width, values.collect());
    for (record, row) in cells.iter().enumerate() {
        for (attribute, cell) in row.iter().enumerate() {
            if cell.is_none() {
                matrix.set_missing(record, attribute);
            }
        }
    }
    matrix
}

fn column(cells: &Cells, k: usize) -> Vec<f64> {
    cells
        .iter()
        .filter_map(|row| row[k])
        .map(|value| value as f64)
        .collect()
}

/// Whether two values agree, from the definitions and all values.
fn agree(how: Comparator, k: usize, intruder: &Cells, released: &Cells, x: f64, y: f64) -> bool {
    let below = |values: &[f64], value: f64| values.iter().filter(|&&other| other < value).count();
    match how {
        Comparator::Exact => x == y,
        Comparator::Absolute(t) => (x - y).abs() <= t,
        Comparator::Relative(t) => (x - y).abs() <= t * x.abs().max(y.abs()),
        Comparator::Sd(t) => {
            let values = column(intruder, k);
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            let squares = values
                .iter()
                .map(|value| (value - mean).powi(2))
                .sum::<f64>();
            // Whole numbers: no difference is within a rounding of the tolerance, but by accident.
            (x - y).abs() <= t * (squares / (values.len() - 1) as f64).sqrt()
        }
        Comparator::Rank(percent) => {
            // Each in its own file, as a share.
            let share = |file: &Cells, value: f64| {
                let values = column(file, k);
                let equal = values.iter().filter(|&&other| other == value).count();
                (below(&values, value) as f64 + equal as f64 / 2.0) / values.len() as f64
            };
            (share(intruder, x) - share(released, y)).abs() <= percent / 100.0 + 1e-12
        }
        Comparator::Bins(bins) => {
            let values = column(intruder, k);
            let bin = |value: f64| {
                let equal = values.iter().filter(|&&other| other == value).count();
                let middle = (2 * below(&values, value) + equal) as f64 / 2.0 / values.len() as f64;
                (middle * f64::from(bins))
                    .floor()
                    .min(f64::from(bins) - 1.0)
            };
            bin(x) == bin(y)
        }
    }
}

fn pattern_of_pair(
    how: &[Comparator],
    intruder: &Cells,
    released: &Cells,
    i: usize,
    j: usize,
) -> Pattern {
    let mut pattern = Pattern {
        missing: 0,
        agree: 0,
    };
    for (k, &how) in how.iter().enumerate() {
        match (intruder[i][k], released[j][k]) {
            (Some(x), Some(y)) => {
                let agrees = agree(how, k, intruder, released, x as f64, y as f64);
                pattern.agree |= u32::from(agrees) << k;
            }
            _ => pattern.missing |= 1 << k,
        }
    }
    pattern
}

struct Pair {
    intruder: Cells,
    released: Cells,
    how: Vec<Comparator>,
}

impl Pair {
    fn random(dice: &mut Dice) -> Self {
        let width = 1 + dice.roll(5) as usize;
        let gap = [0, 9, 4][dice.roll(3) as usize];
        let mut records = || 30 + dice.roll(1500) as usize;
        let sizes = [records(), records()];
        let [intruder, released] = sizes.map(|n| cells(dice, n, width, gap));
        let how = (0..width).map(|_| match dice.roll(6) {
            0 => Comparator::Exact,
            1 => Comparator::Sd(0.1),
            2 => Comparator::Absolute(3.0),
            3 => Comparator::Relative(0.125),
            4 => Comparator::Rank(3.0),
            _ => Comparator::Bins(7),
        });
        let how = how.collect();
        Self {
            intruder,
            released,
            how,
        }
    }

    fn prepared(&self, attack: &Probabilistic, direction: Direction) -> Agreed {
        let names: Vec<String> = (0..self.how.len()).map(|k| format!("a{k}")).collect();
        let scales = vec![Scale::Continuous; names.len()];
        let (intruder, released) = (matrix(&self.intruder), matrix(&self.released));
        let scenario = Scenario {
            known: &names,
            scales: &scales,
            categories: &[],
            intruder: &intruder,
            released: &released,
            direction,
            aligned: None,
            beside: None,
            unrecoded: None,
        };
        match attack.prepare(&scenario).unwrap() {
            Preference::Agreed(agreed) => *agreed,
            other => panic!("{other:?}"),
        }
    }

    fn attack(&self) -> Probabilistic {
        let names = (0..self.how.len()).map(|k| format!("a{k}"));
        Probabilistic {
            agree: Agree {
                numbers: Comparator::Exact,
                named: names.zip(self.how.iter().copied()).collect(),
            },
            iterations: Iterations {
                start: (0.9, 0.1, None),
                most: 20,
            },
            ..Probabilistic::default()
        }
    }
}

#[test]
fn patterns_are_counted_as_by_looking_at_every_pair() {
    let mut dice = Dice(11);
    for round in 0..40 {
        let pair = Pair::random(&mut dice);
        let (n, n_released) = (pair.intruder.len(), pair.released.len());
        let found = pair.prepared(&pair.attack(), Direction::OriginalToMasked);
        let turned = pair.prepared(&pair.attack(), Direction::MaskedToOriginal);
        let of = |agreed: &Agreed| -> BTreeMap<Pattern, u64> {
            let rows = agreed.model.patterns.iter();
            rows.map(|row| (row.pattern, row.pairs)).collect()
        };
        assert_eq!(
            of(&found),
            of(&turned),
            "round {round}: a pair is a pair from both sides"
        );
        // The definitions are slow programs: a part of the pairs goes through them, all pairs are counted one by one.
        let coding = &found.weighted.agreement;
        for i in (0..n).step_by(13) {
            for j in (0..n_released).step_by(7) {
                let pattern = pattern_of_pair(&pair.how, &pair.intruder, &pair.released, i, j);
                assert_eq!(
                    coding.pattern(i, j),
                    pattern,
                    "round {round}: {:?}",
                    pair.how
                );
            }
        }
        let mut expected: BTreeMap<Pattern, u64> = BTreeMap::new();
        for i in 0..n {
            for j in 0..n_released {
                *expected.entry(coding.pattern(i, j)).or_insert(0) += 1;
            }
        }
        assert_eq!(of(&found), expected, "round {round}: {:?}", pair.how);
    }
}

fn tables(pair: &Pair) -> [Table; 2] {
    [&pair.intruder, &pair.released].map(|cells| {
        let text = crate::random_files::csv(cells);
        Table::read("f.csv", text.into_bytes(), &ReadOptions::default()).unwrap()
    })
}

/// Links, ties and the place of the true record, from the cost of every pair.
#[test]
fn links_are_those_of_the_highest_weight_among_all() {
    let mut dice = Dice(5);
    for _ in 0..12 {
        let mut pair = Pair::random(&mut dice);
        let n = pair.intruder.len().min(pair.released.len());
        pair.intruder.truncate(n);
        pair.released.truncate(n);
        let [original, masked] = tables(&pair);
        let truth = Truth::by_order(&original, &masked).unwrap();
        let everybody = (0..n as u32).map(OriginalRecord).collect();
        let study = Study::new(
            &original,
            &masked,
            &truth,
            everybody,
            Direction::OriginalToMasked,
        );
        let (known, _) = shared_attributes(&original, &masked, None);
        if known.len() < pair.how.len() {
            continue;
        }
        let attack = Probabilistic {
            fit: Fit::EmFixedU,
            ..pair.attack()
        };
        let case = study.case(&known);
        let with = case.attack(&attack, Assign::Best, true).unwrap();
        let without = case.attack(&attack, Assign::Best, false).unwrap();
        assert_eq!(with.score, without.score);
        let agreement = pair.prepared(&attack, Direction::OriginalToMasked);
        let mut list = Vec::new();
        for claim in &with.links {
            let seeker = claim.record as usize;
            agreement.weighted.list(seeker, &mut list);
            let least = list
                .iter()
                .fold(f64::INFINITY, |least, &(_, cost)| least.min(cost));
            let linked: Vec<u32> = list
                .iter()
                .filter(|&&(_, cost)| cost == least)
                .map(|&(j, _)| j)
                .collect();
            assert_eq!(claim.linked, linked);
            assert_eq!(claim.tied as usize, linked.len());
            let own = list[seeker].1;
            let better = list.iter().filter(|&&(_, cost)| cost < own).count();
            assert_eq!(claim.rank_of_true, Some(1 + better as u32));
        }
    }
}

#[test]
fn any_number_of_threads_gives_the_same() {
    let mut dice = Dice(3);
    let pair = Pair::random(&mut dice);
    let model = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            pair.prepared(&pair.attack(), Direction::OriginalToMasked)
                .model
        })
    };
    let one = model(1);
    assert_eq!(one, model(2));
    assert_eq!(one, model(4));
}

/// Each step of EM ends at least as likely as the one before, whatever the counts, gaps included.
#[test]
fn the_likelihood_never_falls() {
    let mut dice = Dice(17);
    for _ in 0..60 {
        let width = 1 + dice.roll(5) as usize;
        let mut counts: BTreeMap<Pattern, u64> = BTreeMap::new();
        for _ in 0..40 {
            let missing = (dice.roll(1 << width) & dice.roll(1 << width)) as u32;
            let agree = dice.roll(1 << width) as u32 & !missing;
            *counts.entry(Pattern { missing, agree }).or_insert(0) += 1 + dice.roll(1000).pow(2);
        }
        let counts: Vec<(Pattern, f64)> = counts
            .into_iter()
            .map(|(pattern, pairs)| (pattern, pairs as f64))
            .collect();
        let share = |dice: &mut Dice| (1 + dice.roll(998)) as f64 / 1000.0;
        let start = Parameters {
            m: (0..width).map(|_| share(&mut dice)).collect(),
            u: (0..width).map(|_| share(&mut dice)).collect(),
            prior: share(&mut dice),
        };
        let free = Held {
            m: 0,
            u: dice.roll(2) == 0,
            prior: dice.roll(2) == 0,
        };
        let mut before = f64::NEG_INFINITY;
        for iterations in 0..40 {
            let fit = em::fit(&counts, start.clone(), free, iterations);
            assert!(
                fit.loglik >= before - 1e-9 * before.abs(),
                "{} < {before}",
                fit.loglik
            );
            before = fit.loglik;
        }
    }
}
