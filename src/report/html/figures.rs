//! Figures of loss and of risk: documents of one kind side by side, each figure with its range and its better end.

use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{
    Section,
    document::{Content, Document, or_none},
    frame::KEPT,
    parts::{Table, Writer, paragraphs, text},
};
use crate::report::text::{count, percent};

/// A result that is a list of figures.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct Measured {
    pub measures: Map<String, Value>,
    #[serde(default, deserialize_with = "or_none")]
    pub figures: Vec<FigureView>,
    #[serde(default, deserialize_with = "or_none")]
    pub analyses: Vec<FigureView>,
    #[serde(default)]
    pub reading: Vec<String>,
}

/// A figure.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct FigureView {
    pub key: String,
    #[serde(default)]
    pub name: String,
    #[serde(default)]
    pub value: Option<f64>,
    #[serde(default)]
    pub unit: Option<String>,
    #[serde(default)]
    pub why_not: Option<String>,
    #[serde(default)]
    pub direction: String,
    #[serde(default)]
    pub least: Option<f64>,
    #[serde(default)]
    pub most: Option<f64>,
    #[serde(default)]
    pub counted: u64,
    #[serde(default)]
    pub skipped: u64,
    #[serde(default)]
    pub says: String,
    #[serde(default)]
    pub source: String,
    #[serde(default)]
    pub parts: Vec<PartView>,
}

/// What one attribute contributes.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct PartView {
    pub name: String,
    pub value: Option<f64>,
}

impl FigureView {
    /// A value of this figure, or of a part of it, for reading.
    pub fn shown(&self, value: Option<f64>) -> String {
        let is_share = self.least == Some(0.0) && self.most == Some(1.0);
        match (value, self.unit.as_deref()) {
            (None, _) => "not defined".into(),
            (Some(value), Some("share")) => percent(value),
            (Some(value), Some("count")) => count(value),
            (Some(value), None) if is_share => percent(value),
            (Some(value), _) => number(value),
        }
    }

    fn end(&self, end: Option<f64>) -> String {
        match (end, self.unit.as_deref(), self.most) {
            (None, ..) => "any".into(),
            (Some(end), Some("share"), _) | (Some(end), None, Some(1.0)) => {
                format!("{:.0} %", 100.0 * end)
            }
            (Some(end), ..) => count(end),
        }
    }
}

/// A number without unit.
fn number(value: f64) -> String {
    match value.abs() {
        0.0 | 1e-3..1e9 => format!("{value:.4}"),
        _ => format!("{value:.3e}"),
    }
}

impl Measured {
    /// All figures; those that are told by their value alone too.
    fn all(&self) -> Vec<FigureView> {
        let mut all: Vec<FigureView> = self.figures.iter().chain(&self.analyses).cloned().collect();
        for (key, value) in &self.measures {
            if !all.iter().any(|figure| &figure.key == key) {
                all.push(FigureView {
                    key: key.clone(),
                    name: key.replace('_', " "),
                    value: value.as_f64(),
                    unit: None,
                    why_not: None,
                    direction: String::new(),
                    least: None,
                    most: None,
                    counted: 0,
                    skipped: 0,
                    says: String::new(),
                    source: String::new(),
                    parts: Vec::new(),
                });
            }
        }
        all
    }

    /// The figure of a key.
    pub fn find(&self, key: &str) -> Option<FigureView> {
        self.all().into_iter().find(|figure| figure.key == key)
    }
}

/// The results of one kind, with the name of their file.
fn of_kind(documents: &[Document], risk: bool) -> Vec<(&Document, &Measured)> {
    documents
        .iter()
        .filter_map(|document| match (&document.content, risk) {
            (Content::Loss(measured), false) | (Content::Risk(measured), true) => {
                Some((document, measured))
            }
            _ => None,
        })
        .collect()
}

pub(super) fn loss(documents: &[Document], writer: &mut Writer) -> Option<Section> {
    let results = of_kind(documents, false);
    (!results.is_empty()).then(|| Section {
        id: "loss",
        title: "Information loss",
        content: html! {
            p { "What the masking took from the file, and from what can be worked out with it." }
            (side_by_side("Information loss", &results, writer))
        },
    })
}

