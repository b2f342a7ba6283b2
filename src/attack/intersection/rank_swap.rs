//! The intersection attack on rank swapping (RS-RL; its rate is called RSLD).

use std::{borrow::Cow, collections::BTreeMap};

use super::boxes_of;

use crate::{
    attack::{
        Attack, Direction, GapRule, Nearest, Preference, Scenario,
        distance_based::{Standardize, nearest_of},
        nominal::{Column, Holds},
        whole::{ByColumns, Whole},
        within_strata::Stratum,
    },
    distance::nearest::Boxes,
    error::{Error, Result},
    statement::{Method, Step, Windows},
    stats::rank::Ranking,
};

/// What the intruder takes the greatest rank difference of a swap to be.
#[derive(Debug, Clone)]
pub enum Bound {
    /// This many ranks, on every known attribute.
    Window(usize),
    /// What a statement says: the windows of each attribute that was masked, one for each step that swapped it, the others being as they
    /// were, and that gaps stay in place.
    Stated(BTreeMap<String, Vec<usize>>),
    /// The same of swaps within strata, of which some have windows of their own.
    InStrata(Box<Windows>),
    /// A window for each attribute that was masked.
    Each {
        /// The windows by attribute.
        windows: BTreeMap<String, usize>,
        /// The window of all other attributes: 0 if they were not masked.
        others: usize,
    },
}

impl Bound {
    /// What a statement says of rank swapping.
    ///
    /// # Errors
    /// Usage, when the statement is of another method.
    pub fn of_step(statement: &Step) -> Result<Self> {
        match &statement.method {
            Method::RankSwap(parameters) => Ok(Self::Stated(
                statement
                    .attributes
                    .iter()
                    .map(|name| (name.clone(), vec![parameters.greatest_difference()]))
                    .collect(),
            )),
            other => Err(
                Error::other_masking(other.name(), "; rsld is the attack on rankswap").remedy(
                    "Leave rsld out of --method, or give --p or --window to try it all the same",
                ),
            ),
        }
    }

    /// The window of one attribute; of several steps, what they come to without ties.
    pub fn window_of(&self, attribute: &String) -> usize {
        (self.windows_of(attribute).iter()).fold(0, |sum, &window| sum.saturating_add(window))
    }

    /// The windows of one attribute, one for each step that swapped it.
    fn windows_of(&self, attribute: &String) -> Cow<'_, [usize]> {
        match self {
            Self::Window(window) => Cow::Owned(vec![*window]),
            Self::Stated(windows) => of_attribute(windows, attribute),
            Self::InStrata(windows) => of_attribute(&windows.of_attribute, attribute),
            Self::Each { windows, others } => {
                Cow::Owned(vec![*windows.get(attribute).unwrap_or(others)])
            }
        }
    }
}

/// What is stated of an attribute; 0 where nothing is.
fn of_attribute<'a>(
    windows: &'a BTreeMap<String, Vec<usize>>,
    attribute: &String,
) -> Cow<'a, [usize]> {
    match windows.get(attribute) {
        Some(windows) => Cow::Borrowed(windows),
        None => Cow::Owned(vec![0]),
    }
}

/// Record linkage inside the set of records that rank swapping can have made of the intruder's record.
///
/// ```text
/// B_j(x) = released records whose attribute j lies within m ranks of x_j         (m = the window)
/// B(x)   = intersection of B_j(x) over the known attributes
/// link   = the record of B(x) nearest by the attribute-standardised Euclidean distance
/// ```
///
/// Rank swapping keeps each attribute's distribution, so the intruder ranks their values among the released ones. Where the
/// whole masked file was released, the window is right (or too wide) and the true record is among the sought ones, it is
/// always in B(x): then a set of one is a certain link. With a window too small B(x) can miss it or be empty: then
/// nothing, or the wrong record, is linked.
///
/// # Ties
/// A value that occurs several times reaches from its lowest rank − m to its highest + m. Of several swaps, each reaches on from the lowest and
/// the highest rank of the values that the last one reached: ties between two swaps widen the set.
///
/// # Missing
/// A value that the seeker misses confines nothing, and a record that misses a value which the seeker has is a candidate: the
/// value may have been suppressed after masking. Where a statement says that the method leaves gaps in place, and they were
/// ([`Scenario::gap_rules`]), candidates have the seeker's missing-value pattern; after suppression, they miss what the seeker misses.
///
/// # Source
/// J. Nin, J. Herranz, V. Torra, "Rethinking rank swapping to decrease disclosure risk", Data & Knowledge
/// Engineering 64, 2008. There the sets are given for values without ties or gaps.
#[derive(Debug, Clone)]
pub struct RankSwapIntersection {
    /// The window that the intruder assumes.
    pub bound: Bound,
    /// The distance inside the set.
    pub standardize: Standardize,
}

