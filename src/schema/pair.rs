//! Two attributes that are matched.

use super::shape::ComparedBy;
use crate::table::AttrId;

/// Another attribute of the second file that could be the partner.
#[derive(Debug, Clone, PartialEq)]
pub struct Rival {
    /// The other attribute, of the second file.
    pub b: AttrId,
    /// Its name.
    pub name: String,
    /// Its distance from the same attribute of the first file.
    pub distance: f64,
}

/// An attribute of the first file and the one of the second that it is matched with.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// In the first file.
    pub a: AttrId,
    /// In the second.
    pub b: AttrId,
    /// Its name in the first file.
    pub a_name: String,
    /// Its name in the second.
    pub b_name: String,
    /// By what they were compared.
    pub by: ComparedBy,
    /// How far they are apart.
    pub distance: f64,
    /// How far two samples of one distribution, of these files' lengths, would be apart by chance.
    pub chance: f64,
    /// The nearest other attribute of the second file.
    pub second: Option<Rival>,
    /// Other attributes of the second file that cannot be distinguished from the partner, nearest first.
    pub rivals: Vec<Rival>,
    /// Whether the distributions are equal, but for rounding.
    pub equal: bool,
    /// Whether the distributions are near enough to be those of one variable.
    pub alike: bool,
    /// Whether they are recognised as one variable: by name, or because they are alike and nothing else is as near.
    pub same_variable: bool,
    /// Whether they are recorded in the same terms.
    pub same_terms: bool,
}

impl Pair {
    /// How much farther the next attribute is; negative where an assignment gave the nearest to another.
    pub fn margin(&self) -> Option<f64> {
        self.second
            .as_ref()
            .map(|second| second.distance - self.distance)
    }
}
