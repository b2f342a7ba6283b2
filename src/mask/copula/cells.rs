//! From masked scores back to cells: each attribute's values in the order of its scores.

use rayon::prelude::*;

use super::scores::{Scores, Sorted, gaps};
use crate::{
    error::Result,
    mask::{Effect, new_numbers},
    stats::moments::moments,
    table::{AttrId, Numbers, Scale, Table, rounded},
};

/// The share of the least and of the greatest values that get one value each, and how many do at least.
pub(super) const CODED: f64 = 0.02;
pub(super) const CODED_AT_LEAST: usize = 3;

/// An attribute with at most so many times the least number of values is not coded.
const TIMES_AT_LEAST: usize = 10;

/// How many values are coded at each end, of so many.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share of a number of records"
)]
pub(super) fn coded(values: usize) -> usize {
    if values > TIMES_AT_LEAST * CODED_AT_LEAST {
        ((CODED * values as f64).round() as usize).max(CODED_AT_LEAST)
    } else {
        0
    }
}

/// What an attribute becomes.
struct Placed {
    attribute: AttrId,
    donors: Vec<u32>,
    /// Places of the coded values at the lower and at the upper end, and what they become.
    coded: Vec<(Vec<u32>, f64)>,
}

/// The table with each attribute's cells in the order of the masked scores of values `y` (n × values), and what that did.
///
/// # Gaps
/// Those records have none whose score in `gaps` (n × gaps) is greatest, of those whose value is no hidden zero; as many as before.
///
/// # Coded ends
/// With `protect` the least and the greatest values, 2 % of each, become one value each: amounts their mean (rounded to the decimals of
/// the attribute), ordinal attributes their lower median.
pub(super) fn place(
    original: Table,
    scores: &Scores,
    y: &[f64],
    gaps: &[f64],
    protect: bool,
) -> Result<(Table, Vec<Effect>)> {
    let n = original.n_records();
    let column = |place: usize, places: &[usize], numbers: &[f64]| -> Option<Vec<f64>> {
        let at = places.iter().position(|&own| own == place)?;
        let width = places.len();
        Some((0..n).map(|record| numbers[record * width + at]).collect())
    };
    let places: Vec<Placed> = (scores.sorted.par_iter())
        .enumerate()
        .map(|(place, sorted)| {
            let donors = donors(
                &original,
                sorted,
                column(place, &scores.values, y),
                column(place, &scores.gaps, gaps),
            );
            let coded = if protect {
                ends(&original, sorted)
            } else {
                Vec::new()
            };
            Placed {
                attribute: sorted.attribute,
                donors,
                coded,
            }
        })
        .collect();
    let effects = (places.par_iter())
        .map(|placed| effect(&original, placed))
        .collect();
    let mut table = original;
    for placed in places {
        let id = placed.attribute;
        let becomes = |placed: &Placed| -> Vec<u32> {
            let mut becomes = vec![Table::AS_IT_IS; n];
            for ((records, _), code) in placed.coded.iter().zip(0_u32..) {
                for &record in records {
                    becomes[record as usize] = code;
                }
            }
            let donors = placed.donors.iter();
            donors.map(|&donor| becomes[donor as usize]).collect()
        };
        let codes = (!placed.coded.is_empty()).then(|| becomes(&placed));
        table = table.with_donors(id, placed.donors);
        if let Some(codes) = codes {
            let texts: Vec<String> = (placed.coded.iter())
                .map(|&(_, value)| table.text_of(id, value))
                .collect();
            table = table.with_texts(id, codes, &texts)?;
        }
    }
    Ok((table, effects))
}

/// What is done to an attribute: its numbers by their donors, so that no cell has to be read again in the order of the masked file.
fn effect(before: &Table, placed: &Placed) -> Effect {
    let Some(old) = before.numbers(placed.attribute) else {
        unreachable!("attributes without numbers were refused")
    };
    let mut coded = old.values.to_vec();
    for (records, value) in &placed.coded {
        for &record in records {
            coded[record as usize] = *value;
        }
    }
    let donors = placed.donors.iter();
    let values: Vec<f64> = donors.map(|&donor| coded[donor as usize]).collect();
    let new = Numbers {
        values: &values,
        missing: &old.missing.gathered(&placed.donors),
    };
    new_numbers::effect(&before.attribute(placed.attribute).name, old, new)
}

/// A new number of an attribute in its decimals. One that stands for a missing value steps aside by a unit of the last decimal, or twice.
fn in_decimals(table: &Table, id: AttrId, value: f64) -> f64 {
    let decimals = table.decimals(id).unwrap_or(0);
    let mut new = rounded(value, decimals);
    for _ in table.missing_codes(id) {
        if table.means_missing(id, new) {
            let unit = 0.1_f64.powf(decimals as f64);
            new = rounded(new + unit, decimals).max(new.next_up());
        }
    }
    new
}

/// The records in the order of some numbers.
fn ascending(numbers: &[f64], records: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut keyed: Vec<(u64, u32)> = records
        .map(|record| {
            // Bits that are ordered as the numbers are.
            let bits = numbers[record as usize].to_bits();
            let flip = match bits >> 63 {
                1 => u64::MAX,
                _ => 1 << 63,
            };
            (bits ^ flip, record)
        })
        .collect();
    keyed.sort_unstable();
    keyed.into_iter().map(|(_, record)| record).collect()
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a table holds at most u32::MAX records"
)]
fn donors(
    table: &Table,
    sorted: &Sorted,
    values: Option<Vec<f64>>,
    gap_scores: Option<Vec<f64>>,
) -> Vec<u32> {
    let n = table.n_records();
    let mut donors: Vec<u32> = (0..n as u32).collect();
    let present: Vec<u32> = match gap_scores {
        None => {
            let mut present = sorted.order.clone();
            present.sort_unstable();
            present
        }
        Some(scores) => {
            let hidden = table.hidden_zeros(sorted.attribute);
            let visible = (0..n as u32).filter(|&record| !hidden.contains(record as usize));
            let mut all = ascending(&scores, visible);
            let without = all.split_off(sorted.order.len());
            // Which marker of a gap goes where says nothing: their new places are drawn.
            for (&record, donor) in without.iter().zip(gaps(table, sorted.attribute)) {
                donors[record as usize] = donor;
            }
            all.sort_unstable();
            all
        }
    };
    let order = match values {
        Some(scores) => ascending(&scores, present.into_iter()),
        None => present,
    };
    for (&record, &donor) in order.iter().zip(&sorted.order) {
        donors[record as usize] = donor;
    }
    donors
}

/// The records with the least and the greatest values of an attribute, and the value that they get.
fn ends(table: &Table, sorted: &Sorted) -> Vec<(Vec<u32>, f64)> {
    let order = &sorted.order;
    let count = coded(order.len());
    let Some(numbers) = table.numbers(sorted.attribute).filter(|_| count > 0) else {
        return Vec::new();
    };
    let ordinal = table.attribute(sorted.attribute).scale == Scale::Ordinal;
    let value = |record: &u32| numbers.values[*record as usize];
    [&order[..count], &order[order.len() - count..]]
        .into_iter()
        .filter(|end| value(&end[0]).total_cmp(&value(&end[count - 1])).is_ne())
        .map(|end| {
            let becomes = if ordinal {
                value(&end[(count - 1) / 2])
            } else {
                moments(end.iter().map(value)).mean
            };
            (end.to_vec(), in_decimals(table, sorted.attribute, becomes))
        })
        .collect()
}
