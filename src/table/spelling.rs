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

use std::{collections::BTreeMap, sync::Arc};

use rayon::prelude::*;

use super::cell::{content, unquoted};
use super::lexicon::Lexicon;
use super::limits::CHUNK;
use super::missing::{is_default_marker, is_numeric_marker};
use super::number::{self, Syntax};
use super::{AttrId, Table};

/// The longest number that is written without an exponent.
const LONGEST_PLAIN: i64 = 60;

/// Points of decimals (value = 0.d₁d₂… · 10^point) that are written without an exponent in an attribute that has some: those of
/// [`number::print`].
const PLAIN_POINTS: std::ops::RangeInclusive<i64> = -4..=16;

/// How an attribute spells its values.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Spelling {
    /// What stands around the text of a cell that needs no quotes: nothing, quotes, or the same blanks everywhere.
    around: (Vec<u8>, Vec<u8>),
    /// The byte between two cells: text that holds it is quoted.
    delimiter: Option<u8>,
    /// How numbers are written; of no use in an attribute of names.
    numbers: Numerals,
    /// What texts mean as numbers: each is written as the lexicon has it.
    lexicon: Option<Arc<Lexicon>>,
}

/// How an attribute writes its numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Numerals {
    syntax: Syntax,
    /// As many decimals always (23.50); `None` for as many as there are (23.5).
    fixed: Option<usize>,
    /// The most decimals that a value has.
    most: usize,
    /// 1 234 567 in groups.
    grouped: bool,
    /// Leading zeros up to so many digits before the decimal mark.
    whole_digits: usize,
    /// .5 and not 0.5.
    bare_fraction: bool,
    /// Very large and very small numbers with an exponent.
    exponents: bool,
}

/// A decimal number, exactly as it was written: ±0.d₁d₂… · 10^point, without zeros at either end; no digits for zero.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Decimal {
    negative: bool,
    digits: Vec<u8>,
    point: i64,
}

impl Decimal {
    /// The number of a text that [`number::read`] reads.
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

    fn whole_digits(&self) -> usize {
        usize::try_from(self.point).unwrap_or(0)
    }

    pub fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    fn wants_exponent(&self) -> bool {
        !self.is_zero() && !PLAIN_POINTS.contains(&self.point)
    }
}

/// A number as it stands in a cell: what it is, and what is spelling.
struct Numeral {
    decimal: Decimal,
    /// Digits before the mark as written, zeros included.
    whole_written: usize,
    decimals_written: usize,
    exponent: bool,
    grouped: bool,
}

