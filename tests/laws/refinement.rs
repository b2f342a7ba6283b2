//! Laws of optimal and refined partitions: univariate optimum, projections, tours, local exchange.

use proptest::prelude::*;
use rayon::ThreadPoolBuilder;
use sdcrisk::{
    mask::microaggregation::{
        Partition,
        exchange::exchange,
        projection::{Projection, projected},
        tour::along_tour,
        univariate::optimal,
    },
    statement::ArcCost,
    table::Matrix,
};

/// n points in some dimensions, in clumps of different width, without ties.
fn points(n: u32, width: u32) -> Matrix {
    let value = |i: u32| {
        let (record, axis) = (i / width, i % width);
        let clump = f64::from(record * 7919 % 11 * (axis + 3) % 13);
        let wave = (f64::from(i) * 12.9898).sin() * 43_758.545;
        clump * clump + (wave - wave.floor()) * (1.0 + clump)
    };
    let values = (0..n * width).map(value).collect();
    Matrix::complete(n as usize, width as usize, values)
}

/// Groups of successive records.
fn runs(n: u32, size: u32) -> Partition {
    let records: Vec<u32> = (0..n).collect();
    let groups = n / size;
    let cut = |group: u32| {
        if group + 1 == groups {
            &records[(group * size) as usize..]
        } else {
            &records[(group * size) as usize..((group + 1) * size) as usize]
        }
    };
    Partition::from_groups(n as usize, (0..groups).map(cut))
}

fn in_one(n: usize) -> Partition {
    let records: Vec<u32> = (0..n as u32).collect();
    Partition::from_groups(n, [&records[..]])
}

/// Everybody is in a group, and groups have k to 2k−1 records; or there is one group of fewer.
fn assert_valid(partition: &Partition, n: usize, k: usize) {
    let sizes = partition.sizes();
    assert_eq!(partition.group_of().len(), n);
    assert_eq!(sizes.iter().sum::<usize>(), n, "everybody is in a group");
    if n < k {
        assert_eq!(sizes.len(), usize::from(n > 0));
    } else {
        let legal = |&size: &usize| (k..2 * k).contains(&size);
        assert!(sizes.iter().all(legal), "k = {k}: {sizes:?}");
    }
}

/// SSA: squared distances of group means from the mean of all, times the sizes of the groups.
fn between(points: &Matrix, partition: &Partition) -> f64 {
    let mean = |records: &[u32], axis: usize| {
        let values = records.iter().map(|&r| points.row(r as usize)[axis]);
        values.sum::<f64>() / records.len() as f64
    };
    let groups = partition.groups();
    let all = groups.concat();
    let mut between = 0.0;
    for axis in 0..points.n_attributes() {
        let centre = mean(&all, axis);
        for group in &groups {
            between += group.len() as f64 * (mean(group, axis) - centre).powi(2);
        }
    }
    between
}

/// All methods of this file on the same points.
fn refined(points: &Matrix, k: usize) -> Vec<Partition> {
    let mut all = Vec::new();
    for projection in [Projection::ZScores, Projection::PrincipalComponent] {
        for cost in [ArcCost::Projected, ArcCost::Multivariate] {
            all.push(projected(points, projection, cost, k));
        }
    }
    all.push(along_tour(points, &all[3], k));
    all.push(exchange(points, all[0].clone(), k));
    all
}

#[test]
fn partitions_are_valid_and_sums_of_squares_add_up() {
    for (n, width) in [(60, 3), (61, 1), (200, 6)] {
        let points = points(n, width);
        let total = in_one(n as usize).sse(&points);
        for k in [1, 2, 3, 7, 30] {
            for partition in refined(&points, k) {
                assert_valid(&partition, n as usize, k);
                let sum = partition.sse(&points) + between(&points, &partition);
                assert!((sum / total - 1.0).abs() < 1e-12, "{n} x {width}, k = {k}");
            }
        }
    }
}

/// Also where the start has groups of 2k records and more, which are to be cut.
#[test]
fn refinement_is_never_worse_than_its_start() {
    for (n, width) in [(90, 2), (150, 5)] {
        let points = points(n, width);
        for k in [2, 3, 5, 11] {
            for size in [k, k + 1, 2 * k, 3 * k, 40] {
                let start = runs(n, size);
                let before = start.sse(&points);
                let tour = along_tour(&points, &start, k as usize);
                assert!(tour.sse(&points) <= before * (1.0 + 1e-12));
                let exchanged = exchange(&points, start, k as usize);
                assert!(exchanged.sse(&points) <= before);
                assert_valid(&exchanged, n as usize, k as usize);
                assert_valid(&tour, n as usize, k as usize);
            }
        }
    }
}

