//! Attacks in tables: links, candidate sets, ties.

use maud::{Markup, html};

use super::model::Link;
use crate::{
    attack::learned::weights::ProofStatus,
    report::{
        html::parts::Table,
        link::{Correct, LinkResult, Sample},
        text::{count, percent},
    },
};

pub(super) fn rates(link: &Link) -> Table {
    let header = [
        "Attack",
        "Attributes known",
        "Of",
        "Records",
        "Correct links",
        "Rate",
        "95 % interval",
        "By chance",
        "Have a partner",
        "Rate of these",
        "Without ties",
        "No more than",
    ];
    let rows = link.report.results.iter().map(|attack| {
        let mut row = vec![
            format!(
                "{}{}",
                attack.method,
                if attack.worst_case { " *" } else { "" }
            ),
            link.case(attack),
            attack.sample.map_or(String::new(), sample),
            attack.records.to_string(),
            count(link.correct(attack)),
            percent(attack.rate),
            interval(attack.interval),
            percent(attack.baseline),
        ];
        row.extend(if attack.with_partner < attack.records {
            [
                attack.with_partner.to_string(),
                percent(attack.rate_of_findable),
            ]
        } else {
            [String::new(), String::new()]
        });
        if let Some(learned) = &attack.learned {
            let bound = learned.bound;
            let proof = match learned.proof {
                ProofStatus::Optimal => " (proven)",
                ProofStatus::Limit => "",
            };
            row.extend([attack.correct.strict.to_string(), format!("{bound}{proof}")]);
        }
        row
    });
    Table::new("Links, attack by attack", &header, 3).with(rows)
}

/// People who stand out, and the links that attacks are surest of; nothing where nobody does.
pub(super) fn beyond(link: &Link) -> Markup {
    let header = [
        "Attack",
        "Attributes known",
        "Who",
        "Records",
        "Correct links",
        "Rate",
        "95 % interval",
        "By chance",
    ];
    let rows: Vec<Vec<String>> = link
        .report
        .results
        .iter()
        .flat_map(|attack| {
            let parts = [
                (
                    "top or bottom 1 % of a known attribute",
                    attack.beyond.extremes,
                ),
                ("1 % farthest from the mean", attack.beyond.far),
                ("1 % surest links", attack.beyond.surest),
            ];
            parts.into_iter().filter_map(move |(who, part)| {
                let part = part?;
                Some(vec![
                    attack.method.clone(),
                    link.case(attack),
                    who.to_owned(),
                    part.records.to_string(),
                    count(part.correct),
                    percent(part.rate),
                    interval(part.interval),
                    percent(part.baseline),
                ])
            })
        })
        .collect();
    let table = Table::new(
        "Beyond the mean: people who stand out, and the surest links",
        &header,
        3,
    );
    html! { @if !rows.is_empty() { (table.with(rows.into_iter()).markup()) } }
}

/// What is left of the file by what was published, record by record of the intruder.
pub(super) fn candidate_sets(link: &Link) -> Table {
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
    let rows = link.report.results.iter().filter_map(|attack| {
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
pub(super) fn ties_table(link: &Link) -> Markup {
    let differ: Vec<&LinkResult> = link
        .report
        .results
        .iter()
        .filter(|attack| attack.correct.optimistic != attack.correct.strict)
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
            strict.to_string(),
            optimistic.to_string(),
        ]
    }));
    html! { @if !differ.is_empty() { details { summary { "What ties decide" } (table.markup()) } } }
}

pub(super) fn interval([low, high]: [f64; 2]) -> String {
    format!("{} to {}", percent(low), percent(high))
}

pub(super) fn sample(sample: Sample) -> String {
    match sample {
        Sample::Training => "records learned from".into(),
        Sample::Others => "others".into(),
    }
}
