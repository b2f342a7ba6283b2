//! Risk without linkage: what the files give away by themselves.

use maud::{Markup, html};

use super::{
    Section,
    document::{Content, Document},
    figures::{self, Column},
    frame::KEPT,
    link::bin_label,
    parts::{Table, Writer, base_name, crossed, list, names, text},
};
use crate::{
    figure::About,
    report::{
        chart::{
            histogram::{self, Bar},
            plot::Words,
        },
        figures::FigureRow,
        risk::RiskJson,
        text::percent,
    },
    statement::MissingMatches,
};

/// What `risk` found, on the page.
impl RiskJson {
    fn now(&self) -> Vec<FigureRow> {
        figures::all(&self.figures, &self.measures)
    }

    fn original(&self) -> Vec<FigureRow> {
        let figures = self.figures_before.as_deref().unwrap_or_default();
        match &self.before {
            Some(measures) => figures::all(figures, measures),
            None => figures.to_vec(),
        }
    }

    /// The figure of a key, where it has a value.
    pub(super) fn find(&self, key: &str) -> Option<FigureRow> {
        let mut all = self.now().into_iter();
        all.find(|figure| figure.key == key && figure.value.is_some())
    }

    /// The same of the original, if the figures are of a masked file.
    pub(super) fn find_before(&self, key: &str) -> Option<FigureRow> {
        let mut all = self.original().into_iter();
        all.find(|figure| figure.key == key && figure.value.is_some())
    }
}

pub(super) fn section(documents: &[Document], writer: &mut Writer) -> Option<Section> {
    let risks: Vec<(&Document, &RiskJson)> = documents
        .iter()
        .filter_map(|document| match &document.content {
            Content::Risk(risk) => Some((document, &**risk)),
            _ => None,
        })
        .collect();
    if risks.is_empty() {
        return None;
    }
    let columns = columns(&risks);
    let content = if writer.is_internal() {
        inside(&risks, &columns, writer)
    } else {
        let names: Vec<&str> = figures::kinds(&columns)
            .iter()
            .map(|figure| figure.name.as_str())
            .collect();
        html! {
            p { "Measured: " (text(&names.join(", "))) "." }
            p { (KEPT) }
        }
    };
    Some(Section {
        id: "risk",
        title: "Risk without linkage",
        content,
    })
}

/// Before and after, or file by file.
fn columns(risks: &[(&Document, &RiskJson)]) -> Vec<Column> {
    let mut columns = Vec::new();
    for (document, risk) in risks {
        let of = match risks {
            [_] => String::new(),
            _ => format!(" ({})", base_name(&document.name)),
        };
        let before = risk.original();
        let has_before = !before.is_empty();
        if has_before {
            columns.push(Column {
                name: format!("Before{of}"),
                figures: before,
            });
        }
        columns.push(Column {
            name: match (has_before, risk.scenario.masked.is_some()) {
                (true, _) | (_, true) => format!("After{of}"),
                (false, false) if risks.len() == 1 => "Value".into(),
                (false, false) => base_name(&document.name).into(),
            },
            figures: risk.now(),
        });
    }
    columns
}

fn inside(risks: &[(&Document, &RiskJson)], columns: &[Column], writer: &mut Writer) -> Markup {
    let mut undefined = Vec::new();
    let mut tables = Vec::new();
    let mut add = |caption: &str, is_wanted: &dyn Fn(&FigureRow) -> bool| {
        let (table, without) = figures::side_by_side(caption, columns, is_wanted);
        undefined.extend(without);
        if !table.rows.is_empty() {
            tables.push(table);
        }
    };
    for about in About::ALL {
        add(about.title(), &|figure| figure.about == Some(about));
    }
    add("Figures of risk", &|figure| figure.about.is_none());
    let pictures: Vec<Markup> = risks
        .iter()
        .map(|(document, risk)| class_sizes(risk, base_name(&document.name), writer))
        .collect();
    html! {
        p { "What the files give away without any linkage." }
        @for (_, risk) in risks { (scenario(risk)) }
        @for table in &tables { (table.markup()) }
        @for (_, risk) in risks { @for reading in &risk.readings { p { (text(&reading.text)) } } }
        @for picture in &pictures { (picture) }
        @for (_, risk) in risks { (most_at_risk(risk)) }
        (figures::undefined(undefined))
        (figures::by_part(columns))
        (figures::definitions(columns))
    }
}

