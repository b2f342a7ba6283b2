//! Of the patterns that a seeker's pairs show, those that no other contains: wherever agreement weighs more than disagreement, the greatest
//! weight is that of one of them, whatever the weights are.

use super::Pattern;

/// Patterns in a word of bits.
const IN_A_WORD: usize = u64::BITS as usize;

/// For each of the first six attributes, the patterns of a word that agree on it.
const AGREEING: [u64; 6] = [
    0xAAAA_AAAA_AAAA_AAAA,
    0xCCCC_CCCC_CCCC_CCCC,
    0xF0F0_F0F0_F0F0_F0F0,
    0xFF00_FF00_FF00_FF00,
    0xFFFF_0000_FFFF_0000,
    0xFFFF_FFFF_0000_0000,
];

/// A pattern that some of a seeker's pairs show, while none that misses the same attributes agrees on all of its and on more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Maximal {
    pub seeker: u32,
    pub pattern: Pattern,
    /// How many of its pairs show it.
    pub pairs: u32,
}

/// Those of the sets of agreeing attributes that occur, given how many pairs show each, which no other of them contains.
///
/// # Complexity
/// O(2^d) for d attributes, of which the part that grows with d as well is on 64 sets at a time.
pub(super) fn maximal(counts: &[u32]) -> impl Iterator<Item = u32> {
    let width = counts.len().ilog2() as usize;
    let occurring: Vec<u64> = counts
        .chunks(IN_A_WORD)
        .map(|counts| {
            let bits = counts.iter().enumerate();
            bits.fold(0, |word, (at, &count)| word | u64::from(count > 0) << at)
        })
        .collect();
    // With all that they contain.
    let mut contained = occurring.clone();
    for attribute in 0..width {
        for place in 0..contained.len() {
            contained[place] |= less(&contained, place, attribute);
        }
    }
    let words = (0..).step_by(IN_A_WORD).zip(occurring).enumerate();
    words.flat_map(move |(place, (first, word))| {
        let in_others = (0..width).fold(0, |sets, attribute| {
            sets | less(&contained, place, attribute)
        });
        bits(word & !in_others).map(move |at| first + at)
    })
}

/// Of the sets in a word, those that come to one of these sets by agreeing on one attribute more.
fn less(sets: &[u64], place: usize, attribute: usize) -> u64 {
    match AGREEING.get(attribute) {
        Some(agreeing) => (sets[place] & agreeing) >> (1 << attribute),
        None => match 1 << (attribute - AGREEING.len()) {
            step if place & step == 0 => sets[place | step],
            _ => 0,
        },
    }
}

/// The places of the bits of a word, ascending.
fn bits(mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let at = word.trailing_zeros();
        word &= word.wrapping_sub(1);
        (at < u64::BITS).then_some(at)
    })
}
