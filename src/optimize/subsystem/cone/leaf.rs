//! The end of a cell in which few blocks may be dropped: which ones, by conflicts.

use super::{
    cell::{Board, Cell, Combination},
    game::Game,
    packing::{Together, together},
};

/// What a leaf has come to.
pub(super) enum Closed {
    /// No parameters inside satisfy more than was asked; by these conflicts.
    Yes(Vec<Combination>),
    /// Shares of the generators of a point where more blocks are satisfied.
    Better(Vec<f64>),
    /// Not decided within the effort.
    Open,
}

/// The search for a set of blocks to drop so that all others are satisfied together.
///
/// ```text
/// blocks in a conflict: one of them is dropped, the ones before it are kept
/// disjoint conflicts among the others: each costs a block
/// ```
pub(super) struct Leaf<'a> {
    pub cell: &'a Cell,
    pub board: &'a Board<'a>,
    pub game: &'a mut Game,
    /// Games that may still be played.
    pub effort: usize,
    pub conflicts: Vec<Combination>,
}

impl Leaf<'_> {
    /// Whether at most `allowed` blocks can be dropped so that all others are satisfied.
    pub fn close(mut self, allowed: usize) -> Closed {
        let all = vec![true; self.cell.blocks.len()];
        let none = vec![false; self.cell.blocks.len()];
        match self.search(all, none, allowed) {
            Found::Nothing => Closed::Yes(self.conflicts),
            Found::Point(shares) => Closed::Better(shares),
            Found::Unknown => Closed::Open,
        }
    }

    fn search(&mut self, active: Vec<bool>, mut kept: Vec<bool>, allowed: usize) -> Found {
        let mut rest = active.clone();
        let mut smallest: Option<Vec<usize>> = None;
        let mut disjoint = 0;
        loop {
            if self.effort == 0 {
                return Found::Unknown;
            }
            self.effort -= 1;
            match together(self.cell, self.board, &rest, self.game) {
                Together::Unknown => return Found::Unknown,
                Together::At(shares) => {
                    if disjoint == 0 {
                        return Found::Point(shares);
                    }
                    break;
                }
                Together::Never(blocks, combination) => {
                    disjoint += 1;
                    if self.board.records_proof {
                        self.conflicts.push(combination);
                    }
                    let droppable: Vec<usize> =
                        blocks.into_iter().filter(|&block| !kept[block]).collect();
                    if disjoint > allowed || droppable.is_empty() {
                        return Found::Nothing;
                    }
                    for &block in &droppable {
                        rest[block] = false;
                    }
                    if smallest
                        .as_ref()
                        .is_none_or(|least| droppable.len() < least.len())
                    {
                        smallest = Some(droppable);
                    }
                }
            }
        }
        for block in smallest.unwrap_or_default() {
            let mut without = active.clone();
            without[block] = false;
            match self.search(without, kept.clone(), allowed - 1) {
                Found::Nothing => kept[block] = true,
                found => return found,
            }
        }
        Found::Nothing
    }
}

enum Found {
    Nothing,
    Point(Vec<f64>),
    Unknown,
}
