//! For people: settings in tables, and what they say.

use super::{EvaluateReport, Warning};
use crate::{
    evaluate::summary::{HIGHEST, Measure, SettingSummary, definition},
    figure::Unit,
    report::text,
};

impl EvaluateReport {
    /// For people.
    pub fn to_text(&self) -> String {
        let mut out = text::warnings(self.warnings.iter().map(Warning::text));
        out += &format!(
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
            "attack: share of records linked correctly, a mean over what the intruder knows; certain: share with one candidate only; \
             extremes: share of those in the top or bottom 1 % of a known attribute. \
             Lower is better in all: less risk, or less lost. ± is half of the 95 % interval of the mean over the masked files of a \
             setting (Student's t).",
        );
        if let (Some(loss), Some(risk)) = (&self.axes.loss, &self.axes.risk) {
            reading += &format!(
                " * marks the Pareto front: no other setting of the same file is at least as good in both {} and {} and better in one.",
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

/// The measures of each table for people: the score and the attacks; what is certain or proven; extremes; losses; risks.
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
        of(&["extremes"], true),
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
        "dr_strongest" => "DR strongest",
        "score_2001" => "score 2001",
        name => name
            .split_once(':')
            .filter(|(prefix, _)| !["certain", "extremes"].contains(prefix))
            .map_or(name, |(_, name)| name),
    }
}

/// Whether a measure is a share.
fn is_share(name: &str) -> bool {
    definition(name).is_some_and(|what| what.unit == Unit::Share)
}

fn shown(measure: Option<&Measure>, is_share: bool) -> String {
    let Some(Measure {
        mean: Some(mean),
        half,
        ..
    }) = measure
    else {
        return "-".into();
    };
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
