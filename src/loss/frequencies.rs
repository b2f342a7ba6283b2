//! Frequencies of categories: how far they moved, and what they are once corrected for post-randomisation.

use std::collections::BTreeMap;

use super::{
    Files,
    corrected::{Corrected, Correction, Estimate, Estimated},
};
use crate::{
    figure::{self, Definition, Figure, Group, Part},
    statement::{Laws, Method, PramParameters, Statement},
    stats::linear,
    table::{
        Scale,
        pair::{Pair, PairedCategories},
    },
};

/// How far the frequencies of categories moved.
pub static FREQUENCY_LOSS: Definition = Definition::share(
    Group::Cells,
    "frequency_loss",
    "frequencies of categories",
    "half of the sum of |share before − share after| over the categories: how many of the values would have to change for the frequencies to agree; mean over attributes of categories and ordinal ones",
    "counted",
);

/// An attribute of categories, or an ordinal one.
struct Column {
    name: String,
    /// What its codes stand for; numbers with a decimal point.
    labels: Vec<String>,
    /// The codes of both files.
    sides: [Vec<Option<u32>>; 2],
}

/// The attributes whose frequencies are compared: ordinal numbers first.
fn columns(pair: &Pair) -> Vec<Column> {
    let numbers = &pair.numbers;
    let is_ordinal = |place: &usize| numbers.scales[*place] == Scale::Ordinal;
    let ordinal = (0..numbers.names.len()).filter(is_ordinal).map(|place| {
        let mut code_of: BTreeMap<String, u32> = BTreeMap::new();
        let sides = [&numbers.original, &numbers.masked].map(|side| {
            let code = |value: Option<f64>| {
                let next = u32::try_from(code_of.len()).unwrap_or(u32::MAX);
                Some(*code_of.entry((value? + 0.0).to_string()).or_insert(next))
            };
            side.cells(place).map(code).collect()
        });
        let mut labels = vec![String::new(); code_of.len()];
        for (label, code) in code_of {
            labels[code as usize] = label;
        }
        Column {
            name: numbers.names[place].clone(),
            labels,
            sides,
        }
    });
    let categories = pair
        .categories
        .iter()
        .map(|attribute: &PairedCategories| Column {
            name: attribute.name.clone(),
            labels: attribute.labels.clone(),
            sides: [attribute.original.clone(), attribute.masked.clone()],
        });
    ordinal.chain(categories).collect()
}

impl Column {
    /// How often each category is met in a file.
    fn counts(&self, side: usize) -> Vec<f64> {
        let mut counts = vec![0.0; self.labels.len()];
        for &code in self.sides[side].iter().flatten() {
            counts[code as usize] += 1.0;
        }
        counts
    }

    /// The categories in the order in which people look for them: numbers by size, names by letters.
    fn in_order(&self) -> Vec<usize> {
        let number = |place: usize| self.labels[place].parse::<f64>().unwrap_or(f64::INFINITY);
        let mut places: Vec<usize> = (0..self.labels.len()).collect();
        places.sort_by(|&a, &b| {
            let by_size = number(a).total_cmp(&number(b));
            by_size.then_with(|| self.labels[a].cmp(&self.labels[b]))
        });
        places
    }

    /// The share of each category in either file; `None` where a file has no value, or the files have no category in common.
    fn shares(&self) -> Option<[Vec<f64>; 2]> {
        let counts = [0, 1].map(|side| self.counts(side));
        let mut both = counts[0].iter().zip(&counts[1]);
        both.any(|(before, after)| *before > 0.0 && *after > 0.0)
            .then(|| counts.map(in_shares))
    }
}

fn in_shares(counts: Vec<f64>) -> Vec<f64> {
    let total: f64 = counts.iter().sum();
    counts.into_iter().map(|count| count / total).collect()
}

/// Half of the sum of the absolute differences.
fn distance(before: &[f64], after: &[f64]) -> f64 {
    let pairs = before.iter().zip(after);
    let sum: f64 = pairs.map(|(before, after)| (before - after).abs()).sum();
    // A correction can take shares below 0, and shares of disjoint categories are rounded.
    (sum / 2.0).min(1.0)
}

