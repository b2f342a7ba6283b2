//! What a masking did, in lines for a person.

mod copula;
mod fuzzy;
mod ipso;
mod microaggregation;
mod noise;
pub mod pram;
pub mod private;
mod recoding;
mod sampling;
mod suppression;
mod swapping;

use crate::{
    mask::{self, Details, Masked, keeping::WhatWasKept, relations::Broken, sums::Held},
    report::text,
    statement::{Laws, Method, Statement},
    table::Role,
};

/// So many names of a list are shown.
const SHOWN: usize = 12;

/// So many relations that were broken are shown.
const RELATIONS_SHOWN: usize = 6;

/// Fewer records than this are few, and so is one in so many.
const FEW: usize = 10;
const FEW_IN: usize = 20;

/// A line of the summary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// To be known.
    Note(String),
    /// Something is almost certainly not as the user believes.
    Warning(String),
    /// A warning that nothing else which is written would show: the result protects less than its name promises.
    Insisted(String),
}

/// What was done, what it cost, and what the office should know of it. `rules` is the file of the rules, of methods that have one.
pub fn summary(
    masked: &Masked,
    kept: &WhatWasKept,
    broken: &Broken,
    rules: Option<&str>,
) -> Vec<Line> {
    let records = masked.step.records;
    let headline = match &masked.step.method {
        Method::RankSwap(parameters) => swapping::window(parameters, records),
        Method::PBuckets(parameters) => swapping::buckets(parameters, records),
        Method::PDistribution(parameters) => swapping::distribution(parameters),
        Method::Noise(parameters) => noise::headline(parameters),
        Method::Ipso(parameters) => ipso::headline(parameters),
        Method::Microaggregation(parameters) => microaggregation::headline(parameters),
        Method::Fuzzy(parameters) => fuzzy::headline(parameters),
        Method::Copula(parameters) => copula::headline(parameters, records),
        Method::Recode(_) => recoding::headline(masked, rules),
        Method::Suppress(parameters) => suppression::headline(parameters),
        Method::Sample(parameters) => sampling::headline(parameters, masked.step.before()),
        Method::Pram(parameters) => pram::headline(parameters, &masked.step.attributes),
        Method::Swaps(_) => masked.step.method.in_words().into(),
    };
    let mut lines = vec![Line::Note(format!(
        "{}: {records} records, {}{headline}",
        masked.step.method.name(),
        strata(masked)
    ))];
    if !matches!(masked.details, Details::Sample { .. }) {
        lines.push(Line::Note(effects(masked)));
    }
    lines.extend(self::kept(kept, records).into_iter().map(Line::Note));
    lines.extend(self::broken(broken).map(Line::Note));
    lines.extend(respelled(masked));
    lines.extend(remarks(masked));
    lines
}

/// Within which strata it was masked, and that what follows is of the greatest if the others have other parameters: `within strata of
/// region (17 strata, the smallest of 212 records), `.
fn strata(masked: &Masked) -> String {
    let step = &masked.step;
    let Some(smallest) = masked.strata.iter().min() else {
        return String::new();
    };
    let of = text::names(&step.strata, SHOWN);
    let all = match masked.strata.len() {
        1 => "1 stratum of".to_owned(),
        several => format!("{several} strata, the smallest of"),
    };
    let greatest = if step.within.is_empty() {
        ""
    } else {
        "in the greatest "
    };
    format!("within strata of {of} ({all} {smallest} records), {greatest}")
}

