//! Which attributes single out records as they stand: what an identifier looks like under a name that does not say so.

#![expect(
    clippy::disallowed_types,
    reason = "texts are looked up, and the map's order is never asked for"
)]

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;

use rayon::prelude::*;

use super::attribute::AttrId;
use super::encoding::Encoding;
use super::guess::{count_distinct, count_distinct_whole, key};
use super::limits::{
    FEW_VALUES, GROUP_RECORDS, IDENTIFIER_RECORDS, LONG_TEXT_LETTERS, LONG_TEXTS, PATTERN_CELLS,
    PERSON_NUMBER_DIGITS,
};
use super::number::EXACT_INTEGERS;
use super::{Table, Values, cell, identifier_name, marks};

/// How the cells of an attribute single out records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Singling {
    /// E-mail addresses.
    Emails,
    /// Telephone numbers.
    Phones,
    /// Days of the calendar that few records share, or that are named as those of birth.
    Births,
    /// Days of the calendar that many records share, as those of an interview.
    Dates,
    /// Longer texts, as remarks: who wrote one can say anything of themselves.
    LongTexts,
    /// Codes of one width of which nearly none stands twice, as tax numbers: digits only.
    PersonNumbers,
    /// The same with letters, signs between the digits, or leading zeros.
    PersonCodes,
    /// Text of which most cells differ, as reference codes.
    Texts,
    /// Whole numbers of which most differ, as incomes.
    WholeNumbers,
    /// Numbers or texts that a few records share each, named as those of households.
    Households,
    /// Cells that are equal only among neighbouring records, a few at a time.
    Groups,
}

impl Singling {
    /// What the cells are, for a message.
    pub fn words(self) -> &'static str {
        match self {
            Self::Emails => "e-mail addresses",
            Self::Phones => "telephone numbers",
            Self::Births => "dates, as of birth",
            Self::Dates => "dates",
            Self::LongTexts => "longer texts",
            Self::PersonNumbers | Self::PersonCodes => {
                "nearly unique codes of one width, as tax numbers are"
            }
            Self::Texts => "text, most cells differ",
            Self::WholeNumbers => "whole numbers, most differ",
            Self::Households => "numbers of households by name, each shared by few",
            Self::Groups => "equal only in neighbouring records, as household numbers are",
        }
    }

    /// Whether an attribute that looks like this is so likely to identify people that it is neither masked nor released before
    /// somebody states its role. What amounts and categories can look like, too, is none of these.
    pub fn wants_role(self) -> bool {
        match self {
            Self::Emails
            | Self::Phones
            | Self::Births
            | Self::LongTexts
            | Self::PersonNumbers
            | Self::PersonCodes
            | Self::Households => true,
            Self::Dates | Self::Texts | Self::WholeNumbers | Self::Groups => false,
        }
    }

    /// Whether the cells are numbers that could be amounts.
    pub fn could_be_amounts(self) -> bool {
        matches!(self, Self::WholeNumbers | Self::PersonNumbers)
    }
}

impl Table {
    /// The attributes that single out records as they stand, whatever their names and roles, in the order of the file.
    ///
    /// - *E-mail addresses*, *telephone numbers* (a plus sign, a zero or a bracket in front and signs between the digits): more than half
    ///   of at least [`PATTERN_CELLS`] cells, most of them different.
    /// - *Dates*: more than half of the cells are days of the calendar, and many differ. *As of birth*: at least
    ///   [`IDENTIFIER_RECORDS`] cells, and most differ or the name speaks of birth.
    /// - *Longer texts*: at least [`LONG_TEXTS`] cells of [`LONG_TEXT_LETTERS`] letters or more, most of them different.
    /// - *Nearly unique codes*: at least nine in ten cells differ, and they have one width: whole numbers of at least
    ///   [`PERSON_NUMBER_DIGITS`] digits that are not rounded (at most three in ten end in 0), or, in 19 of 20 cells, texts of as many
    ///   letters, with six letters or digits of which four are digits, that are neither amounts nor times.
    /// - *Numbers of households*: text or whole numbers that [`GROUP_RECORDS`] records share on average at most, under a name that says
    ///   so (`household`, `hh_no`, `Haushaltsnummer`; not `household_income`).
    /// - *Text* and *whole numbers*: more than half of the cells differ. Numbers with decimals are amounts, and none of these.
    /// - *Groups*: text or whole numbers whose equal cells stand together, [`GROUP_RECORDS`] on average at most.
    ///
    /// All from *nearly unique codes* on want [`IDENTIFIER_RECORDS`] cells. Missing cells are not looked at. It is a guess by the look of
    /// the cells: numbers of households without such a name in a file whose order is random, and what is only rare, are not seen.
    ///
    /// # Complexity
    /// Sorts every attribute once, in parallel.
    pub fn singling(&self) -> Vec<(AttrId, Singling)> {
        self.singling_among(self.ids())
    }

