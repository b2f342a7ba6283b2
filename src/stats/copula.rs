//! The mathematics of masking by minimal information, which masking and attack share: normal scores, what is kept of each
//! direction, and the law of masked scores given known ones. Pure functions on small matrices.

#[cfg(test)]
mod tests;

use std::f64::consts::{FRAC_1_SQRT_2, PI, SQRT_2};

use ndarray::{Array1, Array2, ArrayView2};
use statrs::function::gamma::gamma_lr;

use super::eigen;

/// Eigenvalues of a covariance of scores are taken as no less than this: directions without variance.
pub const MIN_EIGENVALUE: f64 = 1e-9;

/// Φ, the distribution function of the normal law.
pub fn normal_distribution(x: f64) -> f64 {
    0.5 * libm::erfc(-x * FRAC_1_SQRT_2)
}

/// φ, the density of the normal law.
pub fn normal_density(x: f64) -> f64 {
    libm::exp(-0.5 * x * x) / (SQRT_2 * PI.sqrt())
}

/// Φ⁻¹, to some 16 digits; infinite at 0 and 1.
///
/// # Source
/// M. J. Wichura, "Algorithm AS 241: The percentage points of the normal distribution", Applied Statistics 37, 1988 (PPND16).
pub fn normal_quantile(p: f64) -> f64 {
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        let r = 0.180_625 - q * q;
        return q * ratio(r, &CENTRE);
    }
    let tail = if q < 0.0 { p } else { 1.0 - p };
    if tail <= 0.0 {
        return q.signum() * f64::INFINITY;
    }
    let r = (-libm::log(tail)).sqrt();
    let size = if r <= 5.0 {
        ratio(r - 1.6, &NEAR)
    } else {
        ratio(r - 5.0, &FAR)
    };
    q.signum() * size
}

/// The ratio of two polynomials of degree 7; coefficients from the highest power down, numerator first.
fn ratio(r: f64, coefficients: &[[f64; 8]; 2]) -> f64 {
    let [above, below] =
        coefficients.map(|polynomial| polynomial.iter().fold(0.0, |sum, &c| sum * r + c));
    above / below
}

const CENTRE: [[f64; 8]; 2] = [
    [
        2_509.080_928_730_122_7,
        33_430.575_583_588_13,
        67_265.770_927_008_7,
        45_921.953_931_549_87,
        13_731.693_765_509_46,
        1_971.590_950_306_551_4,
        133.141_667_891_784_38,
        3.387_132_872_796_366_5,
    ],
    [
        5_226.495_278_852_855,
        28_729.085_735_721_943,
        39_307.895_800_092_71,
        21_213.794_301_586_597,
        5_394.196_021_424_751,
        687.187_007_492_057_9,
        42.313_330_701_600_91,
        1.0,
    ],
];
const NEAR: [[f64; 8]; 2] = [
    [
        7.745_450_142_783_414e-4,
        0.022_723_844_989_269_184,
        0.241_780_725_177_450_6,
        1.270_458_252_452_368_4,
        3.647_848_324_763_204_5,
        5.769_497_221_460_691,
        4.630_337_846_156_546,
        1.423_437_110_749_683_5,
    ],
    [
        1.050_750_071_644_416_9e-9,
        5.475_938_084_995_345e-4,
        0.015_198_666_563_616_457,
        0.148_103_976_427_480_08,
        0.689_767_334_985_1,
        1.676_384_830_183_803_8,
        2.053_191_626_637_759,
        1.0,
    ],
];
const FAR: [[f64; 8]; 2] = [
    [
        2.010_334_399_292_288_1e-7,
        2.711_555_568_743_487_6e-5,
        0.001_242_660_947_388_078_4,
        0.026_532_189_526_576_124,
        0.296_560_571_828_504_87,
        1.784_826_539_917_291_3,
        5.463_784_911_164_114,
        6.657_904_643_501_103,
    ],
    [
        2.044_263_103_389_939_8e-15,
        1.421_511_758_316_446e-7,
        1.846_318_317_510_054_7e-5,
        7.868_691_311_456_133e-4,
        0.014_875_361_290_850_615,
        0.136_929_880_922_735_8,
        0.599_832_206_555_888,
        1.0,
    ],
];

/// The normal score of the value of rank `rank` (from 0) among `n`: Φ⁻¹((rank + ½)/n).
pub fn normal_score(rank: usize, n: usize) -> f64 {
    normal_quantile((rank as f64 + 0.5) / n as f64)
}

