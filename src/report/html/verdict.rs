//! The first page: what a board decides on, in one look.

use maud::{Markup, html};

use super::{
    Section,
    document::{Content, Document},
    link::Link,
    parts::{Table, Writer, base_name, names, text},
};
use crate::{
    loss::{ENTROPY_LOSS, IL, SSE_SST, SUPPRESSED},
    report::{
        limit::LimitReport,
        link::{LinkResult, Sample},
        text::{count, percent},
    },
};

/// So many scenarios are shown; those with the highest rates come first, so what is left out found no more.
const MAX_SCENARIOS: usize = 8;

/// What was released, the strongest attack in each scenario, what it cost, and which limits were kept. For the office alone.
pub(super) fn section(documents: &[Document], writer: &Writer) -> Option<Section> {
    let matters = documents.iter().any(|document| {
        matches!(
            document.content,
            Content::Link(_) | Content::Loss(_) | Content::Risk(_) | Content::Score(_)
        )
    });
    (matters && writer.is_internal()).then(|| Section {
        id: "verdict",
        title: "For the decision",
        content: html! {
            h3 { "What is to be released" }
            (released(documents))
            h3 { "The strongest attack in each scenario" }
            (attacks(documents))
            h3 { "What it cost" }
            (lines(&costs(documents), "No loss was measured: run 'sdcrisk loss'."))
            h3 { "Limits" }
            (lines(&limits(documents), "No limit was set (--fail-above of 'link' and 'risk')."))
        },
    })
}

fn lines(lines: &[String], otherwise: &str) -> Markup {
    html! {
        @if lines.is_empty() { p { (otherwise) } } @else { ul { @for line in lines { li { (text(line)) } } } }
    }
}

fn released(documents: &[Document]) -> Markup {
    let mut said: Vec<String> = Vec::new();
    for document in documents {
        match &document.content {
            Content::Statement(stated) => {
                for (number, step) in (1..).zip(&stated.steps) {
                    said.push(format!(
                        "Step {number}: {}{}; {}",
                        step.method.in_words(),
                        match step.attributes.len() {
                            0 => String::new(),
                            _ => format!(" of {}", names(&step.attributes)),
                        },
                        match step.records_before {
                            Some(before) => format!("{} of {before} records", step.records),
                            None => format!("{} records", step.records),
                        }
                    ));
                }
                if !stated.complete {
                    said.push("Something was done before that, which is not stated.".into());
                }
            }
            Content::Link(link) => {
                let scenario = &link.report.scenario;
                let file = format!(
                    "File: {}, {} records",
                    base_name(&scenario.masked),
                    scenario.masked_records
                );
                if !said.contains(&file) {
                    said.push(file);
                }
            }
            _ => {}
        }
    }
    lines(
        &said,
        "No statement is in this report: it does not say how the file was masked.",
    )
}

/// The attack that links most among those with the same knowledge.
struct Strongest<'a> {
    link: &'a Link,
    attack: &'a LinkResult,
}

/// For each set of known attributes and records held, the attack that links most; highest rate first. Attacks on the people that a distance was
/// learned from are left out.
fn strongest(documents: &[Document]) -> Vec<Strongest<'_>> {
    let mut all: Vec<Strongest<'_>> = Vec::new();
    let links = documents
        .iter()
        .filter_map(|document| match &document.content {
            Content::Link(link) => Some(link),
            _ => None,
        });
    for link in links {
        let attacks = link.report.results.iter();
        for attack in attacks.filter(|attack| attack.sample != Some(Sample::Training)) {
            let of_same = |other: &&mut Strongest<'_>| {
                other.attack.known == attack.known
                    && other.attack.records == attack.records
                    && other.link.report.scenario.masked == link.report.scenario.masked
            };
            match all.iter_mut().find(of_same) {
                Some(other) if other.attack.rate < attack.rate => {
                    *other = Strongest { link, attack }
                }
                Some(_) => {}
                None => all.push(Strongest { link, attack }),
            }
        }
    }
    all.sort_by(|a, b| b.attack.rate.total_cmp(&a.attack.rate));
    all
}

fn attacks(documents: &[Document]) -> Markup {
    let all = strongest(documents);
    if all.is_empty() {
        return html! { p { "No attack was run: this page does not say how many can be linked ('sdcrisk link --method all')." } };
    }
    let row = |Strongest { link, attack }: &Strongest<'_>| {
        let [low, high] = attack.interval;
        vec![
            names(&attack.known),
            attack.records.to_string(),
            format!(
                "{}{}",
                attack.method,
                if attack.worst_case {
                    " (worst case)"
                } else {
                    ""
                }
            ),
            format!("{} of {}", count(link.correct(attack)), attack.records),
            percent(attack.rate),
            format!("{} to {}", percent(low), percent(high)),
            percent(attack.baseline),
            attack.certain_correct.to_string(),
        ]
    };
    let table = Table::new(
        "Who would be linked to their own record, by what the intruder knows of how many",
        &[
            "attributes known",
            "people known",
            "strongest attack",
            "linked correctly",
            "rate",
            "95 % interval",
            "by guessing",
            "certain and right",
        ],
        1,
    );
    let shown = all.iter().take(MAX_SCENARIOS).map(row);
    let rest = all.len().saturating_sub(MAX_SCENARIOS);
    html! {
        (table.with(shown).markup())
        @if rest > 0 { p { (rest) " further scenarios found no more than these." } }
        @for warning in warnings(documents) { p { strong { "Warning: " } (text(&warning)) } }
        p { "Only the attacks that were run are here; an intruder with other knowledge may find more." }
    }
}

fn warnings(documents: &[Document]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for document in documents {
        if let Content::Link(link) = &document.content {
            for warning in link.warnings() {
                if !all.contains(&warning) {
                    all.push(warning);
                }
            }
        }
    }
    all
}

fn costs(documents: &[Document]) -> Vec<String> {
    let mut all = Vec::new();
    for document in documents {
        if let Content::Loss(loss) = &document.content {
            for what in [&IL, &SSE_SST, &ENTROPY_LOSS, &SUPPRESSED] {
                if let Some(figure) = loss.find(what.key).filter(|figure| figure.value.is_some()) {
                    all.push(format!("{}: {}", what.name, figure.shown()));
                }
            }
            let not_in_il = loss.report.scenario.not_in_il.len();
            if not_in_il > 0 {
                all.push(format!("{not_in_il} attributes that changed are not in IL"));
            }
        }
    }
    all
}

fn limits(documents: &[Document]) -> Vec<String> {
    let of = |document: &Document| -> Vec<String> {
        let limits: &[LimitReport] = match &document.content {
            Content::Link(link) => &link.report.limits,
            Content::Risk(risk) => &risk.limits,
            _ => &[],
        };
        limits.iter().map(LimitReport::sentence).collect()
    };
    documents.iter().flat_map(of).collect()
}
