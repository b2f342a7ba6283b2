//! The report of `sdcrisk evaluate`.

use serde::Serialize;
use serde_json::Value;

use super::{io_error, provenance::Provenance, text};
use crate::{
    evaluate::{
        grid::{self, AttackRow, Row},
        plan::Plan,
        summary::{Axes, HIGHEST, Measure, SettingSummary},
    },
    loss,
};

/// The schema name and version of this report.
pub const SCHEMA: &str = "sdcrisk.evaluate/1";

/// What a grid of experiments found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EvaluateReport {
    /// Always [`SCHEMA`].
    pub schema: &'static str,
    /// Version of the program.
    pub version: &'static str,
    /// `done`, or `limit` if a limit stopped a search before its proof.
    pub status: &'static str,
    /// What was asked for.
    pub plan: PlanSummary,
    /// The originals.
    pub files: Vec<FileSummary>,
    /// What the map shows.
    pub axes: Axes,
    /// How intervals are made, in words.
    pub interval: &'static str,
    /// One entry a masked file.
    pub rows: Vec<Row>,
    /// One entry a setting.
    pub settings: Vec<SettingSummary>,
    /// Where it comes from.
    pub provenance: Provenance,
}

/// What was asked for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlanSummary {
    /// Name of the plan's file.
    pub file: String,
    /// Its title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Masked files of each setting of a method that draws: the most, where originals differ.
    pub repeats: u32,
    /// The seed of the first masked file of each setting; `null` if it was drawn.
    pub seed: Option<u64>,
    /// What the intruder knows, on any of the originals.
    pub known: Vec<String>,
    /// Names of the attacks.
    pub attacks: Vec<String>,
    /// Keys of the losses.
    pub losses: Vec<String>,
    /// Keys of the risks.
    pub risks: Vec<String>,
}

/// An original.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FileSummary {
    /// Its name.
    pub name: String,
    /// Its records, as far as the plan uses them.
    pub records: usize,
    /// Names of its attributes.
    pub attributes: Vec<String>,
    /// What the intruder knows of it, unless a masking or an attack says something else; all that can be compared if empty.
    pub known: Vec<String>,
}

impl PlanSummary {
    /// Of a plan in a file of this name.
    pub fn new(file: &str, plan: &Plan) -> Self {
        let mut known: Vec<String> = Vec::new();
        for choice in plan.files.iter().flat_map(|file| &file.known) {
            if !known.contains(choice) {
                known.push(choice.clone());
            }
        }
        Self {
            file: file.into(),
            title: plan.title.clone(),
            repeats: plan
                .files
                .iter()
                .map(|file| file.repeats)
                .max()
                .unwrap_or(1),
            seed: plan.seed,
            known,
            attacks: plan
                .attacks
                .iter()
                .map(|attack| attack.name.clone())
                .collect(),
            losses: plan.losses.clone(),
            risks: plan.risks.clone(),
        }
    }
}

impl SettingSummary {
    /// The mean rate of the most successful attack.
    pub fn highest_rate(&self) -> Option<f64> {
        let attacks = self
            .measures
            .0
            .iter()
            .filter(|(name, _)| name.starts_with("attack:"));
        attacks
            .filter_map(|(_, measure)| measure.mean)
            .max_by(f64::total_cmp)
    }
}

impl EvaluateReport {
    /// The report of a plan.
    pub fn new(
        plan: PlanSummary,
        files: Vec<FileSummary>,
        rows: Vec<Row>,
        settings: Vec<SettingSummary>,
        provenance: Provenance,
    ) -> Self {
        Self {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION"),
            status: match settings.iter().any(|setting| setting.is_limited) {
                true => "limit",
                false => "done",
            },
            plan,
            files,
            axes: Axes::of(&settings),
            interval: "mean ± t s / sqrt(runs), 95 %, Student's t; over masked files of one original",
            rows,
            settings,
            provenance,
        }
    }

