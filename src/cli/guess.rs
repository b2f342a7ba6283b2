//! `sdcrisk guess`: which masking two files betray.

use super::{
    Ending,
    console::Console,
    files::{Output, Plan, Privacy},
    link::inputs,
};
use crate::{
    error::Result,
    jobs::guess,
    options::{guess::GuessArgs, output::TextOrJson},
};

pub fn run(args: &GuessArgs, console: &Console) -> anyhow::Result<Ending> {
    let mut output = args.output()?;
    let (original, masked) =
        inputs::read_pair(&args.original, &args.masked, false, &args.read, console)?;
    let id = args.id.as_deref();
    let truth = if args.aligned || id.is_some() {
        Some(inputs::truth(id, None, &original, &masked)?)
    } else {
        None
    };
    let report = guess::run(&args.request(), &original, &masked, truth.as_ref(), console)?;
    let content = match args.form.format {
        TextOrJson::Text => report.to_text(),
        TextOrJson::Json => report.to_json(),
    };
    console.stage("write", || -> Result<()> {
        output.write_text(&content)?;
        output.keep()
    })?;
    Ok(Ending::Done)
}

impl GuessArgs {
    fn output(&self) -> Result<Output> {
        let mut plan = Plan::default();
        plan.input(&self.original)?;
        plan.input(&self.masked)?;
        plan.each_input(self.read.input())?;
        plan.output(&self.to.output)?;
        plan.open(&self.to.output, Privacy::Ordinary)
    }
}
