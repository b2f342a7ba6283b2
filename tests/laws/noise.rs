//! Laws of additive noise.
//!
//! Bounds on sampling are five standard deviations of what is compared; how these come about is said where they stand.
//! n is the number of records, k the level, s a standard deviation.

use sdcrisk::{
    error::ErrorKind,
    mask::{
        Mask, Masked, Rounding,
        noise::{Noise, Options},
    },
    rng::{Purpose, Seed},
    table::{ReadOptions, Table},
};

use crate::{
    chi_square::assert_drawn_by,
    random_files::{self, Dice, table},
    swapping::{counts, mask, written},
};

const INDEPENDENT: Options = Options {
    correlated: false,
    restore: false,
    rounding: Rounding::None,
};

const CORRELATED: Options = Options {
    correlated: true,
    ..INDEPENDENT
};

fn noise(level: f64, options: Options) -> Noise {
    Noise::new(level, options).unwrap()
}

fn read(text: &str) -> Table {
    Table::read("f.csv", text.as_bytes().to_vec(), &ReadOptions::default()).unwrap()
}

fn values(table: &Table, attribute: usize) -> Vec<f64> {
    let id = table.ids().nth(attribute).unwrap();
    table.numbers(id).unwrap().values.to_vec()
}

/// Skewed attributes a and b that share a part, their exact sum c, and d, which has nothing to do with them.
fn file(n: usize) -> Table {
    let mut dice = Dice(66);
    let mut text = "a,b,c,d\n".to_owned();
    for _ in 0..n {
        let mut amount = |upto: u64| dice.roll(upto) as i64;
        let shared = amount(1000);
        let (a, b) = (shared + amount(500), 3 * shared - amount(100) * amount(40));
        let d = amount(77);
        text += &format!("{a},{b},{},{d}.5\n", a + b);
    }
    read(&text)
}

fn mean(x: &[f64]) -> f64 {
    x.iter().sum::<f64>() / x.len() as f64
}

fn cov(x: &[f64], y: &[f64]) -> f64 {
    let (mx, my) = (mean(x), mean(y));
    let products = x.iter().zip(y).map(|(a, b)| (a - mx) * (b - my));
    products.sum::<f64>() / (x.len() - 1) as f64
}

fn correlation(x: &[f64], y: &[f64]) -> f64 {
    cov(x, y) / (cov(x, x) * cov(y, y)).sqrt()
}

const N: usize = 100_000;

/// The seed's formulas: E(X') = E(X), Var(X') = (1 + k) Var(X), Cov(X'_i, X'_j) = Cov(X_i, X_j), hence correlations times
/// 1 / (1 + k).
///
/// mean: that of e has sd s·sqrt(k/n). Var(X') = Var(X) + Var(e) + 2 Cov(X, e): the second has sd k·s²·sqrt(2/n), the
/// third 2·s²·sqrt(k/n). Cov(X'_i, X'_j) = Cov(X_i, X_j) + Cov(X_i, e_j) + Cov(e_i, X_j) + Cov(e_i, e_j): sds in units of
/// s_i·s_j/sqrt(n) are sqrt(k), sqrt(k) and k, all unrelated.
#[test]
fn independent_noise_has_the_moments_of_the_seed() {
    let k = 0.5_f64;
    let original = file(N);
    let masked = mask(&noise(k, INDEPENDENT), original.clone(), 7).table;
    let root = (N as f64 - 1.0).sqrt();
    for i in 0..4 {
        let (x, new) = (values(&original, i), values(&masked, i));
        let s = cov(&x, &x).sqrt();
        assert!((mean(&new) - mean(&x)).abs() < 5.0 * s * k.sqrt() / root);
        let bound = 5.0 * (2.0 * k * k + 4.0 * k).sqrt() / root;
        let ratio = cov(&new, &new) / (s * s);
        assert!((ratio - (1.0 + k)).abs() < bound, "{ratio}");
        for j in 0..i {
            let (y, other) = (values(&original, j), values(&masked, j));
            let unit = s * cov(&y, &y).sqrt();
            let bound = 5.0 * (2.0 * k + k * k).sqrt() / root;
            let moved = (cov(&new, &other) - cov(&x, &y)) / unit;
            assert!(moved.abs() < bound, "{i} {j}: {moved}");
            // Both variances are within 4 % of 1 + k: so is the product of sds, and 1.5 · 0.04 more than covers it.
            let shrunk = correlation(&new, &other) * (1.0 + k) - correlation(&x, &y);
            assert!(shrunk.abs() < bound + 0.06, "{i} {j}: {shrunk}");
        }
    }
}

