//! Where a plan says what others object to.

use super::PlannedOption;
use crate::error::{Error, ErrorKind};

/// A passage of a plan: a masking, an attack or an original, with its options.
#[derive(Debug, Clone, Copy)]
pub struct Passage<'a> {
    /// The name of the plan.
    pub plan: &'a str,
    /// Where the passage begins.
    pub line: u64,
    /// Its options, each with its own line.
    pub options: &'a [PlannedOption],
}

impl Passage<'_> {
    /// An objection to what the passage says: the plan is the input, so its file and line come first, then the error's own place and
    /// words. `what` is objected to; `of` which file is said where the error names none. What the machine cannot do is no fault of the
    /// plan.
    pub fn blamed(self, [what, of]: [&str; 2], error: Error) -> Error {
        let names_file = error.location().file.is_some();
        match error.kind() {
            ErrorKind::Usage | ErrorKind::Input => {}
            ErrorKind::Strict | ErrorKind::Failed if names_file => return error,
            ErrorKind::Strict | ErrorKind::Failed => {
                return error.in_file(self.plan).at_line(self.line);
            }
        }
        if error.location().file.as_deref() == Some(self.plan) {
            return error;
        }
        let line = self.line_of(error.what());
        let what = if names_file {
            format!("{what}: {error}")
        } else {
            format!("{what} of {of}: {error}")
        };
        Error::input(what)
            .for_the_reason_of(&error)
            .in_file(self.plan)
            .at_line(line)
    }

    /// The line of the option that a message is about (`--p ...`, or `p = ...`), or of the passage.
    pub fn line_of(self, message: &str) -> u64 {
        let is_named = |option: &&PlannedOption| {
            let long = format!("--{}", option.name);
            let mut words = message.split(|c: char| !(c.is_alphanumeric() || c == '-'));
            message.starts_with(&format!("{} = ", option.name)) || words.any(|word| word == long)
        };
        let option = self.options.iter().find(is_named);
        option.map_or(self.line, |option| option.line)
    }
}
