//! The arguments of `link`, put together by another command.

use std::ffi::OsString;

use clap::Parser;

use super::LinkArgs;
use crate::error::{Error, Result};

#[derive(Debug, Parser)]
#[command(name = "link", no_binary_name = true)]
struct Words {
    #[command(flatten)]
    link: LinkArgs,
}

impl LinkArgs {
    /// The arguments that these options stand for. The files are in memory ([`super::attack_files`]), so none are named.
    ///
    /// # Errors
    /// Usage, where `link` would object.
    pub(in crate::cli) fn of_options<W: Into<OsString>>(
        options: impl IntoIterator<Item = W>,
    ) -> Result<Self> {
        let options = options.into_iter().map(Into::into);
        let words = options.chain(["--".into(), "original".into(), "masked".into()]);
        let words = Words::try_parse_from(words.collect::<Vec<OsString>>());
        words.map(|words| words.link).map_err(|error| {
            let text = error.to_string();
            let first = text.lines().next().unwrap_or_default();
            Error::usage(first.trim_start_matches("error: "))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::console::Console;

    #[test]
    fn options_are_those_of_the_command() {
        let args = LinkArgs::of_options(["--method", "am,rsld", "--p", "5"]).unwrap();
        args.settled(false, &Console::quiet()).unwrap();
        let error = LinkArgs::of_options(["--method", "am", "--ties", "none"]).unwrap_err();
        assert!(error.what().contains("'none'"), "{}", error.what());
    }
}
