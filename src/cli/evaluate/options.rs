//! From the options of a plan to those of `mask METHOD`, `link` and of reading: they become the words of a command line, which is
//! parsed and checked as if somebody had typed it.

use clap::{Arg, ArgAction, Command, CommandFactory, Parser, ValueHint};
use serde_json::Value;

use super::places::Places;
use crate::{
    cli::{args::ReadArgs, link::LinkArgs, mask::MaskMethod},
    error::{Error, Result},
    evaluate::plan::{Passage, PlannedAttack, PlannedMask, PlannedOption},
    jobs::link::request::Known,
};

#[derive(Parser)]
#[command(no_binary_name = true, disable_help_flag = true)]
struct MaskCall {
    #[command(subcommand)]
    method: MaskMethod,
}

#[derive(Parser)]
#[command(no_binary_name = true, disable_help_flag = true)]
struct LinkCall {
    #[command(flatten)]
    args: Box<LinkArgs>,
}

#[derive(Parser)]
#[command(no_binary_name = true, disable_help_flag = true)]
struct ReadCall {
    #[command(flatten)]
    read: ReadArgs,
}

/// Options of `mask` that are about the one call, or that the plan itself decides.
const NOT_OF_MASK: [&str; 7] = [
    "output",
    "statement",
    "shuffle",
    "seed",
    "partition",
    "centres",
    "memberships",
];
/// Options of `link` of this kind.
const NOT_OF_LINK: [&str; 14] = [
    "method",
    "output",
    "format",
    "links",
    "also",
    "also-statement",
    "release-id",
    "statement",
    "seed",
    "id",
    "shuffle-key",
    "fail-above",
    "weights",
    "certificate",
];

/// Stands where a call has the names of its tables: it is never opened.
const TABLE: &str = "plan.csv";

/// Who is asked: the plan, and where its files are.
#[derive(Clone, Copy)]
pub(super) struct Words<'a> {
    pub plan: &'a str,
    pub places: &'a Places,
}

impl Words<'_> {
    fn error(self, line: u64, what: impl Into<String>) -> Error {
        Error::input(what).in_file(self.plan).at_line(line)
    }

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

    /// A masking with the options of one of its settings. `attributes` are those of the original, which hold where neither the setting
    /// nor the method's own options name any.
    ///
    /// # Errors
    /// Input, when the options make no sense.
    pub fn masking(
        self,
        mask: &PlannedMask,
        setting: &[PlannedOption],
        attributes: Option<&str>,
    ) -> Result<MaskMethod> {
        let all = MaskCall::command();
        let Some(command) = all.find_subcommand(&mask.method) else {
            let known = all.get_subcommands().map(Command::get_name);
            return Err(self
                .error(
                    mask.line,
                    format!("there is no masking method {:?}", mask.method),
                )
                .remedy(format!(
                    "There are: {}",
                    known.collect::<Vec<_>>().join(", ")
                )));
        };
        let command = command.clone();
        let mut words = vec![mask.method.clone()];
        let place = format!("mask {}", mask.method);
        for option in setting {
            words.extend(self.of(&command, option, &place, &NOT_OF_MASK)?);
        }
        words.push(TABLE.into());
        let parse = |words: &[String]| {
            MaskCall::try_parse_from(words)
                .map(|call| call.method)
                .map_err(|error| self.refused(&error, mask.line, setting))
        };
        let method = parse(&words)?;
        let names_some = setting.iter().any(|option| option.name == "attributes");
        match attributes {
            Some(attributes) if !names_some && !method.names_attributes() => {
                words.push(format!("--attributes={attributes}"));
                parse(&words)
            }
            _ => Ok(method),
        }
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

    /// The words of an option.
    fn of(
        self,
        command: &Command,
        option: &PlannedOption,
        place: &str,
        not_here: &[&str],
    ) -> Result<Vec<String>> {
        let name = option.name.as_str();
        let here = |what: String| self.error(option.line, what);
        if not_here.contains(&name) {
            return Err(here(format!("{name} has no place in a plan"))
                .remedy("Files that single calls write, seeds and reports are the plan's own matter; leave it out"));
        }
        let options = || command.get_arguments().filter_map(Arg::get_long);
        let is_reading = |name: &str| {
            ReadCall::command()
                .get_arguments()
                .any(|arg| arg.get_long() == Some(name))
        };
        let found = command
            .get_arguments()
            .find(|arg| arg.get_long() == Some(name))
            .filter(|_| place == "reading" || !is_reading(name));
        let Some(arg) = found else {
            let error = here(format!("{place} has no option {name:?}"));
            return Err(if is_reading(name) {
                error
                    .remedy("How a file is read stands beside its name: at the top, or in [[file]]")
            } else {
                let known = options().filter(|name| {
                    !not_here.contains(name) && !is_reading(name) && *name != "known"
                });
                error.remedy(format!(
                    "There are: {}",
                    known.collect::<Vec<_>>().join(", ")
                ))
            });
        };
        let takes_values = arg.get_action().takes_values();
        match &option.value {
            Value::Bool(wish) if !takes_values => {
                Ok(wish.then(|| format!("--{name}")).into_iter().collect())
            }
            Value::Bool(_) => Err(here(format!("{name} wants a value, not true or false"))),
            _ if !takes_values => Err(here(format!("{name} is true or false"))),
            Value::Array(values) if matches!(arg.get_action(), ArgAction::Append) => values
                .iter()
                .map(|value| Ok(format!("--{name}={}", self.word(arg, value, option)?)))
                .collect(),
            Value::Array(_) => Err(here(format!("{name} can be given once only"))
                .remedy("A list is a grid in [[mask]], but a list in a list is one value")),
            value => Ok(vec![format!("--{name}={}", self.word(arg, value, option)?)]),
        }
    }

    /// A value as it is typed. Names of files are looked up where those of the plan are.
    fn word(self, arg: &Arg, value: &Value, option: &PlannedOption) -> Result<String> {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            _ => {
                return Err(self.error(
                    option.line,
                    format!(
                        "{} must be a text or a number, or a list of such",
                        option.name
                    ),
                ));
            }
        };
        let is_file = arg.get_value_hint() == ValueHint::AnyPath
            || (text.parse::<u64>().is_err()
                && ["known-records", "train-records"].contains(&option.name.as_str()));
        if is_file {
            self.places
                .find(&text)
                .map(|path| path.to_string_lossy().into_owned())
                .map_err(|error| error.in_file(self.plan).at_line(option.line))
        } else {
            Ok(text)
        }
    }

    /// What the parser of the command line objects to, at the place of the plan that it is about.
    fn refused(self, error: &clap::Error, line: u64, options: &[PlannedOption]) -> Error {
        let text = error.render().to_string();
        let text = text.strip_prefix("error: ").unwrap_or(&text);
        let what: Vec<&str> = text
            .split("\n\n")
            .next()
            .unwrap_or_default()
            .split_whitespace()
            .collect();
        let what = what.join(" ");
        let passage = Passage {
            plan: self.plan,
            line,
            options,
        };
        self.error(passage.line_of(&what), what)
    }
}

#[cfg(test)]
mod tests {
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
        let mask = MaskCall::command();
        for name in NOT_OF_MASK {
            let has = |method: &Command| {
                method
                    .get_arguments()
                    .any(|arg| arg.get_long() == Some(name))
            };
            assert!(mask.get_subcommands().any(has), "{name}");
        }
        let link = LinkCall::command();
        for name in NOT_OF_LINK {
            assert!(
                link.get_arguments().any(|arg| arg.get_long() == Some(name)),
                "{name}"
            );
        }
    }
}
