//! What a search is for: what it still needs to see, and what it makes of what it sees.

use super::answer::{Contest, Least, Link, Rival};
use super::tiles::{LANES, greater, least, lesser};
use crate::distance::Doubt;

/// Points of a tile and their distances.
pub(super) struct Tile<'a> {
    pub points: &'a [u32],
    /// As many distances as points, and then distances that mean nothing.
    pub keys: &'a [f64; LANES],
    pub admitted: &'a [bool; LANES],
}

impl Tile<'_> {
    /// How many candidates pass a test.
    #[inline(always)]
    fn count(&self, test: impl Fn(f64) -> bool) -> u32 {
        let mut passed = [0u8; LANES];
        let lanes = self.keys.iter().zip(self.admitted).enumerate();
        for (passed, (lane, (&key, &admitted))) in passed.iter_mut().zip(lanes) {
            *passed = u8::from(test(key) & admitted & (lane < self.points.len()));
        }
        u32::from(passed.iter().sum::<u8>())
    }
}

/// What became of a subtree whose distances are known to be within bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Settled {
    /// Nothing in it matters any more.
    Whole,
    /// All of it is counted where it belongs; only its nearest points may still matter.
    Count,
    /// Nothing is decided.
    Nothing,
}

/// What a search is for. It is shown every candidate that it wants, in any order.
pub(super) trait Goal: Send + Sync {
    /// What the caller gets.
    type Answer: Send;

    /// Whether points matter by their distances alone, so that nothing is ever `counted`.
    const PLAIN: bool;

    /// Adds candidates to their number.
    fn admit(&mut self, candidates: u32);
    /// The largest distance that can still matter, among points already `counted` or others;
    /// negative if none can.
    fn reach(&self, counted: bool) -> f64;
    /// Whether it pays to know an upper bound of the distances in a subtree.
    fn asks_upper(&self, lower: f64, counted: bool) -> bool;
    /// Takes `size` candidates with distances in `lower..=upper` and indices from `first` on.
    fn settle(&mut self, lower: f64, upper: f64, size: u32, first: u32, counted: bool) -> Settled;
    /// Takes the admitted ones of a tile's points.
    fn take(&mut self, tile: &Tile<'_>, counted: bool);
    /// The distance below which candidates are only counted; negative if they are not.
    fn rival_key(&self) -> f64;
    /// Takes candidates that are strictly closer than the rival.
    fn add_closer(&mut self, candidates: u32);
    /// Learns that some candidate, which is still to be taken, is no farther than this.
    fn someone_within(&mut self, key: f64);
    /// Forgets the candidates taken, but not what they prove about the reach.
    fn restart(&mut self);
    /// The answer, once every candidate within reach was taken.
    fn answer(self) -> Self::Answer;
}

/// The goal of a contest: whether anyone is closer than the rival, and how many tie with it.
#[derive(Debug)]
pub(super) struct ContestGoal {
    rival: Option<Rival>,
    candidates: u32,
    closer: bool,
    tied: u32,
}

impl ContestGoal {
    pub(super) fn new(rival: Option<Rival>) -> Self {
        Self {
            rival,
            candidates: 0,
            closer: false,
            tied: 0,
        }
    }
}

impl Goal for ContestGoal {
    type Answer = Contest;

    const PLAIN: bool = true;

    fn admit(&mut self, candidates: u32) {
        self.candidates += candidates;
    }

    #[inline(always)]
    fn reach(&self, counted: bool) -> f64 {
        if self.closer || counted {
            -1.0
        } else {
            self.rival_key()
        }
    }

    #[inline(always)]
    fn asks_upper(&self, lower: f64, _counted: bool) -> bool {
        lower == self.rival_key()
    }

    #[inline(always)]
    fn settle(&mut self, lower: f64, upper: f64, size: u32, _: u32, _: bool) -> Settled {
        if lower == upper && upper == self.rival_key() {
            self.tied += size;
            return Settled::Whole;
        }
        Settled::Nothing
    }

    #[inline(always)]
    fn take(&mut self, tile: &Tile<'_>, _counted: bool) {
        let rival = self.rival_key();
        self.closer |= tile.count(|key| key < rival) > 0;
        self.tied += tile.count(|key| key == rival);
    }

    #[inline(always)]
    fn rival_key(&self) -> f64 {
        self.rival.map_or(-1.0, |rival| rival.key)
    }

