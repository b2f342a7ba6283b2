//! The partners that are cheapest to a record: by the weight of the pattern, with its sign turned, less a price of the partner.

use pulp::{Arch, NullaryFnOnce};

use super::{
    Agreement, Weighted,
    code::Span,
    lanes::{Codes, LANES},
};
use crate::stats::scatter;

/// The greatest weight comes to so many steps of those that weights are rounded to, or to less than twice as many. Prices may
/// be a hundred times as great and are whole numbers of steps still.
const STEPS: f64 = (1_u64 << 45) as f64;

/// Samples are taken by which of the first attributes agree, so many of them.
const MOST_SAMPLED_BY: usize = 6;

/// Patterns that a sample tells apart.
const SAMPLES: usize = 1 << MOST_SAMPLED_BY;

/// Blocks of records that a sample is taken from.
const BLOCKS_OF_SAMPLE: usize = 16;

/// Records that a sample has of a pattern.
const SAMPLED: u8 = 2;

/// Who is chosen: either file can be, and the other one chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chosen {
    /// Seekers choose among the sought records.
    Sought,
    /// Sought records choose among the seekers.
    Seekers,
}

/// A record, and what it comes to for one that chooses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Offer {
    /// The record.
    pub point: u32,
    /// The weight of the pair with its sign turned, after rounding.
    pub cost: f64,
    /// Cost less price.
    pub worth: f64,
}

/// What a record asks for.
#[derive(Debug, Clone, Copy)]
pub struct Ask {
    /// The record.
    pub chooser: u32,
    /// At most so many records.
    pub k: usize,
    /// Only records whose cost less price is below this.
    pub below: f64,
}

/// Records with prices, made ready to be chosen by the records of the other file.
///
/// # Rounding
/// Weights are rounded to multiples of one small step, so that their sums and differences are exact: patterns that tie do so to the last
/// bit, whatever was added in which order. No pair moves by more than [`off`](Self::off).
///
/// # Missing
/// As in [`Weighted`]: what one side misses adds nothing.
///
/// # Complexity
/// O(n) memory. A search compares all records, many at a time.
#[derive(Debug)]
pub struct PricedAgreement<'a> {
    agreement: &'a Agreement,
    /// For each attribute the weight of an agreement and that of a disagreement.
    weights: Vec<[f64; 2]>,
    off: f64,
    chosen: Chosen,
    n_points: usize,
    /// For each block of records and each attribute the codes, or the first codes of the spans.
    codes: Vec<Codes>,
    /// If seekers are chosen, how many codes more the spans have.
    more: Vec<Codes>,
    /// For each block, the attributes that records miss. Empty if there are none.
    missing: Vec<Codes>,
    /// −∞ past the last record.
    prices: Vec<[f64; LANES]>,
}

impl<'a> PricedAgreement<'a> {
    /// Makes the records ready, all at the price zero.
    ///
    /// # Complexity
    /// O(n d) time and memory.
    pub fn new(weighted: &'a Weighted, chosen: Chosen) -> Self {
        let agreement = &weighted.agreement;
        let (width, missing, n_points) = match chosen {
            Chosen::Sought => (
                agreement.width,
                &agreement.sought_missing,
                agreement.n_sought,
            ),
            Chosen::Seekers => (
                agreement.width,
                &agreement.seekers_missing,
                agreement.n_seekers,
            ),
        };
        let blocks = n_points.div_ceil(LANES);
        let by_block = |cell: &dyn Fn(usize, usize) -> u32| -> Vec<Codes> {
            let of_block = |place: usize| {
                std::array::from_fn(|lane| {
                    let point = place / width * LANES + lane;
                    let there = point < n_points;
                    there
                        .then(|| cell(point, place % width))
                        .unwrap_or_default()
                })
            };
            (0..blocks * width).map(of_block).collect()
        };
        let span = |seeker: usize, k: usize| agreement.spans[seeker * width + k];
        let (weights, off) = rounded(&weighted.weights);
        let mut priced = Self {
            agreement,
            weights,
            off,
            chosen,
            n_points,
            codes: match chosen {
                Chosen::Sought => by_block(&|sought, k| agreement.codes[sought * width + k]),
                Chosen::Seekers => by_block(&|seeker, k| span(seeker, k).first),
            },
            more: match chosen {
                Chosen::Sought => Vec::new(),
                Chosen::Seekers => by_block(&|seeker, k| span(seeker, k).more),
            },
            missing: Vec::new(),
            prices: Vec::new(),
        };
        if missing.iter().any(|&bits| bits != 0) {
            let in_blocks = missing.chunks(LANES);
            priced.missing = in_blocks
                .map(|bits| std::array::from_fn(|lane| bits.get(lane).copied().unwrap_or(0)))
                .collect();
        }
        priced.set_prices(&vec![0.0; n_points]);
        priced
    }

