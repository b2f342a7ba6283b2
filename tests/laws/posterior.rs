//! The posterior given one-to-one links, against an enumeration of all permutations.

use rand::{SeedableRng, rngs::StdRng};
use sdcrisk::attack::{
    Lists,
    balanced::{Balanced, Sampled, Unlisted},
};

use crate::{random_files::Dice, slow_posterior};

/// Lists of chance.
#[derive(Debug)]
struct Weights {
    n_sought: usize,
    /// The likelihood of each pair; 0 where impossible.
    rows: Vec<Vec<f64>>,
}

impl Lists for Weights {
    fn n_seekers(&self) -> usize {
        self.rows.len()
    }

    fn n_sought(&self) -> usize {
        self.n_sought
    }

    fn list(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
        list.clear();
        let row = (0..).zip(&self.rows[seeker]);
        list.extend(row.filter(|(_, w)| **w > 0.0).map(|(j, w)| (j, -w.ln())));
    }

    fn is_likelihood(&self) -> bool {
        true
    }
}

impl Weights {
    /// As many seekers as sought records, with a weight for each pair, drawn row by row.
    fn square(n: usize, mut weight: impl FnMut(usize, usize) -> f64) -> Self {
        let mut row = |i| (0..n).map(|j| weight(i, j)).collect();
        Self {
            n_sought: n,
            rows: (0..n).map(&mut row).collect(),
        }
    }

    fn of_chance(dice: &mut Dice, n: usize, m: usize, sides: u64) -> Self {
        let mut weight = |_| {
            if dice.roll(8) < sides {
                (dice.roll(600) as f64 / 100.0 - 3.0).exp()
            } else {
                0.0
            }
        };
        Self {
            n_sought: m,
            rows: (0..n).map(|_| (0..m).map(&mut weight).collect()).collect(),
        }
    }

    /// The exact posterior: all ways to make as many pairs as possible, in the product of their likelihoods (1 for who stays
    /// alone). Also the number of pairs.
    fn enumerated(&self) -> (Vec<Vec<f64>>, usize) {
        let mut sums = Sums {
            weights: self,
            most: 0,
            total: 0.0,
            of_pair: vec![vec![0.0; self.n_sought]; self.rows.len()],
        };
        sums.rest(&mut Vec::new(), 0, 1.0);
        for share in sums.of_pair.iter_mut().flatten() {
            *share /= sums.total;
        }
        (sums.of_pair, sums.most)
    }
}

struct Sums<'a> {
    weights: &'a Weights,
    most: usize,
    total: f64,
    of_pair: Vec<Vec<f64>>,
}

impl Sums<'_> {
    fn rest(&mut self, taken: &mut Vec<Option<usize>>, pairs: usize, weight: f64) {
        let Some(row) = self.weights.rows.get(taken.len()) else {
            if pairs > self.most {
                self.most = pairs;
                self.total = 0.0;
                self.of_pair.iter_mut().for_each(|row| row.fill(0.0));
            }
            if pairs == self.most {
                self.total += weight;
                for (row, column) in taken.iter().enumerate() {
                    if let Some(column) = column {
                        self.of_pair[row][*column] += weight;
                    }
                }
            }
            return;
        };
        taken.push(None);
        self.rest(taken, pairs, weight);
        taken.pop();
        for (column, &of_pair) in row.iter().enumerate() {
            if of_pair > 0.0 && !taken.contains(&Some(column)) {
                taken.push(Some(column));
                self.rest(taken, pairs + 1, weight * of_pair);
                taken.pop();
            }
        }
    }
}

fn sampled(weights: &Weights, seed: u64) -> Sampled {
    Sampled::new(weights, Unlisted::Impossible, |chain| {
        StdRng::seed_from_u64(seed << 8 | chain)
    })
    .unwrap()
}

