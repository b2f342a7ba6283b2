//! A k-d tree in single precision whose boxes are compared sixteen at a time: what filters in front of exact numbers look into.
//!
//! A search adds what it bounds by: squared distances, or contributions to a mean, less prices or not.

use pulp::Simd;
use rayon::prelude::*;

use super::{
    kd_tree::{BoxTree, KdTree},
    single::rounded,
};
use crate::table::matrix::Matrix;

/// Points of a leaf, but for the last one.
pub const LEAF: usize = 32;

/// Attributes that a search adds up before it checks whether any point of a leaf can still be near.
pub const AT_ONCE: usize = 5;

/// The most boxes below a fan: as many numbers as the widest vectors hold.
pub const FAN: usize = 16;

/// Levels of a [`KdTree`] in a fan.
const LEVELS: usize = FAN.ilog2() as usize;

/// One attribute of the points of a leaf.
#[derive(Debug, Clone)]
#[repr(align(64))]
pub struct Strip(pub [f32; LEAF]);

/// One attribute of the boxes below a fan.
#[derive(Debug, Clone)]
#[repr(align(64))]
pub struct Edges {
    /// From here.
    pub low: [f32; FAN],
    /// To here.
    pub high: [f32; FAN],
    /// What the attribute adds at most.
    pub cap: [f32; FAN],
}

impl Edges {
    /// No bounds.
    const EVERYWHERE: Self = Self {
        low: [f32::NEG_INFINITY; FAN],
        high: [f32::INFINITY; FAN],
        cap: [f32::INFINITY; FAN],
    };

    /// How far a value is from each box of a vector of these, 0 within it.
    #[inline(always)]
    pub fn away<S: Simd>(&self, simd: S, vector: usize, value: f32) -> S::f32s {
        let value = simd.splat_f32s(value);
        let below = simd.sub_f32s(S::as_simd_f32s(&self.low).0[vector], value);
        let above = simd.sub_f32s(value, S::as_simd_f32s(&self.high).0[vector]);
        simd.max_f32s(simd.max_f32s(below, above), simd.splat_f32s(0.0))
    }

    /// The least product of a value with any in each box of a vector of these.
    #[inline(always)]
    pub fn least_product<S: Simd>(&self, simd: S, vector: usize, value: f32) -> S::f32s {
        let value = simd.splat_f32s(value);
        let low = simd.mul_f32s(S::as_simd_f32s(&self.low).0[vector], value);
        let high = simd.mul_f32s(S::as_simd_f32s(&self.high).0[vector], value);
        simd.min_f32s(low, high)
    }
}

/// What a box of a fan holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Below {
    /// Another fan, with a greater number.
    Fan(u32),
    /// A leaf.
    Leaf(u32),
}

/// Points in leaves of [`LEAF`], and fans of boxes above them.
#[derive(Debug)]
pub struct WideTree {
    tree: KdTree,
    /// The attributes, in the order of edges.
    attributes: Vec<usize>,
    /// How many of them, the first, have strips.
    n_strips: usize,
    /// The first is above all others.
    fans: Vec<Vec<Below>>,
    /// Of each fan the edges of each attribute.
    edges: Vec<Edges>,
    /// Of each leaf the strips: NaN where a value is missing, infinite past the last point.
    strips: Vec<Strip>,
}

