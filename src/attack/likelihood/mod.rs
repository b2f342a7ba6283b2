//! The likelihood attack: the intruder who knows the published law of the masking, and links by maximum likelihood.

#![allow(
    clippy::float_cmp,
    reason = "likelihoods are sums of exact multiples: equality is a tie, and −∞ is impossible"
)]

mod both_sides;
mod buckets;
mod centres;
mod chain;
mod copula;
mod cycle;
mod displacement;
mod equality;
mod few;
mod fuzzy;
mod kinds;
mod known;
mod law;
mod marginal;
mod microaggregation;
mod noise;
mod pairs;
pub(super) mod pram;
mod products;
mod ranked;
mod ranks;
mod reach;
mod sum;
mod swapping;
mod swaps;
mod tree;

use std::collections::BTreeMap;

pub(super) use both_sides::BothSides;
use marginal::Marginal;
pub(super) use ranked::Ranked;
pub(super) use swaps::Swaps;

use super::{Attack, Direction, Preference, Scenario, within_strata::Stratum};
use crate::{
    error::{Error, Result},
    statement::{Grouping, Method, Partner, RankSwapParameters, Step},
    table::Scale,
};

/// Record linkage by the likelihood of the published masking (transparency attack).
///
/// ```text
/// log-likelihood that masked record y comes from x = Σ_k ln (P(y_k | x_k) / P(y_k))     (k = the known attributes)
/// link   = the record of greatest likelihood
/// cost   = −log-likelihood
/// ```
///
/// P(y_k), the share of a rank among all n, is the same for all ranks: it decides nothing, but sets the scale in which
/// two unrelated records have a likelihood of 1.
///
/// Attributes are masked independently of each other, so their logarithms add up. P is the law of the published method in
/// ranks among the released values, which swapping does not change: see `attack/likelihood/swapping.rs` and `buckets.rs` for
/// their derivation. Attributes that the statement does not name were not masked, and nominal ones cannot have been swapped:
/// there only equal values are possible.
///
/// Masking by minimal information (`copula`) has a law of all attributes together, which all that were released bear witness of: see
/// `copula/mod.rs`. Of methods that change values, the laws are in values: see `noise.rs`, `fuzzy.rs`, `pram.rs` and `microaggregation.rs` (the last has
/// no random law; what the intruder does not know takes its place). There P(y) is what y is likely to be for anybody whom the
/// intruder knows: see `pairs.rs`. What follows is about laws of ranks.
///
/// # Candidates
/// Where the law has a bound (rank swapping, matrices with zeros), every record inside the window of each attribute: the list is complete, and
/// a list of one is a certain link. Otherwise all records whose log-likelihood is within `ln n + ln 10⁹` of the best one's:
/// the others have less than 10⁻⁹ of the posterior in sum.
///
/// # Ties
/// P is averaged over the ranks that equal values hold. Logarithms are rounded to multiples of 2⁻³⁶, so that sums of them
/// are exact.
///
/// # Missing
/// What either side misses counts nothing: a factor of 1, the likelihood of two unrelated values. Where a statement says that gaps stay in
/// place, and they did ([`Scenario::gap_rules`]), only records with the seeker's missing-value pattern are possible.
///
/// # Values that do not occur in the release
/// stand between two ranks, and are taken to hold both.
///
/// # Shortened releases
/// Of a statement about more records than there are, P is thinned: of the values between two that are k ranks apart, each
/// was released with the same probability.
///
/// # Samples
/// Of a release that is a sample, probabilities that are stated for links take into account that a partner may not be there
/// ([`super::of_sample`]).
///
/// # Complexity
/// An index of ranks: O(n log n) to build; a seeker costs little more than its list. O(n · attributes) memory.
#[derive(Debug, Clone)]
pub struct Likelihood {
    /// What was published.
    published: Step,
    /// The window of each masked attribute, where rank swapping had several.
    windows: BTreeMap<String, usize>,
    /// Whether a statement says so, and with it that gaps stay in place.
    stated: bool,
    /// Records that were masked and left out of the release by a sample.
    left_out: usize,
}

impl Likelihood {
    /// The attack of an intruder who has read this statement.
    ///
    /// # Errors
    /// Usage, when its method has no likelihood here.
    pub fn new(published: Step) -> Result<Self> {
        match published.method {
            Method::RankSwap(_)
            | Method::PBuckets(_)
            | Method::PDistribution(_)
            | Method::Swaps(_)
            | Method::Noise(_)
            | Method::Fuzzy(_)
            | Method::Copula(_)
            | Method::Pram(_)
            | Method::Microaggregation(_) => Ok(Self {
                published,
                windows: BTreeMap::new(),
                stated: true,
                left_out: 0,
            }),
            ref other => Err(no_law(other)),
        }
    }

    /// The attack of an intruder who knows the windows of rank swapping by attribute, and how many records the file
    /// had. Partners are taken to have been drawn among unswapped values. A window of 0, or none, is of an attribute that was
    /// not masked.
    pub fn of_windows(windows: BTreeMap<String, usize>, records: usize) -> Self {
        let masked = windows.iter().filter(|&(_, &window)| window > 0);
        let method = Method::RankSwap(RankSwapParameters {
            p: None,
            window: windows.values().copied().max().unwrap_or(0).max(1),
            partner: Partner::Unswapped,
        });
        let attributes = masked.map(|(name, _)| name.clone()).collect();
        Self {
            published: Step::new(method, records, attributes),
            windows,
            stated: false,
            left_out: 0,
        }
    }

