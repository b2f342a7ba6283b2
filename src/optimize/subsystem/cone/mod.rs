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
mod leaf;
mod packing;

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::proof::Cell as Step;
use super::{Answer, Problem, Proof, Start, Watch, line_search};
use cell::{Board, Cell, Combination};
use game::Game;
use leaf::{Closed, Leaf};

/// Beyond so many parameters nothing is searched.
const MOST_PARAMETERS: usize = 24;

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
    /// Restarts of the line search at the beginning.
    pub restarts: usize,
    /// Rows of a cell up to which pairs of blocks are compared.
    pub rows_in_pairs: usize,
    /// Rows of a cell up to which games are played.
    pub rows_in_games: usize,
    /// Games that may be played to close a cell.
    pub games: usize,
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
            rows_in_pairs: 600,
            rows_in_games: 400,
            games: 100,
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
    let starts: Vec<Vec<f64>> = start.parameters.into_iter().collect();
    let (parameters, satisfied) = line_search::improve(problem, &starts, options.restarts, watch);
    if !problem.space.is_simplex || width > MOST_PARAMETERS || width == 0 {
        return Answer {
            parameters,
            satisfied,
            bound: n_blocks,
            proof: Proof::Search("nothing but the number of records".into()),
        };
    }
    let mut search = Search {
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
        tree: vec![Node::Open],
    };
    search.run(watch);
    search.answer()
}

/// A node of the tree, as far as it is kept.
#[derive(Debug, Clone)]
enum Node {
    /// Nothing is known but what was known above.
    Open,
    Leaf {
        wrong: Vec<usize>,
        conflicts: Vec<Combination>,
    },
    Split {
        a: usize,
        b: usize,
        at: f64,
        /// The first half; the second follows it.
        first: usize,
    },
}

struct Search<'a> {
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
    tree: Vec<Node>,
}

/// A cell that was looked at.
struct Looked {
    cell: Cell,
    /// What closes it.
    closed: Option<Vec<Combination>>,
    /// Better parameters.
    better: Option<(Vec<f64>, usize)>,
}

