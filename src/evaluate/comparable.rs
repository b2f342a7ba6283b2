//! Whether the values of an attribute in two files can be compared at all.
//!
//! An attack on ages against `[25;35)`, on four digits of a code against two, on euros against thousands finds nearly nobody, and the
//! figure looks like protection. So every report on two files begins with what could not be compared in earnest.

use std::collections::BTreeSet;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{
    link::{LeftOut, Shared},
    truth::{self, Truth},
};
use crate::{
    error::{Error, Reason, Result},
    statement::Laws,
    stats::moments::{Moments, moments_of},
    table::{AttrId, Role, Table, Values},
};

/// Names are compared in vain where fewer than this share of the values of either file occur in the other one.
const SHARED_AT_LEAST: f64 = 0.05;

/// Numbers differ in scale where their standard deviations and the ranges of their middle halves differ by more than this
/// factor: euros and cents do, a file with twice the variance does not.
const SAME_SCALE_WITHIN: f64 = 20.0;

/// Fewer values say nothing about their range.
const ENOUGH: usize = 5;

/// An attribute whose values in two files have little to do with each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Doubt {
    /// The attribute as the original names it.
    pub attribute: String,
    /// What is wrong, in words that follow its name.
    pub what: String,
    /// What to do about it.
    pub remedy: String,
}

impl Doubt {
    /// The sentences of a warning.
    pub fn text(&self) -> String {
        format!("{} {}. {}.", self.attribute, self.what, self.remedy)
    }
}

/// The attributes on which loss and risk are measured: the `named` ones (names or positions), or all quasi-identifiers that both files
/// have but the `identifier` (`NAME`, or `A=B` where the masked file has another name for it); and the others with the reasons. One that
/// has become constant is compared: that is a loss.
///
/// # Errors
/// Usage, when a named one is the identifier, or not in the masked file; Input, when nothing is left.
pub fn compared(
    [original, masked]: [&Table; 2],
    named: Option<&str>,
    identifier: Option<&str>,
) -> Result<(Vec<Shared>, Vec<LeftOut>)> {
    let (mut compared, mut left_out) = (Vec::new(), Vec::new());
    let identifier = identifier.map(|id| truth::id_columns(id, original));
    let candidates = match named {
        Some(list) => original.select(list)?,
        None => original.ids().collect(),
    };
    for id in candidates {
        let attribute = original.attribute(id);
        if identifier.is_some_and(|names| names.contains(&attribute.name.as_str())) {
            if named.is_none() {
                continue;
            }
            return Err(
                Error::usage("is the identifier of --id and cannot be compared")
                    .on_attribute(&attribute.name)
                    .remedy("Leave it out of --attributes"),
            );
        }
        let mut leave_out = |why: String| {
            left_out.push(LeftOut {
                attribute: attribute.name.clone(),
                why,
            });
        };
        match (masked.find(&attribute.name), named, attribute.role) {
            (Err(_), Some(_), _) => {
                return Err(Error::usage("is not in the masked file")
                    .lacking(&attribute.name, masked.name())
                    .remedy(
                        "Leave it out of --attributes, or check the names of the masked file",
                    ));
            }
            (_, None, Role::Identifier) => leave_out("is an identifier".into()),
            (_, None, role) if role != Role::QuasiIdentifier => {
                leave_out(format!("is {}, no quasi-identifier", role.word()));
            }
            (Err(_), None, _) => leave_out("is not in the masked file".into()),
            (Ok(other), _, _) => compared.push(Shared {
                original: id,
                masked: other,
            }),
        }
    }
    if compared.is_empty() {
        return Err(
            Error::input("shares no attribute that could be compared with the original")
                .because(Reason::NothingToCompare)
                .in_file(masked.name())
                .remedy(
                    "Name attributes with --attributes; 'sdcrisk describe' shows roles and names",
                ),
        );
    }
    Ok((compared, left_out))
}

/// The attributes among these of the original that have a namesake in the masked file with which they cannot be compared in
/// earnest: numbers against text, names of which (nearly) none occur in the other file, numbers whose ranges do not overlap or that
/// differ in scale. That a step moved the numbers explains the last two; none explains the others, since what was recoded by a published
/// step was recoded in the original, too, before it came here.
///
/// # Missing
/// Missing values do not count; an attribute without any value raises no doubt.
///
/// # Complexity
/// O(n) an attribute of numbers, O(n log n) one of names, in parallel.
pub fn doubts(
    original: &Table,
    masked: &Table,
    among: &[AttrId],
    laws: Option<&Laws>,
) -> Vec<Doubt> {
    let doubt = |&id: &AttrId| {
        let name = &original.attribute(id).name;
        let other = masked.find(name).ok()?;
        let is_explained = laws.is_some_and(|laws| laws.moves(name));
        let numbers = [original.values(id), masked.values(other)];
        let what = match numbers {
            [Some(left), Some(right)] => numbers_apart([left, right]).filter(|_| !is_explained),
            [None, None] => names_apart([original, masked], [id, other]),
            [left, _] => mixed([original, masked], [id, other], left.is_some()),
        };
        what.map(|what| Doubt {
            attribute: name.clone(),
            what,
            remedy: REMEDY.into(),
        })
    };
    among.par_iter().filter_map(doubt).collect()
}

