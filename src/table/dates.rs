//! Days of the calendar, as offices write them.

use crate::error::{Error, Result};

/// How the dates of an attribute are written: the fields `%d`, `%m`, `%b` and `%Y`, and what stands between them.
///
/// ```text
/// %d   the day of the month, in two digits; %-d without a leading zero
/// %m   the month, in two digits; %-m without a leading zero
/// %b   the month as Jan, Feb, Mar, Apr, May, Jun, Jul, Aug, Sep, Oct, Nov, Dec, in letters of any size
/// %Y   the year, in four digits
/// ```
/// A day and a month may be read with or without their leading zeros where no digit follows them. There is no year of two digits: it
/// does not say which century it is of. The calendar is the Gregorian one, in all years from 1 to 9999.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DateFormat {
    pattern: String,
    parts: Vec<Part>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Day { padded: bool },
    Month { padded: bool },
    MonthName,
    Year,
    Sign(u8),
}

const MONTHS: [&[u8; 3]; 12] = [
    b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec",
];

impl DateFormat {
    /// The first and the last day: of the years 1 and 9999.
    pub const RANGE: [i32; 2] = [-719_162, 2_932_896];

    /// Reads a pattern such as `%d.%m.%Y`.
    ///
    /// # Errors
    /// Input, when it has not each of day, month and year once, has another field or a sign that is not ASCII, or if two fields of
    /// variable width follow each other.
    pub fn parse(pattern: &str) -> Result<Self> {
        let wrong = |what: &str| {
            Err(Error::input(format!("{what} in the form {pattern:?} of a date")).remedy(
                "Write it with %d (day), %m or %b (month), %Y (year, four digits) and what stands between, as in \"%d.%m.%Y\"",
            ))
        };
        let mut parts = Vec::new();
        let mut signs = pattern.chars();
        while let Some(sign) = signs.next() {
            let part = match sign {
                '%' => match signs.next() {
                    Some('d') => Part::Day { padded: true },
                    Some('m') => Part::Month { padded: true },
                    Some('b') => Part::MonthName,
                    Some('Y') => Part::Year,
                    Some('-') => match signs.next() {
                        Some('d') => Part::Day { padded: false },
                        Some('m') => Part::Month { padded: false },
                        _ => return wrong("there is an unknown field"),
                    },
                    Some('y') => {
                        return wrong("there is a year of two digits, which names no century,");
                    }
                    _ => return wrong("there is an unknown field"),
                },
                ' ' => Part::Sign(b' '),
                _ if sign.is_ascii_graphic() => Part::Sign(sign as u8),
                _ => return wrong("there is a sign that is not ASCII"),
            };
            parts.push(part);
        }
        let count = |is: fn(&Part) -> bool| parts.iter().filter(|part| is(part)).count();
        let days = count(|part| matches!(part, Part::Day { .. }));
        let months = count(|part| matches!(part, Part::Month { .. } | Part::MonthName));
        let years = count(|part| matches!(part, Part::Year));
        if [days, months, years] != [1, 1, 1] {
            return wrong("day, month and year are not there once each");
        }
        let unpadded = |part: &Part| {
            matches!(
                part,
                Part::Day { padded: false } | Part::Month { padded: false }
            )
        };
        let digits = |part: &Part| match part {
            Part::Sign(sign) => sign.is_ascii_digit(),
            part => !matches!(part, Part::MonthName),
        };
        if (parts.windows(2)).any(|pair| unpadded(&pair[0]) && digits(&pair[1])) {
            return wrong("a field without leading zeros stands right before digits");
        }
        Ok(Self {
            pattern: pattern.to_owned(),
            parts,
        })
    }

    /// The pattern.
    pub fn pattern(&self) -> &str {
        &self.pattern
    }

