//! Confidence intervals for shares.

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
    const Z: f64 = 1.959_963_984_540_054;
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

/// The 97.5 % quantile of Student's t.
fn t_quantile(degrees: usize) -> f64 {
    /// For 1 to 10 degrees of freedom, to three decimals (any table of it).
    const SMALL: [f64; 10] = [
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
    ];
    match SMALL.get(degrees.wrapping_sub(1)) {
        Some(&quantile) => quantile,
        None => {
            // Cornish–Fisher: z + (z³ + z)/4ν + (5z⁵ + 16z³ + 3z)/96ν² + (3z⁷ + 19z⁵ + 17z³ − 15z)/384ν³, right to three
            // decimals from here on.
            let (z, nu) = (1.959_964_f64, degrees as f64);
            z + (z.powi(3) + z) / (4.0 * nu)
                + (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / (96.0 * nu * nu)
                + (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z)
                    / (384.0 * nu.powi(3))
        }
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

    /// Table values of Student's t at 97.5 %: 2.201 (11), 2.086 (20), 1.984 (100).
    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (degrees, quantile) in [
            (1, 12.706),
            (10, 2.228),
            (11, 2.201),
            (20, 2.086),
            (100, 1.984),
        ] {
            assert!((t_quantile(degrees) - quantile).abs() < 6e-4, "{degrees}");
        }
    }

    /// Rates 0.4 and 0.6: mean 0.5, s² = 0.02; half = 12.706 · sqrt((1/2 + 1) · 0.02) = 12.706 · 0.17320508.
    #[test]
    fn the_interval_is_corrected_for_what_draws_share() {
        let [low, high] = resampled_mean(&[0.4, 0.6], 1.0);
        assert!((low - (0.5 - 2.200_744)).abs() < 1e-5, "{low}");
        assert!((high - (0.5 + 2.200_744)).abs() < 1e-5, "{high}");
    }
}
