//! From masked scores back to cells: each attribute's values in the order of its scores.

use rayon::prelude::*;

use super::scores::{Scores, Sorted, missing};
use crate::{
    error::Result,
    mask::{Effect, Rounding, new_numbers::write_numbers},
    stats::moments::moments,
    table::{AttrId, Scale, Table},
};

/// The share of the least and of the greatest values that get one value each, and how many do at least.
pub(super) const CODED: f64 = 0.02;
pub(super) const CODED_AT_LEAST: usize = 3;

/// An attribute with at most so many times the least number of values is not coded.
const TIMES_AT_LEAST: usize = 10;

/// How many values are coded at each end, of so many.
pub(super) fn coded(values: usize) -> usize {
    match values > TIMES_AT_LEAST * CODED_AT_LEAST {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share of a number of records"
        )]
        true => ((CODED * values as f64).round() as usize).max(CODED_AT_LEAST),
        false => 0,
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
/// Those records have none whose score in `gaps` (n × gaps) is greatest; as many as before.
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
            let coded = match protect {
                true => ends(&original, sorted),
                false => Vec::new(),
            };
            Placed {
                attribute: sorted.attribute,
                donors,
                coded,
            }
        })
        .collect();
    let before = original.clone();
    let mut table = original;
    let mut new = Vec::new();
    for placed in &places {
        table = table.with_donors(placed.attribute, placed.donors.clone());
        if placed.coded.is_empty() {
            continue;
        }
        let mut values: Vec<f64> = table
            .numbers(placed.attribute)
            .map_or(Vec::new(), |numbers| numbers.values.to_vec());
        let mut becomes = vec![None; values.len()];
        for (records, value) in &placed.coded {
            for &record in records {
                becomes[record as usize] = Some(*value);
            }
        }
        for (value, &donor) in values.iter_mut().zip(&placed.donors) {
            *value = becomes[donor as usize].unwrap_or(*value);
        }
        new.push((placed.attribute, values));
    }
    let (table, _) = write_numbers(table, new, Rounding::Column)?;
    let effects = (places.par_iter())
        .map(|placed| effect(&before, &table, placed.attribute))
        .collect();
    Ok((table, effects))
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
    gaps: Option<Vec<f64>>,
) -> Vec<u32> {
    let n = table.n_records();
    let mut donors: Vec<u32> = (0..n as u32).collect();
    let present: Vec<u32> = match gaps {
        None => {
            let mut present = sorted.order.clone();
            present.sort_unstable();
            present
        }
        Some(scores) => {
            let mut all = ascending(&scores, 0..n as u32);
            let without = all.split_off(sorted.order.len());
            // Which marker of a gap goes where says nothing: their new places are drawn.
            for (&record, donor) in without.iter().zip(missing(table, sorted.attribute)) {
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
            let becomes = match ordinal {
                true => value(&end[(count - 1) / 2]),
                false => moments(end.iter().map(value)).mean,
            };
            (end.to_vec(), becomes)
        })
        .collect()
}

/// What was done to an attribute whose values and gaps changed places.
#[expect(clippy::float_cmp, reason = "a value is changed or it is not")]
fn effect(before: &Table, after: &Table, attribute: AttrId) -> Effect {
    let name = before.attribute(attribute).name.clone();
    let (Some(old), Some(new)) = (before.numbers(attribute), after.numbers(attribute)) else {
        unreachable!("attributes without numbers were refused")
    };
    let was_there = |&record: &usize| !old.missing.contains(record);
    let spread = moments(
        (0..before.n_records())
            .filter(was_there)
            .map(|record| old.values[record]),
    );
    let mut sse = 0.0;
    let mut changed = 0;
    let mut both = 0_usize;
    for record in (0..before.n_records()).filter(was_there) {
        if new.missing.contains(record) {
            changed += 1;
            continue;
        }
        both += 1;
        changed += usize::from(old.values[record] != new.values[record]);
        // In units of the spread, squares of large values do not overflow.
        sse += ((new.values[record] - old.values[record]) / spread.sd).powi(2);
    }
    // A value that is a gap now counts as the others do on average.
    let scaled = sse * (spread.count.max(1) as f64 / both.max(1) as f64);
    Effect {
        attribute: name,
        values: spread.count,
        changed,
        missing: old.missing.count(),
        squared_error: (spread.sd > 0.0 && spread.sd.is_finite())
            .then(|| scaled / (spread.count - 1) as f64),
    }
}