/// The mean over attributes; what has no distance is counted in `skipped`.
fn mean(distances: impl Iterator<Item = (String, Option<f64>)>) -> Figure {
    let parts: Vec<Part> = distances
        .map(|(name, value)| Part { name, value })
        .collect();
    let there: Vec<f64> = parts.iter().filter_map(|part| part.value).collect();
    let skipped = (parts.len() - there.len()) as u64;
    match (there.len(), parts.len()) {
        (0, 0) => Figure::undefined(
            &FREQUENCY_LOSS,
            "no compared attribute is one of categories, or ordinal",
        ),
        (0, _) => Figure::undefined(
            &FREQUENCY_LOSS,
            "no attribute of categories has one that both files have",
        ),
        (count, _) => Figure::new(
            &FREQUENCY_LOSS,
            there.iter().sum::<f64>() / count as f64,
            count as u64,
        ),
    }
    .with_skipped(skipped)
    .with_parts(parts)
}

/// How far frequencies moved.
///
/// ```text
/// ½ Σ_k |n_k / n − n'_k / n'|        n_k of n values of the original, n'_k of n' of the masked file
/// ```
///
/// the total variation distance of the two distributions, from 0 (equal) to 1, mean over the attributes. Swapping keeps it 0. An
/// attribute of which the files have no category in common (classes took the place of numbers) is left out and counted in `skipped`.
///
/// # Missing
/// Is no category: each file has its own number of values.
///
/// # Parts
/// One an attribute, ordinal numbers first.
pub fn figure(files: &Files<'_>) -> Figure {
    mean(columns(files.pair).into_iter().map(|column| {
        let shares = column.shares();
        let distance = shares.map(|[before, after]| distance(&before, &after));
        (column.name, distance)
    }))
}

/// What remains after frequencies were corrected for the post-randomisation that a statement describes; `None` if it describes none.
///
/// ```text
/// t = t' R⁻¹       in each stratum, then added up
/// ```
///
/// is unbiased over the draws, so a small frequency can come out below 0; invariant matrices need no correction, and get none.
///
/// # Errors
/// Why there is none: a matrix has no inverse, the strata are not compared, or the attributes are not.
pub(super) fn correction(
    pair: &Pair,
    naive: &[Figure],
    statement: &Statement,
) -> Option<Result<Correction, String>> {
    let laws = Laws::of(statement);
    let is_pram = |method: &Method| matches!(method, Method::Pram(_));
    if !(statement.steps.iter()).any(|step| is_pram(&step.method)) {
        return None;
    }
    let columns = columns(pair);
    let mut corrected: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    let mut failed = Vec::new();
    let mut needless = Vec::new();
    for law in laws.laws() {
        let Method::Pram(stated) = &law.step.method else {
            continue;
        };
        let is_meant = |column: &&Column| {
            law.step.attributes.contains(&column.name) && law.speaks_of(&column.name)
        };
        for column in columns.iter().filter(is_meant) {
            if stated.invariant {
                needless.push(column.name.as_str());
                continue;
            }
            match restored(column, &columns, stated) {
                Ok(counts) => {
                    corrected.insert(&column.name, counts);
                }
                Err(why) => failed.push(format!("{} {why}", column.name)),
            }
        }
    }
    if corrected.is_empty() {
        return Some(Err(if !failed.is_empty() {
            failed.join("; ")
        } else if !needless.is_empty() {
            format!(
                "the matrices of {} are invariant: frequencies are unbiased as they are, and there is nothing to correct",
                needless.join(", ")
            )
        } else {
            "none of the attributes that were post-randomised is compared as they were left by it"
                .into()
        }));
    }
    let mut estimates = Vec::new();
    let figure = mean(columns.iter().map(|column| {
        let Some([before, after]) = column.shares() else {
            return (column.name.clone(), None);
        };
        let Some(restored) = corrected.get(column.name.as_str()) else {
            return (column.name.clone(), Some(distance(&before, &after)));
        };
        for place in column.in_order() {
            estimates.push(Estimate {
                what: Estimated::Share,
                attributes: vec![column.name.clone()],
                category: Some(column.labels[place].clone()),
                original: before[place],
                masked: after[place],
                corrected: restored[place],
            });
        }
        (column.name.clone(), Some(distance(&before, restored)))
    }));
    let mut words = "Categories were post-randomised: users multiply the frequencies of each attribute by the inverse of its transition matrix".to_owned();
    if !failed.is_empty() {
        words += &format!("; without a correction: {}", failed.join("; "));
    }
    Some(Ok(Correction {
        law: words + ".",
        attributes: corrected.keys().map(|name| (*name).to_owned()).collect(),
        figures: (figure::find(naive, FREQUENCY_LOSS.key).into_iter())
            .map(|naive| Corrected {
                naive: naive.clone(),
                corrected: figure.clone(),
            })
            .collect(),
        estimates,
    }))
}

