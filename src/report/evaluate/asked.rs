//! What a plan asks for, and the report of it once its masked files have rows.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{EvaluateReport, FileSummary, PlanSummary};
use crate::evaluate::{
    grid::{Row, Setting},
    plan::Published,
    summary,
};

/// All of a report of `evaluate` but what was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Asked {
    /// What was asked for.
    pub plan: PlanSummary,
    /// The originals, with their sizes.
    pub files: Vec<FileSummary>,
    /// The settings, in the order of originals, maskings, and values.
    pub settings: Vec<Setting>,
    /// Published figures, to stand beside the measured ones.
    pub published: Vec<Published>,
    /// Masked files of all settings.
    pub masked_files: usize,
}

impl Asked {
    /// The report of the settings that have rows; these are in the order of settings and runs.
    pub fn report(self, rows: Vec<Row>) -> EvaluateReport {
        let with_rows: BTreeSet<usize> = rows.iter().map(|row| row.setting).collect();
        let mut settings = self.settings;
        settings.retain(|setting| with_rows.contains(&setting.setting));
        let settings = summary::summaries(&settings, &rows, &self.published);
        EvaluateReport::new(self.plan, self.files, rows, settings)
    }
}
