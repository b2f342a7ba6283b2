//! From the options of a TOML file, of a plan or of a recipe, to those of `mask METHOD`, `link` and of reading: they become the words of a
//! command line, which is parsed and checked as if somebody had typed it.

mod plan;

use std::path::PathBuf;

use clap::{Arg, ArgAction, Command, CommandFactory, Parser, ValueHint};
use serde_json::Value;

use super::{mask::MaskMethod, read::ReadArgs};
use crate::{
    error::{Error, Result},
    evaluate::plan::{Passage, PlannedOption, PlannedStep},
    table::of_known,
};

#[derive(Parser)]
#[command(no_binary_name = true, disable_help_flag = true)]
struct MaskCall {
    #[command(subcommand)]
    method: MaskMethod,
}

#[derive(Parser)]
#[command(no_binary_name = true, disable_help_flag = true)]
struct ReadCall {
    #[command(flatten)]
    read: ReadArgs,
}

/// Options of `mask` that are about the one call, or that a plan itself decides.
const NOT_OF_MASK: [&str; 10] = [
    "output",
    "statement",
    "after",
    "incomplete",
    "shuffle",
    "seed",
    "partition",
    "centres",
    "memberships",
    "shard",
];

/// Stands where a call has the names of its tables: it is never opened.
const TABLE: &str = "plan.csv";

/// What the file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asker {
    /// A plan of `evaluate` or `search`.
    Plan,
    /// A recipe of `mask`.
    Recipe,
}

impl Asker {
    fn a_name(self) -> &'static str {
        match self {
            Self::Plan => "a plan",
            Self::Recipe => "a step",
        }
    }

    /// What to do about an option that has no place here.
    fn of_the_call(self) -> &'static str {
        match self {
            Self::Plan => {
                "Files that single calls write, seeds and reports are the plan's own matter; leave it out"
            }
            Self::Recipe => {
                "It is about the whole call: give it on the command line. What single methods write beside the masked file, \
                 such as --partition, 'mask METHOD --after' writes"
            }
        }
    }

    /// Where it stands how a file is read.
    fn of_reading(self) -> &'static str {
        match self {
            Self::Plan => "How a file is read stands beside its name: at the top, or in [[file]]",
            Self::Recipe => {
                "How the file is read stands in [roles] and [file], or on the command line"
            }
        }
    }

    /// What a list is that is none here.
    fn of_lists(self) -> &'static str {
        match self {
            Self::Plan => "A list is a grid in [[mask]], but a list in a list is one value",
            Self::Recipe => "Give one value; 'sdcrisk evaluate' tries the values of a list",
        }
    }
}

/// Where the files are that a plan or a recipe names.
pub trait Places {
    /// The file of this name.
    ///
    /// # Errors
    /// Failed, when there is none.
    fn find(&self, name: &str) -> Result<PathBuf>;
}

/// Who is asked: the file, and where the files are that it names.
#[derive(Clone, Copy)]
pub struct Words<'a> {
    pub asker: Asker,
    pub plan: &'a str,
    pub places: &'a dyn Places,
}

impl Words<'_> {
    fn error(self, line: u64, what: impl Into<String>) -> Error {
        Error::input(what).in_file(self.plan).at_line(line)
    }

    /// A step of a masking with its options. `attributes` are those of the original, which hold where neither the options nor the method's
    /// own name any.
    ///
    /// # Errors
    /// Input, when the options make no sense.
    pub fn step(
        self,
        step: &PlannedStep,
        options: &[PlannedOption],
        attributes: Option<&str>,
    ) -> Result<MaskMethod> {
        let all = MaskCall::command();
        let Some(command) = all.find_subcommand(&step.method) else {
            let known: Vec<&str> = all.get_subcommands().map(Command::get_name).collect();
            let what = format!("there is no masking method {:?}", step.method);
            return Err(self
                .error(step.line, what)
                .remedy(of_known(&step.method, &known)));
        };
        let mut words = vec![step.method.clone()];
        let place = format!("mask {}", step.method);
        for option in options {
            words.extend(self.of(command, option, &place, &NOT_OF_MASK)?);
        }
        words.push(TABLE.into());
        let parse = |words: &[String]| {
            MaskCall::try_parse_from(words)
                .map(|call| call.method)
                .map_err(|error| self.refused(&error, step.line, options))
        };
        let method = parse(&words)?;
        let names_some = options.iter().any(|option| option.name == "attributes");
        match attributes {
            Some(attributes) if !names_some && !method.names_attributes() => {
                words.push(format!("--attributes={attributes}"));
                parse(&words)
            }
            _ => Ok(method),
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
            return Err(
                here(format!("{name} has no place in {}", self.asker.a_name()))
                    .remedy(self.asker.of_the_call()),
            );
        }
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
                error.remedy(self.asker.of_reading())
            } else {
                let options = command.get_arguments().filter_map(Arg::get_long);
                let known: Vec<&str> = options
                    .filter(|name| {
                        !not_here.contains(name) && !is_reading(name) && *name != "known"
                    })
                    .collect();
                error.remedy(of_known(name, &known))
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
            Value::Array(_) => {
                Err(here(format!("{name} can be given once only")).remedy(self.asker.of_lists()))
            }
            value => Ok(vec![format!("--{name}={}", self.word(arg, value, option)?)]),
        }
    }

    /// A value as it is typed. Names of files are looked up where those of the plan or recipe are.
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

    /// What the parser of the command line objects to, at the place of the file that it is about.
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
    fn what_is_of_the_call_exists() {
        let mask = MaskCall::command();
        for name in NOT_OF_MASK {
            let has = |method: &Command| {
                method
                    .get_arguments()
                    .any(|arg| arg.get_long() == Some(name))
            };
            assert!(mask.get_subcommands().any(has), "{name}");
        }
    }
}
