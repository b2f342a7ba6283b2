//! Which attributes single out records as they stand: what an identifier looks like under a name that does not say so.

use rayon::prelude::*;

use super::attribute::AttrId;
use super::guess::{count_distinct, key};
use super::limits::{FEW_VALUES, GROUP_RECORDS, IDENTIFIER_RECORDS, LONG_TEXT_LETTERS, LONG_TEXTS};
use super::{Table, cell};

/// How the cells of an attribute single out records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Singling {
    /// Days of the calendar, as of birth.
    Dates,
    /// Longer texts, as remarks: who wrote one can say anything of themselves.
    LongTexts,
    /// Text of which most cells differ, as reference codes.
    Texts,
    /// Whole numbers of which most differ, as tax numbers and incomes.
    WholeNumbers,
    /// Cells that are equal only among neighbouring records, a few at a time, as numbers of households.
    Groups,
}

impl Singling {
    /// What the cells are, for a message.
    pub fn words(self) -> &'static str {
        match self {
            Self::Dates => "dates",
            Self::LongTexts => "longer texts",
            Self::Texts => "text, most cells differ",
            Self::WholeNumbers => "whole numbers, most differ",
            Self::Groups => "equal only in neighbouring records, as household numbers are",
        }
    }
}

impl Table {
    /// The attributes that single out records as they stand, whatever their names and roles, in the order of the file.
    ///
    /// - *Dates*: more than half of the cells are days of the calendar, and many differ.
    /// - *Longer texts*: at least [`LONG_TEXTS`] cells of [`LONG_TEXT_LETTERS`] letters or more, most of them different.
    /// - *Text* and *whole numbers*: more than half of the cells differ. Numbers with decimals are amounts, and none of these.
    /// - *Groups*: text or whole numbers whose equal cells stand together, [`GROUP_RECORDS`] on average at most.
    ///
    /// All but dates want [`IDENTIFIER_RECORDS`] records. Missing cells are not looked at. It is a guess by the look of the
    /// cells: numbers of households in a file whose order is random, and what is only rare, are not seen.
    ///
    /// # Complexity
    /// Sorts every attribute once, in parallel.
    pub fn singling(&self) -> Vec<(AttrId, Singling)> {
        let ids: Vec<AttrId> = self.ids().collect();
        ids.into_par_iter()
            .filter_map(|id| Some((id, self.singles_out(id)?)))
            .collect()
    }

    fn singles_out(&self, id: AttrId) -> Option<Singling> {
        let missing = self.missing(id);
        let present = (0..self.n_records()).filter(|&record| !missing.contains(record));
        let (keys, dates, singly) = match self.numbers(id) {
            Some(numbers) => {
                let values: Vec<f64> = present.map(|record| numbers.values[record]).collect();
                if values.iter().any(|value| value.fract() != 0.0) {
                    return None;
                }
                let dates = values.iter().filter(|&&value| is_compact_date(value));
                let dates = dates.count();
                let keys = values.into_iter().map(f64::to_bits).collect();
                (keys, dates, Singling::WholeNumbers)
            }
            None => {
                let mut texts = Texts::default();
                present.for_each(|record| texts.add(cell::content(&self.raw(record, id))));
                if texts.are_long() {
                    return Some(Singling::LongTexts);
                }
                (texts.keys, texts.dates, Singling::Texts)
            }
        };
        let cells = keys.len();
        let runs = 1 + keys.windows(2).filter(|pair| pair[0] != pair[1]).count();
        let distinct = count_distinct(keys);
        let many = distinct > FEW_VALUES || distinct == cells;
        if dates * 2 > cells && (many || distinct * 5 > cells) {
            return Some(Singling::Dates);
        }
        if cells < IDENTIFIER_RECORDS || !many {
            return None;
        }
        if distinct * 2 > cells {
            return Some(singly);
        }
        (runs == distinct && distinct * GROUP_RECORDS > cells).then_some(Singling::Groups)
    }
}

/// What is counted of the cells of an attribute of text.
#[derive(Default)]
struct Texts {
    keys: Vec<u64>,
    dates: usize,
    long: Vec<u64>,
}

