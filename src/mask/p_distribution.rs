//! Rank swapping p-distribution: each value changes places with one whose distance in ranks is drawn from a normal law.

use rand_distr::{Distribution, StandardNormal};

use super::{
    Mask, Masked,
    rank_order::{self, Swaps, Unswapped, mask_by_swapping},
    rank_swap::Reach,
};
use crate::{
    error::{Error, Result},
    rng::{Generator, Streams},
    statement::{Method, PDistributionParameters, Taken},
    table::{AttrId, Table},
};

/// Rank swapping p-distribution.
///
/// ```text
/// m = p · records / 100
/// sort the values of an attribute ascending: a_0 ≤ … ≤ a_(n−1)
/// for i = 0 to n−1, if a_i was not swapped yet:
///     draw r from the normal law with mean m/2 and standard deviation m/2, rounded to the nearest whole number,
///     until l = i + r is the position of another value that was not swapped yet; then swap a_i and a_l
/// undo the sort
/// ```
///
/// Each attribute is masked independently of the others. Every value may meet every other: what is published confines
/// nobody to a window. m is not rounded, and it counts the records of the *file*, missing values or not, so that one law
/// holds for all attributes.
///
/// # Taken partners
/// A draw that hits no partner is repeated. After [`TRIES`](Self::TRIES) draws in vain the nearest unswapped value is
/// taken. Ascending order leaves no unswapped value behind, so r < 1 (16 % of the law and a little more) is never kept, the
/// nearest one lies above and there is one such; of an odd number of values the last one left finds nobody and stays.
/// The mean and the sd are those of the law before redrawing: the swaps that come about are farther apart on average.
/// Draws fail so often only within about m / 200 ranks of the top, where few places are left to go to.
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
/// unswapped value in ascending order, unless it is the last one left, normal numbers until one is kept.
///
/// # Complexity
/// A few draws a value beside the sort, as [`TRIES`](Self::TRIES) are rare; one bit a value.
///
/// # Source
/// J. Nin, J. Herranz, V. Torra, "Rethinking rank swapping to decrease disclosure risk", Data & Knowledge Engineering 64,
/// 2008: l = i + r, r from N(0.5p, 0.5p). The unit of p, that its second parameter is a standard deviation, the rounding,
/// and what is done with ranks that do not exist or are taken are our reading.
#[derive(Debug, Clone)]
pub struct PDistribution {
    percent: f64,
}

impl PDistribution {
    /// How often a rank difference is drawn before the nearest unswapped value is taken.
    pub const TRIES: u32 = 1000;

    /// Rank swapping with p percent of the number of records.
    ///
    /// # Errors
    /// Usage, unless 0 < p ≤ 100.
    pub fn new(percent: f64) -> Result<Self> {
        Reach::percent(percent).map_err(|_| {
            Error::no_percentage("p").remedy(
                "For example --p 5 swaps values 2.5 % of the records apart in rank on average",
            )
        })?;
        Ok(Self { percent })
    }
}

impl Mask for PDistribution {
    fn name(&self) -> &'static str {
        "pdistribution"
    }

    fn objection(&self, table: &Table, attribute: AttrId) -> Option<Error> {
        rank_order::objection(table, attribute)
    }

    fn apply(&self, original: Table, on: &[AttrId], streams: &Streams) -> Result<Masked> {
        let records = original.n_records();
        rank_order::refuse_fewer_than_two(records)?;
        if Reach::Percent(self.percent).window(records) == 0 {
            let what = format!(
                "p = {} percent of {records} records is less than 1 rank: everybody would be swapped with a neighbour",
                self.percent
            );
            let least = rank_order::least_percent(records);
            return Err(Error::out_of_range("p", least..=100.0, what)
                .remedy(format!("Give --p {least} or more")));
        }
        let half = self.percent * records as f64 / 200.0;
        let method = Method::PDistribution(PDistributionParameters {
            p: self.percent,
            mean: half,
            sd: half,
            taken: Taken::Redrawn,
            tries: Self::TRIES,
        });
        mask_by_swapping(original, on, streams, method, |values, rng| {
            swap(values, half, rng)
        })
    }
}

/// Draws the partners among values in ascending order.
fn swap(n: usize, half: f64, rng: &mut Generator) -> Swaps {
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
        let Some(nearest) = unswapped.next(i) else {
            swaps.without_partner += 1;
            continue;
        };
        let l = (0..PDistribution::TRIES)
            .find_map(|_| position(i, n, half, rng).filter(|&l| unswapped.contains(l)))
            .unwrap_or(nearest);
        unswapped.remove(l);
        swaps.push(i, l);
    }
    swaps
}

/// Draws a position from the normal law around `i + half`; `None` where there is none.
fn position(i: usize, n: usize, half: f64, rng: &mut Generator) -> Option<usize> {
    let normal: f64 = StandardNormal.sample(rng);
    let l = i as f64 + (half + half * normal).round();
    if l < 0.0 || l >= n as f64 {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "compared with the ends before"
    )]
    let position = l as usize;
    Some(position)
}
