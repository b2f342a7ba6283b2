//! The page around the sections: head, summary, limits.

use maud::{DOCTYPE, PreEscaped, html};

use super::{
    Audience, Request, Section,
    document::{Content, Document, Kind},
    link::{self, Link},
    parts::{Writer, base_name, names, text},
};
use crate::{
    loss::IL,
    report::{
        chart::style,
        figures::FigureRow,
        risk::RiskJson,
        text::{count, percent},
    },
    risk::{classes, individual, interval},
};

/// Said in the external version where risk would stand.
pub(super) const KEPT: &str =
    "Risk was measured under this scenario; its figures are confidential and kept by the office.";

/// The layout of the page: colours, letters, paper.
const SHEET: &str = include_str!("page.css");

/// Nothing is loaded from anywhere, whatever a name in a result says.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

pub(super) fn page(request: &Request, sections: &[Section]) -> String {
    let title = request.title.as_deref().unwrap_or(match request.audience {
        Audience::Internal => "Disclosure risk and information loss",
        Audience::External => "How this file was masked, and what it cost",
    });
    let title = text(title);
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="generator" content={ "sdcrisk " (env!("CARGO_PKG_VERSION")) };
                meta name="referrer" content="no-referrer";
                link rel="icon" href="data:,";
                title { (title) }
                style { (PreEscaped(SHEET)) (PreEscaped(style::sheet())) }
            }
            body {
                a.skip href="#main" { "Skip to the report" }
                header {
                    p.audience { (audience(request.audience)) }
                    h1 { (title) }
                    @if let Some(release) = &request.release_type { p.release { "Type of release: " (text(release)) } }
                    p { "These figures inform a decision. They certify nothing." }
                    nav aria-label="Contents" { ol { @for section in sections {
                        li { a href={ "#" (section.id) } { (section.title) } }
                    } } }
                }
                main id="main" { @for section in sections {
                    section id=(section.id) aria-labelledby={ (section.id) "-title" } {
                        h2 id={ (section.id) "-title" } { (section.title) }
                        (section.content)
                    }
                } }
            }
        }
    }
    .into_string()
}

fn audience(audience: Audience) -> &'static str {
    match audience {
        Audience::Internal => "Internal: not to be released",
        Audience::External => "For release with the file",
    }
}

/// What was asked: the results in this report, in words.
pub(super) fn asked(documents: &[Document]) -> Option<Section> {
    let asked: Vec<String> = documents.iter().map(question).collect();
    Some(Section {
        id: "asked",
        title: "What was asked",
        content: html! { ul { @for question in &asked { li { (text(question)) } } } },
    })
}

fn question(document: &Document) -> String {
    let name = base_name(&document.name);
    let what = match &document.content {
        Content::Link(link) => {
            let (original, masked) = (
                base_name(&link.report.scenario.original),
                base_name(&link.report.scenario.masked),
            );
            format!("How many records of {original} does an intruder find in {masked}?")
        }
        Content::Loss(_) => {
            "What did the masking take from the file, and from its analyses?".into()
        }
        Content::Risk(_) => "What do the files give away without any linkage?".into(),
        Content::Score(_) => "How do loss and risk add up?".into(),
        Content::Evaluation(evaluation) => format!(
            "Which of {} settings loses how much, and leaves how much risk?",
            evaluation.settings.len()
        ),
        Content::Weights(_) => "Which attributes still identify people, at worst?".into(),
        Content::Statement(_) => "How was the file masked?".into(),
        Content::Description(described) => {
            format!("What does {} hold?", base_name(&described.file))
        }
        Content::Matching(_) => "Which attribute of one file is which of another?".into(),
        Content::Claims(_) => "Which records are found?".into(),
    };
    format!("{what} ({name})")
}

/// The figures that matter most, in plain words.
pub(super) fn summary(documents: &[Document], writer: &Writer) -> Option<Section> {
    let mut lines: Vec<String> = Vec::new();
    for document in documents {
        match &document.content {
            Content::Link(link) if writer.is_internal() => lines.extend(of_link(link)),
            Content::Loss(loss) => {
                if let Some(il) = loss.find(IL.key) {
                    lines.push(match loss.report.scenario.not_in_il.len() {
                        0 => format!(
                            "Information loss (IL) is {}: the mean of five relative differences between the files; 0 % would be no difference.",
                            il.shown()
                        ),
                        n => format!(
                            "Information loss (IL) is {} of the attributes that are numbers in both files. It is not the loss of the file: {n} more of the {} compared attributes changed and are not in it.",
                            il.shown(),
                            loss.report.scenario.attributes.len()
                        ),
                    });
                }
            }
            Content::Risk(risk) if writer.is_internal() => lines.extend(of_risk(risk)),
            Content::Score(score) if writer.is_internal() => {
                if let (Some(il), Some(dr), Some(score)) = (score.il, score.dr, score.score) {
                    lines.push(format!(
                        "The score is {}: the mean of an information loss of {} and a disclosure risk of {}; lower is better.",
                        percent(score),
                        percent(il),
                        percent(dr)
                    ));
                }
            }
            Content::Evaluation(evaluation) if writer.is_internal() => lines.extend(evaluation.summary()),
            Content::Weights(weights) if writer.is_internal() => lines.push(format!(
                "At worst, distances of the kind {} link {} of {} records; no distance of that kind links more than {}.",
                weights.family.name(),
                weights.linked,
                weights.records,
                weights.bound
            )),
            Content::Statement(stated) => {
                let steps = stated.steps.iter().map(|step| step.method.in_words());
                let steps: Vec<&str> = steps.collect();
                lines.push(format!(
                    "The file of {} records was masked by {}; {} attributes were masked.",
                    stated.records(),
                    steps.join(", then "),
                    stated.attributes().len()
                ));
            }
            _ => {}
        }
    }
    (!lines.is_empty()).then(|| Section {
        id: "summary",
        title: "Summary",
        content: html! { ul.summary { @for line in &lines { li { (text(line)) } } } },
    })
}

