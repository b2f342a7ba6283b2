//! Learning a distance: from two aligned files to the best parameters and a bound that nothing exceeds.

use std::collections::BTreeSet;

use rayon::prelude::*;

use super::{
    CENTRED_UP_TO,
    competitors::{Competitors, Room, Wanted},
    differences::Differences,
    exactly::Exactly,
    family::{Family, Scratch},
    presolve::{self, compare, signs},
    ranges, satisfied_blocks,
    starts::{additive, identity, inside, starts},
};
use crate::{
    error::Result,
    optimize::subsystem::{
        Answer, Conflict, MARGIN, Problem, Proof, Rows, Space, SparseRow, Start, Watch, line_search,
    },
};

/// Most pairs times attributes of which all rows are listed at once.
const MAX_LISTED: usize = 9_000_000;

/// Attributes up to which most rows of a thousand records follow from few others.
const FEW_ATTRIBUTES: usize = 8;

/// Nearest competitors of each seeker that a relaxation begins with.
const FIRST: usize = 3;

/// Competitors of a seeker that are added at once.
const MORE: usize = 2;

/// Rounds of line searches before the engine is asked.
const ROUNDS: usize = 12;

/// Points around the best at which the relaxation is made exact before the engine is asked.
const AROUND: usize = 8;

/// Blocks on which line searches are done; of more a part is taken.
const SEARCHED: usize = 20_000;

/// Half-spaces that are added at once.
const MAX_HALF_SPACES: usize = 500;

/// The best distance of a family, and why there is none better.
#[derive(Debug, Clone)]
pub struct Learned {
    /// The parameters, in the family's space.
    pub parameters: Vec<f64>,
    /// How many seekers they link: all competitors are farther than the partner by more than rounding. Counted over all pairs.
    pub satisfied: usize,
    /// No parameters of the family link more (by more than rounding: [`crate::optimize::subsystem`]).
    pub bound: usize,
    /// Why: of `problem`, to whose bound the seekers of `always` come.
    pub proof: Proof,
    /// The problem that the proof speaks of. Each row is one of the competitors of its block's seeker, and is called
    /// ([`Rows::label`]) by the sought record's number. It need not hold all competitors: a bound for some holds for all.
    pub problem: Problem,
    /// The seeker of each block.
    pub block_seekers: Vec<u32>,
    /// Seekers that no parameters link, each with a competitor that is nowhere farther than the partner.
    pub never: Vec<(u32, u32)>,
    /// Seekers that no competitor stands against. Together with the blocks, the never linked and those without a partner these
    /// are all.
    pub always: Vec<u32>,
    /// For `sb-nc`: the pair (seeker, sought) of each listed half-space of `problem`, in order.
    pub pairs: Vec<(u32, u32)>,
}

/// Finds the parameters that link the most seekers to their partners (`partners[seeker]`; `None`: no partner, never linked).
///
/// `engine` solves a problem, from a start with what is known already: the best parameters, conflicts, and how much of a gap is of no matter yet
/// ([`Start::tolerance`]). Of small files all rows that matter are listed and it is asked once. Of others it is given a relaxation
/// with some competitors of each seeker:
///
/// ```text
/// the nearest competitors at several parameters
/// repeat: solve; count the parameters over all pairs; add the competitors that are nearer than the partner
/// until bound = count
/// ```
///
/// Any bound of a relaxation holds for all rows; any count is one of all pairs. When the watch stops, the least bound and the
/// best count so far are returned.
///
/// # Complexity
/// Memory is O(records · n + rows), also of a million records. A round counts by a k-d tree, O(records · log records) where few attributes decide; of a
/// bilinear family it looks at all pairs, O(records² · n²).
///
/// # Errors
/// Usage, when the family has too many parameters for this many attributes.
pub fn learn(
    differences: &Differences<'_>,
    family: Family,
    partners: &[Option<u32>],
    engine: &mut dyn FnMut(&Problem, Start) -> Answer,
    watch: &dyn Watch,
) -> Result<Learned> {
    learn_listing(differences, family, partners, engine, watch, MAX_LISTED)
}

