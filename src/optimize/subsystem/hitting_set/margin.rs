//! Which blocks can be satisfied together: the greatest margin, by a linear program whose rows come when they are needed.

use super::super::{Conflict, Hard, MARGIN, Problem, Watch, proof::holds};
use crate::optimize::simplex::{Outcome, Simplex};

/// A margin that must be exceeded for blocks to count as satisfiable together: so far below [`MARGIN`] that conflicts hold by far.
const MIN: f64 = 0.5 * MARGIN;

/// A row at or below this value is missing in the program.
const MISSING: f64 = 0.4 * MARGIN;

/// A half-space that is violated by more is missing.
const OUTSIDE: f64 = 1e-10;

/// So many half-spaces stand in the program from the start; of more only those that are needed.
const LISTED: usize = 600;

/// Half-spaces added at a time.
const AT_ONCE: usize = 50;

/// Directions added for one question before the watch is heard: enough for parameters that need to satisfy nothing.
const UNWATCHED: usize = 200;

/// The most directions added for one question, per parameter: each cuts off less, and there is always another. Up to 21 were seen.
const MAX_DIRECTIONS: usize = 50;

/// What is known of a choice of blocks.
#[derive(Debug, Clone)]
pub(super) enum Verdict {
    /// Parameters that satisfy them all.
    Point(Vec<f64>),
    /// They cannot be satisfied together.
    Conflict(Conflict),
    /// Rounding stood in the way, or too many directions.
    Unknown,
}

/// What a row of the program stands for.
#[derive(Debug, Clone)]
enum Meaning {
    Plane,
    Hard(Hard),
    Row(usize),
}

/// The linear program `max t` such that `v·p ≥ t` for the rows of the blocks that are kept.
///
/// Only rows that some solution violated are in it. A conflict among these is one among all.
#[derive(Debug)]
pub(super) struct Margin<'a> {
    problem: &'a Problem,
    program: Simplex,
    meanings: Vec<Meaning>,
    /// The rows of each block in the program.
    present: Vec<Vec<usize>>,
    /// Whether each row of the problem is in the program.
    is_present: Vec<bool>,
    listed: Vec<bool>,
    kept: Vec<bool>,
    /// A second program for the question what a conflict can do without.
    small: Simplex,
    small_meanings: Vec<Meaning>,
    n_small_hard: usize,
    /// Directions in the program.
    n_directions: usize,
    /// Linear programs solved.
    pub n_programs: usize,
}

impl<'a> Margin<'a> {
    pub(super) fn new(problem: &'a Problem) -> Self {
        let program = empty_program(problem);
        let mut margin = Self {
            problem,
            small: program.clone(),
            small_meanings: Vec::new(),
            n_small_hard: 0,
            n_directions: 0,
            program,
            meanings: Vec::new(),
            present: vec![Vec::new(); problem.rows.n_blocks()],
            is_present: vec![false; problem.rows.n_rows()],
            listed: vec![false; problem.space.half_spaces.len()],
            kept: vec![false; problem.rows.n_blocks()],
            n_programs: 0,
        };
        if let Some(plane) = &problem.space.plane {
            margin.program.add_row(plane.clone(), 1.0, 1.0);
            margin.meanings.push(Meaning::Plane);
        }
        if problem.space.half_spaces.len() <= LISTED {
            for k in 0..problem.space.half_spaces.len() {
                margin.add_hard(Hard::Listed(k));
            }
        }
        margin
    }

    fn add_hard(&mut self, hard: Hard) {
        let row = half_space(self.problem, &hard);
        if let Hard::Listed(k) = hard {
            self.listed[k] = true;
        }
        self.program.add_row(row, 0.0, f64::INFINITY);
        self.meanings.push(Meaning::Hard(hard));
    }

    fn add(&mut self, row: usize) {
        self.is_present[row] = true;
        let block = self.problem.rows.block_of(row);
        let number = self
            .program
            .add_row(margin_row(self.problem, row), 0.0, f64::INFINITY);
        self.present[block].push(number);
        self.meanings.push(Meaning::Row(row));
    }