const REMEDY: &str = "Say how the original is to be recoded first (--recode RULES.toml, with rules as of 'sdcrisk mask recode'), or leave \
                      the attribute out; until then the figures say less than an intruder finds";

/// The attributes, of these pairs, that differ between records of the same people although they should not, with the number of records: where
/// both have a value, they are of other numbers or other categories.
///
/// # Complexity
/// O(n) an attribute.
pub fn differing(
    [original, masked]: [&Table; 2],
    shared: &[Shared],
    truth: &Truth,
) -> Vec<(AttrId, usize)> {
    let records = truth.records();
    let count = |pair: &Shared| {
        let ids = [pair.original, pair.masked];
        let numbers = [original.values(ids[0]), masked.values(ids[1])];
        let differ = |pair: &&[u32; 2]| {
            let [of, to] = pair.map(|record| record as usize);
            if original.is_missing(of, ids[0]) || masked.is_missing(to, ids[1]) {
                return false;
            }
            match &numbers {
                [Some(left), Some(right)] => left.of(of).total_cmp(&right.of(to)).is_ne(),
                _ => original.category(of, ids[0]) != masked.category(to, ids[1]),
            }
        };
        records.iter().filter(differ).count()
    };
    let counts = shared.iter().map(|pair| (pair.original, count(pair)));
    counts.filter(|&(_, count)| count > 0).collect()
}

fn mixed(tables: [&Table; 2], ids: [AttrId; 2], original_is_number: bool) -> Option<String> {
    let has_values =
        |side: usize| tables[side].missing(ids[side]).count() < tables[side].n_records();
    if !has_values(0) || !has_values(1) {
        return None;
    }
    let files = if original_is_number {
        ["original", "masked"]
    } else {
        ["masked", "original"]
    };
    Some(format!(
        "has numbers in the {} file and text (classes, codes) in the {} file, so their values were not compared",
        files[0], files[1]
    ))
}

/// Whether names of one file occur in the other.
fn names_apart(tables: [&Table; 2], ids: [AttrId; 2]) -> Option<String> {
    let sides = [0, 1].map(|side| tables[side].categories(ids[side]));
    let names = (sides.each_ref()).map(|of| of.names.iter().map(|name| &**name).collect());
    let names: [BTreeSet<&str>; 2] = names;
    // How many values of a side the other one has, of so many.
    let shared = |side: usize| {
        let of_other = &names[1 - side];
        let own = sides[side].names.iter();
        let is_shared: Vec<bool> = own.map(|name| of_other.contains(&**name)).collect();
        let codes = sides[side].codes.iter().map(|&code| code as usize);
        let present = codes.filter_map(|code| code.checked_sub(1));
        present.fold((0, 0), |(found, all), category| {
            (found + usize::from(is_shared[category]), all + 1)
        })
    };
    let [(of_original, originals), (of_masked, maskeds)] = [shared(0), shared(1)];
    let is_rare = |found: usize, all: usize| (found as f64) < SHARED_AT_LEAST * all as f64;
    match (originals.min(maskeds), of_original, of_masked) {
        (0, ..) => None,
        (_, 0, 0) => Some("shares no value with the masked file".into()),
        (ENOUGH.., ..) if is_rare(of_original, originals) && is_rare(of_masked, maskeds) => {
            Some(format!(
                "shares nearly no value with the masked file ({of_original} of {originals} records have one that occurs there)"
            ))
        }
        _ => None,
    }
}

