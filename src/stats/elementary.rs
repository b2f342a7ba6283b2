//! Binary logarithm and exponential that give the same bits on every machine, and that a compiler can do for several numbers
//! at once. Those of the operating systems' libraries differ from each other in the last digit.

use std::f64::consts::{LN_2, LOG2_E};

/// The bits of the number next to the root of one half, from which mantissas run to the root of two.
const ROOT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
const ONE: u64 = 0x3ff0_0000_0000_0000;
const MANTISSA: u64 = 0x000f_ffff_ffff_ffff;

/// 2^52: a whole number below it stands in the lowest bits of the sum.
const WHOLE: f64 = 4_503_599_627_370_496.0;

/// 1.5·2^52: what is added to it is rounded to a whole number.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

/// The least number for which [`exp2`] is not 0.
pub const MIN_EXPONENT: f64 = -1022.0;

/// 1/3, 1/5, …, 1/21, the last first.
const ODD: [f64; 10] = [
    1.0 / 21.0,
    1.0 / 19.0,
    1.0 / 17.0,
    1.0 / 15.0,
    1.0 / 13.0,
    1.0 / 11.0,
    1.0 / 9.0,
    1.0 / 7.0,
    1.0 / 5.0,
    1.0 / 3.0,
];

/// 1/12!, …, 1/0!; the series begins with 1/13!.
const FACTORIALS: [f64; 13] = [
    1.0 / 479_001_600.0,
    1.0 / 39_916_800.0,
    1.0 / 3_628_800.0,
    1.0 / 362_880.0,
    1.0 / 40_320.0,
    1.0 / 5_040.0,
    1.0 / 720.0,
    1.0 / 120.0,
    1.0 / 24.0,
    1.0 / 6.0,
    0.5,
    1.0,
    1.0,
];
const FIRST_FACTORIAL: f64 = 1.0 / 6_227_020_800.0;

/// The binary logarithm of a positive normal number.
///
/// ```text
/// x = 2^k f,  f in [√½, √2);  s = (f − 1) / (f + 1);  ln f = 2 (s + s³/3 + s⁵/5 + … + s²¹/21)
/// ```
///
/// |s| is at most 0.1716, so what the series leaves out is below 10⁻¹⁸ of ln f. With the roundings the error is below 10⁻¹⁵
/// of the result where 2^k is 1, and below 10⁻¹⁵ + |k|·2⁻⁵³ always. For other numbers the result is finite and
/// means nothing.
#[inline(always)]
pub fn log2(x: f64) -> f64 {
    let shifted = x.to_bits().wrapping_add(ONE - ROOT_HALF);
    let k = f64::from_bits((shifted >> 52) | WHOLE.to_bits()) - (WHOLE + 1023.0);
    let f = f64::from_bits((shifted & MANTISSA) + ROOT_HALF);
    let s = (f - 1.0) / (f + 1.0);
    let square = s * s;
    let mut series = ODD[0];
    for &coefficient in &ODD[1..] {
        series = series.mul_add(square, coefficient);
    }
    series = series.mul_add(square, 1.0);
    (2.0 * LOG2_E * s).mul_add(series, k)
}

/// 2 to the power of a number up to 1023; below [`MIN_EXPONENT`] it is 0.
///
/// ```text
/// y = k + r,  k whole, |r| ≤ ½;  2^y = 2^k (1 + z + z²/2! + … + z¹³/13!),  z = r ln 2
/// ```
///
/// |z| is at most 0.3466, so what the series leaves out is below 10⁻¹⁷; with the roundings the relative error is below
/// 10⁻¹⁵.
#[inline(always)]
pub fn exp2(y: f64) -> f64 {
    let bounded = if y < MIN_EXPONENT { MIN_EXPONENT } else { y };
    let k = (bounded + ROUNDER) - ROUNDER;
    let z = (bounded - k) * LN_2;
    let mut series = FIRST_FACTORIAL;
    for &coefficient in &FACTORIALS {
        series = series.mul_add(z, coefficient);
    }
    let power = f64::from_bits((k + (WHOLE + 1023.0)).to_bits() << 52);
    if y < MIN_EXPONENT {
        0.0
    } else {
        series * power
    }
}

/// The binary exponent of a finite number, as of its magnitude: 2^e ≤ |x| < 2^(e+1). Zero and all below the normal range
/// count as its edge, −1023.
pub fn binary_exponent(x: f64) -> i32 {
    i32::from(((x.to_bits() >> 52) & 0x7ff) as u16) - 1023
}

/// The greatest power of two up to the magnitude of a finite number, at least the least normal number: what it can be divided
/// by without rounding.
pub fn power_of_two(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & f64::INFINITY.to_bits()).max(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of all sizes; those of the standard library are within one unit in the last place.
    fn numbers() -> impl Iterator<Item = f64> {
        (0..200_000).map(|i| {
            let mantissa = 1.0 + f64::from(i % 997) / 997.0;
            mantissa * 2.0_f64.powi(i % 2044 - 1022)
        })
    }

    #[test]
    fn logarithms_agree_with_the_standard_library() {
        for x in numbers() {
            let (ours, expected) = (log2(x), x.log2());
            let bound = 1e-15 + expected.abs() * 2.0 * f64::EPSILON;
            assert!((ours - expected).abs() <= bound, "{x:e}: {ours} {expected}");
        }
        for i in 0..1000 {
            let x = 1.0 - f64::from(i) * 1e-9;
            let error = (log2(x) - x.log2()).abs();
            assert!(error <= 1e-15 * x.log2().abs(), "near 1: {x}");
        }
        assert_eq!(log2(1.0), 0.0);
        assert_eq!(log2(8.0), 3.0);
        assert_eq!(log2(f64::MIN_POSITIVE), -1022.0);
    }

    #[test]
    fn exponentials_agree_with_the_standard_library() {
        for i in 0..200_000 {
            let y = -1022.0 + 2045.0 * f64::from(i) / 200_000.0;
            let error = (exp2(y) / y.exp2() - 1.0).abs();
            assert!(error <= 1e-15, "{y}: {error:e}");
        }
        assert_eq!(exp2(0.0), 1.0);
        assert_eq!(exp2(-1022.0), f64::MIN_POSITIVE);
        for y in [-1022.5, -1e6, -1e300, f64::NEG_INFINITY] {
            assert_eq!(exp2(y), 0.0);
        }
    }
}
