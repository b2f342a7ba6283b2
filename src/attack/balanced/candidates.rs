//! The candidates of all seekers, written down, without those that are in no matching.

use std::ops::Range;

use rayon::prelude::*;

use super::{PIECES, Unlisted, packed::Packed};
use crate::{
    attack::Lists,
    error::Result,
    memory,
    optimize::assignment::{
        maximum::{Graph, Place},
        possible::Possible,
    },
};

/// Who may be whose, and how likely.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    pub n_sought: usize,
    /// The candidates of each seeker, with exp(least cost of the seeker − cost).
    pub lists: Packed,
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

impl Surplus {
    /// What a column sums to: that of a sought record, or the one after the last, of having no partner.
    pub(super) fn of_column(&self, column: usize) -> f64 {
        if column < self.may_be_alone.len() {
            1.0
        } else {
            self.seekers as f64
        }
    }

    /// Whether a column may be a stranger's.
    pub(super) fn may_be_alone(&self, column: usize) -> bool {
        self.may_be_alone.get(column) == Some(&true)
    }

    /// The sum of these numbers, one a column, over those that may be a stranger's.
    pub(super) fn of_alone(&self, numbers: &[f64]) -> f64 {
        let both = numbers.iter().zip(&self.may_be_alone);
        both.fold(
            0.0,
            |sum, (number, &alone)| {
                if alone { sum + number } else { sum }
            },
        )
    }
}

impl Candidates {
    /// Writes lists down: see [`Packed`] for how, and [`negligible`] for what is left out.
    ///
    /// # Errors
    /// Failed, when the lists are longer than memory should hold.
    pub(super) fn of(lists: &dyn Lists, unlisted: Unlisted) -> Result<Self> {
        refuse_too_long(lists, unlisted)?;
        let pieces: Vec<Self> = pieces(lists.n_seekers())
            .into_par_iter()
            .with_max_len(1)
            .map(|seekers| Self::of_piece(lists, unlisted, seekers))
            .collect();
        Ok(Self::joined(lists.n_sought(), pieces))
    }

    /// Gives the candidates the likelihoods of other lists, which hold them and perhaps others.
    pub(super) fn reweigh(&mut self, lists: &dyn Lists) {
        let pieces = pieces(self.n_seekers());
        let nobody = (self.lists).reweigh(&pieces, |seeker, records, logs, list: &mut Vec<_>| {
            lists.list(seeker, list);
            let least = least_cost(list);
            let mut records = records.peekable();
            for (record, cost) in &*list {
                if records.next_if_eq(record).is_some() {
                    logs.push(least - cost);
                }
            }
            nobody(list, least)
        });
        for (own, new) in self.nobody.iter_mut().zip(nobody) {
            // Who must have a partner still must.
            if *own > 0.0 {
                *own = new;
            }
        }
    }

    fn joined(n_sought: usize, pieces: Vec<Self>) -> Self {
        let nobody = pieces.iter().flat_map(|piece| piece.nobody.clone());
        let nobody = nobody.collect();
        let parts: Vec<Packed> = pieces.into_iter().map(|piece| piece.lists).collect();
        let mut all = Packed::for_all(&parts);
        for part in parts {
            all.append(part);
        }
        Self {
            n_sought,
            lists: all,
            nobody,
        }
    }

    fn of_piece(
        lists: &dyn Lists,
        unlisted: Unlisted,
        seekers: impl Iterator<Item = usize>,
    ) -> Self {
        let mut piece = Self::default();
        let mut list = Vec::new();
        for seeker in seekers {
            lists.list(seeker, &mut list);
            let least = least_cost(&list);
            piece.nobody.push(nobody(&list, least));
            if unlisted == Unlisted::Unlikely {
                let beyond = negligible(&list, least);
                list.retain(|&(_, cost)| cost - least < beyond);
            }
            let logs = list.iter().map(|&(record, cost)| (record, least - cost));
            piece.lists.push(logs);
        }
        piece
    }

    pub(super) fn n_seekers(&self) -> usize {
        self.nobody.len()
    }

    /// Removes the pairs that are in no matching with the most pairs; what such a matching leaves over.
    pub(super) fn prune(&mut self) -> Surplus {
        let possible = Possible::of(&*self);
        let mut is_candidate = vec![false; self.n_sought];
        let mut surplus = Surplus {
            may_be_alone: vec![false; self.n_sought],
            partners: Vec::with_capacity(self.n_seekers()),
            ..Surplus::default()
        };
        for seeker in 0..self.n_seekers() {
            let partner = possible.column_of(seeker);
            surplus.partners.push(partner);
            let is_empty = self.lists.range(seeker).is_empty();
            surplus.seekers += usize::from(partner.is_none() && !is_empty);
            if !possible.row_may_be_alone(seeker) {
                self.nobody[seeker] = 0.0;
            }
            for record in self.lists.records(seeker) {
                is_candidate[record as usize] = true;
            }
        }
        for record in (0..self.n_sought).filter(|&record| is_candidate[record]) {
            surplus.sought += usize::from(possible.row_of(record).is_none());
            surplus.may_be_alone[record] = possible.column_may_be_alone(record);
        }
        self.lists
            .retain(|seeker, record| possible.is_possible(seeker, record));
        surplus
    }
}

