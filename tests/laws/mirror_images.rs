//! Records that stand opposite each other about a query are equally far from it, to the last bit.

use sdcrisk::{
    attack::{
        Attack, Direction, Preference, Scenario,
        distance_based::Standardize,
        kernel::{Kernel, KernelDistance},
        mahalanobis::{Mahalanobis, Scatter, Singular},
    },
    evaluate::{
        link::{Assign, Study, shared_attributes},
        truth::{OriginalRecord, Truth},
    },
    table::{Matrix, Scale},
};

use crate::random_files::{Cells, Dice, table};

/// Queries far from each other, and for each a pair of records at x + d and x − d, d correlated between attributes.
fn mirrored(dice: &mut Dice, queries: usize, attributes: usize) -> (Cells, Cells) {
    let (mut original, mut masked) = (Cells::new(), Cells::new());
    for _ in 0..queries {
        let level = dice.roll(1000) as i64 * 1000;
        let x: Vec<i64> = (0..attributes)
            .map(|_| level + dice.roll(1_000_000) as i64)
            .collect();
        let common = dice.roll(60) as i64 - 30;
        let d: Vec<i64> = (0..attributes)
            .map(|_| common + dice.roll(20) as i64 + 1)
            .collect();
        for sign in [1, -1] {
            original.push(x.iter().map(|&x| Some(x)).collect());
            masked.push(x.iter().zip(&d).map(|(x, d)| Some(x + sign * d)).collect());
        }
    }
    (original, masked)
}

/// Each original record stands twice, its masked records to its left and right: every link is a tie of two.
#[test]
fn mirror_images_tie() {
    let mut dice = Dice(41);
    for attributes in [2, 3, 5] {
        let (original, masked) = mirrored(&mut dice, 40, attributes);
        let (left, right) = (table(&original), table(&masked));
        let truth = Truth::by_order(&left, &right).unwrap();
        let (known, _) = shared_attributes(&left, &right, None);
        let everybody = (0..80).map(OriginalRecord).collect();
        let study = Study::new(
            &left,
            &right,
            &truth,
            everybody,
            Direction::OriginalToMasked,
        );
        let case = study.case(&known);
        for standardize in [
            Standardize::Release,
            Standardize::Original,
            Standardize::None,
        ] {
            let scaled = |scatter| -> Box<dyn Attack> {
                Box::new(Mahalanobis {
                    scatter,
                    standardize,
                    singular: Singular::Refused,
                })
            };
            let attacks: [Box<dyn Attack>; 4] = [
                scaled(Scatter::Unrelated),
                scaled(Scatter::AlignedCovariances),
                scaled(Scatter::AlignedVariances),
                Box::new(KernelDistance {
                    kernel: Kernel::Mahalanobis,
                    standardize,
                    singular: Singular::Refused,
                }),
            ];
            for attack in attacks {
                let what = format!("{} {attributes} {standardize:?}", attack.name());
                let score = case
                    .attack(attack.as_ref(), Assign::Best, false)
                    .unwrap()
                    .score;
                let listed = case.attack(attack.as_ref(), Assign::Best, true).unwrap();
                assert_eq!(score, listed.score, "{what}");
                assert_eq!(score.strict, 0, "{what}");
                assert_eq!(score.optimistic, 80, "{what}");
                assert!((score.fair - 40.0).abs() < 1e-9, "{what}");
                assert!(
                    listed
                        .links
                        .iter()
                        .all(|link| link.tied == 2 && link.rank_of_true == Some(1))
                );
            }
        }
    }
}

/// What decides is the form of the differences, against all pairs: no order that it gives is out of reach of the search.
#[test]
fn the_form_decides_against_all_pairs() {
    let mut dice = Dice(42);
    let cells = |dice: &mut Dice| -> Vec<f64> { (0..120).map(|_| dice.roll(6) as f64).collect() };
    let (a, b) = (
        Matrix::complete(40, 3, cells(&mut dice)),
        Matrix::complete(40, 3, cells(&mut dice)),
    );
    let known: Vec<String> = ["a", "b", "c"].map(String::from).to_vec();
    let scenario = Scenario {
        known: &known,
        scales: &[Scale::Continuous; 3],
        categories: &[],
        intruder: &a,
        released: &b,
        direction: Direction::OriginalToMasked,
        aligned: None,
        beside: None,
        unrecoded: None,
    };
    let attack = Mahalanobis {
        scatter: Scatter::Unrelated,
        standardize: Standardize::None,
        singular: Singular::Refused,
    };
    let Preference::Nearest(nearest) = attack.prepare(&scenario).unwrap() else {
        panic!("points")
    };
    let decides = nearest.decides.as_ref().unwrap();
    for seeker in 0..40 {
        let doubt = decides.doubt(seeker);
        let mapped = |sought: u32| nearest.cost(seeker, sought as usize).unwrap();
        for (sought, other) in (0..40).flat_map(|a| (0..40).map(move |b| (a, b))) {
            // Whoever is as near by the form is within reach by the mapped points.
            if decides.compare(seeker, other, sought).is_le() {
                assert!(mapped(other) <= doubt.above(mapped(sought)));
            }
        }
    }
}
