//! Parquet files: the table that they are, and the files that are written.
#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on must fail where it stands"
)]

use std::sync::Arc;

use parquet::{
    basic::{Compression, Encoding, Type as Physical},
    data_type::{
        BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FixedLenByteArray,
        FixedLenByteArrayType, FloatType, Int32Type, Int64Type, Int96, Int96Type,
    },
    file::{
        metadata::KeyValue,
        properties::{WriterProperties, WriterVersion},
        reader::{FileReader, SerializedFileReader},
        writer::{SerializedColumnWriter, SerializedFileWriter},
    },
    schema::{parser::parse_message_type, types::Type},
};
use proptest::prelude::*;

use sdcrisk::{
    error::{Error, ErrorKind},
    table::{ReadOptions, Role, Roles, Table, parquet::PartFile},
    visible,
};

use crate::{id, read, values, written, written_text};

/// Writes a column.
type Put<'a> = &'a dyn Fn(&mut SerializedColumnWriter<'_>);

/// Writes a row group: each column in turn.
type Group<'a> = &'a [Put<'a>];

/// A file of this schema.
fn file(schema: &str, properties: WriterProperties, groups: &[Group<'_>]) -> Vec<u8> {
    file_of(parse_message_type(schema).unwrap(), properties, groups)
}

fn file_of(schema: Type, properties: WriterProperties, groups: &[Group<'_>]) -> Vec<u8> {
    let schema = Arc::new(schema);
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties)).unwrap();
    for columns in groups {
        let mut group = writer.next_row_group().unwrap();
        for put in *columns {
            let mut column = group.next_column().unwrap().unwrap();
            put(&mut column);
            column.close().unwrap();
        }
        group.close().unwrap();
    }
    writer.into_inner().unwrap()
}

/// Puts values into a column; `None` is null.
fn put<T: DataType>(values: &[Option<T::T>]) -> impl Fn(&mut SerializedColumnWriter<'_>) + use<T> {
    let levels: Vec<i16> = values
        .iter()
        .map(|value| i16::from(value.is_some()))
        .collect();
    let values: Vec<T::T> = values.iter().flatten().cloned().collect();
    move |column| {
        let column = column.typed::<T>();
        column.write_batch(&values, Some(&levels), None).unwrap();
    }
}

fn texts(values: &[&str]) -> Vec<Option<ByteArray>> {
    values
        .iter()
        .map(|&text| Some(ByteArray::from(text)))
        .collect()
}

fn plain() -> WriterProperties {
    WriterProperties::builder().build()
}

fn of(bytes: Vec<u8>) -> Result<Table, Error> {
    Table::read("t.parquet", bytes, &ReadOptions::default())
}

/// What the table is in Parquet.
fn parquet_of(table: &Table) -> Vec<u8> {
    let mut bytes = Vec::new();
    table.write_parquet(None, &mut bytes).unwrap();
    bytes
}

/// The schema of a file, a field a line.
fn schema_of(bytes: Vec<u8>) -> Vec<String> {
    let file = SerializedFileReader::new(bytes::Bytes::from(bytes)).unwrap();
    let schema = file.metadata().file_metadata().schema_descr();
    let field = |column: &parquet::schema::types::ColumnDescPtr| {
        let logical = column
            .logical_type_ref()
            .map(|logical| format!(" {logical:?}"));
        format!(
            "{} {}{}",
            column.name(),
            column.physical_type(),
            logical.unwrap_or_default()
        )
    };
    schema.columns().iter().map(field).collect()
}

/// By hand: 1,234.50 with two decimals is stored as 123450; 15,008 days after 1970 began it was 3 February 2011 (41 years of 365 days with
/// 10 leap days, and 31 + 2 days); 14,706 seconds after midnight it is 4:05:06.
#[test]
fn every_type_is_spelled() {
    const DAY: i32 = 41 * 365 + 10 + 33;
    const SECOND: i64 = (4 * 60 + 5) * 60 + 6;
    let moment = i64::from(DAY) * 86_400 + SECOND;
    let mut legacy = Int96::new();
    // 1 January 1970 is day 2,440,588.
    legacy.set_data(0, 0, u32::try_from(DAY).unwrap() + 2_440_588);
    let bytes = file(
        "message m {
            optional boolean flag; optional int32 small (INTEGER(8, true)); optional int32 u (INTEGER(32, false));
            optional int64 large (INTEGER(64, false)); optional float f; optional double d;
            optional int32 money (DECIMAL(9, 2)); optional fixed_len_byte_array(9) big (DECIMAL(20, 1));
            optional binary bytes (DECIMAL(5, 3));
            optional int32 day (DATE); optional int64 at (TIMESTAMP(MICROS, true)); optional int96 old;
            optional int32 clock (TIME(MILLIS, false)); optional binary text (STRING); optional binary e (ENUM);
        }",
        plain(),
        &[&[
            &put::<BoolType>(&[Some(true), None, Some(false)]),
            &put::<Int32Type>(&[Some(-128), None, Some(7)]),
            &put::<Int32Type>(&[Some(-1), None, Some(0)]),
            &put::<Int64Type>(&[Some(-1), None, Some(10)]),
            &put::<FloatType>(&[Some(0.1), None, Some(-0.0)]),
            &put::<DoubleType>(&[Some(23.0), Some(f64::NAN), Some(1e-7)]),
            &put::<Int32Type>(&[Some(123_450), None, Some(-5)]),
            &put::<FixedLenByteArrayType>(&[
                Some(FixedLenByteArray::from(vec![0, 0, 0, 0, 0, 0, 0, 1, 0])),
                None,
                Some(FixedLenByteArray::from(vec![255; 9])),
            ]),
            &put::<ByteArrayType>(&[Some(ByteArray::from(vec![1, 0])), None, Some(ByteArray::from(vec![0]))]),
            &put::<Int32Type>(&[Some(DAY), None, Some(-719_162)]),
            &put::<Int64Type>(&[Some(moment * 1_000_000), None, Some(moment * 1_000_000 + 250_000)]),
            &put::<Int96Type>(&[Some(legacy), None, None]),
            &put::<Int32Type>(&[Some(i32::try_from(SECOND).unwrap() * 1000), None, Some(1)]),
            &put::<ByteArrayType>(&texts(&["a,b", "", "say \"no\""])),
            &put::<ByteArrayType>(&texts(&["x", "y\nz", " w"])),
        ]],
    );
    let table = of(bytes.clone()).unwrap();
    assert_eq!(
        written_text(&table),
        "flag,small,u,large,f,d,money,big,bytes,day,at,old,clock,text,e\n\
         true,-128,4294967295,18446744073709551615,0.1,23,1234.50,25.6,0.256,2011-02-03,2011-02-03T04:05:06Z,\
         2011-02-03T00:00:00,04:05:06,\"a,b\",x\n\
         ,,,,,,,,,,,,,,\"y\nz\"\n\
         false,7,0,10,0,1e-7,-0.05,-0.1,0.000,0001-01-01,2011-02-03T04:05:06.250Z,,00:00:00.001,\"say \"\"no\"\"\", w\n"
    );
    assert!(table.is_parquet());
    assert!(table.dialect().reasons.delimiter.contains("Parquet"));
    // Written and read again it is the same, in the same types but for what is stored otherwise.
    let again = parquet_of(&table);
    assert_eq!(written(&of(again.clone()).unwrap()), written(&table));
    let types = |bytes: Vec<u8>| -> Vec<String> {
        let logical = |field: String| field.splitn(3, ' ').nth(2).unwrap_or("").to_owned();
        schema_of(bytes).into_iter().map(logical).collect()
    };
    let (before, after) = (types(bytes), types(again));
    for place in 0..before.len() {
        match place {
            11 => assert!(
                after[place].contains("NANOS"),
                "96 bits become nanoseconds: {}",
                after[place]
            ),
            14 => assert_eq!(after[place], "String", "an enumeration is text"),
            _ => assert_eq!(before[place], after[place], "attribute {}", place + 1),
        }
    }
}

#[test]
fn what_is_no_cell_is_refused_by_name() {
    for (field, what) in [
        (
            "optional group g (LIST) { repeated group list { optional int32 element; } }",
            "\"g\": holds lists",
        ),
        ("repeated int32 r", "\"r\": holds lists"),
        (
            "optional group s { optional int32 x; }",
            "\"s\": holds records of their own",
        ),
        (
            "optional group m (MAP) { repeated group key_value { required binary key (UTF8); optional int32 value; } }",
            "\"m\": holds maps",
        ),
        (
            "optional binary b",
            "\"b\": holds bytes that are not marked as text",
        ),
        (
            "optional fixed_len_byte_array(16) u (UUID)",
            "\"u\": holds identifiers of 16 bytes",
        ),
        (
            "optional fixed_len_byte_array(12) i (INTERVAL)",
            "\"i\": holds lengths of time",
        ),
        (
            "optional binary w (DECIMAL(40, 2))",
            "\"w\": holds decimals of more than 38 digits",
        ),
    ] {
        let end = if field.ends_with('}') { "" } else { ";" };
        let error = of(file(&format!("message m {{ {field}{end} }}"), plain(), &[])).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Input, "{field}");
        assert!(error.to_string().contains(what), "{error}");
        assert!(error.to_string().starts_with("t.parquet"), "{error}");
    }
}

