//! Confidence intervals.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// The 97.5 % quantile of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// Wilson's interval for a share at 95 %.
///
/// ```text
/// centre ± half,  centre = (s + z²/2) / (n + z²),  half = z/(n + z²) · sqrt(s(n−s)/n + z²/4),  z = 1.959964
/// ```
///
/// `successes` may be fractional (ties that count 1/t): the formula is then applied as it stands, which is
/// an approximation. With no trials nothing is known: (0, 1).
///
/// # Units
/// Fractions in 0..=1.
///
/// # Source
/// E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22, 1927.
pub fn wilson(successes: f64, trials: u64) -> (f64, f64) {
    if trials == 0 {
        return (0.0, 1.0);
    }
    let n = trials as f64;
    let centre = (successes + Z * Z / 2.0) / (n + Z * Z);
    let half = Z / (n + Z * Z) * (successes * (n - successes) / n + Z * Z / 4.0).sqrt();
    // The formula ends at 0 and 1 there, its rounding does not.
    let low = if successes <= 0.0 {
        0.0
    } else {
        (centre - half).max(0.0)
    };
    let high = if successes >= n {
        1.0
    } else {
        (centre + half).min(1.0)
    };
    (low, high)
}

/// An interval at 95 % for a mean rate over draws whose individuals overlap.
///
/// ```text
/// mean ± t · sqrt( (1/S + ratio) · s² )       S draws, s² their variance (n−1), ratio = attacked / learned from
/// ```
///
/// The draws share individuals, so the plain interval of a mean would be too narrow; for the individuals learned from, ratio 0.
///
/// # Source
/// C. Nadeau, Y. Bengio, "Inference for the generalization error", Machine Learning 52, 2003. t: its quantile at S − 1 degrees of
/// freedom.
pub fn resampled_mean(rates: &[f64], ratio: f64) -> [f64; 2] {
    let draws = rates.len() as f64;
    let mean = rates.iter().sum::<f64>() / draws;
    let squares: f64 = rates.iter().map(|rate| (rate - mean) * (rate - mean)).sum();
    let variance = squares / (draws - 1.0).max(1.0);
    let half =
        t_quantile(rates.len().saturating_sub(1)) * ((1.0 / draws + ratio) * variance).sqrt();
    [mean - half, mean + half]
}

/// The 97.5 % quantile of Student's t: half a 95 % interval is so many standard errors. Infinite without a degree of freedom.
pub fn t_quantile(degrees: usize) -> f64 {
    if degrees > 1000 {
        // Cornish–Fisher: z + (z³ + z)/4ν + (5z⁵ + 16z³ + 3z)/96ν² + (3z⁷ + 19z⁵ + 17z³ − 15z)/384ν³. What is left out is
        // 1.6/ν⁴; the crate's inverse is right to six digits only for many degrees of freedom.
        let nu = degrees as f64;
        return Z
            + (Z.powi(3) + Z) / (4.0 * nu)
            + (5.0 * Z.powi(5) + 16.0 * Z.powi(3) + 3.0 * Z) / (96.0 * nu * nu)
            + (3.0 * Z.powi(7) + 19.0 * Z.powi(5) + 17.0 * Z.powi(3) - 15.0 * Z)
                / (384.0 * nu.powi(3));
    }
    match StudentsT::new(0.0, 1.0, degrees as f64) {
        Ok(t) => t.inverse_cdf(0.975),
        Err(_) => f64::INFINITY,
    }
}

#[cfg(test)]
mod tests {
    use super::{resampled_mean, t_quantile, wilson};

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 5e-5
    }

    /// Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17, 1998,
    /// table I, method 3 (score, no continuity correction): 81/263, 15/148, 0/20, 1/29.
    #[test]
    fn newcombe_table_one() {
        for (r, n, low, high) in [
            (81.0, 263, 0.2553, 0.3662),
            (15.0, 148, 0.0624, 0.1605),
            (0.0, 20, 0.0, 0.1611),
            (1.0, 29, 0.0061, 0.1718),
        ] {
            let (l, h) = wilson(r, n);
            assert!(close(l, low) && close(h, high), "{r}/{n}: {l} {h}");
        }
    }

    #[test]
    fn nothing_tried_nothing_known() {
        assert_eq!(wilson(0.0, 0), (0.0, 1.0));
    }

    /// `scipy.stats.t.ppf(0.975, degrees)`, scipy 1.x; the tables' 12.706, 4.303, 2.228, 1.984 to more places.
    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (degrees, quantile) in [
            (1, 12.706_204_736_174_694),
            (2, 4.302_652_729_749_462),
            (3, 3.182_446_305_283_708),
            (10, 2.228_138_851_986_274),
            (100, 1.983_971_518_523_551_8),
            (1000, 1.962_339_080_826_408),
            (1068, 1.962_187_688_904_582_6),
            (100_000, 1.959_987_707_534_609_5),
        ] {
            let error = t_quantile(degrees) / quantile - 1.0;
            assert!(error.abs() < 1e-12, "{degrees}: {error}");
        }
        assert_eq!(t_quantile(0), f64::INFINITY);
    }

    /// Rates 0.4 and 0.6: mean 0.5, s² = 0.02; half = 12.706205 · sqrt((1/2 + 1) · 0.02) = 12.706205 · 0.17320508.
    #[test]
    fn the_interval_is_corrected_for_what_draws_share() {
        let [low, high] = resampled_mean(&[0.4, 0.6], 1.0);
        assert!((low - (0.5 - 2.200_779)).abs() < 1e-5, "{low}");
        assert!((high - (0.5 + 2.200_779)).abs() < 1e-5, "{high}");
    }
}
