//! Whether blocks can be satisfied together, and if not, which of them cannot.

use crate::{
    optimize::{
        simplex::{End, Tight, Vertex},
        subsystem::{Conflict, Hard, MARGIN, Problem, proof::holds},
    },
    stats::eigen::Eigen,
};

/// The most pivots of one question.
const MAX_PIVOTS: usize = 20_000;
/// The most times that rows are added for one question.
const MAX_ROUNDS: usize = 2_000;
/// How far a row that is not in the programme may be violated.
const VIOLATION: f64 = 1e-10;
/// The smallest eigenvalue that is none but for rounding.
const NEGATIVE: f64 = -1e-9;
/// The least multiplier that counts.
const MULTIPLIER: f64 = 1e-12;
/// Rows more than this, beside those of the space, are forgotten unless they are tight.
const MAX_ROWS: usize = 1_000;

/// An answer.
#[derive(Debug)]
pub enum Reply {
    /// These parameters satisfy them.
    Together(Vec<f64>),
    /// Nothing does.
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

/// The programme `max t` such that `v·p ≥ t − slack(b)` for all rows v of the blocks b that are asked for, and p ∈ P.
///
/// Its rows are added as they are needed; a question continues from where the last one ended.
#[derive(Debug, Clone)]
pub struct Oracle<'a> {
    problem: &'a Problem,
    vertex: Vertex,
    origins: Vec<Origin>,
    /// Whether a row of the problem is in the programme.
    listed: Vec<bool>,
    /// The rows of the programme that belong to each block.
    of_block: Vec<Vec<usize>>,
    /// The rows of each block that were ever in the programme.
    used: Vec<Vec<usize>>,
    /// How far the rows of each block are let go; infinite for blocks that are not asked for.
    slack: Vec<f64>,
    /// No row is further from 0 than this.
    far: f64,
}

