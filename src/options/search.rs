//! The options of `sdcrisk search`, and what they mean.

use clap::Args;

use super::{
    output::ReportArgs,
    plan::{PlanArgs, refuse_shard_without_seed},
    values::rate_limit,
};
use crate::{
    error::Result,
    evaluate::{plan::Plan, shard::Shard},
    jobs::search::SearchRequest,
};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  sdcrisk search plan.toml --risk-at-most 5%
  sdcrisk search plan.toml --risk-at-most 5% --loss pil --into results
  sdcrisk search plan.toml --risk-at-most 5% --shard 2/4 -o part2.json       # on the second of four machines; then merge

A plan is that of 'sdcrisk evaluate', with a range where a value is to be found:
  original = \"census.csv\"
  attributes = \"1-13\"
  known = [\"first:3\", \"first:7\"]         # the limit holds for each of them
  repeats = 5                              # masked files per setting that is chosen; fewer where the case is clear
  [[mask]]
  method = \"rankswap\"
  p = { from = 1, to = 40 }
  [[mask]]
  method = \"microagg\"
  k = { from = 2, to = 50 }

The risk of a setting is that of the strongest attack of the plan in its worst scenario: the upper end of the 95 % interval over
masked files. A plan without attacks gets am, prl, rsld, microagg, involution and likelihood (balanced), as far as they apply.
The answer is the value in the range where risk crosses the limit, so risk should rise or fall along the range.

With --into, a search that was stopped or killed continues where it was.

With --shard, one of several machines looks for the values of its part of the maskings (one per [[mask]], value of a list in it,
and original), and 'sdcrisk merge' makes the report of one run of the parts (docs/scale.md). A part that continues by --into has
a folder of its own, which holds its journal.

Exit status: 0 a setting was found for every file, 4 a learned distance was stopped before its proof, 10 nothing is below the limit.")]
pub struct SearchArgs {
    /// The most that the strongest attack may link: 5% or 0.05
    #[arg(long, value_name = "RATE", value_parser = rate_limit)]
    risk_at_most: f64,
    /// The loss to be small: a key of 'sdcrisk loss'
    #[arg(long, value_name = "KEY", default_value = "il")]
    loss: String,
    #[command(flatten)]
    pub plan: PlanArgs,
    #[command(flatten)]
    pub report: ReportArgs,
    /// Do part I of N of the maskings, and write it (JSON) for 'sdcrisk merge'; the plan must state a seed
    #[arg(
        long,
        value_name = "I/N",
        conflicts_with = "format",
        help_heading = "Output"
    )]
    pub shard: Option<Shard>,
}

impl SearchArgs {
    /// The call as it is meant, but for its plan.
    pub fn request(&self) -> SearchRequest {
        SearchRequest {
            risk_at_most: self.risk_at_most,
            loss: self.loss.clone(),
        }
    }

    /// Refuses a plan with this name of which no parts can be made, where parts are asked for.
    ///
    /// # Errors
    /// Usage, when it states no seed.
    pub fn check(&self, plan: &Plan, name: &str) -> Result<()> {
        refuse_shard_without_seed(self.shard, plan, name)
    }
}
