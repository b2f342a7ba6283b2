//! What the searches of a plan's maskings found, and the reports of it once all of them are there.
//!
//! A masking is searched by itself: what is tried next depends on what was found at its own settings only.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Best, Masking, RangeSummary, SCHEMA, SearchReport, Visit};
use crate::{
    evaluate::{
        grid::{Row, Setting},
        plan::Published,
        search::{Side, Trial},
        status::Status,
    },
    report::{
        evaluate::{self, EvaluateReport, FileSummary, PlanSummary, warnings},
        provenance::Provenance,
        text,
    },
};

/// All of a report of `search` but what was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Wanted {
    /// What was asked for.
    pub plan: PlanSummary,
    /// The limit: a share of records.
    pub risk_at_most: f64,
    /// Key of the measure of loss.
    pub loss: String,
    /// The originals, with their sizes.
    pub files: Vec<FileSummary>,
    /// Published figures, to stand beside the measured ones.
    pub published: Vec<Published>,
    /// Maskings of all originals: each is searched by itself.
    pub maskings: usize,
}

/// What the search of one masking of one original found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Searched {
    /// Its number among all maskings, from 0.
    pub masking: usize,
    /// The number of its original, from 0.
    pub original: usize,
    /// The masking method.
    pub method: String,
    /// What it is called, without the option that is searched for.
    pub label: String,
    /// The option that is searched for, with the ends of its range.
    pub range: Option<RangeSummary>,
    /// The value with the least loss below the limit; `null` where no value is below it.
    pub found: Option<f64>,
    /// What masks the file with that value.
    pub command: Option<String>,
    /// The settings that were tried, in the order in which they were asked for.
    pub tried: Vec<Tried>,
    /// What was found on each masked file, round by round of the search; rows have the place of their setting in `tried`.
    pub rounds: Vec<Vec<Row>>,
}

/// A setting that was tried.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Tried {
    /// The value of the option that is searched for; 0 where there is none.
    pub value: f64,
    /// How many masked files it can have.
    pub all: u32,
    /// What is masked how.
    pub setting: Setting,
}

impl Wanted {
    /// The report of all maskings, which are in the order of their numbers, and that of all settings that were tried.
    pub fn reports(
        self,
        searched: &[Searched],
        provenance: Provenance,
    ) -> (SearchReport, EvaluateReport) {
        let (settings, rows) = in_order(searched);
        let trials: Vec<Vec<Trial>> = (searched.iter())
            .map(|one| one.trials(&self.loss))
            .collect();
        let with_trials = || searched.iter().zip(&trials);
        let maskings: Vec<Masking> = with_trials()
            .map(|(one, trials)| one.masking(&self.files, trials))
            .collect();
        let report = SearchReport {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION"),
            status: Status::limited(
                (rows.iter().flat_map(|row| &row.attacks))
                    .any(|attack| attack.status == Status::Limit),
            ),
            warnings: warnings(&rows),
            plan: self.plan.clone(),
            risk_at_most: self.risk_at_most,
            loss: self.loss.clone(),
            files: self.files.clone(),
            best: self.best(searched, &maskings),
            notes: self.notes(with_trials(), &maskings),
            maskings,
            provenance: Some(provenance.clone()),
        };
        let grid = evaluate::Asked {
            plan: self.plan,
            files: self.files,
            settings,
            published: self.published,
            masked_files: rows.len(),
        };
        let mut grid = grid.report(rows);
        grid.provenance = Some(provenance);
        (report, grid)
    }

    /// For each original the masking with the least loss, and the command that makes it.
    fn best(&self, searched: &[Searched], maskings: &[Masking]) -> Vec<Best> {
        let best = |(number, file): (usize, &FileSummary)| {
            let losses = (searched.iter().zip(maskings).enumerate())
                .filter(|(_, (one, _))| one.original == number)
                .filter_map(|(place, (one, masking))| {
                    let command = one.command.as_ref()?;
                    Some((place, command, masking.chosen.as_ref()?.loss?))
                });
            let (masking, command, _) =
                losses.reduce(|least, next| if next.2 < least.2 { next } else { least })?;
            Some(Best {
                file: file.name.clone(),
                masking,
                command: command.clone(),
            })
        };
        self.files.iter().enumerate().filter_map(best).collect()
    }

    fn notes<'a>(
        &self,
        searched: impl Iterator<Item = (&'a Searched, &'a Vec<Trial>)> + Clone,
        maskings: &[Masking],
    ) -> Vec<String> {
        let mut notes = vec![
            "note: the limit holds for the mean over people, in these scenarios and for these attacks. Extremes are found more often than \
             others: 'sdcrisk link' on the masked file reports them."
                .to_string(),
        ];
        let unattacked = searched.clone().filter(|(one, _)| !one.was_attacked());
        let labels = unattacked.filter_map(|(one, _)| Some(&one.tried.first()?.setting.label));
        notes.extend(labels.map(|label| {
            format!("note: no attack of the plan applies to {label}: nothing is known of its risk")
        }));
        let limit = text::percent(self.risk_at_most);
        let mixed = searched.filter(|(one, trials)| one.is_mixed(trials, self.risk_at_most));
        notes.extend(mixed.map(|(one, _)| {
            format!(
                "note: along its range the risk of {} crosses {limit} more than once: a setting with less loss may have been missed",
                one.method
            )
        }));
        // Maskings that were found but have no loss cannot be compared.
        let lacking = maskings.iter().filter(|masking| {
            let chosen = masking.chosen.as_ref();
            masking.found && chosen.is_some_and(|visit| visit.loss.is_none())
        });
        notes.extend(lacking.map(|masking| {
            format!(
                "note: {} is not defined for {} of {}, which is not compared with the others",
                self.loss, masking.label, masking.file
            )
        }));
        notes
    }
}

