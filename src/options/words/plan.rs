//! From the options of a plan to those of `link` and of reading; those of `mask` are read as in a recipe.

use clap::{CommandFactory, Parser};

use super::{ReadCall, TABLE, Words};
use crate::{
    error::Result,
    evaluate::plan::{PlannedAttack, PlannedOption},
    jobs::link::request::Known,
    options::{link::LinkArgs, read::ReadArgs},
};

#[derive(Parser)]
#[command(no_binary_name = true, disable_help_flag = true)]
struct LinkCall {
    #[command(flatten)]
    args: Box<LinkArgs>,
}

/// Options of `link` that are about the one call, or that the plan itself decides.
const NOT_OF_LINK: [&str; 16] = [
    "method",
    "output",
    "format",
    "links",
    "also",
    "also-statement",
    "release-id",
    "statement",
    "recode",
    "seed",
    "id",
    "shuffle-key",
    "fail-above",
    "weights",
    "certificate",
    "shard",
];

impl Words<'_> {
    /// How a file is read.
    ///
    /// # Errors
    /// Input, when the options make no sense.
    pub fn reading(self, options: &[PlannedOption], line: u64) -> Result<ReadArgs> {
        let mut words = Vec::new();
        for option in options {
            words.extend(self.of(&ReadCall::command(), option, "reading", &[])?);
        }
        ReadCall::try_parse_from(words)
            .map(|call| call.read)
            .map_err(|error| self.refused(&error, line, options))
    }

    /// An attack with its options; `scenario` are those of the plan, `known` and `attributes` what the intruder knows.
    ///
    /// # Errors
    /// Input, when the options make no sense.
    pub fn attack(
        self,
        attack: &PlannedAttack,
        scenario: &[PlannedOption],
        known: Option<&str>,
        attributes: Option<&str>,
    ) -> Result<LinkArgs> {
        let command = LinkCall::command();
        let mut words = vec![format!("--method={}", attack.method)];
        let place = format!("link --method {}", attack.method);
        let says = |name: &str| attack.options.iter().any(|option| option.name == name);
        let inherited = scenario.iter().filter(|option| !says(&option.name));
        for option in attack.options.iter().chain(inherited) {
            words.extend(self.of(&command, option, &place, &NOT_OF_LINK)?);
        }
        // Without common attributes there is nothing to be known of both files.
        let by_aggregates = attack.method == "aggregates";
        let known = known.filter(|_| !by_aggregates);
        words.extend(known.map(|known| format!("--known={known}")));
        if let Some(attributes) = attributes
            && !says("attributes")
            && !by_aggregates
            && Known::parse(known, None)?.family().is_some()
        {
            words.push(format!("--attributes={attributes}"));
        }
        words.extend([TABLE.to_string(), TABLE.to_string()]);
        let args = LinkCall::try_parse_from(words)
            .map(|call| *call.args)
            .map_err(|error| self.refused(&error, attack.line, &attack.options))?;
        if args.is_one_attack() {
            Ok(args)
        } else {
            Err(self
                .error(attack.line, "an attack of a plan is one method")
                .remedy("Name each by itself: attacks = [\"am\", \"rsld\"]"))
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Arg;

    use super::*;

    #[test]
    fn what_a_plan_says_of_reading_are_options_of_reading() {
        let command = ReadCall::command();
        let mut options: Vec<&str> = command.get_arguments().filter_map(Arg::get_long).collect();
        let mut keys = crate::evaluate::plan::READING.to_vec();
        options.sort_unstable();
        keys.sort_unstable();
        assert_eq!(keys, options);
    }

    #[test]
    fn what_has_no_place_in_a_plan_exists() {
        let link = LinkCall::command();
        for name in NOT_OF_LINK {
            assert!(
                link.get_arguments().any(|arg| arg.get_long() == Some(name)),
                "{name}"
            );
        }
    }
}