    /// For programs.
    pub fn to_json(&self) -> String {
        let mut json = serde_json::to_string_pretty(self)
            .unwrap_or_else(|_| unreachable!("a report holds strings and finite numbers only"));
        json.push('\n');
        json
    }

    /// One line a masked file, for the next program. Rates and losses are fractions; what is not defined is empty.
    ///
    /// # Errors
    /// None in practice: it writes to memory.
    pub fn to_csv(&self) -> crate::error::Result<String> {
        let failed = |error: csv::Error| crate::error::Error::failed(io_error(error).to_string());
        let columns = Columns::of(&self.rows);
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(columns.header()).map_err(failed)?;
        for row in &self.rows {
            writer.write_record(columns.line(row)).map_err(failed)?;
        }
        let bytes = writer.into_inner().unwrap_or_default();
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// What a person should know beside the figures.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let mut reasons: Vec<(&AttackRow, usize)> = Vec::new();
        for attack in self.rows.iter().flat_map(|row| &row.attacks) {
            if attack.why_not.is_none() {
                continue;
            }
            let same =
                |other: &AttackRow| other.name == attack.name && other.why_not == attack.why_not;
            match reasons.iter_mut().find(|(other, _)| same(other)) {
                Some((_, count)) => *count += 1,
                None => reasons.push((attack, 1)),
            }
        }
        for (attack, count) in reasons {
            notes.push(format!(
                "note: {} is not run on {count} of {} masked files: {}",
                attack.name,
                self.rows.len(),
                attack.why_not.as_deref().unwrap_or_default()
            ));
        }
        let limited = self
            .settings
            .iter()
            .filter(|setting| setting.is_limited)
            .count();
        if limited > 0 {
            notes.push(format!(
                "note: in {limited} of {} settings a search was stopped before its proof (marked 'limit'): their figures depend on the \
                 machine",
                self.settings.len()
            ));
        }
        let without = self.lacking();
        if !without.is_empty()
            && self
                .settings
                .iter()
                .any(|setting| setting.measures.mean("dr").is_none())
        {
            notes.push(format!(
                "note: DR and score are not defined everywhere: {} absent",
                text::names(&without, 5)
            ));
        }
        notes
    }

    /// The terms of DR that some masked file lacks.
    fn lacking(&self) -> Vec<&'static str> {
        const TERMS: [&str; 4] = [
            "RSLD (attack rsld)",
            "DLD (attack am)",
            "PLD (attack prl)",
            "ID (risk interval_disclosure_rank)",
        ];
        let mut lacks = [false; 4];
        for row in &self.rows {
            let terms = grid::overall(&row.attacks, &row.losses, &row.risks);
            for (lacks, term) in lacks
                .iter_mut()
                .zip([terms.rsld, terms.dld, terms.pld, terms.id])
            {
                *lacks |= term.is_none();
            }
        }
        let named = TERMS.into_iter().zip(lacks);
        named
            .filter(|(_, lacks)| *lacks)
            .map(|(name, _)| name)
            .collect()
    }

    /// For people.
    pub fn to_text(&self) -> String {
        let mut out = format!(
            "{}{}: {} settings, {} masked files\n",
            self.plan
                .title
                .as_ref()
                .map_or(String::new(), |title| format!("{title}\n")),
            self.plan.file,
            self.settings.len(),
            self.rows.len(),
        );
        for file in &self.files {
            let settings: Vec<&SettingSummary> = (self.settings.iter())
                .filter(|s| s.setting.file == file.name)
                .collect();
            out += &format!("\n{}: {} records\n\n", file.name, file.records);
            for names in tables(&settings) {
                out += &table(&settings, &names);
                out.push('\n');
            }
            let published = published(&settings);
            if !published.is_empty() {
                out += &format!("published beside measured, in percent:\n\n{published}\n");
            }
        }
        out += &text::paragraph(&self.reading());
        for note in self.notes() {
            out += &text::paragraph(&note);
        }
        out
    }

    fn reading(&self) -> String {
        let mut reading = String::from(
            "attack: share of records linked correctly, a mean over what the intruder knows; certain: share with one candidate only. \
             Lower is better in all: less risk, or less lost. ± is half of the 95 % interval of the mean over the masked files of a \
             setting (Student's t).",
        );
        if let (Some(loss), Some(risk)) = (&self.axes.loss, &self.axes.risk) {
            reading += &format!(
                " * marks the Pareto front: no other setting of the same file has both less {} and less {}.",
                shown_name(loss),
                match risk.as_str() {
                    HIGHEST => HIGHEST,
                    risk => shown_name(risk),
                }
            );
        }
        reading += " Scores compare maskings of one file; they are no verdict on it.";
        reading
    }
}

