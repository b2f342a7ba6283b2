//! The score: information loss and disclosure risk in one figure.

use maud::{Markup, html};

use super::{
    Section,
    document::{Content, Document},
    figures::{self, Column},
    parts::{Table, Writer, base_name, crossed, list, names, paragraphs, text},
};
use crate::report::{
    score::ScoreReport,
    text::{count, percent},
};

pub(super) fn section(documents: &[Document], writer: &mut Writer) -> Option<Section> {
    let scored: Vec<(&Document, &ScoreReport)> = documents
        .iter()
        .filter_map(|document| match &document.content {
            Content::Score(scored) => Some((document, &**scored)),
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
fn inside(document: &Document, scored: &ScoreReport) -> Markup {
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
                linked.term.word().to_uppercase(),
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
            crossed(scenario.crosswalk.as_ref()),
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

fn table(document: &Document, scored: &ScoreReport) -> Table {
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
    let terms = &scored.terms;
    rows.extend(
        [
            (
                "RSLD: links by the intersection attack on rank swapping",
                terms.rsld,
            ),
            ("DLD: links by distance", terms.dld),
            ("PLD: links by probability", terms.pld),
            ("ID: interval disclosure", terms.id),
            (
                "Links by the strongest attack in its worst case",
                terms.strongest,
            ),
        ]
        .map(|(name, value)| row(name, "", value)),
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
