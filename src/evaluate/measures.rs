//! The table of all definitions, and the names by which settings of a grid hold their measures.
//!
//! Whoever prints a figure asks its definition, found here by key. What has no definition is not published.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{
    grid::{AttackRow, Row},
    overall,
};
use crate::{
    figure::{Definition, Group},
    loss, risk,
};

/// Every definition: of loss, of analyses, of risk, of the score, of attacks in a grid.
pub fn all() -> impl Iterator<Item = &'static Definition> {
    let of_files = loss::definitions().into_iter();
    of_files
        .chain(loss::analyses::definitions())
        .chain(risk::definitions())
        .chain(overall::DEFINITIONS)
        .chain(Rate::ALL.map(Rate::definition))
}

/// The definition of this key; `None` if there is none.
pub fn find(key: &str) -> Option<&'static Definition> {
    all().find(|what| what.key == key)
}

/// A figure of a masked file as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whole {
    /// Information loss.
    Il,
    /// Disclosure risk.
    Dr,
    /// The mean of both.
    Score,
    /// Disclosure risk in the form of 2001.
    Dr2001,
    /// The score with it.
    Score2001,
    /// Disclosure risk by the strongest attack.
    DrStrongest,
}

impl Whole {
    /// All, in the order of reports.
    pub const ALL: [Self; 6] = [
        Self::Il,
        Self::Dr,
        Self::Score,
        Self::Dr2001,
        Self::Score2001,
        Self::DrStrongest,
    ];

    /// What it is.
    pub fn definition(self) -> &'static Definition {
        match self {
            Self::Il => &loss::IL,
            Self::Dr => &overall::DR,
            Self::Score => &overall::SCORE,
            Self::Dr2001 => &overall::DR_2001,
            Self::Score2001 => &overall::SCORE_2001,
            Self::DrStrongest => &overall::DR_STRONGEST,
        }
    }

    /// Its name at the head of a column.
    fn short(self) -> &'static str {
        match self {
            Self::Il => "IL",
            Self::Dr => "DR",
            Self::Score => "score",
            Self::Dr2001 => "DR 2001",
            Self::Score2001 => "score 2001",
            Self::DrStrongest => "DR strongest",
        }
    }

    /// That of one masked file.
    pub fn of(self, row: &Row) -> Option<f64> {
        match self {
            Self::Il => row.il,
            Self::Dr => row.dr,
            Self::Score => row.score,
            Self::Dr2001 => row.dr_2001,
            Self::Score2001 => row.score_2001,
            Self::DrStrongest => row.dr_strongest,
        }
    }
}

/// A rate of one attack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rate {
    /// Correct links.
    Links,
    /// Records with one candidate only.
    Certain,
    /// Correct links among extremes.
    Extremes,
    /// Correct links far from the mean.
    Far,
    /// The proven bound of links.
    Bound,
}

static LINKS: Definition = Definition::share(
    Group::Attack,
    "attack",
    "links",
    "share of records linked correctly, a mean over what the intruder knows",
    "counted",
);

static CERTAIN: Definition = Definition::share(
    Group::Attack,
    "certain",
    "certain links",
    "share of records with one candidate only, which is the right one",
    "counted",
);

static EXTREMES: Definition = Definition::share(
    Group::Attack,
    "extremes",
    "links among extremes",
    "share of records in the top or bottom 1 % of a known attribute that are linked correctly",
    "counted",
);

static FAR: Definition = Definition::share(
    Group::Attack,
    "far",
    "links far from the mean",
    "share of the 1 % of records farthest from the mean (Mahalanobis) that are linked correctly",
    "counted",
);

static BOUND: Definition = Definition::share(
    Group::Attack,
    "bound",
    "proven bound of links",
    "share of records that no distance of the family links more of",
    "counted",
);

impl Rate {
    /// All, in the order of reports.
    pub const ALL: [Self; 5] = [
        Self::Links,
        Self::Certain,
        Self::Extremes,
        Self::Far,
        Self::Bound,
    ];

