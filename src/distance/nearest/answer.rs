//! What a search is asked, and what it answers.

use std::cmp::Ordering;

/// How the rival of a query compares with the other points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Contest {
    /// Number of candidates: the points in the query's box, or all points.
    pub candidates: u32,
    /// Whether the rival is a candidate.
    pub inside: bool,
    /// Whether some candidate is strictly closer than the rival; false without a rival.
    pub closer: bool,
    /// Number of candidates at exactly the rival's distance, the rival included; 0 if some
    /// candidate is closer or the rival is not a candidate.
    pub tied: u32,
}

impl Contest {
    /// Whether no candidate is closer than the rival, who is one.
    pub fn is_won(&self) -> bool {
        self.inside && !self.closer
    }

    /// How the rival compares with these points and the others, which are not the same.
    #[must_use]
    pub fn and(self, others: Self) -> Self {
        let closer = self.closer || others.closer;
        Self {
            candidates: self.candidates + others.candidates,
            inside: self.inside || others.inside,
            closer,
            tied: if closer { 0 } else { self.tied + others.tied },
        }
    }
}

/// The least distance of a query, and how its rival compares with the other points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Least {
    /// The least distance, infinite without candidates.
    pub key: f64,
    /// Number of candidates at it; 0 if and only if there are no candidates.
    pub tied: u32,
    /// The least distance among the other candidates. It is exact up to the doubt about `key`; beyond that it is only known to be
    /// greater.
    pub next: f64,
    /// How the rival compares.
    pub contest: Contest,
}

impl Least {
    /// The least distance to these points and the others, which are not the same.
    #[must_use]
    pub fn and(self, others: Self) -> Self {
        let [of_these, of_others] = [(self.key, self.tied), (others.key, others.tied)];
        let (key, tied) = match of_these.0.total_cmp(&of_others.0) {
            Ordering::Less => of_these,
            Ordering::Equal => (self.key, self.tied + others.tied),
            Ordering::Greater => of_others,
        };
        // The nearest of one side is another candidate for the other.
        let next = self.next.min(others.next);
        Self {
            key,
            tied,
            next: next.min(self.key.max(others.key)),
            contest: self.contest.and(others.contest),
        }
    }
}

/// Whom each query is asked about.
#[derive(Debug, Clone, Copy)]
pub enum Rivals<'a> {
    /// One of the points; `None`: nobody.
    Points(&'a [Option<u32>]),
    /// Somebody who is not among the points, or stands for one that is; `None`: nobody.
    Known(&'a [Option<Rival>]),
}

/// The rival of a query, as the query sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rival {
    /// Its distance.
    pub key: f64,
    /// Whether it is a candidate.
    pub inside: bool,
}

impl Rivals<'_> {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Points(rivals) => rivals.len(),
            Self::Known(rivals) => rivals.len(),
        }
    }
}

impl<'a> From<&'a [Option<u32>]> for Rivals<'a> {
    fn from(rivals: &'a [Option<u32>]) -> Self {
        Self::Points(rivals)
    }
}

/// The nearest candidates of a query.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// The first candidates at the least distance in ascending order, at most the `limit` of them
    /// that was asked for.
    pub nearest: Vec<u32>,
    /// Number of all candidates at the least distance; 0 if and only if there are no candidates.
    pub tied: u32,
    /// The least distance, infinite without candidates.
    pub key: f64,
    /// Number of candidates: the points in the query's box, or all points.
    pub candidates: u32,
    /// 1 + the number of candidates strictly closer than the rival; `None` if there is no rival or
    /// it is not a candidate.
    pub place: Option<u32>,
}