impl Numeral {
    /// The parts of a text that [`number::read`] reads as a number.
    fn of(text: &[u8], syntax: &Syntax) -> Self {
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

/// What of a number as it stands in a cell decides on how numbers are spelled.
#[derive(Debug, PartialEq)]
struct Shape {
    /// Digits before the mark as written, zeros included.
    whole_written: usize,
    decimals_written: usize,
    /// Digits before and after the mark that it takes to write the number.
    whole_digits: usize,
    decimals: usize,
    is_zero: bool,
    exponent: bool,
    wants_exponent: bool,
    grouped: bool,
}

impl Shape {
    fn of(numeral: &Numeral) -> Self {
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
}

impl Numerals {
    fn plain(syntax: Syntax) -> Self {
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
    fn write(&self, decimal: &Decimal, out: &mut Vec<u8>) {
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

impl Spelling {
    /// Appends a cell with this number, in as many digits as read back to it.
    pub fn print(&self, value: f64, out: &mut Vec<u8>) {
        if let Some(lexicon) = &self.lexicon {
            return self.wrap(&lexicon.text(value), out);
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
            return self.wrap(super::cell::trimmed(&text), out);
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

/// What the cells of an attribute say for and against each trait of a spelling. Sums and sets: the order of records plays no part.
#[derive(Debug, Default)]
struct Votes {
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

type Around = (Vec<u8>, Vec<u8>);

#[derive(Debug, Clone, Copy, PartialEq)]
struct Several;

impl Votes {
    fn add(&mut self, raw: &[u8], numeric: bool, delimiter: Option<u8>, syntax: &Syntax) {
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

    fn join(mut self, other: Self) -> Self {
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

    fn spelling(&self, delimiter: Option<u8>, syntax: Syntax) -> Spelling {
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
#[derive(Debug, Clone, Copy, Default)]
struct Plain {
    cells: usize,
    /// Decimals written: the fewest and the most.
    decimals: Option<(usize, usize)>,
    /// Whether a cell ends in a zero after the mark.
    zeros: bool,
    /// Whether some cell is no such number.
    others: bool,
}

impl Shape {
    /// That of a number in digits alone: no leading zero, no exponent, nothing in groups, nothing around it; `None` for any other cell.
    fn of_plain(raw: &[u8], syntax: &Syntax) -> Option<Self> {
        let digits = raw.strip_prefix(b"-").unwrap_or(raw);
        let mark = digits.iter().position(|byte| !byte.is_ascii_digit());
        let (whole, fraction) = match mark {
            None => (digits, &b""[..]),
            Some(at) if digits[at] == syntax.decimal => (&digits[..at], &digits[at + 1..]),
            Some(_) => (&b""[..], &b""[..]),
        };
        let zero = digits
            .iter()
            .all(|&byte| byte == b'0' || byte == syntax.decimal);
        let plain = match whole {
            [] => false,
            [b'0', _, ..] => false,
            _ if digits.len() < raw.len() && zero => false,
            // Marks for thousands, and exponents, concern large and small numbers only.
            _ => whole.len() <= if syntax.thousands.is_empty() { 16 } else { 3 },
        } && (mark.is_none() || !fraction.is_empty())
            && fraction.iter().all(u8::is_ascii_digit)
            && !(whole == b"0" && fraction.starts_with(b"0000"));
        plain.then(|| {
            let zeros = fraction.iter().rev().take_while(|&&byte| byte == b'0');
            Self {
                whole_written: whole.len(),
                decimals_written: fraction.len(),
                whole_digits: if whole == b"0" { 0 } else { whole.len() },
                decimals: fraction.len() - zeros.count(),
                is_zero: zero,
                exponent: false,
                wants_exponent: false,
                grouped: false,
            }
        })
    }
}

impl Plain {
    fn add(&mut self, raw: &[u8], syntax: &Syntax) {
        let Some(shape) = Shape::of_plain(raw, syntax) else {
            self.others = true;
            return;
        };
        let written = shape.decimals_written;
        self.cells += 1;
        self.zeros |= shape.decimals < written;
        let (least, most) = self.decimals.unwrap_or((written, written));
        self.decimals = Some((least.min(written), most.max(written)));
    }

    fn join(self, other: Self) -> Self {
        let decimals = match (self.decimals, other.decimals) {
            (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
            (one, other) => one.or(other),
        };
        Self {
            cells: self.cells + other.cells,
            decimals,
            zeros: self.zeros || other.zeros,
            others: self.others || other.others,
        }
    }

    /// The spelling of the attribute, if all its cells are plain and spelled in one way.
    fn spelling(&self, delimiter: Option<u8>, syntax: Syntax) -> Option<Spelling> {
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

/// The one spelling of an attribute, and the cells that are written otherwise.
struct Plan {
    spelling: Spelling,
    /// Cells in the one spelling, each once.
    cells: Vec<Vec<u8>>,
    /// For each record that is spelled otherwise its cell.
    odd: Vec<(usize, u32)>,
}

impl Table {
    /// The table in which each of these attributes is spelled in one way, and those of them that were spelled in several.
    ///
    /// Every value stays the same number (to the last digit that is written) or the same text but for blanks around it. Of cells
    /// that miss their value, those that are empty or hold a usual marker get the one that most of them have; stated codes stay
    /// apart, each in the spelling of most. From now on new numbers and texts of the attribute are written in its spelling, too.
    ///
    /// # Complexity
    /// Reads each cell once, twice where it is not of digits alone; 4 bytes a record for attributes of several spellings.
    #[must_use]
    pub fn in_one_spelling(mut self, ids: &[AttrId]) -> (Self, Vec<AttrId>) {
        let plans: Vec<Plan> = ids.par_iter().map(|&id| self.plan(id)).collect();
        let mut mixed = Vec::new();
        for (&id, plan) in ids.iter().zip(plans) {
            let n_records = self.n_records();
            let column = &mut self.columns[id.index()];
            if !plan.odd.is_empty() {
                let mut codes = vec![Self::AS_IT_IS; n_records];
                for (record, code) in plan.odd {
                    codes[record] = code;
                }
                column.replace(codes, plan.cells);
                mixed.push(id);
            }
            column.spelling = Some(Arc::new(plan.spelling));
        }
        (self, mixed)
    }

    /// Records of which the cell of this attribute is spelled otherwise than most are.
    pub fn oddly_spelled(&self, id: AttrId) -> usize {
        self.plan(id).odd.len()
    }

    /// The most decimals of a number of this attribute as the file has them; `None` if nothing put it into one spelling.
    pub fn decimals(&self, id: AttrId) -> Option<usize> {
        let spelling = self.columns[id.index()].spelling.as_deref();
        spelling.map(Spelling::decimals)
    }

    fn plan(&self, id: AttrId) -> Plan {
        let column = &self.columns[id.index()];
        let (numeric, syntax) = (self.has_numerals(id), self.file.syntax);
        let delimiter = self.file.dialect.delimiter;
        let chunks = || {
            let starts: Vec<usize> = (0..self.n_records()).step_by(CHUNK).collect();
            starts
                .into_par_iter()
                .map(|first| first..self.n_records().min(first + CHUNK))
        };
        let present = |record: &usize| !column.missing.contains(*record);
        let plain = if numeric {
            chunks()
                .map(|records| {
                    let mut plain = Plain::default();
                    for record in records.filter(present) {
                        plain.add(&self.raw(record, id), &syntax);
                    }
                    plain
                })
                .reduce(Plain::default, Plain::join)
                .spelling(delimiter, syntax)
        } else {
            None
        };
        let mut plan = Plan {
            spelling: Spelling {
                lexicon: None,
                around: Around::default(),
                delimiter,
                numbers: Numerals::plain(syntax),
            },
            cells: Vec::new(),
            odd: Vec::new(),
        };
        let mut otherwise: Vec<(usize, Vec<u8>)> = match plain {
            Some(spelling) => {
                plan.spelling = spelling;
                Vec::new()
            }
            None => {
                plan.spelling = chunks()
                    .map(|records| {
                        let mut votes = Votes::default();
                        for record in records.filter(present) {
                            votes.add(&self.raw(record, id), numeric, delimiter, &syntax);
                        }
                        votes
                    })
                    .reduce(Votes::default, Votes::join)
                    .spelling(delimiter, syntax);
                plan.spelling.lexicon.clone_from(&column.lexicon);
                chunks()
                    .flat_map_iter(|records| {
                        let (mut found, mut cell) = (Vec::new(), Vec::new());
                        for record in records.filter(present) {
                            let raw = self.raw(record, id);
                            if numeric && plan.spelling.is_number_of_it(&raw) {
                                continue;
                            }
                            cell.clear();
                            plan.spelling.respell(&raw, numeric, &mut cell);
                            if cell != *raw {
                                found.push((record, cell.clone()));
                            }
                        }
                        found
                    })
                    .collect()
            }
        };
        otherwise.extend(self.gaps_otherwise(id));
        let mut codes: BTreeMap<Vec<u8>, u32> = BTreeMap::new();
        for (record, cell) in otherwise {
            // Fewer cells than records, whose number a u32 holds.
            let next = u32::try_from(codes.len()).unwrap_or(Self::AS_IT_IS);
            plan.odd.push((record, *codes.entry(cell).or_insert(next)));
        }
        let mut cells: Vec<(Vec<u8>, u32)> = codes.into_iter().collect();
        cells.sort_by_key(|&(_, code)| code);
        plan.cells = cells.into_iter().map(|(cell, _)| cell).collect();
        plan
    }

    /// Records that miss this attribute and mark it otherwise than most that mean the same do, with the mark of most.
    fn gaps_otherwise(&self, id: AttrId) -> Vec<(usize, Vec<u8>)> {
        let column = &self.columns[id.index()];
        let mut kinds: BTreeMap<Gap, BTreeMap<Vec<u8>, usize>> = BTreeMap::new();
        let kind = |raw: &[u8]| -> Gap {
            let inside = content(raw);
            if is_default_marker(inside) || is_numeric_marker(inside) {
                return Gap::Usual;
            }
            match number::read(inside, &self.file.syntax) {
                Some(reading) => Gap::Number(reading.value.to_bits()),
                None => Gap::Text(inside.to_vec()),
            }
        };
        for record in column.missing.records() {
            let raw = self.raw(record, id);
            *kinds
                .entry(kind(&raw))
                .or_default()
                .entry(raw.into_owned())
                .or_default() += 1;
        }
        if kinds.values().all(|spellings| spellings.len() == 1) {
            return Vec::new();
        }
        let usual: BTreeMap<&Gap, &Vec<u8>> = kinds
            .iter()
            .filter_map(|(kind, spellings)| {
                let most = spellings
                    .iter()
                    .max_by(|a, b| a.1.cmp(b.1).then(b.0.cmp(a.0)));
                most.map(|(raw, _)| (kind, raw))
            })
            .collect();
        column
            .missing
            .records()
            .filter_map(|record| {
                let raw = self.raw(record, id);
                let cell = *usual.get(&kind(&raw))?;
                (*cell != *raw).then(|| (record, cell.clone()))
            })
            .collect()
    }
}

/// What the mark of a missing value means.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    /// That it is missing: an empty cell, `NA` and the like.
    Usual,
    /// A stated code that is a number.
    Number(u64),
    /// A stated code that is none.
    Text(Vec<u8>),
}

#[cfg(test)]
mod tests {
    use super::*;

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