/// Sorting by another route must not show: with no ties, only the values decide.
#[test]
fn the_order_of_records_does_not_matter_where_nothing_ties() {
    let n = 210_u32;
    let original = points(n, 4);
    // 37 and 210 have no common divisor: a permutation.
    let from = |place: u32| (place * 37 % n) as usize;
    let values = (0..n).flat_map(|place| original.row(from(place)).to_vec());
    let shuffled = Matrix::complete(n as usize, 4, values.collect());
    for k in [2, 3, 8] {
        for projection in [Projection::ZScores, Projection::PrincipalComponent] {
            for cost in [ArcCost::Projected, ArcCost::Multivariate] {
                let a = projected(&original, projection, cost, k).sse(&original);
                let b = projected(&shuffled, projection, cost, k).sse(&shuffled);
                assert!((a / b - 1.0).abs() < 1e-10, "{projection:?} {cost:?}");
            }
        }
        let start = projected(&original, Projection::ZScores, ArcCost::Projected, k);
        let again = projected(&shuffled, Projection::ZScores, ArcCost::Projected, k);
        let a = along_tour(&original, &start, k).sse(&original);
        let b = along_tour(&shuffled, &again, k).sse(&shuffled);
        assert!((a / b - 1.0).abs() < 1e-10, "tour");
    }
}

#[test]
fn threads_do_not_matter() {
    // That districts, which are shared out to threads, do not show is tested beside them.
    let points = points(400, 3);
    let all = |threads| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        pool.unwrap().install(|| refined(&points, 5))
    };
    let one = all(1);
    assert!(one == all(2) && one == all(4));
}

/// A second call does not undo or redo: what exchange returns is a local optimum that a swap or a relocation between
/// any two groups of near records cannot better. On 14 points every group is near, so all are tried here, from scratch.
#[test]
fn no_single_exchange_betters_the_result() {
    for seed in 0..6 {
        let points = points(14 + seed, 2);
        let n = points.n_records();
        let result = exchange(&points, runs(n as u32, 3), 3);
        let sse = result.sse(&points);
        let better = |of: Vec<u32>| {
            let mut groups = vec![Vec::new(); result.n_groups()];
            (0..)
                .zip(&of)
                .for_each(|(r, &g)| groups[g as usize].push(r));
            let legal = groups.iter().all(|g| (3..6).contains(&g.len()));
            let groups = groups.iter().map(Vec::as_slice);
            legal && Partition::from_groups(n, groups).sse(&points) < sse * (1.0 - 1e-9)
        };
        for x in 0..n {
            for y in 0..n {
                let mut swapped = result.group_of().to_vec();
                swapped.swap(x, y);
                assert!(!better(swapped), "{x} and {y} should change places");
                let mut moved = result.group_of().to_vec();
                moved[x] = moved[y];
                assert!(!better(moved), "{x} should join {y}");
            }
        }
    }
}

#[test]
fn degenerate_points_neither_panic_nor_lose_anybody() {
    let extreme = [1e300, -1e300, 5e299, 0.0, 1.0, -3e299, 1e300, 2.0, 7e299];
    let tiny = extreme.map(|x| x * 1e-300 * 1e-300);
    let offset = extreme.map(|x| 1e15 + x / 1e299);
    for k in [1, 2, 3, 4, 9, 10] {
        for (n, width) in [(0, 2), (1, 2), (2, 1), (3, 0), (5, 0), (9, 1), (4, 2)] {
            for source in [extreme, tiny, offset, [2.5; 9], [0.0; 9]] {
                let values = source.iter().copied().cycle().take(n * width).collect();
                let points = Matrix::complete(n, width, values);
                for partition in refined(&points, k) {
                    assert_valid(&partition, n, k);
                }
            }
        }
    }
    // All records equal, in more than one group and more than one leaf of a search tree.
    let same = Matrix::complete(300, 2, vec![1.25; 600]);
    for partition in refined(&same, 4) {
        assert_valid(&partition, 300, 4);
        assert_eq!(partition.sse(&same), 0.0);
    }
    // Duplicates: twenty different points, seven times each; groups of 7 cost nothing.
    let few = points(20, 3);
    let values = (0..140).flat_map(|i| few.row(i % 20).to_vec()).collect();
    let few = Matrix::complete(140, 3, values);
    assert!(exchange(&few, runs(140, 7), 7).sse(&few) < 1e-9 * in_one(140).sse(&few));
}

