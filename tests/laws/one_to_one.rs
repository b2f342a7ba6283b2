//! One-to-one assignments: the cheapest by a dense solver, whatever threads and orders, and no favour to the truth.

use std::{borrow::Cow, collections::BTreeMap};

use sdcrisk::{
    agreement::Comparator,
    attack::{
        Attack, Direction, Lists, Nearest, Preference, Scenario,
        distance_based::{DistanceBased, Standardize},
        intersection::rank_swap::{Bound, RankSwapIntersection},
        one_to_one::{Assignment, assign},
        probabilistic::{Agree, Fit, Probabilistic},
    },
    distance::{Metric, nearest::Boxes},
    evaluate::{
        link::{Assign, Outcome, Study, shared_attributes},
        truth::{MaskedRecord, OriginalRecord, Truth},
    },
    table::{Scale, matrix::Matrix},
};

use crate::random_files::{self, Cells, Dice, table};

/// A matrix of small whole numbers: duplicates and ties, and gaps if asked for. Sums of costs are exact.
fn matrix(dice: &mut Dice, n: usize, width: usize, gaps: bool) -> Matrix {
    let values = (0..n * width).map(|_| dice.roll(7) as f64).collect();
    let mut matrix = Matrix::complete(n, width, values);
    for cell in (0..n * width).filter(|_| gaps) {
        if dice.roll(6) == 0 {
            matrix.set_missing(cell / width, cell % width);
        }
    }
    matrix
}

fn nearest(seekers: Matrix, sought: Matrix, candidates: Option<Boxes>) -> Preference<'static> {
    let width = sought.n_attributes();
    Preference::Nearest(Box::new(Nearest {
        seekers: Cow::Owned(seekers),
        sought: Cow::Owned(sought),
        metric: Metric::new(vec![0.5; width], vec![2.0; width]),
        candidates,
        decides: None,
    }))
}

/// What a pair costs, `None` if it is impossible.
fn cost(preference: &Preference<'_>, seeker: usize, sought: usize) -> Option<f64> {
    match preference {
        Preference::Nearest(nearest) => nearest.cost(seeker, sought),
        Preference::Agreed(agreed) => Some(-agreed.weighted.of_pair(seeker, sought)),
        Preference::Lists(lists) => {
            let mut list = Vec::new();
            lists.list(seeker, &mut list);
            let found = list.iter().find(|(record, _)| *record as usize == sought);
            found.map(|&(_, cost)| cost)
        }
        Preference::Strata(_) => panic!("no law within strata"),
    }
}

/// (pairs, cost) by a dense solver, where an impossible pair costs more than all others.
fn dense(preference: &Preference<'_>) -> (u64, f64) {
    const IMPOSSIBLE: f64 = 1e6;
    let (n, m) = (preference.n_seekers(), preference.n_sought());
    let pair = |a: usize, b: usize| {
        let (seeker, sought) = if n > m { (b, a) } else { (a, b) };
        cost(preference, seeker, sought)
    };
    let mut costs = Vec::new();
    for a in 0..n.min(m) {
        costs.extend((0..n.max(m)).map(|b| pair(a, b).unwrap_or(IMPOSSIBLE)));
    }
    let (rows, columns) = lsap::solve(n.min(m), n.max(m), &costs, false).unwrap();
    let found = rows
        .into_iter()
        .zip(columns)
        .filter_map(|(a, b)| pair(a, b));
    found.fold((0, 0.0), |(pairs, total), cost| (pairs + 1, total + cost))
}

/// Checks an assignment by itself, and its cost against the dense solver's: equal, since costs are whole numbers or halves.
fn check(preference: &Preference<'_>) -> Assignment {
    check_within(preference, 0.0)
}

