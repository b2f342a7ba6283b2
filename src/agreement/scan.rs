//! Windows: the sought records that agree with a seeker on one attribute are neighbours in its order.

use super::{
    Agreement,
    code::Span,
    lanes::{Codes, Compare, LANES, Plain},
};

/// Blocks of records that stay in the nearest cache while several seekers look at them.
const BLOCKS_AT_ONCE: usize = 8;

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
        // How many attributes sets are made of is known to the compiler, so that it unrolls the loops over them.
        match self.others.len() {
            0 => self.count_in_sets::<C, 0, 1>(compare, agreement, first, counts),
            1 => self.count_in_sets::<C, 1, 2>(compare, agreement, first, counts),
            2 => self.count_in_sets::<C, 2, 4>(compare, agreement, first, counts),
            3 => self.count_in_sets::<C, 3, 8>(compare, agreement, first, counts),
            4 => self.count_in_sets::<C, 4, 16>(compare, agreement, first, counts),
            5 => self.count_in_sets::<C, 5, 32>(compare, agreement, first, counts),
            6 => self.count_in_sets::<C, 6, 64>(compare, agreement, first, counts),
            // Of more attributes there are too many sets.
            _ => self.count_one_by_one(compare, agreement, first, counts),
        }
    }

    /// Counts how many pairs agree on all of each set of `A` other attributes, and takes that apart at the end.
    #[inline(always)]
    fn count_in_sets<C: Compare, const A: usize, const SETS: usize>(
        &self,
        compare: C,
        agreement: &Agreement,
        first: usize,
        counts: &mut [u32],
    ) {
        let patterns = 1 << agreement.width;
        let mut at_least = vec![[0_u32; SETS]; counts.len() / patterns];
        self.walk(
            compare,
            agreement,
            first,
            counts,
            |_, row, (others, spans), alive| {
                let mut sets = [alive; SETS];
                for place in 0..A {
                    let agree = compare.within(&others[place], spans[self.others[place]]);
                    for set in 0..1 << place {
                        sets[set | 1 << place] = sets[set] & agree;
                    }
                }
                for (sum, set) in at_least[row].iter_mut().zip(sets) {
                    *sum += set.count_ones();
                }
            },
        );
        for (mut exactly, counts) in at_least.into_iter().zip(counts.chunks_exact_mut(patterns)) {
            for place in 0..A {
                for set in (0..SETS).filter(|set| set >> place & 1 == 0) {
                    exactly[set] -= exactly[set | 1 << place];
                }
            }
            for (set, count) in exactly.into_iter().enumerate() {
                let others = self.others.iter().enumerate();
                let agree = others
                    .map(|(place, k)| (set >> place & 1) << k)
                    .sum::<usize>();
                counts[agree | 1 << self.attribute] += count;
            }
        }
    }

    /// Counts pairs one by one.
    #[inline(always)]
    fn count_one_by_one<C: Compare>(
        &self,
        compare: C,
        agreement: &Agreement,
        first: usize,
        counts: &mut [u32],
    ) {
        let own = 1 << self.attribute;
        self.walk(
            compare,
            agreement,
            first,
            counts,
            |counts, _, (others, spans), alive| {
                let (patterns, some) = compare.patterns(others, &self.others, spans);
                // Those who agree on nothing else are many, and one count would wait for the other.
                counts[own] += (alive & !some).count_ones();
                let mut rest = alive & some;
                while rest != 0 {
                    let lane = rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    counts[own | patterns[lane] as usize] += 1;
                }
            },
        );
    }

    /// Shows all pairs that agree on this attribute and on none before, 64 of a seeker at a time: the seeker's counts, their row,
    /// the codes of the other attributes in a block, the seeker's spans, and which records of the block the pairs are with.
    #[inline(always)]
    fn walk<C: Compare>(
        &self,
        compare: C,
        agreement: &Agreement,
        first: usize,
        counts: &mut [u32],
        mut show: impl FnMut(&mut [u32], usize, (&[Codes], &[Span]), u64),
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
                        let (before, others) = self.codes_of(block);
                        let lanes = window.lanes_of(block);
                        let alive = self.alive(compare, before, lanes, spans);
                        if alive != 0 {
                            show(row, window.row, (others, spans), alive);
                        }
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

    /// The codes of `before` in a block, and those of `others`.
    #[inline(always)]
    fn codes_of(&self, block: usize) -> (&[Codes], &[Codes]) {
        let width = self.before.len() + self.others.len();
        self.blocks[block * width..][..width].split_at(self.before.len())
    }

    /// Those of some records of a block who agree on none of the attributes before, whose codes these are.
    #[inline(always)]
    fn alive<C: Compare>(
        &self,
        compare: C,
        before: &[Codes],
        mut alive: u64,
        spans: &[Span],
    ) -> u64 {
        for (codes, &k) in before.iter().zip(&self.before) {
            alive &= !compare.within(codes, spans[k]);
            if alive == 0 {
                break;
            }
        }
        alive
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
