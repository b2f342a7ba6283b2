//! How far a piece of work got.

use serde::{Deserialize, Serialize};

/// How far a piece of work got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Status {
    /// All of it was done.
    #[serde(rename = "done")]
    Done,
    /// A limit stopped it before a proof.
    #[serde(rename = "limit")]
    Limit,
    /// It does not apply to these files: of single attacks only.
    #[serde(rename = "not run")]
    NotRun,
}

impl Status {
    /// Of work that a limit stopped, or not.
    pub fn limited(is_limited: bool) -> Self {
        if is_limited { Self::Limit } else { Self::Done }
    }

    /// Its word in reports and files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Limit => "limit",
            Self::NotRun => "not run",
        }
    }
}
