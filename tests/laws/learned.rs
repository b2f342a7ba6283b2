//! Learned distances: an oracle for two attributes, the order of the families at proven optima, and the recount.

use std::sync::Arc;

use sdcrisk::{
    attack::{
        Attack, Direction,
        distance_based::{DistanceBased, Standardize},
        learned::{Learner, Lesson, family::Family},
        mahalanobis::{Mahalanobis, Scatter, Singular},
    },
    evaluate::{
        link::{Assign, Case, Study, shared_attributes},
        score::Ties,
        truth::{OriginalRecord, Truth},
    },
    optimize::subsystem::{Patient, portfolio::Engine},
    table::Table,
};

use super::random_files::{Cells, Dice, table};

fn learner(family: Family, engine: Engine) -> Learner {
    Learner {
        family,
        standardize: Standardize::Own,
        engine,
        keeps_proof: false,
        wants_ranges: false,
        watch: Arc::new(Patient),
    }
}

/// A file and a masked one: each cell moved by up to `noise`.
fn files(dice: &mut Dice, records: usize, attributes: usize, noise: u64) -> (Cells, Cells) {
    let original: Cells = (0..records)
        .map(|_| {
            let cell = |_| Some(dice.roll(40) as i64);
            (0..attributes).map(cell).collect()
        })
        .collect();
    let masked = original
        .iter()
        .map(|record| {
            let moved = record.iter().map(|cell| {
                let by = dice.roll(2 * noise + 1) as i64 - noise as i64;
                cell.map(|value| value + by)
            });
            moved.collect()
        })
        .collect();
    (original, masked)
}

