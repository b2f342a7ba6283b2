//! The law of memberships of fuzzy c-means: how much of a point belongs to each centre.

use std::ops::{Bound, RangeBounds};

use super::elementary::{exp2, log2};
use crate::error::{Error, Result};

/// Numbers that are computed at once; part of the recipe of every sum, whatever the processor.
pub(crate) const LANES: usize = 8;

/// As many numbers as are computed at once.
pub(crate) type Lanes = [f64; LANES];

/// What a fuzziness may be; beyond the largest, memberships cannot be distinguished from equal ones.
pub(crate) const FUZZINESS: (Bound<f64>, Bound<f64>) = (Bound::Excluded(1.0), Bound::Included(1e6));

/// How far points belong to several centres at once: the m of fuzzy c-means, more than 1.
///
/// ```text
/// u_i = 1 / Σ_j (|x − v_i|² / |x − v_j|²)^(1/(m−1))
/// ```
///
/// Near 1 a point belongs to its nearest centre, for large m to all alike. A point that coincides with one or several
/// centres belongs to these alone, in equal parts.
///
/// # How it is computed
/// With `t_i = min_j |x − v_j|² / |x − v_i|²`, between 0 and 1, and `q_i = t_i^(1/(m−1))`, the membership is `q_i / Σ_j q_j`:
/// nothing overflows, however near m is to 1. A t below the normal range counts as 0: such a point coincides with its
/// nearest centre as far as the others are concerned. Logarithms and powers are the crate's own, so memberships have the same
/// bits on every machine.
///
/// # Source
/// J. C. Bezdek, "Pattern recognition with fuzzy objective function algorithms", 1981; V. Torra, "Transparency and
/// microaggregation", Joint UNECE/Eurostat work session on statistical data confidentiality, 2015 (step 2).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fuzziness {
    m: f64,
    /// 1/(m−1).
    exponent: f64,
}

/// Puts the `t_i` of one point into `nearness`, as long as its squared distances, and gives the least of these. An infinite
/// distance is no centre.
#[inline(always)]
pub(crate) fn nearness(squared: &[Lanes], nearness: &mut [Lanes]) -> f64 {
    // Numbers that are not negative are in the order of their bits.
    let least = squared
        .as_flattened()
        .iter()
        .map(|squared| squared.to_bits())
        .min();
    let nearest = least.map_or(f64::INFINITY, f64::from_bits);
    for (nearness, squared) in nearness.iter_mut().zip(squared) {
        // Copies, so that a compiler sees eight numbers and not places that might be the same.
        let (squared, mut ratios) = (*squared, [0.0; LANES]);
        for lane in 0..LANES {
            ratios[lane] = nearest / squared[lane];
        }
        for lane in 0..LANES {
            ratios[lane] = if squared[lane] <= nearest {
                1.0
            } else {
                ratios[lane]
            };
        }
        *nearness = ratios;
    }
    nearest
}

/// The sum of shares: those of equal lanes first.
#[inline(always)]
pub(crate) fn sum(shares: &[Lanes]) -> f64 {
    let mut sums = [0.0; LANES];
    for shares in shares {
        for lane in 0..LANES {
            sums[lane] += shares[lane];
        }
    }
    sums.into_iter().fold(0.0, |sum, lane| sum + lane)
}

impl Fuzziness {
    /// A checked m.
    ///
    /// # Errors
    /// Usage, unless 1 < m ≤ 1,000,000.
    pub fn new(m: f64) -> Result<Self> {
        if FUZZINESS.contains(&m) {
            return Ok(Self {
                m,
                exponent: 1.0 / (m - 1.0),
            });
        }
        Err(Error::out_of_range(
            "m",
            FUZZINESS,
            "a fuzziness must be more than 1, at most 1000000",
        )
        .remedy("2 is usual; near 1 clusters are crisp, larger ones overlap more"))
    }

    /// The exponent m of fuzzy c-means.
    pub fn m(self) -> f64 {
        self.m
    }

    /// The memberships of a point in centres, from its squared distances, finite and not negative; they sum to 1.
    pub fn memberships(self, squared_distances: &[f64]) -> Vec<f64> {
        let mut squared = vec![[f64::INFINITY; LANES]; squared_distances.len().div_ceil(LANES)];
        squared.as_flattened_mut()[..squared_distances.len()].copy_from_slice(squared_distances);
        let mut ratios = squared.clone();
        let mut shares = squared.clone();
        nearness(&squared, &mut ratios);
        self.shares(&ratios, &mut shares);
        let sum = sum(&shares);
        let shares = &shares.as_flattened()[..squared_distances.len()];
        shares.iter().map(|share| share / sum).collect()
    }

