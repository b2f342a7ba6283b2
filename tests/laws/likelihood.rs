//! The laws that the likelihood attack assumes, against counts of what maskings do; and the attack against a slow program.

use sdcrisk::{
    attack::{
        Attack, Direction, Lists, Preference, Scenario,
        balanced::{Balanced, Unlisted},
        likelihood::Likelihood,
    },
    mask::{
        Mask,
        p_buckets::PBuckets,
        p_distribution::PDistribution,
        rank_swap::{RankSwap, Reach},
    },
    rng::{Purpose, Seed},
    statement::{Method, Partner, RankSwapParameters, Step},
    table::{
        ReadOptions, Scale, Table,
        matrix::{Gaps, Matrix},
    },
};

use crate::random_files::{self, Cells, Dice, table};

/// The lists of an attack on matrices.
fn lists<'a>(attack: &Likelihood, scenario: &Scenario<'a>) -> Box<dyn Lists + 'a> {
    match attack.prepare(scenario).unwrap() {
        Preference::Lists(lists) => lists,
        Preference::Nearest(_) | Preference::Agreed(_) | Preference::Strata(_) => {
            panic!("likelihoods are lists")
        }
    }
}

/// The numbers 1..=n as an attribute.
fn ranks(n: usize) -> Table {
    let mut text = String::from("a\n");
    for number in 1..=n {
        text += &format!("{number}\n");
    }
    Table::read("ranks.csv", text.into_bytes(), &ReadOptions::default()).unwrap()
}

/// The probabilities that the attack assumes for the masked rank of one rank of 0..n.
fn assumed(statement: &Step, n: usize, rank: usize) -> Vec<f64> {
    let file = Matrix::complete(n, 1, (1..=n).map(|x| x as f64).collect());
    let scenario = Scenario {
        known: &["a".into()],
        scales: &[Scale::Continuous],
        categories: &[],
        intruder: &file,
        released: &file,
        direction: Direction::OriginalToMasked,
        aligned: None,
        beside: None,
        unrecoded: None,
    };
    let attack = Likelihood::new(statement.clone()).unwrap();
    let mut list = Vec::new();
    lists(&attack, &scenario).list(rank, &mut list);
    let mut law = vec![0.0; n];
    for (other, cost) in list {
        law[other as usize] = (-cost).exp() / n as f64;
    }
    law
}

/// Where the values of some ranks went in several maskings: counts by displacement in rank + n.
fn displacements(method: &dyn Mask, n: usize, files: u32, ranks_of: &[usize]) -> Vec<f64> {
    let original = ranks(n);
    let on: Vec<_> = original.ids().collect();
    let mut counts = vec![0.0; 2 * n];
    for file in 0..files {
        let streams = Seed::from_number(11).streams(Purpose::Mask, file);
        let masked = method.mask(original.clone(), &on, &streams).unwrap();
        let values = masked.table.numbers(on[0]).unwrap().values.to_vec();
        for &rank in ranks_of {
            let new = values[rank].round() as usize - 1;
            counts[new + n - rank] += 1.0;
        }
    }
    let total: f64 = counts.iter().sum();
    counts.iter().map(|count| count / total).collect()
}

/// Half the sum of absolute differences after displacements were put together in `bins` of equal probability each (by the
/// law).
fn total_variation(law: &[f64], counted: &[f64], bins: usize) -> f64 {
    let (mut mass, mut off, mut sum, mut bin) = (0.0, 0.0, 0.0, 1.0);
    for (p, share) in law.iter().zip(counted) {
        mass += p;
        off += share - p;
        if mass >= bin / bins as f64 {
            sum += off.abs();
            off = 0.0;
            bin = (mass * bins as f64).floor() + 1.0;
        }
    }
    (sum + off.abs()) / 2.0
}

