//! The grid of settings: the risk-utility map, risk against the parameter, the table beside what was published.

mod against;
mod map;
mod model;
mod runs;

pub use map::map;

use maud::{Markup, html};

use super::{
    Section,
    document::{Content, Document},
    frame::KEPT,
    parts::{Table, Writer, base_name, folded, list, text},
};
use crate::{
    evaluate::measures::{Name, RiskAxis},
    report::{evaluate::EvaluateReport, figures, text::percent},
};
use against::against_parameter;
use map::map_of;
use model::Mean;
use runs::folded_runs;

pub(super) fn section(documents: &[Document], writer: &mut Writer) -> Option<Section> {
    let evaluations: Vec<(&Document, &EvaluateReport)> = documents
        .iter()
        .filter_map(|document| match &document.content {
            Content::Evaluation(evaluation) => Some((document, evaluation)),
            _ => None,
        })
        .collect();
    if evaluations.is_empty() {
        return None;
    }
    let mut parts = Vec::new();
    for (document, evaluation) in evaluations {
        if documents.len() > 1 {
            parts.push(html! { h3 { (text(base_name(&document.name))) } });
        }
        parts.push(what(evaluation));
        for file in evaluation.file_names() {
            parts.push(one_file(evaluation, file, writer));
        }
        if writer.is_internal() {
            parts.push(folded_runs(evaluation));
        }
    }
    Some(Section {
        id: "evaluation",
        title: "Settings compared",
        content: html! {
            @for part in &parts { (part) }
            @if !writer.is_internal() { p { (KEPT) } }
        },
    })
}

fn what(evaluation: &EvaluateReport) -> Markup {
    let plan = &evaluation.plan;
    let files: Vec<String> = evaluation
        .files
        .iter()
        .map(|file| {
            format!(
                "{} ({} records, {} attributes)",
                base_name(&file.name),
                file.records,
                file.attributes.len()
            )
        })
        .collect();
    list(&[
        ("Plan", base_name(&plan.file).to_string()),
        ("Files", files.join(", ")),
        ("Masked files per setting", plan.repeats.to_string()),
        ("Attributes known", plan.known.join("; ")),
        ("Attacks", plan.attacks.join(", ")),
        ("Losses", plan.losses.join(", ")),
        ("Intervals", evaluation.interval.clone()),
    ])
}

fn one_file(evaluation: &EvaluateReport, file: &str, writer: &mut Writer) -> Markup {
    let is_internal = writer.is_internal();
    let names = evaluation.measures(|name| is_internal || name.is_loss());
    let mut tables = settings(evaluation, file, &names, is_internal).into_iter();
    let Some(table) = tables.next() else {
        return html! {};
    };
    let others = html! { @for table in tables { (table.markup()) } };
    if !is_internal {
        return html! { (table.markup()) (others) };
    }
    let pictured = map_of(evaluation, file).map(|drawing| {
        writer.figure(
            &drawing,
            "To the right more is lost, upwards more is at risk. A setting is on the front if no other is at least as good in both and better in one.",
            &table,
        )
    });
    html! {
        @match pictured { Some(figure) => (figure), None => (table.markup()) }
        (others)
        (against_parameter(evaluation, file, writer))
        (published(evaluation, file))
    }
}

/// All settings with these measures, some measures a table, so that each is whole on a printed page. The first says which settings are on
/// the front, and begins with the measures of the map.
fn settings(
    evaluation: &EvaluateReport,
    file: &str,
    names: &[Name],
    is_internal: bool,
) -> Vec<Table> {
    const MEASURES: usize = 4;
    let axes = &evaluation.axes;
    let mut names: Vec<&Name> = names.iter().collect();
    names.sort_by_key(|name| match &axes.risk {
        _ if axes.loss.as_ref() == Some(name) => 0,
        Some(RiskAxis::Measure(risk)) if risk == *name => 1,
        _ => 2,
    });
    let count = names.len().div_ceil(MEASURES).max(1);
    let chunk = |number: usize| names.iter().skip(number * MEASURES).take(MEASURES);
    (0..count)
        .map(|number| {
            let mut caption = format!("Settings on {}", base_name(file));
            if count > 1 {
                caption += &format!(", table {} of {count}", number + 1);
            }
            let with_front = is_internal && number == 0;
            let mut table = Table::new(caption, &["Setting", "Masked files"], 1);
            table
                .header
                .extend(chunk(number).map(|name| name.in_words()));
            if with_front {
                table.header.push("Pareto front".into());
            }
            for setting in evaluation.of_file(file) {
                let mut row = vec![setting.setting.label.clone(), setting.runs.to_string()];
                row.extend(chunk(number).map(|name| {
                    let measure = setting.measure(name);
                    measure.map_or(String::new(), |measure| shown(name, measure))
                }));
                if with_front {
                    row.push(if setting.pareto { "on it" } else { "" }.into());
                }
                // A setting without any of these measures has its row in the first table.
                if number == 0 || row[2..].iter().any(|cell| !cell.is_empty()) {
                    table.rows.push(row);
                }
            }
            table
        })
        .collect()
}

/// A measure in its unit: shares in percent.
fn shown(name: &Name, measure: Mean) -> String {
    let unit = name.definition().unit;
    let shown = |value: f64| figures::shown(Some(value), unit);
    match measure.interval {
        Some([low, high]) => {
            format!(
                "{} ({} to {})",
                shown(measure.mean),
                shown(low),
                shown(high)
            )
        }
        None => shown(measure.mean),
    }
}

/// Every published figure beside what was measured.
fn published(evaluation: &EvaluateReport, file: &str) -> Markup {
    let rows: Vec<Vec<String>> = evaluation
        .of_file(file)
        .flat_map(|setting| {
            setting.published.iter().map(|published| {
                let name = published.name();
                let found = || {
                    let name = name.as_ref()?;
                    Some(shown(name, setting.measure(name)?))
                };
                vec![
                    setting.setting.label.clone(),
                    name.as_ref()
                        .map_or_else(|| published.measure.clone(), Name::in_words),
                    published.source.clone(),
                    percent(published.value),
                    found().unwrap_or_default(),
                    published.difference.map_or(String::new(), |difference| {
                        format!("{:+.2} points", 100.0 * difference)
                    }),
                ]
            })
        })
        .collect();
    let table = Table::new(
        "Beside what was published",
        &[
            "Setting",
            "Measure",
            "Source",
            "Published",
            "Here",
            "Difference",
        ],
        3,
    )
    .with(rows);
    html! { @if !table.rows.is_empty() { (folded(&table, "Beside what was published")) } }
}
