//! What an office publishes about a masking, as the transparency principle asks: method and parameters, never the
//! seed, never who swapped with whom.
//!
//! The statement is the only thing that passes from a masking to an intruder. It lives below both, so that neither
//! needs to see the other.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// The schema name and version of a statement.
pub const SCHEMA: &str = "sdcrisk.statement/1";

/// What was published about a masked file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Statement {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// Version of the program that masked.
    pub version: String,
    /// The method and its parameters.
    #[serde(flatten)]
    pub method: Method,
    /// Number of records of the masked file.
    pub records: usize,
    /// The attributes that were masked; all others are as they were collected.
    pub attributes: Vec<String>,
    /// What was done with missing values.
    pub missing: String,
}

/// A masking method with the parameters that were in effect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "method", content = "parameters", rename_all = "lowercase")]
#[non_exhaustive]
pub enum Method {
    /// Rank swapping.
    RankSwap(RankSwapParameters),
    /// Microaggregation.
    #[serde(rename = "microagg")]
    Microaggregation(MicroaggregationParameters),
    /// Fuzzy microaggregation.
    Fuzzy(FuzzyParameters),
    /// Rank swapping p-buckets.
    PBuckets(PBucketsParameters),
    /// Rank swapping p-distribution.
    PDistribution(PDistributionParameters),
    /// Additive noise.
    Noise(NoiseParameters),
    /// Information preserving statistical obfuscation.
    Ipso(IpsoParameters),
    /// Global recoding.
    Recode(RecodeParameters),
    /// Local suppression.
    Suppress(SuppressParameters),
}

impl Method {
    /// Its name on the command line.
    pub fn name(&self) -> &'static str {
        match self {
            Self::RankSwap(_) => "rankswap",
            Self::Microaggregation(_) => "microagg",
            Self::Fuzzy(_) => "fuzzy",
            Self::PBuckets(_) => "pbuckets",
            Self::PDistribution(_) => "pdistribution",
            Self::Noise(_) => "noise",
            Self::Ipso(_) => "ipso",
            Self::Recode(_) => "recode",
            Self::Suppress(_) => "suppress",
        }
    }
}

/// The parameters of rank swapping.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RankSwapParameters {
    /// Percent of the number of records, when the window was given so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
    /// The greatest rank difference of two values that were swapped.
    pub window: usize,
    /// How a partner was drawn.
    pub partner: Partner,
}

/// How rank swapping draws the partner of a value; the sources leave open what happens when it is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Partner {
    /// Uniformly among the values of the window that were not swapped yet.
    Unswapped,
    /// Uniformly among all values of the window; when that one was swapped already, the value stays.
    Skip,
}

/// The parameters of microaggregation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MicroaggregationParameters {
    /// How records were grouped.
    pub algorithm: Grouping,
    /// The attributes that were aggregated together, with the least number of records a group.
    pub blocks: Vec<AggregatedBlock>,
    /// On what scale distances were taken.
    pub scale: DistanceScale,
    /// The average of continuous attributes; ordinal ones got the lower median, nominal ones the mode.
    pub average: Average,
    /// Whether averages of whole numbers were rounded to whole numbers.
    pub rounded: bool,
}

/// A block of attributes that were aggregated together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AggregatedBlock {
    /// The attributes.
    pub attributes: Vec<String>,
    /// The least number of records a group.
    pub k: usize,
}

/// How microaggregation groups records.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grouping {
    /// Maximum distance to average vector: groups of k around the farthest records.
    Mdav,
    /// MDAV with groups of k to 2k − 1.
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

/// What a cut along a line minimises: the squared errors within its groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ArcCost {
    /// Of the projections.
    Projected,
    /// Of all attributes of the block.
    Multivariate,
}

/// On what scale a method takes distances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
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
#[serde(deny_unknown_fields)]
pub struct FuzzyParameters {
    /// Fuzziness of the clustering.
    pub m1: f64,
    /// Fuzziness of the memberships by which a cluster was drawn.
    pub m2: f64,
    /// In which units distances were taken.
    pub scale: DistanceScale,
    /// Whether masked values of attributes of whole numbers were rounded.
    pub rounded: bool,
    /// The attributes that were aggregated together.
    pub blocks: Vec<FuzzyBlock>,
}

/// Attributes that were aggregated together by fuzzy microaggregation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FuzzyBlock {
    /// The attributes.
    pub attributes: Vec<String>,
    /// The least number of records that should share a centre on average, when the clusters were counted so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub k: Option<usize>,
    /// Number of clusters.
    pub clusters: usize,
}

/// The parameters of rank swapping p-buckets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PBucketsParameters {
    /// The number of buckets p: of n values present in ascending order, value i (from 0) is in bucket floor(i · p / n).
    pub buckets: usize,
    /// What happens when a bucket has no unswapped value.
    pub exhausted: Exhausted,
}

