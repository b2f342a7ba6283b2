//! The k-d tree that several searches share: runs of points that are halved again and again, with a box around each.
//!
//! A search adds what it bounds by: distances from boxes of values, likelihoods from intervals of ranks. [`WideTree`](super::wide_tree) makes of it
//! boxes in single precision that are compared sixteen at a time. Two searches have trees of their own, because
//! they compare many boxes at a time: the index of [`nearest`](super::nearest), and the one from which microaggregation strikes records out.

use std::ops::Range;

use rayon::prelude::*;

use super::Metric;
use crate::table::matrix::{Matrix, Row};

/// Runs of points, each halved until it is a leaf. Nodes are numbered depth first: the first half of a node is the next node.
#[derive(Debug)]
pub struct KdTree {
    points: Vec<u32>,
    runs: Vec<Run>,
}

#[derive(Debug, Clone, Copy)]
struct Run {
    start: u32,
    end: u32,
    /// The node of the second half; 0 of a leaf.
    second: u32,
}

impl KdTree {
    /// These points, without a node.
    pub fn new(points: Vec<u32>) -> Self {
        Self {
            points,
            runs: Vec::new(),
        }
    }

    /// The tree with one root over all of these points, or no node without points, and what `halve` appends, in the order of the nodes.
    ///
    /// `halve` is called once a node, with its points in the order that the nodes above left them in. It reorders them and returns where the
    /// second half begins (strictly inside), or returns `None` for a leaf. Long runs are halved in parallel.
    pub fn grow<T: Send>(
        mut points: Vec<u32>,
        halve: impl Fn(&mut [u32], &mut Vec<T>) -> Option<usize> + Sync,
    ) -> (Self, Vec<T>) {
        let (runs, of_nodes) = match points.len() {
            0 => (Vec::new(), Vec::new()),
            _ => grown(&mut points, &halve),
        };
        (Self { points, runs }, of_nodes)
    }

    /// Adds a root over a run of the points and all nodes below it, and returns its number.
    ///
    /// `halve` is called once a node, in the order of their numbers, with the points of the node. It reorders them and returns where the
    /// second half begins (strictly inside), or returns `None` for a leaf.
    ///
    /// # Panics
    /// If the run, or a half, is not inside the points.
    pub fn plant(
        &mut self,
        run: Range<usize>,
        halve: &mut dyn FnMut(&mut [u32]) -> Option<usize>,
    ) -> usize {
        let node = self.runs.len();
        self.runs.push(Run {
            start: to_u32(run.start),
            end: to_u32(run.end),
            second: 0,
        });
        if let Some(half) = halve(&mut self.points[run.clone()]) {
            let middle = run.start + half;
            self.plant(run.start..middle, halve);
            self.runs[node].second = to_u32(self.plant(middle..run.end, halve));
        }
        node
    }

    /// The points, those of a node together.
    pub fn points(&self) -> &[u32] {
        &self.points
    }

    /// Where each point stands among [`points`](Self::points).
    pub fn places(&self) -> Vec<u32> {
        let mut places = vec![u32::MAX; self.points.len()];
        for (place, &point) in (0..).zip(&self.points) {
            places[point as usize] = place;
        }
        places
    }

    /// The greatest in each node of the numbers of the places of [`points`](Self::points).
    pub fn greatest(&self, of_places: &[f64]) -> Vec<f64> {
        let mut greatest = vec![f64::NEG_INFINITY; self.n_nodes()];
        for node in (0..self.n_nodes()).rev() {
            greatest[node] = match self.halves(node) {
                Some([first, second]) => greatest[first].max(greatest[second]),
                None => {
                    let numbers = of_places[self.run(node)].iter().copied();
                    numbers.fold(f64::NEG_INFINITY, f64::max)
                }
            };
        }
        greatest
    }

    /// An order of queries in which those whose partners (points) are near each other in the tree follow each other, so that they look at
    /// the same nodes; those without a partner come last.
    pub fn order_by(&self, partners: &[Option<u32>]) -> Vec<u32> {
        let places = self.places();
        let place_of = |partner: &Option<u32>| partner.map_or(u32::MAX, |p| places[p as usize]);
        order_by(partners.len(), |query| place_of(&partners[query]))
    }

