//! Any bytes given as a table: no panic, and what is read is written back.

use proptest::{collection::vec, prelude::*, sample::Index};
use sdcrisk::{
    error::ErrorKind,
    table::{Encoding, ReadOptions, Roles, Table},
};

use crate::sandbox::Sandbox;

/// Tables in several dialects, to be damaged.
const SEEDS: [&[u8]; 8] = [
    b"id,age,income\n1,34,1200.5\n2,51,NA\n3,29,31000\n",
    b"\xEF\xBB\xBF\"a\";\"b\"\r\n1,5;\"x;y\"\r\n2,5;\"q\"\"q\"\r\n",
    b"a\tb\tc\r1\t\t3\r4\t5\t6\r",
    b"x|y\n\"line\nend\"|2\n\n007|9007199254740993\n",
    b"caf\xE9,prix\nM\xFCller,1.234,56\n",
    b"sep=;\nx;x;\n1.234.567,5;2;3\n",
    b"1.5,-2e3\n+2.5,.5\n",
    b"v\n1\n2\n3\n4\n",
];

/// Bytes that mean something to a reader of tables.
fn telling_bytes() -> impl Strategy<Value = Vec<u8>> {
    let signs: &[u8] = b",;|\t\"\"\n\n\r\r .-+eE0123456789aNA*\xEF\xBB\xBF\xE9\x80\xA0'";
    vec(prop::sample::select(signs), 0..120)
}

/// One of the tables with some bytes changed, put in, taken out or repeated.
fn damaged() -> impl Strategy<Value = Vec<u8>> {
    let damage = (0..5_u8, any::<Index>(), any::<Index>(), any::<u8>());
    (prop::sample::select(&SEEDS[..]), vec(damage, 0..8)).prop_map(|(seed, damages)| {
        let mut bytes = seed.to_vec();
        for (kind, at, other, byte) in damages {
            let (at, other) = (at.index(bytes.len() + 1), other.index(bytes.len() + 1));
            let (from, to) = (at.min(other), at.max(other));
            match kind {
                0 => bytes.insert(at, byte),
                1 if at < bytes.len() => bytes[at] = byte,
                2 => drop(bytes.drain(from..to)),
                3 => {
                    let again = bytes[from..to].to_vec();
                    bytes.splice(from..from, again);
                }
                _ => {
                    let telling = b",;\t|\"\n\r.";
                    bytes.insert(at, telling[usize::from(byte) % telling.len()]);
                }
            }
        }
        bytes
    })
}

fn options() -> impl Strategy<Value = ReadOptions> {
    let delimiter = prop::option::of(prop::sample::select(&b",;|\t \"1\n"[..]));
    let decimal_mark = prop::option::of(prop::sample::select(&['.', ',', ';'][..]));
    let thousands_mark = prop::option::of(prop::option::of(prop::sample::select(
        &['.', ',', ' ', '\'', '\u{202f}', 'x'][..],
    )));
    let encoding = prop::option::of(prop_oneof![
        Just(Encoding::Utf8),
        Just(Encoding::Windows1252)
    ]);
    let na = prop::option::of(vec("[-9A.*é ]{0,3}", 0..3));
    (
        delimiter,
        decimal_mark,
        thousands_mark,
        encoding,
        na,
        any::<Option<bool>>(),
    )
        .prop_map(
            |(delimiter, decimal_mark, thousands_mark, encoding, na, header)| ReadOptions {
                delimiter,
                decimal_mark,
                thousands_mark,
                encoding,
                na,
                header,
                ..ReadOptions::default()
            },
        )
}

fn written(table: &Table) -> Vec<u8> {
    let mut out = Vec::new();
    table.write(&mut out).unwrap();
    out
}

/// Reads, and where that works writes back: as it is, and cell by cell.
fn reads_and_writes_back(bytes: &[u8], options: &ReadOptions) -> Result<(), TestCaseError> {
    let table = match Table::read("file.csv", bytes.to_vec(), options) {
        Ok(table) => table,
        Err(error) => {
            prop_assert!(matches!(error.kind(), ErrorKind::Input | ErrorKind::Usage));
            prop_assert!(
                error.to_string().starts_with("file.csv") || error.kind() == ErrorKind::Usage
            );
            return Ok(());
        }
    };
    // UTF-16 is written as UTF-8.
    let is_utf_16 = bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF");
    let converted = written(&table);
    let bytes = if is_utf_16 {
        converted.as_slice()
    } else {
        bytes
    };
    prop_assert_eq!(&converted, bytes);
    let described = table.describe();
    prop_assert_eq!(described.records, table.n_records());
    for id in table.ids() {
        for record in 0..table.n_records() {
            let _ = table.text(record, id);
            prop_assert!(table.line_of(record) >= 1);
        }
        if let Some(numbers) = table.numbers(id) {
            prop_assert!(numbers.values.iter().all(|value| value.is_finite()));
        }
    }
    // In an order of its own, though the same, a table is written cell by cell.
    let order: Vec<u32> = (0..).take(table.n_records()).collect();
    prop_assert_eq!(written(&table.reordered(order)), bytes);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_are_read_or_refused(bytes in vec(any::<u8>(), 0..200), options in options()) {
        reads_and_writes_back(&bytes, &ReadOptions::default())?;
        reads_and_writes_back(&bytes, &options)?;
    }

    #[test]
    fn telling_bytes_are_read_or_refused(bytes in telling_bytes(), options in options()) {
        reads_and_writes_back(&bytes, &ReadOptions::default())?;
        reads_and_writes_back(&bytes, &options)?;
    }

    #[test]
    fn damaged_tables_are_read_or_refused(bytes in damaged(), options in options()) {
        reads_and_writes_back(&bytes, &ReadOptions::default())?;
        reads_and_writes_back(&bytes, &options)?;
    }

    #[test]
    fn random_roles_are_parsed_or_refused(text in "(\\PC|\n){0,60}", key in "[a-z-]{1,12}") {
        let _ = Roles::parse(&text);
        let _ = Roles::parse(&format!("{key} = ['a']\n[missing]\na = [{text}]"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 50, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_program_survives_any_file(
        bytes in prop_oneof![vec(any::<u8>(), 0..200), telling_bytes(), damaged()],
        other in prop_oneof![telling_bytes(), damaged()],
    ) {
        let sandbox = Sandbox::new();
        sandbox.write("a.csv", &bytes);
        sandbox.write("b.csv", &other);
        for call in [
            "describe -",
            "describe --format json -",
            "mask rankswap --window 1 -",
            "mask pbuckets --p 2 -",
            "mask pdistribution --p 100 -",
            "mask noise --level 0.5 --restore -",
            "mask noise --level 0.5 --correlated -",
            "link --method am - a.csv",
            "link --method am a.csv b.csv",
            "link --method rsld --window 1 --known first:1 a.csv b.csv",
        ] {
            let ran = sandbox.run_with(call, &bytes);
            prop_assert!(
                matches!(ran.status, Some(0 | 2 | 3)),
                "{}: {:?} {}", call, ran.status, ran.stderr
            );
            prop_assert!(!ran.stderr.contains("panicked"), "{}: {}", call, ran.stderr);
            prop_assert!(ran.status == Some(0) || ran.stdout.is_empty(), "{}", call);
        }
    }
}
