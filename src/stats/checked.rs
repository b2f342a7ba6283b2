//! Numbers that cannot be nonsense: parameters are checked once, where they come in.

use serde::{Deserialize, Serialize};

/// A number that is neither infinite nor NaN.
///
/// ```
/// use sdcrisk::stats::checked::Finite;
/// assert_eq!(Finite::new(-1.5).map(Finite::get), Some(-1.5));
/// assert!(Finite::new(f64::NAN).is_none());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Finite(f64);

impl Finite {
    /// The number, if it is finite.
    pub fn new(number: f64) -> Option<Self> {
        number.is_finite().then_some(Self(number))
    }

    /// The number that was checked.
    pub fn get(self) -> f64 {
        self.0
    }
}

/// A finite number above 0.
///
/// ```
/// use sdcrisk::stats::checked::Positive;
/// assert_eq!(Positive::new(0.001).map(Positive::get), Some(0.001));
/// assert!(Positive::new(0.0).is_none() && Positive::new(f64::INFINITY).is_none());
/// assert!(serde_json::from_str::<Positive>("-1.0").is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Positive(f64);

impl Positive {
    /// The number, if it is finite and above 0.
    pub fn new(number: f64) -> Option<Self> {
        (number.is_finite() && number > 0.0).then_some(Self(number))
    }

    /// The number that was checked.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl TryFrom<f64> for Finite {
    type Error = &'static str;

    fn try_from(number: f64) -> Result<Self, Self::Error> {
        Self::new(number).ok_or("not a finite number")
    }
}

impl TryFrom<f64> for Positive {
    type Error = &'static str;

    fn try_from(number: f64) -> Result<Self, Self::Error> {
        Self::new(number).ok_or("not a number above 0")
    }
}

impl From<Finite> for f64 {
    fn from(number: Finite) -> Self {
        number.get()
    }
}

impl From<Positive> for f64 {
    fn from(number: Positive) -> Self {
        number.get()
    }
}
