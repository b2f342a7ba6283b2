//! What `mask` is asked for.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    evaluate::shard::Shard,
    jobs::link::request::{Known, KnownRecords},
    mask::{
        Rounding,
        copula::Keep,
        fuzzy::{Settings, StartingCentres},
        noise,
        rank_swap::Reach,
    },
    statement::{
        Average, CopulaAllocation, DistanceScale, Grouping, IpsoVariant, MissingMatches, Partner,
        SampleSize,
    },
};

/// All that a call of `mask` means, and nothing of how it was typed. The table is given beside it, so that one request can be made of
/// many files; lists of attributes are of names or positions ([`Table::select`](crate::table::Table::select)) and are looked up there.
///
/// No request holds a secret, whoever keeps or sends it: its bytes are given beside the table.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct MaskRequest {
    /// The method with its parameters.
    pub method: MethodRequest,
    /// The attributes to mask; all quasi-identifiers that the method can mask if `None`. Without use where the method names its own.
    pub attributes: Option<String>,
    /// Attributes that are left out of the masked file.
    pub dropped: Option<String>,
    /// Whether identifiers stay in the masked file: for evaluation, never for a release.
    pub keeps_identifiers: bool,
    /// What is kept beside the method.
    pub kept: KeepRequest,
    /// The attributes whose combinations of values are strata, within each of which the method is applied by itself; none if `None`. Samples
    /// and post-randomisation have strata among their parameters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strata: Option<String>,
    /// Which part of the masked file's attributes is masked here, the others elsewhere ([`part`](super::part)); all if `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
}

impl MaskRequest {
    /// A method on all quasi-identifiers that it can mask; identifiers are left out.
    pub fn new(method: MethodRequest) -> Self {
        Self {
            method,
            attributes: None,
            dropped: None,
            keeps_identifiers: false,
            kept: KeepRequest::default(),
            strata: None,
            shard: None,
        }
    }

    /// Whether a seed decides what becomes of the records, by the method or by what is kept beside it.
    pub fn is_random(&self) -> bool {
        match &self.method {
            MethodRequest::Copula(copula) if copula.secret.is_some() => false,
            method => method.draws() || self.kept.zeros_within.is_some(),
        }
    }
}

/// What is kept beside the method.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct KeepRequest {
    /// Totals that are worked out anew from their masked parts, each as `total=a+b`.
    pub sums: Vec<String>,
    /// How far zeros move at most, in percent of the records, if they are kept.
    pub zeros_within: Option<f64>,
}

/// A method with its parameters.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MethodRequest {
    /// `rankswap`: values change places with values of near rank.
    #[serde(rename = "rankswap")]
    RankSwap {
        /// How far.
        reach: Reach,
        /// With whom.
        partner: Partner,
    },
    /// `pbuckets`: values change places with one of a bucket drawn at random.
    #[serde(rename = "pbuckets")]
    PBuckets {
        /// Number of buckets.
        buckets: usize,
    },
    /// `pdistribution`: the rank difference of a swap follows a normal law.
    #[serde(rename = "pdistribution")]
    PDistribution {
        /// Twice the mean of the law, in percent of the records.
        p: f64,
    },
    /// `noise`: a normal number is added to each value.
    Noise {
        /// Variance of the noise in units of the attribute's variance.
        level: f64,
        /// Whether it is correlated, what it restores, and how values are rounded.
        options: noise::Options,
    },
    /// `ipso`: predictions from the confidential attributes.
    Ipso(IpsoRequest),
    /// `microagg`: similar records get the average of their group.
    #[serde(rename = "microagg")]
    Microaggregation(MicroaggregationRequest),
    /// `fuzzy`: records get the centre of a cluster drawn by their memberships.
    Fuzzy(FuzzyRequest),
    /// `copula`: masking by minimal information.
    Copula(CopulaRequest),
    /// `recode`: by the rules of a file.
    Recode(RulesFile),
    /// `suppress`: single values become missing.
    Suppress(SuppressRequest),
    /// `sample`: a random part of the records.
    Sample {
        /// How many.
        size: SampleSize,
        /// The attributes whose combinations of values are strata; none if `None`.
        strata: Option<String>,
    },
    /// `pram`: categories become others with published probabilities.
    Pram(PramRequest),
}

impl MethodRequest {
    /// The name of the file that holds the parameters, if one does.
    pub fn rules_file(&self) -> Option<&str> {
        match self {
            Self::Recode(rules) | Self::Suppress(SuppressRequest::Rules(rules)) => {
                Some(&rules.file)
            }
            Self::Pram(PramRequest {
                transitions: TransitionsRequest::Matrix(matrix),
                ..
            }) => Some(&matrix.file),
            _ => None,
        }
    }

    /// Whether the method looks at how cells are written, one by one, rather than at numbers: then the text of a large file had
    /// better stay ([`ReadOptions::condense_from`](crate::table::ReadOptions::condense_from)).
    pub fn looks_at_text(&self) -> bool {
        match self {
            Self::Recode(_) | Self::Suppress(_) | Self::Pram(_) => true,
            Self::RankSwap { .. }
            | Self::PBuckets { .. }
            | Self::PDistribution { .. }
            | Self::Noise { .. }
            | Self::Fuzzy(_)
            | Self::Copula(_)
            | Self::Sample { .. }
            | Self::Ipso(_)
            | Self::Microaggregation(_) => false,
        }
    }

