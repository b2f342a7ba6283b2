//! Attacks in pictures: what more knowledge gives, how many records stay possible, whether stated success is true.

use maud::{Markup, html};

use super::model::Link;
use crate::report::{
    chart::{
        histogram::{self, Bar},
        line::{self, At, Series},
        plot::Words,
    },
    html::parts::{Table, Writer},
    text::percent,
};

/// The rate against the number of attributes known, where cases differ in it.
pub(super) fn by_knowledge(link: &Link, writer: &mut Writer) -> Markup {
    let mut sizes: Vec<usize> = link
        .report
        .results
        .iter()
        .map(|attack| attack.known.len())
        .collect();
    sizes.sort_unstable();
    sizes.dedup();
    let is_drawn = link
        .report
        .results
        .iter()
        .any(|attack| attack.sample.is_some());
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
                .report
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
        .report
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
            link.report
                .results
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
        &line::drawing(&series, (line::BY_CHANCE, &chance), &words),
        "Higher is more risk. Each step to the right gives the intruder one attribute more.",
        &table,
    )
}

/// How many masked records stay possible, where what was published narrows them down.
pub(super) fn candidates(link: &Link, writer: &mut Writer) -> Markup {
    let with_sets = link
        .report
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
        .map(|&(size, records)| Bar {
            label: bin_label(size.into()),
            name: bin_name(size.into()),
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
        x: "size of the candidate set",
        y: "records",
    };
    let table = Table::new(
        "Records by the size of their candidate set",
        &["Candidates", "Records"],
        1,
    )
    .with(
        bins.iter()
            .map(|&(size, records)| vec![bin_name(size.into()), records.to_string()]),
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

/// The same, short: what is written below a bar.
pub(in crate::report::html) fn bin_label(size: u64) -> String {
    let last = size.saturating_mul(2).saturating_sub(1);
    match size {
        0 => "none".into(),
        1 => "1".into(),
        2..10_000 => format!("{size}–{last}"),
        10_000..10_000_000 => format!("{}–{}k", size / 1000, last / 1000),
        _ => format!("{}–{}M", size / 1_000_000, last / 1_000_000),
    }
}

/// What attacks said of their own success.
pub(super) fn calibration(link: &Link, writer: &mut Writer) -> Markup {
    let with_bands = link
        .report
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
        &line::drawing(
            &series,
            ("perfectly calibrated", &[(0.0, 0.0), (100.0, 1.0)]),
            &words,
        ),
        &caption,
        &table,
    )
}

#[cfg(test)]
mod tests {
    use super::bin_label;

    /// A bin reaches from a power of two to below the next: 2 and 3; 16,384 to 32,767.
    #[test]
    fn bars_are_labelled_by_their_bins() {
        for (least, label) in [
            (0, "none"),
            (1, "1"),
            (2, "2–3"),
            (64, "64–127"),
            (16_384, "16–32k"),
        ] {
            assert_eq!(bin_label(least), label);
        }
    }
}
