//! Exact arithmetic: sums and products of `f64` numbers, without rounding.

use std::{
    cmp::Ordering,
    ops::{Add, Mul, Sub},
};

use num_bigint::{BigInt, Sign};

/// A number `digits · 2^exponent`. Each finite `f64` is one, and so are sums and products of them.
#[derive(Debug, Clone, Default)]
pub struct Exact {
    digits: BigInt,
    exponent: i64,
}

impl Exact {
    /// A floating-point number.
    ///
    /// # Panics
    /// If it is not finite; whoever reads numbers from outside checks that before.
    pub fn of(value: f64) -> Self {
        assert!(value.is_finite(), "only finite numbers have digits");
        const FRACTION: u32 = 52;
        let bits = value.to_bits();
        let fraction = bits & ((1 << FRACTION) - 1);
        let power = i64::from(u32::try_from(bits >> FRACTION & 0x7ff).unwrap_or(0));
        // Subnormal numbers lack the leading 1 and have the exponent of the least normal ones.
        let (digits, power) = match power {
            0 => (fraction, 1),
            power => (fraction | 1 << FRACTION, power),
        };
        if digits == 0 {
            return Self::default();
        }
        let zeros = digits.trailing_zeros();
        let digits = BigInt::from(digits >> zeros);
        Self {
            digits: if value < 0.0 { -digits } else { digits },
            exponent: power - 1075 + i64::from(zeros),
        }
    }

    /// A whole number.
    pub fn whole(digits: BigInt) -> Self {
        Self {
            digits,
            exponent: 0,
        }
    }

    /// Whether it is below, at, or above 0.
    pub fn sign(&self) -> Ordering {
        match self.digits.sign() {
            Sign::Minus => Ordering::Less,
            Sign::NoSign => Ordering::Equal,
            Sign::Plus => Ordering::Greater,
        }
    }

    /// Whether it is 0.
    pub fn is_zero(&self) -> bool {
        self.digits.sign() == Sign::NoSign
    }

    /// Without its sign.
    pub fn size(&self) -> Self {
        Self {
            digits: self.digits.magnitude().clone().into(),
            exponent: self.exponent,
        }
    }

    /// Twice as much.
    pub fn twice(&self) -> Self {
        Self {
            digits: self.digits.clone(),
            exponent: self.exponent + 1,
        }
    }

    /// The floating-point number, or the nearest finite one where it is none: for values that were worked out, not read.
    pub fn of_finite(value: f64) -> Self {
        if value.is_nan() {
            Self::default()
        } else {
            Self::of(value.clamp(-f64::MAX, f64::MAX))
        }
    }

    /// A floating-point number near by (two units in the last place); 0 or infinite beyond their range.
    pub fn near(&self) -> f64 {
        let bits = i64::try_from(self.digits.bits()).unwrap_or(i64::MAX);
        let surplus = (bits - 64).max(0);
        let top = &self.digits >> surplus;
        let top: f64 = match i128::try_from(&top) {
            #[expect(clippy::cast_precision_loss, reason = "it is a number near by")]
            Ok(top) => top as f64,
            Err(_) => return f64::NAN,
        };
        // In two steps: the power of two alone could be out of range where the product is not.
        let power = i32::try_from((self.exponent + surplus).clamp(-4000, 4000)).unwrap_or(0);
        top * 2.0_f64.powi(power / 2) * 2.0_f64.powi(power - power / 2)
    }

    /// Both numbers' digits for their lower exponent.
    fn aligned(&self, other: &Self) -> (BigInt, BigInt, i64) {
        let lower = self.exponent.min(other.exponent);
        (
            &self.digits << (self.exponent - lower),
            &other.digits << (other.exponent - lower),
            lower,
        )
    }
}

impl Add for &Exact {
    type Output = Exact;

    fn add(self, other: &Exact) -> Exact {
        if self.is_zero() {
            return other.clone();
        }
        if other.is_zero() {
            return self.clone();
        }
        let (a, b, exponent) = self.aligned(other);
        Exact {
            digits: a + b,
            exponent,
        }
    }
}

impl Sub for &Exact {
    type Output = Exact;

    fn sub(self, other: &Exact) -> Exact {
        self + &Exact {
            digits: -&other.digits,
            exponent: other.exponent,
        }
    }
}

impl Mul for &Exact {
    type Output = Exact;

    fn mul(self, other: &Exact) -> Exact {
        Exact {
            digits: &self.digits * &other.digits,
            exponent: self.exponent + other.exponent,
        }
    }
}

impl PartialEq for Exact {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Exact {}

impl PartialOrd for Exact {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Exact {
    fn cmp(&self, other: &Self) -> Ordering {
        (self - other).sign()
    }
}

/// The greatest size of some numbers; 0 of none.
pub fn greatest<'a>(numbers: impl Iterator<Item = &'a Exact>) -> Exact {
    numbers.map(Exact::size).max().unwrap_or_default()
}

/// Numbers as whole ones, all multiplied by the same power of two.
pub fn whole_numbers(numbers: &[Exact]) -> Vec<BigInt> {
    let lowest = numbers
        .iter()
        .map(|number| number.exponent)
        .min()
        .unwrap_or(0);
    let digits = |number: &Exact| &number.digits << (number.exponent - lowest);
    numbers.iter().map(digits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_rounding_loses_is_kept() {
        // 0.1 + 0.2 is not 0.3 in binary, and 1e16 + 1 − 1e16 is 1.
        let sum = &Exact::of(0.1) + &Exact::of(0.2);
        assert_eq!(sum.cmp(&Exact::of(0.3)), Ordering::Greater);
        let one = &(&Exact::of(1e16) + &Exact::of(1.0)) - &Exact::of(1e16);
        assert_eq!(one, Exact::of(1.0));
        // Extremes of the format: the least subnormal number, squared, is still above 0.
        let least = Exact::of(5e-324);
        assert_eq!((&least * &least).sign(), Ordering::Greater);
        assert_eq!(&least + &Exact::of(-5e-324), Exact::default());
        assert_eq!(Exact::of(-0.0), Exact::default());
        assert_eq!(Exact::of(f64::MAX).near(), f64::MAX);
        assert_eq!(Exact::of(3.0).twice(), Exact::of(6.0));
        assert_eq!(Exact::of(-3.0).size(), Exact::of(3.0));
    }

    proptest! {
        /// Whole numbers: the arithmetic of i128, at powers of two apart.
        #[test]
        fn it_is_the_arithmetic_of_whole_numbers(a in -1_i64 << 52..1 << 52, b in -1_i64 << 52..1 << 52, power in -300..300_i32) {
            let exact = |whole: i64| Exact::of(whole as f64 * 2.0_f64.powi(power));
            let wide = |whole: i128| Exact { digits: whole.into(), exponent: i64::from(power) };
            let (x, y) = (exact(a), exact(b));
            let (a, b) = (i128::from(a), i128::from(b));
            prop_assert_eq!(&x + &y, wide(a + b));
            prop_assert_eq!(&x - &y, wide(a - b));
            let mut product = wide(a * b);
            product.exponent += i64::from(power);
            prop_assert_eq!(&x * &y, product);
            prop_assert_eq!(x.cmp(&y), a.cmp(&b));
        }

        #[test]
        fn near_is_near(bits: u64) {
            let value = f64::from_bits(bits);
            if value.is_finite() && (value == 0.0 || value.abs() > 1e-300) {
                prop_assert!((Exact::of(value).near() - value).abs() <= 4.0 * f64::EPSILON * value.abs());
            }
        }
    }
}