/// Compares the law of displacements from the middle of the file with counts. Of N pairs in B bins, chance alone makes a
/// total variation of √(B / 2πN) on average, and rarely twice that.
fn check_displacements(method: &dyn Mask, what: &str, margin: usize, files: u32, off: f64) {
    const N: usize = 3000;
    const BINS: usize = 20;
    let middle: Vec<usize> = (margin..N - margin).collect();
    let counted = displacements(method, N, files, &middle);
    let statement = {
        let table = ranks(N);
        let on: Vec<_> = table.ids().collect();
        let streams = Seed::from_number(11).streams(Purpose::Mask, 0);
        method.mask(table, &on, &streams).unwrap().step
    };
    let of_middle = assumed(&statement, N, N / 2);
    let mut law = vec![0.0; 2 * N];
    law[N - N / 2..2 * N - N / 2].copy_from_slice(&of_middle);
    let total: f64 = law.iter().sum();
    assert!((total - 1.0).abs() < 0.01, "{what}: sums to {total}");
    let pairs = middle.len() as f64 * f64::from(files) / 2.0;
    let chance = (BINS as f64 / (std::f64::consts::TAU * pairs)).sqrt();
    let found = total_variation(&law, &counted, BINS);
    assert!(
        found < 2.0 * chance + off,
        "{what}: {found}, by chance {chance}"
    );
}

#[test]
fn rank_swapping_moves_values_as_the_law_says() {
    for partner in [Partner::Unswapped, Partner::Skip] {
        // Exact up to 12; independence is nearly right from there on, and right in the limit.
        for (window, off) in [
            (1, 0.0),
            (3, 0.0),
            (12, 0.0),
            (13, 0.01),
            (30, 0.005),
            (200, 0.0),
        ] {
            let method = RankSwap::new(Reach::Window(window), partner).unwrap();
            let what = format!("{partner:?}, window {window}");
            check_displacements(&method, &what, 3 * window, 20, off);
        }
    }
}

/// In the middle of the file: exact up to 24, normal from there on.
#[test]
fn cycles_move_values_as_the_law_says() {
    for (window, off) in [(1, 0.0), (3, 0.0), (24, 0.0), (25, 0.01), (200, 0.0)] {
        let method = RankSwap::new(Reach::Window(window), Partner::Cycle).unwrap();
        check_displacements(&method, &format!("cycle {window}"), 3 * window, 20, off);
    }
}

/// At the end of the file, rank by rank: n = 300, moves of up to 100. The least value comes out below rank k with probability
/// √(k/100) in the limit, and so on; counts decide.
#[test]
fn cycles_move_values_at_the_ends_as_the_law_says() {
    const N: usize = 300;
    const FILES: u32 = 1500;
    let method = RankSwap::new(Reach::Window(100), Partner::Cycle).unwrap();
    let original = ranks(N);
    let on: Vec<_> = original.ids().collect();
    let mut counts = vec![vec![0.0; N]; N];
    let mut statement = None;
    for file in 0..FILES {
        let streams = Seed::from_number(11).streams(Purpose::Mask, file);
        let masked = method.mask(original.clone(), &on, &streams).unwrap();
        let values = masked.table.numbers(on[0]).unwrap().values.to_vec();
        for (rank, value) in values.iter().enumerate() {
            counts[rank][value.round() as usize - 1] += 1.0 / f64::from(FILES);
        }
        statement = Some(masked.step);
    }
    let statement = statement.unwrap();
    let chance = (20.0 / (std::f64::consts::TAU * f64::from(FILES) / 2.0)).sqrt();
    // Masked records that seek are told P alone; those who seek them also hear how often each is met.
    let file = Matrix::complete(N, 1, (1..=N).map(|x| x as f64).collect());
    let scenario = Scenario {
        known: &["a".into()],
        scales: &[Scale::Continuous],
        categories: &[],
        intruder: &file,
        released: &file,
        direction: Direction::MaskedToOriginal,
        aligned: None,
        beside: None,
        unrecoded: None,
    };
    let attack = Likelihood::new(statement).unwrap();
    let lists = lists(&attack, &scenario);
    let mut by_law = vec![vec![0.0; N]; N];
    let mut list = Vec::new();
    for new in 0..N {
        lists.list(new, &mut list);
        for &(rank, cost) in &list {
            let law: &mut Vec<f64> = &mut by_law[rank as usize];
            law[new] = (-cost).exp() / N as f64;
        }
    }
    for rank in [0, 1, 5, 20, 60, 99, 150, 230, 280, 298, 299] {
        let law = &by_law[rank];
        let total: f64 = law.iter().sum();
        assert!((total - 1.0).abs() < 0.002, "{rank}: sums to {total}");
        let found = total_variation(law, &counts[rank], 20);
        assert!(
            found < 1.5 * chance + 0.01,
            "{rank}: {found}, by chance {chance}"
        );
    }
}

