//! Good parameters, soon: exact searches along lines.

use super::{MARGIN, Problem, ROUNDING, Semidefinite, Space, SparseRow, Watch};

/// Parameters are searched between these, relative to the others: beyond, products are rounding.
const SMALLEST: f64 = 1e-12;

/// Intervals narrower than this, relative to where they lie, are not entered.
const NARROW: f64 = 1e-9;

/// Starts from which lines are searched; the others are directions only.
const CLIMBED: usize = 2;

/// Sweeps over all directions from one start.
const SWEEPS: usize = 30;

/// Most pairs of parameters that are exchanged in a sweep.
const MAX_PAIRS: usize = 400;

/// Improves parameters by exact searches along lines, from `starts` (all in P) and from `restarts` points made of them. Returns the
/// best parameters, which are in P, and how many blocks they satisfy.
///
/// ```text
/// on a line p + t·d each block is satisfied on an open interval of t: the intersection of those of its rows
/// the best t is where most intervals overlap
/// ```
///
/// Searches begin at the first two starts. Lines are the parameters one by one (with a plane, two by two) and the segments to the other starts. On the simplex
/// parameters are changed up to their scale, so that weights of very different size are found. Restarts multiply (or mix) by a fixed
/// low-discrepancy sequence; nothing is random. Without starts those of the space are taken: the centre of the simplex, or the bounds
/// where these are in P.
///
/// # Complexity
/// O(entries of rows + B log B) a line.
pub fn improve(
    problem: &Problem,
    starts: &[Vec<f64>],
    restarts: usize,
    watch: &dyn Watch,
) -> (Vec<f64>, usize) {
    let own = own_starts(&problem.space);
    let starts = if starts.is_empty() { &own } else { starts };
    let mut search = Climb {
        problem,
        starts,
        intervals: Vec::new(),
        ends: Vec::new(),
        best: starts.first().cloned().unwrap_or_default(),
        satisfied: 0,
    };
    if search.best.is_empty() {
        return (problem.space.lower.clone(), 0);
    }
    search.satisfied = problem.count(&search.best);
    // The first starts themselves, then what is made of them.
    let themselves = starts.len().min(CLIMBED);
    for turn in 0..themselves.saturating_add(restarts) {
        if watch.stops() || search.satisfied == problem.rows.n_blocks() {
            break;
        }
        let from = match starts[..themselves].get(turn) {
            Some(start) => start.clone(),
            None => search.restart(turn - themselves),
        };
        search.climb(from, turn, watch);
    }
    (search.best, search.satisfied)
}

/// Where to begin if nothing is known.
fn own_starts(space: &Space) -> Vec<Vec<f64>> {
    let dimension = space.dimension();
    if space.is_simplex {
        return vec![vec![1.0 / dimension as f64; dimension]];
    }
    let middle = space.lower.iter().zip(&space.upper);
    let middle: Vec<f64> = middle.map(|(a, b)| f64::midpoint(*a, *b)).collect();
    let mut starts = vec![middle, space.upper.clone(), space.lower.clone()];
    starts.retain(|start| contains(space, start));
    starts
}

/// Whether parameters are in P, up to rounding.
pub fn contains(space: &Space, parameters: &[f64]) -> bool {
    let slack = 1e-9;
    let within = |(p, (a, b)): (&f64, (&f64, &f64))| (a - slack..=b + slack).contains(p);
    parameters
        .iter()
        .zip(space.lower.iter().zip(&space.upper))
        .all(within)
        && space
            .half_spaces
            .iter()
            .all(|row| sparse_dot(row, parameters) >= -slack)
        && space
            .plane
            .as_ref()
            .is_none_or(|plane| (sparse_dot(plane, parameters) - 1.0).abs() <= slack)
        && space
            .semidefinite
            .is_none_or(|matrix| is_semidefinite(matrix, parameters))
}

fn sparse_dot(row: &SparseRow, parameters: &[f64]) -> f64 {
    row.iter()
        .map(|&(parameter, value)| value * parameters[parameter as usize])
        .sum()
}

