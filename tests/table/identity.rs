//! A table that no method touched is written byte for byte, and no bytes make the reader panic.

use proptest::prelude::*;

use crate::{id, read, try_read, values, written, written_text};

const UGLY: &[&[u8]] = &[
    b"a,b\n1,2\n",
    b"a,b\n1,2",
    b"a,b\r\n1,2\r\n",
    b"a,b\r1,2\r3,4",
    b"a,b\n1,2\r\n3,4\r5,6\n",
    b"\xEF\xBB\xBFa;b\r\n1,5;2\r\n",
    b"\n\n\r\na,b\n\n1,2\n\n\n3,4\n\n\n",
    b"a,b\n 1 ,\t2\n3 , 4\n",
    b"a,b\n1,2\n   \n3,4\n \t\n",
    b"a,b,\n1,2,\n3,4,\n",
    b"\"a\",\"b\"\n\"1\",\"x\"\n\"2\",\"y, \"\"z\"\"\"\n",
    b"a,b\n\"two\nlines\r\nthree\",2\n",
    b"a,b\n\"x\"  ,2\n",
    b"na\xEFve;caf\xE9\n\x80;1\n",
    b"x\n1\n2\n\n3",
    b"x\n\"\"\n1\n",
    b"a,b\n",
    b"a,b",
    b"a,a,,a_2\n1,2,3,4\n",
    b"sep=;\r\na;b\r\n1,5;2\r\n",
    b"a|b\n1 234,5|x\n",
    b"a\tb\n\t\n\t\n",
    b"a,b\n,\n,\n",
    b"1.5,2\n3,4\n",
];

#[test]
fn an_untouched_file_is_written_byte_for_byte() {
    for bytes in UGLY {
        assert_eq!(
            written(&read(bytes)),
            *bytes,
            "{}",
            String::from_utf8_lossy(bytes)
        );
    }
}

/// The writer proper, not its short cut for untouched tables: donors that change nothing, record by record.
#[test]
fn a_file_put_together_again_is_the_same_file() {
    for bytes in UGLY {
        let mut table = read(bytes);
        let same: Vec<u32> = (0..).take(table.n_records()).collect();
        for place in 0..table.n_attributes() {
            table = table.with_donors(id(place), same.clone());
        }
        let text = String::from_utf8_lossy(bytes).into_owned();
        assert_eq!(String::from_utf8_lossy(&written(&table)), text);
        assert_eq!(written(&read(bytes).reordered(same)), *bytes, "{text}");
    }
}

/// What is written of a file that was only read: its bytes, or those of its text in UTF-8 if it begins with the mark of UTF-16.
fn only_read(bytes: &[u8]) -> Vec<u8> {
    let (mark, units) = bytes.split_at(bytes.len().min(2));
    let unit: fn([u8; 2]) -> u16 = match mark {
        [0xFE, 0xFF] => u16::from_be_bytes,
        [0xFF, 0xFE] => u16::from_le_bytes,
        _ => return bytes.to_vec(),
    };
    let (units, []) = units.as_chunks() else {
        panic!("half a unit was read");
    };
    let units: Vec<u16> = units.iter().map(|&pair| unit(pair)).collect();
    String::from_utf16(&units)
        .expect("it was read as UTF-16")
        .into_bytes()
}

fn survives(bytes: &[u8]) -> Result<(), TestCaseError> {
    let Ok(table) = try_read(bytes) else {
        return Ok(());
    };
    let bytes = only_read(bytes);
    prop_assert_eq!(&written(&table), &bytes);
    let description = table.describe();
    prop_assert_eq!(description.records, table.n_records());
    for (place, attribute) in description.attributes.iter().enumerate() {
        prop_assert!(attribute.distinct + attribute.missing <= table.n_records());
        prop_assert!(table.n_records() == attribute.missing || attribute.distinct > 0);
        for record in 0..table.n_records() {
            let _ = (table.text(record, id(place)), table.line_of(record));
        }
    }
    let reversed: Vec<u32> = (0..)
        .take(table.n_records())
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
        .collect();
    let twice = table.reordered(reversed.clone()).reordered(reversed);
    prop_assert_eq!(written(&twice), bytes);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_bytes_are_a_table_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
        survives(&bytes)?;
    }

    #[test]
    fn utf_16_is_a_table_in_utf_8_or_an_error(
        units in proptest::collection::vec(
            prop_oneof![9 => 0x20_u16..0x7F, 2 => Just(u16::from(b'\n')), 1 => any::<u16>()], 0..30,
        ),
        big in any::<bool>(),
    ) {
        let units = std::iter::once(0xFEFF).chain(units);
        let bytes: Vec<u8> = units
            .flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() })
            .collect();
        survives(&bytes)?;
    }

    #[test]
    fn bytes_that_look_like_a_file_are_a_table_or_an_error(
        parts in proptest::collection::vec(
            prop::sample::select(vec![
                ",", ";", "\t", "\n", "\r\n", "\r", "\"", "\"\"", "1", "2.5", "1,5", "1.234,5", "a", "id", " ", "NA",
                ".", "-9", "007", "1e400", "é", "NaN", "1 234", "sep=;", "\u{feff}",
            ]),
            0..40,
        )
    ) {
        survives(parts.concat().as_bytes())?;
    }

    #[test]
    fn a_damaged_file_is_a_table_or_an_error(
        which in 0..UGLY.len(), damage in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4)
    ) {
        let mut bytes = UGLY[which].to_vec();
        for (place, byte) in damage {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        survives(&bytes)?;
    }
}

/// Cells of short records are found by two bytes each, until a record is longer than these can say.
#[test]
fn a_long_record_among_short_ones() {
    for length in [65_531, 65_532, 65_533, 65_534, 65_535, 65_536, 200_000] {
        let long = "x".repeat(length);
        let text = format!("a,b,c\n1,s,2\n3,{long},4\n5,,6\n\"7\",\"{long}\",8\n9,t,10\n");
        let table = read(&text);
        assert_eq!(written_text(&table), text);
        let numbers = [0, 2].map(|place| values(&table, place));
        let expected = |from: [f64; 5]| from.map(Some).to_vec();
        assert_eq!(
            numbers,
            [
                expected([1.0, 3.0, 5.0, 7.0, 9.0]),
                expected([2.0, 4.0, 6.0, 8.0, 10.0])
            ]
        );
        for (record, cell) in ["s", &long, "", &long, "t"].into_iter().enumerate() {
            assert_eq!(table.category(record, id(1)), cell);
        }
        let turned = table.reordered(vec![4, 3, 2, 1, 0]);
        assert_eq!(turned.category(1, id(1)), long.as_str());
        assert_eq!(values(&turned, 2), expected([10.0, 8.0, 6.0, 4.0, 2.0]));
    }
}
