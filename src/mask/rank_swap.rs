//! Rank swapping: each value changes places with another whose rank is near.

use rand::RngExt;
use serde::{Deserialize, Serialize};

use super::{
    Mask, Masked,
    rank_order::{self, Moves, Swaps, Unswapped, mask_by_moving, mask_by_swapping},
};
use crate::{
    error::{Error, Result},
    rng::{Generator, Streams},
    statement::{Method, Partner, RankSwapParameters},
    table::{AttrId, Table},
};

/// How far apart in rank two values may be that are swapped.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reach {
    /// Percent of the number of records, 0 < p ≤ 100.
    Percent(f64),
    /// A number of ranks, at least 1.
    Window(usize),
}

impl Reach {
    /// A percentage of the number of records.
    ///
    /// # Errors
    /// Usage, unless 0 < p ≤ 100.
    pub fn percent(p: f64) -> Result<Self> {
        if p > 0.0 && p <= 100.0 {
            Ok(Self::Percent(p))
        } else {
            Err(Error::no_percentage("p")
                .remedy("For example --p 5 swaps values at most 5 % of the records apart in rank"))
        }
    }

    /// The greatest rank difference of a swap among `records` records: `floor(p · records / 100)`, or the window.
    ///
    /// The records of the *file* are counted, missing values or not, so that one window holds for all attributes.
    pub fn window(self, records: usize) -> usize {
        match self {
            Self::Window(window) => window,
            Self::Percent(p) => {
                // p is a decimal number that binary cannot hold: 0.57 · 10,000 / 100 must be 57, not 56.999…
                let exact = p * records as f64 / 100.0;
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "p is in 0..=100, so the window is at most the number of records"
                )]
                let window = (exact * (1.0 + 4.0 * f64::EPSILON)).floor() as usize;
                window
            }
        }
    }
}

/// Rank swapping with a reach and a rule for taken partners.
///
/// ```text
/// sort the attribute ascending;  m = window
/// for i = 1..n:  if a_i is unswapped: draw l from i+1 ..= min(n, i+m); swap a_i and a_l; mark both
/// undo the sort
/// ```
///
/// With [`Partner::Cycle`] nobody has a partner: rank i is moved to `y_i = i + u_i`, u_i uniform between −m and m, and the value of rank
/// i is replaced by the one whose rank is that of y_i among all y. No value ends more than 2m − 1 ranks away.
///
/// Each attribute is masked on its own, so its distribution is kept exactly and its correlations are not.
///
/// # Ties
/// Equal values stand in random order, so that the place of a record in the file says nothing about its partner.
/// Two equal values may be partners: nothing moves then, and both count as unchanged. Whole numbers beyond 2^53, which
/// an `f64` cannot distinguish, are compared by their digits.
///
/// # Missing
/// Left in place; the other values are ranked among themselves.
///
/// # Randomness
/// `Purpose::Mask`, one stream an attribute. Drawn in this order: the shuffle of each run of ties, ascending; then a
/// partner (or u) for each value in ascending order.
///
/// # Source
/// R. A. Moore, "Controlled data-swapping techniques for masking public use microdata sets", US Bureau of the Census,
/// 1996; the pseudo-code of J. Nin, J. Herranz, V. Torra, "Rethinking rank swapping to decrease disclosure risk",
/// Data & Knowledge Engineering 64, 2008. The sources do not say what to do when a_l was swapped already: see
/// [`Partner`]. `Cycle` is our own.
#[derive(Debug, Clone)]
pub struct RankSwap {
    reach: Reach,
    partner: Partner,
}

impl RankSwap {
    /// Rank swapping with checked parameters.
    ///
    /// # Errors
    /// Usage, when p is not in 0 < p ≤ 100 or the window is 0.
    pub fn new(reach: Reach, partner: Partner) -> Result<Self> {
        match reach {
            Reach::Percent(p) => Reach::percent(p).map(|reach| Self { reach, partner }),
            Reach::Window(0) => Err(
                Error::option_out_of_range("window", 1.0.., "0 swaps nothing")
                    .remedy("Give a window of at least 1 rank"),
            ),
            Reach::Window(_) => Ok(Self { reach, partner }),
        }
    }
}

impl Mask for RankSwap {
    fn name(&self) -> &'static str {
        "rankswap"
    }

    fn objection(&self, table: &Table, attribute: AttrId) -> Option<Error> {
        rank_order::objection(table, attribute)
    }

    fn apply(&self, original: Table, on: &[AttrId], streams: &Streams) -> Result<Masked> {
        let records = original.n_records();
        rank_order::refuse_fewer_than_two(records)?;
        // No two of n values are more than n − 1 ranks apart.
        let window = self.reach.window(records).min(records - 1);
        if let (Reach::Percent(p), 0) = (self.reach, window) {
            let what = format!(
                "p = {p} percent of {records} records is a window of 0 ranks: nothing would be swapped"
            );
            let least = rank_order::least_percent(records);
            return Err(Error::out_of_range("p", least..=100.0, what)
                .remedy(format!("Give --p {least} or more, or --window 1")));
        }
        let method = Method::RankSwap(RankSwapParameters {
            p: match self.reach {
                Reach::Percent(p) => Some(p),
                Reach::Window(_) => None,
            },
            window,
            partner: self.partner,
        });
        if self.partner == Partner::Cycle {
            return mask_by_moving(original, on, streams, method, |values, rng| {
                moved(values, window, rng)
            });
        }
        mask_by_swapping(original, on, streams, method, |values, rng| {
            swap(values, window, self.partner, rng)
        })
    }
}

/// Draws the partners among values in ascending order.
///
/// # Complexity
/// A partner costs O(1) draws while enough of the window is unswapped, else O(window / 64).
fn swap(n: usize, window: usize, partner: Partner, rng: &mut Generator) -> Swaps {
    let mut unswapped = Unswapped::new(n);
    let mut swaps = Swaps {
        pairs: Vec::with_capacity(n / 2),
        without_partner: 0,
    };
    for i in 0..n {
        if !unswapped.contains(i) {
            continue;
        }
        unswapped.remove(i);
        let last = i.saturating_add(window).min(n - 1);
        let drawn = match partner {
            _ if i == last => None,
            Partner::Skip => {
                Some(rng.random_range(i + 1..=last)).filter(|&l| unswapped.contains(l))
            }
            // Who has no partner does not come here.
            Partner::Unswapped | Partner::Cycle => unswapped.draw(i + 1, last, rng),
        };
        match drawn {
            Some(l) => {
                unswapped.remove(l);
                swaps.push(i, l);
            }
            None => swaps.without_partner += 1,
        }
    }
    swaps
}

/// Moves the ranks of n values by up to `window` and ranks them again. Places that rounding makes equal keep their order.
///
/// # Complexity
/// O(n log n).
fn moved(n: usize, window: usize, rng: &mut Generator) -> Moves {
    let mut places: Vec<(f64, u32)> = (0..n)
        .zip(0..)
        .map(|(rank, number)| {
            let unit: f64 = rng.random();
            (rank as f64 + window as f64 * (2.0 * unit - 1.0), number)
        })
        .collect();
    places.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut sources = vec![0; n];
    for (source, &(_, rank)) in (0..).zip(&places) {
        sources[rank as usize] = source;
    }
    Moves {
        sources,
        without_partner: 0,
    }
}
