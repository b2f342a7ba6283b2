//! What of a result may be published: the external page is made of these, and of nothing else.
//!
//! A loss in the units of an attribute gives values away: where one cell of a file was top-coded, the mean absolute difference times the
//! records, plus the masked value, is the person's value. So figures of loss are published as shares of the whole file only, not by
//! attribute, rounded to a tenth of a percent point, without differences of means, variances and quantiles (of which each is an equation
//! in the values), and not at all where few cells were changed.

use super::{
    document::{Content, Document},
    loss::Loss,
};
use crate::{
    evaluate::measures::{self, Name, Whole},
    figure::Definition,
    loss,
    report::{evaluate::EvaluateReport, figures::FigureRow},
};

/// Fewer changed cells than this, and no loss is published: ten is a usual least number of contributors behind a published
/// aggregate, and a sum of fewer differences, known to a tenth of a percent point, may still say what each was.
pub const MIN_CHANGED: f64 = 10.0;

/// A result without its confidential parts, as far as they are figures of loss.
pub(super) fn of(document: &Document) -> Document {
    let mut document = document.clone();
    match &mut document.content {
        Content::Loss(loss) => of_loss(loss),
        Content::Evaluation(evaluation) => of_evaluation(evaluation),
        _ => {}
    }
    document
}

fn of_loss(loss: &mut Loss) {
    let are_many = changed_cells(loss).is_some_and(|cells| cells >= MIN_CHANGED);
    loss.has_few_changes = !are_many;
    loss.report.measures.clear();
    loss.report.confidential = None;
    for figures in [&mut loss.report.figures, &mut loss.report.analyses] {
        figures.retain(|figure| are_many && is_public(figure));
        for figure in figures {
            figure.parts.clear();
            figure.value = figure.value.map(rounded);
            // How often a denominator is zero is a count of the original.
            (figure.counted, figure.skipped) = (0, 0);
        }
    }
}

/// The cells that were changed, where a result says how many: a share of those that were counted.
fn changed_cells(loss: &Loss) -> Option<f64> {
    let changed = loss
        .report
        .figures
        .iter()
        .find(|figure| figure.key == loss::CHANGED.key)?;
    Some((changed.value? * changed.counted as f64).round())
}

fn is_public(figure: &FigureRow) -> bool {
    figure.value.is_some() && may_be_published(measures::find(&figure.key))
}

/// Whether its definition says so; what no definition knows is not published.
fn may_be_published(what: Option<&Definition>) -> bool {
    what.is_some_and(|what| what.is_public)
}

/// Of all measures of a setting IL, and the losses that are shares; a loss that is there twice, once. None of a setting that says that it
/// changed few cells.
fn of_evaluation(evaluation: &mut EvaluateReport) {
    for setting in &mut evaluation.settings {
        let file = evaluation
            .files
            .iter()
            .find(|file| file.name == setting.setting.file);
        let cells = file.map(|file| file.records as f64 * file.attributes.len() as f64);
        let changed = setting.measures.mean(&Name::Loss(&loss::CHANGED));
        if changed
            .zip(cells)
            .is_some_and(|(share, cells)| (share * cells).round() < MIN_CHANGED)
        {
            setting.measures.0.clear();
            continue;
        }
        let has_il = setting.measures.find(&Name::Whole(Whole::Il)).is_some();
        setting.measures.0.retain(|(name, _)| {
            let is_again = has_il && name.is_il_again();
            !is_again && may_be_published(Some(name.definition()))
        });
        for (_, measure) in &mut setting.measures.0 {
            measure.mean = measure.mean.map(rounded);
            measure.interval = measure.interval.map(|interval| interval.map(rounded));
        }
    }
}

/// A share to a tenth of a percent point: no more than is shown of a large one, where [`crate::report::text::percent`] shows more of a
/// small one.
fn rounded(share: f64) -> f64 {
    (share * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: 0.012 345 of one is 1.2345 %, to a tenth 1.2 %; 0.000 074 is 0.0 %.
    #[test]
    fn shares_are_rounded_to_a_tenth_of_a_percent_point() {
        for (share, shown) in [(0.012_345, "1.2 %"), (0.000_074, "0.0 %")] {
            assert_eq!(crate::report::text::percent(rounded(share)), shown);
        }
    }
}