    /// Number of nodes.
    pub fn n_nodes(&self) -> usize {
        self.runs.len()
    }

    /// Where the points of a node stand.
    #[inline(always)]
    pub fn run(&self, node: usize) -> Range<usize> {
        let run = self.runs[node];
        run.start as usize..run.end as usize
    }

    /// The nodes of the two halves of a node; `None` of a leaf.
    #[inline(always)]
    pub fn halves(&self, node: usize) -> Option<[usize; 2]> {
        let second = self.runs[node].second as usize;
        (second > 0).then_some([node + 1, second])
    }
}

/// Runs of at least so many points are halved by two tasks.
const PARALLEL: usize = 1 << 14;

/// The nodes over these points, whose places begin at 0, and what is appended for each. It reorders the points.
fn grown<T: Send>(
    points: &mut [u32],
    halve: &(impl Fn(&mut [u32], &mut Vec<T>) -> Option<usize> + Sync),
) -> (Vec<Run>, Vec<T>) {
    let mut of_nodes = Vec::new();
    if points.len() < PARALLEL {
        let mut tree = KdTree::new(points.to_vec());
        tree.plant(0..points.len(), &mut |run| halve(run, &mut of_nodes));
        points.copy_from_slice(&tree.points);
        return (tree.runs, of_nodes);
    }
    let mut runs = vec![Run {
        start: 0,
        end: to_u32(points.len()),
        second: 0,
    }];
    if let Some(middle) = halve(points, &mut of_nodes) {
        let (first, second) = points.split_at_mut(middle);
        let halves = rayon::join(|| grown(first, halve), || grown(second, halve));
        for (offset, (below, of_below)) in [(0, halves.0), (to_u32(middle), halves.1)] {
            let before = to_u32(runs.len());
            if offset > 0 {
                runs[0].second = before;
            }
            runs.extend(below.into_iter().map(|run| Run {
                start: run.start + offset,
                end: run.end + offset,
                second: match run.second {
                    0 => 0,
                    second => second + before,
                },
            }));
            of_nodes.extend(of_below);
        }
    }
    (runs, of_nodes)
}

/// Reorders a run so that the points with the least keys, of equal keys those with the least numbers, stand before `middle`; returns `middle`.
///
/// Keys of points lie all over the memory: each is fetched once.
pub fn part<K: Copy>(
    run: &mut [u32],
    middle: usize,
    key: impl Fn(u32) -> K,
    order: impl Fn(&K, &K) -> std::cmp::Ordering,
) -> usize {
    let mut keyed: Vec<(K, u32)> = run.iter().map(|&point| (key(point), point)).collect();
    keyed.select_nth_unstable_by(middle, |a, b| order(&a.0, &b.0).then(a.1.cmp(&b.1)));
    for (slot, (_, point)) in run.iter_mut().zip(keyed) {
        *slot = point;
    }
    middle
}

/// An order of `n` places by these numbers, and then in their own: where similar numbers are of those that look at the same nodes, as
/// [`KdTree::order_by`].
pub fn order_by<K: Ord + Send>(n: usize, number: impl Fn(usize) -> K + Sync) -> Vec<u32> {
    let places = (0..to_u32(n)).into_par_iter();
    let keyed = places.map(|place| (number(place as usize), place));
    let mut keyed: Vec<(K, u32)> = keyed.collect();
    keyed.par_sort_unstable();
    keyed.into_iter().map(|(_, place)| place).collect()
}

/// What is found for each place, in the order of the places: `order` names each of them once, and says in which order they are worked on
/// ([`KdTree::order_by`], [`order_by`]), each thread with `room` of its own.
pub fn of_each<R, T: Send>(
    order: &[u32],
    room: impl Fn() -> R + Send + Sync,
    find: impl Fn(&mut R, usize) -> T + Send + Sync,
) -> Vec<T> {
    let found = order
        .par_iter()
        .with_max_len(BATCH)
        .map_init(room, |room, &place| (place, find(room, place as usize)));
    by_place(found.collect())
}