/// What the office should know. Of strata, warnings only: what is merely worth knowing of each would be too long.
fn remarks(masked: &Masked) -> Vec<Line> {
    let Details::Strata(each) = &masked.details else {
        return remarks_of(masked, &masked.details);
    };
    let mut said: Vec<(Line, usize)> = Vec::new();
    for line in each
        .iter()
        .flat_map(|details| remarks_of(masked, details))
        .filter(|line| !matches!(line, Line::Note(_)))
    {
        match said.iter_mut().find(|(other, _)| *other == line) {
            Some((_, times)) => *times += 1,
            None => said.push((line, 1)),
        }
    }
    let of_strata = |text: String, times: usize| match each.len() {
        all if times == all => text,
        all => format!("in {times} of {all} strata: {text}"),
    };
    let lines = said.into_iter().map(|(line, times)| match line {
        Line::Note(text) => Line::Note(text),
        Line::Warning(text) => Line::Warning(of_strata(text, times)),
        Line::Insisted(text) => Line::Insisted(of_strata(text, times)),
    });
    lines.collect()
}

fn remarks_of(masked: &Masked, details: &Details) -> Vec<Line> {
    match (details, &masked.step.method) {
        (_, Method::Noise(parameters)) => noise::remarks(masked, parameters),
        (_, Method::Pram(parameters)) => pram::remarks(parameters),
        (Details::Copula(outcome), Method::Copula(parameters)) => {
            copula::remarks(outcome, parameters)
        }
        (Details::Ipso(fit), Method::Ipso(parameters)) => ipso::remarks(masked, fit, parameters),
        (Details::Recoding { suppressed, notes }, _) => {
            recoding::remarks(masked, suppressed, notes)
        }
        (Details::Suppression(outcome), _) => suppression::remarks(masked, outcome),
        (Details::Microaggregation(blocks), _) => microaggregation::remarks(masked, blocks),
        (Details::Fuzzy(blocks), _) => fuzzy::remarks(blocks),
        (
            Details::Sample {
                strata, without, ..
            },
            _,
        ) => sampling::remarks(*strata, *without),
        (
            Details::None
            | Details::Swapping { .. }
            | Details::Copula(_)
            | Details::Ipso(_)
            | Details::Strata(_),
            _,
        ) => Vec::new(),
    }
}

/// What the office should know of attributes that reach the masked file as they were. `earlier` are the steps before the last one. Of
/// a file that keeps its identifiers for evaluation, it is not said what singles out records.
pub fn unmasked(
    masked: &Masked,
    earlier: Option<&Statement>,
    keeps_identifiers: bool,
) -> Vec<Line> {
    let singling = || singling(masked, earlier);
    let singling = (!keeps_identifiers).then(singling).flatten();
    oddly_spelled(masked).into_iter().chain(singling).collect()
}

/// Names what reaches the masked file and singles out records as it stands. A stated role answers whether an attribute is
/// an identifier; numbers that nobody shares single out records in any role but *non-confidential*, unless they are masked, now or by the
/// `earlier` steps.
fn singling(masked: &Masked, earlier: Option<&Statement>) -> Option<Line> {
    let moved_before = earlier.map(Laws::of);
    let table = &masked.table;
    let as_collected = table.ids().filter(|&id| {
        let name = &table.attribute(id).name;
        let is_masked =
            masked.masks(name) || (moved_before.as_ref()).is_some_and(|laws| laws.moves(name));
        !table.has_numbers(id) || !is_masked
    });
    let found: Vec<String> = table
        .singling_among(as_collected)
        .into_iter()
        .filter_map(|(id, singling)| {
            let attribute = table.attribute(id);
            let open = !attribute.has_stated_role()
                || (singling.could_be_amounts() && attribute.role != Role::NonConfidential);
            open.then(|| format!("{} ({})", attribute.name, singling.words()))
        })
        .collect();
    (!found.is_empty()).then(|| Line::Warning(format!(
        "these attributes can single out records of the masked file as they stand: {}. Mask them, or leave them out (--drop); \
         a roles file (--roles) that makes one non-confidential ends this warning of it",
        text::names(&found, SHOWN)
    )))
}

/// What of the spellings of the original is not in the masked file.
fn respelled(masked: &Masked) -> Option<Line> {
    (!masked.respelled.is_empty()).then(|| Line::Note(format!(
        "note: written in one spelling, since quotes, blanks, zeros or marks would say whose value it was: {}",
        text::names(&masked.respelled, SHOWN)
    )))
}