/// The same of costs that are not exact: to a share of the cost.
fn check_within(preference: &Preference<'_>, share: f64) -> Assignment {
    let found = assign(preference).unwrap();
    assert_eq!(found.partners.len(), preference.n_seekers());
    let mut taken = vec![false; preference.n_sought()];
    for (seeker, partner) in found.partners.iter().enumerate() {
        let sought = partner.map(|sought| sought as usize);
        if let Some(sought) = sought {
            assert!(!taken[sought], "{sought} is taken twice");
            taken[sought] = true;
        }
        let price = sought.and_then(|sought| cost(preference, seeker, sought));
        assert_eq!(found.costs[seeker], price);
        assert_eq!(price.is_some(), sought.is_some(), "a possible pair");
    }
    let total = found.total;
    let (pairs, least) = dense(preference);
    let off = share * least.abs().max(1.0);
    assert_eq!(total.pairs, pairs);
    assert!(
        (total.cost - least).abs() <= off,
        "{total:?}, dense {least}"
    );
    assert!(total.is_proven, "{total:?}");
    assert!(
        (total.bound - total.cost).abs() < off.max(1e-9),
        "{total:?}"
    );
    found
}

#[test]
fn nearest_points_of_all_sizes_cost_what_a_dense_solver_finds() {
    let mut dice = Dice(51);
    let sizes = [
        (0, 0),
        (0, 3),
        (3, 0),
        (1, 1),
        (1, 5),
        (5, 1),
        (40, 40),
        (60, 150),
        (150, 60),
        (200, 199),
    ];
    for (n, m) in sizes {
        for width in [1, 2, 5] {
            for gaps in [false, true] {
                let seekers = matrix(&mut dice, n, width, gaps);
                let sought = matrix(&mut dice, m, width, gaps);
                let found = check(&nearest(seekers, sought, None));
                assert_eq!(found.total.pairs, n.min(m) as u64);
            }
        }
    }
}

#[test]
fn points_in_boxes_cost_what_a_dense_solver_finds() {
    let mut dice = Dice(52);
    for (n, m) in [(1, 1), (30, 30), (40, 90), (90, 40), (120, 120)] {
        for reach in [0.0, 1.0, 3.0] {
            let seekers = matrix(&mut dice, n, 3, true);
            let sought = matrix(&mut dice, m, 3, true);
            let bounds = |shift: f64| -> Vec<f64> {
                let around = |cell: usize| {
                    if seekers.is_missing(cell / 3, cell % 3) {
                        shift * f64::INFINITY
                    } else {
                        seekers.values()[cell] + shift * reach
                    }
                };
                (0..n * 3).map(around).collect()
            };
            let boxes = Boxes::new(n, 3, bounds(-1.0), bounds(1.0));
            check(&nearest(seekers, sought, Some(boxes)));
        }
    }
}

/// Lists made from a formula.
#[derive(Debug)]
struct Formula {
    n: usize,
    m: usize,
    /// Possible pairs in a hundred.
    possible: u64,
}

impl Lists for Formula {
    fn n_seekers(&self) -> usize {
        self.n
    }

    fn n_sought(&self) -> usize {
        self.m
    }

    fn list(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        list.clear();
        let mut dice = Dice(seeker as u64 * 7919 + 1);
        for sought in 0..self.m as u32 {
            let (is_possible, cost) = (dice.roll(100) < self.possible, dice.roll(30) as f64 - 9.0);
            if is_possible {
                list.push((sought, cost));
            }
        }
    }

    fn is_likelihood(&self) -> bool {
        false
    }
}

#[test]
fn lists_cost_what_a_dense_solver_finds() {
    for (n, m) in [
        (0, 0),
        (0, 4),
        (4, 0),
        (1, 1),
        (60, 60),
        (40, 100),
        (100, 40),
    ] {
        for possible in [0, 1, 4, 40, 100] {
            check(&Preference::Lists(Box::new(Formula { n, m, possible })));
        }
    }
}

