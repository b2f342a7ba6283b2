//! `mask recode`: options, and what they mean.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::{MaskArgs, MethodArgs};
use crate::{
    error::Result,
    jobs::{Observer, mask::request::MethodRequest},
    options::{files::Files, rules::RecodingRules},
};

pub const HELP: &str = "Examples:
  sdcrisk mask recode --rules rules.toml in.csv > masked.csv
  sdcrisk mask recode --rules rules.toml --statement masked.sdc.json -o masked.csv in.csv

A rules file has a section for each attribute to recode:
  [age]
  bottom = 18                    # below 18 becomes 18
  top = 85                       # above 85 becomes 85 ...
  top-label = \"85+\"              # ... or 85 and above becomes this (bottom-label: below it)
  round = 5                      # what lies between, to multiples of 5
  [birth]                        # a date, by the roles file
  truncate = \"quarter\"           # the first day of its \"month\", \"quarter\" or \"year\"
  [income]
  breaks = [0, 1000, 2000]       # <0  [0,1000)  [1000,2000)  >=2000
  labels = [\"low\", \"middle\"]     # of the classes between breaks, or of all
  [marital]
  suppress = [\"not stated\"]      # becomes missing
  others = \"other\"               # whatever map and groups do not name; without it, it is kept
  [marital.map]
  \"single\" = \"never married\"
  [marital.groups]
  \"widowed or divorced\" = [\"widowed\", \"divorced\"]
  [town.suppress-where]          # missing where the illness is one of these
  illness = [\"pregnancy\"]
  [occupation]
  digits = 2                     # the first two characters of each code; shorter ones are kept
  [branch]
  hierarchy = \"nace.csv\"         # a CSV file beside the rules: a code, its parent, the parent of that, ...
  level = 1                      # which takes its place: 1 is the parent, or the name of the level
  [country]
  codes = \"countries.csv\"        # a CSV file beside the rules: a code and its new text

Files of codes have names in their first line, and must name every value of the attribute unless others is given. Names are those that 'sdcrisk describe' shows. A value takes the first rule that speaks of it: suppress-where, suppress, \
map and groups, codes and hierarchy, others, digits, breaks, bottom and top, round, truncate. Missing values stay missing. Numbers have a decimal point here, \
whatever mark the file has. Rules that meet nothing are named, so that a misspelt category does not go unnoticed. The \
statement publishes the rules, but not which values were suppressed: that would fill the gaps.";

#[derive(Debug, Args)]
pub struct RecodeArgs {
    /// The rules (TOML): what becomes of which values
    #[arg(long, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    rules: RecodingRules,
    #[command(flatten)]
    common: MaskArgs,
}

impl MethodArgs for RecodeArgs {
    fn common(&self) -> &MaskArgs {
        &self.common
    }

    fn inputs(&self, files: &dyn Files) -> Vec<PathBuf> {
        self.rules.inputs(files)
    }

    fn check(&self, observer: &dyn Observer) -> Result<()> {
        self.common
            .note_attributes("recode", "the rules file", observer)
    }

    fn names_attributes(&self) -> bool {
        true
    }

    fn request(&self, files: &dyn Files) -> Result<MethodRequest> {
        Ok(MethodRequest::Recode(self.rules.rules(files)?))
    }
}
