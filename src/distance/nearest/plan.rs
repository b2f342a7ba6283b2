//! How the points are divided among the nodes of the tree.

use super::tiles::{LANES, greater};
use crate::distance::{Metric, kd_tree::part};
use crate::table::matrix::Matrix;

/// Children of a node.
pub(super) const FAN: usize = 8;

/// Tiles of a leaf.
const LEAF: usize = 1;

/// How a run of points is divided.
pub(super) enum Plan {
    Leaf(usize),
    Split(Vec<Plan>),
}

impl Plan {
    pub(super) fn n_points(&self) -> usize {
        match self {
            Self::Leaf(n_points) => *n_points,
            Self::Split(plans) => plans.iter().map(Self::n_points).sum(),
        }
    }
}

/// Divides runs of points.
pub(super) struct Planner<'a> {
    pub points: &'a Matrix,
    pub metric: &'a Metric,
}

/// Points looked at to choose the attribute by which a run is divided.
const SAMPLE: usize = 128;

/// Points from which on two halves are worth two tasks.
const PARALLEL: usize = 4096;

impl Planner<'_> {
    /// Reorders a run so that each leaf, and each run below a node, is contiguous.
    pub(super) fn plan(&self, run: &mut [u32]) -> Plan {
        if run.len() <= LEAF * LANES {
            return Plan::Leaf(run.len());
        }
        Plan::Split(self.divide(run, FAN))
    }

    /// Divides a run into at most `pieces`, by halving.
    fn divide(&self, run: &mut [u32], pieces: usize) -> Vec<Plan> {
        if pieces == 1 || run.len() <= LEAF * LANES {
            return vec![self.plan(run)];
        }
        let middle = self.halve(run);
        let parallel = run.len() >= PARALLEL;
        let (left, right) = run.split_at_mut(middle);
        let (mut left, right) = if parallel {
            rayon::join(
                || self.divide(left, pieces / 2),
                || self.divide(right, pieces / 2),
            )
        } else {
            (
                self.divide(left, pieces / 2),
                self.divide(right, pieces / 2),
            )
        };
        left.extend(right);
        left
    }

    /// Partitions a run by one attribute, at a tile's edge strictly inside; returns the edge.
    ///
    /// Points that miss an attribute others have are parted from them first, so that runs below
    /// mostly miss the same. Equal values are parted by index: then the points of a run of equals
    /// are in order, and their least index decides which of them come first.
    fn halve(&self, run: &mut [u32]) -> usize {
        let (widest, mixed) = self.widest(run);
        let by_missing = mixed.and_then(|attribute| {
            let present = run
                .iter()
                .filter(|&&p| !self.value(p, attribute).is_nan())
                .count();
            let edge = (present + LANES / 2) / LANES * LANES;
            (edge > 0 && edge < run.len()).then_some((attribute, edge))
        });
        let half = (run.len().div_ceil(LANES) / 2).max(1) * LANES;
        let (attribute, edge) = by_missing.unwrap_or((widest, half));
        // NaN (missing) is above all numbers in the total order.
        let value = |point| self.value(point, attribute);
        part(run, edge, value, f64::total_cmp)
    }

    /// The attribute in which a run is widest, and one that only a part of it misses.
    fn widest(&self, run: &[u32]) -> (usize, Option<usize>) {
        let step = run.len().div_ceil(SAMPLE);
        let (mut widest, mut mixed) = ((0, -1.0), None);
        for attribute in 0..self.metric.n_attributes() {
            let (mut lo, mut hi, mut missing) = (f64::INFINITY, f64::NEG_INFINITY, false);
            for &point in run.iter().step_by(step) {
                let value = self.value(point, attribute);
                (lo, hi) = (if value < lo { value } else { lo }, greater(hi, value));
                missing |= value.is_nan();
            }
            if missing && lo <= hi {
                mixed = Some(attribute);
            }
            let width = self.metric.weights()[attribute] * ((hi - lo) * (hi - lo));
            if lo <= hi && width > widest.1 {
                widest = (attribute, width);
            }
        }
        (widest.0, mixed)
    }

    #[inline(always)]
    fn value(&self, point: u32, attribute: usize) -> f64 {
        let record = self.points.record(point as usize);
        if record.is_missing(attribute) {
            return f64::NAN;
        }
        record.values()[attribute]
    }
}
