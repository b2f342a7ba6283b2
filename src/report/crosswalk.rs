//! What a report says of a crosswalk.

use serde::{Deserialize, Serialize};

use super::text;

/// So many attributes are told of in a sentence.
const SHOWN: usize = 12;

/// What was done with the original before it was compared with the masked file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CrosswalkSummary {
    /// The name of the file of rules.
    pub file: String,
    /// The attributes that were recoded or made.
    pub attributes: Vec<CrossedAttribute>,
}

/// An attribute that a crosswalk recoded or made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CrossedAttribute {
    /// Its name, as in the masked file.
    pub attribute: String,
    /// What was done, in words that follow "is".
    pub how: String,
}

impl CrosswalkSummary {
    /// A sentence about it.
    pub fn sentence(&self) -> String {
        format!(
            "The original was first brought into the terms of the masked file ({}): {}.",
            self.file,
            self.clauses()
        )
    }

    /// What was done, attribute by attribute.
    pub fn clauses(&self) -> String {
        let clauses = self.attributes.iter().take(SHOWN);
        let clauses = clauses.map(|crossed| format!("{} is {}", crossed.attribute, crossed.how));
        let clauses = clauses.collect::<Vec<_>>().join("; ");
        match self.attributes.len().saturating_sub(SHOWN) {
            0 => clauses,
            rest => format!("{clauses}; and {rest} more"),
        }
    }
}

/// What the text of a report says of it, if there was one.
pub(super) fn crossed(crosswalk: Option<&CrosswalkSummary>) -> String {
    crosswalk.map_or_else(String::new, |crosswalk| {
        text::paragraph(&crosswalk.sentence())
    })
}
