//! One battery of degenerate files over every masking method and every attack.

use sdcrisk::{
    attack::{
        Attack, Direction,
        distance_based::{DistanceBased, Standardize},
        intersection::rank_swap::{Bound, RankSwapIntersection},
    },
    evaluate::{
        link::{Assign, Shared, Study},
        truth::Truth,
    },
    mask::{
        Details, Mask, Rounding,
        fuzzy::{Block, Blocks, Clusters, FuzzyMicroaggregation, Settings},
        rank_swap::{RankSwap, Reach},
    },
    rng::{Purpose, Seed},
    statement::{Partner, Scaling},
    table::{AttrId, ReadOptions, Table},
};

fn table(text: &str) -> Table {
    Table::read("f.csv", text.as_bytes().to_vec(), &ReadOptions::default()).unwrap()
}

fn attacks() -> Vec<Box<dyn Attack>> {
    let mut all: Vec<Box<dyn Attack>> = Vec::new();
    for standardize in [Standardize::Own, Standardize::Original, Standardize::None] {
        all.push(Box::new(DistanceBased { standardize }));
        for window in [0, 1, usize::MAX] {
            let bound = Bound::Window(window);
            all.push(Box::new(RankSwapIntersection { bound, standardize }));
        }
    }
    all
}

/// Files with what a careless program trips over. All attributes are numbers (as far as anything is there).
const FILES: [(&str, &str); 9] = [
    ("no record", "a,b\n"),
    ("one record", "a,b\n1,2\n"),
    ("two records", "a,b\n1,2\n3,1\n"),
    ("all equal", "a,b\n5,5\n5,5\n5,5\n"),
    ("one attribute", "a\n3\n1\n2\n2\n"),
    ("two equal attributes", "a,b\n1,1\n2,2\n7,7\n9,9\n"),
    ("one value present", "a,b\nNA,1\n3,NA\nNA,NA\n"),
    ("nothing present", "a,b\nNA,\n,NA\n"),
    (
        "huge and tiny",
        "a,b\n1e308,1e-308\n-1e308,0\n2,5e-324\n3,1\n",
    ),
];

#[test]
fn rank_swapping_refuses_or_obeys_its_laws() {
    for (name, text) in FILES {
        for (reach, partner) in [
            (Reach::Window(1), Partner::Unswapped),
            (Reach::Window(usize::MAX), Partner::Skip),
            (Reach::Percent(100.0), Partner::Unswapped),
        ] {
            let original = table(text);
            let n = original.n_records();
            let on: Vec<AttrId> = original
                .ids()
                .filter(|&id| original.numbers(id).is_some())
                .collect();
            let method = RankSwap::new(reach, partner).unwrap();
            match method.mask(
                original.clone(),
                &on,
                &Seed::from_number(1).streams(Purpose::Mask, 0),
            ) {
                Err(error) => assert!(n < 2, "{name}: {error}"),
                Ok(masked) => {
                    for (id, effect) in on.iter().zip(&masked.effects) {
                        let sorted = |t: &Table| {
                            let mut cells: Vec<_> =
                                (0..n).map(|r| t.text(r, *id).into_owned()).collect();
                            cells.sort();
                            cells
                        };
                        assert_eq!(sorted(&original), sorted(&masked.table), "{name}");
                        assert_eq!(effect.values + effect.missing, n, "{name}");
                    }
                }
            }
        }
    }
}

