//! `--keep-sums` and `--keep-zeros`, and what every summary says of sums, signs and zeros.

use clap::Args;

use crate::{
    cli::console::Console,
    error::Result,
    mask::{
        keeping::{Keeping, WhatWasKept},
        relations::Broken,
        sums::{Held, Sum},
    },
    report::text,
    table::{AttrId, Table},
};

/// How far zeros move, in percent of the records, unless it is said.
const WITHIN: f64 = 5.0;

/// So many names of a list are shown.
const SHOWN: usize = 6;

/// What is kept beside the method.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "What is kept")]
pub(super) struct KeepArgs {
    /// A total that is worked out anew from its masked parts, exactly: 'total=a+b'; repeat it for more totals
    #[arg(long, value_name = "TOTAL=A+B")]
    keep_sums: Vec<String>,
    /// Zeros stay zeros: which attributes of a record are zero moves as a whole between records of similar size, and other
    /// values are masked among themselves
    #[arg(long)]
    keep_zeros: bool,
    /// How far zeros move at most, in percent of the records in the order of their size [default: 5]
    #[arg(long, value_name = "PERCENT")]
    zeros_within: Option<f64>,
}

impl KeepArgs {
    /// Checked against a table; sums that do not hold everywhere are warned of.
    pub(super) fn keeping(&self, table: &Table, console: &Console) -> Result<Keeping> {
        let within = self.zeros_within.unwrap_or(WITHIN);
        let zeros = self.keep_zeros.then_some(within);
        if self.zeros_within.is_some() && zeros.is_none() {
            console.unused("--zeros-within has no effect without --keep-zeros")?;
        }
        let keeping = Keeping::new(table, &self.keep_sums, zeros)?;
        for exception in keeping.exceptions(table) {
            console.warn(&exception)?;
        }
        Ok(keeping)
    }

    /// The totals that are worked out anew.
    pub(super) fn totals(&self, table: &Table) -> Result<Vec<AttrId>> {
        let sums = self.keep_sums.iter();
        sums.map(|text| Ok(Sum::parse(table, text)?.total))
            .collect()
    }

    /// Whether it draws.
    pub(super) fn is_random(&self) -> bool {
        self.keep_zeros
    }
}

/// What was kept, a sentence each.
pub(super) fn kept(kept: &WhatWasKept, records: usize) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(zeros) = &kept.zeros {
        lines.push(format!(
            "zeros moved as patterns: {} of {records} records have other zeros than before (window {} places); as many records as before have each pattern",
            zeros.records, zeros.published.window
        ));
    }
    for (total, now_missing) in kept.now_missing.iter().filter(|(_, count)| *count > 0) {
        let records = match now_missing {
            1 => "1 record that misses".to_owned(),
            several => format!("{several} records that miss"),
        };
        lines.push(format!(
            "{total} is missing now in {records} a part of it: it would be the original's"
        ));
    }
    lines
}

/// What was broken of the original's relations, for a person; `None` if nothing was.
pub(super) fn broken(broken: &Broken) -> Option<String> {
    let mut parts = Vec::new();
    let sums: Vec<String> = (broken.sums.iter())
        .map(|(sum, Held { holds, of }, now)| {
            format!(
                "{sum} (held in {holds} of {of} records, holds in {} of {})",
                now.holds, now.of
            )
        })
        .collect();
    if !sums.is_empty() {
        parts.push(format!("sums: {}", text::names(&sums, SHOWN)));
    }
    let signs: Vec<String> = (broken.signs.iter())
        .map(|(name, count)| format!("{name} ({count})"))
        .collect();
    if !signs.is_empty() {
        parts.push(format!(
            "signs, negative values where there were none: {}",
            text::names(&signs, SHOWN)
        ));
    }
    let zeros: Vec<String> = (broken.zeros.iter())
        .map(|(name, gone, come)| format!("{name} ({gone} gone, {come} new)"))
        .collect();
    if !zeros.is_empty() {
        parts.push(format!("zeros: {}", text::names(&zeros, SHOWN)));
    }
    (!parts.is_empty()).then(|| format!("broken relations of the original: {}", parts.join("; ")))
}
