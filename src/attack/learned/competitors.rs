//! Whom a seeker's partner competes with at given parameters: the nearest sought records under any learned distance.

use super::{
    differences::Differences,
    family::{Family, Scratch, pair},
    presolve::compare,
};
use crate::{
    attack::Decides,
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

/// Points of a leaf.
const LEAF: usize = 12;

/// Distances closer than this, relative to them, are compared by their row.
const NEAR: f64 = 1e-7;

/// The sought records, ready to be searched under every distance of a family.
///
/// A monotone distance of a pair is at least that of the least squared differences to a box, so a k-d tree serves all of them; under a bilinear
/// form every pair is looked at.
///
/// # Complexity
/// O(n log² n) to build, O(n d) memory. A search of a monotone family opens the boxes that come near enough, O(log n) where
/// few attributes decide; of a bilinear one it takes O(n d²).
#[derive(Debug)]
pub(super) struct Competitors<'a> {
    differences: &'a Differences<'a>,
    family: Family,
    attributes: Vec<usize>,
    /// The points, those of a leaf together.
    points: Matrix,
    /// The number of each of them.
    order: Vec<u32>,
    /// None for a bilinear family.
    nodes: Vec<Node>,
    /// For each node and column the least and the greatest value, and whether one is missing.
    spans: Vec<(f64, f64, bool)>,
}

/// A run of points; its left half follows it.
#[derive(Debug, Clone, Copy)]
struct Node {
    start: usize,
    end: usize,
    /// The right half; 0 of a leaf.
    right: usize,
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
    waiting: Vec<(f64, usize)>,
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
            waiting: Vec::new(),
        }
    }
}

impl<'a> Competitors<'a> {
    /// Makes them ready.
    pub fn new(differences: &'a Differences<'a>, family: Family) -> Self {
        let sought = &differences.nearest.sought;
        let mut order: Vec<u32> = (0..).take(sought.n_records()).collect();
        let mut all = Self {
            differences,
            family,
            attributes: differences.attribute_of_columns().collect(),
            points: Matrix::complete(0, sought.n_attributes(), Vec::new()),
            order: Vec::new(),
            nodes: Vec::new(),
            spans: Vec::new(),
        };
        if family.is_monotone() && !order.is_empty() {
            all.split(sought, &mut order, 0);
        }
        let values = order
            .iter()
            .flat_map(|&point| sought.row(point as usize).iter().copied())
            .collect();
        all.points = Matrix::complete(order.len(), sought.n_attributes(), values);
        for (place, &point) in order.iter().enumerate() {
            for column in 0..sought.n_attributes() {
                if sought.is_missing(point as usize, column) {
                    all.points.set_missing(place, column);
                }
            }
        }
        all.order = order;
        all
    }

