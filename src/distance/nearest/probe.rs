//! When to stop walking the tree and scan instead, decided by work counted on a sample.

/// Queries in the sample.
const SAMPLE: usize = 32;

/// How many tiles the scan filters in the time in which the tree handles one node or tile.
const SCAN_SPEED: u64 = 6;

/// The work that at least is done: it finds a point near the query, from which the scan profits.
const FOOTHOLD: u64 = 12;

/// The work on one query after which the scan is the better continuation.
///
/// Each query of a fixed sample is walked to its end. A budget `b` costs `work` for a query that ends
/// within it, and `b + scan` for one that does not; the best `b` on the sample is one of the works
/// (or next to none, or all), so those are tried.
pub(super) fn budget(n_queries: usize, n_tiles: u64, work: impl Fn(u32) -> u64) -> u64 {
    let scan = n_tiles / SCAN_SPEED + 1;
    let size = n_queries.min(SAMPLE);
    let works: Vec<u64> = (0..size)
        .map(|i| work((i * n_queries / size) as u32))
        .collect();
    let cost = |budget: u64| -> u64 {
        works
            .iter()
            .map(|&work| if work <= budget { work } else { budget + scan })
            .sum()
    };
    let tried = works.iter().copied().chain([FOOTHOLD, u64::MAX]);
    // The larger of equally good budgets: the tree is exact without a second pass.
    tried
        .min_by_key(|&budget| (cost(budget), u64::MAX - budget))
        .unwrap_or(u64::MAX)
}
