//! Of local suppression.

use super::Line;
use crate::{
    mask::{Masked, suppress::Outcome},
    report::text,
    statement::{MissingMatches, SuppressParameters},
};

pub(super) fn headline(parameters: &SuppressParameters) -> String {
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

/// That the k is reached only because gaps match everything.
fn warning(masked: &Masked, outcome: &Outcome) -> Option<Line> {
    let verb = match outcome.on_gaps {
        0 => return None,
        1 => "matches",
        _ => "match",
    };
    Some(Line::Insisted(format!(
        "{} of {} records {verb} {} or more only because a missing value matches every value; with missing values as a category of \
         their own they match fewer (--missing-matches missing)",
        outcome.on_gaps, masked.step.records, outcome.k
    )))
}

/// A count with its words.
fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

pub(super) fn remarks(masked: &Masked, outcome: &Outcome) -> Vec<Line> {
    let Outcome {
        k,
        violators,
        touched,
        emptied,
        rare,
        ..
    } = outcome;
    let records = masked.step.records;
    let cells: usize = outcome.suppressed.iter().sum();
    let mut remarks: Vec<Line> = warning(masked, outcome).into_iter().collect();
    let note = |note: &String| Line::Note(format!("note: {note}"));
    remarks.extend(outcome.notes.iter().map(note));
    let by_rule: usize = outcome.of_categories.iter().sum();
    if by_rule > 0 {
        remarks.push(Line::Note(format!(
            "{by_rule} values of the stated categories went first"
        )));
    }
    if *violators == 0 {
        remarks.push(Line::Note(format!(
            "every record matched at least {k} on the key before: nothing was suppressed to reach that"
        )));
    } else {
        remarks.push(Line::Note(format!(
            "{violators} of {records} records ({}) matched fewer than {k}; now none does: {cells} values of {touched} records were suppressed",
            text::percent(*violators as f64 / records as f64)
        )));
    }
    if *emptied > 0 {
        remarks.push(Line::Note(format!(
            "{} left of the key: there is nothing to find {} by",
            counted(*emptied, "record has nothing", "records have nothing"),
            if *emptied == 1 { "it" } else { "them" }
        )));
    }
    if *rare > 0 {
        remarks.push(Line::Note(format!(
            "note: {} fewer than {k} on the whole key if a gap counts as a category of its own (--missing-matches missing)",
            counted(*rare, "record still agrees with", "records still agree with")
        )));
    }
    let costly: Vec<String> = (masked.effects.iter().zip(&outcome.suppressed))
        .filter(|&(effect, &gone)| gone * 2 > effect.values)
        .map(|(effect, _)| effect.attribute.clone())
        .collect();
    if !costly.is_empty() {
        remarks.push(Line::Note(format!(
            "note: most values went of: {}. Recode such attributes into fewer classes first (mask recode), or take them out of the key",
            costly.join(", ")
        )));
    }
    remarks
}
