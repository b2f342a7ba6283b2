//! `mask RECIPE.toml`: several steps on one file.

use std::path::PathBuf;

use clap::Args;

use super::{Call, CallArgs, LeaveArgs, MaskMethod, Place, Step};
use crate::{
    cli::{
        Ending, args,
        console::Console,
        files,
        places::Places,
        words::{Asker, Words},
    },
    error::Result,
    evaluate::plan::{Passage, Recipe},
    table::Roles,
};

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
    recipe: PathBuf,
    #[command(flatten)]
    leave: LeaveArgs,
    #[command(flatten)]
    call: CallArgs,
}

/// A recipe as it was read.
pub(super) struct Written {
    /// Its file.
    pub file: PathBuf,
    name: String,
    text: String,
    has_roles: bool,
}

impl Written {
    /// What it says of the file to mask, if it says anything.
    ///
    /// # Errors
    /// Input, when that makes no sense.
    pub fn roles(&self) -> Result<Option<Roles>> {
        let roles = self.has_roles.then(|| Roles::of_recipe(&self.text));
        roles
            .transpose()
            .map_err(|error| error.in_file(self.name.clone()))
    }
}

impl RecipeArgs {
    pub fn run(&self, console: &Console) -> anyhow::Result<Ending> {
        let name = files::name_of(&self.recipe);
        let text = args::read_text(&self.recipe)?;
        let Recipe { steps, has_roles } = Recipe::parse(&name, &text)?;
        let places = Places::of_recipe(&self.recipe);
        let words = Words {
            asker: Asker::Recipe,
            plan: &name,
            places: &places,
        };
        let methods = (steps.iter())
            .map(|(step, options)| words.step(step, options, None))
            .collect::<Result<Vec<MaskMethod>>>()?;
        let written = Written {
            file: self.recipe.clone(),
            name: name.clone(),
            text,
            has_roles,
        };
        let all = steps.len();
        let steps = methods.iter().zip(&steps).enumerate();
        let steps = steps.map(|(place, (method, (step, options)))| Step {
            method: method.args(),
            place: Some(Place {
                name: format!("step {} of {all}", place + 1),
                passage: Passage {
                    plan: &name,
                    line: step.line,
                    options,
                },
            }),
        });
        let call = Call {
            args: &self.call,
            steps: steps.collect(),
            recipe: Some(&written),
            leave: Some(&self.leave),
        };
        call.mask(console)
    }
}
