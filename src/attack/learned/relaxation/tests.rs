use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU32, Ordering},
};

use super::*;
use crate::{
    attack::{
        Direction, Lists, Scenario,
        distance_based::Standardize,
        learned::{
            family::Scratch,
            linkage::EveryPair,
            presolve::{self, compare, signs},
        },
    },
    optimize::subsystem::{Patient, cone},
    table::{Scale, matrix::Matrix},
};

const N: u32 = 60;

/// Numbers that look irregular, from a multiplicative sequence.
fn numbers(n: u32, seed: u32) -> Vec<f64> {
    let mut state = seed;
    let next = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 20) / 4096.0
    };
    (0..n).map(next).collect()
}

/// A file of three attributes, and a masked one: attributes are blurred by a little, more, and much, and rounded to so many steps; some values
/// are equal, some are missing.
fn files(gaps: bool, steps: f64) -> (Matrix, Matrix) {
    let original = numbers(3 * N, 1);
    let noise = numbers(3 * N, 2);
    let masked = original
        .iter()
        .zip(&noise)
        .enumerate()
        .map(|(cell, (value, noise))| {
            let level = [0.05, 0.3, 0.8][cell % 3];
            ((value + level * (noise - 0.5)) * steps).round() / steps
        });
    let masked = masked.collect();
    let records = N as usize;
    let mut files = (
        Matrix::complete(records, 3, original),
        Matrix::complete(records, 3, masked),
    );
    for record in (0..records).filter(|record| gaps && record % 9 == 4) {
        files.1.set_missing(record, record % 3);
        files.0.set_missing(record, (record / 9) % 3);
    }
    files
}

