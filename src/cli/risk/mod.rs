//! `sdcrisk risk`: what a file, or a pair of files, gives away without any linkage.

mod limit;

use super::{
    Ending,
    console::Console,
    files::{Disk, Output, Plan, Privacy, keep_all},
    link::inputs,
    pair::warn_of_open_gate,
    provenance,
    tables::read_table,
};
use crate::{
    error::Result,
    jobs::{
        link::Stated,
        risk::{self as job, Files},
    },
    options::{output::Format, risk::RiskArgs},
    report::risk as report,
};

pub fn run(args: &RiskArgs, console: &Console) -> anyhow::Result<Ending> {
    args.check(console)?;
    let detail = args.detail.detail(args.report.format, console)?;
    let mut outputs = args.outputs()?;
    let statement = inputs::read_statements(&args.statements())?;
    let stated = (statement.as_ref()).map(|(statement, file)| Stated { statement, file });
    let outcome = job::run(&args.request(), args.read_files(console)?, stated, console)?;
    let mut report = outcome.report;
    report.provenance =
        (args.report.format == Format::Json).then(|| provenance::of(&outcome.files.tables()));
    let records = outcome.files.released().n_records();
    report.limits = limit::judge(&args.fail_above, &report.figures, records, console)?;
    let ending = if report.limits.iter().all(|limit| limit.kept) {
        Ending::Done
    } else {
        Ending::AboveLimit
    };
    if ending == Ending::Done && !args.fail_above.is_empty() {
        let names = report.warnings.iter().map(|doubt| &doubt.attribute[..]);
        warn_of_open_gate(names, console)?;
    }
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
        if let Some(records) = &mut outputs.records {
            records.write(|out| report::write_records(&outcome.of_file.records(), out))?;
        }
        outputs.report.write_text(&content)?;
        keep_all(outputs.records.into_iter().chain([outputs.report]))
    })?;
    Ok(ending)
}

/// What a call writes.
struct Outputs {
    records: Option<Output>,
    report: Output,
}

impl RiskArgs {
    fn outputs(&self) -> Result<Outputs> {
        let mut plan = Plan::default();
        plan.input(&self.original)?;
        plan.each_input(&self.masked)?;
        plan.each_input(self.read.input())?;
        plan.each_input(self.align().inputs(&Disk))?;
        plan.each_input(self.statements())?;
        for path in self.records.iter().chain([&self.report.to.output]) {
            plan.output(path)?;
        }
        let privacy = match self.most_at_risk {
            0 => Privacy::Ordinary,
            // Their numbers say whom to look for.
            _ => Privacy::Private,
        };
        let records = self.records.as_deref();
        let records = records.map(|path| plan.open(path, Privacy::Private));
        Ok(Outputs {
            records: records.transpose()?,
            report: plan.open(&self.report.to.output, privacy)?,
        })
    }

    fn read_files(&self, console: &Console) -> Result<Files> {
        Ok(match &self.masked {
            None => {
                let table = read_table(&self.original, &self.read.options(&Disk)?, console)?;
                self.read.settle(&[&table], console)?;
                Files::One(table)
            }
            Some(masked) => {
                let align = self.align();
                let files = align.read(&self.original, masked, &self.read, console)?;
                Files::Two(Box::new(files))
            }
        })
    }
}