/// Square files, few seekers, many seekers, and files that contradict themselves.
fn for_each_case(mut check: impl FnMut(&Weights, u64)) {
    let mut dice = Dice(41);
    for round in 0..200 {
        let (n, m) = match round % 4 {
            0 => (6, 6),
            1 => (4, 7),
            2 => (7, 4),
            _ => (5, 5),
        };
        let sides = [8, 5, 3][round as usize % 3];
        check(&Weights::of_chance(&mut dice, n, m, sides), round);
    }
    // All 8! permutations.
    check(&Weights::of_chance(&mut dice, 8, 8, 8), 200);
}

/// A share of 1,024 permutations, of which fewer are independent, is off by .03 or more about once in a thousand.
#[test]
fn sampled_shares_are_those_of_all_permutations() {
    let (mut squares, mut shares, mut contradicted, mut worst) = (0.0, 0_u32, 0, 0.0_f64);
    for_each_case(|weights, round| {
        let (exact, pairs) = weights.enumerated();
        let sampled = sampled(weights, round);
        let short = weights.rows.len().min(weights.n_sought) - pairs;
        assert_eq!(sampled.figures().contradicted, short as u64);
        contradicted += usize::from(short > 0);
        let sampling = sampled.figures().sampling.unwrap();
        assert!(
            sampling.effective > 200.0 && sampling.taken_back < 0.01,
            "{sampling:?}"
        );
        let mut list = Vec::new();
        for (seeker, exact) in exact.iter().enumerate() {
            sampled.list(seeker, &mut list);
            let mut left = 1.0;
            for &(record, cost) in &list {
                let off = (-cost).exp() - exact[record as usize];
                worst = worst.max(off.abs());
                squares += off * off;
                shares += 1;
                left -= exact[record as usize];
            }
            if !list.is_empty() {
                assert!((sampled.no_partner(seeker) - left).abs() < 0.09);
                let best = list
                    .iter()
                    .copied()
                    .reduce(|a, b| if b.1 < a.1 { b } else { a });
                let stated = sampled.stated(seeker, &list);
                let best = best.unwrap().0;
                assert!((stated - exact[best as usize]).abs() < 0.09);
            }
        }
    });
    let deviation = (squares / f64::from(shares)).sqrt();
    println!(
        "{shares} shares, off by {deviation:.4}, at most {worst:.3}; {contradicted} contradicted"
    );
    assert!(deviation < 0.012 && worst < 0.09, "{deviation} {worst}");
    assert!(contradicted > 5);
}

/// Pairs are removed if and only if no way to make as many pairs as possible has them, and what remains sums to 1.
#[test]
fn balanced_lists_hold_what_permutations_have() {
    for_each_case(|weights, _| {
        let (exact, _) = weights.enumerated();
        let balanced = Balanced::new(weights, Unlisted::Impossible).unwrap();
        let figures = balanced.figures();
        assert!(figures.settled, "{figures:?}");
        let mut columns = vec![0.0; weights.n_sought];
        let mut list = Vec::new();
        for (seeker, exact) in exact.iter().enumerate() {
            balanced.list(seeker, &mut list);
            let listed: Vec<u32> = list.iter().map(|&(record, _)| record).collect();
            let possible: Vec<u32> = (0..)
                .zip(exact)
                .filter_map(|(record, share)| (*share > 0.0).then_some(record))
                .collect();
            assert_eq!(listed, possible);
            let mut sum = balanced.no_partner(seeker);
            for &(record, cost) in &list {
                sum += (-cost).exp();
                columns[record as usize] += (-cost).exp();
            }
            assert!(list.is_empty() || (sum - 1.0).abs() < 1e-9);
        }
        // A column that every such matching has sums to 1, too.
        for (record, sum) in columns.iter().enumerate() {
            let exactly: f64 = exact.iter().map(|row| row[record]).sum();
            assert!(*sum < 1.002, "{sum}");
            if exactly > 1.0 - 1e-12 {
                assert!((sum - 1.0).abs() < 0.002, "{sum}");
            }
        }
    });
}

