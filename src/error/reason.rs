//! Why a call failed, in data: what a program can act on without reading a message.
//!
//! A message is for people, and its words may change; a [`Reason`] is matched on. Both are made in one place: what has the same words
//! wherever it happens is a constructor here, and where words differ, they are given the numbers that the reason holds.

use std::ops::{Bound, RangeBounds};

use super::{Error, ErrorKind};

/// Why something failed. An attribute, a file or a line that the whole error is about is in its [`Location`](super::Location), too.
///
/// There are none of values: a reason holds names and counts.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Reason {
    /// The covariance that distances are scaled by has no inverse: a combination of these attributes does not vary.
    SingularCovariance {
        /// Their names, in the order in which they are known.
        attributes: Vec<String>,
    },
    /// A file does not have an attribute that was asked for.
    UnknownAttribute {
        /// Its name, or the number given in place of it.
        name: String,
        /// The file that lacks it, where one is named.
        file: Option<String>,
    },
    /// An attribute has names where numbers are needed.
    WrongScale {
        /// Its name.
        attribute: String,
    },
    /// An attribute misses values where none may be missing.
    MissingValues {
        /// Its name.
        attribute: String,
    },
    /// An attribute identifies records, and two have the same value of it, or one has none.
    NotUnique {
        /// Its name.
        attribute: String,
    },
    /// An attribute has the same value everywhere, or none, where differences are needed.
    Constant {
        /// Its name; none where no attribute of those used varies.
        attribute: Option<String>,
    },
    /// Values are too large, or too close together, to be computed with.
    Overflow {
        /// The attribute that holds them, where it is known.
        attribute: Option<String>,
    },
    /// A cell, or what stands for one, is not a number. The line and the attribute are in the location.
    NotANumber,
    /// There are not enough records, or not enough of those that can be used.
    TooFewRecords {
        /// How many there are.
        have: usize,
        /// How many there must be.
        need: usize,
    },
    /// More memory would be needed than may be used.
    Memory {
        /// Bytes that would be needed.
        needed: u128,
        /// Bytes that may be used; none where it was the machine that had no more.
        limit: Option<u64>,
    },
    /// More of something than can be worked on.
    TooMany {
        /// Of what.
        of: Counted,
        /// How many there would be.
        asked: u128,
        /// How many there may be.
        limit: u128,
    },
    /// A number that was chosen is outside of what makes sense, at all or for this file.
    OutOfRange {
        /// The setting, as the command line calls it, without dashes: `p`, `known-records`.
        setting: String,
        /// The least value.
        least: Bound<f64>,
        /// The greatest value.
        most: Bound<f64>,
    },
    /// Something is named twice that may be named once.
    NamedTwice {
        /// Its name.
        name: String,
    },
    /// Two files do not belong together.
    FilesDiffer {
        /// In what they differ.
        by: Difference,
    },
    /// Two files share no attribute that can be compared.
    NothingToCompare,
    /// What was published is about another method of masking than this attack is made for.
    OtherMasking {
        /// The method that was published.
        stated: String,
    },
    /// An attack works by what was published about the masking, and nothing was.
    NothingPublished,
    /// Attributes look as if they identified people, and nobody stated what they are.
    LikelyIdentifiers {
        /// Their names.
        attributes: Vec<String>,
    },
    /// `--strict` made an error of a warning or a note.
    Strict,
}

/// What there can be too many of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Counted {
    /// Sets of known attributes, each a case of its own.
    Cases,
    /// Attributes.
    Attributes,
    /// Categories of an attribute.
    Categories,
    /// Records of a file.
    Records,
    /// Bytes of a record.
    Bytes,
    /// Clusters or starts of an algorithm.
    Starts,
    /// Coordinates of records as points, or coefficients.
    Coordinates,
    /// Pairs of records.
    Pairs,
    /// Attacks of one call.
    Attacks,
    /// Masked files of a plan.
    MaskedFiles,
}

/// In what files differ that should belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Difference {
    /// In the number of records.
    Records {
        /// Of the file that the error names.
        have: usize,
        /// Of the other, or what it was said to have.
        expected: usize,
    },
    /// In the number of attributes, which have no names to go by.
    Attributes {
        /// Of the file that the error names.
        have: usize,
        /// Of the other.
        expected: usize,
    },
    /// In their values.
    Values,
    /// In the people: no record of one is in the other, or not those that were said to be.
    People,
}

