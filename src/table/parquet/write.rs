//! A table as a Parquet file.

use std::{
    io::{self, Write},
    ops::Range,
    sync::Arc,
};

use parquet::{
    basic::Compression,
    column::writer::ColumnWriterImpl,
    data_type::{
        BoolType, ByteArrayType, DoubleType, FixedLenByteArrayType, FloatType, Int32Type, Int64Type,
    },
    data_type::{ByteArray, DataType, FixedLenByteArray},
    errors::ParquetError,
    file::{
        properties::{EnabledStatistics, WriterProperties},
        writer::{SerializedColumnWriter, SerializedFileWriter},
    },
    schema::types::Type,
};
use rayon::prelude::*;

use super::{
    kind::{BYTES_OF_DECIMAL, Clock, Kind},
    read::BATCH,
};
use crate::table::{
    AttrId, Table,
    cell::{trimmed, unquoted},
    dates,
    missing::{is_default_marker, is_numeric_marker},
    number,
    spelling::Decimal,
};

const LARGEST_INTEGER: Kind = Kind::Integer {
    bits: 64,
    signed: true,
};

/// A cell as it is stored.
enum Value {
    Boolean(bool),
    I32(i32),
    I64(i64),
    F32(f32),
    F64(f64),
    Bytes(Vec<u8>),
}

/// Writes the table as [`Table::write_parquet`] says. Beside cells, names and types the file holds nothing that does not follow from them: no
/// statistics, no metadata of whatever file the table came from, and of the program its name and version.
pub(in crate::table) fn write(
    table: &Table,
    names: &[String],
    out: &mut dyn Write,
) -> io::Result<()> {
    let file = bytes_of(table, names).map_err(|error| io::Error::other(error.to_string()))?;
    out.write_all(&file)
}

fn bytes_of(table: &Table, names: &[String]) -> Result<Vec<u8>, ParquetError> {
    let ids: Vec<AttrId> = table.ids().collect();
    let kinds: Vec<Kind> = ids.par_iter().map(|&id| kind_of(table, id)).collect();
    let fields = kinds.iter().zip(names).map(|(kind, name)| kind.field(name));
    let schema = Type::group_type_builder("schema")
        .with_fields(fields.collect::<Result<_, _>>()?)
        .build()?;
    let properties = WriterProperties::builder()
        .set_created_by(format!("sdcrisk version {}", env!("CARGO_PKG_VERSION")))
        .set_compression(Compression::SNAPPY)
        .set_statistics_enabled(EnabledStatistics::None)
        .build();
    let mut file = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(properties))?;
    let n_records = table.n_records();
    for from in (0..n_records).step_by(BATCH) {
        let records = from..n_records.min(from + BATCH);
        let columns: Vec<Vec<Option<Value>>> = ids
            .par_iter()
            .zip(&kinds)
            .map(|(&id, &kind)| values(table, id, kind, records.clone()))
            .collect();
        let mut group = file.next_row_group()?;
        for column in columns {
            if let Some(mut writer) = group.next_column()? {
                write_column(&mut writer, column)?;
                writer.close()?;
            }
        }
        group.close()?;
    }
    file.into_inner()
}

/// The first of the types that may do which says all cells.
fn kind_of(table: &Table, id: AttrId) -> Kind {
    let own = table.kind(id);
    let numbers = [LARGEST_INTEGER, Kind::Double];
    let further: &[Kind] = match own {
        Some(Kind::Text | Kind::Boolean) => &[],
        // A whole number of the original means an amount: what was whole by chance would be of another type in each release.
        Some(Kind::Float | Kind::Double | Kind::Decimal { .. }) => &numbers[1..],
        Some(Kind::Integer { .. } | Kind::Date | Kind::Time(_) | Kind::Timestamp(_)) | None => {
            &numbers
        }
    };
    let says = |kind: &Kind| {
        (0..table.n_records())
            .into_par_iter()
            .all(|record| cell(table, record, id, *kind).is_ok())
    };
    let mut kinds = own.into_iter().chain(further.iter().copied());
    kinds.find(says).unwrap_or(Kind::Text)
}

fn values(table: &Table, id: AttrId, kind: Kind, records: Range<usize>) -> Vec<Option<Value>> {
    records
        .into_par_iter()
        .map(|record| cell(table, record, id, kind).unwrap_or(None))
        .collect()
}

/// A cell cannot be said in a type.
struct Unsaid;

