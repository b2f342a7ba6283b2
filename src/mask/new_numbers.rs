//! What the methods share that write new numbers into a table.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::Effect;
use crate::{
    error::{Error, Result, in_order},
    stats::moments::moments,
    table::{AttrId, Numbers, Scale, Table, rounded},
};

/// How many decimals new numbers have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rounding {
    /// New numbers stay as computed: what a method promises of means, variances and coefficients holds to the last digit.
    #[default]
    None,
    /// New numbers have at most as many decimals as the most precise value of their attribute, halves away from zero; whole numbers
    /// stay whole. So nothing distinguishes them from values that stayed.
    Column,
}

impl Rounding {
    /// Whether new numbers were rounded.
    pub fn is_on(self) -> bool {
        self != Self::None
    }
}

/// Why a method for amounts leaves ordinal attributes alone unless they are named.
pub(super) fn for_amounts(table: &Table, attribute: AttrId) -> Option<String> {
    (table.attribute(attribute).scale == Scale::Ordinal).then(|| {
        "is ordinal: averages of codes would be no codes; name it with --attributes if it is an amount".into()
    })
}

/// The table with new numbers in some attributes, and what that did to each.
///
/// `numbers` holds one number a record for each attribute; what stands where the attribute is missing does not matter. A number
/// that stands for a missing value in its attribute is written as the next greater one (with rounding, a unit of the last decimal greater).
///
/// # Errors
/// Input, when a new number is not finite: the values are too large to compute with.
pub(super) fn write_numbers(
    mut table: Table,
    numbers: Vec<(AttrId, Vec<f64>)>,
    rounding: Rounding,
) -> Result<(Table, Vec<Effect>)> {
    let written = numbers
        .into_par_iter()
        .map(|(attribute, new)| Written::of(&table, attribute, new, rounding));
    let written: Vec<Written> = in_order(written)?;
    let mut effects = Vec::with_capacity(written.len());
    for written in written {
        effects.push(written.effect);
        if let Some(donors) = written.donors {
            table = table.with_donors(written.attribute, donors);
        }
        table = table.with_numbers(written.attribute, written.new);
    }
    Ok((table, effects))
}

/// What is written into one attribute.
struct Written {
    attribute: AttrId,
    new: Vec<f64>,
    /// Whose bytes each record gets, where a number is written that somebody had: see [`alike`].
    donors: Option<Vec<u32>>,
    effect: Effect,
}

impl Written {
    fn of(table: &Table, attribute: AttrId, new: Vec<f64>, rounding: Rounding) -> Result<Self> {
        let (new, effect) = checked(table, attribute, new, rounding)?;
        let donors = table
            .numbers(attribute)
            .and_then(|old| alike(table, attribute, old, &new));
        Ok(Self {
            attribute,
            new,
            donors,
            effect,
        })
    }
}

/// A number that did not change keeps its digits, also those beyond the precision of an `f64`. Where others are changed into the
/// same number, they get the same digits: else these would show who had it all along. The first who had it gives them to all.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a table holds at most u32::MAX records"
)]
fn alike(table: &Table, attribute: AttrId, old: Numbers<'_>, new: &[f64]) -> Option<Vec<u32>> {
    let stays = |&(record, value): &(usize, f64)| new[record].total_cmp(&value).is_eq();
    // As a rule numbers are written as they would be printed, and nothing is to be done.
    let mut text = Vec::new();
    let mut had: Vec<(f64, u32)> = present(old)
        .filter(stays)
        .filter(|&(record, value)| !table.is_written_as(record, attribute, value, &mut text))
        .map(|(record, value)| (value, record as u32))
        .collect();
    if had.is_empty() {
        return None;
    }
    had.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    had.dedup_by(|later, first| later.0.total_cmp(&first.0).is_eq());
    let mut taken = vec![false; had.len()];
    let place = |value: f64| had.binary_search_by(|probe| probe.0.total_cmp(&value)).ok();
    for (record, _) in present(old).filter(|cell| !stays(cell)) {
        if let Some(place) = place(new[record]) {
            taken[place] = true;
        }
    }
    if !taken.contains(&true) {
        return None;
    }
    let mut donors: Vec<u32> = (0..new.len() as u32).collect();
    for (record, _) in present(old) {
        if let Some(place) = place(new[record]).filter(|&place| taken[place]) {
            donors[record] = had[place].1;
        }
    }
    Some(donors)
}

