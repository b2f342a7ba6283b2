//! Values of a Parquet file as the text of cells.

use num_bigint::BigInt;
use parquet::{
    column::reader::{ColumnReader, ColumnReaderImpl},
    data_type::{DataType, Int96},
};

use super::kind::{Clock, Kind};
use crate::table::{dates, number};

const SECONDS_OF_DAY: i64 = 86_400;

/// The day from which timestamps of 96 bits count (noon of 24 November 4714 before Christ), from 1 January 1970.
const JULIAN_EPOCH: i64 = -2_440_588;

/// Cells of one attribute.
#[derive(Default)]
pub(super) struct Cells {
    text: Vec<u8>,
    /// Where each ends.
    ends: Vec<usize>,
}

impl Cells {
    /// The bytes of a cell.
    pub fn cell(&self, record: usize) -> &[u8] {
        let from = record.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[from..self.ends[record]]
    }

    /// How many bytes all of them have.
    pub fn size(&self) -> usize {
        self.text.len()
    }
}

/// Why a value has no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trouble {
    /// The file is not what it says.
    Damaged,
    /// A text is not UTF-8.
    NotText,
    /// A date is not of the years 1 to 9999.
    Date,
}

type Spelled = Result<(), Trouble>;

/// The next values of a column, as text; all of one kind. It must have so many.
pub(super) fn next(
    reader: &mut ColumnReader,
    kind: Kind,
    records: usize,
) -> Result<Cells, Trouble> {
    let mut cells = Cells::default();
    cells.ends.reserve_exact(records);
    let out = &mut cells;
    match (reader, kind) {
        (ColumnReader::BoolColumnReader(reader), Kind::Boolean) => {
            each(reader, records, out, |&value, out| {
                out.extend_from_slice(if value { b"true" } else { b"false" });
                Ok(())
            })
        }
        (ColumnReader::Int32ColumnReader(reader), kind) => {
            each(reader, records, out, |&value, out| {
                let value = match kind {
                    // The bits of a number without sign.
                    Kind::Integer { signed: false, .. } => value.cast_unsigned().into(),
                    _ => value.into(),
                };
                whole(value, kind, out)
            })
        }
        (ColumnReader::Int64ColumnReader(reader), kind) => {
            each(reader, records, out, |&value, out| match kind {
                Kind::Integer { signed: false, .. } => {
                    digits(value.cast_unsigned().into(), out);
                    Ok(())
                }
                _ => whole(value, kind, out),
            })
        }
        (ColumnReader::Int96ColumnReader(reader), Kind::Timestamp(clock)) => {
            each(reader, records, out, |value, out| {
                legacy_timestamp(value, clock, out)
            })
        }
        (ColumnReader::FloatColumnReader(reader), Kind::Float) => {
            each(reader, records, out, |&value, out| {
                if value.is_finite() {
                    number::print_shortest(value + 0.0, out);
                }
                not_finite(value.into(), out)
            })
        }
        (ColumnReader::DoubleColumnReader(reader), Kind::Double) => {
            each(reader, records, out, |&value, out| {
                if value.is_finite() {
                    number::print_shortest(value + 0.0, out);
                }
                not_finite(value, out)
            })
        }
        (ColumnReader::ByteArrayColumnReader(reader), Kind::Text) => {
            each(reader, records, out, |value, out| {
                if std::str::from_utf8(value.data()).is_err() {
                    return Err(Trouble::NotText);
                }
                push_text(value.data(), out);
                Ok(())
            })
        }
        (ColumnReader::ByteArrayColumnReader(reader), Kind::Decimal { decimals, .. }) => {
            each(reader, records, out, |value, out| {
                large_decimal(value.data(), decimals, out)
            })
        }
        (ColumnReader::FixedLenByteArrayColumnReader(reader), Kind::Decimal { decimals, .. }) => {
            each(reader, records, out, |value, out| {
                large_decimal(value.data(), decimals, out)
            })
        }
        _ => Err(Trouble::Damaged),
    }?;
    Ok(cells)
}

