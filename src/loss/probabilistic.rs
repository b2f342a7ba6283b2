//! PIL: differences of statistics in units of what chance would make of them in a sample.

use rayon::prelude::*;

use super::{
    Files,
    discrepancy::off_diagonal,
    overall::mean_of,
    statistics::{QUANTILES, Statistics, lower_triangle, share, whole},
};
use crate::{
    figure::{Definition, Discrepancy, Figure, Group, Part, Statistic, TOO_LARGE},
    stats::{
        density::{quantile, silverman},
        moments::{Moments, moments},
    },
    table::matrix::columns::Columns,
};

const SOURCE: &str = "J. M. Mateo-Sanz, J. Domingo-Ferrer, F. Sebé, 2005";

/// Probabilistic loss in one number.
pub static PIL: Definition = Definition::share(
    Group::Overall,
    "pil",
    "probabilistic loss (PIL)",
    "mean of the probabilistic losses of means, variances, covariances, correlations and quantiles",
    SOURCE,
)
.public();

static FAMILIES: [Definition; 5] = [
    Definition::share(
        Group::Difference(Statistic::Means, Discrepancy::Probabilistic),
        "pil_means",
        "means, probabilistic",
        "mean over the attributes of 2 P(0 ≤ Z ≤ |m − m'| / standard error), Z standard normal: how unusual the masked mean would be in a sample of n records",
        SOURCE,
    ),
    Definition::share(
        Group::Difference(Statistic::Variances, Discrepancy::Probabilistic),
        "pil_variances",
        "variances, probabilistic",
        "the same for the variances, whose standard error comes from fourth moments of the original",
        SOURCE,
    ),
    Definition::share(
        Group::Difference(Statistic::Covariances, Discrepancy::Probabilistic),
        "pil_covariances",
        "covariances, probabilistic",
        "the same for the p(p+1)/2 covariances, variances included",
        SOURCE,
    ),
    Definition::share(
        Group::Difference(Statistic::Correlations, Discrepancy::Probabilistic),
        "pil_correlations",
        "correlations, probabilistic",
        "the same for the p(p−1)/2 correlations",
        SOURCE,
    ),
    Definition::share(
        Group::Difference(Statistic::Quantiles, Discrepancy::Probabilistic),
        "pil_quantiles",
        "quantiles, probabilistic",
        "the same for the quantiles 5, 10, …, 95 %, whose standard error comes from a kernel density of the original",
        SOURCE,
    ),
];

/// Of the mean and of what it is a mean of, in the order of [`figures`].
pub fn definitions() -> impl Iterator<Item = &'static Definition> {
    std::iter::once(&PIL).chain(&FAMILIES)
}

