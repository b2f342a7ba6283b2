//! Rates among people who stand out, and of the surest links, against plain loops; worst sets against all sets.

use sdcrisk::{
    attack::{
        Direction,
        distance_based::{DistanceBased, Standardize},
        likelihood::Likelihood,
    },
    evaluate::{
        link::{Assign, Claim, Outcome, Study, shared_attributes},
        score::Ties,
        truth::{OriginalRecord, Truth},
        worst,
    },
    mask::{
        Mask,
        rank_swap::{RankSwap, Reach},
    },
    rng::{Purpose, Seed},
    statement::{Partner, Step},
    table::{AttrId, Table},
};

use crate::random_files::{self, Dice};

fn files(seed: u64, records: usize, width: usize, window: usize) -> (Table, Table, Step) {
    let original = random_files::table(&random_files::cells(&mut Dice(seed), records, width, 0));
    let on: Vec<AttrId> = original.ids().collect();
    let method = RankSwap::new(Reach::Window(window), Partner::Unswapped).unwrap();
    let streams = Seed::from_number(seed).streams(Purpose::Mask, 0);
    let masked = method.mask(original.clone(), &on, &streams).unwrap();
    (original, masked.table, masked.step)
}

/// Whether a value is in the top or bottom 1 % of its attribute: as many or more are at most 1 %.
fn is_extreme(values: &[f64], value: f64) -> bool {
    let most = (values.len() / 100).max(1);
    let few =
        |test: &dyn Fn(f64) -> bool| values.iter().filter(|other| test(**other)).count() <= most;
    few(&|other| other >= value) || few(&|other| other <= value)
}

/// What a claim counts, by the links themselves.
fn credit(claim: &Claim, truth: u32) -> f64 {
    if claim.linked.contains(&truth) {
        1.0 / f64::from(claim.tied)
    } else {
        0.0
    }
}

#[test]
fn rates_among_extremes_are_those_of_plain_loops() {
    for seed in 0..3 {
        let (original, masked, statement) = files(seed, 300, 3, 20);
        let truth = Truth::by_order(&original, &masked).unwrap();
        let (shared, _) = shared_attributes(&original, &masked, None);
        let columns: Vec<&[f64]> = original
            .ids()
            .map(|id| original.numbers(id).unwrap().values)
            .collect();
        // Some records only are held: who stands out does so in the whole file.
        let held: Vec<u32> = (0..300).filter(|record| record % 3 > 0).collect();
        for direction in [Direction::OriginalToMasked, Direction::MaskedToOriginal] {
            let held_records = held.iter().copied().map(OriginalRecord).collect();
            let study = Study::new(&original, &masked, &truth, held_records, direction);
            let case = study.case(&shared);
            let am = DistanceBased {
                standardize: Standardize::Own,
            };
            let law = Likelihood::new(statement.clone()).unwrap();
            for with_links in [true, false] {
                let by_distance = case.attack(&am, Assign::Best, with_links).unwrap();
                let by_law = case.attack(&law, Assign::Best, with_links).unwrap();
                if !with_links {
                    // The same figures, worked out in another way.
                    let again = case.attack(&am, Assign::Best, true).unwrap();
                    assert_eq!(by_distance.beyond, again.beyond);
                    continue;
                }
                for outcome in [&by_distance, &by_law] {
                    check(outcome, &columns, &held);
                }
            }
        }
    }
}