    /// What it is. Its key is the first part of a name: `attack:am`.
    pub fn definition(self) -> &'static Definition {
        match self {
            Self::Links => &LINKS,
            Self::Certain => &CERTAIN,
            Self::Extremes => &EXTREMES,
            Self::Far => &FAR,
            Self::Bound => &BOUND,
        }
    }

    /// That of an attack on one masked file.
    pub fn of(self, attack: &AttackRow) -> Option<f64> {
        match self {
            Self::Links => attack.rate,
            Self::Certain => attack.certain_rate,
            Self::Extremes => attack.extremes_rate,
            Self::Far => attack.far_rate,
            Self::Bound => attack.bound_rate,
        }
    }
}

/// The name of a measure of a setting.
///
/// ```text
/// il, dr, score, dr_2001, score_2001, dr_strongest        of the masked file as a whole
/// attack:NAME, certain:NAME, extremes:NAME, far:NAME, bound:NAME     of the attack that the plan calls NAME
/// loss:KEY, risk:KEY                                       of loss, and of risk without linkage
/// ```
///
/// It is written and read as this text, and nobody else takes the text apart.
#[derive(Debug, Clone, PartialEq)]
pub enum Name {
    /// Of the masked file as a whole.
    Whole(Whole),
    /// Of an attack, by its name in the plan.
    Attack(Rate, String),
    /// A measure of loss.
    Loss(&'static Definition),
    /// A measure of risk without linkage.
    Risk(&'static Definition),
}

impl Name {
    /// The first part of a name of a loss.
    const LOSS: &'static str = "loss";
    /// The first part of a name of a risk.
    const RISK: &'static str = "risk";

    /// Reads a name; `None` if it names nothing that is defined.
    pub fn parse(text: &str) -> Option<Self> {
        let Some((first, rest)) = text.split_once(':') else {
            let mut all = Whole::ALL.into_iter();
            return all
                .find(|whole| whole.definition().key == text)
                .map(Self::Whole);
        };
        if let Some(rate) = (Rate::ALL.into_iter()).find(|rate| rate.definition().key == first) {
            return Some(Self::Attack(rate, rest.into()));
        }
        match first {
            Self::LOSS => Self::loss(rest),
            Self::RISK => Self::risk(rest),
            _ => None,
        }
    }

    /// The measure of loss of this key.
    pub fn loss(key: &str) -> Option<Self> {
        loss::definitions()
            .into_iter()
            .find(|what| what.key == key)
            .map(Self::Loss)
    }

    /// The measure of risk without linkage of this key.
    pub fn risk(key: &str) -> Option<Self> {
        risk::definitions()
            .find(|what| what.key == key)
            .map(Self::Risk)
    }

    /// What it is.
    pub fn definition(&self) -> &'static Definition {
        match self {
            Self::Whole(whole) => whole.definition(),
            Self::Attack(rate, _) => rate.definition(),
            Self::Loss(what) | Self::Risk(what) => what,
        }
    }

    /// Its name for people: "links by am", "cells changed".
    pub fn in_words(&self) -> String {
        match self {
            Self::Attack(rate, attack) => format!("{} by {attack}", rate.definition().name),
            Self::Whole(_) | Self::Loss(_) | Self::Risk(_) => self.definition().name.into(),
        }
    }

    /// Its name at the head of a column: as short as it may be beside others of its table.
    pub fn short(&self) -> String {
        match self {
            Self::Whole(whole) => whole.short().into(),
            Self::Attack(Rate::Certain | Rate::Extremes, _) => self.to_string(),
            Self::Attack(Rate::Links | Rate::Far | Rate::Bound, attack) => attack.clone(),
            Self::Loss(what) | Self::Risk(what) => what.key.into(),
        }
    }

    /// Whether it is the rate of correct links of an attack.
    pub fn is_links(&self) -> bool {
        matches!(self, Self::Attack(Rate::Links, _))
    }

    /// Whether it is a loss.
    pub fn is_loss(&self) -> bool {
        matches!(self, Self::Whole(Whole::Il) | Self::Loss(_))
    }

    /// Whether it is IL among the losses, which is there once more as that of the masked file.
    pub fn is_il_again(&self) -> bool {
        matches!(self, Self::Loss(what) if what.key == loss::IL.key)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(whole) => f.write_str(whole.definition().key),
            Self::Attack(rate, attack) => write!(f, "{}:{attack}", rate.definition().key),
            Self::Loss(what) => write!(f, "{}:{}", Self::LOSS, what.key),
            Self::Risk(what) => write!(f, "{}:{}", Self::RISK, what.key),
        }
    }
}

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// What a map has as its risk.
#[derive(Debug, Clone, PartialEq)]
pub enum RiskAxis {
    /// A measure that every setting has.
    Measure(Name),
    /// The rate of the attack that links most, where the attacks of settings differ.
    HighestRate,
}

