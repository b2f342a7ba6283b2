//! How numbers are written: the one grammar of the table layer, read and printed.
//!
//! ```text
//! number   = [sign] digits [mark digits] [exponent]   at least one digit before the exponent
//! sign     = "-" | "+"
//! mark     = "." or ","                               one of them a file
//! exponent = ("e" | "E") ["-" | "+"] digit+
//! ```
//! Where the file has a thousands mark, the digits before the decimal mark may be cut by it into groups: one to
//! three digits first, then three each. Words (`inf`, `nan`), hexadecimal digits and numbers beyond the range of
//! `f64` are not numbers. A leading zero before another digit (`007`) or a leading `+` makes a number a *code*:
//! it can be read as a number when the user says so, and is not taken for one without.

use std::ops::Range;

use super::cell::word_of;
use super::encoding::Encoding;
use super::limits::MAX_NUMBER_BYTES;

/// What the numbers of one file look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Syntax {
    /// `.` or `,`.
    pub decimal: u8,
    /// The thousands mark in the file's encoding; empty when there is none.
    pub thousands: &'static [u8],
}

/// One number that was read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Reading {
    /// Its value: finite, never the negative zero.
    pub value: f64,
    /// Written without decimal mark and exponent.
    pub plain_integer: bool,
    /// Written with a leading zero or a plus sign.
    pub code: bool,
}

/// Every whole number up to this one has its own `f64`; beyond it, neighbours share one.
pub const EXACT_INTEGERS: f64 = 9_007_199_254_740_992.0;

/// Thousands marks that are understood: comma, point, space, no-break space, narrow no-break space, apostrophes.
pub(super) const THOUSANDS_MARKS: [char; 7] = [',', '.', ' ', '\u{a0}', '\u{202f}', '\'', '’'];

/// The bytes of a thousands mark, or `None` if the encoding lacks it or it is not understood.
pub(super) fn thousands_bytes(mark: char, encoding: Encoding) -> Option<&'static [u8]> {
    Some(match (mark, encoding) {
        (',', _) => b",",
        ('.', _) => b".",
        (' ', _) => b" ",
        ('\'', _) => b"'",
        ('\u{a0}', Encoding::Utf8) => "\u{a0}".as_bytes(),
        ('\u{202f}', Encoding::Utf8) => "\u{202f}".as_bytes(),
        ('’', Encoding::Utf8) => "’".as_bytes(),
        ('\u{a0}', Encoding::Windows1252) => b"\xA0",
        ('’', Encoding::Windows1252) => b"\x92",
        _ => return None,
    })
}

/// Powers of ten that an `f64` holds exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// Powers of ten up to this one are exact.
pub(super) const EXACT_POWERS: usize = POWERS.len() - 1;

/// A power of ten; exact up to [`EXACT_POWERS`].
pub(super) fn power(decimals: usize) -> f64 {
    let exponent = i32::try_from(decimals).unwrap_or(i32::MAX);
    POWERS
        .get(decimals)
        .copied()
        .unwrap_or_else(|| 10.0_f64.powi(exponent))
}

/// A number of few digits, perhaps with a minus sign and a decimal mark between them, and of nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Digits {
    pub negative: bool,
    /// What they write without the mark: at most 2^53.
    pub size: u64,
    /// Digits before the mark, at least one.
    pub whole: usize,
    /// Digits after it; of a number without a mark none.
    pub decimals: usize,
    /// Whether the first of several digits before the mark is a zero.
    pub leading_zero: bool,
}

impl Digits {
    /// Those of a text; nothing of other texts, and of numbers of so many digits that they want a closer look.
    #[inline(always)]
    pub fn of(text: &[u8], syntax: &Syntax) -> Option<Self> {
        let (negative, digits) = match text {
            [b'-', rest @ ..] => (true, rest),
            _ => (false, text),
        };
        let (size, decimals) = match whole(digits) {
            Some(size) => (size, 0),
            None => {
                let mark = digits.iter().position(|&byte| byte == syntax.decimal)?;
                let (before, after) = (&digits[..mark], &digits[mark + 1..]);
                let (size, fraction) = (whole(before)?, whole(after)?);
                let size = size.checked_mul(power_of_ten(after.len()))?;
                (size.checked_add(fraction)?, after.len())
            }
        };
        let whole = digits.len() - decimals - usize::from(decimals > 0);
        (size <= 1 << 53).then_some(Self {
            negative,
            size,
            whole,
            decimals,
            leading_zero: whole > 1 && digits[0] == b'0',
        })
    }

