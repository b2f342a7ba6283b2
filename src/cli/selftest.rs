//! `sdcrisk selftest`: whether this build computes what the literature prints.

use super::{Ending, console::Console, files};
use crate::{
    options::{output::TextOrJson, selftest::SelftestArgs},
    report::selftest::SelftestReport,
    selftest,
};

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