/// Records outside of all groups stay outside.
#[test]
fn who_is_in_no_group_stays_in_none() {
    let points = points(40, 2);
    let groups: Vec<Vec<u32>> = (0..6)
        .map(|g| (0..5).map(|r| g * 6 + r).collect())
        .collect();
    let start = Partition::from_groups(40, groups.iter().map(Vec::as_slice));
    let outside = |partition: &Partition| -> Vec<usize> {
        let of = partition.group_of();
        (0..40).filter(|&r| of[r] == Partition::NO_GROUP).collect()
    };
    let expected = outside(&start);
    assert_eq!(outside(&along_tour(&points, &start, 3)), expected);
    assert_eq!(outside(&exchange(&points, start, 3)), expected);
}

/// SSE · lcm(1..=12) of a partition of whole numbers, exactly.
fn exact_sse(values: &[i64], groups: &[Vec<usize>]) -> i128 {
    const LCM: i128 = 27_720;
    let cost = |group: &Vec<usize>| {
        let m = group.len() as i128;
        let sum: i128 = group.iter().map(|&i| i128::from(values[i])).sum();
        let squares: i128 = group.iter().map(|&i| i128::from(values[i]).pow(2)).sum();
        (m * squares - sum * sum) * (LCM / m)
    };
    groups.iter().map(cost).sum()
}

/// The least SSE over all partitions into groups of at least k, contiguous or not: the first record left opens a group with
/// every subset of the others.
fn least_sse(values: &[i64], k: usize) -> i128 {
    let n = values.len();
    let mut least = vec![i128::MAX; 1 << n];
    least[0] = 0;
    for set in 1_usize..1 << n {
        let first = set.trailing_zeros();
        let others = set & !(1 << first);
        let mut with = others;
        loop {
            let group = with | 1 << first;
            let rest = least[set & !group];
            if group.count_ones() as usize >= k && rest < i128::MAX {
                let members = (0..n).filter(|i| group >> i & 1 == 1).collect();
                least[set] = least[set].min(rest + exact_sse(values, &[members]));
            }
            if with == 0 {
                break;
            }
            with = (with - 1) & others;
        }
    }
    least[(1 << n) - 1]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Ties, negative values, offsets up to 2^50 that a float still holds exactly: nothing is better than the optimum, in
    /// whole numbers.
    #[test]
    fn no_partition_at_all_beats_the_univariate_optimum(
        small in prop::collection::vec(-9_i64..9, 2..10),
        spread in prop::sample::select(vec![1_i64, 7, 1000]),
        offset in prop::sample::select(vec![0_i64, -5, 1 << 30, -(1 << 50)]),
        k in 1_usize..5,
    ) {
        let values: Vec<i64> = small.iter().map(|x| x * spread + offset).collect();
        let floats: Vec<f64> = values.iter().map(|&x| x as f64).collect();
        let partition = optimal(&floats, k);
        assert_valid(&partition, values.len(), k);
        if values.len() >= k {
            let groups: Vec<Vec<usize>> = partition
                .groups()
                .iter()
                .map(|group| group.iter().map(|&r| r as usize).collect())
                .collect();
            prop_assert_eq!(exact_sse(&values, &groups), least_sse(&values, k));
        }
    }

    /// Any finite numbers: the result is valid, and the same sequence of values whatever the order of the records.
    #[test]
    fn any_numbers_are_grouped(
        values in prop::collection::vec(prop::num::f64::NORMAL | prop::num::f64::ZERO, 0..60),
        k in 1_usize..40,
    ) {
        assert_valid(&optimal(&values, k), values.len(), k);
        let mut sorted = values.clone();
        sorted.sort_by(f64::total_cmp);
        let sizes = |values: &[f64]| {
            let mut sizes = optimal(values, k).sizes();
            sizes.sort_unstable();
            sizes
        };
        prop_assert_eq!(sizes(&values), sizes(&sorted));
    }
}

/// Twelve values, exhaustively, with each k: 12!/(…) partitions are too many for chance alone to find.
#[test]
fn twelve_values_exhaustively() {
    let cases: [[i64; 12]; 3] = [
        [5, 5, 5, 1, 1, 9, 9, 9, 9, 2, 2, 40],
        [-100, -99, -50, -49, -48, 0, 0, 1, 3, 60, 61, 1000],
        [0, 1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 66].map(|x| x + (1 << 40)),
    ];
    for values in cases {
        let floats = values.map(|x| x as f64);
        for k in 2..=5 {
            let groups = optimal(&floats, k).groups();
            let groups: Vec<Vec<usize>> = groups
                .iter()
                .map(|group| group.iter().map(|&r| r as usize).collect())
                .collect();
            assert_eq!(
                exact_sse(&values, &groups),
                least_sse(&values, k),
                "k = {k}"
            );
        }
    }
}
