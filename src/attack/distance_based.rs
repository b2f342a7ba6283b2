//! Distance-based record linkage: each record is linked with the nearest one.

use std::{borrow::Cow, cmp::Ordering};

use serde::{Deserialize, Serialize};

use super::{
    Attack, Direction, Nearest, Preference, Scenario,
    nominal::{Column, Expanded, Holds},
    whole::{ByColumns, Columns, Whole},
};
use crate::{
    distance::{Metric, nearest::Boxes},
    error::{Error, Reason, Result},
    stats::moments::{Moments, moments_by_attribute},
    table::matrix::Matrix,
};

/// By what each file is standardised before distances are taken.
///
/// The rule for attacks that nothing else was asked of is [`Standardize::usual`]. What else an attack takes from the intruder's
/// records follows the same comparison of two numbers ([`Scenario::holds_all`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Standardize {
    /// Each file by its own means and standard deviations. Where the intruder's records do not differ in an attribute
    /// (there is one record, say), those of the release are used.
    Own,
    /// Both files by the means and standard deviations of the released one, which everybody has.
    #[serde(rename = "masked")]
    Release,
    /// Both files by those of the intruder's (original) file.
    Original,
    /// Not at all: attributes weigh by their units.
    None,
}

impl Standardize {
    /// What is used unless something else is asked for: [`Own`](Self::Own) where the intruder holds as many records as were
    /// released; [`Release`](Self::Release) where fewer are held, and [`Original`](Self::Original) where fewer were released, so that
    /// both files are measured by the longer one.
    ///
    /// A part of a file has other moments than the whole. Standardised by itself it stands elsewhere, and records are missed that
    /// are easily found.
    pub fn usual(held: usize, released: usize) -> Self {
        match held.cmp(&released) {
            Ordering::Less => Self::Release,
            Ordering::Equal => Self::Own,
            Ordering::Greater => Self::Original,
        }
    }

    /// Its word on the command line, in files and in reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::Release => "masked",
            Self::Original => "original",
            Self::None => "none",
        }
    }
}

/// Record linkage by the attribute-standardised Euclidean distance (DBRL1, "AM").
///
/// ```text
/// d²(a, b) = Σ_k ( (a_k − mean_k^X) / sd_k^X − (b_k − mean_k^Y) / sd_k^Y )²
/// ```
///
/// # Units
/// sd with divisor n−1, over the values that are not missing. The paper's arithmetic *mean* of the squared differences
/// orders records as this sum does. Reported distances are d, not d².
///
/// # Ties
/// Differences are taken in the units of the sought file before they are divided, so that equal differences give
/// equal distances to the last bit wherever both files have equal means and sds (as after rank swapping).
///
/// # Categories
/// Two different names count `2 / (1 − Σ p²)`, with p the shares of the categories in the release: two unrelated people
/// count 2 on average, as in a standardised number. Equal names count 0.
///
/// # Missing
/// A difference with a missing side counts as much as that of two unrelated people on average, `E(Z₁ − Z₂)² = 2` in
/// standardised units: a gap neither attracts nor repels.
///
/// # Source
/// U. Pagliuca, G. Seri, 1999; J. Domingo-Ferrer, V. Torra, 2001; as DBRL1 in D. Abril, G. Navarro-Arribas, V. Torra,
/// "Choquet integral for record linkage", Annals of Operations Research 195, 2012.
#[derive(Debug, Clone)]
pub struct DistanceBased {
    /// By what each file is standardised.
    pub standardize: Standardize,
}

impl Attack for DistanceBased {
    fn name(&self) -> &'static str {
        "am"
    }

    fn has_candidate_sets(&self) -> bool {
        false
    }

    fn compares_values(&self) -> bool {
        true
    }

    fn formula(&self) -> String {
        match self.standardize {
            Standardize::Own => {
                "sum of squared differences of z-scores, each file by its own mean and sd"
            }
            Standardize::Release => {
                "sum of squared differences of z-scores, both files by the release's mean and sd"
            }
            Standardize::Original => {
                "sum of squared differences of z-scores, both files by the original's mean and sd"
            }
            Standardize::None => "sum of squared differences in the files' units",
        }
        .into()
    }

    fn in_words(&self) -> String {
        "compares records by distance (am)".into()
    }

    fn standardize(&self) -> Option<Standardize> {
        Some(self.standardize)
    }

    fn prepare<'a>(&self, scenario: &Scenario<'a>) -> Result<Preference<'a>> {
        nearest(scenario, self.standardize, |_| None).map(Preference::from)
    }

    fn by_columns(&self) -> Option<&dyn ByColumns> {
        Some(self)
    }
}

