//! The ranks of values among the released ones.

use rayon::prelude::*;

use crate::{attack::Scenario, stats::rank::Ranking, table::matrix::Matrix};

/// The ranks that equal values hold together: `low` to `high − 1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ranks {
    /// The lowest.
    pub low: u32,
    /// One above the highest. No more than `low` where the value does not occur.
    pub high: u32,
}

impl Ranks {
    /// Of a missing value.
    pub const MISSING: Self = Self {
        low: u32::MAX,
        high: u32::MAX,
    };

    pub fn is_missing(self) -> bool {
        self.low == u32::MAX
    }

    pub fn is_single(self) -> bool {
        self.high - self.low == 1
    }

    /// From the lowest to the highest of both. What is missing adds nothing.
    pub fn and(self, other: Self) -> Self {
        match (self.is_missing(), other.is_missing()) {
            (true, _) => other,
            (_, true) => self,
            _ => Self {
                low: self.low.min(other.low),
                high: self.high.max(other.high),
            },
        }
    }

    /// How many they are.
    pub fn count(self) -> f64 {
        f64::from(self.high - self.low)
    }

    /// The least and the greatest difference between a rank of these and one of the others.
    pub fn distances(self, other: Self) -> (u32, u32) {
        let nearest = if self.high <= other.low {
            other.low + 1 - self.high
        } else if other.high <= self.low {
            self.low + 1 - other.high
        } else {
            0
        };
        let farthest = (self.high.max(other.high) - 1) - self.low.min(other.low);
        (nearest, farthest)
    }
}

/// The leading bits of the ranks of a record among so many, in turn: records with similar ranks have similar numbers, as they are in nodes that
/// are near each other.
pub(super) fn whereabouts(ranks: &[Ranks], n: usize) -> u64 {
    let unused = to_u32(n).leading_zeros().min(u32::BITS - 1);
    let bits = (0..u32::BITS).rev().flat_map(|bit| {
        let bit_of = move |ranks: &Ranks| u64::from(ranks.low << unused >> bit & 1);
        ranks.iter().map(bit_of)
    });
    bits.take(64).fold(0, |number, bit| number << 1 | bit)
}

/// The ranks of all values of both files, seekers and sought, records × attributes.
#[derive(Debug)]
pub(super) struct RankedFiles {
    pub seekers: Vec<Ranks>,
    pub sought: Vec<Ranks>,
    /// How many released values each attribute has.
    pub present: Vec<usize>,
    /// With how many of them one of them ties on average ([`Ranking::mean_tie`]).
    pub mean_tie: Vec<f64>,
}

impl RankedFiles {
    /// Ranks the values of both files among the released ones. A value that does not occur there stands in the gap between
    /// two ranks: it is given both, as if it were tied with one below and one above; where `exact`, none.
    pub fn new(scenario: &Scenario<'_>, exact: &[bool]) -> Self {
        let released = scenario.released;
        let rankings: Vec<Ranking> = (0..released.n_attributes())
            .into_par_iter()
            .map(|k| Ranking::new(released.present(k)))
            .collect();
        let ranked = |matrix: &Matrix| -> Vec<Ranks> {
            let width = matrix.n_attributes();
            let mut all = vec![Ranks::MISSING; matrix.n_records() * width];
            for (k, ranking) in rankings.iter().enumerate() {
                let records = (0_u32..).zip(0..matrix.n_records());
                let present =
                    records.filter_map(|(number, record)| Some((number, matrix.value(record, k)?)));
                let mut column = vec![Ranks::MISSING; matrix.n_records()];
                for (record, ranks) in ranking.ranks_of(present) {
                    column[record as usize] = place(ranking, ranks, exact[k]);
                }
                let rows = all.par_chunks_mut(width).zip(column).with_min_len(4096);
                rows.for_each(|(row, ranks)| row[k] = ranks);
            }
            all
        };
        Self {
            seekers: ranked(scenario.seekers()),
            sought: ranked(scenario.sought()),
            present: rankings.iter().map(Ranking::len).collect(),
            mean_tie: rankings.iter().map(Ranking::mean_tie).collect(),
        }
    }
}

fn place(ranking: &Ranking, (below, through): (usize, usize), exact: bool) -> Ranks {
    let (low, high) = if below < through || exact {
        (below, through)
    } else {
        (below.saturating_sub(1), (below + 1).min(ranking.len()))
    };
    Ranks {
        low: to_u32(low),
        high: to_u32(high),
    }
}

fn to_u32(rank: usize) -> u32 {
    u32::try_from(rank).unwrap_or_else(|_| unreachable!("a table holds at most u32::MAX records"))
}
