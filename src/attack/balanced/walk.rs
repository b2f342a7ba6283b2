//! One chain of permutations, moved by directed loops.

use rand::Rng;

use super::Balanced;

/// The owner of a record that belongs to a stranger.
const STRANGER: u32 = u32::MAX;

/// The place of a seeker without a partner.
const ALONE: u32 = u32::MAX;

/// A loop that is longer than this many times the records is taken back.
const LONGEST: usize = 64;

/// By what seekers and strangers draw records: rows of the balanced matrix, in whole numbers.
///
/// Balancing multiplies the likelihoods of all permutations by one number, so permutations may be drawn by the balanced matrix as
/// well as by the likelihoods; with it, loops close sooner.
#[derive(Debug)]
pub(super) struct Odds {
    /// For each candidate of a seeker, the last of 2^32 numbers that fall to it; the rest are those of having no partner. Each
    /// has one at least.
    last: Vec<u32>,
    /// Who that candidate is.
    records: Vec<u32>,
    /// Records that strangers may have, and for each the first number that does not fall to it.
    strangers: Vec<(u32, u64)>,
    /// Records whose owner is not settled, and the places of nobody after them (from `n_sought` on).
    restless: Vec<u32>,
}

impl Odds {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "shares of 2^32 and of 2^40, between 0 and 1"
    )]
    pub(super) fn of(balanced: &Balanced) -> Self {
        const ALL: f64 = 4_294_967_296.0;
        let candidates = &balanced.candidates;
        let mut last = Vec::with_capacity(candidates.lists.n_records());
        let mut records = Vec::with_capacity(candidates.lists.n_records());
        let mut entries = vec![0_u32; candidates.n_sought];
        for seeker in 0..candidates.n_seekers() {
            let nobody = balanced.absent(seeker);
            let row: Vec<f64> = balanced.probabilities(seeker).map(|(_, p)| p).collect();
            let parts = row.len() + usize::from(nobody > 0.0);
            let sum = row.iter().sum::<f64>() + nobody;
            // Less than all by a little, so that rounding cannot make it more.
            let share = ((ALL - parts as f64) / (sum * (1.0 + 1e-9))).min(f64::MAX);
            let width = |p: f64| 1 + (p * share).min(ALL) as u64;
            let used: u64 = row.iter().map(|&p| width(p)).sum();
            let rest = (1_u64 << 32) - used.min(1 << 32);
            let largest = row
                .iter()
                .enumerate()
                .fold(0, |best, (k, p)| if *p > row[best] { k } else { best });
            let mut end = 0_u64;
            for (k, &p) in row.iter().enumerate() {
                end += width(p);
                // Without a place of nobody, what rounding left over falls to the likeliest.
                if nobody == 0.0 && k == largest {
                    end += rest;
                }
                last.push((end.clamp(1, 1 << 32) - 1) as u32);
            }
            let is_settled = parts < 2;
            for record in candidates.lists.records(seeker) {
                records.push(record);
                let count = if is_settled { 1 } else { 2 };
                let entries = &mut entries[record as usize];
                *entries = entries.saturating_add(count);
            }
        }
        let mut strangers = Vec::new();
        let factors = balanced.factors.sought();
        let alone = || (0_u32..).zip(factors).zip(&balanced.surplus.may_be_alone);
        let sum: f64 = alone().filter(|of| *of.1).map(|((_, c), _)| c).sum();
        let mut end = 0_u64;
        for ((record, factor), _) in alone().filter(|of| *of.1) {
            end += 1 + (factor / sum * (1_u64 << 40) as f64) as u64;
            strangers.push((record, end));
            entries[record as usize] = 2;
        }
        let shared = (0_u32..).zip(&entries).filter(|(_, entries)| **entries > 1);
        let nobody = candidates.n_sought..candidates.n_sought + balanced.surplus.seekers;
        Self {
            last,
            records,
            strangers,
            restless: shared
                .map(|(record, _)| record)
                .chain(nobody.map(|slot| slot as u32))
                .collect(),
        }
    }

    /// Number of records whose owner is not settled, and of places of nobody.
    pub(super) fn restless(&self) -> usize {
        self.restless.len()
    }
}