/// What p-buckets does with buckets that have no unswapped value; the source leaves it open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Exhausted {
    /// The probabilities are renormalised over the buckets that have one.
    Renormalised,
}

/// The parameters of rank swapping p-distribution.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
#[serde(rename_all = "lowercase")]
pub enum Taken {
    /// Another rank difference is drawn.
    Redrawn,
}

/// The parameters of additive noise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoiseParameters {
    /// The law of the noise; its mean is 0.
    pub law: NoiseLaw,
    /// k in Var(noise) = k · Var(original), or Cov(noise) = k · Cov(original).
    pub level: f64,
    /// Whether noise has the covariances of the original, or is independent between attributes.
    pub correlated: bool,
    /// Whether a linear transformation of each masked attribute restored the mean and the standard deviation of the original.
    pub restored: bool,
    /// Whether attributes of whole numbers were rounded to whole numbers, last of all.
    pub rounded: bool,
}

/// The parameters of IPSO.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IpsoParameters {
    /// What was kept of the regression.
    pub variant: IpsoVariant,
    /// The attributes that were kept as they are, and on which the others were regressed.
    pub confidential: Vec<String>,
    /// Whether the regression had a constant.
    pub intercept: bool,
    /// Whether new values of whole-number attributes were rounded, so that what is kept is kept nearly only.
    pub rounded: bool,
}

/// What IPSO keeps of the regression of the replaced attributes on the kept ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IpsoVariant {
    /// Fitted values: the coefficients, without any scatter around them.
    A,
    /// Fitted values with random scatter: the coefficients exactly.
    B,
    /// Fitted values with random scatter of the same covariance: the coefficients and that covariance exactly.
    C,
}

impl IpsoVariant {
    /// Its letter.
    pub fn word(self) -> &'static str {
        match self {
            Self::A => "a",
            Self::B => "b",
            Self::C => "c",
        }
    }
}

/// The law of additive noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NoiseLaw {
    /// Normal.
    Normal,
}

/// The parameters of global recoding: its rules, which a user of the file must know to read it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecodeParameters {
    /// One rule an attribute.
    pub rules: Vec<RecodingRule>,
}

/// How the values of one attribute were recoded. Numbers in it have a decimal point, whatever mark the file has.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct RecodingRule {
    /// The attribute.
    pub attribute: String,
    /// Categories that became missing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub suppress: Vec<String>,
    /// The attribute became missing where each of these others had one of these categories.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub suppress_where: BTreeMap<String, Vec<String>>,
    /// The new text of each category; those of a group share one.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub map: BTreeMap<String, String>,
    /// The new text of all other categories; `None` where they were kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub others: Option<String>,
    /// Numbers below it became it, or the label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bottom: Option<f64>,
    /// Stands for all numbers below `bottom`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bottom_label: Option<String>,
    /// Numbers above it became it, or the label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top: Option<f64>,
    /// Stands for `top` and all numbers above.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_label: Option<String>,
    /// Numbers between the bounds were rounded to multiples of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<f64>,
    /// Classes of numbers, each with its lower break and without its upper one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub breaks: Vec<f64>,
    /// The text of each class: below the first break, between breaks, from the last one on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
}

/// The parameters of local suppression.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuppressParameters {
    /// Each record that has a value of the key matches at least this many records, itself among them.
    pub k: usize,
    /// The attributes of the key.
    pub key: Vec<String>,
    /// What a missing value of the key matches.
    #[serde(rename = "missing-matches")]
    pub missing: MissingMatches,
    /// How unwillingly a value of an attribute of the key was suppressed; 1 where nothing is said.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub importance: BTreeMap<String, f64>,
    /// Categories that were suppressed wherever they stood.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub suppress: BTreeMap<String, Vec<String>>,
}

/// What a missing value of a key matches when records are compared; programs differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MissingMatches {
    /// Every value, missing or not: nothing contradicts the match. The rule of sdcMicro and mu-ARGUS.
    #[default]
    Any,
    /// Only a missing value, as if it were a category of its own.
    Missing,
}

impl Statement {
    /// A statement by this version of the program.
    pub fn new(method: Method, records: usize, attributes: Vec<String>) -> Self {
        Self {
            schema: SCHEMA.into(),
            version: env!("CARGO_PKG_VERSION").into(),
            method,
            records,
            attributes,
            missing: "left in place".into(),
        }
    }

