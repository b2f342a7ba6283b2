//! What is published about sampling.

use serde::{Deserialize, Serialize};

/// The parameters of a simple random sample without replacement, of the file or of each stratum.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SampleParameters {
    /// How many records were drawn.
    pub size: SampleSize,
    /// The attributes whose combinations of values are the strata; the file is one stratum if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub strata: Vec<String>,
}

/// How many records are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SampleSize {
    /// This share of the records, above 0 and at most 1.
    Fraction(f64),
    /// This many records of the whole file.
    Records(usize),
}