    /// The day of this text, counted from 1 January 1970; `None` if it is no date of this form or no day of the calendar.
    pub(super) fn read(&self, text: &[u8]) -> Option<i32> {
        let mut rest = text;
        let (mut year, mut month, mut day) = (0, 0, 0);
        for (place, part) in self.parts.iter().enumerate() {
            let is_last_digit = match self.parts.get(place + 1) {
                None | Some(Part::MonthName) => true,
                Some(Part::Sign(sign)) => !sign.is_ascii_digit(),
                Some(_) => false,
            };
            match part {
                Part::Sign(sign) => rest = rest.strip_prefix(&[*sign])?,
                Part::Day { .. } => day = number(&mut rest, 2, is_last_digit)?,
                Part::Month { .. } => month = number(&mut rest, 2, is_last_digit)?,
                Part::Year => year = number(&mut rest, 4, false)?,
                Part::MonthName => {
                    let (name, after) = rest.split_at_checked(3)?;
                    let place = MONTHS
                        .iter()
                        .position(|known| known.eq_ignore_ascii_case(name))?;
                    month = i32::try_from(place).ok()? + 1;
                    rest = after;
                }
            }
        }
        let is_day = rest.is_empty()
            && year >= 1
            && (1..=12).contains(&month)
            && (1..=days_of(year, month)).contains(&day);
        is_day.then(|| day_number(year, month, day))
    }

    /// A day as text.
    pub(super) fn text(&self, day: i32) -> Vec<u8> {
        let (year, month, day) = civil(day);
        let mut out = Vec::new();
        for part in &self.parts {
            let field = match *part {
                Part::Sign(sign) => {
                    out.push(sign);
                    continue;
                }
                Part::Day { padded: true } => format!("{day:02}"),
                Part::Day { padded: false } => day.to_string(),
                Part::Month { padded: true } => format!("{month:02}"),
                Part::Month { padded: false } => month.to_string(),
                Part::Year => format!("{year:04}"),
                Part::MonthName => {
                    let place = usize::try_from(month - 1).unwrap_or(0);
                    out.extend_from_slice(MONTHS[place]);
                    continue;
                }
            };
            out.extend_from_slice(field.as_bytes());
        }
        out
    }
}

/// A day as `1980-03-07`; `None` where it is not of the years 1 to 9999.
#[cfg(feature = "parquet")]
pub(super) fn iso(day: i32) -> Option<String> {
    let [first, last] = DateFormat::RANGE;
    let (year, month, day) = (first..=last).contains(&day).then(|| civil(day))?;
    Some(format!("{year:04}-{month:02}-{day:02}"))
}

/// The day of what [`iso`] writes; `None` for any other text.
#[cfg(feature = "parquet")]
pub(super) fn from_iso(text: &[u8]) -> Option<i32> {
    let field = |range| std::str::from_utf8(text.get(range)?).ok()?.parse().ok();
    let (year, month, of_month) = (field(0..4)?, field(5..7)?, field(8..10)?);
    // Only a day of the calendar has the same text again.
    let in_range = (1..=12).contains(&month) && (1..=31).contains(&of_month);
    let day = in_range.then(|| day_number(year, month, of_month))?;
    (iso(day)?.as_bytes() == text).then_some(day)
}

/// The first day of the month of a day, of its quarter (3 months) or of its year (12), both counted from 1 January 1970 as
/// the numbers of dates are.
///
/// # Panics
/// If there are no months.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "days of years of four digits, twelve months"
)]
pub fn first_day(day: f64, months: u32) -> f64 {
    let [first, last] = DateFormat::RANGE.map(f64::from);
    let (year, month, _) = civil(day.clamp(first, last) as i32);
    let months = months as i32;
    f64::from(day_number(year, (month - 1) / months * months + 1, 1))
}

/// A number of so many digits at most, or of exactly so many.
fn number(rest: &mut &[u8], digits: usize, or_fewer: bool) -> Option<i32> {
    let found = rest
        .iter()
        .take(digits)
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    if found == 0 || found < digits && !or_fewer {
        return None;
    }
    let (number, after) = rest.split_at(found);
    *rest = after;
    std::str::from_utf8(number).ok()?.parse().ok()
}

