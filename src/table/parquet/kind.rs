//! The types of attributes in Parquet files.

use std::sync::Arc;

use parquet::{
    basic::{ConvertedType, LogicalType, Repetition, TimeUnit, Type as Physical},
    errors::ParquetError,
    schema::types::Type,
};

/// Digits of a decimal that a whole number of 32, 64 and 128 bits always holds.
const DIGITS: [u32; 3] = [9, 18, 38];

/// Bytes of a decimal that 64 bits do not hold.
pub(super) const BYTES_OF_DECIMAL: i32 = 16;

/// What the values of an attribute are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::table) enum Kind {
    Boolean,
    /// Of 8 to 64 bits.
    Integer {
        bits: i8,
        signed: bool,
    },
    Float,
    Double,
    Decimal {
        digits: u32,
        decimals: u32,
    },
    Date,
    Time(Clock),
    Timestamp(Clock),
    Text,
}

/// How a time is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::table) struct Clock {
    pub unit: Unit,
    /// Whether it is that of UTC, and not that of some place.
    pub utc: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::table) enum Unit {
    Millis,
    Micros,
    Nanos,
}

impl Unit {
    /// So many make a second.
    pub fn per_second(self) -> i64 {
        match self {
            Self::Millis => 1_000,
            Self::Micros => 1_000_000,
            Self::Nanos => 1_000_000_000,
        }
    }
}

impl From<TimeUnit> for Unit {
    fn from(unit: TimeUnit) -> Self {
        match unit {
            TimeUnit::MILLIS => Self::Millis,
            TimeUnit::MICROS => Self::Micros,
            TimeUnit::NANOS => Self::Nanos,
        }
    }
}

impl From<Unit> for TimeUnit {
    fn from(unit: Unit) -> Self {
        match unit {
            Unit::Millis => Self::MILLIS,
            Unit::Micros => Self::MICROS,
            Unit::Nanos => Self::NANOS,
        }
    }
}

