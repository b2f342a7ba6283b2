//! What is published about post-randomisation.

use serde::{Deserialize, Serialize};

/// The parameters of post-randomisation: the probabilities by which categories became others, which a user of the file needs to correct
/// frequencies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PramParameters {
    /// Whether each matrix leaves the frequencies of its stratum as they are, on average.
    pub invariant: bool,
    /// The attributes whose combinations of values are the strata; the file is one stratum if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub strata: Vec<String>,
    /// One matrix for each attribute and stratum in which somebody has a value of it.
    pub matrices: Vec<TransitionMatrix>,
}

/// By which probabilities the categories of one attribute became others, in one stratum.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TransitionMatrix {
    /// The attribute, by name.
    pub attribute: String,
    /// The values of the attributes of the strata, in their order; none where it is missing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stratum: Vec<Option<String>>,
    /// The categories. Numbers have a decimal point, whatever mark the file has.
    pub categories: Vec<String>,
    /// For each category as it was, the probability of each category as it is: rows of sum 1.
    pub probabilities: Vec<Vec<f64>>,
}

/// By how much the sum of a row may differ from 1.
pub const ROW_SUM: f64 = 1e-9;

impl PramParameters {
    /// The matrices of an attribute, one for each stratum.
    pub fn of<'a>(&'a self, attribute: &'a str) -> impl Iterator<Item = &'a TransitionMatrix> {
        let of_attribute = move |matrix: &&TransitionMatrix| matrix.attribute == attribute;
        self.matrices.iter().filter(of_attribute)
    }

    /// The least and the greatest probability with which a category of an attribute stayed, and how many categories it has at most in a
    /// stratum; `None` where nothing is stated of it.
    pub fn kept(&self, attribute: &str) -> Option<(f64, f64, usize)> {
        let mut kept: Option<(f64, f64, usize)> = None;
        for matrix in self.of(attribute) {
            for (place, row) in matrix.probabilities.iter().enumerate() {
                let stays = row.get(place).copied().unwrap_or(0.0);
                let (least, most, n) = kept.unwrap_or((1.0, 0.0, 0));
                let n = n.max(matrix.categories.len());
                kept = Some((least.min(stays), most.max(stays), n));
            }
        }
        kept
    }

    /// Whether no masking can have had these parameters for these attributes.
    pub(super) fn is_nonsense(&self, attributes: &[String]) -> bool {
        let is_masked = |matrix: &TransitionMatrix| attributes.contains(&matrix.attribute);
        let in_strata = |matrix: &TransitionMatrix| matrix.stratum.len() == self.strata.len();
        let mut places: Vec<(&String, &Vec<Option<String>>)> = (self.matrices.iter())
            .map(|matrix| (&matrix.attribute, &matrix.stratum))
            .collect();
        places.sort_unstable();
        let is_twice = places.windows(2).any(|pair| pair[0] == pair[1]);
        let is_kept = |name: &String| attributes.contains(name);
        is_twice
            || self.strata.iter().any(is_kept)
            || !(self.matrices.iter())
                .all(|matrix| is_masked(matrix) && in_strata(matrix) && matrix.is_stochastic())
    }
}

impl TransitionMatrix {
    /// Whether there is a row of probabilities for each category, and each category is named once.
    fn is_stochastic(&self) -> bool {
        let n = self.categories.len();
        let is_row = |row: &Vec<f64>| {
            let sum: f64 = row.iter().sum();
            row.len() == n
                && row.iter().all(|p| (0.0..=1.0).contains(p))
                && (sum - 1.0).abs() <= ROW_SUM
        };
        let mut names: Vec<&String> = self.categories.iter().collect();
        names.sort_unstable();
        n > 0
            && self.probabilities.len() == n
            && self.probabilities.iter().all(is_row)
            && names.windows(2).all(|pair| pair[0] != pair[1])
    }
}
