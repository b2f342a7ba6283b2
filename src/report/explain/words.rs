//! Sentences that all kinds of distances share.

use super::{Explanation, is_optimal, kind};
use crate::{
    attack::{
        distance_based::Standardize,
        learned::weights::{Basis, Weights, basis},
    },
    report::text,
};

/// Shares below this are nothing but rounding.
pub const NOTHING: f64 = 1e-9;

/// What is explained, and how well it links.
pub fn headline(explained: &Explanation) -> String {
    let rate = match explained.records {
        0 => String::new(),
        records => format!(
            " ({})",
            text::percent(explained.linked as f64 / records as f64)
        ),
    };
    format!(
        "{}, {}: links {} of {} records{rate}",
        explained.family,
        kind(explained.family),
        explained.linked,
        explained.records,
    )
}

/// A share of a whole, short: what is too small to be told apart from 0 or 100 % says so.
pub fn share(share: f64) -> String {
    const SHORTEST: f64 = 0.0005;
    match share {
        s if s.abs() < NOTHING => "0 %".into(),
        s if (s - 1.0).abs() < NOTHING => "100 %".into(),
        s if s > 0.0 && s < SHORTEST => "< 0.1 %".into(),
        s if s < 1.0 && s > 1.0 - SHORTEST => "> 99.9 %".into(),
        s => format!("{:.1} %", s * 100.0),
    }
}

/// `a`, `a and b`, `a, b and c`; after six the number of the rest.
pub fn list(names: &[impl AsRef<str>]) -> String {
    joined(names, "and")
}

/// The same with `or`.
pub fn either(names: &[impl AsRef<str>]) -> String {
    joined(names, "or")
}

fn joined(names: &[impl AsRef<str>], word: &str) -> String {
    const MOST: usize = 6;
    match names {
        [] => "nothing".into(),
        [one] => one.as_ref().into(),
        [first @ .., last] if names.len() <= MOST => {
            format!("{} {word} {}", text::names(first, MOST), last.as_ref())
        }
        _ => text::names(names, MOST),
    }
}

/// A bar of at most 24 characters for a share from 0 to 1.
pub fn bar(share: f64) -> String {
    const LONGEST: usize = 24;
    let longest = LONGEST as f64;
    let filled = (0..LONGEST).filter(|&place| (place as f64 + 0.5) / longest < share);
    "█".repeat(filled.count())
}

/// That an attribute tells all records apart by itself.
pub fn key(attribute: &str) -> String {
    format!(
        "{attribute} is a key: all the weight is on it, and it links every record. Whoever knows {attribute} finds everybody, \
         whatever was done to the other attributes: mask it, or mask it more, before anything else."
    )
}

/// Which attributes find people on their own.
pub fn alone(weights: &Weights) -> Option<String> {
    let alone = weights.alone.as_ref()?;
    let mut order: Vec<usize> = (0..alone.len()).collect();
    order.sort_by_key(|&k| std::cmp::Reverse(alone[k]));
    let names: Vec<String> = order
        .iter()
        .map(|&k| format!("{} {}", weights.attributes[k], alone[k]))
        .collect();
    Some(format!(
        "Records that each attribute links on its own, of {}: {}. What the distance links beyond the best of these it finds by \
         combining them.",
        weights.records,
        list(&names)
    ))
}

/// Of what the weights are weights.
pub fn of_units(weights: &Weights) -> Option<String> {
    let standardized = match weights.standardize {
        Standardize::Own => "each file by its own mean and standard deviation",
        Standardize::Original => "both files by the original's mean and standard deviation",
        Standardize::None => {
            return Some(match basis(weights.family) {
                Basis::Order => "Differences were not standardised: attributes with large numbers are nearly always the \
                                 largest difference."
                    .into(),
                _ => "Differences were not standardised: a weight depends on the unit of its attribute, so weights of \
                      different attributes cannot be compared."
                    .into(),
            });
        }
    };
    Some(format!(
        "Differences are of standardised values ({standardized}), so what belongs to different attributes can be compared."
    ))
}

/// Whether there is a better distance, and whether there is another one as good.
pub fn of_uniqueness(weights: &Weights) -> String {
    let proof = match is_optimal(weights) {
        true => format!(
            "That no distance of this family links more than {} records is proven.",
            weights.bound
        ),
        false => format!(
            "A limit was reached before a proof: another distance of this family may link more, up to {} records.",
            weights.bound
        ),
    };
    let unique = match weights.is_unique() {
        Some(true) => "It is the only one that links these records.",
        Some(false) => {
            "It is not the only one that links these records: each figure with a range can be anything in it, though not \
             independently of the others. Do not read anything into differences within the ranges."
        }
        None => {
            "The file does not say in which ranges the figures may vary without a link being lost; they are rarely the only \
             ones, so do not read much into small differences."
        }
    };
    format!("{proof} {unique}")
}

/// A range for people; `write` gives a figure.
pub fn range(range: super::Range, write: impl Fn(f64) -> String) -> String {
    range.map_or(String::new(), |(least, greatest)| {
        format!("{} to {}", write(least), write(greatest))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_that_are_nearly_nothing_or_everything() {
        for (number, written) in [
            (0.0, "0 %"),
            (1e-12, "0 %"),
            (1e-4, "< 0.1 %"),
            (0.0126, "1.3 %"),
            (0.84, "84.0 %"),
            (0.9998, "> 99.9 %"),
            (1.0, "100 %"),
        ] {
            assert_eq!(share(number), written);
        }
    }

    #[test]
    fn lists_are_read_aloud() {
        assert_eq!(list(&["a"]), "a");
        assert_eq!(list(&["a", "b"]), "a and b");
        assert_eq!(list(&["a", "b", "c"]), "a, b and c");
        let many: Vec<String> = (0..9).map(|k| k.to_string()).collect();
        assert_eq!(list(&many), "0, 1, 2, 3, 4, 5 and 3 more");
    }

    /// 24 characters are the whole; a share of 0.5 is 12 of them.
    #[test]
    fn bars_are_as_long_as_shares() {
        for (share, length) in [
            (0.0, 0),
            (0.01, 0),
            (0.5, 12),
            (1.0, 24),
            (7.0, 24),
            (-1.0, 0),
        ] {
            assert_eq!(bar(share).chars().count(), length);
        }
    }
}
