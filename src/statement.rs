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
