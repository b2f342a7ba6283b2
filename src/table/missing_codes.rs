//! Values that may stand for missing ones although nobody said so: 9999, -9, 99 beside 98, "unknown".

use std::collections::BTreeMap;

use super::limits::{CODE_CELLS, FEW_VALUES, IDENTIFIER_RECORDS};
use super::missing::is_numeric_marker;
use super::number::{self, EXACT_INTEGERS};

/// So many values at one end can be codes at once, such as 97, 98 and 99.
const MAX_CODES: usize = 6;

/// So many of the values next to a code say how frequent a value is there.
const NEIGHBOURS: usize = 10;

/// A code is so many times as frequent as the values next to it.
const TIMES_AS_FREQUENT: usize = 3;

/// Words that stand for a missing value in files of offices, in small letters.
const WORDS: [&str; 24] = [
    "-",
    "--",
    "?",
    "n.a.",
    "n/a",
    "na",
    "#n/a",
    "#null!",
    "nan",
    "n.d.",
    "null",
    "nil",
    "missing",
    "unknown",
    "not known",
    "not stated",
    "not available",
    "unbekannt",
    "keine angabe",
    "k.a.",
    "k. a.",
    "o. a.",
    "desconocido",
    "inconnu",
];

/// Which of these numbers, ascending and each with its cells, may stand for missing values.
///
/// A number is suspected if all of this holds:
/// - *It looks like a code*: its digits are all 9, all 8 or all 7 (9, 99.9, 888, -9), or nines and a last 7 or 8 (97, 998); or it is one of
///   -1 to -9.
/// - *It is frequent*: at least [`CODE_CELLS`] cells hold it, and, in an attribute of more than [`FEW_VALUES`] different values, three
///   times as many as hold one of the ten values next to it on average.
/// - *It stands outside*: all values beyond it look like codes, too, and there are at most six of these.
/// - *It is isolated*: the gap between it, or such codes before it, and the next value is more than 1 and greater than every gap between
///   neighbours among the other values; or it is negative and no other value is.
///
/// Fewer than [`IDENTIFIER_RECORDS`] cells say nothing. The 99 of ages up to 94 is suspected, and that of ages up to 98 is not. What is suspected is for somebody to look at.
pub(super) fn among_numbers(values: &[(f64, usize)]) -> Vec<f64> {
    if values.iter().map(|(_, cells)| cells).sum::<usize>() < IDENTIFIER_RECORDS {
        return Vec::new();
    }
    let mut found = at_the_end(values, |value| value);
    let mirrored: Vec<(f64, usize)> = values.iter().rev().map(|&(v, n)| (-v, n)).collect();
    found.extend(at_the_end(&mirrored, |value| -value));
    found.sort_by(f64::total_cmp);
    found.dedup();
    found
}

/// The codes among the greatest of these; `original` gives the number of the file.
fn at_the_end(values: &[(f64, usize)], original: fn(f64) -> f64) -> Vec<f64> {
    let outermost = values.iter().rev().take(MAX_CODES);
    let most = outermost
        .take_while(|&&(value, _)| looks_like_a_code(original(value)))
        .count();
    // As many codes as can be, of which the innermost is isolated.
    for codes in (1..=most).rev() {
        let (others, codes) = values.split_at(values.len() - codes);
        if others.is_empty() || !is_isolated(others, codes[0].0, original) {
            continue;
        }
        let next = &others[others.len().saturating_sub(NEIGHBOURS)..];
        let cells: usize = next.iter().map(|&(_, cells)| cells).sum();
        let is_frequent = |cells_of_code: usize| {
            cells_of_code >= CODE_CELLS
                && (others.len() <= FEW_VALUES
                    || cells_of_code * next.len() >= cells * TIMES_AS_FREQUENT)
        };
        return codes
            .iter()
            .filter(|&&(_, cells)| is_frequent(cells))
            .map(|&(value, _)| original(value))
            .collect();
    }
    Vec::new()
}

fn is_isolated(others: &[(f64, usize)], code: f64, original: fn(f64) -> f64) -> bool {
    let is_negative = |value: f64| original(value) < 0.0;
    if is_negative(code) && !others.iter().any(|&(value, _)| is_negative(value)) {
        return true;
    }
    let last = others.last().map_or(code, |&(value, _)| value);
    let gaps = others.windows(2).map(|pair| pair[1].0 - pair[0].0);
    let widest = gaps.fold(1.0, f64::max);
    code - last > widest
}

fn looks_like_a_code(value: f64) -> bool {
    if value.abs() >= EXACT_INTEGERS || value == 0.0 {
        return false;
    }
    if value.fract() == 0.0 && (-9.0..0.0).contains(&value) {
        return true;
    }
    let mut text = Vec::new();
    number::print(value.abs(), b'.', &mut text);
    text.retain(|&byte| byte != b'.');
    let Some((&last, before)) = text.split_last() else {
        return false;
    };
    let nines = before.iter().all(|&digit| digit == b'9');
    match last {
        b'9' => nines,
        b'7' | b'8' => before.iter().all(|&digit| digit == last) || nines,
        _ => false,
    }
}

