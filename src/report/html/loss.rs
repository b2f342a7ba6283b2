//! Information loss, and whether the file is still what it was where it should be.

use maud::{Markup, html};

use super::{
    Section,
    document::{Content, Document},
    figures::{self, Column},
    parts::{Table, Writer, base_name, crossed, list, names, text},
};
use crate::{
    evaluate::measures,
    figure::{Definition, Discrepancy, Group, Statistic},
    report::{
        figures::FigureRow,
        loss::{LossJson, integrity::Integrity},
    },
};

/// What `loss` found.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Loss {
    pub report: LossJson,
    /// Whether losses are left out, because few cells were changed or nobody knows how many.
    pub has_few_changes: bool,
}

impl Loss {
    pub fn new(report: LossJson) -> Self {
        Self {
            report,
            has_few_changes: false,
        }
    }

    /// The figure of a key, where it has a value.
    pub fn find(&self, key: &str) -> Option<FigureRow> {
        let mut all = self.all().into_iter();
        all.find(|figure| figure.key == key && figure.value.is_some())
    }

    fn all(&self) -> Vec<FigureRow> {
        let report = &self.report;
        let figures = report.figures.iter().chain(&report.analyses);
        figures::all(figures, &report.measures)
    }

    fn is_analysis(&self, key: &str) -> bool {
        self.report.analyses.iter().any(|figure| figure.key == key)
    }
}

fn of(documents: &[Document]) -> Vec<(&Document, &Loss)> {
    documents
        .iter()
        .filter_map(|document| match &document.content {
            Content::Loss(loss) => Some((document, &**loss)),
            _ => None,
        })
        .collect()
}

pub(super) fn section(documents: &[Document], writer: &mut Writer) -> Option<Section> {
    let losses = of(documents);
    let columns: Vec<Column> = losses
        .iter()
        .map(|(document, loss)| Column {
            name: match losses.len() {
                1 => "Value".into(),
                _ => base_name(&document.name).into(),
            },
            figures: loss.all(),
        })
        .collect();
    let differences = match &losses[..] {
        [] => return None,
        [(_, loss)] => differences(loss),
        _ => None,
    };
    let is_analysis =
        |figure: &FigureRow| losses.iter().any(|(_, loss)| loss.is_analysis(&figure.key));
    let is_difference =
        |figure: &FigureRow| measures::find(&figure.key).is_some_and(Definition::is_difference);
    let is_told = |figure: &FigureRow| differences.is_none() || !is_difference(figure);
    let (main, undefined) = figures::side_by_side("Information loss", &columns, |figure| {
        !is_analysis(figure) && is_told(figure)
    });
    let (analyses, undefined_analyses) =
        figures::side_by_side("What analyses of the file lose", &columns, is_analysis);
    // Parts of analyses are coefficients, groups and classes of the original itself: results of a confidential file.
    let mut by_part = columns.clone();
    if !writer.is_internal() {
        for column in &mut by_part {
            column.figures.retain(|figure| !is_analysis(figure));
        }
    }
    let undefined: Vec<Vec<String>> = undefined.into_iter().chain(undefined_analyses).collect();
    Some(Section {
        id: "loss",
        title: "Information loss",
        content: html! {
            p { "What the masking took from the file, and from what can be worked out with it." }
            @for (_, loss) in &losses { (compared(loss, writer)) @if loss.has_few_changes { p { (text(FEW)) } } }
            @if !main.rows.is_empty() { (main.markup()) }
            @for (_, loss) in &losses { @if let Some(table) = confidential(loss) { (table.markup()) } }
            @if let Some(differences) = &differences { (differences.markup()) }
            @if !analyses.rows.is_empty() { (analyses.markup()) }
            (figures::undefined(undefined))
            (figures::by_part(&by_part))
            (figures::definitions(&columns))
        },
    })
}

/// Said where losses would stand.
const FEW: &str = "Few cells were changed, or the result does not say how many: no loss is shown, since what a few cells lost gives them away.";

fn compared(loss: &Loss, writer: &Writer) -> Markup {
    let scenario = &loss.report.scenario;
    html! { @if !scenario.masked.is_empty() {
        (list(&[
            ("Compared", format!("{} with {}", base_name(&scenario.masked), base_name(&scenario.original))),
            ("Records", scenario.records.to_string()),
            ("Attributes", names(&scenario.attributes)),
            crossed(scenario.crosswalk.as_ref()),
            ("Records were aligned by", scenario.aligned_by.clone()),
        ]))
        @if writer.is_internal() && !scenario.left_out.is_empty() { details {
            summary { "Attributes that were not compared (" (scenario.left_out.len()) ")" }
            ul { @for left in &scenario.left_out { li { (text(&left.attribute)) ": it " (text(&left.why)) } } }
        } }
    } }
}

