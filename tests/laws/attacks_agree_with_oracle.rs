//! `am` and `rsld` against the oracle: all tie rules, both directions, ties, duplicates and missing values, any number
//! of threads.

use sdcrisk::{
    attack::{
        Attack, Direction,
        distance_based::{DistanceBased, Standardize},
        intersection::rank_swap::{Bound, RankSwapIntersection},
    },
    evaluate::{
        link::{Assign, Case, Study, shared_attributes},
        score::Score,
        truth::{MaskedRecord, OriginalRecord, Truth},
    },
    mask::{
        Mask,
        rank_swap::{RankSwap, Reach},
    },
    rng::{Purpose, Seed},
    statement::Partner,
    table::Table,
};

use crate::{
    oracle::{self, Counts},
    random_files::{self, Cells, Dice, table},
};

fn rank_swapped(cells: &Cells, window: usize, partner: Partner, seed: u64) -> Cells {
    let original = table(cells);
    let on: Vec<_> = original.ids().collect();
    let method = RankSwap::new(Reach::Window(window), partner).unwrap();
    let masked = method
        .mask(
            original,
            &on,
            &Seed::from_number(seed).streams(Purpose::Mask, 0),
        )
        .unwrap();
    let mut text = Vec::new();
    masked.table.write(&mut text).unwrap();
    random_files::parse(&String::from_utf8(text).unwrap())
}

fn counts(score: &Score) -> Counts {
    Counts {
        fair: score.fair,
        strict: score.strict,
        optimistic: score.optimistic,
        certain: score.certain,
        certain_correct: score.certain_correct,
        empty: score.empty,
        inside: score.contains_true,
        candidates: (score.candidates_mean * score.records as f64).round() as u64,
    }
}

fn judge(case: &Case<'_>, attack: &dyn Attack) -> Counts {
    let quick = case.attack(attack, Assign::Best, false).unwrap().score;
    let slow = case.attack(attack, Assign::Best, true).unwrap().score;
    assert_eq!(quick, slow, "counting and linking must agree");
    counts(&quick)
}

#[track_caller]
fn assert_same(found: Counts, expected: &Counts, what: &str) {
    assert!(
        (found.fair - expected.fair).abs() < 1e-9,
        "{what}: {found:?} {expected:?}"
    );
    let fair = expected.fair;
    assert_eq!(Counts { fair, ..found }, *expected, "{what}");
}

/// What a statement says of a file of which all attributes were swapped with this window.
fn stated(original: &Table, window: usize) -> Bound {
    let names = original.ids().map(|id| original.attribute(id).name.clone());
    Bound::Stated(names.map(|name| (name, vec![window])).collect())
}

fn compare(original: &Cells, masked: &Cells, windows: &[usize]) {
    let (left, right) = (table(original), table(masked));
    let truth = Truth::by_order(&left, &right).unwrap();
    let (known, left_out) = shared_attributes(&left, &right, None);
    assert!(left_out.is_empty(), "{left_out:?}");
    let (x, y) = (oracle::floats(original), oracle::floats(masked));
    let each: Vec<Option<usize>> = (0..original.len()).map(Some).collect();
    let misses =
        |record: &[Option<i64>]| -> Vec<bool> { record.iter().map(Option::is_none).collect() };
    let in_place = original
        .iter()
        .zip(masked)
        .all(|(x, y)| misses(x) == misses(y));
    for direction in [Direction::OriginalToMasked, Direction::MaskedToOriginal] {
        let forward = direction == Direction::OriginalToMasked;
        let (seekers, sought) = if forward { (&x, &y) } else { (&y, &x) };
        let everybody = (0..original.len() as u32).map(OriginalRecord).collect();
        let study = Study::new(&left, &right, &truth, everybody, direction);
        let case = study.case(&known);
        let standardize = Standardize::Own;
        assert_same(
            judge(&case, &DistanceBased { standardize }),
            &oracle::count(seekers, sought, &each, None, forward, false),
            &format!("am, {direction:?}"),
        );
        for &window in windows {
            let bound = Bound::Window(window);
            assert_same(
                judge(&case, &RankSwapIntersection { bound, standardize }),
                &oracle::count(seekers, sought, &each, Some(window), forward, false),
                &format!("rsld, window {window}, {direction:?}"),
            );
            // A statement says that gaps stay in place, and so they do unless the files have nothing to do with each other.
            let bound = stated(&left, window);
            assert_same(
                judge(&case, &RankSwapIntersection { bound, standardize }),
                &oracle::count(seekers, sought, &each, Some(window), forward, in_place),
                &format!("rsld with a statement, window {window}, {direction:?}"),
            );
        }
    }
}

