//! The options of `sdcrisk link --method aggregates`: two files that share no attribute.

use clap::Args;

use crate::{
    attack::aggregates::Aggregates,
    error::{Error, Result},
    stats::quantifier::Quantifier,
};

/// The options of the method aggregates.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct AggregatesArgs {
    /// The attributes of the masked file that are aggregated; --attributes names those of the original [default: all numbers]
    #[arg(long, value_name = "LIST", help_heading = "Options of methods")]
    pub(super) attributes_masked: Option<String>,
    /// The aggregates: exists, at-least-half, most, as-many-as-possible, for-all, power:A for x^A [default: at-least-half,most,as-many-as-possible]
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        value_parser = quantifier,
        help_heading = "Options of methods"
    )]
    pub(super) quantifiers: Vec<Quantifier>,
}

fn quantifier(text: &str) -> std::result::Result<Quantifier, String> {
    Quantifier::parse(text).ok_or_else(|| {
        "it must be exists, at-least-half, most, as-many-as-possible, for-all, or power:A with a number A above 0"
            .into()
    })
}

impl AggregatesArgs {
    pub(super) fn attack(&self) -> Aggregates {
        if self.quantifiers.is_empty() {
            Aggregates::default()
        } else {
            Aggregates {
                quantifiers: self.quantifiers.clone(),
            }
        }
    }

    /// The option that was given, if one was.
    pub(super) fn given(&self) -> Option<&'static str> {
        [
            (self.attributes_masked.is_some(), "--attributes-masked"),
            (!self.quantifiers.is_empty(), "--quantifiers"),
        ]
        .into_iter()
        .find_map(|(given, option)| given.then_some(option))
    }

    /// Refuses an aggregate that is named twice.
    pub(super) fn refuse_contradictions(&self) -> Result<()> {
        let words: Vec<String> = self.quantifiers.iter().map(|q| q.word()).collect();
        if (1..words.len()).any(|place| words[..place].contains(&words[place])) {
            return Err(Error::usage("--quantifiers names one twice")
                .remedy("Name each once; a second one adds nothing"));
        }
        Ok(())
    }
}