    /// Number of records that choose.
    pub fn n_choosers(&self) -> usize {
        match self.chosen {
            Chosen::Sought => self.agreement.n_seekers,
            Chosen::Seekers => self.agreement.n_sought,
        }
    }

    /// Number of records that can be chosen.
    pub fn n_points(&self) -> usize {
        self.n_points
    }

    /// Attaches prices; a record at −∞ is never offered.
    ///
    /// # Panics
    /// If there is not one for each record.
    pub fn set_prices(&mut self, prices: &[f64]) {
        assert_eq!(prices.len(), self.n_points, "one price a record");
        let in_blocks = prices.chunks(LANES);
        let price = |prices: &[f64], lane: usize| prices.get(lane).copied();
        self.prices = in_blocks
            .map(|prices| {
                std::array::from_fn(|lane| price(prices, lane).unwrap_or(f64::NEG_INFINITY))
            })
            .collect();
    }

    /// How far the cost of a pair may be from its weight.
    pub fn off(&self) -> f64 {
        self.off
    }

    /// The records of the least cost less price, these first.
    ///
    /// # Ties
    /// Of records worth the same come those first that an order of the chooser's own says ([`scatter`]).
    ///
    /// # Complexity
    /// O(n d) for n records and d attributes.
    pub fn cheapest(&self, ask: Ask, best: &mut Vec<(Offer, u32)>) {
        best.clear();
        if ask.k == 0 {
            return;
        }
        Arch::new().dispatch(Looking {
            among: self,
            ask,
            best,
        });
    }

    /// Adds a few records of each pattern, as they are met on a chooser's way.
    ///
    /// # Complexity
    /// O(d) for d attributes: a part of the records is looked at, and the first six attributes only tell patterns apart.
    pub fn sample(&self, chooser: u32, offers: &mut Vec<Offer>) {
        Arch::new().dispatch(Sampling {
            among: self,
            chooser,
            offers,
        });
    }

    #[inline(always)]
    fn look(&self, block: usize, ask: Ask, turn: u32, best: &mut Vec<(Offer, u32)>) {
        let mut costs = [0.0; LANES];
        self.compare(block, ask.chooser, |_, lane, _, weight| {
            costs[lane] -= weight
        });
        let (mut worths, mut places) = ([0.0; LANES], [0_u32; LANES]);
        for ((worth, cost), price) in worths.iter_mut().zip(&costs).zip(&self.prices[block]) {
            *worth = cost - price;
        }
        for (lane, place) in places.iter_mut().enumerate() {
            *place = scatter::place(point(block, lane), turn);
        }
        let last = last(ask, best);
        let mut near = 0_u64;
        for (lane, (&worth, &place)) in worths.iter().zip(&places).enumerate() {
            near |= u64::from(worth < last.0 || (worth <= last.0 && place < last.1)) << lane;
        }
        while near != 0 {
            let lane = near.trailing_zeros() as usize;
            near &= near - 1;
            let (worth, place) = (worths[lane], places[lane]);
            let before = |(other, its): &(Offer, u32)| {
                other.worth < worth || (other.worth <= worth && *its < place)
            };
            let at = best.partition_point(before);
            if at < ask.k {
                best.truncate(ask.k - 1);
                let (point, cost) = (point(block, lane), costs[lane]);
                best.insert(at, (Offer { point, cost, worth }, place));
            }
        }
    }

    /// One record of each pattern, of those that still have room.
    #[inline(always)]
    fn add_sample(
        &self,
        block: usize,
        chooser: u32,
        room: &mut [u8; SAMPLES],
        offers: &mut Vec<Offer>,
    ) {
        let (mut costs, mut patterns) = ([0.0; LANES], [0_u32; LANES]);
        self.compare(block, chooser, |k, lane, agrees, weight| {
            costs[lane] -= weight;
            patterns[lane] |= u32::from(agrees && k < MOST_SAMPLED_BY) << (k % MOST_SAMPLED_BY);
        });
        let mut there = [false; SAMPLES];
        let first = scatter::turn(point(block, 0) ^ scatter::turn(chooser)) as usize;
        for lane in (0..LANES).map(|lane| (first + lane) % LANES) {
            let pattern = patterns[lane] as usize;
            let price = self.prices[block][lane];
            if room[pattern] > 0 && !there[pattern] && price > f64::NEG_INFINITY {
                room[pattern] -= 1;
                there[pattern] = true;
                let (point, cost) = (point(block, lane), costs[lane]);
                let worth = cost - price;
                offers.push(Offer { point, cost, worth });
            }
        }
    }