impl WideTree {
    /// The tree of some points, whose leaves are [`Leaves::Full`](super::kd_tree::Leaves::Full) of [`LEAF`]. Of the attributes, the first `n_strips` have strips. `coordinate`: where a value of an attribute
    /// stands in single precision, in the order of the values; `cap`: what an attribute adds at most where somebody misses it.
    ///
    /// # Complexity
    /// O(n d) time and memory.
    pub fn new(
        boxes: BoxTree,
        points: &Matrix,
        (attributes, n_strips): (Vec<usize>, usize),
        coordinate: impl Fn(usize, f64) -> f32 + Sync,
        cap: impl Fn(usize) -> f32,
    ) -> Self {
        let (mut fans, mut edges) = (Vec::new(), Vec::new());
        if boxes.tree.n_nodes() > 0 {
            // Levels that are left over go to the first fan, so that those at the bottom, which are the most, are full.
            let levels = match depth(&boxes.tree, 0) % LEVELS {
                0 => LEVELS,
                levels => levels,
            };
            let mut open = vec![(0, 0, levels)];
            fans.push(Vec::new());
            while let Some((fan, node, levels)) = open.pop() {
                let mut nodes = Vec::new();
                descend(&boxes.tree, node, levels, &mut nodes);
                let below = nodes.iter().map(|&node| {
                    if boxes.tree.halves(node).is_none() {
                        return Below::Leaf(number(boxes.tree.run(node).start / LEAF));
                    }
                    open.push((fans.len(), node, LEVELS));
                    fans.push(Vec::new());
                    Below::Fan(number(fans.len() - 1))
                });
                let below = below.collect();
                fans[fan] = below;
                edges.resize(fans.len() * attributes.len(), Edges::EVERYWHERE);
                let of_fan = edges[fan * attributes.len()..].iter_mut();
                for (edges, &k) in of_fan.zip(&attributes) {
                    for (at, &node) in nodes.iter().enumerate() {
                        // Where all miss it, every value is far.
                        let span = boxes.spans(node)[k];
                        edges.low[at] = coordinate(k, span.low);
                        edges.high[at] = coordinate(k, span.high);
                        if span.has_gaps {
                            edges.cap[at] = cap(k);
                        }
                    }
                }
            }
        }
        let strip = |leaf: &[u32], k: usize| {
            let mut strip = Strip([f32::INFINITY; LEAF]);
            for (cell, &point) in strip.0.iter_mut().zip(leaf) {
                let value = points.value(point as usize, k);
                *cell = value.map_or(f32::NAN, |value| coordinate(k, value));
            }
            strip
        };
        let (points, width) = (boxes.tree.points(), n_strips);
        let strips = (0..points.len().div_ceil(LEAF) * width).into_par_iter();
        let strips = strips.with_min_len(1 << 8).map(|cell| {
            let first = cell / width * LEAF;
            let leaf = &points[first..points.len().min(first + LEAF)];
            strip(leaf, attributes[cell % width])
        });
        Self {
            strips: strips.collect(),
            fans,
            edges,
            attributes,
            n_strips,
            tree: boxes.tree,
        }
    }

    /// The points, those of a leaf together.
    pub fn points(&self) -> &[u32] {
        self.tree.points()
    }

    /// Where each point stands among [`points`](Self::points).
    pub fn places(&self) -> Vec<u32> {
        self.tree.places()
    }

    /// The attributes, in the order of [`edges`](Self::edges), and of [`strips`](Self::strips), which the first ones have.
    #[inline(always)]
    pub fn attributes(&self) -> &[usize] {
        &self.attributes
    }

    /// Number of fans; 0 without points.
    pub fn n_fans(&self) -> usize {
        self.fans.len()
    }

    /// Where the points of a leaf stand.
    #[inline(always)]
    pub fn run(&self, leaf: usize) -> std::ops::Range<usize> {
        leaf * LEAF..((leaf + 1) * LEAF).min(self.points().len())
    }

    /// What the boxes of a fan hold, in the order of the points.
    #[inline(always)]
    pub fn below(&self, fan: usize) -> &[Below] {
        &self.fans[fan]
    }

    /// The edges of the boxes of a fan, attribute by attribute; those of boxes that are not there mean nothing.
    #[inline(always)]
    pub fn edges(&self, fan: usize) -> &[Edges] {
        &self.edges[fan * self.attributes.len()..][..self.attributes.len()]
    }

    /// The points of a leaf, attribute by attribute.
    #[inline(always)]
    pub fn strips(&self, leaf: usize) -> &[Strip] {
        &self.strips[leaf * self.n_strips..][..self.n_strips]
    }

    /// The leaf in which a descent ends that goes to the nearest box each time; 0 without points.
    #[inline(always)]
    pub fn home(&self, mut bounds: impl Bounds) -> u32 {
        let mut fan = 0;
        if self.n_fans() == 0 {
            return 0;
        }
        loop {
            let least = bounds.least(fan);
            let below = self.below(fan);
            let mut nearest = 0;
            for at in 1..below.len() {
                if least[at] < least[nearest] {
                    nearest = at;
                }
            }
            match below[nearest] {
                Below::Fan(next) => fan = next as usize,
                Below::Leaf(leaf) => return leaf,
            }
        }
    }