    fn add_closer(&mut self, candidates: u32) {
        self.closer |= candidates > 0;
    }

    fn someone_within(&mut self, _key: f64) {}

    fn restart(&mut self) {
        self.tied = 0;
    }

    fn answer(self) -> Contest {
        let inside = self.rival.is_some_and(|rival| rival.inside);
        let tied = if inside && !self.closer { self.tied } else { 0 };
        Contest {
            candidates: self.candidates,
            inside,
            closer: self.closer,
            tied,
        }
    }
}

/// The least distance of the candidates taken, and the next.
#[derive(Debug)]
struct Foremost {
    /// An upper bound of the least distance, and the least distance once `tied > 0`.
    least: f64,
    tied: u32,
    /// The least distance seen that is greater.
    next: f64,
    /// The doubt about distances: up to there others are looked at.
    doubt: Doubt,
}

impl Foremost {
    /// Nobody is taken; the rival, if it is a candidate, is some candidate.
    fn new(rival: Option<Rival>, doubt: Doubt) -> Self {
        let inside = rival.filter(|rival| rival.inside);
        Self {
            least: inside.map_or(f64::INFINITY, |rival| rival.key),
            tied: 0,
            next: f64::INFINITY,
            doubt,
        }
    }

    #[inline(always)]
    fn reach(&self) -> f64 {
        self.doubt.above(self.least)
    }

    /// Learns of a candidate that is still to be taken; whether it is closer than everybody so far.
    #[inline(always)]
    fn someone_within(&mut self, key: f64) -> bool {
        let is_closer = key < self.least;
        if is_closer {
            if self.tied > 0 {
                self.next = self.least;
            }
            (self.least, self.tied) = (key, 0);
        }
        is_closer
    }

    fn restart(&mut self) {
        (self.tied, self.next) = (0, f64::INFINITY);
    }

    /// The least distance; infinite without candidates.
    fn key(&self) -> f64 {
        if self.tied > 0 {
            self.least
        } else {
            f64::INFINITY
        }
    }

    /// The least distance among the other candidates.
    fn next(&self) -> f64 {
        if self.tied > 1 { self.least } else { self.next }
    }
}

/// The goal of a least distance, which decides the contest, too.
#[derive(Debug)]
pub(super) struct LeastGoal {
    rival: Option<Rival>,
    candidates: u32,
    foremost: Foremost,
}

impl LeastGoal {
    pub(super) fn new(rival: Option<Rival>, doubt: Doubt) -> Self {
        Self {
            rival,
            candidates: 0,
            foremost: Foremost::new(rival, doubt),
        }
    }
}

impl Goal for LeastGoal {
    type Answer = Least;

    const PLAIN: bool = true;

    fn admit(&mut self, candidates: u32) {
        self.candidates += candidates;
    }

    #[inline(always)]
    fn reach(&self, _counted: bool) -> f64 {
        self.foremost.reach()
    }

    #[inline(always)]
    fn asks_upper(&self, lower: f64, _counted: bool) -> bool {
        lower == self.foremost.least
    }

    #[inline(always)]
    fn settle(&mut self, lower: f64, upper: f64, size: u32, _: u32, _: bool) -> Settled {
        if lower == upper && upper == self.foremost.least {
            self.foremost.tied += size;
            return Settled::Whole;
        }
        Settled::Nothing
    }

    #[inline(always)]
    fn take(&mut self, tile: &Tile<'_>, _counted: bool) {
        if least(tile.keys) > self.reach(false) {
            return;
        }
        let admitted = tile.keys.iter().zip(tile.admitted).zip(tile.points);
        let keys = admitted.filter_map(|((&key, &admitted), _)| admitted.then_some(key));
        let nearest = keys.clone().fold(self.foremost.least, lesser);
        self.someone_within(nearest);
        self.foremost.tied += tile.count(|key| key == nearest);
        let farther = keys.filter(|&key| key > nearest);
        self.foremost.next = farther.fold(self.foremost.next, lesser);
    }

    #[inline(always)]
    fn rival_key(&self) -> f64 {
        -1.0
    }

    fn add_closer(&mut self, _candidates: u32) {}

    #[inline(always)]
    fn someone_within(&mut self, key: f64) {
        self.foremost.someone_within(key);
    }

    fn restart(&mut self) {
        self.foremost.restart();
    }