#[test]
fn values_that_are_no_cells_are_refused_without_being_shown() {
    let latin = [Some(ByteArray::from(b"Jos\xE9 geheim".to_vec()))];
    let text = file(
        "message m { optional binary t (UTF8); }",
        plain(),
        &[&[&put::<ByteArrayType>(&latin)]],
    );
    let late = file(
        "message m { optional int32 d (DATE); }",
        plain(),
        &[&[&put::<Int32Type>(&[Some(2_932_897)])]],
    );
    for (bytes, what) in [
        (text, "a text is not UTF-8"),
        (late, "a date is not of the years 1 to 9999"),
    ] {
        let error = of(bytes).unwrap_err().to_string();
        assert!(error.contains(what) && !error.contains("geheim"), "{error}");
    }
}

/// Files without records, without columns, of one column that is missing, and of names that are no names.
#[test]
fn small_and_odd_files() {
    let int = "message m { optional int32 x; }";
    let empty = of(file(int, plain(), &[])).unwrap();
    assert_eq!(
        (empty.n_records(), written_text(&empty).as_str()),
        (0, "x\n")
    );
    assert_eq!(of(parquet_of(&empty)).unwrap().n_records(), 0);
    let gaps = of(file(
        int,
        plain(),
        &[&[&put::<Int32Type>(&[None, Some(5), None])]],
    ))
    .unwrap();
    assert_eq!(values(&gaps, 0), [None, Some(5.0), None]);
    assert!(gaps.notes().is_empty(), "no blank line: {:?}", gaps.notes());
    assert_eq!(
        values(&of(parquet_of(&gaps)).unwrap(), 0),
        [None, Some(5.0), None]
    );
    let error = of(file("message m { }", plain(), &[])).unwrap_err();
    assert!(error.to_string().contains("holds no attribute"), "{error}");
    // Two columns of one name; their records side by side.
    let ones = put::<Int32Type>(&[Some(1), Some(2)]);
    let twice = file(
        "message m { optional int32 x; optional int32 x; }",
        plain(),
        &[&[&ones, &ones]],
    );
    let twice = of(twice).unwrap();
    assert_eq!(twice.names(&[id(0), id(1)]), ["x", "x_2"]);
    let names = schema_of(parquet_of(&twice)).join(" ");
    assert!(
        names.starts_with("x INT32") && names.contains("x_2 INT32"),
        "{names}"
    );
    assert!(!twice.has_own_names());
    // The names of files of text that would be read as something else.
    for name in ["sep=", "Sep=;", "\u{feff}x", "a\"b", "a,b", "two\nlines"] {
        let field = Type::primitive_type_builder(name, Physical::INT32)
            .build()
            .unwrap();
        let schema = Type::group_type_builder("m").with_fields(vec![Arc::new(field)]);
        let table = of(file_of(schema.build().unwrap(), plain(), &[&[&ones]])).unwrap();
        assert_eq!(table.names(&[id(0)]), [visible::name(name).trim()]);
        assert_eq!(values(&table, 0), [Some(1.0), Some(2.0)], "{name:?}");
    }
}

