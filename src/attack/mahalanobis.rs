//! Distances that are scaled by how masking scattered the values: DBRL2, and Mahalanobis distances.

use std::{borrow::Cow, cmp::Ordering};

use ndarray::Array2;
use serde::{Deserialize, Serialize};

use super::{
    Attack, Decides, Direction, Nearest, Preference, Scenario,
    distance_based::Standardize,
    points::{Points, diagonal},
};
use crate::{
    distance::{Doubt, Metric, form::Form},
    error::{Error, Reason, Result},
    memory,
    stats::{checked::Positive, covariance::covariance, eigen},
    table::matrix::Matrix,
};

/// Covariances of both files, and eigenvectors while they are searched for: so many numbers for each pair of attributes.
const SQUARES: u128 = 6;

/// A direction whose variance is less than this share of the greatest is taken to have none.
const NO_VARIANCE: f64 = 1e-10;

/// The part of an attribute in a direction without variance from which it is named in the message.
const NAMED_FROM: f64 = 0.1;

/// What is done where a covariance has no inverse, because attributes depend on each other or were not masked.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Singular {
    /// It is refused, and the attributes are named.
    Refused,
    /// This share of the mean variance is added to each variance.
    Ridge(Positive),
    /// Directions without variance do not count (Moore–Penrose).
    PseudoInverse,
}

/// Which variances the differences are scaled by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scatter {
    /// `dbrl2`: the variance of each attribute's differences over the true pairs; a worst case.
    AlignedVariances,
    /// `md`: the covariances of the differences over the true pairs; a worst case.
    AlignedCovariances,
    /// `md0`: the covariances of the two files added up, as if the files were unrelated: an intruder can compute them.
    Unrelated,
}

/// Distance-based record linkage scaled by the scatter of differences.
///
/// ```text
/// dbrl2:  d² = Σ_k (a_k − b_k)² / Var(A_k − B_k)                                  in the files' own units
/// md:     d² = (z_a − z_b)ᵀ Cov(Z_A − Z_B)⁻¹ (z_a − z_b)     Cov(Z_A − Z_B) = Var(Z_A) + Var(Z_B) − Cov(Z_A, Z_B) − Cov(Z_B, Z_A)
/// md0:    d² = (z_a − z_b)ᵀ (Var(Z_A) + Var(Z_B))⁻¹ (z_a − z_b)                   the cross-covariance set to zero
/// ```
///
/// z: standardised as [`Standardize`] says; with [`Standardize::Release`] `md0` takes the release's covariance for both files,
/// since that of a few records would be noise. Covariances have divisor n−1 and are taken over records, or true pairs, that
/// miss none of the known attributes (`dbrl2`: not this one).
///
/// # The worst case
/// `dbrl2` and `md` use the differences of the true pairs, which no intruder has: they say what the best scaling of
/// this kind would find. `md0` can be computed from the two files.
///
/// # Singular covariances
/// An attribute that was not masked, or a sum of others, leaves a direction without variance. `Ridge(r)` adds
/// r · trace/p to the diagonal and keeps such a direction, with a great weight. `PseudoInverse` leaves it out, though
/// what masking does not move is the best evidence there is.
///
/// # Categories
/// Indicators of all categories but one; of two categories a single 0 or 1.
///
/// # Missing
/// `md`, `md0`: as a value drawn at random from its file, in expectation. `dbrl2`: as the difference of two unrelated people,
/// in expectation.
///
/// # Ties
/// Where nothing is missing, distances are made of the differences themselves, in the units of the sought file ([`Form`]): equal and
/// opposite differences tie exactly, so mirror images about a seeker do. With gaps, records that are equal in all known
/// attributes tie exactly.
///
/// # Complexity
/// O(n d²) and then the same search as `am`.
///
/// # Source
/// V. Torra, J. M. Abowd, J. Domingo-Ferrer, "Using Mahalanobis distance-based record linkage for disclosure risk
/// assessment", PSD 2006; DBRL2: J. Domingo-Ferrer, V. Torra, 2001.
#[derive(Debug, Clone)]
pub struct Mahalanobis {
    /// What the differences are scaled by.
    pub scatter: Scatter,
    /// By what each file is standardised; `dbrl2` does without.
    pub standardize: Standardize,
    /// What is done where there is no inverse.
    pub singular: Singular,
}

