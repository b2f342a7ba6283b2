//! `mask suppress`: options, and what they mean.

use std::{
    cell::OnceCell,
    path::{Path, PathBuf},
};

use clap::Args;

use super::{MaskArgs, MethodArgs};
use crate::{
    cli::{
        args::{MissingArg, read_text},
        console::Console,
        files,
    },
    error::{Error, Result},
    mask::{
        Details, Mask, Masked,
        suppress::{Outcome, Rules, Suppress},
    },
    report::text,
    statement::{Method, MissingMatches},
    table::{AttrId, Table},
};

pub const HELP: &str = "Examples:
  sdcrisk mask suppress --k 3 --key sex,age,town in.csv > masked.csv
  sdcrisk mask suppress --k 3 --key 1-4 --missing-matches missing in.csv > masked.csv
  sdcrisk mask suppress --rules rules.toml --statement masked.sdc.json -o masked.csv in.csv

A rules file says the same, and more:
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
records look alike.

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
    #[arg(skip)]
    read: OnceCell<Suppress>,
}

impl SuppressArgs {
    /// The method by the options, or by the rules file, which is read once.
    fn suppress(&self, table: &Table) -> Result<&Suppress> {
        if let Some(suppress) = self.read.get() {
            return Ok(suppress);
        }
        let rules = match (&self.rules, self.k, &self.key) {
            (Some(path), ..) => Rules::parse(&files::name_of(path), &read_text(path)?)?,
            (None, Some(k), Some(key)) => {
                let missing = self.missing_matches.map(MissingMatches::from);
                let missing = missing.unwrap_or_default();
                Rules::new(k, table.names(&table.select(key)?), missing)?
            }
            _ => return Err(Error::usage("suppress needs --k and --key, or --rules")),
        };
        Ok(self.read.get_or_init(|| Suppress::new(rules)))
    }
}

impl MethodArgs for SuppressArgs {
    fn common(&self) -> &MaskArgs {
        &self.common
    }

    fn inputs(&self) -> Vec<&Path> {
        self.rules.as_deref().into_iter().collect()
    }

    fn is_random(&self) -> bool {
        false
    }

    fn check(&self, console: &Console) -> Result<()> {
        self.common
            .note_attributes("suppress", "the key", console)?;
        match self.k {
            Some(k @ 0..2) => Err(Error::usage(format!(
                "--k {k} asks for nothing: every record matches itself"
            ))
            .remedy("Give a k of at least 2")),
            _ => Ok(()),
        }
    }

    fn names_attributes(&self) -> bool {
        true
    }

    fn attributes(&self, table: &Table) -> Result<Option<Vec<AttrId>>> {
        self.suppress(table)?.attributes(table).map(Some)
    }

    fn method(&self, table: &Table, _: &Console) -> Result<Box<dyn Mask>> {
        Ok(Box::new(self.suppress(table)?.clone()))
    }

    fn headline(&self, masked: &Masked) -> String {
        let Method::Suppress(parameters) = &masked.statement.method else {
            return String::new();
        };
        format!(
            "k = {} on {}; a missing value matches {}",
            parameters.k,
            parameters.key.join(", "),
            match parameters.missing {
                MissingMatches::Any => "every value",
                MissingMatches::Missing => "only missing values",
            }
        )
    }

    fn warning(&self, masked: &Masked) -> Option<String> {
        let Details::Suppression(outcome) = &masked.details else {
            return None;
        };
        let verb = match outcome.on_gaps {
            0 => return None,
            1 => "matches",
            _ => "match",
        };
        Some(format!(
            "{} of {} records {verb} {} or more only because a missing value matches every value; with missing values as a category of \
             their own they match fewer (--missing-matches missing)",
            outcome.on_gaps, masked.statement.records, outcome.k
        ))
    }

    fn remarks(&self, masked: &Masked) -> Vec<String> {
        match &masked.details {
            Details::Suppression(outcome) => remarks(outcome, masked),
            _ => Vec::new(),
        }
    }
}

/// A count with its words.
fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn remarks(outcome: &Outcome, masked: &Masked) -> Vec<String> {
    let Outcome {
        k,
        violators,
        touched,
        emptied,
        rare,
        ..
    } = outcome;
    let records = masked.statement.records;
    let cells: usize = outcome.suppressed.iter().sum();
    let mut remarks: Vec<String> = outcome
        .notes
        .iter()
        .map(|note| format!("note: {note}"))
        .collect();
    let by_rule: usize = outcome.of_categories.iter().sum();
    if by_rule > 0 {
        remarks.push(format!(
            "{by_rule} values of the stated categories went first"
        ));
    }
    if *violators == 0 {
        remarks.push(format!(
            "every record matched at least {k} on the key before: nothing was suppressed to reach that"
        ));
    } else {
        remarks.push(format!(
            "{violators} of {records} records ({}) matched fewer than {k}; now none does: {cells} values of {touched} records were suppressed",
            text::percent(*violators as f64 / records as f64)
        ));
    }
    if *emptied > 0 {
        remarks.push(format!(
            "{} left of the key: there is nothing to find {} by",
            counted(*emptied, "record has nothing", "records have nothing"),
            if *emptied == 1 { "it" } else { "them" }
        ));
    }
    if *rare > 0 {
        remarks.push(format!(
            "note: {} fewer than {k} on the whole key if a gap counts as a category of its own (--missing-matches missing)",
            counted(*rare, "record still agrees with", "records still agree with")
        ));
    }
    let costly: Vec<String> = (masked.effects.iter().zip(&outcome.suppressed))
        .filter(|&(effect, &gone)| gone * 2 > effect.values)
        .map(|(effect, _)| effect.attribute.clone())
        .collect();
    if !costly.is_empty() {
        remarks.push(format!(
            "note: most values went of: {}. Recode such attributes into fewer classes first (mask recode), or take them out of the key",
            costly.join(", ")
        ));
    }
    remarks
}
