//! Windows: the sought records that agree with a seeker on one attribute are neighbours in its order.

use super::{
    Agreement,
    code::Span,
    lanes::{Codes, Compare, LANES, Plain},
};

/// Blocks of records that stay in the nearest cache while several seekers look at them.
const BLOCKS_AT_ONCE: usize = 8;

/// The most masks by which a set of pairs is split.
const MOST_SPLITS: usize = 6;

/// Pairs that are quicker looked at one by one than split, by no mask; more by several.
const FEW: u32 = 2;

/// Seekers with neighbouring windows that look at the same blocks.
const SEEKERS_AT_ONCE: usize = 32;

/// The records of a class in the order of one attribute.
#[derive(Debug)]
pub(super) struct Scan {
    attribute: usize,
    /// The codes of the attribute, ascending.
    sorted: Vec<u32>,
    /// Attributes scanned before: who agrees on one of them has been counted.
    before: Vec<usize>,
    /// All other attributes.
    others: Vec<usize>,
    /// The codes of `before` and `others`, block by block, attribute by attribute; filled up with codes that are in no span.
    blocks: Vec<Codes>,
}

impl Scan {
    pub fn new(
        agreement: &Agreement,
        records: &[u32],
        attribute: usize,
        before: Vec<usize>,
        others: Vec<usize>,
    ) -> Self {
        let code = |record: u32, k: usize| agreement.codes[record as usize * agreement.width + k];
        let mut order: Vec<u32> = records.to_vec();
        order.sort_unstable_by_key(|&record| (code(record, attribute), record));
        let mut blocks =
            Vec::with_capacity(order.len().div_ceil(LANES) * (before.len() + others.len()));
        for block in order.chunks(LANES) {
            for &k in before.iter().chain(&others) {
                let mut codes = [u32::MAX - 1; LANES];
                for (cell, &record) in codes.iter_mut().zip(block) {
                    *cell = code(record, k);
                }
                blocks.push(codes);
            }
        }
        Self {
            attribute,
            sorted: order
                .iter()
                .map(|&record| code(record, attribute))
                .collect(),
            before,
            others,
            blocks,
        }
    }

    /// Adds the sought records that agree with each seeker on this attribute and on none before, by the set of attributes that
    /// agree. The seekers are those from `first` on, as many as `counts` has rows.
    pub fn count(&self, agreement: &Agreement, first: usize, counts: &mut [u32]) {
        #[cfg(target_arch = "x86_64")]
        if let Some(simd) = pulp::x86::V4::try_new() {
            simd.vectorize(Counting {
                scan: self,
                compare: simd,
                agreement,
                first,
                counts,
            });
            return;
        }
        pulp::Arch::new().dispatch(Counting {
            scan: self,
            compare: Plain,
            agreement,
            first,
            counts,
        });
    }

    #[inline(always)]
    fn count_with<C: Compare>(
        &self,
        compare: C,
        agreement: &Agreement,
        first: usize,
        counts: &mut [u32],
    ) {
        let patterns = 1 << agreement.width;
        let mut windows: Vec<Window> = (0..counts.len() / patterns)
            .filter_map(|row| self.window(agreement.spans_of(first + row)[self.attribute], row))
            .collect();
        windows.sort_unstable_by_key(|window| (window.start, window.end));
        for batch in windows.chunks(SEEKERS_AT_ONCE) {
            let start = batch.iter().map(|window| window.start).min().unwrap_or(0) / LANES;
            let end = batch
                .iter()
                .map(|window| window.end)
                .max()
                .unwrap_or(0)
                .div_ceil(LANES);
            for tile in (start..end).step_by(BLOCKS_AT_ONCE) {
                for window in batch {
                    let spans = agreement.spans_of(first + window.row);
                    let row = &mut counts[window.row * patterns..][..patterns];
                    let last = end
                        .min(tile + BLOCKS_AT_ONCE)
                        .min(window.end.div_ceil(LANES));
                    for block in tile.max(window.start / LANES)..last {
                        self.count_block(compare, block, window.lanes_of(block), spans, row);
                    }
                }
            }
        }
    }

