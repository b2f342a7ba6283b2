//! A relaxation that grows: some competitors of each seeker, more of them as parameters are found by which others are nearer.

use rayon::prelude::*;

use super::{Learned, half_spaces::lifted};
use crate::{
    attack::learned::{
        CENTRED_UP_TO,
        competitors::{Competitors, Room, Sure, Wanted},
        differences::Differences,
        family::{Family, Scratch},
        presolve::{self, compare, signs},
        ranges, satisfied_blocks,
        starts::inside,
    },
    distance::Doubt,
    optimize::subsystem::{Answer, Conflict, Patient, Problem, Proof, Rows, Space, Watch},
};

/// Competitors of a seeker that are added at once.
const MORE: usize = 2;

/// A seeker with the competitors that were listed.
#[derive(Debug, Clone)]
pub(super) struct Block {
    pub(super) seeker: u32,
    pub(super) partner: u32,
    pub(super) competitors: Vec<u32>,
}

/// A relaxation that grows.
pub(super) struct Growing<'a> {
    pub(super) differences: &'a Differences<'a>,
    pub(super) family: Family,
    /// The blocks in an order in which searches follow each other well.
    pub(super) order: Vec<u32>,
    pub(super) competitors: &'a Competitors<&'a Differences<'a>>,
    pub(super) blocks: Vec<Block>,
    never: Vec<(u32, u32)>,
    /// Those without competitors of a complete list, with their partners.
    pub(super) always: Vec<(u32, u32)>,
    /// Competitors are listed for one block in so many: for all, unless line searches use a part of them or time is over.
    pub(super) listed_one_in: usize,
    /// All rows that matter, where they are few enough.
    pub(super) all_rows: Option<Rows>,
    /// Whether the problem has them.
    pub(super) is_complete: bool,
    /// The rows of the blocks as they are now.
    pub(super) problem: Problem,
    pub(super) pairs: Vec<(u32, u32)>,
    /// The best parameters by the count over all pairs.
    pub(super) parameters: Vec<f64>,
    pub(super) satisfied: usize,
    /// The least bound, with the always linked.
    pub(super) bound: usize,
    /// What it rests on.
    proof: Proof,
    /// The problem that it speaks of, if it has grown since, with the number of its half-spaces.
    pub(super) proven: Option<Problem>,
    /// Conflicts of the problem as it is now.
    pub(super) conflicts: Vec<Conflict>,
}

/// What parameters come to over all pairs.
struct Counted {
    satisfied: usize,
    /// Blocks that the problem takes for satisfied, with competitors that are nearer.
    violated: Vec<(usize, Vec<u32>)>,
    /// Whether some competitor that only gains is as near as the partner: weights of 0 make it so.
    ties_at_zero: bool,
}

impl<'a> Growing<'a> {
    pub(super) fn new(space: Space, competitors: &'a Competitors<&'a Differences<'a>>) -> Self {
        let (differences, family) = (competitors.differences, competitors.family);
        let n = differences.n_attributes();
        Self {
            differences,
            family,
            order: Vec::new(),
            competitors,
            blocks: Vec::new(),
            never: Vec::new(),
            always: Vec::new(),
            listed_one_in: 1,
            all_rows: None,
            is_complete: false,
            problem: Problem {
                space,
                rows: Rows::new(),
            },
            pairs: Vec::new(),
            parameters: inside(family, n),
            satisfied: 0,
            bound: 0,
            proof: Proof::Search("the records that are never linked".into()),
            proven: None,
            conflicts: Vec::new(),
        }
    }

    /// Lists all rows that matter, but keeps them for later: line searches need few.
    pub(super) fn list_all(&mut self, partners: &[Option<u32>]) {
        let presolved = presolve::all_rows(self.differences, self.family, partners);
        let partner = |seeker: u32| partners[seeker as usize].unwrap_or(u32::MAX);
        let blocks = presolved.block_seekers.iter().map(|&seeker| Block {
            seeker,
            partner: partner(seeker),
            competitors: Vec::new(),
        });
        self.blocks = blocks.collect();
        self.never = presolved.never;
        let always = presolved.always.into_iter();
        self.always = always.map(|seeker| (seeker, partner(seeker))).collect();
        self.all_rows = Some(presolved.rows);
        self.list_rows();
    }

    /// Takes the complete list of rows, if there is one.
    pub(super) fn complete(&mut self) {
        let Some(rows) = self.all_rows.take() else {
            return;
        };
        for (place, block) in self.blocks.iter_mut().enumerate() {
            block.competitors = rows.of_block(place).map(|row| rows.label(row)).collect();
        }
        self.problem.rows = rows;
        self.is_complete = true;
    }

