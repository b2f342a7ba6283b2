//! `mask RECIPE.toml`: the options of a recipe.

use std::path::PathBuf;

use clap::Args;

use super::{CallArgs, LeaveArgs};

/// What follows the options in the help.
pub(super) const HELP: &str = "Examples:
  sdcrisk mask release.toml in.csv > masked.csv
  sdcrisk mask release.toml --statement masked.sdc.json --shuffle key.csv -o masked.csv in.csv
  sdcrisk mask recipe - in.csv < release.toml > masked.csv

A recipe (TOML) lists steps in the order in which they are done, each with the long options of 'mask METHOD':
  [[step]]
  method = \"recode\"
  rules = \"coarse.toml\"         # files are looked for beside the recipe, then in the current folder
  [[step]]
  method = \"rankswap\"
  p = 5
  attributes = \"income,tax\"
  keep-sums = [\"total=income+tax\"]    # a list is an option that is given several times
  [[step]]
  method = \"sample\"
  fraction = 0.5
What a roles file says can stand there, too, under [roles] and [file]; --roles is refused then.

The masked file, the statement and the summary are those of all steps. Calls of 'mask METHOD', each with --after the statement \
of the call before, give the same; the recipe reads and writes once, and its key (--shuffle) leads to IN.csv even if \
records were left out on the way. Identifiers and what --drop names are left out in the first step; a step can leave out \
more (drop = \"...\"). What one method can write beside the masked file, such as --partition, it writes alone.";

#[derive(Debug, Args)]
#[command(next_help_heading = "Files and attributes")]
pub struct RecipeArgs {
    /// The recipe; - is standard input
    #[arg(value_name = "RECIPE.toml")]
    pub recipe: PathBuf,
    #[command(flatten)]
    pub leave: LeaveArgs,
    #[command(flatten)]
    pub call: CallArgs,
}
