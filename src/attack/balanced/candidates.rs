//! The candidates of all seekers, written down, without those that are in no matching.

use std::ops::Range;

use rayon::prelude::*;

use super::PIECES;
use crate::{
    attack::Lists,
    error::Result,
    memory,
    optimize::assignment::{maximum::Plain, possible::Possible},
};

/// Bytes of a candidate: who, and how likely.
pub(super) const CANDIDATE: usize = 8;

/// Who may be whose, and how likely.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    pub n_sought: usize,
    /// Where the candidates of each seeker begin, and where the last ones end.
    starts: Vec<usize>,
    pub records: Vec<u32>,
    /// exp(least cost of the seeker − cost), of the candidates before any was removed.
    pub weights: Vec<f32>,
    /// The weight of having no partner, in the scale of each seeker; 0 where that is impossible.
    pub nobody: Vec<f64>,
}

/// What a matching with the most pairs leaves over, of the records that have candidates or are some.
#[derive(Debug, Default)]
pub(super) struct Surplus {
    /// Seekers without a partner.
    pub seekers: usize,
    /// Sought records without one.
    pub sought: usize,
    /// Sought records that can be without one.
    pub may_be_alone: Vec<bool>,
    /// The partner of each seeker in one such matching.
    pub partners: Vec<Option<u32>>,
}

impl Candidates {
    /// Writes lists down. 8 bytes a candidate.
    ///
    /// # Errors
    /// Failed, when the lists are longer than memory should hold.
    pub(super) fn of(lists: &dyn Lists) -> Result<Self> {
        let n_seekers = lists.n_seekers();
        refuse_too_long(lists)?;
        let pieces: Vec<Self> = pieces(n_seekers)
            .into_par_iter()
            .map(|seekers| Self::of_piece(lists, seekers))
            .collect();
        let total = pieces.iter().map(|piece| piece.records.len()).sum();
        let mut all = Self {
            n_sought: lists.n_sought(),
            starts: Vec::with_capacity(n_seekers + 1),
            records: Vec::with_capacity(total),
            weights: Vec::with_capacity(total),
            nobody: Vec::with_capacity(n_seekers),
        };
        for piece in pieces {
            let before = all.records.len();
            all.starts
                .extend(piece.starts.iter().map(|start| before + start));
            all.records.extend(piece.records);
            all.weights.extend(piece.weights);
            all.nobody.extend(piece.nobody);
        }
        all.starts.push(all.records.len());
        Ok(all)
    }

    fn of_piece(lists: &dyn Lists, seekers: Range<usize>) -> Self {
        let mut piece = Self::default();
        let mut list = Vec::new();
        for seeker in seekers {
            lists.list(seeker, &mut list);
            let least = list
                .iter()
                .fold(f64::INFINITY, |least, &(_, cost)| least.min(cost));
            piece.starts.push(piece.records.len());
            // The likelihood of two unrelated records is 1. Who has no better candidate than e^-600 has none.
            piece.nobody.push(if list.is_empty() {
                0.0
            } else {
                least.min(600.0).exp()
            });
            for &(record, cost) in &list {
                piece.records.push(record);
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "a share between 0 and 1, of which seven digits are enough"
                )]
                let weight = (least - cost).exp() as f32;
                piece.weights.push(weight.max(f32::MIN_POSITIVE));
            }
        }
        piece
    }

    pub(super) fn n_seekers(&self) -> usize {
        self.nobody.len()
    }

    /// The places of a seeker's candidates.
    pub(super) fn range(&self, seeker: usize) -> Range<usize> {
        self.starts[seeker]..self.starts[seeker + 1]
    }

    /// The candidates of a seeker, with their weights.
    pub(super) fn list(&self, seeker: usize) -> impl Iterator<Item = (u32, f64)> + '_ {
        let range = self.range(seeker);
        let records = &self.records[range.clone()];
        let weights = self.weights[range].iter().map(|&weight| f64::from(weight));
        records.iter().copied().zip(weights)
    }

    /// Removes the pairs that are in no matching with the most pairs; what such a matching leaves over.
    pub(super) fn prune(&mut self) -> Surplus {
        let possible = Possible::of(Plain {
            n_columns: self.n_sought,
            starts: &self.starts,
            columns: &self.records,
        });
        let mut is_candidate = vec![false; self.n_sought];
        for &record in &self.records {
            is_candidate[record as usize] = true;
        }
        let mut surplus = Surplus {
            may_be_alone: vec![false; self.n_sought],
            partners: Vec::with_capacity(self.n_seekers()),
            ..Surplus::default()
        };
        for record in (0..self.n_sought).filter(|&record| is_candidate[record]) {
            surplus.sought += usize::from(possible.row_of(record).is_none());
            surplus.may_be_alone[record] = possible.column_may_be_alone(record);
        }
        let (mut kept, mut start) = (0, 0);
        for seeker in 0..self.n_seekers() {
            let end = self.starts[seeker + 1];
            let partner = possible.column_of(seeker);
            surplus.partners.push(partner);
            surplus.seekers += usize::from(partner.is_none() && start < end);
            if !possible.row_may_be_alone(seeker) {
                self.nobody[seeker] = 0.0;
            }
            for at in start..end {
                if possible.is_possible(seeker, self.records[at]) {
                    self.records[kept] = self.records[at];
                    self.weights[kept] = self.weights[at];
                    kept += 1;
                }
            }
            start = end;
            self.starts[seeker + 1] = kept;
        }
        self.records.truncate(kept);
        self.weights.truncate(kept);
        surplus
    }
}

/// Seekers in the pieces by which sums are made, whatever the number of threads.
pub(super) fn pieces(n_seekers: usize) -> Vec<Range<usize>> {
    let piece = n_seekers.div_ceil(PIECES).max(1);
    (0..n_seekers.div_ceil(piece))
        .map(|number| number * piece..((number + 1) * piece).min(n_seekers))
        .collect()
}

/// Refuses lists that are too long in all, by the lengths of some.
fn refuse_too_long(lists: &dyn Lists) -> Result<()> {
    const ASKED: usize = 512;
    let n = lists.n_seekers();
    if n == 0 {
        return Ok(());
    }
    let step = n.div_ceil(ASKED);
    let asked: Vec<usize> = (0..n).step_by(step).collect();
    let lengths: Vec<u64> = asked
        .par_iter()
        .map_init(Vec::new, |list, &seeker| {
            lists.unordered(seeker, list);
            list.len() as u64
        })
        .collect();
    let (all, asked) = (
        lengths
            .iter()
            .map(|&length| u128::from(length))
            .sum::<u128>(),
        asked.len() as u128,
    );
    memory::check(
        &format!(
            "to be balanced, the candidates of {n} records, about {} for each,",
            all / asked
        ),
        all * n as u128 / asked,
        CANDIDATE,
        "Use --assign best, let the intruder know more attributes, or fewer records (--known-records)",
    )
}
