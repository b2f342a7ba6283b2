//! `sdcrisk loss`: what masking took from a file.

mod analyses;

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{
    Ending,
    args::ReadArgs,
    console::Console,
    files::{Output, Plan, Privacy},
    pair::{self, AlignArgs},
    provenance,
};
use crate::{
    error::{Error, Result},
    figure::Figure,
    loss,
    report::loss::{LossReport, Measured, Scenario},
    table::pair::Pair,
};
use analyses::AnalysesArgs;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  sdcrisk loss orig.csv masked.csv
  sdcrisk loss --measures il,pil,sse_sst orig.csv masked.csv
  sdcrisk loss --by-attribute --attributes 1-7 orig.csv masked.csv
  sdcrisk loss --key key.csv --format json orig.csv shuffled.csv

Values and statistics of the masked file are compared with those of the original; lower is better everywhere, and
two equal files lose nothing. Attributes that are numbers in both files are compared as numbers, all others
(names, and numbers that became classes) as categories. What would be divided by 0 is left out and counted.

A loss says what users of the file will miss, not whether the file is safe: see 'sdcrisk link' and 'sdcrisk risk'.")]
pub struct LossArgs {
    /// The original file
    #[arg(value_name = "ORIGINAL.csv")]
    original: PathBuf,
    /// The masked file; one of both can be - for standard input
    #[arg(value_name = "MASKED.csv")]
    masked: PathBuf,
    #[command(flatten)]
    align: AlignArgs,
    /// Measures that are told, by their keys: for example il,pil,sse_sst [default: all]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    measures: Vec<String>,
    /// Tell each measure attribute by attribute too
    #[arg(long)]
    by_attribute: bool,
    #[command(flatten)]
    analyses: AnalysesArgs,
    /// Form of the report
    #[arg(long, value_enum, default_value = "text", help_heading = "Output")]
    format: FormatArg,
    /// Where the report goes
    #[arg(
        long,
        short,
        value_name = "FILE",
        default_value = "-",
        help_heading = "Output"
    )]
    output: PathBuf,
    #[command(flatten)]
    read: ReadArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FormatArg {
    Text,
    Json,
    Csv,
}

pub fn run(args: &LossArgs, console: &Console) -> anyhow::Result<Ending> {
    let mut output = args.output()?;
    let files = args
        .align
        .read(&args.original, &args.masked, &args.read, console)?;
    let pair = files.pair();
    console.progress("comparing values and statistics");
    let data = console.stage("loss", || loss::figures(&pair));
    let data = args.wanted(data)?;
    let analyses = match args.analyses.is_wanted() {
        true => args.analyses.figures(&pair, &files, console)?,
        false => Vec::new(),
    };
    let report = LossReport {
        scenario: args.scenario(&files, &pair),
        measured: Measured { data, analyses },
        by_attribute: args.by_attribute,
        provenance: (args.format == FormatArg::Json)
            .then(|| provenance::of(&[&files.original, &files.masked])),
    };
    let content = match args.format {
        FormatArg::Text => report.to_text(),
        FormatArg::Json => report.to_json(),
        FormatArg::Csv => report.to_csv()?,
    };
    console.stage("write", || -> Result<()> {
        output.write(|out| out.write_all(content.as_bytes()))?;
        output.keep()
    })?;
    Ok(Ending::Done)
}

impl LossArgs {
    fn output(&self) -> Result<Output> {
        let mut plan = Plan::default();
        plan.input(&self.original)?;
        plan.input(&self.masked)?;
        self.read.plan(&mut plan)?;
        self.align.plan(&mut plan)?;
        plan.output(&self.output)?;
        plan.open(&self.output, Privacy::Ordinary)
    }

    fn scenario(&self, files: &pair::Files, pair: &Pair) -> Scenario {
        let name =
            |shared: &crate::evaluate::link::Shared| files.original.attribute(shared.original);
        Scenario {
            original: files.original.name().into(),
            masked: files.masked.name().into(),
            records: pair.n_records,
            attributes: (files.attributes.iter())
                .map(|shared| name(shared).name.clone())
                .collect(),
            numbers: pair.numbers.names.clone(),
            aligned_by: self.align.aligned_by(),
            left_out: files.left_out(),
        }
    }

    /// The measures that were asked for.
    fn wanted(&self, all: Vec<Figure>) -> Result<Vec<Figure>> {
        if self.measures.is_empty() {
            return Ok(all);
        }
        let keys: Vec<&str> = all.iter().map(|figure| figure.what.key).collect();
        let asked: Vec<&str> = self.measures.iter().map(|key| key.trim()).collect();
        if let Some(unknown) = asked.iter().find(|key| !keys.contains(key)) {
            return Err(
                Error::usage(format!("--measures: there is no measure {unknown:?}"))
                    .remedy(format!("There are: {}", keys.join(", "))),
            );
        }
        Ok(all
            .into_iter()
            .filter(|figure| asked.contains(&figure.what.key))
            .collect())
    }
}
