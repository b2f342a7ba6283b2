//! The report of `sdcrisk loss`.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    crosswalk::{CrosswalkSummary, crossed},
    figures::{self, FigureRow},
    link::LeftOutAttribute,
    provenance::Provenance,
    spreadsheet, text,
};
use crate::{
    evaluate::comparable::Doubt,
    figure::{Better, Definition, Figure, Group, Unit},
    loss::{
        NO_CATEGORIES, NO_NUMBERS,
        analyses::Analysis,
        corrected::{Corrected, Correction, Estimate},
        weighted::{Weighted, WeightedRow},
    },
};

mod analyses;
mod differences;
pub mod integrity;
mod reading;

use integrity::Integrity;

/// The schema name and version of this report.
pub const SCHEMA: &str = "sdcrisk.loss/1";

/// What was compared with what.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct LossScope {
    /// Name of the original file.
    pub original: String,
    /// Name of the masked file.
    pub masked: String,
    /// Records that both files have.
    pub records: usize,
    /// The attributes that were compared.
    pub attributes: Vec<String>,
    /// Those of them that are numbers in both files; the others were compared as categories.
    pub numbers: Vec<String>,
    /// The others that changed: they are neither in IL nor in PIL.
    pub not_in_il: Vec<String>,
    /// How it was known who is who.
    pub aligned_by: String,
    /// The attributes that were not compared.
    pub left_out: Vec<LeftOutAttribute>,
    /// What brought the original into the terms of the masked file before anything was compared, if anything did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crosswalk: Option<CrosswalkSummary>,
    /// Those of them that both files have and that differ: what was lost of them is in no figure.
    pub differ_unseen: Vec<String>,
}

/// What was measured, in the order of the report.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Measured {
    /// Of the data.
    pub data: Vec<Figure>,
    /// What of it remains after a correction by what was published.
    pub correction: Option<Correction>,
    /// Of analyses, with what was done.
    pub analyses: Analysis,
    /// For users who weight records, if weights were stated.
    pub weighted: Option<WeightedLoss>,
    /// Of confidential attributes, if some were masked: they are in none of the others.
    pub confidential: Option<ConfidentialLoss>,
}

/// What confidential attributes lost.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfidentialLoss {
    /// The attributes.
    pub attributes: Vec<String>,
    /// The measures of them alone.
    pub figures: Vec<Figure>,
}

/// The same for programs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ConfidentialJson {
    /// The confidential attributes that were masked.
    pub attributes: Vec<String>,
    /// The value of every figure of them by its key, `null` where it is not defined.
    pub measures: Map<String, Value>,
    /// What they lost.
    pub figures: Vec<FigureRow>,
}

/// What was lost for users who weight records.
#[derive(Debug, Clone, PartialEq)]
pub struct WeightedLoss {
    /// The attribute with the weights.
    pub attribute: String,
    /// The measures that weights change.
    pub figures: Vec<Weighted>,
}

/// The same for programs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct WeightedJson {
    /// The attribute with the weights.
    pub attribute: String,
    /// The measures that weights change; all others are without weights.
    pub measures: Vec<WeightedRow>,
}

/// What was lost.
#[derive(Debug, Clone, PartialEq)]
pub struct LossReport {
    /// Attributes that could not be compared in earnest.
    pub warnings: Vec<Doubt>,
    /// What was compared.
    pub scenario: LossScope,
    /// What was measured.
    pub measured: Measured,
    /// Totals, signs, zeros, ranges, categories and sums, before and after; nothing where measures were chosen.
    pub integrity: Option<Integrity>,
    /// Whether it is reported attribute by attribute.
    pub by_attribute: bool,
    /// Where the report comes from; made for JSON only.
    pub provenance: Option<Provenance>,
}

/// What the JSON of the report holds, as it is written and read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LossJson {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// Version of the program.
    pub version: String,
    /// Attributes that could not be compared in earnest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Doubt>,
    /// What was compared.
    #[serde(default)]
    pub scenario: LossScope,
    /// The value of every figure by its key, `null` where it is not defined.
    pub measures: Map<String, Value>,
    /// What the data lost.
    #[serde(default)]
    pub figures: Vec<FigureRow>,
    /// What users correct, where a correction was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correction: Option<CorrectionRow>,
    /// The measures that a correction can change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub corrected: Vec<CorrectedRow>,
    /// What analyses of the file lose.
    #[serde(default)]
    pub analyses: Vec<FigureRow>,
    /// What must be said of the analyses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub analysis_notes: Vec<String>,
    /// What users lose who weight records, if weights were stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weighted: Option<WeightedJson>,
    /// What confidential attributes lost, if some were masked: they are in no other figure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidential: Option<ConfidentialJson>,
    /// Totals, signs, zeros, ranges, categories and sums, before and after.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub integrity: Option<Integrity>,
    /// Where it comes from.
    pub provenance: Option<Provenance>,
}

