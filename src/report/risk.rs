//! The report of `sdcrisk risk`.

mod reading;

use std::io::{self, Write};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    crosswalk::{CrosswalkSummary, crossed},
    figures::{self, FigureRow},
    io_error,
    limit::LimitReport,
    link::LeftOutAttribute,
    provenance::Provenance,
    spreadsheet, text,
};
use crate::{
    evaluate::comparable::Doubt,
    figure::{About, Definition, Figure, Part},
    risk::{
        records::{RecordRisk, RecordRisks},
        suda::Scoring,
    },
    statement::MissingMatches,
};

/// The schema name and version of this report.
pub const SCHEMA: &str = "sdcrisk.risk/1";

/// Sizes of classes that are listed one by one in text.
const SIZES_TOLD: usize = 8;

/// What was measured, and by what conventions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RiskScope {
    /// Name of the original file, or of the one file.
    pub original: String,
    /// Name of the masked file, if there is one: then the figures are of it.
    pub masked: Option<String>,
    /// Records of the file that the figures are of.
    pub records: usize,
    /// The attributes of the key.
    pub key: Vec<String>,
    /// Those of them that the masked file lacks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub key_not_released: Vec<String>,
    /// Attributes that an intruder may know, but that are in no key, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_in_key: Vec<LeftOutAttribute>,
    /// What a missing value of the key matches.
    pub missing_matches: MissingMatches,
    /// The confidential attributes.
    pub confidential: Vec<String>,
    /// The attribute with the weights of the sample.
    pub weights: Option<String>,
    /// The k that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub k: Option<u32>,
    /// The l that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub l: Option<u32>,
    /// The t that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub t: Option<f64>,
    /// The c of recursive l-diversity.
    pub c: f64,
    /// How minimal sample uniques were searched, if they were.
    pub suda: Option<SudaSummary>,
    /// How two files were compared.
    pub pair: Option<PairSummary>,
}

/// How minimal sample uniques were searched.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SudaSummary {
    /// Most attributes of a set.
    pub most_attributes: u32,
    /// How they were scored.
    pub scoring: Scoring,
    /// The share of the population in the sample.
    pub sampling_fraction: f64,
    /// Where that is from.
    pub sampling_fraction_from: FractionFrom,
}

/// Where a sampling fraction is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum FractionFrom {
    /// It was stated.
    Option,
    /// The records over the sum of their weights.
    Weights,
    /// Neither: that of the literature.
    Default,
}

/// How two files were compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PairSummary {
    /// Records that both files have.
    pub records: usize,
    /// How it was known who is who.
    pub aligned_by: String,
    /// The attributes of which masked values were compared with original ones.
    pub compared: Vec<String>,
    /// Those that were not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOutAttribute>,
    /// What brought the original into the terms of the masked file before anything was compared, if anything did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crosswalk: Option<CrosswalkSummary>,
    /// What the intruder who guesses confidential values knows of a person; empty where nothing is confidential.
    pub known: Vec<String>,
    /// How close a guessed number is to count as right, as a share of the true one.
    pub tolerance: f64,
    /// The confidential attributes that were masked: how close their masked values are has figures of its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub confidential_masked: Vec<String>,
    /// The attributes of the original that were recoded as the statement says before anything was compared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recoded: Vec<String>,
}

/// Records by how many match them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ClassSize {
    /// How many records match on the key.
    pub size: u32,
    /// How many records have so many.
    pub records: u64,
}

/// The risk of one record.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RecordRow {
    /// Its number in the file, from 1.
    pub record: usize,
    /// How many records match it on the key; 0 if it has nothing of the key.
    pub matching: u32,
    /// How many people of the population they stand for.
    pub population: Option<f64>,
    /// Its individual risk.
    pub individual_risk: f64,
    /// The number of its minimal sample uniques.
    pub minimal_uniques: Option<u32>,
    /// Attributes of the smallest of them.
    pub smallest_unique: Option<u32>,
    /// Its SUDA score.
    pub suda_score: Option<f64>,
    /// Its DIS-SUDA.
    pub dis_suda: Option<f64>,
}

