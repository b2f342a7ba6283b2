//! The involution attack on the files of the literature, against the figures of an independent laboratory program (dense matrices).
//!
//! The first v attributes are known, and original records look for their masked ones.

use sdcrisk::{
    attack::{
        involution::{EPS, Involution},
        likelihood::Likelihood,
    },
    evaluate::{
        link::{Assign, Outcome},
        score::Ties,
    },
    mask::{
        Mask,
        p_buckets::PBuckets,
        p_distribution::PDistribution,
        rank_swap::{RankSwap, Reach},
    },
    statement::Partner,
    table::{Role, Table},
};

use super::study::{Files, masked};

fn rank_swap(p: f64, partner: Partner) -> RankSwap {
    RankSwap::new(Reach::Percent(p), partner).unwrap()
}

/// Numbers of known attributes.
const KNOWN: [usize; 4] = [2, 3, 5, 7];

/// One masked file attacked by those who know so many attributes; `held` of the people, in a scattered order. `told`: the p that the
/// intruder assumes, if not what the statement says.
fn attacked(
    original: &Table,
    (method, file): (&dyn Mask, u32),
    held: usize,
    told: Option<f64>,
    known: &[usize],
) -> Vec<Outcome> {
    let on: Vec<_> = (original.ids())
        .filter(|&id| original.attribute(id).role == Role::QuasiIdentifier)
        .filter(|&id| method.objection(original, id).is_none())
        .collect();
    let masked = masked(method, original, &on, (2027, file));
    let n = original.n_records();
    let files = Files::new(original, &masked.table);
    let study = files.study_of(held);
    let shared = &files.shared;
    let law = match told {
        None => Likelihood::new(masked.step.clone()).unwrap(),
        Some(p) => {
            let window = Reach::Percent(p).window(n);
            let names = shared
                .iter()
                .map(|shared| original.attribute(shared.original).name.clone());
            Likelihood::of_windows(names.map(|name| (name, window)).collect(), n)
        }
    };
    let attack = Involution::new(law, EPS).unwrap();
    let of = |&v: &usize| {
        study
            .case(&shared[..v])
            .attack(&attack, Assign::Best, false)
            .unwrap()
    };
    known.iter().map(of).collect()
}

fn share(part: u64, outcome: &Outcome) -> f64 {
    part as f64 / outcome.score.records as f64
}

/// Who knows two attributes of everybody is certain of nearly everybody, at every p, and right.
#[test]
fn swaps_are_undone_at_every_strength() {
    let Some(census) = super::table("census.csv") else {
        return;
    };
    for partner in [Partner::Unswapped, Partner::Skip] {
        for p in [2.0, 6.0, 10.0, 20.0] {
            for (v, outcome) in KNOWN.iter().zip(attacked(
                &census,
                (&rank_swap(p, partner), 0),
                1080,
                None,
                &KNOWN,
            )) {
                let certain = share(outcome.score.certain, &outcome);
                println!(
                    "{partner:?} p {p} v {v}: certain {certain:.4} rate {:.4}",
                    outcome.score.rate(Ties::Fair)
                );
                assert!(
                    certain
                        >= if partner == Partner::Skip && *v == 2 {
                            0.9
                        } else {
                            0.985
                        },
                    "{p} {v}: {certain}"
                );
                assert_eq!(outcome.score.certain, outcome.score.certain_correct);
                assert_eq!(outcome.score.contains_true, 1080);
                assert!(outcome.caveats.is_empty());
            }
        }
    }
}

/// Shares of certain records and mean candidates, by the share of people known; mean of four files.
#[test]
fn few_people_known_are_few_found() {
    let Some(census) = super::table("census.csv") else {
        return;
    };
    for (held, certain, candidates) in [
        (540, [0.0, 0.01, 0.56, 0.99], [54.0, 8.0, 1.6, 1.1]),
        (270, [0.0, 0.0, 0.06, 0.33], [97.0, 26.0, 6.0, 2.4]),
        (108, [0.0, 0.0, 0.0, 0.03], [122.0, 42.0, 15.0, 7.0]),
    ] {
        let files: Vec<Vec<Outcome>> = (0..4)
            .map(|file| {
                attacked(
                    &census,
                    (&rank_swap(20.0, Partner::Unswapped), file),
                    held,
                    None,
                    &KNOWN,
                )
            })
            .collect();
        for cell in 0..4 {
            let mean = |of: &dyn Fn(&Outcome) -> f64| {
                files.iter().map(|file| of(&file[cell])).sum::<f64>() / 4.0
            };
            let found = mean(&|o| share(o.score.certain, o));
            let sets = mean(&|o| o.score.candidates_mean);
            println!(
                "held {held} cell {cell}: certain {found:.3} candidates {sets:.1} rate {:.3} says {:.3}",
                mean(&|o| o.score.rate(Ties::Fair)),
                mean(&|o| o.calibration.as_ref().unwrap().expected),
            );
            assert!(
                (found - certain[cell]).abs() < 0.2,
                "{held} {cell}: {found}"
            );
            assert!(
                (sets / candidates[cell] - 1.0).abs() < 0.35,
                "{held} {cell}: {sets}"
            );
            assert!(
                files
                    .iter()
                    .all(|file| file[cell].score.certain == file[cell].score.certain_correct)
            );
        }
    }
}

/// Laws without a window, three attributes known.
#[test]
fn the_soft_form_undoes_what_has_no_window() {
    let Some(census) = super::table("census.csv") else {
        return;
    };
    let methods: [Box<dyn Mask>; 2] = [
        Box::new(PDistribution::new(20.0).unwrap()),
        Box::new(PBuckets::new(10).unwrap()),
    ];
    for method in methods {
        let outcome = attacked(&census, (method.as_ref(), 0), 1080, None, &[3]).remove(0);
        let rate = outcome.score.rate(Ties::Fair);
        println!(
            "{method:?}: {rate:.4}, says {:.4}",
            outcome.calibration.as_ref().unwrap().expected
        );
        assert!(rate > 0.99, "{method:?}: {rate}");
        assert_eq!(outcome.score.certain, 0);
    }
}

/// A p that is too small: whatever is said to be certain is right, or the report says that something is wrong.
#[test]
fn a_false_p_is_found_out() {
    let Some(census) = super::table("census.csv") else {
        return;
    };
    for told in [5.0, 15.0, 19.0, 19.9] {
        for outcome in attacked(
            &census,
            (&rank_swap(20.0, Partner::Unswapped), 1),
            1080,
            Some(told),
            &[3, 7],
        ) {
            let wrong = outcome.score.certain - outcome.score.certain_correct;
            assert!(wrong == 0 || !outcome.caveats.is_empty(), "{told}: {wrong}");
            if told < 19.5 {
                assert!(outcome.caveats[0].contains("does not hold"), "{told}");
            }
        }
    }
}
