//! `sdcrisk roles`: a roles file of all that was guessed about a file, to be corrected.

use std::path::PathBuf;

use clap::Args;

use super::{
    Ending,
    args::{self, OutputArgs, ReadArgs},
    console::Console,
    files::{Disk, Plan, Privacy},
};

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
    input: PathBuf,
    /// Write a roles file of what was guessed
    #[arg(long, required = true)]
    init: bool,
    #[command(flatten)]
    to: OutputArgs,
    #[command(flatten)]
    read: ReadArgs,
}

pub fn run(args: &RolesArgs, console: &Console) -> anyhow::Result<Ending> {
    let mut plan = Plan::default();
    plan.input(&args.input)?;
    plan.each_input(args.read.input())?;
    plan.output(&args.to.output)?;
    let mut output = plan.open(&args.to.output, Privacy::Ordinary)?;
    let options = args.read.options(&Disk)?;
    let table = args::read_table(&args.input, &options, console)?;
    args.read.settle(&[&table], console)?;
    output.write_text(&table.roles_template(&options))?;
    output.keep()?;
    Ok(Ending::Done)
}
