//! `sdcrisk risk`: what a file, or a pair of files, gives away without any linkage.

mod limit;

use std::path::PathBuf;

use super::{
    Ending,
    console::Console,
    files::{Disk, Output, Plan, Privacy, keep_all},
    link::inputs,
    merge,
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
    options::{
        merge::MergeArgs,
        output::{Detail, Format},
        risk::{Limit, RiskArgs},
    },
    report::{
        measurements::Measurements,
        part::{Part, Work},
        risk::{self as report, RiskReport},
    },
};

pub fn run(args: &RiskArgs, console: &Console) -> anyhow::Result<Ending> {
    args.check(console)?;
    let detail = args.detail.detail(args.report.format, console)?;
    let mut outputs = args.outputs()?;
    let statement = inputs::read_statements(&args.statements())?;
    let stated = (statement.as_ref()).map(|(statement, file)| Stated { statement, file });
    let outcome = job::run(&args.request(), args.read_files(console)?, stated, console)?;
    let provenance = || provenance::of(&outcome.files.tables());
    if let Some(shard) = args.shard {
        let inputs = merge::fingerprints(&outputs.inputs)?;
        let work = Work::Risk(Box::new(outcome.measurements));
        let part = Part::new(shard, inputs, provenance(), work);
        console.stage("write", || -> Result<()> {
            outputs.report.write_text(&merge::text_of(part))?;
            outputs.report.keep()
        })?;
        return Ok(Ending::Done);
    }
    let mut report = Measurements::joined(vec![outcome.measurements])?;
    report.provenance = (args.report.format == Format::Json).then(provenance);
    let ending = judge(&mut report, &args.fail_above, console)?;
    let content = content(&report, args.report.format, detail)?;
    console.stage("write", || -> Result<()> {
        if let (Some(records), Some(of_file)) = (&mut outputs.records, &outcome.of_file) {
            records.write(|out| report::write_records(&of_file.records(), out))?;
        }
        outputs.report.write_text(&content)?;
        keep_all(outputs.records.into_iter().chain([outputs.report]))
    })?;
    Ok(ending)
}

/// Writes the report that parts make, and says how one run would have ended.
pub(super) fn write_merged(
    args: &MergeArgs,
    mut report: RiskReport,
    console: &Console,
) -> anyhow::Result<Ending> {
    let form = args.form();
    let detail = args.detail.detail(form.format, console)?;
    let plan = args.plan()?;
    let mut output = plan.open(&form.to.output, privacy(report.most_at_risk.len()))?;
    let ending = judge(&mut report, &args.fail_above, console)?;
    let content = content(&report, form.format, detail)?;
    console.stage("write", || -> Result<()> {
        output.write_text(&content)?;
        output.keep()
    })?;
    Ok(ending)
}

/// Holds a report against its limits.
fn judge(report: &mut RiskReport, limits: &[Limit], console: &Console) -> Result<Ending> {
    report.limits = limit::judge(limits, &report.figures, report.scenario.records, console)?;
    if !report.limits.iter().all(|limit| limit.kept) {
        return Ok(Ending::AboveLimit);
    }
    if !limits.is_empty() {
        let names = report.warnings.iter().map(|doubt| &doubt.attribute[..]);
        warn_of_open_gate(names, console)?;
    }
    Ok(Ending::Done)
}

fn content(report: &RiskReport, format: Format, detail: Detail) -> anyhow::Result<String> {
    Ok(match format {
        Format::Text => detail.text(
            || report.to_brief(),
            || report.to_text(),
            || report.definitions(),
        ),
        Format::Json => report.to_json(),
        Format::Csv => report.to_csv()?,
    })
}

/// How private a report is that lists so many of the records most at risk: their numbers say whom to look for.
fn privacy(most_at_risk: usize) -> Privacy {
    match most_at_risk {
        0 => Privacy::Ordinary,
        _ => Privacy::Private,
    }
}

/// What a call writes.
struct Outputs {
    /// The files that are read.
    inputs: Vec<PathBuf>,
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
        // A part is as private as the original.
        let privacy = match self.shard {
            Some(_) => Privacy::Private,
            None => privacy(self.most_at_risk),
        };
        let records = self.records.as_deref();
        let records = records.map(|path| plan.open(path, Privacy::Private));
        Ok(Outputs {
            records: records.transpose()?,
            report: plan.open(&self.report.to.output, privacy)?,
            inputs: plan.inputs().to_vec(),
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