/// Whether numbers lie elsewhere or are in other units.
fn numbers_apart(numbers: [Values<'_>; 2]) -> Option<String> {
    let [Some(left), Some(right)] = numbers.map(Spread::of) else {
        return None;
    };
    let [of_left, of_right] = [&left.moments, &right.moments];
    if of_left.greatest < of_right.least || of_right.greatest < of_left.least {
        return Some("has numbers of which the ranges in the two files do not overlap".into());
    }
    let is_far = |factor: f64| {
        factor.is_finite()
            && factor > 0.0
            && !(1.0 / SAME_SCALE_WITHIN..=SAME_SCALE_WITHIN).contains(&factor)
    };
    let sd = of_right.sd / of_left.sd;
    if !is_far(sd) {
        return None;
    }
    // Where half of a file has one value, the middle says nothing of the scale.
    let middle = right.middle_half() / left.middle_half();
    let agrees = !(middle.is_finite() && middle > 0.0) || is_far(middle);
    agrees.then(|| {
        let (times, file) = if sd > 1.0 {
            (sd, "masked")
        } else {
            (1.0 / sd, "original")
        };
        format!(
            "differs in scale: its standard deviation is {} times as large in the {file} file",
            rounded(times)
        )
    })
}

/// Where the numbers of an attribute lie.
struct Spread<'a> {
    values: Values<'a>,
    moments: Moments,
}

impl<'a> Spread<'a> {
    /// That of the numbers that are there; `None` of too few.
    fn of(values: Values<'a>) -> Option<Self> {
        let moments = moments_of(values);
        (moments.count >= ENOUGH).then_some(Self { values, moments })
    }

    /// The range of the middle half.
    fn middle_half(&self) -> f64 {
        let mut numbers: Vec<f64> = self.values.present().map(|(_, value)| value).collect();
        let n = numbers.len();
        let mut at = |place: usize| *numbers.select_nth_unstable_by(place, f64::total_cmp).1;
        at(n - 1 - n / 4) - at(n / 4)
    }
}

/// A factor to one digit: it says what unit it is, and not what a value is.
fn rounded(factor: f64) -> String {
    let unit = 10_f64.powf(factor.log10().floor());
    format!("about {}", (factor / unit).round() * unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::ReadOptions;

    fn found(original: &str, masked: &str) -> Vec<(String, String)> {
        let table = |name: &str, text: &str| {
            Table::read(name, text.as_bytes().to_vec(), &ReadOptions::default()).unwrap()
        };
        let (original, masked) = (table("o.csv", original), table("m.csv", masked));
        let all: Vec<AttrId> = original.ids().collect();
        let doubts = doubts(&original, &masked, &all, None);
        let found = doubts
            .into_iter()
            .map(|doubt| (doubt.attribute, doubt.what));
        found.collect()
    }

    fn file(name: &str, cells: impl IntoIterator<Item = String>) -> String {
        let cells: Vec<String> = cells.into_iter().collect();
        format!("{name},z\n{},1\n", cells.join(",1\n"))
    }

    #[test]
    fn ages_against_classes_are_numbers_against_text() {
        let ages = file("age", (20..40).map(|age| age.to_string()));
        let classes = file(
            "age",
            (20..40).map(|age| format!("[{};{})", age / 10 * 10, age / 10 * 10 + 10)),
        );
        let found = found(&ages, &classes);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].0, "age");
        assert!(
            found[0].1.contains("numbers in the original file and text"),
            "{found:?}"
        );
    }

    #[test]
    fn codes_of_other_lengths_share_no_value() {
        let long = file(
            "nace",
            (0..20).map(|code| format!("C{}.{}", 10 + code % 5, code)),
        );
        let short = file("nace", (0..20).map(|code| format!("C{}", 10 + code % 5)));
        let found = found(&long, &short);
        assert!(
            found.len() == 1 && found[0].1.contains("shares no value"),
            "{found:?}"
        );
    }

    /// One in 40 of either file is 2.5 %, below 5 %; one in 10 is above.
    #[test]
    fn nearly_no_value_is_as_good_as_none() {
        let names = |prefix: &str, n: usize| {
            file(
                "town",
                (0..n).map(|k| {
                    if k == 0 {
                        "Hull".into()
                    } else {
                        format!("{prefix}{k}")
                    }
                }),
            )
        };
        assert_eq!(found(&names("a", 40), &names("b", 40)).len(), 1);
        assert_eq!(found(&names("a", 10), &names("b", 10)).len(), 0);
    }

    /// Euros and cents: a factor of 100. Thousands of what begins at 1,000: no overlap. Twice the spread is noise.
    #[test]
    fn numbers_in_other_units_differ_in_scale() {
        let euros = |unit: f64, shift: f64| {
            file(
                "income",
                (0..50).map(|k| format!("{}", shift + unit * f64::from(k * 37 % 50) * 11.0)),
            )
        };
        let cents = found(&euros(1.0, 0.0), &euros(100.0, 0.0));
        assert!(
            cents[0]
                .1
                .contains("about 100 times as large in the masked file"),
            "{cents:?}"
        );
        let thousands = found(&euros(1.0, 1000.0), &euros(0.001, 1.0));
        assert!(thousands[0].1.contains("do not overlap"), "{thousands:?}");
        assert_eq!(found(&euros(1.0, 0.0), &euros(2.0, -50.0)), []);
    }
}
