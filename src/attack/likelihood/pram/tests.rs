//! Oracles of the law of post-randomisation.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{super::pairs::Pairs, *};
use crate::{
    attack::{Summary, Summed, of_sample::OfSample},
    distance::nearest::Link,
    statement::Method,
    table::Scale,
};

/// Files of attributes of categories, at most eight.
fn of_categories<'a>(
    (known, categories): (&'a [String], &'a [Option<Vec<String>>]),
    [intruder, released]: [&'a Matrix; 2],
    direction: Direction,
) -> Scenario<'a> {
    Scenario {
        known,
        scales: &[Scale::Nominal; 8][..known.len()],
        categories,
        intruder,
        released,
        direction,
        aligned: None,
        beside: None,
        unrecoded: None,
    }
}

/// Three attributes of so many categories, each of which stays with so many hundredths, and becomes each other one with the same part of
/// the rest.
fn of_hundredths(n_categories: u64, keep: u64) -> PramParameters {
    let other = (100 - keep) / (n_categories - 1);
    let hundredths = |from, to| if from == to { keep } else { other };
    let row = |from: u64| -> Vec<f64> {
        let of = |to: u64| hundredths(from, to) as f64 / 100.0;
        (0..n_categories).map(of).collect()
    };
    let matrix = |name: &str| TransitionMatrix {
        attribute: name.into(),
        stratum: Vec::new(),
        categories: (0..n_categories).map(|k| format!("x{k}")).collect(),
        probabilities: (0..n_categories).map(row).collect(),
    };
    PramParameters {
        invariant: false,
        strata: Vec::new(),
        matrices: ["a", "b", "c"].map(matrix).into(),
    }
}

/// The formula in whole numbers: probabilities are hundredths, so products and their sums are exact, and who is equally likely ties.
#[test]
fn the_likeliest_are_those_of_exact_arithmetic() {
    let known = ["a", "b", "c"].map(String::from);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut n_shared = 0;
    for turn in 0..36 {
        let (n_categories, keep) = (2 + turn % 3, [40, 70, 88][turn as usize / 3 % 3]);
        let stated = of_hundredths(n_categories, keep);
        let n = rng.random_range(5..40);
        let mut file = || {
            let values = (0..3 * n).map(|_| rng.random_range(0..n_categories) as f64);
            Matrix::complete(n, 3, values.collect())
        };
        let (intruder, released) = (file(), file());
        let names: Vec<String> = stated.matrices[0].categories.clone();
        let categories = [names.clone(), names.clone(), names].map(Some);
        let step = Step::new(Method::Pram(stated.clone()), n, known.to_vec());
        let other = (100 - keep) / (n_categories - 1);
        let product = |i: usize, j: usize| -> u64 {
            let cells = intruder.row(i).iter().zip(released.row(j));
            let factors = cells.map(|(x, y)| if x == y { keep } else { other });
            factors.product()
        };
        let sums: Vec<u64> = (0..n)
            .map(|j| (0..n).map(|i| product(i, j)).sum())
            .collect();
        for direction in [Direction::OriginalToMasked, Direction::MaskedToOriginal] {
            let scenario = of_categories((&known, &categories), [&intruder, &released], direction);
            let lists = lists(&scenario, &step, &stated);
            let (_, summed) = lists.summed().unwrap();
            let mut list = Vec::new();
            for seeker in 0..n {
                // P(y | x) / f(y), or P(y | x), as a fraction.
                let fraction = |sought: usize| match direction {
                    Direction::OriginalToMasked => (product(seeker, sought), sums[sought]),
                    Direction::MaskedToOriginal => (product(sought, seeker), 1),
                };
                let order = |&a: &usize, &b: &usize| {
                    let (a, b) = (fraction(a), fraction(b));
                    (a.0 * b.1).cmp(&(b.0 * a.1))
                };
                let best = (0..n).max_by(order).unwrap();
                let expected: Vec<usize> = (0..n).filter(|of| order(of, &best).is_eq()).collect();
                lists.list(seeker, &mut list);
                let least = list.iter().fold(f64::INFINITY, |least, of| least.min(of.1));
                let cheapest = list.iter().filter(|of| of.1 == least);
                let found: Vec<usize> = cheapest.map(|of| of.0 as usize).collect();
                assert_eq!(found, expected, "{turn} {direction:?} {seeker}");
                let [summary] = summed.summaries(&[seeker])[..] else {
                    panic!("one each")
                };
                assert_eq!((summary.least, summary.tied as usize), (least, found.len()));
                n_shared += usize::from(found.len() > 1);
            }
        }
    }
    assert!(n_shared > 500, "{n_shared}");
}

