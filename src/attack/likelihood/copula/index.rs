//! A k-d tree of records for likelihoods that are sums of many normal densities: who can be likely for a query.
//!
//! ```text
//! ln likelihood(query, record) = ln Σ_t exp(c_t + h_t + Σ_i (q_ti s_ti − ½ D_ti s_ti²))      (t = terms)
//! ```
//!
//! c and q belong to the query, h and s to the record, D > 0 to the term. Inside a node, s is in a box and h below a maximum; each
//! summand is a parabola whose maximum in an interval is at hand, so the sum of the maxima bounds the likelihood of all records of the node.
//!
//! # Rounding
//! The index holds single-precision numbers and is a filter: bounds are raised by what rounding can take from them, and who gets past them is
//! for the caller to judge. Nobody is left out who could be as likely as the threshold.

use rayon::prelude::*;

use crate::distance::kd_tree::{KdTree, part};

/// Records of a leaf.
const LANES: usize = 16;

/// A number of each record of a leaf, or of each of as many terms.
type Lanes = [f32; LANES];

/// Nobody: fills the last leaf of a group.
const NOBODY: u32 = u32::MAX;

/// A term this much below the threshold (logarithms) is bounded by its box, and not worked out for each record of a leaf.
const FAR: f32 = 6.0;

/// What all records and queries have in common.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    pub terms: usize,
    /// Coordinates of each term.
    pub width: usize,
    /// D, terms × coordinates.
    pub curvature: Vec<f64>,
    /// How many numbers have to be equal.
    pub strict: usize,
}

/// Records that can be asked for.
pub(super) trait Places: Sync {
    /// Writes, for each term, the coordinates of a record, then h.
    fn place(&self, record: usize, into: &mut [f64]);

    /// The term in whose coordinates a record is separated from those near it.
    fn home(&self, record: usize) -> usize;

    /// A number that a query's has to be equal to; `None` where it is equal to all.
    fn strict(&self, record: usize, at: usize) -> Option<f64>;
}

/// Records in trees, one for each home.
///
/// What is kept for all terms is kept in blocks of as many terms as there are lanes.
#[derive(Debug)]
pub(super) struct Index {
    shape: Shape,
    /// ½ D, blocks × coordinates.
    half: Vec<Lanes>,
    /// The greatest |s| of all records for each coordinate, then the greatest finite |h|; blocks × these.
    reach: Vec<Lanes>,
    /// One root for each home.
    tree: KdTree,
    roots: Vec<usize>,
    /// The number of the first leaf in each node.
    leaf_of: Vec<usize>,
    /// For each node and block the least and the greatest s of each coordinate, then the greatest h.
    boxes: Vec<Lanes>,
    /// For each node, between which numbers the strict ones lie.
    limits: Vec<(f64, f64)>,
    /// For each leaf and term, s of each coordinate and then h, of all its records.
    leaves: Vec<Lanes>,
    /// Those of the leaves.
    records: Vec<u32>,
}

/// Who asks.
#[derive(Debug)]
pub(super) struct Query {
    /// c, raised by what rounding can take.
    constants: Vec<Lanes>,
    /// q and where the parabolas are greatest, blocks × coordinates.
    pulls: Vec<(Lanes, Lanes)>,
    strict: Vec<Option<f64>>,
}

/// Bytes of an index of so many records.
pub(super) fn bytes(records: usize, terms: usize, width: usize) -> usize {
    let of_leaf = terms * (width + 1);
    let of_nodes = 2 * terms.div_ceil(LANES) * (2 * width + 1);
    records.div_ceil(LANES) * (of_leaf + of_nodes) * size_of::<Lanes>()
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "rounding of the filter, which its bounds allow for"
)]
fn single(number: f64) -> f32 {
    number as f32
}

#[inline(always)]
fn least(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

#[inline(always)]
fn greatest(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// A strict number as it is sorted; what is equal to all comes first.
fn key(places: &impl Places, record: u32, at: usize) -> f64 {
    let number = places.strict(record as usize, at);
    number.unwrap_or(f64::NEG_INFINITY)
}

/// The coordinate in which records lie farthest apart.
fn widest(own: &[f32], width: usize, records: &[u32]) -> usize {
    let spread = |at: usize| {
        let numbers = records.iter().map(|&r| own[r as usize * width + at]);
        let (low, high) = numbers.fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), x| {
            (least(low, x), greatest(high, x))
        });
        high - low
    };
    (0..width)
        .map(|at| (at, spread(at)))
        .reduce(|most, next| if next.1 > most.1 { next } else { most })
        .map_or(0, |(at, _)| at)
}