fn with_case<T>(original: &Table, masked: &Table, then: impl FnOnce(&Case<'_>) -> T) -> T {
    let truth = Truth::by_order(original, masked).unwrap();
    let everybody = (0..)
        .take(original.n_records())
        .map(OriginalRecord)
        .collect();
    let study = Study::new(
        original,
        masked,
        &truth,
        everybody,
        Direction::OriginalToMasked,
    );
    let (known, _) = shared_attributes(original, masked, None);
    then(&study.case(&known))
}

/// Links, a tie counted as none.
fn strict(case: &Case<'_>, attack: &dyn Attack) -> usize {
    let score = case.attack(attack, Assign::Best, false).unwrap().score;
    score.correct(Ties::Strict) as usize
}

/// What the search says of itself must be what the plain linkage counts, and proven.
#[track_caller]
fn proven(case: &Case<'_>, family: Family, engine: Engine) -> (usize, Lesson) {
    let lesson = case.learn(&learner(family, engine)).unwrap();
    let recount = strict(case, &lesson.distance);
    assert_eq!(recount, lesson.linked, "{} recounted", family.name());
    assert_eq!(recount, lesson.bound, "{} proven", family.name());
    (recount, lesson)
}

/// Two attributes, weights (1 − q, q): record i is linked for the q in an open interval, which its competitors cut. The most
/// intervals that share a point, by trying the middle of each pair of neighbouring ends.
fn best_of_two_weights(original: &Cells, masked: &Cells) -> usize {
    let z = |cells: &Cells| -> Vec<[f64; 2]> {
        let n = cells.len() as f64;
        let column = |k: usize| -> Vec<f64> {
            let values: Vec<f64> = cells.iter().map(|r| r[k].unwrap() as f64).collect();
            let mean = values.iter().sum::<f64>() / n;
            let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
            let sd = (squares / (n - 1.0)).sqrt();
            values.iter().map(|v| (v - mean) / sd).collect()
        };
        let (a, b) = (column(0), column(1));
        a.into_iter().zip(b).map(|(a, b)| [a, b]).collect()
    };
    let (x, y) = (z(original), z(masked));
    let square = |i: usize, j: usize, k: usize| (x[i][k] - y[j][k]) * (x[i][k] - y[j][k]);
    let mut intervals = Vec::new();
    for i in 0..x.len() {
        let (mut low, mut high) = (0.0_f64, 1.0_f64);
        for j in (0..y.len()).filter(|&j| j != i) {
            // (1 − q) u + q w > 0
            let u = square(i, j, 0) - square(i, i, 0);
            let w = square(i, j, 1) - square(i, i, 1);
            if u.abs() < 1e-12 && w.abs() < 1e-12 || u <= 1e-12 && w <= 1e-12 {
                high = -1.0;
            } else if u <= 1e-12 {
                low = low.max(-u / (w - u));
            } else if w <= 1e-12 {
                high = high.min(u / (u - w));
            }
        }
        if low + 1e-9 < high {
            intervals.push((low, high));
        }
    }
    let mut ends: Vec<f64> = intervals
        .iter()
        .flat_map(|&(low, high)| [low, high])
        .collect();
    ends.extend([0.0, 1.0]);
    ends.sort_by(f64::total_cmp);
    let inside = |q: f64| {
        intervals
            .iter()
            .filter(|&&(low, high)| low < q && q < high)
            .count()
    };
    let middles = ends.windows(2).map(|pair| (pair[0] + pair[1]) / 2.0);
    middles.map(inside).max().unwrap_or(0)
}

#[test]
fn two_weights_are_as_good_as_an_exhaustive_search_finds() {
    let mut dice = Dice(7);
    for round in 0..40 {
        let records = 6 + dice.roll(30) as usize;
        let noise = 2 + dice.roll(12);
        let (original, masked) = files(&mut dice, records, 2, noise);
        let expected = best_of_two_weights(&original, &masked);
        for engine in [Engine::Auto, Engine::Cone, Engine::Branch] {
            let (original, masked) = (table(&original), table(&masked));
            let found = with_case(&original, &masked, |case| {
                proven(case, Family::WeightedMean, engine).0
            });
            assert_eq!(found, expected, "round {round}, {engine:?}");
        }
    }
}

/// At proven optima: AM ≤ WM = WM_m ≤ CI_2 ≤ CI, WM ≤ CI_m ≤ CI, AM ≤ OWA ≤ CI, WM ≤ SB_PD ≤ SB_NC ≤ SB, MD ≤ SB_PD. Each family holds the
/// ones before it: additive measures are submodular and 2-additive, ordered weights are a measure of the size of sets, a diagonal with
/// positive entries is positive definite, and so is an inverse covariance.
#[test]
fn greater_families_link_no_fewer() {
    let mut dice = Dice(11);
    for (records, attributes, noise) in [(12, 2, 8), (20, 3, 10), (30, 3, 14), (24, 4, 16)] {
        let (original, masked) = files(&mut dice, records, attributes, noise);
        let (original, masked) = (table(&original), table(&masked));
        with_case(&original, &masked, |case| {
            let learned = |family| proven(case, family, Engine::Auto).0;
            let am = strict(
                case,
                &DistanceBased {
                    standardize: Standardize::Own,
                },
            );
            let md = strict(
                case,
                &Mahalanobis {
                    scatter: Scatter::AlignedCovariances,
                    standardize: Standardize::Own,
                    singular: Singular::Refused,
                },
            );
            let wm = learned(Family::WeightedMean);
            let owa = learned(Family::OrderedWeightedMean);
            let [ci, ci_m, ci_2] = [
                Family::Choquet,
                Family::ChoquetMetric,
                Family::ChoquetTwoAdditive,
            ]
            .map(learned);
            let [sb, sb_nc, sb_pd] = [
                Family::Bilinear,
                Family::BilinearNonNegative,
                Family::BilinearDefinite,
            ]
            .map(learned);
            assert!(am <= wm && am <= owa, "{am} {wm} {owa}");
            assert_eq!(wm, learned(Family::WeightedMeanMetric));
            assert!(wm <= ci_2 && ci_2 <= ci, "{wm} {ci_2} {ci}");
            assert!(wm <= ci_m && ci_m <= ci, "{wm} {ci_m} {ci}");
            assert!(owa <= ci, "{owa} {ci}");
            assert!(wm <= sb_pd && md <= sb_pd, "{wm} {md} {sb_pd}");
            assert!(sb_pd <= sb_nc && sb_nc <= sb, "{sb_pd} {sb_nc} {sb}");
        });
    }
}

/// What the definitions ask of parameters: positive weights, sums, a monotone and submodular measure, a definite matrix.
#[test]
fn parameters_are_of_their_family() {
    let mut dice = Dice(5);
    let (original, masked) = files(&mut dice, 25, 3, 12);
    let (original, masked) = (table(&original), table(&masked));
    with_case(&original, &masked, |case| {
        let parameters = |family| proven(case, family, Engine::Auto).1.distance.parameters;
        for family in [
            Family::WeightedMean,
            Family::WeightedMeanMetric,
            Family::OrderedWeightedMean,
        ] {
            let p = parameters(family);
            assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{p:?}");
            assert!(p.iter().all(|&p| p >= 0.0), "{p:?}");
            if family == Family::WeightedMeanMetric {
                assert!(p.iter().all(|&p| p > 0.0), "{p:?}");
            }
        }
        let of = |p: &[f64], set: usize| if set == 0 { 0.0 } else { p[set - 1] };
        for family in [Family::Choquet, Family::ChoquetMetric] {
            let p = parameters(family);
            assert!((of(&p, 7) - 1.0).abs() < 1e-9);
            for set in 0..8_usize {
                for k in (0..3).filter(|k| set >> k & 1 == 0) {
                    assert!(of(&p, set | 1 << k) >= of(&p, set) - 1e-9, "{p:?}");
                    for l in (0..3).filter(|&l| l != k && set >> l & 1 == 0) {
                        let gain = of(&p, set | 1 << k) - of(&p, set);
                        let later = of(&p, set | 1 << k | 1 << l) - of(&p, set | 1 << l);
                        assert!(family == Family::Choquet || gain >= later - 1e-9, "{p:?}");
                    }
                }
            }
        }
        // Sylvester: the leading minors of a definite matrix are positive. Parameters: a11 a22 a33 a12 a13 a23.
        let s = parameters(Family::BilinearDefinite);
        let (a, b, c, d, e, f) = (s[0], s[1], s[2], s[3], s[4], s[5]);
        assert!(a > 0.0 && a * b - d * d > 0.0, "{s:?}");
        assert!(
            a * (b * c - f * f) - d * (d * c - f * e) + e * (d * f - b * e) > 0.0,
            "{s:?}"
        );
    });
}

/// An attribute that masking left alone is a key: weight on it alone links everybody (seed example: 3 × 3, `methods.md` 1.3).
#[test]
fn a_key_attribute_links_all() {
    let read =
        |text: &str| Table::read("f.csv", text.as_bytes().to_vec(), &Default::default()).unwrap();
    let original = read("a,b,c\n1,30,27\n2,50,47\n3,25,31\n");
    let masked = read("a,b,c\n1,20,47\n2,20,47\n3,23,31\n");
    with_case(&original, &masked, |case| {
        for family in Family::ALL {
            assert_eq!(proven(case, family, Engine::Auto).0, 3, "{}", family.name());
        }
    });
}

/// Dates, times and identifiers are far from 0 for their spread: what tells records apart must not be taken for rounding.
#[test]
fn an_attribute_far_from_zero_is_learned_as_near_it() {
    let mut dice = Dice(23);
    for _ in 0..6 {
        let (original, masked) = files(&mut dice, 30, 2, 6);
        let far = |cells: &Cells| -> Cells {
            let moved = |record: &Vec<Option<i64>>| {
                vec![record[0].map(|value| value + 20_000_000), record[1]]
            };
            cells.iter().map(moved).collect()
        };
        let linked = |original: &Cells, masked: &Cells, family| {
            let (original, masked) = (table(original), table(masked));
            with_case(&original, &masked, |case| {
                proven(case, family, Engine::Auto).0
            })
        };
        for family in [Family::WeightedMean, Family::Choquet] {
            assert_eq!(
                linked(&original, &masked, family),
                linked(&far(&original), &far(&masked), family),
                "{}",
                family.name()
            );
        }
    }
}

/// k-anonymity on all that is known: no link is strict, and the distance that is shown finds the right group at least as often as the plain
/// one does, every tie counted 1/t.
#[test]
fn among_equal_records_the_right_group_is_looked_for() {
    let mut dice = Dice(31);
    let (original, noisy) = files(&mut dice, 40, 3, 8);
    // Each pair of records is released as its first.
    let masked: Cells = (0..40)
        .map(|record| noisy[record - record % 2].clone())
        .collect();
    let (original, masked) = (table(&original), table(&masked));
    with_case(&original, &masked, |case| {
        let plain = DistanceBased {
            standardize: Standardize::Own,
        };
        let fair = |attack: &dyn Attack| {
            let score = case.attack(attack, Assign::Best, false).unwrap().score;
            score.correct(Ties::Fair)
        };
        for family in [Family::WeightedMean, Family::Choquet] {
            let (strict, lesson) = proven(case, family, Engine::Auto);
            assert_eq!((strict, lesson.with_twins), (0, 40));
            assert!(fair(&lesson.distance) >= fair(&plain), "{}", family.name());
        }
    });
}