/// Weights of agreement patterns, m and u of the true pairs where these are known, else fitted.
fn agreed(seekers: &Matrix, sought: &Matrix, numbers: Comparator, fit: Fit) -> Preference<'static> {
    let width = seekers.n_attributes();
    let names: Vec<String> = (0..width).map(|k| format!("a{k}")).collect();
    let n = u32::try_from(sought.n_records()).unwrap();
    let aligned: Vec<Option<u32>> = (0..)
        .take(seekers.n_records())
        .map(|i| (i < n).then_some(i))
        .collect();
    let attack = Probabilistic {
        agree: Agree {
            numbers,
            named: BTreeMap::new(),
        },
        fit,
        ..Probabilistic::default()
    };
    let scenario = Scenario {
        known: &names,
        scales: &vec![Scale::Continuous; width],
        categories: &[],
        intruder: seekers,
        released: sought,
        direction: Direction::OriginalToMasked,
        aligned: attack.needs_alignment().then_some(aligned.as_slice()),
        beside: None,
        unrecoded: None,
    };
    match attack.prepare(&scenario).unwrap() {
        Preference::Agreed(agreed) => Preference::Agreed(agreed),
        other => panic!("{other:?}"),
    }
}

/// A file and what noise makes of it: records agree with their own more often than with others.
fn noisy(dice: &mut Dice, sizes: [usize; 2], width: usize, gaps: bool) -> [Matrix; 2] {
    let most = sizes[0].max(sizes[1]);
    let values: Vec<f64> = (0..most * width).map(|_| dice.roll(40) as f64).collect();
    sizes.map(|n| {
        let noise = values[..n * width]
            .iter()
            .map(|value| value + dice.roll(5) as f64);
        let mut matrix = Matrix::complete(n, width, noise.collect());
        for cell in (0..n * width).filter(|_| gaps) {
            if dice.roll(6) == 0 {
                matrix.set_missing(cell / width, cell % width);
            }
        }
        matrix
    })
}

/// Square and rectangular files, gaps, windows and equality; more attributes than samples tell patterns apart by.
#[test]
fn patterns_cost_what_a_dense_solver_finds() {
    let mut dice = Dice(56);
    let comparators = [
        Comparator::Exact,
        Comparator::Sd(0.3),
        Comparator::Absolute(2.0),
        Comparator::Bins(4),
    ];
    for sizes in [
        [1, 1],
        [1, 5],
        [5, 1],
        [63, 64],
        [80, 80],
        [50, 120],
        [120, 50],
    ] {
        for width in [1, 2, 4, 8] {
            for (case, numbers) in comparators.into_iter().enumerate() {
                let [seekers, sought] = noisy(&mut dice, sizes, width, case % 2 == 1);
                let fit = [Fit::Known, Fit::EmFixedU][case / 2];
                let found = check_within(&agreed(&seekers, &sought, numbers, fit), 1e-11);
                assert_eq!(found.total.pairs, sizes[0].min(sizes[1]) as u64);
            }
        }
    }
}

/// Attributes that say nothing, or the same of everybody: every assignment costs the same.
#[test]
fn patterns_that_tell_nobody_apart_are_assigned_too() {
    let same = |n: usize| Matrix::complete(n, 2, vec![7.0; 2 * n]);
    let mut missing = same(70);
    for cell in 0..140 {
        missing.set_missing(cell / 2, cell % 2);
    }
    for [seekers, sought] in [
        [same(70), same(90)],
        [same(90), same(70)],
        [missing, same(70)],
    ] {
        let found = check_within(
            &agreed(&seekers, &sought, Comparator::Exact, Fit::Known),
            1e-11,
        );
        assert_eq!(found.total.pairs, 70);
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let mut dice = Dice(53);
    let (seekers, sought) = (
        matrix(&mut dice, 700, 3, true),
        matrix(&mut dice, 800, 3, true),
    );
    let points = nearest(seekers, sought, None);
    let lists = Preference::Lists(Box::new(Formula {
        n: 300,
        m: 300,
        possible: 5,
    }));
    let all = Preference::Lists(Box::new(Formula {
        n: 300,
        m: 300,
        possible: 100,
    }));
    let [seekers, sought] = noisy(&mut dice, [500, 500], 3, true);
    let patterns = agreed(&seekers, &sought, Comparator::Absolute(2.0), Fit::Known);
    for preference in [points, lists, all, patterns] {
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            pool.build()
                .unwrap()
                .install(|| assign(&preference).unwrap())
        };
        let one = run(1);
        assert_eq!(one, run(2));
        assert_eq!(one, run(4));
    }
}

