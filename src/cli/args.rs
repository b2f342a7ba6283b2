//! Arguments that several commands share.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use anyhow::Context;
use clap::{Args, ValueEnum};

use super::{console::Console, files};
use crate::{
    error::{Error, Result},
    report::text,
    rng::Seed,
    statement::MissingMatches,
    table::{Encoding, ReadOptions, Roles, Table},
};

/// So many names of a list are shown.
const NAMES_SHOWN: usize = 12;

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
    /// The roles file is an input of the call.
    pub fn plan(&self, plan: &mut files::Plan) -> Result<()> {
        self.roles
            .as_deref()
            .map_or(Ok(()), |path| plan.input(path))
    }

    /// The options for the library.
    pub fn options(&self) -> Result<ReadOptions> {
        self.options_with(None)
    }

    /// The same, with roles that were stated elsewhere.
    ///
    /// # Errors
    /// Those of the roles file; Usage, when roles are stated in both places.
    pub fn options_with(&self, stated: Option<Roles>) -> Result<ReadOptions> {
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
            roles: match (&self.roles, stated) {
                (None, stated) => stated.unwrap_or_default(),
                (Some(_), Some(_)) => {
                    return Err(Error::usage(
                        "the recipe has [roles] or [file], and --roles names a roles file beside it",
                    )
                    .remedy("Leave one of them out"));
                }
                (Some(path), None) => Roles::parse(&read_text(path)?)
                    .map_err(|error| error.in_file(files::name_of(path)))?,
            },
        })
    }
}

impl ReadArgs {
    /// Notes options that say how text is written, where all files that were read are Parquet.
    ///
    /// # Errors
    /// Usage, under `--strict`.
    pub fn settle(&self, tables: &[&Table], console: &Console) -> Result<()> {
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
            console.unused(&format!(
                "{option} has no effect: {} is Parquet",
                tables.first().map_or("the file", |table| table.name())
            ))?;
        }
        Ok(())
    }
}

/// What a missing value of a key matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MissingArg {
    /// Every value, missing or not
    Any,
    /// Only a missing value
    Missing,
}

impl From<MissingArg> for MissingMatches {
    fn from(arg: MissingArg) -> Self {
        match arg {
            MissingArg::Any => Self::Any,
            MissingArg::Missing => Self::Missing,
        }
    }
}

/// A number, or the name of a file where it is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NumberOrFile {
    /// A number.
    Number(usize),
    /// A file.
    File(PathBuf),
}

impl From<OsString> for NumberOrFile {
    fn from(text: OsString) -> Self {
        match text.to_str().and_then(|text| text.parse().ok()) {
            Some(number) => Self::Number(number),
            None => Self::File(text.into()),
        }
    }
}

impl NumberOrFile {
    /// The number.
    pub fn number(&self) -> Option<usize> {
        match self {
            Self::Number(number) => Some(*number),
            Self::File(_) => None,
        }
    }

    /// The file.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::Number(_) => None,
            Self::File(path) => Some(path),
        }
    }
}

/// The form of a report, and where it goes.
#[derive(Debug, Clone, Args)]
pub struct ReportArgs {
    /// Form of the report
    #[arg(long, value_enum, default_value = "text", help_heading = "Output")]
    pub format: Format,
    #[command(flatten)]
    pub to: OutputArgs,
}

impl ReportArgs {
    /// Where the report of a plan of experiments goes, and who may read it.
    pub fn of_plan(&self) -> (&Path, files::Privacy) {
        let privacy = match self.format {
            Format::Text => files::Privacy::Ordinary,
            // They give the seeds, which mask the original the same way again.
            Format::Json | Format::Csv => files::Privacy::Private,
        };
        (&self.to.output, privacy)
    }
}

/// How much of a text report is printed.
#[derive(Debug, Clone, Copy, Args)]
pub struct DetailArgs {
    /// Print the headline figures only, in a few lines: for pipelines and logs
    #[arg(long, help_heading = "Output", conflicts_with = "explain")]
    brief: bool,
    /// Print what each figure is, and where it was published, after the report
    #[arg(long, help_heading = "Output")]
    explain: bool,
}

/// The last line of a report without definitions.
pub const DEFINITIONS: &str = "\nWhat each measure is: --explain, or docs/measures.md\n";

/// What is printed of a text report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    Brief,
    Usual,
    Explained,
}

impl DetailArgs {
    /// Whether `--brief` and `--explain` were given.
    pub fn given(self) -> [bool; 2] {
        [self.brief, self.explain]
    }

