//! Learning a distance: from two aligned files to the best parameters and a bound that nothing exceeds.

mod growing;
mod half_spaces;
mod warm_up;

use super::{
    competitors::{Competitors, Room, Sure},
    differences::Differences,
    exactly::Exactly,
    family::Family,
    starts::additive,
};
use crate::{
    attack::Decides,
    error::Result,
    optimize::subsystem::{Answer, Problem, Proof, Start, Watch},
};
use growing::Growing;
pub(super) use half_spaces::{least_share, lifted};

/// Most pairs times attributes of which all rows are listed at once.
const MAX_LISTED: usize = 9_000_000;

/// Attributes up to which most rows of a thousand records follow from few others.
const FEW_ATTRIBUTES: usize = 8;

/// The best distance of a family, and why there is none better.
#[derive(Debug, Clone)]
pub struct Learned {
    /// The parameters, in the family's space.
    pub parameters: Vec<f64>,
    /// How many seekers they link: all competitors are farther than the partner by more than rounding. Counted over all pairs.
    pub satisfied: usize,
    /// No parameters of the family link more (by more than rounding: [`crate::optimize::subsystem`]).
    pub bound: usize,
    /// Why: of `problem`, to whose bound the seekers of `always` come.
    pub proof: Proof,
    /// The problem that the proof speaks of. Each row is one of the competitors of its block's seeker, and is called
    /// ([`Rows::label`](crate::optimize::subsystem::Rows::label)) by the sought record's number. It need not hold all
    /// competitors: a bound for some holds for all.
    pub problem: Problem,
    /// The seeker of each block.
    pub block_seekers: Vec<u32>,
    /// Seekers that no parameters link, each with a competitor that is nowhere farther than the partner.
    pub never: Vec<(u32, u32)>,
    /// Seekers that no competitor stands against. Together with the blocks, the never linked and those without a partner these
    /// are all.
    pub always: Vec<u32>,
    /// For `sb-nc`: the pair (seeker, sought) of each listed half-space of `problem`, in order.
    pub pairs: Vec<(u32, u32)>,
}

/// Finds the parameters that link the most seekers to their partners (`partners[seeker]`; `None`: no partner, never linked).
///
/// `engine` solves a problem, from a start with what is known already: the best parameters, conflicts, and how much of a gap is of no matter yet
/// ([`Start::tolerance`]). Of small files all rows that matter are listed and it is asked once. Of others it is given a relaxation
/// with some competitors of each seeker:
///
/// ```text
/// the nearest competitors at several parameters
/// repeat: solve; count the parameters over all pairs; add the competitors that are nearer than the partner
/// until bound = count
/// ```
///
/// Any bound of a relaxation holds for all rows; any count is one of all pairs. When the watch stops, the least bound and the
/// best count so far are returned; nothing was counted if it stops before the end of the first count.
///
/// # Complexity
/// Memory is O(records · n + rows), also of a million records. A round counts by a k-d tree, O(records · log records) where few attributes decide; of a
/// bilinear family it looks at all pairs, O(records² · n²).
///
/// # Errors
/// Usage, when the family has too many parameters for this many attributes.
pub(super) fn learn(
    competitors: &Competitors<&Differences<'_>>,
    partners: &[Option<u32>],
    engine: &mut dyn FnMut(&Problem, Start) -> Answer,
    watch: &dyn Watch,
) -> Result<Learned> {
    learn_listing(competitors, partners, engine, watch, MAX_LISTED)
}

/// Learns; of files up to `most_listed` pairs times attributes all rows are listed.
fn learn_listing(
    competitors: &Competitors<&Differences<'_>>,
    partners: &[Option<u32>],
    engine: &mut dyn FnMut(&Problem, Start) -> Answer,
    watch: &dyn Watch,
    most_listed: usize,
) -> Result<Learned> {
    let (differences, family) = (competitors.differences, competitors.family);
    let space = family.space(differences.n_attributes())?;
    let mut growing = Growing::new(space, competitors);
    if lists_all(differences, family, most_listed) {
        growing.list_all(partners)
    } else {
        growing.list_none(partners)
    }
    growing.bound = growing.blocks.len() + growing.always.len();
    if !family.is_mean() {
        // A weighted mean is of every family but the ordered one: none must find less than line searches do there.
        let mean = Family::WeightedMean;
        let space = mean.space(differences.n_attributes())?;
        let of_means = Competitors::new(differences, mean);
        let mut means = Growing::new(space, &of_means);
        means.list_none(partners);
        means.warm_up(watch);
        growing.consider(&additive(family, &means.parameters), watch);
    }
    growing.warm_up(watch);
    growing.complete();
    let mut tolerance = if growing.is_complete {
        0
    } else {
        growing.blocks.len() / 100
    };
    loop {
        if watch.stops() {
            return Ok(growing.learned());
        }
        let start = Start {
            parameters: Some(growing.parameters.clone()),
            conflicts: std::mem::take(&mut growing.conflicts),
            tolerance,
        };
        let answer = engine(&growing.problem, start);
        let grew = growing.hear(answer, watch);
        let gap = growing.bound.saturating_sub(growing.satisfied);
        if gap == 0 || watch.stops() || (!grew && tolerance == 0) {
            return Ok(growing.learned());
        }
        // A rough bound first: it finds rows that are missing at little cost.
        if !grew || gap <= 2 * tolerance {
            tolerance = 0;
        }
    }
}

/// How many seekers these parameters link, over all pairs, when nothing is rounded: what the plain linkage counts strictly.
///
/// # Complexity
/// As a round of [`learn`].
pub(super) fn count(
    competitors: &Competitors<&Differences<'_>>,
    partners: &[Option<u32>],
    parameters: &[f64],
) -> usize {
    let decides = Exactly::new(competitors.differences, competitors.family, parameters);
    let sure = competitors.sure(partners, parameters, |seeker| decides.doubt(seeker));
    let linked = |room: &mut Room, seeker: usize| {
        partners[seeker].is_some_and(|partner| {
            let partner = partner as usize;
            match sure.as_ref().map_or(Sure::Nothing, |sure| sure[seeker]) {
                Sure::Linked => true,
                Sure::Beaten => false,
                Sure::Nothing => {
                    competitors.links_exactly(seeker, partner, parameters, &decides, room)
                }
            }
        })
    };
    let linked = competitors.of_each(&competitors.order(partners), linked);
    linked.into_iter().filter(|&linked| linked).count()
}

/// Whether all rows are listed at once: of a monotone family with few enough pairs. A bilinear form needs few of all its rows.
fn lists_all(differences: &Differences<'_>, family: Family, most: usize) -> bool {
    let n = differences.n_attributes();
    let pairs = differences
        .n_seekers()
        .saturating_mul(differences.n_sought());
    let most = if n <= FEW_ATTRIBUTES { most } else { most / 4 };
    family.is_monotone() && pairs.saturating_mul(n) <= most
}

#[cfg(test)]
mod tests;
