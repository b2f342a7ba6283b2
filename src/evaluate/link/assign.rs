//! How links are assigned once every pair has its distance.

use serde::{Deserialize, Serialize};

use crate::evaluate::shard::Shard;

/// How records are linked once every pair has its distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Assign {
    /// Each record with its best, whoever else wants it.
    Best,
    /// All at once, each at most once, at the least total cost.
    OneToOne,
    /// Each record with its most likely one, given that all are linked one to one: for attacks with likelihoods.
    Balanced,
    /// The same with permutations drawn instead of likelihoods scaled, from a seed.
    Sampled(u64),
}

impl Assign {
    /// Which rule it follows, without what only one call needs.
    pub fn rule(self) -> AssignRule {
        match self {
            Self::Best => AssignRule::Best,
            Self::OneToOne => AssignRule::OneToOne,
            Self::Balanced | Self::Sampled(_) => AssignRule::Balanced,
        }
    }
}

/// How claims come about, and whose are judged.
#[derive(Debug, Clone, Copy)]
pub struct Judging {
    /// How records are linked.
    pub assign: Assign,
    /// Whether the links themselves are wanted.
    pub with_links: bool,
    /// The shard whose seekers alone are judged, by an attack that [judges each apart](super::Case::judges_apart): it says of these what
    /// [`Outcome::findings`](super::Outcome::findings) has, and of others nothing. All that is said of both files as a whole, the
    /// standardisation and the laws, is that of the whole.
    pub shard: Option<Shard>,
}

/// [`Assign`] as reports and files say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum AssignRule {
    /// Each record with its best.
    Best,
    /// All at once at the least total cost.
    OneToOne,
    /// Each record with its most likely one, given that all are linked one to one.
    Balanced,
}

impl AssignRule {
    /// Its word in reports, in files and on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::Best => "best",
            Self::OneToOne => "one-to-one",
            Self::Balanced => "balanced",
        }
    }
}
