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
        let whole_of = |digits: &[u8], width: usize| -> Vec<u8> {
            let mut whole: Vec<u8> = digits.iter().copied().take(width).collect();
            whole.resize(width, b'0');
            whole
        };
        let mut whole = whole_of(digits, decimal.whole_digits());
        let used = decimal.whole_digits().min(digits.len());
        let mut fraction = vec![b'0'; usize::try_from(-point).unwrap_or(0)];
        fraction.extend_from_slice(&digits[used..]);
        if decimal.is_zero() {
            fraction.clear();
        }
        if let Some(fixed) = self.fixed
            && fraction.len() < fixed
        {
            fraction.resize(fixed, b'0');
        }
        let least = if self.bare_fraction && !decimal.is_zero() && !fraction.is_empty() {
            0
        } else {
            self.whole_digits
        };
        while whole.len() < least {
            whole.insert(0, b'0');
        }
        for (at, &digit) in whole.iter().enumerate() {
            if self.grouped && at > 0 && (whole.len() - at).is_multiple_of(3) {
                out.extend_from_slice(self.syntax.thousands);
            }
            out.push(digit);
        }
        if !fraction.is_empty() {
            out.push(self.syntax.decimal);
            out.extend_from_slice(&fraction);
        }
    }
}