/// What users correct.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CorrectionRow {
    /// What users do, in plain words.
    pub law: String,
    /// The attributes that are corrected.
    pub attributes: Vec<String>,
    /// The statistics that it changes, where the report is by attribute.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub estimates: Vec<Estimate>,
}

/// A measure without and with correction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CorrectedRow {
    /// Its name for programs.
    pub key: String,
    /// Its name for people.
    pub name: String,
    /// For users who take the masked file as it is; `null` where it is not defined.
    pub naive: Option<f64>,
    /// For users who correct; `null` where it is not defined.
    pub corrected: Option<f64>,
    /// Which end is the better one.
    pub direction: Better,
    /// The least possible value, `null` without bound.
    pub least: Option<f64>,
    /// The greatest possible value, `null` without bound.
    pub most: Option<f64>,
}

impl CorrectedRow {
    fn new(figures: &Corrected) -> Self {
        let what = figures.naive.what;
        Self {
            key: what.key.into(),
            name: what.name.into(),
            naive: figures.naive.value,
            corrected: figures.corrected.value,
            direction: what.better,
            least: Some(what.least),
            most: what.most,
        }
    }
}

impl LossReport {
    /// For programs.
    pub fn to_json(&self) -> String {
        let mut measures = figures::measures(&self.measured.data);
        measures.extend(figures::measures(&self.measured.analyses.figures));
        let correction = self.measured.correction.as_ref();
        let json = LossJson {
            schema: SCHEMA.into(),
            version: env!("CARGO_PKG_VERSION").into(),
            warnings: self.warnings.clone(),
            scenario: self.scenario.clone(),
            measures,
            figures: self.rows(&self.measured.data),
            correction: correction.map(|correction| CorrectionRow {
                law: correction.law.clone(),
                attributes: correction.attributes.clone(),
                estimates: if self.by_attribute {
                    correction.estimates.clone()
                } else {
                    Vec::new()
                },
            }),
            corrected: correction.map_or(Vec::new(), |correction| {
                correction.figures.iter().map(CorrectedRow::new).collect()
            }),
            // Their parts are results: coefficients, classes, starts.
            analyses: figures::rows(&self.measured.analyses.figures),
            analysis_notes: self.measured.analyses.notes.clone(),
            weighted: (self.measured.weighted.as_ref()).map(|weighted| WeightedJson {
                attribute: weighted.attribute.clone(),
                measures: weighted.figures.iter().map(WeightedRow::from).collect(),
            }),
            confidential: (self.measured.confidential.as_ref()).map(|confidential| {
                ConfidentialJson {
                    attributes: confidential.attributes.clone(),
                    measures: figures::measures(&confidential.figures),
                    figures: self.rows(&confidential.figures),
                }
            }),
            integrity: self.integrity.clone(),
            provenance: self.provenance.clone(),
        };
        serde_json::to_string_pretty(&json).unwrap_or_default() + "\n"
    }

    fn rows(&self, of: &[Figure]) -> Vec<FigureRow> {
        let mut rows = figures::rows(of);
        if !self.by_attribute {
            for row in &mut rows {
                row.parts.clear();
            }
        }
        rows
    }

    /// One line a measure, and one for each attribute of it if that was asked for. A value that is not defined is empty.
    ///
    /// # Errors
    /// Never in fact: it writes to memory.
    pub fn to_csv(&self) -> Result<String, csv::Error> {
        let mut writer = spreadsheet::writer(Vec::new());
        writer.write_record([
            "original",
            "masked",
            "measure",
            "attribute",
            "value",
            "counted",
            "skipped",
        ])?;
        let (original, masked) = (&self.scenario.original, &self.scenario.masked);
        let data = self.measured.data.iter().map(|f| (f, self.by_attribute));
        let analyses = self.measured.analyses.figures.iter().map(|f| (f, true));
        let data = data.map(|(figure, parts)| (figure.what.key.to_owned(), figure, parts));
        let analyses = analyses.map(|(figure, parts)| (figure.what.key.to_owned(), figure, parts));
        let confidential = self.measured.confidential.iter();
        let confidential = confidential.flat_map(|confidential| &confidential.figures);
        let confidential =
            confidential.map(|f| (format!("confidential:{}", f.what.key), f, self.by_attribute));
        for (key, figure, with_parts) in data.chain(analyses).chain(confidential) {
            let key = &key;
            writer.serialize((
                original,
                masked,
                key,
                "",
                figure.value,
                figure.counted,
                figure.skipped,
            ))?;
            for part in figure.parts.iter().filter(|_| with_parts) {
                let nothing: Option<u64> = None;
                writer.serialize((
                    original, masked, key, &part.name, part.value, nothing, nothing,
                ))?;
            }
        }
        spreadsheet::text(writer)
    }