/// A cell in a type; `None` where it is null.
fn cell(table: &Table, record: usize, id: AttrId, kind: Kind) -> Result<Option<Value>, Unsaid> {
    let raw = table.raw(record, id);
    let text = unquoted(&raw);
    let inner = trimmed(&text);
    let usual = || is_default_marker(inner) || is_numeric_marker(inner);
    if inner.is_empty() || table.is_missing(record, id) && usual() {
        return Ok(None);
    }
    let syntax = &table.file.syntax;
    let plain = |reading: &number::Reading| !reading.code;
    let value = match kind {
        Kind::Text => {
            let text = table.file.dialect.encoding.decode(&text);
            Some(Value::Bytes(text.into_owned().into_bytes()))
        }
        Kind::Boolean => match inner {
            b"true" => Some(Value::Boolean(true)),
            b"false" => Some(Value::Boolean(false)),
            _ => None,
        },
        Kind::Integer { bits, signed } => whole(inner, table).and_then(|number| {
            let range = match (signed, 1_i128 << (bits - i8::from(signed))) {
                (true, end) => -end..end,
                (false, end) => 0..end,
            };
            range.contains(&number).then(|| stored(number, kind))
        }),
        Kind::Float => (number::read(inner, syntax).filter(plain)).and_then(|reading| {
            #[expect(clippy::cast_possible_truncation, reason = "checked by its digits")]
            let value = reading.value as f32;
            says(inner, table, |out| number::print_shortest(value, out))
                .then_some(Value::F32(value))
                .filter(|_| value.is_finite())
        }),
        Kind::Double => (number::read(inner, syntax).filter(plain)).and_then(|reading| {
            says(inner, table, |out| {
                number::print_shortest(reading.value, out)
            })
            .then_some(Value::F64(reading.value))
        }),
        Kind::Decimal { digits, decimals } => (number::read(inner, syntax).filter(plain))
            .and_then(|_| unscaled(&Decimal::of(inner, syntax), digits, decimals))
            .map(|number| stored(number, kind)),
        Kind::Date => dates::from_iso(inner).map(Value::I32),
        Kind::Time(clock) => time_of_day(inner, clock).map(|number| stored(number.into(), kind)),
        Kind::Timestamp(clock) => moment(inner, clock).map(Value::I64),
    };
    value.map(Some).ok_or(Unsaid)
}

/// A number of a type that stores whole numbers, within its range.
fn stored(number: i128, kind: Kind) -> Value {
    use parquet::basic::Type as Physical;
    match kind.physical() {
        // The bits are those of the number without its sign, where the type has none.
        #[expect(clippy::cast_possible_truncation, reason = "in range, or bits")]
        Physical::INT32 => Value::I32(number as i32),
        #[expect(clippy::cast_possible_truncation, reason = "in range, or bits")]
        Physical::INT64 => Value::I64(number as i64),
        _ => {
            let bytes = number.to_be_bytes();
            let length = usize::try_from(BYTES_OF_DECIMAL).unwrap_or(bytes.len());
            Value::Bytes(bytes[bytes.len() - length..].to_vec())
        }
    }
}

/// The whole number that a cell is written as.
fn whole(inner: &[u8], table: &Table) -> Option<i128> {
    // Nearly all cells are digits without anything else.
    let digits = inner.strip_prefix(b"-").unwrap_or(inner);
    if let [b'1'..=b'9', rest @ ..] = digits
        && rest.len() < 18
        && rest.iter().all(u8::is_ascii_digit)
    {
        let size = digits
            .iter()
            .fold(0_i64, |size, digit| size * 10 + i64::from(digit - b'0'));
        return Some(
            if digits.len() < inner.len() {
                -size
            } else {
                size
            }
            .into(),
        );
    }
    let syntax = &table.file.syntax;
    number::read(inner, syntax).filter(|reading| reading.plain_integer && !reading.code)?;
    unscaled(&Decimal::of(inner, syntax), 38, 0)
}

/// A decimal in units of its last place, if it has no more digits and decimals.
fn unscaled(decimal: &Decimal, digits: u32, decimals: u32) -> Option<i128> {
    if decimal.is_zero() {
        return Some(0);
    }
    let zeros = decimal.point() - i64::try_from(decimal.n_digits()).ok()? + i64::from(decimals);
    let zeros = usize::try_from(zeros).ok()?;
    if zeros.checked_add(decimal.n_digits())? > digits as usize {
        return None;
    }
    let mut size: i128 = 0;
    for &digit in decimal.digits() {
        size = size * 10 + i128::from(digit - b'0');
    }
    for _ in 0..zeros {
        size *= 10;
    }
    Some(if decimal.is_negative() { -size } else { size })
}