/// Checks what the list of a seeker comes to against the list.
fn is_summary_of(lists: &PairsOfKinds<PramLaw<'_>>, seeker: usize, summary: Summary) {
    let mut list = Vec::new();
    Lists::list(lists, seeker, &mut list);
    let least = list.iter().fold(f64::INFINITY, |least, of| least.min(of.1));
    let tied = list.iter().filter(|of| of.1 == least).count();
    let found = [summary.candidates as usize, summary.tied as usize];
    assert_eq!((summary.least, found), (least, [list.len(), tied]));
    let stated = Lists::stated(lists, seeker, &list);
    let off = (summary.stated - stated).abs();
    assert!(off <= 2e-9 * stated, "{seeker}: {stated} {off}");
    // Somebody as the partner: who is cheaper, who is as near, and who ties with the cheapest.
    if let Some(&(_, own)) = list.get(seeker % list.len().max(1)) {
        let links = lists.links(&[seeker], &[own], &|_, kinds| {
            let size = |of: &&(u32, f64)| lists.kinds.sizes[of.0 as usize];
            let sum = |is_meant: &dyn Fn(f64) -> bool| -> u32 {
                let meant = kinds.iter().filter(|of| is_meant(of.1));
                meant.map(|of| size(&of)).sum()
            };
            Link {
                nearest: Vec::new(),
                tied: sum(&|cost| cost == least),
                key: least,
                candidates: sum(&|cost| cost == own),
                place: Some(sum(&|cost| cost < own)),
            }
        });
        let counted = [links[0].tied, links[0].candidates, links[0].place.unwrap()];
        let as_near = list.iter().filter(|of| of.1 == own).count();
        let cheaper = list.iter().filter(|of| of.1 < own).count();
        assert_eq!(counted.map(|of| of as usize), [tied, as_near, cheaper]);
    }
    let mut rest = list.iter().peekable();
    for record in 0..u32::try_from(lists.n_sought()).unwrap() {
        let cost = rest
            .next_if(|of| of.0 == record)
            .map_or(f64::INFINITY, |of| of.1);
        assert_eq!(lists.cost(seeker, record), cost);
    }
}

/// Of hundreds of different records, of which each can have become most others: what a list comes to is what is found without it, who looks for
/// whom, with gaps, zeros in matrices, attributes that were not masked, and people who are not known.
#[test]
fn what_lists_come_to_is_found_without_them() {
    let mut ways = [0; 2];
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    for (turn, [n_intruder, n_released]) in [
        [400, 400],
        [300, 500],
        [350, 350],
        [1, 40],
        [30, 30],
        [25, 40],
    ]
    .into_iter()
    .enumerate()
    {
        let sizes = [6, 3, 9, 2, 7];
        let known = ["a", "b", "c", "d", "e"].map(String::from);
        let names = |k: usize| -> Vec<String> { (0..sizes[k]).map(|of| format!("{of}")).collect() };
        let categories: Vec<_> = (0..5).map(|k| Some(names(k))).collect();
        let mut row = |n: usize| -> Vec<f64> {
            let mut weight =
                || f64::from(rng.random_range(0..5_u32)) * f64::from(u8::from(turn != 1)) + 1.0;
            let mut weights: Vec<f64> = (0..n).map(|_| weight()).collect();
            if turn == 2 {
                weights[0] = 0.0;
            }
            let sum: f64 = weights.iter().sum();
            weights.iter().map(|weight| weight / sum).collect()
        };
        let n_masked = if turn == 3 { 5 } else { 4 };
        let matrices = (0..n_masked).map(|k| TransitionMatrix {
            attribute: known[k].clone(),
            stratum: Vec::new(),
            categories: names(k),
            probabilities: (0..sizes[k]).map(|_| row(sizes[k])).collect(),
        });
        let stated = PramParameters {
            invariant: false,
            strata: Vec::new(),
            matrices: matrices.collect(),
        };
        let step = Step::new(
            Method::Pram(stated.clone()),
            n_released,
            known[..n_masked].to_vec(),
        );
        let mut file = |n: usize| {
            let value = |cell: usize| rng.random_range(0..sizes[cell % 5]) as f64;
            let mut matrix = Matrix::complete(n, 5, (0..5 * n).map(value).collect());
            for record in (0..n).filter(|of| turn == 2 && of % 11 == 0) {
                matrix.set_missing(record, record % 5);
            }
            matrix
        };
        let (intruder, released) = (file(n_intruder), file(n_released));
        for direction in [Direction::OriginalToMasked, Direction::MaskedToOriginal] {
            let scenario = of_categories((&known, &categories), [&intruder, &released], direction);
            let law = |records: [&[u32]; 2]| super::law(&scenario, &step, &stated).only(records);
            let files = [&intruder, &released].map(Seen::new);
            let lists = PairsOfKinds::new(&scenario, &files, law);
            ways[usize::from(lists.plan.one_by_one)] += 1;
            let seekers: Vec<usize> = (0..lists.n_seekers()).collect();
            for (seeker, summary) in lists.summaries(&seekers).into_iter().enumerate() {
                is_summary_of(&lists, seeker, summary);
            }
        }
    }
    // Beginnings and ends, and pairs one by one.
    assert!(ways.iter().all(|&n| n > 1), "{ways:?}");
}