impl Index {
    /// An index of n records.
    ///
    /// # Complexity
    /// O(n log n · coordinates) and the places of all records in all terms; [`bytes()`] of memory.
    pub fn new<P: Places>(shape: Shape, n: usize, places: &P) -> Self {
        let (terms, width) = (shape.terms, shape.width);
        // At home, in units in which a step changes the likelihood by as much in all coordinates.
        let mut own = vec![0.0_f32; n * width];
        if width > 0 {
            own.par_chunks_mut(width).enumerate().for_each_init(
                Vec::new,
                |points, (record, row)| {
                    let home = places.home(record);
                    points.resize(terms * (width + 1), 0.0);
                    places.place(record, points);
                    let point = &points[home * (width + 1)..];
                    let curvature = &shape.curvature[home * width..(home + 1) * width];
                    for ((to, &s), &d) in row.iter_mut().zip(point).zip(curvature) {
                        *to = single(s * d.sqrt());
                    }
                },
            );
        }
        let mut order: Vec<u32> = (0_u32..).take(n).collect();
        let homes: Vec<usize> = (0..n).map(|record| places.home(record)).collect();
        order.sort_by_key(|&record| homes[record as usize]);
        let (mut limits, mut leaf_of, mut records) = (Vec::new(), Vec::new(), Vec::new());
        let mut halve = |run: &mut [u32]| {
            let mut apart = None;
            for at in 0..shape.strict {
                let keys = run.iter().map(|&record| key(places, record, at));
                let (low, high) = keys
                    .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), key| {
                        (low.min(key), high.max(key))
                    });
                if low < high && apart.is_none() {
                    apart = Some(at);
                }
                limits.push(if low > f64::NEG_INFINITY {
                    (low, high)
                } else {
                    (f64::NEG_INFINITY, f64::INFINITY)
                });
            }
            leaf_of.push(records.len() / LANES);
            if run.len() <= LANES {
                records.extend_from_slice(run);
                records.resize(records.len().next_multiple_of(LANES), NOBODY);
                return None;
            }
            let middle = (run.len() / 2).next_multiple_of(LANES);
            Some(match apart {
                Some(at) => part(run, middle, |r| key(places, r, at), f64::total_cmp),
                None => {
                    let at = widest(&own, width, run);
                    let own = |r: u32| own.get(r as usize * width + at).copied();
                    part(run, middle, |r| own(r).unwrap_or(0.0), f32::total_cmp)
                }
            })
        };
        let mut tree = KdTree::new(order);
        let mut roots = Vec::new();
        let mut from = 0;
        while from < n {
            let home = homes[tree.points()[from] as usize];
            let to = tree
                .points()
                .partition_point(|&record| homes[record as usize] <= home);
            roots.push(tree.plant(from..to, &mut halve));
            from = to;
        }
        let leaves = leaves(&records, &shape, places);
        let blocks = terms.div_ceil(LANES);
        let mut half = vec![[0.5; LANES]; blocks * width];
        for t in 0..terms {
            for i in 0..width {
                half[t / LANES * width + i][t % LANES] =
                    single(0.5 * shape.curvature[t * width + i]);
            }
        }
        let mut index = Self {
            half,
            reach: vec![[0.0; LANES]; blocks * (width + 1)],
            roots,
            boxes: vec![[0.0; LANES]; tree.n_nodes() * blocks * (2 * width + 1)],
            tree,
            leaf_of,
            limits,
            leaves,
            records,
            shape,
        };
        index.enclose();
        index.measure();
        index
    }

    fn blocks(&self) -> usize {
        self.shape.terms.div_ceil(LANES)
    }

    /// Rows of a block of a box.
    fn rows(&self) -> usize {
        2 * self.shape.width + 1
    }

    /// Boxes from the leaves up.
    fn enclose(&mut self) {
        let (rows, blocks) = (self.rows(), self.blocks());
        let size = rows * blocks;
        let mut boxes = std::mem::take(&mut self.boxes);
        for number in (0..self.tree.n_nodes()).rev() {
            let (before, after) = boxes.split_at_mut((number + 1) * size);
            let own = &mut before[number * size..];
            let Some([_, second]) = self.tree.halves(number) else {
                self.box_of_leaf(self.leaf_of[number], own);
                continue;
            };
            let second = (second - number - 1) * size;
            let children = after[..size].iter().zip(&after[second..second + size]);
            for ((row, own), (a, b)) in own.iter_mut().enumerate().zip(children) {
                let is_low = row % rows + 1 < rows && row % rows % 2 == 0;
                for ((own, &a), &b) in own.iter_mut().zip(a).zip(b) {
                    *own = if is_low { least(a, b) } else { greatest(a, b) };
                }
            }
        }
        self.boxes = boxes;
    }

    fn box_of_leaf(&self, leaf: usize, into: &mut [Lanes]) {
        let (width, rows) = (self.shape.width, self.rows());
        let records = &self.records[leaf * LANES..(leaf + 1) * LANES];
        let count = records.iter().filter(|&&record| record != NOBODY).count();
        for t in 0..self.blocks() * LANES {
            let into = &mut into[t / LANES * rows..][..rows];
            if t >= self.shape.terms {
                into[2 * width][t % LANES] = f32::NEG_INFINITY;
                continue;
            }
            let own = self.of_leaf(leaf, t);
            let range = |row: usize| {
                let numbers = own[row][..count].iter();
                numbers.fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), &x| {
                    (least(low, x), greatest(high, x))
                })
            };
            for i in 0..width {
                let (low, high) = range(i);
                into[2 * i][t % LANES] = low;
                into[2 * i + 1][t % LANES] = high;
            }
            into[2 * width][t % LANES] = range(width).1;
        }
    }

    /// How far records reach, for what rounding can take.
    fn measure(&mut self) {
        let (width, terms) = (self.shape.width, self.shape.terms);
        for (at, own) in self.leaves.chunks_exact(width + 1).enumerate() {
            let t = at % terms;
            let reach = &mut self.reach[t / LANES * (width + 1)..][..width + 1];
            for (reach, own) in reach.iter_mut().zip(own) {
                for x in own.iter().filter(|x| x.is_finite()) {
                    reach[t % LANES] = greatest(reach[t % LANES], x.abs());
                }
            }
        }
    }

    /// The coordinates and h of a leaf's records in a term.
    #[inline(always)]
    fn of_leaf(&self, leaf: usize, term: usize) -> &[Lanes] {
        let rows = self.shape.width + 1;
        &self.leaves[(leaf * self.shape.terms + term) * rows..][..rows]
    }

    /// A query with these c and q (terms × coordinates); `strict` are the numbers that it wants.
    pub fn query(&self, constants: &[f64], pulls: &[f64], strict: Vec<Option<f64>>) -> Query {
        let width = self.shape.width;
        let mut query = Query {
            constants: vec![[f32::NEG_INFINITY; LANES]; self.blocks()],
            pulls: vec![([0.0; LANES], [0.0; LANES]); self.blocks() * width],
            strict,
        };
        // Rounding errors of as many operations, each of half a unit of the last of 24 digits, twice over.
        let error = (4 * width + 16) as f32 * f32::EPSILON;
        for (t, &constant) in constants.iter().enumerate() {
            if constant == f64::NEG_INFINITY {
                continue;
            }
            let (block, lane) = (t / LANES, t % LANES);
            let reach = &self.reach[block * (width + 1)..][..width + 1];
            let mut size = reach[width][lane] + single(constant.abs());
            for i in 0..width {
                let (pull, half) = (
                    single(pulls[t * width + i]),
                    self.half[block * width + i][lane],
                );
                let reach = reach[i][lane];
                size += reach * (pull.abs() + half * reach);
                let own = &mut query.pulls[block * width + i];
                (own.0[lane], own.1[lane]) = (pull, 0.5 * pull / half);
            }
            query.constants[block][lane] = single(constant) + error * size + 1e-5;
        }
        query
    }

    /// Calls `found` for every record whose likelihood can have a logarithm of at least the threshold; `found` returns the threshold from
    /// then on.
    ///
    /// # Complexity
    /// O(terms · coordinates) a node and a leaf that is looked at.
    pub fn search(&self, query: &Query, threshold: f64, found: &mut dyn FnMut(usize) -> f64) {
        pulp::Arch::new().dispatch(Searching {
            index: self,
            query,
            threshold,
            found,
        });
    }

    fn admits(&self, node: usize, query: &Query) -> bool {
        let strict = self.shape.strict;
        let limits = &self.limits[node * strict..(node + 1) * strict];
        (limits.iter().zip(&query.strict))
            .all(|(&(low, high), wanted)| wanted.is_none_or(|x| low <= x && x <= high))
    }

    /// Bounds of the terms of a block in a node.
    #[inline(always)]
    fn bounds(&self, node: usize, block: usize, query: &Query) -> Lanes {
        let (width, rows) = (self.shape.width, self.rows());
        let own = &self.boxes[(node * self.blocks() + block) * rows..][..rows];
        let parabolas = self.half[block * width..].iter();
        let of_coordinates = (query.pulls[block * width..].iter().zip(parabolas))
            .zip(own.chunks_exact(2))
            .take(width);
        let mut sums = query.constants[block];
        for (((pull, top), half), range) in of_coordinates {
            for lane in 0..LANES {
                let at = least(greatest(top[lane], range[0][lane]), range[1][lane]);
                sums[lane] += at * (pull[lane] - half[lane] * at);
            }
        }
        for (sum, height) in sums.iter_mut().zip(&own[2 * width]) {
            *sum += height;
        }
        sums
    }

    /// A term for all records of a leaf.
    #[inline(always)]
    fn of_lanes(&self, leaf: usize, term: usize, query: &Query) -> Lanes {
        let width = self.shape.width;
        let (block, lane) = (term / LANES, term % LANES);
        let rows = self.of_leaf(leaf, term);
        let mut sums = [query.constants[block][lane]; LANES];
        let parabolas = (query.pulls[block * width..].iter()).zip(&self.half[block * width..]);
        for (((pull, _), half), row) in parabolas.zip(rows).take(width) {
            let (pull, half) = (pull[lane], half[lane]);
            for (sum, &s) in sums.iter_mut().zip(row) {
                *sum += s * (pull - half * s);
            }
        }
        for (sum, h) in sums.iter_mut().zip(&rows[width]) {
            *sum += h;
        }
        sums
    }
}

