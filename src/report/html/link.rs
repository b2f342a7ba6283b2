//! Attacks: who attacked what, what was linked, what was certain.

use maud::{Markup, html};
use serde::Deserialize;

use super::{
    Section,
    document::{Content, Document, or_none},
    frame::KEPT,
    parts::{Table, Writer, base_name, folded, list, names, text},
};
use crate::report::{
    chart::{
        histogram::{self, Bar},
        line::{self, At, Series},
        plot::Words,
    },
    text::{count, percent},
};

/// What `link` found.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct Link {
    pub scenario: Scenario,
    pub results: Vec<Attack>,
    #[serde(default)]
    pub means: Vec<Mean>,
    #[serde(default)]
    pub not_run: Vec<NotRun>,
    #[serde(default)]
    pub reading: Vec<String>,
}

/// Who attacked what.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct Scenario {
    pub original: String,
    pub masked: String,
    #[serde(default)]
    pub original_records: u64,
    #[serde(default)]
    pub masked_records: u64,
    #[serde(default)]
    pub known_records: u64,
    #[serde(default)]
    pub direction: String,
    #[serde(default)]
    pub aligned_by: String,
    #[serde(default)]
    pub ties: String,
    #[serde(default)]
    pub assign: String,
    #[serde(default)]
    pub left_out: Vec<LeftOut>,
}

/// An attribute that was not compared.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct LeftOut {
    pub attribute: String,
    pub why: String,
}

/// An attack on one set of known attributes.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct Attack {
    pub method: String,
    #[serde(default)]
    pub formula: String,
    #[serde(default)]
    pub worst_case: bool,
    pub known: Vec<String>,
    pub records: u64,
    #[serde(default)]
    pub with_partner: Option<u64>,
    pub correct: Correct,
    pub rate: f64,
    pub interval: [f64; 2],
    pub baseline: f64,
    #[serde(default)]
    pub certain: u64,
    #[serde(default)]
    pub certain_correct: u64,
    #[serde(default)]
    pub empty: u64,
    #[serde(default)]
    pub candidates_mean: f64,
    #[serde(default)]
    pub candidates_quantiles: Option<[u64; 5]>,
    #[serde(default)]
    pub contains_true: u64,
    #[serde(default)]
    pub windows: Option<Vec<u64>>,
    #[serde(default, deserialize_with = "or_none")]
    pub candidates_histogram: Vec<[u64; 2]>,
    #[serde(default)]
    pub sample: Option<String>,
    #[serde(default)]
    pub bound: Option<u64>,
    #[serde(default)]
    pub proof: Option<String>,
    #[serde(default)]
    pub expected: Option<f64>,
    #[serde(default, deserialize_with = "or_none")]
    pub calibration: Vec<Band>,
}

/// Correct links under each rule for ties.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub(super) struct Correct {
    pub fair: f64,
    pub strict: f64,
    pub optimistic: f64,
}

/// Links by the probability that the attack stated.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub(super) struct Band {
    pub from: f64,
    pub to: f64,
    pub records: u64,
    pub stated: f64,
    pub realised: f64,
}

/// The mean over cases.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct Mean {
    pub method: String,
    pub cases: u64,
    pub rate: f64,
    #[serde(default)]
    pub sample: Option<String>,
    #[serde(default)]
    pub interval: Option<[f64; 2]>,
}

/// An attack that does not apply.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct NotRun {
    pub method: String,
    pub why: String,
}

impl Link {
    /// The attack that linked most, apart from what was learned from the very people.
    pub fn worst(&self) -> Option<&Attack> {
        let others = self
            .results
            .iter()
            .filter(|attack| attack.sample.as_deref() != Some("training"));
        others.max_by(|a, b| a.rate.total_cmp(&b.rate))
    }

    /// Correct links under the rule for ties that was asked for.
    pub fn correct(&self, attack: &Attack) -> f64 {
        match self.scenario.ties.as_str() {
            "strict" => attack.correct.strict,
            "optimistic" => attack.correct.optimistic,
            _ => attack.correct.fair,
        }
    }

    /// What a part of the page about these attacks is called.
    fn title(&self, document: &Document) -> String {
        format!(
            "{} on {} ({})",
            self.methods().join(", "),
            base_name(&self.scenario.masked),
            base_name(&document.name)
        )
    }

    /// What the intruder knew in a case: all names, or the ends of the list where each case goes on from the last.
    fn case(&self, attack: &Attack) -> String {
        const NAMES_IN_FULL: usize = 3;
        match attack.known.as_slice() {
            [first, .., last] if self.is_nested() && attack.known.len() > NAMES_IN_FULL => {
                format!("{first} … {last} ({})", attack.known.len())
            }
            known => names(known),
        }
    }