fn scenario(risk: &RiskJson) -> Markup {
    let scenario = &risk.scenario;
    list(&[
        (
            "File",
            scenario
                .masked
                .as_ref()
                .unwrap_or(&scenario.original)
                .clone(),
        ),
        (
            "Compared with",
            scenario
                .masked
                .as_ref()
                .map_or(String::new(), |_| scenario.original.clone()),
        ),
        crossed((scenario.pair.as_ref()).and_then(|pair| pair.crosswalk.as_ref())),
        (
            "Recoded in the original as the statement says",
            (scenario.pair.as_ref()).map_or_else(String::new, |pair| names(&pair.recoded)),
        ),
        ("Attributes of the key", names(&scenario.key)),
        (
            "A missing value of the key matches",
            match scenario.missing_matches {
                MissingMatches::Any => "any value".into(),
                MissingMatches::Missing => "missing values only".into(),
            },
        ),
        ("Confidential attributes", names(&scenario.confidential)),
        (
            "Weights of the sample",
            scenario.weights.clone().unwrap_or_default(),
        ),
    ])
}

/// Records by how many match them on the key.
fn class_sizes(risk: &RiskJson, name: &str, writer: &mut Writer) -> Markup {
    let mut bins: Vec<(u64, u64)> = Vec::new();
    for class in &risk.classes {
        let least = class.size.checked_ilog2().map_or(0, |power| 1_u64 << power);
        match bins.iter_mut().find(|(bin, _)| *bin == least) {
            Some((_, records)) => *records = records.saturating_add(class.records),
            None => bins.push((least, class.records)),
        }
    }
    bins.sort_unstable();
    if bins.is_empty() {
        return html! {};
    }
    let label = |size: u64| match size {
        0 => "nothing of the key".to_string(),
        1 => "1, alone".into(),
        size => format!("{size} to {}", size.saturating_mul(2).saturating_sub(1)),
    };
    let bars: Vec<Bar> = bins
        .iter()
        .map(|&(size, records)| Bar {
            label: bin_label(size),
            name: label(size),
            count: records,
            stands_out: size == 1,
        })
        .collect();
    let words = Words {
        title: "How many records share a key",
        below: &format!(
            "{name}: the fewer share it, the easier one is singled out; at 1 stand those who are alone"
        ),
        x: "records that match on the key",
        y: "records",
    };
    let table = Table::new(
        "Records by how many match them on the key",
        &["Matching, themselves included", "Records"],
        1,
    )
    .with(
        risk.classes
            .iter()
            .map(|class| vec![class.size.to_string(), class.records.to_string()]),
    );
    writer.figure(
        &histogram::drawing(&bars, &words),
        "A record that matches itself alone is unique in the file; it need not be unique in the population.",
        &table,
    )
}

/// The records most at risk, by row number: for the office alone.
fn most_at_risk(risk: &RiskJson) -> Markup {
    let whole = |number: Option<u32>| number.map_or(String::new(), |number| number.to_string());
    let table = Table::new(
        "Records most at risk, by their row in the file",
        &[
            "Row",
            "Matching on the key",
            "People they stand for",
            "Individual risk",
            "Minimal sample uniques",
            "SUDA score",
            "DIS-SUDA",
        ],
        1,
    )
    .with(risk.most_at_risk.iter().map(|record| {
        vec![
            record.record.to_string(),
            record.matching.to_string(),
            record
                .population
                .map_or(String::new(), |people| format!("{people:.1}")),
            percent(record.individual_risk),
            whole(record.minimal_uniques),
            record
                .suda_score
                .map_or(String::new(), |score| format!("{score:.4}")),
            record.dis_suda.map_or(String::new(), percent),
        ]
    }));
    html! { @if !table.rows.is_empty() { details { summary { "Records most at risk" } (table.markup()) } } }
}
