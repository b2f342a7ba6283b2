//! Replaces values by the averages of their groups.

use std::{borrow::Cow, collections::BTreeMap};

use rayon::prelude::*;

use super::{Partition, partition::Members};
use crate::{
    error::Result,
    mask::{
        Effect, Rounding,
        new_numbers::{effect, write_numbers},
    },
    statement::Average,
    stats::moments::mean,
    table::{AttrId, Numbers, Scale, Table},
};

/// What the cells of one attribute become.
enum Averaged {
    /// New numbers, one a record.
    Numbers(Vec<f64>),
    /// The cells of other records.
    Donors(Vec<u32>),
}

/// The table in which each attribute has the averages of its groups, and what that did to each.
///
/// # Errors
/// Input, when a mean is beyond the range of numbers.
pub fn aggregate(
    table: Table,
    jobs: &[(AttrId, &Partition)],
    average: Average,
    rounding: Rounding,
) -> Result<(Table, Vec<Effect>)> {
    let averages: Vec<(AttrId, Averaged)> = jobs
        .par_iter()
        .map(|&(attribute, partition)| {
            let members = partition.members();
            let averages = match (table.attribute(attribute).scale, table.numbers(attribute)) {
                (Scale::Continuous, Some(numbers)) => {
                    Averaged::Numbers(averaged(numbers, &members, average))
                }
                (Scale::Ordinal, Some(numbers)) => {
                    Averaged::Donors(median_donors(numbers, &members))
                }
                _ => Averaged::Donors(mode_donors(&table, attribute, &members)),
            };
            (attribute, averages)
        })
        .collect();
    let (mut numbers, mut donors) = (Vec::new(), Vec::new());
    for (attribute, averages) in averages {
        match averages {
            Averaged::Numbers(new) => numbers.push((attribute, new)),
            Averaged::Donors(of) => donors.push((attribute, of)),
        }
    }
    let of_donors = donors.iter().map(|(attribute, donors)| {
        let effect = effect_of_donors(&table, *attribute, donors);
        (*attribute, effect)
    });
    let mut effects: BTreeMap<AttrId, Effect> = of_donors.collect();
    let averaged: Vec<AttrId> = numbers.iter().map(|&(attribute, _)| attribute).collect();
    let (mut table, of_numbers) = write_numbers(table, numbers, rounding)?;
    effects.extend(averaged.into_iter().zip(of_numbers));
    for (attribute, donors) in donors {
        table = table.with_donors(attribute, donors);
    }
    let in_order = jobs
        .iter()
        .filter_map(|(attribute, _)| effects.remove(attribute));
    Ok((table, in_order.collect()))
}

fn effect_of_donors(table: &Table, attribute: AttrId, donors: &[u32]) -> Effect {
    let name = &table.attribute(attribute).name;
    if let Some(numbers) = table.numbers(attribute) {
        let new: Vec<f64> = donors
            .iter()
            .map(|&donor| numbers.values[donor as usize])
            .collect();
        let new = Numbers {
            values: &new,
            missing: &table.missing(attribute).gathered(donors),
        };
        return effect(name, numbers, new);
    }
    let missing = table.missing(attribute).count();
    Effect {
        attribute: name.clone(),
        values: table.n_records() - missing,
        changed: donors
            .iter()
            .enumerate()
            .filter(|&(record, &donor)| {
                table.category(record, attribute) != table.category(donor as usize, attribute)
            })
            .count(),
        missing,
        squared_error: None,
    }
}

/// What gaps do to the protection of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Gaps {
    /// Values averaged over fewer than k values, because others of their group are missing.
    pub thin: usize,
    /// Of these, values that are alone in their group: they stand unchanged.
    pub alone: usize,
    /// Records that agree with fewer than k − 1 others on the block: gaps are visible.
    pub rare: usize,
}

