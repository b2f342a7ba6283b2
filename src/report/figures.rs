//! Figures for people and for programs: each with its direction and its range.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::text;
use crate::figure::{About, Better, Definition, Figure, Part, Unit};

/// A figure as the JSON reports carry it. Reports write all of it but what is skipped; of a result that says less, the rest is
/// not known.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct FigureRow {
    /// What it is about; of figures of risk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<About>,
    /// Its name for programs.
    pub key: String,
    /// Its name for people.
    pub name: String,
    /// The value, `null` where it is not defined.
    pub value: Option<f64>,
    /// Why it is not defined.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why_not: Option<String>,
    /// `share` (0.05 is 5 %), `count` (of records, cells or the like) or `number`.
    pub unit: Option<Unit>,
    /// The unit of the parts, where it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit_of_parts: Option<Unit>,
    /// `lower is better` or `higher is better`.
    pub direction: Option<Better>,
    /// The least possible value, `null` without bound.
    pub least: Option<f64>,
    /// The greatest possible value, `null` without bound.
    pub most: Option<f64>,
    /// The cells, pairs or records that it is taken over.
    pub counted: u64,
    /// Those left out because a denominator was zero.
    pub skipped: u64,
    /// What it is.
    pub says: String,
    /// Where it was published.
    pub source: String,
    /// The same by attribute.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<PartRow>,
}

/// Reads a number that may be `null`: JSON has nothing else for one that is not finite.
///
/// # Errors
/// What the deserializer answers.
pub fn or_not_finite<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(f64::NAN))
}

/// What one attribute contributes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PartRow {
    /// The attribute, or whatever the part is of.
    pub name: String,
    /// The figure of that part; none where it is not defined.
    pub value: Option<f64>,
}

impl From<Part> for PartRow {
    fn from(part: Part) -> Self {
        Self {
            name: part.name,
            value: part.value,
        }
    }
}

/// A figure as parts of a call carry it: what it is stands in the program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Measured {
    /// Its name for programs.
    pub key: String,
    /// The value, `null` where it is not defined.
    pub value: Option<f64>,
    /// Why it is not defined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why_not: Option<String>,
    /// The cells, pairs or records that it is taken over.
    pub counted: u64,
    /// Those left out because a denominator was zero.
    pub skipped: u64,
    /// The same by attribute.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<PartRow>,
}

impl From<Figure> for Measured {
    fn from(figure: Figure) -> Self {
        Self {
            key: figure.what.key.into(),
            value: figure.value,
            why_not: figure.why_not,
            counted: figure.counted,
            skipped: figure.skipped,
            parts: figure.parts.into_iter().map(PartRow::from).collect(),
        }
    }
}

impl Measured {
    /// The figure, which is of this.
    pub fn figure(self, what: &'static Definition) -> Figure {
        let part = |row: PartRow| Part {
            name: row.name,
            value: row.value,
        };
        Figure {
            what,
            value: self.value,
            why_not: self.why_not,
            counted: self.counted,
            skipped: self.skipped,
            parts: self.parts.into_iter().map(part).collect(),
        }
    }
}

/// Figures as JSON reports carry them.
pub fn rows(figures: &[Figure]) -> Vec<FigureRow> {
    let row = |figure: &Figure| FigureRow {
        about: None,
        key: figure.what.key.into(),
        name: figure.what.name.into(),
        value: figure.value,
        why_not: figure.why_not.clone(),
        unit: Some(figure.what.unit),
        unit_of_parts: Some(figure.what.unit_of_parts).filter(|&unit| unit != figure.what.unit),
        direction: Some(figure.what.better),
        least: Some(figure.what.least),
        most: figure.what.most,
        counted: figure.counted,
        skipped: figure.skipped,
        says: figure.what.says.into(),
        source: figure.what.source.into(),
        parts: figure.parts.iter().cloned().map(PartRow::from).collect(),
    };
    figures.iter().map(row).collect()
}

/// Key and value of each figure: what scripts read.
pub fn measures(figures: &[Figure]) -> Map<String, Value> {
    figures
        .iter()
        .map(|figure| (figure.what.key.to_string(), figure.value.into()))
        .collect()
}

/// Shares below this differ from 0 by the rounding of sums.
const ROUNDING: f64 = 1e-12;

/// A value as people read it.
pub fn shown(value: Option<f64>, unit: Unit) -> String {
    match (value, unit) {
        (None, _) => "-".into(),
        (Some(value), Unit::Share) if value.abs() < ROUNDING => text::percent(0.0),
        (Some(value), Unit::Share) => text::percent(value),
        (Some(value), Unit::Count) => text::count(value),
        (Some(value), Unit::Number) => text::number(value),
    }
}

/// A line a figure, for logs: its name and its value.
pub fn lines(figures: &[Figure]) -> String {
    figures
        .iter()
        .map(|figure| match figure.value {
            None => format!("{}: not defined\n", figure.what.name),
            value => format!("{}: {}\n", figure.what.name, shown(value, figure.what.unit)),
        })
        .collect()
}

/// A table for people: name, value, range and direction, and what was left out.
pub fn table(figures: &[Figure]) -> String {
    let rows: Vec<Vec<String>> = figures
        .iter()
        .map(|figure| {
            let what = figure.what;
            vec![
                what.name.into(),
                what.key.into(),
                shown(figure.value, what.unit),
                range(what),
                what.better.words().into(),
                note(figure),
            ]
        })
        .collect();
    text::columns(&["", "key", "value", "range", "", ""], &rows, 2)
}

/// Between which ends a figure lies, for people.
pub fn range(what: &Definition) -> String {
    let end = |value: f64| match what.unit {
        Unit::Share => format!("{:.0} %", 100.0 * value),
        Unit::Count => text::count(value),
        Unit::Number => value.to_string(),
    };
    format!(
        "{} to {}",
        end(what.least),
        what.most.map_or("any".into(), end)
    )
}

/// Why a figure is not defined, or what was left out of it, for people; empty where there is nothing to say.
pub fn note(figure: &Figure) -> String {
    match &figure.why_not {
        Some(why) => format!("not defined: {why}"),
        None if figure.skipped > 0 => format!(
            "{} of {} left out: divided by 0",
            figure.skipped,
            figure.skipped + figure.counted
        ),
        None => String::new(),
    }
}

/// What each figure is, one line or paragraph each, for people.
pub fn definitions(figures: &[Figure]) -> String {
    figures
        .iter()
        .map(|figure| {
            text::paragraph(&format!(
                "{}: {} ({})",
                figure.what.key, figure.what.says, figure.what.source
            ))
        })
        .collect()
}
