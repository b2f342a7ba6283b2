//! What was found out, and how sure it is.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// How sure a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Certainty {
    /// No other method of this program leaves this behind.
    Certain,
    /// It fits best, but something else could have done it.
    Likely,
    /// It is not known.
    Open,
}

impl Certainty {
    /// The word for reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Certain => "certain",
            Self::Likely => "likely",
            Self::Open => "not known",
        }
    }
}

/// What was found out about some attributes, or about the records.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Finding {
    /// The attributes; none where it is about the records themselves.
    pub attributes: Vec<String>,
    /// The masking, as `sdcrisk mask` calls it; `none` where nothing was masked, null where it is not known.
    pub method: Option<String>,
    /// Its parameters, as far as they are known.
    pub parameters: Map<String, Value>,
    /// How sure it is.
    pub certainty: Certainty,
    /// What says so, in words.
    pub evidence: Vec<String>,
    /// What else it could be.
    pub alternatives: Vec<String>,
    /// Options of `sdcrisk link` that somebody would use who believes it.
    pub options: Vec<String>,
}

impl Finding {
    pub(super) fn new(attributes: Vec<String>, method: Option<&str>, certainty: Certainty) -> Self {
        Self {
            attributes,
            method: method.map(Into::into),
            parameters: Map::new(),
            certainty,
            evidence: Vec::new(),
            alternatives: Vec::new(),
            options: Vec::new(),
        }
    }

    pub(super) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.parameters.insert(name.into(), value.into());
        self
    }

    pub(super) fn since(mut self, evidence: impl Into<String>) -> Self {
        self.evidence.push(evidence.into());
        self
    }

    pub(super) fn or(mut self, alternative: impl Into<String>) -> Self {
        self.alternatives.push(alternative.into());
        self
    }

    pub(super) fn attack(mut self, options: impl Into<String>) -> Self {
        self.options.push(options.into());
        self
    }
}