#[test]
fn p_distribution_moves_values_as_the_law_says() {
    for (p, off) in [(0.1, 0.0), (0.3, 0.02), (2.0, 0.01), (10.0, 0.0)] {
        let method = PDistribution::new(p).unwrap();
        let reach = (p * 30.0 * 2.5) as usize + 10;
        check_displacements(&method, &format!("p-distribution {p}"), reach, 20, off);
    }
}

/// Of a release of every third record, by chance: ranks are those among the released values.
#[test]
fn shortened_releases_move_values_as_the_thinned_law_says() {
    for partner in [Partner::Unswapped, Partner::Cycle] {
        check_shortened(partner);
    }
}

fn check_shortened(partner: Partner) {
    const N: usize = 3000;
    const KEPT: usize = 1000;
    let original = ranks(N);
    let on: Vec<_> = original.ids().collect();
    let method = RankSwap::new(Reach::Window(300), partner).unwrap();
    let mut counted = vec![0.0; 2 * KEPT];
    let mut statement = None;
    let mut dice = Dice(3);
    for file in 0..60 {
        let streams = Seed::from_number(12).streams(Purpose::Mask, file);
        let masked = method.mask(original.clone(), &on, &streams).unwrap();
        let values = masked.table.numbers(on[0]).unwrap().values.to_vec();
        let mut order: Vec<usize> = (0..N).collect();
        for last in (1..N).rev() {
            order.swap(last, dice.roll(last as u64 + 1) as usize);
        }
        let kept = &order[..KEPT];
        let mut released: Vec<f64> = kept.iter().map(|&record| values[record]).collect();
        released.sort_by(f64::total_cmp);
        for &record in kept {
            let own = (record + 1) as f64;
            let place = |value: f64| released.partition_point(|&other| other < value);
            let middle = (300..700).contains(&place(own));
            // Those whose own value was released too have a rank.
            if middle
                && released
                    .binary_search_by(|other| other.total_cmp(&own))
                    .is_ok()
            {
                counted[place(values[record]) + KEPT - place(own)] += 1.0;
            }
        }
        statement = Some(masked.step);
    }
    let total: f64 = counted.iter().sum();
    counted.iter_mut().for_each(|count| *count /= total);
    let of_middle = assumed(&statement.unwrap(), KEPT, KEPT / 2);
    let mut law = vec![0.0; 2 * KEPT];
    law[KEPT / 2..KEPT / 2 + KEPT].copy_from_slice(&of_middle);
    let chance = (20.0 / (std::f64::consts::TAU * total / 2.0)).sqrt();
    let found = total_variation(&law, &counted, 20);
    assert!(found < 2.0 * chance, "{partner:?}: {found} {chance}");
}

/// Where the values of one bucket went, by bucket. Inside a bucket the law is uniform, which is an approximation.
#[test]
fn p_buckets_moves_values_as_the_law_says() {
    const N: usize = 1200;
    for (buckets, off) in [(1, 0.0), (4, 0.005), (20, 0.005), (300, 0.03), (1200, 0.03)] {
        let method = PBuckets::new(buckets).unwrap();
        let table = ranks(N);
        let on: Vec<_> = table.ids().collect();
        let streams = Seed::from_number(11).streams(Purpose::Mask, 0);
        let statement = method.mask(table, &on, &streams).unwrap().step;
        let (bucket, size) = (buckets / 2, N / buckets);
        let of_bucket: Vec<usize> = (bucket * size..(bucket + 1) * size).collect();
        let files = u32::try_from(30_000 / of_bucket.len()).unwrap().min(1000);
        let mut by_law = vec![0.0; buckets];
        let mut by_count = vec![0.0; buckets];
        for &rank in &of_bucket {
            for (new, p) in assumed(&statement, N, rank).iter().enumerate() {
                by_law[new / size] += p / size as f64;
            }
        }
        let original = ranks(N);
        for file in 0..files {
            let streams = Seed::from_number(11).streams(Purpose::Mask, file);
            let masked = method.mask(original.clone(), &on, &streams).unwrap();
            let values = masked.table.numbers(on[0]).unwrap().values.to_vec();
            for &rank in &of_bucket {
                let new = values[rank].round() as usize - 1;
                by_count[new / size] += 1.0 / (size as f64 * f64::from(files));
            }
        }
        let total: f64 = by_law.iter().sum();
        assert!(
            (total - 1.0).abs() < 0.03,
            "{buckets} buckets: sums to {total}"
        );
        let pairs = of_bucket.len() as f64 * f64::from(files) / 2.0;
        let bins = buckets.min(12) as f64;
        let chance = (bins / (std::f64::consts::TAU * pairs)).sqrt();
        let off_by = by_law.iter().zip(&by_count).map(|(a, b)| (a - b).abs());
        let found = off_by.sum::<f64>() / 2.0;
        assert!(
            found < 2.0 * chance + off,
            "{buckets} buckets: {found}, by chance {chance}"
        );
    }
}

