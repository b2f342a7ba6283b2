//! Whether blocks can be satisfied together, and if not, which of them cannot.

use super::vertex::{End, Tight, Vertex};
use crate::optimize::subsystem::{Conflict, Hard, MARGIN, Problem};

/// The most pivots of one question.
const MOST_PIVOTS: usize = 20_000;
/// How far rows that are not in the programme may be violated.
const VIOLATION: f64 = 1e-10;

/// An answer.
#[derive(Debug)]
pub enum Reply {
    /// These parameters do.
    Together(Vec<f64>),
    /// They cannot.
    Conflict(Conflict),
    /// Rounding hides the answer.
    Unknown,
}

/// What a row of the programme is.
#[derive(Debug, Clone, PartialEq)]
enum Origin {
    Row(usize),
    Hard(Hard),
    Plane,
}

/// The programme `max t` such that `v·p ≥ t − slack(b)` for all rows v of the blocks b asked for and p ∈ P; its rows are added as they are needed.
#[derive(Debug, Clone)]
pub struct Oracle<'a> {
    problem: &'a Problem,
    vertex: Vertex,
    origins: Vec<Origin>,
    /// Whether a row of the problem is in the programme.
    listed: Vec<bool>,
    /// The rows of the programme of each block.
    of_block: Vec<Vec<usize>>,
    /// What the rows of each block are let go; infinite for blocks that are not asked for.
    slack: Vec<f64>,
    far: f64,
    /// Programmes solved.
    pub solved: usize,
}

impl<'a> Oracle<'a> {
    /// For the blocks of a problem; none is asked for yet.
    pub fn new(problem: &'a Problem) -> Self {
        let space = &problem.space;
        let dimension = space.dimension();
        let greatest = |k: usize| space.lower[k].abs().max(space.upper[k].abs());
        let far = 2.0
            + (0..problem.rows.n_rows())
                .map(|row| {
                    let row = problem.rows.row(row);
                    row.columns
                        .iter()
                        .zip(row.values)
                        .map(|(&k, v)| v.abs() * greatest(k as usize))
                        .sum::<f64>()
                })
                .fold(0.0_f64, f64::max);
        let mut cost = vec![0.0; dimension];
        cost.push(-1.0);
        let (mut lower, mut upper) = (space.lower.clone(), space.upper.clone());
        lower.push(-far);
        upper.push(1.0);
        let mut vertex = Vertex::new(cost, lower, upper);
        let mut origins = Vec::new();
        for (number, row) in space.half_spaces.iter().enumerate() {
            vertex.push_row(row.iter().copied(), 0.0, false);
            origins.push(Origin::Hard(Hard::Listed(number)));
        }
        if let Some(plane) = &space.plane {
            vertex.push_row(plane.iter().copied(), 1.0, true);
            origins.push(Origin::Plane);
        }
        Self {
            problem,
            vertex,
            origins,
            listed: vec![false; problem.rows.n_rows()],
            of_block: vec![Vec::new(); problem.rows.n_blocks()],
            slack: vec![f64::INFINITY; problem.rows.n_blocks()],
            far,
            solved: 0,
        }
    }

    fn set_slack(&mut self, slack: &[f64]) {
        for (block, (old, &new)) in self.slack.iter_mut().zip(slack).enumerate() {
            if *old != new {
                *old = new;
                for &row in &self.of_block[block] {
                    if new < f64::INFINITY {
                        self.vertex.set_right(row, -new);
                    } else {
                        self.vertex.relax(row, -2.0 * self.far);
                    }
                }
            }
        }
        self.vertex.locate();
    }

    /// Adds the most violated row of each block that is asked for. Gives how many, and the smallest value of any row.
    fn extend(&mut self) -> (usize, f64) {
        let t = self.t();
        let mut added = 0;
        let mut smallest = f64::INFINITY;
        for block in 0..self.slack.len() {
            let slack = self.slack[block];
            if slack == f64::INFINITY {
                continue;
            }
            let (mut worst, mut found) = (t - slack - VIOLATION, None);
            for row in self.problem.rows.of_block(block) {
                let entries = self.problem.rows.row(row);
                let value: f64 = entries
                    .columns
                    .iter()
                    .zip(entries.values)
                    .map(|(&k, v)| v * self.vertex.x()[k as usize])
                    .sum();
                smallest = smallest.min(value + slack);
                if value < worst && !self.listed[row] {
                    (worst, found) = (value, Some(row));
                }
            }
            if let Some(row) = found {
                let entries = self.problem.rows.row(row);
                let dimension = u32::try_from(self.problem.space.dimension()).unwrap_or(u32::MAX);
                let number = self.vertex.push_row(
                    entries
                        .columns
                        .iter()
                        .copied()
                        .zip(entries.values.iter().copied())
                        .chain([(dimension, -1.0)]),
                    -slack,
                    false,
                );
                self.origins.push(Origin::Row(row));
                self.listed[row] = true;
                self.of_block[block].push(number);
                added += 1;
            }
        }
        (added, smallest)
    }

