//! `sdcrisk explain`: what a learned distance says about each attribute.

use std::path::PathBuf;

use clap::Args;

use super::{
    Ending,
    args::{OutputArgs, TextFormatArgs, TextOrJson, read_text},
    console::Console,
    files::{Output, Plan, Privacy, keep_all, name_of},
};
use crate::{attack::learned::weights::Weights, error::Result, report::explain::Explanation};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  sdcrisk link --method ci --weights w.json in.csv masked.csv
  sdcrisk explain w.json
  sdcrisk explain --format json w.json
  sdcrisk explain --svg lattice.svg w.json

Which attributes leak: the weights that find most people say what a masked record is still known by. A weighted mean
(wm) says it of attributes, an ordered mean (owa) of how many must agree, a Choquet integral (ci, ci-m, ci-2) of sets of
attributes: Shapley values, which pairs are needed together, which repeat each other; a bilinear form (sb) of
directions. Where other weights would link the same records, the ranges are shown, or that they are not known.

The picture (--svg) is bars, the lattice of the sets, or a heat map; it stands alone and reads in light and dark.")]
pub struct ExplainArgs {
    /// The file that 'link --weights FILE' wrote; - is standard input
    #[arg(value_name = "WEIGHTS.json")]
    weights: PathBuf,
    #[command(flatten)]
    form: TextFormatArgs,
    /// Draw a picture (SVG) too
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    to: OutputArgs,
}

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