#[test]
fn on_rank_swapped_files_with_ties_duplicates_and_gaps() {
    let mut dice = Dice(11);
    for (records, attributes, gap, window) in [
        (40, 2, 0, 3),
        (60, 4, 0, 5),
        (80, 3, 6, 4),
        (50, 1, 9, 2),
        (120, 5, 4, 20),
        (200, 6, 30, 9),
    ] {
        for partner in [Partner::Unswapped, Partner::Skip] {
            let original = random_files::cells(&mut dice, records, attributes, gap);
            let masked = rank_swapped(&original, window, partner, dice.roll(1000));
            // Too small, right, too large, unbounded.
            compare(&original, &masked, &[1, window, 2 * window, records]);
        }
    }
}

#[test]
fn on_files_that_have_nothing_to_do_with_each_other() {
    let mut dice = Dice(12);
    for gap in [0, 5] {
        let original = random_files::cells(&mut dice, 70, 3, gap);
        let mut other = random_files::cells(&mut dice, 70, 3, gap);
        // Same values, so that ranks are defined, but shuffled by records.
        other.reverse();
        compare(&original, &original.iter().rev().cloned().collect(), &[2]);
        let study = |masked: &Cells| {
            let each: Vec<_> = (0..70).map(Some).collect();
            oracle::count(
                &oracle::floats(&original),
                &oracle::floats(masked),
                &each,
                None,
                true,
                false,
            )
        };
        let (left, right) = (table(&original), table(&other));
        let truth = Truth::by_order(&left, &right).unwrap();
        let (known, _) = shared_attributes(&left, &right, None);
        let held = (0..70).map(OriginalRecord).collect();
        let the_study = Study::new(&left, &right, &truth, held, Direction::OriginalToMasked);
        let standardize = Standardize::Own;
        assert_same(
            judge(&the_study.case(&known), &DistanceBased { standardize }),
            &study(&other),
            "am on unequal marginals",
        );
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let mut dice = Dice(13);
    let original = random_files::cells(&mut dice, 900, 4, 15);
    let masked = rank_swapped(&original, 30, Partner::Unswapped, 5);
    let (left, right) = (table(&original), table(&masked));
    let truth = Truth::by_order(&left, &right).unwrap();
    let (known, _) = shared_attributes(&left, &right, None);
    let run = || {
        let study = Study::new(
            &left,
            &right,
            &truth,
            (0..900).map(OriginalRecord).collect(),
            Direction::OriginalToMasked,
        );
        let case = study.case(&known);
        let standardize = Standardize::Own;
        let bound = Bound::Window(30);
        (
            case.attack(&DistanceBased { standardize }, Assign::Best, true)
                .unwrap(),
            case.attack(
                &RankSwapIntersection { bound, standardize },
                Assign::Best,
                true,
            )
            .unwrap(),
        )
    };
    let outcomes: Vec<_> = [1, 2, 4]
        .map(|threads| {
            rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap()
                .install(run)
        })
        .into_iter()
        .collect();
    assert_eq!(outcomes[0], outcomes[1]);
    assert_eq!(outcomes[0], outcomes[2]);
    assert!(outcomes[0].0.score.fair > 0.0);
}

/// The intruder holds some of the people; some of the release was withheld, so that values of theirs do not occur in it, and
/// some released records are nobody's.
#[test]
fn on_parts_of_files() {
    let mut dice = Dice(14);
    for (records, attributes, gap, window) in [(60, 2, 0, 4), (90, 3, 7, 6), (40, 1, 0, 3)] {
        let original = random_files::cells(&mut dice, records, attributes, gap);
        let masked = rank_swapped(&original, window, Partner::Unswapped, 3);
        let held: Vec<u32> = (0..records as u32).filter(|_| dice.roll(3) > 0).collect();
        let kept: Vec<usize> = (0..records).filter(|_| dice.roll(4) > 0).collect();
        let released: Cells = kept.iter().map(|&record| masked[record].clone()).collect();
        let (left, right) = (table(&original), table(&released));
        let pairs: Vec<_> = (0..)
            .zip(&kept)
            .map(|(masked, &original)| (MaskedRecord(masked), OriginalRecord(original as u32)))
            .collect();
        let truth = Truth::by_key(records, released.len(), &pairs).unwrap();
        let (known, _) = shared_attributes(&left, &right, None);
        let x: oracle::Values = held
            .iter()
            .map(|&r| oracle::floats(&original)[r as usize].clone())
            .collect();
        let y = oracle::floats(&released);
        for direction in [Direction::OriginalToMasked, Direction::MaskedToOriginal] {
            let forward = direction == Direction::OriginalToMasked;
            let (seekers, sought) = if forward { (&x, &y) } else { (&y, &x) };
            let partner: Vec<Option<usize>> = if forward {
                held.iter()
                    .map(|&r| kept.iter().position(|&k| k == r as usize))
                    .collect()
            } else {
                kept.iter()
                    .map(|&k| held.iter().position(|&r| r as usize == k))
                    .collect()
            };
            let held_records = held.iter().copied().map(OriginalRecord).collect();
            let study = Study::new(&left, &right, &truth, held_records, direction);
            let case = study.case(&known);
            let standardize = Standardize::Own;
            assert_same(
                judge(&case, &DistanceBased { standardize }),
                &oracle::count(seekers, sought, &partner, None, forward, false),
                &format!("am on parts, {direction:?}"),
            );
            for assumed in [1, window, 3 * window] {
                let bound = Bound::Window(assumed);
                assert_same(
                    judge(&case, &RankSwapIntersection { bound, standardize }),
                    &oracle::count(seekers, sought, &partner, Some(assumed), forward, false),
                    &format!("rsld on parts, window {assumed}, {direction:?}"),
                );
                // A statement says that gaps stay in place, and of whoever is in both files they did.
                let bound = stated(&left, assumed);
                assert_same(
                    judge(&case, &RankSwapIntersection { bound, standardize }),
                    &oracle::count(seekers, sought, &partner, Some(assumed), forward, true),
                    &format!("rsld on parts with a statement, window {assumed}, {direction:?}"),
                );
            }
        }
    }
}

/// One value of each attribute was suppressed after masking, of somebody whom the intruder holds: who shows a value is still nobody's who
/// misses it, but a gap may be anybody's. The right record is possible for all.
#[test]
fn on_parts_of_files_with_cells_suppressed_afterwards() {
    let mut dice = Dice(16);
    let original = random_files::cells(&mut dice, 80, 3, 8);
    let mut released = rank_swapped(&original, 5, Partner::Unswapped, 4);
    let held: Vec<usize> = (0..80).filter(|record| record % 3 != 0).collect();
    for k in [0, 1, 2] {
        let shown = held.iter().find(|&&record| released[record][k].is_some());
        released[*shown.unwrap()][k] = None;
    }
    let (left, right) = (table(&original), table(&released));
    let truth = Truth::by_order(&left, &right).unwrap();
    let (known, _) = shared_attributes(&left, &right, None);
    let floats = oracle::floats(&original);
    let x: oracle::Values = held.iter().map(|&record| floats[record].clone()).collect();
    let y = oracle::floats(&released);
    let attack = RankSwapIntersection {
        bound: stated(&left, 5),
        standardize: Standardize::Own,
    };
    for direction in [Direction::OriginalToMasked, Direction::MaskedToOriginal] {
        let forward = direction == Direction::OriginalToMasked;
        let people = held.iter().map(|&record| OriginalRecord(record as u32));
        let study = Study::new(&left, &right, &truth, people.collect(), direction);
        let (seekers, sought) = if forward { (&x, &y) } else { (&y, &x) };
        let partner: Vec<Option<usize>> = if forward {
            held.iter().map(|&record| Some(record)).collect()
        } else {
            let place = |record: usize| held.iter().position(|&other| other == record);
            (0..80).map(place).collect()
        };
        // Of [gaps to gaps, values to values].
        let known_of_gaps = [forward, !forward];
        let found = judge(&study.case(&known), &attack);
        let expected =
            oracle::count_by_gaps(seekers, sought, &partner, Some(5), forward, known_of_gaps);
        assert_same(
            found.clone(),
            &expected,
            &format!("after suppression, {direction:?}"),
        );
        let open = oracle::count_by_gaps(seekers, sought, &partner, Some(5), forward, [false; 2]);
        assert!(found.candidates < open.candidates && found.inside == held.len() as u64);
    }
}

/// Somebody who is after one person has no spread of their own, and takes the release's.
#[test]
fn an_intruder_after_one_person() {
    let mut dice = Dice(15);
    let original = random_files::cells(&mut dice, 50, 3, 0);
    let masked = rank_swapped(&original, 1, Partner::Unswapped, 3);
    let (left, right) = (table(&original), table(&masked));
    let truth = Truth::by_order(&left, &right).unwrap();
    let (known, _) = shared_attributes(&left, &right, None);
    let standardize = Standardize::Own;
    // By the release both files have the same mean and sd, as when the intruder holds everybody.
    let whole = Study::new(
        &left,
        &right,
        &truth,
        (0..50).map(OriginalRecord).collect(),
        Direction::OriginalToMasked,
    );
    let everybody = whole
        .case(&known)
        .attack(&DistanceBased { standardize }, Assign::Best, true)
        .unwrap();
    for person in 0..50 {
        let study = Study::new(
            &left,
            &right,
            &truth,
            vec![OriginalRecord(person)],
            Direction::OriginalToMasked,
        );
        let outcome = study
            .case(&known)
            .attack(&DistanceBased { standardize }, Assign::Best, true)
            .unwrap();
        assert_eq!(outcome.links[0], everybody.links[person as usize]);
    }
}