    fn t(&self) -> f64 {
        self.vertex.x()[self.problem.space.dimension()]
    }

    fn parameters(&self) -> Vec<f64> {
        self.vertex.x()[..self.problem.space.dimension()].to_vec()
    }

    /// Solves until the objective exceeds the cutoff, or, with `hasty`, until any point has the margin.
    fn run(&mut self, cutoff: f64, hasty: bool) -> End {
        self.solved += 1;
        loop {
            let end = self.vertex.solve(cutoff, MOST_PIVOTS);
            if end != End::Optimal {
                return end;
            }
            let (added, smallest) = self.extend();
            if added == 0 || (hasty && smallest > MARGIN) {
                return End::Optimal;
            }
        }
    }

    /// Whether the blocks for which `asked` is true can be satisfied together.
    pub fn ask(&mut self, asked: &[bool]) -> Reply {
        let slack: Vec<f64> = asked
            .iter()
            .map(|&asked| if asked { 0.0 } else { f64::INFINITY })
            .collect();
        self.set_slack(&slack);
        match self.run(-0.5 * MARGIN, true) {
            End::Cutoff => self.conflict().map_or(Reply::Unknown, Reply::Conflict),
            End::Optimal => Reply::Together(self.parameters()),
            End::Infeasible | End::Unknown => Reply::Unknown,
        }
    }

    /// The parameters of the greatest smallest margin of these blocks, each let go by its slack, and the blocks whose rows decide it.
    pub fn relaxed(&mut self, slack: &[f64]) -> Option<(Vec<f64>, Vec<usize>)> {
        self.set_slack(slack);
        if self.run(f64::INFINITY, false) != End::Optimal {
            return None;
        }
        let mut blocks: Vec<usize> = self
            .vertex
            .multipliers()
            .filter_map(|(tight, multiplier)| match tight {
                Tight::Row(row) if multiplier > 1e-9 => match self.origins[row] {
                    Origin::Row(row) => Some(self.problem.rows.block_of(row)),
                    _ => None,
                },
                _ => None,
            })
            .collect();
        blocks.sort_unstable();
        blocks.dedup();
        Some((self.parameters(), blocks))
    }

    /// The multipliers as a conflict, if they show one.
    fn conflict(&self) -> Option<Conflict> {
        let mut conflict = Conflict::default();
        for (tight, multiplier) in self.vertex.multipliers() {
            let Tight::Row(row) = tight else { continue };
            match &self.origins[row] {
                Origin::Row(row) if multiplier > 1e-12 => conflict.rows.push((*row, multiplier)),
                Origin::Hard(hard) if multiplier > 1e-12 => {
                    conflict.hard.push((hard.clone(), multiplier))
                }
                Origin::Plane => conflict.plane = multiplier,
                _ => {}
            }
        }
        conflict.rows.sort_unstable_by_key(|entry| entry.0);
        holds(self.problem, &conflict).then_some(conflict)
    }
}

/// Whether a conflict's multipliers show what it says ([`Conflict`]).
pub fn holds(problem: &Problem, conflict: &Conflict) -> bool {
    let space = &problem.space;
    let mut rest = vec![0.0; space.dimension()];
    let mut total = 0.0;
    for &(row, multiplier) in &conflict.rows {
        let row = problem.rows.row(row);
        total += multiplier;
        for (&k, v) in row.columns.iter().zip(row.values) {
            rest[k as usize] += multiplier * v;
        }
    }
    for (hard, multiplier) in &conflict.hard {
        let row = match hard {
            Hard::Listed(number) => space.half_spaces[*number].clone(),
            Hard::Direction(u) => match space.semidefinite {
                Some(matrix) => matrix.half_space(u),
                None => return false,
            },
        };
        for (k, v) in row {
            rest[k as usize] += multiplier * v;
        }
    }
    for &(k, v) in space.plane.iter().flatten() {
        rest[k as usize] += conflict.plane * v;
    }
    let most: f64 = rest
        .iter()
        .zip(space.lower.iter().zip(&space.upper))
        .map(|(r, (lower, upper))| (r * lower).max(r * upper))
        .sum();
    total > 0.0 && most - conflict.plane <= MARGIN * total
}