    /// Whether these blocks can be satisfied together. The watch is heard only if many directions are needed.
    pub(super) fn ask(&mut self, kept: &[bool], watch: &dyn Watch) -> Verdict {
        self.keep(kept);
        let mut restarted = false;
        let before = self.n_directions;
        let most = MAX_DIRECTIONS * self.problem.space.dimension();
        loop {
            let directions = self.n_directions - before;
            if directions > UNWATCHED && (directions > most || watch.stops()) {
                return Verdict::Unknown;
            }
            self.n_programs += 1;
            match self.program.decide(-MIN) {
                Outcome::Over => {
                    if let Some(conflict) = conflict(self.problem, &self.program, &self.meanings) {
                        return Verdict::Conflict(conflict);
                    }
                }
                Outcome::Under | Outcome::Optimal => {
                    let dimension = self.problem.space.dimension();
                    let point = self.program.point()[..dimension].to_vec();
                    if !self.add_missing(&point) {
                        return Verdict::Point(self.inside(point));
                    }
                    continue;
                }
                Outcome::Infeasible | Outcome::Stalled => {}
            }
            if restarted {
                return Verdict::Unknown;
            }
            restarted = true;
            self.program.restart();
        }
    }

    fn keep(&mut self, kept: &[bool]) {
        for (block, (&now, before)) in kept.iter().zip(&mut self.kept).enumerate() {
            if now != *before {
                let low = if now { 0.0 } else { f64::NEG_INFINITY };
                for &number in &self.present[block] {
                    self.program.set_row(number, low, f64::INFINITY);
                }
                *before = now;
            }
        }
    }

    /// Adds what the point violates: false if there is nothing.
    fn add_missing(&mut self, point: &[f64]) -> bool {
        let before = self.meanings.len();
        self.add_missing_half_spaces(point);
        for block in 0..self.kept.len() {
            if !self.kept[block] {
                continue;
            }
            let (mut least, mut worst) = (MISSING, None);
            for row in self.problem.rows.of_block(block) {
                let value = self.problem.rows.row(row).dot(point).0;
                if value < least && !self.is_present[row] {
                    (least, worst) = (value, Some(row));
                }
            }
            if let Some(row) = worst {
                self.add(row);
            }
        }
        self.meanings.len() > before
    }

    fn add_missing_half_spaces(&mut self, point: &[f64]) {
        let space = &self.problem.space;
        let mut missing: Vec<(f64, usize)> = (0..self.listed.len())
            .filter(|&k| !self.listed[k])
            .map(|k| {
                let row = &space.half_spaces[k];
                (row.iter().map(|&(j, a)| a * point[j as usize]).sum(), k)
            })
            .filter(|(value, _): &(f64, usize)| *value < -OUTSIDE)
            .collect();
        missing.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for &(_, k) in missing.iter().take(AT_ONCE) {
            self.add_hard(Hard::Listed(k));
        }
        if let Some(semidefinite) = space.semidefinite {
            let (value, direction) = semidefinite.least(point);
            if value < -OUTSIDE {
                self.n_directions += 1;
                self.add_hard(Hard::Direction(direction));
            }
        }
    }

    /// The point without what rounding left outside the box and the cone.
    fn inside(&self, mut point: Vec<f64>) -> Vec<f64> {
        let space = &self.problem.space;
        if let Some(semidefinite) = space.semidefinite {
            let (value, _) = semidefinite.least(&point);
            if value < 1e-12 {
                for diagonal in &mut point[..semidefinite.order] {
                    *diagonal += 1e-12 - value;
                }
                let greatest = point.iter().fold(1.0_f64, |most, v| most.max(v.abs()));
                for value in &mut point {
                    *value /= greatest;
                }
            }
        }
        for (value, (low, high)) in point.iter_mut().zip(space.lower.iter().zip(&space.upper)) {
            *value = value.clamp(*low, *high);
        }
        point
    }

    /// A conflict from which no block can be left out, as far as the rows in the program show. Blocks of low `worth` leave first.
    /// When the watch stops, what has left by then is out.
    pub(super) fn irreducible(
        &mut self,
        conflict: Conflict,
        worth: &[f64],
        watch: &dyn Watch,
    ) -> Conflict {
        let mut blocks = blocks_of(self.problem, &conflict);
        if blocks.len() < 2 {
            return conflict;
        }
        self.load_small(&blocks);
        let mut best = conflict;
        blocks.sort_by(|&a, &b| worth[a].total_cmp(&worth[b]).then(a.cmp(&b)));
        let mut left = blocks_of(self.problem, &best);
        for block in blocks {
            if left.len() < 2 || left.binary_search(&block).is_err() {
                continue;
            }
            if watch.stops() {
                break;
            }
            self.switch_small(block, false);
            self.n_programs += 1;
            let smaller = match self.small.decide(-MIN) {
                Outcome::Over => {
                    super::margin::conflict(self.problem, &self.small, &self.small_meanings)
                }
                _ => None,
            };
            let Some(smaller) = smaller else {
                self.switch_small(block, true);
                continue;
            };
            let now = blocks_of(self.problem, &smaller);
            for &gone in left.iter().filter(|b| now.binary_search(b).is_err()) {
                self.switch_small(gone, false);
            }
            (best, left) = (smaller, now);
        }
        best
    }