    fn window(&self, span: Span, row: usize) -> Option<Window> {
        if span == Span::NONE {
            return None;
        }
        let start = self.sorted.partition_point(|&code| code < span.first);
        let last = span.first + span.more;
        let end = start + self.sorted[start..].partition_point(|&code| code <= last);
        (start < end).then_some(Window { row, start, end })
    }

    #[inline(always)]
    fn count_block<C: Compare>(
        &self,
        compare: C,
        block: usize,
        mut alive: u64,
        spans: &[Span],
        counts: &mut [u32],
    ) {
        let width = self.before.len() + self.others.len();
        let (before, others) = self.blocks[block * width..][..width].split_at(self.before.len());
        for (codes, &k) in before.iter().zip(&self.before) {
            alive &= !compare.within(codes, spans[k]);
            if alive == 0 {
                return;
            }
        }
        let mut masks = [(0_u64, 0_usize); super::MOST_ATTRIBUTES];
        let mut any = 0;
        for ((mask, codes), &k) in masks.iter_mut().zip(others).zip(&self.others) {
            let bits = compare.within(codes, spans[k]) & alive;
            *mask = (bits, 1 << k);
            any |= bits;
        }
        let alone = 1 << self.attribute;
        counts[alone] += (alive & !any).count_ones();
        split(&masks[..others.len()], any, alone, counts);
    }
}

/// One call of [`Scan::count`], for a processor. A type and not a closure, because only so it is sure to be compiled with the
/// instructions of that processor.
struct Counting<'a, C> {
    scan: &'a Scan,
    compare: C,
    agreement: &'a Agreement,
    first: usize,
    counts: &'a mut [u32],
}

impl<C: Compare> pulp::NullaryFnOnce for Counting<'_, C> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.scan
            .count_with(self.compare, self.agreement, self.first, self.counts);
    }
}

/// Counts the pairs of `alive` by which of the masks they are in: pair by pair if they are few, else by splitting the set.
#[inline(always)]
fn split(masks: &[(u64, usize)], alive: u64, pattern: usize, counts: &mut [u32]) {
    if masks.len() > MOST_SPLITS || alive.count_ones() <= FEW << (masks.len() / 2) {
        let mut rest = alive;
        while rest != 0 {
            let lane = rest.trailing_zeros();
            rest &= rest - 1;
            let mut agree = pattern;
            for &(mask, bit) in masks {
                agree |= bit & ((mask >> lane & 1) as usize).wrapping_neg();
            }
            counts[agree] += 1;
        }
        return;
    }
    let mut sets = [(0_u64, 0_usize); 1 << MOST_SPLITS];
    sets[0] = (alive, pattern);
    let mut n_sets = 1;
    for &(mask, bit) in masks {
        let so_far = n_sets;
        for at in 0..so_far {
            let (set, agree) = sets[at];
            sets[at].0 = set & !mask;
            // Overwritten by the next if nobody is in it.
            sets[n_sets] = (set & mask, agree | bit);
            n_sets += usize::from(set & mask != 0);
        }
    }
    for &(set, agree) in &sets[..n_sets] {
        counts[agree] += set.count_ones();
    }
}

/// The places of the records that agree with a seeker.
#[derive(Debug, Clone, Copy)]
struct Window {
    row: usize,
    start: usize,
    end: usize,
}

impl Window {
    /// Its part of a block, as bits.
    #[inline(always)]
    fn lanes_of(self, block: usize) -> u64 {
        let first = block * LANES;
        let from = self.start.saturating_sub(first);
        let to = self.end.saturating_sub(first).min(LANES);
        if from >= to {
            return 0;
        }
        let through = u64::MAX >> (LANES - to);
        through & (u64::MAX << from)
    }
}
