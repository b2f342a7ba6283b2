//! The attributes of the files, as `describe` reports them.

use maud::html;
use serde::Deserialize;

use super::{
    Section,
    document::{Content, Document},
    parts::{Table, Writer, base_name},
};
use crate::table::Note;

/// A description.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct Described {
    pub file: String,
    pub records: u64,
    pub attributes: Vec<DescribedAttribute>,
    #[serde(default)]
    pub notes: Vec<Note>,
}

/// An attribute of it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct DescribedAttribute {
    pub name: String,
    #[serde(default)]
    pub scale: String,
    #[serde(default)]
    pub role: String,
    #[serde(default)]
    pub missing: u64,
    #[serde(default)]
    pub distinct: u64,
}

pub(super) fn section(documents: &[Document], writer: &mut Writer) -> Option<Section> {
    let described: Vec<&Described> = documents
        .iter()
        .filter_map(|document| match &document.content {
            Content::Description(described) => Some(described),
            _ => None,
        })
        .collect();
    if described.is_empty() {
        return None;
    }
    let is_internal = writer.is_internal();
    let table = |described: &Described| {
        let caption = format!(
            "Attributes of {}: {} records",
            base_name(&described.file),
            described.records
        );
        Table::new(
            caption,
            &["Attribute", "Scale", "Role", "Missing", "Different values"],
            3,
        )
        .with(described.attributes.iter().map(|attribute| {
            let mut row = vec![
                attribute.name.clone(),
                attribute.scale.clone(),
                attribute.role.clone(),
            ];
            // Counts of an original are the office's.
            if is_internal {
                row.extend([
                    attribute.missing.to_string(),
                    attribute.distinct.to_string(),
                ]);
            }
            row
        }))
    };
    Some(Section {
        id: "attributes",
        title: "The attributes",
        content: html! { @for described in described {
            (table(described).markup())
            @if is_internal { @for note in &described.notes { p { (super::parts::text(&note.to_string())) } } }
        } },
    })
}
