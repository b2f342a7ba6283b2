//! `sdcrisk report`: one HTML file from any results.

use std::path::PathBuf;

use super::{
    Ending,
    console::Console,
    files::{Output, Plan, Privacy, is_same_input, name_of, read_text},
};
use crate::{
    error::{Error, Result},
    jobs::report,
    options::report::ReportArgs,
    report::html::{Audience, Request},
};

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