pub(super) fn risk(documents: &[Document], writer: &mut Writer) -> Option<Section> {
    let results = of_kind(documents, true);
    if results.is_empty() {
        return None;
    }
    let content = match writer.is_internal() {
        true => html! {
            p { "What the files give away without any linkage." }
            (side_by_side("Risk before and after", &results, writer))
        },
        false => {
            let mut names: Vec<String> = Vec::new();
            for figure in results.iter().flat_map(|(_, measured)| measured.all()) {
                if !names.contains(&figure.name) {
                    names.push(figure.name);
                }
            }
            html! {
                p { "Measured: " (text(&names.join(", "))) "." }
                p { (KEPT) }
            }
        }
    };
    Some(Section {
        id: "risk",
        title: "Risk without linkage",
        content,
    })
}

/// Whether the file is still what it was where it should be: what a board asks of sums, ranges and gaps.
pub(super) fn integrity(documents: &[Document], writer: &mut Writer) -> Option<Section> {
    const KEYS: [&str; 5] = [
        "changed",
        "suppressed",
        "mean_variation_means",
        "mean_variation_variances",
        "mean_absolute_correlations",
    ];
    let mut rows = Vec::new();
    for (document, measured) in of_kind(documents, false) {
        if let [original, masked, ..] = &document.origin.provenance.files[..] {
            let of = |what: &str, before: u64, after: u64| {
                vec![
                    format!("{what} of {}", writer.file(&masked.name)),
                    format!("{after}, {before} before"),
                ]
            };
            if writer.is_internal() {
                rows.push(of("Records", original.records, masked.records));
                rows.push(of("Attributes", original.attributes, masked.attributes));
            }
        }
        for figure in KEYS
            .iter()
            .filter_map(|key| measured.find(key))
            .filter(|figure| figure.value.is_some())
        {
            rows.push(vec![figure.name.clone(), figure.shown(figure.value)]);
        }
    }
    (!rows.is_empty()).then(|| Section {
        id: "integrity",
        title: "Integrity",
        content: html! {
            (Table::new("What was kept, and what was not", &["", "Found"], 1).with(rows).markup())
            p { "Ranges, sums and rules between attributes are to be checked where the file has them; this table shows what was measured." }
        },
    })
}

fn side_by_side(caption: &str, results: &[(&Document, &Measured)], writer: &Writer) -> Markup {
    let mut kinds: Vec<FigureView> = Vec::new();
    for figure in results.iter().flat_map(|(_, measured)| measured.all()) {
        if !kinds.iter().any(|kind| kind.key == figure.key) {
            kinds.push(figure);
        }
    }
    let differences = match results {
        [(_, measured)] => differences(measured),
        _ => None,
    };
    let is_difference = |key: &str| differences.is_some() && difference(key).is_some();
    let mut header = vec!["Figure".to_string(), "Range".into(), "Better".into()];
    match results {
        [_] => header.push("Value".into()),
        _ => header.extend(
            results
                .iter()
                .map(|(document, _)| writer.file(&document.name)),
        ),
    }
    header.push("Left out, divided by 0".into());
    let (mut rows, mut missing) = (Vec::new(), Vec::new());
    for kind in kinds.iter().filter(|kind| !is_difference(&kind.key)) {
        let own: Vec<Option<FigureView>> = results
            .iter()
            .map(|(_, measured)| measured.find(&kind.key))
            .collect();
        if own.iter().flatten().all(|figure| figure.value.is_none()) {
            let why = own
                .iter()
                .flatten()
                .find_map(|figure| figure.why_not.clone());
            missing.push(vec![kind.name.clone(), why.unwrap_or_default()]);
            continue;
        }
        let mut row = vec![
            kind.name.clone(),
            range(kind),
            kind.direction.replace(" is better", ""),
        ];
        row.extend(own.iter().map(|figure| {
            figure
                .as_ref()
                .map_or("not measured".into(), |figure| figure.shown(figure.value))
        }));
        row.push(own.iter().flatten().find_map(skipped).unwrap_or_default());
        rows.push(row);
    }
    let table = Table {
        caption: caption.into(),
        header,
        left: 3,
        rows,
    };
    let missing = Table::new("Not defined for these files", &["Figure", "Why"], 2).with(missing);
    html! {
        @if !table.rows.is_empty() { (table.markup()) }
        @if let Some(differences) = &differences { (differences.markup()) }
        @if !missing.rows.is_empty() { (missing.markup()) }
        @for (_, measured) in results { (paragraphs(&measured.reading)) }
        (by_attribute(results, writer))
        (definitions(&kinds))
    }
}