impl Reason {
    /// This file does not have an attribute of this name.
    pub(crate) fn unknown_attribute(name: &str, file: &str) -> Self {
        Self::UnknownAttribute {
            name: name.to_owned(),
            file: Some(file.to_owned()),
        }
    }

    /// The attribute that an error turns out to be about.
    pub(super) fn of_attribute(&mut self, name: &str) {
        if let Self::Constant { attribute } | Self::Overflow { attribute } = self {
            attribute.get_or_insert_with(|| name.to_owned());
        }
    }
}

/// Reasons that are about one attribute: each names it as the place of the error, too.
impl Error {
    /// Names where numbers are needed.
    #[must_use]
    pub(crate) fn wrong_scale(self, attribute: &str) -> Self {
        self.on_attribute(attribute).because(Reason::WrongScale {
            attribute: attribute.to_owned(),
        })
    }

    /// Missing values where none may be.
    #[must_use]
    pub(crate) fn missing_values(self, attribute: &str) -> Self {
        self.on_attribute(attribute).because(Reason::MissingValues {
            attribute: attribute.to_owned(),
        })
    }

    /// The same value twice, or none, where each record needs one of its own.
    #[must_use]
    pub(crate) fn not_unique(self, attribute: &str) -> Self {
        self.on_attribute(attribute).because(Reason::NotUnique {
            attribute: attribute.to_owned(),
        })
    }

    /// The same value everywhere.
    #[must_use]
    pub(crate) fn constant(self, attribute: &str) -> Self {
        self.on_attribute(attribute).because(Reason::Constant {
            attribute: Some(attribute.to_owned()),
        })
    }

    /// Values that cannot be computed with.
    #[must_use]
    pub(crate) fn overflow(self, attribute: &str) -> Self {
        self.on_attribute(attribute).because(Reason::Overflow {
            attribute: Some(attribute.to_owned()),
        })
    }

    /// Named where it was named before.
    #[must_use]
    pub(crate) fn named_twice(self, attribute: &str) -> Self {
        self.on_attribute(attribute).because(Reason::NamedTwice {
            name: attribute.to_owned(),
        })
    }

    /// Not among the attributes of this file.
    #[must_use]
    pub(crate) fn lacking(self, attribute: &str, file: &str) -> Self {
        self.in_file(file)
            .on_attribute(attribute)
            .because(Reason::unknown_attribute(attribute, file))
    }

    /// A setting has a value other than these, which it may have.
    #[must_use]
    pub(crate) fn outside(self, setting: &str, values: impl RangeBounds<f64>) -> Self {
        self.because(Reason::OutOfRange {
            setting: setting.to_owned(),
            least: values.start_bound().cloned(),
            most: values.end_bound().cloned(),
        })
    }
}

/// Errors whose words and reason are made together.
impl Error {
    /// A covariance without inverse: `of` says whose.
    pub(crate) fn singular_covariance(of: &str, attributes: Vec<String>) -> Self {
        let combination = match attributes.as_slice() {
            [one] => format!("{one:?}"),
            several => format!("a combination of {}", several.join(", ")),
        };
        Self::input(format!(
            "the covariance of {of} has no inverse: {combination} of it does not vary (a sum of others, or not masked)"
        ))
        .because(Reason::SingularCovariance { attributes })
    }

    /// Attributes that look as if they identified people have no stated role; `looks` says of each what it looks like, `list` is what a
    /// list option takes.
    pub(crate) fn likely_identifiers(attributes: Vec<String>, looks: &str, list: &str) -> Self {
        Self::input(format!(
            "these attributes look as if they identified people, and no role is stated for them: {looks}"
        ))
        .remedy(format!(
            "Leave them out with --drop {list}, or state their roles in a roles file (--roles), such as quasi-identifier = {attributes:?}; \
             --keep-identifiers keeps them, for evaluation only"
        ))
        .because(Reason::LikelyIdentifiers { attributes })
    }