impl<'a> Oracle<'a> {
    /// For the blocks of a problem; none is asked for yet.
    pub fn new(problem: &'a Problem) -> Self {
        let space = &problem.space;
        let far = 2.0
            + (0..problem.rows.n_rows())
                .map(|row| reach(problem, row))
                .fold(0.0_f64, f64::max);
        let mut cost = vec![0.0; space.dimension()];
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
            used: vec![Vec::new(); problem.rows.n_blocks()],
            slack: vec![f64::INFINITY; problem.rows.n_blocks()],
            far,
        }
    }

    /// Whether the blocks for which `asked` is true can be satisfied together.
    pub fn ask(&mut self, asked: &[bool]) -> Reply {
        let slack = |&asked: &bool| if asked { 0.0 } else { f64::INFINITY };
        self.let_go(asked.iter().map(slack));
        match self.solve(-0.5 * MARGIN, true) {
            End::Cutoff => self.conflict().map_or(Reply::Unknown, Reply::Conflict),
            End::Optimal => Reply::Together(self.parameters().to_vec()),
            End::Infeasible | End::Unknown => Reply::Unknown,
        }
    }

    /// The parameters of the greatest smallest margin when each block is let go by its slack, and the blocks that decide it.
    pub fn relax(&mut self, slack: &[f64]) -> Option<(Vec<f64>, Vec<usize>)> {
        self.let_go(slack.iter().copied());
        if self.solve(f64::INFINITY, false) != End::Optimal {
            return None;
        }
        let mut blocks: Vec<usize> = self
            .multipliers()
            .filter_map(|(origin, _)| match origin {
                Origin::Row(row) => Some(self.problem.rows.block_of(*row)),
                _ => None,
            })
            .collect();
        blocks.sort_unstable();
        blocks.dedup();
        Some((self.parameters().to_vec(), blocks))
    }

    /// How many blocks parameters may satisfy, by the rows that were ever needed: an upper bound.
    pub fn may_satisfy(&self, parameters: &[f64]) -> usize {
        let positive = |&row: &usize| self.problem.rows.row(row).dot(parameters).0 > 0.0;
        let blocks = self.used.iter();
        blocks.filter(|used| used.iter().all(positive)).count()
    }

    fn parameters(&self) -> &[f64] {
        &self.vertex.x()[..self.problem.space.dimension()]
    }

    /// Sets the slack of each block.
    fn let_go(&mut self, slack: impl Iterator<Item = f64>) {
        if self.origins.len() > MAX_ROWS + self.problem.space.half_spaces.len() {
            self.forget();
        }
        for (block, new) in slack.enumerate() {
            self.slack[block] = new;
            for &row in &self.of_block[block] {
                if new < f64::INFINITY {
                    self.vertex.set_right(row, -new);
                } else {
                    self.vertex.relax(row, -2.0 * self.far);
                }
            }
        }
        self.vertex.locate();
    }

    /// Solves until the objective exceeds the cutoff or, if `hasty`, until any point has the margin.
    fn solve(&mut self, cutoff: f64, hasty: bool) -> End {
        for _ in 0..MAX_ROUNDS {
            let end = self.vertex.solve(cutoff, MAX_PIVOTS);
            if end != End::Optimal {
                return end;
            }
            if self.add_directions() > 0 {
                continue;
            }
            let (added, smallest) = self.add_rows();
            if added == 0 || (hasty && smallest > MARGIN) {
                return End::Optimal;
            }
        }
        End::Unknown
    }

    /// Adds the most violated row of each block that is asked for. Gives how many, and the smallest value of all rows.
    ///
    /// Rows that were added before are asked first; all of them only if none of those is violated.
    fn add_rows(&mut self) -> (usize, f64) {
        let (mut added, _) = self.add_rows_of(|oracle, block| oracle.used[block].clone());
        if added > 0 {
            return (added, f64::NEG_INFINITY);
        }
        let smallest;
        (added, smallest) = self.add_rows_of(|oracle, block| oracle.problem.rows.of_block(block));
        (added, smallest)
    }

    fn add_rows_of<R: IntoIterator<Item = usize>>(
        &mut self,
        rows: impl Fn(&Self, usize) -> R,
    ) -> (usize, f64) {
        let t = self.vertex.x()[self.problem.space.dimension()];
        let mut added = 0;
        let mut smallest = f64::INFINITY;
        for block in 0..self.slack.len() {
            let slack = self.slack[block];
            if slack == f64::INFINITY {
                continue;
            }
            let (mut worst, mut found) = (t - slack - VIOLATION, None);
            for row in rows(self, block) {
                let value = self.value(row);
                smallest = smallest.min(value + slack);
                if value < worst && !self.listed[row] {
                    (worst, found) = (value, Some(row));
                }
            }
            if let Some(row) = found {
                self.add_row(block, row);
                added += 1;
            }
        }
        (added, smallest)
    }

    fn add_row(&mut self, block: usize, row: usize) {
        let dimension = self.problem.space.dimension();
        let entries = self.problem.rows.row(row);
        let margin = (u32::try_from(dimension).unwrap_or(u32::MAX), -1.0);
        let entries = entries
            .columns
            .iter()
            .copied()
            .zip(entries.values.iter().copied());
        let number = self
            .vertex
            .push_row(entries.chain([margin]), -self.slack[block], false);
        self.origins.push(Origin::Row(row));
        self.listed[row] = true;
        self.of_block[block].push(number);
        if !self.used[block].contains(&row) {
            self.used[block].push(row);
        }
    }

    fn value(&self, row: usize) -> f64 {
        let entries = self.problem.rows.row(row);
        let terms = entries.columns.iter().zip(entries.values);
        terms.map(|(&k, v)| v * self.vertex.x()[k as usize]).sum()
    }

    /// Adds a half-space for each negative eigenvalue of a semidefinite space. Gives how many.
    fn add_directions(&mut self) -> usize {
        let Some(matrix) = self.problem.space.semidefinite else {
            return 0;
        };
        let mut added = 0;
        let Eigen { values, vectors } = matrix.eigen(self.parameters());
        for (&value, direction) in values.iter().zip(vectors.columns()) {
            if value < NEGATIVE {
                let direction = direction.to_vec();
                self.vertex
                    .push_row(matrix.half_space(&direction).into_iter(), 0.0, false);
                self.origins.push(Origin::Hard(Hard::Direction(direction)));
                added += 1;
            }
        }
        added
    }

    /// Forgets rows of blocks, and directions, that are not tight.
    fn forget(&mut self) {
        let origins = &self.origins;
        let kept = self.vertex.retain_rows(|row| {
            matches!(origins[row], Origin::Plane | Origin::Hard(Hard::Listed(_)))
        });
        self.origins = kept
            .into_iter()
            .map(|row| self.origins[row].clone())
            .collect();
        self.listed.fill(false);
        self.of_block.iter_mut().for_each(Vec::clear);
        for (number, origin) in self.origins.iter().enumerate() {
            if let Origin::Row(row) = *origin {
                self.listed[row] = true;
                self.of_block[self.problem.rows.block_of(row)].push(number);
            }
        }
    }

    /// The rows whose multipliers are positive, and the plane.
    fn multipliers(&self) -> impl Iterator<Item = (&Origin, f64)> {
        self.vertex.multipliers().filter_map(|(tight, multiplier)| {
            let Tight::Row(row) = tight else { return None };
            let origin = &self.origins[row];
            (multiplier > MULTIPLIER || *origin == Origin::Plane).then_some((origin, multiplier))
        })
    }

    /// The multipliers as a conflict, if they show one.
    fn conflict(&self) -> Option<Conflict> {
        let mut conflict = Conflict::default();
        for (origin, multiplier) in self.multipliers() {
            match origin {
                Origin::Row(row) => conflict.rows.push((*row, multiplier)),
                Origin::Hard(hard) => conflict.hard.push((hard.clone(), multiplier)),
                Origin::Plane => conflict.plane = multiplier,
            }
        }
        conflict.rows.sort_unstable_by_key(|entry| entry.0);
        holds(self.problem, &conflict).then_some(conflict)
    }
}

/// How far a row can be from 0 in the box.
fn reach(problem: &Problem, row: usize) -> f64 {
    let row = problem.rows.row(row);
    let (lower, upper) = (&problem.space.lower, &problem.space.upper);
    let greatest = |k: usize| lower[k].abs().max(upper[k].abs());
    let terms = row.columns.iter().zip(row.values);
    terms.map(|(&k, v)| v.abs() * greatest(k as usize)).sum()
}
