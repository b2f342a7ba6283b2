//! The form of a report, how much of it is printed, and where it goes.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::note_idle;
use crate::{error::Result, jobs::Observer};

/// The form of a report, and where it goes.
#[derive(Debug, Clone, Args)]
pub struct ReportArgs {
    /// Form of the report
    #[arg(long, value_enum, default_value = "text", help_heading = "Output")]
    pub format: Format,
    #[command(flatten)]
    pub to: OutputArgs,
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
const DEFINITIONS: &str = "\nWhat each measure is: --explain, or docs/measures.md\n";

/// What is printed of a text report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    Brief,
    Usual,
    Explained,
}

impl Detail {
    /// The text of a report of measures.
    pub fn text(
        self,
        brief: impl FnOnce() -> String,
        usual: impl FnOnce() -> String,
        definitions: impl FnOnce() -> String,
    ) -> String {
        match self {
            Self::Brief => brief(),
            Self::Usual => usual() + DEFINITIONS,
            Self::Explained => usual() + &definitions(),
        }
    }
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
    pub fn detail(self, format: Format, observer: &dyn Observer) -> Result<Detail> {
        for (given, option) in [(self.brief, "--brief"), (self.explain, "--explain")] {
            let given = given && format != Format::Text;
            note_idle(given, option, ": it is for --format text", observer)?;
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
