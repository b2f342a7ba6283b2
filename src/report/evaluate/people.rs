//! For people: settings in tables, and what they say.

use super::{EvaluateReport, Warning};
use crate::{
    evaluate::{
        measures::{Name, Rate, Whole},
        summary::{Measure, SettingSummary},
    },
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
            for names in tables(&settings, self.axes.loss.as_ref()) {
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
                loss.short(),
                risk.short()
            );
        }
        reading += " Scores compare maskings of one file; they are no verdict on it.";
        reading
    }
}

/// The measures of each table for people. The first answers what a plan asks: what each setting loses (`loss`, that of the map) and who is
/// linked by each attack. Then what is certain or proven; extremes; the scores; further losses; risks.
fn tables(settings: &[&SettingSummary], loss: Option<&Name>) -> Vec<Vec<Name>> {
    let mut names: Vec<&Name> = Vec::new();
    for (name, measure) in settings.iter().flat_map(|setting| &setting.measures.0) {
        // A measure that nothing has is not shown to people.
        if measure.mean.is_some() && !names.contains(&name) {
            names.push(name);
        }
    }
    // Where DR is defined everywhere, nobody needs the form without the transparency attack.
    let has_score = (settings.iter()).all(|s| s.measures.whole(Whole::Score).is_some());
    let mut tables: [Vec<Name>; 6] = Default::default();
    for name in names {
        let table = match name {
            Name::Whole(Whole::Dr2001 | Whole::Score2001) if has_score => continue,
            name if Some(name) == loss => 0,
            Name::Attack(Rate::Links, _) => 0,
            Name::Attack(Rate::Certain | Rate::Bound, _) => 1,
            Name::Attack(Rate::Extremes, _) => 2,
            // It is in JSON and CSV.
            Name::Attack(Rate::Far, _) => continue,
            Name::Loss(_) if name.is_il_again() => continue,
            Name::Whole(_) => 3,
            Name::Loss(_) => 4,
            Name::Risk(_) => 5,
        };
        tables[table].push(name.clone());
    }
    // The loss stands first, wherever it was measured.
    tables[0].sort_by_key(|name| Some(name) != loss);
    tables
        .into_iter()
        .filter(|names| !names.is_empty())
        .collect()
}

/// Whether a measure is a share.
fn is_share(name: &Name) -> bool {
    name.definition().unit == Unit::Share
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
    if is_share {
        text::percent(*mean) + &half.map_or(String::new(), |half| format!(" ± {:.1}", 100.0 * half))
    } else {
        text::number(*mean)
            + &half.map_or(String::new(), |half| format!(" ± {}", text::number(half)))
    }
}

/// The settings for which any of these measures is defined.
fn table(settings: &[&SettingSummary], names: &[Name]) -> String {
    let shorts: Vec<String> = names.iter().map(Name::short).collect();
    let mut header = vec!["", "setting", "files"];
    header.extend(shorts.iter().map(String::as_str));
    let has_any = |setting: &&&SettingSummary| {
        names
            .iter()
            .any(|name| setting.measures.mean(name).is_some())
    };
    let rows: Vec<Vec<String>> = settings
        .iter()
        .filter(has_any)
        .map(|setting| {
            let mark = if setting.pareto { "*" } else { "" };
            let limit = if setting.is_limited { " (limit)" } else { "" };
            let mut row = vec![
                mark.to_string(),
                format!("{}{limit}", setting.setting.label),
                setting.runs.to_string(),
            ];
            row.extend(
                names
                    .iter()
                    .map(|name| shown(setting.measures.find(name), is_share(name))),
            );
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
                Name::parse(&figure.measure)
                    .map_or_else(|| figure.measure.clone(), |name| name.short()),
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
    if rows.is_empty() {
        String::new()
    } else {
        text::columns(
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
        )
    }
}
