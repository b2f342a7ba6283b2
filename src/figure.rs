//! A figure: a number together with what it says, between which ends it lies, and which end is the better one.
//!
//! Loss, risk and score are told in figures, so that no report shows a number without its direction and its range, and no
//! zero denominator disappears.

/// Why a measure of numbers is not defined where there are none.
pub const NO_NUMBERS: &str = "no compared attribute is a number in both files";

/// Why a measure in units of standard deviations is not defined where these are beyond the range of numbers.
pub const TOO_LARGE: &str = "values are too large to be squared";

/// Which end of its range a figure had better be at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    /// Less is lost, or fewer people are at risk.
    Lower,
    /// More is kept, or more people are protected.
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
}

/// How a figure is printed for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

/// What a figure is.
#[derive(Debug, PartialEq)]
pub struct Definition {
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
    /// Whether it says how one kind of value or statistic differs between two files, not what the whole file lost.
    pub is_difference: bool,
    /// Whether it may be published: no, unless its definition says so. Rates of attacks tell an intruder which to choose, and a mean in
    /// an attribute's own units may give one person's value away.
    pub is_public: bool,
}

impl Definition {
    /// A share, 0 to 1, lower is better.
    pub const fn share(
        key: &'static str,
        name: &'static str,
        says: &'static str,
        source: &'static str,
    ) -> Self {
        Self {
            key,
            name,
            says,
            source,
            better: Better::Lower,
            least: 0.0,
            most: Some(1.0),
            unit: Unit::Share,
            unit_of_parts: Unit::Share,
            is_difference: false,
            is_public: false,
        }
    }

    /// A number of records or the like, 0 to any, lower is better.
    pub const fn count(
        key: &'static str,
        name: &'static str,
        says: &'static str,
        source: &'static str,
    ) -> Self {
        let share = Self::share(key, name, says, source);
        share.in_units_of(Unit::Count).unbounded()
    }

    /// A number without unit, 0 to any, lower is better.
    pub const fn number(
        key: &'static str,
        name: &'static str,
        says: &'static str,
        source: &'static str,
    ) -> Self {
        let share = Self::share(key, name, says, source);
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

    /// The same, of how one kind of value or statistic differs.
    pub const fn of_a_difference(self) -> Self {
        Self {
            is_difference: true,
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
    /// The same by attribute (or by pair, class, …), where that tells something.
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
            why_not: (!value.is_finite()).then(|| "it is beyond all numbers".into()),
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

    /// The same, told by part.
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

    static TEST: Definition = Definition::number("test", "test", "nothing", "none");

    #[test]
    fn a_number_beyond_all_numbers_is_not_shown_as_one() {
        let figure = Figure::new(&TEST, f64::INFINITY, 3);
        assert_eq!((figure.value, figure.why_not.is_some()), (None, true));
        assert_eq!(value(&[Figure::new(&TEST, 2.5, 3)], "test"), Some(2.5));
        assert_eq!(value(&[], "test"), None);
    }
}
