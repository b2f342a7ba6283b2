//! What a plan says of its maskings.

use serde_json::Value;
use toml::de::{DeTable, DeValue};

use super::{PlannedFile, PlannedMask, PlannedOption, Source};
use crate::{
    error::Result,
    evaluate::plan::{PlannedRange, source::Entry},
};

/// More settings than this are a mistake.
const MAX_SETTINGS: usize = 10_000;

impl PlannedMask {
    /// The keys of `[[mask]]`.
    pub(super) fn read<'a>(source: Source<'a>, line: u64, table: &DeTable<'a>) -> Result<Self> {
        let mut mask = Self {
            method: String::new(),
            line,
            name: None,
            files: Vec::new(),
            known: None,
            settings: vec![Vec::new()],
            range: None,
        };
        for entry in source.entries(table) {
            match entry.key.as_str() {
                "method" => mask.method = source.text(&entry)?,
                "name" => mask.name = Some(source.text(&entry)?),
                "file" => mask.files = source.texts(&entry)?,
                "known" => mask.known = Some(source.texts(&entry)?),
                _ => mask.take_option(source, &entry)?,
            }
        }
        source.ensure(
            !mask.method.is_empty(),
            Some(line),
            "[[mask]] names no method",
            "Write for example method = \"rankswap\"",
        )?;
        Ok(mask)
    }

    /// An option with its values, or a range of one.
    fn take_option<'a>(&mut self, source: Source<'a>, entry: &Entry<'_, 'a>) -> Result<()> {
        let DeValue::Table(table) = entry.value.get_ref() else {
            let option = PlannedOption::read(source, entry)?;
            self.settings = times(source, &self.settings, &option)?;
            return Ok(());
        };
        let range = PlannedRange::read(source, entry, table)?;
        let other = self.range.replace(range).map(|other| other.name);
        source.ensure(
            other.is_none(),
            Some(entry.line),
            "a masking has one range at most",
            format!(
                "Write a list of values for {} or for {}",
                other.as_deref().unwrap_or_default(),
                entry.key
            ),
        )
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
