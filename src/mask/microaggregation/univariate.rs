//! Optimal microaggregation of one attribute.

use rayon::prelude::*;

use super::{Partition, scale};

/// Up to this group size, trying every size of the last group is as fast as searching for the best one.
const EVERY_SIZE_TRIED: usize = 12;

/// The partition of single values into groups of k to 2k−1 with the least SSE.
///
/// ```text
/// least(0) = 0,  least(j) = min over i of least(i) + SSE(x_{i+1}, …, x_j),  k ≤ j − i ≤ 2k − 1
/// ```
///
/// over the values in ascending order: some optimal partition has contiguous groups, and none needs a group of 2k or more.
/// With fewer than 2k values there is one group.
///
/// # Ties
/// Equal values stand in the order of the records. Among partitions of equal (computed) SSE, the last group is as small as
/// possible, then the last but one, and so on.
///
/// # Precision
/// The SSE of each group is summed from differences from a value inside the group, so offsets and far values cancel
/// nothing: its relative error is at most some (group size) · 2^-53. Sums over groups are kept relative to the neighbourhood.
///
/// # Complexity
/// O(n log n) for sorting, then O(n k) for k up to 12 and O(n log k) beyond; O(n) memory.
///
/// # Source
/// S. L. Hansen, S. Mukherjee, "A polynomial algorithm for optimal univariate microaggregation", IEEE TKDE 15, 2003. The costs
/// satisfy the quadrangle inequality, so the start of the last group never moves back as j grows; this confines the search.
///
/// # Panics
/// If k is 0.
pub fn optimal(values: &[f64], k: usize) -> Partition {
    let order = ascending(values);
    let sorted: Vec<f64> = order.iter().map(|&r| values[r as usize]).collect();
    of_runs(values.len(), &order, &optimal_sorted(&sorted, k))
}

/// The sizes of the groups of [`optimal`] for values in ascending order, from the least value on.
///
/// # Panics
/// If k is 0.
pub fn optimal_sorted(sorted: &[f64], k: usize) -> Vec<u32> {
    let search = match k {
        0..=EVERY_SIZE_TRIED => Search::EverySize,
        _ => Search::Halving,
    };
    shortest_path(sorted, k, search)
}

/// The partition whose groups are runs of an order of records.
pub(super) fn of_runs(n_records: usize, order: &[u32], sizes: &[u32]) -> Partition {
    let mut rest = order;
    let groups = sizes.iter().map(|&size| {
        let (group, after) = rest.split_at(size as usize);
        rest = after;
        group
    });
    Partition::from_groups(n_records, groups)
}

/// The records by ascending value, equal values by record.
pub(super) fn ascending(values: &[f64]) -> Vec<u32> {
    let mut keyed: Vec<(u64, u32)> = values.iter().map(|&x| bits_in_order(x)).zip(0..).collect();
    // Keys are distinct, so the result does not depend on how the work is shared out.
    keyed.par_sort_unstable();
    keyed.into_iter().map(|(_, record)| record).collect()
}

/// A whole number that orders as the value does; `-0.0` counts as `0.0`.
fn bits_in_order(value: f64) -> u64 {
    const SIGN: u64 = 1 << 63;
    let bits = (value + 0.0).to_bits();
    if bits & SIGN == 0 { bits | SIGN } else { !bits }
}

/// How the best start of a last group is found.
#[derive(Clone, Copy)]
enum Search {
    /// Every permitted size of the last group.
    EverySize,
    /// The middle position first, by every size; its answer then confines the positions before and after it.
    Halving,
}