/// Cov(X') = (1 + k) Cov(X), so correlations are kept. In units of s_i·s_j/sqrt(n): Cov(X_i, e_j) and Cov(e_i, X_j) have sd
/// sqrt(k) each, Cov(e_i, e_j) at most sqrt(2)·k (with correlation ρ: sqrt(1 + ρ²)); at worst they add up.
#[test]
fn correlated_noise_multiplies_covariances_and_keeps_correlations() {
    let k = 0.5_f64;
    let original = file(N);
    let masked = mask(&noise(k, CORRELATED), original.clone(), 7).table;
    let bound = 5.0 * (2.0 * k.sqrt() + 2.0_f64.sqrt() * k) / (N as f64 - 1.0).sqrt();
    for i in 0..4 {
        for j in 0..=i {
            let (x, y) = (values(&original, i), values(&original, j));
            let (new, other) = (values(&masked, i), values(&masked, j));
            let unit = (cov(&x, &x) * cov(&y, &y)).sqrt();
            let off = (cov(&new, &other) - (1.0 + k) * cov(&x, &y)) / unit;
            assert!(off.abs() < bound, "{i} {j}: {off}");
            let turned = correlation(&new, &other) - correlation(&x, &y);
            assert!(turned.abs() < bound, "{i} {j}: {turned}");
        }
    }
}

/// c = a + b in every record, before and after, to one part in a million of an sd.
#[test]
fn correlated_noise_keeps_sums() {
    let original = file(1000);
    let c = values(&original, 2);
    let masked = mask(&noise(2.0, CORRELATED), original, 3).table;
    let sd = cov(&c, &c).sqrt();
    for ((a, b), c) in values(&masked, 0)
        .iter()
        .zip(values(&masked, 1))
        .zip(values(&masked, 2))
    {
        assert!((a + b - c).abs() < 1e-6 * sd);
    }
}

/// Two attributes, by hand: the factor of [[s_a², ρ s_a s_b], [ρ s_a s_b, s_b²]] is [s_a, 0; ρ s_b, sqrt(1 − ρ²) s_b], so a's
/// noise is the independent one, and b's is ρ s_b/s_a of a's and sqrt(1 − ρ²) of its own.
#[test]
fn correlated_noise_mixes_the_numbers_of_independent_noise() {
    let text = "a,b\n1,10.5\n4,20\n9,35\n7,80\n3,11\n2,64\n";
    let (a, b) = (values(&read(text), 0), values(&read(text), 1));
    let added = |options: Options, attribute: usize| -> Vec<f64> {
        let masked = mask(&noise(0.3, options), read(text), 9).table;
        let old = values(&read(text), attribute);
        let new = values(&masked, attribute);
        new.iter().zip(&old).map(|(new, old)| new - old).collect()
    };
    let (own_a, own_b) = (added(INDEPENDENT, 0), added(INDEPENDENT, 1));
    let rho = correlation(&a, &b);
    let slope = cov(&a, &b) / cov(&a, &a);
    for record in 0..6 {
        let expected = [
            own_a[record],
            slope * own_a[record] + (1.0 - rho * rho).sqrt() * own_b[record],
        ];
        for (attribute, expected) in expected.into_iter().enumerate() {
            let got = added(CORRELATED, attribute)[record];
            assert!((got - expected).abs() < 1e-9, "{got} {expected}");
        }
    }
}

