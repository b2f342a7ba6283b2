//! What is worked out about how a file is written.

use sdcrisk::table::{Encoding, LineEnd, ReadOptions, Roles, Scale, Table};

use crate::{id, read, read_with, values};

#[test]
fn the_delimiter_is_found() {
    for (text, delimiter, n_attributes) in [
        ("a,b\n1,2\n", Some(b','), 2),
        ("a;b\n1,5;2,5\n", Some(b';'), 2),
        ("a;b;c\n1,5;2,5;3,5\n4,5;5,5;6,5\n", Some(b';'), 3),
        ("1,5;2,5;3,5\n4,5;5,5;6,5\n", Some(b';'), 3),
        ("a\tb\n1,5\t2\n", Some(b'\t'), 2),
        ("a|b\nx, y|2\n", Some(b'|'), 2),
        ("name\tx\nSmith, John\t1\nDoe, Jane\t2\n", Some(b'\t'), 2),
        ("\"a;b\",c\n\"1;2\",3\n", Some(b','), 2),
        ("x\n1,5\n2,5\n", None, 1),
        ("name\nSmith, John\nDoe, Jane\n", None, 1),
        ("Income, total\n5\n6\n7\n", None, 1),
        ("x\n1\n", None, 1),
        ("a,b,c\n", Some(b','), 3),
        ("a,b,\n1,2,\n", Some(b','), 3),
        ("sep=|\na,b|c\n1,2|3\n", Some(b'|'), 2),
    ] {
        let table = read(text);
        assert_eq!(
            (table.dialect().delimiter, table.n_attributes()),
            (delimiter, n_attributes),
            "{text:?}"
        );
    }
}

/// Marks and, where the first attribute is one of numbers, its values.
fn marks(text: &str) -> (char, Option<char>, Option<Vec<f64>>) {
    let table = read(text);
    let dialect = table.dialect();
    let numbers = table.numbers(id(0)).map(|numbers| numbers.values.to_vec());
    (dialect.decimal_mark, dialect.thousands_mark, numbers)
}

#[test]
fn decimal_and_thousands_marks_are_found() {
    for (text, decimal, thousands, numbers) in [
        ("a;b\n1,5;x\n2;x\n", ',', None, vec![1.5, 2.0]),
        ("a;b\n1.5;x\n2;x\n", '.', None, vec![1.5, 2.0]),
        (
            "a;b\n1.234.567,89;x\n5,5;x\n",
            ',',
            Some('.'),
            vec![1_234_567.89, 5.5],
        ),
        (
            "a;b\n1,234,567.89;x\n5.5;x\n",
            '.',
            Some(','),
            vec![1_234_567.89, 5.5],
        ),
        (
            "a,b\n\"1,234,567\",x\n55,x\n",
            '.',
            Some(','),
            vec![1_234_567.0, 55.0],
        ),
        (
            "a;b\n1 234 567;x\n999;x\n",
            '.',
            Some(' '),
            vec![1_234_567.0, 999.0],
        ),
        (
            "a;b\n1 234,5;x\n999,25;x\n",
            ',',
            Some(' '),
            vec![1_234.5, 999.25],
        ),
        (
            "a;b\n1\u{a0}234;x\n5;x\n",
            '.',
            Some('\u{a0}'),
            vec![1_234.0, 5.0],
        ),
        (
            "a;b\n1\u{202f}234,5;x\n5;x\n",
            ',',
            Some('\u{202f}'),
            vec![1_234.5, 5.0],
        ),
        ("a;b\n1'234.5;x\n5;x\n", '.', Some('\''), vec![1_234.5, 5.0]),
        ("a;b\n1’234;x\n5;x\n", '.', Some('’'), vec![1_234.0, 5.0]),
        // One pattern that can be either: a decimal comma.
        ("a;b\n1,234;x\n5;x\n", ',', None, vec![1.234, 5.0]),
        ("a;b\n1.234;x\n5;x\n", '.', None, vec![1.234, 5.0]),
        // A point elsewhere in the file decides it.
        (
            "a;b\n1,234;1.5\n5;2.5\n12,345,678;2.5\n",
            '.',
            Some(','),
            vec![1_234.0, 5.0, 12_345_678.0],
        ),
    ] {
        assert_eq!(marks(text), (decimal, thousands, Some(numbers)), "{text:?}");
    }
}

