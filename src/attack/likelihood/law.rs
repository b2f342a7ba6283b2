//! What a masking can make of a value, as a law of ranks.

use std::sync::Arc;

use super::{
    buckets::{self, Buckets},
    cycle::Cycle,
    displacement::{self, Displacement, rounded},
    ranks::Ranks,
};

/// The law of an attribute: how likely a masked rank is for an original one. All but [`Cycle`] are symmetric, so that it does not
/// matter which of two records is the original; that one knows.
#[derive(Debug, Clone)]
pub(super) enum Law {
    /// It was not masked, or cannot have been: equal values only.
    Equal {
        /// How many values were released.
        values: usize,
    },
    /// A law of the displacement in rank.
    Displacement(Arc<Displacement>),
    /// A law of buckets.
    Buckets(Arc<Buckets>),
    /// The law of ranks that are moved and ranked again.
    Cycle(Arc<Cycle>),
}

impl Law {
    /// ln of the probability of one value (the seeker's) for the other, averaged over the ranks of equal values and divided by that of a
    /// rank drawn at random; −∞ if it is impossible. Both values are there.
    #[inline]
    pub fn log_mean(&self, one: Ranks, other: Ranks) -> f64 {
        match self {
            Self::Equal { values } if one == other && one.low < one.high => {
                rounded((*values as f64 / one.count()).ln())
            }
            Self::Equal { .. } => f64::NEG_INFINITY,
            Self::Displacement(law) => law.log_mean(one, other),
            Self::Buckets(law) => law.log_mean(one, other),
            Self::Cycle(law) => law.log_mean(one, other),
        }
    }

    /// The law for the value of one seeker.
    pub fn of(&self, own: Ranks) -> OfSeeker<'_> {
        match self {
            Self::Displacement(law) => OfSeeker::Displacement(Box::new(law.of(own))),
            Self::Buckets(law) => OfSeeker::Buckets(law.of(own)),
            Self::Equal { .. } | Self::Cycle(_) => OfSeeker::Other(self, own),
        }
    }

    /// Whether [`log_mean`](Self::log_mean) is above −∞.
    pub fn is_possible(&self, one: Ranks, other: Ranks) -> bool {
        match self {
            Self::Displacement(law) => law.is_possible(one, other),
            _ => self.log_mean(one, other) > f64::NEG_INFINITY,
        }
    }

    /// What ranks ask of others, or else the law excludes them: that they end above the one number and do not begin above
    /// the other. Anything is fine for what is missing.
    pub fn asked_by(&self, ranks: Ranks) -> (u32, u32) {
        match self {
            _ if ranks.is_missing() => (0, u32::MAX),
            // They are the same.
            Self::Equal { .. } => (ranks.high.saturating_sub(1), ranks.low),
            Self::Displacement(law) if law.is_bounded() => {
                // The greatest difference that is possible.
                let most = u32::try_from(law.n_displacements()).unwrap_or(u32::MAX);
                let most = most.saturating_sub(1);
                (
                    ranks.low.saturating_sub(most),
                    ranks.high.saturating_sub(1).saturating_add(most),
                )
            }
            Self::Displacement(_) | Self::Buckets(_) | Self::Cycle(_) => (0, u32::MAX),
        }
    }

    /// No less than [`log_mean`](Self::log_mean) of any ranks inside an interval.
    pub fn most(&self, one: Ranks, interval: Ranks) -> f64 {
        match self {
            Self::Equal { .. } if one.low < interval.low || interval.high < one.high => {
                f64::NEG_INFINITY
            }
            Self::Equal { .. } => self.log_mean(one, one),
            Self::Displacement(law) => law.most(one, interval),
            Self::Buckets(law) => law.most(one, interval),
            Self::Cycle(law) => law.most(one, interval),
        }
    }

    /// Whether it makes some values impossible.
    pub fn is_bounded(&self) -> bool {
        match self {
            Self::Equal { .. } => true,
            Self::Displacement(law) => law.is_bounded(),
            Self::Buckets(_) | Self::Cycle(_) => false,
        }
    }
}

/// A law for the value of one seeker, who is compared with many: what depends on that value alone is worked out.
#[derive(Debug)]
pub(super) enum OfSeeker<'a> {
    /// That of the displacement in rank.
    Displacement(Box<displacement::OfTie<'a>>),
    /// That of buckets.
    Buckets(buckets::OfTie<'a>),
    /// Another one.
    Other(&'a Law, Ranks),
}