    /// The number, correctly rounded.
    #[inline(always)]
    pub fn reading(self) -> Reading {
        let size = scaled(self.size, self.decimals);
        Reading {
            value: if self.negative && self.size > 0 {
                -size
            } else {
                size
            },
            plain_integer: self.decimals == 0,
            code: self.leading_zero,
        }
    }
}

/// Digits of at most 2^53 of which so many are decimals, correctly rounded.
///
/// A quotient of two exact numbers is rounded once: the result is the nearest f64 (Clinger 1990).
#[inline(always)]
fn scaled(size: u64, decimals: usize) -> f64 {
    match decimals {
        0 => size as f64,
        decimals => size as f64 / POWERS[decimals],
    }
}

/// Whether digits of which so many are decimals write a number so small that it has an exponent where it is written with as few characters as
/// can be.
#[inline(always)]
pub(super) fn wants_exponent(size: u64, decimals: usize) -> bool {
    decimals >= 4 && size < power_of_ten(decimals - 4)
}

/// The number that this text (no quotes, no blanks around) writes, correctly rounded.
///
/// Texts of more than [`MAX_NUMBER_BYTES`] are not looked at.
pub(super) fn read(text: &[u8], syntax: &Syntax) -> Option<Reading> {
    match Digits::of(text, syntax) {
        Some(digits) => Some(digits.reading()),
        None => read_slowly(text, syntax),
    }
}

/// A power of ten, of at most sixteen.
#[inline(always)]
fn power_of_ten(exponent: usize) -> u64 {
    const POWERS: [u64; 17] = {
        let mut powers = [1; 17];
        let mut exponent = 1;
        while exponent < powers.len() {
            powers[exponent] = powers[exponent - 1] * 10;
            exponent += 1;
        }
        powers
    };
    POWERS[exponent]
}

/// The number that up to sixteen digits write; nothing of other texts.
#[inline(always)]
pub(super) fn whole(text: &[u8]) -> Option<u64> {
    match text.len() {
        1..=8 => up_to_eight(text),
        9..=16 => {
            let (before, last) = text.split_at(text.len() - 8);
            Some(up_to_eight(before)? * 100_000_000 + up_to_eight(last)?)
        }
        _ => None,
    }
}

/// The number that one to eight digits write: all of them are worked on at once, in the bytes of one word.
#[inline(always)]
fn up_to_eight(text: &[u8]) -> Option<u64> {
    let n = text.len();
    digits_of(word_of(text) << (8 * (8 - n)), n)
}

/// A number of a known number of decimals, and of nothing that wants a closer look.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Simple {
    pub value: f64,
    /// Digits before the mark.
    pub whole: usize,
    /// What the decimals write.
    pub fraction: u64,
}

impl Simple {
    /// The number in these bytes, if it has so many decimals, up to eight digits before and after the mark, no sign but that of a negative
    /// number, and a first digit that is no zero, or one before the mark. Numbers that other programs write with an exponent are left out.
    #[inline(always)]
    pub fn at(bytes: &[u8], cell: Range<usize>, decimals: usize, mark: u8) -> Option<Self> {
        let negative = bytes.get(cell.start) == Some(&b'-');
        let start = cell.start + usize::from(negative);
        let (end, fraction) = match decimals {
            0 => (cell.end, 0),
            _ => {
                let end = cell.end.checked_sub(decimals + 1)?;
                if bytes[end] != mark || end <= start {
                    return None;
                }
                (end, digits_at(bytes, end + 1..cell.end)?)
            }
        };
        let whole = end - start;
        let before = digits_at(bytes, start..end)?;
        let size = before * power_of_ten(decimals) + fraction;
        let has_zero_in_front = whole > 1 && before < power_of_ten(whole - 1);
        if has_zero_in_front
            || wants_exponent(size, decimals)
            || negative && size == 0
            || size > 1 << 53
        {
            return None;
        }
        let size = scaled(size, decimals);
        Some(Self {
            value: if negative { -size } else { size },
            whole,
            fraction,
        })
    }
}

/// The number that one to eight bytes write; nothing of others.
#[inline(always)]
fn digits_at(bytes: &[u8], digits: Range<usize>) -> Option<u64> {
    let n = digits.len();
    if !(1..=8).contains(&n) {
        return None;
    }
    match bytes[..digits.end].last_chunk() {
        Some(word) => digits_of(u64::from_le_bytes(*word), n),
        None => up_to_eight(&bytes[digits]),
    }
}

