//! The intersection attack on microaggregation: what it may never exclude, and what it is by plain loops.

use std::collections::BTreeMap;

use sdcrisk::{
    attack::{
        Direction,
        distance_based::{DistanceBased, Standardize},
        intersection::microaggregation::{Groups, MicroaggregationIntersection},
    },
    evaluate::{
        link::{Assign, Study, shared_attributes},
        score::Score,
        truth::{OriginalRecord, Truth},
    },
    mask::{
        Mask, Rounding,
        microaggregation::{BlockOf, Blocks, Microaggregation},
    },
    rng::{Purpose, Seed},
    statement::{ArcCost, Average, Grouping, Step},
    table::{ReadOptions, Roles, Table},
};

use crate::{
    oracle::{self, Counts, Values},
    random_files::{self, Cells, Dice},
};

const BOTH: [Direction; 2] = [Direction::OriginalToMasked, Direction::MaskedToOriginal];

/// Amounts, however few different ones there are.
pub fn amounts(cells: &Cells) -> Table {
    let names: Vec<String> = (0..cells[0].len()).map(|a| format!("'a{a}'")).collect();
    let options = ReadOptions {
        roles: Roles::parse(&format!("continuous = [{}]", names.join(","))).unwrap(),
        ..ReadOptions::default()
    };
    Table::read("f.csv", random_files::csv(cells).into_bytes(), &options).unwrap()
}

fn blocks(of: &[(&[usize], usize)]) -> Blocks {
    let block = |(attributes, k): &(&[usize], usize)| BlockOf {
        attributes: attributes.iter().map(|a| format!("a{a}")).collect(),
        k: *k,
    };
    Blocks::Named(of.iter().map(block).collect())
}

fn masked(original: &Table, method: &Microaggregation, last: usize) -> (Table, Step) {
    let on: Vec<_> = original.ids().take(last).collect();
    let streams = Seed::from_number(0).streams(Purpose::Mask, 0);
    let masked = method.mask(original.clone(), &on, &streams).unwrap();
    (masked.table, masked.step)
}

fn attack(statement: &Step) -> MicroaggregationIntersection {
    MicroaggregationIntersection {
        groups: Groups::of_step(statement).unwrap(),
        nearest_clusters: 2,
        standardize: Standardize::Own,
    }
}

/// What the attack comes to; counting and linking must agree.
fn judged(
    original: &Table,
    masked: &Table,
    attack: &MicroaggregationIntersection,
    direction: Direction,
) -> Score {
    let truth = Truth::by_order(original, masked).unwrap();
    let (known, _) = shared_attributes(original, masked, None);
    let everybody = (0..)
        .take(original.n_records())
        .map(OriginalRecord)
        .collect();
    let study = Study::new(original, masked, &truth, everybody, direction);
    let case = study.case(&known);
    let quick = case.attack(attack, Assign::Best, false).unwrap().score;
    let slow = case.attack(attack, Assign::Best, true).unwrap().score;
    assert_eq!(quick, slow, "counting and linking must agree");
    quick
}

fn columns(table: &Table) -> Values {
    let numbers: Vec<_> = table.ids().map(|id| table.numbers(id).unwrap()).collect();
    (0..table.n_records())
        .map(|record| {
            let cell = |numbers: &sdcrisk::table::Numbers<'_>| {
                (!numbers.missing.contains(record)).then(|| numbers.values[record])
            };
            numbers.iter().map(cell).collect()
        })
        .collect()
}

/// Nobody is lost: means and medians, rounded or not, with ties that fall into several groups, duplicates and gaps, with
/// attributes that were not masked.
#[test]
fn univariate_groups_always_contain_the_true_record() {
    let mut dice = Dice(71);
    for (records, attributes, gap, k) in [
        (40, 1, 0, 3),
        (60, 3, 0, 2),
        (90, 4, 6, 3),
        (120, 2, 4, 7),
        (200, 5, 15, 10),
        (50, 2, 0, 25),
    ] {
        let cells = random_files::cells(&mut dice, records, attributes, gap);
        let original = amounts(&cells);
        for average in [Average::Mean, Average::Median] {
            for rounding in [Rounding::None, Rounding::Column] {
                for last in [attributes, attributes.div_ceil(2)] {
                    let method =
                        Microaggregation::new(Grouping::IndividualRanking, Blocks::Together { k })
                            .unwrap()
                            .average(average)
                            .rounding(rounding);
                    let (masked, statement) = masked(&original, &method, last);
                    for direction in BOTH {
                        let score = judged(&original, &masked, &attack(&statement), direction);
                        let what =
                            format!("{records} {average:?} {rounding:?} {last} {direction:?}");
                        assert_eq!(score.contains_true, records as u64, "{what}");
                        assert_eq!(score.certain, score.certain_correct, "{what}");
                    }
                }
            }
        }
    }
}

