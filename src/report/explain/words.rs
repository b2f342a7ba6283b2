//! Sentences that all kinds of distances share.

use super::{Explanation, is_optimal, kind};
use crate::{
    attack::{
        distance_based::Standardize,
        learned::weights::{Basis, Weights, basis},
    },
    report::{
        chart::picture::{Drawing, Picture},
        text,
    },
};

/// Shares below this are nothing but rounding.
pub const NOTHING: f64 = 1e-9;

/// How well it links, and what it is.
pub fn headline(explained: &Explanation) -> Headline {
    let rate = match explained.records {
        0 => String::new(),
        records => format!(
            " ({})",
            text::percent(explained.linked as f64 / records as f64)
        ),
    };
    Headline {
        links: format!(
            "{} links {} of {} records{rate}",
            explained.family, explained.linked, explained.records,
        ),
        kind: kind(explained.family),
    }
}

/// The two lines above everything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Headline {
    /// How many records the distance links.
    pub links: String,
    /// What kind of distance it is.
    pub kind: &'static str,
}

impl Headline {
    /// Ends a picture that has this headline.
    pub fn finish(&self, picture: Picture, description: &str) -> Drawing {
        picture.done(&format!("{}: {}", self.links, self.kind), description)
    }
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
    const MAX: usize = 6;
    match names {
        [] => "nothing".into(),
        [one] => one.as_ref().into(),
        [first @ .., last] if names.len() <= MAX => {
            format!("{} {word} {}", text::names(first, MAX), last.as_ref())
        }
        _ => text::names(names, MAX),
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
        "{attribute} is a key: on its own it links every record. Whoever knows {attribute} finds everybody, whatever was done to \
         the other attributes. Mask it, or mask it more, before anything else."
    )
}

/// The attributes that link every record on their own, if that was counted.
pub fn keys(weights: &Weights) -> Vec<String> {
    let counted = weights.alone.iter().flatten().zip(&weights.attributes);
    counted
        .filter(|(linked, _)| **linked == weights.records && weights.records > 0)
        .map(|(_, attribute)| key(attribute))
        .collect()
}

/// Whether a distance that looks at one attribute only shows that it is a key, which nothing else has shown.
pub fn shows_key(weights: &Weights) -> bool {
    weights.alone.is_none() && weights.linked == weights.records && weights.records > 0
}

/// Of a distance without a single link.
pub fn links_nobody() -> String {
    "This distance links nobody without a tie. Its figures say which kind of record is found at best (records that equal others in all \
     that is known), or nothing at all: no attribute should be said to leak on their ground."
        .into()
}

/// Which attributes find people on their own.
pub fn alone(weights: &Weights) -> Option<String> {
    let alone = weights.alone.as_ref()?;
    let mut order: Vec<usize> = (0..alone.len()).collect();
    order.sort_by_key(|&k| std::cmp::Reverse(alone[k]));
    let counted: Vec<String> = order
        .iter()
        .map(|&k| format!("{} {}", weights.attributes[k], alone[k]))
        .collect();
    let best = order.first().map_or(0, |&k| alone[k]);
    if best == 0 {
        return Some(format!(
            "No attribute links a record on its own without a tie: the {} links are found by combining them.",
            weights.linked
        ));
    }
    Some(format!(
        "Records that each attribute links on its own, of {}: {}.{}",
        weights.records,
        list(&counted),
        if best < weights.linked {
            " What the distance links beyond the first of these it finds by combining them."
        } else {
            ""
        }
    ))
}

/// Of what the weights are weights.
pub fn of_units(weights: &Weights) -> Option<String> {
    let standardized = match weights.standardize {
        Standardize::Own => "each file by its own mean and standard deviation",
        Standardize::Release => "both files by the masked one's mean and standard deviation",
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
    let proof = if is_optimal(weights) {
        format!(
            "That no distance of this family links more than {} records is proven.",
            weights.bound
        )
    } else {
        format!(
            "A limit was reached before a proof: another distance of this family may link more, up to {} records.",
            weights.bound
        )
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

/// A table whose columns are left out when nothing stands in them below the header.
pub fn columns(header: &[&str], rows: Vec<Vec<String>>, left: usize) -> String {
    let holds = |column: usize| rows.iter().any(|row| !row[column].is_empty());
    let kept: Vec<usize> = (0..header.len()).filter(|&column| holds(column)).collect();
    let left = kept.iter().filter(|&&column| column < left).count();
    let header: Vec<&str> = kept.iter().map(|&column| header[column]).collect();
    let rows: Vec<Vec<String>> = rows
        .iter()
        .map(|row| kept.iter().map(|&column| row[column].clone()).collect())
        .collect();
    text::columns(&header, &rows, left)
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
