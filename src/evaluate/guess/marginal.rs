//! What became of the values of one attribute, whoever they belong to.

use super::columns::Column;
use crate::table::Scale;

/// Attributes of numbers with more different values are not taken for codes.
const MAX_CODES: usize = 30;

/// Decimals that are looked at; numbers with more are taken for fractions of any kind.
const MAX_DECIMALS: u32 = 6;

/// Numbers of more units are not exact.
const MAX_UNITS: f64 = 9e15;

/// What became of the values of an attribute.
#[derive(Debug, Clone, PartialEq)]
pub enum Marginal {
    /// One value in both files: nothing can be seen.
    Constant,
    /// Every value is still there, or was left out with its record.
    Kept,
    /// Values became missing, all others are still there.
    Gaps {
        /// How many.
        new: usize,
    },
    /// Values follow from the original ones, each by itself.
    Recoded(Recoding),
    /// All values are there but the least and the greatest, which became one average each.
    Ends {
        /// How many values became an average at either end.
        averaged: [usize; 2],
    },
    /// The same values or categories, in other numbers.
    Frequencies,
    /// Other numbers.
    Changed,
}

/// How values follow from the original ones.
#[derive(Debug, Clone, PartialEq)]
pub enum Recoding {
    /// Values beyond a bound became the bound: how many at either end.
    Coded([usize; 2]),
    /// Rounded to multiples of a step, and coded at either end if there are any.
    Rounded {
        /// The step.
        step: f64,
        /// How many values lie beyond the least and the greatest of the masked file.
        coded: [usize; 2],
    },
    /// Numbers became classes.
    Classes(usize),
    /// Values were merged: how many disappeared, and into how many others.
    Merged {
        /// Values that are there no more.
        gone: usize,
        /// Values that took their records.
        into: usize,
    },
}

impl Marginal {
    /// What became of an attribute, by its values alone.
    pub fn of(column: &Column) -> Self {
        let [before, after] = [0, 1].map(|side| column.different(side));
        let records = [0, 1].map(|side: usize| column.codes[side].len());
        let is_part = column.is_part();
        let new_gaps = column.gaps[1].saturating_sub(column.gaps[0]);
        match () {
            () if before <= 1 && after <= 1 && is_part && new_gaps == 0 => Self::Constant,
            () if is_part && new_gaps > 0 => Self::Gaps { new: new_gaps },
            () if is_part => Self::Kept,
            () if column.became_names => Self::Recoded(Recoding::Classes(after)),
            () => {
                let whole = records[0] == records[1] && column.gaps[0] == column.gaps[1];
                recoded(column, whole)
                    .or_else(|| ends(column).filter(|_| whole))
                    .unwrap_or_else(|| other(column, whole))
            }
        }
    }
}

/// Numbers that were coded or rounded.
fn recoded(column: &Column, whole: bool) -> Option<Marginal> {
    let [before, after] = [column.sorted(0)?, column.sorted(1)?];
    let bounds = [*after.first()?, *after.last()?];
    let beyond = [
        before.partition_point(|&value| value < bounds[0]),
        before.len() - before.partition_point(|&value| value <= bounds[1]),
    ];
    let clamped = |value: f64| value.clamp(bounds[0], bounds[1]);
    if is_contained(&after, before.iter().map(|&value| clamped(value)), whole) {
        return Some(Marginal::Recoded(Recoding::Coded(beyond)));
    }
    let inner: Vec<f64> = after
        .iter()
        .copied()
        .filter(|&value| bounds[0] < value && value < bounds[1])
        .collect();
    let [coarse, fine] = [&inner, &before].map(|values| step_of(values));
    let (step, fine) = (coarse?, fine.unwrap_or(0.0));
    if step <= fine * 1.5 {
        return None;
    }
    // A few values can have a greater step by chance: then a part of it is the one.
    let parts = (1..=10).map(|part| step / f64::from(part));
    let mut steps = parts.filter(|&step| step > fine * 1.5);
    let step = steps.find(|&step| {
        // As decimal numbers: 0.15 is halfway between 0.1 and 0.2 although its binary fraction is not.
        let rounded = |value: f64| {
            let ratio = value / step;
            let nudged = ratio + ratio.signum() * 1e-9 * (1.0 + ratio.abs() * 1e-6);
            clamped(nudged.round() * step)
        };
        is_contained(&after, before.iter().map(|&value| rounded(value)), whole)
    })?;
    let coded = [
        before.partition_point(|&value| value < bounds[0] - step / 2.0),
        before.len() - before.partition_point(|&value| value <= bounds[1] + step / 2.0),
    ];
    Some(Marginal::Recoded(Recoding::Rounded { step, coded }))
}

