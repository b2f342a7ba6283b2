//! One battery of degenerate files over every masking method and every attack.

use std::{collections::BTreeMap, num::NonZeroU32};

use sdcrisk::{
    agreement::Comparator,
    attack::{
        Attack, Direction,
        aggregates::Aggregates,
        distance_based::{DistanceBased, Standardize},
        gower::Gower,
        intersection::rank_swap::{Bound, RankSwapIntersection},
        involution::Involution,
        kernel::{Kernel, KernelDistance},
        likelihood::Likelihood,
        mahalanobis::{Mahalanobis, Scatter, Singular},
        probabilistic::{Agree, Fit, Probabilistic},
    },
    error::ErrorKind,
    evaluate::{
        link::{Assign, Shared, Study},
        truth::{OriginalRecord, Truth},
    },
    mask::{
        Details, Mask, Masked, Rounding,
        fuzzy::{Block, Blocks, Clusters, FuzzyMicroaggregation, Settings},
        microaggregation::{self, Microaggregation},
        noise::{self, Noise},
        p_buckets::PBuckets,
        p_distribution::PDistribution,
        pram::{Pram, Transitions},
        rank_swap::{RankSwap, Reach},
        recode::{Recode, Rules as Recoding},
        suppress::{Rules as Suppression, Suppress},
    },
    rng::{Purpose, Seed},
    statement::{ArcCost, DistanceScale, Grouping, MissingMatches, Partner},
    stats::checked::{Finite, Positive},
    table::{AttrId, ReadOptions, Table},
};

use crate::tables::table;

fn attacks() -> Vec<Box<dyn Attack>> {
    let mut all: Vec<Box<dyn Attack>> = vec![Box::new(Aggregates::default())];
    for standardize in [Standardize::Own, Standardize::Original, Standardize::None] {
        all.push(Box::new(DistanceBased { standardize }));
        for window in [0, 1, usize::MAX] {
            let bound = Bound::Window(window);
            all.push(Box::new(RankSwapIntersection { bound, standardize }));
        }
    }
    let standardize = Standardize::Own;
    for singular in [
        Singular::Refused,
        Singular::Ridge(Positive::new(0.001).unwrap()),
        Singular::PseudoInverse,
    ] {
        for scatter in [
            Scatter::AlignedVariances,
            Scatter::AlignedCovariances,
            Scatter::Unrelated,
        ] {
            all.push(Box::new(Mahalanobis {
                scatter,
                standardize,
                singular,
            }));
        }
    }
    for kernel in [
        Kernel::Rbf,
        Kernel::Polynomial {
            degree: NonZeroU32::MIN,
        },
        Kernel::Polynomial {
            degree: NonZeroU32::new(3).unwrap(),
        },
        Kernel::Tanh {
            offset: Finite::new(-1.0).unwrap(),
        },
    ] {
        all.push(Box::new(KernelDistance {
            kernel,
            standardize,
            singular: Singular::Refused,
        }));
    }
    all.push(Box::new(Gower));
    for fit in [Fit::Em, Fit::EmFixedU, Fit::Known] {
        for numbers in [
            Comparator::Exact,
            Comparator::Sd(0.1),
            Comparator::Absolute(1e308),
            Comparator::Relative(0.999),
            Comparator::Rank(50.0),
            Comparator::Bins(2),
        ] {
            let named = BTreeMap::new();
            all.push(Box::new(Probabilistic {
                agree: Agree { numbers, named },
                fit,
                ..Probabilistic::default()
            }));
        }
    }
    for window in [1, 3] {
        let windows = ["a", "b"].map(|name| (name.to_string(), window));
        let law = Likelihood::of_windows(windows.into(), 4);
        all.push(Box::new(Involution::new(law.clone(), 0.02).unwrap()));
        all.push(Box::new(law));
    }
    all
}

/// Files with what a careless program trips over. All attributes are numbers (as far as anything is there).
const FILES: [(&str, &str); 10] = [
    ("no record", "a,b\n"),
    ("one record", "a,b\n1,2\n"),
    ("two records", "a,b\n1,2\n3,1\n"),
    ("all equal", "a,b\n5,5\n5,5\n5,5\n"),
    ("one attribute", "a\n3\n1\n2\n2\n"),
    ("two equal attributes", "a,b\n1,1\n2,2\n7,7\n9,9\n"),
    ("one value present", "a,b\nNA,1\n3,NA\nNA,NA\n"),
    ("nothing present", "a,b\nNA,\n,NA\n"),
    ("never both present", "a,b\n1,NA\nNA,2\n3,NA\nNA,1\n"),
    (
        "huge and tiny",
        "a,b\n1e308,1e-308\n-1e308,0\n2,5e-324\n3,1\n",
    ),
];

