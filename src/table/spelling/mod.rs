//! How the cells of an attribute are spelled, and the one spelling in which a masked attribute is written.
//!
//! `23` beside `23.00`, quotes, blanks, leading zeros, plus signs, exponents, grouped digits, `NA` beside an empty cell: such bytes say
//! nothing about a value, but they can say whose value it is. A method that moves values would move them along. So before a
//! method begins, each attribute that it masks is put into one spelling: the text of a cell is then a function of its value.
//!
//! What that spelling is follows from all cells of the attribute together, not from their order: each trait is that of most cells
//! for which it makes a difference; of equally frequent ones the plainer. An attribute that is spelled in one way keeps every byte.
//!
//! Digits are moved as text, so no value changes, however many digits it has.

mod decimal;
mod numerals;
mod one_spelling;
mod shape;
mod votes;

use std::sync::Arc;

pub(super) use decimal::Decimal;
use decimal::Numeral;
use numerals::{LONGEST_PLAIN, Numerals};
use shape::Shape;
pub(super) use votes::Plain;

use super::cell::{content, trimmed, unquoted};
use super::lexicon::Lexicon;
use super::number::{self, Syntax};

/// How an attribute spells its values.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Spelling {
    /// What stands around the text of a cell that needs no quotes: nothing, quotes, or the same blanks everywhere.
    around: Around,
    /// The byte between two cells: text that holds it is quoted.
    delimiter: Option<u8>,
    /// How numbers are written; of no use in an attribute of names.
    numbers: Numerals,
    /// What texts mean as numbers: each is written as the lexicon has it.
    lexicon: Option<Arc<Lexicon>>,
}

/// What stands before and after the text of a cell.
type Around = (Vec<u8>, Vec<u8>);

impl Spelling {
    /// Appends a cell with this number, in as many digits as read back to it.
    pub fn print(&self, value: f64, out: &mut Vec<u8>) {
        if let Some(lexicon) = &self.lexicon {
            return self.wrap(&lexicon.text(value), out);
        }
        if self.numbers.pads_only(value) {
            let before = out.len();
            out.extend_from_slice(&self.around.0);
            let start = out.len();
            number::print(value, self.numbers.syntax.decimal, out);
            self.numbers.pad(start, out);
            let text = &out[start..];
            if !text.contains(&b'e') && !self.needs_quotes(text) {
                out.extend_from_slice(&self.around.1);
                return;
            }
            out.truncate(before);
        }
        const POINT: Syntax = Syntax {
            decimal: b'.',
            thousands: b"",
        };
        let mut text = Vec::new();
        number::print(value, b'.', &mut text);
        let mut number = Vec::new();
        self.numbers
            .write(&Numeral::of(&text, &POINT).decimal, &mut number);
        self.wrap(&number, out);
    }

    /// Appends a cell with this text, in quotes where it must be.
    fn wrap(&self, text: &[u8], out: &mut Vec<u8>) {
        if !self.needs_quotes(text) {
            out.extend_from_slice(&self.around.0);
            out.extend_from_slice(text);
            out.extend_from_slice(&self.around.1);
            return;
        }
        wrap(text, self.delimiter, out);
    }

    fn needs_quotes(&self, text: &[u8]) -> bool {
        needs_quotes(text, self.delimiter)
    }

    /// What stands around a cell that needs no quotes.
    pub fn around(&self, text: &[u8]) -> Vec<u8> {
        let mut cell = Vec::with_capacity(text.len() + 2);
        self.wrap(text, &mut cell);
        cell
    }

    /// Appends the cell in this spelling; `raw` is one of a file of numbers, if `numeric`.
    fn respell(&self, raw: &[u8], numeric: bool, out: &mut Vec<u8>) {
        if let Some(lexicon) = &self.lexicon
            && let Some(reading) = lexicon.read(content(raw))
        {
            return self.wrap(&lexicon.text(reading.value), out);
        }
        if !numeric {
            let text = unquoted(raw);
            return self.wrap(trimmed(&text), out);
        }
        let mut number = Vec::new();
        let syntax = &self.numbers.syntax;
        self.numbers
            .write(&Numeral::of(content(raw), syntax).decimal, &mut number);
        self.wrap(&number, out);
    }