/// MDAV of one attribute takes its groups from both ends, so they follow each other too.
#[test]
fn mdav_of_single_attributes_contains_the_true_record() {
    let mut dice = Dice(72);
    for records in [41, 80, 150] {
        let original = amounts(&random_files::cells(&mut dice, records, 3, 0));
        let of = blocks(&[(&[0], 3), (&[1], 5), (&[2], 4)]);
        let method = Microaggregation::new(Grouping::Mdav, of).unwrap();
        let (masked, statement) = masked(&original, &method, 3);
        for direction in BOTH {
            let score = judged(&original, &masked, &attack(&statement), direction);
            assert_eq!(score.contains_true, records as u64);
        }
    }
}

/// Groups follow each other along the line, and who holds everybody knows the line.
#[test]
fn groups_along_a_line_contain_the_true_record() {
    let mut dice = Dice(73);
    for algorithm in [
        Grouping::Pca {
            cost: ArcCost::Projected,
        },
        Grouping::Pca {
            cost: ArcCost::Multivariate,
        },
        Grouping::Zscores {
            cost: ArcCost::Projected,
        },
        Grouping::Zscores {
            cost: ArcCost::Multivariate,
        },
    ] {
        for rounding in [Rounding::None, Rounding::Column] {
            for (records, k) in [(60, 3), (150, 5), (301, 4)] {
                let original = amounts(&random_files::cells(&mut dice, records, 5, 0));
                let of = blocks(&[(&[0, 2], k), (&[1, 3, 4], k + 1)]);
                let method = Microaggregation::new(algorithm, of)
                    .unwrap()
                    .rounding(rounding);
                let (masked, statement) = masked(&original, &method, 5);
                for direction in BOTH {
                    let score = judged(&original, &masked, &attack(&statement), direction);
                    let what = format!("{algorithm:?} {rounding:?} {records} {direction:?}");
                    assert_eq!(score.contains_true, records as u64, "{what}");
                    assert!(score.candidates_mean < records as f64 / 2.0, "{what}");
                }
            }
        }
    }
}

/// The different averages that a value lies between, or is one of, with the neighbours of that.
fn around(value: f64, averages: &[f64]) -> Vec<f64> {
    let mut around = Vec::new();
    for (place, &average) in averages.iter().enumerate() {
        let before = if place == 0 {
            f64::NEG_INFINITY
        } else {
            averages[place - 1]
        };
        let after = averages.get(place + 1).copied().unwrap_or(f64::INFINITY);
        if before <= value && value <= after {
            around.push(average);
        }
    }
    around
}

fn ascending(mut numbers: Vec<f64>) -> Vec<f64> {
    numbers.sort_by(f64::total_cmp);
    numbers.dedup();
    numbers
}

/// Counts by plain loops: which pairs are possible is said by `possible(original, released)`.
fn plain(x: &Values, y: &Values, possible: &dyn Fn(usize, usize) -> bool, forward: bool) -> Counts {
    let (seekers, sought) = if forward { (x, y) } else { (y, x) };
    oracle::count_among(seekers, sought, &|seeker, other| {
        if forward {
            possible(seeker, other)
        } else {
            possible(other, seeker)
        }
    })
}

#[track_caller]
fn assert_same(score: &Score, expected: &Counts, what: &str) {
    assert!(
        (score.fair - expected.fair).abs() < 1e-9,
        "{what}: {score:?} {expected:?}"
    );
    let found = [
        score.strict,
        score.optimistic,
        score.certain,
        score.certain_correct,
        score.empty,
        score.contains_true,
        (score.candidates_mean * score.records as f64).round() as u64,
    ];
    let expected = [
        expected.strict,
        expected.optimistic,
        expected.certain,
        expected.certain_correct,
        expected.empty,
        expected.inside,
        expected.candidates,
    ];
    assert_eq!(found, expected, "{what}");
}