/// The sizes of the groups along the shortest path.
fn shortest_path(sorted: &[f64], k: usize, search: Search) -> Vec<u32> {
    assert!(k > 0, "a group has a record at least");
    let n = sorted.len();
    if n < 2 * k {
        return if n == 0 { Vec::new() } else { vec![size(n)] };
    }
    let factor = scale::factor(sorted);
    let scaled: Vec<f64> = sorted.iter().map(|x| x * factor).collect();
    let mut least = vec![f64::INFINITY; n + 1];
    least[0] = 0.0;
    let mut path = Path {
        k,
        least,
        start: vec![0; n + 1],
        inverse: (0..2 * k).map(|m| 1.0 / m as f64).collect(),
        before: vec![Sums::default(); 2 * k],
        after: vec![Sums::default(); k],
    };
    for batch in (k..=n).step_by(k) {
        path.sum_around(&scaled, batch);
        let last = (batch + k - 1).min(n);
        match search {
            Search::EverySize => (batch..=last).for_each(|j| path.settle(batch, j, 0, n)),
            Search::Halving => path.halve(batch, batch, last, 0, n),
        }
    }
    sizes(&path.start, n)
}

/// The sizes of the groups, from the start of the last group of every position.
pub(super) fn sizes(start: &[u32], n: usize) -> Vec<u32> {
    let mut sizes = Vec::new();
    let mut end = size(n);
    while end > 0 {
        let begin = start[end as usize];
        sizes.push(end - begin);
        end = begin;
    }
    sizes.reverse();
    sizes
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a table holds at most u32::MAX records"
)]
pub(super) fn size(n: usize) -> u32 {
    n as u32
}

/// Sum and sum of squares of differences from one value.
#[derive(Clone, Copy, Default)]
struct Sums {
    sum: f64,
    squares: f64,
}

/// Shortest paths to the positions `0..=n`, filled in batches of k positions.
///
/// A group that ends in `batch..batch + k` begins before `batch`, hence holds the value just before the position `batch`.
/// Differences from that value make every group of the batch the sum of a part before and a part after it.
struct Path {
    k: usize,
    /// The least SSE of the first j values, less a constant that changes from batch to batch.
    least: Vec<f64>,
    /// Where the last group of the first j values begins.
    start: Vec<u32>,
    /// 1/m.
    inverse: Vec<f64>,
    /// Over the last i values before the batch.
    before: Vec<Sums>,
    /// Over the first j values of the batch.
    after: Vec<Sums>,
}

impl Path {
    /// Makes the sums around the beginning of a batch, and takes the least SSE so far off those that are still needed.
    fn sum_around(&mut self, x: &[f64], batch: usize) {
        let anchor = x[batch - 1];
        let reach = batch.min(2 * self.k - 1);
        let last = self.k.min(x.len() + 1 - batch);
        let window = &x[batch - reach..batch];
        running_sums(
            window.iter().rev().map(|v| v - anchor),
            &mut self.before[..=reach],
        );
        running_sums(
            x[batch..].iter().map(|v| v - anchor),
            &mut self.after[..last],
        );
        let needed = &mut self.least[batch - reach..batch];
        let base = needed.iter().copied().fold(f64::INFINITY, f64::min);
        if base.is_finite() {
            needed.iter_mut().for_each(|least| *least -= base);
        }
    }

    /// Finds the best last group that ends at j and begins in `first..=last`.
    fn settle(&mut self, batch: usize, j: usize, first: usize, last: usize) {
        let k = self.k;
        // Positions 1..k are reached by no group.
        let (low, high) = if j < 2 * k {
            (0, 0)
        } else {
            (first.max(k).max(j + 1 - 2 * k), last.min(j - k))
        };
        let after = self.after[j - batch];
        let (mut least, mut start) = (f64::INFINITY, high);
        for i in (low..=high).rev() {
            let before = self.before[batch - i];
            let sum = before.sum + after.sum;
            let squares = before.squares + after.squares;
            let sse = (squares - sum * sum * self.inverse[j - i]).max(0.0);
            let total = self.least[i] + sse;
            if total < least {
                (least, start) = (total, i);
            }
        }
        self.least[j] = least;
        self.start[j] = size(start);
    }

    /// Settles the positions `from..=to`, whose last groups begin in `first..=last`.
    fn halve(&mut self, batch: usize, from: usize, to: usize, first: usize, last: usize) {
        let middle = from.midpoint(to);
        self.settle(batch, middle, first, last);
        let start = self.start[middle] as usize;
        if from < middle {
            self.halve(batch, from, middle - 1, first, start);
        }
        if middle < to {
            self.halve(batch, middle + 1, to, start, last);
        }
    }
}

