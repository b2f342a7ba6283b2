//! Of additive noise.

use super::{Line, SHOWN};
use crate::{mask::Masked, report::text, statement::NoiseParameters, table::AttrId};

pub(super) fn headline(parameters: &NoiseParameters) -> String {
    let mut parts = vec![format!(
        "{} noise with a standard deviation of {} of the attribute's (level {})",
        if parameters.correlated {
            "correlated"
        } else {
            "independent"
        },
        text::percent(parameters.level.sqrt()),
        parameters.level
    )];
    if parameters.restored {
        parts.push("means and standard deviations restored".into());
    }
    if parameters.rounded {
        parts.push("rounded to the decimals of each attribute".into());
    }
    parts.join(", ")
}

pub(super) fn remarks(masked: &Masked, parameters: &NoiseParameters) -> Vec<Line> {
    let mut remarks = Vec::new();
    if parameters.level > 1.0 {
        remarks.push(Line::Warning(format!(
            "the noise has {} times the variance of the data (level is a share, not a percentage)",
            parameters.level
        )));
    }
    let (complete, records) = (complete(masked), masked.step.records);
    if parameters.correlated && complete < records {
        remarks.push(Line::Note(format!(
            "note: correlations from {complete} of {records} records: the others miss a masked attribute"
        )));
    }
    let unmasked = unmasked(masked);
    if !unmasked.is_empty() {
        remarks.push(Line::Warning(format!(
            "the noise was lost by rounding, so the old values are in the masked file: {}",
            text::names(&unmasked, SHOWN)
        )));
    }
    remarks
}

/// How many records miss no masked attribute.
fn complete(masked: &Masked) -> usize {
    let table = &masked.table;
    let on: Vec<AttrId> = (masked.effects.iter())
        .filter_map(|effect| table.find(&effect.attribute).ok())
        .collect();
    let is_complete = |&record: &usize| !on.iter().any(|&id| table.is_missing(record, id));
    (0..table.n_records()).filter(is_complete).count()
}

/// The attributes of different values of which none has changed.
fn unmasked(masked: &Masked) -> Vec<&str> {
    let varies = |name: &str| {
        let id = masked.table.find(name).ok();
        id.and_then(|id| masked.table.numbers(id))
            .is_some_and(|numbers| {
                let mut present = (numbers.values.iter().enumerate())
                    .filter(|&(record, _)| !numbers.missing.contains(record))
                    .map(|(_, &value)| value);
                let first = present.next();
                present.any(|value| Some(value) != first)
            })
    };
    (masked.effects.iter())
        .filter(|effect| effect.changed == 0 && varies(&effect.attribute))
        .map(|effect| effect.attribute.as_str())
        .collect()
}
