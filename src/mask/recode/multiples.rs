//! Rounding to multiples of a step, as decimal numbers are written.

use crate::table::EXACT_INTEGERS;

/// The multiples of a step.
///
/// The step is a decimal number that binary may not hold: multiples of 0.1 are computed as whole numbers of tenths, so
/// that three steps are 0.3.
#[derive(Debug, Clone, Copy)]
pub(super) struct Multiples {
    pub(super) step: f64,
    /// The step in units of its last decimal, and how many of these are 1; the step itself where it is too fine for that.
    whole_step: f64,
    scale: f64,
}

impl Multiples {
    pub(super) fn of(step: f64) -> Self {
        let written = step.to_string();
        let decimals = written
            .split_once('.')
            .map_or(0, |(_, decimals)| decimals.len());
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_possible_wrap,
            reason = "an f64 has at most 1,100 decimals"
        )]
        let scale = 10_f64.powi(decimals as i32);
        // Beyond this scale powers of ten are not exact, and so fine a step is no rounding of decimals.
        let (whole_step, scale) = if decimals <= 15 {
            ((step * scale).round(), scale)
        } else {
            (step, 1.0)
        };
        Self {
            step,
            whole_step,
            scale,
        }
    }

    /// The nearest one, halves away from zero; a value too large to have neighbours stays.
    pub(super) fn nearest(&self, value: f64) -> f64 {
        let steps = value * self.scale / self.whole_step;
        // Also where the product was beyond the range of numbers.
        if steps.abs() >= EXACT_INTEGERS {
            return value;
        }
        // 1.005 in hundredths is 100.49999999999999: a tie as it is written. In numbers so large that a nudge would be more than a
        // thousandth of a step, ties are what they are.
        const NUDGED_BELOW: f64 = 1e12;
        let nudge = if steps.abs() < NUDGED_BELOW {
            1.0 + 4.0 * f64::EPSILON
        } else {
            1.0
        };
        let nearest = (steps * nudge).round();
        let multiple = nearest * self.whole_step / self.scale;
        if multiple.is_finite() {
            multiple + 0.0
        } else {
            value
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_decimal_and_takes_halves_away_from_zero() {
        for (value, step, expected) in [
            (0.15, 0.1, 0.2),
            (0.3, 0.1, 0.3),
            (1.005, 0.01, 1.01),
            (-2.5, 5.0, -5.0),
            (2.4, 5.0, 0.0),
            (-2.4, 5.0, 0.0),
            (7.5, 2.5, 7.5),
            (8.75, 2.5, 10.0),
            (1e300, 5.0, 1e300),
            // Multiples already, however large; just below a tie.
            (600_000_000_000_001.0, 1.0, 600_000_000_000_001.0),
            (4_500_000_000_000_001.0, 1.0, 4_500_000_000_000_001.0),
            (999_999_999_999.0, 1.0, 999_999_999_999.0),
            (700_000_000_000.44, 1.0, 700_000_000_000.0),
            (1_000_000_000_000.004, 0.01, 1_000_000_000_000.0),
            (12.0, 1e300, 0.0),
        ] {
            let found = Multiples::of(step).nearest(value);
            assert_eq!(
                found.to_bits(),
                f64::to_bits(expected),
                "{value} by {step}: {found}"
            );
        }
    }
}
