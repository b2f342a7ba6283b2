//! The options of `sdcrisk demo`.

use clap::Args;

#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Print the bundled file (CSV), to try the other commands on it
    #[arg(long)]
    pub data: bool,
    /// Print a plan for 'evaluate' (TOML) that compares maskings of that file, which it calls people.csv
    #[arg(long, conflicts_with = "data")]
    pub plan: bool,
    /// Print a household survey of 20,000 people who do not exist (CSV), the file of the second tutorial (docs/survey.md)
    #[arg(long, conflicts_with_all = ["data", "plan"])]
    pub survey: bool,
    /// Print a survey of 2,000 enterprises that do not exist (CSV), the file of the third tutorial (docs/enterprises.md)
    #[arg(long, conflicts_with_all = ["data", "plan", "survey"])]
    pub enterprises: bool,
}
