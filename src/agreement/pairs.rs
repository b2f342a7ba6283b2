//! Pairs one by one: where a seeker's pattern counts would be longer than the list of sought records.

use std::{collections::BTreeMap, ops::Range};

use pulp::{Arch, NullaryFnOnce};
use rayon::prelude::*;

use super::{
    Agreement, Greatest, Pattern,
    code::MISSING,
    lanes::{Codes, LANES},
};

/// Blocks of records that stay in the nearest cache while several seekers look at them.
const BLOCKS_AT_ONCE: usize = 8;

/// Seekers that look at the same blocks.
const SEEKERS_AT_ONCE: usize = 64;

/// What all tables of counts may hold together, in numbers: 1 GB. One is made in any case.
const COUNTS_AT_ONCE: usize = 1 << 27;

/// The sought records, to be compared with one seeker after the other.
///
/// # How it is computed
/// Patterns are numbered: an attribute is a digit, 0 where a pair disagrees, 1 where it agrees, 2 where a value is missing (a
/// digit that only attributes with gaps have). So what a pair counts for is found by its number, whichever attributes it misses.
///
/// # Complexity
/// O(d) a pair, many pairs at a time; memory O(n d) and, for each thread, a number for each pattern that can be: at most 3^d.
#[derive(Debug)]
pub(super) struct Pairs {
    /// For each attribute what an agreement adds to the number of a pattern. A gap adds twice as much.
    places: Vec<u32>,
    /// Attributes that somebody misses, as bits.
    with_gaps: u32,
    n_patterns: usize,
    /// For each block of sought records and each attribute the codes.
    blocks: Vec<Codes>,
}

impl Pairs {
    pub fn new(agreement: &Agreement) -> Self {
        let missing = (agreement.seekers_missing.iter()).chain(&agreement.sought_missing);
        let with_gaps = missing.fold(0, |all, &bits| all | bits);
        let mut n_patterns = 1;
        let places = (0..agreement.width)
            .map(|k| {
                let place = n_patterns;
                n_patterns *= 2 + (with_gaps >> k & 1);
                place
            })
            .collect();
        let of_block = |records: &[u32], k: usize| {
            // Past the last record nothing is looked at.
            let mut codes = [MISSING; LANES];
            for (code, record) in codes
                .iter_mut()
                .zip(records.chunks_exact(agreement.width.max(1)))
            {
                *code = record[k];
            }
            codes
        };
        let blocks = agreement
            .codes
            .chunks((LANES * agreement.width).max(1))
            .flat_map(|records| (0..agreement.width).map(move |k| of_block(records, k)))
            .collect();
        Self {
            places,
            with_gaps,
            n_patterns: n_patterns as usize,
            blocks,
        }
    }

    /// How many pairs show each pattern that occurs.
    pub fn counts(&self, agreement: &Agreement) -> BTreeMap<Pattern, u64> {
        let tables = (COUNTS_AT_ONCE / self.n_patterns).clamp(1, 4 * rayon::current_num_threads());
        let seekers = agreement.n_seekers.div_ceil(tables).max(1);
        let starts: Vec<usize> = (0..agreement.n_seekers).step_by(seekers).collect();
        let of_seekers = |first: usize| {
            let mut counts = vec![0_u64; self.n_patterns];
            let end = agreement.n_seekers.min(first + seekers);
            for first in (first..end).step_by(SEEKERS_AT_ONCE) {
                let some = first..end.min(first + SEEKERS_AT_ONCE);
                self.walk(agreement, some, |_, numbers| {
                    for &number in numbers {
                        counts[number as usize] += 1;
                    }
                });
            }
            counts
        };
        let counts = starts.into_par_iter().map(of_seekers).reduce_with(add);
        let numbered = (0..).zip(counts.unwrap_or_default());
        let shown = numbered.filter(|&(_, pairs)| pairs > 0);
        shown
            .map(|(number, pairs)| (self.pattern(number), pairs))
            .collect()
    }