    /// Those of these attributes that [single out](Self::singling) records.
    pub fn singling_among(&self, ids: impl Iterator<Item = AttrId>) -> Vec<(AttrId, Singling)> {
        let ids: Vec<AttrId> = ids.collect();
        ids.into_par_iter()
            .filter_map(|id| Some((id, self.singles_out(id)?)))
            .collect()
    }

    /// The attributes that are so likely to identify people that somebody has to state their role before they are masked or released
    /// ([`Singling::wants_role`]): those whose role nobody stated, and that are not left out as identifiers anyway.
    ///
    /// # Complexity
    /// That of [`singling`](Self::singling).
    pub fn wanting_roles(&self) -> Vec<(AttrId, Singling)> {
        let mut found =
            self.singling_among(self.ids().filter(|&id| self.attribute(id).lacks_role()));
        found.retain(|&(_, singling)| singling.wants_role());
        found
    }

    /// How the cells of this attribute single out records, if they do: see [`singling`](Self::singling). Of cells as the file has them it is worked out once.
    pub(super) fn singles_out(&self, id: AttrId) -> Option<Singling> {
        let column = &self.columns[id.index()];
        if self.order.is_none() && column.is_as_read() {
            *column.singling.get_or_init(|| self.looks_singling(id))
        } else {
            self.looks_singling(id)
        }
    }

    fn looks_singling(&self, id: AttrId) -> Option<Singling> {
        let name = &self.attribute(id).name;
        let missing = self.missing(id);
        let present = (0..self.n_records()).filter(|&record| !missing.contains(record));
        let looks = match self.values(id) {
            // Ordered categories are as many as somebody listed.
            Some(_) if !self.has_numerals(id) && self.date_format(id).is_none() => return None,
            Some(numbers) if !self.has_numerals(id) => {
                let days = present.map(|record| numbers.of(record).to_bits());
                let keys: Vec<u64> = days.collect();
                Looks {
                    dates: keys.len(),
                    ..Looks::default()
                }
                .with_keys(keys)
            }
            Some(numbers) => Looks::of_numbers(numbers)?,
            None => {
                let encoding = self.dialect().encoding;
                let cells = present.map(|record| self.raw(record, id));
                Looks::of_texts(cells, encoding)
            }
        };
        looks.singling(name, self.has_numbers(id))
    }
}

/// What is counted of the cells of an attribute.
#[derive(Default)]
struct Looks {
    cells: usize,
    distinct: usize,
    /// Runs of equal cells.
    runs: usize,
    dates: usize,
    emails: usize,
    phones: usize,
    has_long_texts: bool,
    /// Cells of the most frequent width, of those that can be codes of a person.
    of_one_width: usize,
    /// Cells that end in 0, where all have one width.
    round: usize,
}

/// What a text looks like.
#[derive(Clone, Copy)]
struct Look {
    is_date: bool,
    is_email: bool,
    is_phone: bool,
    is_long: bool,
    is_code: bool,
}

/// The texts that were looked at, by their keys, which need no more hashing.
type Known = HashMap<u64, Look, BuildHasherDefault<AsItIs>>;

/// A hash of hashes.
#[derive(Default)]
struct AsItIs(u64);

impl Hasher for AsItIs {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

impl Look {
    fn of(content: &[u8], encoding: Encoding) -> Self {
        // In UTF-8 a letter begins with every byte but those of the form 10xxxxxx.
        let letters = content.iter().filter(|&&byte| byte & 0xC0 != 0x80).count();
        Self {
            is_date: is_date(content),
            is_email: is_email(content),
            is_phone: is_phone(content),
            is_long: letters >= LONG_TEXT_LETTERS,
            is_code: is_code(content, encoding),
        }
    }
}

impl Looks {
    /// Those of numbers; none where one is not whole.
    fn of_numbers(values: Values<'_>) -> Option<Self> {
        let mut looks = Self::default();
        let (mut least, mut most, mut before) = (f64::INFINITY, f64::NEG_INFINITY, f64::NAN);
        let mut block = Vec::with_capacity(64);
        for word in 0..values.n_words() {
            values.present_in(word, &mut block);
            // Without branches, so that several are looked at in one step.
            let numbers = block.iter().copied();
            if !(numbers.clone()).fold(true, |all, value| all & is_whole(value)) {
                return None;
            }
            looks.cells += block.len();
            // The first of all differs from what is no number.
            let differs = |a: f64, b: f64| usize::from(a.partial_cmp(&b) != Some(Ordering::Equal));
            let (first, last) = (block.first(), block.last());
            looks.runs += first.map_or(0, |&first| differs(before, first));
            looks.runs += block
                .windows(2)
                .map(|two| differs(two[0], two[1]))
                .sum::<usize>();
            before = last.copied().unwrap_or(before);
            let low = numbers.clone().fold(f64::INFINITY, f64::min);
            let high = numbers.clone().fold(f64::NEG_INFINITY, f64::max);
            if low < COMPACT_DATES.end && high >= COMPACT_DATES.start {
                looks.dates += numbers.filter(|&value| is_compact_date(value)).count();
            }
            (least, most) = (least.min(low), most.max(high));
        }
        let values = values.present().map(|(_, value)| value);
        looks.distinct = if -EXACT_INTEGERS <= least && most <= EXACT_INTEGERS {
            let numbers = values.clone().map(as_whole);
            count_distinct_whole(numbers, as_whole(least)..=as_whole(most), looks.cells)
        } else {
            count_distinct(values.clone().map(f64::to_bits).collect())
        };
        if digits(least) >= PERSON_NUMBER_DIGITS && digits(least) == digits(most) {
            looks.of_one_width = looks.cells;
            looks.round = values.filter(|value| value % 10.0 == 0.0).count();
        }
        Some(looks)
    }