/// Of matrices by strata that the release shows, and of values that were recoded after they were drawn, lists of kinds are those of all pairs, and what
/// they come to is found without them.
#[test]
fn strata_and_what_was_recoded_make_kinds() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let known = ["a", "b", "c"].map(String::from);
    let names = |n: usize| Some((0..n).map(|k| format!("{k}")).collect::<Vec<String>>());
    let categories = [names(4), names(3), names(4)];
    let n = 150;
    let mut file = |sizes: &[u32]| {
        let value = |cell: usize| f64::from(rng.random_range(0..sizes[cell % sizes.len()]));
        let values = (0..n * sizes.len()).map(value).collect();
        Matrix::complete(n, sizes.len(), values)
    };
    let (intruder, released) = (file(&[4, 3, 2]), file(&[4, 3, 2]));
    let (before, mut strata) = (file(&[4]), file(&[3]));
    strata.set_missing(3, 0);
    let release = |name: &str, values: Matrix| Release {
        names: vec![name.into()],
        categories: vec![names(4)],
        values,
    };
    let (before, strata) = (release("c", before), release("s", strata));
    let matrix = |attribute: &str, stratum: &str, rows: Vec<Vec<f64>>| TransitionMatrix {
        attribute: attribute.into(),
        stratum: vec![Some(stratum.into())],
        categories: (0..rows.len()).map(|k| format!("{k}")).collect(),
        probabilities: rows,
    };
    let stays = |n: usize, p: f64| -> Vec<Vec<f64>> {
        let other = (1.0 - p) / (n - 1) as f64;
        let row = |k: usize| (0..n).map(|to| if to == k { p } else { other }).collect();
        (0..n).map(row).collect()
    };
    let stated = PramParameters {
        invariant: false,
        strata: vec!["s".into()],
        // Nothing of what "b" is in stratum 2.
        matrices: vec![
            matrix("a", "0", stays(4, 0.9)),
            matrix("a", "1", stays(4, 0.4)),
            matrix("a", "2", stays(4, 0.7)),
            matrix("b", "0", stays(3, 0.5)),
            matrix("b", "1", stays(3, 1.0)),
            matrix("c", "0", stays(4, 0.6)),
            matrix("c", "1", stays(4, 0.3)),
        ],
    };
    let step = Step::new(Method::Pram(stated.clone()), n, known.to_vec());
    for (direction, recoded) in [
        (Direction::OriginalToMasked, false),
        (Direction::OriginalToMasked, true),
        (Direction::MaskedToOriginal, true),
    ] {
        let scenario = Scenario {
            beside: Some(&strata),
            unrecoded: recoded.then_some(&before),
            ..of_categories((&known, &categories), [&intruder, &released], direction)
        };
        let law = || super::law(&scenario, &step, &stated);
        let pairs = Pairs::new(&scenario, law()).with_all();
        let files = seen(&scenario, &law());
        let of_kinds = PairsOfKinds::new(&scenario, &files, |records| law().only(records));
        let seekers: Vec<usize> = (0..n).collect();
        let summaries = of_kinds.summaries(&seekers);
        let (mut all, mut found, mut n_listed) = (Vec::new(), Vec::new(), 0);
        for (seeker, summary) in summaries.into_iter().enumerate() {
            pairs.list(seeker, &mut all);
            Lists::list(&of_kinds, seeker, &mut found);
            let off = |(a, b): (&(u32, f64), &(u32, f64))| {
                assert_eq!(a.0, b.0);
                (a.1 - b.1).abs()
            };
            assert_eq!(all.len(), found.len());
            assert!(all.iter().zip(&found).map(off).fold(0.0, f64::max) < 1e-10);
            is_summary_of(&of_kinds, seeker, summary);
            n_listed += all.len();
        }
        // Not everybody is possible, nor nobody.
        assert!((n * n / 10..n * n).contains(&n_listed), "{n_listed}");
    }
}

