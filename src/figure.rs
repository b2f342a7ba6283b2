//! A figure: a number together with what it says, between which ends it lies, and which end is the better one.
//!
//! Loss, risk and score are reported as figures, so that no report shows a number without its direction and its range, and no
//! zero denominator disappears.

use serde::{Deserialize, Serialize};

/// Why a measure of numbers is not defined where there are none.
pub const NO_NUMBERS: &str = "no compared attribute is a number in both files";

/// Why a measure in units of standard deviations is not defined where these are beyond the range of numbers.
pub const TOO_LARGE: &str = "values are too large to be squared";

/// Which end of its range a figure had better be at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Better {
    /// Less is lost, or fewer people are at risk.
    #[serde(rename = "lower is better")]
    Lower,
    /// More is kept, or more people are protected.
    #[serde(rename = "higher is better")]
    Higher,
}

impl Better {
    /// In words: "lower is better".
    pub fn words(self) -> &'static str {
        match self {
            Self::Lower => "lower is better",
            Self::Higher => "higher is better",
        }
    }

    /// The end alone: "lower".
    pub fn end(self) -> &'static str {
        match self {
            Self::Lower => "lower",
            Self::Higher => "higher",
        }
    }
}

/// How a figure is printed for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// A share or relative amount; 0.05 is printed as 5 %.
    Share,
    /// A number of records, cells or the like.
    Count,
    /// A number without unit.
    Number,
}

impl Unit {
    /// Its name for programs.
    pub fn word(self) -> &'static str {
        match self {
            Self::Share => "share",
            Self::Count => "count",
            Self::Number => "number",
        }
    }
}

/// Where reports put a figure. No report sorts figures by their keys: it asks for their group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// Loss of the file in one number.
    Overall,
    /// What happened to categories, and to cells of any kind.
    Cells,
    /// How one kind of value or statistic differs between two files, not what the whole file lost.
    Difference(Statistic, Discrepancy),
    /// Clusters found in both files.
    Clusters,
    /// Classes predicted by what was learned from either file.
    Classes,
    /// A regression in both files.
    Regression,
    /// Risk without linkage.
    Risk(About),
    /// The score of the literature, and the terms that it is made of.
    Score,
    /// Rates of an attack in a grid of experiments.
    Attack,
}

/// What a difference is taken of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Statistic {
    /// The values themselves.
    Values,
    /// Means.
    Means,
    /// Variances.
    Variances,
    /// Covariances.
    Covariances,
    /// Correlations.
    Correlations,
    /// Quantiles.
    Quantiles,
}

impl Statistic {
    /// All, in the order of reports.
    pub const ALL: [Self; 6] = [
        Self::Values,
        Self::Means,
        Self::Variances,
        Self::Covariances,
        Self::Correlations,
        Self::Quantiles,
    ];

    /// The end of a key: `mean_square_data`, `pil_means`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Values => "data",
            Self::Means => "means",
            Self::Variances => "variances",
            Self::Covariances => "covariances",
            Self::Correlations => "correlations",
            Self::Quantiles => "quantiles",
        }
    }
}

/// How a difference is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Discrepancy {
    /// (m − m')².
    MeanSquare,
    /// |m − m'|.
    MeanAbsolute,
    /// |m − m'| / |m|, which a value near 0 makes large.
    MeanVariation,
    /// In units of what chance would make of it.
    Probabilistic,
}

impl Discrepancy {
    /// All, in the order of reports.
    pub const ALL: [Self; 4] = [
        Self::MeanSquare,
        Self::MeanAbsolute,
        Self::MeanVariation,
        Self::Probabilistic,
    ];

    /// The beginning of a key: `mean_square_data`, `pil_means`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::MeanSquare => "mean_square",
            Self::MeanAbsolute => "mean_absolute",
            Self::MeanVariation => "mean_variation",
            Self::Probabilistic => "pil",
        }
    }
}

/// What a figure of risk is about, in the words of the European data protection authorities (WP 29, opinion 05/2014).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum About {
    /// Whether a record can be isolated.
    SinglingOut,
    /// Whether a record can be linked to a person.
    Linkability,
    /// Whether something can be found out about a person.
    Inference,
}

impl About {
    /// All of them, in the order of reports.
    pub const ALL: [Self; 3] = [Self::SinglingOut, Self::Linkability, Self::Inference];

    /// Its name for people, as the title of what is about it.
    pub fn title(self) -> &'static str {
        match self {
            Self::SinglingOut => "Singling out: who stands alone",
            Self::Linkability => "Linkability: who would be linked to a person",
            Self::Inference => "Inference: what is disclosed of a person",
        }
    }

    /// Its name for programs.
    pub fn word(self) -> &'static str {
        match self {
            Self::SinglingOut => "singling-out",
            Self::Linkability => "linkability",
            Self::Inference => "inference",
        }
    }
}

/// What a figure is: all that reports know of it. [`crate::evaluate::measures`] has the table of all of them.
#[derive(Debug, PartialEq)]
pub struct Definition {
    /// Where reports put it.
    pub group: Group,
    /// Its name for programs: lower case, words joined by `_`.
    pub key: &'static str,
    /// Its name for people, a few words.
    pub name: &'static str,
    /// The formula or the law, in one sentence.
    pub says: &'static str,
    /// Where it was published.
    pub source: &'static str,
    /// The better end.
    pub better: Better,
    /// The least value that it can take.
    pub least: f64,
    /// The greatest value that it can take; `None` without bound.
    pub most: Option<f64>,
    /// How it is printed.
    pub unit: Unit,
    /// How its parts are printed.
    pub unit_of_parts: Unit,
    /// Whether a count is one of records, so that it can be divided by the records of the file.
    pub is_of_records: bool,
    /// Whether it may be published: no, unless its definition says so. From rates of attacks an intruder learns which to choose, and a mean in
    /// an attribute's own units may give one person's value away.
    pub is_public: bool,
}

