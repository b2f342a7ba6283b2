//! Files of one attribute, in which a blank line is a missing value.

use proptest::prelude::*;

use sdcrisk::table::{BlankLines, ReadOptions, Table};

use crate::{id, read, values, written, written_text};

fn read_headed(bytes: &[u8], header: bool) -> Table {
    let options = ReadOptions {
        header: Some(header),
        ..ReadOptions::default()
    };
    Table::read("t.csv", bytes.to_vec(), &options).expect("a table")
}

fn blank(skipped: u64, records: u64) -> BlankLines {
    BlankLines { skipped, records }
}

#[test]
fn a_blank_line_after_the_header_is_a_missing_value() {
    let table = read("\n\nx\n\n1\n \n3\n\n");
    assert_eq!(
        values(&table, 0),
        [None, Some(1.0), None, Some(3.0), None],
        "lines 4 to 8; what follows the last line end is no line"
    );
    assert_eq!(table.line_of(0), 4);
    assert_eq!(table.line_of(4), 8);
    assert_eq!(table.dialect().blank_lines, blank(2, 3));
    assert_eq!(
        table.notes()[0].text,
        "3 blank lines are read as records with a missing value, 2 blank lines are skipped"
    );
}

#[test]
fn without_a_header_the_first_line_may_be_the_blank_one() {
    let table = read_headed(b"\xEF\xBB\xBF\r\n1.5\r\n2.5", false);
    assert_eq!(values(&table, 0), [None, Some(1.5), Some(2.5)]);
    assert_eq!(table.dialect().blank_lines, blank(0, 1));
}

#[test]
fn with_more_attributes_a_blank_line_is_skipped_and_counted() {
    let table = read("a,b\n\n1,2\n   \n3,4\n\n");
    assert_eq!(table.n_records(), 2);
    assert_eq!(table.dialect().blank_lines, blank(3, 0));
    assert_eq!(table.notes()[0].text, "3 blank lines are skipped");
}

/// The end of the line that states the delimiter is no blank line.
#[test]
fn a_line_that_states_the_delimiter_is_not_blank() {
    let table = read("sep=;\r\nx\r\n1\r\n\r\n3\r\n");
    assert_eq!(values(&table, 0), [Some(1.0), None, Some(3.0)]);
    assert_eq!(table.dialect().blank_lines, blank(0, 1));
    assert_eq!(read("sep=;\na;b\n1;2\n").dialect().blank_lines, blank(0, 0));
}

/// Blank lines stay blank; the last line of a file without a line end cannot be one.
#[test]
fn a_missing_value_keeps_its_bytes_where_they_can_be_read_again() {
    let reversed = |text: &str| written_text(&read(text).reordered(vec![2, 1, 0]));
    assert_eq!(reversed("x\n\n\"\"\n3\n"), "x\n3\n\"\"\n\n");
    assert_eq!(reversed("x\n\n2\n3"), "x\n3\n2\n\"\"");
    let table = read("x,y\n,1\n2,3\n");
    assert_eq!(written_text(&table.without(&[id(1)])), "x\n\"\"\n2\n");
}

/// Where one attribute of several is left, the blank lines of its file would become records.
#[test]
fn an_attribute_left_alone_has_the_records_of_its_file() {
    for end in ["\n", "\r\n", "\r"] {
        let text = "x,y\n\n1,2\n \n\n,4\n\n5,6\n\n".replace('\n', end);
        let alone = written_text(&read(&text).without(&[id(1)]));
        assert_eq!(alone, "x\n1\n\"\"\n5\n".replace('\n', end));
        assert_eq!(values(&read(&alone), 0), [Some(1.0), None, Some(5.0)]);
    }
}

/// A line and the value that it must have: the oracle of the next test.
fn line() -> impl Strategy<Value = (&'static str, Option<f64>)> {
    prop::sample::select(vec![
        ("", None),
        ("", None),
        ("\"\"", None),
        ("NA", None),
        (" ", None),
        ("1", Some(1.0)),
        ("2.5", Some(2.5)),
        ("\"7\"", Some(7.0)),
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// Every line is a record, and stays one however the records are moved and emptied.
    #[test]
    fn records_are_lines_and_stay_so(
        lines in prop::collection::vec(line(), 1..12),
        order in any::<prop::sample::Index>(),
        gap in any::<prop::sample::Index>(),
        header in any::<bool>(),
        line_end in prop::sample::select(vec!["\n", "\r\n", "\r"]),
        ends in any::<bool>(),
    ) {
        let mut lines = lines;
        lines.push(("4", Some(4.0)));
        // Without a header a file of nothing but blank lines is no table, so one value stays.
        let kept = lines.len();
        lines.push(("8", Some(8.0)));
        let mut text: Vec<&str> = lines.iter().map(|line| line.0).collect();
        if header {
            text.insert(0, "x");
        }
        let mut text = text.join(line_end);
        if ends {
            text.push_str(line_end);
        }
        let table = read_headed(text.as_bytes(), header);
        let expected: Vec<Option<f64>> = lines.iter().map(|line| line.1).collect();
        prop_assert_eq!(values(&table, 0), &expected[..], "{:?}", &text);

        let n = lines.len();
        let moved: Vec<u32> = (0..).take(n).map(|place: u32| {
            u32::try_from((place as usize + order.index(n)) % n).expect("few")
        }).collect();
        let gap = gap.index(kept);
        let emptied = table.clone().with_missing(id(0), &[u32::try_from(gap).expect("few")]).unwrap();
        let mut expected_emptied = expected.clone();
        expected_emptied[gap] = None;
        for (table, expected) in [(table, expected), (emptied, expected_emptied)] {
            let bytes = written(&table);
            prop_assert_eq!(values(&read_headed(&bytes, header), 0), &expected[..], "{:?}", &text);
            let expected: Vec<Option<f64>> =
                moved.iter().map(|&record| expected[record as usize]).collect();
            let swapped = written(&table.clone().with_donors(id(0), moved.clone()));
            let shuffled = written(&table.reordered(moved.clone()));
            for bytes in [swapped, shuffled] {
                let again = read_headed(&bytes, header);
                prop_assert_eq!(values(&again, 0), &expected[..], "{:?} -> {:?}", &text, bytes);
            }
        }
    }
}