/// Every masking method, in each of its ways and at parameters that small files strain. New methods get a line here.
fn methods() -> Vec<Box<dyn Mask>> {
    vec![
        Box::new(RankSwap::new(Reach::Window(1), Partner::Unswapped).unwrap()),
        Box::new(RankSwap::new(Reach::Window(usize::MAX), Partner::Skip).unwrap()),
        Box::new(RankSwap::new(Reach::Percent(100.0), Partner::Unswapped).unwrap()),
        Box::new(PBuckets::new(1).unwrap()),
        Box::new(PBuckets::new(2).unwrap()),
        Box::new(PBuckets::new(4).unwrap()),
        Box::new(PDistribution::new(50.0).unwrap()),
        Box::new(PDistribution::new(100.0).unwrap()),
        Box::new(Pram::new(Transitions::Keep(0.5), false, Vec::new()).unwrap()),
        Box::new(Pram::new(Transitions::Keep(0.1), true, Vec::new()).unwrap()),
        Box::new(noise(0.1, false, false, Rounding::None)),
        Box::new(noise(1e-300, false, true, Rounding::Column)),
        Box::new(noise(1e300, false, true, Rounding::None)),
        Box::new(noise(4.0, true, false, Rounding::None)),
        Box::new(noise(1e300, true, true, Rounding::Column)),
        Box::new(microaggregation(Grouping::Mdav, 2)),
        Box::new(microaggregation(Grouping::VMdav { gamma: 1.1 }, 2)),
        Box::new(microaggregation(Grouping::MdavMhm, 3)),
        Box::new(microaggregation(Grouping::Exchange, 2)),
        Box::new(microaggregation(Grouping::IndividualRanking, 2)),
        Box::new(microaggregation(
            Grouping::Pca {
                cost: ArcCost::Multivariate,
            },
            2,
        )),
        Box::new(microaggregation(
            Grouping::Zscores {
                cost: ArcCost::Projected,
            },
            3,
        )),
        Box::new(microaggregation(Grouping::Mdav, 2).scale(DistanceScale::None)),
    ]
}

fn microaggregation(grouping: Grouping, k: usize) -> Microaggregation {
    Microaggregation::new(grouping, microaggregation::Blocks::Together { k }).unwrap()
}

fn noise(level: f64, correlated: bool, restore: bool, rounding: Rounding) -> Noise {
    let options = noise::Options {
        correlated,
        restore,
        rounding,
    };
    Noise::new(level, options).unwrap()
}

/// A file that no method may refuse: else a method that always refuses would pass.
const ORDINARY: (&str, &str) = (
    "ordinary",
    "a,b,c\n1,10,0.5\n2,35,0.25\n3,,7\n4,11,2\n5,90,3.5\n6,42,NA\n7,5,1.5\n8,77,9\n9,60,4\n",
);

/// The whole law of a masking as the battery sees it: a refusal is the user's to mend; a result has the shape of the
/// file, leaves gaps and other attributes alone, and tells the truth about what it did.
#[test]
fn maskings_refuse_or_tell_what_they_did() {
    for (name, text) in FILES.into_iter().chain([ORDINARY]) {
        for method in methods() {
            let case = format!("{method:?} on {name}");
            let original = table(text);
            let on: Vec<AttrId> = original
                .ids()
                .filter(|&id| method.objection(&original, id).is_none())
                .collect();
            let streams = Seed::from_number(1).streams(Purpose::Mask, 0);
            match method.mask(original.clone(), &on, &streams) {
                Err(error) => {
                    assert!(name != "ordinary", "{case}: {error}");
                    assert_ne!(error.kind(), ErrorKind::Failed, "{case}: {error}");
                }
                Ok(masked) => check_masked(&case, &original, &on, &masked),
            }
        }
    }
}

