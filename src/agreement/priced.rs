//! The partners that are cheapest to a record: by the weight of the pattern, with its sign turned, less a price of the partner.

use pulp::{Arch, NullaryFnOnce};

use super::{
    Weighted,
    code::Span,
    lanes::{Codes, LANES},
};
use crate::distance::priced::{Ask, Offer};

/// Who is chosen: either file can be, and the other one chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chosen {
    /// Seekers choose among the sought records.
    Sought,
    /// Sought records choose among the seekers.
    Seekers,
}

/// Records with prices, made ready to be chosen by the records of the other file.
///
/// # Missing
/// As in [`Weighted`]: what one side misses adds nothing.
///
/// # Complexity
/// O(n) memory. A search compares all records, many at a time.
#[derive(Debug)]
pub struct PricedAgreement<'a> {
    weighted: &'a Weighted,
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
        let mut priced = Self {
            weighted,
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
            Chosen::Sought => self.weighted.agreement.n_seekers,
            Chosen::Seekers => self.weighted.agreement.n_sought,
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

    /// The `k` records of the least cost less price, these first, among those where it is `below` a limit. The cost is the weight
    /// of the pair with its sign turned, to the last bit.
    ///
    /// # Ties
    /// Of records worth the same come those first that an order says which depends on `turn` only.
    ///
    /// # Complexity
    /// O(n d) for n records and d attributes.
    pub fn cheapest(&self, chooser: usize, ask: Ask, best: &mut Vec<Offer>) {
        best.clear();
        if ask.k == 0 {
            return;
        }
        Arch::new().dispatch(Looking {
            among: self,
            chooser,
            ask: ask.with_own_turn(),
            best,
        });
    }

    #[inline(always)]
    fn look(&self, chooser: usize, ask: Ask, best: &mut Vec<Offer>) {
        for (block, prices) in self.prices.iter().enumerate() {
            let mut costs = [0.0; LANES];
            self.add_weights(block, chooser, &mut costs);
            let mut worths = [0.0; LANES];
            for ((worth, cost), price) in worths.iter_mut().zip(&mut costs).zip(prices) {
                *cost = -*cost;
                *worth = *cost - price;
            }
            let limit = ask.limit(best);
            let mut near = 0_u64;
            for (lane, &worth) in worths.iter().enumerate() {
                near |= u64::from(worth <= limit) << lane;
            }
            while near != 0 {
                let lane = near.trailing_zeros() as usize;
                near &= near - 1;
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "records are counted by u32"
                )]
                let point = (block * LANES + lane) as u32;
                ask.keep(best, point, costs[lane], worths[lane]);
            }
        }
    }

    /// The weights of a chooser's pairs with the records of a block, summed in the order of the attributes.
    #[inline(always)]
    fn add_weights(&self, block: usize, chooser: usize, sums: &mut [f64; LANES]) {
        let agreement = &self.weighted.agreement;
        let width = agreement.width;
        let (missed, cells) = match self.chosen {
            Chosen::Sought => (agreement.seekers_missing[chooser], &[][..]),
            Chosen::Seekers => (
                agreement.sought_missing[chooser],
                &agreement.codes[chooser * width..][..width],
            ),
        };
        for (k, weights) in self.weighted.weights.iter().enumerate() {
            if missed >> k & 1 == 1 {
                continue;
            }
            let codes = &self.codes[block * width + k];
            let gaps = self.missing.get(block).map(|missing| (missing, k));
            match self.chosen {
                Chosen::Sought => {
                    let span = agreement.spans[chooser * width + k];
                    add(sums, *weights, gaps, |lane| span.holds(codes[lane]));
                }
                Chosen::Seekers => {
                    let (code, more) = (cells[k], &self.more[block * width + k]);
                    add(sums, *weights, gaps, |lane| {
                        let (first, more) = (codes[lane], more[lane]);
                        Span { first, more }.holds(code)
                    });
                }
            }
        }
    }
}

/// Adds the weights of an attribute where it is there.
#[inline(always)]
fn add(
    sums: &mut [f64; LANES],
    [agree, disagree]: [f64; 2],
    gaps: Option<(&Codes, usize)>,
    agrees: impl Fn(usize) -> bool,
) {
    for (lane, sum) in sums.iter_mut().enumerate() {
        let weight = if agrees(lane) { agree } else { disagree };
        *sum += match gaps {
            Some((missing, k)) if missing[lane] >> k & 1 == 1 => 0.0,
            _ => weight,
        };
    }
}

/// One search, for a processor. A type and not a closure, because only so it is sure to be compiled with the instructions of
/// that processor.
struct Looking<'a, 'b> {
    among: &'a PricedAgreement<'a>,
    chooser: usize,
    ask: Ask,
    best: &'b mut Vec<Offer>,
}

impl NullaryFnOnce for Looking<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.among.look(self.chooser, self.ask, self.best);
    }
}
