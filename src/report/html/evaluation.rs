//! The grid of settings: the risk-utility map, risk against the parameter, the table beside what was published.

use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{
    Section,
    document::{Content, Document, or_none},
    frame::KEPT,
    parts::{Table, Writer, base_name, folded, list, text},
    statement::{parameters, plain},
};
use crate::report::{
    chart::{
        line::{self, At, Series},
        map::{self, Point},
        picture::Drawing,
        plot::Words,
    },
    text::percent,
};

/// What `evaluate` found.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct Evaluation {
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
pub(super) struct Axes {
    pub loss: Option<String>,
    pub risk: Option<String>,
}

/// A file of the grid.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct Original {
    pub name: String,
    #[serde(default)]
    pub records: u64,
    #[serde(default)]
    pub attributes: Vec<String>,
}

/// A masked file of the grid.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct Run {
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
pub(super) struct RunAttack {
    pub name: String,
    pub rate: Option<f64>,
}

/// A setting of the grid: its masked files together.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct Setting {
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
pub(super) struct Published {
    pub measure: String,
    pub value: f64,
    #[serde(default)]
    pub difference: Option<f64>,
    #[serde(default)]
    pub source: String,
}

/// A mean over masked files.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Mean {
    mean: f64,
    interval: Option<[f64; 2]>,
}

impl Setting {
    fn measure(&self, key: &str) -> Option<Mean> {
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

    fn published(&self, key: &str) -> Option<f64> {
        let published = self
            .published
            .iter()
            .find(|published| published.measure == key);
        published.map(|published| published.value)
    }

    /// What it belongs to: the masking of the plan.
    fn masking(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.method)
    }

    /// What tells it from others of its masking.
    fn place(&self) -> String {
        match self.label.strip_prefix(self.masking()) {
            Some("") | None => self.label.clone(),
            Some(rest) => rest.trim_start().into(),
        }
    }
}

impl Evaluation {
    /// All measures of all settings, in the order in which they come.
    fn measures(&self, is_wanted: impl Fn(&str) -> bool) -> Vec<String> {
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
        keys
    }