fn leaves<P: Places>(records: &[u32], shape: &Shape, places: &P) -> Vec<Lanes> {
    let (terms, width) = (shape.terms, shape.width);
    let of_leaf = terms * (width + 1);
    let mut leaves = vec![[0.0; LANES]; records.len() / LANES * of_leaf];
    (leaves.par_chunks_mut(of_leaf.max(1)))
        .zip(records.par_chunks(LANES))
        .for_each_init(
            || vec![0.0; of_leaf],
            |point, (leaf, records)| {
                for (lane, &record) in records.iter().enumerate() {
                    if record == NOBODY {
                        for own in leaf.chunks_exact_mut(width + 1) {
                            own[width][lane] = f32::NEG_INFINITY;
                        }
                        continue;
                    }
                    places.place(record as usize, point);
                    for (own, &number) in leaf.iter_mut().zip(point.iter()) {
                        own[lane] = single(number);
                    }
                }
            },
        );
    leaves
}

/// A search under way.
struct Searching<'a> {
    index: &'a Index,
    query: &'a Query,
    threshold: f64,
    found: &'a mut dyn FnMut(usize) -> f64,
}

/// A node that is to be looked at.
#[derive(Clone, Copy)]
struct Open {
    node: usize,
    /// Of its records' log-likelihood.
    bound: f64,
    /// The blocks that can add something to speak of, one bit each; blocks beyond always can.
    blocks: u64,
    /// What the other blocks can add, as a share of the threshold's likelihood.
    rest: f32,
}

