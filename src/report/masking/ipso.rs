//! Of IPSO.

use super::{Line, SHOWN};
use crate::{
    mask::{Masked, ipso::Fit},
    report::text,
    statement::IpsoParameters,
};

pub(super) fn headline(parameters: &IpsoParameters) -> String {
    format!(
        "variant {}, predicted from {}{}",
        parameters.variant.word(),
        text::names(&parameters.confidential, SHOWN),
        if parameters.intercept {
            ""
        } else {
            " without a constant"
        },
    )
}

pub(super) fn remarks(masked: &Masked, fit: &Fit, parameters: &IpsoParameters) -> Vec<Line> {
    let records = masked.step.records;
    let shares: Vec<String> = masked
        .effects
        .iter()
        .zip(&fit.r_squared)
        .map(|(effect, share)| {
            let share = share.map_or("no spread".into(), text::percent);
            format!("{} {share}", effect.attribute)
        })
        .collect();
    let mut remarks = vec![Line::Note(format!(
        "explained by the confidential attributes (R²): {}",
        shares.join(", ")
    ))];
    remarks.push(Line::Note(format!(
        "fitted on {} of {records} records, by {} independent of {} columns",
        fit.records, fit.rank, fit.columns
    )));
    if !fit.added_nothing.is_empty() {
        remarks.push(Line::Note(format!(
            "note: adds nothing beyond the other confidential attributes: {}",
            text::names(&fit.added_nothing, SHOWN)
        )));
    }
    if fit.records < records {
        remarks.push(Line::Note(format!(
            "note: {} incomplete records are predicted with means for their gaps; what is kept is kept on the complete ones",
            records - fit.records
        )));
    }
    let determined: Vec<&str> = (masked.effects.iter().enumerate())
        .filter(|&(place, _)| fit.determines(place))
        .map(|(_, effect)| effect.attribute.as_str())
        .collect();
    if !determined.is_empty() {
        remarks.push(Line::Warning(format!(
            "determined by the confidential attributes, so the old values come back: {}",
            text::names(&determined, SHOWN)
        )));
    }
    let following: Vec<&str> = (masked.effects.iter().enumerate())
        .filter(|&(place, _)| fit.residual_follows[place] && !fit.determines(place))
        .map(|(_, effect)| effect.attribute.as_str())
        .collect();
    if !following.is_empty() {
        remarks.push(Line::Note(format!(
            "note: a combination of the confidential attributes and the replaced ones before it, and stays one: {}",
            text::names(&following, SHOWN)
        )));
    }
    if fit.reproduced > 0 {
        remarks.push(Line::Warning(format!(
            "{} record{} so alone in the confidential attributes that the fit returns the old values",
            fit.reproduced,
            if fit.reproduced == 1 { " is" } else { "s are" }
        )));
    }
    if parameters.rounded {
        remarks.push(Line::Note("note: new values have the decimals of their attribute, so coefficients and spread are kept nearly; --decimals full keeps them exactly".into()));
    }
    remarks
}
