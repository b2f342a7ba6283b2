//! What a person types to mask a file as a search found it.

use serde_json::Value;

use super::candidate::Candidate;
use crate::{
    evaluate::plan::PlannedOption,
    jobs::{evaluate::Grid, shell_word},
};

impl Candidate {
    /// What a person types to mask the file so; several steps are a recipe.
    pub fn command(&self, grid: &Grid, value: f64) -> String {
        let original = &grid.originals[self.original];
        let file = &grid.plan.files[original.place];
        let options = self.with(value);
        let all = file.attributes.as_deref();
        let mut words = vec!["sdcrisk".to_string(), "mask".into()];
        let mut before = String::new();
        if self.mask.steps.len() == 1 {
            words.push(self.mask.method.clone());
            words.extend(options.iter().flat_map(typed));
            let names_own = options.iter().any(names_attributes);
            let attributes = all.filter(|_| !names_own);
            words.extend(attributes.map(|attributes| format!("--attributes={attributes}")));
        } else {
            let recipe = recipe(self, &options, all);
            before = format!("cat > recipe.toml <<'END'\n{recipe}END\n");
            words.push("recipe.toml".into());
        }
        words.extend(file.reading.iter().flat_map(typed));
        words.extend(["--statement", "masked.sdc.json", "-o", "masked.csv"].map(String::from));
        words.push(file.original.clone());
        let quoted: Vec<String> = words.iter().map(|word| shell_word(word)).collect();
        before + &quoted.join(" ")
    }
}

/// An option as it is typed: as often as it has values.
fn typed(option: &PlannedOption) -> Vec<String> {
    let values = match &option.value {
        Value::Array(values) => &values[..],
        value => std::slice::from_ref(value),
    };
    let word = |value: &Value| match value {
        Value::Bool(true) => Some(format!("--{}", option.name)),
        Value::Bool(false) => None,
        Value::String(text) => Some(format!("--{}={text}", option.name)),
        value => Some(format!("--{}={value}", option.name)),
    };
    values.iter().filter_map(word).collect()
}

/// Whether an option says which attributes are masked.
fn names_attributes(option: &PlannedOption) -> bool {
    ["attributes", "group"].contains(&option.name.as_str())
}

/// The steps of a masking as a recipe. Values are written as in JSON, which TOML reads; `attributes` are those of the plan.
fn recipe(candidate: &Candidate, options: &[PlannedOption], attributes: Option<&str>) -> String {
    let mut text = String::new();
    for (place, step) in candidate.mask.steps.iter().enumerate() {
        text += &format!("[[step]]\nmethod = {}\n", Value::from(step.method.as_str()));
        let own = PlannedOption::of_step(options, place);
        for option in &own {
            text += &format!("{} = {}\n", option.name, option.value);
        }
        let by_rules = ["recode", "suppress", "sample"].contains(&step.method.as_str());
        if let Some(attributes) = attributes
            && !by_rules
            && !own.iter().any(names_attributes)
        {
            text += &format!("attributes = {}\n", Value::from(attributes));
        }
    }
    text
}