/// The slow program: its own ranks, its own law, plain loops.
mod slow {
    use super::Cells;

    /// Ranks of a value among the values, lowest to highest; those beside its gap if it does not occur.
    pub fn ranks(values: &[i64], value: i64) -> Vec<i64> {
        let below = values.iter().filter(|&&other| other < value).count() as i64;
        let ties = values.iter().filter(|&&other| other == value).count() as i64;
        let n = values.len() as i64;
        match ties {
            0 => (below - 1..=below)
                .filter(|&r| (0..n).contains(&r))
                .collect(),
            _ => (below..below + ties).collect(),
        }
    }

    /// P(k) = (1 − 2^(−1/m)) 2^(−(m − k)/m), and 1/n for 0, times n.
    fn probability(k: i64, m: i64, n: usize) -> f64 {
        match k.abs() {
            0 => 1.0,
            k if k <= m => {
                let m = m as f64;
                let hazard = 1.0 - (-1.0 / m).exp2();
                n as f64 * hazard * (-(m - k as f64) / m).exp2()
            }
            _ => 0.0,
        }
    }

    /// Likelihoods of all pairs, seekers × sought; attribute 0 was not masked.
    ///
    /// `in_place`: of each attribute, whether who misses it is known to look among those who do, and who has it among those who have it.
    pub fn likelihoods(
        seekers: &Cells,
        sought: &Cells,
        released: &Cells,
        m: i64,
        in_place: &[[bool; 2]],
    ) -> Vec<Vec<f64>> {
        let width = seekers[0].len();
        let columns: Vec<Vec<i64>> = (0..width)
            .map(|k| released.iter().filter_map(|record| record[k]).collect())
            .collect();
        let pair = |seeker: &[Option<i64>], other: &[Option<i64>]| -> f64 {
            let mut product = 1.0;
            for k in 0..width {
                let (Some(own), Some(other)) = (seeker[k], other[k]) else {
                    let known = in_place[k];
                    if known[0] && other[k].is_some() || known[1] && seeker[k].is_some() {
                        return 0.0;
                    }
                    continue;
                };
                let values = &columns[k];
                if k == 0 {
                    let ties = values.iter().filter(|&&value| value == own).count();
                    let equal = own == other && ties > 0;
                    product *= if equal {
                        values.len() as f64 / ties as f64
                    } else {
                        0.0
                    };
                    continue;
                }
                let (one, two) = (ranks(values, own), ranks(values, other));
                let mut sum = 0.0;
                for i in &one {
                    for j in &two {
                        sum += probability(i - j, m, values.len());
                    }
                }
                product *= sum / (one.len() * two.len()) as f64;
            }
            product
        };
        seekers
            .iter()
            .map(|seeker| sought.iter().map(|other| pair(seeker, other)).collect())
            .collect()
    }

