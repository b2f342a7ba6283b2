//! The options of `sdcrisk roles`.

use std::path::PathBuf;

use clap::Args;

use super::{output::OutputArgs, read::ReadArgs};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  sdcrisk roles --init -o roles.toml in.csv
  sdcrisk roles --init --roles old.toml -o roles.toml in.csv

The file has every guess (delimiter, decimal mark, scale, role, ...) with its reason as a comment. Correct it, and give it to
the other commands with --roles. Until it is corrected it changes nothing: a role that the program doubts is a comment, and so are
numbers that may stand for missing values. Those are shared by several records; it holds no value of a single one.")]
pub struct RolesArgs {
    /// The file; - is standard input
    #[arg(value_name = "IN.csv")]
    pub input: PathBuf,
    /// Write a roles file of what was guessed
    #[arg(long, required = true)]
    init: bool,
    #[command(flatten)]
    pub to: OutputArgs,
    #[command(flatten)]
    pub read: ReadArgs,
}