/// On 200 files, 3 to 14 records a side, some likelihoods of e^±3 and some of e^±12: the posterior of a second program, entry by entry.
#[test]
fn the_second_program_balances_to_the_same() {
    let mut dice = Dice(61);
    let (mut entries, mut worst, mut contradicted) = (0, 0.0_f64, 0);
    for file in 0..200 {
        let (n, m) = (3 + dice.roll(12) as usize, 3 + dice.roll(12) as usize);
        let sides = [8, 4, 2, 1][file % 4];
        let mut weights = Weights::of_chance(&mut dice, n, m, sides);
        if file % 3 == 0 {
            let all = weights.rows.iter_mut().flatten();
            all.for_each(|w| *w = if *w > 0.0 { w.powi(4) } else { 0.0 });
        }
        let (slow, alone) = slow_posterior::balanced(&weights.rows, 5_000);
        let balanced = Balanced::new(&weights, Unlisted::Impossible).unwrap();
        contradicted += usize::from(balanced.figures().contradicted > 0);
        let mut list = Vec::new();
        for seeker in 0..n {
            balanced.list(seeker, &mut list);
            let mut found = vec![0.0; m];
            for &(record, cost) in &list {
                found[record as usize] = (-cost).exp();
            }
            for (found, slow) in found.iter().zip(&slow[seeker]) {
                worst = worst.max((found - slow).abs());
                entries += usize::from(*slow > 0.0);
            }
            if !list.is_empty() {
                worst = worst.max((balanced.no_partner(seeker) - alone[seeker]).abs());
            }
        }
    }
    println!("{entries} entries, off by {worst:.6} at most; {contradicted} files contradicted");
    assert!(worst < 0.005 && entries > 5_000 && contradicted > 20);
}

/// Where everybody is mixed up with a few neighbours only, what is settled at one end of the file reaches the other slowly, and rows and columns scaled in
/// turns take thousands of rounds. Few rounds do, and the posterior is that of the second program, which scales until nothing changes.
#[test]
fn files_that_settle_slowly_are_balanced_in_few_rounds() {
    let mut dice = Dice(17);
    for (n, nats) in [(40, 1), (80, 3), (80, 12)] {
        let weights = Weights::square(n, |i, j| match i.abs_diff(j) {
            0..=2 => (dice.roll(100 * nats) as f64 / -100.0).exp(),
            _ => 0.0,
        });
        let (slow, _) = slow_posterior::balanced(&weights.rows, 200_000);
        let balanced = Balanced::new(&weights, Unlisted::Impossible).unwrap();
        let figures = balanced.figures();
        println!("{n} records, e^{nats}: {figures:?}");
        assert!(figures.settled && figures.rounds < 400, "{figures:?}");
        let (mut list, mut worst) = (Vec::new(), 0.0_f64);
        for (seeker, slow) in slow.iter().enumerate() {
            balanced.list(seeker, &mut list);
            for &(record, cost) in &list {
                worst = worst.max(((-cost).exp() - slow[record as usize]).abs());
            }
        }
        assert!(worst < 1e-3, "{worst}");
    }
}

/// Balanced again, by other likelihoods of the same pairs, from where it was: as if it had begun with these. Lists of all lengths, of one side more than
/// of the other, and pairs that are in no matching.
#[test]
fn balancing_again_is_balancing() {
    let mut dice = Dice(23);
    let (mut worst, mut entries, mut removed) = (0.0_f64, 0, 0);
    for round in 0..300 {
        let (n, m) = (3 + dice.roll(38) as usize, 3 + dice.roll(38) as usize);
        let first = Weights::of_chance(&mut dice, n, m, 1 + round % 6);
        let mut second = Weights {
            n_sought: m,
            rows: first.rows.clone(),
        };
        for weight in second.rows.iter_mut().flatten() {
            *weight *= (dice.roll(600) as f64 / 100.0 - 3.0).exp();
        }
        let mut again = Balanced::new(&first, Unlisted::Impossible).unwrap();
        again.again(&second, 2000);
        let once = Balanced::new(&second, Unlisted::Impossible).unwrap();
        assert_eq!(again.figures().settled, once.figures().settled);
        removed += once.figures().removed;
        for seeker in 0..n {
            let nobody = again.no_partner(seeker) - once.no_partner(seeker);
            worst = worst.max(nobody.abs());
            let (a, b) = (again.probabilities(seeker), once.probabilities(seeker));
            for ((record, a), (other, b)) in a.zip(b) {
                assert_eq!(record, other);
                worst = worst.max((a - b).abs());
                entries += 1;
            }
        }
    }
    println!("{entries} entries, {removed} pairs removed, off by {worst:.6} at most");
    assert!(worst < 0.001 && entries > 20_000 && removed > 100);
}

