//! `sdcrisk guess`: which masking two files betray.

use std::path::PathBuf;

use clap::Args;

use super::{
    Ending,
    args::{OutputArgs, ReadArgs, TextFormatArgs, TextOrJson},
    console::Console,
    files::{Output, Plan, Privacy},
    link::inputs,
};
use crate::{
    error::Result,
    jobs::{
        guess::{self, GuessRequest},
        link::request::Alignment,
    },
};

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
    original: PathBuf,
    /// The masked file; one of both can be - for standard input
    #[arg(value_name = "MASKED.csv")]
    masked: PathBuf,
    /// Attributes to look at: names or positions [default: all that both files have, but identifiers]
    #[arg(long, value_name = "LIST")]
    attributes: Option<String>,
    /// Use the order of the records: record i of one file is record i of the other
    #[arg(long, conflicts_with = "id")]
    aligned: bool,
    /// Column that identifies people in both files, A=B where the masked file has another name for it
    #[arg(long, value_name = "COLUMN")]
    id: Option<String>,
    #[command(flatten)]
    form: TextFormatArgs,
    #[command(flatten)]
    to: OutputArgs,
    #[command(flatten)]
    read: ReadArgs,
}

pub fn run(args: &GuessArgs, console: &Console) -> anyhow::Result<Ending> {
    let mut output = args.output()?;
    let (original, masked) =
        inputs::read_pair(&args.original, &args.masked, false, &args.read, console)?;
    let id = args.id.as_deref();
    let truth = if args.aligned || id.is_some() {
        Some(inputs::truth(id, None, &original, &masked)?)
    } else {
        None
    };
    let report = guess::run(&args.request(), &original, &masked, truth.as_ref(), console)?;
    let content = match args.form.format {
        TextOrJson::Text => report.to_text(),
        TextOrJson::Json => report.to_json(),
    };
    console.stage("write", || -> Result<()> {
        output.write_text(&content)?;
        output.keep()
    })?;
    Ok(Ending::Done)
}

impl GuessArgs {
    fn output(&self) -> Result<Output> {
        let mut plan = Plan::default();
        plan.input(&self.original)?;
        plan.input(&self.masked)?;
        plan.each_input(self.read.input())?;
        plan.output(&self.to.output)?;
        plan.open(&self.to.output, Privacy::Ordinary)
    }

    fn request(&self) -> GuessRequest {
        GuessRequest {
            attributes: self.attributes.clone(),
            alignment: Alignment::stated(self.id.as_deref(), false),
        }
    }
}