    /// A file has no attribute of this name.
    pub(crate) fn unknown_attribute(name: &str, file: &str) -> Self {
        Self::usage(format!("there is no attribute {name:?}"))
            .in_file(file)
            .because(Reason::unknown_attribute(name, file))
    }

    /// Names where numbers are needed; `why` says what for.
    pub(crate) fn names_not_numbers(attribute: &str, why: &str) -> Self {
        Self::usage(format!("has names, not numbers: {why}")).wrong_scale(attribute)
    }

    /// An option says something of an attribute that the original does not have.
    pub(crate) fn option_names_unknown(option: &str, name: &str) -> Self {
        Self::usage(format!(
            "{option} names an attribute {name:?} that the original file does not have"
        ))
        .remedy("'sdcrisk describe' lists the attributes")
        .because(Reason::UnknownAttribute {
            name: name.to_owned(),
            file: None,
        })
    }

    /// There are too few records; `words` says so with how many there are and how many there must be.
    pub(crate) fn too_few_records(
        have: usize,
        need: usize,
        words: impl FnOnce(usize, usize) -> String,
    ) -> Self {
        Self::input(words(have, need)).because(Reason::TooFewRecords { have, need })
    }

    /// There are fewer records than two; `who` needs them.
    pub(crate) fn fewer_than_two_records(who: &str, have: usize) -> Self {
        Self::too_few_records(have, 2, |have, _| format!("{who}; there is {have}"))
            .remedy("Check that this is the file you meant")
    }

    /// A file without records; `there_is` says what cannot be done.
    pub(crate) fn no_records(file: &str, there_is: Option<&str>) -> Self {
        Self::too_few_records(0, 1, |_, _| match there_is {
            Some(there_is) => format!("has no records, only names: there is {there_is}"),
            None => "has no records, only names".into(),
        })
        .in_file(file)
        .remedy("Check that this is the file you meant")
    }

    /// There are too many of something; `words` says so with how many there are and how many there may be.
    pub(crate) fn too_many(
        kind: ErrorKind,
        of: Counted,
        [asked, limit]: [u128; 2],
        words: impl FnOnce(u128, u128) -> String,
    ) -> Self {
        Self::new(kind, words(asked, limit)).because(Reason::TooMany { of, asked, limit })
    }

    /// More than can be read from a file; `words` says so with the limit.
    pub(crate) fn too_many_to_read(
        of: Counted,
        limit: usize,
        words: impl FnOnce(u128) -> String,
    ) -> Self {
        let limit = limit as u128;
        Self::too_many(ErrorKind::Input, of, [limit + 1, limit], |_, limit| {
            words(limit)
        })
    }

    /// Files that should have as many records have not; `words` says so with how many there are and how many there should be.
    pub(crate) fn files_of_other_lengths(
        have: usize,
        expected: usize,
        words: impl FnOnce(usize, usize) -> String,
    ) -> Self {
        Self::input(words(have, expected)).because(Reason::FilesDiffer {
            by: Difference::Records { have, expected },
        })
    }

    /// A setting has a value that it cannot have.
    pub(crate) fn out_of_range(
        setting: &str,
        values: impl RangeBounds<f64>,
        what: impl Into<String>,
    ) -> Self {
        Self::usage(what).outside(setting, values)
    }

    /// An option has a value that it cannot have; `must` follows its name.
    pub(crate) fn option_out_of_range(
        option: &str,
        values: impl RangeBounds<f64>,
        must: &str,
    ) -> Self {
        Self::out_of_range(option, values, format!("--{option} {must}"))
    }

    /// An option that is a percentage of the records is none.
    pub(crate) fn no_percentage(option: &str) -> Self {
        Self::option_out_of_range(
            option,
            (Bound::Excluded(0.0), Bound::Included(100.0)),
            "is a percentage of the records: more than 0, at most 100",
        )
    }

    /// The statement is of a method that this attack is not made for; `but` says for which it is.
    pub(crate) fn other_masking(stated: &str, but: &str) -> Self {
        Self::usage(format!("the statement is of {stated}{but}")).because(Reason::OtherMasking {
            stated: stated.to_owned(),
        })
    }
}

/// All numbers above this one.
pub(crate) fn above(least: f64) -> (Bound<f64>, Bound<f64>) {
    (Bound::Excluded(least), Bound::Unbounded)
}
