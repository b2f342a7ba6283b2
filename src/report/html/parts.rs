//! The pieces that sections are made of.

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::Audience;
use crate::report::{
    chart::picture::{Drawing, printable},
    crosswalk::CrosswalkSummary,
};

/// What the sections of one page share.
pub(super) struct Writer {
    audience: Audience,
    pictures: usize,
    said: BTreeSet<String>,
}

impl Writer {
    pub fn new(audience: Audience) -> Self {
        Self {
            audience,
            pictures: 0,
            said: BTreeSet::new(),
        }
    }

    pub fn is_internal(&self) -> bool {
        self.audience == Audience::Internal
    }

    /// Where a file was kept, which is nobody's business outside the office.
    pub fn path(&self, name: &str) -> String {
        match self.audience {
            Audience::Internal => name.into(),
            Audience::External => base_name(name).into(),
        }
    }

    /// Sentences, each a paragraph; what the page has said already is not said again.
    pub fn once(&mut self, sentences: &[String]) -> Markup {
        let mut fresh: Vec<&String> = sentences.iter().collect();
        fresh.retain(|sentence| self.said.insert((*sentence).clone()));
        html! { @for sentence in fresh { p { (text(sentence)) } } }
    }

    /// A picture with its caption and the table behind it.
    pub fn figure(&mut self, drawing: &Drawing, caption: &str, table: &Table) -> Markup {
        self.pictures += 1;
        let id = format!("picture-{}", self.pictures);
        html! {
            figure {
                div.scroll tabindex="0" role="group" aria-label={ "Picture: " (drawing.title) } { (drawing.inline(&id)) }
                figcaption { (text(caption)) }
                details { summary { "The table behind this picture" } (table.markup()) }
            }
        }
    }
}

/// The last part of a path, of either kind.
pub(super) fn base_name(name: &str) -> &str {
    name.rsplit(['/', '\\']).next().unwrap_or(name)
}

/// Text for the page; a line does not end before a percent sign.
pub(super) fn text(text: &str) -> String {
    printable(text).replace(" %", "\u{a0}%")
}

/// Sentences, each a paragraph.
pub(super) fn paragraphs(sentences: &[String]) -> Markup {
    html! { @for sentence in sentences { p { (text(sentence)) } } }
}

/// A table: its first column names the row, the first `left` columns hold words, the others figures.
#[derive(Debug, Clone, Default)]
pub(super) struct Table {
    pub caption: String,
    pub header: Vec<String>,
    pub left: usize,
    pub rows: Vec<Vec<String>>,
}

impl Table {
    pub fn new(caption: impl Into<String>, header: &[&str], left: usize) -> Self {
        Self {
            caption: caption.into(),
            header: header.iter().map(ToString::to_string).collect(),
            left,
            rows: Vec::new(),
        }
    }

    pub fn with(mut self, rows: impl IntoIterator<Item = Vec<String>>) -> Self {
        self.rows.extend(rows);
        self
    }

    pub fn markup(&self) -> Markup {
        let class = |column: usize| if column < self.left { "word" } else { "number" };
        debug_assert!(
            self.rows.iter().all(|row| row.len() <= self.header.len()),
            "a row of {} is longer than its header",
            self.caption
        );
        // What no row fills is left out.
        let filled: Vec<usize> = (0..self.header.len())
            .filter(|&column| {
                column == 0
                    || self
                        .rows
                        .iter()
                        .any(|row| row.get(column).is_some_and(|cell| !cell.is_empty()))
            })
            .collect();
        html! {
            div.scroll tabindex="0" role="group" aria-label={ "Table: " (text(&self.caption)) } {
                table {
                    caption { (text(&self.caption)) }
                    thead { tr {
                        @for &column in &filled { th scope="col" class=(class(column)) { (text(&self.header[column])) } }
                    } }
                    tbody { @for row in &self.rows { tr {
                        @for &column in &filled {
                            @let cell = row.get(column).map(|cell| text(cell)).unwrap_or_default();
                            @if column == 0 { th scope="row" class="word" { (cell) } } @else { td class=(class(column)) { (cell) } }
                        }
                    } } }
                }
            }
        }
    }
}

/// Long tables are folded.
pub(super) fn folded(table: &Table, what: &str) -> Markup {
    const MAX: usize = 24;
    if table.rows.len() <= MAX {
        table.markup()
    } else {
        html! { details { summary { (what) " (" (table.rows.len()) " rows)" } (table.markup()) } }
    }
}

/// Names and what belongs to them.
pub(super) fn list(entries: &[(&str, String)]) -> Markup {
    html! { dl { @for (name, value) in entries { @if !value.is_empty() {
        div { dt { (name) } dd { (text(value)) } }
    } } } }
}

/// What a crosswalk did, for a list.
pub(super) fn crossed(crosswalk: Option<&CrosswalkSummary>) -> (&'static str, String) {
    (
        "The original was first brought into the terms of the masked file",
        crosswalk.map_or_else(String::new, CrosswalkSummary::clauses),
    )
}

/// Names joined for reading.
pub(super) fn names(names: &[String]) -> String {
    names.join(", ")
}