/// Which of these texts, each with its cells, may stand for missing values, in their order: usual words for it, and, in an attribute of
/// which at least nine in ten cells are `numbers`, whatever else at least [`CODE_CELLS`] cells hold. A word, too, needs that many cells. Fewer than [`IDENTIFIER_RECORDS`] cells say nothing.
pub(super) fn among_texts(
    texts: &BTreeMap<String, usize>,
    is_number: impl Fn(&str) -> bool,
) -> Vec<String> {
    let cells: usize = texts.values().sum();
    if cells < IDENTIFIER_RECORDS {
        return Vec::new();
    }
    let numbers: usize = (texts.iter())
        .filter(|(text, _)| is_number(text))
        .map(|(_, &cells)| cells)
        .sum();
    let mostly_numbers = numbers * 10 >= cells * 9;
    (texts.iter())
        .filter(|&(text, &cells)| {
            let is_word =
                WORDS.contains(&text.to_lowercase().as_str()) || is_numeric_marker(text.as_bytes());
            cells >= CODE_CELLS && (is_word || mostly_numbers && !is_number(text))
        })
        .map(|(text, _)| text.clone())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: [f64; 0] = [];

    fn suspected(values: &[(f64, usize)]) -> Vec<f64> {
        among_numbers(values)
    }

    /// 1 to n with this many cells each, and these.
    fn codes(n: u32, cells: usize, more: &[(f64, usize)]) -> Vec<f64> {
        let mut values: Vec<(f64, usize)> = (1..=n).map(|code| (f64::from(code), cells)).collect();
        values.extend_from_slice(more);
        values.sort_by(|a, b| a.0.total_cmp(&b.0));
        suspected(&values)
    }

    #[test]
    fn codes_beyond_the_values_are_suspected() {
        assert_eq!(codes(2, 500, &[(9.0, 12)]), [9.0]);
        assert_eq!(codes(6, 150, &[(9.0, 3)]), [9.0]);
        assert_eq!(
            codes(12, 80, &[(97.0, 3), (98.0, 40), (99.0, 9)]),
            [97.0, 98.0, 99.0]
        );
        assert_eq!(codes(94, 10, &[(99.0, 30)]), [99.0]);
        assert_eq!(codes(94, 10, &[(999.0, 30), (888.0, 31)]), [888.0, 999.0]);
        assert_eq!(codes(5, 10, &[(-9.0, 3), (-8.0, 7)]), [-9.0, -8.0]);
        assert_eq!(codes(5, 10, &[(0.0, 5), (-1.0, 3)]), [-1.0]);
        // Amounts of which none stands twice, and the same number in five records.
        let amounts: Vec<(f64, usize)> = (1..200).map(|k| (f64::from(k * k) * 2.5, 1)).collect();
        let with = |code: f64| {
            let mut with = amounts.clone();
            with.push((code, 5));
            with.sort_by(|a, b| a.0.total_cmp(&b.0));
            suspected(&with)
        };
        assert_eq!(with(9_999_999.0), [9_999_999.0]);
        assert_eq!(with(999_999.9), [999_999.9]);
        assert_eq!(with(-99.0), [-99.0]);
        // It looks like a code and is one of many amounts; it stands outside and looks like none.
        assert_eq!(with(9_999.0), NONE);
        assert_eq!(with(5_000_000.0), NONE);
    }

    #[test]
    fn values_that_belong_are_not_suspected() {
        // Ages without a gap, rare nines, a 999 in two cells, a 9 among codes to 8, losses, one value only.
        assert_eq!(codes(98, 10, &[(99.0, 100)]), NONE);
        assert_eq!(
            codes(94, 10, &[(99.0, 20)]),
            NONE,
            "no more than twice the usual"
        );
        assert_eq!(codes(94, 10, &[(999.0, 2)]), NONE);
        assert_eq!(codes(8, 10, &[(9.0, 50)]), NONE);
        assert_eq!(
            suspected(&[(-400.0, 2), (-9.0, 5), (0.0, 9), (7.0, 3)]),
            NONE
        );
        assert_eq!(suspected(&[(99.0, 50)]), NONE);
        assert_eq!(codes(2, 8, &[(9.0, 3)]), NONE, "19 cells");
        assert_eq!(codes(2, 8, &[(9.0, 4)]), [9.0]);
        assert_eq!(suspected(&[]), NONE);
    }

    #[test]
    fn words_for_missing_values_are_suspected_among_texts_and_anything_among_numbers() {
        let of = |texts: &[(&str, usize)]| {
            let texts = texts
                .iter()
                .map(|&(text, cells)| (text.to_owned(), cells))
                .collect();
            among_texts(&texts, |text| text.parse::<f64>().is_ok())
        };
        assert_eq!(
            of(&[("cook", 50), ("Unknown", 3), ("n/a", 2), ("?", 9)]),
            ["?", "Unknown"]
        );
        assert_eq!(
            of(&[("31", 50), ("32", 40), ("refused", 4), ("x", 1)]),
            ["refused"]
        );
        assert_eq!(of(&[("31", 50), ("refused", 40)]), Vec::<String>::new());
    }
}