/// Whether each of these numbers in ascending order is one of the others, up to rounding; `whole`: and no other is left.
fn is_contained(numbers: &[f64], others: impl Iterator<Item = f64>, whole: bool) -> bool {
    let mut others: Vec<f64> = others.collect();
    others.sort_unstable_by(f64::total_cmp);
    if whole && others.len() != numbers.len() {
        return false;
    }
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * (a.abs() + b.abs()) + 1e-12;
    let mut rest = others.iter();
    numbers.iter().all(|&number| {
        if whole {
            rest.next().is_some_and(|&other| near(number, other))
        } else {
            rest.any(|&other| near(number, other))
        }
    })
}

/// The greatest number of which all of these are multiples, as far as they are decimal numbers; `None` if they are not.
fn step_of(values: &[f64]) -> Option<f64> {
    let decimals = (0..=MAX_DECIMALS).find(|&decimals| {
        let power = 10_f64.powi(i32::try_from(decimals).unwrap_or(0));
        values.iter().all(|&value| {
            let units = value * power;
            units.abs() < MAX_UNITS && (units - units.round()).abs() <= 1e-9 * units.abs().max(1.0)
        })
    })?;
    let power = 10_f64.powi(i32::try_from(decimals).unwrap_or(0));
    #[expect(clippy::cast_possible_truncation, reason = "checked above")]
    let units = values.iter().map(|&value| (value * power).round() as i64);
    let gcd = units.fold(0, |mut a: i64, mut b| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a.abs()
    });
    (gcd > 0).then(|| gcd as f64 / power)
}

/// All values but the least and the greatest, which became one each, inside the range of those that they stand for.
fn ends(column: &Column) -> Option<Marginal> {
    let [before, after] = [column.sorted(0)?, column.sorted(1)?];
    if before.len() != after.len() {
        return None;
    }
    let records = before.len();
    let differs = |place: &usize| before[*place].total_cmp(&after[*place]).is_ne();
    let first = (0..records).find(differs)?;
    let last = (0..records).rfind(differs)?;
    let (least, greatest) = (*after.first()?, *after.last()?);
    let low = after.partition_point(|&value| value <= least);
    let high = after.partition_point(|&value| value < greatest);
    let between = low.min(high)..high.max(low);
    if between.clone().any(|place| differs(&place)) || low >= high {
        return None;
    }
    let is_average = |range: std::ops::Range<usize>| {
        let part = &before[range.clone()];
        let code = after[range.start];
        let mean = part.iter().sum::<f64>() / part.len() as f64;
        let spread = part[part.len() - 1] - part[0];
        let half = step_of(&before).unwrap_or(0.0) / 2.0;
        let is_mean = (mean - code).abs() <= half * 1.001 + 1e-6 * spread;
        let is_median = part[(part.len() - 1) / 2].total_cmp(&code).is_eq();
        part.len() > 1 && (is_mean || is_median && column.scale == Scale::Ordinal)
    };
    let mut averaged = [0, 0];
    if first < low {
        if !is_average(0..low) {
            return None;
        }
        averaged[0] = low;
    }
    if last >= high {
        if !is_average(high..records) {
            return None;
        }
        averaged[1] = records - high;
    }
    // Two averages at most a tenth each: else it is something else that happens to look so.
    let is_few = averaged.iter().all(|&count| count * 10 <= records);
    is_few.then_some(Marginal::Ends { averaged })
}

