//! When to stop walking the tree with one query, decided by work counted on a sample.

use rayon::prelude::*;

use super::Finish;

/// Queries in the sample: one in so many of all, within bounds.
const ONE_IN: usize = 512;
const SAMPLE: std::ops::RangeInclusive<usize> = 8..=32;

/// Those of the sample that one task looks at.
const TASK: usize = 4;

/// The best of some ways to finish walks, and the work on one query after which to do so; `at_least` is the least work that a way takes,
/// `work` and `finish` do and count it for some queries.
///
/// Each query of a fixed sample is walked to its end, and finished in every way that can be less work for any. A
/// budget `b` costs `work` for a query that ends within it, and `b + finish` for one that does not;
/// the best `b` on the sample is one of the works (or next to none, or all), so those are tried.
pub(super) fn budget(
    n_queries: usize,
    ways: &[Finish],
    at_least: impl Fn(Finish) -> u64,
    work: impl Fn(&[u32]) -> Vec<u64> + Sync,
    finish: impl Fn(Finish, &[u32]) -> Vec<u64> + Sync,
) -> (Finish, u64) {
    let size = (n_queries / ONE_IN).clamp(*SAMPLE.start(), *SAMPLE.end());
    let size = size.min(n_queries);
    let sample: Vec<u32> = (0..size).map(|i| (i * n_queries / size) as u32).collect();
    let of_all = |count: &(dyn Fn(&[u32]) -> Vec<u64> + Sync)| -> Vec<u64> {
        sample.par_chunks(TASK).flat_map_iter(count).collect()
    };
    let works = of_all(&work);
    let budgets = ways.iter().flat_map(|&way| {
        let at_least = way.foothold() + at_least(way);
        let finishes: Vec<u64> = if works.iter().all(|&work| work <= at_least) {
            Vec::new()
        } else {
            of_all(&|sample| finish(way, sample))
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
        let tried = works.iter().copied().chain([way.foothold()]);
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
