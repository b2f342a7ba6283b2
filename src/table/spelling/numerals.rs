//! How an attribute writes its numbers.

use super::decimal::Decimal;
use crate::table::number::Syntax;

/// The longest number that is written without an exponent.
pub(super) const LONGEST_PLAIN: i64 = 60;

/// How an attribute writes its numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Numerals {
    pub(super) syntax: Syntax,
    /// As many decimals always (23.50); `None` for as many as there are (23.5).
    pub(super) fixed: Option<usize>,
    /// The most decimals that a value has.
    pub(super) most: usize,
    /// 1 234 567 in groups.
    pub(super) grouped: bool,
    /// Leading zeros up to so many digits before the decimal mark.
    pub(super) whole_digits: usize,
    /// .5 and not 0.5.
    pub(super) bare_fraction: bool,
    /// Very large and very small numbers with an exponent.
    pub(super) exponents: bool,
}

impl Numerals {
    pub(super) fn plain(syntax: Syntax) -> Self {
        Self {
            syntax,
            fixed: None,
            most: 0,
            grouped: false,
            whole_digits: 1,
            bare_fraction: false,
            exponents: false,
        }
    }

    /// Appends this number.
    pub(super) fn write(&self, decimal: &Decimal, out: &mut Vec<u8>) {
        let Decimal {
            negative,
            ref digits,
            point,
        } = *decimal;
        if negative {
            out.push(b'-');
        }
        let length = point.max(0) + decimal.decimals() as i64;
        if self.exponents && decimal.wants_exponent() || length > LONGEST_PLAIN {
            out.push(digits[0]);
            if digits.len() > 1 {
                out.push(self.syntax.decimal);
                out.extend_from_slice(&digits[1..]);
            }
            out.extend_from_slice(format!("e{}", point - 1).as_bytes());
            return;
        }
        let (width, zeros) = (decimal.whole_digits(), usize::try_from(-point).unwrap_or(0));
        let fraction = &digits[width.min(digits.len())..];
        let decimals = if decimal.is_zero() {
            0
        } else {
            zeros + fraction.len()
        };
        let decimals = decimals.max(self.fixed.unwrap_or(0));
        let least = if self.bare_fraction && !decimal.is_zero() && decimals > 0 {
            0
        } else {
            self.whole_digits
        };
        let length = width.max(least);
        for at in 0..length {
            if self.grouped && at > 0 && (length - at).is_multiple_of(3) {
                out.extend_from_slice(self.syntax.thousands);
            }
            let digit = (at + width)
                .checked_sub(length)
                .and_then(|at| digits.get(at));
            out.push(digit.copied().unwrap_or(b'0'));
        }
        if decimals > 0 {
            out.push(self.syntax.decimal);
            let end = out.len() + decimals;
            out.resize(out.len() + zeros, b'0');
            out.extend_from_slice(fraction);
            out.resize(end, b'0');
        }
    }

    /// Whether this number, if it has no exponent, is written as [`number::print`](crate::table::number::print) prints it, padded with zeros
    /// ([`pad`](Self::pad)).
    pub(super) fn pads_only(&self, value: f64) -> bool {
        self.whole_digits == 1 && !self.bare_fraction && (!self.grouped || value.abs() < 1000.0)
    }

    /// Appends zeros to the number that begins here until it has all its decimals.
    pub(super) fn pad(&self, start: usize, out: &mut Vec<u8>) {
        let Some(fixed) = self.fixed.filter(|&fixed| fixed > 0) else {
            return;
        };
        let mark = (out[start..].iter()).position(|&byte| byte == self.syntax.decimal);
        let end = match mark {
            Some(at) => start + at + 1 + fixed,
            None => {
                out.push(self.syntax.decimal);
                out.len() + fixed
            }
        };
        out.resize(out.len().max(end), b'0');
    }
}
