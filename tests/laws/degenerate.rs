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
        Mask,
        rank_swap::{RankSwap, Reach},
        recode::{Recode, Rules as Recoding},
        suppress::{Rules as Suppression, Suppress},
    },
    rng::{Purpose, Seed},
    statement::{MissingMatches, Partner},
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
                    let back = table(&String::from_utf8(bytes).unwrap());
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
