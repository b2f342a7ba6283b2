//! The options of `sdcrisk guess`, and what they mean.

use std::path::PathBuf;

use clap::Args;

use super::{
    output::{OutputArgs, TextFormatArgs},
    read::ReadArgs,
};
use crate::jobs::{guess::GuessRequest, link::request::Alignment};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  sdcrisk guess orig.csv masked.csv
  sdcrisk guess --attributes 1-7 orig.csv masked.csv
  sdcrisk guess --aligned orig.csv masked.csv
  sdcrisk guess --id person --format json -o guess.json orig.csv masked.csv

Says for each group of attributes how they were masked, with which parameter, what shows it, how sure that is, and with which
options 'link' would use it. Where it does not know it says what it saw. It is what somebody finds out who has both
files and no documentation: not publishing a method hides little.

By default nothing is known of who is who, and the order of the records is not used. With --aligned record i of one file is
record i of the other, with --id people have the same identifier: that is the office's own check.

How far values moved is found out by masking the original again in many ways, and comparing. No value of a record is printed.")]
pub struct GuessArgs {
    /// The original file
    #[arg(value_name = "ORIGINAL.csv")]
    pub original: PathBuf,
    /// The masked file; one of both can be - for standard input
    #[arg(value_name = "MASKED.csv")]
    pub masked: PathBuf,
    /// Attributes to look at: names or positions [default: all that both files have, but identifiers]
    #[arg(long, value_name = "LIST")]
    attributes: Option<String>,
    /// Use the order of the records: record i of one file is record i of the other
    #[arg(long, conflicts_with = "id")]
    pub aligned: bool,
    /// Column that identifies people in both files, A=B where the masked file has another name for it
    #[arg(long, value_name = "COLUMN")]
    pub id: Option<String>,
    #[command(flatten)]
    pub form: TextFormatArgs,
    #[command(flatten)]
    pub to: OutputArgs,
    #[command(flatten)]
    pub read: ReadArgs,
}

impl GuessArgs {
    /// The call as it is meant.
    pub fn request(&self) -> GuessRequest {
        GuessRequest {
            attributes: self.attributes.clone(),
            alignment: Alignment::stated(self.id.as_deref(), false),
        }
    }
}
