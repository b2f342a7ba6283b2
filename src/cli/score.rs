//! `sdcrisk score`: information loss and disclosure risk in one number, every term shown.

use super::{
    Ending,
    console::Console,
    files::{Disk, Output, Plan, Privacy},
    link::inputs,
    pair, provenance,
};
use crate::{
    error::{Error, Result},
    jobs::{self, link::Stated},
    options::{output::Format, score::ScoreArgs},
    report::{score::ScoreReport, text},
};

pub fn run(args: &ScoreArgs, console: &Console) -> anyhow::Result<Ending> {
    let detail = args.detail.detail(args.report.format, console)?;
    let mut output = args.output()?;
    let request = args.request(&Disk, console)?;
    let statement = inputs::read_statements(args.statements())?;
    let stated = (statement.as_ref()).map(|(statement, file)| Stated { statement, file });
    let files = args
        .align
        .read(&args.original, &args.masked, &args.read, console)?;
    let report = jobs::score::run(&request, &files, stated, console)?;
    let ending = args.ending(&report, console)?;
    let content = match args.report.format {
        Format::Text => detail.text(
            || report.to_brief(),
            || report.to_text(),
            || report.definitions(),
        ),
        Format::Json => report.to_json(provenance::of(&files.tables())),
        Format::Csv => report.to_csv()?,
    };
    console.stage("write", || -> Result<()> {
        output.write_text(&content)?;
        output.keep()
    })?;
    Ok(ending)
}

impl ScoreArgs {
    fn output(&self) -> Result<Output> {
        let mut plan = Plan::default();
        plan.input(&self.original)?;
        plan.input(&self.masked)?;
        plan.each_input(self.read.input())?;
        plan.each_input(self.align.inputs(&Disk))?;
        plan.each_input(self.statements())?;
        plan.each_input(self.list())?;
        plan.output(&self.report.to.output)?;
        plan.open(&self.report.to.output, Privacy::Ordinary)
    }

    fn ending(&self, report: &ScoreReport, console: &Console) -> Result<Ending> {
        let Some(limit) = self.fail_above else {
            return Ok(Ending::Done);
        };
        match report.first_dr() {
            Some(dr) if dr > limit => {
                console.note(&format!(
                    "note: DR is {}, above {}",
                    text::percent(dr),
                    text::percent(limit)
                ));
                Ok(Ending::AboveLimit)
            }
            Some(_) => {
                let names = report.warnings.iter().map(|doubt| &doubt.attribute[..]);
                pair::warn_of_open_gate(names, console)?;
                Ok(Ending::Done)
            }
            None => Err(Error::input(
                "DR is not defined for these files, so --fail-above has nothing to look at",
            )
            .remedy("Leave it out to see what is absent; 'sdcrisk link --fail-above' looks at linkage alone")),
        }
    }
}
