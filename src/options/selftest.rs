//! The options of `sdcrisk selftest`.

use clap::Args;

use super::output::TextFormatArgs;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  sdcrisk selftest
  sdcrisk selftest --format json

Worked examples of papers and of the Handbook on Statistical Disclosure Control, small enough to be followed by hand,
are recomputed from bundled data by the code that the other commands use. It needs no file and takes a second.

Exit status: 0 every example agrees with its source, 1 one does not.")]
pub struct SelftestArgs {
    #[command(flatten)]
    pub form: TextFormatArgs,
}
