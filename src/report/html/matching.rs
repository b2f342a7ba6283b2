//! Which attribute of one file is which of another.

use maud::html;
use serde::Deserialize;

use super::{
    Section,
    document::{Content, Document},
    parts::{Table, Writer, list, names},
};

/// A matching of attributes.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct Matched {
    pub a: String,
    pub b: String,
    #[serde(default)]
    pub a_records: u64,
    #[serde(default)]
    pub b_records: u64,
    pub situation: Situation,
    pub pairs: Vec<MatchedPair>,
    #[serde(default)]
    pub a_unmatched: Vec<String>,
    #[serde(default)]
    pub b_unmatched: Vec<String>,
}

/// Which situation of linkage the files are in.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct Situation {
    #[serde(default)]
    pub family: String,
    #[serde(default)]
    pub meaning: String,
}

/// Two attributes.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct MatchedPair {
    pub a: String,
    pub b: String,
    pub distance: f64,
    #[serde(default)]
    pub chance: Option<f64>,
    #[serde(default)]
    pub rivals: Vec<String>,
}

pub(super) fn section(documents: &[Document], writer: &mut Writer) -> Option<Section> {
    let matched: Vec<&Matched> = documents
        .iter()
        .filter_map(|document| match &document.content {
            Content::Matching(matched) => Some(matched),
            _ => None,
        })
        .collect();
    if matched.is_empty() || !writer.is_internal() {
        return None;
    }
    let table = |matched: &Matched| {
        let caption = format!("{} against {}", matched.a, matched.b);
        Table::new(
            caption,
            &[
                "Attribute",
                "Most like it",
                "Cannot be told from",
                "Distance",
                "By chance",
            ],
            3,
        )
        .with(matched.pairs.iter().map(|pair| {
            vec![
                pair.a.clone(),
                pair.b.clone(),
                names(&pair.rivals),
                format!("{:.4}", pair.distance),
                pair.chance
                    .map_or(String::new(), |chance| format!("{chance:.4}")),
            ]
        }))
    };
    Some(Section {
        id: "matching",
        title: "Which attribute is which",
        content: html! { @for matched in matched {
            p { "The files are in the situation of " (super::parts::text(&matched.situation.family)) ": "
                (super::parts::text(&matched.situation.meaning)) "." }
            (table(matched).markup())
            (list(&[
                ("Without a partner in the first file", names(&matched.a_unmatched)),
                ("Without a partner in the second file", names(&matched.b_unmatched)),
            ]))
        } },
    })
}