impl Attack for Mahalanobis {
    fn name(&self) -> &'static str {
        match self.scatter {
            Scatter::AlignedVariances => "dbrl2",
            Scatter::AlignedCovariances => "md",
            Scatter::Unrelated => "md0",
        }
    }

    fn has_candidate_sets(&self) -> bool {
        false
    }

    fn compares_values(&self) -> bool {
        true
    }

    fn needs_alignment(&self) -> bool {
        self.scatter != Scatter::Unrelated
    }

    fn formula(&self) -> String {
        let inverse = match self.singular {
            Singular::Refused => String::new(),
            Singular::Ridge(ridge) => format!(", ridge {} of the mean variance", ridge.get()),
            Singular::PseudoInverse => ", pseudo-inverse".into(),
        };
        let law = match self.scatter {
            Scatter::AlignedVariances => {
                "sum of squared differences over Var(a - b) of the true pairs"
            }
            Scatter::AlignedCovariances => {
                "(a - b)' Cov(a - b)^-1 (a - b), the covariance of the true pairs' differences"
            }
            Scatter::Unrelated if self.standardize == Standardize::Release => {
                "(a - b)' (2 Var(b))^-1 (a - b), Var(b) that of the release"
            }
            Scatter::Unrelated => "(a - b)' (Var(a) + Var(b))^-1 (a - b)",
        };
        format!("{law}{inverse}")
    }

    fn in_words(&self) -> String {
        match self.scatter {
            Scatter::AlignedVariances => {
                "weighs differences by how much masking moved each attribute (dbrl2, a worst case)"
            }
            Scatter::AlignedCovariances => {
                "weighs differences by how masking moved all attributes (md, a worst case)"
            }
            Scatter::Unrelated => "compares records by the Mahalanobis distance (md0)",
        }
        .into()
    }

    fn standardize(&self) -> Option<Standardize> {
        (self.scatter != Scatter::AlignedVariances).then_some(self.standardize)
    }

    fn prepare<'a>(&self, scenario: &Scenario<'a>) -> Result<Preference<'a>> {
        let standardize = match self.scatter {
            Scatter::AlignedVariances => Standardize::None,
            _ => self.standardize,
        };
        let points = Points::new(scenario, standardize)?;
        if !matches!(self.scatter, Scatter::AlignedVariances) {
            let width = points.units.len();
            memory::check(
                &format!("the covariances of {width} attributes, and their eigenvectors,"),
                SQUARES * (width as u128).pow(2),
                size_of::<f64>(),
                "Let the intruder know fewer attributes (--known), use am",
            )?;
        }
        let map = match self.scatter {
            Scatter::AlignedVariances => diagonal(&self.roots_of_weights(scenario, &points)?),
            Scatter::AlignedCovariances => {
                let differences = points.aligned_differences(scenario.aligned.unwrap_or_default());
                let covariance = covariance(&differences).ok_or_else(|| few([&differences]))?;
                self.whitening(scenario, &points, covariance)?
            }
            Scatter::Unrelated => {
                let sum = match (standardize, scenario.direction) {
                    (Standardize::Release, Direction::OriginalToMasked) => {
                        covariance(&points.sought).map(|released| released * 2.0)
                    }
                    (Standardize::Release, Direction::MaskedToOriginal) => {
                        covariance(&points.seekers).map(|released| released * 2.0)
                    }
                    _ => covariance(&points.seekers)
                        .zip(covariance(&points.sought))
                        .map(|(a, b)| a + b),
                };
                let sum = sum.ok_or_else(|| few([&points.seekers, &points.sought]))?;
                self.whitening(scenario, &points, sum)?
            }
        };
        if !map.iter().all(|entry| entry.is_finite()) {
            return Err(Error::input(
                "the known attributes have values too large to be scaled by their scatter",
            )
            .because(Reason::Overflow { attribute: None })
            .remedy("Rescale them, or leave the largest out of --known"));
        }
        // Where nothing is missing, differences decide, not the mapped points: mirror images tie.
        let decides = points.in_sought_units(scenario)?.map(|files| {
            let scales = points.units.iter().map(|units| units.sought.scale);
            let greatest = points.greatest();
            let form = Form::new(files, scales.collect(), map.view(), &greatest);
            Box::new(form) as Box<dyn Decides>
        });
        let (seekers, sought) = points.mapped(map.view());
        let width = sought.n_attributes();
        Ok(Nearest {
            seekers: Cow::Owned(seekers),
            sought: Cow::Owned(sought),
            metric: Metric::new(vec![1.0; width], vec![0.0; width]),
            candidates: None,
            decides,
        }
        .into())
    }
}

/// Between mapped points that are nearly as near, the form of the differences decides.
impl Decides for Form {
    fn doubt(&self, _seeker: usize) -> Doubt {
        let (share, absolute) = self.errors;
        Doubt { share, absolute }
    }

    fn compare(&self, seeker: usize, a: u32, b: u32) -> Ordering {
        let key = |sought: u32| self.key(seeker, sought as usize);
        // −0 is 0.
        key(a).partial_cmp(&key(b)).unwrap_or(Ordering::Equal)
    }
}