    /// Of each fan the greatest number below each box, of one number for each place of [`points`](Self::points), rounded to single precision; −∞ for
    /// boxes that are not there.
    pub fn greatest(&self, of_places: &[f64]) -> Vec<[f32; FAN]> {
        let of_leaf = |leaf: u32| {
            let numbers = of_places[self.run(leaf as usize)].iter();
            rounded(numbers.copied().fold(f64::NEG_INFINITY, f64::max))
        };
        let mut greatest = vec![[f32::NEG_INFINITY; FAN]; self.n_fans()];
        // Those below a fan come after it.
        for fan in (0..self.n_fans()).rev() {
            for (at, &below) in self.below(fan).iter().enumerate() {
                greatest[fan][at] = match below {
                    Below::Leaf(leaf) => of_leaf(leaf),
                    Below::Fan(fan) => {
                        let of_fan = greatest[fan as usize].iter().copied();
                        of_fan.fold(f32::NEG_INFINITY, f32::max)
                    }
                };
            }
        }
        greatest
    }
}

/// Levels below a node.
fn depth(tree: &KdTree, node: usize) -> usize {
    tree.halves(node).map_or(0, |[first, second]| {
        1 + depth(tree, first).max(depth(tree, second))
    })
}

/// The nodes so many levels below a node, and the leaves above these.
fn descend(tree: &KdTree, node: usize, levels: usize, nodes: &mut Vec<usize>) {
    match tree.halves(node) {
        Some(halves) if levels > 0 => {
            for half in halves {
                descend(tree, half, levels - 1, nodes);
            }
        }
        _ => nodes.push(node),
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// What a search knows of the boxes of a fan.
///
/// It is a type, whose function is inlined, and not a closure: one of these is compiled for any processor unless the compiler happens to inline it.
pub trait Bounds {
    /// No point of each box is nearer.
    fn least(&mut self, fan: usize) -> [f32; FAN];
}

/// What a search still has to look at, the nearest on top.
#[derive(Debug, Default)]
pub struct Waiting(Vec<(f32, Below)>);

impl Waiting {
    /// Begins a search.
    pub fn begin(&mut self, tree: &WideTree) {
        self.0.clear();
        let root = (f32::NEG_INFINITY, Below::Fan(0));
        self.0.extend((tree.n_fans() > 0).then_some(root));
    }

    /// The next leaf that may hold a point within the bound: boxes whose `least` is greater are left out, and of those of a fan the nearest one
    /// comes first.
    #[inline(always)]
    pub fn next(&mut self, tree: &WideTree, bound: f32, mut bounds: impl Bounds) -> Option<usize> {
        while let Some((at_least, below)) = self.0.pop() {
            if at_least > bound {
                continue;
            }
            let fan = match below {
                Below::Leaf(leaf) => return Some(leaf as usize),
                Below::Fan(fan) => fan as usize,
            };
            let least = bounds.least(fan);
            let bottom = self.0.len();
            for (&below, &least) in tree.below(fan).iter().zip(&least) {
                if least > bound {
                    continue;
                }
                // Insertion sort: there are few.
                self.0.push((least, below));
                let mut slot = self.0.len() - 1;
                while slot > bottom && self.0[slot - 1].0 < least {
                    self.0.swap(slot - 1, slot);
                    slot -= 1;
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance::kd_tree::Leaves;

    /// Every leaf is below one box, all of whose points lie within the edges of every box above them, and cost no more than its greatest number; and a
    /// search comes to the leaves in no box that is too far, and to no other. With few points and many, gaps, ties and an attribute that all miss.
    #[test]
    fn boxes_hold_what_is_below_them() {
        let mut state: u64 = 9;
        let mut dice = |n: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % n
        };
        for (n, gaps) in [
            (0, 0),
            (1, 3),
            (64, 0),
            (65, 0),
            (700, 4),
            (1100, 0),
            (20_000, 5),
        ] {
            let width = 4;
            let cells = (0..n * width).map(|cell| match cell % width {
                0 => dice(3) as f64,
                k => dice(1 << 20) as f64 * 0.1_f64.powi(k as i32),
            });
            let mut points = Matrix::complete(n, width, cells.collect());
            for cell in 0..n * width {
                if gaps > 0 && (cell % width == 3 || dice(gaps) == 0) {
                    points.set_missing(cell / width, cell % width);
                }
            }
            let boxes = BoxTree::build(&points, &[1.0; 4], Leaves::Full(LEAF));
            let attributes = vec![2, 0, 3, 1];
            let cap = |k: usize| k as f32 + 0.5;
            let tree = WideTree::new(
                boxes,
                &points,
                (attributes.clone(), attributes.len()),
                |_, v| rounded(v),
                cap,
            );
            let numbers: Vec<f64> = (0..n).map(|_| dice(1 << 10) as f64 - 500.0).collect();
            let greatest = tree.greatest(&numbers);
            // The leaves below each box, from the bottom: what is below a fan comes after it.
            let mut leaves_of: Vec<Vec<Vec<usize>>> = vec![Vec::new(); tree.n_fans()];
            for fan in (0..tree.n_fans()).rev() {
                leaves_of[fan] = (tree.below(fan).iter())
                    .map(|&below| match below {
                        Below::Leaf(leaf) => vec![leaf as usize],
                        Below::Fan(below) => leaves_of[below as usize].concat(),
                    })
                    .collect();
                assert!((1..=FAN).contains(&leaves_of[fan].len()));
                for (at, leaves) in leaves_of[fan].iter().enumerate() {
                    let run = leaves.iter().flat_map(|&leaf| tree.run(leaf));
                    let most = run.clone().map(|place| numbers[place]);
                    let most = most.fold(f64::NEG_INFINITY, f64::max);
                    assert_eq!(f64::from(greatest[fan][at]), most);
                    for (edges, &k) in tree.edges(fan).iter().zip(&attributes) {
                        let mut misses = false;
                        for place in run.clone() {
                            let value = points.value(tree.points()[place] as usize, k);
                            misses |= value.is_none();
                            let strip = &tree.strips(place / LEAF);
                            let at_k = attributes.iter().position(|&of| of == k).unwrap();
                            let cell = strip[at_k].0[place % LEAF];
                            assert_eq!(
                                value.map(rounded),
                                Some(cell).filter(|cell| !cell.is_nan())
                            );
                            let inside =
                                |v| edges.low[at] <= rounded(v) && rounded(v) <= edges.high[at];
                            assert!(value.is_none_or(inside));
                        }
                        let cap = if misses { cap(k) } else { f32::INFINITY };
                        assert_eq!(edges.cap[at], cap);
                    }
                }
            }
            let all = leaves_of.first().map(|of_boxes| of_boxes.concat());
            let all = all.unwrap_or_default();
            assert_eq!(all, (0..n.div_ceil(LEAF)).collect::<Vec<_>>());
            // By the greatest numbers with their signs turned.
            struct Turned<'a>(&'a [[f32; FAN]]);
            impl Bounds for Turned<'_> {
                fn least(&mut self, fan: usize) -> [f32; FAN] {
                    self.0[fan].map(|number| -number)
                }
            }
            for bound in [f32::INFINITY, -495.0, -521.0, -600.0] {
                let mut waiting = Waiting::default();
                waiting.begin(&tree);
                let mut found = Vec::new();
                while let Some(leaf) = waiting.next(&tree, bound, Turned(&greatest)) {
                    found.push(leaf);
                }
                found.sort_unstable();
                let most = |leaf: usize| {
                    let numbers = tree.run(leaf).map(|place| numbers[place]);
                    numbers.fold(f64::NEG_INFINITY, f64::max)
                };
                let near = all.iter().copied();
                let near: Vec<usize> = near.filter(|&leaf| -most(leaf) <= bound.into()).collect();
                assert_eq!(found, near, "{n} {bound}");
            }
        }
    }
}
