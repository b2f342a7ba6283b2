//! What is published about rank swapping and its kin.

use serde::{Deserialize, Serialize};

/// The parameters of rank swapping.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RankSwapParameters {
    /// Percent of the number of records, when the window was given so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
    /// The greatest rank difference of two values that were swapped. Of [`Partner::Cycle`] the greatest move before all are
    /// ranked again: see [`greatest_difference`](Self::greatest_difference).
    pub window: usize,
    /// How a partner was drawn.
    pub partner: Partner,
}

impl RankSwapParameters {
    /// The greatest rank difference of an original value and its masked one: the window m; of [`Partner::Cycle`] 2m − 1.
    ///
    /// Ranks i are moved to i + u, |u| ≤ m, and ranked again. Whoever started at i − 2m or below cannot overtake i, and these are
    /// i − 2m + 1: so i does not fall below rank i − 2m + 1, nor rise above i + 2m − 1. All ranks between can be reached.
    pub fn greatest_difference(&self) -> usize {
        match self.partner {
            Partner::Cycle => self.window.saturating_mul(2).saturating_sub(1),
            Partner::Unswapped | Partner::Skip => self.window,
        }
    }
}

/// How rank swapping draws the partner of a value; the sources leave open what happens when it is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Partner {
    /// Uniformly among the values of the window that were not swapped yet.
    Unswapped,
    /// Uniformly among all values of the window; when that one was swapped already, the value stays.
    Skip,
    /// No partner: each rank is moved by a number drawn uniformly from −window to window, and all are ranked again. Who got
    /// whose value says nothing of who got theirs, as it does where two values are exchanged.
    Cycle,
}

/// The parameters of rank swapping p-buckets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PBucketsParameters {
    /// The number of buckets p: of n values present in ascending order, value i (from 0) is in bucket floor(i · p / n).
    pub buckets: usize,
    /// What happens when a bucket has no unswapped value.
    pub exhausted: Exhausted,
}

/// What p-buckets does with buckets that have no unswapped value; the source leaves it open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Exhausted {
    /// The probabilities are renormalised over the buckets that have one.
    Renormalised,
}

/// The parameters of rank swapping p-distribution.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PDistributionParameters {
    /// Percent of the number of records.
    pub p: f64,
    /// Mean of the normal law of the rank difference, in ranks; what is drawn is rounded to the nearest whole number.
    pub mean: f64,
    /// Its standard deviation, in ranks.
    pub sd: f64,
    /// What happens when the drawn rank does not exist or its value was swapped already.
    pub taken: Taken,
    /// After so many draws in vain the nearest unswapped value is taken.
    pub tries: u32,
}

/// What p-distribution does when the drawn partner cannot be had; the source leaves it open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Taken {
    /// Another rank difference is drawn.
    Redrawn,
}
