//! Risk against the one parameter in which the settings of a masking differ.

use maud::{Markup, html};
use serde_json::Value;

use super::shown;
use crate::{
    evaluate::{measures::Name, summary::SettingSummary},
    report::{
        chart::{
            line::{self, At, Series},
            plot::Words,
        },
        evaluate::EvaluateReport,
        html::parts::{Table, Writer},
        text::percent,
    },
};

/// Maskings of the plan of which exactly one parameter varies: rates of attacks against it.
pub(super) fn against_parameter(
    evaluation: &EvaluateReport,
    file: &str,
    writer: &mut Writer,
) -> Markup {
    let mut maskings: Vec<&str> = Vec::new();
    for setting in evaluation.of_file(file) {
        if !maskings.contains(&setting.masking()) {
            maskings.push(setting.masking());
        }
    }
    let figures = maskings.into_iter().filter_map(|masking| {
        let settings: Vec<&SettingSummary> = evaluation
            .of_file(file)
            .filter(|setting| setting.masking() == masking)
            .collect();
        let parameter = varying(&settings)?;
        Some(rates_against(
            evaluation, &settings, &parameter, masking, writer,
        ))
    });
    let figures: Vec<Markup> = figures.collect();
    html! { @for figure in &figures { (figure) } }
}

/// The one numeric parameter in which settings differ.
fn varying(settings: &[&SettingSummary]) -> Option<String> {
    let first = settings.first()?;
    let differs = |key: &&String| {
        settings.iter().any(|setting| {
            setting.setting.parameters.get(*key) != first.setting.parameters.get(*key)
        })
    };
    let mut varying = first.setting.parameters.keys().filter(differs);
    let key = varying.next()?;
    let numbers = settings.iter().all(|setting| {
        setting
            .setting
            .parameters
            .get(key)
            .is_some_and(Value::is_number)
    });
    (varying.next().is_none() && numbers).then(|| key.clone())
}

fn rates_against(
    evaluation: &EvaluateReport,
    settings: &[&SettingSummary],
    parameter: &str,
    masking: &str,
    writer: &mut Writer,
) -> Markup {
    let rates = evaluation.measures(Name::is_links);
    let at = |setting: &SettingSummary| {
        setting
            .setting
            .parameters
            .get(parameter)
            .and_then(Value::as_f64)
    };
    let mut order: Vec<&SettingSummary> = settings.to_vec();
    order.sort_by(|a, b| at(a).unwrap_or(0.0).total_cmp(&at(b).unwrap_or(0.0)));
    let series: Vec<Series> = rates
        .iter()
        .enumerate()
        .map(|(number, rate)| Series {
            number,
            name: rate.short(),
            points: order
                .iter()
                .filter_map(|setting| {
                    let measure = setting.measure(rate)?;
                    Some(At {
                        x: at(setting)?,
                        y: measure.mean,
                        interval: measure.interval,
                        published: setting.published(rate),
                    })
                })
                .collect(),
        })
        .filter(|series| !series.points.is_empty())
        .collect();
    if series.is_empty() {
        return html! {};
    }
    let records = evaluation
        .files
        .iter()
        .find(|original| {
            settings
                .iter()
                .any(|setting| setting.setting.file == original.name)
        })
        .map_or(0, |original| original.records);
    let guess = 1.0 / records.max(1) as f64;
    let chance: Vec<(f64, f64)> = match records {
        0 => Vec::new(),
        _ => order
            .iter()
            .filter_map(|setting| Some((at(setting)?, guess)))
            .collect(),
    };
    let words = Words {
        title: &format!("Correct links against {parameter}"),
        below: "One line an attack, the mean over masked files and over what is known; bands are 95 % intervals",
        x: &format!("{parameter} of {masking}"),
        y: "correct links, share of records",
    };
    let mut table = Table::new(words.title, &[parameter], 1);
    for series in &series {
        table.header.push(series.name.clone());
        if series.points.iter().any(|at| at.published.is_some()) {
            table.header.push(format!("{}, published", series.name));
        }
    }
    for setting in &order {
        let mut row = vec![at(setting).map_or(String::new(), |value| value.to_string())];
        for series in &series {
            let rate = &rates[series.number];
            row.push(
                setting
                    .measure(rate)
                    .map_or(String::new(), |measure| shown(rate, measure)),
            );
            if series.points.iter().any(|at| at.published.is_some()) {
                row.push(setting.published(rate).map_or(String::new(), percent));
            }
        }
        table.rows.push(row);
    }
    writer.figure(
        &line::drawing(&series, (line::BY_CHANCE, &chance), &words),
        "Higher is more risk.",
        &table,
    )
}
