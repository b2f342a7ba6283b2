//! `mask suppress`: options, and what they mean.

use std::path::PathBuf;

use clap::Args;

use super::{MaskArgs, MethodArgs};
use crate::{
    error::{Error, Result},
    jobs::{
        Observer,
        mask::request::{MethodRequest, SuppressRequest},
    },
    options::{files::Files, rules::read_rules, values::MissingArg},
    statement::MissingMatches,
};

pub const HELP: &str = "Examples:
  sdcrisk mask suppress --k 3 --key sex,age,town in.csv > masked.csv
  sdcrisk mask suppress --k 3 --key 1-4 --missing-matches missing in.csv > masked.csv
  sdcrisk mask suppress --rules rules.toml --statement masked.sdc.json -o masked.csv in.csv

A rules file can ask for the same, and more:
  k = 3
  key = [\"sex\", \"age\", \"town\", \"marital\"]
  missing-matches = \"any\"        # or \"missing\"
  [importance]                   # 1 where nothing is said; the higher, the less willingly
  sex = 5
  [suppress]                     # categories that go wherever they stand, first of all
  town = [\"Gisclareny\"]

Afterwards every record that has a value of the key left matches at least k records on it, itself among them. Programs \
disagree on what a missing value matches: with 'any' (as in sdcMicro and mu-ARGUS) it matches every value, since nothing \
contradicts the match; with 'missing' it is a category of its own, which is stricter and takes more: then at least k \
records have the same key.

Recode before you suppress: attributes with many different values cost most of their values. Suppression hides who \
somebody is, not what is known of the group: if all its members share a confidential value, it is disclosed all the same. \
The statement says that values were suppressed, never which: that would fill the gaps.";

#[derive(Debug, Args)]
pub struct SuppressArgs {
    /// How many records must match on the key, the record itself among them (at least 2)
    #[arg(
        long,
        value_name = "NUMBER",
        requires = "key",
        required_unless_present = "rules"
    )]
    k: Option<usize>,
    /// The key: what an intruder may know together; names or positions, for example sex,age or 1-4
    #[arg(long, value_name = "LIST", requires = "k")]
    key: Option<String>,
    /// What a missing value of the key matches [default: any]
    #[arg(long, value_enum, value_name = "WHAT", requires = "k")]
    missing_matches: Option<MissingArg>,
    /// The rules (TOML): k, key, importance, categories to suppress
    #[arg(long, value_name = "FILE", conflicts_with_all = ["k", "key", "missing_matches"])]
    rules: Option<PathBuf>,
    #[command(flatten)]
    common: MaskArgs,
}

impl MethodArgs for SuppressArgs {
    fn common(&self) -> &MaskArgs {
        &self.common
    }

    fn inputs(&self, _: &dyn Files) -> Vec<PathBuf> {
        self.rules.clone().into_iter().collect()
    }

    fn check(&self, observer: &dyn Observer) -> Result<()> {
        self.common.note_attributes("suppress", "the key", observer)
    }

    fn names_attributes(&self) -> bool {
        true
    }

    fn request(&self, files: &dyn Files) -> Result<MethodRequest> {
        let request = match (&self.rules, self.k, &self.key) {
            (Some(path), ..) => SuppressRequest::Rules(read_rules(path, files)?),
            (None, Some(k), Some(key)) => SuppressRequest::Key {
                k,
                key: key.clone(),
                missing: (self.missing_matches).map_or_else(Default::default, MissingMatches::from),
            },
            _ => return Err(Error::usage("suppress needs --k and --key, or --rules")),
        };
        Ok(MethodRequest::Suppress(request))
    }
}