/// Words that text marks as missing are missing in Parquet, too, and null as soon as they are written; what is stated stays what it is.
#[test]
fn gaps_of_every_kind() {
    let texts = put::<ByteArrayType>(&texts(&["NA", "b", "-9", "*"]));
    let numbers = put::<Int32Type>(&[Some(-9), None, Some(3), Some(4)]);
    let bytes = file(
        "message m { optional binary t (UTF8); optional int32 n; }",
        plain(),
        &[&[&texts, &numbers]],
    );
    let table = of(bytes.clone()).unwrap();
    assert_eq!(table.missing(id(0)).records().collect::<Vec<_>>(), [0, 3]);
    assert_eq!(
        written_text(&of(parquet_of(&table)).unwrap()),
        "t,n\n,-9\nb,\n-9,3\n,4\n"
    );
    let options = ReadOptions {
        na: Some(vec!["-9".into(), String::new()]),
        ..ReadOptions::default()
    };
    let stated = Table::read("t", bytes, &options).unwrap();
    assert_eq!(stated.missing(id(0)).records().collect::<Vec<_>>(), [2]);
    assert_eq!(stated.missing(id(1)).records().collect::<Vec<_>>(), [0, 1]);
    let again = parquet_of(&stated);
    assert_eq!(
        schema_of(again.clone())[1],
        "n INT32 Integer(IntType { bit_width: 32, is_signed: true })"
    );
    assert_eq!(
        written_text(&of(again).unwrap()),
        "t,n\nNA,-9\nb,\n-9,3\n*,4\n"
    );
}

