//! The points that are cheapest to a query: by squared distance less a price of the point.

use std::ops::Range;

use pulp::Arch;

use super::{
    Metric,
    kd_tree::{BoxTree, Leaves, Waiting},
};
use crate::{
    stats::scatter,
    table::matrix::{Matrix, Row},
};

/// Points of a leaf.
const LEAF: usize = 32;

/// Squared distances beyond this count as this, so that worths are finite.
pub const FARTHEST: f64 = 1e280;

/// A point, and what it comes to for a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Offer {
    /// The point.
    pub point: u32,
    /// The canonical squared distance, at most [`FARTHEST`].
    pub key: f64,
    /// Distance less price.
    pub worth: f64,
    place: u32,
}

/// Points with prices, made ready to be searched.
///
/// A k-d tree with tight boxes. Let `lower` be a bound of the canonical distances to the points below a node, made by the same
/// operations in the same order, and `most` the highest price among them. Rounding is monotone, so `lower − most` is not above
/// the worth of any of them.
///
/// # Missing
/// As in [`Metric`]. Where a point below a node misses a value, the lesser of both contributions bounds.
#[derive(Debug)]
pub struct PricedPoints {
    metric: Metric,
    boxes: BoxTree,
    /// For each leaf and attribute the values of `LEAF` points; NaN where missing and past the last.
    values: Vec<f64>,
    /// By position, `LEAF` a leaf; −∞ past the last.
    prices: Vec<f64>,
    /// The highest price in each node.
    highest: Vec<f64>,
    has_gaps: bool,
}

impl PricedPoints {
    /// Makes the points ready, all at the price zero.
    ///
    /// # Complexity
    /// O(n log n) time, O(n) memory.
    ///
    /// # Panics
    /// If the metric does not have as many attributes as the points, or there are more points than a `u32` counts.
    pub fn build(points: &Matrix, metric: Metric) -> Self {
        assert_eq!(
            points.n_attributes(),
            metric.n_attributes(),
            "one weight an attribute"
        );
        let boxes = BoxTree::build(points, metric.weights(), Leaves::Full(LEAF));
        let mut values = Vec::new();
        for leaf in boxes.tree.points().chunks(LEAF) {
            for k in 0..points.n_attributes() {
                let value = |i: usize| points.value(*leaf.get(i)? as usize, k);
                values.extend((0..LEAF).map(|i| value(i).unwrap_or(f64::NAN)));
            }
        }
        let mut priced = Self {
            metric,
            highest: vec![0.0; boxes.tree.n_nodes()],
            boxes,
            values,
            prices: Vec::new(),
            has_gaps: !points.is_complete(),
        };
        priced.set_prices(&vec![0.0; points.n_records()]);
        priced
    }

    /// Number of points.
    pub fn n_points(&self) -> usize {
        self.boxes.tree.points().len()
    }

    /// Attaches prices; a point at −∞ is never offered.
    ///
    /// # Panics
    /// If there is not one for each point.
    pub fn set_prices(&mut self, prices: &[f64]) {
        let tree = &self.boxes.tree;
        let points = tree.points();
        self.prices = points.iter().map(|&point| prices[point as usize]).collect();
        // Past the last point of a leaf there is nobody.
        let filled = points.len().next_multiple_of(LEAF);
        self.prices.resize(filled, f64::NEG_INFINITY);
        for node in (0..tree.n_nodes()).rev() {
            self.highest[node] = match tree.halves(node) {
                Some([first, second]) => self.highest[first].max(self.highest[second]),
                None => {
                    let prices = self.prices[tree.run(node)].iter().copied();
                    prices.fold(f64::NEG_INFINITY, f64::max)
                }
            };
        }
    }

    /// The `k` points of the least distance less price, these first, among those where it is `below` a limit.
    ///
    /// # Ties
    /// Of points worth the same come those first that an order says which depends on `turn` only: queries
    /// with different turns are not all offered the same ones.
    ///
    /// # Complexity
    /// O(log n) where near points can be told from far ones by boxes and prices do not hide it, else O(n).
    pub fn cheapest(&self, query: Row<'_>, ask: Ask, workspace: &mut Workspace) -> Vec<Offer> {
        workspace.best.clear();
        workspace.waiting.begin(&self.boxes.tree);
        if ask.k > 0 {
            let ask = Ask {
                turn: scatter::turn(ask.turn),
                ..ask
            };
            Arch::new().dispatch(|| self.walk(query, ask, workspace));
        }
        workspace.best.clone()
    }