    /// Shows the pairs of a chooser with the records of a block: attribute by attribute, for each lane whether they agree, and the weight
    /// of it.
    #[inline(always)]
    fn compare(&self, block: usize, chooser: u32, mut show: impl FnMut(usize, usize, bool, f64)) {
        let (agreement, chooser) = (self.agreement, chooser as usize);
        let width = agreement.width;
        let missed = match self.chosen {
            Chosen::Sought => agreement.seekers_missing[chooser],
            Chosen::Seekers => agreement.sought_missing[chooser],
        };
        for (k, &[agree, disagree]) in self.weights.iter().enumerate() {
            if missed >> k & 1 == 1 {
                continue;
            }
            let codes = &self.codes[block * width + k];
            let mut agrees = [false; LANES];
            match self.chosen {
                Chosen::Sought => {
                    let span = agreement.spans[chooser * width + k];
                    for (agrees, &code) in agrees.iter_mut().zip(codes) {
                        *agrees = span.holds(code);
                    }
                }
                Chosen::Seekers => {
                    let code = agreement.codes[chooser * width + k];
                    let more = &self.more[block * width + k];
                    for ((agrees, &first), &more) in agrees.iter_mut().zip(codes).zip(more) {
                        *agrees = Span { first, more }.holds(code);
                    }
                }
            }
            match self.missing.get(block) {
                None => {
                    for (lane, agrees) in agrees.into_iter().enumerate() {
                        show(k, lane, agrees, if agrees { agree } else { disagree });
                    }
                }
                Some(missing) => {
                    for (lane, agrees) in agrees.into_iter().enumerate() {
                        let weight = if agrees { agree } else { disagree };
                        let is_missing = missing[lane] >> k & 1 == 1;
                        show(k, lane, agrees, if is_missing { 0.0 } else { weight });
                    }
                }
            }
        }
    }
}

/// Worth and place that are not reached any more: those of the last one, or what was asked for.
#[inline(always)]
fn last(ask: Ask, best: &[(Offer, u32)]) -> (f64, u32) {
    best.get(ask.k - 1)
        .map_or((ask.below, 0), |(last, place)| (last.worth, *place))
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "records are counted by u32"
)]
fn point(block: usize, lane: usize) -> u32 {
    (block * LANES + lane) as u32
}

/// The weights as multiples of a step that their greatest sum has 2^[`STEPS`] of, and what a sum of them may be off.
fn rounded(weights: &[[f64; 2]]) -> (Vec<[f64; 2]>, f64) {
    let most: f64 = weights.iter().map(|[a, b]| a.abs().max(b.abs())).sum();
    if !most.is_normal() {
        return (weights.to_vec(), 0.0);
    }
    // The power of two that is not above it: its bits without those of the mantissa.
    let power = f64::from_bits(most.to_bits() >> 52 << 52);
    let step = power / STEPS;
    let round = |weight: f64| (weight / step).round() * step;
    let off = weights.iter().map(|pair| {
        let off = pair.map(|weight| (round(weight) - weight).abs());
        off[0].max(off[1])
    });
    // The weight of a pattern is a rounded sum itself.
    let off = off.sum::<f64>() + weights.len() as f64 * f64::EPSILON * most;
    (weights.iter().map(|pair| pair.map(round)).collect(), off)
}

/// A search, for a processor. A type and not a closure, because only so it is sure to be compiled with the instructions of
/// that processor.
struct Looking<'a, 'b> {
    among: &'a PricedAgreement<'a>,
    ask: Ask,
    best: &'b mut Vec<(Offer, u32)>,
}

impl NullaryFnOnce for Looking<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let turn = scatter::turn(self.ask.chooser);
        for block in 0..self.among.prices.len() {
            self.among.look(block, self.ask, turn, self.best);
        }
    }
}

/// A sample, likewise.
struct Sampling<'a, 'b> {
    among: &'a PricedAgreement<'a>,
    chooser: u32,
    offers: &'b mut Vec<Offer>,
}

impl NullaryFnOnce for Sampling<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self {
            among,
            chooser,
            offers,
        } = self;
        let mut room = [SAMPLED; SAMPLES];
        let n = among.prices.len();
        for step in 0..BLOCKS_OF_SAMPLE.min(n) {
            let block = scatter::turn(chooser ^ scatter::turn(step as u32)) as usize % n;
            among.add_sample(block, chooser, &mut room, offers);
        }
    }
}