fn each<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    records: usize,
    cells: &mut Cells,
    mut spell: impl FnMut(&T::T, &mut Vec<u8>) -> Spelled,
) -> Spelled {
    let (mut levels, mut values) = (Vec::new(), Vec::new());
    let read = reader.read_records(records, Some(&mut levels), None, &mut values);
    if read.map_err(|_| Trouble::Damaged)?.0 != records {
        return Err(Trouble::Damaged);
    }
    // Without levels every record has a value.
    let mut values = values.iter();
    for record in 0..records {
        if levels.get(record).is_none_or(|&level| level > 0) {
            spell(values.next().ok_or(Trouble::Damaged)?, &mut cells.text)?;
        }
        cells.ends.push(cells.text.len());
    }
    Ok(())
}

/// A whole number as what it counts.
fn whole(value: i64, kind: Kind, out: &mut Vec<u8>) -> Spelled {
    match kind {
        Kind::Integer { .. } => digits(value.into(), out),
        Kind::Decimal { decimals, .. } => {
            decimal(value < 0, &value.unsigned_abs().to_string(), decimals, out);
        }
        Kind::Date => date(value, out)?,
        Kind::Time(clock) => time_of_day(value, clock, out)?,
        Kind::Timestamp(clock) => {
            let of_day = SECONDS_OF_DAY * clock.unit.per_second();
            date(value.div_euclid(of_day), out)?;
            out.push(b'T');
            time_of_day(value.rem_euclid(of_day), clock, out)?;
        }
        _ => return Err(Trouble::Damaged),
    }
    Ok(())
}

