//! Rank swapping p-buckets: each value changes places with one of a bucket that is drawn, the own one most often.

use rand::RngExt;

use super::{
    Mask, Masked,
    rank_order::{self, Swaps, mask_by_swapping},
};
use crate::{
    error::{Error, Result},
    rng::{Generator, Streams},
    statement::{Exhausted, Method, PBucketsParameters},
    table::{AttrId, Table},
};

/// Rank swapping p-buckets.
///
/// ```text
/// sort the n values of an attribute ascending: a_0 ≤ … ≤ a_(n−1); a_i is in bucket floor(i · p / n), of 0 to p − 1
/// for i = 0 to n−1, if a_i (of bucket r) was not swapped yet:
///     choose a bucket s ≥ r with probability proportional to 2^−(s−r+1), among those with an unswapped value beside a_i
///     swap a_i with one of these values of bucket s, uniformly
/// undo the sort
/// ```
///
/// Each attribute is masked independently of the others. About half of the swaps stay in a bucket, but every value may meet
/// every other: what is published confines nobody to a window. **The more buckets, the smaller they are and the weaker the
/// protection**, opposite to the p of [`RankSwap`](super::rank_swap::RankSwap). One bucket is legal and the strongest: every
/// value meets every other with the same probability.
///
/// # Buckets
/// Cut among the values that are present. Bucket s holds the positions from ceil(s · n / p) on, so sizes differ by one at
/// most. p may not exceed the number of records of the file. Above half of it some buckets hold one value, which then goes
/// to another bucket. An attribute that misses so many values that n < p has empty buckets, which are never chosen.
///
/// # Exhausted buckets
/// The probabilities are renormalised over the buckets that still have somebody. Buckets 64 or more beyond the first of
/// these are not chosen; their share would be below 2^−63. Ascending order leaves no unswapped value behind: of an even
/// number of values everybody finds a partner, of an odd number all but one, who stays.
///
/// # Ties
/// Broken at random, so that a record's place in the file says nothing about its partner. Two equal values may be
/// partners: nothing moves then, and both count as unchanged.
///
/// # Missing
/// Left in place; the other values are ranked among themselves.
///
/// # Randomness
/// `Purpose::Mask`, one stream an attribute. Drawn in this order: the shuffle of each run of ties, ascending; then for each
/// unswapped value in ascending order, unless it is the last one left, its partner's bucket and the partner.
///
/// # Complexity
/// O(n) beside the sort; 8 bytes a value and less than 20 a bucket.
///
/// # Source
/// The formula: J. Nin, J. Herranz, V. Torra, "Rethinking rank swapping to decrease disclosure risk", Data & Knowledge
/// Engineering 64, 2008. That p is the number of buckets, how buckets are cut, and what is done with exhausted ones are our
/// reading.
#[derive(Debug, Clone)]
pub struct PBuckets {
    buckets: usize,
}

impl PBuckets {
    /// Rank swapping with so many buckets.
    ///
    /// # Errors
    /// Usage, when there is none.
    pub fn new(buckets: usize) -> Result<Self> {
        match buckets {
            0 => Err(Error::option_out_of_range(
                "p",
                1.0..,
                "is the number of buckets: there must be one at least",
            )
            .remedy(
                "For example --p 10 cuts the values into ten buckets; fewer buckets protect more",
            )),
            _ => Ok(Self { buckets }),
        }
    }
}

impl Mask for PBuckets {
    fn name(&self) -> &'static str {
        "pbuckets"
    }

    fn objection(&self, table: &Table, attribute: AttrId) -> Option<Error> {
        rank_order::objection(table, attribute)
    }

    fn apply(&self, original: Table, on: &[AttrId], streams: &Streams) -> Result<Masked> {
        let records = original.n_records();
        rank_order::refuse_fewer_than_two(records)?;
        if self.buckets > records {
            let what = format!(
                "{} buckets are more than there are records ({records}): some would be empty",
                self.buckets
            );
            return Err(Error::out_of_range("p", 1.0..=records as f64, what).remedy(
                "Give a smaller --p: it is the number of buckets, and fewer buckets protect more",
            ));
        }
        let method = Method::PBuckets(PBucketsParameters {
            buckets: self.buckets,
            exhausted: Exhausted::Renormalised,
        });
        mask_by_swapping(original, on, streams, method, |values, rng| {
            swap(values, self.buckets, rng)
        })
    }
}

