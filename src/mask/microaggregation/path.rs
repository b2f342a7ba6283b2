//! The best groups of neighbours along an order of records.

use rayon::prelude::*;

use super::univariate::{size, sizes};
use crate::table::Matrix;

/// Costs that are held in memory at a time.
const COSTS_AT_ONCE: usize = 1 << 20;

/// The sizes of the groups of k to 2k−1 successive records of `order` with the least multivariate SSE; one group if there are
/// fewer than 2k records.
///
/// # Ties
/// As in [`optimal`](super::univariate::optimal): the last group is as small as possible, then the last but one.
///
/// # Precision
/// The SSE of a group grows record by record by a positive term (Welford), so nothing cancels.
///
/// # Complexity
/// O(n k d) time, O(n) memory; the costs of arcs are shared out to all threads, their order of summation is fixed.
pub(super) fn best_runs(points: &Matrix, order: &[u32], k: usize) -> Vec<u32> {
    let n = order.len();
    if n < 2 * k {
        return if n == 0 { Vec::new() } else { vec![size(n)] };
    }
    let mut least = vec![f64::INFINITY; n + 1];
    let mut start = vec![0; n + 1];
    least[0] = 0.0;
    let at_once = (COSTS_AT_ONCE / k).clamp(1, n);
    let mut costs = vec![0.0; at_once * k];
    for first in (k..=n).step_by(at_once) {
        let ends = first..(first + at_once).min(n + 1);
        let costs = &mut costs[..ends.len() * k];
        costs
            .par_chunks_mut(k)
            .zip(ends.clone())
            .with_min_len(64)
            .for_each(|(costs, end)| sse_of_last(points, &order[..end], costs));
        for (end, costs) in ends.zip(costs.chunks_exact(k)) {
            // Taken off now and then, so that small groups still count after large ones.
            if end % k == 0 {
                take_off_least(&mut least[end.saturating_sub(2 * k - 1)..end]);
            }
            start[end] = size(end - k);
            for (&sse, begin) in costs.iter().zip((0..=end - k).rev()) {
                let total = least[begin] + sse;
                if total < least[end] {
                    least[end] = total;
                    start[end] = size(begin);
                }
            }
        }
    }
    sizes(&start, n)
}

fn take_off_least(least: &mut [f64]) {
    let base = least.iter().copied().fold(f64::INFINITY, f64::min);
    if base.is_finite() {
        least.iter_mut().for_each(|value| *value -= base);
    }
}

/// The SSE of the last k, k + 1, …, 2k − 1 records of an order, as far as there are so many.
fn sse_of_last(points: &Matrix, order: &[u32], costs: &mut [f64]) {
    let k = costs.len();
    let mut mean = vec![0.0; points.n_attributes()];
    let mut sse = 0.0;
    for (before, &record) in order.iter().rev().take(2 * k - 1).enumerate() {
        let size = (before + 1) as f64;
        let mut squared = 0.0;
        for (mean, value) in mean.iter_mut().zip(points.row(record as usize)) {
            let difference = value - *mean;
            squared += difference * difference;
            *mean += difference / size;
        }
        sse += squared * (before as f64 / size);
        if before + 1 >= k {
            costs[before + 1 - k] = sse;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mask::microaggregation::{Partition, univariate};

    /// In one dimension the order by value makes this the univariate problem, solved by other sums.
    #[test]
    fn one_attribute_is_the_univariate_optimum() {
        let values: Vec<f64> = (0..400_u32)
            .map(|i| f64::from(i * 7919 % 1009).sqrt() * 3.0)
            .collect();
        let points = Matrix::complete(values.len(), 1, values.clone());
        let order = univariate::ascending(&values);
        for k in [1, 2, 3, 10, 60, 199, 200, 201] {
            let sizes = best_runs(&points, &order, k);
            let along = univariate::of_runs(values.len(), &order, &sizes).sse(&points);
            let optimum = univariate::optimal(&values, k).sse(&points);
            assert!((along - optimum).abs() <= 1e-12 * optimum, "k = {k}");
        }
    }

    /// Every way of cutting twelve points in two dimensions into runs of 2 or 3.
    #[test]
    fn no_other_runs_are_better() {
        let values = (0..24_u32).map(|i| f64::from(i * 37 % 23)).collect();
        let points = Matrix::complete(12, 2, values);
        let order: Vec<u32> = (0..12).map(|i| i * 5 % 12).collect();
        let sse = |sizes: &[u32]| -> f64 {
            let partition: Partition = univariate::of_runs(12, &order, sizes);
            partition.sse(&points)
        };
        let mut least = f64::INFINITY;
        let mut waiting: Vec<(Vec<u32>, u32)> = vec![(Vec::new(), 0)];
        while let Some((sizes, covered)) = waiting.pop() {
            if covered == 12 {
                least = least.min(sse(&sizes));
            }
            for size in 2..=3_u32.min(12 - covered) {
                let longer = [&sizes[..], &[size]].concat();
                waiting.push((longer, covered + size));
            }
        }
        let found = sse(&best_runs(&points, &order, 2));
        assert!((found - least).abs() <= 1e-12 * least, "{found} {least}");
    }
}