/// The word for [`RiskAxis::HighestRate`].
const HIGHEST_RATE: &str = "highest attack rate";

impl RiskAxis {
    /// Reads what [`RiskAxis`] writes.
    fn parse(text: &str) -> Option<Self> {
        if text == HIGHEST_RATE {
            Some(Self::HighestRate)
        } else {
            Name::parse(text).map(Self::Measure)
        }
    }

    /// Its name in a sentence.
    pub fn short(&self) -> String {
        match self {
            Self::Measure(name) => name.short(),
            Self::HighestRate => HIGHEST_RATE.into(),
        }
    }
}

impl Serialize for RiskAxis {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Measure(name) => name.serialize(serializer),
            Self::HighestRate => serializer.serialize_str(HIGHEST_RATE),
        }
    }
}

/// A name that is not known, of another version, is none.
pub(super) fn known_name<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Name>, D::Error> {
    let text: Option<String> = Option::deserialize(deserializer)?;
    Ok(text.as_deref().and_then(Name::parse))
}

/// The same of an axis of risk.
pub(super) fn known_axis<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<RiskAxis>, D::Error> {
    let text: Option<String> = Option::deserialize(deserializer)?;
    Ok(text.as_deref().and_then(RiskAxis::parse))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::figure::{Discrepancy, Statistic};

    #[test]
    fn keys_are_unique_and_every_definition_is_whole() {
        let mut keys = BTreeSet::new();
        for what in all() {
            let key = what.key;
            assert!(keys.insert(key), "{key} is there twice");
            assert!(
                key.chars()
                    .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'),
                "{key}"
            );
            for words in [what.name, what.says, what.source] {
                assert!(
                    !words.trim().is_empty() && words.trim() == words,
                    "{key}: {words:?}"
                );
            }
            assert!(what.most.is_none_or(|most| most > what.least), "{key}");
            assert_eq!(find(key), Some(what));
        }
        assert_eq!(find("mean_variation_incomes"), None);
    }

    /// Tables of differences put a line and a column together; the key is made of both.
    #[test]
    fn keys_of_differences_are_what_they_compare_and_how() {
        let mut cells = Vec::new();
        for what in all() {
            if let Group::Difference(statistic, by) = what.group {
                assert_eq!(what.key, format!("{}_{}", by.word(), statistic.word()));
                cells.push((statistic.word(), by.word()));
            }
        }
        // Values have no standard error.
        let expected = Statistic::ALL.len() * Discrepancy::ALL.len() - 1;
        assert_eq!(cells.len(), expected);
    }

    /// Risk is confidential as a whole, and so is a score, since loss and score give the risk.
    #[test]
    fn what_may_be_published_is_a_loss() {
        for what in all().filter(|what| what.is_public) {
            let is_confidential =
                matches!(what.group, Group::Risk(_) | Group::Score | Group::Attack);
            assert!(!is_confidential, "{}", what.key);
        }
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        let of_attacks = Rate::ALL.map(|rate| Name::Attack(rate, "a:m".into()));
        let of_losses = loss::definitions().into_iter().map(Name::Loss);
        let names = (Whole::ALL.map(Name::Whole).into_iter())
            .chain(of_attacks)
            .chain(of_losses)
            .chain(risk::definitions().map(Name::Risk));
        for name in names {
            assert_eq!(Name::parse(&name.to_string()), Some(name));
        }
        for other in [
            "",
            "pil",
            "loss:",
            "loss:income",
            "risk:il",
            "loss:unique",
            "x:am",
        ] {
            assert_eq!(Name::parse(other), None, "{other:?}");
        }
    }
}
