//! The options of `sdcrisk evaluate`, and plans with which they make no sense.

use clap::Args;

use super::{
    output::ReportArgs,
    plan::{PlanArgs, refuse_shard_without_seed},
    values::rate_limit,
};
use crate::{
    error::{Error, Result},
    evaluate::{plan::Plan, shard::Shard},
};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  sdcrisk evaluate plan.toml
  sdcrisk evaluate plan.toml --into results --data ~/census --threads 4
  sdcrisk evaluate plan.toml --format csv -o rows.csv
  sdcrisk evaluate plan.toml --shard 2/4 -o part2.json       # on the second of four machines; then merge

A plan (TOML) lists how files are masked, and how the masked files are attacked:
  original = \"census.csv\"
  attributes = \"1-13\"
  known = \"sweep:7\"
  repeats = 5                              # masked files per setting, each with its own seed
  attacks = [\"rsld\", \"am\", { method = \"prl\", name = \"pld\", fit = \"known\", agree = \"sd:0.1\" }]
  losses = [\"il\", \"pil\", \"sse_sst\"]
  risks = [\"interval_disclosure_rank\"]
  [[mask]]
  method = \"rankswap\"
  p = [2, 4, 6, 8, 10]                     # the keys are the long options of 'mask METHOD'; a list is a grid
  [[mask]]
  method = \"microagg\"
  k = [3, 5, 10]
More keys: seed (of the first masked file; the next ones follow it), title, [[file]] (several originals, each with
original, attributes, known, repeats, records), how files are read (delimiter, roles, ...), and [[published]] figures
to stand beside the measured ones. Files are looked for beside the plan, in the current folder, and in --data.

With --into, a run that was stopped or killed continues where it was, and gives the same files as one that was not.

With --shard, one of several machines does its part of the masked files, and 'sdcrisk merge' makes the report of one run of
the parts (docs/scale.md). A part that continues by --into has a folder of its own, which holds its journal.

Exit status: 0 done, 4 a search was stopped before its proof, 10 an attack's mean rate is above --fail-above.")]
pub struct EvaluateArgs {
    #[command(flatten)]
    pub plan: PlanArgs,
    /// Leave out originals that are not there, instead of failing
    #[arg(long)]
    pub skip_missing: bool,
    #[command(flatten)]
    pub report: ReportArgs,
    /// Do part I of N of the masked files, and write it (JSON) for 'sdcrisk merge'; the plan must state a seed
    #[arg(long, value_name = "I/N", conflicts_with_all = ["format", "fail_above"], help_heading = "Output")]
    pub shard: Option<Shard>,
    /// End with exit status 10 when the mean rate of an attack is above this: 5% or 0.05
    #[arg(long, value_name = "RATE", value_parser = rate_limit, help_heading = "Output")]
    pub fail_above: Option<f64>,
}

impl EvaluateArgs {
    /// Refuses options that have no use on a plan with this name, and plans that are not for this command.
    ///
    /// # Errors
    /// Usage or Input, by what is wrong.
    pub fn check(&self, plan: &Plan, name: &str) -> Result<()> {
        refuse_gate_without_attacks(self.fail_above, plan.attacks.is_empty())?;
        refuse_shard_without_seed(self.shard, plan, name)?;
        refuse_ranges(plan, name)
    }
}

/// A gate that nothing can close is open.
pub fn refuse_gate_without_attacks(fail_above: Option<f64>, has_no_attack: bool) -> Result<()> {
    if fail_above.is_none() || !has_no_attack {
        return Ok(());
    }
    Err(Error::usage(
        "--fail-above has no effect: the plan has no attack, and it looks at the rates of attacks",
    )
    .remedy("Add attacks = [\"am\"] to the plan, or leave --fail-above out"))
}

/// Inside a range nothing says where to look, but a limit of risk.
fn refuse_ranges(plan: &Plan, name: &str) -> Result<()> {
    let Some(range) = plan.masks.iter().find_map(|mask| mask.range.as_ref()) else {
        return Ok(());
    };
    Err(
        Error::input(format!("{} is a range, and a grid has values", range.name))
            .in_file(name)
            .at_line(range.line)
            .remedy(
                "Write a list, or let 'sdcrisk search --risk-at-most 5%' look inside the range",
            ),
    )
}
