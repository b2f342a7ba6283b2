//! What is refused: with file, line, attribute, what is wrong and what to do, and never a value of a record.

use sdcrisk::error::ErrorKind;
use sdcrisk::table::{ReadOptions, Roles, Table};

use crate::{read, read_with, try_read};

#[test]
fn bad_files_are_refused_with_their_line() {
    for (bytes, line, part) in [
        (&b""[..], None, "holds no table"),
        (b"\xEF\xBB\xBF", None, "holds no table"),
        (b"\n\r\n\n", None, "holds no table"),
        (
            b"a,b\n1,2\nSECRET\n",
            Some(3),
            "this record has 1 cell, the first has 2",
        ),
        (
            b"a,b\n1,2\n\"x\ny\",1\n1,2,SECRET\n",
            Some(5),
            "this record has 3 cells, the first has 2",
        ),
        (
            b"Title\na,b,c\n1,2,3\n4,5,6\n",
            Some(2),
            "this record has 3 cells, the first has 1",
        ),
        (b"a,b\n1,2\n3,\"SECRET\n4,5\n", Some(3), "never closed"),
        (
            b"a,b\n1,2\n\"SECRET\"x,2\n",
            Some(3),
            "text follows the closing quote",
        ),
        (
            b"a,b\n\"1\n\"x,2\n",
            Some(3),
            "text follows the closing quote",
        ),
        (b"a,b\n1,2\nSEC\0RET,2\n", Some(3), "a zero byte"),
        (b"\xFF\xFEa\0,\0b", None, "damaged or cut off"),
        (b"\xFE\xFF\0a\xD8\0\0b", None, "damaged or cut off"),
        (b"\xFF\xFE\0\0a\0\0\0", None, "UTF-16"),
        (b"a\0,\0b\0\n\0", None, "UTF-16"),
        (b"\x1F\x8Babc", None, "compressed"),
        (b"PK\x03\x04\0\0abc", None, "spreadsheet"),
    ] {
        let text = String::from_utf8_lossy(bytes);
        let error = try_read(bytes).expect_err(&text);
        assert_eq!(error.kind(), ErrorKind::Input, "{text}");
        assert_eq!(error.location().file.as_deref(), Some("t.csv"), "{text}");
        assert_eq!(error.location().line, line, "{text}: {error}");
        assert!(error.to_string().contains(part), "{text}: {error}");
        assert!(!error.to_string().contains("SECRET"), "{error}");
    }
}

#[test]
fn a_stated_encoding_must_hold() {
    let options = ReadOptions {
        encoding: Some(sdcrisk::table::Encoding::Utf8),
        ..ReadOptions::default()
    };
    let error = Table::read("t.csv", b"a,b\n1,\xE9\n".to_vec(), &options).expect_err("not UTF-8");
    assert_eq!(error.location().line, Some(2));
}

#[test]
fn more_attributes_than_the_limit_are_refused_quickly() {
    let wide = vec![b','; 3_000_000];
    let error = try_read(&wide).expect_err("too wide");
    assert!(
        error.to_string().contains("more than 65536 cells"),
        "{error}"
    );
    assert_eq!(error.location().line, Some(1));
    // Under a delimiter that is there only in the text of one huge cell, too, time stays linear.
    let mut long = b"a,b\n".to_vec();
    long.extend(std::iter::repeat_n(b'7', 20_000_000));
    long.extend_from_slice(b",1\n");
    assert_eq!(
        try_read(&long).expect("a table").describe().attributes[0].distinct,
        1
    );
    let mut widest = vec![b','; 65_535];
    widest.push(b'\n');
    assert_eq!(try_read(&widest).expect("just fits").n_attributes(), 65_536);
}

