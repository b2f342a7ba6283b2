//! Laws of rank swapping p-buckets.

use sdcrisk::{
    error::ErrorKind,
    mask::{Mask, p_buckets::PBuckets},
    rng::{Purpose, Seed},
};

use crate::{
    chi_square::assert_drawn_by,
    random_files::{Cells, Dice, table},
    swapping::{assert_same_swaps, counts, mask, maskings},
};

/// The partner of the least of 24 values in 4 buckets of 6: buckets by 2^−(s−r+1)/K = 8/15, 4/15, 2/15, 1/15 (seed formula, K =
/// 1 − 2^−4); in the own bucket 5 others, in each of the rest 6, alike.
#[test]
fn the_first_partner_follows_the_formula() {
    let method = PBuckets::new(4).unwrap();
    let first = maskings(&method, 24, 20_000)
        .into_iter()
        .map(|masked| masked[0]);
    let probabilities: Vec<f64> = (1..24)
        .map(|l| match l / 6 {
            0 => 8.0 / 15.0 / 5.0,
            s => 8.0 / 15.0 / f64::from(1 << s) / 6.0,
        })
        .collect();
    assert_drawn_by(&counts(first, 24)[1..], &probabilities);
}

/// With a bucket for each of 6 values nobody else is in the own one: the rest is renormalised, 16 : 8 : 4 : 2 : 1.
#[test]
fn an_exhausted_bucket_leaves_its_share_to_the_others_in_proportion() {
    let method = PBuckets::new(6).unwrap();
    let first = maskings(&method, 6, 10_000)
        .into_iter()
        .map(|masked| masked[0]);
    assert_drawn_by(&counts(first, 6)[1..], &[16.0, 8.0, 4.0, 2.0, 1.0]);
}

/// All of 4 values in 2 buckets, by hand. The least: 1 with 2/3 (own bucket), 2 or 3 with 1/6 each. After (0,1) the next is
/// 2, with 3. After (0,2) the next is 1, whose bucket is exhausted: with 3. After (0,3): (1,2).
#[test]
fn four_values_in_two_buckets_swap_as_by_hand() {
    let method = PBuckets::new(2).unwrap();
    let pairings = maskings(&method, 4, 10_000).into_iter().map(|masked| {
        let partner = masked[0];
        let expected = [[1, 0, 3, 2], [2, 3, 0, 1], [3, 2, 1, 0]][partner - 1];
        assert_eq!(masked, expected);
        partner - 1
    });
    assert_drawn_by(&counts(pairings, 3), &[4.0, 1.0, 1.0]);
}

/// One bucket: every pairing of 6 values alike. There are 5 · 3 = 15.
#[test]
fn one_bucket_is_a_uniform_pairing() {
    let method = PBuckets::new(1).unwrap();
    let pairings = maskings(&method, 6, 15_000).into_iter().map(|masked| {
        let rest: Vec<usize> = (1..6).filter(|&k| k != masked[0]).collect();
        let second = rest.iter().position(|&k| k == masked[rest[0]]).unwrap();
        (masked[0] - 1) * 3 + second - 1
    });
    assert_drawn_by(&counts(pairings, 15), &[1.0; 15]);
}

/// The procedure as its docstring has it, in the plainest words.
fn slowly(n: usize, p: usize, dice: &mut Dice) -> Vec<usize> {
    let mut unit = || dice.roll(1 << 31) as f64 / (1_u64 << 31) as f64;
    let mut masked: Vec<usize> = (0..n).collect();
    let mut unswapped = vec![true; n];
    let bucket = |i: usize| i * p / n;
    for i in 0..n {
        if !unswapped[i] {
            continue;
        }
        unswapped[i] = false;
        let members = |s: usize| -> Vec<usize> {
            (0..n).filter(|&l| unswapped[l] && bucket(l) == s).collect()
        };
        let r = bucket(i);
        let choices: Vec<(f64, Vec<usize>)> = (r..p)
            .map(|s| (0.5_f64.powi((s - r + 1) as i32), members(s)))
            .filter(|(_, members)| !members.is_empty())
            .collect();
        let total: f64 = choices.iter().map(|(weight, _)| weight).sum();
        let mut drawn = unit() * total;
        for (weight, members) in &choices {
            if drawn < *weight {
                let l = members[(unit() * members.len() as f64) as usize];
                unswapped[l] = false;
                masked.swap(i, l);
                break;
            }
            drawn -= weight;
        }
    }
    masked
}

#[test]
fn swaps_follow_the_law_of_a_slow_program() {
    let mut dice = Dice(64);
    // 36 values in 5 buckets of 8, 7, 7, 7, 7; then in 25 buckets, of which 14 hold one value.
    for (n, p) in [(36, 5), (36, 25)] {
        let fast = maskings(&PBuckets::new(p).unwrap(), n, 5_000);
        let slow: Vec<_> = (0..5_000).map(|_| slowly(n, p, &mut dice)).collect();
        assert_same_swaps(&fast, &slow);
    }
}

#[test]
fn no_buckets_and_more_than_records_are_refused() {
    assert_eq!(PBuckets::new(0).unwrap_err().kind(), ErrorKind::Usage);
    let cells: Cells = (0..10).map(|i| vec![Some(i)]).collect();
    let refusal = |p: usize| {
        let table = table(&cells);
        let on: Vec<_> = table.ids().collect();
        let streams = Seed::from_number(1).streams(Purpose::Mask, 0);
        PBuckets::new(p).unwrap().mask(table, &on, &streams).err()
    };
    assert!(refusal(1).is_none() && refusal(10).is_none());
    let error = refusal(11).unwrap();
    assert_eq!(error.kind(), ErrorKind::Usage);
    assert!(error.to_string().contains("11 buckets"), "{error}");
    assert!(refusal(usize::MAX).is_some());
}

/// The stream of draws is a contract: a change of the draws changes results and belongs into the changelog.
#[test]
fn draws_are_pinned() {
    let cells: Cells = (0..12).map(|i| vec![Some(i)]).collect();
    let masked = mask(&PBuckets::new(4).unwrap(), table(&cells), 1);
    let id = masked.table.ids().next().unwrap();
    assert_eq!(
        masked.table.numbers(id).unwrap().values,
        PINNED,
        "results for a given seed moved: say so under 'Changed results'"
    );
}

const PINNED: [f64; 12] = [1.0, 0.0, 5.0, 4.0, 3.0, 2.0, 7.0, 6.0, 9.0, 8.0, 11.0, 10.0];