impl ByColumns for DistanceBased {
    fn prepare_some<'a>(&self, some: &Scenario<'a>, whole: &Whole<'_>) -> Result<Nearest<'a>> {
        nearest_of((some, Some(whole)), self.standardize, |_| None)
    }
}

/// Prefers the nearest candidate by the standardised distance. `confine` makes the candidate sets, if there are such, from
/// what each column of the points holds.
///
/// # Errors
/// Input, when an attribute cannot be standardised.
pub(super) fn nearest<'a>(
    scenario: &Scenario<'a>,
    standardize: Standardize,
    confine: impl FnOnce(&[Column]) -> Option<Boxes>,
) -> Result<Nearest<'a>> {
    nearest_of((scenario, None), standardize, confine)
}

/// The same by the columns of both files, where the scenario has some of the records only.
pub(super) fn nearest_of<'a>(
    (scenario, whole): (&Scenario<'a>, Option<&Whole<'_>>),
    standardize: Standardize,
    confine: impl FnOnce(&[Column]) -> Option<Boxes>,
) -> Result<Nearest<'a>> {
    let points = Expanded::new(scenario)?;
    let units = match whole {
        None => Units::of_columns(scenario, &points, standardize)?,
        Some(whole) => Units::of_whole(scenario, &points, whole, standardize)?,
    };
    let mut weights = Vec::new();
    let mut missing = Vec::new();
    for (column, units) in points.columns.iter().zip(&units) {
        let share = match column.holds {
            Holds::Numbers => 1.0 / (units.sought.scale * units.sought.scale),
            // Two names that differ do so in one column, or in two.
            Holds::Code => 2.0 / units.diversity,
            Holds::Indicator { .. } => 1.0 / units.diversity,
        };
        weights.push(share);
        missing.push(match column.holds {
            Holds::Numbers => units.seekers.variance + units.sought.variance,
            Holds::Code | Holds::Indicator { code: 0 } => 2.0,
            Holds::Indicator { .. } => 0.0,
        });
    }
    if !weights
        .iter()
        .chain(&missing)
        .all(|number| number.is_finite())
    {
        return Err(out_of_range());
    }
    let candidates = confine(&points.columns);
    Ok(Nearest {
        seekers: in_sought_units(points.seekers, &units),
        sought: points.sought,
        metric: Metric::new(weights, missing),
        candidates,
        decides: None,
    })
}

/// Values that cannot be computed with.
pub(super) fn out_of_range() -> Error {
    Error::input("a known attribute has values too large or too close together to be standardised")
        .because(Reason::Overflow { attribute: None })
        .remedy("Rescale it, or leave it out of --known")
}

/// How the two files' units meet in one column.
#[derive(Debug, Clone, Copy)]
pub(super) struct Units {
    /// Of the records that look.
    pub seekers: Unit,
    /// Of the records among which they look.
    pub sought: Unit,
    /// Of a nominal attribute: the probability that two released records have different categories.
    diversity: f64,
}

/// From a file's values to standardised ones: `(value − origin) / scale`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Unit {
    /// What becomes 0.
    pub origin: f64,
    /// What becomes 1.
    pub scale: f64,
    /// The variance of the standardised values.
    pub variance: f64,
    /// Their mean.
    pub mean: f64,
}

impl Unit {
    fn new(of_file: Moments, by: Option<Moments>) -> Self {
        let (origin, scale) = by.map_or((0.0, 1.0), |by| (by.mean, by.sd));
        Self {
            origin,
            scale,
            variance: (of_file.sd / scale) * (of_file.sd / scale),
            mean: (of_file.mean - origin) / scale,
        }
    }

    /// A value in standardised units.
    pub fn standardised(&self, value: f64) -> f64 {
        (value - self.origin) / self.scale
    }
}