/// What is stated for a text file has no use for Parquet: delimiter, marks, lines above the table; roles have.
#[test]
fn options_of_text_are_of_no_use_and_roles_are() {
    let bytes = file(
        "message m { optional double a; optional double b; }",
        plain(),
        &[&[
            &put::<DoubleType>(&[Some(1.5), Some(2.5)]),
            &put::<DoubleType>(&[Some(1e6), Some(2.0)]),
        ]],
    );
    let options = ReadOptions {
        delimiter: Some(b';'),
        decimal_mark: Some(','),
        thousands_mark: Some(Some('.')),
        header: Some(false),
        skip_lines: Some(1),
        roles: Roles::parse("confidential = ['b']\n[file]\ndelimiter = '|'\n").unwrap(),
        ..ReadOptions::default()
    };
    let table = Table::read("t", bytes, &options).unwrap();
    assert_eq!(values(&table, 0), [Some(1.5), Some(2.5)]);
    assert_eq!(values(&table, 1), [Some(1e6), Some(2.0)]);
    assert_eq!(table.attribute(id(1)).role, Role::Confidential);
}

/// Of the columns of a file only those that are asked for are looked at: the others may even be damaged.
#[test]
fn columns_are_projected() {
    let ones = put::<Int32Type>(&[Some(1), Some(2)]);
    let bytes = file(
        "message m { optional int32 a; optional int32 b; optional int32 c; }",
        plain(),
        &[&[&ones, &ones, &ones]],
    );
    let options = |columns: &[&str]| ReadOptions {
        columns: Some(columns.iter().map(|&name| name.to_owned()).collect()),
        ..ReadOptions::default()
    };
    let read = |bytes: &[u8], columns: &[&str]| Table::read("t", bytes.to_vec(), &options(columns));
    assert_eq!(
        written_text(&read(&bytes, &["c", "a", "z"]).unwrap()),
        "a,c\n1,1\n2,2\n"
    );
    assert!(read(&bytes, &["z"]).is_err());
    let file = SerializedFileReader::new(bytes::Bytes::from(bytes.clone())).unwrap();
    let (from, length) = file.metadata().row_group(0).column(1).byte_range();
    let mut damaged = bytes;
    let (from, length) = (
        usize::try_from(from).unwrap(),
        usize::try_from(length).unwrap(),
    );
    damaged[from..from + length].fill(0xff);
    assert!(of(damaged.clone()).is_err());
    assert!(read(&damaged, &["a", "c"]).is_ok());
}

