//! `merge` as a job: the parts of a plan of experiments go in, the report of one run comes out.

use std::collections::BTreeMap;

use crate::{
    error::{Error, Result},
    evaluate::grid::Row,
    report::{
        evaluate::EvaluateReport,
        part::{Part, PartInput},
        text,
    },
};

/// So many parts that are missing are named.
const NAMES_SHOWN: usize = 12;

/// What parts make.
#[derive(Debug)]
pub struct Merged {
    /// The report of one run, byte for byte.
    pub report: EvaluateReport,
    /// The plan, and every file that was read for it.
    pub inputs: Vec<PartInput>,
}

/// The whole of these parts, each with its name for messages, in any order. Means and fronts are made of the rows of all masked files,
/// by the code that makes those of one run, so no figure depends on the cut.
///
/// # Errors
/// Usage, without parts. Input, when one is of another request or of other inputs than the first, or is there twice, or is missing.
pub fn run(parts: Vec<(String, Part)>) -> Result<Merged> {
    let Some((first, one)) = parts.first() else {
        return Err(Error::usage("there are no parts to merge"));
    };
    for (name, part) in &parts[1..] {
        if let Some(differs) = difference(one, part) {
            return Err(Error::input(format!("{differs} than {first}"))
                .in_file(name)
                .remedy("Merge the parts of one call, with the same plan and the same files on all machines"));
        }
    }
    let mut names: BTreeMap<usize, &str> = BTreeMap::new();
    for (name, part) in &parts {
        if let Some(other) = names.insert(part.shard.number(), name) {
            return Err(
                Error::input(format!("is part {}, as {other} is", part.shard))
                    .in_file(name)
                    .remedy("Name each part once"),
            );
        }
    }
    let of = one.shard.of();
    let missing = (1..=of).filter(|number| !names.contains_key(number));
    let missing: Vec<String> = missing.map(|number| format!("{number}/{of}")).collect();
    if !missing.is_empty() {
        let (noun, verb) = match missing.len() {
            1 => ("part", "is"),
            _ => ("parts", "are"),
        };
        let shown = text::names(&missing, NAMES_SHOWN);
        return Err(Error::input(format!("{noun} {shown} {verb} missing"))
            .remedy("Make what is missing with --shard, and name all parts"));
    }
    let whole = one.clone();
    let rows: BTreeMap<usize, Row> = (parts.into_iter())
        .flat_map(|(_, part)| part.rows)
        .map(|row| (row.cell, row.row))
        .collect();
    let mut report = whole.evaluate.report(rows.into_values().collect());
    report.provenance = Some(whole.provenance);
    Ok(Merged {
        report,
        inputs: whole.inputs,
    })
}

/// What keeps a part from being one of the same work, in words before "than".
fn difference(one: &Part, other: &Part) -> Option<String> {
    let sums = |part: &Part| -> Vec<String> {
        let inputs = part.inputs.iter();
        inputs.map(|input| input.sha256.clone()).collect()
    };
    let pairs = || one.inputs.iter().zip(&other.inputs);
    if let Some((_, input)) = pairs().find(|(a, b)| a.sha256 != b.sha256) {
        Some(format!("was made of another {}", input.name))
    } else if sums(one) != sums(other) {
        Some("was made of other files".into())
    } else if one.shard.of() != other.shard.of() {
        Some(format!(
            "is one of {} parts, and of another cut",
            other.shard.of()
        ))
    } else if one.provenance != other.provenance || one.evaluate != other.evaluate {
        Some("is a part of another call".into())
    } else {
        None
    }
}
