//! Comparators: when two values agree. Each becomes an interval of codes, so that agreement is one comparison of whole numbers.

use serde::{Deserialize, Serialize};

use super::Reference;
use crate::{stats::moments::moments, table::matrix::Matrix};

/// When two values agree that are both there.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Comparator {
    /// x = y.
    Exact,
    /// |x − y| ≤ t · sd, the standard deviation (divisor n−1) of the file that [`Reference`] names.
    Sd(f64),
    /// |x − y| ≤ t, up to the rounding of decimal numbers; so does the next.
    Absolute(f64),
    /// |x − y| ≤ t · max(|x|, |y|), 0 ≤ t < 1.
    Relative(f64),
    /// Ranks, as shares of the records, differ by p % at most; among which records, [`Reference`] says. Of ties the middle rank.
    Rank(f64),
    /// The same of N bins that hold equally many values of the file that [`Reference`] names. Equal values share the bin of their
    /// middle rank.
    Bins(u32),
}

/// The codes of the sought records that agree with a seeker: `first ..= first + more`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub first: u32,
    pub more: u32,
}

/// The code of a missing value: in no span.
pub(super) const MISSING: u32 = u32::MAX - 1;

impl Span {
    /// Holds no code.
    pub const NONE: Self = Self {
        first: u32::MAX,
        more: 0,
    };

    /// Whether this code agrees.
    pub fn holds(self, code: u32) -> bool {
        code.wrapping_sub(self.first) <= self.more
    }
}

/// One attribute of both files.
pub(super) struct Coded {
    pub spans: Vec<Span>,
    pub codes: Vec<u32>,
}

impl Comparator {
    /// Whether it compares for equality of something that each value has by itself.
    pub(super) fn is_equality(&self) -> bool {
        matches!(self, Self::Exact | Self::Bins(_))
    }

    /// How it is written on the command line.
    pub fn word(&self) -> String {
        match self {
            Self::Exact => "exact".into(),
            Self::Sd(t) => format!("sd:{t}"),
            Self::Absolute(t) => format!("abs:{t}"),
            Self::Relative(t) => format!("rel:{t}"),
            Self::Rank(percent) => format!("rank:{percent}%"),
            Self::Bins(bins) => format!("bins:{bins}"),
        }
    }

    /// Codes one attribute.
    pub(super) fn code(
        &self,
        [seekers, sought]: [&Matrix; 2],
        attribute: usize,
        original_seeks: bool,
        reference: Reference,
    ) -> Coded {
        // 0 and -0 are equal.
        let column = |matrix: &Matrix| -> Vec<Option<f64>> {
            matrix
                .column(attribute)
                .map(|value| value.map(|v| v + 0.0))
                .collect()
        };
        let (x, y) = (column(seekers), column(sought));
        let measured = if (reference == Reference::Original) == original_seeks {
            &x
        } else {
            &y
        };
        match *self {
            Self::Exact => coded(&x, &y, |a, b| a - b, |_, _| 0.0),
            // 0.1 is between 0.3 and 0.4, though their difference as numbers is a little more.
            Self::Absolute(t) => coded(&x, &y, |a, b| a - b, |a, b| t + rounding(a, b)),
            Self::Sd(t) => {
                let sd = moments(measured.iter().flatten().copied()).sd;
                coded(&x, &y, |a, b| a - b, |_, _| t * sd)
            }
            Self::Relative(t) => coded(
                &x,
                &y,
                |a, b| a - b,
                |a, b| t * a.abs().max(b.abs()) + rounding(a, b),
            ),
            Self::Rank(percent) => {
                let ranked = |values: &[Option<f64>]| {
                    let among = match reference {
                        Reference::Original => values,
                        Reference::Released => measured,
                    };
                    MiddleRanks::new(among).of(values, |share| share)
                };
                coded(
                    &ranked(&x),
                    &ranked(&y),
                    |a, b| a - b,
                    // Shares of as many records differ by much more than this, or are equal.
                    |_, _| percent / 100.0 + 1e-12,
                )
            }
            Self::Bins(bins) => {
                let ranks = MiddleRanks::new(measured);
                let bin = |share: f64| (share * f64::from(bins)).floor().min(f64::from(bins) - 1.0);
                coded(
                    &ranks.of(&x, bin),
                    &ranks.of(&y, bin),
                    |a, b| a - b,
                    |_, _| 0.0,
                )
            }
        }
    }
}

/// What the rounding of two decimal numbers and of their difference may come to.
fn rounding(a: f64, b: f64) -> f64 {
    4.0 * f64::EPSILON * a.abs().max(b.abs())
}

/// Codes by the places of the sought values. Those that agree with a seeker's are neighbours: from the first that is not too far
/// below to the last that is not too far above.
fn coded(
    seekers: &[Option<f64>],
    sought: &[Option<f64>],
    difference: impl Fn(f64, f64) -> f64,
    tolerance: impl Fn(f64, f64) -> f64,
) -> Coded {
    let mut values: Vec<f64> = sought.iter().flatten().copied().collect();
    values.sort_unstable_by(f64::total_cmp);
    values.dedup_by(|a, b| a.total_cmp(b).is_eq());
    let code = |at: usize| u32::try_from(at).unwrap_or(MISSING);
    let span = |x: f64| {
        let first = values.partition_point(|&y| y < x && difference(x, y) > tolerance(x, y));
        let end = values.partition_point(|&y| y <= x || difference(y, x) <= tolerance(x, y));
        if first < end {
            Span {
                first: code(first),
                more: code(end - 1 - first),
            }
        } else {
            Span::NONE
        }
    };
    let place = |y: f64| code(values.partition_point(|&value| value < y));
    Coded {
        spans: seekers.iter().map(|x| x.map_or(Span::NONE, span)).collect(),
        codes: sought.iter().map(|y| y.map_or(MISSING, place)).collect(),
    }
}

/// Where a value stands among others: (how many are less + half of how many are equal) / how many there are.
struct MiddleRanks {
    sorted: Vec<f64>,
}

impl MiddleRanks {
    fn new(values: &[Option<f64>]) -> Self {
        let mut sorted: Vec<f64> = values.iter().flatten().copied().collect();
        sorted.sort_unstable_by(f64::total_cmp);
        Self { sorted }
    }

    fn of(&self, values: &[Option<f64>], then: impl Fn(f64) -> f64) -> Vec<Option<f64>> {
        let share = |value: f64| {
            let below = self.sorted.partition_point(|&other| other < value);
            let through = self.sorted.partition_point(|&other| other <= value);
            (below + through) as f64 / 2.0 / self.sorted.len() as f64
        };
        values
            .iter()
            .map(|value| value.map(|v| then(share(v))))
            .collect()
    }
}