impl Attack for RankSwapIntersection {
    fn name(&self) -> &'static str {
        "rsld"
    }

    fn has_candidate_sets(&self) -> bool {
        true
    }

    fn formula(&self) -> String {
        "the nearest record, as in am, of those within the window of ranks on every known attribute"
            .into()
    }

    fn in_words(&self) -> String {
        "uses the window of rank swapping (rsld)".into()
    }

    fn windows(&self, known: &[String]) -> Option<Vec<usize>> {
        Some(
            known
                .iter()
                .map(|name| self.bound.window_of(name))
                .collect(),
        )
    }

    fn in_stratum(&self, stratum: Stratum<'_>) -> Option<Box<dyn Attack>> {
        let Bound::InStrata(windows) = &self.bound else {
            return None;
        };
        let own = windows.in_strata.get(stratum.values);
        Some(Box::new(Self {
            bound: Bound::Stated(own.unwrap_or(&windows.of_attribute).clone()),
            standardize: self.standardize,
        }))
    }

    fn standardize(&self) -> Option<Standardize> {
        Some(self.standardize)
    }

    fn prepare<'a>(&self, scenario: &Scenario<'a>) -> Result<Preference<'a>> {
        self.nearest(scenario, None).map(Preference::from)
    }

    fn by_columns(&self) -> Option<&dyn ByColumns> {
        Some(self)
    }
}

impl ByColumns for RankSwapIntersection {
    fn prepare_some<'a>(&self, some: &Scenario<'a>, whole: &Whole<'_>) -> Result<Nearest<'a>> {
        self.nearest(some, Some(whole))
    }
}

impl RankSwapIntersection {
    fn nearest<'a>(
        &self,
        scenario: &Scenario<'a>,
        whole: Option<&Whole<'_>>,
    ) -> Result<Nearest<'a>> {
        let known = scenario.known.iter();
        let windows: Vec<Cow<'_, [usize]>> =
            known.map(|name| self.bound.windows_of(name)).collect();
        nearest_of((scenario, whole), self.standardize, |columns| {
            let stated = matches!(self.bound, Bound::Stated(_) | Bound::InStrata(_));
            Some(boxes((scenario, whole), &windows, columns, stated))
        })
    }
}

/// The set of each seeker as a box: an interval of values for each column of the points.
///
/// Whoever seeks, values are ranked among the released ones. Names have no ranks: they were not swapped, and only equal ones
/// are possible.
fn boxes(
    (scenario, whole): (&Scenario<'_>, Option<&Whole<'_>>),
    windows: &[Cow<'_, [usize]>],
    columns: &[Column],
    stated: bool,
) -> Boxes {
    let (seekers, released) = (scenario.seekers(), scenario.released);
    let interval = |place: usize| {
        let Column { attribute, holds } = columns[place];
        let ranking = match (holds, whole) {
            (Holds::Numbers, None) => Ranking::new(released.present(attribute)),
            (Holds::Numbers, Some(whole)) => Ranking::new(whole.released.present(attribute)),
            (Holds::Code | Holds::Indicator { .. }, _) => Ranking::new([].into_iter()),
        };
        move |value: f64| match (holds, scenario.direction) {
            (Holds::Code, _) => (value, value),
            (Holds::Indicator { code }, _) if value.total_cmp(&f64::from(code)).is_eq() => {
                (1.0, 1.0)
            }
            (Holds::Indicator { .. }, _) => (f64::NEG_INFINITY, f64::INFINITY),
            (Holds::Numbers, Direction::OriginalToMasked) => {
                let swaps = windows[attribute].iter();
                swaps.fold((value, value), |(low, high), &window| {
                    let reached = |value| ranking.within(value, window);
                    let from = reached(low);
                    let is_one = low.total_cmp(&high).is_eq();
                    let to = if is_one { from } else { reached(high) };
                    (from.0, to.1)
                })
            }
            (Holds::Numbers, Direction::MaskedToOriginal) => {
                let swaps = windows[attribute].iter().rev();
                swaps.fold((value, value), |(low, high), &window| {
                    let reaching = |value| ranking.reaching(value, window);
                    // What is open stays open.
                    let is_open = |end: f64| end.abs() >= f64::MAX;
                    (
                        if is_open(low) { low } else { reaching(low).0 },
                        if is_open(high) {
                            high
                        } else {
                            reaching(high).1
                        },
                    )
                })
            }
        }
    };
    let rules = match whole {
        None => scenario.gap_rules(stated),
        Some(whole) => whole.gap_rules(scenario, stated),
    };
    let rules: Vec<GapRule> = (columns.iter())
        .map(|column| rules[column.attribute])
        .collect();
    boxes_of(
        seekers.n_records(),
        &rules,
        |seeker, place| seekers.value(seeker, columns[place].attribute),
        |place| {
            let interval = interval(place);
            move |value| Some(interval(value))
        },
    )
}