/// A row of one candidate leaves the others what they have, and then nothing is left to draw.
#[test]
fn certain_pairs_are_certain() {
    let weights = Weights {
        n_sought: 3,
        rows: vec![
            vec![1.0, 0.0, 0.0],
            vec![2.0, 0.1, 0.0],
            vec![1.0, 5.0, 0.5],
        ],
    };
    let sampled = sampled(&weights, 1);
    assert_eq!(sampled.figures().removed, 3);
    let mut list = Vec::new();
    for seeker in 0..3 {
        sampled.list(seeker, &mut list);
        assert_eq!(list.len(), 1);
        assert_eq!(list[0].0, seeker as u32);
        assert!(list[0].1.abs() < 1e-12 && (sampled.stated(seeker, &list) - 1.0).abs() < 1e-12);
    }
}

#[test]
fn every_number_of_threads_draws_the_same() {
    let mut dice = Dice(3);
    let weights = Weights::of_chance(&mut dice, 70, 90, 3);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.unwrap().install(|| {
            let sampled = sampled(&weights, 5);
            let mut list = Vec::new();
            let all: Vec<(Vec<(u32, f64)>, f64)> = (0..70)
                .map(|seeker| {
                    sampled.list(seeker, &mut list);
                    (list.clone(), sampled.stated(seeker, &list))
                })
                .collect();
            (all, sampled.figures())
        })
    };
    assert!(with(1) == with(3));
}

/// On 40 files of 20 to 59 records, likelihoods from 1 to e^−40 and those of true partners above e^−4: what is left out of lists and rounded
/// moves no seeker's probabilities by much more than weights are rounded, and those of all by less on average.
#[test]
fn lists_without_their_unlikely_ends_balance_to_the_same() {
    let mut dice = Dice(7);
    let (mut left_out, mut worst, mut worst_mean) = (0, 0.0_f64, 0.0_f64);
    for _ in 0..40 {
        let n = 20 + dice.roll(40) as usize;
        let weights = Weights::square(n, |i, j| {
            let nats = if i == j { 4 } else { 40 };
            (dice.roll(100 * nats) as f64 / -100.0).exp()
        });
        let (slow, _) = slow_posterior::balanced(&weights.rows, 20_000);
        let balanced = Balanced::new(&weights, Unlisted::Unlikely).unwrap();
        left_out += n * n - balanced.figures().candidates as usize;
        let (mut list, mut mean) = (Vec::new(), 0.0);
        for (seeker, slow) in slow.iter().enumerate() {
            balanced.list(seeker, &mut list);
            let mut found = vec![0.0; n];
            for &(record, cost) in &list {
                found[record as usize] = (-cost).exp();
            }
            let off: f64 = found.iter().zip(slow).map(|(a, b)| (a - b).abs()).sum();
            worst = worst.max(off / 2.0);
            mean += off / 2.0 / n as f64;
        }
        worst_mean = worst_mean.max(mean);
    }
    println!("{left_out} left out; off by {worst:.6}, by {worst_mean:.6} on average of a file");
    assert!(left_out > 10_000, "{left_out}");
    assert!(worst < 1e-3 && worst_mean < 2e-4, "{worst} {worst_mean}");
}