/// What a masking makes of a type: it stays while it says all cells.
#[test]
fn types_of_what_is_written() {
    let kinds = |table: &Table| -> Vec<String> {
        let shorten = |field: String| {
            field
                .split(['(', ' '])
                .take(3)
                .collect::<Vec<_>>()
                .join(" ")
        };
        schema_of(parquet_of(table))
            .into_iter()
            .map(shorten)
            .collect()
    };
    let csv =
        read("a,b,c,d,e,f\n1,1.50,007,x,12345678901234567890,0.1\n-2,2,8,,1,1e3\n,3,9,1,2,2\n");
    assert_eq!(
        kinds(&csv),
        [
            "a INT64 Integer",
            "b DOUBLE",
            "c BYTE_ARRAY String",
            "d BYTE_ARRAY String",
            "e BYTE_ARRAY String",
            "f DOUBLE"
        ],
        "leading zeros, and digits that no double has, are text"
    );
    let bytes = file(
        "message m { optional int32 i (INTEGER(8, true)); optional float f; optional int32 m (DECIMAL(4, 2)); optional int32 d (DATE); }",
        plain(),
        &[&[
            &put::<Int32Type>(&[Some(1), Some(2)]),
            &put::<FloatType>(&[Some(0.5), Some(0.25)]),
            &put::<Int32Type>(&[Some(150), Some(250)]),
            &put::<Int32Type>(&[Some(0), Some(1)]),
        ]],
    );
    let table = of(bytes).unwrap();
    let own = [
        "i INT32 Integer",
        "f FLOAT",
        "m INT32 Decimal",
        "d INT32 Date",
    ];
    assert_eq!(kinds(&table), own);
    let shuffled = table
        .clone()
        .reordered(vec![1, 0])
        .with_donors(id(0), vec![1, 1]);
    assert_eq!(kinds(&shuffled), own);
    // 200 is no number of 8 bits, 0.1 rounded to a float is not .1 of a double, 100.5 has five digits with two decimals.
    let beyond = |place, values: [f64; 2]| {
        kinds(&table.clone().with_numbers(id(place), values.into()))[place].clone()
    };
    assert_eq!(beyond(0, [100.0, -128.0]), "i INT32 Integer");
    assert_eq!(beyond(0, [200.0, 1.0]), "i INT64 Integer");
    assert_eq!(beyond(0, [1.5, 1.0]), "i DOUBLE");
    assert_eq!(
        beyond(1, [0.1, 7.0]),
        "f FLOAT",
        "0.1 is the shortest text of a float"
    );
    assert_eq!(beyond(1, [1.0 / 3.0, 7.0]), "f DOUBLE");
    assert_eq!(beyond(2, [99.99, 7.0]), "m INT32 Decimal");
    assert_eq!(beyond(2, [100.5, 7.0]), "m DOUBLE");
    assert_eq!(beyond(2, [1.125, 7.0]), "m DOUBLE");
    let classes = vec!["0-1".to_owned()];
    let recoded = |place| {
        kinds(
            &table
                .clone()
                .with_texts(id(place), vec![0, 0], &classes)
                .unwrap(),
        )[place]
            .clone()
    };
    assert_eq!(
        (recoded(0), recoded(3)),
        ("i BYTE_ARRAY String".into(), "d BYTE_ARRAY String".into())
    );
    let years = vec!["1970".to_owned()];
    let years = table.clone().with_texts(id(3), vec![0, 0], &years).unwrap();
    assert_eq!(kinds(&years)[3], "d INT64 Integer");
    // A table that went through memory between two steps knows its types still.
    let mut again = table.without(&[id(0)]);
    again.reread().unwrap();
    assert_eq!(kinds(&again), own[1..]);
}

/// The bytes of a release follow from its cells, names and types: not from what the file had besides, nor from how it came to be.
#[test]
fn a_release_holds_nothing_more() {
    let metadata = vec![KeyValue::new("pandas".into(), Some("geheim".to_owned()))];
    let rich = WriterProperties::builder()
        .set_created_by("geheim /home/geheim".into())
        .set_key_value_metadata(Some(metadata))
        .set_compression(Compression::UNCOMPRESSED)
        .set_writer_version(WriterVersion::PARQUET_2_0)
        .build();
    let names = put::<ByteArrayType>(&texts(&["geheim", "hidden", "third"]));
    let original = file(
        "message m { optional binary person (UTF8); optional int32 x; required int64 y; }",
        rich,
        &[&[
            &names,
            &put::<Int32Type>(&[Some(918_273), Some(2), None]),
            &put::<Int64Type>(&[Some(7), Some(8), Some(9)]),
        ]],
    );
    let masked = of(original)
        .unwrap()
        .without(&[id(0)])
        .with_donors(id(0), vec![1, 1, 2])
        .with_missing(id(1), &[2])
        .unwrap()
        .reordered(vec![2, 0, 1]);
    let bytes = parquet_of(&masked);
    let never_had = file(
        "message other { optional int32 x; optional int64 y; }",
        plain(),
        &[
            &[
                &put::<Int32Type>(&[None, Some(2)]),
                &put::<Int64Type>(&[None, Some(7)]),
            ],
            &[&put::<Int32Type>(&[Some(2)]), &put::<Int64Type>(&[Some(8)])],
        ],
    );
    assert_eq!(bytes, parquet_of(&of(never_had).unwrap()));
    for hidden in [
        &b"geheim"[..],
        b"hidden",
        b"person",
        b"pandas",
        &918_273_i32.to_le_bytes(),
        &9_i64.to_le_bytes(),
    ] {
        assert!(
            !bytes.windows(hidden.len()).any(|window| window == hidden),
            "{hidden:?}"
        );
    }
    let file = SerializedFileReader::new(bytes::Bytes::from(bytes)).unwrap();
    let metadata = file.metadata();
    assert!(metadata.file_metadata().key_value_metadata().is_none());
    let version = format!("sdcrisk version {}", env!("CARGO_PKG_VERSION"));
    assert_eq!(
        metadata.file_metadata().created_by(),
        Some(version.as_str())
    );
    assert!(
        metadata
            .row_groups()
            .iter()
            .flat_map(|group| group.columns())
            .all(|column| column.statistics().is_none())
    );
}