impl From<RecordRisk> for RecordRow {
    fn from(risk: RecordRisk) -> Self {
        let special = risk.special;
        Self {
            record: risk.record + 1,
            matching: risk.matching,
            population: risk.population,
            individual_risk: risk.individual,
            minimal_uniques: special.map(|special| special.sets),
            smallest_unique: special
                .map(|special| special.smallest)
                .filter(|&size| size > 0),
            suda_score: special.map(|special| special.score),
            dis_suda: special.and_then(|special| special.dis),
        }
    }
}

/// What was measured.
#[derive(Debug, Clone, PartialEq)]
pub struct RiskReport {
    /// Attributes that could not be compared in earnest.
    pub warnings: Vec<Doubt>,
    /// Of what, and how.
    pub scenario: RiskScope,
    /// The figures of the file, or of the masked one.
    pub figures: Vec<Figure>,
    /// The figures of the original, if there is a masked file.
    pub before: Option<Vec<Figure>>,
    /// Records by how many match them, in the file that the figures are of.
    pub classes: Vec<ClassSize>,
    /// The records most at risk in it.
    pub most_at_risk: Vec<RecordRow>,
    /// The limits that were set, and whether they were kept.
    pub limits: Vec<LimitReport>,
    /// Where the report comes from; made for JSON only.
    pub provenance: Option<Provenance>,
}

/// What the figures say of one thing that they are about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Reading {
    /// What they are about.
    pub about: About,
    /// A sentence or a few.
    pub text: String,
}

/// What the JSON of the report holds, as it is written and read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RiskJson {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// Version of the program.
    pub version: String,
    /// Attributes that could not be compared in earnest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Doubt>,
    /// Of what, and how.
    pub scenario: RiskScope,
    /// The value of every figure by its key, `null` where it is not defined.
    pub measures: Map<String, Value>,
    /// The same of the original, if the figures are of a masked file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Map<String, Value>>,
    /// The figures of the file, or of the masked one.
    #[serde(default)]
    pub figures: Vec<FigureRow>,
    /// Those of the original, if there is a masked file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub figures_before: Option<Vec<FigureRow>>,
    /// The same in words.
    #[serde(default)]
    pub readings: Vec<Reading>,
    /// Records by how many match them.
    #[serde(default)]
    pub classes: Vec<ClassSize>,
    /// The records most at risk.
    #[serde(default)]
    pub most_at_risk: Vec<RecordRow>,
    /// The limits that were set, and whether they were kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<LimitReport>,
    /// Where it comes from.
    pub provenance: Option<Provenance>,
}

fn rows(of: &[Figure]) -> Vec<FigureRow> {
    let about = of.iter().map(|figure| about(figure.what));
    let tagged = about.zip(figures::rows(of));
    tagged
        .map(|(about, figure)| FigureRow {
            about: Some(about),
            ..figure
        })
        .collect()
}

/// What a figure is about; what is not of risk would be an inference.
fn about(what: &Definition) -> About {
    what.about().unwrap_or(About::Inference)
}

impl RiskReport {
    /// For programs.
    pub fn to_json(&self) -> String {
        let reading = |about| {
            let text = reading::of(self, about);
            (!text.is_empty()).then_some(Reading { about, text })
        };
        let json = RiskJson {
            schema: SCHEMA.into(),
            version: env!("CARGO_PKG_VERSION").into(),
            warnings: self.warnings.clone(),
            scenario: self.scenario.clone(),
            measures: figures::measures(&self.figures),
            before: self.before.as_deref().map(figures::measures),
            figures: rows(&self.figures),
            figures_before: self.before.as_deref().map(rows),
            readings: About::ALL.into_iter().filter_map(reading).collect(),
            classes: self.classes.clone(),
            most_at_risk: self.most_at_risk.clone(),
            limits: self.limits.clone(),
            provenance: self.provenance.clone(),
        };
        serde_json::to_string_pretty(&json).unwrap_or_default() + "\n"
    }

    /// One line a figure. What is not defined is empty.
    ///
    /// # Errors
    /// Never in fact: it writes to memory.
    pub fn to_csv(&self) -> Result<String, csv::Error> {
        let mut writer = spreadsheet::writer(Vec::new());
        writer.write_record([
            "about",
            "measure",
            "attribute",
            "value",
            "before",
            "counted",
        ])?;
        for figure in &self.figures {
            let key = figure.what.key;
            let about = about(figure.what).word();
            let before = self.figure_before(key);
            let value = before.and_then(|before| before.value);
            writer.serialize((about, key, "", figure.value, value, figure.counted))?;
            for part in &figure.parts {
                let same = |other: &&Part| other.name == part.name;
                let before = before
                    .and_then(|before| before.parts.iter().find(same))
                    .and_then(|part| part.value);
                let nothing: Option<u64> = None;
                writer.serialize((about, key, &part.name, part.value, before, nothing))?;
            }
        }
        spreadsheet::text(writer)
    }

