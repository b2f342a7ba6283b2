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

#[cfg(test)]
mod tests {
    use super::wilson;

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
}
