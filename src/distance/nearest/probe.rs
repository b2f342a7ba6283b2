//! When to stop walking the tree with one query, decided by work counted on a sample.

use rayon::prelude::*;

/// Queries in the sample.
const SAMPLE: usize = 32;

/// The work that at least is done: it finds a point near the query, from which what follows profits.
pub(super) const FOOTHOLD: u64 = 12;

/// The best of some ways to finish walks, and the work on one query after which to do so; `at_least` is the least work that a way takes.
///
/// Each query of a fixed sample is walked to its end, and finished in every way that can be less work for any. A
/// budget `b` costs `work` for a query that ends within it, and `b + finish` for one that does not;
/// the best `b` on the sample is one of the works (or next to none, or all), so those are tried.
pub(super) fn budget<W: Copy + Sync>(
    n_queries: usize,
    ways: &[W],
    at_least: impl Fn(W) -> u64,
    work: impl Fn(u32) -> u64 + Sync,
    finish: impl Fn(W, u32) -> u64 + Sync,
) -> (W, u64) {
    let size = n_queries.min(SAMPLE);
    let sample = || {
        (0..size)
            .into_par_iter()
            .map(|i| (i * n_queries / size) as u32)
    };
    let works: Vec<u64> = sample().map(&work).collect();
    let budgets = ways.iter().flat_map(|&way| {
        let at_least = FOOTHOLD + at_least(way);
        let finishes: Vec<u64> = if works.iter().all(|&work| work <= at_least) {
            Vec::new()
        } else {
            sample().map(|query| finish(way, query)).collect()
        };
        let cost = |budget: u64| -> u64 {
            let both = works.iter().zip(&finishes);
            both.map(|(&work, &finish)| {
                if work <= budget {
                    work
                } else {
                    budget + finish
                }
            })
            .sum()
        };
        let walked = (works.iter().sum(), u64::MAX);
        let tried = works.iter().copied().chain([FOOTHOLD]);
        let finished = tried.filter(|_| !finishes.is_empty());
        let tried: Vec<(u64, u64)> = finished
            .map(|budget| (cost(budget), budget))
            .chain([walked])
            .collect();
        tried
            .into_iter()
            .map(move |(cost, budget)| (cost, budget, way))
    });
    // The larger of equally good budgets: the tree needs no second pass.
    let best = budgets.min_by_key(|&(cost, budget, _)| (cost, u64::MAX - budget));
    best.map_or((ways[0], u64::MAX), |(_, budget, way)| (way, budget))
}