    fn file_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for setting in &self.settings {
            if !names.contains(&setting.file.as_str()) {
                names.push(&setting.file);
            }
        }
        names
    }

    fn of_file<'a>(&'a self, file: &'a str) -> impl Iterator<Item = &'a Setting> {
        self.settings
            .iter()
            .filter(move |setting| setting.file == file)
    }

    /// The loss to the right: what the result names, else IL, else the first loss.
    fn loss_key(&self) -> Option<String> {
        let named = self.axes.loss.as_deref().and_then(|key| self.defined(key));
        let first = || {
            self.measures(is_loss)
                .into_iter()
                .find_map(|key| self.defined(&key))
        };
        named.or_else(|| self.defined("il")).or_else(first)
    }

    fn defined(&self, key: &str) -> Option<String> {
        let is = self
            .settings
            .iter()
            .any(|setting| setting.measure(key).is_some());
        is.then(|| key.to_string())
    }

    /// The risk upwards: what the result names, else DR, else (`None`) the highest rate of an attack.
    fn risk_key(&self) -> Option<String> {
        let named = self.axes.risk.as_deref().and_then(|key| self.defined(key));
        match self.axes.risk {
            Some(_) => named,
            None => self.defined("dr"),
        }
    }

    fn risk_of(&self, setting: &Setting) -> Option<(Mean, Option<f64>)> {
        if let Some(key) = self.risk_key() {
            return Some((setting.measure(&key)?, setting.published(&key)));
        }
        let attacks = self.measures(|key| key.starts_with(ATTACK));
        let best = attacks
            .iter()
            .filter_map(|key| Some((key, setting.measure(key)?)))
            .max_by(|a, b| a.1.mean.total_cmp(&b.1.mean))?;
        Some((best.1, setting.published(best.0)))
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

const ATTACK: &str = "attack:";

fn is_loss(key: &str) -> bool {
    key == "il" || key.starts_with("loss:")
}

/// What a measure is called.
fn measure_name(key: &str) -> String {
    match key {
        "il" => "information loss (IL)".into(),
        "dr" => "disclosure risk (DR)".into(),
        "score" => "score".into(),
        "dr_2001" => "disclosure risk (DR 2001)".into(),
        "score_2001" => "score (2001)".into(),
        _ => match key.split_once(':') {
            Some(("attack", name)) => format!("links by {name}"),
            Some(("certain", name)) => format!("certain links by {name}"),
            Some((_, name)) => name.replace('_', " "),
            None => key.replace('_', " "),
        },
    }
}

/// The risk-utility map of each file of a result of `evaluate`, with the name of the file; nothing for other results.
pub fn map(document: &Document) -> Vec<(String, Drawing)> {
    match &document.content {
        Content::Evaluation(evaluation) => evaluation
            .file_names()
            .into_iter()
            .filter_map(|file| Some((file.to_string(), map_of(evaluation, file)?)))
            .collect(),
        _ => Vec::new(),
    }
}

fn map_of(evaluation: &Evaluation, file: &str) -> Option<Drawing> {
    let loss_key = evaluation.loss_key()?;
    let points: Vec<Point> = evaluation
        .of_file(file)
        .filter_map(|setting| {
            let loss = setting.measure(&loss_key)?;
            let (risk, published) = evaluation.risk_of(setting)?;
            Some(Point {
                method: setting.masking().into(),
                label: setting.place(),
                loss: loss.mean,
                loss_interval: loss.interval,
                risk: risk.mean,
                risk_interval: risk.interval,
                pareto: setting.pareto,
                published,
            })
        })
        .collect();
    let risk = evaluation
        .risk_key()
        .map_or("correct links of the strongest attack".into(), |key| {
            measure_name(&key)
        });
    let runs = evaluation
        .of_file(file)
        .map(|setting| setting.runs)
        .max()
        .unwrap_or(0);
    let below = format!(
        "Each mark is a setting, the mean of {}; thin lines are 95 % intervals. Lower left is better.",
        if runs == 1 {
            "1 masked file".into()
        } else {
            format!("up to {runs} masked files")
        }
    );
    let words = Words {
        title: &format!("Risk and loss, {}", base_name(file)),
        below: &below,
        x: &measure_name(&loss_key),
        y: &risk,
    };
    (!points.is_empty()).then(|| map::drawing(&points, &words))
}

pub(super) fn section(documents: &[Document], writer: &mut Writer) -> Option<Section> {
    let evaluations: Vec<(&Document, &Evaluation)> = documents
        .iter()
        .filter_map(|document| match &document.content {
            Content::Evaluation(evaluation) => Some((document, evaluation)),
            _ => None,
        })
        .collect();
    if evaluations.is_empty() {
        return None;
    }
    let mut parts = Vec::new();
    for (document, evaluation) in evaluations {
        if documents.len() > 1 {
            parts.push(html! { h3 { (text(base_name(&document.name))) } });
        }
        parts.push(what(evaluation));
        for file in evaluation.file_names() {
            parts.push(one_file(evaluation, file, writer));
        }
        if writer.is_internal() {
            parts.push(folded_runs(evaluation));
        }
    }
    Some(Section {
        id: "evaluation",
        title: "Settings compared",
        content: html! {
            @for part in &parts { (part) }
            @if !writer.is_internal() { p { (KEPT) } }
        },
    })
}

fn what(evaluation: &Evaluation) -> Markup {
    let of_plan = |key: &str| {
        let value = evaluation.plan.get(key).filter(|value| !value.is_null())?;
        let mut one = Map::new();
        one.insert(key.into(), value.clone());
        let said = parameters(&one);
        said.split_once(" = ").map(|(_, value)| value.to_string())
    };
    let files: Vec<String> = evaluation
        .files
        .iter()
        .map(|file| {
            format!(
                "{} ({} records, {} attributes)",
                base_name(&file.name),
                file.records,
                file.attributes.len()
            )
        })
        .collect();
    list(&[
        (
            "Plan",
            of_plan("file")
                .map(|name| base_name(&name).to_string())
                .unwrap_or_default(),
        ),
        ("Files", files.join(", ")),
        (
            "Masked files per setting",
            of_plan("repeats").unwrap_or_default(),
        ),
        ("Attributes known", known(evaluation)),
        ("Attacks", of_plan("attacks").unwrap_or_default()),
        ("Losses", of_plan("losses").unwrap_or_default()),
        ("Intervals", evaluation.interval.clone()),
    ])
}

/// What the intruder knows, file by file where files differ.
fn known(evaluation: &Evaluation) -> String {
    let said = |value: &Value| match value {
        Value::Array(cases) => cases.iter().map(plain).collect::<Vec<_>>().join("; "),
        other => plain(other),
    };
    match evaluation.plan.get("known") {
        Some(Value::Array(files)) => {
            let mut each: Vec<String> = files.iter().map(said).collect();
            each.dedup();
            each.join(" | ")
        }
        Some(other) => said(other),
        None => String::new(),
    }
}

fn one_file(evaluation: &Evaluation, file: &str, writer: &mut Writer) -> Markup {
    let is_internal = writer.is_internal();
    let keys = evaluation.measures(|key| is_internal || is_loss(key));
    let name = base_name(file).to_string();
    let mut table = Table::new(
        format!("Settings on {name}"),
        &["Setting", "Masked files"],
        1,
    );
    table
        .header
        .extend(keys.iter().map(|key| measure_name(key)));
    if is_internal {
        table.header.push("Pareto front".into());
    }
    for setting in evaluation.of_file(file) {
        let mut row = vec![setting.label.clone(), setting.runs.to_string()];
        row.extend(
            keys.iter()
                .map(|key| setting.measure(key).map_or(String::new(), shown)),
        );
        if is_internal {
            row.push(if setting.pareto { "on it" } else { "" }.into());
        }
        table.rows.push(row);
    }
    if !is_internal {
        return table.markup();
    }
    let pictured = map_of(evaluation, file).map(|drawing| {
        writer.figure(
            &drawing,
            "To the right more is lost, upwards more is at risk. A setting is on the front if no other is at least as good in both and better in one.",
            &table,
        )
    });
    html! {
        @match pictured { Some(figure) => (figure), None => (table.markup()) }
        (against_parameter(evaluation, file, writer))
        (published(evaluation, file))
    }
}

fn shown(measure: Mean) -> String {
    match measure.interval {
        Some([low, high]) => format!(
            "{} ({} to {})",
            percent(measure.mean),
            percent(low),
            percent(high)
        ),
        None => percent(measure.mean),
    }
}

/// Methods of which exactly one parameter varies: rates of attacks against it.
fn against_parameter(evaluation: &Evaluation, file: &str, writer: &mut Writer) -> Markup {
    let mut methods: Vec<&str> = Vec::new();
    for setting in evaluation.of_file(file) {
        if !methods.contains(&setting.masking()) {
            methods.push(setting.masking());
        }
    }
    let figures = methods.into_iter().filter_map(|method| {
        let settings: Vec<&Setting> = evaluation
            .of_file(file)
            .filter(|setting| setting.method == method)
            .collect();
        let parameter = varying(&settings)?;
        Some(rates_against(
            evaluation, &settings, &parameter, method, writer,
        ))
    });
    let figures: Vec<Markup> = figures.collect();
    html! { @for figure in &figures { (figure) } }
}

/// The one numeric parameter in which settings differ.
fn varying(settings: &[&Setting]) -> Option<String> {
    let first = settings.first()?;
    let differs = |key: &&String| {
        settings
            .iter()
            .any(|setting| setting.parameters.get(*key) != first.parameters.get(*key))
    };
    let mut varying = first.parameters.keys().filter(differs);
    let key = varying.next()?;
    let numbers = settings
        .iter()
        .all(|setting| setting.parameters.get(key).is_some_and(Value::is_number));
    (varying.next().is_none() && numbers).then(|| key.clone())
}

fn rates_against(
    evaluation: &Evaluation,
    settings: &[&Setting],
    parameter: &str,
    method: &str,
    writer: &mut Writer,
) -> Markup {
    let keys = evaluation.measures(|key| key.starts_with(ATTACK));
    let at = |setting: &Setting| setting.parameters.get(parameter).and_then(Value::as_f64);
    let mut order: Vec<&Setting> = settings.to_vec();
    order.sort_by(|a, b| at(a).unwrap_or(0.0).total_cmp(&at(b).unwrap_or(0.0)));
    let series: Vec<Series> = keys
        .iter()
        .enumerate()
        .map(|(number, key)| Series {
            number,
            name: key.trim_start_matches(ATTACK).to_string(),
            points: order
                .iter()
                .filter_map(|setting| {
                    let measure = setting.measure(key)?;
                    Some(At {
                        x: at(setting)?,
                        y: measure.mean,
                        interval: measure.interval,
                        published: setting.published(key),
                    })
                })
                .collect(),
        })
        .filter(|series| !series.points.is_empty())
        .collect();
    if series.is_empty() {
        return html! {};
    }
    let records = evaluation
        .files
        .iter()
        .find(|original| settings.iter().any(|setting| setting.file == original.name))
        .map_or(0, |original| original.records);
    let guess = 1.0 / records.max(1) as f64;
    let chance: Vec<(f64, f64)> = match records {
        0 => Vec::new(),
        _ => order
            .iter()
            .filter_map(|setting| Some((at(setting)?, guess)))
            .collect(),
    };
    let words = Words {
        title: &format!("Correct links against {parameter}"),
        below: "One line an attack, the mean over masked files and over what is known; bands are 95 % intervals",
        x: &format!("{parameter} of {method}"),
        y: "correct links, share of records",
    };
    let mut table = Table::new(words.title, &[parameter], 1);
    for series in &series {
        table.header.push(series.name.clone());
        if series.points.iter().any(|at| at.published.is_some()) {
            table.header.push(format!("{}, published", series.name));
        }
    }
    for setting in &order {
        let mut row = vec![at(setting).map_or(String::new(), |value| value.to_string())];
        for series in &series {
            let key = format!("{ATTACK}{}", series.name);
            row.push(setting.measure(&key).map_or(String::new(), shown));
            if series.points.iter().any(|at| at.published.is_some()) {
                row.push(setting.published(&key).map_or(String::new(), percent));
            }
        }
        table.rows.push(row);
    }
    writer.figure(
        &line::drawing(&series, &chance, &words),
        "Higher is more risk.",
        &table,
    )
}

/// Every published figure beside what was measured.
fn published(evaluation: &Evaluation, file: &str) -> Markup {
    let rows: Vec<Vec<String>> = evaluation
        .of_file(file)
        .flat_map(|setting| {
            setting.published.iter().map(|published| {
                vec![
                    setting.label.clone(),
                    measure_name(&published.measure),
                    published.source.clone(),
                    percent(published.value),
                    setting
                        .measure(&published.measure)
                        .map_or(String::new(), shown),
                    published.difference.map_or(String::new(), |difference| {
                        format!("{:+.2} points", 100.0 * difference)
                    }),
                ]
            })
        })
        .collect();
    let table = Table::new(
        "Beside what was published",
        &[
            "Setting",
            "Measure",
            "Source",
            "Published",
            "Here",
            "Difference",
        ],
        3,
    )
    .with(rows);
    html! { @if !table.rows.is_empty() { (folded(&table, "Beside what was published")) } }
}

/// Finds a figure of a masked file by its name.
type Find = fn(&Run, &str) -> Option<f64>;

/// Every masked file: for the office, since it holds the seeds.
fn folded_runs(evaluation: &Evaluation) -> Markup {
    let mut table = Table::new(
        "Every masked file",
        &["Setting", "File", "Run", "Seed", "IL", "DR", "Score"],
        2,
    );
    let mut extra: Vec<(String, Find)> = Vec::new();
    for run in &evaluation.rows {
        for attack in &run.attacks {
            let entry = attack.name.clone();
            if !extra.iter().any(|(name, _)| *name == entry) {
                extra.push((entry, |run, name| {
                    run.attacks.iter().find(|attack| attack.name == name)?.rate
                }));
            }
        }
    }
    for run in &evaluation.rows {
        for key in run.losses.keys() {
            if key != "il" && !extra.iter().any(|(name, _)| name == key) {
                extra.push((key.clone(), |run, name| run.losses.get(name)?.as_f64()));
            }
        }
        for key in run.risks.keys() {
            if !extra.iter().any(|(name, _)| name == key) {
                extra.push((key.clone(), |run, name| run.risks.get(name)?.as_f64()));
            }
        }
    }
    table
        .header
        .extend(extra.iter().map(|(name, _)| name.replace('_', " ")));
    for run in &evaluation.rows {
        let of_setting = evaluation
            .settings
            .get(usize::try_from(run.setting).unwrap_or(usize::MAX));
        let label = of_setting.map_or_else(
            || format!("{} {}", run.method, parameters(&run.parameters)),
            |setting| setting.label.clone(),
        );
        let seed = run.seed.as_ref().map_or(String::new(), |seed| match seed {
            Value::String(seed) => seed.clone(),
            other => other.to_string(),
        });
        let number = run.run.map_or(String::new(), |run| run.to_string());
        let mut row = vec![label, base_name(&run.file).into(), number, seed];
        row.extend([run.il, run.dr, run.score].map(|value| value.map_or(String::new(), percent)));
        row.extend(
            extra
                .iter()
                .map(|(name, find)| find(run, name).map_or(String::new(), percent)),
        );
        table.rows.push(row);
    }
    folded(&table, "Every masked file")
}