    fn answer(self) -> Least {
        let Self {
            rival,
            candidates,
            foremost,
        } = self;
        let inside = rival.is_some_and(|rival| rival.inside);
        let key = foremost.key();
        let closer = rival.is_some_and(|rival| key < rival.key);
        Least {
            key,
            tied: foremost.tied,
            next: foremost.next(),
            contest: Contest {
                candidates,
                inside,
                closer,
                // The rival is a candidate, and nobody is closer: it is among the nearest.
                tied: if inside && !closer { foremost.tied } else { 0 },
            },
        }
    }
}

/// The goal of a link: the nearest candidates, and how many are closer than the rival.
#[derive(Debug)]
pub(super) struct LinkGoal {
    /// The rival, if it is a candidate.
    rival: Option<Rival>,
    candidates: u32,
    closer: u32,
    foremost: Foremost,
    nearest: Vec<u32>,
    limit: usize,
}

impl LinkGoal {
    pub(super) fn new(rival: Option<Rival>, limit: usize, doubt: Doubt) -> Self {
        Self {
            rival: rival.filter(|rival| rival.inside),
            candidates: 0,
            closer: 0,
            foremost: Foremost::new(rival, doubt),
            nearest: Vec::new(),
            limit,
        }
    }
}

impl LinkGoal {
    /// Takes a candidate no farther than the nearest so far.
    fn near(&mut self, key: f64, point: u32) {
        self.someone_within(key);
        self.foremost.tied += 1;
        let full = self.nearest.len() >= self.limit;
        if !full || self.nearest.last().is_some_and(|&last| point < last) {
            let place = self.nearest.partition_point(|&listed| listed < point);
            self.nearest.insert(place, point);
            self.nearest.truncate(self.limit);
        }
    }
}

impl Goal for LinkGoal {
    type Answer = (Link, f64);

    const PLAIN: bool = false;

    fn admit(&mut self, candidates: u32) {
        self.candidates += candidates;
    }

    #[inline(always)]
    fn reach(&self, counted: bool) -> f64 {
        let reach = self.foremost.reach();
        if counted {
            reach
        } else {
            greater(reach, self.rival_key())
        }
    }

    #[inline(always)]
    fn asks_upper(&self, lower: f64, counted: bool) -> bool {
        lower == self.foremost.least || (!counted && lower <= self.rival_key())
    }

    #[inline(always)]
    fn settle(&mut self, lower: f64, upper: f64, size: u32, first: u32, counted: bool) -> Settled {
        if !counted && upper < self.rival_key() {
            self.closer += size;
        } else if !counted && lower < self.rival_key() {
            return Settled::Nothing;
        }
        // From here on all of it is counted.
        let full = self.nearest.len() >= self.limit
            && self.nearest.last().is_none_or(|&last| last < first);
        let foremost = &mut self.foremost;
        if full && lower == upper && upper == foremost.least && foremost.tied > 0 {
            foremost.tied += size;
            return Settled::Whole;
        }
        Settled::Count
    }

    #[inline(always)]
    fn take(&mut self, tile: &Tile<'_>, counted: bool) {
        if !counted {
            let rival = self.rival_key();
            self.closer += tile.count(|key| key < rival);
        }
        if least(tile.keys) > self.foremost.reach() {
            return;
        }
        for ((&point, &key), &admitted) in tile.points.iter().zip(tile.keys).zip(tile.admitted) {
            if admitted && key <= self.foremost.least {
                self.near(key, point);
            } else if admitted {
                self.foremost.next = lesser(self.foremost.next, key);
            }
        }
    }

    #[inline(always)]
    fn rival_key(&self) -> f64 {
        self.rival.map_or(-1.0, |rival| rival.key)
    }

    fn add_closer(&mut self, candidates: u32) {
        self.closer += candidates;
    }

    #[inline(always)]
    fn someone_within(&mut self, key: f64) {
        if self.foremost.someone_within(key) {
            self.nearest.clear();
        }
    }

    fn restart(&mut self) {
        self.closer = 0;
        self.foremost.restart();
        self.nearest.clear();
    }

    fn answer(self) -> (Link, f64) {
        let place = self.rival.map(|_| 1 + self.closer);
        let link = Link {
            nearest: self.nearest,
            tied: self.foremost.tied,
            key: self.foremost.key(),
            candidates: self.candidates,
            place,
        };
        (link, self.foremost.next())
    }
}
