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
