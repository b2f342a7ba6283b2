//! Which attribute of one file is which of another.

use maud::html;

use super::{
    Section,
    document::{Content, Document},
    parts::{Table, Writer, list, names},
};
use crate::report::match_attributes::MatchReport;

pub(super) fn section(documents: &[Document], writer: &mut Writer) -> Option<Section> {
    let matched: Vec<&MatchReport> = documents
        .iter()
        .filter_map(|document| match &document.content {
            Content::Matching(matched) => Some(matched),
            _ => None,
        })
        .collect();
    if matched.is_empty() || !writer.is_internal() {
        return None;
    }
    let table = |matched: &MatchReport| {
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
                format!("{:.4}", pair.chance),
            ]
        }))
    };
    Some(Section {
        id: "matching",
        title: "Which attribute is which",
        content: html! { @for matched in matched {
            p { "The files are in the situation of " (matched.situation.family.word()) ": "
                (super::parts::text(&matched.situation.meaning)) "." }
            (table(matched).markup())
            (list(&[
                ("Without a partner in the first file", names(&matched.a_unmatched)),
                ("Without a partner in the second file", names(&matched.b_unmatched)),
            ]))
        } },
    })
}