fn days_of(year: i32, month: i32) -> i32 {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 => 28 + i32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The days from 1 January 1970 to this one.
///
/// Years begin in March here, so that the leap day is the last of its year: before month m of such a year there are
/// (153 m + 2) / 5 days, and 146,097 in 400 years (H. Hinnant, chrono-Compatible Low-Level Date Algorithms, 2013).
fn day_number(year: i32, month: i32, day: i32) -> i32 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Year, month and day of a day: the other way round.
fn civil(day: i32) -> (i32, i32, i32) {
    let day = day + 719_468;
    let era = day.div_euclid(146_097);
    let of_era = day.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + i32::from(month <= 2);
    (year, month, of_month)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(pattern: &str) -> DateFormat {
        DateFormat::parse(pattern).unwrap()
    }

    /// Every day of 400 years, counted one by one: a whole cycle of the calendar.
    #[test]
    fn days_are_counted_one_by_one() {
        let mut day = DateFormat::RANGE[0];
        assert_eq!(civil(day), (1, 1, 1));
        for year in 1..=401 {
            for month in 1..=12 {
                for of_month in 1..=days_of(year, month) {
                    assert_eq!(day_number(year, month, of_month), day);
                    assert_eq!(civil(day), (year, month, of_month));
                    day += 1;
                }
            }
        }
        // 1970 began on day 0; 11,017 days later it was 1 March 2000 (30 years with 7 leap days, and 31 + 29 days).
        assert_eq!(day_number(1970, 1, 1), 0);
        assert_eq!(day_number(2000, 3, 1), 30 * 365 + 7 + 31 + 29);
        assert_eq!(civil(DateFormat::RANGE[1]), (9999, 12, 31));
    }

    #[test]
    fn dates_are_read_and_written_in_their_form() {
        let day = day_number(1980, 3, 7);
        for (pattern, text, read_too) in [
            ("%d.%m.%Y", "07.03.1980", &["7.3.1980", "7.03.1980"][..]),
            ("%-d.%-m.%Y", "7.3.1980", &["07.03.1980"]),
            ("%Y-%m-%d", "1980-03-07", &["1980-3-7"]),
            ("%Y%m%d", "19800307", &[]),
            ("%d-%b-%Y", "07-Mar-1980", &["7-MAR-1980", "07-mar-1980"]),
            ("%d%b%Y", "07Mar1980", &["7mar1980"]),
        ] {
            let format = format(pattern);
            assert_eq!(String::from_utf8(format.text(day)).unwrap(), text);
            for text in read_too.iter().chain([&text]) {
                assert_eq!(format.read(text.as_bytes()), Some(day), "{pattern}: {text}");
            }
        }
        let format = format("%d.%m.%Y");
        for text in [
            "",
            "31.04.1980",
            "29.02.1900",
            "00.01.1980",
            "01.13.1980",
            "01.01.0000",
            "01.01.80",
            "1.1.1980 ",
            "01.01.19800",
            "1/1/1980",
            "001.01.1980",
        ] {
            assert_eq!(format.read(text.as_bytes()), None, "{text}");
        }
        assert!(format.read(b"29.02.2000").is_some());
    }

    #[cfg(feature = "parquet")]
    #[test]
    fn iso_days_are_read_as_they_are_written() {
        for day in [-719_162, -1, 0, 11_016, 2_932_896] {
            assert_eq!(from_iso(iso(day).unwrap().as_bytes()), Some(day));
        }
        assert_eq!(iso(day_number(1980, 3, 7)).unwrap(), "1980-03-07");
        assert_eq!((iso(-719_163), iso(2_932_897)), (None, None));
        for text in [
            "1980-3-7",
            "1980-02-30",
            "1980-13-01",
            "+980-03-07",
            "1980-03-07 ",
            "",
            "1980/03/07",
        ] {
            assert_eq!(from_iso(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn forms_without_a_meaning_are_refused() {
        for pattern in [
            "",
            "%d.%m",
            "%d.%m.%y",
            "%d.%m.%Y %d",
            "%H:%d.%m.%Y",
            "%",
            "%-d%m%Y",
            "%dé%m%Y",
        ] {
            let error = DateFormat::parse(pattern).unwrap_err().to_string();
            assert!(error.contains("of a date"), "{pattern}: {error}");
        }
    }

    #[test]
    fn periods_begin_on_their_first_day() {
        let day = day_number(1980, 8, 31);
        for (months, (year, month)) in [(1, (1980, 8)), (3, (1980, 7)), (12, (1980, 1))] {
            let first = first_day(f64::from(day), months);
            assert!((first - f64::from(day_number(year, month, 1))).abs() < 0.5);
        }
    }
}