/// What still is.
fn oddly_spelled(masked: &Masked) -> Option<Line> {
    let table = &masked.table;
    let odd: Vec<String> = table
        .ids()
        .filter(|&id| !masked.masks(&table.attribute(id).name))
        .filter_map(|id| {
            let odd = table.oddly_spelled(id);
            (odd > 0 && (odd < FEW || odd * FEW_IN <= table.n_records()))
                .then(|| format!("{} ({odd})", table.attribute(id).name))
        })
        .collect();
    (!odd.is_empty()).then(|| Line::Warning(format!(
        "attributes that were not masked spell few records otherwise than the rest (quotes, blanks, zeros, marks), which singles these out: {}. \
         Mask them, leave them out (--drop), or write them in one way",
        text::names(&odd, SHOWN)
    )))
}

/// What was done to each attribute, for a person, with the information loss where one is defined.
fn effects(masked: &Masked) -> String {
    let lonely = match &masked.details {
        Details::Swapping { without_partner } => Some(without_partner),
        _ => None,
    };
    let loss = mask::information_loss(&masked.effects);
    let mut header = vec!["masked", "values", "changed"];
    header.extend(lonely.map(|_| "without partner"));
    header.extend(loss.map(|_| "SSE/SST"));
    let gaps = match &masked.step.method {
        Method::Copula(_) => "missing, redrawn",
        _ => "missing, kept",
    };
    header.extend([gaps, ""]);
    let rows: Vec<Vec<String>> = masked
        .effects
        .iter()
        .enumerate()
        .map(|(index, effect)| {
            let mut row = vec![
                effect.attribute.clone(),
                effect.values.to_string(),
                format!(
                    "{} ({})",
                    effect.changed,
                    text::percent(effect.changed as f64 / effect.values.max(1) as f64)
                ),
            ];
            // A total that was worked out anew looks for no partner.
            let alone =
                |lonely: &Vec<usize>| lonely.get(index).map_or("-".into(), usize::to_string);
            row.extend(lonely.map(alone));
            row.extend(loss.map(|_| {
                effect
                    .squared_error
                    .map_or("-".into(), |error| format!("{:.6} %", 100.0 * error))
            }));
            row.push(effect.missing.to_string());
            row.push(match (effect.changed, lonely) {
                (0, Some(_)) => {
                    "no value changed: all values are equal, or none found a partner".into()
                }
                (0, None) => "no value changed".into(),
                _ => String::new(),
            });
            row
        })
        .collect();
    let mut out = text::columns(&header, &rows, 1);
    if let Some(loss) = loss {
        out += &format!(
            "information loss, 100 SSE/SST on standardised attributes: {loss:.6} (0 = nothing lost)"
        );
    }
    out.trim_end().to_string()
}

/// What was kept, a sentence each.
fn kept(kept: &WhatWasKept, records: usize) -> Vec<String> {
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
fn broken(broken: &Broken) -> Option<String> {
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
        parts.push(format!("sums: {}", text::names(&sums, RELATIONS_SHOWN)));
    }
    let signs: Vec<String> = (broken.signs.iter())
        .map(|(name, count)| format!("{name} ({count})"))
        .collect();
    if !signs.is_empty() {
        parts.push(format!(
            "signs, negative values where there were none: {}",
            text::names(&signs, RELATIONS_SHOWN)
        ));
    }
    let zeros: Vec<String> = (broken.zeros.iter())
        .map(|(name, gone, come)| format!("{name} ({gone} gone, {come} new)"))
        .collect();
    if !zeros.is_empty() {
        parts.push(format!("zeros: {}", text::names(&zeros, RELATIONS_SHOWN)));
    }
    (!parts.is_empty()).then(|| format!("broken relations of the original: {}", parts.join("; ")))
}
