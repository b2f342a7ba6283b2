//! Scale and role of an attribute, worked out from its cells and its name.

use std::borrow::Cow;
use std::hash::Hasher;
use std::ops::{Range, RangeInclusive};

use rayon::prelude::*;

use super::attribute::{Role, Scale};
use super::cell::content;
use super::columns::Tally;
use super::identifier_name::{self, NameHint};
use super::limits::{FEW_VALUES, IDENTIFIER_RECORDS};

/// The scale of an attribute, and why.
///
/// All cells numbers: continuous; whole numbers of which few differ (at most [`FEW_VALUES`], and a fifth of the
/// records): ordinal; a cell of text, a code such as `007`, or no cell at all: nominal.
pub(super) fn scale(tally: &Tally, line_of: impl Fn(usize) -> u64) -> (Scale, String) {
    let first_line = |record: Option<usize>| record.map_or(0, &line_of);
    let present = tally.numbers + tally.codes.count + tally.texts.count;
    if present == 0 {
        return (Scale::Nominal, "every cell is missing".to_owned());
    }
    if tally.texts.count > 0 {
        let reason = format!(
            "{} of {present} cells are not numbers, the first on line {}",
            tally.texts.count,
            first_line(tally.texts.first)
        );
        return (Scale::Nominal, reason);
    }
    if tally.codes.count > 0 {
        let reason = format!(
            "leading zeros or plus signs, the first on line {}: codes, not numbers",
            first_line(tally.codes.first)
        );
        return (Scale::Nominal, reason);
    }
    match tally.few.count() {
        Some(few) if !tally.fractions && few * 5 <= present => {
            let numbers = if few == 1 { "number" } else { "numbers" };
            (
                Scale::Ordinal,
                format!("{few} different whole {numbers}: codes or counts"),
            )
        }
        _ => (Scale::Continuous, "every cell is a number".to_owned()),
    }
}

/// The role of an attribute, and why. What does not look like an identifier is a quasi-identifier: an intruder may
/// know it.
///
/// An identifier is
/// - text or whole numbers that all differ, under a name such as `id`, `email` or `customer_no`;
/// - text or whole numbers of which many differ, under a name that says so by itself (`UTILITYID`, `ori_hid`), and
///   text of which many differ under a name that ends in `NAME`;
/// - the numbers 1 to n (or 0 to n-1) in the order of the records, n at least [`IDENTIFIER_RECORDS`];
/// - text that differs in all of at least [`IDENTIFIER_RECORDS`] records.
///
/// An amount that happens to differ everywhere is none of these.
pub(super) fn role(
    name: &str,
    tally: &Tally,
    scale: Scale,
    contents: &Contents<'_>,
) -> (Role, String) {
    let present = tally.numbers + tally.codes.count + tally.texts.count;
    let text = tally.texts.count + tally.codes.count > 0;
    // An amount with a few remarks among its cells is no text.
    let mostly_text = tally.codes.count > 0 || tally.texts.count * 2 > present;
    let whole = !text && !tally.fractions;
    let quasi = (
        Role::QuasiIdentifier,
        "nothing marks it as an identifier".to_owned(),
    );
    if present < 2 || !(text || whole) {
        return quasi;
    }
    if whole && scale != Scale::Ordinal && tally.missing == 0 && present >= IDENTIFIER_RECORDS {
        for (from, counts) in tally.counts_from.into_iter().enumerate() {
            if counts {
                let to = present - 1 + from;
                return (
                    Role::Identifier,
                    format!("the numbers {from} to {to} in the order of the records"),
                );
            }
        }
    }
    let hint = identifier_name::hint(name);
    if hint == NameHint::None && !(mostly_text && present >= IDENTIFIER_RECORDS) {
        return quasi;
    }
    let all_differ = contents.all_differ();
    let many = || {
        let distinct = contents.count();
        distinct > FEW_VALUES || distinct * 5 > present
    };
    let identifier = |reason: &str| (Role::Identifier, reason.to_owned());
    match hint {
        NameHint::Identifier | NameHint::Perhaps | NameHint::PersonName if all_differ => {
            identifier("it is named like an identifier, and no two cells are equal")
        }
        NameHint::Identifier if many() => {
            identifier("it is named like an identifier, and many cells differ")
        }
        NameHint::PersonName if text && many() => {
            identifier("it is text named as a name, and many cells differ")
        }
        _ if mostly_text && all_differ && present >= IDENTIFIER_RECORDS => {
            identifier("it is text, and no two cells are equal")
        }
        _ => quasi,
    }
}

