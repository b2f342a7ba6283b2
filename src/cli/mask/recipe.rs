//! `mask RECIPE.toml`: several steps on one file.

use std::path::PathBuf;

use super::{Call, Place, Step};
use crate::{
    cli::{
        Ending,
        console::Console,
        files::{name_of, read_text},
        places::Places,
    },
    error::Result,
    evaluate::plan::{Passage, Recipe},
    options::{
        mask::{MaskMethod, RecipeArgs},
        words::{Asker, Words},
    },
    table::Roles,
};

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

pub(super) fn run(args: &RecipeArgs, console: &Console) -> anyhow::Result<Ending> {
    let name = name_of(&args.recipe);
    let text = read_text(&args.recipe)?;
    let Recipe { steps, has_roles } = Recipe::parse(&name, &text)?;
    let places = Places::of_recipe(&args.recipe);
    let words = Words {
        asker: Asker::Recipe,
        plan: &name,
        places: &places,
    };
    let methods = (steps.iter())
        .map(|(step, options)| words.step(step, options, None))
        .collect::<Result<Vec<MaskMethod>>>()?;
    let written = Written {
        file: args.recipe.clone(),
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
        args: &args.call,
        steps: steps.collect(),
        recipe: Some(&written),
        leave: Some(&args.leave),
    };
    call.mask(console)
}
