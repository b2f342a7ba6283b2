//! Laws of rank swapping p-distribution.

use sdcrisk::{
    error::ErrorKind,
    mask::{Mask, p_distribution::PDistribution},
    rng::{Purpose, Seed},
    statement::Method,
};

use crate::{
    chi_square::assert_drawn_by,
    random_files::{Cells, Dice, table},
    swapping::{assert_same_swaps, counts, mask, maskings},
};

/// The probability of r − ½ to r + ½ under a normal law, by Simpson's rule.
fn rounded_normal(r: usize, mean: f64, sd: f64) -> f64 {
    let density = |x: f64| (-0.5 * ((x - mean) / sd).powi(2)).exp();
    let step = 1.0 / 32.0;
    (0..32)
        .map(|k| {
            let x = r as f64 - 0.5 + f64::from(k) * step;
            step / 6.0 * (density(x) + 4.0 * density(x + step / 2.0) + density(x + step))
        })
        .sum()
}

/// The partner of the least of 24 values at p = 50: m = 12, so r is normal with mean and sd 6, rounded, and 1 to 23 are
/// the values of r that can be kept.
#[test]
fn the_first_displacement_is_the_rounded_normal_cut_at_the_ends() {
    let method = PDistribution::new(50.0).unwrap();
    let first = maskings(&method, 24, 20_000)
        .into_iter()
        .map(|masked| masked[0]);
    let mut of_each = counts(first, 24);
    let mut probabilities: Vec<f64> = (0..24).map(|r| rounded_normal(r, 6.0, 6.0)).collect();
    // The last three are rare: one class.
    for r in [23, 22] {
        let rare = (of_each.remove(r), probabilities.remove(r));
        of_each[21] += rare.0;
        probabilities[21] += rare.1;
    }
    assert_drawn_by(&of_each[1..], &probabilities[1..]);
}

/// The second of 24 values, where the least was swapped with the third, the likeliest: r = 1 is taken, all else as before.
#[test]
fn a_taken_rank_is_drawn_again() {
    let method = PDistribution::new(50.0).unwrap();
    let second = maskings(&method, 24, 30_000)
        .into_iter()
        .filter(|masked| masked[0] == 2)
        .map(|masked| masked[1]);
    let of_each = counts(second, 24);
    assert_eq!(of_each[..3], [0, 0, 0]);
    let probabilities: Vec<f64> = (2..18).map(|r| rounded_normal(r, 6.0, 6.0)).collect();
    assert_drawn_by(&of_each[3..19], &probabilities);
}

/// The procedure as its docstring has it, in the plainest words; normal numbers by Box and Muller.
fn slowly(n: usize, p: f64, dice: &mut Dice) -> Vec<usize> {
    let mut unit = || (dice.roll(1 << 31) as f64 + 0.5) / (1_u64 << 31) as f64;
    let half = p * n as f64 / 200.0;
    let mut masked: Vec<usize> = (0..n).collect();
    let mut unswapped = vec![true; n];
    for i in 0..n {
        if !unswapped[i] {
            continue;
        }
        unswapped[i] = false;
        if !unswapped.contains(&true) {
            break;
        }
        let mut partner = (0..n)
            .filter(|&l| unswapped[l])
            .min_by_key(|&l| l.abs_diff(i))
            .unwrap();
        for _ in 0..1000 {
            let radius = (-2.0 * unit().ln()).sqrt();
            let normal = radius * (std::f64::consts::TAU * unit()).cos();
            let l = i as f64 + (half + half * normal).round();
            if (0.0..n as f64).contains(&l) && unswapped[l as usize] {
                partner = l as usize;
                break;
            }
        }
        unswapped[partner] = false;
        masked.swap(i, partner);
    }
    masked
}

#[test]
fn swaps_follow_the_law_of_a_slow_program() {
    let mut dice = Dice(65);
    // Mean and sd of 3.6 ranks; then of 18, where many draws fall outside.
    for (n, p) in [(36, 20.0), (36, 100.0)] {
        let fast = maskings(&PDistribution::new(p).unwrap(), n, 5_000);
        let slow: Vec<_> = (0..5_000).map(|_| slowly(n, p, &mut dice)).collect();
        assert_same_swaps(&fast, &slow);
    }
}

#[test]
fn a_percentage_that_is_none_or_less_than_a_rank_is_refused() {
    for p in [0.0, -1.0, 100.1, f64::NAN, f64::INFINITY] {
        let error = PDistribution::new(p).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Usage);
    }
    let cells: Cells = (0..40).map(|i| vec![Some(i)]).collect();
    let run = |p: f64| {
        let table = table(&cells);
        let on: Vec<_> = table.ids().collect();
        let streams = Seed::from_number(1).streams(Purpose::Mask, 0);
        PDistribution::new(p).unwrap().mask(table, &on, &streams)
    };
    let error = run(2.4).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Usage);
    assert!(
        error.to_string().contains("Give --p 2.5 or more"),
        "{error}"
    );
    // m = 1 rank: mean and sd of half a rank.
    let Method::PDistribution(stated) = run(2.5).unwrap().step.method else {
        panic!("another method")
    };
    assert_eq!((stated.p, stated.mean, stated.sd), (2.5, 0.5, 0.5));
}

/// Far fewer values than m: nearly every draw is outside, and still everybody finds a partner.
#[test]
fn few_values_in_a_long_file_are_swapped_all_the_same() {
    let cells: Cells = (0..20_000)
        .map(|i| vec![(i % 2000 == 0).then_some(i), Some(i)])
        .collect();
    let masked = mask(&PDistribution::new(100.0).unwrap(), table(&cells), 4);
    assert_eq!(masked.effects[0].values, 10);
    assert_eq!(masked.effects[0].changed, 10);
}

/// The stream of draws is a contract: a change of the draws changes results and belongs into the changelog.
#[test]
fn draws_are_pinned() {
    let cells: Cells = (0..12).map(|i| vec![Some(i)]).collect();
    let masked = mask(&PDistribution::new(50.0).unwrap(), table(&cells), 1);
    let id = masked.table.ids().next().unwrap();
    assert_eq!(
        masked.table.numbers(id).unwrap().values,
        PINNED,
        "results for a given seed moved: say so under 'Changed results'"
    );
}

const PINNED: [f64; 12] = [2.0, 6.0, 0.0, 5.0, 10.0, 3.0, 1.0, 11.0, 9.0, 8.0, 4.0, 7.0];
