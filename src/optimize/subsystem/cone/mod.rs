//! Branch and bound over simplicial cones: for the standard simplex with few parameters.
//!
//! The simplex is cut into cells, cones of as many generators as there are parameters. In a cell a row is decided if its values at
//! the generators have one sign:
//!
//! ```text
//! all ≥ 0, one > 0     the row is positive inside: it is left out; a block without rows is certain
//! all ≤ 0              the row is nowhere positive: its block is wrong
//! u ≥ c·w, c > 0       u is positive where w is: of one block, u is left out
//! u + c·w ≤ 0, c > 0   u and w are nowhere positive together: of one block, it is wrong; of two, one of them is
//! bound = certain + undecided − (the fewest blocks that must be dropped, by disjoint conflicts)
//! ```
//!
//! A cell whose bound does not beat what is known is closed; where one block less would do, a search over conflicts closes it. Others are split at
//! the edge that most rows cross, where half of them do, so that the new generator lies in a row's plane. The cells with the
//! greatest bound go first: when the search is stopped, the greatest bound of an open cell holds for all.
//!
//! # Complexity
//! Cells grow exponentially with the parameters and with how many blocks are lost. Up to seven parameters are usual.

mod cell;
mod game;
mod greedy;
mod leaf;
mod packing;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::proof::Cell as Step;
use super::{Answer, Problem, Proof, Start, Watch, line_search};
use cell::{Board, Cell, Combination, Cut};
use game::Game;
use leaf::{Closed, Leaf};

/// Beyond so many parameters nothing is searched.
const MAX_PARAMETERS: usize = 24;

/// Cells that are split at once, in parallel. It is fixed, so that results do not depend on the threads.
const BATCH: usize = 8;

/// How the search is done.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Whether the tree of cells is kept as a proof: it may be large.
    pub records_proof: bool,
    /// Splits above a cell after which it is left open.
    pub deepest: u32,
    /// Bytes of open cells after which the search goes deep first.
    pub memory: usize,
    /// Restarts of the line search that is done if there are no parameters to start from.
    pub restarts: usize,
    /// Rows of a cell up to which all pairs of blocks are compared.
    pub rows_in_pairs: usize,
    /// Rows of a cell up to which games are played.
    pub rows_in_games: usize,
    /// Games that may be played to close a cell.
    pub games: usize,
    /// How many conflicts may be missing for exchanges to be tried.
    pub swaps: usize,
    /// How many blocks may be dropped in such a cell.
    pub drops: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            records_proof: false,
            deepest: 400,
            memory: 1 << 30,
            restarts: 10,
            rows_in_pairs: 300,
            rows_in_games: 600,
            games: 100,
            swaps: 1,
            drops: 1,
        }
    }
}

/// Solves a problem on the simplex. See [`solve_with`].
pub fn solve(problem: &Problem, start: Start, watch: &dyn Watch) -> Answer {
    solve_with(problem, start, watch, Options::default())
}

/// Solves a problem on the simplex; of any other space, or with too many parameters, only the start is counted.
pub fn solve_with(problem: &Problem, start: Start, watch: &dyn Watch, options: Options) -> Answer {
    let n_blocks = problem.rows.n_blocks();
    let width = problem.space.dimension();
    let (parameters, satisfied) = match start.parameters {
        Some(parameters) => {
            let satisfied = problem.count(&parameters);
            (parameters, satisfied)
        }
        None => line_search::improve(problem, &[], options.restarts, watch),
    };
    if !problem.space.is_simplex || width > MAX_PARAMETERS || width == 0 {
        return Answer {
            parameters,
            satisfied,
            bound: n_blocks,
            proof: Proof::Search("nothing but the number of records".into()),
        };
    }
    let mut search = CellSearch {
        board: Board::new(problem, options.records_proof),
        options,
        tolerance: start.tolerance,
        best: parameters,
        satisfied,
        closed: 0,
        open: BTreeMap::new(),
        stack: Vec::new(),
        bytes: 0,
        turn: 0,
        tree: vec![Branch::Open],
    };
    search.run(watch);
    search.answer()
}

/// A node of the tree, as far as it is kept.
#[derive(Debug, Clone)]
enum Branch {
    /// Nothing is known but what was known above.
    Open,
    Leaf {
        wrong: Vec<usize>,
        conflicts: Vec<Combination>,
    },
    Split {
        cut: Cut,
        /// The first half; the second follows it.
        first: usize,
    },
}

struct CellSearch<'a> {
    board: Board<'a>,
    options: Options,
    tolerance: usize,
    best: Vec<f64>,
    satisfied: usize,
    /// The greatest bound of a cell that is done with.
    closed: usize,
    /// Open cells by bound and turn.
    open: BTreeMap<(usize, u32, u64), Cell>,
    /// Open cells that are taken first, where memory is short.
    stack: Vec<Cell>,
    bytes: usize,
    turn: u64,
    tree: Vec<Branch>,
}

