//! The score: information loss and disclosure risk in one figure.

use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{
    Section,
    document::{Content, Document, or_none},
    figures::{self, Column, FigureView},
    parts::{Table, Writer, base_name, list, names, paragraphs, text},
};
use crate::report::{
    score::{LinkCase, ScenarioSummary},
    text::{count, percent},
};

/// A score.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct Scored {
    pub il: Option<f64>,
    pub dr: Option<f64>,
    pub score: Option<f64>,
    #[serde(default)]
    pub dr_2001: Option<f64>,
    #[serde(default)]
    pub dr_strongest: Option<f64>,
    #[serde(default)]
    pub score_2001: Option<f64>,
    #[serde(default, deserialize_with = "or_none")]
    pub terms: Map<String, Value>,
    #[serde(default, deserialize_with = "or_none")]
    pub scenario: ScenarioSummary,
    #[serde(default, deserialize_with = "or_none")]
    pub links: Vec<Linked>,
    #[serde(default, deserialize_with = "or_none")]
    pub figures: Vec<FigureView>,
    #[serde(default, deserialize_with = "or_none")]
    pub reading: Vec<String>,
}

/// The attack behind a term.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct Linked {
    pub term: String,
    pub method: String,
    #[serde(default)]
    pub formula: String,
    #[serde(default)]
    pub assign: String,
    pub rate: f64,
    pub cases: Vec<LinkCase>,
    #[serde(default)]
    pub remarks: Vec<String>,
}

pub(super) fn section(documents: &[Document], writer: &mut Writer) -> Option<Section> {
    let scored: Vec<(&Document, &Scored)> = documents
        .iter()
        .filter_map(|document| match &document.content {
            Content::Score(scored) => Some((document, scored)),
            _ => None,
        })
        .collect();
    if scored.is_empty() {
        return None;
    }
    Some(Section {
        id: "score",
        title: "The score",
        content: html! {
            @if writer.is_internal() {
                p { "The score is the mean of information loss and disclosure risk, each from 0 (nothing lost, nobody found). Lower is better; it \
                     compares maskings of one file, and says little by itself." }
            }
            @for (document, scored) in scored {
                @if writer.is_internal() { (table(document, scored).markup()) (inside(document, scored)) }
            }
            // The loss of a score comes without the number of cells that were changed, so nobody knows what it gives away.
            @if !writer.is_internal() { p { (text(super::frame::KEPT)) } p { "Loss is shown where it was measured by itself." } }
        },
    })
}

/// The intruder, the attacks behind the terms, and what each figure is.
fn inside(document: &Document, scored: &Scored) -> Markup {
    let scenario = &scored.scenario;
    let column = Column {
        name: base_name(&document.name).into(),
        figures: scored.figures.clone(),
    };
    let (_, undefined) = figures::side_by_side("", std::slice::from_ref(&column), |_| true);
    let mut cases = Table::new(
        "The attacks behind the terms, case by case",
        &[
            "Term",
            "Attack",
            "Attributes known",
            "Records",
            "Correct links",
            "Rate",
            "95 % interval",
            "By chance",
        ],
        3,
    );
    for linked in &scored.links {
        cases.rows.extend(linked.cases.iter().map(|case| {
            vec![
                linked.term.to_uppercase(),
                linked.method.clone(),
                names(&case.known),
                case.records.to_string(),
                count(case.correct),
                percent(case.rate),
                format!(
                    "{} to {}",
                    percent(case.interval[0]),
                    percent(case.interval[1])
                ),
                percent(case.baseline),
            ]
        }));
    }
    html! {
        (list(&[
            ("Attributes known", scenario.known.clone()),
            ("Attributes on which loss and interval disclosure are measured", names(&scenario.attributes)),
            ("Records were aligned by", scenario.aligned_by.clone()),
        ]))
        (figures::undefined(undefined))
        @if !cases.rows.is_empty() { details { summary { "The attacks behind the terms" } (cases.markup())
            dl { @for linked in &scored.links { div { dt { (text(&linked.method)) } dd { (text(&linked.formula)) } } } }
            @for linked in &scored.links { (paragraphs(&linked.remarks)) }
        } }
        (paragraphs(&scored.reading))
        (figures::definitions(std::slice::from_ref(&column)))
    }
}

fn table(document: &Document, scored: &Scored) -> Table {
    let known = [
        (
            "il",
            "Information loss (IL)",
            scored.il,
            "mean of five relative differences",
        ),
        (
            "dr",
            "Disclosure risk (DR)",
            scored.dr,
            "0.166 (RSLD + DLD + PLD) + 0.5 ID",
        ),
        ("score", "Score", scored.score, "(IL + DR) / 2"),
        (
            "dr_2001",
            "Disclosure risk, form of 2001",
            scored.dr_2001,
            "0.25 (DLD + PLD) + 0.5 ID",
        ),
        (
            "score_2001",
            "Score, form of 2001",
            scored.score_2001,
            "(IL + DR) / 2",
        ),
        (
            "dr_strongest",
            "Disclosure risk, strongest attack",
            scored.dr_strongest,
            "0.5 of the highest rate + 0.5 ID",
        ),
    ];
    let mut rows: Vec<Vec<String>> = known
        .into_iter()
        .filter(|(key, _, value, _)| value.is_some() || ["il", "dr", "score"].contains(key))
        .map(|(_, name, value, formula)| row(name, formula, value))
        .collect();
    rows.extend(
        scored
            .terms
            .iter()
            .map(|(key, value)| row(&term(key), "", value.as_f64())),
    );
    Table::new(
        format!("Score of {}", base_name(&document.name)),
        &["Figure", "What it is", "Value"],
        2,
    )
    .with(rows)
}

fn row(name: &str, formula: &str, value: Option<f64>) -> Vec<String> {
    vec![
        name.into(),
        formula.into(),
        value.map_or("not defined".into(), percent),
    ]
}

fn term(key: &str) -> String {
    match key {
        "rsld" => "RSLD: links by the intersection attack on rank swapping".into(),
        "dld" => "DLD: links by distance".into(),
        "pld" => "PLD: links by probability".into(),
        "strongest" => "Links by the strongest attack in its worst case".into(),
        "id" => "ID: interval disclosure".into(),
        other => other.replace('_', " "),
    }
}