    #[inline(always)]
    fn walk(&self, query: Row<'_>, ask: Ask, workspace: &mut Workspace) {
        let tree = &self.boxes.tree;
        loop {
            let limit = ask.limit(&workspace.best);
            let lower = |node| self.lower(query, node);
            let Some(leaf) = workspace.waiting.next(tree, limit, lower) else {
                return;
            };
            self.leaf(tree.run(leaf), query, ask, &mut workspace.best);
        }
    }

    /// A lower bound of the worth of the points below a node.
    #[inline(always)]
    fn lower(&self, query: Row<'_>, node: usize) -> f64 {
        let mut sum = 0.0;
        for (attribute, &span) in self.boxes.spans(node).iter().enumerate() {
            sum += self.metric.least(query, attribute, span);
        }
        sum.min(FARTHEST) - self.highest[node]
    }

    #[inline(always)]
    fn leaf(&self, run: Range<usize>, query: Row<'_>, ask: Ask, best: &mut Vec<Offer>) {
        let leaf = run.start / LEAF;
        let width = self.metric.n_attributes();
        let mut keys = [0.0; LEAF];
        let rows = self.values[leaf * LEAF * width..].chunks_exact(LEAF);
        for (attribute, row) in (0..width).zip(rows) {
            let weight = self.metric.weights[attribute];
            let missing = self.metric.missing[attribute];
            let value = query.values()[attribute];
            if query.is_missing(attribute) {
                for key in &mut keys {
                    *key += missing;
                }
            } else if self.has_gaps || weight == 0.0 {
                for (key, &other) in keys.iter_mut().zip(row) {
                    let difference = value - other;
                    *key += if other.is_nan() {
                        missing
                    } else if weight == 0.0 {
                        0.0
                    } else {
                        weight * (difference * difference)
                    };
                }
            } else {
                for (key, &other) in keys.iter_mut().zip(row) {
                    let difference = value - other;
                    *key += weight * (difference * difference);
                }
            }
        }
        let prices = &self.prices[leaf * LEAF..(leaf + 1) * LEAF];
        let points = &self.boxes.tree.points()[run];
        let mut worths = [0.0; LEAF];
        for ((worth, key), &price) in worths.iter_mut().zip(&mut keys).zip(prices) {
            *key = if *key < FARTHEST { *key } else { FARTHEST };
            *worth = *key - price;
        }
        let limit = ask.limit(best);
        let mut near = 0u32;
        for (i, &worth) in worths.iter().enumerate() {
            near |= u32::from(worth <= limit) << i;
        }
        while near != 0 {
            let i = near.trailing_zeros() as usize;
            near &= near - 1;
            ask.keep(best, points[i], keys[i], worths[i]);
        }
    }
}

/// What a query asks for.
#[derive(Debug, Clone, Copy)]
pub struct Ask {
    /// At most so many points.
    pub k: usize,
    /// Only points whose distance less price is below this.
    pub below: f64,
    /// Decides the order of ties.
    pub turn: u32,
}

impl Ask {
    /// The greatest worth that is of interest. At the worth of the last one, the order of ties decides.
    #[inline(always)]
    fn limit(self, best: &[Offer]) -> f64 {
        match best.get(self.k - 1) {
            Some(last) => last.worth,
            None => self.below.next_down(),
        }
    }

    /// Puts a point among the best so far, if it is one of them.
    #[inline(always)]
    fn keep(self, best: &mut Vec<Offer>, point: u32, key: f64, worth: f64) {
        let offer = Offer {
            point,
            key,
            worth,
            place: scatter::place(point, self.turn),
        };
        let before = |other: &Offer| {
            let order = other.worth.total_cmp(&offer.worth);
            order.then(other.place.cmp(&offer.place)).is_lt()
        };
        if best.len() == self.k && best.last().is_some_and(before) {
            return;
        }
        let at = best.partition_point(before);
        best.truncate(self.k - 1);
        best.insert(at, offer);
    }
}