    /// The greatest weight of each seeker's pairs.
    pub fn weigh(
        &self,
        agreement: &Agreement,
        greatest: &mut [Greatest],
        weight: impl Fn(Pattern) -> f64 + Sync,
    ) {
        let numbers = 0..u32::try_from(self.n_patterns).unwrap_or(u32::MAX);
        let weights: Vec<f64> = numbers
            .into_par_iter()
            .map(|number| weight(self.pattern(number)))
            .collect();
        let chunks = greatest.par_chunks_mut(SEEKERS_AT_ONCE).enumerate();
        chunks.for_each(|(chunk, greatest)| {
            let first = chunk * SEEKERS_AT_ONCE;
            self.walk(
                agreement,
                first..first + greatest.len(),
                |seeker, numbers| {
                    let greatest = &mut greatest[seeker - first];
                    for &number in numbers {
                        greatest.add(weights[number as usize], 1);
                    }
                },
            );
        });
    }

    /// The pattern with this number.
    fn pattern(&self, number: u32) -> Pattern {
        let (mut rest, mut missing, mut agree) = (number, 0, 0);
        for k in 0..self.places.len() {
            let radix = 2 + (self.with_gaps >> k & 1);
            agree |= u32::from(rest % radix == 1) << k;
            missing |= u32::from(rest % radix == 2) << k;
            rest /= radix;
        }
        Pattern { missing, agree }
    }

    /// Shows the numbers of the patterns of all pairs of some seekers, a block of pairs of one seeker at a time.
    fn walk(&self, agreement: &Agreement, seekers: Range<usize>, show: impl FnMut(usize, &[u32])) {
        Arch::new().dispatch(Walk {
            pairs: self,
            agreement,
            seekers,
            show,
        });
    }

    /// The numbers of the patterns of a seeker and a block.
    #[inline(always)]
    fn numbers(&self, agreement: &Agreement, seeker: usize, block: usize) -> Codes {
        let missing = agreement.seekers_missing[seeker];
        let is_missing = |k: usize| missing >> k & 1 == 1;
        let places = self.places.iter().enumerate();
        let of_seeker = places.clone().filter(|&(k, _)| is_missing(k));
        let mut numbers = [of_seeker.map(|(_, place)| 2 * place).sum(); LANES];
        let codes = &self.blocks[block * agreement.width..][..agreement.width];
        let spans = agreement.spans_of(seeker);
        for (k, &place) in places.filter(|&(k, _)| !is_missing(k)) {
            for (number, &code) in numbers.iter_mut().zip(&codes[k]) {
                *number += if spans[k].holds(code) { place } else { 0 };
            }
            if self.with_gaps >> k & 1 == 1 {
                for (number, &code) in numbers.iter_mut().zip(&codes[k]) {
                    *number += if code == MISSING { 2 * place } else { 0 };
                }
            }
        }
        numbers
    }
}

/// The sums of two tables.
fn add(mut a: Vec<u64>, b: Vec<u64>) -> Vec<u64> {
    a.iter_mut().zip(b).for_each(|(sum, more)| *sum += more);
    a
}

/// One call of [`Pairs::walk`], for a processor. A type and not a closure, because only so it is sure to be compiled with the
/// instructions of that processor.
struct Walk<'a, F> {
    pairs: &'a Pairs,
    agreement: &'a Agreement,
    seekers: Range<usize>,
    show: F,
}

impl<F: FnMut(usize, &[u32])> NullaryFnOnce for Walk<'_, F> {
    type Output = ();

    #[inline(always)]
    fn call(mut self) {
        let n_sought = self.agreement.n_sought;
        let n_blocks = n_sought.div_ceil(LANES);
        for tile in (0..n_blocks).step_by(BLOCKS_AT_ONCE) {
            for seeker in self.seekers.clone() {
                for block in tile..n_blocks.min(tile + BLOCKS_AT_ONCE) {
                    let numbers = self.pairs.numbers(self.agreement, seeker, block);
                    (self.show)(seeker, &numbers[..LANES.min(n_sought - block * LANES)]);
                }
            }
        }
    }
}