    /// The most pairs that rows and columns can make, without one row and one column.
    fn most(w: &[Vec<f64>], without: (Option<usize>, Option<usize>)) -> usize {
        fn path(
            w: &[Vec<f64>],
            row: usize,
            seen: &mut [bool],
            owner: &mut [Option<usize>],
        ) -> bool {
            for column in 0..owner.len() {
                if w[row][column] > 0.0 && !seen[column] {
                    seen[column] = true;
                    if owner[column].is_none_or(|other| path(w, other, seen, owner)) {
                        owner[column] = Some(row);
                        return true;
                    }
                }
            }
            false
        }
        let mut owner = vec![None; w[0].len()];
        let rows = (0..w.len()).filter(|&row| Some(row) != without.0);
        rows.filter(|&row| {
            let mut seen = vec![false; w[0].len()];
            if let Some(column) = without.1 {
                seen[column] = true;
            }
            path(w, row, &mut seen, &mut owner)
        })
        .count()
    }

    /// Pairs that are in no matching with the most pairs removed; then rows and columns scaled in turns, with a row and a column for the
    /// strangers that such a matching leaves alone.
    pub fn balanced(likelihoods: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let mut w = likelihoods.to_vec();
        let n_columns = w[0].len();
        let pairs = most(&w, (None, None));
        for (i, row) in likelihoods.iter().enumerate() {
            for j in 0..n_columns {
                if row[j] > 0.0 && most(likelihoods, (Some(i), Some(j))) + 1 < pairs {
                    w[i][j] = 0.0;
                }
            }
        }
        let used: Vec<bool> = (0..n_columns)
            .map(|j| w.iter().any(|row| row[j] > 0.0))
            .collect();
        let filled: Vec<bool> = w.iter().map(|row| row.iter().any(|&x| x > 0.0)).collect();
        let (pairs, rows) = (
            pairs as f64,
            filled.iter().filter(|&&used| used).count() as f64,
        );
        let columns = used.iter().filter(|&&used| used).count() as f64;
        let mut stranger_row: Vec<f64> = (0..n_columns)
            .map(|j| used[j] && most(likelihoods, (None, Some(j))) as f64 == pairs)
            .map(|alone| f64::from(u8::from(alone && columns > pairs)))
            .collect();
        let mut stranger_column: Vec<f64> = (0..w.len())
            .map(|i| filled[i] && most(likelihoods, (Some(i), None)) as f64 == pairs)
            .map(|alone| f64::from(u8::from(alone && rows > pairs)))
            .collect();
        for _ in 0..1500 {
            for (row, stranger) in w.iter_mut().zip(&mut stranger_column) {
                let sum: f64 = row.iter().sum::<f64>() + *stranger;
                if sum > 0.0 {
                    row.iter_mut().for_each(|x| *x /= sum);
                    *stranger /= sum;
                }
            }
            let sum: f64 = stranger_row.iter().sum();
            if sum > 0.0 {
                stranger_row
                    .iter_mut()
                    .for_each(|x| *x *= (columns - pairs) / sum);
            }
            for j in 0..n_columns {
                let sum: f64 = w.iter().map(|row| row[j]).sum::<f64>() + stranger_row[j];
                if sum > 0.0 {
                    w.iter_mut().for_each(|row| row[j] /= sum);
                    stranger_row[j] /= sum;
                }
            }
            let sum: f64 = stranger_column.iter().sum();
            if sum > 0.0 {
                stranger_column
                    .iter_mut()
                    .for_each(|x| *x *= (rows - pairs) / sum);
            }
        }
        for (row, stranger) in w.iter_mut().zip(&stranger_column) {
            let sum: f64 = row.iter().sum::<f64>() + stranger;
            if sum > 0.0 {
                row.iter_mut().for_each(|x| *x /= sum);
            }
        }
        w
    }
}

fn matrix(cells: &Cells) -> Matrix {
    let width = cells[0].len();
    let values = cells
        .iter()
        .flatten()
        .map(|cell| cell.unwrap_or(0) as f64)
        .collect();
    let mut matrix = Matrix::complete(cells.len(), width, values);
    for (record, row) in cells.iter().enumerate() {
        for (k, cell) in row.iter().enumerate() {
            if cell.is_none() {
                matrix.set_missing(record, k);
            }
        }
    }
    matrix
}