/// The normal score of the middle of the ranks `below..through` (from 0) of a tie among `n` values. A value that does not occur
/// (`below == through`) stands between its neighbours, at the ends half a rank outside of all.
pub fn middle_score(below: usize, through: usize, n: usize) -> f64 {
    let middle = 0.5 * (below + through) as f64;
    let n = n as f64;
    normal_quantile(middle.clamp(0.25, n - 0.25) / n)
}

/// ρ in ρ / (1 − ρ²) = mu · g: what is kept of a direction of variance g. Between 0 and 1, rising with both.
pub fn retained(mu: f64, g: f64) -> f64 {
    let a = mu * g.max(MIN_EIGENVALUE);
    // (√(1 + 4a²) − 1) / 2a, without the difference of near numbers.
    2.0 * a / ((1.0 + 4.0 * a * a).sqrt() + 1.0)
}

/// How the directions share what is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Allocation {
    /// ρ_i / (1 − ρ_i²) = mu g_i: the least information for what is lost.
    Minimal,
    /// ρ / (1 − ρ²) = mu times the mean of the g_i, the same for all.
    Uniform,
}

/// How scores of covariance R are masked: e' = A e + E with Cov(e') = R.
#[derive(Debug, Clone, PartialEq)]
pub struct Transfer {
    /// A = R^½ V ρ Vᵀ R^−½.
    pub a: Array2<f64>,
    /// The symmetric root of Cov(E) = R^½ V (1 − ρ²) Vᵀ R^½: E = root · standard normal numbers.
    pub noise_root: Array2<f64>,
    /// What is kept of each direction, that of greatest g first.
    pub retained: Array1<f64>,
    /// −½ Σ log2(1 − ρ²): what e' says of e.
    pub bits: f64,
    /// E|W^½(e' − e)|² = 2 Σ g (1 − ρ): what is lost, in (weighted) squared scores.
    pub loss: f64,
}

impl Transfer {
    /// Cov(E).
    pub fn noise(&self) -> Array2<f64> {
        self.noise_root.dot(&self.noise_root)
    }
}

/// Masking of scores with this covariance.
///
/// ```text
/// R^½ W R^½ = V diag(g) Vᵀ;  ρ_i by mu and g_i
/// ```
///
/// With W = 1 these are the eigenvectors of R itself. Eigenvalues of R below [`MIN_EIGENVALUE`] are raised to it.
///
/// # Shapes
/// `covariance` d × d, of which the lower triangle is read; `weights` d, or empty if all are 1.
///
/// # Panics
/// If the shapes do not fit.
pub fn transfer(
    covariance: ArrayView2<'_, f64>,
    weights: &[f64],
    mu: f64,
    allocation: Allocation,
) -> Transfer {
    Directions::of(covariance, weights).transfer(mu, allocation)
}

/// The directions along which scores are masked: what does not depend on mu.
#[derive(Debug, Clone)]
pub struct Directions {
    /// R^½ V, and Vᵀ R^−½.
    out: Array2<f64>,
    into: Array2<f64>,
    /// Eigenvalues of R^½ W R^½, greatest first.
    values: Array1<f64>,
}

impl Directions {
    /// Of scores with this covariance.
    ///
    /// # Shapes, panics
    /// As for [`transfer`].
    pub fn of(covariance: ArrayView2<'_, f64>, weights: &[f64]) -> Self {
        let d = covariance.nrows();
        assert!(
            weights.is_empty() || weights.len() == d,
            "one weight a score"
        );
        let own = eigen::symmetric(covariance.to_owned());
        let roots = own.values.mapv(|value| value.max(MIN_EIGENVALUE).sqrt());
        if weights.is_empty() {
            let out = &own.vectors * &roots;
            let into = (&own.vectors / &roots).reversed_axes();
            let values = roots.mapv(|root| root * root);
            return Self { out, into, values };
        }
        let root = (&own.vectors * &roots).dot(&own.vectors.t());
        let inverse = (&own.vectors / &roots).dot(&own.vectors.t());
        let weighted = Array2::from_shape_fn((d, d), |(i, j)| weights[i] * root[[i, j]]);
        let turned = eigen::symmetric(root.dot(&weighted));
        Self {
            out: root.dot(&turned.vectors),
            into: turned.vectors.t().dot(&inverse),
            values: turned.values.mapv(|value| value.max(MIN_EIGENVALUE)),
        }
    }

    /// What is kept of each direction.
    pub fn retained(&self, mu: f64, allocation: Allocation) -> Array1<f64> {
        match allocation {
            Allocation::Minimal => self.values.mapv(|g| retained(mu, g)),
            Allocation::Uniform => {
                let mean = self.values.sum() / self.values.len().max(1) as f64;
                Array1::from_elem(self.values.len(), retained(mu, mean))
            }
        }
    }