fn with_differences(gaps: bool, test: impl Fn(&Differences<'_>, &[Option<u32>])) {
    with_differences_of(files(gaps, 50.0), test);
}

fn with_differences_of(
    (intruder, released): (Matrix, Matrix),
    test: impl Fn(&Differences<'_>, &[Option<u32>]),
) {
    let known: Vec<String> = ["a", "b", "c"].map(String::from).to_vec();
    let scenario = Scenario {
        known: &known,
        scales: &[Scale::Continuous; 3],
        categories: &[],
        intruder: &intruder,
        released: &released,
        direction: Direction::OriginalToMasked,
        aligned: None,
        beside: None,
        unrecoded: None,
    };
    let differences = Differences::new(&scenario, Standardize::Own).unwrap();
    // The last ones have no partner.
    let partners: Vec<Option<u32>> = (0..N)
        .map(|record| (record < N - 3).then_some(record))
        .collect();
    test(&differences, &partners);
}

/// d² of every pair by its features: who is linked.
fn linked(
    differences: &Differences<'_>,
    family: Family,
    partners: &[Option<u32>],
    p: &[f64],
) -> Vec<bool> {
    let mut scratch = Scratch::new(3);
    let mut row = Vec::new();
    let mut linked = Vec::new();
    for (seeker, partner) in partners.iter().enumerate() {
        linked.push(partner.is_some_and(|partner| {
            let partner = partner as usize;
            (0..N as usize)
                .filter(|&other| other != partner)
                .all(|other| {
                    family.row(differences, seeker, partner, other, &mut scratch, &mut row);
                    super::super::competitors::is_positive(&row, p)
                })
        }));
    }
    linked
}

/// Parameters of every family, some at the border of the space.
fn points(family: Family) -> Vec<Vec<f64>> {
    let weights = [[0.2, 0.3, 0.5], [0.9, 0.09, 0.01], [0.5, 0.5, 0.0]];
    let mut points: Vec<Vec<f64>> = weights
        .iter()
        .map(|weights| super::super::starts::additive(family, weights))
        .collect();
    match family {
        // No sums: μ of a pair is not that of its members.
        Family::Choquet | Family::ChoquetMetric => {
            points.push(vec![0.3, 0.4, 0.6, 0.2, 0.45, 0.5, 1.0]);
        }
        Family::ChoquetTwoAdditive => points.push(vec![0.3, 0.4, 0.5, -0.2, 0.1, -0.1]),
        Family::Bilinear => points.push(vec![1.0, 0.4, -0.1, -0.3, 0.2, 0.1]),
        _ => {}
    }
    points
}

#[test]
fn the_tree_counts_as_all_pairs_do() {
    for gaps in [false, true] {
        with_differences(gaps, |differences, partners| {
            for family in Family::ALL {
                let mut competitors = Competitors::new(differences, family);
                for p in points(family) {
                    let all = linked(differences, family, partners, &p);
                    let expected = all.iter().filter(|&&linked| linked).count();
                    for sure_from in [usize::MAX, 0] {
                        competitors.sure_from = sure_from;
                        assert_eq!(count(&competitors, partners, &p), expected, "{family:?}");
                    }
                }
            }
        });
    }
}

/// The tree finds the nearest, with their ties and their distances, that a look at every pair finds.
#[test]
fn the_nearest_by_tree_and_by_list() {
    for (gaps, steps) in [(false, 50.0), (true, 50.0), (false, 2.0), (true, 2.0)] {
        with_differences_of(files(gaps, steps), |differences, _| {
            let monotone = Family::ALL
                .into_iter()
                .filter(|family| family.is_monotone());
            let mut ties = 0;
            for family in monotone {
                for p in points(family) {
                    let pairs = |compared| {
                        let differences = Arc::new(differences.again());
                        EveryPair::new(Exactly::new(differences, family, &p), &p, compared)
                    };
                    let (searched, every) = (pairs(0), pairs(usize::MAX));
                    assert!(searched.is_searched() && !every.is_searched());
                    let (mut found, mut expected) = (Vec::new(), Vec::new());
                    for seeker in 0..differences.n_seekers() {
                        searched.cheapest(seeker, &mut found);
                        every.cheapest(seeker, &mut expected);
                        assert_eq!(found, expected, "{family:?}");
                        ties += usize::from(found.len() > 1);
                        let mut all = Vec::new();
                        every.list(seeker, &mut all);
                        let least = all.iter().fold(f64::INFINITY, |least, of| least.min(of.1));
                        assert!((found[0].1 - least).abs() <= 1e-12 * (1.0 + least));
                    }
                }
            }
            assert!(ties > 0 || steps > 2.0);
        });
    }
}

/// What is left out by the presolve decides nobody's link, wherever weights are positive.
#[test]
fn presolved_rows_decide_as_all_rows_do() {
    for gaps in [false, true] {
        with_differences(gaps, |differences, partners| {
            for family in Family::ALL {
                let presolved = presolve::all_rows(differences, family, partners);
                let problem = Problem {
                    space: family.space(3).unwrap(),
                    rows: presolved.rows,
                };
                let positive = |p: &Vec<f64>| p.iter().all(|&p| p != 0.0) || family.is_bilinear();
                for p in points(family).iter().filter(|p| positive(p)) {
                    let expected = linked(differences, family, partners, p);
                    for (block, &seeker) in presolved.block_seekers.iter().enumerate() {
                        let is_linked = expected[seeker as usize];
                        assert_eq!(problem.satisfies(block, p), is_linked, "{family:?}");
                    }
                    let always = presolved.always.iter();
                    assert!(always.clone().all(|&seeker| expected[seeker as usize]));
                    let never = presolved.never.iter();
                    assert!(never.clone().all(|&(seeker, _)| !expected[seeker as usize]));
                    let places = always.len() + never.len() + presolved.block_seekers.len();
                    assert_eq!(places, N as usize - 3);
                }
            }
        });
    }
}

/// The tree finds a competitor that is never beaten for the seekers for whom a look at all finds one.
#[test]
fn never_linked_by_tree_and_by_list() {
    for gaps in [false, true] {
        with_differences(gaps, |differences, partners| {
            let monotone = Family::ALL
                .into_iter()
                .filter(|family| family.is_monotone());
            for family in monotone {
                let listed = presolve::all_rows(differences, family, partners).never;
                let competitors = Competitors::new(differences, family);
                let mut room = Room::new(3);
                let mut found = Vec::new();
                for (seeker, partner) in partners.iter().enumerate() {
                    let Some(partner) = partner.map(|partner| partner as usize) else {
                        continue;
                    };
                    if let Some(competitor) = competitors.never_beaten(seeker, partner, &mut room) {
                        let of = [seeker, partner, competitor as usize];
                        let (mut scratch, mut margins) = (Scratch::new(3), Vec::new());
                        compare(differences, family, of, &mut scratch, &mut margins);
                        assert!(!signs(&margins).0);
                        found.push(u32::try_from(seeker).unwrap());
                    }
                }
                let listed: Vec<u32> = listed.into_iter().map(|(seeker, _)| seeker).collect();
                assert_eq!(found, listed, "{family:?}");
            }
        });
    }
}

/// A relaxation that grows ends at the optimum of all rows; its rows are true competitors.
#[test]
fn a_relaxation_grows_to_the_optimum() {
    for gaps in [false, true] {
        with_differences(gaps, |differences, partners| {
            for family in [Family::WeightedMean, Family::OrderedWeightedMean] {
                let mut engine =
                    |problem: &Problem, start: Start| cone::solve(problem, start, &Patient);
                let mut competitors = Competitors::new(differences, family);
                let mut learn = |most_listed: usize, sure_from: usize| {
                    competitors.sure_from = sure_from;
                    learn_listing(&competitors, partners, &mut engine, &Patient, most_listed)
                        .unwrap()
                };
                let (all, some) = (learn(usize::MAX, usize::MAX), learn(0, usize::MAX));
                let sure = learn(0, 0);
                assert_eq!((all.satisfied, all.bound), (some.satisfied, some.bound));
                assert_eq!(
                    (sure.parameters, sure.bound),
                    (some.parameters.clone(), some.bound)
                );
                assert_eq!(all.satisfied, all.bound);
                for learned in [&all, &some] {
                    let found = linked(differences, family, partners, &learned.parameters);
                    assert_eq!(
                        found.iter().filter(|&&linked| linked).count(),
                        learned.satisfied
                    );
                    assert_eq!(learned.problem.rows.n_blocks(), learned.block_seekers.len());
                }
                assert!(some.problem.rows.n_rows() < all.problem.rows.n_rows());
            }
        });
    }
}

/// Whoever watches hears how long a count over all records took.
#[test]
fn a_count_says_how_long_it_took() {
    /// Time goes on by a second whenever somebody asks for it.
    #[derive(Debug, Default)]
    struct Ticking {
        asked: AtomicU32,
        told: Mutex<Vec<f64>>,
    }
    impl Watch for Ticking {
        fn stops(&self) -> bool {
            false
        }
        fn seconds_left(&self) -> Option<f64> {
            Some(100.0 - f64::from(self.asked.fetch_add(1, Ordering::Relaxed)))
        }
        fn counted(&self, seconds: f64) {
            self.told.lock().unwrap().push(seconds);
        }
    }
    with_differences(false, |differences, partners| {
        let family = Family::WeightedMean;
        let competitors = Competitors::new(differences, family);
        let mut growing = Growing::new(family.space(3).unwrap(), &competitors);
        growing.list_none(partners);
        let watch = Ticking::default();
        growing.consider(&[0.9, 0.09, 0.01], &watch);
        assert_eq!(*watch.told.lock().unwrap(), [1.0]);
    });
}

/// An engine that uses up its time has found something all the same.
#[test]
fn what_is_found_in_the_last_moment_counts() {
    #[derive(Debug)]
    struct Stopped;
    impl Watch for Stopped {
        fn stops(&self) -> bool {
            true
        }
    }
    with_differences(false, |differences, partners| {
        for (family, sure_from) in [
            (Family::WeightedMean, usize::MAX),
            (Family::WeightedMean, 0),
            (Family::OrderedWeightedMean, 0),
        ] {
            let mut competitors = Competitors::new(differences, family);
            competitors.sure_from = sure_from;
            let mut growing = Growing::new(family.space(3).unwrap(), &competitors);
            growing.list_none(partners);
            let parameters = vec![0.9, 0.09, 0.01];
            let answer = Answer {
                parameters: parameters.clone(),
                ..Answer::unknown(&growing.problem)
            };
            growing.hear(answer, &Stopped);
            let found = linked(differences, family, partners, &parameters);
            let expected = found.iter().filter(|&&linked| linked).count();
            assert_eq!(growing.satisfied, expected, "{family:?}");
            assert!(expected > 0);
        }
    });
}

/// The form stays non-negative on all pairs, whatever an engine that knows no pair proposes; half-spaces are the pairs that were negative.
#[test]
fn forms_are_lifted_until_no_pair_is_negative() {
    with_differences(false, |differences, partners| {
        let family = Family::BilinearNonNegative;
        let mut turns = 0;
        let mut engine = |problem: &Problem, _: Start| {
            turns += 1;
            Answer {
                parameters: vec![1.0, 0.3, 0.0, -0.9, 0.0, 0.0],
                satisfied: 0,
                bound: problem.rows.n_blocks(),
                proof: Proof::Search("nothing".into()),
            }
        };
        let competitors = Competitors::new(differences, family);
        let learned = learn(&competitors, partners, &mut engine, &Patient).unwrap();
        assert!(turns > 1 && !learned.pairs.is_empty());
        assert!(learned.pairs.len() <= learned.problem.space.half_spaces.len());
        let mut scratch = Scratch::new(3);
        let mut features = Vec::new();
        for seeker in 0..N as usize {
            for sought in 0..N as usize {
                family.features(differences, seeker, sought, &mut scratch, &mut features);
                let form: f64 = features
                    .iter()
                    .zip(&learned.parameters)
                    .map(|(f, p)| f * p)
                    .sum();
                assert!(form > -1e-12);
            }
        }
    });
}