/// Whether a Cholesky factorisation finds no negative pivot.
fn is_semidefinite(matrix: Semidefinite, parameters: &[f64]) -> bool {
    let order = matrix.order;
    let mut full = vec![0.0; order * order];
    let mut above = order;
    for k in 0..order {
        full[k * order + k] = parameters[k];
        for l in k + 1..order {
            full[l * order + k] = parameters[above];
            above += 1;
        }
    }
    let scale = (0..order).fold(0.0_f64, |most, k| most.max(parameters[k]));
    for k in 0..order {
        let pivot = full[k * order + k];
        if pivot <= 1e-12 * scale {
            // A pivot of 0 must have an empty column.
            let empty = (k + 1..order).all(|l| full[l * order + k].abs() <= 1e-12 * scale);
            if pivot < -1e-12 * scale || !empty {
                return false;
            }
            continue;
        }
        for l in k + 1..order {
            let factor = full[l * order + k] / pivot;
            for m in l..order {
                full[m * order + l] -= factor * full[m * order + k];
            }
        }
    }
    true
}

/// A line through parameters.
enum Line {
    /// One parameter alone changes.
    Parameter(usize),
    /// All change.
    Direction(Vec<f64>),
}

struct Climb<'a> {
    problem: &'a Problem,
    starts: &'a [Vec<f64>],
    /// Where blocks are satisfied on the line at hand.
    intervals: Vec<(f64, f64)>,
    /// Their ends; +1 begins, −1 ends.
    ends: Vec<(f64, i32)>,
    best: Vec<f64>,
    satisfied: usize,
}