fn part(path: &str, bytes: &[u8]) -> PartFile {
    PartFile {
        path: path.into(),
        bytes: bytes.into(),
    }
}

fn of_parts(parts: Vec<PartFile>) -> Result<Table, Error> {
    Table::read_parts("people", parts, &ReadOptions::default())
}

#[test]
fn a_folder_is_one_table() {
    let one = |x: i32, name: &str| {
        file(
            "message m { optional int32 x; optional binary name (UTF8); }",
            plain(),
            &[&[
                &put::<Int32Type>(&[Some(x)]),
                &put::<ByteArrayType>(&texts(&[name])),
            ]],
        )
    };
    // Columns in another order, of another width, in two row groups.
    let other = file(
        "message m { optional binary name (UTF8); optional int64 x; }",
        plain(),
        &[
            &[
                &put::<ByteArrayType>(&texts(&["c"])),
                &put::<Int64Type>(&[Some(3)]),
            ],
            &[
                &put::<ByteArrayType>(&texts(&["d"])),
                &put::<Int64Type>(&[None]),
            ],
        ],
    );
    let parts = vec![
        part("region=10/part-1.parquet", &other),
        part("region=02/part-1.parquet", &one(2, "b")),
        part("region=02/part-0.parquet", &one(1, "a")),
        part("region=__HIVE_DEFAULT_PARTITION__/p", &one(4, "e")),
        part("region=a%2Cb/p", &one(5, "f")),
    ];
    let table = of_parts(parts.clone()).unwrap();
    assert_eq!(
        written_text(&table),
        "x,name,region\n1,a,02\n2,b,02\n3,c,10\n,d,10\n4,e,\n5,f,\"a,b\"\n"
    );
    let released = schema_of(parquet_of(&table));
    assert!(
        released[0].starts_with("x INT64"),
        "the parts differ: {released:?}"
    );
    assert_eq!(released[2], "region BYTE_ARRAY String", "02 is text");
    // The sum is that of the parts and their places, whatever order they were found in.
    let mut turned = parts.clone();
    turned.reverse();
    assert_eq!(of_parts(turned).unwrap().sha256(), table.sha256());
    let mut moved = parts;
    moved[0].path = "region=11/part-1.parquet".into();
    assert_ne!(of_parts(moved).unwrap().sha256(), table.sha256());
    // A file that has the attribute itself is asked for it.
    let own = of_parts(vec![part("x=7/p", &one(1, "a"))]).unwrap();
    assert_eq!(written_text(&own), "x,name\n1,a\n");
}

#[test]
fn files_of_a_folder_that_do_not_belong_together_are_named() {
    let ints = |schema: &str| {
        let columns = schema.matches("optional").count();
        let ones = put::<Int32Type>(&[Some(1)]);
        let group: Vec<Put<'_>> = vec![&ones; columns];
        file(schema, plain(), &[&group])
    };
    let xy = ints("message m { optional int32 x; optional int32 y; }");
    let x = ints("message m { optional int32 x; }");
    for (parts, what) in [
        (vec![], "people: is a folder without a file"),
        (
            vec![part("a", &xy), part("b", &x)],
            "people/b, attribute \"y\": is not in this file",
        ),
        (
            vec![part("a", &x), part("b", &xy)],
            "people/b, attribute \"y\": is not in the first file",
        ),
        (
            vec![part("a", &x), part("b.csv", b"x\n1\n")],
            "people/b.csv: is no Parquet file",
        ),
        (
            vec![part("a", &x), part("k=1/b", &x)],
            "people/k=1/b: the folders above it",
        ),
        (vec![part("a", &x[..x.len() - 1])], "people/a: is damaged"),
    ] {
        let error = of_parts(parts).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Input);
        assert!(error.to_string().starts_with(what), "{error}");
    }
}

