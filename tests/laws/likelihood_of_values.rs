//! Likelihoods of noise, fuzzy microaggregation and microaggregation, against their formulas in plain loops.

use sdcrisk::{
    attack::{Direction, likelihood::Likelihood},
    evaluate::{
        link::{Assign, Study, shared_attributes},
        truth::{OriginalRecord, Truth},
    },
    mask::{
        Mask, Rounding,
        fuzzy::{self, Clusters, FuzzyMicroaggregation, Settings},
        microaggregation::{self, Microaggregation},
        noise::{Noise, Options},
    },
    rng::{Purpose, Seed},
    statement::{Grouping, Step},
    table::{AttrId, ReadOptions, Roles, Table},
};

use crate::random_files::{self, Dice};

const BOTH: [Direction; 2] = [Direction::OriginalToMasked, Direction::MaskedToOriginal];
const RECORDS: usize = 90;

type Columns = Vec<Vec<f64>>;

/// Amounts without gaps.
fn original(salt: u64, attributes: usize) -> Table {
    let cells = random_files::cells(&mut Dice(salt), RECORDS, attributes, 0);
    let names: Vec<String> = (0..attributes).map(|a| format!("'a{a}'")).collect();
    let options = ReadOptions {
        roles: Roles::parse(&format!("continuous = [{}]", names.join(","))).unwrap(),
        ..ReadOptions::default()
    };
    Table::read("f.csv", random_files::csv(&cells).into_bytes(), &options).unwrap()
}

fn masked(original: &Table, method: &dyn Mask) -> (Table, Step) {
    let on: Vec<AttrId> = original.ids().collect();
    let streams = Seed::from_number(9).streams(Purpose::Mask, 0);
    let masked = method.mask(original.clone(), &on, &streams).unwrap();
    (masked.table, masked.step)
}

fn columns(table: &Table) -> Columns {
    table
        .ids()
        .map(|id| table.numbers(id).unwrap().values.to_vec())
        .collect()
}

