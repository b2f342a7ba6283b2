//! Seekers of whom the same would be asked: equal records, whose partners are equal records.

use std::cmp::Ordering;

use rayon::prelude::*;

use crate::{
    evaluate::shard::Shard,
    table::{Matrix, matrix::equal_records::by_values},
};

/// The different questions about some seekers, of an attack that [compares values](crate::attack::Attack::compares_values).
///
/// Surveys have few categories: of 100,000 people of whom two attributes are known, ten thousand tie with each, and to look at all of them for
/// everybody takes time that grows with the square of the records. The same question has the same answer, so it is asked once.
#[derive(Debug)]
pub(super) struct Questions {
    /// Who asks: the first seeker of each question.
    pub askers: Vec<usize>,
    /// The place of each seeker's question among these.
    pub of: Vec<usize>,
}

impl Questions {
    /// Those about the seekers of a shard; `None` where hardly two are the same, as a sample shows.
    ///
    /// # Complexity
    /// O(√n log n) comparisons of records for the sample, O(n log n) where there are equal ones.
    pub fn of(
        shard: Shard,
        partners: &[Option<u32>],
        [seekers, sought]: [&Matrix; 2],
    ) -> Option<Self> {
        let compare = |&a: &u32, &b: &u32| {
            let [a, b] = [a, b].map(|place| shard.piece(place as usize));
            let of_seekers = by_values(seekers.record(a), seekers.record(b));
            of_seekers.then_with(|| match (partners[a], partners[b]) {
                (Some(a), Some(b)) => {
                    by_values(sought.record(a as usize), sought.record(b as usize))
                }
                (a, b) => a.is_some().cmp(&b.is_some()),
            })
        };
        let n = shard.of_all(partners.len()).len();
        if !is_worthwhile(n, compare) {
            return None;
        }
        let mut places: Vec<u32> = (0..).take(n).collect();
        places.par_sort_unstable_by(|a, b| compare(a, b).then(a.cmp(b)));
        let mut askers = Vec::new();
        let mut of = vec![0; n];
        for (question, same) in (0..).zip(places.chunk_by(|a, b| compare(a, b).is_eq())) {
            askers.push(shard.piece(same[0] as usize));
            same.iter().for_each(|&place| of[place as usize] = question);
        }
        Some(Self { askers, of })
    }
}

/// Whether of four times √n seekers, drawn from all n, two dozen ask what others of them do: as many as can be expected where each question is
/// asked by three.
fn is_worthwhile(n: usize, compare: impl Fn(&u32, &u32) -> Ordering) -> bool {
    const OF_SAMPLE: usize = 24;
    // Not at equal distances: files have an order.
    let drawn = (0..4 * n.isqrt() as u64).map(|k| {
        let mixed = (k + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        u32::try_from((u128::from(mixed ^ mixed >> 29) * n as u128) >> 64).unwrap_or(0)
    });
    let mut sample: Vec<u32> = drawn.collect();
    sample.sort_unstable();
    sample.dedup();
    sample.sort_unstable_by(&compare);
    let questions = sample.chunk_by(|a, b| compare(a, b).is_eq()).count();
    sample.len() - questions >= OF_SAMPLE
}
