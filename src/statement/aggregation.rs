//! What is published about microaggregation, fuzzy or not.

use serde::{Deserialize, Serialize};

/// The parameters of microaggregation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MicroaggregationParameters {
    /// How records were grouped.
    pub algorithm: Grouping,
    /// The attributes that were aggregated together, with the least number of records a group.
    pub blocks: Vec<AggregatedBlock>,
    /// On what scale distances were taken.
    pub scale: DistanceScale,
    /// The average of all attributes that are in none of the next two lists.
    pub average: Average,
    /// Ordinal attributes, which got the lower median of their group.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub medians: Vec<String>,
    /// Nominal attributes, which got the mode of their group.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub modes: Vec<String>,
    /// Whether averages were rounded to the decimals of their attribute (whole numbers to whole numbers).
    pub rounded: bool,
}

/// A block of attributes that were aggregated together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AggregatedBlock {
    /// The attributes that were aggregated together, by name.
    pub attributes: Vec<String>,
    /// The least number of records a group.
    pub k: usize,
}

/// How microaggregation groups records.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Grouping {
    /// Maximum distance to average vector: groups of k around the farthest records.
    Mdav,
    /// MDAV with groups of k to 2k − 1, which fewer than k leftovers then join.
    #[serde(rename = "v-mdav")]
    VMdav {
        /// How much nearer than to others a record must be to join a group.
        gamma: f64,
    },
    /// A tour through the groups of MDAV, cut at the least cost.
    MdavMhm,
    /// MDAV, then exchanges of records between near groups until none lowers the SSE.
    Exchange,
    /// The optimum of one attribute.
    Univariate,
    /// The optimum of each attribute on its own.
    IndividualRanking,
    /// Along the first principal component, cut at the least cost.
    Pca {
        /// What is least.
        cost: ArcCost,
    },
    /// Along the sum of z-scores, cut at the least cost.
    Zscores {
        /// What is least.
        cost: ArcCost,
    },
}

impl Grouping {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mdav => "mdav",
            Self::VMdav { .. } => "v-mdav",
            Self::MdavMhm => "mdav-mhm",
            Self::Exchange => "exchange",
            Self::Univariate => "univariate",
            Self::IndividualRanking => "individual-ranking",
            Self::Pca { .. } => "pca",
            Self::Zscores { .. } => "zscores",
        }
    }
}

/// What a cut along a line minimises: the squared errors within its groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ArcCost {
    /// Of the projections.
    Projected,
    /// Of all attributes of the block.
    Multivariate,
}

/// On what scale a method takes distances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum DistanceScale {
    /// Attributes minus their mean, divided by their standard deviation.
    #[default]
    Z,
    /// The file's own units.
    None,
}

/// The average of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Average {
    /// The mean.
    Mean,
    /// The median; of an even number of values the mean of the two middle ones.
    Median,
}

/// The parameters of fuzzy microaggregation.
///
/// The law that was applied, as far as the sources leave it open: with Z a value x is compared as (x − mean)/sd, both of the
/// original attribute (sd with divisor n−1); a missing value stands at the mean; a record of which |x − v_i|² is 0 for t centres
/// belongs to each of them with 1/t; memberships are those of the centres before rounding. The centres of a block are the
/// different combinations of values that its attributes have in the release, as far as they were drawn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FuzzyParameters {
    /// Fuzziness of the clustering.
    pub m1: f64,
    /// Fuzziness of the memberships by which a cluster was drawn.
    pub m2: f64,
    /// In which units distances were taken.
    pub scale: DistanceScale,
    /// Whether masked values were rounded to the decimals of their attribute (whole numbers to whole numbers).
    pub rounded: bool,
    /// The attributes that were aggregated together.
    pub blocks: Vec<FuzzyBlock>,
}

/// Attributes that were aggregated together by fuzzy microaggregation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FuzzyBlock {
    /// The attributes that were aggregated together, by name.
    pub attributes: Vec<String>,
    /// The least number of records that should share a centre on average, when the clusters were counted so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub k: Option<usize>,
    /// Number of clusters.
    pub clusters: usize,
}