    /// For people.
    pub fn to_text(&self) -> String {
        let warnings = text::warnings(self.warnings.iter().map(Doubt::text));
        let mut content = warnings + &self.head() + &self.unseen();
        for (title, group) in GROUPS {
            content += &self.section(title, &self.group(|what| what.group == group));
        }
        let differences = self.group(Definition::is_difference);
        let side_by_side = differences::table(&differences);
        content += &match &side_by_side {
            Some(table) => {
                let parts = if self.by_attribute {
                    by_attribute(&differences)
                } else {
                    String::new()
                };
                format!("\n{}\n{table}{parts}", differences::TITLE)
            }
            // Where some were chosen each has its line.
            None => self.section("Differences", &differences),
        };
        if let Some(correction) = &self.measured.correction {
            content += &corrected(correction, self.by_attribute);
        }
        content += &(self.measured.weighted.as_ref()).map_or(String::new(), weighted);
        content += &(self.measured.confidential.as_ref())
            .map_or(String::new(), |of| confidential(of, self.by_attribute));
        content += &analyses::section(&self.measured.analyses);
        content += &(self.integrity.as_ref()).map_or(String::new(), Integrity::to_text);
        let mut reading = reading::of(&self.measured, &self.scenario);
        reading.extend(analyses::reading(&self.measured.analyses));
        if !reading.is_empty() {
            content += "\nWhat this says\n";
            for sentence in reading {
                content += &text::paragraph(&sentence);
            }
        }
        content
    }

    /// What each measure is, and where it was published: for people who ask.
    pub fn definitions(&self) -> String {
        let differences = self.group(Definition::is_difference);
        let of_differences = match differences::table(&differences) {
            Some(_) => differences::definitions(),
            None => figures::definitions(&differences),
        };
        format!(
            "\nWhat the measures are\n{}{of_differences}{}",
            figures::definitions(&self.group(|what| !what.is_difference())),
            analyses::definitions(&self.measured.analyses)
        )
    }

    /// The headline figures, a line each: for pipelines and logs. Where none was chosen, those that were.
    pub fn to_brief(&self) -> String {
        let overall = self.group(|what| what.group == Group::Overall);
        let figures = if overall.is_empty() {
            &self.measured.data
        } else {
            &overall
        };
        text::warnings(self.warnings.iter().map(Doubt::text))
            + &self.head()
            + &self.unseen()
            + &figures::lines(figures)
            + &(self.measured.confidential.as_ref()).map_or(String::new(), |of| {
                let figures = of.figures.iter();
                let loss = figures.filter(|figure| figure.what.key == "il").cloned();
                format!(
                    "By themselves, since they are confidential: {}\n",
                    of.attributes.join(", ")
                ) + &figures::lines(&loss.collect::<Vec<_>>())
            })
    }

    fn group(&self, belongs: impl Fn(&Definition) -> bool) -> Vec<Figure> {
        // What the files have nothing for is reported in JSON and CSV only, unless it is all that was asked for.
        let has_nothing = |figure: &Figure| {
            let why_not = figure.why_not.as_deref();
            why_not == Some(NO_NUMBERS) || why_not == Some(NO_CATEGORIES)
        };
        let data = &self.measured.data;
        let all = data.iter().all(has_nothing);
        data.iter()
            .filter(|figure| belongs(figure.what) && (all || !has_nothing(figure)))
            .cloned()
            .collect()
    }

    fn head(&self) -> String {
        let scenario = &self.scenario;
        let count = |n: usize, what: &str| match n {
            1 => format!("1 {what}"),
            n => format!("{n} {what}s"),
        };
        let categories = scenario.attributes.len() - scenario.numbers.len();
        let kinds = match (scenario.numbers.len(), categories) {
            (_, 0) => "all numbers".to_string(),
            (0, _) => "all categories".to_string(),
            (numbers, categories) => format!("{numbers} of numbers, {categories} of categories"),
        };
        format!(
            "{} and {}: {} by {}, {} ({kinds})\n",
            scenario.original,
            scenario.masked,
            count(scenario.records, "record"),
            scenario.aligned_by,
            count(scenario.attributes.len(), "attribute"),
        ) + &crossed(scenario.crosswalk.as_ref())
    }

    /// What is in no figure although it was masked.
    fn unseen(&self) -> String {
        reading::unseen(&self.scenario).map_or(String::new(), |unseen| text::paragraph(&unseen))
    }

    fn section(&self, title: &str, of: &[Figure]) -> String {
        if of.is_empty() {
            return String::new();
        }
        let mut content = format!("\n{title}\n{}", figures::table(of));
        if self.by_attribute {
            content += &by_attribute(of);
        }
        content
    }
}

