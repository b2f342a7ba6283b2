//! Which points are nearest to a query, and how a given point, the rival, compares with the others.
//!
//! Four ways lead to the same answer: comparing everything (`exhaustive`, the oracle of the tests),
//! a k-d tree (`tree`, `walk`), the same tree with several queries at a time (`together`), and a blocked scan (`scan`), each behind one
//! filter in single precision (`rough`). Which one runs is decided by work counted on a sample of the queries, and never shows in the
//! answer.

#![allow(
    clippy::float_cmp,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a tie is equality of the canonical number; points are counted by u32, which `build` checks"
)]

mod answer;
mod boxes;
pub mod exhaustive;
mod goal;
mod inside;
mod plan;
mod probe;
mod rough;
mod scan;
mod tiles;
mod together;
mod tree;
mod walk;

#[cfg(test)]
mod tests;

use rayon::prelude::*;

use super::{Doubt, Metric};
use crate::table::matrix::Matrix;
pub use answer::{Contest, Least, Link, Rival, Rivals};
pub use boxes::{Boxes, Constraint, GAP};
use goal::{ContestGoal, Goal, LeastGoal, LinkGoal};
use rough::Rough;
use tree::Tree;
use walk::{Walk, Walked};

/// Points made ready to be searched by distance.
///
/// # Complexity
/// `O(n log n)` time to build; `O(n d)` memory, which no search exceeds.
#[derive(Debug)]
pub struct Neighbours {
    metric: Metric,
    tree: Tree,
    /// The tree in single precision, where its filter is right.
    rough: Option<Rough>,
    /// The budget of every walk, and how it is finished, where these are not probed for: tests go every way.
    forced: Option<(Finish, u64)>,
}

/// How walks that were given up are finished.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Finish {
    /// By the tree, several queries at a time; not where boxes or places among all count, or the filter is not right.
    Together,
    /// By comparing with everybody.
    Scan,
}

impl Finish {
    /// The work that is done before a walk is given up. A point near the query is what several queries at a time profit from; a scan
    /// finds one soon.
    fn foothold(self) -> u64 {
        match self {
            Self::Together => 12,
            Self::Scan => 0,
        }
    }
}

fn works<G>(walked: &[Walked<G>]) -> Vec<u64> {
    walked.iter().map(|walked| walked.work).collect()
}

impl Neighbours {
    /// Makes the points ready.
    ///
    /// # Panics
    /// If the metric does not have as many attributes as the points, or there are more points than
    /// a `u32` counts.
    pub fn build(points: &Matrix, metric: Metric) -> Self {
        assert_eq!(
            points.n_attributes(),
            metric.n_attributes(),
            "one weight an attribute"
        );
        assert!(
            u32::try_from(points.n_records()).is_ok(),
            "points are numbered by u32"
        );
        let tree = Tree::build(points, &metric);
        let rough = Rough::build(&tree, &metric);
        Self {
            metric,
            tree,
            rough,
            forced: None,
        }
    }

    /// The metric that decides.
    pub fn metric(&self) -> &Metric {
        &self.metric
    }

    /// Number of points.
    pub fn n_points(&self) -> usize {
        self.tree.tiles.n_points()
    }

