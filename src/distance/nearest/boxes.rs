//! Boxes: which points are candidates of a query.

use crate::table::matrix::Row;

/// The interval, as `(lo, hi)`, of points that miss an attribute, and of nobody else.
pub const GAP: (f64, f64) = (f64::INFINITY, f64::NEG_INFINITY);

/// A closed interval for each attribute of each query.
///
/// A point is a candidate if every constrained attribute of it is within `lo..=hi`, or missing where gaps are admitted.
/// `-inf..=inf` is no constraint; an interval with `lo > hi` admits no value, and [`GAP`] admits gaps alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Boxes {
    n_attributes: usize,
    n_queries: usize,
    lo: Vec<f64>,
    hi: Vec<f64>,
    /// For each attribute, whether points that miss it are candidates whatever the interval.
    admits_gaps: Vec<bool>,
}

/// The interval of one constrained attribute.
#[derive(Debug, Clone, Copy)]
pub struct Constraint {
    /// The attribute.
    pub attribute: usize,
    /// The least value that is admitted.
    pub lo: f64,
    /// The greatest value that is admitted; none is where it is less than `lo`.
    pub hi: f64,
    /// Whether a missing value is admitted.
    pub admits_gap: bool,
}

impl Constraint {
    /// Whether a value is admitted; NaN stands for a missing one.
    #[inline(always)]
    pub(super) fn admits(&self, value: f64) -> bool {
        (value >= self.lo) & (value <= self.hi) | (self.admits_gap & value.is_nan())
    }

    /// Whether neither a value nor a missing one is admitted.
    pub(super) fn admits_nobody(&self) -> bool {
        self.lo > self.hi && !self.admits_gap
    }
}

impl Boxes {
    /// Boxes from row-major bounds, which admit no gaps.
    ///
    /// # Panics
    /// If a length is not `n_queries * n_attributes`, or a bound is NaN.
    pub fn new(n_queries: usize, n_attributes: usize, lo: Vec<f64>, hi: Vec<f64>) -> Self {
        assert_eq!(lo.len(), n_queries * n_attributes, "one lower bound a cell");
        assert_eq!(hi.len(), n_queries * n_attributes, "one upper bound a cell");
        assert!(
            !lo.iter().chain(&hi).any(|bound| bound.is_nan()),
            "bounds are numbers"
        );
        Self {
            n_attributes,
            n_queries,
            lo,
            hi,
            admits_gaps: vec![false; n_attributes],
        }
    }

    /// The boxes of these queries alone, in this order.
    #[must_use]
    pub fn only(&self, queries: &[usize]) -> Self {
        let width = self.n_attributes;
        let of_queries = |bounds: &[f64]| {
            let rows = queries
                .iter()
                .flat_map(|query| &bounds[query * width..(query + 1) * width]);
            rows.copied().collect()
        };
        Self {
            n_attributes: width,
            n_queries: queries.len(),
            lo: of_queries(&self.lo),
            hi: of_queries(&self.hi),
            admits_gaps: self.admits_gaps.clone(),
        }
    }

    /// The same boxes with a rule for each attribute: whether points that miss it are candidates whatever the interval.
    ///
    /// # Panics
    /// If there is not one rule an attribute.
    pub fn admitting_gaps(self, admits_gaps: Vec<bool>) -> Self {
        assert_eq!(
            admits_gaps.len(),
            self.n_attributes,
            "one rule an attribute"
        );
        Self {
            admits_gaps,
            ..self
        }
    }

    /// Number of attributes.
    pub fn n_attributes(&self) -> usize {
        self.n_attributes
    }

    /// Number of queries.
    pub fn n_queries(&self) -> usize {
        self.n_queries
    }

    /// Whether the point is a candidate of the query.
    pub fn admits(&self, query: usize, point: Row<'_>) -> bool {
        self.constraints(query).all(|constraint| {
            if point.is_missing(constraint.attribute) {
                constraint.admits_gap
            } else {
                constraint.admits(point.values()[constraint.attribute])
            }
        })
    }

    /// The constrained attributes of a query, each with its interval.
    pub fn constraints(&self, query: usize) -> impl Iterator<Item = Constraint> {
        let cells = query * self.n_attributes..(query + 1) * self.n_attributes;
        let bounds = self.lo[cells.clone()].iter().zip(&self.hi[cells]);
        bounds.enumerate().filter_map(|(attribute, (&lo, &hi))| {
            let constrained = lo != f64::NEG_INFINITY || hi != f64::INFINITY;
            constrained.then_some(Constraint {
                attribute,
                lo,
                hi,
                admits_gap: self.admits_gaps[attribute] || (lo, hi) == GAP,
            })
        })
    }
}