    /// What is wrong with the parameters, if no masking can have had them.
    pub fn nonsense(&self) -> Option<&'static str> {
        let positive = |number: f64| number > 0.0 && number.is_finite();
        match &self.method {
            Method::RankSwap(stated) => {
                (stated.window == 0).then_some("states a window of 0 ranks")
            }
            Method::Microaggregation(stated) => {
                let makes_sense = !stated.blocks.is_empty()
                    && stated.blocks.iter().all(|block| {
                        block.k > 1 && block.k <= self.records && !block.attributes.is_empty()
                    });
                (!makes_sense).then_some("states groups of attributes or records that cannot be")
            }
            Method::Fuzzy(stated) => {
                let makes_sense = stated.m1 > 1.0
                    && stated.m2 > 1.0
                    && !stated.blocks.is_empty()
                    && stated
                        .blocks
                        .iter()
                        .all(|block| block.clusters > 0 && !block.attributes.is_empty());
                (!makes_sense).then_some("states clusters that cannot be")
            }
            Method::PBuckets(stated) => (stated.buckets == 0 || stated.buckets > self.records)
                .then_some("states a number of buckets that this many records cannot fill"),
            Method::PDistribution(stated) => {
                let makes_sense = positive(stated.p)
                    && stated.p <= 100.0
                    && positive(stated.mean)
                    && positive(stated.sd)
                    && stated.tries > 0;
                (!makes_sense).then_some("states a law of rank differences that is none")
            }
            Method::Recode(stated) => stated
                .rules
                .is_empty()
                .then_some("states no rule of recoding"),
            Method::Suppress(stated) => (stated.k < 2 || stated.key.is_empty())
                .then_some("states a key or a k that protects nobody"),
            Method::Ipso(stated) => stated
                .confidential
                .is_empty()
                .then_some("states no attribute that was kept"),
            Method::Noise(stated) => {
                (!positive(stated.level)).then_some("states a level of noise that is not above 0")
            }
        }
    }

    /// As JSON text.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self)
            .unwrap_or_else(|_| unreachable!("a statement holds strings and finite numbers only"));
        text.push('\n');
        text
    }

    /// From JSON text.
    ///
    /// # Errors
    /// Input, when it is not a statement of this schema.
    pub fn from_json(name: &str, text: &str) -> Result<Self> {
        let wrong = |what: String| {
            Error::input(what)
                .in_file(name)
                .remedy("Give the file that 'sdcrisk mask --statement FILE' wrote")
        };
        let statement: Self = serde_json::from_str(text).map_err(|error| {
            wrong(format!(
                "is not a statement of a masking ({})",
                without_values(&error)
            ))
        })?;
        if statement.schema != SCHEMA {
            return Err(wrong(format!("is not of the schema {SCHEMA}")));
        }
        Ok(statement)
    }
}

/// What a JSON error says of place and kind: its full text could quote the content.
fn without_values(error: &serde_json::Error) -> String {
    let kind = match error.classify() {
        serde_json::error::Category::Syntax => "no JSON",
        serde_json::error::Category::Eof => "ends too early",
        serde_json::error::Category::Data => "a key is missing, unknown or of the wrong kind",
        serde_json::error::Category::Io => "unreadable",
    };
    if error.line() == 0 {
        kind.into()
    } else {
        format!("{kind}, line {}", error.line())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Statement {
        Statement::new(
            Method::RankSwap(RankSwapParameters {
                p: Some(2.0),
                window: 21,
                partner: Partner::Unswapped,
            }),
            1080,
            vec!["AGI".into(), "FICA".into()],
        )
    }

    #[test]
    fn reads_what_it_wrote() {
        let text = example().to_json();
        assert_eq!(Statement::from_json("s.json", &text).unwrap(), example());
        assert!(text.contains(r#""method": "rankswap""#), "{text}");
        assert!(!text.contains("seed"));
    }

    #[test]
    fn fuzzy_microaggregation_tells_its_law_and_no_more() {
        let block = |k, clusters| FuzzyBlock {
            attributes: vec!["AGI".into()],
            k,
            clusters,
        };
        let method = Method::Fuzzy(FuzzyParameters {
            m1: 1.5,
            m2: 2.0,
            scale: DistanceScale::Z,
            rounded: false,
            blocks: vec![block(Some(3), 200), block(None, 10)],
        });
        let statement = Statement::new(method, 1080, vec!["AGI".into()]);
        let text = statement.to_json();
        assert_eq!(Statement::from_json("s.json", &text).unwrap(), statement);
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        let keys: Vec<&String> = json["parameters"].as_object().unwrap().keys().collect();
        assert_eq!(keys, ["m1", "m2", "scale", "rounded", "blocks"]);
        assert_eq!(json["method"], "fuzzy");
        assert_eq!(json["parameters"]["scale"], "z");
        assert_eq!(json["parameters"]["blocks"][0]["k"], 3);
        assert!(json["parameters"]["blocks"][1].get("k").is_none());
    }

    #[test]
    fn refuses_what_is_no_statement() {
        for text in ["", "{", "[]", r#"{"schema":"other/1"}"#] {
            let error = Statement::from_json("s.json", text).unwrap_err();
            assert!(
                error.to_string().starts_with("s.json: is not a statement"),
                "{error}"
            );
        }
        let other = example().to_json().replace("statement/1", "statement/9");
        let error = Statement::from_json("s.json", &other).unwrap_err();
        assert!(error.to_string().contains("schema"), "{error}");
    }
}
