//! Whom a seeker's partner competes with at given parameters: the nearest sought records under any learned distance.

use std::ops::Deref;

use rayon::prelude::*;

use super::{
    differences::Differences,
    family::{Family, Scratch, pair},
    presolve::compare,
};
use crate::{
    attack::Decides,
    distance::{
        Doubt, Metric,
        kd_tree::{self, BoxTree, Leaves, Waiting},
        nearest::{Contest, Least, Neighbours},
    },
    optimize::subsystem::ROUNDING,
    table::matrix::{Matrix, Row},
};

/// Which competitors are looked for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Wanted<'a> {
    /// The nearest.
    Nearest,
    /// Those that are not farther than the partner by more than rounding, as [`crate::optimize::subsystem::Problem::satisfies`] has it.
    Violating,
    /// Those that are not farther than the partner, rounding aside.
    NotFarther(&'a dyn Decides),
}

/// What is certain about a seeker at given parameters: by more than what is compared by a row, and by more than its doubt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sure {
    /// Everybody is farther than the partner.
    Linked,
    /// Somebody is nearer, or there is no partner.
    Beaten,
    /// Distances are too close to each other.
    Nothing,
}

const LEAF: Leaves = Leaves::UpTo(12);

/// Distances closer than this, relative to them, are compared by their row.
const NEAR: f64 = 1e-7;

/// An index is built for each weighting. For fewer records that takes most of the time.
const SURE_FROM: usize = 20_000;

/// The sought records, ready to be searched under every distance of a family.
///
/// A monotone distance of a pair is at least that of the least squared differences to a box, so a k-d tree serves all of them; under a bilinear
/// form every pair is looked at.
///
/// # Complexity
/// O(n log² n) to build, O(n d) memory. A search of a monotone family opens the boxes that come near enough, O(log n) where
/// few attributes decide; of a bilinear one it takes O(n d²).
#[derive(Debug)]
pub(super) struct Competitors<D> {
    pub differences: D,
    pub family: Family,
    attributes: Vec<usize>,
    /// Of no points for a bilinear family.
    boxes: BoxTree,
    /// The points in the order of the tree.
    points: Matrix,
    /// From so many sought records on, [`Self::sure`] has an answer.
    pub sure_from: usize,
}

/// Room for the searches of one thread.
#[derive(Debug)]
pub(super) struct Room {
    pub scratch: Scratch,
    pub row: Vec<f64>,
    squares: Vec<f64>,
    own: Vec<f64>,
    order: Vec<usize>,
    signed: Vec<(Option<f64>, f64)>,
    waiting: Waiting,
}

impl Room {
    pub fn new(n_attributes: usize) -> Self {
        Self {
            scratch: Scratch::new(n_attributes),
            row: Vec::new(),
            squares: vec![0.0; n_attributes],
            own: vec![0.0; n_attributes],
            order: Vec::with_capacity(n_attributes),
            signed: vec![(None, 0.0); n_attributes],
            waiting: Waiting::default(),
        }
    }
}

impl<'a, D: Deref<Target = Differences<'a>> + Sync> Competitors<D> {
    /// Makes them ready.
    pub fn new(differences: D, family: Family) -> Self {
        let sought = &differences.nearest.sought;
        let none = Matrix::complete(0, sought.n_attributes(), Vec::new());
        let searched = if family.is_monotone() { sought } else { &none };
        let boxes = BoxTree::build(searched, differences.nearest.metric.weights(), LEAF);
        Self {
            family,
            attributes: differences.attribute_of_columns().collect(),
            points: searched.reordered(boxes.tree.points()),
            boxes,
            differences,
            sure_from: SURE_FROM,
        }
    }

    /// What is certain about seekers with these partners, by one nearest-record search for all of them. `doubt` is that of the distances of
    /// a seeker. `None` where an index does not pay, or the distance is not one between points.
    ///
    /// It spares most seekers the search for their competitors, which takes many times as long.
    pub fn sure(
        &self,
        partners: &[Option<u32>],
        parameters: &[f64],
        doubt: impl Fn(usize) -> Doubt + Sync,
    ) -> Option<Vec<Sure>> {
        let is_metric = self.family.is_weighted_mean() && parameters.iter().all(|&p| p >= 0.0);
        if !is_metric || self.differences.n_sought() < self.sure_from {
            return None;
        }
        let points = &self.differences.nearest;
        let neighbours = Neighbours::build(&points.sought, weighted(&self.differences, parameters));
        // Twice, since distances are rounded in another way here.
        let doubt = |seeker: usize| {
            let Doubt { share, absolute } = doubt(seeker);
            Doubt {
                share: 2.0 * (NEAR + share),
                absolute: 2.0 * (absolute + f64::MIN_POSITIVE),
            }
        };
        let found = neighbours.least(&points.seekers, partners, None, doubt);
        let sure = |(seeker, least): (usize, &Least)| {
            let Some(partner) = partners[seeker] else {
                return Sure::Beaten;
            };
            let above = |key| doubt(seeker).above(key);
            let Contest { closer, tied, .. } = least.contest;
            if !closer && tied == 1 && least.next > above(least.key) {
                return Sure::Linked;
            }
            let seeker = points.seekers.record(seeker);
            let own = (neighbours.metric()).key(seeker, points.sought.record(partner as usize));
            if own > above(least.key) {
                Sure::Beaten
            } else {
                Sure::Nothing
            }
        };
        Some(found.par_iter().enumerate().map(sure).collect())
    }