/// The links of the attack are the records of the greatest `likelihood[original][masked]`; masked ones divided by what it is on
/// average over the originals when they are sought.
fn compare(original: &Table, masked: &Table, statement: &Step, likelihood: &[Vec<f64>]) {
    let truth = Truth::by_order(original, masked).unwrap();
    let (known, left_out) = shared_attributes(original, masked, None);
    assert!(left_out.is_empty());
    for direction in BOTH {
        let everybody = (0..RECORDS as u32).map(OriginalRecord).collect();
        let study = Study::new(original, masked, &truth, everybody, direction);
        let attack = Likelihood::new(statement.clone()).unwrap();
        let links = study
            .case(&known)
            .attack(&attack, Assign::Best, true)
            .unwrap()
            .links;
        for (seeker, link) in links.iter().enumerate() {
            let weight = |sought: usize| match direction {
                Direction::MaskedToOriginal => likelihood[sought][seeker],
                Direction::OriginalToMasked => {
                    let all: f64 = likelihood.iter().map(|row| row[sought]).sum();
                    likelihood[seeker][sought] / all
                }
            };
            let weights: Vec<f64> = (0..RECORDS).map(weight).collect();
            let most = weights.iter().copied().fold(0.0, f64::max);
            let best: Vec<u32> = (0..RECORDS)
                .filter(|&sought| weights[sought] >= most * (1.0 - 1e-7))
                .map(|sought| sought as u32)
                .collect();
            // Ties in real numbers may be broken by rounding.
            assert!(!link.linked.is_empty(), "{direction:?} {seeker}");
            assert!(
                link.linked.iter().all(|sought| best.contains(sought)),
                "{direction:?} {seeker}: {:?} {best:?}",
                link.linked
            );
        }
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn covariance(a: &[f64], b: &[f64]) -> f64 {
    let (m, n) = (mean(a), mean(b));
    let products = a.iter().zip(b).map(|(x, y)| (x - m) * (y - n));
    products.sum::<f64>() / (a.len() - 1) as f64
}

fn pairs(likelihood: impl Fn(usize, usize) -> f64) -> Vec<Vec<f64>> {
    (0..RECORDS)
        .map(|i| (0..RECORDS).map(|j| likelihood(i, j)).collect())
        .collect()
}

/// Independent noise: a product of normal densities.
#[test]
fn independent_noise() {
    for (level, restore) in [(0.05, false), (0.4, false), (0.1, true)] {
        let original = original(81, 3);
        let options = Options {
            restore,
            ..Options::default()
        };
        let (masked, statement) = masked(&original, &Noise::new(level, options).unwrap());
        let (x, y) = (columns(&original), columns(&masked));
        let likelihood = pairs(|i, j| {
            let exponent = (0..3).map(|a| {
                let variance = covariance(&x[a], &x[a]);
                // Restored: both are drawn together by the expected factor.
                let factor = if restore { 1.0 / (1.0 + level) } else { 1.0 };
                let expected = mean(&x[a]) + (x[a][i] - mean(&x[a])) * f64::sqrt(factor);
                (y[a][j] - expected).powi(2) / (2.0 * level * variance * factor)
            });
            (-exponent.sum::<f64>()).exp()
        });
        compare(&original, &masked, &statement, &likelihood);
    }
}

/// Correlated noise in two attributes, the inverse written out.
#[test]
fn correlated_noise() {
    for level in [0.05, 0.4] {
        let original = original(82, 2);
        let options = Options {
            correlated: true,
            ..Options::default()
        };
        let (masked, statement) = masked(&original, &Noise::new(level, options).unwrap());
        let (x, y) = (columns(&original), columns(&masked));
        let [a, b, c] = [(0, 0), (0, 1), (1, 1)].map(|(k, l)| level * covariance(&x[k], &x[l]));
        let likelihood = pairs(|i, j| {
            let (u, v) = (y[0][j] - x[0][i], y[1][j] - x[1][i]);
            let form = (c * u * u - 2.0 * b * u * v + a * v * v) / (a * c - b * b);
            (-form / 2.0).exp()
        });
        compare(&original, &masked, &statement, &likelihood);
    }
}

/// Whole numbers with little noise: rounding is a part of it.
#[test]
fn rounded_noise() {
    let original = original(83, 2);
    let options = Options {
        rounding: Rounding::Column,
        ..Options::default()
    };
    let (masked, statement) = masked(&original, &Noise::new(0.01, options).unwrap());
    let (x, y) = (columns(&original), columns(&masked));
    let likelihood = pairs(|i, j| {
        let exponent = (0..2).map(|a| {
            let variance = 0.01 * covariance(&x[a], &x[a]) + 1.0 / 12.0;
            (y[a][j] - x[a][i]).powi(2) / (2.0 * variance)
        });
        (-exponent.sum::<f64>()).exp()
    });
    compare(&original, &masked, &statement, &likelihood);
}

/// Memberships of two blocks multiply; the centres are what the release shows.
#[test]
fn fuzzy_microaggregation() {
    for m2 in [1.5, 2.0, 3.0] {
        let original = original(84, 3);
        let ids: Vec<AttrId> = original.ids().collect();
        let blocks = fuzzy::Blocks::Several(vec![
            (vec![ids[0], ids[2]], Clusters::Count(9)),
            (vec![ids[1]], Clusters::Count(6)),
        ]);
        let method = FuzzyMicroaggregation::new(2.0, m2, blocks, Settings::default()).unwrap();
        let (masked, statement) = masked(&original, &method);
        let (x, y) = (columns(&original), columns(&masked));
        let membership = |block: &[usize], i: usize, j: usize| {
            let distance = |j: usize| {
                let squares = block
                    .iter()
                    .map(|&a| (x[a][i] - y[a][j]).powi(2) / covariance(&x[a], &x[a]));
                squares.sum::<f64>()
            };
            let mut centres: Vec<usize> = Vec::new();
            for j in 0..RECORDS {
                let same = |&c: &usize| block.iter().all(|&a| y[a][c] == y[a][j]);
                if !centres.iter().any(same) {
                    centres.push(j);
                }
            }
            let power = |j: usize| distance(j).powf(-1.0 / (m2 - 1.0));
            power(j) / centres.iter().map(|&c| power(c)).sum::<f64>()
        };
        let likelihood = pairs(|i, j| membership(&[0, 2], i, j) * membership(&[1], i, j));
        compare(&original, &masked, &statement, &likelihood);
    }
}

/// Who knows all ranks knows the group: of the places of a value in the sorted attribute the share that lies in the group.
#[test]
fn individual_ranking_by_ranks() {
    for k in [3, 8] {
        let original = original(85, 3);
        let blocks = microaggregation::Blocks::Together { k };
        let method = Microaggregation::new(Grouping::IndividualRanking, blocks).unwrap();
        let (masked, statement) = masked(&original, &method);
        let (x, y) = (columns(&original), columns(&masked));
        let share = |a: usize, i: usize, j: usize| {
            let places = |file: &[f64], value: f64| {
                let mut sorted = file.to_vec();
                sorted.sort_by(f64::total_cmp);
                let places: Vec<usize> = (0..RECORDS).filter(|&p| sorted[p] == value).collect();
                places
            };
            let (own, group) = (places(&x[a], x[a][i]), places(&y[a], y[a][j]));
            let inside = own.iter().filter(|place| group.contains(place)).count();
            inside as f64 / own.len() as f64
        };
        let likelihood = pairs(|i, j| (0..3).map(|a| share(a, i, j)).product());
        for (i, row) in likelihood.iter().enumerate() {
            assert!(row[i] > 0.0, "nobody is in a group without their rank");
        }
        compare(&original, &masked, &statement, &likelihood);
    }
}