#[test]
fn a_thousands_mark_is_never_guessed_from_codes_or_from_one_pattern() {
    for (text, decimal) in [
        ("a;b\n12.345.678;x\n87.654.321;x\n", '.'), // Identity numbers: all of one length.
        ("a;b\n912 345;x\n987 654;x\n", '.'),       // Telephone numbers.
        ("a,b\n\"1,234\",x\n\"12,345\",x\n5,x\n", '.'), // Decimal or thousands? The user must say.
    ] {
        assert_eq!(marks(text), (decimal, None, None), "{text:?}");
    }
    let table = read("a,b\n\"1,234\",x\n\"12,345\",x\n5,x\n");
    assert!(
        table
            .attribute(id(0))
            .scale_reason
            .to_string()
            .contains("--thousands-mark")
    );
    let options = ReadOptions {
        thousands_mark: Some(Some(',')),
        ..ReadOptions::default()
    };
    let table = Table::read("t", b"a,b\n\"1,234\",x\n5,x\n".to_vec(), &options).expect("a table");
    assert_eq!(values(&table, 0), [Some(1234.0), Some(5.0)]);
    let options = ReadOptions {
        decimal_mark: Some(','),
        ..ReadOptions::default()
    };
    let table = Table::read("t", b"a,b\n\"1,234\",x\n5,x\n".to_vec(), &options).expect("a table");
    assert_eq!(values(&table, 0), [Some(1.234), Some(5.0)]);
}

#[test]
fn one_stray_word_does_not_hide_the_decimal_comma() {
    let table = read("a;b\n1,5;x\nn.d.;x\n2,5;x\n");
    assert_eq!(table.dialect().decimal_mark, ',');
    assert_eq!(table.attribute(id(0)).scale, Scale::Nominal);
    assert!(
        table
            .attribute(id(0))
            .scale_reason
            .to_string()
            .contains("1 of 3 cells are not numbers, the first on line 3")
    );
}

#[test]
fn a_header_is_doubted_only_where_it_cannot_be_names() {
    for (text, header) in [
        ("a,b\n1,2\n", true),
        ("1,b\n1,2\n", true),
        ("1995,1996\n5,6\n", true),
        ("1,2\n", true),
        ("1.5,2\n3,4\n", false),
        ("-1,2\n3,4\n", false),
        ("5,5\n3,4\n", false),
        ("1,NA\n3,4\n", true),
    ] {
        let table = read(text);
        assert_eq!(table.dialect().header, header, "{text:?}");
        if !header {
            let names: Vec<&str> = table.attributes().iter().map(|a| a.name.as_str()).collect();
            assert_eq!(names, ["V1", "V2"]);
            assert_eq!(table.first_line_doubt(), None, "{text:?}");
        }
    }
    let table = read_with("a,b\n1,2\n", "[file]\nheader = false").expect("a table");
    assert_eq!((table.n_records(), table.text(0, id(1)).as_ref()), (2, "b"));
    let table = read_with("1.5,2\n3,4\n", "[file]\nheader = true").expect("a table");
    assert_eq!(
        (table.n_records(), table.attribute(id(0)).name.as_str()),
        (1, "1.5")
    );
}

#[test]
fn bytes_that_are_not_utf8_are_windows_1252() {
    let table = read(b"a;caf\xE9\n1;\x80\xFC\n2;M\xFCnchen\n");
    assert_eq!(table.dialect().encoding, Encoding::Windows1252);
    assert_eq!(
        table.dialect().reasons.encoding,
        "line 1 holds bytes that are not UTF-8"
    );
    assert_eq!(table.attribute(id(1)).name, "café");
    assert_eq!(table.text(0, id(1)), "€ü");
    assert_eq!(read("a;café\n1;€\n").dialect().encoding, Encoding::Utf8);
}

#[test]
fn line_ends_and_the_mark_at_the_start_are_seen() {
    for (text, line_end, last) in [
        ("a,b\n1,2\n", LineEnd::Lf, true),
        ("a,b\r\n1,2", LineEnd::CrLf, false),
        ("a,b\r1,2\r", LineEnd::Cr, true),
        ("a,b\n1,2\r\n", LineEnd::Mixed, true),
        ("a,b\n\"1\r\n\",2\n", LineEnd::Lf, true),
        ("a,b", LineEnd::None, false),
    ] {
        let dialect = read(text).dialect().clone();
        assert_eq!(
            (dialect.line_end, dialect.final_line_end, dialect.bom),
            (line_end, last, false),
            "{text:?}"
        );
    }
    let table = read("\u{feff}\"a\",b\n1,2\n");
    assert!(table.dialect().bom);
    assert_eq!(
        (
            table.attribute(id(0)).name.as_str(),
            table.dialect().quoted_cells
        ),
        ("a", 1)
    );
}

#[test]
fn lines_count_the_line_ends_inside_quotes_and_blank_lines() {
    let table = read("\na,b\n\"1\n2\r3\r\n4\",x\n\n5,y\n");
    assert_eq!([table.line_of(0), table.line_of(1)], [3, 8]);
    let many: String = (0..5_000)
        .map(|record| format!("{record},\"\n\"\n"))
        .collect();
    assert_eq!(read(format!("a,b\n{many}")).line_of(4_321), 2 + 2 * 4_321);
}