/// Fills the sums over the first 0, 1, 2, … terms, each rounded once.
fn running_sums(terms: impl Iterator<Item = f64>, sums: &mut [Sums]) {
    let (mut sum, mut squares) = ((0.0, 0.0), (0.0, 0.0));
    sums[0] = Sums::default();
    for (term, place) in terms.zip(&mut sums[1..]) {
        add(&mut sum, term);
        add(&mut squares, term * term);
        *place = Sums {
            sum: sum.0 + sum.1,
            squares: squares.0 + squares.1,
        };
    }
}

/// Adds to a sum that is kept as an unevaluated pair (Knuth's two-sum).
fn add(sum: &mut (f64, f64), term: f64) {
    let high = sum.0 + term;
    let rest = high - sum.0;
    sum.1 += (sum.0 - (high - rest)) + (term - rest);
    sum.0 = high;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SSE of sorted values cut into these sizes, from differences from each group's first value.
    fn sse(sorted: &[f64], sizes: &[u32]) -> f64 {
        let mut rest = sorted;
        let mut sse = 0.0;
        for &size in sizes {
            let (group, after) = rest.split_at(size as usize);
            let mean = group.iter().map(|x| x - group[0]).sum::<f64>() / group.len() as f64;
            sse += group
                .iter()
                .map(|x| (x - group[0] - mean).powi(2))
                .sum::<f64>();
            rest = after;
        }
        sse
    }

    /// Values with ties, gaps and a steep tail, ascending.
    fn skewed(n: u32) -> Vec<f64> {
        let value = |i: u32| f64::from(i * 7919 % 1009 / 3).powi(3) + 1e6;
        let mut values: Vec<f64> = (0..n).map(value).collect();
        values.sort_by(f64::total_cmp);
        values
    }

    #[test]
    fn both_searches_find_the_same_sse() {
        let sorted = skewed(900);
        for k in [1, 2, 3, 7, 12, 13, 40, 150, 299, 449, 450, 451] {
            let every = shortest_path(&sorted, k, Search::EverySize);
            let halving = shortest_path(&sorted, k, Search::Halving);
            let (a, b) = (sse(&sorted, &every), sse(&sorted, &halving));
            assert!((a - b).abs() <= 1e-12 * a, "k = {k}: {a} {b}");
        }
    }

    /// Squares of these values need more than 53 bits: sums of squares would cancel to noise. By hand: the groups of
    /// {0, 1, 2, 10, 11, 12} · 2^-20 on an offset of 2^30 are its halves.
    #[test]
    fn a_large_offset_cancels_nothing() {
        let sorted =
            [0.0, 1.0, 2.0, 10.0, 11.0, 12.0].map(|x: f64| 2f64.powi(30) + x * 2f64.powi(-20));
        assert_eq!(optimal_sorted(&sorted, 2), [3, 3]);
        assert_eq!(optimal_sorted(&sorted, 3), [3, 3]);
    }

    /// Six equal values in groups of 2 or 3: all partitions cost nothing, so the last group is the smallest.
    #[test]
    fn of_equal_partitions_the_last_group_is_the_smallest() {
        assert_eq!(optimal_sorted(&[4.0; 6], 2), [2, 2, 2]);
        assert_eq!(optimal_sorted(&[4.0; 7], 2), [3, 2, 2]);
        assert_eq!(optimal_sorted(&[4.0; 71], 14), [15, 14, 14, 14, 14]);
    }

    #[test]
    fn small_groups_far_from_large_ones_still_count() {
        // After a group of SSE 5e17, the gaps of 10 decide: 0 1 | 10 11, not 0 | 1 10 | 11.
        let sorted = [-2e9, -1e9, 0.0, 1.0, 10.0, 11.0];
        assert_eq!(optimal_sorted(&sorted, 2), [2, 2, 2]);
        let mirrored: Vec<f64> = sorted.iter().rev().map(|x| -x).collect();
        assert_eq!(optimal_sorted(&mirrored, 2), [2, 2, 2]);
    }
}