/// The five probabilistic losses, after their mean.
///
/// ```text
/// pil = 2 P(0 ≤ Z ≤ |T' − θ| / sqrt(Var T)) = erf(|T' − θ| / sqrt(2 Var T))     θ the statistic of the original, T' of the masked file
///
/// mean            Var T = μ2 / n
/// variance        Var T = (μ4 − μ2²) / n
/// covariance      Var T = (μ22 − μ11²) / n
/// correlation     Var T = ρ²/n · [ μ22/μ11² + ¼ (μ40/μ20² + μ04/μ02² + 2 μ22/(μ20 μ02)) − μ31/(μ11 μ20) − μ13/(μ11 μ02) ]
/// quantile q      Var T = q (1 − q) / (n f(Q_q)²)
/// ```
///
/// with central moments μ of the original (divisor n), and f the density of the original by Gaussian kernels, bandwidth by
/// [`silverman`]. θ and T' are the [`Statistics`]: variances and covariances have divisor n−1. In [0, 1] each; of covariances all
/// p(p+1)/2.
///
/// # Large files
/// Standard errors shrink with √n: of a million records any change is more than chance would make, and PIL is near 1.
///
/// # Zero denominators
/// Of a statistic that does not vary (Var T = 0) the loss is 0 if it is unchanged; else it is left out and counted in `skipped`, as
/// is a statistic that is not defined, or whose variance is beyond the range of numbers.
///
/// # Missing
/// n counts the values, or pairs of values, that are there.
///
/// # Complexity
/// O(n p² + n p log n), for densities at most 19 n p kernels.
///
/// # Source
/// J. M. Mateo-Sanz, J. Domingo-Ferrer, F. Sebé, "Probabilistic information loss measures in confidentiality protection of
/// continuous microdata", Data Mining and Knowledge Discovery 11, 2005.
pub fn figures(files: &Files<'_>) -> Vec<Figure> {
    let p = files.names.len();
    let (before, after) = (files.of_before(), files.of_after());
    let variances = files.sampling();
    let single = || (0..p).map(|j| [j]);
    let losses =
        |of: &[Option<f64>], then: &[Option<f64>], variances: &[f64]| -> Vec<Option<f64>> {
            let both = of.iter().zip(then).zip(variances);
            both.map(|((&of, &then), &variance)| loss(of?, then?, variance))
                .collect()
        };
    let correlations = losses(
        &before.correlations,
        &after.correlations,
        &variances.correlations,
    );
    let correlations: Vec<Option<f64>> = off_diagonal(&correlations).copied().collect();
    let families = [
        means(
            single(),
            &losses(&before.means, &after.means, &variances.means),
            p,
        ),
        means(
            single(),
            &losses(&before.variances, &after.variances, &variances.variances),
            p,
        ),
        means(
            lower_triangle(p),
            &losses(
                &before.covariances,
                &after.covariances,
                &variances.covariances,
            ),
            p,
        ),
        means(lower_triangle(p).filter(|[j, k]| j != k), &correlations, p),
        means(
            (0..p * QUANTILES).map(|place| [place / QUANTILES]),
            &losses(&before.quantiles, &after.quantiles, &variances.quantiles),
            p,
        ),
    ];
    let of_families: Vec<Figure> = FAMILIES
        .iter()
        .zip(families)
        .map(|(what, family)| family.figure(what, files))
        .collect();
    let keys: Vec<&str> = FAMILIES.iter().map(|what| what.key).collect();
    std::iter::once(mean_of(&PIL, &of_families, &keys))
        .chain(of_families)
        .collect()
}

/// The loss of one statistic; `None` where its difference has no unit.
fn loss(before: f64, after: f64, variance: f64) -> Option<f64> {
    let difference = (before - after).abs();
    match (difference > 0.0, variance > 0.0 && variance.is_finite()) {
        (false, _) => Some(0.0),
        (true, false) => None,
        (true, true) => Some(libm::erf(difference / (2.0 * variance).sqrt())),
    }
}

/// Losses summed over all statistics of a family, and over those of each attribute.
struct Mean {
    all: (f64, u64),
    of: Vec<(f64, u64)>,
    skipped: u64,
}

fn means<const N: usize>(
    about: impl Iterator<Item = [usize; N]>,
    losses: &[Option<f64>],
    p: usize,
) -> Mean {
    let mut mean = Mean {
        all: (0.0, 0),
        of: vec![(0.0, 0); p],
        skipped: 0,
    };
    let add = |sum: &mut (f64, u64), loss: f64| {
        sum.0 += loss;
        sum.1 += 1;
    };
    for (attributes, loss) in about.zip(losses) {
        let Some(loss) = *loss else {
            mean.skipped += 1;
            continue;
        };
        add(&mut mean.all, loss);
        for (place, &attribute) in attributes.iter().enumerate() {
            if !attributes[..place].contains(&attribute) {
                add(&mut mean.of[attribute], loss);
            }
        }
    }
    mean
}

impl Mean {
    fn figure(self, what: &'static Definition, files: &Files<'_>) -> Figure {
        let names = files.names;
        let mean = |(sum, count): (f64, u64)| (count > 0).then(|| sum / count as f64);
        let parts = names.iter().zip(self.of).map(|(name, sum)| Part {
            name: name.clone(),
            value: mean(sum),
        });
        let parts = parts.collect();
        match mean(self.all) {
            Some(value) => Figure::new(what, value, self.all.1),
            None => Figure::undefined(
                what,
                match (names.len(), self.skipped) {
                    (0, _) => super::NO_NUMBERS,
                    (1, 0) => "there is one attribute of numbers only",
                    _ if files.are_too_large() => TOO_LARGE,
                    _ => "no attribute has enough different values in both files",
                },
            ),
        }
        .with_skipped(self.skipped)
        .with_parts(parts)
    }
}