/// Of probabilities whose products are no numbers any more: sums of them over- and underflow, and lists take their place.
#[test]
fn what_no_number_holds_is_listed() {
    let known = ["a", "b", "c"].map(String::from);
    let categories = [(); 3].map(|()| Some(vec!["0".to_owned(), "1".into()]));
    let rare = 1e-120;
    let matrix = |name: &String| TransitionMatrix {
        attribute: name.clone(),
        stratum: Vec::new(),
        categories: vec!["0".into(), "1".into()],
        probabilities: vec![vec![1.0 - rare, rare], vec![2.0 * rare, 1.0 - 2.0 * rare]],
    };
    let stated = PramParameters {
        invariant: false,
        strata: Vec::new(),
        matrices: known.iter().map(matrix).collect(),
    };
    let step = Step::new(Method::Pram(stated.clone()), 3, known.to_vec());
    let file = |codes: [u8; 9]| Matrix::complete(3, 3, codes.map(f64::from).to_vec());
    let intruder = file([0, 0, 0, 0, 0, 1, 1, 0, 0]);
    let released = file([1, 1, 1, 1, 1, 0, 0, 1, 1]);
    for direction in [Direction::OriginalToMasked, Direction::MaskedToOriginal] {
        let scenario = of_categories((&known, &categories), [&intruder, &released], direction);
        let law = || super::law(&scenario, &step, &stated);
        let pairs = Pairs::new(&scenario, law()).with_all();
        let files = seen(&scenario, &law());
        let of_kinds = PairsOfKinds::new(&scenario, &files, |records| law().only(records));
        let summaries = of_kinds.summaries(&[0, 1, 2]);
        let mut all = Vec::new();
        for (seeker, summary) in summaries.into_iter().enumerate() {
            is_summary_of(&of_kinds, seeker, summary);
            pairs.list(seeker, &mut all);
            assert_eq!(all.len(), 3);
            for &(record, cost) in &all {
                assert!(cost.is_finite() && (of_kinds.cost(seeker, record) - cost).abs() < 1e-9);
            }
        }
    }
}

/// By hand: 1 and 1.0 are one number, so 2 becomes it with a probability of 0.2 + 0.3.
#[test]
fn spellings_of_one_number_are_one_category() {
    let stays = |place| (0..3).map(|to| f64::from(u8::from(to == place))).collect();
    let matrix = TransitionMatrix {
        attribute: "a".into(),
        stratum: Vec::new(),
        categories: ["1", "1.0", "2"].map(String::from).to_vec(),
        probabilities: vec![stays(0), stays(1), vec![0.2, 0.3, 0.5]],
    };
    let rows = rows(&matrix, &[0, 0, 1], 2);
    assert_eq!(rows[0], [(0, 0.0)]);
    assert_eq!(rows[1], [(0, 0.5_f64.ln()), (1, 0.5_f64.ln())]);
}

