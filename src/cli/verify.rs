//! `sdcrisk verify`: whether the proof of a learned optimum is right.

use std::path::PathBuf;

use clap::Args;

use super::{
    Ending,
    args::{OutputArgs, ReadArgs, TextFormatArgs, TextOrJson, read_text},
    console::Console,
    files::{self, Output, Plan, Privacy},
    link::inputs,
};
use crate::{
    certificate::{Certificate, Pairing, check},
    error::Result,
    report::verify::VerifyReport,
};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  sdcrisk verify certificate.json orig.csv masked.csv
  sdcrisk verify --id person certificate.json orig.csv masked.csv
  sdcrisk verify --format json certificate.json orig.csv masked.csv

A learned distance claims two things: its parameters link so many records, and no parameters link more. A
certificate carries the proof. This command shares no code with the search that found it: it standardises the
files itself, builds each inequality from the definition of the distance, decides it in exact arithmetic, and
recounts the links over all pairs. A link is strict on both sides of the claim: there is no margin, and ties are wrong.

Give the files, and the options of reading, with which the certificate was made. It identifies people: keep it as
private as a key.

Exit status: 0 everything was proven again, 1 a claim is wrong, 3 the file is no certificate, or speaks of other
files, 5 not refuted, but not proved either: the bound rests on a search of which nothing can be checked, on a
count that took too long here, or on inequalities that hold within rounding only. The report names which.")]
pub struct VerifyArgs {
    /// The certificate; one of the three files can be - for standard input
    #[arg(value_name = "CERTIFICATE")]
    certificate: PathBuf,
    /// The original file
    #[arg(value_name = "ORIGINAL")]
    original: PathBuf,
    /// The masked file
    #[arg(value_name = "MASKED")]
    masked: PathBuf,
    /// Column that identifies people in both files, A=B where the masked file has another name for it [default: the order of the records]
    #[arg(long, value_name = "COLUMN", conflicts_with = "shuffle_key")]
    id: Option<String>,
    /// The key file that mask wrote when it shuffled the records
    #[arg(long, value_name = "KEYFILE", alias = "key")]
    shuffle_key: Option<PathBuf>,
    #[command(flatten)]
    form: TextFormatArgs,
    #[command(flatten)]
    to: OutputArgs,
    #[command(flatten)]
    read: ReadArgs,
}

pub fn run(args: &VerifyArgs, console: &Console) -> anyhow::Result<Ending> {
    let mut output = args.output()?;
    let name = files::name_of(&args.certificate);
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