fn rank_swapped(cells: &Cells, window: usize, seed: u64) -> Cells {
    let original = table(cells);
    let on: Vec<_> = original.ids().skip(1).collect();
    let method = RankSwap::new(Reach::Window(window), Partner::Unswapped).unwrap();
    let streams = Seed::from_number(seed).streams(Purpose::Mask, 0);
    let masked = method.mask(original, &on, &streams).unwrap();
    let mut text = Vec::new();
    masked.table.write(&mut text).unwrap();
    random_files::parse(&String::from_utf8(text).unwrap())
}

/// Files of chance: an attribute that was not masked, then masked ones, with ties and gaps; the intruder holds all records or
/// every third, and some values that are not in the release.
fn for_each_case(mut check: impl FnMut(&[Vec<(u32, f64)>], &Balanced, &[Vec<f64>])) {
    const WINDOW: usize = 14;
    let mut dice = Dice(5);
    for round in 0..12 {
        let gap = [0, 9][round % 2];
        let original = random_files::cells(&mut dice, 60, 3, gap);
        let mut released = rank_swapped(&original, WINDOW, round as u64);
        let step = if round % 3 == 0 { 3 } else { 1 };
        let mut held: Cells = original.iter().step_by(step).cloned().collect();
        if round >= 6 {
            // Suppressed afterwards.
            (released[0][1], released[3][2], released[9][0]) = (None, None, None);
        }
        if round % 4 == 3 {
            // A value between those of the release.
            let cell = held[1][2].get_or_insert(0);
            *cell = 1_000_000;
        }
        let statement = Step::new(
            Method::RankSwap(RankSwapParameters {
                p: None,
                window: WINDOW,
                partner: Partner::Unswapped,
            }),
            released.len(),
            vec!["a1".into(), "a2".into()],
        );
        let known = ["a0", "a1", "a2"].map(String::from);
        // In each attribute, whether all true pairs miss it after masking if before, and before if after.
        let pairs = || held.iter().zip(released.iter().step_by(step));
        let implies = |from: bool, to: bool| !from || to;
        let compared = [0, 1, 2].map(|k| {
            let of =
                |(x, y): (&Vec<Option<i64>>, &Vec<Option<i64>>)| (x[k].is_none(), y[k].is_none());
            [
                pairs()
                    .map(of)
                    .all(|(before, after)| implies(before, after)),
                pairs()
                    .map(of)
                    .all(|(before, after)| implies(after, before)),
            ]
        });
        let (intruder, mut shown) = (matrix(&held), matrix(&released));
        for (k, [kept, none_added]) in compared.into_iter().enumerate() {
            shown.set_gaps(k, Gaps::Compared { kept, none_added });
        }
        for direction in [Direction::OriginalToMasked, Direction::MaskedToOriginal] {
            let scenario = Scenario {
                known: &known,
                scales: &[Scale::Continuous; 3],
                categories: &[],
                intruder: &intruder,
                released: &shown,
                direction,
                aligned: None,
                beside: None,
                unrecoded: None,
            };
            let (seekers, sought) = match direction {
                Direction::OriginalToMasked => (&held, &released),
                Direction::MaskedToOriginal => (&released, &held),
            };
            let in_place = compared.map(|[kept, none_added]| match direction {
                Direction::OriginalToMasked => [kept, none_added],
                Direction::MaskedToOriginal => [none_added, kept],
            });
            let slow = slow::likelihoods(seekers, sought, &released, WINDOW as i64, &in_place);
            let lists = lists(&Likelihood::new(statement.clone()).unwrap(), &scenario);
            let fast: Vec<Vec<(u32, f64)>> = (0..seekers.len())
                .map(|seeker| {
                    let mut list = Vec::new();
                    lists.list(seeker, &mut list);
                    list
                })
                .collect();
            check(
                &fast,
                &Balanced::new(lists.as_ref(), Unlisted::Impossible).unwrap(),
                &slow,
            );
        }
    }
}

#[test]
fn lists_are_those_of_the_slow_program() {
    for_each_case(|fast, _, slow| {
        for (list, row) in fast.iter().zip(slow) {
            let possible: Vec<u32> = (0_u32..)
                .zip(row)
                .filter(|(_, p)| **p > 0.0)
                .map(|(j, _)| j)
                .collect();
            let listed: Vec<u32> = list.iter().map(|&(j, _)| j).collect();
            assert_eq!(listed, possible);
            for &(j, cost) in list {
                assert!((cost + row[j as usize].ln()).abs() < 1e-8);
            }
        }
    });
}

