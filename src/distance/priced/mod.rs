//! The points that are cheapest to a query: by distance less a price of the point.

mod points;

use super::{
    single::rounded,
    wide_tree::{FAN, LEAF, Waiting, WideTree},
};
use crate::{
    stats::scatter,
    table::matrix::{Matrix, Row},
};

/// The tree is halved anew by prices where there is more than one search for so many points.
const POINTS_PER_SEARCH: usize = 16;

/// What records are compared by, whichever of them are the points.
pub trait Space: Sync {
    /// Makes points ready to be searched, all at the price zero.
    fn priced<'a>(&'a self, points: &'a Matrix) -> Box<dyn Priced + 'a>;
}

/// Points with prices, ready to be searched.
pub trait Priced: Sync {
    /// Number of points.
    fn n_points(&self) -> usize;

    /// Where each point stands in an order in which points that are near each other follow each other.
    fn places(&self) -> Vec<u32>;

    /// Attaches prices, for so many searches; a point at −∞ is never offered.
    ///
    /// # Panics
    /// If there is not one for each point.
    fn set_prices(&mut self, prices: &[f64], searches: usize);

    /// The `k` points of the least distance less price, these first, among those where it is `below` a limit.
    ///
    /// # Ties
    /// Of points worth the same come those first that an order says which depends on `turn` only: queries
    /// with different turns are not all offered the same ones.
    fn cheapest(&self, query: Row<'_>, ask: Ask, workspace: &mut Workspace) -> Vec<Offer>;
}

/// A point, and what it comes to for a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Offer {
    /// The point.
    pub point: u32,
    /// The distance: of a [`Metric`](super::Metric) the canonical squared one, of which numbers too great to add up count as 1e280.
    pub key: f64,
    /// Distance less price.
    pub worth: f64,
    place: u32,
}

/// What a query asks for.
#[derive(Debug, Clone, Copy)]
pub struct Ask {
    /// At most so many points.
    pub k: usize,
    /// Only points whose distance less price is below this.
    pub below: f64,
    /// Decides the order of ties.
    pub turn: u32,
}

impl Ask {
    /// As searches take it, once: with its turn scattered.
    #[must_use]
    pub fn turned(self) -> Self {
        Self {
            turn: scatter::turn(self.turn),
            ..self
        }
    }

    /// The greatest worth that is of interest. At the worth of the last one, the order of ties decides.
    #[inline(always)]
    pub fn limit(self, best: &[Offer]) -> f64 {
        match best.get(self.k - 1) {
            Some(last) => last.worth,
            None => self.below.next_down(),
        }
    }

    /// Puts a point among the best so far, if it is one of them.
    #[inline(always)]
    pub fn keep(self, best: &mut Vec<Offer>, point: u32, key: f64, worth: f64) {
        let offer = Offer {
            point,
            key,
            worth,
            place: scatter::place(point, self.turn),
        };
        let before = |other: &Offer| {
            let order = other.worth.total_cmp(&offer.worth);
            order.then(other.place.cmp(&offer.place)).is_lt()
        };
        if best.len() == self.k && best.last().is_some_and(before) {
            return;
        }
        let at = best.partition_point(before);
        best.truncate(self.k - 1);
        best.insert(at, offer);
    }
}

/// What a search needs, to be used again.
#[derive(Debug, Default)]
pub struct Workspace {
    /// Coordinates of the query, NaN where a value is missing.
    query: Vec<f32>,
    /// What was found so far.
    pub best: Vec<Offer>,
    /// What is still to be looked at.
    pub waiting: Waiting,
}

/// The prices of points in the leaves of a tree.
#[derive(Debug)]
pub struct Prices {
    /// By place; −∞ past the last point, up to the end of its leaf.
    pub of_places: Vec<f64>,
    /// The same in single precision.
    pub rough: Vec<f32>,
    /// The highest below each box, in single precision.
    pub highest: Vec<[f32; FAN]>,
    /// Of points that are for sale, the greatest amount.
    pub greatest: f64,
    /// And the highest price.
    pub top: f64,
}

impl Prices {
    /// Of points whose prices these are.
    pub fn new(tree: &WideTree, of_points: &[f64]) -> Self {
        let points = tree.points().iter();
        let mut of_places: Vec<f64> = points.map(|&point| of_points[point as usize]).collect();
        let highest = tree.greatest(&of_places);
        of_places.resize(of_places.len().next_multiple_of(LEAF), f64::NEG_INFINITY);
        let finite = of_points.iter().copied().filter(|price| price.is_finite());
        Self {
            rough: of_places.iter().map(|&price| rounded(price)).collect(),
            of_places,
            highest,
            greatest: finite.clone().map(f64::abs).fold(0.0, f64::max),
            top: finite.fold(f64::NEG_INFINITY, f64::max),
        }
    }
}

/// Whether a tree is halved anew for so many searches.
pub fn are_many(searches: usize, n_points: usize) -> bool {
    searches > n_points / POINTS_PER_SEARCH
}

/// Prices by which a tree can be halved: points that are not for sale stand with the cheapest.
pub fn finite(prices: &[f64]) -> Vec<f64> {
    let finite = prices.iter().copied().filter(|price| price.is_finite());
    let least = finite.fold(f64::INFINITY, f64::min);
    prices.iter().map(|price| price.max(least)).collect()
}