#[test]
fn a_scale_of_numbers_needs_numbers() {
    let error =
        read_with("a,b\n1,2\nSECRET,3\nSECRET,4\n", "continuous = ['a']").expect_err("text");
    assert_eq!(error.location().line, Some(3));
    assert_eq!(error.location().attribute.as_deref(), Some("a"));
    assert!(
        error.to_string().contains("2 of its cells are not numbers"),
        "{error}"
    );
    assert!(!error.to_string().contains("SECRET"));
    assert!(read_with("a,b\n1,2\nx,3\n", "ordinal = ['a']\n[missing]\na = ['x']").is_ok());
}

#[test]
fn roles_files_are_checked() {
    for (text, line, part) in [
        (
            "identifer = ['a']",
            Some(1),
            "unknown field `identifer`, expected one of `identifier`",
        ),
        (
            "\n[attributes.a]\nrole = 'secret'",
            Some(3),
            "expected one of `identifier`",
        ),
        (
            "[attributes.a]\nscale = 'big'",
            Some(2),
            "expected one of `continuous`",
        ),
        (
            "[attributes.a]\ncolour = 1",
            Some(2),
            "unknown field `colour`",
        ),
        (
            "identifier = ['a']\nidentifier = ['b']",
            Some(2),
            "duplicate key",
        ),
        (
            "identifier = ['a', 'a']",
            None,
            "the attribute has more than one role",
        ),
        (
            "identifier = ['a']\n[attributes.a]\nrole = 'confidential'",
            None,
            "more than one role",
        ),
        (
            "nominal = ['a']\nordinal = ['a']",
            None,
            "more than one scale",
        ),
        (
            "[missing]\na = [1]\n[attributes.a]\nna = [2]",
            None,
            "more than one list of missing codes",
        ),
        (
            "[missing]\na = [true]",
            Some(2),
            "a word in quotes or a number",
        ),
        ("[file]\ndelimiter = ';;'", None, "one sign"),
        ("[file]\ndelimiter = 'a'", None, "one sign"),
        ("[file]\ndecimal-mark = ';'", None, "decimal mark must be"),
        (
            "[file]\nthousands-mark = 'x'",
            None,
            "thousands-mark must be",
        ),
        (
            "[file]\nencoding = 'latin1'",
            Some(2),
            "expected `utf-8` or `windows-1252`",
        ),
        ("[file]\nheader = 'yes'", Some(2), "expected a boolean"),
        ("this is not TOML", Some(1), ""),
    ] {
        let error = Roles::parse(text).expect_err(text);
        assert_eq!(
            (error.kind(), error.location().line),
            (ErrorKind::Input, line),
            "{text}: {error}"
        );
        assert!(error.to_string().contains(part), "{text}: {error}");
    }
    // One roles file can serve several files: what it names beyond them is told apart, not refused.
    let roles = Roles::parse("identifier = ['agi', 'b', 'c9']").unwrap();
    assert_eq!(
        roles.unmatched(&read("AGI,b\n1,2\n")),
        ["agi (did you mean \"AGI\"?)", "c9"]
    );
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let none = ReadOptions::default();
    for (options, part) in [
        (
            ReadOptions {
                delimiter: Some(b'a'),
                ..none.clone()
            },
            "the delimiter must be",
        ),
        (
            ReadOptions {
                delimiter: Some(b'"'),
                ..none.clone()
            },
            "the delimiter must be",
        ),
        (
            ReadOptions {
                decimal_mark: Some('x'),
                ..none.clone()
            },
            "the decimal mark must be",
        ),
        (
            ReadOptions {
                thousands_mark: Some(Some('x')),
                ..none.clone()
            },
            "the thousands mark must be",
        ),
        (
            ReadOptions {
                decimal_mark: Some(','),
                thousands_mark: Some(Some(',')),
                ..none.clone()
            },
            "are the same",
        ),
    ] {
        let error = Table::read("t.csv", b"a,b\n1,2\n".to_vec(), &options).expect_err(part);
        assert_eq!(error.kind(), ErrorKind::Usage);
        assert!(error.to_string().contains(part), "{error}");
    }
}
