//! A recipe of `mask`: the steps of one masking. TOML.
//!
//! ```toml
//! [[step]]
//! method = "recode"
//! rules = "coarse.toml"        # a file beside the recipe
//!
//! [[step]]
//! method = "rankswap"
//! attributes = "income,tax"
//! p = 5
//! ```
//!
//! The options of a step are the long options of `mask METHOD`, as in a plan, but a list is an option that is given several times. A recipe can
//! also have what a roles file has, under `[roles]` and `[file]` ([`Roles::of_recipe`](crate::table::Roles::of_recipe)).

use super::{PlannedOption, PlannedStep, read::mask::Method, source::Source};
use crate::error::Result;

/// The keys of a recipe.
const KEYS: [&str; 3] = ["step", "roles", "file"];

/// The steps of a recipe, with their options.
#[derive(Debug, Clone, PartialEq)]
pub struct Recipe {
    /// The steps, in the order in which they are done: one at least.
    pub steps: Vec<(PlannedStep, Vec<PlannedOption>)>,
    /// Whether it says what a roles file says.
    pub has_roles: bool,
}

impl Recipe {
    /// Reads a recipe. `name` is that of its file, for messages.
    ///
    /// # Errors
    /// Input, with the line: what is not TOML, an unknown key, a step without a method, no step at all.
    pub fn parse(name: &str, text: &str) -> Result<Self> {
        let source = Source { name, text };
        let table = source.table()?;
        let mut recipe = Self {
            steps: Vec::new(),
            has_roles: false,
        };
        let mut written = Vec::new();
        for entry in source.entries(&table) {
            match entry.key.as_str() {
                "step" => {
                    written = source.tables(&entry, |source, line, table| {
                        Ok((line, Method::read(source, table)?))
                    })?;
                }
                "roles" | "file" => recipe.has_roles = true,
                _ => return Err(source.unknown(&entry, "a recipe", &KEYS)),
            }
        }
        source.ensure(
            !written.is_empty(),
            None,
            "has no [[step]]: nothing would be masked",
            "Add [[step]], method = \"rankswap\", p = 5",
        )?;
        for (place, (line, step)) in written.into_iter().enumerate() {
            let (
                step,
                Method {
                    options, ranges, ..
                },
            ) = step.step(source, (place, line), "[[step]]")?;
            source.ensure(
                ranges.is_empty(),
                ranges.first().map(|range| range.line),
                format!(
                    "{} is a table; it must be a value, or a list of values",
                    ranges.first().map_or("", |range| &range.name)
                ),
                "Ranges are for 'sdcrisk search'; rules are a file of their own: rules = \"rules.toml\"",
            )?;
            recipe.steps.push((step, options));
        }
        Ok(recipe)
    }
}