#[test]
fn fuzzy_microaggregation_refuses_or_obeys_its_laws() {
    let settings = |scaling| Settings {
        scaling,
        rounding: Rounding::Whole,
        starts: 2,
        keep_memberships: true,
        ..Settings::default()
    };
    let mut masked_files = 0;
    for (name, text) in FILES {
        for (m1, m2, clusters, scaling) in [
            (1.0001, 1.0001, Clusters::Count(2), Scaling::Z),
            (2.0, 2.0, Clusters::Occupancy(2), Scaling::Z),
            (1e6, 1e6, Clusters::Occupancy(2), Scaling::None),
            (3.0, 1.5, Clusters::Count(3), Scaling::None),
        ] {
            let original = table(text);
            let n = original.n_records();
            let on: Vec<AttrId> = original
                .ids()
                .filter(|&id| original.numbers(id).is_some())
                .collect();
            let blocks = Blocks::One(clusters);
            let method = FuzzyMicroaggregation::new(m1, m2, blocks, settings(scaling)).unwrap();
            let streams = Seed::from_number(1).streams(Purpose::Mask, 0);
            match method.mask(original.clone(), &on, &streams) {
                Err(error) => assert!(
                    error.to_string().contains("records that have a value")
                        || error.to_string().contains("different points"),
                    "{name}: {error}"
                ),
                Ok(masked) => {
                    masked_files += 1;
                    let Details::Fuzzy(blocks) = &masked.details else {
                        panic!("the details of another method");
                    };
                    let block = &blocks[0];
                    let used = block
                        .cluster_of
                        .iter()
                        .filter(|&&cluster| cluster != Block::NO_CLUSTER);
                    assert_eq!(used.count(), block.n_records, "{name}");
                    for row in block
                        .memberships
                        .as_deref()
                        .unwrap()
                        .chunks_exact(block.n_clusters)
                    {
                        let sum: f64 = row.iter().sum();
                        assert!((sum - 1.0).abs() < 1e-9 || sum == 0.0, "{name}: {row:?}");
                    }
                    for (&id, effect) in on.iter().zip(&masked.effects) {
                        assert_eq!(effect.values + effect.missing, n, "{name}");
                        let (old, new) = (
                            original.numbers(id).unwrap(),
                            masked.table.numbers(id).unwrap(),
                        );
                        assert_eq!(old.missing, new.missing, "{name}");
                        let present = || (0..n).filter(|&record| !old.missing.contains(record));
                        let least = present()
                            .map(|r| old.values[r])
                            .fold(f64::INFINITY, f64::min);
                        let most = present()
                            .map(|r| old.values[r])
                            .fold(f64::NEG_INFINITY, f64::max);
                        let inside = |r: usize| (least..=most).contains(&new.values[r]);
                        assert!(
                            present().all(inside),
                            "{name}: a mean is between the values"
                        );
                    }
                }
            }
        }
    }
    assert!(masked_files >= 10, "{masked_files}");
}

#[test]
fn attacks_refuse_or_count_within_bounds() {
    for (name, text) in FILES {
        let original = table(text);
        let n = original.n_records();
        let truth = Truth::by_order(&original, &original).unwrap();
        let known: Vec<Shared> = original
            .ids()
            .filter(|&id| original.numbers(id).is_some())
            .map(|id| Shared {
                original: id,
                masked: id,
            })
            .collect();
        for direction in [Direction::OriginalToMasked, Direction::MaskedToOriginal] {
            let study = Study::new(
                &original,
                &original,
                &truth,
                (0..n as u32).collect(),
                direction,
            );
            for attack in attacks() {
                for assign in [Assign::Best, Assign::OneToOne] {
                    match study.case(&known).attack(attack.as_ref(), assign, true) {
                        // Refusals name the attribute, or say what is wrong with the values.
                        Err(error) => assert!(
                            error.to_string().contains("standardised"),
                            "{name}: {error}"
                        ),
                        Ok(outcome) => {
                            let score = outcome.score;
                            assert_eq!(
                                (score.records, outcome.links.len()),
                                (n as u64, n),
                                "{name}"
                            );
                            assert!(score.strict as f64 <= score.fair + 1e-12, "{name}");
                            assert!(score.fair <= score.optimistic as f64 + 1e-12, "{name}");
                            assert!(score.optimistic <= score.records, "{name}");
                            assert!(score.certain_correct <= score.certain, "{name}");
                            if !known.is_empty()
                                && !attack.has_candidate_sets()
                                && assign == Assign::Best
                            {
                                // A file against itself: everybody is nearest to itself, up to ties.
                                let complete = !text.contains("NA");
                                assert!(
                                    !complete || score.optimistic == n as u64,
                                    "{name}: {score:?}"
                                );
                            }
                        }
                    }
                }
            }
        }
    }
}
