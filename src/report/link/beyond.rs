//! Beyond the mean rate: people who stand out, and the links that an attack is surest of.

use serde::{Deserialize, Serialize};

use super::{LinkReport, LinkResult};
use crate::{
    evaluate::{
        beyond::{Beyond, Part, SureBy},
        score::Ties,
    },
    report::text,
};

/// The rates of one attack beyond its mean. Parts without anybody are left out.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct BeyondSummary {
    /// Of those in the top or bottom 1 % of a known attribute of the original.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extremes: Option<PartSummary>,
    /// Of the 1 % of originals with the greatest Mahalanobis distance from the mean, by the known attributes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub far: Option<PartSummary>,
    /// Of the 1 % of links that the attack is surest of, and all that it is as sure of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub surest: Option<PartSummary>,
    /// By what it is sure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sure_by: Option<SureBy>,
}

/// How an attack fared with a part of those who looked. Rates are fractions, counts are numbers of records.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PartSummary {
    /// Records of the part that looked for a partner.
    pub records: u64,
    /// Those of them that have one.
    pub with_partner: u64,
    /// Correct links under the rule for ties asked for.
    pub correct: f64,
    /// Correct links per record.
    pub rate: f64,
    /// Wilson interval of the rate at 95 %.
    pub interval: [f64; 2],
    /// The rate of random guessing.
    pub baseline: f64,
}

impl BeyondSummary {
    /// Under a rule for ties.
    pub fn new(beyond: &Beyond, ties: Ties) -> Self {
        let part = |part: &Part| PartSummary {
            records: part.records,
            with_partner: part.with_partner,
            correct: part.correct(ties),
            rate: part.rate(ties),
            interval: part.interval(ties).into(),
            baseline: part.baseline,
        };
        let surest = beyond.surest.as_ref().map(part);
        Self {
            extremes: beyond.extremes.as_ref().map(part),
            far: beyond.far.as_ref().map(part),
            sure_by: beyond.sure_by.filter(|_| surest.is_some()),
            surest,
        }
    }

    /// The rates that a limit for extremes is about, in words.
    pub fn of_extremes(&self) -> impl Iterator<Item = (f64, &'static str)> {
        [
            (
                self.extremes,
                "the rate among extremes (top or bottom 1 % of a known attribute)",
            ),
            (self.far, "the rate among the 1 % farthest from the mean"),
        ]
        .into_iter()
        .filter_map(|(part, what)| part.map(|part| (part.rate, what)))
    }

    /// The cells of a line of CSV.
    pub(super) fn cells(&self) -> Vec<String> {
        let mut cells = Vec::new();
        for part in [self.extremes, self.far, self.surest] {
            match part {
                None => cells.extend(vec![String::new(); 5]),
                Some(part) => {
                    let [low, high] = part.interval;
                    cells.push(part.records.to_string());
                    cells.extend(
                        [part.correct, part.rate, low, high].map(|number| number.to_string()),
                    );
                }
            }
        }
        cells.push(self.sure_by.map_or("", SureBy::word).to_owned());
        cells
    }
}

/// The names of the cells of a line of CSV.
pub(super) const COLUMNS: [&str; 16] = [
    "extremes_records",
    "extremes_correct",
    "extremes_rate",
    "extremes_interval_low",
    "extremes_interval_high",
    "far_records",
    "far_correct",
    "far_rate",
    "far_interval_low",
    "far_interval_high",
    "surest_records",
    "surest_correct",
    "surest_rate",
    "surest_interval_low",
    "surest_interval_high",
    "sure_by",
];

impl LinkReport {
    /// A line an attack: what its mean rate does not say. Nothing, where nobody stands out.
    pub(super) fn beyond_table(&self) -> String {
        let stated = |result: &LinkResult| result.beyond != BeyondSummary::default();
        if !self.results.iter().any(stated) {
            return String::new();
        }
        let header = [
            "beyond the mean",
            "known",
            "extremes",
            "95 % interval",
            "far from the mean",
            "95 % interval",
            "surest links",
            "95 % interval",
        ];
        let cells = |part: Option<PartSummary>| match part {
            None => ["–".to_owned(), String::new()],
            Some(part) => [
                format!(
                    "{} of {} ({})",
                    text::count(part.correct),
                    part.records,
                    text::percent(part.rate)
                ),
                format!(
                    "{} to {}",
                    text::percent(part.interval[0]),
                    text::percent(part.interval[1])
                ),
            ],
        };
        let rows: Vec<Vec<String>> = (self.results.iter())
            .map(|result| {
                let beyond = &result.beyond;
                let mut row = vec![result.method.to_owned(), self.case_label(result)];
                for part in [beyond.extremes, beyond.far, beyond.surest] {
                    row.extend(cells(part));
                }
                row
            })
            .collect();
        format!("\n{}", text::columns(&header, &rows, 2))
    }

    /// What the table means; `None` without one.
    pub(super) fn beyond_in_words(&self) -> Option<String> {
        let beyond = self.results.iter().map(|result| &result.beyond);
        let part = |test: &dyn Fn(&BeyondSummary) -> bool| beyond.clone().any(test);
        part(&|beyond| *beyond != BeyondSummary::default()).then(|| {
            "A mean rate can hide people who stand out: extremes are in the top or bottom 1 % of a known attribute of the original, \
             far from the mean is the top 1 % in Mahalanobis distance of the known attributes, and the surest links are the 1 % that the attack is \
             surest of (by stated probability, else by fewest candidates, smallest distance and fewest ties)."
                .to_owned()
        })
    }
}