/// The measures of each table for people: the score and the attacks; what is certain or proven; losses; risks.
fn tables(settings: &[&SettingSummary]) -> Vec<Vec<String>> {
    let mut names: Vec<&String> = Vec::new();
    for (name, measure) in settings.iter().flat_map(|setting| &setting.measures.0) {
        // A measure that nothing has is not shown to people.
        if measure.mean.is_some() && !names.contains(&name) {
            names.push(name);
        }
    }
    // Where DR is defined everywhere, nobody needs the form without the transparency attack.
    let has_score = settings.iter().all(|s| s.measures.mean("score").is_some());
    names.retain(|name| !(has_score && name.ends_with("_2001")));
    let of = |prefixes: &[&str], shows_il: bool| -> Vec<String> {
        let belongs = |name: &str| {
            let prefix = name.split_once(':').map_or("", |(prefix, _)| prefix);
            prefixes.contains(&prefix) && (shows_il || name != "loss:il")
        };
        names
            .iter()
            .filter(|name| belongs(name))
            .map(|name| name.to_string())
            .collect()
    };
    [
        of(&["", "attack"], true),
        of(&["certain", "bound"], true),
        of(&["loss"], false),
        of(&["risk"], true),
    ]
    .into_iter()
    .filter(|names| !names.is_empty())
    .collect()
}

fn shown_name(name: &str) -> &str {
    match name {
        "il" => "IL",
        "dr" => "DR",
        "dr_2001" => "DR 2001",
        "score_2001" => "score 2001",
        name => name
            .split_once(':')
            .filter(|(prefix, _)| *prefix != "certain")
            .map_or(name, |(_, name)| name),
    }
}

/// Whether a measure is a share.
fn is_share(name: &str) -> bool {
    name.strip_prefix("loss:").is_none_or(loss::is_share)
}

fn shown(measure: Option<&Measure>, is_share: bool) -> String {
    let Some(Measure {
        mean: Some(mean),
        interval,
        ..
    }) = measure
    else {
        return "-".into();
    };
    let half = interval.map(|[low, high]| (high - low) / 2.0);
    match is_share {
        true => {
            text::percent(*mean)
                + &half.map_or(String::new(), |half| format!(" ± {:.1}", 100.0 * half))
        }
        false => format!("{mean:.4}") + &half.map_or(String::new(), |half| format!(" ± {half:.4}")),
    }
}

/// The settings for which any of these measures is defined.
fn table(settings: &[&SettingSummary], names: &[String]) -> String {
    let mut header = vec!["", "setting", "files"];
    header.extend(names.iter().map(|name| shown_name(name)));
    let has_any = |setting: &&&SettingSummary| {
        names
            .iter()
            .any(|name| setting.measures.mean(name).is_some())
    };
    let rows: Vec<Vec<String>> = settings
        .iter()
        .filter(has_any)
        .map(|setting| {
            let find = |name: &String| {
                let measures = &setting.measures.0;
                measures
                    .iter()
                    .find(|(other, _)| other == name)
                    .map(|(_, measure)| measure)
            };
            let mark = if setting.pareto { "*" } else { "" };
            let limit = if setting.is_limited { " (limit)" } else { "" };
            let mut row = vec![
                mark.to_string(),
                format!("{}{limit}", setting.setting.label),
                setting.runs.to_string(),
            ];
            row.extend(names.iter().map(|name| shown(find(name), is_share(name))));
            row
        })
        .collect();
    text::columns(&header, &rows, 2)
}

