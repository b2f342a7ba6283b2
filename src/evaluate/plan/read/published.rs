//! What a plan says of published figures.

use serde_json::Value;
use toml::de::DeTable;

use super::{PlannedOption, Published, Source};
use crate::{error::Result, evaluate::plan::source::Entry};

/// Published figures: those of one setting, or columns of a table, whose lists are as long as each other.
pub(super) fn read<'a>(
    source: Source<'a>,
    line: u64,
    table: &DeTable<'a>,
) -> Result<Vec<Published>> {
    let (mut file, mut method, mut name, mut citation) = (None, None, None, None);
    let mut unit = 1.0;
    let (mut parameters, mut measures) = (Vec::new(), Vec::new());
    for entry in source.entries(table) {
        match entry.key.as_str() {
            "file" => file = Some(source.text(&entry)?),
            "method" => method = Some(source.text(&entry)?),
            "name" => name = Some(source.text(&entry)?),
            "source" => citation = Some(source.text(&entry)?),
            "unit" => unit = per_unit(source, &entry)?,
            "measures" => measures.extend(of_measures(source, &entry)?),
            _ => parameters.push(PlannedOption::read(source, &entry)?),
        }
    }
    let citation = source.required(
        citation,
        line,
        "[[published]] names no source",
        "Say where the figures were published: source = \"...\"",
    )?;
    source.ensure(
        !measures.is_empty(),
        Some(line),
        "[[published]] has no measures",
        "Write for example measures = { rsld = 0.77, il = 0.1 }",
    )?;
    let mut lists = parameters.iter().chain(&measures);
    let rows = lists.find_map(|option| option.value.as_array());
    let rows = rows.map_or(1, Vec::len);
    let one = |row: usize| -> Result<Published> {
        let parameter = |option: &PlannedOption| {
            Ok((
                option.name.clone(),
                cell(source, option, (row, rows))?.clone(),
            ))
        };
        let measure = |option: &PlannedOption| {
            let number = cell(source, option, (row, rows))?.as_f64();
            let number = number.ok_or_else(|| {
                source.error(option.line, format!("{} must be a number", option.name))
            })?;
            Ok((option.name.clone(), number / unit))
        };
        Ok(Published {
            line,
            file: file.clone(),
            method: method.clone(),
            name: name.clone(),
            parameters: parameters.iter().map(parameter).collect::<Result<_>>()?,
            measures: measures.iter().map(measure).collect::<Result<_>>()?,
            source: citation.clone(),
        })
    };
    (0..rows).map(one).collect()
}

/// How many of the unit of the figures make a whole.
fn per_unit(source: Source<'_>, entry: &Entry<'_, '_>) -> Result<f64> {
    match source.text(entry)?.as_str() {
        "share" => Ok(1.0),
        "percent" => Ok(100.0),
        _ => Err(source.error(entry.line, "unit must be \"percent\" or \"share\"")),
    }
}

/// The table of measures with their values.
fn of_measures<'a>(source: Source<'a>, entry: &Entry<'_, 'a>) -> Result<Vec<PlannedOption>> {
    let table = source.required(
        entry.value.get_ref().as_table(),
        entry.line,
        "measures must be a table of measures",
        "Write for example measures = { rsld = 0.77, il = 0.1 }",
    )?;
    let entries = source.entries(table);
    let measures = entries.iter();
    measures
        .map(|entry| PlannedOption::read(source, entry))
        .collect()
}

/// The value of an option in a row of so many.
fn cell<'o>(
    source: Source<'_>,
    option: &'o PlannedOption,
    (row, rows): (usize, usize),
) -> Result<&'o Value> {
    match &option.value {
        Value::Array(list) if list.len() == rows => Ok(&list[row]),
        Value::Array(_) => Err(source.error(
            option.line,
            format!(
                "the lists of [[published]] are not as long as each other: {}",
                option.name
            ),
        )),
        value => Ok(value),
    }
}