    /// For people.
    pub fn to_text(&self) -> String {
        let mut content = text::warnings(self.warnings.iter().map(Doubt::text)) + &self.head();
        for about in About::ALL {
            content += &self.section(about);
        }
        content += &self.classes();
        content += &self.exposed();
        content += "\nWhat this says\n";
        for about in About::ALL {
            let sentences = reading::of(self, about);
            if !sentences.is_empty() {
                content += &text::paragraph(&sentences);
            }
        }
        content += &text::paragraph(
            "The figures inform a decision; they do not make it. They count what the file shows under this scenario: another key, \
             or other knowledge, gives others.",
        );
        content
    }

    /// What each measure is, and where it was published: for people who ask.
    pub fn definitions(&self) -> String {
        format!(
            "\nWhat the measures are\n{}",
            figures::definitions(&self.figures)
        )
    }

    /// What it says of the three questions, in a few sentences: for pipelines and logs.
    pub fn to_brief(&self) -> String {
        let head = self.head();
        let mut content = text::warnings(self.warnings.iter().map(Doubt::text));
        content += head.lines().next().unwrap_or_default();
        content.push('\n');
        for about in About::ALL {
            let sentences = reading::of(self, about);
            if !sentences.is_empty() {
                content += &text::paragraph(&sentences);
            }
        }
        content
    }

    fn figure_before(&self, key: &str) -> Option<&Figure> {
        let before = self.before.as_deref()?;
        before.iter().find(|figure| figure.what.key == key)
    }

    fn head(&self) -> String {
        let scenario = &self.scenario;
        let file = scenario.masked.as_ref().unwrap_or(&scenario.original);
        let mut content = format!(
            "Risk of {file} ({} records) without linkage",
            scenario.records
        );
        if let Some(pair) = &scenario.pair {
            content += &format!(
                ", beside {} ({} records of both, by {})",
                scenario.original, pair.records, pair.aligned_by
            );
        }
        content.push('\n');
        let list = |names: &[String]| {
            if names.is_empty() {
                "none".to_string()
            } else {
                text::names(names, 12)
            }
        };
        let matches = match scenario.missing_matches {
            MissingMatches::Any => "every value",
            MissingMatches::Missing => "only missing values",
        };
        let apart = if scenario.missing_matches == MissingMatches::Any
            && !scenario.confidential.is_empty()
        {
            ", but is a category of its own for groups (l-diversity, t-closeness, values given away)"
        } else {
            ""
        };
        content += &text::paragraph(&format!(
            "Key: {}; a missing value matches {matches}{apart}. Confidential: {}. Weights: {}.",
            list(&scenario.key),
            list(&scenario.confidential),
            scenario.weights.as_deref().unwrap_or("none"),
        ));
        if let Some(pair) = (scenario.pair.as_ref()).filter(|pair| !pair.known.is_empty()) {
            content += &text::paragraph(&format!(
                "Confidential values are guessed from the nearest record, by who knows: {}.",
                list(&pair.known)
            ));
        }
        let crosswalk = (scenario.pair.as_ref()).and_then(|pair| pair.crosswalk.as_ref());
        content += &crossed(crosswalk);
        if let Some(pair) = (scenario.pair.as_ref()).filter(|pair| !pair.recoded.is_empty()) {
            content += &text::paragraph(&format!(
                "Beside the masked file the original is recoded as the statement says: {}. What is counted before masking is of the file as \
                 it was collected.",
                list(&pair.recoded)
            ));
        }
        if let Some(pair) =
            (scenario.pair.as_ref()).filter(|pair| !pair.confidential_masked.is_empty())
        {
            content += &text::paragraph(&format!(
                "Confidential attributes that were masked, and that are compared by themselves: {}.",
                list(&pair.confidential_masked)
            ));
        }
        if !scenario.key_not_released.is_empty() {
            content += &text::paragraph(&format!(
                "Of the key {file} does not have: {}.",
                list(&scenario.key_not_released)
            ));
        }
        if let Some(suda) = &scenario.suda {
            content += &text::paragraph(&format!(
                "Minimal sample uniques of up to {} attributes, scoring {}, sampling fraction {} ({}).",
                suda.most_attributes,
                suda.scoring.word(),
                text::percent(suda.sampling_fraction),
                match suda.sampling_fraction_from {
                    FractionFrom::Option => "as stated",
                    FractionFrom::Weights => "the records over the sum of their weights",
                    FractionFrom::Default =>
                        "assumed: neither --sampling-fraction nor --weights is given",
                }
            ));
        }
        content
    }

