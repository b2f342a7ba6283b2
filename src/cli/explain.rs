//! `sdcrisk explain`: what a learned distance says about each attribute.

use super::{
    Ending,
    console::Console,
    files::{Output, Plan, Privacy, keep_all, name_of, read_text},
};
use crate::{
    attack::learned::weights::Weights,
    error::Result,
    options::{explain::ExplainArgs, output::TextOrJson},
    report::explain::Explanation,
};

pub fn run(args: &ExplainArgs, console: &Console) -> anyhow::Result<Ending> {
    let (mut output, mut svg) = args.outputs()?;
    let text = console.stage("read", || read_text(&args.weights))?;
    let weights = Weights::from_json(&name_of(&args.weights), &text)?;
    let explanation = Explanation::new(&weights);
    if let Some(svg) = &mut svg {
        svg.write_text(&explanation.to_svg())?;
    }
    let text = match args.form.format {
        TextOrJson::Text => explanation.to_text(),
        TextOrJson::Json => explanation.to_json(),
    };
    output.write_text(&text)?;
    keep_all(svg.into_iter().chain([output]))?;
    Ok(Ending::Done)
}

impl ExplainArgs {
    fn outputs(&self) -> Result<(Output, Option<Output>)> {
        let mut plan = Plan::default();
        plan.input(&self.weights)?;
        plan.output(&self.to.output)?;
        if let Some(svg) = &self.svg {
            plan.output(svg)?;
        }
        let open = |path| plan.open(path, Privacy::Private);
        Ok((
            open(&self.to.output)?,
            self.svg.as_deref().map(open).transpose()?,
        ))
    }
}