    /// Whether each case goes on from the last.
    fn is_nested(&self) -> bool {
        let longest = self
            .results
            .iter()
            .map(|attack| &attack.known)
            .max_by_key(|known| known.len());
        longest.is_some_and(|longest| {
            self.results
                .iter()
                .all(|attack| longest.starts_with(&attack.known))
        })
    }

    fn methods(&self) -> Vec<&str> {
        let mut methods: Vec<&str> = Vec::new();
        for attack in &self.results {
            if !methods.contains(&attack.method.as_str()) {
                methods.push(&attack.method);
            }
        }
        methods
    }
}

/// The results of `link`.
pub(super) fn of(documents: &[Document]) -> Vec<(&Document, &Link)> {
    documents
        .iter()
        .filter_map(|document| match &document.content {
            Content::Link(link) => Some((document, link)),
            _ => None,
        })
        .collect()
}

pub(super) fn scenario(documents: &[Document], writer: &mut Writer) -> Option<Section> {
    let links = of(documents);
    if links.is_empty() {
        return None;
    }
    Some(Section {
        id: "scenario",
        title: "What the intruder is assumed to know",
        content: html! { @for (document, link) in links {
            @let scenario = &link.scenario;
            @if documents.len() > 1 { h3 { (text(&link.title(document))) } }
            (list(&[
                ("Original file", held(&scenario.original, scenario.original_records, writer)),
                ("Masked file", format!("{}, {} records", base_name(&scenario.masked), scenario.masked_records)),
                ("Attributes known", known(link)),
                ("Records known", if writer.is_internal() { scenario.known_records.to_string() } else { String::new() }),
                ("Who looks for whom", direction(&scenario.direction).into()),
                ("Judged by", scenario.aligned_by.clone()),
                ("A tie of t that holds the true record counts", ties(&scenario.ties).into()),
                ("How records are assigned", assign(&scenario.assign).into()),
                ("What was published about the masking", published(link)),
            ]))
            @if writer.is_internal() && !scenario.left_out.is_empty() { details {
                summary { "Attributes that were not compared (" (scenario.left_out.len()) ")" }
                ul { @for left in &scenario.left_out { li { (text(&left.attribute)) ": it " (text(&left.why)) } } }
            } }
        } },
    })
}

fn held(name: &str, records: u64, writer: &Writer) -> String {
    match writer.is_internal() {
        true => format!("{name}, {records} records"),
        false => base_name(name).into(),
    }
}

/// The attributes known: of a family of cases, all that occur.
fn known(link: &Link) -> String {
    let mut all: Vec<String> = Vec::new();
    for name in link.results.iter().flat_map(|attack| &attack.known) {
        if !all.contains(name) {
            all.push(name.clone());
        }
    }
    let mut cases: Vec<&Vec<String>> = link.results.iter().map(|attack| &attack.known).collect();
    cases.sort();
    cases.dedup();
    match cases.len() {
        0 | 1 => names(&all),
        n => format!("{n} sets of attributes among {}", names(&all)),
    }
}

fn direction(direction: &str) -> &str {
    match direction {
        "masked-to-original" => "each masked record looks for its own among the intruder's",
        "original-to-masked" => "each record of the intruder looks for its own among the masked",
        other => other,
    }
}

fn ties(ties: &str) -> &str {
    match ties {
        "fair" => "1/t",
        "strict" => "nothing",
        "optimistic" => "as found",
        other => other,
    }
}

fn assign(assign: &str) -> &str {
    match assign {
        "best" => "each takes its nearest",
        "one-to-one" => "all at once, one to one",
        "balanced" => "each takes the most likely, given that all are linked one to one",
        other => other,
    }
}

