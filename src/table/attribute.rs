//! What an attribute is: its name, its scale, its role, and why the last two were given.

use serde::{Deserialize, Serialize};

/// What the values of an attribute allow: arithmetic, order, or only equality.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// Numbers: differences and means make sense.
    Continuous,
    /// Numbers of which only the order is relied on (codes of ordered classes, small counts).
    Ordinal,
    /// Names: two values are equal or they are not.
    Nominal,
}

impl Scale {
    /// The word used in files, options and reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Continuous => "continuous",
            Self::Ordinal => "ordinal",
            Self::Nominal => "nominal",
        }
    }
}

/// What an attribute tells about its respondent (Hundepool et al. 2012, section 3.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Names the respondent outright; it must not be released.
    Identifier,
    /// May be known to an intruder, who links by it together with others.
    QuasiIdentifier,
    /// What the respondent would not tell everybody.
    Confidential,
    /// None of these.
    NonConfidential,
}

impl Role {
    /// The word used in files, options and reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Identifier => "identifier",
            Self::QuasiIdentifier => "quasi-identifier",
            Self::Confidential => "confidential",
            Self::NonConfidential => "non-confidential",
        }
    }
}

/// One attribute of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Attribute {
    /// Its name: unique in the table, hence not always the header's very text.
    pub name: String,
    /// Its place in the file, from 1. It stays when other attributes are dropped.
    pub position: usize,
    /// What its values allow.
    pub scale: Scale,
    /// What it tells about its respondent.
    pub role: Role,
    /// Why it has this scale.
    pub scale_reason: String,
    /// Why it has this role.
    pub role_reason: String,
}

/// The reason for what the user stated.
pub(super) const STATED: &str = "stated";

impl Attribute {
    /// Whether the user stated its role; if not, it was guessed.
    pub fn has_stated_role(&self) -> bool {
        self.role_reason == STATED
    }
}

/// An attribute of one table, by its place among those that the table still has, from 0.
///
/// Dropping attributes ([`Table::without`](super::Table::without)) makes new places: look the attribute up again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AttrId(usize);

impl AttrId {
    /// The attribute at this place, from 0.
    pub fn new(place: usize) -> Self {
        Self(place)
    }

    /// Its place, from 0.
    pub fn index(self) -> usize {
        self.0
    }
}
