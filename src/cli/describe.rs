//! `sdcrisk describe`: how a file is read, and why.

use super::{
    Ending,
    console::Console,
    files::{self, Disk, Plan},
    tables::read_in_doubt,
};
use crate::{
    options::{describe::DescribeArgs, output::TextOrJson},
    report,
    table::{ReadOptions, Table},
};

pub fn run(args: &DescribeArgs, console: &Console) -> anyhow::Result<Ending> {
    let mut plan = Plan::default();
    plan.input(&args.input)?;
    plan.each_input(args.read.input())?;
    let options = args.read.options(&Disk)?;
    let table = read_in_doubt(&args.input, &options, console)?;
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