    /// Whether a number in digits alone is written so; `false` where that takes a closer look.
    fn is_written_so(&self, shape: &Shape) -> bool {
        let numbers = &self.numbers;
        let fraction = shape.decimals.max(numbers.fixed.unwrap_or(0));
        let is_bare = numbers.bare_fraction && shape.whole_digits == 0;
        self.lexicon.is_none()
            && self.around.0.is_empty()
            && self.around.1.is_empty()
            && numbers.whole_digits <= 1
            && !is_bare
            && shape.decimals_written == fraction
            && ((shape.whole_written + fraction) as i64) <= LONGEST_PLAIN
    }

    /// Whether this cell of a number is written in this spelling.
    pub fn is_number_of_it(&self, raw: &[u8]) -> bool {
        if Shape::of_plain(raw, &self.numbers.syntax)
            .is_some_and(|shape| self.is_written_so(&shape))
        {
            return true;
        }
        let mut cell = Vec::new();
        self.respell(raw, true, &mut cell);
        cell == raw
    }

    /// The cell of a number that is given as a text, in this spelling.
    pub fn of_number(&self, text: &[u8]) -> Vec<u8> {
        let mut cell = Vec::new();
        self.respell(text, true, &mut cell);
        cell
    }

    /// The most decimals that a value of the attribute has.
    pub fn decimals(&self) -> usize {
        self.numbers.most.max(self.numbers.fixed.unwrap_or(0))
    }
}

/// Appends a cell with this text, in quotes where it must be.
pub(super) fn wrap(text: &[u8], delimiter: Option<u8>, out: &mut Vec<u8>) {
    if !needs_quotes(text, delimiter) {
        out.extend_from_slice(text);
        return;
    }
    out.push(b'"');
    for &byte in text {
        out.extend(std::iter::repeat_n(byte, 1 + usize::from(byte == b'"')));
    }
    out.push(b'"');
}

fn needs_quotes(text: &[u8], delimiter: Option<u8>) -> bool {
    text.iter()
        .any(|byte| delimiter == Some(*byte) || b"\"\r\n".contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_by_hand() {
        let point = |thousands| Syntax {
            decimal: b'.',
            thousands,
        };
        let plain = Numerals::plain(point(b""));
        let fixed = Numerals {
            fixed: Some(2),
            ..plain
        };
        let grouped = Numerals {
            grouped: true,
            ..Numerals::plain(point(b","))
        };
        let padded = Numerals {
            whole_digits: 3,
            ..plain
        };
        let bare = Numerals {
            bare_fraction: true,
            ..plain
        };
        let exponents = Numerals {
            exponents: true,
            ..plain
        };
        let comma = Numerals::plain(Syntax {
            decimal: b',',
            thousands: b"",
        });
        let of = |numbers| {
            [0.5, -0.0, -1_234_567.25, 3.0, 1e-7, 1e20].map(|value| {
                let spelling = Spelling {
                    around: (b" ".to_vec(), Vec::new()),
                    delimiter: Some(b';'),
                    numbers,
                    lexicon: None,
                };
                let mut cell = Vec::new();
                spelling.print(value, &mut cell);
                String::from_utf8(cell).unwrap()
            })
        };
        let large = " 100000000000000000000";
        for (numbers, [half, zero, amount, three, small, large]) in [
            (
                plain,
                [" 0.5", " 0", " -1234567.25", " 3", " 0.0000001", large],
            ),
            (
                comma,
                [" 0,5", " 0", " -1234567,25", " 3", " 0,0000001", large],
            ),
            (
                fixed,
                [
                    " 0.50",
                    " 0.00",
                    " -1234567.25",
                    " 3.00",
                    " 0.0000001",
                    " 100000000000000000000.00",
                ],
            ),
            (
                grouped,
                [
                    " 0.5",
                    " 0",
                    " -1,234,567.25",
                    " 3",
                    " 0.0000001",
                    " 100,000,000,000,000,000,000",
                ],
            ),
            (
                padded,
                [
                    " 000.5",
                    " 000",
                    " -1234567.25",
                    " 003",
                    " 000.0000001",
                    large,
                ],
            ),
            (
                bare,
                [" .5", " 0", " -1234567.25", " 3", " .0000001", large],
            ),
            (
                exponents,
                [" 0.5", " 0", " -1234567.25", " 3", " 1e-7", " 1e20"],
            ),
        ] {
            assert_eq!(of(numbers), [half, zero, amount, three, small, large]);
        }
    }
}