/// Draws the partners among values in ascending order.
fn swap(n: usize, n_buckets: usize, rng: &mut Generator) -> Swaps {
    let mut unswapped = Buckets::new(n, n_buckets);
    let mut swaps = Swaps {
        pairs: Vec::with_capacity(n / 2),
        without_partner: 0,
    };
    for i in 0..n {
        if !unswapped.contains(i) {
            continue;
        }
        unswapped.remove(i);
        match unswapped.draw(rng) {
            Some(l) => {
                unswapped.remove(l);
                swaps.push(i, l);
            }
            None => swaps.without_partner += 1,
        }
    }
    swaps
}

/// The positions not swapped yet, by bucket.
struct Buckets {
    n_positions: u64,
    n_buckets: u64,
    /// The positions of each bucket together, its unswapped ones first.
    members: Vec<u32>,
    /// Where each position stands in `members`; [`Self::SWAPPED`] once it is swapped.
    places: Vec<u32>,
    /// How many unswapped positions each bucket has.
    left: Vec<u32>,
    /// One bit a bucket: whether it has an unswapped position. A word more than there are buckets for.
    filled: Vec<u64>,
    /// No bucket before this one has an unswapped position.
    first: usize,
}

impl Buckets {
    const SWAPPED: u32 = u32::MAX;

    #[expect(
        clippy::cast_possible_truncation,
        reason = "a table holds at most u32::MAX records"
    )]
    fn new(n: usize, n_buckets: usize) -> Self {
        let mut buckets = Self {
            n_positions: n as u64,
            n_buckets: n_buckets as u64,
            members: (0..n as u32).collect(),
            places: (0..n as u32).collect(),
            left: vec![0; n_buckets],
            filled: vec![0; n_buckets.div_ceil(64) + 1],
            first: 0,
        };
        for position in 0..n {
            let bucket = buckets.bucket_of(position);
            buckets.left[bucket] += 1;
            buckets.filled[bucket / 64] |= 1 << (bucket % 64);
        }
        buckets
    }

    /// floor(position · p / n).
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the quotient is below the number of buckets"
    )]
    fn bucket_of(&self, position: usize) -> usize {
        (position as u64 * self.n_buckets / self.n_positions) as usize
    }

    /// The first position of a bucket: ceil(bucket · n / p).
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the quotient is at most the number of positions"
    )]
    fn start(&self, bucket: usize) -> usize {
        (bucket as u64 * self.n_positions).div_ceil(self.n_buckets) as usize
    }

    fn contains(&self, position: usize) -> bool {
        self.places[position] != Self::SWAPPED
    }

    /// Takes an unswapped position out: the last unswapped one of its bucket gets its place.
    fn remove(&mut self, position: usize) {
        let bucket = self.bucket_of(position);
        self.left[bucket] -= 1;
        let last = self.start(bucket) + self.left[bucket] as usize;
        let place = self.places[position];
        let moved = self.members[last];
        self.members[place as usize] = moved;
        self.places[moved as usize] = place;
        self.places[position] = Self::SWAPPED;
        if self.left[bucket] == 0 {
            self.filled[bucket / 64] &= !(1 << (bucket % 64));
        }
    }

    /// An unswapped position; `None` if there is none.
    ///
    /// All positions before the one that looks for a partner are swapped, so the buckets with somebody are those that it
    /// may choose from.
    fn draw(&mut self, rng: &mut Generator) -> Option<usize> {
        self.first = self.next_filled()?;
        // The bucket at `first` is the highest bit: a bit's weight as a number is the weight of its bucket.
        let weights = self.filled_from(self.first).reverse_bits();
        let drawn = rng.random_range(0..weights);
        let bucket = self.first + bucket_at(weights, drawn);
        let nth = rng.random_range(0..self.left[bucket]);
        Some(self.members[self.start(bucket) + nth as usize] as usize)
    }

    fn next_filled(&self) -> Option<usize> {
        let from = self.first / 64;
        let word = from + self.filled[from..].iter().position(|&bits| bits != 0)?;
        Some(word * 64 + self.filled[word].trailing_zeros() as usize)
    }

    /// Which of 64 buckets from this one on have somebody, the first as the lowest bit.
    fn filled_from(&self, bucket: usize) -> u64 {
        let (word, shift) = (bucket / 64, bucket % 64);
        let low = self.filled[word] >> shift;
        match shift {
            0 => low,
            _ => low | self.filled[word + 1] << (64 - shift),
        }
    }
}