/// A cell that was looked at.
struct Looked {
    cell: Cell,
    /// Better parameters, and how many blocks they satisfy.
    better: Option<(Vec<f64>, usize)>,
}

/// The best that is known while a cell is looked at.
struct Known<'a> {
    board: &'a Board<'a>,
    satisfied: usize,
    /// Parameters, if they are new.
    better: Option<Vec<f64>>,
}

impl Known<'_> {
    /// The centre of a cell, counted with all rows only if it is better by those of the cell.
    fn try_centre(&mut self, cell: &Cell) {
        let generators = cell.generators.chunks_exact(self.board.width);
        let shares: Vec<f64> = generators
            .map(|generator| 1.0 / generator.iter().sum::<f64>())
            .collect();
        if cell.certain + satisfied_at(cell, self.board, &shares) > self.satisfied {
            self.try_point(cell, &shares);
        }
    }

    /// Whether this point is better than what is known, which it then becomes.
    fn try_point(&mut self, cell: &Cell, shares: &[f64]) -> bool {
        let point = cell.point(shares, self.board.width);
        let count = self.board.problem.count(&point);
        let is_better = count > self.satisfied;
        if is_better {
            self.satisfied = count;
            self.better = Some(point);
        }
        is_better
    }
}

impl CellSearch<'_> {
    fn run(&mut self, watch: &dyn Watch) {
        let root = Cell::root(&self.board);
        let looked = self.look(root);
        self.take(looked);
        loop {
            self.drop_beaten();
            watch.progress(self.satisfied, self.bound());
            if watch.stops() {
                return;
            }
            let batch = self.next();
            if batch.is_empty() {
                return;
            }
            let split: Vec<_> = batch
                .into_par_iter()
                .map(|cell| (self.split(&cell), cell))
                .collect();
            for (halves, cell) in split {
                match halves {
                    Some((cut, halves)) => self.replace(&cell, cut, halves),
                    // It cannot be split: it stays as it is.
                    None => self.leave(cell),
                }
            }
        }
    }

    /// Takes the halves of a cell instead of it.
    fn replace(&mut self, cell: &Cell, cut: Cut, halves: [Looked; 2]) {
        let first = self.tree.len();
        if self.board.records_proof {
            self.tree[cell.node] = Branch::Split { cut, first };
            self.tree.extend([Branch::Open, Branch::Open]);
        }
        for (half, mut looked) in halves.into_iter().enumerate() {
            looked.cell.node = first + half;
            self.take(looked);
        }
    }

    /// The next cells to split.
    fn next(&mut self) -> Vec<Cell> {
        let mut batch = Vec::new();
        while batch.len() < BATCH {
            let cell = match self.stack.pop() {
                Some(cell) => cell,
                None => match self.open.pop_last() {
                    Some((_, cell)) => cell,
                    None => break,
                },
            };
            self.bytes -= cell.size();
            if cell.bound <= self.satisfied + self.tolerance {
                self.leave(cell);
            } else {
                batch.push(cell);
            }
        }
        batch
    }

    /// Nothing of what is open can be better than what is known: done.
    fn drop_beaten(&mut self) {
        let greatest = self.open.last_key_value().map_or(0, |(key, _)| key.0);
        if greatest <= self.satisfied + self.tolerance && self.stack.is_empty() {
            while let Some((_, cell)) = self.open.pop_first() {
                self.bytes -= cell.size();
                self.leave(cell);
            }
        }
    }

    /// Closes a cell.
    fn leave(&mut self, cell: Cell) {
        self.closed = self.closed.max(cell.bound);
        if self.board.records_proof {
            let mut conflicts = cell.wrong_together;
            conflicts.extend(cell.conflicts);
            self.tree[cell.node] = Branch::Leaf {
                wrong: cell.wrong,
                conflicts,
            };
        }
    }

    /// Takes a cell that was looked at into what is open, or closes it.
    fn take(&mut self, looked: Looked) {
        let Looked { mut cell, better } = looked;
        if let Some((parameters, satisfied)) = better
            && satisfied > self.satisfied
        {
            self.satisfied = satisfied;
            self.best = parameters;
        }
        if cell.bound <= self.satisfied + self.tolerance || cell.depth >= self.options.deepest {
            self.leave(cell);
            return;
        }
        cell.values.shrink_to_fit();
        self.bytes += cell.size();
        self.turn += 1;
        if self.bytes > self.options.memory {
            self.stack.push(cell);
        } else {
            let key = (cell.bound, cell.depth, u64::MAX - self.turn);
            self.open.insert(key, cell);
        }
    }

    fn bound(&self) -> usize {
        let open = self.open.last_key_value().map_or(0, |(key, _)| key.0);
        let stacked = self.stack.iter().map(|cell| cell.bound).max().unwrap_or(0);
        open.max(stacked).max(self.closed).max(self.satisfied)
    }

    /// Splits a cell and looks at both halves; `None` if it cannot be split.
    fn split(&self, cell: &Cell) -> Option<(Cut, [Looked; 2])> {
        let cut = cell.cut(&self.board)?;
        let half = |replaced| self.look(cell.half(&self.board, cut, replaced));
        Some((cut, [cut.b, cut.a].map(half)))
    }

    /// Bounds a cell as well as can be done without splitting it.
    fn look(&self, mut cell: Cell) -> Looked {
        let mut known = Known {
            board: &self.board,
            satisfied: self.satisfied,
            better: None,
        };
        if cell.bound > known.satisfied + self.tolerance {
            known.try_centre(&cell);
        }
        let mut game = Game::default();
        if cell.bound > known.satisfied + self.tolerance {
            self.pack(&mut cell, known.satisfied + self.tolerance, &mut game);
        }
        if cell.bound > known.satisfied + self.tolerance {
            self.close(&mut cell, &mut known, &mut game);
        }
        Looked {
            better: known.better.map(|better| (better, known.satisfied)),
            cell,
        }
    }

    /// Lowers a cell's bound by disjoint conflicts, to `floor` if that is possible.
    fn pack(&self, cell: &mut Cell, floor: usize, game: &mut Game) {
        let counted = cell.certain + cell.blocks.len();
        let n_rows = cell.rows.len();
        let need = counted.saturating_sub(floor);
        let is_small = n_rows <= self.options.rows_in_pairs;
        if need >= cell.blocks.len() && is_small {
            return;
        }
        let mut packing = greedy::pairs(cell, &self.board, need);
        if packing.at_least < need && is_small {
            packing = packing::pairs(cell, &self.board);
        }
        if packing.at_least < need && n_rows <= self.options.rows_in_games {
            let swaps = self.options.swaps;
            packing::extend(&mut packing, need, cell, &self.board, game, swaps);
        }
        if counted - packing.at_least < cell.bound {
            cell.bound = counted - packing.at_least;
            cell.conflicts = packing.conflicts();
        }
    }

    /// Lowers a cell's bound to what is known where few blocks may be dropped.
    fn close(&self, cell: &mut Cell, known: &mut Known<'_>, game: &mut Game) {
        let counted = cell.certain + cell.blocks.len();
        while cell.rows.len() <= self.options.rows_in_games {
            let floor = known.satisfied + self.tolerance;
            if counted <= floor {
                // What was found meanwhile is as good.
                cell.bound = cell.bound.min(counted);
                return;
            }
            let allowed = counted - floor - 1;
            if allowed > self.options.drops {
                return;
            }
            let leaf = Leaf {
                cell,
                board: &self.board,
                game,
                effort: self.options.games,
                conflicts: Vec::new(),
            };
            match leaf.close(allowed) {
                Closed::Yes(conflicts) => {
                    cell.bound = cell.bound.min(floor);
                    cell.conflicts = conflicts;
                    return;
                }
                Closed::Better(shares) if known.try_point(cell, &shares) => {}
                Closed::Better(_) | Closed::Open => return,
            }
        }
    }

    fn answer(mut self) -> Answer {
        let bound = self.bound();
        let open = std::mem::take(&mut self.open).into_values();
        for cell in open.chain(std::mem::take(&mut self.stack)) {
            self.leave(cell);
        }
        let proof = if self.board.records_proof {
            Proof::Cells(steps(self.tree))
        } else {
            Proof::Search(
                "a complete search over cells of the simplex, of which nothing was kept".into(),
            )
        };
        Answer {
            parameters: self.best,
            satisfied: self.satisfied,
            bound,
            proof,
        }
    }
}

