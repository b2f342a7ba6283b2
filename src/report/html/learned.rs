//! Learned distances: which attributes still identify people, with the proof.

use maud::html;

use super::{
    Section,
    document::{Content, Document},
    parts::{Table, Writer, paragraphs, text},
};
use crate::{
    attack::learned::weights::{ProofStatus, Weights},
    report::explain::Explanation,
};

pub(super) fn section(documents: &[Document], writer: &mut Writer) -> Option<Section> {
    if !writer.is_internal() {
        return None;
    }
    let learned: Vec<(&Document, &Weights)> = documents
        .iter()
        .filter_map(|document| match &document.content {
            Content::Weights(weights) => Some((document, weights.as_ref())),
            _ => None,
        })
        .collect();
    if learned.is_empty() {
        return None;
    }
    Some(Section {
        id: "learned",
        title: "What still identifies people",
        content: html! {
            p { "A distance that was learned with the knowledge of the true matches links as many records as any of its kind can. Its weights say \
                 by which attributes masked records are still known." }
            @for (document, weights) in learned {
                h3 { (text(&document.name)) }
                (one(weights, writer))
            }
        },
    })
}

fn one(weights: &Weights, writer: &mut Writer) -> maud::Markup {
    let explanation = Explanation::new(weights);
    let gap = weights.bound.saturating_sub(weights.linked);
    let proof = format!(
        "{} of {} records are linked; none of its kind links more than {} (gap {gap}, {}).",
        weights.linked,
        weights.records,
        weights.bound,
        match weights.proof {
            ProofStatus::Optimal => "proven",
            ProofStatus::Limit => ProofStatus::Limit.word(),
        }
    );
    let drawing = explanation.drawing();
    html! {
        p { (proof) }
        (writer.figure(&drawing, "Each figure can be anything in its range without a link being lost.", &table(weights)))
        (paragraphs(&explanation.in_words))
    }
}

fn table(weights: &Weights) -> Table {
    let ranges = weights.ranges.as_deref().unwrap_or_default();
    Table::new(
        format!("Parameters of {}", weights.family.name()),
        &["Attribute or set", "Parameter", "At least", "At most"],
        1,
    )
    .with(
        weights
            .names()
            .into_iter()
            .zip(&weights.parameters)
            .enumerate()
            .map(|(place, (name, parameter))| {
                let mut row = vec![name, format!("{parameter:.6}")];
                if let Some((least, most)) = ranges.get(place) {
                    row.extend([format!("{least:.6}"), format!("{most:.6}")]);
                }
                row
            }),
    )
}