fn check_masked(case: &str, original: &Table, on: &[AttrId], masked: &Masked) {
    let n = original.n_records();
    assert_eq!(masked.step.records, n, "{case}");
    assert_eq!(masked.table.n_records(), n, "{case}");
    assert_eq!(
        masked.table.n_attributes(),
        original.n_attributes(),
        "{case}"
    );
    let told: Vec<&str> = masked
        .effects
        .iter()
        .map(|effect| effect.attribute.as_str())
        .collect();
    let asked: Vec<&str> = on
        .iter()
        .map(|&id| original.attribute(id).name.as_str())
        .collect();
    assert_eq!(told, asked, "{case}");
    assert_eq!(masked.step.attributes, asked, "{case}");
    for id in original.ids() {
        let cells =
            |t: &Table| -> Vec<String> { (0..n).map(|r| t.text(r, id).into_owned()).collect() };
        let (before, after) = (cells(original), cells(&masked.table));
        let Some(place) = on.iter().position(|&masked_id| masked_id == id) else {
            assert_eq!(before, after, "{case}: an attribute that was not masked");
            continue;
        };
        let effect = &masked.effects[place];
        let gaps = (0..n).filter(|&r| original.is_missing(r, id)).count();
        assert_eq!((effect.values, effect.missing), (n - gaps, gaps), "{case}");
        for r in (0..n).filter(|&r| original.is_missing(r, id)) {
            assert_eq!(before[r], after[r], "{case}: a gap");
        }
        // What is written reads back as numbers, so many of which are others.
        if let (Some(old), Some(new)) = (original.numbers(id), masked.table.numbers(id)) {
            assert!(new.values.iter().all(|value| value.is_finite()), "{case}");
            let differ = |r: &usize| old.values[*r] != new.values[*r];
            assert_eq!((0..n).filter(differ).count(), effect.changed, "{case}");
        }
        if let Details::Swapping { without_partner } = &masked.details {
            let sorted = |mut cells: Vec<String>| {
                cells.sort();
                cells
            };
            assert_eq!(sorted(before), sorted(after), "{case}: a permutation");
            assert!(
                effect.changed + without_partner[place] <= effect.values,
                "{case}"
            );
        }
    }
    let mut written = Vec::new();
    masked.table.write(&mut written).unwrap();
    let again = Table::read("m.csv", written, &ReadOptions::default()).unwrap();
    assert_eq!(again.n_records(), n, "{case}: written and read again");
}

#[test]
fn fuzzy_microaggregation_refuses_or_obeys_its_laws() {
    let settings = |scaling| Settings {
        scaling,
        rounding: Rounding::Column,
        starts: 2,
        keep_memberships: true,
        ..Settings::default()
    };
    let mut masked_files = 0;
    for (name, text) in FILES {
        for (m1, m2, clusters, scaling) in [
            (1.0001, 1.0001, Clusters::Count(2), DistanceScale::Z),
            (2.0, 2.0, Clusters::Occupancy(2), DistanceScale::Z),
            (1e6, 1e6, Clusters::Occupancy(2), DistanceScale::None),
            (3.0, 1.5, Clusters::Count(3), DistanceScale::None),
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
fn recoding_and_suppression_refuse_or_obey_their_laws() {
    let streams = Seed::from_number(1).streams(Purpose::Mask, 0);
    for (name, text) in FILES {
        let original = table(text);
        let n = original.n_records();
        let first = [AttrId::new(0)];
        for rules in [
            "bottom = 2\ntop = 3\nround = 2",
            "breaks = [2]",
            "suppress = [5, 1]",
            "map.3 = 'x'",
        ] {
            let method = Recode::new(Recoding::parse("r", &format!("[a]\n{rules}")).unwrap());
            match method.mask(original.clone(), &first, &streams) {
                // An attribute without any value is one of names.
                Err(error) => assert!(original.numbers(first[0]).is_none(), "{name}: {error}"),
                Ok(masked) => {
                    let gone =
                        masked.table.missing(first[0]).count() - original.missing(first[0]).count();
                    assert!(gone <= masked.effects[0].changed, "{name}");
                    assert_eq!(
                        masked.effects[0].values + masked.effects[0].missing,
                        n,
                        "{name}"
                    );
                }
            }
        }
        let key: Vec<String> = original
            .attributes()
            .iter()
            .map(|a| a.name.clone())
            .collect();
        for missing in [MissingMatches::Any, MissingMatches::Missing] {
            let method = Suppress::new(Suppression::new(2, key.clone(), missing).unwrap());
            let on = method.attributes(&original).unwrap();
            match method.mask(original.clone(), &on, &streams) {
                Err(error) => assert!(n < 2, "{name}: {error}"),
                Ok(masked) => {
                    let mut bytes = Vec::new();
                    masked.table.write(&mut bytes).unwrap();
                    let back = table(bytes);
                    assert_eq!(back.n_records(), n, "{name}");
                    for (id, effect) in on.iter().zip(&masked.effects) {
                        assert_eq!(
                            back.missing(*id).count(),
                            effect.missing + effect.changed,
                            "{name}"
                        );
                    }
                }
            }
        }
    }
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
                (0..n as u32).map(OriginalRecord).collect(),
                direction,
            );
            for attack in attacks() {
                for assign in [Assign::Best, Assign::OneToOne] {
                    match study.case(&known).attack(attack.as_ref(), assign, true) {
                        // Refusals name the attribute, or say what is wrong with the values.
                        Err(error) => assert!(
                            [
                                "standardised",
                                "inverse",
                                "no variance",
                                "no covariance",
                                "no scatter",
                                "too large",
                            ]
                            .iter()
                            .any(|words| error.to_string().contains(words)),
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
                                && ["am", "gower", "dbrl2"].contains(&attack.name())
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
