//! Cells that were suppressed after masking: whoever they belong to stays possible, and nobody becomes less possible.

use std::collections::BTreeSet;

use sdcrisk::{
    attack::{
        Attack, Direction, Preference, Scenario,
        distance_based::Standardize,
        intersection::{
            microaggregation::{Groups, MicroaggregationIntersection},
            rank_swap::{Bound, RankSwapIntersection},
        },
        likelihood::Likelihood,
    },
    mask::{
        Mask, Rounding,
        microaggregation::{Blocks, Microaggregation},
        noise::{Noise, Options},
        rank_swap::{RankSwap, Reach},
    },
    rng::{Purpose, Seed},
    statement::{ArcCost, Grouping, Partner, Step},
    table::{Matrix, Scale, Table},
};

use crate::{
    microaggregation_attack::amounts,
    random_files::{self, Dice},
};

fn matrix(table: &Table) -> Matrix {
    let columns: Vec<_> = table.ids().map(|id| table.numbers(id).unwrap()).collect();
    let everybody: Vec<u32> = (0..table.n_records() as u32).collect();
    Matrix::gather(&columns, &everybody)
}

/// The candidates of each seeker.
fn candidates(attack: &dyn Attack, scenario: &Scenario<'_>) -> Vec<BTreeSet<u32>> {
    let preference = attack.prepare(scenario).unwrap();
    let n_sought = preference.n_sought() as u32;
    (0..preference.n_seekers())
        .map(|seeker| match &preference {
            Preference::Nearest(nearest) => (0..n_sought)
                .filter(|&sought| nearest.cost(seeker, sought as usize).is_some())
                .collect(),
            Preference::Lists(lists) => {
                let mut list = Vec::new();
                lists.list(seeker, &mut list);
                list.into_iter().map(|(sought, _)| sought).collect()
            }
            Preference::Agreed(_) | Preference::Strata(_) => {
                unreachable!("no candidate sets in boxes")
            }
        })
        .collect()
}

fn masked(method: &dyn Mask, original: &Table) -> (Table, Step) {
    let on: Vec<_> = original.ids().collect();
    let streams = Seed::from_number(3).streams(Purpose::Mask, 0);
    let masked = method.mask(original.clone(), &on, &streams).unwrap();
    (masked.table, masked.step)
}

/// Masks a file, suppresses one cell in eight of the release, and compares the candidate sets. `grows`: sets are those of a bound, not
/// of what is likely enough.
fn check(method: &dyn Mask, attack: &dyn Fn(&Step) -> Box<dyn Attack>, gap: u64, grows: bool) {
    const RECORDS: usize = 70;
    let mut dice = Dice(31);
    let original = amounts(&random_files::cells(&mut dice, RECORDS, 3, gap));
    let (released, statement) = masked(method, &original);
    let attack = attack(&statement);
    let known: Vec<String> = ["a0", "a1", "a2"].map(String::from).to_vec();
    let (intruder, whole) = (matrix(&original), matrix(&released));
    let mut suppressed = matrix(&released);
    for record in 0..RECORDS {
        for attribute in 0..3 {
            if dice.roll(8) == 0 {
                suppressed.set_missing(record, attribute);
            }
        }
    }
    for direction in [Direction::OriginalToMasked, Direction::MaskedToOriginal] {
        let of = |released: &Matrix| {
            let scenario = Scenario {
                known: &known,
                scales: &[Scale::Continuous; 3],
                categories: &[],
                intruder: &intruder,
                released,
                direction,
                aligned: None,
                beside: None,
                unrecoded: None,
            };
            candidates(attack.as_ref(), &scenario)
        };
        let (before, after) = (of(&whole), of(&suppressed));
        for (record, (before, after)) in (0..).zip(before.iter().zip(&after)) {
            let what = format!("{} {direction:?} gap {gap}, record {record}", attack.name());
            if before.contains(&record) {
                assert!(
                    after.contains(&record),
                    "{what}: the true record is excluded"
                );
            }
            if grows {
                assert!(before.is_subset(after), "{what}: {before:?} {after:?}");
            }
        }
        let found =
            |sets: &[BTreeSet<u32>]| (0..).zip(sets).filter(|(i, set)| set.contains(i)).count();
        assert!(found(&after) >= found(&before));
        if grows {
            // A bound that holds keeps everybody, suppressed or not.
            let is_exact = found(&before) == RECORDS;
            assert!(!is_exact || found(&after) == RECORDS);
        }
    }
}

#[test]
fn rank_swapping() {
    for gap in [0, 9] {
        let method = RankSwap::new(Reach::Window(6), Partner::Unswapped).unwrap();
        let standardize = Standardize::Own;
        let rsld = |statement: &Step| -> Box<dyn Attack> {
            let bound = Bound::of_step(statement).unwrap();
            Box::new(RankSwapIntersection { bound, standardize })
        };
        check(&method, &rsld, gap, true);
        let by_window = |_: &Step| -> Box<dyn Attack> {
            let bound = Bound::Window(6);
            Box::new(RankSwapIntersection { bound, standardize })
        };
        check(&method, &by_window, gap, true);
        let likelihood = |statement: &Step| -> Box<dyn Attack> {
            Box::new(Likelihood::new(statement.clone()).unwrap())
        };
        check(&method, &likelihood, gap, true);
    }
}

/// The nearest groups of MDAV are found in units that do not depend on what was suppressed.
#[test]
fn microaggregation() {
    let intersection = |statement: &Step| -> Box<dyn Attack> {
        Box::new(MicroaggregationIntersection {
            groups: Groups::of_step(statement).unwrap(),
            nearest_clusters: 2,
            standardize: Standardize::Original,
        })
    };
    for gap in [0, 9] {
        for grouping in [
            Grouping::IndividualRanking,
            Grouping::Zscores {
                cost: ArcCost::Projected,
            },
            Grouping::Mdav,
        ] {
            let method = Microaggregation::new(grouping, Blocks::Together { k: 3 }).unwrap();
            check(&method, &intersection, gap, true);
        }
    }
}

/// What is likely enough depends on the most likely, so sets need not grow; the true record stays.
#[test]
fn laws_of_values() {
    let likelihood = |statement: &Step| -> Box<dyn Attack> {
        Box::new(Likelihood::new(statement.clone()).unwrap())
    };
    for gap in [0, 9] {
        for correlated in [false, true] {
            let options = Options {
                correlated,
                restore: false,
                rounding: Rounding::None,
            };
            check(&Noise::new(0.1, options).unwrap(), &likelihood, gap, false);
        }
        for grouping in [Grouping::IndividualRanking, Grouping::Mdav] {
            let method = Microaggregation::new(grouping, Blocks::Together { k: 3 }).unwrap();
            check(&method, &likelihood, gap, false);
        }
    }
}
