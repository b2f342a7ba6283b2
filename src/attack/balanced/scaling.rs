//! Rows and columns are scaled in turns.

use rayon::prelude::*;

use super::candidates::{Candidates, Surplus, pieces};

/// Rounds of scaling, at most.
pub(super) const ROUNDS: u32 = 2000;

/// Rounds after which it is seen how fast scaling settles.
const STRETCH: u32 = 10;

/// Scaling has settled when the columns' factors will change by no more than this share on average, however long it goes on.
const SETTLED: f64 = 1e-4;

/// Steps go no farther than this beyond what would balance.
const FARTHEST: f64 = 1.95;

/// What rows and columns are multiplied by.
#[derive(Debug)]
pub(super) struct Factors {
    pub seekers: Vec<f64>,
    pub sought: Vec<f64>,
    /// Of having no partner.
    pub nobody: f64,
    /// Of being the record of a stranger.
    pub unknown: f64,
    pub rounds: u32,
    /// Whether more rounds would change nothing that matters.
    pub settled: bool,
    /// How far a step goes beyond what would balance: logarithms of factors change by so many times what they should.
    step: f64,
}

impl Factors {
    /// Scales until that changes nothing any more, in so many rounds at most.
    ///
    /// # Law
    /// Let d be the mean change of the columns' factors in a round, which shrinks by a factor q a round, as ten rounds show: d q / (1 − q) is
    /// still to come. That, and not d, must be small: where scaling is slow, d is small long before it has settled.
    ///
    /// Where it is slow, steps are made longer (successive over-relaxation of the logarithms): with steps ω the error shrinks by λ, and
    /// `(λ + ω − 1)² = λ ω² μ²` gives μ, by whose square it would shrink without; `ω = 2 / (1 + √(1 − μ²))` is the best. Steps that
    /// make it grow are made shorter again.
    ///
    /// # Source
    /// D. M. Young, "Iterative methods for solving partial difference equations of elliptic type", Transactions of the AMS 76, 1954; A.
    /// Thibault, L. Chizat, C. Dossal, N. Papadakis, "Overrelaxed Sinkhorn–Knopp algorithm for regularized optimal transport",
    /// Algorithms 14, 2021.
    pub(super) fn of(candidates: &Candidates, surplus: &Surplus, rounds: u32) -> Self {
        let mut factors = Self {
            seekers: vec![1.0; candidates.n_seekers()],
            sought: vec![1.0; candidates.n_sought],
            nobody: f64::from(u8::from(surplus.seekers > 0)),
            unknown: 0.0,
            rounds: 0,
            settled: false,
            step: 1.0,
        };
        if surplus.sought > 0 {
            factors.unknown = factors.strangers(surplus);
        }
        let mut before = f64::INFINITY;
        while factors.rounds < rounds && !factors.settled {
            let mut change = 0.0;
            for _ in 0..STRETCH {
                change = factors.round(candidates, surplus);
                factors.rounds += 1;
            }
            let shrinks = (change / before).powf(1.0 / f64::from(STRETCH));
            let still = change * shrinks / (1.0 - shrinks);
            // Changes of nothing but rounding shrink no more.
            factors.settled =
                change < 1e-12 || (before.is_finite() && shrinks < 1.0 && still < SETTLED);
            if shrinks >= 1.0 {
                factors.step = 1.0 + (factors.step - 1.0) / 2.0;
            } else if before.is_finite() && shrinks > factors.step - 1.0 {
                let step = factors.step;
                let slow = (shrinks + step - 1.0).powi(2) / (shrinks * step * step);
                factors.step = (2.0 / (1.0 + (1.0 - slow).max(0.0).sqrt())).min(FARTHEST);
            }
            before = change;
        }
        factors.step = 1.0;
        factors.seekers = factors.rows(candidates).0;
        factors
    }

    /// Scales rows and columns once; the mean change of the columns' factors.
    fn round(&mut self, candidates: &Candidates, surplus: &Surplus) -> f64 {
        let (seekers, sums) = self.rows(candidates);
        self.seekers = seekers;
        if surplus.seekers > 0 {
            let absent = self.seekers.iter().zip(&candidates.nobody);
            let sum = absent.fold(0.0, |sum, (factor, nobody)| sum + factor * nobody);
            self.nobody = self.stepped(self.nobody, surplus.seekers as f64 / sum);
        }
        let (step, unknown) = (self.step, self.unknown);
        let (mut change, mut columns) = (0.0, 0_u64);
        let records = self.sought.iter_mut().zip(&surplus.may_be_alone);
        for ((factor, &alone), sum) in records.zip(sums) {
            if sum > 0.0 {
                let strangers = if alone { unknown } else { 0.0 };
                let new = stepped(*factor, 1.0 / (sum + strangers), step);
                change += (new / *factor).ln().abs();
                columns += 1;
                *factor = new;
            }
        }
        if surplus.sought > 0 {
            self.unknown = self.stepped(unknown, self.strangers(surplus));
        }
        change / columns.max(1) as f64
    }

    /// The factor by which the strangers' row sums to their number.
    fn strangers(&self, surplus: &Surplus) -> f64 {
        let of_record = self.sought.iter().zip(&surplus.may_be_alone);
        let alone = of_record.filter(|(_, alone)| **alone);
        finite(surplus.sought as f64 / alone.fold(0.0, |sum, (factor, _)| sum + factor))
    }

    fn stepped(&self, from: f64, to: f64) -> f64 {
        stepped(from, to, self.step)
    }

    /// The factors by which rows sum to 1 (or beyond, by the step), and the sums of the columns that they leave.
    fn rows(&self, candidates: &Candidates) -> (Vec<f64>, Vec<f64>) {
        let n_seekers = candidates.n_seekers();
        let pieces: Vec<(Vec<f64>, Vec<f64>)> = pieces(n_seekers)
            .into_par_iter()
            .map(|seekers| {
                let mut sums = vec![0.0; candidates.n_sought];
                let mut list = Vec::new();
                let factors = seekers
                    .map(|seeker| {
                        list.clear();
                        list.extend(candidates.lists.list(seeker));
                        let absent = self.nobody * candidates.nobody[seeker];
                        let sum = list.iter().fold(absent, |sum, &(record, weight)| {
                            sum + weight * self.sought[record as usize]
                        });
                        if sum <= 0.0 {
                            return 0.0;
                        }
                        let factor = self.stepped(self.seekers[seeker], 1.0 / sum);
                        for &(record, weight) in &list {
                            sums[record as usize] += factor * weight;
                        }
                        factor
                    })
                    .collect();
                (factors, sums)
            })
            .collect();
        let mut factors = Vec::with_capacity(n_seekers);
        let mut sums = vec![0.0; candidates.n_sought];
        for (of_piece, sums_of_piece) in pieces {
            factors.extend(of_piece);
            for (sum, more) in sums.iter_mut().zip(sums_of_piece) {
                *sum += more;
            }
        }
        (factors, sums)
    }
}

/// A step from one factor towards another, and beyond it.
fn stepped(from: f64, to: f64, step: f64) -> f64 {
    finite(if step > 1.0 {
        from * (to / from).powf(step)
    } else {
        to
    })
}

/// Likelihoods that differ by hundreds of digits could take factors beyond what numbers hold.
fn finite(factor: f64) -> f64 {
    factor.clamp(1e-250, 1e250)
}
