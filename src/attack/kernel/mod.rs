//! Kernel distances: distances between records as they look in the space of a kernel.

mod filter;
#[cfg(test)]
mod monomials;
mod patterns;
mod polynomial;
mod priced;
mod tanh;

use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

use super::{
    Attack, Nearest, Preference, Scenario,
    distance_based::{Standardize, nearest, nearest_of},
    mahalanobis::{Mahalanobis, Scatter, Singular},
    points::Points,
    whole::{ByColumns, Whole},
};
use crate::{
    distance::{
        kd_tree::{BoxTree, Leaves, Length},
        wide_tree::LEAF,
    },
    error::Result,
    stats::checked::Finite,
    table::matrix::Matrix,
};
use polynomial::PolynomialLists;
use tanh::TanhLists;

/// Norms up to which products of two records can be worked out in single precision.
const SAFE_NORM: f64 = 1e15;

/// A kernel `K(x, y)`, on standardised values.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kernel {
    /// `exp(−λ |x − y|²)`: for every λ the order of pairs is that of `am`.
    Rbf,
    /// `exp(−½ (x − y)ᵀ Σ⁻¹ (x − y))`, Σ the covariance of the aligned differences: the order of pairs is that of `md`.
    Mahalanobis,
    /// `(1 + x·y)^d`.
    Polynomial {
        /// d.
        degree: NonZeroU32,
    },
    /// `tanh(x·y + b)`. It is no positive definite kernel: squared distances can be negative, which still orders pairs.
    Tanh {
        /// b.
        offset: Finite,
    },
}

/// Distance-based record linkage by a kernel distance (KDBRL).
///
/// ```text
/// d²(a, b) = K(a, a) − 2 K(a, b) + K(b, b)
/// ```
///
/// # How it is computed
/// `rbf` and `mahalanobis` grow with the Euclidean and the Mahalanobis distance, so these are searched, and reported
/// as distances. The others are searched in a tree of boxes of standardised values, in single precision first: what the polynomial costs is bounded by
/// the distance to the box, the norms in it, and across the mean by the least `x·y`, `tanh` by the greatest `x·y`. The polynomial is the Euclidean distance between vectors of monomials, and nothing
/// cancels in how it is worked out.
///
/// # Missing
/// `rbf` as `am`, `mahalanobis` as `md`; the others put a missing value at the mean of its file.
///
/// # Categories
/// `rbf` as `am`, `mahalanobis` as `md`; the others take indicators of all categories but one, standardised.
///
/// # Source
/// V. Torra, slides on re-identification methods (KDBRL, kernels K₁ to K₄), where d = 2.
#[derive(Debug, Clone)]
pub struct KernelDistance {
    /// The kernel whose space the distance is of.
    pub kernel: Kernel,
    /// By what each file is standardised.
    pub standardize: Standardize,
    /// What `mahalanobis` does where there is no inverse.
    pub singular: Singular,
}

impl Attack for KernelDistance {
    fn name(&self) -> &'static str {
        "kernel"
    }

    fn has_candidate_sets(&self) -> bool {
        false
    }

    fn compares_values(&self) -> bool {
        true
    }

    fn needs_alignment(&self) -> bool {
        self.kernel == Kernel::Mahalanobis
    }

    fn formula(&self) -> String {
        match self.kernel {
            Kernel::Rbf => "kernel exp(-λ|x - y|²): the order of am for every λ".into(),
            Kernel::Mahalanobis => "kernel exp(-(x - y)' S^-1 (x - y) / 2): the order of md".into(),
            Kernel::Polynomial { degree } => format!("kernel (1 + x.y)^{degree}, on z-scores"),
            Kernel::Tanh { offset } => format!("kernel tanh(x.y + {}), on z-scores", offset.get()),
        }
    }

    fn in_words(&self) -> String {
        if self.needs_alignment() {
            "compares records by a kernel distance (kernel, a worst case)".into()
        } else {
            "compares records by a kernel distance (kernel)".into()
        }
    }

    fn standardize(&self) -> Option<Standardize> {
        Some(self.standardize)
    }

    fn by_columns(&self) -> Option<&dyn ByColumns> {
        (self.kernel == Kernel::Rbf).then_some(self)
    }

    fn prepare<'a>(&self, scenario: &Scenario<'a>) -> Result<Preference<'a>> {
        match self.kernel {
            Kernel::Rbf => nearest(scenario, self.standardize, |_| None).map(Preference::from),
            Kernel::Mahalanobis => Mahalanobis {
                scatter: Scatter::AlignedCovariances,
                standardize: self.standardize,
                singular: self.singular,
            }
            .prepare(scenario),
            Kernel::Polynomial { degree } => {
                let points = Points::new(scenario, self.standardize)?;
                let (seekers, sought) = points.at_means();
                let sought = (&sought, points.halved_by(scenario));
                let lists = PolynomialLists::new(degree.get(), seekers, sought)?;
                Ok(Preference::Lists(Box::new(lists)))
            }
            Kernel::Tanh { offset } => {
                let offset = offset.get();
                let points = Points::new(scenario, self.standardize)?;
                let (seekers, sought) = points.at_means();
                let sought = (&sought, points.halved_by(scenario));
                let lists = TanhLists::new(seekers, sought, offset);
                Ok(Preference::Lists(Box::new(lists)))
            }
        }
    }
}

impl ByColumns for KernelDistance {
    fn prepare_some<'a>(&self, some: &Scenario<'a>, whole: &Whole<'_>) -> Result<Nearest<'a>> {
        nearest_of((some, Some(whole)), self.standardize, |_| None)
    }
}

/// Halves standardised records by their values, or by others that have weights, if there are such; and by prices, where these differ by more.
fn halved(
    records: &Matrix,
    by: Option<(&Matrix, Vec<f64>)>,
    prices: (&[f64], Length<'_>),
) -> BoxTree {
    let (weights, leaves) = (vec![1.0; records.n_attributes()], Leaves::Full(LEAF));
    match by {
        Some((by, of)) => {
            BoxTree::build_priced(by, prices, &of, leaves).spanning(records, &weights)
        }
        None => BoxTree::build_priced(records, prices, &weights, leaves),
    }
}

/// Adds a record to a list of the cheapest ones, unless others are cheaper; the cost of those in the list then.
fn keep_cheapest(list: &mut Vec<(u32, f64)>, record: u32, cost: f64) -> f64 {
    let mut least = list.first().map_or(f64::INFINITY, |&(_, least)| least);
    if cost < least {
        least = cost;
        list.clear();
    }
    if cost <= least {
        list.push((record, cost));
    }
    least
}

fn product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn to_power(base: f64, degree: u32) -> f64 {
    base.powi(i32::try_from(degree).unwrap_or(i32::MAX))
}