    /// What is asked for. Where the report is for programs these options have no use.
    ///
    /// # Errors
    /// Usage, when one has no use and notes are errors.
    pub fn detail(self, format: Format, console: &Console) -> Result<Detail> {
        for (given, option) in [(self.brief, "--brief"), (self.explain, "--explain")] {
            if given && format != Format::Text {
                console.unused(&format!("{option} has no effect: it is for --format text"))?;
            }
        }
        Ok(match (self.brief, self.explain) {
            (true, _) => Detail::Brief,
            (false, true) => Detail::Explained,
            (false, false) => Detail::Usual,
        })
    }
}

/// The form of a report that is no table.
#[derive(Debug, Clone, Args)]
pub struct TextFormatArgs {
    /// Form of the report
    #[arg(long, value_enum, default_value = "text", help_heading = "Output")]
    pub format: TextOrJson,
}

/// Where a report goes.
#[derive(Debug, Clone, Args)]
pub struct OutputArgs {
    /// Where the report goes
    #[arg(
        long,
        short,
        value_name = "FILE",
        default_value = "-",
        help_heading = "Output"
    )]
    pub output: PathBuf,
}

/// The form of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Text,
    Json,
    Csv,
}

impl Format {
    /// As the command line has it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
            Self::Csv => "csv",
        }
    }
}

/// See [`TextFormatArgs`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TextOrJson {
    Text,
    Json,
}

/// A rate from 0 to 1, as a percentage or a share.
pub fn rate_limit(text: &str) -> std::result::Result<f64, String> {
    let number = |digits: &str| digits.trim().parse::<f64>().ok();
    match text.strip_suffix('%') {
        Some(percent) => number(percent).map(|percent| percent / 100.0),
        None => number(text).filter(|&share| share <= 1.0),
    }
    .filter(|share| (0.0..=1.0).contains(share))
    .ok_or_else(|| "it must be a percentage such as 5%, or a share from 0 to 1 such as 0.05".into())
}

/// Reads a small text file that must be UTF-8.
pub fn read_text(path: &Path) -> Result<String> {
    String::from_utf8(files::read(path)?).map_err(|_| {
        Error::input("is not UTF-8 text")
            .in_file(files::name_of(path))
            .remedy("Save it as UTF-8")
    })
}

/// Reads a table.
///
/// # Errors
/// Whatever reading objects to; and Input, when the first line may hold names or a record and nobody said which.
pub fn read_table(path: &Path, options: &ReadOptions, console: &Console) -> Result<Table> {
    let table = read_in_doubt(path, options, console)?;
    match table.first_line_doubt() {
        None => Ok(table),
        Some(doubt) => Err(Error::input(format!(
            "the first line may hold names or a record: {doubt}"
        ))
        .in_file(table.name())
        .remedy("State --header if it holds names, --no-header if it is a record; 'sdcrisk describe' shows both readings")),
    }
}

/// Reads a table, also where the first line may be a record: for commands that show how a file is read.
pub fn read_in_doubt(path: &Path, options: &ReadOptions, console: &Console) -> Result<Table> {
    let table = console.stage("read", || files::read_table(path, options))?;
    for note in table.notes().iter().filter(|note| note.attribute.is_none()) {
        console.note(&format!("note: {}: {note}", table.name()));
    }
    let unmatched = options.roles.unmatched(&table);
    if !unmatched.is_empty() {
        console.unused(&format!(
            "{} does not have all that the roles file names: {}",
            table.name(),
            text::names(&unmatched, NAMES_SHOWN)
        ))?;
    }
    Ok(table)
}

/// The seed given, or 256 bits from the operating system.
pub fn seed_or_system(seed: Option<u64>, console: &Console) -> anyhow::Result<Seed> {
    match seed {
        Some(number) => {
            console.note(
                "note: --seed is for experiments; who can guess the seed can undo a masking, so never release such a file",
            );
            Ok(Seed::from_number(number))
        }
        None => Seed::from_system().context("a random seed is needed"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_percentages_or_shares() {
        assert_eq!(rate_limit("5%"), Ok(0.05));
        assert_eq!(rate_limit("0.05"), Ok(0.05));
        assert_eq!(rate_limit("1"), Ok(1.0));
        for text in ["5", "-1%", "101%", "x", "", "nan"] {
            assert!(rate_limit(text).is_err(), "{text}");
        }
    }
}
