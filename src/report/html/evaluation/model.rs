//! What `evaluate` found, as its JSON says it.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{
    evaluate::{
        measures::{Name, RiskAxis, Whole},
        summary::{Axes, Comparison},
    },
    report::{
        evaluate::FileSummary,
        html::{document::or_none, parts::base_name},
    },
};

/// What `evaluate` found.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Evaluation {
    #[serde(default, deserialize_with = "or_none")]
    pub plan: Map<String, Value>,
    #[serde(default)]
    pub files: Vec<FileSummary>,
    pub rows: Vec<Run>,
    #[serde(default)]
    pub settings: Vec<Setting>,
    #[serde(default, deserialize_with = "or_none")]
    pub axes: Axes,
    #[serde(default)]
    pub interval: String,
}

/// A masked file of the grid.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Run {
    #[serde(default)]
    pub setting: u64,
    #[serde(default)]
    pub file: String,
    pub method: String,
    #[serde(default)]
    pub parameters: Map<String, Value>,
    #[serde(default)]
    pub run: Option<u64>,
    #[serde(default)]
    pub seed: Option<Value>,
    #[serde(default)]
    pub il: Option<f64>,
    #[serde(default)]
    pub dr: Option<f64>,
    #[serde(default)]
    pub score: Option<f64>,
    #[serde(default, deserialize_with = "or_none")]
    pub losses: Map<String, Value>,
    #[serde(default, deserialize_with = "or_none")]
    pub risks: Map<String, Value>,
    #[serde(default)]
    pub attacks: Vec<RunAttack>,
}

/// An attack on a masked file.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct RunAttack {
    pub name: String,
    pub rate: Option<f64>,
}

/// A setting of the grid: its masked files together.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Setting {
    #[serde(default)]
    pub label: String,
    #[serde(default)]
    pub file: String,
    pub method: String,
    #[serde(default)]
    pub name: Option<String>,
    #[serde(default)]
    pub parameters: Map<String, Value>,
    #[serde(default)]
    pub runs: u64,
    pub measures: serde_json::Map<String, Value>,
    #[serde(default)]
    pub pareto: bool,
    #[serde(default)]
    pub published: Vec<Comparison>,
}

/// A mean over masked files.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mean {
    pub mean: f64,
    pub interval: Option<[f64; 2]>,
}

impl Setting {
    pub fn measure(&self, name: &Name) -> Option<Mean> {
        let measure = self.measures.get(&name.to_string())?;
        let end = |place: usize| measure.get("interval")?.get(place)?.as_f64();
        Some(Mean {
            mean: measure
                .get("mean")
                .and_then(Value::as_f64)
                .or(measure.as_f64())?,
            interval: end(0).zip(end(1)).map(|(low, high)| [low, high]),
        })
    }

    pub fn published(&self, name: &Name) -> Option<f64> {
        let mut all = self.published.iter();
        all.find(|published| published.name().as_ref() == Some(name))
            .map(|published| published.value)
    }

    /// Its measures that this program knows.
    pub fn names(&self) -> impl Iterator<Item = Name> {
        self.measures.keys().filter_map(|key| Name::parse(key))
    }

    /// The attack with the highest rate.
    fn strongest_attack(&self) -> Option<Name> {
        self.names()
            .filter(Name::is_links)
            .filter_map(|name| Some((self.measure(&name)?.mean, name)))
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .map(|(_, name)| name)
    }

    /// What it belongs to: the masking of the plan.
    pub fn masking(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.method)
    }

    /// What distinguishes it from others of its masking.
    pub fn place(&self) -> String {
        match self.label.strip_prefix(self.masking()) {
            Some("") | None => self.label.clone(),
            Some(rest) => rest.trim_start().into(),
        }
    }
}

impl Evaluation {
    /// The risk of a setting on the map, and what was published of it.
    pub fn risk_of(&self, setting: &Setting) -> Option<(Mean, Option<f64>)> {
        let name = match self.axes.risk.as_ref()? {
            RiskAxis::HighestRate => setting.strongest_attack()?,
            RiskAxis::Measure(name) => name.clone(),
        };
        Some((setting.measure(&name)?, setting.published(&name)))
    }

    /// All measures of all settings, in the order in which they come.
    pub fn measures(&self, is_wanted: impl Fn(&Name) -> bool) -> Vec<Name> {
        let mut names: Vec<Name> = Vec::new();
        for name in self.settings.iter().flat_map(Setting::names) {
            if is_wanted(&name) && !names.contains(&name) {
                names.push(name);
            }
        }
        // One column is enough for the same number.
        if names.contains(&Name::Whole(Whole::Il)) {
            names.retain(|name| !name.is_il_again());
        }
        names
    }

    pub fn file_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for setting in &self.settings {
            if !names.contains(&setting.file.as_str()) {
                names.push(&setting.file);
            }
        }
        names
    }

    pub fn of_file<'a>(&'a self, file: &'a str) -> impl Iterator<Item = &'a Setting> {
        self.settings
            .iter()
            .filter(move |setting| setting.file == file)
    }

    /// The settings on the front, file by file.
    pub fn summary(&self) -> Vec<String> {
        let line = |file: &str| {
            let all = self.of_file(file).count();
            let front: Vec<&str> = self
                .of_file(file)
                .filter(|setting| setting.pareto)
                .map(|setting| setting.label.as_str())
                .collect();
            (!front.is_empty()).then(|| {
                format!(
                    "Of {all} settings on {}, {} are on the Pareto front, where no other is at least as good in both loss and risk and better in one: {}.",
                    base_name(file),
                    front.len(),
                    crate::report::text::names(&front, 6)
                )
            })
        };
        self.file_names().into_iter().filter_map(line).collect()
    }
}