/// The number that the highest one to eight bytes of a word write, the lowest of them the first digit; nothing of others.
#[inline(always)]
fn digits_of(word: u64, n: usize) -> Option<u64> {
    const ZEROS: u64 = u64::from_le_bytes([b'0'; 8]);
    const HIGH: u64 = u64::from_le_bytes([0xF0; 8]);
    // Zeros in front, which are the lowest.
    let kept = u64::MAX << (8 * (8 - n));
    let word = word & kept | ZEROS & !kept;
    let six = word.wrapping_add(u64::from_le_bytes([6; 8]));
    if word & HIGH != ZEROS || six & HIGH != ZEROS {
        return None;
    }
    // Two digits, then four, then eight: a multiplication adds neighbours, the lower times a power of ten.
    let add = |word: u64, power: u64, bits: u32| word.wrapping_mul(power << bits | 1) >> bits;
    let pairs = add(word - ZEROS, 10, 8) & 0x00FF_00FF_00FF_00FF;
    let fours = add(pairs, 100, 16) & 0x0000_FFFF_0000_FFFF;
    Some(add(fours, 10_000, 32))
}

/// The same of a text that is not of [`Digits`] alone.
pub(super) fn read_slowly(text: &[u8], syntax: &Syntax) -> Option<Reading> {
    if text.len() > MAX_NUMBER_BYTES {
        return None;
    }
    let (sign, rest) = match text {
        [sign @ (b'-' | b'+'), rest @ ..] => (Some(*sign), rest),
        _ => (None, text),
    };
    // Words are by far the most frequent reason to be here.
    if !rest
        .first()
        .is_some_and(|&byte| byte.is_ascii_digit() || byte == syntax.decimal)
    {
        return None;
    }
    let mut plain = String::with_capacity(text.len());
    if sign == Some(b'-') {
        plain.push('-');
    }
    let before = plain.len();
    let mut rest = integer_part(rest, syntax, &mut plain)?;
    let code = sign == Some(b'+') || matches!(plain.as_bytes()[before..], [b'0', _, ..]);
    let mut n_digits = plain.len() - before;
    let mut plain_integer = true;
    if rest.first() == Some(&syntax.decimal) {
        plain_integer = false;
        plain.push('.');
        let fraction = take_digits(&rest[1..], &mut plain);
        n_digits += rest.len() - 1 - fraction.len();
        rest = fraction;
    }
    if n_digits == 0 {
        return None;
    }
    if let [b'e' | b'E', exponent @ ..] = rest {
        plain_integer = false;
        plain.push('e');
        let digits = match exponent {
            [sign @ (b'-' | b'+'), digits @ ..] => {
                plain.push(char::from(*sign));
                digits
            }
            _ => exponent,
        };
        rest = take_digits(digits, &mut plain);
        if rest.len() == digits.len() {
            return None;
        }
    }
    let value: f64 = plain.parse().ok()?;
    // Adding 0.0 turns the negative zero into zero and leaves every other number as it is.
    (rest.is_empty() && value.is_finite()).then_some(Reading {
        value: value + 0.0,
        plain_integer,
        code,
    })
}

/// Copies the digits before the decimal mark, without thousands marks, and gives what follows them.
fn integer_part<'a>(text: &'a [u8], syntax: &Syntax, plain: &mut String) -> Option<&'a [u8]> {
    let before = plain.len();
    let mut rest = take_digits(text, plain);
    let first_group = plain.len() - before;
    if syntax.thousands.is_empty() || !rest.starts_with(syntax.thousands) {
        return Some(rest);
    }
    if !(1..=3).contains(&first_group) || plain.as_bytes()[before] == b'0' {
        return None;
    }
    while let Some(group) = rest.strip_prefix(syntax.thousands) {
        let (digits, after) = group.split_at_checked(3)?;
        if !take_digits(digits, plain).is_empty() {
            return None;
        }
        rest = after;
    }
    (!rest.first().is_some_and(u8::is_ascii_digit)).then_some(rest)
}

fn take_digits<'a>(text: &'a [u8], plain: &mut String) -> &'a [u8] {
    let end = text
        .iter()
        .position(|byte| !byte.is_ascii_digit())
        .unwrap_or(text.len());
    plain.extend(text[..end].iter().map(|&digit| char::from(digit)));
    &text[end..]
}

/// Appends the shortest text that [`read`] gives back as this very number.
///
/// Very large and very small numbers are written with an exponent; there are no thousands marks.
pub(super) fn print(value: f64, decimal: u8, out: &mut Vec<u8>) {
    // Most numbers are whole; up to here they have no exponent.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "it is looked whether it changed"
    )]
    let whole = value as i64;
    #[expect(clippy::float_cmp, reason = "a number is whole or it is not")]
    if whole as f64 == value && value.abs() < EXACT_INTEGERS {
        out.extend_from_slice(itoa::Buffer::new().format(whole).as_bytes());
        return;
    }
    let from = out.len();
    // Adding 0.0 turns the negative zero into zero.
    print_shortest(value + 0.0, out);
    if decimal != b'.'
        && let Some(point) = out[from..].iter().position(|&byte| byte == b'.')
    {
        out[from + point] = decimal;
    }
}