/// The sampling variances of the statistics of a file, in the order of [`Statistics`]; 0 where one does not vary or is not
/// defined.
pub struct SamplingVariances {
    means: Vec<f64>,
    variances: Vec<f64>,
    covariances: Vec<f64>,
    correlations: Vec<f64>,
    quantiles: Vec<f64>,
}

impl SamplingVariances {
    /// Whether one of them is beyond the range of numbers.
    pub fn are_too_large(&self) -> bool {
        let all = [
            &self.means,
            &self.variances,
            &self.covariances,
            &self.correlations,
            &self.quantiles,
        ];
        all.into_iter()
            .flatten()
            .any(|variance| !variance.is_finite())
    }

    /// Those of a file with these statistics.
    pub fn of(columns: &Columns, statistics: &Statistics) -> Self {
        let p = columns.n_attributes();
        let by_attribute: Vec<(Moments, Vec<f64>)> = (0..p)
            .into_par_iter()
            .map(|attribute| {
                let values = columns.present(attribute);
                let moments = moments(values.iter().copied());
                let of_attribute = attribute * QUANTILES..(attribute + 1) * QUANTILES;
                let quantiles = &statistics.quantiles[of_attribute];
                (
                    moments,
                    of_quantiles(values.into_owned(), &moments, quantiles),
                )
            })
            .collect();
        let (moments, quantiles): (Vec<Moments>, Vec<_>) = by_attribute.into_iter().unzip();
        let standardised: Vec<Option<Standardised>> = (0..p)
            .into_par_iter()
            .map(|j| Standardised::new(columns.complete(j)?, &moments[j]))
            .collect();
        let pairs: Vec<[usize; 2]> = lower_triangle(p).collect();
        let (covariances, correlations): (Vec<f64>, Vec<f64>) = pairs
            .par_iter()
            .map(|&[j, k]| match (&standardised[j], &standardised[k]) {
                (Some(a), Some(b)) => Standardised::sampling_variances(a, b, j == k),
                _ => of_pair(columns, &moments, j, k),
            })
            .unzip();
        let variances = lower_triangle(p).zip(&covariances);
        Self {
            means: moments
                .iter()
                .map(|moments| {
                    let n = moments.count as f64;
                    if n > 0.0 {
                        population_variance(moments) / n
                    } else {
                        0.0
                    }
                })
                .collect(),
            variances: variances
                .filter(|([j, k], _)| j == k)
                .map(|(_, &variance)| variance)
                .collect(),
            covariances,
            correlations,
            quantiles: quantiles.concat(),
        }
    }
}

/// μ2: the variance with divisor n.
fn population_variance(moments: &Moments) -> f64 {
    let n = moments.count as f64;
    match moments.count {
        0 => 0.0,
        _ => moments.sd * moments.sd * (n - 1.0) / n,
    }
}

/// What is left of a sum of squares by rounding, as a share of it.
const ROUNDING: f64 = 1e-14;

/// The sampling variances of covariance and correlation of two attributes, or of the variance of one and of nothing.
///
/// In units of the standard deviations the covariance's is (m22 − ρ²)/n, and the correlation's
/// (m22 − ρ (m31 + m13) + ρ²/4 (m40 + m04 + 2 m22))/n, with m the moments and ρ the correlation.
fn of_pair(columns: &Columns, all: &[Moments], j: usize, k: usize) -> (f64, f64) {
    let (x, y) = columns.both(j, k);
    let of = |attribute: usize, values: &[f64]| {
        if values.len() == all[attribute].count {
            all[attribute]
        } else {
            moments(values.iter().copied())
        }
    };
    let (a, b) = (of(j, &x), of(k, &y));
    let (sd_a, sd_b) = (
        population_variance(&a).sqrt(),
        population_variance(&b).sqrt(),
    );
    if !(sd_a > 0.0 && sd_b > 0.0) {
        return (0.0, 0.0);
    }
    let mut sums = JointMoments::default();
    for (x, y) in x.iter().zip(&*y) {
        sums.add((x - a.mean) / sd_a, (y - b.mean) / sd_b);
    }
    sums.sampling_variances(x.len(), [sd_a, sd_b], j == k)
}

/// An attribute that no record misses, in units of its standard deviation (divisor n) from the mean.
struct Standardised {
    values: Vec<f64>,
    sd: f64,
    /// Σ z⁴.
    fourth: f64,
}