impl Texts {
    fn add(&mut self, content: &[u8]) {
        let key = key(content);
        self.keys.push(key);
        self.dates += usize::from(is_date(content));
        // In UTF-8 a letter begins with every byte but those of the form 10xxxxxx.
        let letters = content.iter().filter(|&&byte| byte & 0xC0 != 0x80).count();
        if letters >= LONG_TEXT_LETTERS {
            self.long.push(key);
        }
    }

    fn are_long(&self) -> bool {
        let long = self.long.len();
        long >= LONG_TEXTS && count_distinct(self.long.clone()) * 2 > long
    }
}

/// Whether a whole number is a day as in 19800312.
fn is_compact_date(value: f64) -> bool {
    let (year, day) = ((value / 1e4).floor(), value.rem_euclid(1e4));
    let (month, day) = ((day / 100.0).floor(), day.rem_euclid(100.0));
    (1800.0..2200.0).contains(&year) && (1.0..=12.0).contains(&month) && (1.0..=31.0).contains(&day)
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
        return is_compact_date(f64::from(number));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::ReadOptions;

    #[test]
    fn days_of_the_calendar_are_dates() {
        for text in [
            "1980-03-12",
            "12.03.1980",
            "3/12/1980",
            "12/3/80",
            "12-MAR-1980",
            "March 12, 1980",
            "19800312",
            "1980-03-12T08:30:00Z",
            "12.03.1980 08:30",
        ] {
            assert!(is_date(text.as_bytes()), "{text}");
        }
        for text in [
            "",
            "1980",
            "1980-13-12",
            "12.40.1980",
            "10.0.0.1",
            "19801399",
            "08:30:00",
            "A1-B2-C3",
            "Marseille",
            "1980-03",
            "120-03-12",
            "12345678",
        ] {
            assert!(!is_date(text.as_bytes()), "{text}");
        }
    }

    /// Sixty records of three to a household and thirty different birthdays; an income that nobody shares, an amount with
    /// decimals, an age that many share, remarks of which two thirds are the same.
    #[test]
    fn attributes_are_named_by_how_they_single_out() {
        let mut text = String::from("hh,born,income,amount,age,remark,code,sex\n");
        for record in 0..60_u32 {
            let remark = match record % 3 {
                0 => format!("I moved here {record} years ago for my work at the mill"),
                _ => "none".into(),
            };
            text += &format!(
                "{},{:02}.{:02}.19{:02},{},{}.5,{},{remark},k{},{}\n",
                1000 + record / 3 * 7,
                1 + record % 28,
                1 + record % 12,
                50 + record % 30,
                20_000 + record * 7_919 % 10_007,
                record,
                20 + record % 25,
                record * 7 % 53,
                record % 2,
            );
        }
        let table = Table::read("t.csv", text.into_bytes(), &ReadOptions::default()).unwrap();
        let found: Vec<(&str, Singling)> = table
            .singling()
            .into_iter()
            .map(|(id, singling)| (table.attribute(id).name.as_str(), singling))
            .collect();
        assert_eq!(
            found,
            [
                // 20 households are no more than the few values that codes have.
                ("born", Singling::Dates),
                ("income", Singling::WholeNumbers),
                ("remark", Singling::LongTexts),
                ("code", Singling::Texts),
            ]
        );
    }

    /// 200 records, three or so to a household, whose numbers skip; the same numbers in another order are not seen.
    #[test]
    fn household_numbers_stand_together() {
        let table = |order: fn(u32) -> u32| {
            let mut text = String::from("hh,size\n");
            for place in 0..200 {
                let record = order(place);
                text += &format!("{},{}\n", 5_000 + record / 3 * 11, record % 4);
            }
            Table::read("t.csv", text.into_bytes(), &ReadOptions::default()).unwrap()
        };
        let found = table(|place| place).singling();
        assert_eq!(found, [(AttrId::new(0), Singling::Groups)]);
        assert_eq!(table(|place| place * 67 % 200).singling(), []);
    }
}