    /// An order of seekers with these partners in which a search looks at what the last one looked at.
    pub fn order(&self, partners: &[Option<u32>]) -> Vec<u32> {
        if self.family.is_monotone() {
            self.boxes.tree.order_by(partners)
        } else {
            (0..to_u32(partners.len())).collect()
        }
    }

    /// What a search finds for each of the places that an order is of, in the order of the places.
    pub fn of_each<T: Send>(
        &self,
        order: &[u32],
        find: impl Fn(&mut Room, usize) -> T + Send + Sync,
    ) -> Vec<T> {
        let room = || Room::new(self.differences.n_attributes());
        kd_tree::of_each(order, room, find)
    }

    /// The sought records of least distance from a seeker, rounding aside, each with its d²; the one with the least number first. For
    /// monotone families.
    pub fn cheapest(
        &self,
        seeker: usize,
        parameters: &[f64],
        decides: &dyn Decides,
        room: &mut Room,
        list: &mut Vec<(u32, f64)>,
    ) {
        let doubt = decides.doubt(seeker);
        // What rounding of either way to work out a cost may have added.
        let above = |cost: f64| doubt.above(cost + NEAR * cost.abs());
        let mut bound = f64::INFINITY;
        list.clear();
        self.visit(seeker, parameters, bound, room, |cost, point, _| {
            if cost <= bound {
                bound = bound.min(above(cost));
                list.push((point, cost));
            }
            bound
        });
        list.retain_mut(|(point, cost)| {
            let stays = *cost <= bound;
            if stays {
                let pair = (seeker, *point as usize);
                *cost =
                    (self.family).distance(&self.differences, pair, parameters, &mut room.scratch);
            }
            stays
        });
        list.sort_unstable_by_key(|of| of.0);
    }

    /// The squared differences of a seeker to the point at a place: as [`Differences::squares`].
    fn squares(&self, seeker: Row<'_>, place: usize, squares: &mut [f64]) {
        squares.fill(0.0);
        let metric = &self.differences.nearest.metric;
        let point = self.points.record(place);
        for (column, &attribute) in self.attributes.iter().enumerate() {
            squares[attribute] += if seeker.is_missing(column) || point.is_missing(column) {
                metric.missing()[column]
            } else {
                let difference = seeker.values()[column] - point.values()[column];
                metric.weights()[column] * (difference * difference)
            };
        }
    }

    /// No squared difference to a point of the node is less.
    fn least(&self, seeker: Row<'_>, node: usize, squares: &mut [f64]) {
        squares.fill(0.0);
        let spans = self.boxes.spans(node);
        for (column, (&attribute, &span)) in self.attributes.iter().zip(spans).enumerate() {
            squares[attribute] += self.differences.nearest.metric.least(seeker, column, span);
        }
    }

    /// The distance (d²) of squared differences.
    fn cost(&self, squares: &mut [f64], order: &mut Vec<usize>, parameters: &[f64]) -> f64 {
        let n = squares.len();
        let dot =
            |squares: &[f64]| -> f64 { squares.iter().zip(parameters).map(|(s, p)| s * p).sum() };
        match self.family {
            Family::OrderedWeightedMean => {
                squares.sort_unstable_by(|a, b| b.total_cmp(a));
                dot(squares)
            }
            Family::Choquet | Family::ChoquetMetric => {
                order.clear();
                order.extend(0..n);
                order.sort_unstable_by(|&k, &l| squares[k].total_cmp(&squares[l]));
                let (mut set, mut below, mut sum) = ((1_usize << n) - 1, 0.0, 0.0);
                for &k in order.iter() {
                    if squares[k] > below {
                        sum += (squares[k] - below) * parameters[set - 1];
                        below = squares[k];
                    }
                    set &= !(1 << k);
                }
                sum
            }
            Family::ChoquetTwoAdditive => {
                let mut sum = dot(squares);
                for (k, a) in squares.iter().enumerate() {
                    for (l, b) in squares.iter().enumerate().skip(k + 1) {
                        sum += a.min(*b) * parameters[pair(n, k, l)];
                    }
                }
                sum
            }
            _ => dot(squares),
        }
    }

