//! What is published about recoding and suppression.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The parameters of global recoding: its rules, which a user of the file must know to read it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RecodeParameters {
    /// One rule an attribute.
    pub rules: Vec<RecodingRule>,
}

/// What dates are cut off to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Period {
    /// The first day of the month.
    Month,
    /// The first day of the quarter: of January, April, July or October.
    Quarter,
    /// The first of January.
    Year,
}

impl Period {
    /// How many months it has.
    pub fn months(self) -> u32 {
        match self {
            Self::Month => 1,
            Self::Quarter => 3,
            Self::Year => 12,
        }
    }
}

/// How the values of one attribute were recoded. Numbers in it have a decimal point, whatever mark the file has.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct RecodingRule {
    /// The attribute that was recoded, by name.
    pub attribute: String,
    /// Categories that became missing. Not published: who knows them knows what stood in the gaps.
    #[serde(skip)]
    pub suppress: Vec<String>,
    /// The attribute became missing where each of these others had one of these categories. Not published either.
    #[serde(skip)]
    pub suppress_where: BTreeMap<String, Vec<String>>,
    /// Whether some values became missing by either of these.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub suppressed: bool,
    /// The new text of each category; those of a group share one.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub map: BTreeMap<String, String>,
    /// The new text of all other categories; `None` where they were kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub others: Option<String>,
    /// Of codes that the map does not name, so many characters were kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digits: Option<usize>,
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
    /// Dates became the first day of their month, quarter or year.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncate: Option<Period>,
    /// Classes of numbers, each with its lower break and without its upper one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub breaks: Vec<f64>,
    /// The text of each class: below the first break, between breaks, from the last one on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
}

/// The parameters of local suppression.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
    /// Categories that were suppressed wherever they stood. Not published: who knows them knows what stood in the gaps.
    #[serde(skip)]
    pub suppress: BTreeMap<String, Vec<String>>,
    /// The attributes of which some categories were suppressed wherever they stood.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suppressed: Vec<String>,
}

/// What a missing value of a key matches when records are compared; programs differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum MissingMatches {
    /// Every value, missing or not: nothing contradicts the match. The rule of sdcMicro and mu-ARGUS.
    #[default]
    Any,
    /// Only a missing value, as if it were a category of its own.
    Missing,
}
