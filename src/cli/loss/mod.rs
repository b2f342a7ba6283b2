//! `sdcrisk loss`: what masking took from a file.

mod analyses;

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{
    Ending,
    args::ReadArgs,
    console::Console,
    files::{Output, Plan, Privacy},
    pair::AlignArgs,
};
use crate::{error::Result, loss, report::figures};
use analyses::AnalysesArgs;

#[derive(Debug, Args)]
pub struct LossArgs {
    /// The original file
    #[arg(value_name = "ORIGINAL.csv")]
    original: PathBuf,
    /// The masked file; one of both can be - for standard input
    #[arg(value_name = "MASKED.csv")]
    masked: PathBuf,
    #[command(flatten)]
    align: AlignArgs,
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
    let mut measured = console.stage("loss", || loss::figures(&pair));
    if args.analyses.is_wanted() {
        measured.extend(args.analyses.figures(&pair, &files, console)?);
    }
    let content = match args.format {
        FormatArg::Text | FormatArg::Csv => figures::table(&measured),
        FormatArg::Json => {
            serde_json::to_string_pretty(&figures::measures(&measured)).unwrap_or_default()
        }
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
}