impl Standardised {
    /// `None` for a constant.
    fn new(values: &[f64], moments: &Moments) -> Option<Self> {
        let sd = population_variance(moments).sqrt();
        if sd <= 0.0 || sd.is_nan() {
            return None;
        }
        let scores = values.iter().map(|value| (value - moments.mean) / sd);
        let values: Vec<f64> = scores.collect();
        let fourth = (values.iter()).fold(0.0, |sum, z| sum + (z * z) * (z * z));
        Some(Self { values, sd, fourth })
    }

    /// As [`of_pair`].
    fn sampling_variances(a: &Self, b: &Self, is_same: bool) -> (f64, f64) {
        let mut sums = JointMoments {
            m40: a.fourth,
            m04: b.fourth,
            ..JointMoments::default()
        };
        for (u, v) in a.values.iter().zip(&b.values) {
            sums.add_products(u * u, v * v, u * v);
        }
        sums.sampling_variances(a.values.len(), [a.sd, b.sd], is_same)
    }
}

/// Sums of products of powers of two standardised attributes.
#[derive(Default)]
struct JointMoments {
    m11: f64,
    m22: f64,
    m31: f64,
    m13: f64,
    m40: f64,
    m04: f64,
}

impl JointMoments {
    fn add(&mut self, u: f64, v: f64) {
        let (uu, vv) = (u * u, v * v);
        self.add_products(uu, vv, u * v);
        self.m40 += uu * uu;
        self.m04 += vv * vv;
    }

    /// What takes both attributes.
    fn add_products(&mut self, uu: f64, vv: f64, uv: f64) {
        self.m11 += uv;
        self.m22 += uv * uv;
        self.m31 += uu * uv;
        self.m13 += vv * uv;
    }

    /// Of n records and attributes with these standard deviations.
    fn sampling_variances(&self, n: usize, [sd_a, sd_b]: [f64; 2], is_same: bool) -> (f64, f64) {
        let n = n as f64;
        let [m11, m22, m31, m13, m40, m04] = self.each().map(|sum| sum / n);
        let rho = whole(m11);
        let of_covariance = m22 - rho * rho;
        let of_correlation = m22 - rho * (m31 + m13) + rho * rho / 4.0 * (m40 + m04 + 2.0 * m22);
        let scale = sd_a * sd_b;
        // What is 0 but for rounding is 0.
        let cleared = |variance: f64| {
            if variance > ROUNDING * m22 {
                variance / n
            } else {
                0.0
            }
        };
        (
            cleared(of_covariance) * scale * scale,
            if is_same {
                0.0
            } else {
                cleared(of_correlation)
            },
        )
    }

    fn each(&self) -> [f64; 6] {
        [self.m11, self.m22, self.m31, self.m13, self.m40, self.m04]
    }
}

/// The sampling variances of the quantiles of some values.
fn of_quantiles(mut values: Vec<f64>, moments: &Moments, quantiles: &[Option<f64>]) -> Vec<f64> {
    values.sort_unstable_by(f64::total_cmp);
    let spread = if values.is_empty() {
        0.0
    } else {
        quantile(&values, 0.75) - quantile(&values, 0.25)
    };
    let n = values.len();
    let bandwidth = silverman(n, moments.sd, spread);
    let variance = |(i, place): (usize, &Option<f64>)| match *place {
        Some(place) if bandwidth > 0.0 => {
            let density = density_at(&values, place, bandwidth);
            let q = share(i);
            q * (1.0 - q) / (n as f64 * density * density)
        }
        _ => 0.0,
    };
    quantiles.iter().enumerate().map(variance).collect()
}

/// Bandwidths beyond which a kernel adds nothing in double precision.
const REACH: f64 = 9.0;

/// The density of sorted values at one place, by Gaussian kernels.
fn density_at(sorted: &[f64], place: f64, bandwidth: f64) -> f64 {
    let first = sorted.partition_point(|&value| value < place - REACH * bandwidth);
    let after = sorted.partition_point(|&value| value <= place + REACH * bandwidth);
    let kernels: f64 = sorted[first..after]
        .iter()
        .map(|value| {
            let u = (place - value) / bandwidth;
            (-0.5 * u * u).exp()
        })
        .sum();
    kernels / ((2.0 * std::f64::consts::PI).sqrt() * bandwidth * sorted.len() as f64)
}