impl Climb<'_> {
    /// Another point to begin at, the `turn`-th.
    fn restart(&self, turn: usize) -> Vec<f64> {
        let space = &self.problem.space;
        let dimension = space.dimension();
        let place = (turn + 1) as f64;
        if space.is_simplex {
            // Around the best twice, then anywhere.
            let (centre, width) = match turn % 3 {
                0 => (vec![1.0; dimension], 1.1),
                1 => (self.best.clone(), 0.55),
                _ => (self.best.clone(), 0.2),
            };
            let mut from: Vec<f64> = (0..dimension)
                .map(|k| {
                    let u = quasi(dimension, k, place).clamp(1e-6, 1.0 - 1e-6);
                    centre[k].max(SMALLEST) * (u / (1.0 - u)).powf(width)
                })
                .collect();
            scale(&mut from);
            return from;
        }
        // A mixture of the best and of some starts.
        let mut from = self.best.clone();
        for step in 0..2 {
            let chosen = quasi(4, step, place) * self.starts.len() as f64;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a place in a list"
            )]
            let other = &self.starts[(chosen as usize).min(self.starts.len() - 1)];
            let share = 0.7 * quasi(4, step + 2, place);
            for (value, other) in from.iter_mut().zip(other) {
                *value = (1.0 - share) * *value + share * other;
            }
        }
        from
    }

    /// Searches along one line after the other while that helps.
    fn climb(&mut self, from: Vec<f64>, turn: usize, watch: &dyn Watch) {
        let space = &self.problem.space;
        let dimension = space.dimension();
        let mut at = from;
        let mut satisfied = 0;
        for sweep in 0..SWEEPS {
            let before = satisfied;
            let shift = turn * 7 + sweep * 3;
            for step in 0..dimension {
                let k = (step + shift) % dimension;
                if space.is_simplex {
                    satisfied = self.along_ray(&mut at, k).max(satisfied);
                } else if space.plane.is_none() {
                    satisfied = self.along(&mut at, &Line::Parameter(k)).max(satisfied);
                }
                if step % 16 == 15 && watch.stops() {
                    return;
                }
            }
            if !space.is_simplex {
                for line in self.other_lines(&at, shift) {
                    satisfied = self.along(&mut at, &line).max(satisfied);
                    if watch.stops() {
                        return;
                    }
                }
            }
            if satisfied <= before && sweep > 1 {
                break;
            }
        }
        if space.is_simplex {
            scale(&mut at);
        }
        let satisfied = self.problem.count(&at);
        if satisfied > self.satisfied && contains(space, &at) {
            self.satisfied = satisfied;
            self.best = at;
        }
    }

    /// Exchanges of two parameters where a plane fixes a sum, and the segments to the other starts.
    fn other_lines(&self, at: &[f64], shift: usize) -> Vec<Line> {
        let mut lines = Vec::new();
        if let Some(plane) = &self.problem.space.plane {
            let n_pairs = plane.len() * plane.len();
            let every = n_pairs.div_ceil(MAX_PAIRS).max(1);
            for pair in (shift % every..n_pairs).step_by(every) {
                let (from, to) = (plane[pair / plane.len()], plane[pair % plane.len()]);
                if from.0 >= to.0 {
                    continue;
                }
                let mut direction = vec![0.0; at.len()];
                direction[from.0 as usize] = -1.0 / from.1;
                direction[to.0 as usize] = 1.0 / to.1;
                lines.push(Line::Direction(direction));
            }
            // Parameters that the plane leaves alone.
            let mut free = vec![true; at.len()];
            for entry in plane {
                free[entry.0 as usize] = false;
            }
            lines.extend((0..at.len()).filter(|&k| free[k]).map(Line::Parameter));
        }
        for start in self.starts {
            let direction: Vec<f64> = start.iter().zip(at).map(|(a, b)| a - b).collect();
            if direction.iter().any(|step| step.abs() > SMALLEST) {
                lines.push(Line::Direction(direction));
            }
        }
        lines
    }

    /// The best value of one parameter of the simplex while the ratios of the others stay; how many blocks are satisfied.
    fn along_ray(&mut self, at: &mut [f64], k: usize) -> usize {
        let greatest = at.iter().fold(0.0_f64, |most, &p| most.max(p));
        let old = std::mem::replace(&mut at[k], 0.0);
        let range = (0.0, f64::INFINITY);
        self.intervals(at, &Line::Parameter(k), range);
        let Some((count, from, to)) = self.overlap() else {
            at[k] = old;
            return 0;
        };
        at[k] = if to.is_infinite() {
            if from > 0.0 {
                2.0 * from
            } else {
                greatest.max(SMALLEST)
            }
        } else if from <= 0.0 {
            to / 2.0
        } else if to > 4.0 * from {
            from.sqrt() * to.sqrt()
        } else {
            f64::midpoint(from, to)
        };
        // The scale is free.
        let greatest = at.iter().fold(0.0_f64, |most, &p| most.max(p));
        for value in at.iter_mut() {
            *value /= greatest;
        }
        count
    }

    /// Moves to the best point of a line within P; how many blocks are satisfied there.
    fn along(&mut self, at: &mut [f64], line: &Line) -> usize {
        let range = range(&self.problem.space, at, line);
        if range.1 - range.0 <= MARGIN {
            return 0;
        }
        self.intervals(at, line, range);
        let Some((count, from, to)) = self.overlap() else {
            return 0;
        };
        let to_middle = f64::midpoint(from.max(range.0), to.min(range.1));
        match line {
            Line::Parameter(k) => {
                let space = &self.problem.space;
                at[*k] = (at[*k] + to_middle).clamp(space.lower[*k], space.upper[*k]);
            }
            Line::Direction(direction) => {
                for (value, step) in at.iter_mut().zip(direction) {
                    *value += to_middle * step;
                }
            }
        }
        count
    }

    /// For each block the interval of t within the range where its rows are positive at `at + t · line`.
    fn intervals(&mut self, at: &[f64], line: &Line, range: (f64, f64)) {
        self.intervals.clear();
        let rows = &self.problem.rows;
        for block in 0..rows.n_blocks() {
            let (mut from, mut to) = range;
            for number in rows.of_block(block) {
                let row = rows.row(number);
                let (mut value, mut slope, mut size) = (0.0, 0.0, 0.0);
                for (&column, &coefficient) in row.columns.iter().zip(row.values) {
                    let column = column as usize;
                    let term = coefficient * at[column];
                    value += term;
                    size += term.abs();
                    slope += match line {
                        Line::Parameter(k) if *k == column => coefficient,
                        Line::Parameter(_) => 0.0,
                        Line::Direction(direction) => coefficient * direction[column],
                    };
                }
                if value.abs() <= ROUNDING * size {
                    value = 0.0;
                }
                if slope > 0.0 {
                    from = from.max(-value / slope);
                } else if slope < 0.0 {
                    to = to.min(-value / slope);
                } else if value <= 0.0 {
                    to = from;
                }
                if from >= to {
                    break;
                }
            }
            if from < to {
                self.intervals.push((from, to));
            }
        }
    }

    /// Where most intervals overlap, the widest such place; `None` if there is none wide enough.
    fn overlap(&mut self) -> Option<(usize, f64, f64)> {
        self.ends.clear();
        for &(from, to) in &self.intervals {
            self.ends.extend([(from, 1), (to, -1)]);
        }
        // Intervals are open: at the same place ends come first.
        self.ends
            .sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let (mut open, mut most) = (0_i32, None::<(i32, f64, f64)>);
        for pair in self.ends.windows(2) {
            let ((from, change), (to, _)) = (pair[0], pair[1]);
            open += change;
            if to - from <= NARROW * from.abs().max(to.abs().min(1.0)) {
                continue;
            }
            let is_wider = |(count, a, b): (i32, f64, f64)| {
                open > count || (open == count && width(from, to) > width(a, b))
            };
            if most.is_none_or(is_wider) {
                most = Some((open, from, to));
            }
        }
        most.and_then(|(count, from, to)| Some((usize::try_from(count).ok()?, from, to)))
    }
}

