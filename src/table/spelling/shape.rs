//! What of a number as it stands in a cell decides on how numbers are spelled; of digits alone it is seen without a closer look.

use super::decimal::Numeral;
use crate::table::number::{Digits, Syntax, wants_exponent};

/// What of a number as it stands in a cell decides on how numbers are spelled.
#[derive(Debug, PartialEq)]
pub(super) struct Shape {
    /// Digits before the mark as written, zeros included.
    pub(super) whole_written: usize,
    pub(super) decimals_written: usize,
    /// Digits before and after the mark that it takes to write the number.
    pub(super) whole_digits: usize,
    pub(super) decimals: usize,
    pub(super) is_zero: bool,
    pub(super) exponent: bool,
    pub(super) wants_exponent: bool,
    pub(super) grouped: bool,
}

impl Shape {
    pub(super) fn of(numeral: &Numeral) -> Self {
        let decimal = &numeral.decimal;
        Self {
            whole_written: numeral.whole_written,
            decimals_written: numeral.decimals_written,
            whole_digits: decimal.whole_digits(),
            decimals: decimal.decimals(),
            is_zero: decimal.is_zero(),
            exponent: numeral.exponent,
            wants_exponent: decimal.wants_exponent(),
            grouped: numeral.grouped,
        }
    }

    /// That of a number in digits alone: no leading zero, no exponent, nothing in groups, nothing around it; `None` for any other cell.
    pub(super) fn of_plain(raw: &[u8], syntax: &Syntax) -> Option<Self> {
        match Digits::of(raw, syntax) {
            Some(digits) => Self::of_digits(digits, raw, syntax),
            None => Self::of_many_digits(raw, syntax),
        }
    }

    /// The same of a cell that was read as these digits.
    #[inline(always)]
    pub(super) fn of_digits(digits: Digits, raw: &[u8], syntax: &Syntax) -> Option<Self> {
        let Digits {
            negative,
            size,
            whole,
            decimals,
            leading_zero,
        } = digits;
        let is_zero = size == 0;
        let is_fraction = whole == 1 && raw[usize::from(negative)] == b'0';
        if leading_zero
            || negative && is_zero
            || whole > longest(syntax)
            || is_fraction && wants_exponent(size, decimals)
        {
            return None;
        }
        let fraction = raw[raw.len() - decimals..].iter();
        let last_zeros = fraction.rev().take_while(|&&byte| byte == b'0').count();
        Some(Self {
            whole_written: whole,
            decimals_written: decimals,
            whole_digits: if is_fraction { 0 } else { whole },
            decimals: decimals - last_zeros,
            is_zero,
            exponent: false,
            wants_exponent: false,
            grouped: false,
        })
    }

    /// The same of a cell of any length.
    fn of_many_digits(raw: &[u8], syntax: &Syntax) -> Option<Self> {
        let digits = raw.strip_prefix(b"-").unwrap_or(raw);
        let (mut mark, mut zero, mut last_zeros) = (None, true, 0);
        for (at, &byte) in digits.iter().enumerate() {
            if byte == b'0' {
                last_zeros += 1;
            } else if byte.is_ascii_digit() {
                (zero, last_zeros) = (false, 0);
            } else if byte == syntax.decimal && mark.is_none() {
                (mark, last_zeros) = (Some(at), 0);
            } else {
                return None;
            }
        }
        let (whole, fraction) = match mark {
            None => (digits, &b""[..]),
            Some(at) => (&digits[..at], &digits[at + 1..]),
        };
        let plain = match whole {
            [] => false,
            [b'0', _, ..] => false,
            _ if digits.len() < raw.len() && zero => false,
            _ => whole.len() <= longest(syntax),
        } && (mark.is_none() || !fraction.is_empty())
            && !(whole == b"0" && fraction.starts_with(b"0000"));
        let decimals = match mark {
            None => 0,
            Some(_) => fraction.len() - last_zeros,
        };
        plain.then_some(Self {
            whole_written: whole.len(),
            decimals_written: fraction.len(),
            whole_digits: if whole == b"0" { 0 } else { whole.len() },
            decimals,
            is_zero: zero,
            exponent: false,
            wants_exponent: false,
            grouped: false,
        })
    }
}

/// The most digits before the mark of a number that has no marks for thousands and no exponent: these concern large and small numbers only.
fn longest(syntax: &Syntax) -> usize {
    if syntax.thousands.is_empty() { 16 } else { 3 }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{Around, Spelling, numerals::Numerals},
        *,
    };
    use crate::table::number;

    /// Every numeral of up to six of these bytes: the short way to see how it is spelled agrees with the long one.
    #[test]
    fn plain_numerals_need_no_closer_look() {
        for thousands in [&b""[..], b","] {
            let syntax = Syntax {
                decimal: b'.',
                thousands,
            };
            let spellings: Vec<Spelling> = (0..32)
                .map(|traits| Spelling {
                    around: Around::default(),
                    delimiter: Some(b';'),
                    numbers: Numerals {
                        fixed: (traits & 1 == 1).then_some(2),
                        grouped: traits & 2 == 2,
                        whole_digits: if traits & 4 == 4 { 2 } else { 1 },
                        bare_fraction: traits & 8 == 8,
                        exponents: traits & 16 == 16,
                        ..Numerals::plain(syntax)
                    },
                    lexicon: None,
                })
                .collect();
            let mut texts = vec![Vec::new()];
            let mut plain = 0;
            for _ in 0..6 {
                let longer = texts
                    .iter()
                    .flat_map(|text: &Vec<u8>| b"0017-.".map(|byte| [&text[..], &[byte]].concat()));
                texts = longer.collect();
                texts.sort();
                texts.dedup();
                for text in &texts {
                    if number::read(text, &syntax).is_none() {
                        continue;
                    }
                    let Some(shape) = Shape::of_plain(text, &syntax) else {
                        continue;
                    };
                    plain += 1;
                    let of_numeral = Shape::of(&Numeral::of(text, &syntax));
                    assert_eq!(shape, of_numeral, "{}", text.escape_ascii());
                    for spelling in &spellings {
                        if spelling.is_written_so(&shape) {
                            let mut cell = Vec::new();
                            spelling.respell(text, true, &mut cell);
                            assert_eq!(cell, *text, "{:?}", spelling.numbers);
                        }
                    }
                }
            }
            assert!(plain > 500, "{plain}");
        }
    }
}
