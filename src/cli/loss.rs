//! `sdcrisk loss`: what masking took from a file.

use super::{
    Ending,
    console::Console,
    files::{Disk, Output, Plan, Privacy},
    link::inputs,
    provenance,
};
use crate::{
    error::Result,
    jobs::{link::Stated, loss, pair::PairRequest},
    options::{loss::LossArgs, output::Format},
};

pub fn run(args: &LossArgs, console: &Console) -> anyhow::Result<Ending> {
    args.analyses.check(console)?;
    let detail = args.detail.detail(args.report.format, console)?;
    let mut output = args.output()?;
    let statement = inputs::read_statements(&args.statement)?;
    let pair = PairRequest {
        weights: args.weights.clone(),
        ..args.align.request(&Disk)?
    };
    let paths = [args.original.as_path(), args.masked.as_path()];
    let files = args.align.read_with(&pair, paths, &args.read, console)?;
    let stated = (statement.as_ref()).map(|(statement, file)| Stated { statement, file });
    let mut report = loss::run(&args.request(pair.alignment), &files, stated, console)?;
    report.provenance =
        (args.report.format == Format::Json).then(|| provenance::of(&files.tables()));
    let content = match args.report.format {
        Format::Text => detail.text(
            || report.to_brief(),
            || report.to_text(),
            || report.definitions(),
        ),
        Format::Json => report.to_json(),
        Format::Csv => report.to_csv()?,
    };
    console.stage("write", || -> Result<()> {
        output.write_text(&content)?;
        output.keep()
    })?;
    Ok(Ending::Done)
}

impl LossArgs {
    fn output(&self) -> Result<Output> {
        let mut plan = Plan::default();
        plan.input(&self.original)?;
        plan.input(&self.masked)?;
        plan.each_input(self.read.input())?;
        plan.each_input(self.align.inputs(&Disk))?;
        plan.each_input(&self.statement)?;
        plan.output(&self.report.to.output)?;
        plan.open(&self.report.to.output, Privacy::Ordinary)
    }
}
