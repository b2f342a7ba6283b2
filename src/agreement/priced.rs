//! The partners that are cheapest to a record: by the weight of the pattern, with its sign turned, less a price of the partner.

use pulp::{Arch, NullaryFnOnce};

pub use super::blocks::Chosen;
use super::{Weighted, blocks::Blocks, lanes::LANES};
use crate::stats::scatter;

/// The greatest weight comes to so many steps of those that weights are rounded to, or to less than twice as many. Prices may
/// be a hundred times as great and are whole numbers of steps still.
const STEPS: f64 = (1_u64 << 45) as f64;

/// Samples are taken by which of the first attributes agree, so many of them.
const MAX_SAMPLED_BY: usize = 6;

/// Patterns that a sample tells apart.
const SAMPLES: usize = 1 << MAX_SAMPLED_BY;

/// Blocks of records that a sample is taken from.
const BLOCKS_OF_SAMPLE: usize = 16;

/// Records that a sample has of a pattern.
const SAMPLED: u8 = 2;

/// A record, and what it comes to for one that chooses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Offer {
    /// The record.
    pub point: u32,
    /// The weight of the pair with its sign turned, after rounding.
    pub cost: f64,
    /// Cost less price.
    pub worth: f64,
    /// Where it stands among equals in the chooser's order.
    place: u32,
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
    blocks: Blocks<'a>,
    n_points: usize,
    /// For each attribute the weight of an agreement and that of a disagreement.
    weights: Vec<[f64; 2]>,
    off: f64,
    /// −∞ past the last record.
    prices: Vec<[f64; LANES]>,
}

impl<'a> PricedAgreement<'a> {
    /// Makes the records ready, all at the price zero.
    ///
    /// # Complexity
    /// O(n d) time and memory.
    pub fn new(weighted: &'a Weighted, chosen: Chosen) -> Self {
        let blocks = Blocks::new(&weighted.agreement, chosen);
        let (weights, off) = rounded(&weighted.weights);
        let mut priced = Self {
            n_points: blocks.n_points(),
            blocks,
            weights,
            off,
            prices: Vec::new(),
        };
        priced.set_prices(&vec![0.0; priced.n_points]);
        priced
    }

    /// Number of records that choose.
    pub fn n_choosers(&self) -> usize {
        self.blocks.n_choosers()
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
    pub fn cheapest(&self, ask: Ask, best: &mut Vec<Offer>) {
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

    /// Adds a few records of each pattern that is common in a part of the file, another part for each chooser. The first six
    /// attributes tell patterns apart.
    ///
    /// # Complexity
    /// O(d) for d attributes.
    pub fn sample(&self, chooser: u32, offers: &mut Vec<Offer>) {
        Arch::new().dispatch(Sampling {
            among: self,
            chooser,
            offers,
        });
    }

    #[inline(always)]
    fn look(&self, block: usize, ask: Ask, turn: u32, best: &mut Vec<Offer>) {
        let weights = self.blocks.weigh(block, ask.chooser, &self.weights);
        let costs = weights.map(|weight| 0.0 - weight);
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
            let before = |other: &Offer| {
                other.worth < worth || (other.worth <= worth && other.place < place)
            };
            let at = best.partition_point(before);
            if at < ask.k {
                best.truncate(ask.k - 1);
                let offer = Offer {
                    point: point(block, lane),
                    cost: costs[lane],
                    worth,
                    place,
                };
                best.insert(at, offer);
            }
        }
    }

    /// One record of each pattern, of those that still have room.
    #[inline(always)]
    fn add_sample(
        &self,
        block: usize,
        chooser: u32,
        turn: u32,
        room: &mut [u8; SAMPLES],
        offers: &mut Vec<Offer>,
    ) {
        let (mut costs, mut patterns) = ([0.0; LANES], [0_u32; LANES]);
        self.blocks
            .compare(block, chooser, &self.weights, |k, lane, agrees, weight| {
                costs[lane] -= weight;
                patterns[lane] |= u32::from(agrees && k < MAX_SAMPLED_BY) << (k % MAX_SAMPLED_BY);
            });
        let mut there = [false; SAMPLES];
        let first = scatter::place(point(block, 0), turn) as usize / LANES;
        for lane in (0..LANES).map(|lane| (first + lane) % LANES) {
            let pattern = patterns[lane] as usize;
            let price = self.prices[block][lane];
            if room[pattern] > 0 && !there[pattern] && price > f64::NEG_INFINITY {
                room[pattern] -= 1;
                there[pattern] = true;
                let point = point(block, lane);
                offers.push(Offer {
                    point,
                    cost: costs[lane],
                    worth: costs[lane] - price,
                    place: scatter::place(point, turn),
                });
            }
        }
    }
}

/// Worth and place that are not reached any more: those of the last one, or what was asked for.
#[inline(always)]
fn last(ask: Ask, best: &[Offer]) -> (f64, u32) {
    best.get(ask.k - 1)
        .map_or((ask.below, 0), |last| (last.worth, last.place))
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
    best: &'b mut Vec<Offer>,
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
        let (n, turn) = (among.prices.len(), scatter::turn(chooser));
        let start = turn as usize % n.max(1);
        for block in (start..n).chain(0..start).take(BLOCKS_OF_SAMPLE) {
            among.add_sample(block, chooser, turn, &mut room, offers);
        }
    }
}

#[cfg(test)]
mod tests;
