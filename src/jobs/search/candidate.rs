//! A masking whose value is looked for: its range, and the settings that were tried.

use serde_json::{Number, Value};

use super::Maker;
use crate::{
    error::Result,
    evaluate::{
        plan::{PlannedMask, PlannedOption},
        search::{self, Next, Range, Trial},
    },
    jobs::evaluate::Grid,
};

/// A masking of an original whose value is looked for.
#[derive(Debug)]
pub(super) struct Candidate {
    /// Its number among all of the plan.
    pub number: usize,
    /// Which original.
    pub original: usize,
    pub mask: PlannedMask,
    /// Its options but the one with the range.
    pub options: Vec<PlannedOption>,
    /// The range; `None` where the plan leaves nothing to find.
    pub range: Option<Range>,
    /// The settings that were tried: the value, and the number of the setting.
    pub settings: Vec<(f64, usize)>,
    /// Masked files of a setting.
    pub all: u32,
    /// What came out, once it is known.
    pub outcome: Option<Outcome>,
}

/// What came out of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Outcome {
    /// This value has the least loss below the limit.
    Found(f64),
    /// No value is below the limit.
    Nowhere,
}

impl Outcome {
    /// The value that was found.
    pub fn value(self) -> Option<f64> {
        match self {
            Self::Found(value) => Some(value),
            Self::Nowhere => None,
        }
    }
}

/// The maskings of a plan, for each original.
pub(super) fn candidates(grid: &Grid) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    for (place, original) in grid.originals.iter().enumerate() {
        let file = &grid.plan.files[original.place];
        for mask in grid.plan.masks.iter().filter(|mask| mask.is_for(file)) {
            for options in &mask.settings {
                candidates.push(Candidate {
                    number: candidates.len(),
                    original: place,
                    mask: mask.clone(),
                    options: options.clone(),
                    range: None,
                    settings: Vec::new(),
                    all: 1,
                    outcome: None,
                });
            }
        }
    }
    candidates
}

impl Candidate {
    /// Its options with a value for the one that has a range.
    pub fn with(&self, value: f64) -> Vec<PlannedOption> {
        let mut options = self.options.clone();
        if let Some(range) = &self.mask.range {
            options.push(PlannedOption {
                step: range.step,
                name: range.name.clone(),
                value: number(value),
                line: range.line,
            });
        }
        options
    }

    /// The number of the setting with this value, if it was tried.
    pub fn tried(&self, value: f64) -> Option<usize> {
        let of_value = |&&(tried, _): &&(f64, usize)| tried.total_cmp(&value).is_eq();
        Some(self.settings.iter().find(of_value)?.1)
    }

    /// The number of the setting with this value, which is made if it was not tried.
    pub fn setting(&mut self, value: f64, grid: &mut Grid, maker: &dyn Maker) -> Result<usize> {
        if let Some(setting) = self.tried(value) {
            return Ok(setting);
        }
        let options = self.with(value);
        let masking = maker.masking(grid, self.original, &self.mask, &options)?;
        grid.settings.push(masking);
        let setting = grid.settings.len() - 1;
        self.settings.push((value, setting));
        Ok(setting)
    }

    /// Finds out what its range holds, by making both ends: a plan that is wrong is refused before anything is masked.
    pub fn settle(&mut self, grid: &mut Grid, maker: &dyn Maker) -> Result<()> {
        let ends = match &self.mask.range {
            None => [0.0, 0.0],
            Some(range) => [range.from, range.to],
        };
        for end in ends {
            let setting = self.setting(end, grid, maker)?;
            self.all = self.all.max(grid.settings[setting].runs);
        }
        if let Some(range) = &self.mask.range {
            let are_whole = range.from.fract() == 0.0 && range.to.fract() == 0.0;
            // An option that takes no half takes whole numbers only.
            let half = || {
                let options = self.with(range.from + 0.5);
                maker.accepts(grid, self.original, &self.mask, &options)
            };
            self.range = Some(Range {
                from: range.from,
                to: range.to,
                is_whole: are_whole && !half(),
                precision: search::PRECISION,
            });
        }
        Ok(())
    }

    /// How the search for it goes on.
    pub fn next<'t>(&self, limit: f64, tried: impl Fn(f64) -> Option<&'t Trial>) -> Next {
        let Some(range) = self.range else {
            return search::only(self.all, limit, tried(0.0));
        };
        search::next(range, self.all, limit, tried)
    }
}

/// A number as a plan would have it: whole where it is.
fn number(value: f64) -> Value {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "whole, and far below 2^53 by the condition"
    )]
    if value.fract() == 0.0 && value.abs() < 1e15 {
        Value::from(value as i64)
    } else {
        Number::from_f64(value).map_or(Value::Null, Value::Number)
    }
}