/// Noise over its sd falls into ten classes of equal probability (quantiles of the normal law from tables).
#[test]
fn noise_is_normal() {
    const TENTHS: [f64; 9] = [
        -1.281552, -0.841621, -0.524401, -0.253347, 0.0, 0.253347, 0.524401, 0.841621, 1.281552,
    ];
    let original = file(N);
    for options in [INDEPENDENT, CORRELATED] {
        let masked = mask(&noise(0.04, options), original.clone(), 5).table;
        for attribute in [0, 2, 3] {
            let (x, new) = (values(&original, attribute), values(&masked, attribute));
            let sd = 0.2 * cov(&x, &x).sqrt();
            let class = |(old, new): (&f64, &f64)| {
                TENTHS
                    .iter()
                    .filter(|&&tenth| (new - old) / sd > tenth)
                    .count()
            };
            assert_drawn_by(&counts(x.iter().zip(&new).map(class), 10), &[0.1; 10]);
        }
    }
}

#[test]
fn means_and_sds_are_restored_to_rounding() {
    let original = file(5000);
    for options in [INDEPENDENT, CORRELATED] {
        let options = Options {
            restore: true,
            ..options
        };
        let masked = mask(&noise(1.5, options), original.clone(), 2).table;
        for attribute in 0..4 {
            let (x, new) = (values(&original, attribute), values(&masked, attribute));
            let sd = cov(&x, &x).sqrt();
            assert!((mean(&new) - mean(&x)).abs() < 1e-11 * sd);
            assert!((cov(&new, &new).sqrt() / sd - 1.0).abs() < 1e-12);
            // It is still a masking: half the variance of X' = X + e is e's, so X and X'' correlate by sqrt(1/2.5).
            let kept = correlation(&x, &new);
            assert!((kept - 0.4_f64.sqrt()).abs() < 0.05, "{kept}");
        }
    }
}

#[test]
fn new_values_have_the_decimals_of_their_attribute() {
    let options = Options {
        rounding: Rounding::Column,
        ..INDEPENDENT
    };
    let exact = mask(&noise(0.1, INDEPENDENT), file(500), 2).table;
    let rounded = mask(&noise(0.1, options), file(500), 2).table;
    for attribute in 0..3 {
        let expected: Vec<f64> = values(&exact, attribute)
            .iter()
            .map(|value| value.round())
            .collect();
        assert_eq!(values(&rounded, attribute), expected);
    }
    // d is written with one decimal everywhere.
    let tenths: Vec<f64> = values(&exact, 3)
        .iter()
        .map(|value| (value * 10.0).round() / 10.0)
        .collect();
    assert_eq!(values(&rounded, 3), tenths);
}

/// A gap in b takes nothing from a, and the noise of b's other records is the same in units of its sd.
#[test]
fn gaps_stay_and_shift_no_draw() {
    let full = "a,b\n1,10.5\n4,20\n9,35\n7,80\n3,11\n2,64\n";
    let gapped = "a,b\n1,10.5\n4,\n9,35\n7,NA\n3,11\n2,64\n";
    let run = |text: &str| mask(&noise(0.3, INDEPENDENT), read(text), 9).table;
    let (with_all, with_gaps) = (run(full), run(gapped));
    assert_eq!(values(&with_all, 0), values(&with_gaps, 0));
    let units = |text: &str, masked: &Table| -> Vec<f64> {
        let original = read(text);
        let id = original.ids().nth(1).unwrap();
        let present: Vec<usize> = [0, 2, 4, 5].to_vec();
        let all: Vec<f64> = (0..6)
            .filter(|&r| !original.is_missing(r, id))
            .map(|r| values(&original, 1)[r])
            .collect();
        let sd = cov(&all, &all).sqrt();
        present
            .iter()
            .map(|&r| (values(masked, 1)[r] - values(&original, 1)[r]) / sd)
            .collect()
    };
    for (one, other) in units(full, &with_all).iter().zip(units(gapped, &with_gaps)) {
        assert!((one - other).abs() < 1e-12, "{one} {other}");
    }
    for text in [
        written(&with_gaps),
        written(&mask(&noise(0.3, CORRELATED), read(gapped), 9).table),
    ] {
        let cells: Vec<&str> = text
            .lines()
            .skip(1)
            .map(|line| line.split(',').nth(1).unwrap())
            .collect();
        // Both gaps are marked alike: of equally frequent marks by the first in the order of bytes.
        assert_eq!((cells[1], cells[3]), ("", ""));
    }
}