fn check(outcome: &Outcome, columns: &[&[f64]], held: &[u32]) {
    let stands_out = |record: u32| {
        columns
            .iter()
            .any(|values| is_extreme(values, values[record as usize]))
    };
    // A claim's record is the original in one direction, the masked one in the other; files stand in one order.
    let of = |test: &dyn Fn(u32) -> bool| -> (u64, f64) {
        let claims = outcome
            .links
            .iter()
            .filter(|claim| held.contains(&claim.record) && test(claim.record));
        claims.fold((0, 0.0), |(count, sum), claim| {
            (count + 1, sum + credit(claim, claim.record))
        })
    };
    let extremes = outcome.beyond.extremes.unwrap();
    let (records, correct) = of(&stands_out);
    assert_eq!(extremes.records, records);
    assert!((extremes.fair - correct).abs() < 1e-9);
    let far = outcome.beyond.far.unwrap();
    assert!((1..=3).contains(&far.records));
    let surest = outcome.beyond.surest.unwrap();
    let linked = outcome.links.iter().filter(|claim| claim.tied > 0).count() as u64;
    assert!(surest.records >= (linked / 100).max(1));
    assert!(surest.correct(Ties::Optimistic) <= surest.records as f64);
}

/// An assignment's links are right or wrong: no tie, and the same parts.
#[test]
fn parts_of_an_assignment_count_its_links() {
    let (original, masked, _) = files(9, 200, 3, 10);
    let truth = Truth::by_order(&original, &masked).unwrap();
    let (shared, _) = shared_attributes(&original, &masked, None);
    let study = Study::new(
        &original,
        &masked,
        &truth,
        (0..200).map(OriginalRecord).collect(),
        Direction::OriginalToMasked,
    );
    let case = study.case(&shared);
    let am = DistanceBased {
        standardize: Standardize::Own,
    };
    let outcome = case.attack(&am, Assign::OneToOne, true).unwrap();
    let columns: Vec<&[f64]> = original
        .ids()
        .map(|id| original.numbers(id).unwrap().values)
        .collect();
    let everybody: Vec<u32> = (0..200).collect();
    let extremes = outcome.beyond.extremes.unwrap();
    assert_eq!(
        (extremes.fair, extremes.strict),
        (extremes.strict as f64, extremes.optimistic)
    );
    check(&outcome, &columns, &everybody);
}

/// All sets of three of six attributes, masked more and more weakly: the sets that the bound names first hold the one that betrays most, or
/// one within three points of it.
#[test]
fn worst_sets_betray_most() {
    let cells = random_files::cells(&mut Dice(3), 400, 6, 0);
    let original = random_files::table(&cells);
    let ids: Vec<AttrId> = original.ids().collect();
    let mut masked = original.clone();
    for (k, &id) in ids.iter().enumerate() {
        let method = RankSwap::new(
            Reach::Window([120, 10, 60, 25, 90, 40][k]),
            Partner::Unswapped,
        )
        .unwrap();
        let streams = Seed::from_number(1).streams(Purpose::Mask, 0);
        masked = method.mask(masked, &[id], &streams).unwrap().table;
    }
    let truth = Truth::by_order(&original, &masked).unwrap();
    let (shared, _) = shared_attributes(&original, &masked, None);
    let study = Study::new(
        &original,
        &masked,
        &truth,
        (0..400).map(OriginalRecord).collect(),
        Direction::OriginalToMasked,
    );
    let rate = |set: &[usize]| {
        let known: Vec<_> = set.iter().map(|&k| shared[k]).collect();
        let am = DistanceBased {
            standardize: Standardize::Own,
        };
        study
            .case(&known)
            .attack(&am, Assign::Best, false)
            .unwrap()
            .score
            .rate(Ties::Fair)
    };
    let mut all = Vec::new();
    for a in 0..6 {
        for b in a + 1..6 {
            for c in b + 1..6 {
                all.push(rate(&[a, b, c]));
            }
        }
    }
    let most = all.iter().copied().fold(0.0, f64::max);
    let named = worst::sets(&original, &masked, &truth, &shared, 3).unwrap();
    assert_eq!(named.len(), worst::ATTACKED);
    let found = named.iter().map(|set| rate(set)).fold(0.0, f64::max);
    let median = {
        all.sort_by(f64::total_cmp);
        all[all.len() / 2]
    };
    assert!(
        found >= most - 0.03 && found > median,
        "{found} of {most}, median {median}"
    );
}