/// What confidential attributes lost that were masked.
fn confidential(loss: &Loss) -> Option<Table> {
    let masked = loss.report.confidential.as_ref()?;
    let column = Column {
        name: "Value".into(),
        figures: figures::all(&masked.figures, &masked.measures),
    };
    let caption = format!(
        "Confidential attributes that were masked, in no other figure: {}",
        names(&masked.attributes)
    );
    let is_told =
        |figure: &FigureRow| !measures::find(&figure.key).is_some_and(Definition::is_difference);
    let (table, _) = figures::side_by_side(&caption, std::slice::from_ref(&column), is_told);
    (!table.rows.is_empty()).then_some(table)
}

/// The name of a line of the table of differences.
fn line(of: Statistic) -> &'static str {
    match of {
        Statistic::Values => "Values",
        Statistic::Means => "Means",
        Statistic::Variances => "Variances",
        Statistic::Covariances => "Covariances",
        Statistic::Correlations => "Correlations",
        Statistic::Quantiles => "Quantiles",
    }
}

/// The name of a column.
fn column(by: Discrepancy) -> &'static str {
    match by {
        Discrepancy::MeanSquare => "Mean square",
        Discrepancy::MeanAbsolute => "Mean absolute",
        Discrepancy::MeanVariation => "Mean variation",
        Discrepancy::Probabilistic => "Probabilistic (PIL)",
    }
}

/// The differences between the files, what is compared by how; if they were measured.
fn differences(loss: &Loss) -> Option<Table> {
    let all = loss.all();
    let mut table = Table::new(
        "Differences between the files; 0 is none, lower is better",
        &["Of"],
        1,
    );
    table
        .header
        .extend(Discrepancy::ALL.map(|by| column(by).into()));
    for of in Statistic::ALL {
        let cell = |by| {
            let is_it = |figure: &&FigureRow| {
                measures::find(&figure.key)
                    .is_some_and(|what| what.group == Group::Difference(of, by))
            };
            all.iter()
                .find(is_it)
                .map_or(String::new(), FigureRow::shown)
        };
        let cells = Discrepancy::ALL.map(cell);
        if cells.iter().any(|cell| !cell.is_empty()) {
            let mut row = vec![line(of).to_string()];
            row.extend(cells);
            table.rows.push(row);
        }
    }
    (table.rows.len() > 1).then_some(table)
}

/// Totals, signs, zeros, ranges and categories.
fn attributes(name: &str, integrity: &Integrity) -> Table {
    let (header, rows) = integrity.rows();
    let header: Vec<&str> = (header.into_iter().enumerate())
        .map(|(place, title)| if place == 0 { "Attribute" } else { title })
        .collect();
    let title = format!("{}: original → masked where they differ", base_name(name));
    Table::new(&title, &header, 1).with(rows)
}

/// What a board asks first of a masked file: are the records there, the means, what is missing that was not.
pub(super) fn integrity(documents: &[Document], writer: &mut Writer) -> Option<Section> {
    const KEYS: [(&str, &str); 5] = [
        ("changed", "Values that differ from the original ones"),
        ("suppressed", "Values that were there and are missing now"),
        ("mean_variation_means", "Means: relative difference"),
        ("mean_variation_variances", "Variances: relative difference"),
        (
            "mean_absolute_correlations",
            "Correlations: absolute difference",
        ),
    ];
    let losses = of(documents);
    let mut rows = Vec::new();
    for (document, loss) in &losses {
        let mut row = |what: &str, found: String| {
            let of = match losses.len() {
                1 => String::new(),
                _ => format!(" ({})", base_name(&document.name)),
            };
            rows.push(vec![format!("{what}{of}"), found]);
        };
        if let ([original, masked], true) =
            (&document.origin.provenance.files[..], writer.is_internal())
        {
            for (what, before, after) in [
                ("Records", original.records, masked.records),
                ("Attributes", original.attributes, masked.attributes),
            ] {
                row(what, format!("{after}; {before} in the original"));
            }
        }
        for (key, name) in KEYS {
            if let Some(figure) = loss.find(key) {
                row(name, figure.shown());
            }
        }
    }
    // Totals and counts of cells are of the confidential file itself.
    let kept: Vec<(&Document, &Integrity)> = (losses.iter())
        .filter(|_| writer.is_internal())
        .filter_map(|(document, loss)| Some((*document, loss.report.integrity.as_ref()?)))
        .filter(|(_, integrity)| !integrity.attributes.is_empty())
        .collect();
    (!rows.is_empty()).then(|| Section {
        id: "integrity",
        title: "Integrity",
        content: html! {
            (Table::new("What was kept, and what was not", &["What", "Found"], 1).with(rows).markup())
            @for (document, integrity) in &kept {
                (attributes(&document.name, integrity).markup())
                @if !integrity.sums.is_empty() {
                    ul { @for sentence in integrity.sentences() { li { (text(&sentence)) } } }
                }
            }
            @if kept.is_empty() {
                p { "Whether sums, ranges and rules between attributes still hold is to be checked by those who know the file." }
            }
        },
    })
}