    /// Puts `q_i` into `shares`, as long as the `t_i`, of one point or of several.
    #[inline(always)]
    #[expect(clippy::float_cmp, reason = "the usual m needs no power")]
    pub(crate) fn shares(self, nearness: &[Lanes], shares: &mut [Lanes]) {
        if self.exponent == 1.0 {
            shares.copy_from_slice(nearness);
            return;
        }
        // One long loop over plain numbers: a compiler turns it into wide instructions.
        let shares = shares.as_flattened_mut().iter_mut();
        for (share, &nearness) in shares.zip(nearness.as_flattened()) {
            let power = exp2(self.exponent * log2(nearness));
            *share = if nearness < f64::MIN_POSITIVE {
                0.0
            } else {
                power
            };
        }
    }

    /// `(n / sum)^m`, for the weights of points relative to one that belongs to all `n` centres alike.
    ///
    /// It stops growing at 2^900: a point that belongs to one centre alone outweighs all others there already.
    #[inline(always)]
    pub(crate) fn emphasis(self, n: usize, sum: f64) -> f64 {
        let power = self.m * (log2(n as f64) - log2(sum));
        exp2(if power > 900.0 { 900.0 } else { power })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(m: f64, squared: &[f64]) -> Vec<f64> {
        Fuzziness::new(m).unwrap().memberships(squared)
    }

    /// By hand, distances 1, 2, 3: for m = 2 u is proportional to 1/d² = 36 : 9 : 4, sum 49; for m = 3 to 1/d = 6 : 3 : 2.
    #[test]
    fn small_examples_by_hand() {
        for (m, parts, sum) in [(2.0, [36.0, 9.0, 4.0], 49.0), (3.0, [6.0, 3.0, 2.0], 11.0)] {
            for (u, part) in of(m, &[1.0, 4.0, 9.0]).iter().zip(parts) {
                assert!((u - part / sum).abs() < 1e-15, "{m}: {u}");
            }
        }
    }

    /// The law as it is printed, term by term.
    #[test]
    fn the_printed_law_gives_the_same() {
        let squared: Vec<f64> = (1..=21).map(|i| f64::from(i * i % 17) + 0.25).collect();
        for m in [1.2, 1.5, 2.0, 2.5, 3.0, 10.0] {
            let printed = |i: usize| {
                let terms = squared
                    .iter()
                    .map(|d| (squared[i] / d).powf(1.0 / (m - 1.0)));
                1.0 / terms.sum::<f64>()
            };
            let ours = of(m, &squared);
            for (i, u) in ours.iter().enumerate() {
                assert!((u / printed(i) - 1.0).abs() < 1e-13, "{m} {i}: {u}");
            }
            assert!((ours.iter().sum::<f64>() - 1.0).abs() < 1e-14);
        }
    }

    #[test]
    fn coinciding_centres_share_the_point() {
        for m in [1.0001, 2.0, 3.0, 1e6] {
            assert_eq!(of(m, &[0.0, 4.0, 1e-300]), [1.0, 0.0, 0.0], "{m}");
            assert_eq!(of(m, &[0.0, 4.0, 0.0]), [0.5, 0.0, 0.5], "{m}");
        }
    }

    #[test]
    fn near_one_the_nearest_takes_all_and_large_ones_share_alike() {
        assert_eq!(of(1.0001, &[1.1, 1.0, 1e300, 5.0]), [0.0, 1.0, 0.0, 0.0]);
        assert_eq!(of(1.000_000_1, &[2.0, 1.0, 1.0]), [0.0, 0.5, 0.5]);
        for u in of(1e6, &[1e-30, 1.0, 1e30, 7.0]) {
            assert!((u - 0.25).abs() < 1e-4, "{u}");
        }
        for squared in [[1e-320, 1e300], [f64::MAX, f64::MIN_POSITIVE]] {
            for m in [1.0 + f64::EPSILON, 1.5, 2.0, 1e6] {
                let u = of(m, &squared);
                assert!((u[0] + u[1] - 1.0).abs() < 1e-12, "{m}: {u:?}");
            }
        }
    }

    #[test]
    fn other_fuzziness_is_refused() {
        for m in [1.0, 0.5, 0.0, -2.0, 1e7, f64::NAN, f64::INFINITY] {
            assert!(Fuzziness::new(m).is_err(), "{m}");
        }
    }
}
