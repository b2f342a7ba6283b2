//! What must not change when something that does not matter changes.

use sdcrisk::{
    attack::{
        Attack, Direction,
        distance_based::{DistanceBased, Standardize},
        intersection::rank_swap::{Bound, RankSwapIntersection},
    },
    evaluate::{
        link::{Assign, Outcome, Study, shared_attributes},
        score::Score,
        truth::{MaskedRecord, OriginalRecord, Truth},
    },
    mask::{
        Mask,
        rank_swap::{RankSwap, Reach},
    },
    rng::{Purpose, Seed},
    statement::Partner,
};

use crate::random_files::{self, Cells, Dice, table};

fn masked(cells: &Cells, window: usize) -> Cells {
    let original = table(cells);
    let on: Vec<_> = original.ids().collect();
    let method = RankSwap::new(Reach::Window(window), Partner::Unswapped).unwrap();
    let masked = method
        .mask(
            original,
            &on,
            &Seed::from_number(2).streams(Purpose::Mask, 0),
        )
        .unwrap();
    let mut text = Vec::new();
    masked.table.write(&mut text).unwrap();
    random_files::parse(&String::from_utf8(text).unwrap())
}

fn attacks(window: usize) -> [Box<dyn Attack>; 2] {
    let standardize = Standardize::Own;
    [
        Box::new(DistanceBased { standardize }),
        Box::new(RankSwapIntersection {
            bound: Bound::Window(window),
            standardize,
        }),
    ]
}

/// Links `original` with `released`; `released_of` says which released record each original one is.
fn outcomes(
    original: &Cells,
    released: &Cells,
    released_of: &[usize],
    window: usize,
    assign: Assign,
) -> Vec<Outcome> {
    let (left, right) = (table(original), table(released));
    let pairs: Vec<_> = released_of
        .iter()
        .enumerate()
        .map(|(x, &y)| (MaskedRecord(y as u32), OriginalRecord(x as u32)))
        .collect();
    let truth = Truth::by_key(original.len(), released.len(), &pairs).unwrap();
    let (known, _) = shared_attributes(&left, &right, None);
    let held = (0..original.len() as u32).map(OriginalRecord).collect();
    let study = Study::new(&left, &right, &truth, held, Direction::OriginalToMasked);
    let case = study.case(&known);
    attacks(window)
        .iter()
        .map(|attack| {
            let with_links = assign == Assign::OneToOne;
            case.attack(attack.as_ref(), assign, with_links).unwrap()
        })
        .collect()
}

fn in_order(n: usize) -> Vec<usize> {
    (0..n).collect()
}

#[test]
fn the_order_of_the_released_records_does_not_matter() {
    let mut dice = Dice(31);
    let original = random_files::cells(&mut dice, 90, 3, 8);
    let released = masked(&original, 4);
    let plain = outcomes(&original, &released, &in_order(90), 4, Assign::Best);
    let mut order = in_order(90);
    for i in (1..90).rev() {
        order.swap(i, dice.roll(i as u64 + 1) as usize);
    }
    let mut shuffled = released.clone();
    for (x, &y) in order.iter().enumerate() {
        shuffled[y] = released[x].clone();
    }
    assert_eq!(
        plain,
        outcomes(&original, &shuffled, &order, 4, Assign::Best)
    );
}

#[test]
fn units_do_not_matter_to_standardised_distances() {
    let mut dice = Dice(32);
    let original = random_files::cells(&mut dice, 80, 3, 0);
    let released = masked(&original, 5);
    let rescaled = |cells: &Cells| -> Cells {
        let factors = [1, 1000, 64];
        cells
            .iter()
            .map(|r| {
                r.iter()
                    .zip(factors)
                    .map(|(v, f)| v.map(|v| v * f + 7))
                    .collect()
            })
            .collect()
    };
    let plain = outcomes(&original, &released, &in_order(80), 5, Assign::Best);
    let other = outcomes(
        &rescaled(&original),
        &rescaled(&released),
        &in_order(80),
        5,
        Assign::Best,
    );
    assert_eq!(plain, other);
}

#[test]
fn the_order_of_the_attributes_does_not_matter() {
    let mut dice = Dice(33);
    let original = random_files::cells(&mut dice, 80, 4, 9);
    let released = masked(&original, 5);
    let reversed = |cells: &Cells| -> Cells {
        cells
            .iter()
            .map(|r| r.iter().rev().copied().collect())
            .collect()
    };
    for (plain, other) in outcomes(&original, &released, &in_order(80), 5, Assign::Best)
        .iter()
        .zip(outcomes(
            &reversed(&original),
            &reversed(&released),
            &in_order(80),
            5,
            Assign::Best,
        ))
    {
        // Sums of thirds are not associative; all else is exact.
        assert!((plain.score.fair - other.score.fair).abs() < 1e-9);
        let fair = plain.score.fair;
        assert_eq!(
            plain.score,
            Score {
                fair,
                ..other.score
            }
        );
    }
}