    /// For each query, how its rival compares with the other points.
    ///
    /// # Complexity
    /// A search stops when its answer is known. If rivals are much closer to their queries than
    /// other points are, or much farther, that takes about `O(log n)`; at worst it takes `O(n)`.
    ///
    /// # Panics
    /// If queries, rivals and boxes do not fit together or to the points.
    pub fn contests<'a>(
        &self,
        queries: &Matrix,
        rivals: impl Into<Rivals<'a>>,
        within: Option<&Boxes>,
    ) -> Vec<Contest> {
        self.search(queries, rivals.into(), within, |_, rival| {
            ContestGoal::new(rival)
        })
    }

    /// For each query, the least distance, and how its rival compares with the other points: in one search what
    /// [`Self::contests`] and [`Self::links`] find in two. `doubt` is that of distances of a query: [`Least::next`] is right up to there.
    ///
    /// # Complexity
    /// That of [`Self::links`].
    ///
    /// # Panics
    /// If queries, rivals and boxes do not fit together or to the points.
    pub fn least<'a>(
        &self,
        queries: &Matrix,
        rivals: impl Into<Rivals<'a>>,
        within: Option<&Boxes>,
        doubt: impl Fn(usize) -> Doubt + Sync,
    ) -> Vec<Least> {
        self.search(queries, rivals.into(), within, |query, rival| {
            LeastGoal::new(rival, doubt(query as usize))
        })
    }

    /// For each query, the nearest points and the place of `rivals[query]` among the points, and the distance of the next as in
    /// [`Least::next`], right up to the doubt about distances of a query.
    ///
    /// # Ties
    /// All candidates at the least distance are counted, and the first `limit` of them are listed,
    /// so that the answers take `O(queries * limit)` memory even where everything ties.
    ///
    /// # Complexity
    /// `O(log n)` a query where near points can be told from far ones by boxes, else `O(n)`.
    ///
    /// # Panics
    /// If queries, rivals and boxes do not fit together or to the points.
    pub fn links(
        &self,
        queries: &Matrix,
        rivals: &[Option<u32>],
        within: Option<&Boxes>,
        limit: usize,
        doubt: impl Fn(usize) -> Doubt + Sync,
    ) -> Vec<(Link, f64)> {
        self.search(queries, rivals.into(), within, |query, rival| {
            LinkGoal::new(rival, limit, doubt(query as usize))
        })
    }

    fn search<G: Goal>(
        &self,
        queries: &Matrix,
        rivals: Rivals<'_>,
        within: Option<&Boxes>,
        goal: impl Fn(u32, Option<Rival>) -> G + Sync,
    ) -> Vec<G::Answer> {
        assert_eq!(
            queries.n_attributes(),
            self.metric.n_attributes(),
            "as many as the points"
        );
        assert_eq!(queries.n_records(), rivals.len(), "one rival a query");
        if let Some(boxes) = within {
            assert_eq!(
                boxes.n_attributes(),
                queries.n_attributes(),
                "one interval an attribute"
            );
            assert_eq!(boxes.n_queries(), rivals.len(), "one box a query");
        }
        let tree = &self.tree;
        let walk = Walk {
            tree,
            rough: self.rough.as_ref(),
            metric: &self.metric,
            queries,
            rivals,
            within,
            budget: u64::MAX,
        };
        // Plain goals alone can be finished together.
        let rough = self.rough.as_ref().filter(|_| G::PLAIN);
        let finish = |way: Finish, batch: &mut [Walked<G>]| match (way, rough) {
            (Finish::Together, Some(rough)) => {
                together::run(tree, rough, &self.metric, queries, batch);
            }
            _ => scan::run(tree, self.rough.as_ref(), &self.metric, queries, batch),
        };
        let (way, budget) = match self.forced {
            // Only the tree counts the points of a box without looking at each.
            _ if within.is_some() => (Finish::Scan, u64::MAX),
            Some(forced) => forced,
            None => {
                let ways = [Finish::Scan, Finish::Together];
                let ways = &ways[..1 + usize::from(rough.is_some())];
                let at_least = |way| match way {
                    Finish::Scan => tree.tiles.n_tiles() as u64 / scan::SPEED,
                    Finish::Together => 0,
                };
                let walked = |sample: &[u32], budget| Walk { budget, ..walk }.run(sample, &goal);
                let work = |sample: &[u32]| works(&walked(sample, u64::MAX));
                let finished = |way: Finish, sample: &[u32]| {
                    let mut batch = walked(sample, way.foothold());
                    let before = works(&batch);
                    finish(way, &mut batch);
                    let after = works(&batch);
                    after.iter().zip(before).map(|(a, b)| a - b).collect()
                };
                probe::budget(rivals.len(), ways, at_least, work, finished)
            }
        };
        let walk = Walk { budget, ..walk };
        let order = if way == Finish::Scan && budget == 0 {
            // Nobody walks.
            (0..rivals.len() as u32).collect()
        } else {
            walk.order()
        };
        // Queries that are walked for together are finished together: they look at the same tiles.
        let batches = order.par_chunks(together::batch_size(rivals.len()));
        let answered = batches.with_max_len(1).map(|batch| {
            let chunks = batch.par_chunks(walk::CHUNK).with_max_len(1);
            let walked = chunks.flat_map_iter(|chunk| walk.run(chunk, &goal));
            let (mut walked, mut left): (Vec<Walked<G>>, Vec<Walked<G>>) =
                walked.partition(|walked| walked.finished);
            let size = match way {
                Finish::Together => left.len().max(1),
                Finish::Scan => scan::BATCH,
            };
            let batches = left.par_chunks_mut(size).with_max_len(1);
            batches.for_each(|batch| finish(way, batch));
            walked.append(&mut left);
            let answers = walked.into_iter();
            answers
                .map(|walked| (walked.query, walked.goal.answer()))
                .collect()
        });
        let answered: Vec<Vec<(u32, G::Answer)>> = answered.collect();
        let mut answers: Vec<Option<G::Answer>> = Vec::new();
        answers.resize_with(rivals.len(), || None);
        for (query, answer) in answered.into_iter().flatten() {
            answers[query as usize] = Some(answer);
        }
        answers
            .into_iter()
            .map(|answer| answer.expect("every query is in the order"))
            .collect()
    }
}
