//! Points by squared distance: a search in single precision in front of exact distances.

use pulp::{Arch, Simd, WithSimd};

use super::{Ask, Offer, Priced, Prices, Space, Workspace, are_many, finite};
use crate::{
    distance::{
        Metric,
        kd_tree::{BoxTree, Leaves, Length, Span, length_of_square},
        single::{U, rounded},
        wide_tree::{Bounds, FAN, LEAF, WideTree},
    },
    table::matrix::{Matrix, Row},
};

/// Norms up to which sums of squares are safe from overflow, and attributes up to which [`STRETCH`] covers their roundings.
const SAFE_NORM: f64 = 1e15;
const MAX_ATTRIBUTES: usize = 4096;

/// By what sums of the filter can exceed distances, beside an allowance for coordinates that were rounded.
const STRETCH: f64 = 1.0 + 1.0 / 512.0;

/// Squared distances beyond this count as this, so that worths are finite.
const FARTHEST: f64 = 1e280;

impl Space for Metric {
    fn priced<'a>(&'a self, points: &'a Matrix) -> Box<dyn Priced + 'a> {
        Box::new(PricedPoints::build(points, self.clone()))
    }
}

/// Points with prices, made ready to be searched: a k-d tree in single precision in front of exact distances.
///
/// # The filter
/// The coordinate of a value is `s_k (value − c_k)`, with `s_k` the root of the weight and any centre `c`, rounded to `f32`. A sum of squared
/// differences of coordinates is compared with `limit + price`, or that of the least ones in a box with `limit + highest price` below a node: the
/// price is taken off the sum, so one number fits all.
///
/// # Its error
/// Let `u = 2^-24`, `X` the norm of the query and `R` that of any point. Rounded coordinates are no farther from each other than the exact
/// ones and `e = 1.05 u (X + R)`, so their squared distance is at most `(1 + 2^-10) d² + (1 + 2^10) e²`. The sum of `d` squares and constants goes
/// through at most `d + 4` roundings and none of its terms is negative: with the attributes limited, `STRETCH` covers both factors. Limit and price are
/// rounded, multiplied and taken off the sum: at most four roundings of numbers no greater than `STRETCH (|limit| + |price|)`, for which 8 are
/// allowed. Rounding keeps order, so the same holds for boxes.
///
/// Where norms are too great all points pass.
///
/// # Missing
/// As in [`Metric`]. Where a point below a node misses a value, the lesser of both contributions bounds.
#[derive(Debug)]
struct PricedPoints<'a> {
    points: &'a Matrix,
    metric: Metric,
    /// Of each attribute: the root of its weight, and what is coordinate 0.
    scales: Vec<(f64, f64)>,
    /// What a missing value counts.
    missing: Vec<f32>,
    /// A bound of the norms of the points; infinite where the filter must not be used.
    radius: f64,
    tree: WideTree,
    prices: Prices,
}

/// Where a value stands in single precision, of an attribute with this scale and centre.
fn coordinate(value: f64, (scale, centre): (f64, f64)) -> f32 {
    // Of an attribute that does not count no value is far.
    let counts = scale > 0.0;
    rounded(if counts {
        (value - centre) * scale
    } else {
        0.0
    })
}

/// The points in a tree of single precision.
fn cut(boxes: BoxTree, points: &Matrix, scales: &[(f64, f64)], missing: &[f32]) -> WideTree {
    let attributes = (0..points.n_attributes()).collect();
    let coordinate = |k: usize, value| coordinate(value, scales[k]);
    // What a gap counts may be less than what a value does.
    WideTree::new(
        boxes,
        points,
        (attributes, points.n_attributes()),
        coordinate,
        |k| missing[k],
    )
}

impl<'a> PricedPoints<'a> {
    /// Makes the points ready, all at the price zero.
    ///
    /// # Complexity
    /// O(n log n) time, O(n) memory.
    ///
    /// # Panics
    /// If the metric does not have as many attributes as the points, or there are more points than a `u32` counts.
    fn build(points: &'a Matrix, metric: Metric) -> Self {
        assert_eq!(
            points.n_attributes(),
            metric.n_attributes(),
            "one weight an attribute"
        );
        let boxes = BoxTree::build(points, metric.weights(), Leaves::Full(LEAF));
        // In the middle of the values; of none, and where these are too large, anywhere.
        let spans: &[Span] = match boxes.tree.n_nodes() {
            0 => &[],
            _ => boxes.spans(0),
        };
        let middles = spans.iter().map(|span| f64::midpoint(span.low, span.high));
        let middles = middles.map(|middle| if middle.is_finite() { middle } else { 0.0 });
        let roots = metric.weights().iter().map(|weight| weight.sqrt());
        let scales: Vec<(f64, f64)> = roots.zip(middles.chain(std::iter::repeat(0.0))).collect();
        let missing: Vec<f32> = metric.missing.iter().map(|&of| rounded(of)).collect();
        let squares = spans
            .iter()
            .zip(&scales)
            .filter(|(span, _)| span.low <= span.high);
        let squares = squares.map(|(span, &(scale, centre))| {
            let farthest = (span.high - centre).max(centre - span.low) * scale;
            farthest * farthest
        });
        let radius = squares.sum::<f64>().sqrt();
        let is_safe = radius <= SAFE_NORM
            && missing.iter().all(|&of| f64::from(of) <= SAFE_NORM)
            && scales.len() <= MAX_ATTRIBUTES;
        let tree = cut(boxes, points, &scales, &missing);
        Self {
            points,
            metric,
            scales,
            missing,
            radius: if is_safe { radius } else { f64::INFINITY },
            prices: Prices::new(&tree, &vec![0.0; points.n_records()]),
            tree,
        }
    }

