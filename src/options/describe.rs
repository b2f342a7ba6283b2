//! The options of `sdcrisk describe`.

use std::path::PathBuf;

use clap::Args;

use super::{output::TextFormatArgs, read::ReadArgs};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  sdcrisk describe in.csv
  sdcrisk describe --format json in.csv
  sdcrisk describe --roles roles.toml in.csv

Every guess (delimiter, decimal mark, scale, role, ...) is shown with its reason; options and a roles file override it. The
report is private: the least and the greatest value of an attribute are values of single records. 'report --external' shows
names, scales and roles of it, and no value.")]
pub struct DescribeArgs {
    /// The file; - is standard input
    #[arg(value_name = "IN.csv")]
    pub input: PathBuf,
    #[command(flatten)]
    pub form: TextFormatArgs,
    #[command(flatten)]
    pub read: ReadArgs,
}