/// Of kinds, lists are those of all pairs, with the same costs up to the rounding of ln f: who looks for whom, gaps on both sides, an attribute that
/// was not masked, a matrix with zeros, a category that it does not name, people who are not known, and one kind for all.
#[test]
fn lists_of_kinds_are_those_of_all_pairs() {
    let known = ["a", "b", "c"].map(String::from);
    let names = |letter: char, n: usize| Some((0..n).map(|k| format!("{letter}{k}")).collect());
    let categories: [Option<Vec<String>>; 3] = [names('x', 3), names('y', 4), names('z', 2)];
    let matrix = |attribute: &str, letter: char, rows: &[&[f64]]| TransitionMatrix {
        attribute: attribute.into(),
        stratum: Vec::new(),
        categories: (0..rows.len()).map(|k| format!("{letter}{k}")).collect(),
        probabilities: rows.iter().map(|row| row.to_vec()).collect(),
    };
    let stated = PramParameters {
        invariant: false,
        strata: Vec::new(),
        matrices: vec![
            matrix(
                "a",
                'x',
                &[&[0.7, 0.3, 0.0], &[0.25, 0.5, 0.25], &[0.0, 0.0, 1.0]],
            ),
            // It does not name y3.
            matrix(
                "b",
                'y',
                &[&[0.8, 0.1, 0.1], &[0.2, 0.6, 0.2], &[0.1, 0.1, 0.8]],
            ),
        ],
    };
    let attributes = known[..2].to_vec();
    for (n_intruder, n_released, gaps, same) in [
        (60, 90, 0, 1),
        (90, 90, 9, 1),
        (70, 50, 7, 1),
        (20, 30, 0, 100),
        (0, 5, 0, 1),
    ] {
        let step = Step::new(Method::Pram(stated.clone()), n_released, attributes.clone());
        let file = |n: usize, side: usize| {
            let mixed = |cell: usize| {
                ((2 * cell + side + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) / same
            };
            let value = |cell: usize| (mixed(cell) % [3, 4, 2][cell % 3]) as f64;
            let mut matrix = Matrix::complete(n, 3, (0..3 * n).map(value).collect());
            for cell in (0..3 * n).filter(|cell| gaps > 0 && mixed(*cell) / 64 % gaps == 0) {
                matrix.set_missing(cell / 3, cell % 3);
            }
            matrix
        };
        let (intruder, released) = (file(n_intruder, 0), file(n_released, 1));
        for direction in [Direction::OriginalToMasked, Direction::MaskedToOriginal] {
            let scenario = of_categories((&known, &categories), [&intruder, &released], direction);
            let law = || super::law(&scenario, &step, &stated);
            let (pairs, of_kinds) = (
                Pairs::new(&scenario, law()).with_all(),
                PairsOfKinds::new(&scenario, &seen(&scenario, &law()), |records| {
                    law().only(records)
                }),
            );
            // Of samples, too, what is stated by kinds is what is stated by records.
            let both: [Box<dyn Lists>; 2] = [
                Box::new(Pairs::new(&scenario, law()).with_all()),
                Box::new(PairsOfKinds::new(
                    &scenario,
                    &seen(&scenario, &law()),
                    |records| law().only(records),
                )),
            ];
            let samples = both.map(|lists| OfSample::new(lists, 40));
            let (law, sought): (_, Vec<u32>) = (law(), (0..).take(pairs.n_sought()).collect());
            let seekers: Vec<usize> = (0..pairs.n_seekers()).collect();
            let summaries = of_kinds.summaries(&seekers);
            let of_sample = samples[1].summed().unwrap().1.summaries(&seekers);
            let (mut all, mut found, mut logs) = (Vec::new(), Vec::new(), Vec::new());
            for seeker in 0..pairs.n_seekers() {
                pairs.list(seeker, &mut all);
                Lists::list(&of_kinds, seeker, &mut found);
                let records =
                    |list: &[(u32, f64)]| -> Vec<u32> { list.iter().map(|of| of.0).collect() };
                assert_eq!(records(&all), records(&found));
                let off = all.iter().zip(&found).map(|(a, b)| (a.1 - b.1).abs());
                assert!(off.fold(0.0, f64::max) < 1e-12);
                let [expected, by_records] =
                    [pairs.stated(seeker, &all), of_kinds.stated(seeker, &found)];
                assert!((expected - by_records).abs() < 1e-9);
                is_summary_of(&of_kinds, seeker, summaries[seeker]);
                let stated = [
                    samples[0].stated(seeker, &all),
                    samples[1].stated(seeker, &found),
                ];
                assert!(stated.iter().all(|of| (of - stated[0]).abs() < 1e-9));
                let on_sample = of_sample[seeker].stated;
                assert!((on_sample - stated[0]).abs() <= 1e-9 + 2e-9 * stated[0]);
                let of_sample = Summary {
                    stated: summaries[seeker].stated,
                    ..of_sample[seeker]
                };
                assert_eq!(of_sample, summaries[seeker]);
                law.log_likelihoods(seeker, &sought, direction, &mut logs);
                for (&record, &log) in sought.iter().zip(&logs) {
                    let (i, j) = direction.turned(seeker, record as usize);
                    assert_eq!(log, law.log_likelihood(i, j));
                }
                // What is added to the pairs of another law is what lists say, to fewer pairs than there are kinds, and to more.
                for step in [1, 3, 40] {
                    let shown = sought.iter().step_by(step);
                    let mut sums: Vec<(u32, f64)> =
                        shown.map(|&record| (record, f64::from(record))).collect();
                    let both = sums.iter().filter_map(|&(record, own)| {
                        let said = found.iter().find(|of| of.0 == record)?;
                        Some((record, own + said.1))
                    });
                    let expected: Vec<(u32, f64)> = both.collect();
                    of_kinds.add_to(seeker, &mut sums);
                    assert_eq!(sums, expected);
                }
            }
        }
    }
}