impl Units {
    /// A seeker's number in the units of the sought file: the very number where both have the same units.
    pub fn in_sought_units(&self, value: f64) -> f64 {
        let (from, to) = (&self.seekers, &self.sought);
        if self.are_same() {
            value
        } else {
            (value - from.origin) * (to.scale / from.scale) + to.origin
        }
    }

    fn are_same(&self) -> bool {
        let (from, to) = (&self.seekers, &self.sought);
        (from.origin, from.scale) == (to.origin, to.scale)
    }

    /// The units of each column.
    ///
    /// # Errors
    /// Input, when an attribute has no spread to be standardised by.
    pub fn of_columns(
        scenario: &Scenario<'_>,
        points: &Expanded<'_>,
        standardize: Standardize,
    ) -> Result<Vec<Self>> {
        let of_seekers = moments_by_attribute(&points.seekers);
        let of_sought = moments_by_attribute(&points.sought);
        Self::of_moments(
            scenario,
            &points.columns,
            [of_seekers, of_sought],
            standardize,
        )
    }

    /// The same where the columns of both files are these.
    fn of_whole(
        scenario: &Scenario<'_>,
        points: &Expanded<'_>,
        whole: &Whole<'_>,
        standardize: Standardize,
    ) -> Result<Vec<Self>> {
        let moments = match scenario.direction {
            Direction::OriginalToMasked => [&whole.intruder, &whole.released],
            Direction::MaskedToOriginal => [&whole.released, &whole.intruder],
        };
        let moments = moments.map(Columns::moments);
        Self::of_moments(scenario, &points.columns, moments, standardize)
    }

    fn of_moments(
        scenario: &Scenario<'_>,
        columns: &[Column],
        [of_seekers, of_sought]: [Vec<Moments>; 2],
        standardize: Standardize,
    ) -> Result<Vec<Self>> {
        let column = |(place, column): (usize, &Column)| {
            let (mut seekers, mut sought) = (of_seekers[place], of_sought[place]);
            let (intruder, released) = match scenario.direction {
                Direction::OriginalToMasked => (&mut seekers, sought),
                Direction::MaskedToOriginal => (&mut sought, seekers),
            };
            // One record has no spread of its own: the release's is used.
            if intruder.sd <= 0.0 || standardize == Standardize::Release {
                *intruder = released;
            }
            let original = *intruder;
            let by = match standardize {
                Standardize::Own | Standardize::Release => [Some(seekers), Some(sought)],
                Standardize::Original => [Some(original); 2],
                Standardize::None => [None; 2],
            };
            let no_spread = by.iter().flatten().any(|moments| moments.sd <= 0.0);
            if no_spread && column.holds == Holds::Numbers {
                return Err(Error::input(
                    "has the same value everywhere (or none): it cannot be standardised and tells nobody apart",
                ).constant(&scenario.known[column.attribute])
                .remedy("Leave it out of --known or --attributes"));
            }
            Ok(Self {
                seekers: Unit::new(seekers, by[0]),
                sought: Unit::new(sought, by[1]),
                diversity: match column.holds {
                    Holds::Numbers => 0.0,
                    _ => diversity(scenario.released, column.attribute),
                },
            })
        };
        columns.iter().enumerate().map(column).collect()
    }
}

/// The probability that two records drawn with replacement have different categories, among those that have one.
fn diversity(matrix: &Matrix, attribute: usize) -> f64 {
    let mut codes: Vec<f64> = matrix.present(attribute).collect();
    codes.sort_unstable_by(f64::total_cmp);
    let n = codes.len() as f64;
    let equal: f64 = codes
        .chunk_by(|a, b| a.total_cmp(b).is_eq())
        .map(|of_one| (of_one.len() as f64 / n) * (of_one.len() as f64 / n))
        .sum();
    1.0 - equal
}

/// The seekers' numbers in the units of the sought ones, so that equal differences give equal distances.
fn in_sought_units<'a>(mut seekers: Cow<'a, Matrix>, units: &[Units]) -> Cow<'a, Matrix> {
    // Names stay what they are.
    let is_number = |units: &Units| units.diversity <= 0.0;
    let differs = |units: &Units| is_number(units) && !units.are_same();
    if units.iter().any(differs) {
        let change = |column: usize, value| match &units[column] {
            units if is_number(units) => units.in_sought_units(value),
            _ => value,
        };
        seekers.to_mut().map(change);
    }
    seekers
}