    /// −½ Σ log2(1 − ρ²).
    pub fn bits(&self, mu: f64, allocation: Allocation) -> f64 {
        bits(&self.retained(mu, allocation))
    }

    /// The masking with this mu.
    pub fn transfer(&self, mu: f64, allocation: Allocation) -> Transfer {
        let retained = self.retained(mu, allocation);
        let a = (&self.out * &retained).dot(&self.into);
        let noise = &self.out * &retained.mapv(|rho| 1.0 - rho * rho);
        let bits = bits(&retained);
        let loss = 2.0 * (&self.values * &retained.mapv(|rho| 1.0 - rho)).sum();
        Transfer {
            a,
            noise_root: symmetric_root(noise.dot(&self.out.t())),
            bits,
            loss,
            retained,
        }
    }
}

/// −½ Σ log2(1 − ρ²).
fn bits(retained: &Array1<f64>) -> f64 {
    // What is lost of a direction of which nearly all is kept has few digits in 1 − ρ²: (1 − ρ)(1 + ρ) has as many as ρ.
    let each = retained.iter();
    -0.5 * each
        .map(|rho| libm::log2(((1.0 - rho) * (1.0 + rho)).max(f64::MIN_POSITIVE)))
        .sum::<f64>()
}

/// The symmetric root of a covariance matrix; negative eigenvalues, which rounding leaves, count as 0.
pub fn symmetric_root(matrix: Array2<f64>) -> Array2<f64> {
    let own = eigen::symmetric(matrix);
    let roots = own.values.mapv(|value| value.max(0.0).sqrt());
    (&own.vectors * &roots).dot(&own.vectors.t())
}

/// The lower triangle L of a positive definite matrix, L Lᵀ; `None` if it is none. The lower triangle of the matrix is read.
pub fn cholesky(matrix: ArrayView2<'_, f64>) -> Option<Array2<f64>> {
    let d = matrix.nrows();
    let mut lower = Array2::<f64>::zeros((d, d));
    for i in 0..d {
        for j in 0..=i {
            let explained: f64 = (0..j).map(|k| lower[[i, k]] * lower[[j, k]]).sum();
            let rest = matrix[[i, j]] - explained;
            lower[[i, j]] = match i == j {
                false => rest / lower[[j, j]],
                true if rest > 0.0 && rest.is_finite() => rest.sqrt(),
                true => return None,
            };
        }
    }
    Some(lower)
}

/// The inverse of a lower triangle with a positive diagonal: lower, too.
pub fn inverse_of_lower(lower: ArrayView2<'_, f64>) -> Array2<f64> {
    let d = lower.nrows();
    let mut inverse = Array2::<f64>::zeros((d, d));
    for column in 0..d {
        for i in column..d {
            let so_far: f64 = (column..i)
                .map(|k| lower[[i, k]] * inverse[[k, column]])
                .sum();
            let unit = if i == column { 1.0 } else { 0.0 };
            inverse[[i, column]] = (unit - so_far) / lower[[i, i]];
        }
    }
    inverse
}

/// log2 of the determinant of L Lᵀ, and the inverse of L, of a positive definite matrix; with a ridge on the diagonal, multiplied by
/// ten until there is one, where the matrix is singular.
pub fn whitening(matrix: ArrayView2<'_, f64>) -> (f64, Array2<f64>) {
    let d = matrix.nrows();
    let largest = matrix.diag().iter().fold(0.0_f64, |most, &x| most.max(x));
    let mut ridge = 0.0;
    loop {
        let lower = cholesky((&matrix + &(Array2::<f64>::eye(d) * ridge)).view());
        if let Some(lower) = lower {
            let logarithm = 2.0 * lower.diag().iter().map(|&x| libm::log2(x)).sum::<f64>();
            return (logarithm, inverse_of_lower(lower.view()));
        }
        ridge = match ridge > 0.0 {
            true => ridge * 10.0,
            false if largest.is_finite() => 1e-12 * largest.max(1.0),
            // Nothing to be said of a matrix without numbers: that of the unit matrix.
            false => return (0.0, Array2::eye(d)),
        };
    }
}

/// The mean and the covariance of a mixture of normal laws, each a weight, a mean and a covariance; weights add up to 1.
///
/// # Panics
/// If there is none, or the shapes do not fit.
pub fn mixture_moments(parts: &[(f64, Array1<f64>, Array2<f64>)]) -> (Array1<f64>, Array2<f64>) {
    let d = parts[0].1.len();
    let mean = (parts.iter()).fold(Array1::zeros(d), |sum, (weight, own, _)| {
        sum + own * *weight
    });
    let covariance = parts
        .iter()
        .fold(Array2::zeros((d, d)), |sum, (weight, own, around)| {
            let off = own - &mean;
            let between = Array2::from_shape_fn((d, d), |(i, j)| off[i] * off[j]);
            sum + (around + &between) * *weight
        });
    (mean, covariance)
}