    /// The bilinear form of a pair.
    pub fn form(&self, seeker: usize, sought: usize, parameters: &[f64], room: &mut Room) -> f64 {
        self.differences.signed(seeker, sought, &mut room.signed);
        let n = room.signed.len();
        let mut sum = 0.0;
        let mut place = n;
        for (k, &(a, square)) in room.signed.iter().enumerate() {
            sum += parameters[k] * square;
            let others = &room.signed[k + 1..];
            if let Some(a) = a {
                let of_k: f64 = others
                    .iter()
                    .zip(&parameters[place..])
                    .map(|((b, _), p)| b.unwrap_or(0.0) * p)
                    .sum();
                sum += 2.0 * a * of_k;
            }
            place += others.len();
        }
        sum
    }

    /// The d² of a pair.
    fn cost_of(&self, seeker: usize, sought: usize, parameters: &[f64], room: &mut Room) -> f64 {
        if self.family.is_bilinear() {
            return self.form(seeker, sought, parameters, room);
        }
        self.differences.squares(seeker, sought, &mut room.squares);
        self.cost(&mut room.squares, &mut room.order, parameters)
    }

    /// A competitor of the seeker that is nowhere farther than the partner, if there is one; for monotone families.
    pub fn never_beaten(&self, seeker: usize, partner: usize, room: &mut Room) -> Option<u32> {
        let is_ordered = self.family == Family::OrderedWeightedMean;
        let record = self.differences.nearest.seekers.record(seeker);
        self.differences.squares(seeker, partner, &mut room.own);
        if is_ordered {
            room.own.sort_unstable_by(|a, b| b.total_cmp(a));
        }
        for own in &mut room.own {
            *own += NEAR * *own + 1e-12;
        }
        let tree = &self.boxes.tree;
        room.waiting.begin(tree);
        let Room {
            waiting,
            squares,
            own,
            scratch,
            row,
            ..
        } = room;
        loop {
            // In the order of the tree: no half is nearer.
            let least = |node| {
                self.least(record, node, squares);
                let is_out = exceeds(squares, own, is_ordered);
                if is_out { f64::INFINITY } else { 0.0 }
            };
            let leaf = waiting.next(tree, 0.0, least)?;
            for place in tree.run(leaf) {
                let competitor = tree.points()[place] as usize;
                self.squares(record, place, squares);
                if competitor == partner || exceeds(squares, own, is_ordered) {
                    continue;
                }
                let of = [seeker, partner, competitor];
                compare(&self.differences, self.family, of, scratch, row);
                if row.iter().all(|&margin| margin <= 0.0) {
                    return Some(tree.points()[place]);
                }
            }
        }
    }

    /// The `count` nearest competitors of those wanted with their d², nearest first.
    pub fn nearest(
        &self,
        pair: [usize; 2],
        parameters: &[f64],
        count: usize,
        wanted: Wanted<'_>,
        room: &mut Room,
    ) -> Vec<(f64, u32)> {
        let mut found: Vec<(f64, u32)> = Vec::with_capacity(count + 1);
        self.each(pair, parameters, wanted, room, |entry| {
            let before = |other: &(f64, u32)| (other.0, other.1) <= entry;
            found.insert(found.partition_point(before), entry);
            if found.len() > count {
                found.pop();
            }
            let is_full = found.len() == count;
            let last = found.last().filter(|_| is_full);
            last.map_or(f64::INFINITY, |last| last.0)
        });
        found
    }

    /// Whether there is none of the competitors that are wanted. One is enough: where many tie, the others are not looked at.
    fn has_none(
        &self,
        pair: [usize; 2],
        parameters: &[f64],
        wanted: Wanted<'_>,
        room: &mut Room,
    ) -> bool {
        let mut has_none = true;
        self.each(pair, parameters, wanted, room, |_| {
            has_none = false;
            f64::NEG_INFINITY
        });
        has_none
    }