/// Learns; of files up to `most_listed` pairs times attributes all rows are listed.
fn learn_listing(
    differences: &Differences<'_>,
    family: Family,
    partners: &[Option<u32>],
    engine: &mut dyn FnMut(&Problem, Start) -> Answer,
    watch: &dyn Watch,
    most_listed: usize,
) -> Result<Learned> {
    let space = family.space(differences.n_attributes())?;
    let competitors = Competitors::new(differences, family);
    let mut growing = Growing::new(differences, family, space, &competitors);
    if lists_all(differences, family, most_listed) {
        growing.list_all(partners)
    } else {
        growing.list_none(partners)
    }
    growing.bound = growing.blocks.len() + growing.always.len();
    if !family.is_mean() {
        // A weighted mean is of every family but the ordered one: none must find less than line searches do there.
        let mean = Family::WeightedMean;
        let space = mean.space(differences.n_attributes())?;
        let of_means = Competitors::new(differences, mean);
        let mut means = Growing::new(differences, mean, space, &of_means);
        means.list_none(partners);
        means.warm_up(watch);
        growing.consider(&additive(family, &means.parameters));
    }
    growing.warm_up(watch);
    growing.complete();
    let mut tolerance = if growing.is_complete {
        0
    } else {
        growing.blocks.len() / 100
    };
    loop {
        let start = Start {
            parameters: Some(growing.parameters.clone()),
            conflicts: std::mem::take(&mut growing.conflicts),
            tolerance,
        };
        let answer = engine(&growing.problem, start);
        let grew = growing.hear(answer, watch);
        let gap = growing.bound.saturating_sub(growing.satisfied);
        if gap == 0 || watch.stops() || (!grew && tolerance == 0) {
            return Ok(growing.learned());
        }
        // A rough bound first: it finds rows that are missing at little cost.
        if !grew || gap <= 2 * tolerance {
            tolerance = 0;
        }
    }
}

/// How many seekers these parameters link, over all pairs, when nothing is rounded: what the plain linkage counts strictly.
///
/// # Complexity
/// As a round of [`learn`].
pub fn count(
    differences: &Differences<'_>,
    family: Family,
    partners: &[Option<u32>],
    parameters: &[f64],
) -> usize {
    let competitors = Competitors::new(differences, family);
    let decides = Exactly::new(differences, family, parameters);
    partners
        .par_iter()
        .enumerate()
        .map_init(
            || Room::new(differences.n_attributes()),
            |room, (seeker, partner)| {
                partner.is_some_and(|partner| {
                    let partner = partner as usize;
                    competitors.links_exactly(seeker, partner, parameters, &decides, room)
                })
            },
        )
        .filter(|&linked| linked)
        .count()
}

/// Whether all rows are listed at once: of a monotone family with few enough pairs. A bilinear form needs few of all its rows.
fn lists_all(differences: &Differences<'_>, family: Family, most: usize) -> bool {
    let n = differences.n_attributes();
    let pairs = differences
        .n_seekers()
        .saturating_mul(differences.n_sought());
    let most = if n <= FEW_ATTRIBUTES { most } else { most / 4 };
    family.is_monotone() && pairs.saturating_mul(n) <= most
}

/// A seeker with the competitors that were listed.
#[derive(Debug, Clone)]
struct Block {
    seeker: u32,
    partner: u32,
    competitors: Vec<u32>,
}

