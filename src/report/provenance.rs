//! Where a result comes from: program, command, files.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::table::Table;

/// Where a result comes from.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Provenance {
    /// Version of the program.
    pub version: String,
    /// The command as it was typed, word by word, but for words that no result depends on, and values that may be secret (a seed).
    pub command: Vec<String>,
    /// The tables that were read.
    pub files: Vec<FileSummary>,
}

/// A table that was read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct FileSummary {
    /// Its name.
    pub name: String,
    /// SHA-256 of its content (decompressed, if it was compressed), in hexadecimal.
    pub sha256: String,
    /// Number of records.
    pub records: usize,
    /// Number of attributes.
    pub attributes: usize,
}

impl Provenance {
    /// The same call with `--format` in it: that of a result made later of what the call left.
    pub fn say_format(&mut self, word: &str) {
        say_format(&mut self.command, word);
    }

    /// Of a result made by this version of the program from these tables.
    ///
    /// # Complexity
    /// Reads every byte of the files, each by a thread of its own: for reports that carry it, not for others.
    pub fn new(command: Vec<String>, tables: &[&Table]) -> Self {
        let summary = |table: &&Table| FileSummary {
            name: table.name().into(),
            sha256: table.sha256(),
            records: table.n_records(),
            attributes: table.n_attributes(),
        };
        Self {
            version: env!("CARGO_PKG_VERSION").into(),
            command,
            files: tables.par_iter().map(summary).collect(),
        }
    }
}

/// Adds `--format` to the words of a call, as the last option: wherever it was written, a call and what is made later of its results
/// say the same.
pub fn say_format(command: &mut Vec<String>, word: &str) {
    // What follows -- is no option.
    let end = command.iter().position(|word| word == "--");
    let end = end.unwrap_or(command.len());
    command.splice(end..end, ["--format", word].map(String::from));
}