    /// What a sum less the price comes to at most, of points that are worth no more than this to a query.
    #[inline(always)]
    fn most(&self, worth: f64, norm: f64) -> f32 {
        let e = 1.05 * U * (norm + self.radius);
        let roundings = 8.0 * U * STRETCH * (worth.abs() + self.prices.greatest);
        rounded(STRETCH * worth + 1100.0 * e * e + roundings + UNDERFLOW).next_up()
    }
}

/// Covers what underflow can take away.
const UNDERFLOW: f64 = 1e-30;

impl Priced for PricedPoints<'_> {
    fn n_points(&self) -> usize {
        self.points.n_records()
    }

    fn places(&self) -> Vec<u32> {
        self.tree.places()
    }

    /// # Complexity
    /// O(n); for many searches O(n log n), which makes each faster.
    fn set_prices(&mut self, prices: &[f64], searches: usize) {
        if are_many(searches, self.n_points()) {
            let prices = (&*finite(prices), &length_of_square as Length<'_>);
            let weights = self.metric.weights();
            let boxes = BoxTree::build_priced(self.points, prices, weights, Leaves::Full(LEAF));
            self.tree = cut(boxes, self.points, &self.scales, &self.missing);
        }
        self.prices = Prices::new(&self.tree, prices);
    }

    /// # Complexity
    /// O(log n) where boxes and prices separate near points from far ones; O(n) otherwise.
    fn cheapest(&self, query: Row<'_>, ask: Ask, workspace: &mut Workspace) -> Vec<Offer> {
        workspace.best.clear();
        workspace.waiting.begin(&self.tree);
        if ask.k > 0 {
            workspace.query.clear();
            let mut square = 0.0;
            for (k, &scale) in self.scales.iter().enumerate() {
                if query.is_missing(k) {
                    workspace.query.push(f32::NAN);
                    continue;
                }
                let own = coordinate(query.values()[k], scale);
                square += f64::from(own) * f64::from(own);
                workspace.query.push(own);
            }
            let norm = square.sqrt();
            Arch::new().dispatch(Search {
                among: self,
                query,
                // Rounding a coordinate makes the norm less by next to nothing.
                norm: if norm <= SAFE_NORM {
                    norm * (1.0 + 4.0 * U)
                } else {
                    f64::INFINITY
                },
                ask: ask.turned(),
                workspace,
            });
        }
        workspace.best.clone()
    }
}

struct Search<'a> {
    among: &'a PricedPoints<'a>,
    query: Row<'a>,
    norm: f64,
    ask: Ask,
    workspace: &'a mut Workspace,
}

impl WithSimd for Search<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self {
            among,
            query,
            norm,
            ask,
            workspace:
                Workspace {
                    query: own,
                    best,
                    waiting,
                },
        } = self;
        let of_fan = OfFan { simd, among, own };
        loop {
            let most = among.most(ask.limit(best), norm);
            let Some(leaf) = waiting.next(&among.tree, most, of_fan) else {
                return;
            };
            among.leaf(simd, leaf, (query, own, norm), ask, best);
        }
    }
}

/// Bounds of the sums, less the price, of the points below boxes.
#[derive(Clone, Copy)]
struct OfFan<'a, S> {
    simd: S,
    among: &'a PricedPoints<'a>,
    own: &'a [f32],
}

impl<S: Simd> Bounds for OfFan<'_, S> {
    #[inline(always)]
    fn least(&mut self, fan: usize) -> [f32; FAN] {
        let Self { simd, among, own } = *self;
        let (zero, stretch) = (simd.splat_f32s(0.0), simd.splat_f32s(rounded(STRETCH)));
        let edges = among.tree.edges(fan);
        let prices = S::as_simd_f32s(&among.prices.highest[fan]).0;
        let mut least = [0.0; FAN];
        let of_boxes = S::as_mut_simd_f32s(&mut least).0.iter_mut();
        // No closures here: they would be compiled for any processor.
        for (vector, (least, &price)) in of_boxes.zip(prices).enumerate() {
            let mut sum = zero;
            for (k, edges) in edges.iter().enumerate() {
                if own[k].is_nan() {
                    sum = simd.add_f32s(sum, simd.splat_f32s(among.missing[k]));
                    continue;
                }
                let away = edges.away(simd, vector, own[k]);
                let cap = S::as_simd_f32s(&edges.cap).0[vector];
                let term = simd.min_f32s(simd.mul_f32s(away, away), cap);
                sum = simd.add_f32s(sum, term);
            }
            *least = simd.sub_f32s(sum, simd.mul_f32s(stretch, price));
        }
        least
    }
}

