//! Figures: columns side by side, each figure with its range and its better end.

use maud::{Markup, html};
use serde_json::{Map, Value};

use super::parts::{Table, text};
use crate::{
    evaluate::measures,
    figure::{Better, Unit},
    report::{
        figures::{FigureRow, PartRow},
        text::{count, percent},
    },
};

/// A figure on the page.
impl FigureRow {
    /// Its value for reading.
    pub(super) fn shown(&self) -> String {
        self.written(self.value)
    }

    /// A value of this figure, or of a part of it, for reading.
    pub(super) fn written(&self, value: Option<f64>) -> String {
        let is_share = self.least == Some(0.0) && self.most == Some(1.0);
        match (value, self.unit) {
            (None, _) => "not defined".into(),
            (Some(value), Some(Unit::Share)) => percent(value),
            (Some(value), Some(Unit::Count)) => count(value),
            (Some(value), None) if is_share => percent(value),
            (Some(value), None) if value.fract() == 0.0 && value.abs() < 1e9 => count(value),
            (Some(value), _) => number(value),
        }
    }

    /// What one part contributes, for reading: in the unit of the parts, where that is another one. Results that do not state it were
    /// made before they did; then the definition knows.
    fn written_part(&self, part: &PartRow) -> String {
        let defined = || {
            let what = measures::find(&self.key)?;
            (what.unit_of_parts != what.unit).then_some(what.unit_of_parts)
        };
        match self.unit_of_parts.or_else(defined) {
            None => self.written(part.value),
            unit => Self {
                unit,
                ..Self::default()
            }
            .written(part.value),
        }
    }

    fn range(&self) -> String {
        let end = |end: Option<f64>| match (end, self.unit, self.most) {
            (None, ..) => "any".into(),
            (Some(end), Some(Unit::Share), _) | (Some(end), None, Some(1.0)) => {
                format!("{:.0} %", 100.0 * end)
            }
            (Some(end), ..) => end.to_string(),
        };
        match self.least {
            None => String::new(),
            least => format!("{} to {}", end(least), end(self.most)),
        }
    }
}

/// A number without unit.
fn number(value: f64) -> String {
    match value.abs() {
        0.0 => "0".into(),
        size if (1e-3..1e3).contains(&size) => format!("{value:.4}"),
        size if (1e3..1e9).contains(&size) => format!("{value:.1}"),
        _ => format!("{value:.3e}"),
    }
}

/// Figures in full, and those of which there is nothing but key and value.
pub(super) fn all<'a>(
    figures: impl IntoIterator<Item = &'a FigureRow>,
    measures: &Map<String, Value>,
) -> Vec<FigureRow> {
    let mut all: Vec<FigureRow> = figures.into_iter().cloned().collect();
    for (key, value) in measures {
        if !all.iter().any(|figure| &figure.key == key) {
            all.push(FigureRow {
                key: key.clone(),
                name: key.replace('_', " "),
                value: value.as_f64(),
                ..FigureRow::default()
            });
        }
    }
    all
}

/// Figures of one file, or of one state of it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Column {
    pub name: String,
    pub figures: Vec<FigureRow>,
}

impl Column {
    fn find(&self, key: &str) -> Option<&FigureRow> {
        self.figures.iter().find(|figure| figure.key == key)
    }
}

/// The figures that any column has, each once.
pub(super) fn kinds(columns: &[Column]) -> Vec<&FigureRow> {
    let mut kinds: Vec<&FigureRow> = Vec::new();
    for figure in columns.iter().flat_map(|column| &column.figures) {
        if !kinds.iter().any(|kind| kind.key == figure.key) {
            kinds.push(figure);
        }
    }
    kinds
}

/// Columns side by side, of the figures that are wanted; those that no column defines stand apart.
pub(super) fn side_by_side(
    caption: &str,
    columns: &[Column],
    is_wanted: impl Fn(&FigureRow) -> bool,
) -> (Table, Vec<Vec<String>>) {
    let mut table = Table::new(caption, &["Figure", "Range", "Better"], 3);
    table
        .header
        .extend(columns.iter().map(|column| column.name.clone()));
    table.header.push("Left out, divided by 0".into());
    let mut undefined = Vec::new();
    for kind in kinds(columns).into_iter().filter(|kind| is_wanted(kind)) {
        let own: Vec<Option<&FigureRow>> = columns
            .iter()
            .map(|column| column.find(&kind.key))
            .collect();
        if own.iter().flatten().all(|figure| figure.value.is_none()) {
            let why = own
                .iter()
                .flatten()
                .find_map(|figure| figure.why_not.clone());
            undefined.push(vec![kind.name.clone(), why.unwrap_or_default()]);
            continue;
        }
        let mut row = vec![
            kind.name.clone(),
            kind.range(),
            kind.direction.map_or("", Better::end).into(),
        ];
        row.extend(
            own.iter()
                .map(|figure| figure.map_or("not measured".into(), FigureRow::shown)),
        );
        let skipped = own.iter().flatten().find(|figure| figure.skipped > 0);
        row.push(skipped.map_or(String::new(), |figure| {
            format!(
                "{} of {}",
                figure.skipped,
                figure.skipped.saturating_add(figure.counted)
            )
        }));
        table.rows.push(row);
    }
    (table, undefined)
}

/// What no column defines, and why.
pub(super) fn undefined(rows: Vec<Vec<String>>) -> Markup {
    let table = Table::new("Not defined for these files", &["Figure", "Why"], 2).with(rows);
    html! { @if !table.rows.is_empty() { (table.markup()) } }
}

/// Figures by attribute: a table each, the columns side by side.
pub(super) fn by_part(columns: &[Column]) -> Markup {
    let tables: Vec<Table> = kinds(columns)
        .into_iter()
        .filter_map(|kind| {
            let parts = |column: &Column| {
                column
                    .find(&kind.key)
                    .map(|figure| figure.parts.clone())
                    .unwrap_or_default()
            };
            let own: Vec<Vec<PartRow>> = columns.iter().map(parts).collect();
            let first = own.iter().find(|parts| !parts.is_empty())?;
            let mut table = Table::new(&kind.name, &["Part"], 1);
            table
                .header
                .extend(columns.iter().map(|column| column.name.clone()));
            for part in first {
                let mut row = vec![part.name.clone()];
                row.extend(own.iter().map(|parts| {
                    let found = parts.iter().find(|other| other.name == part.name);
                    found.map_or(String::new(), |found| kind.written_part(found))
                }));
                table.rows.push(row);
            }
            Some(table)
        })
        .collect();
    html! { @if !tables.is_empty() { details {
        summary { "Part by part" }
        div.columns { @for table in &tables { (table.markup()) } }
    } } }
}

/// What each figure is, and where it was published.
pub(super) fn definitions(columns: &[Column]) -> Markup {
    let mut defined = kinds(columns);
    defined.retain(|figure| !figure.says.is_empty());
    html! { @if !defined.is_empty() { details {
        summary { "What each figure is" }
        dl.definitions { @for figure in defined { div {
            dt { (text(&figure.name)) " " code { (text(&figure.key)) } }
            dd { (text(&figure.says)) @if !figure.source.is_empty() { " (" (text(&figure.source)) ")" } }
        } } }
    } } }
}
