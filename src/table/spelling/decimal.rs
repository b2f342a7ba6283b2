//! Numbers as cells have them: the decimal number, exactly, and what beside it is spelling.

use crate::table::number::Syntax;

/// Points of decimals (value = 0.d₁d₂… · 10^point) that are written without an exponent in an attribute that has some: those of
/// [`number::print`](crate::table::number::print).
const PLAIN_POINTS: std::ops::RangeInclusive<i64> = -4..=16;

/// A decimal number, exactly as it was written: ±0.d₁d₂… · 10^point, without zeros at either end; no digits for zero.
#[derive(Debug, Clone, PartialEq)]
pub(in super::super) struct Decimal {
    pub(super) negative: bool,
    pub(super) digits: Vec<u8>,
    pub(super) point: i64,
}

impl Decimal {
    /// The number of a text that [`number::read`](crate::table::number::read) reads.
    pub fn of(text: &[u8], syntax: &Syntax) -> Self {
        Numeral::of(text, syntax).decimal
    }

    /// The digits, as letters, from the first that is not 0 to the last that is not 0.
    pub fn digits(&self) -> &[u8] {
        &self.digits
    }

    pub fn n_digits(&self) -> usize {
        self.digits.len()
    }

    /// Where the decimal mark stands, counted from before the first digit.
    pub fn point(&self) -> i64 {
        self.point
    }

    pub fn is_negative(&self) -> bool {
        self.negative
    }

    /// Decimals after the mark when it is written without an exponent.
    pub fn decimals(&self) -> usize {
        usize::try_from(self.digits.len() as i64 - self.point).unwrap_or(0)
    }

    pub(super) fn whole_digits(&self) -> usize {
        usize::try_from(self.point).unwrap_or(0)
    }

    pub fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    pub(super) fn wants_exponent(&self) -> bool {
        !self.is_zero() && !PLAIN_POINTS.contains(&self.point)
    }
}

/// A number as it stands in a cell: what it is, and what is spelling.
pub(super) struct Numeral {
    pub(super) decimal: Decimal,
    /// Digits before the mark as written, zeros included.
    pub(super) whole_written: usize,
    pub(super) decimals_written: usize,
    pub(super) exponent: bool,
    pub(super) grouped: bool,
}

impl Numeral {
    /// The parts of a text that [`number::read`](crate::table::number::read) reads as a number.
    pub(super) fn of(text: &[u8], syntax: &Syntax) -> Self {
        let negative = text.first() == Some(&b'-');
        let (mut digits, mut whole, mut fraction, mut marked) = (Vec::new(), 0, 0, false);
        let mut exponent = None;
        for (at, &byte) in text.iter().enumerate() {
            match byte {
                b'0'..=b'9' => {
                    digits.push(byte);
                    *(if marked { &mut fraction } else { &mut whole }) += 1;
                }
                b'e' | b'E' => {
                    // A number within the range of f64 has an exponent that is, too, or is zero.
                    let power = std::str::from_utf8(&text[at + 1..]).ok();
                    exponent = Some(
                        power
                            .and_then(|power| power.parse::<i64>().ok())
                            .unwrap_or(0),
                    );
                    break;
                }
                _ if byte == syntax.decimal => marked = true,
                _ => {}
            }
        }
        let leading = digits.iter().take_while(|&&digit| digit == b'0').count();
        let trailing = digits
            .iter()
            .rev()
            .take_while(|&&digit| digit == b'0')
            .count();
        let significant = if leading == digits.len() {
            Vec::new()
        } else {
            digits[leading..digits.len() - trailing].to_vec()
        };
        let point = if significant.is_empty() {
            0
        } else {
            whole as i64 - leading as i64 + exponent.unwrap_or(0)
        };
        let grouped =
            !syntax.thousands.is_empty() && memchr::memmem::find(text, syntax.thousands).is_some();
        Self {
            decimal: Decimal {
                negative: negative && !significant.is_empty(),
                digits: significant,
                point,
            },
            whole_written: whole,
            decimals_written: fraction,
            exponent: exponent.is_some(),
            grouped,
        }
    }
}
