//! What is published about sums and zeros that a masking keeps.

use serde::{Deserialize, Serialize};

/// What was done beside the method, so that sums and zeros stay what they are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Kept {
    /// Totals that were worked out anew from their masked parts: they were not masked by themselves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sums: Vec<DerivedTotal>,
    /// How zeros changed places.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zeros: Option<MovedZeros>,
}

/// A total that was worked out anew.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DerivedTotal {
    /// The attribute that is the sum of the others.
    pub total: String,
    /// The attributes of which it is the sum, in every record that has all of them; others miss it. Where gaps were given to other
    /// records, these miss it only; else those that missed it in the original do, too.
    pub parts: Vec<String>,
}

/// How zeros changed places.
///
/// ```text
/// size of a record = mean over the masked attributes that it has of (middle rank / number of values)
/// place i of the order of sizes, i = 0, 1, …:  key = i + U(0, window + 1);  the record at place i of the order of sizes takes the
/// zero pattern (which of the attributes are zero) of the record at place i of the order of keys
/// ```
///
/// so no pattern moves by more than the window. In each attribute those who become zero give their values to those who cease to be,
/// in the order of sizes. Records that miss different attributes of these have orders of their own. Then the method masked the values that are not zero, among
/// themselves; where it gave gaps to other records, it did so among those that are not zero in the attribute. Under a secret the numbers U come from it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MovedZeros {
    /// The masked attributes with zeros.
    pub attributes: Vec<String>,
    /// The greatest number of places that a pattern moved.
    pub window: usize,
}

impl MovedZeros {
    /// Adds how zeros changed places in another stratum: all attributes, and the greatest window.
    pub(crate) fn join_parts(&mut self, other: &Self) {
        for name in &other.attributes {
            if !self.attributes.contains(name) {
                self.attributes.push(name.clone());
            }
        }
        self.window = self.window.max(other.window);
    }
}

impl Kept {
    /// Whether nothing of the kind was done.
    pub fn is_empty(&self) -> bool {
        self.sums.is_empty() && self.zeros.is_none()
    }

    /// Adds what another step kept: totals, and zeros that changed places by at most the greater of the windows in each.
    pub(super) fn join(&mut self, other: &Self) {
        self.sums.extend(other.sums.iter().cloned());
        match (&mut self.zeros, &other.zeros) {
            (Some(zeros), Some(more)) => {
                zeros.attributes.extend(more.attributes.iter().cloned());
                zeros.window = zeros.window.max(more.window);
            }
            (zeros @ None, Some(more)) => *zeros = Some(more.clone()),
            (_, None) => {}
        }
    }

    /// Adds what was kept in another stratum.
    pub(crate) fn join_parts(&mut self, other: &Self) {
        for sum in &other.sums {
            if !self.sums.contains(sum) {
                self.sums.push(sum.clone());
            }
        }
        match (&mut self.zeros, &other.zeros) {
            (Some(zeros), Some(more)) => zeros.join_parts(more),
            (zeros @ None, Some(more)) => *zeros = Some(more.clone()),
            (_, None) => {}
        }
    }

    /// Whether this attribute is a total that was worked out anew.
    pub fn is_derived(&self, attribute: &str) -> bool {
        self.sums.iter().any(|sum| sum.total == attribute)
    }

    /// Whether zeros of this attribute changed places.
    pub fn has_moved_zeros(&self, attribute: &str) -> bool {
        let zeros = self.zeros.as_ref();
        zeros.is_some_and(|zeros| zeros.attributes.iter().any(|name| name == attribute))
    }
}