/// The measures of the data, in groups that are read together; the differences come after them.
const GROUPS: [(&str, Group); 2] = [
    ("In short", Group::Overall),
    ("Categories and cells", Group::Cells),
];

/// What remains after a correction, beside what is lost without it.
fn corrected(correction: &Correction, by_attribute: bool) -> String {
    let rows: Vec<Vec<String>> = (correction.figures.iter())
        .map(|Corrected { naive, corrected }| {
            let what = naive.what;
            vec![
                what.name.into(),
                what.key.into(),
                figures::shown(naive.value, what.unit),
                figures::shown(corrected.value, what.unit),
            ]
        })
        // What a correction leaves as it is stands above.
        .filter(|row| row[2] != row[3])
        .collect();
    if rows.is_empty() {
        return format!(
            "\nWhat remains for users who correct by what was published\n{}{}",
            text::paragraph(&correction.law),
            text::paragraph("No measure changes by it.")
        );
    }
    format!(
        "\nWhat remains for users who correct by what was published (lower is better)\n{}{}",
        text::paragraph(&correction.law),
        text::columns(&["", "key", "as it is", "corrected"], &rows, 2)
    ) + &if by_attribute {
        shares(correction)
    } else {
        String::new()
    }
}

/// The shares of categories that a correction changes, a category a line.
fn shares(correction: &Correction) -> String {
    let row = |estimate: &Estimate| {
        let category = estimate.category.as_ref()?;
        let share = |value: f64| figures::shown(Some(value), Unit::Share);
        Some(vec![
            format!("{} = {category}", estimate.attributes.join(", ")),
            share(estimate.original),
            share(estimate.masked),
            share(estimate.corrected),
        ])
    };
    let rows: Vec<Vec<String>> = correction.estimates.iter().filter_map(row).collect();
    if rows.is_empty() {
        return String::new();
    }
    "\n".to_owned() + &text::columns(&["share of", "original", "as it is", "corrected"], &rows, 1)
}

/// What confidential attributes lost: differences only where nothing else was asked for, since one statistic of them is much like another.
fn confidential(confidential: &ConfidentialLoss, parts: bool) -> String {
    let is_told = |figure: &&Figure| figure.value.is_some();
    let shown: Vec<Figure> = confidential
        .figures
        .iter()
        .filter(is_told)
        .cloned()
        .collect();
    let in_short: Vec<Figure> = (shown.iter())
        .filter(|figure| !figure.what.is_difference())
        .cloned()
        .collect();
    let shown = if in_short.is_empty() { shown } else { in_short };
    format!(
        "\nConfidential attributes that were masked (lower is better; they are in no figure above): {}\n{}{}",
        text::names(&confidential.attributes, 12),
        figures::table(&shown),
        if parts {
            by_attribute(&shown)
        } else {
            String::new()
        }
    )
}

/// What weights change.
fn weighted(weighted: &WeightedLoss) -> String {
    let shown = |figure: &Figure| figures::shown(figure.value, figure.what.unit);
    let rows: Vec<Vec<String>> = (weighted.figures.iter())
        .map(|figures| {
            let what = figures.unweighted.what;
            vec![
                what.name.into(),
                what.key.into(),
                shown(&figures.unweighted),
                shown(&figures.weighted),
            ]
        })
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    format!(
        "\nFor users who weight records by {} (lower is better; all other figures are without weights)\n{}",
        weighted.attribute,
        text::columns(&["", "key", "unweighted", "weighted"], &rows, 2)
    )
}

/// Figures by attribute: an attribute a line, a figure a column.
fn by_attribute(of: &[Figure]) -> String {
    let shown: Vec<&Figure> = of
        .iter()
        .filter(|figure| !figure.parts.is_empty())
        .collect();
    let mut names: Vec<&str> = Vec::new();
    for part in shown.iter().flat_map(|figure| &figure.parts) {
        if !names.contains(&part.name.as_str()) {
            names.push(&part.name);
        }
    }
    // Keys are long: a few figures side by side still fit the terminal.
    const SIDE_BY_SIDE: usize = 4;
    let mut content = String::new();
    for figures in shown.chunks(SIDE_BY_SIDE) {
        let header: Vec<&str> = std::iter::once("")
            .chain(figures.iter().map(|figure| figure.what.key))
            .collect();
        let cell = |figure: &Figure, name: &str| {
            let part = figure.parts.iter().find(|part| part.name == name);
            part.map_or(String::new(), |part| {
                figures::shown(part.value, figure.what.unit)
            })
        };
        let rows: Vec<Vec<String>> = names
            .iter()
            .map(|name| {
                let cells = figures.iter().map(|figure| cell(figure, name));
                std::iter::once((*name).to_string()).chain(cells).collect()
            })
            .collect();
        content += "\n";
        content += &text::columns(&header, &rows, 1);
    }
    content
}
