//! `sdcrisk roles`: a roles file of all that was guessed about a file, to be corrected.

use super::{
    Ending,
    console::Console,
    files::{Disk, Plan, Privacy},
    tables::read_table,
};
use crate::options::roles::RolesArgs;

pub fn run(args: &RolesArgs, console: &Console) -> anyhow::Result<Ending> {
    let mut plan = Plan::default();
    plan.input(&args.input)?;
    plan.each_input(args.read.input())?;
    plan.output(&args.to.output)?;
    let mut output = plan.open(&args.to.output, Privacy::Ordinary)?;
    let options = args.read.options(&Disk)?;
    let table = read_table(&args.input, &options, console)?;
    args.read.settle(&[&table], console)?;
    output.write_text(&table.roles_template(&options))?;
    output.keep()?;
    Ok(Ending::Done)
}
