//! `sdcrisk verify`: whether the proof of a learned optimum is right.

use super::{
    Ending,
    console::Console,
    files::{Output, Plan, Privacy, name_of, read_text},
    link::inputs,
};
use crate::{
    certificate::{Certificate, Pairing, check},
    error::Result,
    options::{output::TextOrJson, verify::VerifyArgs},
    report::verify::VerifyReport,
};

pub fn run(args: &VerifyArgs, console: &Console) -> anyhow::Result<Ending> {
    let mut output = args.output()?;
    let name = name_of(&args.certificate);
    let certificate = Certificate::from_json(&name, &read_text(&args.certificate)?)?;
    let (original, masked) =
        inputs::read_pair(&args.original, &args.masked, false, &args.read, console)?;
    let truth = inputs::truth(
        args.id.as_deref(),
        args.shuffle_key.as_deref(),
        &original,
        &masked,
    )?;
    let known = check::attributes(&certificate, &original, &masked)?;
    console.progress("checking the proof");
    let verdict = console.stage("verify", || {
        check(
            &certificate,
            &Pairing {
                original: &original,
                masked: &masked,
                known: &known,
                masked_of: truth.places(),
            },
        )
    })?;
    let report = VerifyReport::new(
        &name,
        [original.name(), masked.name()],
        &certificate,
        &verdict,
    );
    let content = match args.form.format {
        TextOrJson::Text => report.to_text(),
        TextOrJson::Json => report.to_json(),
    };
    console.stage("write", || -> Result<()> {
        output.write_text(&content)?;
        output.keep()
    })?;
    Ok(match verdict.outcome() {
        check::Outcome::Wrong => Ending::Wrong,
        check::Outcome::Named => Ending::NotProved,
        check::Outcome::Proved => Ending::Done,
    })
}

impl VerifyArgs {
    fn output(&self) -> Result<Output> {
        let mut plan = Plan::default();
        for input in [&self.certificate, &self.original, &self.masked] {
            plan.input(input)?;
        }
        plan.each_input(self.read.input())?;
        if let Some(key) = &self.shuffle_key {
            plan.input(key)?;
        }
        plan.output(&self.to.output)?;
        plan.open(&self.to.output, Privacy::Ordinary)
    }
}
