//! Values that options of several commands have.

use clap::{
    ValueEnum,
    builder::{PossibleValuesParser, Resettable, TypedValueParser},
};

use crate::statement::MissingMatches;

/// The words of a type, for an option whose help has no sentences about them.
pub fn bare<E: ValueEnum + Send + Sync + 'static>() -> impl TypedValueParser<Value = E> {
    let words = E::value_variants().iter();
    let words = words.filter_map(ValueEnum::to_possible_value);
    let words = words.map(|word| word.help(Resettable::Reset));
    PossibleValuesParser::new(words).try_map(|word| E::from_str(&word, false))
}

/// What a missing value of a key matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MissingArg {
    /// Every value, missing or not
    Any,
    /// Only a missing value
    Missing,
}

impl From<MissingArg> for MissingMatches {
    fn from(arg: MissingArg) -> Self {
        match arg {
            MissingArg::Any => Self::Any,
            MissingArg::Missing => Self::Missing,
        }
    }
}

/// A rate from 0 to 1, as a percentage or a share.
pub fn rate_limit(text: &str) -> std::result::Result<f64, String> {
    let number = |digits: &str| digits.trim().parse::<f64>().ok();
    match text.strip_suffix('%') {
        Some(percent) => number(percent).map(|percent| percent / 100.0),
        None => number(text).filter(|&share| share <= 1.0),
    }
    .filter(|share| (0.0..=1.0).contains(share))
    .ok_or_else(|| "it must be a percentage such as 5%, or a share from 0 to 1 such as 0.05".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_percentages_or_shares() {
        assert_eq!(rate_limit("5%"), Ok(0.05));
        assert_eq!(rate_limit("0.05"), Ok(0.05));
        assert_eq!(rate_limit("1"), Ok(1.0));
        for text in ["5", "-1%", "101%", "x", "", "nan"] {
            assert!(rate_limit(text).is_err(), "{text}");
        }
    }
}
