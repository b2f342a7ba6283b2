//! The options of `sdcrisk explain`.

use std::path::PathBuf;

use clap::Args;

use super::output::{OutputArgs, TextFormatArgs};

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
    pub weights: PathBuf,
    #[command(flatten)]
    pub form: TextFormatArgs,
    /// Draw a picture (SVG) too
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub svg: Option<PathBuf>,
    #[command(flatten)]
    pub to: OutputArgs,
}