    fn split(&mut self, points: &Matrix, run: &mut [u32], start: usize) {
        let number = self.nodes.len();
        self.nodes.push(Node {
            start,
            end: start + run.len(),
            right: 0,
        });
        let (mut widest, mut most) = (0, 0.0);
        for (column, weight) in self.differences.nearest.metric.weights().iter().enumerate() {
            let mut span = (f64::INFINITY, f64::NEG_INFINITY, false);
            for &point in run.iter() {
                let row = points.record(point as usize);
                if row.is_missing(column) {
                    span.2 = true
                } else {
                    let value = row.values()[column];
                    span = (span.0.min(value), span.1.max(value), span.2);
                }
            }
            let spread = (span.1 - span.0) * weight.sqrt();
            if spread > most {
                (widest, most) = (column, spread);
            }
            self.spans.push(span);
        }
        if run.len() <= LEAF || most <= 0.0 {
            return;
        }
        let middle = run.len() / 2;
        let value = |point: &u32| points.row(*point as usize)[widest];
        run.select_nth_unstable_by(middle, |a, b| value(a).total_cmp(&value(b)).then(a.cmp(b)));
        let (left, right) = run.split_at_mut(middle);
        self.split(points, left, start);
        self.nodes[number].right = self.nodes.len();
        self.split(points, right, start + middle);
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
        let metric = &self.differences.nearest.metric;
        let width = self.attributes.len();
        let spans = &self.spans[node * width..(node + 1) * width];
        for (column, (&attribute, span)) in self.attributes.iter().zip(spans).enumerate() {
            let missing = metric.missing()[column];
            if seeker.is_missing(column) || span.0 > span.1 {
                squares[attribute] += missing;
                continue;
            }
            let value = seeker.values()[column];
            let away = (span.0 - value).max(value - span.1).max(0.0);
            let square = metric.weights()[column] * (away * away);
            squares[attribute] += if span.2 { square.min(missing) } else { square };
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
        room.waiting.clear();
        room.waiting
            .extend((!self.nodes.is_empty()).then_some((0.0, 0)));
        while let Some((_, number)) = room.waiting.pop() {
            self.least(record, number, &mut room.squares);
            if exceeds(&mut room.squares, &room.own, is_ordered) {
                continue;
            }
            let node = self.nodes[number];
            if node.right > 0 {
                room.waiting.extend([(0.0, node.right), (0.0, number + 1)]);
                continue;
            }
            for place in node.start..node.end {
                let competitor = self.order[place] as usize;
                self.squares(record, place, &mut room.squares);
                if competitor == partner || exceeds(&mut room.squares, &room.own, is_ordered) {
                    continue;
                }
                let of = [seeker, partner, competitor];
                compare(
                    self.differences,
                    self.family,
                    of,
                    &mut room.scratch,
                    &mut room.row,
                );
                if room.row.iter().all(|&margin| margin <= 0.0) {
                    return Some(self.order[place]);
                }
            }
        }
        None
    }

    /// The `count` nearest competitors of those wanted with their d², nearest first.
    pub fn nearest(
        &self,
        [seeker, partner]: [usize; 2],
        parameters: &[f64],
        count: usize,
        wanted: Wanted<'_>,
        room: &mut Room,
    ) -> Vec<(f64, u32)> {
        let own = self.cost_of(seeker, partner, parameters, room);
        let near = NEAR * own.abs() + f64::MIN_POSITIVE;
        let near = match wanted {
            Wanted::Nearest => f64::INFINITY,
            Wanted::Violating => near,
            // As the boxes are compared.
            Wanted::NotFarther(decides) => near.max(decides.doubt(seeker).above(own) - own),
        };
        let limit = own + near;
        let mut found: Vec<(f64, u32)> = Vec::with_capacity(count + 1);
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
                    .row(self.differences, seeker, partner, competitor, scratch, row);
                if is_positive(row, parameters) {
                    return bound;
                }
            }
            let entry = (cost, competitor);
            let before = |other: &(f64, u32)| (other.0, other.1) <= entry;
            found.insert(found.partition_point(before), entry);
            if found.len() > count {
                found.pop();
            }
            if found.len() == count {
                bound = found.last().map_or(bound, |last| last.0);
            }
            bound
        };
        if self.family.is_bilinear() {
            for (competitor, sought) in (0_u32..).zip(0..self.differences.n_sought()) {
                let cost = self.form(seeker, sought, parameters, room);
                take(cost, competitor, room);
            }
            return found;
        }
        let record = self.differences.nearest.seekers.record(seeker);
        let mut bound = limit;
        let mut waiting = std::mem::take(&mut room.waiting);
        waiting.clear();
        waiting.extend((!self.nodes.is_empty()).then_some((f64::NEG_INFINITY, 0)));
        while let Some((least, number)) = waiting.pop() {
            if least > bound {
                continue;
            }
            let node = self.nodes[number];
            if node.right == 0 {
                for place in node.start..node.end {
                    self.squares(record, place, &mut room.squares);
                    let cost = self.cost(&mut room.squares, &mut room.order, parameters);
                    bound = take(cost, self.order[place], room);
                }
                continue;
            }
            let halves = [number + 1, node.right].map(|half| {
                self.least(record, half, &mut room.squares);
                let least = self.cost(&mut room.squares, &mut room.order, parameters);
                // What rounding may have added.
                (least - NEAR * least.abs(), half)
            });
            // The last one in is the first one out.
            let near_first = usize::from(halves[0].0 <= halves[1].0);
            waiting.extend([halves[near_first], halves[1 - near_first]]);
        }
        room.waiting = waiting;
        found
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
        self.nearest([seeker, partner], parameters, 1, wanted, room)
            .is_empty()
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
        self.nearest([seeker, partner], parameters, 1, wanted, room)
            .is_empty()
    }
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