impl Gaps {
    /// Counts them.
    pub fn of(table: &Table, attributes: &[AttrId], partition: &Partition, k: usize) -> Self {
        let mut gaps = Self::default();
        if attributes.iter().all(|&id| table.missing(id).is_empty()) {
            return gaps;
        }
        for group in partition.members().groups() {
            // How many records have each pattern of gaps.
            let mut patterns: BTreeMap<Vec<bool>, usize> = BTreeMap::new();
            for &record in group {
                let missing = |&id: &AttrId| table.is_missing(record as usize, id);
                *patterns
                    .entry(attributes.iter().map(missing).collect())
                    .or_default() += 1;
            }
            gaps.rare += patterns.values().filter(|&&count| count < k).sum::<usize>();
            for place in 0..attributes.len() {
                let with_value = patterns.iter().filter(|(pattern, _)| !pattern[place]);
                let present: usize = with_value.map(|(_, count)| count).sum();
                gaps.thin += if present < k { present } else { 0 };
                gaps.alone += usize::from(present == 1);
            }
        }
        gaps
    }
}

fn averaged(numbers: Numbers<'_>, members: &Members, average: Average) -> Vec<f64> {
    let mut new = numbers.values.to_vec();
    for group in members.groups() {
        let present = present_in(numbers, group);
        let values = present
            .clone()
            .map(|record| numbers.values[record as usize]);
        let value = match average {
            // The mean of equal values is that value, whatever the rounding of sums.
            Average::Mean => mean(values),
            Average::Median => {
                let mut sorted: Vec<f64> = values.collect();
                sorted.sort_unstable_by(f64::total_cmp);
                median(&sorted)
            }
        };
        for record in present {
            new[record as usize] = value;
        }
    }
    new
}

/// The middle value, or the mean of the two middle ones; 0 of none.
fn median(sorted: &[f64]) -> f64 {
    match sorted.len() {
        0 => 0.0,
        n if n % 2 == 1 => sorted[n / 2],
        n => f64::midpoint(sorted[n / 2 - 1], sorted[n / 2]),
    }
}

/// For each record the first record of its group that has the group's lower median.
fn median_donors(numbers: Numbers<'_>, members: &Members) -> Vec<u32> {
    let value = |record: u32| numbers.values[record as usize];
    let mut donors = identity(numbers.values.len());
    for group in members.groups() {
        let mut present: Vec<u32> = present_in(numbers, group).collect();
        present.sort_by(|&a, &b| value(a).total_cmp(&value(b)));
        let Some(middle) = present.len().checked_sub(1) else {
            continue;
        };
        let median = value(present[middle / 2]);
        // The sort is stable and groups are ascending: the first of the equal ones is the first in the file.
        let donor = present[present.partition_point(|&record| value(record) < median)];
        // Also who has the median: one spelling for all, else it would tell them apart.
        for record in present {
            donors[record as usize] = donor;
        }
    }
    donors
}

/// For each record the first record of its group that has the group's most frequent category.
fn mode_donors(table: &Table, attribute: AttrId, members: &Members) -> Vec<u32> {
    let mut donors = identity(table.n_records());
    for group in members.groups() {
        let mut counts: BTreeMap<Cow<'_, str>, (usize, u32)> = BTreeMap::new();
        for &record in group {
            if !table.is_missing(record as usize, attribute) {
                counts
                    .entry(table.category(record as usize, attribute))
                    .or_insert((0, record))
                    .0 += 1;
            }
        }
        // Most frequent first; of equally frequent ones the one that is first in the file.
        let Some((_, &(_, donor))) = counts
            .iter()
            .max_by(|(_, a), (_, b)| a.0.cmp(&b.0).then(b.1.cmp(&a.1)))
        else {
            continue;
        };
        // Also who has the mode: blanks or quotes would tell them apart.
        for &record in group {
            if !table.is_missing(record as usize, attribute) {
                donors[record as usize] = donor;
            }
        }
    }
    donors
}

/// Those of a group that have a value.
fn present_in<'a>(
    numbers: Numbers<'a>,
    group: &'a [u32],
) -> impl Iterator<Item = u32> + Clone + 'a {
    let group = group.iter().copied();
    group.filter(move |&record| !numbers.missing.contains(record as usize))
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a table holds at most u32::MAX records"
)]
fn identity(records: usize) -> Vec<u32> {
    (0..records as u32).collect()
}