/// The law of masked scores, given some of the original ones: normal with mean `b · e_v` and covariance `s`.
#[derive(Debug, Clone, PartialEq)]
pub struct Conditional {
    /// d × v.
    pub b: Array2<f64>,
    /// d × d.
    pub s: Array2<f64>,
}

/// The law of e' = A e + E given the scores `known` of e, where e is normal with mean 0 and covariance R.
///
/// ```text
/// B = C_.v R_vv⁻¹,  C = A R;   S = R − B C_.vᵀ
/// ```
///
/// With a `spread` other than 1 the unknown scores have so many times their variance about their mean given the known ones: S =
/// Cov(E) + spread · A (R − R_.v R_vv⁻¹ R_v.) Aᵀ. This is for [levels of protection](levels), which say something of them.
///
/// # Shapes
/// `covariance` d × d; `known` are v different places below d. With none known B has no columns.
pub fn conditional(
    covariance: ArrayView2<'_, f64>,
    transfer: &Transfer,
    known: &[usize],
    spread: f64,
) -> Conditional {
    let d = covariance.nrows();
    let v = known.len();
    let of_known = Array2::from_shape_fn((v, v), |(i, j)| covariance[[known[i], known[j]]]);
    let across = Array2::from_shape_fn((d, v), |(i, j)| covariance[[i, known[j]]]);
    let (_, white) = whitening(of_known.view());
    let inverse = white.t().dot(&white);
    let expected = across.dot(&inverse);
    let unknown = &covariance - &expected.dot(&across.t());
    let moved = transfer.a.dot(&unknown).dot(&transfer.a.t());
    Conditional {
        b: transfer.a.dot(&expected),
        s: transfer.noise() + moved * spread,
    }
}

/// The level of protection of a record whose squared Mahalanobis distance is q times the number of scores: 2 log2 max(1, q), rounded, of
/// at most `levels`.
pub fn level(q: f64, levels: usize) -> usize {
    (1..=levels)
        .take_while(|&level| q >= lower_end(level))
        .count()
}

/// mu at a level of protection.
pub fn protected(mu: f64, level: usize) -> f64 {
    mu * libm::exp2(-0.5 * level as f64)
}

/// The least q of a level.
fn lower_end(level: usize) -> f64 {
    match level {
        0 => 0.0,
        _ => libm::exp2(0.5 * level as f64 - 0.25),
    }
}

/// A level of protection, as far as it follows from known scores.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LikelyLevel {
    /// How likely it is.
    pub probability: f64,
    /// How many times their variance the unknown scores have at this level.
    pub spread: f64,
}

/// The levels of a record of which `v` of `d` scores are known, with squared Mahalanobis distance `known` of these.
///
/// d q is `known` plus a chi-square number with d − v degrees of freedom, if the scores are normal. One entry a level, 0 to `levels`;
/// probabilities add up to 1.
pub fn levels(known: f64, v: usize, d: usize, levels: usize) -> Vec<LikelyLevel> {
    let unknown = d.saturating_sub(v);
    if unknown == 0 {
        let own = level(known / d.max(1) as f64, levels);
        let certain = |level| if level == own { 1.0 } else { 0.0 };
        return (0..=levels)
            .map(|level| LikelyLevel {
                probability: certain(level),
                spread: 1.0,
            })
            .collect();
    }
    // P(chi-square of `freedom` ≤ what is left of q up to this level).
    let below = |level: usize, freedom: usize| {
        let left = d as f64 * lower_end(level) - known;
        match left > 0.0 {
            true if level > levels => 1.0,
            true => gamma_lr(0.5 * freedom as f64, 0.5 * left),
            false if level > levels => 1.0,
            false => 0.0,
        }
    };
    (0..=levels)
        .map(|level| {
            let probability = below(level + 1, unknown) - below(level, unknown);
            // E(χ²; a < χ² ≤ b) = freedom · P(a < χ² with two degrees more ≤ b).
            let second = below(level + 1, unknown + 2) - below(level, unknown + 2);
            let spread = if probability > 1e-12 {
                second / probability
            } else {
                1.0
            };
            LikelyLevel {
                probability: probability.max(0.0),
                spread,
            }
        })
        .collect()
}