impl Graph for &Candidates {
    fn n_rows(self) -> usize {
        self.n_seekers()
    }

    fn n_columns(self) -> usize {
        self.n_sought
    }

    fn first(self, row: usize) -> Place {
        self.lists.first(row)
    }

    fn at(self, row: usize, place: Place) -> Option<(u32, Place)> {
        self.lists.at(row, place)
    }
}

fn least_cost(list: &[(u32, f64)]) -> f64 {
    let costs = list.iter().map(|&(_, cost)| cost);
    costs.fold(f64::INFINITY, f64::min)
}

/// The weight of having no partner, of a seeker with this list and this least cost.
fn nobody(list: &[(u32, f64)], least: f64) -> f64 {
    // The likelihood of two unrelated records is 1. Who has no better candidate than e^-600 has none.
    if list.is_empty() {
        0.0
    } else {
        least.min(600.0).exp()
    }
}

/// How far above the least cost candidates lie that have, with all beyond, less than a billionth of the likelihood of a list.
///
/// Costs are counted in quarters, so that equal ones stay together and nothing is sorted.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "not negative, and cut off by the number of steps"
)]
fn negligible(list: &[(u32, f64)], least: f64) -> f64 {
    const LEFT_OUT: f64 = 1e-9;
    const STEPS: usize = 256;
    const OF_ONE: f64 = 4.0;
    let mut sums = [0.0; STEPS];
    for (_, cost) in list {
        let step = ((cost - least) * OF_ONE) as usize;
        sums[step.min(STEPS - 1)] += (least - cost).exp();
    }
    let all: f64 = sums.iter().sum();
    let (mut beyond, mut sum) = (STEPS, sums[STEPS - 1]);
    while sum <= LEFT_OUT * all && beyond > 1 {
        beyond -= 1;
        sum += sums[beyond - 1];
    }
    if beyond == STEPS {
        return f64::INFINITY;
    }
    beyond as f64 / OF_ONE
}

/// Seekers in the pieces by which sums are made, whatever the number of threads.
pub(super) fn pieces(n_seekers: usize) -> Vec<Range<usize>> {
    let piece = n_seekers.div_ceil(PIECES).max(1);
    (0..n_seekers.div_ceil(piece))
        .map(|number| number * piece..((number + 1) * piece).min(n_seekers))
        .collect()
}

/// Refuses lists that are too long in all, by what some take.
fn refuse_too_long(lists: &dyn Lists, unlisted: Unlisted) -> Result<()> {
    const ASKED: usize = 512;
    let n = lists.n_seekers();
    if n == 0 {
        return Ok(());
    }
    let asked: Vec<usize> = (0..n).step_by(n.div_ceil(ASKED)).collect();
    let taken: Vec<[u128; 2]> = asked
        .par_iter()
        .map(|&seeker| {
            let lists = Candidates::of_piece(lists, unlisted, std::iter::once(seeker)).lists;
            [lists.n_records() as u128, lists.bytes() as u128]
        })
        .collect();
    let asked = asked.len() as u128;
    let [records, bytes] = [0, 1].map(|what| taken.iter().map(|of| of[what]).sum::<u128>());
    memory::check(
        &format!(
            "to be balanced, the candidates of {n} records, about {} for each,",
            records / asked
        ),
        bytes * n as u128 / asked,
        1,
        "Use --assign best, let the intruder know more attributes, or fewer records (--known-records)",
    )
}

#[cfg(test)]
mod tests {
    use super::negligible;

    /// By hand: of weights e^−k, those from k on are the share e^−k of all, which is 1.1e-9 at 20.6 and 7.6e-10 at 21.
    #[test]
    fn a_billionth_is_left_out() {
        let list: Vec<(u32, f64)> = (0..60).map(|k| (k, 5.0 + f64::from(k))).collect();
        let beyond = negligible(&list, 5.0);
        assert!(beyond > 20.0 && beyond <= 21.0, "{beyond}");
        // Equal likelihoods are never negligible; huge ones are no more than the end of the scale.
        assert!(negligible(&[(0, 1.0), (1, 1.0)], 1.0) > 0.0);
        assert!(negligible(&[(0, 1.0), (1, 1e4)], 1.0) <= 63.75);
    }
}