/// The same, of places that are worked on in batches: `find` appends what it finds for each place of a batch, in any order.
pub fn of_batches<T: Send>(
    order: &[u32],
    find: impl Fn(&[u32], &mut Vec<(u32, T)>) + Sync,
) -> Vec<T> {
    // Of few places smaller batches, so that all threads have work.
    let size = order.len().div_ceil(256).clamp(1, TOGETHER);
    let batches = order.par_chunks(size).with_max_len(1);
    let found = batches.flat_map_iter(|places| {
        let mut found = Vec::with_capacity(places.len());
        find(places, &mut found);
        found
    });
    by_place(found.collect())
}

/// Places that one task works on, at most: neighbours take longer where much is near, and what a task has begun on no other thread can
/// take from it.
const BATCH: usize = 256;

/// Places of a batch, at most: the more they are, the more of them look at what was fetched from memory for one of them.
const TOGETHER: usize = 2048;

fn by_place<T: Send>(mut found: Vec<(u32, T)>) -> Vec<T> {
    found.par_sort_unstable_by_key(|&(place, _)| place);
    found.into_iter().map(|(_, found)| found).collect()
}

/// The nodes that a search still has to open, the nearest on top.
#[derive(Debug, Default)]
pub struct Waiting(Vec<(f64, usize)>);

impl Waiting {
    /// The beginning of a search.
    pub fn begun(tree: &KdTree) -> Self {
        let mut waiting = Self::default();
        waiting.begin(tree);
        waiting
    }

    /// Begins a search, in the memory of another.
    pub fn begin(&mut self, tree: &KdTree) {
        self.0.clear();
        self.0
            .extend((tree.n_nodes() > 0).then_some((f64::NEG_INFINITY, 0)));
    }

    /// The next leaf that may hold a point within the bound: nodes whose `least` is greater are left out, and of two halves the
    /// nearer one comes first.
    #[inline(always)]
    pub fn next(
        &mut self,
        tree: &KdTree,
        bound: f64,
        mut least: impl FnMut(usize) -> f64,
    ) -> Option<usize> {
        while let Some((at_least, node)) = self.0.pop() {
            if at_least > bound {
                continue;
            }
            let Some(halves) = tree.halves(node) else {
                return Some(node);
            };
            let [first, second] = halves;
            let first = (least(first), first);
            let second = (least(second), second);
            if second.0 < first.0 {
                self.0.extend([first, second]);
            } else {
                self.0.extend([second, first]);
            }
        }
        None
    }
}

/// The values of one attribute of some points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    /// The least value; infinite if all miss it.
    pub low: f64,
    /// The greatest value; −∞ if all miss it.
    pub high: f64,
    /// Whether a point misses it.
    pub has_gaps: bool,
}

impl Span {
    const EMPTY: Self = Self {
        low: f64::INFINITY,
        high: f64::NEG_INFINITY,
        has_gaps: false,
    };

    /// The span of each attribute over all points, on all threads.
    pub fn of_all(points: &Matrix) -> Vec<Self> {
        let empty = || vec![Self::EMPTY; points.n_attributes()];
        let records = (0..to_u32(points.n_records())).into_par_iter();
        let chunks = records
            .with_min_len(PARALLEL)
            .fold(empty, |mut spans, point| {
                Self::widen(&mut spans, points, point);
                spans
            });
        chunks.reduce(empty, |mut spans, others| {
            for (span, other) in spans.iter_mut().zip(others) {
                *span = span.and(other);
            }
            spans
        })
    }

    /// Puts the span of each attribute over a run of points into `spans`: a look at each point, since these lie all over the memory.
    fn of_run(points: &Matrix, run: &[u32], spans: &mut [Self]) {
        spans.fill(Self::EMPTY);
        for &point in run {
            Self::widen(spans, points, point);
        }
    }

    /// Takes a point into the span of each attribute.
    #[inline(always)]
    fn widen(spans: &mut [Self], points: &Matrix, point: u32) {
        let record = points.record(point as usize);
        let values = spans.iter_mut().zip(record.values());
        for (attribute, (span, &value)) in values.enumerate() {
            if record.is_missing(attribute) {
                span.has_gaps = true;
            } else {
                (span.low, span.high) = (span.low.min(value), span.high.max(value));
            }
        }
    }

    /// The span of the values of both.
    pub fn and(self, other: Self) -> Self {
        Self {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            has_gaps: self.has_gaps || other.has_gaps,
        }
    }
}

