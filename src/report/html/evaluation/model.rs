//! What `evaluate` found, as its JSON says it.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{
    evaluate::summary::HIGHEST,
    report::html::{document::or_none, parts::base_name},
};

/// What `evaluate` found.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Evaluation {
    #[serde(default, deserialize_with = "or_none")]
    pub plan: Map<String, Value>,
    #[serde(default)]
    pub files: Vec<Original>,
    pub rows: Vec<Run>,
    #[serde(default)]
    pub settings: Vec<Setting>,
    #[serde(default, deserialize_with = "or_none")]
    pub axes: Axes,
    #[serde(default)]
    pub interval: String,
}

/// What the map shows.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Axes {
    pub loss: Option<String>,
    pub risk: Option<String>,
}

/// A file of the grid.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Original {
    pub name: String,
    #[serde(default)]
    pub records: u64,
    #[serde(default)]
    pub attributes: Vec<String>,
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
    pub published: Vec<Published>,
}

/// A published figure of a setting.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Published {
    pub measure: String,
    pub value: f64,
    #[serde(default)]
    pub difference: Option<f64>,
    #[serde(default)]
    pub source: String,
}

/// A mean over masked files.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mean {
    pub mean: f64,
    pub interval: Option<[f64; 2]>,
}

impl Setting {
    pub fn measure(&self, key: &str) -> Option<Mean> {
        let measure = self.measures.get(key)?;
        let end = |place: usize| measure.get("interval")?.get(place)?.as_f64();
        Some(Mean {
            mean: measure
                .get("mean")
                .and_then(Value::as_f64)
                .or(measure.as_f64())?,
            interval: end(0).zip(end(1)).map(|(low, high)| [low, high]),
        })
    }

    pub fn published(&self, key: &str) -> Option<f64> {
        let published = self
            .published
            .iter()
            .find(|published| published.measure == key);
        published.map(|published| published.value)
    }

    /// The attack with the highest rate.
    pub fn strongest_attack(&self) -> Option<&str> {
        let attacks = self.measures.keys().filter(|key| key.starts_with(ATTACK));
        attacks
            .filter_map(|key| Some((key, self.measure(key)?.mean)))
            .max_by(|a, b| a.1.total_cmp(&b.1))
            .map(|(key, _)| key.as_str())
    }

    /// What it belongs to: the masking of the plan.
    pub fn masking(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.method)
    }

    /// What tells it from others of its masking.
    pub fn place(&self) -> String {
        match self.label.strip_prefix(self.masking()) {
            Some("") | None => self.label.clone(),
            Some(rest) => rest.trim_start().into(),
        }
    }
}

impl Axes {
    /// The risk of a setting, and what was published of it.
    pub fn risk_of(&self, setting: &Setting) -> Option<(Mean, Option<f64>)> {
        let key = match self.risk.as_deref()? {
            HIGHEST => setting.strongest_attack()?,
            key => key,
        };
        Some((setting.measure(key)?, setting.published(key)))
    }
}

impl Evaluation {
    /// All measures of all settings, in the order in which they come.
    pub fn measures(&self, is_wanted: impl Fn(&str) -> bool) -> Vec<String> {
        let mut keys: Vec<String> = Vec::new();
        for key in self
            .settings
            .iter()
            .flat_map(|setting| setting.measures.keys())
        {
            if is_wanted(key) && !keys.contains(key) {
                keys.push(key.clone());
            }
        }
        // One column is enough for the same number.
        if keys.iter().any(|key| key == "il") {
            keys.retain(|key| key != "loss:il");
        }
        keys
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

pub const ATTACK: &str = "attack:";

pub fn is_loss(key: &str) -> bool {
    key == "il" || key.starts_with("loss:")
}

/// What a measure is called.
pub fn measure_name(key: &str) -> String {
    match key {
        "il" => "information loss (IL)".into(),
        "dr" => "disclosure risk (DR)".into(),
        "score" => "score".into(),
        "dr_2001" => "disclosure risk (DR 2001)".into(),
        "score_2001" => "score (2001)".into(),
        "dr_strongest" => "disclosure risk (strongest attack)".into(),
        _ => match key.split_once(':') {
            Some(("attack", name)) => format!("links by {name}"),
            Some(("certain", name)) => format!("certain links by {name}"),
            Some(("extremes", name)) => format!("links among extremes by {name}"),
            Some(("far", name)) => format!("links far from the mean by {name}"),
            Some(("loss", "il")) => measure_name("il"),
            Some(("loss", "pil")) => "probabilistic loss (PIL)".into(),
            Some(("loss", "sse_sst")) => "SSE/SST".into(),
            Some(("loss", "il1s")) => "scaled differences (IL1s)".into(),
            Some((_, name)) => name.replace('_', " "),
            None => key.replace('_', " "),
        },
    }
}