/// What blocks that are not looked at can add in all, as a share of the threshold's likelihood.
const FORGOTTEN: f32 = 0.02;

impl pulp::NullaryFnOnce for Searching<'_> {
    type Output = ();

    #[inline(always)]
    fn call(mut self) {
        let everything = |&node: &usize| Open {
            node,
            bound: f64::INFINITY,
            blocks: u64::MAX,
            rest: 0.0,
        };
        let mut open: Vec<Open> = self.index.roots.iter().map(everything).collect();
        for root in &mut open {
            *root = self.child(*root, root.node);
        }
        open.sort_by(|a, b| a.bound.total_cmp(&b.bound));
        while let Some(next) = open.pop() {
            if next.bound == f64::NEG_INFINITY || next.bound < self.threshold {
                continue;
            }
            let Some(halves) = self.index.tree.halves(next.node) else {
                self.leaf(next, self.index.leaf_of[next.node]);
                continue;
            };
            let [first, second] = halves.map(|half| self.child(next, half));
            // The more promising one is on top.
            if first.bound > second.bound {
                open.extend([second, first])
            } else {
                open.extend([first, second])
            }
        }
    }
}

impl Searching<'_> {
    /// In units of this everything is a share of the threshold's likelihood; where there is none yet, everybody has the greatest share.
    #[inline(always)]
    fn unit(&self) -> f32 {
        if self.threshold > f64::NEG_INFINITY {
            single(self.threshold)
        } else {
            -1e30
        }
    }

    #[inline(always)]
    fn blocks(&self, of: u64) -> impl Iterator<Item = usize> + use<> {
        (0..self.index.blocks()).filter(move |&block| block >= 64 || of >> block & 1 == 1)
    }

    /// A child of a node, with the bound of its likelihoods.
    #[inline(always)]
    fn child(&self, parent: Open, node: usize) -> Open {
        let mut own = Open { node, ..parent };
        if self.index.shape.strict > 0 && !self.index.admits(node, self.query) {
            own.bound = f64::NEG_INFINITY;
            return own;
        }
        let unit = self.unit();
        let mut sum = 0.0;
        for block in self.blocks(parent.blocks) {
            let bounds = self.index.bounds(node, block, self.query);
            let share = sum_of(&bounds.map(|x| exp(x - unit)));
            if block < 64 && own.rest + share <= FORGOTTEN {
                own.rest += share;
                own.blocks &= !(1 << block);
            } else {
                sum += share;
            }
        }
        own.bound = if sum < GREATEST {
            f64::from(unit) + f64::from((sum + own.rest) * ALLOWANCE).ln()
        } else {
            self.log_of_much(node)
        };
        own
    }

    /// The bound of a node that is far above the threshold, or where there is none: of all blocks, each as large as the greatest.
    fn log_of_much(&self, node: usize) -> f64 {
        let blocks = self.index.blocks();
        (0..blocks)
            .map(|block| log_sum(&self.index.bounds(node, block, self.query)))
            .fold(f64::NEG_INFINITY, f64::max)
            + (blocks as f64).ln()
    }

    #[inline(always)]
    fn leaf(&mut self, open: Open, leaf: usize) {
        let unit = self.unit();
        // What the terms can add that are bounded by their boxes.
        let mut rest = open.rest;
        let mut sums = [0.0; LANES];
        for block in self.blocks(open.blocks) {
            let bounds = self.index.bounds(open.node, block, self.query);
            let terms = block * LANES..self.index.shape.terms;
            for (&bound, term) in bounds.iter().zip(terms) {
                if bound <= unit - FAR {
                    rest += exp(bound - unit);
                    continue;
                }
                let lanes = self.index.of_lanes(leaf, term, self.query);
                for (sum, x) in sums.iter_mut().zip(lanes) {
                    *sum += exp(x - unit);
                }
            }
        }
        let records = &self.index.records[leaf * LANES..(leaf + 1) * LANES];
        for (&record, sum) in records.iter().zip(sums) {
            // The threshold may have risen on the way, which only asks for more.
            if record != NOBODY && (sum + rest) * ALLOWANCE >= 1.0 {
                self.threshold = (self.found)(record as usize);
            }
        }
    }
}