    /// Finds out who is never linked; of the others no competitors are listed.
    pub(super) fn list_none(&mut self, partners: &[Option<u32>]) {
        let fate = |room: &mut Room, seeker: usize| {
            let partner = partners[seeker]? as usize;
            if self.family.is_monotone() {
                self.competitors.never_beaten(seeker, partner, room)
            } else {
                None
            }
        };
        let order = self.competitors.order(partners);
        let fates = self.competitors.of_each(&order, fate);
        for (seeker, (fate, partner)) in (0_u32..).zip(fates.into_iter().zip(partners)) {
            match (fate, partner) {
                (_, None) => {}
                (Some(competitor), _) => self.never.push((seeker, competitor)),
                (None, &Some(partner)) => self.blocks.push(Block {
                    seeker,
                    partner,
                    competitors: Vec::new(),
                }),
            }
        }
        self.list_rows();
    }

    /// Makes the problem's rows from the listed competitors.
    fn list_rows(&mut self) {
        if self.order.len() != self.blocks.len() {
            let partners = self.blocks.iter().map(|block| Some(block.partner));
            self.order = self.competitors.order(&partners.collect::<Vec<_>>());
        }
        let mut rows = Rows::new();
        let mut scratch = Scratch::new(self.differences.n_attributes());
        let mut row = Vec::new();
        for block in &self.blocks {
            rows.push_block();
            let (seeker, partner) = (block.seeker as usize, block.partner as usize);
            for &label in &block.competitors {
                let competitor = label as usize;
                let scratch = &mut scratch;
                self.family.row(
                    self.differences,
                    seeker,
                    partner,
                    competitor,
                    scratch,
                    &mut row,
                );
                rows.push_row(label, &row);
            }
        }
        self.problem.rows = rows;
    }

    /// Counts parameters over all pairs, and tells the watch how long that took; `None` if the watch stops meanwhile.
    fn count(&self, parameters: &[f64], watch: &dyn Watch) -> Option<Counted> {
        let began = watch.seconds_left();
        let counted = self.count_all(parameters, watch)?;
        if let (Some(before), Some(after)) = (began, watch.seconds_left()) {
            watch.counted(before - after);
        }
        Some(counted)
    }

    fn count_all(&self, parameters: &[f64], watch: &dyn Watch) -> Option<Counted> {
        let sure = self.sure(parameters);
        let violated = |room: &mut Room, place: usize| {
            // Who is not linked among some is not among all.
            if watch.stops() || !self.problem.satisfies(place, parameters) {
                return None;
            }
            let block = &self.blocks[place];
            match sure.as_ref().map(|sure| sure[block.seeker as usize]) {
                Some(Sure::Linked) => return Some((place, Vec::new())),
                Some(Sure::Beaten) if !self.is_listed(place) => return None,
                _ => {}
            }
            let pair = [block.seeker as usize, block.partner as usize];
            let found = (self.competitors).nearest(pair, parameters, MORE, Wanted::Violating, room);
            let nearer: Vec<u32> = found
                .into_iter()
                .map(|(_, competitor)| competitor)
                .collect();
            Some((place, nearer))
        };
        let blocks = self.competitors.of_each(&self.order, violated);
        let room = || Room::new(self.differences.n_attributes());
        let always = self
            .always
            .par_iter()
            .map_init(room, |room, &(seeker, partner)| {
                self.competitors
                    .links(seeker as usize, partner as usize, parameters, room)
            });
        let always_linked = always.filter(|&linked| linked).count();
        if watch.stops() {
            return None;
        }
        let (linked, mut violated): (Vec<_>, Vec<_>) = blocks
            .into_iter()
            .flatten()
            .partition(|(_, nearer)| nearer.is_empty());
        let mut ties_at_zero = always_linked < self.always.len();
        for (place, nearer) in &mut violated {
            let before = nearer.len();
            nearer.retain(|&competitor| self.matters(*place, competitor));
            ties_at_zero |= nearer.len() < before;
        }
        Some(Counted {
            satisfied: linked.len() + always_linked,
            violated,
            ties_at_zero,
        })
    }

    /// What is certain about each seeker ([`Competitors::sure`]).
    fn sure(&self, parameters: &[f64]) -> Option<Vec<Sure>> {
        let mut partners = vec![None; self.differences.n_seekers()];
        for block in &self.blocks {
            partners[block.seeker as usize] = Some(block.partner);
        }
        self.competitors
            .sure(&partners, parameters, |_| Doubt::NONE)
    }

    /// Whether the competitors of a block are searched for in order to list them.
    pub(super) fn is_listed(&self, place: usize) -> bool {
        place.is_multiple_of(self.listed_one_in)
    }

    /// Whether a competitor's row says anything: it loses somewhere.
    fn matters(&self, place: usize, competitor: u32) -> bool {
        if !self.family.is_monotone() {
            return true;
        }
        let block = &self.blocks[place];
        let of = [block.seeker, block.partner, competitor].map(|record| record as usize);
        let mut scratch = Scratch::new(self.differences.n_attributes());
        let mut margins = Vec::new();
        compare(
            self.differences,
            self.family,
            of,
            &mut scratch,
            &mut margins,
        );
        signs(&margins).1
    }