    fn section(&self, about: About) -> String {
        let of: Vec<&Figure> = self
            .figures
            .iter()
            .filter(|figure| figure.what.about() == Some(about))
            .collect();
        if of.is_empty() {
            return String::new();
        }
        let row = |figure: &&Figure| {
            let what = figure.what;
            let mut cells = vec![what.name.to_string(), what.key.into()];
            if self.before.is_some() {
                let before = self.figure_before(what.key);
                cells.push(figures::shown(
                    before.and_then(|before| before.value),
                    what.unit,
                ));
            }
            cells.push(figures::shown(figure.value, what.unit));
            cells.extend([
                figures::range(what),
                what.better.words().into(),
                figures::note(figure),
            ]);
            cells
        };
        let rows: Vec<Vec<String>> = of.iter().map(row).collect();
        let header: &[&str] = match self.before {
            Some(_) => &["", "key", "before", "after", "range", "", ""],
            None => &["", "key", "value", "range", "", ""],
        };
        format!("\n{}\n{}", about.title(), text::columns(header, &rows, 2))
    }

    fn classes(&self) -> String {
        if self.classes.is_empty() {
            return String::new();
        }
        let mut rows: Vec<Vec<String>> = self
            .classes
            .iter()
            .take(SIZES_TOLD)
            .map(|class| vec![class.size.to_string(), class.records.to_string()])
            .collect();
        let rest = &self.classes[rows.len()..];
        if let Some(first) = rest.first() {
            let records: u64 = rest.iter().map(|class| class.records).sum();
            rows.push(vec![format!("{} or more", first.size), records.to_string()]);
        }
        format!(
            "\nHow many match\n{}",
            text::columns(&["match on the key", "records"], &rows, 1)
        )
    }

    fn exposed(&self) -> String {
        if self.most_at_risk.is_empty() {
            return String::new();
        }
        let weighted = self.most_at_risk.iter().any(|row| row.population.is_some());
        let searched = self.scenario.suda.is_some();
        let mut header = vec!["record", "match"];
        header.extend(weighted.then_some("people"));
        header.push("risk");
        if searched {
            header.extend(["unique sets", "smallest", "score", "DIS-SUDA"]);
        }
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".into());
        let row = |row: &RecordRow| {
            let mut cells = vec![row.record.to_string(), row.matching.to_string()];
            if weighted {
                cells.push(or_dash(row.population.map(text::count)));
            }
            cells.push(text::percent(row.individual_risk));
            if searched {
                cells.extend([
                    or_dash(row.minimal_uniques.map(|sets| sets.to_string())),
                    or_dash(row.smallest_unique.map(|size| size.to_string())),
                    or_dash(row.suda_score.map(|score| format!("{score:.4}"))),
                    or_dash(row.dis_suda.map(text::percent)),
                ]);
            }
            cells
        };
        let rows: Vec<Vec<String>> = self.most_at_risk.iter().map(row).collect();
        let file = self
            .scenario
            .masked
            .as_ref()
            .unwrap_or(&self.scenario.original);
        format!(
            "\nMost at risk: records of {file} (internal: do not publish)\n{}",
            text::columns(&header, &rows, 0)
        )
    }
}

/// Writes the risk of every record as CSV.
///
/// # Errors
/// When the output cannot be written.
pub fn write_records(risks: &RecordRisks<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut writer = spreadsheet::writer(out);
    for record in 0..risks.len() {
        let row = RecordRow::from(risks.of(record));
        writer.serialize(row).map_err(io_error)?;
    }
    writer.flush()
}