    /// Those of texts.
    fn of_texts<'a>(cells: impl Iterator<Item = Cow<'a, [u8]>>, encoding: Encoding) -> Self {
        let mut looks = Self::default();
        let mut known = Known::default();
        let (mut keys, mut long, mut widths) = (Vec::new(), Vec::new(), Vec::new());
        for raw in cells {
            let content = cell::content(&raw);
            let key = key(content);
            // Texts that were looked at before are known.
            let look = *known
                .entry(key)
                .or_insert_with(|| Look::of(content, encoding));
            keys.push(key);
            looks.dates += usize::from(look.is_date);
            looks.emails += usize::from(look.is_email);
            looks.phones += usize::from(look.is_phone);
            if look.is_long {
                long.push(key);
            } else if look.is_code {
                widths.push(content.len());
            }
        }
        let n_long = long.len();
        looks.has_long_texts = n_long >= LONG_TEXTS && count_distinct(long) * 2 > n_long;
        looks.of_one_width = most_frequent(widths);
        looks.with_keys(keys)
    }

    /// With what the keys of the cells show, in their order.
    fn with_keys(mut self, keys: Vec<u64>) -> Self {
        self.cells = keys.len();
        self.runs = keys.chunk_by(|a, b| a == b).count();
        self.distinct = count_distinct(keys);
        self
    }

    fn singling(self, name: &str, of_numbers: bool) -> Option<Singling> {
        if self.has_long_texts {
            return Some(Singling::LongTexts);
        }
        let Self {
            cells,
            distinct,
            runs,
            of_one_width,
            ..
        } = self;
        let is_enough = cells >= IDENTIFIER_RECORDS;
        let most_differ = distinct * 2 > cells;
        let many = distinct > FEW_VALUES || distinct == cells;
        if cells >= PATTERN_CELLS && most_differ && self.emails * 2 > cells {
            return Some(Singling::Emails);
        }
        if self.dates * 2 > cells && (many || distinct * 5 > cells) {
            let of_birth = is_enough && (most_differ || identifier_name::is_of_birth(name));
            return Some(if of_birth {
                Singling::Births
            } else {
                Singling::Dates
            });
        }
        if cells >= PATTERN_CELLS && most_differ && self.phones * 2 > cells {
            return Some(Singling::Phones);
        }
        if !is_enough || !many {
            return None;
        }
        let few_share = distinct * GROUP_RECORDS > cells;
        if few_share && identifier_name::is_of_household(name) {
            return Some(Singling::Households);
        }
        if distinct * 10 >= cells * 9 {
            if of_numbers && of_one_width == cells && self.round * 10 <= cells * 3 {
                return Some(Singling::PersonNumbers);
            }
            if !of_numbers && of_one_width * 20 >= cells * 19 {
                return Some(Singling::PersonCodes);
            }
        }
        if most_differ {
            return Some(if of_numbers {
                Singling::WholeNumbers
            } else {
                Singling::Texts
            });
        }
        (runs == distinct && few_share).then_some(Singling::Groups)
    }
}

/// How often the most frequent of these is there.
fn most_frequent(mut list: Vec<usize>) -> usize {
    list.sort_unstable();
    let runs = list.chunk_by(|a, b| a == b).map(<[usize]>::len);
    runs.max().unwrap_or(0)
}

/// Whether a text can be the code of a person: six letters or digits, four of them digits, and no amount, no time.
fn is_code(text: &[u8], encoding: Encoding) -> bool {
    let count = |is: fn(&u8) -> bool| text.iter().filter(|byte| is(byte)).count();
    count(u8::is_ascii_alphanumeric) >= 6
        && count(u8::is_ascii_digit) >= 4
        && !text.contains(&b':')
        && (text.iter().all(u8::is_ascii_digit) || !marks::number_of_any_kind(text, encoding))
}

