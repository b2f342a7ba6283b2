//! For the next program: a line an attack, and a line a link.

use std::borrow::Borrow;

use super::{LinkLine, LinkReport, beyond};
use crate::{
    attack::distance_based::Standardize,
    evaluate::link::Claim,
    report::{io_error, spreadsheet},
};

impl LinkReport {
    /// One line a method and case, for the next program.
    ///
    /// # Errors
    /// Never in fact: it writes to memory.
    pub fn to_csv(&self) -> Result<String, csv::Error> {
        let mut writer = spreadsheet::writer(Vec::new());
        let columns = [
            "method",
            "known",
            "n_known",
            "records",
            "correct_fair",
            "correct_strict",
            "correct_optimistic",
            "rate",
            "interval_low",
            "interval_high",
            "baseline",
            "certain",
            "certain_correct",
            "empty",
            "candidates_mean",
            "contains_true",
            "with_partner",
            "rate_of_findable",
            "known_records",
            "masked_records",
            "direction",
            "ties",
            "assign",
            "worst_case",
            "expected",
            "assignment_cost",
            "formula",
            "sample",
            "split",
            "bound",
            "gap",
            "proof",
            "standardize",
            "interval_of_findable_low",
            "interval_of_findable_high",
        ];
        writer.write_record(columns.into_iter().chain(beyond::COLUMNS))?;
        for r in &self.results {
            let scenario = &self.scenario;
            let counts = (
                &r.method,
                r.known.join("+"),
                r.known.len(),
                r.records,
                r.correct.fair,
                r.correct.strict,
                r.correct.optimistic,
                r.rate,
                r.interval[0],
                r.interval[1],
                r.baseline,
                r.certain,
                r.certain_correct,
                r.empty,
            );
            writer.serialize((
                counts,
                r.candidates_mean,
                r.contains_true,
                r.with_partner,
                r.rate_of_findable,
                scenario.known_records,
                scenario.masked_records,
                scenario.direction,
                scenario.ties,
                scenario.assign,
                r.worst_case,
                r.expected,
                r.assignment.as_ref().map(|assignment| assignment.cost),
                &r.formula,
                r.sample,
                (
                    r.split,
                    r.learned.as_ref().map(|learned| learned.bound),
                    r.learned.as_ref().map(|learned| learned.gap),
                    r.learned.as_ref().map(|learned| learned.proof.word()),
                    r.standardize.map(Standardize::word),
                    r.interval_of_findable[0],
                    r.interval_of_findable[1],
                    r.beyond.cells(),
                ),
            ))?;
        }
        spreadsheet::text(writer)
    }
}

impl LinkLine {
    /// The line of a claim; `label` and `sought_label` name records of the two sides.
    pub fn new(
        claim: &Claim,
        label: &dyn Fn(u32) -> String,
        sought_label: &dyn Fn(u32) -> String,
    ) -> Self {
        let linked: Vec<String> = claim.linked.iter().copied().map(sought_label).collect();
        let or_empty = |cell: Option<String>| cell.unwrap_or_default();
        Self {
            record: claim.record,
            cells: [
                label(claim.record),
                linked.join(";"),
                or_empty(claim.distance.map(|distance| distance.to_string())),
                claim.candidates.to_string(),
                claim.tied.to_string(),
                or_empty(claim.rank_of_true.map(|rank| rank.to_string())),
            ],
        }
    }
}

/// The list of links as CSV, one line a record that looked.
///
/// # Errors
/// What the writer answers.
pub fn write_links(
    out: &mut dyn std::io::Write,
    lines: impl Iterator<Item = impl Borrow<LinkLine>>,
) -> std::io::Result<()> {
    let mut writer = spreadsheet::writer(out);
    writer
        .write_record([
            "record",
            "linked",
            "distance",
            "candidates",
            "tied",
            "rank_of_true",
        ])
        .map_err(io_error)?;
    for line in lines {
        writer
            .write_record(&line.borrow().cells)
            .map_err(io_error)?;
    }
    writer.flush()
}