/// A first line that holds a number twice is a person's record, also beside words: were it taken for names, it would be
/// published as it is. Numbers of a questionnaire are read as names, but not in silence.
#[test]
fn a_record_is_not_taken_for_names() {
    let header = |text: &str| {
        let table =
            Table::read("f.csv", text.as_bytes().to_vec(), &ReadOptions::default()).unwrap();
        table.dialect().header
    };
    assert!(!header("P1000,02,1,34,0,0,350\nP1001,03,2,30,1,0,450\n"));
    assert!(header("person,1.1,1.2,1.3\nP1,3,4,5\n"));
    assert!(header("town,2019,2020\nHull,5,5\n"));
    assert!(header("name,,\nHull,5,5\n"), "empty names are no numbers");
}

/// A first line that could as well be a record is never taken for names in silence; while nobody said what it is, its cells are
/// no names. Ordinary headers are read without a question.
#[test]
fn a_first_line_that_may_be_a_record_is_doubted() {
    for (text, doubt) in [
        // A number in a column of numbers: a record, or years.
        (
            "Oslo,90,26400,married,101\nBergen,34,28000,single,102\n",
            "attribute 2 would be a number, as",
        ),
        (
            "town,2019,2020\nHull,5,5\n",
            "attribute 2 would be a number, as",
        ),
        ("1995,1996\n5,6\n", "attribute 1 would be a number, as"),
        (
            "a;1.234,5\nb;1.234,5\nc;2.000,25\n",
            "attribute 2 would be a number, as",
        ),
        (
            "town,0301\nHull,0402\n",
            "attribute 2 would be a number, as",
        ),
        (
            "person,1.1,1.2\nP1,3,4\n",
            "attribute 2 would be a number, as",
        ),
        // Half of the cells below are numbers: the others are remarks.
        (
            "town,7\nHull,8\nYork,left\n",
            "attribute 2 would be a number, as",
        ),
        // Words that are values of their attribute, too; blanks and quotes do not matter.
        (
            "Oslo,married\nBergen,single\n\"Oslo \",widowed\n",
            "attribute 1 would be a text that stands below",
        ),
        (
            "yes,no\nno,yes\nyes,yes\n",
            "attribute 1 would be a text that stands below",
        ),
        // Written as the records are.
        (
            "K-17,2020-01-05\nL-2,2021-12-31\n",
            "attribute 1 would be written as",
        ),
        // Nothing below to compare with.
        ("Oslo,90,married\n", "attribute 2 would be a number"),
    ] {
        let table = read(text);
        let found = table.first_line_doubt().unwrap_or_default();
        assert!(found.contains(doubt), "{text:?}: {found:?}");
        for attribute in table.attributes() {
            assert_eq!(attribute.name, format!("attribute {}", attribute.position));
        }
        // Nothing of the line is in what the table says of itself.
        let said = format!("{:?}{:?}", table.describe(), table);
        for cell in text.lines().next().unwrap().split([',', ';']) {
            assert!(
                cell.len() < 3 || !said.contains(cell),
                "{text:?}: {cell} in {said}"
            );
        }
        for header in [true, false] {
            let roles = format!("[file]\nheader = {header}");
            assert_eq!(read_with(text, &roles).unwrap().first_line_doubt(), None);
        }
    }
    for text in [
        "name,age\nAnna,34\n",
        "name,town\nAnna,Oslo\nPer,Bergen\n",
        "Anna,Oslo\n",
        "a1,b2\n5,6\n",
        "Q1,Q2\nyes,no\nno,no\n",
        "year2019,year2020\n5,6\n",
        "age,\n5,\n",
        "NA,b\nNA,6\n",
        "icd10,n\nA01.5,1\nB7,2\n",
        "2019,n\nlow,1\nhigh,2\n",
    ] {
        let table = read(text);
        assert_eq!(table.first_line_doubt(), None, "{text:?}");
    }
    // Who names an attribute in a roles file knows its name.
    let table = read_with("town,2019\nHull,5\n", "nominal = ['town']").unwrap();
    assert_eq!(table.first_line_doubt(), None);
    assert_eq!(table.attribute(id(1)).name, "2019");
    // And a roles file for a file with a header finds no name, and shows none, where there is a record instead.
    let roles = Roles::parse("nominal = ['Osle']").unwrap();
    let table = read_with("Oslo,90\nBergen,34\n", "nominal = ['Osle']").unwrap();
    assert!(table.first_line_doubt().is_some());
    assert_eq!(roles.unmatched(&table), ["Osle"]);
}
