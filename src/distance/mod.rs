//! Distances between records: one canonical number, and the search structures that answer by it.

pub mod form;
pub mod kd_tree;
pub mod nearest;
pub mod priced;
pub mod single;
pub mod wide_tree;
pub mod within;

use crate::table::matrix::Row;

/// How much two numbers that are compared, distances or costs, may differ by rounding alone.
#[derive(Debug, Clone, Copy)]
pub struct Doubt {
    /// As a share of the cost.
    pub share: f64,
    /// And this much more.
    pub absolute: f64,
}

impl Doubt {
    /// Where numbers are what counts.
    pub const NONE: Self = Self {
        share: 0.0,
        absolute: 0.0,
    };

    /// The greatest cost that could be the same as this one.
    pub fn above(self, cost: f64) -> f64 {
        if cost.is_infinite() {
            return cost;
        }
        cost + self.share * cost.abs() + self.absolute
    }

    /// Whether rounding could decide between two costs.
    pub fn covers(self, a: f64, b: f64) -> bool {
        (a - b).abs() <= self.share * a.abs().max(b.abs()) + self.absolute
    }
}

/// The squared distance between records, as an exact recipe of floating-point operations.
///
/// `d2(a, b) = ((0 + t_0) + t_1) + ...` in attribute order, with
/// `t_k = w_k * ((a_k - b_k) * (a_k - b_k))`, every operation rounded to `f64` once and none fused.
///
/// # Ties
/// Two pairs tie if and only if their numbers are equal, without tolerance.
///
/// # Missing
/// A component missing on either side contributes the constant `missing_k` instead. A component of
/// weight zero that is present on both sides contributes zero, even where the difference overflows;
/// so the number is never NaN.
#[derive(Debug, Clone, PartialEq)]
pub struct Metric {
    weights: Vec<f64>,
    missing: Vec<f64>,
}

impl Metric {
    /// A metric from one weight and one contribution of a missing component an attribute.
    ///
    /// # Panics
    /// If the lengths differ, or a number is negative or not finite.
    pub fn new(weights: Vec<f64>, missing: Vec<f64>) -> Self {
        assert_eq!(weights.len(), missing.len(), "one contribution a weight");
        let legal = |&number: &f64| number.is_finite() && number >= 0.0;
        assert!(
            weights.iter().all(legal),
            "weights are finite and not negative"
        );
        assert!(
            missing.iter().all(legal),
            "contributions are finite and not negative"
        );
        Self { weights, missing }
    }

    /// Number of attributes.
    pub fn n_attributes(&self) -> usize {
        self.weights.len()
    }

    /// The weight of each attribute.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// What a missing component of each attribute contributes.
    pub fn missing(&self) -> &[f64] {
        &self.missing
    }

    /// The canonical squared distance of two records.
    ///
    /// # Panics
    /// If a record is shorter than the metric.
    pub fn key(&self, a: Row<'_>, b: Row<'_>) -> f64 {
        let mut sum = 0.0;
        for attribute in 0..self.weights.len() {
            sum += if a.is_missing(attribute) || b.is_missing(attribute) {
                self.missing[attribute]
            } else if self.weights[attribute] == 0.0 {
                0.0
            } else {
                let difference = a.values()[attribute] - b.values()[attribute];
                self.weights[attribute] * (difference * difference)
            };
        }
        sum
    }
}
