//! What is published about noise and synthetic values.

use serde::{Deserialize, Serialize};

/// The parameters of additive noise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NoiseParameters {
    /// The law of the noise; its mean is 0.
    pub law: NoiseLaw,
    /// k in Var(noise) = k · Var(original), or Cov(noise) = k · Cov(original).
    pub level: f64,
    /// Whether noise has the covariances of the original, or is independent between attributes.
    pub correlated: bool,
    /// Whether a linear transformation of each masked attribute restored the mean and the standard deviation of the original.
    pub restored: bool,
    /// Whether masked values were rounded, last of all, to the decimals of their attribute (whole numbers to whole numbers).
    pub rounded: bool,
    /// Of a law that stands for several steps ([`Statement::composed`](super::Statement::composed)), how often values were rounded before
    /// the last of them. Not published: each step states its own rounding.
    #[serde(skip)]
    pub rounded_before: usize,
}

/// The parameters of IPSO.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct IpsoParameters {
    /// What was kept of the regression.
    pub variant: IpsoVariant,
    /// The attributes that were kept as they are, and on which the others were regressed.
    pub confidential: Vec<String>,
    /// Whether the regression had a constant.
    pub intercept: bool,
    /// Number of records that the regression was fitted on: those that missed none of these attributes.
    pub fitted: usize,
    /// Whether new values were rounded to the decimals of their attribute, so that what is kept is kept nearly only.
    pub rounded: bool,
}

/// What IPSO keeps of the regression of the replaced attributes on the kept ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum IpsoVariant {
    /// Fitted values: the coefficients, without any scatter around them.
    A,
    /// Fitted values with random scatter: the coefficients exactly.
    B,
    /// Fitted values with random scatter of the same covariance: the coefficients and that covariance exactly.
    C,
}

impl IpsoVariant {
    /// Its letter.
    pub fn word(self) -> &'static str {
        match self {
            Self::A => "a",
            Self::B => "b",
            Self::C => "c",
        }
    }
}

/// The law of additive noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum NoiseLaw {
    /// Normal.
    Normal,
}
