//! Attacks: who attacked what, what was linked, what was certain.

mod model;
mod pictures;
mod tables;

pub(super) use model::{Link, of};
pub(super) use pictures::bin_label;

use maud::{Markup, html};

use super::{
    Section,
    document::Document,
    frame::KEPT,
    parts::{Table, Writer, base_name, crossed, folded, list, names, text},
};
use crate::{
    attack::Direction,
    evaluate::{link::AssignRule, score::Ties},
    report::text::percent,
};
use pictures::{by_knowledge, calibration, candidates};
use tables::{beyond, candidate_sets, interval, rates, sample, ties_table};

pub(super) fn scenario(documents: &[Document], writer: &mut Writer) -> Option<Section> {
    let links = of(documents);
    if links.is_empty() {
        return None;
    }
    Some(Section {
        id: "scenario",
        title: "What the intruder is assumed to know",
        content: html! { @for (document, link) in links {
            @let scenario = &link.report.scenario;
            @if documents.len() > 1 { h3 { (text(&link.title(document))) } }
            @for warning in &link.report.warnings { p {
                strong { "Warning: " } (text(&warning.attribute)) " " (text(&warning.what)) ". " (text(&warning.remedy)) "."
            } }
            (list(&[
                ("Original file", held(&scenario.original, scenario.original_records, writer)),
                ("Masked file", format!("{}, {} records", base_name(&scenario.masked), scenario.masked_records)),
                ("Attributes known", known(link)),
                ("Records known", if writer.is_internal() { scenario.known_records.to_string() } else { String::new() }),
                ("Who looks for whom", direction(scenario.direction).into()),
                crossed(scenario.crosswalk.as_ref()),
                ("Judged by", scenario.aligned_by.clone()),
                ("A tie of t that holds the true record counts", ties(scenario.ties).into()),
                ("How records are assigned", assign(scenario.assign).into()),
                ("What was published about the masking", published(link)),
            ]))
            @if writer.is_internal() && !scenario.left_out.is_empty() { details {
                summary { "Attributes that were not compared (" (scenario.left_out.len()) ")" }
                ul { @for left in &scenario.left_out { li { (text(&left.attribute)) ": it " (text(&left.why)) } } }
            } }
        } },
    })
}

fn held(name: &str, records: usize, writer: &Writer) -> String {
    if writer.is_internal() {
        format!("{name}, {records} records")
    } else {
        base_name(name).into()
    }
}

/// The attributes known: of a family of cases, all that occur.
fn known(link: &Link) -> String {
    let mut all: Vec<String> = Vec::new();
    for name in link.report.results.iter().flat_map(|attack| &attack.known) {
        if !all.contains(name) {
            all.push(name.clone());
        }
    }
    let mut cases: Vec<&Vec<String>> = link
        .report
        .results
        .iter()
        .map(|attack| &attack.known)
        .collect();
    cases.sort();
    cases.dedup();
    match cases.len() {
        0 | 1 => names(&all),
        n => format!("{n} sets of attributes among {}", names(&all)),
    }
}

fn direction(direction: Direction) -> &'static str {
    match direction {
        Direction::MaskedToOriginal => "each masked record looks for its own among the intruder's",
        Direction::OriginalToMasked => {
            "each record of the intruder looks for its own among the masked"
        }
    }
}

fn ties(ties: Ties) -> &'static str {
    match ties {
        Ties::Fair => "1/t",
        Ties::Strict => "nothing",
        Ties::Optimistic => "as found",
    }
}

fn assign(assign: AssignRule) -> &'static str {
    match assign {
        AssignRule::Best => "each takes its nearest",
        AssignRule::OneToOne => "jointly, one-to-one",
        AssignRule::Balanced => "each takes the most likely, given that all are linked one to one",
    }
}

/// What the attacks used of what was published.
fn published(link: &Link) -> String {
    let mut windows: Vec<usize> = link
        .report
        .results
        .iter()
        .flat_map(|attack| attack.windows.iter().flatten().copied())
        .collect();
    windows.sort_unstable();
    windows.dedup();
    let is_used = !windows.is_empty();
    // A window of 0 is of an attribute that was not swapped.
    windows.retain(|&window| window > 0);
    match windows[..] {
        [] if is_used => {
            "rank swapping, but of none of the attributes that were compared: these are as they were".into()
        }
        [] => "nothing that these attacks use, beyond what the formulas below name".into(),
        [1] => "rank swapping within 1 rank".into(),
        [one] => format!("rank swapping within {one} ranks"),
        [first, .., last] => format!("rank swapping within {first} to {last} ranks, by attribute"),
    }
}

pub(super) fn attacks(documents: &[Document], writer: &mut Writer) -> Option<Section> {
    let links = of(documents);
    if links.is_empty() {
        return None;
    }
    let several = documents.len() > 1;
    let mut parts = Vec::new();
    for (document, link) in links {
        parts.push(html! {
            @if several { h3 { (text(&link.title(document))) } }
            @if writer.is_internal() { (results(link, writer)) }
            (formulas(link, writer.is_internal()))
        });
    }
    Some(Section {
        id: "attacks",
        title: "Attacks",
        content: html! {
            @for part in &parts { (part) }
            @if !writer.is_internal() { p { (KEPT) } }
        },
    })
}

fn results(link: &Link, writer: &mut Writer) -> Markup {
    let means = Table::new(
        "Means over all cases",
        &["Attack", "Of", "Cases", "Rate", "95 % interval"],
        2,
    )
    .with(link.report.means.iter().map(|mean| {
        vec![
            mean.method.clone(),
            mean.sample.map_or(String::new(), sample),
            mean.cases.to_string(),
            percent(mean.rate),
            mean.interval.map_or(String::new(), interval),
        ]
    }));
    html! {
        @if !means.rows.is_empty() { (means.markup()) }
        (folded(&rates(link), "Every attack in every case"))
        @let sets = candidate_sets(link);
        @if !sets.rows.is_empty() { (folded(&sets, "Candidate sets in every case")) }
        (beyond(link))
        (ties_table(link))
        @if link.report.results.iter().any(|attack| attack.worst_case) {
            p { "* A worst case: the distance was computed from the true pairs, which an intruder does not know." }
        }
        (by_knowledge(link, writer))
        (candidates(link, writer))
        (calibration(link, writer))
        (writer.once(&link.reading))
    }
}

fn formulas(link: &Link, is_internal: bool) -> Markup {
    let mut formulas: Vec<(&str, &str)> = Vec::new();
    for attack in &link.report.results {
        if !formulas.contains(&(&attack.method, &attack.formula)) {
            formulas.push((&attack.method, &attack.formula));
        }
    }
    html! {
        @if !formulas.is_empty() { dl { @for (method, formula) in formulas { div { dt { (text(method)) } dd { (text(formula)) } } } } }
        @if is_internal { @for not_run in &link.report.not_run { p { "Not run: " (text(&not_run.method)) " (" (text(&not_run.why)) ")." } } }
    }
}
