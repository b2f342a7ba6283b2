//! Numbers brought into a range in which their squares can be summed.

use std::borrow::Cow;

use crate::table::Matrix;

/// Magnitudes in this range are left alone: squares of them neither overflow, summed over any table, nor vanish.
const TAME: std::ops::RangeInclusive<f64> = TINY..=HUGE;
/// 2^-200.
const TINY: f64 = 6.223_015_277_861_142e-61;
/// 2^400.
const HUGE: f64 = 2.582_249_878_086_909e120;

/// The power of two that brings the greatest magnitude into the range where squares can be summed; 1 if it is there.
///
/// A power of two changes no digit, so partitions before and after have the same order of SSE.
pub(super) fn factor(values: &[f64]) -> f64 {
    let mut greatest = values.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let mut factor = 1.0;
    if greatest <= 0.0 || !greatest.is_finite() {
        return factor;
    }
    let step = if greatest > HUGE { 0.5 } else { 2.0 };
    while !TAME.contains(&greatest) && factor < f64::MAX / 4.0 {
        greatest *= step;
        factor *= step;
    }
    factor
}

/// The points, brought into that range.
pub(super) fn tamed(points: &Matrix) -> Cow<'_, Matrix> {
    let factor = factor(points.values());
    if (1.0..=1.0).contains(&factor) {
        return Cow::Borrowed(points);
    }
    let values = points.values().iter().map(|x| x * factor).collect();
    Cow::Owned(Matrix::complete(
        points.n_records(),
        points.n_attributes(),
        values,
    ))
}

#[cfg(test)]
mod tests {
    use super::factor;

    #[test]
    fn ordinary_numbers_are_left_alone_and_extreme_ones_come_into_range() {
        assert_eq!(factor(&[]), 1.0);
        assert_eq!(factor(&[0.0, -3.5, 1e9]), 1.0);
        for extreme in [f64::MAX, -1e300, 1e-300, 5e-324] {
            let tame = (extreme * factor(&[extreme, 0.0])).abs();
            assert!((1e-61..1e121).contains(&tame), "{extreme} becomes {tame}");
        }
    }
}