/// The new numbers of an attribute as they are written, and what that does to it.
fn checked(
    table: &Table,
    attribute: AttrId,
    mut new: Vec<f64>,
    rounding: Rounding,
) -> Result<(Vec<f64>, Effect)> {
    let name = &table.attribute(attribute).name;
    let old = table
        .numbers(attribute)
        .ok_or_else(|| Error::names_not_numbers(name, "this method cannot mask it"))?;
    let decimals = match rounding {
        Rounding::None => None,
        Rounding::Column => table.decimals(attribute),
    };
    if let Some(decimals) = decimals {
        for value in &mut new {
            *value = rounded(*value, decimals);
        }
    }
    if present(old).any(|(record, _)| !new[record].is_finite()) {
        return Err(Error::input(
            "holds values too large to compute with: a masked value is beyond the range of numbers",
        )
        .overflow(name)
        .remedy("Leave it out of --attributes, or write it in larger units"));
    }
    let step = |value: f64| match decimals {
        // One unit of the last decimal; where that is lost in so large a number, the next one.
        Some(decimals) => rounded(
            value + rounded(0.1_f64.powf(decimals as f64), decimals),
            decimals,
        )
        .max(value.next_up()),
        None => value.next_up(),
    };
    step_off_codes(&mut new, table.missing_codes(attribute), step);
    let after = Numbers {
        values: &new,
        missing: old.missing,
    };
    let effect = effect(name, old, after);
    Ok((new, effect))
}

/// A new number that happens to be a code for missing values (99, say) would be read back as missing: it steps aside. Equal
/// numbers stay equal.
fn step_off_codes(values: &mut [f64], codes: &[f64], step: impl Fn(f64) -> f64) {
    if codes.is_empty() {
        return;
    }
    for value in values {
        // Each step leaves at least one code behind.
        for _ in codes {
            if codes.contains(value) {
                *value = step(*value);
            }
        }
    }
}

/// The records that have a value, with it.
pub(super) fn present<'a>(numbers: Numbers<'a>) -> impl Iterator<Item = (usize, f64)> + Clone + 'a {
    let all = numbers.values.iter().copied().enumerate();
    all.filter(move |&(record, _)| !numbers.missing.contains(record))
}

/// What it does to an attribute when it gets new numbers.
#[expect(clippy::float_cmp, reason = "a value is changed or it is not")]
pub(super) fn effect(name: &str, old: Numbers<'_>, new: Numbers<'_>) -> Effect {
    let spread = moments(present(old).map(|(_, value)| value));
    let in_both = present(old).filter(|&(record, _)| !new.missing.contains(record));
    // In units of the spread, squares of large values do not overflow.
    let (sse, both) = in_both
        .clone()
        .fold((0.0, 0_usize), |(sum, both), (record, value)| {
            (
                sum + ((new.values[record] - value) / spread.sd).powi(2),
                both + 1,
            )
        });
    let same = in_both.filter(|&(record, value)| new.values[record] == value);
    // A value that is a gap now counts as the others do on average.
    let scaled = sse * (spread.count.max(1) as f64 / both.max(1) as f64);
    Effect {
        attribute: name.to_owned(),
        values: spread.count,
        changed: spread.count - same.count(),
        missing: old.missing.count(),
        squared_error: (spread.sd > 0.0 && spread.sd.is_finite())
            .then(|| scaled / (spread.count - 1) as f64),
    }
}
