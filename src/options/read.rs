//! How files are read, as options that nearly all commands have.

use std::path::{Path, PathBuf};

use clap::Args;

use super::files::{Files, name_of};
use crate::{
    error::{Error, Result},
    jobs::Observer,
    table::{Encoding, ReadOptions, Roles, Table},
};

/// How files are read. What is not given is worked out; `sdcrisk describe` shows it.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Reading")]
pub struct ReadArgs {
    /// Character between cells: a character, or the word tab
    #[arg(long, value_name = "CHAR", value_parser = delimiter)]
    delimiter: Option<u8>,
    /// Character before decimals: . or ,
    #[arg(long, value_name = "CHAR", value_parser = ["." , ","])]
    decimal_mark: Option<String>,
    /// Character between thousands: . , ' or the word space; or the word none
    #[arg(long, value_name = "CHAR", value_parser = thousands_mark)]
    thousands_mark: Option<ThousandsMark>,
    /// Encoding: utf-8 or windows-1252
    #[arg(long, value_name = "NAME", value_parser = encoding)]
    encoding: Option<Encoding>,
    /// What marks a missing value, comma-separated, for example NA,-9; replaces the usual markers (empty, NA, ., *). An empty cell
    /// that is not listed (as in ",NA,-9") is a category of its own, but missing where all else is numbers
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    na: Option<String>,
    /// Leave out so many lines above the table, such as a title; with two files, of the first one. They are not written to a masked file
    #[arg(long, value_name = "N")]
    skip_lines: Option<u64>,
    /// The first line is a record, not names; attributes are called V1, V2, ...
    #[arg(long, conflicts_with = "header")]
    no_header: bool,
    /// The first line holds names, even if it may be a record
    #[arg(long)]
    header: bool,
    /// TOML file with scale, role, missing codes, order and form of dates of attributes; overrides every guess
    #[arg(long, value_name = "FILE")]
    roles: Option<PathBuf>,
}

fn delimiter(text: &str) -> std::result::Result<u8, String> {
    match text {
        "tab" | "\\t" => Ok(b'\t'),
        "," | ";" | "\t" | "|" => Ok(text.as_bytes()[0]),
        _ => Err("it must be one of , ; | or tab".into()),
    }
}

/// A character, or none at all.
#[derive(Debug, Clone, Copy)]
struct ThousandsMark(Option<char>);

fn thousands_mark(text: &str) -> std::result::Result<ThousandsMark, String> {
    match text {
        "none" => Ok(ThousandsMark(None)),
        "space" => Ok(ThousandsMark(Some(' '))),
        "." | "," | "'" | " " | "\u{a0}" | "\u{202f}" | "\u{2019}" => {
            Ok(ThousandsMark(text.chars().next()))
        }
        _ => Err("it must be one of . , ' or the words space, none".into()),
    }
}

fn encoding(text: &str) -> std::result::Result<Encoding, String> {
    match text.to_ascii_lowercase().as_str() {
        "utf-8" | "utf8" => Ok(Encoding::Utf8),
        "windows-1252" | "cp1252" | "latin1" | "latin-1" | "iso-8859-1" => {
            Ok(Encoding::Windows1252)
        }
        _ => Err("it must be utf-8 or windows-1252 (which covers iso-8859-1)".into()),
    }
}

impl ReadArgs {
    /// The roles file, which is an input of the call.
    pub fn input(&self) -> Option<&Path> {
        self.roles.as_deref()
    }

    /// The options for the library.
    ///
    /// # Errors
    /// Those of the roles file.
    pub fn options(&self, files: &dyn Files) -> Result<ReadOptions> {
        self.options_with(None, files)
    }

    /// The same, with roles that were stated elsewhere.
    ///
    /// # Errors
    /// Those of the roles file; Usage, when roles are stated in both places.
    pub fn options_with(&self, stated: Option<Roles>, files: &dyn Files) -> Result<ReadOptions> {
        Ok(ReadOptions {
            delimiter: self.delimiter,
            decimal_mark: self
                .decimal_mark
                .as_ref()
                .and_then(|mark| mark.chars().next()),
            thousands_mark: self.thousands_mark.map(|mark| mark.0),
            encoding: self.encoding,
            na: self.na.as_ref().map(|list| {
                list.split(',')
                    .map(|code| code.trim().to_string())
                    .collect()
            }),
            header: match (self.header, self.no_header) {
                (true, _) => Some(true),
                (_, true) => Some(false),
                _ => None,
            },
            skip_lines: self.skip_lines,
            columns: None,
            condense_from: None,
            roles: match (&self.roles, stated) {
                (None, stated) => stated.unwrap_or_default(),
                (Some(_), Some(_)) => {
                    return Err(Error::usage(
                        "the recipe has [roles] or [file], and --roles names a roles file beside it",
                    )
                    .remedy("Leave one of them out"));
                }
                (Some(path), None) => Roles::parse(&files.text(path)?)
                    .map_err(|error| error.in_file(name_of(path)))?,
            },
        })
    }

    /// Notes options that say how text is written, where all files that were read are Parquet.
    ///
    /// # Errors
    /// Usage, under `--strict`.
    pub fn settle(&self, tables: &[&Table], observer: &dyn Observer) -> Result<()> {
        let given = [
            (self.delimiter.is_some(), "--delimiter"),
            (self.decimal_mark.is_some(), "--decimal-mark"),
            (self.thousands_mark.is_some(), "--thousands-mark"),
            (self.encoding.is_some(), "--encoding"),
            (self.skip_lines.is_some(), "--skip-lines"),
            (self.no_header, "--no-header"),
            (self.header, "--header"),
        ];
        let is_text = tables.iter().any(|table| !table.is_parquet());
        for (_, option) in given.iter().filter(|(given, _)| *given && !is_text) {
            observer.unused(&format!(
                "{option} has no effect: {} is Parquet",
                tables.first().map_or("the file", |table| table.name())
            ))?;
        }
        Ok(())
    }
}
