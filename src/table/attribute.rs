//! What an attribute is: its name, its scale, its role, and why the last two were given.

use std::fmt;

use serde::{Deserialize, Serialize, Serializer};

/// What the values of an attribute allow: arithmetic, order, or only equality.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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

/// What an attribute reveals about its respondent (Hundepool et al. 2012, section 3.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Names the respondent outright; it must not be released.
    Identifier,
    /// May be known to an intruder, who links by it together with others.
    QuasiIdentifier,
    /// What the respondent would not want everybody to know.
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
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Attribute {
    /// Its name: unique in the table, hence not always the header's very text.
    pub name: String,
    /// Its place in the file, from 1. It stays when other attributes are dropped.
    pub position: usize,
    /// What its values allow.
    pub scale: Scale,
    /// What it reveals about its respondent.
    pub role: Role,
    /// Why it has this scale.
    #[cfg_attr(test, schemars(with = "String"))]
    pub scale_reason: Reason,
    /// Why it has this role.
    #[cfg_attr(test, schemars(with = "String"))]
    pub role_reason: Reason,
}

/// Why an attribute has its scale or its role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// The user said so.
    Stated,
    /// It was guessed, or follows from what was done: why, in words.
    Guessed(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stated => "stated",
            Self::Guessed(why) => why,
        })
    }
}

impl Serialize for Reason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Attribute {
    /// Whether the user stated its role; if not, it was guessed.
    pub fn has_stated_role(&self) -> bool {
        self.role_reason == Reason::Stated
    }

    /// Whether it is a guess that lets it into a masked file.
    pub(super) fn lacks_role(&self) -> bool {
        !self.has_stated_role() && self.role != Role::Identifier
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
