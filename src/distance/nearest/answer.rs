//! What a search answers.

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

/// The least distance of a query, and how its rival compares with the other points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Least {
    /// The least distance, infinite without candidates.
    pub key: f64,
    /// Number of candidates at it; 0 if and only if there are no candidates.
    pub tied: u32,
    /// How the rival compares.
    pub contest: Contest,
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
