//! Every masked file of a grid.

use crate::{
    evaluate::{
        grid::Row,
        measures::{Name, Rate},
    },
    report::{
        evaluate::EvaluateReport,
        figures::shown,
        html::{
            parts::{Table, base_name, folded},
            statement::parameters,
        },
        text::percent,
    },
};
use maud::Markup;

/// A measure of one masked file.
fn find(run: &Row, name: &Name) -> Option<f64> {
    match name {
        Name::Attack(Rate::Links, attack) => {
            let mut attacks = run.attacks.iter();
            attacks.find(|other| other.name == *attack)?.rate
        }
        Name::Loss(what) => run.losses.get(what.key)?.as_f64(),
        Name::Risk(what) => run.risks.get(what.key)?.as_f64(),
        Name::Whole(_) | Name::Attack(..) => None,
    }
}

/// What there is of any masked file beside IL, DR and score: rates of attacks, then losses and risks.
fn measured(runs: &[Row]) -> Vec<Name> {
    let links = (runs.iter())
        .flat_map(|run| &run.attacks)
        .map(|attack| Name::Attack(Rate::Links, attack.name.clone()));
    let others = runs.iter().flat_map(|run| {
        let losses = run.losses.keys().filter_map(|key| Name::loss(key));
        losses.chain(run.risks.keys().filter_map(|key| Name::risk(key)))
    });
    let mut names: Vec<Name> = Vec::new();
    for name in links.chain(others) {
        if !name.is_il_again() && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Every masked file: for the office, since it holds the seeds.
pub(super) fn folded_runs(evaluation: &EvaluateReport) -> Markup {
    let mut table = Table::new(
        "Every masked file",
        &["Setting", "File", "Run", "Seed", "IL", "DR", "Score"],
        2,
    );
    let extra = measured(&evaluation.rows);
    table
        .header
        .extend(extra.iter().map(|name| name.short().replace('_', " ")));
    for run in &evaluation.rows {
        let of_setting = evaluation.settings.get(run.setting);
        let label = of_setting.map_or_else(
            || format!("{} {}", run.method, parameters(&run.parameters)),
            |setting| setting.setting.label.clone(),
        );
        let seed = run.seed.map_or(String::new(), |seed| seed.to_string());
        let mut row = vec![
            label,
            base_name(&run.file).into(),
            run.run.to_string(),
            seed,
        ];
        row.extend([run.il, run.dr, run.score].map(|value| value.map_or(String::new(), percent)));
        row.extend(extra.iter().map(|name| {
            let value = find(run, name);
            value.map_or(String::new(), |_| shown(value, name.definition().unit))
        }));
        table.rows.push(row);
    }
    folded(&table, "Every masked file")
}
