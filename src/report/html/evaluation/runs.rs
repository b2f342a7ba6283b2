//! Every masked file of a grid.

use maud::Markup;
use serde_json::Value;

use super::model::{Evaluation, Run};
use crate::report::{
    html::{
        parts::{Table, base_name, folded},
        statement::parameters,
    },
    text::percent,
};

/// Finds a figure of a masked file by its name.
type Find = fn(&Run, &str) -> Option<f64>;

/// Every masked file: for the office, since it holds the seeds.
pub(super) fn folded_runs(evaluation: &Evaluation) -> Markup {
    let mut table = Table::new(
        "Every masked file",
        &["Setting", "File", "Run", "Seed", "IL", "DR", "Score"],
        2,
    );
    let mut extra: Vec<(String, Find)> = Vec::new();
    for run in &evaluation.rows {
        for attack in &run.attacks {
            let entry = attack.name.clone();
            if !extra.iter().any(|(name, _)| *name == entry) {
                extra.push((entry, |run, name| {
                    run.attacks.iter().find(|attack| attack.name == name)?.rate
                }));
            }
        }
    }
    for run in &evaluation.rows {
        for key in run.losses.keys() {
            if key != "il" && !extra.iter().any(|(name, _)| name == key) {
                extra.push((key.clone(), |run, name| run.losses.get(name)?.as_f64()));
            }
        }
        for key in run.risks.keys() {
            if !extra.iter().any(|(name, _)| name == key) {
                extra.push((key.clone(), |run, name| run.risks.get(name)?.as_f64()));
            }
        }
    }
    table
        .header
        .extend(extra.iter().map(|(name, _)| name.replace('_', " ")));
    for run in &evaluation.rows {
        let of_setting = evaluation
            .settings
            .get(usize::try_from(run.setting).unwrap_or(usize::MAX));
        let label = of_setting.map_or_else(
            || format!("{} {}", run.method, parameters(&run.parameters)),
            |setting| setting.label.clone(),
        );
        let seed = run.seed.as_ref().map_or(String::new(), |seed| match seed {
            Value::String(seed) => seed.clone(),
            other => other.to_string(),
        });
        let number = run.run.map_or(String::new(), |run| run.to_string());
        let mut row = vec![label, base_name(&run.file).into(), number, seed];
        row.extend([run.il, run.dr, run.score].map(|value| value.map_or(String::new(), percent)));
        row.extend(
            extra
                .iter()
                .map(|(name, find)| find(run, name).map_or(String::new(), percent)),
        );
        table.rows.push(row);
    }
    folded(&table, "Every masked file")
}