/// Row groups smaller and larger than what is decoded at a time, read and written by one, two and four threads.
#[test]
fn threads_change_nothing() {
    const LARGE: i32 = 150_000;
    let columns = |from: i32, to: i32| {
        let numbers: Vec<Option<i32>> = (from..to)
            .map(|n| (n % 7 > 0).then_some(n % 1000))
            .collect();
        let names: Vec<Option<ByteArray>> = (from..to)
            .map(|n| Some(ByteArray::from(format!("n,{}", n % 90).as_str())))
            .collect();
        (put::<Int32Type>(&numbers), put::<ByteArrayType>(&names))
    };
    let groups = [
        columns(0, 10),
        columns(10, 5_000),
        columns(5_000, LARGE),
        columns(LARGE, LARGE + 3),
    ];
    let groups: Vec<[Put<'_>; 2]> = groups
        .iter()
        .map(|(numbers, names)| [numbers as _, names as _])
        .collect();
    let groups: Vec<Group<'_>> = groups.iter().map(|group| group.as_slice()).collect();
    let bytes = file(
        "message m { optional int32 x; optional binary n (UTF8); }",
        plain(),
        &groups,
    );
    let results = [1, 2, 4].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let table = of(bytes.clone()).unwrap();
            (written(&table), parquet_of(&table))
        })
    });
    let lines = (0..LARGE + 3).map(|n| match n % 7 {
        0 => format!(",\"n,{}\"\n", n % 90),
        _ => format!("{},\"n,{}\"\n", n % 1000, n % 90),
    });
    assert!(
        results[0].0
            == ["x,n\n".to_owned()]
                .into_iter()
                .chain(lines)
                .collect::<String>()
                .into_bytes()
    );
    assert!(results.windows(2).all(|pair| pair[0] == pair[1]));
}

/// Files in the forms that writers have: pages of both versions, dictionaries, differences, compressed in each way.
fn forms() -> Vec<(String, Vec<u8>)> {
    let mut forms = Vec::new();
    let schema = "message m { optional int32 i; required int64 l; optional binary t (UTF8); optional double d; optional boolean b;
        optional fixed_len_byte_array(5) f (DECIMAL(10, 2)); }";
    let records = 24;
    let ints: Vec<Option<i32>> = (0..records).map(|n| (n % 5 > 0).then_some(n * n)).collect();
    let longs: Vec<Option<i64>> = (0..records).map(|n| Some(i64::from(n) << 20)).collect();
    let words: Vec<Option<ByteArray>> = (0..records)
        .map(|n| (n % 3 > 0).then(|| ByteArray::from(format!("word-{}", n / 2).as_str())))
        .collect();
    let doubles: Vec<Option<f64>> = (0..records).map(|n| Some(f64::from(n) / 8.0)).collect();
    let flags: Vec<Option<bool>> = (0..records).map(|n| Some(n % 4 == 0)).collect();
    let fixed: Vec<Option<FixedLenByteArray>> = (0..records)
        .map(|n| {
            Some(FixedLenByteArray::from(vec![
                0,
                0,
                0,
                1,
                u8::try_from(n).unwrap(),
            ]))
        })
        .collect();
    let columns: Group<'_> = &[
        &put::<Int32Type>(&ints),
        &put::<Int64Type>(&longs),
        &put::<ByteArrayType>(&words),
        &put::<DoubleType>(&doubles),
        &put::<BoolType>(&flags),
        &put::<FixedLenByteArrayType>(&fixed),
    ];
    let codecs = [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(Default::default()),
        Compression::ZSTD(Default::default()),
        Compression::LZ4_RAW,
        Compression::LZ4,
    ];
    for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
        for codec in codecs {
            let properties = WriterProperties::builder()
                .set_writer_version(version)
                .set_compression(codec)
                .build();
            forms.push((
                format!("{version:?} {codec}"),
                file(schema, properties, &[columns, columns]),
            ));
        }
    }
    for (version, encoding) in [
        (WriterVersion::PARQUET_1_0, Encoding::DELTA_BYTE_ARRAY),
        (WriterVersion::PARQUET_2_0, Encoding::DELTA_BYTE_ARRAY),
        (
            WriterVersion::PARQUET_1_0,
            Encoding::DELTA_LENGTH_BYTE_ARRAY,
        ),
        (WriterVersion::PARQUET_1_0, Encoding::PLAIN),
    ] {
        let properties = WriterProperties::builder()
            .set_writer_version(version)
            .set_dictionary_enabled(false)
            .set_column_encoding("t".into(), encoding)
            .set_column_encoding("d".into(), Encoding::BYTE_STREAM_SPLIT)
            .build();
        forms.push((
            format!("{version:?} {encoding}"),
            file(schema, properties, &[columns]),
        ));
    }
    forms
}