#[test]
fn balanced_is_the_scaling_of_the_slow_program() {
    for_each_case(|fast, balanced, slow| {
        let slow = slow::balanced(slow);
        let mut columns = vec![0.0; balanced.n_sought()];
        let mut worst = 0.0_f64;
        for (seeker, row) in slow.iter().enumerate() {
            let mut list = Vec::new();
            balanced.list(seeker, &mut list);
            let possible = row.iter().filter(|&&p| p > 0.0).count();
            assert!(list.len() == possible && possible <= fast[seeker].len());
            let mut sum = balanced.no_partner(seeker);
            for &(j, cost) in &list {
                let p = (-cost).exp();
                sum += p;
                columns[j as usize] += p;
                worst = worst.max((p - row[j as usize]).abs());
            }
            assert!(list.is_empty() || (sum - 1.0).abs() < 1e-9);
        }
        let most = columns.iter().fold(0.0_f64, |most, &sum| most.max(sum));
        assert!(worst < 0.005, "{worst}");
        assert!(most < 1.002, "{most}");
    });
}

/// Exactly one way to link everybody is left: by hand, 0–0 and 1–1 although 1 likes 0 as well.
#[test]
fn balanced_leaves_a_record_to_whom_has_no_other() {
    #[derive(Debug)]
    struct Two;
    impl Lists for Two {
        fn n_seekers(&self) -> usize {
            2
        }
        fn n_sought(&self) -> usize {
            2
        }
        fn list(&self, seeker: usize, list: &mut Vec<(u32, f64)>) {
            list.clear();
            list.extend([(0, 0.0)]);
            if seeker == 1 {
                list.push((1, 3.0));
            }
        }
        fn is_likelihood(&self) -> bool {
            true
        }
    }
    let balanced = Balanced::new(&Two, Unlisted::Impossible).unwrap();
    let mut list = Vec::new();
    balanced.list(1, &mut list);
    // Sinkhorn alone would reach it in the limit only: after t rounds the wrong entry is about 1/t.
    assert!(
        list.len() == 1 && list[0].0 == 1 && list[0].1.abs() < 1e-12,
        "{list:?}"
    );
}

#[test]
fn every_number_of_threads_says_the_same() {
    let mut dice = Dice(17);
    let original = random_files::cells(&mut dice, 500, 4, 11);
    let released = rank_swapped(&original, 40, 3);
    let (intruder, shown) = (matrix(&original), matrix(&released));
    let known = ["a0", "a1", "a2", "a3"].map(String::from);
    let scenario = Scenario {
        known: &known[1..],
        scales: &[Scale::Continuous; 3],
        categories: &[],
        intruder: &drop_first(&intruder),
        released: &drop_first(&shown),
        direction: Direction::OriginalToMasked,
        aligned: None,
        beside: None,
        unrecoded: None,
    };
    let windows = known[1..].iter().map(|name| (name.clone(), 40)).collect();
    let attack = Likelihood::of_windows(windows, 500);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let lists = lists(&attack, &scenario);
            let balanced = Balanced::new(lists.as_ref(), Unlisted::Impossible).unwrap();
            let mut bits = Vec::new();
            let mut list = Vec::new();
            for seeker in 0..500 {
                for source in [lists.as_ref(), &balanced] {
                    source.list(seeker, &mut list);
                    bits.extend(list.iter().map(|&(j, cost)| (j, cost.to_bits())));
                }
            }
            bits
        })
    };
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(4));
}

fn drop_first(matrix: &Matrix) -> Matrix {
    let width = matrix.n_attributes() - 1;
    let values = (0..matrix.n_records()).flat_map(|record| matrix.row(record)[1..].to_vec());
    let mut rest = Matrix::complete(matrix.n_records(), width, values.collect());
    for record in 0..matrix.n_records() {
        for k in 0..width {
            if matrix.is_missing(record, k + 1) {
                rest.set_missing(record, k);
            }
        }
    }
    rest
}