fn of_link(link: &Link) -> Vec<String> {
    let warnings = link.warnings();
    let mut lines: Vec<String> = warnings
        .map(|warning| format!("Warning: {warning}"))
        .collect();
    if let Some((mean, [low, high])) = link.highest_of_draws() {
        lines.push(format!(
            "The attack that finds most on average ({}) links {} of the records correctly, the mean of {} draws of the individuals that are \
             learned from (95 % interval {} to {}).",
            mean.method,
            percent(mean.rate),
            mean.cases,
            percent(low),
            percent(high),
        ));
    } else if let Some(worst) = link.worst().filter(|worst| worst.records > 0) {
        let known = match worst.known.len() {
            1 => format!("{} alone", worst.known[0]),
            n => format!("{n} attributes"),
        };
        lines.push(format!(
            "The attack that finds most ({}{}) links {} of {} records correctly, {} (95 % interval {} to {}), with {known} known. Guessing \
             gets {}.",
            worst.method,
            if worst.worst_case { ", a worst case" } else { "" },
            count(link.correct(worst)),
            worst.records,
            percent(worst.rate),
            percent(worst.interval[0]),
            percent(worst.interval[1]),
            percent(worst.baseline),
        ));
        if worst.with_partner < worst.records {
            lines.push(format!(
                "Of these records {} have a partner to be found; of those it is {}.",
                worst.with_partner,
                percent(worst.rate_of_findable)
            ));
        }
    }
    let with_sets = link
        .report
        .results
        .iter()
        .filter(|attack| attack.candidates_quantiles.is_some());
    if let Some(most) = with_sets.max_by_key(|attack| attack.certain) {
        lines.push(match most.certain {
            0 => format!("No record is left with a single candidate ({}).", most.method),
            _ => format!(
                "{} records are left with a single candidate by what was published ({}, {} attributes known); for {} of them it is the true one.",
                most.certain,
                most.method,
                most.known.len(),
                most.certain_correct
            ),
        });
    }
    lines
}

/// Who stands out by the key: an intruder who knows that and nothing else, so the figures differ from those of attacks, and say so.
fn of_risk(risk: &RiskJson) -> Vec<String> {
    // Intervals are of amounts; the others are of the key.
    let headlines = [
        (&interval::BY_RANK, false),
        (&classes::UNIQUE, true),
        (&classes::K_ANONYMITY, true),
        (&individual::EXPECTED, true),
    ];
    let of_key = match &risk.scenario.key[..] {
        [] => String::new(),
        key => format!(
            ", by the key {} alone: another scenario than that of the attacks",
            names(key)
        ),
    };
    let line = |(figure, is_of_key): (FigureRow, bool)| {
        let before = risk
            .find_before(&figure.key)
            .map_or(String::new(), |before| {
                format!(" ({} before masking)", before.shown())
            });
        let scenario = if is_of_key { of_key.as_str() } else { "" };
        format!(
            "{}: {}{before}{scenario}.",
            capital(&figure.name),
            figure.shown()
        )
    };
    headlines
        .into_iter()
        .filter_map(|(what, is_of_key)| Some((risk.find(what.key)?, is_of_key)))
        .map(line)
        .collect()
}

/// With a capital letter, unless it begins with a letter that stands for itself, as in k-anonymity.
fn capital(text: &str) -> String {
    if text.chars().nth(1) == Some('-') {
        return text.into();
    }
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| {
        first.to_uppercase().collect::<String>() + letters.as_str()
    })
}

/// What the figures cannot say.
pub(super) fn limits(documents: &[Document], writer: &Writer) -> Section {
    let has = |kind: Kind| documents.iter().any(|document| document.kind() == kind);
    let mut lines = vec![
        "The figures hold under the scenario that is written down here. An intruder who knows other attributes, or attacks in another way, may \
         find more.",
        "What was not measured is not in this report; that it is not here does not say that it is small.",
    ];
    if has(Kind::Link) && writer.is_internal() {
        lines.push(
            "Intervals are the uncertainty of a share counted on so many records. They do not say how far another masked file, or another \
             intruder, would differ.",
        );
        if !link::of(documents)
            .iter()
            .all(|(_, link)| link.report.results.iter().all(|attack| !attack.worst_case))
        {
            lines.push("Worst cases were given the true pairs, which no intruder has: what they find is a bound, not a forecast.");
        }
    }
    if has(Kind::Loss) || has(Kind::Score) || has(Kind::Evaluation) {
        lines.push("Loss is measured against the original. Whether an analysis can live with it depends on the analysis.");
    }
    if has(Kind::Evaluation) {
        lines.push("Means over masked files hide that one release is one draw.");
    }
    lines.push("Which release is acceptable is for people to decide; no figure decides it.");
    Section {
        id: "limits",
        title: "What these figures cannot say",
        content: html! { ul { @for line in &lines { li { (line) } } } },
    }
}