#[test]
fn the_identity_mask_links_everybody_up_to_ties() {
    let mut dice = Dice(34);
    let original = random_files::cells(&mut dice, 70, 3, 0);
    let classes: std::collections::BTreeSet<_> = original.iter().collect();
    for outcome in outcomes(&original, &original, &in_order(70), 1, Assign::Best) {
        assert_eq!(
            outcome.score.optimistic, 70,
            "everybody is at distance 0 from itself"
        );
        // A class of t equal records earns t · 1/t.
        assert!((outcome.score.fair - classes.len() as f64).abs() < 1e-9);
    }
}

#[test]
fn a_file_twice_over_doubles_every_tie() {
    let mut dice = Dice(35);
    let once: Cells = (0..60)
        .map(|i| vec![Some(i * i), Some(dice.roll(1000) as i64)])
        .collect();
    let twice: Cells = once
        .iter()
        .flat_map(|record| [record.clone(), record.clone()])
        .collect();
    let single = &outcomes(&once, &once, &in_order(60), 1, Assign::Best)[0].score;
    let double = &outcomes(&twice, &twice, &in_order(120), 1, Assign::Best)[0].score;
    assert_eq!((single.fair, single.strict), (60.0, 60));
    assert_eq!(
        (double.fair, double.strict, double.optimistic),
        (60.0, 0, 120)
    );
}

#[test]
fn knowing_more_never_widens_a_candidate_set_and_never_loses_the_truth() {
    let mut dice = Dice(36);
    let original = random_files::cells(&mut dice, 100, 5, 10);
    let released = masked(&original, 6);
    let (left, right) = (table(&original), table(&released));
    let truth = Truth::by_order(&left, &right).unwrap();
    let (known, _) = shared_attributes(&left, &right, None);
    let study = Study::new(
        &left,
        &right,
        &truth,
        (0..100).map(OriginalRecord).collect(),
        Direction::OriginalToMasked,
    );
    let attack = &attacks(6)[1];
    let mut before: Option<Vec<u32>> = None;
    for k in 1..=5 {
        let outcome = study
            .case(&known[..k])
            .attack(attack.as_ref(), Assign::Best, true)
            .unwrap();
        assert_eq!(outcome.score.contains_true, 100, "soundness: {k} known");
        assert_eq!(
            outcome.score.certain, outcome.score.certain_correct,
            "every certain link is true"
        );
        let sizes: Vec<u32> = outcome.links.iter().map(|claim| claim.candidates).collect();
        if let Some(before) = before {
            assert!(
                before
                    .iter()
                    .zip(&sizes)
                    .all(|(wider, narrower)| wider >= narrower)
            );
        }
        before = Some(sizes);
    }
}

#[test]
fn a_wider_window_never_narrows_a_candidate_set() {
    let mut dice = Dice(37);
    let original = random_files::cells(&mut dice, 100, 3, 10);
    let released = masked(&original, 6);
    let mean = |window| {
        outcomes(&original, &released, &in_order(100), window, Assign::Best)[1]
            .score
            .candidates_mean
    };
    let means: Vec<f64> = [1, 3, 6, 12, 99].map(mean).to_vec();
    assert!(means.is_sorted(), "{means:?}");
}

#[test]
fn an_assignment_pairs_everybody_once_and_does_not_lean_on_the_order_of_records() {
    let mut dice = Dice(38);
    let original = random_files::cells(&mut dice, 60, 3, 0);
    let released = masked(&original, 8);
    for outcome in outcomes(&original, &released, &in_order(60), 8, Assign::OneToOne) {
        assert_eq!(outcome.assignment.unwrap().pairs, 60);
        let score = outcome.score;
        assert!(score.strict as f64 <= score.fair && score.fair <= score.optimistic as f64);
    }
    // All alike, thirty and thirty: whoever gets one of the own kind has the right one with a chance of 1/30.
    let alike: Cells = (0..60).map(|i| vec![Some(i % 2)]).collect();
    let outcomes = outcomes(&alike, &alike, &in_order(60), 1, Assign::OneToOne);
    let score = &outcomes[0].score;
    assert!((score.fair - 2.0).abs() < 1e-12, "{}", score.fair);
    assert_eq!((score.strict, score.optimistic), (0, 60));
    // Whatever the solver does with ties, the truth must not be what it falls back to: thirty would be a peek.
    let links = outcomes[0].links.iter();
    let correct = links.filter(|link| link.linked == [link.record]).count();
    assert!(correct < 15, "{correct} of 60 indistinguishable records");
}