/// The shares of the categories that a column had, estimated stratum by stratum.
fn restored(
    column: &Column,
    columns: &[Column],
    stated: &PramParameters,
) -> Result<Vec<f64>, String> {
    let strata: Option<Vec<&Column>> = (stated.strata.iter())
        .map(|name| columns.iter().find(|column| column.name == *name))
        .collect();
    let strata = strata.ok_or("was masked in strata of attributes that are not compared")?;
    let code_of: BTreeMap<&str, usize> = (column.labels.iter().enumerate())
        .map(|(code, label)| (label.as_str(), code))
        .collect();
    // The counts of each stratum, by the codes of the column.
    let mut counts: BTreeMap<Vec<Option<&str>>, BTreeMap<u32, f64>> = BTreeMap::new();
    for (record, &code) in column.sides[1].iter().enumerate() {
        let Some(code) = code else { continue };
        let of_strata = strata.iter().map(|strata| {
            let code = strata.sides[1][record]?;
            Some(strata.labels[code as usize].as_str())
        });
        let counts = counts.entry(of_strata.collect()).or_default();
        *counts.entry(code).or_insert(0.0) += 1.0;
    }
    let all: f64 = counts.values().flat_map(BTreeMap::values).sum();
    let mut restored = vec![0.0; column.labels.len()];
    for (stratum, mut counts) in counts {
        let is_meant = |names: &[Option<String>]| {
            let names = names.iter().map(Option::as_deref);
            names.eq(stratum.iter().copied())
        };
        let mut matrices = stated.of(&column.name);
        let matrix = matrices
            .find(|matrix| is_meant(&matrix.stratum))
            .ok_or("has values in a stratum of which the statement has no matrix")?;
        // What is in the matrix and in neither file has the frequency 0 and goes nowhere.
        let code = |name: &String| {
            let number = name.parse::<f64>().map(|number| (number + 0.0).to_string());
            let plain = code_of.get(name.as_str());
            plain
                .or_else(|| code_of.get(number.ok()?.as_str()))
                .copied()
        };
        let codes: Vec<Option<usize>> = matrix.categories.iter().map(code).collect();
        let met: Vec<f64> = (codes.iter())
            .map(|code| {
                let code = code.and_then(|code| u32::try_from(code).ok());
                code.and_then(|code| counts.remove(&code)).unwrap_or(0.0)
            })
            .collect();
        if !counts.is_empty() {
            return Err("has categories that its matrix does not name".into());
        }
        let n = met.len();
        let turned = (0..n).map(|l| (0..n).map(|k| matrix.probabilities[k][l]).collect());
        let found = linear::solution(turned.collect(), met)
            .ok_or("has a transition matrix without inverse")?;
        for (code, count) in codes.iter().zip(found) {
            // What no file has may come out a little off 0, and has no place.
            if let Some(code) = code {
                restored[*code] += count / all;
            }
        }
    }
    Ok(restored)
}