#[test]
fn constants_get_no_noise_and_keep_their_value() {
    let text = "a,b,c\n1,0.10,5\n2,0.1,3.5\n4,0.1,9\n8,0.100,2\n";
    for options in [INDEPENDENT, CORRELATED] {
        for restore in [false, true] {
            let options = Options { restore, ..options };
            let masked = mask(&noise(1.0, options), read(text), 1);
            let cells: Vec<String> = written(&masked.table)
                .lines()
                .map(|line| line.split(',').nth(1).unwrap().to_owned())
                .collect();
            // Half of the cells are spelled 0.1, no other spelling is as frequent.
            assert_eq!(cells, ["b", "0.1", "0.1", "0.1", "0.1"]);
            assert_eq!(masked.effects[1].changed, 0);
            assert_eq!(masked.effects[0].changed, 4);
        }
    }
}

/// Five complete records in which b hardly varies and c not at all; forty more in which they do. The sd of the noise is that
/// of all values: of 45 normal numbers the sd is within 5/sqrt(2·44) = 53 % of it.
#[test]
fn correlated_noise_has_the_sd_of_all_values() {
    let mut text =
        "a,b,c\n1,100,5.5\n2,100.001,5.5\n3,100,5.5\n5,100.002,5.5\n4,100,5.5\n".to_owned();
    for k in 0..40 {
        text += &format!("NA,{},{}.5\n", 13 * k % 41 * 10, 7 * k % 41);
    }
    let masked = mask(&noise(0.25, CORRELATED), read(&text), 4).table;
    for attribute in [1, 2] {
        let (x, new) = (values(&read(&text), attribute), values(&masked, attribute));
        let added: Vec<f64> = new.iter().zip(&x).map(|(new, old)| new - old).collect();
        let ratio = cov(&added, &added).sqrt() / (0.5 * cov(&x, &x).sqrt());
        assert!((ratio - 1.0).abs() < 0.53, "{attribute}: {ratio}");
    }
}

/// The law has no unit: values 10^-200 times as large get 10^-200 times the noise, though their squares vanish.
#[test]
fn tiny_values_get_noise_of_their_size() {
    let file = |unit: &str| {
        let cells = [("1", "9"), ("2", "4"), ("3", "7.5"), ("5", "1")];
        let lines = cells.map(|(a, b)| format!("{a}{unit},{b}\n"));
        read(&format!("a,b\n{}", lines.concat()))
    };
    for options in [INDEPENDENT, CORRELATED] {
        for restore in [false, true] {
            let noise = noise(0.5, Options { restore, ..options });
            let usual = mask(&noise, file("e0"), 3).table;
            let tiny = mask(&noise, file("e-200"), 3).table;
            for (a, b) in values(&usual, 0).iter().zip(values(&tiny, 0)) {
                assert!((b / 1e-200 - a).abs() < 1e-9, "{a} {b}");
            }
        }
    }
}

fn refusal(text: &str, level: f64, options: Options) -> sdcrisk::error::Error {
    let table = read(text);
    let on: Vec<_> = table.ids().collect();
    let streams = Seed::from_number(1).streams(Purpose::Mask, 0);
    noise(level, options)
        .mask(table, &on, &streams)
        .unwrap_err()
}