    /// Whether the method draws random numbers.
    fn draws(&self) -> bool {
        match self {
            Self::RankSwap { .. }
            | Self::PBuckets { .. }
            | Self::PDistribution { .. }
            | Self::Noise { .. }
            | Self::Fuzzy(_)
            | Self::Copula(_)
            | Self::Pram(_)
            | Self::Sample { .. } => true,
            Self::Ipso(ipso) => ipso.variant != IpsoVariant::A,
            Self::Microaggregation(_) | Self::Recode(_) | Self::Suppress(_) => false,
        }
    }
}

/// The parameters of `ipso`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct IpsoRequest {
    /// What is kept of the regression.
    pub variant: IpsoVariant,
    /// The attributes that are kept and from which the others are predicted; those with the role *confidential* if `None`.
    pub confidential: Option<String>,
    /// Whether the regression has a constant.
    pub intercept: bool,
    /// The decimals of new numbers.
    pub rounding: Rounding,
}

/// The parameters of `microagg`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct MicroaggregationRequest {
    /// Least number of records a group, for blocks that have no number of their own.
    pub k: Option<usize>,
    /// Blocks of attributes that are aggregated together, each a list with or without `:k` behind it; all in one if there are none.
    pub groups: Vec<String>,
    /// How records are grouped.
    pub algorithm: Grouping,
    /// In which units distances are taken.
    pub scale: DistanceScale,
    /// The average of continuous attributes.
    pub average: Average,
    /// The decimals of new numbers.
    pub rounding: Rounding,
}

/// The parameters of `fuzzy`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FuzzyRequest {
    /// Fuzziness of the clustering.
    pub m1: f64,
    /// Fuzziness of the draw.
    pub m2: f64,
    /// How many clusters there are, for blocks that have no number of their own.
    pub clusters: Option<ClusterNumber>,
    /// Blocks of attributes, each a list with or without `:number` behind it; all in one if there are none.
    pub groups: Vec<String>,
    /// Where the clustering starts; at records drawn at random if `None`.
    pub starting: Option<StartingCentres>,
    /// What has a usual value.
    pub settings: Settings,
}

/// How many clusters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClusterNumber {
    /// So many that on average k to 2k records share a centre.
    Occupancy(usize),
    /// So many.
    Count(usize),
}

/// The parameters of `copula`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CopulaRequest {
    /// How much is kept.
    pub keep: CopulaKeep,
    /// How many components the mixture has; by the size of the file if `None`.
    pub components: Option<usize>,
    /// How directions share what is kept.
    pub allocation: CopulaAllocation,
    /// Lists of attributes that shall lose less (above 1) or more, with the weight of each of them.
    pub weights: Vec<(String, f64)>,
    /// Attributes that stay as they are, and to which relations are kept.
    pub given: Option<String>,
    /// Whether records and values far out are protected more.
    pub protect_extremes: bool,
    /// Whether the noise gets exact moments; by the size of the file if `None`.
    pub exact_moments: Option<bool>,
    /// Whether the noise comes from a secret, and not from the seed.
    pub secret: Option<SecretUse>,
}

/// How much is kept by `copula`, and what is measured of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CopulaKeep {
    /// As much as is stated; an intruder's success on drafts is measured if one is described.
    Stated(Keep, Option<IntruderRequest>),
    /// As much as lets this intruder link so many on drafts at most: a share above 0.
    Risk(f64, IntruderRequest),
}

impl CopulaKeep {
    /// What is stated of how much is kept.
    pub fn stated(&self) -> Option<Keep> {
        match self {
            Self::Stated(keep, _) => Some(*keep),
            Self::Risk(..) => None,
        }
    }
}

/// An intruder who attacks drafts of the masked file.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct IntruderRequest {
    /// Which attributes are known.
    pub known: Known,
    /// Of which records.
    pub records: KnownRecords,
}

/// That noise comes from a secret.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SecretUse {
    /// The attribute that says who somebody is; the identifier of the table if `None`.
    pub identifier: Option<String>,
}

/// A file of rules, or of a matrix.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RulesFile {
    /// Its name, for messages.
    pub file: String,
    /// Its text: TOML of rules, CSV of a matrix.
    pub text: String,
    /// The texts of the files that it names, by the names that it gives them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
}

/// The parameters of `pram`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PramRequest {
    /// Where transition matrices come from.
    pub transitions: TransitionsRequest,
    /// Whether they are made invariant.
    pub invariant: bool,
    /// The attributes whose combinations of values are strata; none if `None`.
    pub strata: Option<String>,
}

/// Where transition matrices come from.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TransitionsRequest {
    /// Each category is kept with this probability.
    Keep(f64),
    /// A file has the matrix.
    Matrix(RulesFile),
}

/// The parameters of `suppress`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SuppressRequest {
    /// Until every record matches so many on a key.
    Key {
        /// How many, itself among them.
        k: usize,
        /// The attributes of the key.
        key: String,
        /// What a missing value matches.
        missing: MissingMatches,
    },
    /// By the rules of a file.
    Rules(RulesFile),
}