    /// The small program: half-spaces, and all rows of these blocks that are present.
    fn load_small(&mut self, blocks: &[usize]) {
        self.small.truncate(self.n_small_hard);
        self.small_meanings.truncate(self.n_small_hard);
        let hard = self
            .meanings
            .iter()
            .filter(|meaning| !matches!(meaning, Meaning::Row(_)));
        for meaning in hard.skip(self.n_small_hard) {
            match meaning {
                Meaning::Hard(hard) => {
                    self.small
                        .add_row(half_space(self.problem, hard), 0.0, f64::INFINITY);
                }
                _ => {
                    let plane = self.problem.space.plane.clone().unwrap_or_default();
                    self.small.add_row(plane, 1.0, 1.0);
                }
            }
            self.small_meanings.push(meaning.clone());
        }
        self.n_small_hard = self.small_meanings.len();
        for &block in blocks {
            for &number in &self.present[block] {
                let row = self.program.row(number).to_vec();
                self.small.add_row(row, 0.0, f64::INFINITY);
                self.small_meanings.push(self.meanings[number].clone());
            }
        }
    }

    fn switch_small(&mut self, block: usize, on: bool) {
        let low = if on { 0.0 } else { f64::NEG_INFINITY };
        for (number, meaning) in self.small_meanings.iter().enumerate() {
            if let Meaning::Row(row) = meaning
                && self.problem.rows.block_of(*row) == block
            {
                self.small.set_row(number, low, f64::INFINITY);
            }
        }
    }
}

/// Parameters and the margin t, which is to be as great as possible.
fn empty_program(problem: &Problem) -> Simplex {
    let space = &problem.space;
    let dimension = space.dimension();
    let mut costs = vec![0.0; dimension + 1];
    costs[dimension] = -1.0;
    let reach = |k: usize| space.lower[k].abs().max(space.upper[k].abs());
    let least: f64 = -1.0 - (0..dimension).map(reach).sum::<f64>();
    let (mut lower, mut upper) = (space.lower.clone(), space.upper.clone());
    lower.push(least);
    upper.push(1.0);
    Simplex::new(costs, lower, upper)
}

/// `v·p − t`.
fn margin_row(problem: &Problem, row: usize) -> Vec<(u32, f64)> {
    let row = problem.rows.row(row);
    let t = u32::try_from(problem.space.dimension()).unwrap_or(u32::MAX);
    let mut entries: Vec<(u32, f64)> = row
        .columns
        .iter()
        .copied()
        .zip(row.values.iter().copied())
        .collect();
    entries.push((t, -1.0));
    entries
}

fn half_space(problem: &Problem, hard: &Hard) -> Vec<(u32, f64)> {
    match hard {
        Hard::Listed(k) => problem.space.half_spaces[*k].clone(),
        Hard::Direction(direction) => problem
            .space
            .semidefinite
            .map(|semidefinite| semidefinite.half_space(direction))
            .unwrap_or_default(),
    }
}

/// The blocks of a conflict, ascending.
pub(super) fn blocks_of(problem: &Problem, conflict: &Conflict) -> Vec<usize> {
    let mut blocks: Vec<usize> = conflict
        .rows
        .iter()
        .map(|&(row, _)| problem.rows.block_of(row))
        .collect();
    blocks.sort_unstable();
    blocks.dedup();
    blocks
}

/// The conflict that a program's multipliers show, without the smallest where it holds without them; `None` if it does not hold.
fn conflict(problem: &Problem, program: &Simplex, meanings: &[Meaning]) -> Option<Conflict> {
    let multipliers = program.row_multipliers();
    [1e-7, 1e-9, 0.0].into_iter().find_map(|least| {
        let mut conflict = Conflict::default();
        for &(number, multiplier) in multipliers {
            match &meanings[number] {
                Meaning::Plane => conflict.plane = multiplier,
                Meaning::Hard(hard) if multiplier > 0.0 => {
                    conflict.hard.push((hard.clone(), multiplier));
                }
                Meaning::Row(row) if multiplier > least => conflict.rows.push((*row, multiplier)),
                _ => {}
            }
        }
        conflict.rows.sort_unstable_by_key(|entry| entry.0);
        holds(problem, &conflict).then_some(conflict)
    })
}
