//! Which cells are numbers, and which are missing.

use sdcrisk::table::{ReadOptions, Scale, Table};

use crate::{id, read, read_with, try_read, values};

/// The scale of an attribute of 3 records that hold 1.5, 2.5 and this cell, and the value of the cell.
fn cell(text: &str) -> (Scale, Option<f64>) {
    let table = read(format!("a|b\n1.5|x\n2.5|x\n{text}|x\n"));
    let value = table.numbers(id(0)).map(|numbers| numbers.values[2]);
    (table.attribute(id(0)).scale, value)
}

#[test]
fn numbers_are_read_and_words_are_not() {
    for (text, value) in [
        ("0", 0.0),
        ("-0", 0.0),
        ("5", 5.0),
        ("-5.25", -5.25),
        (".5", 0.5),
        ("5.", 5.0),
        ("-.5", -0.5),
        ("1e5", 100_000.0),
        ("1.5E-3", 0.0015),
        ("  7\t", 7.0),
        ("\"8\"", 8.0),
        ("\" 9 \"", 9.0),
        ("0.1", 0.1),
        ("9007199254740993", 9_007_199_254_740_992.0),
        ("123456789012345678901234567890", 1.234_567_890_123_456_8e29),
        ("1e-400", 0.0),
    ] {
        assert_eq!(cell(text), (Scale::Continuous, Some(value)), "{text:?}");
    }
    for text in [
        "inf", "-inf", "Infinity", "0x10", "1e400", "1e", "e5", "-", "+", "+5", "007", "-01",
        "1_000", "1 2", "--1", "1.2.3", "5€", "½", "1,5", "12-31", "true",
    ] {
        assert_eq!(cell(text), (Scale::Nominal, None), "{text:?}");
    }
}

#[test]
fn missing_values_are_masked_and_hold_zero() {
    let table = read(
        "a,b\n1.5,x\n,x\nNA,x\n.,x\n*,x\n \"\" ,x\n\" NA \",x\n2,x\n".replace(" \"\" ", "\"\""),
    );
    assert_eq!(
        values(&table, 0),
        [Some(1.5), None, None, None, None, None, None, Some(2.0)]
    );
    assert_eq!(
        table.numbers(id(0)).expect("numbers").values[1..7],
        [0.0; 6]
    );
    assert_eq!(table.missing(id(0)).count(), 6);
    assert!(table.is_missing(3, id(0)) && !table.is_missing(3, id(1)));
}

#[test]
fn words_for_missing_numbers_count_only_among_numbers() {
    let table = read("a,b\n1.5,Smith\nNULL,NULL\nNaN,Jones\n");
    assert_eq!(values(&table, 0), [Some(1.5), None, None]);
    assert_eq!(table.missing(id(1)).count(), 0, "NULL is a name here");
    let table = read("a,b\nNULL,1\nNaN,2\n");
    assert_eq!(table.attribute(id(0)).scale, Scale::Nominal);
    assert_eq!(table.missing(id(0)).count(), 0);
}

#[test]
fn stated_markers_replace_the_default_ones() {
    let options = ReadOptions {
        na: Some(vec!["-9".into(), "?".into()]),
        ..ReadOptions::default()
    };
    let table = Table::read(
        "t",
        b"a,b\n1,NA\n-9,x\n-9.0,x\n,x\n?,x\n".to_vec(),
        &options,
    )
    .expect("a table");
    assert_eq!(values(&table, 0), [Some(1.0), None, None, None, None]);
    assert_eq!(table.missing(id(1)).count(), 0, "NA is a word now");
}

#[test]
fn codes_of_one_attribute_are_missing_there_only() {
    let table = read_with(
        "a,b,c\n99,99,x\n1,1,99\n-9,2,99.0\n",
        "[missing]\na = [99, '-9']\nc = ['x', 99]\n",
    )
    .expect("a table");
    assert_eq!(values(&table, 0), [None, Some(1.0), None]);
    assert_eq!(values(&table, 1), [Some(99.0), Some(1.0), Some(2.0)]);
    assert_eq!(table.missing(id(2)).count(), 3);
    let by: Vec<(String, usize)> = table.describe().attributes[0]
        .missing_by
        .iter()
        .map(|count| (count.marker.clone(), count.cells))
        .collect();
    assert_eq!(by, [("-9".to_owned(), 1), ("99".to_owned(), 1)]);
}

#[test]
fn codes_are_numbers_when_the_user_says_so() {
    let table = read_with("a,b\n007,x\n+5,x\n12,x\n", "continuous = ['a']").expect("a table");
    assert_eq!(values(&table, 0), [Some(7.0), Some(5.0), Some(12.0)]);
    assert_eq!(
        read("a,b\n007,x\n+5,x\n12,x\n").attribute(id(0)).scale,
        Scale::Nominal
    );
}

#[test]
fn numbers_beyond_exact_ones_are_noted_and_told_apart_by_text() {
    let table = read("a,b\n9007199254740992,1\n9007199254740993,2\n5,3\n");
    let note = table
        .notes()
        .iter()
        .find(|note| note.attribute.as_deref() == Some("a"))
        .expect("a note");
    assert!(note.text.contains("2^53") && note.line == Some(2), "{note}");
    assert_eq!(table.describe().attributes[0].distinct, 3);
    assert!(read("a,b\n9007199254740991,1\n5,2\n").notes().is_empty());
}

#[test]
fn every_thread_count_reads_the_same_table() {
    let mut text = "a,b,c\n".to_owned();
    for record in 0..40_000 {
        let b = match record % 1_000 {
            0 => "NA".to_owned(),
            _ => (record % 17).to_string(),
        };
        text.push_str(&format!(
            "{},{b},{}\n",
            record * 7 % 1_013,
            if record == 33_333 { "x" } else { "1.5" }
        ));
    }
    let describe = |threads| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("threads");
        pool.install(|| {
            let table = try_read(&text).expect("a table");
            (table.describe(), values(&table, 1))
        })
    };
    let one = describe(1);
    assert_eq!(one.0.attributes[1].missing, 40);
    assert_eq!(one.0.attributes[1].distinct, 17);
    assert!(
        one.0.attributes[2]
            .attribute
            .scale_reason
            .to_string()
            .contains("on line 33335")
    );
    assert_eq!(one, describe(2));
    assert_eq!(one, describe(8));
}
