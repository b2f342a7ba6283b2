//! `sdcrisk describe`: how a file is read, and why.

use std::path::PathBuf;

use clap::Args;

use super::{
    Ending,
    args::{self, ReadArgs, TextFormatArgs, TextOrJson},
    console::Console,
    files::{self, Disk, Plan},
};
use crate::{
    report,
    table::{ReadOptions, Table},
};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  sdcrisk describe in.csv
  sdcrisk describe --format json in.csv
  sdcrisk describe --roles roles.toml in.csv

Every guess (delimiter, decimal mark, scale, role, ...) is shown with its reason; options and a roles file override it. The
report is private: the least and the greatest value of an attribute are values of single records. 'report --external' shows
names, scales and roles of it, and no value.")]
pub struct DescribeArgs {
    /// The file; - is standard input
    #[arg(value_name = "IN.csv")]
    input: PathBuf,
    #[command(flatten)]
    form: TextFormatArgs,
    #[command(flatten)]
    read: ReadArgs,
}

pub fn run(args: &DescribeArgs, console: &Console) -> anyhow::Result<Ending> {
    let mut plan = Plan::default();
    plan.input(&args.input)?;
    plan.each_input(args.read.input())?;
    let options = args.read.options(&Disk)?;
    let table = args::read_in_doubt(&args.input, &options, console)?;
    args.read.settle(&[&table], console)?;
    let description = table.describe();
    let as_record = match description.first_line_doubt {
        None => None,
        Some(_) => {
            let name = table.name().to_owned();
            let options = ReadOptions {
                header: Some(false),
                ..options
            };
            let as_record = Table::read(&name, table.into_bytes(), &options)?;
            Some(as_record.describe().without_values())
        }
    };
    let text = match args.form.format {
        TextOrJson::Text => report::describe::to_text(&description, as_record.as_ref()),
        TextOrJson::Json => report::describe::to_json(&description, as_record.as_ref()),
    };
    files::print(&text)?;
    Ok(Ending::Done)
}