impl Kind {
    /// What a field of a schema holds.
    ///
    /// # Errors
    /// What it holds that is no value of a table, in words that follow "holds".
    pub fn of(field: &Type) -> Result<Self, &'static str> {
        let info = field.get_basic_info();
        if info.has_repetition() && info.repetition() == Repetition::REPEATED {
            return Err("lists");
        }
        let converted = info.converted_type();
        if !field.is_primitive() {
            return Err(match (info.logical_type_ref(), converted) {
                (Some(LogicalType::List), _) | (_, ConvertedType::LIST) => "lists",
                (Some(LogicalType::Map), _)
                | (_, ConvertedType::MAP | ConvertedType::MAP_KEY_VALUE) => "maps",
                _ => "records of their own",
            });
        }
        match info.logical_type_ref() {
            Some(logical) => Self::of_logical(logical, field),
            None => Self::of_converted(converted, field),
        }
    }

    fn of_logical(logical: &LogicalType, field: &Type) -> Result<Self, &'static str> {
        let clock = |unit: TimeUnit, utc: bool| Clock {
            unit: unit.into(),
            utc,
        };
        Ok(match logical {
            LogicalType::String | LogicalType::Enum | LogicalType::Json => Self::Text,
            LogicalType::Decimal(of) => decimal(of.precision, of.scale)?,
            LogicalType::Date => Self::Date,
            LogicalType::Time(of) => Self::Time(clock(of.unit, of.is_adjusted_to_u_t_c)),
            LogicalType::Timestamp(of) => Self::Timestamp(clock(of.unit, of.is_adjusted_to_u_t_c)),
            LogicalType::Integer(of) => Self::Integer {
                bits: of.bit_width,
                signed: of.is_signed,
            },
            // The type of an attribute of which every value is null.
            LogicalType::Unknown => Self::Text,
            LogicalType::Uuid => return Err("identifiers of 16 bytes (UUID)"),
            LogicalType::Float16 => return Err("numbers of 16 bits"),
            _ => return Self::of_converted(ConvertedType::NONE, field),
        })
    }

    fn of_converted(converted: ConvertedType, field: &Type) -> Result<Self, &'static str> {
        let integer = |bits, signed| Self::Integer { bits, signed };
        let utc = |unit| Clock { unit, utc: true };
        Ok(match converted {
            ConvertedType::UTF8 | ConvertedType::ENUM | ConvertedType::JSON => Self::Text,
            ConvertedType::DECIMAL => decimal(field.get_precision(), field.get_scale())?,
            ConvertedType::DATE => Self::Date,
            ConvertedType::TIME_MILLIS => Self::Time(utc(Unit::Millis)),
            ConvertedType::TIME_MICROS => Self::Time(utc(Unit::Micros)),
            ConvertedType::TIMESTAMP_MILLIS => Self::Timestamp(utc(Unit::Millis)),
            ConvertedType::TIMESTAMP_MICROS => Self::Timestamp(utc(Unit::Micros)),
            ConvertedType::UINT_8 => integer(8, false),
            ConvertedType::UINT_16 => integer(16, false),
            ConvertedType::UINT_32 => integer(32, false),
            ConvertedType::UINT_64 => integer(64, false),
            ConvertedType::INT_8 => integer(8, true),
            ConvertedType::INT_16 => integer(16, true),
            ConvertedType::INT_32 => integer(32, true),
            ConvertedType::INT_64 => integer(64, true),
            ConvertedType::INTERVAL => return Err("lengths of time"),
            _ => match field.get_physical_type() {
                Physical::BOOLEAN => Self::Boolean,
                Physical::INT32 => integer(32, true),
                Physical::INT64 => integer(64, true),
                Physical::INT96 => Self::Timestamp(Clock {
                    unit: Unit::Nanos,
                    utc: false,
                }),
                Physical::FLOAT => Self::Float,
                Physical::DOUBLE => Self::Double,
                Physical::BYTE_ARRAY | Physical::FIXED_LEN_BYTE_ARRAY => {
                    return Err("bytes that are not marked as text");
                }
            },
        })
    }

    /// How its values are stored in the files that are written.
    pub fn physical(self) -> Physical {
        match self {
            Self::Boolean => Physical::BOOLEAN,
            Self::Integer { bits: ..=32, .. } | Self::Date => Physical::INT32,
            Self::Time(Clock {
                unit: Unit::Millis, ..
            }) => Physical::INT32,
            Self::Integer { .. } | Self::Time(_) | Self::Timestamp(_) => Physical::INT64,
            Self::Float => Physical::FLOAT,
            Self::Double => Physical::DOUBLE,
            Self::Decimal { digits, .. } if digits <= DIGITS[0] => Physical::INT32,
            Self::Decimal { digits, .. } if digits <= DIGITS[1] => Physical::INT64,
            Self::Decimal { .. } => Physical::FIXED_LEN_BYTE_ARRAY,
            Self::Text => Physical::BYTE_ARRAY,
        }
    }

    /// The field of a schema for an attribute of this kind: any value may be null, so the schema says nothing of the values.
    pub fn field(self, name: &str) -> Result<Arc<Type>, ParquetError> {
        let time = |clock: Clock| (clock.utc, TimeUnit::from(clock.unit));
        let logical = match self {
            Self::Boolean | Self::Float | Self::Double => None,
            Self::Integer { bits, signed } => Some(LogicalType::integer(bits, signed)),
            Self::Decimal { digits, decimals } => {
                Some(LogicalType::decimal(signed(decimals), signed(digits)))
            }
            Self::Date => Some(LogicalType::Date),
            Self::Time(clock) => {
                let (utc, unit) = time(clock);
                Some(LogicalType::time(utc, unit))
            }
            Self::Timestamp(clock) => {
                let (utc, unit) = time(clock);
                Some(LogicalType::timestamp(utc, unit))
            }
            Self::Text => Some(LogicalType::String),
        };
        let field = Type::primitive_type_builder(name, self.physical())
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(logical);
        let field = match self {
            Self::Decimal { digits, decimals } => field
                .with_precision(signed(digits))
                .with_scale(signed(decimals))
                .with_length(BYTES_OF_DECIMAL),
            _ => field,
        };
        field.build().map(Arc::new)
    }
}

/// Digits and decimals are at most 38.
fn signed(count: u32) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}

fn decimal(digits: i32, decimals: i32) -> Result<Kind, &'static str> {
    match (u32::try_from(digits), u32::try_from(decimals)) {
        (Ok(digits), Ok(decimals)) if decimals <= digits && digits <= DIGITS[2] => {
            Ok(Kind::Decimal { digits, decimals })
        }
        _ => Err("decimals of more than 38 digits"),
    }
}
