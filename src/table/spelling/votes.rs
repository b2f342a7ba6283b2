//! Which spelling most cells of an attribute have.

use std::collections::BTreeMap;

use super::{Around, Spelling, decimal::Numeral, needs_quotes, numerals::Numerals, shape::Shape};
use crate::table::{
    cell::content,
    number::{Digits, Syntax},
};

/// What the cells of an attribute say for and against each trait of a spelling. Sums and sets: the order of records plays no part.
#[derive(Debug, Default)]
pub(super) struct Votes {
    quoted: usize,
    bare: usize,
    /// What stands around the cells that need no quotes: the same for all so far, or several.
    around: Option<Result<Around, Several>>,
    /// Cells without an exponent, by the decimals written.
    decimals: BTreeMap<usize, usize>,
    /// Of these, cells that end in no zero.
    shortest: usize,
    /// The most decimals of a value, of those that are written without an exponent in an attribute that has some, and of all.
    most_plain: usize,
    most: usize,
    grouped: usize,
    ungrouped: usize,
    /// Cells with leading zeros, by digits before the mark; and the others.
    padded: BTreeMap<usize, usize>,
    unpadded: BTreeMap<usize, usize>,
    bare_fractions: usize,
    full_fractions: usize,
    exponents: usize,
    no_exponents: usize,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Several;

impl Votes {
    pub(super) fn add(
        &mut self,
        raw: &[u8],
        numeric: bool,
        delimiter: Option<u8>,
        syntax: &Syntax,
    ) {
        if numeric && let Some(shape) = Shape::of_plain(raw, syntax) {
            self.bare += 1;
            self.add_around(b"", b"");
            return self.add_number(&shape, syntax);
        }
        let inside = content(raw);
        let quoted = raw.first() == Some(&b'"');
        if !needs_quotes(inside, delimiter) {
            *(if quoted {
                &mut self.quoted
            } else {
                &mut self.bare
            }) += 1;
            // The content is a part of the cell, and the first place where it stands is after blanks and a quote only.
            let from = raw
                .iter()
                .take_while(|byte| b" \t\"".contains(byte))
                .count();
            let (before, after) = (&raw[..from], &raw[(from + inside.len()).min(raw.len())..]);
            self.add_around(before, after);
        }
        if numeric {
            self.add_number(&Shape::of(&Numeral::of(inside, syntax)), syntax);
        }
    }

    fn add_around(&mut self, before: &[u8], after: &[u8]) {
        // Mostly nothing: compared by lengths first, which is several times as fast for empty lists as comparing bytes.
        let is =
            |one: &[u8], found: &[u8]| one.len() == found.len() && (one.is_empty() || one == found);
        match &self.around {
            None => self.around = Some(Ok((before.to_vec(), after.to_vec()))),
            Some(Ok(one)) if !(is(&one.0, before) && is(&one.1, after)) => {
                self.around = Some(Err(Several));
            }
            _ => {}
        }
    }

    fn add_number(&mut self, shape: &Shape, syntax: &Syntax) {
        self.most = self.most.max(shape.decimals);
        if shape.wants_exponent {
            *(if shape.exponent {
                &mut self.exponents
            } else {
                &mut self.no_exponents
            }) += 1;
        } else {
            self.most_plain = self.most_plain.max(shape.decimals);
        }
        if shape.exponent {
            return;
        }
        *self.decimals.entry(shape.decimals_written).or_default() += 1;
        self.shortest += usize::from(shape.decimals_written == shape.decimals);
        let whole = shape.whole_written;
        if whole > shape.whole_digits.max(1) {
            *self.padded.entry(whole).or_default() += 1;
        } else {
            *self.unpadded.entry(whole).or_default() += 1;
        }
        if shape.whole_digits == 0 && !shape.is_zero {
            *(if whole == 0 {
                &mut self.bare_fractions
            } else {
                &mut self.full_fractions
            }) += 1;
        }
        if !syntax.thousands.is_empty() && whole >= 4 {
            *(if shape.grouped {
                &mut self.grouped
            } else {
                &mut self.ungrouped
            }) += 1;
        }
    }

    pub(super) fn join(mut self, other: Self) -> Self {
        self.quoted += other.quoted;
        self.bare += other.bare;
        match other.around {
            Some(Ok((before, after))) => self.add_around(&before, &after),
            Some(Err(Several)) => self.around = Some(Err(Several)),
            None => {}
        }
        for (mine, theirs) in [
            (&mut self.decimals, other.decimals),
            (&mut self.padded, other.padded),
            (&mut self.unpadded, other.unpadded),
        ] {
            for (key, count) in theirs {
                *mine.entry(key).or_default() += count;
            }
        }
        self.shortest += other.shortest;
        self.most_plain = self.most_plain.max(other.most_plain);
        self.most = self.most.max(other.most);
        self.grouped += other.grouped;
        self.ungrouped += other.ungrouped;
        self.bare_fractions += other.bare_fractions;
        self.full_fractions += other.full_fractions;
        self.exponents += other.exponents;
        self.no_exponents += other.no_exponents;
        self
    }