/// A permutation on its way. See [`super::Sampled`].
pub(super) struct Walk<'a, R> {
    balanced: &'a Balanced,
    odds: &'a Odds,
    draws: R,
    /// Who has each record, and each place of nobody.
    owner: Vec<u32>,
    /// Which of its candidates each seeker has.
    place: Vec<u32>,
    /// What the loop has changed: a record and its owner before, a seeker and its place before.
    log: Vec<[u32; 4]>,
    /// Loops that were taken back.
    pub taken_back: u64,
}

impl<'a, R: Rng> Walk<'a, R> {
    /// Starts from a matching.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "records are counted by u32"
    )]
    pub(super) fn new(balanced: &'a Balanced, odds: &'a Odds, draws: R) -> Self {
        let candidates = &balanced.candidates;
        let mut owner = vec![STRANGER; candidates.n_sought + balanced.surplus.seekers];
        let mut place = vec![ALONE; candidates.n_seekers()];
        let mut slot = candidates.n_sought;
        for (seeker, partner) in balanced.surplus.partners.iter().enumerate() {
            let list = &odds.records[candidates.lists.range(seeker)];
            match partner {
                Some(partner) => {
                    owner[*partner as usize] = seeker as u32;
                    let at = list.iter().position(|record| record == partner);
                    place[seeker] = at.map_or(ALONE, |at| at as u32);
                }
                None if list.is_empty() => {}
                None => {
                    owner[slot] = seeker as u32;
                    slot += 1;
                }
            }
        }
        Self {
            balanced,
            odds,
            draws,
            owner,
            place,
            log: Vec::new(),
            taken_back: 0,
        }
    }

    /// A number below n, of 2^32 at most; off by less than n / 2^32 of its probability.
    fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.draws.next_u32()) * n as u128) >> 32) as usize
    }

    /// A loop: one owner lets go of a record; whoever is without one draws a record, and its owner is without next, until
    /// the first record is drawn. How many draws it took.
    pub(super) fn turn(&mut self) -> u64 {
        let hole = self.odds.restless[self.below(self.odds.restless.len())];
        let longest = LONGEST * self.odds.restless.len() + 1000;
        self.log.clear();
        let mut free = self.owner[hole as usize];
        loop {
            let (record, place) = self.draw(free);
            let (owner, before) = (self.owner[record as usize], self.place_of(free));
            self.log.push([record, owner, free, before]);
            if free != STRANGER {
                self.place[free as usize] = place;
            }
            self.owner[record as usize] = free;
            if record == hole {
                return self.log.len() as u64;
            }
            free = owner;
            if self.log.len() > longest {
                // As likely backwards as forwards, so leaving out such loops changes nothing but the time.
                for &[record, owner, seeker, place] in self.log.iter().rev() {
                    self.owner[record as usize] = owner;
                    if seeker != STRANGER {
                        self.place[seeker as usize] = place;
                    }
                }
                self.taken_back += 1;
                return self.log.len() as u64;
            }
        }
    }

    fn place_of(&self, seeker: u32) -> u32 {
        match seeker {
            STRANGER => ALONE,
            seeker => self.place[seeker as usize],
        }
    }

    /// The record that somebody draws, or a place of nobody; and its place among the candidates.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "records are counted by u32"
    )]
    fn draw(&mut self, free: u32) -> (u32, u32) {
        if free == STRANGER {
            let strangers = &self.odds.strangers;
            let all = strangers.last().map_or(1, |last| last.1);
            let number = ((u128::from(self.draws.next_u64()) * u128::from(all)) >> 64) as u64;
            let at = strangers.partition_point(|&(_, end)| end <= number);
            return (strangers[at].0, ALONE);
        }
        let candidates = &self.balanced.candidates;
        let range = candidates.lists.range(free as usize);
        let number = self.draws.next_u32();
        let place = self.odds.last[range.clone()].partition_point(|&last| last < number);
        match self.odds.records[range].get(place) {
            Some(&record) => (record, place as u32),
            None => {
                let slot = self.below(self.balanced.surplus.seekers);
                ((candidates.n_sought + slot) as u32, ALONE)
            }
        }
    }

    /// The place among the candidates of each seeker's record; `None` without one.
    pub(super) fn places(&self) -> impl Iterator<Item = Option<usize>> + '_ {
        let places = self.place.iter();
        places.map(|&place| (place != ALONE).then_some(place as usize))
    }
}
