//! A masking whose value is looked for: its range, and the settings that were tried.

use serde_json::{Number, Value};

use super::{Experiment, Places};
use crate::{
    cli::evaluate::options::Words,
    evaluate::{
        plan::{Plan, PlannedMask, PlannedOption},
        search::{self, Next, Range, Trial},
    },
};

/// A masking of an original whose value is looked for.
#[derive(Debug)]
pub(super) struct Candidate {
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
    pub outcome: Option<Option<f64>>,
}

pub(super) fn candidates(plan: &Plan, experiment: &Experiment) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    for (number, original) in experiment.originals.iter().enumerate() {
        let file = &plan.files[original.place];
        for mask in &plan.masks {
            if !mask.files.is_empty() && !mask.files.iter().any(|name| file.is_called(name)) {
                continue;
            }
            candidates.extend(mask.settings.iter().map(|options| Candidate {
                original: number,
                mask: mask.clone(),
                options: options.clone(),
                range: None,
                settings: Vec::new(),
                all: 1,
                outcome: None,
            }));
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
    pub fn setting(
        &mut self,
        value: f64,
        experiment: &mut Experiment,
        of: (&Plan, &Places, u64),
    ) -> anyhow::Result<usize> {
        if let Some(setting) = self.tried(value) {
            return Ok(setting);
        }
        let setting = experiment.add(of, (self.original, &self.mask), &self.with(value))?;
        self.settings.push((value, setting));
        Ok(setting)
    }

    /// Finds out what its range holds, by making both ends: a plan that is wrong is refused before anything is masked.
    pub fn settle(
        &mut self,
        experiment: &mut Experiment,
        of: (&Plan, &Places, u64),
    ) -> anyhow::Result<()> {
        let ends = match &self.mask.range {
            None => [0.0, 0.0],
            Some(range) => [range.from, range.to],
        };
        for end in ends {
            let setting = self.setting(end, experiment, of)?;
            self.all = self.all.max(experiment.settings[setting].runs);
        }
        if let Some(range) = &self.mask.range {
            let are_whole = range.from.fract() == 0.0 && range.to.fract() == 0.0;
            // An option that takes no half takes whole numbers only.
            let half = || {
                let options = self.with(range.from + 0.5);
                experiment.accepts(of, (self.original, &self.mask), &options)
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

/// A plan whose maskings are made one by one accepts an option, or not.
impl Experiment {
    fn accepts(
        &self,
        (plan, places, _): (&Plan, &Places, u64),
        (original, mask): (usize, &PlannedMask),
        options: &[PlannedOption],
    ) -> bool {
        let words = Words {
            plan: &self.plan,
            places,
        };
        let file = &plan.files[self.originals[original].place];
        let method = words.masking(mask, options, file.attributes.as_deref());
        method.is_ok()
    }
}