/// The contents of an attribute's cells that are not missing, which can be asked for in some of the records.
pub(super) struct Contents<'a> {
    /// How many records there are.
    pub n_records: usize,
    /// The [keys](key) of some of them.
    pub keys: &'a dyn Fn(Range<usize>) -> Vec<u64>,
}

impl Contents<'_> {
    /// How many differ, as [`distinct_keys`] counts.
    fn count(&self) -> usize {
        count_distinct((self.keys)(0..self.n_records))
    }

    /// Whether no two are equal. Where the first few do not say, all are asked for.
    fn all_differ(&self) -> bool {
        const FEW: usize = 1_000;
        [FEW, usize::MAX].into_iter().all(|most| {
            let keys = (self.keys)(0..self.n_records.min(most));
            keys.len() == count_distinct(keys)
        })
    }
}

/// How many different contents these cells have.
///
/// Contents are told apart by 64 bits of a hash: among a million cells, two different ones are taken for equal with
/// a probability below one in ten million.
///
/// # Complexity
/// Sorts 8 bytes a cell.
pub(super) fn distinct_keys<'a>(cells: impl Iterator<Item = Cow<'a, [u8]>>) -> usize {
    count_distinct(cells.map(|raw| key(content(&raw))).collect())
}

/// What tells one content from another.
pub(super) fn key(content: &[u8]) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    hasher.write(content);
    hasher.finish()
}

/// How many different numbers are in the list.
pub(super) fn count_distinct(mut keys: Vec<u64>) -> usize {
    keys.par_sort_unstable();
    keys.dedup();
    keys.len()
}

/// How many different ones are among these whole numbers.
///
/// # Complexity
/// Linear where they lie close together, as amounts do, with at most 8 bytes a number; else sorts them.
pub(super) fn count_distinct_whole(
    numbers: impl Iterator<Item = i64> + Clone,
    within: RangeInclusive<i64>,
    count: usize,
) -> usize {
    let place = |number: i64| number.abs_diff(*within.start());
    let places = 1 + u128::from(place(*within.end()));
    if places > 64 * count as u128 {
        return count_distinct(numbers.map(i64::cast_unsigned).collect());
    }
    let mut seen = vec![0_u64; places.div_ceil(64) as usize];
    for number in numbers {
        let place = place(number);
        seen[(place / 64) as usize] |= 1 << (place % 64);
    }
    seen.iter().map(|word| word.count_ones() as usize).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Near each other or not, below zero, and at both ends of what there is: as a set counts them.
    #[test]
    fn different_numbers_are_counted_once() {
        for keys in [
            &[][..],
            &[7],
            &[7, 7, 7],
            &[0, 63, 64, 127, 64],
            &[-1, 0, -1, 1, -64, 60],
            &[0, 64 * 6 - 1, 5, 5, 5, 0],
            &[0, 64 * 6, 5, 5, 5, 0],
            &[i64::MIN, i64::MAX, i64::MIN, 0],
            &[i64::MAX, i64::MAX - 1],
        ] {
            let set: std::collections::BTreeSet<i64> = keys.iter().copied().collect();
            let within = set.first().copied().unwrap_or(0)..=set.last().copied().unwrap_or(0);
            let counted = count_distinct_whole(keys.iter().copied(), within, keys.len());
            assert_eq!(counted, set.len(), "{set:?}");
        }
    }
}