#[inline(always)]
fn sum_of(lanes: &Lanes) -> f32 {
    lanes.iter().fold(0.0, |sum, x| sum + x)
}

/// Sums of less are as they are: [`exp`] has an end.
const GREATEST: f32 = 1e30;

/// What [`exp`] and sums can be too small by.
const ALLOWANCE: f32 = 1.001;

/// e to the power of x, within a ten-thousandth; at least 2¹²⁰ where it is more, and 0 below 2⁻¹²⁰.
#[inline(always)]
fn exp(x: f32) -> f32 {
    /// Coefficients of Taylor's series of 2^r.
    const LN_2: f32 = std::f32::consts::LN_2;
    /// What is added to it is rounded to a whole number: 1.5 · 2²³.
    const ROUNDER: f32 = 12_582_912.0;
    let y = least(x * std::f32::consts::LOG2_E, 120.0);
    let bounded = greatest(y, -120.0);
    let shifted = bounded + ROUNDER;
    let z = (bounded - (shifted - ROUNDER)) * LN_2;
    let series = 1.0 + z * (1.0 + z * (0.5 + z * (1.0 / 6.0 + z * (1.0 / 24.0))));
    // The last bits of the shifted number are the whole number; they become the exponent.
    let power = f32::from_bits((shifted.to_bits() << 23).wrapping_add(1.0_f32.to_bits()));
    if y < -120.0 { 0.0 } else { series * power }
}

/// ln Σ exp, or a little more.
#[inline(always)]
fn log_sum(terms: &Lanes) -> f64 {
    let most = terms.iter().fold(f32::NEG_INFINITY, |a, &b| greatest(a, b));
    if most == f32::NEG_INFINITY {
        return f64::NEG_INFINITY;
    }
    let sum = sum_of(&terms.map(|x| exp(x - most)));
    f64::from(most) + f64::from(sum * ALLOWANCE).ln()
}