    /// The same of a release that is a sample, of which the statement says how many records it left out.
    #[must_use]
    pub fn leaving_out(self, left_out: usize) -> Self {
        Self { left_out, ..self }
    }

    /// The attack of an intruder who knows that nothing was moved: values are equal, or missing.
    pub fn of_equality(records: usize) -> Self {
        Self {
            stated: true,
            ..Self::of_windows(BTreeMap::new(), records)
        }
    }

    /// The same by the law of a stratum.
    pub(super) fn of_stratum(&self, stratum: Stratum<'_>) -> Self {
        let Stratum { values, records } = stratum;
        Self {
            published: self.published.in_stratum(values, records),
            ..self.clone()
        }
    }

    /// The step whose law it goes by.
    pub fn step(&self) -> &Step {
        &self.published
    }

    /// The window of rank swapping for one attribute; 0 where it was not masked.
    fn window_of(&self, attribute: &String) -> Option<usize> {
        let Method::RankSwap(stated) = &self.published.method else {
            return None;
        };
        Some(if self.published.attributes.contains(attribute) {
            *(self.windows.get(attribute)).unwrap_or(&stated.greatest_difference())
        } else {
            0
        })
    }
}

fn no_law(method: &Method) -> Error {
    Error::other_masking(method.name(), ", of which likelihood knows no law")
        .remedy("Leave likelihood out of --method")
}

impl Attack for Likelihood {
    fn name(&self) -> &'static str {
        "likelihood"
    }

    fn has_candidate_sets(&self) -> bool {
        // Other laws exclude nobody: what their lists leave out is only very unlikely.
        match &self.published.method {
            Method::RankSwap(stated) => stated.partner != Partner::Cycle,
            Method::Microaggregation(_) | Method::Pram(_) => true,
            _ => false,
        }
    }

    fn compares_values(&self) -> bool {
        // Strata are read beside what is known.
        matches!(&self.published.method, Method::Pram(stated) if stated.strata.is_empty())
    }

    fn formula(&self) -> String {
        "sum of ln(P(masked value | original value) / P(masked value)) by the published law".into()
    }

    fn in_words(&self) -> String {
        if self.published.attributes.is_empty() {
            return "knows that values which are there were left as they were (likelihood)".into();
        }
        format!(
            "knows the law of {} (likelihood)",
            self.published.method.name()
        )
    }

    fn caveats(&self, known: &[String]) -> Vec<String> {
        let blocks: Vec<&Vec<String>> = match &self.published.method {
            Method::Fuzzy(stated) => stated
                .blocks
                .iter()
                .map(|block| &block.attributes)
                .collect(),
            Method::Microaggregation(stated) => stated
                .blocks
                .iter()
                .map(|block| &block.attributes)
                .collect(),
            _ => Vec::new(),
        };
        let in_part = |block: &&Vec<String>| {
            let count = block.iter().filter(|name| known.contains(name)).count();
            0 < count && count < block.len()
        };
        let caveat = |block: &Vec<String>| {
            format!(
                "the attributes {} were aggregated together: of who knows a part of them, the likelihoods are approximations",
                block.join(", ")
            )
        };
        let mut caveats: Vec<String> = blocks.into_iter().filter(in_part).map(caveat).collect();
        if let Method::Microaggregation(stated) = &self.published.method
            && matches!(
                stated.algorithm,
                Grouping::Pca { .. } | Grouping::Zscores { .. }
            )
        {
            caveats.push(
                "groups follow each other along a line here, which this law does not use: microagg does, and can find more".into(),
            );
        }
        caveats
    }

    fn reads(&self) -> Vec<String> {
        match &self.published.method {
            Method::Copula(stated) => copula::reads(stated),
            Method::Pram(stated) => stated.strata.clone(),
            _ => Vec::new(),
        }
    }

    fn left_out(&self) -> usize {
        self.left_out
    }

    fn in_stratum(&self, stratum: Stratum<'_>) -> Option<Box<dyn Attack>> {
        Some(Box::new(self.of_stratum(stratum)))
    }

    fn windows(&self, known: &[String]) -> Option<Vec<usize>> {
        known.iter().map(|name| self.window_of(name)).collect()
    }

    fn prepare<'a>(&self, scenario: &Scenario<'a>) -> Result<Preference<'a>> {
        Ok(Preference::Lists(match &self.published.method {
            Method::RankSwap(stated)
                if stated.partner == Partner::Cycle
                    && scenario.direction == Direction::OriginalToMasked =>
            {
                Box::new(Marginal::new(Ranked::of(Swaps::new(self, scenario))))
            }
            Method::RankSwap(_)
            | Method::PBuckets(_)
            | Method::PDistribution(_)
            | Method::Swaps(_) => Box::new(Ranked::of(Swaps::new(self, scenario))),
            Method::Microaggregation(stated) => {
                microaggregation::lists(scenario, &self.published, stated)?
            }
            Method::Fuzzy(stated) => fuzzy::lists(scenario, &self.published, stated)?,
            Method::Copula(stated) => {
                Box::new(copula::Pairs::new(scenario, &self.published, stated))
            }
            Method::Pram(stated) => pram::lists(scenario, &self.published, stated),
            Method::Noise(stated) => return noise::preference(scenario, &self.published, stated),
            other => return Err(no_law(other)),
        }))
    }
}

/// For each known attribute, whether it was masked and has numbers or ordered classes: names are neither moved nor swapped.
fn masked_numbers(scenario: &Scenario<'_>, published: &Step) -> Vec<bool> {
    let attributes = scenario.known.iter().zip(scenario.scales);
    attributes
        .map(|(name, &scale)| scale != Scale::Nominal && published.attributes.contains(name))
        .collect()
}