/// Whether what is printed for a number has the digits of its cell, all of them.
fn says(inner: &[u8], table: &Table, print: impl FnOnce(&mut Vec<u8>)) -> bool {
    let mut printed = Vec::new();
    print(&mut printed);
    let point = number::Syntax {
        decimal: b'.',
        thousands: b"",
    };
    printed == inner
        || number::read(&printed, &point).is_some()
            && Decimal::of(&printed, &point) == Decimal::of(inner, &table.file.syntax)
}

/// The units since midnight of `04:05:06.789Z`.
fn time_of_day(text: &[u8], clock: Clock) -> Option<i64> {
    let text = match (text.strip_suffix(b"Z"), clock.utc) {
        (Some(text), true) => text,
        (None, false) => text,
        _ => return None,
    };
    let (whole, fraction) = text.split_at_checked(8)?;
    let field = |range: Range<usize>| {
        let digits = &whole[range];
        let all = digits.iter().all(u8::is_ascii_digit);
        std::str::from_utf8(digits)
            .ok()
            .filter(|_| all)?
            .parse::<i64>()
            .ok()
    };
    let (hours, minutes, seconds) = (field(0..2)?, field(3..5)?, field(6..8)?);
    let marks = (whole[2], whole[5]) == (b':', b':');
    if !marks || hours > 23 || minutes > 59 || seconds > 59 {
        return None;
    }
    let nanos = match fraction {
        [] => 0,
        [b'.', digits @ ..] if [3, 6, 9].contains(&digits.len()) => {
            let digits = std::str::from_utf8(digits).ok()?;
            let digits = digits
                .bytes()
                .all(|b| b.is_ascii_digit())
                .then_some(digits)?;
            format!("{digits:0<9}").parse::<i64>().ok()?
        }
        _ => return None,
    };
    let per_second = clock.unit.per_second();
    let unit = 1_000_000_000 / per_second;
    let seconds = (hours * 60 + minutes) * 60 + seconds;
    (nanos % unit == 0).then_some(seconds * per_second + nanos / unit)
}

/// The units since 1970 of `2011-02-03T04:05:06`.
fn moment(text: &[u8], clock: Clock) -> Option<i64> {
    let (day, rest) = text.split_at_checked(10)?;
    let time = time_of_day(rest.strip_prefix(b"T")?, clock)?;
    let of_day = 86_400 * clock.unit.per_second();
    i64::from(dates::from_iso(day)?)
        .checked_mul(of_day)?
        .checked_add(time)
}

fn write_column(
    writer: &mut SerializedColumnWriter<'_>,
    column: Vec<Option<Value>>,
) -> Result<(), ParquetError> {
    use parquet::column::writer::ColumnWriter;
    match writer.untyped() {
        ColumnWriter::BoolColumnWriter(writer) => {
            put::<BoolType>(writer, column, |value| match value {
                Value::Boolean(value) => Some(value),
                _ => None,
            })
        }
        ColumnWriter::Int32ColumnWriter(writer) => {
            put::<Int32Type>(writer, column, |value| match value {
                Value::I32(value) => Some(value),
                _ => None,
            })
        }
        ColumnWriter::Int64ColumnWriter(writer) => {
            put::<Int64Type>(writer, column, |value| match value {
                Value::I64(value) => Some(value),
                _ => None,
            })
        }
        ColumnWriter::FloatColumnWriter(writer) => {
            put::<FloatType>(writer, column, |value| match value {
                Value::F32(value) => Some(value),
                _ => None,
            })
        }
        ColumnWriter::DoubleColumnWriter(writer) => {
            put::<DoubleType>(writer, column, |value| match value {
                Value::F64(value) => Some(value),
                _ => None,
            })
        }
        ColumnWriter::ByteArrayColumnWriter(writer) => {
            put::<ByteArrayType>(writer, column, |value| match value {
                Value::Bytes(value) => Some(ByteArray::from(value)),
                _ => None,
            })
        }
        ColumnWriter::FixedLenByteArrayColumnWriter(writer) => {
            put::<FixedLenByteArrayType>(writer, column, |value| match value {
                Value::Bytes(value) => Some(FixedLenByteArray::from(value)),
                _ => None,
            })
        }
        ColumnWriter::Int96ColumnWriter(_) => {
            Err(ParquetError::General("nothing is written as INT96".into()))
        }
    }
}

fn put<T: DataType>(
    writer: &mut ColumnWriterImpl<'_, T>,
    column: Vec<Option<Value>>,
    as_stored: impl Fn(Value) -> Option<T::T>,
) -> Result<(), ParquetError> {
    let mut levels = Vec::with_capacity(column.len());
    let mut values = Vec::with_capacity(column.len());
    for value in column {
        levels.push(i16::from(value.is_some()));
        values.extend(value.and_then(&as_stored));
    }
    writer.write_batch(&values, Some(&levels), None)?;
    Ok(())
}