    /// Counts parameters; keeps them if they are the best, and lists the competitors that were missing. Returns whether there were any. If
    /// the watch stops before the end of the count, nothing changes.
    pub(super) fn consider(&mut self, parameters: &[f64], watch: &dyn Watch) -> bool {
        let Some(counted) = self.count(parameters, watch) else {
            return false;
        };
        let ties = counted.ties_at_zero;
        let mut parameters = parameters.to_vec();
        let mut satisfied = counted.satisfied;
        let mut grew = self.list(counted.violated);
        if self.family == Family::BilinearNonNegative {
            let (pairs, lift) = self.negative_pairs(&parameters);
            grew |= self.list_half_spaces(pairs);
            if lift > 0.0 {
                parameters = lifted(&parameters, lift, self.differences.n_attributes());
                let lifted = self.count(&parameters, watch);
                satisfied = lifted.map_or(0, |counted| counted.satisfied);
            }
        }
        self.keep(&parameters, satisfied);
        if ties {
            // Weights of 0 are raised by so little that nobody is lost.
            let centre = inside(self.family, self.differences.n_attributes());
            for share in [1e-9, 1e-7, 1e-5] {
                let mixed = parameters.iter().zip(&centre);
                let mixed: Vec<f64> = mixed.map(|(p, c)| (1.0 - share) * p + share * c).collect();
                let Some(counted) = self.count(&mixed, watch) else {
                    break;
                };
                self.keep(&mixed, counted.satisfied);
                grew |= self.list(counted.violated);
            }
        }
        grew
    }

    fn keep(&mut self, parameters: &[f64], satisfied: usize) {
        if satisfied > self.satisfied {
            self.satisfied = satisfied;
            self.parameters = parameters.to_vec();
        }
    }

    /// Adds competitors to blocks, and their rows to the problem. Whether there were new ones.
    pub(super) fn list(&mut self, more: Vec<(usize, Vec<u32>)>) -> bool {
        let mut grew = false;
        let before: Vec<usize> = self
            .blocks
            .iter()
            .map(|block| block.competitors.len())
            .collect();
        for (place, competitors) in more {
            for competitor in competitors {
                let is_new = !self.blocks[place].competitors.contains(&competitor)
                    && self.matters(place, competitor);
                if is_new {
                    self.blocks[place].competitors.push(competitor);
                    grew = true;
                }
            }
        }
        if grew {
            let old = std::mem::take(&mut self.problem.rows);
            self.list_rows();
            // Conflicts name rows: those of later blocks have moved on.
            let mut moved = Vec::with_capacity(before.len());
            let mut shift = 0;
            for (block, had) in self.blocks.iter().zip(before) {
                moved.push(shift);
                shift += block.competitors.len() - had;
            }
            for conflict in &mut self.conflicts {
                for (row, _) in &mut conflict.rows {
                    *row += moved[old.block_of(*row)];
                }
            }
            if self.proven.is_none() {
                self.proven = Some(Problem {
                    space: self.problem.space.clone(),
                    rows: old,
                });
            }
        }
        grew
    }

    /// Takes an engine's answer: its bound, its conflicts, its parameters. Whether the problem has grown.
    pub(super) fn hear(&mut self, answer: Answer, watch: &dyn Watch) -> bool {
        let bound = answer.bound + self.always.len();
        if let Proof::Covering { conflicts, .. } = &answer.proof {
            self.conflicts.clone_from(conflicts);
        }
        if bound <= self.bound {
            self.bound = bound;
            self.proof = answer.proof;
            self.proven = None;
        }
        // What the engine found is counted even if time is over, but competitors are of no use any more.
        if watch.stops() {
            self.listed_one_in = usize::MAX;
        }
        if self.consider(&answer.parameters, &Patient) {
            return true;
        }
        // The engine knows nothing of competitors that lose nowhere. They are beaten strictly wherever the distance grows strictly with every
        // difference, and of what satisfies these blocks something does.
        let blocks = satisfied_blocks(&self.problem, &answer.parameters);
        let promised = blocks.len() + self.always.len();
        if self.family.is_monotone()
            && self.satisfied < promised
            && blocks.len() <= CENTRED_UP_TO
            && let Some((inside, _)) = ranges::centre_inside(&self.problem, &blocks, watch)
        {
            return self.consider(&inside, &Patient);
        }
        false
    }

    pub(super) fn learned(self) -> Learned {
        let problem = self.proven.unwrap_or(self.problem);
        let mut pairs = self.pairs;
        pairs.truncate(problem.space.half_spaces.len());
        Learned {
            parameters: self.parameters,
            satisfied: self.satisfied,
            bound: self.bound.max(self.satisfied),
            proof: self.proof,
            problem,
            block_seekers: self.blocks.iter().map(|block| block.seeker).collect(),
            never: self.never,
            always: self.always.into_iter().map(|(seeker, _)| seeker).collect(),
            pairs,
        }
    }
}
