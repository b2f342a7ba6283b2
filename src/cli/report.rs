//! `sdcrisk report`: one HTML file from any results.

use std::path::PathBuf;

use clap::Args;

use super::{
    Ending,
    args::{OutputArgs, read_text},
    console::Console,
    files::{Output, Plan, Privacy, is_same_input, name_of},
};
use crate::{
    error::{Error, Result},
    jobs::report,
    report::html::{Audience, Request},
};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  sdcrisk link --method all --p 5 --format json -o link.json in.csv masked.csv
  sdcrisk loss --format json -o loss.json in.csv masked.csv
  sdcrisk report -o report.html link.json loss.json
  sdcrisk report --external -o public.html masked.sdc.json loss.json

Results are what link, loss, risk, score, evaluate, describe and match-attributes write with --format json, what
mask --statement, link --weights and link --links write. The page needs nothing else: no program, no network. It has pictures with
the tables behind them, reads in light and dark, on paper, and to readers of screens.

--external makes the version for others: what was done to the file, what it cost, which attacks were tried. It
holds no figure of risk, no seed, no row number, no weights and no places of files. Without it the page is as
private as the results that it shows.")]
pub struct ReportArgs {
    /// Results of other commands; one of them can be - for standard input
    #[arg(value_name = "RESULT.json", required = true)]
    results: Vec<PathBuf>,
    /// Leave out what is confidential
    #[arg(long)]
    external: bool,
    /// Title of the page
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// How the file is to be released (open, licensed, in a safe room, ...): text for the page
    #[arg(long, value_name = "TEXT")]
    release_type: Option<String>,
    #[command(flatten)]
    to: OutputArgs,
}

pub fn run(args: &ReportArgs, console: &Console) -> anyhow::Result<Ending> {
    let mut output = args.output()?;
    let audience = if args.external {
        Audience::External
    } else {
        Audience::Internal
    };
    let results = console.stage("read", || -> Result<Vec<_>> {
        let read = |path: &PathBuf| Ok((name_of(path), read_text(path)?));
        args.results.iter().map(read).collect()
    })?;
    let page = report::run(
        &results,
        Request {
            audience,
            title: args.title.clone(),
            release_type: args.release_type.clone(),
        },
        console,
    )?;
    console.stage("write", || -> Result<()> {
        output.write_text(&page)?;
        output.keep()
    })?;
    Ok(Ending::Done)
}

impl ReportArgs {
    fn output(&self) -> Result<Output> {
        let mut plan = Plan::default();
        for (place, path) in self.results.iter().enumerate() {
            plan.input(path)?;
            if self.results[..place]
                .iter()
                .any(|other| is_same_input(other, path))
            {
                return Err(Error::usage("is named twice, and would be shown twice")
                    .in_file(name_of(path))
                    .remedy("Name it once"));
            }
        }
        plan.output(&self.to.output)?;
        // The internal page holds what its results hold.
        let privacy = if self.external {
            Privacy::Ordinary
        } else {
            Privacy::Private
        };
        plan.open(&self.to.output, privacy)
    }
}