/// Which runs are not halved any more.
#[derive(Debug, Clone, Copy)]
pub enum Leaves {
    /// Runs are halved in the middle; those of at most so many points, or of points that differ in gaps alone, are leaves.
    UpTo(usize),
    /// Every leaf but the last holds exactly so many points.
    Full(usize),
}

/// A [`KdTree`] with the span of each attribute in each node.
#[derive(Debug)]
pub struct BoxTree {
    /// The nodes.
    pub tree: KdTree,
    /// Attribute by attribute, node by node.
    spans: Vec<Span>,
    /// The root of the weight of each attribute.
    scales: Vec<f64>,
}

impl BoxTree {
    /// The tree of all records of a matrix, each node halved by the attribute with the greatest mean absolute deviation, after
    /// weighting. By the greatest extent a few outliers would decide, and hardly make the halves smaller.
    ///
    /// # Complexity
    /// O(n log n) time, O(n d) memory.
    ///
    /// # Panics
    /// If there are more points than a `u32` counts.
    pub fn build(points: &Matrix, weights: &[f64], leaves: Leaves) -> Self {
        Self::halved(points, None, weights, leaves)
    }

    /// The same tree for points of which those of a high price are nearer to everybody: a node is halved by prices where these differ by more
    /// than any attribute, a difference of prices being as good as a distance of this `length`.
    ///
    /// # Panics
    /// If there is not one price for each point.
    pub fn build_priced(
        points: &Matrix,
        (prices, length): (&[f64], Length<'_>),
        weights: &[f64],
        leaves: Leaves,
    ) -> Self {
        assert_eq!(prices.len(), points.n_records(), "one price a point");
        Self::halved(points, Some((prices, length)), weights, leaves)
    }

    fn halved(
        points: &Matrix,
        prices: Option<(&[f64], Length<'_>)>,
        weights: &[f64],
        leaves: Leaves,
    ) -> Self {
        let scales = roots(weights);
        let (tree, _) = KdTree::grow(
            (0..to_u32(points.n_records())).collect(),
            |run, _: &mut Vec<()>| {
                let (size, middle) = match leaves {
                    Leaves::UpTo(size) => (size, run.len() / 2),
                    Leaves::Full(size) => (size, (run.len() / size / 2).max(1) * size),
                };
                if run.len() <= size {
                    return None;
                }
                let spreads = scales.iter().enumerate().map(|(attribute, scale)| {
                    scale * spread(run, |point| points.value(point as usize, attribute))
                });
                let (mut halved, most) = greatest(spreads);
                if most <= 0.0 {
                    // A few may differ from all others, and none of these be in the sample.
                    let mut spans = vec![Span::EMPTY; scales.len()];
                    Span::of_run(points, run, &mut spans);
                    let extents = spans.iter().zip(&scales);
                    let extents = extents.map(|(span, scale)| (span.high - span.low) * scale);
                    let (widest, extent) = greatest(extents);
                    if extent <= 0.0 && matches!(leaves, Leaves::UpTo(_)) {
                        return None;
                    }
                    halved = widest;
                }
                if let Some((prices, length)) = prices {
                    let price = |point: u32| prices[point as usize];
                    let of_prices = spread(run, |point| Some(price(point)));
                    if length(of_prices) > most {
                        return Some(part(run, middle, price, f64::total_cmp));
                    }
                }
                let value = |point: u32| points.row(point as usize)[halved];
                Some(part(run, middle, value, f64::total_cmp))
            },
        );
        Self {
            spans: spans_of(&tree, points),
            tree,
            scales,
        }
    }

    /// The same nodes with the spans of other attributes of the points, which have these weights.
    #[must_use]
    pub fn spanning(self, points: &Matrix, weights: &[f64]) -> Self {
        Self {
            spans: spans_of(&self.tree, points),
            scales: roots(weights),
            tree: self.tree,
        }
    }

    /// The attributes in descending order of their mean extent in leaves, after weighting. Points of a leaf that is near a query differ from it mostly in the first of these.
    pub fn widest_first(&self) -> Vec<usize> {
        let mut extents = vec![0.0; self.scales.len()];
        let leaves = (0..self.tree.n_nodes()).filter(|&node| self.tree.halves(node).is_none());
        for leaf in leaves {
            let spans = self.spans(leaf).iter().zip(&self.scales);
            for (sum, (span, scale)) in extents.iter_mut().zip(spans) {
                // Where all miss an attribute, its span is empty.
                *sum += f64::max((span.high - span.low) * scale, 0.0);
            }
        }
        let mut attributes: Vec<usize> = (0..extents.len()).collect();
        attributes.sort_by(|&a, &b| extents[b].total_cmp(&extents[a]));
        attributes
    }

    /// The span of each attribute in a node.
    #[inline(always)]
    pub fn spans(&self, node: usize) -> &[Span] {
        let width = self.scales.len();
        &self.spans[node * width..(node + 1) * width]
    }
}

/// The span of each attribute in each node: of the points of leaves, and then of what is below a node.
fn spans_of(tree: &KdTree, points: &Matrix) -> Vec<Span> {
    let width = points.n_attributes();
    let mut spans = vec![Span::EMPTY; tree.n_nodes() * width];
    if width == 0 {
        return spans;
    }
    let of_nodes = spans.par_chunks_mut(width).enumerate().with_min_len(64);
    of_nodes.for_each(|(node, spans)| {
        if tree.halves(node).is_none() {
            Span::of_run(points, &tree.points()[tree.run(node)], spans);
        }
    });
    // Those below a node come after it.
    for node in (0..tree.n_nodes()).rev() {
        let Some(halves) = tree.halves(node) else {
            continue;
        };
        for k in 0..width {
            let [first, second] = halves.map(|half| spans[half * width + k]);
            spans[node * width + k] = first.and(second);
        }
    }
    spans
}

/// The place of the greatest of some numbers, of equal ones the first, and the number; 0 where none is above 0.
fn greatest(numbers: impl Iterator<Item = f64>) -> (usize, f64) {
    numbers.enumerate().fold(
        (0, 0.0),
        |best, next| if next.1 > best.1 { next } else { best },
    )
}

/// Points by which the spread of a run is judged.
const SAMPLE: usize = 64;

/// What distance a difference of prices is as good as.
pub type Length<'a> = &'a (dyn Fn(f64) -> f64 + Sync);

/// Twice its root, where prices are set off against squared distances: of 1/2, 1, 2, 3 and 5 times, this makes the fastest searches of
/// rank-swapped records.
pub fn length_of_square(price: f64) -> f64 {
    2.0 * price.sqrt()
}

fn roots(weights: &[f64]) -> Vec<f64> {
    weights.iter().map(|weight| weight.sqrt()).collect()
}

/// The mean absolute deviation of the values that are not missing, in a sample of a run; 0 where these are all the same.
fn spread(run: &[u32], value: impl Fn(u32) -> Option<f64>) -> f64 {
    let sample = run.iter().step_by(run.len().div_ceil(SAMPLE));
    let mut values = [0.0; SAMPLE];
    let mut n_present = 0;
    for value in sample.filter_map(|&point| value(point)) {
        values[n_present] = value;
        n_present += 1;
    }
    let values = &values[..n_present];
    if values
        .iter()
        .all(|value| value.total_cmp(&values[0]).is_eq())
    {
        return 0.0;
    }
    let mean_of = |numbers: &mut dyn Iterator<Item = f64>| numbers.sum::<f64>() / n_present as f64;
    let mean = mean_of(&mut values.iter().copied());
    mean_of(&mut values.iter().map(|value| (value - mean).abs()))
}

impl Metric {
    /// What an attribute contributes at least to the distance from a query to any point whose value is in the span, or missing where the span
    /// has gaps: the canonical recipe for the nearest value, and rounding keeps order. So sums of these, in the order of the attributes, are
    /// never above [`Self::key`].
    #[inline(always)]
    pub fn least(&self, query: Row<'_>, attribute: usize, span: Span) -> f64 {
        let (weight, missing) = (self.weights[attribute], self.missing[attribute]);
        if query.is_missing(attribute) || span.low > span.high {
            return missing;
        }
        if weight == 0.0 {
            return 0.0;
        }
        let value = query.values()[attribute];
        let away = (span.low - value).max(value - span.high).max(0.0);
        let term = weight * (away * away);
        if span.has_gaps {
            term.min(missing)
        } else {
            term
        }
    }
}

fn to_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or_else(|_| panic!("points are numbered by u32"))
}
