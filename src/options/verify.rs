//! The options of `sdcrisk verify`.

use std::path::PathBuf;

use clap::Args;

use super::{
    output::{OutputArgs, TextFormatArgs},
    read::ReadArgs,
};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  sdcrisk verify certificate.json orig.csv masked.csv
  sdcrisk verify --id person certificate.json orig.csv masked.csv
  sdcrisk verify --format json certificate.json orig.csv masked.csv

A learned distance claims two things: its parameters link so many records, and no parameters link more. A
certificate carries the proof. This command shares no code with the search that found it: it standardises the
files itself, builds each inequality from the definition of the distance, decides it in exact arithmetic, and
recounts the links over all pairs. A link is strict on both sides of the claim: there is no margin, and ties are wrong.

Give the files, and the options of reading, with which the certificate was made. It identifies people: keep it as
private as a key.

Exit status: 0 everything was proven again, 1 a claim is wrong, 3 the file is no certificate, or speaks of other
files, 5 not refuted, but not proved either: the bound rests on a search of which nothing can be checked, on a
count that took too long here, or on inequalities that hold within rounding only. The report names which.")]
pub struct VerifyArgs {
    /// The certificate; one of the three files can be - for standard input
    #[arg(value_name = "CERTIFICATE")]
    pub certificate: PathBuf,
    /// The original file
    #[arg(value_name = "ORIGINAL")]
    pub original: PathBuf,
    /// The masked file
    #[arg(value_name = "MASKED")]
    pub masked: PathBuf,
    /// Column that identifies people in both files, A=B where the masked file has another name for it [default: the order of the records]
    #[arg(long, value_name = "COLUMN", conflicts_with = "shuffle_key")]
    pub id: Option<String>,
    /// The key file that mask wrote when it shuffled the records
    #[arg(long, value_name = "KEYFILE", alias = "key")]
    pub shuffle_key: Option<PathBuf>,
    #[command(flatten)]
    pub form: TextFormatArgs,
    #[command(flatten)]
    pub to: OutputArgs,
    #[command(flatten)]
    pub read: ReadArgs,
}