/// What the attacks used of what was published.
fn published(link: &Link) -> String {
    let mut windows: Vec<u64> = link
        .results
        .iter()
        .flat_map(|attack| attack.windows.iter().flatten().copied())
        .collect();
    windows.sort_unstable();
    windows.dedup();
    match windows[..] {
        [] => "nothing that these attacks use, beyond what the formulas below name".into(),
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
    .with(link.means.iter().map(|mean| {
        vec![
            mean.method.clone(),
            mean.sample.as_deref().map_or(String::new(), sample),
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
        (ties_table(link))
        @if link.results.iter().any(|attack| attack.worst_case) {
            p { "* A worst case: the distance was made from who is whom, which an intruder does not know." }
        }
        (by_knowledge(link, writer))
        (candidates(link, writer))
        (calibration(link, writer))
        (writer.once(&link.reading))
    }
}

fn interval([low, high]: [f64; 2]) -> String {
    format!("{} to {}", percent(low), percent(high))
}

fn sample(sample: &str) -> String {
    match sample {
        "training" => "records learned from".into(),
        other => other.into(),
    }
}

fn rates(link: &Link) -> Table {
    let header = [
        "Attack",
        "Attributes known",
        "Of",
        "Records",
        "Correct links",
        "Rate",
        "95 % interval",
        "By chance",
        "Without ties",
        "No more than",
    ];
    let rows = link.results.iter().map(|attack| {
        let mut row = vec![
            format!(
                "{}{}",
                attack.method,
                if attack.worst_case { " *" } else { "" }
            ),
            link.case(attack),
            attack.sample.as_deref().map_or(String::new(), sample),
            attack.records.to_string(),
            count(link.correct(attack)),
            percent(attack.rate),
            interval(attack.interval),
            percent(attack.baseline),
        ];
        if let Some(bound) = attack.bound {
            let proof = if attack.proof.as_deref() == Some("optimal") {
                " (proven)"
            } else {
                ""
            };
            row.extend([count(attack.correct.strict), format!("{bound}{proof}")]);
        }
        row
    });
    Table::new("Links, attack by attack", &header, 3).with(rows)
}

/// What is left of the file by what was published, record by record of the intruder.
fn candidate_sets(link: &Link) -> Table {
    let header = [
        "Attack",
        "Attributes known",
        "Certain",
        "Certain and true",
        "True one inside",
        "Nobody possible",
        "Fewest",
        "Quarter below",
        "Half below",
        "Three quarters below",
        "Most",
        "Mean",
    ];
    let rows = link.results.iter().filter_map(|attack| {
        let mut row = vec![attack.method.clone(), link.case(attack)];
        row.extend(
            [
                attack.certain,
                attack.certain_correct,
                attack.contains_true,
                attack.empty,
            ]
            .map(|n| n.to_string()),
        );
        row.extend(attack.candidates_quantiles?.map(|n| n.to_string()));
        row.push(format!("{:.1}", attack.candidates_mean));
        Some(row)
    });
    Table::new(
        "Candidate sets: the masked records that stay possible for a record of the intruder",
        &header,
        2,
    )
    .with(rows)
}

/// The counts under the three rules for ties, where they differ.
fn ties_table(link: &Link) -> Markup {
    let differ: Vec<&Attack> = link
        .results
        .iter()
        .filter(|attack| (attack.correct.optimistic - attack.correct.strict).abs() > f64::EPSILON)
        .collect();
    let table = Table::new(
        "Correct links under each rule for ties",
        &[
            "Attack",
            "Attributes known",
            "A tie of t counts 1/t",
            "It counts nothing",
            "It counts as found",
        ],
        2,
    )
    .with(differ.iter().map(|attack| {
        let Correct {
            fair,
            strict,
            optimistic,
        } = attack.correct;
        vec![
            attack.method.clone(),
            link.case(attack),
            count(fair),
            count(strict),
            count(optimistic),
        ]
    }));
    html! { @if !differ.is_empty() { details { summary { "What ties decide" } (table.markup()) } } }
}

/// The rate against the number of attributes known, where cases differ in it.
fn by_knowledge(link: &Link, writer: &mut Writer) -> Markup {
    let mut sizes: Vec<usize> = link
        .results
        .iter()
        .map(|attack| attack.known.len())
        .collect();
    sizes.sort_unstable();
    sizes.dedup();
    let is_drawn = link.results.iter().any(|attack| attack.sample.is_some());
    if !link.is_nested() || sizes.len() < 2 || is_drawn {
        return html! {};
    }
    let methods = link.methods();
    let series: Vec<Series> = methods
        .iter()
        .enumerate()
        .map(|(number, method)| Series {
            number,
            name: method.to_string(),
            points: link
                .results
                .iter()
                .filter(|attack| attack.method == *method)
                .map(|attack| At {
                    x: attack.known.len() as f64,
                    y: attack.rate,
                    interval: Some(attack.interval),
                    published: None,
                })
                .collect(),
        })
        .collect();
    let chance: Vec<(f64, f64)> = link
        .results
        .iter()
        .filter(|attack| Some(attack.method.as_str()) == methods.first().copied())
        .map(|attack| (attack.known.len() as f64, attack.baseline))
        .collect();
    let words = Words {
        title: "Correct links by what the intruder knows",
        below: "One line an attack; bands are 95 % intervals of a share counted on so many records",
        x: "attributes known, in the order of the table",
        y: "correct links, share of records",
    };
    let mut table = Table::new(
        "Correct links by what the intruder knows",
        &["Attributes known", "The last of them"],
        2,
    );
    table.header.extend(methods.iter().map(ToString::to_string));
    for size in sizes {
        let of_size = || {
            link.results
                .iter()
                .filter(move |attack| attack.known.len() == size)
        };
        let last = of_size()
            .next()
            .and_then(|attack| attack.known.last().cloned());
        let mut row = vec![size.to_string(), last.unwrap_or_default()];
        row.extend(methods.iter().map(|method| {
            let attack = of_size().find(|attack| attack.method == *method);
            attack.map_or(String::new(), |attack| percent(attack.rate))
        }));
        table.rows.push(row);
    }
    writer.figure(
        &line::drawing(&series, &chance, &words),
        "Higher is more risk. Each step to the right gives the intruder one attribute more.",
        &table,
    )
}

/// How many masked records stay possible, where what was published narrows them down.
fn candidates(link: &Link, writer: &mut Writer) -> Markup {
    let with_sets = link
        .results
        .iter()
        .filter(|attack| !attack.candidates_histogram.is_empty());
    let Some(attack) = with_sets.max_by_key(|attack| (attack.certain, attack.known.len())) else {
        return html! {};
    };
    let mut bins = attack.candidates_histogram.clone();
    bins.sort_unstable();
    let bars: Vec<Bar> = bins
        .iter()
        .map(|&[size, records]| Bar {
            label: short_count(size),
            name: bin_name(size),
            count: records,
            stands_out: size == 1,
        })
        .collect();
    let below = format!(
        "{} with {} known: {} records of {} are certain",
        attack.method,
        attributes(attack.known.len()),
        attack.certain,
        attack.records
    );
    let words = Words {
        title: "How many masked records stay possible",
        below: &below,
        x: "size of the candidate set, from this number to below the next",
        y: "records",
    };
    let table = Table::new(
        "Records by the size of their candidate set",
        &["Candidates", "Records"],
        1,
    )
    .with(
        bins.iter()
            .map(|&[size, records]| vec![bin_name(size), records.to_string()]),
    );
    writer.figure(
        &histogram::drawing(&bars, &words),
        "A set of one, the bar at 1, is a certain link: the intruder knows that it is right, if what is assumed of the masking holds.",
        &table,
    )
}

fn attributes(n: usize) -> String {
    match n {
        1 => "1 attribute".into(),
        n => format!("{n} attributes"),
    }
}

/// The sizes from a power of two up to the next.
fn bin_name(size: u64) -> String {
    match size {
        0 => "none".into(),
        1 => "1, certain".into(),
        size => format!("{size} to {}", size.saturating_mul(2).saturating_sub(1)),
    }
}

fn short_count(size: u64) -> String {
    match size {
        0 => "none".into(),
        1..10_000 => size.to_string(),
        10_000..10_000_000 => format!("{}k", size / 1000),
        _ => format!("{}M", size / 1_000_000),
    }
}

/// What attacks said of their own success.
fn calibration(link: &Link, writer: &mut Writer) -> Markup {
    let with_bands = link
        .results
        .iter()
        .filter(|attack| attack.calibration.len() > 1);
    let Some(attack) = with_bands.max_by(|a, b| a.rate.total_cmp(&b.rate)) else {
        return html! {};
    };
    let series = [Series {
        number: 0,
        name: attack.method.clone(),
        points: attack
            .calibration
            .iter()
            .map(|band| At {
                x: 100.0 * band.stated,
                y: band.realised,
                interval: None,
                published: None,
            })
            .collect(),
    }];
    let words = Words {
        title: "What the attack believes of its links, and what is true",
        below: "On the dotted line beliefs are right; above it the attack knows less than it could",
        x: "stated probability of a link, in percent",
        y: "share that is correct",
    };
    let table = Table::new(
        "Links by stated probability",
        &["Stated", "Records", "Mean stated", "Correct"],
        1,
    )
    .with(attack.calibration.iter().map(|band| {
        vec![
            format!("{:.0} to {:.0} %", 100.0 * band.from, 100.0 * band.to),
            band.records.to_string(),
            percent(band.stated),
            percent(band.realised),
        ]
    }));
    let caption = match attack.expected {
        Some(expected) => format!(
            "{} expected {} of its links to be correct; {} are.",
            attack.method,
            percent(expected),
            percent(attack.rate)
        ),
        None => String::new(),
    };
    writer.figure(
        &line::drawing(&series, &[(0.0, 0.0), (100.0, 1.0)], &words),
        &caption,
        &table,
    )
}

fn formulas(link: &Link, is_internal: bool) -> Markup {
    let mut told: Vec<(&str, &str)> = Vec::new();
    for attack in &link.results {
        if !told.contains(&(&attack.method, &attack.formula)) {
            told.push((&attack.method, &attack.formula));
        }
    }
    html! {
        @if !told.is_empty() { dl { @for (method, formula) in told { div { dt { (text(method)) } dd { (text(formula)) } } } } }
        @if is_internal { @for not_run in &link.not_run { p { "Not run: " (text(&not_run.method)) " (" (text(&not_run.why)) ")." } } }
    }
}
