//! Which of the four situations of record linkage two files are in.

use serde::{Deserialize, Serialize};

use super::{
    pair::Pair,
    profile::{Content, Profile},
    shape::{self, Distance},
};

/// The four families of linkage problems, by whether the files hold the same variables, and whether these are recorded in the same
/// terms (values of one range, categories of one name).
///
/// # Source
/// The words are those of knowledge acquisition from several experts: M. L. G. Shaw, B. R. Gaines, "Comparing conceptual
/// structures: consensus, conflict, correspondence and contrast", Knowledge Acquisition 1, 1989; V. Torra uses them for records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// Same variables, same terms.
    Consensus,
    /// Same variables, other terms.
    Correspondence,
    /// Other variables, same terms.
    Conflict,
    /// Other variables, other terms.
    Contrast,
}

impl Family {
    fn new(same_variables: bool, same_terms: bool) -> Self {
        match (same_variables, same_terms) {
            (true, true) => Self::Consensus,
            (true, false) => Self::Correspondence,
            (false, true) => Self::Conflict,
            (false, false) => Self::Contrast,
        }
    }

    /// The word in reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Consensus => "consensus",
            Self::Correspondence => "correspondence",
            Self::Conflict => "conflict",
            Self::Contrast => "contrast",
        }
    }

    /// What it means.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Consensus => "the same variables in the same terms",
            Self::Correspondence => "the same variables in other terms",
            Self::Conflict => "other variables in the same terms",
            Self::Contrast => "other variables in other terms",
        }
    }

    /// How such files are linked.
    pub fn advice(self) -> &'static str {
        match self {
            Self::Consensus => "Standard record linkage applies",
            Self::Correspondence => {
                "Standard record linkage applies once attributes are renamed and standardised"
            }
            Self::Conflict | Self::Contrast => {
                "Standard record linkage does not apply; people can still be linked where both files rank them in the same way \
                 (link --method aggregates)"
            }
        }
    }
}

/// The situation of two files, and what it was counted from.
///
/// The rule: of the matched pairs, at least half must be recognised as one variable (they have the same name, the files' own; or their
/// distributions are alike and no other attribute is as near), and at least half must be in the same terms (the middle 90 % of
/// the numbers of both share at least half of the range that they span together, in the files' units; or at least half of each
/// file's records hold a category that the other has too). Many amounts have one shape: that alone makes them no one variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Situation {
    /// Which of the four.
    pub family: Family,
    /// Matched pairs.
    pub pairs: usize,
    /// Those that are recognised as one variable.
    pub same_variable: usize,
    /// Those in the same terms.
    pub same_terms: usize,
}

impl Situation {
    pub(super) fn of(pairs: &[Pair]) -> Self {
        let same_variable = pairs.iter().filter(|pair| pair.same_variable).count();
        let same_terms = pairs.iter().filter(|pair| pair.same_terms).count();
        Self {
            family: Family::new(
                2 * same_variable >= pairs.len(),
                2 * same_terms >= pairs.len(),
            ),
            pairs: pairs.len(),
            same_variable,
            same_terms,
        }
    }
}

/// Whether distributions this far apart can be those of one variable: by no more than a tenth of the greatest distance, or than
/// chance makes.
pub(super) fn are_alike(distance: f64, chance: f64, measure: Distance) -> bool {
    distance <= chance.max(0.1 * measure.greatest())
}

/// Whether two attributes are recorded in the same terms.
pub(super) fn are_same_terms(a: &Profile, b: &Profile) -> bool {
    match (&a.content, &b.content) {
        (Content::Numbers(a), Content::Numbers(b)) => {
            common_range(a.middle, b.middle) >= shape::HALF
        }
        (Content::Categories(a), Content::Categories(b)) => {
            shape::common_terms(a, b) >= shape::HALF
        }
        _ => false,
    }
}

/// The share of the range that two ranges span together which lies in both.
fn common_range(a: (f64, f64), b: (f64, f64)) -> f64 {
    let span = a.1.max(b.1) - a.0.min(b.0);
    let common = a.1.min(b.1) - a.0.max(b.0);
    if span > 0.0 {
        common.max(0.0) / span
    } else {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: 0..10 and 5..15 share 5 of 15; 0..1 and 2..3 nothing; one point twice is one range.
    #[test]
    fn common_ranges_by_hand() {
        assert_eq!(common_range((0.0, 10.0), (5.0, 15.0)), 5.0 / 15.0);
        assert_eq!(common_range((0.0, 1.0), (2.0, 3.0)), 0.0);
        assert_eq!(common_range((2.0, 2.0), (2.0, 2.0)), 1.0);
    }

    #[test]
    fn the_four_words() {
        let word = |variables, terms| Family::new(variables, terms).word();
        assert_eq!(word(true, true), "consensus");
        assert_eq!(word(true, false), "correspondence");
        assert_eq!(word(false, true), "conflict");
        assert_eq!(word(false, false), "contrast");
    }
}
