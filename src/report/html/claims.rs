//! The records most at risk, from the links of an attack: for the office alone.

use maud::{Markup, html};

use super::{
    Section,
    document::{Content, Document},
    parts::{Writer, base_name, text},
};
use crate::{
    error::{Error, Result},
    report::spreadsheet,
};

/// The links of an attack, as far as a report shows them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Claims {
    /// Records that looked.
    records: usize,
    /// Those whose only candidate is the true one.
    certain: Vec<String>,
    /// Those whose true record is nearer than any other, but for them.
    found: Vec<String>,
}

/// How a file of links begins.
const HEADER: &str = "record,linked,distance,candidates,tied,rank_of_true";

/// Whether a text is a file of links.
pub(super) fn are_in(text: &str) -> bool {
    text.lines()
        .next()
        .is_some_and(|line| line.trim_end() == HEADER)
}

/// Reads a file of links.
///
/// # Errors
/// Input, with the line, when a line is not as `link --links` writes it.
pub(super) fn read(text: &str) -> Result<Claims> {
    let wrong = |line: u64| {
        Error::input("is not a line of links")
            .at_line(line)
            .remedy("Give the file that 'sdcrisk link --links FILE' wrote")
    };
    let mut claims = Claims {
        records: 0,
        certain: Vec::new(),
        found: Vec::new(),
    };
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    for (place, line) in reader.records().enumerate() {
        let number = u64::try_from(place).unwrap_or(u64::MAX).saturating_add(2);
        let line = line.map_err(|_| wrong(number))?;
        let count = |column: usize| -> Result<Option<u64>> {
            match &line[column] {
                "" => Ok(None),
                digits => digits.parse().map(Some).map_err(|_| wrong(number)),
            }
        };
        let (candidates, tied, rank) = (count(3)?, count(4)?, count(5)?);
        claims.records += 1;
        let record = spreadsheet::as_it_was(&line[0]).into_owned();
        match (candidates, tied, rank) {
            (Some(1), _, Some(1)) => claims.certain.push(record),
            (_, Some(1), Some(1)) => claims.found.push(record),
            _ => {}
        }
    }
    Ok(claims)
}

pub(super) fn section(documents: &[Document], writer: &Writer) -> Option<Section> {
    let all: Vec<(&Document, &Claims)> = documents
        .iter()
        .filter_map(|document| match &document.content {
            Content::Claims(claims) => Some((document, claims)),
            _ => None,
        })
        .collect();
    (!all.is_empty() && writer.is_internal()).then(|| Section {
        id: "records",
        title: "Records most at risk",
        content: html! {
            p { "Rows of the file that looks, counted from 1, or identifiers. Look at these people before anybody else does." }
            @for (document, claims) in all {
                h3 { (text(base_name(&document.name))) }
                (listed("Certain: the only candidate is the true one", &claims.certain, claims.records))
                (listed("Found: the true one is nearer than all others", &claims.found, claims.records))
            }
        },
    })
}

fn listed(what: &str, records: &[String], of: usize) -> Markup {
    const MAX: usize = 100;
    let shown = records.get(..MAX).unwrap_or(records);
    let rest = records.len() - shown.len();
    html! {
        p { (what) ": " (records.len()) " of " (of) "." }
        @if !shown.is_empty() { p { (text(&shown.join(", ")))
            @if rest > 0 { " and " (rest) " more" } "." } }
    }
}
