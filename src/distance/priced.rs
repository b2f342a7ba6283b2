//! The points that are cheapest to a query: by squared distance less a price of the point.

use pulp::Arch;

use super::Metric;
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
    /// The points leaf by leaf.
    order: Vec<u32>,
    /// For each leaf and attribute the values of `LEAF` points; NaN where missing and past the last.
    values: Vec<f64>,
    /// By position, `LEAF` a leaf; −∞ past the last.
    prices: Vec<f64>,
    nodes: Vec<Node>,
    /// For each node and attribute: least and greatest value, and whether some point misses it.
    boxes: Vec<(f64, f64, bool)>,
    has_gaps: bool,
    n_points: usize,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    /// The second child; the first one follows its parent. Of a leaf, its number.
    next: u32,
    is_leaf: bool,
    price: f64,
}

impl PricedPoints {
    /// Makes the points ready, all at the price zero.
    ///
    /// # Complexity
    /// O(n log n) time, O(n) memory.
    ///
    /// # Panics
    /// If the metric does not have as many attributes as the points, or there are more points than a `u32` counts.
    #[expect(clippy::cast_possible_truncation, reason = "checked first")]
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
        let mut tree = Self {
            metric,
            order: (0..points.n_records() as u32).collect(),
            values: Vec::new(),
            prices: Vec::new(),
            nodes: Vec::new(),
            boxes: Vec::new(),
            has_gaps: !points.is_complete(),
            n_points: points.n_records(),
        };
        let mut order = std::mem::take(&mut tree.order);
        if !order.is_empty() {
            tree.split(points, &mut order);
        }
        tree.set_prices(&vec![0.0; points.n_records()]);
        tree
    }

    /// Number of points.
    pub fn n_points(&self) -> usize {
        self.n_points
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "there are fewer nodes than points"
    )]
    fn split(&mut self, points: &Matrix, order: &mut [u32]) {
        let node = self.nodes.len();
        let span = |k: usize| {
            let mut span = (f64::INFINITY, f64::NEG_INFINITY, false);
            for &point in order.iter() {
                if points.is_missing(point as usize, k) {
                    span.2 = true;
                } else {
                    let value = points.row(point as usize)[k];
                    span = (span.0.min(value), span.1.max(value), span.2);
                }
            }
            span
        };
        let spans: Vec<(f64, f64, bool)> = (0..points.n_attributes()).map(span).collect();
        let extent = |k: &usize| {
            let (lo, hi, _) = spans[*k];
            let width = (hi - lo).max(0.0);
            self.metric.weights()[*k] * (width * width)
        };
        let widest = (0..spans.len()).max_by(|a, b| extent(a).total_cmp(&extent(b)));
        self.boxes.extend(&spans);
        self.nodes.push(Node {
            next: 0,
            is_leaf: order.len() <= LEAF,
            price: 0.0,
        });
        if order.len() <= LEAF {
            self.nodes[node].next = (self.order.len() / LEAF) as u32;
            self.add_leaf(points, order);
            return;
        }
        // Full leaves, but for the last one.
        let half = (order.len() / LEAF / 2).max(1) * LEAF;
        if let Some(k) = widest {
            order.select_nth_unstable_by(half, |&a, &b| {
                let value = |point: u32| points.row(point as usize)[k];
                value(a).total_cmp(&value(b)).then(a.cmp(&b))
            });
        }
        let (near, far) = order.split_at_mut(half);
        self.split(points, near);
        self.nodes[node].next = self.nodes.len() as u32;
        self.split(points, far);
    }

    fn add_leaf(&mut self, points: &Matrix, order: &[u32]) {
        for k in 0..points.n_attributes() {
            for i in 0..LEAF {
                self.values.push(match order.get(i) {
                    Some(&point) if !points.is_missing(point as usize, k) => {
                        points.row(point as usize)[k]
                    }
                    _ => f64::NAN,
                });
            }
        }
        self.order.extend_from_slice(order);
        // Past the last point of a leaf there is nobody.
        let filled = self.order.len().next_multiple_of(LEAF);
        self.order.resize(filled, u32::MAX);
    }

    /// Attaches prices; a point at −∞ is never offered.
    ///
    /// # Panics
    /// If there is not one for each point.
    pub fn set_prices(&mut self, prices: &[f64]) {
        let price = |&point: &u32| match point {
            u32::MAX => f64::NEG_INFINITY,
            point => prices[point as usize],
        };
        self.prices = self.order.iter().map(price).collect();
        for index in (0..self.nodes.len()).rev() {
            let node = self.nodes[index];
            self.nodes[index].price = if node.is_leaf {
                let leaf = node.next as usize * LEAF..(node.next as usize + 1) * LEAF;
                self.prices[leaf]
                    .iter()
                    .copied()
                    .fold(f64::NEG_INFINITY, f64::max)
            } else {
                self.nodes[index + 1]
                    .price
                    .max(self.nodes[node.next as usize].price)
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
    pub fn cheapest(&self, query: Row<'_>, ask: Ask, search: &mut Search) -> Vec<Offer> {
        search.best.clear();
        search.stack.clear();
        if ask.k > 0 && !self.nodes.is_empty() {
            let ask = Ask {
                turn: scatter::turn(ask.turn),
                ..ask
            };
            Arch::new().dispatch(|| self.walk(query, ask, search));
        }
        search.best.clone()
    }

    #[inline(always)]
    fn walk(&self, query: Row<'_>, ask: Ask, search: &mut Search) {
        search.stack.push((self.lower(query, 0), 0));
        while let Some((lower, node)) = search.stack.pop() {
            if lower > ask.limit(&search.best) {
                continue;
            }
            let Node { next, is_leaf, .. } = self.nodes[node as usize];
            if is_leaf {
                self.leaf(next as usize, query, ask, &mut search.best);
                continue;
            }
            let near = (self.lower(query, node as usize + 1), node + 1);
            let far = (self.lower(query, next as usize), next);
            let (near, far) = if far.0 < near.0 {
                (far, near)
            } else {
                (near, far)
            };
            search.stack.extend([far, near]);
        }
    }

    /// A lower bound of the worth of the points below a node.
    #[inline(always)]
    fn lower(&self, query: Row<'_>, node: usize) -> f64 {
        let width = self.metric.n_attributes();
        let boxes = &self.boxes[node * width..(node + 1) * width];
        let mut sum = 0.0;
        for (k, &(lo, hi, gap)) in boxes.iter().enumerate() {
            let (weight, missing) = (self.metric.weights[k], self.metric.missing[k]);
            if query.is_missing(k) || lo > hi {
                sum += missing;
                continue;
            }
            if weight == 0.0 {
                sum += 0.0;
                continue;
            }
            let value = query.values()[k];
            let outside = (lo - value).max(value - hi).max(0.0);
            let term = weight * (outside * outside);
            sum += if gap { term.min(missing) } else { term };
        }
        sum.min(FARTHEST) - self.nodes[node].price
    }

    #[inline(always)]
    fn leaf(&self, leaf: usize, query: Row<'_>, ask: Ask, best: &mut Vec<Offer>) {
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
        let points = &self.order[leaf * LEAF..(leaf + 1) * LEAF];
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

/// Room for a search, to be used again.
#[derive(Debug, Default)]
pub struct Search {
    best: Vec<Offer>,
    stack: Vec<(f64, u32)>,
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
                            let found = tree.cheapest(row, ask, &mut Search::default());
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
        let found = tree.cheapest(query.record(0), ask, &mut Search::default());
        let keys: Vec<(u32, f64)> = found.iter().map(|offer| (offer.point, offer.key)).collect();
        assert_eq!(keys, [(0, 0.0), (1, FARTHEST)]);
    }
}
