//! The score: information loss and disclosure risk in one figure.

use maud::html;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{
    Section,
    document::{Content, Document, or_none},
    parts::{Table, Writer, paragraphs, text},
};
use crate::report::text::percent;

/// A score.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct Scored {
    pub il: Option<f64>,
    pub dr: Option<f64>,
    pub score: Option<f64>,
    #[serde(default)]
    pub dr_2001: Option<f64>,
    #[serde(default)]
    pub score_2001: Option<f64>,
    #[serde(default, deserialize_with = "or_none")]
    pub terms: Map<String, Value>,
    #[serde(default)]
    pub reading: Vec<String>,
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
                (table(document, scored, writer).markup())
                @if writer.is_internal() { (paragraphs(&scored.reading)) }
            }
            @if !writer.is_internal() { p { (text(super::frame::KEPT)) } }
        },
    })
}

fn table(document: &Document, scored: &Scored, writer: &Writer) -> Table {
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
    ];
    let mut rows: Vec<Vec<String>> = known
        .into_iter()
        .filter(|(key, _, value, _)| value.is_some() || ["il", "dr", "score"].contains(key))
        // Of a mean and one of its halves anybody works out the other.
        .filter(|(key, ..)| writer.is_internal() || *key == "il")
        .map(|(_, name, value, formula)| row(name, formula, value))
        .collect();
    if writer.is_internal() {
        rows.extend(
            scored
                .terms
                .iter()
                .map(|(key, value)| row(&term(key), "", value.as_f64())),
        );
    }
    Table::new(
        format!("Score of {}", writer.file(&document.name)),
        &["", "What it is", "Value"],
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
        "id" => "ID: interval disclosure".into(),
        other => other.replace('_', " "),
    }
}
