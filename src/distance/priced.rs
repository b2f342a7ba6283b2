//! The points that are cheapest to a query: by squared distance less a price of the point.

use pulp::Arch;

use super::Metric;
use crate::table::matrix::{Matrix, Row};

/// Points of a leaf.
const LEAF: usize = 32;

/// An odd number with scattered bits: products with it order numbers as good as at random.
const SCATTER: u32 = 0x9E37_79B1;

/// A point, and what it comes to for a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Offer {
    /// The point.
    pub point: u32,
    /// The canonical squared distance; infinite where that overflows.
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

    /// The `k` points that are worth most to a query, or all if there are fewer: those of the least distance less
    /// price, these first.
    ///
    /// # Ties
    /// Of points worth the same come those first that an order says which depends on `turn` only: queries
    /// with different turns are not all offered the same ones.
    ///
    /// # Complexity
    /// O(log n) where near points can be told from far ones by boxes and prices do not hide it, else O(n).
    pub fn cheapest(&self, query: Row<'_>, turn: u32, k: usize, search: &mut Search) -> Vec<Offer> {
        let turn = turn.wrapping_add(1).wrapping_mul(0x85EB_CA6B);
        let turn = turn ^ (turn >> 15);
        search.best.clear();
        search.stack.clear();
        if k == 0 || self.nodes.is_empty() {
            return Vec::new();
        }
        Arch::new().dispatch(|| self.walk(query, turn, k, search));
        search.best.clone()
    }

    #[inline(always)]
    fn walk(&self, query: Row<'_>, turn: u32, k: usize, search: &mut Search) {
        search.stack.push((self.lower(query, 0), 0));
        while let Some((lower, node)) = search.stack.pop() {
            // At the same worth, the order of ties decides.
            let full = search.best.len() == k;
            if lower == f64::INFINITY && self.nodes[node as usize].price == f64::NEG_INFINITY
                || full && lower > search.best[k - 1].worth
            {
                continue;
            }
            let Node { next, is_leaf, .. } = self.nodes[node as usize];
            if is_leaf {
                self.leaf(next as usize, query, turn, k, &mut search.best);
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
        sum - self.nodes[node].price
    }

    #[inline(always)]
    fn leaf(&self, leaf: usize, query: Row<'_>, turn: u32, k: usize, best: &mut Vec<Offer>) {
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
        for ((worth, &key), &price) in worths.iter_mut().zip(&keys).zip(prices) {
            *worth = key - price;
        }
        let mut limit = if best.len() == k {
            best[k - 1].worth
        } else {
            f64::INFINITY
        };
        let mut near = 0u32;
        for (i, &worth) in worths.iter().enumerate() {
            near |= u32::from(worth <= limit) << i;
        }
        while near != 0 {
            let i = near.trailing_zeros() as usize;
            near &= near - 1;
            if worths[i] > limit || prices[i] == f64::NEG_INFINITY {
                continue;
            }
            let offer = Offer {
                point: points[i],
                key: keys[i],
                worth: worths[i],
                place: points[i].wrapping_mul(SCATTER) ^ turn,
            };
            let before = |other: &Offer| {
                other
                    .worth
                    .total_cmp(&offer.worth)
                    .then(other.place.cmp(&offer.place))
                    .is_lt()
            };
            let at = best.partition_point(before);
            if at < k {
                best.truncate(k - 1);
                best.insert(at, offer);
            }
            if best.len() == k {
                limit = best[k - 1].worth;
            }
        }
    }
}

/// Room for a search, to be used again.
#[derive(Debug, Default)]
pub struct Search {
    best: Vec<Offer>,
    stack: Vec<(f64, u32)>,
}