/// What a search needs, to be used again.
#[derive(Debug, Default)]
pub struct Workspace {
    best: Vec<Offer>,
    waiting: Waiting,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A small generator: tests only want variety.
    fn dice(state: &mut u64, n: u64) -> u64 {
        *state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (*state >> 33) % n
    }

    fn points(state: &mut u64, n: usize, width: usize, values: u64, gaps: bool) -> Matrix {
        let cells = (0..n * width).map(|_| dice(state, values) as f64 * 0.37);
        let mut matrix = Matrix::complete(n, width, cells.collect());
        for cell in (0..n * width).filter(|_| gaps) {
            if dice(state, 5) == 0 {
                matrix.set_missing(cell / width, cell % width);
            }
        }
        matrix
    }

    /// By comparing everything: the same points, keys and order as the tree gives.
    #[test]
    fn agrees_with_comparing_everything() {
        let mut state = 3;
        for (n, width, values) in [
            (0, 2, 5),
            (1, 1, 5),
            (33, 1, 3),
            (300, 2, 6),
            (500, 4, 1000),
        ] {
            for gaps in [false, true] {
                let matrix = points(&mut state, n, width, values, gaps);
                let queries = points(&mut state, 20, width, values, gaps);
                let weights = (0..width).map(|k| [0.7, 0.0, 1.3, 2.0][k]).collect();
                let metric = Metric::new(weights, vec![0.11; width]);
                let mut tree = PricedPoints::build(&matrix, metric.clone());
                assert_eq!(tree.n_points(), n);
                let mut prices: Vec<f64> = (0..n).map(|_| -(dice(&mut state, 9) as f64)).collect();
                for round in 0..3 {
                    if round == 1 {
                        tree.set_prices(&prices);
                    } else if round == 2 {
                        prices
                            .iter_mut()
                            .step_by(3)
                            .for_each(|p| *p = f64::NEG_INFINITY);
                        tree.set_prices(&prices);
                    }
                    let price = |i: usize| if round == 0 { 0.0 } else { prices[i] };
                    for query in 0..20 {
                        let row = queries.record(query as usize);
                        for (k, below) in
                            [(1, f64::INFINITY), (7, f64::INFINITY), (7, 4.0), (0, 1.0)]
                        {
                            let ask = Ask {
                                k,
                                below,
                                turn: query,
                            };
                            let found = tree.cheapest(row, ask, &mut Workspace::default());
                            let all = (0..n).map(|i| metric.key(row, matrix.record(i)) - price(i));
                            let mut all: Vec<f64> = all.filter(|&worth| worth < below).collect();
                            all.sort_by(f64::total_cmp);
                            all.truncate(k);
                            let worths: Vec<f64> = found.iter().map(|offer| offer.worth).collect();
                            assert_eq!(worths, all);
                            let mut distinct: Vec<u32> = found.iter().map(|o| o.point).collect();
                            distinct.sort_unstable();
                            distinct.dedup();
                            assert_eq!(distinct.len(), found.len());
                            for offer in found {
                                let point = offer.point as usize;
                                assert_eq!(offer.key, metric.key(row, matrix.record(point)));
                                assert_eq!(offer.worth, offer.key - price(point));
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn distances_that_overflow_are_the_farthest() {
        let matrix = Matrix::complete(2, 1, vec![1e300, -1e300]);
        let tree = PricedPoints::build(&matrix, Metric::new(vec![1.0], vec![1.0]));
        let query = Matrix::complete(1, 1, vec![1e300]);
        let ask = Ask {
            k: 2,
            below: f64::INFINITY,
            turn: 0,
        };
        let found = tree.cheapest(query.record(0), ask, &mut Workspace::default());
        let keys: Vec<(u32, f64)> = found.iter().map(|offer| (offer.point, offer.key)).collect();
        assert_eq!(keys, [(0, 0.0), (1, FARTHEST)]);
    }
}