impl Definition {
    /// A share, 0 to 1, lower is better.
    pub const fn share(
        group: Group,
        key: &'static str,
        name: &'static str,
        says: &'static str,
        source: &'static str,
    ) -> Self {
        Self {
            group,
            key,
            name,
            says,
            source,
            better: Better::Lower,
            least: 0.0,
            most: Some(1.0),
            unit: Unit::Share,
            unit_of_parts: Unit::Share,
            is_of_records: true,
            is_public: false,
        }
    }

    /// A number of records or the like, 0 to any, lower is better.
    pub const fn count(
        group: Group,
        key: &'static str,
        name: &'static str,
        says: &'static str,
        source: &'static str,
    ) -> Self {
        let share = Self::share(group, key, name, says, source);
        share.in_units_of(Unit::Count).unbounded()
    }

    /// A number without unit, 0 to any, lower is better.
    pub const fn number(
        group: Group,
        key: &'static str,
        name: &'static str,
        says: &'static str,
        source: &'static str,
    ) -> Self {
        let share = Self::share(group, key, name, says, source);
        share.in_units_of(Unit::Number).unbounded()
    }

    /// The same, of which more is better.
    pub const fn higher_is_better(self) -> Self {
        Self {
            better: Better::Higher,
            ..self
        }
    }

    /// The same, printed in another unit.
    pub const fn in_units_of(self, unit: Unit) -> Self {
        Self {
            unit,
            unit_of_parts: unit,
            ..self
        }
    }

    /// The same, whose parts are printed in another unit.
    pub const fn with_parts_in(self, unit_of_parts: Unit) -> Self {
        Self {
            unit_of_parts,
            ..self
        }
    }

    /// The same, of something else than records.
    pub const fn of_other_than_records(self) -> Self {
        Self {
            is_of_records: false,
            ..self
        }
    }

    /// The same, which may be published.
    pub const fn public(self) -> Self {
        Self {
            is_public: true,
            ..self
        }
    }

    /// What a figure of risk is about; `None` for one of anything else.
    pub const fn about(&self) -> Option<About> {
        match self.group {
            Group::Risk(about) => Some(about),
            _ => None,
        }
    }

    /// Whether it says how one kind of value or statistic differs between two files.
    pub const fn is_difference(&self) -> bool {
        matches!(self.group, Group::Difference(..))
    }

    /// The interval, cut at the ends of what the figure can be.
    pub fn clipped(&self, interval: [f64; 2]) -> [f64; 2] {
        interval.map(|end| end.clamp(self.least, self.most.unwrap_or(f64::INFINITY)))
    }

    /// The same, from another least value on.
    pub const fn at_least(self, least: f64) -> Self {
        Self { least, ..self }
    }

    /// The same, up to another greatest value.
    pub const fn at_most(self, most: f64) -> Self {
        Self {
            most: Some(most),
            ..self
        }
    }

    /// The same without greatest value.
    pub const fn unbounded(self) -> Self {
        Self { most: None, ..self }
    }
}

/// One number with its definition.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// What it is.
    pub what: &'static Definition,
    /// The value; `None` where it is not defined for these files.
    pub value: Option<f64>,
    /// Why there is no value, in words that follow "is not defined: ".
    pub why_not: Option<String>,
    /// The cells, pairs or records that it is taken over.
    pub counted: u64,
    /// Those left out because a denominator was zero.
    pub skipped: u64,
    /// The same by attribute (or by pair, class, …), where that is informative.
    pub parts: Vec<Part>,
}

/// What one attribute contributes to a figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// The name of the attribute.
    pub name: String,
    /// Its own value; `None` where it is not defined.
    pub value: Option<f64>,
}

impl Figure {
    /// A value taken over so many cells.
    pub fn new(what: &'static Definition, value: f64, counted: u64) -> Self {
        Self {
            what,
            // A number that is none is not shown as one.
            value: value.is_finite().then_some(value),
            why_not: (!value.is_finite()).then(|| "it is not finite (overflow)".into()),
            counted,
            skipped: 0,
            parts: Vec::new(),
        }
    }

    /// No value, and why, in words that follow "is not defined: ".
    pub fn undefined(what: &'static Definition, why_not: impl Into<String>) -> Self {
        Self {
            what,
            value: None,
            why_not: Some(why_not.into()),
            counted: 0,
            skipped: 0,
            parts: Vec::new(),
        }
    }

    /// The same, with so many cells left out because a denominator was zero.
    pub fn with_skipped(self, skipped: u64) -> Self {
        Self { skipped, ..self }
    }

    /// The same, with its parts.
    pub fn with_parts(self, parts: Vec<Part>) -> Self {
        Self { parts, ..self }
    }
}

/// The figure of this key.
pub fn find<'a>(figures: &'a [Figure], key: &str) -> Option<&'a Figure> {
    figures.iter().find(|figure| figure.what.key == key)
}

/// The value of the figure of this key, where it is defined.
pub fn value(figures: &[Figure], key: &str) -> Option<f64> {
    find(figures, key)?.value
}

#[cfg(test)]
mod tests {
    use super::*;

    static TEST: Definition = Definition::number(Group::Overall, "test", "test", "nothing", "none");

    #[test]
    fn a_number_beyond_all_numbers_is_not_shown_as_one() {
        let figure = Figure::new(&TEST, f64::INFINITY, 3);
        assert_eq!((figure.value, figure.why_not.is_some()), (None, true));
        assert_eq!(value(&[Figure::new(&TEST, 2.5, 3)], "test"), Some(2.5));
        assert_eq!(value(&[], "test"), None);
    }
}
