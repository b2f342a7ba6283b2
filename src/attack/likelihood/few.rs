//! Whether laws of swapping leave some of a few records possible, several compared at once.

use super::swaps::Swaps;

/// Records that are compared at once.
const LANES: usize = 8;

/// What some sought records ask of a seeker's ranks in an attribute, so that the law does not exclude the pair at a glance: that they end above
/// the one number and do not begin above the other.
#[derive(Debug, Clone, Copy)]
struct Asked {
    above: [i32; LANES],
    up_to: [i32; LANES],
}

impl Asked {
    /// No ranks are below all numbers.
    const NOBODY: Self = Self {
        above: [i32::MAX; LANES],
        up_to: [i32::MIN; LANES],
    };
}

/// A few sought records, and what they ask of a seeker's ranks.
#[derive(Debug)]
pub(in crate::attack) struct Few {
    /// For each [`LANES`] of them, by attribute.
    asked: Vec<Asked>,
    sought: Vec<u32>,
}

/// A number in the same order, of a kind that processors compare several at once.
fn signed(rank: u32) -> i32 {
    (rank ^ 1 << 31).cast_signed()
}

impl Swaps {
    /// A few sought records, to be asked about together.
    pub fn few(&self, sought: &[u32]) -> Few {
        let width = self.laws.len();
        let chunks = sought.chunks(LANES).map(|records| {
            let mut asked = vec![Asked::NOBODY; width];
            for (lane, &record) in records.iter().enumerate() {
                let ranks = self.of_sought(record as usize).iter().zip(&self.laws);
                for (asked, (&ranks, law)) in asked.iter_mut().zip(ranks) {
                    let (above, up_to) = law.asked_by(ranks);
                    (asked.above[lane], asked.up_to[lane]) = (signed(above), signed(up_to));
                }
            }
            asked
        });
        Few {
            asked: chunks.flatten().collect(),
            sought: sought.to_vec(),
        }
    }

    /// Whether the law leaves some pair of a seeker and one of a few records possible.
    pub fn admits_some(&self, seeker: usize, few: &Few) -> bool {
        let ranks = self.of_seeker(seeker);
        let chunks = few.asked.chunks_exact(self.laws.len().max(1));
        chunks
            .zip(few.sought.chunks(LANES))
            .any(|(asked, records)| {
                let mut left = [1; LANES];
                for (own, asked) in ranks.iter().zip(asked) {
                    // What gaps exclude is left to `admits`.
                    if own.is_missing() {
                        continue;
                    }
                    let (low, high) = (signed(own.low), signed(own.high));
                    let bounds = asked.above.iter().zip(&asked.up_to);
                    for (left, (&above, &up_to)) in left.iter_mut().zip(bounds) {
                        *left &= i32::from((high > above) & (low <= up_to));
                    }
                    if left == [0; LANES] {
                        return false;
                    }
                }
                let mut left = records.iter().zip(left).filter(|&(_, left)| left > 0);
                left.any(|(&record, _)| self.admits(seeker, record as usize))
            })
    }
}