impl Mahalanobis {
    /// 1 / sd of the aligned differences of each column.
    fn roots_of_weights(&self, scenario: &Scenario<'_>, points: &Points) -> Result<Vec<f64>> {
        let aligned = scenario.aligned.unwrap_or_default();
        let variances: Vec<f64> = (0..points.units.len())
            .map(|column| variance(&differences(points, column, aligned)))
            .collect();
        let spread: Vec<f64> = points
            .units
            .iter()
            .map(|units| units.sought.variance)
            .collect();
        variances
            .iter()
            .zip(&spread)
            .enumerate()
            .map(|(column, (&variance, &spread))| match self.singular {
                Singular::Ridge(ridge) => Ok(1.0 / (variance + ridge.get() * spread).sqrt()),
                _ if variance > NO_VARIANCE * spread => Ok(1.0 / variance.sqrt()),
                Singular::PseudoInverse => Ok(0.0),
                Singular::Refused => {
                    let name = &scenario.known[points.attributes[column]];
                    Err(Error::input(
                        "differs by the same amount in all true pairs (it was not masked, say): its differences have no variance to be scaled by",
                    ).on_attribute(name)
                    .because(Reason::SingularCovariance { attributes: vec![name.clone()] })
                    .remedy(
                        "Leave it out of --known or --attributes, or give --ridge 0.001 (it will weigh much) or --pseudo-inverse (it will not count)",
                    ))
                }
            })
            .collect()
    }

    /// A map after which this covariance is the identity.
    fn whitening(
        &self,
        scenario: &Scenario<'_>,
        points: &Points,
        mut covariance: Array2<f64>,
    ) -> Result<Array2<f64>> {
        let p = covariance.nrows();
        if let Singular::Ridge(ridge) = self.singular {
            let more = ridge.get() * covariance.diag().sum() / p as f64;
            covariance
                .diag_mut()
                .map_inplace(|variance| *variance += more);
        }
        if !covariance.iter().all(|entry| entry.is_finite()) {
            return Err(
                Error::input("the known attributes have values too large for covariances")
                    .because(Reason::Overflow { attribute: None })
                    .remedy("Rescale them, or leave the largest out of --known"),
            );
        }
        let eigen = eigen::symmetric(covariance);
        let least = NO_VARIANCE
            * eigen
                .values
                .first()
                .map_or(0.0, |greatest| greatest.max(0.0));
        let keeps = |value: f64| value > least;
        if let (Singular::Refused, Some(place)) = (
            self.singular,
            eigen.values.iter().position(|&value| !keeps(value)),
        ) {
            let direction = eigen.vectors.column(place);
            let mut names: Vec<String> = (0..p)
                .filter(|&column| direction[column].abs() >= NAMED_FROM)
                .map(|column| scenario.known[points.attributes[column]].clone())
                .collect();
            names.dedup();
            let of = match self.scatter {
                Scatter::Unrelated => "the two files",
                _ => "the true pairs' differences",
            };
            return Err(Error::singular_covariance(of, names)
            .remedy(
                "Leave one of them out of --known, or give --ridge 0.001 (keeps such a direction, with a great weight) or --pseudo-inverse (leaves it out)",
            ));
        }
        let kept: Vec<usize> = (0..p).filter(|&place| keeps(eigen.values[place])).collect();
        if kept.is_empty() {
            return Err(Error::input(match self.scatter {
                Scatter::Unrelated => "none of the known attributes varies in the two files",
                _ => "all true pairs differ by the same amounts (nothing was masked, say)",
            })
            .because(Reason::Constant { attribute: None })
            .remedy("There is no scatter to scale by: use am"));
        }
        Ok(Array2::from_shape_fn((kept.len(), p), |(row, column)| {
            eigen.vectors[[column, kept[row]]] / eigen.values[kept[row]].sqrt()
        }))
    }
}

/// The differences of one column over the true pairs that have both values.
fn differences(points: &Points, column: usize, aligned: &[Option<u32>]) -> Vec<f64> {
    let present = |matrix: &Matrix, record: usize| !matrix.is_missing(record, column);
    aligned
        .iter()
        .enumerate()
        .filter_map(|(seeker, sought)| Some((seeker, (*sought)? as usize)))
        .filter(|&(seeker, sought)| {
            present(&points.seekers, seeker) && present(&points.sought, sought)
        })
        .map(|(seeker, sought)| {
            points.seekers.row(seeker)[column] - points.sought.row(sought)[column]
        })
        .collect()
}

fn variance(values: &[f64]) -> f64 {
    let sd = crate::stats::moments::moments(values.iter().copied()).sd;
    sd * sd
}
/// The error of whoever has no covariance, since one of these files has too few records without gaps.
fn few<const N: usize>(files: [&Matrix; N]) -> Error {
    let complete = |file: &Matrix| {
        (0..file.n_records())
            .filter(|&r| !file.has_missing(r))
            .count()
    };
    let have = files.into_iter().map(complete).min().unwrap_or(0);
    Error::too_few_records(have, 2, |_, _| {
        "fewer than two records (or true pairs) miss none of the known attributes: there is no covariance to scale by".into()
    })
    .remedy("Let the intruder know attributes that are there, or use am")
}