fn digits(value: i128, out: &mut Vec<u8>) {
    if value < 0 {
        out.push(b'-');
    }
    let from = out.len();
    let Ok(mut rest) = u64::try_from(value.unsigned_abs()) else {
        return out.extend_from_slice(value.unsigned_abs().to_string().as_bytes());
    };
    loop {
        out.push(b'0' + (rest % 10) as u8);
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out[from..].reverse();
}

/// Digits with a point before the last `decimals` of them.
fn decimal(negative: bool, digits: &str, decimals: u32, out: &mut Vec<u8>) {
    let decimals = decimals as usize;
    if negative {
        out.push(b'-');
    }
    if decimals == 0 {
        return out.extend_from_slice(digits.as_bytes());
    }
    let padded = format!("{digits:0>width$}", width = decimals + 1);
    let (whole, fraction) = padded.split_at(padded.len() - decimals);
    out.extend_from_slice(whole.as_bytes());
    out.push(b'.');
    out.extend_from_slice(fraction.as_bytes());
}

/// A decimal of any number of bytes, the greatest first, in two's complement.
fn large_decimal(bytes: &[u8], decimals: u32, out: &mut Vec<u8>) -> Spelled {
    let value = BigInt::from_signed_bytes_be(bytes);
    let digits = value.magnitude().to_string();
    decimal(
        value.sign() == num_bigint::Sign::Minus,
        &digits,
        decimals,
        out,
    );
    Ok(())
}

/// NaN is missing; what is infinite is no number, and stays visible as a word.
fn not_finite(value: f64, out: &mut Vec<u8>) -> Spelled {
    if value.is_infinite() {
        out.extend_from_slice(if value > 0.0 { b"inf" } else { b"-inf" });
    }
    Ok(())
}

fn date(day: i64, out: &mut Vec<u8>) -> Spelled {
    let day = i32::try_from(day).ok();
    let text = day.and_then(dates::iso).ok_or(Trouble::Date)?;
    out.extend_from_slice(text.as_bytes());
    Ok(())
}

fn time_of_day(value: i64, clock: Clock, out: &mut Vec<u8>) -> Spelled {
    let per_second = clock.unit.per_second();
    let (seconds, rest) = (value.div_euclid(per_second), value.rem_euclid(per_second));
    if !(0..SECONDS_OF_DAY).contains(&seconds) {
        return Err(Trouble::Damaged);
    }
    let text = format!(
        "{:02}:{:02}:{:02}",
        seconds / 3_600,
        seconds / 60 % 60,
        seconds % 60
    );
    out.extend_from_slice(text.as_bytes());
    let nanos = rest * (1_000_000_000 / per_second);
    let fraction = match nanos {
        0 => String::new(),
        _ if nanos % 1_000_000 == 0 => format!(".{:03}", nanos / 1_000_000),
        _ if nanos % 1_000 == 0 => format!(".{:06}", nanos / 1_000),
        _ => format!(".{nanos:09}"),
    };
    out.extend_from_slice(fraction.as_bytes());
    if clock.utc {
        out.push(b'Z');
    }
    Ok(())
}

/// Nanoseconds of the day in 64 bits, then the day as astronomers count.
fn legacy_timestamp(value: &Int96, clock: Clock, out: &mut Vec<u8>) -> Spelled {
    let &[low, high, day] = value.data() else {
        return Err(Trouble::Damaged);
    };
    date(i64::from(day) + JULIAN_EPOCH, out)?;
    out.push(b'T');
    let nanos = u64::from(high) << 32 | u64::from(low);
    let nanos = i64::try_from(nanos).map_err(|_| Trouble::Damaged)?;
    time_of_day(nanos, clock, out)
}

/// A text as a cell: in quotes where it would else be cut.
pub(super) fn push_text(text: &[u8], out: &mut Vec<u8>) {
    if !text.iter().any(|byte| b",\"\r\n".contains(byte)) {
        return out.extend_from_slice(text);
    }
    out.push(b'"');
    for &byte in text {
        out.extend(std::iter::repeat_n(byte, 1 + usize::from(byte == b'"')));
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::super::kind::Unit;
    use super::*;

    fn text(spell: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        spell(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn digits_of_every_size() {
        for value in [
            0,
            7,
            -7,
            10,
            i128::from(i64::MIN),
            i128::from(i64::MAX),
            i128::from(u64::MAX),
        ] {
            assert_eq!(text(|out| digits(value, out)), value.to_string());
        }
    }

    #[test]
    fn decimals_keep_their_zeros() {
        for (unscaled, decimals, expected) in [
            (1250, 2, "12.50"),
            (-5, 2, "-0.05"),
            (0, 3, "0.000"),
            (12, 0, "12"),
            (-123_456, 6, "-0.123456"),
        ] {
            let kind = Kind::Decimal {
                digits: 9,
                decimals,
            };
            assert_eq!(text(|out| whole(unscaled, kind, out).unwrap()), expected);
            // The same number in the fewest bytes.
            let bytes = BigInt::from(unscaled).to_signed_bytes_be();
            assert_eq!(
                text(|out| large_decimal(&bytes, decimals, out).unwrap()),
                expected
            );
        }
    }

    /// A thousand million seconds after the first moment of 1970 it was 1:46:40 of 9 September 2001, as Unix users celebrated.
    #[test]
    fn moments() {
        let spelled = |value: i64, unit, utc| {
            let kind = Kind::Timestamp(Clock { unit, utc });
            text(|out| whole(value, kind, out).unwrap())
        };
        assert_eq!(
            spelled(1_000_000_000_000, Unit::Millis, false),
            "2001-09-09T01:46:40"
        );
        assert_eq!(
            spelled(1_000_000_000_000_001, Unit::Micros, true),
            "2001-09-09T01:46:40.000001Z"
        );
        assert_eq!(spelled(-1, Unit::Millis, false), "1969-12-31T23:59:59.999");
        assert_eq!(
            spelled(-1, Unit::Nanos, false),
            "1969-12-31T23:59:59.999999999"
        );
        // 2001-09-09 is day 2,452,162 of the astronomers, whose days here begin at midnight.
        let mut legacy = Int96::new();
        legacy.set_data(5, 0, 2_452_162);
        let clock = Clock {
            unit: Unit::Nanos,
            utc: false,
        };
        assert_eq!(
            text(|out| legacy_timestamp(&legacy, clock, out).unwrap()),
            "2001-09-09T00:00:00.000000005"
        );
        let mut out = Vec::new();
        assert_eq!(
            whole(i64::MAX, Kind::Timestamp(clock), &mut out),
            Ok(()),
            "2262 in nanoseconds"
        );
        let millis = Kind::Timestamp(Clock {
            unit: Unit::Millis,
            utc: false,
        });
        assert_eq!(whole(i64::MAX, millis, &mut out), Err(Trouble::Date));
    }

    #[test]
    fn text_is_quoted_where_it_must_be() {
        for (plain, cell) in [
            ("a b", "a b"),
            ("a,b", "\"a,b\""),
            ("5\" pipe", "\"5\"\" pipe\""),
            ("two\nlines", "\"two\nlines\""),
            ("", ""),
            (" x", " x"),
        ] {
            assert_eq!(text(|out| push_text(plain.as_bytes(), out)), cell);
        }
    }
}