/// Appends the shortest text of a finite number of either size, with a decimal point.
pub(super) fn print_shortest(value: impl ryu::Float, out: &mut Vec<u8>) {
    let mut buffer = ryu::Buffer::new();
    let text = buffer.format_finite(value).as_bytes();
    out.extend_from_slice(text.strip_suffix(b".0").unwrap_or(text));
}

/// The nearest number of so many decimals, halves (as binary has them) away from zero; its shortest text has no more decimals.
pub fn rounded(value: f64, decimals: usize) -> f64 {
    if let Some(scale) = POWERS.get(decimals) {
        let steps = value * scale;
        // A quotient of two exact numbers is rounded once: the nearest f64 to the decimal number.
        if steps.abs() < EXACT_INTEGERS {
            return steps.round() / scale + 0.0;
        }
    }
    let nearest = format!("{value:.decimals$}").parse().unwrap_or(value);
    nearest + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const POINT: Syntax = Syntax {
        decimal: b'.',
        thousands: b"",
    };
    const COMMA: Syntax = Syntax {
        decimal: b',',
        thousands: b"",
    };

    fn bits(text: &str, syntax: &Syntax) -> Option<u64> {
        read(text.as_bytes(), syntax).map(|reading| reading.value.to_bits())
    }

    proptest! {
        /// Bytes beside the digits, with the same low or high four bits, and any others.
        #[test]
        fn whole_numbers_are_digits_only(digits in "[0-9]{0,18}", at in 0..18_usize, other in prop::sample::select(b"/:\x00@.-p\x10\xb5 ".to_vec())) {
            let expected = digits.parse().ok().filter(|_| digits.len() <= 16);
            prop_assert_eq!(whole(digits.as_bytes()), expected);
            let mut text = digits.into_bytes();
            if at < text.len() {
                text[at] = other;
                prop_assert_eq!(whole(&text), None);
            }
        }

        #[test]
        fn reads_what_the_standard_library_reads(text in "-?[0-9]{0,22}(\\.[0-9]{0,25})?([eE][-+]?[0-9]{1,3})?") {
            let expected = text.parse::<f64>().ok().filter(|value| value.is_finite());
            prop_assert_eq!(bits(&text, &POINT), expected.map(|value| (value + 0.0).to_bits()), "{}", text);
            prop_assert_eq!(bits(&text.replace('.', ","), &COMMA), bits(&text, &POINT));
        }

        #[test]
        fn whole_numbers_are_printed_as_shortest_texts(value in -(1_i64 << 53)..=1 << 53, scale in 0_u32..54) {
            let value = (value >> scale) as f64;
            let (mut printed, mut shortest) = (Vec::new(), Vec::new());
            print(value, b'.', &mut printed);
            print_shortest(value, &mut shortest);
            prop_assert_eq!(printed, shortest);
        }

        #[test]
        fn what_is_printed_reads_back_to_the_same_bits(value in any::<f64>().prop_filter("finite", |v| v.is_finite())) {
            for decimal in [b'.', b','] {
                let mut text = Vec::new();
                print(value, decimal, &mut text);
                let syntax = Syntax { decimal, thousands: b"" };
                let back = read(&text, &syntax).expect("a number");
                prop_assert_eq!(back.value.to_bits(), (value + 0.0).to_bits());
                prop_assert!(!back.code);
            }
        }

        #[test]
        fn thousands_marks_change_nothing_but_the_look(whole in 0_u64..1 << 53, cents in 0_u32..100) {
            let digits = whole.to_string();
            let mut marked = String::new();
            for (at, digit) in digits.chars().enumerate() {
                if at > 0 && (digits.len() - at).is_multiple_of(3) {
                    marked.push('.');
                }
                marked.push(digit);
            }
            let syntax = Syntax { decimal: b',', thousands: b"." };
            prop_assert_eq!(bits(&marked, &syntax), bits(&digits, &POINT));
            prop_assert_eq!(bits(&format!("-{marked},{cents:02}"), &syntax), bits(&format!("-{digits}.{cents:02}"), &POINT));
        }

        #[test]
        fn any_bytes_are_a_number_or_not(text in proptest::collection::vec(any::<u8>(), 0..40)) {
            for thousands in [&b""[..], b",", b" "] {
                if let Some(reading) = read(&text, &Syntax { decimal: b'.', thousands }) {
                    prop_assert!(reading.value.is_finite());
                }
            }
        }
    }
}
