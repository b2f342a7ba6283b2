//! The law of fuzzy microaggregation: memberships.

use super::{
    centres::{Block, Kernel, Space},
    equality::Equality,
    masked_numbers,
    pairs::{PairLaw, Pairs},
};
use crate::{
    attack::{Lists, Scenario},
    error::Result,
    statement::{FuzzyParameters, Step},
    stats::{membership::Fuzziness, moments::moments_by_attribute},
    table::matrix::Matrix,
};

/// The likelihoods of fuzzy microaggregation.
///
/// ```text
/// P(y | x) = Π over blocks of u_v(x),   v the centre that y shows,  u by the published m2
/// ```
///
/// The centres of a block are the different combinations of its values in the release. (Centres that nobody drew do not show;
/// they are unlikely for everybody.) How many released records share a centre enters by `f(y)`: see `pairs.rs`.
///
/// # What the intruder does not know
/// Distances were taken in units of the original's standard deviations. They are the intruder's own records' if they hold as many as were
/// released; else the intruder takes the release's, which are smaller, the more so the fuzzier: in proportion, mostly.
///
/// # Parts of blocks
/// Of a block that is known in part, distances are taken over that part: an approximation, since what is not known decided too.
///
/// # Rounded
/// Memberships were those of the centres before rounding: an approximation where centres are few units apart.
///
/// # Missing
/// A missing value stands at the mean when memberships are computed, as it did. A released record with gaps is taken to have the first
/// centre that agrees with what it shows; where none does, or where gaps may be suppressed cells ([`Scenario::gaps_in_place`]), the
/// block says nothing.
///
/// # Errors
/// Usage, when the published m2 is none.
pub(super) fn lists<'a>(
    scenario: &Scenario<'a>,
    published: &Step,
    stated: &FuzzyParameters,
) -> Result<Box<dyn Lists + 'a>> {
    let masked = masked_numbers(scenario, published);
    let exponent = 1.0 / (Fuzziness::new(stated.m2)?.m() - 1.0);
    let (intruder, released) = (scenario.intruder, scenario.released);
    let moments = if scenario.holds_all() {
        moments_by_attribute(intruder)
    } else {
        moments_by_attribute(released)
    };
    let blocks = stated
        .blocks
        .iter()
        .map(|block| {
            let places: Vec<usize> = (0..masked.len())
                .filter(|&k| masked[k] && block.attributes.contains(&scenario.known[k]))
                .collect();
            places
        })
        .filter(|places| !places.is_empty())
        .map(|places| {
            let space = Space::new(&places, &moments, stated.scale)?;
            Ok(Block::new(scenario, &space, Kernel::Power { exponent }))
        })
        .collect::<Result<Vec<Block>>>()?;
    let law = FuzzyLaw {
        intruder,
        released,
        agreement: Equality::new(scenario, masked),
        blocks,
    };
    Ok(Box::new(Pairs::new(scenario, law)))
}

/// Likelihoods of pairs under fuzzy microaggregation.
#[derive(Debug)]
struct FuzzyLaw<'a> {
    intruder: &'a Matrix,
    released: &'a Matrix,
    agreement: Equality,
    blocks: Vec<Block>,
}

impl PairLaw for FuzzyLaw<'_> {
    fn log_likelihood(&self, intruder: usize, released: usize) -> f64 {
        if !self
            .agreement
            .admits(self.intruder, (intruder, released), self.released)
        {
            return f64::NEG_INFINITY;
        }
        self.blocks
            .iter()
            .map(|block| block.log_probability(intruder, released))
            .fold(0.0, |sum, term| sum + term)
    }

    fn log_background(&self, intruder: usize, released: usize) -> f64 {
        let share = |block: &Block| block.log_share(intruder, released);
        self.blocks
            .iter()
            .map(share)
            .fold(0.0, |sum, term| sum + term)
    }

    fn is_complete(&self, intruder: usize) -> bool {
        !self.intruder.has_missing(intruder)
    }
}
