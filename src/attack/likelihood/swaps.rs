//! What laws of swapping say of single pairs.

use std::{collections::BTreeMap, sync::Arc};

use rayon::prelude::*;

use super::{
    Likelihood,
    buckets::Buckets,
    cycle::{self, Cycle},
    law::Law,
    masked_numbers,
    ranks::{self, RankedFiles, Ranks},
    swapping,
};
use crate::{
    attack::{Direction, GapRule, Scenario},
    error::{Error, Result},
    statement::{Method, Partner, RankSwapParameters},
};

/// Releases that were shortened to less than this share are taken to have been shortened to it: laws are as long as the file was.
const MIN_SHARE: f64 = 1.0 / 64.0;

/// Two files by ranks, and the law of each known attribute.
#[derive(Debug, Clone)]
pub(in crate::attack) struct Swaps {
    pub(super) laws: Vec<Law>,
    /// Records × attributes.
    pub(super) seekers: Vec<Ranks>,
    pub(super) sought: Vec<Ranks>,
    pub n_seekers: usize,
    pub n_sought: usize,
    /// For each known attribute, what gaps say of pairs.
    pub(super) gaps: Vec<GapRule>,
}

impl Swaps {
    /// Ranks both files. Attributes that were not swapped must be equal.
    ///
    /// # Complexity
    /// O(n log n · attributes).
    pub fn new(attack: &Likelihood, scenario: &Scenario<'_>) -> Self {
        let published = &attack.published;
        let masked = masked_numbers(scenario, published);
        let exact: Vec<bool> = masked.iter().map(|masked| !masked).collect();
        let files = RankedFiles::new(scenario, &exact);
        let n_released = scenario.released.n_records();
        let share = if published.records > n_released {
            (n_released as f64 / published.records as f64).max(MIN_SHARE)
        } else {
            1.0
        };
        // Attributes of one law, as many values and as long ties share it.
        let mut made: BTreeMap<(usize, Option<usize>, usize), Law> = BTreeMap::new();
        let mut laws = Vec::with_capacity(masked.len());
        for (k, (name, &masked)) in scenario.known.iter().zip(&masked).enumerate() {
            let n = files.present[k];
            // What comes between swaps, as long as it was before records were left out.
            let tie = match &published.method {
                Method::Swaps(_) => whole(1.0 + (files.mean_tie[k] - 1.0).max(0.0) / share),
                _ => 1,
            };
            let window = attack.window_of(name);
            laws.push(if masked {
                made.entry((n, window, tie))
                    .or_insert_with(|| match &published.method {
                        Method::Swaps(steps) => {
                            let masked = whole(n as f64 / share);
                            let law = swapping::swaps(steps, tie, masked, share);
                            Law::Displacement(Arc::new(law))
                        }
                        method => law_of(method, window, n, share, scenario.direction),
                    })
                    .clone()
            } else {
                Law::Equal { values: n }
            });
        }
        Self {
            laws,
            seekers: files.seekers,
            sought: files.sought,
            n_seekers: scenario.seekers().n_records(),
            n_sought: scenario.sought().n_records(),
            gaps: scenario.gap_rules(attack.stated),
        }
    }

    /// The same pairs, with these sought records in the places of theirs.
    #[must_use]
    pub fn seeking(self, sought: &[u32]) -> Self {
        Self {
            sought: rows(&self.sought, self.laws.len(), sought),
            n_sought: sought.len(),
            ..self
        }
    }

    /// Seekers with similar numbers have similar candidates.
    pub fn whereabouts(&self, seeker: usize) -> u64 {
        ranks::whereabouts(self.of_seeker(seeker), self.n_seekers.max(self.n_sought))
    }

    /// Whether the law of each known attribute makes some values impossible.
    pub fn is_bounded(&self) -> bool {
        self.laws.iter().all(Law::is_bounded)
    }

    /// For each known attribute, whether its values were swapped.
    pub fn swapped(&self) -> Vec<bool> {
        let laws = self.laws.iter();
        laws.map(|law| !matches!(law, Law::Equal { .. })).collect()
    }

    /// Whether the law leaves this pair possible.
    pub fn admits(&self, seeker: usize, sought: usize) -> bool {
        let ranks = self.of_seeker(seeker).iter().zip(self.of_sought(sought));
        let laws = self.laws.iter().zip(&self.gaps);
        ranks.zip(laws).all(|((&one, &other), (law, gaps))| {
            if one.is_missing() || other.is_missing() {
                gaps.admits(one.is_missing(), other.is_missing())
            } else {
                law.is_possible(one, other)
            }
        })
    }