/// Whether a text is an e-mail address: something, `@`, something with a point inside; no blanks.
fn is_email(text: &[u8]) -> bool {
    let mut parts = text.split(|&byte| byte == b'@');
    let (Some(person), Some(host), None) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    let point_inside = host
        .get(1..host.len().saturating_sub(1))
        .is_some_and(|inside| inside.contains(&b'.'));
    !person.is_empty() && point_inside && !text.iter().any(u8::is_ascii_whitespace)
}

/// Whether a text is a telephone number: 7 to 15 digits after a plus sign, or after a zero or a bracket and with signs between the digits.
fn is_phone(text: &[u8]) -> bool {
    let digits = text.iter().filter(|byte| byte.is_ascii_digit()).count();
    let inside = text.get(1..).unwrap_or_default();
    let is_sign = |byte: &u8| b" -/()".contains(byte);
    (7..=15).contains(&digits)
        && matches!(text[0], b'+' | b'0' | b'(')
        && (inside.iter()).all(|byte| byte.is_ascii_digit() || is_sign(byte))
        && (text[0] == b'+' || inside.iter().any(is_sign))
}

#[expect(
    clippy::float_cmp,
    reason = "a number is whole if this takes nothing away"
)]
fn is_whole(value: f64) -> bool {
    // From 2^52 on all numbers are whole, and a number below loses its fraction when this much is added.
    const ALL_WHOLE: f64 = EXACT_INTEGERS / 2.0;
    let size = value.abs();
    (size >= ALL_WHOLE) | (size + ALL_WHOLE - ALL_WHOLE == size)
}

#[expect(clippy::cast_possible_truncation, reason = "whole, and not too large")]
fn as_whole(value: f64) -> i64 {
    value as i64
}

/// Digits of a whole number; 1 of a negative one.
fn digits(size: f64) -> usize {
    // Powers of ten are exact as far as digits are.
    let (mut digits, mut power) = (1, 10.0);
    while size >= power && size.is_finite() {
        (digits, power) = (digits + 1, power * 10.0);
    }
    digits
}

/// Days as in 19800312 are whole numbers in here.
const COMPACT_DATES: Range<f64> = 18_000_000.0..22_000_000.0;

/// Whether a whole number is a day as in 19800312.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "whole, positive, and not too large"
)]
fn is_compact_date(value: f64) -> bool {
    if !COMPACT_DATES.contains(&value) {
        return false;
    }
    let day = value as u32;
    (1..=12).contains(&(day / 100 % 100)) && (1..=31).contains(&(day % 100))
}

/// Whether a text is a day of the calendar: year, month and day in this order, or day and month in either order and then the
/// year; months as numbers or English names. A time may follow.
fn is_date(text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else {
        return false;
    };
    // No date with its time is longer, and most texts are.
    const LONGEST: usize = 40;
    if text.len() > LONGEST || !text.starts_with(|first: char| first.is_ascii_alphanumeric()) {
        return false;
    }
    if text.len() == 8
        && let Ok(number) = text.parse::<u32>()
    {
        return is_compact_date(number.into());
    }
    let day = match text.find(':') {
        // The hours stand before the colon.
        Some(colon) => match text[..colon].rfind([' ', 'T']) {
            Some(end) => &text[..end],
            None => return false,
        },
        None => text,
    };
    let parts: Vec<&str> = day
        .split(|sign: char| !sign.is_ascii_alphanumeric())
        .filter(|part| !part.is_empty())
        .collect();
    let [a, b, c] = parts[..] else {
        return false;
    };
    (is_year(a) && is_month(b) && is_day(c))
        || ((is_year(c) || number(c).is_some_and(|_| c.len() == 2))
            && (is_day(a) && is_month(b) || is_month(a) && is_day(b)))
}

fn number(part: &str) -> Option<u32> {
    let digits = part.bytes().all(|byte| byte.is_ascii_digit());
    (digits && part.len() <= 4).then(|| part.parse().ok())?
}

fn is_year(part: &str) -> bool {
    part.len() == 4 && number(part).is_some_and(|year| (1800..2200).contains(&year))
}

fn is_day(part: &str) -> bool {
    part.len() <= 2 && number(part).is_some_and(|day| (1..=31).contains(&day))
}

fn is_month(part: &str) -> bool {
    const NAMES: [&str; 12] = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ];
    match number(part) {
        Some(month) => part.len() <= 2 && (1..=12).contains(&month),
        None => {
            let name = part.get(..3).map(str::to_ascii_lowercase);
            name.is_some_and(|name| NAMES.contains(&name.as_str()))
        }
    }
}
