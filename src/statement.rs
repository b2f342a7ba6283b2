//! What an office publishes about a masking, as the transparency principle asks: method and parameters, never the
//! seed, never who swapped with whom.
//!
//! The statement is the only thing that passes from a masking to an intruder. It lives below both, so that neither
//! needs to see the other.

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
    /// Fuzzy microaggregation.
    Fuzzy(FuzzyParameters),
}

impl Method {
    /// Its name on the command line.
    pub fn name(&self) -> &'static str {
        match self {
            Self::RankSwap(_) => "rankswap",
            Self::Fuzzy(_) => "fuzzy",
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
    pub scale: Scaling,
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

/// In which units distances between records were taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scaling {
    /// Every attribute has mean 0 and standard deviation 1.
    #[default]
    Z,
    /// The file's own units.
    None,
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
    fn fuzzy_microaggregation_tells_its_law_and_no_more() {
        let block = |k, clusters| FuzzyBlock {
            attributes: vec!["AGI".into()],
            k,
            clusters,
        };
        let method = Method::Fuzzy(FuzzyParameters {
            m1: 1.5,
            m2: 2.0,
            scale: Scaling::Z,
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