    /// −log-likelihood of a pair.
    pub fn cost(&self, seeker: usize, sought: usize) -> f64 {
        let logs = self.values(seeker, sought);
        let sum = logs.fold(0.0, |sum, (one, other, law)| sum + law.log_mean(one, other));
        -sum
    }

    /// What a known attribute says of a pair, neither of which misses it: ln of the probability of the change, in the scale in which a
    /// rank drawn at random has 1.
    pub fn log_of_change(&self, attribute: usize, seeker: usize, sought: usize) -> f64 {
        let (one, other) = (self.of_seeker(seeker), self.of_sought(sought));
        self.laws[attribute].log_mean(one[attribute], other[attribute])
    }

    /// The attributes that neither misses.
    fn values(&self, seeker: usize, sought: usize) -> impl Iterator<Item = (Ranks, Ranks, &Law)> {
        let pairs = self.of_seeker(seeker).iter().zip(self.of_sought(sought));
        let values = pairs.zip(&self.laws);
        values
            .filter(|((one, other), _)| !one.is_missing() && !other.is_missing())
            .map(|((&one, &other), law)| (one, other, law))
    }

    pub(super) fn of_seeker(&self, seeker: usize) -> &[Ranks] {
        let width = self.laws.len();
        &self.seekers[seeker * width..(seeker + 1) * width]
    }

    pub(super) fn of_sought(&self, sought: usize) -> &[Ranks] {
        let width = self.laws.len();
        &self.sought[sought * width..(sought + 1) * width]
    }
}

/// The rows of these records.
fn rows(ranks: &[Ranks], width: usize, records: &[u32]) -> Vec<Ranks> {
    let mut rows = vec![Ranks::MISSING; records.len() * width];
    let places = rows.par_chunks_mut(width.max(1)).zip(records);
    places.with_min_len(4096).for_each(|(row, &record)| {
        let record = record as usize * width;
        row.copy_from_slice(&ranks[record..record + width]);
    });
    rows
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "records of a file: at least those that were released"
)]
fn whole(number: f64) -> usize {
    number.round() as usize
}

/// The law of an attribute of which n values were released, a share of those that were masked.
fn law_of(
    method: &Method,
    window: Option<usize>,
    n: usize,
    share: f64,
    direction: Direction,
) -> Law {
    let masked = whole(n as f64 / share);
    match method {
        Method::RankSwap(RankSwapParameters {
            partner: Partner::Cycle,
            window,
            ..
        }) if !cycle::is_short(*window, masked) => Law::Cycle(Arc::new(Cycle::new(
            *window,
            n,
            share,
            direction == Direction::MaskedToOriginal,
        ))),
        Method::RankSwap(stated) => Law::Displacement(Arc::new(swapping::rank_swapping(
            match stated.partner {
                Partner::Cycle => stated.window,
                Partner::Unswapped | Partner::Skip => window.unwrap_or(stated.window),
            },
            stated.partner,
            masked,
            share,
        ))),
        Method::PDistribution(stated) => {
            Law::Displacement(Arc::new(swapping::p_distribution(stated, masked, share)))
        }
        Method::PBuckets(stated) => Law::Buckets(Arc::new(Buckets::new(stated.buckets, n))),
        _ => Law::Equal { values: n },
    }
}

impl Likelihood {
    /// How many records the masked file had.
    pub(in crate::attack) fn masked_records(&self) -> usize {
        self.published.records
    }

    /// The published method.
    pub(in crate::attack) fn method(&self) -> &Method {
        &self.published.method
    }

    /// Refuses what exchanges no pairs of values.
    ///
    /// # Errors
    /// Usage.
    pub(in crate::attack) fn refuse_unless_swapping(&self) -> Result<()> {
        match &self.published.method {
            Method::RankSwap(stated) if stated.partner == Partner::Cycle => Err(Error::other_masking(
                self.published.method.name(),
                " without partners (cycle); involution is the attack on values that were exchanged in pairs",
            )
            .remedy("Leave involution out of --method")),
            Method::RankSwap(_) | Method::PBuckets(_) | Method::PDistribution(_) => Ok(()),
            other => Err(Error::other_masking(
                other.name(),
                "; involution is the attack on values that were swapped (rankswap, pbuckets, pdistribution)",
            )
            .remedy("Leave involution out of --method")),
        }
    }
}
