//! Good parameters before the engine is asked, by line searches on few rows: what is listed around them is what matters.

use super::growing::Growing;
use crate::{
    attack::learned::{
        competitors::{Room, Wanted},
        starts::{self, starts},
    },
    optimize::subsystem::{Watch, line_search},
};

/// Nearest competitors of each seeker that a relaxation begins with.
const FIRST: usize = 3;

/// Rounds of line searches before the engine is asked.
const ROUNDS: usize = 12;

/// Points around the best at which the relaxation is made exact before the engine is asked.
const AROUND: usize = 8;

/// Blocks on which line searches are done; of more a part is taken.
const SEARCHED: usize = 20_000;

/// Blocks up to which competitors are listed for all of them before that; of more, for the part alone.
const LISTED: usize = 200_000;

impl Growing<'_> {
    /// Finds good parameters by line searches, and competitors that matter around them.
    pub(super) fn warm_up(&mut self, watch: &dyn Watch) {
        if self.blocks.len() > LISTED {
            self.listed_one_in = self.searched_one_in();
        }
        self.search_lines(watch);
        let listed_one_in = std::mem::replace(&mut self.listed_one_in, 1);
        if listed_one_in > 1 && !watch.stops() {
            let best = self.parameters.clone();
            let nearest = self.nearest(&best, watch);
            self.list(nearest);
            self.consider(&best, watch);
        }
    }

    /// Line searches are done on one in so many blocks.
    fn searched_one_in(&self) -> usize {
        self.blocks.len().div_ceil(SEARCHED).max(1)
    }

    /// Line searches, each followed by a count and a look for competitors that are missing.
    fn search_lines(&mut self, watch: &dyn Watch) {
        let first = self.parameters.clone();
        let nearest = self.nearest(&first, watch);
        self.list(nearest);
        if watch.stops() {
            return;
        }
        self.consider(&first, watch);
        let mut from = starts(self.family, self.differences, &self.partners());
        let (rounds, restarts) = if self.problem.space.is_simplex && self.blocks.len() <= SEARCHED {
            (ROUNDS, 4)
        } else {
            (ROUNDS / 2, 1)
        };
        for _ in 0..rounds {
            if watch.stops() {
                return;
            }
            from.insert(0, self.parameters.clone());
            let (found, _) = self.search(&from, restarts, watch);
            from.remove(0);
            let before = self.problem.rows.n_rows();
            self.consider(&found, watch);
            // A few rows more change little.
            if self.problem.rows.n_rows() <= before + before / 1000 {
                break;
            }
        }
        if self.all_rows.is_some() {
            return;
        }
        let around = if self.blocks.len() <= SEARCHED {
            AROUND
        } else {
            AROUND / 2
        };
        for turn in 0..around {
            if watch.stops() {
                return;
            }
            let around = starts::around(self.family, &self.parameters, turn);
            self.consider(&around, watch);
        }
    }

    fn partners(&self) -> Vec<(u32, u32)> {
        let blocks = self
            .blocks
            .iter()
            .map(|block| (block.seeker, block.partner));
        blocks.collect()
    }

    /// A line search; of many blocks over a part of them, evenly taken.
    fn search(&self, from: &[Vec<f64>], restarts: usize, watch: &dyn Watch) -> (Vec<f64>, usize) {
        let every = self.searched_one_in();
        if every == 1 {
            return line_search::improve(&self.problem, from, restarts, watch);
        }
        let part = self
            .problem
            .of_blocks((0..self.blocks.len()).step_by(every));
        line_search::improve(&part, from, restarts, watch)
    }

    /// For each block, the nearest competitors of its seeker; none where they are not listed, or once the watch has stopped.
    fn nearest(&self, parameters: &[f64], watch: &dyn Watch) -> Vec<(usize, Vec<u32>)> {
        let nearest = |room: &mut Room, place: usize| {
            let block = &self.blocks[place];
            let pair = [block.seeker as usize, block.partner as usize];
            let found = if !self.is_listed(place) || watch.stops() {
                Vec::new()
            } else {
                (self.competitors).nearest(pair, parameters, FIRST, Wanted::Nearest, room)
            };
            (
                place,
                found
                    .into_iter()
                    .map(|(_, competitor)| competitor)
                    .collect(),
            )
        };
        self.competitors.of_each(&self.order, nearest)
    }
}