/// What is neither kept nor recoded by order.
fn other(column: &Column, whole: bool) -> Marginal {
    let pairs = || column.counts[0].iter().zip(&column.counts[1]);
    let is_coded = column.values.is_none() || column.different(0) <= MAX_CODES;
    if !is_coded {
        return Marginal::Changed;
    }
    let gone: Vec<usize> = pairs()
        .filter(|&(&before, &after)| before > 0 && after == 0)
        .map(|(&before, _)| before)
        .collect();
    let grown: Vec<usize> = pairs()
        .filter(|(before, after)| after > before)
        .map(|(before, after)| after - before)
        .collect();
    let shrunk = pairs().any(|(&before, &after)| after < before && after > 0);
    let is_new = pairs().any(|(&before, &after)| before == 0 && after > 0);
    let adds_up = gone.iter().sum::<usize>() == grown.iter().sum::<usize>();
    match () {
        () if column.values.is_some() && is_new => Marginal::Changed,
        () if is_new || whole && !shrunk && !gone.is_empty() && adds_up => {
            Marginal::Recoded(Recoding::Merged {
                gone: gone.len(),
                into: grown.len(),
            })
        }
        () => Marginal::Frequencies,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{ReadOptions, Table};

    fn marginal(before: &[&str], after: &[&str]) -> Marginal {
        let read = |cells: &[&str]| {
            let text = format!(
                "a,b\n{}\n",
                cells
                    .iter()
                    .map(|c| format!("{c},1"))
                    .collect::<Vec<_>>()
                    .join("\n")
            );
            Table::read("t.csv", text.into_bytes(), &ReadOptions::default()).unwrap()
        };
        let tables = [read(before), read(after)];
        let id = tables[0].ids().next().unwrap();
        Marginal::of(&Column::new([&tables[0], &tables[1]], [id, id]))
    }

    #[test]
    fn by_hand() {
        let ages = ["31", "38", "45", "52", "67", "71", "80", "94"];
        let mut other_order = ages;
        other_order.reverse();
        assert_eq!(marginal(&ages, &other_order), Marginal::Kept);
        assert_eq!(marginal(&ages, &["45", "31", "94"]), Marginal::Kept);
        let gaps = ["31", "", "45", "52", "67", "71", "80", ""];
        assert_eq!(marginal(&ages, &gaps), Marginal::Gaps { new: 2 });
        let top = ["31", "38", "45", "52", "67", "70", "70", "70"];
        let coded = Recoding::Coded([0, 3]);
        assert_eq!(marginal(&ages, &top), Marginal::Recoded(coded));
        // 45 and 45/10 = 4.5 go up, away from zero; top coded at 80.
        let tens = ["30", "40", "50", "50", "70", "70", "80", "80"];
        let rounded = Recoding::Rounded {
            step: 10.0,
            coded: [0, 1],
        };
        assert_eq!(marginal(&ages, &tens), Marginal::Recoded(rounded));
        let classes = [
            "<40", "<40", "[40-60)", "[40-60)", ">=60", ">=60", ">=60", ">=60",
        ];
        let recoded = Marginal::Recoded(Recoding::Classes(3));
        assert_eq!(marginal(&ages, &classes), recoded);
        let noise = ["30", "39", "44", "53", "68", "70", "81", "97"];
        assert_eq!(marginal(&ages, &noise), Marginal::Changed);
    }

    #[test]
    fn categories_by_hand() {
        let towns = ["A", "A", "B", "B", "B", "C"];
        let merged = ["A", "A", "other", "other", "other", "other"];
        let two_into_one = Recoding::Merged { gone: 2, into: 1 };
        assert_eq!(marginal(&towns, &merged), Marginal::Recoded(two_into_one));
        let moved = ["A", "A", "A", "B", "C", "C"];
        assert_eq!(marginal(&towns, &moved), Marginal::Frequencies);
    }

    /// 40 values, of which the least and the greatest two became their mean: 1.5 and 39.5, written with one decimal as all are.
    #[test]
    fn averaged_ends_are_no_top_coding() {
        let cell = |value: f64| format!("{value:.1}");
        let before: Vec<String> = (1..=40).map(|i| cell(f64::from(i))).collect();
        let after: Vec<String> = (1..=40)
            .map(|i| {
                cell(match i {
                    1 | 2 => 1.5,
                    39 | 40 => 39.5,
                    i => f64::from(i),
                })
            })
            .collect();
        let texts = |cells: &[String]| -> Vec<String> { cells.to_vec() };
        let (before, after) = (texts(&before), texts(&after));
        let before: Vec<&str> = before.iter().map(String::as_str).collect();
        let after: Vec<&str> = after.iter().map(String::as_str).collect();
        assert_eq!(
            marginal(&before, &after),
            Marginal::Ends { averaged: [2, 2] }
        );
    }
}