/// One-to-one outcomes of `am`, `rsld` and `prl`; `released_of` says which released record each original one is.
fn outcomes(
    original: &Cells,
    released: &Cells,
    released_of: &[usize],
    direction: Direction,
) -> Vec<Outcome> {
    let (left, right) = (table(original), table(released));
    let pairs: Vec<_> = (0..)
        .zip(released_of)
        .map(|(x, &y)| (MaskedRecord(y as u32), OriginalRecord(x)))
        .collect();
    let truth = Truth::by_key(original.len(), released.len(), &pairs).unwrap();
    let (known, _) = shared_attributes(&left, &right, None);
    let held = (0..original.len() as u32).map(OriginalRecord).collect();
    let study = Study::new(&left, &right, &truth, held, direction);
    let case = study.case(&known);
    let standardize = Standardize::Own;
    let attacks: [Box<dyn Attack>; 3] = [
        Box::new(DistanceBased { standardize }),
        Box::new(RankSwapIntersection {
            bound: Bound::Window(20),
            standardize,
        }),
        // The worst case: even who was given the true matches may not use it to settle ties.
        Box::new(Probabilistic {
            fit: Fit::Known,
            ..Probabilistic::default()
        }),
    ];
    attacks
        .iter()
        .map(|attack| {
            case.attack(attack.as_ref(), Assign::OneToOne, false)
                .unwrap()
        })
        .collect()
}

/// Microaggregated by place: groups of ten records with the same values. A record's partner cannot be told from nine others,
/// so one in ten of those who get into their group is right, whether the files are aligned or shuffled. Whoever falls back on the
/// diagonal has all of them.
#[test]
fn aligned_files_give_the_truth_no_advantage() {
    let n = 600;
    let mut dice = Dice(54);
    let original: Cells = (0..n as i64)
        .map(|i| vec![Some(i * 10), Some(dice.roll(1000) as i64)])
        .collect();
    let released: Cells = (0..n as i64)
        .map(|i| vec![Some(i / 10 * 100 + 45), Some(i / 10 * 7 % 13)])
        .collect();
    let mut order: Vec<usize> = (0..n).collect();
    for i in (1..n).rev() {
        order.swap(i, dice.roll(i as u64 + 1) as usize);
    }
    let mut shuffled = released.clone();
    for (x, &y) in order.iter().enumerate() {
        shuffled[y] = released[x].clone();
    }
    let in_order: Vec<usize> = (0..n).collect();
    for direction in [Direction::OriginalToMasked, Direction::MaskedToOriginal] {
        let aligned = outcomes(&original, &released, &in_order, direction);
        let mixed = outcomes(&original, &shuffled, &order, direction);
        for attack in [0, 2] {
            let (aligned, mixed) = (&aligned[attack], &mixed[attack]);
            // At most 600 times one tenth, with a standard deviation of at most √(600 · 0.09) = 7.3.
            for outcome in [aligned, mixed] {
                let fair = outcome.score.fair;
                assert!(fair < 60.0 + 5.0 * 7.3, "attack {attack}: {fair}");
            }
            let (a, b) = (aligned.assignment.unwrap(), mixed.assignment.unwrap());
            assert!((a.cost - b.cost).abs() < 1e-9 * a.cost.abs(), "{a:?} {b:?}");
        }
    }
}

#[test]
fn both_directions_cost_the_same() {
    let mut dice = Dice(55);
    let original = random_files::cells(&mut dice, 150, 3, 9);
    let released = random_files::cells(&mut dice, 150, 3, 9);
    let order: Vec<usize> = (0..150).collect();
    let run = |direction| outcomes(&original, &released, &order, direction);
    let (there, back) = (
        run(Direction::OriginalToMasked),
        run(Direction::MaskedToOriginal),
    );
    let (there, back) = (there[0].assignment.unwrap(), back[0].assignment.unwrap());
    assert_eq!((there.pairs, back.pairs), (150, 150));
    // Seekers are carried into the other file's units first: equal up to rounding only.
    assert!((there.cost - back.cost).abs() < 1e-9 * there.cost);
}