#[test]
fn what_makes_no_sense_is_refused_with_a_reason() {
    for level in [0.0, -0.1, f64::NAN, f64::INFINITY] {
        let error = Noise::new(level, INDEPENDENT).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Usage);
    }
    let huge = "a,b\n1,1e308\n2,-1e308\n3,1.5e308\n";
    for (text, options, kind, says) in [
        (
            "a\n1\n",
            INDEPENDENT,
            ErrorKind::Input,
            "at least two records",
        ),
        (
            "a,b\n1,NA\n2,3\nNA,4\n",
            CORRELATED,
            ErrorKind::Input,
            "1 of 3 records have a value of every masked attribute",
        ),
        (
            "a,b\n1,5.5\n2,7.25\n4,NA\n",
            Options {
                restore: true,
                ..INDEPENDENT
            },
            ErrorKind::Input,
            "attribute \"b\": has two values only",
        ),
        (
            huge,
            INDEPENDENT,
            ErrorKind::Input,
            "attribute \"b\": holds values too large",
        ),
        (
            huge,
            CORRELATED,
            ErrorKind::Input,
            "attribute \"b\": holds values too large",
        ),
    ] {
        let error = refusal(text, 0.5, options);
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(says), "{error}");
    }
}

#[test]
fn threads_change_nothing_nor_do_other_attributes_independent_noise() {
    let mut dice = Dice(67);
    let cells = random_files::cells(&mut dice, 40_000, 5, 300);
    let run = |threads: usize, options: Options, attributes: &[usize]| -> Masked {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.unwrap().install(|| {
            let table = table(&cells);
            let ids: Vec<_> = table.ids().collect();
            let on: Vec<_> = attributes.iter().map(|&k| ids[k]).collect();
            let streams = Seed::from_number(8).streams(Purpose::Mask, 0);
            noise(0.1, options).mask(table, &on, &streams).unwrap()
        })
    };
    for options in [INDEPENDENT, CORRELATED] {
        let one = run(1, options, &[0, 1, 2, 3, 4]);
        for threads in [2, 4] {
            let more = run(threads, options, &[0, 1, 2, 3, 4]);
            assert!(written(&one.table) == written(&more.table), "{threads}");
            assert_eq!(one.effects, more.effects);
        }
    }
    let full = run(2, INDEPENDENT, &[0, 1, 2, 3, 4]).table;
    let part = run(2, INDEPENDENT, &[3, 1]).table;
    for attribute in [1, 3] {
        assert_eq!(values(&full, attribute), values(&part, attribute));
    }
}

/// The stream of draws is a contract: a change of the draws changes results and belongs into the changelog.
#[test]
fn draws_are_pinned() {
    let text = "a,b\n1,10.5\n4,20\n9,35\n7,80\n";
    for (options, pinned) in [(INDEPENDENT, PINNED), (CORRELATED, PINNED_CORRELATED)] {
        let masked = mask(&noise(0.3, options), read(text), 1).table;
        for (got, expected) in values(&masked, 1).iter().zip(pinned) {
            assert!(
                (got - expected).abs() < 1e-9,
                "results for a given seed moved: say so under 'Changed results': {:?}",
                values(&masked, 1)
            );
        }
    }
}

const PINNED: [f64; 4] = [
    -13.424566533475897,
    37.230079338066155,
    34.11006500645719,
    93.43335545737811,
];
const PINNED_CORRELATED: [f64; 4] = [
    3.36017813345946,
    42.92771020488387,
    31.597614749160872,
    96.10321689914183,
];

/// One attribute has no correlations: the same seed masks as without this option.
#[test]
fn correlations_of_one_attribute_change_nothing() {
    let original = read("a\n1\n2\n4\n");
    let on: Vec<_> = original.ids().collect();
    let [with, without] = [CORRELATED, INDEPENDENT].map(|options| {
        let masked = mask(&noise(0.5, options), original.clone(), 3);
        (
            sdcrisk::statement::Statement::from(masked.step).to_json(),
            masked.table.into_bytes(),
        )
    });
    assert_eq!(with, without);
    let idle = |options| noise(0.5, options).idle(&original, &on);
    assert_eq!(
        idle(CORRELATED),
        ["--correlated has no effect: one attribute has no correlations"]
    );
    assert!(idle(INDEPENDENT).is_empty());
}