/// A relaxation that grows.
struct Growing<'a> {
    differences: &'a Differences<'a>,
    family: Family,
    competitors: &'a Competitors<'a>,
    blocks: Vec<Block>,
    never: Vec<(u32, u32)>,
    /// Those without competitors of a complete list, with their partners.
    always: Vec<(u32, u32)>,
    /// All rows that matter, where they are few enough.
    all_rows: Option<Rows>,
    /// Whether the problem has them.
    is_complete: bool,
    /// The rows of the blocks as they are now.
    problem: Problem,
    pairs: Vec<(u32, u32)>,
    /// The best parameters by the count over all pairs.
    parameters: Vec<f64>,
    satisfied: usize,
    /// The least bound, with the always linked.
    bound: usize,
    /// What it rests on.
    proof: Proof,
    /// The problem that it speaks of, if it has grown since, with the number of its half-spaces.
    proven: Option<Problem>,
    /// Conflicts of the problem as it is now.
    conflicts: Vec<Conflict>,
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
    fn new(
        differences: &'a Differences<'a>,
        family: Family,
        space: Space,
        competitors: &'a Competitors<'a>,
    ) -> Self {
        let n = differences.n_attributes();
        Self {
            differences,
            family,
            competitors,
            blocks: Vec::new(),
            never: Vec::new(),
            always: Vec::new(),
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
    fn list_all(&mut self, partners: &[Option<u32>]) {
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
    fn complete(&mut self) {
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
    fn list_none(&mut self, partners: &[Option<u32>]) {
        let fates: Vec<Option<u32>> = partners
            .par_iter()
            .enumerate()
            .map_init(
                || Room::new(self.differences.n_attributes()),
                |room, (seeker, partner)| {
                    let partner = (*partner)? as usize;
                    if self.family.is_monotone() {
                        self.competitors.never_beaten(seeker, partner, room)
                    } else {
                        None
                    }
                },
            )
            .collect();
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

    /// Finds good parameters by line searches, and competitors that matter around them.
    fn warm_up(&mut self, watch: &dyn Watch) {
        let first = self.parameters.clone();
        let nearest = self.nearest(&first);
        self.list(nearest);
        if watch.stops() {
            return;
        }
        self.consider(&first);
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
            self.consider(&found);
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
            let around = super::starts::around(self.family, &self.parameters, turn);
            self.consider(&around);
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
        let every = self.blocks.len().div_ceil(SEARCHED).max(1);
        if every == 1 {
            return line_search::improve(&self.problem, from, restarts, watch);
        }
        let mut rows = Rows::new();
        let mut dense = vec![0.0; self.problem.space.dimension()];
        for block in (0..self.blocks.len()).step_by(every) {
            rows.push_block();
            for number in self.problem.rows.of_block(block) {
                let row = self.problem.rows.row(number);
                dense.fill(0.0);
                for (&column, &value) in row.columns.iter().zip(row.values) {
                    dense[column as usize] = value;
                }
                rows.push_row(0, &dense);
            }
        }
        let part = Problem {
            space: self.problem.space.clone(),
            rows,
        };
        line_search::improve(&part, from, restarts, watch)
    }

    /// The nearest competitors of each block's seeker.
    fn nearest(&self, parameters: &[f64]) -> Vec<(usize, Vec<u32>)> {
        self.blocks
            .par_iter()
            .enumerate()
            .map_init(
                || Room::new(self.differences.n_attributes()),
                |room, (place, block)| {
                    let pair = [block.seeker as usize, block.partner as usize];
                    let found =
                        self.competitors
                            .nearest(pair, parameters, FIRST, Wanted::Nearest, room);
                    (
                        place,
                        found
                            .into_iter()
                            .map(|(_, competitor)| competitor)
                            .collect(),
                    )
                },
            )
            .collect()
    }

    /// Counts parameters over all pairs.
    fn count(&self, parameters: &[f64]) -> Counted {
        let room = || Room::new(self.differences.n_attributes());
        let blocks: Vec<Option<(usize, Vec<u32>)>> = (0..self.blocks.len())
            .into_par_iter()
            .map_init(room, |room, place| {
                // Who is not linked among some is not among all.
                if !self.problem.satisfies(place, parameters) {
                    return None;
                }
                let block = &self.blocks[place];
                let pair = [block.seeker as usize, block.partner as usize];
                let found =
                    self.competitors
                        .nearest(pair, parameters, MORE, Wanted::Violating, room);
                Some((
                    place,
                    found
                        .into_iter()
                        .map(|(_, competitor)| competitor)
                        .collect(),
                ))
            })
            .collect();
        let always = self
            .always
            .par_iter()
            .map_init(room, |room, &(seeker, partner)| {
                self.competitors
                    .links(seeker as usize, partner as usize, parameters, room)
            });
        let always_linked = always.filter(|&linked| linked).count();
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
        Counted {
            satisfied: linked.len() + always_linked,
            violated,
            ties_at_zero,
        }
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

    /// Counts parameters; keeps them if they are the best, and lists the competitors that were missing. Whether there were such.
    fn consider(&mut self, parameters: &[f64]) -> bool {
        let counted = self.count(parameters);
        let ties = counted.ties_at_zero;
        let mut parameters = parameters.to_vec();
        let mut satisfied = counted.satisfied;
        let mut grew = self.list(counted.violated);
        if self.family == Family::BilinearNonNegative {
            let (pairs, lift) = self.negative_pairs(&parameters);
            grew |= self.list_half_spaces(pairs);
            if lift > 0.0 {
                parameters = lifted(&parameters, lift, self.differences.n_attributes());
                satisfied = self.count(&parameters).satisfied;
            }
        }
        self.keep(&parameters, satisfied);
        if ties {
            // Weights of 0 are raised by so little that nobody is lost.
            let centre = inside(self.family, self.differences.n_attributes());
            for share in [1e-9, 1e-7, 1e-5] {
                let mixed = parameters.iter().zip(&centre);
                let mixed: Vec<f64> = mixed.map(|(p, c)| (1.0 - share) * p + share * c).collect();
                let counted = self.count(&mixed);
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
    fn list(&mut self, more: Vec<(usize, Vec<u32>)>) -> bool {
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
    fn hear(&mut self, answer: Answer, watch: &dyn Watch) -> bool {
        let bound = answer.bound + self.always.len();
        if let Proof::Covering { conflicts, .. } = &answer.proof {
            self.conflicts.clone_from(conflicts);
        }
        if bound <= self.bound {
            self.bound = bound;
            self.proof = answer.proof;
            self.proven = None;
        }
        if self.consider(&answer.parameters) {
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
            return self.consider(&inside);
        }
        false
    }

    /// Pairs whose form is negative, the most negative first, and how much of the identity makes all forms of pairs not negative.
    fn negative_pairs(&self, parameters: &[f64]) -> (Vec<(u32, u32)>, f64) {
        let n = self.differences.n_attributes();
        let identity = identity(n);
        let of_seekers: Vec<Option<(f64, u32, u32)>> = (0..self.differences.n_seekers())
            .into_par_iter()
            .map_init(
                || Room::new(n),
                |room, seeker| {
                    let mut worst: Option<(f64, u32, u32)> = None;
                    for (sought, place) in (0_u32..).zip(0..self.differences.n_sought()) {
                        let form = self.competitors.form(seeker, place, parameters, room);
                        if form < 0.0 {
                            let size = self.competitors.form(seeker, place, &identity, room);
                            let share = form / size;
                            if worst.is_none_or(|(least, ..)| share < least) {
                                worst = Some((share, u32::try_from(seeker).ok()?, sought));
                            }
                        }
                    }
                    worst
                },
            )
            .collect();
        let mut negative: Vec<(f64, u32, u32)> = of_seekers.into_iter().flatten().collect();
        negative.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        let lift = negative.first().map_or(0.0, |worst| -worst.0);
        negative.retain(|&(share, ..)| share < -MARGIN);
        negative.truncate(MAX_HALF_SPACES);
        let pairs = negative
            .into_iter()
            .map(|(_, seeker, sought)| (seeker, sought));
        (pairs.collect(), lift)
    }

    /// Adds the half-spaces of pairs that are not listed yet. Whether there were such: an engine may come so near to a listed one that
    /// it stays negative by rounding.
    fn list_half_spaces(&mut self, mut pairs: Vec<(u32, u32)>) -> bool {
        let listed: BTreeSet<(u32, u32)> = self.pairs.iter().copied().collect();
        pairs.retain(|pair| !listed.contains(pair));
        let grew = !pairs.is_empty();
        if grew && self.proven.is_none() {
            self.proven = Some(self.problem.clone());
        }
        let mut scratch = Scratch::new(self.differences.n_attributes());
        let mut features = Vec::new();
        for pair in pairs {
            let (seeker, sought) = (pair.0 as usize, pair.1 as usize);
            self.family.features(
                self.differences,
                seeker,
                sought,
                &mut scratch,
                &mut features,
            );
            self.problem.space.half_spaces.push(sparse(&features));
            self.pairs.push(pair);
        }
        grew
    }

    fn learned(self) -> Learned {
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

/// The least value of a form on a pair, as a share of the sum of the pair's squared differences; pairs without any difference do not count.
///
/// # Complexity
/// O(seekers · sought · n²).
pub(super) fn least_share(
    differences: &Differences<'_>,
    family: Family,
    parameters: &[f64],
) -> f64 {
    let n = differences.n_attributes();
    let competitors = Competitors::new(differences, family);
    let identity = identity(n);
    let of_seekers: Vec<f64> = (0..differences.n_seekers())
        .into_par_iter()
        .map_init(
            || Room::new(n),
            |room, seeker| {
                (0..differences.n_sought()).fold(f64::INFINITY, |least, sought| {
                    let size = competitors.form(seeker, sought, &identity, room);
                    if size > 0.0 {
                        least.min(competitors.form(seeker, sought, parameters, room) / size)
                    } else {
                        least
                    }
                })
            },
        )
        .collect();
    of_seekers.into_iter().fold(f64::INFINITY, f64::min)
}

/// A form with so much of the identity that none of its pairs is negative, and within the bounds.
pub(super) fn lifted(parameters: &[f64], lift: f64, n_attributes: usize) -> Vec<f64> {
    let identity = identity(n_attributes);
    let lift = lift * (1.0 + 1e-9) + f64::MIN_POSITIVE;
    let mut lifted: Vec<f64> = parameters
        .iter()
        .zip(&identity)
        .map(|(p, one)| p + lift * one)
        .collect();
    let greatest = lifted.iter().fold(1.0_f64, |most, p| most.max(p.abs()));
    for value in &mut lifted {
        *value /= greatest;
    }
    lifted
}

fn sparse(features: &[f64]) -> SparseRow {
    let greatest = features
        .iter()
        .fold(f64::MIN_POSITIVE, |most, v| most.max(v.abs()));
    (0_u32..)
        .zip(features)
        .filter(|(_, value)| **value != 0.0)
        .map(|(parameter, value)| (parameter, value / greatest))
        .collect()
}

#[cfg(test)]
mod tests;