/// How wide an interval is: a ratio where both ends are positive and far apart counts as width, too.
fn width(from: f64, to: f64) -> f64 {
    (to - from) / (1.0 + from.abs())
}

/// The k-th coordinate of the `place`-th point of a sequence that fills the unit cube evenly: multiples of powers of the root of
/// x^(d+1) = x + 1 (Roberts' generalisation of the golden ratio).
fn quasi(dimension: usize, k: usize, place: f64) -> f64 {
    let mut root = 2.0_f64;
    let power = 1.0 / (dimension as f64 + 1.0);
    for _ in 0..40 {
        root = (1.0 + root).powf(power);
    }
    let mut step = 1.0;
    for _ in 0..=k {
        step /= root;
    }
    (0.5 + place * step).fract()
}

/// Scales to a sum of 1.
fn scale(parameters: &mut [f64]) {
    let sum: f64 = parameters.iter().sum();
    for value in parameters {
        *value /= sum;
    }
}

/// The t for which `at + t · line` is in P.
fn range(space: &Space, at: &[f64], line: &Line) -> (f64, f64) {
    let (mut from, mut to) = (f64::NEG_INFINITY, f64::INFINITY);
    let mut cut = |value: f64, slope: f64| {
        // value + t · slope ≥ 0, with a value that is negative by rounding only.
        let value = value.max(0.0);
        if slope > SMALLEST {
            from = from.max(-value / slope);
        } else if slope < -SMALLEST {
            to = to.min(-value / slope);
        }
    };
    let slope = |k: usize| match line {
        Line::Parameter(of) => f64::from(u8::from(*of == k)),
        Line::Direction(direction) => direction[k],
    };
    for (k, value) in at.iter().enumerate() {
        let step = slope(k);
        if step != 0.0 {
            cut(value - space.lower[k], step);
            cut(space.upper[k] - value, -step);
        }
    }
    for row in &space.half_spaces {
        let change: f64 = row.iter().map(|&(k, a)| a * slope(k as usize)).sum();
        if change != 0.0 {
            cut(sparse_dot(row, at), change);
        }
    }
    let (mut from, mut to) = (from.min(0.0), to.max(0.0));
    if let Some(matrix) = space.semidefinite {
        let inside = |t: f64| {
            let point: Vec<f64> = at
                .iter()
                .enumerate()
                .map(|(k, p)| p + t * slope(k))
                .collect();
            is_semidefinite(matrix, &point)
        };
        for end in [&mut from, &mut to] {
            if end.is_finite() && inside(*end) {
                continue;
            }
            let (mut good, mut bad) = (0.0, end.clamp(-4.0, 4.0));
            for _ in 0..40 {
                let middle = f64::midpoint(good, bad);
                if inside(middle) {
                    good = middle
                } else {
                    bad = middle
                }
            }
            *end = good;
        }
    }
    (from, to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimize::subsystem::{Patient, Rows};

    fn problem(space: Space, blocks: &[&[&[f64]]]) -> Problem {
        let mut rows = Rows::new();
        for block in blocks {
            rows.push_block();
            for row in *block {
                rows.push_row(0, row);
            }
        }
        Problem { space, rows }
    }

    /// Of two weights a line is everything. p₁ / p₂ must be: above 1000 and below 3000; below 2000 and above 4000 (never); above 1500;
    /// below 1/2.
    #[test]
    fn one_line_finds_weights_of_very_different_size() {
        let blocks: [&[&[f64]]; 4] = [
            &[&[1.0, -1000.0], &[-1.0, 3000.0]],
            &[&[-1.0, 2000.0], &[1.0, -4000.0]],
            &[&[1.0, -1500.0]],
            &[&[-2.0, 1.0]],
        ];
        let problem = problem(Space::simplex(2), &blocks);
        let (best, satisfied) = improve(&problem, &[], 0, &Patient);
        assert_eq!(satisfied, 2);
        let ratio = best[0] / best[1];
        assert!((1500.0..3000.0).contains(&ratio) && contains(&problem.space, &best));
    }

    /// A measure of two attributes, μ({1}), μ({2}) ≤ μ(V) = 1: all but the last block want small and different values, the last one more than 1.
    #[test]
    fn a_measure_stays_monotone() {
        let space = Space {
            lower: vec![0.0, 0.0, 1.0],
            upper: vec![1.0; 3],
            half_spaces: vec![vec![(0, -1.0), (2, 1.0)], vec![(1, -1.0), (2, 1.0)]],
            ..Space::default()
        };
        let blocks: [&[&[f64]]; 4] = [
            &[&[1.0, 0.0, -0.2], &[-1.0, 0.0, 0.3]],
            &[&[0.0, 1.0, -0.8]],
            &[&[-1.0, 1.0, -0.5]],
            &[&[1.0, 0.0, -1.0]],
        ];
        let problem = problem(space, &blocks);
        let (best, satisfied) = improve(&problem, &[], 5, &Patient);
        assert_eq!((satisfied, problem.count(&best)), (3, 3));
        assert!(contains(&problem.space, &best));
    }

    /// With a plane, parameters are exchanged: x + y + z = 1 and two rows that want x − y within (0.3, 0.4).
    #[test]
    fn a_plane_is_kept() {
        let space = Space {
            lower: vec![-1.0; 3],
            is_simplex: false,
            ..Space::simplex(3)
        };
        let blocks: [&[&[f64]]; 2] = [
            &[&[0.7, -1.3, -0.3], &[-0.6, 1.4, 0.4]],
            &[&[0.0, 0.0, 1.0]],
        ];
        let problem = problem(space, &blocks);
        let start = vec![0.2, 0.7, 0.1];
        let (best, satisfied) = improve(&problem, &[start], 5, &Patient);
        assert_eq!(satisfied, 2);
        assert!(contains(&problem.space, &best));
    }

    /// A form [[a, c], [c, b]] with c² ≤ ab: c > a/2 is possible, c > a and c > b together is not.
    #[test]
    fn a_definite_form_stays_so() {
        let space = Space {
            lower: vec![-1.0; 3],
            upper: vec![1.0; 3],
            semidefinite: Some(Semidefinite { order: 2 }),
            ..Space::default()
        };
        let blocks: [&[&[f64]]; 2] = [
            &[&[-0.5, 0.0, 1.0]],
            &[&[-1.0, 0.0, 1.0], &[0.0, -1.0, 1.0]],
        ];
        let problem = problem(space, &blocks);
        let start = vec![0.5, 0.5, 0.0];
        let (best, satisfied) = improve(&problem, &[start], 5, &Patient);
        assert_eq!(satisfied, 1);
        assert!(best[2] * best[2] <= best[0] * best[1] + 1e-9);
        assert!(contains(&problem.space, &best));
    }
}
