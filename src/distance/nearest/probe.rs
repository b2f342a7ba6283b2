//! When to stop walking the tree and scan instead, decided by work counted on a sample.

use rayon::prelude::*;

/// Queries in the sample.
const SAMPLE: usize = 32;

/// How many tiles the scan filters in the time in which the tree handles one node or tile.
pub(super) const SCAN_SPEED: u64 = 6;

/// The work that at least is done: it finds a point near the query, from which the scan profits.
pub(super) const FOOTHOLD: u64 = 12;

/// The work on one query after which the scan is the better continuation.
///
/// Each query of a fixed sample is walked to its end, and scanned if that can be less work for any. A
/// budget `b` costs `work` for a query that ends within it, and `b + scan` for one that does not;
/// the best `b` on the sample is one of the works (or next to none, or all), so those are tried.
pub(super) fn budget(
    n_queries: usize,
    n_tiles: u64,
    work: impl Fn(u32) -> u64 + Sync,
    scan_work: impl Fn(u32) -> u64 + Sync,
) -> u64 {
    let size = n_queries.min(SAMPLE);
    let sample = || {
        (0..size)
            .into_par_iter()
            .map(|i| (i * n_queries / size) as u32)
    };
    let works: Vec<u64> = sample().map(&work).collect();
    if works
        .iter()
        .all(|&work| work <= FOOTHOLD + n_tiles / SCAN_SPEED)
    {
        return u64::MAX;
    }
    let scan_works: Vec<u64> = sample().map(&scan_work).collect();
    let cost = |budget: u64| -> u64 {
        let both = works.iter().zip(&scan_works);
        both.map(|(&work, &scan)| if work <= budget { work } else { budget + scan })
            .sum()
    };
    let tried = works.iter().copied().chain([FOOTHOLD, u64::MAX]);
    // The larger of equally good budgets: the tree needs no second pass.
    tried
        .min_by_key(|&budget| (cost(budget), u64::MAX - budget))
        .unwrap_or(u64::MAX)
}
