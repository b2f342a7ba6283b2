//! What is done with the original before anything else, where a file was masked in other terms than it was collected in.

use super::{Observer, mask::request::RulesFile};
use crate::{
    error::Result,
    mask::recode::Crosswalk,
    report::crosswalk::{CrossedAttribute, CrosswalkSummary},
    table::Table,
};

/// An original in the terms of the masked file.
#[derive(Debug)]
pub(super) struct Crossed {
    /// The table.
    pub table: Table,
    /// What was done, for a report.
    pub summary: CrosswalkSummary,
}

/// The original after these rules; what they did not meet is noted.
///
/// # Errors
/// Input, when the rules make no sense, or not for this table.
pub(super) fn crossed(
    rules: &RulesFile,
    original: &Table,
    observer: &dyn Observer,
) -> Result<Crossed> {
    let crosswalk = Crosswalk::with_files(&rules.file, &rules.text, &rules.files)?;
    let crossed = crosswalk.apply(original)?;
    for note in crossed.notes {
        observer.note(&format!("note: {}: {note}", rules.file));
    }
    let attributes = crosswalk.in_words().iter();
    Ok(Crossed {
        table: crossed.table,
        summary: CrosswalkSummary {
            file: rules.file.clone(),
            attributes: (attributes.cloned())
                .map(|[attribute, how]| CrossedAttribute { attribute, how })
                .collect(),
        },
    })
}