/// Lays the bits of `weights` end to end, each as long as its value, the highest first; counted from that end, the
/// number of the bit in which `drawn` falls.
fn bucket_at(mut weights: u64, mut drawn: u64) -> usize {
    loop {
        let zeros = weights.leading_zeros();
        let weight = (1 << 63) >> zeros;
        if drawn < weight {
            return zeros as usize;
        }
        drawn -= weight;
        weights &= !weight;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Seed};

    /// floor(i · 3 / 10) by hand: 0 0 0 0 1 1 1 2 2 2.
    #[test]
    fn buckets_are_cut_as_stated() {
        let buckets = Buckets::new(10, 3);
        let of: Vec<usize> = (0..10).map(|i| buckets.bucket_of(i)).collect();
        assert_eq!(of, [0, 0, 0, 0, 1, 1, 1, 2, 2, 2]);
        assert_eq!(buckets.left, [4, 3, 3]);
        for n in 1..40 {
            for p in 1..60 {
                let buckets = Buckets::new(n, p);
                for bucket in 0..p {
                    let positions = buckets.start(bucket)..buckets.start(bucket + 1);
                    assert!(positions.clone().all(|i| buckets.bucket_of(i) == bucket));
                    assert_eq!(positions.len(), buckets.left[bucket] as usize, "{n} {p}");
                    assert!((n / p..=n.div_ceil(p)).contains(&positions.len()));
                }
            }
        }
    }

    /// Bits 63, 61 and 60 of the weights are buckets 0, 2 and 3: of 2^63 + 2^61 + 2^60 numbers the first 2^63 are bucket 0's,
    /// the next 2^61 bucket 2's, the last 2^60 bucket 3's.
    #[test]
    fn a_number_falls_in_a_bucket_by_weight() {
        let weights = 0b1011 << 60;
        let (one, three) = (1_u64 << 63, (1_u64 << 63) + (1 << 61));
        for (drawn, bucket) in [
            (0, 0),
            (one - 1, 0),
            (one, 2),
            (three - 1, 2),
            (three, 3),
            (weights - 1, 3),
        ] {
            assert_eq!(bucket_at(weights, drawn), bucket, "{drawn}");
        }
        assert_eq!(bucket_at(1, 0), 63);
    }

    #[test]
    fn everybody_is_in_one_pair_or_alone_at_the_end() {
        let streams = Seed::from_number(5).streams(Purpose::Mask, 0);
        for (n, buckets) in [
            (0, 1),
            (1, 1),
            (2, 2),
            (3, 3),
            (7, 200),
            (64, 64),
            (129, 129),
            (1000, 1),
            (1001, 130),
            (5000, 2500),
        ] {
            let swaps = swap(n, buckets, &mut streams.at(n as u64));
            let mut seen = vec![false; n];
            for &(i, l) in &swaps.pairs {
                assert!(i < l, "partners are above");
                for position in [i, l] {
                    assert!(!std::mem::replace(&mut seen[position as usize], true));
                }
            }
            assert_eq!(swaps.without_partner, n % 2, "{n} {buckets}");
            assert_eq!(2 * swaps.pairs.len() + n % 2, n);
        }
    }
}