impl Search<'_> {
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
            let split: Vec<_> = batch.into_par_iter().map(|cell| self.split(cell)).collect();
            for result in split {
                match result {
                    Ok((node, step, halves)) => {
                        if self.board.records_proof {
                            self.tree[node] = step;
                            let first = self.tree.len();
                            if let Node::Split { first: place, .. } = &mut self.tree[node] {
                                *place = first;
                            }
                            self.tree.extend([Node::Open, Node::Open]);
                        }
                        let first = self.tree.len().saturating_sub(2);
                        for (half, mut looked) in halves.into_iter().enumerate() {
                            looked.cell.node = first + half;
                            self.take(looked);
                        }
                    }
                    // It cannot be split: it stays as it is.
                    Err(cell) => self.closed = self.closed.max(cell.bound),
                }
            }
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
                self.leave(cell, Vec::new());
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
                self.leave(cell, Vec::new());
            }
        }
    }

    /// Closes a cell.
    fn leave(&mut self, cell: Cell, conflicts: Vec<Combination>) {
        self.closed = self.closed.max(cell.bound);
        if self.board.records_proof {
            let mut all = cell.wrong_together;
            all.extend(conflicts);
            self.tree[cell.node] = Node::Leaf {
                wrong: cell.wrong,
                conflicts: all,
            };
        }
    }

    /// Takes a cell that was looked at into what is open, or closes it.
    fn take(&mut self, looked: Looked) {
        let Looked {
            mut cell,
            closed,
            better,
        } = looked;
        if let Some((parameters, satisfied)) = better
            && satisfied > self.satisfied
        {
            self.satisfied = satisfied;
            self.best = parameters;
        }
        if let Some(conflicts) = closed {
            self.leave(cell, conflicts);
            return;
        }
        if cell.depth >= self.options.deepest {
            self.leave(cell, Vec::new());
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

    /// Splits a cell and looks at both halves; the cell itself if it cannot be split.
    fn split(&self, cell: Cell) -> Result<(usize, Node, [Looked; 2]), Cell> {
        let Some(cut) = cell.cut(&self.board) else {
            return Err(cell);
        };
        let step = Node::Split {
            a: cut.a,
            b: cut.b,
            at: cut.true_at,
            first: 0,
        };
        let halves =
            [cut.b, cut.a].map(|replaced| self.look(cell.half(&self.board, cut, replaced)));
        Ok((cell.node, step, halves))
    }

    /// Tries to close a cell.
    fn look(&self, mut cell: Cell) -> Looked {
        let board = &self.board;
        let mut satisfied = self.satisfied;
        let mut better = None;
        let mut try_point =
            |shares: &mut dyn Iterator<Item = f64>, satisfied: &mut usize, cell: &Cell| {
                let point = cell.point(shares, board.width);
                let count = board.problem.count(&point);
                let is_better = count > *satisfied;
                if is_better {
                    *satisfied = count;
                    better = Some((point, count));
                }
                is_better
            };
        let floor = |satisfied: usize| satisfied + self.tolerance;
        if cell.bound > floor(satisfied) {
            let shares: Vec<f64> = cell
                .generators
                .chunks_exact(board.width)
                .map(|generator| 1.0 / generator.iter().sum::<f64>())
                .collect();
            if cell.certain + satisfied_at(&cell, board, &shares) > satisfied {
                try_point(&mut shares.into_iter(), &mut satisfied, &cell);
            }
        }
        let mut closed = None;
        let n_rows = cell.rows.len();
        let n_blocks = cell.blocks.len();
        let mut game = Game::default();
        let counted = cell.certain + n_blocks;
        if cell.bound <= floor(satisfied) {
            closed = Some(Vec::new());
        } else if n_rows <= self.options.rows_in_pairs && counted <= floor(satisfied) + n_blocks {
            let need = counted - floor(satisfied);
            let mut packing = packing::pairs(&cell, board);
            if packing.at_least < need && n_rows <= self.options.rows_in_games {
                packing::extend(&mut packing, need, &cell, board, &mut game);
            }
            cell.bound = cell.bound.min(counted - packing.at_least);
            if packing.at_least >= need {
                closed = Some(packing.conflicts);
            }
        }
        while closed.is_none() && n_rows <= self.options.rows_in_games {
            let allowed = counted - floor(satisfied) - 1;
            if counted <= floor(satisfied) || allowed > self.options.drops {
                break;
            }
            let leaf = Leaf {
                cell: &cell,
                board,
                game: &mut game,
                effort: self.options.games,
                conflicts: Vec::new(),
            };
            match leaf.close(allowed) {
                Closed::Yes(conflicts) => {
                    cell.bound = cell.bound.min(floor(satisfied));
                    closed = Some(conflicts);
                }
                Closed::Better(shares) => {
                    if !try_point(&mut shares.into_iter(), &mut satisfied, &cell) {
                        break;
                    }
                    if counted <= floor(satisfied) {
                        closed = Some(Vec::new());
                    }
                }
                Closed::Open => break,
            }
        }
        Looked {
            cell,
            closed,
            better,
        }
    }

    fn answer(self) -> Answer {
        let bound = self.bound();
        let proof = match self.board.records_proof {
            true => Proof::Cells(steps(self.tree)),
            false => Proof::Search(
                "a complete search over cells of the simplex, of which nothing was kept".into(),
            ),
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
fn steps(tree: Vec<Node>) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut waiting = vec![0];
    while let Some(node) = waiting.pop() {
        match &tree[node] {
            Node::Open => steps.push(Step::Leaf {
                wrong: Vec::new(),
                conflicts: Vec::new(),
            }),
            Node::Leaf { wrong, conflicts } => steps.push(Step::Leaf {
                wrong: wrong.clone(),
                conflicts: conflicts.clone(),
            }),
            Node::Split { a, b, at, first } => {
                steps.push(Step::Split {
                    a: *a,
                    b: *b,
                    at: *at,
                });
                waiting.extend([first + 1, *first]);
            }
        }
    }
    steps
}