    pub(super) fn spelling(&self, delimiter: Option<u8>, syntax: Syntax) -> Spelling {
        let around = match &self.around {
            Some(Ok(one)) => one.clone(),
            Some(Err(Several)) if self.quoted > self.bare => (b"\"".to_vec(), b"\"".to_vec()),
            _ => Around::default(),
        };
        let exponents = self.exponents > self.no_exponents;
        let most = if exponents {
            self.most_plain
        } else {
            self.most
        };
        let fixed = self
            .decimals
            .iter()
            .filter(|&(&decimals, _)| decimals > 0 && decimals >= most)
            .max_by(|a, b| a.1.cmp(b.1).then(b.0.cmp(a.0)))
            .filter(|&(_, &count)| count >= self.shortest)
            .map(|(&decimals, _)| decimals);
        let width = self.padded.last_key_value().map_or(1, |(&width, _)| width);
        let padded = self.padded.get(&width).copied().unwrap_or(0);
        let against: usize = self.padded.values().sum::<usize>() - padded
            + self
                .unpadded
                .range(..width)
                .map(|(_, count)| count)
                .sum::<usize>();
        let whole_digits = if padded > against { width } else { 1 };
        let grouped = whole_digits == 1
            && match self.grouped + self.ungrouped {
                // Nothing is long enough to show it: the marks of the file.
                0 => !syntax.thousands.is_empty(),
                _ => self.grouped > self.ungrouped,
            };
        Spelling {
            lexicon: None,
            around,
            delimiter,
            numbers: Numerals {
                fixed,
                most: self.most,
                grouped,
                whole_digits,
                bare_fraction: whole_digits == 1 && self.bare_fractions > self.full_fractions,
                exponents,
                ..Numerals::plain(syntax)
            },
        }
    }
}

/// What most cells of an attribute are: digits alone, perhaps with a sign and with decimals. Such cells need no closer look.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(in crate::table) struct Plain {
    cells: usize,
    /// Decimals written: the fewest and the most.
    decimals: Option<(usize, usize)>,
    /// Whether a cell ends in a zero after the mark.
    zeros: bool,
    /// Whether some cell is no such number.
    others: bool,
    /// The most digits of a cell, before and after the mark.
    digits: usize,
}

/// A number of so many digits is the one that is nearest to the f64 nearest to it, so its shortest text has just these.
const EXACT_DIGITS: usize = 15;

impl Plain {
    pub(in crate::table) fn add(&mut self, raw: &[u8], syntax: &Syntax) {
        self.add_shape(Shape::of_plain(raw, syntax));
    }

    /// Adds a cell that was read as these digits.
    #[inline(always)]
    pub(in crate::table) fn add_digits(&mut self, digits: Digits, raw: &[u8], syntax: &Syntax) {
        self.add_shape(Shape::of_digits(digits, raw, syntax));
    }

    /// Cells of so many decimals each, of at most so many digits before the mark; `zeros`: some end in a zero after it.
    pub(in crate::table) fn of_many(
        cells: usize,
        decimals: usize,
        zeros: bool,
        whole: usize,
    ) -> Self {
        Self {
            cells,
            decimals: Some((decimals, decimals)),
            zeros,
            others: false,
            digits: whole + decimals,
        }
    }

    #[inline(always)]
    fn add_shape(&mut self, shape: Option<Shape>) {
        let Some(shape) = shape else {
            self.others = true;
            return;
        };
        let written = shape.decimals_written;
        self.cells += 1;
        self.zeros |= shape.decimals < written;
        self.digits = self.digits.max(shape.whole_written + written);
        let (least, most) = self.decimals.unwrap_or((written, written));
        self.decimals = Some((least.min(written), most.max(written)));
    }

    pub(in crate::table) fn join(self, other: Self) -> Self {
        let decimals = match (self.decimals, other.decimals) {
            (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
            (one, other) => one.or(other),
        };
        Self {
            cells: self.cells + other.cells,
            decimals,
            zeros: self.zeros || other.zeros,
            others: self.others || other.others,
            digits: self.digits.max(other.digits),
        }
    }

    /// Whether [`Spelling::print`] makes each cell of its number, if there is one [`spelling`](Self::spelling).
    pub(super) fn is_printed_from_numbers(&self) -> bool {
        self.digits <= EXACT_DIGITS
    }

    /// The spelling of the attribute, if all its cells are plain and spelled in one way.
    pub(super) fn spelling(&self, delimiter: Option<u8>, syntax: Syntax) -> Option<Spelling> {
        let (least, most) = self.decimals.unwrap_or((0, 0));
        if self.others || self.zeros && least < most {
            return None;
        }
        Some(Spelling {
            lexicon: None,
            around: Around::default(),
            delimiter,
            numbers: Numerals {
                fixed: (least == most && most > 0).then_some(most),
                most,
                grouped: !syntax.thousands.is_empty(),
                ..Numerals::plain(syntax)
            },
        })
    }
}