impl PricedPoints<'_> {
    /// Keeps the points of a leaf that are among the best.
    #[inline(always)]
    fn leaf<S: Simd>(
        &self,
        simd: S,
        leaf: usize,
        (query, own, norm): (Row<'_>, &[f32], f64),
        ask: Ask,
        best: &mut Vec<Offer>,
    ) {
        let (run, strips) = (self.tree.run(leaf), self.tree.strips(leaf));
        let prices = S::as_simd_f32s(&self.prices.rough[run.start..run.start + LEAF]).0;
        let mut limit = self.most(ask.limit(best), norm);
        let zero = simd.splat_f32s(0.0);
        let (stretch, most) = (simd.splat_f32s(rounded(STRETCH)), simd.splat_f32s(limit));
        for (vector, &price) in prices.iter().enumerate() {
            let mut sum = zero;
            for (k, strip) in strips.iter().enumerate() {
                let missing = simd.splat_f32s(self.missing[k]);
                let other = S::as_simd_f32s(&strip.0).0[vector];
                let difference = simd.sub_f32s(simd.splat_f32s(own[k]), other);
                // Only NaN differs from itself.
                let is_there = simd.equal_f32s(difference, difference);
                let term = simd.mul_f32s(difference, difference);
                sum = simd.add_f32s(sum, simd.select_f32s(is_there, term, missing));
            }
            let sum = simd.sub_f32s(sum, simd.mul_f32s(stretch, price));
            // Where everybody passes sums may be no numbers.
            let near = simd.less_than_or_equal_f32s(sum, most);
            if limit < f32::INFINITY && simd.first_true_m32s(near) == S::F32_LANES {
                continue;
            }
            let mut sums = [0.0; FAN];
            S::as_mut_simd_f32s(&mut sums).0[0] = sum;
            for (lane, &sum) in sums[..S::F32_LANES].iter().enumerate() {
                let place = run.start + vector * S::F32_LANES + lane;
                if sum > limit || place >= run.end {
                    continue;
                }
                let point = self.tree.points()[place];
                let key = self.metric.key(query, self.points.record(point as usize));
                let key = key.min(FARTHEST);
                let worth = key - self.prices.of_places[place];
                if worth <= ask.limit(best) {
                    ask.keep(best, point, key, worth);
                    limit = self.most(ask.limit(best), norm);
                }
            }
        }
    }
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
            (700, 11, 40),
        ] {
            // Beside values as far as that, small differences are lost in single precision.
            for (gaps, farthest) in [(false, 0.0), (true, 0.0), (false, 1e9), (true, 1e9)] {
                let mut matrix = points(&mut state, n, width, values, gaps);
                let mut queries = points(&mut state, 20, width, values, gaps);
                let far = |_, value: f64| if value == 0.0 { farthest } else { value };
                matrix.map(far);
                queries.map(far);
                let weights = (0..width).map(|k| [0.7, 0.0, 1.3, 2.0][k % 4]).collect();
                let metric = Metric::new(weights, vec![0.11; width]);
                let mut tree = PricedPoints::build(&matrix, metric.clone());
                assert_eq!(tree.n_points(), n);
                let mut prices: Vec<f64> = (0..n).map(|_| -(dice(&mut state, 9) as f64)).collect();
                for round in 0..3 {
                    if round == 1 {
                        tree.set_prices(&prices, n);
                    } else if round == 2 {
                        prices
                            .iter_mut()
                            .step_by(3)
                            .for_each(|p| *p = f64::NEG_INFINITY);
                        tree.set_prices(&prices, n);
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
        let mut tree = PricedPoints::build(&matrix, Metric::new(vec![1.0], vec![1.0]));
        let query = Matrix::complete(1, 1, vec![1e300]);
        let ask = Ask {
            k: 2,
            below: f64::INFINITY,
            turn: 0,
        };
        let found = tree.cheapest(query.record(0), ask, &mut Workspace::default());
        let keys: Vec<(u32, f64)> = found.iter().map(|offer| (offer.point, offer.key)).collect();
        assert_eq!(keys, [(0, 0.0), (1, FARTHEST)]);
        tree.set_prices(&[-1e280, 1e280], 1);
        let found = tree.cheapest(query.record(0), ask, &mut Workspace::default());
        let worths: Vec<(u32, f64)> = found.iter().map(|of| (of.point, of.worth)).collect();
        assert_eq!(worths, [(1, 0.0), (0, 1e280)]);
    }
}
