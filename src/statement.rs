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
    /// Information preserving statistical obfuscation.
    Ipso(IpsoParameters),
}

impl Method {
    /// Its name on the command line.
    pub fn name(&self) -> &'static str {
        match self {
            Self::RankSwap(_) => "rankswap",
            Self::Ipso(_) => "ipso",
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

/// How rank swapping draws the partner of a value; the sources leave open what happens when it is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Partner {
    /// Uniformly among the values of the window that were not swapped yet.
    Unswapped,
    /// Uniformly among all values of the window; when that one was swapped already, the value stays.
    Skip,
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