impl Searched {
    /// Whether everything that it names is there, with so many originals.
    pub fn is_whole(&self, originals: usize) -> bool {
        let mut has_rows = vec![false; self.tried.len()];
        let are_of_settings = self.rows().all(|row| {
            let own = has_rows.get_mut(row.setting);
            own.map(|has_rows| *has_rows = true).is_some()
        });
        let was_tried = |found: f64| self.tried.iter().any(|tried| tried.is_at(found));
        are_of_settings
            && has_rows.into_iter().all(|has_rows| has_rows)
            && self.original < originals
            && self.found.is_none_or(was_tried)
            && self.found.is_some() == self.command.is_some()
    }

    fn rows(&self) -> impl Iterator<Item = &Row> {
        self.rounds.iter().flatten()
    }

    /// What is known of each setting.
    fn trials(&self, loss: &str) -> Vec<Trial> {
        let of_setting = |(place, tried): (usize, &Tried)| {
            let rows: Vec<&Row> = self.rows().filter(|row| row.setting == place).collect();
            Trial::of(&rows, tried.all, loss)
        };
        self.tried.iter().enumerate().map(of_setting).collect()
    }

    /// The settings with their trials, in the order of values.
    fn along<'a>(&'a self, trials: &'a [Trial]) -> Vec<(&'a Tried, &'a Trial)> {
        let mut along: Vec<_> = self.tried.iter().zip(trials).collect();
        along.sort_by(|(a, _), (b, _)| a.value.total_cmp(&b.value));
        along
    }

    /// What the report says of it.
    fn masking(&self, files: &[FileSummary], trials: &[Trial]) -> Masking {
        let along = self.along(trials);
        let visit = |(tried, trial): &(&Tried, &Trial)| {
            let value = self.range.as_ref().map(|_| tried.value);
            Visit::new(tried.setting.parameters.clone(), value, trial)
        };
        let chosen = match self.found {
            Some(found) => along.iter().find(|(tried, _)| tried.is_at(found)),
            // The one with the least risk.
            None => along.iter().min_by(|(_, a), (_, b)| {
                let risk = |trial: &Trial| {
                    let strongest = trial.strongest.as_ref();
                    strongest.map_or(f64::INFINITY, |risk| risk.mean)
                };
                risk(a).total_cmp(&risk(b))
            }),
        };
        let file = files.get(self.original);
        Masking {
            file: file.map(|file| file.name.clone()).unwrap_or_default(),
            method: self.method.clone(),
            label: self.label.clone(),
            range: self.range.clone(),
            found: self.found.is_some(),
            chosen: chosen.map(visit),
            tried: along.iter().map(visit).collect(),
        }
    }

    /// Whether an attack was run on its first setting.
    fn was_attacked(&self) -> bool {
        let of_first = self.rows().filter(|row| row.setting == 0);
        let mut attacks = of_first.flat_map(|row| &row.attacks);
        attacks.any(|attack| attack.rate.is_some())
    }

    /// Whether risk crosses the limit more than once along the range.
    fn is_mixed(&self, trials: &[Trial], limit: f64) -> bool {
        let along = self.along(trials).into_iter();
        let mut sides: Vec<Side> = along.map(|(_, trial)| trial.side(limit)).collect();
        sides.dedup();
        sides.len() > 2
    }
}

impl Tried {
    fn is_at(&self, value: f64) -> bool {
        self.value.total_cmp(&value).is_eq()
    }
}

/// The settings and the masked files of all maskings in the order in which one run asks for them: round by round, and in a round masking
/// by masking. A setting is made for its first masked file.
fn in_order(searched: &[Searched]) -> (Vec<Setting>, Vec<Row>) {
    let rounds = searched.iter().map(|one| one.rounds.len()).max();
    let mut numbers: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    let (mut settings, mut rows) = (Vec::new(), Vec::new());
    for round in 0..rounds.unwrap_or(0) {
        for (place, one) in searched.iter().enumerate() {
            for row in one.rounds.get(round).into_iter().flatten() {
                let setting = *numbers.entry((place, row.setting)).or_insert_with(|| {
                    let number = settings.len();
                    let tried = one.tried.get(row.setting);
                    settings.extend(tried.map(|tried| Setting {
                        setting: number,
                        ..tried.setting.clone()
                    }));
                    number
                });
                rows.push(Row {
                    setting,
                    ..row.clone()
                });
            }
        }
    }
    (settings, rows)
}
