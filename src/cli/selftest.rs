//! `sdcrisk selftest`: whether this build computes what the literature prints.

use clap::Args;

use super::{
    Ending,
    args::{TextFormatArgs, TextOrJson},
    console::Console,
    files,
};
use crate::{report::selftest::SelftestReport, selftest};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  sdcrisk selftest
  sdcrisk selftest --format json

Worked examples of papers and of the Handbook on Statistical Disclosure Control, small enough to be followed by hand,
are recomputed from bundled data by the code that the other commands use. It needs no file and takes a second.

Exit status: 0 every example agrees with its source, 1 one does not.")]
pub struct SelftestArgs {
    #[command(flatten)]
    form: TextFormatArgs,
}

pub fn run(args: &SelftestArgs, console: &Console) -> anyhow::Result<Ending> {
    let examples = selftest::examples();
    let findings = examples.iter().map(|example| {
        console.progress(example.name);
        console.stage(example.name, || selftest::run(example))
    });
    let report = SelftestReport::new(findings.collect());
    let content = match args.form.format {
        TextOrJson::Text => report.to_text(),
        TextOrJson::Json => report.to_json(),
    };
    files::print(&content)?;
    Ok(match report.failed {
        0 => Ending::Done,
        _ => Ending::Wrong,
    })
}