/// What is compared, and how: `mean_variation_means` is of the means, by mean variation.
fn difference(key: &str) -> Option<(&str, &str)> {
    OF.iter().find_map(|(of, _)| {
        let by = key.strip_suffix(of)?.strip_suffix('_')?;
        BY.iter()
            .any(|(known, _)| *known == by)
            .then_some((*of, by))
    })
}

/// Of what differences are taken.
const OF: [(&str, &str); 6] = [
    ("data", "Values"),
    ("means", "Means"),
    ("variances", "Variances"),
    ("covariances", "Covariances"),
    ("correlations", "Correlations"),
    ("quantiles", "Quantiles"),
];

/// How they are told.
const BY: [(&str, &str); 4] = [
    ("mean_square", "Mean square"),
    ("mean_absolute", "Mean absolute"),
    ("mean_variation", "Mean variation"),
    ("pil", "Probabilistic (PIL)"),
];

/// The differences between the files, what is compared by how; if they were measured.
fn differences(measured: &Measured) -> Option<Table> {
    let mut table = Table::new(
        "Differences between the files; 0 is none, lower is better",
        &["Of"],
        1,
    );
    table
        .header
        .extend(BY.iter().map(|(_, name)| name.to_string()));
    for (of, name) in OF {
        let cells: Vec<String> = BY
            .iter()
            .map(|(by, _)| {
                measured
                    .find(&format!("{by}_{of}"))
                    .map_or(String::new(), |figure| figure.shown(figure.value))
            })
            .collect();
        if cells.iter().any(|cell| !cell.is_empty()) {
            let mut row = vec![name.to_string()];
            row.extend(cells);
            table.rows.push(row);
        }
    }
    (table.rows.len() > 1).then_some(table)
}

fn range(figure: &FigureView) -> String {
    match figure.least {
        None => String::new(),
        least => format!("{} to {}", figure.end(least), figure.end(figure.most)),
    }
}

fn skipped(figure: &FigureView) -> Option<String> {
    (figure.skipped > 0)
        .then(|| format!("{} of {}", figure.skipped, figure.skipped + figure.counted))
}

/// Figures that are told by attribute.
fn by_attribute(results: &[(&Document, &Measured)], writer: &Writer) -> Markup {
    let tables = results.iter().flat_map(|(document, measured)| {
        let of = match results {
            [_] => String::new(),
            _ => format!(" ({})", writer.file(&document.name)),
        };
        measured
            .figures
            .iter()
            .filter(|figure| !figure.parts.is_empty())
            .map(move |figure| {
                Table::new(format!("{}{of}", figure.name), &["Part", "Value"], 1).with(
                    figure
                        .parts
                        .iter()
                        .map(|part| vec![part.name.clone(), figure.shown(part.value)]),
                )
            })
    });
    let tables: Vec<Table> = tables.collect();
    html! { @if !tables.is_empty() { details {
        summary { "By attribute" }
        div.columns { @for table in &tables { (table.markup()) } }
    } } }
}

fn definitions(figures: &[FigureView]) -> Markup {
    let defined: Vec<&FigureView> = figures
        .iter()
        .filter(|figure| !figure.says.is_empty())
        .collect();
    html! { @if !defined.is_empty() { details {
        summary { "What each figure is" }
        dl.definitions { @for figure in defined { div {
            dt { (text(&figure.name)) " " code { (text(&figure.key)) } }
            dd { (text(&figure.says)) @if !figure.source.is_empty() { " (" (text(&figure.source)) ")" } }
        } } }
    } } }
}
