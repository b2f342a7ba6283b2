//! What a search found, for reports.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{
    Search,
    candidate::{Candidate, Outcome},
};
use crate::{
    evaluate::{
        grid::{Row, Setting},
        plan::PlannedOption,
        search::{Side, Trial},
        status::Status,
    },
    jobs::shell_word,
    report::{
        evaluate::warnings,
        search::{Best, Masking, RangeSummary, SCHEMA, SearchReport, Visit},
        text,
    },
};

impl Search<'_> {
    /// What was found.
    pub fn report(&self) -> SearchReport {
        let trials = self.trials();
        let maskings: Vec<Masking> = (self.candidates.iter())
            .map(|candidate| self.masking(candidate, &trials))
            .collect();
        let rows: Vec<Row> = self.rows.values().cloned().collect();
        let mut notes = self.notes(&rows);
        notes.extend(nothing_lost(&maskings, &self.request.loss));
        SearchReport {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION"),
            status: Status::limited(
                (rows.iter().flat_map(|row| &row.attacks))
                    .any(|attack| attack.status == Status::Limit),
            ),
            warnings: warnings(&rows),
            plan: self.grid.plan_summary(),
            risk_at_most: self.request.risk_at_most,
            loss: self.request.loss.clone(),
            files: self.grid.file_summaries(),
            best: self.best(&maskings),
            maskings,
            notes,
            provenance: None,
        }
    }

    fn masking(&self, candidate: &Candidate, trials: &BTreeMap<usize, Trial>) -> Masking {
        let original = &self.grid.originals[candidate.original];
        let visit = |&(value, setting): &(f64, usize)| {
            let trial = trials.get(&setting)?;
            let options = &self.grid.settings[setting].options;
            let parameters = candidate.mask.parameters(options);
            let value = candidate.range.map(|_| value);
            Some(Visit::new(parameters, value, trial))
        };
        let mut settings = candidate.settings.clone();
        settings.sort_by(|a, b| a.0.total_cmp(&b.0));
        let tried: Vec<Visit> = settings.iter().filter_map(visit).collect();
        let found = candidate.outcome.and_then(Outcome::value);
        let chosen = match found {
            Some(value) => {
                (settings.iter()).find(|(_, setting)| candidate.tried(value) == Some(*setting))
            }
            // The one with the least risk.
            None => settings.iter().min_by(|a, b| {
                let risk = |(_, setting): &(f64, usize)| {
                    let trial = trials.get(setting);
                    let strongest = trial.and_then(|trial| trial.strongest.as_ref());
                    strongest.map_or(f64::INFINITY, |risk| risk.mean)
                };
                risk(a).total_cmp(&risk(b))
            }),
        };
        let label = Setting::new(0, &original.name, &candidate.mask, &candidate.options).label;
        Masking {
            file: original.name.clone(),
            method: candidate.mask.method.clone(),
            label,
            range: candidate.mask.range.as_ref().map(|range| RangeSummary {
                option: candidate.mask.key(range.step, &range.name),
                from: range.from,
                to: range.to,
            }),
            found: found.is_some(),
            chosen: chosen.and_then(visit),
            tried,
        }
    }

    /// For each original the masking with the least loss, and the command that makes it.
    fn best(&self, maskings: &[Masking]) -> Vec<Best> {
        let originals = self.grid.originals.iter().enumerate();
        originals
            .filter_map(|(number, original)| {
                let losses = (self.candidates.iter().zip(maskings).enumerate())
                    .filter(|(_, (candidate, masking))| {
                        candidate.original == number && masking.found
                    })
                    .filter_map(|(place, (_, masking))| {
                        Some((place, masking.chosen.as_ref()?.loss?))
                    });
                let (place, _) =
                    losses.reduce(|least, next| if next.1 < least.1 { next } else { least })?;
                let value = self.candidates[place].outcome?.value()?;
                Some(Best {
                    file: original.name.clone(),
                    masking: place,
                    command: self.command(&self.candidates[place], value),
                })
            })
            .collect()
    }

    /// What a person types to mask the file so; several steps are a recipe.
    fn command(&self, candidate: &Candidate, value: f64) -> String {
        let original = &self.grid.originals[candidate.original];
        let file = &self.grid.plan.files[original.place];
        let options = candidate.with(value);
        let all = file.attributes.as_deref();
        let mut words = vec!["sdcrisk".to_string(), "mask".into()];
        let mut before = String::new();
        if candidate.mask.steps.len() == 1 {
            words.push(candidate.mask.method.clone());
            words.extend(options.iter().flat_map(typed));
            let names_own = options.iter().any(names_attributes);
            let attributes = all.filter(|_| !names_own);
            words.extend(attributes.map(|attributes| format!("--attributes={attributes}")));
        } else {
            let recipe = recipe(candidate, &options, all);
            before = format!("cat > recipe.toml <<'END'\n{recipe}END\n");
            words.push("recipe.toml".into());
        }
        words.extend(file.reading.iter().flat_map(typed));
        words.extend(["--statement", "masked.sdc.json", "-o", "masked.csv"].map(String::from));
        words.push(file.original.clone());
        let quoted: Vec<String> = words.iter().map(|word| shell_word(word)).collect();
        before + &quoted.join(" ")
    }

    fn notes(&self, rows: &[Row]) -> Vec<String> {
        let mut notes = vec![
            "note: the limit holds for the mean over people, in these scenarios and for these attacks. Extremes are found more often than \
             others: 'sdcrisk link' on the masked file reports them."
                .to_string(),
        ];
        for candidate in &self.candidates {
            let Some(&(_, setting)) = candidate.settings.first() else {
                continue;
            };
            let own: Vec<&Row> = rows.iter().filter(|row| row.setting == setting).collect();
            let was_run = own
                .iter()
                .flat_map(|row| &row.attacks)
                .any(|attack| attack.rate.is_some());
            if !own.is_empty() && !was_run {
                notes.push(format!(
                    "note: no attack of the plan applies to {}: nothing is known of its risk",
                    self.grid.settings[setting].setting.label
                ));
            }
        }
        let limit = text::percent(self.request.risk_at_most);
        let trials = self.trials();
        let is_mixed = |candidate: &&Candidate| {
            let mut sides: Vec<(f64, Side)> = (candidate.settings.iter())
                .filter_map(|(value, setting)| {
                    Some((*value, trials.get(setting)?.side(self.request.risk_at_most)))
                })
                .collect();
            sides.sort_by(|a, b| a.0.total_cmp(&b.0));
            sides.dedup_by_key(|(_, side)| *side);
            sides.len() > 2
        };
        for candidate in self.candidates.iter().filter(is_mixed) {
            notes.push(format!(
                "note: along its range the risk of {} crosses {limit} more than once: a setting with less loss may have been missed",
                candidate.mask.method
            ));
        }
        notes
    }
}

/// Maskings that were found but have no loss cannot be compared.
fn nothing_lost(maskings: &[Masking], loss: &str) -> Vec<String> {
    let lacks = |masking: &&Masking| {
        let chosen = masking.chosen.as_ref();
        masking.found && chosen.is_some_and(|visit| visit.loss.is_none())
    };
    let lacking = maskings.iter().filter(lacks);
    lacking
        .map(|masking| {
            format!(
                "note: {loss} is not defined for {} of {}, which is not compared with the others",
                masking.label, masking.file
            )
        })
        .collect()
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