#[test]
fn single_attributes_by_plain_loops() {
    let mut dice = Dice(74);
    for (records, attributes, gap) in [(50, 2, 0), (80, 3, 5), (140, 4, 9)] {
        let original = amounts(&random_files::cells(&mut dice, records, attributes, gap));
        let method =
            Microaggregation::new(Grouping::IndividualRanking, Blocks::Together { k: 3 }).unwrap();
        // The last attribute is not masked.
        let (masked, statement) = masked(&original, &method, attributes - 1);
        let (x, y) = (columns(&original), columns(&masked));
        let averages: Vec<Vec<f64>> = (0..attributes)
            .map(|a| ascending(y.iter().filter_map(|record| record[a]).collect()))
            .collect();
        for direction in BOTH {
            let forward = direction == Direction::OriginalToMasked;
            let possible = |i: usize, j: usize| {
                (0..attributes).all(|a| match (x[i][a], y[j][a]) {
                    (Some(value), Some(average)) if a + 1 < attributes => {
                        around(value, &averages[a]).contains(&average)
                    }
                    (Some(value), Some(other)) => value == other,
                    (value, other) => value.is_none() == other.is_none(),
                })
            };
            let score = judged(&original, &masked, &attack(&statement), direction);
            assert_same(
                &score,
                &plain(&x, &y, &possible, forward),
                &format!("{direction:?}"),
            );
        }
    }
}

/// Two blocks of MDAV: the groups with the two nearest averages in each, distances over what is there.
#[test]
fn nearest_groups_by_plain_loops() {
    let mut dice = Dice(75);
    for (records, gap, nearest_clusters) in [(60, 0, 2), (90, 0, 1), (90, 7, 2), (150, 5, 3)] {
        let original = amounts(&random_files::cells(&mut dice, records, 4, gap));
        let of = blocks(&[(&[0, 2], 3), (&[1, 3], 4)]);
        let method = Microaggregation::new(Grouping::Mdav, of).unwrap();
        let (masked, statement) = masked(&original, &method, 4);
        let (x, y) = (columns(&original), columns(&masked));
        for direction in BOTH {
            let forward = direction == Direction::OriginalToMasked;
            let scales = oracle::scales(&x, &y);
            let near = |i: usize, j: usize, block: [usize; 2]| {
                let shown = |record: usize| block.map(|a| y[record][a]);
                let pick = |record: &[Option<f64>]| block.map(|a| record[a]);
                let block_scales: Vec<_> = block.iter().map(|&a| scales[a]).collect();
                // Gaps are in place.
                let fits = |cluster: [Option<f64>; 2]| {
                    let mut both = pick(&x[i]).into_iter().zip(cluster);
                    both.all(|(a, b)| a.is_none() == b.is_none())
                };
                let clusters: BTreeMap<String, [Option<f64>; 2]> = (0..records)
                    .map(|record| (format!("{:?}", shown(record)), shown(record)))
                    .collect();
                let away = |cluster: &[Option<f64>; 2]| {
                    oracle::distance(&pick(&x[i]), cluster, &block_scales)
                };
                let mut all: Vec<f64> = clusters.values().filter(|c| fits(**c)).map(away).collect();
                all.sort_by(f64::total_cmp);
                let last = all.get(nearest_clusters - 1).or(all.last());
                fits(shown(j)) && last.is_some_and(|last| away(&shown(j)) <= last * (1.0 + 1e-9))
            };
            let possible = |i: usize, j: usize| near(i, j, [0, 2]) && near(i, j, [1, 3]);
            let attack = MicroaggregationIntersection {
                nearest_clusters,
                ..attack(&statement)
            };
            let score = judged(&original, &masked, &attack, direction);
            let what = format!("{records} {gap} {nearest_clusters} {direction:?}");
            assert_same(&score, &plain(&x, &y, &possible, forward), &what);
        }
    }
}

/// With a part of every block known nothing confines, and the links are those of the distance.
#[test]
fn a_part_of_a_block_confines_nothing() {
    let original = amounts(&random_files::cells(&mut Dice(76), 80, 3, 0));
    let method = Microaggregation::new(Grouping::Mdav, Blocks::Together { k: 3 }).unwrap();
    let (masked, statement) = masked(&original, &method, 3);
    let truth = Truth::by_order(&original, &masked).unwrap();
    let (known, _) = shared_attributes(&original, &masked, None);
    let study = Study::new(
        &original,
        &masked,
        &truth,
        (0..80).map(OriginalRecord).collect(),
        BOTH[0],
    );
    let case = study.case(&known[..2]);
    let attack = attack(&statement);
    let standardize = Standardize::Own;
    let plain = case
        .attack(&DistanceBased { standardize }, Assign::Best, true)
        .unwrap();
    let found = case.attack(&attack, Assign::Best, true).unwrap();
    assert_eq!(found.links, plain.links);
    let caveats = sdcrisk::attack::Attack::caveats(&attack, case.known());
    assert!(caveats[0].contains("a0, a1, a2"), "{caveats:?}");
    assert!(caveats[1].contains("confines"), "{caveats:?}");
    assert!(sdcrisk::attack::Attack::caveats(&attack, &statement.attributes).is_empty());
}
