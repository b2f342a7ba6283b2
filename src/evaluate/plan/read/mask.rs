//! What a plan says of its maskings.

use serde_json::Value;
use toml::de::{DeTable, DeValue};

use super::{PlannedFile, PlannedMask, PlannedOption, PlannedStep, Source};
use crate::{
    error::Result,
    evaluate::plan::{PlannedRange, source::Entry},
};

/// More settings than this are a mistake.
const MAX_SETTINGS: usize = 10_000;

/// What a masking, or a step of one, says: its method, and its options.
#[derive(Default)]
pub(in crate::evaluate::plan) struct Method {
    pub name: Option<String>,
    pub options: Vec<PlannedOption>,
    pub ranges: Vec<PlannedRange>,
}

impl Method {
    /// The keys of a step.
    pub fn read<'a>(source: Source<'a>, table: &DeTable<'a>) -> Result<Self> {
        let mut method = Self::default();
        for entry in source.entries(table) {
            method.take(source, &entry)?;
        }
        Ok(method)
    }

    /// The method, or an option with its values, or a range of one.
    fn take<'a>(&mut self, source: Source<'a>, entry: &Entry<'_, 'a>) -> Result<()> {
        match (entry.key.as_str(), entry.value.get_ref()) {
            ("method", _) => self.name = Some(source.text(entry)?),
            (_, DeValue::Table(table)) => {
                self.ranges.push(PlannedRange::read(source, entry, table)?);
            }
            _ => self.options.push(PlannedOption::read(source, entry)?),
        }
        Ok(())
    }

    /// The step of this line, and what it says as that of its place.
    pub fn step(
        mut self,
        source: Source<'_>,
        (place, line): (usize, u64),
        what: &str,
    ) -> Result<(PlannedStep, Self)> {
        for option in &mut self.options {
            option.step = place;
        }
        for range in &mut self.ranges {
            range.step = place;
        }
        let method = source.required(
            self.name.take().filter(|name| !name.is_empty()),
            line,
            &format!("{what} names no method"),
            "Write for example method = \"rankswap\"",
        )?;
        Ok((PlannedStep { method, line }, self))
    }
}

impl PlannedMask {
    /// The keys of `[[mask]]`.
    pub(super) fn read<'a>(source: Source<'a>, line: u64, table: &DeTable<'a>) -> Result<Self> {
        let mut mask = Self {
            method: String::new(),
            steps: Vec::new(),
            line,
            name: None,
            files: Vec::new(),
            known: None,
            settings: vec![Vec::new()],
            range: None,
        };
        let (mut own, mut steps) = (Method::default(), Vec::new());
        for entry in source.entries(table) {
            match entry.key.as_str() {
                "name" => mask.name = Some(source.text(&entry)?),
                "file" => mask.files = source.texts(&entry)?,
                "known" => mask.known = Some(source.texts(&entry)?),
                "step" => {
                    steps = source.tables(&entry, |source, line, table| {
                        Ok((line, Method::read(source, table)?))
                    })?;
                }
                _ => own.take(source, &entry)?,
            }
        }
        if steps.is_empty() {
            mask.take_step(source, line, own, "[[mask]]")?;
        } else {
            let stray = (own.name.iter().map(|_| ("method", line)))
                .chain((own.options.iter()).map(|option| (option.name.as_str(), option.line)))
                .chain((own.ranges.iter()).map(|range| (range.name.as_str(), range.line)));
            if let Some((key, line)) = stray.into_iter().next() {
                return Err(source
                    .error(line, format!("[[mask]] has steps, and {key} beside them"))
                    .remedy("Put it into the [[mask.step]] that it is about"));
            }
        }
        for (line, step) in steps {
            mask.take_step(source, line, step, "[[mask.step]]")?;
        }
        let methods: Vec<&str> = mask.steps.iter().map(|step| step.method.as_str()).collect();
        mask.method = methods.join(", ");
        Ok(mask)
    }

    /// One step more, whose lists are grids.
    fn take_step(&mut self, source: Source<'_>, line: u64, step: Method, what: &str) -> Result<()> {
        let (
            step,
            Method {
                options, ranges, ..
            },
        ) = step.step(source, (self.steps.len(), line), what)?;
        self.steps.push(step);
        for option in &options {
            self.settings = times(source, &self.settings, option)?;
        }
        for range in ranges {
            let (line, name) = (range.line, range.name.clone());
            let other = self.range.replace(range).map(|other| other.name);
            source.ensure(
                other.is_none(),
                Some(line),
                "a masking has one range at most",
                format!(
                    "Write a list of values for {} or for {name}",
                    other.as_deref().unwrap_or_default(),
                ),
            )?;
        }
        Ok(())
    }

    /// That the originals which it is for are in the plan.
    pub(super) fn check_files(&self, source: Source<'_>, files: &[PlannedFile]) -> Result<()> {
        let is_named = |name: &String| files.iter().any(|file| file.is_called(name));
        let stranger = self.files.iter().find(|name| !is_named(name));
        source.ensure(
            stranger.is_none(),
            Some(self.line),
            format!(
                "[[mask]] is for a file {:?} that the plan does not name",
                stranger.map_or("", String::as_str)
            ),
            "Give its name as original has it",
        )
    }
}

/// Every setting with every value of one more option, the last option changing fastest.
fn times(
    source: Source<'_>,
    settings: &[Vec<PlannedOption>],
    option: &PlannedOption,
) -> Result<Vec<Vec<PlannedOption>>> {
    let values = match &option.value {
        Value::Array(values) => &values[..],
        value => std::slice::from_ref(value),
    };
    let name = &option.name;
    let wrong = if values.is_empty() {
        Some(format!("{name} is an empty list: nothing would be masked"))
    } else if (1..values.len()).any(|place| values[..place].contains(&values[place])) {
        Some(format!("{name} names a value twice"))
    } else if settings.len().saturating_mul(values.len()) > MAX_SETTINGS {
        Some(format!(
            "the grid has more than {MAX_SETTINGS} settings from here on"
        ))
    } else {
        None
    };
    if let Some(what) = wrong {
        return Err(source.error(option.line, what));
    }
    let with = |setting: &Vec<PlannedOption>, value: &Value| {
        let mut setting = setting.clone();
        setting.push(PlannedOption {
            value: value.clone(),
            ..option.clone()
        });
        setting
    };
    Ok(settings
        .iter()
        .flat_map(|setting| values.iter().map(move |value| with(setting, value)))
        .collect())
}

impl PlannedRange {
    /// `{ from = A, to = B }`.
    fn read<'a>(source: Source<'a>, entry: &Entry<'_, 'a>, table: &DeTable<'a>) -> Result<Self> {
        let (mut from, mut to) = (None, None);
        for end in source.entries(table) {
            let value = source.value(&end.key, end.value)?.as_f64();
            match end.key.as_str() {
                "from" => from = value,
                "to" => to = value,
                _ => return Err(source.unknown(&end, "a range", &["from", "to"])),
            }
        }
        let what = match (from, to) {
            (Some(from), Some(to)) if from < to => {
                return Ok(Self {
                    step: 0,
                    name: entry.key.clone(),
                    from,
                    to,
                    line: entry.line,
                });
            }
            (Some(_), Some(_)) => "from must be less than to",
            (None, _) | (_, None) => "a range has two numbers, from and to",
        };
        let error = source.error(entry.line, format!("{}: {what}", entry.key));
        Err(error.remedy(format!(
            "Write for example {} = {{ from = 1, to = 30 }}",
            entry.key
        )))
    }
}