/// How many undecided blocks are satisfied at a point, by shares of the generators.
fn satisfied_at(cell: &Cell, board: &Board<'_>, shares: &[f64]) -> usize {
    let positive = |row: usize| {
        let (mut sum, mut size) = (0.0, 0.0);
        for (value, share) in cell.row(row, board).iter().zip(shares) {
            let term = value * share;
            sum += term;
            size += term.abs();
        }
        sum > super::ROUNDING * size
    };
    (0..cell.blocks.len())
        .filter(|&place| cell.rows_of(place).all(positive))
        .count()
}

/// The tree in depth-first order.
fn steps(tree: Vec<Branch>) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut waiting = vec![0];
    while let Some(node) = waiting.pop() {
        match &tree[node] {
            Branch::Open => steps.push(Step::Leaf {
                wrong: Vec::new(),
                conflicts: Vec::new(),
            }),
            Branch::Leaf { wrong, conflicts } => steps.push(Step::Leaf {
                wrong: wrong.clone(),
                conflicts: conflicts.clone(),
            }),
            Branch::Split { cut, first } => {
                steps.push(Step::Split {
                    a: cut.a,
                    b: cut.b,
                    at: cut.true_at,
                });
                waiting.extend([first + 1, *first]);
            }
        }
    }
    steps
}