/// Published figures beside the measured ones; empty if there are none.
fn published(settings: &[&SettingSummary]) -> String {
    let rows: Vec<Vec<String>> = settings
        .iter()
        .flat_map(|setting| {
            setting
                .published
                .iter()
                .map(move |figure| (setting, figure))
        })
        .map(|(setting, figure)| {
            vec![
                setting.setting.label.clone(),
                shown_name(&figure.measure).to_string(),
                (figure.difference)
                    .map_or("-".into(), |d| format!("{:.2}", 100.0 * (figure.value + d))),
                format!("{:.2}", 100.0 * figure.value),
                figure
                    .difference
                    .map_or("-".into(), |d| format!("{:+.2}", 100.0 * d)),
                figure.source.clone(),
            ]
        })
        .collect();
    match rows.is_empty() {
        true => String::new(),
        false => text::columns(
            &[
                "setting",
                "measure",
                "measured",
                "published",
                "difference",
                "source",
            ],
            &rows,
            2,
        ),
    }
}

/// The columns of the CSV form: of all rows, in the order in which they come.
struct Columns {
    attacks: Vec<String>,
    losses: Vec<String>,
    risks: Vec<String>,
}

impl Columns {
    fn of(rows: &[Row]) -> Self {
        let mut columns = Self {
            attacks: Vec::new(),
            losses: Vec::new(),
            risks: Vec::new(),
        };
        let add = |to: &mut Vec<String>, name: &String| {
            if !to.contains(name) {
                to.push(name.clone());
            }
        };
        for row in rows {
            row.attacks
                .iter()
                .for_each(|attack| add(&mut columns.attacks, &attack.name));
            row.losses
                .keys()
                .for_each(|key| add(&mut columns.losses, key));
            row.risks
                .keys()
                .for_each(|key| add(&mut columns.risks, key));
        }
        columns
    }

    fn header(&self) -> Vec<String> {
        let fixed = [
            "setting",
            "file",
            "method",
            "parameters",
            "run",
            "seed",
            "il",
            "dr",
            "score",
            "dr_2001",
            "score_2001",
        ];
        let mut header: Vec<String> = fixed.map(String::from).to_vec();
        header.extend(self.losses.iter().map(|key| format!("loss:{key}")));
        header.extend(self.risks.iter().map(|key| format!("risk:{key}")));
        for attack in &self.attacks {
            header.extend(["attack", "certain", "status"].map(|what| format!("{what}:{attack}")));
        }
        header
    }

    fn line(&self, row: &Row) -> Vec<String> {
        let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
        let parameters: Vec<String> = row
            .parameters
            .iter()
            .map(|(name, value)| match value {
                Value::String(text) => format!("{name}={text}"),
                value => format!("{name}={value}"),
            })
            .collect();
        let mut line = vec![
            row.setting.to_string(),
            row.file.clone(),
            row.method.clone(),
            parameters.join(" "),
            row.run.to_string(),
            row.seed.map_or(String::new(), |seed| seed.to_string()),
        ];
        line.extend([row.il, row.dr, row.score, row.dr_2001, row.score_2001].map(number));
        let of = |values: &serde_json::Map<String, Value>, key: &String| {
            number(values.get(key).and_then(Value::as_f64))
        };
        line.extend(self.losses.iter().map(|key| of(&row.losses, key)));
        line.extend(self.risks.iter().map(|key| of(&row.risks, key)));
        for name in &self.attacks {
            let attack = row.attacks.iter().find(|attack| attack.name == *name);
            line.push(number(attack.and_then(|attack| attack.rate)));
            line.push(number(attack.and_then(|attack| attack.certain_rate)));
            line.push(attack.map_or(String::new(), |attack| attack.status.clone()));
        }
        line
    }
}