#[test]
fn all_forms_of_a_file_are_one_table() {
    let forms = forms();
    let first = written_text(&of(forms[0].1.clone()).unwrap());
    assert!(
        first.starts_with("i,l,t,d,b,f\n,0,,0,true,2.56\n1,1048576,word-0,0.125,false,2.57\n"),
        "{first}"
    );
    for (form, bytes) in &forms {
        let text = written_text(&of(bytes.clone()).unwrap());
        let half = first.len().min(text.len());
        assert_eq!(text[..half], first[..half], "{form}");
    }
}

/// The most memory that this process has had, in bytes.
#[cfg(target_os = "linux")]
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap();
    line.trim()
        .strip_suffix("kB")
        .unwrap()
        .trim()
        .parse::<u64>()
        .unwrap()
        * 1024
}

/// A file that is cut off, or in which bytes are changed, is refused or read: it never ends by a panic, and takes no more memory than a file of
/// its size may.
#[cfg(target_os = "linux")]
#[test]
fn damaged_files_are_refused_or_read() {
    const MOST: u64 = 600_000_000;
    let before = peak();
    let mut read = 0;
    let mut tries = 0;
    for (form, bytes) in forms() {
        for length in 5..bytes.len() {
            let cut = of(bytes[..length].to_vec());
            assert!(cut.is_err(), "{form}: the first {length} bytes are a table");
            assert_eq!(cut.unwrap_err().kind(), ErrorKind::Input, "{form} {length}");
        }
        for at in 4..bytes.len() {
            for change in [1 << (at % 8), 0xff] {
                let mut damaged = bytes.clone();
                damaged[at] ^= change;
                tries += 1;
                match of(damaged) {
                    Ok(table) => {
                        read += 1;
                        assert!(table.n_records() <= 48, "{form} {at} {change}");
                    }
                    Err(error) => {
                        let text = error.to_string();
                        assert!(!text.contains("word-"), "{text}");
                        assert_ne!(
                            error.kind(),
                            ErrorKind::Failed,
                            "{form} {at} {change}: {text}"
                        );
                    }
                }
            }
        }
        let grown = peak() - before;
        assert!(grown < MOST, "{form}: {grown} bytes");
    }
    // Some changes are in names and values that nothing checks.
    assert!(read > 0 && read < tries, "{read} of {tries} were read");
}

proptest! {
    /// A table from text, as Parquet and back: the same cells, where text is spelled as Parquet's numbers are.
    #[test]
    fn text_and_parquet_are_one_table(
        records in proptest::collection::vec(
            (
                proptest::option::of(any::<i64>()),
                proptest::option::of(any::<f64>().prop_filter("finite", |value| value.is_finite())),
                proptest::option::of("t[a-z ,;\"\n'é]{0,8}"),
                proptest::option::of("0[0-9]{0,5}"),
            ),
            0..30,
        ),
    ) {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(["whole", "real", "text", "code"]).unwrap();
        for (whole, real, text, code) in &records {
            let real = real.map(|value| {
                let mut buffer = ryu::Buffer::new();
                let text = buffer.format_finite(value + 0.0);
                text.strip_suffix(".0").unwrap_or(text).to_owned()
            });
            writer
                .write_record([
                    whole.map(|whole| whole.to_string()).unwrap_or_default(),
                    real.unwrap_or_default(),
                    text.clone().unwrap_or_default(),
                    code.clone().unwrap_or_default(),
                ])
                .unwrap();
        }
        let text = writer.into_inner().unwrap();
        let options = ReadOptions {
            delimiter: Some(b','),
            decimal_mark: Some('.'),
            thousands_mark: Some(None),
            header: Some(true),
            ..ReadOptions::default()
        };
        let table = Table::read("t.csv", text.clone(), &options).unwrap();
        let bytes = parquet_of(&table);
        let back = of(bytes).unwrap();
        prop_assert_eq!(String::from_utf8(written(&back)), String::from_utf8(text));
        for place in 0..4 {
            prop_assert_eq!(table.attribute(id(place)).scale, back.attribute(id(place)).scale);
            prop_assert_eq!(table.missing(id(place)), back.missing(id(place)));
        }
    }
}
