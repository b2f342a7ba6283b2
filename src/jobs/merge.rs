//! `merge` as a job: the parts of a plan of experiments, of a search, or of a call of `link`, `risk` or `mask`, go in, what one run makes comes out.

use std::collections::BTreeMap;

use crate::{
    error::{Error, Result},
    evaluate::grid::Row,
    report::{
        evaluate::EvaluateReport,
        link::{Attempts, LinkLine, LinkReport},
        measurements::Measurements,
        part::{Columns, Part, PartInput, Work},
        provenance::Provenance,
        risk::RiskReport,
        search::{SearchReport, Searched},
        text,
    },
    table::pieces::ColumnText,
};

/// So many parts that are missing are named.
const NAMES_SHOWN: usize = 12;

/// What parts make: the report of one run, byte for byte.
#[derive(Debug)]
pub enum Merged {
    /// Of a plan, which comes first among the inputs: all files that were read for it.
    Evaluate(Box<EvaluateReport>, Vec<PartInput>),
    /// Of a search: its answer, and all settings that were tried; the inputs are as those of a plan.
    Search(Box<SearchReport>, Box<EvaluateReport>, Vec<PartInput>),
    /// Of attacks, with the list of links if it was asked for; JSON has the provenance.
    Link(Box<LinkReport>, Option<Vec<LinkLine>>, Provenance),
    /// Of the measures of risk: the report, with its provenance.
    Risk(Box<RiskReport>),
    /// Of a masking: the masked file with all its columns, and its statement.
    Mask(Box<Columns>),
}

/// The whole of these parts, each with its name for messages, in any order. Means and fronts are made of the rows of all masked files,
/// by the code that makes those of one run, so no figure depends on the cut. `format` is what the provenance says of `--format`.
///
/// # Errors
/// Usage, without parts. Input, when one is of another request or of other inputs than the first, or is there twice, or is missing.
pub fn run(mut parts: Vec<(String, Part)>, format: Option<&str>) -> Result<Merged> {
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
    let Part {
        inputs,
        mut provenance,
        work,
        ..
    } = one.clone();
    if let Some(format) = format {
        provenance.say_format(format);
    }
    parts.sort_by_key(|(_, part)| part.shard.number());
    let works = parts.into_iter().map(|(_, part)| part.work);
    Ok(match work {
        Work::Evaluate(whole) => {
            let rows = works.flat_map(|work| match work {
                Work::Evaluate(cells) => cells.rows,
                _ => Vec::new(),
            });
            let rows: BTreeMap<usize, Row> = rows.map(|row| (row.cell, row.row)).collect();
            let mut report = whole.asked.report(rows.into_values().collect());
            report.provenance = Some(provenance);
            Merged::Evaluate(Box::new(report), inputs)
        }
        Work::Search(whole) => {
            let searched = works.flat_map(|work| match work {
                Work::Search(searches) => searches.maskings,
                _ => Vec::new(),
            });
            let mut searched: Vec<Searched> = searched.collect();
            searched.sort_by_key(|one| one.masking);
            let (report, grid) = whole.wanted.reports(&searched, provenance);
            Merged::Search(Box::new(report), Box::new(grid), inputs)
        }
        Work::Link(whole) => {
            let attempts = works.filter_map(|work| match work {
                Work::Link(attempts) => Some(*attempts),
                _ => None,
            });
            let joined = Attempts::joined(attempts.collect());
            let (report, links) = joined.unwrap_or((whole.asked, whole.links));
            Merged::Link(Box::new(report), links, provenance)
        }
        Work::Risk(_) => {
            let pieces = works.filter_map(|work| match work {
                Work::Risk(pieces) => Some(*pieces),
                _ => None,
            });
            let mut report = Measurements::joined(pieces.collect())?;
            report.provenance = Some(provenance);
            Merged::Risk(Box::new(report))
        }
        Work::Mask(whole) => {
            let columns = works.flat_map(|work| match work {
                Work::Mask(columns) => columns.columns,
                _ => Vec::new(),
            });
            let mut columns: Vec<ColumnText> = columns.collect();
            columns.sort_by_key(|column| column.place);
            Merged::Mask(Box::new(Columns { columns, ..*whole }))
        }
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
    } else if one.provenance != other.provenance
        || one.words != other.words
        || !are_of_the_same(&one.work, &other.work)
    {
        Some("is a part of another call".into())
    } else {
        None
    }
}

fn are_of_the_same(one: &Work, other: &Work) -> bool {
    match (one, other) {
        (Work::Evaluate(one), Work::Evaluate(other)) => one.asked == other.asked,
        (Work::Search(one), Work::Search(other)) => one.wanted == other.wanted,
        (Work::Link(one), Work::Link(other)) => one.fit(other),
        (Work::Risk(one), Work::Risk(other)) => one.fit(other),
        (Work::Mask(one), Work::Mask(other)) => {
            one.frame == other.frame && one.statement == other.statement
        }
        (
            Work::Evaluate(_) | Work::Search(_) | Work::Link(_) | Work::Risk(_) | Work::Mask(_),
            _,
        ) => false,
    }
}
