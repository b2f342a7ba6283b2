//! Where results come from.

use maud::html;
use serde::Deserialize;

use super::{
    Section,
    document::{Document, Kind, or_none},
    parts::{Table, Writer, text},
};
use crate::{evaluate::status::Status, report::provenance::Provenance};

/// What every result may say of its making.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub(super) struct Origin {
    #[serde(default)]
    pub schema: String,
    #[serde(default, deserialize_with = "or_none")]
    pub version: String,
    #[serde(default, deserialize_with = "or_none")]
    pub status: Option<Status>,
    #[serde(default, deserialize_with = "or_none")]
    pub provenance: Provenance,
}

pub(super) fn section(documents: &[Document], writer: &mut Writer) -> Option<Section> {
    let results = Table::new(
        "Results in this report",
        &[
            "Result",
            "Schema",
            "Version of sdcrisk",
            "Status",
            "Command",
        ],
        5,
    )
    .with(documents.iter().map(|document| {
        let origin = &document.origin;
        vec![
            writer.path(&document.name),
            origin.schema.clone(),
            origin.version.clone(),
            origin.status.map_or("", status).into(),
            command(document, writer),
        ]
    }));
    let files = Table::new(
        "Files that were read",
        &[
            "File",
            "Read by",
            "SHA-256 of its content",
            "Records",
            "Attributes",
        ],
        3,
    )
    .with(files(documents, writer));
    Some(Section {
        id: "provenance",
        title: "Where the figures come from",
        content: html! {
            (results.markup())
            @if !files.rows.is_empty() { (files.markup()) }
            p { (text(&format!("This page was made by sdcrisk {}.", env!("CARGO_PKG_VERSION")))) " "
                @if writer.is_internal() { "Results of the same version from the same files and commands are the same to the last digit." }
                @else { "Seeds, the words of commands, places of files, and the check sums of originals are left out of this version." }
            }
        },
    })
}

fn status(status: Status) -> &'static str {
    match status {
        Status::Limit => "stopped by a limit before a proof",
        Status::Done | Status::NotRun => status.word(),
    }
}

fn files(documents: &[Document], writer: &Writer) -> Vec<Vec<String>> {
    let mut rows: Vec<Vec<String>> = Vec::new();
    for document in documents {
        let files = &document.origin.provenance.files;
        for (place, file) in files.iter().enumerate() {
            // Guesses of an original could be tested against its check sum.
            let is_released = place == 1 && files.len() == 2 && is_of_pair(document.kind());
            if !writer.is_internal() && !is_released {
                continue;
            }
            let row = vec![
                writer.path(&file.name),
                writer.path(&document.name),
                file.sha256.clone(),
                file.records.to_string(),
                file.attributes.to_string(),
            ];
            match rows
                .iter_mut()
                .find(|other| other[0] == row[0] && other[2..] == row[2..])
            {
                Some(other) => other[1] += &format!(", {}", row[1]),
                None => rows.push(row),
            }
        }
    }
    rows
}

/// Whether the files of a result are an original and its release.
fn is_of_pair(kind: Kind) -> bool {
    matches!(kind, Kind::Link | Kind::Loss | Kind::Risk | Kind::Score)
}

/// The command of a result: its words for the office; for others its name alone, since words hold seeds of any kind, keys, and names
/// of private files.
fn command(document: &Document, writer: &Writer) -> String {
    if writer.is_internal() {
        let words = &document.origin.provenance.command;
        let quoted: Vec<String> = words.iter().map(|word| quoted(word)).collect();
        return quoted.join(" ");
    }
    let name = match document.kind() {
        Kind::Link | Kind::Weights | Kind::Claims => "link",
        Kind::Loss => "loss",
        Kind::Risk => "risk",
        Kind::Score => "score",
        Kind::Evaluation => "evaluate",
        Kind::Statement => "mask",
        Kind::Description => "describe",
        Kind::Matching => "match-attributes",
    };
    format!("sdcrisk {name}")
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=:,+%@^".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.into()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