    /// Shows `found` the competitors that are wanted with their d². Those beyond what it returned, the least of it, are left out; −∞ ends the search.
    fn each(
        &self,
        [seeker, partner]: [usize; 2],
        parameters: &[f64],
        wanted: Wanted<'_>,
        room: &mut Room,
        mut found: impl FnMut((f64, u32)) -> f64,
    ) {
        let own = self.cost_of(seeker, partner, parameters, room);
        let near = NEAR * own.abs() + f64::MIN_POSITIVE;
        let near = match wanted {
            Wanted::Nearest => f64::INFINITY,
            Wanted::Violating => near,
            // As the boxes are compared.
            Wanted::NotFarther(decides) => near.max(decides.doubt(seeker).above(own) - own),
        };
        let limit = own + near;
        let mut bound = limit;
        let mut take = |cost: f64, competitor: u32, room: &mut Room| {
            if competitor as usize == partner || cost > bound {
                return bound;
            }
            let is_near = cost >= own - near;
            if let (Wanted::NotFarther(decides), true) = (wanted, is_near)
                && decides.compare(seeker, competitor, to_u32(partner)).is_gt()
            {
                return bound;
            }
            if matches!(wanted, Wanted::Violating) && is_near {
                let (scratch, row) = (&mut room.scratch, &mut room.row);
                let competitor = competitor as usize;
                self.family
                    .row(&self.differences, seeker, partner, competitor, scratch, row);
                if is_positive(row, parameters) {
                    return bound;
                }
            }
            bound = bound.min(found((cost, competitor)));
            bound
        };
        if self.family.is_bilinear() {
            for (competitor, sought) in (0_u32..).zip(0..self.differences.n_sought()) {
                let cost = self.form(seeker, sought, parameters, room);
                if take(cost, competitor, room) == f64::NEG_INFINITY {
                    return;
                }
            }
            return;
        }
        self.visit(seeker, parameters, limit, room, take);
    }

    /// Calls `found` with the d² of sought records, and the record, in all boxes that come within the bound, which begins as `bound` and
    /// becomes what `found` returns; for monotone families. The nearer half of a node comes first.
    fn visit(
        &self,
        seeker: usize,
        parameters: &[f64],
        mut bound: f64,
        room: &mut Room,
        mut found: impl FnMut(f64, u32, &mut Room) -> f64,
    ) {
        let record = self.differences.nearest.seekers.record(seeker);
        let tree = &self.boxes.tree;
        let mut waiting = std::mem::take(&mut room.waiting);
        waiting.begin(tree);
        loop {
            let least = |node| {
                self.least(record, node, &mut room.squares);
                let least = self.cost(&mut room.squares, &mut room.order, parameters);
                // What rounding may have added.
                least - NEAR * least.abs()
            };
            let Some(leaf) = waiting.next(tree, bound, least) else {
                break;
            };
            for place in tree.run(leaf) {
                self.squares(record, place, &mut room.squares);
                let cost = self.cost(&mut room.squares, &mut room.order, parameters);
                bound = found(cost, tree.points()[place], room);
            }
        }
        room.waiting = waiting;
    }

    /// Whether these parameters link the seeker to its partner.
    pub fn links(
        &self,
        seeker: usize,
        partner: usize,
        parameters: &[f64],
        room: &mut Room,
    ) -> bool {
        let wanted = Wanted::Violating;
        self.has_none([seeker, partner], parameters, wanted, room)
    }

    /// The same without rounding: whether every competitor is farther than the partner.
    pub fn links_exactly(
        &self,
        seeker: usize,
        partner: usize,
        parameters: &[f64],
        decides: &dyn Decides,
        room: &mut Room,
    ) -> bool {
        let wanted = Wanted::NotFarther(decides);
        self.has_none([seeker, partner], parameters, wanted, room)
    }
}

/// The distance that weighs the attributes so; no weight is negative.
pub(super) fn weighted(differences: &Differences<'_>, weights: &[f64]) -> Metric {
    let metric = &differences.nearest.metric;
    let times = |of: &[f64]| -> Vec<f64> {
        let share = differences.attribute_of_columns().map(|k| weights[k]);
        of.iter().zip(share).map(|(w, p)| w * p).collect()
    };
    Metric::new(times(metric.weights()), times(metric.missing()))
}

fn to_u32(record: usize) -> u32 {
    u32::try_from(record).unwrap_or(u32::MAX)
}

/// Whether some square (for `owa` in descending order) is more than what is allowed.
fn exceeds(squares: &mut [f64], allowed: &[f64], is_ordered: bool) -> bool {
    if is_ordered {
        squares.sort_unstable_by(|a, b| b.total_cmp(a));
    }
    squares.iter().zip(allowed).any(|(a, b)| a > b)
}

/// Whether a row is positive by more than rounding, as [`crate::optimize::subsystem::Problem::satisfies`] has it.
pub(super) fn is_positive(row: &[f64], parameters: &[f64]) -> bool {
    let (mut value, mut size) = (0.0, 0.0);
    for (v, p) in row.iter().zip(parameters) {
        let term = v * p;
        value += term;
        size += term.abs();
    }
    value > ROUNDING * size
}
